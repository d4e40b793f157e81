/*
 * fisher_test.c - Fisher's exact test: of 2 x 2 tables with the conditional odds ratio and its limits, of larger tables over all
 * tables with the same totals, or by simulation.
 *
 * 2 x 2: the count in the first cell is hypergeometric, or noncentral hypergeometric with odds ratio w. Probabilities follow from Loader's
 * binomial densities, and sums from the ratios of neighbors, outward from where they are largest: memory does not grow with the counts, and time
 * with their square root.
 *
 * Larger tables: the network algorithm of Mehta & Patel (1983). Columns are filled one after the other. What matters of the columns so far is
 * which totals are left in the rows (a node: sorted, as their order changes no probability) and the cost so far, the sum of log x! over the
 * cells; paths that agree in both are merged and have one probability. A path ends where all of its completions count, or none does, by the
 * least and the greatest cost of completing its node.
 */
#include "core/base/random.h"
#include "core/base/sort.h"
#include "core/hypothesis/table_tests.h"
#include "core/math/special_functions.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_BITS 6
#define MOST_ROWS 5000 /* that a walk over a column nests */
#define COST_STEPS 1e8 /* costs that differ by less than a step are the same but for rounding */

typedef struct Path {
    uint32_t node;
    double cost, probability;
} Path;

/* A way to fill a column at a node: to which node, at which cost, and its probability given the column's total. */
typedef struct Child {
    uint32_t node;
    double cost, probability;
} Child;

/* The nodes and paths before a column is filled. */
typedef struct Stage {
    HashTable node_index, path_index;
    uint32_t *left;        /* [nodes x rows] totals that are left, sorted */
    double *least, *most;  /* [nodes] costs of completing it */
    uint64_t *first;       /* [nodes] its children, */
    uint32_t *child_count; /* [nodes] and how many */
    Child *children;
    uint64_t children_used, children_room;
    Path *paths;
    uint32_t *from, *to, *sorted; /* [rows] of the walk over this column */
} Stage;

typedef struct Network {
    Env *env;
    uint32_t rows, columns;
    uint32_t *totals;      /* [columns] in decreasing order */
    double *factorials;    /* [total + 1] log x! */
    Stage *stages;         /* [columns] */
    size_t bytes;
} Network;

static const char tables_name[] = "the set of tables with these totals";

static void need_bytes(Network *net, size_t bytes)
{
    net->bytes += bytes;
    env_require_memory(net->env, net->bytes, tables_name);
}

static void *grow(Network *net, void *array, const HashTable *index, size_t size)
{
    need_bytes(net, (size_t)hash_room(index) * size);
    return net->env->resize(net->env, array, (size_t)hash_room(index) * 2 * size);
}

/* Returns the node of these totals, which it sorts. */
static uint32_t find_node(Network *net, uint32_t column, uint32_t *left)
{
    Stage *stage = &net->stages[column];
    size_t size = net->rows * sizeof(uint32_t);
    uint32_t hash, place, node;

    for (uint32_t i = 1; i < net->rows; i++)
        for (uint32_t j = i; j > 0 && left[j] < left[j - 1]; j--) {
            uint32_t other = left[j];
            left[j] = left[j - 1];
            left[j - 1] = other;
        }
    hash = 0;
    for (uint32_t i = 0; i < net->rows; i++)
        hash = hash_64(mix64((uint64_t)hash << 32 | left[i]));
    place = hash_start(&stage->node_index, hash);
    while ((node = hash_next(&stage->node_index, hash, &place)) != HASH_NONE)
        if (memcmp(stage->left + (size_t)node * net->rows, left, size) == 0)
            return node;
    if (stage->node_index.count == hash_room(&stage->node_index)) {
        stage->left = grow(net, stage->left, &stage->node_index, size);
        stage->least = grow(net, stage->least, &stage->node_index, sizeof(double));
        stage->most = grow(net, stage->most, &stage->node_index, sizeof(double));
        stage->first = grow(net, stage->first, &stage->node_index, sizeof(uint64_t));
        stage->child_count = grow(net, stage->child_count, &stage->node_index, sizeof(uint32_t));
    }
    node = hash_add(net->env, &stage->node_index, hash);
    memcpy(stage->left + (size_t)node * net->rows, left, size);
    return node;
}

