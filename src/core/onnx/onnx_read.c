/*
 * onnx_read.c - reads the messages of an ONNX document.
 */
#include "core/onnx/onnx_read.h"
#include "core/base/json.h"
#include "core/onnx/protobuf.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#define DIMENSIONS_MOST 64 /* of a tensor */
#define PARTS_MOST 100000  /* nodes, constants, inputs or outputs of a graph, or attributes of a node */
#define WHOLE_MOST 9007199254740992 /* integers up to here are doubles exactly */

void onnx_fail(Env *env, const char *format, ...)
{
    char message[400];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    env_fail(env, ERROR_DATA, NULL, "the onnx document %s", message);
}

/* ---- fields ---- */

/* Reads the next field of a message; false: there is none. */
static bool next_field(Env *env, ProtoReader *reader, ProtoField *field)
{
    int read = proto_next(reader, field);

    env->poll(env);
    if (read < 0)
        onnx_fail(env, "is damaged: it has a field that does not end");
    return read > 0;
}

static ProtoReader inside(Env *env, const ProtoField *field)
{
    if (field->wire != PROTO_BYTES)
        onnx_fail(env, "is damaged: field %u is no message", field->number);
    return proto_reader(field->bytes, field->length);
}

/* Returns a text, zero-terminated. Fails for bytes that are no text. */
static const char *text_of(Env *env, const ProtoField *field)
{
    if (field->wire != PROTO_BYTES)
        onnx_fail(env, "is damaged: field %u is no text", field->number);
    if (memchr(field->bytes, 0, field->length) != NULL || !text_is_valid(env, (const char *)field->bytes, field->length))
        onnx_fail(env, "has a text of %zu bytes that is not valid", field->length);
    return env_text(env, (const char *)field->bytes, field->length);
}

static int64_t whole_of(Env *env, const ProtoField *field)
{
    if (field->wire != PROTO_VARINT)
        onnx_fail(env, "is damaged: field %u is no integer", field->number);
    return (int64_t)field->value;
}

/* Counts the fields of a number in a message. */
static uint32_t count_fields(Env *env, ProtoReader reader, uint32_t number)
{
    uint32_t count = 0;
    ProtoField field;

    while (next_field(env, &reader, &field))
        count += field.number == number;
    return count;
}

/* Returns zeroed room for the fields of a number in a message, of which each takes much more memory than bytes. */
static void *parts_of(Env *env, ProtoReader reader, uint32_t number, size_t size, const char *what)
{
    uint32_t count = count_fields(env, reader, number);

    if (count > PARTS_MOST)
        onnx_fail(env, "has %u %s in one place; at most %d are read", count, what, PARTS_MOST);
    return env_array(env, (size_t)count + 1, size);
}

/* ---- numbers ---- */

/* A list of numbers that grows by as many as a field has. */
typedef struct Numbers {
    Env *env;
    double *numbers;
    uint32_t count;
    size_t room;
} Numbers;

static void add_number(Numbers *list, double x)
{
    if (list->count == list->room) {
        list->room = 2 * list->room + 16;
        env_require_memory(list->env, list->room * sizeof(double), "the numbers of the onnx document");
        list->numbers = list->env->resize(list->env, list->numbers, list->room * sizeof(double));
    }
    list->numbers[list->count++] = x;
    env_poll_rows(list->env, list->count);
}

static double number_of_bits(Env *env, ProtoWire wire, uint64_t bits)
{
    int64_t whole = (int64_t)bits;

    if (wire == PROTO_4_BYTES)
        return proto_float_of(bits);
    if (wire == PROTO_8_BYTES)
        return proto_double_of(bits);
    if (whole > WHOLE_MOST || whole < -WHOLE_MOST)
        onnx_fail(env, "has the integer %lld, which is no double", (long long)whole);
    return (double)whole;
}

/* Adds the numbers of a field: one, or an array of this wire type. */
static void add_field(Numbers *list, const ProtoField *field, ProtoWire wire)
{
    ProtoReader packed;
    uint64_t bits;
    int read;

    if (field->wire == wire) {
        add_number(list, number_of_bits(list->env, wire, field->value));
        return;
    }
    packed = inside(list->env, field);
    while ((read = proto_next_packed(&packed, wire, &bits)) > 0)
        add_number(list, number_of_bits(list->env, wire, bits));
    if (read < 0)
        onnx_fail(list->env, "is damaged: an array of numbers ends within one");
}

