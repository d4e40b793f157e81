/*
 * test_smo.c - the cache of kernel rows under exchanges and eviction, and solutions of sequential minimal optimization: the
 * optimality conditions, whatever the cache and the shrinking.
 */
#include "check.h"
#include "host.h"

#include "core/base/random.h"
#include "core/svm/smo.h"

#include <math.h>
#include <string.h>

#define ROWS 300
#define DIMS 3

static double uniform(uint64_t i, uint64_t stream)
{
    return (double)(mix64((i + 1) * RANDOM_STEP + stream) >> 11) / 9007199254740992.0;
}

static double *points_of(Env *env, uint32_t count)
{
    double *points = env_array(env, (size_t)count * DIMS, sizeof(double));

    for (uint32_t i = 0; i < count * DIMS; i++)
        points[i] = 2 * uniform(i, 1) - 1;
    return points;
}

/* Rows follow exchanges of points and the next call, with room for two of them, some, and all. */
static void test_cache(Env *env)
{
    static const Kernel kernels[] = {{.kind = KERNEL_RBF, .gamma = 0.7, .degree = 1},
                                     {.kind = KERNEL_POLYNOMIAL, .gamma = 1, .coef0 = 1, .degree = 3},
                                     {.kind = KERNEL_LINEAR, .gamma = 1, .degree = 1}};
    double *points = points_of(env, ROWS), exact[ROWS + KERNEL_PANEL];
    float single[ROWS + KERNEL_PANEL];
    uint32_t place[ROWS];

    static const uint32_t rooms[] = {0, 3, 9, 20, 2 * ROWS}; /* rows */

    for (uint32_t k = 0; k < 3; k++)
        for (uint32_t r = 0; r < sizeof(rooms) / sizeof(rooms[0]); r++) {
            KernelCache *cache = kernel_cache(env, &kernels[k], points, ROWS, DIMS, (size_t)rooms[r] * sizeof(float) * (ROWS + 2 * KERNEL_CACHE_SPARE));
            double worst = 0;

            for (uint32_t i = 0; i < ROWS; i++)
                place[i] = i;
            for (uint32_t step = 0; step < 400; step++) {
                uint32_t i = (uint32_t)(uniform(step, 2) * ROWS), a = (uint32_t)(uniform(step, 3) * ROWS);
                uint32_t b = (uint32_t)(uniform(step, 4) * ROWS), length = 1 + (uint32_t)(uniform(step, 5) * ROWS);
                const float *row = kernel_cache_row(cache, i, length);

                kernel_cache_row(cache, b, 1 + (uint32_t)(uniform(step, 6) * ROWS)); /* the row before it stays */
                for (uint32_t j = 0; j < length; j++) {
                    const double *x = points + (size_t)place[i] * DIMS, *z = points + (size_t)place[j] * DIMS;

                    double value = kernel_value(&kernels[k], x, z, DIMS);

                    worst = fmax(worst, fabs(row[j] - value) / (1 + fabs(value)));
                }
                for (uint32_t j = 0; j < KERNEL_CACHE_SPARE; j++)
                    worst = row[length + j] == row[length + j] ? worst : NAN; /* may be read */
                if (a != b) {
                    PointPair pair = {a < b ? a : b, a < b ? b : a};
                    uint32_t kept = place[a];

                    place[a] = place[b];
                    place[b] = kept;
                    kernel_cache_swap(cache, &pair, 1);
                }
            }
            CHECK(worst < 1e-6);
            kernel_cache_values(cache, 5, 8, ROWS - 8, exact);
            for (uint32_t j = 8; j < ROWS; j++)
                CHECK_NEAR(exact[j - 8], kernel_value(&kernels[k], points + (size_t)place[5] * DIMS, points + (size_t)place[j] * DIMS, DIMS), 1e-14);
            kernel_cache_floats(cache, 5, 8, ROWS - 8, single); /* the same bits, whatever is computed with them */
            CHECK(memcmp(single, kernel_cache_row(cache, 5, ROWS) + 8, (ROWS - 8) * sizeof(float)) == 0);
            CHECK_NEAR(kernel_cache_diagonal(cache)[7], kernel_value(&kernels[k], points + (size_t)place[7] * DIMS, points + (size_t)place[7] * DIMS, DIMS), 1e-14);
            kernel_cache_free(cache);
        }
}

