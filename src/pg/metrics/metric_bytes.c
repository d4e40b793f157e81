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
    const MetricKind *kind;
    MetricState *state;
    struct varlena *flat; /* between asking for the size and flattening */
} BytesObject;

static Size object_size(ExpandedObjectHeader *header)
{
    BytesObject *object = (BytesObject *)header;
    MemoryContext caller = MemoryContextSwitchTo(header->eoh_context);

    if (object->flat != NULL)
        pfree(object->flat);
    object->flat = (struct varlena *)DatumGetPointer(object->kind->send(object->state));
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

/* Reads a state from bytes, into the current memory context. Fails for other bytes. */
static MetricState *state_of_bytes(FunctionCallInfo fcinfo, Datum bytes, const MetricKind *kind)
{
    NullableDatum first = fcinfo->args[0];
    MetricState *state;

    fcinfo->args[0] = (NullableDatum){bytes, false};
    state = (MetricState *)DatumGetPointer(kind->receive(fcinfo));
    fcinfo->args[0] = first;
    return state;
}

/* Returns the running state in argument 0; a new one, if that is NULL or has left an aggregate. */
static BytesObject *running_object(FunctionCallInfo fcinfo, const MetricKind *kind)
{
    MemoryContext context, caller;
    BytesObject *object;

    step_require_aggregate(fcinfo);
    if (!PG_ARGISNULL(0) && is_object(PG_GETARG_DATUM(0))) {
        object = (BytesObject *)DatumGetEOHP(PG_GETARG_DATUM(0));
        if (object->kind == kind)
            return object;
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("this is the state of another metric")));
    }
    AggCheckCallContext(fcinfo, &context);
    context = AllocSetContextCreate(context, "pgfit metric", ALLOCSET_SMALL_SIZES);
    caller = MemoryContextSwitchTo(context);
    object = palloc0(sizeof(BytesObject));
    EOH_init_header(&object->header, &methods, context);
    object->kind = kind;
    if (PG_ARGISNULL(0)) {
        object->state = palloc0(kind->size);
        object->state->context = context;
    } else {
        object->state = state_of_bytes(fcinfo, PG_GETARG_DATUM(0), kind);
    }
    MemoryContextSwitchTo(caller);
    return object;
}

Datum metric_bytes_step(FunctionCallInfo fcinfo, const MetricKind *kind)
{
    BytesObject *object = running_object(fcinfo, kind);

    fcinfo->args[0] = (NullableDatum){PointerGetDatum(object->state), false};
    kind->step(fcinfo);
    return EOHPGetRWDatum(&object->header);
}

Datum metric_bytes_merge(FunctionCallInfo fcinfo, const MetricKind *kind)
{
    BytesObject *object;

    if (PG_ARGISNULL(0) && PG_ARGISNULL(1))
        PG_RETURN_NULL();
    object = running_object(fcinfo, kind);
    if (PG_ARGISNULL(1))
        return EOHPGetRWDatum(&object->header);
    fcinfo->args[1].value = PointerGetDatum(state_of_bytes(fcinfo, PG_GETARG_DATUM(1), kind));
    fcinfo->args[0] = (NullableDatum){PointerGetDatum(object->state), false};
    kind->merge(fcinfo);
    return EOHPGetRWDatum(&object->header);
}

Datum metric_bytes_final(FunctionCallInfo fcinfo, const MetricKind *kind)
{
    Datum value = PG_GETARG_DATUM(0);

    step_require_aggregate(fcinfo);
    if (!PG_ARGISNULL(0))
        fcinfo->args[0].value = is_object(value) && ((BytesObject *)DatumGetEOHP(value))->kind == kind
                                    ? PointerGetDatum(((BytesObject *)DatumGetEOHP(value))->state)
                                    : PointerGetDatum(state_of_bytes(fcinfo, value, kind));
    return kind->final(fcinfo);
}
