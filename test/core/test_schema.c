/* test_schema.c - fields, dictionaries, their final order, checks and differences. */
#include "check.h"
#include "fit.h"
#include "core/base/bytes.h"
#include "core/model/schema.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const names[] = {"carat", "cut", "embedding", "day"};
static const FieldKind kinds[] = {FIELD_NUMERIC, FIELD_CATEGORICAL, FIELD_NUMERIC, FIELD_DATE};
static const uint32_t widths[] = {1, 1, 3, 1};
static const SchemaSpec mixed = {
    .field_count = 4, .names = names, .kinds = kinds, .widths = widths, .named = true};

static Model * final(Env *env, const Model *source)
{
    ModelBuilder *builder = model_builder(env, MODEL_FITTED, "schema_test");

    schema_add_final(env, builder, source);
    return model_build(builder);
}

static const char *checked(Env *env, const Model *model)
{
    const char *wrong = model_check_layout(env, model, model->size);

    return wrong ? wrong : schema_check(env, model);
}

static Model *add(Env *env, Model *model, uint32_t field, const char *text, double key)
{
    uint32_t position;

    return dictionary_add(env, model, DICTIONARY_LEVELS, field, text, (uint32_t)strlen(text), false,
                          key, &position);
}

static int find(const Model *model, uint32_t field, const char *text)
{
    return dictionary_find(model, DICTIONARY_LEVELS, field, text, (uint32_t)strlen(text), false);
}

static void test_plain(Host *host)
{
    Env *env = &host->env;
    SchemaSpec spec = {.field_count = 7};
    Model *model = schema_model(env, &spec);
    char name[SCHEMA_NAME_SIZE];

    CHECK_INT(model->entry_count, 0);
    CHECK_INT(model->slot_count, 7);
    CHECK(checked(env, model) == NULL);
    CHECK(schema_all_numeric(model));
    CHECK_INT(schema_find_field(model, "f7", 2), 6);
    CHECK_INT(schema_find_field(model, "f8", 2), -1);
    CHECK_INT(schema_find_field(model, "f", 1), -1);
    schema_slot_name(model, 2, name, sizeof name);
    CHECK_TEXT(name, "f3");
    CHECK_INT(schema_slot_field(model, 6), 6);
    CHECK_INT(dictionary_size(model, DICTIONARY_LEVELS), 0);
    CHECK_INT(find(model, 0, "x"), -1);
    CHECK_FAILS(host, ERROR_INTERNAL, "has no array", add(env, model, 0, "x", 0));
}

static void test_mixed(Host *host)
{
    Env *env = &host->env;
    Model *model = schema_model(env, &mixed);
    char name[SCHEMA_NAME_SIZE];
    static const uint32_t fields[] = {0, 1, 2, 2, 2, 3};
    static const char *const slots[] = {"carat",        "cut",          "embedding[1]",
                                        "embedding[2]", "embedding[3]", "day"};

    CHECK(checked(env, model) == NULL);
    CHECK_INT(model->slot_count, 6);
    CHECK(model->flags & MODEL_NAMED);
    CHECK(!schema_all_numeric(model));
    CHECK_INT(schema_field_count(model), 4);
    for (uint32_t i = 0; i < 4; i++) {
        CHECK_INT(schema_field_kind(model, i), kinds[i]);
        CHECK_INT(schema_field_width(model, i), widths[i]);
        CHECK_INT(schema_find_field(model, names[i], strlen(names[i])), i);
    }
    for (uint32_t i = 0; i < 6; i++) {
        schema_slot_name(model, i, name, sizeof name);
        CHECK_TEXT(name, slots[i]);
        CHECK_INT(schema_slot_field(model, i), fields[i]);
    }
    CHECK_INT(schema_find_field(model, "car", 3), -1);
    CHECK_INT(schema_find_field(model, "f1", 2), -1);
    for (int kind = FIELD_NUMERIC; kind <= FIELD_KIND_LAST; kind++)
        CHECK(strcmp(field_kind_name((FieldKind)kind), "unknown") != 0);
    CHECK_TEXT(field_kind_name((FieldKind)99), "unknown");
    CHECK_TEXT(field_kind_name((FieldKind)0), "unknown");
}

