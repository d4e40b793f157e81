/*
 * test_class_options.c - labels in options, weights, priors and the rule for scores of two classes.
 */
#include "check.h"
#include "fit.h"
#include "core/estimator/class_options.h"
#include "core/estimator/shared_options.h"

static Options *parse(Env *env, const char *json)
{
    static const OptionSpec *const tables[] = {options_common, option_class_weight, option_positive,
                                              option_priors,  option_threshold,    option_tie, option_too_few_rows, NULL};

    return options_parse(env, "test", tables, json, strlen(json), NULL, NULL, 0);
}

/* Returns a running state with labels in this order of appearance; keys: NULL for text. */
static ClassSet classes_of(Env *env, const char *type, const char *const *labels,
                           const double *keys, uint32_t count)
{
    SchemaSpec spec = {.field_count = 1, .class_type = type};
    Model *state;
    uint32_t position;

    state = schema_model(env, &spec);
    for (uint32_t i = 0; i < count; i++)
        state = dictionary_add(env, state, DICTIONARY_CLASSES, 0, labels[i],
                               (uint32_t)strlen(labels[i]), false, keys ? keys[i] : 0, &position);
    state->rows = 12;
    return class_set(env, state);
}

static uint32_t positive_of(const ClassSet *classes, const char *json)
{
    return class_rule_read(classes, parse(classes->env, json)).positive;
}

/* Returns the rule of a fitted model. */
static ClassRule stored_rule(const ClassSet *classes, const char *json, bool *stored)
{
    Env *env = classes->env;
    ModelBuilder *builder = model_builder(env, MODEL_FITTED, "test");
    ClassRule rule = class_rule_read(classes, parse(env, json));
    double numbers[3];
    Model *model;

    schema_add_final(env, builder, classes->source);
    class_rule_add(builder, &rule, classes->count, numbers);
    model = model_build(builder);
    CHECK(class_rule_check(model) == NULL);
    *stored = model_find(model, "class_rule") != NULL;
    return class_rule_of(model);
}

static void check_labels(Host *host)
{
    static const char *const text[] = {"yes", "no"};
    static const char *const numbers[] = {"2.5", "10", "-3"};
    static const double keys[] = {2.5, 10, -3};
    static const char *const booleans[] = {"true", "false"};
    static const double truth[] = {1, 0};
    Env *env = &host->env;
    ClassSet classes = classes_of(env, "text", text, NULL, 2);

    CHECK_INT(classes.order[0], 1);
    CHECK_INT(classes.place_of[0], 1);
    CHECK_TEXT(class_list(&classes), "no, yes");
    CHECK_INT(positive_of(&classes, "{}"), 1);
    CHECK_INT(positive_of(&classes, "{\"positive\": \"no\"}"), 0);
    CHECK_FAILS(host, ERROR_DATA, "option \"positive\" names \"maybe\", which is not a class",
                positive_of(&classes, "{\"positive\": \"maybe\"}"));
    CHECK_HOLDS(host->hint, "The classes are no, yes.");
    CHECK_FAILS(host, ERROR_DATA, "names \"true\"",
                positive_of(&classes, "{\"positive\": true}"));
    CHECK_FAILS(host, ERROR_DATA, "names \"1\"", positive_of(&classes, "{\"positive\": 1}"));

    classes = classes_of(env, "numeric", numbers, keys, 2);
    CHECK_INT(positive_of(&classes, "{\"positive\": 2.50}"), 0);
    CHECK_INT(positive_of(&classes, "{\"positive\": 1e1}"), 1);
    CHECK_INT(positive_of(&classes, "{\"positive\": \"2.5\"}"), 0);
    classes = classes_of(env, "text", numbers, NULL, 2); /* order of bytes */
    CHECK_INT(positive_of(&classes, "{\"positive\": 10}"), 0);
    classes = classes_of(env, "boolean", booleans, truth, 2);
    CHECK_INT(positive_of(&classes, "{\"positive\": false}"), 0);
    CHECK_INT(positive_of(&classes, "{\"positive\": true}"), 1);
    CHECK_INT(positive_of(&classes, "{\"positive\": \"false\"}"), 0);

    classes = classes_of(env, "numeric", numbers, keys, 3);
    CHECK_INT(positive_of(&classes, "{}"), 2);
    CHECK_FAILS(host, ERROR_DATA, "\"positive\" needs two classes, but the rows have 3",
                positive_of(&classes, "{\"positive\": 10}"));
    CHECK_FAILS(host, ERROR_DATA, "\"threshold\" needs two classes",
                positive_of(&classes, "{\"threshold\": 0.4}"));
    CHECK_FAILS(host, ERROR_DATA, "\"tie\" needs two classes",
                positive_of(&classes, "{\"tie\": \"null\"}"));
    classes = classes_of(env, "numeric", numbers, keys, 0);
    CHECK_FAILS(host, ERROR_DATA, "needs at least two classes, but all 12 rows are of class \"\"", class_require_several(&classes, "test", false));
    classes = classes_of(env, "numeric", numbers, keys, 1);
    CHECK_FAILS(host, ERROR_DATA, "needs at least two classes, but all 12 rows are of class \"2.5\"",
                class_require_several(&classes, "test", false));
    ((Model *)classes.source)->rows = 1;
    CHECK_FAILS(host, ERROR_DATA, "needs at least two classes, but the one row is of class \"2.5\"", class_require_several(&classes, "test", false));
}

