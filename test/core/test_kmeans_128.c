/* test_kmeans_128.c - the same without wide vectors. */
#define CENTROID_WIDEST 128
#include "../../src/core/centroids.c"
#undef CALL
#include "test_kmeans.c"
