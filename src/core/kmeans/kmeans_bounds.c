/*
 * kmeans_bounds.c - assigns most rows without computing distances. Each row keeps an upper bound of the distance to its centroid
 * and a lower bound of the distance to each group of centroids; moves of the centroids loosen both.
 *
 * After Ding et al. 2015, "Yinyang k-means"; with one group it is Hamerly's algorithm (2010). Bounds are rounded outward by more
 * than the error of a distance, and the distances that are computed are those of the plain algorithm, so the assignments are the
 * same.
 */
#include "core/kmeans/kmeans.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BOUNDS_DIMS 129      /* with fewer dimensions or centroids bounds save no time */
#define BOUNDS_CENTROIDS 100

/* A centroid and its value in one dimension. */
typedef struct CentroidValue {
    double value;
    uint32_t centroid;
} CentroidValue;

/* The two centroids of a group nearest to a row. */
typedef struct GroupResult {
    bool evaluated; /* else the bounds ruled the group out */
    CentroidPair pair;
} GroupResult;

struct KmeansBounds {
    uint32_t groups;
    uint32_t padded;     /* groups, rounded up to a multiple of 8 */
    uint32_t blocks;     /* of lanes per group */
    CentroidLanes *lanes; /* group by group */
    uint32_t *order;     /* [lanes->count] centroid of a lane, or CENTROID_NONE */
    uint32_t *group_of;  /* [k] */
    uint32_t *members;   /* [groups] number of centroids */
    double *moved_sum, *drift_sum; /* [k], [groups] sums of moves so far: of each centroid, of the largest in each group */
    float *moved, *drift;          /* [k], [padded] the same, rounded outward for comparisons */
    float *half;                   /* [k] half of the distance to the nearest other centroid */
    double *squares;       /* [k, rounded up to lanes] squared distances of one centroid to all */
    CentroidValue *values; /* [k] work space for grouping the centroids */
    double slack;        /* exceeds the relative error of a distance */
    float *upper;        /* [n] */
    float *lower;        /* [n x padded] */
    GroupResult *results; /* [groups] */
    int64_t *numbers;    /* [lanes->count] the same as order, for vectors */
    uint32_t *open;      /* rows of a block whose bounds leave more than one cluster possible */
    uint32_t open_room;
    double open_squares[4]; /* squared distances of the next open rows to their centroids */
};

/* Returns the bytes per row for this many groups. */
static size_t row_bytes(uint32_t padded)
{
    return sizeof(float) * (1 + (size_t)padded);
}

static uint32_t round_up(uint32_t count, uint32_t to)
{
    return (count + to - 1) / to * to;
}

/*
 * Returns the number of groups: about six centroids in each, or one in each if there are few; 0: no bounds. Distances are computed
 * eight at a time, so bounds save time only with many dimensions and centroids.
 */
static uint32_t wanted_groups(const Kmeans *kmeans)
{
    uint32_t groups = round_up(kmeans->k / 6 > 16 ? kmeans->k / 6 : 16, 8);

    if (kmeans->algorithm == KMEANS_LLOYD || kmeans->k == 1)
        return 0;
    if (kmeans->algorithm == KMEANS_HAMERLY)
        return 1;
    if (kmeans->algorithm == KMEANS_AUTO && (kmeans->dims < BOUNDS_DIMS || kmeans->k < BOUNDS_CENTROIDS))
        return 0;
    return groups < kmeans->k ? groups : kmeans->k;
}

