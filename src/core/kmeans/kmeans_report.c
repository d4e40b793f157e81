/*
 * kmeans_report.c - the summary of a kmeans model: a table of its centroids and how many rows each has.
 */
#include "core/kmeans/kmeans.h"
#include "core/model/report_text.h"

#include <math.h>

#define SUMMARY_CLUSTERS 30 /* rows of the table */
#define SUMMARY_FEATURES 8  /* columns of centroids */

static void put_clusters(TextBuffer *report, const Model *model, const KmeansModel *view)
{
    uint32_t clusters = view->k < SUMMARY_CLUSTERS ? view->k : SUMMARY_CLUSTERS;
    uint32_t features = view->dims < SUMMARY_FEATURES ? view->dims : SUMMARY_FEATURES;
    char name[SCHEMA_NAME_SIZE];

    text_print(report, "cluster%12s", model->flags & MODEL_WEIGHTED ? "weight" : "rows");
    for (uint32_t a = 0; a < features; a++) {
        schema_slot_name(model, a, name, sizeof(name));
        text_print(report, " %11.11s", name);
    }
    text_print(report, "%s\n", features < view->dims ? " ..." : "");
    for (uint32_t j = 0; j < clusters; j++) {
        text_print(report, "%7u%12.6g", j + 1, view->sizes[j]);
        for (uint32_t a = 0; a < features; a++)
            report_cell(report, view->centroids[(size_t)j * view->dims + a], 12, 5);
        text_print(report, "\n");
    }
    if (clusters < view->k)
        text_print(report, "... and %u more clusters: see centroids(model)\n", view->k - clusters);
}

char *kmeans_report(Env *env, const Model *model, const KmeansModel *view)
{
    double inertia = model_fact(model, "inertia", NAN), total = model_fact(model, "total_scatter", NAN);
    double iterations = model_fact(model, "iterations", NAN);
    const ModelEntry *converged = model_find(model, "converged");
    TextBuffer report = {.env = env};

    text_print(&report, "kmeans: %u cluster%s of %u feature%s\n", view->k, view->k == 1 ? "" : "s", model->field_count,
               model->field_count == 1 ? "" : "s");
    report_rows(&report, model);
    text_print(&report, "\n");
    put_clusters(&report, model, view);
    if (!isnan(inertia))
        text_print(&report, "\ninertia: %.8g", inertia);
    if (!isnan(inertia) && total > 0)
        text_print(&report, ", %.4g%% of the total scatter, %.8g", 100 * inertia / total, total);
    if (!isnan(iterations))
        text_print(&report, "\niterations: %.0f%s", iterations,
                   converged != NULL && converged->type == ARRAY_BOOL && *(const uint8_t *)model_data(model, converged) == 0
                       ? ", not converged"
                       : "");
    return text_finish(&report, NULL);
}
