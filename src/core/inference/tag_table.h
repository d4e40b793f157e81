/*
 * tag_table.h - numbers the different tags of rows (rows/special_columns.h) in the order in which they come.
 */
#ifndef PGFIT_TAG_TABLE_H
#define PGFIT_TAG_TABLE_H

#include "core/base/hash_table.h"

typedef struct TagTable {
    HashTable table; /* table.count: how many there are */
    double *keys;    /* [room x width] */
    uint32_t width, room;
} TagTable;

/* Returns an empty table. width: the numbers of a key, two per column, at most ROW_TAGS_MAX. */
TagTable tag_table(Env *env, uint32_t width);
/* Returns the number of a key; a new one gets the next. */
uint32_t tag_table_place(Env *env, TagTable *tags, const double *key);

#endif
