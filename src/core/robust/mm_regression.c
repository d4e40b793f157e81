/*
 * mm_regression.c - a linear equation by Yohai's MM-estimate (1987, Annals of Statistics 15(2)): the scale of an S-estimate, which half of the
 * rows cannot carry away, then a bisquare M-estimate with that scale, which is efficient.
 *
 * The optimum is that of lmrob of R's robustbase, the standard errors are those of MASS: summary(rlm(method = "MM"), method = "XtWX").
 */
#include "core/estimator/shared_options.h"
#include "core/robust/s_search.h"
#include "core/linear_equations/linear_classifier.h"
#include "core/linear_equations/linear_model.h"
#include "core/linear_equations/variance_inflation.h"

#define S_BISQUARE 1.54764 /* half of the rows may be anywhere, and the scale of normal errors is their standard deviation */

static const OptionSpec mm_options[] = {
    {.name = "intercept", .types = OPTION_BOOLEAN, .fallback = "true", .help = "Whether the equation has a constant."},
    OPTION_MAX_ITER("500", 1e6, "steps of each stage"),
    {.name = "n_init",
     .types = OPTION_INTEGER,
     .fallback = "500",
     .minimum = 1,
     .maximum = 1000000,
     .help = "How many equations through random rows are tried as a start."},
    OPTION_TOLERANCE("1e-10", "Stop when a step moves the predictions by at most this times the scale, in the mean square."),
    {.name = "tuning",
     .types = OPTION_NUMBER,
     .fallback = "4.685061",
     .minimum = S_BISQUARE,
     .maximum = INFINITY,
     .maximum_open = true,
     .help = "Residuals above tuning times the scale do not count; 4.685061 is 95 % efficient for normal errors."},
    {.name = NULL}};

static Model *mm_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options, ModelBuilder *builder)
{
    bool intercept = options_boolean(options, "intercept"), converged = true;
    RowDesign *design = row_design(env, input->rows, intercept ? DESIGN_INTERCEPT : DESIGN_NO_INTERCEPT, self->name);
    MSolver *solver = m_solver(standardized_rows(env, design, intercept, NULL, ROWS_INDEPENDENT, self->name), self->name);
    MLoss loss = {.bisquare = true, .k = options_number(options, "tuning")};
    double tolerance = options_number(options, "tolerance");
    int64_t max_iter = options_integer(options, "max_iter");

    m_least_squares(solver);
    /* the scale is least at the S-estimate, so an error of the equation is squared in it */
    if (!solver->singular && solver->weight > solver->width && m_start_scale(solver) > 0)
        converged = s_search(solver, S_BISQUARE, (uint32_t)options_integer(options, "n_init"), (uint64_t)options_integer(options, "seed"), 0.1 * sqrt(tolerance), max_iter);
    if (!converged)
        env_warn(env, ERROR_DATA, "Raise \"max_iter\" or \"tolerance\".", "the S-estimate that %s starts from has not converged after %lld step%s", self->name,
                 (long long)max_iter, max_iter == 1 ? "" : "s");
    m_solve(solver, loss, SCALE_FIXED, tolerance, max_iter);
    return m_model(solver, loss, builder);
}

static const ArraySpec mm_facts[] = {M_FACTS};

static const ArrayTable mm_array_tables[] = ARRAY_TABLES(ARRAY_TABLE(linear_arrays), FACT_TABLE(mm_facts));

static const Scoring mm_scoring = {.predict = linear_equation_score, .explain = linear_classifier_explain};

const Estimator estimator_mm_regression = {
    .name = "mm_regression",
    .task = TASK_REGRESSION,
    .input = INPUT_ROWS,
    .takes_offset = true,
    .null_model = true,
    .supervised = true,
    .options = OPTION_TABLES(options_common, option_level, option_seed, mm_options),
    .help = "A linear equation by Yohai's MM-estimate: up to half of the rows may be outliers, in target and features.",
    .source = "Yohai 1987, Annals of Statistics 15(2); Salibian-Barrera & Yohai 2006, Journal of Computational and Graphical Statistics 15(2)",
    .fit = mm_fit,
    .arrays = mm_array_tables,
    .check = linear_equation_check,
    .accept = linear_accept,
    .scoring = &mm_scoring,
    .coefficients = linear_coefficients,
    .tables = inflation_tables,
    .to_sql = linear_to_sql,
    .summary = m_summary,
    .statistics = m_statistics,
};
