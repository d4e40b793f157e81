/*
 * dendrogram_tables.c - the tables of hierarchical clustering: its merges, and the height at which each pair of rows meets.
 */
#include "core/cluster/cluster_tables.h"
#include "core/cluster/dendrogram.h"

static void id_cell(Cell *cell, const Model *model, const Hierarchy *tree, uint32_t row)
{
    uint32_t length;
    const char *text = model_text(model, tree->ids, row, &length);

    cell_text(cell, text, length);
}

/* ---- merges ---- */

typedef struct MergeReader {
    Hierarchy tree;
    const uint32_t *sizes;
} MergeReader;

static void *open_merges(Env *env, const Model *model, uint64_t *rows)
{
    MergeReader *reader = env_array(env, 1, sizeof *reader);

    hierarchy_open(env, model, "dendrogram_merges", &reader->tree);
    reader->sizes = hierarchy_sizes(env, &reader->tree);
    *rows = reader->tree.rows > 0 ? reader->tree.rows - 1 : 0;
    return reader;
}

/* A side of the merge is an earlier merge, counted from 1, or a row, given by its id. */
static bool merge_row(Env *env, const Model *model, void *data, uint64_t i, Cell *cells)
{
    const MergeReader *reader = data;
    const Hierarchy *tree = &reader->tree;

    cell_integer(&cells[0], (int64_t)i + 1);
    for (int side = 0; side < 2; side++) {
        int64_t node = tree->merges[2 * i + (uint64_t)side];

        if (node < tree->rows)
            id_cell(&cells[3 + side], model, tree, (uint32_t)node);
        else
            cell_integer(&cells[1 + side], node - tree->rows + 1);
    }
    cell_number(&cells[5], tree->heights[i]);
    cell_integer(&cells[6], reader->sizes[tree->rows + i]);
    return true;
}

static const Table merges = {.name = "dendrogram_merges",
                             .columns = {{"merge", CELL_BIGINT},
                                         {"a", CELL_BIGINT},
                                         {"b", CELL_BIGINT},
                                         {"id_a", CELL_TEXT},
                                         {"id_b", CELL_TEXT},
                                         {"height", CELL_NUMBER},
                                         {"size", CELL_BIGINT}},
                             .open = open_merges,
                             .row = merge_row};

/* ---- cophenetic: merge by merge, the pairs of one leaf from each side ---- */

typedef struct PairReader {
    Hierarchy tree;
    uint32_t *sizes, *starts, *leaves;
    uint32_t merge, a, b; /* the next pair: places among the leaves */
} PairReader;

static uint32_t right_start(const PairReader *reader)
{
    return reader->starts[reader->tree.rows + reader->merge] + reader->sizes[reader->tree.merges[2 * (size_t)reader->merge]];
}

static void begin_merge(PairReader *reader)
{
    if (reader->merge + 1 < reader->tree.rows) {
        reader->a = reader->starts[reader->tree.rows + reader->merge];
        reader->b = right_start(reader);
    }
}

static void *open_pairs(Env *env, const Model *model, uint64_t *rows)
{
    PairReader *reader = env_array(env, 1, sizeof *reader);

    hierarchy_open(env, model, "cophenetic", &reader->tree);
    reader->sizes = hierarchy_sizes(env, &reader->tree);
    reader->leaves = hierarchy_leaves(env, &reader->tree, reader->sizes, &reader->starts);
    begin_merge(reader);
    *rows = reader->tree.rows > 0 ? (uint64_t)reader->tree.rows * (reader->tree.rows - 1) / 2 : 0;
    return reader;
}

static bool pair_row(Env *env, const Model *model, void *data, uint64_t i, Cell *cells)
{
    PairReader *reader = data;
    const Hierarchy *tree = &reader->tree;
    uint32_t whole = tree->rows + reader->merge, right = right_start(reader);

    id_cell(&cells[0], model, tree, reader->leaves[reader->a]);
    id_cell(&cells[1], model, tree, reader->leaves[reader->b]);
    cell_number(&cells[2], tree->heights[reader->merge]);
    if (++reader->b == reader->starts[whole] + reader->sizes[whole]) {
        reader->b = right;
        if (++reader->a == right) {
            reader->merge++;
            begin_merge(reader);
        }
    }
    return true;
}

static const Table cophenetic = {.name = "cophenetic",
                                 .columns = {{"a", CELL_TEXT}, {"b", CELL_TEXT}, {"height", CELL_NUMBER}},
                                 .open = open_pairs,
                                 .row = pair_row};

const Table *const hierarchy_tables[] = {&merges, &cophenetic, NULL};
