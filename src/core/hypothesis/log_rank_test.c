/*
 * log_rank_test.c - the log-rank test of groups of censored times (Mantel 1966; Peto & Peto 1972), as survdiff of the R package survival does it.
 *
 * At each time with events, the events of a group are hypergeometric given how many rows of each group are at risk; statistic and covariance sum
 * over the times, and over strata, within each of which rows are compared.
 */
#include "core/hypothesis/log_rank_test.h"
#include "core/base/sort.h"
#include "core/linalg/cholesky.h"
#include "core/math/special_functions.h"

#include <math.h>
#include <string.h>

#define POLL_ROWS 4096
#define POLL_GROUPS 64

typedef struct TimeRow {
    double time;
    uint32_t group; /* its place in the order of the labels */
    uint32_t stratum;
    bool event;
} TimeRow;

typedef struct LogRank {
    Env *env;
    uint32_t groups;
    double *at_risk;    /* [groups] */
    double *covariance; /* [groups x groups], lower triangle by columns */
    LogRankGroups *out;
} LogRank;

/* By stratum, and there in falling order of the times. */
static int compare_rows(const void *a, const void *b)
{
    const TimeRow *x = a, *y = b;

    if (x->stratum != y->stratum)
        return x->stratum < y->stratum ? -1 : 1;
    return (x->time < y->time) - (x->time > y->time);
}

/* The groups of a sample, and where its rows belong. */
typedef struct Grouping {
    const Sample *groups; /* their labels and counts */
    uint32_t *order;      /* [groups] as their labels sort */
    uint32_t *group;      /* [groups of the sample] places in `groups`; NULL: their own */
    uint32_t *stratum;    /* [groups of the sample] NULL: there is one */
} Grouping;

/* Returns the places [groups] in an order. */
static uint32_t *places_of(Env *env, const uint32_t *order, uint32_t count)
{
    uint32_t *place = env_array_raw(env, (size_t)count + 1, sizeof(uint32_t));

    for (uint32_t i = 0; i < count; i++)
        place[order[i]] = i;
    return place;
}

static Grouping grouping(Env *env, const Sample *sample)
{
    Grouping grouping = {.groups = sample};

    if (sample->strata) {
        Sample *groups = env_array(env, 1, sizeof(Sample)), *strata = env_array(env, 1, sizeof(Sample));
        const uint32_t *place;

        grouping.group = env_array_raw(env, (size_t)sample->group_count + 1, sizeof(uint32_t));
        grouping.stratum = env_array_raw(env, (size_t)sample->group_count + 1, sizeof(uint32_t));
        sample_split(env, sample, groups, strata, grouping.group, grouping.stratum);
        grouping.groups = groups;
        place = places_of(env, sample_order(env, strata), strata->group_count);
        for (uint32_t i = 0; i < sample->group_count; i++) /* sums over strata do not depend on the order of the rows */
            grouping.stratum[i] = place[grouping.stratum[i]];
    }
    grouping.order = sample_order(env, grouping.groups);
    return grouping;
}

/* Returns the rows by stratum and in falling order of their times. */
static TimeRow *sorted_rows(Env *env, const Sample *sample, const Grouping *grouping)
{
    uint64_t count = sample->value_count;
    const uint32_t *place = places_of(env, grouping->order, grouping->groups->group_count);
    TimeRow *rows;

    env_require_memory(env, 2 * count * sizeof(TimeRow), "sorting the times of log_rank_test");
    rows = env_array_raw(env, count + 1, sizeof(TimeRow));
    for (uint64_t i = 0; i < count; i++) {
        uint32_t group = sample->group[i];

        if (sample->x[i] < 0)
            env_fail(env, ERROR_DATA, "Pass the time from the start to the event, or until the row was last seen.", "a time is %g, below 0", sample->x[i]);
        rows[i] = (TimeRow){sample->x[i], place[grouping->group != NULL ? grouping->group[group] : group], grouping->stratum != NULL ? grouping->stratum[group] : 0,
                            sample->y[i] != 0};
    }
    sort_polled(env, rows, count, sizeof(TimeRow), compare_rows);
    return rows;
}

/* Adds what is expected of `events` at one time, when n rows are at risk. */
static void add_time(LogRank *test, double events, double n)
{
    double times = n > 1 ? events * (n - events) / (n - 1) : 0;

    for (uint32_t j = 0; j < test->groups; j++) {
        double share = test->at_risk[j] / n, *column = test->covariance + (size_t)j * test->groups;

        env_poll_every(test->env, j, POLL_GROUPS);
        if (share == 0)
            continue;
        test->out->expected[j] += events * share;
        column[j] += times * share;
        for (uint32_t i = j; i < test->groups; i++)
            column[i] -= times * share * (test->at_risk[i] / n);
    }
}

