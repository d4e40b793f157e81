/*
 * logistic_path.c - solves a logistic fit at one lambda after the other, each from the solution before, and cross-validates them
 * (Friedman, Hastie & Tibshirani 2010).
 */
#include "core/logistic/logistic_path.h"

#include "core/estimator/fold_rows.h"

#include <math.h>
#include <string.h>

#define L2_TIMES 100     /* the curvature, at the first lambda of an l2 path */
#define LEAST_ALPHA 1e-3 /* as that of lasso paths: as alpha nears 0 the first lambda would become infinite */

/* ---- one fit ---- */

/*
 * Returns a lambda that shrinks every coefficient to about a hundredth: under an l2 penalty alone none makes them 0. The curvature of a
 * standardized column is at most a quarter of the weight.
 */
static double l2_greatest(const StandardizedRows *rows, const LossPenalty *unit)
{
    double largest = 0;

    for (uint32_t t = 0; t < rows->terms; t++) {
        double scale = rows->scale[rows->term[t]] / (unit->standardize ? rows->deviation[rows->term[t]] : 1);

        largest = fmax(largest, scale * scale);
    }
    return L2_TIMES / 2 * rows->weight / 4 * largest;
}

double logistic_path_greatest(LogisticSolver *solver)
{
    const LogisticProblem *problem = solver->problem;
    const StandardizedRows *rows = problem->rows;
    const double *gradient;
    double greatest = 0, alpha = fmax(problem->unit.l1, LEAST_ALPHA);

    if (problem->unit.l1 == 0)
        return fmin(l2_greatest(rows, &problem->unit) / problem->loss_weight, 1e300);
    gradient = logistic_null_gradient(solver);
    for (uint32_t e = 0; e < problem->equations; e++)
        for (uint32_t t = 0; t < rows->terms; t++) {
            double factor = standardized_factor(rows, t, problem->unit.standardize);
            double slope = fabs(gradient[(size_t)e * rows->count + rows->intercept + t]);

            if (factor > 0)
                greatest = fmax(greatest, slope / (alpha * factor));
        }
    return greatest / problem->loss_weight;
}

LogisticSolution logistic_path_solve(LogisticSolver *solver, double lambda)
{
    LogisticSolution solution;

    logistic_set_lambda(solver, lambda);
    solution = logistic_solve(solver, false);
    if (solver->problem->start == NULL)
        solver->problem->start = env_array(solver->env, (size_t)solver->size + 1, sizeof(double));
    memcpy(solver->problem->start, solution.theta, solver->size * sizeof(double));
    return solution;
}

/* ---- folds ---- */

typedef struct Folds {
    Env *env;
    const PenaltyPlan *plan;
    const ClassSet *classes;
    const LogisticProblem *problem; /* of all rows */
    RowDesign *design;
    const double *lambdas;
    uint32_t lambda_count;
    FoldRows rows;
    PathFolds out;
    uint32_t unconverged; /* fits */
} Folds;

/* Fails if the rows outside a fold lack a class; returns their class weights, or NULL. */
static double *training_factors(const Folds *folds, RowDesign *design, uint32_t k)
{
    const ClassSet *classes = folds->classes;
    uint64_t *counts = env_array(folds->env, classes->count, sizeof(uint64_t));
    double *totals = env_array(folds->env, classes->count, sizeof(double));

    row_design_class_counts(design, counts, totals);
    for (uint32_t c = 0; c < classes->count; c++)
        if (counts[c] == 0)
            env_fail(folds->env, ERROR_DATA, "Use fewer folds, or a fold column that spreads the rows of each class.",
                     "class \"%.60s\" has no rows outside fold %.15g", class_label(classes, c), folds->out.labels[k]);
    return class_weights(classes, folds->plan->options, totals);
}

/* A solution in the terms of all rows: scores are constant + sum (x - center) slope. */
typedef struct Solutions {
    double *slopes;    /* [lambdas x equations x terms] */
    double *constants; /* [lambdas x equations] */
    double *center;    /* [terms] */
    uint32_t terms, equations;
} Solutions;

/* Finds the place of each kept column of the training rows among the terms of all rows. */
static uint32_t *match_terms(Env *env, const RowDesign *all, const StandardizedRows *rows)
{
    uint32_t *places = env_array(env, (size_t)rows->terms + 1, sizeof *places), at = 0;

    for (uint32_t t = 0; t < rows->terms; t++) { /* both in the order of the schema */
        uint32_t term = rows->term[t];

        while (all->term_slot[at] != rows->design->term_slot[term] || all->term_level[at] != rows->design->term_level[term])
            at++;
        places[t] = at;
    }
    return places;
}

static void take_solution(const StandardizedRows *rows, const uint32_t *places, const double *theta, Solutions *to, uint32_t lambda)
{
    for (uint32_t e = 0; e < to->equations; e++, theta += rows->count) {
        double *slopes = to->slopes + ((size_t)lambda * to->equations + e) * to->terms;

        to->constants[(size_t)lambda * to->equations + e] = rows->intercept ? theta[0] : 0;
        for (uint32_t t = 0; t < rows->terms; t++) {
            slopes[places[t]] = theta[t + rows->intercept] / rows->scale[rows->term[t]];
            to->center[places[t]] = rows->center[rows->term[t]];
        }
    }
}

