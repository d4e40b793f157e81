/*
 * neighbors_model.c - models that keep their rows: reading them, finding neighbors, weighing them.
 */
#include "core/neighbors/neighbors_model.h"
#include "core/math/exp_log1p.h"
#include "core/base/all_finite.h"

#include <math.h>
#include <string.h>

#define AHEAD_MAX (4u << 20) /* most neighbors kept for rows that are searched together */
#define RADIUS_SLACK 1e-9    /* rows up to this share beyond the radius are candidates, which are then compared exactly */

static const char *const neighbor_k_choices[] = {"all", "loo", NULL};
const char *const neighbor_all_choices[] = {"all", NULL};
static const char *const neighbor_radius_choices[] = {"Infinity", NULL};
static const char *const neighbor_index_choices[] = {"auto", "kd_tree", "ball_tree", "brute", NULL};
const char *const neighbor_tie_choices[] = {"first", "nearest", NULL};

const OptionSpec options_neighbor_search[] = {
    {.name = "index",
     .types = OPTION_STRING,
     .fallback = "\"auto\"",
     .choices = neighbor_index_choices,
     .help = "How neighbors are searched: by a tree, or by comparing with all rows, with the same result; auto decides by metric, rows and features."},
    {.name = "radius",
     .types = OPTION_NUMBER | OPTION_STRING,
     FROM_ZERO,
     .choices = neighbor_radius_choices,
     .unset = "k decides",
     .help = "Makes all rows nearer than this neighbors, instead of the k nearest."},
    {.name = "radius_inclusive",
     .types = OPTION_BOOLEAN,
     .fallback = "false",
     .help = "Makes rows exactly at the radius neighbors, too."},
    {.name = NULL}};

const OptionSpec options_knn[] = {
    {.name = "gamma",
     .types = OPTION_NUMBER,
     ABOVE_ZERO,
     .unset = "1, if sigma is not given either",
     .help = "For gaussian weights: exp(-gamma distance^2); or for the kernel of metric kernel."},
    {.name = "k",
     .types = OPTION_INTEGER | OPTION_STRING,
     .minimum = 1,
     .maximum = 1e9,
     .choices = neighbor_k_choices,
     .unset = "5, or all rows within radius",
     .help = "How many of the nearest rows are neighbors: a number, all, or loo for the number with the least leave-one-out error."},
    {.name = "max_k",
     .types = OPTION_INTEGER,
     .minimum = 1,
     .maximum = 1e6,
     .unset = "50, or one less than the rows",
     .help = "With k = loo: the largest k tried."},
    {.name = "sigma",
     .types = OPTION_NUMBER,
     ABOVE_ZERO,
     .unset = "gamma decides",
     .help = "For gaussian weights: exp(-distance^2 / (2 sigma^2)); or for kernel rbf."},
    {.name = "weights",
     .types = OPTION_STRING,
     .fallback = "\"uniform\"",
     .help = "The weight of a neighbor: uniform (1), distance (1 / distance; rows at distance 0, if there are any, decide "
             "alone), gaussian (exp(-gamma distance^2)), or an expression of distance, such as \"1 / (1 + distance^2)\"."},
    {.name = NULL}};

/* ---- arrays ---- */

/* Tells whether a number is an integer from 0 to last. */
static bool is_integer_up_to(double number, uint32_t last)
{
    return number >= 0 && number <= last && number == floor(number);
}

/* Reads array "search". Returns NULL, or what is wrong with it. */
static const char *read_rule(const Model *model, NeighborRule *rule)
{
    uint32_t length = 0;
    const double *numbers = model_f64(model, "search", &length);

    if (numbers == NULL || length != NEIGHBOR_RULE)
        return "a model of neighbors needs an array \"search\" of 7 numbers";
    if (!is_integer_up_to(numbers[0], UINT32_MAX - 1) || !(numbers[1] >= 0) || !is_integer_up_to(numbers[2], 1) ||
        !is_integer_up_to(numbers[3], WEIGHTS_EXPRESSION) || !(numbers[4] > 0) || !isfinite(numbers[4]) ||
        !is_integer_up_to(numbers[5], INDEX_BALL_TREE) || !is_integer_up_to(numbers[6], 1))
        return "array \"search\" is not a valid search rule";
    *rule = (NeighborRule){.k = (uint32_t)numbers[0],
                            .radius = numbers[1],
                            .inclusive = numbers[2] != 0,
                            .weights = (NeighborWeights)numbers[3],
                            .gamma = numbers[4],
                            .index = (IndexKind)numbers[5],
                            .nearest_tie = numbers[6] != 0};
    return NULL;
}

