/*
 * import_schema.c - the schema of a document's model, by the names of the document or those that the user gave.
 */
#include "core/import/import_schema.h"
#include "core/base/sort.h"

#include <stdio.h>
#include <string.h>

#define POLL_NAMES 256

/* A schema in the making. */
typedef struct Importing {
    Env *env;
    const ImportSchema *schema;
    const ImportNames *given;
    const char *const *names; /* NULL: features have none */
    Model *state;
} Importing;

/* Sets the names of the features. Fails if the user gave another number of them, or one twice. */
static void take_names(Importing *importing)
{
    const ImportNames *given = importing->given;
    const ImportSchema *schema = importing->schema;

    importing->names = schema->names;
    if (given->features == NULL)
        return;
    if (given->feature_count != schema->features)
        env_fail(importing->env, ERROR_PARAMETER, "Name each feature once, in the order of the document.",
                 "option \"features\" names %u feature%s, but the %s document has %u", given->feature_count, given->feature_count == 1 ? "" : "s", schema->program, schema->features);
    importing->names = given->features;
}

/* Returns the array of levels that the user gave a feature, or NULL. */
static const Json *given_levels(const Importing *importing, uint32_t feature)
{
    const Json *levels = importing->given->levels;

    return levels != NULL && importing->names != NULL ? json_get(levels, importing->names[feature]) : NULL;
}

/* Fails if "levels" names what is no categorical feature. */
static void require_categories(const Importing *importing)
{
    const ImportSchema *schema = importing->schema;
    const Json *levels = importing->given->levels;

    for (const Json *key = levels != NULL ? json_first(levels) : NULL; key != NULL; key = json_next(levels, key)) {
        bool found = false;

        importing->env->poll(importing->env);
        for (uint32_t i = 0; i < schema->features && !found && importing->names != NULL && schema->categories != NULL; i++)
            found = schema->categories[i] && json_is(key, importing->names[i]);
        if (!found)
            env_fail(importing->env, ERROR_PARAMETER, "Name categorical features of the document, or those of option \"features\".",
                     "option \"levels\" names \"%.*s\", which is no categorical feature of the %s document", (int)key->length, key->text,
                     schema->program);
    }
}

/* Adds a level or class whose number in the document is `number`; key: it sorts before the text does. */
static void add_string(Importing *importing, DictionaryKind kind, uint32_t field, const char *text, size_t length, uint32_t number)
{
    uint32_t position;

    importing->env->poll(importing->env); /* to add one may move all others */
    if (dictionary_find(importing->state, kind, field, text, (uint32_t)length, false) >= 0)
        env_fail(importing->env, ERROR_PARAMETER, "Give each a text of its own.", "two %s of the %s document would both be \"%.*s\"",
                 kind == DICTIONARY_LEVELS ? "levels of a feature" : "classes", importing->schema->program, (int)length, text);
    importing->state =
        dictionary_add(importing->env, importing->state, kind, field, text, (uint32_t)length, false, (double)number + 1, &position);
}

/* Fails because the codes of a feature, of which there are one or more, have no texts. */
static void refuse_codes(const Importing *importing, uint32_t feature) __attribute__((noreturn));
static void refuse_codes(const Importing *importing, uint32_t feature)
{
    uint32_t last = importing->schema->levels[feature] - 1;

    if (importing->names == NULL)
        env_fail(importing->env, ERROR_PARAMETER, "Name the features by option \"features\", and their levels by option \"levels\".",
                 "feature %u of the %s document is a category whose codes 0 to %u have no texts", feature + 1, importing->schema->program, last);
    env_fail(importing->env, ERROR_PARAMETER,
             env_message(importing->env, "Give them in the order of the codes, in pandas that of cat.categories: options => '{\"levels\": {\"%.60s\": [\"first\", \"second\"]}}'.",
                         importing->names[feature]),
             "feature \"%s\" of the %s document is a category whose codes 0 to %u have no texts", importing->names[feature], importing->schema->program, last);
}