/* ---- tensors ---- */

typedef struct TensorParts {
    Numbers numbers;
    const ProtoField *raw;
    uint32_t texts;
    double elements; /* product of the dimensions */
} TensorParts;

static void add_dimension(Env *env, OnnxTensor *tensor, TensorParts *parts, double size)
{
    if (!(size >= 0) || !(parts->elements * size <= UINT32_MAX))
        onnx_fail(env, "has a tensor with a dimension of %.0f", size);
    if (tensor->dimensions == DIMENSIONS_MOST)
        onnx_fail(env, "has a tensor of more than %d dimensions", DIMENSIONS_MOST);
    if (tensor->dimensions < 2)
        tensor->size[tensor->dimensions] = (uint32_t)size;
    tensor->dimensions++;
    parts->elements *= size;
}

/* Adds the elements of raw data, little-endian. */
static void read_raw(Env *env, const OnnxTensor *tensor, const ProtoField *raw, Numbers *out)
{
    ProtoReader reader = inside(env, raw);
    uint64_t bits;
    int read = 0;

    if (tensor->type == ONNX_BOOL)
        for (size_t i = 0; i < raw->length; i++)
            add_number(out, raw->bytes[i] != 0);
    else if (tensor->type == ONNX_FLOAT)
        while ((read = proto_next_packed(&reader, PROTO_4_BYTES, &bits)) > 0)
            add_number(out, proto_float_of(bits));
    else if (tensor->type == ONNX_INT32)
        while ((read = proto_next_packed(&reader, PROTO_4_BYTES, &bits)) > 0)
            add_number(out, (double)(int32_t)(uint32_t)bits);
    else if (tensor->type == ONNX_INT64)
        while ((read = proto_next_packed(&reader, PROTO_8_BYTES, &bits)) > 0)
            add_number(out, number_of_bits(env, PROTO_VARINT, bits));
    else
        while ((read = proto_next_packed(&reader, PROTO_8_BYTES, &bits)) > 0)
            add_number(out, proto_double_of(bits));
    if (read < 0)
        onnx_fail(env, "is damaged: the data of a tensor ends within a number");
}

static void read_field_of_tensor(Env *env, OnnxTensor *tensor, TensorParts *parts, const ProtoField *field)
{
    Numbers dimensions = {.env = env};

    switch (field->number) {
    case ONNX_TENSOR_DIMENSION:
        add_field(&dimensions, field, PROTO_VARINT);
        for (uint32_t i = 0; i < dimensions.count; i++)
            add_dimension(env, tensor, parts, dimensions.numbers[i]);
        break;
    case ONNX_TENSOR_TYPE:
        tensor->type = whole_of(env, field);
        break;
    case ONNX_TENSOR_FLOATS:
        add_field(&parts->numbers, field, PROTO_4_BYTES);
        break;
    case ONNX_TENSOR_DOUBLES:
        add_field(&parts->numbers, field, PROTO_8_BYTES);
        break;
    case ONNX_TENSOR_INT32S:
    case ONNX_TENSOR_INT64S:
        add_field(&parts->numbers, field, PROTO_VARINT);
        break;
    case ONNX_TENSOR_STRINGS:
        tensor->texts[parts->texts++] = text_of(env, field);
        break;
    case ONNX_TENSOR_NAME:
        tensor->name = text_of(env, field);
        break;
    case ONNX_TENSOR_EXTERNAL:
        onnx_fail(env, "keeps the data of a tensor in another file");
    default:
        break;
    }
}

