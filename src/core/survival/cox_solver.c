/*
 * cox_solver.c - Newton's method for the partial likelihood (Cox 1972; Therneau & Grambsch 2000, 3.1 and 3.3).
 */
#include "core/linalg/cholesky.h"
#include "core/linalg/qr_factor.h"
#include "core/survival/cox_solver_internal.h"

#include <math.h>
#include <string.h>

#define BLOCK 8              /* rows that are transposed together: a cache line of each column */
#define SCORE_MOST 600       /* exp of more may overflow in a sum */
#define RISK_LEAST 1e-10     /* share of the most risk of a stratum below which the risk that late entries leave has lost its digits */
#define VARIES 1e-11         /* share of its square by which a column must vary among rows at risk */
#define HALVINGS 40
#define POLL_DEATHS 16384
#define SUFFICIENT 0.5       /* share of the promise that a step must gain: less lets it jump to where no curvature leads back */
#define ROUNDING 1e-12       /* share of the log-likelihood that a step may lose */
#define ROUNDING_PROMISE 1e-10 /* what a step may promise when rounding stops it */
#define SEPARATED_PROMISE 1e-6 /* near the maximum Newton's steps promise less and less, */
#define SEPARATED_RATE 0.1     /* far below this share of the one before; if they do not, */
#define SEPARATED_STEP 1e-3    /* and still move a coefficient by so many standard deviations, */
#define SEPARATED_STEPS 3      /* so many times, there is no maximum */
#define DAMPING 1e-8           /* share of a column's curvature at 0 that is added where none is left, so that the others reach their maximum */

/* ---- sums over rows ---- */

/* Adds rows to the sums of their last event time, and takes them away before their first. */
static void add_block(CoxSolver *solver, uint64_t row, uint32_t at, uint32_t count)
{
    const CoxTimes *times = solver->problem->times;
    uint32_t width = solver->terms + 1;

    for (uint32_t b = 0; b < BLOCK; b++)
        solver->transposed[b * width] = b < count ? solver->risks[row + b] : 0;
    for (uint32_t j = 0; j < solver->terms; j++) {
        const double *x = solver->problem->rows->columns[j] + at;

        for (uint32_t b = 0; b < BLOCK; b++)
            solver->transposed[b * width + 1 + j] = solver->transposed[b * width] * x[b];
    }
    for (uint32_t b = 0; b < count; b++) {
        const double *own = solver->transposed + b * width;
        uint32_t last = times->last[row + b], first = times->first != NULL ? times->first[row + b] : 0;
        double *sum;

        if (last == NO_TIME)
            continue;
        sum = solver->sums + (size_t)last * width;
        for (uint32_t j = 0; j < width; j++)
            sum[j] += own[j];
        if (first > 0) {
            sum = solver->sums + (size_t)(first - 1) * width;
            for (uint32_t j = 0; j < width; j++)
                sum[j] -= own[j];
        }
        if (times->event[row + b] && solver->tie[last] != NO_TIME) {
            sum = solver->tie_sums + (size_t)solver->tie[last] * width;
            for (uint32_t j = 0; j < width; j++)
                sum[j] += own[j];
        }
    }
}

/* Sets eta to the scores of the current tile, with their offsets. */
static void score_tile(CoxSolver *solver, const double *theta)
{
    const StandardizedRows *rows = solver->problem->rows;

    if (solver->terms > 0)
        tile_scores(rows->columns, solver->terms, theta, solver->eta);
    else
        memset(solver->eta, 0, DESIGN_TILE * sizeof(double));
    for (uint32_t i = 0; rows->offset != NULL && i < rows->tile.count; i++)
        solver->eta[i] += rows->offset[i];
}

