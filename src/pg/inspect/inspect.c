/*
 * inspect.c - what a model holds as text, jsonb and arrays, one model of a path, the test of nested models, and the lists of estimators and options.
 */
#include "pg/aggregate/aggregate.h"
#include "pg/type/result_rows.h"
#include "core/inspection/model_info.h"
#include "core/inspection/model_tables.h"
#include "core/inspection/nested_test.h"
#include "core/linear_equations/linear_path_model.h"
#include "core/exchange/exchange.h"
#include "core/function_options.h"
#include "core/estimator/conformal.h"
#include "core/normal/covariance_shrinkage.h"
#include "core/prepare/pipeline.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/jsonb.h"

/* ---- text and jsonb ---- */

PG_FUNCTION_INFO_V1(pgfit_summary);
PGDLLEXPORT Datum pgfit_summary(PG_FUNCTION_ARGS)
{
    return CStringGetTextDatum(describe_summary(host_env(), PG_GETARG_SOUND_MODEL(0)));
}

PG_FUNCTION_INFO_V1(pgfit_info);
PGDLLEXPORT Datum pgfit_info(PG_FUNCTION_ARGS)
{
    char *json = describe_info(host_env(), PG_GETARG_SOUND_MODEL(0));

    return DirectFunctionCall1(jsonb_in, CStringGetDatum(json));
}

PG_FUNCTION_INFO_V1(pgfit_to_sql);
PGDLLEXPORT Datum pgfit_to_sql(PG_FUNCTION_ARGS)
{
    return CStringGetTextDatum(model_sql(host_env(), PG_GETARG_SOUND_MODEL(0)));
}

/* ---- stored arrays ---- */

/* Returns the names of the stored arrays: "coefficients, factor". */
static char *array_names(const Model *model)
{
    StringInfoData names;

    initStringInfo(&names);
    for (uint32_t i = 0; i < model->entry_count; i++) {
        const ModelEntry *entry = &model_entries(model)[i];
        char name[MODEL_NAME_SIZE];

        if (entry->section != SECTION_ARRAYS)
            continue;
        model_array_name(model, entry, name);
        appendStringInfo(&names, "%s%s", names.len > 0 ? ", " : "", name);
    }
    return names.data;
}

static const ModelEntry *find_array(const Model *model, const char *name, uint32_t *order)
{
    const ModelEntry *entry = model_find_array(model, name, order);

    if (entry == NULL)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("the model has no array \"%s\"", name),
                        errhint("Its arrays are %s.", array_names(model))));
    if (entry->type == ARRAY_TEXT)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("the array \"%s\" holds text", name),
                        errhint("Read it from model::jsonb.")));
    return entry;
}

/* Expands a symmetric matrix from its upper triangle, stored by columns. */
static void unpack(const double *packed, uint32_t order, double *out)
{
    for (size_t j = 0; j < order; j++) {
        CHECK_FOR_INTERRUPTS();
        for (size_t i = 0; i <= j; i++)
            out[i * order + j] = out[j * order + i] = *packed++;
    }
}

/* Adds the pending rows of moments to their means and sums, so that arrays can be read. */
static const Model *flush_pending(const Model *model)
{
    if (model->kind == MODEL_FITTED || model->pending_rows == 0)
        return model;
    return moments_flush(host_env(), model_copy(model));
}

PG_FUNCTION_INFO_V1(pgfit_parameter);
PGDLLEXPORT Datum pgfit_parameter(PG_FUNCTION_ARGS)
{
    const Model *model = flush_pending(pipeline_last(host_env(), PG_GETARG_SOUND_MODEL(0)));
    uint32_t order;
    const ModelEntry *entry = find_array(model, text_to_cstring(PG_GETARG_TEXT_PP(1)), &order);
    const void *data = model_data(model, entry);
    uint32_t rows = order > 0 ? order : model_rows(model, entry);
    uint32_t columns = order > 0 ? order : entry->columns;
    uint64_t count = (uint64_t)rows * columns;
    double *out;
    Datum array;

    if (count == 0)
        return PointerGetDatum(construct_empty_array(FLOAT8OID));
    array = order > 0 || entry->dimensions == 2 ? float8_array(rows, columns, &out) : float8_array((uint32_t)count, 0, &out);
    if (order > 0)
        unpack(data, order, out);
    else if (entry->type == ARRAY_F64)
        memcpy(out, data, count * sizeof(double));
    else
        for (uint64_t i = 0; i < count; i++)
            out[i] = model_number(model, entry, i);
    return array;
}

/* ---- paths and nested models ---- */

/* at_lambda(model, lambda) */
PG_FUNCTION_INFO_V1(pgfit_at_lambda);
PGDLLEXPORT Datum pgfit_at_lambda(PG_FUNCTION_ARGS)
{
    const Model *whole = conformal_strip(host_env(), PG_GETARG_SOUND_MODEL(0)), *model = pipeline_last(host_env(), whole);

    if (table_of(model, "lambda_path") == NULL)
        env_fail(host_env(), ERROR_KIND, "Fit one with pgfit.lasso_regression, elastic_net, ridge_regression or logistic_regression.",
                 "at_lambda needs a model with a lambda, not %s",
                 model->kind != MODEL_FITTED ? "moments" : psprintf("one of %s", model->estimator));
    PG_RETURN_MODEL(pipeline_with_last(host_env(), whole, linear_path_at(host_env(), model, PG_GETARG_FLOAT8(1))));
}

