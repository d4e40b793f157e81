/*
 * schema_view.h - the entries of a schema (schema.h), found in one pass.
 */
#ifndef PGFIT_SCHEMA_VIEW_H
#define PGFIT_SCHEMA_VIEW_H

#include "core/model/model.h"

#include <string.h>

typedef enum FieldKind {
    FIELD_NUMERIC = 1,
    FIELD_BOOLEAN = 2,     /* 0 or 1 */
    FIELD_CATEGORICAL = 3,
    FIELD_DATE = 4,        /* days since 2000-01-01 */
    FIELD_TIMESTAMP = 5,   /* seconds since 2000-01-01 */
    FIELD_TIMESTAMPTZ = 6, /* seconds since 2000-01-01 UTC */
    FIELD_TIME = 7,        /* seconds */
    FIELD_INTERVAL = 8,    /* seconds; a month is 30 days, a year 365.25 */
    FIELD_TEXT = 9         /* a text that the method compares itself, as string kernels do */
} FieldKind;
#define FIELD_KIND_LAST FIELD_TEXT

/* The entries of a schema, or NULL, found in one pass over the directory: for readers that need them at every row. */
typedef struct SchemaView {
    const ModelEntry *field_names, *field_kinds, *field_widths;
    const ModelEntry *level_text, *level_field, *level_key, *level_sorted;
    const ModelEntry *class_type, *class_text, *class_key, *class_sorted;
    const ModelEntry *id_type, *impute, *target_name, *formula, *missing;
    const ModelEntry *formula_inputs, *formula_kinds, *formula_parameters;
} SchemaView;
/* Fills a view. Returns false if the section has an entry that schemas do not have, or one out of order. */
bool schema_view(const Model *model, SchemaView *view);
/* Returns an entry outside the schema that has the name of one of the schema, or NULL: readers find entries by name alone. */
const ModelEntry *schema_misplaced(const Model *model);
/*
 * Returns false if every field is a plain number and there is no formula; for readers that have no other use for a view. Inline, because each
 * row of an array asks: the entries of classes come first, and their first letter tells them apart.
 */
static inline bool schema_has_kinds(const Model *model)
{
    const ModelEntry *entry = model_entries(model), *end = entry + model->entry_count;

    for (; entry < end && entry->section == SECTION_SCHEMA && entry->name[0] <= 'f'; entry++)
        if (entry->name[0] == 'f' && (memcmp(entry->name, "field_kinds", sizeof("field_kinds")) == 0 ||
                                      memcmp(entry->name, "formula", sizeof("formula")) == 0))
            return true;
    return false;
}
FieldKind schema_view_kind(const Model *model, const SchemaView *view, uint32_t field);
uint32_t schema_view_width(const Model *model, const SchemaView *view, uint32_t field);

#endif
