/*
 * onnx_export.c - writes a model as an ONNX document: its inputs, the stages of a pipeline, and outputs.
 */
#include "core/onnx/onnx_export.h"
#include "core/import/export_check.h"
#include "core/inspection/outputs.h"
#include "core/onnx/onnx_parts.h"
#include "core/prepare/pipeline.h"

#include <math.h>

static const OnnxMethod *find_method(const OnnxWriter *writer, const Model *model)
{
    static const OnnxMethod *const tables[] = {onnx_linear_methods, onnx_kernel_methods, onnx_tree_methods, onnx_normal_methods,
                                               onnx_prepare_methods, onnx_neighbor_methods};
    size_t count = sizeof(tables) / sizeof(tables[0]) - !writer->python; /* neighbors are for Python alone */

    for (size_t i = 0; i < count; i++)
        for (const OnnxMethod *method = tables[i]; method->name != NULL; method++)
            if (strncmp(method->name, model->estimator, sizeof model->estimator) == 0)
                return method;
    onnx_refuse(writer, model, "it has no operators for this method");
}

/* ---- inputs ---- */

/* Returns the positions of a category's texts in the dictionary, -1 for others, in double precision. */
static OnnxValue encode_levels(OnnxWriter *writer, OnnxValue input, uint32_t field)
{
    const Model *schema = writer->schema;
    OnnxAttributes attributes = {.env = writer->env};
    uint32_t levels = dictionary_size(schema, DICTIONARY_LEVELS), count = 0;
    const char **texts = env_array(writer->env, (size_t)levels + 2, sizeof(char *));
    uint32_t *lengths = env_array(writer->env, (size_t)levels + 2, sizeof(uint32_t));
    float *positions = env_array(writer->env, (size_t)levels + 2, sizeof(float)), at_null;
    int null = dictionary_find(schema, DICTIONARY_LEVELS, field, "", 0, true);

    for (uint32_t level = 0; level < levels; level++)
        if (dictionary_field(schema, level) == field && !isinf(dictionary_key(schema, DICTIONARY_LEVELS, level))) {
            texts[count] = dictionary_text(schema, DICTIONARY_LEVELS, level, &lengths[count]);
            positions[count++] = (float)level;
        }
    at_null = null >= 0 ? (float)null : schema->flags & MODEL_IMPUTE ? -1 : NAN;
    if (writer->python) {
        onnx_float(&attributes, "null_float", at_null);
        onnx_integer(&attributes, "strict", (schema->flags & MODEL_UNSEEN_ERROR) != 0);
    } else if (dictionary_find(schema, DICTIONARY_LEVELS, field, "", 0, false) < 0) { /* an empty text stands for NULL, unless it is a level of its own */
        texts[count] = "";
        positions[count++] = at_null;
    }
    onnx_strings(&attributes, "keys_strings", texts, lengths, count);
    onnx_floats(&attributes, "values_floats", positions, count);
    onnx_float(&attributes, "default_float", -1);
    return onnx_cast(writer, ONNX_ML(writer, &attributes, "LabelEncoder", input), ONNX_DOUBLE);
}

/* Replaces NaN by the means of training where the model does so with NULLs. */
static OnnxValue impute(OnnxWriter *writer, OnnxValue row)
{
    const double *means = model_f64(writer->schema, "impute", NULL);

    if ((writer->schema->flags & MODEL_NULL_VALUES) != MODEL_IMPUTE || means == NULL)
        return row;
    return ONNX(writer, "Where", ONNX(writer, "IsNaN", row), onnx_vector(writer, means, writer->schema->slot_count), row);
}

