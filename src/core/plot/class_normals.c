/*
 * class_normals.c - reads the normal distributions of naive_bayes, lda, qda, multivariate_normal and gaussian_mixture.
 */
#include "core/plot/class_normals.h"

#include "core/mixture/mixture_model.h"
#include "core/linalg/qr_factor.h"
#include "core/normal/normal_model.h"

#include <string.h>

static bool is(const Model *model, const char *estimator)
{
    return strcmp(model->estimator, estimator) == 0;
}

static void read_mixture(Env *env, const Model *model, ClassNormals *out)
{
    Mixture view = mixture_view(model);
    uint32_t numbers = mixture_numbers(view.form, view.dims);

    out->terms.count = view.dims;
    out->count = view.k;
    out->weights = view.weights;
    out->means = view.means;
    if (view.form <= MIXTURE_TIED) {
        out->packed = view.covariances;
        out->stride = view.form == MIXTURE_TIED ? 0 : numbers;
        return;
    }
    out->variances = env_array(env, (size_t)view.k * view.dims, sizeof(double));
    for (uint32_t j = 0; j < view.k; j++)
        for (uint32_t a = 0; a < view.dims; a++)
            out->variances[(size_t)j * view.dims + a] =
                view.covariances[(size_t)j * numbers + (view.form == MIXTURE_DIAGONAL ? a : 0)];
}

static void read_classes(Env *env, const Model *model, ClassNormals *out)
{
    NormalArrays arrays = normal_arrays(model);
    uint32_t terms = arrays.terms.count;

    out->terms = arrays.terms;
    out->count = arrays.classes;
    out->classes = true;
    out->weights = arrays.priors;
    out->means = arrays.means;
    out->packed = arrays.covariances;
    out->stride = normal_kind(model) == NORMAL_OWN ? factor_packed((size_t)terms) : 0;
    if (normal_kind(model) != NORMAL_DIAGONAL)
        return;
    out->variances = env_array(env, (size_t)arrays.classes * terms + 1, sizeof(double));
    for (uint32_t c = 0; c < arrays.classes && arrays.means != NULL; c++)
        for (uint32_t t = 0; t < terms; t++)
            out->variances[(size_t)c * terms + t] =
                arrays.variances[(size_t)(arrays.variance_rows > 1 ? c : 0) * arrays.variance_columns +
                                 (arrays.variance_columns > 1 ? t : 0)];
}

bool class_normals(Env *env, const Model *model, ClassNormals *out)
{
    uint32_t length;

    *out = (ClassNormals){.count = 1};
    if (is(model, "gaussian_mixture")) {
        read_mixture(env, model, out);
    } else if (is(model, "naive_bayes") || is(model, "lda") || is(model, "qda")) {
        read_classes(env, model, out);
    } else if (is(model, "multivariate_normal")) {
        out->means = model_f64(model, "means", &out->terms.count);
        out->packed = model_f64(model, "covariance_packed", &length);
        out->terms.slot = model_i64(model, "column_slot", &length);
        out->terms.level = model_i64(model, "column_level", &length);
    } else {
        return false;
    }
    return out->means != NULL;
}

double class_normals_covariance(const ClassNormals *normals, uint32_t i, uint32_t a, uint32_t b)
{
    if (normals->variances != NULL)
        return a == b ? normals->variances[(size_t)i * normals->terms.count + a] : 0;
    return normals->packed[i * normals->stride + (a < b ? factor_packed(b) + a : factor_packed(a) + b)];
}
