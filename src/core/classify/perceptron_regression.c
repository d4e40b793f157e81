/*
 * perceptron_regression.c - a linear equation learned row by row, in the order of the rows.
 *
 * Each row x with target y makes the step w += rate (y - w.x) x of least mean squares (Widrow & Hoff 1960), in
 * homogeneous coordinates. Update "squared" is the step as printed by Flach (2012), Algorithm 7.3: w += rate (y -
 * w.x)^2 x. It only moves one way and overflows after some passes.
 */
#include "core/classify/perceptron.h"
#include "core/classify/linear_classifier.h"
#include "core/classify/warm_start.h"
#include "core/classify/row_standardize.h"

#include <math.h>
#include <string.h>

static const char *const update_choices[] = {"lms", "squared", NULL};

static const OptionSpec regression_options[] = {
    {.name = "intercept",
     .types = OPTION_BOOLEAN,
     .fallback = "true",
     .help = "Whether the equation has a constant: a feature that is always 1."},
    {.name = "learning_rate",
     .types = OPTION_NUMBER,
     .fallback = "0.01",
     .minimum = 0,
     .maximum = 1,
     .minimum_open = true,
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

typedef struct Regression {
    Env *env;
    RowDesign *design;
    DesignReader *reader;
    RowScaling *scaling; /* NULL: rows are not scaled */
    uint32_t terms;
    double rate, w0, *w;
    uint8_t *frozen; /* [terms] NULL: none */
    bool intercept, squared;
    double residuals; /* sum of squared residuals of the last pass, each before its step */
} Regression;

static void pass(Regression *r)
{
    DesignBlock block;

    r->residuals = 0;
    design_rewind(r->reader);
    while (design_next_block(r->reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            const double *x = row_scaled(r->scaling, block.x + (size_t)i * r->terms);
            double residual = block.targets[i] - (r->w0 + row_product(r->w, x, r->terms));
            double weight = row_weight(block.weights, i);
            double length = r->rate * weight * (r->squared ? residual * residual : residual);

            r->residuals += weight * residual * residual;
            row_step(r->w, length, x, r->terms);
            if (r->intercept)
                r->w0 += length;
            for (uint32_t t = 0; r->frozen != NULL && t < r->terms; t++)
                if (r->frozen[t])
                    r->w[t] = 0;
        }
}

static void require_finite(const Regression *r, int64_t iterations)
{
    double finite = r->w0 * 0.0 + r->residuals * 0.0;

    for (uint32_t t = 0; t < r->terms; t++)
        finite += r->w[t] * 0.0;
    if (finite != 0)
        env_fail(r->env, ERROR_RANGE,
                 r->squared ? "Lower \"learning_rate\" or \"max_iter\": squared residuals only ever push one way."
                            : "Lower \"learning_rate\", or give \"standardize\": true.",
                 "perceptron_regression diverged: the coefficients exceed the range of double precision in pass %lld",
                 (long long)iterations);
}

static Model *regression_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options,
                             ModelBuilder *builder)
{
    Rows *rows = input->rows;
    Regression r = {.env = env};
    int64_t iterations = 0, max_iter = options_integer(options, "max_iter");
    double tolerance = options_number(options, "tolerance");
    WarmStart start;
    LinearEquations out;
    Model *model;

    r.intercept = options_boolean(options, "intercept");
    r.rate = options_number(options, "learning_rate");
    r.squared = options_is(options, "update", "squared");
    start = warm_start(env, self, input, options, &builder);
    r.design = row_design(env, rows, warm_start_mode(&start, r.intercept), "perceptron_regression");
    r.terms = r.design->terms;
    r.frozen = warm_start_frozen(&start, r.design);
    r.scaling = row_standardize(r.design, options, r.intercept, "perceptron_regression");
    r.reader = design_reader(r.design);
    r.w = env_array(env, (size_t)r.terms + 1, sizeof(double));
    if (start.model != NULL)
        r.w0 = warm_start_terms(&start, 0, r.design, r.w);
    do {
        pass(&r);
        iterations++;
        require_finite(&r, iterations);
        env->progress(env, "perceptron regression", (uint64_t)iterations, (uint64_t)max_iter, r.residuals);
    } while (iterations < max_iter && !(r.residuals <= tolerance));
    design_reader_free(r.reader);
    if (tolerance > 0 && r.residuals > tolerance)
        env_warn(env, ERROR_DATA, "Raise \"max_iter\", \"learning_rate\" or \"tolerance\".",
                 "perceptron_regression stopped after %lld passes with squared residuals of %g, more than %g",
                 (long long)iterations, r.residuals, tolerance);

    out = linear_equations(env, rows_schema(rows), 1);
    linear_equations_references(&out, FIT_TERMS(r.design));
    if (start.model != NULL)
        warm_start_columns(&start, 0, &out);
    if (r.intercept)
        out.offset = env_array(env, 1, sizeof(double));
    row_standardize_store(r.scaling, r.design, &out, 0, r.w, r.intercept ? &r.w0 : NULL);
    builder_fact_i64(builder, "iterations", iterations);
    if (tolerance > 0)
        builder_fact_bool(builder, "converged", r.residuals <= tolerance);
    builder_fact(builder, "running_rss", r.residuals);
    linear_equations_add(env, builder, &out);
    model = model_build(builder);
    warm_start_end(&start, rows);
    return model;
}

static const ArrayTable regression_array_tables[] = ARRAY_TABLES(ARRAY_TABLE(linear_arrays));

static const Scoring regression_scoring = {.predict = linear_equation_score, .explain = linear_classifier_explain};

const Estimator estimator_perceptron_regression = {
    .name = "perceptron_regression",
    .task = TASK_REGRESSION,
    .input = INPUT_ROWS,
    .supervised = true,
    .options = OPTION_TABLES(options_common, option_standardize_rows, option_start, regression_options),
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
