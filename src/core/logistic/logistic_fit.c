/*
 * logistic_fit.c - chooses how a logistic model is fitted; Newton's method, with coordinate descent under an l1
 * penalty.
 */
#include "core/logistic/logistic_fit.h"
#include "core/linalg/qr_factor.h"
#include "core/logistic/logistic_newton.h"

#include <math.h>
#include <string.h>

#define SHORTENINGS 40        /* of a step */
#define GRADIENT_COLUMNS 24   /* gradients are quicker from here on; measured with a million rows, 10 to 200 columns */
#define FORESEEN 1e-8         /* share of the objective up to which a step's end needs no pass */
#define REST 1e-28            /* share of the objective: estimates that could still gain it are off by about its root */

/* ---- where a fit begins: the shares of the classes ---- */

/* Computes the weights of the positive and negative rows of a binary problem. */
static void binary_totals(const LogisticProblem *problem, double *positive, double *negative)
{
    const LogisticRows *rows = problem->rows;

    *positive = *negative = 0;
    for (uint32_t c = 0; c < rows->classes; c++) {
        if (problem->signs[c] > 0)
            *positive += rows->class_weight[c];
        if (problem->signs[c] < 0)
            *negative += rows->class_weight[c];
    }
}

/* Are all rows in the problem? Then it can use their moments. */
static bool whole(const LogisticProblem *problem)
{
    for (uint32_t c = 0; problem->signs != NULL && c < problem->rows->classes; c++)
        if (problem->signs[c] == 0)
            return false;
    return true;
}

static double share_log(double share)
{
    return share > 0 ? share * log(share) : 0;
}

/* Sets theta to the null model (0 without an intercept) and returns its loss. shares: [classes] */
static double null_model(const LogisticProblem *problem, double *theta, double *shares)
{
    const LogisticRows *rows = problem->rows;
    uint32_t classes = problem->signs != NULL ? 2 : problem->classes, fixed = classes - problem->equations;
    double total = 0, loss = 0, mean = 0;

    if (problem->signs != NULL)
        binary_totals(problem, &shares[1], &shares[0]);
    else
        memcpy(shares, rows->class_weight, classes * sizeof(double));
    for (uint32_t c = 0; c < classes; c++)
        total += shares[c];
    for (uint32_t c = 0; c < classes; c++) {
        if (rows->intercept && !(shares[c] / total > 0))
            env_fail(rows->env, ERROR_RANGE, "Give the rows weights of similar size.",
                     "the weight of a class, %g, is negligible beside that of all rows, %g", shares[c], total);
        shares[c] = rows->intercept ? shares[c] / total : 1.0 / classes;
    }
    if (!rows->intercept)
        return total * log(classes);
    for (uint32_t c = 0; c < classes; c++) {
        loss -= total * share_log(shares[c]);
        mean += log(shares[c]) / classes;
    }
    for (uint32_t e = 0; e < problem->equations; e++)
        theta[(size_t)e * rows->count] = log(shares[e + fixed]) - (fixed ? log(shares[0]) : mean);
    return loss;
}

/* Evaluates the null model from the moments of the columns, without a pass. */
static void null_point(LogisticWork *work, LogisticPoint *point, const double *shares)
{
    const LogisticProblem *problem = work->problem;
    const LogisticRows *rows = problem->rows;
    uint32_t count = rows->count, fixed = (problem->signs != NULL ? 2 : problem->classes) - problem->equations;
    size_t packed = factor_packed(count);

    memset(point->gradient, 0, work->size * sizeof(double));
    for (uint32_t e = 0, pair = 0; e < problem->equations; e++) {
        double *gradient = point->gradient + (size_t)e * count;

        for (uint32_t c = 0; c < rows->classes; c++) {
            bool own = problem->signs != NULL ? problem->signs[c] > 0 : c == e + fixed;
            const double *sums = rows->class_sums + (size_t)c * count;

            for (uint32_t j = 0; j < count; j++)
                gradient[j] += (shares[e + fixed] - own) * sums[j];
        }
        for (uint32_t f = e; point->blocks != NULL && f < problem->equations; f++, pair++) {
            double factor = shares[e + fixed] * ((e == f) - shares[f + fixed]);

            for (size_t i = 0; i < packed; i++)
                point->blocks[pair * packed + i] = factor * rows->gram[i];
        }
    }
}

