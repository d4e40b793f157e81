/*
 * kernel_texts.c - the table of texts that a kernel compares.
 */
#include "core/base/sort.h"
#include "core/kernel/kernel_internal.h"
#include "core/kernel/string_kernel.h"

#include <math.h>
#include <string.h>

/* A text as a part of a kernel compares it. */
typedef struct String {
    uint32_t *characters;
    uint32_t count;
    uint32_t gram_count;
    NGram *grams;  /* of the spectrum kernel, else NULL */
    uint32_t *ids; /* [gram_count] their numbers in the index, for strings of the table */
    double self;   /* k(a, a) */
} String;

/* All n-grams of the texts of a table, numbered in order of their hashes, so that spectra are sparse vectors. */
typedef struct GramIndex {
    uint32_t count;
    uint64_t *hashes;            /* [count] ascending */
    const uint32_t **characters; /* [count] */
    double *dense;               /* [count] times in the text that is compared with others; 0 in between */
    bool spread;                 /* dense is not 0: also after a comparison that an error ended */
} GramIndex;

struct KernelTexts {
    Env *env;
    uint32_t count;
    const char **bytes; /* [count]; valid as long as the list that they came from */
    uint32_t *lengths;
    String *strings;    /* [parts that compare texts][count] */
    GramIndex *indexes; /* [parts that compare texts], of the spectrum kernel */
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

/* ---- the index of n-grams ---- */

/* An n-gram of a text. */
typedef struct Occurrence {
    uint64_t hash;
    uint32_t text, gram;
} Occurrence;

static int compare_occurrences(const void *left, const void *right)
{
    const Occurrence *a = left, *b = right;

    if (a->hash != b->hash)
        return a->hash < b->hash ? -1 : 1;
    return a->text != b->text ? (a->text < b->text ? -1 : 1) : (a->gram > b->gram) - (a->gram < b->gram);
}

/* Returns the number of an n-gram; index->count if it has none. */
static uint32_t find_gram(const GramIndex *index, uint64_t hash, const uint32_t *characters, uint32_t n)
{
    uint32_t low = 0, high = index->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (index->hashes[middle] < hash)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < index->count && index->hashes[low] == hash; low++)
        if (memcmp(index->characters[low], characters, n * sizeof(uint32_t)) == 0)
            return low;
    return index->count;
}

/* Numbers the n-grams of all strings. */
static void make_index(Env *env, const KernelPart *part, String *strings, uint32_t count, GramIndex *index)
{
    size_t total = 0, at = 0;
    Occurrence *all;

    for (uint32_t i = 0; i < count; i++)
        total += strings[i].gram_count;
    all = env_array_raw(env, total + 1, sizeof(Occurrence));
    index->hashes = env_array_raw(env, total + 1, sizeof(uint64_t));
    index->characters = env_array_raw(env, total + 1, sizeof(uint32_t *));
    for (uint32_t i = 0; i < count; i++) {
        strings[i].ids = env_array_raw(env, (size_t)strings[i].gram_count + 1, sizeof(uint32_t));
        for (uint32_t g = 0; g < strings[i].gram_count; g++)
            all[at++] = (Occurrence){strings[i].grams[g].hash, i, g};
    }
    sort_polled(env, all, total, sizeof(Occurrence), compare_occurrences);
    for (size_t o = 0; o < total; o++) {
        const String *string = &strings[all[o].text];
        const uint32_t *characters = string->characters + string->grams[all[o].gram].first;
        uint32_t id = index->count;

        while (id > 0 && index->hashes[id - 1] == all[o].hash)
            id--;
        while (id < index->count && memcmp(index->characters[id], characters, part->length * sizeof(uint32_t)) != 0)
            id++;
        if (id == index->count) {
            index->hashes[id] = all[o].hash;
            index->characters[id] = characters;
            index->count++;
        }
        string->ids[all[o].gram] = id;
        env_poll_every(env, o, 4096);
    }
    env->release(env, all);
    index->dense = env_array(env, (size_t)index->count + 1, sizeof(double));
}

