/*
 * onnx_write.c - writes the messages of an ONNX model (github.com/onnx/onnx, onnx.proto).
 */
#include "core/onnx/onnx_write.h"
#include "core/model/schema.h"

OnnxWriter *onnx_writer(Env *env, const Model *schema)
{
    OnnxWriter *writer = env_array(env, 1, sizeof *writer);

    writer->env = env;
    writer->reads = writer->schema = schema;
    writer->nodes.env = writer->constants.env = writer->inputs.env = writer->outputs.env = env;
    return writer;
}

static void put_opset(TextBuffer *out, const char *domain, unsigned version)
{
    TextBuffer message = {.env = out->env};

    proto_string(&message, ONNX_OPSET_DOMAIN, domain);
    proto_varint(&message, ONNX_OPSET_VERSION, version);
    proto_message(out, ONNX_MODEL_OPSET, &message);
}

void onnx_finish(OnnxWriter *writer, const char *estimator, TextBuffer *out)
{
    TextBuffer graph = writer->nodes;

    proto_string(&graph, ONNX_GRAPH_NAME, estimator);
    text_bytes(&graph, writer->constants.text, writer->constants.length);
    text_bytes(&graph, writer->inputs.text, writer->inputs.length);
    text_bytes(&graph, writer->outputs.text, writer->outputs.length);
    proto_varint(out, ONNX_MODEL_IR, ONNX_IR_VERSION);
    proto_string(out, ONNX_MODEL_PRODUCER, "pgfit");
    proto_message(out, ONNX_MODEL_GRAPH, &graph);
    put_opset(out, "", ONNX_OPSET);
    put_opset(out, ONNX_ML_DOMAIN, ONNX_ML_OPSET);
}

/* Fails for text in a server encoding that is not ASCII: strings of ONNX are UTF-8. */
static void require_utf8(Env *env, const char *bytes, size_t length)
{
    for (size_t i = 0; env->foreign_text && i < length; i++)
        if ((unsigned char)bytes[i] > 0x7f)
            env_fail(env, ERROR_KIND, "Export the model from a database in UTF-8, or rename the feature or class.",
                     "ONNX has texts in UTF-8, and \"%.*s\" is in another encoding", (int)(length < 40 ? length : 40), bytes);
}

/* ---- attributes ---- */

/* Adds an attribute whose value is in a message of its own. */
static void put_attribute(OnnxAttributes *out, const char *name, unsigned type, TextBuffer *value)
{
    proto_string(value, ONNX_ATTRIBUTE_NAME, name);
    proto_varint(value, ONNX_ATTRIBUTE_TYPE, type);
    proto_message(out, ONNX_NODE_ATTRIBUTE, value);
    out->env->release(out->env, value->text);
}

void onnx_integer(OnnxAttributes *out, const char *name, int64_t value)
{
    TextBuffer message = {.env = out->env};

    proto_varint(&message, ONNX_ATTRIBUTE_INTEGER, (uint64_t)value);
    put_attribute(out, name, ONNX_IS_INTEGER, &message);
}

void onnx_integers(OnnxAttributes *out, const char *name, const int64_t *values, size_t count)
{
    TextBuffer message = {.env = out->env};

    for (size_t i = 0; i < count; i++) {
        proto_varint(&message, ONNX_ATTRIBUTE_INTEGERS, (uint64_t)values[i]);
        env_poll_rows(out->env, i);
    }
    put_attribute(out, name, ONNX_IS_INTEGERS, &message);
}

void onnx_float(OnnxAttributes *out, const char *name, float value)
{
    TextBuffer message = {.env = out->env};

    proto_float(&message, ONNX_ATTRIBUTE_FLOAT, value);
    put_attribute(out, name, ONNX_IS_FLOAT, &message);
}

void onnx_floats(OnnxAttributes *out, const char *name, const float *values, size_t count)
{
    TextBuffer message = {.env = out->env};

    for (size_t i = 0; i < count; i++)
        proto_float(&message, ONNX_ATTRIBUTE_FLOATS, values[i]);
    put_attribute(out, name, ONNX_IS_FLOATS, &message);
}

void onnx_strings(OnnxAttributes *out, const char *name, const char *const *strings, const uint32_t *lengths, size_t count)
{
    TextBuffer message = {.env = out->env};

    for (size_t i = 0; i < count; i++) {
        size_t length = lengths != NULL ? lengths[i] : strlen(strings[i]);

        require_utf8(out->env, strings[i], length);
        proto_bytes(&message, ONNX_ATTRIBUTE_STRINGS, strings[i], length);
        env_poll_rows(out->env, i);
    }
    put_attribute(out, name, ONNX_IS_STRINGS, &message);
}

