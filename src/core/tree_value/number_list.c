/*
 * number_list.c - lists of numbers that widen as they have to.
 */
#include "core/tree_value/number_list.h"

#include <math.h>

#define LARGE 65536 /* elements: from here on a list grows by a quarter, because half of it empty would cost too much */

uint32_t list_capacity(Env *env, uint32_t capacity, uint64_t needed)
{
    uint64_t wanted = capacity < 64 ? 64 : (uint64_t)capacity + (capacity < LARGE ? capacity : capacity / 4);

    if (wanted < needed)
        wanted = needed;
    if (needed > UINT32_MAX)
        env_fail(env, ERROR_LIMIT, "Limit the trees by max_depth, min_samples_leaf or max_leaf_nodes.",
                 "the trees have too many nodes");
    return wanted > UINT32_MAX ? UINT32_MAX : (uint32_t)wanted;
}

NumberList number_list(bool whole)
{
    return (NumberList){.type = ARRAY_U8, .whole = whole};
}

static size_t element_size(ElementType type)
{
    return type == ARRAY_U8 ? 1 : type == ARRAY_F64 ? 8 : 4;
}

static inline double number_at(const NumberList *list, uint32_t i)
{
    switch (list->type) {
    case ARRAY_U8:
        return ((const uint8_t *)list->data)[i];
    case ARRAY_I32:
        return ((const int32_t *)list->data)[i];
    case ARRAY_F32:
        return (double)((const float *)list->data)[i];
    default:
        return ((const double *)list->data)[i];
    }
}

static inline void put(ElementType type, void *data, uint32_t i, double x)
{
    if (type == ARRAY_U8)
        ((uint8_t *)data)[i] = (uint8_t)x;
    else if (type == ARRAY_I32)
        ((int32_t *)data)[i] = (int32_t)x;
    else if (type == ARRAY_F32)
        ((float *)data)[i] = (float)x;
    else
        ((double *)data)[i] = x;
}

/* Tells whether a type has this number, the sign of a zero included. */
static inline bool holds(ElementType type, double x)
{
    if (type == ARRAY_U8)
        return x >= 0 && x <= UINT8_MAX && x == (uint8_t)x && !signbit(x);
    return type == ARRAY_F64 || type == ARRAY_I32 || (double)(float)x == x;
}

static void widen(Env *env, NumberList *list, double x)
{
    NumberList wide = *list;

    do
        wide.type = list->whole ? ARRAY_I32 : wide.type == ARRAY_U8 ? ARRAY_F32 : ARRAY_F64;
    while (!holds(wide.type, x));
    wide.data = env_array_raw(env, (size_t)list->capacity + 1, element_size(wide.type));
    for (uint32_t i = 0; i < list->count; i++) {
        put(wide.type, wide.data, i, number_at(list, i));
        if (i % LARGE == 0)
            env->poll(env);
    }
    if (list->data != NULL)
        env->release(env, list->data);
    *list = wide;
}

void number_list_add(Env *env, NumberList *list, double x)
{
    if (!holds(list->type, x))
        widen(env, list, x);
    if (list->count == list->capacity) {
        list->capacity = list_capacity(env, list->capacity, (uint64_t)list->count + 1);
        list->data = env->resize(env, list->data, (size_t)list->capacity * element_size(list->type));
    }
    put(list->type, list->data, list->count++, x);
}

bool number_list_copy(Env *env, NumberList *list, ElementType type, const void *data, uint32_t count)
{
    size_t size = element_size(type);

    if (type != ARRAY_U8 && (list->whole ? type != ARRAY_I32 : type != ARRAY_F32 && type != ARRAY_F64))
        return false;
    if (list->count == 0 && list->type != type) {
        if (list->data != NULL)
            env->release(env, list->data);
        *list = (NumberList){.type = type, .whole = list->whole};
    }
    if (list->type != type)
        return false;
    if (list->capacity - list->count < count) {
        list->capacity = list_capacity(env, list->capacity, (uint64_t)list->count + count);
        list->data = env->resize(env, list->data, (size_t)list->capacity * size);
    }
    env_copy(env, (char *)list->data + list->count * size, data, count * size);
    list->count += count;
    return true;
}

uint64_t number_list_bytes(const NumberList *list)
{
    return (uint64_t)list->count * element_size(list->type);
}

uint64_t number_list_held(const NumberList *list)
{
    return (uint64_t)list->capacity * element_size(list->type);
}

void number_list_build(const NumberList *list, ModelBuilder *builder, const char *name)
{
    if (list->count == 0)
        return;
    if (list->type == ARRAY_U8)
        builder_u8(builder, SECTION_ARRAYS, name, list->data, list->count);
    else if (list->type == ARRAY_I32)
        builder_i32(builder, SECTION_ARRAYS, name, list->data, list->count);
    else if (list->type == ARRAY_F32)
        builder_f32(builder, SECTION_ARRAYS, name, list->data, list->count);
    else
        builder_narrow(builder, SECTION_ARRAYS, name, list->data, list->count);
}