/* Sets the times of the n-grams of a string in index->dense, or clears them. */
static void spread(GramIndex *index, const KernelPart *part, const String *string, bool set)
{
    if (set && index->spread)
        memset(index->dense, 0, index->count * sizeof(double));
    index->spread = set;
    for (uint32_t g = 0; g < string->gram_count; g++) {
        const NGram *gram = &string->grams[g];
        uint32_t id = string->ids != NULL ? string->ids[g]
                                          : find_gram(index, gram->hash, string->characters + gram->first, part->length);

        if (id < index->count)
            index->dense[id] = set ? gram->times : 0;
    }
}

/* Returns the spectrum kernel of a string of the table and the one that was spread. Sums of whole numbers have no order. */
static double spread_product(const GramIndex *index, const String *string)
{
    double sum = 0;

    for (uint32_t g = 0; g < string->gram_count; g++)
        sum += string->grams[g].times * index->dense[string->ids[g]];
    return sum;
}

/* ---- the table ---- */

/* Compares the bytes of a table with the budget. An n-gram is in the list of its text, in the index, and in the list that is sorted. */
static void require_texts_memory(Env *env, const TextList *texts, KernelPart *const *parts, uint32_t strings, const char *method)
{
    const size_t gram = sizeof(NGram) + sizeof(uint32_t) + sizeof(Occurrence) + 2 * sizeof(uint64_t) + sizeof(double);
    size_t characters = 0, bytes = 0;

    for (uint32_t i = 0; i < texts->count; i++)
        characters += texts->lengths[i];
    for (uint32_t s = 0; s < strings; s++)
        bytes += texts->count * sizeof(String) + characters * (sizeof(uint32_t) + (parts[s]->kind == KERNEL_SPECTRUM ? gram : 0));
    env_require_memory(env, bytes, method);
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
        require_texts_memory(env, texts, parts, strings, method);
    made->env = env;
    made->count = texts->count;
    made->bytes = env_array_raw(env, (size_t)texts->count + 1, sizeof(char *));
    made->lengths = env_array_raw(env, (size_t)texts->count + 1, sizeof(uint32_t));
    for (uint32_t i = 0; i < texts->count; i++) {
        made->bytes[i] = texts->bytes[i];
        made->lengths[i] = texts->lengths[i];
    }
    made->strings = env_array(env, (size_t)texts->count * strings + 1, sizeof(String));
    made->indexes = env_array(env, (size_t)strings + 1, sizeof(GramIndex));
    for (uint32_t s = 0; s < strings; s++) {
        parts[s]->string = s;
        for (uint32_t i = 0; i < texts->count; i++) {
            make_string(env, parts[s], texts->bytes[i], texts->lengths[i], made->strings + (size_t)s * texts->count + i);
            env->poll(env);
        }
        if (parts[s]->kind == KERNEL_SPECTRUM)
            make_index(env, parts[s], made->strings + (size_t)s * texts->count, texts->count, &made->indexes[s]);
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
    uint32_t place;

    if (number >= 0 && number < texts->count)
        return texts->strings + (size_t)part->string * texts->count + (uint32_t)number;
    if (!row_text_of(row, number, &place))
        return NULL;
    make_string(texts->env, part, row->bytes[place], row->lengths[place], own);
    return own;
}

void kernel_texts_rows(const KernelTexts *texts, const KernelPart *part, double query, const double *numbers, size_t stride,
                       size_t panel, uint32_t count, double *out)
{
    String own_query, own_other;
    const String *a = find_string(texts, part, query, &own_query);
    GramIndex *index = &texts->indexes[part->string];
    bool spectrum = part->kind == KERNEL_SPECTRUM && a != NULL;

    if (spectrum)
        spread(index, part, a, true);
    for (uint32_t i = 0; i < count; i++) {
        const String *b =
            find_string(texts, part, stride > 0 ? numbers[i * stride] : numbers[i / 8 * panel + i % 8], &own_other);

        if (a == NULL || b == NULL)
            out[i] = NAN;
        else if (!spectrum || b == &own_other)
            out[i] = string_value(texts->env, part, a, b);
        else
            out[i] = part->normalized ? string_kernel_normalized(spread_product(index, b), a->self, b->self) : spread_product(index, b);
        if (b == &own_other)
            release_string(texts->env, &own_other);
        env_poll_every(texts->env, i + 1, 16);
    }
    if (spectrum)
        spread(index, part, a, false);
    if (a == &own_query)
        release_string(texts->env, &own_query);
}
