/* test_qr_factor_128.c - the same with vectors of 128 bits at most, whatever this machine has. */
#define SIMD_WIDEST 128
#include "core/linalg/qr_factor.c"
#undef SIMD_FILE
#include "core/linalg/qr_panel.c"

#include "test_qr_factor.c"
