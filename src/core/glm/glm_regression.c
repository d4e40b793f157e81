/*
 * glm_regression.c - generalized linear models: glm, and names that people look for, which are families of it with the log link.
 *
 * logistic_regression does not fit by this code: it has several classes, and solvers that are chosen by size and do not keep X'WX of many columns.
 * Here are all other families and links.
 */
#include "core/glm/glm_model.h"
#include "core/glm/glm_path.h"
#include "core/glm/glm_power.h"
#include "core/glm/glm_theta.h"
#include "core/glm/glm_zeros.h"

#include "core/estimator/shared_options.h"
#include "core/linalg/qr_factor.h"
#include "core/linear/robust_equation.h"
#include "core/linear_equations/linear_equations.h"
#include "core/linear_equations/warm_start.h"
#include "core/rows/special_columns.h"

#include <math.h>
#include <string.h>

#define LINK_HELP "The function of the mean that is linear in the features."

static const char *const lambda_words[] = {"path", "cv", NULL};

static const OptionSpec glm_options[] = {
    {.name = "lambda",
     .types = OPTION_NUMBER | OPTION_NUMBER_LIST | OPTION_STRING,
     .fallback = "0",
     FROM_ZERO,
     .choices = lambda_words,
     .help = "The strength of the penalty, which is added to half the deviance: a number, an array of numbers, \"path\" for a path of them, or "
             "\"cv\" for the one that cross-validation chooses."},
    {.name = "link", .types = OPTION_STRING, .fallback = "\"log\"", .choices = link_names, .help = LINK_HELP},
    {.name = "link_power",
     .types = OPTION_NUMBER,
     .unset = "none",
     .help = "Of link power: the score is this power of the mean, not 0."},
    OPTION_MAX_ITER("100", 1e6, "steps"),
    {.name = "start",
     .types = OPTION_MODEL,
     .unset = "from the targets",
     .help = "Start from this model of the same method, features, family and link (model::jsonb)."},
    OPTION_TOLERANCE("1e-10", "Stop when the next step would lower the deviance by less than the square of this share of it."),
    {.name = NULL}};

static const OptionSpec family_options[] = {
    {.name = "family",
     .types = OPTION_STRING,
     .fallback = "\"gaussian\"",
     .choices = glm_family_names,
     .help = "The distribution of the target around its mean."},
    {.name = "link", .types = OPTION_STRING, .choices = link_names, .unset = "that of the family", .help = LINK_HELP},
    {.name = NULL}};

static const OptionSpec theta_options[] = {
    {.name = "theta",
     .types = OPTION_NUMBER,
     ABOVE_ZERO,
     .unset = "estimated",
     .help = "Of family negative_binomial, whose variance is m + m^2 / theta for a mean m."},
    {.name = NULL}};

static const char *const power_words[] = {"profile", NULL};

static const OptionSpec power_options[] = {
    {.name = "power",
     .types = OPTION_NUMBER | OPTION_STRING,
     .unset = "1.5",
     .choices = power_words,
     .minimum = 1,
     .minimum_open = true,
     .maximum = 2,
     .maximum_open = true,
     .help = "Of family tweedie, whose variance is a power of the mean: near 1 like counts, near 2 like amounts; \"profile\": the one of "
             "greatest likelihood."},
    {.name = NULL}};

/* ---- the fit ---- */

typedef struct Fit {
    Env *env;
    GlmProblem problem;
    GlmSolution solution, null;
    GlmTheta theta; /* of family negative_binomial */
    bool estimated; /* theta is */
    GlmPower power; /* of family tweedie, */
    bool profiled;  /* if it is estimated */
    GlmZeros zeros;
    PenaltyPlan plan;
    PenaltyPath path;
    LinearEquations out;
    double n;       /* rows as counted */
    int64_t nonzero; /* coefficients */
    VcovPlan vcov;
    RowDesign *offsets; /* NULL: none */
} Fit;

/* Tells whether there is a penalty, at one lambda or at several. */
static bool penalized(const Fit *fit)
{
    return loss_penalized(&fit->plan.penalty);
}

/* Tells whether weights count rows, whose zeros are of interest. */
static bool counts_rows(const Fit *fit)
{
    return (rows_contents(fit->problem.rows->design->rows) & ROWS_WEIGHT) == 0 || fit->problem.frequency;
}

