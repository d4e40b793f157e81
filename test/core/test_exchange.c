/*
 * test_exchange.c - documents of other programs: the same model from JSON and UBJSON, comparisons of floats told by doubles, and
 * damaged documents, which either fail or become sound models.
 */
#include "check.h"
#include "fit.h"
#include "core/base/text_buffer.h"
#include "core/exchange/exchange.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- documents ---- */

/* Returns a document of XGBoost: a stump on a number, and a tree with a category under a number. condition: of the stump, as JSON. */
static char *xgboost_document(Env *env, const char *condition)
{
    TextBuffer out = {.env = env};

    text_print(&out,
               "{\"learner\":{\"attributes\":{\"best_iteration\":\"1\"},\"feature_names\":[\"x\",\"the \\\"c\\\"\"],\"feature_types\":[\"float\",\"c\"],"
               "\"gradient_booster\":{\"model\":{\"cats\":{\"enc\":[{\"offsets\":[],\"values\":[]},{\"offsets\":[0,1,3,5],\"values\":[117,-61,-68,119,119]}],"
               "\"feature_segments\":[0,0,3],\"sorted_idx\":[0,2,1]},\"gbtree_model_param\":{\"num_parallel_tree\":\"1\",\"num_trees\":\"2\"},\"tree_info\":[0,0],\"trees\":["
               "{\"base_weights\":[0.5,1.0,0.0],\"default_left\":[1,0,0],\"id\":0,\"left_children\":[1,-1,-1],\"loss_changes\":[2.5,0.0,0.0],\"right_children\":[2,-1,-1],"
               "\"split_conditions\":[%s,1.0,0.0],\"split_indices\":[0,0,0],\"split_type\":[0,0,0],\"sum_hessian\":[3.0,1.0,2.0]},"
               "{\"categories\":[0,2],\"categories_nodes\":[2],\"categories_segments\":[0],\"categories_sizes\":[2],\"default_left\":[0,0,1,0,0],"
               "\"left_children\":[1,-1,3,-1,-1],\"right_children\":[2,-1,4,-1,-1],\"split_conditions\":[0.25,0.0,NaN,4.0,8.0],\"split_indices\":[0,0,1,0,0],"
               "\"split_type\":[0,0,1,0,0],\"sum_hessian\":[3.0,1.0,2.0,1.0,1.0]}]},\"name\":\"gbtree\"},"
               "\"learner_model_param\":{\"base_score\":\"0E0\",\"num_class\":\"0\",\"num_feature\":\"2\",\"num_target\":\"1\"},"
               "\"objective\":{\"name\":\"reg:squarederror\"}},\"version\":[1,7,4]}",
               condition);
    return text_finish(&out, NULL);
}

/* Returns a document of LightGBM, as text or as a dump: a split on a number with a category under it, and a leaf alone. */
static char *lightgbm_document(Env *env, bool dump)
{
    static const char text[] =
        "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nlabel_index=0\nmax_feature_idx=1\nobjective=regression\nfeature_names=x c\n"
        "feature_infos=[-1:1] 0:2:40\ntree_sizes=300 200\n\nTree=0\nnum_leaves=3\nnum_cat=1\nsplit_feature=0 1\nsplit_gain=2.5 1\nthreshold=0.25 0\n"
        "decision_type=10 1\nleft_child=-1 -2\nright_child=1 -3\nleaf_value=1 4 8\nleaf_weight=1 1 1\nleaf_count=1 2 3\ninternal_value=0 0\n"
        "internal_weight=6 5\ninternal_count=6 5\ncat_boundaries=0 2\ncat_threshold=5 256\nis_linear=0\nshrinkage=0.1\n\n\nTree=1\nnum_leaves=1\nnum_cat=0\n"
        "split_feature=\nsplit_gain=\nthreshold=\ndecision_type=\nleft_child=\nright_child=\nleaf_value=0.5\nleaf_weight=\nleaf_count=\ninternal_value=\n"
        "internal_weight=\ninternal_count=\nis_linear=0\nshrinkage=1\n\n\nend of trees\n\nfeature_importances:\nx=1\n\nparameters:\n[categorical_feature: 1]\n"
        "end of parameters\n\npandas_categorical:null\n";
    static const char json[] =
        "{\"name\":\"tree\",\"version\":\"v4\",\"num_class\":1,\"num_tree_per_iteration\":1,\"label_index\":0,\"max_feature_idx\":1,\"objective\":\"regression\","
        "\"average_output\":false,\"feature_names\":[\"x\",\"c\"],\"monotone_constraints\":[],\"feature_infos\":{\"x\":{\"min_value\":-1,\"max_value\":1,\"values\":[]},"
        "\"c\":{\"min_value\":0,\"max_value\":40,\"values\":[0,2,40]}},\"tree_info\":[{\"tree_index\":0,\"num_leaves\":3,\"num_cat\":1,\"shrinkage\":0.1,\"tree_structure\":"
        "{\"split_index\":0,\"split_feature\":0,\"split_gain\":2.5,\"threshold\":0.25,\"decision_type\":\"<=\",\"default_left\":true,\"missing_type\":\"NaN\","
        "\"internal_value\":0,\"internal_weight\":6,\"internal_count\":6,\"left_child\":{\"leaf_index\":0,\"leaf_value\":1,\"leaf_weight\":1,\"leaf_count\":1},\"right_child\":"
        "{\"split_index\":1,\"split_feature\":1,\"split_gain\":1,\"threshold\":\"0||2||40\",\"decision_type\":\"==\",\"default_left\":false,\"missing_type\":\"None\","
        "\"internal_value\":0,\"internal_weight\":5,\"internal_count\":5,\"left_child\":{\"leaf_index\":1,\"leaf_value\":4,\"leaf_weight\":1,\"leaf_count\":2},\"right_child\":"
        "{\"leaf_index\":2,\"leaf_value\":8,\"leaf_weight\":1,\"leaf_count\":3}}}},{\"tree_index\":1,\"num_leaves\":1,\"num_cat\":0,\"shrinkage\":1,\"tree_structure\":"
        "{\"leaf_value\":0.5}}],\"feature_importances\":{\"x\":1},\"pandas_categorical\":null}";

    return dump ? env_text(env, json, strlen(json)) : env_text(env, text, strlen(text));
}

