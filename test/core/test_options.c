/* test_options.c - the parser of options, its errors, and what it gives back. */
#include "check.h"
#include "core/options/options.h"

static const char *const methods[] = {"cv", "fixed", NULL};

static const OptionSpec specs[] = {
    {.name = "lambda",
     .types = OPTION_NUMBER | OPTION_NUMBER_LIST | OPTION_STRING,
     .minimum = 0,
     .maximum = INFINITY,
     .choices = (const char *const[]){"cv", NULL},
     .help = "The penalty."},
    {.name = "alpha",
     .types = OPTION_NUMBER,
     .fallback = "0.5",
     .minimum = 0,
     .maximum = 1,
     .minimum_open = true,
     .maximum_open = true,
     .help = "The mixture."},
    {.name = "k",
     .types = OPTION_INTEGER,
     .fallback = "3",
     .minimum = 1,
     .maximum = 100,
     .help = "How many."},
    {.name = "method",
     .types = OPTION_STRING,
     .fallback = "\"cv\"",
     .choices = methods,
     .help = "How."},
    {.name = "intercept", .types = OPTION_BOOLEAN, .fallback = "true", .help = "With one."},
    {.name = "start", .types = OPTION_NUMBER_MATRIX | OPTION_MODEL, .help = "Where to begin."},
    {.name = "priors",
     .types = OPTION_OBJECT | OPTION_STRING,
     .minimum = 0,
     .maximum = 1,
     .help = "Priors."},
    {.name = "offset", .types = OPTION_NUMBER, .help = "Any number."},
    {.name = NULL}};

static const OptionSpec *const tables[] = {options_common, specs, NULL};
static const char *const positional_names[] = {"lambda", "k"};

static Options *parse(Host *host, const char *json)
{
    return options_parse(&host->env, "ridge", tables, json, json ? strlen(json) : 0, NULL, NULL, 0);
}

static Options *parse_positional(Host *host, const char *json, double lambda, double k)
{
    double numbers[] = {lambda, k};

    return options_parse(&host->env, "ridge", tables, json, strlen(json), positional_names, numbers,
                         2);
}

static void test_values(Host *host)
{
    uint32_t count, rows, columns, length;
    Options *o =
        parse(host, " {\"lambda\" : [1, 2.5e0], \"k\": 1e1, \"features\":[\"a\",\"b\\u00e9\"],"
                    "\"start\":[[1,2,3],[4,5,6]], \"priors\":{\"x\":0.25,\"y\":0.75},"
                    "\"intercept\":false,\"nulls\":\"impute\",\"offset\":-1e300}");

    CHECK_INT(options_type(o, "lambda"), OPTION_NUMBER_LIST);
    CHECK_NEAR(options_numbers(o, "lambda", &count)[1], 2.5, 0);
    CHECK_INT(count, 2);
    CHECK_INT(options_integer(o, "k"), 10);
    CHECK_NEAR(options_number(o, "k"), 10, 0);
    CHECK_TEXT(options_strings(o, "features", &count)[1], "b\xc3\xa9");
    CHECK_INT(count, 2);
    CHECK_NEAR(options_matrix(o, "start", &rows, &columns)[5], 6, 0);
    CHECK_INT(rows, 2);
    CHECK_INT(columns, 3);
    CHECK_NEAR(options_object_number(o, "priors", "y", -1), 0.75, 0);
    CHECK_NEAR(options_object_number(o, "priors", "z", -1), -1, 0);
    CHECK(!options_boolean(o, "intercept"));
    CHECK(options_is(o, "nulls", "impute"));
    CHECK(options_given(o, "nulls"));
    CHECK_NEAR(options_number(o, "offset"), -1e300, 0);

    /* defaults */
    CHECK(!options_given(o, "alpha"));
    CHECK(!options_given(o, "nothing of this name"));
    CHECK_NEAR(options_number(o, "alpha"), 0.5, 0);
    CHECK_TEXT(options_string(o, "method"), "cv");
    CHECK_INT(options_integer(o, "max_levels"), 1000);
    CHECK(options_is(o, "unseen", "reference"));

    /* canonical text: sorted, numbers plain */
    CHECK_TEXT(
        options_json(o, &length),
        "{\"features\":[\"a\",\"b\xc3\xa9\"],\"intercept\":false,\"k\":10,\"lambda\":[1,2.5],"
        "\"nulls\":\"impute\",\"offset\":-1e+300,\"priors\":{\"x\":0.25,\"y\":0.75},"
        "\"start\":[[1,2,3],[4,5,6]]}");
    CHECK_INT(length, strlen(options_json(o, &length)));

    o = parse(host, "");
    CHECK_TEXT(options_json(o, &length), "{}");
    CHECK_TEXT(options_used_json(o, &length),
               "{\"alpha\":0.5,\"intercept\":true,\"k\":3,\"max_levels\":1000,\"method\":\"cv\","
               "\"nulls\":\"skip\",\"unseen\":\"reference\",\"weight_kind\":\"precision\"}");
    CHECK_INT(options_type(o, "lambda"), 0);
    CHECK(isnan(options_number(o, "lambda")));
    CHECK(options_string(o, "lambda") == NULL);
    CHECK(options_numbers(o, "lambda", &count) == NULL);
    CHECK(options_matrix(o, "start", &rows, &columns) == NULL);
    CHECK(options_strings(o, "features", &count) == NULL);
    CHECK(options_value_json(o, "lambda") == NULL);
    CHECK_NEAR(options_numbers(o, "alpha", &count)[0], 0.5, 0);
}

