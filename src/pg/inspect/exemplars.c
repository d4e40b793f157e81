/*
 * exemplars.c - exemplars(model): the rows or points that a model has for many rows, as jsonb
 * objects that can be features themselves.
 */
#include "pg/inspect/inspect.h"
#include "pg/score/scorer_cache.h"
#include "pg/score/scoring.h"
#include "core/estimator/model_info.h"

#include <math.h>

#include "common/shortest_dec.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/jsonb.h"

/* A number a slot, for each exemplar: "center", or "medoids". NULL: the model has none. */
static const double *exemplar_numbers(const Model *model, uint32 *count)
{
    const ModelEntry *medoids = model_find(model, "medoids");
    uint32_t length;
    const double *center = model_f64(model, "center", &length);

    *count = 1;
    if (center != NULL && length == model->slot_count)
        return center;
    if (medoids == NULL || medoids->type != ARRAY_F64 || medoids->dimensions != 2 ||
        medoids->columns != model->slot_count)
        return NULL;
    *count = medoids->rows;
    return model_data(model, medoids);
}

static void append_string(StringInfo json, const char *bytes, uint32 length)
{
    escape_json(json, pnstrdup(bytes, length));
}

static void append_number(StringInfo json, double number)
{
    char buffer[DOUBLE_SHORTEST_DECIMAL_LEN];

    double_to_shortest_decimal_buf(number, buffer);
    if (isfinite(number))
        appendStringInfoString(json, buffer);
    else
        append_string(json, buffer, (uint32)strlen(buffer));
}

/* A level by its position; null where it is that of NULLs, or none. */
static void append_level(StringInfo json, const Model *model, double position)
{
    uint32_t length;
    const char *text;

    if (!(position >= 0 && position < dictionary_size(model, DICTIONARY_LEVELS)) ||
        isinf(dictionary_key(model, DICTIONARY_LEVELS, (uint32)position))) {
        appendStringInfoString(json, "null");
        return;
    }
    text = dictionary_text(model, DICTIONARY_LEVELS, (uint32)position, &length);
    append_string(json, text, length);
}

static Datum exemplar_object(const Model *model, const double *slots)
{
    StringInfoData json;

    initStringInfo(&json);
    for (uint32 field = 0; field < schema_field_count(model); field++) {
        uint32 width = schema_field_width(model, field);
        char buffer[16];
        uint32_t length;
        const char *name = describe_field_name(model, field, buffer, &length);

        appendStringInfoString(&json, field == 0 ? "{" : ", ");
        append_string(&json, name, length);
        appendStringInfoString(&json, width > 1 ? ": [" : ": ");
        for (uint32 i = 0; i < width; i++, slots++) {
            if (i > 0)
                appendStringInfoString(&json, ", ");
            if (schema_field_kind(model, field) == FIELD_CATEGORICAL)
                append_level(&json, model, *slots);
            else
                append_number(&json, *slots);
        }
        if (width > 1)
            appendStringInfoChar(&json, ']');
    }
    appendStringInfoString(&json, "}");
    return DirectFunctionCall1(jsonb_in, CStringGetDatum(json.data));
}

PG_FUNCTION_INFO_V1(pgfit_exemplars);
Datum pgfit_exemplars(PG_FUNCTION_ARGS)
{
    Scorer scorer = {.model = PG_GETARG_SOUND_MODEL(0)};
    TupleDesc description;
    Tuplestorestate *store = rows_begin(fcinfo, &description);
    const double *numbers;
    uint32 count;

    scorer.estimator = estimator_of(scorer.model);
    numbers = exemplar_numbers(scorer.model, &count);
    if (numbers == NULL || scorer.model->field_count == 0)
        fail_unsupported(&scorer, "exemplars");
    for (uint32 i = 0; i < count; i++) {
        Datum values[2];
        bool nulls[2] = {false};

        CHECK_FOR_INTERRUPTS();
        values[0] = Int32GetDatum((int32)i + 1);
        values[1] = exemplar_object(scorer.model, numbers + (size_t)i * scorer.model->slot_count);
        tuplestore_putvalues(store, description, values, nulls);
    }
    return (Datum)0;
}
