/*
 * aggregate_state.c - states of aggregates: the empty state of a schema, that of moments, whether options agree, and merging.
 */
#include "pg/aggregate/aggregate.h"
#include "core/drift/feature_summary.h"
#include "core/estimator/conformal.h"

/* Returns the schema of rows, as a value without arrays. */
static Model *rows_schema_new(const FitAggregate *fit_aggregate, const CallOptions *call,
                              const SchemaSpec *spec, uint8_t flags)
{
    Env *env = host_env();
    ModelBuilder *builder = model_builder(env, MODEL_FITTED, fit_aggregate->name);
    Model *schema;

    schema_add(env, builder, spec);
    builder_options(builder, call->json, call->json_length);
    builder_header(builder)->flags |= flags;
    schema = model_build(builder);
    schema->fingerprint = 0;
    schema->options_hash = call->hash;
    return schema;
}

Model *state_new(const FitAggregate *fit_aggregate, const CallOptions *call, const SchemaSpec *spec, uint8_t flags)
{
    /* moments of a formula with offset(...) alone are for glm_start, which reads the sums of the offset too */
    bool summable = spec->formula_summable && fit_aggregate->estimator == NULL && fit_aggregate->kind == INPUT_MOMENTS && !call->keep_rows;
    bool deferred = spec->formula_learns && !summable;
    MomentsPlan plan = {.kind = (ModelKind)call->kind,
                        .flags = flags,
                        .keep_rows = call->keep_rows,
                        .tags = call->tags,
                        .targets = call->further,
                        .fourth_moments = call->fourth_moments,
                        .deferred = deferred,
                        .diagonal = estimator_is_diagonal(fit_aggregate->estimator, call->options),
                        .options = call->json,
                        .options_length = call->json_length,
                        .options_hash = call->hash};

    if (deferred && fit_aggregate->estimator == NULL && !call->keep_rows)
        env_fail(host_env(), ERROR_PARAMETER,
                 fit_aggregate->kind == INPUT_MOMENTS
                     ? "Fit the model from the rows, or keep them in the moments with option \"keep_rows\": true."
                     : "Fit the model from the rows, or use a formula of columns and functions such as log, which learn nothing.",
                 "%s cannot sum the terms of the formula, which are learned from all rows first", fit_aggregate->name);
    /* a blank state has no formula either; moments are for any fit */
    if (spec->formula != NULL && (fit_aggregate->estimator != NULL || fit_aggregate->kind != INPUT_MOMENTS))
        estimator_require_features(host_env(), fit_aggregate->estimator, fit_aggregate->name, spec->field_count);
    if (call->kind == INPUT_ROWS)
        return rows_schema_new(fit_aggregate, call, spec, flags);
    if (call->further > 0 && (call->tags > 0 || (flags & MODEL_FOLDED)))
        env_fail(host_env(), ERROR_PARAMETER, "Fit one model per target.", "an array of several targets does not go with %s",
                 call->tags > 0 ? "clusters, absorbed columns or an order of the rows" : "folds");
    if (flags & MODEL_FOLDED)
        plan.folds = fold_plan(call->options);
    return moments_new(host_env(), spec, &plan);
}

/* "" and "{}" are the same options. */
static bool same_options_text(const char *a, uint32_t a_length, const char *b, uint32_t b_length)
{
    if (a_length <= 2 && b_length <= 2)
        return true;
    return a_length == b_length && memcmp(a, b, a_length) == 0;
}

void fail_options_differ(void)
{
    env_fail(host_env(), ERROR_PARAMETER,
             "Use the same options for all rows of a group, and for all moments that are merged.",
             "options differ within one group");
}

void state_check_options(Model *state, const CallOptions *call)
{
    uint32_t length;
    const char *json;

    if (state->options_hash == call->hash)
        return;
    json = model_options(state, &length);
    if (state->options_hash != 0 || !same_options_text(json, length, call->json, call->json_length))
        fail_options_differ();
    if (state->kind == MODEL_MOMENTS && moments_tags(state) != call->tags) /* forged: the options are the same */
        env_fail(host_env(), ERROR_CORRUPT, NULL, "the rows that the state keeps lack their clusters, or have others than the options say");
    state->options_hash = call->hash;
}