KmeansBounds *kmeans_bounds_new(Kmeans *kmeans)
{
    Env *env = kmeans->env;
    uint32_t blocks = (kmeans->k + CENTROID_LANES - 1) / CENTROID_LANES, groups = wanted_groups(kmeans);
    uint64_t room = env->memory_limit / 2 / (kmeans->n > 0 ? kmeans->n : 1);
    KmeansBounds *bounds;
    uint32_t places;

    if (groups == 0)
        return NULL;
    if (row_bytes(8) > room)
        return NULL;
    while (groups > 8 && row_bytes(round_up(groups, 8)) > room)
        groups = round_up(groups, 8) - 8;

    bounds = env_array(env, 1, sizeof(KmeansBounds));
    bounds->blocks = (blocks + groups - 1) / groups;
    bounds->groups = groups;
    bounds->padded = round_up(bounds->groups, 8);
    places = bounds->groups * bounds->blocks * CENTROID_LANES;
    bounds->lanes = centroid_lanes_new(env, places, kmeans->dims);
    bounds->order = env_array(env, places, sizeof(uint32_t));
    bounds->group_of = env_array(env, kmeans->k, sizeof(uint32_t));
    bounds->members = env_array(env, bounds->groups, sizeof(uint32_t));
    bounds->moved_sum = env_array(env, kmeans->k, sizeof(double));
    bounds->drift_sum = env_array(env, bounds->padded, sizeof(double));
    bounds->moved = env_array(env, kmeans->k, sizeof(float));
    bounds->half = env_array(env, kmeans->k, sizeof(float));
    bounds->drift = env_array(env, bounds->padded, sizeof(float));
    bounds->squares = env_array(env, (size_t)blocks * CENTROID_LANES, sizeof(double));
    bounds->values = env_array(env, kmeans->k, sizeof(CentroidValue));
    bounds->results = env_array(env, bounds->groups, sizeof(GroupResult));
    bounds->numbers = env_array(env, places, sizeof(int64_t));
    bounds->upper = env_array_raw(env, kmeans->n, sizeof(float));
    bounds->lower = env_array_raw(env, kmeans->n, bounds->padded * sizeof(float));
    bounds->slack = (kmeans->dims + 16) * DBL_EPSILON;
    return bounds;
}

void kmeans_bounds_free(Kmeans *kmeans)
{
    Env *env = kmeans->env;
    KmeansBounds *bounds = kmeans->bounds;
    void *blocks[] = {bounds->order,     bounds->group_of, bounds->members, bounds->moved_sum, bounds->drift_sum,
                      bounds->moved,     bounds->half,     bounds->drift,   bounds->results,   bounds->numbers,
                      bounds->upper,     bounds->lower,    bounds->open,    bounds->squares,   bounds->values};

    centroid_lanes_free(env, bounds->lanes);
    for (size_t i = 0; i < sizeof(blocks) / sizeof(*blocks); i++)
        if (blocks[i] != NULL)
            env->release(env, blocks[i]);
    env->release(env, bounds);
    kmeans->bounds = NULL;
}

/* ---- groups ---- */

static int compare_along(const void *left, const void *right)
{
    const CentroidValue *a = left, *b = right;

    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    return (a->centroid > b->centroid) - (a->centroid < b->centroid);
}

/* Returns the dimension in which these centroids differ most. */
static uint32_t widest(const Kmeans *kmeans, const CentroidValue *list, uint32_t count)
{
    uint32_t dims = kmeans->dims, best = 0;
    double most = -1;

    for (uint32_t j = 0; j < dims; j++) {
        double low = INFINITY, high = -INFINITY;

        for (uint32_t i = 0; i < count; i++) {
            double x = kmeans->centroids[(size_t)list[i].centroid * dims + j];
            low = fmin(low, x);
            high = fmax(high, x);
        }
        if (high - low > most) {
            most = high - low;
            best = j;
        }
    }
    return best;
}

/* Halves the list values its widest dimension until one group is left, so that near centroids stay together. */
static void split(Kmeans *kmeans, CentroidValue *list, uint32_t count, uint32_t first_group, uint32_t groups)
{
    KmeansBounds *bounds = kmeans->bounds;
    uint32_t room = bounds->blocks * CENTROID_LANES, half = groups / 2, left;

    if (groups == 1) {
        bounds->members[first_group] = count;
        for (uint32_t i = 0; i < count; i++) {
            bounds->group_of[list[i].centroid] = first_group;
            bounds->order[first_group * room + i] = list[i].centroid;
        }
        return;
    }
    if (count > 0) {
        uint32_t j = widest(kmeans, list, count);

        for (uint32_t i = 0; i < count; i++)
            list[i].value = kmeans->centroids[(size_t)list[i].centroid * kmeans->dims + j];
        qsort(list, count, sizeof(CentroidValue), compare_along);
    }
    left = (uint32_t)((uint64_t)count * half / groups);
    split(kmeans, list, left, first_group, half);
    split(kmeans, list + left, count - left, first_group + half, groups - half);
}

