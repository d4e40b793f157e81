/*
 * backend_env.h - the Env of a backend, and the model type as a Datum.
 */
#ifndef PGFIT_BACKEND_ENV_H
#define PGFIT_BACKEND_ENV_H

#include "pg/server/compat.h"
#include "core/model/model.h"
#include "core/rows/rows.h"
#include "core/estimator/estimator.h"

/* Returns the Env that allocates in the CurrentMemoryContext of each call; valid as long as the backend. */
Env *host_env(void);

/*
 * Creates the memory context of a fit, in which the core works: what it takes there is counted and compared with pgfit.fit_mem. rows: those that
 * the fit keeps, which are written to their file where the fit needs their memory; NULL: none.
 */
MemoryContext fit_context(MemoryContext parent, Rows *rows);

/*
 * A call of which errors and warnings of the core can say more, and whose warnings are raised once per query
 * (query_notes.h). It is current from host_call_begin until that is called with what it returned, also after an error.
 */
typedef struct HostCall HostCall;
struct HostCall {
    MemoryContext query;            /* lives as long as the query: fn_mcxt */
    const void *about;              /* tells apart the warnings of different calls of a query */
    char *(*place)(void *argument); /* returns "the group cut = Ideal (7 rows)", NULL: not known; NULL: no call has one */
    void *argument;
    const char *group_hint; /* joins the hint of a failure in such a place; NULL: nothing */
    /* How the core failed; the texts are in the memory context of the failure. */
    bool failed;
    ErrorCode code;
    const char *where, *hint;
    void (*warn)(const HostCall *call, int sqlstate, const char *family, const char *message, const char *hint); /* query_warn */
};

/* Makes a call the current one; returns the former. */
HostCall *host_call_begin(HostCall *call);
/* Warns as the core would in the current call. */
void host_call_warn(int sqlstate, const char *family, const char *message, const char *hint);
/* Returns the place of a call in the current memory context, or NULL. */
static inline char *host_call_place(const HostCall *call)
{
    return call->place ? call->place(call->argument) : NULL;
}
/* In PG_CATCH: tells whether the core failed because of the rows (ERROR_DATA, ERROR_RANGE), and nothing else is wrong. */
bool host_call_failed_on_data(const HostCall *call);
/* In PG_CATCH: tells whether the error is one that the core raised, whatever it is about. */
bool host_call_failed(const HostCall *call);

/* Settings (settings.c). */
extern int pgfit_fit_mem;      /* kB; -1: maintenance_work_mem */
extern bool pgfit_log_progress;
extern bool pgfit_plan_rows;
size_t pgfit_fit_mem_bytes(void);
void define_settings(void);
/* Lets the core call SQL functions of two values as metrics (Env.pair_function). */
void pair_functions_init(void);
/* Returns how often the core asked for one so far. */
uint64 pair_functions_looked_up(void);
/* Gives Env.share. Called when the library is loaded. */
void parallel_work_init(void);

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
/* Returns a function of schema pgfit_internal, in which users have no rights to look a name up; InvalidOid: there is none. */
Oid internal_function(const char *name, int count, const Oid *types);
/* Tells whether a function has this schema and name. name: NULL: any. */
bool function_is(Oid function, const char *schema, const char *name);
/* Return the OIDs of the types of models and of options. */
Oid model_type_oid(void);
Oid options_type_oid(void);
/*
 * Returns the model of a Datum, detoasted and aligned to 8 bytes, after checking its header (magic, format, size). Stored
 * values come from our own writers; the full model_check runs in every input function, and when a scorer first sees a
 * value.
 */
const Model *model_from_datum(Datum datum);
/* Returns a copy in the current memory context. */
Model *model_copy(const Model *model);
/* Returns the model of a Datum in the current memory context; copies it unless it was detoasted there. */
Model *model_kept(Datum datum);
/* Fails with ERROR_CORRUPT unless the whole value passes model_check. */
void model_require_sound(const Model *model);
/* Returns a model that passed model_check, for functions that read or copy all of it. */
const Model *sound_model(Datum datum);
#define PG_GETARG_MODEL(n) model_from_datum(PG_GETARG_DATUM(n))
#define PG_GETARG_SOUND_MODEL(n) sound_model(PG_GETARG_DATUM(n))
#define PG_RETURN_MODEL(m) return model_datum(m)

#endif
