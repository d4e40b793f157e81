/*
 * glm_solver.c - Fisher scoring.
 */
#include "core/glm/glm_solver.h"

#include "core/glm/glm_tile.h"
#include "core/glm/glm_zero_sums.h"
#include "core/linalg/cholesky.h"
#include "core/linalg/penalized_quadratic.h"
#include "core/linalg/qr_factor.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define HALVINGS 40               /* of one step, at most */
#define EDGE DBL_EPSILON          /* means of bounded links, and their slopes, stay as far from 0 and 1 */
#define EXTREME (10 * DBL_EPSILON) /* means as near to the end of their domain grow out of coefficients without bound: as R has it */
#define GROWING 1e-6               /* last steps above this share of the coefficients lead to infinity: those to a maximum end with less */
/*
 * Share of the gain it promises that the step from the mean of the targets has to reach. Of 48 kinds of counts and amounts, those that reach it take at most two
 * steps more from there than from the targets, which cost two passes; the others take up to 60 more.
 */
#define KEPT_PROMISE 0.75
#define NEAR 0.01                  /* steps with gains of at most this share go by the curvature of the likelihood, */
#define ENDING 1e-8               /* and with those of at most this one, the next one is the last by it */
#define DESCENT_SHARE 1e-3        /* of the gain at which steps end, that may be left when a quadratic model is solved */

/* The parts of GlmProblem.room. */
enum { ROOM_SCORE, ROOM_MEAN, ROOM_SLOPE, ROOM_VARIANCE, ROOM_DEVIANCE, ROOM_GRADIENT, ROOM_CURVATURE, ROOM_PARTS };
_Static_assert(ROOM_PARTS == GLM_ROOM, "as the header says");

static double *room_of(const GlmProblem *problem, int part)
{
    return problem->room + part * DESIGN_TILE;
}

/* ---- a tile ---- */

static const double *const *columns_of(const GlmProblem *problem, uint32_t count)
{
    return count < problem->rows->count ? problem->null_columns : problem->rows->columns;
}

void glm_means(const Link *link, const double *score, uint32_t count, double *mean, double *slope)
{
    const LinkFunction *function = link->function;

    if (function->growth) { /* only exp grows in proportion to itself */
        glm_exponentials(score, count, mean);
        memcpy(slope, mean, count * sizeof(double));
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        mean[i] = function->positive && !(score[i] > 0) ? NAN : link_mean(link, score[i]);
        slope[i] = link_slope(link, score[i]);
    }
    for (uint32_t i = 0; function->bounded && i < count; i++) {
        mean[i] = fmin(fmax(mean[i], EDGE), 1 - EDGE);
        slope[i] = fmax(slope[i], EDGE);
    }
}

GlmTile glm_tile_at(const GlmProblem *problem, const double *const *columns, uint32_t count, const double *theta, const DesignTile *rows, const double *offsets)
{
    double *score = room_of(problem, ROOM_SCORE);
    GlmTile tile = {rows->count, rows->targets, rows->weights, room_of(problem, ROOM_MEAN), room_of(problem, ROOM_SLOPE),
                    room_of(problem, ROOM_GRADIENT), room_of(problem, ROOM_CURVATURE)};

    if (count > 0)
        tile_scores(columns, count, theta, score);
    else
        memset(score, 0, DESIGN_TILE * sizeof(double));
    for (uint32_t i = 0; offsets != NULL && i < tile.count; i++)
        score[i] += offsets[i];
    glm_means(&problem->link, score, tile.count, tile.mean, tile.slope);
    return tile;
}

bool glm_next_tile(GlmProblem *problem, uint32_t count, const double *theta, GlmTile *tile)
{
    if (count < problem->rows->count ? !standardized_next_targets(problem->rows) : !standardized_next_tile(problem->rows))
        return false;
    *tile = glm_tile_at(problem, columns_of(problem, count), count, theta, &problem->rows->tile, problem->rows->offset);
    return true;
}

/* ---- a pass ---- */

