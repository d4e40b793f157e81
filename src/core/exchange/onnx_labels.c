/*
 * onnx_labels.c - labels and levels of a document as texts.
 */
#include "core/exchange/onnx_import.h"

const char *const *onnx_integer_texts(Env *env, const double *numbers, uint32_t count)
{
    const char **texts = env_array(env, (size_t)count + 1, sizeof(char *));

    for (uint32_t i = 0; i < count; i++) {
        texts[i] = env_message(env, "%.0f", numbers[i]);
        env_poll_rows(env, i);
    }
    return texts;
}

const char *const *onnx_import_labels(OnnxImport *import, const char *strings, const char *integers, uint32_t *classes)
{
    uint32_t texts, numbers;
    const char *const *labels = onnx_texts(import->env, import->scorer, strings, &texts);
    const double *values = onnx_values(import->env, import->scorer, integers, &numbers, NULL);
    bool counted = true;

    if (texts > 0 && numbers > 0)
        onnx_fail(import->env, "is damaged: a %.40s has labels that are texts and labels that are numbers", import->scorer->operator);
    *classes = texts + numbers;
    for (uint32_t i = 0; i < numbers; i++)
        counted = counted && values[i] == i;
    return labels != NULL || counted ? labels : onnx_integer_texts(import->env, values, numbers);
}
