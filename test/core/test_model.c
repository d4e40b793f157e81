/*
 * test_model.c - the value of named arrays: building, growing, every form and back, and what readers
 * and checks refuse.
 */
#include "core/estimator/estimator.h"
#include "core/moments/model_terms.h"
#include "check.h"

#include <stdlib.h>

static Host *host;
#define ENV (&host->env)

/* ---- values to test with ---- */

static double from_bits(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, 8);
    return value;
}

/* Begins a geometric median of `slots` features, the smallest sound model; the caller adds more. */
static ModelBuilder *begin(uint32_t slots)
{
    ModelBuilder *b = model_builder(ENV, MODEL_FITTED, "geometric_median");
    double *center = env_array(ENV, slots, sizeof *center);

    for (uint32_t i = 0; i < slots; i++)
        center[i] = i + 0.1;
    builder_header(b)->field_count = slots;
    builder_header(b)->slot_count = slots;
    builder_header(b)->rows = 7;
    builder_header(b)->skipped = 1;
    builder_header(b)->weight = 7;
    builder_f64(b, SECTION_ARRAYS, "center", center, slots);
    return b;
}

/* Bit patterns of every kind, which text writes in different ways. */
static const uint64_t patterns[] = {
    0x0000000000000000, 0x8000000000000000, /* zeros */
    0x0000000000000001, 0x8000000000000001, 0x000fffffffffffff, /* subnormal */
    0x0010000000000000, 0x7fefffffffffffff, 0xffefffffffffffff, /* smallest and largest normal */
    0x3ff0000000000000, 0xbff0000000000000, 0x3ff0000000000001, /* around 1 */
    0x3fb999999999999a, 0x3fd5555555555555, 0x400921fb54442d18, /* 0.1, 1/3, pi */
    0x4340000000000000, 0x4340000000000001, 0xc33fffffffffffff, /* around 2^53 */
    0x43e0000000000000, 0xc3e0000000000000, /* 2^63 */
    0x44b52d02c7e14af6, 0x44b52d02c7e14af7, 0x44b52d02c7e14af8, /* around 1e23, hard to read */
    0x46293e5939a08ce9, 0x46293e5939a08cea, 0x46293e5939a08ceb, /* around 1e30 */
    0x39b4484bfeebc29f, 0x39b4484bfeebc2a0, 0x39b4484bfeebc2a1, /* around 1e-30 */
    0x7ff0000000000000, 0xfff0000000000000, /* infinities */
    0x7ff8000000000000, 0xfff8000000000000, 0x7ff0000000000001, 0xffffffffffffffff, /* NaN */
};
#define PATTERNS (sizeof patterns / sizeof patterns[0])

static const uint32_t float_patterns[] = {
    0x00000000, 0x80000000, /* zeros */
    0x00000001, 0x80000001, 0x007fffff, /* subnormal */
    0x00800000, 0x7f7fffff, 0xff7fffff, /* smallest and largest normal */
    0x3f800000, 0xbf800000, 0x3f800001, 0x3dcccccd, 0x3eaaaaab, /* around 1, 0.1, 1/3 */
    0x4b800000, 0x4b800001, 0x5f000000, /* 2^24 and the next, 2^63 */
    0x7149f2c9, 0x7149f2ca, 0x7149f2cb, 0x0da24260, 0x0da24261, /* around 1e30 and 1e-30 */
    0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7f800001, 0xffffffff, /* infinities, NaN */
};
#define FLOAT_PATTERNS (sizeof float_patterns / sizeof float_patterns[0])

static uint64_t random_state = 88172645463325252u;

