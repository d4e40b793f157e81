/*
 * features_formula.c - binds the fields of a formula to the columns of a row, and the levels that come first by choice. Fields that are
 * columns as they are need nothing of this once they are bound.
 */
#include "pg/features/features_internal.h"
#include "core/base/json.h"

#include <math.h>

#include "catalog/pg_type.h"

/* ---- binding ---- */

/* Returns the column of a variable; NULL: an object without this key, which counts as NULL. Fails where the row has none. */
static Step *variable_step(Binding *binding, const Source *source, const SchemaView *view, const Formula *formula, uint32 variable)
{
    uint32_t length;
    const char *name = formula_variable(formula, variable, &length);

    for (uint32 i = 0; i < source->column_count; i++)
        if (!source->columns[i].dropped && (source->columns[i].named || source->all_default) && column_is_named(&source->columns[i], name, length))
            return &binding->steps[i];
    if (source->type == JSONBOID && view->missing == NULL)
        return NULL;
    env_fail(host_env(), ERROR_DATA, source_hint(source, name, length), "the row has no column \"%s\", which the formula needs",
             message_string(name, length));
    pg_unreachable();
}

/* Returns the step to fill in for one more reading of the column of a step. */
static Step *next_reading(Step *step)
{
    Step *added;

    if (step->slot < 0 && step->variable == 0)
        return step;
    while (step->next)
        step = step->next;
    added = palloc0(sizeof *added);
    added->column = step->column;
    added->slot = -1;
    step->next = added;
    return added;
}

/* Binds a field that is a column, or a column read as levels. */
static void bind_column(FeatureReader *reader, const Model *model, const SchemaView *view, const FormulaInput *input, uint32 field,
                        uint32 slot, Step *column)
{
    Step *step = column ? next_reading(column) : step_absent(&reader->binding, model);

    step_make(reader, step, model, view, field, slot);
    if (input->kind != FORMULA_CATEGORY)
        return;
    step->any = true;
    step->clash = step->plain = false;
    if (sql_value_is_number(step->column->value_kind))
        step->label = value_reader_of_type(step->column->type, reader->binding.context);
    else if (step->column->value_kind != SQL_VALUE_JSONB && !sql_value_is_level(step->column->value_kind))
        env_fail(host_env(), ERROR_PARAMETER, NULL, "column \"%s\" of type %s cannot be read as a category",
                 message_string(step->column->name, step->column->name_length), format_type_be(step->column->type));
}

void fail_level(const Step *step, const char *type)
{
    env_fail(host_env(), ERROR_DATA, "Compare a number with a number, as in I(x == 1), or cast the column to text in a subquery.",
             "the formula compares column \"%s\" with the text '%s', but it is %s",
             message_string(step->column->name, step->column->name_length), step->level, type);
    pg_unreachable();
}

/* Binds a variable of expressions to its column. */
static void bind_variable(FormulaBinding *expressions, uint32 variable, Step *column)
{
    const SourceColumn *from;
    uint32_t length;
    const char *name, *level;
    FieldKind kind;
    bool differs;
    Step *step;

    expressions->variables[variable] = NAN;
    if (column == NULL) {
        expressions->absent = true;
        return;
    }
    from = column->column;
    name = formula_variable(expressions->formula, variable, &length);
    level = formula_variable_level(expressions->formula, variable, &differs);
    if (level) {
        step = next_reading(column);
        step->variable = variable + 1;
        step->level = level;
        step->differs = differs;
        if (from->value_kind != SQL_VALUE_JSONB && !sql_value_is_level(from->value_kind))
            fail_level(step, psprintf("of type %s", format_type_be(from->type)));
        return;
    }
    if (from->value_kind != SQL_VALUE_JSONB && !sql_value_is_number(from->value_kind))
        env_fail(host_env(), ERROR_DATA, "Use factor() to read any column as a category.",
                 "the formula takes a number from column \"%s\", which is of type %s", message_string(name, length),
                 format_type_be(from->type));
    kind = formula_variable_kind(expressions->formula, variable);
    step = next_reading(column);
    step->variable = variable + 1;
    step->kind = kind;
    if (from->value_kind != SQL_VALUE_JSONB && !kind_conversion(column_field_kind(from), kind, &step->conversion))
        env_fail(host_env(), ERROR_DATA, NULL, "the formula takes a value of kind %s from column \"%s\", which is of type %s",
                 field_kind_name(kind), message_string(name, length), format_type_be(from->type));
}

