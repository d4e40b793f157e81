/*
 * fisher_test.c - Fisher's exact test: of 2 x 2 tables with the conditional odds ratio and its limits, of larger tables over all
 * tables with the same totals, or by simulation.
 *
 * 2 x 2: the count in the first cell is hypergeometric, or noncentral hypergeometric with odds ratio w. Probabilities follow from Loader's
 * binomial densities, and sums from the ratios of neighbors, outward from where they are largest: memory does not grow with the counts, and time
 * with their square root.
 */
#include "core/hypothesis/table_tests.h"
#include "core/hypothesis/table_network.h"
#include "core/base/random.h"
#include "core/math/special_functions.h"

#include <float.h>
#include <math.h>

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
        if (++steps % POLL_STEPS == 0)
            cell->env->poll(cell->env);
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
            if (++steps % POLL_STEPS == 0)
                cell->env->poll(cell->env);
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
            if (place % POLL_STEPS == 0)
                env->poll(env);
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

                if (++steps % POLL_STEPS == 0)
                    env->poll(env);
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
