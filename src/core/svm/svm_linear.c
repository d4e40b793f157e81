/*
 * svm_linear.c - fits linear support vector machines problem by problem.
 */
#include "core/svm/svm_linear.h"
#include "core/kernel_methods/kernel_model.h"
#include "core/svm/squared_margin.h"

#include <math.h>
#include <string.h>

#define TOLERANCE 1e-10

static const char *const penalties[] = {"l2", "l1", "elastic_net", NULL};
static const char *const hard_margin[] = {"hard", NULL};

const OptionSpec options_svm[] = {
    {.name = "C",
     .types = OPTION_NUMBER | OPTION_STRING,
     .fallback = "1",
     .choices = hard_margin,
     ABOVE_ZERO,
     .help = "The weight of the losses: the fit minimizes |w|^2 / 2 + C times the sum of the losses; hard: no loss is "
             "allowed."},
    {.name = "alpha",
     .types = OPTION_NUMBER,
     .fallback = "0.5",
     FROM_ZERO_TO_ONE,
     .help = "For elastic_net: the penalty is alpha |w| + (1 - alpha) w^2 / 2."},
    {.name = "keep_support",
     .types = OPTION_BOOLEAN,
     .fallback = "false",
     .help = "Whether a linear model keeps its support vectors, for support_vectors(); models of other kernels always do."},
    {.name = "max_iter",
     .types = OPTION_INTEGER,
     .minimum = 1,
     .maximum = 1000000000,
     .unset = "200 if the kernel is linear and nu is not given",
     .help = "Maximum number of iterations; reaching it gives a WARNING."},
    {.name = "penalty",
     .types = OPTION_STRING,
     .fallback = "\"l2\"",
     .choices = penalties,
     .help = "The penalty on the coefficients: w^2 / 2 (l2); |w| (l1) or both (elastic_net), with a linear kernel and a "
             "squared loss."},
    {.name = "standardize",
     .types = OPTION_BOOLEAN,
     .fallback = "false",
     .help = "Whether to fit to standardized features: the mean is subtracted, and the difference is divided by the "
             "standard deviation (divisor n)."},
    {.name = "tolerance",
     .types = OPTION_NUMBER,
     ABOVE_ZERO_TO_ONE,
     .unset = "1e-10; other kernels, and nu: 1e-3",
     .help = "When to stop: linear kernels when the duality gap is at most this share of the objective, others, and with nu, when no two "
             "multipliers violate the optimality conditions by more."},
    {.name = NULL}};

const ArraySpec svm_linear_arrays[3] = {
    {.name = "at_bound",
     .type = ARRAY_U8,
     .presence = ARRAY_WITH,
     .other = "row_numbers",
     .values = VALUES_PROBABILITY, /* 0 or 1: bytes are whole numbers */
     .flat = true,
     .rows = {SIZE_EQUATIONS},
     .columns = {SIZE_ROWS}},
    {.name = "multipliers",
     .type = ARRAY_F64,
     .presence = ARRAY_WITH,
     .other = "row_numbers",
     .flat = true,
     .rows = {SIZE_EQUATIONS},
     .columns = {SIZE_ROWS}},
    {.name = "row_numbers",
     .type = ARRAY_I64,
     .presence = ARRAY_OPTIONAL,
     .values = VALUES_POSITIVE,
     .rows = {SIZE_ROWS, .defines = true}}};

/* ---- options ---- */

double svm_c(const Options *options)
{
    return options_is(options, "C", "hard") ? INFINITY : options_number(options, "C");
}

void svm_require_kernel_options(Env *env, const char *method, const Options *options)
{
    static const char *const linear_only[] = {"alpha", "keep_support", "loss", "penalty", NULL};

    for (unsigned i = 0; linear_only[i] != NULL; i++)
        if (options_given(options, linear_only[i]))
            env_fail(env, ERROR_PARAMETER, "Leave it out, or set \"kernel\": \"linear\".",
                     "option \"%s\" of %s is for linear kernels, not for \"kernel\": \"%s\"", linear_only[i], method,
                     options_string(options, "kernel"));
}

SvmPlan svm_plan_read(const char *method, const Options *options, const char *squared)
{
    bool l1 = options_is(options, "penalty", "l1"), net = options_is(options, "penalty", "elastic_net");
    double alpha = options_number(options, "alpha");

    return (SvmPlan){.method = method,
                     .C = svm_c(options),
                     .squared = options_is(options, "loss", squared),
                     .l1 = l1 ? 1 : net ? alpha : 0,
                     .l2 = l1 ? 0 : net ? 1 - alpha : 1,
                     .intercept = options_boolean(options, "intercept"),
                     .standardize = options_boolean(options, "standardize"),
                     .keep_support = options_boolean(options, "keep_support"),
                     .tolerance = options_given(options, "tolerance") ? options_number(options, "tolerance") : TOLERANCE,
                     .max_iter = options_given(options, "max_iter") ? options_integer(options, "max_iter") : SVM_MAX_ITER};
}

