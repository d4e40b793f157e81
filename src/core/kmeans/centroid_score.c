/*
 * centroid_score.c - scores of models that are centroids: the nearest one, and the distances from them.
 */
#include "core/kmeans/centroid_score.h"
#include "core/linalg/vector_loops.h"

CentroidScorer centroid_scorer(Env *env, const double *centroids, uint32_t k, uint32_t dims, RowScale scale)
{
    CentroidScorer scorer = {.lanes = centroid_lanes_new(env, k, dims), .centroids = centroids, .scale = scale};

    if (scale.columns > 0) {
        double *scaled = env_array(env, (size_t)k * dims, sizeof(double));

        for (size_t at = 0; at < (size_t)k * dims; at += dims)
            row_scale_apply(&scale, centroids + at, scaled + at);
        scorer.centroids = scaled;
        scorer.row = env_array(env, dims, sizeof(double));
    }
    centroid_lanes_set(scorer.lanes, scorer.centroids);
    return scorer;
}

/* Returns the row as the lanes compare it. */
static const double *comparable(const CentroidScorer *scorer, const double *slots)
{
    if (scorer->row == NULL)
        return slots;
    row_scale_apply(&scorer->scale, slots, scorer->row);
    return scorer->row;
}

/* Returns the distance of a comparable row from a centroid by its square, or anew if the square lost digits. */
static double distance_of(const CentroidScorer *scorer, uint32_t centroid, const double *row, double square)
{
    uint32_t dims = scorer->lanes->dims;

    return loop_norm_of(square, scorer->centroids + (size_t)centroid * dims, row, dims);
}

uint32_t centroid_of_row(const CentroidScorer *scorer, const double *slots, double *square)
{
    return centroid_nearest(scorer->lanes, comparable(scorer, slots), square);
}

double centroid_distance_of_row(const CentroidScorer *scorer, const double *slots, uint32_t *nearest)
{
    const double *row = comparable(scorer, slots);
    double square;

    *nearest = centroid_nearest(scorer->lanes, row, &square);
    return distance_of(scorer, *nearest, row, square);
}

void centroid_distances_of_row(const CentroidScorer *scorer, const double *slots, double *out)
{
    const double *row = comparable(scorer, slots);
    double squares[CENTROID_LANES];

    for (uint32_t c = 0; c < scorer->lanes->count; c++) {
        if (c % CENTROID_LANES == 0)
            centroid_block_distances(scorer->lanes, c / CENTROID_LANES, row, squares);
        out[c] = distance_of(scorer, c, row, squares[c % CENTROID_LANES]);
    }
}