static void put_bytes(TextBuffer *out, uint64_t value, uint32_t count)
{
    for (uint32_t i = count; i-- > 0;)
        text_character(out, (char)(value >> 8 * i));
}

static void put_text(TextBuffer *out, const Json *string)
{
    text_character(out, 'L');
    put_bytes(out, string->length, 8);
    text_bytes(out, string->text, string->length);
}

static void put_number(TextBuffer *out, Env *env, const Json *number, bool real)
{
    float value = (float)json_number(env, number);
    uint32_t bits;

    memcpy(&bits, &value, sizeof(bits));
    put_bytes(out, real ? bits : (uint32_t)(int32_t)value, 4);
}

/* Tells whether an array has numbers alone; *real: one has a point. */
static bool all_numbers(const Json *array, bool *real)
{
    *real = false;
    for (const Json *j = json_first(array); j != NULL; j = json_next(array, j)) {
        if (j->type != JSON_NUMBER)
            return false;
        *real = *real || memchr(j->text, '.', j->length) != NULL;
    }
    return array->length > 0;
}

/* Writes a value in UBJSON as XGBoost does: arrays of numbers have a type and a length. */
static void put_binary(TextBuffer *out, Env *env, const Json *value)
{
    bool real = value->type == JSON_NUMBER && memchr(value->text, '.', value->length) != NULL;

    if (value->type == JSON_STRING) {
        text_character(out, 'S');
        put_text(out, value);
    } else if (value->type == JSON_NUMBER) {
        text_character(out, real ? 'd' : 'l');
        put_number(out, env, value, real);
    } else if (value->type == JSON_OBJECT) {
        text_character(out, '{');
        for (const Json *key = json_first(value); key != NULL; key = json_next(value, key)) {
            put_text(out, key);
            put_binary(out, env, json_value(key));
        }
        text_character(out, '}');
    } else {
        bool numbers = all_numbers(value, &real);

        text_print(out, numbers ? "[$%c#L" : "[#L", real ? 'd' : 'l');
        put_bytes(out, value->length, 8);
        for (const Json *j = json_first(value); j != NULL; j = json_next(value, j))
            if (numbers)
                put_number(out, env, j, real);
            else
                put_binary(out, env, j);
    }
}

static char *binary_document(Env *env, const char *text, size_t *length)
{
    TextBuffer out = {.env = env}, strict = {.env = env};
    const char *nan = strstr(text, "NaN");

    text_bytes(&strict, text, (size_t)(nan - text));
    text_print(&strict, "0.5%s", nan + 3); /* the condition of a split on a category says nothing */
    put_binary(&out, env, json_parse(env, strict.text, strict.length, ERROR_TEXT, "document"));
    return text_finish(&out, length);
}

static const char names_json[] = "{\"levels\": {\"the \\\"c\\\"\": [\"u\", \"v\", \"w\"]}}";

static Model *import_bytes(Env *env, const char *bytes, size_t length)
{
    ImportNames names = import_names(env, names_json, strlen(names_json));

    return model_import(env, (const uint8_t *)bytes, length, NULL, &names);
}

