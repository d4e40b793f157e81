/*
 * linear_regression.c - ordinary (weighted) least squares, and the table standardized_coefficients: coefficients of terms and a target that
 * are divided by their standard deviations.
 *
 * Array: deviations F64[1 + columns], of option standardize: the standard deviation (divisor n) of the target, then those of the
 * columns that have a term (linear_view.h), 0 for other columns.
 */
#include "core/estimator/shared_options.h"
#include "core/inference/robust_model.h"
#include "core/linear/linear_bounded.h"
#include "core/linear/linear_robust.h"
#include "core/linear/linear_svd.h"
#include "core/linear_equations/term_search.h"
#include "core/linear_equations/variance_inflation.h"

static const char *const solutions[] = {"drop", "minimum_norm", NULL};

static const OptionSpec regression_options[] = {
    {.name = "decompose",
     .types = OPTION_BOOLEAN,
     .fallback = "false",
     .help = "Fit one slope per term separately, as if the terms were uncorrelated; there are no standard errors."},
    {.name = "intercept",
     .types = OPTION_BOOLEAN,
     .fallback = "true",
     .help = "Whether the equation has a constant; without one, r_squared compares with 0 instead of the mean."},
    {.name = "level",
     .types = OPTION_NUMBER,
     .fallback = "0.95",
     BETWEEN_ZERO_AND_ONE,
     .help = "Confidence level of the limits in coefficients() and predict_interval()."},
    {.name = "solution",
     .types = OPTION_STRING,
     .fallback = "\"drop\"",
     .choices = solutions,
     .help = "Where terms depend on each other: drop terms until the rest do not (drop), or of all solutions take the coefficients with the least sum of "
             "squares (minimum_norm), also with fewer rows than coefficients; it has no standard errors."},
    {.name = "standardize",
     .types = OPTION_BOOLEAN,
     .fallback = "false",
     .help = "Keep the standard deviations of the features and of the target for standardized_coefficients(model); the equation is the same either "
             "way."},
    {.name = NULL}};

/* ---- standardized coefficients ---- */

static const ArraySpec deviation_arrays[] = {{.name = "deviations",
                                        .type = ARRAY_F64,
                                        .presence = ARRAY_OPTIONAL,
                                        .values = VALUES_NONNEGATIVE,
                                        .rows = {SIZE_SLOTS, .other = SIZE_LEVELS, .plus = 1}}};

/* Adds the standard deviations of target and terms. */
static void add_deviations(ModelBuilder *builder, const LinearFit *fit)
{
    const Design *design = fit->design;
    uint32_t slots = design->schema->slot_count, columns = slots + dictionary_size(design->schema, DICTIONARY_LEVELS);
    double *deviations = env_array(fit->env, (size_t)columns + 1, sizeof(double));

    deviations[0] = linear_deviation(fit, design->terms);
    for (uint32_t t = 0; t < design->terms; t++)
        deviations[1 + linear_column(slots, FIT_TERMS(design), t)] = linear_deviation(fit, t);
    builder_f64(builder, SECTION_ARRAYS, "deviations", deviations, columns + 1);
}

/* A row of the table: a coefficient and what it is multiplied by. */
typedef struct StandardizedTerm {
    Coefficient coefficient;
    double factor; /* NaN: the target does not vary */
} StandardizedTerm;

static bool has_deviations(const Model *model)
{
    return model_find(model, "deviations") != NULL;
}

static void *open_standardized(Env *env, const Model *model, uint64_t *rows)
{
    uint32_t length = 0, count, terms_count, first;
    const double *deviations = model_f64(model, "deviations", &length);
    const LinearTerm *terms = linear_terms(env, model, &terms_count);
    StandardizedTerm *list;
    Coefficient *lines;

    count = linear_coefficients(env, model, &lines);
    first = count - terms_count; /* the intercept */
    list = env_array(env, (size_t)terms_count + 1, sizeof(StandardizedTerm));
    for (uint32_t t = 0; t < terms_count; t++)
        list[t] = (StandardizedTerm){lines[t + first], deviations[0] > 0 ? deviations[1 + terms[t].column] / deviations[0] : NAN};
    *rows = terms_count;
    return list;
}

static bool standardized_row(Env *env, const Model *model, void *reader, uint64_t i, Cell *cells)
{
    const StandardizedTerm *term = (const StandardizedTerm *)reader + i;

    cell_string(&cells[0], term->coefficient.term);
    cell_number(&cells[1], term->coefficient.estimate * term->factor);
    cell_number(&cells[2], term->coefficient.std_error * term->factor);
    cell_number(&cells[3], term->coefficient.conf_low * term->factor);
    cell_number(&cells[4], term->coefficient.conf_high * term->factor);
    return true;
}