static void risk_pass(CoxSolver *solver, const double *theta)
{
    StandardizedRows *rows = solver->problem->rows;
    const double *weight = solver->problem->times->weight;
    size_t width = solver->terms + 1;

    env_zero(solver->env, solver->sums, solver->count * width * sizeof(double));
    env_zero(solver->env, solver->tie_sums, solver->ties * width * sizeof(double));
    solver->inexact = false;
    solver->event_offset = 0;
    while (standardized_next_tile(rows)) {
        uint64_t row = rows->tile.first;

        solver->env->poll(solver->env);
        score_tile(solver, theta);
        for (uint32_t i = 0; i < rows->tile.count; i++) {
            solver->inexact |= !(fabs(solver->eta[i]) <= SCORE_MOST);
            solver->risks[row + i] = weight[row + i] * exp(solver->eta[i]);
            if (rows->offset != NULL && solver->problem->times->event[row + i])
                solver->event_offset += weight[row + i] * rows->offset[i];
        }
        for (uint32_t at = 0; at < rows->tile.count; at += BLOCK)
            add_block(solver, row + at, at, rows->tile.count - at < BLOCK ? rows->tile.count - at : BLOCK);
    }
}

/* ---- sums over event times ---- */

void cox_flush_directions(CoxSolver *solver)
{
    for (uint32_t i = solver->filled; i < DESIGN_TILE; i++)
        solver->direction_weights[i] = 0;
    if (solver->terms > 0 && solver->filled > 0)
        tile_gram(solver->env, (const double *const *)solver->directions, solver->terms, solver->direction_weights,
                  solver->problem->rows->scratch, solver->meat);
    solver->filled = 0;
}

/* Adds weight times the square of a S1 + b (S1 of the tied events). */
static void add_direction(CoxSolver *solver, double weight, double a, double b, const double *tied)
{
    uint32_t at = solver->filled++;

    solver->direction_weights[at] = weight;
    for (uint32_t j = 0; j < solver->terms; j++)
        solver->directions[j][at] = a * solver->running[1 + j] + (tied != NULL ? b * tied[1 + j] : 0);
    if (solver->filled == DESIGN_TILE)
        cox_flush_directions(solver);
}

/* Adds a time with one event, or several by Breslow's method; returns its part of the log-likelihood. */
static double add_time(CoxSolver *solver, uint32_t time)
{
    double weight = solver->problem->times->death_weight[time], risk = solver->running[0];

    solver->hazard[time] = weight / risk;
    solver->spared[time] = 0;
    for (uint32_t j = 0; j < solver->terms; j++)
        solver->gradient[j] -= weight / risk * solver->running[1 + j];
    add_direction(solver, weight, 1 / risk, 0, NULL);
    return -weight * log(risk);
}

TiedSums cox_tied_sums(const CoxSolver *solver, uint32_t time)
{
    const CoxTimes *times = solver->problem->times;
    double deaths = times->deaths[time], each = times->death_weight[time] / deaths, tied = solver->tie_sums[(size_t)solver->tie[time] * (solver->terms + 1)];
    TiedSums sums = {.each = each};

    for (uint32_t l = 0; l < times->deaths[time]; l++) {
        double share = l / deaths, risk = solver->running[0] - share * tied, here = each / risk;

        sums.log_risk += log(risk);
        sums.hazard += here;
        sums.spared += share * here;
        sums.ss += here / risk;
        sums.st -= share * here / risk;
        sums.tt += share * share * here / risk;
        if (l % POLL_DEATHS == POLL_DEATHS - 1)
            solver->env->poll(solver->env);
    }
    return sums;
}

/*
 * The same by Efron's method: the l-th of d events sees the tied rows at 1 - l / d of their risk. The d squares of S1 - (l / d) T1, with T1 the sum of the
 * tied rows, are two of combinations of S1 and T1.
 */
static double add_tied_time(CoxSolver *solver, uint32_t time)
{
    const double *tied = solver->tie_sums + (size_t)solver->tie[time] * (solver->terms + 1);
    TiedSums sums = cox_tied_sums(solver, time);
    double root = sqrt(sums.ss);

    solver->hazard[time] = sums.hazard;
    solver->spared[time] = sums.spared;
    for (uint32_t j = 0; j < solver->terms; j++)
        solver->gradient[j] -= sums.hazard * solver->running[1 + j] - sums.spared * tied[1 + j];
    add_direction(solver, 1, root, sums.st / root, tied);
    add_direction(solver, fmax(0, sums.tt - sums.st / root * (sums.st / root)), 0, 1, tied);
    return -sums.each * sums.log_risk;
}

