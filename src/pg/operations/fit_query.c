/*
 * fit_query.c - writes and runs the query of a fit. What an estimator takes is read from its descriptor.
 */
#include "pg/operations/drift.h"
#include "pg/operations/fit_query.h"
#include "pg/operations/fit_call.h"
#include "pg/operations/json_options.h"
#include "pg/operations/passes.h"
#include "core/formula/formula.h"

#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

/* ---- the formula ---- */

/* Two sides of a formula, without the spaces around them. target: NULL without a ~. */
typedef struct Sides {
    const char *target, *features;
    size_t target_length, features_length;
} Sides;

static Sides split_formula(const char *formula)
{
    Sides sides = {.features_length = strlen(formula)};

    sides.features = formula_sides(formula, &sides.features_length, &sides.target, &sides.target_length);
    return sides;
}

/* Finds the target that the left side names. */
static int find_target(const Estimator *estimator, const Source *source, const Sides *sides)
{
    const char *what = estimator->task == TASK_REGRESSION ? "target" : "label";

    if (estimator->supervised && sides->target_length > 0)
        return source_column_written(source, what, sides->target, sides->target_length);
    if (estimator->supervised)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("the formula of %s names no %s", estimator->name, what),
                        errhint("Write it left of a ~, as in 'price ~ carat + cut', or 'price ~ .' for all other columns.")));
    if (sides->target_length > 0)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("%s has no target, but the formula has \"%s\" left of the ~", estimator->name,
                               pnstrdup(sides->target, sides->target_length)),
                        errhint("Write '~ a + b'%s.", estimator->identified ? ", and name the id in the options: {\"id\": \"column\"}" : "")));
    return -1;
}

/* ---- columns as arguments ---- */

/* Returns the column that an option of fit names, and takes the option out of the others; -1: there is no such option. */
static int take_column(Jsonb **options, const Source *source, const char *use)
{
    char *name = json_options_string(*options, use);

    if (name == NULL)
        return -1;
    *options = json_options_without(*options, use);
    return source_column(source, use, name);
}

static int find_id(const Estimator *estimator, const Source *source, Jsonb **options)
{
    int id = take_column(options, source, "id");

    if (estimator->identified && id < 0)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s needs to know which column identifies a row", estimator->name),
                        errhint("Name it in the options: {\"id\": \"column\"}.")));
    if (!estimator->identified && id >= 0)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s takes no id", estimator->name),
                        errhint("Leave \"id\" out of the options.")));
    return id;
}

void fit_require_names(const Estimator *estimator, Jsonb *options, const char *const *own, uint32 count)
{
    uint32_t listed;
    const OptionSpec **list = option_list(host_env(), estimator->options, &listed);
    const char **names = palloc((count + listed) * sizeof *names), *note;
    JsonbIterator *keys = JsonbIteratorInit(&options->root);
    JsonbValue key;
    JsonbIteratorToken token;

    memcpy(names, own, count * sizeof *names);
    for (uint32 i = 0; i < listed; i++)
        names[count + i] = list[i]->name;
    while ((token = JsonbIteratorNext(&keys, &key, true)) != WJB_DONE) {
        const char *name = token == WJB_KEY ? pnstrdup(key.val.string.val, key.val.string.len) : NULL;
        const char *meant = name != NULL && option_find(estimator->options, name) == NULL ? option_meant(name, strlen(name), names, count + listed, &note) : NULL;

        for (uint32 i = 0; meant != NULL && i < count; i++)
            if (meant == own[i])
                ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s has no option \"%s\"", estimator->name, name),
                                errhint("Did you mean \"%s\"?", meant)));
    }
}

/* ---- features ---- */

/* Returns a formula as an option, with the name of the target, from which the model has it. target: a column; -1: none. */
static Jsonb *formula_option(const Source *source, int target, const char *features)
{
    char *name = target >= 0 ? formula_name(host_env(), NameStr(TupleDescAttr(source->columns, target)->attname)) : NULL;
    StringInfoData json;

    initStringInfo(&json);
    json_options_quote(&json, "{\"formula\": ", name != NULL ? psprintf("%s ~ %s", name, features) : features);
    appendStringInfoChar(&json, '}');
    return json_options_parse(json.data);
}

/*
 * Adds the formula to the options of the estimator. Where it has no right side and the options name no features, all columns but the target are
 * features.
 */
static Jsonb *with_features(const Sides *sides, Jsonb *options, const Source *source, int target)
{
    char *formula = json_options_string_or_null(options, "formula");
    bool given = json_options_has(options, "formula") || json_options_has(options, "features");

    if (given && sides->features_length > 0)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("the features are given twice, by the formula and by the options"),
                        errhint("Write only the target in the formula, as in 'price ~', or leave the option out.")));
    if (formula != NULL && split_formula(formula).target_length == 0)
        return json_options_join(options, formula_option(source, target, split_formula(formula).features));
    if (given)
        return options;
    return json_options_join(options, formula_option(source, target, sides->features_length == 0 ? "." : pnstrdup(sides->features, sides->features_length)));
}

/* ---- the query ---- */

static const Estimator *find_estimator(const char *name)
{
    const Estimator *estimator = estimator_find(name);
    const char *names[256], *nearest;
    uint32_t count = 0;

    if (estimator != NULL && estimator->fit != NULL)
        return estimator;
    for (const Estimator *const *e = estimators; *e != NULL && count < lengthof(names); e++)
        if ((*e)->fit != NULL)
            names[count++] = (*e)->name;
    nearest = nearest_method(name, strlen(name), names, count);
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("there is no estimator \"%s\" to fit", name),
                    nearest != NULL ? errhint("Did you mean \"%s\"? Estimators are %s.", nearest, estimator_names(host_env()))
                                    : errhint("Estimators are %s.", estimator_names(host_env()))));
}

