/* test_kmeans_256.c - the same with vectors of 256 bits. */
#define CENTROID_WIDEST 256
#include "core/distance/centroid_distance.c"
#undef CALL
#include "test_kmeans.c"
