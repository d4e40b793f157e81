/*
 * training.c - fits and judges a new version: fit to the rows that are not held out, metrics on those that are, the same metrics of the
 * version that serves, and, if asked for, another fit to all rows.
 */
#include "pg/progress/progress.h"
#include "pg/operations/conformal_fit.h"
#include "pg/operations/drift.h"
#include "pg/type/json_options.h"
#include "pg/operations/training.h"

#include <math.h>

#include "access/xact.h"
#include "utils/resowner.h"

/*
 * Tells whether an error says something about the server or the transaction, and nothing about the rows, the options or the query: another try may succeed.
 * Lost connections, deadlocks, lack of memory or disk, lock timeouts, cancellation and shutdown, broken files.
 */
static bool is_of_server(int sqlstate)
{
    static const int classes[] = {ERRCODE_CONNECTION_EXCEPTION,  ERRCODE_INVALID_TRANSACTION_STATE, ERRCODE_TRANSACTION_ROLLBACK, ERRCODE_INSUFFICIENT_RESOURCES,
                                  ERRCODE_OPERATOR_INTERVENTION, ERRCODE_SYSTEM_ERROR,              ERRCODE_INTERNAL_ERROR};

    for (size_t i = 0; i < lengthof(classes); i++)
        if (ERRCODE_TO_CATEGORY(sqlstate) == ERRCODE_TO_CATEGORY(classes[i]))
            return true;
    return sqlstate == ERRCODE_LOCK_NOT_AVAILABLE;
}

ErrorData *run_guarded(GuardedWork work, void *argument)
{
    MemoryContext context = CurrentMemoryContext;
    ResourceOwner owner = CurrentResourceOwner;
    ErrorData *volatile error = NULL;

    BeginInternalSubTransaction(NULL);
    MemoryContextSwitchTo(context);
    PG_TRY();
    {
        work(argument);
        ReleaseCurrentSubTransaction();
        MemoryContextSwitchTo(context);
        CurrentResourceOwner = owner;
    }
    PG_CATCH();
    {
        MemoryContextSwitchTo(context);
        error = CopyErrorData();
        FlushErrorState();
        RollbackAndReleaseCurrentSubTransaction();
        MemoryContextSwitchTo(context);
        CurrentResourceOwner = owner;
    }
    PG_END_TRY();
    if (error != NULL && is_of_server(error->sqlerrcode))
        ReThrowError(error);
    return error;
}

/* ---- the active version ---- */

/* A comparison of the new version with the active one, which fails if that does not go with the source. */
typedef struct Comparison {
    const EvaluationMetrics *choice;
    Judged new, active;
    bool folds;        /* the new version is judged by folds: only its rows are counted */
    Evaluation judged; /* of the new version */
    Evaluation result; /* of the active version */
    int64 rows;        /* that the active version scores; result may be of fewer */
    bool common;       /* both were judged on the rows that both score, so that own is not what the metrics of the version say */
} Comparison;

/* Evaluates the active version, and both on the rows that both score if these are not all. */
static void compare(void *argument)
{
    Comparison *work = argument;
    Evaluation scored;

    scored = work->folds ? evaluate_model(work->choice, &work->new) : work->judged;
    work->result = evaluate_model(work->choice, &work->active);
    work->judged.rows = scored.rows;
    work->rows = work->result.rows;
    if (work->rows > scored.rows || (work->rows == work->result.targets && scored.rows == scored.targets))
        return;
    work->active.also = work->new.model;
    work->result = evaluate_model(work->choice, &work->active);
    if (work->folds)
        return;
    work->new.also = work->active.model;
    work->judged = evaluate_model(work->choice, &work->new);
    work->common = true;
}

/* ---- promotion ---- */

