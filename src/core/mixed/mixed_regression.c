/*
 * mixed_regression.c - linear mixed models by maximum likelihood or REML (Bates, Maechler, Bolker & Walker 2015).
 */
#include "core/base/all_finite.h"
#include "core/estimator/shared_options.h"
#include "core/inference/robust_model.h"
#include "core/linalg/qr_factor.h"
#include "core/linear_equations/linear_model.h"
#include "core/linear_equations/variance_inflation.h"
#include "core/mixed/mixed_gather.h"
#include "core/mixed/mixed_model.h"
#include "core/mixed/mixed_tests.h"

#include <math.h>
#include <string.h>

#define SINGULAR 1e-4     /* of a standard deviation in units of sigma, as in lme4 */
#define EXACT 1e-24       /* share of the sum of squares */
#define EXACT_SUMS 1e-13  /* the same where sums are what is read */

static const char *const df_names[] = {"satterthwaite", "asymptotic", NULL};

static const OptionSpec mixed_options[] = {
    {.name = "df",
     .types = OPTION_STRING,
     .fallback = "\"satterthwaite\"",
     .choices = df_names,
     .help = "Degrees of freedom of the t tests of fixed effects; asymptotic: infinitely many, tests by the normal distribution."},
    {.name = "intercept", .types = OPTION_BOOLEAN, .fallback = "true", .help = "Whether the fixed effects have a constant."},
    {.name = "level",
     .types = OPTION_NUMBER,
     .fallback = "0.95",
     BETWEEN_ZERO_AND_ONE,
     .help = "Confidence level of the limits in coefficients() and predict_interval()."},
    OPTION_MAX_ITER("1000", 1e6, "steps"),
    {.name = "reml",
     .types = OPTION_BOOLEAN,
     .fallback = "true",
     .help = "Restricted maximum likelihood; false: maximum likelihood, whose likelihoods compare models of different fixed effects."},
    {.name = NULL}};

typedef struct Fit {
    Env *env;
    MixedDesign *design;
    MixedStart start;
    MixedSystem *system;
    MixedOptimum optimum;
    bool reml;
    double rows;       /* that weights count */
    double sigma;      /* in units of the target, of a row of mean weight */
    double *df;        /* [fixed effects] of their t tests; NULL: there are z tests */
    double **roots;    /* [factors] T of the columns as they are, instead of standardized ones */
    uint32_t *order;   /* [factors] by their first bar */
} Fit;

/* ---- effects of columns as they are ---- */

/* Replaces effects of standardized columns, [columns] at a stride, by those of the columns. */
static void plain_effects(const MixedFactor *factor, double *effects)
{
    uint32_t one = 0;

    for (uint32_t j = 0; j < factor->columns; j++) {
        const MixedColumn *column = &factor->column[j];

        if (column->slot == MIXED_ONE) {
            one = j;
            continue;
        }
        effects[j] /= column->scale;
        if (column->center != 0) /* only beside an intercept of the same bar */
            effects[one] -= column->center * effects[j];
    }
}

static void make_roots(Fit *fit)
{
    fit->roots = env_array(fit->env, fit->system->count, sizeof(double *));
    for (uint32_t f = 0; f < fit->system->count; f++) {
        const MixedBlock *block = &fit->system->blocks[f];

        fit->roots[f] = env_array(fit->env, mixed_square(block), sizeof(double));
        memcpy(fit->roots[f], block->factor, mixed_square(block) * sizeof(double));
        for (uint32_t j = 0; j < block->columns; j++)
            plain_effects(&fit->design->factors[f], fit->roots[f] + (size_t)j * block->columns);
    }
}

static void order_factors(Fit *fit)
{
    uint32_t count = fit->design->factor_count;

    fit->order = env_array(fit->env, count, sizeof(uint32_t));
    for (uint32_t f = 0; f < count; f++) {
        uint32_t place = 0;

        for (uint32_t other = 0; other < count; other++)
            place += fit->design->factors[other].bar[0] < fit->design->factors[f].bar[0];
        fit->order[place] = f;
    }
}

/* ---- what the model keeps ---- */

