/*
 * onnx_read.h - reads the messages of an ONNX document: nodes with their attributes, constants, inputs and outputs.
 *
 * Every length is compared with the bytes that are left (protobuf.h). Graphs inside of graphs are refused where a node has one, so that
 * messages nest as deep as the functions here and no deeper. All functions fail with ERROR_DATA.
 */
#ifndef PGFIT_ONNX_READ_H
#define PGFIT_ONNX_READ_H

#include "core/base/env.h"
#include "core/onnx/onnx_format.h"

typedef struct OnnxTensor {
    const char *name;
    int64_t type; /* OnnxType */
    uint32_t dimensions;
    uint32_t size[2];       /* of the first two dimensions; 1 beyond */
    uint32_t count;         /* elements */
    double *numbers;        /* [count]; NULL: texts */
    const char **texts;     /* [count] zero-terminated; NULL: numbers */
} OnnxTensor;

typedef struct OnnxAttribute {
    const char *name;
    int64_t type;      /* ONNX_IS_..., 0: not said */
    double number;     /* of a float or an integer */
    const char *text;  /* of a string; NULL: none */
    uint32_t count;    /* of lists */
    double *numbers;   /* [count] floats or integers; NULL: none */
    const char **texts; /* [count]; NULL: none */
    OnnxTensor *tensor; /* NULL: none */
    bool whole;        /* number or numbers are integers */
} OnnxAttribute;

typedef struct OnnxNode {
    const char *operator, *domain;
    uint32_t inputs, outputs, attributes;
    const char **input, **output;
    OnnxAttribute *attribute;
} OnnxNode;

/* An input or output of the graph. */
typedef struct OnnxPort {
    const char *name;
    int64_t type;     /* of the elements; 0: no tensor, or not said */
    uint32_t columns; /* 0: not said */
} OnnxPort;

typedef struct OnnxDocument {
    Env *env;
    const char *producer;
    uint32_t nodes, constants, inputs, outputs;
    OnnxNode *node;
    OnnxTensor *constant;
    OnnxPort *input, *output;
} OnnxDocument;

/* Reads a document. */
OnnxDocument *onnx_document(Env *env, const uint8_t *bytes, size_t length);
/* Tells whether bytes look like one: the fields of a model, in any order, and among them a graph. */
bool onnx_recognize(const uint8_t *bytes, size_t length);

/* ---- attributes ---- */

/* Returns an attribute; NULL: the node does not have it. */
const OnnxAttribute *onnx_attribute(const OnnxNode *node, const char *name);
/* Return its value, or a fallback. Fail for another type. */
const char *onnx_text(Env *env, const OnnxNode *node, const char *name, const char *fallback);
double onnx_value(Env *env, const OnnxNode *node, const char *name, double fallback);
/* Returns its numbers, also of a tensor NAME_as_tensor; sets *count, and *exact to whether they are in double precision. NULL: it has none. */
const double *onnx_values(Env *env, const OnnxNode *node, const char *name, uint32_t *count, bool *exact);
/* Returns its texts; NULL: it has none. */
const char *const *onnx_texts(Env *env, const OnnxNode *node, const char *name, uint32_t *count);
/* Frees the numbers of an attribute, which then has none: for the largest lists, which are read once. */
void onnx_forget(Env *env, const OnnxNode *node, const char *name);

/* Fails: the document is damaged, or has what is not read here. */
void onnx_fail(Env *env, const char *format, ...) __attribute__((noreturn, format(printf, 2, 3)));

#endif
