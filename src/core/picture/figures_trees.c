/*
 * figures_trees.c - trees from left to right: decision trees, one leaf per line, and dendrograms, with heights to scale.
 */
#include "core/picture/figures.h"
#include "core/picture/picture_label.h"

#include <string.h>

/* ---- decision trees ---- */

/* Where the nodes of a tree are; rows first ... first + count - 1 of the data are its nodes in preorder. */
typedef struct TreeLayout {
    uint64_t first;
    uint32_t count, leaves, depth;
    uint32_t *parent; /* [count], of the root UINT32_MAX */
    bool *leaf;
    double *y;
} TreeLayout;

/* Finds the rows of a tree. Fails with ERROR_PARAMETER if there is no such tree. */
static TreeLayout find_tree(Scene *scene, const PictureData *data, int64_t tree)
{
    const double *trees = picture_data_column(data, "tree")->numbers;
    TreeLayout layout = {0};
    double all = 0;

    for (uint64_t i = 0; i < data->rows; i++) {
        env_poll_rows(scene->env, i);
        all = fmax(all, trees[i]);
        if (trees[i] != (double)tree)
            continue;
        layout.first = layout.count == 0 ? i : layout.first;
        layout.count++;
    }
    if (layout.count == 0)
        env_fail(scene->env, ERROR_PARAMETER, NULL, "there is no tree %lld among 1 to %.0f", (long long)tree, all);
    if (all > 1)
        scene_note(scene, "Tree %lld of %.0f; option \"tree\" shows another.", (long long)tree, all);
    return layout;
}

/* Places leaves below each other in order, and other nodes in the middle of their children. */
static TreeLayout lay_out(Scene *scene, const PictureData *data, int64_t tree)
{
    TreeLayout layout = find_tree(scene, data, tree);
    const double *node = picture_data_column(data, "node")->numbers + layout.first, *parent = picture_data_column(data, "parent")->numbers + layout.first;
    const double *depth = picture_data_column(data, "depth")->numbers + layout.first;
    double *sum = env_array(scene->env, layout.count, sizeof(double)), *children = env_array(scene->env, layout.count, sizeof(double));

    layout.parent = env_array_raw(scene->env, layout.count, sizeof(uint32_t));
    layout.leaf = env_array(scene->env, layout.count, sizeof(bool));
    layout.y = env_array(scene->env, layout.count, sizeof(double));
    for (uint32_t i = 0; i < layout.count; i++) {
        double place = parent[i] - node[0];

        layout.leaf[i] = true;
        layout.parent[i] = place >= 0 && place < i ? (uint32_t)place : UINT32_MAX;
        if (layout.parent[i] != UINT32_MAX)
            layout.leaf[layout.parent[i]] = false;
        if (depth[i] > layout.depth)
            layout.depth = (uint32_t)fmin(depth[i], 1e6);
    }
    for (uint32_t i = 0; i < layout.count; i++)
        if (layout.leaf[i])
            layout.y[i] = layout.leaves++;
    for (uint32_t i = layout.count; i-- > 0;) {
        if (!layout.leaf[i] && children[i] > 0)
            layout.y[i] = sum[i] / children[i];
        if (layout.parent[i] != UINT32_MAX) {
            sum[layout.parent[i]] += layout.y[i];
            children[layout.parent[i]]++;
        }
    }
    return layout;
}

/* Returns the condition under which rows go to the upper branch. */
static PictureText condition(Env *env, const PictureData *data, uint64_t row)
{
    const char *feature = figure_string(env, picture_text_of(picture_data_column(data, "feature"), row));
    PictureText levels = picture_text_of(picture_data_column(data, "levels"), row);
    double threshold = picture_data_column(data, "threshold")->numbers[row];
    char number[TICK_TEXT];

    if (levels.bytes != NULL)
        return scene_text(env, "%s in %s", feature, figure_string(env, levels));
    if (isinf(threshold))
        return scene_text(env, "%s is not NULL", feature);
    return scene_text(env, "%s <= %s", feature, number_text(threshold, 5, number));
}