static uint64_t random_word(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

/* A model with all types, lengths on both sides of the limit for base64, empty arrays and odd strings. */
static Model *everything(void)
{
    static const char *const strings[] = {"", "a", "\"\\/\b\f\n\r\t\x01\x1f", "\xc3\xa9\xe2\x82\xac",
                                          "\xf0\x9f\x90\x98", "{\"a\":[1]}", "0x1p+0"};
    static const int64_t integers[] = {0, -1, INT64_MAX, INT64_MIN, 9007199254740993};
    static const uint8_t flags[] = {1, 0, 1, 1}, bytes[] = {255, 0, 7};
    static const int32_t small[] = {INT32_MIN, INT32_MAX, -1};
    static const char *const names[] = {"first", "second"};
    ModelBuilder *b = begin(2);
    double *numbers = env_array(ENV, 400, sizeof *numbers);
    int64_t *words = env_array(ENV, 100, sizeof *words);
    uint8_t *bits = env_array(ENV, 100, 1), *octets = env_array(ENV, 100, 1);
    int32_t *wide = env_array(ENV, 100, sizeof *wide);
    float *floats = env_array(ENV, 101, sizeof *floats);

    for (unsigned i = 0; i < 101; i++) {
        uint32_t word = i < FLOAT_PATTERNS ? float_patterns[i] : (uint32_t)random_word();

        memcpy(floats + i, &word, 4);
    }
    for (int i = 0; i < 100; i++) {
        wide[i] = (int32_t)random_word();
        octets[i] = (uint8_t)random_word();
    }
    for (int i = 0; i < 400; i++)
        numbers[i] = from_bits(i < (int)PATTERNS ? patterns[i] : random_word());
    for (int i = 0; i < 100; i++) {
        words[i] = (int64_t)random_word();
        bits[i] = random_word() & 1;
    }
    builder_header(b)->flags = MODEL_NAMED | MODEL_WEIGHTED | MODEL_FREQUENCY | MODEL_IMPUTE;
    builder_text(b, SECTION_SCHEMA, "field_names", names, NULL, 2);
    builder_options(b, "{\"nulls\":\"impute\",\"weight_kind\":\"frequency\"}", 44);
    builder_fact(b, "one", 0.1);
    builder_fact(b, "minus_zero", -0.0);
    builder_fact(b, "nan", NAN);
    builder_fact_i64(b, "count", INT64_MIN);
    builder_fact_bool(b, "converged", true);
    builder_fact_bool(b, "not_so", false);
    builder_fact_text(b, "words", "a \"quoted\" word");
    builder_f64(b, SECTION_FACTS, "short_f64", numbers, PATTERNS);
    builder_f64(b, SECTION_FACTS, "long_f64", numbers, 400);
    builder_f64(b, SECTION_FACTS, "edge_f64", numbers, 64);
    builder_f64(b, SECTION_FACTS, "edge_1_f64", numbers, 65);
    builder_f64_matrix(b, SECTION_FACTS, "matrix", numbers, 3, 5);
    builder_f64_matrix(b, SECTION_FACTS, "long_matrix", numbers, 20, 20);
    builder_f64_matrix(b, SECTION_FACTS, "no_rows", numbers, 0, 5);
    builder_f64(b, SECTION_FACTS, "empty_f64", numbers, 0);
    builder_i64(b, SECTION_FACTS, "short_i64", integers, 5);
    builder_i64(b, SECTION_FACTS, "long_i64", words, 100);
    builder_i64_matrix(b, SECTION_FACTS, "matrix_i64", words, 50, 2);
    builder_i64(b, SECTION_FACTS, "empty_i64", words, 0);
    builder_bool(b, SECTION_FACTS, "short_bool", flags, 4);
    builder_bool(b, SECTION_FACTS, "long_bool", bits, 100);
    builder_bool(b, SECTION_FACTS, "empty_bool", bits, 0);
    builder_f32(b, SECTION_FACTS, "short_f32", floats, FLOAT_PATTERNS);
    builder_f32(b, SECTION_FACTS, "long_f32", floats, 101);
    builder_numbers(b, SECTION_FACTS, "matrix_f32", ARRAY_F32, floats, 2, 3, 5);
    builder_f32(b, SECTION_FACTS, "empty_f32", NULL, 0);
    builder_f32(b, SECTION_FACTS, "one_f32", floats + 1, 1);
    builder_i32(b, SECTION_FACTS, "short_i32", small, 3);
    builder_i32(b, SECTION_FACTS, "long_i32", wide, 67);
    builder_numbers(b, SECTION_FACTS, "matrix_i32", ARRAY_I32, wide, 2, 11, 9);
    builder_i32(b, SECTION_FACTS, "empty_i32", NULL, 0);
    builder_i32(b, SECTION_FACTS, "one_i32", small, 1);
    builder_u8(b, SECTION_FACTS, "short_u8", bytes, 3);
    builder_u8(b, SECTION_FACTS, "long_u8", octets, 70);
    builder_numbers(b, SECTION_FACTS, "matrix_u8", ARRAY_U8, octets, 2, 9, 11);
    builder_u8(b, SECTION_FACTS, "empty_u8", NULL, 0);
    builder_u8(b, SECTION_FACTS, "one_u8", bytes, 1);
    builder_text(b, SECTION_FACTS, "strings", strings, NULL, 7);
    builder_text(b, SECTION_FACTS, "empty_text", strings, NULL, 0);
    builder_text(b, SECTION_FACTS, "two_words", names, NULL, 2);
    builder_f64(b, SECTION_FACTS, "two_numbers", numbers, 2);
    builder_f64_matrix(b, SECTION_FACTS, "small_matrix", numbers, 1, 1);
    return model_build(b);
}

static bool same(const Model *a, const Model *b)
{
    return model_compare(a, b) == 0 && model_compare(b, a) == 0 &&
           model_fingerprint(ENV, a) == model_fingerprint(ENV, b) &&
           model_schema_fingerprint(ENV, a) == model_schema_fingerprint(ENV, b);
}

static void check_sound(const Model *model)
{
    const char *error = model_check(ENV, model, model->size);

    check_that(error == NULL, __FILE__, __LINE__, "model_check: %s", error ? error : "");
}

/* ---- tests ---- */

static void test_reading(void)
{
    Model *model = everything();
    uint32_t length;
    const char *text;

    check_sound(model);
    CHECK_INT(model_f64(model, "center", &length)[1] == 1.1, 1);
    CHECK_INT(length, 2);
    CHECK(model_f64(model, "short_i64", &length) == NULL && length == 0);
    CHECK(model_f64(model, "nothing", NULL) == NULL);
    CHECK_INT(model_i64(model, "short_i64", &length)[2], INT64_MAX);
    CHECK_INT(length, 5);
    CHECK(model_f64(model, "matrix", &length) != NULL && length == 15);
    text = model_text(model, model_find(model, "strings"), 5, &length);
    CHECK(length == 9 && memcmp(text, "{\"a\":[1]}", 9) == 0);
    text = model_text(model, model_find(model, "strings"), 0, &length);
    CHECK_INT(length, 0);
    CHECK(model_fact(model, "one", 0) == 0.1);
    CHECK(model_fact(model, "count", 0) == -9223372036854775808.0);
    CHECK(model_fact(model, "converged", 0) == 1 && model_fact(model, "not_so", 5) == 0);
    CHECK(model_fact(model, "words", 5) == 5 && model_fact(model, "nothing", 6) == 6);
    CHECK(model_fact(model, "center", 7) == 7 && model_fact(model, "two_numbers", 8) == 8);
    text = model_options(model, &length);
    CHECK(length == 44 && text[2] == 'n');
    text = model_options(model_build(begin(1)), &length);
    CHECK(length == 2 && memcmp(text, "{}", 2) == 0);
    CHECK(model_kind_name(0) == NULL && model_kind_name(5) == NULL);
    CHECK(model_find_array(model, "a_name_that_is_longer_than_any", &length) == NULL && length == 0);
}

/* Strings that were sorted in EUC_JP: the order of those that are not ASCII is another one in UTF-8. */
static void test_finding_texts(void)
{
    static const char *const texts[] = {"", "a", "z", "z京", "z大", "z東", "z名", "京", "大", "東", "名"};
    const uint32_t count = sizeof texts / sizeof *texts;
    ModelBuilder *b = begin(1);
    const ModelEntry *entry;
    Model *model;

    builder_text(b, SECTION_ARRAYS, "texts", texts, NULL, count);
    model = model_build(b);
    entry = model_find(model, "texts");
    CHECK(model_texts_in_order(model, entry));
    for (uint32_t i = 0; i < count; i++)
        CHECK_INT(model_text_find(model, entry, texts[i], (uint32_t)strlen(texts[i])), i);
    CHECK_INT(model_text_find(model, entry, "zz", 2), UINT32_MAX);
    CHECK_INT(model_text_find(model, entry, "都", 3), UINT32_MAX);
    CHECK_INT(model_text_find(model, entry, "\xe4", 1), UINT32_MAX);
}

static void test_round_trips(void)
{
    Model *model = everything();
    size_t text_length, again_length, binary_length;
    char *text = model_to_text(ENV, model, &text_length);
    uint8_t *binary = model_to_binary(ENV, model, 0, &binary_length);
    Model *from_text = NULL, *from_binary = NULL;

    CHECK_INT(strlen(text), text_length);
    CHECK_WORKS(host, from_text = model_from_text(ENV, text, text_length));
    CHECK_WORKS(host, from_binary = model_from_binary(ENV, binary, binary_length));
    if (from_text == NULL || from_binary == NULL)
        return;
    CHECK(same(model, from_text));
    CHECK(same(model, from_binary));
    CHECK_TEXT(model_to_text(ENV, from_text, &again_length), text);
    CHECK(from_text->size == model->size && memcmp(from_text, model, model->size) == 0);
    CHECK(from_binary->size == model->size && memcmp(from_binary, model, model->size) == 0);
    CHECK(memcmp(model_f64(model, "short_f64", NULL), model_f64(from_text, "short_f64", NULL),
                 8 * PATTERNS) == 0);
    CHECK(strstr(text, "\"minus_zero\":\"-0x0p+0\"") != NULL);
    CHECK(strstr(text, "\"one\":0.1,") != NULL);
    CHECK(strstr(text, "\"converged\":true") != NULL);
    CHECK(strstr(text, "\"count\":{\"i64\":-9223372036854775808}") != NULL);
    CHECK(strstr(text, "9007199254740993") != NULL);
    CHECK(strstr(text, "\"no_rows\":{\"f64\":[],\"shape\":[0,5]}") != NULL);
    CHECK(strstr(text, "nan:7ff0000000000001") != NULL);
    CHECK(memcmp(model_data(from_text, model_find(from_text, "short_f32")), float_patterns, sizeof float_patterns) == 0);
    CHECK(memcmp(model_data(from_binary, model_find(from_binary, "short_f32")), float_patterns, sizeof float_patterns) == 0);
    CHECK(strstr(text, "\"short_f32\":{\"f32\":[0,\"-0x0p+0\",\"0x1p-149\",") != NULL);
    CHECK(strstr(text, ",0.1,0.33333334,16777216,16777218,") != NULL);
    CHECK(strstr(text, "\"inf\",\"-inf\",\"nan:7fc00000\",\"nan:ffc00000\",\"nan:7f800001\",\"nan:ffffffff\"]") != NULL);
    CHECK(strstr(text, "\"one_f32\":{\"f32\":[\"-0x0p+0\"]}") != NULL);
    CHECK(strstr(text, "\"short_i32\":{\"i32\":[-2147483648,2147483647,-1]}") != NULL);
    CHECK(strstr(text, "\"short_u8\":{\"u8\":[255,0,7]}") != NULL);
    CHECK(strstr(text, "\"one_u8\":{\"u8\":255}") != NULL);
}

/* Each pattern of a float, and many random ones, alone and as the shortest decimal. */
static void test_every_float(void)
{
    unsigned wrong = 0;

    for (unsigned i = 0; i < FLOAT_PATTERNS + 4000; i++) {
        ModelBuilder *b = begin(1);
        uint32_t bits = i < FLOAT_PATTERNS ? float_patterns[i] : (uint32_t)random_word();
        float value;
        Model *model;
        size_t length;
        char *text;

        memcpy(&value, &bits, 4);
        builder_f32(b, SECTION_FACTS, "fact", &value, 1);
        builder_f32(b, SECTION_FACTS, "number", &value, 1);
        model = model_build(b);
        text = model_to_text(ENV, model, &length);
        if (!same(model, model_from_text(ENV, text, length)))
            wrong++;
        host_reset(host);
    }
    CHECK_INT(wrong, 0);
}

/* Narrow types: accessors, growth and compaction, padding, little-endian and network order. */
static void test_narrow_types(void)
{
    static const float floats[] = {1, -2, 0.5f};
    static const int32_t integers[] = {1, -2, 3};
    static const uint8_t bytes[] = {1, 2, 255};
    static const uint8_t wire[] = {0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 1, 0xff, 0xff, 0xff, 0xfe, 0, 0, 0, 3};
    ModelBuilder *b = begin(1);
    Model *model, *grown;
    uint32_t length;
    size_t size;
    uint8_t *binary;
    bool found = false;

    builder_f32(b, SECTION_FACTS, "floats", floats, 3);
    builder_i32(b, SECTION_FACTS, "integers", integers, 3);
    builder_u8(b, SECTION_FACTS, "bytes", bytes, 3);
    builder_u8(b, SECTION_FACTS, "count", bytes + 2, 1);
    builder_i32(b, SECTION_FACTS, "least", integers + 1, 1);
    builder_f32(b, SECTION_FACTS, "half", floats + 2, 1);
    model = model_build(b);
    check_sound(model);
    CHECK_INT(model_find(model, "floats")->reserved, 16);
    CHECK_INT(model_find(model, "bytes")->reserved, 8);
    CHECK_INT(model_entry_bytes(model, model_find(model, "integers")), 12);
    CHECK(model_u8(model, "bytes", &length)[2] == 255 && length == 3);
    CHECK(model_u8(model, "integers", &length) == NULL && length == 0);
    CHECK(model_number(model, model_find(model, "floats"), 2) == 0.5);
    CHECK(model_number(model, model_find(model, "integers"), 1) == -2);
    CHECK(model_number(model, model_find(model, "bytes"), 2) == 255);
    CHECK(model_fact(model, "count", 0) == 255 && model_fact(model, "least", 0) == -2 && model_fact(model, "half", 0) == 0.5);
    grown = model_grow(ENV, model_grow(ENV, model_grow(ENV, model, "bytes", 100), "floats", 100), "integers", 100);
    check_sound(grown);
    CHECK(grown->size > model->size && same(model, grown));
    grown = model_compact(ENV, grown);
    CHECK(grown->size == model->size && memcmp(grown, model, model->size) == 0);
    binary = model_to_binary(ENV, model, 0, &size);
    for (size_t at = 0; at + sizeof wire <= size; at++)
        found = found || memcmp(binary + at, wire, sizeof wire) == 0;
    CHECK(found);
    ((uint8_t *)model)[model_find(model, "floats")->offset + 13] = 1;
    CHECK_HOLDS(model_check_layout(ENV, model, model->size), "the padding after \"floats\" is not zero");
}

/* Numbers are stored in the narrowest type that holds all of them, and read back the same. */
static void test_narrowest_type(void)
{
    static const struct {
        double numbers[3];
        ElementType type;
    } cases[] = {
        {{0, 7, 255}, ARRAY_U8},
        {{0, 7, 256}, ARRAY_F32},
        {{0, -1, 255}, ARRAY_F32},
        {{0, -0.0, 255}, ARRAY_F32},
        {{0.5, INFINITY, -INFINITY}, ARRAY_F32},
        {{0, 16777217, INT32_MAX}, ARRAY_I32},
        {{0, 16777217, INT32_MIN}, ARRAY_I32},
        {{-0.0, 16777217, 1}, ARRAY_F64},
        {{0.5, 16777217, 1}, ARRAY_F64},
        {{16777217, INT32_MAX, INT32_MAX + 1.0}, ARRAY_F64},
        {{16777217, INT32_MIN, INT32_MIN - 1.0}, ARRAY_F64},
        {{0, 0.1, 1}, ARRAY_F64},
        {{0, 1, 1e300}, ARRAY_F64},
        {{0, 1, NAN}, ARRAY_F64},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ModelBuilder *b = begin(1);
        const ModelEntry *entry;
        Model *model;

        builder_narrow(b, SECTION_FACTS, "numbers", cases[i].numbers, 3);
        model = model_build(b);
        entry = model_find(model, "numbers");
        CHECK_INT(entry->type, cases[i].type);
        for (uint32_t k = 0; k < 3; k++) {
            double number = model_number(model, entry, k);

            CHECK(isnan(number) || memcmp(&number, &cases[i].numbers[k], sizeof number) == 0);
        }
    }
}

/* A text of base64 that is decoded in several pieces; none of them may end before the last one does. */
static void test_long_base64(void)
{
    ModelBuilder *b = begin(1);
    double *numbers = env_array(ENV, 30000, sizeof *numbers);
    Model *model;
    size_t length;
    char *text;

    for (int i = 0; i < 30000; i++)
        numbers[i] = from_bits(random_word());
    builder_f64(b, SECTION_FACTS, "numbers", numbers, 30000);
    model = model_build(b);
    text = model_to_text(ENV, model, &length);
    CHECK(same(model, model_from_text(ENV, text, length)));
    memcpy(strstr(text, "{\"f64\":\"") + strlen("{\"f64\":\"") + (4 << 16) - 4, "AAA=", 4);
    CHECK_FAILS(host, ERROR_TEXT, "malformed base64", model_from_text(ENV, text, length));
}

/* Each pattern by itself, as the only number of a short array; and many random ones. */
static void test_every_bit(void)
{
    unsigned wrong = 0;

    for (unsigned i = 0; i < PATTERNS + 4000; i++) {
        ModelBuilder *b = begin(1);
        uint64_t bits = i < PATTERNS ? patterns[i] : random_word();
        double value = from_bits(i % 3 == 2 && i >= PATTERNS ? bits >> 12 << 12 : bits);
        Model *model;
        size_t length;
        char *text;

        builder_fact(b, "fact", value);
        builder_f64(b, SECTION_FACTS, "number", &value, 1);
        model = model_build(b);
        text = model_to_text(ENV, model, &length);
        if (!same(model, model_from_text(ENV, text, length)))
            wrong++;
        host_reset(host);
    }
    CHECK_INT(wrong, 0);
}

/* jsonb orders keys by length and writes numbers without exponents; the model is the same. */
static void test_any_order_of_keys(void)
{
    static const char one[] =
        "{\"pgfit\":1,\"min_reader\":1,\"kind\":\"model\",\"estimator\":\"geometric_median\","
        "\"fields\":1,\"slots\":1,\"rows\":3,\"skipped\":0,\"weight\":3e0,"
        "\"options\":{\"seed\":100000000000000000,\"a\":{\"z\":1,\"y\":[1.50,true,null]},\"tiny\":1e-7},"
        "\"facts\":{\"b\":1e2,\"a\":[0.5],\"z\":{\"i64\":[5e0]}},\"arrays\":{\"center\":[1e22]}}";
    static const char other[] =
        " {\"arrays\" : { \"center\":[10000000000000000000000]},\r\n"
        "\t\"facts\":{\"z\":{\"i64\":5},\"a\":{\"f64\":0.5},\"b\":100},\"weight\":3.000,\"kind\":\"model\",\"slots\":1,"
        "\"options\":{\"tiny\":0.0000001,\"seed\":1e17,\"a\":{\"y\":[1.5,true,null],\"z\":1.0}},\"rows\":3,"
        "\"columns\":0,\"flags\":[],\"pending_rows\":0,\"flushes\":0,\"schema\":{},"
        "\"fields\":1.0,\"skipped\":0,\"min_reader\":1,\"estimator\":\"geometric_median\",\"pgfit\":1} ";
    Model *a = NULL, *b = NULL;

    CHECK_WORKS(host, a = model_from_text(ENV, one, strlen(one)));
    CHECK_WORKS(host, b = model_from_text(ENV, other, strlen(other)));
    CHECK(a != NULL && b != NULL && same(a, b));
}

static void test_order(void)
{
    Model *models[64];
    unsigned count = 0, wrong = 0;

    models[count++] = everything();
    models[count++] = model_build(model_builder(ENV, MODEL_FITTED, "centroid"));
    models[count++] = model_build(model_builder(ENV, MODEL_MOMENTS, "centroid"));
    for (uint32_t slots = 1; slots < 4; slots++)
        models[count++] = model_build(begin(slots));
    for (unsigned i = 0; i < PATTERNS; i++) {
        ModelBuilder *b = begin(1);
        double value = from_bits(patterns[i]);

        builder_f64(b, SECTION_ARRAYS, "number", &value, 1);
        models[count++] = model_build(b);
    }
    for (int i = 0; i < 18; i++) {
        ModelBuilder *b = begin(1);
        static const char *const strings[] = {"a", "ab", "b", "", "c"};
        static const uint8_t bits[] = {0, 1};
        static const int64_t integers[] = {-1, 1};
        static const int32_t triples[2][3] = {{1, 0, 5}, {1, 0, -5}};
        static const float zeros[] = {0.0f, -0.0f};

        if (i == 0)
            builder_header(b)->rows = 8;
        else if (i == 1)
            builder_header(b)->skipped = 8;
        else if (i == 2)
            builder_header(b)->weight = 8;
        else if (i == 3)
            builder_header(b)->flags = MODEL_WEIGHTED;
        else if (i == 4)
            builder_text(b, SECTION_ARRAYS, "number", strings, NULL, 2);
        else if (i == 5)
            builder_text(b, SECTION_ARRAYS, "number", strings + 1, NULL, 2);
        else if (i == 6)
            builder_bool(b, SECTION_ARRAYS, "number", bits, 1);
        else if (i == 7)
            builder_bool(b, SECTION_ARRAYS, "number", bits + 1, 1);
        else if (i == 8)
            builder_i64(b, SECTION_ARRAYS, "number", integers, 1);
        else if (i == 9)
            builder_i64_matrix(b, SECTION_ARRAYS, "number", integers, 1, 1);
        else if (i == 10)
            builder_i64(b, SECTION_FACTS, "number", integers, 1);
        else if (i == 11)
            builder_u8(b, SECTION_ARRAYS, "number", bits, 1);
        else if (i == 12)
            builder_u8(b, SECTION_ARRAYS, "number", bits, 2);
        else if (i == 13)
            builder_i32(b, SECTION_ARRAYS, "number", triples[0], 3);
        else if (i == 14)
            builder_i32(b, SECTION_ARRAYS, "number", triples[1], 3);
        else if (i == 15)
            builder_f32(b, SECTION_ARRAYS, "number", zeros, 1);
        else if (i == 16)
            builder_f32(b, SECTION_ARRAYS, "number", zeros + 1, 1);
        else
            builder_i64(b, SECTION_ARRAYS, "numbers", integers, 1);
        models[count++] = model_build(b);
    }
    for (unsigned i = 0; i < count; i++)
        for (unsigned k = 0; k < count; k++) {
            int order = model_compare(models[i], models[k]);

            if ((order == 0) != (i == k) || (order < 0) != (model_compare(models[k], models[i]) > 0))
                wrong++;
            if (i != k && model_fingerprint(ENV, models[i]) == model_fingerprint(ENV, models[k]))
                wrong++;
            for (unsigned l = 0; l < count; l++) /* transitive */
                if (order < 0 && model_compare(models[k], models[l]) < 0 &&
                    model_compare(models[i], models[l]) >= 0)
                    wrong++;
        }
    CHECK_INT(wrong, 0);
}

static void test_growing(void)
{
    static const char *const none[] = {NULL};
    ModelBuilder *b = begin(1);
    ModelEntry *entry;
    Model *model, *grown;
    char word[16];

    builder_f64(b, SECTION_FACTS, "numbers", NULL, 0);
    builder_i64(b, SECTION_FACTS, "integers", NULL, 0);
    builder_text(b, SECTION_FACTS, "words", none, NULL, 0);
    builder_reserve(b, 20);
    model = model_build(b);
    CHECK_INT(model_find(model, "words")->reserved, 24);
    for (int i = 0; i < 1000; i++) {
        while (entry = model_entry_mutable(model, "numbers"), !model_append_f64(model, entry, i / 3.0))
            model = model_grow(ENV, model, "numbers", 0);
        while (entry = model_entry_mutable(model, "integers"), !model_append_i64(model, entry, -i))
            model = model_grow(ENV, model, "integers", entry->reserved + 8);
        snprintf(word, sizeof word, "w%d", i);
        while (entry = model_entry_mutable(model, "words"),
               !model_text_append(model, entry, word, (uint32_t)strlen(word)))
            model = model_grow(ENV, model, "words", 0);
    }
    model->fingerprint = 0;
    check_sound(model);
    model_seal(ENV, model);
    check_sound(model);
    {
        unsigned wrong = 0;

        for (uint32_t i = 0; i < 1000; i++) {
            uint32_t length;
            const char *text = model_text(model, model_find(model, "words"), i, &length);

            snprintf(word, sizeof word, "w%u", i);
            wrong += length != strlen(word) || memcmp(text, word, length) != 0;
            wrong += model_f64(model, "numbers", NULL)[i] != i / 3.0;
            wrong += model_i64(model, "integers", NULL)[i] != -(int64_t)i;
        }
        CHECK_INT(wrong, 0);
    }
    grown = model_compact(ENV, model);
    check_sound(grown);
    CHECK(same(model, grown) && grown->size < model->size);
    ((double *)model_data_mutable(grown, model_entry_mutable(grown, "numbers")))[3] = 5;
    CHECK(!same(model, grown));
    CHECK_HOLDS(model_check(ENV, grown, grown->size), "fingerprint");
    CHECK_FAILS(host, ERROR_INTERNAL, "nothing", model_grow(ENV, model, "nothing", 8));
    CHECK_FAILS(host, ERROR_LIMIT, "MB are allowed", model_grow(ENV, model, "words", MODEL_MAX_SIZE));
}

/* Pending rows count as the header says, in every form. */
static void test_pending(void)
{
    double numbers[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    ModelBuilder *b = begin(1);
    Model *model, *compact;
    size_t length;
    char *text;

    builder_header(b)->kind = MODEL_MOMENTS;
    builder_header(b)->pending_rows = 2;
    builder_header(b)->pending_capacity = 4;
    builder_header(b)->flushes = 3;
    memset(builder_header(b)->estimator, 0, sizeof builder_header(b)->estimator);
    strcpy(builder_header(b)->estimator, "moments");
    builder_f64_matrix(b, SECTION_ARRAYS, "pending", numbers, 4, 3);
    model = model_build(b);
    CHECK_INT(model->pending_offset, model_find(model, "pending")->offset);
    CHECK(model_check_layout(ENV, model, model->size) == NULL);
    compact = model_compact(ENV, model);
    CHECK(model_check_layout(ENV, compact, compact->size) == NULL);
    CHECK(same(model, compact) && compact->size == model->size - 2 * 3 * 8);
    CHECK_INT(compact->pending_capacity, 2);
    text = model_to_text(ENV, model, &length);
    CHECK_HOLDS(text, "\"pending_rows\":2,\"flushes\":3");
    CHECK_HOLDS(text, "\"pending\":{\"f64\":[1,2,3,4,5,6],\"shape\":[2,3]}");
    ((double *)model_data_mutable(model, model_entry_mutable(model, "pending")))[6] = 99;
    CHECK(same(model, compact)); /* the row is not one of the pending ones */
    model = model_grow(ENV, model, "center", 512);
    CHECK_INT(model->pending_offset, model_find(model, "pending")->offset);
    model = model_grow(ENV, model, "pending", 0);
    CHECK_INT(model->pending_offset, model_find(model, "pending")->offset);
    CHECK(model_check_layout(ENV, model, model->size) == NULL);
    CHECK(same(model, compact));
    model->pending_capacity = 1 << 20;
    CHECK_HOLDS(model_check_layout(ENV, model, model->size), "do not fit");
    model->pending_capacity = model->pending_rows = 1;
    model_entry_mutable(model, "pending")->rows = 2;
    CHECK_HOLDS(model_check_layout(ENV, model, model->size), "do not fit");
    model_entry_mutable(model, "center")->section = model_entry_mutable(model, "pending")->section = SECTION_FACTS;
    CHECK_HOLDS(model_check_layout(ENV, model, model->size), "not a matrix of pending rows");
}

static void test_limits(void)
{
    double *big = env_array(ENV, 1000, 8);
    ModelBuilder *b = begin(1);
    const char *word = "\x01\x01\x01\x01\x01\x01\x01\x01";

    builder_f64(b, SECTION_FACTS, "big", big, 125000000);
    CHECK_FAILS(host, ERROR_LIMIT, "the value of this model would take", model_build(b));
    b = begin(1);
    builder_f64(b, SECTION_FACTS, "big", big, 100000000);
    CHECK_FAILS(host, ERROR_LIMIT, "the text of this model would take 1067 MB, and at most 1000 MB",
                model_build(b));
    b = begin(1);
    {
        uint32_t count = 20000000;
        const char **strings = env_array_raw(ENV, count, sizeof *strings);
        uint32_t *lengths = env_array_raw(ENV, count, sizeof *lengths);

        for (uint32_t i = 0; i < count; i++) {
            strings[i] = word;
            lengths[i] = 8;
        }
        builder_text(b, SECTION_FACTS, "big", strings, lengths, count);
        CHECK_FAILS(host, ERROR_LIMIT, "the text of this model", model_build(b));
    }
    b = begin(1);
    builder_fact(b, "center", 1);
    CHECK_TEXT(builder_problem(b, false), "two arrays of the same name");
    CHECK_FAILS(host, ERROR_INTERNAL, "the same name", model_build(b));
    CHECK_FAILS(host, ERROR_INTERNAL, "not a valid", builder_fact(begin(1), "a-b", 1));
    CHECK_FAILS(host, ERROR_INTERNAL, "not a valid", builder_fact(begin(1), "", 1));
    CHECK_FAILS(host, ERROR_INTERNAL, "not a valid",
                builder_fact(begin(1), "a123456789012345678901234567", 1));
    CHECK_FAILS(host, ERROR_INTERNAL, "not a valid", model_builder(ENV, MODEL_FITTED, "9"));
    CHECK_FAILS(host, ERROR_INTERNAL, "not a valid", model_builder(ENV, MODEL_FITTED, "a1234567890123456789012345678901"));
    CHECK_FAILS(host, ERROR_LIMIT, "too long for a model", builder_string(begin(1), SECTION_FACTS, "words", "", (size_t)MODEL_MAX_SIZE + 1));
    CHECK_FAILS(host, ERROR_LIMIT, "a state of 2 levels would need 64.0 MB, and pgfit.fit_mem allows 64.0 MB",
                model_require_growth(ENV, model_build(begin(1)), 64 << 20, "a state of 2 levels"));
    CHECK_FAILS(host, ERROR_LIMIT, "more than 3000000000 elements", env_grow(ENV, NULL, 3000000000u, &(uint32_t){3000000000u}, 1));
    b = begin(1);
    CHECK_FAILS(host, ERROR_LIMIT, "at most 1024 arrays", for (int i = 0; i < 2000; i++) {
        char name[16];

        snprintf(name, sizeof name, "f%d", i);
        builder_fact(b, name, i);
    });
    CHECK_FAILS(host, ERROR_LIMIT, "would need 128.0 MB, and pgfit.fit_mem allows 64.0 MB",
                env_require_memory(ENV, 128 << 20, "this"));
    CHECK_HOLDS(host->hint, "pgfit.fit_mem");
    CHECK_FAILS(host, ERROR_LIMIT, "too large", env_array(ENV, SIZE_MAX / 2, 3));
    CHECK_FAILS(host, ERROR_LIMIT, "too large", env_array(ENV, SIZE_MAX / 8, 4));
}

#define HEAD                                                                                       \
    "\"pgfit\":1,\"min_reader\":1,\"kind\":\"model\",\"estimator\":\"geometric_median\",\"fields\":1,"   \
    "\"slots\":1,\"rows\":3,\"skipped\":0,\"weight\":3"
#define BODY ",\"arrays\":{\"center\":[1]}"

static void test_malformed_text(void)
{
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"", "expected a value at byte 1"},
        {"[]", "expected an object at byte 1"},
        {"{", "expected a quoted key at byte 2"},
        {"{}", "\"pgfit\" is missing"},
        {"{" HEAD BODY "} x", "unexpected text after the end"},
        {"{" HEAD BODY ",\"rows\":3}", "a duplicate key"},
        {"{" HEAD BODY ",\"more\":3}", "unknown key \"more\" at byte"},
        {"{" HEAD BODY ",\"a23456789012345678901234567890123456789012345678901234567890123\":3}",
         "unknown key \"a23456789012345678901234567890123456789012345678901234567890\" at"},
        {"{" HEAD ",\"arrays\":{\"center\":[1],\"center\":[2]}}", "a duplicate key"},
        {"{\"pgfit\":1}", "\"min_reader\" is missing"},
        {"{\"pgfit\":1,\"min_reader\":2}", "needs a reader of format 2, but this one reads up to 1"},
        {"{\"pgfit\":7,\"min_reader\":3,\"new_key\":5}", "needs a reader of format 3"},
        {"{\"pgfit\":0,\"min_reader\":1}", "\"pgfit\" is not an integer from 1 to 255"},
        {"{\"pgfit\":\"1\",\"min_reader\":1}", "\"pgfit\" is of type string"},
        {"{\"pgfit\":1.5,\"min_reader\":1}", "\"pgfit\" is not an integer from 1 to 255"},
        {"{\"pgfit\":1,\"min_reader\":1}", "\"kind\" is missing"},
        {"{\"pgfit\":1,\"min_reader\":1,\"kind\":\"x\",\"estimator\":\"y\"}", "\"x\" is not a kind"},
        {"{\"pgfit\":1,\"min_reader\":1,\"kind\":\"model\",\"estimator\":5}", "is of type number"},
        {"{\"pgfit\":1,\"min_reader\":1,\"kind\":\"model\",\"estimator\":\"x y\",\"weight\":1}",
         "\"x y\" is not a valid estimator name"},
        {"{\"pgfit\":1,\"min_reader\":1,\"kind\":\"model\",\"estimator\":\"a1234567890123456789012345678901\",\"weight\":1}",
         "\"a1234567890123456789012345678901\" is not a valid estimator name"},
        {"{\"pgfit\":1,\"min_reader\":1,\"kind\":\"model\",\"estimator\":\"x\",\"fields\":1,\"slots\":1,\"rows\":3,"
         "\"skipped\":0}",
         "\"weight\" is missing"},
        {"{\"pgfit\":1,\"min_reader\":1,\"kind\":\"model\",\"estimator\":\"x\",\"weight\":1}",
         "\"fields\" is missing"},
        {"{\"pgfit\":1,\"min_reader\":1,\"kind\":\"model\",\"estimator\":\"magic_forest\",\"fields\":1,"
         "\"slots\":1,\"rows\":3,\"skipped\":0,\"weight\":3}",
         "the estimator \"magic_forest\" is unknown"},
        {"{\"pgfit\":1,\"min_reader\":1,\"kind\":\"moments\",\"estimator\":\"x\",\"fields\":1,"
         "\"slots\":1,\"rows\":3,\"skipped\":0,\"weight\":3}",
         "moments of kind \"moments\" named \"x\""},
        {"{" HEAD "}", "center"},
        {"{" HEAD ",\"arrays\":[]}", "\"arrays\" is of type array"},
        {"{" HEAD ",\"columns\":-1" BODY "}", "\"columns\" is not an integer"},
        {"{" HEAD ",\"columns\":4294967296" BODY "}", "\"columns\" is not an integer"},
        {"{" HEAD ",\"flushes\":1" BODY "}", "a fitted model has header fields of moments"},
        {"{" HEAD ",\"pending_rows\":1" BODY "}", "1 pending rows do not fit in a capacity of 0"},
        {"{" HEAD ",\"flags\":{}" BODY "}", "\"flags\" is of type object"},
        {"{" HEAD ",\"flags\":[\"named\",\"fancy\"]" BODY "}", "an unknown flag"},
        {"{" HEAD ",\"flags\":[\"named\",\"named\"]" BODY "}", "a duplicate flag"},
        {"{" HEAD ",\"flags\":[\"frequency\"]" BODY "}", "the weights are marked as frequencies, but there are none"},
        {"{" HEAD ",\"flags\":[\"impute\",\"null_error\"]" BODY "}", "both imputed and refused"},
        {"{" HEAD ",\"options\":[]" BODY "}", "\"options\" is of type array"},
        {"{" HEAD ",\"options\":{\"x\":1e999}" BODY "}", "a number out of range in \"options\""},
        {"{" HEAD ",\"facts\":{\"center\":1}" BODY "}", "two arrays of the same name"},
        {"{" HEAD ",\"facts\":{\"options\":1}" BODY "}", "options"},
        {"{" HEAD ",\"facts\":{\"a b\":1}" BODY "}", "\"a b\" is not a valid array name"},
        {"{" HEAD ",\"facts\":{\"\":1}" BODY "}", "\"\" is not a valid array name"},
        {"{" HEAD ",\"facts\":{\"a123456789012345678901234567\":1}" BODY "}", "\"a123456789012345678901234567\" is not a valid array name"},
        {"{" HEAD ",\"facts\":{\"a\":null}" BODY "}", "expected a number, found type null"},
        {"{" HEAD ",\"facts\":{\"a\":[null]}" BODY "}", "expected a number, found type null"},
        {"{" HEAD ",\"facts\":{\"a\":{}}" BODY "}", "an array without a type"},
        {"{" HEAD ",\"facts\":{\"a\":{\"f64\":1,\"i64\":1}}" BODY "}", "an array with two types"},
        {"{" HEAD ",\"facts\":{\"a\":{\"f16\":1}}" BODY "}", "unknown key \"f16\""},
        {"{" HEAD ",\"facts\":{\"a\":{\"f32\":1,\"i32\":1}}" BODY "}", "an array with two types"},
        {"{" HEAD ",\"facts\":{\"a\":{\"f32\":3.5e38}}" BODY "}", "out of the range of 32 bits"},
        {"{" HEAD ",\"facts\":{\"a\":{\"f32\":[true]}}" BODY "}", "expected a number, found type"},
        {"{" HEAD ",\"facts\":{\"a\":{\"f32\":\"-inf\"}}" BODY "}", "malformed base64"},
        {"{" HEAD ",\"facts\":{\"a\":{\"f32\":[\"0x1p+128\"]}}" BODY "}", "is not a number of 32 bits"},
        {"{" HEAD ",\"facts\":{\"a\":{\"f32\":[\"nan:7f800000\"]}}" BODY "}", "is not a number of 32 bits"},
        {"{" HEAD ",\"facts\":{\"a\":{\"f32\":[\"nan:7ff8000000000000\"]}}" BODY "}", "is not a number of 32"},
        {"{" HEAD ",\"facts\":{\"a\":{\"f32\":\"AAAAAAA=\"}}" BODY "}", "5 bytes of base64 are not an array of 4-byte"},
        {"{" HEAD ",\"facts\":{\"a\":{\"i32\":2147483648}}" BODY "}", "an integer from -2147483648 to 2147483647"},
        {"{" HEAD ",\"facts\":{\"a\":{\"i32\":[0.5]}}" BODY "}", "an integer from -2147483648 to"},
        {"{" HEAD ",\"facts\":{\"a\":{\"u8\":[256]}}" BODY "}", "expected an integer from 0 to 255"},
        {"{" HEAD ",\"facts\":{\"a\":{\"u8\":[-1]}}" BODY "}", "expected an integer from 0 to 255"},
        {"{" HEAD ",\"facts\":{\"a\":{\"u8\":[true]}}" BODY "}", "expected an integer from 0 to 255"},
        {"{" HEAD ",\"facts\":{\"a\":{\"u8\":[1,2],\"shape\":[2,2]}}" BODY "}", "2 numbers are not 2 x 2"},
        {"{" HEAD ",\"facts\":{\"a\":{\"f64\":{}}}" BODY "}", "expected a number, found type object"},
        {"{" HEAD ",\"facts\":{\"a\":{\"text\":1}}" BODY "}", "expected a string, found type number"},
        {"{" HEAD ",\"facts\":{\"a\":{\"text\":[\"x\"],\"shape\":[1,1]}}" BODY "}",
         "a matrix of type text"},
        {"{" HEAD ",\"facts\":{\"a\":{\"bool\":[true],\"shape\":[1,1]}}" BODY "}", "a matrix of type bool"},
        {"{" HEAD ",\"facts\":{\"a\":{\"bool\":[1]}}" BODY "}", "expected true or false"},
        {"{" HEAD ",\"facts\":{\"a\":{\"i64\":[1.5]}}" BODY "}", "expected an integer from -9223372036854775808 to 9223372036854775807"},
        {"{" HEAD ",\"facts\":{\"a\":{\"i64\":9223372036854775808}}" BODY "}", "an integer from -9223372036854775808 to"},
        {"{" HEAD ",\"facts\":{\"a\":{\"f64\":[1,2],\"shape\":[2,2]}}" BODY "}",
         "2 numbers are not 2 x 2"},
        {"{" HEAD ",\"facts\":{\"a\":{\"f64\":[1,2],\"shape\":[2]}}" BODY "}", "is not [rows, columns]"},
        {"{" HEAD ",\"facts\":{\"a\":{\"f64\":[1,2],\"shape\":2}}" BODY "}", "is not [rows, columns]"},
        {"{" HEAD ",\"facts\":{\"a\":{\"f64\":[1,2],\"shape\":[-1,-2]}}" BODY "}", "2 numbers are not -1 x -2"},
        {"{" HEAD ",\"facts\":{\"a\":{\"f64\":[],\"shape\":[0,4294967296]}}" BODY "}", "are not 0 x 4294967296"},
        {"{" HEAD ",\"facts\":{\"a\":{\"f64\":[],\"shape\":[1,0]}}" BODY "}", "are not 1 x 0"},
        {"{" HEAD ",\"facts\":{\"a\":{\"f64\":[],\"shape\":[4294967296,4294967296]}}" BODY "}",
         "are not 4294967296 x"},
        {"{" HEAD ",\"facts\":{\"a\":1e999}" BODY "}", "a number out of the range of 64 bits"},
        {"{" HEAD ",\"facts\":{\"a\":\"1.5\"}" BODY "}", "\"1.5\" is not a number"},
        {"{" HEAD ",\"facts\":{\"a\":\"0x1p+99999\"}" BODY "}", "is not a number"},
        {"{" HEAD ",\"facts\":{\"a\":\"0x\"}" BODY "}", "is not a number"},
        {"{" HEAD ",\"facts\":{\"a\":\"0x1g\"}" BODY "}", "is not a number"},
        {"{" HEAD ",\"facts\":{\"a\":\"nan:7ff0000000000000\"}" BODY "}", "is not a number"},
        {"{" HEAD ",\"facts\":{\"a\":\"nan:7FF8000000000000\"}" BODY "}", "is not a number"},
        {"{" HEAD ",\"facts\":{\"a\":\"infinity\"}" BODY "}", "is not a number"},
        {"{" HEAD ",\"facts\":{\"a\":{\"f64\":\"AAAA\"}}" BODY "}", "3 bytes of base64 are not an array of 8-byte"},
        {"{" HEAD ",\"facts\":{\"a\":{\"f64\":\"AAA\"}}" BODY "}", "malformed base64"},
        {"{" HEAD ",\"facts\":{\"a\":{\"f64\":\"AAAAAAAAAA!=\"}}" BODY "}", "malformed base64"},
        {"{" HEAD ",\"facts\":{\"a\":{\"f64\":\"AAAAAAAAAAB=\"}}" BODY "}", "malformed base64"},
        {"{" HEAD ",\"facts\":{\"a\":{\"f64\":\"AAAA:AAAAAA=\"}}" BODY "}", "malformed base64"},
        {"{" HEAD ",\"facts\":{\"a\":{\"f64\":\"AAAA{AAAAAA=\"}}" BODY "}", "malformed base64"},
        {"{" HEAD ",\"facts\":{\"a\":{\"bool\":\"AB==\"}}" BODY "}", "malformed base64"},
        {"{" HEAD ",\"facts\":{\"a\":{\"bool\":\"AgA=\"}}" BODY "}", "neither true nor false"},
        {"{" HEAD ",\"arrays\":{\"center\":[1],\"pending\":{\"f64\":[1],\"shape\":[1,1]}}}",
         "malformed pending rows"},
        {"{" HEAD ",\"arrays\":{\"center\":[1],\"pending\":{\"text\":[\"x\"]}},\"pending_rows\":1}",
         "malformed pending rows"},
        {"{" HEAD ",\"facts\":{\"pending\":[]}" BODY "}", "malformed pending rows"},
        {"{" HEAD ",\"arrays\":{\"center\":[1],\"pending\":[]}}", "malformed pending rows"},
        {"{" HEAD ",\"arrays\":{\"center\":[1],\"pending\":{\"f64\":[1],\"shape\":[1,1]}},\"pending_rows\":2}", "malformed pending rows"},
        {"{" HEAD ",\"arrays\":{\"center\":[1],\"pending\":{\"f64\":[],\"shape\":[0,1]}}}", "a fitted model has header fields of moments"},
        {"{" HEAD ",\"facts\":{\"a\":\"\xff\"}" BODY "}", "bytes that are not UTF-8"},
    };
    static const char special[] = "{" HEAD ",\"facts\":{\"a\":{\"f64\":\"-inf\"},\"empty\":{\"f64\":\"\"}}" BODY "}";
    unsigned count = sizeof cases / sizeof cases[0];

    for (unsigned i = 0; i < count; i++)
        CHECK_FAILS(host, ERROR_TEXT, cases[i].error,
                    model_from_text(ENV, cases[i].text, strlen(cases[i].text)));
    CHECK_WORKS(host, model_from_text(ENV, "{" HEAD BODY "}", strlen("{" HEAD BODY "}")));
    CHECK(model_fact(model_from_text(ENV, special, strlen(special)), "a", 0) == -INFINITY);
}

