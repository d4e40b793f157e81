/* test_qr_factor_256.c - the same with vectors of 256 bits at most, whatever this machine has. */
#define SIMD_WIDEST 256
#include "core/linalg/qr_factor.c"
#undef SIMD_FILE
#include "core/linalg/qr_panel.c"

#include "test_qr_factor.c"
