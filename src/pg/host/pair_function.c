/*
 * pair_function.c - SQL functions of two values that the core calls as metrics.
 *
 * A function is looked up by its signature and called through one FunctionCallInfo, under the rights of the current user, if that user trusts it and
 * the types of its arguments (trusted_functions.h). It may not be volatile. It is looked up again after any change of a function, a type, a role or the
 * setting, and for another user, so that one that was dropped or replaced in between is never called. Values of composite types are read again after any
 * change of a relation: their type may have got other columns.
 */
#include "pg/host/backend_env.h"
#include "pg/server/compat.h"
#include "pg/server/trusted_functions.h"

#include <math.h>

#include "access/htup_details.h"
#include "access/parallel.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/regproc.h"
#include "utils/syscache.h"

typedef struct HostFunction {
    PairFunction function;
    Env *env;
    MemoryContext context; /* of the function and its values */
    MemoryContext store;   /* of the values */
    MemoryContext row;     /* of a value of a row */
    MemoryContext call;    /* of one call */
    MemoryContext callee;  /* of what the function keeps between calls, until the next look_up */
    uint64 trust, columns;        /* trust_generation and relations_generation at the last look_up */
    uint64 relations;             /* relations_generation when the values were read */
    Oid user;                     /* whose right to call it was checked */
    bool qualified;               /* asked has the function's schema */
    bool composite;               /* values have columns, or contain some that have */
    const char *asked; /* the signature as it was given */
    bool stored;
    Oid type, result;  /* of the arguments and of the value */
    Oid input, element;
    FmgrInfo manager, reader;
    FunctionCallInfo fcinfo;
    TextList texts;
    uint32 count;
    Datum *values; /* [count] */
    bool busy;     /* in a call */
} HostFunction;

static uint64 relations_generation = 1; /* grows when any relation changes */

static void on_relation_change(Datum argument, Oid relation)
{
    relations_generation++;
}

/* ---- finding ---- */

/* Returns the function of a signature. Fails if there is none. */
static Oid find_function(const HostFunction *of)
{
    Oid found = of->qualified ? find_qualified_function(of->asked) : compat_find_procedure(of->asked);

    if (OidIsValid(found))
        return found;
    if (of->stored)
        ereport(ERROR, (errcode(ERRCODE_UNDEFINED_FUNCTION), errmsg("the metric of the model, function %s, does not exist", of->asked),
                        errhint("Create it again, as it was when the model was fitted, or fit the model again.")));
    ereport(ERROR, (errcode(ERRCODE_UNDEFINED_FUNCTION), errmsg("metric function %s does not exist", of->asked),
                    errhint("Give its name and the types of its two arguments, as in my_schema.my_distance(text,text).")));
}

static bool is_distance_type(Oid type)
{
    return type == FLOAT8OID || type == FLOAT4OID || type == INT4OID || type == INT8OID || type == INT2OID || type == NUMERICOID;
}

/* Fails unless a function can be a metric. */
static void require_metric(const HostFunction *of, const Form_pg_proc function)
{
    const char *what = of->stored ? "the metric of the model, function" : "metric function", *wrong = NULL, *hint = NULL;

    if (function->prokind != PROKIND_FUNCTION || function->proretset) {
        wrong = "is not a function of one value";
        hint = "Aggregates, procedures, window functions and functions of sets cannot be metrics.";
    } else if (function->pronargs != 2 || function->proargtypes.values[0] != function->proargtypes.values[1]) {
        wrong = "does not take two values of one type";
        hint = "A metric compares two values of the feature.";
    } else if (get_typtype(function->proargtypes.values[0]) == TYPTYPE_PSEUDO) {
        wrong = "takes arguments of a pseudo-type";
        hint = "Write a function of the feature's type that calls it.";
    } else if (!is_distance_type(function->prorettype)) {
        wrong = "does not return a number";
        hint = "Return double precision, real, integer, bigint, smallint or numeric.";
    } else if (function->provolatile == PROVOLATILE_VOLATILE) {
        wrong = "is volatile";
        hint = "If its result depends on its arguments alone, declare it IMMUTABLE. If it also reads tables, declare it STABLE and list it in pgfit.trusted_functions.";
    }
    if (wrong)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s %s %s", what, of->asked, wrong), errhint("%s", hint)));
    if (IsParallelWorker() && function->proparallel != PROPARALLEL_SAFE)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("%s %s is not parallel safe, but a parallel worker needs it", what, of->asked),
                        errhint("Declare it PARALLEL SAFE, or set max_parallel_workers_per_gather to 0.")));
}

