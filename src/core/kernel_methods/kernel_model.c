/*
 * kernel_model.c - stores, checks, opens and describes kernel expansions.
 */
#include "core/kernel_methods/kernel_model.h"
#include "core/base/text_buffer.h"

#include <math.h>
#include <string.h>

/* ---- storing ---- */

/* Tells whether a row has a multiplier other than 0 in some problem. */
static bool in_use(const KernelSample *sample, uint32_t problems, const double *multipliers, uint32_t i)
{
    for (uint32_t p = 0; p < problems; p++)
        if (multipliers[(size_t)p * sample->count + i] != 0)
            return true;
    return false;
}

KernelExpansion kernel_expansion(const KernelSample *sample, uint32_t problems, const double *multipliers, const double *intercept,
                                 const uint8_t *at_bound)
{
    Env *env = sample->env;
    uint32_t *from = env_array(env, (size_t)sample->count + 1, sizeof(uint32_t)), count = 0, dims = sample->dims;
    double *rows, *kept;
    int64_t *numbers;
    uint8_t *bounds;

    for (uint32_t i = 0; i < sample->count; i++)
        if (in_use(sample, problems, multipliers, i))
            from[count++] = i;
    count = count > 0 ? count : 1;
    rows = env_array_raw(env, (size_t)count * dims, sizeof(double));
    kept = env_array_raw(env, (size_t)count * problems, sizeof(double));
    bounds = env_array(env, (size_t)count * problems, 1);
    numbers = env_array_raw(env, count, sizeof(int64_t));
    for (uint32_t k = 0; k < count; k++) {
        memcpy(rows + (size_t)k * dims, sample->points + (size_t)from[k] * dims, dims * sizeof(double));
        numbers[k] = (int64_t)from[k] + 1;
        for (uint32_t p = 0; p < problems; p++) {
            kept[(size_t)p * count + k] = multipliers[(size_t)p * sample->count + from[k]];
            if (at_bound != NULL)
                bounds[(size_t)p * count + k] = at_bound[(size_t)p * sample->count + from[k]];
        }
    }
    return (KernelExpansion){.kernel = &sample->kernel,
                             .problems = problems,
                             .count = count,
                             .dims = dims,
                             .rows = rows,
                             .multipliers = kept,
                             .intercept = intercept,
                             .row_numbers = numbers,
                             .at_bound = at_bound != NULL ? bounds : NULL};
}

/* Adds numbers of each problem: a matrix, or one dimension where there is one problem. */
static void add_per_problem(ModelBuilder *builder, const char *name, ElementType type, const void *data, uint32_t problems,
                            uint32_t count)
{
    if (problems > 1)
        builder_numbers(builder, SECTION_ARRAYS, name, type, data, 2, problems, count);
    else
        builder_numbers(builder, SECTION_ARRAYS, name, type, data, 1, count, 1);
}

void kernel_support_add(ModelBuilder *builder, uint32_t problems, uint32_t count, const int64_t *row_numbers, const double *multipliers,
                        const uint8_t *at_bound)
{
    add_per_problem(builder, "multipliers", ARRAY_F64, multipliers, problems, count);
    if (row_numbers != NULL)
        builder_i64(builder, SECTION_ARRAYS, "row_numbers", row_numbers, count);
    if (at_bound != NULL)
        add_per_problem(builder, "at_bound", ARRAY_U8, at_bound, problems, count);
}

