/*
 * row_pair.c - reads two rows of one shape. Arrays take a fast path; rows with names or categories are read like
 * training rows, by a schema that the first of the two describes.
 */
#include "pg/features/row_pair.h"
#include "pg/type/result_rows.h"
#include "pg/features/features_internal.h"
#include "core/inspection/model_info.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#define LEVELS_KEPT 1000 /* of all fields together; with more, a new schema begins */

PairSite *pair_site(FunctionCallInfo fcinfo)
{
    PairSite *site = fcinfo->flinfo->fn_extra;

    if (likely(site != NULL))
        return site;
    site = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof *site);
    fcinfo->flinfo->fn_extra = site;
    return site;
}

int pair_value_type(FunctionCallInfo fcinfo, PairSite *site, int argument)
{
    if (unlikely(site->value_kinds[argument] == 0)) {
        Oid type = argument_type(fcinfo, argument);
        SqlValueType how = sql_value_of_type(type, true);

        site->bits[argument] = how.base == BITOID || how.base == VARBITOID;
        site->value_kinds[argument] = how.value_kind != SQL_VALUE_NONE ? (int)how.value_kind : -1;
    }
    return site->value_kinds[argument];
}

/* ---- schemas ---- */

/* Forgets metric and kernel, which were made for other rows, fewer levels or other arguments. */
static void forget_metric(PairSite *site)
{
    site->metric = NULL;
    site->kernel_known = false;
}

/* Forgets the schema and the metric, and makes the memory for a new schema. */
static void begin_schema(FunctionCallInfo fcinfo, PairSite *site)
{
    MemoryContext former = site->schema_context;

    site->schema = NULL;
    forget_metric(site);
    site->schema_context =
        AllocSetContextCreate(fcinfo->flinfo->fn_mcxt, "pgfit pair", ALLOCSET_SMALL_SIZES);
    if (former)
        MemoryContextDelete(former);
}

static void keep_schema(FunctionCallInfo fcinfo, PairSite *site, const Model *schema)
{
    Model *kept;

    if (schema == site->schema)
        return;
    /* the schema may be in the context that begin_schema deletes */
    kept = palloc(schema->size);
    memcpy(kept, schema, schema->size);
    begin_schema(fcinfo, site);
    site->schema = MemoryContextAlloc(site->schema_context, kept->size);
    memcpy(site->schema, kept, kept->size);
    pfree(kept);
}

static void make_schema(FunctionCallInfo fcinfo, PairSite *site, const SchemaSpec *spec)
{
    ModelBuilder *builder = model_builder(host_env(), MODEL_FITTED, "distance");

    schema_add(host_env(), builder, spec);
    keep_schema(fcinfo, site, model_build(builder));
}

/* Does the schema describe this row? */
static bool schema_describes(const Model *schema, const SchemaSpec *spec)
{
    uint32 length;

    if (schema == NULL || schema->field_count != spec->field_count ||
        ((schema->flags & MODEL_NAMED) != 0) != spec->named)
        return false;
    for (uint32 i = 0; i < spec->field_count; i++) {
        char buffer[16];
        const char *name;

        if (schema_field_kind(schema, i) != (spec->kinds ? spec->kinds[i] : FIELD_NUMERIC) ||
            schema_field_width(schema, i) != (spec->widths ? spec->widths[i] : 1))
            return false;
        if (spec->names == NULL)
            continue;
        name = describe_field_name(schema, i, buffer, &length);
        if (strlen(spec->names[i]) != length || memcmp(name, spec->names[i], length) != 0)
            return false;
    }
    return true;
}

/* ---- slots ---- */

static void need_slots(FunctionCallInfo fcinfo, PairSite *site, uint32 count)
{
    for (int i = 0; i < 2; i++)
        site->slots[i] = site_buffer(fcinfo, &site->slot_buffers[i], (Size)count * sizeof(double));
}

static void require_finite_elements(const double *slots, uint32 count)
{
    if (likely(all_finite(slots, count)))
        return;
    for (uint32 i = 0; i < count; i++)
        if (!isfinite(slots[i]))
            env_fail(host_env(), ERROR_DATA, NULL, "element %u of an array is %s", i + 1,
                     isnan(slots[i]) ? "NaN" : "infinite");
}

static const char *array_of(FunctionCallInfo fcinfo, FeatureReader *reader, int argument)
{
    const char *place = DatumGetPointer(PG_GETARG_DATUM(argument));

    return OidIsValid(reader->cast.function.fn_oid) ? cast_to_array(&reader->cast, place) : place;
}

