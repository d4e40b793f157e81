/*
 * tree_levels.h - where the levels of each categorical slot are in the dictionary of a fitted model.
 */
#ifndef PGFIT_TREE_LEVELS_H
#define PGFIT_TREE_LEVELS_H

#include "core/model/schema.h"

/* By slot; 0 and 0 for numbers. */
typedef struct TreeLevels {
    uint32_t *first; /* dictionary position of the field's first level, in final order */
    uint32_t *count; /* levels of the field; a category may have none, where all rows are NULL */
    bool *category;
} TreeLevels;

/* Finds them for the schema of rows or of a model: the fields have as many levels in both. */
TreeLevels tree_levels(Env *env, const Model *schema);

/* Returns the bytes of a set of levels. */
static inline uint32_t tree_set_bytes(uint32_t levels)
{
    return (levels + 7) / 8;
}

#endif
