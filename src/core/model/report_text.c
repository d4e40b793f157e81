/*
 * report_text.c - text that people and SQL read: a string that grows, columns and literals, cells of tables.
 */
#include "core/model/report_text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a string that grows ---- */

void report_bytes(Report *buffer, const char *bytes, size_t length)
{
    if (buffer->length + length + 1 > buffer->room) {
        buffer->room = 2 * (buffer->length + length) + 256;
        buffer->text = buffer->text == NULL
                           ? buffer->env->alloc(buffer->env, buffer->room)
                           : buffer->env->resize(buffer->env, buffer->text, buffer->room);
    }
    memcpy(buffer->text + buffer->length, bytes, length);
    buffer->length += length;
    buffer->text[buffer->length] = 0;
}

void report_put(Report *buffer, const char *format, ...)
{
    char local[1024];
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(local, sizeof(local), format, arguments);
    va_end(arguments);
    report_bytes(buffer, local, (size_t)length < sizeof(local) ? (size_t)length : sizeof(local) - 1);
}

/* ---- SQL ---- */

/* A float8 literal that reads back as the same number, in as few digits as it takes. */
void sql_number(Report *buffer, double value)
{
    char text[40];

    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof(text), "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    report_put(buffer, "'%s'::float8", text);
}

static void sql_quoted(Report *buffer, const char *text, size_t length, char quote)
{
    report_bytes(buffer, &quote, 1);
    for (size_t i = 0; i < length; i++) {
        if (text[i] == quote)
            report_bytes(buffer, &quote, 1);
        report_bytes(buffer, text + i, 1);
    }
    report_bytes(buffer, &quote, 1);
}

/* A string literal; with a backslash in the escape form, so that no setting changes its meaning. */
void sql_literal(Report *buffer, const char *text, uint32_t length)
{
    if (memchr(text, '\\', length) == NULL) {
        sql_quoted(buffer, text, length, '\'');
        return;
    }
    report_bytes(buffer, "E'", 2);
    for (uint32_t i = 0; i < length; i++) {
        if (text[i] == '\'' || text[i] == '\\')
            report_bytes(buffer, text + i, 1);
        report_bytes(buffer, text + i, 1);
    }
    report_bytes(buffer, "'", 1);
}

/* The column a slot comes from: "carat", "embedding"[7]; x[3] where features have no names. */
void sql_column(Report *buffer, const Model *model, uint32_t slot)
{
    uint32_t field = schema_slot_field(model, slot), width = schema_field_width(model, field);
    const ModelEntry *names = model_find(model, "field_names");

    if (names == NULL) {
        report_put(buffer, "x[%u]", slot + 1);
        return;
    }
    uint32_t length, first = 0;
    const char *name = model_text(model, names, field, &length);
    if (length == 0)
        env_fail(buffer->env, ERROR_DATA, "Fit with a key that is not empty.",
                 "feature %u has an empty name, and SQL has no such columns", field + 1);
    sql_quoted(buffer, name, length, '"');
    if (width > 1) {
        for (uint32_t f = 0; f < field; f++)
            first += schema_field_width(model, f);
        report_put(buffer, "[%u]", slot - first + 1);
    }
}

/* The column as the number that the features reader makes of it. */
void sql_value(Report *buffer, const Model *model, uint32_t slot)
{
    switch (schema_field_kind(model, schema_slot_field(model, slot))) {
    case FIELD_BOOLEAN:
        sql_column(buffer, model, slot);
        report_put(buffer, "::int::float8");
        break;
    case FIELD_DATE:
        report_put(buffer, "(");
        sql_column(buffer, model, slot);
        report_put(buffer, " - DATE '2000-01-01')::float8");
        break;
    case FIELD_TIMESTAMP:
        report_put(buffer, "extract(epoch FROM ");
        sql_column(buffer, model, slot);
        report_put(buffer, " - TIMESTAMP '2000-01-01')::float8");
        break;
    case FIELD_TIMESTAMPTZ:
        report_put(buffer, "extract(epoch FROM ");
        sql_column(buffer, model, slot);
        report_put(buffer, " - TIMESTAMPTZ '2000-01-01 00:00:00+00')::float8");
        break;
    case FIELD_TIME:
    case FIELD_INTERVAL:
        report_put(buffer, "extract(epoch FROM ");
        sql_column(buffer, model, slot);
        report_put(buffer, ")::float8");
        break;
    default:
        sql_column(buffer, model, slot);
        report_put(buffer, "::float8");
    }
}

