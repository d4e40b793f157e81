/*
 * logistic_regression.c - probabilities of classes from a linear score: two classes or several.
 *
 * Maximum likelihood (Cox 1958) or, with a penalty, its regularized form (Friedman, Hastie & Tibshirani 2010).
 * Several classes share one softmax model (multinomial). Without a penalty the first class is the reference, with
 * score 0. With a penalty every class has an equation, and the penalty makes the coefficients add up to 0.
 */
#include "core/base/bytes.h"
#include "core/estimator/shared_options.h"
#include "core/linalg/qr_factor.h"
#include "core/linear/robust_equation.h"
#include "core/linear_equations/linear_classifier.h"
#include "core/linear_equations/linear_influence.h"
#include "core/linear_equations/linear_path_model.h"
#include "core/linear_equations/warm_start.h"
#include "core/rows/special_columns.h"
#include "core/logistic/logistic_fit.h"
#include "core/logistic/logistic_model.h"
#include "core/logistic/logistic_path.h"
#include "core/logistic/logistic_quadratic.h"

#include <math.h>
#include <string.h>

static const char *const strategies[] = {"multinomial", "ovr", "ovo", "ecoc", NULL};

static const OptionSpec logistic_options[] = {
    OPTION_MAX_ITER("1000", 1e9, "steps"),
    {.name = "multiclass",
     .types = OPTION_STRING,
     .fallback = "\"multinomial\"",
     .choices = strategies,
     .help = "How several classes are handled: by one model of all classes (multinomial), or by binary problems: "
             "each class against the others (ovr), pairs of classes (ovo), or output codes (ecoc)."},
    {.name = "start",
     .types = OPTION_MODEL,
     .unset = "coefficients of 0",
     .help = "Start from this logistic_regression of the same features and classes."},
    OPTION_TOLERANCE("1e-10", "Stop when the next step would lower the objective by less than this per row of mean weight."),
    {.name = NULL}};

typedef struct Fit {
    Env *env;
    PenaltyPlan plan;
    RowDesign *design;
    ClassSet classes;
    ClassRule rule;
    CodeBook *book;
    LogisticProblem problem;
    LogisticSolver *solver;
    LinearEquations out;
    VcovPlan vcov;
    ModelBuilder *builder;
    bool tests; /* the model gets standard errors: there is neither a penalty nor class weights */
    const Model *start;
    int64_t iterations, nonzero;
    double objective, loss, null_loss;
    uint32_t unconverged, separated; /* binary problems that did not converge, and separated ones among them */
} Fit;

/* ---- results ---- */

/* Copies one equation of a solution to the model's columns. */
static void store_equation(Fit *fit, uint32_t equation, const double *theta)
{
    fit->nonzero += linear_rows_set(&fit->out, fit->problem.rows, equation, theta, "logistic_regression", "Multiply the features by a large number.");
}

/* ---- the start ---- */

static void __attribute__((noreturn)) fail_start(const Fit *fit, const char *why)
{
    env_fail(fit->env, ERROR_PARAMETER, "Omit \"start\", or pass a model fitted to the same features and classes.",
             "option \"start\" needs a logistic_regression of the same features, classes and strategy: %s", why);
}

/* Tells whether the start has the same classes. */
static bool same_classes(const Fit *fit, const Model *start)
{
    if (dictionary_size(start, DICTIONARY_CLASSES) != fit->classes.count)
        return false;
    for (uint32_t c = 0; c < fit->classes.count; c++) {
        const char *label = class_label(&fit->classes, c), *text;
        uint32_t length;

        text = dictionary_text(start, DICTIONARY_CLASSES, c, &length);
        if (bytes_compare(label, strlen(label), text, length) != 0)
            return false;
    }
    return true;
}

/* Reads option "start"; fails if the model does not fit the rows and options. */
static void read_start(Fit *fit, const Estimator *self, bool softmax, uint32_t equations)
{
    const Model *schema = rows_schema(fit->design->rows);
    const char *difference;
    LinearView view;

    fit->start = start_model(fit->env, fit->plan.options, self);
    if (fit->start == NULL)
        return;
    difference = schema_difference(fit->env, schema, fit->start);
    if (difference != NULL)
        fail_start(fit, difference);
    if (!same_classes(fit, fit->start))
        fail_start(fit, "the classes differ");
    linear_view(fit->start, &view);
    if (view.equations != equations || (view.link == LINK_SOFTMAX) != softmax ||
        (fit->classes.count == 2 && class_rule_of(fit->start).positive != fit->rule.positive))
        fail_start(fit, "its strategy or positive class differs");
}

