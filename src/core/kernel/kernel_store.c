/*
 * kernel_store.c - writes kernels into models, and reads them back from arrays that may hold anything.
 *
 * rbf and sigmoid have two numbers each: the first stands for exp and tanh of the C library, which differ between machines in their last
 * bits; models of earlier versions keep them. The second stands for those of kernel.c.
 */
#include "core/kernel/kernel_internal.h"
#include "core/kernel/string_kernel.h"
#include "core/model/schema.h"

#include <math.h>

#define KERNEL_NUMBERS 4
#define PART_NUMBERS 8
#define STORED_RBF 10
#define STORED_SIGMOID 11

const ArraySpec kernel_arrays[3] = {
    {.name = "kernel", .type = ARRAY_F64, .rows = {SIZE_NUMBER, .plus = KERNEL_NUMBERS}, .values = VALUES_ANY},
    {.name = "kernel_parts",
     .type = ARRAY_F64,
     .rows = {SIZE_FREE},
     .columns = {SIZE_NUMBER, .plus = PART_NUMBERS},
     .presence = ARRAY_OPTIONAL,
     .other = "kernel",
     .values = VALUES_ANY}, /* checked by kernel_read */
    {.name = "texts", .type = ARRAY_TEXT, .rows = {SIZE_FREE}, .presence = ARRAY_OPTIONAL, .other = "kernel"}};

/* ---- writing ---- */

static double stored_kind(const KernelPart *part)
{
    if (part->kind == KERNEL_RBF && !part->c_library)
        return STORED_RBF;
    if (part->kind == KERNEL_SIGMOID && !part->c_library)
        return STORED_SIGMOID;
    return part->kind;
}

/* Writes the four numbers of a kernel that is no sum or product. */
static void write_part(const KernelPart *part, double *numbers)
{
    bool text = kind_is_text(part->kind);

    numbers[0] = stored_kind(part);
    numbers[1] = text ? part->decay : part->gamma;
    numbers[2] = text ? part->normalized : part->coef0;
    numbers[3] = text ? part->length : part->degree;
}

void kernel_write(Env *env, const Kernel *kernel, ModelBuilder *builder)
{
    double *numbers = env_array(env, KERNEL_NUMBERS, sizeof(double)), *parts;
    KernelPart whole = kernel_whole(kernel);

    write_part(&whole, numbers);
    builder_f64(builder, SECTION_ARRAYS, "kernel", numbers, KERNEL_NUMBERS);
    if (kernel->part_count == 0)
        return;
    numbers[2] = kernel->text_at;
    parts = env_array(env, (size_t)kernel->part_count * PART_NUMBERS, sizeof(double));
    for (uint32_t i = 0; i < kernel->part_count; i++) {
        double *to = parts + (size_t)i * PART_NUMBERS;

        write_part(&kernel->parts[i], to);
        to[4] = kernel->parts[i].weight;
        to[5] = kernel->parts[i].parts;
    }
    builder_f64_matrix(builder, SECTION_ARRAYS, "kernel_parts", parts, kernel->part_count, PART_NUMBERS);
}

/* ---- reading ---- */

/* Tells whether this is a whole number from `least` to `most`. */
static bool is_whole(double number, double least, double most)
{
    return number >= least && number <= most && number == floor(number);
}

