/*
 * onnx_prepare.c - scalers, encoders, components and clusters as ONNX operators.
 */
#include "core/onnx/onnx_parts.h"
#include "core/kmeans/kmeans.h"
#include "core/moments/model_terms.h"
#include "core/reduce/pca_model.h"

#include <math.h>

/* ---- scalers ---- */

static OnnxValue affine_scaler(OnnxWriter *writer, const Model *model, OnnxValue row)
{
    const double *range = model_f64(model, "range", NULL);
    const ModelEntry *clip = model_find(model, "clip");
    uint32_t slots = model->slot_count;
    OnnxValue value = ONNX(writer, "Sub", row, onnx_vector(writer, model_f64(model, "shift", NULL), slots));

    value = ONNX(writer, "Div", value, onnx_vector(writer, model_f64(model, "scale", NULL), slots));
    if (range == NULL)
        return value;
    value = onnx_plus(writer, value, range[0]);
    if (model_number(model, clip, 0) != 0)
        value = ONNX(writer, "Min", ONNX(writer, "Max", value, onnx_number(writer, range[0])), onnx_number(writer, range[1]));
    return value;
}

/* ---- encoders ---- */

static OnnxValue one_hot(OnnxWriter *writer, const Model *model, OnnxValue row)
{
    uint32_t count = model->slot_count;
    const int64_t *slot = model_i64(model, "column_slot", NULL), *level = model_i64(model, "column_level", NULL);

    if (slot != NULL)
        model_i64(model, "column_slot", &count);
    if (count == 0)
        onnx_refuse(writer, model, "it has no outputs");
    return onnx_model_terms(writer, model, row, count, slot, level);
}

/* Returns the encoding of each level: its mean, or the mean of all for levels that training did not have. */
static OnnxValue target_encoder(OnnxWriter *writer, const Model *model, OnnxValue row)
{
    Env *env = writer->env;
    uint32_t slots = model->slot_count, levels = 0;
    const double *encoding = model_f64(model, "encoding", &levels), mean = *model_f64(model, "target_mean", NULL);
    double *table = env_array(env, (size_t)levels + 1, sizeof(double)); /* -1 is the last */
    OnnxValue *columns = env_array(env, (size_t)slots + 1, sizeof(OnnxValue)), all;
    int64_t one[2] = {-1, 1};

    for (uint32_t l = 0; l < levels; l++)
        table[l] = encoding[l];
    table[levels] = mean;
    for (uint32_t s = 0; s < slots; s++) {
        columns[s] = onnx_columns(writer, row, &s, 1);
        if (schema_field_kind(model, schema_slot_field(model, s)) != FIELD_CATEGORICAL)
            continue;
        all = ONNX(writer, "Reshape", onnx_vector(writer, table, levels + 1), onnx_int_vector(writer, one, 1));
        columns[s] = ONNX(writer, "Gather", all, onnx_cast(writer, columns[s], ONNX_INT64));
    }
    return onnx_concat(writer, columns, slots);
}

/* Returns products of slots: factor j of all outputs at once, with 1 where an output has fewer. */
static OnnxValue polynomial_features(OnnxWriter *writer, const Model *model, OnnxValue row)
{
    const ModelEntry *entry = model_find(model, "factors");
    const int32_t *factors = model_data(model, entry);
    uint32_t outputs = entry->rows, degree = entry->columns, slots = model->slot_count;
    uint32_t *columns = env_array(writer->env, outputs, sizeof(uint32_t));
    OnnxValue wide, product = NULL;

    /* a column of ones follows the slots */
    wide = onnx_concat(writer, (const OnnxValue[]){row, onnx_plus(writer, onnx_zeros(writer, row, slots, 1), 1)}, 2);
    for (uint32_t j = 0; j < degree; j++) {
        OnnxValue factor;

        for (uint32_t i = 0; i < outputs; i++)
            columns[i] = factors[(size_t)i * degree + j] >= 0 ? (uint32_t)factors[(size_t)i * degree + j] : slots;
        factor = onnx_columns(writer, wide, columns, outputs);
        product = product != NULL ? ONNX(writer, "Mul", product, factor) : factor;
    }
    return product;
}