static void add_path(Network *net, uint32_t column, Path path)
{
    Stage *stage = &net->stages[column];
    uint32_t hash = hash_64(mix64((uint64_t)path.node ^ (uint64_t)llround(path.cost * COST_STEPS) << 20)), entry;
    uint32_t place = hash_start(&stage->path_index, hash);

    while ((entry = hash_next(&stage->path_index, hash, &place)) != HASH_NONE)
        if (stage->paths[entry].node == path.node && fabs(stage->paths[entry].cost - path.cost) < 1 / COST_STEPS) {
            stage->paths[entry].probability += path.probability;
            return;
        }
    if (stage->path_index.count == hash_room(&stage->path_index))
        stage->paths = grow(net, stage->paths, &stage->path_index, sizeof(Path));
    stage->paths[hash_add(net->env, &stage->path_index, hash)] = path;
}

static void add_child(Network *net, uint32_t column, Child child)
{
    Stage *stage = &net->stages[column];

    memcpy(stage->sorted, stage->to, net->rows * sizeof(uint32_t));
    child.node = find_node(net, column + 1, stage->sorted);
    if (stage->children_used == stage->children_room) {
        stage->children_room = stage->children_room * 2 + 64;
        need_bytes(net, stage->children_room * sizeof(Child) / 2);
        stage->children = net->env->resize(net->env, stage->children, stage->children_room * sizeof(Child));
    }
    if (stage->children_used % 64 == 0) /* of many rows, each takes long */
        net->env->poll(net->env);
    stage->children[stage->children_used++] = child;
}

/*
 * Fills the rows from i on with `rest` in all ways. room: what these rows can take. so_far: of the rows before; its probability is a logarithm.
 */
static void fill_rows(Network *net, uint32_t column, uint32_t i, uint32_t rest, uint32_t room, Child so_far)
{
    Stage *stage = &net->stages[column];
    const double *lf = net->factorials;
    uint32_t own = stage->from[i], least, most = rest < own ? rest : own;

    room -= own;
    least = rest > room ? rest - room : 0;
    for (uint32_t x = least; x <= most; x++) {
        Child child = {0, so_far.cost + lf[x], so_far.probability + lf[own] - lf[x] - lf[own - x]};

        stage->to[i] = own - x;
        if (i + 1 < net->rows) {
            fill_rows(net, column, i + 1, rest - x, room, child);
        } else {
            child.probability = exp(child.probability);
            add_child(net, column, child);
        }
    }
}

static int compare_children(const void *a, const void *b)
{
    const Child *x = a, *y = b;

    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    return (x->cost > y->cost) - (x->cost < y->cost);
}

/* Lists the children of a node: those of the same node and cost as one. */
static void find_children(Network *net, uint32_t column, uint32_t node)
{
    Stage *stage = &net->stages[column];
    const double *lf = net->factorials;
    uint32_t total = 0, own = net->totals[column];
    uint64_t first = stage->children_used, last = first;

    memcpy(stage->from, stage->left + (size_t)node * net->rows, net->rows * sizeof(uint32_t));
    for (uint32_t i = 0; i < net->rows; i++)
        total += stage->from[i];
    fill_rows(net, column, 0, own, total, (Child){0, 0, lf[own] + lf[total - own] - lf[total]});
    env_require_memory(net->env, net->bytes + (stage->children_used - first) * sizeof(Child), tables_name);
    sort_polled(net->env, stage->children + first, stage->children_used - first, sizeof(Child), compare_children);
    for (uint64_t i = first + 1; i < stage->children_used; i++) {
        Child *kept = &stage->children[last], *child = &stage->children[i];

        if (child->node == kept->node && child->cost - kept->cost < 1 / COST_STEPS)
            kept->probability += child->probability;
        else
            stage->children[++last] = *child;
    }
    stage->children_used = last + 1;
    stage->first[node] = first;
    stage->child_count[node] = (uint32_t)(last + 1 - first);
}

