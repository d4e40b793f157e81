/*
 * mixture_model.c - a gaussian_mixture as a value: reading and writing its arrays, and checking the sums of a step.
 */
#include "core/cluster/mixture_model.h"
#include "core/moments/model_terms.h"
#include "core/cluster/mixture_step.h"

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

Mixture mixture_view(const Model *model)
{
    const ModelEntry *means = model_find(model, "means"), *covariances = model_find(model, "covariances");
    Mixture view = {.k = means->rows, .dims = means->columns};
    uint32_t length;

    mixture_form_of(view.k, view.dims, covariances, &view.form);
    view.weights = (double *)model_f64(model, "weights", &length);
    view.means = (double *)model_data(model, means);
    view.covariances = (double *)model_data(model, covariances);
    return view;
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
    static const char *const arrays[] = {"sum_weights", "sum_moments", "sum_products", "sum_rows", "sum_totals"};
    Mixture view = mixture_view(model);
    const double *rows, *totals;
    uint32_t there = 0, length;

    for (size_t a = 0; a < sizeof(arrays) / sizeof(arrays[0]); a++)
        there += model_find(model, arrays[a]) != NULL;
    if (there == 0)
        return NULL;
    if (!array_is_finite(model, "sum_weights", view.k, 0) ||
        !array_is_finite(model, "sum_moments", view.k, view.dims) ||
        !array_is_finite(model, "sum_products", mixture_matrices(view.form, view.k),
                         mixture_products(view.form, view.dims)) ||
        !array_is_finite(model, "sum_rows", view.dims + 1, MIXTURE_TILE) ||
        !array_is_finite(model, "sum_totals", TOTALS, 0))
        return "the sums of a step of gaussian_mixture do not fit its model, or are not finite";
    totals = model_f64(model, "sum_totals", &length);
    rows = model_f64(model, "sum_rows", &length);
    if (!(totals[TOTAL_ROWS] >= 0 && totals[TOTAL_ROWS] < MIXTURE_TILE &&
          totals[TOTAL_ROWS] == floor(totals[TOTAL_ROWS])))
        return "a step of gaussian_mixture with a wrong number of rows not yet summed";
    for (uint32_t i = 0; i < MIXTURE_TILE; i++)
        if (!(rows[(size_t)view.dims * MIXTURE_TILE + i] >= 0))
            return "a step of gaussian_mixture with a negative weight";
    return NULL;
}
