/*
 * test_array_spec.c - the tables of arrays: every estimator's are well formed, and what they refuse and say.
 */
#include "check.h"
#include "fit.h"

#include "core/estimator/estimator.h"
#include "core/estimator/explanation.h"
#include "core/model/schema.h"

#include <string.h>

typedef struct View {
    const double *matrix, *shares;
    uint32_t k, slots;
} View;

static const ArraySpec toy_arrays[] = {
    {.name = "extra", .type = ARRAY_F64, .rows = {SIZE_FREE}, .presence = ARRAY_OPTIONAL, .values = VALUES_ANY},
    {.name = "labels",
     .type = ARRAY_I64,
     .rows = {SIZE_CLUSTERS},
     .presence = ARRAY_OPTIONAL,
     .values = VALUES_INDEX,
     .below = SIZE_CLUSTERS},
    {.name = "matrix",
     .type = ARRAY_F64,
     .rows = {SIZE_CLUSTERS, .defines = true},
     .columns = {SIZE_SLOTS},
     .data_at = VIEW_AT(View, matrix),
     .rows_at = VIEW_AT(View, k),
     .columns_at = VIEW_AT(View, slots)},
    {.name = "more", .type = ARRAY_F64, .rows = {SIZE_CLUSTERS, .packed = true}, .presence = ARRAY_WITH, .other = "extra"},
    {.name = "shares",
     .type = ARRAY_F64,
     .rows = {SIZE_CLUSTERS},
     .values = VALUES_SHARES,
     .data_at = VIEW_AT(View, shares)}};
static const ArrayTable toy_tables[] = ARRAY_TABLES(ARRAY_TABLE(toy_arrays), NO_FACTS);

/*
 * Names are valid and in order, and each occurs once in the tables of a model of an estimator; the fuzz dictionary and views rely on that.
 */
static void test_tables(Env *env)
{
    for (const Estimator *const *estimator = estimators; *estimator != NULL; estimator++) {
        const ArraySpec *all[2 * ARRAY_SPECS_MAX];
        const ArrayTable *from[2 * ARRAY_SPECS_MAX];
        uint32_t count = 0;

        for (const ArrayTable *table = (*estimator)->arrays; table != NULL && table->specs != NULL; table++)
            for (const ArraySpec *spec = table->specs; spec < table->specs + table->count; spec++) {
                check_that(model_name_valid(spec->name, strlen(spec->name)), __FILE__, __LINE__, "%s: \"%s\"",
                           (*estimator)->name, spec->name);
                check_that(spec == table->specs || strcmp(spec[-1].name, spec->name) < 0, __FILE__, __LINE__,
                           "%s: \"%s\" is out of order", (*estimator)->name, spec->name);
                for (uint32_t i = 0; i < count; i++)
                    check_that(strcmp(all[i]->name, spec->name) != 0 || from[i]->lacking != table->lacking, __FILE__, __LINE__, "%s: \"%s\" twice",
                               (*estimator)->name, spec->name);
                CHECK(!spec->narrow || spec->type == ARRAY_F64 || spec->type == ARRAY_I32);
                CHECK(count < 2 * ARRAY_SPECS_MAX && strlen(array_spec_shape(env, spec)) > 0);
                from[count] = table;
                all[count++] = spec;
            }
        check_that(count > 0, __FILE__, __LINE__, "%s declares no arrays", (*estimator)->name);
    }
    CHECK(strcmp(array_spec_shape(env, &toy_arrays[2]), "clusters x slots") == 0);
    CHECK(strcmp(array_spec_shape(env, &toy_arrays[3]), "triangle of clusters") == 0);
    CHECK(strcmp(array_spec_presence(env, toy_tables, &toy_arrays[2]), "always") == 0);
    CHECK(strcmp(array_spec_presence(env, toy_tables, &toy_arrays[3]), "with extra") == 0);
    CHECK(strcmp(array_spec_values(env, &toy_arrays[1]), "the number of a cluster") == 0);
    CHECK(strcmp(array_spec_values(env, &toy_arrays[4]), "a finite number from 0 up, not all 0") == 0);
}