/* Adds all times of each stratum, from the last one back. */
static void add_times(LogRank *test, const TimeRow *rows, uint64_t count)
{
    uint64_t begin = 0;

    for (uint64_t i = 0; i < count;) {
        double time = rows[i].time, events = 0;
        uint32_t stratum = rows[i].stratum;

        if (stratum != rows[begin].stratum) {
            memset(test->at_risk, 0, test->groups * sizeof(double));
            begin = i;
        }
        for (; i < count && rows[i].time == time && rows[i].stratum == stratum; i++) {
            test->at_risk[rows[i].group]++;
            events += rows[i].event;
            test->out->observed[rows[i].group] += rows[i].event;
            env_poll_every(test->env, i, POLL_ROWS);
        }
        if (events > 0)
            add_time(test, events, (double)(i - begin));
    }
}

/* Sets the statistic of the groups with rows at risk at a time with events, all but the first of which are free. Returns false if there is none. */
static bool set_statistic(const LogRank *test, HypothesisResult *result)
{
    Env *env = test->env;
    const LogRankGroups *out = test->out;
    uint32_t *free_groups = env_array_raw(env, (size_t)test->groups + 1, sizeof(uint32_t)), count = 0, df;
    double *matrix, *differences;

    for (uint32_t i = 0; i < test->groups; i++)
        if (out->expected[i] > 0)
            free_groups[count++] = i;
    if (count < 2)
        return false;
    df = count - 1;
    matrix = env_array(env, (size_t)df * df, sizeof(double));
    differences = env_array(env, df, sizeof(double));
    for (uint32_t j = 0; j < df; j++) {
        uint32_t column = free_groups[j + 1];

        differences[j] = out->observed[column] - out->expected[column];
        for (uint32_t i = j; i < df; i++)
            matrix[(size_t)j * df + i] = test->covariance[(size_t)column * test->groups + free_groups[i + 1]];
        env_poll_every(env, j, POLL_GROUPS);
    }
    if (cholesky_factor(env, matrix, df, CHOLESKY_TOLERANCE(df)) < df)
        return false;
    cholesky_solve(env, matrix, df, differences, 1);
    result->statistic = 0;
    for (uint32_t j = 0; j < df; j++)
        result->statistic += differences[j] * differences[j];
    result->df = df;
    result->p_value = chi_square_upper(result->statistic, result->df);
    return true;
}

void log_rank_test(Env *env, const Sample *sample, const Options *options, HypothesisResult *result)
{
    Grouping own = grouping(env, sample);
    uint32_t groups = own.groups->group_count;
    LogRankGroups *out = env_array(env, 1, sizeof(LogRankGroups));
    LogRank test = {.env = env, .groups = groups, .out = out};
    double n = (double)sample->value_count, events = 0;

    hypothesis_begin(result, "log-rank test", NULL, n);
    if (groups < 2 || sample->group == NULL || sample->y == NULL) {
        hypothesis_fails(env, result, "Pass a column with two groups or more.", "log_rank_test compares groups, but the %.0f rows have %u", n, groups);
        return;
    }
    env_require_memory(env, ((size_t)groups * groups * 2 + 4 * (size_t)groups) * sizeof(double), "the covariance of log_rank_test");
    *out = (LogRankGroups){groups, env_array(env, groups, sizeof(SampleGroup *)), env_array(env, groups, sizeof(double)),
                           env_array(env, groups, sizeof(double))};
    for (uint32_t i = 0; i < groups; i++)
        out->groups[i] = &sample_groups(own.groups)[own.order[i]];
    test.at_risk = env_array(env, groups, sizeof(double));
    test.covariance = env_array(env, (size_t)groups * groups, sizeof(double));
    add_times(&test, sorted_rows(env, sample, &own), sample->value_count);
    for (uint32_t i = 0; i < groups; i++)
        events += out->observed[i];
    if (events == 0)
        hypothesis_fails(env, result, "Check which value of the column means that the event happened.", "none of the %.0f rows of log_rank_test has the event", n);
    else if (!set_statistic(&test, result))
        hypothesis_fails(env, result, "Compare groups that are observed over the same times.",
                         "log_rank_test needs a time with an event at which rows of two groups are at risk: %.0f events in %.0f rows of %u groups", events, n, groups);
    else
        result->log_rank = out;
}
