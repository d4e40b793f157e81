/*
 * forest_tiles.h - trees laid out in tiles of three levels, of which a vector instruction makes all comparisons at once.
 *
 * For trees of moderate and similar depth, few features and processors with AVX2; any other walk finds the same leaves. All trees
 * have the same number of levels of tiles: below a leaf that is not on the last one, tiles follow that go nowhere but to the left.
 *
 * They halve the time of scoring 1,000,000 rows by 100 trees of depth 10 (bench/run --only "forest scoring"). In processor time of sum(predict(m, ARRAY[a, b, c, d, e])) over 300,000 rows: 0.34 s and 0.61 s
 * by 100 trees of depth 10, 0.24 s and 0.40 s of depth 6, 0.27 s and 0.46 s by 100 boosted trees of depth 6. They are intrinsics because neither a lookup in a
 * register by eight indexes nor a mask of eight comparisons can be written in C for both gcc and clang.
 *
 * The first tiles, which every row visits, are walked eight trees at a time: 100 trees of depth 6 take 351 ns per row, and 401 tile by tile.
 */
#ifndef PGFIT_FOREST_TILES_H
#define PGFIT_FOREST_TILES_H

#include "core/tree_value/forest_walk.h"

typedef struct ForestTiles ForestTiles;

/* Returns the trees of a walk in tiles, or NULL if these do not pay. Adds their size to *bytes. Polls. */
ForestTiles *forest_tiles(Env *env, const ForestWalk *walk, const TreeScorer *scorer, size_t *bytes);
/* Writes the leaves of trees [first, first + count), first being a multiple of WALK_TOGETHER, from the keys of a row; leaves: [WALK_TOGETHER]. */
void forest_tiles_leaves(const ForestTiles *tiles, const uint32_t *row, uint32_t first, uint32_t count, uint32_t *leaves);

#endif