/* Sets gradient, hazards and the second sum of the curvature; returns the part of the log-likelihood without the scores of the events. */
static double time_pass(CoxSolver *solver)
{
    const CoxTimes *times = solver->problem->times;
    uint32_t width = solver->terms + 1;
    double sum = 0;

    memcpy(solver->gradient, solver->event_sum, solver->terms * sizeof(double));
    memset(solver->meat, 0, factor_packed(solver->terms) * sizeof(double));
    for (uint32_t s = 0; s < times->strata; s++) {
        uint32_t begin = s > 0 ? times->end[s - 1] : 0;
        double most = 0;

        memset(solver->running, 0, width * sizeof(double));
        for (uint32_t time = times->end[s]; time-- > begin;) {
            for (uint32_t j = 0; j < width; j++)
                solver->running[j] += solver->sums[(size_t)time * width + j];
            most = fmax(most, solver->running[0]);
            solver->inexact |= !(solver->running[0] > RISK_LEAST * most);
            sum += solver->tie[time] != NO_TIME ? add_tied_time(solver, time) : add_time(solver, time);
            if (time % DESIGN_TILE == 0)
                solver->env->poll(solver->env);
        }
        for (uint32_t time = begin + 1; time < times->end[s]; time++) {
            solver->hazard[time] += solver->hazard[time - 1];
            env_poll_rows(solver->env, time);
        }
    }
    cox_flush_directions(solver);
    return sum;
}

/* Returns the log-likelihood at theta, -INFINITY where a number overflows or loses its digits, and sets all that add_block and time_pass set. */
static double evaluate(CoxSolver *solver, const double *theta)
{
    double likelihood;

    risk_pass(solver, theta);
    if (solver->inexact)
        return -INFINITY;
    likelihood = time_pass(solver);
    if (solver->inexact)
        return -INFINITY;
    likelihood += solver->event_offset;
    for (uint32_t j = 0; j < solver->terms; j++)
        likelihood += theta[j] * solver->event_sum[j];
    return isfinite(likelihood) ? likelihood : -INFINITY;
}

/* ---- the curvature ---- */

/* Calls for each tile with the weights that `weigh` gives its rows. */
static void walk_tiles(CoxSolver *solver, double (*weigh)(const CoxSolver *solver, uint64_t row), void (*add)(CoxSolver *solver))
{
    StandardizedRows *rows = solver->problem->rows;

    if (solver->terms == 0)
        return;
    while (standardized_next_tile(rows)) {
        solver->env->poll(solver->env);
        for (uint32_t i = 0; i < DESIGN_TILE; i++)
            solver->tile_weights[i] = i < rows->tile.count ? weigh(solver, rows->tile.first + i) : 0;
        add(solver);
    }
}

static double event_weight(const CoxSolver *solver, uint64_t row)
{
    const CoxTimes *times = solver->problem->times;

    return times->event[row] ? times->weight[row] : 0;
}

double cox_cumulative_risk(const CoxSolver *solver, uint64_t row)
{
    const CoxTimes *times = solver->problem->times;
    uint32_t last = times->last[row];
    double hazard;

    if (last == NO_TIME)
        return 0;
    hazard = solver->hazard[last];
    if (times->first != NULL && times->first[row] > 0)
        hazard -= solver->hazard[times->first[row] - 1];
    return solver->risks[row] * (times->event[row] ? hazard - solver->spared[last] : hazard);
}

static void add_products(CoxSolver *solver)
{
    tile_products(solver->problem->rows->columns, solver->terms, solver->tile_weights, solver->event_sum);
}

static void add_gram(CoxSolver *solver)
{
    tile_gram(solver->env, solver->problem->rows->columns, solver->terms, solver->tile_weights, solver->problem->rows->scratch, solver->gram);
}

