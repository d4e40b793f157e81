/*
 * logistic_pass.c - passes over the rows, which compute the loss and its derivatives, and what Newton's method and L-BFGS
 * share.
 *
 * Without the curvature, rows are read in row order, a few at a time, at little more than the cost of fetching them
 * from memory. The curvature needs tiles of columns.
 */
#include "core/linalg/qr_factor.h"
#include "core/logistic/logistic_fit.h"
#include "core/logistic/logistic_quadratic.h"

#include <string.h>

#define SEPARATED_LOSS 1e-8 /* per row: below it the classes are perfectly separated */

/* Sets y and w for a few rows: their classes (1 or 0 in a binary problem), and their weights, 0 for classes not used. */
static void take_classes(const LogisticSolver *solver, const uint32_t *classes, const double *weights, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        solver->tile.y[i] = solver->class_y[classes[i]];
        solver->tile.w[i] = weights[i] * solver->class_used[classes[i]];
    }
}

/* ---- lines: rows in row order ---- */

/* Converts the equations to the columns' own scale. */
static void find_slopes(LogisticSolver *solver, const double *theta)
{
    const StandardizedRows *rows = solver->problem->rows;

    for (uint32_t e = 0; e < solver->problem->equations; e++)
        standardized_slopes(rows, theta + (size_t)e * rows->count, solver->slopes + (size_t)e * rows->design->terms);
}

/* Computes the scores of rows by all equations, two at a time. */
static void score_lines(const LogisticSolver *solver, const double *theta, const double *x, uint32_t count, double *eta)
{
    const StandardizedRows *rows = solver->problem->rows;
    uint32_t terms = rows->design->terms, equations = solver->tile.equations;

    for (uint32_t e = 0; e < equations; e += 2, eta += 2 * DESIGN_TILE) {
        const double *slopes = solver->slopes + (size_t)e * terms, *own = theta + (size_t)e * rows->count;
        double constants[2] = {rows->intercept ? own[0] : 0, rows->intercept && e + 1 < equations ? own[rows->count] : 0};

        if (e + 1 < equations)
            lines_scores_two(x, terms, count, rows->center, slopes, constants, eta);
        else
            lines_scores(x, terms, count, rows->center, slopes, constants[0], eta);
    }
}

/* Adds the products of rows and their residuals by all equations, [equations x DESIGN_TILE], to the parts of the gradient, two at a time. */
static void add_products(LogisticSolver *solver, const double *residuals, const double *x, uint32_t count)
{
    const StandardizedRows *rows = solver->problem->rows;
    uint32_t terms = rows->design->terms, equations = solver->tile.equations;

    for (uint32_t e = 0; e < equations; e++)
        for (uint32_t i = 0; i < count; i++)
            solver->part[(size_t)e * (terms + 1)] += residuals[e * DESIGN_TILE + i];
    for (uint32_t e = 0; e < equations; e += 2, residuals += 2 * DESIGN_TILE) {
        double *part = solver->part + (size_t)e * (terms + 1) + 1;

        if (e + 1 < equations)
            lines_products_two(x, terms, count, rows->center, residuals, part, terms + 1);
        else
            lines_products(x, terms, count, rows->center, residuals, part);
    }
}

/* Evaluates `count` rows, all of one tile; returns `loss` plus theirs. */
static double add_lines(LogisticSolver *solver, const double *theta, const double *x, uint32_t count, double loss)
{
    const TileModel *tile = &solver->tile;
    uint32_t fixed = tile->classes - tile->equations;
    double *own = tile->eta + (size_t)fixed * DESIGN_TILE;

    if (fixed)
        memset(tile->eta, 0, DESIGN_TILE * sizeof(double));
    score_lines(solver, theta, x, count, own);
    if (tile->classes == 1) {
        loss = lines_binary(tile->eta, tile->y, tile->w, count, tile->room, tile->room + DESIGN_TILE, loss);
        add_products(solver, tile->room, x, count);
        return loss;
    }
    loss = lines_softmax(tile->eta, tile->classes, tile->y, tile->w, count, tile->room, loss);
    for (uint32_t e = 0; e < tile->equations; e++)
        lines_residuals(own + (size_t)e * DESIGN_TILE, e + fixed, tile->y, tile->w, count);
    add_products(solver, own, x, count);
    return loss;
}

