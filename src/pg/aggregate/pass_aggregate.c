/*
 * pass_aggregate.c - one iteration of a method as an aggregate: NAME_step([label,] features, model [, weight]).
 */
#include "pg/aggregate/aggregate.h"
#include "pg/progress/progress.h"
#include "pg/values/sql_value.h"
#include "pg/score/scoring.h"
#include "core/glm/glm_step.h"
#include "core/logistic/logistic_step.h"
#include "core/mixture/mixture_step.h"
#include "core/estimator/model_step.h"
#include "core/svm/svm_step.h"

#include "nodes/primnodes.h"

static const ModelStep *const model_steps[] = {&kmeans_step,  &logistic_step, &mixture_step, &svm_classifier_step, &svm_regression_step,
                                               &glm_steps[0], &glm_steps[1],  &glm_steps[2], &glm_steps[3],        &glm_steps[4]};

/* The call site of a step, in fn_extra. */
typedef struct IterationSite {
    const ModelStep *step; /* of the models; before the first one, any of this name */
    const Estimator *estimator; /* of the last model */
    ScorerCache *cache;
    FeatureReader *reader;
    ValueReader *label;
    ClassHint class_hint;
    ModelStepHints hints;
    SiteBuffer slots; /* of the row */
    uint64 rows_read;
    bool constant; /* is the model the same datum for all rows? */
} IterationSite;

static bool is_for(const ModelStep *step, const char *estimator)
{
    return strncmp(step->estimator, estimator, sizeof(((Model *)0)->estimator)) == 0;
}

/* Returns the step of this name for models of an estimator, or the step itself if there is none. */
static const ModelStep *step_for(const ModelStep *step, const char *estimator)
{
    if (likely(is_for(step, estimator)))
        return step;
    for (size_t i = 0; i < lengthof(model_steps); i++)
        if (strcmp(model_steps[i]->name, step->name) == 0 && is_for(model_steps[i], estimator))
            return model_steps[i];
    return step;
}

/* Returns "a", or "a or b": the estimators whose models the step takes. */
static const char *estimators_text(const ModelStep *step)
{
    char *text = NULL;

    for (size_t i = 0; i < lengthof(model_steps); i++)
        if (strcmp(model_steps[i]->name, step->name) == 0)
            text = text == NULL ? pstrdup(model_steps[i]->estimator) : psprintf("%s or %s", text, model_steps[i]->estimator);
    return text;
}

/* Finds the step NAME_step of the function NAME_step_step. */
static const ModelStep *step_of_call(FunctionCallInfo fcinfo)
{
    SupportFunction function;

    support_function(fcinfo, "_step", &function);
    for (size_t i = 0; i < lengthof(model_steps); i++)
        if (strcmp(model_steps[i]->name, function.aggregate) == 0)
            return model_steps[i];
    fail_support_function(fcinfo);
}

/* Returns the position of the model among the arguments of a step. */
static int model_position(const ModelStep *step)
{
    return step->add_labeled != NULL ? 3 : 2;
}

/* Tells whether an argument is a constant or parameter that the executor passes as it is, so that a large model need not be compared for each row. */
static bool is_constant(FunctionCallInfo fcinfo, int argument)
{
    const Node *node = fcinfo->flinfo->fn_expr != NULL ? aggregate_argument(fcinfo, argument) : NULL;

    return node != NULL && (IsA(node, Const) || (IsA(node, Param) && ((const Param *)node)->paramkind == PARAM_EXTERN));
}

static IterationSite *iteration_site(FunctionCallInfo fcinfo)
{
    IterationSite *site = call_site_find(fcinfo);

    if (unlikely(site == NULL)) {
        const ModelStep *step = step_of_call(fcinfo);

        site = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(IterationSite));
        site->step = step;
        site->constant = is_constant(fcinfo, model_position(step));
        site->cache = scorer_cache_create(fcinfo->flinfo->fn_mcxt);
        fcinfo->flinfo->fn_extra = site;
        call_site_keep(fcinfo);
    }
    return site;
}

/* Returns the step that belongs to a state's estimator; for another value any step, which model_step_require refuses. */
static const ModelStep *step_of_state(const Model *state)
{
    for (size_t i = 0; i < lengthof(model_steps); i++)
        if (is_for(model_steps[i], state->estimator))
            return model_steps[i];
    return model_steps[0];
}

/* Returns the running state, the executor's own copy, to be changed in place; NULL: none yet. Sets its step. model: as in model_step_require. */
static Model *running_state(FunctionCallInfo fcinfo, const ModelStep **step, const Model *model, ModelStepHints *hints)
{
    Model *state = PG_ARGISNULL(0) ? NULL : (Model *)PG_GETARG_MODEL(0);

    if (state != NULL) {
        *step = step_for(*step, state->estimator);
        model_step_require(host_env(), *step, state, model, hints);
        state->fingerprint = 0;
    }
    return state;
}

