/*
 * mixture_scale.c - mixtures of standardized rows, and the same mixtures in the units of the data.
 *
 * A normal distribution stays one when features are scaled, so a model of standardized rows is stored as a mixture over the data
 * itself, which scores rows as they come. Only regularization and the form spherical refer to the scale: a variance that all
 * standardized features share is a variance per feature in the units of the data.
 */
#include "core/mixture/mixture_model.h"
#include "core/linalg/qr_factor.h"

#include <math.h>

/* Multiplies the covariances of features a and b by factor(a) x factor(b), where factor is the scale, or 1 / scale if inverse. */
static void multiply_covariances(Mixture *mixture, const RowScale *scale, bool inverse)
{
    uint32_t matrices = mixture_matrices(mixture->form, mixture->k), dims = mixture->dims;
    double *covariance = mixture->covariances;

    for (uint32_t m = 0; m < matrices; m++)
        for (uint32_t a = 0; a < dims; a++)
            for (uint32_t b = mixture->form == MIXTURE_DIAGONAL ? a : 0; b <= a; b++, covariance++)
                *covariance = inverse ? *covariance / scale->scale[a] / scale->scale[b]
                                      : *covariance * scale->scale[a] * scale->scale[b];
}

/* Replaces the variances of each component by their mean. */
static void diagonal_to_spherical(Mixture *mixture)
{
    for (uint32_t j = 0; j < mixture->k; j++) {
        double sum = 0;

        for (uint32_t a = 0; a < mixture->dims; a++)
            sum += mixture->covariances[(size_t)j * mixture->dims + a];
        mixture->covariances[j] = sum / mixture->dims;
    }
    mixture->form = MIXTURE_SPHERICAL;
}

static void spherical_to_diagonal(Env *env, Mixture *mixture)
{
    double *variances = env_array(env, mixture->k, mixture->dims * sizeof(double));

    for (uint32_t j = 0; j < mixture->k; j++)
        for (uint32_t a = 0; a < mixture->dims; a++)
            variances[(size_t)j * mixture->dims + a] = mixture->covariances[j];
    mixture->covariances = variances;
    mixture->form = MIXTURE_DIAGONAL;
}

void mixture_standardize_means(Mixture *mixture, const RowScale *scale)
{
    for (uint32_t j = 0; j < mixture->k; j++)
        row_scale_apply(scale, mixture->means + (size_t)j * mixture->dims, mixture->means + (size_t)j * mixture->dims);
}

void mixture_standardize_covariances(Mixture *mixture, const RowScale *scale)
{
    if (mixture->form != MIXTURE_SPHERICAL)
        multiply_covariances(mixture, scale, false);
}

void mixture_standardize(Env *env, Mixture *mixture, const RowScale *scale, MixtureForm form)
{
    if (mixture->form == MIXTURE_SPHERICAL)
        spherical_to_diagonal(env, mixture);
    if (scale != NULL) {
        mixture_standardize_means(mixture, scale);
        mixture_standardize_covariances(mixture, scale);
    }
    if (form == MIXTURE_SPHERICAL && mixture->form == MIXTURE_DIAGONAL)
        diagonal_to_spherical(mixture);
}

void mixture_unstandardize(Env *env, Mixture *mixture, const RowScale *scale)
{
    for (uint32_t j = 0; j < mixture->k; j++)
        row_scale_undo(scale, mixture->means + (size_t)j * mixture->dims, mixture->means + (size_t)j * mixture->dims);
    if (mixture->form == MIXTURE_SPHERICAL)
        spherical_to_diagonal(env, mixture);
    multiply_covariances(mixture, scale, true);
}

double mixture_log_volume(const RowScale *scale)
{
    double sum = 0;

    for (uint32_t a = 0; a < scale->columns; a++)
        sum += log(scale->scale[a]);
    return sum;
}

void mixture_regularize(Mixture *mixture, double regularization)
{
    uint32_t numbers = mixture_numbers(mixture->form, mixture->dims);

    for (uint32_t j = 0; j < mixture_matrices(mixture->form, mixture->k); j++) {
        double *covariance = mixture->covariances + (size_t)j * numbers;

        if (mixture->form != MIXTURE_TIED && mixture->weights[j] == 0)
            continue;
        for (uint32_t a = 0; a < (mixture->form == MIXTURE_SPHERICAL ? 1 : mixture->dims); a++)
            covariance[mixture->form <= MIXTURE_TIED ? factor_packed(a) + a : a] += regularization;
    }
}

MixtureForm mixture_fitted_form(Env *env, const Model *model, MixtureForm form)
{
    Options *options;

    if (form != MIXTURE_DIAGONAL || mixture_scale(model).columns == 0)
        return form;
    options = estimator_options(env, estimator_of(model), model);
    return options_is(options, "covariance_type", mixture_forms[MIXTURE_SPHERICAL]) ? MIXTURE_SPHERICAL : form;
}
