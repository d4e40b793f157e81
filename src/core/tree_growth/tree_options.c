/*
 * tree_options.c - options that methods which grow trees share.
 */
#include "core/tree_growth/tree_binned.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const char *const nulls_choices[] = {"branch", "skip", "error", NULL};
static const char *const feature_choices[] = {"all", "sqrt", "log2", NULL};

const OptionSpec tree_nulls_options[] = {
    {.name = "nulls",
     .types = OPTION_STRING,
     .fallback = "\"branch\"",
     .choices = nulls_choices,
     .help = "What to do with NULL features: learn at each split where they go (branch), skip the row, or raise an error."},
    {.name = "unseen",
     .types = OPTION_STRING,
     .fallback = "\"missing\"",
     .choices = (const char *const[]){"missing", "error", NULL},
     .help = "A level that did not occur in training goes where a NULL goes when scoring, or is an error."},
    {.name = NULL}};

const OptionSpec tree_growth_options[] = {
    {.name = "max_depth",
     .types = OPTION_INTEGER,
     .minimum = 0,
     .maximum = 1e6,
     .unset = "no limit",
     .help = "The most splits between the root and a leaf."},
    {.name = "max_features",
     .types = OPTION_INTEGER | OPTION_NUMBER | OPTION_STRING,
     .minimum = 0,
     .minimum_open = true,
     .maximum = 1e6,
     .choices = feature_choices,
     .unset = "all",
     .help = "How many features, drawn at random, each split chooses from: a number, a share below 1, sqrt or log2 of "
             "the features, or all."},
    {.name = "max_leaf_nodes",
     .types = OPTION_INTEGER,
     .minimum = 2,
     .maximum = 1e9,
     .unset = "no limit",
     .help = "The most leaves of a tree, of which the node that gains most is split first."},
    {.name = "min_impurity_decrease",
     .types = OPTION_NUMBER,
     .fallback = "0",
     FROM_ZERO,
     .help = "A split must decrease the impurity of the whole tree by at least this much."},
    {.name = "min_samples_leaf",
     .types = OPTION_INTEGER,
     .fallback = "1",
     .minimum = 1,
     .maximum = 1e9,
     .help = "The fewest rows of a leaf; with weight_kind frequency, a row counts as often as it occurs."},
    {.name = "min_samples_split",
     .types = OPTION_INTEGER,
     .fallback = "2",
     .minimum = 2,
     .maximum = 1e9,
     .help = "The fewest rows of a node that is split."},
    {.name = NULL}};

const OptionSpec tree_monotone_options[] = {
    {.name = "monotone",
     .types = OPTION_OBJECT,
     .minimum = -1,
     .maximum = 1,
     .unset = "no constraint",
     .help = "Constrains the prediction, or the probability of the last of two classes: {\"feature\": 1} never to fall as the feature grows, -1 never "
             "to rise, 0 neither."},
    {.name = NULL}};

/* Returns how many features each split chooses from; 0: all. */
static uint32_t read_max_features(const Options *options, uint32_t slots)
{
    double wanted = slots;

    if (options_is(options, "max_features", "sqrt"))
        wanted = floor(sqrt(slots));
    else if (options_is(options, "max_features", "log2"))
        wanted = floor(log2(slots));
    else if (options_type(options, "max_features") == OPTION_INTEGER)
        wanted = (double)options_integer(options, "max_features");
    else if (options_type(options, "max_features") == OPTION_NUMBER)
        wanted = floor(options_number(options, "max_features") * slots);
    if (wanted < 1)
        wanted = 1;
    return wanted >= slots ? 0 : (uint32_t)wanted;
}