/* Every cut and every changed byte of a binary form gives a clean refusal or a sound model. */
static void test_malformed_binary(void)
{
    Host *outer = host;
    size_t length;
    uint8_t *good, *bytes;
    volatile unsigned accepted = 0, wrong = 0;
    double value = 0.25;
    ModelBuilder *b = begin(2);

    builder_fact(b, "fact", value);
    builder_fact_bool(b, "truth", true);
    builder_fact_text(b, "words", "some words");
    builder_options(b, "{\"seed\":1}", 10);
    good = model_to_binary(ENV, model_build(b), 0, &length);
    host = host_new();
    for (size_t cut = 0; cut < length; cut++) {
        bytes = malloc(cut + 1);
        memcpy(bytes, good, cut);
        CHECK_FAILS(host, ERROR_BINARY, "malformed binary model", model_from_binary(ENV, bytes, cut));
        free(bytes);
        host_reset(host);
    }
    bytes = malloc(length + 1);
    for (volatile size_t at = 0; at < length; at++)
        for (int change = 1; change < 256; change++) {
            memcpy(bytes, good, length);
            bytes[at] ^= (uint8_t)change;
            if (TRY(host)) {
                Model *model = model_from_binary(ENV, bytes, length);

                accepted++;
                if (model_check(ENV, model, model->size) != NULL)
                    wrong++;
            } else if (host->code != ERROR_BINARY) {
                wrong++;
            }
            host_reset(host);
        }
    CHECK(accepted > 0);
    CHECK_INT(wrong, 0);
    memcpy(bytes, good, length);
    bytes[length] = 0;
    CHECK_FAILS(host, ERROR_BINARY, "bytes after the end", model_from_binary(ENV, bytes, length + 1));
    bytes[5] = 2;
    CHECK_FAILS(host, ERROR_BINARY, "needs a reader of format 2", model_from_binary(ENV, bytes, length));
    b = begin(2);
    builder_fact(b, "centes", 1);
    good = model_to_binary(ENV, model_build(b), 0, &length);
    for (size_t at = 0; at + 6 <= length; at++)
        if (memcmp(good + at, "centes", 6) == 0)
            good[at + 5] = 'r';
    CHECK_FAILS(host, ERROR_BINARY, "two arrays of the same name", model_from_binary(ENV, good, length));
    free(bytes);
    host_free(host);
    host = outer;
}

