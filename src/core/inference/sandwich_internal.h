/*
 * sandwich_internal.h - what the files that sum a sandwich share.
 */
#ifndef PGFIT_SANDWICH_INTERNAL_H
#define PGFIT_SANDWICH_INTERNAL_H

#include "core/inference/sandwich.h"
#include "core/inference/tag_table.h"

#define SANDWICH_BLOCK 64 /* rows whose coordinates are computed together */
#define SANDWICH_ONE 1e-10 /* a leverage so near 1 is 1: what is left is rounding */

/* The clusters of one column, or of the pairs and triples of columns. */
typedef struct Clustering {
    unsigned columns; /* bits */
    TagTable tags;
    double *scores;   /* [room x count] sums of the rows' scores */
    double *hats;     /* CR2 of equal variances: [room x count^2] sums of q q', the numbers of each row from the diagonal on; else NULL */
    double *waiting;  /* [room x Sandwich.waits x count] rows that hats lack yet */
    uint8_t *waited;  /* [room] their number */
    uint32_t room;
} Clustering;

/* Rows that are kept: [count x width]. */
typedef struct KeptScores {
    double *rows;
    uint64_t count, room;
    uint32_t width;
} KeptScores;

struct Sandwich {
    Env *env;
    VcovPlan plan;
    SandwichFit fit;
    int exponent;   /* weights are divided by 4^exponent and rows multiplied by 2^exponent, which changes no result but keeps squares in range */
    uint32_t tags;
    double *bread;  /* [count x count] column j: R^-T times the combination of theta that coefficient j is */
    double *meat;   /* [count x count] upper triangle */
    double *q;      /* [SANDWICH_BLOCK x count] */
    SandwichRow *block;
    double *block_tags;
    uint32_t filled;
    uint64_t saturated; /* rows of leverage 1 */
    Clustering *clusterings;
    uint32_t clustering_count;
    KeptScores kept; /* of NW, and of CR2 with unequal variances or weights */
    uint32_t waits;  /* CR2 of equal variances: rows of a cluster whose products are added together; else 0 */
    double *products; /* [ld x ld + waits x ld] those products, and the rows; ld: count, rounded up to 8 */
    double *squares; /* [count x count] upper triangle: weighted sum of w^2 q q', of CR2 with weights */
    double *df;
    int64_t lag;
};

/* Sets c [m x n] to op(a) b, column major, in calls of at most 2e8 operations; polls. transposed: op(a) = a', a is [k x m]. */
void sandwich_product(Env *env, bool transposed, const double *a, uint32_t m, uint32_t k, const double *b, uint32_t n, double *c);
/* Adds x x' of the columns of x [count x n] times a factor to the upper triangle of the meat. */
void sandwich_add_products(Sandwich *sandwich, double times, const double *x, uint64_t n);
/* Makes room for one more kept row and returns it. */
double *sandwich_keep(Sandwich *sandwich);

void clusters_begin(Sandwich *sandwich);
/* Adds the rows of the block. */
void clusters_add(Sandwich *sandwich);
void clusters_finish(Sandwich *sandwich, SandwichResult *result);

/* The adjustment of Bell and McCaffrey. */
void adjusted_begin(Sandwich *sandwich);
/* Adds q q' of a row to the sum of its cluster, or has it wait. */
void adjusted_add(Sandwich *sandwich, Clustering *clustering, uint32_t cluster, const double *q, double weight);
void adjusted_finish(Sandwich *sandwich);

void series_add(Sandwich *sandwich, const double *q, const SandwichRow *row, double regressors);
void series_finish(Sandwich *sandwich);

#endif
