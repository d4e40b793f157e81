/*
 * component_report.c - facts, table and summary of components.
 */
#include "core/reduce/component_report.h"

#include <math.h>

ComponentVariances component_variances(Env *env, const double *variances, uint32_t count, double total)
{
    ComponentVariances out = {.variances = variances, .count = count, .total = total};

    out.shares = env_array(env, 2 * (size_t)count + 1, sizeof(double));
    out.cumulative = out.shares + count;
    for (uint32_t i = 0; i < count; i++) {
        out.sum += variances[i];
        out.shares[i] = variances[i] / total;
        out.cumulative[i] = fmin(1, out.sum / total);
    }
    return out;
}

void component_facts(const ComponentVariances *components, ModelBuilder *builder)
{
    uint32_t count = components->count;

    if (count > 0)
        builder_f64(builder, SECTION_FACTS, "explained_variance", components->variances, count);
    if (count > 0 && components->total > 0) {
        builder_f64(builder, SECTION_FACTS, "explained_ratio", components->shares, count);
        builder_f64(builder, SECTION_FACTS, "cumulative_ratio", components->cumulative, count);
    }
    if (components->total >= 0)
        builder_fact(builder, "residual_variance", fmax(0, components->total - components->sum));
}

void component_cells(const ComponentVariances *components, uint64_t component, Cell *cells)
{
    cell_integer(&cells[0], (int64_t)component + 1);
    cell_number(&cells[1], components->variances[component]);
    if (components->total > 0) {
        cell_number(&cells[2], components->shares[component]);
        cell_number(&cells[3], components->cumulative[component]);
    }
}

void component_title(TextBuffer *report, const Model *model, uint32_t count)
{
    text_print(report, "%s: %u component%s of %u feature%s\n", model->estimator, count, count == 1 ? "" : "s", model->field_count,
               model->field_count == 1 ? "" : "s");
    report_rows(report, model);
    text_print(report, "\n");
}

void component_line(TextBuffer *report, const char *name, int width, const double *numbers, uint32_t count, size_t step, int digits)
{
    report_padded(report, name, width);
    for (uint32_t i = 0; i < count; i++)
        report_cell(report, numbers[i * step], 12, digits);
    text_print(report, "\n");
}

void component_lines(TextBuffer *report, const ComponentVariances *components, uint32_t shown, int width)
{
    report_padded(report, "component", width);
    for (uint32_t i = 0; i < shown; i++)
        text_print(report, "%12u", i + 1);
    text_print(report, "\n");
    component_line(report, "variance", width, components->variances, shown, 1, 5);
    component_line(report, "share", width, components->shares, shown, 1, 4);
    component_line(report, "cumulative", width, components->cumulative, shown, 1, 4);
}
