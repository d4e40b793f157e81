/*
 * mixed_score.c - predictions of mixed models, their limits, contributions, and SQL.
 */
#include "core/estimator/explanation.h"
#include "core/linear_equations/linear_model.h"
#include "core/math/special_functions.h"
#include "core/mixed/mixed_system.h"
#include "core/mixed/mixed_model.h"

#include <math.h>

typedef struct MixedScorer {
    MixedView view;
    MixedGroups *groups;
} MixedScorer;

static void *mixed_prepare(Env *env, const Model *model, size_t *bytes)
{
    MixedScorer *scorer = env_array(env, 1, sizeof(MixedScorer));

    mixed_view(model, &scorer->view);
    scorer->groups = mixed_groups(env, model, &scorer->view);
    *bytes = sizeof(MixedScorer) + scorer->view.factors * (sizeof(MixedGroups) + 3 * sizeof(int64_t)) + 3 * scorer->view.group_slots * sizeof(int64_t);
    return scorer;
}

/* Returns the group of a row, or MIXED_NO_LEVEL. */
static uint32_t find_group(const MixedGroups *groups, const double *slots)
{
    int64_t key = mixed_key(groups->slots, groups->first, groups->size, groups->slot_count, slots);

    return key < 0 ? MIXED_NO_LEVEL : mixed_find_level(groups->keys, groups->levels, key);
}

/* Returns what a row multiplies effect j of a factor by. */
static double effect_number(const MixedView *view, const MixedGroups *groups, uint32_t j, const double *slots)
{
    int64_t slot = view->effect_slot[groups->first_effect + j], level = view->effect_level[groups->first_effect + j];

    return slot < 0 ? 1 : level < 0 ? slots[slot] : slots[slot] == (double)level;
}

static double mixed_predict(const Model *model, const void *prepared, const double *slots)
{
    const MixedScorer *scorer = prepared;
    double sum = linear_equation_score(model, NULL, slots);

    for (uint32_t f = 0; f < scorer->view.factors; f++) {
        const MixedGroups *groups = &scorer->groups[f];
        uint32_t group = find_group(groups, slots);

        for (uint32_t j = 0; group != MIXED_NO_LEVEL && j < groups->columns; j++)
            sum += effect_number(&scorer->view, groups, j, slots) * groups->predicted[(size_t)group * groups->columns + j];
    }
    return sum;
}

/* ---- limits ---- */

/* Returns the variance of what a known group adds: the conditional one of its effects. */
static double known_variance(const MixedView *view, const MixedGroups *groups, uint32_t group, const double *slots)
{
    uint32_t q = groups->columns;
    const double *errors = groups->errors + (size_t)group * q, *joint = q > 1 ? groups->joint + group * mixed_pairs(q) : NULL;
    double variance = 0;

    for (uint32_t j = 0; j < q; j++) {
        double x = effect_number(view, groups, j, slots), sum = errors[j] * errors[j] * x;

        for (uint32_t i = j + 1; i < q; i++)
            sum += 2 * *joint++ * effect_number(view, groups, i, slots);
        variance += x * sum;
    }
    return variance;
}

/* Returns the variance of what another group adds: that of the random effects. */
static double population_variance(const MixedView *view, const MixedGroups *groups, const double *slots)
{
    const double *covariance = groups->covariance;
    const int64_t *bar = view->effect_bar + groups->first_effect;
    double variance = 0;

    for (uint32_t j = 0; j < groups->columns; j++) {
        double x = effect_number(view, groups, j, slots), sum = *covariance++ * x;

        for (uint32_t i = j + 1; i < groups->columns && bar[i] == bar[j]; i++)
            sum += 2 * *covariance++ * effect_number(view, groups, i, slots);
        variance += x * sum;
    }
    return variance;
}

/* The variances of the fixed effects, the random effects and the residual add up, as in predictInterval of R's package merTools. */
static PredictionInterval mixed_interval(Env *env, const Model *model, const void *prepared, const double *slots, double level)
{
    const MixedScorer *scorer = prepared;
    double sigma = model_fact(model, "sigma", NAN), variance = linear_variance(env, model, slots, false, sigma * sigma), half;
    PredictionInterval interval = {.fit = mixed_predict(model, prepared, slots)};

    for (uint32_t f = 0; f < scorer->view.factors; f++) {
        const MixedGroups *groups = &scorer->groups[f];
        uint32_t group = find_group(groups, slots);

        variance += group != MIXED_NO_LEVEL ? known_variance(&scorer->view, groups, group, slots) : population_variance(&scorer->view, groups, slots);
    }
    half = linear_critical(level, INFINITY) * sqrt(variance < 0 ? 0 : variance); /* NaN without a covariance */
    interval.lower = interval.fit - half;
    interval.upper = interval.fit + half;
    return interval;
}

