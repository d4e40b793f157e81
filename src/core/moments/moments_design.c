/*
 * moments_design.c - turns the columns of regression moments into the terms of a fit.
 *
 * Terms are linear combinations of columns, so they can be computed from the factor: an imputed term is the column, in
 * which NULLs are 0, plus the mean times the indicator of its NULLs; the other terms are columns in a different order; a
 * fit without intercept adds the row of means back. The result is triangularized again.
 */
#include "core/moments/moments_internal.h"

#include <math.h>
#include <string.h>

#define NONE NO_TERM_COLUMN

/* Returns the mean of the rows that are not NULL, from the mean with zeros for NULLs; 0 if all are NULL. */
static double present_mean(double mean, double missing_share)
{
    return missing_share < 1 ? mean / (1 - missing_share) : 0;
}

/* Returns the column of each level of the dictionary, NONE for a level that no row had. */
static uint32_t *level_columns(Env *env, const MomentsView *view)
{
    uint32_t levels = dictionary_size(view->state, DICTIONARY_LEVELS);
    uint32_t *columns = env_array_raw(env, levels + 1, sizeof(uint32_t));

    memset(columns, 0xff, (levels + 1) * sizeof(uint32_t));
    for (uint32_t j = 0; view->column_slot != NULL && j < view->columns; j++) {
        int64_t level = view_i64(view, view->column_level)[j];
        if (level >= 0 && level < levels)
            columns[level] = j;
    }
    return columns;
}

/* Plans the term of a numeric slot. */
static TermPlan plan_number(const MomentsView *view, uint32_t slot)
{
    bool impute = view->state->flags & MODEL_IMPUTE;

    return (TermPlan){.column = moments_find_column(view, slot, COLUMN_NUMBER),
                      .indicator = impute ? moments_missing_column(view, slot) : NONE,
                      .slot = slot,
                      .level = -1};
}

uint32_t moments_plan_terms(Env *env, const MomentsView *view, TermCoding coding, TermPlan *plans)
{
    const Model *state = view->state;
    uint32_t levels = dictionary_size(state, DICTIONARY_LEVELS), slot = 0, terms = 0, next = 0;
    uint32_t *order = env_array(env, levels + 1, sizeof(uint32_t));
    uint32_t *columns = level_columns(env, view);
    bool reference = coding == CODING_REFERENCE;

    if (levels > 0)
        dictionary_final_order(env, state, DICTIONARY_LEVELS, order);
    for (uint32_t f = 0; f < state->field_count; f++) {
        uint32_t width = schema_field_width(state, f);
        bool dropped = !reference;
        if (schema_field_kind(state, f) != FIELD_CATEGORICAL) {
            for (uint32_t i = 0; i < width; i++)
                plans[terms++] = plan_number(view, slot + i);
            slot += width;
            continue;
        }
        while (next < levels && dictionary_field(state, order[next]) < f)
            next++;
        for (; next < levels && dictionary_field(state, order[next]) == f; next++) {
            if (columns[order[next]] == NONE)
                continue;
            if (!dropped) {
                dropped = true;
                continue;
            }
            plans[terms++] = (TermPlan){.column = columns[order[next]], .indicator = NONE,
                                        .slot = slot, .level = (int32_t)next};
        }
        reference = coding != CODING_FULL;
        slot += width;
    }
    return terms;
}

uint32_t moments_terms(Env *env, const Model *moments, uint32_t **slots, int32_t **levels)
{
    MomentsView view;
    TermPlan *plans;
    uint32_t terms, most;

    moments_read(env, moments, &view);
    most = view.columns + dictionary_size(moments, DICTIONARY_LEVELS) + 1;
    plans = env_array(env, most, sizeof(TermPlan));
    terms = moments_plan_terms(env, &view, CODING_FULL, plans);
    *slots = env_array(env, most, sizeof(uint32_t));
    *levels = env_array(env, most, sizeof(int32_t));
    for (uint32_t t = 0; t < terms; t++) {
        (*slots)[t] = plans[t].slot;
        (*levels)[t] = plans[t].level;
    }
    return terms;
}

/* Adds `times` a column of a packed factor to a dense column. */
static void add_column(double *to, const double *packed, uint32_t column, double times)
{
    const double *from = packed + factor_packed(column);

    for (uint32_t i = 0; i <= column; i++)
        to[i] += times * from[i];
}

/* Writes a packed upper triangle to a dense matrix, n x n, column major. */
static void unpack(double *dense, const double *packed, uint32_t n)
{
    for (uint32_t j = 0; j < n; j++) {
        memcpy(dense + (size_t)j * n, packed, (j + 1) * sizeof(double));
        packed += j + 1;
    }
}

