/*
 * penalized_quadratic.c - minimizes a quadratic model, with or without an l1 penalty.
 */
#include "core/linalg/penalized_quadratic.h"
#include "core/linalg/qr_factor.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define SWEEPS 20000          /* of coordinate descent, at most */
#define SWEEPS_BETWEEN 8      /* sweeps between two exact minima of the active coordinates */
#define ACTIVE_RIDGE 1e-10    /* relative to the diagonal of the active coordinates, which may be dependent */
#define RIDGE 1e-13           /* relative to the diagonal: keeps a singular curvature solvable */
#define DEPENDENT_SHARE 1e-11 /* of a column's squares that earlier columns do not explain: less means dependent */
#define DOUBTED_SHARE 1e-3    /* less may be rounding */
#define SUMMED (8 * DBL_EPSILON) /* share of the squares of columns that their cross-products have lost to rounding */
#define POLL_WORK 4e6         /* multiplications between two polls */

double penalty_sum(uint32_t size, const double *l1, const double *l2, const double *theta)
{
    double sum = 0;

    for (uint32_t i = 0; i < size; i++)
        sum += l1[i] * fabs(theta[i]) + l2[i] * theta[i] * theta[i];
    return sum;
}

bool curvature_factor(Env *env, uint32_t size, const double *matrix, double *factor)
{
    double ridge = RIDGE, largest = 0;

    for (uint32_t i = 0; i < size; i++)
        largest = fmax(largest, matrix[(size_t)i * size + i]);
    for (int attempt = 0; attempt < 10; attempt++, ridge *= 100) {
        memcpy(factor, matrix, (size_t)size * size * sizeof(double));
        for (uint32_t i = 0; i < size; i++)
            factor[(size_t)i * size + i] += ridge * (factor[(size_t)i * size + i] + ridge * largest);
        if (cholesky_factor(env, factor, size, 0) == size)
            return true;
    }
    return false;
}

/* Sets step to - matrix^-1 gradient. factor: [size x size] scratch. */
static void solve_smooth(Env *env, uint32_t size, const double *matrix, double *factor,
                         const double *gradient, double *step)
{
    bool curved = curvature_factor(env, size, matrix, factor);
    double largest = 0;

    for (uint32_t i = 0; i < size; i++) {
        largest = fmax(largest, matrix[(size_t)i * size + i]);
        step[i] = -gradient[i];
    }
    if (curved) {
        cholesky_solve(env, factor, size, step, 1);
        cholesky_solve_transposed(env, factor, size, step, 1);
        return;
    }
    for (uint32_t i = 0; i < size; i++) /* no curvature at all: down the gradient */
        step[i] = largest > 0 ? step[i] / largest : 0;
}

/* Moves x toward 0 by the threshold, and no further. */
static double soft_threshold(double x, double threshold)
{
    return x > threshold ? x - threshold : x < -threshold ? x + threshold : 0;
}

/* A quadratic model with an l1 penalty, and the current estimate of its minimum. */
typedef struct Lasso {
    Env *env;
    uint32_t size;
    const double *matrix, *theta, *l1;
    double *step, *slope; /* slope: gradient of the quadratic part at theta + step */
    double *change;       /* [size] scratch */
    uint32_t *active;     /* [size] scratch */
    double *factor;       /* [size x size] scratch */
} Lasso;

/* Does one sweep over the coordinates (all, or those that are not 0); returns the largest gain. */
static double sweep_coordinates(const Lasso *lasso, bool all)
{
    uint32_t size = lasso->size;
    double largest = 0;

    for (uint32_t i = 0; i < size; i++) {
        const double *row = lasso->matrix + (size_t)i * size;
        double curvature = row[i], at = lasso->theta[i] + lasso->step[i], to, change;

        if (!(curvature > 0) || (!all && at == 0))
            continue;
        to = soft_threshold(at - lasso->slope[i] / curvature, lasso->l1[i] / curvature);
        change = to - at;
        if (change == 0)
            continue;
        lasso->step[i] = to - lasso->theta[i];
        for (uint32_t j = 0; j < size; j++)
            lasso->slope[j] += change * row[j];
        largest = fmax(largest, curvature * change * change);
    }
    return largest;
}

