/*
 * linear_equations.c - builds and checks the arrays of linear equations.
 */
#include "core/linear_equations/linear_equations.h"
#include "core/inference/robust_model.h"
#include "core/linalg/qr_factor.h"

#include <math.h>
#include <string.h>

#define NAMED 10 /* dropped terms in the warning */

/* ---- building ---- */

LinearEquations linear_equations(Env *env, const Model *schema, FitTerms terms, uint32_t equations, const double *means)
{
    LinearEquations out = {.env = env, .schema = schema, .terms = terms, .means = means, .equations = equations, .slots = schema->slot_count};

    out.levels = dictionary_size(schema, DICTIONARY_LEVELS);
    out.coef = env_array(env, (size_t)out.slots + out.levels, equations * sizeof(double));
    if (out.levels > 0) {
        out.reference = env_array(env, out.levels, 1);
        memset(out.reference, 1, out.levels);
    }
    if (means != NULL) {
        out.offset = env_array(env, equations, sizeof(double));
        out.center = env_array(env, (size_t)out.slots + 1, sizeof(double));
    }
    for (uint32_t t = 0; t < terms.count; t++)
        if (terms.level[t] >= 0)
            out.reference[terms.level[t]] = 0;
        else if (means != NULL)
            out.center[terms.slot[t]] = means[t];
    return out;
}

void linear_equations_drop(LinearEquations *out, const uint8_t *dropped, const uint8_t *in_some, const char *hint, ModelBuilder *builder)
{
    Env *env = out->env;
    const uint8_t *named = in_some != NULL ? in_some : dropped;
    uint32_t *order = env_array(env, (size_t)out->levels + 1, sizeof(uint32_t)), count = 0, *lengths;
    TextBuffer list = {.env = env};
    const char **names;

    for (uint32_t t = 0; t < out->terms.count; t++)
        count += named[t];
    if (count == 0)
        return;
    names = env_array(env, count, sizeof *names);
    lengths = env_array(env, count, sizeof *lengths);
    count = 0;
    if (out->levels > 0)
        dictionary_final_order(env, out->schema, DICTIONARY_LEVELS, order);
    for (uint32_t t = 0; t < out->terms.count; t++) {
        int32_t level = out->terms.level[t];
        char name[2 * SCHEMA_NAME_SIZE];

        if (dropped[t] && out->dropped == NULL)
            out->dropped = env_array(env, (size_t)out->slots + out->levels, 1);
        if (dropped[t])
            out->dropped[linear_column(out->slots, out->terms, t)] = 1;
        if (!named[t])
            continue;
        schema_term_name(out->schema, out->terms.slot[t], level < 0 ? -1 : (int64_t)order[level], name, sizeof(name));
        lengths[count] = (uint32_t)strlen(name);
        names[count] = memcpy(env_array(env, lengths[count] + 1, 1), name, lengths[count]);
        if (count < NAMED)
            text_print(&list, "%s%s", count > 0 ? ", " : "", *name != '\0' ? name : "\"\"");
        count++;
    }
    if (count > NAMED)
        text_print(&list, " and %u more", count - NAMED);
    env_warn(env, ERROR_DATA, hint, "%u of %u term%s depend%s linearly on the others%s and %s dropped: %s", count, out->terms.count, out->terms.count == 1 ? "" : "s",
             count == 1 ? "s" : "", in_some != NULL ? " in some pair of classes" : "", count == 1 ? "was" : "were", list.text);
    builder_text(builder, SECTION_FACTS, "dropped_terms", names, lengths, count);
}

LinearEquations linear_rows_equations(const StandardizedRows *rows, uint32_t equations)
{
    return linear_equations(rows->env, rows_schema(rows->design->rows), FIT_TERMS(rows->design), equations, rows->intercept ? rows->center : NULL);
}

uint32_t linear_rows_set(LinearEquations *out, const StandardizedRows *rows, uint32_t equation, const double *theta, const char *method, const char *hint)
{
    uint32_t nonzero = 0;

    if (rows->intercept)
        out->offset[equation] = theta[0];
    for (uint32_t t = 0; t < rows->terms; t++) {
        double w = theta[t + rows->intercept] / rows->scale[rows->term[t]];

        if (!isfinite(w))
            env_fail(rows->env, ERROR_RANGE, hint, "the coefficients of %s exceed the range of double precision", method);
        linear_equations_set(out, equation, rows->term[t], w);
        nonzero += w != 0;
    }
    return nonzero;
}

