/*
 * cluster_metrics.h - how well clusters are parted, from Rows of a cluster and features.
 */
#ifndef PGFIT_CLUSTER_METRICS_H
#define PGFIT_CLUSTER_METRICS_H

#include "core/estimator/estimator.h"

/* Descriptors of the aggregates for their options; not in the list of estimators. */
extern const Estimator silhouette_rows, silhouettes_rows, calinski_harabasz_rows, davies_bouldin_rows;

typedef struct Silhouette {
    uint32_t cluster; /* position in the rows' dictionary */
    double own;       /* mean distance to the others of its cluster; NaN: it is alone */
    double other;     /* the least mean distance to the rows of another cluster */
    double value;     /* (other - own) / the greater of both; 0 where it is alone or both are 0 */
} Silhouette;

/*
 * Silhouettes (Rousseeuw 1987) of all rows, [rows_count] as they came, or NULL where there is one cluster. Any
 * metric takes n^2 distances and the rows in memory; squared euclidean ones of numbers only n k, and rows stay where they are.
 * mean: over all rows by weight.
 */
Silhouette *silhouettes(Env *env, Rows *rows, const Options *options, const char *method, double *mean);
/* Ratio of the mean squares between and within clusters (Calinski & Harabasz 1974); NaN: one cluster, or as many as rows. */
double calinski_harabasz(Env *env, Rows *rows);
/*
 * Mean over the clusters of the greatest ratio of two clusters' mean distances to their centroids, added up, and the
 * distance of the centroids (Davies & Bouldin 1979); NaN: one cluster.
 */
double davies_bouldin(Env *env, Rows *rows);

/* ---- of clusters whose centroids are at hand ---- */

typedef struct Clusters {
    uint32_t count, dims;
    const double *centroids; /* [count x dims] */
    const double *weights;   /* [count] of their rows; 0: it has none */
    const double *within;    /* [count] sums of squared distances to the centroid */
} Clusters;

/*
 * Silhouettes of squared distances into out, [rows_count] or NULL; returns their mean by weight. Rows without a label
 * belong to the nearest centroid. others: the own mean is that to the other rows of the cluster.
 */
double silhouettes_by_centroids(Env *env, Rows *rows, const Clusters *clusters, bool others, Silhouette *out);
/* The Calinski-Harabasz index from the scatter between and within clusters; NaN as there, or where within is 0. */
double variance_ratio(double between, double within, uint32_t clusters, double rows);

#endif