/*
 * Moves the coordinates that are not 0 to the exact minimum with these signs, or as far toward it as the first one that
 * becomes 0. Coordinate descent finds which coordinates are not 0, but is slow to find their size if they are nearly
 * dependent. Returns true if a coordinate became 0, so that another call may go further.
 */
static bool solve_active(const Lasso *lasso)
{
    uint32_t size = lasso->size, count = 0, blocked = UINT32_MAX;
    double length = 1;

    for (uint32_t i = 0; i < size; i++)
        if ((lasso->l1[i] == 0 || lasso->theta[i] + lasso->step[i] != 0) &&
            lasso->matrix[(size_t)i * size + i] > 0)
            lasso->active[count++] = i;
    for (uint32_t a = 0; a < count; a++) {
        uint32_t i = lasso->active[a];
        double at = lasso->theta[i] + lasso->step[i];

        for (uint32_t b = 0; b < count; b++)
            lasso->factor[(size_t)a * count + b] = lasso->matrix[(size_t)i * size + lasso->active[b]];
        lasso->factor[(size_t)a * count + a] *= 1 + ACTIVE_RIDGE;
        lasso->change[a] = -lasso->slope[i] - copysign(lasso->l1[i], at);
    }
    if (cholesky_factor(lasso->env, lasso->factor, count, 0) < count)
        return false;
    cholesky_solve(lasso->env, lasso->factor, count, lasso->change, 1);
    cholesky_solve_transposed(lasso->env, lasso->factor, count, lasso->change, 1);
    for (uint32_t a = 0; a < count; a++) {
        uint32_t i = lasso->active[a];
        double at = lasso->theta[i] + lasso->step[i];

        if (!isfinite(lasso->change[a]))
            return false;
        if (lasso->l1[i] > 0 && at * (at + lasso->change[a]) < 0 && -at / lasso->change[a] < length) {
            length = -at / lasso->change[a];
            blocked = i;
        }
    }
    for (uint32_t a = 0; a < count; a++) {
        uint32_t i = lasso->active[a];
        const double *row = lasso->matrix + (size_t)i * size;
        double to = i == blocked ? -lasso->theta[i] : lasso->step[i] + length * lasso->change[a];
        double change = to - lasso->step[i];

        lasso->step[i] = to;
        for (uint32_t j = 0; j < size; j++)
            lasso->slope[j] += change * row[j];
    }
    return blocked != UINT32_MAX;
}

/*
 * Finds the minimum by coordinate descent, which visits coordinates at 0 again only once the others no longer move (Friedman,
 * Hastie & Tibshirani 2010), and every few sweeps the exact minimum of those that are not 0.
 */
static void solve_l1(Lasso *lasso, const double *gradient, double least_gain)
{
    Env *env = lasso->env;
    bool all = true;

    memset(lasso->step, 0, lasso->size * sizeof(double));
    memcpy(lasso->slope, gradient, lasso->size * sizeof(double));
    for (int sweep = 1; sweep <= SWEEPS; sweep++) {
        bool last = all;

        env->poll(env);
        all = sweep_coordinates(lasso, all) <= least_gain;
        if (last && all)
            return;
        if (sweep % SWEEPS_BETWEEN == 0) {
            for (uint32_t i = 0; i < lasso->size && solve_active(lasso); i++)
                env->poll(env);
            all = true;
        }
    }
}

