/*
 * onnx_parts.c - terms of designs, labels and other outputs, for the writers of single methods.
 */
#include "core/onnx/onnx_parts.h"
#include "core/onnx/onnx_export.h"
#include "core/estimator/class_options.h"
#include "core/estimator/shared_options.h"

#include <stdio.h>
#include <stdlib.h>

void onnx_refuse(const OnnxWriter *writer, const Model *model, const char *what)
{
    env_fail(writer->env, ERROR_KIND, writer->python ? "docs/exchange.md lists what Python modules can say." : "docs/onnx.md lists what ONNX can say.",
             "%.31s cannot be written as %s: %s", model->estimator, writer->python ? "Python" : "ONNX", what);
}

/* ---- terms ---- */

OnnxValue onnx_terms(OnnxWriter *writer, OnnxValue row, uint32_t slots, const OnnxTerm *terms, uint32_t count)
{
    Env *env = writer->env;
    uint32_t *slot = env_array(env, (size_t)count + 1, sizeof(uint32_t)), levels = 0;
    double *level = env_array(env, (size_t)count + 1, sizeof(double));
    uint8_t *is_level = env_array(env, (size_t)count + 1, 1);
    bool all = slots == count;
    OnnxValue equal;

    for (uint32_t t = 0; t < count; t++) {
        slot[t] = terms[t].slot;
        level[t] = (double)terms[t].level;
        is_level[t] = terms[t].level >= 0;
        levels += is_level[t];
        all = all && slot[t] == t;
    }
    if (!all)
        row = onnx_columns(writer, row, slot, count);
    if (levels == 0)
        return row;
    equal = onnx_cast(writer, ONNX(writer, "Equal", row, onnx_vector(writer, level, count)), ONNX_DOUBLE);
    return levels == count ? equal : ONNX(writer, "Where", onnx_bool_vector(writer, is_level, count), equal, row);
}

OnnxValue onnx_model_terms(OnnxWriter *writer, const Model *model, OnnxValue row, uint32_t count, const int64_t *slot, const int64_t *level)
{
    OnnxTerm *terms = env_array(writer->env, (size_t)count + 1, sizeof(OnnxTerm));

    for (uint32_t t = 0; t < count; t++) {
        terms[t].slot = slot != NULL ? (uint32_t)slot[t] : t;
        terms[t].level = slot != NULL ? level[t] : -1;
    }
    return onnx_terms(writer, row, model->slot_count, terms, count);
}

OnnxValue onnx_zeros(OnnxWriter *writer, OnnxValue row, uint32_t slots, uint32_t columns)
{
    double *zeros = env_array(writer->env, (size_t)slots * columns, sizeof(double));

    return ONNX(writer, "MatMul", row, onnx_matrix(writer, zeros, slots, columns));
}

/* ---- numbers ---- */

OnnxValue onnx_plus(OnnxWriter *writer, OnnxValue value, double number)
{
    return ONNX(writer, "Add", value, onnx_number(writer, number));
}

OnnxValue onnx_times(OnnxWriter *writer, OnnxValue value, double number)
{
    return ONNX(writer, "Mul", value, onnx_number(writer, number));
}

OnnxValue onnx_softmax(OnnxWriter *writer, OnnxValue scores)
{
    OnnxAttributes attributes = {.env = writer->env};

    onnx_integer(&attributes, "axis", 1);
    return ONNX_WITH(writer, &attributes, "Softmax", scores);
}

/* ---- outputs ---- */

void onnx_numbers(OnnxWriter *writer, const char *name, OnnxValue value, uint32_t columns)
{
    if (writer->missing != NULL)
        value = ONNX(writer, "Add", value, writer->missing);
    onnx_output(writer, name, value, ONNX_DOUBLE, columns);
}

void onnx_prediction(OnnxWriter *writer, OnnxValue value)
{
    onnx_numbers(writer, "prediction", value, 1);
}