/* Returns how many inner edges are up to each number. */
static OnnxValue bins_of_slot(OnnxWriter *writer, OnnxValue column, const double *inner, uint32_t count)
{
    OnnxValue reached;

    if (count == 0)
        return onnx_times(writer, column, 0);
    reached = ONNX(writer, "GreaterOrEqual", column, onnx_vector(writer, inner, count));
    return onnx_reduce(writer, "ReduceSum", onnx_cast(writer, reached, ONNX_DOUBLE));
}

static OnnxValue quantile_bins(OnnxWriter *writer, const Model *model, OnnxValue row)
{
    const int64_t *bins = model_i64(model, "bins", NULL);
    const double *edges = model_f64(model, "edges", NULL);
    bool onehot = model_number(model, model_find(model, "onehot"), 0) != 0;
    OnnxValue *columns = env_array(writer->env, (size_t)model->slot_count + 1, sizeof(OnnxValue));

    for (uint32_t s = 0; s < model->slot_count; s++) {
        uint32_t count = (uint32_t)bins[s];

        columns[s] = bins_of_slot(writer, onnx_columns(writer, row, &s, 1), edges + 1, count - 1);
        edges += count + 1;
        if (onehot) {
            double *numbers = env_array(writer->env, count, sizeof(double));

            for (uint32_t i = 0; i < count; i++)
                numbers[i] = i;
            columns[s] = onnx_cast(writer, ONNX(writer, "Equal", columns[s], onnx_vector(writer, numbers, count)), ONNX_DOUBLE);
        }
    }
    return onnx_concat(writer, columns, model->slot_count);
}

/* ---- components and clusters ---- */

static OnnxValue pca_scores(OnnxWriter *writer, const Model *model, OnnxValue row)
{
    PcaModel pca;
    double *factors;
    OnnxValue value;

    pca_open(model, &pca);
    value = onnx_model_terms(writer, model, row, pca.terms.count, pca.terms.slot, pca.terms.level);
    value = ONNX(writer, "Sub", value, onnx_vector(writer, pca.means, pca.terms.count));
    factors = env_array(writer->env, (size_t)pca.k * pca.terms.count, sizeof(double));
    for (uint32_t i = 0; i < pca.k; i++)
        for (uint32_t t = 0; t < pca.terms.count; t++) {
            size_t at = (size_t)i * pca.terms.count + t;

            factors[at] = pca.components[at] * (pca.whitening != NULL ? pca.whitening[i] : 1) / (pca.scale != NULL ? pca.scale[t] : 1);
        }
    return ONNX(writer, "MatMul", value, onnx_transposed(writer, factors, pca.k, pca.terms.count));
}

static void kmeans(OnnxWriter *writer, const Model *model, OnnxValue row)
{
    KmeansModel view = kmeans_view(model);
    double *centroids = env_array(writer->env, (size_t)view.k * view.dims + 1, sizeof(double));
    OnnxAttributes attributes = {.env = writer->env};
    OnnxValue squares;

    memcpy(centroids, view.centroids, (size_t)view.k * view.dims * sizeof(double));
    if (view.scale.columns > 0) {
        for (uint32_t c = 0; c < view.k; c++)
            row_scale_apply(&view.scale, centroids + (size_t)c * view.dims, centroids + (size_t)c * view.dims);
        row = ONNX(writer, "Sub", row, onnx_vector(writer, view.scale.center, view.dims));
        row = ONNX(writer, "Mul", row, onnx_vector(writer, view.scale.scale, view.dims));
    }
    squares = onnx_squared_distances(writer, row, centroids, view.k, view.dims);
    onnx_integer(&attributes, "axis", 1);
    onnx_integer(&attributes, "keepdims", 0);
    onnx_output(writer, "label", ONNX_WITH(writer, &attributes, "ArgMin", squares), ONNX_INT64, 0);
    onnx_numbers(writer, "scores", ONNX(writer, "Sqrt", squares), view.k);
}

const OnnxMethod onnx_prepare_methods[] = {{"kmeans", kmeans, NULL, false},
                                           {"minmax_scaler", NULL, affine_scaler, false},
                                           {"one_hot", NULL, one_hot, false},
                                           {"pca", NULL, pca_scores, true},
                                           {"polynomial_features", NULL, polynomial_features, false},
                                           {"quantile_bins", NULL, quantile_bins, false},
                                           {"robust_scaler", NULL, affine_scaler, true},
                                           {"standard_scaler", NULL, affine_scaler, true},
                                           {"target_encoder", NULL, target_encoder, false},
                                           {NULL, NULL, NULL, false}};
