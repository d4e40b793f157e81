/*
 * search_options.c - reads the options of search and automl. Those that say how to judge go on to cross_validate, which checks them.
 */
#include "pg/operations/search_options.h"
#include "pg/type/json_options.h"

#include <limits.h>
#include <math.h>

#include "utils/timestamp.h"

#define DRAWS 20
#define ETA 3
#define PER_SCAN 8
#define PER_SCAN_MAX 100
#define OUTER_MAX 100

/* Options of cross_validate that search takes as its own. */
static const char *const judging[] = {"fold_column", "folds", "group_column", "min_probability", "positive", "seed", "stratified", "test_folds", "time_column", NULL};
static const char *const common[] = {"metrics", "options", "per_scan", "prepare", "store", "weight", NULL};
static const char *const of_search[] = {"eta", "method", "n", "nested", NULL};
static const char *const of_automl[] = {"estimators", "features", "task", "time_budget", NULL};

/* Writes the names of several lists, each of which ends with NULL, one after another; returns their number. */
static uint32 all_names(const char *const *const *lists, int list_count, const char **names)
{
    uint32 count = 0;

    for (int i = 0; i < list_count; i++)
        for (const char *const *name = lists[i]; *name != NULL; name++)
            names[count++] = *name;
    return count;
}

/* Returns the options by their current names. Fails for one that is in none of the lists. */
static Jsonb *known_options(Jsonb *options, const char *function, const char *const *own)
{
    const char *const *const lists[] = {judging, common, own};
    const char *names[40];
    uint32 count = all_names(lists, lengthof(lists), names);

    return json_options_known(options, function, names, count, "; those of the estimator go under \"options\"");
}

/* Returns those options of which the names are in the list, as an object. */
static Jsonb *chosen(Jsonb *options, const char *const *names)
{
    StringInfoData json;
    JsonbValue value;

    initStringInfo(&json);
    for (; *names != NULL; names++)
        if (json_options_value(options, *names, &value)) {
            Jsonb *one = JsonbValueToJsonb(&value);

            json_options_quote(&json, json.len == 0 ? "{" : ", ", *names);
            appendStringInfo(&json, ": %s", json_options_text(one));
        }
    appendStringInfoString(&json, json.len == 0 ? "{}" : "}");
    return json_options_parse(json.data);
}

SearchOptions evaluate_options(Jsonb *options)
{
    static const char *const own[] = {"metrics", "options", NULL};
    const char *const *const lists[] = {judging, own};
    const char *names[lengthof(judging) + lengthof(own)];
    uint32 count = all_names(lists, lengthof(lists), names);
    SearchOptions read = {.eta = ETA};
    JsonbValue value;

    options = json_options_renamed(options, "evaluate", names, count);
    read.fit = json_options_rest(options, names, count);
    read.folds = chosen(options, judging);
    if (json_options_value(options, "metrics", &value))
        read.metrics = JsonbValueToJsonb(&value);
    return read;
}

static SearchOptions read_common(Jsonb *options)
{
    static const char *const of_fit[] = {"prepare", "weight", NULL};
    SearchOptions read = {.eta = ETA, .time_budget = INFINITY};
    JsonbValue value;

    read.fit = json_options_parse("{}");
    if (json_options_value(options, "options", &value)) {
        read.fit = JsonbValueToJsonb(&value);
        json_options_require_object(read.fit);
    }
    read.fit = json_options_add(read.fit, chosen(options, of_fit));
    read.folds = chosen(options, judging);
    read.metric = json_options_string(options, "metrics");
    read.store = json_options_string(options, "store");
    read.group = json_options_string(options, "group_column");
    read.per_scan = json_options_whole(options, "per_scan", PER_SCAN, 1, PER_SCAN_MAX);
    read.seed = json_options_whole(options, "seed", 0, 0, INT_MAX);
    return read;
}

SearchOptions search_options(Jsonb *options)
{
    SearchOptions read;

    options = known_options(options, "search", of_search);
    read = read_common(options);
    read.method = (SearchMethod)json_options_choice(options, "method", (const char *const[]){"grid", "random", "halving", NULL});
    if (read.method == SEARCH_GRID && json_options_has(options, "n"))
        json_options_fail("n", "does not apply to a grid", "Draw with {\"method\": \"random\", \"n\": 20}.");
    if (read.method == SEARCH_RANDOM || json_options_has(options, "n"))
        read.draws = json_options_whole(options, "n", DRAWS, 1, INT_MAX); /* the most is checked where candidates are made */
    if (read.method != SEARCH_HALVING && json_options_has(options, "eta"))
        json_options_fail("eta", "applies to halving alone", NULL);
    read.eta = json_options_number(options, "eta", ETA);
    if (!(read.eta >= 1.5 && read.eta <= 100))
        json_options_fail("eta", psprintf("must be from 1.5 to 100, not %s", json_options_double(read.eta)), NULL);
    read.nested = json_options_has(options, "nested") ? json_options_whole(options, "nested", 5, 2, OUTER_MAX) : 0;
    if (read.nested > 0 && (json_options_has(options, "time_column") || json_options_has(options, "fold_column")))
        json_options_fail("nested", "does not go with \"time_column\" or \"fold_column\"",
                           "Search on the earlier rows, and evaluate the model that was stored on the later ones.");
    return read;
}

/* Returns the budget in seconds: a number, or an interval as text. */
static double time_budget(Jsonb *options)
{
    char *text = json_options_string_or_null(options, "time_budget");
    double seconds;

    if (!json_options_has(options, "time_budget"))
        return INFINITY;
    if (text != NULL) {
        Interval *interval = DatumGetIntervalP(
            DirectFunctionCall3(interval_in, CStringGetDatum(text), ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1)));

        seconds = (double)interval->time / USECS_PER_SEC + ((double)interval->day + 30.0 * interval->month) * SECS_PER_DAY;
    } else {
        seconds = json_options_number(options, "time_budget", 0);
    }
    if (!(seconds > 0))
        json_options_fail("time_budget", psprintf("must be above 0, not %s", json_options_double(seconds)), "Give seconds, or an interval such as \"5 min\".");
    return seconds;
}

SearchOptions automl_options(Jsonb *options)
{
    SearchOptions read;
    JsonbValue value;

    options = known_options(options, "automl", of_automl);
    read = read_common(options);
    read.task = json_options_string(options, "task");
    (void)json_options_choice(options, "task", (const char *const[]){"regression", "classification", NULL});
    read.features = json_options_string(options, "features");
    read.time_budget = time_budget(options);
    if (json_options_value(options, "estimators", &value)) {
        read.estimators = JsonbValueToJsonb(&value);
        if (!JB_ROOT_IS_ARRAY(read.estimators) || JB_ROOT_IS_SCALAR(read.estimators) || JB_ROOT_COUNT(read.estimators) == 0)
            json_options_fail("estimators", "must be a list of names", "Write [\"ridge_regression\", \"forest_regression\"].");
    }
    return read;
}
