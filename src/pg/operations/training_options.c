/*
 * training_options.c - reads the options of train, and writes the conditions of a hold-out.
 */
#include "pg/operations/conformal_fit.h"
#include "pg/type/json_options.h"
#include "pg/operations/training.h"
#include "pg/values/output_settings.h"

#include <math.h>

#include "access/htup_details.h"
#include "access/stratnum.h"
#include "catalog/pg_operator.h"
#include "executor/spi.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#define FRACTION 0.2

#define HOLDOUT_HINT "Write {\"fraction\": 0.2}, {\"fraction\": 0.2, \"key\": \"column\", \"seed\": 1}, {\"time\": \"column\", \"fraction\": 0.2}, " \
    "{\"time\": \"column\", \"after\": \"2026-01-31\"}, {\"folds\": 5}, or false for none."

/* Fails for a key of the hold-out that is none of these. */
static void require_keys(Jsonb *json, const char *const *known)
{
    static const char *const keys[] = {"fraction", "seed", "key", "time", "after", "folds"};
    JsonbIterator *iterator = JsonbIteratorInit(&json->root);
    JsonbIteratorToken token;
    JsonbValue value;

    while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE) {
        const char *const *name = known, *key, *meant, *note;

        if (token != WJB_KEY)
            continue;
        key = pnstrdup(value.val.string.val, value.val.string.len);
        while (*name != NULL && strcmp(*name, key) != 0)
            name++;
        if (*name != NULL)
            continue;
        meant = option_meant(key, strlen(key), keys, lengthof(keys), &note);
        json_options_fail("holdout", psprintf("has no key \"%s\" of this kind", key),
                    psprintf("%s%s", meant != NULL && strcmp(meant, key) != 0 ? psprintf("Did you mean \"%s\"? ", meant) : "", HOLDOUT_HINT));
    }
}

static void require_fraction(double fraction)
{
    if (!(fraction > 0 && fraction < 1))
        json_options_fail("holdout", psprintf("has a fraction of %g, not between 0 and 1", fraction), HOLDOUT_HINT);
}

static HoldoutKind holdout_object(Jsonb *json)
{
    static const char *const by_hash[] = {"fraction", "seed", "key", NULL};
    static const char *const by_time[] = {"time", "fraction", "after", NULL};

    if (json_options_has(json, "folds"))
        return HOLDOUT_FOLDS; /* cross_validate checks its options */
    if (!json_options_has(json, "time")) {
        require_keys(json, by_hash);
        return HOLDOUT_HASH;
    }
    require_keys(json, by_time);
    if (json_options_has(json, "fraction") && json_options_has(json, "after"))
        json_options_fail("holdout", "has both \"fraction\" and \"after\"", "Give one of them.");
    return HOLDOUT_TIME;
}

static int64 read_seed(Jsonb *holdout)
{
    double seed = json_options_number(holdout, "seed", 0);

    if (!(fabs(seed) < 1e15) || seed != floor(seed))
        json_options_fail("holdout", psprintf("has \"seed\": %s, which is not a whole number of at most 15 digits", json_options_double(seed)), HOLDOUT_HINT);
    return (int64)seed;
}

/* Returns the last time that is fitted as text, of which a number is the time of a column of numbers; NULL: the options have none. */
static char *read_after(Jsonb *holdout)
{
    JsonbValue value;

    if (json_options_value(holdout, "after", &value) && value.type == jbvNumeric)
        return json_options_text(JsonbValueToJsonb(&value));
    return json_options_string(holdout, "after");
}

static Holdout read_holdout(Jsonb *options)
{
    Holdout holdout = {.kind = HOLDOUT_HASH, .fraction = FRACTION, .column = -1};
    JsonbValue value;

    if (!json_options_value(options, "holdout", &value))
        return holdout;
    holdout.json = JsonbValueToJsonb(&value);
    if (value.type == jbvNull || (value.type == jbvBool && !value.val.boolean)) {
        holdout.kind = HOLDOUT_NONE;
    } else if (value.type == jbvNumeric) {
        holdout.fraction = json_options_number(options, "holdout", 0);
    } else if (value.type == jbvBinary && JsonContainerIsObject(value.val.binary.data)) {
        holdout.kind = holdout_object(holdout.json);
        holdout.fraction = json_options_number(holdout.json, "fraction", FRACTION);
        holdout.seed = read_seed(holdout.json);
        holdout.after = read_after(holdout.json);
    } else {
        json_options_fail("holdout", "must be an object, a fraction, or false", HOLDOUT_HINT);
    }
    if (holdout.kind != HOLDOUT_NONE)
        require_fraction(holdout.fraction);
    return holdout;
}

