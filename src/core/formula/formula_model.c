/*
 * formula_model.c - opens, checks and describes what a model keeps of its formula.
 */
#include "core/formula/formula_model.h"

#include "core/base/text_buffer.h"
#include "core/formula/formula_terms_internal.h"

#include <math.h>
#include <string.h>

bool formula_model_any(const Model *model)
{
    return model_find(model, "formula_inputs") != NULL;
}

bool formula_has_offset(const Formula *formula)
{
    return formula->offsets;
}

/* ---- opening ---- */

/* Decodes and checks the schema of the inputs. Returns NULL with what is wrong. */
static const Model *decode_inputs(Env *env, const Model *model, const char **wrong)
{
    uint32_t size = 0;
    const uint8_t *bytes = model_u8(model, "formula_inputs", &size);
    const Model *inputs = model_parse_binary(env, bytes, size);
    const ModelEntry *entry = model_entries(inputs);

    *wrong = NULL;
    if (inputs->kind != MODEL_FITTED || strcmp(inputs->estimator, "schema") != 0)
        *wrong = "the inputs of the formula are not a schema";
    for (uint32_t i = 0; i < inputs->entry_count && *wrong == NULL; i++)
        if (entry[i].section != SECTION_SCHEMA)
            *wrong = "the inputs of the formula have more than a schema";
    if (*wrong == NULL)
        *wrong = schema_check(env, inputs);
    if (*wrong == NULL && (model_find(inputs, "formula") == NULL || formula_model_any(inputs)))
        *wrong = "the inputs of the formula have no formula, or are terms of another";
    if (*wrong == NULL && (inputs->flags & MODEL_NULL_VALUES) == MODEL_IMPUTE && model_find(inputs, "impute") == NULL)
        *wrong = "the inputs of the formula have no means to replace NULLs";
    return *wrong == NULL ? inputs : NULL;
}

/* Opens the formula of a value. Returns NULL with what is wrong. */
static FormulaModel *open_model(Env *env, const Model *model, const char **wrong)
{
    FormulaModel *opened = env_array(env, 1, sizeof(FormulaModel));
    uint32_t length, count = 0;
    const char *text;
    const double *parameters = model_f64(model, "formula_parameters", &count);

    opened->inputs = decode_inputs(env, model, wrong);
    if (opened->inputs == NULL)
        return NULL;
    text = schema_formula(opened->inputs, &length);
    opened->formula = formula_of_schema(env, text, length, opened->inputs, wrong);
    if (opened->formula == NULL)
        return NULL;
    opened->terms = formula_terms_from(env, opened->formula, opened->inputs, parameters, count, wrong);
    if (opened->terms == NULL)
        return NULL;
    opened->offsets = formula_has_offset(opened->formula);
    opened->row = env_array(env, (size_t)opened->inputs->slot_count + 1, sizeof(double));
    return opened;
}

FormulaModel *formula_model(Env *env, const Model *model)
{
    const char *wrong = NULL;
    FormulaModel *opened;

    if (!formula_model_any(model))
        return NULL;
    opened = open_model(env, model, &wrong);
    if (opened == NULL)
        env_fail(env, ERROR_CORRUPT, "Fit the model again.", "the formula of a model of %.31s is damaged: %s", model->estimator, wrong);
    return opened;
}

/* ---- checking ---- */

/* Tells whether two values have the same strings in an entry, or both lack it. */
static bool same_strings(const Model *a, const Model *b, const char *name)
{
    const ModelEntry *x = model_find(a, name), *y = model_find(b, name);

    if (x == NULL || y == NULL)
        return x == y;
    for (uint32_t i = 0; x->rows == y->rows && i < x->rows; i++) {
        uint32_t x_length, y_length;
        const char *x_text = model_text(a, x, i, &x_length), *y_text = model_text(b, y, i, &y_length);

        if (bytes_compare(x_text, x_length, y_text, y_length) != 0)
            return false;
    }
    return x->rows == y->rows;
}

