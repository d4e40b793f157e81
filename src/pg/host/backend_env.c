/*
 * backend_env.c - the Env of a backend, and the model type as a Datum.
 */
#include "pg/host/backend_env.h"
#include "pg/progress/progress.h"

#include <math.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <sys/mman.h>

#include "access/detoast.h"
#include "access/heaptoast.h"
#include "catalog/namespace.h"
#include "catalog/pg_proc.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/elog.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

#define LARGE_PAGE ((uintptr_t)2 << 20)
#define ADVISED_BYTES (4u << 20)
#define PROGRESS_INTERVAL_MS 1000 /* between two progress messages of one phase */

/* Maps error codes of the core to SQLSTATEs; the only place that does. */
static int host_sqlstate(ErrorCode code)
{
    switch (code) {
    case ERROR_NONE:
        return ERRCODE_SUCCESSFUL_COMPLETION;
    case ERROR_PARAMETER:
        return ERRCODE_INVALID_PARAMETER_VALUE;
    case ERROR_DATA:
        return ERRCODE_DATA_EXCEPTION;
    case ERROR_RANGE:
        return ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE;
    case ERROR_LIMIT:
        return ERRCODE_PROGRAM_LIMIT_EXCEEDED;
    case ERROR_TEXT:
        return ERRCODE_INVALID_TEXT_REPRESENTATION;
    case ERROR_BINARY:
        return ERRCODE_INVALID_BINARY_REPRESENTATION;
    case ERROR_CORRUPT:
        return ERRCODE_DATA_CORRUPTED;
    case ERROR_KIND:
        return ERRCODE_WRONG_OBJECT_TYPE;
    case ERROR_INTERNAL:
        break;
    }
    return ERRCODE_INTERNAL_ERROR;
}

static void host_check_size(Env *env, size_t size)
{
    if (!AllocHugeSizeIsValid(size))
        env_fail(env, ERROR_LIMIT, NULL, "a block of %zu bytes is more than the server can allocate",
                 size);
}

/* Asks the kernel for large pages in a large block, which spares a page fault every 4 kB: hierarchical of 3,000 rows takes 1.14 times as long without. */
static void advise_large_pages(void *block, size_t size)
{
#ifdef MADV_HUGEPAGE
    uintptr_t mask = LARGE_PAGE - 1, first = (uintptr_t)block & ~mask, end = ((uintptr_t)block + size + mask) & ~mask;

    if (size >= ADVISED_BYTES)
        (void)madvise((void *)first, end - first, MADV_HUGEPAGE);
#endif
}

#ifdef PGFIT_SANITIZED
/*
 * Redzones of the sanitizer build (scripts/asan.sh): the library can neither read nor write the words before and after
 * each block. Blocks are so large that the server takes each from malloc and returns it to free, whoever releases it, so
 * that no mark stays on memory that something else uses.
 */
#include <sanitizer/asan_interface.h>

#define REDZONE 64
#define OWN_BLOCK (8192 + REDZONE) /* palloc takes larger ones from malloc, each on its own */

static size_t redzone_size(size_t size)
{
    return Max(size + REDZONE, OWN_BLOCK);
}

static void *redzone_close(void *block, size_t size)
{
    ASAN_POISON_MEMORY_REGION((char *)block - sizeof(void *), sizeof(void *)); /* the chunk header, which only palloc reads */
    ASAN_POISON_MEMORY_REGION((char *)block + size, redzone_size(size) - size);
    return block;
}

static void *redzone_open(void *block)
{
    ASAN_UNPOISON_MEMORY_REGION((char *)block - sizeof(void *), GetMemoryChunkSpace(block) - sizeof(void *));
    return block;
}
#else
#define redzone_size(size) (size)
#define redzone_close(block, size) (block)
#define redzone_open(block) (block)
#endif

#define COUNTED_BYTES ((size_t)64 << 10)   /* smaller blocks are counted at the next poll */
#define UNCOUNTED_BYTES ((size_t)16 << 20) /* of a fit: what does not grow with its rows */
#define RETURNED_BYTES ((size_t)4 << 20)   /* less is not worth a walk through malloc's lists */

/* A fit whose memory is counted. */
typedef struct FitMemory FitMemory;
struct FitMemory {
    FitMemory *outer; /* of a statement that runs this one */
    MemoryContext context;
    MemoryContextCallback forget;
    Rows *rows; /* kept rows, which can go to their file; NULL: none */
};

static FitMemory *host_fits;
static size_t host_freed; /* bytes that malloc may keep: freed since return_memory */

/*
 * Gives what malloc keeps back to the system: memory between blocks in use that is free since rows made room for a fit. Without it a search
 * over 1,000,000 rows of 5 features at pgfit.fit_mem = 64MB takes 113 MB instead of 83, and train at 128MB 208 instead of 163; the processor
 * time is the same.
 */