static void read_tensor(Env *env, ProtoReader reader, OnnxTensor *tensor)
{
    TensorParts parts = {.numbers = {.env = env}, .elements = 1};
    ProtoField field, raw;

    *tensor = (OnnxTensor){.name = "", .size = {1, 1}};
    tensor->texts = env_array(env, (size_t)count_fields(env, reader, ONNX_TENSOR_STRINGS) + 1, sizeof(char *));
    while (next_field(env, &reader, &field)) {
        if (field.number == ONNX_TENSOR_RAW) {
            raw = field;
            parts.raw = &raw;
        } else {
            read_field_of_tensor(env, tensor, &parts, &field);
        }
    }
    if (tensor->type != ONNX_FLOAT && tensor->type != ONNX_DOUBLE && tensor->type != ONNX_INT64 && tensor->type != ONNX_INT32 &&
        tensor->type != ONNX_BOOL && tensor->type != ONNX_STRING)
        onnx_fail(env, "has a tensor of type %lld, which is not read", (long long)tensor->type);
    if (parts.raw != NULL && tensor->type != ONNX_STRING)
        read_raw(env, tensor, parts.raw, &parts.numbers);
    tensor->count = tensor->type == ONNX_STRING ? parts.texts : parts.numbers.count;
    if ((double)tensor->count != parts.elements)
        onnx_fail(env, "has a tensor of %u elements whose dimensions say %.0f", tensor->count, parts.elements);
    if (tensor->type == ONNX_STRING)
        return;
    tensor->texts = NULL;
    tensor->numbers = parts.numbers.numbers != NULL ? parts.numbers.numbers : env_array(env, 1, sizeof(double));
}

/* ---- nodes ---- */

/* Returns the text of a field of a list: one of the last two that differed where it is the same, as lists of millions have a few texts. */
static const char *repeated_text(Env *env, const ProtoField *field, const char *recent[2])
{
    const char *text;

    for (int i = 0; i < 2; i++)
        if (field->wire == PROTO_BYTES && recent[i] != NULL && strlen(recent[i]) == field->length && memcmp(recent[i], field->bytes, field->length) == 0)
            return recent[i];
    text = text_of(env, field);
    recent[1] = recent[0];
    recent[0] = text;
    return text;
}

static void read_attribute(Env *env, ProtoReader reader, OnnxAttribute *attribute)
{
    Numbers numbers = {.env = env};
    const char *recent[2] = {NULL, NULL};
    uint32_t texts = count_fields(env, reader, ONNX_ATTRIBUTE_STRINGS), read = 0;
    ProtoField field;

    *attribute = (OnnxAttribute){.name = "", .number = NAN};
    if (texts > 0)
        attribute->texts = env_array(env, texts, sizeof(char *));
    while (next_field(env, &reader, &field)) {
        if (field.number == ONNX_ATTRIBUTE_NAME)
            attribute->name = text_of(env, &field);
        else if (field.number == ONNX_ATTRIBUTE_TYPE)
            attribute->type = whole_of(env, &field);
        else if (field.number == ONNX_ATTRIBUTE_FLOAT && field.wire == PROTO_4_BYTES)
            attribute->number = proto_float_of(field.value);
        else if (field.number == ONNX_ATTRIBUTE_INTEGER) {
            attribute->number = number_of_bits(env, PROTO_VARINT, (uint64_t)whole_of(env, &field));
            attribute->whole = true;
        } else if (field.number == ONNX_ATTRIBUTE_STRING)
            attribute->text = text_of(env, &field);
        else if (field.number == ONNX_ATTRIBUTE_FLOATS)
            add_field(&numbers, &field, PROTO_4_BYTES);
        else if (field.number == ONNX_ATTRIBUTE_INTEGERS) {
            add_field(&numbers, &field, PROTO_VARINT);
            attribute->whole = true;
        } else if (field.number == ONNX_ATTRIBUTE_STRINGS)
            attribute->texts[read++] = repeated_text(env, &field, recent);
        else if (field.number == ONNX_ATTRIBUTE_TENSOR) {
            attribute->tensor = env_array(env, 1, sizeof(OnnxTensor));
            read_tensor(env, inside(env, &field), attribute->tensor);
        }
    }
    attribute->numbers = numbers.numbers;
    attribute->count = texts > 0 ? texts : numbers.count;
    if (texts > 0 && numbers.count > 0)
        onnx_fail(env, "is damaged: attribute \"%.40s\" has texts and numbers", attribute->name);
}