/* Returns the options as an argument: a formula alone as it is, else an object; NULL where there are none. */
static char *options_argument(Jsonb *options)
{
    char *formula = JsonContainerSize(&options->root) == 1 ? json_options_string_or_null(options, "formula") : NULL;

    if (JsonContainerSize(&options->root) == 0)
        return NULL;
    if (formula != NULL && formula[strspn(formula, " \t\r\n")] != '{')
        return quote_literal_cstr(formula);
    return quote_literal_cstr(json_options_text(options));
}

/* ---- distributed tables ---- */

/* Is this what an aggregate of pgfit_distributed splits? It takes moments then, and has no rows to keep. */
static bool is_split(const FitQuery *query)
{
    return query->estimator->input != INPUT_ROWS;
}

/* ---- a call ---- */

FitQuery *fit_query(const char *estimator, Source *source, const char *formula, Jsonb *options)
{
    static const char *const own[] = {"weight", "id", "summary", "distributed"};
    FitQuery *query = palloc0(sizeof(FitQuery));
    Sides sides = split_formula(formula != NULL ? formula : "");
    StringInfoData arguments;
    char *argument, *failure;
    bool distributed;

    query->estimator = find_estimator(estimator);
    query->source = source;
    json_options_require_object(options);
    query->target = find_target(query->estimator, source, &sides);
    distributed = json_options_boolean(options, "distributed", source_is_distributed(source));
    options = json_options_without(options, "distributed");
    query->weight = take_column(&options, source, "weight");
    if (query->weight >= 0)
        source_require_number(source, "weight", query->weight);
    query->id = find_id(query->estimator, source, &options);
    if (json_options_has(options, "summary"))
        query->summary = json_options_boolean(options, "summary", false) ? SUMMARY_KEPT : SUMMARY_NONE;
    options = json_options_without(options, "summary");
    fit_require_names(query->estimator, options, own, lengthof(own));
    query->passes = passes_take(query->estimator, &options);
    query->distributed = distributed && (query->passes != NULL || is_split(query));
    options = with_features(&sides, options, source, query->target);
    failure = json_options_string_or_null(options, "on_failure");
    query->null_on_failure = failure != NULL && strcmp(failure, "null") == 0;
    query->options = json_options_text(options);
    if (query->passes != NULL)
        passes_read(query->passes, query);

    initStringInfo(&arguments);
    if (query->target >= 0 || query->id >= 0)
        appendStringInfo(&arguments, "%s, ", source_column_sql(source, query->target >= 0 ? query->target : query->id));
    appendStringInfoString(&arguments, source->alias);
    argument = options_argument(options);
    if (argument != NULL || query->weight >= 0)
        appendStringInfo(&arguments, ", %s", argument != NULL ? argument : "'{}'");
    if (query->weight >= 0)
        appendStringInfo(&arguments, ", %s", source_column_sql(source, query->weight));
    query->arguments = query->distributed ? fit_typed_arguments(query, query->target >= 0, argument) : arguments.data;
    return query;
}

char *fit_query_text(const FitQuery *query, const char *condition)
{
    if (query->passes != NULL)
        return passes_text(query, condition);
    return psprintf("SELECT %s.%s(%s)\nFROM %s AS %s%s%s", query->distributed ? "pgfit_distributed" : "pgfit", query->estimator->name, query->arguments, query->source->from,
                    query->source->alias, condition != NULL ? "\nWHERE " : "", condition != NULL ? condition : "");
}

/* Fails because no row could be used; says how many there were. */
static void __attribute__((noreturn)) fail_no_rows(const FitQuery *query, const char *condition)
{
    bool isnull;
    int64 rows;

    SPI_execute(psprintf("SELECT pg_catalog.count(*) FROM %s AS %s%s%s", query->source->from, query->source->alias,
                         condition != NULL ? "\nWHERE " : "", condition != NULL ? condition : ""),
                true, 0);
    rows = DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
    if (rows == 0)
        ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION), errmsg("the source of %s returns no rows", query->estimator->name),
                        errhint("Check the query, or its condition.")));
    ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION),
                    errmsg("none of the " INT64_FORMAT " rows of the source can be used by %s", rows, query->estimator->name),
                    errhint("Each has a NULL or weight 0; see option \"nulls\".")));
}

Model *fit_query_run(const FitQuery *query, const char *condition)
{
    Model *model;
    Datum value;
    bool isnull;

    if (query->passes != NULL) {
        model = passes_run(query, condition);
        if (model == NULL)
            fail_no_rows(query, condition);
        return query->summary == SUMMARY_KEPT ? model_keep_summary(query, condition, model) : model;
    }
    /* SPI_execute plans for parallel workers, as no limit of rows is given */
    if (SPI_execute(fit_query_text(query, condition), true, 0) != SPI_OK_SELECT || SPI_processed != 1)
        elog(ERROR, "the query of a fit returned " UINT64_FORMAT " rows", SPI_processed);
    value = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull);
    if (isnull && query->null_on_failure)
        return NULL;
    if (isnull)
        fail_no_rows(query, condition);
    model = model_kept(value);
    SPI_freetuptable(SPI_tuptable);
    if (query->summary == SUMMARY_KEPT)
        model = model_keep_summary(query, condition, model);
    return model;
}