static void return_memory(void)
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
    host_freed = 0;
}

static void fit_forget(void *argument)
{
    host_freed += ((FitMemory *)argument)->context->mem_allocated;
    for (FitMemory **link = &host_fits; *link; link = &(*link)->outer)
        if (*link == argument) {
            *link = (*link)->outer;
            return;
        }
}

MemoryContext fit_context(MemoryContext parent, Rows *rows)
{
    MemoryContext context = AllocSetContextCreate(parent, "pgfit fit", ALLOCSET_DEFAULT_SIZES);
    FitMemory *fit = MemoryContextAllocZero(context, sizeof(FitMemory));

    *fit = (FitMemory){host_fits, context, {.func = fit_forget, .arg = fit}, rows};
    MemoryContextRegisterResetCallback(context, &fit->forget);
    host_fits = fit;
    return context;
}

/*
 * Counts what the running fit holds, with `more` bytes that it is about to take, whatever it estimated. Kept rows make room for it; fails
 * if it passes the budget by more than a quarter, which estimates may be off by.
 */
static void fit_count(Env *env, size_t more, bool make_room)
{
    size_t limit = env->memory_limit, held = CurrentMemoryContext->mem_allocated + more, kept = 0;
    char need[ENV_SIZE_TEXT], allowed[ENV_SIZE_TEXT];
    FitMemory *fit = host_fits;

    while (fit && fit->context != CurrentMemoryContext)
        fit = fit->outer;
    if (fit == NULL)
        return;
    for (FitMemory *outer = fit->outer; outer; outer = outer->outer)
        if (outer->rows && outer->rows == fit->rows) /* what all folds share */
            held += outer->context->mem_allocated;
    if (fit->rows)
        held += rows_schema(fit->rows)->size; /* levels and texts */
    if (held > UNCOUNTED_BYTES && held - UNCOUNTED_BYTES > limit / 4 * 5)
        env_fail(env, ERROR_LIMIT, "Set pgfit.fit_mem higher, or fit on fewer rows or features.",
                 "the fit would need %s, and pgfit.fit_mem allows %s", env_size_text(held, need), env_size_text(limit, allowed));
    if (fit->rows) {
        if (make_room)
            rows_make_room(fit->rows, held);
        kept = rows_pool_memory(rows_pool_of(fit->rows));
    }
    if (host_freed >= RETURNED_BYTES && held + kept + host_freed > limit)
        return_memory();
}

static void *host_alloc(Env *env, size_t size)
{
    void *block;

    host_check_size(env, size);
    if (size >= COUNTED_BYTES)
        fit_count(env, size, true);
    block = palloc_extended(redzone_size(size), MCXT_ALLOC_HUGE);
    advise_large_pages(block, size);
    return redzone_close(block, size);
}

static void *host_resize(Env *env, void *block, size_t size)
{
    host_check_size(env, size);
    if (size >= COUNTED_BYTES && (block == NULL || size > GetMemoryChunkSpace(block)))
        fit_count(env, block ? size - GetMemoryChunkSpace(block) : size, true);
    block = block ? repalloc_huge(redzone_open(block), redzone_size(size))
                  : palloc_extended(redzone_size(size), MCXT_ALLOC_HUGE);
    return redzone_close(block, size);
}

static void host_release(Env *env, void *block)
{
    if (block == NULL)
        return;
    block = redzone_open(block);
    host_freed += GetMemoryChunkSpace(block);
    pfree(block);
}

/* The call that the core works for; NULL: none that matters to errors and warnings. */
static HostCall *host_call;

HostCall *host_call_begin(HostCall *call)
{
    HostCall *former = host_call;

    host_call = call;
    return former;
}

static bool failure_is_of_rows(ErrorCode code)
{
    return code == ERROR_DATA || code == ERROR_RANGE;
}

bool host_call_failed(const HostCall *call)
{
    return call->failed && geterrcode() == host_sqlstate(call->code);
}

bool host_call_failed_on_data(const HostCall *call)
{
    return host_call_failed(call) && failure_is_of_rows(call->code);
}

/*
 * Returns a message without the bytes that are not whole characters, because half of one that the core cut would fail the query with
 * another message.
 */
static const char *sendable(const char *message)
{
    int encoding = GetDatabaseEncoding() == PG_SQL_ASCII ? pg_get_client_encoding() : GetDatabaseEncoding();
    StringInfoData whole;

    if (message == NULL || GetDatabaseEncoding() == PG_UTF8) /* where the core leaves no halves */
        return message;
    initStringInfo(&whole);
    while (*message != '\0') {
        int length = pg_encoding_verifymbstr(encoding, message, (int)strlen(message));

        appendBinaryStringInfo(&whole, message, length);
        message += length + (message[length] != '\0');
    }
    return whole.data;
}

