/*
 * model_info.c - info() as JSON and summary() as text, for any model.
 */
#include "core/inspection/model_info.h"
#include "core/estimator/classifier_output.h"
#include "core/estimator/conformal.h"
#include "core/base/json.h"
#include "core/formula/formula_model.h"
#include "core/model/report_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *describe_field_name(const Model *model, uint32_t field, char buffer[16],
                                uint32_t *length)
{
    const ModelEntry *names = model_find(model, "field_names");

    if (names != NULL && names->type == ARRAY_TEXT && field < names->rows)
        return model_text(model, names, field, length);
    *length = (uint32_t)snprintf(buffer, 16, "f%u", field + 1);
    return buffer;
}

/* ---- info ---- */

/* Writes a number; infinities as strings, because jsonb has no such numbers. */
static void write_number(TextBuffer *out, double value)
{
    if (isnan(value))
        text_add(out, "null");
    else if (isinf(value))
        text_add(out, value > 0 ? "\"Infinity\"" : "\"-Infinity\"");
    else
        json_double(out, value);
}

static void write_string(TextBuffer *out, const char *text)
{
    json_quote(out, text, strlen(text));
}

/* Writes ,"key": or "key": if it is the first. */
static void write_key(TextBuffer *out, const char *key)
{
    if (out->length > 0 && out->text[out->length - 1] != '{')
        text_character(out, ',');
    write_string(out, key);
    text_character(out, ':');
}

static void write_element(TextBuffer *out, const Model *model, const ModelEntry *entry, uint32_t i)
{
    const void *data = model_data(model, entry);
    uint32_t length;
    const char *text;

    switch (entry->type) {
    case ARRAY_F64:
        write_number(out, ((const double *)data)[i]);
        break;
    case ARRAY_F32:
        write_number(out, ((const float *)data)[i]);
        break;
    case ARRAY_I64:
        json_int(out, ((const int64_t *)data)[i]);
        break;
    case ARRAY_I32:
        json_int(out, ((const int32_t *)data)[i]);
        break;
    case ARRAY_U8:
        json_int(out, ((const uint8_t *)data)[i]);
        break;
    case ARRAY_BOOL:
        text_add(out, ((const uint8_t *)data)[i] ? "true" : "false");
        break;
    default:
        text = model_text(model, entry, i, &length);
        json_quote(out, text, length);
    }
}

/* Tells whether this fact is a list. One component or one dropped term makes a list of one. */
static bool fact_is_list(const ModelEntry *entry)
{
    static const char *const lists[] = {"cumulative_ratio", "dropped_terms", "explained_ratio", "explained_variance", NULL};

    return model_entry_is_any(entry, lists) || entry->rows * entry->columns != 1;
}

/* Writes a fact: a single value as such, a list as an array. */
static void write_fact(TextBuffer *out, const Model *model, const ModelEntry *entry)
{
    uint32_t count = entry->rows * entry->columns;

    write_key(out, entry->name);
    if (!fact_is_list(entry)) {
        write_element(out, model, entry, 0);
        return;
    }
    text_character(out, '[');
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0)
            text_character(out, ',');
        write_element(out, model, entry, i);
    }
    text_character(out, ']');
}

/* Writes strings of a dictionary in final order, from *next on: those of one field, or for classes all. */
static void write_dictionary(TextBuffer *out, const Model *model, DictionaryKind kind,
                             const uint32_t *order, uint32_t size, uint32_t *next, uint32_t field)
{
    bool some = false;

    text_character(out, '[');
    for (; *next < size; (*next)++) {
        uint32_t position = order[*next], length;
        const char *text;

        if (kind == DICTIONARY_LEVELS && dictionary_field(model, position) != field)
            break;
        if (some)
            text_character(out, ',');
        some = true;
        text = dictionary_text(model, kind, position, &length);
        if (kind == DICTIONARY_LEVELS && isinf(dictionary_key(model, kind, position)))
            text_add(out, "null");
        else
            json_quote(out, text, length);
    }
    text_character(out, ']');
}

static uint32_t *final_order(Env *env, const Model *model, DictionaryKind kind, uint32_t *size)
{
    uint32_t *order;

    *size = dictionary_size(model, kind);
    order = env_array_raw(env, *size, sizeof(uint32_t));
    dictionary_final_order(env, model, kind, order);
    return order;
}