/* ---- binary problems ---- */

/* Adds up the results of binary problems. */
static void add_result(Fit *fit, const LogisticSolution *solution)
{
    fit->iterations = solution->iterations > fit->iterations ? solution->iterations : fit->iterations;
    fit->objective += solution->objective;
    fit->loss += solution->loss;
    fit->null_loss += solution->null_loss;
    fit->unconverged += !solution->converged;
    fit->separated += solution->separated;
}

/* Sets the variance of a row and its residual: 1 / (1 + exp(s)) of the class that the row has, without cancellation. */
static void robust_row(const void *of, const DesignBlock *block, uint32_t i, double score, SandwichRow *row)
{
    const int8_t *signs = of;
    double small = exp(-fabs(score));
    bool positive = signs[block->classes[i]] > 0;

    row->variance = small / ((1 + small) * (1 + small));
    row->residual = (positive ? 1 : -1) * ((positive ? score : -score) >= 0 ? small : 1) / (1 + small);
    row->ratio = 1;
}

/*
 * Adds the covariance of the only equation, or the standard errors of softmax, from the curvature at the solution; neither
 * if it is singular or a number is out of range.
 */
static void add_errors(Fit *fit, const LogisticSolution *solution)
{
    Env *env = fit->env;
    const StandardizedRows *rows = fit->problem.rows;
    uint32_t first = rows->intercept, columns = fit->out.slots + fit->out.levels, size, fixed;
    double *inverse, *packed, *errors;

    if (solution->hessian == NULL || solution->separated)
        return;
    if (fit->vcov.kind != VCOV_CLASSICAL) {
        fit->out.covariance = robust_equation(&(RobustEquation){.plan = &fit->vcov, .rows = rows, .theta = solution->theta, .bounded = true,
                                                                .model = robust_row, .of = fit->problem.signs}, fit->builder);
        return;
    }
    size = fit->problem.equations * rows->count;
    fixed = fit->problem.classes - fit->problem.equations;
    inverse = logistic_inverse(env, solution->hessian, size);
    if (inverse == NULL)
        return;
    packed = env_array(env, factor_packed((size_t)fit->design->terms + first) + 1, sizeof(double));
    if (!fit->problem.softmax) {
        if (linear_rows_covariance(rows, inverse, size, packed))
            fit->out.covariance = packed;
        return;
    }
    errors = env_array(env, (size_t)fit->out.equations, ((size_t)columns + 1) * sizeof(double));
    for (uint32_t e = 0; e < fit->problem.equations; e++) {
        double *own = errors + (size_t)(e + fixed) * (columns + 1);

        if (!linear_rows_covariance(rows, inverse + (size_t)e * rows->count * (size + 1), size, packed))
            return;
        if (first)
            own[0] = sqrt(fmax(0, packed[0]));
        for (uint32_t t = 0; t < fit->design->terms; t++)
            own[1 + linear_column(fit->out.slots, fit->out.terms, t)] =
                sqrt(fmax(0, packed[factor_packed(t + first) + t + first]));
    }
    fit->out.errors = errors;
}

static void fit_binary(Fit *fit, uint32_t equation, const int8_t *signs)
{
    LogisticSolution solution;

    fit->problem.signs = signs;
    if (fit->start != NULL)
        warm_start_standardized(fit->problem.rows, fit->start, equation, fit->problem.start);
    solution = logistic_solve(fit->solver, fit->tests && fit->classes.count == 2);
    store_equation(fit, equation, solution.theta);
    add_result(fit, &solution);
    add_errors(fit, &solution);
}

/* ---- softmax ---- */

static void fit_softmax(Fit *fit)
{
    uint32_t count = fit->problem.rows->count, classes = fit->problem.classes, fixed = classes - fit->problem.equations;
    LogisticSolution solution;

    if (fit->start != NULL) {
        double *reference = env_array(fit->env, (size_t)count + 1, sizeof(double));

        if (fixed)
            warm_start_standardized(fit->problem.rows, fit->start, 0, reference);
        for (uint32_t e = 0; e < fit->problem.equations; e++) {
            double *theta = fit->problem.start + (size_t)e * count;

            warm_start_standardized(fit->problem.rows, fit->start, e + fixed, theta);
            for (uint32_t j = 0; j < count; j++)
                theta[j] -= reference[j];
        }
    }
    solution = logistic_solve(fit->solver, fit->tests);
    if (!fixed && fit->problem.rows->intercept)
        center_numbers(solution.theta, classes, count);
    for (uint32_t e = 0; e < fit->problem.equations; e++)
        store_equation(fit, e + fixed, solution.theta + (size_t)e * count);
    add_result(fit, &solution);
    add_errors(fit, &solution);
    if (!fixed && fit->out.offset != NULL) /* at feature 0, not at the center */
        center_numbers(fit->out.offset, classes, 1);
}