static void __attribute__((noreturn)) host_fail(Env *env, ErrorCode code, const char *message, const char *hint)
{
    char *place = NULL;

    message = sendable(message);
    hint = sendable(hint);
    if (host_call && code != ERROR_INTERNAL) {
        place = host_call_place(host_call);
        if (place && host_call->group_hint && failure_is_of_rows(code))
            hint = hint ? psprintf("%s %s", hint, host_call->group_hint) : host_call->group_hint;
        host_call->failed = true;
        host_call->code = code;
        host_call->where = place;
        host_call->hint = hint ? pstrdup(hint) : NULL; /* it may be on the stack of the core */
    }
    ereport(ERROR, (errcode(host_sqlstate(code)), errmsg_internal("%s", message), place ? errdetail("In %s.", place) : 0,
                    hint ? errhint("%s", hint) : 0));
    pg_unreachable();
}

void host_call_warn(int sqlstate, const char *family, const char *message, const char *hint)
{
    if (host_call)
        host_call->warn(host_call, sqlstate, family, message, hint);
    else
        ereport(sqlstate == ERRCODE_SUCCESSFUL_COMPLETION ? NOTICE : WARNING,
                (errcode(sqlstate), errmsg_internal("%s", message), hint ? errhint("%s", hint) : 0));
}

static void host_warn(Env *env, ErrorCode code, const char *family, const char *message, const char *hint)
{
    host_call_warn(code == ERROR_INTERNAL ? ERRCODE_WARNING : host_sqlstate(code), family, sendable(message), sendable(hint));
}

static void host_poll(Env *env)
{
    CHECK_FOR_INTERRUPTS();
    if (host_fits)
        fit_count(env, 0, false);
}

/*
 * Reports to the view pgfit.progress. Logs at most one message per second and phase, and the first of each phase; costs nothing if no one
 * listens.
 */
static void host_progress(Env *env, const char *phase, uint64_t done, uint64_t total, double loss)
{
    static const char *last_phase;
    static TimestampTz last_time;
    int level = pgfit_log_progress ? LOG : DEBUG1;
    TimestampTz now;
    char of_total[32] = "";
    char with_loss[48] = "";

    progress_phase(phase, done, total, loss);
    if (!message_level_is_interesting(level))
        return;
    now = GetCurrentTimestamp();
    if (phase == last_phase && done != total &&
        !TimestampDifferenceExceeds(last_time, now, PROGRESS_INTERVAL_MS))
        return;
    last_phase = phase;
    last_time = now;
    if (total)
        snprintf(of_total, sizeof of_total, " of " UINT64_FORMAT, total);
    if (!isnan(loss))
        snprintf(with_loss, sizeof with_loss, ", loss %.6g", loss);
    ereport(level, (errmsg_internal("pgfit: %s " UINT64_FORMAT "%s%s", phase, done, of_total,
                                    with_loss),
                    errhidestmt(true), errhidecontext(true)));
}

/* Pools of rows have a temporary file of their own (rows_spill.c); nothing else spills. */
static void host_spill_write(Env *env, uint64_t position, const void *data, size_t size)
{
    env_fail(env, ERROR_INTERNAL, NULL, "no temporary file here");
}

static void host_spill_read(Env *env, uint64_t position, void *data, size_t size)
{
    env_fail(env, ERROR_INTERNAL, NULL, "no temporary file here");
}

static const char *host_convert_text(Env *env, bool to_utf8, const char *text, size_t *length)
{
    const char *other = to_utf8 ? pg_server_to_any(text, (int)*length, PG_UTF8) : pg_any_to_server(text, (int)*length, PG_UTF8);

    if (other != text)
        *length = strlen(other);
    return other;
}

/* Tells whether texts of the database can be converted to UTF-8. */
static bool convertible_encoding(void)
{
    return GetDatabaseEncoding() != PG_UTF8 && GetDatabaseEncoding() != PG_SQL_ASCII && GetDatabaseEncoding() != PG_MULE_INTERNAL;
}

Env *host_env(void)
{
    static Env env = {
        .alloc = host_alloc,
        .resize = host_resize,
        .release = host_release,
        .fail = host_fail,
        .warn = host_warn,
        .poll = host_poll,
        .progress = host_progress,
        .spill_write = host_spill_write,
        .spill_read = host_spill_read,
    };

    env.memory_limit = pgfit_fit_mem_bytes();
    env.foreign_text = GetDatabaseEncoding() != PG_UTF8;
    env.convert_text = convertible_encoding() ? host_convert_text : NULL;
    return &env;
}