/* Factors the curvature without the dropped columns, and with what damps it; returns the first dependent column, or terms. */
static uint32_t factor_curvature(CoxSolver *solver)
{
    uint32_t terms = solver->terms;

    for (uint32_t j = 0; j < terms; j++)
        for (uint32_t i = 0; i <= j; i++) {
            double number = solver->gram[factor_packed(j) + i] - solver->meat[factor_packed(j) + i] + (i == j ? solver->damping[j] : 0);

            solver->factor[(size_t)i * terms + j] = !solver->dropped[i] && !solver->dropped[j] ? number : i == j;
        }
    return cholesky_factor(solver->env, solver->factor, terms, CHOLESKY_TOLERANCE(terms));
}

static void curvature_pass(CoxSolver *solver)
{
    memset(solver->gram, 0, factor_packed(solver->terms) * sizeof(double));
    walk_tiles(solver, cox_cumulative_risk, add_gram);
}

/* Drops columns that do not vary among the rows at risk, or depend on others there, at theta = 0. */
static void drop_columns(CoxSolver *solver)
{
    uint32_t dependent;

    for (uint32_t j = 0; j < solver->terms; j++) {
        double square = solver->gram[factor_packed(j) + j];

        solver->dropped[j] = !(square - solver->meat[factor_packed(j) + j] > VARIES * square);
    }
    while ((dependent = factor_curvature(solver)) < solver->terms)
        solver->dropped[dependent] = 1;
    for (uint32_t j = 0; j < solver->terms; j++)
        solver->curvature[j] = solver->gram[factor_packed(j) + j] - solver->meat[factor_packed(j) + j];
}

/* Marks the columns of the direction in which the curvature up to a dependent column vanishes: the factor has what earlier ones explain of it. */
static void mark_flat(CoxSolver *solver, uint32_t dependent)
{
    uint32_t terms = solver->terms;

    solver->flat[dependent] = 1;
    for (uint32_t j = dependent; j-- > 0;) {
        double sum = solver->factor[(size_t)j * terms + dependent];

        for (uint32_t i = j + 1; i < dependent; i++)
            sum -= solver->factor[(size_t)j * terms + i] * solver->step[i];
        solver->step[j] = sum / solver->factor[(size_t)j * terms + j];
        solver->flat[j] |= fabs(solver->step[j]) > SEPARATED_STEP;
    }
}

/* Tells whether the curvature is finite: it is not where risks of some rows are 0 beside those of others. */
static bool curvature_is_finite(const CoxSolver *solver)
{
    for (size_t i = 0; i < factor_packed(solver->terms); i++)
        if (!isfinite(solver->gram[i] - solver->meat[i]))
            return false;
    return true;
}

/* Factors a finite curvature, and adds to its diagonal where it vanishes as coefficients grow. Returns whether it had to. */
static bool factor_damped(CoxSolver *solver)
{
    uint32_t dependent;
    bool flat = false;

    memset(solver->damping, 0, solver->terms * sizeof(double));
    memset(solver->flat, 0, solver->terms);
    while ((dependent = factor_curvature(solver)) < solver->terms) {
        solver->env->poll(solver->env);
        if (solver->damping[dependent] > 0)
            solver->damping[dependent] *= 100;
        else
            mark_flat(solver, dependent);
        solver->damping[dependent] = fmax(solver->damping[dependent], DAMPING * solver->curvature[dependent]);
        flat = true;
    }
    return flat;
}

/* Sets the step from the factor; returns how much the log-likelihood would rise if it were quadratic. */
static double find_step(CoxSolver *solver)
{
    double promise = 0;

    for (uint32_t j = 0; j < solver->terms; j++)
        solver->step[j] = solver->dropped[j] ? 0 : solver->gradient[j];
    cholesky_solve(solver->env, solver->factor, solver->terms, solver->step, 1);
    for (uint32_t j = 0; j < solver->terms; j++)
        promise += solver->step[j] * solver->step[j] / 2;
    cholesky_solve_transposed(solver->env, solver->factor, solver->terms, solver->step, 1);
    return promise;
}

/*
 * Moves theta by the step, or by a half, a quarter, ... of it, so that the log-likelihood rises enough; returns false if it does not. beyond: whether risks of a
 * longer step are beyond what numbers hold.
 */