static const char *read_part(const double *numbers, KernelPart *part)
{
    KernelKind kind;

    if (!is_whole(numbers[0], KERNEL_LINEAR, STORED_SIGMOID))
        return "\"kernel\" is not the number of a kernel";
    kind = numbers[0] == STORED_RBF ? KERNEL_RBF : numbers[0] == STORED_SIGMOID ? KERNEL_SIGMOID : (KernelKind)numbers[0];
    *part = (KernelPart){.kind = kind, .weight = 1, .gamma = 1, .degree = 1, .c_library = numbers[0] <= KERNEL_SIGMOID};
    if (kind_is_text(kind)) {
        if (!(numbers[1] > 0 && numbers[1] <= 1) || !is_whole(numbers[2], 0, 1) || !is_whole(numbers[3], 1, STRING_KERNEL_MAX_LENGTH))
            return "decay, normalized or length in \"kernel\" is out of range";
        part->decay = numbers[1];
        part->normalized = numbers[2] == 1;
        part->length = (uint32_t)numbers[3];
        return NULL;
    }
    if (!(numbers[1] > 0) || isinf(numbers[1]) || !isfinite(numbers[2]))
        return "gamma or coef0 in \"kernel\" is out of range";
    if (!is_whole(numbers[3], 1, KERNEL_MAX_DEGREE))
        return "the degree in \"kernel\" is out of range";
    part->gamma = numbers[1];
    part->coef0 = numbers[2];
    part->degree = (uint32_t)numbers[3];
    return NULL;
}

/* Checks that parts from *next on are one kernel, and moves *next past it. */
static bool parts_sound(const Kernel *kernel, uint32_t *next, uint32_t depth)
{
    const KernelPart *part;

    if (*next >= kernel->part_count || depth > KERNEL_MAX_DEPTH + 1)
        return false;
    part = &kernel->parts[(*next)++];
    if (kind_is_sum(part->kind) != (part->parts > 0) || part->kind == KERNEL_PRECOMPUTED)
        return false;
    for (uint32_t i = 0; i < part->parts; i++)
        if (!parts_sound(kernel, next, depth + 1))
            return false;
    return true;
}

static const char *read_parts(const Model *model, Kernel *kernel)
{
    const ModelEntry *entry = model_find(model, "kernel_parts");
    uint32_t next = 0, strings = 0;
    const double *numbers;
    const char *wrong;

    if (entry == NULL || entry->type != ARRAY_F64 || entry->columns != PART_NUMBERS || entry->rows == 0 || entry->rows > KERNEL_MAX_PARTS)
        return "a sum or product of kernels has no array \"kernel_parts\" of 8 numbers per kernel";
    numbers = model_data(model, entry);
    kernel->part_count = entry->rows;
    for (uint32_t i = 0; i < entry->rows; i++, numbers += PART_NUMBERS) {
        KernelPart *part = &kernel->parts[i];

        wrong = read_part(numbers, part);
        if (wrong != NULL)
            return wrong;
        if (!(numbers[4] > 0) || isinf(numbers[4]) || !is_whole(numbers[5], 0, KERNEL_MAX_PARTS))
            return "a weight or a number of parts in \"kernel_parts\" is out of range";
        part->weight = numbers[4];
        part->parts = (uint32_t)numbers[5];
        part->string = kind_is_text(part->kind) ? strings++ : 0;
    }
    if (kernel->parts[0].kind != kernel->kind || !parts_sound(kernel, &next, 0) || next != kernel->part_count)
        return "\"kernel_parts\" does not list the parts of one kernel";
    return (strings > 0) == (kernel->text_at > 0) ? NULL : "\"kernel\" names a text column, or none, that its parts do not compare";
}

/* Tells whether rows have a text when they are scored, without which there is nothing to compare. */
static bool rows_have_texts(const Model *model)
{
    for (uint32_t i = 0; i < model->field_count; i++)
        if (schema_field_kind(model, i) == FIELD_TEXT)
            return true;
    return false;
}

const char *kernel_read(const Model *model, Kernel *kernel)
{
    uint32_t length = 0;
    const double *numbers = model_f64(model, "kernel", &length);
    const char *wrong;
    KernelPart part;

    if (numbers == NULL || length != KERNEL_NUMBERS)
        return "there is no array \"kernel\" of 4 numbers";
    wrong = read_part(numbers, &part);
    if (wrong != NULL)
        return wrong;
    *kernel = kernel_of_part(&part);
    kernel->text_at = kind_is_text(part.kind);
    if (kind_is_text(part.kind) && !rows_have_texts(model))
        return "the kernel compares texts, but no feature is one";
    if (part.kind == KERNEL_PRECOMPUTED)
        kernel->gram_size = model->slot_count;
    if (!kind_is_sum(part.kind))
        return model_find(model, "kernel_parts") == NULL ? NULL : "only a sum or product of kernels has \"kernel_parts\"";
    kernel->coef0 = 0;
    if (!is_whole(numbers[2], 0, SCHEMA_MAX_SLOTS))
        return "the text column in \"kernel\" is out of range";
    kernel->text_at = (uint32_t)numbers[2];
    if (kernel->text_at > 0 && !rows_have_texts(model))
        return "the kernel compares texts, but no feature is one";
    return read_parts(model, kernel);
}