/* Tells whether the fields and levels of a model are those of the terms, which write its slots. */
static bool same_fields(const Model *model, const Model *terms)
{
    SchemaView a, b;

    if (model->field_count != terms->field_count || model->slot_count != terms->slot_count ||
        dictionary_size(model, DICTIONARY_LEVELS) != dictionary_size(terms, DICTIONARY_LEVELS) ||
        !same_strings(model, terms, "field_names") || !same_strings(model, terms, "level_text"))
        return false;
    schema_view(model, &a);
    schema_view(terms, &b);
    for (uint32_t f = 0; f < model->field_count; f++)
        if (schema_view_kind(model, &a, f) != schema_view_kind(terms, &b, f) ||
            schema_view_width(model, &a, f) != schema_view_width(terms, &b, f))
            return false;
    for (uint32_t l = 0; l < dictionary_size(model, DICTIONARY_LEVELS); l++)
        if (dictionary_field(model, l) != dictionary_field(terms, l) ||
            isinf(dictionary_key(model, DICTIONARY_LEVELS, l)) != isinf(dictionary_key(terms, DICTIONARY_LEVELS, l)))
            return false;
    return true;
}

const char *formula_model_check(Env *env, const Model *model)
{
    const char *wrong = NULL, *text;
    uint32_t length;
    FormulaModel *opened;

    text = schema_formula(model, &length);
    if (text != NULL && formula_of_schema(env, text, length, model, &wrong) == NULL)
        return wrong;
    if (!formula_model_any(model))
        return NULL;
    opened = open_model(env, model, &wrong);
    if (opened == NULL)
        return wrong;
    return same_fields(model, formula_terms_schema(env, opened->terms, opened->inputs)) ? NULL : "the features are not the terms of the formula";
}

/* ---- reading ---- */

const Model *formula_row_schema(Env *env, const Model *model)
{
    FormulaModel *opened = formula_model(env, model);

    return opened != NULL ? opened->inputs : model;
}

bool formula_has_expressions(Env *env, const Model *model)
{
    uint32_t length;
    const char *text = schema_formula(model, &length), *wrong = NULL;
    const Formula *formula;

    if (formula_model_any(model))
        return true;
    formula = text != NULL ? formula_of_schema(env, text, length, model, &wrong) : NULL;
    for (uint32_t i = 0; formula != NULL && i < formula_input_count(formula); i++)
        if (formula_input(formula, i)->kind != FORMULA_COLUMN)
            return true;
    return false;
}

/* Names the terms of a formula, and sets that of each slot. */
static void name_terms(Env *env, const FormulaTerms *terms, uint32_t *of, const char **names)
{
    for (uint32_t t = 0; t < terms->formula->term_count; t++) {
        const TermPlan *plan = &terms->plans[t];
        TextBuffer name = {.env = env};

        formula_term_text(&name, terms->formula, t);
        names[t] = text_finish(&name, NULL);
        for (uint32_t s = plan->slot; s < plan->slot + plan->columns; s++)
            of[s] = t;
        env->poll(env);
    }
}

uint32_t *formula_slot_terms(Env *env, const Model *model, const char *const **names, uint32_t *count)
{
    FormulaModel *learned = formula_model(env, model);
    uint32_t most = learned != NULL ? learned->formula->term_count : model->field_count, slot = 0;
    uint32_t *of = env_array(env, (size_t)model->slot_count + 1, sizeof(uint32_t));
    const char **list = env_array(env, (size_t)most + 1, sizeof(char *));

    *names = list;
    *count = most;
    if (learned != NULL) {
        name_terms(env, learned->terms, of, list);
        return of;
    }
    for (uint32_t f = 0; f < most; f++) {
        char *name = env_array(env, SCHEMA_NAME_SIZE, 1);

        schema_field_name(model, f, name, SCHEMA_NAME_SIZE);
        list[f] = name;
        for (uint32_t i = 0; i < schema_field_width(model, f); i++)
            of[slot++] = f;
        env->poll(env);
    }
    return of;
}

/* ---- writing ---- */

static bool is_of_fields(const ModelEntry *entry)
{
    return strncmp(entry->name, "class_", 6) != 0 && strcmp(entry->name, "id_type") != 0 &&
           strcmp(entry->name, "target_name") != 0;
}

