/*
 * model_array.c - reads arrays of models.
 */
#include "pg/score/model_array.h"

#include "utils/lsyscache.h"

const Model **model_array(ArrayType *array, const Model *first, const char *what, const char *of, const char *hint,
                          uint32_t *number)
{
    const Model **models;
    Datum *values;
    bool *nulls, by_value;
    int16 length;
    char alignment;
    int count;

    get_typlenbyvalalign(ARR_ELEMTYPE(array), &length, &by_value, &alignment);
    deconstruct_array(array, ARR_ELEMTYPE(array), length, by_value, alignment, &values, &nulls, &count);
    models = palloc((count + 1) * sizeof(*models));
    *number = 0;
    if (first != NULL)
        models[(*number)++] = first;
    for (int i = 0; i < count; i++) {
        if (nulls[i])
            env_fail(host_env(), ERROR_PARAMETER, hint, "%s %u%s is null", what, *number + 1, of);
        models[(*number)++] = sound_model(values[i]);
    }
    return models;
}