/* Computes the least and the greatest cost of completing a node from those of its children. */
static void set_bounds(Network *net, uint32_t column, uint32_t node)
{
    Stage *stage = &net->stages[column], *next = stage + 1;
    double least = INFINITY, most = -INFINITY;

    if (column + 1 == net->columns) { /* all that is left */
        least = 0;
        for (uint32_t i = 0; i < net->rows; i++)
            least += net->factorials[stage->left[(size_t)node * net->rows + i]];
        most = least;
    } else {
        for (uint32_t i = 0; i < stage->child_count[node]; i++) {
            Child child = stage->children[stage->first[node] + i];

            least = fmin(least, child.cost + next->least[child.node]);
            most = fmax(most, child.cost + next->most[child.node]);
        }
    }
    stage->least[node] = least;
    stage->most[node] = most;
}

/* Finds all nodes, column after column, and then the costs of completing them, backwards. */
static void find_bounds(Network *net)
{
    for (uint32_t column = 0; column + 1 < net->columns; column++)
        for (uint32_t node = 0; node < net->stages[column].node_index.count; node++)
            find_children(net, column, node);
    for (uint32_t column = net->columns; column-- > 0;)
        for (uint32_t node = 0; node < net->stages[column].node_index.count; node++) {
            set_bounds(net, column, node);
            env_poll_every(net->env, node, 256);
        }
}

static int compare_down(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x < y) - (x > y);
}

/* Returns what a stage takes before it grows. */
static size_t first_stage_bytes(uint32_t rows)
{
    size_t room = (size_t)1 << (FIRST_BITS - 1), left = rows * sizeof(uint32_t);

    return sizeof(Stage) + 3 * left + room * (left + 2 * sizeof(double) + sizeof(uint64_t) + sizeof(uint32_t) + sizeof(Path) + 4 * sizeof(HashSlot));
}

/* Prepares the stages. transposed: the table's columns are the rows, which should be few. */
static Network network(Env *env, const CountTable *counts, bool transposed)
{
    Network net = {env, transposed ? counts->columns : counts->rows, transposed ? counts->rows : counts->columns};
    const double *totals = transposed ? counts->row_totals : counts->column_totals;

    if (counts->total > INT32_MAX || net.rows > MOST_ROWS)
        env_fail(env, ERROR_LIMIT, "Use option \"simulations\", or chi_square_test.", "the %.0f rows of a %u x %u table are too many for an exact test",
                 counts->total, counts->rows, counts->columns);
    need_bytes(&net, (size_t)counts->total * sizeof(double));
    net.totals = env_array(env, net.columns, sizeof(uint32_t));
    for (uint32_t j = 0; j < net.columns; j++)
        net.totals[j] = (uint32_t)totals[j];
    qsort(net.totals, net.columns, sizeof(uint32_t), compare_down);
    net.factorials = env_array(env, (size_t)counts->total + 1, sizeof(double));
    for (uint32_t i = 1; i <= (uint32_t)counts->total; i++)
        net.factorials[i] = lgamma(i + 1.0);
    net.stages = env_array(env, net.columns, sizeof(Stage));
    for (uint32_t j = 0; j < net.columns; j++) {
        Stage *stage = &net.stages[j];

        need_bytes(&net, first_stage_bytes(net.rows));
        stage->node_index = hash_table(env, FIRST_BITS);
        stage->path_index = hash_table(env, FIRST_BITS);
        stage->left = env_array(env, (size_t)hash_room(&stage->node_index) * net.rows, sizeof(uint32_t));
        stage->least = env_array(env, hash_room(&stage->node_index), sizeof(double));
        stage->most = env_array(env, hash_room(&stage->node_index), sizeof(double));
        stage->first = env_array(env, hash_room(&stage->node_index), sizeof(uint64_t));
        stage->child_count = env_array(env, hash_room(&stage->node_index), sizeof(uint32_t));
        stage->paths = env_array(env, hash_room(&stage->path_index), sizeof(Path));
        stage->from = env_array(env, net.rows, sizeof(uint32_t));
        stage->to = env_array(env, net.rows, sizeof(uint32_t));
        stage->sorted = env_array(env, net.rows, sizeof(uint32_t));
    }
    return net;
}