/* Solves all lambdas for the rows outside fold k. */
static Solutions solve_outside(Folds *folds, uint32_t k)
{
    Env *env = folds->env;
    Rows *training = fold_rows_outside(env, &folds->rows, folds->design->rows, k);
    RowDesign *design = row_design(env, training, folds->design->mode, "logistic_regression");
    LogisticProblem problem = logistic_problem(folds->plan, design, folds->problem->softmax, training_factors(folds, design, k));
    LogisticSolver *solver;
    Solutions solutions = {.terms = folds->design->terms, .equations = problem.equations};
    size_t numbers = (size_t)folds->lambda_count * solutions.equations;
    const uint32_t *places = match_terms(env, folds->design, problem.rows);

    env_require_memory(env, numbers * solutions.terms * sizeof(double), "the coefficients of a path");
    solutions.slopes = env_array(env, numbers + 1, (solutions.terms + 1) * sizeof(double));
    solutions.constants = env_array(env, numbers, sizeof(double));
    solutions.center = env_array(env, (size_t)solutions.terms + 1, sizeof(double));
    problem.signs = folds->problem->signs;
    solver = logistic_solver(&problem);
    for (uint32_t l = 0; l < folds->lambda_count; l++) {
        LogisticSolution solution = logistic_path_solve(solver, folds->lambdas[l]);

        folds->unconverged += !solution.converged;
        take_solution(problem.rows, places, solution.theta, &solutions, l);
    }
    rows_end_readers(training);
    rows_free(training);
    return solutions;
}

/* Returns the loss of a row at one lambda. x: centered. */
static double row_loss(const Folds *folds, const Solutions *solutions, uint32_t lambda, const double *x, uint32_t class, double *eta)
{
    const int8_t *signs = folds->problem->signs;
    double largest = -INFINITY, sum = 0;

    for (uint32_t e = 0; e < solutions->equations; e++) {
        size_t at = (size_t)lambda * solutions->equations + e;
        const double *slopes = solutions->slopes + at * solutions->terms;

        eta[e] = solutions->constants[at];
        for (uint32_t t = 0; t < solutions->terms; t++)
            eta[e] += slopes[t] * x[t];
        largest = fmax(largest, eta[e]);
    }
    if (signs != NULL) {
        double margin = signs[class] > 0 ? eta[0] : -eta[0];

        return margin > 0 ? log1p(exp(-margin)) : log1p(exp(margin)) - margin;
    }
    for (uint32_t e = 0; e < solutions->equations; e++)
        sum += exp(eta[e] - largest);
    return log(sum) + largest - eta[class];
}

/* Measures all lambdas on the rows of fold k. */
static void measure(Folds *folds, const Solutions *solutions, uint32_t k)
{
    Env *env = folds->env;
    uint32_t terms = solutions->terms;
    double *errors = env_array(env, folds->lambda_count, sizeof(double)), *x = env_array(env, (size_t)terms + 1, sizeof(double));
    double *eta = env_array(env, solutions->equations, sizeof(double));
    DesignReader *reader = design_reader(folds->design);
    DesignBlock block;

    while (design_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            double weight = row_weight(block.weights, i);

            if (folds->rows.fold[block.first + i] != k)
                continue;
            for (uint32_t t = 0; t < terms; t++)
                x[t] = block.x[(size_t)i * terms + t] - solutions->center[t];
            for (uint32_t l = 0; l < folds->lambda_count; l++)
                errors[l] += weight * row_loss(folds, solutions, l, x, block.classes[i], eta);
            folds->out.weights[k] += weight;
            env->poll(env);
        }
    design_reader_free(reader);
    for (uint32_t l = 0; l < folds->lambda_count; l++) {
        double error = errors[l] / folds->out.weights[k];

        if (!isfinite(error))
            env_fail(env, ERROR_RANGE, "Use larger lambdas, or divide large features by a power of ten.",
                     "an error of the cross-validation exceeds the range of double precision");
        folds->out.errors[(size_t)l * folds->out.count + k] = error;
    }
    env->release(env, errors);
}

PathFolds logistic_cross_validate(const PenaltyPlan *plan, const ClassSet *classes, const LogisticProblem *problem, const double *lambdas,
                                  uint32_t count, uint32_t *unconverged)
{
    Env *env = classes->env;
    Folds folds = {.env = env, .plan = plan, .classes = classes, .problem = problem, .design = problem->rows->design,
                   .lambdas = lambdas, .lambda_count = count};

    folds.rows = fold_rows(env, folds.design->rows, plan->options);
    folds.out.count = folds.rows.count;
    folds.out.labels = folds.rows.labels;
    folds.out.errors = env_array(env, (size_t)count + 1, folds.out.count * sizeof(double));
    folds.out.weights = env_array(env, folds.out.count, sizeof(double));
    for (uint32_t k = 0; k < folds.out.count; k++) {
        Solutions solutions = solve_outside(&folds, k);

        measure(&folds, &solutions, k);
        env->release(env, solutions.slopes);
        env->progress(env, "cross-validation", k + 1, folds.out.count, NAN);
    }
    path_folds_choose(&folds.out, lambdas, count);
    *unconverged += folds.unconverged;
    return folds.out;
}
