/*
 * fuzz_xgboost.c - the reader of XGBoost's documents, in JSON and UBJSON.
 */
#include "fuzz_exchange.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_import("xgboost", "", data, size);
    fuzz_import("xgboost", "{\"levels\": {\"c0\": [\"a\", \"b\", \"c\", \"d\", \"e\", \"f\"]}}", data, size);
    return 0;
}
