/*
 * onnx_import_svm.c - SVMRegressor and SVMClassifier with support vectors.
 */
#include "core/exchange/onnx_import.h"
#include "core/estimator/multiclass.h"
#include "core/kernel/kernel.h"

#include <math.h>

/* What both nodes have. */
typedef struct SupportVectors {
    Kernel kernel;
    uint32_t count, coefficients, rhos;
    const double *rows, *coefficient, *rho; /* rows [count x columns] */
} SupportVectors;

static void read_kernel(OnnxImport *import, Kernel *kernel)
{
    Env *env = import->env;
    const char *type = onnx_text(env, import->scorer, "kernel_type", "LINEAR");
    uint32_t count;
    const double *parameters = onnx_values(env, import->scorer, "kernel_params", &count, NULL);
    double gamma = count > 0 ? parameters[0] : 0, coef0 = count > 1 ? parameters[1] : 0, degree = count > 2 ? parameters[2] : 0;

    *kernel = (Kernel){.kind = strcmp(type, "RBF") == 0       ? KERNEL_RBF
                               : strcmp(type, "POLY") == 0    ? KERNEL_POLYNOMIAL
                               : strcmp(type, "SIGMOID") == 0 ? KERNEL_SIGMOID
                                                              : KERNEL_LINEAR,
                       .gamma = 1,
                       .degree = 1};
    if (kernel->kind == KERNEL_LINEAR && strcmp(type, "LINEAR") != 0)
        onnx_fail(env, "has kernel %.40s, which is not read", type);
    if (kernel->kind == KERNEL_LINEAR)
        return;
    if (!(gamma > 0) || !isfinite(gamma) || !isfinite(coef0) ||
        (kernel->kind == KERNEL_POLYNOMIAL && !(degree >= 1 && degree <= KERNEL_MAX_DEGREE && degree == floor(degree))))
        onnx_fail(env, "has a kernel with gamma %g, coef0 %g and degree %g, which is not read", gamma, coef0, degree);
    kernel->gamma = gamma;
    kernel->coef0 = kernel->kind == KERNEL_RBF ? 0 : coef0;
    kernel->degree = kernel->kind == KERNEL_POLYNOMIAL ? (uint32_t)degree : 1;
}

static const double *finite_numbers(OnnxImport *import, const char *name, uint32_t *count)
{
    const double *numbers = onnx_values(import->env, import->scorer, name, count, NULL);

    if (*count == 0)
        onnx_fail(import->env, "has a %s without %s", import->scorer->operator, name);
    for (uint32_t i = 0; i < *count; i++)
        if (!isfinite(numbers[i]))
            onnx_fail(import->env, "has a number in \"%s\" that is not finite", name);
    return numbers;
}

static SupportVectors read_support(OnnxImport *import)
{
    SupportVectors out;
    uint32_t numbers;

    read_kernel(import, &out.kernel);
    out.rows = finite_numbers(import, "support_vectors", &numbers);
    out.coefficient = finite_numbers(import, "coefficients", &out.coefficients);
    out.rho = finite_numbers(import, "rho", &out.rhos);
    if (import->row.columns == 0 || numbers % import->row.columns != 0)
        onnx_fail(import->env, "has support vectors of %u numbers for %u columns", numbers, import->row.columns);
    out.count = numbers / import->row.columns;
    return out;
}

/* Adds the expansion: multipliers [problems x count], intercept [problems]. */
static Model *add_expansion(OnnxImport *import, ModelBuilder *builder, const SupportVectors *support, uint32_t problems, const double *multipliers,
                            const double *intercept)
{
    kernel_write(import->env, &support->kernel, builder);
    builder_f64_matrix(builder, SECTION_ARRAYS, "rows", support->rows, support->count, import->row.columns);
    if (problems > 1)
        builder_f64_matrix(builder, SECTION_ARRAYS, "multipliers", multipliers, problems, support->count);
    else
        builder_f64(builder, SECTION_ARRAYS, "multipliers", multipliers, support->count);
    builder_f64(builder, SECTION_ARRAYS, "intercept", intercept, problems);
    if (support->kernel.kind != KERNEL_LINEAR)
        builder_fact(builder, "gamma", support->kernel.gamma);
    return model_build(builder);
}

