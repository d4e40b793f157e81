/*
 * neighbours.c - models that keep their rows: reading them, finding neighbours, weighing them.
 */
#include "core/neighbors/neighbors_model.h"
#include "core/math/exp_log1p.h"
#include "core/base/all_finite.h"

#include <math.h>
#include <string.h>

#define AHEAD_MAX (4u << 20) /* neighbours kept for rows searched together */
#define RADIUS_SLACK 1e-9    /* candidates this much too far are looked at exactly */

const char *const neighbour_k_choices[] = {"all", "loo", NULL};
const char *const neighbour_all_choices[] = {"all", NULL};
const char *const neighbour_weight_choices[] = {"uniform", "distance", "gaussian", NULL};
const char *const neighbour_index_choices[] = {"auto", "kd_tree", "ball_tree", "brute", NULL};
const char *const neighbour_tie_choices[] = {"first", "nearest", NULL};

/* ---- arrays ---- */

/* The number is one of 0 .. last. */
static bool is_choice(double number, uint32_t last)
{
    return number >= 0 && number <= last && number == floor(number);
}

static const char *read_rule(const Model *model, NeighbourRule *rule)
{
    uint32_t length = 0;
    const double *numbers = model_f64(model, "search", &length);

    if (numbers == NULL || length != NEIGHBOUR_RULE)
        return "a model of neighbours needs an array \"search\" of 7 numbers";
    if (!is_choice(numbers[0], UINT32_MAX - 1) || !(numbers[1] >= 0) || !is_choice(numbers[2], 1) ||
        !is_choice(numbers[3], WEIGHTS_GAUSSIAN) || !(numbers[4] > 0) || !isfinite(numbers[4]) ||
        !is_choice(numbers[5], INDEX_BALL_TREE) || !is_choice(numbers[6], 1))
        return "\"search\" says what no search is";
    *rule = (NeighbourRule){.k = (uint32_t)numbers[0],
                            .radius = numbers[1],
                            .inclusive = numbers[2] != 0,
                            .weights = (NeighbourWeights)numbers[3],
                            .gamma = numbers[4],
                            .index = (IndexKind)numbers[5],
                            .nearest_tie = numbers[6] != 0};
    return NULL;
}

/* A column beside the exemplars: missing, or one finite number a row. */
static const char *read_column(Env *env, const Model *model, const char *name, uint32_t count,
                               const double **column)
{
    uint32_t length = 0;

    *column = model_f64(model, name, &length);
    if (model_find(model, name) != NULL &&
        (*column == NULL || length != count || !all_finite_polled(env, *column, count)))
        return "a column of the exemplars is not finite, or of another length";
    return NULL;
}

static const char *read_labels(const Model *model, Neighbours *neighbours)
{
    uint32_t length = 0;
    const int64_t *labels = model_i64(model, "labels", &length);

    neighbours->classes = dictionary_size(model, DICTIONARY_CLASSES);
    if (labels == NULL || length != neighbours->count || neighbours->classes == 0)
        return "knn_classifier needs an array \"labels\", one a row, and classes";
    for (uint32_t i = 0; i < length; i++)
        if (labels[i] < 0 || labels[i] >= neighbours->classes)
            return "a label is no class";
    neighbours->labels = labels;
    return NULL;
}

static const char *read_arrays(const Model *model, Neighbours *neighbours)
{
    const ModelEntry *entry = model_find(model, "exemplars");
    const char *wrong;
    uint32_t length;

    neighbours->exemplars = model_f64(model, "exemplars", &length);
    if (neighbours->exemplars == NULL || entry->dimensions != 2 || entry->rows == 0 ||
        entry->columns != model->slot_count || entry->columns == 0)
        return "a model of neighbours needs a matrix \"exemplars\", a column a number of the row";
    if (!all_finite_polled(neighbours->env, neighbours->exemplars, (size_t)entry->rows * entry->columns))
        return "\"exemplars\" are not finite";
    neighbours->frequency = (model->flags & MODEL_FREQUENCY) != 0;
    neighbours->count = entry->rows;
    neighbours->slots = entry->columns;
    wrong = read_rule(model, &neighbours->rule);
    if (wrong == NULL)
        wrong = read_column(neighbours->env, model, "weights", neighbours->count, &neighbours->weights);
    for (uint32_t i = 0; wrong == NULL && neighbours->weights && i < neighbours->count; i++)
        if (!(neighbours->weights[i] > 0))
            return "a weight is not positive";
    if (wrong == NULL)
        wrong = read_column(neighbours->env, model, "targets", neighbours->count, &neighbours->targets);
    if (wrong == NULL && strcmp(model->estimator, "knn_classifier") == 0)
        wrong = read_labels(model, neighbours);
    if (wrong == NULL && strcmp(model->estimator, "knn_regression") == 0 && !neighbours->targets)
        wrong = "knn_regression needs an array \"targets\"";
    entry = model_find(model, "ids");
    if (wrong == NULL && entry == NULL && strcmp(model->estimator, "neighbors") == 0)
        wrong = "neighbors needs an array \"ids\" of text, one a row";
    if (wrong == NULL && entry != NULL && (entry->type != ARRAY_TEXT || entry->rows != neighbours->count))
        wrong = "\"ids\" of a model of neighbours are not one text a row";
    return wrong;
}

