/*
 * kept_source.c - reads a source into kept rows: one query, whose rows come to a receiver that encodes them.
 */
#include "pg/diagnostics/kept_source.h"
#include "pg/features/features.h"
#include "pg/operations/source.h"
#include "pg/score/scorer_cache.h"
#include "core/prepare/pipeline.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

/* The columns of the source that a call names; -1: none. */
typedef struct NamedColumns {
    int target, weight, id;
} NamedColumns;

/* Receives the rows of the query: features, then the columns that are named. */
typedef struct RowReceiver {
    DestReceiver receiver; /* must be first */
    KeptSource *kept;
    NamedColumns columns;  /* of the query's result; -1: none */
    FeatureReader *features;
    ValueReader *target;
    bool labels;           /* targets are labels */
    Model *schema;
    MemoryContext context, row; /* of the reading, and of a row */
    double *numbers;       /* [width] */
} RowReceiver;

ModelRows *kept_source_model(Datum model, const char *function)
{
    ScorerCache *cache = scorer_cache_create(CurrentMemoryContext);

    return model_rows_open(host_env(), scorer_cache_get(cache, model, true), function);
}

/* ---- the query ---- */

static int column_of_option(const Source *source, const Options *options, const char *name)
{
    const char *column = options_has(options, name) ? options_string(options, name) : NULL;

    return column != NULL ? source_column(source, name, column) : -1;
}

/* Returns ROW of some columns, or the only one of them. */
static char *row_of_columns(const Source *source, const int *columns, int count, bool row)
{
    StringInfoData sql;

    if (count == 1 && !row)
        return source_column_sql(source, columns[0]);
    initStringInfo(&sql);
    appendStringInfoString(&sql, "ROW(");
    for (int i = 0; i < count; i++)
        appendStringInfo(&sql, "%s%s", i > 0 ? ", " : "", source_column_sql(source, columns[i]));
    appendStringInfoChar(&sql, ')');
    return sql.data;
}

/* Returns the features argument as SQL: what option "features" names; else the row, or, for a model without names, the columns that are not named. */
static char *features_sql(const Source *source, const Model *reads, const Options *options, const NamedColumns *named)
{
    uint32 given;
    const char *const *names = options_strings(options, "features", &given);
    int *columns = palloc((Max(given, (uint32)source->columns->natts) + 1) * sizeof(int)), count = 0;

    if (options_type(options, "features") == OPTION_STRING)
        return source_column_sql(source, source_column(source, "features", options_string(options, "features")));
    for (uint32 i = 0; i < given; i++)
        columns[count++] = source_column(source, "features", names[i]);
    if (count > 0)
        return row_of_columns(source, columns, count, true);
    for (int i = 0; i < source->columns->natts; i++)
        if (i != named->target && i != named->weight && i != named->id)
            columns[count++] = i;
    if (count == 1 && getBaseType(TupleDescAttr(source->columns, columns[0])->atttypid) == JSONBOID)
        return source_column_sql(source, columns[0]);
    return schema_named_fields(reads) > 0 || count == 0 ? pstrdup(source->alias) : row_of_columns(source, columns, count, false);
}

static char *source_sql(const Source *source, const char *features, const NamedColumns *named, NamedColumns *result)
{
    StringInfoData sql;
    int count = 1;

    initStringInfo(&sql);
    appendStringInfo(&sql, "SELECT %s", features);
    *result = (NamedColumns){-1, -1, -1};
    if (named->target >= 0) {
        appendStringInfo(&sql, ", %s", source_column_sql(source, named->target));
        result->target = count++;
    }
    if (named->weight >= 0) {
        appendStringInfo(&sql, ", %s", source_number_sql(source, "weight", named->weight));
        result->weight = count++;
    }
    if (named->id >= 0) {
        appendStringInfo(&sql, ", %s", source_text_sql(source_column_sql(source, named->id), TupleDescAttr(source->columns, named->id)->atttypid));
        result->id = count++;
    }
    appendStringInfo(&sql, "\nFROM %s AS %s", source->from, source->alias);
    return sql.data;
}

/* ---- its rows ---- */

/* Returns the class of a row, which the schema may not have yet. */
static double class_of(RowReceiver *receiver, Datum value)
{
    uint32_t length, position;
    double key;
    const char *text = value_label(receiver->target, value, &length, &key);
    int found = dictionary_find(receiver->schema, DICTIONARY_CLASSES, 0, text, length, false);
    MemoryContext before;

    if (found >= 0)
        return found;
    if (dictionary_size(receiver->schema, DICTIONARY_CLASSES) >= LEVELS_MAX_DEFAULT)
        env_fail(host_env(), ERROR_LIMIT, "Name the column of the labels that the model was fitted to.", "the target has more than %d classes", LEVELS_MAX_DEFAULT);
    before = MemoryContextSwitchTo(receiver->context);
    receiver->schema = dictionary_add(host_env(), receiver->schema, DICTIONARY_CLASSES, 0, text, length, false, key, &position);
    rows_set_schema(receiver->kept->rows, receiver->schema);
    MemoryContextSwitchTo(before);
    return position;
}

/* Returns the weight of a row; 0: it is left out. */
static double weight_of(const RowReceiver *receiver, const TupleTableSlot *slot)
{
    int column = receiver->columns.weight;
    double weight = column < 0 ? 1 : slot->tts_isnull[column] ? 0 : DatumGetFloat8(slot->tts_values[column]);

    if (!(weight >= 0 && isfinite(weight)))
        env_fail(host_env(), ERROR_DATA, "Give a finite weight of at least 0; rows of weight 0 are skipped.", "weight is %g", weight);
    return weight;
}