Model *formula_inputs_schema(Env *env, const Model *state, const double *means)
{
    ModelBuilder *builder = builder_from(env, schema_final(env, state), is_of_fields);

    builder_header(builder)->flags = state->flags & (MODEL_NAMED | MODEL_NULL_VALUES | MODEL_UNSEEN_ERROR);
    if (means != NULL)
        builder_f64(builder, SECTION_SCHEMA, "impute", means, state->slot_count);
    return model_build(builder);
}

SchemaSpec formula_state_spec(Env *env, const FormulaTerms *terms, const Model *inputs, const Model *final)
{
    SchemaSpec spec = *formula_terms_spec(terms);
    SchemaView view;
    size_t size;

    schema_view(final, &view);
    spec.class_type = model_string(env, final, view.class_type);
    spec.target_name = model_string(env, final, view.target_name);
    spec.id_type = model_string(env, final, view.id_type);
    spec.formula_inputs = model_to_binary(env, inputs, 0, &size);
    spec.formula_inputs_size = (uint32_t)size;
    spec.formula_parameters = formula_parameters(terms, &spec.formula_parameter_count);
    return spec;
}

/* ---- SQL ---- */

/* Fails because a term cannot be written as SQL. */
static void __attribute__((noreturn)) fail_sql(Env *env, const char *why)
{
    env_fail(env, ERROR_KIND, "Score rows with the model itself, by predict or classify.",
             "the terms of the formula cannot be written as an SQL expression: %s", why);
}

/* Puts parentheses around an expression. */
static const char *in_parentheses(Env *env, const char *sql)
{
    TextBuffer out = {.env = env};

    if (sql == NULL)
        fail_sql(env, "a column is an array");
    text_print(&out, "(");
    text_add(&out, sql);
    text_print(&out, ")");
    return text_finish(&out, NULL);
}

/* Returns the SQL of an input, or NULL if it is a column with its own name. */
static const char *input_sql(Env *env, const Formula *formula, uint32_t input)
{
    return formula_input(formula, input)->kind == FORMULA_COLUMN ? NULL
                                                                 : in_parentheses(env, formula_input_sql(env, formula, input));
}

/* Returns the sum of the offsets, or NULL. */
static char *offset_sql(Env *env, const Formula *formula)
{
    TextBuffer out = {.env = env};

    for (uint32_t i = 0; i < formula_input_count(formula); i++) {
        if (formula_input(formula, i)->kind != FORMULA_OFFSET)
            continue;
        text_add(&out, out.length > 0 ? " + " : "");
        text_add(&out, in_parentheses(env, formula_input_sql(env, formula, i)));
    }
    return out.length > 0 ? text_finish(&out, NULL) : NULL;
}

const char *const *formula_model_sql(Env *env, const Model *model, char **offset)
{
    FormulaModel *learned = formula_model(env, model);
    uint32_t length;
    const char *text = schema_formula(model, &length), *wrong = NULL, **sql;
    const Formula *formula = learned != NULL ? learned->formula : NULL;

    *offset = NULL;
    if (text != NULL)
        formula = formula_of_schema(env, text, length, model, &wrong);
    if (formula == NULL)
        return NULL;
    if (learned != NULL && learned->inputs->flags & MODEL_NULL_VALUES & ~MODEL_NULL_ERROR)
        fail_sql(env, "NULLs are replaced before the terms are computed");
    for (uint32_t a = 0; learned != NULL && a < formula->atom_count; a++)
        if (learned->terms->atoms[a].atom->contrast != CONTRAST_TREATMENT && learned->terms->atoms[a].columns < 2 && !model_nulls_are_values(model->flags))
            fail_sql(env, "a category of one level has no contrasts, so NULL would be like any level");
    sql = env_array(env, (size_t)model->field_count + 1, sizeof(char *));
    for (uint32_t f = 0; f < model->field_count; f++) {
        int source = learned != NULL ? formula_terms_source(learned->terms, f) : (int)f;

        sql[f] = source >= 0 ? input_sql(env, formula, (uint32_t)source)
                             : in_parentheses(env, formula_term_sql(env, learned->terms, f));
        env->poll(env);
    }
    *offset = learned != NULL ? offset_sql(env, formula) : NULL; /* an ensemble reads offsets for its members, which add them */
    return sql;
}
