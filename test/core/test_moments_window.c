/*
 * test_moments_window.c - a moving frame against a restart over its rows; summaries and memory held.
 */
#include "check.h"

#include "core/base/random.h"
#include "core/moments/moments_window.h"

#include <stdlib.h>

#define SLOTS 3
#define ROWS 3000

static uint64_t random_state = 42;
static double random_number(void)
{
    return random_unit(&random_state);
}

typedef struct Row {
    double slots[SLOTS];
    bool nulls[SLOTS];
    double target, weight; /* 0: not used */
} Row;

static Row *make_rows(bool weighted, bool impute)
{
    Row *rows = calloc(ROWS, sizeof(Row));

    for (int i = 0; i < ROWS; i++) {
        Row *r = &rows[i];
        for (int j = 0; j < SLOTS; j++) {
            r->slots[j] = 100 * j + random_number();
            r->nulls[j] = impute && random_number() < 0.1;
        }
        r->target = 5 + r->slots[0] - 2 * r->slots[1] + random_number();
        r->weight = random_number() < 0.2 ? 0 : weighted ? random_number() : 1;
    }
    return rows;
}

/* An element of the cross-products R'R of a dense factor. */
static double cross_product(const Design *design, uint32_t i, uint32_t j)
{
    uint32_t n = design->terms + 1;
    double sum = 0;

    for (uint32_t k = 0; k <= i && k <= j; k++)
        sum += design->factor[(size_t)i * n + k] * design->factor[(size_t)j * n + k];
    return sum;
}

/* Compares counts, means and cross-products, as a fit sees them; arrays differ, because origins depend on the first row. */
static bool same_moments(Env *env, const Model *a, const Model *b, double tolerance)
{
    Design *p, *q;
    bool same;

    if (a->rows != b->rows || a->skipped != b->skipped || fabs(a->weight - b->weight) > tolerance * (1 + a->weight))
        return false;
    p = moments_design(env, a, true);
    q = moments_design(env, b, true);
    same = p->terms == q->terms;
    for (uint32_t j = 0; same && j <= p->terms; j++) {
        same = fabs(p->means[j] - q->means[j]) <= tolerance * (1 + fabs(p->means[j]));
        for (uint32_t i = 0; same && i <= j; i++) {
            double scale = sqrt(cross_product(p, i, i) * cross_product(p, j, j));
            same = fabs(cross_product(p, i, j) - cross_product(q, i, j)) <= tolerance * (1 + scale);
        }
    }
    moments_design_free(env, p);
    moments_design_free(env, q);
    return same;
}

static Model *start_state(Env *env, uint8_t flags)
{
    SchemaSpec spec = {.field_count = SLOTS};

    return moments_new(env, &spec, &(MomentsPlan){.kind = MODEL_MOMENTS, .flags = flags});
}

static void push(MomentsWindow *queue, const Row *row, bool impute)
{
    if (row->weight == 0)
        moments_window_push_skipped(queue);
    else
        moments_window_push_row(queue, row->slots, impute ? row->nulls : NULL, row->target,
                              row->weight, NULL);
}

/* Returns the state of rows [from, to), made from scratch. */
static Model *restart(Env *env, const Row *rows, int from, int to, uint8_t flags)
{
    Model *state = start_state(env, flags);

    for (int i = from; i < to; i++) {
        Model *next;
        if (rows[i].weight == 0) {
            state->skipped++;
            continue;
        }
        next = moments_add(env, state, rows[i].slots, flags & MODEL_IMPUTE ? rows[i].nulls : NULL,
                           rows[i].target, rows[i].weight);
        if (next != state)
            env->release(env, state);
        state = next;
    }
    return state;
}

/* Replaces a state by one with all pending rows in the factor. */
static Model *flushed(Env *env, Model *state)
{
    Model *next = moments_flush(env, state);

    if (next != state)
        env->release(env, state);
    return next;
}

/* Returns the most bytes that a queue of `length` rows may take, if none of its summaries is larger than `summary`. */
static double most_bytes(int length, size_t summary)
{
    double rows = 2.0 * (length + 16) * (SLOTS + 3) * sizeof(double);

    return (2 * sqrt(length) + 4) * ((double)summary + 4 * sizeof(void *)) + rows + 1000;
}

/* Compares the moments of a queue with those of its rows; returns their size. */
static size_t check_frame(Env *env, MomentsWindow *queue, const Row *rows, int from, int to,
                          uint8_t flags)
{
    Model *a = flushed(env, moments_window_summary(queue));
    Model *b = flushed(env, restart(env, rows, from, to, flags));
    size_t size = a->size;

    CHECK_INT(moments_window_count(queue), to - from);
    if (!CHECK(same_moments(env, a, b, 1e-12)))
        printf("    rows %d to %d\n", from, to);
    env->release(env, a);
    env->release(env, b);
    return size;
}