static void keep_row(RowReceiver *receiver, const TupleTableSlot *slot)
{
    const ModelRows *model = receiver->kept->model;
    double weight = weight_of(receiver, slot), target = 0;
    const text *id = NULL;

    if (weight == 0 || (receiver->columns.target >= 0 && slot->tts_isnull[receiver->columns.target]))
        return;
    if (receiver->columns.target >= 0)
        target = receiver->labels ? class_of(receiver, slot->tts_values[receiver->columns.target])
                                  : value_number(receiver->target, slot->tts_values[receiver->columns.target], "target");
    for (uint32 i = 0; i < model->width; i++)
        receiver->numbers[i] = NAN;
    if (!slot->tts_isnull[0])
        features_keep(receiver->features, slot->tts_values[0], model->reads, receiver->numbers,
                      model->variables > 0 ? receiver->numbers + model->slots : NULL);
    if (receiver->columns.id >= 0 && !slot->tts_isnull[receiver->columns.id])
        id = DatumGetTextPP(slot->tts_values[receiver->columns.id]);
    rows_append(receiver->kept->rows, receiver->numbers, target, weight, id != NULL ? VARDATA_ANY(id) : "", id != NULL ? (uint32_t)VARSIZE_ANY_EXHDR(id) : 0);
}

static bool receive_row(TupleTableSlot *slot, DestReceiver *self)
{
    RowReceiver *receiver = (RowReceiver *)self;
    MemoryContext before = MemoryContextSwitchTo(receiver->row);

    slot_getallattrs(slot);
    keep_row(receiver, slot);
    MemoryContextSwitchTo(before);
    MemoryContextReset(receiver->row);
    return true;
}

static void receiver_startup(DestReceiver *self, int operation, TupleDesc description)
{
    RowReceiver *receiver = (RowReceiver *)self;

    receiver->features = feature_reader_of_type(TupleDescAttr(description, 0)->atttypid, receiver->context);
}

static void receiver_end(DestReceiver *self)
{
}

int source_target(const Source *source, const Model *model, const char *name)
{
    const Model *last = pipeline_last(host_env(), model);
    const Estimator *estimator = estimator_find(last->estimator);
    const ModelEntry *entry = model_find(last, "target_name");
    uint32_t length;
    const char *written;

    if (name != NULL)
        return source_column(source, "target", name);
    if (estimator != NULL && !estimator->supervised)
        ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE), errmsg("a model of %s has no target", estimator->name),
                        errhint("Pass a regression or a classifier.")));
    if (entry == NULL)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("the model does not say what its target is called"),
                        errhint("Name the column in option \"target\", or fit the model with a formula such as 'price ~ carat'.")));
    written = model_text(last, entry, 0, &length);
    return source_column_written(source, "target", written, length);
}

void source_run(const char *sql, DestReceiver *receiver)
{
    SPIExecuteOptions how = {.read_only = true, .dest = receiver};
    SPIPlanPtr plan = SPI_prepare(sql, 0, NULL);

    if (plan == NULL)
        elog(ERROR, "SPI_prepare failed: %s", SPI_result_code_string(SPI_result));
    if (SPI_execute_plan_extended(plan, &how) != SPI_OK_SELECT)
        elog(ERROR, "the query of a source failed: %s", SPI_result_code_string(SPI_result));
}

KeptSource kept_source_read(ModelRows *model, const char *text, const char *target, const Options *options)
{
    KeptSource kept = {.model = model, .node = rows_node_begin(CurrentMemoryContext)};
    RowReceiver receiver = {.receiver = {receive_row, receiver_startup, receiver_end, receiver_end, DestTuplestore}, .kept = &kept, .context = CurrentMemoryContext};
    NamedColumns named = {-1, -1, -1};
    const char *class_type = NULL;
    Source *source;
    char *sql;

    receiver.row = AllocSetContextCreate(receiver.context, "pgfit kept row", ALLOCSET_DEFAULT_SIZES);
    receiver.numbers = palloc((model->width + 1) * sizeof(double));
    SPI_connect();
    source = source_of_text(text);
    if (target != NULL)
        named.target = source_column(source, "target", target);
    named.weight = column_of_option(source, options, "weight");
    named.id = column_of_option(source, options, "id");
    sql = source_sql(source, features_sql(source, model->reads, options, &named), &named, &receiver.columns);
    MemoryContextSwitchTo(receiver.context);
    receiver.labels = target != NULL && estimator_classifies(model->scorer->estimator);
    if (target != NULL)
        receiver.target = value_reader_of_type(TupleDescAttr(source->columns, named.target)->atttypid, receiver.context);
    if (receiver.labels)
        class_type = value_type_name(receiver.target);
    receiver.schema = model_rows_schema(model, class_type);
    kept.rows = rows_new(rows_node_pool(kept.node), receiver.schema,
                         ROWS_WEIGHT | (target != NULL ? ROWS_TARGET : 0) | (named.id >= 0 ? ROWS_ID : 0));
    source_run(sql, &receiver.receiver);
    SPI_finish();
    MemoryContextSwitchTo(receiver.context);
    MemoryContextDelete(receiver.row);
    return kept;
}

void kept_source_end(KeptSource *kept)
{
    rows_end_readers(kept->rows);
    rows_node_end(kept->node);
}
