/*
 * report_text.c - writes what reports share: SQL for features and literals, and cells of tables.
 */
#include "core/model/report_text.h"
#include "core/base/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define REPORT_FEATURES 100 /* a formula of more is cut */

/* ---- SQL ---- */

void sql_number(TextBuffer *buffer, double value)
{
    text_character(buffer, '\'');
    json_double(buffer, value);
    text_add(buffer, "'::float8");
}

/* Adds text between quotes, with each of the characters of `doubled` doubled. */
static void sql_quoted(TextBuffer *buffer, const char *text, size_t length, char quote, const char *doubled)
{
    text_character(buffer, quote);
    for (size_t i = 0; i < length; i++) {
        if (memchr(doubled, text[i], strlen(doubled)) != NULL)
            text_character(buffer, text[i]);
        text_character(buffer, text[i]);
    }
    text_character(buffer, quote);
}

/* Uses the escape form if there is a backslash, whose meaning in the plain form depends on standard_conforming_strings. */
void sql_literal(TextBuffer *buffer, const char *text, uint32_t length)
{
    if (memchr(text, '\\', length) != NULL)
        text_character(buffer, 'E');
    sql_quoted(buffer, text, length, '\'', memchr(text, '\\', length) != NULL ? "'\\" : "'");
}

void sql_label(TextBuffer *buffer, const Model *model, DictionaryKind kind, uint32_t position)
{
    uint32_t length;
    const char *text;

    if (position >= dictionary_size(model, kind)) {
        text_add(buffer, "NULL");
        return;
    }
    text = dictionary_text(model, kind, position, &length);
    sql_literal(buffer, text, length);
}

void sql_column(TextBuffer *buffer, const Model *model, uint32_t slot)
{
    uint32_t field = schema_slot_field(model, slot), width = schema_field_width(model, field);
    const ModelEntry *names = model_find(model, "field_names");

    if (buffer->env->sql_columns != NULL && buffer->env->sql_columns[field] != NULL) {
        text_add(buffer, buffer->env->sql_columns[field]);
        return;
    }
    if (names == NULL) {
        text_print(buffer, "x[%u]", slot + 1);
        return;
    }
    uint32_t length, first = 0;
    const char *name = model_text(model, names, field, &length);
    if (length == 0)
        env_fail(buffer->env, ERROR_DATA, "Fit with a key that is not empty.",
                 "feature %u has an empty name, which no column in SQL can have", field + 1);
    sql_quoted(buffer, name, length, '"', "\"");
    if (width > 1) {
        for (uint32_t f = 0; f < field; f++)
            first += schema_field_width(model, f);
        text_print(buffer, "[%u]", slot - first + 1);
    }
}

enum { ROW_COLUMNS = 1600 }; /* what a ROW of PostgreSQL can have is 1664 */

/* Tells whether a row may have NULLs that make the score NULL. */
static bool may_lack(const TextBuffer *buffer, const Model *model)
{
    return (model->flags & MODEL_IMPUTE) == 0 || buffer->env->sql_offset != NULL;
}

void sql_if_complete(TextBuffer *buffer, const Model *model)
{
    const char *between = "";

    if (!may_lack(buffer, model))
        return;
    text_print(buffer, "CASE WHEN ROW(");
    for (uint32_t s = 0; (model->flags & MODEL_IMPUTE) == 0 && s < model->slot_count; s++) {
        text_print(buffer, "%s", s > 0 && s % ROW_COLUMNS == 0 ? ") IS NOT NULL AND ROW(" : between);
        sql_column(buffer, model, s);
        between = ", ";
    }
    if (buffer->env->sql_offset != NULL) {
        text_print(buffer, "%s", between);
        text_add(buffer, buffer->env->sql_offset);
    }
    text_print(buffer, ") IS NOT NULL THEN ");
}

void sql_end_complete(TextBuffer *buffer, const Model *model)
{
    if (may_lack(buffer, model))
        text_print(buffer, " END");
}

