/*
 * conformal_fit.c - fits to one part of the rows, and conformal scores of the other part; or of each fold by a model of the other folds.
 */
#include "pg/operations/conformal_fit.h"
#include "pg/operations/drift.h"
#include "pg/operations/evaluation.h"
#include "pg/type/json_options.h"
#include "core/calibration/conformal_scores.h"

#include "executor/spi.h"
#include "utils/builtins.h"

#define SIZE_SHARE 0.5 /* of the rows that are held out: they fit the regression of the residual */

/* ---- rows ---- */

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

/* Returns the options of the regression of the residual of a model. It has the features of the model, unless they name others. */
static char *size_options(const FitQuery *query, const Model *model)
{
    Jsonb *options = query->conformal->normalize_options;
    char *names = model != NULL && !json_options_has(options, "formula") && !json_options_has(options, "features") ? summary_names(query, model) : NULL;

    if (names != NULL)
        options = json_options_join(options, json_options_parse(psprintf("{\"features\": %s}", names)));
    return quote_literal_cstr(json_options_text(options));
}

/* Returns the query of the regression of the absolute residual of the model $1, and of the mean. model: NULL for a text without its features. */
static char *size_sql(const FitQuery *query, const Model *model, const char *condition)
{
    char *residual = psprintf("pg_catalog.abs(%s OPERATOR(pg_catalog.-) pgfit.predict($1, %s))", source_number_sql(query->source, "target", query->target),
                              query->source->alias);

    return psprintf("SELECT pgfit.%s(%s, %s, %s), pg_catalog.avg(%s)\nFROM %s AS %s\nWHERE %s", query->conformal->normalize, residual, query->source->alias,
                    size_options(query, model), residual, query->source->from, query->source->alias, condition);
}

/* Returns the bare fit: that of the model itself. */
static FitQuery bare_query(const FitQuery *query)
{
    FitQuery bare = *query;

    bare.conformal = NULL;
    bare.summary = SUMMARY_NONE;
    return bare;
}

char *fit_text(const FitQuery *query, const char *condition)
{
    FitQuery bare = bare_query(query);
    const char *fitted, *held_out;

    if (query->conformal == NULL)
        return fit_query_text(query, condition);
    if (query->conformal->folds)
        return psprintf("%s;\n-- for each fold $2, 1 to " INT64_FORMAT ", a model of the other rows\n%s;\n-- becomes $1\n%s", fit_query_text(&bare, condition),
                        query->conformal->fold_count, fit_query_text(&bare, both_conditions(condition, fold_sql(query, "<>", "$2"))),
                        scores_sql(query, both_conditions(condition, fold_sql(query, "=", "$2"))));
    fitted = split_sql(query, 1 - query->conformal->share, 0);
    held_out = both_conditions(condition, psprintf("NOT %s", fitted));
    if (query->conformal->normalize == NULL)
        return psprintf("%s;\n-- becomes $1\n%s", fit_query_text(&bare, both_conditions(condition, fitted)), scores_sql(query, held_out));
    return psprintf("%s;\n-- becomes $1; a model of its residual, over the columns that it reads\n%s;\n-- joins $1\n%s", fit_query_text(&bare, both_conditions(condition, fitted)),
                    size_sql(query, NULL, both_conditions(held_out, split_sql(query, SIZE_SHARE, 1))),
                    scores_sql(query, both_conditions(held_out, psprintf("NOT %s", split_sql(query, SIZE_SHARE, 1)))));
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
    const char *held_out = both_conditions(condition, psprintf("NOT %s", fitted));
    Model *model = fit_query_run(&bare, both_conditions(condition, fitted)), *size;
    double mean;

    if (model == NULL)
        return NULL;
    if (query->conformal->normalize != NULL) {
        size = run_with(size_sql(query, model, both_conditions(held_out, split_sql(query, SIZE_SHARE, 1))), model, &mean);
        if (size == NULL)
            fail_no_rows("no row was held out to fit the residual");
        model = conformal_with_size(host_env(), model, size, mean);
        held_out = both_conditions(held_out, psprintf("NOT %s", split_sql(query, SIZE_SHARE, 1)));
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
        fold = fit_query_run(&bare, both_conditions(condition, fold_sql(query, "<>", psprintf("%u", k + 1))));
        if (fold == NULL)
            return NULL;
        folds[k] = run_with(scores_sql(query, both_conditions(condition, fold_sql(query, "=", psprintf("%u", k + 1)))), fold, NULL);
        if (folds[k] == NULL)
            fail_no_rows(psprintf("fold %u has no rows", k + 1));
    }
    return conformal_join(host_env(), model, folds, count);
}

Model *fit_run(const FitQuery *query, const char *condition)
{
    Model *model;

    if (query->conformal == NULL)
        return fit_query_run(query, condition);
    model = query->conformal->folds ? run_folds(query, condition) : run_split(query, condition);

    if (model != NULL) {
        conformal_warn_of_few(host_env(), model);
        (void)model_datum(model); /* sets the length word: the value may be passed on as it is */
    }
    return model != NULL && query->summary == SUMMARY_KEPT ? model_keep_summary(query, condition, model) : model;
}
