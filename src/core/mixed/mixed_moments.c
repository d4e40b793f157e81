/*
 * mixed_moments.c - makes the terms of a mixed model from the features of moments per group.
 *
 * The model is to read rows as one that was fitted to rows does. So the formula is learned from no rows at all, in the schema that
 * such rows have: the features that it names, and a category whose levels are the labels of the moments.
 */
#include "core/mixed/mixed_moments.h"

#include "core/estimator/class_options.h"
#include "core/estimator/formula_fit.h"
#include "core/formula/formula_bars.h"

#include <string.h>

/* What the formula names. */
typedef struct Names {
    Env *env;
    const Model *moments;
    const char *estimator;
    const Formula *parsed, *formula; /* formula: resolved */
    uint32_t target;   /* a field of the moments */
    const char *group; /* what the formula calls the groups */
    uint32_t *source;  /* [inputs] the field of the moments; GROUPS: their labels */
} Names;

#define GROUPS UINT32_MAX

/* ---- names ---- */

/* Returns a variable of a parsed formula as a column would be called: unquoted names in lower case. */
static const char *column_name(Env *env, const Formula *formula, uint32_t i)
{
    uint32_t length;
    const char *text = formula_variable(formula, i, &length);
    char *name = env_text(env, text, length);

    for (uint32_t c = 0; c < length && !formula_variable_is_quoted(formula, i); c++)
        name[c] = name[c] >= 'A' && name[c] <= 'Z' ? (char)(name[c] + 32) : name[c];
    return name;
}

/* Returns the field that a variable of a parsed formula names, or -1. */
static int field_of(const Names *names, const Formula *formula, uint32_t i)
{
    uint32_t length;
    const char *text = formula_variable(formula, i, &length), *name = column_name(names->env, formula, i);
    int field = schema_find_field(names->moments, text, length);

    return field >= 0 ? field : schema_find_field(names->moments, name, strlen(name));
}

static void find_target(Names *names)
{
    const Formula *target = formula_target(names->parsed);
    int field;

    if (target == NULL || !formula_is_name(target))
        env_fail(names->env, ERROR_PARAMETER, "Write it on the left, as in y ~ x + (1 | subject).",
                 "the formula of %s from class_moments does not name the feature that is the target", names->estimator);
    field = field_of(names, target, 0);
    if (field < 0)
        env_fail(names->env, ERROR_PARAMETER, "Sum the target as one of the features: class_moments(group, row, 'y + x').",
                 "the moments have no feature \"%s\", which the formula has as its target", column_name(names->env, target, 0));
    if (schema_field_kind(names->moments, (uint32_t)field) == FIELD_CATEGORICAL || schema_field_width(names->moments, (uint32_t)field) != 1)
        env_fail(names->env, ERROR_PARAMETER, NULL, "the target \"%s\" is not a number", column_name(names->env, target, 0));
    names->target = (uint32_t)field;
}

/* Finds the one name that is no feature. */
static void find_group(Names *names)
{
    for (uint32_t i = 0; i < formula_variable_count(names->parsed); i++) {
        const char *name = column_name(names->env, names->parsed, i);

        if (field_of(names, names->parsed, i) >= 0 || (names->group != NULL && strcmp(names->group, name) == 0))
            continue;
        if (names->group != NULL)
            env_fail(names->env, ERROR_PARAMETER, "Name the features of the moments, and their groups.",
                     "\"%s\" and \"%s\" are no features of the moments: one is what their groups are called", names->group, name);
        names->group = name;
    }
    if (names->group == NULL)
        env_fail(names->env, ERROR_PARAMETER, "Give the groups a name of their own, as in y ~ x + (1 | subject).",
                 "the formula names only features of the moments, and not their groups");
}

