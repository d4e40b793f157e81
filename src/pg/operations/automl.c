/*
 * automl.c - automl(source, target, options): the usual estimators for a target, each judged by the same folds.
 *
 * The candidates come from a table below, cheap ones first. Between two of them the time budget is checked: but for the first no candidate begins after
 * it, and one that runs is not interrupted.
 */
#include "core/formula/formula.h"
#include "pg/operations/fit_query.h"
#include "pg/type/json_options.h"
#include "pg/operations/search_options.h"
#include "pg/type/result_rows.h"
#include "core/options/options.h"

#include <math.h>

#include "access/htup_details.h"
#include "access/relation.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "parser/parse_coerce.h"
#include "portability/instr_time.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/syscache.h"

#define FEW_VALUES 10 /* a whole number of at most so many values is a class */

typedef struct Trial {
    const char *estimator, *options;
} Trial;

static const Trial regressions[] = {
    {"linear_regression", "{}"},
    {"ridge_regression", "{\"lambda\": 1, \"standardize\": true}"},
    {"ridge_regression", "{\"lambda\": 100, \"standardize\": true}"},
    {"tree_regression", "{}"},
    {"tree_regression", "{\"max_depth\": 5}"},
    {"boosted_trees_regression", "{}"},
    {"forest_regression", "{}"},
    {"knn_regression", "{\"standardize\": true}"},
};
static const Trial classifiers[] = {
    {"naive_bayes", "{}"},
    {"lda", "{}"},
    {"logistic_regression", "{\"lambda\": 1, \"standardize\": true}"},
    {"logistic_regression", "{\"lambda\": 100, \"standardize\": true}"},
    {"tree_classifier", "{}"},
    {"tree_classifier", "{\"max_depth\": 5}"},
    {"boosted_trees_classifier", "{}"},
    {"forest_classifier", "{}"},
    {"knn_classifier", "{\"standardize\": true}"},
};

static double seconds_since(instr_time begin)
{
    instr_time now;

    INSTR_TIME_SET_CURRENT(now);
    INSTR_TIME_SUBTRACT(now, begin);
    return INSTR_TIME_GET_DOUBLE(now);
}

/* ---- the task ---- */

static bool few_values(const Source *source, int target)
{
    SPI_execute(psprintf("SELECT DISTINCT %s FROM %s AS %s LIMIT %d", source_column_sql(source, target), source->from, source->alias, FEW_VALUES + 2), true, 0);
    return SPI_processed <= FEW_VALUES + 1; /* one may be NULL */
}

/* Tells whether the target is a class. */
static bool is_class(const Source *source, int target, const char *task)
{
    Form_pg_attribute attribute = TupleDescAttr(source->columns, target);
    Oid type = getBaseType(attribute->atttypid);

    if (task != NULL)
        return strcmp(task, "classification") == 0;
    if (type == BOOLOID || TypeCategory(type) == TYPCATEGORY_STRING || TypeCategory(type) == TYPCATEGORY_ENUM)
        return true;
    if (type == INT2OID || type == INT4OID || type == INT8OID)
        return few_values(source, target);
    if (TypeCategory(type) == TYPCATEGORY_NUMERIC)
        return false;
    ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
                    errmsg("the target \"%s\" has type %s, which is neither a number nor a class", NameStr(attribute->attname), format_type_be(type)),
                    errhint("Convert it in the source, or choose by the option \"task\".")));
}

/* ---- candidates ---- */

static bool is_chosen(Jsonb *estimators, const char *name)
{
    JsonbValue value = {.type = jbvString, .val.string = {.val = (char *)name, .len = (int)strlen(name)}};

    return estimators == NULL || findJsonbValueFromContainer(&estimators->root, JB_FARRAY, &value) != NULL;
}

/* Tells whether "nulls" of all candidates is "impute", which this estimator does not have, because a NULL is a value to it. */
static bool takes_nulls(const SearchOptions *all, const char *estimator)
{
    const OptionSpec *spec = option_find(estimator_find(estimator)->options, "nulls");
    char *policy = json_options_string_or_null(all->fit, "nulls");

    return policy != NULL && strcmp(policy, "impute") == 0 && !json_options_has(all->fit, "prepare") && spec != NULL && spec->fallback != NULL && strcmp(spec->fallback, "\"branch\"") == 0;
}