/* ---- several lambdas ---- */

/* Copies the equations of a solution to the path. */
static void keep_solution(Fit *fit, PenaltyPath *path, uint32_t l, const LogisticSolution *solution)
{
    uint32_t count = fit->problem.rows->count, equations = fit->out.equations;

    fit->nonzero = 0;
    if (fit->problem.softmax && fit->problem.rows->intercept)
        center_numbers(solution->theta, equations, count);
    for (uint32_t e = 0; e < equations; e++)
        store_equation(fit, e, solution->theta + (size_t)e * count);
    if (fit->problem.softmax && fit->out.offset != NULL)
        center_numbers(fit->out.offset, equations, 1);
    penalty_path_keep(path, l, &fit->out, fit->nonzero, solution->loss, loss_penalty_of(&fit->plan.unit, fit->problem.rows, &fit->out), solution->objective);
    fit->nonzero = 0;
}

/* Walks the path over all rows, from the solution at the lambda before, and chooses one. */
static void walk(Fit *fit, PenaltyPath *path)
{
    LambdaPlan *plan = &fit->plan.path;
    uint32_t unconverged = 0;

    *path = penalty_path_begin(&fit->plan, plan->list == NULL && plan->count > 0 ? logistic_path_greatest(fit->solver) : 0, &fit->out);
    for (uint32_t l = 0; l < path->count; l++) {
        LogisticSolution solution = logistic_path_solve(fit->solver, path->lambdas[l]);

        unconverged += !solution.converged;
        keep_solution(fit, path, l, &solution);
    }
    if (plan->folded)
        penalty_path_choose(path, plan->rule, logistic_cross_validate(&fit->plan, &fit->classes, &fit->problem, path->lambdas, path->count, &unconverged));
    penalty_path_warn(fit->env, unconverged);
    fit->problem.start = NULL;
}

/* ---- messages ---- */

/*
 * Writes the name of the first term that separates two classes by itself: on one side of some value of it, all rows are of one class.
 * Returns false if there is none, or if there are more classes. Makes a pass over the rows.
 */
static bool find_separator(const Fit *fit, char *name, size_t size)
{
    StandardizedRows *rows = fit->problem.rows;
    uint32_t terms = rows->design->terms;
    double *low[2], *high[2];
    DesignBlock lines;

    if (fit->classes.count != 2 || !rows->intercept)
        return false;
    for (uint32_t c = 0; c < 2; c++) {
        low[c] = env_array_raw(fit->env, (size_t)terms + 1, sizeof(double));
        high[c] = env_array_raw(fit->env, (size_t)terms + 1, sizeof(double));
        for (uint32_t t = 0; t < terms; t++) {
            low[c][t] = INFINITY;
            high[c][t] = -INFINITY;
        }
    }
    while (standardized_next_lines(rows, &lines))
        for (uint32_t i = 0; i < lines.count; i++)
            for (uint32_t t = 0, c = lines.classes[i]; rows->line_weights[i] > 0 && t < terms; t++) {
                low[c][t] = fmin(low[c][t], lines.x[(size_t)i * terms + t]);
                high[c][t] = fmax(high[c][t], lines.x[(size_t)i * terms + t]);
            }
    for (uint32_t t = 0; t < terms; t++)
        if (!rows->dropped[t] && (high[0][t] <= low[1][t] || high[1][t] <= low[0][t])) {
            row_design_term_name(rows->design, t, name, size);
            return true;
        }
    return false;
}

static void warn_end(const Fit *fit)
{
    char name[200];

    if (fit->separated > 0 && find_separator(fit, name, sizeof(name)))
        env_warn(fit->env, ERROR_DATA, "Add a penalty, such as {\"lambda\": 0.1}, or leave this feature or level out.",
                 "\"%s\" alone tells the class of some rows for certain: the likelihood has no maximum, and the coefficients "
                 "of logistic_regression grow without bound",
                 name);
    else if (fit->separated > 0)
        env_warn(fit->env, ERROR_DATA,
                 "Add a penalty, such as {\"lambda\": 0.1}, or drop the features that separate the classes.",
                 "the features tell the classes of some or all rows for certain%s: the likelihood has no maximum, and the coefficients "
                 "of logistic_regression grow without bound",
                 fit->out.equations > 1 && !fit->problem.softmax ? " in at least one binary problem" : "");
    else if (fit->unconverged > 0)
        env_warn(fit->env, ERROR_DATA, "Raise \"max_iter\" or \"tolerance\".",
                 "logistic_regression stopped after %lld step%s before it converged",
                 (long long)fit->iterations, fit->iterations == 1 ? "" : "s");
}