double quadratic_step(Env *env, uint32_t size, const double *matrix, const double *gradient,
                      const double *theta, const double *l1, double least_gain, double *room, double *step)
{
    double promise = 0;

    if (l1 != NULL) {
        double *vectors = room + (size_t)size * size;
        Lasso lasso = {.env = env, .size = size, .matrix = matrix, .theta = theta, .l1 = l1, .step = step,
                       .factor = room, .slope = vectors, .change = vectors + size,
                       .active = (uint32_t *)(vectors + 2 * (size_t)size)};

        solve_l1(&lasso, gradient, least_gain);
    } else {
        solve_smooth(env, size, matrix, room, gradient, step);
    }
    for (uint32_t i = 0; i < size; i++) {
        promise -= gradient[i] * step[i];
        if (l1 != NULL)
            promise -= l1[i] * (fabs(theta[i] + step[i]) - fabs(theta[i]));
    }
    return promise;
}

double quadratic_step_scaled(Env *env, uint32_t size, double *matrix, double *gradient, const double *theta, double *l1, double least_gain, double *step)
{
    double *scale = env_array(env, (size_t)size + 1, sizeof(double));
    double *scaled = env_array(env, (size_t)size + 1, sizeof(double));
    double *room = env_array_raw(env, QUADRATIC_ROOM(size), sizeof(double)), promise;

    for (uint32_t i = 0; i < size; i++) {
        double own = matrix[(size_t)i * size + i];

        scale[i] = own > 0 ? 1 / sqrt(own) : 1;
    }
    for (uint32_t i = 0; i < size; i++) {
        for (uint32_t j = 0; j < size; j++)
            matrix[(size_t)i * size + j] *= scale[i] * scale[j];
        gradient[i] *= scale[i];
        if (l1 != NULL)
            l1[i] *= scale[i];
        scaled[i] = theta[i] / scale[i];
    }
    promise = quadratic_step(env, size, matrix, gradient, scaled, l1, least_gain, room, step);
    for (uint32_t i = 0; i < size; i++) {
        step[i] = scaled[i] + step[i] == 0 ? -theta[i] : step[i] * scale[i]; /* a coordinate that becomes 0 is exactly 0 */
        if (l1 != NULL)
            l1[i] /= scale[i];
    }
    env->release(env, room);
    return promise;
}

/*
 * Returns the share of a column's squares that rounding of the cross-products may leave of it: they are those of columns of one size, and what is left of a column
 * adds them up with the coefficients by which earlier ones explain it. These are large where a column is nearly dependent, or where a weight leaves few rows to it.
 */
static double rounding_left(const double *factor, uint32_t kept, const double *row, double *coefficient)
{
    double sum = 1;

    for (uint32_t k = kept; k-- > 0;) {
        coefficient[k] = row[k];
        for (uint32_t l = k + 1; l < kept; l++)
            coefficient[k] -= factor[factor_packed(l) + k] * coefficient[l];
        coefficient[k] /= factor[factor_packed(k) + k];
        sum += fabs(coefficient[k]);
    }
    return SUMMED * sum * sum;
}

/* Builds a Cholesky factor row by row, of the columns that are kept. */
void gram_dependent(Env *env, const double *packed, uint32_t count, double weight, uint8_t *dependent)
{
    double *factor = env_array(env, factor_packed((size_t)count + 1), sizeof(double)), *coefficient = env_array(env, (size_t)count + 1, sizeof(double));
    uint64_t work = 0;
    uint32_t *place = env_array(env, (size_t)count + 1, sizeof(uint32_t)), kept = 0;

    for (uint32_t t = 0; t < count; t++) {
        double *row = factor + factor_packed(kept), left = packed[factor_packed(t) + t];

        for (uint32_t k = 0; k < kept; k++) {
            const double *above = factor + factor_packed(k);
            double sum = packed[factor_packed(t) + place[k]];

            for (uint32_t l = 0; l < k; l++)
                sum -= above[l] * row[l];
            row[k] = sum / above[k];
            left -= row[k] * row[k];
        }
        env_poll_after(env, &work, (uint64_t)kept * kept, POLL_WORK);
        dependent[t] = left <= DEPENDENT_SHARE * weight || (left <= DOUBTED_SHARE * weight && left <= rounding_left(factor, kept, row, coefficient) * weight);
        if (dependent[t])
            continue;
        row[kept] = sqrt(left);
        place[kept++] = t;
    }
}
