/*
 * logistic_pass.c - one pass over the rows: the loss and its derivatives.
 *
 * Without the curvature, rows are read in row order, a few at a time, at little more than the cost of fetching them
 * from memory. The curvature needs tiles of columns.
 */
#include "core/linalg/qr_factor.h"
#include "core/logistic/logistic_fit.h"
#include "core/logistic/logistic_tile.h"
#include "core/logistic/logistic_newton.h"

#include <math.h>
#include <string.h>

#define LINES_BYTES 131072 /* of the rows between scores and gradient: a share of the second cache */

/* ---- tiles ---- */


/* With the curvature. */
static void work_tile(LogisticWork *work, LogisticPoint *point)
{
    const LogisticProblem *problem = work->problem;
    LogisticRows *rows = problem->rows;
    const DesignTile *tile = &rows->tile;
    uint32_t count = rows->count, fixed = 0;
    const double *const *columns = (const double *const *)rows->columns;

    if (problem->signs != NULL) {
        for (uint32_t i = 0; i < DESIGN_TILE; i++) {
            work->y[i] = work->class_y[tile->classes[i]];
            work->weights[i] = tile->weights[i] * work->class_used[tile->classes[i]];
        }
        tile_scores(columns, count, point->theta, work->eta);
        point->loss += tile_binary(work->eta, work->y, work->weights, work->room, work->room + DESIGN_TILE);
        tile_products(columns, count, work->room, point->gradient);
        tile_gram(rows->env, columns, count, work->room + DESIGN_TILE, rows->scratch, point->blocks);
        return;
    }
    if (problem->equations < problem->classes) { /* the first class has score 0 */
        memset(work->eta, 0, DESIGN_TILE * sizeof(double));
        fixed = 1;
    }
    for (uint32_t i = 0; i < DESIGN_TILE; i++)
        work->y[i] = tile->classes[i];
    for (uint32_t e = 0; e < problem->equations; e++)
        tile_scores(columns, count, point->theta + (size_t)e * count,
                    work->eta + (size_t)(e + fixed) * DESIGN_TILE);
    point->loss += tile_softmax(work->eta, problem->classes, work->y, tile->weights, work->room);
    for (uint32_t e = 0; e < problem->equations; e++) {
        const double *p = work->eta + (size_t)(e + fixed) * DESIGN_TILE;

        for (uint32_t i = 0; i < DESIGN_TILE; i++)
            work->room[i] = tile->weights[i] * (p[i] - (tile->classes[i] == e + fixed));
        tile_products(columns, count, work->room, point->gradient + (size_t)e * count);
    }
    for (uint32_t e = 0, pair = 0; e < problem->equations; e++)
        for (uint32_t f = e; f < problem->equations; f++, pair++) {
            const double *p = work->eta + (size_t)(e + fixed) * DESIGN_TILE;
            const double *q = work->eta + (size_t)(f + fixed) * DESIGN_TILE;

            for (uint32_t i = 0; i < DESIGN_TILE; i++)
                work->room[i] = tile->weights[i] * p[i] * ((e == f) - q[i]);
            tile_gram(rows->env, columns, count, work->room, rows->scratch,
                      point->blocks + pair * factor_packed(count));
        }
}

/* ---- lines ---- */

/* The equations in the columns' own scale. */
static void find_slopes(LogisticWork *work, const double *theta)
{
    const LogisticRows *rows = work->problem->rows;

    for (uint32_t e = 0; e < work->problem->equations; e++, theta += rows->count) {
        double *slopes = work->slopes + (size_t)e * rows->design->terms;

        for (uint32_t t = 0; t < rows->terms; t++)
            slopes[rows->term[t]] = theta[t + rows->intercept] / rows->scale[rows->term[t]];
    }
}

/* An equation's scores of some rows. */
static void line_scores(const LogisticWork *work, const double *theta, uint32_t equation, const double *x,
                        uint32_t count, double *eta)
{
    const LogisticRows *rows = work->problem->rows;
    uint32_t terms = rows->design->terms;

    lines_scores(x, terms, count, rows->center, work->slopes + (size_t)equation * terms,
                 rows->intercept ? theta[(size_t)equation * rows->count] : 0, eta);
}

/* Adds the products of the residuals in `room` to an equation's part of the gradient. */
static void add_products(LogisticWork *work, uint32_t equation, const double *x, uint32_t count)
{
    const LogisticRows *rows = work->problem->rows;
    double *part = work->part + (size_t)equation * (rows->design->terms + 1);

    for (uint32_t i = 0; i < count; i++)
        part[0] += work->room[i];
    lines_products(x, rows->design->terms, count, rows->center, work->room, part + 1);
}

