/*
 * linear_build.c - turns a linear fit into a model: the facts and arrays that it stores.
 */
#include "core/estimator/dropped_terms.h"
#include "core/linalg/qr_factor.h"
#include "core/base/all_finite.h"
#include "core/linear/linear_model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void add_fact(ModelBuilder *builder, const char *name, double value)
{
    if (isfinite(value))
        builder_fact(builder, name, value);
}

/* Returns the residual degrees of freedom; 0 or less: there are none. */
static double residual_df(const LinearFit *fit)
{
    return fit->rows - fit->df_model - fit->with_intercept;
}

/* Adds the facts that linear_statistics cannot derive from the rest of the model. */
static void add_facts(ModelBuilder *builder, const LinearFit *fit)
{
    add_fact(builder, "rss", fit->rss);
    add_fact(builder, "tss", fit->tss);
    add_fact(builder, "df_model", fit->df_model);
    add_fact(builder, "condition_number", fit->condition);
    if (fit->design->log_weight_sum != 0)
        add_fact(builder, "log_likelihood",
                 linear_log_likelihood(fit->rows, fit->rss, fit->design->log_weight_sum));
}

/* Warns of the dropped terms and returns their names. */
static DroppedTerms report_dropped(const LinearFit *fit, const char *estimator)
{
    Env *env = fit->env;
    const Model *schema = fit->design->schema;
    DroppedTerms dropped = {.env = env};
    uint32_t levels = dictionary_size(schema, DICTIONARY_LEVELS);
    uint32_t *order = env_array(env, (size_t)levels + 1, sizeof(uint32_t));
    bool ridge = strcmp(estimator, "ridge_regression") == 0;

    if (levels > 0)
        dictionary_final_order(env, schema, DICTIONARY_LEVELS, order);
    for (uint32_t t = 0; t < fit->design->terms; t++) {
        char name[2 * SCHEMA_NAME_SIZE];
        int32_t level = fit->design->term_level[t];

        if (!fit->dropped[t])
            continue;
        schema_term_name(schema, fit->design->term_slot[t], level < 0 ? -1 : (int64_t)order[level], name, sizeof(name));
        dropped_note(&dropped, name);
    }
    env->release(env, order);
    dropped_warn(&dropped, fit->design->terms, "",
                 ridge ? "Leave them out, add rows, or give a \"lambda\" above 0, which shares the weight."
                       : "Leave them out, add rows, or use pgfit.ridge_regression, which shares the weight.");
    return dropped;
}

static void warn_no_tests(const LinearFit *fit)
{
    if (fit->covariance != NULL && !(residual_df(fit) > 0))
        env_warn(fit->env, ERROR_DATA, "Use more rows or fewer features.",
                 "%.0f rows for %.0f coefficients: standard errors and tests do not exist", fit->rows,
                 fit->df_model + fit->with_intercept);
}

static void require_finite(const LinearFit *fit)
{
    bool finite = isfinite(fit->intercept) && isfinite(fit->rss) && isfinite(fit->tss);

    for (uint32_t t = 0; t < fit->design->terms; t++)
        finite = finite && isfinite(fit->coef[t]);
    if (!finite)
        env_fail(fit->env, ERROR_RANGE, "Divide large features or the target by a power of ten.",
                 "the coefficients or the sums of squares exceed the range of double precision");
}

/* Returns the array "score" (linear_model.h); levels are those of the fitted model, in final order. */
static double *score_array(const LinearFit *fit, uint32_t *size)
{
    const Design *design = fit->design;
    const Model *schema = design->schema;
    uint32_t slots = schema->slot_count, levels = dictionary_size(schema, DICTIONARY_LEVELS);
    uint32_t categorical = 0, slot = 0;
    double *score, *center, *coef, *level, *list;
    double offset = fit->with_intercept ? design->target_mean : 0;

    for (uint32_t f = 0; f < schema->field_count; f++)
        if (schema_field_kind(schema, f) == FIELD_CATEGORICAL)
            categorical += schema_field_width(schema, f);
    *size = 3 + 2 * slots + levels + categorical;
    score = env_array(fit->env, *size, sizeof(double));
    center = score + 3;
    coef = center + slots;
    level = coef + slots;
    list = level + levels;
    for (uint32_t t = 0; t < design->terms; t++) {
        if (design->term_level[t] < 0) {
            center[design->term_slot[t]] = fit->with_intercept ? design->means[t] : 0;
            coef[design->term_slot[t]] = fit->coef[t];
        } else {
            level[design->term_level[t]] = fit->coef[t];
            if (fit->with_intercept)
                offset -= fit->coef[t] * design->means[t];
        }
    }
    /* a penalized intercept does not follow from the means */
    if (fit->with_intercept) {
        double free = design->target_mean;
        for (uint32_t t = 0; t < design->terms; t++)
            free -= fit->coef[t] * design->means[t];
        if (free != fit->intercept)
            offset += fit->intercept - free;
    }
    score[0] = offset;
    score[1] = levels;
    score[2] = categorical;
    for (uint32_t f = 0; f < schema->field_count; f++) {
        uint32_t width = schema_field_width(schema, f);
        for (uint32_t i = 0; i < width; i++, slot++)
            if (schema_field_kind(schema, f) == FIELD_CATEGORICAL)
                *list++ = slot;
    }
    return score;
}

