/*
 * column_effects.c - permutation_importance, partial_dependence and accumulated_effects: what a model makes of the columns of a source.
 */
#include "pg/diagnostics/kept_source.h"
#include "pg/features/row_pair.h"
#include "pg/type/result_rows.h"
#include "core/explain/accumulated.h"
#include "core/explain/dependence.h"
#include "core/explain/importance.h"

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

/* Enters the memory context in which the core computes. */
static MemoryContext enter_fit(const KeptSource *kept)
{
    return MemoryContextSwitchTo(fit_context(CurrentMemoryContext, kept->rows));
}

static void leave_fit(KeptSource *kept, MemoryContext before)
{
    MemoryContext fit = MemoryContextSwitchTo(before);

    kept_source_end(kept);
    MemoryContextDelete(fit);
}

static Datum text_or_null(const char *text, uint32 length, bool *null)
{
    *null = text == NULL;
    return text == NULL ? (Datum)0 : PointerGetDatum(cstring_to_text_with_len(text, (int)length));
}

static Datum string_or_null(const char *text, bool *null)
{
    return text_or_null(text, text != NULL ? (uint32)strlen(text) : 0, null);
}

/* permutation_importance(model, source, target, options) */
PG_FUNCTION_INFO_V1(pgfit_permutation_importance);
PGDLLEXPORT Datum pgfit_permutation_importance(PG_FUNCTION_ARGS)
{
    TupleDesc description;
    Tuplestorestate *store = rows_begin(fcinfo, &description);
    const Options *options = options_argument(fcinfo, 3, "permutation_importance", permutation_importance_options);
    ModelRows *model = kept_source_model(PG_GETARG_DATUM(0), "permutation_importance");
    const Importance *list;
    MemoryContext before;
    KeptSource kept;
    uint32_t count;

    permutation_importance_check(model, options);
    kept = kept_source_read(model, text_to_cstring(PG_GETARG_TEXT_PP(1)), text_to_cstring(PG_GETARG_TEXT_PP(2)), options);
    before = enter_fit(&kept);
    list = permutation_importance(model, kept.rows, options, &count);
    for (uint32 i = 0; i < count; i++) {
        bool nulls[3] = {false};
        Datum values[] = {CStringGetTextDatum(list[i].feature), number_or_null(list[i].importance, &nulls[1]), number_or_null(list[i].std_error, &nulls[2])};

        CHECK_FOR_INTERRUPTS();
        tuplestore_putvalues(store, description, values, nulls);
    }
    leave_fit(&kept, before);
    return (Datum)0;
}

/* Where rows of partial_dependence go. */
typedef struct DependenceResult {
    Tuplestorestate *store;
    TupleDesc description;
    MemoryContext row;
} DependenceResult;

static void put_dependence(void *context, const DependenceRow *row)
{
    DependenceResult *result = context;
    MemoryContext before = MemoryContextSwitchTo(result->row);
    bool nulls[7];
    Datum values[7];

    values[0] = text_or_null(row->id, row->id_length, &nulls[0]);
    values[1] = number_or_null(row->value.number, &nulls[1]);
    values[2] = text_or_null(row->value.level, row->value.length, &nulls[2]);
    values[3] = number_or_null(row->by.number, &nulls[3]);
    values[4] = text_or_null(row->by.level, row->by.length, &nulls[4]);
    values[5] = string_or_null(row->class, &nulls[5]);
    values[6] = number_or_null(row->estimate, &nulls[6]);
    tuplestore_putvalues(result->store, result->description, values, nulls);
    MemoryContextSwitchTo(before);
    MemoryContextReset(result->row);
}

/* partial_dependence(model, source, feature, options) */
PG_FUNCTION_INFO_V1(pgfit_partial_dependence);
PGDLLEXPORT Datum pgfit_partial_dependence(PG_FUNCTION_ARGS)
{
    DependenceResult result = {.row = AllocSetContextCreate(CurrentMemoryContext, "pgfit curve", ALLOCSET_DEFAULT_SIZES)};
    const Options *options = options_argument(fcinfo, 3, "partial_dependence", partial_dependence_options);
    const char *feature = text_to_cstring(PG_GETARG_TEXT_PP(2));
    ModelRows *model;
    MemoryContext before;
    KeptSource kept;

    result.store = rows_begin(fcinfo, &result.description);
    model = kept_source_model(PG_GETARG_DATUM(0), "partial_dependence");
    partial_dependence_check(model, feature, options);
    kept = kept_source_read(model, text_to_cstring(PG_GETARG_TEXT_PP(1)), NULL, options);
    before = enter_fit(&kept);
    partial_dependence(model, kept.rows, feature, options, put_dependence, &result);
    leave_fit(&kept, before);
    return (Datum)0;
}

/* accumulated_effects(model, source, feature, options) */
PG_FUNCTION_INFO_V1(pgfit_accumulated_effects);
PGDLLEXPORT Datum pgfit_accumulated_effects(PG_FUNCTION_ARGS)
{
    TupleDesc description;
    Tuplestorestate *store = rows_begin(fcinfo, &description);
    const Options *options = options_argument(fcinfo, 3, "accumulated_effects", accumulated_effects_options);
    const char *feature = text_to_cstring(PG_GETARG_TEXT_PP(2));
    ModelRows *model = kept_source_model(PG_GETARG_DATUM(0), "accumulated_effects");
    const AccumulatedEffect *list;
    MemoryContext before;
    KeptSource kept;
    uint64_t count;

    accumulated_effects_check(model, feature, options);
    kept = kept_source_read(model, text_to_cstring(PG_GETARG_TEXT_PP(1)), NULL, options);
    before = enter_fit(&kept);
    list = accumulated_effects(model, kept.rows, feature, options, &count);
    for (uint64 i = 0; i < count; i++) {
        bool nulls[4];
        Datum values[] = {number_or_null(list[i].value.number, &nulls[0]), text_or_null(list[i].value.level, list[i].value.length, &nulls[1]),
                          string_or_null(list[i].class, &nulls[2]), number_or_null(list[i].effect, &nulls[3])};

        CHECK_FOR_INTERRUPTS();
        tuplestore_putvalues(store, description, values, nulls);
    }
    leave_fit(&kept, before);
    return (Datum)0;
}
