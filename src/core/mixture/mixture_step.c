/*
 * mixture_step.c - one iteration of a mixture as an aggregate, which keeps no rows but those of an unfinished tile.
 */
#include "core/mixture/mixture_step.h"
#include "core/estimator/estimator.h"
#include "core/mixture/mixture_model.h"
#include "core/moments/model_terms.h"

#include <math.h>
#include <string.h>

static Model *step_begin(Env *env, const Model *model)
{
    Mixture view = mixture_view(model);
    RowScale scale = mixture_scale(model);
    uint32_t products = mixture_products(view.form, view.dims), matrices = mixture_matrices(view.form, view.k);
    size_t most = (size_t)matrices * products;
    ModelBuilder *builder = model_step_builder(env, model);
    double *zeros;
    Model *state;

    most = most > (size_t)view.k * view.dims ? most : (size_t)view.k * view.dims;
    most = most > ((size_t)view.dims + 1) * MIXTURE_TILE ? most : ((size_t)view.dims + 1) * MIXTURE_TILE;
    env_require_memory(env, 3 * most * sizeof(double), "mixture_step");
    zeros = env_array(env, most, sizeof(double));
    builder_facts_from(builder, model);
    if (model_find(model, "step_of") == NULL) /* a state that begins from another state keeps its origin */
        builder_fact_i64(builder, "step_of", (int64_t)model->fingerprint);
    mixture_add_arrays(builder, &view);
    row_scale_write(builder, scale.columns > 0 ? &scale : NULL);
    builder_f64(builder, SECTION_ARRAYS, "sum_weights", zeros, view.k);
    builder_f64_matrix(builder, SECTION_ARRAYS, "sum_moments", zeros, view.k, view.dims);
    builder_f64_matrix(builder, SECTION_ARRAYS, "sum_products", zeros, matrices, products);
    builder_f64_matrix(builder, SECTION_ARRAYS, "sum_rows", zeros, view.dims + 1, MIXTURE_TILE);
    builder_f64(builder, SECTION_ARRAYS, "sum_totals", zeros, TOTALS);
    state = model_build(builder);
    state->fingerprint = 0;
    env->release(env, zeros);
    return state;
}

/* Adds the rows in "sum_rows" to the sums, and empties it. prepared: what the scorer of the model prepared, or NULL. */
static void sum_rows(Env *env, Model *state, const void *prepared)
{
    Mixture view = mixture_view(state);
    double *totals = model_step_array(state, "sum_totals"), *rows = model_step_array(state, "sum_rows");
    uint32_t count = (uint32_t)totals[TOTAL_ROWS], collapsed = 0;
    size_t numbers = ((size_t)view.dims + 1) * MIXTURE_TILE;
    MixtureSums sums = {.weights = model_step_array(state, "sum_weights"), .moments = model_step_array(state, "sum_moments"),
                        .products = model_step_array(state, "sum_products")};
    MixturePlan *plan;
    double *tile;
    void *memory;

    if (count == 0)
        return;
    plan = prepared != NULL ? mixture_plan_prepared(env, &view, prepared) : NULL;
    if (plan == NULL)
        plan = mixture_plan(env, &view, &collapsed);
    if (plan == NULL)
        env_fail(env, ERROR_DATA, "Start from a model with a higher \"regularization\".",
                 "component %u of the model has a singular covariance", collapsed + 1);
    tile = env_aligned(env, numbers, &memory);
    memcpy(tile, rows, numbers * sizeof(double));
    mixture_tile(env, plan, tile, tile + (size_t)view.dims * MIXTURE_TILE, count, false, &sums);
    if (!isfinite(sums.weight))
        env_fail(env, ERROR_RANGE, "Divide the weights by a power of ten.", "the sum of the weights is out of range");
    if (!isfinite(sums.log_likelihood))
        env_fail(env, ERROR_RANGE, "Leave out rows far from all others.",
                 "the densities of gaussian_mixture are out of range");
    totals[TOTAL_LIKELIHOOD] += sums.log_likelihood;
    totals[TOTAL_WEIGHT] += sums.weight;
    totals[TOTAL_ROWS] = 0;
    memset(rows, 0, numbers * sizeof(double));
    env->release(env, memory);
    mixture_plan_free(env, plan);
}

static void step_add(Env *env, Model *state, const void *prepared, const double *slots, double weight, ModelStepHints *hints)
{
    double *rows = model_data_mutable(state, (ModelEntry *)model_step_find(state, "sum_rows", &hints->arrays[0]));
    double *totals = model_data_mutable(state, (ModelEntry *)model_step_find(state, "sum_totals", &hints->arrays[1]));
    uint32_t place = (uint32_t)totals[TOTAL_ROWS];

    for (uint32_t a = 0; a < state->slot_count; a++)
        rows[(size_t)a * MIXTURE_TILE + place] = slots[a];
    rows[(size_t)state->slot_count * MIXTURE_TILE + place] = weight;
    totals[TOTAL_ROWS] = place + 1;
    state->rows++;
    state->weight += weight;
    if (place + 1 == MIXTURE_TILE)
        sum_rows(env, state, prepared);
}