/* Arrays of the narrow types. */
static const ArraySpec narrow_arrays[] = {
    {.name = "bytes", .type = ARRAY_U8, .rows = {SIZE_FREE}, .presence = ARRAY_OPTIONAL, .values = VALUES_POSITIVE},
    {.name = "floats", .type = ARRAY_F32, .rows = {SIZE_FREE}, .presence = ARRAY_OPTIONAL},
    {.name = "places",
     .type = ARRAY_I32,
     .rows = {SIZE_FREE},
     .presence = ARRAY_OPTIONAL,
     .values = VALUES_INDEX,
     .least = -1,
     .below = SIZE_SLOTS}};
static const ArrayTable narrow_tables[] = ARRAY_TABLES(ARRAY_TABLE(narrow_arrays));

static ModelBuilder *toy(Env *env, uint32_t k, uint32_t columns)
{
    static const double zeros[16];
    SchemaSpec schema = {.field_count = 2};
    ModelBuilder *builder = model_builder(env, MODEL_FITTED, "toy");

    schema_add(env, builder, &schema);
    if (columns > 0)
        builder_f64_matrix(builder, SECTION_ARRAYS, "matrix", zeros, k, columns);
    return builder;
}

static void check_words_of(Env *env, ModelBuilder *builder, const ArrayTable *tables, const char *words)
{
    const char *wrong = arrays_check(env, model_build(builder), tables);

    if (words == NULL)
        CHECK(wrong == NULL);
    else
        check_that(wrong != NULL && strcmp(wrong, words) == 0, __FILE__, __LINE__, "\"%s\" and not \"%s\"",
                   wrong != NULL ? wrong : "(accepted)", words);
}

static void check_words(Env *env, ModelBuilder *builder, const char *words)
{
    check_words_of(env, builder, toy_tables, words);
}

/* Elements are read in their own type: 256 in 32 bits begins with a zero byte, and so does infinity. */
static void test_narrow(Env *env)
{
    static const int32_t sound[] = {-1, 1}, large[] = {0, 256}, below[] = {-2};
    static const float numbers[] = {0.5f, -3}, infinite[] = {1, INFINITY};
    static const uint8_t bytes[] = {255, 1}, zero[] = {1, 0};
    ModelBuilder *builder = toy(env, 0, 0);

    builder_i32(builder, SECTION_ARRAYS, "places", sound, 2);
    builder_f32(builder, SECTION_ARRAYS, "floats", numbers, 2);
    builder_u8(builder, SECTION_ARRAYS, "bytes", bytes, 2);
    check_words_of(env, builder, narrow_tables, NULL);

#define REFUSED_NARROW(type, name, data, count, words)                                                                 \
    builder = toy(env, 0, 0);                                                                                          \
    builder_##type(builder, SECTION_ARRAYS, name, data, count);                                                        \
    check_words_of(env, builder, narrow_tables, words)

    REFUSED_NARROW(i32, "places", large, 2, "element 2 of \"places\" of toy is 256, not the number of a slot or -1");
    REFUSED_NARROW(i32, "places", below, 1, "element 1 of \"places\" of toy is -2, not the number of a slot or -1");
    REFUSED_NARROW(f32, "floats", infinite, 2, "element 2 of \"floats\" of toy is inf, not finite");
    REFUSED_NARROW(u8, "bytes", zero, 2, "element 2 of \"bytes\" of toy is 0, not a positive finite number");
    REFUSED_NARROW(f32, "places", numbers, 2, "array \"places\" of toy is f32[2], not i32[any]");
    REFUSED_NARROW(i32, "bytes", sound, 2, "array \"bytes\" of toy is i32[2], not u8[any]");
    REFUSED_NARROW(u8, "floats", bytes, 2, "array \"floats\" of toy is u8[2], not f32[any]");
}