static void test_long_names(Host *host)
{
    Env *env = &host->env;
    char long_name[600], name[20];
    const char *one[] = {long_name};
    SchemaSpec spec = {.field_count = 1, .names = one, .named = true};

    memset(long_name, 'n', sizeof long_name);
    memcpy(long_name + 18, "\xe2\x82\xac", 3); /* a euro sign where the buffer ends */
    long_name[599] = 0;
    schema_field_name(schema_model(env, &spec), 0, name, sizeof name);
    CHECK_INT(strlen(name), 18);
    schema_slot_name(schema_model(env, &spec), 0, name, sizeof name);
    CHECK(strlen(name) < sizeof name);
    CHECK_INT(schema_find_field(schema_model(env, &spec), long_name, 599), 0);
}

/* Levels in an arbitrary order, found at once and after growth, final order by field, key, bytes. */
static void test_levels(Host *host)
{
    Env *env = &host->env;
    static const FieldKind all[] = {FIELD_CATEGORICAL, FIELD_NUMERIC, FIELD_CATEGORICAL};
    SchemaSpec spec = {.field_count = 3, .kinds = all};
    Model *model = schema_model(env, &spec), *fitted;
    uint32_t position, count, length;
    bool used[2][500] = {{false}};
    char text[80];
    unsigned random = 7, added = 0;

    for (int i = 0; i < 4000; i++) {
        unsigned which, value;

        random = random * 1103515245u + 12345u;
        which = random >> 16 & 1;
        value = (random >> 17) % 500;
        snprintf(text, sizeof text, "level-%u%.*s", value, (int)(value % 40),
                 "........................................");
        CHECK_INT(find(model, 2 * which, text) >= 0, used[which][value]);
        if (used[which][value])
            continue;
        used[which][value] = true;
        model =
            dictionary_add(env, model, DICTIONARY_LEVELS, 2 * which, text, (uint32_t)strlen(text),
                           false, which ? 0 : (double)(value % 3), &position);
        CHECK_INT(position, added++);
        CHECK_INT(find(model, 2 * which, text), position);
        CHECK_INT(dictionary_field(model, position), 2 * which);
        if (added % 100 == 0)
            CHECK(checked(env, model) == NULL);
    }
    model = dictionary_add(env, model, DICTIONARY_LEVELS, 0, "", 0, true, 0, &position);
    CHECK_INT(dictionary_find(model, DICTIONARY_LEVELS, 0, "", 0, true), position);
    CHECK_INT(dictionary_find(model, DICTIONARY_LEVELS, 0, "", 0, false), -1);
    CHECK_INT(dictionary_find(model, DICTIONARY_LEVELS, 2, "", 0, true), -1);
    model = dictionary_add(env, model, DICTIONARY_LEVELS, 0, "", 0, false, 0, &position);
    CHECK_INT(dictionary_find(model, DICTIONARY_LEVELS, 0, "", 0, false), position);
    CHECK(checked(env, model) == NULL);

    fitted = final(env, model);
    CHECK(checked(env, fitted) == NULL);
    count = dictionary_size(model, DICTIONARY_LEVELS);
    CHECK_INT(dictionary_size(fitted, DICTIONARY_LEVELS), count);
    CHECK_INT(schema_field_levels(fitted, 0) + schema_field_levels(fitted, 2), count);
    CHECK_INT(schema_field_levels(fitted, 1), 0);
    for (uint32_t i = 0; i < count; i++) {
        const char *level = dictionary_text(fitted, DICTIONARY_LEVELS, i, &length);
        double key = dictionary_key(fitted, DICTIONARY_LEVELS, i);
        uint32_t field = dictionary_field(fitted, i);

        CHECK_INT(dictionary_find(fitted, DICTIONARY_LEVELS, field, level, length, isinf(key)), i);
        if (i) {
            uint32_t before_length;
            const char *before = dictionary_text(fitted, DICTIONARY_LEVELS, i - 1, &before_length);
            double before_key = dictionary_key(fitted, DICTIONARY_LEVELS, i - 1);
            uint32_t before_field = dictionary_field(fitted, i - 1);
            size_t common = length < before_length ? length : before_length;
            int order = memcmp(before, level, common);

            CHECK(before_field < field ||
                  (before_field == field &&
                   (before_key < key ||
                    (before_key == key && (order < 0 || (order == 0 && before_length < length))))));
        }
    }
    CHECK(isinf(dictionary_key(fitted, DICTIONARY_LEVELS, schema_field_levels(fitted, 0) - 1)));
    CHECK(schema_difference(env, model, fitted) == NULL);
}

