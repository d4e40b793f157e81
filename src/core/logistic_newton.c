/*
 * logistic_newton.c - the minimum of a quadratic model, plain or with an l1 penalty.
 */
#include "logistic_newton.h"
#include "cholesky.h"
#include "factor.h"

#include <math.h>
#include <string.h>

#define SWEEPS 20000 /* of coordinate descent */
#define RIDGE 1e-13  /* of the diagonal: keeps a singular curvature solvable */
#define DEPENDENT_SHARE 1e-11 /* of a column's squares, not explained by the columns before */
#define POLL_WORK 4e6

void blocks_to_dense(const double *blocks, uint32_t equations, uint32_t count, double *matrix)
{
    uint32_t size = equations * count;

    for (uint32_t e = 0, pair = 0; e < equations; e++)
        for (uint32_t f = e; f < equations; f++, pair++) {
            const double *packed = blocks + pair * factor_packed(count);

            for (uint32_t j = 0; j < count; j++)
                for (uint32_t i = 0; i <= j; i++, packed++) {
                    size_t a = (size_t)e * count + i, b = (size_t)f * count + j;
                    size_t c = (size_t)e * count + j, d = (size_t)f * count + i;

                    matrix[a * size + b] = matrix[b * size + a] = *packed;
                    matrix[c * size + d] = matrix[d * size + c] = *packed;
                }
        }
}

/* step := - matrix^-1 gradient; matrix is kept, factor is room of its size. */
static void solve_smooth(Env *env, uint32_t size, const double *matrix, double *factor,
                         const double *gradient, double *step)
{
    double ridge = RIDGE, largest = 0;

    for (uint32_t i = 0; i < size; i++)
        largest = fmax(largest, matrix[(size_t)i * size + i]);
    for (int attempt = 0; attempt < 10; attempt++, ridge *= 100) {
        memcpy(factor, matrix, (size_t)size * size * sizeof(double));
        for (uint32_t i = 0; i < size; i++)
            factor[(size_t)i * size + i] += ridge * (factor[(size_t)i * size + i] + ridge * largest);
        if (cholesky_factor(env, factor, size, 0) < size)
            continue;
        for (uint32_t i = 0; i < size; i++)
            step[i] = -gradient[i];
        cholesky_solve(env, factor, size, step, 1);
        cholesky_solve_transposed(env, factor, size, step, 1);
        return;
    }
    for (uint32_t i = 0; i < size; i++) /* no curvature at all: down the slope */
        step[i] = largest > 0 ? -gradient[i] / largest : 0;
}

static double soft(double x, double threshold)
{
    return x > threshold ? x - threshold : x < -threshold ? x + threshold : 0;
}

/*
 * step := the minimum of gradient step + step matrix step / 2 + sum l1 |theta + step|, one coordinate after the
 * other; those at 0 are looked at again when the others have settled (Friedman, Hastie & Tibshirani 2010).
 */
static void solve_l1(Env *env, uint32_t size, const double *matrix, const double *gradient,
                     const double *theta, const double *l1, double settled, double *step, double *slope)
{
    bool all = true;

    memset(step, 0, size * sizeof(double));
    memcpy(slope, gradient, size * sizeof(double));
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double largest = 0;

        env->poll(env);
        for (uint32_t i = 0; i < size; i++) {
            const double *row = matrix + (size_t)i * size;
            double curvature = row[i], at = theta[i] + step[i], to, change;

            if (!(curvature > 0) || (!all && at == 0))
                continue;
            to = soft(at - slope[i] / curvature, l1[i] / curvature);
            change = to - at;
            if (change == 0)
                continue;
            step[i] = to - theta[i];
            for (uint32_t j = 0; j < size; j++)
                slope[j] += change * row[j];
            largest = fmax(largest, curvature * change * change);
        }
        if (largest <= settled) {
            if (all)
                return;
            all = true;
        } else {
            all = false;
        }
    }
}

double quadratic_step(Env *env, uint32_t size, const double *matrix, const double *gradient,
                      const double *theta, const double *l1, double settled, double *room, double *step)
{
    double promise = 0;

    if (l1 != NULL)
        solve_l1(env, size, matrix, gradient, theta, l1, settled, step, room);
    else
        solve_smooth(env, size, matrix, room, gradient, step);
    for (uint32_t i = 0; i < size; i++) {
        promise -= gradient[i] * step[i];
        if (l1 != NULL)
            promise -= l1[i] * (fabs(theta[i] + step[i]) - fabs(theta[i]));
    }
    return promise;
}

/* A Cholesky factor row by row, of the columns that are kept. */
void gram_dependent(Env *env, const double *packed, uint32_t count, double weight, uint8_t *dependent)
{
    double *factor = env_array(env, factor_packed((size_t)count + 1), sizeof(double)), work = 0;
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
        work += (double)kept * kept;
        if (work > POLL_WORK) {
            env->poll(env);
            work = 0;
        }
        dependent[t] = left <= DEPENDENT_SHARE * weight;
        if (dependent[t])
            continue;
        row[kept] = sqrt(left);
        place[kept++] = t;
    }
    env->release(env, factor);
    env->release(env, place);
}
