/*
 * samples.c - sample(model, n, seed, label) and sample_numbers: rows drawn from the distribution that a model describes.
 *
 * The rows go to a tuplestore, which writes to a temporary file past work_mem; nothing else grows with n. The tuplestore copies each row, so that labels are
 * made once per class or component, and all rows of numbers share one array.
 */
#include "pg/type/result_rows.h"
#include "core/inspection/model_info.h"
#include "core/model/dictionary.h"
#include "core/prepare/row_sampler.h"

#include <math.h>

#include "common/shortest_dec.h"
#include "miscadmin.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"

#define MOST_ROWS 1000000000
#define ROW_MEMORY 65536 /* bytes that rows may leave behind before they are freed */

/* A field of rows as objects. */
typedef struct SampleField {
    uint32_t field, slot, width;
    bool category;
} SampleField;

/* The datums of a call that rows share. */
typedef struct SampleDatums {
    JsonbValue *object;  /* of sample: its pairs, in the order of jsonb */
    SampleField *fields; /* [pairs] */
    Datum *labels;   /* [parts] those that have been drawn; 0: not yet */
    Datum array;     /* of sample_numbers */
    double *numbers; /* its numbers; NULL without features */
} SampleDatums;

static JsonbValue json_string(const char *text, uint32_t length)
{
    return (JsonbValue){.type = jbvString, .val.string = {.val = (char *)(uintptr_t)text, .len = (int)length}};
}

/* Returns a level by its position; null where it is that of NULLs, or none. */
static JsonbValue json_level(const Model *schema, double position)
{
    uint32_t length;
    const char *text;

    if (!(position >= 0 && position < dictionary_size(schema, DICTIONARY_LEVELS)) ||
        isinf(dictionary_key(schema, DICTIONARY_LEVELS, (uint32_t)position)))
        return (JsonbValue){.type = jbvNull};
    text = dictionary_text(schema, DICTIONARY_LEVELS, (uint32_t)position, &length);
    return json_string(text, length);
}

/* Returns the shortest decimal that reads back as the same number. */
static JsonbValue json_number(double number)
{
    char text[DOUBLE_SHORTEST_DECIMAL_LEN];

    if (!isfinite(number))
        return isnan(number) ? json_string("NaN", 3) : number > 0 ? json_string("Infinity", 8) : json_string("-Infinity", 9);
    double_to_shortest_decimal_buf(number, text);
    return (JsonbValue){.type = jbvNumeric,
                        .val.numeric = DatumGetNumeric(DirectFunctionCall3(numeric_in, CStringGetDatum(text), ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1)))};
}

/* Returns an object with a pair for each field; its value has the number of the field as its length, until row_json replaces it. */
static JsonbValue *row_object(const Model *schema)
{
    JsonbParseState *state = NULL;

    pushJsonbValue(&state, WJB_BEGIN_OBJECT, NULL);
    for (uint32_t field = 0; field < schema_field_count(schema); field++) {
        uint32_t length;
        char buffer[16];
        const char *name = describe_field_name(schema, field, buffer, &length);
        JsonbValue key = json_string(name == buffer ? pnstrdup(name, length) : name, length), value = json_string("", field);

        pushJsonbValue(&state, WJB_KEY, &key);
        pushJsonbValue(&state, WJB_VALUE, &value);
    }
    return pushJsonbValue(&state, WJB_END_OBJECT, NULL);
}

/* Makes what rows as objects share: the keys, in the order of jsonb. */
static void objects_begin(SampleDatums *datums, const Model *schema)
{
    int pairs;
    uint32_t slot = 0;

    datums->object = row_object(schema);
    pairs = datums->object->val.object.nPairs;
    datums->fields = palloc((pairs + 1) * sizeof(SampleField));
    for (int i = 0; i < pairs; i++)
        datums->fields[i].field = (uint32_t)datums->object->val.object.pairs[i].value.val.string.len;
    for (uint32_t field = 0; field < schema_field_count(schema); field++) {
        for (int i = 0; i < pairs; i++)
            if (datums->fields[i].field == field)
                datums->fields[i] = (SampleField){field, slot, schema_field_width(schema, field),
                                                  schema_field_kind(schema, field) == FIELD_CATEGORICAL};
        slot += schema_field_width(schema, field);
    }
}

