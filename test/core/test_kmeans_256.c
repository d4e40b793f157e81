/* test_kmeans_256.c - the same with vectors of 256 bits. */
#define SIMD_WIDEST 256
#include "core/distance/centroid_distance.c"
#include "test_kmeans.c"
