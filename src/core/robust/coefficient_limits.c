/*
 * coefficient_limits.c - limits of coefficients without standard errors: the arrays of a model, and its coefficients with them.
 */
#include "core/robust/coefficient_limits.h"
#include "core/linear_equations/linear_model.h"

#include <math.h>

#define LIMITS(own, on, of)                                                                                              \
    {.name = own, .type = ARRAY_F64, .presence = on, .other = of, .values = VALUES_ANY, .rows = {SIZE_SLOTS, .other = SIZE_LEVELS, .plus = 1}}

const ArraySpec limit_arrays[2] = {LIMITS("conf_high", ARRAY_OPTIONAL, NULL), LIMITS("conf_low", ARRAY_WITH, "conf_high")};

void limits_add(ModelBuilder *builder, const double *low, const double *high, uint32_t columns)
{
    builder_f64(builder, SECTION_ARRAYS, "conf_high", high, columns + 1);
    builder_f64(builder, SECTION_ARRAYS, "conf_low", low, columns + 1);
}

uint32_t limits_coefficients(Env *env, const Model *model, Coefficient **out)
{
    uint32_t count = linear_coefficients(env, model, out), terms, length;
    const double *low = model_f64(model, "conf_low", &length), *high = model_f64(model, "conf_high", &length);
    const LinearTerm *list = linear_terms(env, model, &terms);

    for (uint32_t i = 0; low != NULL && i < count; i++) {
        uint32_t column = i + terms < count ? 0 : 1 + list[i + terms - count].column;

        if (isnan((*out)[i].estimate))
            continue;
        (*out)[i].conf_low = low[column];
        (*out)[i].conf_high = high[column];
    }
    return count;
}
