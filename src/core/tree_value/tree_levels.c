/*
 * tree_levels.c - where the levels of each categorical slot are in the dictionary of a fitted model.
 */
#include "core/tree_value/tree_levels.h"

TreeLevels tree_levels(Env *env, const Model *schema)
{
    uint32_t fields = schema->field_count, slot = 0, before = 0;
    uint32_t *of_field = env_array(env, (size_t)fields + 1, sizeof(uint32_t));
    TreeLevels found = {.first = env_array(env, (size_t)schema->slot_count + 1, sizeof(uint32_t)),
                        .count = env_array(env, (size_t)schema->slot_count + 1, sizeof(uint32_t)),
                        .category = env_array(env, (size_t)schema->slot_count + 1, sizeof(bool))};
    Dictionary dictionary;
    SchemaView view;

    schema_view(schema, &view);
    dictionary_open(schema, &view, DICTIONARY_LEVELS, &dictionary);
    for (uint32_t i = 0; i < dictionary.size; i++)
        of_field[dictionary.fields[i]]++;
    for (uint32_t f = 0; f < fields; f++) {
        bool category = schema_field_kind(schema, f) == FIELD_CATEGORICAL;

        for (uint32_t i = 0; i < schema_field_width(schema, f); i++, slot++)
            if (category) {
                found.first[slot] = before;
                found.count[slot] = of_field[f];
                found.category[slot] = true;
            }
        before += of_field[f];
    }
    return found;
}