/* Returns the probability of the paths of a stage whose completions all count; goes on with those of which some do. */
static double settle_paths(Network *net, uint32_t column, double limit)
{
    Stage *stage = &net->stages[column];
    double p = 0;

    for (uint32_t i = 0; i < stage->path_index.count; i++) {
        Path path = stage->paths[i];

        env_poll_every(net->env, i, 4096);
        if (path.cost + stage->least[path.node] >= limit) {
            p += path.probability;
        } else if (path.cost + stage->most[path.node] >= limit) {
            net->env->poll(net->env);
            for (uint32_t k = 0; k < stage->child_count[path.node]; k++) {
                const Child *child = &stage->children[stage->first[path.node] + k];

                add_path(net, column + 1, (Path){child->node, path.cost + child->cost, path.probability * child->probability});
            }
        }
    }
    return p;
}

double table_network_p(Env *env, const CountTable *counts, double tolerance)
{
    bool transposed = counts->rows > counts->columns;
    Network net = network(env, counts, transposed);
    const double *totals = transposed ? counts->column_totals : counts->row_totals;
    double limit = -log1p(tolerance), p = 0;

    for (size_t i = 0; i < (size_t)counts->rows * counts->columns; i++)
        limit += net.factorials[(uint32_t)counts->cells[i]];
    for (uint32_t i = 0; i < net.rows; i++)
        net.stages[0].to[i] = (uint32_t)totals[i];
    add_path(&net, 0, (Path){find_node(&net, 0, net.stages[0].to), 0, 1});
    find_bounds(&net);
    for (uint32_t column = 0; column < net.columns; column++)
        p += settle_paths(&net, column, limit);
    return fmin(1, p);
}

#define POLL_STEPS 65536
#define TOLERANCE 1e-7 /* tables this much more probable than the observed one count as equally probable, as in R */

const OptionSpec fisher_options[] = {
    {.name = "simulations",
     .types = OPTION_INTEGER,
     .fallback = "0",
     .minimum = 0,
     .maximum = 1e9,
     .help = "How many random tables with the same totals the p-value of a table above 2 x 2 comes from; 0: all tables."},
    {.name = "seed", .types = OPTION_INTEGER, .fallback = "0", .minimum = 0, .maximum = 9007199254740992.0, .help = "The seed of the simulations."},
    {.name = NULL}};

/* The first cell of a 2 x 2 table: x of k, where m of m + n rows are in the first column. */
typedef struct FirstCell {
    Env *env;
    double x, m, n, k, low, high;
} FirstCell;

/* Returns the logarithm of the probability of x. */
static double log_density(const FirstCell *cell, double x)
{
    double all = cell->m + cell->n, p = cell->k / all, q = (all - cell->k) / all;

    return binomial_log_density(x, cell->m, p, q) + binomial_log_density(cell->k - x, cell->n, p, q) - binomial_log_density(cell->k, all, p, q);
}

/* Returns P(x + 1) / P(x). */
static double up(const FirstCell *cell, double x)
{
    return (cell->m - x) * (cell->k - x) / ((x + 1) * (cell->n - cell->k + x + 1));
}

/* Returns the sum of the probabilities from x on, in steps of 1 or -1, relative to that of x. */
static double tail_sum(const FirstCell *cell, double x, int step, double odds)
{
    double term = 1, sum = 1;
    uint64_t steps = 0;

    for (; step > 0 ? x < cell->high : x > cell->low; x += step) {
        term *= step > 0 ? up(cell, x) * odds : 1 / (up(cell, x - 1) * odds);
        sum += term;
        if (term < sum * DBL_EPSILON / 8)
            break;
        env_poll_every(cell->env, ++steps, POLL_STEPS);
    }
    return sum;
}

/* Returns the most probable x. */
static double mode(const FirstCell *cell)
{
    return fmax(cell->low, fmin(cell->high, floor((cell->m + 1) * ((cell->k + 1) / (cell->m + cell->n + 2)))));
}