#define EXEMPLARS                                                                                                      \
    {.name = "exemplars",                                                                                              \
     .type = ARRAY_F64,                                                                                                \
     .rows = {SIZE_ROWS, .defines = true},                                                                             \
     .columns = {SIZE_SLOTS},                                                                                          \
     .data_at = VIEW_AT(Neighbors, exemplars),                                                                         \
     .rows_at = VIEW_AT(Neighbors, count),                                                                             \
     .columns_at = VIEW_AT(Neighbors, slots)}
#define IDS(...) {.name = "ids", .type = ARRAY_TEXT, .rows = {SIZE_ROWS}, __VA_ARGS__}
#define LOO_ERRORS                                                                                                     \
    {.name = "loo_errors",                                                                                             \
     .type = ARRAY_F64,                                                                                                \
     .rows = {SIZE_FREE},                                                                                              \
     .presence = ARRAY_OPTIONAL,                                                                                       \
     .values = VALUES_ANY}
#define SEARCH                                                                                                         \
    {.name = "search", .type = ARRAY_F64, .rows = {SIZE_NUMBER, .plus = NEIGHBOR_RULE}, .values = VALUES_ANY}
#define TARGETS                                                                                                        \
    {.name = "targets", .type = ARRAY_F64, .rows = {SIZE_ROWS}, .data_at = VIEW_AT(Neighbors, targets)}
#define WEIGHTS                                                                                                        \
    {.name = "weights",                                                                                                \
     .type = ARRAY_F64,                                                                                                \
     .rows = {SIZE_ROWS},                                                                                              \
     .presence = ARRAY_OPTIONAL,                                                                                       \
     .values = VALUES_POSITIVE,                                                                                        \
     .data_at = VIEW_AT(Neighbors, weights)}

#define WEIGHT_EXPRESSION                                                                                              \
    {.name = "weight_expression", .type = ARRAY_TEXT, .rows = {SIZE_NUMBER, .plus = 1}, .presence = ARRAY_OPTIONAL}

static const ArraySpec classifier_arrays[] = {EXEMPLARS,
                                              IDS(.presence = ARRAY_OPTIONAL),
                                              {.name = "labels",
                                               .type = ARRAY_I64,
                                               .rows = {SIZE_ROWS},
                                               .values = VALUES_INDEX,
                                               .below = SIZE_CLASSES,
                                               .data_at = VIEW_AT(Neighbors, labels)},
                                              LOO_ERRORS,
                                              {.name = "outlier",
                                               .type = ARRAY_I64,
                                               .rows = {SIZE_NUMBER, .plus = 1},
                                               .presence = ARRAY_OPTIONAL,
                                               .values = VALUES_INDEX,
                                               .below = SIZE_CLASSES,
                                               .data_at = VIEW_AT(Neighbors, outlier)},
                                              SEARCH,
                                              WEIGHT_EXPRESSION,
                                              WEIGHTS};
static const ArraySpec regression_arrays[] = {EXEMPLARS, IDS(.presence = ARRAY_OPTIONAL), LOO_ERRORS, SEARCH, TARGETS,
                                              WEIGHT_EXPRESSION, WEIGHTS};
static const ArraySpec neighbors_arrays[] = {EXEMPLARS, IDS(), LOO_ERRORS, SEARCH, WEIGHTS};
static const ArraySpec neighbors_facts[] = {
    FACT("index", ARRAY_TEXT), FACT("k", ARRAY_I64), FACT("loo_error", ARRAY_F64)};

#define SHARED_TABLES ARRAY_TABLE(metric_arrays), FACT_TABLE(neighbors_facts)
const ArrayTable knn_classifier_array_tables[] = ARRAY_TABLES(ARRAY_TABLE(classifier_arrays), SHARED_TABLES);
const ArrayTable knn_regression_array_tables[] = ARRAY_TABLES(ARRAY_TABLE(regression_arrays), SHARED_TABLES);
const ArrayTable neighbors_array_tables[] = ARRAY_TABLES(ARRAY_TABLE(neighbors_arrays), SHARED_TABLES);

