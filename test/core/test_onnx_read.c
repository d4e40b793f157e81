/*
 * test_onnx_read.c - ONNX documents, written field by field: tensors of every type and form, and what a damaged document says.
 */
#include "check.h"
#include "core/onnx/onnx_read.h"
#include "core/onnx/protobuf.h"

#include <stdio.h>

static Host *host;
#define ENV (&host->env)

static TextBuffer message(void)
{
    return (TextBuffer){.env = ENV};
}

/* Wraps a message into another, as this field. */
static TextBuffer wrapped(uint32_t field, TextBuffer inside)
{
    TextBuffer out = message();

    proto_message(&out, field, &inside);
    return out;
}

/* Returns a document whose graph has this one field. */
static TextBuffer document(uint32_t field, TextBuffer inside)
{
    TextBuffer graph = wrapped(field, inside), out = message();

    proto_varint(&out, ONNX_MODEL_IR, ONNX_IR_VERSION);
    proto_string(&out, ONNX_MODEL_PRODUCER, "a test");
    proto_message(&out, ONNX_MODEL_GRAPH, &graph);
    return out;
}

static OnnxDocument *read(TextBuffer out)
{
    return onnx_document(ENV, (const uint8_t *)out.text, out.length);
}

static void refused(TextBuffer out, const char *words)
{
    CHECK_FAILS(host, ERROR_DATA, words, read(out));
}

/* Returns a tensor of this type and these dimensions, to which the caller adds data. */
static TextBuffer tensor_of(OnnxType type, uint32_t rows, uint32_t columns)
{
    TextBuffer out = message();

    proto_string(&out, ONNX_TENSOR_NAME, "t");
    proto_varint(&out, ONNX_TENSOR_TYPE, type);
    if (rows > 0)
        proto_varint(&out, ONNX_TENSOR_DIMENSION, rows);
    if (columns > 0)
        proto_varint(&out, ONNX_TENSOR_DIMENSION, columns);
    return out;
}

static const OnnxTensor *constant_of(TextBuffer tensor)
{
    OnnxDocument *out = read(document(ONNX_GRAPH_CONSTANT, tensor));

    CHECK(out->constants == 1 && out->nodes == 0);
    CHECK_TEXT(out->producer, "a test");
    CHECK_TEXT(out->constant[0].name, "t");
    return &out->constant[0];
}

/* The numbers 1, -2, 3 come out of each form in which a type is written: raw bytes, one field, and one field each. */
static void check_numbers(TextBuffer tensor, double second)
{
    const OnnxTensor *t = constant_of(tensor);

    CHECK(t->count == 3 && t->dimensions == 2 && t->size[0] == 3 && t->size[1] == 1 && t->texts == NULL);
    CHECK(t->numbers[0] == 1 && t->numbers[1] == second && t->numbers[2] == 3);
}

