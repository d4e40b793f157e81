/*
 * features_expressions.c - reads the columns of a formula that are more than features as they are: variables of expressions, and
 * values as levels; and computes the expressions.
 */
#include "pg/features/features_internal.h"
#include "core/base/json.h"

#include <math.h>

void variable_set_null(Binding *binding, const Step *step)
{
    variable_set(binding, step, NAN);
    binding->expressions->null = true;
}

void variable_set_level(Binding *binding, const Step *step, const char *bytes, uint32 length)
{
    bool equal = strlen(step->level) == length && memcmp(step->level, bytes, length) == 0;

    variable_set(binding, step, equal != step->differs);
}

/* Reads a number as a variable. */
static void put_variable(RowRead *row, const Step *step, const char *place)
{
    Binding *binding = &row->reader->binding;
    bool overflow = false;
    double value;

    if (!place) {
        variable_set_null(binding, step);
        return;
    }
    if (unlikely(step->level)) {
        char buffer[SQL_VALUE_BUFFER];
        ReadBytes string = sql_value_bytes(step->column->value_kind, place, buffer);

        variable_set_level(binding, step, string.bytes, string.length);
        return;
    }
    value = sql_value_number(step->column->value_kind, place, &overflow);
    if (step->conversion == CONVERT_TO_SECONDS)
        value *= SECONDS_A_DAY;
    else if (step->conversion == CONVERT_TO_DAYS)
        value /= SECONDS_A_DAY;
    require_boolean(step, value);
    variable_set(binding, step, value);
    if (unlikely(overflow))
        env_fail(host_env(), ERROR_RANGE, NULL, "column \"%s\" is out of range of double precision",
                 message_string(step->column->name, step->column->name_length));
}

/* Reads a number or a time as a level, ordered by its value. */
static void put_label(RowRead *row, const Step *step, const char *place)
{
    uint32_t length;
    double key;
    const char *text = value_label(step->label, datum_of_place(step->column, place), &length, &key);

    row_put_level(row, step, text, length, false, key);
}

bool row_put_chain(RowRead *row, const Step *step, const char *place)
{
    for (; step; step = step->next) {
        if (step->variable)
            put_variable(row, step, place);
        else if (step->slot < 0)
            continue;
        else if (step->label && place)
            put_label(row, step, place);
        else if (!row_put(row, step, place))
            return false;
    }
    return true;
}

/* Returns "carat = -3, depth = 60": the variables whose values an expression depends on. */
static const char *values_text(const FormulaBinding *expressions, uint32 input)
{
    double *values = palloc((expressions->variable_count + 1) * sizeof *values);
    TextBuffer out = {.env = host_env()};
    FormulaDomain wrong;

    for (uint32 v = 0; v < expressions->variable_count; v++) {
        uint32_t length;
        const char *name = formula_variable(expressions->formula, v, &length);

        memcpy(values, expressions->variables, expressions->variable_count * sizeof *values);
        values[v] = NAN;
        wrong.text[0] = '\0';
        formula_number(expressions->formula, input, values, &wrong);
        if (wrong.text[0] != '\0' || !formula_variable_is_number(expressions->formula, v))
            continue; /* what is wrong does not depend on it */
        text_print(&out, "%s%s = ", out.length > 0 ? ", " : "", message_string(name, length));
        json_double(&out, expressions->variables[v]);
    }
    return text_finish(&out, NULL);
}

static void __attribute__((noreturn)) fail_domain(const RowRead *row, const Step *step, uint32 input, const FormulaDomain *wrong)
{
    const FormulaBinding *expressions = row->reader->binding.expressions;
    char name[SCHEMA_NAME_SIZE];

    schema_field_name(row->model, step->field, name, sizeof name);
    env_fail(host_env(), ERROR_DATA,
             row->training ? "Exclude such rows with FILTER or WHERE, or change the formula." : "Exclude such rows with WHERE.",
             "%s is undefined for %s, in row %llu: %s", name, values_text(expressions, input), (unsigned long long)row->reader->rows,
             wrong->text);
    pg_unreachable();
}

bool row_put_expressions(RowRead *row)
{
    FormulaBinding *expressions = row->reader->binding.expressions;
    bool null = expressions->null || expressions->absent;
    FormulaDomain wrong;

    expressions->null = false;
    row->reader->rows++;
    if (unlikely(row->variables)) {
        memcpy(row->variables, expressions->variables, expressions->variable_count * sizeof(double));
        for (uint32 i = 0; i < expressions->number_count; i++)
            row->slots[expressions->numbers[i].slot] = 0;
        return true;
    }
    for (uint32 i = 0; i < expressions->number_count; i++) {
        const Step *step = &expressions->numbers[i];
        double value;

        wrong.text[0] = '\0';
        value = formula_number(expressions->formula, expressions->inputs[i], expressions->variables, &wrong);
        if (unlikely(wrong.text[0] != '\0'))
            fail_domain(row, step, expressions->inputs[i], &wrong);
        if (unlikely(isnan(value)) && (null || wrong.null)) {
            if (!row_put_null(row, step))
                return false;
            continue;
        }
        row->slots[step->slot] = value;
        if (row->nulls)
            row->nulls[step->slot] = false;
    }
    return true;
}
