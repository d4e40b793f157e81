/*
 * neighbors_fit.c - fitting models that keep their rows: sorting the rows, and choosing k by leave-one-out.
 */
#include "core/estimator/class_options.h"
#include "core/neighbors/neighbor_blocks.h"
#include "core/neighbors/neighbors_model.h"
#include "core/rows/row_design.h"

#include <math.h>
#include <string.h>

/* The rows to store: in the order of arrival, later in that of the model. */
typedef struct Kept {
    Env *env;
    const Estimator *estimator;
    Model *schema; /* with classes and levels in final order */
    uint32_t count, slots;
    double *x;         /* [count x slots] */
    double *targets;   /* [count] or NULL */
    uint32_t *classes; /* [count] or NULL */
    double *weights;   /* [count] or NULL */
    const char **ids;  /* [count] or NULL */
    uint32_t *id_lengths;
    char *id_bytes;
    uint64_t spare;    /* bytes of the budget for more processes */
} Kept;

void neighbors_require_size(Env *env, const char *estimator, uint64_t rows, uint64_t numbers,
                             uint64_t id_bytes)
{
    /* numbers as base64; quotes and a comma per id */
    double text = (double)rows * (double)numbers * 8 * 4 / 3 + (double)id_bytes;

    if (id_bytes > 0)
        text += 3 * (double)rows;
    if (text > MODEL_MAX_TEXT || rows > UINT32_MAX - 1)
        env_fail(env, ERROR_LIMIT, "Fit a sample of the rows, or one model per group of rows.",
                 "a model of %s keeps its rows: %llu rows of %llu numbers would take %.0f MB as text, but at most "
                 "%u are allowed",
                 estimator, (unsigned long long)rows, (unsigned long long)numbers, text / 1e6,
                 MODEL_MAX_TEXT / 1000000u);
}

/* ---- options ---- */

/*
 * Fails if options of a kernel are given in vain: gamma and sigma are for gaussian weights and metric kernel, the others for the
 * metric.
 */
static void refuse_kernel_options(Env *env, const Options *options, bool gaussian)
{
    static const char *const names[] = {"gamma", "sigma", "coef0", "decay", "degree", "kernel", "length", "normalized"};
    bool kernel = options_is(options, "metric", "kernel");

    for (int i = 0; i < 5; i++) {
        bool of_both = i < 2 && options_has(options, "weights");

        if (!options_given(options, names[i]))
            continue;
        if (!kernel && !of_both)
            env_fail(env, ERROR_PARAMETER, "Give \"metric\": \"kernel\".",
                     "option \"%s\" is for metric kernel", names[i]);
        if (!kernel && !gaussian)
            env_fail(env, ERROR_PARAMETER,
                     "Give \"weights\": \"gaussian\", or \"metric\": \"kernel\".",
                     "option \"%s\" is for gaussian weights and for metric kernel", names[i]);
        if (kernel && gaussian && of_both)
            env_fail(env, ERROR_PARAMETER,
                     "Omit it, so that both use their defaults, or use other weights.",
                     "option \"%s\" is ambiguous: gaussian weights and metric kernel both take it",
                     names[i]);
    }
}

/* Fails if options exclude each other. weighs: the method has weights. */
static void refuse_options(Env *env, const Options *options, bool weighs)
{
    bool gaussian = weighs && options_is(options, "weights", "gaussian");

    if (options_given(options, "k") && options_given(options, "radius"))
        env_fail(env, ERROR_PARAMETER, "Leave one of them out.",
                 "neighbors are either the \"k\" nearest or all within the \"radius\", not both");
    if (options_given(options, "radius_inclusive") && !options_given(options, "radius"))
        env_fail(env, ERROR_PARAMETER, "Give \"radius\" too, or omit it.",
                 "option \"radius_inclusive\" is for neighbors within a radius");
    refuse_kernel_options(env, options, gaussian);
    if (gaussian && options_given(options, "gamma") && options_given(options, "sigma"))
        env_fail(env, ERROR_PARAMETER, "Give one of them: gamma = 1 / (2 sigma^2).",
                 "gaussian weights take \"gamma\" or \"sigma\", not both");
    if (weighs && options_given(options, "max_k") && !options_is(options, "k", "loo"))
        env_fail(env, ERROR_PARAMETER, "Give \"k\": \"loo\".",
                 "option \"max_k\" is for choosing k by leave-one-out");
}