/* Reads the expression of the weights, if the rule has one. Returns NULL, or what is wrong. */
static const char *read_expression(Env *env, const Model *model, const NeighborRule *rule, const Formula **expression)
{
    const ModelEntry *entry = model_find(model, "weight_expression");
    const char *text, *wrong = NULL, *hint;
    uint32_t length;

    *expression = NULL;
    if ((entry != NULL) != (rule->weights == WEIGHTS_EXPRESSION))
        return "array \"weight_expression\" does not go with the search rule";
    if (entry == NULL)
        return NULL;
    text = model_text(model, entry, 0, &length);
    *expression = formula_expression(env, env_message(env, "%.*s", (int)length, text), "distance", &wrong, &hint);
    return wrong;
}

const char *neighbors_check(Env *env, const Model *model)
{
    const Formula *expression;
    NeighborRule rule;
    const char *wrong = read_rule(model, &rule);

    if (wrong == NULL)
        wrong = read_expression(env, model, &rule, &expression);
    if (wrong == NULL)
        wrong = metric_check(env, model);
    return wrong != NULL ? wrong : metric_check_array(model, "exemplars");
}

/* ---- preparing ---- */

/*
 * Returns the coordinates of all exemplars, [count x width]. Those of rows without distances are NaN, so that no search finds
 * them.
 */
static double *place_exemplars(const Neighbors *neighbors)
{
    const Metric *metric = neighbors->metric;
    double *rows = env_array_raw(neighbors->env, neighbors->count, metric->width * sizeof(double));

    for (uint32_t i = 0; i < neighbors->count; i++) {
        metric_place(metric, neighbors->exemplars + (size_t)i * neighbors->slots,
                     rows + (size_t)i * metric->width);
        env_poll_every(neighbors->env, i, 1024);
    }
    return rows;
}

void *neighbors_prepare(Env *env, const Model *model, size_t *bytes)
{
    Neighbors *neighbors = env_array(env, 1, sizeof(Neighbors));
    const double *rows;
    const char *wrong = read_rule(model, &neighbors->rule);
    uint32_t expected;

    view_arrays(model, estimator_of(model)->arrays, neighbors);
    neighbors->env = env;
    neighbors->model = model;
    neighbors->frequency = (model->flags & MODEL_FREQUENCY) != 0;
    neighbors->classes = neighbors->labels != NULL ? dictionary_size(model, DICTIONARY_CLASSES) : 0;
    if (wrong == NULL)
        wrong = read_expression(env, model, &neighbors->rule, &neighbors->expression);
    if (wrong != NULL)
        env_fail(env, ERROR_CORRUPT, NULL, "a stored model is damaged: %s", wrong);
    neighbors->metric = metric_open(env, model);
    if (!neighbor_tree_possible(neighbors->metric))
        neighbors->rule.index = INDEX_BRUTE;
    rows = neighbors->metric->plain ? neighbors->exemplars : place_exemplars(neighbors);
    neighbors->index = neighbor_index(env, neighbors->metric, rows, neighbors->count,
                                        neighbors->rule.index,
                                        neighbors->metric->plain || neighbors->rule.index == INDEX_BRUTE);
    if (!neighbors->metric->plain && neighbors->rule.index != INDEX_BRUTE)
        env->release(env, (void *)rows);
    expected = neighbors->rule.k < neighbors->count ? neighbors->rule.k : neighbors->count;
    expected = expected < 16 ? 16 : expected;
    neighbors->search = neighbor_search(neighbors->index, expected);
    neighbors->share_room = expected;
    neighbors->shares = env_array(env, expected, sizeof(double));
    neighbors->votes = env_array(env, (size_t)neighbors->classes + 1, sizeof(double));
    /* allocated here, so that they grow in the memory context of the model */
    neighbors->ahead_rows = env_array(env, neighbors->metric->width, sizeof(double));
    neighbors->ahead_found = env_array(env, 1, sizeof(Neighbor));
    neighbors->ahead_counts = env_array(env, 1, sizeof(uint32_t));
    neighbors->ahead_room = 1;
    neighbors->ahead_found_room = 1;
    *bytes = 0;
    return neighbors;
}

