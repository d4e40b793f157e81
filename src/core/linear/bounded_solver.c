/*
 * bounded_solver.c - the active set method of Lawson & Hanson (1974, chapter 23) for bounds (Stark & Parker 1995), with absolute penalties.
 *
 * The columns of free coefficients are kept upper triangular by a Householder reflection for each that becomes free and rotations for each that
 * ceases to be, applied to all columns, so that nothing is factored again. An absolute penalty makes 0 a bound between two pieces, on each
 * of which the penalty is linear: a coefficient of 0 may become free into either.
 */
#include "core/linear/bounded_solver.h"

#include "core/linalg/column_loops.h"
#include "core/linalg/vector_loops.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define STEPS_PER_COLUMN 100u /* beyond, rounding errors let it go in circles */

typedef struct Active {
    BoundedProblem *problem;
    uint32_t *order, count;    /* the free coefficients, in the order of the triangle */
    double *low, *high, *half; /* [columns] of a free coefficient: the ends of its piece, and half the slope of its penalty */
    double *residual;          /* [rows], in the rotated coordinates */
    double *solution;          /* [columns] in the order of the triangle */
    uint8_t *blocked;          /* [columns] could not move when it was last tried */
    double rounding;           /* of numbers about 1 */
    uint32_t steps, most_steps;
} Active;

/* Polls after every so many columns. */
static void poll_columns(const Active *active, uint32_t k)
{
    if (k % 256 == 255)
        active->problem->env->poll(active->problem->env);
}

static double *column_of(const Active *active, uint32_t j)
{
    return active->problem->columns + (size_t)j * active->problem->rows;
}

static double half_penalty(const Active *active, uint32_t j)
{
    return active->problem->l1 != NULL ? active->problem->l1[j] / 2 : 0;
}

/* Returns the norm of what column j has below the triangle; 0 if only rounding errors are left. */
static double norm_below(const Active *active, uint32_t j)
{
    const double *column = column_of(active, j);
    double norm = loop_norm_scaled(column + active->count, NULL, active->problem->rows - active->count);

    return norm > active->rounding * hypot(norm, loop_norm_scaled(column, NULL, active->count)) ? norm : 0;
}

/* Reflects the columns that are not free so that column j extends the triangle. Returns false if it depends on the free ones. */
static bool extend_triangle(Active *active, uint32_t j)
{
    BoundedProblem *problem = active->problem;
    uint32_t at = active->count, left = problem->rows - at;
    double *v = column_of(active, j) + at, norm = norm_below(active, j), times;

    if (norm == 0)
        return false;
    norm = v[0] > 0 ? -norm : norm;
    v[0] -= norm;
    times = 2 / column_dot(v, v, left);
    for (uint32_t k = 0; k <= problem->count; k++) {
        poll_columns(active, k);
        if (k != j && (k == problem->count || !problem->free[k])) {
            double *to = column_of(active, k) + at;

            column_subtract(to, v, times * column_dot(v, to, left), left);
        }
    }
    memset(v, 0, left * sizeof(double));
    v[0] = norm;
    active->order[active->count++] = j;
    problem->free[j] = 1;
    return true;
}

/* Takes the coefficient at a place of the triangle out, and rotates the columns behind it up by one row. */
static void shrink_triangle(Active *active, uint32_t place)
{
    BoundedProblem *problem = active->problem;
    uint32_t gone = active->order[place];

    active->count--;
    problem->free[gone] = 0;
    memmove(active->order + place, active->order + place + 1, (active->count - place) * sizeof(uint32_t));
    for (uint32_t i = place; i < active->count; i++) {
        const double *own = column_of(active, active->order[i]);
        double h = hypot(own[i], own[i + 1]), c = own[i] / h, s = own[i + 1] / h;

        for (uint32_t k = 0; k <= problem->count; k++) {
            double *x = column_of(active, k) + i, up = x[0], down = x[1];

            poll_columns(active, k);
            x[0] = c * up + s * down;
            x[1] = c * down - s * up;
        }
        column_of(active, active->order[i])[i + 1] = 0;
    }
}