/* Returns the kind that a column of labels has where a formula reads it. type: of SQL. */
static FieldKind label_kind(const Model *moments, const char *type)
{
    static const struct {
        const char *type;
        FieldKind kind;
    } kinds[] = {{"boolean", FIELD_BOOLEAN},
                 {"date", FIELD_DATE},
                 {"timestamp without time zone", FIELD_TIMESTAMP},
                 {"timestamp with time zone", FIELD_TIMESTAMPTZ},
                 {"time without time zone", FIELD_TIME},
                 {"interval", FIELD_INTERVAL}};

    for (size_t i = 0; type != NULL && i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(type, kinds[i].type) == 0)
            return kinds[i].kind;
    return class_keys_are_values(moments) ? FIELD_NUMERIC : FIELD_CATEGORICAL;
}

/* Resolves the formula against the features and the groups. */
static void resolve(Names *names)
{
    Env *env = names->env;
    const Model *moments = names->moments;
    uint32_t count = moments->field_count, others = 0;
    FormulaVariable *columns = env_array(env, (size_t)count + 1, sizeof *columns);
    const char **dot = env_array(env, (size_t)count + 1, sizeof *dot);
    SchemaSpec spec = schema_spec_of(env, moments);

    for (uint32_t f = 0; f < count; f++) {
        columns[f] = (FormulaVariable){spec.names[f], (uint32_t)strlen(spec.names[f]), schema_field_kind(moments, f), schema_field_width(moments, f)};
        if (f != names->target)
            dot[others++] = spec.names[f];
    }
    columns[count] = (FormulaVariable){names->group, (uint32_t)strlen(names->group), label_kind(moments, spec.class_type), 1};
    names->formula = formula_resolve(env, names->parsed, columns, count + 1, dot, others);
    if (!formula_has_bars(names->formula))
        env_fail(env, ERROR_PARAMETER, "Add them to the formula, such as y ~ x + (1 | subject), or use linear_regression.",
                 "%s needs a formula with random effects", names->estimator);
}

static void __attribute__((noreturn)) fail_term(const Names *names, const char *term)
{
    env_fail(names->env, ERROR_PARAMETER, "Compute it before the moments are, as a column of its own, or fit to the rows.",
             "the moments cannot tell the term %s, because it is not one of their features", term);
}

/* Finds what the inputs are: features as they are, and the groups. */
static void find_sources(Names *names)
{
    uint32_t count = formula_input_count(names->formula), length;

    if (formula_learned_function(names->formula) != NULL)
        fail_term(names, formula_learned_function(names->formula));
    names->source = env_array(names->env, (size_t)count + 1, sizeof(uint32_t));
    for (uint32_t i = 0; i < count; i++) {
        const FormulaInput *input = formula_input(names->formula, i);
        const char *name;
        bool group;

        if (input->kind != FORMULA_COLUMN && input->kind != FORMULA_CATEGORY)
            fail_term(names, input->name);
        name = formula_variable(names->formula, input->variable, &length);
        group = strlen(names->group) == length && memcmp(names->group, name, length) == 0;
        if (input->kind != FORMULA_COLUMN && !group)
            fail_term(names, input->name);
        names->source[i] = group ? GROUPS : (uint32_t)schema_find_field(names->moments, name, length);
        if (names->source[i] == names->target)
            env_fail(names->env, ERROR_PARAMETER, "Leave it out on the right.", "the target \"%s\" is also a term of the formula", input->name);
    }
}

/* ---- the input ---- */

/* Adds the levels of an input, those of a feature or the labels, in the order of their bytes, in which nothing has to make room for the next. */
static Model *add_levels(const Names *names, Model *schema, uint32_t input)
{
    Env *env = names->env;
    DictionaryKind kind = names->source[input] == GROUPS ? DICTIONARY_CLASSES : DICTIONARY_LEVELS;
    SchemaView view;
    Dictionary from;

    schema_view(names->moments, &view);
    dictionary_open(names->moments, &view, kind, &from);
    for (uint32_t i = 0; i < from.size; i++) {
        uint32_t level = (uint32_t)from.sorted[i], length, position;
        const char *text = dictionary_string(&from, level, &length);
        bool null = dictionary_is_null(&from, level);
        Model *next;

        if (kind == DICTIONARY_LEVELS && from.fields[level] != (int64_t)names->source[input])
            continue;
        next = dictionary_add(env, schema, DICTIONARY_LEVELS, input, text, length, null, null ? 0 : from.keys[level], &position);
        if (next != schema)
            env->release(env, schema);
        schema = next;
        if (i % 256 == 0)
            env->poll(env);
    }
    return schema;
}