/* Returns P(X <= x), or for step 1 P(X >= x). */
static double central_tail(const FirstCell *cell, int step)
{
    double top = mode(cell);

    if ((step > 0 ? cell->x > top : cell->x < top) || cell->x == top)
        return fmin(1, exp(log_density(cell, cell->x)) * tail_sum(cell, cell->x, step, 1));
    if (cell->x == (step > 0 ? cell->low : cell->high))
        return 1;
    return 1 - exp(log_density(cell, cell->x - step)) * tail_sum(cell, cell->x - step, -step, 1);
}

/* Returns the probability of all x that are at most as probable as the observed one. */
static double two_sided(const FirstCell *cell)
{
    double top = mode(cell), own = log_density(cell, cell->x), limit = own + log1p(TOLERANCE), from, to;
    int side = cell->x > top ? 1 : -1; /* of the observed x */
    double p;

    if (log_density(cell, top) <= limit)
        return 1;
    p = exp(own) * tail_sum(cell, cell->x, side, 1);
    /* neighbors towards the mode may be within the tolerance, too */
    for (double x = cell->x - side; x != top && log_density(cell, x) <= limit; x -= side)
        p += exp(log_density(cell, x));
    from = top;
    to = side > 0 ? cell->low : cell->high;
    if (log_density(cell, to) > limit)
        return fmin(1, p);
    while (fabs(to - from) > 1) { /* from: too probable; to: not */
        double middle = floor((from + to) / 2);

        if (log_density(cell, middle) > limit)
            from = middle;
        else
            to = middle;
    }
    return fmin(1, p + exp(log_density(cell, to)) * tail_sum(cell, to, -side, 1));
}

/* What is solved for the odds ratio. */
typedef enum Wanted { WANTED_MEAN, WANTED_LOWER_TAIL, WANTED_UPPER_TAIL } Wanted;

/* Returns the mean of the noncentral distribution, or one of its tails at x. */
static double noncentral(const FirstCell *cell, double log_odds, Wanted wanted)
{
    double odds = exp(log_odds), low = cell->low, high = cell->high, start, sum = 0, part = 0;
    uint64_t steps = 0;

    while (high - low > 0.5) { /* the mode: the first x whose right neighbor is less probable */
        double middle = floor((low + high) / 2);

        if (up(cell, middle) * odds > 1)
            low = middle + 1;
        else
            high = middle;
    }
    start = low;
    for (int step = -1; step <= 1; step += 2) {
        double term = 1;

        for (double x = start; x >= cell->low && x <= cell->high; x += step) {
            if (x != start || step < 0) { /* the start once */
                sum += term;
                part += wanted == WANTED_MEAN ? term * (x - start) : (wanted == WANTED_LOWER_TAIL ? x <= cell->x : x >= cell->x) ? term : 0;
            }
            if (term < sum * 1e-20 || x + step < cell->low || x + step > cell->high)
                break;
            env_poll_every(cell->env, ++steps, POLL_STEPS);
            term *= step > 0 ? up(cell, x) * odds : 1 / (up(cell, x - 1) * odds);
        }
    }
    return wanted == WANTED_MEAN ? start + part / sum : part / sum;
}

/* Returns the odds ratio at which a tail, or the mean, has this value, by bisection of its logarithm. */
static double solve_odds(const FirstCell *cell, Wanted wanted, double value)
{
    bool rises = wanted != WANTED_LOWER_TAIL;
    double low = -1, high = 1;

    while (low > -700 && (noncentral(cell, low, wanted) > value) == rises)
        low *= 2;
    while (high < 700 && (noncentral(cell, high, wanted) < value) == rises)
        high *= 2;
    for (int i = 0; i < 200 && high - low > 1e-15 * fmax(1, fabs(low)); i++) {
        double middle = (low + high) / 2;

        cell->env->poll(cell->env);
        if ((noncentral(cell, middle, wanted) < value) == rises)
            low = middle;
        else
            high = middle;
    }
    return exp((low + high) / 2);
}

