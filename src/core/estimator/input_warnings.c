/*
 * input_warnings.c - warnings about the features and classes of a fit.
 */
#include "core/estimator/input_warnings.h"

#include "core/estimator/class_options.h"
#include "core/moments/slot_relations.h"
#include "core/rows/row_scale.h"

#include <math.h>
#include <string.h>

#define NAMES_SHOWN 10
#define TEXT_NUMBERS 100  /* levels that read as numbers, from which on they are a column of the wrong type */
#define IDENTIFIER_ROWS 20 /* rows of a level each, from which on the levels are identifiers */
#define SCALES_APART 1000

/* A list of features for a message. */
typedef struct Names {
    TextBuffer text;
    uint32_t count;
} Names;

static void add_name(Names *names, const Model *schema, uint32_t slot)
{
    char name[SCHEMA_NAME_SIZE];

    schema_slot_name(schema, slot, name, sizeof name);
    if (names->count++ < NAMES_SHOWN)
        text_print(&names->text, "%s%s", names->count > 1 ? ", " : "", name);
}

/* Returns "feature a" or "features a, b and 7 more". */
static const char *names_text(Names *names)
{
    TextBuffer all = {.env = names->text.env};

    text_print(&all, "feature%s %s", names->count > 1 ? "s" : "", text_finish(&names->text, NULL));
    if (names->count > NAMES_SHOWN)
        text_print(&all, " and %u more", names->count - NAMES_SHOWN);
    return text_finish(&all, NULL);
}

/* Tells whether the method measures distances by the differences of numbers, or has no metric. */
static bool measures_differences(const Options *options)
{
    static const char *const metrics[] = {"euclidean", "squared_euclidean", "manhattan", "chebyshev", "minkowski"};

    if (!options_has(options, "metric"))
        return true;
    for (size_t i = 0; i < sizeof metrics / sizeof metrics[0]; i++)
        if (options_is(options, "metric", metrics[i]))
            return true;
    return false;
}

/* ---- the target and identifiers ---- */

/*
 * Tells whether a slot is a different one in each row, of a feature that has a name: a level, unless the method compares levels, or a number beside
 * others. Elements of arrays were chosen one by one.
 */
static bool is_identifier(const Model *schema, uint32_t slot, uint8_t relation, bool levels_are_levels)
{
    SchemaView view;
    uint32_t field = schema_slot_field(schema, slot);
    FieldKind kind = schema_field_kind(schema, field);

    if (kind == FIELD_CATEGORICAL && (schema->rows < IDENTIFIER_ROWS || schema_field_levels(schema, field) < schema->rows))
        return false;
    if (kind != FIELD_CATEGORICAL && (kind != FIELD_NUMERIC || !(relation & SLOT_NUMBERS_ROWS) || schema->slot_count == 1))
        return false;
    return (kind != FIELD_CATEGORICAL || levels_are_levels) && schema_view(schema, &view) && schema_field_named(schema, &view, field);
}

static void warn_of_relations(Env *env, const FitInput *input, const Model *schema, bool levels_are_levels)
{
    const uint8_t *relations = input->kind == INPUT_ROWS ? slot_relations_of_rows(env, input->rows) : slot_relations_of_moments(env, input->moments);
    Names equal = {.text = {.env = env}}, determined = equal, identifiers = equal;
    bool may_identify = schema_named_fields(schema) > 0;

    for (uint32_t s = 0; s < schema->slot_count; s++) {
        if (relations[s] & SLOT_EQUALS_TARGET)
            add_name(&equal, schema, s);
        else if (relations[s] & SLOT_DETERMINES_TARGET)
            add_name(&determined, schema, s);
        else if (may_identify && is_identifier(schema, s, relations[s], levels_are_levels))
            add_name(&identifiers, schema, s);
    }
    if (equal.count > 0)
        env_warn(env, ERROR_DATA, "Leave the target out of the features.", "%s equal%s the target in every row", names_text(&equal),
                 equal.count > 1 ? "" : "s");
    if (determined.count > 0)
        env_warn(env, ERROR_DATA, "Leave out what is the target in another form, or is not known when you predict.",
                 "%s alone determine%s the target in all %llu rows", names_text(&determined), determined.count > 1 ? "" : "s",
                 (unsigned long long)schema->rows);
    if (identifiers.count > 0)
        env_warn(env, ERROR_DATA, "Leave identifiers out of the features: they say nothing about other rows. Ignore this for a trend, such as a number of days.",
                 "%s ha%s a different value in each of the %llu rows, as identifiers do", names_text(&identifiers), identifiers.count > 1 ? "ve" : "s",
                 (unsigned long long)schema->rows);
}

/* ---- numbers as text ---- */