static void read_node(Env *env, ProtoReader reader, OnnxNode *node)
{
    ProtoField field;

    *node = (OnnxNode){.operator = "", .domain = ""};
    node->input = parts_of(env, reader, ONNX_NODE_INPUT, sizeof(char *), "inputs of a node");
    node->output = parts_of(env, reader, ONNX_NODE_OUTPUT, sizeof(char *), "outputs of a node");
    node->attribute = parts_of(env, reader, ONNX_NODE_ATTRIBUTE, sizeof(OnnxAttribute), "attributes of a node");
    while (next_field(env, &reader, &field))
        if (field.number == ONNX_NODE_INPUT)
            node->input[node->inputs++] = text_of(env, &field);
        else if (field.number == ONNX_NODE_OUTPUT)
            node->output[node->outputs++] = text_of(env, &field);
        else if (field.number == ONNX_NODE_OPERATOR)
            node->operator = text_of(env, &field);
        else if (field.number == ONNX_NODE_DOMAIN)
            node->domain = text_of(env, &field);
        else if (field.number == ONNX_NODE_ATTRIBUTE)
            read_attribute(env, inside(env, &field), &node->attribute[node->attributes++]);
}

/* ---- inputs and outputs ---- */

/* Reads a tensor's type: elements, and the size of the second dimension. */
static void read_tensor_type(Env *env, ProtoReader reader, OnnxPort *port)
{
    ProtoField field, dimension, size;

    while (next_field(env, &reader, &field)) {
        uint32_t number = 0;
        ProtoReader shape;

        if (field.number == ONNX_TYPE_ELEMENT)
            port->type = whole_of(env, &field);
        if (field.number != ONNX_TYPE_SHAPE)
            continue;
        shape = inside(env, &field);
        while (next_field(env, &shape, &dimension)) {
            ProtoReader sizes;

            if (dimension.number != ONNX_SHAPE_DIMENSION || ++number != 2)
                continue;
            sizes = inside(env, &dimension);
            while (next_field(env, &sizes, &size))
                if (size.number == ONNX_DIMENSION_VALUE && size.value > 0 && size.value <= UINT32_MAX)
                    port->columns = (uint32_t)whole_of(env, &size);
        }
    }
}

static void read_port(Env *env, ProtoReader reader, OnnxPort *port)
{
    ProtoField field, type;

    *port = (OnnxPort){.name = ""};
    while (next_field(env, &reader, &field)) {
        ProtoReader types;

        if (field.number == ONNX_VALUE_NAME)
            port->name = text_of(env, &field);
        if (field.number != ONNX_VALUE_TYPE)
            continue;
        types = inside(env, &field);
        while (next_field(env, &types, &type))
            if (type.number == ONNX_TYPE_TENSOR)
                read_tensor_type(env, inside(env, &type), port);
    }
}

/* ---- the document ---- */

static void read_graph(OnnxDocument *out, ProtoReader reader)
{
    Env *env = out->env;
    ProtoField field;

    out->node = parts_of(env, reader, ONNX_GRAPH_NODE, sizeof(OnnxNode), "nodes");
    out->constant = parts_of(env, reader, ONNX_GRAPH_CONSTANT, sizeof(OnnxTensor), "constants");
    out->input = parts_of(env, reader, ONNX_GRAPH_INPUT, sizeof(OnnxPort), "inputs");
    out->output = parts_of(env, reader, ONNX_GRAPH_OUTPUT, sizeof(OnnxPort), "outputs");
    while (next_field(env, &reader, &field)) {
        if (field.number == ONNX_GRAPH_NODE)
            read_node(env, inside(env, &field), &out->node[out->nodes++]);
        else if (field.number == ONNX_GRAPH_CONSTANT)
            read_tensor(env, inside(env, &field), &out->constant[out->constants++]);
        else if (field.number == ONNX_GRAPH_INPUT)
            read_port(env, inside(env, &field), &out->input[out->inputs++]);
        else if (field.number == ONNX_GRAPH_OUTPUT)
            read_port(env, inside(env, &field), &out->output[out->outputs++]);
        else if (field.number == ONNX_GRAPH_SPARSE)
            onnx_fail(env, "has sparse tensors, which are not read");
    }
}

OnnxDocument *onnx_document(Env *env, const uint8_t *bytes, size_t length)
{
    OnnxDocument *out = env_array(env, 1, sizeof *out);
    ProtoReader reader = proto_reader(bytes, length);
    uint32_t graphs = 0;
    ProtoField field;

    out->env = env;
    out->producer = "";
    while (next_field(env, &reader, &field)) {
        if (field.number == ONNX_MODEL_PRODUCER)
            out->producer = text_of(env, &field);
        if (field.number != ONNX_MODEL_GRAPH)
            continue;
        if (graphs++ > 0)
            onnx_fail(env, "is damaged: it has two graphs");
        read_graph(out, inside(env, &field));
    }
    if (graphs == 0)
        onnx_fail(env, "has no graph");
    return out;
}