void sql_value(TextBuffer *buffer, const Model *model, uint32_t slot)
{
    static const struct {
        const char *before, *after;
    } conversions[FIELD_KIND_LAST + 1] = {
        [FIELD_NUMERIC] = {"", "::float8"},
        [FIELD_BOOLEAN] = {"", "::int::float8"},
        [FIELD_CATEGORICAL] = {"", "::float8"},
        [FIELD_DATE] = {"(", " - DATE '2000-01-01')::float8"},
        [FIELD_TIMESTAMP] = {"extract(epoch FROM ", " - TIMESTAMP '2000-01-01')::float8"},
        [FIELD_TIMESTAMPTZ] = {"extract(epoch FROM ", " - TIMESTAMPTZ '2000-01-01 00:00:00+00')::float8"},
        [FIELD_TIME] = {"extract(epoch FROM ", ")::float8"},
        [FIELD_INTERVAL] = {"extract(epoch FROM ", ")::float8"},
        [FIELD_TEXT] = {"", "::float8"}, /* no method with an equation takes texts */
    };
    FieldKind kind = schema_field_kind(model, schema_slot_field(model, slot));

    text_add(buffer, conversions[kind].before);
    sql_column(buffer, model, slot);
    text_add(buffer, conversions[kind].after);
}

void sql_category(TextBuffer *buffer, const Model *model, uint32_t slot)
{
    const char *const *columns = buffer->env->sql_columns;

    sql_column(buffer, model, slot);
    if (columns == NULL || columns[schema_slot_field(model, slot)] == NULL)
        text_add(buffer, "::text");
}

bool sql_level(TextBuffer *buffer, const Model *model, uint32_t slot, uint32_t level)
{
    if (isinf(dictionary_key(model, DICTIONARY_LEVELS, level))) {
        sql_column(buffer, model, slot);
        text_print(buffer, " IS NULL");
        return false;
    }
    sql_category(buffer, model, slot);
    text_add(buffer, " = ");
    sql_label(buffer, model, DICTIONARY_LEVELS, level);
    return true;
}

void sql_null_level(TextBuffer *buffer, const Model *model, uint32_t slot, bool known)
{
    if (known || (model->flags & MODEL_IMPUTE) != 0)
        return;
    text_print(buffer, " WHEN ");
    sql_column(buffer, model, slot);
    text_print(buffer, " IS NULL THEN NULL");
}

void sql_levels(TextBuffer *buffer, const Model *model, uint32_t slot, const double *levels)
{
    uint32_t field = schema_slot_field(model, slot), count = dictionary_size(model, DICTIONARY_LEVELS);
    bool null_level = false;

    text_print(buffer, "CASE");
    for (uint32_t i = 0; i < count; i++) {
        if (dictionary_field(model, i) != field)
            continue;
        text_print(buffer, " WHEN ");
        null_level = !sql_level(buffer, model, slot, i) || null_level;
        text_print(buffer, " THEN ");
        sql_number(buffer, levels[i]);
    }
    sql_null_level(buffer, model, slot, null_level);
    text_print(buffer, " ELSE '0'::float8 END");
}

void sql_slot(TextBuffer *buffer, const Model *model, uint32_t slot, double center)
{
    uint32_t length;
    const double *impute = model->flags & MODEL_IMPUTE ? model_f64(model, "impute", &length) : NULL;

    text_print(buffer, impute != NULL ? "(coalesce(" : "(");
    sql_value(buffer, model, slot);
    if (impute != NULL) {
        text_print(buffer, ", ");
        sql_number(buffer, impute[slot]);
        text_print(buffer, ")");
    }
    if (center != 0) {
        text_print(buffer, " - ");
        sql_number(buffer, center);
    }
    text_print(buffer, ")");
}

void sql_linear(TextBuffer *buffer, const Model *model, double intercept, const double *center,
                const double *coef, const double *levels, const uint8_t *kept)
{
    sql_number(buffer, intercept);
    /* numeric slots first, in the order in which scores are summed */
    for (uint32_t s = 0; s < model->slot_count; s++) {
        if (schema_field_kind(model, schema_slot_field(model, s)) == FIELD_CATEGORICAL || (kept != NULL && !kept[s]))
            continue;
        text_print(buffer, "\n  + ");
        sql_slot(buffer, model, s, center != NULL ? center[s] : 0);
        text_print(buffer, " * ");
        sql_number(buffer, coef[s]);
    }
    for (uint32_t s = 0; s < model->slot_count; s++) {
        if (schema_field_kind(model, schema_slot_field(model, s)) != FIELD_CATEGORICAL || (kept != NULL && !kept[s]))
            continue;
        text_print(buffer, "\n  + ");
        sql_levels(buffer, model, s, levels);
    }
}