/* Reads arrays element by element. */
static bool read_arrays(FunctionCallInfo fcinfo, PairSite *site, int first, int count)
{
    ArrayView views[2] = {{0}};
    bool complete = true;
    uint32 width;

    for (int i = 0; i < count; i++) {
        const char *place = array_of(fcinfo, site->readers[i], first + i);

        if (place == NULL)
            return false;
        views[i] = array_view(place, "the argument is");
        if (views[i].count == 0)
            env_fail(host_env(), ERROR_DATA, NULL, "an array is empty");
        if (views[i].count > SCHEMA_MAX_SLOTS)
            env_fail(host_env(), ERROR_LIMIT, NULL, "%u numbers are more than the %u supported",
                     views[i].count, SCHEMA_MAX_SLOTS);
    }
    width = views[0].count;
    if (count > 1 && views[1].count != width)
        env_fail(host_env(), ERROR_DATA, NULL, "the arrays have %u and %u numbers", width,
                 views[1].count);
    need_slots(fcinfo, site, width);
    if (site->schema == NULL || site->schema->slot_count != width ||
        site->schema->entry_count > 0) {
        SchemaSpec spec = {.field_count = width};

        make_schema(fcinfo, site, &spec);
    }
    for (int i = 0; i < count; i++) {
        SqlValueKind element = array_element_kind(site->readers[i], views[i].element);
        int32 overflow = -1;

        complete = array_read(&views[i], element, site->slots[i], NULL, &overflow) && complete;
        if (overflow >= 0)
            env_fail(host_env(), ERROR_RANGE, NULL,
                     "element %d of an array is out of range of double precision", overflow + 1);
        if (complete)
            require_finite_elements(site->slots[i], width);
        if (views[i].copy)
            pfree(views[i].copy);
    }
    return complete;
}

/* Is there a column, matched by position or name, that is categorical in both rows but of different types? */
static bool columns_clash(const Source *a, const Source *b)
{
    for (uint32 i = 0; i < a->column_count; i++) {
        const SourceColumn *column = &a->columns[i];

        for (uint32 j = 0; j < b->column_count; j++) {
            const SourceColumn *other = &b->columns[j];

            if ((i == j || column_is_named(column, other->name, other->name_length)) &&
                column->type != other->type &&
                (column->value_kind == SQL_VALUE_ENUM || other->value_kind == SQL_VALUE_ENUM))
                return true;
        }
    }
    return false;
}

/*
 * Do the rows have the types that the kept levels came from? A level has the order of its enum type, so levels of other
 * types must not mix with it: a distance depends on its two rows alone.
 */
static bool same_types(FunctionCallInfo fcinfo, PairSite *site, int first, int count)
{
    const Source *sources[2];
    bool same = true;

    for (int i = 0; i < count; i++) {
        Oid type = InvalidOid;
        int32 typmod = -1;

        sources[i] = features_source(site->readers[i], PG_GETARG_DATUM(first + i));
        if (sources[i]) {
            type = sources[i]->type;
            typmod = sources[i]->typmod;
        }
        same = same && site->row_types[i] == type && site->row_typmods[i] == typmod;
        site->row_types[i] = type;
        site->row_typmods[i] = typmod;
    }
    if (!same)
        site->levels_clash = count == 2 && sources[0] && sources[1] && columns_clash(sources[0], sources[1]);
    return same && !site->levels_clash;
}

/* Reads rows, objects and single values by the schema of the first. */
static bool read_rows(FunctionCallInfo fcinfo, PairSite *site, int first, int count)
{
    SchemaSpec spec = features_describe(site->readers[0], PG_GETARG_DATUM(first), NULL);
    Model *schema;
    uint32 levels;

    if (spec.field_count == 0)
        return false;
    if (!same_types(fcinfo, site, first, count) || !schema_describes(site->schema, &spec) ||
        dictionary_size(site->schema, DICTIONARY_LEVELS) > LEVELS_KEPT)
        make_schema(fcinfo, site, &spec);
    need_slots(fcinfo, site, site->schema->slot_count);
    for (int i = 0; i < count; i++) {
        schema = site->schema;
        if (features_read(site->readers[i], PG_GETARG_DATUM(first + i), &schema, site->slots[i],
                          NULL, LEVELS_MAX_DEFAULT + 2) == FEATURES_NULL)
            return false;
        keep_schema(fcinfo, site, schema);
    }
    levels = dictionary_size(site->schema, DICTIONARY_LEVELS);
    if (levels != site->level_count)
        forget_metric(site);
    site->level_count = levels;
    return true;
}

