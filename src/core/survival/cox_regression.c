/*
 * cox_regression.c - proportional hazards: how features multiply the rate at which an event happens (Cox 1972).
 *
 * Conventions are those of coxph of the R package survival. Beside the equation (linear_view.h), which has no intercept, a model keeps
 *   risk_center     F64[S]  means of the numeric features, which scores subtract; 0 for categorical slots
 *   baseline_time   F64[m]  times with events, stratum by stratum
 *   baseline_hazard F64[m]  cumulative hazards at these times of a row with score 0; an offset is part of a score as it is
 *   baseline_spared F64[m]  how much less the hazard at a time is for rows with events there, by Efron's method; only with ties
 *   baseline_variance F64[m] of these hazards if the coefficients were known; only with option "survival_limits"
 *   baseline_mean   F64[m x (S + L)] hazards times the mean at risk of the columns, less risk_center; with baseline_variance
 *   stratum         TEXT[s] values of option "strata" in byte order; only with that option
 *   stratum_end     I64[s]  where the times of a stratum end
 */
#include "core/estimator/shared_options.h"
#include "core/estimator/table.h"
#include "core/inference/robust_model.h"
#include "core/linalg/qr_factor.h"
#include "core/linear_equations/linear_model.h"
#include "core/linear_equations/variance_inflation.h"
#include "core/math/special_functions.h"
#include "core/model/report_text.h"
#include "core/survival/concordance.h"
#include "core/survival/cox_solver.h"

#include <math.h>
#include <string.h>

#define NAMED 10 /* terms in a warning */
#define SHIFT_MOST 600 /* of a mean offset: exp of more may overflow in a product, and in a variance at half of it */
#define DF_MOST 1e9 /* of a test: a model from outside may claim more terms than the tail of chi-square has time for */

static const char *const tie_methods[] = {"efron", "breslow", NULL};

static const char *const vcov_kinds[] = {"classical", "HC0", "CR0", NULL};

static const OptionSpec cox_options[] = {
    {.name = "cluster",
     .types = OPTION_STRING,
     .unset = "rows are independent",
     .help = "For CR0: a column of the feature row whose values, compared as text, are the clusters, such as the subject of several rows; it is not used as a "
             "feature."},
    {.name = "entry",
     .types = OPTION_STRING,
     .unset = "rows are observed from the beginning",
     .help = "A column of the feature row with the time from which a row is observed (left truncation); it is not used as a feature."},
    {.name = "event",
     .types = OPTION_STRING,
     .unset = "required",
     .help = "The column of the feature row that is true or 1 where the event happened at the time, false or 0 where the row was last seen without it; it is not "
             "used as a feature."},
    OPTION_MAX_ITER("100", 1e6, "steps"),
    {.name = "strata",
     .types = OPTION_STRING,
     .unset = "one baseline for all rows",
     .help = "A column of the feature row whose values, compared as text, have a baseline hazard each; it is not used as a feature."},
    {.name = "survival_limits",
     .types = OPTION_BOOLEAN,
     .fallback = "false",
     .help = "Keep what survival_interval needs: for each event time as many numbers as there are terms."},
    {.name = "ties",
     .types = OPTION_STRING,
     .fallback = "\"efron\"",
     .choices = tie_methods,
     .help = "How events at the same time enter the likelihood: by Efron's approximation, or by Breslow's."},
    OPTION_TOLERANCE("1e-18", "Stop when the next step would raise the log-likelihood by less than this, with weights scaled to a mean of 1."),
    {.name = "vcov",
     .types = OPTION_STRING,
     .choices = vcov_kinds,
     .unset = "classical",
     .help = "The covariance of the coefficients, from which standard errors come: that of the likelihood; by the scores of the rows (HC0), which holds without "
             "proportional hazards; by those of clusters of rows (CR0)."},
    {.name = NULL}};

/* ---- the fit ---- */

typedef struct Fit {
    Env *env;
    StandardizedRows *rows;
    CoxTimes *times;
    CoxSolution solution;
    double scale; /* mean weight */
    bool limits;  /* option "survival_limits" */
    const double *means; /* NULL: not asked for */
} Fit;

