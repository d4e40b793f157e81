/*
 * ensemble_schema.c - joins what fitted models read into one schema.
 */
#include "core/ensemble/ensemble_schema.h"
#include "core/base/text_buffer.h"
#include "core/formula/formula_model.h"

#include <math.h>
#include <string.h>

/* ---- fields and levels ---- */

typedef struct Fields {
    uint32_t count;
    const char **names; /* NULL where no model has names */
    FieldKind *kinds;
    uint32_t *widths;
    bool *columns; /* others are expressions of columns */
} Fields;

static char *field_name(Env *env, const Model *model, uint32_t field)
{
    SchemaView view;
    const char *text;
    uint32_t length;
    char *name;

    schema_view(model, &view);
    text = model_text(model, view.field_names, field, &length);
    name = env_array(env, (size_t)length + 1, 1);
    memcpy(name, text, length);
    return name;
}

/* Fails if a field is of another kind or width than the same field of an earlier model. */
static void require_field(const Joining *joining, const Fields *fields, uint32_t at, uint32_t number, uint32_t field)
{
    const Model *model = joining->reads[number];
    FieldKind kind = schema_field_kind(model, field);
    uint32_t width = schema_field_width(model, field);
    char name[SCHEMA_NAME_SIZE];

    if (kind == fields->kinds[at] && width == fields->widths[at])
        return;
    schema_field_name(model, field, name, sizeof(name));
    env_fail(joining->env, ERROR_PARAMETER, "Fit the models to the same columns, or rename one of them.",
             "feature \"%s\" is %s of width %u in model %u of the ensemble, and %s of width %u in an earlier one", name,
             field_kind_name(kind), width, number + 1, field_kind_name(fields->kinds[at]), fields->widths[at]);
}

/* Tells whether a field of a formula, or of none, is a column. */
static bool is_column(const Formula *formula, uint32_t field)
{
    return formula == NULL || formula_input(formula, field)->kind == FORMULA_COLUMN;
}

/* Adds the fields of a model that are not there yet. formula: NULL: all are columns. */
static void add_fields(Joining *joining, Fields *fields, const Formula *formula, uint32_t number)
{
    const Model *model = joining->reads[number];

    for (uint32_t f = 0; f < model->field_count; f++) {
        char *name = joining->named ? field_name(joining->env, model, f) : NULL;
        uint32_t at = f;

        if (f % 64 == 0)
            joining->env->poll(joining->env);
        for (at = joining->named ? 0 : f; joining->named && at < fields->count; at++)
            if (strcmp(fields->names[at], name) == 0)
                break;
        if (at < fields->count) {
            require_field(joining, fields, at, number, f);
            if (fields->columns[at] != is_column(formula, f))
                env_fail(joining->env, ERROR_PARAMETER, "Rename the column.",
                         "\"%s\" is a column in one model of the ensemble and an expression in another", name);
            continue;
        }
        if (joining->named)
            fields->names[at] = name;
        fields->kinds[at] = schema_field_kind(model, f);
        fields->widths[at] = schema_field_width(model, f);
        fields->columns[at] = is_column(formula, f);
        fields->count++;
    }
}

/* Fails unless the features of all models have names, or none has and all models have as many. */
static void require_names(Joining *joining)
{
    const Model *first = joining->reads[0];

    joining->named = (first->flags & MODEL_NAMED) != 0;
    for (uint32_t i = 1; i < joining->count; i++) {
        const Model *model = joining->reads[i];

        if (((model->flags & MODEL_NAMED) != 0) != joining->named)
            env_fail(joining->env, ERROR_PARAMETER, "Fit all models with named features, or all without.",
                     "the features of model %u of the ensemble have names, and those of model %u have none",
                     joining->named ? 1 : i + 1, joining->named ? i + 1 : 1);
        if (!joining->named && model->field_count != first->field_count)
            env_fail(joining->env, ERROR_PARAMETER, "Fit all models to the same features, or to named ones.",
                     "models 1 and %u of the ensemble have %u and %u features without names", i + 1, first->field_count,
                     model->field_count);
    }
}

static uint32_t find_field(const Joining *joining, const Model *model, uint32_t field)
{
    char *name;

    if (!joining->named)
        return field;
    name = field_name(joining->env, model, field);
    return (uint32_t)schema_find_field(joining->schema, name, strlen(name));
}

/* Adds the levels of a model that are not there yet. */
static void add_levels(Joining *joining, const Model *model)
{
    uint32_t levels = dictionary_size(model, DICTIONARY_LEVELS);

    for (uint32_t l = 0; l < levels; l++) {
        uint32_t field = find_field(joining, model, dictionary_field(model, l)), length, position;
        const char *text = dictionary_text(model, DICTIONARY_LEVELS, l, &length);
        double key = dictionary_key(model, DICTIONARY_LEVELS, l);

        if (l % 64 == 0)
            joining->env->poll(joining->env);
        if (dictionary_find(joining->schema, DICTIONARY_LEVELS, field, text, length, isinf(key)) < 0)
            joining->schema = dictionary_add(joining->env, joining->schema, DICTIONARY_LEVELS, field, text, length, isinf(key),
                                             key, &position);
    }
}

