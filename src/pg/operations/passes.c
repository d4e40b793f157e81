/*
 * passes.c - fits by passes over the source: the step aggregate of an estimator, from a first model until it has converged. No pass keeps
 * rows, so memory does not grow with them, and each runs in parallel workers where the source can.
 *
 * The first model of generalized linear models, of logistic_regression and of the support vector machines comes from moments of all rows. That of kmeans and gaussian_mixture comes
 * from a fit to a sample, which the passes refine (Bradley & Fayyad 1998, "Refining initial points for k-means clustering").
 */
#include "pg/server/local_settings.h"
#include "pg/operations/fit_query.h"
#include "pg/progress/progress.h"
#include "pg/type/json_options.h"
#include "core/base/random.h"
#include "core/estimator/formula_options.h"
#include "core/formula/formula_model.h"
#include "core/glm/glm_step.h"
#include "core/kmeans/cluster_start.h"
#include "core/estimator/model_step.h"
#include "core/svm/svm_linear.h"
#include "core/svm/svm_step.h"

#include <math.h>

#include "catalog/namespace.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/parsenodes.h"
#include "optimizer/optimizer.h"
#include "parser/parse_node.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/plancache.h"
#include "utils/syscache.h"

#define SAMPLE_ROWS 100000    /* rows of the sample, unless option "passes" says how many */
#define SAMPLE_NUMBERS 2000000 /* fewer rows where they have many features: about 16 MB */

/* An estimator that can be fitted by passes. */
typedef struct PassMethod {
    const char *estimator, *step;
    const char *moments;        /* the aggregate that finds out whether the formula learns from rows */
    const char *start;          /* makes the first model of these moments; NULL: it comes from a sample */
    const char *const *refused; /* options that need the rows; NULL-terminated */
    const char *loss;           /* a fact for reports of progress */
    int64 max_iter;             /* where the option has no default */
    void (*require)(Env *env, const Estimator *estimator, const Options *options); /* fails for other options; NULL: there are none */
    bool named; /* the start takes the name of the estimator */
} PassMethod;

static const char *const kmeans_refused[] = {"batch_size", "gap_reference", "gap_references", "history", "max_k", "select", NULL};
static const char *const mixture_refused[] = {"history", "max_k", "select", NULL};
static const char *const logistic_refused[] = {"fold_column", "folds", "path", "path_ratio", "select", "start", "vcov", NULL};
static const char *const none_refused[] = {NULL};

static const PassMethod pass_methods[] = {
    {"gamma_regression", "glm_step", "moments", "glm_start", none_refused, "deviance", 0, glm_step_require, true},
    {"gaussian_mixture", "mixture_step", "feature_moments", NULL, mixture_refused, "log_likelihood", 0, NULL},
    {"glm", "glm_step", "moments", "glm_start", none_refused, "deviance", 0, glm_step_require, true},
    {"kmeans", "kmeans_step", "feature_moments", NULL, kmeans_refused, "inertia", 0, NULL},
    {"logistic_regression", "logistic_step", "class_moments", "logistic_start", logistic_refused, "log_likelihood", 0, NULL},
    {"negative_binomial_regression", "glm_step", "moments", "glm_start", none_refused, "deviance", 0, glm_step_require, true},
    {"poisson_regression", "glm_step", "moments", "glm_start", none_refused, "deviance", 0, glm_step_require, true},
    {"svm_classifier", "svm_step", "class_moments", "svm_start", none_refused, "objective", SVM_MAX_ITER, svm_step_require},
    {"svm_regression", "svm_step", "moments", "svm_start", none_refused, "objective", SVM_MAX_ITER, svm_step_require},
    {"tweedie_regression", "glm_step", "moments", "glm_start", none_refused, "deviance", 0, glm_step_require, true},
};

struct Passes {
    const PassMethod *method;
    int64 sample; /* rows; 0: not said */
    Options *options;
    char *shared, *own; /* JSON: the options that every aggregate has, and those of the estimator alone */
    bool start_given;   /* the options say where to start */
};

/* ---- the option ---- */

