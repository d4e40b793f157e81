/*
 * conformal_fit.c - fits to one part of the rows, and conformal scores of the other part; or of each fold by a model of the other folds.
 */
#include "pg/operations/conformal_fit.h"
#include "pg/aggregate/aggregate.h"
#include "pg/operations/json_options.h"
#include "core/calibration/conformal_scores.h"

#include <math.h>

#include "executor/spi.h"
#include "utils/builtins.h"

#define SIZE_SHARE 0.5 /* of the rows that are held out: they fit the regression of the residual */

static void __attribute__((noreturn)) fail_option(const char *problem, const char *hint)
{
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("option \"conformal\" %s", problem), errhint("%s", hint)));
}

/* ---- options ---- */

/* Returns the object of the option: true stands for {}, a number for {"share": number}; NULL: there is none. */
static Jsonb *option_object(Jsonb *options)
{
    JsonbValue value;

    if (!json_options_value(options, "conformal", &value) || value.type == jbvNull || (value.type == jbvBool && !value.val.boolean))
        return NULL;
    if (value.type == jbvBool)
        return json_options_parse("{}");
    if (value.type == jbvNumeric)
        return json_options_parse(psprintf("{\"share\": %s}", json_options_double(json_options_number(options, "conformal", 0))));
    if (value.type != jbvBinary || !JsonContainerIsObject(value.val.binary.data))
        fail_option("must be an object, a share of the rows, or true", "Write {\"method\": \"split\", \"share\": 0.2}, or {\"method\": \"cv+\", \"folds\": 5}.");
    return JsonbValueToJsonb(&value);
}

/* Returns the options of conformalize among these, as JSON. */
static char *scores_options(const Options *options)
{
    static const char *const names[] = {"by_class", "group", "score"};
    StringInfoData json;

    initStringInfo(&json);
    for (size_t i = 0; i < lengthof(names); i++)
        if (options_given(options, names[i]))
            appendStringInfo(&json, "%s\"%s\": %s", json.len > 0 ? ", " : "", names[i], options_value_json(options, names[i]));
    return psprintf("{%s}", json.data);
}

/* Fails for options that do not go together. */
static void require_together(const FitQuery *query, const Options *options, bool folds)
{
    bool classifier = query->estimator->task == TASK_CLASSIFICATION;

    if (query->target < 0 || (!classifier && query->estimator->task != TASK_REGRESSION))
        fail_option(psprintf("does not apply to %s", query->estimator->name), "It is for regressions and classifiers.");
    if (query->weight >= 0)
        fail_option("does not go with \"weight\"", "Leave one out: rows that are held out count once each, in pgfit.conformalize(model, target, features) too.");
    if (folds ? options_given(options, "share") : options_given(options, "folds"))
        fail_option(folds ? "has \"share\", and its method is cv+" : "has \"folds\", and its method is split", folds ? "Give \"folds\"." : "Give \"share\", or \"method\": \"cv+\".");
    if (options_given(options, "normalize") && (folds || classifier))
        fail_option(psprintf("has \"normalize\", and %s", folds ? "its method is cv+" : "the method predicts classes"), folds ? "Give \"method\": \"split\"." : "Leave it out.");
    for (int i = 0; !classifier && i < 2; i++)
        if (options_given(options, i == 0 ? "by_class" : "score"))
            fail_option(psprintf("has \"%s\", and %s predicts numbers", i == 0 ? "by_class" : "score", query->estimator->name), "Leave it out.");
}

/* Reads the regression of the residual, and what follows the target in its call. */
static void take_normalize(ConformalFit *fit, const FitQuery *query, const Options *options, Jsonb *reads)
{
    Jsonb *given = json_options_parse("{}");
    const char *name = options_string(options, "normalize");
    const Estimator *estimator;

    if (name == NULL) {
        Jsonb *object = json_options_parse(options_value_json(options, "normalize"));
        JsonbIterator *iterator = JsonbIteratorInit(&object->root);
        JsonbValue key, value;

        if (JB_ROOT_COUNT(object) != 1)
            fail_option("has \"normalize\", which names not one regression", "Write \"forest_regression\", or {\"forest_regression\": {\"n_trees\": 50}}.");
        (void)JsonbIteratorNext(&iterator, &key, true); /* the object begins */
        (void)JsonbIteratorNext(&iterator, &key, true);
        (void)JsonbIteratorNext(&iterator, &value, true);
        name = pnstrdup(key.val.string.val, key.val.string.len);
        given = JsonbValueToJsonb(&value);
        json_options_require_object(given);
    }
    estimator = fit_estimator(name);
    if (estimator->task != TASK_REGRESSION || !estimator->supervised || estimator->scoring == NULL || estimator->scoring->predict == NULL)
        fail_option(psprintf("has \"normalize\": \"%s\", which is no regression", estimator->name), "Name one that predicts numbers, such as forest_regression.");
    fit->normalize = estimator->name;
    fit->normalize_arguments = psprintf("%s, %s", query->source->alias, quote_literal_cstr(json_options_text(json_options_join(reads, given))));
}