static void add_groups(const Fit *fit, ModelBuilder *builder)
{
    Env *env = fit->env;
    uint32_t factors = fit->design->factor_count, slots = 0, keys = 0;
    int64_t *levels = env_array(env, factors, sizeof(int64_t)), *slot, *factor, *key;

    for (uint32_t f = 0; f < factors; f++) {
        slots += fit->design->factors[f].slot_count;
        keys += fit->design->factors[f].levels;
    }
    slot = env_array(env, slots, sizeof(int64_t));
    factor = env_array(env, slots, sizeof(int64_t));
    key = env_array(env, keys, sizeof(int64_t));
    slots = keys = 0;
    for (uint32_t f = 0; f < factors; f++) {
        const MixedFactor *from = &fit->design->factors[fit->order[f]];

        levels[f] = from->levels;
        memcpy(key + keys, from->keys, from->levels * sizeof(int64_t));
        keys += from->levels;
        for (uint32_t i = 0; i < from->slot_count; i++, slots++) {
            slot[slots] = from->slots[i];
            factor[slots] = f;
        }
    }
    builder_i64(builder, SECTION_ARRAYS, "group_slot", slot, slots);
    builder_i64(builder, SECTION_ARRAYS, "group_factor", factor, slots);
    builder_i64(builder, SECTION_ARRAYS, "group_levels", levels, factors);
    builder_i64(builder, SECTION_ARRAYS, "group_keys", key, keys);
}

static void add_columns(const Fit *fit, ModelBuilder *builder)
{
    Env *env = fit->env;
    uint32_t count = 0, bars = 0;
    int64_t *of[4]; /* factor, bar, slot, level */

    for (uint32_t f = 0; f < fit->design->factor_count; f++)
        count += fit->design->factors[f].columns;
    for (uint32_t i = 0; i < 4; i++)
        of[i] = env_array(env, count, sizeof(int64_t));
    count = 0;
    for (uint32_t f = 0; f < fit->design->factor_count; f++) {
        const MixedFactor *factor = &fit->design->factors[fit->order[f]];

        for (uint32_t j = 0; j < factor->columns; j++, count++) {
            bars += j == 0 || factor->bar[j] != factor->bar[j - 1];
            of[0][count] = f;
            of[1][count] = bars - 1;
            of[2][count] = factor->column[j].slot == MIXED_ONE ? -1 : (int64_t)factor->column[j].slot;
            of[3][count] = factor->column[j].level;
        }
    }
    builder_i64(builder, SECTION_ARRAYS, "effect_factor", of[0], count);
    builder_i64(builder, SECTION_ARRAYS, "effect_bar", of[1], count);
    builder_i64(builder, SECTION_ARRAYS, "effect_slot", of[2], count);
    builder_i64(builder, SECTION_ARRAYS, "effect_level", of[3], count);
}

static void add_effects(const Fit *fit, ModelBuilder *builder)
{
    Env *env = fit->env;
    size_t count = 0, pairs = 0;
    double *effects, *errors, *joint, scale = fit->design->target_scale;

    for (uint32_t f = 0; f < fit->system->count; f++) {
        count += (size_t)fit->system->blocks[f].levels * fit->system->blocks[f].columns;
        pairs += fit->system->blocks[f].levels * mixed_pairs(fit->system->blocks[f].columns);
    }
    joint = env_array(env, pairs + 1, sizeof(double));
    effects = env_array(env, count, sizeof(double));
    errors = env_array(env, count, sizeof(double));
    count = pairs = 0;
    for (uint32_t f = 0; f < fit->system->count; f++) {
        const MixedBlock *block = &fit->system->blocks[fit->order[f]];

        for (size_t i = 0; i < block->levels * mixed_pairs(block->columns); i++, pairs++)
            joint[pairs] = fit->sigma * block->joint[i] * fit->sigma;
        for (uint32_t g = 0; g < block->levels; g++) {
            memcpy(effects + count, block->effects + (size_t)g * block->columns, block->columns * sizeof(double));
            plain_effects(&fit->design->factors[fit->order[f]], effects + count);
            for (uint32_t j = 0; j < block->columns; j++, count++) {
                effects[count] *= scale;
                errors[count] = fit->sigma * block->errors[(size_t)g * block->columns + j];
                if (!isfinite(effects[count]) || !isfinite(errors[count]))
                    env_fail(env, ERROR_RANGE, "Divide large columns by a power of ten.", "the random effects of mixed_regression exceed the range of double precision");
            }
        }
    }
    builder_f64(builder, SECTION_ARRAYS, "random_effects", effects, (uint32_t)count);
    builder_f64(builder, SECTION_ARRAYS, "random_errors", errors, (uint32_t)count);
    if (pairs > 0)
        builder_f64(builder, SECTION_ARRAYS, "error_covariances", joint, (uint32_t)pairs);
}

