/*
 * test_text_table.c - metrics of texts: published values, plain algorithms on random texts, texts of a row, numbers of no text; and
 * metrics that are functions of the host.
 */
#include "check.h"
#include "fit.h"

#include "core/base/random.h"
#include "core/distance/edit_distance.h"
#include "core/distance/text_table.h"

#include <stdlib.h>

static uint64_t seed = 7;

static TextList list_of(const char **texts, uint32_t *lengths, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        lengths[i] = (uint32_t)strlen(texts[i]);
    return (TextList){count, texts, lengths};
}

static double between(Env *env, MetricKind kind, const char *a, const char *b)
{
    const char *two[] = {a, b};
    uint32_t lengths[2];
    TextList list = list_of(two, lengths, 2);

    return text_distance(env, kind, &list, METRIC_PREFIX_WEIGHT);
}

/* Damerau-Levenshtein with a whole matrix, as Lowrance & Wagner (1975) give it. */
static uint32_t plain_damerau(const char *a, const char *b)
{
    static uint32_t h[70][70];
    uint32_t m = (uint32_t)strlen(a), n = (uint32_t)strlen(b), last[256] = {0}, far = m + n;

    h[0][0] = far;
    for (uint32_t i = 0; i <= m; i++) {
        h[i + 1][0] = far;
        h[i + 1][1] = i;
    }
    for (uint32_t j = 0; j <= n; j++) {
        h[0][j + 1] = far;
        h[1][j + 1] = j;
    }
    for (uint32_t i = 1; i <= m; i++) {
        uint32_t column = 0;

        for (uint32_t j = 1; j <= n; j++) {
            uint32_t k = last[(unsigned char)b[j - 1]], l = column, cost = a[i - 1] != b[j - 1], best;

            if (cost == 0)
                column = j;
            best = h[i][j] + cost;
            best = h[i + 1][j] + 1 < best ? h[i + 1][j] + 1 : best;
            best = h[i][j + 1] + 1 < best ? h[i][j + 1] + 1 : best;
            if (h[k][l] + (i - k - 1) + 1 + (j - l - 1) < best)
                best = h[k][l] + (i - k - 1) + 1 + (j - l - 1);
            h[i + 1][j + 1] = best;
        }
        last[(unsigned char)a[i - 1]] = i;
    }
    return h[m + 1][n + 1];
}

static void test_published(Env *env)
{
    static const struct {
        const char *a, *b;
        double edit, damerau, similarity; /* of Jaro-Winkler, to four places (Winkler 1990, 2006) */
    } known[] = {{"MARTHA", "MARHTA", 2, 1, 0.9611},   {"DWAYNE", "DUANE", 2, 2, 0.8400},
                 {"DIXON", "DICKSONX", 4, 4, 0.8133},  {"JONES", "JOHNSON", 4, 4, 0.8324},
                 {"ABROMS", "ABRAMS", 1, 1, 0.9222},   {"MASSEY", "MASSIE", 2, 2, 0.9333},
                 {"kitten", "sitting", 3, 3, 0.7460},  {"CA", "ABC", 3, 2, 0},
                 {"", "abc", 3, 3, 0},                 {"", "", 0, 0, 1},
                 {"a", "a", 0, 0, 1},                  {"\xC3\xBC", "u", 1, 1, 0}};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        double similarity = 1 - between(env, METRIC_JARO_WINKLER, known[i].a, known[i].b);

        CHECK_INT(between(env, METRIC_EDIT, known[i].a, known[i].b), known[i].edit);
        CHECK_INT(between(env, METRIC_DAMERAU, known[i].a, known[i].b), known[i].damerau);
        check_that(known[i].similarity == 0 || fabs(similarity - known[i].similarity) < 5.1e-5, __FILE__, __LINE__,
                   "%s and %s: %.6f", known[i].a, known[i].b, similarity);
        CHECK(between(env, METRIC_JARO_WINKLER, known[i].a, known[i].b) == between(env, METRIC_JARO_WINKLER, known[i].b, known[i].a));
    }
}

#define TEXTS 60

/* Random texts over a few characters, of up to `longest` bytes. */
static void random_texts(char (*out)[200], const char **texts, uint32_t longest, uint32_t letters)
{
    for (uint32_t i = 0; i < TEXTS; i++) {
        uint32_t length = (uint32_t)(random_unit(&seed) * (longest + 1));

        for (uint32_t c = 0; c < length; c++)
            out[i][c] = (char)('a' + (uint32_t)(random_unit(&seed) * letters));
        out[i][length] = 0;
        texts[i] = out[i];
    }
}

