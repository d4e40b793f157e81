/*
 * hypothesis_sample.c - what tests keep of their rows: sums per group, or the values themselves.
 */
#include "core/hypothesis/hypothesis_sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_BITS 4
#define FIRST_VALUES 16
#define BYTES_MAGIC UINT64_C(0x31656c706d61732d)

static void __attribute__((noreturn)) fail_number(Env *env, double x, const char *what)
{
    env_fail(env, ERROR_DATA, "Exclude such rows with FILTER or WHERE, or replace the values by NULL.", "%s is %s", what,
             isnan(x) ? "NaN" : "infinite");
}

static inline void require_number(Env *env, double x, const char *what)
{
    if (!isfinite(x))
        fail_number(env, x, what);
}

void sample_require_finite(Env *env, double squares)
{
    if (!isfinite(squares))
        env_fail(env, ERROR_RANGE, NULL, "value out of range: overflow");
}

/* Returns what a group keeps beside its sums; creates that of all groups at the first call. */
static SampleExtra *extra_of(Env *env, Sample *sample, uint32_t group)
{
    if (sample->extra == NULL)
        sample->extra = env_array(env, sample->more != NULL ? sample->group_room : INLINE_GROUPS, sizeof(SampleExtra));
    return &sample->extra[group];
}

static inline void group_add(SampleGroup *group, double x)
{
    double d;

    if (group->count == 0)
        group->origin = x;
    x -= group->origin;
    d = x - group->mean;
    group->count += 1;
    group->mean += d / group->count;
    group->squares += d * (x - group->mean);
}

void group_merge(SampleGroup *into, const SampleGroup *other)
{
    double n = into->count + other->count, d;

    if (other->count == 0)
        return;
    if (into->count == 0)
        into->origin = other->origin;
    d = other->origin - into->origin + (other->mean - into->mean);
    into->squares += other->squares + d * d * (into->count * other->count / n);
    into->mean += d * (other->count / n);
    into->count = n;
}

/* ---- values ---- */

static void need_value(Env *env, Sample *sample, bool pairs)
{
    size_t size = sizeof(double) + (pairs ? sizeof(double) : 0) + (sample->groups_vary ? sizeof(uint32_t) : 0);

    if (sample->value_count < sample->value_room)
        return;
    sample->value_room = sample->value_room == 0 ? FIRST_VALUES : sample->value_room * 2;
    env_require_memory(env, sample->value_room * size, "keeping the values of a test");
    sample->x = env->resize(env, sample->x, sample->value_room * sizeof(double));
    if (pairs)
        sample->y = env->resize(env, sample->y, sample->value_room * sizeof(double));
    if (sample->groups_vary)
        sample->group = env->resize(env, sample->group, sample->value_room * sizeof(uint32_t));
}

void sample_add(Env *env, Sample *sample, double x)
{
    SampleGroup *group = &sample->first[0];

    require_number(env, x, "a value");
    sample->group_count = 1;
    if (sample->keeps == KEEP_VALUES) {
        need_value(env, sample, false);
        sample->x[sample->value_count++] = x;
    } else if (sample->keeps == KEEP_FOURTH) { /* Pebay (2008), with a sample of one number */
        double n = group->count + 1, d = group->count == 0 ? 0 : x - group->origin - group->mean, e = d / n, term = d * e * group->count;
        SampleExtra *extra = extra_of(env, sample, 0);

        extra->fourths += term * e * e * (n * n - 3 * n + 3) + 6 * e * e * group->squares - 4 * e * extra->cubes;
        extra->cubes += term * e * (n - 2) - 3 * e * group->squares;
    }
    group_add(group, x);
}

static inline void pair_add(SampleGroup *group, SampleExtra *extra, double x, double y)
{
    double d;

    group_add(group, x);
    if (group->count == 1)
        extra->origin = y;
    y -= extra->origin;
    d = y - extra->mean;
    extra->mean += d / group->count;
    extra->squares += d * (y - extra->mean);
    extra->products += (x - group->origin - group->mean) * d;
}

