/*
 * python_write.c - writes a model as a module of Python: the graph of its ONNX document as constants and steps, behind an interpreter of
 * the operators (python_runtime.c), so that a method is described once.
 *
 * Nothing of a model is written but numbers and literals of ASCII letters, in which anything else is an escape: no name can end its literal
 * or be read as a program.
 */
#include "core/exchange/python.h"
#include "core/estimator/class_options.h"
#include "core/estimator/shared_options.h"
#include "core/inspection/outputs.h"
#include "core/onnx/onnx_export.h"
#include "core/onnx/onnx_read.h"

#include <math.h>
#include <string.h>

#ifndef PGFIT_VERSION
#define PGFIT_VERSION "" /* tests of the core */
#endif

/* ---- literals ---- */

/* Returns the character at the head of valid UTF-8 [length > 0], and how many bytes it has. */
static uint32_t first_character(const uint8_t *text, size_t length, size_t *bytes)
{
    uint32_t lead = text[0], character;

    *bytes = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (*bytes > length)
        *bytes = 1;
    character = *bytes == 1 ? lead : lead & (0xffu >> (*bytes + 1));
    for (size_t i = 1; i < *bytes; i++)
        character = character << 6 | (text[i] & 0x3f);
    return character;
}

/* Adds a text as a literal. Fails with ERROR_KIND for a text of another encoding than UTF-8 that is not ASCII. */
static void put_text(TextBuffer *out, const char *text, size_t length)
{
    text_character(out, '\'');
    for (size_t i = 0, bytes; i < length; i += bytes) {
        uint32_t c = first_character((const uint8_t *)text + i, length - i, &bytes);

        if (c > 0x7f && out->env->foreign_text)
            env_fail(out->env, ERROR_KIND, "Export the model from a database in UTF-8, or rename the feature or class.",
                     "a Python module has texts in UTF-8, and \"%.*s\" is in another encoding", (int)(length < 40 ? length : 40), text);
        if (c == '\'' || c == '\\')
            text_print(out, "\\%c", (char)c);
        else if (c >= 0x20 && c < 0x7f)
            text_character(out, (char)c);
        else
            text_print(out, c < 0x100 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%08x", c);
    }
    text_character(out, '\'');
}

static void put_string(TextBuffer *out, const char *string)
{
    put_text(out, string, strlen(string));
}

static void put_number(TextBuffer *out, double number, bool whole)
{
    if (isnan(number))
        text_add(out, "nan");
    else if (isinf(number))
        text_add(out, number > 0 ? "inf" : "-inf");
    else if (whole)
        text_print(out, "%lld", (long long)number);
    else
        json_double(out, number);
}

/* Adds an array: its numbers in a text, which Python reads faster than a list, and its shape. */
static void put_numbers(TextBuffer *out, const double *numbers, size_t count, bool whole, const uint32_t *sizes, uint32_t dimensions)
{
    text_add(out, whole ? "_integers('" : "_numbers('");
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            text_character(out, ' ');
        put_number(out, numbers[i], whole);
        env_poll_rows(out->env, i);
    }
    text_character(out, '\'');
    for (uint32_t d = 0; d < dimensions; d++)
        text_print(out, ", %u", sizes[d]);
    text_character(out, ')');
}

static void put_strings(TextBuffer *out, const char *const *strings, size_t count)
{
    text_character(out, '(');
    for (size_t i = 0; i < count; i++) {
        put_string(out, strings[i]);
        text_add(out, ", ");
        env_poll_rows(out->env, i);
    }
    text_character(out, ')');
}

/* ---- the head ---- */

/* Returns what the module calls a kind of feature. */
static const char *kind_name(FieldKind kind)
{
    return kind == FIELD_CATEGORICAL                                    ? "text"
           : kind == FIELD_DATE                                         ? "date"
           : kind == FIELD_TIMESTAMP || kind == FIELD_TIMESTAMPTZ ? "timestamp"
                                                                        : "number";
}

/* Adds the names of the features; inputs: with their kinds and widths, as the graph has them. */
static void put_features(TextBuffer *out, const Model *model, bool inputs)
{
    text_character(out, '(');
    if (inputs && schema_named_fields(model) == 0 && schema_all_numeric(model)) {
        text_print(out, "('X', 'number', %u),)", model->slot_count);
        return;
    }
    for (uint32_t f = 0; f < model->field_count; f++) {
        TextBuffer name = {.env = out->env};

        output_field_name(&name, model, f);
        text_add(out, inputs ? "(" : "");
        put_text(out, name.text, name.length);
        if (inputs)
            text_print(out, ", '%s', %u)", kind_name(schema_field_kind(model, f)), schema_field_width(model, f));
        text_add(out, ", ");
    }
    text_character(out, ')');
}

