/*
 * pca_report.c - reports of principal components: loadings, shares, SQL, a summary.
 */
#include "core/reduce/pca_model.h"
#include "core/model/report_text.h"

#include <math.h>

#define SUMMARY_COMPONENTS 8 /* columns of loadings in a summary */
#define SUMMARY_TERMS 40     /* rows of loadings in a summary */

void pca_components(Env *env, const Model *model, Components *out)
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
    double total = model_fact(model, "total_variance", NAN), sum = 0;
    PcaModel pca;
    double *shares, *cumulative;

    pca_open(model, &pca);
    shares = env_array(env, 2 * (size_t)pca.k + 1, sizeof(double));
    cumulative = shares + pca.k;
    for (uint32_t i = 0; i < pca.k; i++) {
        sum += pca.variances[i];
        shares[i] = pca.variances[i] / total;
        cumulative[i] = fmin(1, sum / total);
    }
    if (pca.k > 0) {
        builder_f64(builder, SECTION_FACTS, "explained_variance", pca.variances, pca.k);
        builder_f64(builder, SECTION_FACTS, "explained_ratio", shares, pca.k);
        builder_f64(builder, SECTION_FACTS, "cumulative_ratio", cumulative, pca.k);
    }
    if (total >= 0)
        builder_fact(builder, "residual_variance", fmax(0, total - sum));
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

char *pca_to_sql(Env *env, const Model *model)
{
    TextBuffer report = {.env = env};
    PcaModel pca;

    pca_open(model, &pca);
    text_print(&report, pca.k == 0 ? "ARRAY[]::float8[]" : "ARRAY[");
    for (uint32_t i = 0; i < pca.k; i++) {
        if (i > 0)
            text_print(&report, ",\n");
        pca_output_sql(&report, model, i);
        env->poll(env);
    }
    if (pca.k > 0)
        text_print(&report, "]");
    return report.text;
}

/* ---- summary ---- */

/* Prints a line of the summary's table: a name, and every `step`th of the numbers. */
static void put_line(TextBuffer *report, const char *name, int width, const double *numbers, uint32_t count,
                     size_t step, int digits)
{
    report_padded(report, name, width);
    for (uint32_t i = 0; i < count; i++)
        report_cell(report, numbers[i * step], 12, digits);
    text_print(report, "\n");
}

char *pca_summary(Env *env, const Model *model)
{
    double total = model_fact(model, "total_variance", NAN), sum = 0, shares[2 * SUMMARY_COMPONENTS];
    TextBuffer report = {.env = env};
    Components list;
    uint32_t shown, terms;
    int width = 10;

    pca_components(env, model, &list);
    shown = list.count < SUMMARY_COMPONENTS ? list.count : SUMMARY_COMPONENTS;
    terms = list.terms < SUMMARY_TERMS ? list.terms : SUMMARY_TERMS;
    for (uint32_t t = 0; t < terms; t++)
        width = report_characters(list.term_names[t]) > width ? report_characters(list.term_names[t]) : width;
    for (uint32_t i = 0; i < shown; i++) {
        sum += list.variances[i];
        shares[i] = list.variances[i] / total;
        shares[SUMMARY_COMPONENTS + i] = fmin(1, sum / total);
    }
    text_print(&report, "pca: %u component%s of %u feature%s\n", list.count, list.count == 1 ? "" : "s",
               model->field_count, model->field_count == 1 ? "" : "s");
    report_rows(&report, model);
    if (shown > 0) {
        text_print(&report, "\n");
        report_padded(&report, "component", width);
        for (uint32_t i = 0; i < shown; i++)
            text_print(&report, "%12u", i + 1);
        text_print(&report, "\n");
        put_line(&report, "variance", width, list.variances, shown, 1, 5);
        put_line(&report, "share", width, shares, shown, 1, 4);
        put_line(&report, "cumulative", width, shares + SUMMARY_COMPONENTS, shown, 1, 4);
        text_print(&report, "\nloadings\n");
        for (uint32_t t = 0; t < terms; t++)
            put_line(&report, list.term_names[t], width, list.loadings + t, shown, list.terms, 4);
        if (shown < list.count || terms < list.terms)
            text_print(&report, "... see components(model)\n");
    }
    text_print(&report, "\nvariance: %.5g, of it outside the components: %.5g\nrank: %.0f", total,
               model_fact(estimator_statistics(env, model), "residual_variance", NAN), model_fact(model, "rank", NAN));
    return report.text;
}
