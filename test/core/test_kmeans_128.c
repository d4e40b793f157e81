/* test_kmeans_128.c - the same without wide vectors. */
#define SIMD_WIDEST 128
#include "core/distance/centroid_distance.c"
#include "test_kmeans.c"
