/*
 * pca_report.c - reports of principal components: loadings, shares, SQL, a summary, a table.
 */
#include "core/reduce/component_report.h"
#include "core/reduce/pca_model.h"
#include "core/model/report_text.h"

#include <math.h>

#define SUMMARY_TERMS 40     /* rows of loadings in a summary */

/* Sets out to the components of a model. */
static void pca_components(Env *env, const Model *model, Components *out)
{
    PcaModel pca;

    pca_open(model, &pca);
    out->count = pca.k;
    out->terms = pca.terms.count;
    out->term_names = terms_names(env, model, &pca.terms);
    out->loadings = pca.components;
    out->variances = pca.variances;
    out->total = model_fact(model, "total_variance", NAN);
}

Model *pca_statistics(Env *env, const Model *model)
{
    ModelBuilder *builder = model_builder(env, MODEL_FITTED, model->estimator);
    ComponentVariances components;
    PcaModel pca;

    pca_open(model, &pca);
    components = component_variances(env, pca.variances, pca.k, model_fact(model, "total_variance", NAN));
    component_facts(&components, builder);
    builder_facts_from(builder, model);
    return model_build(builder);
}

/* ---- SQL ---- */

void pca_output_sql(TextBuffer *out, const Model *model, uint32_t component)
{
    double *coef;
    PcaModel pca;

    pca_open(model, &pca);
    coef = env_array(out->env, (size_t)pca.terms.count + 1, sizeof(double));
    for (uint32_t t = 0; t < pca.terms.count; t++) {
        coef[t] = pca.components[(size_t)component * pca.terms.count + t];
        if (pca.scale != NULL)
            coef[t] /= pca.scale[t];
        if (pca.whitening != NULL)
            coef[t] *= pca.whitening[component];
    }
    terms_sql(out, model, &pca.terms, 0, pca.means, coef);
}

/* ---- summary ---- */

char *pca_summary(Env *env, const Model *model)
{
    TextBuffer report = {.env = env};
    ComponentVariances components;
    Components list;
    uint32_t shown, terms;
    int width = 10;

    pca_components(env, model, &list);
    components = component_variances(env, list.variances, list.count, list.total);
    shown = list.count < SUMMARY_COMPONENTS ? list.count : SUMMARY_COMPONENTS;
    terms = list.terms < SUMMARY_TERMS ? list.terms : SUMMARY_TERMS;
    for (uint32_t t = 0; t < terms; t++)
        width = report_characters(list.term_names[t]) > width ? report_characters(list.term_names[t]) : width;
    component_title(&report, model, list.count);
    if (shown > 0) {
        component_lines(&report, &components, shown, width);
        text_print(&report, "\nloadings\n");
        for (uint32_t t = 0; t < terms; t++)
            component_line(&report, list.term_names[t], width, list.loadings + t, shown, list.terms, 4);
        if (shown < list.count || terms < list.terms)
            text_print(&report, "... see components(model)\n");
        text_print(&report, "\n");
    }
    text_print(&report, "variance: %.5g, of it outside the components: %.5g\nrank: %.0f", list.total,
               model_fact(estimator_statistics(env, model), "residual_variance", NAN), model_fact(model, "rank", NAN));
    return report.text;
}

/* ---- the table "components": one row per component and term ---- */

typedef struct ComponentReader {
    Components list;
    ComponentVariances variances;
} ComponentReader;

static void *open_components(Env *env, const Model *model, uint64_t *rows)
{
    ComponentReader *reader = env_array(env, 1, sizeof *reader);
    const Components *list = &reader->list;

    pca_components(env, model, &reader->list);
    reader->variances = component_variances(env, list->variances, list->count, list->total);
    *rows = (uint64_t)list->count * list->terms;
    return reader;
}

static bool component_row(Env *env, const Model *model, void *data, uint64_t i, Cell *cells)
{
    const ComponentReader *reader = data;

    component_cells(&reader->variances, i / reader->list.terms, cells);
    cell_string(&cells[4], reader->list.term_names[i % reader->list.terms]);
    cell_number(&cells[5], reader->list.loadings[i]);
    return true;
}

static const Table components = {.name = "components", .open = open_components, .row = component_row};

const Table *const pca_tables[] = {&components, NULL};