/* Returns what output_row writes, without writing and parsing it. */
static Datum row_json(const SampleDatums *datums, const Model *schema, const double *slots)
{
    JsonbValue *object = datums->object;

    for (int i = 0; i < object->val.object.nPairs; i++) {
        const SampleField *field = &datums->fields[i];
        JsonbValue *value = &object->val.object.pairs[i].value;

        if (field->width != 1) {
            JsonbValue *elements = palloc((field->width + 1) * sizeof(JsonbValue));

            *value = (JsonbValue){.type = jbvArray, .val.array = {.nElems = (int)field->width, .elems = elements}};
            value = elements;
        }
        for (uint32_t s = 0; s < field->width; s++)
            value[s] = field->category ? json_level(schema, slots[field->slot + s]) : json_number(slots[field->slot + s]);
    }
    return JsonbPGetDatum(JsonbValueToJsonb(object));
}

/* Returns the label of the last row, in a memory context that outlives it. */
static Datum row_label(SampleDatums *datums, MemoryContext context, RowSampler *sampler)
{
    Datum *label = &datums->labels[row_sampler_part(sampler)];

    if (unlikely(*label == (Datum)0)) {
        MemoryContext before = MemoryContextSwitchTo(context);
        uint32_t length;
        const char *text = row_sampler_label(sampler, &length);

        *label = PointerGetDatum(cstring_to_text_with_len(text, (int)length));
        MemoryContextSwitchTo(before);
    }
    return *label;
}

static int64 row_count(FunctionCallInfo fcinfo)
{
    int64 n = PG_GETARG_INT64(1);

    if (n < 0 || n > MOST_ROWS)
        env_fail(host_env(), ERROR_PARAMETER, n < 0 ? NULL : "Draw several samples, each with a seed of its own.",
                 "the number of rows of a sample must be from 0 to %d, not %lld", MOST_ROWS, (long long)n);
    return n;
}

/* Draws the rows of a call. An argument that is NULL, other than the label, gives no rows. */
static Datum sample(FunctionCallInfo fcinfo, bool numeric)
{
    TupleDesc description;
    Tuplestorestate *store;
    MemoryContext row_context, before;
    SampleDatums datums = {NULL};
    RowSampler *sampler;
    const Model *schema;
    const char *label = NULL;
    uint32_t length = 0, parts;
    int64 n;

    store = rows_begin(fcinfo, &description);
    if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2))
        return (Datum)0;
    n = row_count(fcinfo);
    if (!PG_ARGISNULL(3)) {
        label = text_to_cstring(PG_GETARG_TEXT_PP(3));
        length = (uint32_t)strlen(label);
    }
    sampler = row_sampler(host_env(), PG_GETARG_SOUND_MODEL(0), PG_GETARG_INT64(2), label, length);
    schema = row_sampler_schema(sampler);
    parts = row_sampler_parts(sampler);
    if (numeric && !schema_all_numeric(schema))
        env_fail(host_env(), ERROR_KIND, "Use sample, which gives levels as text.",
                 "sample_numbers needs a model without categorical features");
    if (parts > 0)
        datums.labels = palloc0(parts * sizeof(Datum));
    if (numeric)
        datums.array = float8_array(schema->slot_count, 0, &datums.numbers);
    else
        objects_begin(&datums, schema);
    row_context = AllocSetContextCreate(CurrentMemoryContext, "pgfit sample row", ALLOCSET_DEFAULT_SIZES);
    before = MemoryContextSwitchTo(row_context);
    for (int64 i = 0; i < n; i++) {
        const double *slots;
        Datum values[3] = {Int64GetDatum(i + 1)};
        bool nulls[3] = {false, parts == 0, false};

        CHECK_FOR_INTERRUPTS();
        slots = row_sampler_draw(sampler, host_env(), (uint64_t)i);
        if (parts > 0)
            values[1] = row_label(&datums, before, sampler);
        if (datums.numbers != NULL)
            memcpy(datums.numbers, slots, schema->slot_count * sizeof(double));
        values[2] = numeric ? datums.array : row_json(&datums, schema, slots);
        tuplestore_putvalues(store, description, values, nulls);
        if (MemoryContextMemAllocated(row_context, false) > ROW_MEMORY)
            MemoryContextReset(row_context);
    }
    MemoryContextSwitchTo(before);
    MemoryContextDelete(row_context);
    return (Datum)0;
}

/* sample(model, n, seed, label) */
PG_FUNCTION_INFO_V1(pgfit_sample);
PGDLLEXPORT Datum pgfit_sample(PG_FUNCTION_ARGS)
{
    return sample(fcinfo, false);
}

/* sample_numbers(model, n, seed, label) */
PG_FUNCTION_INFO_V1(pgfit_sample_numbers);
PGDLLEXPORT Datum pgfit_sample_numbers(PG_FUNCTION_ARGS)
{
    return sample(fcinfo, true);
}