void sample_add_pair(Env *env, Sample *sample, double x, double y)
{
    require_number(env, x, "a value");
    require_number(env, y, "a value");
    sample->group_count = 1;
    if (sample->keeps == KEEP_VALUES) {
        need_value(env, sample, true);
        sample->x[sample->value_count] = x;
        sample->y[sample->value_count++] = y;
    }
    pair_add(&sample->first[0], extra_of(env, sample, 0), x, y);
}

/* ---- groups ---- */

static inline bool same_label(const SampleGroup *group, const SampleLabel *label)
{
    return group->length == label->length && memcmp(group_label(group), label->bytes, label->length) == 0;
}

static void set_label(Env *env, SampleGroup *group, const SampleLabel *label)
{
    *group = (SampleGroup){.key = label->key, .length = label->length};
    if (label->length > SHORT_LABEL) {
        char *copy = env_array_raw(env, label->length, 1);

        memcpy(copy, label->bytes, label->length);
        memcpy(group->label, &copy, sizeof(copy));
    } else {
        memcpy(group->label, label->bytes, label->length);
    }
}

/* Gives the extra of all groups room for group_room; `had`: its room before. */
static void extend_extra(Env *env, Sample *sample, uint32_t had)
{
    if (sample->extra == NULL)
        return;
    sample->extra = env->resize(env, sample->extra, sample->group_room * sizeof(SampleExtra));
    memset(sample->extra + had, 0, (sample->group_room - had) * sizeof(SampleExtra));
}

/* Moves the groups to an array of their own, with an index. */
static void index_groups(Env *env, Sample *sample)
{
    sample->group_room = 4 * INLINE_GROUPS;
    sample->more = env_array(env, sample->group_room, sizeof(SampleGroup));
    memcpy(sample->more, sample->first, sizeof(sample->first));
    extend_extra(env, sample, INLINE_GROUPS);
    sample->index = hash_table(env, FIRST_BITS);
    for (uint32_t i = 0; i < sample->group_count; i++)
        hash_add(env, &sample->index, hash_bytes(group_label(&sample->more[i]), sample->more[i].length));
}

/* Returns the group of a label beyond the first ones; creates it if it is new. */
static uint32_t find_more(Env *env, Sample *sample, const SampleLabel *label)
{
    uint32_t hash = hash_bytes(label->bytes, label->length), place, entry;

    if (sample->more == NULL)
        index_groups(env, sample);
    place = hash_start(&sample->index, hash);
    while ((entry = hash_next(&sample->index, hash, &place)) != HASH_NONE)
        if (same_label(&sample->more[entry], label))
            return entry;
    if (sample->group_count == sample->group_room) {
        env_require_memory(env, 2 * sample->group_room * (sizeof(SampleGroup) + sizeof(SampleExtra) + 2 * sizeof(HashSlot)), "keeping the groups of a test");
        sample->group_room *= 2;
        sample->more = env->resize(env, sample->more, sample->group_room * sizeof(SampleGroup));
        extend_extra(env, sample, sample->group_room / 2);
    }
    set_label(env, &sample->more[sample->group_count], label);
    sample->group_count++;
    return hash_add(env, &sample->index, hash);
}

static inline uint32_t find_group(Env *env, Sample *sample, const SampleLabel *label)
{
    if (sample->more == NULL) {
        for (uint32_t i = 0; i < sample->group_count; i++)
            if (same_label(&sample->first[i], label))
                return i;
        if (sample->group_count < INLINE_GROUPS) {
            set_label(env, &sample->first[sample->group_count], label);
            return sample->group_count++;
        }
    }
    return find_more(env, sample, label);
}

static SampleGroup *group_at(Sample *sample, uint32_t i)
{
    return sample->more != NULL ? &sample->more[i] : &sample->first[i];
}

void sample_add_grouped(Env *env, Sample *sample, double x, SampleLabel label)
{
    uint32_t place;

    require_number(env, x, "an outcome");
    sample->groups_vary = true;
    place = find_group(env, sample, &label);
    group_add(group_at(sample, place), x);
    if (sample->keeps == KEEP_VALUES) {
        need_value(env, sample, false);
        sample->group[sample->value_count] = place;
        sample->x[sample->value_count++] = x;
    }
}