/* Writes the means and the factor of the planned terms, the targets last, to the design. */
static void transform(Env *env, const MomentsView *view, const MomentsPart *part, const TermPlan *plans,
                      bool intercept, Design *design)
{
    uint32_t terms = design->terms, all = terms + design->targets, rows = view->columns + !intercept;
    uint32_t target = moments_target_column(view);
    bool final = intercept && all == view->columns && target == terms;
    size_t ld = factor_padded(rows);
    const double *packed = part->factor, *means = part->means, *origins = view_origins(view, 0);
    double root = sqrt(part->weight), *block, *triangle;
    void *memory;

    /* numeric features without NULLs: columns and terms are the same */
    for (uint32_t t = 0; t < terms && final; t++)
        final = plans[t].column == t && plans[t].indicator == NONE;
    if (final) {
        for (uint32_t t = 0; t < all; t++)
            design->means[t] = means[t] + (origins != NULL ? origins[t] : 0);
        unpack(design->factor, packed, all);
        return;
    }
    block = env_aligned(env, ld * all, &memory);
    for (uint32_t t = 0; t < terms; t++) {
        add_column(block + t * ld, packed, plans[t].column, 1);
        design->means[t] = means[plans[t].column];
        if (plans[t].indicator != NONE) {
            add_column(block + t * ld, packed, plans[t].indicator, plans[t].imputed);
            design->means[t] = plans[t].imputed;
        }
        if (origins != NULL)
            design->means[t] += origins[plans[t].column];
    }
    for (uint32_t k = 0; k < design->targets; k++) {
        add_column(block + (terms + k) * ld, packed, target + k, 1);
        design->means[terms + k] = means[target + k] + (origins != NULL ? origins[target + k] : 0);
    }
    if (!intercept)
        for (uint32_t t = 0; t < all; t++)
            block[t * ld + view->columns] = root * design->means[t];
    triangle = env_array(env, factor_packed(all), sizeof(double));
    factor_update(env, triangle, all, block, ld, rows, false);
    unpack(design->factor, triangle, all);
    env->release(env, triangle); /* this is done once per fold */
    env->release(env, memory);
}

Design *moments_part_design(Env *env, const MomentsView *view, const MomentsPart *part, bool intercept,
                            TermPlan *plans, uint32_t terms, uint32_t targets)
{
    Design *design = env_array(env, 1, sizeof(Design));
    size_t all = (size_t)terms + targets;

    design->schema = view->state;
    design->terms = terms;
    design->targets = targets;
    env_require_memory(env, all * all * 3 * sizeof(double), "this fit");
    design->means = env_array(env, all, sizeof(double));
    design->factor = env_array(env, all * all, sizeof(double));
    design->term_slot = env_array(env, terms + 1, sizeof(uint32_t));
    design->term_level = env_array(env, terms + 1, sizeof(int32_t));
    for (uint32_t t = 0; t < terms; t++) {
        if (plans[t].indicator != NONE)
            plans[t].imputed = present_mean(part->means[plans[t].column], part->means[plans[t].indicator]);
        design->term_slot[t] = plans[t].slot;
        design->term_level[t] = plans[t].level;
    }
    transform(env, view, part, plans, intercept, design);
    design->target_mean = design->means[terms];
    design->weight = part->weight;
    design->rows = view->state->flags & MODEL_FREQUENCY ? part->weight : part->rows;
    design->log_weight_sum = view->state->flags & MODEL_FREQUENCY ? 0 : view_f64(view, view->totals)[0];
    return design;
}

/* Returns the design of all rows. whole: with all targets. */
static Design *coded_design(Env *env, const Model *moments, bool intercept, TermCoding coding, bool whole)
{
    MomentsView view;
    MomentsPart part;
    TermPlan *plans;
    Design *design;
    uint32_t terms;

    if (moments->kind != MODEL_MOMENTS)
        env_fail(env, ERROR_KIND, "Use moments(target, features).",
                 "a regression cannot be fitted from %.31s", moments->estimator);
    moments_read(env, moments, &view);
    plans = env_array(env, view.columns + 1, sizeof(TermPlan));
    terms = moments_plan_terms(env, &view, coding, plans);
    part = view.folded ? moments_part_whole(env, &view) : moments_part(&view, 0);
    design = moments_part_design(env, &view, &part, intercept, plans, terms, whole ? 1 + view.further : 1);
    return design;
}

Design *moments_design(Env *env, const Model *moments, bool intercept)
{
    return coded_design(env, moments, intercept, intercept ? CODING_REFERENCE : CODING_FIRST_FULL, false);
}

Design *moments_targets_design(Env *env, const Model *moments, bool intercept)
{
    return coded_design(env, moments, intercept, intercept ? CODING_REFERENCE : CODING_FIRST_FULL, true);
}

Design *moments_feature_design(Env *env, const Model *moments)
{
    return coded_design(env, moments, true, CODING_FULL, false);
}

void moments_design_free(Env *env, Design *design)
{
    env->release(env, design->means);
    env->release(env, design->factor);
    env->release(env, design->term_slot);
    env->release(env, design->term_level);
    env->release(env, design);
}

double *moments_impute_means(Env *env, const Model *moments)
{
    MomentsView view;
    double *means;

    if (!(moments->flags & MODEL_IMPUTE))
        return NULL;
    moments_read(env, moments, &view);
    means = env_array(env, moments->slot_count + 1, sizeof(double));
    for (uint32_t s = 0; s < moments->slot_count; s++) {
        uint32_t column = moments_find_column(&view, s, COLUMN_NUMBER);
        uint32_t indicator = moments_find_column(&view, s, COLUMN_MISSING);
        double weight = 0;
        if (column == NONE)
            continue;
        /* classes: over all of them */
        for (uint32_t c = 0; c < view.classes; c++) {
            const double *m = view_f64(&view, view.means) + (size_t)c * view.columns;
            const double *origins = view_origins(&view, c);
            double share = indicator != NONE ? m[indicator] : 0;
            double own = view_f64(&view, view.counts)[2 * c + 1] * (1 - share);
            double mean = present_mean(m[column], share);
            if (!(own > 0))
                continue;
            if (origins != NULL)
                mean += origins[column];
            weight += own;
            means[s] += (mean - means[s]) * (own / weight);
        }
        if (!(weight > 0))
            means[s] = NAN;
    }
    return means;
}
