/*
 * forest_tiles.c - laying out trees in tiles of three levels, and walking from tile to tile.
 */
#include "core/tree_value/forest_tiles.h"
#include "core/base/cpu_dispatch.h"

#ifdef CPU_AVX2
#include <immintrin.h>

#define TILE_SPLITS 7
#define TILE_ENDS 8
#define ROOTS 8 /* trees whose first tiles are walked by the same instructions */
_Static_assert(WALK_TOGETHER % ROOTS == 0, "groups of trees are walked whole");
#define MOST_LEVELS 8
#define MOST_SLOTS WALK_ROOM /* of which the keys are kept in registers */
#define VECTOR 8      /* keys in a register */
#define SMALL_BYTES (512 * 1024) /* tiles may be larger than nodes up to here: they still fit in a second-level cache */
#define POLL_TILES 16384
#define NOWHERE UINT32_MAX

/* Splits 1 and 2 are the children of split 0, 3 to 6 those of 1 and 2. A tile has up to eight ends, some of which may be missing. */
typedef struct Tile {
    int32_t key[TILE_SPLITS]; /* of the threshold, moved to the range of signed integers; INT32_MAX where there is no split */
    uint32_t next;            /* where its first end leads to: a tile, or on the last level a leaf; the others follow */
    uint8_t slot[TILE_SPLITS];
    uint8_t ends;             /* a bit per end that is there */
} Tile;
_Static_assert(sizeof(Tile) == 40, "keys are read as a vector with `next`, slots with `ends`");

/* The first tiles of as many trees, a lane each. */
typedef struct RootTiles {
    int32_t key[TILE_SPLITS][ROOTS];
    uint32_t upper_slots[ROOTS]; /* a byte for each of splits 0 to 2 */
    uint32_t lower_slots[ROOTS]; /* of splits 3 to 6 */
    uint32_t before[ROOTS];      /* four bits per place of an end: how many ends are before it */
    uint32_t next[ROOTS];
} RootTiles;

struct ForestTiles {
    Tile *tiles; /* level by level, and on each tree by tree, from the left to the right */
    RootTiles *roots; /* the first level once more */
    uint32_t levels, slots;
    uint8_t before[256]; /* from the results of the comparisons to the ends before the one they lead to, a bit each */
};

static int32_t signed_key(uint32_t key)
{
    return (int32_t)(key ^ 1u << 31);
}

static bool is_leaf(const ForestWalk *walk, uint32_t node)
{
    return (walk->nodes[node] & WALK_MOST_SLOTS) == walk->slots;
}

/* Writes the tile of the first `most` splits from `root` down, and the nodes that it leads to, to ends; returns how many there are. */
static uint32_t make_tile(const ForestWalk *walk, uint32_t root, uint32_t most, uint32_t next, Tile *tile, uint32_t *ends)
{
    uint32_t at[TILE_SPLITS + TILE_ENDS] = {root}, count = 0;

    tile->next = next;
    tile->ends = 0;
    for (uint32_t i = 0; i < TILE_SPLITS; i++) {
        bool splits = i < most && at[i] != NOWHERE && !is_leaf(walk, at[i]);
        uint32_t child = splits ? at[i] + ((uint32_t)walk->nodes[at[i]] >> WALK_SLOT_BITS) : at[i];

        tile->key[i] = splits ? signed_key((uint32_t)(walk->nodes[at[i]] >> 32)) : INT32_MAX;
        tile->slot[i] = splits ? walk->nodes[at[i]] & WALK_MOST_SLOTS : 0;
        at[2 * i + 1] = child;
        at[2 * i + 2] = splits ? child + 1 : NOWHERE;
    }
    for (uint32_t i = 0; i < TILE_ENDS; i++)
        if (at[TILE_SPLITS + i] != NOWHERE) {
            tile->ends |= (uint8_t)(1u << i);
            ends[count++] = at[TILE_SPLITS + i];
        }
    return count;
}

/*
 * Counts the tiles of trees of this depth, and writes them where `out` is not NULL. What is left of the depth without full tiles
 * is on the first level, which has the fewest. nodes: [2][leaves + TILE_ENDS].
 */
