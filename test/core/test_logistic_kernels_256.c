/* test_logistic_kernels_256.c - the same with kernels of AVX2, whatever this machine has. */
#define SIMD_WIDEST 256
#include "core/logistic/logistic_kernels.c"

#include "test_logistic_kernels.c"