/* Returns what a leaf says, and sets the class that it has; -1: none. */
static PictureText leaf_text(Env *env, const PictureData *data, const Model *model, uint64_t row, int *class)
{
    const PictureColumn *value = picture_data_column(data, "value");
    PictureList list = value->lists != NULL ? value->lists[row] : (PictureList){NULL, 0};
    double weight = picture_data_column(data, "weight")->numbers[row], sum = 0, most = -1;
    uint32_t classes = model != NULL ? dictionary_size(model, DICTIONARY_CLASSES) : 0, length;
    char number[TICK_TEXT], rows[TICK_TEXT];
    const char *label;

    *class = -1;
    number_text(weight, 6, rows);
    if (list.count == 0)
        return scene_text(env, "(%s)", rows);
    if ((list.count == 1 && classes != 1) || (classes > 0 && list.count != classes))
        return scene_text(env, "%s (%s)", number_text(list.numbers[0], 5, number), rows);
    for (uint32_t k = 0; k < list.count; k++) {
        sum += list.numbers[k];
        if (list.numbers[k] > most) {
            most = list.numbers[k];
            *class = (int)k;
        }
    }
    if (classes == 0)
        label = env_message(env, "class %d", *class + 1);
    else {
        label = dictionary_text(model, DICTIONARY_CLASSES, (uint32_t)*class, &length);
        label = env_text(env, label, length);
    }
    return scene_text(env, "%s %.3g%% of %s", label, sum > 0 ? 100 * most / sum : 0, rows);
}

/* Adds the brackets from parents to children. */
static void put_branches(Panel *panel, const TreeLayout *layout, const double *depth)
{
    Layer *lines = panel_layer(panel, MARK_RULES, COLOR_MUTED, NULL);

    for (uint32_t i = 0; i < layout->count; i++) {
        uint32_t parent = layout->parent[i];
        double bend = depth[i] - 0.06;

        if (parent == UINT32_MAX)
            continue;
        layer_add_span(lines, depth[i] - 1, layout->y[parent], bend, layout->y[parent]);
        layer_add_span(lines, bend, layout->y[parent], bend, layout->y[i]);
        layer_add_span(lines, bend, layout->y[i], depth[i], layout->y[i]);
    }
}

/* Returns the layer of squares of a class, which it makes for the first of them. */
static Layer *class_layer(Panel *panel, Layer **layers, int count, int class)
{
    int place = class < 0 || class >= count ? 0 : class;

    if (layers[place] == NULL)
        layers[place] = panel_layer(panel, MARK_POINTS, class < 0 ? COLOR_MUTED : class, NULL);
    return layers[place];
}

static void draw_tree(Scene *scene, const PictureData *data, const Model *model)
{
    TreeLayout layout = lay_out(scene, data, options_integer(scene->options, "tree"));
    const double *depth = picture_data_column(data, "depth")->numbers + layout.first;
    Panel *panel = scene_panel(scene, NULL);
    Layer *splits, *leaves, *squares[64] = {NULL};
    double widest = 60, leaf_width = 40;

    put_branches(panel, &layout, depth);
    splits = panel_layer(panel, MARK_TEXTS, COLOR_INK, NULL);
    leaves = panel_layer(panel, MARK_TEXTS, COLOR_INK, NULL);
    splits->anchor = leaves->anchor = ANCHOR_START;
    splits->lift = 0.55;
    for (uint32_t i = 0; i < layout.count; i++) {
        PictureText text = condition(scene->env, data, layout.first + i);
        MarkItem *item;
        int class;

        env_poll_rows(scene->env, i);
        if (!layout.leaf[i]) {
            item = layer_add_span(splits, depth[i], layout.y[i], depth[i] + 0.94, layout.y[i]);
            widest = fmax(widest, label_width(text, 11) + 24);
        } else {
            text = leaf_text(scene->env, data, model, layout.first + i, &class);
            layer_add(class_layer(panel, squares, 64, class), depth[i], layout.y[i]);
            item = layer_add(leaves, depth[i], layout.y[i]);
            leaf_width = fmax(leaf_width, label_width(text, 11) + 12);
        }
        if (item != NULL)
            item->text = text;
    }
    scale_bands(&panel->y, NULL, layout.leaves);
    panel->x.hidden = panel->y.hidden = panel->x.tight = true;
    panel->room_right = fmin(leaf_width, 200);
    if (!options_given(scene->options, "width"))
        scene->width = fmax(scene->width, fmin(widest, 230) * layout.depth + panel->room_right + 40);
    if (!scene->given_height)
        scene->height = fmax(60 + 22.0 * fmax(layout.leaves, 2), 120);
    if (layout.leaves > 1)
        scene_note(scene, "A row for which the condition holds goes to the upper branch.");
    scene_say(scene, "A tree of %u leaves and depth %u.", layout.leaves, layout.depth);
}

const Figure tree_figure = {.name = "tree",
                            .title = "Decision tree",
                            .table = "tree_nodes",
                            .columns = {"tree", "node", "parent", "depth", "feature", "threshold", "levels", "missing", "weight", "impurity", "gain", "value"},
                            .in_text = "tree_rules",
                            .draw = draw_tree};

/* ---- dendrograms ---- */

