/*
 * feature_ranges.c - where the features of a model lie, from what the model keeps.
 */
#include "core/plot/feature_ranges.h"

#include "core/formula/formula_model.h"
#include "core/plot/class_normals.h"
#include "core/prepare/pipeline.h"
#include "core/tree_value/tree_model.h"

#include <math.h>
#include <string.h>

#define DEVIATIONS 3        /* to both sides of a mean */
#define SPLIT_MARGIN 0.1    /* of the range of the thresholds */
#define CENTROID_MARGIN 0.5 /* of the range of the centroids */

/* Widens a range to hold a number. */
static void include(FeatureRange *range, double number, const char *source)
{
    range->low = isnan(range->low) ? number : fmin(range->low, number);
    range->high = isnan(range->high) ? number : fmax(range->high, number);
    range->source = source;
}

/* Moves both ends outwards by a share of the range; a range of one number by that share of it, or of 1. */
static void widen(FeatureRange *range, double share)
{
    double width = range->high - range->low;

    if (isnan(width))
        return;
    if (width == 0)
        width = range->low != 0 ? fabs(range->low) : 1;
    range->low -= share * width;
    range->high += share * width;
}

/* Returns an array with one row of `columns` numbers per item, or NULL. */
static const double *matrix_of(const Model *model, const char *name, uint32_t columns, uint32_t *rows)
{
    const ModelEntry *entry = model_find(model, name);

    if (entry == NULL || entry->type != ARRAY_F64 || entry->dimensions != 2 || entry->columns != columns)
        return NULL;
    *rows = entry->rows;
    return model_data(model, entry);
}

/* Returns an array of `count` numbers, or NULL. */
static const double *list_of(const Model *model, const char *name, uint32_t count)
{
    const ModelEntry *entry = model_find(model, name);

    return entry != NULL && entry->type == ARRAY_F64 && entry->dimensions == 1 && entry->rows == count ? model_data(model, entry) : NULL;
}

/* Takes the rows that methods of neighbors keep. */
static void from_rows(FeatureRange *ranges, const Model *model, uint32_t slots)
{
    uint32_t rows;
    const double *row = matrix_of(model, "exemplars", slots, &rows), *weights;
    double total = 0;

    if (row == NULL || rows == 0)
        return;
    weights = list_of(model, "weights", rows);
    for (uint32_t s = 0; s < slots; s++)
        ranges[s].typical = 0;
    for (uint32_t i = 0; i < rows; i++, row += slots) {
        double weight = weights != NULL ? weights[i] : 1;

        total += weight;
        for (uint32_t s = 0; s < slots; s++) {
            include(&ranges[s], row[s], "rows");
            ranges[s].typical += (row[s] - ranges[s].typical) * (weight / total);
        }
    }
}

/* Takes the thresholds of trees. */
static void from_trees(Env *env, FeatureRange *ranges, const Model *model, uint32_t slots)
{
    TreeScorer *trees;

    if (!tree_has(model))
        return;
    trees = tree_scorer(env, model);
    for (uint32_t n = 0; n < trees->nodes; n++) {
        const TreeNode *node = &trees->node[n];

        if (node->split != TREE_LEAF && !(node->split & TREE_CATEGORY) && isfinite(node->of.threshold))
            include(&ranges[node->split >> 2], node->of.threshold, "splits");
    }
    for (uint32_t s = 0; s < slots; s++)
        widen(&ranges[s], SPLIT_MARGIN);
}

/* Takes means and factors of standardization. inverse: the scale multiplies differences; else it divides them. */
static void from_scale(FeatureRange *ranges, const double *center, const double *scale, bool inverse, uint32_t slots)
{
    for (uint32_t s = 0; s < slots && center != NULL && scale != NULL; s++) {
        double reach = DEVIATIONS * (inverse ? 1 / scale[s] : scale[s]);

        if (isfinite(reach)) /* a column that does not vary may have scale 0 */
            ranges[s] = (FeatureRange){center[s] - reach, center[s] + reach, center[s], "mean and standard deviation"};
    }
}

/* Takes the normal distributions of classes or components. */
static void from_normals(Env *env, FeatureRange *ranges, const Model *model)
{
    ClassNormals normals;

    if (!class_normals(env, model, &normals))
        return;
    for (uint32_t t = 0; t < normals.terms.count; t++) {
        FeatureRange *range = &ranges[normals.terms.slot != NULL ? normals.terms.slot[t] : t];

        if (normals.terms.level != NULL && normals.terms.level[t] >= 0)
            continue;
        range->typical = 0;
        for (uint32_t i = 0; i < normals.count; i++) {
            double mean = normals.means[(size_t)i * normals.terms.count + t];
            double reach = DEVIATIONS * sqrt(fmax(0, class_normals_covariance(&normals, i, t, t)));

            include(range, mean - reach, "mean and standard deviation");
            include(range, mean + reach, "mean and standard deviation");
            range->typical += mean * (normals.weights != NULL ? normals.weights[i] : 1);
        }
    }
}