static void begin_tensor(TextBuffer *out, OnnxType type, uint32_t rows, uint32_t columns, bool matrix)
{
    if (matrix)
        proto_varint(out, ONNX_TENSOR_DIMENSION, rows);
    proto_varint(out, ONNX_TENSOR_DIMENSION, columns);
    proto_varint(out, ONNX_TENSOR_TYPE, type);
}

void onnx_double_tensor(OnnxAttributes *out, const char *name, const double *values, size_t count)
{
    TextBuffer message = {.env = out->env}, tensor = {.env = out->env};

    begin_tensor(&tensor, ONNX_DOUBLE, 1, (uint32_t)count, false);
    proto_string(&tensor, ONNX_TENSOR_NAME, name);
    proto_doubles(&tensor, ONNX_TENSOR_RAW, values, count);
    proto_message(&message, ONNX_ATTRIBUTE_TENSOR, &tensor);
    put_attribute(out, name, ONNX_IS_TENSOR, &message);
    out->env->release(out->env, tensor.text);
}

/* ---- nodes ---- */

/* Returns a name that is that of no feature. */
static OnnxValue new_name(OnnxWriter *writer)
{
    const char *name;

    do
        name = env_message(writer->env, "/%u", ++writer->named);
    while (schema_find_field(writer->reads, name, strlen(name)) >= 0);
    return name;
}

/* Adds a node that computes a value of a given name. */
static void put_node(OnnxWriter *writer, const char *domain, const char *operator, const OnnxAttributes *attributes, const OnnxValue *inputs,
                     OnnxValue output)
{
    TextBuffer node = {.env = writer->env};

    for (uint32_t i = 0; inputs[i] != NULL; i++)
        proto_string(&node, ONNX_NODE_INPUT, inputs[i]);
    proto_string(&node, ONNX_NODE_OUTPUT, output);
    proto_string(&node, ONNX_NODE_OPERATOR, operator);
    proto_string(&node, ONNX_NODE_DOMAIN, domain);
    if (attributes != NULL)
        text_bytes(&node, attributes->text, attributes->length);
    proto_message(&writer->nodes, ONNX_GRAPH_NODE, &node);
    writer->env->release(writer->env, node.text);
}

OnnxValue onnx_node(OnnxWriter *writer, const char *domain, const char *operator, const OnnxAttributes *attributes, const OnnxValue *inputs)
{
    OnnxValue output = new_name(writer);

    put_node(writer, domain, operator, attributes, inputs, output);
    return output;
}

OnnxValue onnx_cast(OnnxWriter *writer, OnnxValue value, OnnxType type)
{
    OnnxAttributes attributes = {.env = writer->env};

    onnx_integer(&attributes, "to", type);
    return ONNX_WITH(writer, &attributes, "Cast", value);
}

OnnxValue onnx_reduce(OnnxWriter *writer, const char *operator, OnnxValue value)
{
    OnnxAttributes attributes = {.env = writer->env};
    int64_t axis = 1;

    if (strcmp(operator, "ReduceSum") == 0) /* it alone takes axes as an input in this version */
        return ONNX(writer, operator, value, onnx_int_vector(writer, &axis, 1));
    onnx_integers(&attributes, "axes", &axis, 1);
    return ONNX_WITH(writer, &attributes, operator, value);
}

OnnxValue onnx_concat(OnnxWriter *writer, const OnnxValue *values, uint32_t count)
{
    OnnxAttributes attributes = {.env = writer->env};
    OnnxValue *inputs = env_array(writer->env, (size_t)count + 1, sizeof(OnnxValue)); /* ends with NULL */

    if (count == 1)
        return values[0];
    memcpy(inputs, values, count * sizeof(OnnxValue));
    onnx_integer(&attributes, "axis", 1);
    return onnx_node(writer, "", "Concat", &attributes, inputs);
}

/* ---- constants ---- */

static OnnxValue put_constant(OnnxWriter *writer, TextBuffer *tensor)
{
    OnnxValue name = new_name(writer);

    proto_string(tensor, ONNX_TENSOR_NAME, name);
    proto_message(&writer->constants, ONNX_GRAPH_CONSTANT, tensor);
    writer->env->release(writer->env, tensor->text);
    return name;
}

OnnxValue onnx_matrix(OnnxWriter *writer, const double *numbers, uint32_t rows, uint32_t columns)
{
    TextBuffer tensor = {.env = writer->env};

    begin_tensor(&tensor, ONNX_DOUBLE, rows, columns, true);
    proto_doubles(&tensor, ONNX_TENSOR_RAW, numbers, (size_t)rows * columns);
    return put_constant(writer, &tensor);
}