static void add_covariances(const Fit *fit, ModelBuilder *builder)
{
    uint32_t count = 0;
    double *list;

    for (uint32_t f = 0; f < fit->system->count; f++)
        count += (uint32_t)mixed_square(&fit->system->blocks[f]);
    list = env_array(fit->env, count, sizeof(double));
    count = 0;
    for (uint32_t f = 0; f < fit->system->count; f++) {
        const MixedFactor *factor = &fit->design->factors[fit->order[f]];
        const double *root = fit->roots[fit->order[f]];
        uint32_t q = factor->columns;

        for (uint32_t j = 0; j < q; j++)
            for (uint32_t i = j; i < q && factor->bar[i] == factor->bar[j]; i++, count++)
                for (uint32_t k = 0; k < q; k++)
                    list[count] += fit->sigma * root[k * q + i] * fit->sigma * root[k * q + j];
    }
    builder_f64(builder, SECTION_ARRAYS, "random_covariance", list, count);
}

/* Tells whether a covariance of random effects is singular. */
static bool is_singular(const Fit *fit)
{
    bool singular = false;

    for (uint32_t f = 0; f < fit->system->count; f++) {
        const MixedBlock *block = &fit->system->blocks[f];

        for (uint32_t j = 0; j < block->columns; j++)
            singular = singular || block->factor[j * block->columns + j] < SINGULAR;
    }
    return singular;
}

/* ---- fixed effects ---- */

/* Returns the place of each slot, and then of each level, among the terms in the order of coefficients(). */
static uint32_t *term_places(const Fit *fit, const LinearEquations *out, uint32_t *count)
{
    const Model *schema = fit->design->schema;
    uint32_t *places = env_array(fit->env, (size_t)out->slots + out->levels + 1, sizeof(uint32_t)), level = 0;

    *count = fit->design->intercept;
    for (uint32_t s = 0; s < out->slots; s++) {
        uint32_t field = schema_slot_field(schema, s);

        if (schema_field_kind(schema, field) != FIELD_CATEGORICAL) {
            places[s] = (*count)++;
            continue;
        }
        for (; level < out->levels && dictionary_field(schema, level) == field; level++)
            if (!out->reference[level])
                places[out->slots + level] = (*count)++;
    }
    return places;
}

/* Sets the covariance of the fixed effects as they are, and adds the degrees of freedom of their tests: other terms have those of the residuals. */
static void add_covariance(const Fit *fit, LinearEquations *out, ModelBuilder *builder)
{
    Env *env = fit->env;
    const MixedSystem *system = fit->system;
    size_t p = system->fixed;
    uint32_t all, *places = term_places(fit, out, &all), *place = env_array(env, p + 1, sizeof(uint32_t));
    double *root, *packed, *df;

    env_require_memory(env, (2 * p * p + factor_packed(all)) * sizeof(double), "the covariance of the fixed effects");
    root = env_array(env, p * p + 1, sizeof(double));
    packed = env_array(env, factor_packed(all) + 1, sizeof(double));
    mixed_fixed_root(system, fit->design, &fit->start, root);
    for (size_t i = 0; i < p; i++) {
        const MixedColumn *fixed = &fit->design->fixed[fit->start.kept[i]];

        place[i] = fixed->slot == MIXED_ONE ? 0 : places[fixed->level < 0 ? fixed->slot : out->slots + (uint32_t)fixed->level];
    }
    for (size_t i = 0; i < p; i++) {
        for (size_t j = 0; j <= i; j++) {
            uint32_t high = place[i] > place[j] ? place[i] : place[j], low = place[i] > place[j] ? place[j] : place[i];
            double sum = 0;

            for (size_t k = 0; k < p; k++)
                sum += root[k * p + i] * root[k * p + j];
            packed[factor_packed(high) + low] = fit->sigma * sum * fit->sigma;
        }
        env->poll(env);
    }
    if (!all_finite_polled(env, packed, factor_packed(all))) /* as of other regressions: estimates without errors */
        return;
    out->covariance = packed;
    if (fit->df == NULL)
        return;
    df = env_array(env, (size_t)all + 1, sizeof(double));
    for (uint32_t i = 0; i < all; i++)
        df[i] = fit->rows - (double)p;
    for (size_t i = 0; i < p; i++)
        df[place[i]] = fit->df[i];
    builder_f64(builder, SECTION_ARRAYS, "coefficient_df", df, all);
}