/* Adds the gradient of a tile to the sums: two levels of sums keep their digits over many rows. */
static void add_part(LogisticSolver *solver)
{
    size_t numbers = (size_t)solver->problem->equations * (solver->problem->rows->design->terms + 1);

    for (size_t i = 0; i < numbers; i++)
        solver->sums[i] += solver->part[i];
    memset(solver->part, 0, numbers * sizeof(double));
}

/* Evaluates all rows without the curvature. */
static void pass_lines(LogisticSolver *solver, LogisticPoint *point)
{
    StandardizedRows *rows = solver->problem->rows;
    uint32_t terms = rows->design->terms, step = lines_cached(terms);
    double loss = 0;
    DesignBlock lines;

    memset(solver->part, 0, (size_t)solver->problem->equations * (terms + 1) * sizeof(double));
    memset(solver->sums, 0, (size_t)solver->problem->equations * (terms + 1) * sizeof(double));
    find_slopes(solver, point->theta);
    while (standardized_next_lines(rows, &lines)) {
        for (uint32_t at = 0, count; at < lines.count; at += count) {
            count = lines.count - at < step ? lines.count - at : step;
            take_classes(solver, lines.classes + at, rows->line_weights + at, count);
            loss = add_lines(solver, point->theta, lines.x + (size_t)at * terms, count, loss);
        }
        if ((lines.first + lines.count) % DESIGN_TILE == 0) {
            point->loss += loss;
            loss = 0;
            add_part(solver);
        }
    }
    point->loss += loss;
    add_part(solver);
    for (uint32_t e = 0; e < solver->problem->equations; e++)
        standardized_products(rows, solver->sums + (size_t)e * (terms + 1), point->gradient + (size_t)e * rows->count);
}

/* ---- shared by Newton's method and L-BFGS ---- */

void logistic_evaluate(LogisticSolver *solver, LogisticPoint *point, bool curvature)
{
    StandardizedRows *rows = solver->problem->rows;

    point->loss = 0;
    if (!curvature) {
        pass_lines(solver, point);
        return;
    }
    memset(point->gradient, 0, solver->size * sizeof(double));
    memset(point->blocks, 0, solver->pairs * factor_packed(rows->count) * sizeof(double));
    while (standardized_next_tile(rows)) {
        take_classes(solver, rows->tile.classes, rows->tile.weights, DESIGN_TILE);
        point->loss += tile_derivatives(solver->env, &solver->tile, point->theta, point->gradient, point->blocks);
    }
}

double logistic_penalty(const LogisticSolver *solver, const double *theta)
{
    return penalty_sum(solver->size, solver->l1, solver->l2, theta);
}

void logistic_hessian(const LogisticSolver *solver, const double *blocks, double *matrix)
{
    const LogisticProblem *problem = solver->problem;
    const StandardizedRows *rows = problem->rows;
    bool all = problem->softmax && problem->equations == problem->classes && rows->intercept;

    blocks_to_hessian(blocks, problem->equations, rows->count, solver->l2,
                      all ? rows->weight / problem->classes / problem->classes : 0, matrix);
}

void logistic_progress(const LogisticSolver *solver, LogisticSolution *solution, double objective)
{
    double rows = (double)rows_count(solver->problem->rows->design->rows);

    solver->env->progress(solver->env, "logistic_regression", (uint64_t)solution->iterations++,
                          (uint64_t)solver->problem->max_iter, objective / rows);
}

void logistic_swap(LogisticSolver *solver)
{
    LogisticPoint swap = solver->here;

    solver->here = solver->there;
    solver->there = swap;
}

bool logistic_separates(const LogisticSolver *solver)
{
    return !loss_penalized(&solver->problem->penalty) &&
           solver->here.loss <= SEPARATED_LOSS * solver->problem->rows->weight;
}
