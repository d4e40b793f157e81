/*
 * huber_regression.c - a linear equation that minimizes Huber's loss, squares of small residuals and sizes of large ones (Huber 1964, 1981).
 *
 * The same estimate as rlm of R's MASS, which stops earlier.
 */
#include "core/estimator/shared_options.h"
#include "core/robust/m_solver.h"
#include "core/linear_equations/linear_classifier.h"
#include "core/linear_equations/linear_model.h"
#include "core/linear_equations/variance_inflation.h"

static const char *const scale_choices[] = {"mad", "proposal2", NULL};

static const OptionSpec huber_options[] = {
    {.name = "intercept", .types = OPTION_BOOLEAN, .fallback = "true", .help = "Whether the equation has a constant."},
    OPTION_MAX_ITER("500", 1e6, "steps"),
    {.name = "scale",
     .types = OPTION_STRING,
     .fallback = "\"mad\"",
     .choices = scale_choices,
     .help = "The scale of the residuals: their median absolute value / 0.6745 (mad), or Huber's proposal 2 (proposal2)."},
    OPTION_TOLERANCE("1e-10", "Stop when a step moves the predictions by at most this times the scale, in the mean square."),
    {.name = "tuning",
     .types = OPTION_NUMBER,
     .fallback = "1.345",
     .minimum = 0.1, /* below, it is a median regression by the wrong algorithm */
     .maximum = INFINITY,
     .maximum_open = true,
     .help = "Residuals above tuning times the scale lose weight; 1.345 is 95 % efficient for normal errors."},
    {.name = NULL}};

static Model *huber_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options, ModelBuilder *builder)
{
    bool intercept = options_boolean(options, "intercept");
    RowDesign *design = row_design(env, input->rows, intercept ? DESIGN_INTERCEPT : DESIGN_NO_INTERCEPT, self->name);
    MSolver *solver = m_solver(standardized_rows(env, design, intercept, NULL, ROWS_INDEPENDENT, self->name), self->name);
    MLoss loss = {.k = options_number(options, "tuning")};

    m_least_squares(solver);
    m_solve(solver, loss, options_is(options, "scale", "mad") ? SCALE_MAD : SCALE_PROPOSAL2, options_number(options, "tolerance"),
            options_integer(options, "max_iter"));
    return m_model(solver, loss, builder);
}

static const ArraySpec huber_facts[] = {M_FACTS};

static const ArrayTable huber_array_tables[] = ARRAY_TABLES(ARRAY_TABLE(linear_arrays), FACT_TABLE(huber_facts));

static const Scoring huber_scoring = {.predict = linear_equation_score, .explain = linear_classifier_explain};

const Estimator estimator_huber_regression = {
    .name = "huber_regression",
    .task = TASK_REGRESSION,
    .input = INPUT_ROWS,
    .takes_offset = true,
    .null_model = true,
    .supervised = true,
    .options = OPTION_TABLES(options_common, option_level, huber_options),
    .help = "A linear equation by Huber's M-estimate: outliers of the target count less.",
    .source = "Huber 1964, Annals of Mathematical Statistics 35(1); Huber 1981, Robust Statistics, chapter 7",
    .fit = huber_fit,
    .arrays = huber_array_tables,
    .check = linear_equation_check,
    .accept = linear_accept,
    .scoring = &huber_scoring,
    .coefficients = linear_coefficients,
    .tables = inflation_tables,
    .to_sql = linear_to_sql,
    .summary = m_summary,
    .statistics = m_statistics,
};