void sql_best_class(TextBuffer *buffer, const Model *model, void (*put)(TextBuffer *report, void *context, uint32_t class),
                    void *context)
{
    uint32_t classes = dictionary_size(model, DICTIONARY_CLASSES);

    text_print(buffer, "(SELECT label FROM (VALUES");
    for (uint32_t c = 0; c < classes; c++) {
        buffer->env->poll(buffer->env);
        text_print(buffer, "%s\n (%u, ", c > 0 ? "," : "", c);
        sql_label(buffer, model, DICTIONARY_CLASSES, c);
        text_print(buffer, ", ");
        put(buffer, context, c);
        text_print(buffer, ")");
    }
    text_print(buffer, ") AS class (place, label, score)\n"
                       " WHERE score IS NOT NULL ORDER BY score DESC, place LIMIT 1)");
}

/* ---- tables ---- */

const char *report_stars(double p)
{
    return !(p >= 0) ? "" : p < 0.001 ? "***" : p < 0.01 ? "**" : p < 0.05 ? "*" : p < 0.1 ? "." : "";
}

int report_characters(const char *text)
{
    int count = 0;

    for (; *text != 0; text++)
        count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

void report_padded(TextBuffer *buffer, const char *text, int width)
{
    text_bytes(buffer, text, strlen(text));
    for (int i = report_characters(text); i < width; i++)
        text_bytes(buffer, " ", 1);
}

void report_cell(TextBuffer *buffer, double value, int width, int digits)
{
    char text[40] = "";

    if (!isnan(value))
        do /* a space remains between cells */
            snprintf(text, sizeof(text), "%#.*g", digits, value);
        while ((int)strlen(text) >= width && --digits > 1);
    if (value == 0)
        strcpy(text, "0");
    if (text[0] != 0 && text[strlen(text) - 1] == '.')
        text[strlen(text) - 1] = 0;
    text_print(buffer, "%*s", width, text);
}

void report_p(TextBuffer *buffer, double p, int width)
{
    char text[40] = "";

    if (p < 2.2e-16)
        strcpy(text, "<2e-16");
    else if (p < 0.001)
        snprintf(text, sizeof(text), "%.2e", p);
    else if (!isnan(p))
        snprintf(text, sizeof(text), "%.4f", p);
    text_print(buffer, "%*s", width, text);
}

void report_formula(TextBuffer *buffer, const Model *model, bool intercept)
{
    const ModelEntry *target = model_find(model, "target_name");
    uint32_t length = 0;
    const char *text = target != NULL && target->rows == 1 ? model_text(model, target, 0, &length) : NULL;
    const char *formula = schema_formula_text(buffer->env, model);

    if (length > 0)
        text_bytes(buffer, text, length);
    else
        text_print(buffer, "target");
    text_print(buffer, " ~ ");
    if (formula != NULL) {
        text_add(buffer, formula);
        text_print(buffer, "\n");
        return;
    }
    for (uint32_t f = 0; f < model->field_count; f++) {
        char name[SCHEMA_NAME_SIZE];
        if (f == 12 && model->field_count > REPORT_FEATURES) {
            text_print(buffer, " + %u more", model->field_count - f);
            break;
        }
        schema_field_name(model, f, name, sizeof(name));
        text_print(buffer, "%s%s", f > 0 ? " + " : "", name);
    }
    if (!intercept)
        text_print(buffer, " - 1");
    text_print(buffer, "\n");
}

void report_rows(TextBuffer *buffer, const Model *model)
{
    text_print(buffer, "rows: %lld", (long long)model->rows);
    if (model->skipped > 0)
        text_print(buffer, ", skipped: %lld", (long long)model->skipped);
    if (model->flags & MODEL_WEIGHTED)
        text_print(buffer, ", sum of weights: %.6g", model->weight);
    text_print(buffer, "\n");
}