static void test_tensors(void)
{
    static const float floats[] = {1, -2, 3};
    static const double doubles[] = {1, -2, 3};
    static const int32_t narrow[] = {1, -2, 3};
    static const int64_t whole[] = {1, -2, 3};
    static const uint8_t truths[] = {1, 0, 3};
    const OnnxTensor *t;
    TextBuffer tensor;

    tensor = tensor_of(ONNX_FLOAT, 3, 1);
    proto_bytes(&tensor, ONNX_TENSOR_RAW, floats, sizeof floats);
    check_numbers(tensor, -2);
    tensor = tensor_of(ONNX_FLOAT, 3, 1);
    proto_bytes(&tensor, ONNX_TENSOR_FLOATS, floats, sizeof floats);
    check_numbers(tensor, -2);
    tensor = tensor_of(ONNX_FLOAT, 3, 1);
    for (int i = 0; i < 3; i++)
        proto_float(&tensor, ONNX_TENSOR_FLOATS, floats[i]);
    check_numbers(tensor, -2);
    tensor = tensor_of(ONNX_DOUBLE, 3, 1);
    proto_bytes(&tensor, ONNX_TENSOR_RAW, doubles, sizeof doubles);
    check_numbers(tensor, -2);
    tensor = tensor_of(ONNX_DOUBLE, 3, 1);
    proto_doubles(&tensor, ONNX_TENSOR_DOUBLES, doubles, 3);
    check_numbers(tensor, -2);
    tensor = tensor_of(ONNX_INT32, 3, 1);
    proto_bytes(&tensor, ONNX_TENSOR_RAW, narrow, sizeof narrow);
    check_numbers(tensor, -2);
    tensor = tensor_of(ONNX_INT32, 3, 1);
    for (int i = 0; i < 3; i++)
        proto_varint(&tensor, ONNX_TENSOR_INT32S, (uint64_t)whole[i]);
    check_numbers(tensor, -2);
    tensor = tensor_of(ONNX_INT64, 3, 1);
    proto_bytes(&tensor, ONNX_TENSOR_RAW, whole, sizeof whole);
    check_numbers(tensor, -2);
    tensor = tensor_of(ONNX_BOOL, 3, 1);
    proto_bytes(&tensor, ONNX_TENSOR_RAW, truths, sizeof truths);
    t = constant_of(tensor);
    CHECK(t->numbers[0] == 1 && t->numbers[1] == 0 && t->numbers[2] == 1);
    tensor = tensor_of(ONNX_STRING, 2, 0);
    proto_string(&tensor, ONNX_TENSOR_STRINGS, "red");
    proto_string(&tensor, ONNX_TENSOR_STRINGS, "blue");
    proto_string(&tensor, ONNX_TENSOR_LOCATION, "skipped");
    t = constant_of(tensor);
    CHECK(t->count == 2 && t->dimensions == 1 && t->numbers == NULL);
    CHECK_TEXT(t->texts[1], "blue");
    tensor = tensor_of(ONNX_DOUBLE, 0, 0); /* a scalar */
    proto_doubles(&tensor, ONNX_TENSOR_DOUBLES, doubles + 2, 1);
    t = constant_of(tensor);
    CHECK(t->count == 1 && t->dimensions == 0 && t->numbers[0] == 3);
    tensor = tensor_of(ONNX_INT64, 3, 1);
    proto_varint(&tensor, ONNX_TENSOR_DIMENSION, 1);
    proto_integers(&tensor, ONNX_TENSOR_RAW, whole, 3);
    t = constant_of(tensor);
    CHECK(t->count == 3 && t->dimensions == 3 && t->size[0] == 3 && t->size[1] == 1 && t->numbers[1] == -2);
    tensor = tensor_of(ONNX_STRING, 1, 0);
    proto_string(&tensor, ONNX_TENSOR_STRINGS, "red");
    proto_string(&tensor, ONNX_TENSOR_RAW, "raw data is of numbers");
    t = constant_of(tensor);
    CHECK_TEXT(t->texts[0], "red");
}