/* Options of train that fit does not have. */
static const char *const own[] = {"holdout", "refit", "promote", "metrics", "margin", "options"};

TrainingOptions training_options(Jsonb *options)
{
    TrainingOptions read;
    char *failure;

    options = json_options_renamed(options, "train", own, lengthof(own));
    failure = json_options_string_or_null(options, "on_failure");
    read.holdout = read_holdout(options);
    read.rule = (PromotionRule)json_options_choice(options, "promote", (const char *const[]){"always", "if_better", "never", NULL});
    read.refit = json_options_boolean(options, "refit", read.rule != PROMOTE_IF_BETTER || read.holdout.kind == HOLDOUT_FOLDS);
    read.metric = json_options_string(options, "metrics");
    read.margin = json_options_number(options, "margin", 0);
    if (!(read.margin >= 0))
        json_options_fail("margin", psprintf("is %g, below 0", read.margin), "Give the least gain that is worth a promotion.");
    read.record_failure = failure != NULL && strcmp(failure, "record") == 0;
    read.fit = json_options_rest(read.record_failure ? json_options_without(options, "on_failure") : options, own, lengthof(own));
    return read;
}

/* Tells whether an option is a list of numbers, of which one model is made that has no metrics. */
static bool fits_list(const FitQuery *query)
{
    const char *option = query->estimator->list_option;
    JsonbValue value;

    return option != NULL && json_options_value(json_options_parse(query->options), option, &value) && value.type == jbvBinary &&
           JsonContainerIsArray(value.val.binary.data);
}

void training_options_complete(TrainingOptions *options, const FitQuery *query)
{
    Holdout *holdout = &options->holdout;
    EvaluationMetrics choice = evaluation_metrics(query, options->metric, holdout->kind == HOLDOUT_FOLDS);
    char *name;

    fit_require_names(query->estimator, options->fit, own, lengthof(own));
    if ((choice.decides < 0 || fits_list(query)) && holdout->json == NULL)
        holdout->kind = HOLDOUT_NONE;
    if (holdout->kind != HOLDOUT_NONE && fits_list(query))
        json_options_fail("holdout", psprintf("does not go with a list in \"%s\", whose model is not evaluated", query->estimator->list_option),
                    "Train one number of the list at a time, or leave \"holdout\" out.");
    if (holdout->kind == HOLDOUT_NONE && options->rule == PROMOTE_IF_BETTER)
        json_options_fail("promote", psprintf("cannot be \"if_better\" for %s%s", query->estimator->name, choice.decides < 0 ? "" : " without a hold-out"),
                    choice.decides < 0 ? "Its models are not evaluated: promote \"always\" or \"never\"." : HOLDOUT_HINT);
    if (choice.decides < 0 && holdout->kind != HOLDOUT_NONE)
        json_options_fail("holdout", psprintf("does not apply to %s", query->estimator->name),
                    holdout->kind == HOLDOUT_FOLDS ? "Its models are not evaluated by folds: hold out rows, or leave it out." : "Its models are not evaluated: leave it out.");
    if (holdout->kind == HOLDOUT_FOLDS && query->passes != NULL)
        json_options_fail("holdout", "has folds, which keep the rows, but the fit is by passes", "Hold out rows by a hash or by time.");
    if (holdout->kind == HOLDOUT_NONE || holdout->kind == HOLDOUT_FOLDS) {
        if (!options->refit)
            json_options_fail("refit", "needs rows that are held out", "Leave it out: the model is fitted to all rows.");
        return;
    }
    name = holdout->json != NULL && JB_ROOT_IS_OBJECT(holdout->json) ? json_options_string(holdout->json, holdout->kind == HOLDOUT_TIME ? "time" : "key")
                                                                     : NULL;
    if (name != NULL)
        holdout->column = source_column(query->source, holdout->kind == HOLDOUT_TIME ? "time of the hold-out" : "key of the hold-out", name);
    if (holdout->kind == HOLDOUT_HASH && query->conformal != NULL && !query->conformal->folds && query->conformal->key == holdout->column && query->conformal->seed == holdout->seed)
        json_options_fail("conformal", "deals the rows by the key and the seed of the hold-out", "Give it another \"seed\".");
}