bool onnx_recognize(const uint8_t *bytes, size_t length)
{
    ProtoReader reader = proto_reader(bytes, length);
    bool graph = false, version = false;
    ProtoField field;
    int read;

    for (uint32_t i = 0; i < 1000 && (read = proto_next(&reader, &field)) > 0; i++) {
        if (field.number > 30)
            return false;
        version = version || (field.number == ONNX_MODEL_IR && field.wire == PROTO_VARINT);
        graph = graph || (field.number == ONNX_MODEL_GRAPH && field.wire == PROTO_BYTES);
    }
    return graph && version && reader.at == reader.end;
}

/* ---- attributes ---- */

const OnnxAttribute *onnx_attribute(const OnnxNode *node, const char *name)
{
    for (uint32_t i = 0; i < node->attributes; i++)
        if (strcmp(node->attribute[i].name, name) == 0)
            return &node->attribute[i];
    return NULL;
}

void onnx_forget(Env *env, const OnnxNode *node, const char *name)
{
    for (uint32_t i = 0; i < node->attributes; i++) {
        OnnxAttribute *attribute = &node->attribute[i];

        if (strcmp(attribute->name, name) != 0 || attribute->numbers == NULL)
            continue;
        env->release(env, attribute->numbers);
        attribute->numbers = NULL;
        attribute->count = 0;
    }
}

static void fail_attribute(Env *env, const OnnxNode *node, const char *name, const char *wanted) __attribute__((noreturn));
static void fail_attribute(Env *env, const OnnxNode *node, const char *name, const char *wanted)
{
    onnx_fail(env, "has a node %.40s whose attribute \"%s\" is no %s", node->operator, name, wanted);
}

const char *onnx_text(Env *env, const OnnxNode *node, const char *name, const char *fallback)
{
    const OnnxAttribute *attribute = onnx_attribute(node, name);

    if (attribute == NULL)
        return fallback;
    if (attribute->text == NULL)
        fail_attribute(env, node, name, "text");
    return attribute->text;
}

double onnx_value(Env *env, const OnnxNode *node, const char *name, double fallback)
{
    const OnnxAttribute *attribute = onnx_attribute(node, name);

    if (attribute == NULL)
        return fallback;
    if (attribute->type != ONNX_IS_FLOAT && attribute->type != ONNX_IS_INTEGER && isnan(attribute->number))
        fail_attribute(env, node, name, "number");
    return attribute->number;
}

const double *onnx_values(Env *env, const OnnxNode *node, const char *name, uint32_t *count, bool *exact)
{
    const OnnxAttribute *attribute = onnx_attribute(node, name), *tensor = onnx_attribute(node, env_message(env, "%s_as_tensor", name));

    *count = 0;
    if (exact != NULL)
        *exact = false;
    if (tensor != NULL) {
        if (attribute != NULL)
            onnx_fail(env, "has a node %.40s with both \"%s\" and a tensor of them", node->operator, name);
        if (tensor->tensor == NULL || tensor->tensor->numbers == NULL)
            fail_attribute(env, node, name, "tensor of numbers");
        if (exact != NULL)
            *exact = tensor->tensor->type == ONNX_DOUBLE;
        *count = tensor->tensor->count;
        return tensor->tensor->numbers;
    }
    if (attribute == NULL || (attribute->count == 0 && attribute->text == NULL))
        return NULL;
    if (attribute->numbers == NULL)
        fail_attribute(env, node, name, "list of numbers");
    *count = attribute->count;
    return attribute->numbers;
}

const char *const *onnx_texts(Env *env, const OnnxNode *node, const char *name, uint32_t *count)
{
    const OnnxAttribute *attribute = onnx_attribute(node, name);

    *count = 0;
    if (attribute == NULL || attribute->count == 0)
        return NULL;
    if (attribute->texts == NULL)
        fail_attribute(env, node, name, "list of texts");
    *count = attribute->count;
    return attribute->texts;
}