/* Takes points that stand for rows; sizes: the weights of their rows, or NULL. */
static void from_centers(FeatureRange *ranges, const double *centers, const double *sizes, uint32_t count, uint32_t slots)
{
    for (uint32_t s = 0; s < slots && centers != NULL; s++) {
        double sum = 0, total = 0;

        for (uint32_t i = 0; i < count; i++) {
            include(&ranges[s], centers[(size_t)i * slots + s], "centers");
            total += sizes != NULL ? sizes[i] : 0;
            sum += sizes != NULL ? sizes[i] * centers[(size_t)i * slots + s] : 0;
        }
        widen(&ranges[s], CENTROID_MARGIN);
        if (total > 0)
            ranges[s].typical = sum / total;
    }
}

/* Takes the ends of a minmax_scaler, whose output lower end + (x - shift) / scale runs over "range". */
static void from_ends(FeatureRange *ranges, const Model *model, uint32_t slots)
{
    const double *shift = list_of(model, "shift", slots), *scale = list_of(model, "scale", slots), *range = list_of(model, "range", 2);

    for (uint32_t s = 0; s < slots && shift != NULL && scale != NULL && range != NULL; s++) {
        include(&ranges[s], shift[s], "ends");
        include(&ranges[s], shift[s] + (range[1] - range[0]) * scale[s], "ends");
    }
}

/* Sets the typical value of numbers from an array of means. */
static void from_means(FeatureRange *ranges, const double *means, uint32_t slots)
{
    for (uint32_t s = 0; s < slots && means != NULL; s++)
        ranges[s].typical = means[s];
}

/* Takes everything that a model whose fields are read from rows keeps of them. */
static void from_model(Env *env, FeatureRange *ranges, const Model *model, uint32_t slots)
{
    bool terms = model_find(model, "column_slot") != NULL;
    uint32_t count = 0;
    const double *centers = matrix_of(model, "centroids", slots, &count);

    if (centers == NULL)
        centers = matrix_of(model, "medoids", slots, &count);
    if (!terms && strcmp(model->estimator, "medoid") != 0)
        from_centers(ranges, centers, list_of(model, "sizes", count), count, slots);
    from_means(ranges, model_find(model, "scale") == NULL && !terms ? list_of(model, "center", slots) : NULL, slots);
    from_scale(ranges, list_of(model, "feature_center", slots), list_of(model, "feature_scale", slots), true, slots);
    if (!terms && model_find(model, "rows") != NULL) /* a kernel method with standardized features */
        from_scale(ranges, list_of(model, "center", slots), list_of(model, "scale", slots), true, slots);
    if (strcmp(model->estimator, "standard_scaler") == 0)
        from_scale(ranges, list_of(model, "shift", slots), list_of(model, "scale", slots), false, slots);
    if (strcmp(model->estimator, "minmax_scaler") == 0)
        from_ends(ranges, model, slots);
    from_normals(env, ranges, model);
    from_trees(env, ranges, model, slots);
    from_rows(ranges, model, slots);
}

FeatureRanges feature_ranges(Env *env, const Model *model)
{
    uint32_t stages;
    const Model *first = pipeline_is(model) ? pipeline_stages(env, model, &stages)[0] : model;
    FeatureRanges out = {.schema = formula_row_schema(env, first)};

    out.count = out.schema->slot_count;
    out.ranges = env_array(env, (size_t)out.count + 1, sizeof(FeatureRange));
    for (uint32_t s = 0; s < out.count; s++)
        out.ranges[s] = (FeatureRange){NAN, NAN, NAN, NULL};
    if (!formula_model_any(first))
        from_model(env, out.ranges, first, out.count);
    from_means(out.ranges, list_of(out.schema, "impute", out.count), out.count);
    for (uint32_t s = 0; s < out.count; s++)
        if (schema_field_kind(out.schema, schema_slot_field(out.schema, s)) == FIELD_CATEGORICAL ||
            schema_field_kind(out.schema, schema_slot_field(out.schema, s)) == FIELD_TEXT)
            out.ranges[s] = (FeatureRange){NAN, NAN, NAN, NULL};
    return out;
}

/* ---- the table ---- */

void *feature_ranges_open(Env *env, const Model *model, uint64_t *rows)
{
    FeatureRanges *reader = env_array(env, 1, sizeof *reader);

    *reader = feature_ranges(env, model);
    *rows = reader->count;
    return reader;
}

static bool range_row(Env *env, const Model *model, void *data, uint64_t i, Cell *cells)
{
    const FeatureRanges *reader = data;
    const FeatureRange *range = &reader->ranges[i];

    cell_string(&cells[0], schema_term_text(env, reader->schema, (uint32_t)i, -1));
    cell_number(&cells[1], range->low);
    cell_number(&cells[2], range->high);
    cell_number(&cells[3], range->typical);
    cell_string(&cells[4], range->source);
    return true;
}

const Table feature_range_table = {.name = "feature_ranges", .open = feature_ranges_open, .row = range_row};
