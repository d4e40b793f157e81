/*
 * onnx_parts.h - what the writers of ONNX graphs for single methods share.
 *
 * A graph makes the encoded row of schema.h first, [N, slots] in double precision with categories as positions in the dictionary; each
 * stage of a pipeline takes such a matrix and makes the next. The last stage adds the outputs.
 */
#ifndef PGFIT_ONNX_PARTS_H
#define PGFIT_ONNX_PARTS_H

#include "core/estimator/estimator.h"
#include "core/onnx/onnx_write.h"

/* How a method is written. NULL: not in this place of a pipeline. */
typedef struct OnnxMethod {
    const char *name; /* of the estimator */
    void (*score)(OnnxWriter *writer, const Model *model, OnnxValue row);          /* adds the outputs */
    OnnxValue (*transform)(OnnxWriter *writer, const Model *model, OnnxValue row); /* [N, outputs] */
    bool keeps_nan; /* a NaN among the numbers of a row makes the outputs NaN */
} OnnxMethod;

/* Tables that end with a NULL name: onnx_linear.c, onnx_kernel.c, onnx_trees.c, onnx_normal.c, onnx_prepare.c; for Python alone onnx_neighbors.c. */
extern const OnnxMethod onnx_linear_methods[], onnx_kernel_methods[], onnx_tree_methods[], onnx_normal_methods[], onnx_prepare_methods[], onnx_neighbor_methods[];

/* Fails with ERROR_KIND: the format cannot say this of the model. */
void onnx_refuse(const OnnxWriter *writer, const Model *model, const char *what) __attribute__((noreturn));

/* A term of a design: a slot, or a level of a categorical one. */
typedef struct OnnxTerm {
    uint32_t slot;
    int64_t level; /* dictionary position, or -1 */
} OnnxTerm;
/* Returns the values of terms, [N, count]; of all slots in order the row itself. */
OnnxValue onnx_terms(OnnxWriter *writer, OnnxValue row, uint32_t slots, const OnnxTerm *terms, uint32_t count);
/* Does that for the terms of a model (model_terms.h); slot NULL: the slots. */
OnnxValue onnx_model_terms(OnnxWriter *writer, const Model *model, OnnxValue row, uint32_t count, const int64_t *slot, const int64_t *level);

/* Return value + number, value x number, and exponentials divided by their sum per row. */
OnnxValue onnx_plus(OnnxWriter *writer, OnnxValue value, double number);
OnnxValue onnx_times(OnnxWriter *writer, OnnxValue value, double number);
OnnxValue onnx_softmax(OnnxWriter *writer, OnnxValue scores);
/* Returns zeros, [N, columns]; NaN for rows with NaN. */
OnnxValue onnx_zeros(OnnxWriter *writer, OnnxValue row, uint32_t slots, uint32_t columns);

/* Adds an output of numbers, [N, columns], which are NaN for rows without a score. */
void onnx_numbers(OnnxWriter *writer, const char *name, OnnxValue value, uint32_t columns);
/* Adds the output of a regression, [N, 1]. */
void onnx_prediction(OnnxWriter *writer, OnnxValue value);
/*
 * Adds label, [N], and numbers per class, [N, classes], under this name; NULL: none. index: of the class, INT64 [N].
 */
void onnx_label(OnnxWriter *writer, const Model *model, OnnxValue index, const char *name, OnnxValue numbers);
/* Adds the scores that decide between classes, which Python alone gets. */
void onnx_decision(OnnxWriter *writer, OnnxValue scores, uint32_t columns);
/* Adds the outputs of a method that finds outliers: label and scores. inside: BOOL [N, 1]. */
void onnx_outlier(OnnxWriter *writer, OnnxValue score, OnnxValue inside);
/* Return the index of the class with the largest number, the first of equals; and of two classes by the sign of a score, [N, 1], above 0: positive. */
OnnxValue onnx_largest(OnnxWriter *writer, OnnxValue numbers);
OnnxValue onnx_by_sign(OnnxWriter *writer, const Model *model, OnnxValue score);
/* Returns two columns in the order of the classes from those of the positive and the negative class. */
OnnxValue onnx_pair(OnnxWriter *writer, const Model *model, OnnxValue positive, OnnxValue negative);

/* ---- of linear and kernel classifiers (onnx_linear.c) ---- */

/* Add the outputs of a model of linear equations. */
void onnx_linear_regression(OnnxWriter *writer, const Model *model, OnnxValue row);
void onnx_linear_classifier(OnnxWriter *writer, const Model *model, OnnxValue row);
/* Adds the outputs of two classes with one score, [N, 1], above 0 for the positive one. probabilities: logistic ones. */
void onnx_two_classes(OnnxWriter *writer, const Model *model, OnnxValue score, bool probabilities);
/* Adds the outputs of several classes without probabilities. pairs: each score is of a pair (multiclass.h), else of a class. */
void onnx_scores_of_classes(OnnxWriter *writer, const Model *model, OnnxValue scores, bool pairs);
/* Tells whether the scores of a classifier are those of pairs. Refuses output codes. */
bool onnx_has_pairs(OnnxWriter *writer, const Model *model);
/* Returns the squared distances of rows from points [count x dims], [N, count] (onnx_kernel.c). */
OnnxValue onnx_squared_distances(OnnxWriter *writer, OnnxValue row, const double *points, uint32_t count, uint32_t dims);

#endif
