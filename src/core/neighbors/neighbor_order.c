/*
 * neighbor_order.c - sorts rows into the leaves of a k-d tree (Bentley 1975; Friedman, Bentley & Finkel 1977), which splits at the
 * median of the widest coordinate, rounded to whole leaves.
 *
 * A total order decides which rows are left of a split, so the parts do not depend on the order of arrival; leaves are sorted at
 * the end. The median is found by quickselect (Hoare 1961) with three-way partitions and random pivots.
 */
#include "core/neighbors/neighbor_index.h"

/* A row with its value in the coordinate that is split. */
typedef struct Keyed {
    double key;
    uint32_t row;
} Keyed;

typedef struct Ordering {
    Env *env;
    const Metric *metric;
    const double *rows;
    NeighborCompare compare;
    const void *context;
    uint32_t *order;
    Keyed *items;       /* the part that is split */
    double *low, *high; /* [width] */
    uint64_t random;    /* generator that chooses pivots */
    uint32_t count, done; /* rows; those in their leaf */
} Ordering;

#define POLL_ROWS 32768
#define REPORT_ROWS 4096

static int keyed_compare(const Ordering *ordering, const Keyed *a, const Keyed *b)
{
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return ordering->compare(ordering->context, a->row, b->row);
}

static void swap_items(Keyed *a, Keyed *b)
{
    Keyed kept = *a;

    *a = *b;
    *b = kept;
}

/* Returns the median of three random items. */
static Keyed pivot_of(Ordering *ordering, const Keyed *items, uint32_t count)
{
    Keyed picked[3];

    for (int i = 0; i < 3; i++) {
        ordering->random = ordering->random * 6364136223846793005u + 1442695040888963407u;
        picked[i] = items[(ordering->random >> 33) % count];
    }
    if (keyed_compare(ordering, &picked[0], &picked[1]) > 0)
        swap_items(&picked[0], &picked[1]);
    if (keyed_compare(ordering, &picked[1], &picked[2]) > 0)
        swap_items(&picked[1], &picked[2]);
    if (keyed_compare(ordering, &picked[0], &picked[1]) > 0)
        swap_items(&picked[0], &picked[1]);
    return picked[1];
}

/* Moves the nth least items to the front, in any order. */
static void select_least(Ordering *ordering, Keyed *items, uint32_t count, uint32_t nth)
{
    while (count > 1 && nth > 0 && nth < count) {
        Keyed pivot = pivot_of(ordering, items, count);
        uint32_t less = 0, i = 0, more = count; /* [0, less) < pivot, [less, i) = pivot, [more, count) > pivot */

        while (i < more) {
            int order = keyed_compare(ordering, &items[i], &pivot);

            if (order < 0)
                swap_items(&items[less++], &items[i++]);
            else if (order > 0)
                swap_items(&items[i], &items[--more]);
            else
                i++;
            env_poll_every(ordering->env, i + more, POLL_ROWS);
        }
        if (nth < less) {
            count = less;
        } else if (nth > more) {
            items += more;
            nth -= more;
            count -= more;
        } else {
            return;
        }
    }
}

/* Returns the coordinate in which this part of the rows is widest; -1 if they are all equal. */
static int64_t widest(Ordering *ordering, const uint32_t *part, uint32_t count)
{
    const Metric *metric = ordering->metric;
    uint32_t width = metric->width;
    double *low = ordering->low, *high = ordering->high, most = 0;
    int64_t result = -1;

    for (uint32_t i = 0; i < count; i++) {
        const double *row = ordering->rows + (size_t)part[i] * width;

        for (uint32_t j = 0; j < width; j++) {
            low[j] = i == 0 || row[j] < low[j] ? row[j] : low[j];
            high[j] = i == 0 || row[j] > high[j] ? row[j] : high[j];
        }
        env_poll_every(ordering->env, i, 4096);
    }
    for (uint32_t j = 0; j < width; j++) {
        double half = j < metric->numbers ? high[j] / 2 - low[j] / 2 : (high[j] > low[j]) * 0.5;

        if (half > most) { /* half the range, which cannot overflow */
            most = half;
            result = j;
        }
    }
    return result;
}

static void sort_leaf(const Ordering *ordering, uint32_t *part, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        uint32_t row = part[i], place = i;

        for (; place > 0 && ordering->compare(ordering->context, part[place - 1], row) > 0; place--)
            part[place] = part[place - 1];
        part[place] = row;
    }
}

/* Sorts a part of the rows into leaves; recurses to a depth of the logarithm of their number. */
static void split(Ordering *ordering, uint32_t *part, uint32_t count)
{
    uint32_t leaves = (count + NEIGHBOR_LEAF - 1) / NEIGHBOR_LEAF, left;
    uint32_t width = ordering->metric->width;
    int64_t coordinate;

    if (leaves <= 1) {
        sort_leaf(ordering, part, count);
        if (ordering->done % REPORT_ROWS + count >= REPORT_ROWS)
            ordering->env->progress(ordering->env, "index", ordering->done, ordering->count, NAN);
        ordering->done += count;
        return;
    }
    left = (leaves + 1) / 2 * NEIGHBOR_LEAF;
    coordinate = widest(ordering, part, count);
    for (uint32_t i = 0; i < count; i++) {
        ordering->items[i].row = part[i];
        ordering->items[i].key =
            coordinate < 0 ? 0 : ordering->rows[(size_t)part[i] * width + (size_t)coordinate];
        env_poll_every(ordering->env, i, POLL_ROWS);
    }
    select_least(ordering, ordering->items, count, left);
    for (uint32_t i = 0; i < count; i++)
        part[i] = ordering->items[i].row;
    split(ordering, part, left);
    split(ordering, part + left, count - left);
}

int neighbor_by_number(const void *context, uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

void neighbor_order(Env *env, const Metric *metric, const double *rows, uint32_t count,
                     NeighborCompare compare, const void *context, uint32_t *order)
{
    Ordering ordering = {.env = env,
                         .metric = metric,
                         .rows = rows,
                         .compare = compare,
                         .context = context,
                         .order = order,
                         .random = count,
                         .count = count};

    ordering.items = env_array_raw(env, count, sizeof(Keyed));
    ordering.low = env_array_raw(env, metric->width, sizeof(double));
    ordering.high = env_array_raw(env, metric->width, sizeof(double));
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    env->progress(env, "index", 0, count, NAN);
    split(&ordering, order, count);
    env->release(env, ordering.items);
}