/* Fails if k exceeds the rows: their number, or the sum of their counts. */
static void require_rows(Env *env, const char *estimator, int64_t k, double rows)
{
    if ((double)k > rows)
        env_fail(env, ERROR_DATA, "Use a smaller k, or \"all\".",
                 "k of %s is %lld, but there are only %.0f rows", estimator, (long long)k, rows);
}

/* Returns the rule, except its index, that the options ask for. rows: as require_rows takes it. */
static NeighborRule rule_of_options(const Kept *kept, const Options *options, double rows)
{
    Env *env = kept->env;
    bool weighs = kept->estimator->supervised;
    NeighborRule rule = {.gamma = 1};
    double sigma;

    refuse_options(env, options, weighs);
    if (options_given(options, "radius")) {
        rule.radius = options_is(options, "radius", "Infinity") ? INFINITY : options_number(options, "radius");
        rule.inclusive = options_boolean(options, "radius_inclusive");
    } else if (options_is(options, "k", "all")) {
        rule.k = rows < UINT32_MAX - 1 ? (uint32_t)rows : UINT32_MAX - 1;
    } else if (options_is(options, "k", "loo")) {
        rule.k = 1; /* choose_k sets it */
    } else if (options_given(options, "k")) {
        require_rows(env, kept->estimator->name, options_integer(options, "k"), rows);
        rule.k = (uint32_t)options_integer(options, "k");
    } else {
        rule.k = rows < NEIGHBORS_DEFAULT_K ? (uint32_t)rows : NEIGHBORS_DEFAULT_K;
    }
    if (!weighs)
        return rule;
    rule.weights = options_is(options, "weights", "distance")   ? WEIGHTS_DISTANCE
                   : options_is(options, "weights", "gaussian") ? WEIGHTS_GAUSSIAN
                   : options_is(options, "weights", "uniform")  ? WEIGHTS_UNIFORM
                                                                : WEIGHTS_EXPRESSION;
    if (rule.weights == WEIGHTS_EXPRESSION)
        neighbors_weight_option(env, options_string(options, "weights"));
    if (rule.weights == WEIGHTS_GAUSSIAN && options_given(options, "gamma"))
        rule.gamma = options_number(options, "gamma");
    if (rule.weights == WEIGHTS_GAUSSIAN && options_given(options, "sigma")) {
        sigma = options_number(options, "sigma");
        rule.gamma = 1 / sigma / sigma / 2;
        if (!(rule.gamma > 0 && isfinite(rule.gamma)))
            env_fail(env, ERROR_PARAMETER, NULL, "sigma %g is out of range", sigma);
    }
    rule.nearest_tie = kept->classes != NULL && options_is(options, "tie", "nearest");
    return rule;
}