void binding_make_formula(FeatureReader *reader, const Model *model, const SchemaView *view, const Source *source)
{
    Binding *binding = &reader->binding;
    FormulaBinding *expressions = palloc0(sizeof *expressions);
    const char *wrong = NULL, *text;
    uint32_t length;
    uint32 slot = 0;
    bool differs;

    text = model_text(model, view->formula, 0, &length);
    expressions->formula = formula_of_schema(host_env(), pnstrdup(text, length), length, model, &wrong);
    if (expressions->formula == NULL)
        env_fail(host_env(), ERROR_CORRUPT, "Fit it again.", "the formula of the model does not fit its features: %s", wrong);
    require_formula_names(expressions->formula, source);
    expressions->variable_count = formula_variable_count(expressions->formula);
    expressions->variables = palloc0((expressions->variable_count + 1) * sizeof *expressions->variables);
    expressions->numbers = palloc0((model->field_count + 1) * sizeof *expressions->numbers);
    expressions->inputs = palloc0((model->field_count + 1) * sizeof *expressions->inputs);
    for (uint32 v = 0; v < expressions->variable_count; v++) {
        Step *column = variable_step(binding, source, view, expressions->formula, v);

        if (formula_variable_is_number(expressions->formula, v) || formula_variable_level(expressions->formula, v, &differs))
            bind_variable(expressions, v, column);
    }
    for (uint32 field = 0; field < model->field_count; field++) {
        const FormulaInput *input = formula_input(expressions->formula, field);

        if (input->kind == FORMULA_COLUMN || input->kind == FORMULA_CATEGORY)
            bind_column(reader, model, view, input, field, slot,
                        variable_step(binding, source, view, expressions->formula, input->variable));
        else {
            Step *number = &expressions->numbers[expressions->number_count];

            *number = (Step){.slot = (int32)slot, .field = field, .width = 1, .kind = FIELD_NUMERIC};
            expressions->inputs[expressions->number_count++] = field;
        }
        slot += schema_view_width(model, view, field);
    }
    for (uint32 i = 0; i < source->column_count; i++) {
        Step *first = &binding->steps[i];

        first->bare = first->variable && !first->next && first->column->value_kind == SQL_VALUE_FLOAT8 && first->kind != FIELD_BOOLEAN && first->conversion == CONVERT_NONE;
        for (const Step *step = first; step; step = step->next)
            if (step->any || step->next || step->variable)
                binding->expressions = expressions;
    }
    if (expressions->number_count > 0)
        binding->expressions = expressions;
}

/* ---- reference levels ---- */

/* Returns the reference level that an object of option "reference" gives a field or its column; NULL: none. */
static const Json *reference_of(const Json *references, const Step *step, const char *field)
{
    const Json *value = json_get(references, field);

    if (value == NULL && step->any)
        value = json_get(references, pnstrdup(step->column->name, step->column->name_length));
    return value;
}

static void mark_reference(FeatureReader *reader, const Model *state, const SchemaView *view, const Json *references, Step *step,
                           uint32 *used)
{
    const FormulaBinding *expressions = reader->binding.expressions;
    const FormulaInput *input = step->any ? formula_input(expressions->formula, step->field) : NULL;
    const char *name, *level = input ? input->reference : NULL;
    const Json *given = NULL;
    uint32_t length;

    if (references && view->field_names) {
        name = model_text(state, view->field_names, step->field, &length);
        given = reference_of(references, step, pnstrdup(name, length));
    }
    if (given && level)
        env_fail(host_env(), ERROR_PARAMETER, "Give it once.", "the reference level of %s is in the formula and in option \"reference\"",
                 formula_input(expressions->formula, step->field)->name);
    if (given && input && input->contrasts)
        env_fail(host_env(), ERROR_PARAMETER, "Leave it out of \"reference\", or use treatment contrasts.",
                 "option \"reference\" means nothing for %s, whose contrasts have no reference level", input->name);
    if (given) {
        ++*used;
        level = given->type == JSON_TRUE || given->type == JSON_FALSE ? given->type == JSON_TRUE ? "true" : "false"
                                                                      : json_string(host_env(), given);
    }
    step->first = level;
    step->first_length = level ? (uint32)strlen(level) : 0;
}