/* Counts that exceed the input cost no memory. */
static void test_binary_counts(void)
{
    size_t length;
    ModelBuilder *b = begin(1);
    uint8_t *bytes;

    builder_text(b, SECTION_FACTS, "words", (const char *const[]){"x"}, NULL, 1);
    bytes = model_to_binary(ENV, model_build(b), 0, &length);
    for (size_t at = 30; at + 4 <= length; at++) {
        uint8_t *copy = malloc(length);

        host->byte_limit = host->bytes + 100000;
        memcpy(copy, bytes, length);
        memset(copy + at, 0x7f, 4);
        if (TRY(host)) {
            model_from_binary(ENV, copy, length);
            TRY_END(host);
        } else {
            CHECK_INT(host->code, ERROR_BINARY);
        }
        free(copy);
    }
    host->byte_limit = 0;
}

/* Each changed byte of a flat value is refused, or changes nothing that the fingerprint covers. */
static void test_corrupted_bytes(void)
{
    static const char *const words[] = {"one", "two", "three"};
    static const uint8_t truth[] = {1, 0, 1};
    static const int64_t integers[] = {1, 2};
    double numbers[6] = {1, 2, 3, 4, 5, 6};
    ModelBuilder *b = begin(2);
    Model *good, *bad;
    unsigned missed = 0, unsound = 0;
    Host *inner = host_new();

    builder_options(b, "{\"seed\":1}", 10);
    builder_text(b, SECTION_FACTS, "words", words, NULL, 3);
    builder_bool(b, SECTION_FACTS, "truth", truth, 3);
    builder_i64(b, SECTION_FACTS, "integers", integers, 2);
    builder_f64_matrix(b, SECTION_FACTS, "matrix", numbers, 2, 3);
    builder_f32(b, SECTION_FACTS, "narrow_f32", (const float[]){1, NAN, -0.0f}, 3);
    builder_numbers(b, SECTION_FACTS, "narrow_i32", ARRAY_I32, (const int32_t[]){1, -2, 3}, 2, 1, 3);
    builder_u8(b, SECTION_FACTS, "narrow_u8", truth, 3);
    good = model_build(b);
    check_sound(good);
    bad = malloc(good->size);
    for (uint32_t at = 4; at < good->size; at++)
        for (int change = 1; change < 256; change++) {
            memcpy(bad, good, good->size);
            ((uint8_t *)bad)[at] ^= (uint8_t)change;
            /* the fingerprint reveals a changed byte, except in spare room and format numbers */
            if (model_check(&inner->env, bad, good->size) == NULL && model_compare(good, bad) != 0)
                missed++;
            /* without it, every value that passes can be read to its last byte */
            bad->fingerprint = 0;
            if (model_check(&inner->env, bad, good->size) == NULL) {
                size_t length;
                Model *again = model_compact(&inner->env, bad);
                char *text = model_to_text(&inner->env, bad, &length);

                if (!same(bad, again) ||
                    !same(bad, model_from_text(&inner->env, text, length)))
                    unsound++;
            }
            host_reset(inner);
        }
    CHECK_INT(missed, 0);
    CHECK_INT(unsound, 0);
    for (uint32_t size = 0; size < good->size; size++) {
        Model *cut = malloc(size + 1);

        memcpy(cut, good, size);
        if (!CHECK(model_check(&inner->env, cut, size) != NULL))
            size = good->size;
        free(cut);
    }
    free(bad);
    host_free(inner);
}

