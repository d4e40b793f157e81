/*
 * special_columns.c - reads from the options which column of the feature row holds the fold or the id, and how
 * rows are assigned to folds.
 */
#include "core/rows/special_columns.h"
#include "core/base/json.h"
#include "core/base/random.h"

#include <string.h>

const OptionSpec options_folds[] = {
    {.name = "fold_column",
     .types = OPTION_STRING,
     .unset = "folds by a hash of the row",
     .help = "A column of the feature row whose integers are the folds of cross-validation; it is not used as a "
             "feature."},
    {.name = "folds",
     .types = OPTION_INTEGER,
     .fallback = "10",
     .minimum = 2,
     .maximum = FOLDS_MAX,
     .help = "Number of folds for cross-validation, to which a hash assigns the rows: equal rows share a fold, and empty folds are skipped."},
    {.name = "seed",
     .types = OPTION_INTEGER,
     .fallback = "0",
     .help = "Seed of the random choices: another one assigns the rows to different folds."},
    {.name = NULL}};

const OptionSpec option_id_column[] = {
    {.name = "id_column",
     .types = OPTION_STRING,
     .unset = "no ids",
     .help = "A column of the feature row with the ids of the rows, which the model keeps; it is not used as a "
             "feature."},
    {.name = NULL}};

bool options_folded(const Options *options)
{
    if (!options_has(options, "fold_column")) /* folds of rows that are kept: the method's own affair */
        return false;
    if (options_given(options, "folds") || options_given(options, "fold_column"))
        return true;
    return options_has(options, "lambda") && options_has(options, "select") &&
           (options_is(options, "lambda", "cv") || options_is(options, "select", "min") || options_is(options, "select", "1se"));
}

/* Returns the name of the column that holds the folds; NULL: there are none, or a hash assigns them. */
static const char *fold_column(const Options *options)
{
    return options_folded(options) ? options_string(options, "fold_column") : NULL;
}

FoldPlan fold_plan(const Options *options)
{
    FoldPlan plan = {0, 0};

    if (fold_column(options) == NULL) {
        plan.folds = options_integer(options, "folds");
        plan.seed = options_integer(options, "seed");
    }
    return plan;
}

/* The options that name columns. Those of cross_validate that are named folds are told apart by options_folded. */
static const struct {
    SpecialUse use;
    const char *option;
} namers[] = {{SPECIAL_ID, "id_column"},     {SPECIAL_ID, "holdout_column"}, {SPECIAL_GROUP, "group_column"},
              {SPECIAL_TIME, "time_column"}, {SPECIAL_CLUSTER, "absorb"},    {SPECIAL_CLUSTER, "cluster"},
              {SPECIAL_ORDER, "order"}};
#define NAMERS (sizeof(namers) / sizeof(namers[0]))
/* Those of cross_validate that may stand beside an event. */
static const struct {
    SpecialUse use;
    const char *option;
} folders[] = {{SPECIAL_FOLD, "fold_column"}, {SPECIAL_GROUP, "group_column"}, {SPECIAL_TIME, "time_column"}};
#define FOLDERS (sizeof(folders) / sizeof(folders[0]))

/* Adds the columns that an option names, of which only as many as there may be. */
static void add_columns(const Options *options, const char *option, uint32_t most, SpecialColumn *special)
{
    const char *const *names;
    uint32_t count = 1;

    if (!options_given(options, option))
        return;
    names = options_strings(options, option, &count);
    for (uint32_t i = 0; i < count && i < most; i++)
        special->columns[special->count++] = names != NULL ? names[i] : options_string(options, option);
}

/* Returns the columns of options "absorb" and "cluster". */
static SpecialColumn cluster_columns(const Options *options)
{
    SpecialColumn special = {.use = SPECIAL_CLUSTER, .option = "cluster"};

    add_columns(options, "absorb", ABSORBED_COLUMNS_MAX, &special);
    special.absorbed = special.count;
    add_columns(options, "cluster", CLUSTER_COLUMNS_MAX, &special);
    return special;
}

/* Returns the columns of options "event", "entry", "strata" and "cluster", and the one that decides about folds. */
static SpecialColumn event_columns(const Options *options)
{
    SpecialColumn special = {.use = SPECIAL_EVENT, .option = "event"};

    add_columns(options, "event", 1, &special);
    special.entry = options_given(options, "entry") ? special.count : 0;
    add_columns(options, "entry", 1, &special);
    special.stratum = options_given(options, "strata") ? special.count : 0;
    add_columns(options, "strata", 1, &special);
    special.cluster = options_given(options, "cluster") ? special.count : 0;
    add_columns(options, "cluster", 1, &special);
    for (size_t i = 0; i < FOLDERS && special.fold == SPECIAL_NONE; i++) {
        special.fold_at = special.count;
        add_columns(options, folders[i].option, 1, &special);
        special.fold = special.count > special.fold_at ? folders[i].use : SPECIAL_NONE;
    }
    return special;
}

const char *special_option(const SpecialColumn *special, uint32_t number)
{
    if (number < special->absorbed)
        return "absorb";
    if (special->use != SPECIAL_EVENT || number == 0)
        return special->option;
    for (size_t i = 0; i < FOLDERS && special->fold != SPECIAL_NONE && number == special->fold_at; i++)
        if (folders[i].use == special->fold)
            return folders[i].option;
    return number == special->entry ? "entry" : number == special->stratum ? "strata" : "cluster";
}

