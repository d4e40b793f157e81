/*
 * mixture_report.c - the summary, statistics, distributions and draws of a gaussian_mixture.
 */
#include "core/linalg/qr_factor.h"
#include "core/kmeans/kmeans.h"
#include "core/mixture/mixture_model.h"
#include "core/model/report_text.h"
#include "core/normal/distribution_table.h"
#include "core/estimator/sampling.h"
#include "core/math/normal_deviate.h"
#include "core/normal/normal_draw.h"

#include <math.h>

#define SUMMARY_CLUSTERS 30 /* rows of means in a summary */
#define SUMMARY_FEATURES 8  /* columns of means in a summary */

Model *mixture_statistics(Env *env, const Model *model)
{
    ModelBuilder *builder = model_builder(env, MODEL_FITTED, model->estimator);
    Mixture view = mixture_view(model);
    double parameters = mixture_parameters(mixture_fitted_form(env, model, view.form), view.k, view.dims);
    double likelihood = model_fact(model, "log_likelihood", NAN);
    double rows = model_counted_rows(model);

    if (isfinite(likelihood) && rows > 0) {
        builder_fact(builder, "parameters", parameters);
        builder_fact(builder, "mean_log_likelihood", likelihood / rows);
        builder_fact(builder, "aic", 2 * parameters - 2 * likelihood);
        builder_fact(builder, "bic", parameters * log(rows) - 2 * likelihood);
    }
    builder_facts_from(builder, model);
    return model_build(builder);
}

static void *open_distributions(Env *env, const Model *model, uint64_t *rows)
{
    Mixture view = mixture_view(model);
    uint32_t dims = view.dims, numbers = mixture_numbers(view.form, dims);
    double *full = env_array(env, (size_t)view.k * dims * dims, sizeof(double));

    for (uint32_t j = 0; j < view.k; j++) {
        const double *from = view.covariances + (view.form == MIXTURE_TIED ? 0 : (size_t)j * numbers);
        double *to = full + (size_t)j * dims * dims;
        for (uint32_t a = 0; a < dims; a++)
            for (uint32_t b = 0; b <= a; b++) {
                double value = view.form <= MIXTURE_TIED      ? from[factor_packed(a) + b]
                               : a != b                       ? 0
                               : view.form == MIXTURE_DIAGONAL ? from[a]
                                                              : *from;
                to[a * dims + b] = to[b * dims + a] = value;
            }
    }
    return distribution_reader(env, (Distributions){view.k, dims, view.weights, view.means, full}, rows);
}

static const Table distributions = {.name = "distributions", .open = open_distributions, .row = distribution_row};
const Table *const mixture_tables[] = {&distributions, &elbow_table, NULL};

char *mixture_summary(Env *env, const Model *model)
{
    Mixture view = mixture_view(model);
    const Model *facts = estimator_statistics(env, model);
    const ModelEntry *converged = model_find(model, "converged");
    uint32_t clusters = view.k < SUMMARY_CLUSTERS ? view.k : SUMMARY_CLUSTERS;
    uint32_t features = view.dims < SUMMARY_FEATURES ? view.dims : SUMMARY_FEATURES;
    TextBuffer report = {.env = env};

    text_print(&report, "gaussian_mixture: %u cluster%s of %u feature%s\n", view.k, view.k == 1 ? "" : "s",
               model->field_count, model->field_count == 1 ? "" : "s");
    report_rows(&report, model);
    text_print(&report, "\ncluster      weight  means: ");
    for (uint32_t a = 0; a < features; a++) {
        char name[SCHEMA_NAME_SIZE];
        schema_slot_name(model, a, name, sizeof(name));
        text_print(&report, "%s%s", a > 0 ? ", " : "", name);
    }
    text_print(&report, "%s\n", features < view.dims ? ", ..." : "");
    for (uint32_t j = 0; j < clusters; j++) {
        text_print(&report, "%7u", j + 1);
        report_cell(&report, view.weights[j], 12, 4);
        for (uint32_t a = 0; a < features; a++)
            report_cell(&report, view.means[(size_t)j * view.dims + a], 12, 5);
        text_print(&report, "\n");
    }
    if (clusters < view.k)
        text_print(&report, "... see distributions(model)\n");
    text_print(&report, "\nlog likelihood: %.8g, per row: %.6g\nAIC: %.6g, BIC: %.6g, parameters: %.0f\niterations: %.0f%s",
               model_fact(facts, "log_likelihood", NAN), model_fact(facts, "mean_log_likelihood", NAN),
               model_fact(facts, "aic", NAN), model_fact(facts, "bic", NAN), model_fact(facts, "parameters", NAN),
               model_fact(model, "iterations", NAN),
               converged != NULL && converged->type == ARRAY_BOOL &&
                       *(const uint8_t *)model_data(model, converged) == 0
                   ? ", not converged"
                   : "");
    return report.text;
}

/* ---- draws ---- */

typedef struct MixtureDraw {
    Mixture mixture;
    NormalDraw *draw;   /* of the forms with covariances; else NULL */
    double *deviations; /* of the others: [k x numbers] standard deviations */
} MixtureDraw;

static void mixture_open(Env *env, const Model *model, SampleSource *source)
{
    MixtureDraw *draw = env_array(env, 1, sizeof(MixtureDraw));
    Mixture *mixture = &draw->mixture;

    *mixture = mixture_view(model);
    if (mixture->form <= MIXTURE_TIED) {
        draw->draw = normal_draw_open(env, mixture->k, mixture->dims, mixture->means, mixture->covariances,
                                      mixture->form == MIXTURE_TIED);
    } else {
        size_t count = (size_t)mixture->k * mixture_numbers(mixture->form, mixture->dims);

        draw->deviations = env_array(env, count, sizeof(double));
        for (size_t i = 0; i < count; i++)
            draw->deviations[i] = sqrt(mixture->covariances[i]);
    }
    *source = (SampleSource){mixture->k, mixture->weights, draw};
}

static void mixture_draw(void *state, uint32_t part, uint64_t *bits, double *slots)
{
    const MixtureDraw *draw = state;
    uint32_t dims = draw->mixture.dims, numbers = mixture_numbers(draw->mixture.form, dims);
    const double *mean = draw->mixture.means + (size_t)part * dims;

    if (draw->draw != NULL) {
        normal_draw(draw->draw, part, bits, slots);
        return;
    }
    normal_deviates(bits, slots, dims);
    for (uint32_t a = 0; a < dims; a++)
        slots[a] = mean[a] + draw->deviations[(size_t)part * numbers + (numbers > 1 ? a : 0)] * slots[a];
}

const Sampling mixture_sampling = {mixture_open, mixture_draw};
