/*
 * moments_classes.c - removes classes without rows from moments of classes.
 *
 * A window's frame keeps the labels of rows that have left it, and stored moments may hold labels without rows.
 */
#include "core/moments/moments_internal.h"

#include <string.h>

/* Tells whether an entry does not depend on the classes, so that it can be copied. */
static bool is_kept(const ModelEntry *entry)
{
    static const char *const labels[] = {"class_key", "class_sorted", "class_text", NULL};

    for (const MomentsArray *array = moments_arrays; array < moments_arrays + MOMENTS_ARRAYS; array++)
        if (is_of_classes(array) && strcmp(entry->name, array->name) == 0)
            return false;
    return !model_entry_is_any(entry, labels);
}

/* Returns the rows used[0 .. count - 1] of a matrix. */
static double *take_rows(Env *env, const double *from, const uint32_t *used, uint32_t count, size_t columns)
{
    double *rows = env_array_raw(env, count * columns + 1, sizeof(double));

    for (uint32_t i = 0; i < count; i++)
        memcpy(rows + i * columns, from + used[i] * columns, columns * sizeof(double));
    return rows;
}

/* Adds the dictionary of the labels in use. */
static void add_labels(Env *env, ModelBuilder *builder, const Model *state, const uint32_t *used, uint32_t count)
{
    uint32_t classes = dictionary_size(state, DICTIONARY_CLASSES), next = 0, length;
    const int64_t *sorted = model_i64(state, "class_sorted", &length);
    const char **texts = env_array(env, (size_t)count + 1, sizeof(char *));
    uint32_t *lengths = env_array(env, (size_t)count + 1, sizeof(uint32_t));
    uint32_t *place = env_array(env, (size_t)classes + 1, sizeof(uint32_t));
    double *keys = env_array(env, (size_t)count + 1, sizeof(double));
    int64_t *index = env_array(env, (size_t)count + 1, sizeof(int64_t));

    for (uint32_t i = 0; i < count; i++) {
        texts[i] = dictionary_text(state, DICTIONARY_CLASSES, used[i], &lengths[i]);
        keys[i] = dictionary_key(state, DICTIONARY_CLASSES, used[i]);
        place[used[i]] = i + 1;
    }
    for (uint32_t i = 0; i < classes; i++)
        if (place[sorted[i]] > 0)
            index[next++] = place[sorted[i]] - 1;
    builder_text(builder, SECTION_SCHEMA, "class_text", texts, lengths, count);
    builder_f64(builder, SECTION_SCHEMA, "class_key", keys, count);
    builder_i64(builder, SECTION_SCHEMA, "class_sorted", index, count);
}

const Model *moments_used_classes(Env *env, const Model *moments)
{
    uint32_t classes = dictionary_size(moments, DICTIONARY_CLASSES), count = 0, *used;
    ModelBuilder *builder;
    MomentsView view;

    if (moments->kind != MODEL_CLASS_MOMENTS)
        return moments;
    moments_read(env, moments, &view);
    used = env_array(env, (size_t)classes + 1, sizeof(uint32_t));
    for (uint32_t c = 0; c < view.classes; c++)
        if (view_f64(&view, view.counts)[2 * (size_t)c + 1] > 0)
            used[count++] = c;
    if (count == classes)
        return moments;
    builder = builder_from(env, moments, is_kept);
    builder_header(builder)->pending_capacity = 0;
    add_labels(env, builder, moments, used, count);
    for (const MomentsArray *array = moments_arrays; array < moments_arrays + MOMENTS_ARRAYS; array++) {
        const ModelEntry *entry = is_of_classes(array) ? view_array(&view, array) : NULL;
        if (entry != NULL)
            builder_f64_matrix(builder, SECTION_ARRAYS, array->name, take_rows(env, view_f64(&view, entry), used, count, entry->columns), count,
                               entry->columns);
    }
    return model_build(builder);
}
