/*
 * number_list.h - numbers that a model will keep, in the narrowest type that holds all of them so far: a forest has millions.
 */
#ifndef PGFIT_NUMBER_LIST_H
#define PGFIT_NUMBER_LIST_H

#include "core/model/model.h"

typedef struct NumberList {
    void *data;
    uint32_t count, capacity;
    ElementType type; /* ARRAY_U8, then ARRAY_I32 for whole numbers (`whole`), else ARRAY_F32, ARRAY_F64 */
    bool whole;
} NumberList;

/* Returns an empty list. whole: only 32-bit integers will be added. */
NumberList number_list(bool whole);
/* Adds a number; the list moves to a wider type if it must. */
void number_list_add(Env *env, NumberList *list, double x);
/*
 * Copies the numbers of a model's array to the end of a list of the same type, or of an empty one. Returns false where types differ,
 * so that they must be added one by one.
 */
bool number_list_copy(Env *env, NumberList *list, ElementType type, const void *data, uint32_t count);
/* Returns the bytes of the numbers, or of the memory that they have. */
uint64_t number_list_bytes(const NumberList *list);
uint64_t number_list_held(const NumberList *list);
/* Adds an array to a model, unless the list is empty. The list must outlive the builder. */
void number_list_build(const NumberList *list, ModelBuilder *builder, const char *name);
/* Returns a capacity for at least `needed` elements, well above the former one. Fails past 2^32. */
uint32_t list_capacity(Env *env, uint32_t capacity, uint64_t needed);

#endif
