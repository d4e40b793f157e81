/*
 * test_penalized_quadratic.c - steps to the minimum of a quadratic model by the conditions of a minimum, and columns that depend on
 * earlier ones by how they were made.
 */
#include "check.h"
#include "fit.h"

#include "core/linalg/packed.h"
#include "core/linalg/penalized_quadratic.h"

/* A symmetric matrix [size x size] of rank `rank`, in units far apart. */
static double *make_matrix(Env *env, uint32_t size, uint32_t rank, uint64_t seed)
{
    double *x = env_array(env, (size_t)size * rank + 1, sizeof(double)), *matrix = env_array(env, (size_t)size * size + 1, sizeof(double));

    for (uint32_t i = 0; i < size; i++)
        for (uint32_t k = 0; k < rank; k++)
            x[i * rank + k] = random_normal(&seed) * pow(10, (double)(i % 3) - 1);
    for (uint32_t i = 0; i < size; i++)
        for (uint32_t j = 0; j < size; j++)
            for (uint32_t k = 0; k < rank; k++)
                matrix[i * size + j] += x[i * rank + k] * x[j * rank + k];
    return matrix;
}

/*
 * At the minimum the slope of the quadratic part is 0, or -l1 sign(theta) where a coordinate is not 0, and within l1 where it is exactly;
 * the promise is what the slope at the start says.
 */
static void test_step(Host *host, uint32_t size, bool penalized, bool scaled)
{
    Env *env = &host->env;
    uint64_t seed = size + 100;
    double *matrix = make_matrix(env, size, size + 3, size), *copy = make_matrix(env, size, size + 3, size);
    double gradient[12], start[12], theta[12], l1[12], step[12], promise, expected = 0;
    double *room = env_array(env, QUADRATIC_ROOM(size), sizeof(double));
    uint32_t zeros = 0;

    for (uint32_t i = 0; i < size; i++) {
        double unit = sqrt(matrix[i * size + i]);

        start[i] = gradient[i] = random_normal(&seed) * unit;
        theta[i] = i % 3 == 0 ? 0 : random_normal(&seed) / unit;
        l1[i] = i % 4 == 3 ? 0 : (0.1 + (double)(i % 2)) * unit;
    }
    host->polls = 0;
    promise = scaled ? quadratic_step_scaled(env, size, copy, gradient, theta, penalized ? l1 : NULL, 1e-24, step)
                     : quadratic_step(env, size, matrix, gradient, theta, penalized ? l1 : NULL, 1e-24, room, step);
    for (uint32_t i = 0; i < size; i++) {
        double unit = sqrt(matrix[i * size + i]), slope = start[i], to = theta[i] + step[i], penalty = penalized ? l1[i] : 0;

        for (uint32_t j = 0; j < size; j++)
            slope += matrix[i * size + j] * step[j];
        expected -= start[i] * step[i] + penalty * (fabs(to) - fabs(theta[i]));
        if (to == 0 && penalty > 0)
            CHECK(fabs(slope) <= penalty + 1e-6 * unit);
        else
            CHECK(fabs(slope + (to > 0 ? penalty : -penalty)) <= 1e-6 * unit);
        zeros += penalized && to == 0;
    }
    CHECK_NEAR(promise, expected, 1e-12);
    CHECK(!penalized || host->polls >= 2);
    CHECK(promise >= 0 && (penalized || promise > 0) && (!penalized || size < 8 || zeros > 0));
    for (uint32_t i = 0; i < size; i++)
        CHECK(l1[i] == 0 || fabs(l1[i] / ((0.1 + (double)(i % 2)) * sqrt(matrix[i * size + i])) - 1) < 1e-14); /* given back */
    host_reset(host);
}

/* A singular matrix gets a factor, of itself but for a little on its diagonal; one of zeros gets none, and a step stays where it is. */
static void test_singular(Host *host)
{
    Env *env = &host->env;
    double *matrix = make_matrix(env, 8, 3, 5), *factor = env_array(env, 64, sizeof(double)), *room = env_array(env, QUADRATIC_ROOM(8), sizeof(double));
    double gradient[8] = {1, 2}, theta[8] = {0}, step[8], worst = 0;

    CHECK(curvature_factor(env, 8, matrix, factor));
    for (uint32_t i = 0; i < 8; i++)
        for (uint32_t j = 0; j <= i; j++) {
            double sum = 0;

            for (uint32_t k = 0; k <= j; k++)
                sum += factor[k * 8 + i] * factor[k * 8 + j];
            worst = fmax(worst, fabs(sum - matrix[i * 8 + j]) / sqrt(matrix[i * 9] * matrix[j * 9]));
        }
    CHECK(worst < 1e-8);
    for (uint32_t i = 0; i < 8; i++) /* a column of zeros */
        matrix[16 + i] = matrix[i * 8 + 2] = 0;
    CHECK(curvature_factor(env, 8, matrix, factor) && factor[18] > 0);
    memset(matrix, 0, 64 * sizeof(double));
    CHECK(!curvature_factor(env, 8, matrix, factor));
    CHECK(quadratic_step(env, 8, matrix, gradient, theta, NULL, 0, room, step) == 0 && step[0] == 0 && step[7] == 0);
    CHECK(quadratic_step_scaled(env, 8, matrix, gradient, theta, NULL, 0, step) == 0 && step[0] == 0 && step[7] == 0);
    CHECK(penalty_sum(2, (double[]){2, 3}, (double[]){5, 7}, (double[]){-1, 2}) == 2 * 1 + 5 * 1 + 3 * 2 + 7 * 4);
    host_reset(host);
}

