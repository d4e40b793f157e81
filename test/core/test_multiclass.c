/*
 * test_multiclass.c - code books from options, what they refuse, and decoding against the worked examples.
 */
#include "check.h"
#include "fit.h"
#include "core/estimator/multiclass.h"

#include <stdlib.h>

static Options *parse(Env *env, const char *json)
{
    static const OptionSpec *const tables[] = {options_common, options_multiclass, NULL};

    return options_parse(env, "test", tables, json, strlen(json), NULL, NULL, 0);
}

static CodeBook *book_of(Env *env, uint32_t classes, const char *json)
{
    ClassSet set = class_set(env, labeled_schema(env, classes));

    return multiclass_book(&set, parse(env, json), classes - 1);
}

/* Returns what the table of arrays or the check finds wrong, or NULL. */
static const char *wrong_with(Env *env, const Model *model)
{
    static const ArrayTable tables[] = ARRAY_TABLES(ARRAY_TABLE(multiclass_arrays));
    const char *wrong = arrays_check(env, model, tables);

    return wrong != NULL ? wrong : multiclass_check(env, model);
}

/* Returns a fitted model with this code book, checked. */
static Model *model_of(Env *env, const CodeBook *book)
{
    ModelBuilder *builder = model_builder(env, MODEL_FITTED, "test");
    ClassSet set = class_set(env, labeled_schema(env, book->classes));
    Model *model;

    schema_add_final(env, builder, set.source);
    multiclass_add(env, builder, book);
    model = model_build(builder);
    CHECK(wrong_with(env, model) == NULL);
    CHECK_INT(multiclass_problems(model), book->problems);
    return model;
}

static uint32_t decode(Env *env, const CodeBook *book, const double *scores, double *decisions)
{
    static const ClassRule rule = {.positive = 1, .threshold = 0.5};
    size_t bytes;
    Multiclass *multiclass = multiclass_prepare(env, model_of(env, book), &bytes);
    uint32_t class;

    memcpy(multiclass->scores, scores, book->problems * sizeof(double));
    multiclass_decisions(multiclass, decisions);
    class = multiclass_pick(multiclass, &rule);
    env->release(env, multiclass);
    return class;
}

static void check_rest(Env *env)
{
    CodeBook *book = book_of(env, 3, "{}");
    static const double scores[3][3] = {{0.2, 0.9, -0.3}, {-1, -0.2, -0.4}, {-0.5, -0.5, -0.7}};
    static const uint32_t classes[] = {1, 1, 0};
    double decisions[3];

    CHECK_INT(book->problems, 3);
    CHECK(book_signs(book, 1)[0] == -1 && book_signs(book, 1)[1] == 1 && book_signs(book, 1)[2] == -1);
    for (int i = 0; i < 3; i++) {
        CHECK_INT(decode(env, book, scores[i], decisions), classes[i]);
        CHECK(memcmp(decisions, scores[i], sizeof(decisions)) == 0);
    }
    CHECK(multiclass_name(model_of(env, book)) == NULL);
    book = book_of(env, 2, "{\"multiclass\": \"ovo\"}");
    CHECK_INT(book->problems, 1);
    CHECK(book_signs(book, 0)[0] == -1 && book_signs(book, 0)[1] == 1);
    CHECK_INT(decode(env, book, (const double[]){0}, decisions), 0);
    CHECK_INT(decode(env, book, (const double[]){0.1}, decisions), 1);
}

static void check_pairs(Env *env)
{
    CodeBook *book = book_of(env, 3, "{\"multiclass\": \"ovo\"}");
    /* confidence for the first of a pair; ours is for the second */
    static const double first[4][3] = {{0.99, 0.51, 0.3}, {0.6, -0.2, 0.9}, {0.1, -5.0, 0.2}, {-1.0, 2.0, -3.0}};
    static const int votes[4][3] = {{2, 1, 0}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}};
    static const double sums[4][3] = {{1.5, -0.69, -0.81}, {0.4, 0.3, -0.7}, {-4.9, 0.1, 4.8}, {1, -2, 1}};
    static const uint32_t classes[] = {0, 0, 2, 0};
    char name[40];

    CHECK_INT(book->problems, 3);
    CHECK(book_signs(book, 2)[0] == 0 && book_signs(book, 2)[1] == -1 && book_signs(book, 2)[2] == 1);
    multiclass_problem_name(model_of(env, book), 2, name, sizeof(name));
    CHECK_TEXT(name, "c / b");
    CHECK_TEXT(multiclass_name(model_of(env, book)), "one-vs-one");
    for (int i = 0; i < 4; i++) {
        double scores[3], decisions[3];

        for (int p = 0; p < 3; p++)
            scores[p] = -first[i][p];
        CHECK_INT(decode(env, book, scores, decisions), classes[i]);
        for (int c = 0; c < 3; c++) {
            double s = sums[i][c];

            CHECK_INT(round(decisions[c]), votes[i][c]);
            CHECK_NEAR(decisions[c], votes[i][c] + s / (3 * (fabs(s) + 1)), 1e-14);
        }
    }
    CHECK_INT(book_of(env, 10, "{\"multiclass\": \"ovo\"}")->problems, 45);
    CHECK_INT(book_of(env, 700, "{\"multiclass\": \"ovo\"}")->problems, 244650);
}