static void test_classes(Host *host)
{
    Env *env = &host->env;
    SchemaSpec spec = {.field_count = 2, .class_type = "integer", .target_name = "species",
                       .id_type = "bigint"};
    Model *model = schema_model(env, &spec), *fitted;
    uint32_t position, length;
    const char *text;

    CHECK(checked(env, model) == NULL);
    model = dictionary_add(env, model, DICTIONARY_CLASSES, 0, "10", 2, false, 10, &position);
    model = dictionary_add(env, model, DICTIONARY_CLASSES, 0, "9", 1, false, 9, &position);
    model = dictionary_add(env, model, DICTIONARY_CLASSES, 0, "-1", 2, false, -1, &position);
    CHECK_INT(position, 2);
    CHECK(checked(env, model) == NULL);
    fitted = final(env, model);
    CHECK(checked(env, fitted) == NULL);
    text = dictionary_text(fitted, DICTIONARY_CLASSES, 0, &length);
    CHECK(length == 2 && memcmp(text, "-1", 2) == 0);
    text = dictionary_text(fitted, DICTIONARY_CLASSES, 2, &length);
    CHECK(length == 2 && memcmp(text, "10", 2) == 0);
    text = model_text(fitted, model_find(fitted, "class_type"), 0, &length);
    CHECK(length == 7 && memcmp(text, "integer", 7) == 0);
    text = model_text(fitted, model_find(fitted, "id_type"), 0, &length);
    CHECK(length == 6 && memcmp(text, "bigint", 6) == 0);
    text = model_text(fitted, model_find(fitted, "target_name"), 0, &length);
    CHECK(length == 7 && memcmp(text, "species", 7) == 0);
    CHECK_FAILS(
        host, ERROR_DATA, "infinite",
        dictionary_add(env, model, DICTIONARY_CLASSES, 0, "x", 1, false, INFINITY, &position));
    CHECK_FAILS(host, ERROR_DATA, "NaN",
                dictionary_add(env, model, DICTIONARY_CLASSES, 0, "x", 1, false, NAN, &position));
}

/* The view's shortcuts agree with the plain functions; a wrong guess is no match. */
static void test_view(Host *host)
{
    Env *env = &host->env;
    Model *model = add(env, add(env, schema_model(env, &mixed), 1, "Ideal", 0), 1, "Good", 0);
    const char *good = &"........Good"[8];
    uint64_t tail = bytes_tail(good, 4);
    SchemaView view;
    Dictionary dictionary;

    schema_view(model, &view);
    CHECK(view.field_names && view.field_kinds && view.field_widths && view.level_text);
    CHECK(!view.class_text && !view.impute);
    dictionary_open(model, &view, DICTIONARY_LEVELS, &dictionary);
    CHECK_INT(dictionary_seek(&dictionary, 1, "Good", 4, false), 1);
    CHECK(dictionary_matches(&dictionary, 1, 1, good, 4, tail));
    CHECK(!dictionary_matches(&dictionary, 0, 1, good, 4, tail));
    CHECK(!dictionary_matches(&dictionary, 1, 0, good, 4, tail));
    CHECK(!dictionary_matches(&dictionary, 2, 1, good, 4, tail));
    CHECK(!dictionary_matches(&dictionary, 4000000000u, 1, good, 4, tail));
    dictionary_open(model, &view, DICTIONARY_CLASSES, &dictionary);
    CHECK_INT(dictionary_seek(&dictionary, 0, "Good", 4, false), -1);
}

/* A hint that was taken from another value, or none, leads to the same class. */
static void test_hints(Host *host)
{
    Env *env = &host->env;
    SchemaSpec spec = {.field_count = 1, .class_type = "text"};
    Model *model = schema_model(env, &spec), *none = schema_model(env, &mixed);
    uint32_t position, entry = 1000;
    ClassHint hint = {.entry = 1000};

    model = dictionary_add(env, model, DICTIONARY_CLASSES, 0, "no", 2, false, 0, &position);
    model = dictionary_add(env, model, DICTIONARY_CLASSES, 0, "yes", 3, false, 0, &position);
    for (int again = 0; again < 2; again++) {
        CHECK_INT(dictionary_find_class(model, &hint, "yes", 3), 1);
        CHECK_INT(dictionary_find_class(model, &hint, "no", 2), 0);
        CHECK_INT(dictionary_find_class(model, &hint, "so", 2), -1);
        CHECK_INT(dictionary_class_count(model, &entry), 2);
    }
    CHECK_INT(dictionary_find_class(none, &hint, "yes", 3), -1);
    CHECK_INT(dictionary_class_count(none, &entry), 0);
}