/* Returns the constraints of option "monotone" by slot; NULL: none. */
static const int8_t *read_monotone(Env *env, const Options *options, const Model *schema)
{
    uint32_t count;
    const char *const *names = options_keys(options, "monotone", &count);
    int8_t *constraints = env_array(env, (size_t)schema->slot_count + 1, 1);
    bool any = false;

    for (uint32_t i = 0; i < count; i++) {
        double sign = options_object_number(options, "monotone", names[i], 0);
        int field = schema_find_field(schema, names[i], strlen(names[i]));
        uint32_t slot = 0;

        if (field < 0)
            env_fail(env, ERROR_PARAMETER, "features(model) of a fit without the option lists the features.",
                     "option \"monotone\" names \"%s\", which is not a feature", names[i]);
        if (sign != 1 && sign != -1 && sign != 0)
            env_fail(env, ERROR_PARAMETER, "Use 1, -1 or 0.", "option \"monotone\" is %g for feature \"%s\"", sign,
                     names[i]);
        if (sign != 0 && schema_field_kind(schema, (uint32_t)field) == FIELD_CATEGORICAL)
            env_fail(env, ERROR_PARAMETER, "Constrain numeric features only.",
                     "feature \"%s\" is categorical, so it cannot have a monotone constraint", names[i]);
        for (uint32_t f = 0; f < (uint32_t)field; f++)
            slot += schema_field_width(schema, f);
        for (uint32_t w = 0; w < schema_field_width(schema, (uint32_t)field); w++)
            constraints[slot + w] = (int8_t)sign;
        any = any || sign != 0;
    }
    if (any && dictionary_size(schema, DICTIONARY_CLASSES) > 2)
        env_fail(env, ERROR_DATA, "Leave the option out, or merge the classes into two.",
                 "option \"monotone\" needs two classes, but there are %u", dictionary_size(schema, DICTIONARY_CLASSES));
    return any ? constraints : NULL;
}

TreeGrowth tree_growth_read(Env *env, const Options *options, const Rows *rows, const char *method)
{
    const Model *schema = rows_schema(rows);
    TreeGrowth growth = {.max_depth = UINT32_MAX};

    if (options_has(options, "criterion"))
        growth.criterion = (TreeCriterion)tree_criterion_of(options_string(options, "criterion"));
    if (options_type(options, "max_depth") != 0)
        growth.max_depth = (uint32_t)options_integer(options, "max_depth");
    growth.min_samples_split = (uint32_t)options_integer(options, "min_samples_split");
    growth.min_samples_leaf = (uint32_t)options_integer(options, "min_samples_leaf");
    if (options_type(options, "max_leaf_nodes") != 0)
        growth.max_leaf_nodes = (uint32_t)options_integer(options, "max_leaf_nodes");
    if (options_has(options, "max_features"))
        growth.max_features = read_max_features(options, schema->slot_count);
    growth.min_impurity_decrease = options_number(options, "min_impurity_decrease");
    if (options_has(options, "monotone"))
        growth.monotone = read_monotone(env, options, schema);
    growth.seed = (uint64_t)options_integer(options, "seed");
    growth.frequency = (schema->flags & MODEL_FREQUENCY) != 0;
    growth.binned = options_has(options, "split") && tree_binned_wanted(env, options, &growth, rows, method);
    return growth;
}

/* Fails where the sum of the squares of the targets about their mean could pass the range of doubles: no split would be better than none. */
static void require_squares(Env *env, const TreeColumns *columns, const char *method)
{
    double low = INFINITY, high = -INFINITY;

    for (uint32_t i = 0; i < columns->rows; i++) {
        low = fmin(low, columns->targets[i]);
        high = fmax(high, columns->targets[i]);
    }
    if (high > low && !isfinite((high - low) * (high - low) * fmax(1, columns->weight)))
        env_fail(env, ERROR_RANGE, "Divide the target by a power of ten, or use smaller weights.",
                 "the targets of %s differ by up to %g, whose square times the weights is out of the range of double precision", method, high - low);
}

TreeColumns *tree_load(Env *env, Rows *rows, unsigned what, TreeGrowth *growth, size_t room, const char *method)
{
    TreeColumns *columns = growth->binned ? tree_binned_columns(env, rows, what, growth, room, method)
                                          : tree_columns(env, rows, what | tree_grow_columns(growth),
                                                         tree_grow_room(growth, rows_slots(rows)) + room, method);

    if (columns->targets != NULL && growth->criterion == TREE_MSE)
        require_squares(env, columns, method);
    tree_columns_scale(columns);
    growth->min_impurity_decrease /= fmax(DBL_MIN, tree_impurity_unit(growth, columns->unit));
    return columns;
}