#define FIGURE                                                                                     \
    "[[1,1,-1,1,-1,-1,-1],[-1,-1,1,1,1,1,-1],[1,-1,-1,1,-1,1,-1],[-1,1,-1,-1,-1,1,1],"             \
    "[-1,1,-1,-1,1,-1,-1]]"

static void check_codes(Env *env)
{
    CodeBook *book = book_of(env, 5, "{\"multiclass\": \"ecoc\", \"code_book\": " FIGURE "}");
    static const double scores[3][7] = {{0.8, 1.1, -0.9, 0.7, -1.2, -0.6, -0.8},
                                        {-0.3, -0.4, 0.2, 0.5, 0.6, 0.1, -0.9},
                                        {-1, 1, -1, -1, 1, 1, -1}};
    static const double distances[3][5] = {
        {0.62449979983984, 4.33474336033865, 2.68141753555838, 3.46265793863616, 3.34514573673555},
        {3.0199337741083, 1.64924225024706, 2.66833281282527, 3.62215405525497, 2.74226184016042},
        {4.0, 3.46410161513775, 4.0, 2.82842712474619, 2.0}};
    static const uint32_t classes[] = {0, 1, 4};

    CHECK_INT(multiclass_code_distance(model_of(env, book)), 2);
    for (int i = 0; i < 3; i++) {
        double decisions[5];

        CHECK_INT(decode(env, book, scores[i], decisions), classes[i]);
        for (int c = 0; c < 5; c++)
            CHECK_NEAR(-decisions[c], distances[i][c], 1e-12);
    }
    /* 0 and 1 are the same book */
    book = book_of(env, 3, "{\"multiclass\": \"ecoc\", \"code_book\": [[1,0],[0,1],[0,0]]}");
    CHECK(book_signs(book, 0)[0] == 1 && book_signs(book, 0)[1] == -1 && book_signs(book, 1)[1] == 1);
    book = book_of(env, 2, "{\"multiclass\": \"ecoc\", \"code_book\": [[1],[-1]]}");
    CHECK(book->problems == 1 && book_signs(book, 0)[1] == 1);
}

/* Scores that are probabilities. */
static void check_probabilities(Env *env)
{
    static const double scores[7] = {0.9, 0.8, 0.2, 0.7, 0.1, 0.3, 0.2};
    static const double distances[5] = {0.565685424949238, 1.87616630392937, 1.14891252930761,
                                        1.58745078663875, 1.52315462117278};
    static const ClassRule rule = {.positive = 1};
    CodeBook *book = book_of(env, 5, "{\"multiclass\": \"ecoc\", \"code_book\": " FIGURE "}");
    size_t bytes;
    Multiclass *multiclass = multiclass_prepare(env, model_of(env, book), &bytes);
    double out[5];

    multiclass->probabilities = true;
    memcpy(multiclass->scores, scores, sizeof(scores));
    multiclass_decisions(multiclass, out);
    for (int c = 0; c < 5; c++)
        CHECK_NEAR(-out[c], distances[c], 1e-12);
    CHECK_INT(multiclass_pick(multiclass, &rule), 0);
}