/* Shapes that are sums, rows stored flat, arrays that are left out where they would be empty, and narrow types. */
static const ArraySpec shape_arrays[] = {
    {.name = "again", .type = ARRAY_F64, .rows = {SIZE_BINS}, .values = VALUES_SIGN},
    {.name = "beside", .type = ARRAY_F64, .rows = {SIZE_SLOTS, .other = SIZE_ROWS, .plus = -1}, .presence = ARRAY_OPTIONAL},
    {.name = "bins", .type = ARRAY_F64, .rows = {SIZE_BINS, .defines = true}, .values = VALUES_PROBABILITY, .presence = ARRAY_OPTIONAL},
    {.name = "column_slot", .type = ARRAY_I32, .rows = {SIZE_FREE}, .presence = ARRAY_OPTIONAL},
    {.name = "flat", .type = ARRAY_F64, .rows = {SIZE_CLUSTERS}, .columns = {SIZE_SLOTS}, .flat = true, .presence = ARRAY_OPTIONAL},
    {.name = "given", .type = ARRAY_F64, .rows = {SIZE_FREE}, .columns = {SIZE_ROWS, .defines = true}, .sized = true, .presence = ARRAY_OPTIONAL},
    {.name = "index", .type = ARRAY_F64, .rows = {SIZE_FREE}, .values = VALUES_INDEX, .below = SIZE_SLOTS, .presence = ARRAY_OPTIONAL},
    {.name = "kind", .type = ARRAY_F64, .rows = {SIZE_CLUSTERS, .defines = true, .zero = true}, .narrow = true, .presence = ARRAY_OPTIONAL},
    {.name = "least", .type = ARRAY_F64, .rows = {SIZE_FREE}, .values = VALUES_POSITIVE, .presence = ARRAY_OPTIONAL},
    {.name = "needed", .type = ARRAY_F64, .rows = {SIZE_LEVELS}, .sized = true},
    {.name = "places", .type = ARRAY_I32, .rows = {SIZE_FREE}, .narrow = true, .presence = ARRAY_OPTIONAL},
    {.name = "terms", .type = ARRAY_F64, .rows = {SIZE_TERMS}, .presence = ARRAY_OPTIONAL},
    {.name = "wide", .type = ARRAY_F64, .rows = {SIZE_SLOTS}, .columns = {SIZE_LEVELS}, .sized = true, .presence = ARRAY_OPTIONAL}};
static const ArrayTable shape_tables[] = ARRAY_TABLES(ARRAY_TABLE(shape_arrays));

