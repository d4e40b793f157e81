/*
 * fit_query.c - writes and runs the query of a fit. What an estimator takes is read from its descriptor.
 */
#include "pg/aggregate/aggregate.h"
#include "pg/operations/conformal_fit.h"
#include "pg/operations/drift.h"
#include "pg/operations/fit_query.h"
#include "pg/type/json_options.h"
#include "core/formula/formula.h"

#include <ctype.h>

#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
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

char *fit_formula_argument(FunctionCallInfo fcinfo, int at, Jsonb **options)
{
    char *formula = PG_ARGISNULL(at) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(at)), *option;

    *options = PG_GETARG_JSONB_P(at + 1);
    if (formula != NULL && formula[strspn(formula, " \t\r\n")] == '{') {
        if (JB_ROOT_COUNT(*options) > 0)
            ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("two arguments are options: \"%.100s\" stands where the formula does", formula),
                            errhint("Write all options in one object.")));
        *options = json_options_parse(formula);
        formula = NULL;
    }
    json_options_require_object(*options);
    option = formula == NULL ? json_options_string_or_null(*options, "formula") : NULL;
    if (option == NULL || split_formula(option).target_length == 0)
        return formula;
    *options = json_options_without(*options, "formula");
    return option;
}

/* Finds the target that the left side names. */
static int find_target(const Estimator *estimator, const Source *source, const Sides *sides)
{
    const char *what = estimator->task == TASK_REGRESSION || estimator->task == TASK_SURVIVAL ? "target" : "label";

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

static void __attribute__((noreturn)) fail_given_twice(void)
{
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("the features are given twice, by the formula and by the options"),
                    errhint("Write only the target in the formula, as in 'price ~', or leave the option out.")));
}

void fit_fail_no_features(void)
{
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("the formula names no features right of its ~"),
                    errhint("Name columns there, as in 'price ~ carat + cut', or write 'price ~ .' for all others.")));
}

FitQuery *fit_query_with_features(FitQuery *query)
{
    if (query->features_missing)
        fit_fail_no_features();
    return query;
}

/* Returns the features of the formula, which nothing else names; "." if there are none, and *missing: is that because nothing is right of its ~? */
static const char *features_text(const Sides *sides, bool *missing)
{
    *missing = sides->target != NULL && sides->features_length == 0;
    return sides->features_length > 0 ? pnstrdup(sides->features, sides->features_length) : ".";
}

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

/* Tells whether a character is a formula's ".", and not part of a name or number. */
static bool is_dot(const char *text, const char *at)
{
    const unsigned char before = at > text ? (unsigned char)at[-1] : ' ', after = (unsigned char)at[1];

    return *at == '.' && !(isalnum(before) || isalnum(after) || before >= 0x80 || after >= 0x80 || strchr("_$.", before) != NULL || (after != '\0' && strchr("_$.", after) != NULL));
}

/* Returns a formula whose "." stand for all other columns but those of the text " - a - b". */
static char *formula_without(const char *formula, const char *columns)
{
    bool alone = split_formula(formula).features_length == 1;
    char quote = '\0';
    StringInfoData out;

    initStringInfo(&out);
    for (const char *c = formula; *c != '\0'; c++) {
        if (quote == '\0' && is_dot(formula, c)) {
            appendStringInfo(&out, alone ? ".%s" : "(.%s)", columns);
            continue;
        }
        if (quote != '\0' ? *c == quote : strchr("\"`'", *c) != NULL)
            quote = quote != '\0' ? '\0' : *c;
        appendStringInfoChar(&out, *c);
    }
    return out.data;
}

void fit_leave_out_folds(const Source *source, Jsonb *folds, const char **formula, Jsonb **options)
{
    static const char *const keys[] = {"fold_column", "group_column", "time_column"};
    char *option = json_options_string_or_null(*options, "formula");
    bool given = option != NULL || json_options_has(*options, "features");
    StringInfoData columns;

    initStringInfo(&columns);
    for (size_t i = 0; i < lengthof(keys); i++) {
        char *name = json_options_string_or_null(folds, keys[i]);

        if (name != NULL && source_has_column(source, name))
            appendStringInfo(&columns, " - %s", formula_name(host_env(), name));
    }
    if (columns.len == 0)
        return;
    if (*formula != NULL || !given)
        *formula = formula_without(*formula != NULL ? *formula : "~ .", columns.data);
    if (option != NULL)
        *options = json_options_join(*options, formula_option(source, -1, formula_without(option, columns.data)));
}