/* Returns the schema of rows of the inputs of the formula. */
static Model *inputs_schema(const Names *names, const Options *options)
{
    Env *env = names->env;
    uint32_t count = formula_input_count(names->formula), length;
    ModelBuilder *builder = model_builder(env, MODEL_FITTED, names->estimator);
    const char **field = env_array(env, (size_t)count + 1, sizeof *field), *json = options_used_json(options, &length);
    FieldKind *kinds = env_array(env, (size_t)count + 1, sizeof *kinds);
    uint32_t *widths = env_array(env, (size_t)count + 1, sizeof *widths);
    SchemaSpec spec = {.field_count = count, .names = field, .kinds = kinds, .widths = widths, .named = true, .formula_learns = true};
    Model *schema;

    for (uint32_t i = 0; i < count; i++) {
        field[i] = formula_input(names->formula, i)->name;
        kinds[i] = formula_input(names->formula, i)->field_kind;
        widths[i] = formula_input(names->formula, i)->width;
    }
    spec.formula = formula_text(names->formula);
    spec.formula_kinds = formula_kinds(env, names->formula, &spec.formula_kind_count);
    spec.target_name = column_name(env, formula_target(names->parsed), 0);
    schema_add(env, builder, &spec);
    builder_options(builder, json, length);
    builder_header(builder)->flags |= names->moments->flags;
    schema = model_build(builder);
    for (uint32_t i = 0; i < count; i++)
        if (kinds[i] == FIELD_CATEGORICAL)
            schema = add_levels(names, schema, i);
    schema->fingerprint = 0;
    schema->skipped = names->moments->skipped;
    return schema;
}

/* Fails unless all random effects are of the groups, which are nothing else. */
static void require_groups(const Names *names, const FormulaBars *bars, uint32_t field)
{
    bool other = bars->fixed[field];

    for (uint32_t b = 0; b < bars->count; b++) {
        other = other || bars->bars[b].group_count != 1 || bars->bars[b].groups[0] != field;
        for (uint32_t i = 0; i < bars->bars[b].effect_count; i++)
            other = other || bars->bars[b].effects[i] == field;
    }
    if (other)
        env_fail(names->env, ERROR_PARAMETER, "Use them as in y ~ x + (x | subject), or fit to the rows.",
                 "the groups of the moments, \"%s\", are not the grouping factor of all random effects, and nothing else", names->group);
}

/* Sets where the moments have the slots and levels of the input. */
static void map_terms(const Names *names, MixedMoments *out)
{
    Env *env = names->env;
    const Model *schema = schema_final(env, rows_schema(out->input.rows)), *from = schema_final(env, names->moments);
    const FormulaModel *learned = formula_model(env, schema);
    const FormulaBars *bars = formula_bars(env, schema);
    uint32_t slot = 0, level = 0;

    out->slots = env_array(env, (size_t)schema->slot_count + 1, sizeof(int64_t));
    out->levels = env_array(env, (size_t)dictionary_size(schema, DICTIONARY_LEVELS) + 1, sizeof(int64_t));
    for (uint32_t f = 0; f < schema->field_count; f++) {
        int input = formula_terms_source(learned->terms, f);
        int64_t first_slot = 0, first_level = 0;
        char name[SCHEMA_NAME_SIZE];

        if (input < 0) {
            schema_field_name(schema, f, name, sizeof name);
            fail_term(names, name);
        }
        if (names->source[input] == GROUPS)
            require_groups(names, bars, f);
        for (uint32_t other = 0; names->source[input] != GROUPS && other < names->source[input]; other++) {
            first_slot += schema_field_width(from, other);
            first_level += schema_field_levels(from, other);
        }
        for (uint32_t i = 0; i < schema_field_width(schema, f); i++)
            out->slots[slot++] = names->source[input] == GROUPS ? -1 : first_slot + i;
        for (uint32_t i = 0; i < schema_field_levels(schema, f); i++)
            out->levels[level++] = names->source[input] == GROUPS ? -1 : first_level + i;
        env->poll(env);
    }
}