static void test_random(Env *env, uint32_t longest, uint32_t letters)
{
    static char bytes[TEXTS][200];
    const char *texts[TEXTS];
    uint32_t lengths[TEXTS];
    double numbers[TEXTS + 3], out[TEXTS + 3], row[1] = {-1};
    TextList list;
    MetricKind kinds[] = {METRIC_EDIT, METRIC_DAMERAU, METRIC_JARO_WINKLER};

    random_texts(bytes, texts, longest, letters);
    list = list_of(texts, lengths, TEXTS);
    for (uint32_t i = 0; i < TEXTS; i++)
        numbers[i] = i;
    numbers[TEXTS] = TEXTS;
    numbers[TEXTS + 1] = NAN;
    numbers[TEXTS + 2] = -7;
    for (size_t k = 0; k < 3; k++) {
        MetricObjects objects = {.context = text_table(env, kinds[k], &list, METRIC_PREFIX_WEIGHT, "test")};

        for (uint32_t i = 0; i < TEXTS; i++) {
            text_distances(&objects, i, numbers, TEXTS + 3, out);
            CHECK(isnan(out[TEXTS]) && isnan(out[TEXTS + 1]) && isnan(out[TEXTS + 2]));
            for (uint32_t j = 0; j < TEXTS; j++) {
                double wanted = kinds[k] == METRIC_EDIT ? (double)edit_distance(env, texts[i], lengths[i], texts[j], lengths[j])
                                : kinds[k] == METRIC_DAMERAU && longest < 60 ? plain_damerau(texts[i], texts[j])
                                                                             : between(env, kinds[k], texts[j], texts[i]);

                check_that(out[j] == wanted, __FILE__, __LINE__, "metric %d of %s and %s: %.17g, not %.17g", (int)kinds[k], texts[i], texts[j],
                           out[j], wanted);
            }
            /* the same text as that of a row, with a character that the table does not have */
            env->row_texts = (TextList){1, &texts[i], &lengths[i]};
            {
                double again[TEXTS];

                text_distances(&objects, -1, numbers, TEXTS, again);
                CHECK(memcmp(again, out, sizeof again) == 0);
                text_distances(&objects, -1, row, 1, again);
                CHECK(again[0] == 0);
                text_distances(&objects, -2, numbers, 1, again);
                CHECK(isnan(again[0]));
            }
            env->row_texts = (TextList){0};
        }
        text_distances(&objects, -1, numbers, 1, out);
        CHECK(isnan(out[0]));
    }
}

/* Writes `count` characters of three bytes each, of which `distinct` are different at most. */
static char *many_characters(Env *env, uint32_t count, uint32_t step, uint32_t distinct)
{
    char *out = env_array(env, (size_t)count * 3 + 1, 1);

    for (uint32_t i = 0; i < count; i++) {
        uint32_t point = 0x1000 + (uint32_t)((uint64_t)i * step % distinct);

        out[3 * i] = (char)(0xE0 | point >> 12);
        out[3 * i + 1] = (char)(0x80 | (point >> 6 & 0x3F));
        out[3 * i + 2] = (char)(0x80 | (point & 0x3F));
    }
    return out;
}

/* Texts of many characters are compared in parts, and alternately with short ones. */
static void test_parts(Host *host)
{
    Env *env = &host->env;
    const char *texts[] = {many_characters(env, 20000, 1, 20000), many_characters(env, 900, 7, 1111), "abc"}, *rows[2];
    uint32_t lengths[3], row_lengths[2];
    double numbers[] = {0, 1, 2}, out[3];
    TextList list = list_of(texts, lengths, 3);
    MetricObjects objects = {.context = text_table(env, METRIC_EDIT, &list, METRIC_PREFIX_WEIGHT, "test")};

    rows[0] = many_characters(env, 70000, 3, 20011);
    rows[1] = "abd";
    env->row_texts = list_of(rows, row_lengths, 2);
    for (int turn = 0; turn < 3; turn++) {
        int row = turn % 2;

        text_distances(&objects, -1 - row, numbers, 3, out);
        for (int i = 0; i < 3; i++)
            CHECK_INT(out[i], edit_distance(env, rows[row], row_lengths[row], texts[i], lengths[i]));
    }
    text_distances(&objects, -1e-300, numbers, 3, out); /* of a damaged model: neither a text nor one of the row */
    CHECK(isnan(out[0]) && isnan(out[1]) && isnan(out[2]));
    env->row_texts = (TextList){0};
}

