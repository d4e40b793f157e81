/*
 * features_source.c - row types: their columns and the offsets of those, cached in the backend.
 *
 * A source is made once per (type oid, typmod), and again after any change of a type or table. A call further up the
 * stack may still read from a source that was replaced, so it is freed when the transaction ends. With a source per call site a prepared
 * fit of ten rows of eleven columns takes 1.15 times as long, a score of one 1.05.
 */
#include "pg/features/features_internal.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "utils/acl.h"
#include "utils/formatting.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#define SOURCES_MAX 512 /* in the cache; one more empties it */

typedef struct SourceKey {
    Oid type;
    int32 typmod;
} SourceKey;

typedef struct SourceSlot {
    SourceKey key;
    uint64 generation;
    Source *source;
} SourceSlot;

uint64 source_generation = 1;
static HTAB *sources;
static MemoryContext sources_context;   /* sources in the cache */
static MemoryContext sources_graveyard; /* replaced sources, freed at the end of the transaction */

static void on_type_change(Datum argument, int cache, uint32 hash)
{
    source_generation++;
}

static void on_table_change(Datum argument, Oid relation)
{
    source_generation++;
}

static void on_transaction_end(XactEvent event, void *argument)
{
    switch (event) {
    case XACT_EVENT_COMMIT:
    case XACT_EVENT_ABORT:
    case XACT_EVENT_PREPARE:
    case XACT_EVENT_PARALLEL_COMMIT:
    case XACT_EVENT_PARALLEL_ABORT:
        if (sources_graveyard->firstchild) {
            /* no reader may take a freed source for current */
            source_generation++;
            MemoryContextDeleteChildren(sources_graveyard);
        }
        break;
    default:
        break;
    }
}