/* Some rows of one tile; returns `loss` plus theirs. */
static double work_lines(LogisticWork *work, const double *theta, const double *x, const uint32_t *classes,
                         const double *weights, uint32_t count, double loss)
{
    const LogisticProblem *problem = work->problem;
    uint32_t fixed = problem->equations < problem->classes;

    if (problem->signs != NULL) {
        for (uint32_t i = 0; i < count; i++) {
            work->y[i] = work->class_y[classes[i]];
            work->weights[i] = weights[i] * work->class_used[classes[i]];
        }
        line_scores(work, theta, 0, x, count, work->eta);
        loss = lines_binary(work->eta, work->y, work->weights, count, work->room, work->room + DESIGN_TILE, loss);
        add_products(work, 0, x, count);
        return loss;
    }
    for (uint32_t i = 0; i < count; i++) {
        work->y[i] = classes[i];
        work->weights[i] = weights[i];
    }
    if (fixed)
        memset(work->eta, 0, DESIGN_TILE * sizeof(double));
    for (uint32_t e = 0; e < problem->equations; e++)
        line_scores(work, theta, e, x, count, work->eta + (size_t)(e + fixed) * DESIGN_TILE);
    loss = lines_softmax(work->eta, problem->classes, work->y, work->weights, count, work->room, loss);
    for (uint32_t e = 0; e < problem->equations; e++) {
        const double *p = work->eta + (size_t)(e + fixed) * DESIGN_TILE;

        for (uint32_t i = 0; i < count; i++)
            work->room[i] = weights[i] * (p[i] - (classes[i] == e + fixed));
        add_products(work, e, x, count);
    }
    return loss;
}

/* What a tile's rows add up to joins the sums: in two levels, since there may be many rows. */
static void fold_part(LogisticWork *work)
{
    size_t numbers = (size_t)work->problem->equations * (work->problem->rows->design->terms + 1);

    for (size_t i = 0; i < numbers; i++)
        work->sums[i] += work->part[i];
    memset(work->part, 0, numbers * sizeof(double));
}

static void pass_lines(LogisticWork *work, LogisticPoint *point)
{
    LogisticRows *rows = work->problem->rows;
    uint32_t terms = rows->design->terms, step = LINES_BYTES / sizeof(double) / (terms + 1) / LINES_MULTIPLE;
    double loss = 0;
    DesignBlock lines;

    step = step < 1 ? LINES_MULTIPLE : step > DESIGN_TILE / LINES_MULTIPLE ? DESIGN_TILE : step * LINES_MULTIPLE;
    memset(work->part, 0, (size_t)work->problem->equations * (terms + 1) * sizeof(double));
    memset(work->sums, 0, (size_t)work->problem->equations * (terms + 1) * sizeof(double));
    find_slopes(work, point->theta);
    while (logistic_next_lines(rows, &lines)) {
        for (uint32_t at = 0; at < lines.count; at += step)
            loss = work_lines(work, point->theta, lines.x + (size_t)at * terms, lines.classes + at,
                              rows->line_weights + at, lines.count - at < step ? lines.count - at : step, loss);
        if ((lines.first + lines.count) % DESIGN_TILE == 0) {
            point->loss += loss;
            loss = 0;
            fold_part(work);
        }
    }
    point->loss += loss;
    fold_part(work);
    for (uint32_t e = 0; e < work->problem->equations; e++) {
        const double *sums = work->sums + (size_t)e * (terms + 1);
        double *gradient = point->gradient + (size_t)e * rows->count;

        if (rows->intercept)
            gradient[0] = sums[0];
        for (uint32_t t = 0; t < rows->terms; t++)
            gradient[t + rows->intercept] = sums[1 + rows->term[t]] / rows->scale[rows->term[t]];
    }
}

/* ---- either ---- */

void logistic_evaluate(LogisticWork *work, LogisticPoint *point, bool curvature)
{
    LogisticRows *rows = work->problem->rows;

    point->loss = 0;
    if (!curvature) {
        pass_lines(work, point);
        return;
    }
    memset(point->gradient, 0, work->size * sizeof(double));
    memset(point->blocks, 0, work->pairs * factor_packed(rows->count) * sizeof(double));
    while (logistic_next_tile(rows))
        work_tile(work, point);
}

double logistic_penalty(const LogisticWork *work, const double *theta)
{
    double sum = 0;

    for (uint32_t i = 0; i < work->size; i++)
        sum += work->l1[i] * fabs(theta[i]) + work->l2[i] * theta[i] * theta[i];
    return sum;
}

void logistic_curvature(const LogisticWork *work, const double *blocks, double *matrix)
{
    const LogisticProblem *problem = work->problem;
    uint32_t count = problem->rows->count, size = work->size;

    blocks_to_dense(blocks, problem->equations, count, matrix);
    for (uint32_t i = 0; i < size; i++)
        matrix[(size_t)i * size + i] += 2 * work->l2[i];
    if (problem->signs == NULL && problem->equations == problem->classes && problem->rows->intercept)
        for (uint32_t e = 0; e < problem->equations; e++)
            for (uint32_t f = 0; f < problem->equations; f++)
                matrix[(size_t)e * count * size + (size_t)f * count] +=
                    problem->rows->weight / problem->classes / problem->classes;
}