/* A function of the host: the difference of lengths, with what the test wants to be wrong. */
typedef struct Lengths {
    PairFunction function;
    Env *env;
    const TextList *values;
    int wrong; /* 1: NULL, 2: NaN, 3: negative, 4: not symmetric, 5: not 0 for equal values */
} Lengths;

static Lengths lengths_function;

static void take_values(PairFunction *function, const TextList *values)
{
    ((Lengths *)function)->values = values;
}

static uint32_t length_differences(PairFunction *function, double a, const double *others, uint32_t count, double *out)
{
    const Lengths *of = (const Lengths *)function;

    for (uint32_t i = 0; i < count; i++) {
        double mine = a < 0 ? of->env->row_texts.lengths[0] : of->values->lengths[(uint32_t)a];
        double other = others[i] < 0 ? of->env->row_texts.lengths[0] : of->values->lengths[(uint32_t)others[i]];

        out[i] = fabs(mine - other);
        if (of->wrong == 1 && out[i] > 1)
            return i;
        if (of->wrong == 2 && out[i] > 1)
            out[i] = NAN;
        if (of->wrong == 3 && out[i] > 1)
            out[i] = -1;
        if (of->wrong == 4 && mine > other)
            out[i] *= 2;
        if (of->wrong == 5)
            out[i] += 1;
    }
    return count;
}

static PairFunction *find_lengths(Env *env, const char *signature, bool stored)
{
    (void)signature;
    (void)stored;
    lengths_function.function = (PairFunction){"public.lengths(text,text)", take_values, length_differences};
    lengths_function.env = env;
    return &lengths_function.function;
}

static Model *text_schema(Env *env, const char *const *texts, uint32_t count)
{
    FieldKind kind = FIELD_TEXT;
    Model *schema = schema_model(env, &(SchemaSpec){.field_count = 1, .kinds = &kind});
    uint32_t position;

    for (uint32_t i = 0; i < count; i++)
        schema = dictionary_add(env, schema, DICTIONARY_LEVELS, 0, texts[i], (uint32_t)strlen(texts[i]), false, 0, &position);
    return schema;
}

static Metric *function_metric(Env *env, const Model *schema, const char *json)
{
    const OptionSpec *tables[] = {options_common, options_metric, options_number_kernel, NULL};
    Options *options = options_parse(env, "test", tables, json, strlen(json), NULL, NULL, 0);
    Metric *metric = metric_of_options(env, options, schema_final(env, schema), "test");

    metric_learn_objects(env, metric, schema);
    return metric;
}

static void test_functions(Host *host)
{
    static const char *const texts[] = {"ccc", "a", "bb", "dddddd"};
    static const char *const messages[] = {NULL, "NULL", "NaN", "-1", "not symmetric", "itself"};
    const char *json = "{\"metric\": \"lengths(text,text)\"}";
    Env *env = &host->env;
    Model *schema = text_schema(env, texts, 4);
    double slots[] = {0, 1, 2, 3}, out[4];

    env->pair_function = find_lengths;
    for (int wrong = 0; wrong <= 5; wrong++) {
        lengths_function.wrong = wrong;
        if (wrong == 0) {
            Metric *metric = function_metric(env, schema, json);

            metric_number_objects(metric, slots, 4); /* a, bb, ccc, dddddd */
            CHECK(slots[0] == 2 && slots[1] == 0 && slots[2] == 1 && slots[3] == 3);
            metric_reduced_rows(metric, slots, slots, 4, out);
            CHECK(out[0] == 0 && out[1] == 2 && out[2] == 1 && out[3] == 3);
            CHECK(strcmp(metric->signature, "public.lengths(text,text)") == 0);
            continue;
        }
        CHECK_FAILS(host, ERROR_DATA, messages[wrong], function_metric(env, schema, json));
    }
}

int main(void)
{
    Host *host = host_new();

    test_published(&host->env);
    test_random(&host->env, 12, 3);
    test_random(&host->env, 50, 5);
    test_random(&host->env, 190, 26);
    test_parts(host);
    test_functions(host);
    host_free(host);
    return check_report();
}