/* Compares hashes if both values have one (stored moments have none), else the text. */
void moments_same_options(const Model *a, const Model *b)
{
    uint32_t a_length, b_length;
    const char *a_json, *b_json;

    if (a->options_hash != 0 && a->options_hash == b->options_hash)
        return;
    a_json = model_options(a, &a_length);
    b_json = model_options(b, &b_length);
    if (!same_options_text(a_json, a_length, b_json, b_length))
        fail_options_differ();
}

void merge_require(const Model *value)
{
    if (value->kind == MODEL_FITTED)
        env_fail(host_env(), ERROR_KIND,
                 "Merge moments before the fit, or join fitted models with pgfit.ensemble.",
                 "a fitted model of %.32s cannot be merged", value->estimator);
}

void fail_rows(void)
{
    env_fail(host_env(), ERROR_RANGE, NULL, "more rows than can be counted");
}

Model *state_merge(Model *a, const Model *b, bool copy)
{
    StepFailure failure;
    Model *result;

    if (a->kind != b->kind)
        env_fail(host_env(), ERROR_KIND, "Merge moments of the same kind.",
                 "%s cannot be merged with %s", input_kind_name(a->kind), input_kind_name(b->kind));
    if (state_failure(a, &failure) || state_failure(b, &failure)) {
        result = !state_failure(a, &failure) ? model_copy(b) : copy ? model_copy(a) : a;
    } else if (state_is_blank(b) || state_is_blank(a)) {
        const Model *kept = state_is_blank(b) ? a : b;
        const Model *blank = state_is_blank(b) ? b : a;
        int64_t skipped = blank->skipped;

        if (MODEL_MAX_ROWS - kept->skipped < skipped)
            fail_rows();
        result = kept == a && !copy ? a : model_copy(kept);
        result->skipped += skipped;
    } else {
        result = moments_merge(host_env(), a, b, copy);
    }
    result->fingerprint = 0;
    return result;
}

/* Returns what the method itself knows of a model. */
static const Model *method_model(const Model *model)
{
    model = conformal_strip(host_env(), model);
    return model_has_summary(model) ? model_without_summary(host_env(), model) : model;
}

bool merges_fitted(const Model *model)
{
    const Estimator *estimator = estimator_of(model);
    const char *wrong;

    if (estimator == NULL || estimator->merge == NULL)
        return false;
    wrong = estimator_check(host_env(), estimator, method_model(model));
    if (wrong != NULL)
        env_fail(host_env(), ERROR_CORRUPT, "Fit it again.", "a model of %s is damaged: %s", estimator->name, wrong);
    return true;
}

Model *merge_fitted(const Model *a, const Model *b)
{
    if (estimator_of(a) != estimator_of(b))
        env_fail(host_env(), ERROR_KIND, "Merge models of the same method.", "%s and %s do not merge",
                 a->kind == MODEL_FITTED ? a->estimator : "moments", b->kind == MODEL_FITTED ? b->estimator : "moments");
    return model_merge_summaries(host_env(), estimator_of(a)->merge(host_env(), method_model(a), method_model(b)), a, b);
}

Model *state_of_moments(const Model *moments)
{
    SchemaSpec spec = schema_spec_of(host_env(), moments);
    MomentsPlan plan = {.kind = (ModelKind)moments->kind,
                        .flags = moments->flags & CALL_FLAGS,
                        .folds = moments_fold_plan(moments),
                        .keep_rows = moments_keeps_rows(moments),
                        .tags = moments_tags(moments),
                        .targets = moments_further_targets(moments),
                        .fourth_moments = moments_has_fourth_moments(moments),
                        .deferred = moments_deferred(moments),
                        .diagonal = moments_diagonal(moments)};

    plan.options = model_options(moments, &plan.options_length);
    return moments_new(host_env(), &spec, &plan);
}