static void solve(Fit *fit)
{
    GlmProblem *problem = &fit->problem;
    bool negative_binomial = strcmp(problem->family->name, "negative_binomial") == 0;

    fit->estimated = negative_binomial && isnan(problem->parameter);
    if (fit->estimated)
        problem->family = glm_family_find("poisson");
    if ((fit->estimated || fit->profiled) && penalized(fit))
        env_fail(fit->env, ERROR_PARAMETER, "Give the number that a fit without a penalty has.", "a penalty of %s needs a number for option \"%s\": it is not estimated with one",
                 problem->method, fit->profiled ? "power" : "theta");
    problem->count_zeros = !fit->estimated && !penalized(fit) && counts_rows(fit) && glm_zeros_counted(problem->family);
    glm_begin(problem);
    fit->null = glm_solve_null(problem);
    fit->solution = penalized(fit) ? glm_solve_penalized(problem, &fit->null, &fit->plan, &fit->out, &fit->path) : glm_solve(problem, &fit->null);
    if (fit->estimated) {
        if (problem->rows->count == fit->null.at.count) /* they are one solution so far */
            fit->null = glm_solve_null(problem);
        fit->theta = glm_theta_estimate(problem, &fit->solution);
        glm_resolve(problem, &fit->null);
    } else if (negative_binomial) {
        fit->theta = glm_theta_given(problem, &fit->solution);
    } else if (fit->profiled) {
        if (problem->rows->count == fit->null.at.count)
            fit->null = glm_solve_null(problem);
        fit->power = glm_power_estimate(problem, &fit->solution);
        glm_resolve(problem, &fit->null);
    }
}

/* Counts the zeros, unless coefficients grow without bound. */
static void count_zeros(Fit *fit)
{
    fit->zeros = (GlmZeros){NAN, NAN, NAN};
    if (counts_rows(fit) && !fit->solution.at.extreme)
        fit->zeros = glm_zeros(&fit->problem, &fit->solution, fit->estimated ? fit->theta.std_error : NAN);
}

/* Tells whether the parameter of the family, if it is estimated, has converged. */
static bool parameter_converged(const Fit *fit)
{
    return (!fit->estimated || fit->theta.converged) && (!fit->profiled || fit->power.converged);
}

/* Tells whether some coefficients have no end: the fit stopped where means are at the end of their domain to all digits. */
static bool is_unbounded(const Fit *fit)
{
    return fit->solution.at.extreme || fit->solution.singular;
}

static void warn(const Fit *fit)
{
    const GlmSolution *solution = &fit->solution;
    const LinkFunction *link = fit->problem.link.function;
    const char *method = fit->problem.method, *ends = fit->problem.family->highest == 1 ? " or 1" : "";
    bool converged = solution->converged && parameter_converged(fit);

    if (solution->at.extreme && !link->growth && !link->bounded)
        env_warn(fit->env, ERROR_DATA, "Choose the default link of the family, or leave out the features that these rows have to themselves.",
                 "%s found means that are 0%s to all digits, where the domain of family %s ends: by the %s link its steps end there, before the maximum of the likelihood", method,
                 ends, fit->problem.family->name, link->name);
    else if (is_unbounded(fit))
        env_warn(fit->env, ERROR_DATA, "Drop the features that decide the target.",
                 "%s found means that are 0%s to all digits: some coefficients grow without bound", method, ends);
    else if (!converged)
        env_warn(fit->env, ERROR_DATA, "Raise \"max_iter\" or \"tolerance\".", "%s stopped after %lld step%s before it converged", method,
                 (long long)solution->iterations, solution->iterations == 1 ? "" : "s");
    else
        glm_zeros_warn(fit->env, fit->problem.family, method, &fit->zeros);
}

static void add_facts(const Fit *fit, ModelBuilder *builder)
{
    const GlmSolution *solution = &fit->solution;
    const GlmFamily *family = fit->problem.family;
    GlmSums sums = {fit->n, fit->problem.weight, fit->problem.constant, solution->at.deviance};

    builder_fact_bool(builder, "converged", solution->converged && !is_unbounded(fit) && parameter_converged(fit));
    builder_fact(builder, "deviance", solution->at.deviance);
    if (!penalized(fit))
        builder_fact(builder, "df_model", fit->problem.rows->terms);
    builder_fact_i64(builder, "iterations", solution->iterations);
    if (strcmp(family->name, "negative_binomial") == 0) {
        builder_fact_finite(builder, "log_likelihood", fit->theta.likelihood);
        builder_fact(builder, "theta", fit->problem.parameter);
        builder_fact_finite(builder, "theta_std_error", fit->theta.std_error);
    } else if (fit->profiled) {
        builder_fact_finite(builder, "log_likelihood", fit->power.likelihood);
        builder_fact(builder, "power", fit->power.power);
        builder_fact(builder, "power_dispersion", fit->power.dispersion);
    } else if (family->likelihood != NULL) {
        builder_fact_finite(builder, "log_likelihood", family->likelihood(&sums));
    }
    if (fit->null.converged)
        builder_fact_finite(builder, "null_deviance", fit->null.at.deviance);
    builder_fact(builder, "pearson", solution->at.pearson);
    glm_zeros_facts(&fit->zeros, builder);
    if (is_unbounded(fit))
        builder_fact_bool(builder, "separated", true);
    if (!penalized(fit))
        return;
    builder_fact(builder, "objective", glm_objective(&fit->problem, &solution->at) / 2);
    builder_fact(builder, "penalty", loss_penalty_of(&fit->plan.unit, fit->problem.rows, &fit->out));
    if (fit->plan.penalty.l1 > 0)
        builder_fact_i64(builder, "nonzero", fit->nonzero);
}