SvmPlan svm_plan(Env *env, const char *method, const Options *options, const char *squared)
{
    SvmPlan plan = svm_plan_read(method, options, squared);

    if (options_given(options, "alpha") && !options_is(options, "penalty", "elastic_net"))
        env_fail(env, ERROR_PARAMETER, "Set \"penalty\": \"elastic_net\", or omit \"alpha\".",
                 "option \"alpha\" is only for \"penalty\": \"elastic_net\", not for \"%s\"", options_string(options, "penalty"));
    if (plan.l1 > 0 && !plan.squared)
        env_fail(env, ERROR_PARAMETER, "Set \"loss\" to the squared loss, or \"penalty\": \"l2\".",
                 "\"penalty\": \"%s\" of %s needs \"loss\": \"%s\"", options_string(options, "penalty"), method, squared);
    if (isinf(plan.C) && plan.squared)
        env_fail(env, ERROR_PARAMETER, "Leave out \"loss\", or give a finite \"C\".",
                 "\"C\": \"hard\" of %s allows no loss, so it cannot be combined with \"loss\": \"%s\"", method, squared);
    return plan;
}

/* ---- problems ---- */

/* Facts of several problems together. */
typedef struct Totals {
    int64_t iterations;
    double objective, gap, norm;
    int64_t nonzero;
    uint32_t unconverged;
} Totals;

struct LinearSvm {
    Env *env;
    SvmPlan plan;
    RowDesign *design;
    StandardizedRows *rows;
    uint32_t equations;
    double *penalty, *l1; /* [count] of the standardized columns; l1 NULL: none */
    MarginProblem problem;
    MarginSolver *solver; /* made at the first problem, or for squared losses: */
    SquaredSolver *squared;
    LinearEquations out;
    uint8_t *support;     /* [equations or 1 x rows] bits: support, bound */
    double *multipliers;  /* [equations x rows]; NULL: not kept */
    Totals totals;
};

/* Sets the penalties of the standardized columns. */
static void fill_penalty(LinearSvm *svm)
{
    const StandardizedRows *rows = svm->rows;

    svm->penalty = env_array(svm->env, (size_t)rows->count + 1, sizeof(double));
    if (svm->plan.l1 > 0)
        svm->l1 = env_array(svm->env, (size_t)rows->count + 1, sizeof(double));
    for (uint32_t t = 0; t < rows->terms; t++) {
        double factor = standardized_factor(rows, t, svm->plan.standardize);

        svm->penalty[t + rows->intercept] = svm->plan.l2 * factor * factor;
        if (svm->l1 != NULL)
            svm->l1[t + rows->intercept] = svm->plan.l1 * factor;
    }
}

LinearSvm *linear_svm(Env *env, Rows *rows, const SvmPlan *plan, uint32_t equations, const double *factors)
{
    LinearSvm *svm = env_array(env, 1, sizeof(LinearSvm));
    size_t count = rows_count(rows), kept = plan->keep_support ? equations * (sizeof(double) + 1) : 1;

    if (count > SIZE_MAX / kept)
        env_require_memory(env, SIZE_MAX / 2, plan->method);
    env_require_memory(env, count * kept, plan->method);
    svm->env = env;
    svm->plan = *plan;
    svm->equations = equations;
    svm->design = row_design(env, rows, plan->intercept ? DESIGN_INTERCEPT : DESIGN_NO_INTERCEPT, plan->method);
    svm->rows = standardized_rows(env, svm->design, plan->intercept, factors, ROWS_SCALES, plan->method);
    fill_penalty(svm);
    svm->problem = (MarginProblem){.rows = svm->rows, .penalty = svm->penalty, .C = plan->C, .epsilon = plan->epsilon,
                                   .tolerance = plan->tolerance, .max_iter = plan->max_iter};
    svm->out = linear_rows_equations(svm->rows, equations);
    svm->support = env_array(env, plan->keep_support ? equations * count : count, 1);
    if (plan->keep_support)
        svm->multipliers = env_array(env, equations * count, sizeof(double));
    return svm;
}

/* Solves a problem by the method of its loss, and adds its support vectors. support, multipliers: as in LinearSvm. */
static MarginSolution solve(LinearSvm *svm, uint8_t *support, double *multipliers)
{
    MarginSolution solution;

    if (svm->plan.squared) {
        if (svm->squared == NULL)
            svm->squared = squared_solver(&svm->problem, svm->l1, svm->plan.method);
        solution = squared_solve(svm->squared);
        squared_support(svm->squared, support, multipliers);
        return solution;
    }
    if (svm->solver == NULL)
        svm->solver = margin_solver(&svm->problem, svm->plan.method);
    solution = margin_solve(svm->solver);
    margin_support(svm->solver, support, multipliers);
    return solution;
}