/* Returns which standard errors the options ask for. Fails if "cluster" and CR0 do not come together. */
static VcovKind cox_vcov(Env *env, const Options *options)
{
    bool clustered = options_is(options, "vcov", "CR0");

    if (clustered && !options_given(options, "cluster"))
        env_fail(env, ERROR_PARAMETER, "Name the column of the clusters, such as \"cluster\": \"patient\".", "\"vcov\": \"CR0\" needs option \"cluster\"");
    if (!clustered && options_given(options, "cluster"))
        env_fail(env, ERROR_PARAMETER, "Give \"vcov\": \"CR0\".", "option \"cluster\" needs \"vcov\": \"CR0\"");
    return clustered ? VCOV_CR0 : options_robust(options) ? VCOV_HC0 : VCOV_CLASSICAL;
}

static void require_event(Env *env, const Options *options, const Model *schema)
{
    if (!options_given(options, "event"))
        env_fail(env, ERROR_PARAMETER, "Name the column that is true where the event happened, such as \"event\": \"died\".", "cox_regression needs option \"event\"");
    if ((schema->flags & MODEL_FREQUENCY) != 0)
        env_fail(env, ERROR_PARAMETER, "Leave \"weight_kind\" out, or pass each row as often as its weight says.",
                 "cox_regression takes no weights that count rows");
}

/* Returns centered and scaled columns without one for an intercept, which the partial likelihood does not have. */
static StandardizedRows *cox_rows(Env *env, const FitInput *input, const char *method)
{
    StandardizedRows *centered = standardized_rows(env, row_design(env, input->rows, DESIGN_INTERCEPT, method), true, NULL, ROWS_INDEPENDENT, method);

    centered->intercept = false;
    centered->count = centered->terms;
    for (uint32_t j = 0; j < TILE_PADDING; j++)
        centered->columns[centered->count + j] = centered->zeros;
    if (input->offsets != NULL)
        standardized_offsets(centered, row_design(env, input->offsets, DESIGN_SLOTS, method), true);
    return centered;
}

static void warn_end(const Fit *fit)
{
    TextBuffer list = {.env = fit->env};
    uint32_t count = 0;

    for (uint32_t j = 0; j < fit->rows->terms; j++) {
        char name[2 * SCHEMA_NAME_SIZE];

        if (!fit->solution.infinite[j] || count++ >= NAMED)
            continue;
        row_design_term_name(fit->rows->design, fit->rows->term[j], name, sizeof name);
        text_print(&list, "%s%s", count > 1 ? ", " : "", name);
    }
    if (count > NAMED)
        text_print(&list, " and %u more", count - NAMED);
    if (fit->solution.beyond)
        env_warn(fit->env, ERROR_DATA, "Drop or merge what tells rows with events from all others, or leave out rows far from all others.",
                 "the likelihood of cox_regression still rises where risks differ by more than double precision holds: it has no maximum, or a row is far from all others%s%s",
                 count > 0 ? ": " : "", count > 0 ? list.text : "");
    else if (fit->solution.separated)
        env_warn(fit->env, ERROR_DATA, "Drop or merge what tells rows with events from all others, such as a category without events.",
                 "the likelihood of cox_regression rises without end as coefficients grow%s%s", count > 0 ? ": " : "", count > 0 ? list.text : "");
    else if (!fit->solution.converged)
        env_warn(fit->env, ERROR_DATA, "Raise \"max_iter\" or \"tolerance\".", "cox_regression stopped after %lld step%s before it converged",
                 (long long)fit->solution.iterations, fit->solution.iterations == 1 ? "" : "s");
}