const char *neighbours_check(Env *env, const Model *model)
{
    Neighbours neighbours = {.env = env};
    const char *wrong = read_arrays(model, &neighbours);
    Metric *metric = NULL;

    if (wrong == NULL)
        wrong = metric_read(env, model, &metric);
    if (metric != NULL)
        metric_free(env, metric);
    return wrong;
}

/* ---- making it ready ---- */

/* Coordinates of all exemplars; rows without distances are NaN, and nobody's neighbours. */
static double *place_exemplars(const Neighbours *neighbours)
{
    const Metric *metric = neighbours->metric;
    double *rows = env_array_raw(neighbours->env, neighbours->count, metric->width * sizeof(double));

    for (uint32_t i = 0; i < neighbours->count; i++) {
        metric_place(metric, neighbours->exemplars + (size_t)i * neighbours->slots,
                     rows + (size_t)i * metric->width);
        if (i % 1024 == 0)
            neighbours->env->poll(neighbours->env);
    }
    return rows;
}

void *neighbours_prepare(Env *env, const Model *model, size_t *bytes)
{
    Neighbours *neighbours = env_array(env, 1, sizeof(Neighbours));
    const double *rows;
    const char *wrong;
    uint32_t expected;

    neighbours->env = env;
    wrong = read_arrays(model, neighbours);
    neighbours->model = model;
    if (wrong == NULL)
        wrong = metric_read(env, model, &neighbours->metric);
    if (wrong != NULL)
        env_fail(env, ERROR_CORRUPT, NULL, "a stored model is damaged: %s", wrong);
    if (!neighbour_tree_possible(neighbours->metric))
        neighbours->rule.index = INDEX_BRUTE;
    rows = neighbours->metric->plain ? neighbours->exemplars : place_exemplars(neighbours);
    neighbours->index = neighbour_index(env, neighbours->metric, rows, neighbours->count,
                                        neighbours->rule.index,
                                        neighbours->metric->plain || neighbours->rule.index == INDEX_BRUTE);
    if (!neighbours->metric->plain && neighbours->rule.index != INDEX_BRUTE)
        env->release(env, (void *)rows);
    expected = neighbours->rule.k < neighbours->count ? neighbours->rule.k : neighbours->count;
    expected = expected < 16 ? 16 : expected;
    neighbours->search = neighbour_search(neighbours->index, expected);
    neighbours->share_room = expected;
    neighbours->shares = env_array(env, expected, sizeof(double));
    neighbours->votes = env_array(env, (size_t)neighbours->classes + 1, sizeof(double));
    /* these grow where they begin */
    neighbours->ahead_rows = env_array(env, neighbours->metric->width, sizeof(double));
    neighbours->ahead_found = env_array(env, 1, sizeof(Neighbour));
    neighbours->ahead_counts = env_array(env, 1, sizeof(uint32_t));
    neighbours->ahead_room = 1;
    neighbours->ahead_found_room = 1;
    *bytes = 0;
    return neighbours;
}

/* ---- finding ---- */

/* Leaves the candidates that are truly within the radius. */
static void keep_within(Neighbours *neighbours)
{
    NeighbourSearch *search = neighbours->search;
    const NeighbourRule *rule = &neighbours->rule;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < search->count; i++) {
        double distance = neighbours_distance(neighbours, i);

        if (distance < rule->radius || (rule->inclusive && distance == rule->radius))
            search->found[kept++] = search->found[i];
    }
    search->count = kept;
}

