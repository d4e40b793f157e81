/*
 * logistic_tile.h - what a pass of a logistic fit computes for one tile of rows (row_design.h): scores, losses, derivatives.
 *
 * columns, count: as in row_tile.h. Only for fits.
 */
#ifndef PGFIT_LOGISTIC_TILE_H
#define PGFIT_LOGISTIC_TILE_H

#include "core/rows/row_tile.h"

/*
 * For two classes, y 1 or 0, writes residuals w (p - y) and curvatures w p (1 - p), where p = 1 / (1 + exp(-eta)); returns the
 * sum of the losses w (log(1 + exp(eta)) - y eta).
 */
double tile_binary(const double *eta, const double *y, const double *w, double *residuals,
                   double *curvatures);
/*
 * For several classes, replaces the scores eta [classes x DESIGN_TILE] by probabilities; returns the sum of the losses -w log p
 * of the rows' classes, whose positions are y. room: [2 x DESIGN_TILE] scratch.
 */
double tile_softmax(double *eta, uint32_t classes, const double *y, const double *w, double *room);

/* One tile, and the arrays in which its derivatives are computed. */
typedef struct TileModel {
    const double *const *columns; /* [count + padding] */
    uint32_t count;               /* parameters per equation */
    uint32_t equations;           /* free equations: 1 for two classes, else classes, or classes - 1 if the first is fixed at 0 */
    uint32_t classes;             /* of softmax; 1: two classes */
    double *eta;                  /* [classes x DESIGN_TILE] */
    double *y, *w;                /* [DESIGN_TILE] classes (two classes: 1 or 0) and weights of the rows */
    double *room, *scratch;       /* [2 x DESIGN_TILE], [4 x DESIGN_TILE] */
} TileModel;
/*
 * Adds the derivatives of the loss at theta [equations x count] to gradient [equations x count] and to blocks, one packed
 * [count x count] block per pair of equations e <= f; returns the loss of the tile. Polls.
 */
double tile_derivatives(Env *env, const TileModel *tile, const double *theta, double *gradient, double *blocks);

/*
 * The same for at most DESIGN_TILE rows in row order (x [count x terms]): sums are taken row by row, so that they do not depend
 * on how many rows come in one call. y, w and eta have room up to the next multiple of LINES_MULTIPLE, which is filled with rows
 * of weight 0.
 */
/* As tile_binary; returns `sum` plus the losses. room: [DESIGN_TILE] scratch. */
double lines_binary(double *eta, double *y, double *w, uint32_t count, double *residuals, double *room, double sum);
/* Replaces probabilities of a class by residuals w (p - 1) for its rows, and w p for others. */
void lines_residuals(double *p, uint32_t class, const double *y, const double *w, uint32_t count);
/* As tile_softmax, eta [classes x DESIGN_TILE]; returns `sum` plus the losses. */
double lines_softmax(double *eta, uint32_t classes, double *y, double *w, uint32_t count, double *room, double sum);

#endif
