/*
 * centroids.c - centroids(model): the means of classes or clusters of any model that stores them.
 */
#include "pg/inspect/inspect.h"
#include "pg/score/scorer_cache.h"
#include "pg/score/scoring.h"

#include "core/moments/model_terms.h"

#include "miscadmin.h"
#include "utils/builtins.h"

/* The entry "centroids", a row a centroid and a column a term, of a model that has one; else NULL. */
static const ModelEntry *centroids_entry(const Model *model)
{
    const ModelEntry *entry = model_find(model, "centroids");

    if (entry == NULL || entry->section != SECTION_ARRAYS || entry->dimensions != 2 ||
        !array_is_finite(model, "centroids", entry->rows, entry->columns) ||
        terms_check(model, entry->columns) != NULL)
        return NULL;
    return entry;
}

/* The label of a centroid of a classifier; false: it is a cluster's. */
static bool centroid_label(const Model *model, const ModelEntry *entry, uint32 centroid, Datum *label)
{
    uint32 length;
    const char *text;

    if (dictionary_size(model, DICTIONARY_CLASSES) != entry->rows)
        return false;
    text = dictionary_text(model, DICTIONARY_CLASSES, centroid, &length);
    *label = PointerGetDatum(cstring_to_text_with_len(text, (int)length));
    return true;
}

PG_FUNCTION_INFO_V1(pgfit_centroids);
PGDLLEXPORT Datum pgfit_centroids(PG_FUNCTION_ARGS)
{
    Scorer scorer = {.model = PG_GETARG_SOUND_MODEL(0)};
    const Model *model = scorer.model;
    const ModelEntry *entry = centroids_entry(model);
    const double *numbers;
    TupleDesc description;
    Tuplestorestate *store;
    Terms terms;

    scorer.estimator = estimator_of(model);
    if (entry == NULL)
        fail_unsupported(&scorer, "centroids");
    numbers = model_data(model, entry);
    terms_open(model, entry->columns, &terms);
    store = rows_begin(fcinfo, &description);
    for (uint32 c = 0; c < entry->rows; c++) {
        for (uint32 t = 0; t < entry->columns; t++) {
            Datum values[4] = {0};
            bool nulls[4] = {false};
            char name[2 * SCHEMA_NAME_SIZE];

            CHECK_FOR_INTERRUPTS();
            terms_name(model, &terms, t, name, sizeof(name));
            values[0] = Int32GetDatum((int)c + 1);
            nulls[1] = !centroid_label(model, entry, c, &values[1]);
            values[2] = CStringGetTextDatum(name);
            values[3] = Float8GetDatum(numbers[(Size)c * entry->columns + t]);
            tuplestore_putvalues(store, description, values, nulls);
        }
    }
    return (Datum)0;
}
