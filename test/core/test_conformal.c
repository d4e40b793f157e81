/*
 * test_conformal.c - ranks, limits and sets by conformal scores, their cells, and values that claim to have such.
 */
#include "check.h"
#include "fit.h"
#include "core/base/random.h"
#include "core/calibration/conformal_scores.h"
#include "core/estimator/nested_models.h"

#include <math.h>
#include <stdlib.h>

static const Model *line(Env *env, double slope)
{
    Model *state = state_new(env, MODEL_MOMENTS, 1, 0);

    for (int i = 0; i < 20; i++) {
        double x = i;

        state = state_add(env, state, &x, NULL, slope * x + (i % 3), 1);
    }
    return fit_model(env, "linear_regression", state, "{}");
}

/* Gives a model scores: n numbers in two groups. */
static Model *scored(Env *env, const Model *model, uint32_t n, uint64_t seed, bool grouped)
{
    const char *json = grouped ? "{\"group\": \"g\"}" : "";
    ConformalState *state = conformal_begin(env, model, options_parse(env, "conformalize", OPTION_TABLES(conformal_options), json, strlen(json), NULL, NULL, 0));

    for (uint32_t i = 0; i < n; i++)
        conformal_add(env, state, random_unit(&seed), i % 3 == 0 ? "b" : "ab", i % 3 == 0 ? 1 : 2, 0);
    return conformal_finish(env, state, model);
}

static void test_ranks(void)
{
    CHECK_INT(conformal_rank(99, 0.07), 7);
    CHECK_INT(conformal_rank(19, 0.95), 19);
    CHECK_INT(conformal_rank(18, 0.95), 19);
    CHECK_INT(conformal_rank(0, 0.5), 1);
    CHECK_INT(conformal_rank(10, 1e-300), 1);
    CHECK_INT(conformal_rank(99, 0.8), 80);
}