/* Each defect has a message that names it. */
static void test_layout_messages(void)
{
    Model *good, *bad;
    ModelEntry *entry;
    ModelBuilder *b = begin(2);
    const char *(*const check)(Env *, const void *, size_t) = model_check_layout;

    builder_text(b, SECTION_FACTS, "words", (const char *const[]){"one", "two"}, NULL, 2);
    builder_bool(b, SECTION_FACTS, "truth", (const uint8_t[]){1, 0}, 2);
    good = model_build(b);
    bad = env_array(ENV, good->size + 8, 1);
#define DEFECT(words, ...)                                                                         \
    do {                                                                                           \
        memcpy(bad, good, good->size);                                                             \
        entry = (ModelEntry *)(bad + 1);                                                           \
        __VA_ARGS__;                                                                               \
        CHECK_HOLDS(check(ENV, bad, good->size), words);                                           \
    } while (0)
    DEFECT("not a model value", bad->magic ^= 1);
    DEFECT("needs a reader of format 9, but this one reads up to 1", bad->min_reader = 9);
    DEFECT("format 0 with minimum reader 1", bad->format = 0);
    DEFECT("format 1 with minimum reader 0", bad->min_reader = 0);
    DEFECT("the value claims 8 bytes but has", bad->size = 8);
    DEFECT("kind 9 is unknown", bad->kind = 9);
    DEFECT("a value of this kind cannot have folds", bad->flags = 0x80);
    DEFECT("name is malformed", bad->estimator[0] = '?');
    DEFECT("name is malformed", bad->estimator[31] = 'x');
    DEFECT("name is malformed", memset(bad->estimator, 'x', 32));
    DEFECT("arrays do not fit", bad->entry_count = 1000);
    DEFECT("arrays do not fit", bad->entry_count = 4000000000u);
    DEFECT("3 features in 2 slots", bad->field_count = 3);
    DEFECT("slots", bad->slot_count = 4000000000u);
    DEFECT("negative", bad->rows = -1);
    DEFECT("negative", bad->skipped = -1);
    DEFECT("not a finite number", bad->weight = NAN);
    DEFECT("not a finite number", bad->weight = -1);
    DEFECT("fields of moments", bad->column_count = 1);
    DEFECT("fields of moments", bad->pending_offset = 8);
    DEFECT("fields of moments", bad->options_hash = 8);
    DEFECT("1 pending rows do not fit in a capacity of 0", bad->pending_rows = 1);
    DEFECT("there are pending rows but no array", bad->kind = MODEL_MOMENTS;
           memcpy(bad->estimator, "moments\0\0\0\0\0\0\0\0\0\0", 17); bad->pending_capacity = 1);
    DEFECT("there are pending rows but no array", bad->kind = MODEL_MOMENTS;
           memcpy(bad->estimator, "moments\0\0\0\0\0\0\0\0\0\0", 17); bad->pending_offset = 8);
    DEFECT("both imputed and refused", bad->kind = MODEL_MOMENTS; bad->flags = MODEL_IMPUTE | MODEL_NULL_ERROR);
    DEFECT("the name of array 1 is malformed", entry->name[0] = 0);
    DEFECT("the name of array 2 is malformed", entry[1].name[27] = 'x');
    DEFECT("two arrays are named \"truth\"", memcpy(entry[1].name, "truth", 6));
    DEFECT("is out of order", entry[0].name[0] = 'z');
    DEFECT("is out of order", entry[0].section = 4);
    DEFECT("\"truth\" is in section 0", entry->section = 0);
    DEFECT("\"truth\" is of type 8", entry->type = 8);
    DEFECT("does not fit", entry->type = ARRAY_I32; entry->rows = 3);
    DEFECT("does not fit", entry->type = ARRAY_F32; entry->rows = 1000000000);
    DEFECT("does not fit", entry->type = ARRAY_U8; entry->dimensions = 2; entry->rows = entry->columns = 65536);
    DEFECT("the padding after \"truth\"", entry->type = ARRAY_U8; ((uint8_t *)bad)[entry->offset + 7] = 1);
    DEFECT("reserved field", entry->reserved0 = 1);
    DEFECT("0 dimensions", entry->dimensions = 0);
    DEFECT("3 dimensions", entry->dimensions = 3);
    DEFECT("2 dimensions", entry->dimensions = 2);
    DEFECT("2 columns", entry->columns = 2);
    DEFECT("begins at byte", entry->offset += 8);
    DEFECT("begins at byte", entry[2].offset = entry[1].offset);
    DEFECT("has room for 0 bytes", entry->reserved = 0);
    DEFECT("has room for 9 bytes", entry->reserved = 9);
    DEFECT("has room for", entry[2].reserved = 4000000000u);
    DEFECT("does not fit", entry->rows = 9);
    DEFECT("does not fit", entry[1].rows = 1000000000u);
    DEFECT("element 2 of \"truth\"", ((uint8_t *)bad)[entry->offset + 1] = 2);
    DEFECT("string 1 of \"words\" lies outside",
           ((uint8_t *)bad)[entry[1].offset + entry[1].reserved - 4] = 200);
    DEFECT("string 2 of \"words\" lies outside",
           ((uint8_t *)bad)[entry[1].offset + entry[1].reserved - 8] = 1);
    DEFECT("string 1 of \"words\" is not text", ((uint8_t *)bad)[entry[1].offset] = 0);
    DEFECT("string 2 of \"words\" is not text", ((uint8_t *)bad)[entry[1].offset + 4] = 0xC3);
    DEFECT("not a matrix of pending rows", memcpy(entry[2].name, "pending", 8));
#undef DEFECT
    memcpy(bad, good, good->size);
    bad->size += 8;
    CHECK_HOLDS(check(ENV, bad, good->size + 8), "8 bytes after the last array");
    CHECK_HOLDS(check(ENV, good, 7), "7 bytes are not a model");
    CHECK_HOLDS(check(ENV, good, (size_t)MODEL_MAX_SIZE + 8), "bytes are not a model");
    CHECK_HOLDS(check(ENV, (char *)good + 4, good->size - 8), "aligned");
}