static const PassMethod *find_method(const Estimator *estimator)
{
    for (size_t i = 0; i < lengthof(pass_methods); i++)
        if (strcmp(pass_methods[i].estimator, estimator->name) == 0)
            return &pass_methods[i];
    ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("%s cannot be fitted by passes", estimator->name),
                    errhint("Leave \"passes\" out: the rows are kept, beyond pgfit.fit_mem in a temporary file. gaussian_mixture, glm and its families, kmeans, logistic_regression, svm_classifier and svm_regression can be fitted by passes.")));
}

/* Reads {"sample": rows}. */
static int64 read_sample(Jsonb *json)
{
    double rows;

    if (JsonContainerSize(&json->root) != 1 || !json_options_has(json, "sample"))
        json_options_fail("passes", "takes only \"sample\" in its object", "Write true, or {\"sample\": rows}.");
    rows = json_options_number(json, "sample", 0);
    if (!(rows >= 1 && rows <= 1e9 && rows == floor(rows)))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("\"sample\" of option \"passes\" is %g, not a number of rows from 1 to 1000000000", rows)));
    return (int64)rows;
}

Passes *passes_take(const Estimator *estimator, Jsonb **options)
{
    JsonbValue value;
    Passes *passes;
    int64 sample = 0;

    if (!json_options_value(*options, "passes", &value))
        return NULL;
    if (value.type == jbvBinary && JsonContainerIsObject(value.val.binary.data))
        sample = read_sample(JsonbValueToJsonb(&value));
    else if (value.type != jbvBool)
        json_options_fail("passes", "must be true, false or an object", "Write true, or {\"sample\": rows}.");
    *options = json_options_without(*options, "passes");
    if ((value.type == jbvBool && !value.val.boolean) || estimator->input != INPUT_ROWS)
        return NULL;
    passes = palloc0(sizeof(Passes));
    passes->method = find_method(estimator);
    passes->sample = sample;
    return passes;
}

/* Fails unless the condition holds for an option that the estimator has. */
static void require_value(const Passes *passes, const char *option, bool holds, const char *what)
{
    if (!holds && options_has(passes->options, option))
        json_options_fail(option, psprintf("of a fit by passes must be %s", what), "Leave it out, or leave \"passes\" out.");
}

static bool is_number_or_default(const Options *options, const char *name, OptionType number)
{
    return !options_given(options, name) || options_type(options, name) == number;
}

static int64 most_passes(const Passes *passes)
{
    bool given = options_given(passes->options, "max_iter") || passes->method->max_iter == 0;

    return given ? options_integer(passes->options, "max_iter") : passes->method->max_iter;
}

/* Fails for options that need the rows. */
static void refuse_options(const Passes *passes)
{
    const Options *options = passes->options;

    for (const char *const *name = passes->method->refused; *name != NULL; name++)
        if (options_given(options, *name))
            ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("a fit by passes does not support option \"%s\"", *name),
                            errhint("Leave it out, or leave \"passes\" out.")));
    require_value(passes, "on_failure", !options_is(options, "on_failure", "null"), "\"error\"");
    require_value(passes, "k", is_number_or_default(options, "k", OPTION_INTEGER), "one number");
    require_value(passes, "lambda", is_number_or_default(options, "lambda", OPTION_NUMBER), "one number");
    if (passes->method->require != NULL)
        passes->method->require(host_env(), estimator_find(passes->method->estimator), options);
    else
        require_value(passes, "reduction", !options_given(options, "reduction") || options_is(options, "reduction", "sum"), "\"sum\"");
    require_value(passes, "max_iter", most_passes(passes) >= 1, "at least 1");
}

/* Returns the options that every aggregate has, or those of the estimator alone. */
static char *options_of(Jsonb *options, bool shared)
{
    Jsonb *left = options;
    JsonbIterator *iterator = JsonbIteratorInit(&options->root);
    JsonbValue value;
    JsonbIteratorToken token;
    char *name;

    while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE) {
        if (token != WJB_KEY)
            continue;
        name = pnstrdup(value.val.string.val, value.val.string.len);
        if ((option_find(OPTION_TABLES(options_common), name) != NULL) != shared)
            left = json_options_without(left, name);
    }
    return json_options_text(left);
}