static GlmPoint new_point(const GlmProblem *problem, uint32_t count)
{
    Env *env = problem->env;
    GlmPoint point = {.count = count};

    point.theta = env_array(env, (size_t)count + 1, sizeof(double));
    point.gradient = env_array(env, (size_t)count + TILE_PADDING, sizeof(double));
    point.zero_slope = env_array(env, (size_t)count + TILE_PADDING, sizeof(double));
    point.gram = env_array(env, factor_packed(count) + 1, sizeof(double));
    return point;
}

static void free_point(const GlmProblem *problem, GlmPoint *point)
{
    Env *env = problem->env;

    env->release(env, point->theta);
    env->release(env, point->gradient);
    env->release(env, point->zero_slope);
    env->release(env, point->gram);
}

bool glm_add_rows(const GlmProblem *problem, const GlmTile *tile, GlmPoint *point)
{
    const GlmFamily *family = problem->family;
    double *variance = room_of(problem, ROOM_VARIANCE), *deviance = room_of(problem, ROOM_DEVIANCE), *pearson = room_of(problem, ROOM_SCORE);
    double extreme = fmax(EXTREME * (problem->mean > 0 ? fmin(1, problem->mean) : 1), problem->link.function->bounded ? 2 * EDGE : 0); /* no mean is below EDGE there */
    GlmTerms terms = {tile->targets, tile->weights, tile->mean, tile->slope, variance, deviance, pearson, tile->gradient, tile->curvature, 0, 0};
    size_t rest = (DESIGN_TILE - tile->count) * sizeof(double);

    family->tile(tile->targets, tile->mean, tile->count, problem->parameter, variance, deviance);
    glm_terms(&terms, tile->count);
    for (uint32_t i = 0; problem->observed && i < tile->count; i++) {
        double elasticity = family->elasticity(tile->mean[i], problem->parameter);

        tile->curvature[i] *= 1 - elasticity + elasticity * tile->targets[i] / tile->mean[i];
    }
    memset(tile->gradient + tile->count, 0, rest);
    memset(tile->curvature + tile->count, 0, rest);
    memset(deviance + tile->count, 0, rest);
    memset(pearson + tile->count, 0, rest);
    point->deviance += tile_sum(deviance);
    point->pearson += tile_sum(pearson);
    point->extreme = point->extreme || ((family->counts || family->highest == 1) && (terms.least < extreme || terms.most > family->highest - EXTREME));
    return terms.least > family->lowest && terms.most < family->highest && isfinite(point->deviance);
}

/* Computes all that a pass finds of the coefficients of a point; if one is not valid, no more than that. */
static void evaluate(GlmProblem *problem, GlmPoint *point)
{
    Env *env = problem->env;
    const StandardizedRows *rows = problem->rows;
    const double *const *columns = columns_of(problem, point->count);
    GlmTile tile;

    point->observed = problem->observed;
    point->counted = problem->last;
    point->zeros = (GlmZeroSums){0};
    point->valid = true;
    point->extreme = false;
    point->deviance = point->pearson = 0;
    memset(point->gradient, 0, ((size_t)point->count + TILE_PADDING) * sizeof(double));
    memset(point->zero_slope, 0, ((size_t)point->count + TILE_PADDING) * sizeof(double));
    memset(point->gram, 0, factor_packed(point->count) * sizeof(double));
    while (glm_next_tile(problem, point->count, point->theta, &tile)) {
        point->valid = point->valid && glm_add_rows(problem, &tile, point);
        if (!point->valid || point->count == 0)
            continue;
        tile_products(columns, point->count, room_of(problem, ROOM_GRADIENT), point->gradient);
        tile_gram(env, columns, point->count, room_of(problem, ROOM_CURVATURE), rows->scratch, point->gram);
        if (point->counted)
            glm_zeros_add(problem, columns, point->count, &tile, &point->zeros, point->zero_slope);
    }
    point->deviance = fmax(0, point->deviance); /* rounding of a perfect fit */
}

