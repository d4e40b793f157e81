/*
 * disjoint_sets.h - sets of the numbers 0 .. count - 1 that only merge (union-find): parent[i] leads from i to the root that names its
 * set, and is i for a root. Begin with parent[i] = i.
 */
#ifndef PGFIT_DISJOINT_SETS_H
#define PGFIT_DISJOINT_SETS_H

#include <stdint.h>

/* Returns the root of the set that i is in, and halves the path to it. */
static inline uint32_t sets_root(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

/* Merges the sets of two roots. The smaller number becomes the root, so the name of a set does not depend on the order of merges. */
static inline void sets_merge(uint32_t *parent, uint32_t a, uint32_t b)
{
    if (a < b)
        parent[b] = a;
    else
        parent[a] = b;
}

#endif