static void add_classes(Joining *joining)
{
    const Model *first = joining->last[0];
    uint32_t classes = dictionary_size(first, DICTIONARY_CLASSES), length, position;

    for (uint32_t c = 0; c < classes; c++) {
        const char *text = dictionary_text(first, DICTIONARY_CLASSES, c, &length);

        joining->schema = dictionary_add(joining->env, joining->schema, DICTIONARY_CLASSES, 0, text, length, false,
                                         dictionary_key(first, DICTIONARY_CLASSES, c), &position);
    }
}

/* Returns the type of the labels: that of the first classifier that says it; text where none does, as after an edit. */
static const char *label_type(const Joining *joining)
{
    SchemaView view;

    for (uint32_t i = 0; i < joining->count; i++) {
        schema_view(joining->last[i], &view);
        if (view.class_type != NULL)
            return model_string(joining->env, joining->last[i], view.class_type);
    }
    return joining->task == TASK_CLASSIFICATION ? "text" : NULL;
}

/* ---- the formula ---- */

/* The columns that all members read. */
typedef struct FormulaSum {
    FormulaVariable *columns;
    uint32_t count;
} FormulaSum;

/* Adds a column that an expression or field reads. Fails if another member reads one of this name as something else. */
static void sum_column(const Joining *joining, FormulaSum *sum, const char *name, uint32_t length, FieldKind kind, uint32_t width,
                       uint32_t number)
{
    for (uint32_t i = 0; i < sum->count; i++) {
        const FormulaVariable *column = &sum->columns[i];

        if (column->length != length || memcmp(column->name, name, length) != 0)
            continue;
        if (column->kind == kind && column->width == width)
            return;
        env_fail(joining->env, ERROR_PARAMETER, "Fit the models to the same columns, or rename one of them.",
                 "column \"%.*s\" is %s of width %u in model %u of the ensemble, and %s of width %u in an earlier one",
                 (int)bytes_cut(name, length, SCHEMA_NAME_SIZE), name, field_kind_name(kind), width, number + 1,
                 field_kind_name(column->kind), column->width);
    }
    sum->columns[sum->count++] = (FormulaVariable){name, length, kind, width};
}

/* Adds a name in double quotes. */
static void sum_name(TextBuffer *text, const char *name)
{
    text_character(text, '"');
    for (const char *c = name; *c != '\0'; c++) {
        if (*c == '"')
            text_character(text, '"');
        text_character(text, *c);
    }
    text_character(text, '"');
}

/* Adds the columns of a member. formula: NULL: all fields are columns. */
static void sum_member(const Joining *joining, FormulaSum *sum, const Formula *formula, uint32_t number)
{
    const Model *reads = joining->reads[number];

    joining->env->poll(joining->env);
    for (uint32_t f = 0; f < reads->field_count; f++)
        if (is_column(formula, f)) {
            const char *name = field_name(joining->env, reads, f);

            sum_column(joining, sum, name, (uint32_t)strlen(name), schema_field_kind(reads, f), schema_field_width(reads, f), number);
        }
    for (uint32_t v = 0; formula != NULL && v < formula_variable_count(formula); v++) {
        uint32_t length;
        const char *name = formula_variable(formula, v, &length);

        if (formula_variable_is_number(formula, v))
            sum_column(joining, sum, name, length, formula_variable_kind(formula, v), 1, number);
    }
}

/* Adds the columns that are read as categories alone, of any kind: they are looked up by their names. */
static void sum_categories(const Joining *joining, FormulaSum *sum, const Formula *formula)
{
    for (uint32_t v = 0; v < formula_variable_count(formula); v++) {
        uint32_t length, i = 0;
        const char *name = formula_variable(formula, v, &length);

        while (i < sum->count && (sum->columns[i].length != length || memcmp(sum->columns[i].name, name, length) != 0))
            i++;
        if (i == sum->count)
            sum->columns[sum->count++] = (FormulaVariable){name, length, FIELD_NUMERIC, 1};
    }
    joining->env->poll(joining->env);
}

/* Returns the formulas of the members, [count]; NULL: all fields are columns. Sets *columns to how many columns they may read at most. */
static const Formula **member_formulas(const Joining *joining, uint32_t *columns)
{
    const Formula **formulas = env_array(joining->env, joining->count, sizeof(Formula *));

    *columns = 0;
    for (uint32_t i = 0; i < joining->count; i++) {
        const Model *reads = joining->reads[i];
        uint32_t length;
        const char *text = schema_formula(reads, &length), *wrong = NULL;

        *columns += reads->field_count;
        if (text == NULL)
            continue;
        formulas[i] = formula_of_schema(joining->env, text, length, reads, &wrong);
        if (formulas[i] == NULL)
            env_fail(joining->env, ERROR_CORRUPT, "Fit it again.", "the formula of model %u of the ensemble is damaged: %s", i + 1, wrong);
        *columns += formula_variable_count(formulas[i]);
    }
    return formulas;
}