/* Adds the equation of the fixed effects. */
static void add_equation(const Fit *fit, ModelBuilder *builder)
{
    Env *env = fit->env;
    const MixedDesign *design = fit->design;
    uint32_t first = design->intercept, count = design->fixed_count - first, *slot = env_array(env, (size_t)count + 1, sizeof(uint32_t));
    int32_t *level = env_array(env, (size_t)count + 1, sizeof(int32_t));
    double *means = env_array(env, (size_t)count + 1, sizeof(double));
    uint8_t *fixed = env_array(env, (size_t)design->schema->slot_count + 1, 1);
    LinearEquations *out = env_array(env, 1, sizeof(LinearEquations));

    for (uint32_t t = 0; t < count; t++) {
        slot[t] = design->fixed[first + t].slot;
        level[t] = design->fixed[first + t].level;
        means[t] = design->fixed[first + t].center;
        fixed[slot[t]] = 1;
    }
    *out = linear_equations(env, design->schema, (FitTerms){count, slot, level}, 1, first ? means : NULL);
    linear_equations_drop(out, fit->start.dropped + first, NULL, "Leave them out, or add rows.", builder);
    if (first)
        out->offset[0] = design->target_center;
    for (uint32_t j = 0; j < fit->start.count; j++) {
        const MixedColumn *column = &design->fixed[fit->start.kept[j]];
        double estimate = design->target_scale * (fit->start.beta[j] + fit->system->beta[j]) / column->scale;

        if (!isfinite(estimate))
            env_fail(env, ERROR_RANGE, "Multiply the features by a large number.", "the coefficients of mixed_regression exceed the range of double precision");
        if (column->slot == MIXED_ONE)
            out->offset[0] += estimate;
        else
            linear_equations_set(out, 0, fit->start.kept[j] - first, estimate);
    }
    add_covariance(fit, out, builder);
    linear_equations_add(builder, out);
    builder_bool(builder, SECTION_ARRAYS, "fixed", fixed, design->schema->slot_count);
}

/* ---- facts ---- */

/* Returns the deviance, or REML criterion, of rows as they are. */
static double whole_deviance(const Fit *fit)
{
    double df = fit->rows - (fit->reml ? fit->system->fixed : 0), sum = fit->optimum.deviance;

    sum += df * (1 + log(2 * M_PI / df) + 2 * log(fit->design->target_scale));
    for (uint32_t j = 0; fit->reml && j < fit->start.count; j++)
        sum += 2 * log(fit->design->fixed[fit->start.kept[j]].scale);
    if (!fit->design->frequency)
        sum -= fit->design->log_weights;
    return sum;
}

static void add_facts(const Fit *fit, ModelBuilder *builder)
{
    builder_fact_bool(builder, "converged", fit->optimum.converged);
    builder_fact(builder, fit->reml ? "reml_criterion" : "deviance", whole_deviance(fit));
    builder_fact(builder, "df_model", fit->start.count - fit->design->intercept);
    builder_fact_i64(builder, "iterations", fit->optimum.iterations);
    builder_fact(builder, "sigma", fit->sigma / sqrt(fit->design->unit));
    builder_fact_bool(builder, "singular", is_singular(fit));
    if (!fit->optimum.converged)
        env_warn(fit->env, ERROR_DATA, "Raise \"max_iter\".", "mixed_regression stopped after %lld step%s", (long long)fit->optimum.iterations, fit->optimum.iterations == 1 ? "" : "s");
    if (is_singular(fit))
        env_warn(fit->env, ERROR_DATA, "Leave out random effects whose variance is 0, or correlations of 1 or -1; random_variances(model) shows them.",
                 "the covariance of the random effects of mixed_regression is singular");
}

