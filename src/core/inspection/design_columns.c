/*
 * design_columns.c - the columns of a design matrix for any model, as R's model.matrix shows them.
 */
#include "core/inspection/design_columns.h"

#include "core/estimator/estimator.h"
#include "core/formula/formula_model.h"

/* Tells whether an equation of this model has an intercept. */
static bool has_intercept(Env *env, const Model *model)
{
    const Estimator *estimator = estimator_of(model);
    const Model *rows = formula_row_schema(env, model);
    uint32_t length;
    const char *text = schema_formula(rows, &length), *wrong = NULL;
    const Formula *formula = text != NULL ? formula_of_schema(env, text, length, rows, &wrong) : NULL;

    if (formula != NULL && !formula_intercept(formula))
        return false;
    if (estimator == NULL || option_find(estimator->options, "intercept") == NULL)
        return true;
    return options_boolean(estimator_options(env, estimator, model), "intercept");
}

static void add_column(DesignColumns *columns, uint32_t slot, int64_t level)
{
    columns->slot[columns->count] = slot;
    columns->level[columns->count++] = level;
}

DesignColumns *design_columns(Env *env, const Model *model)
{
    DesignColumns *columns = env_array(env, 1, sizeof(DesignColumns));
    uint32_t levels = dictionary_size(model, DICTIONARY_LEVELS), slot = 0, level = 0;
    size_t most = (size_t)model->slot_count + levels + 1;
    bool all_levels;

    columns->slot = env_array(env, most, sizeof(uint32_t));
    columns->level = env_array(env, most, sizeof(int64_t));
    columns->intercept = has_intercept(env, model);
    all_levels = !columns->intercept;
    if (columns->intercept)
        add_column(columns, UINT32_MAX, -1);
    for (uint32_t f = 0; f < model->field_count; f++) {
        uint32_t width = schema_field_width(model, f);
        bool skip = !all_levels;

        env_poll_every(env, f, 256);
        if (schema_field_kind(model, f) != FIELD_CATEGORICAL) {
            for (uint32_t i = 0; i < width; i++)
                add_column(columns, slot + i, -1);
        } else {
            all_levels = false;
            while (level < levels && dictionary_field(model, level) < f)
                level++;
            for (; level < levels && dictionary_field(model, level) == f; level++, skip = false)
                if (!skip)
                    add_column(columns, slot, level);
        }
        slot += width;
    }
    return columns;
}

const char *design_column_name(Env *env, const Model *model, const DesignColumns *columns, uint32_t column)
{
    char *name;

    if (columns->slot[column] == UINT32_MAX)
        return "(intercept)";
    name = env_array(env, 4 * SCHEMA_NAME_SIZE, 1);
    schema_term_name(model, columns->slot[column], columns->level[column], name, 4 * SCHEMA_NAME_SIZE);
    return name;
}

void design_columns_row(const DesignColumns *columns, const double *slots, double *out)
{
    for (uint32_t i = 0; i < columns->count; i++) {
        uint32_t slot = columns->slot[i];

        out[i] = slot == UINT32_MAX ? 1 : columns->level[i] < 0 ? slots[slot] : slots[slot] == (double)columns->level[i];
    }
}