void kmeans_bounds_start(Kmeans *kmeans)
{
    KmeansBounds *bounds = kmeans->bounds;
    CentroidValue *list = bounds->values;

    for (uint32_t c = 0; c < kmeans->k; c++)
        list[c].centroid = c;
    for (uint32_t p = 0; p < bounds->lanes->count; p++)
        bounds->order[p] = CENTROID_NONE;
    split(kmeans, list, kmeans->k, 0, bounds->groups);
    for (uint32_t p = 0; p < bounds->lanes->count; p++)
        bounds->numbers[p] = bounds->order[p] == CENTROID_NONE ? INT64_MAX : (int64_t)bounds->order[p];
    memset(bounds->moved_sum, 0, kmeans->k * sizeof(double));
    memset(bounds->drift_sum, 0, bounds->padded * sizeof(double));
}

/* Sets bounds->half, lowered by the error of a distance; 0 if computing it would cost more than it saves. */
static void compute_half_distances(Kmeans *kmeans)
{
    KmeansBounds *bounds = kmeans->bounds;
    uint32_t k = kmeans->k;
    double *squares = bounds->squares;

    memset(bounds->half, 0, k * sizeof(float));
    if ((uint64_t)k * k > kmeans->n)
        return;
    for (uint32_t c = 0; c < k; c++) {
        double least = INFINITY;

        centroid_distances(kmeans->lanes, kmeans->centroids + (size_t)c * kmeans->dims, squares);
        for (uint32_t o = 0; o < k; o++)
            if (o != c)
                least = fmin(least, squares[o]);
        bounds->half[c] = bound_down(sqrt(least) * 0.5 * (1 - bounds->slack));
    }
    kmeans->evaluations += (uint64_t)k * k;
}

void kmeans_bounds_moved(Kmeans *kmeans)
{
    KmeansBounds *bounds = kmeans->bounds;
    const double *moves = kmeans->moves;

    centroid_lanes_set(bounds->lanes, kmeans->centroids, bounds->order);
    compute_half_distances(kmeans);
    for (uint32_t g = 0; g < bounds->groups; g++) {
        double most = 0;

        for (uint32_t i = 0; i < bounds->members[g]; i++)
            most = fmax(most, moves[bounds->order[g * bounds->blocks * CENTROID_LANES + i]]);
        bounds->drift_sum[g] += most * (1 + bounds->slack);
        bounds->drift[g] = bound_up(bounds->drift_sum[g]);
    }
    for (uint32_t g = bounds->groups; g < bounds->padded; g++)
        bounds->drift[g] = 0;
    for (uint32_t c = 0; c < kmeans->k; c++) {
        bounds->moved_sum[c] += moves[c] * (1 + bounds->slack);
        bounds->moved[c] = bound_up(bounds->moved_sum[c]);
    }
}

/* ---- rows ---- */

static void evaluate_group(Kmeans *kmeans, uint32_t g, const double *row)
{
    KmeansBounds *bounds = kmeans->bounds;

    centroid_two_nearest(bounds->lanes, g * bounds->blocks, bounds->blocks, bounds->numbers, row,
                         &bounds->results[g].pair);
    bounds->results[g].evaluated = true;
    kmeans->evaluations += bounds->members[g];
}

/* Tells whether the nearest centroid of a group is nearer than the nearest so far, or as near and earlier. */
static bool nearer(const CentroidPair *pair, double square, uint32_t nearest)
{
    return pair->first < square || (pair->first == square && pair->nearest < nearest);
}

/* Sets the bounds of a row from the groups that were evaluated. Lower bounds leave out its own centroid. */
static void keep_bounds(Kmeans *kmeans, uint64_t row, uint32_t nearest, double square)
{
    KmeansBounds *bounds = kmeans->bounds;
    float *lower = bounds->lower + row * bounds->padded;

    for (uint32_t g = 0; g < bounds->groups; g++) {
        const GroupResult *result = &bounds->results[g];

        if (result->evaluated)
            lower[g] = bound_down(sqrt(result->pair.nearest == nearest ? result->pair.second : result->pair.first) *
                                      (1 - bounds->slack) +
                                  bounds->drift_sum[g]);
    }
    bounds->upper[row] = bound_up(sqrt(square) * (1 + bounds->slack) - bounds->moved_sum[nearest]);
    kmeans->assigned[row] = nearest;
}