static void write_features(TextBuffer *out, Env *env, const Model *model)
{
    uint32_t size, next = 0;
    uint32_t *order = final_order(env, model, DICTIONARY_LEVELS, &size);

    write_key(out, "features");
    text_character(out, '[');
    for (uint32_t field = 0; field < schema_field_count(model); field++) {
        FieldKind kind = schema_field_kind(model, field);
        uint32_t width = schema_field_width(model, field);
        char buffer[16];
        uint32_t length;
        const char *name = describe_field_name(model, field, buffer, &length);

        if ((field & 1023) == 0)
            env->poll(env);
        if (field > 0)
            text_character(out, ',');
        text_character(out, '{');
        write_key(out, "name");
        json_quote(out, name, length);
        write_key(out, "kind");
        write_string(out, field_kind_name(kind));
        if (width != 1) {
            write_key(out, "width");
            json_int(out, width);
        }
        if (kind == FIELD_CATEGORICAL) {
            write_key(out, "levels");
            write_dictionary(out, model, DICTIONARY_LEVELS, order, size, &next, field);
        }
        text_character(out, '}');
    }
    text_character(out, ']');
}

/* Facts about how the fit went are at the top level; its results are under "statistics". */
static bool fact_is_progress(const ModelEntry *entry)
{
    return strcmp(entry->name, "iterations") == 0 || strcmp(entry->name, "converged") == 0;
}

/* What tells parts of a model apart, or how a fit worked inside, is under "implementation". */
static bool fact_is_internal(const ModelEntry *entry)
{
    static const char *const names[] = {"rows_hash", "step_of", NULL};

    return model_entry_is_any(entry, names);
}

static void write_facts(TextBuffer *out, const Model *model)
{
    const ModelEntry *entries = model_entries(model);

    for (uint32_t i = 0; i < model->entry_count; i++) {
        if (entries[i].section == SECTION_FACTS && fact_is_progress(&entries[i]))
            write_fact(out, model, &entries[i]);
    }
    write_key(out, "statistics");
    text_character(out, '{');
    for (uint32_t i = 0; i < model->entry_count; i++) {
        if (entries[i].section == SECTION_FACTS && !fact_is_progress(&entries[i]) && !fact_is_internal(&entries[i]))
            write_fact(out, model, &entries[i]);
    }
    text_character(out, '}');
}

static void write_arrays(TextBuffer *out, const Model *model)
{
    static const char *const types[] = {"", "float8", "int8", "boolean", "text", "float4", "int4", "uint1"};

    write_key(out, "arrays");
    text_character(out, '{');
    for (uint32_t i = 0; i < model->entry_count; i++) {
        const ModelEntry *entry = &model_entries(model)[i];
        char name[MODEL_NAME_SIZE];
        uint32_t order;

        if (entry->section != SECTION_ARRAYS)
            continue;
        order = model_array_name(model, entry, name);
        write_key(out, name);
        text_character(out, '{');
        write_key(out, "type");
        write_string(out, types[entry->type <= ARRAY_TYPES ? entry->type : 0]);
        write_key(out, "shape");
        text_character(out, '[');
        json_int(out, order > 0 ? order : model_rows(model, entry));
        if (order > 0 || entry->dimensions == 2) {
            text_character(out, ',');
            json_int(out, order > 0 ? order : entry->columns);
        }
        text_add(out, "]}");
    }
    text_character(out, '}');
}

/* Writes what says how the model is stored, and nothing about the rows. */
static void write_implementation(TextBuffer *out, const Model *model)
{
    const ModelEntry *entries = model_entries(model);

    write_key(out, "implementation");
    text_character(out, '{');
    write_key(out, "format");
    json_int(out, model->format);
    write_key(out, "bytes");
    json_int(out, model->size);
    for (uint32_t i = 0; i < model->entry_count; i++) {
        if (entries[i].section == SECTION_FACTS && fact_is_internal(&entries[i]))
            write_fact(out, model, &entries[i]);
    }
    write_arrays(out, model);
    text_character(out, '}');
}

