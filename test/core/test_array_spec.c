/*
 * test_array_spec.c - the tables of arrays: every estimator's are well formed, and what they refuse and say.
 */
#include "check.h"
#include "host.h"

#include "core/estimator/estimator.h"
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

int main(void)
{
    Host *host = host_new();

    test_tables(&host->env);
    test_refusals(&host->env);
    test_narrow(&host->env);
    host_free(host);
    return check_report();
}
