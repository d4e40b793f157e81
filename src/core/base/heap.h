/*
 * heap.h - binary heaps in arrays of any elements: no element goes before the first one.
 *
 * Functions are inlined, so with a comparison that the compiler knows a heap costs what one written for its elements would. An item
 * that is passed must not lie in the array.
 */
#ifndef PGFIT_HEAP_H
#define PGFIT_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define HEAP_FUNCTION static inline __attribute__((always_inline, unused))

/* Tells whether element a goes before b. */
typedef bool (*HeapBefore)(const void *a, const void *b, const void *context);

/* Adds an item to an array that has room for it. */
HEAP_FUNCTION void heap_add(void *elements, size_t count, const void *item, size_t size, HeapBefore before, const void *context)
{
    char *heap = elements;
    size_t at = count;

    for (size_t parent; at > 0 && before(item, heap + (parent = (at - 1) / 2) * size, context); at = parent)
        memcpy(heap + at * size, heap + parent * size, size);
    memcpy(heap + at * size, item, size);
}

/* Puts an item in the place of the first element. */
HEAP_FUNCTION void heap_replace_first(void *elements, size_t count, const void *item, size_t size, HeapBefore before, const void *context)
{
    char *heap = elements;
    size_t at = 0;

    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && before(heap + (child + 1) * size, heap + child * size, context))
            child++;
        if (!before(heap + child * size, item, context))
            break;
        memcpy(heap + at * size, heap + child * size, size);
    }
    memcpy(heap + at * size, item, size);
}

/* Copies the first of `count` elements to item and removes it; count - 1 are left. */
HEAP_FUNCTION void heap_take_first(void *elements, size_t count, void *item, size_t size, HeapBefore before, const void *context)
{
    char *heap = elements;

    memcpy(item, heap, size);
    if (count > 1)
        heap_replace_first(heap, count - 1, heap + (count - 1) * size, size, before, context);
}

#endif
