/*
 * pmml_export.c - writes a model as a document of PMML 4.4 (https://dmg.org/pmml/v4-4-1/GeneralStructure.html): its fields, what the stages of a
 * pipeline derive from them, and the model of the last stage.
 */
#include "core/pmml/pmml_export.h"
#include "core/import/export_check.h"
#include "core/pmml/pmml_write.h"
#include "core/prepare/pipeline.h"

/* Tells whether a name is that of a field. */
static bool is_field(PmmlWriter *writer, const char *name)
{
    for (uint32_t f = 0; f < writer->schema->field_count; f++) {
        env_poll_every(writer->env, f + 1, 64);
        if (strcmp(pmml_field_name(writer->env, writer->schema, f), name) == 0)
            return true;
    }
    return false;
}

static void put_fields(PmmlWriter *writer, TextBuffer *out)
{
    Env *env = writer->env;
    const Model *schema = writer->schema;
    uint32_t classes = dictionary_size(writer->model, DICTIONARY_CLASSES), levels = dictionary_size(schema, DICTIONARY_LEVELS);

    text_print(out, "  <DataDictionary numberOfFields=\"%u\">\n", schema->field_count + (writer->target != NULL));
    for (uint32_t f = 0, level = 0; f < schema->field_count; f++) {
        bool category = schema_field_kind(schema, f) == FIELD_CATEGORICAL;

        env->poll(env);
        text_add(out, "    <DataField");
        pmml_put_text(out, "name", pmml_field_name(env, schema, f));
        text_print(out, " optype=\"%s\" dataType=\"%s\"%s>\n", category ? "categorical" : "continuous", category ? "string" : "double", category ? "" : "/");
        for (; category && level < levels && dictionary_field(schema, level) == f; level++) {
            text_add(out, "      <Value");
            pmml_put_text(out, "value", pmml_dictionary_text(writer, DICTIONARY_LEVELS, level));
            text_add(out, "/>\n");
        }
        if (category)
            text_add(out, "    </DataField>\n");
    }
    if (writer->target != NULL) {
        text_add(out, "    <DataField");
        pmml_put_text(out, "name", writer->target);
        text_print(out, " optype=\"%s\" dataType=\"%s\"%s>\n", classes > 0 ? "categorical" : "continuous", classes > 0 ? "string" : "double", classes > 0 ? "" : "/");
        for (uint32_t c = 0; c < classes; c++) {
            text_add(out, "      <Value");
            pmml_put_text(out, "value", pmml_dictionary_text(writer, DICTIONARY_CLASSES, c));
            text_add(out, "/>\n");
        }
        if (classes > 0)
            text_add(out, "    </DataField>\n");
    }
    text_add(out, "  </DataDictionary>\n");
}

/* ---- stages ---- */

static void require_simple(Env *env, const Model *model)
{
    const char *obstacle = export_obstacle(env, model);

    if (obstacle != NULL)
        pmml_refuse(env, model, obstacle);
}

/* Takes the row through a scaler. */
static PmmlSource *scale_stage(PmmlWriter *writer, const Model *stage)
{
    const double *shift = model_f64(stage, "shift", NULL), *scale = model_f64(stage, "scale", NULL), *range = model_f64(stage, "range", NULL);
    const ModelEntry *clip = model_find(stage, "clip");
    PmmlSource *out = env_array(writer->env, (size_t)stage->slot_count + 1, sizeof(PmmlSource));

    if ((clip != NULL && model_number(stage, clip, 0) != 0) || (range != NULL && range[0] != 0))
        pmml_refuse(writer->env, stage, "it clips numbers, or its range does not begin at 0");
    for (uint32_t s = 0; s < stage->slot_count; s++) {
        env_poll_every(writer->env, s + 1, 256);
        out[s].name = pmml_derive_scaled(writer, writer->slot[s].name, shift[s], scale[s]);
    }
    return out;
}

static PmmlSource *one_hot_stage(PmmlWriter *writer, const Model *stage)
{
    Env *env = writer->env;
    uint32_t count = stage->slot_count;
    const int64_t *slot = model_i64(stage, "column_slot", NULL), *level = model_i64(stage, "column_level", NULL);
    PmmlSource *out;

    if (slot == NULL)
        return writer->slot;
    model_i64(stage, "column_slot", &count);
    out = env_array(env, (size_t)count + 1, sizeof(PmmlSource));
    for (uint32_t c = 0; c < count; c++) {
        env_poll_every(env, c + 1, 256);
        out[c].name = level[c] < 0 ? writer->slot[slot[c]].name : pmml_derive_level(writer, writer->slot[slot[c]].name, (uint32_t)level[c]);
    }
    return out;
}