/* Adds a text entry of one string if the model has it. */
static void write_single(TextBuffer *out, const Model *model, const char *entry_name,
                         const char *key)
{
    const ModelEntry *entry = model_find(model, entry_name);

    if (entry == NULL || entry->type != ARRAY_TEXT || entry->rows != 1)
        return;
    write_key(out, key);
    write_element(out, model, entry, 0);
}

/* Writes the decision rule as given, and what the calibrated probabilities are computed from. */
static void write_classifier_output(TextBuffer *out, const Model *model)
{
    ClassifierOutput output;

    if (!classifier_output_any(model))
        return;
    output = classifier_output_of(model);
    if (output.options != NULL) {
        write_key(out, "decision_rule");
        text_bytes(out, output.options, output.options_length);
    }
    if (output.maps != NULL) {
        write_key(out, "calibrated");
        write_string(out, output.of_probabilities ? "probabilities" : "decisions");
    }
}

/* Writes how the conformal scores came about. */
static void write_conformal(TextBuffer *out, Env *env, const Model *model)
{
    Conformal conformal;
    uint32_t rows;

    if (!conformal_any(model))
        return;
    conformal = conformal_of(env, model);
    (void)model_f64(model, "conformal_scores", &rows);
    write_key(out, "conformal");
    text_print(out, "{\"method\": \"%s\", \"score\": \"%s\", \"rows\": %u", conformal.folds ? "cv+" : "split", conformal_score_names[conformal.score], rows);
    if (conformal.folds)
        text_print(out, ", \"folds\": %u", conformal.parts);
    if (conformal.group != NULL) {
        text_add(out, ", \"group\": ");
        write_string(out, conformal.group);
        text_print(out, ", \"groups\": %u", conformal.groups);
    }
    if (conformal.by_class)
        text_add(out, ", \"by_class\": true");
    text_character(out, '}');
}

/* Writes what info says about each model that this one keeps inside. */
static void write_parts(TextBuffer *out, Env *env, const Model *model)
{
    const Estimator *estimator = estimator_of(model);
    const Model *const *parts;
    uint32_t count;

    if (estimator == NULL || estimator->parts == NULL)
        return;
    parts = estimator->parts(env, model, &count);
    write_key(out, "stages");
    text_character(out, '[');
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0)
            text_character(out, ',');
        text_add(out, describe_info(env, parts[i]));
    }
    text_character(out, ']');
}

/* Returns the formula of a model without its target, or NULL: one of plain columns leaves nothing but the option, since the features are its columns. */
static const char *formula_text_of(Env *env, const Model *model)
{
    const Estimator *estimator = estimator_of(model);
    const char *formula = schema_formula_text(env, model), *target;
    size_t length, target_length;

    if (formula != NULL || estimator == NULL || option_find(estimator->options, "formula") == NULL)
        return formula;
    formula = options_string(estimator_options(env, estimator, model), "formula");
    length = formula != NULL ? strlen(formula) : 0;
    if (formula != NULL)
        formula = formula_sides(formula, &length, &target, &target_length);
    return formula != NULL ? env_text(env, formula, length) : NULL;
}

/* Writes the formula, and where its terms are not the features, how many there are. */
static void write_formula(TextBuffer *out, Env *env, const Model *model)
{
    const char *formula = formula_text_of(env, model);

    if (formula == NULL)
        return;
    write_key(out, "formula");
    write_string(out, formula);
    if (formula_model_any(model)) {
        write_key(out, "terms");
        json_int(out, model->field_count);
    }
}