/* ---- single rows ---- */

static void __attribute__((noreturn)) fail_target(const GlmProblem *problem, double target)
{
    env_fail(problem->env, ERROR_DATA, "Choose a \"family\" of glm that has such targets, or leave the row out.", "a target of %s is %.6g, but must be %s", problem->method, target,
             problem->family->targets);
}

void glm_count_rows(GlmProblem *problem, const double *targets, const double *weights, const double *offsets, uint32_t count)
{
    const GlmFamily *family = problem->family;
    double logs[DESIGN_TILE];

    for (uint32_t i = 0; i < count; i++) {
        if (!glm_family_has(family, targets[i]))
            fail_target(problem, targets[i]);
        problem->weight += weights[i];
        problem->mean += weights[i] * targets[i];
        problem->offset += offsets != NULL ? weights[i] * offsets[i] : 0;
    }
    if (family->constant == NULL)
        return;
    glm_logs(targets, count, logs);
    for (uint32_t i = 0; i < count; i++)
        problem->constant += family->constant(targets[i], logs[i], weights[i], problem->frequency);
}

void glm_start_row(const GlmProblem *problem, double target, double weight, double offset, double *gradient, double *curvature)
{
    const GlmFamily *family = problem->family;
    double mean, score, slope, variance, unused;

    mean = family->start(target, problem->frequency ? 1 : weight);
    score = link_score(&problem->link, mean);
    slope = link_slope(&problem->link, score);
    family->tile(&target, &mean, 1, problem->parameter, &variance, &unused);
    *curvature = weight * slope * slope / variance;
    *gradient = *curvature * (score - offset + (target - mean) / slope);
    if (!isfinite(*gradient) || !isfinite(*curvature))
        *gradient = *curvature = 0;
}

bool glm_solve_step(const GlmProblem *problem, const GlmPoint *point, double *factor, double *step)
{
    uint32_t count = point->count;

    dense_from_packed(factor, point->gram, count);
    if (cholesky_factor(problem->env, factor, count, CHOLESKY_TOLERANCE(count)) < count)
        return false;
    memcpy(step, point->gradient, count * sizeof(double));
    cholesky_solve(problem->env, factor, count, step, 1);
    cholesky_solve_transposed(problem->env, factor, count, step, 1);
    for (uint32_t j = 0; j < count; j++)
        if (!isfinite(step[j]))
            return false;
    return true;
}

double *glm_inverse(Env *env, const double *factor, uint32_t count, double dispersion)
{
    double *inverse = env_array(env, (size_t)count * count, sizeof(double));

    for (uint32_t j = 0; j < count; j++)
        inverse[(size_t)j * count + j] = dispersion;
    cholesky_solve(env, factor, count, inverse, count);
    cholesky_solve_transposed(env, factor, count, inverse, count);
    return inverse;
}

void glm_begin(GlmProblem *problem)
{
    Env *env = problem->env;
    StandardizedRows *rows = problem->rows;
    void *memory;

    env_require_memory(env, 12 * factor_packed(rows->count) * sizeof(double), problem->method);
    problem->room = env_aligned(env, ROOM_PARTS * DESIGN_TILE, &memory);
    problem->null_columns = env_array(env, 1 + TILE_PADDING, sizeof(double *));
    problem->null_columns[0] = rows->ones;
    for (uint32_t j = 0; j < TILE_PADDING; j++)
        problem->null_columns[1 + j] = rows->zeros;
    while (standardized_next_targets(rows))
        glm_count_rows(problem, rows->tile.targets, rows->tile.weights, rows->offset, rows->tile.count);
    problem->mean /= problem->weight;
    problem->offset /= problem->weight;
}

/* ---- steps ---- */

double glm_objective(const GlmProblem *problem, const GlmPoint *point)
{
    return point->deviance + (problem->l2 != NULL ? 2 * penalty_sum(point->count, problem->l1, problem->l2, point->theta) : 0);
}

