/*
 * scatter.c - scatter, covariance and correlation matrices from stored moments, and Gram matrices of rows.
 */
#include "pg/features/row_pair.h"
#include "pg/score/scoring.h"
#include "core/kernel/kernel_texts.h"
#include "core/inference/scatter_matrix.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/memutils.h"

/* ---- moments ---- */

static Datum give_scatter(FunctionCallInfo fcinfo, ScatterPart part, const char *function)
{
    ScatterMatrix scatter = scatter_matrix(host_env(), PG_GETARG_SOUND_MODEL(0), part, function);

    if (scatter.weight == 0)
        PG_RETURN_NULL();
    return give_matrix(scatter.numbers, scatter.size, scatter.size);
}

#define SCATTER_FUNCTION(symbol, name, part)                                                       \
    PG_FUNCTION_INFO_V1(symbol);                                                                   \
    Datum symbol(PG_FUNCTION_ARGS)                                                                 \
    {                                                                                              \
        return give_scatter(fcinfo, part, name);                                                   \
    }
SCATTER_FUNCTION(pgfit_scatter_matrix, "scatter_matrix", SCATTER_TOTAL)
SCATTER_FUNCTION(pgfit_within_scatter, "within_scatter", SCATTER_WITHIN)
SCATTER_FUNCTION(pgfit_between_scatter, "between_scatter", SCATTER_BETWEEN)

PG_FUNCTION_INFO_V1(pgfit_scatter);
Datum pgfit_scatter(PG_FUNCTION_ARGS)
{
    ScatterMatrix scatter =
        scatter_matrix(host_env(), PG_GETARG_SOUND_MODEL(0), SCATTER_TOTAL, "scatter");

    if (scatter.weight == 0)
        PG_RETURN_NULL();
    return give_number(scatter_trace(&scatter));
}

PG_FUNCTION_INFO_V1(pgfit_covariance_matrix);
Datum pgfit_covariance_matrix(PG_FUNCTION_ARGS)
{
    ScatterMatrix scatter =
        scatter_matrix(host_env(), PG_GETARG_SOUND_MODEL(0), SCATTER_TOTAL, "covariance_matrix");

    if (!scatter_to_covariance(host_env(), &scatter, PG_GETARG_BOOL(1)))
        PG_RETURN_NULL();
    return give_matrix(scatter.numbers, scatter.size, scatter.size);
}

/* Returns a matrix with NULL in the rows and columns that are not known. */
static Datum give_known(const double *numbers, uint32 n, const bool *known)
{
    int dims[2] = {(int)n, (int)n}, bounds[2] = {1, 1};
    Size overhead = ARR_OVERHEAD_WITHNULLS(2, (Size)n * n), count = 0, size;
    ArrayType *array;
    double *out;

    if (n == 0)
        return PointerGetDatum(construct_empty_array(FLOAT8OID));
    for (uint32 i = 0; i < n; i++)
        count += known[i];
    if (count == n)
        return give_matrix(numbers, n, n);
    size = overhead + count * count * sizeof(double);
    if (size > MaxAllocSize)
        env_fail(host_env(), ERROR_LIMIT, NULL, "a matrix of %u x %u numbers is more than one value holds", n, n);
    array = env_array(host_env(), size, 1);
    SET_VARSIZE(array, size);
    array->ndim = 2;
    array->dataoffset = (int32)overhead;
    array->elemtype = FLOAT8OID;
    memcpy(ARR_DIMS(array), dims, sizeof dims);
    memcpy(ARR_LBOUND(array), bounds, sizeof bounds);
    out = (double *)ARR_DATA_PTR(array);
    for (uint32 i = 0; i < n; i++) {
        CHECK_FOR_INTERRUPTS();
        for (uint32 j = 0; j < n && known[i]; j++) {
            Size place = (Size)i * n + j;

            if (!known[j])
                continue;
            ARR_NULLBITMAP(array)[place / 8] |= 1 << place % 8;
            *out++ = numbers[place];
        }
    }
    return PointerGetDatum(array);
}

PG_FUNCTION_INFO_V1(pgfit_correlation_matrix);
Datum pgfit_correlation_matrix(PG_FUNCTION_ARGS)
{
    ScatterMatrix scatter =
        scatter_matrix(host_env(), PG_GETARG_SOUND_MODEL(0), SCATTER_TOTAL, "correlation_matrix");
    bool *known = palloc((scatter.size + 1) * sizeof(bool));

    if (scatter.weight == 0)
        PG_RETURN_NULL();
    scatter_to_correlation(host_env(), &scatter, known);
    return give_known(scatter.numbers, scatter.size, known);
}

/* ---- Gram matrices ---- */

/* The rows of a group, in order of arrival. */
typedef struct GramState {
    MemoryContext context;
    uint32 width, count, room;
    double *rows;
    Kernel kernel;
    const char **texts; /* [room] of the rows, where the kernel compares texts */
    uint32_t *lengths;  /* [room] */
    Size text_bytes;
} GramState;

/* Grows an array of a state. */
static void *grow(const GramState *state, void *array, Size bytes)
{
    return array ? repalloc_huge(array, bytes) : MemoryContextAllocHuge(state->context, bytes);
}