/* Sets the variance of a row, its residual and the ratio of both to those of the response. */
static void robust_row(const void *of, const DesignBlock *block, uint32_t i, double score, SandwichRow *row)
{
    const GlmProblem *problem = of;
    double mean, slope, variance, unused;

    glm_means(&problem->link, &score, 1, &mean, &slope);
    problem->family->tile(&block->targets[i], &mean, 1, problem->parameter, &variance, &unused);
    row->ratio = slope / variance;
    row->variance = slope * row->ratio;
    row->residual = (block->targets[i] - mean) * row->ratio;
}

/* Sets the covariance, unless no degrees of freedom are left, the curvature is singular, or the likelihood has no maximum. */
static void add_errors(const Fit *fit, LinearEquations *out, ModelBuilder *builder)
{
    Env *env = fit->env;
    const StandardizedRows *rows = fit->problem.rows;
    uint32_t count = rows->count, all = rows->design->terms + rows->intercept;
    double dispersion = fit->problem.family->fixed ? 1 : fit->solution.at.pearson / (fit->n - count), *inverse, *packed;

    if (count == 0 || fit->solution.factor == NULL || is_unbounded(fit) || !(fit->n > count || (fit->problem.family->fixed && fit->vcov.kind == VCOV_CLASSICAL)))
        return;
    if (fit->vcov.kind != VCOV_CLASSICAL) {
        out->covariance = robust_equation(&(RobustEquation){.plan = &fit->vcov, .rows = rows, .offsets = fit->offsets, .theta = fit->solution.at.theta,
                                                            .bounded = fit->problem.family->highest == 1, .model = robust_row, .of = &fit->problem}, builder);
        return;
    }
    inverse = glm_inverse(env, fit->solution.factor, count, dispersion);
    packed = env_array(env, factor_packed(all) + 1, sizeof(double));
    if (linear_rows_covariance(rows, inverse, count, packed))
        out->covariance = packed;
}

/* Returns the coefficients in option "start"; NULL: it is not given. Fails if its model has other features, or another family or link. */
static const double *read_start(const GlmProblem *problem, const Estimator *self, const Options *options)
{
    Env *env = problem->env;
    const StandardizedRows *rows = problem->rows;
    const Model *start = start_model(env, options, self);
    const char *difference;
    const GlmFamily *family;
    Link link;
    double *theta;

    if (start == NULL)
        return NULL;
    difference = schema_difference(env, rows_schema(rows->design->rows), start);
    if (difference != NULL)
        env_fail(env, ERROR_PARAMETER, "The model and the rows must have the same features.", "option \"start\" of %s does not fit these rows: %s", self->name,
                 difference);
    family = glm_family_of(self, estimator_options(env, self, start));
    link = link_of_model(start);
    if (family != problem->family || !link_same(&link, &problem->link))
        env_fail(env, ERROR_PARAMETER, "Give the same options as the model was fitted with.",
                 "option \"start\" of %s is a model of family %s with link %s, not of family %s with link %s", self->name, family->name, link.function->name,
                 problem->family->name, problem->link.function->name);
    theta = env_array(env, (size_t)rows->count + 1, sizeof(double));
    warm_start_standardized(rows, start, 0, theta);
    return theta;
}