/*
 * Adds the formula to the options of the estimator, which may name the features in its place. Without a formula, all columns but the target are features.
 */
static Jsonb *with_features(const Sides *sides, Jsonb *options, const Source *source, int target, bool *missing)
{
    char *formula = json_options_string_or_null(options, "formula");
    bool given = json_options_has(options, "formula") || json_options_has(options, "features");

    if (given && sides->features_length > 0)
        fail_given_twice();
    if (formula != NULL && split_formula(formula).target_length == 0)
        return json_options_join(options, formula_option(source, target, split_formula(formula).features));
    if (given)
        return options;
    return json_options_join(options, formula_option(source, target, features_text(sides, missing)));
}

/* ---- the query ---- */

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

/* Returns the call of the aggregate. row: what it reads of a row. */
static char *call_text(const FitQuery *query, const char *row, const char *argument)
{
    StringInfoData call;

    initStringInfo(&call);
    if (query->target >= 0 || query->id >= 0)
        appendStringInfo(&call, "%s, ", source_column_sql(query->source, query->target >= 0 ? query->target : query->id));
    appendStringInfoString(&call, row);
    if (argument != NULL || query->weight >= 0)
        appendStringInfo(&call, ", %s", argument != NULL ? argument : "'{}'");
    if (query->weight >= 0)
        appendStringInfo(&call, ", %s", source_column_sql(query->source, query->weight));
    return call.data;
}

/* ---- steps of preparation ---- */

/* Returns the row as the steps so far make it. */
static char *prepared_row(const FitQuery *query)
{
    return psprintf("pgfit.transform_row((SELECT m FROM pgfit_step_%d), %s)", list_length(query->steps), query->source->alias);
}

static void __attribute__((noreturn)) fail_prepare(const char *problem)
{
    json_options_fail("prepare", problem, "Write the steps in order: {\"prepare\": [\"standard_scaler\", {\"pca\": {\"k\": 2}}]}.");
}

/* Returns the estimator that a step names, and its options: a name alone, or an object of a name and its options. */
static char *step_of(JsonbValue *value, Jsonb **options)
{
    Jsonb *step = value->type == jbvBinary ? JsonbValueToJsonb(value) : NULL;
    JsonbIterator *iterator;
    JsonbValue name, given;

    *options = json_options_parse("{}");
    if (value->type == jbvString)
        return pnstrdup(value->val.string.val, value->val.string.len);
    if (step == NULL || !JB_ROOT_IS_OBJECT(step) || JB_ROOT_COUNT(step) != 1)
        fail_prepare("has a step that is neither a name nor an object of one");
    iterator = JsonbIteratorInit(&step->root);
    (void)JsonbIteratorNext(&iterator, &name, true); /* the object begins */
    (void)JsonbIteratorNext(&iterator, &name, true);
    (void)JsonbIteratorNext(&iterator, &given, true);
    *options = JsonbValueToJsonb(&given);
    json_options_require_object(*options);
    return pnstrdup(name.val.string.val, name.val.string.len);
}

/* Moves the options that say how rows are read from the fit to its first step. */
static Jsonb *take_reading(Jsonb **options, Jsonb *step)
{
    static const char *const names[] = {"features", "formula", "max_levels", "missing", "nulls", "reference", "unseen"};
    JsonbValue value;

    for (size_t i = 0; i < lengthof(names); i++)
        if (json_options_value(*options, names[i], &value)) {
            Jsonb *one = json_options_parse(psprintf("{\"%s\": %s}", names[i], json_options_text(JsonbValueToJsonb(&value))));

            step = json_options_add(one, step);
            *options = json_options_without(*options, names[i]);
        }
    return step;
}

/* Fails for an option of a step that is one of the whole fit. */
static void require_options_of_step(const char *name, Jsonb *options)
{
    static const char *const of_fit[] = {"conformal", "distributed", "id", "passes", "prepare", "summary", "weight"};

    for (size_t i = 0; i < lengthof(of_fit); i++)
        if (json_options_has(options, of_fit[i]))
            json_options_fail("prepare", psprintf("has \"%s\" among the options of %s", of_fit[i], name),
                              "It is an option of the whole fit: write it beside \"prepare\", or leave it out.");
}

/*
 * Returns the formula of a first step that takes no target, and takes it out of its options. '.' would stand for the target and the id of the fit, too: they are
 * left out. NULL: the options name the features.
 */