static void test_shapes(Env *env)
{
    static const double numbers[12] = {1, 1.5}, infinite[] = {1, INFINITY}, signs[] = {1, -1}, halves[] = {0.5, 0.5};
    static const int32_t whole[4];
    static const int64_t large[4];
    static const float singles[4];
    static const uint8_t bytes[4];
    ModelBuilder *builder;

    CHECK_TEXT(array_spec_shape(env, &shape_arrays[1]), "slots + rows - 1");
#define SHAPED(words, ...)                                                                                             \
    builder = toy(env, 0, 0);                                                                                          \
    __VA_ARGS__;                                                                                                       \
    check_words_of(env, builder, shape_tables, words)

    SHAPED("array \"beside\" of toy needs the array that gives its shape, f64[slots + rows - 1]",
           builder_f64(builder, SECTION_ARRAYS, "beside", numbers, 2));
    SHAPED("array \"given\" of toy is f64[2], not f64[any x 1]", builder_f64(builder, SECTION_ARRAYS, "given", numbers, 2));
    SHAPED(NULL, builder_f64(builder, SECTION_ARRAYS, "beside", numbers, 3), builder_f64_matrix(builder, SECTION_ARRAYS, "given", numbers, 3, 2));
    SHAPED("array \"given\" of toy is f64[0 x 2], not f64[any x 2]", builder_f64_matrix(builder, SECTION_ARRAYS, "given", numbers, 0, 2));
    /* one row is stored without the second dimension, several with it */
    SHAPED(NULL, builder_f64(builder, SECTION_ARRAYS, "flat", numbers, 2), builder_f64(builder, SECTION_ARRAYS, "kind", numbers, 1));
    SHAPED("array \"flat\" of toy is f64[1 x 2], not f64[2]", builder_f64_matrix(builder, SECTION_ARRAYS, "flat", numbers, 1, 2),
           builder_f64(builder, SECTION_ARRAYS, "kind", numbers, 1));
    SHAPED("array \"flat\" of toy is f64[3 x 2], not f64[2 x 2]", builder_f64_matrix(builder, SECTION_ARRAYS, "flat", numbers, 3, 2),
           builder_f64(builder, SECTION_ARRAYS, "kind", numbers, 2));
    SHAPED("element 2 of \"index\" of toy is 1.5, not the number of a slot", builder_f64(builder, SECTION_ARRAYS, "index", numbers, 2));
    SHAPED("element 2 of \"least\" of toy is inf, not a positive finite number", builder_f64(builder, SECTION_ARRAYS, "least", infinite, 2));
    SHAPED("array \"needed\" of toy must be left out: its shape is f64[0]", builder_f64(builder, SECTION_ARRAYS, "needed", numbers, 1));
    SHAPED("array \"wide\" of toy must be left out: its shape is f64[2 x 0]", builder_f64_matrix(builder, SECTION_ARRAYS, "wide", numbers, 1, 1));
    SHAPED("array \"terms\" of toy is f64[3], not f64[2]", builder_f64(builder, SECTION_ARRAYS, "terms", numbers, 3));
    /* what another array gives the shape of is needed beside that one */
    SHAPED("toy needs the array \"again\" of f64[2]", builder_f64(builder, SECTION_ARRAYS, "bins", halves, 2));
    SHAPED(NULL, builder_f64(builder, SECTION_ARRAYS, "again", signs, 2), builder_f64(builder, SECTION_ARRAYS, "bins", halves, 2));
    SHAPED("element 1 of \"again\" of toy is 0.5, not 1 or -1", builder_f64(builder, SECTION_ARRAYS, "again", halves, 2),
           builder_f64(builder, SECTION_ARRAYS, "bins", halves, 2));
    SHAPED("element 2 of \"bins\" of toy is -1, not between 0 and 1", builder_f64(builder, SECTION_ARRAYS, "again", signs, 2),
           builder_f64(builder, SECTION_ARRAYS, "bins", signs, 2));
    SHAPED("element 2 of \"bins\" of toy is 1.5, not between 0 and 1", builder_f64(builder, SECTION_ARRAYS, "again", signs, 2),
           builder_f64(builder, SECTION_ARRAYS, "bins", numbers, 2));

    /* a type of fewer bytes may stand for a wider one, and no other */
    SHAPED(NULL, builder_u8(builder, SECTION_ARRAYS, "kind", bytes, 1));
    SHAPED(NULL, builder_f32(builder, SECTION_ARRAYS, "kind", singles, 1));
    SHAPED(NULL, builder_i32(builder, SECTION_ARRAYS, "kind", whole, 1), builder_u8(builder, SECTION_ARRAYS, "places", bytes, 1));
    SHAPED("array \"kind\" of toy is i64[1], not f64[1]", builder_i64(builder, SECTION_ARRAYS, "kind", large, 1));
    SHAPED("array \"places\" of toy is f32[1], not i32[any]", builder_f32(builder, SECTION_ARRAYS, "places", singles, 1));
}

/* More terms than a score has room for are refused; long arrays are looked at with polls. */
static void test_long_arrays(Host *host)
{
    enum { MANY = 10001, LONG = 140000 };
    Env *env = &host->env;
    static const int32_t whole[LONG];
    ModelBuilder *builder = toy(env, 0, 0);
    double *numbers = env_array(env, LONG, sizeof(double));

    builder_i32(builder, SECTION_ARRAYS, "column_slot", whole, MANY);
    builder_f64(builder, SECTION_ARRAYS, "terms", numbers, MANY);
    CHECK_HOLDS(arrays_check(env, model_build(builder), shape_tables), "a model of toy of 10001 terms: at most ");
    builder = toy(env, 0, 0);
    builder_f64(builder, SECTION_ARRAYS, "index", numbers, LONG);
    host->polls = 0;
    CHECK(arrays_check(env, model_build(builder), shape_tables) == NULL);
    CHECK(host->polls >= LONG / 65536);
}