/*
 * Of two columns that are nearly equal, both go to 0, or the first alone, where the minimum without penalties is a little beyond; coordinate
 * descent alone would take millions of sweeps.
 */
static void test_equal_columns_go_to_zero(Host *host)
{
    static const double minima[] = {0, -0.01};
    Env *env = &host->env;
    double near = 1 - 1e-9, matrix[4] = {1, near, near, 1}, l1[2] = {1e-3, 1e-3}, theta[2] = {1, -0.75}, step[2];

    for (int s = 0; s < 2; s++) {
        double x = theta[0], y = theta[1] - minima[s], slope[2] = {x + near * y, near * x + y};

        CHECK(quadratic_step(env, 2, matrix, slope, theta, l1, 1e-24, env_array(env, QUADRATIC_ROOM(2), sizeof(double)), step) > 0);
        CHECK(theta[0] + step[0] == 0);
        CHECK_NEAR(theta[1] + step[1], s == 0 ? 0 : -0.009, 1e-12);
        CHECK(host->polls < 100);
        host_reset(host);
    }
}

/* What is no curvature ends, too: one that is a little negative, and one so small that the way to the minimum overflows. */
static void test_damaged_curvature_ends(Host *host)
{
    Env *env = &host->env;
    double near = 1 - 1e-9, negative[4] = {1, 1 + 1e-6, 1 + 1e-6, 1}, tiny[4] = {1e-300, near * 1e-300, near * 1e-300, 1e-300};
    double gradient[2] = {1, -1}, theta[2] = {0}, l1[2] = {0.5, 0}, step[2], *room = env_array(env, QUADRATIC_ROOM(2), sizeof(double));

    quadratic_step(env, 2, negative, gradient, theta, l1, 1e-24, room, step);
    CHECK(isfinite(step[0]) && isfinite(step[1]) && host->polls <= 20001);
    host->polls = 0;
    quadratic_step(env, 2, tiny, gradient, theta, l1, 1e-24, room, step);
    CHECK(fabs(step[0]) > 1e300 && fabs(step[1]) > 1e300 && host->polls <= 30000);
    host_reset(host);
}

/* Columns that are sums of earlier ones are found, and no others, wherever they stand. */
static void test_dependent(Host *host)
{
    enum { ROWS = 40, COUNT = 14 };
    Env *env = &host->env;
    uint64_t seed = 9;

    for (uint32_t pattern = 0; pattern < 64; pattern += 7) {
        double x[ROWS][COUNT], *packed = env_array(env, factor_packed(COUNT), sizeof(double)), weight = 0;
        uint8_t dependent[COUNT];

        for (uint32_t j = 0; j < COUNT; j++)
            for (uint32_t i = 0; i < ROWS; i++) {
                bool made = j >= 2 && pattern >> (j % 6) & 1;

                x[i][j] = made ? 2 * x[i][j - 1] - x[i][j / 2] + (j % 2 == 0 ? x[i][0] : 0) : random_normal(&seed);
            }
        for (uint32_t j = 0; j < COUNT; j++)
            for (uint32_t k = 0; k <= j; k++) {
                for (uint32_t i = 0; i < ROWS; i++)
                    packed[factor_packed(j) + k] += x[i][j] * x[i][k];
                weight = fmax(weight, packed[factor_packed(j) + j]);
            }
        gram_dependent(env, packed, COUNT, weight, dependent);
        for (uint32_t j = 0; j < COUNT; j++)
            CHECK_INT(dependent[j], j >= 2 && pattern >> (j % 6) & 1);
    }
    host_reset(host);
}

int main(void)
{
    Host *host = host_new();

    for (uint32_t size = 1; size <= 12; size++)
        for (int way = 0; way < 4; way++)
            test_step(host, size, way & 1, way & 2);
    test_singular(host);
    test_dependent(host);
    test_equal_columns_go_to_zero(host);
    test_damaged_curvature_ends(host);
    host_free(host);
    return check_report();
}