static void test_options_canonical(void)
{
    static const struct {
        const char *options, *error;
    } cases[] = {{"{\"b\":1,\"a\":2}", "not in canonical form"},
                 {"{\"a\": 2}", "not in canonical form"},
                 {"{\"a\":2.0}", "not in canonical form"},
                 {"{\"a\":1e999}", "not in canonical form"},
                 {"{ }", "empty options"},
                 {"[]", "the options are not an object"},
                 {"{\"a\"}", "the options are malformed: expected a colon at byte 5"}};
    Model *model;

    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ModelBuilder *b = begin(1);

        builder_options(b, cases[i].options, (uint32_t)strlen(cases[i].options));
        model = model_build(b);
        CHECK_HOLDS(model_check(ENV, model, model->size), cases[i].error);
    }
    {
        ModelBuilder *b = begin(1);

        builder_text(b, SECTION_OPTIONS, "settings", (const char *const[]){"{}"}, NULL, 1);
        model = model_build(b);
        CHECK_HOLDS(model_check(ENV, model, model->size), "the options are not one text");
    }
}

/* Strings of a server encoding other than UTF-8 keep their bytes. */
static void test_foreign_text(void)
{
    static const char text[] = "{" HEAD ",\"facts\":{\"a\":{\"text\":\"caf\xe9\"}}" BODY "}";
    static const char escape[] = "{" HEAD ",\"facts\":{\"a\":{\"text\":\"caf\\u00e9\"}}" BODY "}";
    Model *model = NULL;
    uint32_t length;

    CHECK_FAILS(host, ERROR_TEXT, "not UTF-8", model_from_text(ENV, text, strlen(text)));
    CHECK_WORKS(host, model = model_from_text(ENV, escape, strlen(escape)));
    CHECK(model && memcmp(model_text(model, model_find(model, "a"), 0, &length), "caf\xc3\xa9", 5) == 0);
    host->env.foreign_text = true;
    CHECK_WORKS(host, model = model_from_text(ENV, text, strlen(text)));
    CHECK(model && memcmp(model_text(model, model_find(model, "a"), 0, &length), "caf\xe9", 4) == 0);
    CHECK_FAILS(host, ERROR_TEXT, "not UTF-8", model_from_text(ENV, escape, strlen(escape)));
    host->env.foreign_text = false;
}