/* ---- Newton's method ---- */

typedef struct Newton {
    LogisticWork *work;
    LogisticPoint here, there;
    double *matrix, *factor, *gradient, *step;
    bool sparse; /* an l1 penalty */
} Newton;

/* Finds the step from the current point; returns the decrease of the objective that the slope promises. */
static double find_step(Newton *newton, double settled)
{
    LogisticWork *work = newton->work;
    const double *theta = newton->here.theta;

    logistic_curvature(work, newton->here.blocks, newton->matrix);
    for (uint32_t i = 0; i < work->size; i++)
        newton->gradient[i] = newton->here.gradient[i] + 2 * work->l2[i] * theta[i];
    return quadratic_step(work->problem->rows->env, work->size, newton->matrix, newton->gradient, theta,
                          newton->sparse ? work->l1 : NULL, settled, newton->factor, newton->step);
}

static void move(Newton *newton, double length)
{
    for (uint32_t i = 0; i < newton->work->size; i++)
        newton->there.theta[i] = newton->here.theta[i] + length * newton->step[i];
}

/* Evaluates points along the step; true: found one with a lower objective. */
static bool search(Newton *newton, double objective, double promise, double *reached)
{
    double length = 1;

    for (int i = 0; i < SHORTENINGS; i++, length /= 2) {
        move(newton, length);
        logistic_evaluate(newton->work, &newton->there, true);
        *reached = newton->there.loss + logistic_penalty(newton->work, newton->there.theta);
        if (*reached <= objective - NEWTON_SUFFICIENT * length * promise + NEWTON_ROUNDING * fabs(objective))
            return true;
    }
    return false;
}

static void swap_points(Newton *newton)
{
    LogisticPoint swap = newton->here;

    newton->here = newton->there;
    newton->there = swap;
}

/*
 * One step more from a solution without a penalty, so that estimates are as exact as their rounding. Where the solution
 * was evaluated (final) it takes no pass; else none is made where hardly anything is left to gain.
 */
static void refine(Newton *newton, bool final, double rest, double objective)
{
    double gain;

    if (!final && rest <= REST * objective)
        return;
    if (!final)
        logistic_evaluate(newton->work, &newton->here, true);
    gain = find_step(newton, 0);
    if (!(gain >= 0 && gain <= FORESEEN * objective))
        return;
    for (uint32_t i = 0; i < newton->work->size; i++)
        newton->here.theta[i] += newton->step[i];
    newton->here.loss -= gain / 2;
}

/*
 * Takes one more step from a solution under an l2 penalty whose gradient is known: by the curvature at the point before
 * it, or its own if that was evaluated. The error shrinks by the length of the step before, at no pass over the rows.
 */
static void refine_by_gradient(Newton *newton, bool final)
{
    LogisticWork *work = newton->work;
    double *theta = newton->here.theta, objective = newton->here.loss + logistic_penalty(work, theta), gain;

    if (final)
        logistic_curvature(work, newton->here.blocks, newton->matrix);
    for (uint32_t i = 0; i < work->size; i++)
        newton->gradient[i] = newton->here.gradient[i] + 2 * work->l2[i] * theta[i];
    gain = quadratic_step(work->problem->rows->env, work->size, newton->matrix, newton->gradient, theta, NULL, 0,
                          newton->factor, newton->step);
    if (!(gain >= 0 && gain <= FORESEEN * objective))
        return;
    for (uint32_t i = 0; i < work->size; i++)
        theta[i] += newton->step[i];
    newton->here.loss = objective - gain / 2 - logistic_penalty(work, theta);
}

