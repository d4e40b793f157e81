/*
 * forest_merge.c - one forest from two: the trees of both, end to end.
 *
 * Trees vote with equal weight, so a forest of the trees of both forests is what one fit with more trees would have grown, if both
 * learned from the same rows. The out-of-bag error of the whole does not follow from those of the parts and is left out.
 */
#include "core/base/bytes.h"
#include "core/base/json.h"
#include "core/forest/forest_model.h"

#include <math.h>
#include <string.h>

typedef struct Parts {
    Env *env;
    const Model *a, *b;
    bool same_rows;
    int64_t *seeds;
    uint32_t seed_count;
} Parts;

static bool same_data(const Model *a, const ModelEntry *x, const Model *b, const ModelEntry *y)
{
    return y != NULL && x->type == y->type && x->rows == y->rows && x->columns == y->columns &&
           model_entry_bytes(a, x) == model_entry_bytes(b, y) &&
           memcmp(model_data(a, x), model_data(b, y), model_entry_bytes(a, x)) == 0;
}

static bool same_array(const Model *a, const Model *b, const char *name)
{
    const ModelEntry *x = model_find(a, name), *y = model_find(b, name);

    return x == NULL ? y == NULL : same_data(a, x, b, y);
}

/* Tells whether both have the same features, levels and classes. */
static bool same_schema(const Model *a, const Model *b)
{
    uint32_t of_a = 0, of_b = 0;

    for (uint32_t i = 0; i < a->entry_count; i++) {
        const ModelEntry *entry = model_entries(a) + i;

        if (entry->section != SECTION_SCHEMA)
            continue;
        of_a++;
        if (!same_data(a, entry, b, model_find(b, entry->name)))
            return false;
    }
    for (uint32_t i = 0; i < b->entry_count; i++)
        of_b += model_entries(b)[i].section == SECTION_SCHEMA;
    return of_a == of_b && a->flags == b->flags;
}

/* Returns the options as JSON with other numbers for n_trees and seed. */
static char *options_with(Env *env, const Model *model, int64_t trees, int64_t seed)
{
    uint32_t length;
    const char *json = model_options(model, &length);
    const Json *root = json_parse(env, json, length, ERROR_CORRUPT, "options");
    TextBuffer out = {.env = env};

    text_add(&out, "{");
    for (const Json *key = json_first(root); key != NULL; key = json_next(root, key)) { /* not those in objects: labels of weights */
        text_add(&out, out.length > 1 ? "," : "");
        json_quote(&out, key->text, key->length);
        text_add(&out, ":");
        if (json_is(key, "n_trees"))
            json_int(&out, trees);
        else if (json_is(key, "seed"))
            json_int(&out, seed);
        else
            json_canonical(&out, json_value(key));
    }
    text_add(&out, "}");
    return text_finish(&out, NULL);
}

static void require_same(const Parts *parts)
{
    Env *env = parts->env;
    const Model *a = parts->a, *b = parts->b;

    if (strcmp(a->estimator, b->estimator) != 0)
        env_fail(env, ERROR_KIND, "Merge forests of the same method.", "%s and %s do not merge", a->estimator, b->estimator);
    if (!same_schema(a, b))
        env_fail(env, ERROR_DATA, "Fit both to rows with the same columns, levels and classes; features(model) and levels(model) show them.",
                 "the forests have different features, levels or classes");
    if (strcmp(options_with(env, a, 0, 0), options_with(env, b, 0, 0)) != 0)
        env_fail(env, ERROR_PARAMETER, "Fit both with the same options, except n_trees and seed.",
                 "the forests were grown with different options");
    if (!same_array(a, b, "class_rule") || !same_array(a, b, "hard_votes"))
        env_fail(env, ERROR_PARAMETER, NULL, "the forests decide by different rules");
}

