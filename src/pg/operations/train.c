/*
 * train.c - the next version of a model in the registry: train(name, estimator, source, formula, options), and put_model(name, model).
 *
 * Trainings of one name wait for each other by a lock of their own, so that promote and rollback need not wait for them. The row of the name
 * is locked against deletion meanwhile. The fit runs with the caller's rights, and only what is stored then as the owner of the tables.
 */
#include "pg/type/json_options.h"
#include "pg/operations/registry_statements.h"
#include "pg/operations/training.h"
#include "pg/type/result_rows.h"

#include "access/table.h"
#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "storage/lock.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#define NAME_BYTES 1000 /* as src/sql/81-registry.sql has it */

/* A call of train. */
typedef struct TrainCall {
    char *name, *estimator, *source;
    const char *formula; /* NULL where it is */
    Jsonb *options;
    TrainingOptions read;
    ActiveVersion active;
    Training result;
} TrainCall;

/* ---- statements on the registry ---- */

/* Waits for other trainings of the name. */
static void lock_name(const char *name)
{
    LOCKTAG tag;
    Relation registry = registry_open(REGISTRY_VERSIONS, AccessShareLock);

    SET_LOCKTAG_OBJECT(tag, MyDatabaseId, RelationGetRelid(registry), hash_bytes((const unsigned char *)name, (int)strlen(name)), 0);
    table_close(registry, NoLock);
    LockAcquire(&tag, ExclusiveLock, false, false);
}

/* Fails for a name that would be taken for the text of a model, and for others that the table refuses. */
static void require_name(const char *name)
{
    if (name[0] == '\0' || name[strspn(name, " \t\r\n\v\f")] == '{' || strlen(name) > NAME_BYTES)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("a model cannot have the name \"%.*s\"", pg_mbcliplen(name, (int)strlen(name), 60), name),
                        errhint("Choose a name of 1 to %d bytes that does not begin with {.", NAME_BYTES)));
}

/* Registers the name of a new model. Returns false if a model has it. */
static bool add_name(const char *name)
{
    Oid types[] = {TEXTOID, TEXTOID};
    Datum values[] = {CStringGetTextDatum(name), CStringGetTextDatum(GetUserNameFromId(GetUserId(), false))};

    return registry_run("INSERT INTO pgfit_internal.model_names (name, owner, scorers, readers, earlier, last_version) VALUES ($1, $2, '{}', '{}', '{}', 0) ON CONFLICT DO NOTHING",
                        2, types, values, NULL) > 0;
}

/* Registers the name if it is new, waits for other trainings of it, and keeps it from being dropped. Fails if it belongs to another role. */
static void take_name(const char *name)
{
    RegistryRight right;

    require_name(name);
    while (!add_name(name)) {
        CHECK_FOR_INTERRUPTS();
        if (!registry_find(name, "", &right)) /* dropped meanwhile */
            continue;
        if (right == RIGHT_NONE)
            ereport(ERROR, (errcode(ERRCODE_DUPLICATE_OBJECT), errmsg("the name \"%s\" is taken", name), errhint("Choose another name.")));
        if (right < RIGHT_OWN)
            registry_fail_owner(name);
        lock_name(name);
        if (registry_find(name, "FOR KEY SHARE", &right) && right == RIGHT_OWN)
            return;
    }
    lock_name(name);
}

/* Reads the active version. compared: with its model. */
static ActiveVersion read_active(const char *name, bool compared)
{
    ActiveVersion active = {.version = 0};
    bool isnull;
    Datum value;

    if (registry_run_name(psprintf("SELECT r.version, %s, (r.evaluation ->> 'refit')::bool "
                                   "FROM pgfit_internal.model_names AS n JOIN pgfit_internal.registry AS r ON r.name = n.name AND r.version = n.active WHERE n.name = $1",
                                   compared ? "r.model" : "NULL::pgfit.model"),
                          name) == 0)
        return active;
    active.version = registry_number(1);
    value = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 2, &isnull);
    active.model = isnull ? NULL : model_kept(value);
    value = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 3, &isnull);
    active.refitted = !isnull && DatumGetBool(value);
    return active;
}

