/*
 * test_bounded_solver.c - least squares under bounds and absolute penalties: the conditions of the optimum, on random problems.
 */
#include "check.h"
#include "fit.h"

#include "core/linear/bounded_solver.h"

#include <string.h>

enum { PROBLEMS = 500, MOST_ROWS = 30, MOST_COLUMNS = 24 };

typedef struct Random {
    uint32_t rows, count;
    double columns[(MOST_COLUMNS + 1) * MOST_ROWS], lower[MOST_COLUMNS], upper[MOST_COLUMNS], l1[MOST_COLUMNS];
} Random;

/* Makes columns of norm 1, some of which depend on others, a target near the bounds, and bounds of any kind. */
static void make(Random *p, uint64_t *seed, int kind)
{
    double *y;

    p->count = 1 + (uint32_t)(random_uniform(seed) * MOST_COLUMNS);
    p->rows = 2 + (uint32_t)(random_uniform(seed) * (MOST_ROWS - 2));
    for (uint32_t j = 0; j < p->count; j++) {
        double *x = p->columns + (size_t)j * p->rows, norm = 0;
        bool copied = kind % 3 == 1 && j > 1 && random_uniform(seed) < 0.3;

        for (uint32_t i = 0; i < p->rows; i++) {
            x[i] = copied ? p->columns[i] - 2 * p->columns[p->rows + i] : random_normal(seed);
            norm += x[i] * x[i];
        }
        for (uint32_t i = 0; i < p->rows; i++)
            x[i] /= sqrt(norm);
        p->lower[j] = random_uniform(seed) < 0.7 ? random_normal(seed) - 0.3 : -INFINITY;
        p->upper[j] = random_uniform(seed) < 0.5 ? (isfinite(p->lower[j]) ? p->lower[j] : 0) + random_uniform(seed) : INFINITY;
        if (kind % 2 == 0)
            p->lower[j] = 0, p->upper[j] = INFINITY;
        if (random_uniform(seed) < 0.1 && isfinite(p->lower[j]))
            p->upper[j] = p->lower[j];
        p->l1[j] = kind % 5 < 2 ? random_uniform(seed) * 0.5 : 0;
    }
    y = p->columns + (size_t)p->count * p->rows;
    memset(y, 0, p->rows * sizeof(double));
    for (uint32_t j = 0; j < p->count; j++) {
        double b = fmin(p->upper[j], fmax(p->lower[j], random_normal(seed)));

        for (uint32_t i = 0; i < p->rows; i++)
            y[i] += b * p->columns[(size_t)j * p->rows + i] / sqrt(p->count);
    }
    for (uint32_t i = 0; i < p->rows && kind % 4 != 3; i++) /* else the optimum meets all rows */
        y[i] += 0.3 * random_normal(seed);
}

/* Returns by how much the conditions are missed: the most that the objective falls per unit as one coefficient moves. */
static double missed(const Random *p, const double *coef)
{
    double residual[MOST_ROWS], worst = 0;

    memcpy(residual, p->columns + (size_t)p->count * p->rows, p->rows * sizeof(double));
    for (uint32_t j = 0; j < p->count; j++)
        for (uint32_t i = 0; i < p->rows; i++)
            residual[i] -= coef[j] * p->columns[(size_t)j * p->rows + i];
    for (uint32_t j = 0; j < p->count; j++) {
        double slope = 0;

        for (uint32_t i = 0; i < p->rows; i++)
            slope += 2 * residual[i] * p->columns[(size_t)j * p->rows + i];
        if (coef[j] < p->upper[j])
            worst = fmax(worst, slope - (coef[j] >= 0 ? p->l1[j] : -p->l1[j]));
        if (coef[j] > p->lower[j])
            worst = fmax(worst, -slope - (coef[j] > 0 ? -p->l1[j] : p->l1[j]));
    }
    return worst;
}

static void test_conditions(Host *host)
{
    Env *env = &host->env;
    uint64_t seed = 1;
    uint32_t held = 0, between = 0, dependent = 0;

    for (int kind = 0; kind < PROBLEMS; kind++) {
        double coef[MOST_COLUMNS], columns[(MOST_COLUMNS + 1) * MOST_ROWS];
        uint8_t is_free[MOST_COLUMNS], depends[MOST_COLUMNS];
        Random p;
        BoundedProblem problem;
        BoundedResult result;

        make(&p, &seed, kind);
        memcpy(columns, p.columns, sizeof columns);
        problem = (BoundedProblem){.env = env, .rows = p.rows, .count = p.count, .columns = columns, .lower = p.lower, .upper = p.upper,
                                   .l1 = p.l1, .coef = coef, .free = is_free, .dependent = depends};
        result = bounded_solve(&problem);
        CHECK(result.converged && result.steps <= 4 * p.count + 4);
        CHECK(missed(&p, coef) < 1e-12);
        for (uint32_t j = 0; j < p.count; j++) {
            CHECK(coef[j] >= p.lower[j] && coef[j] <= p.upper[j]);
            held += !is_free[j];
            between += is_free[j];
            dependent += depends[j];
        }
    }
    CHECK(held > PROBLEMS && between > PROBLEMS && dependent > PROBLEMS / 10);
    host_reset(host);
}

/* No columns, and no rows. */
static void test_empty(Host *host)
{
    double columns[2] = {1, 2}, lower = 0.5, upper = 1, coef;
    uint8_t is_free, depends;
    BoundedProblem problem = {.env = &host->env, .rows = 2, .columns = columns, .lower = &lower, .upper = &upper, .coef = &coef, .free = &is_free, .dependent = &depends};

    CHECK(bounded_solve(&problem).steps == 0);
    problem.rows = 0;
    problem.count = 1;
    CHECK(bounded_solve(&problem).converged && coef == 0.5 && !is_free && depends);
    host_reset(host);
}

int main(void)
{
    Host *host = host_new();

    test_conditions(host);
    test_empty(host);
    host_free(host);
    return check_report();
}
