/*
 * ensemble_score.c - scores rows by the members of an ensemble.
 */
#include "core/ensemble/ensemble.h"
#include "core/estimator/classifier_output.h"

#include <math.h>
#include <string.h>

static const char *ensemble_check(Env *env, const Model *model)
{
    EnsembleView view;

    return ensemble_open(env, model, &view);
}

static void *ensemble_prepare(Env *env, const Model *model, size_t *bytes)
{
    EnsembleView *view = env_array(env, 1, sizeof(EnsembleView));
    const char *wrong = ensemble_open(env, model, view);

    if (wrong != NULL)
        env_fail(env, ERROR_CORRUPT, NULL, "%s", wrong);
    ensemble_prepare_members(env, view);
    *bytes = 4 * (size_t)model->size;
    return view;
}

/* ---- scores ---- */

static double ensemble_predict(const Model *model, const void *prepared, const double *slots)
{
    const EnsembleView *view = prepared;
    double sum = 0;

    for (uint32_t i = 0; i < view->count; i++) {
        const EnsembleMember *member = &view->members[i];

        if (!ensemble_translate(view->env, member, slots))
            return NAN;
        sum += member->weight * ensemble_member_predict(member);
    }
    return sum;
}

/* Writes the probabilities: means of those of the members, or shares of their votes; NaN if no member has an answer. */
static void ensemble_probabilities(const Model *model, const void *prepared, const double *slots, double *out)
{
    const EnsembleView *view = prepared;
    double total = 0;

    memset(out, 0, view->classes * sizeof(double));
    for (uint32_t i = 0; i < view->count; i++) {
        const EnsembleMember *member = &view->members[i];
        const Scoring *scoring = member->estimator->scoring;
        uint32_t class;

        if (!ensemble_translate(view->env, member, slots)) {
            total = NAN;
            break;
        }
        if (!view->vote) {
            classifier_output_probabilities(scoring, member->model, member->prepared, member->row, *member->offset, view->room);
            for (uint32_t c = 0; c < view->classes; c++)
                out[c] += member->weight * view->room[c];
            total += member->weight;
            continue;
        }
        class = classifier_output_classify(scoring, member->model, member->prepared, member->row, *member->offset, view->room);
        if (class < view->classes) {
            out[class] += member->weight;
            total += member->weight;
        }
    }
    for (uint32_t c = 0; c < view->classes; c++)
        out[c] = total > 0 ? out[c] / total : NAN;
}

static uint32_t ensemble_classify(const Model *model, const void *prepared, const double *slots)
{
    const EnsembleView *view = prepared;
    uint32_t best = CLASS_NONE;

    ensemble_probabilities(model, prepared, slots, view->shares);
    for (uint32_t c = 0; c < view->classes; c++)
        if (view->shares[c] == view->shares[c] && (best == CLASS_NONE || view->shares[c] > view->shares[best]))
            best = c;
    return best;
}

/* ---- descriptors ---- */

static const ArraySpec ensemble_arrays[] = {
    {.name = "member_bytes", .type = ARRAY_I64, .values = VALUES_POSITIVE, .rows = {SIZE_FREE}},
    {.name = "members", .type = ARRAY_U8, .values = VALUES_ANY, .rows = {SIZE_FREE}},
    {.name = "vote", .type = ARRAY_BOOL, .values = VALUES_ANY, .rows = {SIZE_NUMBER, .plus = 1}},
    {.name = "weights", .type = ARRAY_F64, .values = VALUES_POSITIVE, .rows = {SIZE_FREE}}};
static const ArraySpec ensemble_facts[] = {FACT("models", ARRAY_I64)};
static const ArrayTable ensemble_array_tables[] = ARRAY_TABLES(ARRAY_TABLE(ensemble_arrays), FACT_TABLE(ensemble_facts));
static const Scoring regression_scoring = {
    .partial = true, .prepare = ensemble_prepare, .predict = ensemble_predict, .explain = ensemble_explain};
static const Scoring classifier_scoring = {.partial = true,
                                           .prepare = ensemble_prepare,
                                           .classify = ensemble_classify,
                                           .probabilities = ensemble_probabilities,
                                           .explain = ensemble_explain};

const Estimator estimator_ensemble_regression = {
    .name = "ensemble_regression",
    .task = TASK_REGRESSION,
    .input = INPUT_ROWS,
    .supervised = true,
    .nulls_are_values = true,
    .options = OPTION_TABLES(ensemble_options),
    .help = "Averages the predictions of fitted models: ensemble(model, ...).",
    .source = "Breiman 1996, Machine Learning 24(2)",
    .arrays = ensemble_array_tables,
    .check = ensemble_check,
    .scoring = &regression_scoring,
    .to_sql = ensemble_to_sql,
    .summary = ensemble_summary,
};

const Estimator estimator_ensemble_classifier = {
    .name = "ensemble_classifier",
    .task = TASK_CLASSIFICATION,
    .input = INPUT_ROWS,
    .supervised = true,
    .nulls_are_values = true,
    .options = OPTION_TABLES(ensemble_options),
    .help = "Averages the probabilities of fitted classifiers, or lets them vote: ensemble(model, ...).",
    .source = "Breiman 1996, Machine Learning 24(2)",
    .arrays = ensemble_array_tables,
    .check = ensemble_check,
    .scoring = &classifier_scoring,
    .summary = ensemble_summary,
    .to_sql = ensemble_to_sql,
};