static bool advance(CoxSolver *solver, double promise, double *likelihood, bool *beyond)
{
    double length = 1;

    *beyond = false;
    for (int i = 0; i < HALVINGS; i++, length /= 2) {
        double reached;

        for (uint32_t j = 0; j < solver->terms; j++)
            solver->trial[j] = solver->theta[j] + length * solver->step[j];
        reached = evaluate(solver, solver->trial);
        *beyond = *beyond || solver->inexact;
        if (reached >= *likelihood + SUFFICIENT * length * promise - ROUNDING * fabs(*likelihood)) {
            memcpy(solver->theta, solver->trial, solver->terms * sizeof(double));
            *likelihood = reached;
            return true;
        }
    }
    evaluate(solver, solver->theta);
    return false;
}

static bool moves_far(const CoxSolver *solver, uint32_t term)
{
    return fabs(solver->step[term]) > SEPARATED_STEP;
}

/* Climbs from theta = 0, where all has been evaluated and factored. */
static void climb(CoxSolver *solver, CoxSolution *solution)
{
    const CoxProblem *problem = solver->problem;
    double before = INFINITY;
    uint32_t slow = 0;
    bool flat = false, beyond;

    for (;; solution->iterations++) {
        double promise = find_step(solver), rate = promise / before;
        bool far = false;

        for (uint32_t j = 0; j < solver->terms; j++)
            far = far || moves_far(solver, j);
        solver->env->progress(solver->env, "Newton", (uint64_t)solution->iterations, (uint64_t)problem->max_iter, -solution->log_likelihood);
        if (solution->iterations == 0)
            solution->score_statistic = 2 * promise;
        solution->converged = !flat && (promise <= problem->tolerance || (promise < ROUNDING_PROMISE && rate > SEPARATED_RATE && !far));
        slow = promise < SEPARATED_PROMISE && rate > SEPARATED_RATE && far ? slow + 1 : 0;
        solution->separated = slow >= SEPARATED_STEPS || (flat && promise < ROUNDING_PROMISE);
        if (solution->converged || solution->separated || solution->iterations >= problem->max_iter)
            return;
        if (!advance(solver, promise, &solution->log_likelihood, &beyond)) {
            solution->beyond = beyond;
            solution->separated = flat && !beyond;
            return;
        }
        before = promise;
        curvature_pass(solver);
        solution->beyond = !curvature_is_finite(solver);
        if (solution->beyond)
            return;
        flat = factor_damped(solver);
    }
}

/* ---- the solution ---- */

/* Sets what follows from the factor of the curvature, unless it is singular. */
static void add_covariance(CoxSolver *solver, CoxSolution *solution)
{
    Env *env = solver->env;
    uint32_t terms = solver->terms;

    memset(solver->damping, 0, terms * sizeof(double));
    if (factor_curvature(solver) < terms)
        return;
    solution->wald_statistic = 0;
    for (uint32_t j = 0; j < terms; j++) {
        double product = 0;

        for (uint32_t i = j; i < terms; i++)
            product += solver->factor[(size_t)j * terms + i] * solver->theta[i];
        solution->wald_statistic += product * product;
    }
    solution->covariance = env_array(env, (size_t)terms * terms + 1, sizeof(double));
    for (uint32_t j = 0; j < terms; j++)
        solution->covariance[(size_t)j * terms + j] = !solver->dropped[j];
    cholesky_solve(env, solver->factor, terms, solution->covariance, terms);
    cholesky_solve_transposed(env, solver->factor, terms, solution->covariance, terms);
}

const double *cox_row_scores(CoxSolution *solution)
{
    CoxSolver *solver = solution->solver;
    StandardizedRows *rows = solver->problem->rows;

    while (standardized_next_tile(rows)) {
        solver->env->poll(solver->env);
        score_tile(solver, solver->theta);
        memcpy(solver->risks + rows->tile.first, solver->eta, rows->tile.count * sizeof(double));
    }
    return solver->risks;
}

/* Numbers the times at which Efron's method differs from Breslow's. */
static void number_ties(CoxSolver *solver)
{
    solver->tie = env_array_raw(solver->env, (size_t)solver->count + 1, sizeof(uint32_t));
    for (uint32_t time = 0; time < solver->count; time++)
        solver->tie[time] = solver->problem->efron && solver->problem->times->deaths[time] > 1 ? solver->ties++ : NO_TIME;
}

