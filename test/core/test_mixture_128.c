/* test_mixture_128.c - mixtures again with kernels of the base instruction set, whatever this machine has. */
#define SIMD_WIDEST 128
#include "core/cluster/mixture_pass.c"

#include "test_mixture.c"