/* The builder refuses matrices without columns, and arrays without data. */
static void test_shapes(void)
{
    static const double numbers[6] = {1, 2, 3, 4, 5, 6};
    static const int64_t integers[2] = {1, 2};
    ModelBuilder *b = model_builder(ENV, MODEL_FITTED, "centroid");

    CHECK_FAILS(host, ERROR_INTERNAL, "2 dimensions and 0 columns",
                builder_f64_matrix(b, SECTION_ARRAYS, "path_coef", numbers, 3, 0));
    CHECK_FAILS(host, ERROR_INTERNAL, "2 dimensions and 0 columns",
                builder_i64_matrix(b, SECTION_ARRAYS, "merges", integers, 2, 0));
    CHECK_FAILS(host, ERROR_INTERNAL, "1 dimensions and 2 columns",
                builder_numbers(b, SECTION_ARRAYS, "list", ARRAY_F64, numbers, 1, 3, 2));
    CHECK_FAILS(host, ERROR_INTERNAL, "without data", builder_f64(b, SECTION_ARRAYS, "list", NULL, 3));
    CHECK_WORKS(host, builder_f64(b, SECTION_ARRAYS, "list", NULL, 0));
}

/* A result with numbers out of range is an error of the data; any other defect is an internal one. */
static void test_readable(void)
{
    static const double infinite[2] = {1, INFINITY}, finite[2] = {1, 2};
    ModelBuilder *b = model_builder(ENV, MODEL_FITTED, "centroid");
    Model *model;

    builder_header(b)->weight = INFINITY;
    model = model_build(b);
    CHECK_FAILS(host, ERROR_RANGE, "weights of 0 rows", model_require_readable(ENV, model));
    CHECK_FAILS(host, ERROR_RANGE, "weights of 0 rows", model_require_finite(ENV, model));
    b = model_builder(ENV, MODEL_FITTED, "centroid");
    builder_f64(b, SECTION_ARRAYS, "center", infinite, 2);
    model = model_build(b);
    CHECK_FAILS(host, ERROR_RANGE, "\"center\" of centroid", model_require_readable(ENV, model));
    CHECK_FAILS(host, ERROR_RANGE, "\"center\" of centroid", model_require_finite(ENV, model));
    b = model_builder(ENV, MODEL_FITTED, "centroid");
    builder_f64(b, SECTION_ARRAYS, "center", finite, 2);
    CHECK_FAILS(host, ERROR_INTERNAL, "cannot be read again", model_require_readable(ENV, model_build(b)));
}