typedef struct Dual {
    double targets[ROWS], lower[ROWS], upper[ROWS], multipliers[ROWS];
    Kernel kernel;
    SmoProblem problem;
} Dual;

static Dual *dual(Env *env, bool regression, double bound)
{
    Dual *dual = env_array(env, 1, sizeof(Dual));
    double *points = points_of(env, ROWS);

    for (uint32_t i = 0; i < ROWS; i++) {
        double f = points[i * DIMS] * points[i * DIMS + 1] + 0.3 * uniform(i, 7) - 0.15, own = i % 5 == 0 ? 2 * bound : bound;

        dual->targets[i] = regression ? f : f > 0 ? 1 : -1;
        dual->lower[i] = regression || f <= 0 ? -own : 0;
        dual->upper[i] = regression || f > 0 ? own : 0;
    }
    dual->kernel = (Kernel){.kind = KERNEL_RBF, .gamma = 1, .degree = 1};
    dual->problem = (SmoProblem){.count = ROWS,
                                 .dims = DIMS,
                                 .points = points,
                                 .kernel = &dual->kernel,
                                 .targets = dual->targets,
                                 .lower = dual->lower,
                                 .upper = dual->upper,
                                 .epsilon = regression ? 0.05 : 0,
                                 .tolerance = 1e-3,
                                 .max_iter = 1000000,
                                 .shrinking = true,
                                 .phase = "test"};
    return dual;
}

/* Returns by how much a solution misses the conditions, computed from scratch. */
static double missed(const Dual *dual, const SmoResult *result)
{
    double worst = 0, sum = 0, epsilon = dual->problem.epsilon;

    for (uint32_t i = 0; i < ROWS; i++) {
        double f = result->intercept, b = dual->multipliers[i], slack;

        for (uint32_t j = 0; j < ROWS; j++)
            f += dual->multipliers[j] * kernel_value(&dual->kernel, dual->problem.points + (size_t)j * DIMS, dual->problem.points + (size_t)i * DIMS, DIMS);
        slack = dual->targets[i] - f;
        worst = fmax(worst, b < dual->upper[i] ? slack - (b >= 0 ? epsilon : -epsilon) : 0);
        worst = fmax(worst, b > dual->lower[i] ? (b > 0 ? epsilon : -epsilon) - slack : 0);
        CHECK(b >= dual->lower[i] && b <= dual->upper[i]);
        sum += b;
    }
    CHECK(fabs(sum) < 1e-9);
    return worst;
}

static void test_conditions(Env *env)
{
    for (uint32_t variant = 0; variant < 16; variant++) {
        Dual *one = dual(env, variant & 1, variant & 2 ? 100 : 0.5);
        SmoResult result;

        one->problem.shrinking = (variant & 4) != 0;
        one->problem.cache_bytes = variant & 8 ? 1 << 20 : 0;
        result = smo_solve(env, &one->problem, one->multipliers);
        CHECK(result.converged && result.gap < 1e-9);
        CHECK(missed(one, &result) < 1e-8);
        /* the objective, the same for every variant of one problem */
        if (variant >= 4) {
            Dual *other = dual(env, variant & 1, variant & 2 ? 100 : 0.5);

            CHECK_NEAR(result.objective, smo_solve(env, &other->problem, other->multipliers).objective, 1e-9);
        }
    }
}

/*
 * The gap of a problem that is too large for exact steps is that of its multipliers, although t - f of rows that were set aside follows
 * from changes. Rows have so many numbers that few of them make a large problem.
 */