/* CASE over the levels of a categorical slot; the reference and what is unknown give 0. */
void sql_levels(Report *buffer, const Model *model, uint32_t slot, const double *levels)
{
    uint32_t field = schema_slot_field(model, slot), count = dictionary_size(model, DICTIONARY_LEVELS);
    bool null_level = false, impute = (model->flags & MODEL_IMPUTE) != 0;

    report_put(buffer, "CASE");
    for (uint32_t i = 0; i < count; i++) {
        uint32_t length;
        const char *text;
        if (dictionary_field(model, i) != field)
            continue;
        report_put(buffer, " WHEN ");
        sql_column(buffer, model, slot);
        if (isinf(dictionary_key(model, DICTIONARY_LEVELS, i))) {
            null_level = true;
            report_put(buffer, " IS NULL");
        } else {
            text = dictionary_text(model, DICTIONARY_LEVELS, i, &length);
            report_put(buffer, "::text = ");
            sql_literal(buffer, text, length);
        }
        report_put(buffer, " THEN ");
        sql_number(buffer, levels[i]);
    }
    if (!null_level && !impute) {
        report_put(buffer, " WHEN ");
        sql_column(buffer, model, slot);
        report_put(buffer, " IS NULL THEN NULL");
    }
    report_put(buffer, " ELSE '0'::float8 END");
}

void sql_slot(Report *buffer, const Model *model, uint32_t slot, double center)
{
    uint32_t length;
    const double *impute = model->flags & MODEL_IMPUTE ? model_f64(model, "impute", &length) : NULL;

    report_put(buffer, impute != NULL ? "(coalesce(" : "(");
    sql_value(buffer, model, slot);
    if (impute != NULL) {
        report_put(buffer, ", ");
        sql_number(buffer, impute[slot]);
        report_put(buffer, ")");
    }
    if (center != 0) {
        report_put(buffer, " - ");
        sql_number(buffer, center);
    }
    report_put(buffer, ")");
}

void sql_linear(Report *buffer, const Model *model, double intercept, const double *center,
                const double *coef, const double *levels)
{
    sql_number(buffer, intercept);
    /* numeric slots first, as the score is summed */
    for (uint32_t s = 0; s < model->slot_count; s++) {
        if (schema_field_kind(model, schema_slot_field(model, s)) == FIELD_CATEGORICAL)
            continue;
        report_put(buffer, "\n  + ");
        sql_slot(buffer, model, s, center != NULL ? center[s] : 0);
        report_put(buffer, " * ");
        sql_number(buffer, coef[s]);
    }
    for (uint32_t s = 0; s < model->slot_count; s++) {
        if (schema_field_kind(model, schema_slot_field(model, s)) != FIELD_CATEGORICAL)
            continue;
        report_put(buffer, "\n  + ");
        sql_levels(buffer, model, s, levels);
    }
}

/* ---- tables ---- */

const char *report_stars(double p)
{
    return !(p >= 0) ? "" : p < 0.001 ? "***" : p < 0.01 ? "**" : p < 0.05 ? "*" : p < 0.1 ? "." : "";
}

/* Characters, not bytes, of UTF-8: columns line up. */
int report_characters(const char *text)
{
    int count = 0;

    for (; *text != 0; text++)
        count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

void report_padded(Report *buffer, const char *text, int width)
{
    report_bytes(buffer, text, strlen(text));
    for (int i = report_characters(text); i < width; i++)
        report_bytes(buffer, " ", 1);
}

/* A number in `width` places, right-aligned; nothing for NaN. */
void report_cell(Report *buffer, double value, int width, int digits)
{
    char text[40] = "";

    if (!isnan(value))
        snprintf(text, sizeof(text), "%#.*g", digits, value);
    if (value == 0)
        strcpy(text, "0");
    if (text[0] != 0 && text[strlen(text) - 1] == '.')
        text[strlen(text) - 1] = 0;
    report_put(buffer, "%*s", width, text);
}

void report_p(Report *buffer, double p, int width)
{
    char text[40] = "";

    if (p < 2.2e-16)
        strcpy(text, "<2e-16");
    else if (p < 0.0001)
        snprintf(text, sizeof(text), "%.1e", p);
    else if (!isnan(p))
        snprintf(text, sizeof(text), "%.4f", p);
    report_put(buffer, "%*s", width, text);
}

/* target ~ carat + depth + cut, cut off after a dozen features */
void report_formula(Report *buffer, const Model *model, bool intercept)
{
    const ModelEntry *target = model_find(model, "target_name");
    uint32_t length = 0;
    const char *text = target != NULL && target->rows == 1 ? model_text(model, target, 0, &length) : NULL;

    if (length > 0)
        report_bytes(buffer, text, length);
    else
        report_put(buffer, "target");
    report_put(buffer, " ~ ");
    for (uint32_t f = 0; f < model->field_count; f++) {
        char name[SCHEMA_NAME_SIZE];
        if (f == 12) {
            report_put(buffer, " + %u more", model->field_count - f);
            break;
        }
        schema_field_name(model, f, name, sizeof(name));
        report_put(buffer, "%s%s", f > 0 ? " + " : "", name);
    }
    if (!intercept)
        report_put(buffer, " - 1");
    report_put(buffer, "\n");
}

void report_rows(Report *buffer, const Model *model)
{
    report_put(buffer, "rows: %lld", (long long)model->rows);
    if (model->skipped > 0)
        report_put(buffer, ", skipped: %lld", (long long)model->skipped);
    if (model->flags & MODEL_WEIGHTED)
        report_put(buffer, ", sum of weights: %.6g", model->weight);
    report_put(buffer, "\n");
}
