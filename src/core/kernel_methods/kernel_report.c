/*
 * kernel_report.c - the kernel of a model, for summaries.
 */
#include "core/base/text_buffer.h"
#include "core/kernel_methods/kernel_model.h"

#include <math.h>

void kernel_model_report(TextBuffer *report, const Model *model)
{
    double gamma = model_fact(model, "gamma", NAN), landmarks = model_fact(model, "landmarks", NAN);
    double frequencies = model_fact(model, "frequencies", NAN);
    KernelView view;

    kernel_view(model, &view);
    text_print(report, "kernel: %s", view.phases != NULL ? "rbf" : kernel_name(view.kernel.kind));
    if (isfinite(gamma))
        text_print(report, ", gamma: %.6g", gamma);
    if (isfinite(landmarks))
        text_print(report, ", approximated by %.0f landmarks", landmarks);
    if (isfinite(frequencies))
        text_print(report, ", approximated by %.0f frequencies", frequencies);
}
