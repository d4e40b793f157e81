/* test_logistic_kernels_128.c - the same with kernels of the base instruction set, whatever this machine has. */
#define SIMD_WIDEST 128
#include "core/logistic/logistic_kernels.c"

#include "test_logistic_kernels.c"
