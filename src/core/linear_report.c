/*
 * linear_report.c - what people read of a linear model: coefficients, an SQL expression, a summary.
 */
#include "distributions.h"
#include "factor.h"
#include "linear_model.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a string that grows ---- */

typedef struct Buffer {
    Env *env;
    char *text;
    size_t length, room;
} Buffer;

static void put_bytes(Buffer *buffer, const char *bytes, size_t length)
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

static void put(Buffer *buffer, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(Buffer *buffer, const char *format, ...)
{
    char local[1024];
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(local, sizeof(local), format, arguments);
    va_end(arguments);
    put_bytes(buffer, local, (size_t)length < sizeof(local) ? (size_t)length : sizeof(local) - 1);
}

/* ---- terms ---- */

/* The slot and level of a term; level -1: a number. */
static void term_place(const Model *model, uint32_t term, uint32_t *slot, int64_t *level)
{
    uint32_t length;
    const int64_t *slots = model_i64(model, "column_slot", &length);

    *slot = slots != NULL ? (uint32_t)slots[term] : term;
    *level = slots != NULL ? model_i64(model, "column_level", &length)[term] : -1;
}

/* Bytes of text up to limit that do not cut a character of several bytes (UTF-8). */
static int cut(const char *text, uint32_t length, uint32_t limit)
{
    if (length <= limit)
        return (int)length;
    while (limit > 0 && ((unsigned char)text[limit] & 0xc0) == 0x80)
        limit--;
    return (int)limit;
}

void linear_term_name(const Model *model, uint32_t term, char *buffer, size_t size)
{
    uint32_t slot, length;
    int64_t level;
    const char *text;
    size_t used;

    term_place(model, term, &slot, &level);
    schema_slot_name(model, slot, buffer, size);
    if (level < 0)
        return;
    used = strlen(buffer);
    if (isinf(dictionary_key(model, DICTIONARY_LEVELS, (uint32_t)level))) {
        snprintf(buffer + used, size - used, " IS NULL");
        return;
    }
    text = dictionary_text(model, DICTIONARY_LEVELS, (uint32_t)level, &length);
    snprintf(buffer + used, size - used, "=%.*s",
             cut(text, length, size - used > 2 ? (uint32_t)(size - used - 2) : 0), text);
}

/* ---- coefficients ---- */

static void set_tests(Coefficient *c, double variance, double df, double critical)
{
    if (!(variance >= 0) || !(df > 0))
        return;
    c->std_error = sqrt(variance);
    if (c->std_error > 0) {
        c->statistic = c->estimate / c->std_error;
        c->p_value = t_two_sided(c->statistic, df);
    }
    c->conf_low = c->estimate - critical * c->std_error;
    c->conf_high = c->estimate + critical * c->std_error;
}

static double confidence_level(Env *env, const Model *model)
{
    const Estimator *estimator = estimator_of(model);

    return estimator != NULL ? options_number(estimator_options(env, estimator, model), "level") : 0.95;
}

uint32_t linear_coefficients(Env *env, const Model *model, Coefficient **out)
{
    uint32_t length, terms = linear_terms(model), first, size;
    const double *coef = model_f64(model, "coef", &length);
    const double *intercept = model_f64(model, "intercept", &length);
    const double *covariance = model_f64(model, "covariance" MODEL_PACKED, &length);
    const ModelEntry *entry = model_find(model, "dropped");
    const uint8_t *dropped = entry != NULL ? model_data(model, entry) : NULL;
    double df = linear_df_residual(model), critical = NAN;
    Coefficient *list;

    first = intercept != NULL;
    size = terms + first;
    if (covariance != NULL && df > 0)
        critical = t_critical(confidence_level(env, model), df);
    *out = list = env_array(env, size + 1, sizeof(Coefficient));
    for (uint32_t i = 0; i < size; i++) {
        Coefficient *c = &list[i];
        uint32_t t = i - first;
        char *name;
        *c = (Coefficient){NULL, NULL, NAN, NAN, NAN, NAN, NAN, NAN};
        if (i == 0 && first) {
            c->term = "(intercept)";
            c->estimate = *intercept;
        } else {
            name = env_array(env, 2 * SCHEMA_NAME_SIZE, 1);
            linear_term_name(model, t, name, 2 * SCHEMA_NAME_SIZE);
            c->term = name;
            if (dropped != NULL && dropped[t])
                continue;
            c->estimate = coef[t];
        }
        if (covariance != NULL)
            set_tests(c, covariance[factor_packed(i) + i], df, critical);
    }
    return size;
}

/* ---- SQL ---- */

/* A float8 literal that reads back as the same number, in as few digits as it takes. */
static void put_number(Buffer *buffer, double value)
{
    char text[40];

    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof(text), "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    put(buffer, "'%s'::float8", text);
}

static void put_quoted(Buffer *buffer, const char *text, size_t length, char quote)
{
    put_bytes(buffer, &quote, 1);
    for (size_t i = 0; i < length; i++) {
        if (text[i] == quote)
            put_bytes(buffer, &quote, 1);
        put_bytes(buffer, text + i, 1);
    }
    put_bytes(buffer, &quote, 1);
}

/* A string literal; with a backslash in the escape form, so that no setting changes its meaning. */
static void put_literal(Buffer *buffer, const char *text, uint32_t length)
{
    if (memchr(text, '\\', length) == NULL) {
        put_quoted(buffer, text, length, '\'');
        return;
    }
    put_bytes(buffer, "E'", 2);
    for (uint32_t i = 0; i < length; i++) {
        if (text[i] == '\'' || text[i] == '\\')
            put_bytes(buffer, text + i, 1);
        put_bytes(buffer, text + i, 1);
    }
    put_bytes(buffer, "'", 1);
}

/* The column a slot comes from: "carat", "embedding"[7]; x[3] where features have no names. */
static void put_column(Buffer *buffer, const Model *model, uint32_t slot)
{
    uint32_t field = schema_slot_field(model, slot), width = schema_field_width(model, field);
    const ModelEntry *names = model_find(model, "field_names");

    if (names == NULL) {
        put(buffer, "x[%u]", slot + 1);
        return;
    }
    uint32_t length, first = 0;
    const char *name = model_text(model, names, field, &length);
    put_quoted(buffer, name, length, '"');
    if (width > 1) {
        for (uint32_t f = 0; f < field; f++)
            first += schema_field_width(model, f);
        put(buffer, "[%u]", slot - first + 1);
    }
}

/* The column as the number that the features reader makes of it. */
static void put_value(Buffer *buffer, const Model *model, uint32_t slot)
{
    switch (schema_field_kind(model, schema_slot_field(model, slot))) {
    case FIELD_BOOLEAN:
        put_column(buffer, model, slot);
        put(buffer, "::int::float8");
        break;
    case FIELD_DATE:
        put(buffer, "(");
        put_column(buffer, model, slot);
        put(buffer, " - DATE '2000-01-01')::float8");
        break;
    case FIELD_TIMESTAMP:
        put(buffer, "extract(epoch FROM ");
        put_column(buffer, model, slot);
        put(buffer, " - TIMESTAMP '2000-01-01')::float8");
        break;
    case FIELD_TIMESTAMPTZ:
        put(buffer, "extract(epoch FROM ");
        put_column(buffer, model, slot);
        put(buffer, " - TIMESTAMPTZ '2000-01-01 00:00:00+00')::float8");
        break;
    case FIELD_TIME:
    case FIELD_INTERVAL:
        put(buffer, "extract(epoch FROM ");
        put_column(buffer, model, slot);
        put(buffer, ")::float8");
        break;
    default:
        put_column(buffer, model, slot);
        put(buffer, "::float8");
    }
}

/* CASE over the levels of a categorical slot; the reference and what is unknown give 0. */
static void put_levels(Buffer *buffer, const Model *model, uint32_t slot, const double *levels)
{
    uint32_t field = schema_slot_field(model, slot), count = dictionary_size(model, DICTIONARY_LEVELS);
    bool null_level = false, impute = (model->flags & MODEL_IMPUTE) != 0;

    put(buffer, "CASE");
    for (uint32_t i = 0; i < count; i++) {
        uint32_t length;
        const char *text;
        if (dictionary_field(model, i) != field)
            continue;
        put(buffer, " WHEN ");
        put_column(buffer, model, slot);
        if (isinf(dictionary_key(model, DICTIONARY_LEVELS, i))) {
            null_level = true;
            put(buffer, " IS NULL");
        } else {
            text = dictionary_text(model, DICTIONARY_LEVELS, i, &length);
            put(buffer, "::text = ");
            put_literal(buffer, text, length);
        }
        put(buffer, " THEN ");
        put_number(buffer, levels[i]);
    }
    if (!null_level && !impute) {
        put(buffer, " WHEN ");
        put_column(buffer, model, slot);
        put(buffer, " IS NULL THEN NULL");
    }
    put(buffer, " ELSE '0'::float8 END");
}

char *linear_to_sql(Env *env, const Model *model)
{
    uint32_t length, slots = model->slot_count;
    const double *score = model_f64(model, "score", &length);
    const double *impute = model_f64(model, "impute", &length);
    const double *centre = score + 3, *coef = centre + slots, *levels = coef + slots;
    Buffer buffer = {.env = env};

    put_number(&buffer, score[0]);
    /* numeric slots first, as the score is summed */
    for (uint32_t s = 0; s < slots; s++) {
        if (schema_field_kind(model, schema_slot_field(model, s)) == FIELD_CATEGORICAL)
            continue;
        put(&buffer, "\n  + (");
        if (impute != NULL && (model->flags & MODEL_IMPUTE))
            put(&buffer, "coalesce(");
        put_value(&buffer, model, s);
        if (impute != NULL && (model->flags & MODEL_IMPUTE)) {
            put(&buffer, ", ");
            put_number(&buffer, impute[s]);
            put(&buffer, ")");
        }
        if (centre[s] != 0) {
            put(&buffer, " - ");
            put_number(&buffer, centre[s]);
        }
        put(&buffer, ") * ");
        put_number(&buffer, coef[s]);
    }
    for (uint32_t s = 0; s < slots; s++) {
        if (schema_field_kind(model, schema_slot_field(model, s)) != FIELD_CATEGORICAL)
            continue;
        put(&buffer, "\n  + ");
        put_levels(&buffer, model, s, levels);
    }
    return buffer.text;
}

/* ---- summary ---- */

static const char *stars(double p)
{
    return !(p >= 0) ? "" : p < 0.001 ? "***" : p < 0.01 ? "**" : p < 0.05 ? "*" : p < 0.1 ? "." : "";
}

/* Characters, not bytes, of UTF-8: columns line up. */
static int characters(const char *text)
{
    int count = 0;

    for (; *text != 0; text++)
        count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

static void put_padded(Buffer *buffer, const char *text, int width)
{
    put_bytes(buffer, text, strlen(text));
    for (int i = characters(text); i < width; i++)
        put_bytes(buffer, " ", 1);
}

/* A number in `width` places, right-aligned; nothing for NaN. */
static void put_cell(Buffer *buffer, double value, int width, int digits)
{
    char text[40] = "";

    if (!isnan(value))
        snprintf(text, sizeof(text), "%#.*g", digits, value);
    if (value == 0)
        strcpy(text, "0");
    if (text[0] != 0 && text[strlen(text) - 1] == '.')
        text[strlen(text) - 1] = 0;
    put(buffer, "%*s", width, text);
}

static void put_p(Buffer *buffer, double p, int width)
{
    char text[40] = "";

    if (p < 2.2e-16)
        strcpy(text, "<2e-16");
    else if (p < 0.0001)
        snprintf(text, sizeof(text), "%.1e", p);
    else if (!isnan(p))
        snprintf(text, sizeof(text), "%.4f", p);
    put(buffer, "%*s", width, text);
}

static void put_table(Buffer *buffer, const Coefficient *list, uint32_t count)
{
    int width = 4;
    bool tests = false;

    for (uint32_t i = 0; i < count; i++) {
        int own = characters(list[i].term);
        width = own > width ? own : width;
        tests = tests || !isnan(list[i].std_error);
    }
    put_padded(buffer, "term", width);
    put(buffer, "%14s", "estimate");
    if (tests)
        put(buffer, "%14s%11s%10s", "std. error", "t", "P(>|t|)");
    put(buffer, "\n");
    for (uint32_t i = 0; i < count; i++) {
        const Coefficient *c = &list[i];
        put_padded(buffer, c->term, width);
        if (isnan(c->estimate))
            put(buffer, "%14s", "dropped");
        else
            put_cell(buffer, c->estimate, 14, 6);
        if (tests && !isnan(c->std_error)) {
            put_cell(buffer, c->std_error, 14, 4);
            put_cell(buffer, c->statistic, 11, 4);
            put_p(buffer, c->p_value, 10);
            if (stars(c->p_value)[0] != 0)
                put(buffer, " %s", stars(c->p_value));
        }
        put(buffer, "\n");
    }
    if (tests)
        put(buffer, "*** p < 0.001  ** p < 0.01  * p < 0.05  . p < 0.1\n");
}

/* target ~ carat + depth + cut, cut off after a dozen features */
static void put_formula(Buffer *buffer, const Model *model)
{
    const ModelEntry *target = model_find(model, "target_name");
    uint32_t length = 0;
    const char *text = target != NULL && target->rows == 1 ? model_text(model, target, 0, &length) : NULL;

    if (length > 0)
        put_bytes(buffer, text, length);
    else
        put(buffer, "target");
    put(buffer, " ~ ");
    for (uint32_t f = 0; f < model->field_count; f++) {
        char name[SCHEMA_NAME_SIZE];
        if (f == 12) {
            put(buffer, " + %u more", model->field_count - f);
            break;
        }
        schema_field_name(model, f, name, sizeof(name));
        put(buffer, "%s%s", f > 0 ? " + " : "", name);
    }
    if (model_find(model, "intercept") == NULL)
        put(buffer, " - 1");
    put(buffer, "\n");
}

static void put_facts(Buffer *buffer, const Model *model, const Model *facts)
{
    double sigma = model_fact(facts, "sigma", NAN), df = model_fact(facts, "df_residual", NAN);
    double r2 = model_fact(facts, "r_squared", NAN), f = model_fact(facts, "f_statistic", NAN);
    double p = model_fact(facts, "f_p_value", NAN);

    put(buffer, "rows: %lld", (long long)model->rows);
    if (model->skipped > 0)
        put(buffer, ", skipped: %lld", (long long)model->skipped);
    if (model->flags & MODEL_WEIGHTED)
        put(buffer, ", sum of weights: %.6g", model->weight);
    put(buffer, "\n");
    if (!isnan(sigma))
        put(buffer, "residual standard error: %.5g on %.6g degrees of freedom\n", sigma, df);
    if (!isnan(r2)) {
        put(buffer, "R-squared: %.4f", r2);
        if (!isnan(model_fact(facts, "adjusted_r_squared", NAN)))
            put(buffer, ", adjusted: %.4f", model_fact(facts, "adjusted_r_squared", NAN));
        put(buffer, "\n");
    }
    if (!isnan(f)) {
        put(buffer, "F-statistic: %.5g on %.6g and %.6g degrees of freedom, p-value: ", f,
            model_fact(facts, "df_model", NAN), df);
        put_p(buffer, p, 0);
        put(buffer, "\n");
    }
    if (!isnan(model_fact(facts, "aic", NAN)))
        put(buffer, "AIC: %.6g, BIC: %.6g\n", model_fact(facts, "aic", NAN),
            model_fact(facts, "bic", NAN));
}

char *linear_summary(Env *env, const Model *model)
{
    Buffer buffer = {.env = env};
    Coefficient *list;
    uint32_t count = linear_coefficients(env, model, &list), length;
    const ModelEntry *dropped = model_find(model, "dropped_terms");
    const Model *facts = estimator_statistics(env, model);
    double condition = model_fact(facts, "condition_number", NAN);

    put(&buffer, "%s: ", model->estimator);
    put_formula(&buffer, model);
    put(&buffer, "\n");
    put_table(&buffer, list, count);
    put(&buffer, "\n");
    put_facts(&buffer, model, facts);
    if (!isnan(model_fact(facts, "effective_df", NAN)))
        put(&buffer, "effective degrees of freedom: %.5g\n", model_fact(facts, "effective_df", NAN));
    if (condition > 1e6)
        put(&buffer, "note: the terms are nearly dependent (condition number %.2g)\n", condition);
    if (dropped != NULL && dropped->type == ARRAY_TEXT && dropped->rows == 1) {
        const char *text = model_text(model, dropped, 0, &length);
        put(&buffer, "dropped, for they depend linearly on the others: ");
        put_bytes(&buffer, text, length);
        put(&buffer, "\n");
    }
    if (buffer.length > 0) /* psql ends the line itself */
        buffer.text[buffer.length - 1] = 0;
    return buffer.text;
}