void passes_read(Passes *passes, const FitQuery *query)
{
    const Estimator *estimator = query->estimator;
    Options *options = options_parse(host_env(), estimator->name, estimator->options, query->options, strlen(query->options), NULL, NULL, 0);
    uint32_t length;
    Jsonb *given;

    options = formula_intercept_option(host_env(), estimator->name, estimator->options, options, formula_option(options));
    given = json_options_parse(options_json(options, &length));
    passes->options = options;
    refuse_options(passes);
    passes->shared = options_of(given, true);
    passes->own = options_of(given, false);
    passes->start_given = (options_has(options, "init") && options_type(options, "init") == OPTION_NUMBER_MATRIX) || options_given(options, "start") ||
                          options_given(options, "init_weights") || options_given(options, "init_covariances");
}

/* ---- queries ---- */

/* Returns a call over the rows of the source; see fit_call. */
static char *call_text(const FitQuery *query, const char *name, bool target, const char *options)
{
    return psprintf("SELECT %s", fit_call(query, "pgfit", name, target, query->source->alias, options));
}

/* The same on one server, for rows that are fetched to it. */
static char *plain_call(const FitQuery *query, const char *name, bool target, const char *options)
{
    FitQuery plain = *query;

    plain.distributed = false;
    return call_text(&plain, name, target, options);
}

static char *from_text(const FitQuery *query, const char *condition)
{
    return source_rows_sql(query->source, "\n", condition);
}

static char *step_call(const FitQuery *query, const char *row)
{
    return psprintf("SELECT %s", fit_call(query, "pgfit_textbook", query->passes->method->step, query->target >= 0, row, "$1"));
}

char *passes_text(const FitQuery *query, const char *condition)
{
    return psprintf("%s%s", step_call(query, query->source->alias), from_text(query, condition));
}

/* Returns the column of the source with the name of a field of the model; -1: there is none, or several. */
static int field_column(const Source *source, const Model *model, uint32_t field)
{
    char name[SCHEMA_NAME_SIZE];
    int found = -1;

    schema_field_name(model, field, name, sizeof(name));
    for (int i = 0; i < source->columns->natts; i++) {
        const FormData_pg_attribute *column = TupleDescAttr(source->columns, i);

        if (column->attisdropped || strcmp(NameStr(column->attname), name) != 0)
            continue;
        if (found >= 0)
            return -1;
        found = i;
    }
    return found;
}

/*
 * Writes the query of a pass with a row of the columns that the model reads, which the planner passes to the step without making a row
 * (row_planning.c); of whole rows, where a field is no column, and of a distributed table, which would lose the names of the columns on the way.
 */
static char *columns_text(const FitQuery *query, const char *condition, const Model *model)
{
    const Model *read = formula_row_schema(host_env(), model);
    StringInfoData columns;
    char *row;

    if (query->distributed)
        return passes_text(query, condition);
    initStringInfo(&columns);
    for (uint32_t f = 0; f < read->field_count; f++) {
        int column = field_column(query->source, read, f);

        if (column < 0)
            return passes_text(query, condition);
        appendStringInfo(&columns, "%s%s", f > 0 ? ", " : "", source_column_sql(query->source, column));
    }
    row = psprintf("%s_columns", query->source->alias);
    return psprintf("%s%s, LATERAL (SELECT %s) AS %s%s", step_call(query, row), from_text(query, NULL), columns.data, row,
                    condition != NULL ? psprintf("\nWHERE %s", condition) : "");
}

/* Returns the model of a query that has returned it, NULL where it returned NULL. */
static Model *model_of_result(int result)
{
    Datum value;
    Model *model;
    bool isnull;

    if (result != SPI_OK_SELECT || SPI_processed != 1)
        elog(ERROR, "a pass of a fit returned " UINT64_FORMAT " rows", SPI_processed);
    value = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull);
    model = isnull ? NULL : model_kept(value);
    SPI_freetuptable(SPI_tuptable);
    return model;
}