/* ---- finding ---- */

/* Finds the rows within a radius of search->query, by their exact distances, except the one at position skip. */
static void find_within(Neighbors *neighbors, double radius, bool inclusive, uint32_t skip)
{
    NeighborSearch *search = neighbors->search;
    const Metric *metric = neighbors->metric;
    uint32_t kept = 0;

    /* slack on both scales: near sqrt(2), similar distances of kernel rbf have very different reduced distances */
    neighbor_within(search, metric_to_reduced(metric, radius * (1 + RADIUS_SLACK)) * (1 + RADIUS_SLACK) + 1e-300);
    for (uint32_t i = 0; i < search->count; i++) {
        double distance = search->found[i].position == skip ? NAN : neighbors_distance(neighbors, i);

        if (distance < radius || (inclusive && distance == radius))
            search->found[kept++] = search->found[i];
    }
    search->count = kept;
}

void neighbors_beside(Neighbors *neighbors, uint32_t position, uint32_t k)
{
    neighbor_row(neighbors->index, position, neighbors->search->query);
    neighbor_nearest(neighbors->search, k, position);
}

void neighbors_around(Neighbors *neighbors, uint32_t position, double radius)
{
    neighbor_row(neighbors->index, position, neighbors->search->query);
    find_within(neighbors, radius, true, position);
}

/*
 * Copies the neighbors of a row that neighbors_ahead_k has searched to the search, and sets *found to false if the row has no
 * distances. Returns false if the row was not searched ahead.
 */
static bool take_ahead(Neighbors *neighbors, const double *slots, uint32_t k, bool *found)
{
    NeighborSearch *search = neighbors->search;
    uint32_t width = neighbors->metric->width, row, count;
    uintptr_t first = (uintptr_t)neighbors->ahead, at = (uintptr_t)slots;

    if (neighbors->ahead == NULL || at < first || k != neighbors->ahead_k)
        return false;
    row = (uint32_t)((at - first) / sizeof(double) / neighbors->slots);
    if (row >= neighbors->ahead_count)
        return false;
    count = neighbors->ahead_counts[row];
    *found = count != UINT32_MAX;
    if (!*found)
        return true;
    memcpy(search->query, neighbors->ahead_rows + (size_t)row * width, width * sizeof(double));
    if (count > search->room) {
        search->found = neighbors->env->resize(neighbors->env, search->found,
                                                (size_t)count * sizeof(Neighbor));
        search->room = count;
    }
    memcpy(search->found, neighbors->ahead_found + (size_t)row * k, count * sizeof(Neighbor));
    search->count = count;
    return true;
}

bool neighbors_find(Neighbors *neighbors, const double *slots, uint32_t k)
{
    const Metric *metric = neighbors->metric;
    NeighborSearch *search = neighbors->search;
    bool found;

    if (k == 0)
        k = neighbors->rule.k;
    if (take_ahead(neighbors, slots, k, &found))
        return found;
    if (!metric_place(metric, slots, search->query))
        return false;
    if (k > 0)
        neighbor_nearest(search, k, NEIGHBOR_NONE);
    else
        find_within(neighbors, neighbors->rule.radius, neighbors->rule.inclusive, NEIGHBOR_NONE);
    return true;
}

double neighbors_distance(const Neighbors *neighbors, uint32_t i)
{
    NeighborSearch *search = neighbors->search;

    if (neighbors->metric->form == FORM_OBJECTS) /* nothing is computed twice */
        return search->found[i].reduced;
    neighbor_row(neighbors->index, search->found[i].position, search->row);
    return metric_distance(neighbors->metric, search->query, search->row);
}

double neighbors_nearest_distance(const Model *model, const void *prepared, const double *slots)
{
    Neighbors *neighbors = (Neighbors *)prepared;

    return neighbors_find(neighbors, slots, 1) && neighbors->search->count > 0
               ? neighbors_distance(neighbors, 0)
               : NAN;
}

/* Resizes an array. Fails with ERROR_LIMIT if its size overflows. */
static void *resize_array(Env *env, void *block, size_t count, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow(count, size, &bytes))
        env_fail(env, ERROR_LIMIT, NULL, "%zu x %zu bytes are too many", count, size);
    return env->resize(env, block, bytes);
}