static uint64_t make_levels(Env *env, const ForestWalk *walk, uint32_t depth, uint32_t leaves, uint32_t *nodes, Tile *out)
{
    uint32_t *from = nodes, *to = nodes + leaves + TILE_ENDS, count = walk->trees, levels = (depth + 2) / 3;
    uint64_t used = 0;
    Tile unused;

    for (uint32_t t = 0; t < walk->trees; t++)
        from[t] = walk->first_node[t];
    for (uint32_t level = 0; level < levels; level++) {
        uint32_t most = level > 0 ? TILE_SPLITS : (2u << (depth + 2) % 3) - 1, ends = 0, *swap = from;
        uint32_t first = level + 1 < levels ? (uint32_t)used + count : 0;

        for (uint32_t i = 0; i < count; i++) {
            if (i % POLL_TILES == 0)
                env->poll(env);
            ends += make_tile(walk, from[i], most, first + ends, out != NULL ? out + used + i : &unused, to + ends);
        }
        used += count;
        from = to;
        to = swap;
        count = ends;
    }
    return used;
}

/* For each result of the comparisons, a bit per end before the one to take. */
static void fill_before(uint8_t before[256])
{
    for (uint32_t results = 0; results < 256; results++) {
        uint32_t first = results & 1, second = results >> (1 + first) & 1, third = results >> (3 + 2 * first + second) & 1;

        before[results] = (uint8_t)((1u << (4 * first + 2 * second + third)) - 1);
    }
}

/* Lays out the first tiles of trees lane by lane; lanes without a tree lead to the first leaf. Returns the bytes. */
static size_t fill_roots(Env *env, ForestTiles *tiles, uint32_t trees)
{
    uint32_t groups = (trees + ROOTS - 1) / ROOTS;

    tiles->roots = env_array(env, groups, sizeof(RootTiles));
    for (uint32_t t = 0; t < trees; t++) {
        RootTiles *roots = tiles->roots + t / ROOTS;
        const Tile *tile = tiles->tiles + t;
        uint32_t lane = t % ROOTS;

        roots->next[lane] = tile->next;
        for (uint32_t i = 0; i < TILE_SPLITS; i++) {
            roots->key[i][lane] = tile->key[i];
            if (i < 3)
                roots->upper_slots[lane] |= (uint32_t)tile->slot[i] << 8 * i;
            else
                roots->lower_slots[lane] |= (uint32_t)tile->slot[i] << 8 * (i - 3);
        }
        for (uint32_t i = 0; i < TILE_ENDS; i++)
            roots->before[lane] |= (uint32_t)__builtin_popcount(tile->ends & ((1u << i) - 1)) << 4 * i;
    }
    return groups * sizeof(RootTiles);
}

ForestTiles *forest_tiles(Env *env, const ForestWalk *walk, const TreeScorer *scorer, size_t *bytes)
{
    uint32_t deepest = 1, levels, *nodes;
    ForestTiles *made = NULL;
    uint64_t count;

    for (uint32_t t = 0; t < walk->trees; t++)
        deepest = walk->depth[t] > deepest ? walk->depth[t] : deepest;
    levels = (deepest + 2) / 3;
    if (levels > MOST_LEVELS || walk->slots > MOST_SLOTS || !CPU_AVX2)
        return NULL;
    nodes = env_array_raw(env, (size_t)scorer->leaves + TILE_ENDS, 2 * sizeof(uint32_t));
    count = make_levels(env, walk, deepest, scorer->leaves, nodes, NULL);
    if (count * sizeof(Tile) <= SMALL_BYTES || count * sizeof(Tile) <= scorer->nodes * sizeof(uint64_t)) {
        made = env_array(env, 1, sizeof(ForestTiles));
        made->tiles = env_array_raw(env, count, sizeof(Tile));
        made->levels = levels;
        made->slots = walk->slots;
        fill_before(made->before);
        make_levels(env, walk, deepest, scorer->leaves, nodes, made->tiles);
        *bytes += count * sizeof(Tile) + sizeof(ForestTiles) + fill_roots(env, made, walk->trees);
    }
    env->release(env, nodes);
    return made;
}

#define SIMD_FILE "core/tree_value/forest_tiles_simd.h"
#include "core/base/cpu_dispatch.h"

void forest_tiles_leaves(const ForestTiles *tiles, const uint32_t *row, uint32_t first, uint32_t count, uint32_t *leaves)
{
    if (CPU_AVX512)
        walk_tiles_avx512(tiles, row, first, count, leaves);
    else
        walk_tiles_avx2(tiles, row, first, count, leaves);
}

#else /* a processor without these instructions */

ForestTiles *forest_tiles(Env *env, const ForestWalk *walk, const TreeScorer *scorer, size_t *bytes)
{
    return NULL;
}

void forest_tiles_leaves(const ForestTiles *tiles, const uint32_t *row, uint32_t first, uint32_t count, uint32_t *leaves)
{
}

#endif