static void test_cancel(void)
{
    Model *model = everything();
    size_t length;
    char *text = model_to_text(ENV, model, &length);

    host->polls = 0;
    host->cancel_at = 3;
    CHECK_FAILS(host, ERROR_INTERNAL, "canceled", model_from_text(ENV, text, length));
    host->polls = 0;
    CHECK_FAILS(host, ERROR_INTERNAL, "canceled", model_to_text(ENV, model, &length));
    host->polls = 0;
    CHECK_FAILS(host, ERROR_INTERNAL, "canceled", model_to_binary(ENV, model, 0, &length));
    host->cancel_at = 0;
}

/* Terms that are the slots, as most are, take no room in the model; what is behind them in memory makes no difference. */
static void test_terms(void)
{
    static const struct {
        uint32_t slot[4];
        int32_t level[4];
        uint32_t count;
        bool stored;
    } cases[] = {{{0, 1, 2, 9}, {-1, -1, -1, 4}, 3, false}, {{0, 1, 2, 3}, {-1, -1, -1, -1}, 2, true}, {{0, 2, 1}, {-1, -1, -1}, 3, true},
                 {{0, 1, 2}, {-1, 0, -1}, 3, true}, {{0, 1, 2}, {-1, -1, 5}, 3, true}, {{1, 1, 2}, {-1, -1, -1}, 3, true}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ModelBuilder *b = begin(3);
        const Model *model;
        const int64_t *slot, *level;
        uint32_t length = 0;

        terms_add(ENV, b, cases[i].slot, cases[i].level, cases[i].count);
        model = model_build(b);
        CHECK((model_find(model, "column_slot") != NULL) == cases[i].stored && (model_find(model, "column_level") != NULL) == cases[i].stored);
        if (!cases[i].stored)
            continue;
        slot = model_i64(model, "column_slot", &length);
        CHECK_INT(length, cases[i].count);
        level = model_i64(model, "column_level", &length);
        CHECK_INT(length, cases[i].count);
        for (uint32_t term = 0; term < length; term++)
            CHECK(slot[term] == cases[i].slot[term] && level[term] == cases[i].level[term]);
    }
}

int main(void)
{
    static void (*const tests[])(void) = {
        test_reading,          test_finding_texts, test_round_trips,  test_every_bit,       test_any_order_of_keys,
        test_order,            test_growing,      test_pending,         test_limits,
        test_malformed_text,   test_malformed_binary, test_binary_counts, test_corrupted_bytes,
        test_layout_messages,  test_options_canonical, test_foreign_text, test_cancel,
        test_shapes,           test_readable,     test_every_float,     test_narrow_types, test_terms,
        test_narrowest_type,   test_long_base64};

    host = host_new();
    for (unsigned i = 0; i < sizeof tests / sizeof tests[0]; i++) {
        if (TRY(host))
            tests[i]();
        else
            check_that(false, __FILE__, __LINE__, "test %u ended by: %s", i, host->message);
        host_reset(host);
    }
    host_free(host);
    return check_report();
}