/*
 * Evaluates points along the step until one is valid and gains enough of what the slope promises; returns false if none does. A quadratic
 * deviance gains all of it.
 */
static bool search_line(GlmProblem *problem, const GlmPoint *here, const double *step, double gain, GlmPoint *there)
{
    double length = 1, objective = glm_objective(problem, here), rounding = NEWTON_ROUNDING * fabs(objective);

    if (problem->family->highest == 1) /* a share near 1 has the digits of 1, and so has the logarithm in its deviance */
        rounding += 4 * DBL_EPSILON * problem->weight;
    for (int i = 0; i < HALVINGS; i++, length /= 2) {
        for (uint32_t j = 0; j < here->count; j++)
            there->theta[j] = here->theta[j] + length * step[j];
        evaluate(problem, there);
        if (there->valid && glm_objective(problem, there) <= objective - NEWTON_ENOUGH * length * gain + rounding)
            return true;
    }
    return false;
}

/* What steps are computed in. */
typedef struct StepRoom {
    GlmPoint there;          /* the point that a step tries */
    double *step;            /* [count] */
    double *factor;          /* [count x count] */
    double *slope, *descent; /* under a penalty: [count], and [QUADRATIC_ROOM(count)] for the quadratic model */
} StepRoom;

/* Finds the step that minimizes the quadratic model with the penalty. Returns the decrease of the objective that its slope promises. */
static double penalized_step(const GlmProblem *problem, const GlmPoint *here, double least_gain, StepRoom *room)
{
    uint32_t count = here->count;
    bool l1 = false;

    dense_from_packed(room->factor, here->gram, count);
    for (uint32_t j = 0; j < count; j++) {
        for (uint32_t i = 0; i < j; i++)
            room->factor[(size_t)j * count + i] = room->factor[(size_t)i * count + j];
        room->factor[(size_t)j * count + j] += 2 * problem->l2[j];
        room->slope[j] = 2 * problem->l2[j] * here->theta[j] - here->gradient[j];
        l1 = l1 || problem->l1[j] > 0;
    }
    return quadratic_step(problem->env, count, room->factor, room->slope, here->theta, l1 ? problem->l1 : NULL, least_gain, room->descent, room->step);
}

/* Finds the step without a penalty, and keeps the factor of the curvature. Returns false if the curvature is singular. */
static bool plain_step(const GlmProblem *problem, GlmSolution *solution, StepRoom *room)
{
    Env *env = problem->env;
    const GlmPoint *here = &solution->at;
    size_t size = (size_t)here->count * here->count;

    if (!glm_solve_step(problem, here, room->factor, room->step)) {
        if (solution->iterations == 0 && here->count > PRODUCTS_MOST)
            env_fail(env, ERROR_DATA, "Leave out features that depend on others.",
                     "some of the %u columns of %s depend on others: beyond %d, dependent columns are not dropped", here->count, problem->method, PRODUCTS_MOST);
        solution->singular = true;
        if (solution->factor != NULL)
            env->release(env, solution->factor);
        solution->factor = NULL; /* that of an earlier point */
        return false;
    }
    if (solution->factor == NULL)
        solution->factor = env_array(env, size + 1, sizeof(double));
    memcpy(solution->factor, room->factor, size * sizeof(double));
    solution->gain = 0;
    for (uint32_t j = 0; j < here->count; j++)
        solution->gain += room->step[j] * here->gradient[j];
    return true;
}

/*
 * Chooses the curvature of the next point. That of the likelihood doubles the digits with each step, where its expectation adds as many; the point where steps
 * end needs the expectation, for the standard errors.
 */
static void choose_curvature(GlmProblem *problem, const GlmPoint *here, double share)
{
    bool ending = here->observed && share <= ENDING;

    problem->observed = !problem->expected && problem->family->elasticity != NULL && problem->link.function->growth && share <= NEAR && !ending;
}

/* Tells whether the gain after the next step is foreseen to end the steps, if it is to its square as this one is to that of the gain before. */
static bool is_last(double gain, double before, double least)
{
    return isfinite(before) && gain < before && gain * (gain / before) * (gain / before) <= least;
}