/* Returns a state of so many rows with `count` numbers as labels: places, and their halves where these are fractions. */
static ClassSet numbers_of(Env *env, uint32_t count, bool fractions, uint64_t rows)
{
    char text[40][24];
    const char *labels[40];
    double keys[40];
    ClassSet classes;

    for (uint32_t i = 0; i < count; i++) {
        keys[i] = fractions ? i / 2.0 : i;
        snprintf(text[i], sizeof text[i], "%g", keys[i]);
        labels[i] = text[i];
    }
    classes = classes_of(env, "numeric", labels, keys, count);
    ((Model *)classes.source)->rows = rows;
    return classes;
}

/* Lists of labels are cut after 20. */
static void check_long_list(Host *host)
{
    ClassSet classes = numbers_of(&host->env, 25, false, 100);

    CHECK_FAILS(host, ERROR_DATA, "names \"77\"", class_labeled(&classes, parse(&host->env, "{\"priors\": {\"77\": 1}}"), "priors", 0));
    CHECK_HOLDS(host->hint, "The classes are 0, 1, 2, ");
    CHECK_HOLDS(host->hint, "18, 19, and 5 more.");
}

/* Many numbers with fractions, or many whole ones with few rows each, look like measurements. */
static void check_measurements(Host *host)
{
    static const struct {
        uint32_t count;
        bool fractions;
        uint64_t rows;
        const char *warning;
    } cases[] = {{10, true, 20, ""},    {11, true, 20, "takes every number as a class: 11 classes in 20 rows, such as 0.5"},
                 {30, false, 90, ""},   {31, false, 90, "takes every number as a class: 31 classes in 90 rows, such as 0"},
                 {31, false, 1549, "in 1549 rows"}, {31, false, 1550, ""}, {31, true, 9999, "such as 0.5"}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ClassSet classes = numbers_of(&host->env, cases[i].count, cases[i].fractions, cases[i].rows);

        host->warning[0] = '\0';
        class_warn_of_measurements(&host->env, classes.source, "lda");
        CHECK_HOLDS(host->warning, cases[i].warning);
        CHECK(*cases[i].warning != '\0' || host->warning[0] == '\0');
    }
}

/* Rows of a frame or with "too_few_rows": "null" may lack classes, also those that options name; others are refused. */
static void check_several(Host *host)
{
    static const char *const text[] = {"yes", "no"};
    static const char *const named[] = {"{}", "{\"class_weight\": {\"yes\": 2}}", "{\"class_weight\": {\"ja\": 0}}", "{\"class_weight\": {\"ja\": 2}}",
                                        "{\"priors\": {\"ja\": 0.5}}", "{\"class_weight\": \"balanced\"}"};
    static const bool several[] = {true, true, true, false, false, true};
    Env *env = &host->env;
    ClassSet two = classes_of(env, "text", text, NULL, 2), one = classes_of(env, "text", text, NULL, 1);

    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        CHECK(class_several(&two, parse(env, named[i]), "test", true) == several[i]);
        CHECK(!class_several(&one, parse(env, named[i]), "test", true));
    }
    CHECK(class_several(&two, parse(env, "{}"), "test", false));
    CHECK(!class_several(&one, parse(env, "{\"too_few_rows\": \"null\"}"), "test", false));
    CHECK_FAILS(host, ERROR_DATA, "test needs at least two classes, but all 12 rows are of class \"yes\"", class_several(&one, parse(env, "{}"), "test", false));
}