static void test_limits(Host *host)
{
    Env *env = &host->env;
    SchemaSpec many = {.field_count = SCHEMA_MAX_SLOTS + 1};
    uint32_t wide[] = {SCHEMA_MAX_SLOTS, SCHEMA_MAX_SLOTS, 1};
    SchemaSpec runs = {.field_count = 3, .widths = wide}, empty = {.field_count = SCHEMA_MAX_SLOTS + 1};
    Model *model = add(env, schema_model(env, &mixed), 1, "Ideal", 0);
    const ModelEntry *text = model_find(model, "level_text");
    uint32_t end = MODEL_MAX_SIZE;

    CHECK_FAILS(host, ERROR_LIMIT, "more than 1000000", schema_model(env, &many));
    CHECK_FAILS(host, ERROR_LIMIT, "more than 1000000", schema_model(env, &runs));
    empty.widths = env_array(env, empty.field_count, sizeof(uint32_t)); /* no numbers at all */
    CHECK_FAILS(host, ERROR_LIMIT, "more than 1000000", schema_model(env, &empty));
    CHECK_FAILS(host, ERROR_LIMIT, "is too long: at most", dictionary_add(env, model, DICTIONARY_LEVELS, 1, "", MODEL_MAX_SIZE / 4 + 1, false, 0, &end));
    memcpy((char *)model + text->offset + text->reserved - 4, &end, 4);
    CHECK_FAILS(host, ERROR_LIMIT, "is too large: at most", add(env, model, 1, "Good", 0));
}

/* Copies of a sound value, each with one thing broken. */
static void *broken(Env *env, const Model *model, const char *entry, size_t *offset)
{
    char *copy = env->alloc(env, model->size);

    memcpy(copy, model, model->size);
    *offset = model_find(model, entry)->offset;
    return copy;
}

#define BROKEN_I64(entry_, index_, value_, words_)                                                 \
    do {                                                                                           \
        size_t offset_;                                                                            \
        char *copy_ = broken(env, model, entry_, &offset_);                                        \
        int64_t wrong_ = (value_);                                                                 \
        memcpy(copy_ + offset_ + 8 * (index_), &wrong_, 8);                                        \
        CHECK_HOLDS(schema_check(env, (Model *)copy_), words_);                                    \
    } while (0)
#define BROKEN_F64(entry_, index_, value_, words_)                                                 \
    do {                                                                                           \
        size_t offset_;                                                                            \
        char *copy_ = broken(env, model, entry_, &offset_);                                        \
        double wrong_ = (value_);                                                                  \
        memcpy(copy_ + offset_ + 8 * (index_), &wrong_, 8);                                        \
        CHECK_HOLDS(schema_check(env, (Model *)copy_), words_);                                    \
    } while (0)
#define BROKEN_TEXT(entry_, index_, byte_, words_)                                                 \
    do {                                                                                           \
        size_t offset_;                                                                            \
        char *copy_ = broken(env, model, entry_, &offset_);                                        \
        copy_[offset_ + (index_)] = (byte_);                                                       \
        CHECK_HOLDS(schema_check(env, (Model *)copy_), words_);                                    \
    } while (0)
#define BROKEN_HEADER(field_, value_, words_)                                                      \
    do {                                                                                           \
        size_t offset_;                                                                            \
        Model *copy_ = broken(env, model, "field_names", &offset_);                                \
        copy_->field_ = (value_);                                                                  \
        CHECK_HOLDS(schema_check(env, copy_), words_);                                             \
    } while (0)
#define BROKEN_ENTRY(entry_, field_, value_, words_)                                               \
    do {                                                                                           \
        size_t offset_;                                                                            \
        Model *copy_ = broken(env, model, entry_, &offset_);                                       \
        ((ModelEntry *)model_find(copy_, entry_))->field_ = (value_);                              \
        CHECK_HOLDS(schema_check(env, copy_), words_);                                             \
    } while (0)

static Model *sound(Env *env)
{
    static const double impute[] = {1, 0, 1, 2, 3, 4};
    ModelBuilder *builder = model_builder(env, MODEL_FITTED, "schema_test");
    SchemaSpec spec = mixed;
    Model *model;
    uint32_t position;

    spec.class_type = "text";
    spec.id_type = "uuid";
    spec.target_name = "price";
    spec.missing = 2;
    model = schema_model(env, &spec);
    model = add(env, model, 1, "Premium", 2);
    model = add(env, model, 1, "Ideal", 1);
    model = dictionary_add(env, model, DICTIONARY_LEVELS, 1, "", 0, true, 0, &position);
    model = dictionary_add(env, model, DICTIONARY_CLASSES, 0, "no", 2, false, 0, &position);
    model = dictionary_add(env, model, DICTIONARY_CLASSES, 0, "yes", 3, false, 0, &position);
    schema_add_final(env, builder, model);
    builder_f64(builder, SECTION_SCHEMA, "impute", impute, 6);
    return model_build(builder);
}

