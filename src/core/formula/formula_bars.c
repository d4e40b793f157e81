/*
 * formula_bars.c - the random effects of a formula.
 */
#include "core/formula/formula_bars.h"
#include "core/formula/formula_terms_internal.h"

#include <string.h>

bool formula_has_bars(const Formula *formula)
{
    return formula->bar_count > 0;
}

/* Returns the fields of terms, [*count]. */
static uint32_t *fields_of(Env *env, const FormulaTerms *terms, const uint32_t *list, uint32_t *count)
{
    uint32_t total = 0, *fields;

    for (uint32_t f = 0; f < terms->fields; f++)
        for (uint32_t i = 0; i < *count; i++)
            total += terms->field_plan[f] == list[i];
    fields = env_array(env, (size_t)total + 1, sizeof(uint32_t));
    total = 0;
    for (uint32_t i = 0; i < *count; i++)
        for (uint32_t f = 0; f < terms->fields; f++)
            if (terms->field_plan[f] == list[i])
                fields[total++] = f;
    *count = total;
    return fields;
}

const FormulaBars *formula_bars(Env *env, const Model *model)
{
    FormulaModel *learned = formula_model(env, model);
    FormulaBars *out = env_array(env, 1, sizeof(FormulaBars));
    const Formula *formula = learned != NULL ? learned->formula : NULL;
    FormulaBar *bars;
    bool *fixed;

    if (formula == NULL || formula->bar_count == 0)
        return NULL;
    bars = env_array(env, formula->bar_count, sizeof(FormulaBar));
    fixed = env_array(env, (size_t)learned->terms->fields + 1, 1);
    for (uint32_t f = 0; f < learned->terms->fields; f++)
        fixed[f] = learned->terms->field_plan[f] < formula->fixed_count;
    for (uint32_t b = 0; b < formula->bar_count; b++) {
        const BarTerms *bar = &formula->bars[b];

        bars[b] = (FormulaBar){.intercept = bar->intercept, .effect_count = bar->effect_count, .group_count = bar->group_count};
        bars[b].effects = fields_of(env, learned->terms, bar->effects, &bars[b].effect_count);
        bars[b].groups = fields_of(env, learned->terms, bar->groups, &bars[b].group_count);
        env->poll(env);
    }
    *out = (FormulaBars){formula->bar_count, bars, fixed};
    return out;
}