static void sources_begin(void)
{
    HASHCTL control = {.keysize = sizeof(SourceKey), .entrysize = sizeof(SourceSlot)};

    if (sources)
        return;
    if (!sources_context) {
        sources_context =
            AllocSetContextCreate(TopMemoryContext, "pgfit row types", ALLOCSET_SMALL_SIZES);
        sources_graveyard =
            AllocSetContextCreate(TopMemoryContext, "pgfit former row types", ALLOCSET_SMALL_SIZES);
        CacheRegisterSyscacheCallback(TYPEOID, on_type_change, (Datum)0);
        CacheRegisterSyscacheCallback(CASTSOURCETARGET, on_type_change, (Datum)0);
        CacheRegisterRelcacheCallback(on_table_change, (Datum)0);
        RegisterXactCallback(on_transaction_end, NULL);
    }
    control.hcxt = sources_context;
    sources = hash_create("pgfit row types", 64, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
}

static int16 alignment_bytes(char alignment)
{
    switch (alignment) {
    case TYPALIGN_DOUBLE:
        return ALIGNOF_DOUBLE;
    case TYPALIGN_INT:
        return ALIGNOF_INT;
    case TYPALIGN_SHORT:
        return ALIGNOF_SHORT;
    default:
        return 1;
    }
}

/* Is the column named f1, f2, ... for its position, as in a row without names? */
static bool is_default_name(const SourceColumn *column, uint32 number)
{
    char name[16];
    int length = snprintf(name, sizeof name, "f%u", number);

    return column_is_named(column, name, (uint32)length);
}

static bool same_name(const SourceColumn *a, const SourceColumn *b)
{
    return column_is_named(a, b->name, b->name_length);
}

static int compare_columns(const void *left, const void *right)
{
    const SourceColumn *a = *(const SourceColumn *const *)left;
    const SourceColumn *b = *(const SourceColumn *const *)right;
    int order = name_order(a->name, a->name_length, b->name, b->name_length);

    return order ? order : (a > b) - (a < b);
}

/* Finds the columns that have names of their own; the others ("?column?", repeated names) are named by position: f3. */
static void find_names(Source *source)
{
    SourceColumn **sorted = palloc(Max(source->live_count, 1) * sizeof *sorted);
    bool all_default = true;
    uint32 live = 0;

    for (uint32 i = 0; i < source->column_count; i++)
        if (!source->columns[i].dropped) {
            all_default = all_default && is_default_name(&source->columns[i], live + 1);
            sorted[live++] = &source->columns[i];
        }
    qsort(sorted, live, sizeof *sorted, compare_columns);
    source->named_count = 0;
    for (uint32 i = 0; i < live; i++) {
        bool repeated = (i && same_name(sorted[i - 1], sorted[i])) ||
                        (i + 1 < live && same_name(sorted[i], sorted[i + 1]));
        bool unnamed = sorted[i]->name_length == 8 && memcmp(sorted[i]->name, "?column?", 8) == 0;

        sorted[i]->named = !repeated && !unnamed && !all_default;
        source->named_count += sorted[i]->named;
    }
    source->named = live > 0 && source->named_count == live;
    source->all_default = live > 0 && all_default;
    live = 0;
    for (uint32 i = 0; i < source->column_count; i++) {
        SourceColumn *column = &source->columns[i];

        if (column->dropped)
            continue;
        live++;
        if (!column->named) {
            column->name = MemoryContextStrdup(source->context, psprintf("f%u", live));
            column->name_length = (uint32)strlen(column->name);
        }
    }
    pfree(sorted);
}

/* Makes a source in a context of its own, a child of the current one until the cache takes it. */
static Source *source_make(Oid row_type, int32 typmod)
{
    MemoryContext context =
        AllocSetContextCreate(CurrentMemoryContext, "pgfit row type", ALLOCSET_SMALL_SIZES);
    MemoryContext before = MemoryContextSwitchTo(context);
    Source *source = palloc0(sizeof *source);
    TupleDesc descriptor = lookup_rowtype_tupdesc(row_type, typmod);
    int32 offset = 0;

    source->type = row_type;
    source->typmod = typmod;
    source->context = context;
    source->descriptor = CreateTupleDescCopyConstr(descriptor);
    ReleaseTupleDesc(descriptor);
    descriptor = source->descriptor;
    source->column_count = (uint32)descriptor->natts;
    source->columns = palloc0(Max(descriptor->natts, 1) * sizeof *source->columns);

    for (int i = 0; i < descriptor->natts; i++) {
        Form_pg_attribute attribute = TupleDescAttr(descriptor, i);
        SourceColumn *column = &source->columns[i];

        column->name = NameStr(attribute->attname);
        column->name_length = (uint32)strlen(column->name);
        column->type = attribute->atttypid;
        column->collation = attribute->attcollation;
        column->length = attribute->attlen;
        column->alignment = alignment_bytes(attribute->attalign);
        column->by_value = attribute->attbyval;
        column->dropped = attribute->attisdropped;
        column->offset = -1;
        if (offset >= 0 && column->length > 0) {
            offset = (int32)TYPEALIGN(column->alignment, offset);
            column->offset = offset;
            offset += column->length;
        } else
            offset = -1;
        if (!column->dropped) {
            SqlValueType type = sql_value_of_type(column->type, true);

            column->value_kind = type.value_kind;
            column->element = type.element;
            column->cast = type.cast_function;
            if (type.value_kind == SQL_VALUE_ROW || type.value_kind == SQL_VALUE_JSONB ||
                (type.value_kind == SQL_VALUE_ARRAY && type.element == SQL_VALUE_NONE))
                column->value_kind = SQL_VALUE_NONE;
            source->live_count++;
        }
    }
    find_names(source);
    MemoryContextSwitchTo(before);
    return source;
}

/* Empties the cache. */
static void sources_forget(void)
{
    HASH_SEQ_STATUS scan;
    SourceSlot *slot;

    hash_seq_init(&scan, sources);
    while ((slot = hash_seq_search(&scan)) != NULL)
        if (slot->source)
            MemoryContextSetParent(slot->source->context, sources_graveyard);
    hash_destroy(sources);
    sources = NULL;
    source_generation++;
    sources_begin();
}

const Source *source_of(Oid type, int32 typmod)
{
    SourceKey key;
    SourceSlot *slot;
    Source *made;
    uint64 generation;
    bool found;

    sources_begin();
    memset(&key, 0, sizeof key);
    key.type = type;
    key.typmod = typmod;
    slot = hash_search(sources, &key, HASH_FIND, NULL);
    if (slot && slot->source && slot->generation == source_generation)
        return slot->source;

    generation = source_generation; /* a catalog change from here on outdates the source */
    made = source_make(type, typmod);
    if (hash_get_num_entries(sources) >= SOURCES_MAX) {
        bool current = generation == source_generation;

        sources_forget();
        generation = current ? source_generation : generation;
    }
    slot = hash_search(sources, &key, HASH_ENTER, &found);
    if (found && slot->source)
        MemoryContextSetParent(slot->source->context, sources_graveyard);
    slot->source = made;
    slot->generation = generation;
    MemoryContextSetParent(made->context, sources_context);
    return made;
}

/* ---- one column ---- */

int source_find(const Source *source, const char *name)
{
    uint32 length = (uint32)strlen(name);
    int found = -1;

    for (uint32 i = 0; i < source->column_count; i++) {
        const SourceColumn *column = &source->columns[i];

        if (!column->dropped && column_is_named(column, name, length)) {
            if (column->named)
                return (int)i;
            found = (int)i;
        }
    }
    return found;
}

Datum datum_of_place(const SourceColumn *column, const char *place)
{
    Size size;
    char *copy;

    if (column->by_value) {
        switch (column->length) {
        case 1:
            return CharGetDatum(*place);
        case 2:
            return Int16GetDatum(READ_AT(int16, place));
        case 4:
            return Int32GetDatum(READ_AT(int32, place));
        default:
            return Int64GetDatum(READ_AT(int64, place));
        }
    }
    size = column->length > 0 ? (Size)column->length : column->length == -1 ? varlena_size(place) : strlen(place) + 1;
    copy = palloc(size);
    memcpy(copy, place, size);
    return PointerGetDatum(copy);
}

/* ---- for messages ---- */

char *message_string(const char *bytes, uint32 length)
{
    int kept = pg_mbcliplen(bytes, (int)length, NAMEDATALEN - 1);
    char *string = palloc((Size)kept + 4);

    memcpy(string, bytes, (Size)kept);
    strcpy(string + kept, (uint32)kept < length ? "..." : "");
    return string;
}

char *source_list(const Source *source)
{
    StringInfoData text;
    uint32 listed = 0;

    initStringInfo(&text);
    appendStringInfoString(&text, source->live_count > 0 ? "The row has: " : "The row has none");
    for (uint32 i = 0; i < source->column_count; i++) {
        const SourceColumn *column = &source->columns[i];

        if (column->dropped)
            continue;
        if (listed == 50) {
            appendStringInfo(&text, ", ... (%u)", source->live_count);
            break;
        }
        appendStringInfo(&text, "%s%s", listed++ ? ", " : "",
                         message_string(column->name, column->name_length));
    }
    appendStringInfoChar(&text, '.');
    return text.data;
}

/* Returns ". - paid - \"my note\"": a formula of all columns of a row but those that cannot be features. */
static char *formula_without_others(const Source *whole)
{
    StringInfoData formula;

    initStringInfo(&formula);
    appendStringInfoChar(&formula, '.');
    for (uint32 i = 0; i < whole->column_count; i++) {
        const SourceColumn *column = &whole->columns[i];

        if (!column->dropped && column->value_kind == SQL_VALUE_NONE)
            appendStringInfo(&formula, " - %s", formula_name(host_env(), pnstrdup(column->name, column->name_length)));
    }
    return formula.data;
}

void source_fail_column(const SourceColumn *column, const Source *whole)
{
    const char *way = whole == NULL ? "Drop the column, or cast it." : psprintf("Cast it, or leave out all such columns by the formula %s.", formula_without_others(whole));

    env_fail(host_env(), ERROR_PARAMETER,
             psprintf("Features can be numbers, booleans, text, enums, uuids, dates, times and one-dimensional arrays of numbers. %s", way),
             "column \"%s\" of type %s cannot be a feature",
             message_string(column->name, column->name_length), format_type_be(column->type));
}

char *source_hint(const Source *source, const char *name, uint32 length)
{
    const char **names = palloc(Max(source->column_count, 1) * sizeof *names);
    const char *near;
    uint32 count = 0;

    for (uint32 i = 0; i < source->column_count; i++)
        if (!source->columns[i].dropped)
            names[count++] = pnstrdup(source->columns[i].name, source->columns[i].name_length);
    near = nearest_name(name, length, names, count);
    return near ? psprintf("Did you mean \"%s\"? %s", message_string(near, (uint32)strlen(near)), source_list(source))
                : source_list(source);
}

void require_formula_names(const Formula *formula, const Source *source)
{
    bool found = (source->all_default || formula_variable_count(formula) == 0) && !formula_has_dot(formula);

    if (source->live_count == 0 || source->named_count > 0)
        return;
    for (uint32 i = 0; found && i < formula_variable_count(formula); i++) {
        uint32_t length;
        const char *name = formula_variable(formula, i, &length);

        found = formula_variable_is_constant(formula, i) || source_find(source, asc_tolower(name, length)) >= 0;
    }
    if (!found)
        fail_formula_unnamed();
}

void fail_formula_unnamed(void)
{
    env_fail(host_env(), ERROR_PARAMETER,
             "Pass a whole row, as in SELECT linear_regression(d.y, d, 'a + log(b)') FROM t AS d, or a jsonb object. The alias must not be the "
             "name of a column, which would come first.",
             "a formula needs a row with column names");
    pg_unreachable();
}
