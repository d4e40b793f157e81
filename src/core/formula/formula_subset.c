/*
 * formula_subset.c - the terms of a model's formula: which are part of which, and formulas of some of them.
 */
#include "core/formula/formula_model.h"
#include "core/formula/formula_terms_internal.h"

#include <string.h>

/* Returns the resolved formula of a model; NULL: it has none, or its terms are not those that formula_slot_terms lists. */
static const Formula *formula_of(Env *env, const Model *model, uint32_t count)
{
    const FormulaModel *learned = formula_model(env, model);
    const char *text = schema_formula_text(env, model), *wrong;
    const Formula *formula = learned != NULL ? learned->formula : text != NULL ? formula_of_schema(env, text, strlen(text), model, &wrong) : NULL;

    return formula != NULL && formula->term_count == count ? formula : NULL;
}

bool *formula_margins(Env *env, const Model *model, uint32_t count)
{
    const Formula *formula = formula_of(env, model, count);
    bool *margins;

    env_require_memory(env, (size_t)count * count, "the terms of the formula");
    margins = env_array(env, (size_t)count * count + 1, 1);
    for (uint32_t i = 0; formula != NULL && i < count; i++) {
        const uint32_t *atoms = formula->term_atoms + formula->term_first[i], size = formula->term_first[i + 1] - formula->term_first[i];

        for (uint32_t j = 0; j < count; j++)
            margins[(size_t)i * count + j] = i != j && formula_part_of(formula, j, atoms, size);
        env->poll(env);
    }
    return margins;
}

const char *formula_of_terms(Env *env, const Model *model, const char *const *names, uint32_t count, const bool *kept)
{
    const Formula *formula = formula_of(env, model, count);
    TextBuffer out = {.env = env};
    const char *and = "";

    if (model_find(model, "intercept") == NULL) {
        text_add(&out, "0");
        and = " + ";
    }
    for (uint32_t term = 0; term < count; term++) {
        if (!kept[term])
            continue;
        text_add(&out, and);
        if (formula != NULL)
            formula_term_text(&out, formula, term);
        else
            text_add(&out, formula_name(env, names[term]));
        and = " + ";
    }
    for (uint32_t i = 0; formula != NULL && i < formula->atom_count; i++)
        if (formula->atoms[i].kind == ATOM_OFFSET) {
            text_print(&out, "%s%s", and, formula->atoms[i].text);
            and = " + ";
        }
    if (out.length == 0)
        text_add(&out, "1");
    return text_finish(&out, NULL);
}
