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

/* Lists the fields of the schema as columns, and the variables that are no fields as numbers. */
static FormulaVariable *stored_columns(Env *env, const Formula *parsed, const Model *schema, const SchemaView *view, uint32_t *count)
{
    uint32_t fields = schema->field_count;
    FormulaVariable *columns = env_array(env, (size_t)fields + parsed->variable_count, sizeof(FormulaVariable));

    for (uint32_t i = 0; i < fields; i++) {
        columns[i].name = model_text(schema, view->field_names, i, &columns[i].length);
        columns[i].kind = schema_view_kind(schema, view, i);
        columns[i].width = schema_view_width(schema, view, i);
    }
    *count = fields;
    for (uint32_t i = 0; i < parsed->variable_count; i++)
        columns[(*count)++] = (FormulaVariable){.name = parsed->variables[i].text,
                                                .length = parsed->variables[i].length,
                                                .kind = FIELD_NUMERIC,
                                                .width = 1};
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
    if (parsed != NULL && view.field_names == NULL)
        *wrong = "a formula without names of features";
    if (parsed == NULL || *wrong != NULL) {
        *wrong = *wrong != NULL ? *wrong : problem.message;
        return NULL;
    }
    if (parsed->has_dot) {
        *wrong = "a stored formula has a .";
        return NULL;
    }
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
