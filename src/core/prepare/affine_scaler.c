/*
 * affine_scaler.c - the models of scalers: each feature minus a number, divided by another.
 */
#include "core/prepare/affine_scaler.h"
#include "core/estimator/table.h"
#include "core/model/report_text.h"

#include <math.h>

#define SUMMARY_FEATURES 40 /* rows in a summary */

typedef struct AffineModel {
    uint32_t slots;
    const double *shift, *scale;
    const double *range; /* NULL: the shifted and scaled number itself */
    const uint8_t *clip;
} AffineModel;

static const ArraySpec affine_arrays[] = {
    {.name = "scale",
     .type = ARRAY_F64,
     .rows = {SIZE_SLOTS},
     .values = VALUES_POSITIVE,
     .data_at = VIEW_AT(AffineModel, scale),
     .rows_at = VIEW_AT(AffineModel, slots)},
    {.name = "shift", .type = ARRAY_F64, .rows = {SIZE_SLOTS}, .data_at = VIEW_AT(AffineModel, shift)}};
static const ArraySpec minmax_arrays[] = {
    {.name = "clip", .type = ARRAY_BOOL, .rows = {SIZE_NUMBER, .plus = 1}, .data_at = VIEW_AT(AffineModel, clip)},
    {.name = "range", .type = ARRAY_F64, .rows = {SIZE_NUMBER, .plus = 2}, .data_at = VIEW_AT(AffineModel, range)}};
const ArrayTable affine_array_tables[] = ARRAY_TABLES(ARRAY_TABLE(affine_arrays), NO_FACTS);
const ArrayTable minmax_array_tables[] = ARRAY_TABLES(ARRAY_TABLE(affine_arrays), ARRAY_TABLE(minmax_arrays), NO_FACTS);

static AffineModel affine_view(const Model *model)
{
    AffineModel view = {0};

    view_arrays(model, estimator_of(model)->arrays, &view);
    return view;
}

void affine_add(Env *env, const Estimator *self, ModelBuilder *builder, double *shift, double *scale, uint32_t slots)
{
    for (uint32_t s = 0; s < slots; s++) {
        if (!isfinite(shift[s]) || !isfinite(scale[s]))
            env_fail(env, ERROR_RANGE, "Divide it by a power of ten.", "feature %u of %s has numbers too large to be scaled", s + 1,
                     self->name);
        if (!(scale[s] > 0))
            scale[s] = 1;
    }
    builder_f64(builder, SECTION_ARRAYS, "shift", shift, slots);
    builder_f64(builder, SECTION_ARRAYS, "scale", scale, slots);
}

const char *affine_check(Env *env, const Model *model)
{
    AffineModel view = affine_view(model);

    if (view.range != NULL && !(view.range[0] < view.range[1]))
        return env_message(env, "the range of %.31s goes from %g to %g", model->estimator, view.range[0], view.range[1]);
    return NULL;
}

/* ---- scores ---- */

static void affine_transform(const Model *model, const void *prepared, const double *slots, double *out)
{
    AffineModel view = affine_view(model);

    for (uint32_t s = 0; s < view.slots; s++)
        out[s] = (slots[s] - view.shift[s]) / view.scale[s];
    if (view.range == NULL)
        return;
    for (uint32_t s = 0; s < view.slots; s++) {
        double x = out[s] + view.range[0];

        out[s] = !*view.clip ? x : x < view.range[0] ? view.range[0] : x > view.range[1] ? view.range[1] : x;
    }
}

static uint32_t affine_width(const Model *model)
{
    return model->slot_count;
}

static void affine_inverse(const Model *model, const double *numbers, double *out)
{
    AffineModel view = affine_view(model);
    double low = view.range != NULL ? view.range[0] : 0;

    for (uint32_t s = 0; s < view.slots; s++)
        out[s] = (numbers[s] - low) * view.scale[s] + view.shift[s];
}

const Scoring affine_scoring = {
    .transform = affine_transform, .width = affine_width, .inverse = affine_inverse, .inverse_width = affine_width};

/* ---- reports ---- */

void affine_output_sql(TextBuffer *out, const Model *model, uint32_t output)
{
    AffineModel view = affine_view(model);
    bool clip = view.range != NULL && *view.clip;

    if (clip) {
        /* least and greatest would turn a NULL into an end of the range */
        text_add(out, "CASE WHEN ");
        sql_slot(out, model, output, 0);
        text_add(out, " IS NOT NULL THEN least(");
        sql_number(out, view.range[1]);
        text_add(out, ", greatest(");
        sql_number(out, view.range[0]);
        text_add(out, ", ");
    }
    sql_slot(out, model, output, view.shift[output]);
    if (view.scale[output] != 1) {
        text_add(out, " / ");
        sql_number(out, view.scale[output]);
    }
    if (view.range != NULL && view.range[0] != 0) {
        text_add(out, " + ");
        sql_number(out, view.range[0]);
    }
    if (clip)
        text_add(out, ")) END");
}

/* Returns the summary: rows, and shift and scale of the first features. */
char *affine_summary(Env *env, const Model *model)
{
    AffineModel view = affine_view(model);
    uint32_t shown = view.slots < SUMMARY_FEATURES ? view.slots : SUMMARY_FEATURES;
    TextBuffer out = {.env = env};
    int width = 10;

    for (uint32_t s = 0; s < shown; s++) {
        char name[SCHEMA_NAME_SIZE];

        schema_slot_name(model, s, name, sizeof name);
        width = report_characters(name) > width ? report_characters(name) : width;
    }
    text_print(&out, "%.31s of %u feature%s\n", model->estimator, model->field_count, model->field_count == 1 ? "" : "s");
    report_rows(&out, model);
    text_add(&out, "\n");
    report_padded(&out, "feature", width);
    text_print(&out, "%14s%14s", "shift", "scale");
    for (uint32_t s = 0; s < shown; s++) {
        char name[SCHEMA_NAME_SIZE];

        schema_slot_name(model, s, name, sizeof name);
        text_add(&out, "\n");
        report_padded(&out, name, width);
        report_cell(&out, view.shift[s], 14, 6);
        report_cell(&out, view.scale[s], 14, 6);
    }
    if (shown < view.slots)
        text_print(&out, "\n... and %u more: see scaling(model)", view.slots - shown);
    return text_finish(&out, NULL);
}

/* ---- the table "scaling": one row per feature ---- */

static void *open_scaling(Env *env, const Model *model, uint64_t *rows)
{
    AffineModel *view = env_array(env, 1, sizeof *view);

    *view = affine_view(model);
    *rows = view->slots;
    return view;
}

static bool scaling_row(Env *env, const Model *model, void *data, uint64_t i, Cell *cells)
{
    const AffineModel *view = data;
    TextBuffer name = {.env = env};

    output_slot_name(&name, model, (uint32_t)i);
    cell_buffer(&cells[0], &name);
    cell_number(&cells[1], view->shift[i]);
    cell_number(&cells[2], view->scale[i]);
    return true;
}

static const Table scaling = {.name = "scaling", .open = open_scaling, .row = scaling_row};

const Table *const affine_tables[] = {&scaling, NULL};