static const char *formula_without_target(FitQuery *query, const char *formula, Jsonb **given)
{
    const char *option = json_options_string(*given, "formula");
    Sides sides = split_formula(formula != NULL ? formula : "");
    const int others[] = {query->target, query->id};
    StringInfoData text;

    if (sides.features_length > 0 && (option != NULL || json_options_has(*given, "features")))
        fail_given_twice();
    if (option == NULL && json_options_has(*given, "features"))
        return NULL;
    if (option != NULL) {
        sides = split_formula(option);
        *given = json_options_without(*given, "formula");
    }
    if (option != NULL && sides.target_length > 0 && source_column_written(query->source, "target", sides.target, sides.target_length) != query->target)
        fail_prepare(psprintf("has a formula of another target: \"%s\"", option));
    initStringInfo(&text);
    appendStringInfo(&text, "~ %s", features_text(&sides, &query->features_missing));
    for (size_t i = 0; i < lengthof(others) && strchr(text.data, '.') != NULL; i++)
        if (others[i] >= 0)
            appendStringInfo(&text, " - %s", formula_name(host_env(), NameStr(TupleDescAttr(query->source->columns, others[i])->attname)));
    return text.data;
}

/* Reads the first step, which reads the rows of the source. */
static FitQuery *first_step(FitQuery *query, const Estimator *step, const char *formula, Jsonb *given)
{
    const char *weight = query->weight < 0 ? NULL : NameStr(TupleDescAttr(query->source->columns, query->weight)->attname);
    StringInfoData more;

    if (!step->supervised)
        formula = formula_without_target(query, formula, &given);
    initStringInfo(&more);
    appendStringInfoString(&more, "{\"distributed\": false");
    if (weight != NULL)
        json_options_quote(&more, ", \"weight\": ", weight);
    appendStringInfoChar(&more, '}');
    return fit_query(step->name, query->source, formula, json_options_join(given, json_options_parse(more.data)));
}

/*
 * Reads option "prepare": estimators that are fitted one after the other, each to the rows as those before it make them. A fit is then a pipeline. Returns
 * the options of the last step, the estimator itself.
 */
static Jsonb *take_steps(FitQuery *query, const char *formula, Jsonb *options)
{
    JsonbValue value;
    Jsonb *list = json_options_value(options, "prepare", &value) ? JsonbValueToJsonb(&value) : NULL;

    if (list == NULL)
        return options;
    if (!JB_ROOT_IS_ARRAY(list) || JB_ROOT_IS_SCALAR(list) || JB_ROOT_COUNT(list) == 0)
        fail_prepare("must be a list of steps");
    options = json_options_without(options, "prepare");
    for (uint32 i = 0; i < JB_ROOT_COUNT(list); i++) {
        Jsonb *given;
        char *name = step_of(getIthJsonbValueFromContainer(&list->root, i), &given);
        const Estimator *step = fit_estimator(name);
        FitQuery later = *query;

        if (step->scoring == NULL || step->scoring->transform == NULL || (step->supervised && query->target < 0))
            fail_prepare(psprintf("has %s, which %s", name, step->supervised && query->target < 0 ? "needs a target" : "does not transform rows"));
        require_options_of_step(name, given);
        if (i == 0) {
            query->reads = first_step(query, step, formula, take_reading(&options, given));
            query->steps = list_make1(psprintf("pgfit.%s(%s)", name, query->reads->arguments));
            continue;
        }
        later.target = step->supervised ? query->target : -1;
        later.id = -1;
        query->steps = lappend(query->steps, psprintf("pgfit.%s(%s)", name, call_text(&later, prepared_row(query), options_argument(given))));
    }
    return options;
}

