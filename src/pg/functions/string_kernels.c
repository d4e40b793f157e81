/*
 * string_kernels.c - kernels between two texts.
 */
#include "pg/features/row_pair.h"
#include "pg/score/scoring.h"
#include "core/kernel/kernel_texts.h"
#include "core/kernel/string_kernel.h"

/* Returns the kernel of the texts that are arguments 0 and 1. */
static Datum kernel_of_texts(FunctionCallInfo fcinfo, Kernel *kernel)
{
    text *a = PG_GETARG_TEXT_PP(0), *b = PG_GETARG_TEXT_PP(1);
    const char *bytes[] = {VARDATA_ANY(a), VARDATA_ANY(b)};
    const uint32_t lengths[] = {(uint32_t)VARSIZE_ANY_EXHDR(a), (uint32_t)VARSIZE_ANY_EXHDR(b)};

    return give_number(kernel_value_of_texts(host_env(), kernel, &(TextList){2, bytes, lengths}));
}

static uint32_t length_argument(int32 length)
{
    if (length < 1 || length > STRING_KERNEL_MAX_LENGTH)
        env_fail(host_env(), ERROR_PARAMETER, NULL, "length is %d, not from 1 to %d", length, STRING_KERNEL_MAX_LENGTH);
    return (uint32_t)length;
}

/* spectrum_kernel(a, b, length, normalized) */
PG_FUNCTION_INFO_V1(pgfit_spectrum_kernel);
Datum pgfit_spectrum_kernel(PG_FUNCTION_ARGS)
{
    Kernel kernel = {.kind = KERNEL_SPECTRUM,
                     .length = length_argument(PG_GETARG_INT32(2)),
                     .decay = 1,
                     .normalized = PG_GETARG_BOOL(3)};

    return kernel_of_texts(fcinfo, &kernel);
}

/* subsequence_kernel(a, b, length, decay, normalized) */
PG_FUNCTION_INFO_V1(pgfit_subsequence_kernel);
Datum pgfit_subsequence_kernel(PG_FUNCTION_ARGS)
{
    Kernel kernel = {.kind = KERNEL_SUBSEQUENCE,
                     .length = length_argument(PG_GETARG_INT32(2)),
                     .decay = PG_GETARG_FLOAT8(3),
                     .normalized = PG_GETARG_BOOL(4)};

    if (!(kernel.decay > 0 && kernel.decay <= 1))
        env_fail(host_env(), ERROR_PARAMETER, NULL, "decay is %g, not above 0 and at most 1", kernel.decay);
    return kernel_of_texts(fcinfo, &kernel);
}