/* Compares the new version with the active one, and says in the message what came out. */
static void decide(Training *training, const TrainingOptions *options, const EvaluationMetrics *choice, const Evaluation *new,
                   const ActiveVersion *active, const char *held_out, StringInfo json)
{
    char *positive = evaluation_positive(training->model);
    Comparison work = {.choice = choice,
                       .new = {.model = training->model, .positive = positive, .condition = held_out},
                       .active = {.model = active->model, .positive = positive, .condition = held_out},
                       .folds = options->holdout.kind == HOLDOUT_FOLDS,
                       .judged = *new};
    const char *metric = evaluation_metric(choice, choice->decides);
    ErrorData *error;

    training->promote = false;
    if (!evaluation_decides(choice, active->model)) {
        training->message = psprintf("not promoted: version %d, a model of %s, has no %s", active->version, estimator_of(active->model)->name, metric);
        return;
    }
    if (!evaluation_comparable(choice, training->model, active->model)) {
        training->message = psprintf("not promoted: version %d has other features or units, so that its %s is not comparable", active->version, metric);
        return;
    }
    if (!evaluation_shares_classes(training->model, active->model)) {
        training->message = psprintf("not promoted: version %d has none of these classes, so that its %s is not comparable", active->version, metric);
        return;
    }
    error = run_guarded(compare, &work);
    if (error != NULL) {
        training->message = psprintf("not promoted: version %d cannot be evaluated on these rows: %s", active->version, error->message);
        return;
    }
    appendStringInfo(json, ", \"active\": {\"version\": %d, \"rows\": " INT64_FORMAT ", \"metrics\": %s}", active->version, work.result.rows,
                     evaluation_json(choice, work.result.values));
    if (work.rows > work.judged.rows) {
        training->message = psprintf("not promoted: it scores " INT64_FORMAT " rows, version %d " INT64_FORMAT, work.judged.rows, active->version, work.rows);
        return;
    }
    training->promote = evaluation_better(choice, &work.judged, &work.result, options->margin);
    training->message = psprintf("%s: %s is %.6g, of version %d %.6g%s%s%s", training->promote ? "promoted" : "not promoted", metric,
                                 work.judged.values[choice->decides], active->version, work.result.values[choice->decides],
                                 work.common ? psprintf(", on the " INT64_FORMAT " rows that both score", work.judged.rows) : "",
                                 options->margin > 0 ? psprintf(" (margin %g)", options->margin) : "",
                                 active->refitted && held_out != NULL ? "; that version was fitted to all rows of its time, perhaps to these" : "");
}

/* Begins the JSON of how the version was judged. */
static void describe_evaluation(StringInfo json, const TrainingOptions *options, const EvaluationMetrics *choice, const HoldoutConditions *conditions,
                                const Evaluation *evaluation)
{
    static const char *const kinds[] = {"none", "hash", "time", "folds"};
    static const char *const rules[] = {"always", "if_better", "never"};

    appendStringInfo(json, "{\"holdout\": \"%s\", \"promote\": \"%s\"", kinds[options->holdout.kind], rules[options->rule]);
    if (options->holdout.kind == HOLDOUT_NONE)
        return;
    appendStringInfo(json, ", \"rows\": " INT64_FORMAT ", \"metric\": \"%s\", \"margin\": %s, \"refit\": %s", evaluation->rows,
                     evaluation_metric(choice, choice->decides), json_options_double(options->margin), options->refit ? "true" : "false");
    if (conditions->cut != NULL)
        json_options_quote(json, ", \"cut\": ", conditions->cut);
    if (options->holdout.kind == HOLDOUT_FOLDS)
        appendStringInfo(json, ", \"std_error\": %s", evaluation_json(choice, evaluation->errors));
}

/* ---- training ---- */

/* Judges the model that was fitted to the other rows, or the method by folds. */
static Evaluation judge(const TrainingOptions *options, const EvaluationMetrics *choice, const Training *training, const HoldoutConditions *conditions)
{
    Judged judged = {.model = training->model, .positive = evaluation_positive(training->model), .condition = conditions->held_out};
    Evaluation evaluation = {.rows = 0};

    if (options->holdout.kind == HOLDOUT_FOLDS)
        return evaluate_by_folds(choice, options->holdout.json, judged.positive, NULL, NULL);
    if (options->holdout.kind == HOLDOUT_NONE)
        return evaluation;
    evaluation = evaluate_model(choice, &judged);
    if (evaluation.targets == 0 && conditions->cut != NULL)
        ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION), errmsg("no row is held out: none%s is later than %s", choice->query->estimator->supervised ? " with a target" : "", conditions->cut),
                        errhint("Hold out by an earlier time, a larger fraction, or a column with more different times.")));
    if (evaluation.rows == 0)
        ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION), errmsg("no row that was held out could be scored"),
                        errhint("Hold out more rows, or evaluate by {\"holdout\": {\"folds\": 5}}.")));
    return evaluation;
}