static void test_checks(Host *host)
{
    Env *env = &host->env;
    Model *model = sound(env);

    CHECK(checked(env, model) == NULL);
    CHECK(checked(env, schema_model(env, &(SchemaSpec){.field_count = 2, .widths = (const uint32_t[]){1, 3}})) == NULL);
    CHECK(checked(env, schema_model(env, &(SchemaSpec){.field_count = 1, .widths = (const uint32_t[]){3}, .kinds = (const FieldKind[]){FIELD_BOOLEAN}})) == NULL);
    BROKEN_I64("field_kinds", 0, 0, "unknown kind");
    BROKEN_I64("field_kinds", 3, 10, "unknown kind");
    BROKEN_I64("field_kinds", 2, FIELD_CATEGORICAL, "in arrays");
    BROKEN_I64("field_kinds", 2, FIELD_DATE, "in arrays");
    BROKEN_I64("field_kinds", 1, FIELD_NUMERIC, "no categorical feature");
    BROKEN_I64("field_widths", 2, 4, "add up");
    BROKEN_I64("field_widths", 2, 0, "width");
    BROKEN_I64("field_widths", 2, -1, "width");
    BROKEN_I64("field_widths", 2, INT64_MAX, "width");
    BROKEN_I64("level_field", 0, 0, "no categorical feature");
    BROKEN_I64("level_field", 0, 4, "no categorical feature");
    BROKEN_I64("level_field", 0, -1, "no categorical feature");
    BROKEN_I64("level_field", 0, (INT64_C(1) << 32) + 1, "no categorical feature");
    BROKEN_I64("level_sorted", 0, 3, "out of range");
    BROKEN_I64("level_sorted", 0, -1, "out of range");
    BROKEN_I64("level_sorted", 1, 0, "not sorted");
    BROKEN_I64("level_sorted", 0, 1, "not sorted");
    BROKEN_I64("class_sorted", 1, 0, "not sorted");
    BROKEN_F64("level_key", 0, NAN, "not a number");
    BROKEN_F64("level_key", 0, -INFINITY, "not a number");
    BROKEN_F64("level_key", 0, INFINITY, "misplaced NULL");
    BROKEN_F64("class_key", 0, INFINITY, "misplaced NULL");
    BROKEN_F64("impute", 0, NAN, "not finite");
    BROKEN_F64("impute", 5, INFINITY, "not finite");
    BROKEN_TEXT("level_text", 0, 'Q', "not sorted");
    BROKEN_TEXT("level_text", 0, 0, "zero byte");
    BROKEN_TEXT("field_names", 0, 0, "one name per feature");
    BROKEN_TEXT("target_name", 0, 0, "target_name");
    BROKEN_TEXT("class_type", 0, 0, "class_type");
    BROKEN_TEXT("id_type", 0, 0, "id_type");
    BROKEN_HEADER(slot_count, 5, "add up");
    BROKEN_HEADER(field_count, 3, "one name per feature");
    BROKEN_HEADER(field_count, SCHEMA_MAX_SLOTS + 1, "too many");
    BROKEN_ENTRY("level_key", rows, 2, "differ in type or length");
    BROKEN_ENTRY("level_key", dimensions, 2, "differ in type or length");
    BROKEN_ENTRY("level_sorted", rows, 2, "differ in type or length");
    BROKEN_ENTRY("level_text", type, ARRAY_F64, "differ in type or length");
    BROKEN_ENTRY("field_kinds", dimensions, 2, "field_kinds");
    BROKEN_ENTRY("class_text", rows, 1, "differ in type or length");
    BROKEN_ENTRY("level_field", type, ARRAY_F64, "differ in type or length");
    BROKEN_ENTRY("field_kinds", rows, 3, "field_kinds");
    BROKEN_ENTRY("field_widths", type, ARRAY_F64, "field_widths");
    BROKEN_ENTRY("impute", rows, 5, "impute");
    BROKEN_ENTRY("missing", dimensions, 2, "missing is not one number");
    BROKEN_ENTRY("impute", name[0], 'j', "unknown name");
    BROKEN_ENTRY("level_text", name[9], 'z', "unknown name");
    BROKEN_ENTRY("level_text", section, SECTION_ARRAYS, "lack one of");
}