void glm_judge_extreme(const GlmProblem *problem, GlmPoint *at, const double *step)
{
    const LinkFunction *link = problem->link.function;
    double longest = 0, largest = 0;

    if (!at->extreme || !(link->growth || link->bounded))
        return;
    for (uint32_t j = 0; j < at->count; j++) {
        longest = fmax(longest, fabs(step[j]));
        largest = fmax(largest, fabs(at->theta[j]));
    }
    at->extreme = longest > GROWING * largest;
}

/* Takes steps from solution->at, which is evaluated and valid. worst: a deviance of a worse fit, for a start that meets all targets; 0: unknown. */
static void take_steps(GlmProblem *problem, GlmSolution *solution, double worst, StepRoom *room)
{
    Env *env = problem->env;
    GlmPoint *here = &solution->at;
    double before = INFINITY, start = fmax(worst, glm_objective(problem, here)), share = problem->tolerance * problem->tolerance;

    solution->converged = solution->singular = false;
    for (;;) {
        double scale = glm_objective(problem, here) + GLM_START_SHARE * start, gain;
        GlmPoint other;

        env->progress(env, problem->method, (uint64_t)solution->iterations, (uint64_t)problem->max_iter, here->deviance);
        if (problem->l2 != NULL)
            solution->gain = penalized_step(problem, here, DESCENT_SHARE * share * scale, room);
        else if (!plain_step(problem, solution, room))
            return;
        gain = scale <= 0 ? 0 : solution->gain; /* no deviance is below 0 */
        if (gain <= share * scale || (gain <= GLM_ROUNDED * scale && gain >= before)) {
            solution->converged = true;
            here->counted = here->counted && gain <= share * scale;
            for (uint32_t j = 0; gain <= GLM_ROUNDED * scale && j < here->count; j++) { /* a longer step would have to be evaluated */
                here->theta[j] += room->step[j];
                here->zeros.expected += here->zero_slope[j] * room->step[j];
            }
            if (problem->l2 != NULL) /* its slope is not 0, and so the deviance changes in proportion to the step */
                evaluate(problem, here);
            glm_judge_extreme(problem, here, room->step);
            return;
        }
        choose_curvature(problem, here, gain / scale);
        problem->last = problem->count_zeros && is_last(gain, before, share * scale);
        if (solution->iterations == problem->max_iter || !search_line(problem, here, room->step, gain, &room->there)) {
            solution->converged = solution->iterations < problem->max_iter && gain <= GLM_ROUNDED * scale;
            return;
        }
        before = gain;
        other = *here;
        *here = room->there;
        room->there = other;
        solution->iterations++;
    }
}

static void iterate(GlmProblem *problem, GlmSolution *solution, double worst)
{
    Env *env = problem->env;
    uint32_t count = solution->at.count;
    StepRoom room = {.there = new_point(problem, count)};

    room.step = env_array(env, (size_t)count + 1, sizeof(double));
    room.factor = env_array(env, (size_t)count * count + 1, sizeof(double));
    if (problem->l2 != NULL) {
        room.slope = env_array(env, (size_t)count + 1, sizeof(double));
        room.descent = env_array(env, QUADRATIC_ROOM(count), sizeof(double));
    }
    problem->expected = false;
    take_steps(problem, solution, worst, &room);
    problem->observed = problem->last = false;
    if (solution->at.observed && !solution->converged) { /* it vanishes where all targets of a level are far below their means */
        problem->expected = true;
        evaluate(problem, &solution->at);
        take_steps(problem, solution, worst, &room);
    }
    if (solution->at.observed && problem->l2 == NULL) {
        evaluate(problem, &solution->at);
        if (plain_step(problem, solution, &room) /* for its factor */ && solution->converged)
            glm_judge_extreme(problem, &solution->at, room.step);
    }
    if (problem->l2 != NULL) {
        env->release(env, room.descent);
        env->release(env, room.slope);
    }
    env->release(env, room.factor);
    env->release(env, room.step);
    free_point(problem, &room.there);
}