/* Tells whether a label is an integer as Python writes it, so that it stands for itself. */
static bool is_integer(const char *label)
{
    const char *digits = label + (label[0] == '-');
    size_t length = strlen(digits);

    return length > 0 && length < 20 && strspn(digits, "0123456789") == length && (digits[0] != '0' || (length == 1 && digits == label));
}

/* Adds the labels that a position in the output label stands for: numbers, booleans or texts. */
static void put_classes(TextBuffer *out, const Model *last)
{
    Env *env = out->env;
    uint32_t classes = dictionary_size(last, DICTIONARY_CLASSES);
    const ModelEntry *entry = model_find(last, "class_type");
    const char *type = entry != NULL ? model_string(env, last, entry) : "";
    bool whole = onnx_integer_type(type), boolean = strcmp(type, "boolean") == 0;

    if (classes == 0 && estimator_of(last)->task == TASK_OUTLIERS) {
        put_strings(out, outlier_labels, 2);
        return;
    }
    text_character(out, '(');
    for (uint32_t k = 0; k < classes; k++) {
        const char *label = class_string(env, last, k);

        if (whole && is_integer(label))
            text_add(out, label);
        else if (boolean && (strcmp(label, "true") == 0 || strcmp(label, "false") == 0))
            text_add(out, label[0] == 't' ? "True" : "False");
        else
            put_string(out, label);
        text_add(out, ", ");
    }
    text_character(out, ')');
}

static void put_head(TextBuffer *out, const Model *model, const Model *last)
{
    const ModelEntry *imported = model_find(model, "imported");

    text_add(out, "\"\"\"A model of pgfit, the extension of PostgreSQL. It needs numpy.\"\"\"\n"
                  "import datetime\nimport functools\nimport math\nfrom collections.abc import Mapping\n\nimport numpy as np\n\nMETHOD = ");
    put_text(out, model->estimator, strnlen(model->estimator, sizeof model->estimator));
    text_add(out, "\nVERSION = ");
    put_string(out, PGFIT_VERSION);
    text_add(out, "\nORIGIN = ");
    put_string(out, imported != NULL ? model_string(out->env, model, imported) : "pgfit");
    text_add(out, "\nFEATURES = ");
    put_features(out, model, false);
    text_add(out, "\nCLASSES = ");
    put_classes(out, last);
    text_print(out, "\n\n_NAMED = %s\n_NULLS_ARE_ERRORS = %s\n_INPUTS = ", schema_named_fields(model) > 0 ? "True" : "False",
               (model->flags & MODEL_NULL_VALUES) == MODEL_NULL_ERROR ? "True" : "False");
    put_features(out, model, true);
    text_character(out, '\n');
}

/* ---- the graph ---- */

static void put_tensor(TextBuffer *out, const OnnxTensor *tensor)
{
    put_numbers(out, tensor->numbers, tensor->count, tensor->type == ONNX_INT64 || tensor->type == ONNX_BOOL, tensor->size, tensor->dimensions);
    if (tensor->type == ONNX_BOOL)
        text_add(out, " != 0");
}

static void put_attribute(TextBuffer *out, const OnnxAttribute *attribute)
{
    size_t length = strlen(attribute->name), tensor = length > 10 && strcmp(attribute->name + length - 10, "_as_tensor") == 0 ? 10 : 0;

    if (strcmp(attribute->name, "nodes_modes") == 0) /* follows from the children */
        return;
    text_print(out, ", %.*s=", (int)(length - tensor), attribute->name);
    if (attribute->tensor != NULL)
        put_tensor(out, attribute->tensor);
    else if (attribute->type == ONNX_IS_STRINGS)
        put_strings(out, attribute->texts, attribute->count);
    else if (attribute->type == ONNX_IS_INTEGERS || attribute->type == ONNX_IS_FLOATS)
        put_numbers(out, attribute->numbers, attribute->count, attribute->type == ONNX_IS_INTEGERS, &attribute->count, 1);
    else
        put_number(out, attribute->number, attribute->type == ONNX_IS_INTEGER);
}

static void put_node(TextBuffer *out, const OnnxNode *node)
{
    text_print(out, "_step('%s', ", node->operator);
    put_string(out, node->output[0]);
    text_add(out, ", ");
    put_strings(out, node->input, node->inputs);
    for (uint32_t a = 0; a < node->attributes; a++)
        put_attribute(out, &node->attribute[a]);
    text_add(out, ")\n");
}