/* A dictionary has all of its arrays or none; which none of them, a categorical feature needs. */
static void test_parts_of_dictionaries(Host *host)
{
    static const int64_t categorical[] = {FIELD_CATEGORICAL}, numeric[] = {FIELD_NUMERIC}, zero[] = {0};
    static const double key[] = {0};
    static const char *const text[] = {"a"};
    Env *env = &host->env;

    for (int kind = DICTIONARY_LEVELS; kind <= DICTIONARY_CLASSES; kind++) {
        const DictionaryNames *of = &dictionary_names[kind];
        unsigned all = of->field != NULL ? 15 : 7;

        for (unsigned parts = 0; parts <= all; parts++) {
            ModelBuilder *b = model_builder(env, MODEL_FITTED, "schema_test");
            const char *wrong;

            builder_header(b)->field_count = builder_header(b)->slot_count = 1;
            builder_i64(b, SECTION_SCHEMA, "field_kinds", of->field != NULL ? categorical : numeric, 1);
            if (parts & 1)
                builder_text(b, SECTION_SCHEMA, of->text, text, NULL, 1);
            if (parts & 2)
                builder_f64(b, SECTION_SCHEMA, of->key, key, 1);
            if (parts & 4)
                builder_i64(b, SECTION_SCHEMA, of->sorted, zero, 1);
            if (parts & 8)
                builder_i64(b, SECTION_SCHEMA, of->field, zero, 1);
            wrong = checked(env, model_build(b));
            if (parts == all)
                CHECK(wrong == NULL);
            else if (parts != 0)
                CHECK_HOLDS(wrong, "lack one of");
            else if (kind == DICTIONARY_LEVELS)
                CHECK_HOLDS(wrong, "a categorical feature has no levels");
        }
    }
}

/* One formula of two columns, as a fitted model has it; types of 0: the entry is missing. */
typedef struct FormulaParts {
    uint32_t formulas;
    ElementType kinds, inputs, parameters;
    int64_t kind;
    double parameter;
    unsigned dimensions; /* of the inputs and parameters; 0: 1 */
    bool unnamed;
} FormulaParts;

static Model *formula_schema(Env *env, const FormulaParts *parts, uint32_t fields)
{
    static const char *const texts[] = {"a + b", "a"};
    ModelBuilder *b = model_builder(env, MODEL_FITTED, "schema_test");
    unsigned dimensions = parts->dimensions > 0 ? parts->dimensions : 1;

    builder_header(b)->field_count = builder_header(b)->slot_count = fields;
    builder_header(b)->flags = parts->unnamed ? 0 : MODEL_NAMED;
    builder_text(b, SECTION_SCHEMA, "field_names", names, NULL, fields);
    if (parts->formulas > 0)
        builder_text(b, SECTION_SCHEMA, "formula", texts, NULL, parts->formulas);
    if (parts->kinds > 0)
        builder_numbers(b, SECTION_SCHEMA, "formula_kinds", parts->kinds, &parts->kind, 1, 1, 1);
    if (parts->inputs > 0)
        builder_numbers(b, SECTION_SCHEMA, "formula_inputs", parts->inputs, &parts->kind, dimensions, 1, 1);
    if (parts->parameters > 0)
        builder_numbers(b, SECTION_SCHEMA, "formula_parameters", parts->parameters, &parts->parameter, dimensions, 1, 1);
    return model_build(b);
}