/*
 * Writes the coordinates of the rows, [count x width]; sets ahead_counts to UINT32_MAX for rows without distances. Returns the
 * number of the other rows.
 */
static uint32_t place_ahead(Neighbors *neighbors, const double *slots, uint32_t count,
                            double *rows)
{
    uint32_t width = neighbors->metric->width, points = 0;

    for (uint32_t i = 0; i < count; i++) {
        bool has_distances = metric_place(neighbors->metric, slots + (size_t)i * neighbors->slots,
                                  rows + (size_t)i * width);

        neighbors->ahead_counts[i] = has_distances ? 0 : UINT32_MAX;
        points += has_distances;
    }
    return points;
}

void neighbors_ahead_k(Neighbors *neighbors, const double *slots, uint32_t count, uint32_t k)
{
    Env *env = neighbors->env;
    uint32_t width = neighbors->metric->width, at = 0, points;

    neighbors->ahead = NULL;
    if (neighbors->metric->form == FORM_OBJECTS) /* texts are known of one row at a time */
        return;
    if (k == 0 || count == 0 || (uint64_t)count * k > AHEAD_MAX ||
        (neighbors->index->kind != INDEX_BRUTE && !neighbors->index->center))
        return;
    if (count > neighbors->ahead_room) {
        neighbors->ahead_room = 0;
        neighbors->ahead_rows =
            resize_array(env, neighbors->ahead_rows, count, width * sizeof(double));
        neighbors->ahead_counts =
            resize_array(env, neighbors->ahead_counts, count, sizeof(uint32_t));
        neighbors->ahead_room = count;
    }
    points = place_ahead(neighbors, slots, count, neighbors->ahead_rows);
    if (points == 0 ||
        !neighbor_batch_pays(neighbors->search, neighbors->ahead_rows, count, k))
        return; /* one search per row is faster */
    if ((size_t)count * k > neighbors->ahead_found_room) {
        neighbors->ahead_found_room = 0;
        neighbors->ahead_found = resize_array(env, neighbors->ahead_found, count, k * sizeof(Neighbor));
        neighbors->ahead_found_room = (size_t)count * k;
    }
    for (uint32_t end; at < count; at = end + 1) { /* runs of rows between those without distances */
        for (end = at; end < count && neighbors->ahead_counts[end] != UINT32_MAX;)
            end++;
        neighbor_nearest_batch(neighbors->search, neighbors->ahead_rows + (size_t)at * width, end - at, k, NULL,
                               neighbors->ahead_found + (size_t)at * k, neighbors->ahead_counts + at);
    }
    neighbors->ahead = slots;
    neighbors->ahead_count = count;
    neighbors->ahead_k = k;
}

void neighbors_ahead(const Model *model, const void *prepared, const double *slots, uint32_t count)
{
    Neighbors *neighbors = (Neighbors *)prepared;

    neighbors_ahead_k(neighbors, slots, count, neighbors->rule.k);
}

/* ---- weighing ---- */

const Formula *neighbors_weight_option(Env *env, const char *text)
{
    const char *wrong, *hint;
    const Formula *expression = formula_expression(env, text, "distance", &wrong, &hint);

    if (expression == NULL)
        env_fail(env, ERROR_PARAMETER,
                 hint != NULL ? hint : "Use uniform, distance, gaussian, or an expression such as \"1 / (1 + distance^2)\".",
                 "the weights \"%s\" are no expression of distance: %s", text, wrong);
    return expression;
}

/* Returns the weight of a distance by an expression. Fails with ERROR_DATA if it is negative or not finite. */
static double neighbors_weight_at(Env *env, const Formula *expression, double distance)
{
    FormulaDomain wrong = {.text = ""};
    double weight = formula_expression_value(expression, distance, &wrong);

    if (!isfinite(weight))
        env_fail(env, ERROR_DATA, "Use an expression that has a value at every distance from 0 on.",
                 "the weight of a neighbor at distance %g is not finite: %s", distance, wrong.text);
    if (weight < 0)
        env_fail(env, ERROR_DATA, "Use an expression that is 0 or more at every distance.",
                 "the weight of a neighbor at distance %g is negative: %g", distance, weight);
    return weight;
}