char *describe_info(Env *env, const Model *model)
{
    TextBuffer out;
    uint32_t length, size, next = 0;
    uint32_t *order;
    const char *options = model_options(model, &length);

    out = (TextBuffer){.env = env};
    text_character(&out, '{');
    write_key(&out, "kind");
    write_string(&out, model_kind_name(model->kind));
    write_key(&out, "estimator");
    if (model->kind == MODEL_FITTED)
        json_quote(&out, model->estimator, strnlen(model->estimator, sizeof(model->estimator)));
    else
        text_add(&out, "null");
    write_key(&out, "rows");
    json_int(&out, model->rows);
    write_key(&out, "skipped");
    json_int(&out, model->skipped);
    write_key(&out, "weight");
    write_number(&out, model->weight);
    write_key(&out, "weighted");
    text_add(&out, model->flags & MODEL_WEIGHTED ? "true" : "false");
    write_single(&out, model, "target_name", "target");
    write_single(&out, model, "id_type", "id_type");
    write_formula(&out, env, model);
    write_features(&out, env, formula_row_schema(env, model));
    if (model_find(model, "class_type") != NULL) {
        write_single(&out, model, "class_type", "class_type");
        write_key(&out, "classes");
        order = final_order(env, model, DICTIONARY_CLASSES, &size);
        write_dictionary(&out, model, DICTIONARY_CLASSES, order, size, &next, 0);
    }
    write_key(&out, "options");
    text_bytes(&out, options, length);
    write_classifier_output(&out, model);
    write_conformal(&out, env, model);
    write_facts(&out, estimator_statistics(env, model));
    write_parts(&out, env, model);
    write_implementation(&out, model);
    text_character(&out, '}');
    return text_finish(&out, NULL);
}

/* ---- summary ---- */

/* Writes 53940 as "53,940". Returns buffer. */
static const char *grouped(int64_t n, char buffer[32])
{
    char digits[24];
    int length = snprintf(digits, sizeof(digits), "%lld", (long long)n);
    char *out = buffer;

    for (int i = 0; i < length; i++) {
        if (i > 0 && digits[i - 1] != '-' && (length - i) % 3 == 0)
            *out++ = ',';
        *out++ = digits[i];
    }
    *out = 0;
    return buffer;
}

static void print_value(TextBuffer *out, const Model *model, const ModelEntry *entry)
{
    uint32_t count = entry->rows * entry->columns;

    for (uint32_t i = 0; i < count; i++) {
        if (i > 0)
            text_add(out, ", ");
        if (i == 20) {
            text_print(out, "... %u more", count - i);
            break;
        }
        if (entry->type == ARRAY_F64 || entry->type == ARRAY_F32) {
            double value = model_number(model, entry, i);

            if (isnan(value))
                text_add(out, "-");
            else
                text_print(out, "%.6g", value);
        } else if (entry->type == ARRAY_TEXT) {
            uint32_t length;
            const char *text = model_text(model, entry, i, &length);

            text_bytes(out, text, length);
        } else {
            write_element(out, model, entry, i);
        }
    }
}

static void print_facts(TextBuffer *out, const Model *model)
{
    size_t width = 0;
    bool first = true;

    for (uint32_t i = 0; i < model->entry_count; i++) {
        const ModelEntry *entry = &model_entries(model)[i];

        if (entry->section == SECTION_FACTS && strlen(entry->name) > width)
            width = strlen(entry->name);
    }
    for (uint32_t i = 0; i < model->entry_count; i++) {
        const ModelEntry *entry = &model_entries(model)[i];

        if (entry->section != SECTION_FACTS || entry->rows == 0 || fact_is_internal(entry))
            continue;
        text_add(out, first ? "\n\n" : "\n");
        first = false;
        report_padded(out, entry->name, (int)width);
        text_add(out, "  ");
        print_value(out, model, entry);
    }
}

/* Prints "ridge_regression of price from 9 features", and the number of rows. */
static void print_title(TextBuffer *out, const Model *model)
{
    const ModelEntry *target = model_find(model, "target_name");
    uint32_t fields = schema_field_count(model);
    char rows[32], skipped[32];

    if (model->kind == MODEL_FITTED)
        text_print(out, "%.*s", (int)sizeof(model->estimator), model->estimator);
    else
        text_print(out, "moments: %s", model_kind_name(model->kind));
    if (target != NULL && target->type == ARRAY_TEXT && target->rows == 1) {
        uint32_t length;
        const char *text = model_text(model, target, 0, &length);

        text_add(out, " of ");
        text_bytes(out, text, length);
    }
    text_print(out, " from %u feature%s\n%s row%s", fields, fields == 1 ? "" : "s",
          grouped(model->rows, rows), model->rows == 1 ? "" : "s");
    if (model->skipped > 0)
        text_print(out, ", %s skipped", grouped(model->skipped, skipped));
    if (model->flags & MODEL_WEIGHTED)
        text_print(out, ", weight %.6g", model->weight);
}

