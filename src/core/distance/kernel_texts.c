/*
 * kernel_texts.c - the table of texts that a kernel compares.
 */
#include "core/distance/kernel_internal.h"
#include "core/distance/string_kernel.h"

#include <math.h>

/* A text as a part of a kernel compares it. */
typedef struct String {
    uint32_t *characters;
    uint32_t count;
    uint32_t gram_count;
    NGram *grams; /* of the spectrum kernel, else NULL */
    double self;  /* k(a, a) */
} String;

struct KernelTexts {
    Env *env;
    uint32_t count;
    const char **bytes; /* [count]; valid as long as the list that they came from */
    uint32_t *lengths;
    String *strings; /* [parts that compare texts][count] */
};

uint32_t kernel_text_count(const KernelTexts *texts)
{
    return texts->count;
}

const char *kernel_text(const KernelTexts *texts, uint32_t i, uint32_t *length)
{
    *length = texts->lengths[i];
    return texts->bytes[i];
}

/* Returns the kernel of two strings before it is normalized. */
static double raw_value(Env *env, const KernelPart *part, const String *a, const String *b)
{
    if (part->kind == KERNEL_SPECTRUM)
        return spectrum_kernel(a->characters, a->grams, a->gram_count, b->characters, b->grams, b->gram_count, part->length);
    return subsequence_kernel(env, a->characters, a->count, b->characters, b->count, part->length, part->decay);
}

static double string_value(Env *env, const KernelPart *part, const String *a, const String *b)
{
    double value = raw_value(env, part, a, b);

    return part->normalized ? string_kernel_normalized(value, a->self, b->self) : value;
}

static void make_string(Env *env, const KernelPart *part, const char *bytes, uint32_t length, String *string)
{
    *string = (String){0};
    string->characters = string_characters(env, bytes, length, &string->count);
    if (part->kind == KERNEL_SPECTRUM)
        string->grams = string_spectrum(env, string->characters, string->count, part->length, &string->gram_count);
    if (part->normalized)
        string->self = raw_value(env, part, string, string);
}

static void release_string(Env *env, String *string)
{
    if (string->grams != NULL)
        env->release(env, string->grams);
    env->release(env, string->characters);
}

static void require_texts_memory(Env *env, const TextList *texts, uint32_t strings, const char *method)
{
    size_t bytes = 0;

    for (uint32_t i = 0; i < texts->count; i++)
        bytes += sizeof(String) + (size_t)texts->lengths[i] * (sizeof(uint32_t) + sizeof(NGram));
    env_require_memory(env, bytes * strings, method);
}

void kernel_set_texts(Env *env, Kernel *kernel, const TextList *texts, const char *method)
{
    KernelTexts *made = env_array(env, 1, sizeof(KernelTexts));
    KernelPart *parts[KERNEL_MAX_PARTS], whole;
    uint32_t strings = 0;

    for (uint32_t i = 0; i < kernel->part_count; i++)
        if (kind_is_text(kernel->parts[i].kind))
            parts[strings++] = &kernel->parts[i];
    if (kernel->part_count == 0) {
        whole = kernel_whole(kernel);
        parts[strings++] = &whole;
    }
    if (method != NULL)
        require_texts_memory(env, texts, strings, method);
    made->env = env;
    made->count = texts->count;
    made->bytes = env_array_raw(env, (size_t)texts->count + 1, sizeof(char *));
    made->lengths = env_array_raw(env, (size_t)texts->count + 1, sizeof(uint32_t));
    for (uint32_t i = 0; i < texts->count; i++) {
        made->bytes[i] = texts->bytes[i];
        made->lengths[i] = texts->lengths[i];
    }
    made->strings = env_array(env, (size_t)texts->count * strings + 1, sizeof(String));
    for (uint32_t s = 0; s < strings; s++) {
        parts[s]->string = s;
        for (uint32_t i = 0; i < texts->count; i++) {
            make_string(env, parts[s], texts->bytes[i], texts->lengths[i], made->strings + (size_t)s * texts->count + i);
            env->poll(env);
        }
    }
    kernel->texts = made;
}

double kernel_value_of_texts(Env *env, const Kernel *kernel, const TextList *two)
{
    KernelPart part = kernel_whole(kernel);
    String a, b;
    double value;

    make_string(env, &part, two->bytes[0], two->lengths[0], &a);
    make_string(env, &part, two->bytes[1], two->lengths[1], &b);
    value = string_value(env, &part, &a, &b);
    release_string(env, &a);
    release_string(env, &b);
    return value;
}

/*
 * Returns the text of a number, from the table or made in *own; NULL if there is none. The number may come from a model, so it may be
 * anything.
 */
static const String *find_string(const KernelTexts *texts, const KernelPart *part, double number, String *own)
{
    const TextList *row = &texts->env->row_texts;

    if (number >= 0 && number < texts->count)
        return texts->strings + (size_t)part->string * texts->count + (uint32_t)number;
    if (!(number < 0) || !(-1 - number < row->count))
        return NULL;
    make_string(texts->env, part, row->bytes[(uint32_t)(-1 - number)], row->lengths[(uint32_t)(-1 - number)], own);
    return own;
}

void kernel_texts_rows(const KernelTexts *texts, const KernelPart *part, double query, const double *numbers, size_t stride,
                       size_t panel, uint32_t count, double *out)
{
    String own_query, own_other;
    const String *a = find_string(texts, part, query, &own_query);

    for (uint32_t i = 0; i < count; i++) {
        const String *b =
            find_string(texts, part, stride > 0 ? numbers[i * stride] : numbers[i / 8 * panel + i % 8], &own_other);

        out[i] = a != NULL && b != NULL ? string_value(texts->env, part, a, b) : NAN;
        if (b == &own_other)
            release_string(texts->env, &own_other);
        if (i % 16 == 15)
            texts->env->poll(texts->env);
    }
    if (a == &own_query)
        release_string(texts->env, &own_query);
}