/* ---- the fit ---- */

/* Returns what the rows lack for the fit; NULL: nothing. */
static const char *rows_lack(const Fit *fit)
{
    const char *lack = mixed_lacks(fit->design, fit->rows);

    if (lack == NULL && fit->rows <= fit->start.count)
        return env_message(fit->env, "mixed_regression needs more rows than fixed effects: %.0f rows, %u fixed effects", fit->rows, fit->start.count);
    return lack;
}

/* Fails if the fixed effects explain random ones, whose variance could be any number. */
static void require_unexplained(const Fit *fit)
{
    uint32_t block = mixed_explained(fit->system);
    const MixedFactor *factor;

    if (block == fit->system->count)
        return;
    factor = &fit->design->factors[block];
    env_fail(fit->env, ERROR_DATA, "Leave out the fixed effects that tell the groups, or the random effects.",
             "the fixed effects explain random effects of %s, so that nothing is known about their variance",
             mixed_factor_name(fit->env, fit->design->schema, factor->slots, factor->slot_count));
}

/* Fails because the rows lack something, or returns NULL where that is asked for. */
static Model *fail_rows(const Fit *fit, const FitInput *input, const Options *options, const char *lack)
{
    if (!too_few_rows_are_null(input, options))
        env_fail(fit->env, ERROR_DATA, "Use more rows or groups, or fewer effects.", "%s", lack);
    return NULL;
}

static void find_variances(Fit *fit, int64_t max_iter, bool satterthwaite)
{
    const uint32_t **bars = env_array(fit->env, fit->design->factor_count, sizeof(uint32_t *));

    for (uint32_t f = 0; f < fit->design->factor_count; f++)
        bars[f] = fit->design->factors[f].bar;
    fit->optimum = mixed_optimize(fit->system, bars, max_iter);
    if (fit->optimum.exact)
        return;
    if (satterthwaite && fit->optimum.converged)
        fit->df = mixed_satterthwaite(fit->system, fit->design, &fit->start, &fit->optimum);
    make_roots(fit);
    mixed_solve(fit->system);
    mixed_errors(fit->system, fit->roots);
    fit->sigma = sqrt(fit->system->squares / (fit->rows - (fit->reml ? fit->system->fixed : 0))) * fit->design->target_scale;
}

static Model *mixed_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options, ModelBuilder *builder)
{
    Fit fit = {.env = env, .reml = options_boolean(options, "reml")};
    MixedMoments *moments = NULL;
    const char *lack;

    if (input->kind == INPUT_CLASS_MOMENTS) {
        moments = mixed_moments(env, self, input->moments, options);
        input = &moments->input;
        builder = fit_begin(env, self, input, options);
    }
    fit.rows = model_counted_rows(rows_schema(input->rows));
    fit.design = mixed_design(env, input->rows, moments, options_boolean(options, "intercept"), self->name);
    fit.start = mixed_start(fit.design);
    lack = rows_lack(&fit);
    if (lack != NULL)
        return fail_rows(&fit, input, options, lack);
    fit.system = mixed_system(fit.design, fit.start.count, fit.rows, fit.reml);
    mixed_gather(fit.system, fit.design, &fit.start);
    if (!(fit.system->target > (moments != NULL ? EXACT_SUMS : EXACT) * fit.start.squares))
        return fail_rows(&fit, input, options, "mixed_regression needs residuals, but the fixed effects leave none beyond rounding");
    require_unexplained(&fit);
    order_factors(&fit);
    find_variances(&fit, options_integer(options, "max_iter"), options_is(options, "df", "satterthwaite"));
    if (fit.optimum.exact)
        return fail_rows(&fit, input, options, "mixed_regression needs residuals, but the fixed and random effects leave none beyond rounding");
    add_equation(&fit, builder);
    add_groups(&fit, builder);
    add_columns(&fit, builder);
    add_effects(&fit, builder);
    add_covariances(&fit, builder);
    add_facts(&fit, builder);
    return model_build(builder);
}

