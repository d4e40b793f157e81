/*
 * cox_times.c - reads times, events, entries and strata, and numbers the times with events.
 */
#include "core/survival/cox_times.h"
#include "core/base/hash_table.h"
#include "core/base/number_order.h"
#include "core/base/radix_sort.h"
#include "core/base/sort.h"
#include "core/inference/tag_table.h"

#include <math.h>
#include <string.h>

#define FIRST_BITS 4

/* The rows as they are read. */
typedef struct Reading {
    Env *env;
    CoxTimes *times;
    double *time, *entry; /* [rows] entry: NULL: there are none */
    uint32_t *stratum;    /* [rows] number of its stratum; NULL: there are none */
    HashTable index;      /* of strata in order of arrival */
    TagTable clusters;
    uint32_t room;
    size_t text_bytes;    /* of the texts of strata */
} Reading;

/* ---- strata ---- */

/* Returns the number of a stratum, in order of arrival. */
static uint32_t find_stratum(Reading *reading, const char *text, uint32_t length)
{
    Env *env = reading->env;
    CoxTimes *times = reading->times;
    uint32_t hash = hash_bytes(text, length), place = hash_start(&reading->index, hash), entry;

    while ((entry = hash_next(&reading->index, hash, &place)) != HASH_NONE)
        if (times->stratum_length[entry] == length && memcmp(times->stratum[entry], text, length) == 0)
            return entry;
    if (times->strata == reading->room) {
        reading->room = reading->room > 0 ? 2 * reading->room : 1 << FIRST_BITS;
        env_require_memory(env, reading->room * (sizeof(char *) + sizeof(uint32_t) + 2 * sizeof(HashSlot)), "the strata of cox_regression");
        times->stratum = env->resize(env, times->stratum, reading->room * sizeof(char *));
        times->stratum_length = env->resize(env, times->stratum_length, reading->room * sizeof(uint32_t));
    }
    reading->text_bytes += (size_t)length + 1;
    env_require_memory(env, reading->text_bytes, "the strata of cox_regression");
    times->stratum[times->strata] = memcpy(env_array_raw(env, (size_t)length + 1, 1), text, length);
    times->stratum_length[times->strata++] = length;
    return hash_add(env, &reading->index, hash);
}

typedef struct Stratum {
    const char *text;
    uint32_t length, place;
} Stratum;

static int compare_strata(const void *a, const void *b)
{
    const Stratum *x = a, *y = b;

    return bytes_compare(x->text, x->length, y->text, y->length);
}

/* Renumbers the strata in the byte order of their texts. */
static void order_strata(Reading *reading)
{
    Env *env = reading->env;
    CoxTimes *times = reading->times;
    Stratum *sorted;
    uint32_t *final;

    env_require_memory(env, ((size_t)times->strata + 1) * (2 * sizeof(Stratum) + sizeof(uint32_t)), "the strata of cox_regression");
    sorted = env_array_raw(env, (size_t)times->strata + 1, sizeof(Stratum));
    final = env_array_raw(env, (size_t)times->strata + 1, sizeof(uint32_t));
    for (uint32_t s = 0; s < times->strata; s++)
        sorted[s] = (Stratum){times->stratum[s], times->stratum_length[s], s};
    sort_polled(env, sorted, times->strata, sizeof(Stratum), compare_strata);
    for (uint32_t s = 0; s < times->strata; s++) {
        final[sorted[s].place] = s;
        times->stratum[s] = sorted[s].text;
        times->stratum_length[s] = sorted[s].length;
    }
    for (uint64_t i = 0; i < times->rows; i++) {
        reading->stratum[i] = final[reading->stratum[i]];
        env_poll_rows(env, i);
    }
    env->release(env, final);
    env->release(env, sorted);
}

/* ---- rows ---- */

static void require_times(const Reading *reading, double time, double entry)
{
    if (time < 0)
        env_fail(reading->env, ERROR_DATA, "Pass the time from the start to the event, or until the row was last seen.", "a time is %g, below 0", time);
    if (!(entry < time) && entry > -INFINITY)
        env_fail(reading->env, ERROR_DATA, "Leave out rows that are never observed: they must enter before their time.",
                 "a row enters at %g, which is not before its time, %g", entry, time);
}

static void read_rows(Reading *reading, Rows *rows, const SpecialColumn *special, double scale)
{
    CoxTimes *times = reading->times;
    RowsReader *reader = rows_reader(reading->env, rows);
    uint64_t at = 0;
    RowsBlock block;

    while (rows_next_block(reader, &block))
        for (uint32_t i = 0; i < block.count; i++, at++) {
            EventTag tag = event_tag_read(reading->env, special, block.ids[i], block.id_lengths[i]);

            require_times(reading, block.targets[i], tag.entry);
            reading->time[at] = block.targets[i];
            times->event[at] = tag.event;
            times->events += tag.event;
            times->weight[at] = row_weight(block.weights, i) / scale;
            if (reading->entry != NULL)
                reading->entry[at] = tag.entry;
            if (times->cluster != NULL)
                times->cluster[at] = tag_table_place(reading->env, &reading->clusters, tag.cluster);
            if (reading->stratum != NULL)
                reading->stratum[at] = find_stratum(reading, tag.stratum, tag.length);
        }
    rows_reader_free(reader);
    times->clusters = reading->clusters.table.count;
    if (reading->stratum != NULL)
        order_strata(reading);
}

/* ---- event times ---- */