void *site_buffer_grow(FunctionCallInfo fcinfo, SiteBuffer *buffer, Size need)
{
    void *former = buffer->bytes;

    *buffer = (SiteBuffer){NULL, 0}; /* the allocation may fail, and the call site may be used again */
    if (former)
        pfree(former);
    buffer->bytes = MemoryContextAllocHuge(fcinfo->flinfo->fn_mcxt, need + 1);
    buffer->size = need + 1;
    return buffer->bytes;
}

Oid internal_function(const char *name, int count, const Oid *types)
{
    Oid schema = get_namespace_oid("pgfit_internal", true);

    return !OidIsValid(schema) ? InvalidOid
                               : GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum(name), PointerGetDatum(buildoidvector(types, count)),
                                                 ObjectIdGetDatum(schema));
}

bool function_is(Oid function, const char *schema, const char *name)
{
    const char *own = name != NULL ? get_func_name(function) : NULL, *in = get_namespace_name(get_func_namespace(function));

    return in != NULL && strcmp(in, schema) == 0 && (name == NULL || (own != NULL && strcmp(own, name) == 0));
}

Datum model_datum(Model *model)
{
    SET_VARSIZE(model, model->size);
    return PointerGetDatum(model);
}

/* Checks the header against the size of the value, which every reader relies on. */
static void model_check_header(const Model *model, size_t size)
{
    Env *env = host_env();

    if (size < sizeof(Model))
        env_fail(env, ERROR_CORRUPT, NULL, "a model of %zu bytes is shorter than its header", size);
    if (model->magic != MODEL_MAGIC)
        env_fail(env, ERROR_CORRUPT, NULL, "a value of type model does not begin with a model header");
    if (model->min_reader > MODEL_READER)
        env_fail(env, ERROR_CORRUPT, "Update pgfit to a version that reads this model.",
                 "a model of format %d needs a reader of format %d, but this pgfit reads up to %d",
                 model->format, model->min_reader, MODEL_READER);
    if (model->size != size)
        env_fail(env, ERROR_CORRUPT, NULL, "the header of a model says %u bytes, but the value has %zu", model->size, size);
}

#define SLICE_BYTES (128 * TOAST_MAX_CHUNK_SIZE)

/* Detoasts a value. A large one goes slice by slice to large pages; as a whole it would take a page fault every 4 kB. */
static struct varlena *detoast(Datum datum)
{
    struct varlena *stored = (struct varlena *)DatumGetPointer(datum), *value;
    struct varatt_external place = {0};

    if (VARATT_IS_EXTERNAL_ONDISK(stored))
        VARATT_EXTERNAL_GET_POINTER(place, stored);
    if (place.va_rawsize < (int32)ADVISED_BYTES || VARATT_EXTERNAL_IS_COMPRESSED(place))
        return PG_DETOAST_DATUM(datum);
    value = palloc(place.va_rawsize);
    advise_large_pages(value, place.va_rawsize);
    SET_VARSIZE(value, place.va_rawsize);
    for (int32 at = 0; at < place.va_rawsize - VARHDRSZ; at += SLICE_BYTES) {
        struct varlena *slice = PG_DETOAST_DATUM_SLICE(datum, at, SLICE_BYTES);

        CHECK_FOR_INTERRUPTS();
        memcpy(VARDATA(value) + at, VARDATA(slice), VARSIZE(slice) - VARHDRSZ);
        pfree(slice);
    }
    return value;
}

const Model *model_from_datum(Datum datum)
{
    struct varlena *value = detoast(datum);
    size_t size = VARSIZE(value);

    if ((uintptr_t)value % 8 != 0) {
        struct varlena *aligned = palloc(size);

        memcpy(aligned, value, size);
        value = aligned;
    }
    model_check_header((const Model *)value, size);
    return (const Model *)value;
}

Model *model_copy(const Model *model)
{
    Model *copy = palloc_extended(model->size, MCXT_ALLOC_HUGE);

    env_copy(host_env(), copy, model, model->size);
    return copy;
}

Model *model_kept(Datum datum)
{
    const Model *model = model_from_datum(datum);

    return (Pointer)model != DatumGetPointer(datum) ? (Model *)model : model_copy(model);
}

void model_require_sound(const Model *model)
{
    const char *wrong = model_check(host_env(), model, model->size);

    if (wrong != NULL)
        env_fail(host_env(), ERROR_CORRUPT, NULL, "a stored model is damaged: %s", wrong);
}

const Model *sound_model(Datum datum)
{
    const Model *model = model_from_datum(datum);

    model_require_sound(model);
    return model;
}