/* The row's neighbours from those found ahead; false: it is none of those rows. */
static bool take_ahead(Neighbours *neighbours, const double *slots, uint32_t k, bool *found)
{
    NeighbourSearch *search = neighbours->search;
    uint32_t width = neighbours->metric->width, row, count;
    uintptr_t first = (uintptr_t)neighbours->ahead, at = (uintptr_t)slots;

    if (neighbours->ahead == NULL || at < first || k != neighbours->ahead_k)
        return false;
    row = (uint32_t)((at - first) / sizeof(double) / neighbours->slots);
    if (row >= neighbours->ahead_count)
        return false;
    count = neighbours->ahead_counts[row];
    *found = count != UINT32_MAX;
    if (!*found)
        return true;
    memcpy(search->query, neighbours->ahead_rows + (size_t)row * width, width * sizeof(double));
    if (count > search->room) {
        search->found = neighbours->env->resize(neighbours->env, search->found,
                                                (size_t)count * sizeof(Neighbour));
        search->room = count;
    }
    memcpy(search->found, neighbours->ahead_found + (size_t)row * k, count * sizeof(Neighbour));
    search->count = count;
    return true;
}

bool neighbours_find(Neighbours *neighbours, const double *slots, uint32_t k)
{
    const Metric *metric = neighbours->metric;
    NeighbourSearch *search = neighbours->search;
    bool found;

    if (k == 0)
        k = neighbours->rule.k;
    if (take_ahead(neighbours, slots, k, &found))
        return found;
    if (!metric_place(metric, slots, search->query))
        return false;
    if (k > 0) {
        neighbour_nearest(search, k, NEIGHBOUR_NONE);
    } else {
        /* slack before as well: distances of rbf near sqrt(2) belong to very different reduced ones */
        neighbour_within(
            search, metric_to_reduced(metric, neighbours->rule.radius * (1 + RADIUS_SLACK)) *
                            (1 + RADIUS_SLACK) +
                        1e-300);
        keep_within(neighbours);
    }
    return true;
}

double neighbours_distance(const Neighbours *neighbours, uint32_t i)
{
    NeighbourSearch *search = neighbours->search;

    neighbour_row(neighbours->index, search->found[i].position, search->row);
    return metric_distance(neighbours->metric, search->query, search->row);
}

double neighbours_nearest_distance(const Model *model, const void *prepared, const double *slots)
{
    Neighbours *neighbours = (Neighbours *)prepared;

    return neighbours_find(neighbours, slots, 1) && neighbours->search->count > 0
               ? neighbours_distance(neighbours, 0)
               : NAN;
}

static void *grown(Env *env, void *block, size_t count, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow(count, size, &bytes))
        env_fail(env, ERROR_LIMIT, NULL, "%zu x %zu bytes are too many", count, size);
    return env->resize(env, block, bytes);
}

/* Coordinates of the rows that have distances, one behind the other; where they belong in `places`. */
static uint32_t place_ahead(Neighbours *neighbours, const double *slots, uint32_t count,
                            double *rows)
{
    uint32_t width = neighbours->metric->width, placed = 0;

    for (uint32_t i = 0; i < count; i++) {
        bool sound = metric_place(neighbours->metric, slots + (size_t)i * neighbours->slots,
                                  rows + (size_t)i * width);

        neighbours->ahead_counts[i] = sound ? 0 : UINT32_MAX;
        placed += sound;
    }
    return placed;
}

void neighbours_ahead_k(Neighbours *neighbours, const double *slots, uint32_t count, uint32_t k)
{
    Env *env = neighbours->env;
    uint32_t width = neighbours->metric->width, at = 0, placed;

    neighbours->ahead = NULL;
    if (k == 0 || count == 0 || (uint64_t)count * k > AHEAD_MAX ||
        (neighbours->index->kind != INDEX_BRUTE && !neighbours->index->center))
        return;
    if (count > neighbours->ahead_room) {
        neighbours->ahead_room = 0;
        neighbours->ahead_rows =
            grown(env, neighbours->ahead_rows, count, width * sizeof(double));
        neighbours->ahead_counts =
            grown(env, neighbours->ahead_counts, count, sizeof(uint32_t));
        neighbours->ahead_room = count;
    }
    placed = place_ahead(neighbours, slots, count, neighbours->ahead_rows);
    if (placed == 0 ||
        !neighbour_batch_pays(neighbours->search, neighbours->ahead_rows, count, k))
        return; /* a search each */
    if ((size_t)count * k > neighbours->ahead_found_room) {
        neighbours->ahead_found_room = 0;
        neighbours->ahead_found = grown(env, neighbours->ahead_found, count, k * sizeof(Neighbour));
        neighbours->ahead_found_room = (size_t)count * k;
    }
    if (placed == count) {
        neighbour_nearest_batch(neighbours->search, neighbours->ahead_rows, count, k, NULL,
                                neighbours->ahead_found, neighbours->ahead_counts);
    } else { /* runs of rows between those without distances */
        for (uint32_t end; at < count; at = end + 1) {
            for (end = at; end < count && neighbours->ahead_counts[end] != UINT32_MAX;)
                end++;
            neighbour_nearest_batch(neighbours->search,
                                    neighbours->ahead_rows + (size_t)at * width, end - at, k, NULL,
                                    neighbours->ahead_found + (size_t)at * k,
                                    neighbours->ahead_counts + at);
        }
    }
    neighbours->ahead = slots;
    neighbours->ahead_count = count;
    neighbours->ahead_k = k;
}