SpecialColumn special_column(const Options *options)
{
    const char *folds = fold_column(options);

    if (options_given(options, "event"))
        return event_columns(options);
    if (folds != NULL)
        return (SpecialColumn){.use = SPECIAL_FOLD, .fold = SPECIAL_FOLD, .option = "fold_column", .count = 1, .columns = {folds}};
    for (size_t i = 0; i < NAMERS; i++) {
        if (!options_given(options, namers[i].option))
            continue;
        if (namers[i].use == SPECIAL_CLUSTER)
            return cluster_columns(options);
        return (SpecialColumn){.use = namers[i].use, .fold = namers[i].use, .option = namers[i].option, .count = 1, .columns = {options_string(options, namers[i].option)}};
    }
    return (SpecialColumn){.use = SPECIAL_NONE};
}

bool special_is(const SpecialColumn *special, const char *name, size_t length)
{
    for (uint32_t i = 0; i < special->count; i++)
        if (strlen(special->columns[i]) == length && memcmp(special->columns[i], name, length) == 0)
            return true;
    return false;
}

uint32_t special_distinct(const SpecialColumn *special)
{
    uint32_t distinct = 0;

    for (uint32_t i = 0; i < special->count; i++) {
        uint32_t before = 0;

        while (before < i && strcmp(special->columns[before], special->columns[i]) != 0)
            before++;
        distinct += before == i;
    }
    return distinct;
}

uint32_t special_tags(const SpecialColumn *special)
{
    return special->use == SPECIAL_CLUSTER ? 2 * special->count : special->use == SPECIAL_ORDER;
}

void event_tag_write(double entry, bool event, char bytes[EVENT_TAG_BYTES])
{
    memcpy(bytes, &entry, sizeof entry);
    bytes[sizeof entry] = (char)event;
}

EventTag event_tag_read(Env *env, const SpecialColumn *special, const char *id, uint32_t length)
{
    uint32_t head = EVENT_TAG_BYTES + (special->cluster > 0 ? (uint32_t)(2 * sizeof(double)) : 0);
    EventTag tag = {.stratum = id + head, .length = length - head};

    if (length < head)
        env_fail(env, ERROR_INTERNAL, NULL, "a row lacks its event");
    memcpy(&tag.entry, id, sizeof tag.entry);
    tag.event = id[sizeof tag.entry] != 0;
    if (special->cluster > 0)
        memcpy(tag.cluster, id + EVENT_TAG_BYTES, sizeof tag.cluster);
    return tag;
}

void special_text_tags(const char *text, uint32_t length, double tags[2])
{
    uint64_t first = UINT64_C(14695981039346656037), second = length;

    for (uint32_t i = 0; i < length; i++) {
        first = (first ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
        second = mix64(second + (unsigned char)text[i] + 1);
    }
    tags[0] = (double)(mix64(first) >> 11);
    tags[1] = (double)(second >> 11);
}

const char *special_content(const SpecialColumn *special)
{
    static const char *const contents[] = {"", "folds", "ids", "groups", "times", "clusters", "order", "event, entry, stratum or cluster"};

    return strcmp(special->option, "holdout_column") == 0 ? "hold-out" : contents[special->use];
}

/* Adds the names of columns of a text or of an array of texts. */
static void add_json_columns(Env *env, const Json *root, const char *option, uint32_t most, SpecialColumn *special)
{
    const Json *value = json_get(root, option);
    uint32_t end = special->count + most;

    if (value != NULL && value->type == JSON_STRING)
        special->columns[special->count++] = json_string(env, value);
    else if (value != NULL && value->type == JSON_ARRAY)
        for (const Json *name = json_first(value); name != NULL && special->count < end; name = json_next(value, name))
            if (name->type == JSON_STRING)
                special->columns[special->count++] = json_string(env, name);
}

/* Reads the columns of a use; special.count is 0 where there are none. */
static SpecialColumn json_columns(Env *env, const Json *root, SpecialUse use, const char *option)
{
    SpecialColumn special = {.use = use, .option = option};

    if (use == SPECIAL_EVENT) {
        add_json_columns(env, root, "event", 1, &special);
        if (special.count == 0)
            return special;
        special.entry = json_get(root, "entry") != NULL ? special.count : 0;
        add_json_columns(env, root, "entry", 1, &special);
        special.stratum = json_get(root, "strata") != NULL ? special.count : 0;
        add_json_columns(env, root, "strata", 1, &special);
        special.cluster = json_get(root, "cluster") != NULL ? special.count : 0;
        add_json_columns(env, root, "cluster", 1, &special);
        for (size_t i = 0; i < FOLDERS && special.fold == SPECIAL_NONE; i++) {
            special.fold_at = special.count;
            add_json_columns(env, root, folders[i].option, 1, &special);
            special.fold = special.count > special.fold_at ? folders[i].use : SPECIAL_NONE;
        }
        return special;
    }
    if (use != SPECIAL_CLUSTER) {
        add_json_columns(env, root, option, 1, &special);
        return special;
    }
    special.option = "cluster";
    add_json_columns(env, root, "absorb", ABSORBED_COLUMNS_MAX, &special);
    special.absorbed = special.count;
    add_json_columns(env, root, "cluster", CLUSTER_COLUMNS_MAX, &special);
    return special;
}

RowOptions state_row_options(Env *env, const Model *state)
{
    uint32_t length;
    const char *text = model_options(state, &length);
    RowOptions options = {.selected = false};
    const Json *root;

    if (length == 0)
        return options;
    root = json_parse(env, text, length, ERROR_CORRUPT, "options");
    options.special = json_columns(env, root, SPECIAL_EVENT, "event");
    if (options.special.count == 0)
        options.special = json_columns(env, root, SPECIAL_FOLD, "fold_column");
    for (size_t i = 0; i < NAMERS && options.special.count == 0; i++)
        options.special = json_columns(env, root, namers[i].use, namers[i].option);
    options.selected = json_get(root, "features") != NULL || json_get(root, "formula") != NULL;
    options.reference = json_get(root, "reference");
    return options;
}