ConformalFit *conformal_fit_take(const FitQuery *query, Jsonb **options, Jsonb *reads)
{
    Jsonb *object = option_object(*options);
    ConformalFit *fit;
    char *json;
    const Options *read;

    *options = json_options_without(*options, "conformal");
    if (object == NULL)
        return NULL;
    json = json_options_text(object);
    read = options_parse(host_env(), "conformal", OPTION_TABLES(conformal_options, conformal_fit_options), json, strlen(json), NULL, NULL, 0);
    fit = palloc0(sizeof(ConformalFit));
    fit->folds = options_is(read, "method", "cv+");
    require_together(query, read, fit->folds);
    fit->fold_count = options_integer(read, "folds");
    fit->seed = options_integer(read, "seed");
    fit->share = options_number(read, "share");
    fit->key = options_given(read, "key") ? source_column(query->source, "key of the conformal scores", options_string(read, "key")) : -1;
    if (options_given(read, "group"))
        (void)source_column(query->source, "group of the conformal scores", options_string(read, "group"));
    fit->options = scores_options(read);
    if (options_given(read, "normalize"))
        take_normalize(fit, query, read, reads);
    return fit;
}

/* ---- rows ---- */

static const char *both(const char *condition, const char *other)
{
    return condition == NULL ? other : psprintf("(%s) AND %s", condition, other);
}

static const char *key_sql(const FitQuery *query)
{
    return query->conformal->key >= 0 ? source_column_sql(query->source, query->conformal->key) : query->source->alias;
}

/* Returns the condition of the share of rows that split fits. more: added to the seed. */
static char *split_sql(const FitQuery *query, double share, int64 more)
{
    return psprintf("pgfit.split(%s, %s, " INT64_FORMAT ")", key_sql(query), json_options_double(share), query->conformal->seed + more);
}

/* Returns the condition of the rows of a fold, which is compared by an operator. */
static char *fold_sql(const FitQuery *query, const char *operator, const char *fold)
{
    return psprintf("pgfit.fold(%s, " INT64_FORMAT ", " INT64_FORMAT ") OPERATOR(pg_catalog.%s) %s", key_sql(query), query->conformal->fold_count,
                    query->conformal->seed, operator, fold);
}

/* Returns the query that gives the model $1 the scores of rows. */
static char *scores_sql(const FitQuery *query, const char *condition)
{
    const char *options = query->conformal->options;

    return psprintf("SELECT pgfit.conformalize($1, %s, %s%s)\nFROM %s AS %s\nWHERE %s", source_column_sql(query->source, query->target), query->source->alias,
                    strcmp(options, "{}") == 0 ? "" : psprintf(", %s", quote_literal_cstr(options)), query->source->from, query->source->alias, condition);
}

/* Returns the query of the regression of the absolute residual of the model $1, and of the mean. */
static char *size_sql(const FitQuery *query, const char *condition)
{
    char *residual = psprintf("pg_catalog.abs(%s OPERATOR(pg_catalog.-) pgfit.predict($1, %s))", source_number_sql(query->source, "target", query->target),
                              query->source->alias);

    return psprintf("SELECT pgfit.%s(%s, %s), pg_catalog.avg(%s)\nFROM %s AS %s\nWHERE %s", query->conformal->normalize, residual,
                    query->conformal->normalize_arguments, residual, query->source->from, query->source->alias, condition);
}

/* Returns the bare fit: that of the model itself. */
static FitQuery bare_query(const FitQuery *query)
{
    FitQuery bare = *query;

    bare.conformal = NULL;
    bare.summary = SUMMARY_NONE;
    return bare;
}