/* wald_scale: what the weights of the Wald statistic were divided by. */
static void add_facts(Fit *fit, double wald_scale, ModelBuilder *builder)
{
    const CoxSolution *solution = &fit->solution;
    double events = 0, moved;

    for (uint32_t i = 0; i < fit->times->count; i++)
        events += fit->times->death_weight[i];
    moved = -fit->scale * events * log(fit->scale); /* the sums at risk were divided by the scale */
    builder_fact_finite(builder, "concordance", concordance(fit->env, fit->times, cox_row_scores(&fit->solution)));
    builder_fact_bool(builder, "converged", solution->converged);
    builder_fact(builder, "df_model", solution->kept);
    builder_fact_i64(builder, "events", (int64_t)fit->times->events);
    builder_fact_i64(builder, "iterations", solution->iterations);
    builder_fact_finite(builder, "log_likelihood", fit->scale * solution->log_likelihood + moved);
    builder_fact_finite(builder, "null_log_likelihood", fit->scale * solution->null_log_likelihood + moved);
    builder_fact_finite(builder, "score_statistic", fit->scale * solution->score_statistic);
    builder_fact_finite(builder, "wald_statistic", wald_scale * solution->wald_statistic);
}

/* Adds what limits of survival read. shift: logarithm of the factor by which the hazards of the solution are higher than those of the baseline. */
static void add_limits(const Fit *fit, const LinearEquations *out, double shift, ModelBuilder *builder)
{
    Env *env = fit->env;
    const StandardizedRows *rows = fit->rows;
    uint32_t count = fit->times->count, columns = out->slots + out->levels, width = rows->terms + 1;
    double *variance = env_array_raw(env, (size_t)count + 1, sizeof(double)), *mean, factor = exp(-shift);

    env_require_memory(env, (size_t)count * columns * sizeof(double), "the limits of cox_regression");
    mean = env_array(env, (size_t)count * columns + 1, sizeof(double));
    for (uint32_t i = 0; i < count; i++) {
        const double *own = fit->means + (size_t)i * width;

        variance[i] = own[0] * factor / fit->scale * factor;
        for (uint32_t j = 0; j < rows->terms; j++) {
            uint32_t t = rows->term[j];
            double center = rows->design->term_level[t] < 0 ? 0 : rows->center[t];

            mean[(size_t)i * columns + linear_column(out->slots, out->terms, t)] = factor * (rows->scale[t] * own[1 + j] + center * fit->solution.hazard[i]);
        }
        if (i % DESIGN_TILE == 0)
            env->poll(env);
    }
    builder_f64(builder, SECTION_ARRAYS, "baseline_variance", variance, count);
    if (columns > 0)
        builder_f64_matrix(builder, SECTION_ARRAYS, "baseline_mean", mean, count, columns);
}

/* Adds what tied events are spared of the hazards, if there are any. */
static void add_spared(const Fit *fit, double factor, ModelBuilder *builder)
{
    uint32_t count = fit->times->count;
    double *spared = env_array_raw(fit->env, count, sizeof(double));
    bool tied = false;

    for (uint32_t i = 0; i < count; i++) {
        spared[i] = fit->solution.spared[i] * factor;
        tied = tied || spared[i] > 0;
        env_poll_rows(fit->env, i);
    }
    if (tied)
        builder_f64(builder, SECTION_ARRAYS, "baseline_spared", spared, count);
}

static void add_baseline(const Fit *fit, const LinearEquations *out, ModelBuilder *builder)
{
    Env *env = fit->env;
    const CoxTimes *times = fit->times;
    const RowDesign *design = fit->rows->design;
    double *center = env_array(env, (size_t)out->slots + 1, sizeof(double)), *hazard = env_array_raw(env, times->count, sizeof(double));
    double shift = fit->rows->offset_center, factor;
    int64_t *end = env_array_raw(env, times->strata, sizeof(int64_t));

    for (uint32_t t = 0; t < design->terms; t++)
        if (design->term_level[t] < 0)
            center[design->term_slot[t]] = fit->rows->center[t];
        else /* scores do not center levels */
            shift += fit->rows->center[t] * out->coef[linear_column(out->slots, out->terms, t)];
    if (fit->rows->offsets != NULL && !(fabs(shift) < (fit->limits ? SHIFT_MOST / 2 : SHIFT_MOST)))
        env_fail(env, ERROR_RANGE, "Subtract a number from the offsets, which changes no coefficient.",
                 "the offsets of cox_regression have a mean of %g: the %shazard of a row without one exceeds the range of double precision", fit->rows->offset_center,
                 fit->limits ? "variance of the " : "");
    factor = exp(-shift);
    for (uint32_t i = 0; i < times->count; i++) {
        hazard[i] = fit->solution.hazard[i] * factor;
        env_poll_rows(env, i);
    }
    builder_f64(builder, SECTION_ARRAYS, "risk_center", center, out->slots);
    builder_f64(builder, SECTION_ARRAYS, "baseline_hazard", hazard, times->count);
    builder_f64(builder, SECTION_ARRAYS, "baseline_time", times->time, times->count);
    add_spared(fit, factor, builder);
    if (fit->limits && fit->means != NULL)
        add_limits(fit, out, shift, builder);
    if (times->stratum == NULL)
        return;
    for (uint32_t s = 0; s < times->strata; s++)
        end[s] = times->end[s];
    builder_text(builder, SECTION_ARRAYS, "stratum", times->stratum, times->stratum_length, times->strata);
    builder_i64(builder, SECTION_ARRAYS, "stratum_end", end, times->strata);
}