/* A model of any method may say from which program's document it was made, in one text, and no other fact that is not declared. */
static void test_origin(Env *env)
{
    static const char *const texts[] = {"PMML", "ONNX"};
    static const double number[] = {1, 2}, shares[] = {0.5, 0.5};
    ModelBuilder *builder;

#define ORIGIN(words, ...)                                                                                             \
    builder = toy(env, 2, 2);                                                                                          \
    builder_f64(builder, SECTION_ARRAYS, "shares", shares, 2);                                                         \
    __VA_ARGS__;                                                                                                       \
    check_words(env, builder, words)

    ORIGIN(NULL, builder_text(builder, SECTION_FACTS, "imported", texts, NULL, 1));
    ORIGIN("fact \"imported\" does not belong to a model of toy", builder_text(builder, SECTION_FACTS, "imported", texts, NULL, 2));
    ORIGIN("fact \"imported\" does not belong to a model of toy", builder_f64(builder, SECTION_FACTS, "imported", number, 1));
    ORIGIN("fact \"exported\" does not belong to a model of toy", builder_text(builder, SECTION_FACTS, "exported", texts, NULL, 1));
}

/* A method that declares more arrays than a check has room for is refused, rather than checked in part. */
static void test_too_many_arrays(Host *host)
{
    static ArraySpec many[ARRAY_SPECS_MAX + 1];
    ArrayTable tables[] = ARRAY_TABLES(ARRAY_TABLE(many));

    for (int i = 0; i <= ARRAY_SPECS_MAX; i++)
        many[i] = (ArraySpec){.name = "extra", .type = ARRAY_F64, .rows = {SIZE_FREE}, .presence = ARRAY_OPTIONAL};
    CHECK_FAILS(host, ERROR_INTERNAL, "toy declares more than 64 arrays", arrays_check(&host->env, model_build(toy(&host->env, 0, 0)), tables));
}

static void test_refusals(Env *env)
{
    static const double half[] = {0.5, 0.5, 0.5}, none[2], less[] = {1, -1}, infinite[] = {1, INFINITY};
    static const int64_t labels[] = {0, 1}, outside[] = {0, 2};
    ModelBuilder *builder = toy(env, 2, 2);
    View view = {0};
    Model *model;

    builder_f64(builder, SECTION_ARRAYS, "shares", half, 2);
    builder_i64(builder, SECTION_ARRAYS, "labels", labels, 2);
    model = model_build(builder);
    CHECK(arrays_check(env, model, toy_tables) == NULL);
    view_arrays(model, toy_tables, &view);
    CHECK(view.k == 2 && view.slots == 2 && view.shares[1] == 0.5 && view.matrix[3] == 0);

#define REFUSED(type, name, data, count, words)                                                                        \
    builder = toy(env, 2, 2);                                                                                          \
    if (strcmp(name, "shares") != 0)                                                                                   \
        builder_f64(builder, SECTION_ARRAYS, "shares", half, 2);                                                       \
    builder_##type(builder, SECTION_ARRAYS, name, data, count);                                                        \
    check_words(env, builder, words)

    REFUSED(f64, "shares", half, 3, "array \"shares\" of toy is f64[3], not f64[2]");
    REFUSED(i64, "shares", labels, 2, "array \"shares\" of toy is i64[2], not f64[2]");
    REFUSED(f64, "shares", none, 2, "array \"shares\" of toy is all 0");
    REFUSED(f64, "shares", less, 2, "element 2 of \"shares\" of toy is -1, not a finite number from 0 up");
    REFUSED(f64, "shares", infinite, 2, "element 2 of \"shares\" of toy is inf, not a finite number from 0 up");
    REFUSED(i64, "labels", outside, 2, "element 2 of \"labels\" of toy is 2, not the number of a cluster");
    REFUSED(f64, "other", half, 2, "array \"other\" does not belong to a model of toy");
    REFUSED(f64, "extra", half, 1, "toy needs the array \"more\" of f64[3]");
    REFUSED(f64, "more", half, 3, "array \"more\" of toy needs array \"extra\"");
    check_words(env, toy(env, 2, 2), "toy needs the array \"shares\" of f64[2]");
    check_words(env, toy(env, 2, 3), "toy needs the array \"shares\" of f64[2]");
    check_words(env, toy(env, 0, 2), "toy needs the array \"shares\" of f64[0]");

    builder = toy(env, 2, 3);
    builder_f64(builder, SECTION_ARRAYS, "shares", half, 2);
    check_words(env, builder, "array \"matrix\" of toy is f64[2 x 3], not f64[2 x 2]");
    builder = toy(env, 2, 2);
    builder_f64(builder, SECTION_FACTS, "shares", half, 2);
    check_words(env, builder, "fact \"shares\" does not belong to a model of toy");
    builder = toy(env, 2, 2);
    builder_f64(builder, SECTION_SCHEMA, "shares", half, 2);
    check_words(env, builder, "\"shares\" of toy is in the wrong section");
    builder = toy(env, 0, 2);
    builder_f64(builder, SECTION_ARRAYS, "shares", half, 0);
    check_words(env, builder, "array \"matrix\" of toy is f64[0 x 2], not f64[any x 2]");
}

