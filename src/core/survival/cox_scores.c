/*
 * cox_scores.c - the scores of rows at the maximum of the partial likelihood, and the covariance that they give (Lin & Wei 1989; Therneau & Grambsch 2000, 7.1).
 */
#include "core/inference/sandwich.h"
#include "core/linalg/qr_factor.h"
#include "core/survival/cox_solver_internal.h"

#include <string.h>

/* ---- means at risk ---- */

/* Replaces the sums of a time, whose suffix sums are in running, by its own parts. */
static void set_time(CoxSolver *solver, uint32_t time, double *mean)
{
    double weight = solver->problem->times->death_weight[time], risk = solver->running[0], *sum = solver->sums + (size_t)time * (solver->terms + 1);
    double hazard = weight / risk;

    sum[0] = hazard / risk;
    for (uint32_t j = 0; j < solver->terms; j++) {
        mean[j] = solver->running[1 + j] / risk;
        sum[1 + j] = hazard * mean[j];
    }
}

/* The same by Efron's method: the mean of the l-th event is that of S1 - (l / d) T1. */
static void set_tied_time(CoxSolver *solver, uint32_t time, double *mean)
{
    TiedSums sums = cox_tied_sums(solver, time);
    double weight = solver->problem->times->death_weight[time];
    double *tied = solver->tie_sums + (size_t)solver->tie[time] * (solver->terms + 1), *sum = solver->sums + (size_t)time * (solver->terms + 1);

    sum[0] = sums.ss;
    for (uint32_t j = 1; j <= solver->terms; j++) {
        double s = solver->running[j], t = tied[j];

        mean[j - 1] = (sums.hazard * s - sums.spared * t) / weight;
        sum[j] = sums.ss * s + sums.st * t;
        tied[j] = -(sums.st * s + sums.tt * t);
    }
}

/*
 * Replaces the sums by what cox_means returns. mean: [event times x terms] receives the mean of x at risk, over the tied events by Efron's method. Destroys
 * the sums of tied rows: what rows with the event are spared of hazard times mean.
 */
static void mean_pass(CoxSolver *solver, double *mean)
{
    const CoxTimes *times = solver->problem->times;
    uint32_t width = solver->terms + 1;

    for (uint32_t s = 0; s < times->strata; s++) {
        uint32_t begin = s > 0 ? times->end[s - 1] : 0;

        memset(solver->running, 0, width * sizeof(double));
        for (uint32_t time = times->end[s]; time-- > begin;) {
            for (uint32_t j = 0; j < width; j++)
                solver->running[j] += solver->sums[(size_t)time * width + j];
            (solver->tie[time] != NO_TIME ? set_tied_time : set_time)(solver, time, mean + (size_t)time * solver->terms);
            if (time % DESIGN_TILE == 0)
                solver->env->poll(solver->env);
        }
        for (uint32_t time = begin + 1; time < times->end[s]; time++) {
            for (uint32_t j = 0; j < width; j++)
                solver->sums[(size_t)time * width + j] += solver->sums[(size_t)(time - 1) * width + j];
            if (time % DESIGN_TILE == 0)
                solver->env->poll(solver->env);
        }
    }
}

/* ---- scores of rows ---- */

/* Writes the score of a row, the one at `at` of the current tile: [terms]. */
static void row_score(const CoxSolver *solver, const double *mean, uint64_t row, uint32_t at, double *score)
{
    const CoxTimes *times = solver->problem->times;
    const double *const *columns = (const double *const *)solver->problem->rows->columns;
    uint32_t last = times->last[row], first = times->first != NULL ? times->first[row] : 0, terms = solver->terms;
    double hazard, risk = solver->risks[row], weight = times->event[row] ? times->weight[row] : 0;
    const double *until, *before, *spared;

    if (last == NO_TIME) {
        memset(score, 0, terms * sizeof(double));
        return;
    }
    hazard = cox_cumulative_risk(solver, row);
    until = solver->sums + (size_t)last * (terms + 1) + 1;
    before = first > 0 ? solver->sums + (size_t)(first - 1) * (terms + 1) + 1 : NULL;
    spared = times->event[row] && solver->tie[last] != NO_TIME ? solver->tie_sums + (size_t)solver->tie[last] * (terms + 1) + 1 : NULL;
    mean += (size_t)last * terms;
    for (uint32_t j = 0; j < terms; j++) {
        double x = columns[j][at];

        score[j] = weight * (x - mean[j]) - hazard * x + risk * (until[j] - (before != NULL ? before[j] : 0) - (spared != NULL ? spared[j] : 0));
    }
}

