/*
 * onnx_write.h - writes an ONNX model: a graph of operators, made node by node.
 *
 * A value is the name of a tensor. Names that the writer gives, such as "/12", are those of no feature.
 */
#ifndef PGFIT_ONNX_WRITE_H
#define PGFIT_ONNX_WRITE_H

#include "core/onnx/onnx_format.h"
#include "core/onnx/protobuf.h"
#include "core/model/model.h"

typedef const char *OnnxValue;

/* What a member of an ensemble says; NULL: it has no such output. */
typedef struct OnnxScores {
    OnnxValue prediction, probabilities; /* [N, 1], [N, classes] */
    OnnxValue label;                     /* [N] position of the class */
    OnnxValue missing;                   /* [N, 1] NaN for rows without an answer, else 0; NULL: all have one */
} OnnxScores;

typedef struct OnnxWriter {
    Env *env;
    const Model *reads;  /* schema of the rows that the graph reads */
    const Model *schema; /* by which a row is encoded: the same, or that of a member of an ensemble */
    TextBuffer nodes, constants, inputs, outputs; /* fields of the graph */
    bool python;         /* the graph is for core/exchange/python_write.c, which has what ONNX lacks */
    uint32_t named;      /* values that have been given names */
    OnnxScores *scores;  /* outputs become these; NULL: they are written */
    OnnxValue missing;   /* [N, 1]: NaN for rows without a score, else 0; NULL: the outputs follow from the row */
} OnnxWriter;

OnnxWriter *onnx_writer(Env *env, const Model *schema);
/* Writes the model. estimator: the name of the graph. */
void onnx_finish(OnnxWriter *writer, const char *estimator, TextBuffer *out);

/* ---- attributes of a node, into a buffer of their own ---- */

typedef TextBuffer OnnxAttributes; /* {.env = env} */
void onnx_integer(OnnxAttributes *out, const char *name, int64_t value);
void onnx_integers(OnnxAttributes *out, const char *name, const int64_t *values, size_t count);
void onnx_float(OnnxAttributes *out, const char *name, float value);
void onnx_floats(OnnxAttributes *out, const char *name, const float *values, size_t count);
/* Adds strings; lengths NULL: they are zero-terminated. Fails with ERROR_KIND for bytes that are not UTF-8. */
void onnx_strings(OnnxAttributes *out, const char *name, const char *const *strings, const uint32_t *lengths, size_t count);
/* Adds a tensor of one dimension. */
void onnx_double_tensor(OnnxAttributes *out, const char *name, const double *values, size_t count);

/* ---- values ---- */

/* Adds a node and returns its only output. attributes: NULL: none; inputs: NULL at the end. */
OnnxValue onnx_node(OnnxWriter *writer, const char *domain, const char *operator, const OnnxAttributes *attributes, const OnnxValue *inputs);
#define ONNX(writer, operator, ...) onnx_node(writer, "", operator, NULL, (const OnnxValue[]){__VA_ARGS__, NULL})
#define ONNX_WITH(writer, attributes, operator, ...) onnx_node(writer, "", operator, attributes, (const OnnxValue[]){__VA_ARGS__, NULL})
#define ONNX_ML(writer, attributes, operator, input) onnx_node(writer, ONNX_ML_DOMAIN, operator, attributes, (const OnnxValue[]){input, NULL})
/* Add nodes with the one attribute that they need. */
OnnxValue onnx_cast(OnnxWriter *writer, OnnxValue value, OnnxType type);
/* By axis 1, which stays with one element: "ReduceSumSquare", "ReduceMin". */
OnnxValue onnx_reduce(OnnxWriter *writer, const char *operator, OnnxValue value);
OnnxValue onnx_concat(OnnxWriter *writer, const OnnxValue *values, uint32_t count);

/* Return constants: a matrix, a vector that is one row, one number. */
OnnxValue onnx_matrix(OnnxWriter *writer, const double *numbers, uint32_t rows, uint32_t columns);
OnnxValue onnx_vector(OnnxWriter *writer, const double *numbers, uint32_t count);
OnnxValue onnx_number(OnnxWriter *writer, double number);
OnnxValue onnx_int_vector(OnnxWriter *writer, const int64_t *numbers, uint32_t count);
OnnxValue onnx_bool_vector(OnnxWriter *writer, const uint8_t *flags, uint32_t count);
OnnxValue onnx_string_vector(OnnxWriter *writer, const char *const *strings, uint32_t count);
/* Returns the transpose of a matrix as a constant. */
OnnxValue onnx_transposed(OnnxWriter *writer, const double *numbers, uint32_t rows, uint32_t columns);
/* Returns columns of a matrix. */
OnnxValue onnx_columns(OnnxWriter *writer, OnnxValue matrix, const uint32_t *columns, uint32_t count);

/* Adds an input or an output of as many rows as come and so many columns; 0: of one dimension. Returns the value of an input. */
OnnxValue onnx_input(OnnxWriter *writer, const char *name, uint32_t length, OnnxType type, uint32_t columns);
void onnx_output(OnnxWriter *writer, const char *name, OnnxValue value, OnnxType type, uint32_t columns);

#endif