static void add_levels(Importing *importing, uint32_t feature)
{
    const ImportSchema *schema = importing->schema;
    const Json *given = given_levels(importing, feature);
    uint32_t count = schema->levels != NULL ? schema->levels[feature] : 0, number = 0;
    const char *const *texts = schema->level_names != NULL ? schema->level_names[feature] : NULL;

    if (given != NULL && given->length < count)
        env_fail(importing->env, ERROR_PARAMETER, "Give each code a text.", "option \"levels\" gives feature \"%s\" %u levels, but its codes are 0 to %u",
                 importing->names[feature], given->length, count - 1);
    if ((given != NULL ? given->length : count) > IMPORT_MOST_LEVELS)
        env_fail(importing->env, ERROR_LIMIT, NULL, "feature %u of the %s document has %u levels; at most %u are read", feature + 1, schema->program,
                 given != NULL ? given->length : count, IMPORT_MOST_LEVELS);
    for (const Json *level = given != NULL ? json_first(given) : NULL; level != NULL; level = json_next(given, level))
        add_string(importing, DICTIONARY_LEVELS, feature, level->text, level->length, number++);
    if (given == NULL && count > 0 && texts == NULL)
        refuse_codes(importing, feature);
    for (; given == NULL && number < count; number++)
        add_string(importing, DICTIONARY_LEVELS, feature, texts[number], strlen(texts[number]), number);
}

static void add_classes(Importing *importing)
{
    const ImportSchema *schema = importing->schema;
    const char *const *labels = importing->given->classes != NULL ? importing->given->classes : schema->labels;
    char digits[16];

    if (importing->given->classes != NULL && importing->given->class_count != schema->classes)
        env_fail(importing->env, ERROR_PARAMETER, schema->classes > 0 ? "Give each class a label, in the order of their numbers." : "Omit \"classes\".",
                 "option \"classes\" gives %u labels, but the %s document has %u classes", importing->given->class_count, schema->program,
                 schema->classes);
    for (uint32_t c = 0; c < schema->classes; c++) {
        const char *text = labels != NULL ? labels[c] : digits;

        snprintf(digits, sizeof(digits), "%u", c);
        add_string(importing, DICTIONARY_CLASSES, 0, text, strlen(text), c);
    }
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Fails if a feature has no name where others have one, or two have the same. */
static void require_names(const Importing *importing)
{
    Env *env = importing->env;
    const ImportSchema *schema = importing->schema;
    const char **sorted = env_array(env, (size_t)schema->features + 1, sizeof(char *));

    if (importing->names == NULL)
        return;
    for (uint32_t i = 0; i < schema->features; i++) {
        size_t length = strlen(importing->names[i]);

        if (i % POLL_NAMES == 0)
            env->poll(env);
        if (length == 0 || !text_is_valid(env, importing->names[i], length))
            env_fail(env, ERROR_DATA, "Name the features by option \"features\".", "the name of feature %u of the %s document is %s", i + 1,
                     schema->program, length == 0 ? "empty" : "no valid text");
        sorted[i] = importing->names[i];
    }
    sort_polled(env, sorted, schema->features, sizeof(char *), compare_texts);
    for (uint32_t i = 1; i < schema->features; i++)
        if (strcmp(sorted[i - 1], sorted[i]) == 0)
            env_fail(env, ERROR_DATA, "Name the features by option \"features\".", "two features of the %s document are named \"%s\"", schema->program,
                     sorted[i]);
    env->release(env, sorted);
}

ModelBuilder *import_begin(Env *env, const char *estimator, ImportSchema *schema, const ImportNames *names)
{
    Importing importing = {.env = env, .schema = schema, .given = names};
    FieldKind *kinds = env_array(env, (size_t)schema->features + 1, sizeof(FieldKind));
    ModelBuilder *builder = model_builder(env, MODEL_FITTED, estimator), *state = model_builder(env, MODEL_FITTED, estimator);
    SchemaSpec spec = {.field_count = schema->features, .kinds = kinds, .named = true};

    take_names(&importing);
    require_names(&importing);
    require_categories(&importing);
    for (uint32_t i = 0; i < schema->features; i++)
        kinds[i] = schema->categories != NULL && schema->categories[i] ? FIELD_CATEGORICAL : FIELD_NUMERIC;
    spec.names = importing.names;
    if (schema->classes > 0)
        spec.class_type = names->classes == NULL && schema->labels == NULL ? "integer" : "text";
    schema_add(env, state, &spec);
    importing.state = model_build(state);
    for (uint32_t i = 0; i < schema->features; i++)
        if (kinds[i] == FIELD_CATEGORICAL)
            add_levels(&importing, i);
    add_classes(&importing);
    schema->rows = schema_final(env, importing.state);
    schema_add_final(env, builder, importing.state);
    if (estimator_find(estimator)->nulls_are_values)
        builder_header(builder)->flags |= MODEL_NULL_VALUES;
    builder_fact_text(builder, "imported", schema->origin != NULL ? schema->origin : schema->program);
    return builder;
}