/* Adds the square of a score to the second sum. */
static void add_square(CoxSolver *solver, const double *score)
{
    uint32_t at = solver->filled++;

    solver->direction_weights[at] = 1;
    for (uint32_t j = 0; j < solver->terms; j++)
        solver->directions[j][at] = score[j];
    if (solver->filled == DESIGN_TILE)
        cox_flush_directions(solver);
}

/* Sets the second sum to that of the squares of the scores of rows, or of the sums of clusters. */
static void sum_squares(CoxSolver *solver, const double *mean)
{
    Env *env = solver->env;
    const CoxTimes *times = solver->problem->times;
    StandardizedRows *rows = solver->problem->rows;
    uint32_t terms = solver->terms;
    double *score = env_array(env, terms, sizeof(double)), *clusters = NULL;

    if (times->cluster != NULL) {
        env_require_memory(env, (size_t)times->clusters * terms * sizeof(double), "the clusters of cox_regression");
        clusters = env_array(env, (size_t)times->clusters * terms, sizeof(double));
    }
    memset(solver->meat, 0, factor_packed(terms) * sizeof(double));
    while (standardized_next_tile(rows)) {
        env->poll(env);
        for (uint32_t i = 0; i < rows->tile.count; i++) {
            uint64_t row = rows->tile.first + i;

            row_score(solver, mean, row, i, score);
            if (clusters == NULL)
                add_square(solver, score);
            else
                for (uint32_t j = 0; j < terms; j++)
                    clusters[(size_t)times->cluster[row] * terms + j] += score[j];
        }
    }
    for (uint32_t c = 0; clusters != NULL && c < times->clusters; c++)
        add_square(solver, clusters + (size_t)c * terms);
    cox_flush_directions(solver);
    env->release(env, clusters);
    env->release(env, score);
}

/* Adds a b to c, of matrices [n x n]. Polls. */
static void add_product(Env *env, const double *a, const double *b, uint32_t n, double *c)
{
    for (uint32_t j = 0; j < n; j++) {
        for (uint32_t k = 0; k < n; k++)
            for (uint32_t i = 0; i < n; i++)
                c[(size_t)j * n + i] += a[(size_t)k * n + i] * b[(size_t)j * n + k];
        env->poll(env);
    }
}

/* Returns the covariance by the products of the scores, from that of the curvature. */
static double *robust_covariance(CoxSolver *solver, const double *mean, const double *covariance)
{
    Env *env = solver->env;
    uint32_t terms = solver->terms;
    size_t size = (size_t)terms * terms;
    double *robust = env_array(env, size + 1, sizeof(double)), *product = env_array(env, size + 1, sizeof(double)), *meat = env_array(env, size + 1, sizeof(double));

    if (terms > 0)
        sum_squares(solver, mean);
    for (uint32_t j = 0; j < terms; j++)
        for (uint32_t i = 0; i <= j; i++)
            meat[(size_t)j * terms + i] = meat[(size_t)i * terms + j] = solver->meat[factor_packed(j) + i];
    add_product(env, meat, covariance, terms, product);
    add_product(env, covariance, product, terms, robust);
    env->release(env, meat);
    env->release(env, product);
    return robust;
}

/* Returns the Wald statistic of a covariance that is not the inverse of the curvature. */
static double robust_wald(const CoxSolver *solver, const double *covariance)
{
    Env *env = solver->env;
    uint32_t terms = solver->terms, kept = 0;
    double *own = env_array(env, (size_t)terms * terms + 1, sizeof(double)), *theta = env_array(env, (size_t)terms + 1, sizeof(double));
    size_t at = 0;

    for (uint32_t j = 0; j < terms; j++) {
        if (solver->dropped[j])
            continue;
        theta[kept++] = solver->theta[j];
        for (uint32_t i = 0; i < terms; i++)
            if (!solver->dropped[i])
                own[at++] = covariance[(size_t)j * terms + i];
    }
    return kept > 0 ? kept * wald_f(env, own, theta, kept) : 0;
}

const double *cox_means(CoxSolution *solution, bool robust)
{
    CoxSolver *solver = solution->solver;
    Env *env = solver->env;
    size_t size = (size_t)solver->count * solver->terms;
    double *mean;

    env_require_memory(env, size * sizeof(double), "the means at risk of cox_regression");
    mean = env_array_raw(env, size + 1, sizeof(double));
    mean_pass(solver, mean);
    if (robust) {
        solution->covariance = robust_covariance(solver, mean, solution->covariance);
        solution->wald_statistic = robust_wald(solver, solution->covariance);
    }
    env->release(env, mean);
    return solver->sums;
}