void steps_reference(FeatureReader *reader, const Model *state)
{
    const Binding *binding = &reader->binding;
    RowOptions options = state_row_options(host_env(), state);
    uint32 used = 0;
    SchemaView view;

    schema_view(state, &view);
    if (options.reference == NULL && binding->expressions == NULL)
        return;
    for (uint32 i = 0; i < binding->source->column_count; i++)
        for (Step *step = &binding->steps[i]; step; step = step->next)
            if (step->slot >= 0 && step->variable == 0)
                mark_reference(reader, state, &view, options.reference, step, &used);
    for (uint32 i = 0; i < binding->absent_count; i++)
        mark_reference(reader, state, &view, options.reference, &binding->absent[i], &used);
    if (options.reference && used < options.reference->length)
        for (const Json *key = json_first(options.reference); key; key = json_next(options.reference, key)) {
            const char *name = json_string(host_env(), key);

            if (schema_find_field(state, name, key->length) < 0 && source_find(binding->source, name) < 0)
                env_fail(host_env(), ERROR_PARAMETER, source_hint(binding->source, name, key->length),
                         "option \"reference\" names \"%s\", which is no feature", name);
        }
}

/* Returns "The levels are: Fair, Good, ...", in the order that a fitted model has. */
static const char *levels_hint(const Model *state, uint32 field)
{
    uint32 count = dictionary_size(state, DICTIONARY_LEVELS), listed = 0;
    uint32_t *order = env_array_raw(host_env(), (size_t)count + 1, sizeof(uint32_t));
    TextBuffer out = {.env = host_env()};

    text_add(&out, "The levels are: ");
    dictionary_final_order(host_env(), state, DICTIONARY_LEVELS, order);
    for (uint32 i = 0; i < count; i++) {
        uint32_t length;
        const char *text = dictionary_text(state, DICTIONARY_LEVELS, order[i], &length);

        if (dictionary_field(state, order[i]) != field || isinf(dictionary_key(state, DICTIONARY_LEVELS, order[i])))
            continue;
        if (listed++ == 50) {
            text_add(&out, ", ...");
            break;
        }
        text_print(&out, "%s%s", listed > 1 ? ", " : "", message_string(text, length));
    }
    text_add(&out, ".");
    return text_finish(&out, NULL);
}

/* Fails unless a level of the field was marked as the reference. */
static void require_reference(const Model *state, uint32 field, const char *level)
{
    uint32 count = dictionary_size(state, DICTIONARY_LEVELS);
    char name[SCHEMA_NAME_SIZE];

    schema_field_name(state, field, name, sizeof name);
    if (schema_field_kind(state, field) != FIELD_CATEGORICAL)
        env_fail(host_env(), ERROR_PARAMETER, "Use factor() in a formula to read it as a category.",
                 "feature \"%s\" is %s and has no reference level", name, field_kind_name(schema_field_kind(state, field)));
    for (uint32 i = 0; i < count; i++)
        if (dictionary_field(state, i) == field && dictionary_key(state, DICTIONARY_LEVELS, i) == LEVEL_KEY_REFERENCE)
            return;
    env_fail(host_env(), ERROR_DATA, levels_hint(state, field), "feature \"%s\" has no level \"%s\" to be the reference", name, level);
}

/* Returns the field of a key of option "reference": by its name, or by the column that it reads as a category. */
static int reference_field(const Model *state, const Formula *formula, const char *key)
{
    int field = schema_find_field(state, key, strlen(key));

    for (uint32 i = 0; formula && field < 0 && i < formula_input_count(formula); i++) {
        const FormulaInput *input = formula_input(formula, i);
        uint32_t length;
        const char *name = formula_variable(formula, input->variable, &length);

        if (input->kind == FORMULA_CATEGORY && length == strlen(key) && memcmp(name, key, length) == 0)
            field = (int)i;
    }
    return field;
}

void features_require_references(const Model *state, const Options *options)
{
    const char *const *keys, *const *values, *wrong = NULL;
    const Formula *formula = NULL;
    uint32_t count = 0, length;
    const char *text = schema_formula(state, &length);

    keys = options_has(options, "reference") ? options_object_strings(options, "reference", &values, &count) : NULL;
    if (text && (count > 0 || memmem(text, length, "ref", strlen("ref")))) {
        formula = formula_of_schema(host_env(), pnstrdup(text, length), length, state, &wrong);
        if (formula == NULL)
            env_fail(host_env(), ERROR_CORRUPT, NULL, "the formula does not fit its features: %s", wrong);
    }
    for (uint32 i = 0; i < count; i++) {
        int field = reference_field(state, formula, keys[i]);

        if (field >= 0)
            require_reference(state, (uint32)field, values[i]);
    }
    for (uint32 i = 0; formula && i < formula_input_count(formula); i++)
        if (formula_input(formula, i)->reference)
            require_reference(state, i, formula_input(formula, i)->reference);
}