static void check_rule(Host *host)
{
    static const char *const text[] = {"yes", "no"};
    ClassSet classes = classes_of(&host->env, "text", text, NULL, 2);
    bool stored;
    ClassRule rule = stored_rule(&classes, "{}", &stored);

    CHECK(!stored && rule.positive == 1 && rule.tie == TIE_NEGATIVE && rule.threshold == 0.5);
    CHECK_INT(class_rule_pick(&rule, 0), 0);
    CHECK_INT(class_rule_pick(&rule, 1), 1);
    rule = stored_rule(&classes, "{\"positive\": \"no\", \"tie\": \"positive\"}", &stored);
    CHECK(stored && rule.positive == 0 && rule.tie == TIE_POSITIVE);
    CHECK_INT(class_rule_pick(&rule, 0), 0);
    CHECK_INT(class_rule_pick(&rule, 1), 0);
    CHECK_INT(class_rule_pick(&rule, -1), 1);
    rule = stored_rule(&classes, "{\"tie\": \"null\", \"threshold\": 0.25}", &stored);
    CHECK(stored && rule.positive == 1 && rule.tie == TIE_NONE && rule.threshold == 0.25);
    CHECK(class_rule_pick(&rule, 0) == CLASS_NONE);
}

/* Rules that a user could type. */
static void check_forged(Host *host)
{
    static const char *const text[] = {"a", "b", "c"};
    static const double forged[][3] = {{2, 0, .5}, {-1, 0, .5}, {0.5, 0, .5},   {0, 3, .5},
                                       {0, 0, 0},  {0, 0, 1},   {0, 0, (double)NAN}, {(double)NAN, 0, .5}};
    Env *env = &host->env;

    for (size_t i = 0; i < sizeof(forged) / sizeof(forged[0]); i++) {
        ModelBuilder *builder = model_builder(env, MODEL_FITTED, "test");
        ClassSet classes = classes_of(env, "text", text, NULL, 2);
        Model *model;

        schema_add_final(env, builder, classes.source);
        builder_f64(builder, SECTION_ARRAYS, "class_rule", forged[i], 3);
        model = model_build(builder);
        CHECK(class_rule_check(model) != NULL);
        CHECK_INT(class_rule_of(model).positive, 1);
    }
    for (uint32_t count = 0; count <= 3; count++) {
        ModelBuilder *builder = model_builder(env, MODEL_FITTED, "test");
        ClassSet classes = classes_of(env, "text", text, NULL, count);
        const double sound[] = {0, 0, .5};
        Model *model;

        schema_add_final(env, builder, classes.source);
        builder_f64(builder, SECTION_ARRAYS, "class_rule", sound, count == 2 ? 2 : 3);
        model = model_build(builder);
        CHECK(class_rule_check(model) != NULL);
        CHECK(class_rule_of(model).positive <= count);
    }
    for (int shape = 0; shape < 2; shape++) {
        static const int64_t integers[] = {0, 0, 1};
        static const double numbers[] = {0, 0, .5};
        ModelBuilder *builder = model_builder(env, MODEL_FITTED, "test");

        schema_add_final(env, builder, classes_of(env, "text", text, NULL, 2).source);
        if (shape == 0)
            builder_i64(builder, SECTION_ARRAYS, "class_rule", integers, 3);
        else
            builder_f64_matrix(builder, SECTION_ARRAYS, "class_rule", numbers, 3, 1);
        CHECK_HOLDS(class_rule_check(model_build(builder)), "is not three numbers");
    }
}

/* Which labels are numbers, and which classes a weight of 0 leaves out. */
static void check_types(Env *env)
{
    static const char *const text[] = {"1", "2"};
    static const double keys[] = {1, 2};
    const Options *options = parse(env, "{\"class_weight\": {\"yes\": 0, \"no\": 1}}");
    Model *model = state_copy(env, classes_of(env, "integer", text, keys, 2).source);

    CHECK(class_keys_are_values(model));
    CHECK(!class_keys_are_values(classes_of(env, "text", text, keys, 2).source) && !class_keys_are_values(numeric_schema(env, 1)));
    model_entry_mutable(model, "class_type")->rows = 2;
    CHECK(!class_keys_are_values(model));
    model_entry_mutable(model, "class_type")->type = ARRAY_F64;
    CHECK(!class_keys_are_values(model));
    CHECK(class_left_out(options, "yes", 3) && !class_left_out(options, "no", 2) && !class_left_out(options, "ye", 2) && !class_left_out(options, "so", 2));
}

