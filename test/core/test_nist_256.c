/* test_nist_256.c - the NIST sets again with kernels of 256-bit vectors, whatever this machine has. */
#define SIMD_WIDEST 256
#include "core/linalg/qr_factor.c"

#include "test_nist.c"
