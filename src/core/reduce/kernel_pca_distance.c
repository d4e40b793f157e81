/*
 * kernel_pca_distance.c - how far a row is from the span of the components, in feature space: a measure of novelty (Hoffmann 2007).
 *
 * Its square is k(x, x) - 2 mean_j k(x, x_j) + mean of all - sum of the squared scores; the means only if the rows were centered.
 */
#include "core/linalg/vector_loops.h"
#include "core/reduce/kernel_pca.h"

#include <math.h>

typedef struct Means {
    const double *mean_value, *row_weights; /* NULL: missing */
} Means;

const ArraySpec kernel_pca_mean_arrays[2] = {
    {.name = "mean_value",
     .type = ARRAY_F64,
     .presence = ARRAY_OPTIONAL,
     .rows = {SIZE_NUMBER, .plus = 1},
     .data_at = VIEW_AT(Means, mean_value)},
    {.name = "row_weights",
     .type = ARRAY_F64,
     .presence = ARRAY_OPTIONAL,
     .other = "mean_value",
     .values = VALUES_POSITIVE,
     .rows = {SIZE_ROWS},
     .data_at = VIEW_AT(Means, row_weights)}};
static const ArrayTable view_tables[] = ARRAY_TABLES(ARRAY_TABLE(kernel_pca_mean_arrays));

bool kernel_pca_has_distance(const Model *model)
{
    return model_find(model, "mean_value") != NULL;
}

/* Returns the weighted mean of the kernel values of the row last scored with all rows of the model. */
static double mean_of_row(const KernelScorer *scorer, const double *weights)
{
    double sums[KERNEL_PANEL] = {0}, totals[KERNEL_PANEL] = {0};
    uint32_t n = scorer->view.count, segment = kernel_segment(&scorer->view);

    for (uint32_t first = 0; first < n; first += segment) {
        uint32_t count = n - first < segment ? n - first : segment;

        kernel_points_values(&scorer->points, scorer->point, first, count, scorer->values);
        for (uint32_t i = 0; i < count; i++) {
            double weight = weights != NULL ? weights[first + i] : 1;

            sums[i % KERNEL_PANEL] += weight * scorer->values[i];
            totals[i % KERNEL_PANEL] += weight;
        }
        scorer->env->poll(scorer->env);
    }
    return loop_join(sums) / loop_join(totals);
}

double kernel_pca_distance(const Model *model, const void *prepared, const double *slots)
{
    const KernelScorer *scorer = prepared;
    const KernelView *view = &scorer->view;
    const double *scores = kernel_model_scores(prepared, slots);
    double square = kernel_self(&view->kernel, scorer->point, view->dims), explained = 0;
    Means means = {NULL, NULL};

    view_arrays(model, view_tables, &means);
    if (view->intercept != NULL)
        square += means.mean_value[0] - 2 * mean_of_row(scorer, means.row_weights);
    for (uint32_t c = 0; c < view->problems; c++)
        explained += scores[c] * scores[c];
    square -= explained;
    return square > 0 ? sqrt(square) : square == square ? 0 : NAN;
}