/* Prints the options that differ from their defaults: "options: lambda 0.5, nulls "impute"". */
static void print_options(TextBuffer *out, Env *env, const Estimator *estimator, const Model *model)
{
    uint32_t length;
    const char *text = model_options(model, &length), *wrong;
    const Json *options = json_try_parse(env, text, length, &wrong);
    bool some = false;

    if (options == NULL || options->type != JSON_OBJECT)
        return;
    for (const Json *key = json_first(options); key != NULL; key = json_next(options, key)) {
        const OptionSpec *spec = option_find(estimator->options, json_string(env, key));
        TextBuffer value;

        value = (TextBuffer){.env = env};
        if (!json_canonical(&value, json_value(key)) ||
            (spec != NULL && spec->fallback != NULL &&
             strcmp(text_finish(&value, NULL), spec->fallback) == 0))
            continue;
        text_add(out, some ? ", " : "\noptions: ");
        some = true;
        text_bytes(out, key->text, key->length);
        text_character(out, ' ');
        text_add(out, text_finish(&value, NULL));
    }
}

/* Prints how the conformal scores came about. */
static void print_conformal(TextBuffer *out, Env *env, const Model *model)
{
    Conformal conformal;
    uint32_t rows;

    if (!conformal_any(model))
        return;
    conformal = conformal_of(env, model);
    (void)model_f64(model, "conformal_scores", &rows);
    text_print(out, "\nconformal scores (%s, %s) of %u row%s", conformal.folds ? "cv+" : "split", conformal_score_names[conformal.score], rows,
               rows == 1 ? "" : "s");
    if (conformal.group != NULL)
        text_print(out, " in %u group%s by %s", conformal.groups, conformal.groups == 1 ? "" : "s", conformal.group);
    if (conformal.by_class)
        text_add(out, ", by class");
}

/* Prints what decides the class beyond the estimator: calibration and decision rule. */
static void print_classifier_output(TextBuffer *out, const Model *model)
{
    ClassifierOutput output;

    if (!classifier_output_any(model))
        return;
    output = classifier_output_of(model);
    if (output.maps != NULL) {
        text_add(out, "\nprobabilities calibrated from ");
        text_add(out, output.of_probabilities ? "its own" : "decisions");
    }
    if (output.options != NULL) {
        text_add(out, "\ndecision rule: ");
        text_bytes(out, output.options, output.options_length);
    }
}

static bool is_control(char c)
{
    return (unsigned char)c < 0x20 || c == 0x7f;
}

/* Returns the model, or a copy with spaces for the control characters of its texts, such as line breaks in labels. */
static const Model *without_controls(Env *env, const Model *model)
{
    Model *copy = NULL;

    for (uint32_t e = 0; e < model->entry_count; e++) {
        const ModelEntry *entry = &model_entries(model)[e];

        for (uint32_t i = 0; entry->type == ARRAY_TEXT && i < entry->rows; i++) {
            uint32_t length;
            const char *text = model_text(model, entry, i, &length);

            env_poll_every(env, i, 4096);
            for (uint32_t k = 0; k < length; k++) {
                if (!is_control(text[k]))
                    continue;
                if (copy == NULL) {
                    copy = env->alloc(env, model->size);
                    env_copy(env, copy, model, model->size);
                }
                ((char *)copy)[text + k - (const char *)model] = ' ';
            }
        }
    }
    return copy != NULL ? copy : model;
}

char *describe_summary(Env *env, const Model *model)
{
    const Estimator *estimator = estimator_of(model);
    const char *formula = schema_formula_text(env, model);
    TextBuffer out;
    char *own;

    model = without_controls(env, model);
    out = (TextBuffer){.env = env};
    own = estimator != NULL && estimator->summary != NULL ? estimator->summary(env, model) : NULL;
    if (own != NULL) {
        text_add(&out, own);
    } else {
        print_title(&out, model);
        print_facts(&out, estimator_statistics(env, model));
    }
    if (formula != NULL && strstr(text_finish(&out, NULL), formula) == NULL)
        text_print(&out, "\nformula: %s", formula);
    if (estimator != NULL)
        print_options(&out, env, estimator, model);
    print_classifier_output(&out, model);
    print_conformal(&out, env, model);
    return text_finish(&out, NULL);
}