/* Adds the inputs and returns the encoded row. */
static OnnxValue read_row(OnnxWriter *writer)
{
    const Model *schema = writer->schema;
    OnnxValue *fields = env_array(writer->env, (size_t)schema->field_count + 1, sizeof(OnnxValue));

    if (schema->slot_count == 0)
        onnx_refuse(writer, schema, "it reads no features");
    if (schema_named_fields(schema) == 0 && schema_all_numeric(schema))
        return impute(writer, onnx_input(writer, "X", 1, ONNX_DOUBLE, schema->slot_count));
    for (uint32_t f = 0; f < schema->field_count; f++) {
        bool category = schema_field_kind(schema, f) == FIELD_CATEGORICAL;
        TextBuffer name = {.env = writer->env};
        size_t length;
        char *text;

        output_field_name(&name, schema, f);
        text = text_finish(&name, &length);
        fields[f] = onnx_input(writer, text, (uint32_t)length, category ? ONNX_STRING : ONNX_DOUBLE, schema_field_width(schema, f));
        if (category)
            fields[f] = encode_levels(writer, fields[f], f);
    }
    return impute(writer, onnx_concat(writer, fields, schema->field_count));
}

/* ---- the document ---- */

static void require_simple(const OnnxWriter *writer, const Model *model)
{
    const char *obstacle = export_obstacle(writer->env, model);

    if (obstacle != NULL)
        onnx_refuse(writer, model, obstacle);
}

/* Returns the columns of a stage's output that the next stage reads. */
static OnnxValue choose_outputs(OnnxWriter *writer, const PipelineStage *stage, OnnxValue out)
{
    uint32_t slots = stage->model->slot_count;
    bool all = slots == stage[-1].outputs;

    for (uint32_t s = 0; s < slots; s++)
        all = all && stage->source[s] == s;
    return all ? out : onnx_columns(writer, out, stage->source, slots);
}

/* Takes the row through all stages of a pipeline but the last, whose model it returns. */
static const Model *write_stages(OnnxWriter *writer, const Model *model, OnnxValue *row, bool *keeps_nan)
{
    Env *env = writer->env;
    Pipeline *pipeline;

    if (!pipeline_is(model))
        return model;
    pipeline = pipeline_opened(env, model);
    for (uint32_t i = 0; i + 1 < pipeline->count; i++) {
        const Model *stage = pipeline->stages[i].model;
        const OnnxMethod *method = find_method(writer, stage);

        require_simple(writer, stage);
        *keeps_nan = *keeps_nan && method->keeps_nan;
        if (method->transform == NULL)
            onnx_refuse(writer, stage, "it has no operators for its transform");
        *row = choose_outputs(writer, &pipeline->stages[i + 1], method->transform(writer, stage, *row));
    }
    return pipeline->stages[pipeline->count - 1].model;
}

/* Adds the outputs of the last stage. */
static void write_last(OnnxWriter *writer, const Model *last, const OnnxMethod *method, OnnxValue row)
{
    if (method->score != NULL)
        method->score(writer, last, row);
    else
        onnx_numbers(writer, "transformed", method->transform(writer, last, row), scoring_outputs(estimator_of(last)->scoring, last));
}

/* Writes the document and returns the model of the last stage. */
static const Model *write_model(OnnxWriter *writer, const Model *model, TextBuffer *out)
{
    bool keeps_nan = schema_all_numeric(model);
    const OnnxMethod *method;
    const Model *last;
    OnnxValue first, row;

    require_simple(writer, model);
    first = row = read_row(writer);
    last = write_stages(writer, model, &row, &keeps_nan);
    require_simple(writer, last);
    method = find_method(writer, last);
    if ((model->flags & MODEL_IMPUTE) == 0 && !(keeps_nan && method->keeps_nan))
        writer->missing = onnx_zeros(writer, first, model->slot_count, 1);
    write_last(writer, last, method, row);
    onnx_finish(writer, last->estimator, out);
    return last;
}

void onnx_export(Env *env, const Model *model, TextBuffer *out)
{
    write_model(onnx_writer(env, model), model, out);
}

const Model *onnx_export_python(Env *env, const Model *model, TextBuffer *out)
{
    OnnxWriter *writer = onnx_writer(env, model);

    writer->python = true;
    return write_model(writer, model, out);
}