/* anova(smaller, larger) */
PG_FUNCTION_INFO_V1(pgfit_anova);
PGDLLEXPORT Datum pgfit_anova(PG_FUNCTION_ARGS)
{
    NestedTest test = nested_test(host_env(), PG_GETARG_SOUND_MODEL(0), PG_GETARG_SOUND_MODEL(1));
    TupleDesc description;
    ResultRow row = {0};

    row_add_text(&row, test.test);
    row_add_number(&row, test.statistic);
    row_add_number(&row, test.df);
    row_add_number(&row, test.df_residual);
    row_add_number(&row, test.p_value);
    if (get_call_result_type(fcinfo, NULL, &description) != TYPEFUNC_COMPOSITE || description->natts != row.count)
        elog(ERROR, "anova has a wrong declaration");
    return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(description), row.values, row.nulls));
}

/* ---- estimators and their options ---- */

PG_FUNCTION_INFO_V1(pgfit_estimators);
PGDLLEXPORT Datum pgfit_estimators(PG_FUNCTION_ARGS)
{
    TupleDesc description;
    Tuplestorestate *store = rows_begin(fcinfo, &description);

    for (const Estimator *const *e = estimators; *e != NULL; e++) {
        ResultRow row = {0};
        Datum *names;
        uint32_t options;
        const OptionSpec **specs = option_list(host_env(), (*e)->options, &options);
        int count = 0;

        if ((*e)->fit == NULL) /* made from models, not from rows */
            continue;
        names = palloc(sizeof(Datum) * (options + 1));
        for (uint32_t i = 0; i < options; i++)
            if (!option_is_common(specs[i]))
                names[count++] = CStringGetTextDatum(specs[i]->name);
        row_add_text(&row, (*e)->name);
        row_add_text(&row, task_name((*e)->task));
        row_add_text(&row, input_kind_name((*e)->input));
        row_add(&row, PointerGetDatum(construct_array(names, count, TEXTOID, -1, false, TYPALIGN_INT)), false);
        row_add_text(&row, (*e)->help ? (*e)->help : "");
        row_add_text(&row, (*e)->source ? (*e)->source : "");
        tuplestore_putvalues(store, description, row.values, row.nulls);
    }
    return (Datum)0;
}

PG_FUNCTION_INFO_V1(pgfit_declared_arrays);
PGDLLEXPORT Datum pgfit_declared_arrays(PG_FUNCTION_ARGS)
{
    Env *env = host_env();
    TupleDesc description;
    Tuplestorestate *store = rows_begin(fcinfo, &description);

    for (const Estimator *const *e = estimators; *e != NULL; e++)
        for (const ArrayTable *table = (*e)->arrays; table != NULL && table->specs != NULL; table++)
            for (uint32_t i = 0; i < table->count; i++) {
                const ArraySpec *spec = &table->specs[i];
                bool nulls[6] = {false};
                Datum values[] = {CStringGetTextDatum((*e)->name),
                                  CStringGetTextDatum(spec->name),
                                  CStringGetTextDatum(psprintf("%s%s", array_type_name(spec->type), spec->narrow ? " or narrower" : "")),
                                  CStringGetTextDatum(array_spec_shape(env, spec)),
                                  CStringGetTextDatum(table->facts ? "fact" : array_spec_presence(env, table, spec)),
                                  CStringGetTextDatum(array_spec_values(env, spec))};

                tuplestore_putvalues(store, description, values, nulls);
            }
    return (Datum)0;
}

static void put_options(Tuplestorestate *store, TupleDesc description, const OptionSpec *const *tables, bool common)
{
    Env *env = host_env();
    uint32_t count;
    const OptionSpec **specs = option_list(env, tables, &count);

    for (uint32_t i = 0; i < count; i++) {
        const OptionSpec *spec = specs[i];
        const char *range = option_range_text(env, spec);
        ResultRow row = {0};

        if (option_is_common(spec) != common)
            continue;
        row_add_text(&row, spec->name);
        row_add_text(&row, option_type_text(env, spec));
        row_add_text(&row, option_default_text(env, spec));
        row_add_text(&row, range[0] != 0 ? range : NULL);
        row_add_text(&row, spec->help ? spec->help : "");
        tuplestore_putvalues(store, description, row.values, row.nulls);
    }
}

/* Returns the tables of options of what pgfit.options knows by this name, or NULL. */
static const OptionSpec *const *options_of(const char *name)
{
    const Estimator *estimator = estimator_find(name);
    const OptionSpec *const *other = other_options_find(name);

    if (estimator != NULL)
        return estimator->options;
    if (other != NULL)
        return other;
    if (strcmp(name, input_kind_name(INPUT_MOMENTS)) == 0)
        return moments_options;
    if (strcmp(name, input_kind_name(INPUT_CLASS_MOMENTS)) == 0 ||
        strcmp(name, input_kind_name(INPUT_FEATURE_MOMENTS)) == 0)
        return fourth_moments_options;
    return NULL;
}

PG_FUNCTION_INFO_V1(pgfit_has_options);
PGDLLEXPORT Datum pgfit_has_options(PG_FUNCTION_ARGS)
{
    const char *name = text_to_cstring(PG_GETARG_TEXT_PP(0));
    bool has = options_of(name) != NULL;

    if (!has && !PG_GETARG_BOOL(1))
        fail_estimator(name, "method or function", false);
    PG_RETURN_BOOL(has);
}

PG_FUNCTION_INFO_V1(pgfit_options);
PGDLLEXPORT Datum pgfit_options(PG_FUNCTION_ARGS)
{
    char *name = text_to_cstring(PG_GETARG_TEXT_PP(0));
    const OptionSpec *const *tables = options_of(name);
    TupleDesc description;
    Tuplestorestate *store;

    if (tables == NULL)
        fail_estimator(name, "estimator", false);
    store = rows_begin(fcinfo, &description);
    put_options(store, description, tables, false); /* its own first */
    put_options(store, description, tables, true);
    return (Datum)0;
}