/* ---- all of it ---- */

/* Fails if the features are not columns with names, each of whose rows has its target. */
static void require_plain(const Names *names)
{
    const Model *moments = names->moments;
    uint32_t length;

    if (!(moments->flags & MODEL_NAMED) || model_find(moments, "field_names") == NULL)
        env_fail(names->env, ERROR_PARAMETER, "Pass a row with names to class_moments, or name the features with option \"features\".",
                 "%s needs moments whose features have names, which the formula is about", names->estimator);
    if ((moments->flags & MODEL_NULL_VALUES) == MODEL_IMPUTE)
        env_fail(names->env, ERROR_PARAMETER, "Compute the moments without option \"nulls\".",
                 "%s does not take moments that replace NULLs, because the target is one of their features", names->estimator);
    if (schema_formula(moments, &length) != NULL || formula_model_any(moments))
        env_fail(names->env, ERROR_PARAMETER, "Compute the expressions before the moments are, as columns of their own.",
                 "%s takes moments of columns, but those of these moments are terms of a formula", names->estimator);
}

/* Returns the term of a slot, or of its level at a place, or MIXED_NO_TERM. */
static uint32_t find_term(const ScatterDesign *sums, int64_t slot, int64_t level)
{
    for (uint32_t t = 0; t < sums->terms; t++)
        if (sums->term_slot[t] == slot && sums->term_level[t] == level)
            return t;
    return MIXED_NO_TERM;
}

MixedMoments *mixed_moments(Env *env, const Estimator *estimator, const Model *moments, const Options *options)
{
    MixedMoments *out = env_array(env, 1, sizeof(MixedMoments));
    Names names = {.env = env, .moments = moments, .estimator = estimator->name};
    const char *text = options_given(options, "formula") ? options_string(options, "formula") : "";
    FitInput inputs = {.kind = INPUT_ROWS};
    uint32_t length, slot = 0;
    const double *totals = model_f64(moments, "totals", &length);

    require_plain(&names);
    if (*text == '\0')
        env_fail(env, ERROR_PARAMETER, "Give it to fit, such as y ~ x + (1 | subject), where subject are the groups of the moments.",
                 "%s needs a formula with random effects", estimator->name);
    names.parsed = formula_parse(env, text, strlen(text));
    find_target(&names);
    find_group(&names);
    resolve(&names);
    find_sources(&names);
    inputs.rows = rows_new(rows_pool(env), inputs_schema(&names, options), ROWS_TARGET);
    out->input = formula_fit_input(env, estimator, &inputs, options);
    map_terms(&names, out);
    rows_schema(out->input.rows)->rows = moments->rows;
    rows_schema(out->input.rows)->weight = moments->weight;
    out->moments = moments;
    out->log_weights = length == 1 ? totals[0] : 0;
    out->sums = moments_scatter(env, moments, CODING_FULL);
    for (uint32_t f = 0; f < names.target; f++)
        slot += schema_field_width(moments, f);
    out->target = find_term(out->sums, slot, -1);
    return out;
}

uint32_t mixed_term(const MixedMoments *moments, uint32_t slot, int32_t level)
{
    return find_term(moments->sums, moments->slots[slot], level < 0 ? -1 : moments->levels[level]);
}
