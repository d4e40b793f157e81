/*
 * feature_summary_json.c - summaries of features as JSON, and inside a model.
 *
 *     {"rows": 3, "features": [{"name": "a", "nulls": 0, "mean": 2, "m2": 2, "shift": 0, "edges": [1, 2, 3], "counts": [1, 1, 1]},
 *                              {"name": "c", "nulls": 1, "levels": ["x", "y"], "counts": [1, 1]}]}
 *
 * edges are the lowest values of the buckets. mean and m2 are null where they overflow.
 */
#include "core/base/json.h"
#include "core/drift/feature_summary.h"

#include <math.h>
#include <string.h>

/* ---- writing ---- */

static void write_double(TextBuffer *out, double value)
{
    if (isfinite(value))
        json_double(out, value);
    else
        text_add(out, "null");
}

static void write_counts(TextBuffer *out, const FeatureSummary *feature)
{
    text_add(out, ",\"counts\":[");
    for (uint32_t i = 0; i < (feature->levels ? feature->level_count : feature->used); i++) {
        if (i > 0)
            text_character(out, ',');
        json_int(out, (int64_t)(feature->levels ? feature->level[i].count : feature->counts[i]));
    }
    text_add(out, "]}");
}

static void write_feature(TextBuffer *out, const FeatureSummary *feature)
{
    text_add(out, "{\"name\":");
    json_quote(out, feature->name, strlen(feature->name));
    text_add(out, ",\"nulls\":");
    json_int(out, (int64_t)feature->nulls);
    if (feature->levels) {
        text_add(out, ",\"levels\":[");
        for (uint32_t i = 0; i < feature->level_count; i++) {
            if (i > 0)
                text_character(out, ',');
            json_quote(out, feature->level[i].bytes, feature->level[i].length);
        }
    } else {
        text_add(out, ",\"mean\":");
        write_double(out, feature->mean);
        text_add(out, ",\"m2\":");
        write_double(out, feature->m2);
        text_print(out, ",\"shift\":%u,\"edges\":[", feature->shift);
        for (uint32_t i = 0; i < feature->used; i++) {
            if (i > 0)
                text_character(out, ',');
            json_double(out, summary_edge(feature, i));
        }
    }
    text_character(out, ']');
    write_counts(out, feature);
}

char *summary_text(RowSummary *summary, size_t *length)
{
    TextBuffer out = {.env = summary->env};

    summary_finish(summary);
    text_add(&out, "{\"rows\":");
    json_int(&out, (int64_t)summary->rows);
    text_add(&out, ",\"features\":[");
    for (uint32_t i = 0; i < summary->count; i++) {
        if (i > 0)
            text_character(&out, ',');
        write_feature(&out, &summary->features[i]);
    }
    text_add(&out, "]}");
    return text_finish(&out, length);
}

/* ---- reading ---- */

/* Reads a count of at most `most`. */
static bool read_count(const Json *value, uint64_t most, uint64_t *count)
{
    int64_t number;

    if (value == NULL || value->type != JSON_NUMBER || !json_integer(value, &number) || number < 0 || (uint64_t)number > most)
        return false;
    *count = (uint64_t)number;
    return true;
}

static bool is_array(const Json *value)
{
    return value != NULL && value->type == JSON_ARRAY;
}

/* Reads counts above zero, whose sum becomes the count of the feature. Returns what is wrong, or NULL. */
static const char *read_counts(const Json *counts, FeatureSummary *feature, uint64_t rows, uint32_t wanted)
{
    uint32_t i = 0;

    if (!is_array(counts) || counts->length != wanted)
        return "counts are not one per bucket or level";
    for (const Json *value = json_first(counts); value != NULL; value = json_next(counts, value), i++) {
        uint64_t count;

        if (!read_count(value, rows - feature->nulls - feature->count, &count) || count == 0)
            return "a count is not a number from 1 to the rows that are left";
        feature->count += count;
        if (feature->levels)
            feature->level[i].count = count;
        else
            feature->counts[i] = count;
    }
    return feature->count == rows - feature->nulls ? NULL : "counts and nulls do not add up to the rows";
}