/* A name without an end is no estimator's, nor is a value that is not a fitted model. */
static void test_estimator_of(Env *env)
{
    SchemaSpec schema = {.field_count = 1};
    ModelBuilder *builder = model_builder(env, MODEL_FITTED, "lda");
    Model *model;

    schema_add(env, builder, &schema);
    model = model_build(builder);
    CHECK(estimator_of(model) == estimator_find("lda") && estimator_find("lda") != NULL);
    model->kind = MODEL_MOMENTS;
    CHECK(estimator_of(model) == NULL);
    model->kind = MODEL_FITTED;
    memset(model->estimator, 'l', sizeof model->estimator);
    CHECK(estimator_of(model) == NULL);
}

/* A contribution is named by its column and level, and by its column alone where the level is not one of the model's. */
static void test_names_of_contributions(Env *env)
{
    static const char *const names[] = {"a", "c"}, *const levels[] = {"red", "blue"};
    static const FieldKind kinds[] = {FIELD_NUMERIC, FIELD_CATEGORICAL};
    SchemaSpec spec = {.field_count = 2, .names = names, .kinds = kinds, .named = true};
    ModelBuilder *builder = model_builder(env, MODEL_FITTED, "lda");
    Model *state = schema_model(env, &spec);
    uint32_t position;

    for (int l = 0; l < 2; l++)
        state = dictionary_add(env, state, DICTIONARY_LEVELS, 1, levels[l], (uint32_t)strlen(levels[l]), false, 0, &position);
    schema_add_final(env, builder, state);
    state = model_build(builder);
    for (int level = -1; level <= 2; level++) {
        static const char *const expected[] = {"c", "c=blue", "c=red", "c"};
        double slots[] = {7, level};
        ExplanationList list = explanation_list(env, state, slots, 1);

        explanation_base(&list, NULL, 1);
        explanation_slot(&list, 0, 2);
        explanation_slot(&list, 1, 3);
        CHECK_TEXT(list.lines[1].term, "a");
        CHECK_TEXT(list.lines[2].term, expected[level + 1]);
        CHECK(list.lines[2].contribution == 3);
    }
}

int main(void)
{
    Host *host = host_new();

    test_tables(&host->env);
    test_refusals(&host->env);
    test_narrow(&host->env);
    test_shapes(&host->env);
    test_long_arrays(host);
    test_origin(&host->env);
    test_too_many_arrays(host);
    test_estimator_of(&host->env);
    test_names_of_contributions(&host->env);
    host_free(host);
    return check_report();
}