/* A model that gets a summary of its training rows. */
typedef struct SummaryWork {
    const FitQuery *query;
    const char *condition;
    Model *model;
} SummaryWork;

static void keep_summary(void *argument)
{
    SummaryWork *work = argument;

    work->model = model_keep_summary(work->query, work->condition, work->model);
}

/*
 * Stores a summary of the training rows in the new version, so that drift can compare rows with them later. Unless the options ask for it, failing to
 * is a WARNING: a version without one is better than none. By default a distributed source is left alone, whose rows would all come to this server.
 */
static void store_summary(Training *training, const char *condition)
{
    SummaryWork work = {.query = training->query, .condition = condition, .model = training->model};
    ErrorData *error = NULL;

    if (training->query->summary == SUMMARY_KEPT)
        keep_summary(&work);
    else if (training->query->summary == SUMMARY_DEFAULT && !source_is_distributed(training->query->source) &&
             summary_columns(training->query, training->model) != NULL)
        error = run_guarded(keep_summary, &work);
    if (error != NULL)
        ereport(WARNING, (errcode(error->sqlerrcode), errmsg("the version keeps no summary of its training rows for drift: %s", error->message),
                          errhint("Leave the column out of the formula, or give {\"summary\": false}.")));
    training->model = work.model;
}

static Model *fit_or_fail(const FitQuery *query, const char *condition)
{
    FitQuery bare = *query;
    Model *model;

    bare.summary = SUMMARY_NONE; /* the model that is stored gets one, not that which is judged */
    model = fit_run(&bare, condition);

    if (model == NULL)
        ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION), errmsg("%s cannot be fitted to these rows", query->estimator->name),
                        errhint("The warning before says why.")));
    return model;
}

Training training_run(const TrainingOptions *options, const FitQuery *query, const ActiveVersion *active)
{
    EvaluationMetrics choice = evaluation_metrics(query, options->metric, options->holdout.kind == HOLDOUT_FOLDS);
    HoldoutConditions conditions = holdout_conditions(&options->holdout, query);
    Training training = {.query = query, .promote = options->rule != PROMOTE_NEVER};
    Evaluation evaluation;
    StringInfoData json;
    bool refits = options->refit && conditions.fitted != NULL;
    uint64 steps = options->holdout.kind == HOLDOUT_NONE ? 1 : refits ? 3 : 2;

    training.sql = fit_text(query, conditions.fitted);
    progress_operation("training", 1, steps, NAN);
    training.model = fit_or_fail(query, conditions.fitted);
    if (steps > 1)
        progress_operation("evaluating", 2, steps, NAN);
    evaluation = judge(options, &choice, &training, &conditions);
    training.metrics = options->holdout.kind == HOLDOUT_NONE ? "{}" : evaluation_json(&choice, evaluation.values);
    initStringInfo(&json);
    describe_evaluation(&json, options, &choice, &conditions, &evaluation);
    if (options->rule == PROMOTE_IF_BETTER && active->version > 0)
        decide(&training, options, &choice, &evaluation, active, conditions.held_out, &json);
    appendStringInfoChar(&json, '}');
    training.evaluation = json.data;
    if (refits) {
        progress_operation("training on all rows", 3, steps, NAN);
        training.sql = fit_text(query, NULL);
        host_env()->release(host_env(), training.model); /* it was judged, and may be as large as what the fit needs */
        training.model = fit_or_fail(query, NULL);
    }
    store_summary(&training, refits ? NULL : conditions.fitted);
    return training;
}
