/*
 * metric_bytes.c - states of metrics as values of type bytea, for aggregates whose state must be a type that servers send each other.
 *
 * While an aggregate runs, the value is an expanded object around the state. Where it leaves the aggregate, for another process or as text, it becomes
 * the bytes that a parallel worker would send.
 */
#include "pg/metrics/metric_state.h"

#include "utils/expandeddatum.h"
#include "utils/memutils.h"

typedef struct BytesObject {
    ExpandedObjectHeader header;
    MetricState *state;
    struct varlena *flat; /* between asking for the size and flattening */
} BytesObject;

static Size object_size(ExpandedObjectHeader *header)
{
    BytesObject *object = (BytesObject *)header;
    MemoryContext caller = MemoryContextSwitchTo(header->eoh_context);

    if (object->flat != NULL)
        pfree(object->flat);
    object->flat = metric_state_write(object->state);
    MemoryContextSwitchTo(caller);
    return VARSIZE(object->flat);
}

static void object_flatten(ExpandedObjectHeader *header, void *place, Size size)
{
    BytesObject *object = (BytesObject *)header;

    memcpy(place, object->flat, size);
    pfree(object->flat);
    object->flat = NULL;
}

static const ExpandedObjectMethods methods = {object_size, object_flatten};

static bool is_object(Datum value)
{
    return VARATT_IS_EXTERNAL_EXPANDED(DatumGetPointer(value)) && DatumGetEOHP(value)->eoh_methods == &methods;
}

/*
 * Returns the state of a value: the running one of an object, or one that is read into the current memory context. Fails for other bytes, also for those
 * of tests, whose aggregates have no states of type bytea.
 */
static MetricState *state_of(Datum value)
{
    MetricState *state;

    if (is_object(value))
        return ((BytesObject *)DatumGetEOHP(value))->state;
    state = metric_state_read(DatumGetByteaPP(value));
    if (state->kind == &test_kind)
        ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED), errmsg("the state of a test is no state of a metric")));
    return state;
}

/* Returns the running state in argument 0; a new object, if that is NULL or has left an aggregate. */
static BytesObject *running_object(FunctionCallInfo fcinfo)
{
    MemoryContext context, caller;
    BytesObject *object;

    step_require_aggregate(fcinfo);
    if (!PG_ARGISNULL(0) && is_object(PG_GETARG_DATUM(0)))
        return (BytesObject *)DatumGetEOHP(PG_GETARG_DATUM(0));
    AggCheckCallContext(fcinfo, &context);
    context = AllocSetContextCreate(context, "pgfit metric", ALLOCSET_SMALL_SIZES);
    caller = MemoryContextSwitchTo(context);
    object = palloc0(sizeof(BytesObject));
    EOH_init_header(&object->header, &methods, context);
    if (!PG_ARGISNULL(0))
        object->state = state_of(PG_GETARG_DATUM(0));
    MemoryContextSwitchTo(caller);
    return object;
}

Datum metric_bytes_step(FunctionCallInfo fcinfo, PGFunction step)
{
    BytesObject *object = running_object(fcinfo);

    fcinfo->args[0] = (NullableDatum){PointerGetDatum(object->state), object->state == NULL};
    object->state = (MetricState *)DatumGetPointer(step(fcinfo));
    return EOHPGetRWDatum(&object->header);
}

/* metric_merge(state, other) */
PG_FUNCTION_INFO_V1(pgfit_metric_merge_bytes);
PGDLLEXPORT Datum pgfit_metric_merge_bytes(PG_FUNCTION_ARGS)
{
    if (PG_ARGISNULL(0) && PG_ARGISNULL(1))
        PG_RETURN_NULL();
    if (!PG_ARGISNULL(1))
        fcinfo->args[1].value = PointerGetDatum(state_of(PG_GETARG_DATUM(1)));
    return metric_bytes_step(fcinfo, pgfit_metric_merge);
}

Datum metric_bytes_final(FunctionCallInfo fcinfo, const MetricKind *kind, PGFunction final)
{
    MetricState *state;

    step_require_aggregate(fcinfo);
    if (PG_ARGISNULL(0))
        PG_RETURN_NULL();
    state = state_of(PG_GETARG_DATUM(0));
    fcinfo->args[0].value = PointerGetDatum(state);
    (void)metric_state(fcinfo, kind); /* fails for that of another metric */
    return final(fcinfo);
}
