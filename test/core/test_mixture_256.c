/* test_mixture_256.c - mixtures again with kernels of 256 bits at most, whatever this machine has. */
#define SIMD_WIDEST 256
#include "core/cluster/mixture_pass.c"

#include "test_mixture.c"