static void two_by_two(Env *env, const ConfusionTable *table, const CountTable *counts, const Options *options, HypothesisResult *result)
{
    Alternative alternative = hypothesis_alternative(options);
    double level = options_number(options, "level"), tail = alternative == TWO_SIDED ? (1 - level) / 2 : 1 - level;
    FirstCell cell = {env, counts->cells[0], counts->column_totals[0], counts->column_totals[1], counts->row_totals[0]};

    cell.low = fmax(0, cell.k - cell.n);
    cell.high = fmin(cell.k, cell.m);
    result->alternative = alternative_names[alternative];
    result->p_value = alternative == TWO_SIDED ? two_sided(&cell) : central_tail(&cell, alternative == LESS ? -1 : 1);
    result->estimate = cell.x == cell.low ? 0 : cell.x == cell.high ? INFINITY : solve_odds(&cell, WANTED_MEAN, cell.x);
    result->estimated = env_message(env, "odds ratio of %s among %s to %s", table_label(env, table, counts->column_labels[0]),
                                    table_label(env, table, counts->row_labels[0]), table_label(env, table, counts->row_labels[1]));
    result->conf_low = alternative == LESS || cell.x == cell.low ? 0 : solve_odds(&cell, WANTED_UPPER_TAIL, tail);
    result->conf_high = alternative == GREATER || cell.x == cell.high ? INFINITY : solve_odds(&cell, WANTED_LOWER_TAIL, tail);
}

/* Returns the sum of log x! over the cells. */
static double log_factorials(const double *cells, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += lgamma(cells[i] + 1);
    return sum;
}

/* Returns the share of random tables that are at most as probable, the observed one included. */
static double simulated(Env *env, const CountTable *counts, int64_t simulations, uint64_t seed)
{
    size_t count = (size_t)counts->rows * counts->columns, n = (size_t)counts->total, place = 0;
    uint64_t steps = 0;
    uint32_t *columns;
    double *cells = env_array(env, count, sizeof(double)), observed = log_factorials(counts->cells, count), as_rare = 1;

    env_require_memory(env, n * sizeof(uint32_t), "a list of all rows for the simulations of fisher_test");
    columns = env_array_raw(env, n + 1, sizeof(uint32_t));
    for (uint32_t j = 0; j < counts->columns; j++)
        for (double i = 0; i < counts->column_totals[j]; i++) {
            columns[place++] = j;
            env_poll_every(env, place, POLL_STEPS);
        }
    for (int64_t s = 0; s < simulations; s++) {
        size_t k = n;

        env->poll(env);
        for (size_t i = 0; i < count; i++)
            cells[i] = 0;
        for (uint32_t i = 0; i < counts->rows; i++)
            for (double r = 0; r < counts->row_totals[i]; r++) { /* draws a row's columns one by one, without putting them back */
                size_t pick;
                uint32_t column;

                env_poll_every(env, ++steps, POLL_STEPS);
                pick = (size_t)(random_unit(&seed) * (double)k);
                column = columns[pick];
                columns[pick] = columns[--k];
                columns[k] = column;
                cells[(size_t)i * counts->columns + column]++;
            }
        as_rare += log_factorials(cells, count) >= observed - TOLERANCE;
    }
    return as_rare / ((double)simulations + 1);
}

void fisher_test(Env *env, const ConfusionTable *table, const Options *options, HypothesisResult *result)
{
    CountTable counts = count_table(env, table, "fisher_test");
    int64_t simulations = options_integer(options, "simulations");

    hypothesis_begin(result, "Fisher's exact test", NULL, counts.total);
    if (!table_varies(env, &counts, "fisher_test", result) || !counts_are_whole(env, table, "fisher_test", result))
        return;
    if (counts.rows == 2 && counts.columns == 2) {
        two_by_two(env, table, &counts, options, result);
    } else if (simulations > 0) {
        result->test = env_message(env, "Fisher's test with %lld simulated tables", (long long)simulations);
        result->p_value = simulated(env, &counts, simulations, (uint64_t)options_integer(options, "seed"));
    } else {
        result->p_value = table_network_p(env, &counts, TOLERANCE);
    }
    result->effect = "Cramer's V";
    result->effect_size = cramers_v(env, &counts);
}