/* Reads a finite number, NaN for null. */
static bool read_double(Env *env, const Json *value, double *number)
{
    *number = NAN;
    if (value != NULL && value->type == JSON_NULL)
        return true;
    if (value == NULL || value->type != JSON_NUMBER)
        return false;
    *number = json_number(env, value);
    return isfinite(*number);
}

static const char *read_edges(Env *env, const Json *edges, FeatureSummary *feature)
{
    uint32_t i = 0;

    feature->keys = env_array(env, edges->length, sizeof(uint64_t));
    feature->counts = env_array(env, edges->length, sizeof(uint64_t));
    feature->room = feature->used = edges->length;
    for (const Json *value = json_first(edges); value != NULL; value = json_next(edges, value), i++) {
        double edge;

        if (value->type != JSON_NUMBER || !read_double(env, value, &edge))
            return "an edge is not a finite number";
        feature->keys[i] = summary_key(edge, feature->shift);
        if (summary_edge(feature, i) != edge)
            return "an edge is not that of a bucket";
        if (i > 0 && feature->keys[i] <= feature->keys[i - 1])
            return "edges do not ascend";
        env_poll_every(env, i, 65536);
    }
    return NULL;
}

static const char *read_numbers(Env *env, const Json *object, FeatureSummary *feature, uint64_t rows)
{
    const Json *edges = json_get(object, "edges");
    uint64_t shift;
    const char *wrong;

    if (!read_double(env, json_get(object, "mean"), &feature->mean) || !read_double(env, json_get(object, "m2"), &feature->m2))
        return "mean or m2 is not a number";
    if (feature->m2 < 0)
        return "m2 is below zero";
    if (!read_count(json_get(object, "shift"), SUMMARY_SHIFT_MOST, &shift))
        return "shift is not an integer from 0 to 51";
    feature->shift = (unsigned)shift;
    if (!is_array(edges) || (edges->length > SUMMARY_BUCKETS && shift < SUMMARY_SHIFT_MOST))
        return "edges are not an array of at most 1024 numbers";
    wrong = read_edges(env, edges, feature);
    return wrong != NULL ? wrong : read_counts(json_get(object, "counts"), feature, rows, edges->length);
}

static const char *read_levels(Env *env, const Json *object, FeatureSummary *feature, uint64_t rows)
{
    const Json *levels = json_get(object, "levels");

    if (!is_array(levels) || levels->length > SUMMARY_LEVELS)
        return "levels are not an array of at most 10000 strings";
    for (const Json *value = json_first(levels); value != NULL; value = json_next(levels, value)) {
        if (value->type != JSON_STRING)
            return "a level is not a string";
        summary_add_level(env, feature, value->text, value->length);
    }
    if (feature->level_count != levels->length)
        return "two levels are the same";
    return read_counts(json_get(object, "counts"), feature, rows, levels->length);
}

static const char *read_features(RowSummary *summary, const Json *list)
{
    uint32_t i = 0;

    for (const Json *object = json_first(list); object != NULL; object = json_next(list, object), i++) {
        FeatureSummary *feature = &summary->features[i];
        const char *wrong;

        if (!read_count(json_get(object, "nulls"), summary->rows, &feature->nulls))
            return "nulls are not a number up to the rows";
        wrong = feature->levels ? read_levels(summary->env, object, feature, summary->rows)
                                : read_numbers(summary->env, object, feature, summary->rows);
        if (wrong != NULL)
            return env_message(summary->env, "feature %u: %s", i + 1, wrong);
    }
    return NULL;
}