FitQuery *fit_query(const char *estimator, Source *source, const char *formula, Jsonb *options)
{
    static const char *const own[] = {"weight", "id", "summary", "distributed", "prepare", "conformal"};
    FitQuery *query = palloc0(sizeof(FitQuery));
    Sides sides = split_formula(formula != NULL ? formula : "");
    char *argument, *failure;
    bool distributed;

    query->estimator = fit_estimator(estimator);
    query->source = source;
    json_options_require_object(options);
    query->target = find_target(query->estimator, source, &sides);
    distributed = json_options_boolean(options, "distributed", source_is_distributed(source));
    if (distributed && json_options_has(options, "distributed") && json_options_has(options, "prepare"))
        fail_prepare("does not go with \"distributed\"");
    options = json_options_without(options, "distributed");
    query->weight = take_column(&options, source, "weight");
    if (query->weight >= 0)
        source_require_number(source, "weight", query->weight);
    query->id = find_id(query->estimator, source, &options);
    if (json_options_has(options, "summary"))
        query->summary = json_options_boolean(options, "summary", false) ? SUMMARY_KEPT : SUMMARY_NONE;
    options = json_options_without(options, "summary");
    query->conformal = conformal_fit_take(query, &options);
    options = take_steps(query, formula, options);
    fit_require_names(query->estimator, options, own, lengthof(own));
    query->passes = passes_take(query->estimator, &options);
    if (query->steps != NIL && query->passes != NULL)
        fail_prepare("does not go with \"passes\"");
    query->distributed = distributed && query->steps == NIL && (query->passes != NULL || is_split(query));
    if (query->steps == NIL)
        options = with_features(&sides, options, source, query->target, &query->features_missing);
    failure = json_options_string_or_null(options, "on_failure");
    query->null_on_failure = failure != NULL && strcmp(failure, "null") == 0;
    query->options = json_options_text(options);
    if (query->passes != NULL)
        passes_read(query->passes, query);

    argument = options_argument(options);
    query->arguments = query->distributed ? fit_typed_arguments(query, query->target >= 0, argument)
                                          : call_text(query, query->steps != NIL ? prepared_row(query) : source->alias, argument);
    return query;
}

/* Returns a query of the pipeline with one more step; no row if that step has no model. OFFSET 0 keeps the planner from fitting it twice. rows: FROM and WHERE. */
static char *longer_pipeline(int steps, const char *call, const char *rows)
{
    return psprintf("SELECT pgfit.pipeline((SELECT m FROM pgfit_step_%d), m) AS m\nFROM (SELECT %s AS m%s\nOFFSET 0) AS fitted\nWHERE m IS NOT NULL", steps, call, rows);
}

/* Returns the query that fits a pipeline, with one WITH query per step. rows: FROM and WHERE. */
static char *steps_text(const FitQuery *query, const char *rows)
{
    StringInfoData sql;
    ListCell *step;
    int count = 0;

    initStringInfo(&sql);
    foreach (step, query->steps) {
        const char *call = lfirst(step);

        appendStringInfo(&sql, "%s pgfit_step_%d AS MATERIALIZED (%s)", count == 0 ? "WITH" : ",\n    ", count + 1,
                         count == 0 ? psprintf("SELECT %s AS m%s", call, rows) : longer_pipeline(count, call, rows));
        count++;
    }
    appendStringInfo(&sql, "\n%s", longer_pipeline(count, psprintf("pgfit.%s(%s)", query->estimator->name, query->arguments), rows));
    return sql.data;
}

char *fit_query_text(const FitQuery *query, const char *condition)
{
    if (query->passes != NULL)
        return passes_text(query, condition);
    if (query->steps != NIL)
        return steps_text(query, source_rows_sql(query->source, "\n", condition));
    return psprintf("SELECT %s.%s(%s)%s", query->distributed ? "pgfit_distributed" : "pgfit", query->estimator->name, query->arguments,
                    source_rows_sql(query->source, "\n", condition));
}

static int64 count_rows(const FitQuery *query, const char *condition)
{
    bool isnull;

    SPI_execute(psprintf("SELECT pg_catalog.count(*)%s", source_rows_sql(query->source, "\n", condition)), true, 0);
    return DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
}

/* Fails because no row could be used; says how many there were. */
static void __attribute__((noreturn)) fail_no_rows(const FitQuery *query, const char *condition)
{
    int64 rows = count_rows(query, condition);

    if (rows == 0 && condition != NULL && count_rows(query, NULL) > 0)
        ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION), errmsg("the source of %s has no rows beside those that are held out", query->estimator->name),
                        errhint("Hold out fewer rows. Those whose key, time or group is NULL are neither held out nor fitted to.")));
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
    if (SPI_execute(fit_query_text(query, condition), true, 0) != SPI_OK_SELECT || SPI_processed > 1)
        elog(ERROR, "the query of a fit returned " UINT64_FORMAT " rows", SPI_processed);
    isnull = SPI_processed == 0; /* of a fit with steps */
    value = isnull ? (Datum)0 : SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull);
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
