/*
 * kernel_pca_report.c - reports of kernel principal components: shares, a table, a summary.
 */
#include "core/estimator/table.h"
#include "core/model/report_text.h"
#include "core/reduce/kernel_pca.h"

#include <math.h>

#define SUMMARY_COMPONENTS 8 /* columns of a summary */

Model *kernel_pca_statistics(Env *env, const Model *model)
{
    ModelBuilder *builder = model_builder(env, MODEL_FITTED, model->estimator);
    double total = model_fact(model, "total_variance", NAN), sum = 0, *shares, *cumulative;
    uint32_t count = 0;
    const double *variances = model_f64(model, "variances", &count);

    shares = env_array(env, 2 * (size_t)count + 1, sizeof(double));
    cumulative = shares + count;
    for (uint32_t i = 0; i < count; i++) {
        sum += variances[i];
        shares[i] = variances[i] / total;
        cumulative[i] = fmin(1, sum / total);
    }
    builder_f64(builder, SECTION_FACTS, "explained_variance", variances, count);
    if (total > 0) {
        builder_f64(builder, SECTION_FACTS, "explained_ratio", shares, count);
        builder_f64(builder, SECTION_FACTS, "cumulative_ratio", cumulative, count);
        builder_fact(builder, "residual_variance", fmax(0, total - sum));
    }
    builder_facts_from(builder, model);
    return model_build(builder);
}

/* ---- components: one row per component; they have no loadings on features ---- */

typedef struct Reader {
    const double *variances;
    double total, sum;
} Reader;

static void *open_components(Env *env, const Model *model, uint64_t *rows)
{
    Reader *reader = env_array(env, 1, sizeof(Reader));
    uint32_t count = 0;

    reader->variances = model_f64(model, "variances", &count);
    reader->total = model_fact(model, "total_variance", NAN);
    *rows = count;
    return reader;
}

static bool component_row(Env *env, const Model *model, void *data, uint64_t i, Cell *cells)
{
    Reader *reader = data;

    reader->sum += reader->variances[i];
    cell_integer(&cells[0], (int64_t)i + 1);
    cell_number(&cells[1], reader->variances[i]);
    if (reader->total > 0) {
        cell_number(&cells[2], reader->variances[i] / reader->total);
        cell_number(&cells[3], fmin(reader->sum / reader->total, 1));
    }
    return true;
}

static const Table components = {.name = "components",
                                 .columns = {{"component", CELL_INTEGER},
                                             {"variance", CELL_NUMBER},
                                             {"share", CELL_NUMBER},
                                             {"cumulative", CELL_NUMBER},
                                             {"term", CELL_TEXT},
                                             {"loading", CELL_NUMBER}},
                                 .open = open_components,
                                 .row = component_row};

const Table *const kernel_pca_tables[] = {&components, NULL};

/* ---- summary ---- */

static void put_line(TextBuffer *report, const char *name, const double *numbers, uint32_t count, int digits)
{
    report_padded(report, name, 10);
    for (uint32_t i = 0; i < count; i++)
        report_cell(report, numbers[i], 12, digits);
    text_print(report, "\n");
}

char *kernel_pca_summary(Env *env, const Model *model)
{
    TextBuffer report = {.env = env};
    double total = model_fact(model, "total_variance", NAN), sum = 0, shares[2 * SUMMARY_COMPONENTS];
    double gamma = model_fact(model, "gamma", NAN);
    uint32_t count = 0, shown;
    const double *variances = model_f64(model, "variances", &count);
    KernelView view;

    kernel_view(model, &view);
    shown = count < SUMMARY_COMPONENTS ? count : SUMMARY_COMPONENTS;
    for (uint32_t i = 0; i < count; i++) {
        sum += variances[i];
        if (i >= shown)
            continue;
        shares[i] = variances[i] / total;
        shares[SUMMARY_COMPONENTS + i] = fmin(1, sum / total);
    }
    text_print(&report, "kernel_pca: %u component%s of %u feature%s\n", count, count == 1 ? "" : "s", model->field_count,
               model->field_count == 1 ? "" : "s");
    report_rows(&report, model);
    text_print(&report, "\n");
    report_padded(&report, "component", 10);
    for (uint32_t i = 0; i < shown; i++)
        text_print(&report, "%12u", i + 1);
    text_print(&report, "\n");
    put_line(&report, "variance", variances, shown, 5);
    put_line(&report, "share", shares, shown, 4);
    put_line(&report, "cumulative", shares + SUMMARY_COMPONENTS, shown, 4);
    text_print(&report, "\nkernel: %s", view.phases != NULL ? "rbf" : kernel_name(view.kernel.kind));
    if (isfinite(gamma))
        text_print(&report, ", gamma: %.6g", gamma);
    text_print(&report, "\nvariance: %.5g, of it outside the components: %.5g", total, fmax(0, total - sum));
    return report.text;
}