/* ---- reports ---- */

static const ArraySpec mixed_facts[] = {FACT("converged", ARRAY_BOOL),   FACT("deviance", ARRAY_F64),       FACT("df_model", ARRAY_F64),
                                        FACT_LIST("dropped_terms", ARRAY_TEXT), FACT("iterations", ARRAY_I64), FACT("reml_criterion", ARRAY_F64),
                                        FACT("sigma", ARRAY_F64),        FACT("singular", ARRAY_BOOL)};

static const ArrayTable mixed_array_tables[] = ARRAY_TABLES(ARRAY_TABLE(linear_arrays), ARRAY_TABLE(mixed_arrays), ARRAY_TABLE(robust_arrays), FACT_TABLE(mixed_facts));

/* Adds the likelihood and criteria as lme4 has them: parameters are fixed effects, variances and covariances. */
static Model *mixed_statistics(Env *env, const Model *model)
{
    ModelBuilder *builder = model_builder(env, MODEL_FITTED, model->estimator);
    double deviance = model_fact(model, "reml_criterion", model_fact(model, "deviance", NAN)), n = model_counted_rows(model);
    double parameters = model_fact(model, "df_model", NAN) + (model_find(model, "intercept") != NULL) + 1;
    MixedView view;

    mixed_view(model, &view);
    parameters += view.covariances;
    builder_facts_from(builder, model);
    builder_fact_finite(builder, "aic", deviance + 2 * parameters);
    builder_fact_finite(builder, "bic", deviance + log(n) * parameters);
    builder_fact_finite(builder, "log_likelihood", -deviance / 2);
    return model_build(builder);
}

/* Lists the fixed effects, with tests by the normal distribution if the model keeps no degrees of freedom. */
static uint32_t mixed_coefficients(Env *env, const Model *model, Coefficient **out)
{
    uint32_t count = linear_list_coefficients(env, model, NULL, INFINITY, out), first = model_find(model, "intercept") != NULL, terms, kept = first;
    const LinearTerm *term = linear_terms(env, model, &terms);
    MixedView view;

    mixed_view(model, &view);
    for (uint32_t i = first; i < count; i++) /* terms of random effects alone have no coefficient */
        if (view.fixed[term[i - first].slot])
            (*out)[kept++] = (*out)[i];
    return kept;
}

/* Writes the range of the degrees of freedom of the tests. */
static void put_df(TextBuffer *out, const Model *model, const uint8_t *fixed)
{
    const double *df = robust_df(model);
    uint32_t terms, first = model_find(model, "intercept") != NULL;
    const LinearTerm *term = linear_terms(out->env, model, &terms);
    double least = INFINITY, most = 0;

    for (uint32_t i = 0; df != NULL && i < terms + first; i++) {
        if (i >= first && !fixed[term[i - first].slot])
            continue;
        least = fmin(least, df[i]);
        most = fmax(most, df[i]);
    }
    if (most > 0)
        text_print(out, "degrees of freedom by Satterthwaite: %.4g", least);
    if (most > least)
        text_print(out, " to %.4g", most);
    if (most > 0)
        text_print(out, "\n");
}

