/*
 * formula_stored.c - a formula that was stored with the schema of its inputs.
 */
#include "core/formula/formula_internal.h"

#include <string.h>

/* Returns what is wrong with a field of the schema as an input, or NULL. */
static const char *check_input(Env *env, const Model *schema, const SchemaView *view, uint32_t i, const FormulaInput *input)
{
    uint32_t length;
    const char *name = model_text(schema, view->field_names, i, &length);

    if (length != strlen(input->name) || memcmp(name, input->name, length) != 0)
        return env_message(env, "feature %u is not the formula's \"%.*s\"", i + 1,
                           (int)bytes_cut(input->name, strlen(input->name), FORMULA_SHOWN), input->name);
    if (schema_view_kind(schema, view, i) != input->field_kind || schema_view_width(schema, view, i) != input->width)
        return env_message(env, "feature %u of a formula is of another kind", i + 1);
    return NULL;
}

/* Returns the place of a variable among those of another formula by its name; FORMULA_NONE: it is not there. */
static uint32_t find_variable(const Formula *formula, const FormulaName *name)
{
    for (uint32_t i = 0; i < formula->variable_count; i++)
        if (formula->variables[i].length == name->length && memcmp(formula->variables[i].text, name->text, name->length) == 0)
            return i;
    return FORMULA_NONE;
}

/* Tells whether a column is a field of its own, of which the schema has the kind. */
static bool is_field(const Formula *formula, uint32_t variable)
{
    for (uint32_t i = 0; i < formula->input_count; i++)
        if (formula->inputs[i].kind == FORMULA_COLUMN && formula->inputs[i].variable == variable)
            return true;
    return false;
}

/* Tells whether an expression reads a column that is neither a number nor a field. */
static bool has_kinds(const Formula *formula)
{
    for (uint32_t i = 0; i < formula->variable_count; i++)
        if (formula_variable_is_number(formula, i) && formula->variables[i].kind != FIELD_NUMERIC && !is_field(formula, i))
            return true;
    return false;
}

const int64_t *formula_kinds(Env *env, const Formula *formula, uint32_t *count)
{
    const char *text = formula_text(formula);
    const Formula *parsed;
    int64_t *kinds;

    *count = 0;
    if (!has_kinds(formula))
        return NULL;
    parsed = formula_parse(env, text, strlen(text));
    *count = parsed->variable_count;
    kinds = env_array(env, (size_t)*count + 1, sizeof *kinds);
    for (uint32_t i = 0; i < *count; i++) {
        uint32_t found = find_variable(formula, &parsed->variables[i]);

        kinds[i] = found == FORMULA_NONE ? FIELD_NUMERIC : formula->variables[found].kind;
    }
    return kinds;
}

/* Lists the fields of the schema as columns, and the variables that are no fields as what the schema says of them, else as numbers. */
static FormulaVariable *stored_columns(Env *env, const Formula *parsed, const Model *schema, const SchemaView *view, uint32_t *count)
{
    const int64_t *kinds = view->formula_kinds != NULL ? model_data(schema, view->formula_kinds) : NULL;
    uint32_t fields = schema->field_count;
    FormulaVariable *columns = env_array(env, (size_t)fields + parsed->variable_count, sizeof(FormulaVariable));

    for (uint32_t i = 0; i < fields; i++) {
        columns[i].name = model_text(schema, view->field_names, i, &columns[i].length);
        columns[i].kind = schema_view_kind(schema, view, i);
        columns[i].width = schema_view_width(schema, view, i);
    }
    *count = fields;
    for (uint32_t i = 0; i < parsed->variable_count; i++) {
        if (formula_name_is_pi(&parsed->variables[i])) /* a column of this name is written in quotes */
            continue;
        columns[(*count)++] = (FormulaVariable){.name = parsed->variables[i].text,
                                                .length = parsed->variables[i].length,
                                                .kind = kinds != NULL ? (FieldKind)kinds[i] : FIELD_NUMERIC,
                                                .width = 1};
    }
    return columns;
}

Formula *formula_of_schema(Env *env, const char *text, size_t length, const Model *inputs, const char **wrong)
{
    FormulaProblem problem = {.env = env};
    Formula *parsed = formula_read(env, text, length, &problem), *formula = NULL;
    FormulaVariable *columns;
    SchemaView view;
    uint32_t count;

    *wrong = NULL;
    schema_view(inputs, &view);
    if (parsed == NULL)
        *wrong = problem.message;
    else if (view.field_names == NULL)
        *wrong = "a formula without names of features";
    else if (parsed->target != NULL)
        *wrong = "a stored formula has a target";
    else if (parsed->has_dot)
        *wrong = "a stored formula has a .";
    else if (view.formula_kinds != NULL && view.formula_kinds->rows != parsed->variable_count)
        *wrong = "formula_kinds does not have one kind per name in the formula";
    if (*wrong != NULL)
        return NULL;
    columns = stored_columns(env, parsed, inputs, &view, &count);
    formula = formula_bind(env, parsed, columns, count, NULL, 0, &problem);
    if (formula == NULL)
        *wrong = problem.message;
    else if (formula->input_count != inputs->field_count)
        *wrong = env_message(env, "%u features for a formula of %u", inputs->field_count, formula->input_count);
    for (uint32_t i = 0; *wrong == NULL && i < formula->input_count; i++)
        *wrong = check_input(env, inputs, &view, i, &formula->inputs[i]);
    return *wrong == NULL ? formula : NULL;
}
