/*
 * onnx_neighbors.c - methods that keep their rows, for modules of Python: operator Neighbors compares each row with all that are stored.
 *
 * Rows and points are coordinates of metric.h, and sums of differences are added in the order of loop_join, so that distances have the
 * same bits, and so ties the same neighbors. ONNX has no operators for it.
 */
#include "core/onnx/onnx_parts.h"
#include "core/neighbors/neighbors_model.h"

#include <math.h>

/* Fails unless coordinates follow from the row by differences and products, and distances from sums over them. */
static void require_metric(const OnnxWriter *writer, const Neighbors *neighbors)
{
    const Metric *metric = neighbors->metric;
    bool sums = metric->form == FORM_SQUARES || metric->form == FORM_ABSOLUTE || metric->form == FORM_LARGEST ||
                metric->form == FORM_POWERS || metric->form == FORM_DIFFERING;

    if (!sums || metric->factor != NULL || metric->kind == METRIC_ANGULAR || metric->kind == METRIC_HAVERSINE ||
        metric->kind == METRIC_CORRELATION || metric->kind == METRIC_KERNEL)
        onnx_refuse(writer, neighbors->model, env_message(writer->env, "its metric is %s", metric_name(metric->kind)));
    for (uint32_t i = 0; metric->ordered != NULL && i < metric->numbers; i++)
        if (metric->ordered[i])
            onnx_refuse(writer, neighbors->model, "its metric takes the levels of an enum as numbers");
    if (neighbors->expression != NULL)
        onnx_refuse(writer, neighbors->model, "its weights are an expression of distance");
}

/* Returns the coordinates of the row before they get length 1 or a scale, [N, width]. */
static OnnxValue place_row(OnnxWriter *writer, const Metric *metric, OnnxValue row)
{
    uint32_t *slots = env_array(writer->env, metric->numbers + metric->symbols + 1, sizeof(uint32_t));
    double *origin = env_array(writer->env, metric->width + 1, sizeof(double)),
           *scales = env_array(writer->env, metric->width + 1, sizeof(double));

    if (metric->plain)
        return row;
    for (uint32_t i = 0; i < metric->width; i++) {
        bool number = i < metric->numbers;

        slots[i] = number ? metric->number_slots[i] : metric->symbol_slots[i - metric->numbers];
        origin[i] = number && metric->origin != NULL ? metric->origin[i] : 0;
        scales[i] = number && metric->scales != NULL ? metric->scales[i] : 1;
    }
    row = onnx_columns(writer, row, slots, metric->width);
    if (metric->origin != NULL)
        row = ONNX(writer, "Sub", row, onnx_vector(writer, origin, metric->width));
    return metric->scales != NULL ? ONNX(writer, "Mul", row, onnx_vector(writer, scales, metric->width)) : row;
}

/* Returns the coordinates of the stored rows, [count x width]. */
static OnnxValue place_points(OnnxWriter *writer, const Neighbors *neighbors)
{
    uint32_t width = neighbors->metric->width;
    double *points = env_array(writer->env, (size_t)neighbors->count * width + 1, sizeof(double));

    for (uint32_t i = 0; i < neighbors->count; i++) {
        metric_place(neighbors->metric, neighbors->exemplars + (size_t)i * neighbors->slots, points + (size_t)i * width);
        env_poll_rows(writer->env, i);
    }
    return onnx_matrix(writer, points, neighbors->count, width);
}

/* Adds what the operator must know, in the order in which its class in python_runtime.c takes it. */
static void add_rule(OnnxAttributes *out, const Neighbors *neighbors)
{
    const Metric *metric = neighbors->metric;
    const NeighborRule *rule = &neighbors->rule;
    double root = metric->kind == METRIC_SQUARED_EUCLIDEAN || metric->kind == METRIC_COSINE ? 1
                  : metric->form == FORM_SQUARES                                            ? 2
                  : metric->form == FORM_POWERS                                             ? metric->p
                                                                                            : 1;
    double scale = metric->directions ? 1 : metric->scale;
    double divisor = metric->kind == METRIC_COSINE              ? 2
                     : metric->kind == METRIC_GOWER             ? metric->width
                     : metric->kind == METRIC_SQUARED_EUCLIDEAN ? scale * scale
                     : metric->form == FORM_DIFFERING           ? 1
                                                                : scale;
    double power = metric->form == FORM_DIFFERING  ? 0
                   : metric->form == FORM_SQUARES  ? 2
                   : metric->form == FORM_ABSOLUTE ? 1
                   : metric->form == FORM_LARGEST  ? INFINITY
                                                   : metric->p;

    onnx_double_tensor(out, "metric_as_tensor", (double[]){power, metric->numbers, metric->unit, metric->directions, scale, root, divisor},
                       7);
    onnx_double_tensor(
        out, "rule_as_tensor",
        (double[]){rule->k, rule->radius, rule->inclusive, rule->weights, rule->gamma, neighbors->frequency, rule->nearest_tie}, 7);
    onnx_integer(out, "classes", neighbors->classes);
    onnx_integer(out, "outlier", neighbors->outlier != NULL ? *neighbors->outlier : -1);
}

/* Returns what the neighbors say: their mean, [N, 1], or of classes their shares and the position of the class that wins, [N, classes + 1].
 */
static OnnxValue neighbor_scores(OnnxWriter *writer, const Model *model, OnnxValue row)
{
    size_t bytes;
    const Neighbors *neighbors = neighbors_prepare(writer->env, model, &bytes);
    double *values = env_array(writer->env, (size_t)neighbors->count + 1, sizeof(double)),
           *weights = env_array(writer->env, (size_t)neighbors->count + 1, sizeof(double));
    OnnxAttributes attributes = {.env = writer->env};

    require_metric(writer, neighbors);
    add_rule(&attributes, neighbors);
    for (uint32_t i = 0; i < neighbors->count; i++) {
        values[i] = neighbors->classes > 0 ? (double)neighbors->labels[i] : neighbors->targets[i];
        weights[i] = neighbors->weights != NULL ? neighbors->weights[i] : 1;
    }
    row = place_row(writer, neighbors->metric, row);
    return ONNX_WITH(writer, &attributes, "Neighbors", row, place_points(writer, neighbors), onnx_vector(writer, values, neighbors->count),
                     onnx_vector(writer, weights, neighbors->count));
}

static void knn_regression(OnnxWriter *writer, const Model *model, OnnxValue row)
{
    onnx_prediction(writer, neighbor_scores(writer, model, row));
}

static void knn_classifier(OnnxWriter *writer, const Model *model, OnnxValue row)
{
    uint32_t classes = dictionary_size(model, DICTIONARY_CLASSES), *columns = env_array(writer->env, (size_t)classes + 1, sizeof(uint32_t));
    OnnxValue scores = neighbor_scores(writer, model, row), index, numbers;
    int64_t flat = -1;

    for (uint32_t k = 0; k < classes; k++)
        columns[k] = k;
    index = onnx_cast(writer, onnx_columns(writer, scores, &classes, 1), ONNX_INT64);
    numbers = onnx_columns(writer, scores, columns, classes);
    onnx_label(writer, model, ONNX(writer, "Reshape", index, onnx_int_vector(writer, &flat, 1)), "probabilities", numbers);
}

const OnnxMethod onnx_neighbor_methods[] = {
    {"knn_classifier", knn_classifier, NULL, false}, {"knn_regression", knn_regression, NULL, false}, {NULL, NULL, NULL, false}};