/* Returns the index that option "index" asks for. Fails if the metric does not allow it. */
static IndexKind index_of_options(Env *env, const Options *options, const Metric *metric,
                                  uint32_t count)
{
    const char *name = options_string(options, "index");

    if (strcmp(name, "auto") == 0)
        return neighbor_index_auto(metric, count);
    if (strcmp(name, "brute") == 0)
        return INDEX_BRUTE;
    if (metric->form == FORM_KERNEL)
        env_fail(env, ERROR_PARAMETER, "Use \"index\": \"brute\", or kernel rbf or linear.",
                 "a %s needs distances between features, which kernel %s does not use", name,
                 kernel_name(metric->kernel.kind));
    if (metric->form == FORM_OBJECTS)
        env_fail(env, ERROR_PARAMETER, "Use \"index\": \"brute\".", "a %s needs features that are numbers, but metric %s compares values as they are",
                 name, metric_name(metric->kind));
    if (!neighbor_tree_possible(metric) && metric->form != FORM_POWERS)
        env_fail(env, ERROR_PARAMETER, "Use \"index\": \"brute\", or another metric.",
                 "a %s needs the triangle inequality, which metric %s breaks", name, metric_name(metric->kind));
    if (!neighbor_tree_possible(metric))
        env_fail(env, ERROR_PARAMETER, "Use \"index\": \"brute\", or p of at least 1.",
                 "a %s needs the triangle inequality, which metric %s with p = %g breaks",
                 name, metric_name(metric->kind), metric->p);
    return strcmp(name, "kd_tree") == 0 ? INDEX_KD_TREE : INDEX_BALL_TREE;
}

/* ---- rows ---- */

static void kept_alloc(Kept *kept, unsigned contents, uint64_t id_bytes)
{
    Env *env = kept->env;

    kept->x = env_array_raw(env, kept->count, (size_t)kept->slots * sizeof(double));
    if (contents & ROWS_TARGET) {
        if (kept->estimator->task == TASK_CLASSIFICATION)
            kept->classes = env_array_raw(env, kept->count, sizeof(uint32_t));
        else
            kept->targets = env_array_raw(env, kept->count, sizeof(double));
    }
    if (contents & ROWS_WEIGHT)
        kept->weights = env_array_raw(env, kept->count, sizeof(double));
    if (contents & ROWS_ID) {
        kept->ids = env_array_raw(env, kept->count, sizeof(char *));
        kept->id_lengths = env_array_raw(env, kept->count, sizeof(uint32_t));
        kept->id_bytes = env->alloc(env, (size_t)id_bytes + 1);
    }
}

static void read_rows(Kept *kept, Rows *rows)
{
    RowDesign *design = row_design(kept->env, rows, DESIGN_SLOTS, kept->estimator->name);
    DesignReader *reader = design_reader(design);
    DesignBlock block;
    size_t at = 0;

    while (design_next_block(reader, &block)) {
        memcpy(kept->x + block.first * kept->slots, block.x,
               (size_t)block.count * kept->slots * sizeof(double));
        if (kept->targets)
            memcpy(kept->targets + block.first, block.targets, block.count * sizeof(double));
        if (kept->classes)
            memcpy(kept->classes + block.first, block.classes, block.count * sizeof(uint32_t));
        if (kept->weights)
            memcpy(kept->weights + block.first, block.weights, block.count * sizeof(double));
        for (uint32_t i = 0; kept->ids && i < block.count; i++) {
            memcpy(kept->id_bytes + at, block.ids[i], block.id_lengths[i]);
            kept->ids[block.first + i] = kept->id_bytes + at;
            kept->id_lengths[block.first + i] = block.id_lengths[i];
            at += block.id_lengths[i];
        }
    }
    design_reader_free(reader);
}