void sample_add_grouped_pair(Env *env, Sample *sample, double x, double y, SampleLabel label)
{
    uint32_t place;

    require_number(env, x, "an outcome");
    require_number(env, y, "a covariate or denominator");
    sample->groups_vary = true;
    place = find_group(env, sample, &label);
    pair_add(group_at(sample, place), extra_of(env, sample, place), x, y);
}

/* Returns the place of a pair, whose label is the length of the group's, that label and the stratum's. */
static uint32_t find_pair(Env *env, Sample *sample, const SampleLabel *group, const SampleLabel *stratum)
{
    size_t length = sizeof(uint32_t) + (size_t)group->length + stratum->length;
    char *bytes;
    SampleLabel pair;
    uint32_t place;

    if (length > UINT32_MAX)
        env_fail(env, ERROR_LIMIT, "Pass shorter labels.", "a group and a stratum have %zu bytes together", length);
    bytes = env_array_raw(env, length, 1);
    memcpy(bytes, &group->length, sizeof(uint32_t));
    memcpy(bytes + sizeof(uint32_t), group->bytes, group->length);
    memcpy(bytes + sizeof(uint32_t) + group->length, stratum->bytes, stratum->length);
    pair = (SampleLabel){bytes, (uint32_t)length, group->key};
    place = find_group(env, sample, &pair);
    env->release(env, bytes);
    return place;
}

void sample_add_time(Env *env, Sample *sample, double time, bool event, SampleLabel label, const SampleLabel *stratum)
{
    uint32_t place;

    require_number(env, time, "a time");
    sample->groups_vary = true;
    sample->strata = stratum != NULL;
    place = stratum != NULL ? find_pair(env, sample, &label, stratum) : find_group(env, sample, &label);
    group_add(group_at(sample, place), time);
    need_value(env, sample, true);
    sample->group[sample->value_count] = place;
    sample->x[sample->value_count] = time;
    sample->y[sample->value_count++] = event;
}

void sample_split(Env *env, const Sample *sample, Sample *groups, Sample *strata, uint32_t *group, uint32_t *stratum)
{
    groups->groups_vary = strata->groups_vary = true;
    for (uint32_t i = 0; i < sample->group_count; i++) {
        const SampleGroup *pair = &sample_groups(sample)[i];
        const char *bytes = group_label(pair);
        SampleLabel own = {.bytes = bytes + sizeof(uint32_t), .key = pair->key}, other = {0};

        if (pair->length >= sizeof(uint32_t))
            memcpy(&own.length, bytes, sizeof(uint32_t));
        if (pair->length < sizeof(uint32_t) || own.length > pair->length - sizeof(uint32_t))
            env_fail(env, ERROR_BINARY, NULL, "these bytes are not the state of a test");
        other.bytes = own.bytes + own.length;
        other.length = pair->length - (uint32_t)sizeof(uint32_t) - own.length;
        group[i] = find_group(env, groups, &own);
        group_merge(group_at(groups, group[i]), pair);
        stratum[i] = find_group(env, strata, &other);
        env_poll_every(env, i, 4096);
    }
}

/* ---- merging ---- */

/* Adds what another group has beside its sums, before these merge. */
static void extra_merge(SampleExtra *into, const SampleExtra *other, const SampleGroup *own, const SampleGroup *its)
{
    double a = own->count, b = its->count, n = a + b, s = own->squares, t = its->squares, d, e;

    if (b == 0)
        return;
    if (a == 0)
        into->origin = other->origin;
    d = a == 0 ? 0 : its->origin - own->origin + (its->mean - own->mean);
    e = other->origin - into->origin + (other->mean - into->mean);
    into->fourths += other->fourths + d * d * d * d * a * b * (a * a - a * b + b * b) / (n * n * n) +
                     6 * d * d * (a * a * t + b * b * s) / (n * n) + 4 * d * (a * other->cubes - b * into->cubes) / n;
    into->cubes += other->cubes + d * d * d * a * b * (a - b) / (n * n) + 3 * d * (a * t - b * s) / n;
    into->products += other->products + d * e * (a * b / n);
    into->squares += other->squares + e * e * (a * b / n);
    into->mean += e * (b / n);
}

