/*
 * onnx_kernel.c - expansions over a kernel as ONNX operators: support vector machines and kernel ridge regression.
 *
 * SVMRegressor and SVMClassifier keep support vectors as floats, so kernels are products of matrices in double precision.
 */
#include "core/onnx/onnx_parts.h"
#include "core/kernel_methods/kernel_model.h"

#include <math.h>

/* Returns points [count x dims] times a factor, transposed. A Mul after the MatMul would do, but onnxruntime joins both by a factor in float. */
static OnnxValue scaled_rows(OnnxWriter *writer, const double *points, uint32_t count, uint32_t dims, double factor)
{
    double *out = env_array(writer->env, (size_t)count * dims + 1, sizeof(double));

    for (size_t i = 0; i < (size_t)count * dims; i++)
        out[i] = points[i] * factor;
    return onnx_transposed(writer, out, count, dims);
}

/* Returns |row - point|^2, [N, count], of points and rows that are near 0, so that the difference of the products keeps its digits. */
static OnnxValue squared_distances(OnnxWriter *writer, OnnxValue row, const double *points, uint32_t count, uint32_t dims)
{
    double *squares = env_array(writer->env, (size_t)count + 1, sizeof(double));
    OnnxValue product, sum;

    for (uint32_t i = 0; i < count; i++)
        for (uint32_t d = 0; d < dims; d++)
            squares[i] += points[(size_t)i * dims + d] * points[(size_t)i * dims + d];
    product = ONNX(writer, "MatMul", row, scaled_rows(writer, points, count, dims, -2));
    sum = ONNX(writer, "Add", onnx_reduce(writer, "ReduceSumSquare", row), onnx_vector(writer, squares, count));
    return ONNX(writer, "Max", ONNX(writer, "Add", product, sum), onnx_number(writer, 0));
}

OnnxValue onnx_squared_distances(OnnxWriter *writer, OnnxValue row, const double *points, uint32_t count, uint32_t dims)
{
    double *center = env_array(writer->env, (size_t)dims + 1, sizeof(double));
    double *moved = env_array(writer->env, (size_t)count * dims + 1, sizeof(double));

    if (writer->python)
        return ONNX(writer, "SquaredDistances", row, onnx_matrix(writer, points, count, dims));
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t d = 0; d < dims; d++)
            center[d] += (points[(size_t)i * dims + d] - center[d]) / (i + 1);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t d = 0; d < dims; d++)
            moved[(size_t)i * dims + d] = points[(size_t)i * dims + d] - center[d];
    return squared_distances(writer, ONNX(writer, "Sub", row, onnx_vector(writer, center, dims)), moved, count, dims);
}

/* Returns products of points, which are to be multiplied by the scale of the model, and its rows, times gamma where the kernel has one; [N, count]. */
static OnnxValue scaled_products(OnnxWriter *writer, const KernelView *view, OnnxValue point)
{
    double *rows = env_array(writer->env, (size_t)view->count * view->dims + 1, sizeof(double));
    double factor = view->phases != NULL || view->kernel.kind == KERNEL_LINEAR ? 1 : view->kernel.gamma;

    for (uint32_t i = 0; i < view->count; i++)
        for (uint32_t d = 0; d < view->dims; d++)
            rows[(size_t)i * view->dims + d] = view->rows[(size_t)i * view->dims + d] * (view->scale != NULL ? view->scale[d] : 1);
    return ONNX(writer, "MatMul", point, scaled_rows(writer, rows, view->count, view->dims, factor));
}

/* Returns the kernel between centered points and the rows of the model, [N, count]. */
static OnnxValue kernel_values(OnnxWriter *writer, const Model *model, const KernelView *view, OnnxValue point)
{
    const Kernel *kernel = &view->kernel;
    OnnxValue product;

    if (view->phases != NULL) {
        product = ONNX(writer, "Add", scaled_products(writer, view, point), onnx_vector(writer, view->phases, view->count));
        return ONNX(writer, "Cos", onnx_times(writer, product, 2 * M_PI));
    }
    if (!kernel_is_simple(kernel))
        onnx_refuse(writer, model, env_message(writer->env, "kernel %s is not one of rbf, polynomial, sigmoid and linear", kernel_name(kernel->kind)));
    if (kernel->kind == KERNEL_RBF) {
        if (view->scale != NULL)
            point = ONNX(writer, "Mul", point, onnx_vector(writer, view->scale, view->dims));
        return ONNX(writer, "Exp", onnx_times(writer, onnx_squared_distances(writer, point, view->rows, view->count, view->dims), -kernel->gamma));
    }
    product = scaled_products(writer, view, point);
    if (kernel->kind == KERNEL_LINEAR)
        return product;
    product = onnx_plus(writer, product, kernel->coef0);
    return kernel->kind == KERNEL_SIGMOID ? ONNX(writer, "Tanh", product) : ONNX(writer, "Pow", product, onnx_number(writer, kernel->degree));
}

/* Returns the scores of all problems, [N, problems]. */
static OnnxValue kernel_scores(OnnxWriter *writer, const Model *model, OnnxValue row)
{
    KernelView view;
    OnnxValue value;

    kernel_view(model, &view);
    value = onnx_model_terms(writer, model, row, view.dims, view.terms.slot, view.terms.level);
    if (view.center != NULL)
        value = ONNX(writer, "Sub", value, onnx_vector(writer, view.center, view.dims));
    value = kernel_values(writer, model, &view, value);
    value = ONNX(writer, "MatMul", value, onnx_transposed(writer, view.multipliers, view.problems, view.count));
    return view.intercept != NULL ? ONNX(writer, "Add", value, onnx_vector(writer, view.intercept, view.problems)) : value;
}

static void kernel_regression(OnnxWriter *writer, const Model *model, OnnxValue row)
{
    if (kernel_model_is(model))
        onnx_prediction(writer, kernel_scores(writer, model, row));
    else
        onnx_linear_regression(writer, model, row);
}

static void kernel_classifier(OnnxWriter *writer, const Model *model, OnnxValue row)
{
    OnnxValue scores;
    bool pairs;

    if (!kernel_model_is(model)) {
        onnx_linear_classifier(writer, model, row);
        return;
    }
    pairs = onnx_has_pairs(writer, model);
    scores = kernel_scores(writer, model, row);
    if (kernel_model_problems(model) == 1)
        onnx_two_classes(writer, model, scores, false);
    else
        onnx_scores_of_classes(writer, model, scores, pairs);
}

static void one_class(OnnxWriter *writer, const Model *model, OnnxValue row)
{
    OnnxValue score = kernel_scores(writer, model, row);

    onnx_outlier(writer, score, ONNX(writer, "GreaterOrEqual", score, onnx_number(writer, 0)));
}

const OnnxMethod onnx_kernel_methods[] = {{"kernel_ridge", kernel_regression, NULL, false},
                                          {"one_class_svm", one_class, NULL, false},
                                          {"svm_classifier", kernel_classifier, NULL, false},
                                          {"svm_regression", kernel_regression, NULL, false},
                                          {NULL, NULL, NULL, false}};
