/* test_kmeans_256.c - the same with vectors of 256 bits. */
#define CENTROID_WIDEST 256
#include "../../src/core/centroids.c"
#undef CALL
#include "test_kmeans.c"
