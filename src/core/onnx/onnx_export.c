/*
 * onnx_export.c - writes a model as an ONNX document: its inputs, the stages of a pipeline or the members of an ensemble, and outputs.
 */
#include "core/onnx/onnx_export.h"
#include "core/ensemble/ensemble.h"
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

/* Tells whether all features are one input, X. */
static bool is_matrix(const Model *schema)
{
    return schema_named_fields(schema) == 0 && schema_all_numeric(schema);
}

/* Returns the name of a feature's input. */
static char *input_name(Env *env, const Model *schema, uint32_t field)
{
    TextBuffer name = {.env = env};

    output_field_name(&name, schema, field);
    return text_finish(&name, NULL);
}

static void add_inputs(OnnxWriter *writer)
{
    const Model *schema = writer->schema;

    if (schema->slot_count == 0)
        onnx_refuse(writer, schema, "it reads no features");
    if (is_matrix(schema)) {
        onnx_input(writer, "X", 1, ONNX_DOUBLE, schema->slot_count);
        return;
    }
    for (uint32_t f = 0; f < schema->field_count; f++) {
        char *name = input_name(writer->env, schema, f);
        bool category = schema_field_kind(schema, f) == FIELD_CATEGORICAL;

        onnx_input(writer, name, (uint32_t)strlen(name), category ? ONNX_STRING : ONNX_DOUBLE, schema_field_width(schema, f));
    }
}

/* Returns the encoded row of the schema, of inputs that have been added. */
static OnnxValue read_row(OnnxWriter *writer)
{
    const Model *schema = writer->schema;
    OnnxValue *fields = env_array(writer->env, (size_t)schema->field_count + 1, sizeof(OnnxValue));

    if (is_matrix(schema))
        return impute(writer, "X");
    for (uint32_t f = 0; f < schema->field_count; f++) {
        fields[f] = input_name(writer->env, schema, f);
        if (schema_field_kind(schema, f) == FIELD_CATEGORICAL)
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

/* Adds the outputs of a model, whose schema is the writer's. Returns that of the last stage. */
static const Model *write_outputs(OnnxWriter *writer, const Model *model)
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
    writer->missing = NULL;
    if ((model->flags & MODEL_IMPUTE) == 0 && (writer->scores != NULL || !(keeps_nan && method->keeps_nan))) /* the vote of a member is no NaN */
        writer->missing = onnx_zeros(writer, first, model->slot_count, 1);
    write_last(writer, last, method, row);
    return last;
}

/* ---- ensembles ---- */

/* Adds what a member of an ensemble says of a row. */
static OnnxScores member_scores(OnnxWriter *writer, const EnsembleMember *member)
{
    const Model *schema = writer->schema;
    OnnxScores scores = {0};

    if ((member->reads->flags & MODEL_UNSEEN_ERROR) != 0)
        onnx_refuse(writer, member->whole, "as a member of an ensemble it has \"unseen\": \"error\"");
    if (strcmp(member->estimator->name, "knn_classifier") == 0)
        onnx_refuse(writer, member->whole, "as a member of an ensemble it may leave a row without a class");
    writer->schema = member->whole;
    writer->scores = &scores;
    write_outputs(writer, member->whole);
    writer->schema = schema;
    writer->scores = NULL;
    scores.missing = writer->missing;
    writer->missing = NULL;
    return scores;
}

/* Returns 1 for the class of a member's label and 0 for others, [N, classes]; NaN for rows without an answer. */
static OnnxValue votes_of(OnnxWriter *writer, const OnnxScores *scores, uint32_t classes)
{
    double *number = env_array(writer->env, classes, sizeof(double));
    int64_t column[2] = {-1, 1};
    OnnxValue votes;

    for (uint32_t c = 0; c < classes; c++)
        number[c] = c;
    votes = ONNX(writer, "Reshape", onnx_cast(writer, scores->label, ONNX_DOUBLE), onnx_int_vector(writer, column, 2));
    votes = onnx_cast(writer, ONNX(writer, "Equal", votes, onnx_vector(writer, number, classes)), ONNX_DOUBLE);
    return scores->missing != NULL ? ONNX(writer, "Add", votes, scores->missing) : votes;
}

static void write_ensemble(OnnxWriter *writer, const Model *model)
{
    EnsembleView view;
    OnnxValue sum = NULL, total;
    const char *wrong = ensemble_open(writer->env, model, &view);

    if (wrong != NULL)
        env_fail(writer->env, ERROR_CORRUPT, NULL, "%s", wrong);
    require_simple(writer, model);
    for (uint32_t i = 0; i < view.count; i++) {
        OnnxScores scores = member_scores(writer, &view.members[i]);
        OnnxValue part = view.classes == 0 ? scores.prediction : view.vote ? votes_of(writer, &scores, view.classes) : scores.probabilities;

        if (part == NULL)
            onnx_refuse(writer, view.members[i].whole, "as a member of an ensemble it has no probabilities");
        part = onnx_times(writer, part, view.members[i].weight);
        sum = sum == NULL ? part : ONNX(writer, "Add", sum, part);
    }
    if (view.classes == 0) {
        onnx_prediction(writer, sum);
        return;
    }
    total = onnx_reduce(writer, "ReduceSum", sum); /* of probabilities as well it is the sum of the weights */
    sum = ONNX(writer, "Div", sum, total);
    onnx_label(writer, model, onnx_largest(writer, sum), "probabilities", sum);
}

/* Writes the document and returns the model of the last stage. */
static const Model *write_model(OnnxWriter *writer, const Model *model, TextBuffer *out)
{
    const Model *last = model;

    add_inputs(writer);
    if (strncmp(model->estimator, "ensemble", 8) == 0)
        write_ensemble(writer, model);
    else
        last = write_outputs(writer, model);
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
