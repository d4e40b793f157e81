/*
 * medoids.c - medoids(model): the rows that stand for the clusters of k-medoids.
 */
#include "pg/inspect/inspect.h"
#include "pg/score/scoring.h"

#include "core/model/schema.h"

#include <math.h>

#include "miscadmin.h"
#include "utils/builtins.h"

/* The text of a level in a slot of this field; false: there is none, or it is the level of NULL. */
static bool level_text(const Model *model, uint32 field, double slot, Datum *text)
{
    uint32 length, levels = dictionary_size(model, DICTIONARY_LEVELS), position;
    const char *bytes;

    if (!(slot >= 0 && slot < levels) || slot != floor(slot))
        return false;
    position = (uint32)slot;
    if (dictionary_field(model, position) != field || isinf(dictionary_key(model, DICTIONARY_LEVELS, position)))
        return false;
    bytes = dictionary_text(model, DICTIONARY_LEVELS, position, &length);
    *text = PointerGetDatum(cstring_to_text_with_len(bytes, (int)length));
    return true;
}

PG_FUNCTION_INFO_V1(pgfit_medoids);
PGDLLEXPORT Datum pgfit_medoids(PG_FUNCTION_ARGS)
{
    Scorer scorer = {.model = PG_GETARG_SOUND_MODEL(0)};
    const Model *model = scorer.model;
    const ModelEntry *entry = model_find(model, "medoids"), *ids = model_find(model, "ids");
    const double *numbers;
    TupleDesc description;
    Tuplestorestate *store;

    scorer.estimator = estimator_of(model);
    if (entry == NULL || scorer.estimator == NULL || strcmp(scorer.estimator->name, "kmedoids") != 0)
        fail_unsupported(&scorer, "medoids");
    numbers = model_data(model, entry);
    store = rows_begin(fcinfo, &description);
    for (uint32 m = 0; m < entry->rows; m++) {
        for (uint32 s = 0; s < entry->columns; s++) {
            uint32 field = schema_slot_field(model, s), length;
            bool category = schema_field_kind(model, field) == FIELD_CATEGORICAL;
            double slot = numbers[(Size)m * entry->columns + s];
            Datum values[5] = {0};
            bool nulls[5] = {false, ids == NULL, false, category, true};
            char name[SCHEMA_NAME_SIZE];
            const char *id;

            CHECK_FOR_INTERRUPTS();
            values[0] = Int32GetDatum((int)m + 1);
            if (ids != NULL) {
                id = model_text(model, ids, m, &length);
                values[1] = PointerGetDatum(cstring_to_text_with_len(id, (int)length));
            }
            schema_slot_name(model, s, name, sizeof(name));
            values[2] = CStringGetTextDatum(name);
            values[3] = Float8GetDatum(slot);
            if (category)
                nulls[4] = !level_text(model, field, slot, &values[4]);
            tuplestore_putvalues(store, description, values, nulls);
        }
    }
    return (Datum)0;
}
