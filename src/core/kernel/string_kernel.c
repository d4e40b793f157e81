/*
 * string_kernel.c - spectrum and subsequence kernels, by sorted n-grams and by dynamic programming.
 */
#include "core/kernel/string_kernel.h"
#include "core/base/bytes.h"
#include "core/base/sort.h"

#include <math.h>
#include <string.h>

#define POLL_STEPS 1000000
#define ODD_BYTE 0x110000u /* the character of a byte that is not UTF-8 comes after all code points */
#define VANISHED 1e-280    /* smaller products of decays count as 0: they cannot matter, and numbers below 1e-308 are slow */

/* ---- characters ---- */

/* Returns how many bytes the UTF-8 character at s takes, and sets *point; 0 if it is none. */
static size_t decode(const unsigned char *s, size_t left, uint32_t *point)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t size = s[0] < 0x80 ? 1 : s[0] < 0xC2 ? 0 : s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : s[0] < 0xF5 ? 4 : 0;

    if (size == 0 || size > left)
        return 0;
    *point = size == 1 ? s[0] : s[0] & (0x7Fu >> size);
    for (size_t i = 1; i < size; i++) {
        if ((s[i] & 0xC0) != 0x80)
            return 0;
        *point = *point << 6 | (s[i] & 0x3F);
    }
    return *point < least[size] || *point > 0x10FFFF ? 0 : size;
}

uint32_t string_decode(Env *env, const char *bytes, size_t length, uint32_t *characters)
{
    bool foreign = env->convert_text != NULL && !bytes_ascii(bytes, length);
    const char *utf8 = foreign ? env->convert_text(env, true, bytes, &length) : bytes;
    const unsigned char *s = (const unsigned char *)utf8;
    uint32_t count = 0;

    for (size_t at = 0, size; at < length; at += size) {
        size = decode(s + at, length - at, &characters[count]);
        if (size == 0) {
            characters[count] = ODD_BYTE + s[at];
            size = 1;
        }
        env_poll_every(env, ++count, POLL_STEPS);
    }
    if (utf8 != bytes)
        env->release(env, (void *)utf8);
    return count;
}

uint32_t *string_characters(Env *env, const char *bytes, size_t length, uint32_t *count)
{
    uint32_t *characters = env_array_raw(env, length + 1, sizeof(uint32_t));

    *count = string_decode(env, bytes, length, characters);
    return characters;
}

/* ---- spectrum ---- */

static int compare_grams(const void *left, const void *right)
{
    const NGram *a = left, *b = right;

    if (a->hash != b->hash)
        return a->hash < b->hash ? -1 : 1;
    return (a->first > b->first) - (a->first < b->first);
}

static bool same_characters(const uint32_t *a, const uint32_t *b, uint32_t n)
{
    return memcmp(a, b, n * sizeof(uint32_t)) == 0;
}

/* Joins equal n-grams of a sorted list. Different ones with the same hash stay apart. Returns how many are left. */
static uint32_t join_equal(const uint32_t *string, NGram *grams, uint32_t count, uint32_t n)
{
    uint32_t kept = 0, run = 0; /* the n-grams with the hash of the current one begin at run */

    for (uint32_t i = 0; i < count; i++) {
        uint32_t same;

        if (kept > 0 && grams[run].hash != grams[i].hash)
            run = kept;
        for (same = run; same < kept; same++)
            if (same_characters(string + grams[same].first, string + grams[i].first, n))
                break;
        if (same < kept)
            grams[same].times++;
        else
            grams[kept++] = grams[i];
    }
    return kept;
}

NGram *string_spectrum(Env *env, const uint32_t *string, uint32_t count, uint32_t n, uint32_t *found)
{
    const uint64_t base = 0x9E3779B97F4A7C15u;
    uint64_t hash = 0, power = 1;
    uint32_t windows;
    NGram *grams;

    *found = 0;
    if (count < n)
        return NULL;
    windows = count - n + 1;
    env_require_memory(env, 2 * (size_t)windows * sizeof(NGram), "kernel spectrum");
    grams = env_array_raw(env, windows, sizeof(NGram));
    for (uint32_t i = 0; i < n; i++)
        power *= base;
    for (uint32_t i = 0; i < count; i++) { /* a polynomial in base, modulo 2^64 */
        hash = hash * base + string[i] + 1;
        if (i >= n)
            hash -= power * (string[i - n] + 1);
        if (i + 1 >= n)
            grams[i + 1 - n] = (NGram){.hash = hash, .first = i + 1 - n, .times = 1};
        env_poll_every(env, i, POLL_STEPS);
    }
    sort_polled(env, grams, windows, sizeof(NGram), compare_grams);
    *found = join_equal(string, grams, windows, n);
    return grams;
}

/* Returns where the n-grams with the same hash as the one at `at` end. */
static uint32_t run_end(const NGram *grams, uint32_t count, uint32_t at)
{
    uint32_t end = at + 1;

    while (end < count && grams[end].hash == grams[at].hash)
        end++;
    return end;
}

