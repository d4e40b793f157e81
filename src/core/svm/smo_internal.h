/*
 * smo_internal.h - what the files of sequential minimal optimization share.
 */
#ifndef PGFIT_SMO_INTERNAL_H
#define PGFIT_SMO_INTERNAL_H

#include "core/svm/smo.h"

#define SMO_TAU 1e-12 /* curvature where the kernel has none, or a negative one */
#define SMO_PAD 64 /* rows of a block; at most KERNEL_CACHE_SPARE */

typedef struct SmoExtremes {
    double largest, least; /* rise, fall */
    uint32_t first;        /* row of the block with the largest rise */
} SmoExtremes;

/* What multipliers gain per unit when they grow, and when they shrink; steps pair rows of one side (smo.c). */
typedef struct SmoSide {
    double *rise, *fall; /* [padded] */
    double *part;        /* [padded] nu machines: the multipliers >= 0 (side 0) or <= 0 (side 1) */
    SmoExtremes now;
} SmoSide;

/*
 * Multipliers for which t - f of all rows is known: later values follow from those that have changed since. Without, the second time that rows
 * set aside are taken up again costs as much as the first: 1.27 instead of 0.91 kernel values per pair of 8,000 rows of 10 overlapping features,
 * and with the values that exact steps keep (SmoKnown) 3.58 instead of 1.65 of 3,000.
 */
typedef struct SmoBase {
    double *b, *rest; /* [count], [padded] */
    uint32_t updates; /* since t - f was computed from all multipliers */
} SmoBase;

/* Kernel values of the first `count` rows with the first `length`, in double precision: [count x length]. */
typedef struct SmoKnown {
    const double *values;
    uint32_t count, length;
} SmoKnown;

typedef struct Smo {
    Env *env;
    const SmoProblem *problem;
    KernelCache *cache;
    uint32_t count, active, padded, sides;
    double epsilon, tolerance;
    /* [count], in the order of the cache; those worked on come first */
    double *b, *targets, *lower, *upper;
    SmoSide side[2];
    SmoBase exact, near;        /* in double precision; in that of the rows of the cache */
    double *diagonal;           /* [padded] */
    uint32_t *rows;             /* place in the caller's arrays */
    PointPair *pairs;           /* [count] room for shrink */
    const float *row_i, *row_j; /* of the current step */
    const float *zeros;         /* [padded] */
    bool unshrunk;
    uint64_t iterations;
    uint32_t still; /* steps on end that changed multipliers by rounding errors at most */
} Smo;

/* Returns the multipliers of a side; b where there is one. */
static inline double *smo_own(const Smo *smo, uint32_t s)
{
    return smo->sides == 2 ? smo->side[s].part : smo->b;
}
/* Sets b to the sums of the multipliers of both sides. */
void smo_join(Smo *smo);
/* Return where a growing (or shrinking) multiplier of a side must stop: at its bound, or at 0, beyond which another slope begins. */
double smo_top(const Smo *smo, uint32_t s, uint32_t i);
double smo_bottom(const Smo *smo, uint32_t s, uint32_t i);
/* Sets rise and fall of a row from t - f. */
void smo_set_row(Smo *smo, uint32_t i, double rest);
/* Returns t - f of a row from rise or fall; b must not have changed since they were set. */
double smo_rest(const Smo *smo, uint32_t i);
/* Computes t - f of all rows in double precision, and sets their rise and fall. known: values that need not be computed. */
void smo_recompute(Smo *smo, SmoKnown known);
/* Computes t - f of rows first .. count - 1, whose multipliers may be out of date, as the steps would have, and sets their rise and fall. */
void smo_restore(Smo *smo, uint32_t first);
/* Exchanges what the solver keeps of two rows; the cache is left as it is. */
void smo_swap_kept(Smo *smo, uint32_t i, uint32_t j);
/* Exchanges rows, also in the cache, pair after pair. */
void smo_swap(Smo *smo, const PointPair *pairs, uint32_t count);
/* Moves the rows worked on by -step (row_i - row_j), and finds the extremes. */
void smo_move(Smo *smo, double step, const float *row_i, const float *row_j);
/* Finds the extremes of the rows worked on. */
void smo_find_extremes(Smo *smo);
/* Returns by how much the worst pair of a side, or of all, misses the conditions. */
double smo_side_gap(const SmoSide *side);
double smo_gap(const Smo *smo);
/* Returns the partner for row i, whose kernel values are in row_i, that promises most; UINT32_MAX: none promises anything. */
uint32_t smo_partner(const Smo *smo, const SmoSide *side, uint32_t i);

/*
 * Solves for the free multipliers exactly, in double precision, all rows being worked on: the objective falls. last: unless the gap
 * falls as well, nothing changes. Returns false, without trying, where that would take long or no row is free; unless it would take
 * long, t - f of all rows is computed in double precision.
 */
bool smo_polish(Smo *smo, bool last);

#endif