static void test_large(Env *env)
{
    enum { COUNT = 1500, WIDE = 300 };
    double *points = env_array(env, COUNT * WIDE, sizeof(double)), *lower = env_array(env, COUNT, sizeof(double));
    double *upper = env_array(env, COUNT, sizeof(double)), *t = env_array(env, COUNT, sizeof(double)), *b = env_array(env, COUNT, sizeof(double));
    Kernel kernel = {.kind = KERNEL_RBF, .gamma = 10.0 / WIDE, .degree = 1};
    SmoProblem problem = {.count = COUNT, .dims = WIDE, .points = points, .kernel = &kernel, .targets = t, .lower = lower, .upper = upper,
                          .tolerance = 1e-3, .max_iter = 1000000, .shrinking = true, .cache_bytes = 1 << 24, .phase = "test"};
    double rise = -INFINITY, fall = INFINITY;
    SmoResult result;

    for (uint32_t i = 0; i < COUNT; i++) {
        for (uint32_t d = 0; d < WIDE; d++)
            points[i * WIDE + d] = (d < 3 ? 1 : 0.1) * (2 * uniform(i * WIDE + d, 11) - 1);
        t[i] = points[i * WIDE] * points[i * WIDE + 1] + 0.5 * uniform(i, 12) - 0.25 > 0 ? 1 : -1;
        lower[i] = t[i] > 0 ? 0 : -10;
        upper[i] = t[i] > 0 ? 10 : 0;
    }
    result = smo_solve(env, &problem, b);
    CHECK(result.converged && result.gap > 1e-6 && result.evaluations < (uint64_t)3 * COUNT * COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        double rest = t[i];

        for (uint32_t j = 0; j < COUNT; j++)
            rest -= b[j] == 0 ? 0 : b[j] * kernel_value(&kernel, points + j * WIDE, points + i * WIDE, WIDE);
        rise = b[i] < upper[i] ? fmax(rise, rest) : rise;
        fall = b[i] > lower[i] ? fmin(fall, rest) : fall;
    }
    CHECK_NEAR(rise - fall, result.gap, 1e-5);
}

/* Both sums stay, and free multipliers lie on two levels of f. */
static void test_two_sums(Env *env)
{
    Dual *one = dual(env, false, 1);
    SmoResult result;
    double positive = 0, negative = 0, left[2] = {45, 45};

    for (uint32_t i = 0; i < ROWS; i++) {
        bool up = one->targets[i] > 0;
        double step = fmin(up ? one->upper[i] : -one->lower[i], left[!up]);

        one->multipliers[i] = up ? step : -step;
        left[!up] -= step;
        one->targets[i] = 0;
    }
    one->problem.side_sum = 45;
    result = smo_solve(env, &one->problem, one->multipliers);
    CHECK(result.converged && result.gap < 1e-9 && result.width < 0);
    for (uint32_t i = 0; i < ROWS; i++) {
        double f = result.intercept, b = one->multipliers[i];

        positive += fmax(b, 0);
        negative += fmin(b, 0);
        for (uint32_t j = 0; j < ROWS; j++)
            f += one->multipliers[j] * kernel_value(&one->kernel, one->problem.points + (size_t)j * DIMS, one->problem.points + (size_t)i * DIMS, DIMS);
        if (b != 0 && b > one->lower[i] && b < one->upper[i])
            CHECK_NEAR(fabs(f), -result.width, 1e-8);
    }
    CHECK_NEAR(positive, 45, 1e-12);
    CHECK_NEAR(negative, -45, 1e-12);
}

/* A hard margin of separable rows is found; equal rows of both classes have none. */
static void test_hard(Env *env)
{
    Dual *one = dual(env, false, INFINITY);
    double *points = (double *)(uintptr_t)one->problem.points;
    SmoResult result;

    one->kernel.gamma = 50;
    one->problem.least_margin = 1e-6;
    result = smo_solve(env, &one->problem, one->multipliers);
    CHECK(result.converged && !result.inseparable && missed(one, &result) < 1e-7);
    for (uint32_t i = 0; i < ROWS; i++)
        if (one->targets[i] != one->targets[0])
            memcpy(points + (size_t)i * DIMS, points, DIMS * sizeof(double));
    memset(one->multipliers, 0, sizeof(one->multipliers));
    result = smo_solve(env, &one->problem, one->multipliers);
    CHECK(result.inseparable && !result.converged);
}

/* One row, and equal rows. */
static void test_few(Env *env)
{
    for (uint32_t count = 1; count <= 3; count++) {
        Dual *one = dual(env, true, 1);
        SmoResult result;

        memset((double *)(uintptr_t)one->problem.points, 0, ROWS * DIMS * sizeof(double));
        one->problem.count = count;
        result = smo_solve(env, &one->problem, one->multipliers);
        CHECK(result.converged && isfinite(result.intercept));
    }
}

static void solve(Env *env)
{
    Dual *one = dual(env, true, 100);

    smo_solve(env, &one->problem, one->multipliers);
}

static void test_cancel(Host *host)
{
    CHECK_CANCELS(host, 2000, 300, solve(&host->env));
}

int main(void)
{
    Host *host = host_new();

    test_cache(&host->env);
    test_conditions(&host->env);
    test_large(&host->env);
    test_two_sums(&host->env);
    test_hard(&host->env);
    test_few(&host->env);
    test_cancel(host);
    host_free(host);
    return check_report();
}
