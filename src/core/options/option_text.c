/*
 * option_text.c - describes options in words, for errors and docs, and finds what a misspelled name may mean.
 */
#include "core/options/options.h"
#include "core/base/json.h"

#include <math.h>
#include <string.h>

#define NAME_COMPARED 64 /* bytes; names that are longer have no nearest one */

/* ---- names ---- */

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Returns the number of edits between two names (insert, delete, replace, swap neighbors), ignoring case. */
static uint32_t edit_distance(const char *a, uint32_t n, const char *b, uint32_t m)
{
    uint32_t rows[3][NAME_COMPARED + 1];
    uint32_t *before = rows[0], *last = rows[1], *now = rows[2], *spare;

    for (uint32_t j = 0; j <= m; j++)
        last[j] = j;
    for (uint32_t i = 1; i <= n; i++) {
        now[0] = i;
        for (uint32_t j = 1; j <= m; j++) {
            uint32_t same = lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1;

            now[j] = least(least(last[j], now[j - 1]) + 1, last[j - 1] + same);
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                lower(a[i - 2]) == lower(b[j - 1]))
                now[j] = least(now[j], before[j - 2] + 1);
        }
        spare = before;
        before = last;
        last = now;
        now = spare;
    }
    return last[m];
}

const char *nearest_name(const char *name, size_t length, const char *const *candidates,
                         uint32_t count)
{
    const char *nearest = NULL;
    uint32_t best;

    if (length == 0 || length > NAME_COMPARED)
        return NULL;
    best = (uint32_t)(length < 6 ? 1 : length / 3) + 1; /* two edits make "x y" of "day" */
    for (uint32_t i = 0; i < count; i++) {
        size_t other = strlen(candidates[i]);
        uint32_t distance;

        if (other > NAME_COMPARED)
            continue;
        distance = edit_distance(name, (uint32_t)length, candidates[i], (uint32_t)other);
        if (distance < best && distance < other) {
            best = distance;
            nearest = candidates[i];
        }
    }
    for (uint32_t i = 0; nearest == NULL && length >= 3 && i < count; i++) {
        if (strncmp(candidates[i], name, length) == 0)
            nearest = candidates[i];
    }
    return nearest;
}

/* ---- types and ranges ---- */

static char *type_text(Env *env, const OptionSpec *spec, bool articles)
{
    static const struct {
        unsigned type;
        const char *article, *text;
    } words[] = {{OPTION_INTEGER, "an ", "integer"},
                 {OPTION_NUMBER, "a ", "number"},
                 {OPTION_BOOLEAN, "a ", "boolean"},
                 {OPTION_STRING, "a ", "string"},
                 {OPTION_NUMBER_LIST, "an ", "array of numbers"},
                 {OPTION_STRING_LIST, "an ", "array of strings"},
                 {OPTION_NUMBER_MATRIX, "an ", "array of equally long arrays of numbers"},
                 {OPTION_OBJECT, "an ", "object of numbers"},
                 {OPTION_STRING_OBJECT, "an ", "object of strings"},
                 {OPTION_MODEL, "a ", "model"},
                 {OPTION_NESTED, "an ", "object of options"},
                 {OPTION_NESTED_LIST, "an ", "array of objects of options"}};
    TextBuffer out = {.env = env};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if ((spec->types & words[i].type) == 0)
            continue;
        text_print(&out, "%s%s%s", out.length > 0 ? " or " : "", articles ? words[i].article : "", words[i].text);
    }
    return text_finish(&out, NULL);
}

char *option_type_text(Env *env, const OptionSpec *spec)
{
    return type_text(env, spec, false);
}

char *option_type_phrase(Env *env, const OptionSpec *spec)
{
    return type_text(env, spec, true);
}

char *option_range_text(Env *env, const OptionSpec *spec)
{
    bool low = option_has_range(spec) && isfinite(spec->minimum);
    bool high = option_has_range(spec) && isfinite(spec->maximum);
    TextBuffer out = {.env = env};

    if (low && high) {
        json_double(&out, spec->minimum);
        text_add(&out, spec->minimum_open ? " < x" : " <= x");
    } else if (low) {
        text_add(&out, spec->minimum_open ? "x > " : "x >= ");
        json_double(&out, spec->minimum);
    } else if (high) {
        text_add(&out, "x");
    }
    if (high) {
        text_add(&out, spec->maximum_open ? " < " : " <= ");
        json_double(&out, spec->maximum);
    }
    if (spec->choices != NULL) {
        if (low || high)
            text_add(&out, "; or ");
        for (const char *const *choice = spec->choices; *choice != NULL; choice++) {
            if (choice != spec->choices)
                text_add(&out, ", ");
            json_quote(&out, *choice, strlen(*choice));
        }
        if (spec->function)
            text_add(&out, ", or the signature of a function");
    }
    return text_finish(&out, NULL);
}
