/*
 * backend_env.h - the Env of a backend, and the model type as a Datum.
 */
#ifndef PGFIT_BACKEND_ENV_H
#define PGFIT_BACKEND_ENV_H

#include "pg/backend/compat.h"
#include "core/model/model.h"
#include "core/estimator/value_check.h"

/* An Env that allocates in CurrentMemoryContext at each call; valid for the backend's life. */
Env *host_env(void);

/* GUCs (guc.c) */
extern int pgfit_fit_mem;      /* kB; -1: maintenance_work_mem */
extern bool pgfit_log_progress;
size_t pgfit_fit_mem_bytes(void);
void pgfit_guc_init(void);

/* Sets the varlena length word and returns the Datum. */
Datum model_datum(Model *model);
/*
 * A model argument, detoasted and 8-byte aligned, with its header checked against its size (magic,
 * format, size). Stored values came through our own writers; model_check runs on first sight of
 * a value where a scorer caches it and in every input function.
 */
const Model *model_argument(FunctionCallInfo fcinfo, int argument);
const Model *model_from_datum(Datum datum);
/* Fails with ERROR_CORRUPT unless the value is sound in full. */
void model_require_sound(const Model *model);
/* The same as model_from_datum, sound in full: for functions that read or copy all of it. */
const Model *sound_model(Datum datum);
#define PG_GETARG_MODEL(n) model_argument(fcinfo, n)
#define PG_GETARG_SOUND_MODEL(n) sound_model(PG_GETARG_DATUM(n))
#define PG_RETURN_MODEL(m) return model_datum(m)

#endif