static void allocate(CoxSolver *solver)
{
    Env *env = solver->env;
    size_t terms = solver->terms, width = terms + 1, packed = factor_packed(terms) + 1;
    double *aligned;
    void *block;

    env_require_memory(env, (((size_t)solver->count + solver->ties) * width + 2 * (size_t)solver->count + solver->problem->times->rows + 2 * packed + 2 * terms * terms +
                             terms * (DESIGN_TILE + 5 + BLOCK)) * sizeof(double), "the risk sets of cox_regression");
    solver->risks = env_array_raw(env, solver->problem->times->rows, sizeof(double));
    solver->sums = env_array_raw(env, (size_t)solver->count * width, sizeof(double));
    solver->tie_sums = env_array_raw(env, (size_t)solver->ties * width + 1, sizeof(double));
    solver->hazard = env_array(env, solver->count, sizeof(double));
    solver->spared = env_array(env, solver->count, sizeof(double));
    solver->running = env_array(env, width, sizeof(double));
    solver->transposed = env_array(env, BLOCK * width, sizeof(double));
    solver->event_sum = env_array(env, width, sizeof(double));
    solver->theta = env_array(env, width, sizeof(double));
    solver->trial = env_array(env, width, sizeof(double));
    solver->gradient = env_array(env, width, sizeof(double));
    solver->step = env_array(env, width, sizeof(double));
    solver->gram = env_array(env, packed, sizeof(double));
    solver->meat = env_array(env, packed, sizeof(double));
    solver->factor = env_array(env, terms * terms + 1, sizeof(double));
    solver->dropped = env_array(env, width, 1);
    solver->flat = env_array(env, width, 1);
    solver->curvature = env_array(env, width, sizeof(double));
    solver->damping = env_array(env, width, sizeof(double));
    solver->directions = env_array(env, terms + TILE_PADDING, sizeof(double *));
    aligned = env_aligned(env, (terms + 3) * DESIGN_TILE, &block);
    memset(aligned, 0, (terms + 3) * DESIGN_TILE * sizeof(double));
    for (size_t j = 0; j < terms + TILE_PADDING; j++)
        solver->directions[j] = j < terms ? aligned + j * DESIGN_TILE : solver->problem->rows->zeros;
    solver->direction_weights = aligned + terms * DESIGN_TILE;
    solver->eta = solver->direction_weights + DESIGN_TILE;
    solver->tile_weights = solver->eta + DESIGN_TILE;
}

CoxSolution cox_solve(const CoxProblem *problem)
{
    Env *env = problem->env;
    CoxSolver *solver = env_array(env, 1, sizeof(CoxSolver));
    CoxSolution solution = {.solver = solver, .wald_statistic = NAN};

    *solver = (CoxSolver){.problem = problem, .env = env, .terms = problem->rows->terms, .count = problem->times->count};
    number_ties(solver);
    allocate(solver);
    walk_tiles(solver, event_weight, add_products);
    solution.log_likelihood = solution.null_log_likelihood = evaluate(solver, solver->theta);
    if (!isfinite(solution.log_likelihood))
        env_fail(env, ERROR_RANGE, problem->rows->offsets != NULL ? "Leave out rows of tiny weight, or with offsets far from the others." : "Leave out rows of tiny weight.",
                 "the weights%s of the rows at risk differ by more than double precision holds", problem->rows->offsets != NULL ? " and offsets" : "");
    curvature_pass(solver);
    drop_columns(solver);
    climb(solver, &solution);
    solution.infinite = env_array(env, (size_t)solver->terms + 1, 1);
    for (uint32_t j = 0; j < solver->terms; j++) {
        solution.infinite[j] = (solution.separated || solution.beyond) && (moves_far(solver, j) || solver->flat[j]);
        solution.kept += !solver->dropped[j];
    }
    add_covariance(solver, &solution);
    solution.theta = solver->theta;
    solution.hazard = solver->hazard;
    solution.spared = solver->spared;
    solution.dropped = solver->dropped;
    return solution;
}