/* Random books are sound for any number of classes and columns, and the same for the same seed. */
static void check_random(Env *env)
{
    static const struct {
        uint32_t classes, length;
    } cases[] = {{3, 2}, {3, 3}, {4, 2}, {4, 7}, {5, 3}, {5, 6}, {5, 15}, {8, 3}, {8, 127}, {10, 34},
                 {64, 6}, {100, 7}, {100, 67}, {300, 9}, {11, 1000}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint32_t q = cases[i].classes;
        char json[100];
        CodeBook *book, *again, *other;
        uint32_t least;

        snprintf(json, sizeof(json), "{\"multiclass\": \"ecoc\", \"code_length\": %u}", cases[i].length);
        book = book_of(env, q, json);
        again = book_of(env, q, json);
        CHECK_INT(book->problems, cases[i].length);
        CHECK(memcmp(book->codes, again->codes, (size_t)q * cases[i].length) == 0);
        least = multiclass_code_distance(model_of(env, book));
        CHECK(least >= 1);
        for (uint32_t p = 0; p < book->problems; p++) {
            const int8_t *signs = book_signs(book, p);
            uint32_t positive = 0;

            for (uint32_t c = 0; c < q; c++)
                positive += signs[c] == 1;
            CHECK(positive > 0 && positive < q);
            for (uint32_t o = 0; o < p; o++) {
                uint32_t equal = 0;

                for (uint32_t c = 0; c < q; c++)
                    equal += signs[c] == book_signs(book, o)[c];
                if (equal == 0 || equal == q)
                    CHECK(false);
            }
        }
        snprintf(json, sizeof(json), "{\"multiclass\": \"ecoc\", \"code_length\": %u, \"seed\": 1}",
                 cases[i].length);
        other = book_of(env, q, json);
        CHECK(q < 5 || memcmp(book->codes, other->codes, (size_t)q * cases[i].length) != 0);
    }
    CHECK_INT(book_of(env, 3, "{\"multiclass\": \"ecoc\"}")->problems, 3);
    CHECK_INT(book_of(env, 10, "{\"multiclass\": \"ecoc\"}")->problems, 34);
}

static void check_refused(Host *host)
{
    Env *env = &host->env;

    CHECK_FAILS(host, ERROR_PARAMETER, "same row for classes \"a\" and \"c\"",
                book_of(env, 3, "{\"multiclass\": \"ecoc\", \"code_book\": [[1,1],[1,-1],[1,1]]}"));
    CHECK_FAILS(host, ERROR_PARAMETER, "column 1 of option \"code_book\" is the same for all classes",
                book_of(env, 3, "{\"multiclass\": \"ecoc\", \"code_book\": [[1,1,1],[1,-1,1],[1,1,-1]]}"));
    CHECK_FAILS(host, ERROR_PARAMETER, "columns 1 and 3 of option \"code_book\" pose the same problem",
                book_of(env, 3, "{\"multiclass\": \"ecoc\", \"code_book\": [[1,1,-1],[-1,1,1],[-1,-1,1]]}"));
    CHECK_FAILS(host, ERROR_DATA, "has 2 rows, and there are 3 classes",
                book_of(env, 3, "{\"multiclass\": \"ecoc\", \"code_book\": [[1,-1],[-1,1]]}"));
    CHECK_FAILS(host, ERROR_PARAMETER, "0.5 among its codes",
                book_of(env, 3, "{\"multiclass\": \"ecoc\", \"code_book\": [[1,0.5],[1,-1],[-1,1]]}"));
    CHECK_FAILS(host, ERROR_PARAMETER, "both 0 and -1",
                book_of(env, 3, "{\"multiclass\": \"ecoc\", \"code_book\": [[1,0],[1,-1],[-1,1]]}"));
    CHECK_FAILS(host, ERROR_DATA, "\"code_length\" must be from 2 to 3 for 3 classes, not 4",
                book_of(env, 3, "{\"multiclass\": \"ecoc\", \"code_length\": 4}"));
    CHECK_FAILS(host, ERROR_DATA, "must be from 4 to 255 for 9 classes, not 3",
                book_of(env, 9, "{\"multiclass\": \"ecoc\", \"code_length\": 3}"));
    CHECK_FAILS(host, ERROR_PARAMETER, "\"code_length\" is for output codes, not for \"multiclass\": \"ovr\"",
                book_of(env, 3, "{\"code_length\": 2}"));
    CHECK_FAILS(host, ERROR_PARAMETER, "\"code_book\" is for output codes, not for \"multiclass\": \"ovo\"",
                book_of(env, 3, "{\"multiclass\": \"ovo\", \"code_book\": " FIGURE "}"));
    CHECK_FAILS(host, ERROR_PARAMETER, "both given",
                book_of(env, 5, "{\"multiclass\": \"ecoc\", \"code_length\": 7, \"code_book\": " FIGURE "}"));
    CHECK_FAILS(host, ERROR_PARAMETER, "\"multiclass\" of test must be one of",
                book_of(env, 3, "{\"multiclass\": \"all\"}"));
}

