/*
 * schema_view.c - finds the entries of a schema in one pass, and reads kinds and widths from them.
 */
#include "core/model/schema_view.h"

#include <stddef.h>
#include <string.h>

/* The entries of a schema in order of name, as every value has them, so that a search continues from the last one found. */
static const struct {
    char name[MODEL_NAME_SIZE];
    size_t member;
} view_names[] = {
    {"class_key", offsetof(SchemaView, class_key)},
    {"class_sorted", offsetof(SchemaView, class_sorted)},
    {"class_text", offsetof(SchemaView, class_text)},
    {"class_type", offsetof(SchemaView, class_type)},
    {"field_kinds", offsetof(SchemaView, field_kinds)},
    {"field_names", offsetof(SchemaView, field_names)},
    {"field_widths", offsetof(SchemaView, field_widths)},
    {"formula", offsetof(SchemaView, formula)},
    {"formula_inputs", offsetof(SchemaView, formula_inputs)},
    {"formula_kinds", offsetof(SchemaView, formula_kinds)},
    {"formula_parameters", offsetof(SchemaView, formula_parameters)},
    {"id_type", offsetof(SchemaView, id_type)},
    {"impute", offsetof(SchemaView, impute)},
    {"level_field", offsetof(SchemaView, level_field)},
    {"level_key", offsetof(SchemaView, level_key)},
    {"level_sorted", offsetof(SchemaView, level_sorted)},
    {"level_text", offsetof(SchemaView, level_text)},
    {"missing", offsetof(SchemaView, missing)},
    {"target_name", offsetof(SchemaView, target_name)},
};
#define VIEW_NAMES (sizeof view_names / sizeof *view_names)

/* Sets the member of a view for an entry. Returns false if schemas have none of its name, or it is out of order. */
static bool view_place(SchemaView *view, const ModelEntry *entry, unsigned *next)
{
    while (*next < VIEW_NAMES) {
        unsigned i = (*next)++;

        if (memcmp(entry->name, view_names[i].name, MODEL_NAME_SIZE) == 0) {
            memcpy((char *)view + view_names[i].member, &entry, sizeof entry);
            return true;
        }
    }
    return false;
}

bool schema_view(const Model *model, SchemaView *view)
{
    const ModelEntry *entry = model_entries(model), *end = entry + model->entry_count;
    unsigned next = 0;
    bool known = true;

    memset(view, 0, sizeof *view);
    for (; entry < end && entry->section == SECTION_SCHEMA; entry++)
        known &= view_place(view, entry, &next);
    return known;
}

const ModelEntry *schema_misplaced(const Model *model)
{
    const ModelEntry *entry = model_entries(model), *end = entry + model->entry_count;

    for (; entry < end; entry++)
        for (size_t i = 0; entry->section != SECTION_SCHEMA && i < VIEW_NAMES; i++)
            if (memcmp(entry->name, view_names[i].name, MODEL_NAME_SIZE) == 0)
                return entry;
    return NULL;
}

FieldKind schema_view_kind(const Model *model, const SchemaView *view, uint32_t field)
{
    if (!view->field_kinds)
        return FIELD_NUMERIC;
    return (FieldKind)((const int64_t *)model_data(model, view->field_kinds))[field];
}

uint32_t schema_view_width(const Model *model, const SchemaView *view, uint32_t field)
{
    if (!view->field_widths)
        return 1;
    return (uint32_t)((const int64_t *)model_data(model, view->field_widths))[field];
}
