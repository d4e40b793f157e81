/*
 * hypothesis_sample.h - what tests keep of their rows: sums of constant size per group, or the values themselves.
 *
 * A sample is of numbers or of pairs of numbers, all together or in groups. Sums are centered, added by Welford's update and merged by
 * Chan's.
 */
#ifndef PGFIT_HYPOTHESIS_SAMPLE_H
#define PGFIT_HYPOTHESIS_SAMPLE_H

#include "core/base/env.h"
#include "core/base/hash_table.h"

#include <string.h>

#define SHORT_LABEL 20  /* bytes of a label that its group holds itself: no second cache miss per row */
#define INLINE_GROUPS 2

/* Sums of a group's numbers. */
typedef struct SampleGroup {
    double count;
    double origin;  /* the first number, subtracted from all: the mean of 10,000,000 +- 1 keeps its digits */
    double mean;    /* minus the origin */
    double squares; /* sum of squared differences from the mean */
    double key; /* labels are sorted by it, then by their bytes */
    char label[SHORT_LABEL]; /* the label, or the address of a longer one */
    uint32_t length;
} SampleGroup;

/* What some samples keep of a group beside its sums. */
typedef struct SampleExtra {
    double origin, mean, squares; /* of the second numbers of pairs */
    double products;              /* of both numbers' differences from their means */
    double cubes, fourths;        /* of KEEP_FOURTH: sums of (x - mean)^3 and ^4 */
} SampleExtra;

typedef enum SampleKeeps {
    KEEP_SUMS,   /* the groups */
    KEEP_FOURTH, /* and sums of third and fourth powers, of a sample without groups */
    KEEP_VALUES  /* and every number with its group or its partner */
} SampleKeeps;

/* 256 bytes with what aggregates add: at 320 PostgreSQL takes 512 for each, and 10,000 groups leave the processor's cache. */
typedef struct Sample {
    SampleKeeps keeps;
    bool groups_vary;  /* numbers come in groups; else the first one has all */
    bool strata;       /* groups are pairs of a group and a stratum: sample_split */
    uint32_t group_count, group_room;
    SampleGroup first[INLINE_GROUPS];
    SampleGroup *more; /* all groups, once they are more than `first` holds */
    HashTable index;   /* of them then */
    SampleExtra *extra; /* per group; NULL: none has any */
    uint64_t value_count, value_room;
    double *x, *y;   /* [value_room] KEEP_VALUES; y: of pairs */
    uint32_t *group; /* [value_room] of numbers in groups */
} Sample;

typedef struct SampleLabel {
    const char *bytes;
    uint32_t length;
    double key;
} SampleLabel;

/* Add a row. Allocate in env, and fail with ERROR_DATA for NaN and infinity, with ERROR_LIMIT if values exceed the memory budget. */
void sample_add(Env *env, Sample *sample, double x);
void sample_add_pair(Env *env, Sample *sample, double x, double y);
void sample_add_grouped(Env *env, Sample *sample, double x, SampleLabel label);
void sample_add_grouped_pair(Env *env, Sample *sample, double x, double y, SampleLabel label);
/* stratum: NULL: there are none. */
void sample_add_time(Env *env, Sample *sample, double time, bool event, SampleLabel label, const SampleLabel *stratum);
/* Adds the sums of a whole group; extra: of pairs, or NULL. grouped false: of a sample without groups. */
void sample_add_group(Env *env, Sample *sample, const SampleGroup *sums, const SampleExtra *extra, SampleLabel label, bool grouped);
/* Adds the rows of other, which does not change. */
void sample_merge(Env *env, Sample *sample, const Sample *other);

/* Convert a sample to bytes and back, for parallel workers of one server. Fails with ERROR_BINARY if the bytes are not a sample. */
uint8_t *sample_bytes(Env *env, const Sample *sample, size_t *size);
void sample_of_bytes(Env *env, Sample *sample, const uint8_t *bytes, size_t size);

static inline const SampleGroup *sample_groups(const Sample *sample)
{
    return sample->more != NULL ? sample->more : sample->first;
}
/* Returns what a group keeps beside its sums: zeros if there is nothing. */
static inline const SampleExtra *sample_extra(const Sample *sample, uint32_t group)
{
    static const SampleExtra none = {0};

    return sample->extra != NULL ? &sample->extra[group] : &none;
}
static inline const char *group_label(const SampleGroup *group)
{
    const char *longer;

    if (group->length <= SHORT_LABEL)
        return group->label;
    memcpy(&longer, group->label, sizeof(longer));
    return longer;
}
static inline double group_mean(const SampleGroup *group)
{
    return group->origin + group->mean;
}
/*
 * Adds the groups of a sample with strata to `groups`, and its strata to `strata`, both empty, and sets the places in them of each pair, [group_count].
 * Fails with ERROR_BINARY if the labels are no pairs.
 */
void sample_split(Env *env, const Sample *sample, Sample *groups, Sample *strata, uint32_t *group, uint32_t *stratum);
/* Returns the numbers of the groups in the order of their labels. */
uint32_t *sample_order(Env *env, const Sample *sample);
/* Adds the sums of one group to another's. */
void group_merge(SampleGroup *into, const SampleGroup *other);
/* Fails with ERROR_RANGE if a sum overflowed. */
void sample_require_finite(Env *env, double squares);

#endif