static void step_merge(Env *env, Model *a, const Model *b)
{
    static const char *const arrays[] = {"sum_weights", "sum_moments", "sum_products"};
    uint32_t slots = a->slot_count, length;
    const double *rows = model_f64(b, "sum_rows", &length), *totals = model_f64(b, "sum_totals", &length);
    double *own_totals, *row;
    ModelStepHints hints = {0};

    for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++) {
        const ModelEntry *entry = model_find(b, arrays[i]), *mine = model_find(a, arrays[i]);
        size_t count = (size_t)entry->rows * entry->columns;
        const double *from = model_data(b, entry);
        double *to = model_step_array(a, arrays[i]);
        if ((size_t)mine->rows * mine->columns != count)
            model_step_fail_other(env, "mixture_step");
        for (size_t j = 0; j < count; j++)
            to[j] += from[j];
    }
    own_totals = model_step_array(a, "sum_totals");
    own_totals[TOTAL_LIKELIHOOD] += totals[TOTAL_LIKELIHOOD];
    own_totals[TOTAL_WEIGHT] += totals[TOTAL_WEIGHT];
    row = env_array(env, (size_t)slots + 1, sizeof(double));
    for (uint32_t i = 0; i < (uint32_t)totals[TOTAL_ROWS]; i++) {
        for (uint32_t s = 0; s <= slots; s++)
            row[s] = rows[(size_t)s * MIXTURE_TILE + i];
        step_add(env, a, NULL, row, row[slots], &hints);
    }
    /* step_add has counted these rows, which b counts as well */
    a->rows += b->rows - (int64_t)totals[TOTAL_ROWS];
    for (uint32_t i = 0; i < (uint32_t)totals[TOTAL_ROWS]; i++)
        a->weight -= rows[(size_t)slots * MIXTURE_TILE + i];
    a->weight += b->weight;
    a->skipped += b->skipped;
    env->release(env, row);
}

/* Sets the parameters from the sums, with what refers to the scale of standardized rows in that scale. */
static void update(Env *env, Mixture *next, const MixtureSums *sums, const RowScale *scale, MixtureForm form, double regularization)
{
    if (scale->columns == 0) {
        mixture_update(next, sums, regularization);
        return;
    }
    mixture_update(next, sums, 0);
    mixture_standardize(env, next, scale, form);
    mixture_regularize(next, regularization);
    mixture_unstandardize(env, next, scale);
}

static Model *step_finish(Env *env, const Model *state)
{
    Model *copy = env->alloc(env, state->size);
    Options *options = estimator_options(env, estimator_of(state), state);
    Mixture view, *next;
    MixtureSums sums;
    double rows, likelihood, before, *totals;
    uint32_t collapsed;
    ModelBuilder *builder;
    RowScale scale;
    Model *header;

    memcpy(copy, state, state->size);
    sum_rows(env, copy, NULL);
    totals = model_step_array(copy, "sum_totals");
    if (!(totals[TOTAL_WEIGHT] > 0))
        return NULL;
    view = mixture_view(copy);
    next = mixture_new(env, view.form, view.k, view.dims);
    mixture_copy(next, &view);
    sums = (MixtureSums){.weights = model_step_array(copy, "sum_weights"), .moments = model_step_array(copy, "sum_moments"),
                         .products = model_step_array(copy, "sum_products"), .log_likelihood = totals[TOTAL_LIKELIHOOD],
                         .weight = totals[TOTAL_WEIGHT]};
    scale = mixture_scale(copy);
    update(env, next, &sums, &scale, mixture_fitted_form(env, copy, view.form), options_number(options, "regularization"));
    if (mixture_plan(env, next, &collapsed) == NULL)
        env_fail(env, ERROR_DATA, "Start from a model with a higher \"regularization\" or fewer components.",
                 "component %u of gaussian_mixture collapsed: its covariance is singular", collapsed + 1);
    rows = model_counted_rows(copy);
    likelihood = sums.log_likelihood / sums.weight;
    before = model_fact(copy, "step_mean_log_likelihood", NAN);
    builder = model_step_builder(env, copy);
    header = builder_header(builder);
    header->rows = copy->rows;
    header->skipped = copy->skipped;
    header->weight = copy->weight;
    builder_fact(builder, "log_likelihood", likelihood * rows);
    builder_fact(builder, "step_mean_log_likelihood", likelihood);
    builder_fact_i64(builder, "iterations", model_step_iterations(copy) + 1);
    builder_fact_bool(builder, "converged", fabs(likelihood - before) <= options_number(options, "tolerance"));
    mixture_add_arrays(builder, next);
    row_scale_write(builder, scale.columns > 0 ? &scale : NULL);
    return model_require_readable(env, model_build(builder));
}

const ModelStep mixture_step = {.name = "mixture_step",
                                .estimator = "gaussian_mixture",
                                .begin_hint = "Begin from gaussian_mixture over some of the rows.",
                                .sums = "sum_totals",
                                .begin = step_begin,
                                .add = step_add,
                                .merge = step_merge,
                                .finish = step_finish};