static Model *cox_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options, ModelBuilder *builder)
{
    const Model *schema = rows_schema(input->rows);
    SpecialColumn special = special_column(options);
    Fit fit = {.env = env, .scale = schema->weight / (double)rows_count(input->rows), .limits = options_boolean(options, "survival_limits")};
    LinearEquations out;
    VcovKind vcov = cox_vcov(env, options);
    CoxProblem problem;
    double *packed;
    uint32_t terms;

    require_event(env, options, schema);
    fit.times = cox_times(env, input->rows, &special, fit.scale);
    if (fit.times->events == 0 && input->frame)
        return NULL;
    if (fit.times->events == 0)
        env_fail(env, ERROR_DATA, "Check which value of the column means that the event happened.", "none of the %llu rows of cox_regression has the event",
                 (unsigned long long)fit.times->rows);
    if (vcov == VCOV_CR0 && fit.times->clusters < 2 && input->frame)
        return NULL;
    if (vcov == VCOV_CR0 && fit.times->clusters < 2)
        env_fail(env, ERROR_DATA, "Name a column with several values.", "all %llu rows of cox_regression are in one cluster", (unsigned long long)fit.times->rows);
    fit.rows = cox_rows(env, input, self->name);
    terms = fit.rows->terms;
    problem = (CoxProblem){env, fit.rows, fit.times, options_is(options, "ties", "efron"), options_number(options, "tolerance"),
                           options_integer(options, "max_iter")};
    fit.solution = cox_solve(&problem);
    if ((fit.limits || vcov != VCOV_CLASSICAL) && fit.solution.covariance != NULL)
        fit.means = cox_means(&fit.solution, vcov != VCOV_CLASSICAL);
    for (uint32_t j = 0; j < terms; j++)
        if (fit.solution.dropped[j])
            fit.rows->dropped[fit.rows->term[j]] = 1;
    out = linear_rows_equations(fit.rows, 1);
    linear_equations_drop(&out, fit.rows->dropped, NULL, "Leave them out, or add rows.", builder);
    linear_rows_set(&out, fit.rows, 0, fit.solution.theta, self->name, "Multiply the features by a large number.");
    packed = env_array(env, factor_packed((size_t)fit.rows->design->terms) + 1, sizeof(double));
    if (fit.solution.covariance != NULL) {
        for (size_t i = 0; i < (size_t)terms * terms && vcov == VCOV_CLASSICAL; i++)
            fit.solution.covariance[i] /= fit.scale;
        if (linear_rows_covariance(fit.rows, fit.solution.covariance, terms, packed))
            out.covariance = packed;
    }
    warn_end(&fit);
    add_facts(&fit, vcov == VCOV_CLASSICAL ? fit.scale : 1, builder);
    if (vcov != VCOV_CLASSICAL)
        robust_add(env, builder, vcov, &(SandwichResult){.clusterings = vcov == VCOV_CR0, .clusters = {fit.times->clusters}}, NULL, 0);
    linear_equations_add(builder, &out);
    add_baseline(&fit, &out, builder);
    return model_build(builder);
}