/* Returns the number of the next version, and sets *active to the active version now; 0: none. */
static int32 next_version(const char *name, int32 *active)
{
    registry_own(name, "FOR NO KEY UPDATE"); /* once more: it may have been handed over during the training */
    registry_run_name("UPDATE pgfit_internal.model_names SET last_version = last_version + 1 WHERE name = $1 RETURNING last_version, active", name);
    *active = registry_number(2);
    return registry_number(1);
}

static Datum text_or_null(const char *text, char *null)
{
    *null = text == NULL ? 'n' : ' ';
    return text == NULL ? (Datum)0 : CStringGetTextDatum(text);
}

/* Stores a version. error: what training failed with; NULL: it succeeded. */
static void store_version(const TrainCall *call, int32 version, TimestampTz begin, const char *error)
{
    const Training *result = &call->result;
    Oid types[] = {TEXTOID, INT4OID, model_type_oid(), TEXTOID, TEXTOID, TEXTOID, JSONBOID, TEXTOID, TEXTOID, TEXTOID, INT8OID, TIMESTAMPTZOID, TEXTOID, TEXTOID, TEXTOID};
    Datum values[lengthof(types)];
    char nulls[lengthof(types) + 1] = "               ";

    values[0] = CStringGetTextDatum(call->name);
    values[1] = Int32GetDatum(version);
    values[2] = PointerGetDatum(result->model);
    nulls[2] = result->model == NULL ? 'n' : ' ';
    values[3] = CStringGetTextDatum(call->estimator);
    values[4] = CStringGetTextDatum(call->source);
    values[5] = text_or_null(call->formula, &nulls[5]);
    values[6] = JsonbPGetDatum(call->options);
    values[7] = text_or_null(result->sql, &nulls[7]);
    values[8] = text_or_null(result->metrics, &nulls[8]);
    values[9] = text_or_null(result->evaluation, &nulls[9]);
    values[10] = Int64GetDatum(result->model == NULL ? 0 : result->model->rows);
    nulls[10] = nulls[2];
    values[11] = TimestampTzGetDatum(begin);
    values[12] = CStringGetTextDatum(error == NULL ? "trained" : "failed");
    values[13] = text_or_null(error == NULL ? result->message : error, &nulls[13]);
    values[14] = CStringGetTextDatum(GetUserNameFromId(GetUserId(), false));
    registry_run("INSERT INTO pgfit_internal.registry (name, version, model, estimator, source, formula, options, query, metrics, evaluation, rows, duration, status,"
                 " message, trained_by, trained_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9::jsonb, $10::jsonb, $11, clock_timestamp() - $12, $13, $14, $15,"
                 " clock_timestamp())",
                 (int)lengthof(types), types, values, nulls);
}

/* ---- the call ---- */

/* Reads what the call asks for, and trains. */
static void train_version(void *argument)
{
    TrainCall *call = argument;
    Source *source = source_of_text(call->source);
    FitQuery *query;

    if (call->read.holdout.kind == HOLDOUT_FOLDS)
        fit_leave_out_folds(source, call->read.holdout.json, &call->formula, &call->read.fit);
    query = fit_query_with_features(fit_query(call->estimator, source, call->formula, call->read.fit));
    training_options_complete(&call->read, query);
    call->result = training_run(&call->read, query, &call->active);
}

