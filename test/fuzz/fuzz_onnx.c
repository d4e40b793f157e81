/*
 * fuzz_onnx.c - the reader of ONNX documents.
 */
#include "fuzz_exchange.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_import("onnx", "", data, size);
    return 0;
}