void glm_fail_mean(const GlmProblem *problem, double score)
{
    env_fail(problem->env, ERROR_DATA, "Choose another \"link\" or \"family\".",
             "a constant score of %.6g, that of the mean of the targets %.6g, gives %s means outside the domain of family %s", score, problem->mean, problem->method,
             problem->family->name);
}

GlmSolution glm_solve_null(GlmProblem *problem)
{
    uint32_t count = problem->rows->intercept;
    GlmSolution solution = {.at = new_point(problem, count)};
    double score = link_score(&problem->link, problem->mean);

    if (count > 0 && !isfinite(score))
        env_fail(problem->env, ERROR_DATA, "Use rows whose targets vary.", "the mean of the targets of %s is %.6g, of which the %s link has no score", problem->method,
                 problem->mean, problem->link.function->name);
    if (count > 0)
        solution.at.theta[0] = score - problem->offset;
    evaluate(problem, &solution.at);
    solution.converged = solution.at.valid; /* there is nothing to solve without coefficients */
    if (count == 0)
        return solution;
    if (!solution.at.valid)
        glm_fail_mean(problem, solution.at.theta[0]);
    iterate(problem, &solution, 0);
    return solution;
}

void glm_fail_start(const GlmProblem *problem)
{
    env_fail(problem->env, ERROR_DATA, "Choose another \"link\" or \"family\", or fit with an intercept.",
             "%s finds no coefficients whose means are all in the domain of family %s by link %s", problem->method, problem->family->name, problem->link.function->name);
}

/* ---- the start ---- */

/* Evaluates a point at its gradient divided by its gram, from a score of the intercept on. Returns what the step is to lower the deviance by; NaN: it has none. */
static double evaluate_step(GlmProblem *problem, double score, GlmPoint *at)
{
    Env *env = problem->env;
    double *factor = env_array(env, (size_t)at->count * at->count + 1, sizeof(double)), gain = 0;

    at->valid = glm_solve_step(problem, at, factor, at->theta);
    env->release(env, factor);
    if (!at->valid)
        return NAN;
    for (uint32_t j = 0; j < at->count; j++)
        gain += at->theta[j] * at->gradient[j];
    if (problem->rows->intercept)
        at->theta[0] += score;
    evaluate(problem, at);
    return gain;
}

/*
 * Tells whether the deviance is convex in the coefficients, as by the families' own links and where the curvature of the likelihood is above 0. Elsewhere the step from
 * the mean may lead to another minimum, or to where a deviance with a bound is flat: inverse Gaussian amounts by link log had coefficients of 38 for 3.7.
 */
static bool is_convex(const GlmProblem *problem)
{
    const GlmFamily *family = problem->family;
    const LinkFunction *link = problem->link.function;

    return strcmp(link->name, family->link) == 0 || (link->growth && family->elasticity != NULL);
}

/*
 * Takes the step from the intercept alone, without a pass: its means are all the same, so that cross-products of the columns and their products with the
 * targets are all it needs. The point is valid if it gains as much as any step has to. Returns whether it lowers the deviance by nearly what it promises: then
 * no other start saves the two passes that it costs.
 */
static bool step_from_null(GlmProblem *problem, const GlmSolution *null, GlmPoint *at)
{
    const StandardizedRows *rows = problem->rows;
    double score = null->at.count > 0 ? null->at.theta[0] : 0, mean, slope, variance, unused, gain;

    at->valid = false;
    if (!is_convex(problem) || !null->at.valid || rows->gram == NULL || rows->offsets != NULL)
        return false;
    glm_means(&problem->link, &score, 1, &mean, &slope);
    problem->family->tile(&mean, &mean, 1, problem->parameter, &variance, &unused);
    for (uint32_t j = 0; j < at->count; j++)
        at->gradient[j] = slope / variance * (rows->target_sums[j] - mean * rows->class_sums[j]);
    for (size_t i = 0; i < factor_packed(at->count); i++)
        at->gram[i] = slope * slope / variance * rows->gram[i];
    gain = evaluate_step(problem, score, at);
    at->valid = at->valid && null->at.deviance - at->deviance >= NEWTON_ENOUGH * gain;
    return at->valid && null->at.deviance - at->deviance >= KEPT_PROMISE * gain;
}

