/*
 * onnx_import_linear.c - LinearRegressor and LinearClassifier.
 */
#include "core/exchange/onnx_import.h"
#include "core/linear_equations/linear_equations.h"

#include <math.h>

/* The coefficients of a node: [equations x columns], and its intercepts [equations]; NULL: none. */
typedef struct Equations {
    uint32_t count;
    const double *coef, *intercept;
} Equations;

static Equations read_equations(OnnxImport *import, const char *what)
{
    Env *env = import->env;
    uint32_t numbers, intercepts;
    Equations out;

    out.coef = onnx_values(env, import->scorer, "coefficients", &numbers, NULL);
    out.intercept = onnx_values(env, import->scorer, "intercepts", &intercepts, NULL);
    if (import->row.columns == 0 || numbers == 0 || numbers % import->row.columns != 0)
        onnx_fail(env, "has a %s of %u coefficients for %u columns", what, numbers, import->row.columns);
    out.count = numbers / import->row.columns;
    if (out.intercept != NULL && intercepts != out.count)
        onnx_fail(env, "has a %s of %u equations with %u intercepts", what, out.count, intercepts);
    for (uint32_t i = 0; i < numbers; i++)
        if (!isfinite(out.coef[i]))
            onnx_fail(env, "has a coefficient that is not finite");
    for (uint32_t i = 0; i < intercepts; i++)
        if (!isfinite(out.intercept[i]))
            onnx_fail(env, "has an intercept that is not finite");
    return out;
}

static void add_equations(OnnxImport *import, ModelBuilder *builder, const Equations *equations)
{
    if (equations->count > 1)
        builder_f64_matrix(builder, SECTION_ARRAYS, "coef", equations->coef, equations->count, import->row.columns);
    else
        builder_f64(builder, SECTION_ARRAYS, "coef", equations->coef, import->row.columns);
    if (equations->intercept != NULL)
        builder_f64(builder, SECTION_ARRAYS, "intercept", equations->intercept, equations->count);
}

Model *onnx_import_linear_regressor(OnnxImport *import)
{
    Env *env = import->env;
    const char *transform = onnx_text(env, import->scorer, "post_transform", "NONE");
    Equations equations = read_equations(import, "LinearRegressor");
    ModelBuilder *builder;
    const Model *rows;

    if (equations.count != 1 || onnx_value(env, import->scorer, "targets", 1) != 1)
        onnx_fail(env, "has a LinearRegressor of %u targets; one is read", equations.count);
    if (strcmp(transform, "NONE") != 0)
        onnx_fail(env, "has a LinearRegressor with the post_transform %.40s, which is not read", transform);
    builder = import_row_begin(import->env, &import->row, "linear_regression", 0, NULL, &rows);
    add_equations(import, builder, &equations);
    return model_build(builder);
}

/* Tells whether the first of two equations is the other with all signs changed, as converters write two classes. */
static bool are_opposite(const OnnxImport *import, const Equations *equations)
{
    bool opposite = equations->count == 2;

    for (uint32_t i = 0; opposite && i < import->row.columns; i++)
        opposite = equations->coef[i] == -equations->coef[import->row.columns + i];
    return opposite && (equations->intercept == NULL || equations->intercept[0] == -equations->intercept[1]);
}

Model *onnx_import_linear_classifier(OnnxImport *import)
{
    Env *env = import->env;
    const char *transform = onnx_text(env, import->scorer, "post_transform", "NONE");
    Equations equations = read_equations(import, "LinearClassifier");
    uint32_t classes;
    const char *const *labels = onnx_import_labels(import, "classlabels_strings", "classlabels_ints", &classes);
    int64_t *link = env_array(env, 1, sizeof(int64_t));
    const Model *rows;
    ModelBuilder *builder;

    *link = strcmp(transform, "LOGISTIC") == 0 ? LINK_LOGISTIC : strcmp(transform, "SOFTMAX") == 0 ? LINK_SOFTMAX : LINK_NONE;
    if (*link == LINK_NONE && strcmp(transform, "NONE") != 0)
        onnx_fail(env, "has a LinearClassifier with the post_transform %.40s, which is not read", transform);
    if (classes < 2 || equations.count != (equations.count == 1 ? classes - 1 : classes))
        onnx_fail(env, "has a LinearClassifier of %u equations for %u classes", equations.count, classes);
    if (*link == LINK_LOGISTIC && classes > 2 && !import->normalized)
        onnx_fail(env, "has logistic probabilities of %u classes that no Normalizer divides by their sum, which is not read", classes);
    if (*link == LINK_SOFTMAX && equations.count == 1)
        onnx_fail(env, "has a LinearClassifier of one equation with the post_transform SOFTMAX, which is not read");
    if (*link != LINK_SOFTMAX && are_opposite(import, &equations)) {
        equations.coef += import->row.columns;
        equations.intercept = equations.intercept == NULL ? NULL : equations.intercept + 1;
        equations.count = 1;
    }
    if (*link == LINK_NONE && import->normalized)
        onnx_fail(env, "has scores of a LinearClassifier that a Normalizer divides by their sum, which is not read");
    builder = import_row_begin(import->env, &import->row, *link != LINK_NONE ? "logistic_regression" : "svm_classifier", classes, labels, &rows);
    add_equations(import, builder, &equations);
    if (*link != LINK_NONE)
        builder_i64(builder, SECTION_ARRAYS, "link", link, 1);
    return model_build(builder);
}
