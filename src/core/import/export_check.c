/*
 * export_check.c - looks for what no format for models can say.
 */
#include "core/import/export_check.h"
#include "core/formula/formula_model.h"

const char *export_obstacle(Env *env, const Model *model)
{
    uint32_t length;
    const char *text = schema_formula(model, &length), *wrong = NULL;
    const Formula *formula = text != NULL ? formula_of_schema(env, text, length, model, &wrong) : NULL;

    if (formula_has_expressions(env, model) || (formula != NULL && formula_has_offset(formula)))
        return env_message(env, "its formula %.100s has terms that are not plain columns", schema_formula_text(env, model));
    if ((model->flags & MODEL_OUTPUT) != 0)
        return "it has calibrated probabilities or a decision rule";
    for (uint32_t f = 0; f < model->field_count; f++)
        if (schema_field_kind(model, f) == FIELD_TEXT)
            return "it compares texts";
    return NULL;
}