/* Fails unless the model is one that the step takes; notes the step of its estimator, which must be that of the state, if there is one. */
static void find_step(IterationSite *site, const Scorer *scorer, const Model *state)
{
    const ModelStep *step = site->step;

    if (scorer->estimator != NULL)
        step = step_for(step, scorer->estimator->name);
    if (state != NULL)
        step = step_for(step, state->estimator);
    if (scorer->estimator == NULL || strcmp(scorer->estimator->name, step->estimator) != 0)
        ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
                        errmsg("%s needs a model of %s, not of %.31s", step->name, state == NULL ? estimators_text(step) : step->estimator,
                               scorer->model->estimator),
                        errhint("%s", step->begin_hint)));
    site->step = step;
    site->estimator = scorer->estimator;
}

/* Returns the number in argument 1, or the position of its class. Fails if the model does not have the class. */
static double step_target(FunctionCallInfo fcinfo, IterationSite *site, const ModelStep *step, const Model *model)
{
    uint32_t length;
    double key;
    const char *text;
    int position;

    if (step->numbers)
        return value_number(value_reader(fcinfo, 1, &site->label), PG_GETARG_DATUM(1), "target");
    text = value_label(value_reader(fcinfo, 1, &site->label), PG_GETARG_DATUM(1), &length, &key);
    position = dictionary_find_class(model, &site->class_hint, text, length);
    if (position < 0)
        env_fail(host_env(), ERROR_DATA, step->begin_hint, "the model has no class \"%.*s\"", (int)length, text);
    return position;
}

/* NAME_step_step(state, [label,] features, model [, weight]) */
PG_FUNCTION_INFO_V1(pgfit_pass_step);
PGDLLEXPORT Datum pgfit_pass_step(PG_FUNCTION_ARGS)
{
    IterationSite *site = iteration_site(fcinfo);
    const ModelStep *step = site->step;
    bool labeled = step->add_labeled != NULL;
    int model = model_position(step), features = model - 1;
    Model *state;
    const Scorer *scorer;
    double weight, offset, *slots = NULL;
    FeatureResult result = FEATURES_NULL;

    step_require_aggregate(fcinfo);
    if (PG_ARGISNULL(model)) {
        state = running_state(fcinfo, &step, NULL, &site->hints);
        if (state == NULL)
            PG_RETURN_NULL();
        return model_datum(state);
    }
    scorer = scorer_cache_get(site->cache, PG_GETARG_DATUM(model), site->constant);
    if (unlikely(scorer->estimator == NULL || scorer->estimator != site->estimator))
        find_step(site, scorer, PG_ARGISNULL(0) ? NULL : (Model *)PG_GETARG_MODEL(0));
    step = site->step;
    if (unlikely(site->rows_read++ % PROGRESS_ROWS == 0))
        progress_rows(fcinfo->flinfo->fn_mcxt, step->estimator, site->rows_read);
    state = running_state(fcinfo, &step, scorer->model, &site->hints);
    if (state == NULL)
        state = step->begin(host_env(), scorer->model);
    weight = PG_NARGS() > model + 1 ? weight_argument(fcinfo, model + 1) : 1;
    if (!PG_ARGISNULL(features) && !(labeled && PG_ARGISNULL(1))) {
        slots = site_buffer(fcinfo, &site->slots, (Size)state->slot_count * sizeof(double));
        result = scorer_read(scorer, feature_reader(fcinfo, features, &site->reader), PG_GETARG_DATUM(features), slots, &offset);
    }
    if (result != FEATURES_OK || weight == 0)
        state->skipped++;
    else if (labeled)
        step->add_labeled(host_env(), state, scorer->prepared, slots, step_target(fcinfo, site, step, scorer->model), weight, offset,
                           &site->hints);
    else
        step->add(host_env(), state, scorer->prepared, slots, weight, &site->hints);
    return model_datum(state);
}

/* step_combine(state, state) */
PG_FUNCTION_INFO_V1(pgfit_pass_combine);
PGDLLEXPORT Datum pgfit_pass_combine(PG_FUNCTION_ARGS)
{
    const ModelStep *step;
    ModelStepHints hints = {0};
    Model *state;
    const Model *other;

    step_require_aggregate(fcinfo);
    if (PG_ARGISNULL(0) && PG_ARGISNULL(1))
        PG_RETURN_NULL();
    if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
        return model_datum(model_copy(PG_GETARG_MODEL(PG_ARGISNULL(0) ? 1 : 0)));
    step = step_of_state(PG_GETARG_MODEL(0));
    state = running_state(fcinfo, &step, NULL, &hints);
    other = PG_GETARG_MODEL(1);
    model_step_require(host_env(), step, other, NULL, &hints);
    model_step_require_same(host_env(), step, state, other);
    step->merge(host_env(), state, other);
    return model_datum(state);
}

/* step_final(state) */
PG_FUNCTION_INFO_V1(pgfit_pass_final);
PGDLLEXPORT Datum pgfit_pass_final(PG_FUNCTION_ARGS)
{
    const ModelStep *step;
    ModelStepHints hints = {0};
    Model *next;

    if (PG_ARGISNULL(0))
        PG_RETURN_NULL();
    step = step_of_state(PG_GETARG_MODEL(0));
    model_step_require(host_env(), step, PG_GETARG_MODEL(0), NULL, &hints);
    next = step->finish(host_env(), PG_GETARG_MODEL(0));
    if (next == NULL)
        PG_RETURN_NULL();
    return model_datum(next);
}