static void test_formulas(Host *host)
{
    static const struct {
        FormulaParts parts;
        const char *wrong; /* NULL: nothing */
    } cases[] = {
        {{.formulas = 1}, NULL},
        {{.formulas = 1, .kinds = ARRAY_I64, .kind = FIELD_TEXT}, NULL},
        {{.inputs = ARRAY_U8, .parameters = ARRAY_F64}, NULL},
        {{.formulas = 2}, "formula is not one text"},
        {{.formulas = 1, .unnamed = true}, "features without names"},
        {{.kinds = ARRAY_I64, .kind = FIELD_TEXT}, "formula_kinds are not the kinds"},
        {{.formulas = 1, .kinds = ARRAY_F64}, "formula_kinds are not the kinds"},
        {{.formulas = 1, .kinds = ARRAY_I64, .kind = 0}, "a name in the formula has an unknown kind"},
        {{.formulas = 1, .kinds = ARRAY_I64, .kind = FIELD_KIND_LAST + 1}, "a name in the formula has an unknown kind"},
        {{.inputs = ARRAY_U8}, "lacks its inputs or its parameters"},
        {{.parameters = ARRAY_F64}, "lacks its inputs or its parameters"},
        {{.formulas = 1, .inputs = ARRAY_U8, .parameters = ARRAY_F64}, "both inputs and terms"},
        {{.inputs = ARRAY_F64, .parameters = ARRAY_F64}, "formula_inputs is not"},
        {{.inputs = ARRAY_U8, .parameters = ARRAY_F64, .dimensions = 2}, "formula_inputs is not"},
        {{.inputs = ARRAY_U8, .parameters = ARRAY_I64}, "formula_parameters are not"},
        {{.inputs = ARRAY_U8, .parameters = ARRAY_F64, .parameter = INFINITY}, "formula_parameters are not"},
    };
    static const FormulaParts none = {0}, learned = {.inputs = ARRAY_U8, .parameters = ARRAY_F64, .kind = 7, .parameter = 1};
    Env *env = &host->env;
    Model *model;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *wrong = checked(env, formula_schema(env, &cases[i].parts, 2));

        if (cases[i].wrong == NULL)
            CHECK(wrong == NULL);
        else
            CHECK_HOLDS(wrong, cases[i].wrong);
    }
    model = formula_schema(env, &cases[2].parts, 2);
    model_entry_mutable(model, "formula_parameters")->dimensions = 2;
    CHECK_HOLDS(schema_check(env, model), "formula_parameters are not");
    CHECK(checked(env, formula_schema(env, &cases[0].parts, 0)) == NULL);
    CHECK(checked(env, formula_schema(env, &cases[2].parts, 0)) == NULL);
    CHECK_HOLDS(checked(env, formula_schema(env, &none, 0)), "marked as named, but there are none");

    /* two of them differ in the columns that they read or in what they learned */
    model = formula_schema(env, &cases[1].parts, 2);
    CHECK(schema_difference(env, model, formula_schema(env, &cases[1].parts, 2)) == NULL);
    CHECK_HOLDS(schema_difference(env, model, formula_schema(env, &cases[0].parts, 2)), "different types");
    CHECK_HOLDS(schema_difference(env, formula_schema(env, &cases[0].parts, 2), model), "different types");
    CHECK_HOLDS(schema_difference(env, model, formula_schema(env, &(FormulaParts){.formulas = 1, .kinds = ARRAY_I64, .kind = FIELD_DATE}, 2)), "different types");
    CHECK_TEXT(schema_difference(env, model, formula_schema(env, &none, 2)), "one has the formula \"a + b\", the other \"\"");
    model = formula_schema(env, &learned, 2);
    CHECK(schema_difference(env, model, formula_schema(env, &learned, 2)) == NULL);
    CHECK_HOLDS(schema_difference(env, model, formula_schema(env, &none, 2)), "not learned from the same rows");
    CHECK_HOLDS(schema_difference(env, model, formula_schema(env, &(FormulaParts){.inputs = ARRAY_U8, .parameters = ARRAY_F64, .kind = 7, .parameter = 2}, 2)),
                "not learned from the same rows");
    CHECK_HOLDS(schema_difference(env, model, formula_schema(env, &(FormulaParts){.inputs = ARRAY_U8, .parameters = ARRAY_F64, .kind = 8, .parameter = 1}, 2)),
                "not learned from the same rows");
    model_entry_mutable(model, "formula_inputs")->rows = 0;
    CHECK_HOLDS(schema_difference(env, model, formula_schema(env, &learned, 2)), "not learned from the same rows");
}

static void test_repeated_names(Host *host)
{
    Env *env = &host->env;
    static const char *const twice[] = {"b", "a", "c", "b"};
    SchemaSpec spec = {.field_count = 4, .names = twice, .named = true};
    enum { MANY = 5000 };
    static char text[MANY][8];
    static const char *many[MANY];

    CHECK_HOLDS(checked(env, schema_model(env, &spec)), "missing or occurs twice");
    spec.named = false;
    CHECK(checked(env, schema_model(env, &spec)) == NULL);

    for (int i = 0; i < MANY; i++) {
        snprintf(text[i], sizeof text[i], "n%d", i * 7919 % MANY);
        many[i] = text[i];
    }
    spec = (SchemaSpec){.field_count = MANY, .names = many, .named = true};
    CHECK(checked(env, schema_model(env, &spec)) == NULL);
    many[17] = text[4711];
    CHECK_HOLDS(checked(env, schema_model(env, &spec)), "missing or occurs twice");
}

