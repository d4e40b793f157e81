/*
 * m_sample.c - a solver of a sample of the rows, in memory.
 */
#include "core/base/number_order.h"
#include "core/base/radix_sort.h"
#include "core/base/random.h"
#include "core/base/sort.h"
#include "core/linalg/qr_factor.h"
#include "core/robust/m_solver.h"
#include "core/rows/row_sample.h"

#include <stdlib.h>
#include <string.h>

#define LEAST_SHARE 1e-145 /* of a standard deviation: with a smaller median deviation, squares of the largest numbers would overflow */

/* A row of a sample: its place among all rows, and in the sample. */
typedef struct Drawn {
    uint32_t row, at;
} Drawn;

static int compare_drawn(const void *left, const void *right)
{
    const Drawn *a = left, *b = right;

    return (a->row > b->row) - (a->row < b->row);
}

/* Writes a row as the terms of the design, its target and its weight. */
static void write_row(const StandardizedRows *rows, const DesignBlock *lines, uint32_t i, double *row)
{
    uint32_t terms = rows->design->terms;

    memcpy(row, lines->x + (size_t)i * terms, terms * sizeof(double));
    row[terms] = lines->targets[i];
    row[terms + 1] = rows->line_weights[i];
}

/* Sets the keys of all rows, in rising order, by hashes of what they hold, and rows to their places; returns which of the two arrays. */
static int hash_rows(const MSolver *solver, RadixRoom *room, uint64_t seed)
{
    Env *env = solver->env;
    uint32_t width = solver->rows->design->terms + 2, at = 0;
    double *row = env_array(env, width, sizeof(double));
    DesignBlock lines;

    for (int i = 0; i < 2; i++) {
        room->keys[i] = env_array_raw(env, solver->count, sizeof(uint64_t));
        room->rows[i] = env_array_raw(env, solver->count, sizeof(uint32_t));
    }
    while (standardized_next_lines(solver->rows, &lines))
        for (uint32_t i = 0; i < lines.count; i++, at++) {
            write_row(solver->rows, &lines, i, row);
            room->keys[0][at] = rows_hash(seed, row, width);
            room->rows[0][at] = at;
        }
    env->release(env, row);
    return radix_sort(env, room, at);
}

/* Draws `most` rows, all with the same chance: copies of a row differ by their number. Sorted by their places. */
static Drawn *draw_rows(const MSolver *solver, uint32_t most, uint64_t seed)
{
    Env *env = solver->env;
    RadixRoom room;
    int sorted = hash_rows(solver, &room, seed);
    RowSample *sample = row_sample_new(env, most, 1, false);
    Drawn *drawn = env_array(env, most, sizeof(Drawn));
    double *places = env_array(env, most, sizeof(double));
    uint64_t copy = 0;

    for (uint64_t i = 0; i < solver->count; i++) {
        double *kept;

        copy = i > 0 && room.keys[sorted][i] == room.keys[sorted][i - 1] ? copy + 1 : 0;
        kept = row_sample_add(sample, mix64(room.keys[sorted][i] + copy * RANDOM_STEP));
        if (kept != NULL)
            *kept = room.rows[sorted][i];
        if (i % DESIGN_TILE == 0)
            env->poll(env);
    }
    row_sample_sort(sample, places);
    for (uint32_t i = 0; i < most; i++)
        drawn[i] = (Drawn){(uint32_t)places[i], i};
    qsort(drawn, most, sizeof(Drawn), compare_drawn);
    row_sample_free(sample);
    env->release(env, places);
    for (int i = 0; i < 2; i++) {
        env->release(env, room.keys[i]);
        env->release(env, room.rows[i]);
    }
    return drawn;
}