static void test_models(Host *host)
{
    uint32_t length;
    Options *o = parse(host, "{\"start\":{\"b\":[1],\"a\":\"x\"},\"lambda\":\"cv\"}");

    CHECK_INT(options_type(o, "start"), OPTION_MODEL);
    CHECK_TEXT(options_value_json(o, "start"), "{\"a\":\"x\",\"b\":[1]}");
    CHECK(options_is(o, "lambda", "cv"));
    CHECK_TEXT(options_json(o, &length), "{\"lambda\":\"cv\",\"start\":{\"a\":\"x\",\"b\":[1]}}");
}

static void test_positional(Host *host)
{
    uint32_t length;
    Options *o = parse_positional(host, "{}", 0.1, 7);

    CHECK_NEAR(options_number(o, "lambda"), 0.1, 0);
    CHECK_INT(options_integer(o, "k"), 7);
    CHECK(options_given(o, "lambda"));
    CHECK_TEXT(options_json(o, &length), "{\"k\":7,\"lambda\":0.1}");
    CHECK(options_hash(o) == options_hash(parse(host, "{\"lambda\":1e-1, \"k\":7.0}")));
    CHECK(options_hash(o) != options_hash(parse(host, "{\"lambda\":1e-1}")));

    o = parse_positional(host, "{\"lambda\":2}", NAN, NAN);
    CHECK_NEAR(options_number(o, "lambda"), 2, 0);
    CHECK_INT(options_integer(o, "k"), 3);

    CHECK_FAILS(host, ERROR_PARAMETER, "lambda of ridge is given twice",
                parse_positional(host, "{\"lambda\":2}", 0.1, NAN));
    CHECK_FAILS(host, ERROR_PARAMETER,
                "option \"lambda\" of ridge must be a number with x >= 0, not -1",
                parse_positional(host, "{}", -1, NAN));
    CHECK_FAILS(host, ERROR_PARAMETER, "lambda of ridge must be finite, not -infinity",
                parse_positional(host, "{}", -INFINITY, NAN));
    CHECK_FAILS(host, ERROR_PARAMETER, "lambda of ridge must be finite, not infinity",
                parse_positional(host, "{}", INFINITY, NAN));
    CHECK_FAILS(host, ERROR_PARAMETER, "option \"k\" of ridge must be an integer, not 2.5",
                parse_positional(host, "{}", NAN, 2.5));
}

/* message and hint of a refused text */
static void refuse(Host *host, const char *json, const char *message, const char *hint)
{
    CHECK_FAILS(host, ERROR_PARAMETER, message, parse(host, json));
    CHECK_HOLDS(host->hint, hint);
}