/* Tells the function the types of its arguments, as the expression of a call in SQL does. */
static void describe_call(HostFunction *of, Oid function)
{
    Oid collation = get_typcollation(of->type);
    List *arguments = list_make2(makeVar(1, 1, of->type, -1, collation, 0), makeVar(1, 2, of->type, -1, collation, 0));

    fmgr_info_set_expr((Node *)makeFuncExpr(function, of->result, arguments, InvalidOid, collation, COERCE_EXPLICIT_CALL), &of->manager);
}

/* Looks the function up, and prepares its call. The values must be of the type that they had. */
static void look_up(HostFunction *of)
{
    uint64 trust = trust_generation(), relations = relations_generation;
    Oid found = find_function(of);
    MemoryContext before;
    Form_pg_proc function;
    HeapTuple tuple;
    Oid type;

    tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(found));
    if (!HeapTupleIsValid(tuple))
        elog(ERROR, "cache lookup failed for function %u", found);
    function = (Form_pg_proc)GETSTRUCT(tuple);
    require_metric(of, function);
    type = function->proargtypes.values[0];
    of->result = function->prorettype;
    ReleaseSysCache(tuple);
    require_trusted_function(found, of->stored ? "the metric of the model, function" : "metric function", true);
    if (OidIsValid(of->type) && of->type != type)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("the arguments of metric function %s changed their type", of->asked)));
    of->type = type;
    of->composite = require_trusted_input(type, found);
    of->user = InvalidOid; /* nobody, should this fail */
    MemoryContextReset(of->callee);
    before = MemoryContextSwitchTo(of->callee);
    fmgr_info_cxt(found, &of->manager, of->callee);
    describe_call(of, found);
    InitFunctionCallInfoData(*of->fcinfo, &of->manager, 2, get_typcollation(type), NULL, NULL);
    MemoryContextSwitchTo(of->context);
    if (of->function.signature == NULL)
        of->function.signature = format_procedure_qualified(found);
    MemoryContextSwitchTo(before);
    of->user = GetUserId();
    of->trust = trust;
    of->columns = relations;
}

/* ---- values ---- */

static Datum read_value(HostFunction *of, const char *bytes, uint32 length)
{
    return InputFunctionCall(&of->reader, pnstrdup(bytes, length), of->element, -1);
}

static void read_values(HostFunction *of)
{
    uint64 relations = relations_generation;
    MemoryContext before = MemoryContextSwitchTo(of->store);

    of->count = 0;
    MemoryContextReset(of->store);
    of->values = MemoryContextAllocHuge(of->store, Max(of->texts.count, 1) * sizeof(Datum));
    for (uint32 i = 0; i < of->texts.count; i++) {
        of->values[i] = read_value(of, of->texts.bytes[i], of->texts.lengths[i]);
        CHECK_FOR_INTERRUPTS();
    }
    of->count = of->texts.count;
    of->relations = relations;
    MemoryContextSwitchTo(before);
}

/* A PairFunction.set_values; the texts live as long as the function. */
static void set_values(PairFunction *function, const TextList *values)
{
    HostFunction *of = (HostFunction *)function;

    of->texts = *values;
    read_values(of);
}

/* Finds a value by its number, which may be anything; reads that of a row. Returns false if there is none. */
static bool find_value(HostFunction *of, double number, Datum *value)
{
    const TextList *row = &of->env->row_texts;
    uint32_t place;

    if (number >= 0 && number < of->count) {
        *value = of->values[(uint32)number];
        return true;
    }
    if (!row_text_of(row, number, &place))
        return false;
    MemoryContextSwitchTo(of->row);
    *value = read_value(of, row->bytes[place], row->lengths[place]);
    return true;
}

static inline double number_of(Oid type, Datum value)
{
    switch (type) {
    case FLOAT8OID:
        return DatumGetFloat8(value);
    case FLOAT4OID:
        return DatumGetFloat4(value);
    case INT4OID:
        return DatumGetInt32(value);
    case INT8OID:
        return (double)DatumGetInt64(value);
    case INT2OID:
        return DatumGetInt16(value);
    default:
        return DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, value));
    }
}