/* Writes the tiles of the drawn rows, as they come. */
static void write_tiles(MSolver *solver, const Drawn *drawn)
{
    StandardizedRows *rows = solver->rows;
    uint32_t terms = rows->design->terms, next = 0;
    double *row = env_array(solver->env, terms + 2, sizeof(double));
    uint64_t at = 0;
    DesignBlock lines;

    for (; standardized_next_lines(rows, &lines); at += lines.count)
        for (; next < solver->count && drawn[next].row < at + lines.count; next++) {
            uint32_t place = drawn[next].at;
            double *to = solver->sample + (size_t)(place / DESIGN_TILE) * (rows->terms + 2) * DESIGN_TILE + place % DESIGN_TILE;

            write_row(rows, &lines, (uint32_t)(drawn[next].row - at), row);
            for (uint32_t t = 0; t < rows->terms; t++, to += DESIGN_TILE)
                *to = row[rows->term[t]];
            to[0] = row[terms];
            to[DESIGN_TILE] = row[terms + 1];
            if (solver->counts != NULL)
                solver->counts[place] = row[terms + 1];
        }
    solver->env->release(solver->env, row);
}

/* Returns the median of numbers, which it sorts. */
static double median(double *numbers, uint64_t count)
{
    qsort(numbers, count, sizeof(double), compare_numbers);
    return median_of_sorted(numbers, count);
}

/*
 * Centers the columns of the sample and of all rows at their medians in it, and scales them by their median deviations: beside a mean that an
 * outlier carries away, the other rows would be one point. A column most of whose numbers are equal keeps its scale.
 */
static void standardize_again(MSolver *solver)
{
    StandardizedRows *rows = solver->rows;
    double *numbers = env_array(solver->env, solver->count, sizeof(double));
    size_t tile = ((size_t)rows->terms + 2) * DESIGN_TILE;

    for (uint32_t t = 0; t < rows->terms; t++) {
        double *column = solver->sample + (size_t)t * DESIGN_TILE, deviation, *center = &rows->center[rows->term[t]], *scale = &rows->scale[rows->term[t]];

        for (uint64_t i = 0; i < solver->count; i++)
            numbers[i] = column[i / DESIGN_TILE * tile + i % DESIGN_TILE];
        *center = rows->intercept ? median(numbers, solver->count) : 0;
        for (uint64_t i = 0; i < solver->count; i++)
            numbers[i] = fabs(column[i / DESIGN_TILE * tile + i % DESIGN_TILE] - *center);
        deviation = median(numbers, solver->count);
        *scale = deviation > LEAST_SHARE * *scale ? deviation : *scale;
        for (uint64_t i = 0; i < solver->count; i += DESIGN_TILE)
            tile_standardize(column + i / DESIGN_TILE * tile, *center, 1 / *scale);
        solver->env->poll(solver->env);
    }
    solver->env->release(solver->env, numbers);
}

MSolver *m_sample(const MSolver *all, uint32_t most, uint64_t seed)
{
    Env *env = all->env;
    MSolver *solver = env_array(env, 1, sizeof(MSolver));
    StandardizedRows *rows = env_array(env, 1, sizeof(StandardizedRows));
    size_t k = all->width, numbers = (size_t)all->rows->terms + 2, tiles;
    Drawn *drawn;
    void *memory;

    most = all->count < most ? (uint32_t)all->count : most;
    tiles = ((size_t)most + DESIGN_TILE - 1) / DESIGN_TILE;
    if (all->count > UINT32_MAX)
        env_fail(env, ERROR_LIMIT, NULL, "%s takes at most %u rows, not %llu", all->method, UINT32_MAX, (unsigned long long)all->count);
    env_require_memory(env, all->count * 2 * (sizeof(uint64_t) + sizeof(uint32_t)), "drawing rows");
    drawn = draw_rows(all, most, seed);
    env_require_memory(env, (tiles * numbers * DESIGN_TILE + factor_packed(k) + k * k) * sizeof(double), all->method);
    *solver = *all;
    *rows = *all->rows;
    rows->columns = env_array(env, k + TILE_PADDING, sizeof(double *));
    memcpy(rows->columns, all->rows->columns, (k + TILE_PADDING) * sizeof(double *));
    solver->rows = rows;
    solver->count = most;
    solver->sample = env_aligned(env, tiles * numbers * DESIGN_TILE, &memory);
    if (all->counts != NULL)
        solver->counts = env_array(env, most, sizeof(double));
    write_tiles(solver, drawn);
    standardize_again(solver);
    env->release(env, drawn);
    solver->weight = solver->counts == NULL ? most : 0;
    for (uint32_t i = 0; solver->counts != NULL && i < most; i++)
        solver->weight += solver->counts[i];
    m_begin(solver);
    return solver;
}
