/*
 * perceptron_regression.c - a linear equation learned row by row, in the order of the rows.
 *
 * Each row x with target y makes the step w += rate (y - w.x) x of least mean squares (Widrow & Hoff 1960), in
 * homogeneous coordinates. Update "squared" is the step as printed by Flach (2012), Algorithm 7.3: w += rate (y -
 * w.x)^2 x. It only moves one way and overflows after some passes.
 */
#include "core/base/all_finite.h"
#include "core/classify/row_learner.h"

#include <math.h>

static const char *const update_choices[] = {"lms", "squared", NULL};

static const OptionSpec regression_options[] = {
    {.name = "learning_rate",
     .types = OPTION_NUMBER,
     .fallback = "0.01",
     ABOVE_ZERO_TO_ONE,
     .help = "Factor of each step, residual times row; if it is too large, the fit diverges."},
    {.name = "max_iter",
     .types = OPTION_INTEGER,
     .fallback = "100",
     .minimum = 1,
     .maximum = 1000000000,
     .help = "Maximum number of passes over the rows."},
    {.name = "tolerance",
     .types = OPTION_NUMBER,
     .fallback = "0",
     FROM_ZERO,
     .help = "Stop after a pass whose squared residuals add up to at most this; 0: after max_iter passes."},
    {.name = "update",
     .types = OPTION_STRING,
     .fallback = "\"lms\"",
     .choices = update_choices,
     .help = "Whether a step is proportional to the residual (lms, least mean squares) or to its square, as printed "
             "by Flach."},
    {.name = NULL}};

/* Makes a pass over the rows and returns the sum of squared residuals, each before its step. */
static double pass(RowLearner *learner, bool squared)
{
    DesignBlock block;
    double sum = 0;

    design_rewind(learner->reader);
    while (design_next_block(learner->reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            const double *x = row_learner_row(learner, &block, i);
            double residual = block.targets[i] - row_learner_score(learner, x);
            double weight = row_weight(block.weights, i);

            sum += weight * residual * residual;
            row_learner_step(learner, learner->rate * weight * (squared ? residual * residual : residual), x);
        }
    return sum;
}

static void require_finite(const RowLearner *learner, bool squared, double residuals, int64_t iterations)
{
    if (!isfinite(learner->w0) || !isfinite(residuals) || !all_finite(learner->w, learner->terms))
        env_fail(learner->env, ERROR_RANGE,
                 squared ? "Lower \"learning_rate\" or \"max_iter\": squared residuals only ever push one way."
                         : "Lower \"learning_rate\", or give \"standardize\": true.",
                 "perceptron_regression diverged: the coefficients exceed the range of double precision in pass %lld",
                 (long long)iterations);
}

static Model *regression_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options,
                             ModelBuilder *builder)
{
    RowLearner learner = row_learner(env, self, input, options, &builder);
    int64_t iterations = 0, max_iter = options_integer(options, "max_iter");
    bool squared = options_is(options, "update", "squared");
    double tolerance = options_number(options, "tolerance"), residuals;
    LinearEquations out;

    row_learner_open(&learner);
    row_learner_reset(&learner, 0);
    do {
        residuals = pass(&learner, squared);
        iterations++;
        require_finite(&learner, squared, residuals, iterations);
        env->progress(env, "perceptron regression", (uint64_t)iterations, (uint64_t)max_iter, residuals);
    } while (iterations < max_iter && !(residuals <= tolerance));
    if (tolerance > 0 && residuals > tolerance)
        env_warn(env, ERROR_DATA, "Raise \"max_iter\", \"learning_rate\" or \"tolerance\".",
                 "perceptron_regression stopped after %lld pass%s with squared residuals of %g, more than %g",
                 (long long)iterations, iterations == 1 ? "" : "es", residuals, tolerance);

    out = row_learner_equations(&learner, 1);
    row_learner_store(&learner, 0, &out);
    builder_fact_i64(builder, "iterations", iterations);
    if (tolerance > 0)
        builder_fact_bool(builder, "converged", residuals <= tolerance);
    builder_fact(builder, "running_rss", residuals);
    return row_learner_finish(&learner, &out, builder);
}

static const ArraySpec regression_facts[] = {
    FACT("converged", ARRAY_BOOL), FACT("iterations", ARRAY_I64), FACT("running_rss", ARRAY_F64)};

static const ArrayTable regression_array_tables[] = ARRAY_TABLES(ARRAY_TABLE(linear_arrays), FACT_TABLE(regression_facts));

static const Scoring regression_scoring = {.predict = linear_equation_score, .explain = linear_classifier_explain};

const Estimator estimator_perceptron_regression = {
    .name = "perceptron_regression",
    .task = TASK_REGRESSION,
    .input = INPUT_ROWS,
    .supervised = true,
    .by_scale = true,
    .options = OPTION_TABLES(options_common, options_row_learner, regression_options),
    .help = "A linear equation learned row by row, in the order of the rows (ORDER BY inside the call).",
    .source = "Widrow & Hoff 1960; Flach 2012, Algorithm 7.3",
    .fit = regression_fit,
    .arrays = regression_array_tables,
    .check = linear_equation_check,
    .accept = linear_accept,
    .scoring = &regression_scoring,
    .coefficients = linear_classifier_coefficients,
    .to_sql = linear_classifier_to_sql,
    .summary = linear_classifier_summary,
};