static PmmlSource *write_stage(PmmlWriter *writer, const Model *stage)
{
    static const char *const scalers[] = {"standard_scaler", "minmax_scaler", "robust_scaler"};

    for (size_t i = 0; i < sizeof(scalers) / sizeof(scalers[0]); i++)
        if (strncmp(stage->estimator, scalers[i], sizeof stage->estimator) == 0)
            return scale_stage(writer, stage);
    if (strncmp(stage->estimator, "one_hot", sizeof stage->estimator) == 0)
        return one_hot_stage(writer, stage);
    pmml_refuse(writer->env, stage, "scalers and one_hot are what it can be derived by");
}

/* Takes the row through all stages of a pipeline but the last. */
static void write_stages(PmmlWriter *writer, const Model *model)
{
    Env *env = writer->env;
    Pipeline *pipeline;

    writer->model = model;
    if (!pipeline_is(model))
        return;
    pipeline = pipeline_opened(env, model);
    for (uint32_t i = 0; i + 1 < pipeline->count; i++) {
        const PipelineStage *next = &pipeline->stages[i + 1];
        PmmlSource *made, *chosen = env_array(env, (size_t)next->model->slot_count + 1, sizeof(PmmlSource));

        require_simple(env, pipeline->stages[i].model);
        made = write_stage(writer, pipeline->stages[i].model);
        for (uint32_t s = 0; s < next->model->slot_count; s++)
            chosen[s] = made[next->source[s]];
        writer->slot = chosen;
        writer->model = next->model;
    }
    require_simple(env, writer->model);
}

/* ---- the document ---- */

/* Names the fields of the row. */
static void open_fields(PmmlWriter *writer)
{
    const Model *schema = writer->schema;

    writer->slot = env_array(writer->env, (size_t)schema->slot_count + 1, sizeof(PmmlSource));
    if (schema->slot_count == 0)
        pmml_refuse(writer->env, schema, "it reads no features");
    for (uint32_t f = 0; f < schema->field_count; f++) {
        FieldKind kind = schema_field_kind(schema, f);

        writer->env->poll(writer->env);
        if (schema_field_width(schema, f) != 1)
            pmml_refuse(writer->env, schema, env_message(writer->env, "its feature %.60s is an array", pmml_field_name(writer->env, schema, f)));
        if (kind != FIELD_NUMERIC && kind != FIELD_BOOLEAN && kind != FIELD_CATEGORICAL)
            pmml_refuse(writer->env, schema, env_message(writer->env, "its feature %.60s is a %s", pmml_field_name(writer->env, schema, f), field_kind_name(kind)));
        writer->slot[f] = (PmmlSource){pmml_field_name(writer->env, schema, f), kind == FIELD_CATEGORICAL};
    }
}

/* Names the target: as in the fit, if no feature has that name. */
static const char *target_name(PmmlWriter *writer)
{
    char *name = model_string(writer->env, writer->model, model_find(writer->model, "target_name"));

    if (name == NULL || name[0] == 0 || is_field(writer, name))
        name = env_text(writer->env, "target", 6);
    while (is_field(writer, name)) {
        TextBuffer longer = {.env = writer->env};

        text_print(&longer, "%s_", name);
        name = text_finish(&longer, NULL);
    }
    return name;
}

static const PmmlMethod *find_method(Env *env, const Model *model)
{
    static const PmmlMethod *const tables[] = {pmml_linear_methods, pmml_tree_methods, pmml_other_methods};

    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
        for (const PmmlMethod *method = tables[i]; method->name != NULL; method++)
            if (strncmp(method->name, model->estimator, sizeof model->estimator) == 0)
                return method;
    pmml_refuse(env, model, "there is no element for this method");
}

void pmml_export(Env *env, const Model *model, TextBuffer *out)
{
    TextBuffer body = {.env = env};
    PmmlWriter writer = {.env = env, .schema = model, .out = &body, .derived = {.env = env}};
    const PmmlMethod *method;

    if (model->kind != MODEL_FITTED)
        env_fail(env, ERROR_KIND, "Fit a model from them first.", "moments cannot be written as PMML");
    require_simple(env, model);
    open_fields(&writer);
    write_stages(&writer, model);
    method = find_method(env, writer.model);
    if (estimator_of(writer.model)->task != TASK_CLUSTERING)
        writer.target = target_name(&writer);
    method->write(&writer);
    text_add(out, "<?xml version=\"1.0\"?>\n<PMML xmlns=\"http://www.dmg.org/PMML-4_4\" version=\"4.4\">\n");
    text_add(out, "  <Header><Application name=\"pgfit\"/></Header>\n");
    put_fields(&writer, out);
    text_bytes(out, body.text, body.length);
    text_add(out, "</PMML>\n");
}