/* A part of a dendrogram that waits to be drawn. */
typedef struct Part {
    uint64_t merge; /* its row */
    bool second;    /* its first child has been drawn */
    bool third;     /* and its second */
    double y;       /* of the first child */
    double height;  /* where the first child begins */
} Part;

typedef struct Dendrogram {
    Scene *scene;
    const PictureData *data;
    const double *heights;
    uint64_t whole;   /* merges before this one are drawn as one leaf */
    Layer *lines;
    bool *joined;     /* [rows], merges that are children of others */
    PictureText *names;
    uint32_t leaves;
    double y, height; /* of the part that was drawn last */
} Dendrogram;

/* Draws a leaf: a row, or rows that earlier merges joined. */
static void put_leaf(Dendrogram *tree, PictureText name, double height)
{
    tree->names[tree->leaves] = name;
    tree->y = tree->leaves++;
    tree->height = height;
}

/* Looks at a child of a merge. Returns true if it is a merge to be drawn, else draws a leaf. */
static bool open_child(Dendrogram *tree, uint64_t row, const char *number, const char *id, uint64_t *merge)
{
    double child = picture_data_column(tree->data, number)->numbers[row];
    PictureText name = picture_text_of(picture_data_column(tree->data, id), row);
    uint64_t place = child >= 1 && child <= (double)row ? (uint64_t)child - 1 : UINT64_MAX;

    if (place == UINT64_MAX) {
        put_leaf(tree, name, 0);
        return false;
    }
    if (tree->joined[place]) /* else leaves would be more than names, and their number exponential */
        env_fail(tree->scene->env, ERROR_PARAMETER, "Pass the rows of dendrogram_merges as they are.", "these rows are no tree: merge %llu is joined twice",
                 (unsigned long long)place + 1);
    tree->joined[place] = true;
    if (place < tree->whole) {
        put_leaf(tree, scene_text(tree->scene->env, "(%.0f rows)", picture_data_column(tree->data, "size")->numbers[place]), tree->heights[place]);
        return false;
    }
    *merge = place;
    return true;
}

/* Draws all merges from the last one on, without recursion. */
static void walk_merges(Dendrogram *tree)
{
    Part *stack = env_array(tree->scene->env, tree->data->rows - tree->whole + 1, sizeof(Part));
    uint64_t open = 1, child;

    stack[0] = (Part){.merge = tree->data->rows - 1};
    while (open > 0) {
        Part *part = &stack[open - 1];
        double height = tree->heights[part->merge];

        env_poll_rows(tree->scene->env, open);
        if (!part->second) {
            part->second = true;
            if (open_child(tree, part->merge, "a", "id_a", &child)) {
                stack[open++] = (Part){.merge = child};
                continue;
            }
        }
        if (!part->third) {
            part->third = true;
            part->y = tree->y;
            part->height = tree->height;
            if (open_child(tree, part->merge, "b", "id_b", &child)) {
                stack[open++] = (Part){.merge = child};
                continue;
            }
        }
        layer_add_span(tree->lines, part->height, part->y, height, part->y);
        layer_add_span(tree->lines, tree->height, tree->y, height, tree->y);
        layer_add_span(tree->lines, height, part->y, height, tree->y);
        tree->y = (part->y + tree->y) / 2;
        tree->height = height;
        open--;
    }
}

static void draw_dendrogram(Scene *scene, const PictureData *data, const Model *model)
{
    uint64_t top = (uint64_t)options_integer(scene->options, "top"), rows = data->rows;
    Panel *panel = scene_panel(scene, NULL);
    Dendrogram tree = {scene, data, picture_data_column(data, "height")->numbers, rows + 1 > top ? rows + 1 - top : 0};

    tree.lines = panel_layer(panel, MARK_RULES, 0, NULL);
    tree.names = env_array(scene->env, rows - tree.whole + 2, sizeof(PictureText));
    tree.joined = env_array(scene->env, rows + 1, sizeof(bool));
    if (rows > tree.whole)
        walk_merges(&tree);
    scale_bands(&panel->y, tree.names, tree.leaves);
    scale_root(&panel->x);
    panel->x.title = "height";
    scene_room(scene, tree.leaves);
    if (tree.whole > 0)
        scene_note(scene, "%llu rows as %u clusters; option \"top\" shows more.", (unsigned long long)rows + 1, tree.leaves);
    scene_say(scene, "The merges of %llu rows, each at its height.", (unsigned long long)rows + 1);
}

const Figure dendrogram_figure = {.name = "dendrogram",
                                  .title = "Dendrogram",
                                  .table = "dendrogram_merges",
                                  .columns = {"merge", "a", "b", "id_a", "id_b", "height", "size"},
                                  .in_text = "dendrogram",
                                  .draw = draw_dendrogram};