double spectrum_kernel(const uint32_t *a, const NGram *a_grams, uint32_t a_count, const uint32_t *b, const NGram *b_grams,
                       uint32_t b_count, uint32_t n)
{
    uint32_t i = 0, j = 0;
    double sum = 0;

    while (i < a_count && j < b_count) {
        uint32_t i_end, j_end;

        if (a_grams[i].hash != b_grams[j].hash) {
            bool before = a_grams[i].hash < b_grams[j].hash;

            i += before;
            j += !before;
            continue;
        }
        i_end = run_end(a_grams, a_count, i);
        j_end = run_end(b_grams, b_count, j);
        for (uint32_t k = i; k < i_end; k++)
            for (uint32_t l = j; l < j_end; l++)
                if (same_characters(a + a_grams[k].first, b + b_grams[l].first, n))
                    sum += (double)a_grams[k].times * b_grams[l].times;
        i = i_end;
        j = j_end;
    }
    return sum;
}

/* ---- subsequences ---- */

/* Tells whether a comes before b: by length, then by characters. */
static bool comes_before(const uint32_t *a, uint32_t a_count, const uint32_t *b, uint32_t b_count)
{
    for (uint32_t i = 0; a_count == b_count && i < a_count; i++)
        if (a[i] != b[i])
            return a[i] < b[i];
    return a_count < b_count;
}

/*
 * What dynamic programming keeps while it reads string a. prefix[i x (b_count + 1) + j] is K'_i(a so far, the first j characters of b) of
 * Lodhi et al.: common subsequences of i characters, each weighted by the characters from its beginning to the ends of both prefixes.
 */
typedef struct Subsequences {
    const uint32_t *b;
    uint32_t b_count, n;
    double decay, squared; /* squared: decay^2 */
    double *prefix;        /* [n x (b_count + 1)]; K'_0 = 1 */
    double *match;         /* [b_count] decay^2 where b has the character that was read last, else 0 */
} Subsequences;

#define STEPS 8 /* between two looks at whether a product of decays has vanished */

/* Reads a character of a into K'_i: below holds K'_(i-1) before it, so i falls from call to call. */
static void add_to_prefix(const Subsequences *at, const double *below, double *prefix)
{
    double ending = 0; /* K''_i: of the subsequences that end in a with this character */

    for (uint32_t first = 0; first < at->b_count; first += STEPS) {
        uint32_t steps = at->b_count - first < STEPS ? at->b_count - first : STEPS;
        const double *match = at->match + first, *from = below + first;
        double *to = prefix + first + 1;

        for (uint32_t j = 0; j < steps; j++) {
            double grown;

            ending = at->decay * ending + match[j] * from[j];
            grown = at->decay * to[j] + ending;
            to[j] = grown < VANISHED ? 0 : grown;
        }
        ending = ending < VANISHED ? 0 : ending;
    }
}

/* Reads a character of a; returns how much the kernel grows. */
static double add_character(const Subsequences *at, uint32_t character)
{
    size_t stride = (size_t)at->b_count + 1;
    const double *last = at->prefix + (at->n - 1) * stride;
    double sum = 0;

    for (uint32_t j = 0; j < at->b_count; j++)
        at->match[j] = at->b[j] == character ? at->squared : 0;
    for (uint32_t j = 0; j < at->b_count; j++)
        if (at->match[j] > 0)
            sum += at->squared * last[j];
    for (uint32_t i = at->n - 1; i > 0; i--)
        add_to_prefix(at, at->prefix + (i - 1) * stride, at->prefix + i * stride);
    return sum;
}

double subsequence_kernel(Env *env, const uint32_t *a, uint32_t a_count, const uint32_t *b, uint32_t b_count, uint32_t n,
                          double decay)
{
    Subsequences at = {.n = n, .decay = decay, .squared = decay * decay};
    uint64_t steps = 0;
    double sum = 0;

    if (!comes_before(a, a_count, b, b_count)) {
        const uint32_t *other = a;
        uint32_t other_count = a_count;

        a = b;
        a_count = b_count;
        b = other;
        b_count = other_count;
    }
    if (a_count < n)
        return 0;
    at.b = b;
    at.b_count = b_count;
    env_require_memory(env, ((size_t)n + 1) * ((size_t)b_count + 1) * sizeof(double), "kernel subsequence");
    at.prefix = env_array(env, (size_t)n * (b_count + 1) + b_count, sizeof(double));
    at.match = at.prefix + (size_t)n * (b_count + 1);
    for (uint32_t j = 0; j <= b_count; j++)
        at.prefix[j] = 1;
    for (uint32_t i = 0; i < a_count; i++) {
        sum += add_character(&at, a[i]);
        env_poll_after(env, &steps, (uint64_t)b_count * n, POLL_STEPS);
    }
    env->release(env, at.prefix);
    return sum;
}

double string_kernel_normalized(double value, double self_a, double self_b)
{
    double product = self_a * self_b;

    if (!(self_a > 0) || !(self_b > 0))
        return isnan(self_a + self_b) ? NAN : 0;
    if (product > 1e-280 && product < 1e280) /* the root of a square is exact, so equal strings give 1 */
        return value / sqrt(product);
    return value / sqrt(self_a) / sqrt(self_b);
}
