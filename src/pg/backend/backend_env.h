/*
 * backend_env.h - the Env of a backend, and the model type as a Datum.
 */
#ifndef PGFIT_BACKEND_ENV_H
#define PGFIT_BACKEND_ENV_H

#include "pg/backend/compat.h"
#include "core/model/model.h"
#include "core/estimator/value_check.h"

/* Returns the Env that allocates in the CurrentMemoryContext of each call; valid as long as the backend. */
Env *host_env(void);

/* Settings (module.c). */
extern int pgfit_fit_mem;      /* kB; -1: maintenance_work_mem */
extern bool pgfit_log_progress;
size_t pgfit_fit_mem_bytes(void);

/* A block of memory of a call site, which grows; starts as zeros. */
typedef struct SiteBuffer {
    void *bytes;
    Size size;
} SiteBuffer;

/* Enlarges the buffer in the call site's memory; its content is lost. */
void *site_buffer_grow(FunctionCallInfo fcinfo, SiteBuffer *buffer, Size need);
/* Returns at least `need` bytes. */
static inline void *site_buffer(FunctionCallInfo fcinfo, SiteBuffer *buffer, Size need)
{
    return likely(need < buffer->size) ? buffer->bytes : site_buffer_grow(fcinfo, buffer, need);
}

/* Sets the varlena length word and returns the Datum. */
Datum model_datum(Model *model);
/*
 * Returns a model argument, detoasted and aligned to 8 bytes, after checking its header (magic, format, size). Stored
 * values come from our own writers; the full model_check runs in every input function, and when a scorer first sees a
 * value.
 */
const Model *model_argument(FunctionCallInfo fcinfo, int argument);
/* Does the same for the model of a Datum. */
const Model *model_from_datum(Datum datum);
/* Returns a copy in the current memory context. */
Model *model_copy(const Model *model);
/* Fails with ERROR_CORRUPT unless the whole value passes model_check. */
void model_require_sound(const Model *model);
/* Returns a model that passed model_check, for functions that read or copy all of it. */
const Model *sound_model(Datum datum);
#define PG_GETARG_MODEL(n) model_argument(fcinfo, n)
#define PG_GETARG_SOUND_MODEL(n) sound_model(PG_GETARG_DATUM(n))
#define PG_RETURN_MODEL(m) return model_datum(m)

#endif