static double score(Env *env, const Model *model, double x, double c)
{
    const Scoring *scoring = estimator_of(model)->scoring;
    double slots[2] = {x, c};
    size_t bytes = 0;

    return scoring->predict(model, scoring->prepare(env, model, &bytes), slots);
}

/* ---- tests ---- */

static void check_forms(Host *host)
{
    Env *env = &host->env;
    char *text = xgboost_document(env, "0.5"), *binary;
    size_t length;
    Model *model = import_bytes(env, text, strlen(text));

    binary = binary_document(env, text, &length);
    CHECK(model_compare(model, import_bytes(env, binary, length)) == 0);
    CHECK_NEAR(score(env, model, 0.1, 0), 1, 0);
    CHECK_NEAR(score(env, model, 0.4, 1), 5, 0);
    CHECK_NEAR(score(env, model, 0.6, 1), 4, 0);
    CHECK_NEAR(score(env, model, 0.6, 2), 8, 0);
    CHECK_NEAR(score(env, model, NAN, NAN), 5, 0);
    for (size_t cut = 0; cut < length; cut++) {
        if (TRY(host)) {
            import_bytes(env, binary, cut);
            CHECK(false);
        }
        TRY_END(host);
    }
}

/* x goes left just if the nearest float is below the condition. */
static void check_thresholds(Host *host)
{
    Env *env = &host->env;
    static const float special[] = {0.0f, -0.0f, 0x1p-149f, -0x1p-149f, FLT_MIN, 1.0f, -1.0f, FLT_MAX, -FLT_MAX, 16777216.0f};
    uint64_t seed = 3;

    for (uint32_t i = 0; i < 400; i++) {
        uint32_t bits = (uint32_t)(random_uniform(&seed) * 4294967296.0), wrong = 0;
        char number[32], *text;
        float condition, below, above;
        double tried[7];
        Model *model;

        memcpy(&condition, &bits, sizeof(condition));
        condition = i < 10 ? special[i] : isfinite(condition) ? condition : 2.5f;
        snprintf(number, sizeof(number), "%.9g", (double)condition);
        text = xgboost_document(env, number);
        model = import_bytes(env, text, strlen(text));
        below = nextafterf(condition, -INFINITY);
        above = nextafterf(condition, INFINITY);
        tried[0] = below;
        tried[1] = condition;
        tried[2] = above;
        tried[3] = isinf(below) ? -FLT_MAX : ((double)below + condition) / 2;
        tried[4] = nextafter(tried[3], INFINITY);
        tried[5] = nextafter(tried[3], -INFINITY);
        tried[6] = isinf(above) ? FLT_MAX : ((double)above + condition) / 2;
        for (int k = 0; k < 7; k++)
            if (isfinite(tried[k]))
                wrong += (score(env, model, tried[k], 1) - (float)((float)tried[k] < 0.25f ? 0 : 4) == 1) != ((float)tried[k] < condition);
        CHECK_INT(wrong, 0);
    }
}

static Model *import_plain(Env *env, const char *bytes, size_t length)
{
    const ImportNames none = {0};

    return model_import(env, (const uint8_t *)bytes, length, NULL, &none);
}

/* Text and dump are one model; a document that was cut within its trees is none. */
static void check_lightgbm(Host *host)
{
    Env *env = &host->env;
    char *text = lightgbm_document(env, false), *dump = lightgbm_document(env, true);
    Model *model = import_plain(env, text, strlen(text));
    size_t trees = (size_t)(strstr(text, "end of trees") - text);

    CHECK(model_compare(model, import_plain(env, dump, strlen(dump))) == 0);
    CHECK_NEAR(score(env, model, 0.25, 1), 1.5, 0);
    CHECK_NEAR(score(env, model, 0.5, 2), 4.5, 0);
    CHECK_NEAR(score(env, model, 0.5, 40), 4.5, 0);
    CHECK_NEAR(score(env, model, 0.5, 1), 8.5, 0);
    CHECK_NEAR(score(env, model, NAN, NAN), 1.5, 0);
    CHECK_NEAR(score(env, model, 0.5, NAN), 8.5, 0);
    for (size_t cut = 0; cut < strlen(dump); cut++) {
        if (TRY(host)) {
            import_plain(env, cut < trees ? text : dump, cut);
            CHECK(false);
        }
        TRY_END(host);
    }
}

