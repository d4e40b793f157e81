/* test_kmeans_128.c - the same without wide vectors. */
#define CENTROID_WIDEST 128
#include "core/distance/centroid_distance.c"
#undef CALL
#include "test_kmeans.c"