/* Adds the slot, level and mean of each term, unless the terms are simply the slots. */
static void add_term_map(ModelBuilder *builder, const LinearFit *fit)
{
    const Design *design = fit->design;
    bool plain = design->terms == design->schema->slot_count;
    int64_t *slot, *level;

    for (uint32_t t = 0; t < design->terms && plain; t++)
        plain = design->term_slot[t] == t && design->term_level[t] < 0;
    if (plain)
        return;
    slot = env_array(fit->env, (size_t)design->terms + 1, sizeof(int64_t));
    level = env_array(fit->env, (size_t)design->terms + 1, sizeof(int64_t));
    for (uint32_t t = 0; t < design->terms; t++) {
        slot[t] = design->term_slot[t];
        level[t] = design->term_level[t];
    }
    if (!fit->with_intercept)
        memset(design->means, 0, (design->terms + 1) * sizeof(double));
    builder_i64(builder, SECTION_ARRAYS, "column_slot", slot, design->terms);
    builder_i64(builder, SECTION_ARRAYS, "column_level", level, design->terms);
    builder_f64(builder, SECTION_ARRAYS, "means", design->means, design->terms);
}

/* Adds the covariance of the coefficients if the fit has one and degrees of freedom are left. */
static void add_covariance(ModelBuilder *builder, LinearFit *fit)
{
    uint32_t size = fit->design->terms + fit->with_intercept;
    size_t count = factor_packed(size);
    double df = residual_df(fit), variance = fit->rss / df;
    bool finite = true;

    if (fit->covariance == NULL || !(df > 0) || size == 0)
        return;
    for (size_t i = 0; i < count; i++) {
        fit->covariance[i] *= variance;
        finite = finite && isfinite(fit->covariance[i]);
    }
    if (finite)
        builder_f64(builder, SECTION_ARRAYS, "covariance" MODEL_PACKED, fit->covariance,
                    (uint32_t)count);
}

static void add_extras(ModelBuilder *builder, const LinearExtras *extras)
{
    for (uint32_t i = 0; i < extras->fact_count; i++)
        add_fact(builder, extras->facts[i].name, extras->facts[i].value);
    if (extras->iterative) {
        builder_fact_i64(builder, "iterations", extras->iterations);
        builder_fact_bool(builder, "converged", extras->converged);
    }
    for (uint32_t i = 0; i < extras->array_count; i++) {
        const LinearArray *array = &extras->arrays[i];
        builder_numbers(builder, SECTION_ARRAYS, array->name, ARRAY_F64, array->values, array->dimensions, array->rows,
                        array->columns);
    }
}

Model *linear_finish_with(LinearFit *fit, const LinearExtras *extras, ModelBuilder *builder)
{
    Env *env = fit->env;
    const Design *design = fit->design;
    uint32_t score_size;
    double *score, intercept;
    DroppedTerms dropped;

    require_finite(fit);
    dropped = report_dropped(fit, builder_header(builder)->estimator);
    warn_no_tests(fit);

    add_facts(builder, fit);
    add_extras(builder, extras);
    dropped_add(builder, &dropped);

    builder_f64(builder, SECTION_ARRAYS, "coef", fit->coef, design->terms);
    if (fit->kept < design->terms)
        builder_bool(builder, SECTION_ARRAYS, "dropped", fit->dropped, design->terms);
    score = score_array(fit, &score_size);
    linear_require_score(env, score, score_size);
    if (fit->with_intercept) {
        intercept = linear_score_intercept(score, design->schema->slot_count);
        linear_require_score(env, &intercept, 1);
        builder_f64(builder, SECTION_ARRAYS, "intercept", &intercept, 1);
    }
    add_covariance(builder, fit);
    builder_f64(builder, SECTION_ARRAYS, "score", score, score_size);
    add_term_map(builder, fit);
    return model_build(builder);
}

Model *linear_finish(LinearFit *fit, ModelBuilder *builder)
{
    LinearExtras none = {NULL};

    return linear_finish_with(fit, &none, builder);
}