/* Tells whether a text is a number as one would write it; 007 is a code. */
static bool reads_as_number(const char *text, uint32_t length)
{
    uint32_t at = length > 0 && (text[0] == '-' || text[0] == '+'), digits = 0, first = at;

    for (; at < length && text[at] >= '0' && text[at] <= '9'; at++)
        digits++;
    if (digits > 1 && text[first] == '0')
        return false;
    if (at < length && text[at] == '.')
        for (at++; at < length && text[at] >= '0' && text[at] <= '9'; at++)
            digits++;
    return digits > 0 && at == length;
}

static void warn_of_text_numbers(Env *env, const Model *schema)
{
    uint32_t levels = dictionary_size(schema, DICTIONARY_LEVELS);
    uint32_t *numbers = levels < TEXT_NUMBERS ? NULL : env_array(env, schema->field_count, sizeof(uint32_t)), length, found = 0, most = 0;
    Names names = {.text = {.env = env}};

    if (numbers == NULL)
        return;
    for (uint32_t l = 0; l < levels; l++) {
        const char *text = dictionary_text(schema, DICTIONARY_LEVELS, l, &length);

        /* those with a key are of an enum, or were made levels by a formula */
        numbers[dictionary_field(schema, l)] += dictionary_key(schema, DICTIONARY_LEVELS, l) == 0 && reads_as_number(text, length);
        if (l % 4096 == 0)
            env->poll(env);
    }
    for (uint32_t f = 0, slot = 0; f < schema->field_count; slot += schema_field_width(schema, f++)) {
        if (numbers[f] < TEXT_NUMBERS || numbers[f] < schema_field_levels(schema, f) || schema_field_kind(schema, f) != FIELD_CATEGORICAL)
            continue;
        add_name(&names, schema, slot);
        found++;
        most = numbers[f] > most ? numbers[f] : most;
    }
    if (found > 0)
        env_warn(env, ERROR_DATA, "Cast to a number in the query what is one; leave codes as they are.",
                 "%s %s text, but all levels, up to %u, read as numbers: each is a category of its own", names_text(&names), found > 1 ? "are" : "is", most);
}

/* ---- scales ---- */

static void note_scales(Env *env, const Estimator *estimator, const FitInput *input, const Model *schema)
{
    const double *deviations = input->kind == INPUT_ROWS ? slot_deviations_of_rows(env, input->rows) : slot_deviations_of_moments(env, input->moments);
    char large[SCHEMA_NAME_SIZE], small[SCHEMA_NAME_SIZE];
    uint32_t most = 0, least = 0;

    for (uint32_t s = 0; s < schema->slot_count; s++) {
        if (deviations[s] > deviations[most])
            most = s;
        if (deviations[s] > 0 && (!(deviations[least] > 0) || deviations[s] < deviations[least]))
            least = s;
    }
    if (!isfinite(deviations[most]) || !(deviations[most] >= SCALES_APART * deviations[least]) || most == least)
        return;
    schema_slot_name(schema, most, large, sizeof large);
    schema_slot_name(schema, least, small, sizeof small);
    env_warn(env, ERROR_NONE, "Use \"standardize\": true unless all features share a unit.",
             "%s depends on the scales of the features: the standard deviation of %s is %.3g, that of %s %.3g", estimator->name, large, deviations[most],
             small, deviations[least]);
}

/* Tells whether rows are compared with each other, as clusters, neighbors and outliers are: an identifier would be one of their measures. */
static bool compares_rows(const Estimator *estimator, const FitInput *input)
{
    return input->kind == INPUT_ROWS && !estimator->supervised &&
           (estimator->task == TASK_CLUSTERING || estimator->task == TASK_NEIGHBORS || estimator->task == TASK_OUTLIERS || estimator->task == TASK_REDUCTION);
}

void input_warn(Env *env, const Estimator *estimator, const FitInput *input, const Options *options)
{
    const Model *schema = input_schema(input);
    bool objects = input->kind == INPUT_ROWS && rows_objects(input->rows) != NULL, differences = measures_differences(options);
    bool labels = input->kind == INPUT_CLASS_MOMENTS && estimator->task == TASK_REGRESSION; /* are groups, and no target */

    if (input->frame || objects)
        return;
    if (estimator->task == TASK_CLASSIFICATION)
        class_warn_of_measurements(env, schema, estimator->name);
    if ((estimator->supervised && estimator->task != TASK_CALIBRATION && !labels) || compares_rows(estimator, input))
        warn_of_relations(env, input, schema, differences);
    if (differences)
        warn_of_text_numbers(env, schema);
    if (estimator->by_scale && differences && !standardize_wanted(options))
        note_scales(env, estimator, input, schema);
}