/* ---- the fit ---- */

static void add_facts(const Fit *fit, ModelBuilder *builder)
{
    bool likelihood = fit->problem.softmax || fit->classes.count == 2;

    builder_fact_i64(builder, "iterations", fit->iterations);
    builder_fact_bool(builder, "converged", fit->unconverged == 0);
    if (fit->separated > 0)
        builder_fact_bool(builder, "separated", true);
    if (likelihood) {
        builder_fact(builder, "log_likelihood", -fit->loss);
        builder_fact(builder, "null_deviance", 2 * fit->null_loss);
        if (fit->problem.rows->factors == NULL) /* with class weights it is not a likelihood that can be compared */
            builder_fact_i64(builder, "parameters",
                             (int64_t)fit->problem.equations * fit->problem.rows->count);
    }
    if (loss_penalized(&fit->problem.penalty)) {
        builder_fact(builder, "objective", fit->objective);
        builder_fact(builder, "penalty", loss_penalty_of(&fit->plan.unit, fit->problem.rows, &fit->out));
    }
    if (fit->problem.penalty.l1 > 0)
        builder_fact_i64(builder, "nonzero", fit->nonzero);
}

/* Returns the weighted shares of the classes. */
static double *shares_of(const StandardizedRows *rows)
{
    double *shares = env_array(rows->env, rows->classes, sizeof(double));

    for (uint32_t c = 0; c < rows->classes; c++)
        shares[c] = rows->class_weight[c] / rows->weight;
    return shares;
}

/* Tells whether an equation for each class is fitted, rather than binary problems. */
static bool is_softmax(const ClassSet *classes, const Options *options)
{
    return options_is(options, "multiclass", "multinomial") && (classes->count > 2 || options_given(options, "multiclass"));
}

/* Reads the options about classes, the strategy and the start; returns whether one problem has all classes. */
static bool read_problem(Fit *fit, const Estimator *self)
{
    const Options *options = fit->plan.options;
    bool softmax = is_softmax(&fit->classes, options);

    fit->book = multiclass_book(&fit->classes, options, fit->rule.positive);
    if (fit->plan.several && !softmax && fit->classes.count > 2)
        env_fail(fit->env, ERROR_PARAMETER, "Leave \"multiclass\" out: one model of all classes, or give one lambda.",
                 "several lambdas need one model of all classes, but option \"multiclass\" is \"%s\"", options_string(options, "multiclass"));
    read_start(fit, self, softmax, softmax ? fit->classes.count : fit->book->problems);
    return softmax;
}

/* Fails where there are no standard errors that could be robust, or where they are not known how. */
static void require_vcov(const Fit *fit, bool softmax, const double *factors)
{
    const char *why = fit->plan.several || loss_penalized(&fit->problem.penalty) ? "a penalty makes standard errors meaningless"
                      : softmax || fit->classes.count > 2 ? "it is not of two classes"
                      : factors != NULL                   ? "with class weights there are no standard errors"
                      : fit->problem.rows->count > NEWTON_MOST ? "there are too many coefficients"
                                                                 : NULL;

    if (fit->vcov.kind != VCOV_CLASSICAL && why != NULL)
        env_fail(fit->env, ERROR_PARAMETER,
                 softmax || fit->classes.count > 2 ? "Fit one class against the rest, with target = 'a class' as the target." : "Leave \"vcov\" or the other option out.",
                 "\"vcov\": \"%s\" of logistic_regression does not go with this fit: %s", vcov_name(fit->vcov.kind), why);
}

