/*
 * kmedoids.h - k-medoids: the points, and how medoids are started and improved.
 */
#ifndef PGFIT_KMEDOIDS_H
#define PGFIT_KMEDOIDS_H

#include "core/distance/point_set.h"
#include "core/estimator/table.h"

/*
 * Of rows with so many coordinates, the distances of so many points in turn are computed together: 8 medoids of 5,000 rows of 100 features take 2.0, not 3.0 s.
 * Of narrower rows, reading the distances again takes longer than it saves.
 */
#define MEDOIDS_AHEAD_WIDTH 32
#define MEDOIDS_AHEAD 8

/* What a search found. */
typedef struct MedoidsResult {
    double cost;       /* sum of weight times the distance to the nearest medoid */
    uint32_t *medoids; /* [k] points */
    int64_t iterations, swaps;
    bool converged;
    double *history;   /* [history_count] cost after each assignment or swap of this start; NULL while empty */
    uint32_t history_count, history_room;
} MedoidsResult;

/* The points from which medoids are chosen, with the nearest and second nearest medoid of each. */
typedef struct Medoids {
    Env *env;
    const Metric *metric;
    uint32_t n, k;
    const double *coordinates; /* [n x metric->width] */
    const double *weights;     /* [n] or NULL */
    double *panels;            /* the same coordinates in panels (metric.h) */
    uint32_t *nearest, *second; /* [n] positions in now.medoids */
    double *first_distance, *second_distance; /* [n]; the second is INFINITY if k is 1 */
    double *row;               /* [n, rounded up to panels] distances of one point from all; one of these: */
    double *own, *ahead;       /* room for one, and for those of points `turn` to `turn_end` - 1, which are asked for in turn */
    uint32_t turn, turn_end;
    MedoidsResult now, best;   /* of the current start, and the best of all starts so far */
    int64_t max_iter, evaluations;
    bool keep_history;
    uint32_t *members;         /* [n] points of one cluster */
    double *bounds;            /* [n] upper bounds of what each point would lower the cost by */
    uint32_t *evaluated_for;   /* [n] 1 + the medoid for which the bound was computed; 0: none */
    double *losses, *changes;  /* [k] what removing each medoid costs; how a swap with it changes the cost */
} Medoids;

/* Returns a search for k medoids among n points. coordinates: [n x width]; weights: [n] or NULL. */
Medoids *medoids_new(Env *env, const Metric *metric, const double *coordinates, const double *weights, uint32_t n,
                     uint32_t k);
/* Copies the coordinates to the panels; call it again when they have changed. */
void medoids_read(Medoids *medoids);
static inline const double *medoids_point(const Medoids *medoids, uint32_t i)
{
    return medoids->coordinates + (size_t)i * medoids->metric->width;
}
/* Sets the nearest and second nearest medoid of every point, and the cost. */
void medoids_assign(Medoids *medoids);

/* ---- starts: medoids->now.medoids ---- */

/*
 * Chooses each medoid as the point that lowers the cost most (BUILD, Kaufman & Rousseeuw 1990). Takes 2 n^2 distances for the
 * first two medoids, then n for each point that its bound does not rule out.
 */
void medoids_build(Medoids *medoids);
/* Does the same among 10 + sqrt(n) random points for each medoid (LAB, Schubert & Rousseeuw 2021). */
void medoids_build_sampled(Medoids *medoids, uint64_t seed);
/* Chooses k random points, all different if there are enough different ones. */
void medoids_random(Medoids *medoids, uint64_t seed);
/* Chooses the points nearest to k given vectors of coordinates [k x width]. */
void medoids_given(Medoids *medoids, const double *given);

/* ---- searches from the current medoids ---- */

/* Alternates between assigning the points and choosing the best medoid of each cluster, until no medoid changes. */
void medoids_alternate(Medoids *medoids);
/*
 * Swaps medoids with other points until no swap lowers the cost. eager: makes every swap that lowers it as soon as it is found
 * (FasterPAM); else the best of all swaps in each round (FastPAM1, which makes the swaps of PAM itself). Evaluating a point takes n
 * distances.
 */
void medoids_swap(Medoids *medoids, bool eager);

#endif
