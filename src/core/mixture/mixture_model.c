/*
 * mixture_model.c - a gaussian_mixture as a value: its arrays, in the units of the data or of standardized rows, and checking the sums of a step.
 */
#include "core/mixture/mixture_model.h"
#include "core/moments/model_terms.h"
#include "core/mixture/mixture_step.h"
#include "core/linalg/qr_factor.h"

#include <math.h>

bool mixture_form_of(uint32_t k, uint32_t dims, const ModelEntry *covariances, MixtureForm *form)
{
    uint64_t triangle = (uint64_t)dims * ((uint64_t)dims + 1) / 2;

    *form = MIXTURE_FULL;
    if (covariances->rows == k && covariances->columns == triangle)
        return true;
    *form = MIXTURE_TIED;
    if (covariances->rows == 1 && covariances->columns == triangle)
        return true;
    *form = MIXTURE_DIAGONAL;
    if (covariances->rows == k && covariances->columns == dims)
        return true;
    *form = MIXTURE_SPHERICAL;
    return covariances->rows == k && covariances->columns == 1;
}

/* The view of the arrays. */
typedef struct MixtureArrays {
    uint32_t k, dims;
    const double *weights, *means, *covariances;
    RowScale scale;
} MixtureArrays;

#define STEP_SUM(sum, rows_, columns_, ...)                                                                            \
    {.name = sum,                                                                                                      \
     .type = ARRAY_F64,                                                                                                \
     .rows = {rows_},                                                                                                  \
     .columns = {columns_},                                                                                            \
     .presence = ARRAY_WITH,                                                                                           \
     __VA_ARGS__}

static const ArraySpec mixture_arrays[] = {
    {.name = "covariances", /* mixture_check checks the shape */
     .type = ARRAY_F64,
     .rows = {SIZE_FREE},
     .columns = {SIZE_FREE},
     .data_at = VIEW_AT(MixtureArrays, covariances)},
    {.name = "history", .type = ARRAY_F64, .rows = {SIZE_FREE}, .presence = ARRAY_OPTIONAL, .values = VALUES_ANY},
    {.name = "k_criterion", .type = ARRAY_F64, .rows = {SIZE_FREE}, .presence = ARRAY_WITH, .other = "k_tried", .values = VALUES_ANY},
    {.name = "k_log_likelihood", .type = ARRAY_F64, .rows = {SIZE_FREE}, .presence = ARRAY_WITH, .other = "k_tried", .values = VALUES_ANY},
    {.name = "k_tried", .type = ARRAY_F64, .rows = {SIZE_FREE}, .presence = ARRAY_OPTIONAL, .values = VALUES_ANY},
    {.name = "means",
     .type = ARRAY_F64,
     .rows = {SIZE_COMPONENTS, .defines = true},
     .columns = {SIZE_SLOTS},
     .data_at = VIEW_AT(MixtureArrays, means),
     .rows_at = VIEW_AT(MixtureArrays, k),
     .columns_at = VIEW_AT(MixtureArrays, dims)},
    /* only in the state of a step: mixture_step.h */
    STEP_SUM("sum_moments", SIZE_COMPONENTS, SIZE_SLOTS, .other = "sum_weights"),
    STEP_SUM("sum_products", SIZE_FREE, SIZE_FREE, .other = "sum_weights"),
    {.name = "sum_rows",
     .type = ARRAY_F64,
     .rows = {SIZE_SLOTS, .plus = 1},
     .columns = {SIZE_NUMBER, .plus = MIXTURE_TILE},
     .presence = ARRAY_WITH,
     .other = "sum_weights"},
    {.name = "sum_totals",
     .type = ARRAY_F64,
     .rows = {SIZE_NUMBER, .plus = TOTALS},
     .presence = ARRAY_WITH,
     .other = "sum_weights"},
    STEP_SUM("sum_weights", SIZE_COMPONENTS, SIZE_NONE, .other = "sum_totals"),
    {.name = "weights",
     .type = ARRAY_F64,
     .rows = {SIZE_COMPONENTS},
     .values = VALUES_PROBABILITY,
     .data_at = VIEW_AT(MixtureArrays, weights)}};
static const ArraySpec mixture_facts[] = {
    FACT("converged", ARRAY_BOOL), FACT("iterations", ARRAY_I64), FACT("log_likelihood", ARRAY_F64),
    FACT("step_mean_log_likelihood", ARRAY_F64), FACT("step_of", ARRAY_I64)};
const ArrayTable mixture_array_tables[] = 
    ARRAY_TABLES(ARRAY_TABLE(mixture_arrays), ARRAY_TABLE_AT(scale_arrays, MixtureArrays, scale), FACT_TABLE(mixture_facts));

Mixture mixture_view(const Model *model)
{
    MixtureArrays arrays = {0};
    Mixture view;

    view_arrays(model, mixture_array_tables, &arrays);
    view = (Mixture){.k = arrays.k,
                     .dims = arrays.dims,
                     .weights = (double *)arrays.weights,
                     .means = (double *)arrays.means,
                     .covariances = (double *)arrays.covariances};
    mixture_form_of(view.k, view.dims, model_find(model, "covariances"), &view.form);
    return view;
}

RowScale mixture_scale(const Model *model)
{
    MixtureArrays arrays = {0};

    view_arrays(model, mixture_array_tables, &arrays);
    return arrays.scale;
}

void mixture_add_arrays(ModelBuilder *builder, const Mixture *mixture)
{
    builder_f64(builder, SECTION_ARRAYS, "weights", mixture->weights, mixture->k);
    builder_f64_matrix(builder, SECTION_ARRAYS, "means", mixture->means, mixture->k, mixture->dims);
    builder_f64_matrix(builder, SECTION_ARRAYS, "covariances", mixture->covariances,
                       mixture_matrices(mixture->form, mixture->k), mixture_numbers(mixture->form, mixture->dims));
}

const char *mixture_step_check(const Model *model)
{
    const ModelEntry *products = model_find(model, "sum_products");
    const double *rows, *totals;
    uint32_t length;
    Mixture view;

    if (products == NULL)
        return NULL;
    view = mixture_view(model);
    if (products->rows != mixture_matrices(view.form, view.k) ||
        products->columns != mixture_products(view.form, view.dims))
        return "array \"sum_products\" of a step of gaussian_mixture does not fit the covariances";
    totals = model_f64(model, "sum_totals", &length);
    rows = model_f64(model, "sum_rows", &length);
    if (!(totals[TOTAL_ROWS] >= 0 && totals[TOTAL_ROWS] < MIXTURE_TILE &&
          totals[TOTAL_ROWS] == floor(totals[TOTAL_ROWS])))
        return "a step of gaussian_mixture has an invalid number of rows in \"sum_rows\"";
    for (uint32_t i = 0; i < MIXTURE_TILE; i++)
        if (!(rows[(size_t)view.dims * MIXTURE_TILE + i] >= 0))
            return "a step of gaussian_mixture has a negative weight in \"sum_rows\"";
    return NULL;
}

/*
 * ---- scales ----
 *
 * A normal distribution stays one when features are scaled, so a model of standardized rows is stored as a mixture over the data
 * itself, which scores rows as they come. Only regularization and the form spherical refer to the scale: a variance that all
 * standardized features share is a variance per feature in the units of the data.
 */

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