/* Returns the formula whose inputs are the fields; NULL if they are columns alone. */
static const Formula *sum_formulas(const Joining *joining, const Formula *const *formulas, uint32_t columns, const Fields *fields)
{
    Env *env = joining->env;
    FormulaSum sum = {.columns = env_array(env, (size_t)columns + 1, sizeof(FormulaVariable))};
    TextBuffer text = {.env = env};
    bool expressions = false;
    const char *written;

    for (uint32_t f = 0; f < fields->count; f++) {
        text_add(&text, f > 0 ? " + " : "");
        if (fields->columns[f])
            sum_name(&text, fields->names[f]);
        else
            text_add(&text, fields->names[f]);
        expressions = expressions || !fields->columns[f];
    }
    if (!expressions)
        return NULL;
    for (uint32_t i = 0; i < joining->count; i++)
        sum_member(joining, &sum, formulas[i], i);
    for (uint32_t i = 0; i < joining->count; i++)
        if (formulas[i] != NULL)
            sum_categories(joining, &sum, formulas[i]);
    written = text_finish(&text, NULL);
    return formula_resolve(env, formula_parse(env, written, strlen(written)), sum.columns, sum.count, NULL, 0);
}

/* Puts the fields in the order of the inputs of a formula. Fails if they are not the same. */
static void order_fields(const Joining *joining, Fields *fields, const Formula *formula)
{
    Fields ordered = {.count = formula_input_count(formula)};

    ordered.names = env_array(joining->env, (size_t)ordered.count + 1, sizeof(char *));
    ordered.kinds = env_array(joining->env, (size_t)ordered.count + 1, sizeof(FieldKind));
    ordered.widths = env_array(joining->env, (size_t)ordered.count + 1, sizeof(uint32_t));
    for (uint32_t i = 0; i < ordered.count; i++) {
        const FormulaInput *input = formula_input(formula, i);
        uint32_t f = 0;

        while (f < fields->count && strcmp(fields->names[f], input->name) != 0)
            f++;
        if (ordered.count != fields->count || f == fields->count || fields->kinds[f] != input->field_kind || fields->widths[f] != input->width)
            env_fail(joining->env, ERROR_KIND, "Fit the models to columns, computed in a subquery where they are expressions.",
                     "the formulas of the ensemble's models cannot be read from one row: \"%s\"", formula_text(formula));
        ordered.names[i] = fields->names[f];
        ordered.kinds[i] = fields->kinds[f];
        ordered.widths[i] = fields->widths[f];
    }
    *fields = ordered;
}

/* Returns what all members call the target; NULL: they do not agree. */
static const char *target_name(const Joining *joining)
{
    const char *name = NULL;

    for (uint32_t i = 0; i < joining->count; i++) {
        const char *own = model_string(joining->env, joining->last[i], model_find(joining->last[i], "target_name"));

        if (own == NULL || (name != NULL && strcmp(own, name) != 0))
            return NULL;
        name = own;
    }
    return name;
}

/* Makes the schema that all members can be scored from. */
static void make_schema(Joining *joining)
{
    Env *env = joining->env;
    Fields fields = {0};
    SchemaSpec spec = {0};
    size_t most = 1;
    ModelBuilder *builder = model_builder(env, MODEL_FITTED, "schema");
    const Formula *formula, **formulas;
    uint32_t columns;

    for (uint32_t i = 0; i < joining->count; i++)
        most += joining->reads[i]->field_count;
    fields.names = env_array(env, most, sizeof(char *));
    fields.kinds = env_array(env, most, sizeof(FieldKind));
    fields.widths = env_array(env, most, sizeof(uint32_t));
    fields.columns = env_array(env, most, sizeof(bool));
    formulas = member_formulas(joining, &columns);
    for (uint32_t i = 0; i < joining->count; i++)
        add_fields(joining, &fields, formulas[i], i);
    if (fields.count == 0)
        env_fail(env, ERROR_KIND, "Add a model that has features.", "none of the models of the ensemble has a feature: their formulas have no terms");
    formula = joining->named ? sum_formulas(joining, formulas, columns, &fields) : NULL;
    if (formula != NULL)
        order_fields(joining, &fields, formula);
    spec = (SchemaSpec){.field_count = fields.count,
                        .names = joining->named ? fields.names : NULL,
                        .kinds = fields.kinds,
                        .widths = fields.widths,
                        .named = joining->named,
                        .class_type = label_type(joining),
                        .target_name = target_name(joining)};
    if (formula != NULL) {
        spec.formula = formula_text(formula);
        spec.formula_kinds = formula_kinds(env, formula, &spec.formula_kind_count);
    }
    schema_add(env, builder, &spec);
    joining->schema = model_build(builder);
    for (uint32_t i = 0; i < joining->count; i++)
        add_levels(joining, joining->reads[i]);
    add_classes(joining);
}

const Model *ensemble_reads(Env *env, const Model *model)
{
    uint32_t count;

    if (formula_model_any(model))
        return formula_row_schema(env, model);
    return pipeline_is(model) ? pipeline_stages(env, model, &count)[0] : model;
}

Model *ensemble_schema(Joining *joining)
{
    require_names(joining);
    make_schema(joining);
    return joining->schema;
}