/* Code books that a user could type. */
static const char *forged(Env *env, uint32_t classes, const int64_t *kind, uint32_t kinds,
                          const int64_t *codes, uint32_t rows, uint32_t columns)
{
    ModelBuilder *builder = model_builder(env, MODEL_FITTED, "test");
    ClassSet set = class_set(env, labeled_schema(env, classes));

    schema_add_final(env, builder, set.source);
    if (kind != NULL)
        builder_i64(builder, SECTION_ARRAYS, "multiclass", kind, kinds);
    if (codes != NULL)
        builder_numbers(builder, SECTION_ARRAYS, "code_book", ARRAY_I64, codes, columns > 0 ? 2 : 1, rows,
                        columns > 0 ? columns : 1);
    return wrong_with(env, model_build(builder));
}

static void check_forged(Env *env)
{
    static const int64_t pairs[] = {2, 2}, codes[] = {3}, other[] = {4}, scores[] = {1};
    static const int64_t sound[] = {1, -1, -1, 1, 1, 1}, wrong[] = {1, -1, -1, 0, 1, 1};

    CHECK(forged(env, 3, pairs, 1, NULL, 0, 0) == NULL);
    CHECK(forged(env, 3, codes, 1, sound, 3, 2) == NULL);
    CHECK(forged(env, 3, codes, 1, NULL, 0, 0) != NULL);
    CHECK(forged(env, 3, codes, 1, wrong, 3, 2) != NULL);
    CHECK_HOLDS(forged(env, 3, codes, 1, sound, 3, 1), "need a \"code_book\" of several columns");
    CHECK(forged(env, 3, codes, 1, sound, 2, 3) != NULL);
    CHECK(forged(env, 3, codes, 1, sound, 6, 0) != NULL);
    CHECK(forged(env, 3, pairs, 1, sound, 3, 2) != NULL);
    CHECK(forged(env, 3, pairs, 2, NULL, 0, 0) != NULL);
    CHECK(forged(env, 3, other, 1, NULL, 0, 0) != NULL);
    CHECK(forged(env, 3, scores, 1, NULL, 0, 0) != NULL);
    CHECK(forged(env, 3, NULL, 0, sound, 3, 2) != NULL);
    CHECK(forged(env, 2, pairs, 1, NULL, 0, 0) != NULL);
    CHECK(forged(env, 0, pairs, 1, NULL, 0, 0) != NULL);
}

/* A model has the book that it was fitted with, and no other: of other classes, another strategy, or other codes. */
static void check_books(Env *env)
{
    CodeBook *book = book_of(env, 5, "{\"multiclass\": \"ecoc\", \"code_book\": " FIGURE "}");
    CodeBook *codes = book_of(env, 5, "{\"multiclass\": \"ecoc\", \"code_length\": 7}"), *longer = book_of(env, 5, "{\"multiclass\": \"ecoc\", \"code_length\": 8}");
    CodeBook *pairs = book_of(env, 3, "{\"multiclass\": \"ovo\"}"), *rest = book_of(env, 3, "{}"), *two = book_of(env, 2, "{}");

    CHECK(multiclass_has_book(model_of(env, book), book) && multiclass_has_book(model_of(env, pairs), pairs));
    CHECK(multiclass_has_book(model_of(env, rest), rest) && multiclass_has_book(model_of(env, two), two));
    CHECK(!multiclass_has_book(model_of(env, book), codes) && !multiclass_has_book(model_of(env, codes), longer));
    CHECK(!multiclass_has_book(model_of(env, pairs), rest) && !multiclass_has_book(model_of(env, rest), pairs));
    CHECK(!multiclass_has_book(model_of(env, rest), two) && !multiclass_has_book(model_of(env, book), rest));
}

int main(void)
{
    Host *host = host_new();

    check_rest(&host->env);
    check_pairs(&host->env);
    check_codes(&host->env);
    check_probabilities(&host->env);
    check_random(&host->env);
    check_refused(host);
    check_forged(&host->env);
    check_books(&host->env);
    host_free(host);
    return check_report();
}
