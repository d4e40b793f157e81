/*
 * forest_trees.c - draws samples and grows trees.
 */
#include "core/forest/forest_trees.h"
#include "core/base/random.h"

#include <string.h>

#define POLL_DRAWS 1000000

void forest_trees_begin(Env *env, void *data)
{
    ForestTrees *trees = data;
    uint32_t rows = trees->columns->rows;

    trees->env = env;
    if (trees->growth.binned)
        trees->binner = tree_binner(trees->columns, &trees->growth);
    trees->counts = env_array_raw(env, rows, sizeof(uint32_t));
    trees->sample_rows = env_array_raw(env, rows, sizeof(uint32_t));
    trees->sample_weights = env_array_raw(env, rows, sizeof(double));
    trees->tree = grown_tree(env);
}

uint64_t forest_trees_room(const ForestTrees *trees)
{
    const TreeColumns *columns = trees->columns;
    uint64_t row = 2 * sizeof(uint32_t) + sizeof(double);

    if (columns->binned != NULL)
        return row * columns->rows + tree_binner_bytes(columns);
    return (row + tree_grow_room(&trees->growth, columns->slots)) * columns->rows;
}

static void draw_sample(ForestTrees *trees, uint64_t *random)
{
    uint32_t rows = trees->columns->rows;

    if (!trees->bootstrap) {
        for (uint32_t i = 0; i < rows; i++)
            trees->counts[i] = 1;
        return;
    }
    memset(trees->counts, 0, rows * sizeof(uint32_t));
    for (uint32_t i = 0; i < trees->sample; i++) {
        trees->counts[(random_bits(random) >> 32) * rows >> 32]++;
        env_poll_every(trees->env, i, POLL_DRAWS);
    }
}

void forest_trees_draw(ForestTrees *trees, uint32_t t)
{
    uint64_t random = mix64(mix64((uint64_t)trees->growth.seed + RANDOM_STEP) + (t + 1) * RANDOM_STEP);

    if (trees->drawn == t + 1)
        return;
    trees->drawn = t + 1;
    trees->split_seed = random_bits(&random);
    trees->permutation_seed = random_bits(&random);
    draw_sample(trees, &random);
}

/* Grows tree t from its sample. */
static void grow(void *data, uint32_t t)
{
    ForestTrees *trees = data;
    TreeGrowth growth = trees->growth;
    TreeSample sample = {.rows = trees->sample_rows,
                         .weights = trees->bootstrap ? trees->sample_weights : trees->weights,
                         .changes = trees->bootstrap};

    forest_trees_draw(trees, t);
    for (uint32_t i = 0; i < trees->columns->rows; i++) {
        trees->sample_rows[sample.count] = i;
        sample.count += trees->counts[i] > 0;
        if (trees->bootstrap)
            trees->sample_weights[i] = trees->counts[i] * row_weight(trees->weights, i);
    }
    growth.seed = trees->split_seed;
    if (trees->binner != NULL)
        tree_binned_grow(trees->binner, &sample, growth.seed, trees->tree);
    else
        tree_grow(trees->columns, &sample, &growth, trees->tree);
}

static void pack(Pack *pack, void *data)
{
    ForestTrees *trees = data;

    pack_value(pack, trees, sizeof *trees);
    trees->env = pack->env;
    if (pack->mode == PACK_OPEN) {
        trees->columns = env_array(pack->env, 1, sizeof(TreeColumns));
        trees->binner = NULL;
        trees->drawn = 0;
    }
    tree_columns_pack(pack, trees->columns);
    pack_array(pack, &trees->growth.monotone, trees->columns->slots, sizeof(int8_t));
    pack_array(pack, &trees->weights, trees->columns->rows, sizeof(double));
}

static void pack_result(Pack *pack, void *data)
{
    grown_tree_pack(pack, ((ForestTrees *)data)->tree);
}

const SharedKind forest_trees_kind = {.name = "trees of a forest",
                                      .data_size = sizeof(ForestTrees),
                                      .pack = pack,
                                      .begin = forest_trees_begin,
                                      .run = grow,
                                      .pack_result = pack_result};