/* Assigns a row without bounds. */
static void assign_first(Kmeans *kmeans, uint64_t number, const double *row)
{
    KmeansBounds *bounds = kmeans->bounds;
    float *lower = bounds->lower + number * bounds->padded;
    uint32_t nearest = CENTROID_NONE;
    double square = INFINITY;

    for (uint32_t g = 0; g < bounds->groups; g++) {
        const GroupResult *result = &bounds->results[g];

        evaluate_group(kmeans, g, row);
        if (nearer(&result->pair, square, nearest)) {
            square = result->pair.first;
            nearest = result->pair.nearest;
        }
    }
    for (uint32_t g = bounds->groups; g < bounds->padded; g++)
        lower[g] = FLT_MAX;
    keep_bounds(kmeans, number, nearest, square);
}

/* Assigns a row whose bounds leave more than one cluster possible. square: squared distance to its centroid so far. */
static void assign_open(Kmeans *kmeans, uint64_t number, const double *row, double square)
{
    KmeansBounds *bounds = kmeans->bounds;
    float *lower = bounds->lower + number * bounds->padded;
    uint32_t before = kmeans->assigned[number], own = bounds->group_of[before], nearest = before;
    double reach = square;
    float limit = bound_up(sqrt(square) * (1 + bounds->slack)) * BOUND_SLACK;

    kmeans->evaluations++;
    for (uint32_t g = 0; g < bounds->groups; g++) {
        GroupResult *result = &bounds->results[g];

        result->evaluated = false;
        if (limit < lower[g] - bounds->drift[g])
            continue;
        evaluate_group(kmeans, g, row);
        if (nearer(&result->pair, square, nearest)) {
            square = result->pair.first;
            nearest = result->pair.nearest;
            limit = bound_up(sqrt(square) * (1 + bounds->slack)) * BOUND_SLACK;
        }
    }
    if (nearest != before && !bounds->results[own].evaluated) {
        float former = bound_down(sqrt(reach) * (1 - bounds->slack) + bounds->drift_sum[own]);

        if (former < lower[own])
            lower[own] = former;
    }
    keep_bounds(kmeans, number, nearest, square);
}

/* Returns the squared distance of open row o to its centroid; computes four at a time. */
static double own_square(Kmeans *kmeans, const RowsBlock *block, uint32_t o, uint32_t open)
{
    KmeansBounds *bounds = kmeans->bounds;

    if (o % 4 == 0)
        centroid_picked_squares(block->slots, bounds->open + o, open - o < 4 ? open - o : 4, kmeans->dims,
                                kmeans->assigned + block->first, kmeans->centroids, bounds->open_squares);
    return bounds->open_squares[o % 4];
}

void kmeans_bounds_assign(Kmeans *kmeans, const RowsBlock *block, bool first)
{
    Env *env = kmeans->env;
    KmeansBounds *bounds = kmeans->bounds;
    CentroidBounds view = {bounds->padded, bounds->drift, bounds->moved, bounds->half};
    uint32_t open = block->count;

    if (bounds->open_room < block->count) {
        bounds->open = env->resize(env, bounds->open, block->count * sizeof(uint32_t));
        bounds->open_room = block->count;
    }
    if (!first)
        open = centroid_open_rows(&view, bounds->lower + block->first * bounds->padded, bounds->upper + block->first,
                                  kmeans->assigned + block->first, block->count, bounds->open);
    for (uint32_t o = 0; o < open; o++) {
        uint32_t i = first ? o : bounds->open[o];
        const double *row = block->slots + (size_t)i * kmeans->dims;

        if (first)
            assign_first(kmeans, block->first + i, row);
        else
            assign_open(kmeans, block->first + i, row, own_square(kmeans, block, o, open));
        kmeans_poll(kmeans, (uint64_t)kmeans->k * kmeans->dims);
    }
}