/* A frame of constant length, then one that grows and shrinks. */
static void test_frames(uint8_t flags)
{
    Host *host = host_new(), *keep = host_new();
    Row *rows = make_rows((flags & MODEL_WEIGHTED) != 0, (flags & MODEL_IMPUTE) != 0);
    static const int lengths[] = {1, 2, 3, 7, 50, 400};

    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
        MomentsWindow *queue = moments_window_new(&keep->env, &host->env);
        Model *start = start_state(&host->env, flags);
        size_t largest = start->size, size, most = 0;
        int length = lengths[l];

        moments_window_set_start(queue, start);
        host->env.release(&host->env, start);
        for (int i = 0; i < ROWS; i++) {
            push(queue, &rows[i], (flags & MODEL_IMPUTE) != 0);
            if (i >= length)
                moments_window_pop(queue);
            if (keep->bytes > most)
                most = keep->bytes;
            if (i % 37 != 0)
                continue;
            size = check_frame(&host->env, queue, rows, i < length ? 0 : i - length + 1, i + 1, flags);
            if (size > largest)
                largest = size;
        }
        CHECK((double)most <= most_bytes(length, largest));
        host_reset(keep);
    }
    MomentsWindow *queue = moments_window_new(&keep->env, &host->env);
    Model *start = start_state(&host->env, flags);
    int head = 0, end = 0;
    moments_window_set_start(queue, start);
    host->env.release(&host->env, start);
    while (end < ROWS) {
        bool grow = head == end || random_number() < ((end / 500) % 2 ? 0.4 : 0.7);
        if (grow)
            push(queue, &rows[end++], (flags & MODEL_IMPUTE) != 0);
        else
            moments_window_pop(queue), head++;
        if ((head + end) % 29 == 0)
            check_frame(&host->env, queue, rows, head, end, flags);
    }
    for (; head < end; head++) {
        if (head % 29 == 0)
            check_frame(&host->env, queue, rows, head, end, flags);
        moments_window_pop(queue);
    }
    check_frame(&host->env, queue, rows, head, end, flags);
    free(rows);
    host_free(host);
    host_free(keep);
}

/* Rows that come before the start is known are only counted, and leave first. */
static void test_unstarted(void)
{
    Host *host = host_new();
    MomentsWindow *queue = moments_window_new(&host->env, &host->env);
    Row row = {.slots = {1, 2, 3}, .target = 4, .weight = 1};
    Model *start, *summary;

    moments_window_push_skipped(queue);
    moments_window_push_skipped(queue);
    CHECK(moments_window_summary(queue) == NULL);
    CHECK(moments_window_start(queue) == NULL);
    start = start_state(&host->env, 0);
    moments_window_set_start(queue, start);
    push(queue, &row, false);
    moments_window_push_skipped(queue);
    for (int i = 0; i < 3; i++) {
        summary = moments_window_summary(queue);
        CHECK_INT(summary->rows, 1);
        CHECK_INT(summary->skipped, 3 - i);
        if (i < 2)
            moments_window_pop(queue);
    }
    moments_window_pop(queue);
    summary = moments_window_summary(queue);
    CHECK_INT(summary->rows, 0);
    CHECK_INT(summary->skipped, 1);
    moments_window_pop(queue);
    CHECK_INT(moments_window_count(queue), 0);
    summary = moments_window_summary(queue);
    CHECK_INT(summary->rows + summary->skipped, 0);
    host_free(host);
}

/* Moments of days in a moving month. */
static void test_moments(void)
{
    Host *host = host_new();
    Row *rows = make_rows(false, false);
    MomentsWindow *queue = moments_window_new(&host->env, &host->env);
    Model *start = start_state(&host->env, 0);

    moments_window_push_moments(queue, NULL);
    moments_window_pop(queue);
    moments_window_set_start(queue, start);
    for (int day = 0; day < ROWS / 10; day++) {
        Model *input = restart(&host->env, rows, 10 * day, 10 * day + 10, 0);
        moments_window_push_moments(queue, input);
        host->env.release(&host->env, input);
        if (day >= 30)
            moments_window_pop(queue);
        if (day % 7 == 0) {
            int first = day < 30 ? 0 : day - 29;
            Model *expected = restart(&host->env, rows, 10 * first, 10 * day + 10, 0);
            Model *summary = moments_window_summary(queue);
            CHECK(same_moments(&host->env, flushed(&host->env, summary), flushed(&host->env, expected), 1e-12));
        }
    }
    moments_window_push_moments(queue, NULL);
    while (moments_window_count(queue) > 1)
        moments_window_pop(queue);
    CHECK_INT(moments_window_summary(queue)->rows, 0);
    free(rows);
    host_free(host);
}

int main(void)
{
    test_frames(0);
    test_frames(MODEL_WEIGHTED);
    test_frames(MODEL_IMPUTE);
    test_unstarted();
    test_moments();
    return check_report();
}