static void add_sums(Env *env, Sample *sample, uint32_t place, const SampleGroup *sums, const SampleExtra *extra)
{
    if (extra != NULL)
        extra_merge(extra_of(env, sample, place), extra, group_at(sample, place), sums);
    group_merge(group_at(sample, place), sums);
}

void sample_add_group(Env *env, Sample *sample, const SampleGroup *sums, const SampleExtra *extra, SampleLabel label, bool grouped)
{
    sample->groups_vary = grouped;
    add_sums(env, sample, find_group(env, sample, &label), sums, extra);
}

void sample_merge(Env *env, Sample *sample, const Sample *other)
{
    uint32_t *places = env_array_raw(env, (size_t)other->group_count + 1, sizeof(uint32_t));
    const SampleGroup *groups = sample_groups(other);

    sample->keeps = other->keeps;
    sample->strata |= other->strata;
    if (other->groups_vary)
        sample->groups_vary = true;
    else if (other->group_count > 0)
        sample->group_count = 1;
    for (uint32_t i = 0; i < other->group_count; i++) {
        SampleLabel label = {group_label(&groups[i]), groups[i].length, groups[i].key};

        places[i] = other->groups_vary ? find_group(env, sample, &label) : 0;
        add_sums(env, sample, places[i], &groups[i], other->extra != NULL ? &other->extra[i] : NULL);
    }
    for (uint64_t i = 0; i < other->value_count; i++) {
        env_poll_every(env, i, 65536);
        need_value(env, sample, other->y != NULL);
        sample->x[sample->value_count] = other->x[i];
        if (other->y != NULL)
            sample->y[sample->value_count] = other->y[i];
        if (other->groups_vary)
            sample->group[sample->value_count] = places[other->group[i]];
        sample->value_count++;
    }
    env->release(env, places);
}

/* ---- bytes ---- */

/* The parts of fixed size, in this machine's byte order, because the bytes never leave the machine. */
typedef struct BytesHead {
    uint64_t magic, values;
    uint32_t keeps, groups_vary, groups, extra, pairs, strata;
} BytesHead;

static void put(uint8_t **out, const void *data, size_t size)
{
    if (size > 0)
        memcpy(*out, data, size);
    *out += size;
}

uint8_t *sample_bytes(Env *env, const Sample *sample, size_t *size)
{
    BytesHead head = {BYTES_MAGIC, sample->value_count, sample->keeps, sample->groups_vary, sample->group_count, sample->extra != NULL,
                      sample->y != NULL, sample->strata};
    const SampleGroup *groups = sample_groups(sample);
    size_t count = sample->value_count;
    uint8_t *bytes, *out;

    *size = sizeof(head) + head.groups * (sizeof(SampleGroup) + (head.extra ? sizeof(SampleExtra) : 0)) + count * sizeof(double) +
            (head.pairs ? count * sizeof(double) : 0) + (head.groups_vary ? count * sizeof(uint32_t) : 0);
    for (uint32_t i = 0; i < head.groups; i++)
        *size += groups[i].length;
    bytes = out = env_array_raw(env, *size, 1);
    put(&out, &head, sizeof(head));
    for (uint32_t i = 0; i < head.groups; i++) {
        put(&out, &groups[i], sizeof(SampleGroup));
        put(&out, group_label(&groups[i]), groups[i].length);
        if (head.extra)
            put(&out, &sample->extra[i], sizeof(SampleExtra));
    }
    put(&out, sample->x, count * sizeof(double));
    if (head.pairs)
        put(&out, sample->y, count * sizeof(double));
    if (head.groups_vary && count > 0)
        put(&out, sample->group, count * sizeof(uint32_t));
    return bytes;
}

