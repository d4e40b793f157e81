/*
 * test_slot_relations.c - columns that tell the target or number the rows: from rows in memory and in a file, from moments, and what chance
 * brings about in random tables.
 */
#include "check.h"
#include "fit.h"
#include "core/moments/slot_relations.h"

#include <math.h>
#include <stdlib.h>

#define COLUMNS 5

/* Fills rows: noise, the row's number, a function of the target, noise of few values, the target itself. */
static void make_rows(uint64_t seed, uint32_t n, double *x, double *y, uint32_t classes)
{
    for (uint32_t i = 0; i < n; i++) {
        double *row = x + (size_t)i * COLUMNS;

        y[i] = classes > 0 ? floor(classes * random_uniform(&seed)) : random_normal(&seed);
        row[0] = random_normal(&seed);
        row[1] = 1000 + (double)(i * 7919u % n);
        row[2] = classes > 0 ? 5 * y[i] * y[i] - 1 : 32 - 1.8 * y[i];
        row[3] = floor(4 * random_uniform(&seed));
        row[4] = y[i];
    }
}

static void check_rows(Env *env, uint32_t n, uint32_t classes, size_t memory, bool numbered)
{
    double *x = malloc((size_t)n * COLUMNS * sizeof(double)), *y = malloc(n * sizeof(double));
    size_t before = env->memory_limit;
    const uint8_t *found;
    Rows *rows;

    make_rows(n + classes, n, x, y, classes);
    env->memory_limit = memory;
    rows = target_rows(env, x, y, NULL, NULL, n, COLUMNS, classes);
    found = slot_relations_of_rows(env, rows);
    CHECK_INT(found[0], 0);
    CHECK_INT(found[1], numbered ? SLOT_NUMBERS_ROWS : 0);
    CHECK_INT(found[2], SLOT_DETERMINES_TARGET);
    CHECK_INT(found[3], 0);
    CHECK_INT(found[4], classes > 0 ? SLOT_DETERMINES_TARGET : SLOT_EQUALS_TARGET);
    rows_free(rows);
    env->memory_limit = before;
    free(x);
    free(y);
}

static void check_moments(Env *env, uint32_t n)
{
    double *x = malloc((size_t)n * COLUMNS * sizeof(double)), *y = malloc(n * sizeof(double));
    const uint8_t *found;

    make_rows(n, n, x, y, 0);
    found = slot_relations_of_moments(env, moments_for_fit(env, state_rows(env, x, y, NULL, COLUMNS, NULL, 0, n)));
    CHECK_INT(found[0], 0);
    CHECK_INT(found[1], SLOT_NUMBERS_ROWS);
    CHECK_INT(found[2], SLOT_DETERMINES_TARGET);
    CHECK_INT(found[3], 0);
    CHECK_INT(found[4], SLOT_EQUALS_TARGET);
    free(x);
    free(y);
}

/* Small random tables of few values, in which columns and targets often agree by chance: none is named. */
static void check_chance(Env *env)
{
    double x[12 * 8], y[12];
    uint64_t seed = 5;
    uint32_t named = 0, agree = 0;

    for (uint32_t trial = 0; trial < 20000; trial++) {
        uint32_t n = 5 + trial % 8;
        const uint8_t *found;
        Rows *rows;

        for (uint32_t i = 0; i < n; i++) {
            y[i] = floor(2 * random_uniform(&seed));
            for (uint32_t s = 0; s < 8; s++)
                x[i * 8 + s] = floor(2 * random_uniform(&seed));
        }
        for (uint32_t s = 0; s < 8; s++) {
            bool same = true;

            for (uint32_t i = 1; i < n; i++)
                same = same && (x[i * 8 + s] == x[s]) == (y[i] == y[0]);
            agree += same;
        }
        rows = target_rows(env, x, y, NULL, NULL, n, 8, 2);
        found = slot_relations_of_rows(env, rows);
        for (uint32_t s = 0; s < 8; s++)
            named += found[s] != 0;
        rows_free(rows);
    }
    CHECK(agree > 1000);
    CHECK_INT(named, 0);
}

int main(void)
{
    Host *host = host_new();
    Env *env = &host->env;

    check_rows(env, 200, 0, (size_t)1 << 28, true);
    check_rows(env, 200, 3, (size_t)1 << 28, true);
    check_rows(env, 20000, 0, (size_t)1 << 22, true);
    check_rows(env, 20000, 3, (size_t)1 << 19, true); /* rows in a file */
    check_rows(env, 20000, 3, 35000, false);          /* a bit for each number is too much memory */
    check_moments(env, 200);
    check_moments(env, 5000);
    check_chance(env);
    host_free(host);
    return check_report();
}
