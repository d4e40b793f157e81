/*
 * glm_path.c - penalties of generalized linear models (Friedman, Hastie & Tibshirani 2010; Tay, Narasimhan & Hastie 2023).
 */
#include "core/glm/glm_path.h"

#include "core/glm/glm_folds.h"
#include "core/linalg/qr_factor.h"

#include <math.h>

#define L2_TIMES 100     /* the curvature, at the first lambda of an l2 path: it shrinks coefficients to about a hundredth */
#define LEAST_ALPHA 1e-3 /* as that of lasso paths: as alpha nears 0 the first lambda would become infinite */

/* Returns what multiplies lambda in the sum of losses. */
static double loss_weight(const GlmProblem *problem, const PenaltyPlan *plan)
{
    return plan->mean ? problem->rows->weight : 1;
}

/* Sets the penalties of the columns. */
static void set_lambda(GlmProblem *problem, const PenaltyPlan *plan, double lambda)
{
    LossPenalty penalty = loss_penalty_at(&plan->unit, lambda * loss_weight(problem, plan));

    loss_penalty_columns(&penalty, problem->rows, problem->l1, problem->l2);
}

/* Returns the first lambda of an automatic path: the least at which all coefficients are 0; for l2 one that shrinks them. */
static double greatest_lambda(const GlmProblem *problem, const GlmPoint *null, const PenaltyPlan *plan)
{
    const StandardizedRows *rows = problem->rows;
    double greatest = 0, l1 = plan->unit.l1;

    for (uint32_t t = 0; t < rows->terms; t++) {
        uint32_t j = rows->intercept + t;
        double factor = standardized_factor(rows, t, plan->unit.standardize);
        double own = l1 > 0 ? fabs(null->gradient[j]) / (fmax(l1, LEAST_ALPHA) * factor) : L2_TIMES / 2 * null->gram[factor_packed(j) + j] / (factor * factor);

        if (factor > 0)
            greatest = fmax(greatest, own);
    }
    return fmin(greatest / loss_weight(problem, plan), 1e300);
}

/* Returns the first lambda of the path of a plan; 0: the user listed them, or there are no slopes. */
static double first_lambda(GlmProblem *problem, const GlmPoint *start, const PenaltyPlan *plan)
{
    if (plan->path.list != NULL || plan->path.count == 0)
        return 0;
    for (uint32_t t = 0; t < problem->rows->terms; t++)
        if (start->theta[problem->rows->intercept + t] != 0)
            env_fail(problem->env, ERROR_PARAMETER, "List the lambdas, or fit with an intercept.",
                     "a path of %s begins where all coefficients are 0, but without an intercept link %s has no mean there", problem->method, problem->link.function->name);
    return greatest_lambda(problem, start, plan);
}

static void fit_listed(GlmProblem *problem, const PenaltyPlan *listed, LinearEquations *out, PenaltyPath *path)
{
    GlmSolution null;

    glm_begin(problem);
    null = glm_solve_null(problem);
    glm_solve_penalized(problem, &null, listed, out, path);
}

static void walk(GlmProblem *problem, GlmSolution *solution, const PenaltyPlan *plan, LinearEquations *out, PenaltyPath *path)
{
    uint32_t unconverged = 0;

    *path = penalty_path_begin(plan, first_lambda(problem, &solution->at, plan), out);
    for (uint32_t l = 0; l < path->count; l++) {
        int64_t nonzero;

        set_lambda(problem, plan, path->lambdas[l]);
        solution->iterations = 0;
        glm_resolve(problem, solution);
        unconverged += !solution->converged;
        nonzero = linear_rows_set(out, problem->rows, 0, solution->at.theta, problem->method, GLM_RANGE_HINT);
        penalty_path_keep(path, l, out, nonzero, solution->at.deviance / 2, loss_penalty_of(&plan->unit, problem->rows, out), glm_objective(problem, &solution->at) / 2);
    }
    penalty_path_warn(problem->env, unconverged);
    if (plan->path.folded)
        penalty_path_choose(path, plan->path.rule, glm_cross_validate(problem, plan, path->lambdas, path->count, fit_listed));
}

GlmSolution glm_solve_penalized(GlmProblem *problem, const GlmSolution *null, const PenaltyPlan *plan, LinearEquations *out, PenaltyPath *path)
{
    GlmSolution solution;

    problem->l1 = env_array(problem->env, (size_t)problem->rows->count + 1, sizeof(double));
    problem->l2 = env_array(problem->env, (size_t)problem->rows->count + 1, sizeof(double));
    if (plan->several)
        problem->given = NULL; /* a path begins where all coefficients are 0 */
    solution = glm_first_point(problem, null);
    if (plan->several)
        walk(problem, &solution, plan, out, path);
    set_lambda(problem, plan, plan->several ? path->chosen : plan->lambda);
    solution.iterations = 0;
    glm_resolve(problem, &solution);
    return solution;
}