OnnxValue onnx_transposed(OnnxWriter *writer, const double *numbers, uint32_t rows, uint32_t columns)
{
    double *other = env_array(writer->env, (size_t)rows * columns + 1, sizeof(double));
    OnnxValue value;

    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t j = 0; j < columns; j++)
            other[(size_t)j * rows + i] = numbers[(size_t)i * columns + j];
    value = onnx_matrix(writer, other, columns, rows);
    writer->env->release(writer->env, other);
    return value;
}

OnnxValue onnx_vector(OnnxWriter *writer, const double *numbers, uint32_t count)
{
    return onnx_matrix(writer, numbers, 1, count);
}

OnnxValue onnx_number(OnnxWriter *writer, double number)
{
    return onnx_vector(writer, &number, 1);
}

OnnxValue onnx_int_vector(OnnxWriter *writer, const int64_t *numbers, uint32_t count)
{
    TextBuffer tensor = {.env = writer->env};

    begin_tensor(&tensor, ONNX_INT64, 1, count, false);
    proto_integers(&tensor, ONNX_TENSOR_RAW, numbers, count);
    return put_constant(writer, &tensor);
}

OnnxValue onnx_bool_vector(OnnxWriter *writer, const uint8_t *flags, uint32_t count)
{
    TextBuffer tensor = {.env = writer->env};

    begin_tensor(&tensor, ONNX_BOOL, 1, count, true);
    proto_bytes(&tensor, ONNX_TENSOR_RAW, flags, count);
    return put_constant(writer, &tensor);
}

OnnxValue onnx_string_vector(OnnxWriter *writer, const char *const *strings, uint32_t count)
{
    TextBuffer tensor = {.env = writer->env};

    begin_tensor(&tensor, ONNX_STRING, 1, count, false);
    for (uint32_t i = 0; i < count; i++) {
        require_utf8(writer->env, strings[i], strlen(strings[i]));
        proto_string(&tensor, ONNX_TENSOR_STRINGS, strings[i]);
    }
    return put_constant(writer, &tensor);
}

OnnxValue onnx_columns(OnnxWriter *writer, OnnxValue matrix, const uint32_t *columns, uint32_t count)
{
    OnnxAttributes attributes = {.env = writer->env};
    int64_t *numbers = env_array(writer->env, (size_t)count + 1, sizeof(int64_t));

    for (uint32_t i = 0; i < count; i++)
        numbers[i] = columns[i];
    onnx_integer(&attributes, "axis", 1);
    return ONNX_WITH(writer, &attributes, "Gather", matrix, onnx_int_vector(writer, numbers, count));
}

/* ---- inputs and outputs ---- */

/* Adds a tensor's name and type. */
static void put_value(TextBuffer *out, uint32_t field, const char *name, uint32_t length, OnnxType type, uint32_t columns)
{
    TextBuffer value = {.env = out->env}, tensor = {.env = out->env}, shape = {.env = out->env}, of = {.env = out->env};
    TextBuffer dimension = {.env = out->env};

    require_utf8(out->env, name, length);
    proto_string(&dimension, ONNX_DIMENSION_NAME, "N");
    proto_message(&shape, ONNX_SHAPE_DIMENSION, &dimension);
    dimension.length = 0;
    proto_varint(&dimension, ONNX_DIMENSION_VALUE, columns);
    if (columns > 0)
        proto_message(&shape, ONNX_SHAPE_DIMENSION, &dimension);
    proto_varint(&tensor, ONNX_TYPE_ELEMENT, type);
    proto_message(&tensor, ONNX_TYPE_SHAPE, &shape);
    proto_message(&of, ONNX_TYPE_TENSOR, &tensor);
    proto_bytes(&value, ONNX_VALUE_NAME, name, length);
    proto_message(&value, ONNX_VALUE_TYPE, &of);
    proto_message(out, field, &value);
}

OnnxValue onnx_input(OnnxWriter *writer, const char *name, uint32_t length, OnnxType type, uint32_t columns)
{
    put_value(&writer->inputs, ONNX_GRAPH_INPUT, name, length, type, columns);
    return env_text(writer->env, name, length);
}

void onnx_output(OnnxWriter *writer, const char *name, OnnxValue value, OnnxType type, uint32_t columns)
{
    if (writer->scores != NULL) {
        if (strcmp(name, "prediction") == 0)
            writer->scores->prediction = value;
        else if (strcmp(name, "probabilities") == 0)
            writer->scores->probabilities = value;
        else if (strcmp(name, "label") == 0)
            writer->scores->label = value;
        return;
    }
    while (schema_find_field(writer->reads, name, strlen(name)) >= 0)
        name = env_message(writer->env, "%.150s_", name);
    put_value(&writer->outputs, ONNX_GRAPH_OUTPUT, name, (uint32_t)strlen(name), type, columns);
    put_node(writer, "", "Identity", NULL, (const OnnxValue[]){value, NULL}, name);
}