static void put_graph(TextBuffer *out, const OnnxDocument *document)
{
    text_character(out, '\n');
    text_add(out, "nan, inf = float('nan'), float('inf')\n");
    for (uint32_t c = 0; c < document->constants; c++) {
        text_add(out, "_CONSTANTS[");
        put_string(out, document->constant[c].name);
        text_add(out, "] = ");
        put_tensor(out, &document->constant[c]);
        text_character(out, '\n');
    }
    for (uint32_t n = 0; n < document->nodes; n++)
        put_node(out, &document->node[n]);
}

/* ---- the functions ---- */

/* Returns the output of this name, behind which stands _ where a feature has it; NULL: there is none. */
static const char *find_output(const OnnxDocument *document, const char *name)
{
    size_t length = strlen(name);

    for (uint32_t i = 0; i < document->outputs; i++) {
        const char *output = document->output[i].name;

        if (strncmp(output, name, length) == 0 && strspn(output + length, "_") == strlen(output + length))
            return output;
    }
    return NULL;
}

/* Adds a function that returns an output, or with `shape` something made of it. */
static void put_function(TextBuffer *out, const char *name, const char *help, const char *output, const char *shape)
{
    if (output == NULL)
        return;
    text_print(out, "\n\ndef %s(X, columns=None):\n    \"\"\"%s\"\"\"\n    return _compute(X, columns, ", name, help);
    put_string(out, output);
    text_print(out, ")[0]%s\n", shape);
}

/* Returns what takes the only column of an output from its matrix. */
static const char *flat(const OnnxDocument *document, const char *output)
{
    for (uint32_t i = 0; output != NULL && i < document->outputs; i++)
        if (document->output[i].name == output && document->output[i].columns == 1)
            return "[:, 0]";
    return "";
}

static void put_label(TextBuffer *out, const OnnxDocument *document, bool clusters)
{
    const char *label = find_output(document, "label"), *scores = find_output(document, "decision");

    if (label == NULL)
        return;
    if (scores == NULL)
        scores = find_output(document, "probabilities");
    if (scores == NULL)
        scores = find_output(document, "scores");
    text_print(out, "\n\ndef predict(X, columns=None):\n    \"\"\"Returns the %s of each row; None where it has no score.\"\"\"\n    index, scores = _compute(X, columns, ",
               clusters ? "cluster, counted from 1," : "label");
    put_string(out, label);
    text_add(out, ", ");
    put_string(out, scores);
    text_print(out, ")\n    return _labels(index, scores, %s)\n", clusters ? "range(1, scores.shape[1] + 1)" : "CLASSES");
}

static void put_functions(TextBuffer *out, const OnnxDocument *document, const Model *last)
{
    const char *prediction = find_output(document, "prediction"), *decision = find_output(document, "decision");
    const char *scores = find_output(document, "scores"), *transformed = find_output(document, "transformed");
    Task task = estimator_of(last)->task;

    put_label(out, document, task == TASK_CLUSTERING);
    put_function(out, "predict", "Returns the prediction of each row; NaN where it has none.", prediction, "[:, 0]");
    put_function(out, "predict_proba", "Returns probabilities, [rows, classes or clusters], in the order of CLASSES.", find_output(document, "probabilities"), "");
    put_function(out, "decision_function", "Returns the scores that decide, one per row or [rows, classes or clusters].", decision, flat(document, decision));
    if (task == TASK_OUTLIERS)
        put_function(out, "decision_function", "Returns the score of each row.", scores, "[:, 0]");
    else if (task == TASK_CLUSTERING)
        put_function(out, "distances", "Returns the distances from the centers, [rows, clusters].", scores, "");
    put_function(out, task == TASK_REGRESSION ? "predict" : "transform", "Returns the numbers that the model makes of each row, [rows, outputs].", transformed, "");
}

static void python_write(Env *env, const Model *model, TextBuffer *out)
{
    TextBuffer bytes = {.env = env};
    const Model *last = onnx_export_python(env, model, &bytes);
    OnnxDocument *document = onnx_document(env, (const uint8_t *)bytes.text, bytes.length);

    put_head(out, model, last);
    for (const char *const *line = python_runtime; *line != NULL; line++)
        text_add(out, *line);
    put_graph(out, document);
    put_functions(out, document, last);
}

const ExportFormat export_python = {.name = "python", .write = python_write};
