/*
 * model_internal.h - what the forms of a value share: text, binary, hash and order walk the same header and elements.
 */
#ifndef PGFIT_MODEL_INTERNAL_H
#define PGFIT_MODEL_INTERNAL_H

#include "core/model/model.h"

#include <stddef.h>
#include <string.h>

/*
 * The counts of the header, in the order that every form has. type: of the 4 or 8 bytes at offset; I32 means uint32_t.
 * optional: text may leave it out if it is 0.
 */
typedef struct HeaderField {
    const char *name;
    size_t offset;
    ElementType type;
    bool optional;
} HeaderField;

static const HeaderField header_fields[] = {
    {"fields", offsetof(Model, field_count), ARRAY_I32, false},
    {"slots", offsetof(Model, slot_count), ARRAY_I32, false},
    {"columns", offsetof(Model, column_count), ARRAY_I32, true},
    {"rows", offsetof(Model, rows), ARRAY_I64, false},
    {"skipped", offsetof(Model, skipped), ARRAY_I64, false},
    {"weight", offsetof(Model, weight), ARRAY_F64, false},
    {"pending_rows", offsetof(Model, pending_rows), ARRAY_I32, true},
    {"flushes", offsetof(Model, flushes), ARRAY_I32, true},
};
#define HEADER_FIELDS (sizeof header_fields / sizeof *header_fields)

/* Returns the bits of element i of elements of 1, 4 or 8 bytes. */
static inline uint64_t element_bits(const void *data, size_t i, uint32_t width)
{
    const char *at = (const char *)data + i * width;
    uint64_t word;
    uint32_t half;

    if (width == 1)
        return *(const uint8_t *)at;
    if (width == 4) {
        memcpy(&half, at, 4);
        return half;
    }
    memcpy(&word, at, 8);
    return word;
}

/* Sets the bits of element i of elements of 1, 4 or 8 bytes. */
static inline void element_set_bits(void *data, size_t i, uint32_t width, uint64_t bits)
{
    char *at = (char *)data + i * width;
    uint32_t half = (uint32_t)bits;

    if (width == 1)
        *(uint8_t *)at = (uint8_t)bits;
    else
        memcpy(at, width == 4 ? (const void *)&half : &bits, width);
}

/* Returns the bits of a field of the header. */
static inline uint64_t header_bits(const Model *model, const HeaderField *field)
{
    return element_bits((const char *)model + field->offset, 0, model_element_size(field->type));
}

/* Sets the bits of a field of the header. */
static inline void header_set_bits(Model *model, const HeaderField *field, uint64_t bits)
{
    element_set_bits((char *)model + field->offset, 0, model_element_size(field->type), bits);
}

/* Returns what is wrong with the section, type and shape of an entry, or NULL. */
const char *model_entry_problem(Env *env, const ModelEntry *entry);
/* Adds an entry of this name, section, type and shape, whose numbers are at data until model_build. */
void builder_entry(ModelBuilder *b, const ModelEntry *entry, const void *data);
/* Fails with this code if a form was written for newer readers than this one, or has impossible format numbers. */
void model_require_format(Env *env, ErrorCode code, int64_t format, int64_t reader);

#endif