/*
 * Sets the solution of the free coefficients while the others stay, and the residual there: without a penalty it has no part in the rows of the
 * triangle R; with one it has R'^-1 half, which is as much as the penalties pull.
 */
static void solve_free(Active *active)
{
    BoundedProblem *problem = active->problem;
    double *residual = active->residual, *solution = active->solution;

    memcpy(residual, column_of(active, problem->count), problem->rows * sizeof(double));
    for (uint32_t k = 0; k < problem->count; k++) {
        poll_columns(active, k);
        if (!problem->free[k] && problem->coef[k] != 0)
            column_subtract(residual, column_of(active, k), problem->coef[k], problem->rows);
    }
    memcpy(solution, residual, active->count * sizeof(double));
    for (uint32_t i = 0; i < active->count; i++) {
        const double *r = column_of(active, active->order[i]);

        residual[i] = (active->half[active->order[i]] - column_dot(r, residual, i)) / r[i];
        solution[i] -= residual[i];
    }
    for (uint32_t i = active->count; i-- > 0;) {
        const double *r = column_of(active, active->order[i]);

        solution[i] /= r[i];
        column_subtract(solution, r, solution[i], i);
    }
}

/*
 * Moves the free coefficients to their solution, or on the way there to where the first leaves its piece: its place is returned, UINT32_MAX if
 * they arrived. Sets *moved if they moved at all.
 */
static uint32_t move(Active *active, bool *moved)
{
    BoundedProblem *problem = active->problem;
    uint32_t first = UINT32_MAX;
    double share = 1;

    for (uint32_t i = 0; i < active->count; i++) {
        uint32_t j = active->order[i];
        double from = problem->coef[j], to = active->solution[i], end = to < active->low[j] ? active->low[j] : active->high[j];

        if ((to < active->low[j] || to > active->high[j]) && (end - from) / (to - from) < share) {
            share = (end - from) / (to - from);
            first = i;
        }
    }
    for (uint32_t i = 0; i < active->count; i++) {
        uint32_t j = active->order[i];
        double before = problem->coef[j], after = first == UINT32_MAX ? active->solution[i] : before + share * (active->solution[i] - before);

        if (i == first)
            after = active->solution[i] < before ? active->low[j] : active->high[j];
        problem->coef[j] = fmin(active->high[j], fmax(active->low[j], after));
        *moved = *moved || problem->coef[j] != before;
    }
    return first;
}

/* Returns by how much the objective falls as coefficient j leaves where it is, upward if *up; at most 0 if it should stay. */
static double gain(const Active *active, uint32_t j, bool *up)
{
    const BoundedProblem *problem = active->problem;
    double gradient = column_dot(column_of(active, j), active->residual, problem->rows), half = half_penalty(active, j), value = problem->coef[j];
    double above = value < problem->upper[j] ? gradient - (value >= 0 ? half : -half) : 0;
    double below = value > problem->lower[j] ? -gradient - (value > 0 ? -half : half) : 0;

    *up = above >= below;
    return fmax(above, below);
}

/* Returns the coefficient with the largest gain, UINT32_MAX if none has one beyond rounding errors. */
static uint32_t most_gain(const Active *active, bool *up)
{
    const BoundedProblem *problem = active->problem;
    double most = active->rounding * (1 + loop_norm_scaled(active->residual, NULL, problem->rows));
    uint32_t best = UINT32_MAX;

    for (uint32_t j = 0; j < problem->count; j++) {
        bool own = false;
        double own_gain = problem->free[j] || active->blocked[j] ? 0 : gain(active, j, &own);

        poll_columns(active, j);
        if (own_gain > most) {
            most = own_gain;
            best = j;
            *up = own;
        }
    }
    return best;
}

/* Sets the piece that coefficient j enters. */
static void set_piece(Active *active, uint32_t j, bool up)
{
    double value = active->problem->coef[j];

    active->low[j] = active->problem->lower[j];
    active->high[j] = active->problem->upper[j];
    active->half[j] = half_penalty(active, j);
    if (active->half[j] == 0)
        return;
    if (value > 0 || (value == 0 && up)) {
        active->low[j] = fmax(0, active->low[j]);
    } else {
        active->high[j] = fmin(0, active->high[j]);
        active->half[j] = -active->half[j];
    }
}