static bool read_arguments(FunctionCallInfo fcinfo, PairSite *site, int first, int count)
{
    bool arrays = true;

    for (int i = 0; i < count; i++) {
        SqlValueKind value_kind = feature_reader(fcinfo, first + i, &site->readers[i])->type.value_kind;

        arrays = arrays && (value_kind == SQL_VALUE_ARRAY || value_kind == SQL_VALUE_CAST);
    }
    return arrays ? read_arrays(fcinfo, site, first, count) : read_rows(fcinfo, site, first, count);
}

bool pair_read(FunctionCallInfo fcinfo, PairSite *site)
{
    return read_arguments(fcinfo, site, 0, 2);
}

bool pair_read_one(FunctionCallInfo fcinfo, PairSite *site, int argument)
{
    return read_arguments(fcinfo, site, argument, 1);
}

/* ---- arguments after the rows ---- */

void pair_watch(FunctionCallInfo fcinfo, PairSite *site, int which, int argument)
{
    const char *raw = DatumGetPointer(PG_GETARG_DATUM(argument));
    size_t size = VARSIZE_ANY(raw);

    if (site->extra[which] && site->extra_size[which] == size &&
        memcmp(site->extra[which], raw, size) == 0)
        return;
    if (site->extra[which])
        pfree(site->extra[which]);
    site->extra[which] = MemoryContextAlloc(fcinfo->flinfo->fn_mcxt, size);
    memcpy(site->extra[which], raw, size);
    site->extra_size[which] = size;
    forget_metric(site);
}

const double *array_argument(FunctionCallInfo fcinfo, int argument, const char *what, uint32 *rows,
                             uint32 *columns)
{
    ArrayType *array = PG_GETARG_ARRAYTYPE_P(argument);
    uint32 count = (uint32)ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));

    if (ARR_NDIM(array) > 2)
        env_fail(host_env(), ERROR_DATA, NULL, "the %s is an array of %d dimensions", what,
                 ARR_NDIM(array));
    if (ARR_HASNULL(array) && array_contains_nulls(array))
        env_fail(host_env(), ERROR_DATA, NULL, "an element of the %s is NULL", what);
    *rows = ARR_NDIM(array) == 2 ? (uint32)ARR_DIMS(array)[0] : 1;
    *columns = count / Max(*rows, 1);
    for (uint32 i = 0; i < count; i++) {
        double number = ((double *)ARR_DATA_PTR(array))[i];

        if (!isfinite(number))
            env_fail(host_env(), ERROR_DATA, NULL, "an element of the %s is %s", what,
                     isnan(number) ? "NaN" : "infinite");
    }
    return (double *)ARR_DATA_PTR(array);
}

Options *options_argument(FunctionCallInfo fcinfo, int argument, const char *function,
                          const OptionSpec *const *tables)
{
    const char *text = NULL;

    if (argument >= 0) {
        Jsonb *json = PG_GETARG_JSONB_P(argument);

        text = JsonbToCString(NULL, &json->root, VARSIZE(json));
    }
    return options_parse(host_env(), function, tables, text, text ? strlen(text) : 0, NULL, NULL,
                         0);
}

const Kernel *kernel_argument(FunctionCallInfo fcinfo, PairSite *site, int argument, const char *function)
{
    const OptionSpec *tables[] = {options_number_kernel, options_kernel, NULL};
    int options = PG_NARGS() > argument + 1 ? argument + 1 : -1;
    Options *given;

    pair_watch(fcinfo, site, 0, argument);
    if (options >= 0)
        pair_watch(fcinfo, site, 1, options);
    if (!site->kernel_known) {
        given = options_argument(fcinfo, options, function, tables);
        if (options_given(given, "kernel"))
            env_fail(host_env(), ERROR_PARAMETER, NULL, "the kernel is given twice");
        site->kernel = kernel_of_options(host_env(), given, text_to_cstring(PG_GETARG_TEXT_PP(argument)));
        if (site->kernel.kind == KERNEL_PRECOMPUTED)
            env_fail(host_env(), ERROR_PARAMETER, "Look the value up in the matrix.",
                     "kernel precomputed is for fits, whose features are the rows of a Gram matrix");
        site->kernel_known = true;
    }
    return &site->kernel;
}

Datum give_matrix(const double *numbers, uint32 rows, uint32 columns)
{
    double *out;
    Datum array = float8_array(rows, columns, &out);

    env_copy(host_env(), out, numbers, (Size)rows * columns * sizeof(double));
    return array;
}