/* Runs a query of one model, in the active snapshot. Returns it in the current memory context, NULL where it returns NULL. given: $1, or NULL. */
static Model *run_model(const char *sql, const Model *given)
{
    Oid type = model_type_oid();
    Datum value = given != NULL ? model_datum((Model *)given) : (Datum)0;

    /* plans for parallel workers, as no limit of rows is given */
    return model_of_result(SPI_execute_with_args(sql, given != NULL ? 1 : 0, &type, &value, NULL, true, 0));
}

/* ---- sources that passes cannot read ---- */

/* Tells whether a query reads another sample of a table each time. */
static bool samples_anew(Node *node, void *context)
{
    if (node == NULL)
        return false;
    if (IsA(node, TableSampleClause))
        return ((TableSampleClause *)node)->repeatable == NULL || expression_tree_walker(node, samples_anew, context);
    if (IsA(node, Query))
        return query_tree_walker((Query *)node, samples_anew, context, QTW_EXAMINE_RTES_BEFORE);
    if (IsA(node, RangeTblEntry))
        return ((RangeTblEntry *)node)->tablesample != NULL && samples_anew((Node *)((RangeTblEntry *)node)->tablesample, context);
    return expression_tree_walker(node, samples_anew, context);
}

/* Fails if the rows of the source would differ from pass to pass. */
static void require_steady_source(const FitQuery *query, const char *condition)
{
    SPIPlanPtr plan = SPI_prepare(psprintf("SELECT *%s", from_text(query, condition)), 0, NULL);
    const CachedPlanSource *cached;
    ListCell *cell;

    if (plan == NULL)
        elog(ERROR, "SPI_prepare failed: %s", SPI_result_code_string(SPI_result));
    cached = linitial(SPI_plan_get_plan_sources(plan));
    foreach (cell, cached->query_list)
        if (contain_volatile_functions(lfirst(cell)) || samples_anew(lfirst(cell), NULL))
            ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("the source has a volatile function or a random sample, so each pass would see other rows"),
                            errhint("Store its rows in a table first.")));
    SPI_freeplan(plan);
}

/* Runs the query of moments of one row. Says what a formula that learns from rows means to a fit by passes. */
static Model *probe(const PassMethod *method, const char *sql)
{
    MemoryContext context = CurrentMemoryContext;
    char *learns = psprintf("%s cannot sum the terms of the formula", method->moments);
    Model *volatile moments = NULL;

    PG_TRY();
    {
        moments = run_model(sql, NULL);
    }
    PG_CATCH();
    {
        ErrorData *error;

        MemoryContextSwitchTo(context);
        error = CopyErrorData();
        if (error->message == NULL || strncmp(error->message, learns, strlen(learns)) != 0)
            PG_RE_THROW();
        FlushErrorState();
        error->message = psprintf("a fit by passes cannot have %sterms that are learned from all rows first",
                                  estimator_find(method->estimator)->takes_offset ? "" : "offset(...) or ");
        error->hint = "Use a formula of columns and functions such as log, and compute products of categories in the source, or leave \"passes\" out.";
        ReThrowError(error);
    }
    PG_END_TRY();
    return moments;
}

/* Fails if the features of the first row are none that passes can read. */
static void require_features(const FitQuery *query)
{
    const Source *source = query->source;
    const PassMethod *method = query->passes->method;
    /* what trees do with NULLs, moments cannot, but it does not matter here */
    const char *shared = json_options_text(json_options_without(json_options_without(json_options_parse(query->passes->shared), "nulls"), "unseen"));
    const Model *moments = probe(method, psprintf("%s\nFROM (SELECT * FROM %s AS %s LIMIT 1) AS %s",
                                                  plain_call(query, method->moments, query->target >= 0, quote_literal_cstr(shared)),
                                                  source->from, source->alias, source->alias));

    if (moments != NULL && query->estimator->numeric)
        schema_require_numbers(host_env(), moments, query->estimator->name);
}

/* ---- the first model ---- */

