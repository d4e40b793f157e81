/*
 * cluster_start.c - the first model of passes over all rows, from a fit to some of them (Bradley & Fayyad 1998).
 */
#include "core/kmeans/cluster_start.h"
#include "core/rows/row_scale.h"

#include <string.h>

/* Tells whether the start keeps an entry of the model. */
static bool is_kept(const ModelEntry *entry)
{
    static const char *const replaced[] = {"impute",  "feature_center",       "feature_scale",     "options", "iterations", "converged",
                                           "history", "distance_evaluations", "start_evaluations", NULL};

    return !model_entry_is_any(entry, replaced);
}

/* Returns the scale by which the scaler standardizes. */
static RowScale scale_of(Env *env, const Model *scaler)
{
    RowScale scale = row_scale_new(env, scaler->slot_count);
    uint32_t length;
    const double *shift = model_f64(scaler, "shift", &length), *deviation = model_f64(scaler, "scale", &length);

    for (uint32_t j = 0; j < scale.columns; j++) {
        scale.center[j] = shift[j];
        scale.scale[j] = 1 / deviation[j];
    }
    return scale;
}

Model *cluster_start(Env *env, const Model *model, const Model *scaler, const Options *options)
{
    ModelBuilder *builder = builder_from(env, model, is_kept);
    const char *difference = schema_difference(env, model, scaler), *json;
    const double *impute;
    uint32_t length;
    RowScale scale;
    Model *header;

    if (difference != NULL)
        env_fail(env, ERROR_PARAMETER, NULL, "the model to start from does not fit the rows: %s", difference);
    header = builder_header(builder);
    header->rows = scaler->rows;
    header->skipped = scaler->skipped;
    header->weight = scaler->weight;
    impute = model_f64(scaler, "impute", &length);
    if (impute != NULL)
        builder_f64(builder, SECTION_SCHEMA, "impute", impute, length);
    json = options_used_json(options, &length);
    builder_options(builder, json, length);
    builder_fact_i64(builder, "iterations", 0);
    builder_fact_bool(builder, "converged", false);
    if (standardize_wanted(options)) {
        scale = scale_of(env, scaler);
        row_scale_write(builder, &scale);
    }
    return model_require_readable(env, model_build(builder));
}