/* Reads a finished summary. Returns NULL, and what is wrong in *message. */
static RowSummary *summary_try_read(Env *env, const char *text, size_t length, const char **message)
{
    const Json *root = json_try_parse(env, text, length, message), *list;
    RowSummary *summary;
    const char **names;
    bool *levels;
    uint64_t rows;
    uint32_t i = 0;

    if (root == NULL)
        return NULL;
    list = root->type == JSON_OBJECT ? json_get(root, "features") : NULL;
    *message = "it is not an object with rows and features";
    if (!is_array(list) || list->length > SUMMARY_FEATURES || !read_count(json_get(root, "rows"), (uint64_t)MODEL_MAX_ROWS, &rows))
        return NULL;
    names = env_array(env, list->length, sizeof *names);
    levels = env_array(env, list->length, sizeof *levels);
    for (const Json *object = json_first(list); object != NULL; object = json_next(list, object), i++) {
        const Json *name = object->type == JSON_OBJECT ? json_get(object, "name") : NULL;

        if (name == NULL || name->type != JSON_STRING) {
            *message = env_message(env, "feature %u is not an object with a name", i + 1);
            return NULL;
        }
        names[i] = json_string(env, name);
        levels[i] = json_get(object, "levels") != NULL;
    }
    summary = summary_new(env, list->length, names, levels);
    summary->rows = rows;
    *message = read_features(summary, list);
    if (*message != NULL)
        return NULL;
    summary_finish(summary);
    return summary;
}

RowSummary *summary_read(Env *env, const char *text, size_t length, ErrorCode code)
{
    const char *message = NULL;
    RowSummary *summary = summary_try_read(env, text, length, &message);

    if (summary == NULL)
        env_fail(env, code, "Pass what pgfit.feature_summary returns.", "malformed feature summary: %s", message);
    return summary;
}

/* ---- inside a model ---- */

static bool is_not_summary(const ModelEntry *entry)
{
    return strcmp(entry->name, SUMMARY_ARRAY) != 0;
}

bool model_has_summary(const Model *model)
{
    return model_find(model, SUMMARY_ARRAY) != NULL;
}

/* Returns a builder of the model without its summary. */
static ModelBuilder *without_summary(Env *env, const Model *model)
{
    ModelBuilder *builder = builder_from(env, model, is_not_summary);

    builder_header(builder)->fingerprint = 0;
    return builder;
}

Model *model_without_summary(Env *env, const Model *model)
{
    return model_build(without_summary(env, model));
}

Model *model_with_summary(Env *env, const Model *model, RowSummary *summary)
{
    ModelBuilder *builder;
    size_t length;
    char *text;

    if (model->kind != MODEL_FITTED)
        env_fail(env, ERROR_KIND, "Pass a fitted model.", "moments keep no feature summary");
    builder = without_summary(env, model);
    text = summary_text(summary, &length);
    builder_string(builder, SECTION_ARRAYS, SUMMARY_ARRAY, text, length);
    return model_build(builder);
}

static RowSummary *try_model_summary(Env *env, const Model *model, const char **message)
{
    const ModelEntry *entry = model_find(model, SUMMARY_ARRAY);
    uint32_t length;
    const char *text;

    *message = "it is not one string of JSON";
    if (entry->section != SECTION_ARRAYS || entry->type != ARRAY_TEXT || entry->rows != 1)
        return NULL;
    text = model_text(model, entry, 0, &length);
    return summary_try_read(env, text, length, message);
}

RowSummary *model_summary(Env *env, const Model *model)
{
    const char *message;
    RowSummary *summary;

    if (!model_has_summary(model))
        env_fail(env, ERROR_KIND, "pgfit.train keeps one, and pgfit.fit with {\"summary\": true}. Add it to another model: pgfit.with_summary(model, summary), where pgfit.feature_summary makes the "
                 "summary of the training rows.",
                 "this %.31s model keeps no summary of its training rows", model->kind == MODEL_FITTED ? model->estimator : "moments");
    summary = try_model_summary(env, model, &message);
    if (summary == NULL)
        env_fail(env, ERROR_CORRUPT, NULL, "the training summary of a model is damaged: %s", message);
    return summary;
}

Model *model_merge_summaries(Env *env, Model *merged, const Model *a, const Model *b)
{
    RowSummary *summary;

    if (!model_has_summary(a) || !model_has_summary(b))
        return merged;
    summary = model_summary(env, a);
    summary_merge(summary, model_summary(env, b));
    return model_with_summary(env, merged, summary);
}

const char *model_summary_check(Env *env, const Model *model)
{
    const char *message;

    if (model->kind == MODEL_FITTED && try_model_summary(env, model, &message) != NULL)
        return NULL;
    return model->kind != MODEL_FITTED ? "moments keep no feature summary" : env_message(env, "training summary: %s", message);
}