bool linear_rows_covariance(const StandardizedRows *rows, const double *covariance, size_t ld, double *packed)
{
    uint32_t first = rows->intercept, all = rows->design->terms + first, count = rows->count;
    double *shift = env_array(rows->env, (size_t)count + 1, sizeof(double));
    bool finite = true;

    for (uint32_t i = 0; first && i < count; i++) /* V (c / s), where c / s is the center of a standardized column */
        for (uint32_t t = 0; t < rows->terms; t++)
            shift[i] += covariance[i * ld + t + 1] * (rows->center[rows->term[t]] / rows->scale[rows->term[t]]);
    if (first) {
        packed[0] = covariance[0] - 2 * shift[0];
        for (uint32_t t = 0; t < rows->terms; t++)
            packed[0] += shift[t + 1] * (rows->center[rows->term[t]] / rows->scale[rows->term[t]]);
    }
    for (uint32_t t = 0; t < rows->terms; t++) {
        uint32_t j = rows->term[t] + first;
        double scale = rows->scale[rows->term[t]];

        if (first)
            packed[factor_packed(j)] = (covariance[(t + 1) * ld] - shift[t + 1]) / scale;
        for (uint32_t u = 0; u <= t; u++)
            packed[factor_packed(j) + rows->term[u] + first] = covariance[(t + first) * ld + u + first] / (scale * rows->scale[rows->term[u]]);
    }
    rows->env->release(rows->env, shift);
    for (size_t i = 0; i < factor_packed((size_t)all); i++)
        finite = finite && isfinite(packed[i]);
    return finite;
}

/* Writes the slots of categorical fields, [slots], and returns how many there are. */
static uint32_t categorical_slots(const Model *schema, int64_t *list)
{
    uint32_t slot = 0, count = 0;

    for (uint32_t f = 0; f < schema->field_count; f++)
        for (uint32_t i = 0; i < schema_field_width(schema, f); i++, slot++)
            if (schema_field_kind(schema, f) == FIELD_CATEGORICAL)
                list[count++] = slot;
    return count;
}

static void add_intercepts(ModelBuilder *builder, const LinearEquations *equations)
{
    uint32_t count = equations->equations, columns = equations->slots + equations->levels;
    double *intercepts;

    if (equations->offset == NULL)
        return;
    if (equations->center == NULL) {
        builder_f64(builder, SECTION_ARRAYS, "intercept", equations->offset, count);
        return;
    }
    intercepts = env_array(equations->env, count, sizeof(double));
    for (uint32_t e = 0; e < count; e++)
        intercepts[e] = linear_intercept(equations->offset[e], equations->center, equations->coef + (size_t)e * columns,
                                         equations->slots);
    builder_f64(builder, SECTION_ARRAYS, "center", equations->center, equations->slots);
    builder_f64(builder, SECTION_ARRAYS, "intercept", intercepts, count);
    builder_f64(builder, SECTION_ARRAYS, "offset", equations->offset, count);
}

void linear_equations_add(ModelBuilder *builder, const LinearEquations *equations)
{
    Env *env = equations->env;
    uint32_t count = equations->equations, columns = equations->slots + equations->levels, terms = columns;
    int64_t *level_slots = env_array(env, (size_t)equations->slots + 1, sizeof(int64_t));
    uint32_t categorical = categorical_slots(equations->schema, level_slots);

    if (count > 1)
        builder_f64_matrix(builder, SECTION_ARRAYS, "coef", equations->coef, count, columns);
    else
        builder_f64(builder, SECTION_ARRAYS, "coef", equations->coef, columns);
    add_intercepts(builder, equations);
    if (categorical > 0)
        builder_i64(builder, SECTION_ARRAYS, "level_slots", level_slots, categorical);
    if (equations->levels > 0)
        builder_bool(builder, SECTION_ARRAYS, "reference", equations->reference, equations->levels);
    if (equations->dropped != NULL)
        builder_bool(builder, SECTION_ARRAYS, "dropped", equations->dropped, columns);
    for (uint32_t l = 0; l < equations->levels; l++)
        terms -= equations->reference[l];
    if (equations->covariance != NULL)
        builder_f64(builder, SECTION_ARRAYS, "covariance" MODEL_PACKED, equations->covariance,
                    (uint32_t)factor_packed((size_t)terms - categorical + (equations->offset != NULL)));
    if (equations->errors != NULL)
        builder_f64_matrix(builder, SECTION_ARRAYS, "coef_error", equations->errors, count, 1 + columns);
    if (equations->link != LINK_NONE) {
        int64_t *link = env_array(env, 1, sizeof(int64_t));

        *link = equations->link;
        builder_i64(builder, SECTION_ARRAYS, "link", link, 1);
    }
}