/* ---- the model ---- */

static const ArraySpec cox_arrays[] = {
    {.name = "baseline_hazard", .type = ARRAY_F64, .values = VALUES_NONNEGATIVE, .rows = {SIZE_ROWS}},
    {.name = "baseline_mean", .type = ARRAY_F64, .sized = true, .presence = ARRAY_WITH, .other = "baseline_variance", .rows = {SIZE_ROWS}, .columns = {SIZE_SLOTS, SIZE_LEVELS}},
    {.name = "baseline_spared", .type = ARRAY_F64, .presence = ARRAY_OPTIONAL, .values = VALUES_NONNEGATIVE, .rows = {SIZE_ROWS}},
    {.name = "baseline_time", .type = ARRAY_F64, .values = VALUES_NONNEGATIVE, .rows = {SIZE_ROWS, .defines = true}},
    {.name = "baseline_variance", .type = ARRAY_F64, .presence = ARRAY_OPTIONAL, .values = VALUES_NONNEGATIVE, .rows = {SIZE_ROWS}},
    {.name = "risk_center", .type = ARRAY_F64, .rows = {SIZE_SLOTS}},
    {.name = "stratum", .type = ARRAY_TEXT, .presence = ARRAY_OPTIONAL, .rows = {SIZE_BINS, .defines = true}},
    {.name = "stratum_end", .type = ARRAY_I64, .presence = ARRAY_WITH, .other = "stratum", .rows = {SIZE_BINS}}};

static const ArraySpec cox_facts[] = {FACT("concordance", ARRAY_F64),     FACT("converged", ARRAY_BOOL),         FACT("df_model", ARRAY_F64),
                                      FACT_LIST("dropped_terms", ARRAY_TEXT), FACT("events", ARRAY_I64),         FACT("iterations", ARRAY_I64),
                                      FACT("log_likelihood", ARRAY_F64),  FACT("null_log_likelihood", ARRAY_F64), FACT("score_statistic", ARRAY_F64),
                                      FACT("wald_statistic", ARRAY_F64)};

static const ArrayTable cox_array_tables[] = ARRAY_TABLES(ARRAY_TABLE(linear_arrays), ARRAY_TABLE(cox_arrays), ARRAY_TABLE(robust_arrays), FACT_TABLE(cox_facts), FACT_TABLE(robust_facts));

static const char *cox_check(Env *env, const Model *model)
{
    uint32_t strata = 0, times = 0;
    const int64_t *end = model_i64(model, "stratum_end", &strata);
    int64_t before = 0;

    model_f64(model, "baseline_time", &times);
    for (uint32_t s = 0; s < strata; s++) {
        if (end[s] < before || end[s] > times || (s + 1 == strata && end[s] != times))
            return "\"stratum_end\" does not divide the times of the baseline";
        before = end[s];
    }
    if (model_find(model, "intercept") != NULL)
        return "proportional hazards have no intercept";
    return linear_equation_check(env, model);
}

/* Opens the equation with the center of its scores. */
static void cox_view(const Model *model, LinearView *view)
{
    uint32_t length;

    linear_view(model, view);
    view->center = model_f64(model, "risk_center", &length);
}

static double cox_predict(const Model *model, const void *prepared, const double *slots)
{
    LinearView view;

    cox_view(model, &view);
    return linear_view_score(&view, 0, slots);
}

static double cox_predict_offset(const Model *model, const void *prepared, const double *slots, double offset)
{
    return cox_predict(model, prepared, slots) + offset;
}