static const Table standardized_coefficients = {.name = "standardized_coefficients",
                                                .has = has_deviations,
                                                .open = open_standardized,
                                                .row = standardized_row};

static const Table *const regression_tables[] = {&standardized_coefficients, &term_search_table, &variance_inflation_table, NULL};

/* ---- the fit ---- */

/* Returns which option asks for a fit without standard errors, as messages name it; NULL: none. Fails if two do, or if "vcov" asks for errors. */
static const char *without_errors(Env *env, const Options *options, const VcovPlan *vcov)
{
    const char *const asking[] = {options_boolean(options, "decompose") ? "\"decompose\"" : NULL,
                                  bounds_given(options) ? "a bound of the coefficients" : NULL,
                                  options_is(options, "solution", "minimum_norm") ? "\"solution\": \"minimum_norm\"" : NULL};
    const char *found = NULL;

    for (size_t i = 0; i < sizeof(asking) / sizeof(asking[0]); i++) {
        if (asking[i] != NULL && found != NULL)
            env_fail(env, ERROR_PARAMETER, "Leave one of the two out.", "%s does not go with %s", found, asking[i]);
        found = asking[i] != NULL ? asking[i] : found;
    }
    if (found != NULL && vcov->kind != VCOV_CLASSICAL)
        env_fail(env, ERROR_PARAMETER, "Leave one of the two out.", "%s gives no standard errors, so \"vcov\": \"%s\" means nothing", found, vcov_name(vcov->kind));
    return found;
}

static Model *regression_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options,
                             ModelBuilder *builder)
{
    bool intercept = options_boolean(options, "intercept");
    Design *design = moments_design(env, input->moments, intercept);
    VcovPlan vcov = vcov_plan(env, options);
    LinearRows rows = linear_rows(env, design, input->kept);
    Absorbed absorbed = linear_absorb(env, absorbed_columns(env, options, vcov.kind), design, &rows);
    LinearFit *fit = linear_begin(env, design, intercept);
    LinearSvd svd;
    uint32_t coefficients = fit->design->terms + fit->with_intercept;

    if (without_errors(env, options, &vcov) == NULL) {
        if (fit->design->rows < coefficients && too_few_rows_are_null(input, options))
            return NULL;
        if (fit->design->rows < coefficients)
            env_fail(env, ERROR_DATA,
                     "Use more rows or fewer features, or pgfit.ridge_regression, which shares the weight.",
                     "linear_regression needs at least as many rows as coefficients: %.0f row%s, %u coefficients",
                     fit->design->rows, fit->design->rows == 1 ? "" : "s", coefficients);
        linear_least_squares(fit);
        linear_robust(fit, &vcov, &rows, absorbed.df, builder);
    } else if (options_boolean(options, "decompose")) {
        linear_decompose(fit);
    } else if (bounds_given(options)) {
        linear_bounded(fit, options);
    } else {
        svd = linear_svd(fit, NULL);
        linear_svd_solve(fit, &svd, 0);
    }
    if (!options_boolean(options, "decompose"))
        linear_absorbed_add(builder, fit, &absorbed);
    if (options_boolean(options, "standardize"))
        add_deviations(builder, fit);
    return linear_finish(fit, builder);
}

static const ArrayTable regression_array_tables[] = ARRAY_TABLES(ARRAY_TABLE(linear_arrays), ARRAY_TABLE(linear_model_arrays),
                                                                 ARRAY_TABLE(deviation_arrays), ARRAY_TABLE(robust_arrays), FACT_TABLE(linear_facts),
                                                                 FACT_TABLE(robust_facts));

const Estimator estimator_linear_regression = {
    .name = "linear_regression",
    .task = TASK_REGRESSION,
    .input = INPUT_MOMENTS,
    .takes_offset = true,
    .several_targets = "multivariate_regression",
    .null_model = true,
    .supervised = true,
    .options = OPTION_TABLES(options_common, option_absorb, option_too_few_rows, options_vcov, options_bounds, regression_options),
    .help = "Least squares: the coefficients with the smallest sum of squared residuals.",
    .source = "Golub & Van Loan, Matrix Computations (QR); Chan, Golub & LeVeque 1983 (merging)",
    .fit = regression_fit,
    .arrays = regression_array_tables,
    .check = linear_equation_check,
    .accept = linear_accept,
    .scoring = &linear_scoring,
    .coefficients = linear_coefficients,
    .to_sql = linear_to_sql,
    .tables = regression_tables,
    .summary = linear_summary,
    .statistics = linear_statistics,
};