/* Returns the rows with events by stratum and time, [events]. */
static uint32_t *sorted_events(const Reading *reading)
{
    Env *env = reading->env;
    const CoxTimes *times = reading->times;
    uint32_t count = 0, *from, *to, *place;
    RadixRoom room;
    int side;

    for (int k = 0; k < 2; k++) {
        room.keys[k] = env_array_raw(env, times->events, sizeof(uint64_t));
        room.rows[k] = env_array_raw(env, times->events, sizeof(uint32_t));
    }
    for (uint64_t i = 0; i < times->rows; i++) {
        if (times->event[i]) {
            room.keys[0][count] = number_key(reading->time[i]);
            room.rows[0][count++] = (uint32_t)i;
        }
        env_poll_rows(env, i);
    }
    side = radix_sort(env, &room, count);
    env->release(env, room.keys[0]);
    env->release(env, room.keys[1]);
    from = room.rows[side];
    if (reading->stratum == NULL)
        return from;
    to = room.rows[1 - side]; /* a stable sort by stratum */
    place = env_array(env, (size_t)times->strata + 1, sizeof(uint32_t));
    for (uint32_t i = 0; i < count; i++) {
        place[reading->stratum[from[i]] + 1]++;
        env_poll_rows(env, i);
    }
    for (uint32_t s = 0; s < times->strata; s++)
        place[s + 1] += place[s];
    for (uint32_t i = 0; i < count; i++) {
        to[place[reading->stratum[from[i]]]++] = from[i];
        env_poll_rows(env, i);
    }
    env->release(env, place);
    return to;
}

/* Numbers the different event times. */
static void number_times(const Reading *reading)
{
    Env *env = reading->env;
    CoxTimes *times = reading->times;
    const uint32_t *order = sorted_events(reading);
    uint32_t stratum = 0;

    times->time = env_array_raw(env, times->events, sizeof(double));
    times->deaths = env_array(env, times->events, sizeof(uint32_t));
    times->death_weight = env_array(env, times->events, sizeof(double));
    times->end = env_array(env, times->strata, sizeof(uint32_t));
    for (uint64_t i = 0; i < times->events; i++) {
        uint32_t row = order[i], own = reading->stratum != NULL ? reading->stratum[row] : 0;
        bool begins = times->count == 0 || own != stratum;

        for (; stratum < own; stratum++)
            times->end[stratum] = times->count;
        if (begins || times->time[times->count - 1] != reading->time[row])
            times->time[times->count++] = reading->time[row];
        times->deaths[times->count - 1]++;
        times->death_weight[times->count - 1] += times->weight[row];
        env_poll_rows(env, i);
    }
    for (; stratum < times->strata; stratum++)
        times->end[stratum] = times->count;
}

/* Returns how many of the event times from `begin` to `end` are at most `time`, counted from the first of all. */
static uint32_t times_until(const CoxTimes *times, uint32_t begin, uint32_t end, double time)
{
    while (begin < end) {
        uint32_t middle = begin + (end - begin) / 2;

        if (times->time[middle] <= time)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

static void find_risk_sets(const Reading *reading)
{
    CoxTimes *times = reading->times;

    for (uint64_t i = 0; i < times->rows; i++) {
        uint32_t stratum = reading->stratum != NULL ? reading->stratum[i] : 0, begin = stratum > 0 ? times->end[stratum - 1] : 0;
        uint32_t until = times_until(times, begin, times->end[stratum], reading->time[i]);
        uint32_t first = reading->entry != NULL ? times_until(times, begin, until, reading->entry[i]) : begin;

        times->last[i] = until > first ? until - 1 : NO_TIME;
        if (times->first != NULL)
            times->first[i] = first > begin && first < until ? first : 0; /* a row that is at risk at none has none */
        env_poll_rows(reading->env, i);
    }
}

CoxTimes *cox_times(Env *env, Rows *rows, const SpecialColumn *special, double scale)
{
    CoxTimes *times = env_array(env, 1, sizeof(CoxTimes));
    Reading reading = {.env = env, .times = times};
    uint64_t count = rows_count(rows);

    if (count >= NO_TIME)
        env_fail(env, ERROR_LIMIT, "Fit fewer rows.", "cox_regression takes at most %u rows, not %llu", NO_TIME - 1, (unsigned long long)count);
    env_require_memory(env, count * (sizeof(uint8_t) + sizeof(uint32_t) * ((special->entry > 0 ? 5 : 4) + (special->cluster > 0)) + sizeof(double) * (special->entry > 0 ? 5 : 4)),
                       "the times of cox_regression");
    times->rows = count;
    times->event = env_array_raw(env, count, 1);
    times->last = env_array_raw(env, count, sizeof(uint32_t));
    times->weight = env_array_raw(env, count, sizeof(double));
    reading.time = env_array_raw(env, count, sizeof(double));
    if (special->entry > 0) {
        times->first = env_array_raw(env, count, sizeof(uint32_t));
        reading.entry = env_array_raw(env, count, sizeof(double));
    }
    if (special->cluster > 0) {
        times->cluster = env_array_raw(env, count, sizeof(uint32_t));
        reading.clusters = tag_table(env, 2);
    }
    if (special->stratum > 0) {
        reading.stratum = env_array_raw(env, count, sizeof(uint32_t));
        reading.index = hash_table(env, FIRST_BITS);
    } else {
        times->strata = 1;
    }
    read_rows(&reading, rows, special, scale);
    if (times->events == 0)
        return times;
    number_times(&reading);
    find_risk_sets(&reading);
    env->release(env, reading.time);
    return times;
}