/* Sets the places of the event times of a stratum. */
static void find_stratum_times(Env *env, const Model *model, const char *stratum, uint32_t length, uint32_t *begin, uint32_t *end)
{
    uint32_t strata, found;
    const int64_t *ends = model_i64(model, "stratum_end", &strata);
    const ModelEntry *texts = model_find(model, "stratum");

    *begin = 0;
    model_f64(model, "baseline_time", end);
    if (texts == NULL && stratum == NULL)
        return;
    if (texts == NULL)
        env_fail(env, ERROR_PARAMETER, "Leave the stratum out, or fit the model with option \"strata\".", "this model of cox_regression has no strata");
    if (stratum == NULL)
        env_fail(env, ERROR_PARAMETER, "Pass the stratum of the row as the last argument, as text.", "this model of cox_regression has a baseline for each of its %u strata", strata);
    found = model_text_find(model, texts, stratum, length);
    if (found == UINT32_MAX)
        env_fail(env, ERROR_PARAMETER, "baseline_hazard(model) lists the strata.", "this model of cox_regression has no stratum \"%.*s\"", (int)length, stratum);
    *begin = found > 0 ? (uint32_t)ends[found - 1] : 0;
    *end = (uint32_t)ends[found];
}

/* Returns the standard error of the cumulative hazard of a row at an event time (Therneau & Grambsch 2000, 10.2). ratio: exp of its score. NaN: there is no covariance. */
static double hazard_error(Env *env, const Model *model, const double *slots, uint32_t time, double hazard, double ratio)
{
    uint32_t length, count;
    const double *variance = model_f64(model, "baseline_variance", &length), *mean = model_f64(model, "baseline_mean", &length);
    const double *covariance = model_f64(model, "covariance" MODEL_PACKED, &length);
    double *x, sum = 0;
    LinearTerm *terms;
    LinearView view;

    if (variance == NULL)
        env_fail(env, ERROR_PARAMETER, "Fit it with \"survival_limits\": true.", "this model of cox_regression keeps nothing for limits of survival");
    cox_view(model, &view);
    x = linear_row_terms(env, model, &view, slots, true, &count);
    if (covariance == NULL && count > 0)
        return NAN;
    terms = linear_terms(env, model, &count);
    for (uint32_t j = 0; j < count; j++) {
        const double *column = covariance + factor_packed(j);
        double products = 0;

        x[j] = x[j] * hazard - mean[(size_t)time * view.columns + terms[j].column];
        for (uint32_t i = 0; i < j; i++)
            products += column[i] * x[i];
        sum += x[j] * (2 * products + column[j] * x[j]);
    }
    env->release(env, terms);
    env->release(env, x);
    return ratio * sqrt(variance[time] + fmax(0, sum));
}