static int rising(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Limits of folds are order statistics of all sums, which are sorted here. */
static void test_folds(Host *host)
{
    Env *env = &host->env;
    const Model *whole = line(env, 2), *folds[3];
    double centers[] = {1.5, -3, 40}, sums[63], lower, upper;
    uint32_t used = 0;
    Conformal conformal;
    Model *model;

    for (uint32_t k = 0; k < 3; k++)
        folds[k] = scored(env, line(env, k), 20 + k, k, false);
    model = conformal_join(env, whole, folds, 3);
    conformal = conformal_of(env, model);
    CHECK_INT(conformal.parts, 3);
    for (uint32_t k = 0; k < 3; k++) {
        const double *scores;
        uint32_t n = conformal_cell(&conformal, k, 0, 0, &scores);

        CHECK_INT(n, 20 + k);
        for (uint32_t i = 0; i < n; i++)
            sums[used++] = centers[k] + scores[i];
    }
    qsort(sums, used, sizeof(double), rising);
    for (int percent = 1; percent < 100; percent++) {
        uint64_t rank = conformal_rank(used, percent / 100.0);

        conformal_limits(&conformal, 0, centers, 1, percent / 100.0, &lower, &upper);
        CHECK(rank > used ? isinf(upper) && isinf(lower) : upper == sums[rank - 1]);
    }
    centers[1] = NAN;
    conformal_limits(&conformal, 0, centers, 1, 0.5, &lower, &upper);
    CHECK(isnan(lower) && isnan(upper));
    CHECK(model_compare(model, model_again(env, model)) == 0);
    CHECK_FAILS(host, ERROR_PARAMETER, "2 to", conformal_join(env, whole, folds, 1));
    folds[1] = whole;
    CHECK_FAILS(host, ERROR_PARAMETER, "model 2 has no", conformal_join(env, whole, folds, 3));
    host_reset(host);
}

static void test_groups(Host *host)
{
    Env *env = &host->env;
    const Model *model = line(env, 1);
    Model *grouped = scored(env, model, 30, 5, true);
    Conformal conformal = conformal_of(env, grouped);
    const double *scores;
    double center = 0, lower, upper;

    CHECK_INT(conformal.groups, 2);
    CHECK_INT(conformal_group(&conformal, "ab", 2), 0);
    CHECK_INT(conformal_group(&conformal, "b", 1), 1);
    CHECK(conformal_group(&conformal, "a", 1) == CONFORMAL_NO_GROUP && conformal_group(&conformal, "", 0) == CONFORMAL_NO_GROUP);
    CHECK(conformal_group(&conformal, "abc", 3) == CONFORMAL_NO_GROUP && conformal_group(&conformal, "bb", 2) == CONFORMAL_NO_GROUP);
    CHECK_INT(conformal_cell(&conformal, 0, 0, 0, &scores), 20);
    CHECK_INT(conformal_cell(&conformal, 0, 1, 0, &scores), 10);
    conformal_limits(&conformal, CONFORMAL_NO_GROUP, &center, 1, 0.01, &lower, &upper);
    CHECK(isinf(lower) && isinf(upper));
    CHECK(model_compare(conformal_strip(env, grouped), model) == 0);
    CHECK_FAILS(host, ERROR_DATA, "no row", scored(env, model, 0, 1, false));
    host_reset(host);
}

static void test_size(Host *host)
{
    Env *env = &host->env;
    Model *model = conformal_with_size(env, line(env, 1), line(env, 0.1), 3);
    Conformal conformal;

    model = scored(env, model, 25, 9, false);
    conformal = conformal_of(env, model);
    CHECK(conformal.score == CONFORMAL_NORMALIZED);
    CHECK_NEAR(conformal_scale(&conformal, -1), 0.03, 1e-15);
    CHECK_NEAR(conformal_scale(&conformal, 2), 2, 0);
    CHECK(model_compare(model, model_again(env, model)) == 0);
    conformal = conformal_of(env, conformal_with_size(env, line(env, 1), line(env, 0.1), 0));
    CHECK_NEAR(conformal.floor, 1, 0);
    host_reset(host);
}

static void test_classes(void)
{
    double p[] = {0.2, 0.5, 0.2, 0.1}, slots[] = {-0.0, NAN}, same[] = {0.0, -NAN};

    CHECK_NEAR(conformal_class_score(CONFORMAL_LAC, p, 4, 1, 0.5), 0.5, 0);
    CHECK_NEAR(conformal_class_score(CONFORMAL_APS, p, 4, 1, 0.5), 0.25, 1e-15);
    CHECK_NEAR(conformal_class_score(CONFORMAL_APS, p, 4, 0, 0.5), 0.6, 1e-15);
    CHECK_NEAR(conformal_class_score(CONFORMAL_APS, p, 4, 2, 0.5), 0.8, 1e-15);
    CHECK_NEAR(conformal_class_score(CONFORMAL_APS, p, 4, UINT32_MAX, 0.5), 1, 0);
    CHECK(conformal_row_unit(slots, 2) == conformal_row_unit(same, 2) && conformal_row_unit(p, 4) < 1);
}

/* Checks a value, and asks for the limits of all its groups. Returns whether it passes the check, with scores. */
static bool reads(Env *env, const Model *value)
{
    double centers[2] = {1, 2}, lower, upper;
    Conformal conformal;

    if (model_check(env, value, value->size) != NULL || !conformal_any(value))
        return false;
    conformal = conformal_of(env, value);
    CHECK(conformal.parts <= 2);
    for (uint32_t g = 0; g < conformal.groups; g++)
        conformal_limits(&conformal, g, centers, 1, 0.8, &lower, &upper);
    if (conformal.group != NULL) {
        uint32_t group = conformal_group(&conformal, "b", 1);

        CHECK(group < conformal.groups || group == CONFORMAL_NO_GROUP);
    }
    return true;
}

static bool any_model(Env *env, const Model *model)
{
    (void)env;
    (void)model;
    return true;
}

static bool is_lda(const char *estimator)
{
    return strcmp(estimator, "lda") == 0;
}

/* Models inside a model: arrays that are missing, of other types or lengths, and bytes that are no model. */
static void test_nested(Host *host)
{
    static const Nesting nesting = {.owner = "test", .part = "part", .forms = "forms", .lengths = "lengths", .most = 2, .allows = any_model};
    Env *env = &host->env;
    const Model *one = line(env, 1), **models;
    size_t size;
    uint8_t *form = model_to_binary(env, one, 0, &size);
    ModelBuilder *builder;
    uint32_t parts;
    int64_t length;
    const struct {
        int64_t lengths[3];
        uint32_t count;
        ElementType forms_type, lengths_type; /* 0: missing */
        const char *wrong;
    } cases[] = {
        {{(int64_t)size}, 1, ARRAY_U8, ARRAY_I64, NULL},
        {{(int64_t)size}, 1, 0, ARRAY_I64, "do not add up"},
        {{(int64_t)size}, 1, ARRAY_U8, 0, "has 0 parts"},
        {{(int64_t)size}, 1, ARRAY_BOOL, ARRAY_I64, "do not add up"},
        {{(int64_t)size}, 1, ARRAY_U8, ARRAY_F64, "has 0 parts"},
        {{1, 1, 1}, 3, ARRAY_U8, ARRAY_I64, "has 3 parts"},
        {{0}, 1, ARRAY_U8, ARRAY_I64, "do not add up"},
        {{(int64_t)size + 1}, 1, ARRAY_U8, ARRAY_I64, "do not add up"},
        {{(int64_t)size - 1}, 1, ARRAY_U8, ARRAY_I64, "part 1 is not a sound model"},
        {{(int64_t)size, -1}, 2, ARRAY_U8, ARRAY_I64, "do not add up"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ModelBuilder *b = model_builder(env, MODEL_FITTED, "test");
        const char *wrong;
        uint32_t count;
        Model *model;

        if (cases[i].forms_type != 0)
            builder_numbers(b, SECTION_ARRAYS, "forms", cases[i].forms_type, form, 1, (uint32_t)size, 1);
        if (cases[i].lengths_type != 0)
            builder_numbers(b, SECTION_ARRAYS, "lengths", cases[i].lengths_type, cases[i].lengths, 1, cases[i].count, 1);
        model = model_build(b);
        wrong = nested_models_read(env, model, &nesting, &models, &count);
        CHECK(nested_models_any(env, model, &nesting, is_lda) == (cases[i].wrong != NULL));
        if (cases[i].wrong != NULL)
            CHECK_HOLDS(wrong, cases[i].wrong);
        else
            CHECK(wrong == NULL && count == 1 && model_compare(models[0], one) == 0);
    }
    form = model_to_binary(env, scored(env, one, 5, 1, false), 0, &size);
    length = (int64_t)size;
    builder = model_builder(env, MODEL_FITTED, "test");
    builder_numbers(builder, SECTION_ARRAYS, "forms", ARRAY_U8, form, 1, (uint32_t)size, 1);
    builder_i64(builder, SECTION_ARRAYS, "lengths", &length, 1);
    CHECK_HOLDS(nested_models_read(env, model_build(builder), &nesting, &models, &parts), "part 1 is not a sound model"); /* it has scores of its own */
    host_reset(host);
}

static const char *replaced;

static bool is_not_replaced(const ModelEntry *entry)
{
    return strcmp(entry->name, replaced) != 0;
}

/* Returns a builder of the value without one array. */
static ModelBuilder *without(Env *env, const Model *value, const char *name)
{
    replaced = name;
    return builder_from(env, value, is_not_replaced);
}

static void refused(Env *env, ModelBuilder *builder, const char *words)
{
    Model *model = model_build(builder);
    const char *wrong;

    model->fingerprint = 0;
    wrong = model_check(env, model, model->size);
    CHECK_HOLDS(wrong != NULL ? wrong : "(accepted)", words);
}

/* Groups, cells and scores that a user could type. */
static void test_forged(Host *host)
{
    static const char *const same[] = {"é", "é"}, *const after[] = {"é", "z"};
    static const char *const twice[] = {"ab", "ab"}, *const fallen[] = {"b", "ab"}, *const longer[] = {"abc", "ab"}, *const beginning[] = {"a", "ab"};
    static const int64_t back[] = {20, 10}, far[] = {20, 31}, few[] = {20}, short_of[] = {20, 29}, unknown[] = {4}, of_classes[] = {2};
    static const uint8_t yes[] = {1};
    Env *env = &host->env;
    Model *value = scored(env, line(env, 1), 30, 5, true);
    double numbers[30];
    const char **many = env_array(env, CONFORMAL_GROUPS + 1, sizeof(char *));
    ModelBuilder *b;

    for (int i = 0; i < 30; i++)
        numbers[i] = 30 - i;
    for (uint32_t i = 0; i <= CONFORMAL_GROUPS; i++)
        many[i] = env_message(env, "%08u", i);
#define FORGED(name, words, ...)                                                                                       \
    b = without(env, value, name);                                                                                     \
    __VA_ARGS__;                                                                                                       \
    refused(env, b, words)

    FORGED("conformal_levels", "the conformal groups are not in order", builder_text(b, SECTION_ARRAYS, replaced, twice, NULL, 2));
    FORGED("conformal_levels", "the conformal groups are not in order", builder_text(b, SECTION_ARRAYS, replaced, fallen, NULL, 2));
    FORGED("conformal_levels", "the conformal groups are not in order", builder_text(b, SECTION_ARRAYS, replaced, longer, NULL, 2));
    FORGED("conformal_levels", "the conformal groups are not in order", builder_text(b, SECTION_ARRAYS, replaced, same, NULL, 2));
    FORGED("conformal_levels", "the conformal groups are not in order", builder_text(b, SECTION_ARRAYS, replaced, after, NULL, 2));
    FORGED("conformal_levels", "there are 0 conformal groups", builder_text(b, SECTION_ARRAYS, replaced, twice, NULL, 0));
    FORGED("conformal_levels", env_message(env, "there are %u conformal groups", CONFORMAL_GROUPS + 1),
           builder_text(b, SECTION_ARRAYS, replaced, many, NULL, CONFORMAL_GROUPS + 1));
    FORGED("conformal_levels", "there are 2 cells of conformal scores for 1 parts, 1 groups", builder_text(b, SECTION_ARRAYS, replaced, twice, NULL, 1));
    FORGED("conformal_group", "the column of the conformal groups has no name", builder_string(b, SECTION_ARRAYS, replaced, "", 0));
    FORGED("conformal_levels", "(accepted)", builder_text(b, SECTION_ARRAYS, replaced, beginning, NULL, 2));
    FORGED("conformal_ends", "do not follow each other", builder_i64(b, SECTION_ARRAYS, replaced, back, 2));
    FORGED("conformal_ends", "do not follow each other", builder_i64(b, SECTION_ARRAYS, replaced, far, 2));
    FORGED("conformal_ends", "there are 1 cells", builder_i64(b, SECTION_ARRAYS, replaced, few, 1));
    FORGED("conformal_ends", "conformal scores are left over", builder_i64(b, SECTION_ARRAYS, replaced, short_of, 2));
    FORGED("conformal_scores", "conformal scores do not rise", builder_f64(b, SECTION_ARRAYS, replaced, numbers, 30));
    FORGED("conformal_score", "there is no conformal score 4", builder_i64(b, SECTION_ARRAYS, replaced, unknown, 1));
    FORGED("conformal_score", "the model gives no scores of the kind", builder_i64(b, SECTION_ARRAYS, replaced, of_classes, 1));
    FORGED("conformal_by_class", "by class, but the model has no classes", builder_bool(b, SECTION_ARRAYS, replaced, yes, 1));
    FORGED("conformal_floor", "\"conformal_floor\" does not belong", builder_f64(b, SECTION_ARRAYS, replaced, numbers, 1));
    host_reset(host);
}

static Model *named(Env *env, const char *estimator)
{
    SchemaSpec spec = {.field_count = 1};
    ModelBuilder *builder = model_builder(env, MODEL_FITTED, estimator);

    schema_add(env, builder, &spec);
    return model_build(builder);
}

/* Who predicts several numbers, or probabilities of no classes, gives no scores; nor does a model of no method. */
static void test_who_gives_scores(Host *host)
{
    Env *env = &host->env;

    CHECK(conformal_gives_scores(env, line(env, 1), false) && !conformal_gives_scores(env, line(env, 1), true));
    CHECK(!conformal_gives_scores(env, named(env, "multivariate_regression"), false));
    CHECK(!conformal_gives_scores(env, named(env, "lda"), true) && !conformal_gives_scores(env, named(env, "lda"), false));
    CHECK(!conformal_gives_scores(env, named(env, "pca"), false) && !conformal_gives_scores(env, named(env, "none"), false));
    host_reset(host);
}

/* Scores of so many rows are checked with polls. */
static void test_many_scores(Host *host)
{
    Env *env = &host->env;
    Model *value = scored(env, line(env, 1), 140000, 3, false);

    value->fingerprint = 0;
    host->polls = 0;
    CHECK(model_check(env, value, value->size) == NULL && host->polls >= 2);
    host_reset(host);
}

/* Changes bytes of a value at random: it is refused, or its limits are read within its bounds. */
static void test_damaged(Host *host)
{
    Env *env = &host->env;
    const Model *folds[2] = {scored(env, line(env, 0), 9, 1, true), scored(env, line(env, 1), 8, 2, true)};
    const Model *values[] = {scored(env, line(env, 2), 12, 3, true), conformal_join(env, line(env, 2), folds, 2),
                             scored(env, conformal_with_size(env, line(env, 1), line(env, 0.1), 3), 7, 4, false)};
    volatile uint64_t accepted = 0;
    uint64_t seed = 1;

    for (uint32_t round = 0; round < 6000; round++) {
        const Model *value = values[round % 3];
        Model *copy = memcpy(env->alloc(env, value->size), value, value->size);

        copy->fingerprint = 0;
        for (uint32_t change = 0; change < 1 + round % 2; change++)
            ((uint8_t *)copy)[sizeof(Model) + random_below(&seed, value->size - (uint32_t)sizeof(Model))] = (uint8_t)random_below(&seed, round % 5 == 0 ? 4 : 256);
        if (TRY(host)) /* a model inside may claim to be of a newer format, which is an error */
            accepted += reads(env, copy);
        TRY_END(host);
        env->release(env, copy);
    }
    CHECK(accepted > 0 && accepted < 6000);
    host_reset(host);
}

int main(void)
{
    Host *host = host_new();

    test_ranks();
    test_folds(host);
    test_groups(host);
    test_size(host);
    test_classes();
    test_nested(host);
    test_forged(host);
    test_who_gives_scores(host);
    test_many_scores(host);
    test_damaged(host);
    host_free(host);
    return check_report();
}
