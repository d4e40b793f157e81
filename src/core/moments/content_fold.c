/*
 * content_fold.c - assigns a row to a fold by a hash of its content.
 */
#include "core/moments/moments_internal.h"

#include <math.h>
#include <string.h>

#define LOCAL_SLOTS 256

/* Returns the FNV-1a hash of a text, cut to an integer that a double holds exactly. */
static double text_number(const Model *state, DictionaryKind kind, uint32_t place)
{
    uint32_t length;
    const char *text = dictionary_text(state, kind, place, &length);

    return (double)(fnv_hash(FNV_START, text, length) >> 12);
}

/* Returns that of a level; -1 for the NULL level. */
static double level_number(const Model *state, double position)
{
    if (!(position >= 0 && position < dictionary_size(state, DICTIONARY_LEVELS)))
        return position;
    if (isinf(dictionary_key(state, DICTIONARY_LEVELS, (uint32_t)position)))
        return -1;
    return text_number(state, DICTIONARY_LEVELS, (uint32_t)position);
}

double moments_class_number(const Model *state, uint32_t place)
{
    return text_number(state, DICTIONARY_CLASSES, place);
}

/* Returns both halves of the product, combined by exclusive or. */
static inline uint64_t mix(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t bits_of(double value)
{
    uint64_t bits;

    value += 0.0; /* turns -0 into 0 */
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

/*
 * Returns a hash of a row's numbers and target, the same on every platform. It is computed for every row, so four lanes
 * run in parallel.
 */
static uint64_t content_hash(uint64_t seed, const double *numbers, uint32_t count, double target)
{
    const uint64_t odd[4] = {0x9e3779b97f4a7c15u, 0xbf58476d1ce4e5b9u, 0x94d049bb133111ebu, 0xd6e8feb86659fd93u};
    uint64_t lanes[4] = {seed ^ odd[3], seed ^ odd[2], seed ^ odd[1], seed ^ odd[0]};
    uint32_t i = 0;

    for (; i + 4 <= count; i += 4)
        for (int l = 0; l < 4; l++)
            lanes[l] = mix(lanes[l] ^ bits_of(numbers[i + l]), odd[l]);
    for (; i < count; i++)
        lanes[i % 4] = mix(lanes[i % 4] ^ bits_of(numbers[i]), odd[i % 4]);
    lanes[0] = mix(lanes[0] ^ bits_of(target), odd[1] ^ count);
    return mix(mix(lanes[0] ^ odd[2], lanes[1] ^ odd[0]) ^ odd[1], mix(lanes[2] ^ odd[3], lanes[3] ^ odd[1]) ^ odd[3]);
}

uint64_t moments_content_hash(Env *env, const Model *state, uint64_t seed, const double *slots, const bool *nulls,
                              double target)
{
    uint32_t count = state->slot_count, slot = 0;
    double local[LOCAL_SLOTS], *content = local;
    SchemaView view;
    uint64_t hash;

    if (nulls == NULL && !schema_has_kinds(state))
        return content_hash(seed, slots, count, target);
    schema_view(state, &view);
    if (count > LOCAL_SLOTS)
        content = env_array_raw(env, count, sizeof(double));
    memcpy(content, slots, count * sizeof(double));
    /* a level is hashed by its text, because its position in the dictionary depends on the order of the rows */
    for (uint32_t f = 0; view.field_kinds != NULL && f < state->field_count; f++) {
        uint32_t width = schema_view_width(state, &view, f);
        FieldKind kind = schema_view_kind(state, &view, f);
        if (kind == FIELD_CATEGORICAL || kind == FIELD_TEXT)
            for (uint32_t i = 0; i < width && slot + i < count; i++)
                content[slot + i] = level_number(state, slots[slot + i]);
        slot += width;
    }
    for (uint32_t s = 0; nulls != NULL && s < count; s++)
        if (nulls[s])
            content[s] = NULL_MARK;
    hash = content_hash(seed, content, count, target);
    if (content != local)
        env->release(env, content);
    return hash;
}

double moments_content_fold(Env *env, const Model *state, const double *slots, const bool *nulls,
                            double target)
{
    FoldPlan plan = moments_fold_plan(state);

    if (plan.folds < 1)
        env_fail(env, ERROR_DATA, "Merge moments instead.",
                 "these moments take the fold from a column, and this row has none");
    return (double)(moments_content_hash(env, state, (uint64_t)plan.seed, slots, nulls, target) % (uint64_t)plan.folds);
}