/* ---- contributions ---- */

/* Returns "(days | subject=308)", without "=308" if the group is not known. */
static const char *contribution_name(Env *env, const Model *model, const MixedView *view, const MixedGroups *groups, uint32_t j, uint32_t group)
{
    TextBuffer out = {.env = env};
    bool intercept = view->effect_slot[groups->first_effect + j] < 0;

    text_print(&out, "(%s | %s", intercept ? "1" : mixed_effect_name(env, model, view, groups->first_effect + j),
               mixed_factor_name(env, model, groups->slots, groups->slot_count));
    if (group != MIXED_NO_LEVEL) {
        text_add(&out, "=");
        mixed_put_group(&out, model, groups, group);
    }
    text_add(&out, ")");
    return text_finish(&out, NULL);
}

/* Lists the fixed effects, and then each random effect of the groups of the row. */
static uint32_t mixed_explain(Env *env, const Model *model, const void *prepared, const double *slots, Explanation **out)
{
    const MixedScorer *scorer = prepared;
    const MixedView *view = &scorer->view;
    Explanation *all, *list = env_array(env, (size_t)model->slot_count + view->effects + 1, sizeof(Explanation));
    uint32_t count = 1;
    LinearView linear;

    linear_view(model, &linear);
    linear_view_explain(env, model, &linear, slots, NULL, &all);
    list[0] = all[0];
    for (uint32_t s = 0; s < model->slot_count; s++)
        if (view->fixed[s])
            list[count++] = all[s + 1];
    for (uint32_t f = 0; f < view->factors; f++) {
        const MixedGroups *groups = &scorer->groups[f];
        uint32_t group = find_group(groups, slots);

        for (uint32_t j = 0; j < groups->columns; j++) {
            double effect = group != MIXED_NO_LEVEL ? groups->predicted[(size_t)group * groups->columns + j] : 0;

            list[count++] = (Explanation){NULL, contribution_name(env, model, view, groups, j, group), effect_number(view, groups, j, slots) * effect};
        }
        env->poll(env);
    }
    *out = list;
    return count;
}

const Scoring mixed_scoring = {.prepare = mixed_prepare, .predict = mixed_predict, .interval = mixed_interval, .explain = mixed_explain};

/* ---- SQL ---- */

/* Adds a CASE that turns the group of a row into effect j of it; unknown groups give 0. */
static void put_groups(TextBuffer *out, const Model *model, const MixedGroups *groups, uint32_t j)
{
    uint32_t *level = env_array(out->env, groups->slot_count, sizeof(uint32_t));
    uint8_t *null = env_array(out->env, groups->slot_count, 1);

    text_add(out, "CASE");
    for (uint32_t g = 0; g < groups->levels; g++) {
        mixed_group_levels(groups, g, level);
        for (uint32_t i = 0; i < groups->slot_count; i++) {
            text_add(out, i == 0 ? " WHEN " : " AND ");
            null[i] = !sql_level(out, model, groups->slots[i], level[i]) || null[i];
        }
        text_add(out, " THEN ");
        sql_number(out, groups->predicted[(size_t)g * groups->columns + j]);
        out->env->poll(out->env);
    }
    for (uint32_t i = 0; i < groups->slot_count; i++)
        sql_null_level(out, model, groups->slots[i], null[i]);
    text_add(out, " ELSE '0'::float8 END");
}

char *mixed_to_sql(Env *env, const Model *model)
{
    TextBuffer out = {.env = env};
    LinearView linear;
    MixedView view;
    const MixedGroups *groups;

    linear_view(model, &linear);
    mixed_view(model, &view);
    groups = mixed_groups(env, model, &view);
    sql_linear(&out, model, linear.offset != NULL ? linear.offset[0] : 0, linear.center, linear.coef, linear.coef + linear.slots, view.fixed);
    for (uint32_t f = 0; f < view.factors; f++)
        for (uint32_t j = 0; j < groups[f].columns; j++) {
            int64_t slot = view.effect_slot[groups[f].first_effect + j], level = view.effect_level[groups[f].first_effect + j];

            text_add(&out, "\n  + ");
            if (slot >= 0 && level < 0) {
                sql_slot(&out, model, (uint32_t)slot, 0);
                text_add(&out, " * ");
            } else if (slot >= 0) {
                text_add(&out, "CASE WHEN ");
                sql_level(&out, model, (uint32_t)slot, (uint32_t)level);
                text_add(&out, " THEN '1'::float8 ELSE '0'::float8 END * ");
            }
            put_groups(&out, model, &groups[f], j);
        }
    return text_finish(&out, NULL);
}
