/*
 * fuzz_lightgbm.c - the reader of LightGBM's documents, as text and as JSON.
 */
#include "fuzz_exchange.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_import("lightgbm", "", data, size);
    return 0;
}