/* Levels as texts, options of other options, and an option under its former name. */
static void test_objects(Host *host)
{
    static const OptionSpec inner[] = {{.name = "depth", .formerly = "height", .types = OPTION_INTEGER, .fallback = "3", .minimum = 1, .maximum = 9}, {.name = NULL}};
    static const OptionSpec *const inner_tables[] = {inner, NULL};
    static const OptionSpec outer[] = {{.name = "each", .types = OPTION_NESTED | OPTION_NESTED_LIST, .nested = inner_tables, .unset = "none"}, {.name = NULL}};
    static const OptionSpec *const outer_tables[] = {options_common, outer, NULL};
    static const struct {
        const char *json, *message;
    } refused[] = {
        {"{\"reference\":{\"a\":null}}", "must be an object of strings, not {\"a\":null}"},
        {"{\"each\":{\"depth\":1e999}}", "must have numbers that fit double precision, not object"},
        {"{\"each\":[{\"depth\":10}]}", "option \"depth\" of forest must be an integer with 1 <= x <= 9, not 10"},
        {"{\"each\":[1]}", "must be an object of options or an array of objects of options, not [1]"},
        {"{\"each\":{\"depth\":1,\"height\":2}}", "option \"depth\" of each is given twice"},
    };
    const char *json = "{\"reference\":{\"a\":\"x\",\"b\":1.5,\"c\":true,\"d\":false},\"each\":[{\"height\":2},{}]}";
    Env *env = &host->env;
    Options *const *each, *o = options_parse(env, "forest", outer_tables, json, strlen(json), NULL, NULL, 0);
    const char *const *keys, *const *values;
    uint32_t count;

    keys = options_object_strings(o, "reference", &values, &count);
    CHECK(count == 4 && strcmp(keys[1], "b") == 0 && strcmp(values[0], "x") == 0 && strcmp(values[1], "1.5") == 0);
    CHECK(strcmp(values[2], "true") == 0 && strcmp(values[3], "false") == 0);
    each = options_nested(o, "each", &count);
    CHECK(count == 2 && options_integer(each[0], "depth") == 2 && options_integer(each[1], "depth") == 3);
    CHECK(option_find(inner_tables, "height") == inner && option_find(inner_tables, "size") == NULL);
    CHECK_TEXT(option_default_text(env, inner), "3");
    CHECK_TEXT(option_default_text(env, outer), "(none)");
    CHECK(option_is_common(options_common) && !option_is_common(inner));
    CHECK(options_object_strings(o, "each", &values, &count) == NULL && values == NULL && count == 0);
    options_hide(o, (const char *const[]){"each", "nothing", NULL});
    CHECK(strstr(options_used_json(o, &count), "each") == NULL && strstr(options_json(o, &count), "each") != NULL);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        CHECK_FAILS(host, ERROR_PARAMETER, refused[i].message, options_parse(env, "forest", outer_tables, refused[i].json, strlen(refused[i].json), NULL, NULL, 0));
    CHECK_FAILS(host, ERROR_INTERNAL, "ridge has no option \"nothing\"", options_number(parse(host, ""), "nothing"));
    CHECK_FAILS(host, ERROR_INTERNAL, "ridge has no option \"nothing\" for its argument",
                options_parse(env, "ridge", tables, NULL, 0, (const char *const[]){"nothing"}, (const double[]){1}, 1));
}

/* A text of several megabytes, as of a model among the options, is hashed to its end and can be canceled. */
static void test_long_texts(Host *host)
{
    enum { LENGTH = 3 << 20 };
    char *text = env_array(&host->env, LENGTH, 1);
    uint64_t hash;

    host->polls = 0;
    hash = options_text_hash(&host->env, text, LENGTH);
    CHECK(hash == options_text_hash(&host->env, text, LENGTH) && host->polls >= 2);
    for (uint32_t at = 0; at < LENGTH; at += (1 << 20) - 1) {
        text[at] = 1;
        CHECK(hash != options_text_hash(&host->env, text, LENGTH));
        text[at] = 0;
    }
}