/* Returns the weight of a neighbor relative to the nearest one. */
static double share_of(const NeighborRule *rule, double nearest, double distance)
{
    if (rule->weights == WEIGHTS_DISTANCE) {
        if (nearest == 0)
            return distance == 0;
        return distance == nearest ? 1 : nearest / distance;
    }
    if (distance == nearest)
        return 1;
    return exponential_core(-rule->gamma * (distance - nearest) * (distance + nearest));
}

/* Multiplies the shares by the weights of the rows, divided by the largest of these weights. */
static void weigh_rows(Neighbors *neighbors)
{
    const NeighborSearch *search = neighbors->search;
    double largest = 0;

    for (uint32_t i = 0; i < search->count; i++)
        largest = fmax(largest, neighbors->weights[search->found[i].position]);
    for (uint32_t i = 0; i < search->count; i++)
        neighbors->shares[i] *= neighbors->weights[search->found[i].position] / largest;
}

/* Multiplies the shares by the counts of the rows until k rows are counted, the nearest first; k 0: all. */
static void weigh_counts(Neighbors *neighbors, double k)
{
    const NeighborSearch *search = neighbors->search;

    for (uint32_t i = 0; i < search->count; i++) {
        double count = neighbors->weights[search->found[i].position];

        count = k > 0 && count > k ? k : count;
        neighbors->shares[i] *= count;
        if (k > 0 && (k -= count) == 0) {
            memset(neighbors->shares + i + 1, 0, (search->count - i - 1) * sizeof(double));
            return;
        }
    }
}

void neighbors_shares(Neighbors *neighbors, uint32_t k)
{
    const NeighborSearch *search = neighbors->search;
    uint32_t count = search->count;

    if (count > neighbors->share_room) {
        neighbors->shares =
            resize_array(neighbors->env, neighbors->shares, count, sizeof(double));
        neighbors->share_room = count;
    }
    if (neighbors->rule.weights == WEIGHTS_UNIFORM) {
        for (uint32_t i = 0; i < count; i++)
            neighbors->shares[i] = 1;
    } else if (neighbors->rule.weights == WEIGHTS_EXPRESSION) {
        for (uint32_t i = 0; i < count; i++)
            neighbors->shares[i] = neighbors_weight_at(neighbors->env, neighbors->expression, neighbors_distance(neighbors, i));
    } else {
        double nearest = count > 0 ? neighbors_distance(neighbors, 0) : 0;

        for (uint32_t i = 0; i < count; i++)
            neighbors->shares[i] =
                share_of(&neighbors->rule, nearest, i == 0 ? nearest : neighbors_distance(neighbors, i));
    }
    if (neighbors->weights == NULL || count == 0)
        return;
    if (neighbors->frequency)
        weigh_counts(neighbors, k);
    else
        weigh_rows(neighbors);
}

double neighbors_mean(Neighbors *neighbors)
{
    const NeighborSearch *search = neighbors->search;
    double total = 0, mean = 0;

    for (uint32_t i = 0; i < search->count; i++)
        total += neighbors->shares[i];
    for (uint32_t i = 0; i < search->count; i++)
        mean += neighbors->shares[i] / total * neighbors->targets[search->found[i].position];
    return search->count > 0 ? mean : NAN;
}

double neighbors_vote(Neighbors *neighbors, double *votes)
{
    const NeighborSearch *search = neighbors->search;
    double total = 0;

    memset(votes, 0, neighbors->classes * sizeof(double));
    for (uint32_t i = 0; i < search->count; i++) {
        votes[neighbors->labels[search->found[i].position]] += neighbors->shares[i];
        total += neighbors->shares[i];
    }
    return total;
}

uint32_t neighbors_class(Neighbors *neighbors)
{
    const NeighborSearch *search = neighbors->search;
    double *votes = neighbors->votes;
    uint32_t best = 0;

    if (search->count == 0 || !(neighbors_vote(neighbors, votes) > 0))
        return neighbors->outlier != NULL ? (uint32_t)*neighbors->outlier : CLASS_NONE;
    for (uint32_t i = 1; i < neighbors->classes; i++)
        if (votes[i] > votes[best])
            best = i;
    for (uint32_t i = 0; neighbors->rule.nearest_tie && i < search->count; i++) {
        uint32_t class = (uint32_t)neighbors->labels[search->found[i].position];

        if (votes[class] == votes[best])
            return class;
    }
    return best;
}