/* Makes room for more rows, within the budget. */
static void need_gram_rows(GramState *state)
{
    Size row = state->width * sizeof(double);

    if (state->count < state->room)
        return;
    state->room = Max(16, state->room * 2);
    if (kernel_uses_texts(&state->kernel))
        row += sizeof(char *) + sizeof(uint32_t);
    env_require_memory(host_env(), (Size)state->room * row + state->text_bytes + (Size)state->count * state->count * sizeof(double),
                       "gram_matrix");
    state->rows = grow(state, state->rows, (Size)state->room * state->width * sizeof(double));
    if (!kernel_uses_texts(&state->kernel))
        return;
    state->texts = grow(state, state->texts, (Size)state->room * sizeof *state->texts);
    state->lengths = grow(state, state->lengths, (Size)state->room * sizeof *state->lengths);
}

/* Keeps the text of the last row, and makes its slot the number of the row. */
static void keep_text(GramState *state, const PairSite *site)
{
    double *slot = &state->rows[(size_t)state->count * state->width + state->kernel.text_at - 1];
    uint32_t length;
    const char *bytes = dictionary_text(site->schema, DICTIONARY_LEVELS, (uint32_t)*slot, &length);
    char *copy = MemoryContextAlloc(state->context, Max(length, 1));

    memcpy(copy, bytes, length);
    state->texts[state->count] = copy;
    state->lengths[state->count] = length;
    state->text_bytes += length;
    *slot = state->count;
}

/* gram_step(state, features, kernel [, options]) */
PG_FUNCTION_INFO_V1(pgfit_gram_step);
Datum pgfit_gram_step(PG_FUNCTION_ARGS)
{
    PairSite *site = pair_site(fcinfo);
    GramState *state = PG_ARGISNULL(0) ? NULL : (GramState *)PG_GETARG_POINTER(0);
    MemoryContext context;

    if (AggCheckCallContext(fcinfo, &context) == 0)
        env_fail(host_env(), ERROR_PARAMETER, NULL, "gram_matrix was called outside an aggregate");
    if (PG_ARGISNULL(2) || (PG_NARGS() > 3 && PG_ARGISNULL(3)))
        env_fail(host_env(), ERROR_PARAMETER, NULL, "the kernel or its options are NULL");
    if (PG_ARGISNULL(1) || !pair_read_one(fcinfo, site, 1)) {
        if (state == NULL)
            PG_RETURN_NULL();
        PG_RETURN_POINTER(state);
    }
    kernel_argument(fcinfo, site, 2, "gram_matrix");
    if (kernel_uses_texts(&site->kernel))
        kernel_find_text(host_env(), &site->kernel, site->schema, FIELD_CATEGORICAL);
    else
        schema_require_numbers(host_env(), site->schema, "gram_matrix");
    if (state == NULL) {
        state = MemoryContextAllocZero(context, sizeof *state);
        state->context = context;
        state->width = site->schema->slot_count;
        state->kernel = site->kernel;
    }
    if (!kernel_same(&state->kernel, &site->kernel))
        env_fail(host_env(), ERROR_PARAMETER, NULL, "rows of one group use different kernels");
    if (site->schema->slot_count != state->width)
        env_fail(host_env(), ERROR_DATA, NULL, "the row has %u number%s, but earlier rows have %u",
                 site->schema->slot_count, site->schema->slot_count == 1 ? "" : "s", state->width);
    need_gram_rows(state);
    memcpy(state->rows + (size_t)state->count * state->width, site->slots[0],
           state->width * sizeof(double));
    if (kernel_uses_texts(&state->kernel))
        keep_text(state, site);
    state->count++;
    PG_RETURN_POINTER(state);
}

PG_FUNCTION_INFO_V1(pgfit_gram_final);
Datum pgfit_gram_final(PG_FUNCTION_ARGS)
{
    GramState *state;
    Kernel kernel;
    double *matrix;
    size_t numbers;

    if (AggCheckCallContext(fcinfo, NULL) == 0)
        env_fail(host_env(), ERROR_PARAMETER, NULL, "gram_matrix was called outside an aggregate");
    if (PG_ARGISNULL(0))
        PG_RETURN_NULL();
    state = (GramState *)PG_GETARG_POINTER(0);
    numbers = (size_t)state->count * state->count;
    env_require_memory(host_env(), 2 * numbers * sizeof(double), "gram_matrix");
    matrix = env_array_raw(host_env(), numbers, sizeof(double));
    kernel = state->kernel;
    kernel_scale(&kernel, state->rows, NULL, state->count, state->width);
    if (kernel_uses_texts(&kernel))
        kernel_set_texts(host_env(), &kernel, &(TextList){state->count, state->texts, state->lengths}, "gram_matrix");
    kernel_gram(host_env(), &kernel, state->rows, state->count, state->width, matrix);
    for (size_t i = 0; i < numbers; i++)
        give_number(matrix[i]);
    return give_matrix(matrix, state->count, state->count);
}

PG_FUNCTION_INFO_V1(pgfit_center_gram);
Datum pgfit_center_gram(PG_FUNCTION_ARGS)
{
    uint32 rows, columns;
    const double *gram = array_argument(fcinfo, 0, "matrix", &rows, &columns);
    double *centered;

    if (rows != columns || rows == 0)
        env_fail(host_env(), ERROR_DATA,
                 "Pass a square matrix with one row and one column per row of data.",
                 "the matrix is %u x %u, not square", rows, columns);
    centered = palloc_extended((Size)rows * rows * sizeof(double), MCXT_ALLOC_HUGE);
    memcpy(centered, gram, (Size)rows * rows * sizeof(double));
    kernel_center(host_env(), centered, rows);
    return give_matrix(centered, rows, rows);
}