static void test_errors(Host *host)
{
    refuse(host, "{\"lamda\":1}", "ridge has no option \"lamda\"",
           "Did you mean \"lambda\"? Valid options are alpha, features, formula, intercept, k, lambda, "
           "max_levels, "
           "method, missing, nulls, offset, on_failure, priors, reference, start, unseen, weight_kind.");
    refuse(host, "{\"Intercept\":1}", "no option \"Intercept\"", "Did you mean \"intercept\"?");
    refuse(host, "{\"metohd\":1}", "no option \"metohd\"", "Did you mean \"method\"?");
    refuse(host, "{\"\":1}", "ridge has no option \"\"", "Valid options are");
    /* a long name is cut before a character that would be cut in two */
    refuse(host, "{\"a23456789012345678901234567890123456789012345678901234567890\303\251\":1}",
           "ridge has no option \"a23456789012345678901234567890123456789012345678901234567890\"", "Valid options are");
    refuse(host, "{\"a2345678901234567890123456789012345678901234567890123456789\303\251\":1}",
           "ridge has no option \"a2345678901234567890123456789012345678901234567890123456789\"", "Valid options are");
    refuse(host, "{\"zzzzzzz\":1}", "no option \"zzzzzzz\"", "Valid options are");
    CHECK(strstr(host->hint, "mean") == NULL);
    refuse(
        host, "{\"lambda\":true}",
        "option \"lambda\" of ridge must be a number or a string or an array of numbers, not true",
        "lambda takes: number or string or array of numbers; x >= 0; or \"cv\".");
    refuse(host, "{\"lambda\":\"xv\"}", "must be a number or an array of numbers or \"cv\"", "or \"cv\"");
    refuse(host, "{\"lambda\":[1,-2]}", "x >= 0, not [1,-2]", "lambda takes");
    refuse(host, "{\"lambda\":[1,\"a\"]}", "must be a number or a string or an array of numbers",
           "lambda takes");
    refuse(host, "{\"lambda\":[]}", "option \"lambda\" of ridge must not be empty, not []",
           "lambda takes");
    refuse(host, "{\"lambda\":null}",
           "must be a number or a string or an array of numbers, not null", "takes");
    refuse(host, "{\"lambda\":1e999}", "must be a number that fits double precision, not 1e999",
           "takes");
    refuse(host, "{\"alpha\":0}", "must be a number with 0 < x < 1, not 0", "default 0.5.");
    refuse(host, "{\"alpha\":1}", "must be a number with 0 < x < 1, not 1", "0 < x < 1");
    refuse(host, "{\"alpha\":[1]}", "must be a number, not [1]", "alpha takes: number; 0 < x < 1");
    refuse(host, "{\"alpha\":[1e999]}", "must be a number, not array", "alpha takes");
    refuse(host, "{\"features\":[1]}", "must be an array of strings, not [1]", "features takes");
    refuse(host, "{\"start\":{\"a\":1e999}}", "must have numbers that fit double precision, not object", "start takes");
    refuse(host, "{\"k\":0}", "must be an integer with 1 <= x <= 100, not 0", "k takes: integer");
    refuse(host, "{\"k\":101}", "must be an integer with 1 <= x <= 100, not 101",
           "k takes: integer");
    refuse(host, "{\"k\":1.5}", "option \"k\" of ridge must be an integer, not 1.5",
           "k takes: integer");
    refuse(host, "{\"k\":\"3\"}", "must be an integer, not \"3\"", "k takes: integer");
    refuse(host, "{\"method\":\"drop\"}", "must be one of \"cv\", \"fixed\", not \"drop\"",
           "default \"cv\"");
    refuse(host, "{\"method\":2}", "must be a string, not 2", "\"cv\", \"fixed\"");
    refuse(host, "{\"intercept\":1}", "must be a boolean, not 1",
           "intercept takes: boolean; default true.");
    refuse(host, "{\"start\":[[1,2],[3]]}", "must have rows of equal length",
           "array of equally long");
    refuse(host, "{\"start\":[[],[]]}", "must have rows of equal length", "array of equally long");
    refuse(host, "{\"start\":[[1,\"a\"]]}", "must be an array of equally long", "start takes");
    refuse(host, "{\"priors\":{\"a\":\"b\"}}", "must be a string or an object of numbers",
           "priors takes");
    refuse(host, "{\"priors\":{\"a\":2}}", "0 <= x <= 1", "priors takes");
    refuse(host, "{\"features\":\"a\"}", "must be an array of strings, not \"a\"",
           "features takes");
    refuse(host, "{\"features\":{\"a\":1}}", "must be an array of strings, not {\"a\":1}",
           "features takes");
    refuse(host, "[1]", "the options of ridge must be a JSON object, not an array", "Write {");
    refuse(host, "3", "must be a JSON object, not a number", "Write {");

    /* text that is not JSON, or has a key twice */
    CHECK_FAILS(host, ERROR_PARAMETER, "malformed options", parse(host, "{\"k\":1,"));
    CHECK_FAILS(host, ERROR_PARAMETER, "malformed options", parse(host, "{\"k\":1,\"k\":2}"));

    /* a long value is cut, on a character */
    refuse(
        host,
        "{\"alpha\":"
        "\"\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
        "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
        "\xc3\xa9\xc3\xa9"
        "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\"}",
        "\xc3\xa9\xc3\xa9...", "alpha takes");
}