/* Compares rows by features, target or class, weight and id; 0 if all are equal. A NeighborCompare. */
static int compare_rows(const void *context, uint32_t a, uint32_t b)
{
    const Kept *kept = context;
    const double *x = kept->x + (size_t)a * kept->slots, *y = kept->x + (size_t)b * kept->slots;
    uint32_t length;
    int order;

    for (uint32_t i = 0; i < kept->slots; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    if (kept->targets && kept->targets[a] != kept->targets[b])
        return kept->targets[a] < kept->targets[b] ? -1 : 1;
    if (kept->classes && kept->classes[a] != kept->classes[b])
        return kept->classes[a] < kept->classes[b] ? -1 : 1;
    if (kept->weights && kept->weights[a] != kept->weights[b])
        return kept->weights[a] < kept->weights[b] ? -1 : 1;
    if (!kept->ids)
        return 0;
    length = kept->id_lengths[a] < kept->id_lengths[b] ? kept->id_lengths[a] : kept->id_lengths[b];
    order = length > 0 ? memcmp(kept->ids[a], kept->ids[b], length) : 0;
    if (order != 0)
        return order;
    return kept->id_lengths[a] == kept->id_lengths[b] ? 0
           : kept->id_lengths[a] < kept->id_lengths[b] ? -1
                                                       : 1;
}

/* Returns a copy with element order[i] at i, and releases the old array. size: bytes of an element. NULL gives NULL. */
static void *reordered(Env *env, void *from, const uint32_t *order, uint32_t count, size_t size)
{
    char *to;

    if (from == NULL)
        return NULL;
    to = env_array_raw(env, count, size);
    for (uint32_t i = 0; i < count; i++) {
        memcpy(to + (size_t)i * size, (char *)from + (size_t)order[i] * size, size);
        env_poll_every(env, i, 4096);
    }
    env->release(env, from);
    return to;
}

static void reorder(Kept *kept, const uint32_t *order)
{
    Env *env = kept->env;

    kept->x = reordered(env, kept->x, order, kept->count, kept->slots * sizeof(double));
    kept->targets = reordered(env, kept->targets, order, kept->count, sizeof(double));
    kept->classes = reordered(env, kept->classes, order, kept->count, sizeof(uint32_t));
    kept->weights = reordered(env, kept->weights, order, kept->count, sizeof(double));
    kept->ids = reordered(env, kept->ids, order, kept->count, sizeof(char *));
    kept->id_lengths = reordered(env, kept->id_lengths, order, kept->count, sizeof(uint32_t));
}

static void require_counts(const Kept *kept)
{
    for (uint32_t i = 0; i < kept->count; i++)
        if (kept->weights[i] != floor(kept->weights[i]))
            env_fail(kept->env, ERROR_DATA, "Omit \"weight_kind\" if the weights are not counts.",
                     "%s needs whole numbers as weights of weight_kind frequency, but one is %g",
                     kept->estimator->name, kept->weights[i]);
}

/* Turns -0 into 0, because equal rows must have equal bytes. */
static void clear_negative_zeros(double *x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        x[i] += 0.0;
}

/* Returns the coordinates of the rows in their current order; x itself if the metric is plain. */
static double *coordinates_of(const Kept *kept, const Metric *metric)
{
    double *rows;

    if (metric->plain)
        return kept->x;
    rows = env_array_raw(kept->env, kept->count, (size_t)metric->width * sizeof(double));
    metric_place_rows(kept->env, metric, kept->x, kept->count, rows);
    return rows;
}

/* ---- leave-one-out ---- */

/* Adds the error of one row for every k to errors [k - 1], by its neighbors in neighbors->search. */
static void add_errors(Neighbors *neighbors, const Kept *kept, uint32_t row, double *errors)
{
    const NeighborSearch *search = neighbors->search;
    double weight = row_weight(kept->weights, row), total = 0, mean = 0;
    uint32_t best = 0, *seen = (uint32_t *)(neighbors->votes + neighbors->classes + 1);

    neighbors_shares(neighbors, 0);
    memset(neighbors->votes, 0, neighbors->classes * sizeof(double));
    memset(seen, 0xff, neighbors->classes * sizeof(uint32_t));
    for (uint32_t i = 0; i < search->count; i++) {
        uint32_t position = search->found[i].position;
        double share = neighbors->shares[i];

        total += share;
        if (!(total > 0)) /* weights by an expression */
            env_fail(kept->env, ERROR_DATA, "Give k, or use weights above 0.",
                     "k = loo of %s needs weights above 0, but that of a neighbor at distance %g is 0",
                     kept->estimator->name, neighbors_distance(neighbors, i));
        if (kept->classes) {
            uint32_t class = kept->classes[position];
            double *votes = neighbors->votes;

            votes[class] += share;
            seen[class] = seen[class] < i ? seen[class] : i;
            if (i == 0 || votes[class] > votes[best] ||
                (votes[class] == votes[best] &&
                 (neighbors->rule.nearest_tie ? seen[class] < seen[best] : class < best)))
                best = class;
            errors[i] += best != kept->classes[row] ? weight : 0;
        } else {
            mean += share / total * (kept->targets[position] - mean);
            errors[i] += weight * (kept->targets[row] - mean) * (kept->targets[row] - mean);
        }
    }
}

/* Where the neighbors of the rows become errors. */
typedef struct LeaveOneOut {
    const Kept *kept;
    Neighbors *neighbors;
    double *errors, total;
} LeaveOneOut;

/* Adds the errors of the rows of a block. A NeighborBlockTaken. */
static void add_block(void *context, const NeighborBlock *block)
{
    LeaveOneOut *left_out = context;
    Neighbors *neighbors = left_out->neighbors;
    NeighborSearch *search = neighbors->search;

    for (uint32_t i = 0; i < block->count; i++) {
        left_out->total += row_weight(left_out->kept->weights, block->first + i);
        neighbor_row(neighbors->index, block->first + i, search->query);
        memcpy(search->found, block->found + (size_t)i * block->k, block->counts[i] * sizeof(Neighbor));
        search->count = block->counts[i];
        add_errors(neighbors, left_out->kept, block->first + i, left_out->errors);
    }
}

/* Returns the mean leave-one-out errors, [most]: errors[i] for k = i + 1. */
static double *leave_one_out(const Kept *kept, Neighbors *neighbors, uint32_t most)
{
    LeaveOneOut left_out = {kept, neighbors, env_array(kept->env, most, sizeof(double)), 0};

    neighbor_blocks(kept->env, neighbors->index, most, true, kept->spare, "leave-one-out", add_block, &left_out);
    for (uint32_t i = 0; i < most; i++)
        left_out.errors[i] /= left_out.total;
    return left_out.errors;
}

/* Returns the largest k to try. Fails if there are too few rows, or their weights are counts. */
static uint32_t loo_most(const Kept *kept, const Options *options)
{
    Env *env = kept->env;
    uint32_t most = kept->count - 1;

    if (kept->count < 2)
        env_fail(env, ERROR_DATA, NULL, "k = loo of %s needs at least 2 rows, but there is %u",
                 kept->estimator->name, kept->count);
    if (kept->weights && (kept->schema->flags & MODEL_FREQUENCY))
        env_fail(env, ERROR_PARAMETER, "Repeat the rows instead.",
                 "k = loo of %s cannot be combined with weight_kind frequency", kept->estimator->name);
    if (!options_given(options, "max_k"))
        return most < NEIGHBORS_DEFAULT_MAX_K ? most : NEIGHBORS_DEFAULT_MAX_K;
    if (options_integer(options, "max_k") > most)
        env_fail(env, ERROR_DATA, "Use a smaller value.",
                 "max_k of %s is %lld, but only %u rows remain when one is left out",
                 kept->estimator->name, (long long)options_integer(options, "max_k"), most);
    return (uint32_t)options_integer(options, "max_k");
}

/* Sets rule->k to the k with the least leave-one-out error, and returns the errors of all k, [*most]. */
static double *choose_k(const Kept *kept, const Options *options, const Metric *metric,
                        const double *rows, NeighborRule *rule, uint32_t *most)
{
    Env *env = kept->env;
    Neighbors neighbors = {.env = env,
                             .metric = (Metric *)metric,
                             .rule = *rule,
                             .count = kept->count,
                             .slots = kept->slots,
                             .targets = kept->targets,
                             .weights = kept->weights};
    double *errors;

    if (rule->weights == WEIGHTS_EXPRESSION)
        neighbors.expression = neighbors_weight_option(env, options_string(options, "weights"));

    *most = loo_most(kept, options);
    neighbors.classes =
        kept->classes ? dictionary_size(kept->schema, DICTIONARY_CLASSES) : 0;
    neighbors.index = neighbor_index(env, metric, rows, kept->count, rule->index, true);
    neighbors.search = neighbor_search(neighbors.index, *most);
    neighbors.share_room = *most;
    neighbors.shares = env_array(env, *most, sizeof(double));
    neighbors.votes = env_array(env, 2 * (size_t)neighbors.classes + 2, sizeof(double));
    errors = leave_one_out(kept, &neighbors, *most);
    rule->k = 1;
    for (uint32_t k = 2; k <= *most; k++)
        if (errors[k - 1] < errors[rule->k - 1])
            rule->k = k;
    return errors;
}

/* ---- the fit ---- */

static void add_rule(Env *env, ModelBuilder *builder, const NeighborRule *rule)
{
    double *numbers = env_array(env, NEIGHBOR_RULE, sizeof(double));

    numbers[0] = rule->k;
    numbers[1] = rule->radius;
    numbers[2] = rule->inclusive;
    numbers[3] = rule->weights;
    numbers[4] = rule->gamma;
    numbers[5] = rule->index;
    numbers[6] = rule->nearest_tie;
    builder_f64(builder, SECTION_ARRAYS, "search", numbers, NEIGHBOR_RULE);
    if (rule->k > 0)
        builder_fact_i64(builder, "k", rule->k);
    builder_fact_text(builder, "index", neighbor_index_name(rule->index));
}

/* Adds the class of rows without neighbors, if an option names one, and the expression of the weights. */
static void add_texts(const Kept *kept, Rows *rows, const Options *options, const NeighborRule *rule, ModelBuilder *builder)
{
    Env *env = kept->env;
    ClassSet classes;
    int64_t *outlier;

    if (rule->weights == WEIGHTS_EXPRESSION) {
        const char **text = env_array(env, 1, sizeof(char *));
        uint32_t *length = env_array(env, 1, sizeof(uint32_t));

        *text = options_string(options, "weights");
        *length = (uint32_t)strlen(*text);
        builder_text(builder, SECTION_ARRAYS, "weight_expression", text, length, 1);
    }
    if (kept->classes == NULL || !options_given(options, "outlier_label"))
        return;
    if (!options_given(options, "radius") && rule->weights != WEIGHTS_EXPRESSION)
        env_fail(env, ERROR_PARAMETER, "Give \"radius\", or leave it out.",
                 "option \"outlier_label\" is for neighbors within a radius: k nearest rows there always are");
    classes = class_set(env, rows_schema(rows));
    outlier = env_array(env, 1, sizeof(int64_t));
    if (options_is(options, "outlier_label", "most_frequent") && !class_is_label(&classes, "most_frequent")) {
        double *weights = env_array(env, classes.count, sizeof(double));

        for (uint32_t i = 0; i < kept->count; i++)
            weights[kept->classes[i]] += row_weight(kept->weights, i);
        for (uint32_t c = 1; c < classes.count; c++)
            if (weights[c] > weights[*outlier])
                *outlier = c;
    } else {
        *outlier = class_of_option(&classes, options, "outlier_label");
    }
    builder_i64(builder, SECTION_ARRAYS, "outlier", outlier, 1);
}

static void add_columns(const Kept *kept, ModelBuilder *builder)
{
    Env *env = kept->env;
    int64_t *labels;

    builder_f64_matrix(builder, SECTION_ARRAYS, "exemplars", kept->x, kept->count, kept->slots);
    if (kept->targets)
        builder_f64(builder, SECTION_ARRAYS, "targets", kept->targets, kept->count);
    if (kept->weights)
        builder_f64(builder, SECTION_ARRAYS, "weights", kept->weights, kept->count);
    if (kept->ids)
        builder_text(builder, SECTION_ARRAYS, "ids", kept->ids, kept->id_lengths, kept->count);
    if (kept->classes) {
        labels = env_array_raw(env, kept->count, sizeof(int64_t));
        for (uint32_t i = 0; i < kept->count; i++)
            labels[i] = kept->classes[i];
        builder_i64(builder, SECTION_ARRAYS, "labels", labels, kept->count);
    }
}

/*
 * Fails with ERROR_LIMIT if memory is too small for the rows (twice: as they arrived, and sorted), coordinates, tree and order. Sets what is spare.
 */
static void require_memory(Kept *kept, const Metric *metric, const Rows *rows, uint64_t id_bytes)
{
    double numbers = 2.0 * kept->slots + (metric->plain ? 0 : metric->width) + 1.25 * metric->width + 9;
    double needed = kept->count * numbers * sizeof(double) + 2 * (double)id_bytes;

    env_require_memory(kept->env, needed < (double)SIZE_MAX / 2 ? (size_t)needed : SIZE_MAX,
                       kept->estimator->name);
    kept->spare = rows_spare(rows) > needed ? rows_spare(rows) - (size_t)needed : 0;
}

Model *neighbors_fit_rows(Env *env, const Estimator *estimator, const FitInput *input, const Options *options,
                          ModelBuilder *builder)
{
    Rows *rows = input->rows;
    uint64_t id_bytes = rows_id_bytes(rows);
    Kept kept = {.env = env, .estimator = estimator, .slots = rows_slots(rows)};
    uint32_t *order, most = 0;
    double *coordinates, *errors = NULL;
    NeighborRule rule;
    Metric *metric;

    neighbors_require_size(env, estimator->name, rows_count(rows),
                            kept.slots + (rows_contents(rows) & ROWS_TARGET ? 1 : 0) +
                                (rows_contents(rows) & ROWS_WEIGHT ? 1 : 0),
                            id_bytes);
    kept.count = (uint32_t)rows_count(rows);
    kept.schema = schema_final(env, rows_schema(rows));
    kept.schema->flags = rows_schema(rows)->flags;
    metric = metric_of_options(env, options, kept.schema, estimator->name);
    metric_learn_objects(env, metric, rows_schema(rows));
    require_memory(&kept, metric, rows, id_bytes);
    kept_alloc(&kept, rows_contents(rows), id_bytes);
    if (kept.classes) {
        ClassSet classes = class_set(env, rows_schema(rows));

        if (!class_require_several(&classes, estimator->name, input->frame))
            return NULL;
    }
    rule = rule_of_options(&kept, options, model_counted_rows(rows_schema(rows)));
    read_rows(&kept, rows);
    if (kept.weights && (kept.schema->flags & MODEL_FREQUENCY))
        require_counts(&kept);
    metric_number_objects(metric, kept.x, kept.count);
    clear_negative_zeros(kept.x, (size_t)kept.count * kept.slots);
    metric_learn(env, metric, kept.x, kept.weights, kept.count);
    metric_ready(env, metric);
    rule.index = index_of_options(env, options, metric, kept.count);

    coordinates = coordinates_of(&kept, metric);
    order = env_array_raw(env, kept.count, sizeof(uint32_t));
    neighbor_order(env, metric, coordinates, kept.count, compare_rows, &kept, order);
    if (coordinates != kept.x)
        env->release(env, coordinates);
    reorder(&kept, order);
    if (options_is(options, "k", "loo")) {
        coordinates = coordinates_of(&kept, metric);
        errors = choose_k(&kept, options, metric, coordinates, &rule, &most);
    }

    add_columns(&kept, builder);
    add_texts(&kept, rows, options, &rule, builder);
    add_rule(env, builder, &rule);
    metric_write(env, metric, builder);
    metric_write_objects(env, metric, builder, kept.x, kept.count);
    if (errors) {
        builder_f64(builder, SECTION_ARRAYS, "loo_errors", errors, most);
        builder_fact(builder, "loo_error", errors[rule.k - 1]);
    }
    return model_build(builder);
}