static Candidate *new_candidate(const SearchOptions *all, const char *estimator, const char *options)
{
    Candidate *candidate = palloc0(sizeof(Candidate));

    candidate->estimator = estimator;
    candidate->options = json_options_parse(options);
    if (takes_nulls(all, estimator))
        candidate->options = json_options_join(candidate->options, json_options_parse("{\"nulls\": \"branch\"}"));
    candidate->fraction = 1;
    return candidate;
}

/* Makes the candidates of the table, and one with defaults of each other estimator that the option names. */
static Candidate **make_candidates(const SearchOptions *options, const Trial *trials, int count, bool classes, int *made)
{
    int named = options->estimators == NULL ? 0 : JB_ROOT_COUNT(options->estimators);
    Candidate **candidates = palloc(sizeof(Candidate *) * (count + named));

    *made = 0;
    for (int i = 0; i < count; i++)
        if (is_chosen(options->estimators, trials[i].estimator))
            candidates[(*made)++] = new_candidate(options, trials[i].estimator, trials[i].options);
    for (int i = 0; i < named; i++) {
        JsonbValue *value = getIthJsonbValueFromContainer(&options->estimators->root, (uint32)i);
        const Estimator *estimator;
        char *name;
        bool known = false;

        if (value->type != jbvString)
            json_options_fail("estimators", "must be a list of names", "Write [\"ridge_regression\", \"forest_regression\"].");
        name = pnstrdup(value->val.string.val, value->val.string.len);
        estimator = estimator_find(name);
        if (estimator == NULL || estimator->fit == NULL || estimator->task != (classes ? TASK_CLASSIFICATION : TASK_REGRESSION) || !estimator->supervised)
            json_options_fail("estimators", psprintf("has \"%s\", which is no %s", name, classes ? "classifier" : "regression"),
                               psprintf("The target is taken for a %s; option \"task\" decides otherwise.", classes ? "class" : "number"));
        for (int j = 0; j < *made; j++)
            known = known || strcmp(candidates[j]->estimator, name) == 0;
        if (!known)
            candidates[(*made)++] = new_candidate(options, estimator->name, "{}");
    }
    return candidates;
}

/* Appends the name of a column in quotes, as formulas have it. */
static void append_name(StringInfo formula, const Source *source, int column)
{
    appendStringInfoChar(formula, '"');
    for (const char *c = NameStr(TupleDescAttr(source->columns, column)->attname); *c != '\0'; c++)
        appendStringInfo(formula, "%s%c", *c == '"' ? "\"" : "", *c);
    appendStringInfoChar(formula, '"');
}

/* Returns the column of the source that alone is the key of a unique index over all rows of its table, if its type is one of keys; else -1. */
static int unique_column(const Source *source, Oid index, TupleDesc columns)
{
    HeapTuple tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(index));
    int column = -1;
    Form_pg_index form;

    if (!HeapTupleIsValid(tuple))
        return -1;
    form = (Form_pg_index)GETSTRUCT(tuple);
    if (form->indisunique && form->indisvalid && form->indnkeyatts == 1 && form->indkey.values[0] > 0 &&
        heap_attisnull(tuple, Anum_pg_index_indpred, NULL)) {
        Form_pg_attribute key = TupleDescAttr(columns, form->indkey.values[0] - 1);
        Oid type = getBaseType(key->atttypid);

        if (type == INT2OID || type == INT4OID || type == INT8OID || type == UUIDOID || TypeCategory(type) == TYPCATEGORY_STRING)
            column = source_column(source, "key", NameStr(key->attname)); /* by its name: a source has no dropped columns */
    }
    ReleaseSysCache(tuple);
    return column;
}

/* Returns '.' without the keys of a table, which identify its rows; a NOTICE names them. */
static char *features_without_keys(const Source *source, int target)
{
    StringInfoData formula, names;
    Relation relation;
    List *indexes;
    ListCell *cell;
    Bitmapset *keys = NULL;

    initStringInfo(&formula);
    initStringInfo(&names);
    appendStringInfoChar(&formula, '.');
    if (!OidIsValid(source->relation))
        return formula.data;
    relation = relation_open(source->relation, AccessShareLock);
    indexes = RelationGetIndexList(relation);
    foreach (cell, indexes) {
        int column = unique_column(source, lfirst_oid(cell), RelationGetDescr(relation));

        if (column < 0 || column == target || bms_is_member(column, keys))
            continue;
        keys = bms_add_member(keys, column);
        appendStringInfoString(&formula, " - ");
        append_name(&formula, source, column);
        appendStringInfo(&names, "%s\"%s\"", names.len > 0 ? ", " : "", NameStr(TupleDescAttr(source->columns, column)->attname));
    }
    relation_close(relation, NoLock);
    if (names.len > 0)
        ereport(NOTICE, (errmsg("automl leaves out %s, which a unique index makes different in every row", names.data),
                         errhint("Name the features by the option \"features\" to have it: {\"features\": \"a + b\"}.")));
    return formula.data;
}