static void test_differences(Host *host)
{
    Env *env = &host->env;
    static const char *const other_names[] = {"carat", "cut", "vector", "day"};
    static const FieldKind other_kinds[] = {FIELD_NUMERIC, FIELD_CATEGORICAL, FIELD_NUMERIC,
                                            FIELD_TIMESTAMP};
    static const uint32_t other_widths[] = {1, 1, 2, 1};
    Model *a = schema_model(env, &mixed);
    SchemaSpec spec = mixed;

    CHECK(schema_difference(env, a, schema_model(env, &mixed)) == NULL);
    CHECK(schema_difference(env, a, add(env, schema_model(env, &mixed), 1, "Fair", 0)) == NULL);
    spec.names = other_names;
    CHECK_TEXT(schema_difference(env, a, schema_model(env, &spec)),
               "feature 3 is \"embedding\" in one and \"vector\" in the other");
    spec = mixed;
    spec.kinds = other_kinds;
    CHECK_TEXT(schema_difference(env, a, schema_model(env, &spec)),
               "feature \"day\" is date in one and timestamp in the other");
    spec = mixed;
    spec.widths = other_widths;
    CHECK_TEXT(schema_difference(env, a, schema_model(env, &spec)),
               "feature \"embedding\" has 3 numbers in one and 2 in the other");
    spec = mixed;
    spec.field_count = 3;
    CHECK_TEXT(schema_difference(env, a, schema_model(env, &spec)), "one has 4 features, the other 3");
    spec = mixed;
    spec.named = false;
    CHECK_HOLDS(schema_difference(env, a, schema_model(env, &spec)), "some of the other have none");
    spec.names = NULL;
    CHECK_TEXT(schema_difference(env, a, schema_model(env, &spec)), "the features of one have names, those of the other have none");
    spec = mixed;
    spec.named = false;
    spec.names = (const char *const[]){"carat", "", "embedding", "day"};
    a = schema_model(env, &spec);
    CHECK(checked(env, a) == NULL && schema_difference(env, a, schema_model(env, &spec)) == NULL);
    spec.names = (const char *const[]){"carat", "", "f3", "day"};
    CHECK(schema_difference(env, a, schema_model(env, &spec)) == NULL);
    spec.names = (const char *const[]){"carat", "", "f4", "day"};
    CHECK_HOLDS(schema_difference(env, a, schema_model(env, &spec)), "feature 3 is \"embedding\" in one and \"f4\" in the other");
    CHECK_HOLDS(schema_difference(env, schema_model(env, &spec), schema_model(env, &(SchemaSpec){.field_count = 4, .kinds = kinds, .widths = widths})), "have none");
    spec = mixed;
    spec.class_type = "text";
    a = schema_model(env, &spec);
    spec.class_type = "integer";
    CHECK_TEXT(schema_difference(env, a, schema_model(env, &spec)),
               "the labels of one are of type text, those of the other of type integer");
    CHECK(schema_difference(env, a, schema_model(env, &mixed)) == NULL && schema_difference(env, schema_model(env, &mixed), a) == NULL);
}

/* The means of two slots among the facts: readers, which go by the name, would take them for those of all six. */
static void test_means_among_the_facts_are_no_means(Host *host)
{
    static const double few[] = {1, 2};
    static const char *const names_of_schemas[] = {"impute", "field_names", "target_name", "class_text", "class_type"};
    Env *env = &host->env;

    for (size_t i = 0; i < sizeof names_of_schemas / sizeof *names_of_schemas; i++) {
        ModelBuilder *builder = model_builder(env, MODEL_FITTED, "schema_test");
        char words[64];

        builder_header(builder)->field_count = builder_header(builder)->slot_count = 6;
        builder_header(builder)->flags = MODEL_IMPUTE;
        builder_f64(builder, SECTION_FACTS, names_of_schemas[i], few, 2);
        snprintf(words, sizeof words, "\"%s\" is in the wrong section", names_of_schemas[i]);
        CHECK_HOLDS(checked(env, model_build(builder)), words);
    }
}

int main(void)
{
    Host *host = host_new();
    void (*const tests[])(Host *) = {
        test_plain, test_mixed,  test_long_names, test_levels,         test_classes,
        test_view,  test_limits, test_checks,     test_repeated_names, test_differences,
        test_hints, test_parts_of_dictionaries, test_formulas, test_means_among_the_facts_are_no_means};

    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        CHECK_WORKS(host, tests[i](host));
        host_reset(host);
    }
    host_free(host);
    return check_report();
}