/* Returns the end of the event times that are not after a time, of those from begin to end. */
static uint32_t times_until(const double *times, uint32_t begin, uint32_t end, double time)
{
    while (begin < end) {
        uint32_t middle = begin + (end - begin) / 2;

        if (times[middle] <= time)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

static PredictionInterval cox_survival(Env *env, const Model *model, const double *slots, double offset, double time, double level, const char *stratum, uint32_t length)
{
    uint32_t begin, end, count, first;
    const double *times = model_f64(model, "baseline_time", &count), *hazards = model_f64(model, "baseline_hazard", &count);
    double ratio = exp(cox_predict_offset(model, NULL, slots, offset)), hazard, error;

    find_stratum_times(env, model, stratum, length, &begin, &end);
    first = begin;
    begin = times_until(times, begin, end, time);
    if (begin == first)
        return (PredictionInterval){1, 1, 1};
    hazard = hazards[begin - 1] * ratio;
    if (isnan(level))
        return (PredictionInterval){exp(-hazard), NAN, NAN};
    error = normal_quantile(0.5 + level / 2) * hazard_error(env, model, slots, begin - 1, hazards[begin - 1], ratio);
    return (PredictionInterval){exp(-hazard), exp(-hazard - error), isnan(error) ? NAN : fmin(1, exp(error - hazard))};
}

/*
 * Sets the martingale and the deviance residual (Therneau, Grambsch & Fleming 1990): the event less the hazard that the row was at risk of, which is its
 * fitted number of events.
 */
static void cox_influence(Env *env, const Model *model, const double *slots, const InfluenceRow *row, Influence *out)
{
    uint32_t begin, end, count, last, first;
    const double *times = model_f64(model, "baseline_time", &count), *hazards = model_f64(model, "baseline_hazard", &count), *spared = model_f64(model, "baseline_spared", &count);
    double hazard, excess;

    if (isnan(row->target) || !(row->entry < row->target))
        return;
    find_stratum_times(env, model, row->stratum, row->stratum_length, &begin, &end);
    last = times_until(times, begin, end, row->target);
    first = times_until(times, begin, last, row->entry);
    hazard = last > first ? hazards[last - 1] - (first > begin ? hazards[first - 1] : 0) : 0;
    if (row->event && spared != NULL && last > first && times[last - 1] == row->target)
        hazard -= spared[last - 1];
    out->fitted = hazard > 0 ? hazard * exp(cox_predict_offset(model, NULL, slots, row->offset)) : 0;
    if (!(row->weight > 0))
        return;
    out->residual = row->event - out->fitted;
    excess = out->fitted - 1;
    out->deviance_residual = copysign(sqrt(2 * (row->event ? fmax(0, excess - log1p(excess)) : out->fitted)), out->residual);
}

static uint32_t cox_explain(Env *env, const Model *model, const void *prepared, const double *slots, Explanation **out)
{
    LinearView view;

    cox_view(model, &view);
    return linear_view_explain(env, model, &view, slots, NULL, out);
}

static char *cox_to_sql(Env *env, const Model *model)
{
    TextBuffer out = {.env = env};
    LinearView view;

    cox_view(model, &view);
    linear_put_score(&out, model, &view, 0);
    if (env->sql_offset != NULL) {
        text_print(&out, " + ");
        text_add(&out, env->sql_offset);
    }
    return out.text;
}

static uint32_t cox_coefficients(Env *env, const Model *model, Coefficient **out)
{
    return linear_list_coefficients(env, model, NULL, INFINITY, out);
}

/* Adds the tests that all coefficients are 0, and criteria that count events as R's BIC of coxph does. */
static Model *cox_statistics(Env *env, const Model *model)
{
    ModelBuilder *builder = model_builder(env, MODEL_FITTED, model->estimator);
    double df = model_fact(model, "df_model", NAN), likelihood = model_fact(model, "log_likelihood", NAN);
    double ratio = 2 * (likelihood - model_fact(model, "null_log_likelihood", NAN)), wald = model_fact(model, "wald_statistic", NAN);
    double score = model_fact(model, "score_statistic", NAN), tested = fmin(df, DF_MOST);

    builder_facts_from(builder, model);
    if (df > 0) {
        builder_fact_finite(builder, "likelihood_ratio", ratio);
        builder_fact_finite(builder, "likelihood_ratio_p_value", chi_square_upper(fmax(0, ratio), tested));
        builder_fact_finite(builder, "wald_p_value", chi_square_upper(wald, tested));
        builder_fact_finite(builder, "score_p_value", chi_square_upper(score, tested));
    }
    builder_fact_finite(builder, "aic", 2 * df - 2 * likelihood);
    builder_fact_finite(builder, "bic", log(model_fact(model, "events", NAN)) * df - 2 * likelihood);
    return model_build(builder);
}

static void put_test(TextBuffer *out, const char *name, double statistic, double df, double p)
{
    if (isnan(p))
        return;
    text_print(out, "%s %.6g on %.6g degrees of freedom, p ", name, statistic, df);
    report_p(out, p, 0);
    text_print(out, "\n");
}

static char *cox_summary(Env *env, const Model *model)
{
    TextBuffer out = {.env = env};
    const Model *facts = estimator_statistics(env, model);
    double df = model_fact(facts, "df_model", NAN);
    Coefficient *list;
    uint32_t count = cox_coefficients(env, model, &list);

    text_print(&out, "cox_regression: ");
    report_formula(&out, model, true);
    linear_put_equations(&out, list, count, count, "z");
    robust_put(&out, model);
    text_print(&out, "\n");
    report_rows(&out, model);
    text_print(&out, "events: %.0f", model_fact(facts, "events", NAN));
    if (!isnan(model_fact(facts, "concordance", NAN)))
        text_print(&out, ", concordance: %.4f", model_fact(facts, "concordance", NAN));
    text_print(&out, "\n");
    put_test(&out, "likelihood ratio test:", model_fact(facts, "likelihood_ratio", NAN), df, model_fact(facts, "likelihood_ratio_p_value", NAN));
    put_test(&out, "Wald test:", model_fact(facts, "wald_statistic", NAN), df, model_fact(facts, "wald_p_value", NAN));
    put_test(&out, "score test:", model_fact(facts, "score_statistic", NAN), df, model_fact(facts, "score_p_value", NAN));
    text_print(&out, "log-likelihood: %.6g, AIC: %.6g, BIC: %.6g", model_fact(facts, "log_likelihood", NAN), model_fact(facts, "aic", NAN),
               model_fact(facts, "bic", NAN));
    if (model_fact(facts, "converged", 1) == 0)
        text_print(&out, "\nnote: the fit has not converged");
    return out.text;
}

/* ---- tables ---- */

static void *open_ratios(Env *env, const Model *model, uint64_t *rows)
{
    Coefficient *list;

    *rows = cox_coefficients(env, model, &list);
    return list;
}

static bool ratio_row(Env *env, const Model *model, void *reader, uint64_t i, Cell *cells)
{
    const Coefficient *line = (const Coefficient *)reader + i;

    cell_string(&cells[0], line->term);
    cell_number(&cells[1], exp(line->estimate));
    cell_number(&cells[2], exp(line->conf_low));
    cell_number(&cells[3], exp(line->conf_high));
    cell_number(&cells[4], line->p_value);
    return true;
}

static const Table hazard_ratios = {.name = "hazard_ratios", .open = open_ratios, .row = ratio_row};

/* The arrays of the baseline, and the stratum of the row that was read last. */
typedef struct BaselineReader {
    const double *time, *hazard;
    const int64_t *end;
    const ModelEntry *strata; /* NULL: there are none */
    uint32_t stratum;
} BaselineReader;

static void *open_baseline(Env *env, const Model *model, uint64_t *rows)
{
    BaselineReader *reader = env_array(env, 1, sizeof(BaselineReader));
    uint32_t count, strata;

    reader->time = model_f64(model, "baseline_time", &count);
    reader->hazard = model_f64(model, "baseline_hazard", &count);
    reader->end = model_i64(model, "stratum_end", &strata);
    reader->strata = model_find(model, "stratum");
    *rows = count;
    return reader;
}

static bool baseline_row(Env *env, const Model *model, void *opened, uint64_t i, Cell *cells)
{
    BaselineReader *reader = opened;

    if (reader->strata != NULL) {
        while ((int64_t)i >= reader->end[reader->stratum])
            reader->stratum++;
        cell_text_of(&cells[0], model, reader->strata, reader->stratum);
    }
    cell_number(&cells[1], reader->time[i]);
    cell_number(&cells[2], reader->hazard[i]);
    cell_number(&cells[3], exp(-reader->hazard[i]));
    return true;
}

static const Table baseline_hazard = {.name = "baseline_hazard", .open = open_baseline, .row = baseline_row};

static const Table *const cox_tables[] = {&hazard_ratios, &baseline_hazard, &variance_inflation_table, NULL};

static const Scoring cox_scoring = {.predict = cox_predict, .predict_offset = cox_predict_offset, .survival = cox_survival, .influence = cox_influence, .explain = cox_explain};

const Estimator estimator_cox_regression = {
    .name = "cox_regression",
    .task = TASK_SURVIVAL,
    .input = INPUT_ROWS,
    .takes_offset = true,
    .null_model = true,
    .supervised = true,
    .options = OPTION_TABLES(options_common, option_level, cox_options),
    .help = "Proportional hazards: how features multiply the rate of an event, from times of which some are censored; the target is the time.",
    .source = "Cox 1972, Journal of the Royal Statistical Society B 34(2); Efron 1977, Journal of the American Statistical Association 72(359)",
    .fit = cox_fit,
    .arrays = cox_array_tables,
    .check = cox_check,
    .accept = linear_accept,
    .scoring = &cox_scoring,
    .coefficients = cox_coefficients,
    .tables = cox_tables,
    .to_sql = cox_to_sql,
    .summary = cox_summary,
    .statistics = cox_statistics,
};