/* ---- calling ---- */

/* Calls the function with value a and others; what it does to the state of the core is undone by the caller. */
static uint32 call_all(HostFunction *of, double a, const double *others, uint32 count, double *out)
{
    FunctionCallInfo fcinfo = of->fcinfo;
    Datum first = 0, other = 0;
    bool found = find_value(of, a, &first);

    MemoryContextSwitchTo(of->call);
    for (uint32 i = 0; i < count; i++) {
        Datum result;

        if (others[i] == a)
            other = first;
        if (!found || (others[i] != a && (others[i] < 0 || !find_value(of, others[i], &other)))) {
            out[i] = NAN;
            continue;
        }
        fcinfo->args[0] = (NullableDatum){.value = first, .isnull = false};
        fcinfo->args[1] = (NullableDatum){.value = other, .isnull = false};
        fcinfo->isnull = false;
        result = FunctionCallInvoke(fcinfo);
        if (unlikely(fcinfo->isnull))
            return i;
        out[i] = number_of(of->result, result);
        MemoryContextReset(of->call);
        CHECK_FOR_INTERRUPTS();
    }
    return count;
}

/* Fails if the function is in a call already: it scores a row by the model that calls it, which has one row at a time. */
static void require_idle(const HostFunction *of)
{
    if (of->busy)
        ereport(ERROR, (errcode(ERRCODE_OBJECT_IN_USE), errmsg("metric function %s scores a row by the model that it is the metric of", of->asked),
                        errhint("A metric may score rows by other models only.")));
}

/* A PairFunction.distances. */
static uint32_t call_function(PairFunction *function, double a, const double *others, uint32_t count, double *out)
{
    HostFunction *of = (HostFunction *)function;
    MemoryContext before = CurrentMemoryContext;
    TextList texts = of->env->row_texts; /* the function may score rows itself */
    HostCall *call = host_call_begin(NULL); /* errors of the function are its own */
    uint32 done = 0;

    require_idle(of);
    if (unlikely(of->trust != trust_generation() || of->user != GetUserId() || (of->composite && of->columns != relations_generation)))
        look_up(of);
    of->busy = true;
    PG_TRY();
    {
        if (unlikely(of->composite && of->relations != relations_generation))
            read_values(of);
        done = call_all(of, a, others, count, out);
    }
    PG_FINALLY();
    {
        of->busy = false;
    }
    PG_END_TRY();
    MemoryContextSwitchTo(before);
    MemoryContextReset(of->call);
    MemoryContextReset(of->row);
    host_call_begin(call);
    of->env->row_texts = texts;
    return done;
}

static uint64 lookups;

uint64 pair_functions_looked_up(void)
{
    return lookups;
}

/* Returns a function. An Env.pair_function. */
static PairFunction *host_pair_function(Env *env, const char *signature, bool stored)
{
    static bool watching;
    HostFunction *of = palloc0(sizeof *of);
    Oid input;

    lookups++;
    if (!watching) {
        CacheRegisterRelcacheCallback(on_relation_change, (Datum)0);
        watching = true;
    }
    of->function = (PairFunction){.set_values = set_values, .distances = call_function};
    of->env = env;
    of->context = AllocSetContextCreate(CurrentMemoryContext, "pgfit metric function", ALLOCSET_DEFAULT_SIZES);
    of->store = AllocSetContextCreate(of->context, "pgfit metric values", ALLOCSET_DEFAULT_SIZES);
    of->row = AllocSetContextCreate(of->context, "pgfit metric value", ALLOCSET_SMALL_SIZES);
    of->call = AllocSetContextCreate(of->context, "pgfit metric call", ALLOCSET_SMALL_SIZES);
    of->callee = AllocSetContextCreate(of->context, "pgfit metric function", ALLOCSET_SMALL_SIZES);
    of->asked = MemoryContextStrdup(of->context, signature);
    of->stored = of->qualified = stored;
    of->fcinfo = MemoryContextAllocZero(of->context, SizeForFunctionCallInfo(2));
    look_up(of);
    of->asked = of->function.signature; /* whatever the search path is later */
    of->qualified = true;
    getTypeInputInfo(of->type, &input, &of->element);
    fmgr_info_cxt(input, &of->reader, of->context);
    return &of->function;
}

void pair_functions_init(void)
{
    host_env()->pair_function = host_pair_function;
}