/* Returns the time up to which rows are fitted, so that about the last fraction of them comes later. */
static char *cut_of_time(const Holdout *holdout, const FitQuery *query)
{
    char *time = source_column_sql(query->source, holdout->column), *cut;
    int settings;

    SPI_execute(psprintf("SELECT pg_catalog.percentile_disc(%s) WITHIN GROUP (ORDER BY %s) FROM %s AS %s", json_options_double(1 - holdout->fraction), time,
                         query->source->from, query->source->alias),
                true, 0);
    settings = output_settings_begin(OUTPUT_ANY); /* every session reads the text in the same way */
    cut = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);
    output_settings_end(settings);
    if (cut == NULL)
        ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION), errmsg("the source has no row with a %s to hold out by",
                                                                NameStr(TupleDescAttr(query->source->columns, holdout->column)->attname))));
    return cut;
}

/*
 * Fails for a time of several values. The cut is written as a literal, and reading one of a row, an array or a range may run what its maker put
 * into it: the checks of a domain, or a function that makes ranges canonical.
 */
static void require_time(const FitQuery *query, int column)
{
    Form_pg_attribute attribute = TupleDescAttr(query->source->columns, column);
    Oid type = getBaseType(attribute->atttypid);
    char kind = get_typtype(type);

    if ((kind != TYPTYPE_BASE && kind != TYPTYPE_ENUM) || OidIsValid(get_element_type(type)))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("rows cannot be held out by the time \"%s\": %s is not a type of single values", NameStr(attribute->attname), format_type_be(attribute->atttypid)),
                        errhint("Take a date, a time or a number out of it in the source.")));
}

/* Writes the operator of the order of a type, by its schema, so that none of the search path takes its place. */
static char *comparison(Oid type, StrategyNumber strategy)
{
    const TypeCacheEntry *entry = lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY);
    Oid found = OidIsValid(entry->btree_opf) ? get_opfamily_member(entry->btree_opf, entry->btree_opintype, entry->btree_opintype, strategy) : InvalidOid;
    HeapTuple tuple;
    Form_pg_operator form;
    char *written;

    if (!OidIsValid(found))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("rows cannot be held out by a time of type %s, which has no order", format_type_be(type)),
                        errhint("Take a date, a time or a number out of it in the source.")));
    tuple = SearchSysCache1(OPEROID, ObjectIdGetDatum(found));
    if (!HeapTupleIsValid(tuple))
        elog(ERROR, "cache lookup failed for operator %u", found);
    form = (Form_pg_operator)GETSTRUCT(tuple);
    written = psprintf("OPERATOR(%s.%s)", quote_identifier(get_namespace_name(form->oprnamespace)), NameStr(form->oprname));
    ReleaseSysCache(tuple);
    return written;
}

HoldoutConditions holdout_conditions(const Holdout *holdout, const FitQuery *query)
{
    HoldoutConditions conditions = {NULL};
    char *time, *split, *cut;
    Oid type;

    if (holdout->kind == HOLDOUT_HASH) {
        split = psprintf("pgfit.split(%s, %s%s)",
                         holdout->column >= 0 ? source_column_sql(query->source, holdout->column) : query->source->alias,
                         json_options_double(1 - holdout->fraction), holdout->seed != 0 ? psprintf(", " INT64_FORMAT, holdout->seed) : "");
        conditions.fitted = split;
        conditions.held_out = psprintf("NOT %s", split);
    } else if (holdout->kind == HOLDOUT_TIME) {
        require_time(query, holdout->column);
        time = source_column_sql(query->source, holdout->column);
        conditions.cut = holdout->after != NULL ? holdout->after : cut_of_time(holdout, query);
        type = TupleDescAttr(query->source->columns, holdout->column)->atttypid;
        cut = source_literal(query->source, holdout->column, conditions.cut);
        conditions.fitted = psprintf("%s %s %s", time, comparison(type, BTLessEqualStrategyNumber), cut);
        conditions.held_out = psprintf("%s %s %s", time, comparison(type, BTGreaterStrategyNumber), cut);
    }
    return conditions;
}