static void check_weights(Host *host)
{
    static const char *const text[] = {"yes", "no"};
    static const double totals[] = {30, 10}; /* no, yes */
    Env *env = &host->env;
    ClassSet classes = classes_of(env, "text", text, NULL, 2);
    double *numbers;

    CHECK(class_weights(&classes, parse(env, "{}"), totals) == NULL);
    numbers = class_weights(&classes, parse(env, "{\"class_weight\": \"balanced\"}"), totals);
    CHECK_NEAR(numbers[0] * 30, 20, 1e-15);
    CHECK_NEAR(numbers[1] * 10, 20, 1e-15);
    numbers = class_weights(&classes, parse(env, "{\"class_weight\": {\"yes\": 5}}"), totals);
    CHECK(numbers[0] == 1 && numbers[1] == 5);
    CHECK_FAILS(host, ERROR_DATA, "option \"class_weight\" names \"ja\"",
                class_weights(&classes, parse(env, "{\"class_weight\": {\"ja\": 5}}"), totals));
    CHECK_FAILS(host, ERROR_PARAMETER, "x >= 0", parse(env, "{\"class_weight\": {\"yes\": -1}}"));
    CHECK_FAILS(host, ERROR_PARAMETER, "class_weight", parse(env, "{\"class_weight\": \"even\"}"));

    numbers = class_weights(&classes, parse(env, "{\"class_weight\": {\"ja\": 0, \"no\": 3}}"), totals); /* its rows are left out */
    CHECK(numbers[0] == 3 && numbers[1] == 1);
    numbers = class_weights(&classes, parse(env, "{\"class_weight\": {\"yes\": 0}}"), totals);
    CHECK_NEAR(fmin(numbers[0], numbers[1]), 0, 0);
    CHECK_FAILS(host, ERROR_PARAMETER, "the fit needs rows of every class",
                class_require_weights(&classes, numbers));
    class_require_weights(&classes, NULL);
    numbers = class_priors(&classes, parse(env, "{}"), totals);
    CHECK(numbers[0] == 0.75 && numbers[1] == 0.25);
    numbers = class_priors(&classes, parse(env, "{\"priors\": \"uniform\"}"), totals);
    CHECK(numbers[0] == 0.5 && numbers[1] == 0.5);
    numbers = class_priors(&classes, parse(env, "{\"priors\": {\"yes\": 0.2, \"no\": 0.8}}"), totals);
    CHECK_NEAR(numbers[0], 0.8, 1e-15);
    CHECK_NEAR(numbers[1], 0.2, 1e-15);
    numbers = class_priors(&classes, parse(env, "{\"priors\": {\"yes\": 0.3333333, \"no\": 0.6666666}}"),
                           totals);
    CHECK_NEAR(numbers[0] + numbers[1], 1, 1e-15);
    CHECK_FAILS(host, ERROR_DATA, "option \"priors\" has none for class \"no\"",
                class_priors(&classes, parse(env, "{\"priors\": {\"yes\": 0.5}}"), totals));
    CHECK_FAILS(host, ERROR_PARAMETER, "2 numbers of option \"priors\" add up to 0.9, not to 1",
                class_priors(&classes, parse(env, "{\"priors\": {\"yes\": 0.5, \"no\": 0.4}}"), totals));
    CHECK_FAILS(host, ERROR_PARAMETER, "0 <= x <= 1",
                parse(env, "{\"priors\": {\"yes\": 1, \"no\": -1}}"));
    CHECK_FAILS(host, ERROR_DATA, "names \"ja\"",
                class_priors(&classes, parse(env, "{\"priors\": {\"ja\": 0.5}}"), totals));
}

int main(void)
{
    Host *host = host_new();

    check_labels(host);
    check_rule(host);
    check_forged(host);
    check_types(&host->env);
    check_weights(host);
    check_long_list(host);
    check_measurements(host);
    check_several(host);
    host_free(host);
    return check_report();
}
