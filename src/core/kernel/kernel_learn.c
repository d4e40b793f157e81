/*
 * kernel_learn.c - makes training rows points of a kernel: the width of an rbf, the table of texts, the Gram matrix.
 */
#include "core/kernel/kernel_internal.h"
#include "core/model/schema.h"

#include <math.h>

/* ---- gamma ---- */

void kernel_width_mean(KernelWidth *width, const Kernel *kernel, const double *row, uint32_t columns, double weight)
{
    for (uint32_t d = 0; d < columns; d++)
        if (d + 1 != kernel->text_at) {
            carried_add(&width->weight, weight);
            carried_add(&width->total, weight * row[d]);
        }
}

void kernel_width_squares(KernelWidth *width, const Kernel *kernel, const double *row, uint32_t columns, double weight)
{
    double mean = carried_value(&width->total) / carried_value(&width->weight);

    for (uint32_t d = 0; d < columns; d++)
        if (d + 1 != kernel->text_at) {
            double away = row[d] - mean;

            carried_add(&width->squares, weight * (away * away));
            carried_add(&width->rest, weight * away);
        }
}

void kernel_set_width(Kernel *kernel, const KernelWidth *width, uint32_t columns)
{
    double gamma = 1.0 / (kernel->text_at > 0 ? columns - 1 : columns), variance = 0;
    double weight = carried_value(&width->weight), rest = carried_value(&width->rest);

    if (weight > 0)
        variance = (carried_value(&width->squares) - rest * rest / weight) / weight;
    if (variance > 0 && isfinite(gamma / variance) && gamma / variance > 0)
        gamma /= variance;
    if (kernel->kind == KERNEL_RBF)
        kernel->gamma = gamma;
    for (uint32_t i = 0; i < kernel->part_count; i++)
        if (kernel->parts[i].kind == KERNEL_RBF && kernel->parts[i].gamma == 0)
            kernel->parts[i].gamma = gamma;
}

void kernel_scale(Kernel *kernel, const double *rows, const double *weights, uint64_t count, uint32_t slots)
{
    KernelWidth width = {0};

    if (!kernel_lacks_gamma(kernel))
        return;
    for (uint64_t i = 0; i < count; i++)
        kernel_width_mean(&width, kernel, rows + i * slots, slots, weights != NULL ? weights[i] : 1);
    for (uint64_t i = 0; i < count; i++)
        kernel_width_squares(&width, kernel, rows + i * slots, slots, weights != NULL ? weights[i] : 1);
    kernel_set_width(kernel, &width, slots);
}

/* ---- texts ---- */

/* What the columns of points are. */
typedef struct Columns {
    const Model *schema;
    const uint32_t *slots; /* NULL: columns are slots */
    uint32_t count;
    FieldKind text; /* the kind of the text column */
} Columns;

static uint32_t field_of(const Columns *columns, uint32_t column)
{
    return schema_slot_field(columns->schema, columns->slots != NULL ? columns->slots[column] : column);
}

static bool is_text(const Columns *columns, uint32_t column)
{
    return schema_field_kind(columns->schema, field_of(columns, column)) == columns->text;
}

/* Sets kernel->text_at. Fails unless there is one text column, and numbers exactly if a part of the kernel compares them. */
static void find_text_column(Env *env, Kernel *kernel, const Columns *columns)
{
    char name[SCHEMA_NAME_SIZE], other[SCHEMA_NAME_SIZE];
    bool numbers = false;

    for (uint32_t i = 0; i < kernel->part_count; i++)
        numbers |= kind_is_simple(kernel->parts[i].kind);
    for (uint32_t i = 0; i < columns->count; i++) {
        if (!is_text(columns, i))
            continue;
        schema_field_name(columns->schema, field_of(columns, i), other, sizeof other);
        if (kernel->text_at > 0) {
            schema_field_name(columns->schema, field_of(columns, kernel->text_at - 1), name, sizeof name);
            env_fail(env, ERROR_DATA, "Select the one to compare by option \"features\".",
                     "features \"%s\" and \"%s\" are texts, but the kernel compares one text", name, other);
        }
        kernel->text_at = i + 1;
    }
    if (kernel->text_at == 0)
        env_fail(env, ERROR_DATA, "Pass a column of type text, or use another kernel.",
                 "kernel %s compares texts, but no feature is one", kernel_name(kernel->kind));
    if (numbers == (columns->count > 1))
        return;
    schema_field_name(columns->schema, field_of(columns, kernel->text_at == 1 && columns->count > 1 ? 1 : 0), name, sizeof name);
    if (numbers)
        env_fail(env, ERROR_DATA, "Add numeric features, or leave the other kernels out.",
                 "a part of the kernel compares numbers, but text \"%s\" is the only feature", name);
    env_fail(env, ERROR_DATA, "Add or multiply a kernel for numbers, as in {\"sum\": [{\"kernel\": \"spectrum\"}, {\"kernel\": "
             "\"rbf\"}]}, or drop the feature.",
             "kernel %s compares a text, but feature \"%s\" is not one", kernel_name(kernel->kind), name);
}