Model *onnx_import_svm_regressor(OnnxImport *import)
{
    Env *env = import->env;
    bool one_class = onnx_value(env, import->scorer, "one_class", 0) != 0;
    const char *transform = onnx_text(env, import->scorer, "post_transform", "NONE");
    SupportVectors support = read_support(import);
    const Model *rows;

    if (support.coefficients != support.count || support.rhos != 1)
        onnx_fail(env, "has %u support vectors with %u coefficients and %u intercepts", support.count, support.coefficients, support.rhos);
    if (strcmp(transform, "NONE") != 0)
        onnx_fail(env, "has an SVMRegressor with the post_transform %.40s, which is not read", transform);
    return add_expansion(import, import_row_begin(import->env, &import->row, one_class ? "one_class_svm" : "svm_regression", 0, NULL, &rows), &support, 1,
                         support.coefficient, support.rho);
}

/* Returns the multipliers of all pairs of classes, [pairs x count], positive for the later class, from the layout of LIBSVM. */
static double *pair_multipliers(OnnxImport *import, const SupportVectors *support, const double *of_class, uint32_t classes)
{
    Env *env = import->env;
    uint64_t pairs = (uint64_t)classes * (classes - 1) / 2;
    uint32_t *first = env_array(env, (size_t)classes + 1, sizeof(uint32_t)), p = 0;
    double *out;

    env_require_memory(env, pairs * support->count * sizeof(double), "the multipliers of the onnx document");
    out = env_array(env, pairs * support->count, sizeof(double));
    for (uint32_t c = 0; c < classes; c++)
        first[c + 1] = first[c] + (uint32_t)of_class[c];
    for (uint32_t i = 0; i < classes; i++)
        for (uint32_t j = i + 1; j < classes; j++, p++) {
            double *row = out + (size_t)p * support->count;

            for (uint32_t s = first[i]; s < first[i + 1]; s++)
                row[s] = -support->coefficient[(size_t)(j - 1) * support->count + s];
            for (uint32_t s = first[j]; s < first[j + 1]; s++)
                row[s] = -support->coefficient[(size_t)i * support->count + s];
            env->poll(env);
        }
    return out;
}

Model *onnx_import_svm_classifier(OnnxImport *import)
{
    Env *env = import->env;
    uint32_t classes, counts, probabilities;
    const char *const *labels = onnx_import_labels(import, "classlabels_strings", "classlabels_ints", &classes);
    const double *of_class = onnx_values(env, import->scorer, "vectors_per_class", &counts, NULL);
    SupportVectors support = read_support(import);
    uint64_t pairs = (uint64_t)classes * (classes > 0 ? classes - 1 : 0) / 2;
    double total = 0, *intercept, *multipliers;
    int64_t *kind = env_array(env, 1, sizeof(int64_t));
    ModelBuilder *builder;
    const Model *rows;

    onnx_values(env, import->scorer, "prob_a", &probabilities, NULL);
    if (probabilities > 0)
        onnx_fail(env, "has an SVMClassifier with probabilities (prob_a), which are not read: convert a model without them");
    if (strcmp(onnx_text(env, import->scorer, "post_transform", "NONE"), "NONE") != 0 || import->normalized)
        onnx_fail(env, "has an SVMClassifier whose scores are transformed, which is not read");
    for (uint32_t c = 0; c < counts; c++) {
        if (!(of_class[c] >= 0 && of_class[c] <= support.count) || of_class[c] != floor(of_class[c]))
            onnx_fail(env, "has an SVMClassifier with %g support vectors of a class", of_class[c]);
        total += of_class[c];
    }
    if (classes < 2 || counts != classes || total != support.count || support.rhos != pairs || support.coefficients != (uint64_t)(classes - 1) * support.count)
        onnx_fail(env, "has an SVMClassifier of %u classes with %u support vectors, %u coefficients and %u intercepts", classes, support.count,
                  support.coefficients, support.rhos);
    multipliers = pair_multipliers(import, &support, of_class, classes);
    intercept = env_array(env, pairs, sizeof(double));
    for (uint64_t p = 0; p < pairs; p++)
        intercept[p] = -support.rho[p];
    builder = import_row_begin(import->env, &import->row, "svm_classifier", classes, labels, &rows);
    *kind = MULTICLASS_OVO;
    if (classes > 2)
        builder_i64(builder, SECTION_ARRAYS, "multiclass", kind, 1);
    return add_expansion(import, builder, &support, (uint32_t)pairs, multipliers, intercept);
}