static Model *glm_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options, ModelBuilder *builder)
{
    bool intercept = options_boolean(options, "intercept");
    RowDesign *design = row_design(env, input->rows, intercept ? DESIGN_INTERCEPT : DESIGN_NO_INTERCEPT, self->name);
    const Model *schema = rows_schema(input->rows);
    Link link = glm_link_of(env, self, options);
    int64_t *position = env_array(env, 1, sizeof(int64_t));
    Fit fit = {.env = env, .n = model_counted_rows(schema), .profiled = options_has(options, "power") && options_is(options, "power", "profile"),
               .plan = penalty_plan_read(env, options, self->name), .vcov = vcov_plan(env, options)};
    StandardizedRows *rows = standardized_rows(env, design, intercept, NULL, penalized(&fit) ? ROWS_SCALES : ROWS_INDEPENDENT, self->name);

    fit.problem = (GlmProblem){.env = env,
                               .rows = rows,
                               .family = glm_family_of(self, options),
                               .link = link,
                               .frequency = (schema->flags & MODEL_FREQUENCY) != 0,
                               .method = self->name,
                               .tolerance = fit.plan.tolerance,
                               .max_iter = fit.plan.max_iter};
    fit.problem.parameter = glm_parameter_of(env, self, options);
    fit.problem.given = read_start(&fit.problem, self, options);
    if (input->offsets != NULL) {
        fit.offsets = row_design(env, input->offsets, DESIGN_SLOTS, self->name);
        standardized_offsets(rows, fit.offsets, false);
        fit.problem.offset_rows = input->offsets;
    }
    if (penalized(&fit) && fit.vcov.kind != VCOV_CLASSICAL)
        env_fail(env, ERROR_PARAMETER, "Leave \"vcov\" or the other option out.", "\"vcov\": \"%s\" of %s does not go with this fit: a penalty makes standard errors meaningless",
                 vcov_name(fit.vcov.kind), self->name);
    fit.out = linear_rows_equations(rows, 1);
    if (!penalized(&fit))
        linear_equations_drop(&fit.out, rows->dropped, NULL, "Leave them out, or add rows.", builder);
    solve(&fit);
    count_zeros(&fit);
    fit.nonzero = linear_rows_set(&fit.out, rows, 0, fit.solution.at.theta, self->name, GLM_RANGE_HINT);
    add_errors(&fit, &fit.out, builder);
    warn(&fit);
    add_facts(&fit, builder);
    penalty_path_add(&fit.path, &fit.out, builder);
    link_add(builder, &link, position);
    linear_equations_add(builder, &fit.out);
    return model_build(builder);
}

/* ---- descriptors ---- */

/* What all have in common. */
#define GLM                                                                                                            \
    .task = TASK_REGRESSION, .input = INPUT_ROWS, .takes_offset = true, .null_model = true, .supervised = true,        \
    .fit = glm_fit, .arrays = glm_array_tables, .check = glm_check, .accept = linear_accept, .scoring = &glm_scoring,  \
    .coefficients = glm_coefficients, .test_df = glm_test_df, .tables = glm_tables, .to_sql = glm_to_sql, .summary = glm_summary,              \
    .statistics = glm_statistics
#define GLM_TABLES options_common, options_vcov, option_intercept, options_linear_penalty, option_path, options_penalty, options_folds, option_select, glm_options
#define GLM_SOURCE "Nelder & Wedderburn 1972, JRSS A 135(3); McCullagh & Nelder, Generalized Linear Models"

const Estimator estimator_glm = {
    .name = "glm",
    GLM,
    .options = OPTION_TABLES(GLM_TABLES, theta_options, power_options, family_options),
    .help = "A generalized linear model: a function of the mean is linear in the features, and the target has one of nine distributions around it.",
    .source = GLM_SOURCE,
};

const Estimator estimator_poisson_regression = {
    .name = "poisson_regression",
    GLM,
    .options = OPTION_TABLES(GLM_TABLES),
    .help = "A linear equation for the logarithm of the mean of counts, or of rates with an offset.",
    .source = GLM_SOURCE,
};

const Estimator estimator_gamma_regression = {
    .name = "gamma_regression",
    GLM,
    .options = OPTION_TABLES(GLM_TABLES),
    .help = "A linear equation for the logarithm of the mean of amounts above 0, whose standard deviation grows with their mean.",
    .source = GLM_SOURCE,
};

const Estimator estimator_negative_binomial_regression = {
    .name = "negative_binomial_regression",
    GLM,
    .options = OPTION_TABLES(GLM_TABLES, theta_options),
    .help = "Poisson regression for counts that vary more than Poisson's.",
    .source = "Lawless 1987, Canadian Journal of Statistics 15(3); Venables & Ripley, Modern Applied Statistics with S",
};

const Estimator estimator_tweedie_regression = {
    .name = "tweedie_regression",
    GLM,
    .options = OPTION_TABLES(GLM_TABLES, power_options),
    .help = "A linear equation for the logarithm of the mean of amounts of which many are 0, such as claims.",
    .source = "Jorgensen 1987, JRSS B 49(2); Dunn & Smyth, Generalized Linear Models With Examples in R",
};