/* Changes one thing of a tensor of two floats. */
static void test_damaged_tensors(void)
{
    static const float floats[] = {1, 2};
    TextBuffer tensor;

#define DAMAGED(words, type, rows, columns, ...)                                                                       \
    tensor = tensor_of(type, rows, columns);                                                                           \
    __VA_ARGS__;                                                                                                       \
    refused(document(ONNX_GRAPH_CONSTANT, tensor), words)

    DAMAGED("the data of a tensor ends within a number", ONNX_FLOAT, 2, 0, proto_bytes(&tensor, ONNX_TENSOR_RAW, floats, 7));
    DAMAGED("an array of numbers ends within one", ONNX_FLOAT, 2, 0, proto_bytes(&tensor, ONNX_TENSOR_FLOATS, floats, 7));
    DAMAGED("has a tensor of 2 elements whose dimensions say 6", ONNX_FLOAT, 2, 3, proto_bytes(&tensor, ONNX_TENSOR_RAW, floats, 8));
    DAMAGED("has a tensor with a dimension of 65537", ONNX_FLOAT, 65537, 65537, (void)0);
    DAMAGED("has a tensor with a dimension of -1", ONNX_FLOAT, 2, 0, proto_varint(&tensor, ONNX_TENSOR_DIMENSION, UINT64_MAX));
    DAMAGED("has a tensor of more than 64 dimensions", ONNX_FLOAT, 1, 1, for (int i = 0; i < 63; i++) proto_varint(&tensor, ONNX_TENSOR_DIMENSION, 1));
    DAMAGED("has a tensor of type 10, which is not read", (OnnxType)10, 2, 0, (void)0);
    DAMAGED("keeps the data of a tensor in another file", ONNX_FLOAT, 2, 0, proto_string(&tensor, ONNX_TENSOR_EXTERNAL, "file"));
    DAMAGED("field 9 is no message", ONNX_FLOAT, 2, 0, proto_varint(&tensor, ONNX_TENSOR_RAW, 1));
    DAMAGED("field 4 is no message", ONNX_FLOAT, 1, 0, proto_varint(&tensor, ONNX_TENSOR_FLOATS, 1));
    DAMAGED("field 8 is no text", ONNX_FLOAT, 1, 0, proto_varint(&tensor, ONNX_TENSOR_NAME, 1));
    DAMAGED("field 2 is no integer", ONNX_FLOAT, 1, 0, proto_string(&tensor, ONNX_TENSOR_TYPE, "float"));
    DAMAGED("has a text of 3 bytes that is not valid", ONNX_STRING, 1, 0, proto_bytes(&tensor, ONNX_TENSOR_STRINGS, "a\0b", 3));
    DAMAGED("has a text of 2 bytes that is not valid", ONNX_STRING, 1, 0, proto_bytes(&tensor, ONNX_TENSOR_STRINGS, "\xff\xfe", 2));
    /* these would become 9007199254740992 */
    DAMAGED("has the integer 9007199254740993, which is no double", ONNX_INT64, 1, 0, proto_varint(&tensor, ONNX_TENSOR_INT64S, 9007199254740993));
    DAMAGED("has the integer -9007199254740993, which is no double", ONNX_INT64, 1, 0,
            proto_varint(&tensor, ONNX_TENSOR_INT64S, (uint64_t)-9007199254740993));
    DAMAGED("has a field that does not end", ONNX_FLOAT, 1, 0, proto_bytes(&tensor, ONNX_TENSOR_RAW, floats, 4); tensor.length--);
}

/* Bytes that are no field, each as a whole document. */
static void test_damaged_fields(void)
{
    static const struct {
        uint8_t bytes[14];
        size_t length;
    } cases[] = {
        {{0x08}, 1},                                                                        /* no value */
        {{0x88}, 1},                                                                        /* half a tag */
        {{0x08, 0xff}, 2},                                                                  /* half a varint */
        {{0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02}, 11},           /* of more than 64 bits */
        {{0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x81, 0x01}, 12},
        {{0x00, 0x01}, 2},                                                                  /* field 0 */
        {{0x80, 0x80, 0x80, 0x80, 0x10, 0x01}, 6},                                          /* field 2^29 */
        {{0x0b, 0x0c}, 2},                                                                  /* a group */
        {{0x0e, 0x01}, 2},                                                                  /* an unknown type */
        {{0x0d, 0, 0, 0}, 4},                                                               /* three bytes of four */
        {{0x09, 0, 0, 0, 0, 0, 0, 0}, 8},                                                   /* seven of eight */
        {{0x0a, 0x80}, 2},                                                                  /* half a length */
        {{0x0a, 0x02, 'x'}, 3},                                                             /* more than there is */
    };
    static const uint8_t longest[] = {0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_FAILS(host, ERROR_DATA, "has a field that does not end", onnx_document(ENV, cases[i].bytes, cases[i].length));
        CHECK(!onnx_recognize(cases[i].bytes, cases[i].length));
    }
    CHECK_FAILS(host, ERROR_DATA, "has no graph", onnx_document(ENV, longest, sizeof longest)); /* 2^64 - 1 is a number */
}

/* ---- attributes ---- */