/* Returns 'target ~ features', the target in quotes. features: NULL for all columns that are no keys. */
static char *target_formula(const Source *source, int target, const char *features)
{
    StringInfoData formula;

    initStringInfo(&formula);
    append_name(&formula, source, target);
    appendStringInfo(&formula, " ~ %s", features != NULL ? features : features_without_keys(source, target));
    return formula.data;
}

/* Judges one candidate after the other until the time is over, at least one. */
static void judge_in_time(const Contest *contest, Candidate **candidates, int count, double budget)
{
    instr_time begin;

    INSTR_TIME_SET_CURRENT(begin);
    for (int i = 0; i < count; i++) {
        if (i == 0 || seconds_since(begin) < budget) {
            contest_judge(contest, &candidates[i], 1, NULL);
            continue;
        }
        candidates[i]->error = psprintf("not begun: the time budget of %s s was over", json_options_double(budget));
        candidates[i]->sqlstate = ERRCODE_QUERY_CANCELED;
        candidates[i]->value = candidates[i]->std_error = candidates[i]->std_dev = NAN;
    }
    contest_sort(contest, candidates, count);
    contest_require_one(candidates, count);
}

/*
 * Returns the target that the argument names: a column, or the left side of a formula, whose right side becomes *features unless it has all columns. Fails if
 * the option has features, too, or neither does.
 */
static int read_target(const Source *source, const char *text, const char **features)
{
    const char *target, *right;
    size_t length = strlen(text), target_length;

    if (source_has_column(source, text))
        return source_column(source, "target", text);
    right = formula_sides(text, &length, &target, &target_length);
    if (target == NULL)
        return source_column(source, "target", text);
    if (length > 0 && !(length == 1 && right[0] == '.')) {
        if (*features != NULL)
            json_options_fail("features", "is given beside a formula", "Leave it out.");
        *features = pnstrdup(right, length);
    }
    if (length == 0 && *features == NULL)
        fit_fail_no_features();
    return source_column_written(source, "target", target, target_length);
}

/* automl(source, target, options) */
PG_FUNCTION_INFO_V1(pgfit_automl);
PGDLLEXPORT Datum pgfit_automl(PG_FUNCTION_ARGS)
{
    static const char *const names[] = {"source", "target", "options"};
    TupleDesc description;
    Tuplestorestate *store = rows_begin(fcinfo, &description);
    Contest contest = {NULL};
    SearchOptions options;
    Candidate **candidates;
    bool classes;
    int target, count;

    require_arguments(fcinfo, "automl", names, lengthof(names));
    options = automl_options(PG_GETARG_JSONB_P(2));
    SPI_connect();
    contest.source = source_of_text(text_to_cstring(PG_GETARG_TEXT_PP(0)));
    target = read_target(contest.source, text_to_cstring(PG_GETARG_TEXT_PP(1)), &options.features);
    contest.formula = target_formula(contest.source, target, options.features);
    contest.fit = options.fit;
    contest.folds = options.folds;
    contest.per_scan = options.per_scan;
    classes = is_class(contest.source, target, options.task);
    candidates = make_candidates(&options, classes ? classifiers : regressions, classes ? lengthof(classifiers) : lengthof(regressions), classes, &count);
    contest_metric(&contest, fit_query(candidates[0]->estimator, contest.source, contest.formula, json_options_parse("{}")), options.metric);
    contest_find_common(&contest, candidates, count);
    judge_in_time(&contest, candidates, count, options.time_budget);
    if (options.store != NULL)
        contest_store(&contest, candidates[0], options.store);
    contest_note_fewer(candidates, count, options.store != NULL);
    contest_rows(&contest, candidates, count, store, description);
    SPI_finish();
    return (Datum)0;
}