static void test_words(Host *host)
{
    const char *candidates[] = {"linear_regression", "ridge_regression", "kmeans"};
    const char *longest = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz";

    CHECK_TEXT(nearest_name("kmean", 5, candidates, 3), "kmeans");
    CHECK_TEXT(nearest_name("LinearRegression", 16, candidates, 3), "linear_regression");
    CHECK_TEXT(nearest_name("ridge", 5, candidates, 3), "ridge_regression");
    CHECK(nearest_name("x", 1, candidates, 3) == NULL);
    CHECK(nearest_name("day", 3, (const char *const[]){"x y", "price"}, 2) == NULL);
    CHECK_TEXT(nearest_name("prce", 4, (const char *const[]){"x y", "price"}, 2), "price");
    CHECK(nearest_name("", 0, candidates, 3) == NULL);
    CHECK_TEXT(nearest_name("abc", 3, &longest, 1), longest); /* by its beginning */
    CHECK_TEXT(nearest_method("K-Me{ans", 8, candidates, 3), "kmeans");
    CHECK_TEXT(nearest_method("RidgeCV", 7, candidates, 3), "ridge_regression");
    CHECK_TEXT(nearest_method("kmean", 5, candidates, 3), "kmeans");
    CHECK(nearest_method(longest, strlen(longest), candidates, 3) == NULL && nearest_method("lasso", 5, &longest, 1) == NULL);
    {
        static const char *const names[] = {"lambda", "max_iter", "n_trees"};
        const char *note = NULL;

        CHECK_TEXT(option_meant("n_estimators", 12, names, 3, &note), "n_trees");
        CHECK(note == NULL);
        CHECK_TEXT(option_meant("N.Estimators!", 12, names, 3, &note), "n_trees"); /* 12 bytes */
        CHECK_TEXT(option_meant("C", 1, names, 3, &note), "lambda");
        CHECK(note != NULL);
        CHECK_TEXT(option_meant("maxit", 5, names, 3, &note), "max_iter");
        CHECK(option_meant("n_neighbors", 11, names, 3, &note) == NULL);
        CHECK(option_meant("", 0, names, 3, &note) == NULL);
        CHECK(option_meant("alpha", 5, names + 1, 2, &note) == NULL);
        CHECK(choice_meant("metric", "l1", (const char *const[]){"euclidean", NULL}) == NULL);
        CHECK_TEXT(choice_meant("metric", "l2", (const char *const[]){"manhattan", "euclidean", NULL}), "euclidean");
        CHECK(option_meant("n_estimators_n_estimators_n_estimators_n_estimators", 51, names, 3, &note) == NULL);
    }
    CHECK_TEXT(option_type_text(&host->env, &specs[5]),
               "array of equally long arrays of numbers or model");
    CHECK_TEXT(option_range_text(&host->env, &specs[0]), "x >= 0; or \"cv\"");
    CHECK_TEXT(option_range_text(&host->env, &specs[1]), "0 < x < 1");
    CHECK_TEXT(option_range_text(&host->env, &specs[7]), "");
    CHECK_TEXT(option_range_text(&host->env, &(OptionSpec){.minimum = -INFINITY, .maximum = 3}),
               "x <= 3");
    CHECK_TEXT(option_range_text(&host->env, &(OptionSpec){.minimum = -INFINITY, .maximum = 3, .choices = methods}), "x <= 3; or \"cv\", \"fixed\"");
}

int main(void)
{
    Host *host = host_new();

    CHECK_WORKS(host, test_values(host));
    CHECK_WORKS(host, test_models(host));
    CHECK_WORKS(host, test_positional(host));
    CHECK_WORKS(host, test_objects(host));
    CHECK_WORKS(host, test_long_texts(host));
    test_errors(host);
    CHECK_WORKS(host, test_words(host));
    host_free(host);
    return check_report();
}
