/*
 * dendrogram_tables.c - the tables "dendrogram_merges" and "cophenetic": the merges of a tree, and the height at which each pair
 * meets.
 */
#include "core/hierarchy/dendrogram.h"

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

/* Each side of a merge is an earlier merge, counted from 1, or a row, given by its id. */
static bool merge_row(Env *env, const Model *model, void *data, uint64_t i, Cell *cells)
{
    const MergeReader *reader = data;
    const Hierarchy *tree = &reader->tree;

    cell_integer(&cells[0], (int64_t)i + 1);
    for (int side = 0; side < 2; side++) {
        int64_t node = tree->merges[2 * i + (uint64_t)side];

        if (node < tree->rows)
            cell_text_of(&cells[3 + side], model, tree->ids, (uint32_t)node);
        else
            cell_integer(&cells[1 + side], node - tree->rows + 1);
    }
    cell_number(&cells[5], tree->heights[i]);
    cell_integer(&cells[6], reader->sizes[tree->rows + i]);
    return true;
}

static const Table merges = {.name = "dendrogram_merges", .open = open_merges, .row = merge_row};

/* ---- cophenetic: for each merge, the pairs of a leaf on one side and a leaf on the other ---- */

typedef struct Leaf {
    const char *id;
    uint32_t length;
} Leaf;

typedef struct PairReader {
    Hierarchy tree;
    uint32_t *sizes, *starts;
    Leaf *leaves;             /* in the order of the tree */
    uint32_t merge, a, b;     /* the next pair: positions in leaves */
    uint32_t right, end;      /* where the second side of this merge starts and ends */
} PairReader;

/* Moves to the first pair of reader->merge. */
static void begin_merge(PairReader *reader)
{
    const Hierarchy *tree = &reader->tree;
    uint32_t whole = tree->rows + reader->merge;

    if (reader->merge + 1 >= tree->rows)
        return;
    reader->a = reader->starts[whole];
    reader->b = reader->right = reader->a + reader->sizes[tree->merges[2 * (size_t)reader->merge]];
    reader->end = reader->a + reader->sizes[whole];
}

static void *open_pairs(Env *env, const Model *model, uint64_t *rows)
{
    PairReader *reader = env_array(env, 1, sizeof *reader);
    uint32_t *order, n;

    hierarchy_open(env, model, "cophenetic", &reader->tree);
    n = reader->tree.rows;
    reader->sizes = hierarchy_sizes(env, &reader->tree);
    order = hierarchy_leaves(env, &reader->tree, reader->sizes, &reader->starts);
    reader->leaves = env_array(env, n, sizeof(Leaf));
    for (uint32_t i = 0; i < n; i++)
        reader->leaves[i].id = model_text(model, reader->tree.ids, order[i], &reader->leaves[i].length);
    begin_merge(reader);
    *rows = n > 0 ? (uint64_t)n * (n - 1) / 2 : 0;
    return reader;
}

static bool pair_row(Env *env, const Model *model, void *data, uint64_t i, Cell *cells)
{
    PairReader *reader = data;
    const Leaf *a = &reader->leaves[reader->a], *b = &reader->leaves[reader->b];

    cell_text(&cells[0], a->id, a->length);
    cell_text(&cells[1], b->id, b->length);
    cell_number(&cells[2], reader->tree.heights[reader->merge]);
    if (++reader->b == reader->end) {
        reader->b = reader->right;
        if (++reader->a == reader->right) {
            reader->merge++;
            begin_merge(reader);
        }
    }
    return true;
}

static const Table cophenetic = {.name = "cophenetic", .open = open_pairs, .row = pair_row};

const Table *const hierarchy_tables[] = {&merges, &cophenetic, NULL};
