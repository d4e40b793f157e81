/* test_nist_128.c - the NIST sets again with kernels of the base instruction set, whatever this machine has. */
#define SIMD_WIDEST 128
#include "core/linalg/qr_factor.c"

#include "test_nist.c"