/* Trains, and stores the version. Returns its number; *active: it serves now. */
static int32 train_and_store(TrainCall *call, bool *active)
{
    TimestampTz begin = GetCurrentTimestamp();
    ErrorData *error = NULL;
    int32 version, serving;

    /* all rows are read in one snapshot, taken after waiting for other trainings */
    PushActiveSnapshot(GetTransactionSnapshot());
    call->active = read_active(call->name, call->read.rule == PROMOTE_IF_BETTER);
    if (call->read.record_failure)
        error = run_guarded(train_version, call);
    else
        train_version(call);
    PopActiveSnapshot();
    version = next_version(call->name, &serving);
    if (error == NULL && call->result.promote && call->read.rule == PROMOTE_IF_BETTER && serving != call->active.version) {
        call->result.promote = false;
        call->result.message = psprintf("not promoted: version %d was evaluated, but version %d serves since", call->active.version, serving);
    }
    if (error != NULL)
        call->result = (Training){.model = NULL};
    store_version(call, version, begin, error == NULL ? NULL : error->message);
    if (error != NULL)
        ereport(WARNING, (errcode(error->sqlerrcode), errmsg("version %d of model \"%s\" failed in training: %s", version, call->name, error->message),
                          error->hint != NULL ? errhint("%s", error->hint) : 0));
    *active = error == NULL && call->result.promote;
    if (*active)
        registry_promote(call->name, version);
    return version;
}

static void read_arguments(FunctionCallInfo fcinfo, TrainCall *call)
{
    static const char *const names[] = {"name", "estimator", "source", NULL, "options"};

    require_arguments(fcinfo, "train", names, lengthof(names));
    call->name = text_to_cstring(PG_GETARG_TEXT_PP(0));
    call->estimator = text_to_cstring(PG_GETARG_TEXT_PP(1));
    call->source = text_to_cstring(PG_GETARG_TEXT_PP(2));
    call->formula = fit_formula_argument(fcinfo, 3, &call->options);
    call->read = training_options(call->options);
}

/* train(name, estimator, source, formula, options) */
PG_FUNCTION_INFO_V1(pgfit_train);
PGDLLEXPORT Datum pgfit_train(PG_FUNCTION_ARGS)
{
    TrainCall call = {.name = NULL};
    TupleDesc description;
    ResultRow row = {0};
    Datum result;
    bool active;

    if (get_call_result_type(fcinfo, NULL, &description) != TYPEFUNC_COMPOSITE || description->natts != 5)
        elog(ERROR, "train has a wrong declaration");
    BlessTupleDesc(description);
    SPI_connect();
    read_arguments(fcinfo, &call);
    take_name(call.name);
    row_add(&row, Int32GetDatum(train_and_store(&call, &active)), false);
    row_add(&row, BoolGetDatum(active), false);
    row_add(&row, call.result.metrics == NULL ? (Datum)0 : JsonbPGetDatum(json_options_parse(call.result.metrics)), call.result.metrics == NULL);
    row_add(&row, Int64GetDatum(call.result.model == NULL ? 0 : call.result.model->rows), call.result.model == NULL);
    row_add_text(&row, call.result.message);
    result = SPI_datumTransfer(HeapTupleGetDatum(heap_form_tuple(description, row.values, row.nulls)), false, -1);
    SPI_finish();
    return result;
}

/* put_model(name, model): the version has no source, query and metrics, and serves from now on */
PG_FUNCTION_INFO_V1(pgfit_put_model);
PGDLLEXPORT Datum pgfit_put_model(PG_FUNCTION_ARGS)
{
    TrainCall call = {.name = text_to_cstring(PG_GETARG_TEXT_PP(0)), .source = "", .options = json_options_parse("{}")};
    Model *model = (Model *)PG_GETARG_SOUND_MODEL(1);
    int32 version, serving;

    if (model->kind != MODEL_FITTED)
        ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE), errmsg("moments cannot be stored as a model"), errhint("Fit a model from them first.")));
    call.estimator = model->estimator;
    call.result = (Training){.model = model, .message = "stored as it was given"};
    SPI_connect();
    take_name(call.name);
    version = next_version(call.name, &serving);
    store_version(&call, version, GetCurrentTimestamp(), NULL);
    registry_promote(call.name, version);
    SPI_finish();
    PG_RETURN_INT32(version);
}
