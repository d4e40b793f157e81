/*
 * kernel_pca_report.c - reports of kernel principal components: shares, a table, a summary.
 */
#include "core/reduce/component_report.h"
#include "core/reduce/kernel_pca.h"

#include <math.h>

static ComponentVariances variances_of(Env *env, const Model *model)
{
    uint32_t count = 0;
    const double *variances = model_f64(model, "variances", &count);

    return component_variances(env, variances, count, model_fact(model, "total_variance", NAN));
}

Model *kernel_pca_statistics(Env *env, const Model *model)
{
    ModelBuilder *builder = model_builder(env, MODEL_FITTED, model->estimator);
    ComponentVariances components = variances_of(env, model);

    component_facts(&components, builder);
    builder_facts_from(builder, model);
    return model_build(builder);
}

/* ---- components: one row per component; they have no loadings on features ---- */

static void *open_components(Env *env, const Model *model, uint64_t *rows)
{
    ComponentVariances *reader = env_array(env, 1, sizeof *reader);

    *reader = variances_of(env, model);
    *rows = reader->count;
    return reader;
}

static bool component_row(Env *env, const Model *model, void *data, uint64_t i, Cell *cells)
{
    component_cells(data, i, cells);
    return true;
}

static const Table components = {.name = "components", .open = open_components, .row = component_row};

const Table *const kernel_pca_tables[] = {&components, NULL};

/* ---- summary ---- */

char *kernel_pca_summary(Env *env, const Model *model)
{
    TextBuffer report = {.env = env};
    ComponentVariances variances = variances_of(env, model);

    component_title(&report, model, variances.count);
    component_lines(&report, &variances, variances.count < SUMMARY_COMPONENTS ? variances.count : SUMMARY_COMPONENTS, 10);
    text_print(&report, "\n");
    kernel_model_report(&report, model);
    text_print(&report, "\nvariance: %.5g, of it outside the components: %.5g", variances.total,
               fmax(0, variances.total - variances.sum));
    return report.text;
}