const char *kernel_check_points(const Model *model, const Kernel *kernel, const double *points, uint32_t count, uint32_t dims)
{
    const ModelEntry *texts = model_find(model, "texts");
    double below = kernel->kind == KERNEL_PRECOMPUTED ? kernel->gram_size : texts != NULL ? texts->rows : 0;
    uint32_t column = kernel->kind == KERNEL_PRECOMPUTED ? 0 : kernel->text_at - 1;

    if (kernel_uses_texts(kernel) != (texts != NULL) || (texts != NULL && texts->type != ARRAY_TEXT))
        return "\"texts\" is there exactly for kernels that compare texts";
    if (kernel->kind != KERNEL_PRECOMPUTED && kernel->text_at == 0)
        return NULL;
    if (column >= dims || (kernel->kind == KERNEL_PRECOMPUTED && dims != 1))
        return "the rows of the model do not have the columns that the kernel compares";
    for (uint32_t i = 0; i < count; i++)
        if (!is_whole(points[(size_t)i * dims + column], 0, below - 1))
            return kernel->kind == KERNEL_PRECOMPUTED ? "a row of the model is not the number of a training row"
                                                      : "a row of the model refers to no text";
    return NULL;
}

void kernel_prepare(Env *env, const Model *model, Kernel *kernel)
{
    const ModelEntry *entry = model_find(model, "texts");
    TextList texts = {.count = 0};
    const char **bytes;
    uint32_t *lengths;

    kernel_read(model, kernel);
    if (entry == NULL || !kernel_uses_texts(kernel))
        return;
    bytes = env_array_raw(env, (size_t)entry->rows + 1, sizeof *bytes);
    lengths = env_array_raw(env, (size_t)entry->rows + 1, sizeof *lengths);
    for (uint32_t i = 0; i < entry->rows; i++)
        bytes[i] = model_text(model, entry, i, &lengths[i]);
    texts = (TextList){entry->rows, bytes, lengths};
    kernel_set_texts(env, kernel, &texts, NULL);
    env->release(env, bytes);
    env->release(env, lengths);
}

/* ---- the texts of a model ---- */

void kernel_write_texts(Env *env, const Kernel *kernel, ModelBuilder *builder, double *points, uint32_t count, uint32_t dims)
{
    uint32_t all = kernel->texts != NULL ? kernel_text_count(kernel->texts) : 0, kept = 0;
    uint32_t *renumbered, *lengths;
    const char **bytes;

    if (all == 0 || kernel->text_at == 0)
        return;
    renumbered = env_array(env, all, sizeof *renumbered); /* new number + 1; 0: not used */
    bytes = env_array_raw(env, all, sizeof *bytes);
    lengths = env_array_raw(env, all, sizeof *lengths);
    for (uint32_t i = 0; i < count; i++)
        renumbered[(uint32_t)points[(size_t)i * dims + kernel->text_at - 1]] = 1;
    for (uint32_t i = 0; i < all; i++)
        if (renumbered[i] > 0) {
            bytes[kept] = kernel_text(kernel->texts, i, &lengths[kept]);
            renumbered[i] = ++kept;
        }
    for (uint32_t i = 0; i < count; i++) {
        double *number = &points[(size_t)i * dims + kernel->text_at - 1];

        *number = renumbered[(uint32_t)*number] - 1;
    }
    builder_text(builder, SECTION_ARRAYS, "texts", bytes, lengths, kept);
}