/*
 * Moves coefficient j, whose column depends on the free ones, with these in the direction in which the residual stays and the penalty falls, until
 * one of them leaves its piece and j takes its place, or j itself is at the end of its own. Returns whether j became free.
 */
static bool exchange(Active *active, uint32_t j, bool up)
{
    BoundedProblem *problem = active->problem;
    double *direction = active->solution, step = up ? active->high[j] - problem->coef[j] : problem->coef[j] - active->low[j];
    uint32_t first = UINT32_MAX;

    memcpy(direction, column_of(active, j), active->count * sizeof(double));
    for (uint32_t i = active->count; i-- > 0;) {
        const double *r = column_of(active, active->order[i]);

        direction[i] /= r[i];
        column_subtract(direction, r, direction[i], i);
    }
    for (uint32_t i = 0; i < active->count; i++) {
        uint32_t k = active->order[i];
        double along = up ? -direction[i] : direction[i], end = along < 0 ? active->low[k] : active->high[k];

        if (fabs(along) > active->rounding && (end - problem->coef[k]) / along < step) {
            step = (end - problem->coef[k]) / along;
            first = i;
        }
    }
    if (!isfinite(step))
        return false;
    problem->coef[j] = fmin(active->high[j], fmax(active->low[j], problem->coef[j] + (up ? step : -step)));
    for (uint32_t i = 0; i < active->count; i++) {
        uint32_t k = active->order[i];
        double along = up ? -direction[i] : direction[i], after = problem->coef[k] + step * along;

        problem->coef[k] = i == first ? (along < 0 ? active->low[k] : active->high[k]) : fmin(active->high[k], fmax(active->low[k], after));
    }
    if (step > 0)
        memset(active->blocked, 0, problem->count);
    if (first == UINT32_MAX)
        return false;
    shrink_triangle(active, first);
    return extend_triangle(active, j);
}

/* Frees the coefficient with the largest gain. Returns false if none has one, or after too many steps. */
static bool free_next(Active *active)
{
    uint32_t j;
    bool up = false;

    while (active->steps < active->most_steps && (j = most_gain(active, &up)) != UINT32_MAX) {
        active->steps++;
        active->problem->env->poll(active->problem->env);
        active->blocked[j] = 1; /* until something moves */
        set_piece(active, j, up);
        if (extend_triangle(active, j) || exchange(active, j, up))
            return true;
        solve_free(active);
    }
    return false;
}

BoundedResult bounded_solve(BoundedProblem *problem)
{
    Env *env = problem->env;
    uint32_t count = problem->count, least = count < 10 ? 10 : count;
    Active active = {.problem = problem, .rounding = 10 * DBL_EPSILON * least, .most_steps = STEPS_PER_COLUMN * least};

    active.order = env_array(env, (size_t)count + 1, sizeof(uint32_t));
    active.low = env_array(env, 4 * (size_t)count + problem->rows + 1, sizeof(double));
    active.high = active.low + count;
    active.half = active.high + count;
    active.solution = active.half + count;
    active.residual = active.solution + count;
    active.blocked = env_array(env, (size_t)count + 1, 1);
    memset(problem->free, 0, count);
    for (uint32_t j = 0; j < count; j++)
        problem->coef[j] = fmin(problem->upper[j], fmax(problem->lower[j], 0));
    solve_free(&active);
    while (free_next(&active)) {
        bool moved = false;
        uint32_t leaving;

        for (solve_free(&active); (leaving = move(&active, &moved)) != UINT32_MAX; solve_free(&active)) {
            active.steps++;
            env->poll(env);
            shrink_triangle(&active, leaving);
        }
        if (moved)
            memset(active.blocked, 0, count);
    }
    for (uint32_t j = 0; j < count; j++)
        problem->dependent[j] = !problem->free[j] && norm_below(&active, j) == 0;
    env->release(env, active.blocked);
    env->release(env, active.low);
    env->release(env, active.order);
    return (BoundedResult){.steps = active.steps, .converged = active.steps < active.most_steps};
}
