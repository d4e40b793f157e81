/*
 * cluster_metrics.h - how well clusters are separated, from rows with a cluster label and features.
 */
#ifndef PGFIT_CLUSTER_METRICS_H
#define PGFIT_CLUSTER_METRICS_H

#include "core/estimator/estimator.h"

/* Descriptors that hold the aggregates' options; they are not in the list of estimators. */
extern const Estimator silhouette_rows, silhouettes_rows, calinski_harabasz_rows, davies_bouldin_rows;

typedef struct Silhouette {
    uint32_t cluster; /* position in the rows' dictionary */
    double within;    /* mean distance to the other rows of its cluster; NaN if there are none */
    double other;     /* smallest mean distance to the rows of another cluster */
    double value;     /* (other - own) / max(own, other); 0 if the row is alone in its cluster or both are 0 */
} Silhouette;

/*
 * Returns the silhouettes (Rousseeuw 1987) of all rows, [rows_count] in the order of arrival; NULL if there is one cluster.
 * *mean: their weighted mean. Computes n^2 distances, with all rows in memory. For squared euclidean distances between numbers
 * it computes only n k, and rows may be in the temporary file.
 */
Silhouette *silhouettes(Env *env, Rows *rows, const Options *options, const char *method, double *mean);
/*
 * Blocks of rows whose distances to all others are computed: work that processes share. On two busy processors, seconds with no worker and with two:
 * 20,000 rows of 5 features 7.6 and 4.2.
 */
extern const SharedKind silhouette_blocks_kind;
/*
 * Returns the ratio of the mean squares between and within clusters (Calinski & Harabasz 1974); NaN for one cluster, or as many
 * as rows.
 */
double calinski_harabasz(Env *env, Rows *rows);
/*
 * Returns the index of Davies & Bouldin (1979): for each cluster the largest ratio, over the other clusters, of the sum
 * of both mean distances to the centroids and the distance between the centroids, averaged. NaN for one cluster.
 */
double davies_bouldin(Env *env, Rows *rows);

/* ---- clusters with known centroids ---- */

typedef struct Clusters {
    uint32_t count, dims;
    const double *centroids; /* [count x dims] */
    const double *weights;   /* [count] of their rows; 0: a cluster without rows */
    const double *within;    /* [count] sums of squared distances to the centroid */
} Clusters;

/*
 * Writes silhouettes by squared distances to out, [rows_count] or NULL, and returns their weighted mean. Rows without a label
 * belong to the nearest centroid. others: exclude the row itself from `own`.
 */
double silhouettes_by_centroids(Env *env, Rows *rows, const Clusters *clusters, bool others, Silhouette *out);
/* Returns the index of Calinski & Harabasz from the scatter between and within clusters; NaN also if within is 0. */
double variance_ratio(double between, double within, uint32_t clusters, double rows);

#endif