/* Collects the seeds of both. Fails if both grew the same trees. */
static void merge_seeds(Parts *parts)
{
    uint32_t of_a, of_b;
    const int64_t *a = model_i64(parts->a, "seeds", &of_a), *b = model_i64(parts->b, "seeds", &of_b);

    parts->same_rows = model_find(parts->a, "rows_hash") != NULL && same_array(parts->a, parts->b, "rows_hash");
    parts->seeds = env_array(parts->env, (size_t)of_a + of_b + 1, sizeof(int64_t));
    for (uint32_t i = 0; i < of_a; i++)
        parts->seeds[parts->seed_count++] = a[i];
    for (uint32_t j = 0; j < of_b; j++) {
        for (uint32_t i = 0; i < of_a && parts->same_rows; i++)
            if (a[i] == b[j])
                env_fail(parts->env, ERROR_PARAMETER, "Give each part a seed of its own.",
                         "both forests were grown from the same rows with seed %lld: they have the same trees", (long long)a[i]);
        parts->env->poll(parts->env);
        parts->seeds[parts->seed_count++] = b[j];
    }
}

/* Returns the mean importance by number of trees; NULL unless both have it. */
static double *merge_importance(const Parts *parts, const char *name, double a_trees, double b_trees)
{
    uint32_t count, other;
    const double *a = model_f64(parts->a, name, &count), *b = model_f64(parts->b, name, &other);
    double *out;

    if (a == NULL || b == NULL)
        return NULL;
    out = env_array(parts->env, (size_t)count + 1, sizeof(double));
    for (uint32_t j = 0; j < count; j++)
        out[j] = (a[j] * a_trees + b[j] * b_trees) / (a_trees + b_trees);
    return out;
}

static bool is_schema(const ModelEntry *entry)
{
    return entry->section == SECTION_SCHEMA || strcmp(entry->name, "class_rule") == 0 || strcmp(entry->name, "hard_votes") == 0;
}

Model *forest_merge(Env *env, const Model *a, const Model *b)
{
    Parts parts = {.env = env, .a = a, .b = b};
    TreeStore *store;
    ModelBuilder *builder;
    Model *header;
    static const char *const importances[] = {"importance", "permutation_importance"};
    double of_a = model_find(a, "tree_nodes")->rows, of_b = model_find(b, "tree_nodes")->rows;
    double nodes = (double)model_find(a, "split")->rows + model_find(b, "split")->rows;
    char *options;

    require_same(&parts);
    merge_seeds(&parts);
    store = tree_store(env, a, model_find(a, "leaf_classes") != NULL);
    tree_store_append_model(store, a);
    tree_store_append_model(store, b);
    builder = builder_from(env, a, is_schema);
    header = builder_header(builder);
    if (!parts.same_rows) {
        header->rows = a->rows + b->rows;
        header->skipped = a->skipped + b->skipped;
        header->weight = a->weight + b->weight;
    }
    options = options_with(env, a, (int64_t)(of_a + of_b), parts.seeds[0]);
    builder_options(builder, options, (uint32_t)strlen(options));
    tree_store_add(store, builder);
    for (int i = 0; i < 2; i++) {
        double *importance = merge_importance(&parts, importances[i], of_a, of_b);

        if (importance != NULL)
            builder_f64(builder, SECTION_ARRAYS, importances[i], importance, a->slot_count);
    }
    builder_i64(builder, SECTION_ARRAYS, "seeds", parts.seeds, parts.seed_count);
    builder_fact_i64(builder, "trees", (int64_t)(of_a + of_b));
    builder_fact_i64(builder, "nodes", (int64_t)nodes);
    /* facts are not checked, and a number of 64 bits need not fit after the way through a double */
    builder_fact_i64(builder, "depth", (int64_t)fmin(nodes, fmax(model_fact(a, "depth", 0), model_fact(b, "depth", 0))));
    if (parts.same_rows && model_find(a, "rows_hash") != NULL) {
        uint32_t length;
        const char *text = model_text(a, model_find(a, "rows_hash"), 0, &length);
        char *hash = env_array(env, (size_t)length + 1, 1);

        memcpy(hash, text, length);
        builder_fact_text(builder, "rows_hash", hash);
    }
    return model_build(builder);
}