/* Returns the labels as integers; NULL if one is none. */
static int64_t *integer_labels(Env *env, const Model *model, uint32_t classes)
{
    int64_t *numbers = env_array(env, classes, sizeof(int64_t));

    for (uint32_t k = 0; k < classes; k++) {
        char *text = class_string(env, model, k), again[32], *end;

        numbers[k] = strtoll(text, &end, 10);
        snprintf(again, sizeof again, "%lld", (long long)numbers[k]);
        if (strcmp(text, again) != 0)
            return NULL;
    }
    return numbers;
}

bool onnx_integer_type(const char *type)
{
    return strcmp(type, "integer") == 0 || strcmp(type, "bigint") == 0 || strcmp(type, "smallint") == 0;
}

void onnx_label(OnnxWriter *writer, const Model *model, OnnxValue index, const char *name, OnnxValue numbers)
{
    Env *env = writer->env;
    uint32_t classes = dictionary_size(model, DICTIONARY_CLASSES);
    const char **labels = env_array(env, classes, sizeof(char *));
    const ModelEntry *type = model_find(model, "class_type");
    const char *type_name = type != NULL ? model_string(env, model, type) : "";
    int64_t *integers = onnx_integer_type(type_name) ? integer_labels(env, model, classes) : NULL;

    for (uint32_t k = 0; k < classes; k++)
        labels[k] = class_string(env, model, k);
    if (writer->python || writer->scores != NULL)
        onnx_output(writer, "label", index, ONNX_INT64, 0);
    else if (integers != NULL)
        onnx_output(writer, "label", ONNX(writer, "Gather", onnx_int_vector(writer, integers, classes), index), ONNX_INT64, 0);
    else
        onnx_output(writer, "label", ONNX(writer, "Gather", onnx_string_vector(writer, labels, classes), index), ONNX_STRING, 0);
    if (name != NULL)
        onnx_numbers(writer, name, numbers, classes);
}

OnnxValue onnx_largest(OnnxWriter *writer, OnnxValue numbers)
{
    OnnxAttributes attributes = {.env = writer->env};

    onnx_integer(&attributes, "axis", 1);
    onnx_integer(&attributes, "keepdims", 0);
    return ONNX_WITH(writer, &attributes, "ArgMax", numbers);
}

/* Returns one of two positions, [N], by a condition, [N, 1]. */
static OnnxValue choose(OnnxWriter *writer, OnnxValue condition, int64_t yes, int64_t no)
{
    int64_t flat = -1;
    OnnxValue chosen = ONNX(writer, "Where", condition, onnx_int_vector(writer, &yes, 1), onnx_int_vector(writer, &no, 1));

    return ONNX(writer, "Reshape", chosen, onnx_int_vector(writer, &flat, 1));
}

void onnx_decision(OnnxWriter *writer, OnnxValue scores, uint32_t columns)
{
    if (writer->python)
        onnx_numbers(writer, "decision", scores, columns);
}

void onnx_outlier(OnnxWriter *writer, OnnxValue score, OnnxValue inside)
{
    OnnxValue index = choose(writer, inside, 1, 0);

    if (writer->python)
        onnx_output(writer, "label", index, ONNX_INT64, 0);
    else
        onnx_output(writer, "label", ONNX(writer, "Gather", onnx_string_vector(writer, outlier_labels, 2), index), ONNX_STRING, 0);
    onnx_numbers(writer, "scores", score, 1);
}

OnnxValue onnx_by_sign(OnnxWriter *writer, const Model *model, OnnxValue score)
{
    ClassRule rule = class_rule_of(model);
    OnnxValue above;

    if (rule.tie == TIE_NONE)
        onnx_refuse(writer, model, "with \"tie\": \"null\" a row may have no class, and an exported label is never missing");
    above = ONNX(writer, rule.tie == TIE_POSITIVE ? "GreaterOrEqual" : "Greater", score, onnx_number(writer, 0));
    return choose(writer, above, rule.positive, 1 - (int64_t)rule.positive);
}

OnnxValue onnx_pair(OnnxWriter *writer, const Model *model, OnnxValue positive, OnnxValue negative)
{
    bool first = class_rule_of(model).positive == 0;

    return onnx_concat(writer, (const OnnxValue[]){first ? positive : negative, first ? negative : positive}, 2);
}