void kernel_find_text(Env *env, Kernel *kernel, const Model *schema, int kind)
{
    Columns columns = {.schema = schema, .count = schema->slot_count, .text = (FieldKind)kind};

    kernel->text_at = 0;
    find_text_column(env, kernel, &columns);
}

/* Makes the table of texts from the dictionary, in order of their bytes. Returns their positions in it, by those in the dictionary. */
static uint32_t *take_texts(Env *env, Kernel *kernel, const Columns *columns, const char *method)
{
    uint32_t field = field_of(columns, kernel->text_at - 1), *renumbered, *lengths;
    const char **bytes;
    Dictionary dictionary;
    TextList texts = {0};
    SchemaView view;

    schema_view(columns->schema, &view);
    dictionary_open(columns->schema, &view, DICTIONARY_LEVELS, &dictionary);
    renumbered = env_array(env, (size_t)dictionary.size + 1, sizeof *renumbered);
    bytes = env_array_raw(env, (size_t)dictionary.size + 1, sizeof *bytes);
    lengths = env_array_raw(env, (size_t)dictionary.size + 1, sizeof *lengths);
    for (uint32_t i = 0; i < dictionary.size; i++) {
        uint32_t position = (uint32_t)dictionary.sorted[i];

        if (dictionary.fields[position] != field)
            continue;
        renumbered[position] = texts.count;
        bytes[texts.count] = dictionary_string(&dictionary, position, &lengths[texts.count]);
        texts.count++;
    }
    texts.bytes = bytes;
    texts.lengths = lengths;
    kernel_set_texts(env, kernel, &texts, method);
    return renumbered;
}

/* ---- points ---- */

/* Takes the rows as a Gram matrix; the points are the numbers of the rows. */
static double *take_gram(Env *env, Kernel *kernel, const Model *schema, const double *rows, uint64_t n, uint32_t columns, const char *method)
{
    double *points;

    if (schema != NULL && !schema_all_numeric(schema))
        env_fail(env, ERROR_DATA, "Pass kernel values, or choose a kernel of features.", "kernel precomputed takes numbers, but a feature is a category");
    if (n != columns)
        env_fail(env, ERROR_DATA,
                 "Pass one array per row with its kernel values with all rows, in the order of ORDER BY inside the call.",
                 "kernel precomputed needs one number per row: there are %llu rows of %u", (unsigned long long)n, columns);
    kernel_check_gram(env, rows, columns);
    kernel_warn_gram(env, rows, columns, kernel_name(kernel->kind), method);
    kernel->gram = rows;
    kernel->gram_size = columns;
    points = env_array_raw(env, n, sizeof(double));
    for (uint64_t i = 0; i < n; i++)
        points[i] = (double)i;
    return points;
}

uint32_t *kernel_learn_texts(Env *env, Kernel *kernel, const Model *schema, const uint32_t *column_slots, uint32_t columns,
                             const char *method)
{
    Columns of = {.schema = schema, .slots = column_slots, .count = columns, .text = FIELD_TEXT};

    if (!kernel_uses_texts(kernel))
        return NULL;
    find_text_column(env, kernel, &of);
    return take_texts(env, kernel, &of, method);
}

double *kernel_learn(Env *env, Kernel *kernel, const Model *schema, const uint32_t *column_slots, double *rows,
                     const double *weights, uint64_t n, uint32_t columns, const char *method)
{
    const uint32_t *renumbered;

    if (kernel->kind == KERNEL_PRECOMPUTED)
        return take_gram(env, kernel, schema, rows, n, columns, method);
    renumbered = kernel_learn_texts(env, kernel, schema, column_slots, columns, method);
    for (uint64_t i = 0; renumbered != NULL && i < n; i++) {
        double *number = &rows[i * columns + kernel->text_at - 1];

        *number = renumbered[(uint32_t)*number];
    }
    kernel_scale(kernel, rows, weights, n, columns);
    kernel_warn_indefinite(env, kernel, rows, n, columns, method);
    return rows;
}

uint32_t kernel_point_dims(const Kernel *kernel, uint32_t columns)
{
    return kernel->kind == KERNEL_PRECOMPUTED ? 1 : columns;
}
