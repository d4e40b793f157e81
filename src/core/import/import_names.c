/*
 * import_names.c - the options of import_model: names that a document may lack.
 */
#include "core/import/import_schema.h"

#include <string.h>

static const OptionSpec import_specs[] = {
    {.name = "features",
     .types = OPTION_STRING_LIST,
     .unset = "the names of the document",
     .help = "Names of the features in the order of the document, in place of its own."},
    {.name = "classes",
     .types = OPTION_STRING_LIST,
     .unset = "those of the document, or 0, 1, ...",
     .help = "Labels of the classes in the order of the document's numbers."},
    {.name = "levels",
     .types = OPTION_NESTED,
     .unset = "those of the document, or 0, 1, ...",
     .help = "Of categorical features, by name: the texts of the codes 0, 1, ... as an array of strings."},
    {.name = NULL}};
const OptionSpec *const import_options[] = {import_specs, NULL};

/* Fails unless each level list is an array of strings. */
static void require_levels(Env *env, const Json *levels)
{
    for (const Json *key = json_first(levels); key != NULL; key = json_next(levels, key)) {
        const Json *list = json_value(key);

        if (list->type != JSON_ARRAY)
            env_fail(env, ERROR_PARAMETER, "Write {\"levels\": {\"feature\": [\"first\", \"second\"]}}.",
                     "option \"levels\" of import_model gives feature \"%.*s\" no array, but %s", (int)key->length, key->text, json_type_name(list));
        for (const Json *level = json_first(list); level != NULL; level = json_next(list, level))
            if (level->type != JSON_STRING)
                env_fail(env, ERROR_PARAMETER, "Quote the levels.", "option \"levels\" of import_model: a level of feature \"%.*s\" is no string, but %s",
                         (int)key->length, key->text, json_type_name(level));
    }
}

ImportNames import_names(Env *env, const char *json, size_t length)
{
    Options *options = options_parse(env, "import_model", import_options, json, length, NULL, NULL, 0);
    const char *levels = options_value_json(options, "levels");
    ImportNames names = {0};

    names.features = options_strings(options, "features", &names.feature_count);
    names.classes = options_strings(options, "classes", &names.class_count);
    if (levels != NULL) {
        names.levels = json_parse(env, levels, strlen(levels), ERROR_PARAMETER, "option \"levels\"");
        require_levels(env, names.levels);
    }
    return names;
}