static Model *start_of_moments(const FitQuery *query, const char *condition)
{
    const PassMethod *method = query->passes->method;
    char *moments = fit_call(query, "pgfit", method->moments, true, query->source->alias, quote_literal_cstr(query->passes->shared));
    const Model *model = run_model(psprintf("SELECT pgfit_textbook.%s(%s, %s%s)%s", method->start, moments, quote_literal_cstr(query->passes->own),
                                            method->named ? psprintf(", '%s'", method->estimator) : "",
                                            from_text(query, condition)),
                                   NULL);

    return model != NULL ? model_step_with_options(host_env(), model, query->passes->options) : NULL;
}

/* Returns how many of the rows are in the sample. */
static double sample_rows(const Passes *passes, const Model *scaler)
{
    if (passes->sample > 0)
        return (double)passes->sample;
    return Max(Min(SAMPLE_ROWS, (double)SAMPLE_NUMBERS / Max(scaler->slot_count, 1)), 1000);
}

/*
 * Stands for $1 in the query of a sample: sample_row(fraction), of which users have no right to write the name. The source itself has no
 * parameters.
 */
static Node *sampling_call(ParseState *parse, ParamRef *parameter)
{
    const double *fraction = parse->p_ref_hook_state;
    Const *argument = makeConst(FLOAT8OID, -1, InvalidOid, sizeof(float8), Float8GetDatum(*fraction), false, FLOAT8PASSBYVAL);
    Oid type = FLOAT8OID, function = internal_function("sample_row", 1, &type);

    if (!OidIsValid(function))
        elog(ERROR, "pgfit_internal.sample_row does not exist");
    return (Node *)makeFuncExpr(function, BOOLOID, list_make1(argument), InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
}

static void parse_sampling(ParseState *parse, void *fraction)
{
    parse->p_paramref_hook = sampling_call;
    parse->p_ref_hook_state = fraction;
}

/*
 * Runs a fit to the part of the rows that $1 in its query chooses, without its warnings: the passes tell whether the model has converged.
 * The same rows each time.
 */
static Model *run_sample(const char *sql, double fraction)
{
    static const char *const settings[][2] = {{"client_min_messages", "error"}, {"synchronize_seqscans", "off"}};
    SPIPrepareOptions options = {.parserSetup = parse_sampling, .parserSetupArg = &fraction, .cursorOptions = CURSOR_OPT_PARALLEL_OK};
    int level = local_settings_begin(settings, lengthof(settings));
    SPIPlanPtr plan;
    Model *model;

    plan = SPI_prepare_extended(sql, &options);
    if (plan == NULL)
        elog(ERROR, "SPI_prepare_extended failed: %s", SPI_result_code_string(SPI_result));
    model = model_of_result(SPI_execute_plan(plan, NULL, NULL, true, 0));
    SPI_freeplan(plan);
    local_settings_end(level);
    return model;
}

/* Returns the condition that chooses rows of a distributed table: its servers have no function that tells a row's place among all rows. */
static char *chosen_by_content(const FitQuery *query, double fraction)
{
    Oid relation = query->source->relation;

    return psprintf("pg_catalog.hashtextextended(%s, 0) OPERATOR(pg_catalog.<) " INT64_FORMAT,
                    source_text_sql(query->source->alias, OidIsValid(relation) ? get_rel_type_id(relation) : RECORDOID),
                    PG_INT64_MIN + (int64)(fraction * 0x1p63) + (int64)(fraction * 0x1p63));
}

/* Returns the condition, with that of the sample if it is less than all rows. */
static const char *sample_condition(const FitQuery *query, const char *condition, double fraction)
{
    const char *chosen = query->distributed ? chosen_by_content(query, fraction) : "$1";

    if (fraction >= 1)
        return condition;
    return condition != NULL ? psprintf("(%s) AND %s", condition, chosen) : chosen;
}

static void fail_empty_sample(void)
{
    ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION), errmsg("the sample of the rows, from which the passes start, has no row that can be used"),
                    errhint("Ask for a larger one: {\"passes\": {\"sample\": rows}}.")));
}