static void put_variances(TextBuffer *out, const Model *model)
{
    Env *env = out->env;
    MixedView view;
    MixedGroups *groups;
    uint64_t rows;
    void *reader = mixed_variances_table.open(env, model, &rows);
    int width = 10, characters; /* of the grouping factor */

    mixed_view(model, &view);
    groups = mixed_groups(env, model, &view);
    for (uint32_t f = 0; f < view.factors; f++)
        width = (characters = report_characters(mixed_factor_name(env, model, groups[f].slots, groups[f].slot_count))) > width ? characters : width;
    report_padded(out, "grouping", width + 2);
    report_padded(out, "term", 24);
    text_print(out, "%12s%12s%13s", "variance", "std. dev.", "correlation");
    for (uint64_t i = 0; i < rows; i++) {
        Cell cells[6] = {{CELL_NULL}};

        mixed_variances_table.row(env, model, reader, i, cells);
        text_print(out, "\n");
        report_padded(out, env_text(env, cells[0].text.bytes, cells[0].text.length), width + 2);
        if (cells[2].kind == CELL_NULL)
            report_padded(out, cells[1].kind == CELL_NULL ? "" : env_text(env, cells[1].text.bytes, cells[1].text.length), 24);
        else
            report_padded(out, env_message(env, "%.*s, %.*s", (int)cells[1].text.length, cells[1].text.bytes, (int)cells[2].text.length, cells[2].text.bytes), 24);
        report_cell(out, cells[2].kind == CELL_NULL ? cells[3].number : NAN, 12, 6);
        report_cell(out, cells[4].kind == CELL_NULL ? NAN : cells[4].number, 12, 6);
        report_cell(out, cells[5].kind == CELL_NULL ? NAN : cells[5].number, 13, 4);
    }
}

static char *mixed_summary(Env *env, const Model *model)
{
    TextBuffer out = {.env = env};
    const Model *facts = estimator_statistics(env, model);
    bool reml = !isnan(model_fact(facts, "reml_criterion", NAN));
    Coefficient *list;
    uint32_t count = mixed_coefficients(env, model, &list);
    MixedView view;
    MixedGroups *groups;

    text_print(&out, "mixed_regression, %s: ", reml ? "REML" : "maximum likelihood");
    report_formula(&out, model, model_find(model, "intercept") != NULL);
    linear_put_equations(&out, list, count, count, robust_df(model) != NULL ? "t" : "z");
    mixed_view(model, &view);
    put_df(&out, model, view.fixed);
    text_print(&out, "\n");
    put_variances(&out, model);
    text_print(&out, "\n\n");
    report_rows(&out, model);
    groups = mixed_groups(env, model, &view);
    text_print(&out, "groups: ");
    for (uint32_t f = 0; f < view.factors; f++)
        text_print(&out, "%s%s %u", f > 0 ? ", " : "", mixed_factor_name(env, model, groups[f].slots, groups[f].slot_count), groups[f].levels);
    text_print(&out, "\n%s: %.8g, AIC: %.6g, BIC: %.6g", reml ? "REML criterion" : "deviance",
               model_fact(facts, reml ? "reml_criterion" : "deviance", NAN), model_fact(facts, "aic", NAN), model_fact(facts, "bic", NAN));
    if (model_fact(facts, "singular", 0) != 0)
        text_print(&out, "\nnote: the covariance of the random effects is singular");
    if (model_fact(facts, "converged", 1) == 0)
        text_print(&out, "\nnote: the fit has not converged");
    return out.text;
}

/* Degrees of freedom of their own come before these (robust_df). */
static double mixed_test_df(Env *env, const Model *model)
{
    (void)env;
    (void)model;
    return INFINITY;
}

static const Table *const mixed_tables[] = {&mixed_effects_table, &mixed_variances_table, &variance_inflation_table, NULL};

const Estimator estimator_mixed_regression = {
    .name = "mixed_regression",
    .task = TASK_REGRESSION,
    .input = INPUT_ROWS,
    .other_input = INPUT_CLASS_MOMENTS,
    .takes_offset = true,
    .takes_bars = true,
    .supervised = true,
    .options = OPTION_TABLES(options_common, option_too_few_rows, mixed_options),
    .help = "A linear equation whose intercept and slopes may differ between groups at random, for rows in groups or repeated measurements.",
    .source = "Bates, Maechler, Bolker & Walker 2015, Journal of Statistical Software 67(1)",
    .fit = mixed_fit,
    .arrays = mixed_array_tables,
    .check = mixed_check,
    .accept = linear_accept,
    .scoring = &mixed_scoring,
    .coefficients = mixed_coefficients,
    .test_df = mixed_test_df,
    .tables = mixed_tables,
    .to_sql = mixed_to_sql,
    .summary = mixed_summary,
    .statistics = mixed_statistics,
};