/* ---- checks ---- */

const ArraySpec linear_arrays[8] = {
    {.name = "center",
     .type = ARRAY_F64,
     .presence = ARRAY_OPTIONAL,
     .other = "intercept",
     .rows = {SIZE_SLOTS}},
    {.name = "coef",
     .type = ARRAY_F64,
     .flat = true,
     .rows = {SIZE_EQUATIONS, .defines = true},
     .columns = {SIZE_SLOTS, .other = SIZE_LEVELS}},
    {.name = "covariance" MODEL_PACKED, .type = ARRAY_F64, .presence = ARRAY_OPTIONAL, .rows = {SIZE_FREE}},
    {.name = "dropped",
     .type = ARRAY_BOOL,
     .presence = ARRAY_OPTIONAL,
     .rows = {SIZE_SLOTS, .other = SIZE_LEVELS}},
    {.name = "intercept", .type = ARRAY_F64, .presence = ARRAY_OPTIONAL, .rows = {SIZE_EQUATIONS}},
    {.name = "level_slots",
     .type = ARRAY_I64,
     .sized = true,
     .values = VALUES_INDEX,
     .below = SIZE_SLOTS,
     .rows = {SIZE_CATEGORICAL}},
    {.name = "offset", .type = ARRAY_F64, .presence = ARRAY_WITH, .other = "center", .rows = {SIZE_EQUATIONS}},
    {.name = "reference", .type = ARRAY_BOOL, .sized = true, .rows = {SIZE_LEVELS}}};

const char *linear_check(Env *env, const Model *model)
{
    const ModelEntry *covariance = model_find(model, "covariance" MODEL_PACKED);
    size_t numbers = (size_t)linear_term_count(model) + (model_find(model, "intercept") != NULL);

    if (covariance == NULL)
        return robust_check(env, model, numbers);
    if (model_find(model, "coef")->dimensions == 2)
        return "\"covariance_packed\" belongs to a model of one equation";
    return covariance->rows == factor_packed(numbers)
               ? robust_check(env, model, numbers)
               : env_message(env, "\"covariance_packed\" of %.31s has %u numbers, not the %zu of %zu coefficients",
                             model->estimator, covariance->rows, factor_packed(numbers), numbers);
}

const char *linear_equation_check(Env *env, const Model *model)
{
    if (model_find(model, "coef")->dimensions == 2)
        return env_message(env, "\"coef\" of %.31s is a matrix: a regression has one equation", model->estimator);
    return linear_check(env, model);
}

/* Tells whether all coefficients are 0 except those of terms that were not dropped. */
static bool only_terms(Env *env, const Model *model, const LinearView *view)
{
    uint8_t *term = env_array(env, (size_t)view->columns + 1, 1);
    const uint8_t *dropped = linear_dropped(model);
    uint32_t count;
    const LinearTerm *terms = linear_terms(env, model, &count);

    for (uint32_t t = 0; t < count; t++)
        term[terms[t].column] = dropped == NULL || !dropped[terms[t].column];
    for (uint32_t e = 0; e < view->equations; e++)
        for (uint32_t c = 0; c < view->columns; c++)
            if (!term[c] && view->coef[(size_t)e * view->columns + c] != 0)
                return false;
    return true;
}

const char *linear_accept(Env *env, const Model *model)
{
    int64_t *level_slots = env_array(env, (size_t)model->slot_count + 1, sizeof(int64_t));
    LinearView view;

    linear_view(model, &view);
    if (!only_terms(env, model, &view))
        return env_message(env, "\"coef\" of %.31s has a number other than 0 where there is no term", model->estimator);
    for (uint32_t e = 0; view.center != NULL && e < view.equations; e++)
        if (view.intercept[e] != linear_intercept(view.offset[e], view.center, view.coef + (size_t)e * view.columns,
                                                  view.slots))
            return env_message(env, "arrays \"coef\", \"center\", \"offset\" and \"intercept\" of %.31s contradict each other",
                               model->estimator);
    categorical_slots(model, level_slots);
    if (view.categorical > 0 && memcmp(level_slots, view.level_slots, view.categorical * sizeof(int64_t)) != 0)
        return "\"level_slots\" names features that are not categorical";
    return NULL;
}