/* Prepares the rows, the equations and the solver; with several lambdas walks them first, and takes the one chosen. */
static void prepare(Fit *fit, PenaltyPath *path, bool softmax)
{
    double *factors = class_weights_of_rows(&fit->classes, fit->plan.options, fit->design);

    fit->problem = logistic_problem(&fit->plan, fit->design, softmax, factors);
    fit->tests = !loss_penalized(&fit->problem.penalty) && factors == NULL;
    require_vcov(fit, softmax, factors);
    fit->out = linear_rows_equations(fit->problem.rows, softmax ? fit->classes.count : fit->book->problems);
    fit->out.link = softmax ? LINK_SOFTMAX : LINK_LOGISTIC;
    if (!softmax)
        fit->problem.signs = book_signs(fit->book, 0);
    fit->solver = logistic_solver(&fit->problem);
    if (fit->start != NULL)
        fit->problem.start = env_array(fit->env, (size_t)fit->solver->size + 1, sizeof(double));
    if (fit->plan.several)
        walk(fit, path);
    logistic_set_lambda(fit->solver, fit->plan.several ? path->chosen : fit->plan.lambda);
}

static Model *logistic_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options,
                           ModelBuilder *builder)
{
    Fit fit = {.env = env, .classes = class_set(env, rows_schema(input->rows))};
    PenaltyPath path = {.count = 0};
    double stored_rule[3];

    if (rows_slots(input->rows) == 0 && (fit.classes.count > 2 || is_softmax(&fit.classes, options)))
        env_fail(env, ERROR_PARAMETER, fit.classes.count > 2 ? "Name a column in the formula, or fit one class against the rest, with target = 'a class' as the target."
                                                             : "Name a column in the formula, or leave \"multiclass\" out.",
                 "logistic_regression of %u classes%s needs at least one feature, but the formula has no terms", fit.classes.count,
                 fit.classes.count > 2 ? "" : ", multinomial,");
    if (!class_require_several(&fit.classes, "logistic_regression", input->frame))
        return NULL;
    fit.rule = class_rule_read(&fit.classes, options);
    fit.plan = penalty_plan_read(env, options, "logistic_regression");
    fit.vcov = vcov_plan(env, options);
    fit.builder = builder;
    fit.design = row_design(env, input->rows, fit.plan.intercept ? DESIGN_INTERCEPT : DESIGN_NO_INTERCEPT, "logistic_regression");
    prepare(&fit, &path, read_problem(&fit, self));
    if (!loss_penalized(&fit.problem.penalty))
        linear_equations_drop(&fit.out, fit.problem.rows->dropped, NULL, LINEAR_DROPPED_HINT, builder);
    if (fit.problem.softmax)
        fit_softmax(&fit);
    else
        for (uint32_t p = 0; p < fit.book->problems; p++)
            fit_binary(&fit, p, multiclass_problem(env, fit.book, "logistic_regression", p));
    warn_end(&fit);

    add_facts(&fit, builder);
    penalty_path_add(&path, &fit.out, builder);
    linear_equations_add(builder, &fit.out);
    class_rule_add(builder, &fit.rule, fit.classes.count, stored_rule);
    /* the priors that the probabilities imply: classifier_output.h */
    builder_f64(builder, SECTION_ARRAYS, "priors", shares_of(fit.problem.rows), fit.classes.count);
    if (!fit.problem.softmax)
        multiclass_add(env, builder, fit.book);
    return model_build(builder);
}

static const Scoring logistic_scoring = {
    .partial = true, /* equations without slopes have no boundary, and so no distance() */
    .prepare = linear_classifier_prepare,
    .prepares = linear_classifier_prepares,
    .classify = linear_classifier_classify,
    .probabilities = linear_classifier_probabilities,
    .decisions = linear_classifier_decisions,
    .distance = linear_classifier_distance,
    .width = linear_classifier_width,
    .explain = linear_classifier_explain,
    .influence = logistic_influence,
};

const Estimator estimator_logistic_regression = {
    .name = "logistic_regression",
    .task = TASK_CLASSIFICATION,
    .input = INPUT_ROWS,
    .null_model = true,
    .supervised = true,
    .options = OPTION_TABLES(options_common, options_multiclass, option_positive, option_class_weight,
                             option_threshold, option_tie, option_intercept, options_linear_penalty, options_folds,
                             option_path, options_penalty, option_select, options_vcov, logistic_options),
    .help = "Probabilities of two or more classes from linear scores, by maximum likelihood with or without a penalty.",
    .source = "Cox 1958, JRSS B 20(2); Friedman, Hastie & Tibshirani 2010, JSS 33(1)",
    .fit = logistic_fit,
    .arrays = logistic_array_tables,
    .check = logistic_check,
    .accept = linear_accept,
    .scoring = &logistic_scoring,
    .coefficients = linear_classifier_coefficients,
    .tables = logistic_tables,
    .to_sql = linear_classifier_to_sql,
    .summary = linear_classifier_summary,
    .statistics = logistic_statistics,
};