/* Copies so many bytes to `to` and returns where the next ones begin. Fails if there are fewer. */
static const uint8_t *take(Env *env, const uint8_t *bytes, const uint8_t *end, void *to, uint64_t size)
{
    if ((uint64_t)(end - bytes) < size)
        env_fail(env, ERROR_BINARY, NULL, "these bytes are not the state of a test");
    if (size > 0)
        memcpy(to, bytes, size);
    return bytes + size;
}

static void take_values(Env *env, Sample *sample, const BytesHead *head, const uint8_t *bytes, const uint8_t *end)
{
    uint64_t count = head->values;

    if (count > (uint64_t)(end - bytes) / sizeof(double))
        bytes = end; /* take fails */
    sample->value_count = sample->value_room = bytes == end ? 0 : count;
    sample->x = env_array(env, sample->value_room + 1, sizeof(double));
    bytes = take(env, bytes, end, sample->x, count * sizeof(double));
    if (head->pairs) {
        sample->y = env_array(env, count + 1, sizeof(double));
        bytes = take(env, bytes, end, sample->y, count * sizeof(double));
    }
    if (head->groups_vary) {
        sample->group = env_array(env, count + 1, sizeof(uint32_t));
        bytes = take(env, bytes, end, sample->group, count * sizeof(uint32_t));
        for (uint64_t i = 0; i < count; i++)
            if (sample->group[i] >= head->groups)
                take(env, end, end, NULL, 1);
    }
    if (bytes != end)
        take(env, end, end, NULL, 1);
}

static const uint8_t *take_group(Env *env, Sample *sample, uint32_t i, bool has_extra, const uint8_t *bytes, const uint8_t *end)
{
    SampleGroup group;
    SampleLabel label;
    SampleExtra extra;

    bytes = take(env, bytes, end, &group, sizeof(group));
    label = (SampleLabel){(const char *)bytes, group.length, group.key};
    if ((size_t)(end - bytes) < group.length || find_group(env, sample, &label) != i)
        take(env, end, end, NULL, 1);
    bytes += group.length;
    if (has_extra)
        bytes = take(env, bytes, end, &extra, sizeof(extra));
    add_sums(env, sample, i, &group, has_extra ? &extra : NULL);
    return bytes;
}

void sample_of_bytes(Env *env, Sample *sample, const uint8_t *bytes, size_t size)
{
    const uint8_t *end = bytes + size;
    BytesHead head;

    bytes = take(env, bytes, end, &head, sizeof(head));
    if (head.magic != BYTES_MAGIC || head.keeps > KEEP_VALUES || (!head.groups_vary && head.groups > 1))
        take(env, end, end, NULL, 1);
    sample->keeps = (SampleKeeps)head.keeps;
    sample->groups_vary = head.groups_vary != 0;
    sample->strata = head.strata != 0;
    for (uint32_t i = 0; i < head.groups; i++)
        bytes = take_group(env, sample, i, head.extra != 0, bytes, end);
    if (head.values > 0 || bytes != end)
        take_values(env, sample, &head, bytes, end);
}

/* ---- order ---- */

typedef struct Ordered {
    const SampleGroup *group;
    uint32_t place;
} Ordered;

static int compare_groups(const void *a, const void *b)
{
    const SampleGroup *x = ((const Ordered *)a)->group, *y = ((const Ordered *)b)->group;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return bytes_compare(group_label(x), x->length, group_label(y), y->length);
}

uint32_t *sample_order(Env *env, const Sample *sample)
{
    Ordered *ordered = env_array_raw(env, (size_t)sample->group_count + 1, sizeof(Ordered));
    uint32_t *order = env_array_raw(env, (size_t)sample->group_count + 1, sizeof(uint32_t));

    for (uint32_t i = 0; i < sample->group_count; i++)
        ordered[i] = (Ordered){&sample_groups(sample)[i], i};
    qsort(ordered, sample->group_count, sizeof(Ordered), compare_groups);
    for (uint32_t i = 0; i < sample->group_count; i++)
        order[i] = ordered[i].place;
    env->release(env, ordered);
    return order;
}