/* From here, which is evaluated; final: the solution is evaluated too. */
static void newton_solve(Newton *newton, LogisticSolution *solution, bool final, const char *method)
{
    LogisticWork *work = newton->work;
    const LogisticProblem *problem = work->problem;
    Env *env = problem->rows->env;
    double rows = (double)rows_count(problem->rows->design->rows), unit = problem->rows->weight / rows;
    double objective = newton->here.loss + logistic_penalty(work, newton->here.theta);
    double before = INFINITY, goal = problem->tolerance * unit, reached;
    bool evaluated;

    while (solution->iterations < problem->max_iter) {
        double promise = find_step(newton, 1e-3 * goal), rate;

        env->progress(env, method, (uint64_t)solution->iterations, (uint64_t)problem->max_iter, objective / rows);
        solution->iterations++;
        rate = isfinite(before) && promise < before ? promise / before : 1;
        if (promise * rate <= goal || promise <= NEWTON_ROUNDING * objective) {
            /* the step in hand leaves less than the goal */
            solution->converged = true;
            solution->separated = !newton->sparse && problem->penalty.l2 == 0 &&
                                  rate > NEWTON_SEPARATED_RATE && promise > 0 && isfinite(before);
            move(newton, 1);
            evaluated = final || newton->sparse || promise > FORESEEN * objective;
            if (evaluated)
                logistic_evaluate(work, &newton->there, final);
            else /* the quadratic model says it as well */
                newton->there.loss =
                    objective - promise / 2 - logistic_penalty(work, newton->there.theta);
            swap_points(newton);
            if (!solution->separated && !newton->sparse && problem->penalty.l2 == 0)
                refine(newton, final, promise * rate * rate, objective);
            else if (evaluated && !newton->sparse && problem->penalty.l2 > 0)
                refine_by_gradient(newton, final);
            break;
        }
        if (!search(newton, objective, promise, &reached))
            break;
        before = promise;
        objective = reached;
        swap_points(newton);
        if (newton->here.loss <= LOGISTIC_SEPARATED_LOSS * problem->rows->weight && problem->penalty.l1 == 0 &&
            problem->penalty.l2 == 0) {
            solution->separated = true;
            break;
        }
    }
    solution->converged = solution->converged && !solution->separated;
}

/* ---- a problem ---- */

static LogisticWork *work_new(const LogisticProblem *problem)
{
    const LogisticRows *rows = problem->rows;
    Env *env = rows->env;
    LogisticWork *work = env_array(env, 1, sizeof(LogisticWork));
    uint32_t classes = problem->signs != NULL ? 1 : problem->classes, count = rows->count;
    size_t terms = (size_t)rows->design->terms + 1;
    double *next;

    work->problem = problem;
    if (__builtin_mul_overflow(problem->equations, count, &work->size))
        env_fail(env, ERROR_LIMIT, "Fit fewer features or classes.",
                 "%u equations of %u numbers are too many", problem->equations, count);
    work->pairs = (uint32_t)((uint64_t)problem->equations * (problem->equations + 1) / 2);
    work->memory = env_array(env, ((size_t)classes + 5) * DESIGN_TILE, sizeof(double));
    next = (double *)(((uintptr_t)work->memory + 63) & ~(uintptr_t)63);
    work->eta = next;
    work->y = work->eta + (size_t)classes * DESIGN_TILE;
    work->weights = work->y + DESIGN_TILE;
    work->room = work->weights + DESIGN_TILE;
    work->l1 = env_array(env, (size_t)work->size + 1, sizeof(double));
    work->l2 = env_array(env, (size_t)work->size + 1, sizeof(double));
    for (uint32_t i = 0; i < work->size; i++) {
        uint32_t t = i % count - rows->intercept;
        double factor;

        if (rows->intercept && i % count == 0)
            continue;
        factor = (problem->penalty.standardize ? rows->deviation[rows->term[t]] : 1) /
                 rows->scale[rows->term[t]];
        work->l1[i] = problem->penalty.l1 * factor;
        work->l2[i] = problem->penalty.l2 * factor * factor;
    }
    work->slopes = env_array(env, problem->equations, terms * sizeof(double));
    work->part = env_array(env, problem->equations, terms * sizeof(double));
    work->sums = env_array(env, problem->equations, terms * sizeof(double));
    work->shares = env_array(env, problem->classes, sizeof(double));
    work->class_y = env_array(env, rows->classes, sizeof(double));
    work->class_used = env_array(env, rows->classes, sizeof(double));
    for (uint32_t c = 0; problem->signs != NULL && c < rows->classes; c++) {
        work->class_y[c] = problem->signs[c] > 0;
        work->class_used[c] = problem->signs[c] != 0;
    }
    return work;
}

