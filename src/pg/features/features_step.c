/*
 * features_step.c - the step that reads a column into the slots of a field.
 */
#include "pg/features/features_internal.h"

#include "catalog/pg_type.h"
#include "utils/lsyscache.h"

Step *step_absent(Binding *binding, const Model *model)
{
    static const SourceColumn none = {.name = "", .type = JSONBOID, .value_kind = SQL_VALUE_JSONB, .offset = -1};

    if (binding->absent == NULL)
        binding->absent = palloc0(model->field_count * sizeof *binding->absent);
    binding->absent[binding->absent_count].column = &none;
    return &binding->absent[binding->absent_count++];
}

bool kind_conversion(FieldKind from, FieldKind to, Conversion *conversion)
{
    bool from_number = from == FIELD_NUMERIC || from == FIELD_BOOLEAN;
    bool to_number = to == FIELD_NUMERIC || to == FIELD_BOOLEAN;
    bool from_timestamp = from == FIELD_TIMESTAMP || from == FIELD_TIMESTAMPTZ;
    bool to_timestamp = to == FIELD_TIMESTAMP || to == FIELD_TIMESTAMPTZ;

    *conversion = CONVERT_NONE;
    if (from == FIELD_DATE && to_timestamp)
        *conversion = CONVERT_TO_SECONDS;
    else if (from_timestamp && to == FIELD_DATE)
        *conversion = CONVERT_TO_DAYS;
    else
        return from == to || (from_number && to_number) || (from_timestamp && to_timestamp) ||
               (from == FIELD_CATEGORICAL && to == FIELD_TEXT);
    return true;
}

/* Fills in the step of the only feature of a model that compares texts, where the column has another type: its text is the value. */
static void value_step(FeatureReader *reader, Step *step, uint32 field, uint32 slot)
{
    step->label = value_reader_of_type(step->column->type, reader->binding.context);
    step->field = field;
    step->slot = (int32)slot;
    step->width = 1;
    if (reader->binding.training)
        reader->binding.categorical = true;
}

void step_make(FeatureReader *reader, Step *step, const Model *model, const SchemaView *view, uint32 field, uint32 slot)
{
    const SourceColumn *column = step->column;
    bool level; /* strings become positions in the dictionary */

    step->kind = schema_view_kind(model, view, field);
    if (step->kind == FIELD_TEXT && !is_string_or_json(column->value_kind) && model_takes_type(model, column->type, reader->binding.training)) {
        value_step(reader, step, field, slot);
        return;
    }
    if (column->value_kind == SQL_VALUE_NONE)
        source_fail_column(column, NULL);
    if (sql_value_is_level(column->value_kind)) {
        SqlValueType type = {column->type, getBaseType(column->type), column->value_kind};

        sql_value_require_equality(&type, column->collation,
                                 psprintf("values of feature \"%s\"",
                                          message_string(column->name, column->name_length)));
    }
    if (OidIsValid(column->cast)) {
        step->cast = palloc0(sizeof *step->cast);
        cast_find(step->cast, column->cast, reader->binding.context);
    }
    step->field = field;
    step->slot = (int32)slot;
    step->width = schema_view_width(model, view, field);
    if (column->value_kind != SQL_VALUE_JSONB)
        step->clash = !kind_conversion(column_field_kind(column), step->kind, &step->conversion);
    step->plain = step->width == 1 && !step->clash &&
                  (column->value_kind == SQL_VALUE_JSONB
                       ? step->kind == FIELD_NUMERIC
                       : step->kind != FIELD_BOOLEAN && sql_value_is_plain_number(column->value_kind));
    level = step->kind == FIELD_CATEGORICAL || (step->kind == FIELD_TEXT && reader->binding.training);
    step->text = level && !step->clash && column->value_kind == SQL_VALUE_TEXT;
    if (level) {
        step->guesses = palloc0((1 << GUESS_BITS) * sizeof *step->guesses);
        reader->binding.categorical = true;
    }
}