void linear_svm_solve(LinearSvm *svm, uint32_t equation, const int8_t *signs)
{
    size_t from = svm->multipliers != NULL ? equation * (size_t)rows_count(svm->design->rows) : 0;
    MarginSolution solution;

    svm->problem.signs = signs;
    solution = solve(svm, svm->support + from, svm->multipliers != NULL ? svm->multipliers + from : NULL);
    if (solution.inseparable)
        env_fail(svm->env, ERROR_DATA, "Give a finite \"C\", such as 1, which allows rows on the wrong side of the margin.",
                 "\"C\": \"hard\": no hyperplane separates the classes%s", svm->equations > 1 ? " of every binary problem" : "");
    if (isinf(svm->plan.C) && !solution.converged && !(solution.nearest > 0))
        env_fail(svm->env, ERROR_DATA, "Raise \"max_iter\" or \"tolerance\", or give a finite \"C\", such as 1.",
                 "\"C\": \"hard\": %s stopped after %lld iteration%s, before it found a hyperplane that separates the classes",
                 svm->plan.method, (long long)solution.iterations, solution.iterations == 1 ? "" : "s");
    if (!isfinite(solution.objective))
        env_fail(svm->env, ERROR_RANGE, "Give a smaller \"C\" or smaller weights, or divide the target by a large number.",
                 "the losses of %s exceed the range of double precision", svm->plan.method);
    svm->totals.nonzero += linear_rows_set(&svm->out, svm->rows, equation, solution.theta, svm->plan.method,
                                           "Scale the features, or give a \"C\" and weights nearer to 1.");
    if (solution.iterations > svm->totals.iterations)
        svm->totals.iterations = solution.iterations;
    svm->totals.objective += solution.objective;
    svm->totals.gap += fmax(solution.gap, 0);
    svm->totals.norm = solution.norm;
    svm->totals.unconverged += !solution.converged;
}

/* ---- results ---- */

/* Returns the bits of a row in all equations together. */
static uint8_t support_of(const LinearSvm *svm, uint64_t count, uint64_t row)
{
    uint8_t bits = 0;

    for (uint32_t e = 0; e < (svm->multipliers != NULL ? svm->equations : 1); e++)
        bits |= svm->support[e * count + row];
    return bits;
}

/* Adds the support vectors, and the facts about them. */
static void add_support(LinearSvm *svm, ModelBuilder *builder)
{
    Env *env = svm->env;
    uint64_t count = rows_count(svm->design->rows);
    int64_t support = 0, bounded = 0, *numbers, at = 0;
    double *multipliers;
    uint8_t *full;

    for (uint64_t i = 0; i < count; i++) {
        uint8_t bits = support_of(svm, count, i);

        support += bits & 1;
        bounded += bits >> 1;
    }
    builder_fact_i64(builder, "support_vectors", support);
    builder_fact_i64(builder, "bounded", bounded);
    if (svm->multipliers == NULL || support == 0)
        return;
    numbers = env_array(env, (size_t)support + 1, sizeof(int64_t));
    multipliers = env_array(env, (size_t)support * svm->equations + 1, sizeof(double));
    full = env_array(env, (size_t)support * svm->equations + 1, 1);
    for (uint64_t i = 0; i < count; i++) {
        if (!(support_of(svm, count, i) & 1))
            continue;
        numbers[at] = (int64_t)i + 1;
        for (uint32_t e = 0; e < svm->equations; e++) {
            multipliers[e * (size_t)support + (size_t)at] = svm->multipliers[e * count + i];
            full[e * (size_t)support + (size_t)at] = svm->support[e * count + i] >> 1;
        }
        at++;
    }
    kernel_support_add(builder, svm->equations, (uint32_t)support, numbers, multipliers, full);
}

void linear_svm_finish(LinearSvm *svm, ModelBuilder *builder)
{
    const Totals *totals = &svm->totals;

    if (totals->unconverged > 0)
        env_warn(svm->env, ERROR_DATA, "Raise \"max_iter\" or \"tolerance\", or scale the features.",
                 "%s stopped after %lld iteration%s before it converged%s", svm->plan.method, (long long)totals->iterations, totals->iterations == 1 ? "" : "s",
                 svm->equations > 1 ? " in some binary problems" : "");
    builder_fact_i64(builder, "iterations", totals->iterations);
    builder_fact_bool(builder, "converged", totals->unconverged == 0);
    builder_fact(builder, "objective", totals->objective);
    builder_fact(builder, "gap", totals->gap);
    if (svm->l1 != NULL)
        builder_fact_i64(builder, "nonzero", totals->nonzero);
    if (svm->equations == 1 && totals->norm > 0 && svm->l1 == NULL && svm->problem.signs != NULL)
        builder_fact(builder, "margin", 1 / sqrt(totals->norm));
    add_support(svm, builder);
    linear_equations_add(builder, &svm->out);
}