void kernel_model_add(Env *env, ModelBuilder *builder, const KernelSample *sample, const KernelExpansion *expansion)
{
    const Kernel *kernel = expansion->kernel;

    if (kernel != NULL) {
        kernel_write(env, kernel, builder);
        kernel_write_texts(env, kernel, builder, expansion->rows, expansion->count, expansion->dims);
        if (kernel->kind == KERNEL_RBF || kernel->kind == KERNEL_POLYNOMIAL || kernel->kind == KERNEL_SIGMOID)
            builder_fact(builder, "gamma", kernel->gamma);
    }
    builder_f64_matrix(builder, SECTION_ARRAYS, "rows", expansion->rows, expansion->count, expansion->dims);
    kernel_support_add(builder, expansion->problems, expansion->count, expansion->row_numbers, expansion->multipliers, expansion->at_bound);
    if (expansion->intercept != NULL)
        builder_f64(builder, SECTION_ARRAYS, "intercept", expansion->intercept, expansion->problems);
    if (expansion->phases != NULL)
        builder_f64(builder, SECTION_ARRAYS, "phases", expansion->phases, expansion->count);
    if (sample->center != NULL) {
        builder_f64(builder, SECTION_ARRAYS, "center", sample->center, sample->dims);
        builder_f64(builder, SECTION_ARRAYS, "scale", sample->scale, sample->dims);
    }
    terms_add(env, builder, sample->design->term_slot, sample->design->term_level, sample->design->terms);
}

/* ---- arrays and checks ---- */

const ArraySpec kernel_model_arrays[11] = {
    {.name = "at_bound",
     .type = ARRAY_U8,
     .presence = ARRAY_OPTIONAL,
     .values = VALUES_PROBABILITY, /* 0 or 1: bytes are whole numbers */
     .flat = true,
     .rows = {SIZE_EQUATIONS},
     .columns = {SIZE_ROWS},
     .data_at = VIEW_AT(KernelView, at_bound)},
    {.name = "center",
     .type = ARRAY_F64,
     .presence = ARRAY_OPTIONAL,
     .rows = {SIZE_TERMS},
     .data_at = VIEW_AT(KernelView, center)},
    {.name = "intercept",
     .type = ARRAY_F64,
     .presence = ARRAY_OPTIONAL,
     .rows = {SIZE_EQUATIONS},
     .data_at = VIEW_AT(KernelView, intercept)},
    {.name = "kernel", .type = ARRAY_F64, .presence = ARRAY_OPTIONAL, .values = VALUES_ANY, .rows = {SIZE_FREE}},
    {.name = "kernel_parts", .type = ARRAY_F64, .presence = ARRAY_OPTIONAL, .values = VALUES_ANY, .rows = {SIZE_FREE}, .columns = {SIZE_FREE}},
    {.name = "multipliers",
     .type = ARRAY_F64,
     .flat = true,
     .rows = {SIZE_EQUATIONS, .defines = true},
     .columns = {SIZE_ROWS},
     .data_at = VIEW_AT(KernelView, multipliers),
     .rows_at = VIEW_AT(KernelView, problems)},
    {.name = "phases",
     .type = ARRAY_F64,
     .presence = ARRAY_OPTIONAL,
     .rows = {SIZE_ROWS},
     .data_at = VIEW_AT(KernelView, phases)},
    {.name = "row_numbers",
     .type = ARRAY_I64,
     .presence = ARRAY_OPTIONAL,
     .values = VALUES_POSITIVE,
     .rows = {SIZE_ROWS},
     .data_at = VIEW_AT(KernelView, row_numbers)},
    {.name = "rows",
     .type = ARRAY_F64,
     .many_terms = true,
     .rows = {SIZE_ROWS, .defines = true},
     .columns = {SIZE_FREE}, /* compared by kernel_model_check */
     .data_at = VIEW_AT(KernelView, rows),
     .rows_at = VIEW_AT(KernelView, count),
     .columns_at = VIEW_AT(KernelView, dims)},
    {.name = "scale",
     .type = ARRAY_F64,
     .presence = ARRAY_WITH,
     .other = "center",
     .values = VALUES_NONNEGATIVE,
     .rows = {SIZE_TERMS},
     .data_at = VIEW_AT(KernelView, scale)},
    {.name = "texts", .type = ARRAY_TEXT, .presence = ARRAY_OPTIONAL, .rows = {SIZE_FREE}, .other = "kernel"}};