static void work_free(LogisticWork *work)
{
    Env *env = work->problem->rows->env;

    env->release(env, work->memory);
    env->release(env, work->l1);
    env->release(env, work->l2);
    env->release(env, work->slopes);
    env->release(env, work->part);
    env->release(env, work->sums);
    env->release(env, work->shares);
    env->release(env, work->class_y);
    env->release(env, work->class_used);
    env->release(env, work);
}

static LogisticPoint point_new(const LogisticWork *work, bool blocks)
{
    Env *env = work->problem->rows->env;
    LogisticPoint point = {.theta = env_array(env, (size_t)work->size + 1, sizeof(double)),
                           .gradient = env_array(env, (size_t)work->size + 1, sizeof(double))};

    if (blocks)
        point.blocks =
            env_array(env, work->pairs * factor_packed(work->problem->rows->count) + 1, sizeof(double));
    return point;
}

static void point_free(Env *env, LogisticPoint *point)
{
    env->release(env, point->theta);
    env->release(env, point->gradient);
    if (point->blocks != NULL)
        env->release(env, point->blocks);
}

LogisticUse logistic_use(const LogisticPenalty *penalty, uint32_t count, uint32_t equations)
{
    if (penalty->l1 == 0 && penalty->l2 == 0)
        return LOGISTIC_UNPENALIZED;
    if (penalty->l1 > 0 || ((uint64_t)equations + 1) * count < 2 * GRADIENT_COLUMNS)
        return LOGISTIC_BY_CURVATURE;
    return LOGISTIC_BY_GRADIENTS;
}

/* Evaluates where the fit begins; returns whether that is the null model. */
static bool begin(LogisticWork *work, LogisticPoint *here, LogisticSolution *solution, bool curvature)
{
    const LogisticProblem *problem = work->problem;

    here->loss = solution->null_loss = null_model(problem, here->theta, work->shares);
    if (problem->start != NULL)
        memcpy(here->theta, problem->start, work->size * sizeof(double));
    else if (whole(problem) && (!curvature || problem->rows->gram != NULL)) {
        null_point(work, here, work->shares);
        return true;
    }
    logistic_evaluate(work, here, curvature);
    return problem->start == NULL;
}

LogisticSolution logistic_solve(const LogisticProblem *problem, bool hessian, const char *method)
{
    LogisticWork *work = work_new(problem);
    LogisticRows *rows = problem->rows;
    Env *env = rows->env;
    uint32_t size = work->size;
    bool dense = size <= NEWTON_MOST, by_gradients = rows->sampled || !dense, null;
    size_t square = (size_t)size * size;
    LogisticSolution solution = {.size = size};
    Newton newton = {.work = work, .sparse = problem->penalty.l1 > 0};

    env_require_memory(env, ((dense ? 4 * square : 0) + (by_gradients ? 50 : 8) * (size_t)size) * sizeof(double),
                       method);
    newton.here = point_new(work, !by_gradients);
    null = begin(work, &newton.here, &solution, !by_gradients);
    if (by_gradients) {
        logistic_lbfgs(work, &newton.here, null, &solution, method);
    } else {
        newton.there = point_new(work, true);
        newton.matrix = env_array(env, square + 1, sizeof(double));
        newton.factor = env_array(env, square + 1, sizeof(double));
        newton.gradient = env_array(env, (size_t)size + 1, sizeof(double));
        newton.step = env_array(env, (size_t)size + 1, sizeof(double));
        newton_solve(&newton, &solution, hessian, method);
        if (hessian)
            blocks_to_dense(newton.here.blocks, problem->equations, rows->count, newton.matrix);
        solution.hessian = hessian ? newton.matrix : NULL;
        point_free(env, &newton.there);
        env->release(env, newton.factor);
        env->release(env, newton.gradient);
        env->release(env, newton.step);
        if (!hessian)
            env->release(env, newton.matrix);
    }
    solution.theta = newton.here.theta;
    newton.here.theta = NULL;
    solution.loss = newton.here.loss;
    solution.objective = solution.loss + logistic_penalty(work, solution.theta);
    env->release(env, newton.here.gradient);
    if (newton.here.blocks != NULL)
        env->release(env, newton.here.blocks);
    work_free(work);
    return solution;
}