/* Evaluates the coefficients of the working responses at means near the targets, which are better if they describe the targets closely. */
static void step_from_targets(GlmProblem *problem, GlmPoint *at)
{
    StandardizedRows *rows = problem->rows;
    double *gradient = room_of(problem, ROOM_GRADIENT), *curvature = room_of(problem, ROOM_CURVATURE);

    memset(at->gradient, 0, ((size_t)at->count + TILE_PADDING) * sizeof(double));
    memset(at->gram, 0, factor_packed(at->count) * sizeof(double));
    while (standardized_next_tile(rows)) {
        memset(gradient, 0, 2 * DESIGN_TILE * sizeof(double));
        for (uint32_t i = 0; i < rows->tile.count; i++)
            glm_start_row(problem, rows->tile.targets[i], rows->tile.weights[i], rows->offset != NULL ? rows->offset[i] : 0, &gradient[i], &curvature[i]);
        tile_products(rows->columns, at->count, gradient, at->gradient);
        tile_gram(problem->env, rows->columns, at->count, curvature, rows->scratch, at->gram);
    }
    evaluate_step(problem, 0, at);
}

/* Evaluates the better one of two starts, the second one only if the first is not good. */
static void first_step(GlmProblem *problem, const GlmSolution *null, GlmPoint *at)
{
    GlmPoint other;

    if (step_from_null(problem, null, at))
        return;
    other = *at;
    *at = new_point(problem, at->count);
    step_from_targets(problem, at);
    if (other.valid && !(at->valid && at->deviance <= other.deviance)) {
        GlmPoint worse = *at;

        *at = other;
        other = worse;
    }
    free_point(problem, &other);
}

/* Tells whether steps can begin at a point: with an intercept, that it fits no worse than the intercept alone. */
static bool begins_well(const GlmProblem *problem, const GlmPoint *point, const GlmSolution *null)
{
    return point->valid && !(problem->rows->intercept && point->deviance > null->at.deviance);
}

GlmSolution glm_first_point(GlmProblem *problem, const GlmSolution *null)
{
    bool penalized = problem->l2 != NULL;
    GlmSolution solution = {.at = new_point(problem, problem->rows->count)};
    GlmPoint *at = &solution.at;

    if (problem->given != NULL) {
        memcpy(at->theta, problem->given, at->count * sizeof(double));
        evaluate(problem, at);
    }
    if (!penalized && !begins_well(problem, at, null))
        first_step(problem, null, at);
    if ((penalized || problem->rows->intercept) && !begins_well(problem, at, null)) {
        memset(at->theta, 0, at->count * sizeof(double));
        if (problem->rows->intercept)
            at->theta[0] = null->at.theta[0];
        evaluate(problem, at);
    }
    if (penalized && !at->valid)
        step_from_targets(problem, at);
    if (!at->valid)
        glm_fail_start(problem);
    return solution;
}

GlmSolution glm_solve(GlmProblem *problem, const GlmSolution *null)
{
    GlmSolution solution;

    if (problem->rows->count == null->at.count) {
        if (!null->at.valid)
            glm_fail_start(problem);
        return *null;
    }
    solution = glm_first_point(problem, null);
    iterate(problem, &solution, null->at.valid ? null->at.deviance : 0);
    return solution;
}

void glm_resolve(GlmProblem *problem, GlmSolution *solution)
{
    evaluate(problem, &solution->at);
    solution->converged = solution->at.valid;
    if (solution->at.count > 0 && solution->at.valid)
        iterate(problem, solution, 0);
}