/* Starts from a model of a sample, with what the scaler says of all rows. */
static Model *start_of_sample(const FitQuery *query, const char *condition)
{
    const Passes *passes = query->passes;
    Model *scaler = run_model(psprintf("%s%s", call_text(query, "standard_scaler", false, quote_literal_cstr(passes->shared)), from_text(query, condition)), NULL);
    Jsonb *options = json_options_parse(query->options);
    double fraction;
    Model *model;

    if (scaler == NULL)
        return NULL;
    if (passes->start_given)
        options = json_options_join(options, json_options_parse("{\"max_iter\": 0}"));
    fraction = sample_rows(passes, scaler) / (double)Max(scaler->rows, 1);
    model = run_sample(psprintf("%s%s", plain_call(query, query->estimator->name, false, quote_literal_cstr(json_options_text(options))),
                                from_text(query, sample_condition(query, condition, fraction))),
                       fraction);
    if (model == NULL)
        fail_empty_sample();
    return cluster_start(host_env(), model, scaler, passes->options);
}

/* sample_row(fraction): tells whether the row is one of the sample, by its place. */
PG_FUNCTION_INFO_V1(pgfit_sample_row);
PGDLLEXPORT Datum pgfit_sample_row(PG_FUNCTION_ARGS)
{
    uint64_t *state = fcinfo->flinfo->fn_extra;

    if (state == NULL)
        state = fcinfo->flinfo->fn_extra = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(uint64_t));
    PG_RETURN_BOOL(random_unit(state) < PG_GETARG_FLOAT8(0));
}

/* ---- passes ---- */

static bool fact_is(const Model *model, const char *name)
{
    return model_fact(model, name, 0) != 0;
}

/* Warns as the aggregate does. */
static void warn_result(const FitQuery *query, const Model *model, int64 passes)
{
    const char *name = query->estimator->name;
    uint32_t length = 0, empty = 0;
    const double *sizes = model_f64(model, "sizes", &length);

    for (uint32_t c = 0; sizes != NULL && c < length; c++)
        empty += sizes[c] == 0;
    if (empty > 0)
        env_warn(host_env(), ERROR_DATA, "Ask for fewer clusters, or for a larger sample: {\"passes\": {\"sample\": rows}}.", "%u of %u clusters have no rows", empty,
                 length);
    if (fact_is(model, "separated") && query->estimator->task == TASK_REGRESSION)
        env_warn(host_env(), ERROR_DATA, "Drop the features that decide the target.",
                 "%s found means at the end of their range to all digits: some coefficients grow without bound", name);
    else if (fact_is(model, "separated"))
        env_warn(host_env(), ERROR_DATA, "Add a penalty, such as {\"lambda\": 0.1}, or drop the features that separate the classes.",
                 "the features tell the classes of some or all rows for certain: the likelihood has no maximum, and the coefficients of %s grow without bound", name);
    else if (!fact_is(model, "converged"))
        env_warn(host_env(), ERROR_DATA, "Raise \"max_iter\" or \"tolerance\".", "%s stopped after %lld pass%s, before it converged", name, (long long)passes,
                 passes == 1 ? "" : "es");
}

/* Runs passes from the first model on. */
static Model *run_passes(const FitQuery *query, const char *condition)
{
    const Passes *passes = query->passes;
    int64 most = most_passes(passes), pass = 0;
    Model *model, *next;
    char *sql;

    require_steady_source(query, condition);
    require_features(query);
    model = passes->method->start != NULL ? start_of_moments(query, condition) : start_of_sample(query, condition);
    if (model == NULL)
        return NULL;
    sql = columns_text(query, condition, model);
    while (pass < most) {
        CHECK_FOR_INTERRUPTS();
        progress_operation("pass", (uint64)pass + 1, (uint64)most, model_fact(model, passes->method->loss, NAN));
        next = run_model(sql, model);
        if (next == NULL)
            return NULL;
        pfree(model);
        model = next;
        pass++;
        if (fact_is(model, "converged") || fact_is(model, "separated"))
            break;
    }
    warn_result(query, model, pass);
    return model;
}

Model *passes_run(const FitQuery *query, const char *condition)
{
    /* compiled code would be compiled anew for each pass, and LLVM takes more memory than the pass */
    static const char *const settings[][2] = {{"jit", "off"}};
    int level = local_settings_begin(settings, lengthof(settings));
    Model *model = run_passes(query, condition);

    local_settings_end(level);
    return model;
}