/* Adds a forest of trees with a bit set of 2,000 words each, as text. */
static char *large_document(Env *env, uint32_t trees)
{
    TextBuffer out = {.env = env};

    text_print(&out, "tree\nversion=v4\nnum_class=1\nlabel_index=0\nmax_feature_idx=0\nobjective=regression\nfeature_names=c\nfeature_infos=0:1\n");
    for (uint32_t t = 0; t < trees; t++) {
        text_print(&out, "Tree=%u\nnum_leaves=2\nnum_cat=1\nsplit_feature=0\nthreshold=0\ndecision_type=1\nleft_child=-1\nright_child=-2\nleaf_value=1 2\n"
                         "leaf_count=1 1\ncat_boundaries=0 2000\ncat_threshold=", t);
        for (uint32_t w = 0; w < 2000; w++)
            text_print(&out, "%u ", 4294967295u - w);
        text_add(&out, "\n\n");
    }
    text_add(&out, "end of trees\n");
    return text_finish(&out, NULL);
}

/* A long document polls often, and a cancel ends it. */
static void check_cancel(Host *host)
{
    Env *env = &host->env;
    char *text = large_document(env, 30);
    uint64_t before = host->polls, polls;

    import_plain(env, text, strlen(text));
    polls = host->polls - before;
    CHECK(polls > 100);
    for (uint64_t at = 1; at < polls; at += polls / 20) {
        host->cancel_at = host->polls + at;
        if (TRY(host)) {
            import_plain(env, text, strlen(text));
            CHECK(false);
        } else {
            CHECK(host->polls == host->cancel_at);
        }
        TRY_END(host);
    }
    host->cancel_at = 0;
}

#define DAMAGED 10000 /* documents of a form */

/* Whatever becomes of a document, it fails with a code of data or options, or its model scores. */
static void check_damage(Host *host, int form)
{
    uint64_t seed = 7;
    uint32_t sound = 0;

    for (uint32_t i = 0; i < DAMAGED; i++) {
        Env *env = &host->env;
        char *text = form < 2 ? xgboost_document(env, "0.5") : lightgbm_document(env, form == 3), *document;
        size_t length = strlen(text);

        document = form == 1 ? binary_document(env, text, &length) : text;
        for (uint32_t k = (uint32_t)(random_uniform(&seed) * 4) + 1; k > 0; k--) {
            size_t at = (size_t)(random_uniform(&seed) * (double)length), from = (size_t)(random_uniform(&seed) * (double)length);

            document[at] = random_uniform(&seed) < 0.5 ? document[from] : (char)(random_uniform(&seed) * 256);
        }
        if (TRY(host)) {
            Model *model = form < 2 ? import_bytes(env, document, length) : import_plain(env, document, length);

            for (int k = 0; k < 8; k++)
                score(env, model, k % 2 ? NAN : k - 3.5, k - 3);
            sound++;
        } else {
            CHECK(host->code == ERROR_DATA || host->code == ERROR_PARAMETER || host->code == ERROR_LIMIT);
        }
        TRY_END(host);
        host_reset(host);
    }
    CHECK(sound > 100 && sound < DAMAGED - 100);
}

/* Other words in place of each word of a document in turn. */
static void check_words(Host *host, int form)
{
    static const char *const odd[] = {"", "-1", "0", "1", "7", "0.5", "99999999999", "1e300", "nan", "x", "true", "null"};
    static const char ends[] = " ,:={}[]\n\"";
    Env *env = &host->env;
    char *text = form < 2 ? xgboost_document(env, "0.5") : lightgbm_document(env, form == 3), *document = strdup(text), *altered = malloc(strlen(text) + 16);
    uint32_t sound = 0, tried = 0;

    for (const char *at = document; *at != 0; at += strcspn(at, ends), at += strspn(at, ends))
        for (size_t k = 0; k < sizeof odd / sizeof *odd; k++, tried++) {
            size_t length = (size_t)sprintf(altered, "%.*s%s%s", (int)(at - document), document, odd[k], at + strcspn(at, ends));

            if (TRY(host)) {
                Model *model = form < 2 ? import_bytes(env, altered, length) : import_plain(env, altered, length);

                for (int i = 0; i < 8; i++)
                    score(env, model, i % 2 ? NAN : i - 3.5, i - 3);
                sound++;
            } else {
                check_that(host->code == ERROR_DATA || host->code == ERROR_PARAMETER || host->code == ERROR_LIMIT, __FILE__, __LINE__, "%s", host->message);
            }
            TRY_END(host);
            host_reset(host);
        }
    CHECK(sound > tried / 10 && sound < tried);
    free(document);
    free(altered);
}

int main(void)
{
    Host *host = host_new();

    CHECK_WORKS(host, check_forms(host));
    host_reset(host);
    CHECK_WORKS(host, check_thresholds(host));
    host_reset(host);
    CHECK_WORKS(host, check_lightgbm(host));
    host_reset(host);
    CHECK_WORKS(host, check_cancel(host));
    host_reset(host);
    for (int form = 0; form < 4; form++)
        check_damage(host, form);
    for (int form = 0; form < 4; form += form == 0 ? 2 : 1)
        check_words(host, form);
    host_free(host);
    return check_report();
}