const ArraySpec kernel_model_facts[1] = {FACT("gamma", ARRAY_F64)};

static const ArrayTable view_tables[] =
    ARRAY_TABLES(ARRAY_TABLE(kernel_model_arrays), ARRAY_TABLE_AT(term_arrays, KernelView, terms));

bool kernel_model_is(const Model *model)
{
    return model_find(model, "rows") != NULL;
}

const char *kernel_model_check(Env *env, const Model *model)
{
    const ModelEntry *rows = model_find(model, "rows"), *slot = model_find(model, "column_slot");
    bool phases = model_find(model, "phases") != NULL;
    const char *wrong;
    uint32_t dims;
    Kernel kernel;

    if (rows == NULL) /* the tables apply where there is one */
        return "there is no array \"rows\"";
    if (rows->rows == 0)
        return "\"rows\" has no row";
    if (phases == (model_find(model, "kernel") != NULL))
        return phases ? "\"kernel\" does not go with \"phases\"" : "there is no array \"kernel\"";
    kernel.kind = KERNEL_LINEAR;
    wrong = phases ? NULL : kernel_read(model, &kernel);
    if (wrong != NULL)
        return wrong;
    if (kernel.kind == KERNEL_PRECOMPUTED && slot != NULL)
        return "kernel precomputed has no \"column_slot\"";
    dims = kernel_point_dims(&kernel, slot != NULL ? slot->rows : model->slot_count);
    if (rows->columns != dims)
        return env_message(env, "\"rows\" is %u x %u, not rows x %u", rows->rows, rows->columns, dims);
    return phases ? NULL : kernel_check_points(model, &kernel, model_data(model, rows), rows->rows, rows->columns);
}

const char *kernel_classifier_check(Env *env, const Model *model)
{
    uint32_t classes = dictionary_size(model, DICTIONARY_CLASSES);
    const char *wrong = kernel_model_check(env, model);

    if (wrong == NULL && classes < 2)
        wrong = "a classifier of fewer than two classes";
    if (wrong == NULL)
        wrong = multiclass_check(env, model);
    if (wrong == NULL && kernel_model_problems(model) != multiclass_problems(model))
        wrong = env_message(env, "%.31s of %u classes has the multipliers of %u problems, not of %llu", model->estimator, classes,
                            kernel_model_problems(model), (unsigned long long)multiclass_problems(model));
    return wrong != NULL ? wrong : class_rule_check(model);
}

uint32_t kernel_model_problems(const Model *model)
{
    const ModelEntry *entry = model_find(model, "multipliers");

    if (entry == NULL)
        return 0;
    return entry->dimensions == 2 ? entry->rows : 1;
}

/* ---- reading ---- */

void kernel_view(const Model *model, KernelView *view)
{
    *view = (KernelView){.problems = 1};
    view_arrays(model, view_tables, view);
    view->terms.count = view->dims;
    if (view->phases == NULL)
        kernel_read(model, &view->kernel);
    else
        view->kernel = (Kernel){.kind = KERNEL_LINEAR, .gamma = 1, .degree = 1};
}

uint32_t kernel_view_width(const KernelView *view)
{
    return view->kernel.kind == KERNEL_PRECOMPUTED ? view->kernel.gram_size : view->dims;
}

void kernel_view_point(const KernelView *view, const double *slots, double *point)
{
    if (view->kernel.kind == KERNEL_PRECOMPUTED)
        memcpy(point, slots, view->kernel.gram_size * sizeof(double));
    else if (view->terms.slot == NULL)
        memcpy(point, slots, view->dims * sizeof(double));
    else
        for (uint32_t d = 0; d < view->dims; d++)
            point[d] = term_value(&view->terms, d, slots);
    if (view->center != NULL && view->kernel.kind != KERNEL_PRECOMPUTED)
        for (uint32_t d = 0; d < view->dims; d++)
            point[d] = (point[d] - view->center[d]) * view->scale[d];
}

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