void neighbours_ahead(const Model *model, const void *prepared, const double *slots, uint32_t count)
{
    Neighbours *neighbours = (Neighbours *)prepared;

    neighbours_ahead_k(neighbours, slots, count, neighbours->rule.k);
}

/* ---- weighing ---- */

static double share_of(const NeighbourRule *rule, double nearest, double distance)
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

/* Rows' weights, relative to the largest among them. */
static void weigh_rows(Neighbours *neighbours)
{
    const NeighbourSearch *search = neighbours->search;
    double largest = 0;

    for (uint32_t i = 0; i < search->count; i++)
        largest = fmax(largest, neighbours->weights[search->found[i].position]);
    for (uint32_t i = 0; i < search->count; i++)
        neighbours->shares[i] *= neighbours->weights[search->found[i].position] / largest;
}

/* Rows that count several times, k in all, the nearest first. */
static void weigh_counts(Neighbours *neighbours, double k)
{
    const NeighbourSearch *search = neighbours->search;

    for (uint32_t i = 0; i < search->count; i++) {
        double count = neighbours->weights[search->found[i].position];

        count = k > 0 && count > k ? k : count;
        neighbours->shares[i] *= count;
        if (k > 0 && (k -= count) == 0) {
            memset(neighbours->shares + i + 1, 0, (search->count - i - 1) * sizeof(double));
            return;
        }
    }
}

void neighbours_shares(Neighbours *neighbours, uint32_t k)
{
    const NeighbourSearch *search = neighbours->search;
    uint32_t count = search->count;

    if (count > neighbours->share_room) {
        neighbours->shares =
            grown(neighbours->env, neighbours->shares, count, sizeof(double));
        neighbours->share_room = count;
    }
    if (neighbours->rule.weights == WEIGHTS_UNIFORM) {
        for (uint32_t i = 0; i < count; i++)
            neighbours->shares[i] = 1;
    } else {
        double nearest = count > 0 ? neighbours_distance(neighbours, 0) : 0;

        for (uint32_t i = 0; i < count; i++)
            neighbours->shares[i] =
                share_of(&neighbours->rule, nearest, i == 0 ? nearest : neighbours_distance(neighbours, i));
    }
    if (neighbours->weights == NULL || count == 0)
        return;
    if (neighbours->frequency)
        weigh_counts(neighbours, k);
    else
        weigh_rows(neighbours);
}

double neighbours_mean(Neighbours *neighbours)
{
    const NeighbourSearch *search = neighbours->search;
    double total = 0, mean = 0;

    for (uint32_t i = 0; i < search->count; i++)
        total += neighbours->shares[i];
    for (uint32_t i = 0; i < search->count; i++)
        mean += neighbours->shares[i] / total * neighbours->targets[search->found[i].position];
    return search->count > 0 ? mean : NAN;
}

double neighbours_vote(Neighbours *neighbours, double *votes)
{
    const NeighbourSearch *search = neighbours->search;
    double total = 0;

    memset(votes, 0, neighbours->classes * sizeof(double));
    for (uint32_t i = 0; i < search->count; i++) {
        votes[neighbours->labels[search->found[i].position]] += neighbours->shares[i];
        total += neighbours->shares[i];
    }
    return total;
}

uint32_t neighbours_class(Neighbours *neighbours)
{
    const NeighbourSearch *search = neighbours->search;
    double *votes = neighbours->votes;
    uint32_t best = 0;

    if (search->count == 0)
        return CLASS_NONE;
    neighbours_vote(neighbours, votes);
    for (uint32_t i = 1; i < neighbours->classes; i++)
        if (votes[i] > votes[best])
            best = i;
    for (uint32_t i = 0; neighbours->rule.nearest_tie && i < search->count; i++) {
        uint32_t class = (uint32_t)neighbours->labels[search->found[i].position];

        if (votes[class] == votes[best])
            return class;
    }
    return best;
}