/* Returns the node with these attributes; a name and a field for each. */
static const OnnxNode *node_of(TextBuffer *attributes, uint32_t count)
{
    TextBuffer node = message();
    OnnxDocument *out;

    proto_string(&node, ONNX_NODE_INPUT, "x");
    proto_string(&node, ONNX_NODE_OUTPUT, "y");
    proto_string(&node, ONNX_NODE_OPERATOR, "Cast");
    proto_string(&node, ONNX_NODE_DOMAIN, ONNX_ML_DOMAIN);
    for (uint32_t i = 0; i < count; i++)
        proto_message(&node, ONNX_NODE_ATTRIBUTE, &attributes[i]);
    proto_string(&node, 6, "documentation");
    out = read(document(ONNX_GRAPH_NODE, node));
    CHECK(out->nodes == 1 && out->node->inputs == 1 && out->node->outputs == 1 && out->node->attributes == count);
    CHECK_TEXT(out->node->operator, "Cast");
    CHECK_TEXT(out->node->domain, ONNX_ML_DOMAIN);
    return out->node;
}

static TextBuffer named(const char *name)
{
    TextBuffer out = message();

    proto_string(&out, ONNX_ATTRIBUTE_NAME, name);
    return out;
}

static void test_attributes(void)
{
    enum { TEXT, FLOAT, WHOLE, FLOATS, TEXTS, EMPTY, TENSOR, TYPED, INTEGER, WHOLES, FAR, COUNT };
    static const char *const names[COUNT] = {"text", "float", "whole", "floats", "texts", "empty", "more_as_tensor", "typed", "integer", "wholes", "far"};
    static const float numbers[] = {0.5f, 2};
    static const double doubles[] = {7, 8};
    TextBuffer attributes[COUNT + 1], tensor = tensor_of(ONNX_DOUBLE, 2, 0);
    const OnnxNode *node;
    uint32_t count;
    bool exact;

    for (int i = 0; i < COUNT; i++)
        attributes[i] = named(names[i]);
    proto_string(&attributes[TEXT], ONNX_ATTRIBUTE_STRING, "LOGISTIC");
    proto_float(&attributes[FLOAT], ONNX_ATTRIBUTE_FLOAT, 0.25f);
    proto_varint(&attributes[WHOLE], ONNX_ATTRIBUTE_INTEGER, 12);
    proto_bytes(&attributes[FLOATS], ONNX_ATTRIBUTE_FLOATS, numbers, sizeof numbers);
    for (int i = 0; i < 8; i++) /* red green blue red blue, blue, red, rod */
        proto_string(&attributes[TEXTS], ONNX_ATTRIBUTE_STRINGS, i == 1 ? "green" : i == 7 ? "rod" : i % 3 == 0 ? "red" : "blue");
    proto_varint(&attributes[INTEGER], ONNX_ATTRIBUTE_TYPE, ONNX_IS_INTEGER);
    proto_varint(&attributes[WHOLES], ONNX_ATTRIBUTE_INTEGERS, 5);
    proto_varint(&attributes[WHOLES], ONNX_ATTRIBUTE_INTEGERS, (uint64_t)-6);
    proto_string(&attributes[FAR], ONNX_ATTRIBUTE_FLOAT, "not four bytes"); /* skipped, as is a field that nothing reads */
    proto_string(&attributes[FAR], 13, "documentation");
    proto_doubles(&tensor, ONNX_TENSOR_DOUBLES, doubles, 2);
    proto_message(&attributes[TENSOR], ONNX_ATTRIBUTE_TENSOR, &tensor);
    proto_varint(&attributes[TYPED], ONNX_ATTRIBUTE_TYPE, ONNX_IS_FLOAT);
    node = node_of(attributes, COUNT);

    CHECK_TEXT(onnx_text(ENV, node, "text", "none"), "LOGISTIC");
    CHECK_TEXT(onnx_text(ENV, node, "nothing", "none"), "none");
    CHECK(onnx_value(ENV, node, "float", 9) == 0.25 && onnx_value(ENV, node, "whole", 9) == 12 && onnx_value(ENV, node, "nothing", 9) == 9);
    CHECK(isnan(onnx_value(ENV, node, "typed", 9)) && onnx_attribute(node, "whole")->whole && !onnx_attribute(node, "float")->whole);
    CHECK(onnx_values(ENV, node, "floats", &count, NULL)[1] == 2 && count == 2);
    CHECK(onnx_values(ENV, node, "more", &count, &exact)[1] == 8 && count == 2 && exact);
    CHECK(onnx_values(ENV, node, "more", &count, NULL)[0] == 7);
    CHECK(onnx_values(ENV, node, "empty", &count, &exact) == NULL && count == 0 && !exact);
    CHECK(onnx_values(ENV, node, "nothing", &count, NULL) == NULL && onnx_texts(ENV, node, "nothing", &count) == NULL);
    CHECK(onnx_texts(ENV, node, "empty", &count) == NULL);
    CHECK_TEXT(onnx_texts(ENV, node, "texts", &count)[2], "blue");
    CHECK_TEXT(onnx_texts(ENV, node, "texts", &count)[6], "red");
    CHECK_TEXT(onnx_texts(ENV, node, "texts", &count)[7], "rod");
    CHECK_INT(count, 8);
    CHECK(isnan(onnx_value(ENV, node, "integer", 9)) && onnx_values(ENV, node, "wholes", &count, NULL)[1] == -6 && onnx_attribute(node, "wholes")->whole);
    CHECK_FAILS(host, ERROR_DATA, "whose attribute \"far\" is no number", onnx_value(ENV, node, "far", 9));
    CHECK_FAILS(host, ERROR_DATA, "whose attribute \"wholes\" is no list of texts", onnx_texts(ENV, node, "wholes", &count));
    CHECK_FAILS(host, ERROR_DATA, "has a node Cast whose attribute \"float\" is no text", onnx_text(ENV, node, "float", NULL));
    CHECK_FAILS(host, ERROR_DATA, "whose attribute \"text\" is no number", onnx_value(ENV, node, "text", 9));
    CHECK_FAILS(host, ERROR_DATA, "whose attribute \"text\" is no list of numbers", onnx_values(ENV, node, "text", &count, NULL));
    CHECK_FAILS(host, ERROR_DATA, "whose attribute \"texts\" is no list of numbers", onnx_values(ENV, node, "texts", &count, NULL));
    CHECK_FAILS(host, ERROR_DATA, "whose attribute \"floats\" is no list of texts", onnx_texts(ENV, node, "floats", &count));
    onnx_forget(ENV, node, "floats");
    onnx_forget(ENV, node, "floats");
    onnx_forget(ENV, node, "text");
    CHECK(onnx_values(ENV, node, "floats", &count, NULL) == NULL);

    attributes[COUNT] = named("more");
    proto_bytes(&attributes[COUNT], ONNX_ATTRIBUTE_FLOATS, numbers, sizeof numbers);
    node = node_of(attributes, COUNT + 1);
    CHECK_FAILS(host, ERROR_DATA, "with both \"more\" and a tensor of them", onnx_values(ENV, node, "more", &count, NULL));
    attributes[0] = named("less_as_tensor");
    attributes[1] = named("words_as_tensor");
    tensor = tensor_of(ONNX_STRING, 1, 0);
    proto_string(&tensor, ONNX_TENSOR_STRINGS, "red");
    proto_message(&attributes[1], ONNX_ATTRIBUTE_TENSOR, &tensor);
    node = node_of(attributes, 2);
    CHECK_FAILS(host, ERROR_DATA, "whose attribute \"less\" is no tensor of numbers", onnx_values(ENV, node, "less", &count, NULL));
    CHECK_FAILS(host, ERROR_DATA, "whose attribute \"words\" is no tensor of numbers", onnx_values(ENV, node, "words", &count, NULL));
    attributes[0] = named("both");
    proto_float(&attributes[0], ONNX_ATTRIBUTE_FLOATS, 1);
    proto_string(&attributes[0], ONNX_ATTRIBUTE_STRINGS, "one");
    CHECK_FAILS(host, ERROR_DATA, "attribute \"both\" has texts and numbers", node_of(attributes, 1));
    attributes[0] = named("texts");
    proto_string(&attributes[0], ONNX_ATTRIBUTE_STRINGS, "one");
    proto_varint(&attributes[0], ONNX_ATTRIBUTE_STRINGS, 2);
    CHECK_FAILS(host, ERROR_DATA, "field 9 is no text", node_of(attributes, 1));
}