char *conformal_fit_text(const FitQuery *query, const char *condition)
{
    FitQuery bare = bare_query(query);
    const char *fitted, *held_out;

    if (query->conformal->folds)
        return psprintf("%s;\n-- for each fold $2, 1 to " INT64_FORMAT ", a model of the other rows\n%s;\n-- becomes $1\n%s", fit_query_text(&bare, condition),
                        query->conformal->fold_count, fit_query_text(&bare, both(condition, fold_sql(query, "<>", "$2"))),
                        scores_sql(query, both(condition, fold_sql(query, "=", "$2"))));
    fitted = split_sql(query, 1 - query->conformal->share, 0);
    held_out = both(condition, psprintf("NOT %s", fitted));
    if (query->conformal->normalize == NULL)
        return psprintf("%s;\n-- becomes $1\n%s", fit_query_text(&bare, both(condition, fitted)), scores_sql(query, held_out));
    return psprintf("%s;\n-- becomes $1, and joins the model of its residual\n%s;\n-- before the scores\n%s", fit_query_text(&bare, both(condition, fitted)),
                    size_sql(query, both(held_out, split_sql(query, SIZE_SHARE, 1))),
                    scores_sql(query, both(held_out, psprintf("NOT %s", split_sql(query, SIZE_SHARE, 1)))));
}

/* ---- fits ---- */

static void __attribute__((noreturn)) fail_no_rows(const char *which)
{
    ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION), errmsg("%s for the conformal scores", which),
                    errhint("Hold out a larger share, make fewer folds, or give \"conformal\" another \"seed\".")));
}

/* Runs a query of the model $1. Returns the model that it makes; NULL: it makes none. mean: receives the second column; NULL: there is none. */
static Model *run_with(const char *sql, const Model *model, double *mean)
{
    Datum value = model_datum(model_copy(model)), result;
    Oid type = model_type_oid();
    bool isnull, missing;
    Model *made;

    if (SPI_execute_with_args(sql, 1, &type, &value, NULL, true, 0) != SPI_OK_SELECT || SPI_processed != 1)
        elog(ERROR, "a query of conformal scores returned " UINT64_FORMAT " rows", SPI_processed);
    result = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull);
    if (mean != NULL)
        *mean = DatumGetFloat8(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 2, &missing));
    made = isnull ? NULL : model_kept(result);
    SPI_freetuptable(SPI_tuptable);
    return made;
}

/* Gives a model the scores of rows. */
static Model *with_scores(const FitQuery *query, const Model *model, const char *condition)
{
    Model *scored = run_with(scores_sql(query, condition), model, NULL);

    if (scored == NULL)
        fail_no_rows("no row was held out");
    return scored;
}

static Model *run_split(const FitQuery *query, const char *condition)
{
    FitQuery bare = bare_query(query);
    char *fitted = split_sql(query, 1 - query->conformal->share, 0);
    const char *held_out = both(condition, psprintf("NOT %s", fitted));
    Model *model = fit_query_run(&bare, both(condition, fitted)), *size;
    double mean;

    if (model == NULL)
        return NULL;
    if (query->conformal->normalize != NULL) {
        size = run_with(size_sql(query, both(held_out, split_sql(query, SIZE_SHARE, 1))), model, &mean);
        if (size == NULL)
            fail_no_rows("no row was held out to fit the residual");
        model = conformal_with_size(host_env(), model, size, mean);
        held_out = both(held_out, psprintf("NOT %s", split_sql(query, SIZE_SHARE, 1)));
    }
    return with_scores(query, model, held_out);
}

static Model *run_folds(const FitQuery *query, const char *condition)
{
    FitQuery bare = bare_query(query);
    uint32 count = (uint32)query->conformal->fold_count;
    const Model **folds = palloc(count * sizeof(Model *));
    Model *model = fit_query_run(&bare, condition), *fold;

    if (model == NULL)
        return NULL;
    for (uint32 k = 0; k < count; k++) {
        fold = fit_query_run(&bare, both(condition, fold_sql(query, "<>", psprintf("%u", k + 1))));
        if (fold == NULL)
            return NULL;
        folds[k] = run_with(scores_sql(query, both(condition, fold_sql(query, "=", psprintf("%u", k + 1)))), fold, NULL);
        if (folds[k] == NULL)
            fail_no_rows(psprintf("fold %u has no rows", k + 1));
    }
    return conformal_join(host_env(), model, folds, count);
}

Model *conformal_fit_run(const FitQuery *query, const char *condition)
{
    Model *model = query->conformal->folds ? run_folds(query, condition) : run_split(query, condition);

    if (model != NULL) {
        conformal_warn_of_few(host_env(), model);
        (void)model_datum(model); /* sets the length word: the value may be passed on as it is */
    }
    return model;
}