/* ---- the document ---- */

static TextBuffer port(uint64_t columns)
{
    TextBuffer rows = message(), size = message(), shape = message(), type = message(), out = message();

    proto_string(&rows, ONNX_DIMENSION_NAME, "N");
    proto_varint(&size, ONNX_DIMENSION_VALUE, columns);
    proto_string(&size, ONNX_DIMENSION_NAME, "K");
    proto_message(&shape, ONNX_SHAPE_DIMENSION, &rows);
    proto_varint(&shape, 7, 1); /* a field that nothing reads */
    proto_message(&shape, ONNX_SHAPE_DIMENSION, &size);
    proto_message(&shape, ONNX_SHAPE_DIMENSION, &size);
    proto_varint(&type, ONNX_TYPE_ELEMENT, ONNX_DOUBLE);
    proto_message(&type, ONNX_TYPE_SHAPE, &shape);
    type = wrapped(ONNX_TYPE_TENSOR, type);
    proto_varint(&type, 6, 1);
    proto_string(&out, ONNX_VALUE_NAME, "x");
    proto_message(&out, ONNX_VALUE_TYPE, &type);
    return out;
}

static void test_documents(void)
{
    OnnxDocument *out = read(document(ONNX_GRAPH_INPUT, port(4)));
    TextBuffer two = document(ONNX_GRAPH_OUTPUT, port(1)), graph = message(), empty = message(), node = message();
    static const uint8_t high[] = {0xfa, 0x01, 0x00, 0x08, 0x08};

    CHECK(out->inputs == 1 && out->outputs == 0 && out->input->type == ONNX_DOUBLE && out->input->columns == 4);
    CHECK_TEXT(out->input->name, "x");
    CHECK_INT(read(document(ONNX_GRAPH_OUTPUT, port(0)))->output->columns, 0);
    CHECK_INT(read(document(ONNX_GRAPH_OUTPUT, port((uint64_t)1 << 32)))->output->columns, 0);
    refused(document(ONNX_GRAPH_SPARSE, message()), "has sparse tensors, which are not read");
    CHECK(onnx_recognize((const uint8_t *)two.text, two.length) && !onnx_recognize((const uint8_t *)two.text, two.length - 1));
    proto_message(&two, ONNX_MODEL_GRAPH, &graph);
    refused(two, "it has two graphs");
    proto_varint(&empty, ONNX_MODEL_IR, 8);
    refused(empty, "has no graph");
    CHECK(!onnx_recognize((const uint8_t *)empty.text, empty.length) && !onnx_recognize(high, sizeof high));
    proto_string(&empty, 3, "more");
    proto_varint(&empty, ONNX_MODEL_GRAPH, 1);
    CHECK(!onnx_recognize((const uint8_t *)empty.text, empty.length));
    refused(empty, "field 7 is no message");
    empty = message();
    proto_message(&empty, ONNX_MODEL_GRAPH, &graph);
    for (int i = 0; i < 999; i++)
        proto_varint(&empty, ONNX_MODEL_IR, 8);
    CHECK(onnx_recognize((const uint8_t *)empty.text, empty.length));
    proto_varint(&empty, ONNX_MODEL_IR, 8); /* nobody writes so many */
    CHECK(!onnx_recognize((const uint8_t *)empty.text, empty.length));
    empty = message();
    proto_string(&empty, ONNX_MODEL_IR, "eight");
    proto_message(&empty, ONNX_MODEL_GRAPH, &graph);
    CHECK(!onnx_recognize((const uint8_t *)empty.text, empty.length));
    for (int i = 0; i < 1000001; i++)
        proto_string(&node, ONNX_NODE_INPUT, "");
    refused(document(ONNX_GRAPH_NODE, node), "inputs of a node in one place; at most ");
}

int main(void)
{
    host = host_new();
    host->env.memory_limit = (size_t)1 << 30;
    test_tensors();
    test_damaged_tensors();
    test_damaged_fields();
    test_attributes();
    test_documents();
    host_free(host);
    return check_report();
}
