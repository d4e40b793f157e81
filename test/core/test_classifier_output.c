/*
 * test_classifier_output.c - maps of calibrations, calibrated classifiers, decision rules, and values that claim to be such.
 */
#include "check.h"
#include "fit.h"
#include "core/estimator/calibration_map.h"
#include "core/inspection/model_info.h"
#include "core/estimator/classifier_output.h"

#include <stdlib.h>

/* Fits lda to classes around 0, 2, 4 ... of one feature. */
static Model *classifier(Env *env, const char *estimator, uint32_t classes)
{
    SchemaSpec spec = {.field_count = 1, .class_type = "text"};
    Model *state = moments_new(env, &spec, &(MomentsPlan){.kind = MODEL_CLASS_MOMENTS});
    const Estimator *method = estimator_find(estimator);
    const OptionSpec *const *tables = method->options;
    FitInput input = {.kind = INPUT_CLASS_MOMENTS};
    uint64_t seed = 7;
    uint32_t position;

    for (uint32_t k = 0; k < classes; k++) {
        char label[2] = {(char)('a' + k), 0};

        state = dictionary_add(env, state, DICTIONARY_CLASSES, 0, label, 1, false, 0, &position);
    }
    for (uint32_t i = 0; i < 30 * classes; i++) {
        double x = 2.0 * (i % classes) + random_normal(&seed);

        if (i % classes != 0 || i % 2 == 0) /* the first class is half as frequent */
            state = moments_add(env, state, &x, NULL, i % classes, 1);
    }
    input.moments = state;
    return estimator_fit(env, method, &input, options_parse(env, estimator, tables, "", 0, NULL, NULL, 0), true);
}

typedef struct Scored {
    double p[8];
    uint32_t class;
} Scored;

static Scored score(Env *env, const Model *model, double x)
{
    const Scoring *scoring = estimator_of(model)->scoring;
    size_t bytes;
    const void *prepared = scoring->prepare != NULL ? scoring->prepare(env, model, &bytes) : NULL;
    Scored scored;
    double room[8];

    if (classifier_output_has_probabilities(scoring, model))
        classifier_output_probabilities(scoring, model, prepared, &x, 0, scored.p);
    scored.class = classifier_output_classify(scoring, model, prepared, &x, 0, room);
    return scored;
}

static Model *ruled(Env *env, const Model *model, const char *options)
{
    Model *result = decision_rule_apply(env, model, options, strlen(options));

    CHECK(model_check(env, result, result->size) == NULL);
    CHECK(model_compare(model_again(env, result), result) == 0);
    return result;
}

/* ---- maps ---- */

static void test_maps(Host *host)
{
    Env *env = &host->env;
    static const double logistic[] = {CALIBRATION_LOGISTIC, 3, 2, 1, 0.5};
    static const double step[] = {CALIBRATION_STEP, 9, 0, 1, 0.1, 2, 2, 0.5, 3, 5, 0.9};
    static const double linear[] = {CALIBRATION_LINEAR, 9, -1e308, 0, 0.1, 2, 2, 0.5, 1e308, 1.5e308, 0.9};

    CHECK_NEAR(calibration_map(logistic, 1), 1 / (1 + exp(-0.5)), 1e-15);
    CHECK_NEAR(calibration_map(logistic, 1e308), 1, 0);
    CHECK_NEAR(calibration_map(logistic, -1e308), 0, 0);
    CHECK(calibration_map(step, -9) == 0.1 && calibration_map(step, 1.5) == 0.1 && calibration_map(step, 2) == 0.5);
    CHECK(calibration_map(step, 2.99) == 0.5 && calibration_map(step, 3) == 0.9 && calibration_map(step, 1e308) == 0.9);
    CHECK_NEAR(calibration_map(linear, 1), 0.3, 1e-15);
    CHECK_NEAR(calibration_map(linear, 5e307), 0.7, 1e-15);
    CHECK(calibration_map(linear, 2) == 0.5 && calibration_map(linear, 1.6e308) == 0.9 && calibration_map(linear, -1e308) == 0.1);
    CHECK(isnan(calibration_map(step, NAN)) && isnan(calibration_map(logistic, NAN)));

    CHECK(calibration_map_check(env, step, 11) == NULL && calibration_map_check(env, linear, 11) == NULL);
    CHECK_HOLDS(calibration_map_check(env, step, 10), "cut short");
    CHECK_HOLDS(calibration_map_check(env, step, 1), "cut short");
    CHECK_HOLDS(calibration_map_check(env, (double[]){1, 2, 1, 1}, 4), "three finite numbers");
    CHECK_HOLDS(calibration_map_check(env, (double[]){1, 3, 1, 1, INFINITY}, 5), "three finite numbers");
    CHECK_HOLDS(calibration_map_check(env, (double[]){1, 3, INFINITY, 1, 1}, 5), "three finite numbers");
    CHECK_HOLDS(calibration_map_check(env, (double[]){1, 3, 1, NAN, 1}, 5), "three finite numbers");
    CHECK_HOLDS(calibration_map_check(env, (double[]){2, 2.5, 0, 1, 0.5}, 5), "cut short");
    CHECK_HOLDS(calibration_map_check(env, (double[]){2, 3, -INFINITY, 1, 0.5}, 5), "ends before");
    CHECK_HOLDS(calibration_map_check(env, (double[]){2, 3, 0, INFINITY, 0.5}, 5), "ends before");
    CHECK_HOLDS(monotone_blocks_check(env, (double[]){0, 1, INFINITY}, 1), "not finite");
    CHECK_HOLDS(calibration_map_check(env, (double[]){2, 1, 1}, 3), "three numbers each");
    CHECK_HOLDS(calibration_map_check(env, (double[]){2, NAN, 1}, 3), "cut short");
    CHECK_HOLDS(calibration_map_check(env, (double[]){2, 3, 1, 0, 0.5}, 5), "ends before");
    CHECK_HOLDS(calibration_map_check(env, (double[]){2, 3, 0, 1, NAN}, 5), "outside 0 to 1");
    CHECK_HOLDS(calibration_map_check(env, (double[]){2, 6, 0, 1, 0.5, 1, 2, 0.6}, 8), "overlap");
    CHECK_HOLDS(calibration_map_check(env, (double[]){2, 9, 0, 1, 0.5, 2, 2, 0.6, 3, 3, 0.4}, 11), "up and down");
}

/* ---- decision rules ---- */

static void test_rules(Host *host)
{
    Env *env = &host->env;
    Model *two = classifier(env, "lda", 2), *three = classifier(env, "lda", 3), *other;

    for (double x = -3; x < 7; x += 0.25) {
        Scored plain = score(env, two, x), many = score(env, three, x), found;
        const double *priors = model_f64(two, "priors", &(uint32_t){0});
        double high = 0.8 / priors[1] * plain.p[1], low = 0.2 / priors[0] * plain.p[0];

        CHECK_INT(score(env, ruled(env, two, "{\"threshold\": 0.9}"), x).class, plain.p[1] > 0.9);
        CHECK_INT(score(env, ruled(env, two, "{\"cost\": {\"false_positive\": 9}}"), x).class, plain.p[1] > 0.9);
        CHECK_INT(score(env, ruled(env, two, "{\"cost\": {\"false_negative\": 4}}"), x).class, plain.p[1] > 0.2);
        found = score(env, ruled(env, two, "{\"priors\": {\"a\": 0.2, \"b\": 0.8}, \"threshold\": 0.7}"), x);
        CHECK_NEAR(found.p[1], high / (high + low), 1e-14);
        CHECK_NEAR(found.p[0] + found.p[1], 1, 1e-15);
        CHECK_INT(found.class, found.p[1] > 0.7);
        CHECK_INT(score(env, ruled(env, two, "{\"rule\": \"ml\"}"), x).class, plain.p[1] / priors[1] > plain.p[0] / priors[0]);
        found = score(env, ruled(env, three, "{\"cost\": [[0, 1, 2], [1, 0, 1], [2, 1, 0]]}"), x);
        other = ruled(env, three, "{\"rule\": {\"a\": 0}}");
        CHECK(score(env, other, x).class != 0);
        for (uint32_t k = 0; k < 3; k++) { /* no class is cheaper */
            double cost = 0, least = 0;

            for (uint32_t t = 0; t < 3; t++) {
                cost += many.p[t] * abs((int)t - (int)k);
                least += many.p[t] * abs((int)t - (int)found.class);
            }
            CHECK(least <= cost + 1e-15);
        }
    }
    CHECK(model_compare(decision_rule_apply(env, ruled(env, two, "{\"threshold\": 0.9}"), "{}", 2), two) == 0);
    CHECK_HOLDS(describe_info(env, ruled(env, two, "{\"threshold\": 0.9}")), "\"decision_rule\":{\"threshold\":0.9}");
    CHECK_FAILS(host, ERROR_PARAMETER, "needs two classes", ruled(env, three, "{\"threshold\": 0.9}"));
    CHECK_FAILS(host, ERROR_PARAMETER, "exclude each other", ruled(env, two, "{\"threshold\": 0.9, \"rule\": \"ml\"}"));
    CHECK_FAILS(host, ERROR_KIND, "has none", ruled(env, classifier(env, "nearest_centroid", 2), "{\"threshold\": 0.9}"));
    host_reset(host);
}

/* ---- calibrated ---- */

static void test_calibrated(Host *host)
{
    static const double one[] = {CALIBRATION_STEP, 6, -1, 0, 0.25, 0.5, 0.5, 0.5};
    static const double all[] = {CALIBRATION_LOGISTIC, 3, 1, 0, 0, CALIBRATION_STEP, 3, 0, 0, 0.3, CALIBRATION_LOGISTIC, 3, -1, 0, 0};
    static const double never[] = {CALIBRATION_STEP, 3, 0, 0, 0, CALIBRATION_STEP, 3, 0, 0, 0, CALIBRATION_STEP, 3, 0, 0, 0};
    static const double halves[] = {0.5, 0.5}, thirds[] = {0.25, 0.25, 0.5};
    Env *env = &host->env;
    Model *two = classifier(env, "nearest_centroid", 2), *three = classifier(env, "nearest_centroid", 3);
    ClassifierOutput output = {.classes = 2, .maps = one, .map_numbers = 8, .calibration_priors = halves};
    Model *joined = classifier_output_replace(env, two, &output), *rule;
    double decisions[3];

    CHECK(model_check(env, joined, joined->size) == NULL);
    CHECK(model_compare(classifier_output_strip(env, joined), two) == 0);
    for (double x = -4; x < 6; x += 0.5) {
        Scored found = score(env, joined, x);
        double decision = estimator_of(two)->scoring->decision(two, NULL, &x);

        CHECK_NEAR(found.p[1], calibration_map(one, decision), 0);
        CHECK_NEAR(found.p[0], 1 - found.p[1], 0);
        CHECK_INT(found.class, 0); /* 0.5 is not above 0.5 */
    }
    rule = ruled(env, joined, "{\"priors\": {\"a\": 0.25, \"b\": 0.75}}");
    CHECK_NEAR(score(env, rule, 9).p[1], 0.75, 1e-15);
    CHECK_INT(score(env, rule, 9).class, 1);

    output = (ClassifierOutput){.classes = 3, .maps = all, .map_numbers = 15, .calibration_priors = thirds};
    joined = classifier_output_replace(env, three, &output);
    CHECK(model_check(env, joined, joined->size) == NULL);
    for (double x = -4; x < 6; x += 0.5) {
        Scored found = score(env, joined, x);
        double sum, p[3];

        estimator_of(three)->scoring->decisions(three, NULL, &x, decisions);
        p[0] = 1 / (1 + exp(-decisions[0]));
        p[1] = 0.3;
        p[2] = 1 / (1 + exp(decisions[2]));
        sum = p[0] + p[1] + p[2];
        for (int k = 0; k < 3; k++) {
            CHECK_NEAR(found.p[k], p[k] / sum, 1e-15);
            CHECK(p[found.class] >= p[k]);
        }
    }
    output.maps = never;
    joined = classifier_output_replace(env, three, &output);
    CHECK(model_check(env, joined, joined->size) == NULL);
    CHECK_NEAR(score(env, joined, 1).p[2], 1.0 / 3, 1e-15);
    host_reset(host);
}

/* ---- forged ---- */

static void check_forged(Env *env, const Model *model, const ClassifierOutput *output, const char *words)
{
    Model *forged = classifier_output_replace(env, model, output);

    CHECK_HOLDS(model_check(env, forged, forged->size), words);
}

static uint32_t five_scores(const Model *model)
{
    (void)model;
    return 5;
}

static void test_forged(Host *host)
{
    static const double one[] = {CALIBRATION_LOGISTIC, 3, 1, 0, 0}, bad[] = {7, 1, 0}, halves[] = {0.5, 0.5}, zero[] = {0, 0};
    static const double negative[] = {1, -1}, cost[] = {0, 1, 1, 0}, threshold[] = {0.5}, high[] = {1};
    Env *env = &host->env;
    Model *two = classifier(env, "lda", 2), *three = classifier(env, "lda", 3), *centroid = classifier(env, "nearest_centroid", 2);
    ClassifierOutput o = {.classes = 2, .maps = one, .map_numbers = 5, .calibration_priors = halves};
    static const char *const broken = "{";
    static const double shares[] = {0.25, 0.25, 0.5};
    const ClassifierOutput outputs[] = {{.classes = 1, .maps = one, .map_numbers = 5, .calibration_priors = halves}, {.classes = 1, .factors = halves},
                                        {.classes = 1, .threshold = threshold}, {.classes = 1, .weights = halves}, {.classes = 1, .cost = cost}};
    const Estimator other = {.name = "lda"}, *lda = estimator_find("lda");
    const Scoring five = {.classify = lda->scoring->classify, .probabilities = lda->scoring->probabilities, .decisions = lda->scoring->decisions, .width = five_scores};
    const Estimator wider = {.name = "lda", .scoring = &five};
    ModelBuilder *builder;
    Model *model;
    double *priors;

    check_forged(env, two, &(ClassifierOutput){.classes = 2, .maps = bad, .map_numbers = 3, .calibration_priors = halves}, "method of a calibration is unknown");
    check_forged(env, two, &(ClassifierOutput){.classes = 2, .maps = one, .map_numbers = 4, .calibration_priors = halves}, "cut short");
    check_forged(env, two, &(ClassifierOutput){.classes = 2, .maps = one, .map_numbers = 5}, "needs the array \"calibration_priors\"");
    check_forged(env, two, &(ClassifierOutput){.classes = 2, .maps = one, .map_numbers = 5, .calibration_priors = zero}, "element 1 of \"calibration_priors\" of lda is 0");
    check_forged(env, three, &(ClassifierOutput){.classes = 3, .maps = one, .map_numbers = 5, .calibration_priors = shares}, "one calibration per class");
    o.of_probabilities = true;
    check_forged(env, centroid, &o, "does not have");
    check_forged(env, two, &(ClassifierOutput){.classes = 2, .threshold = high}, "between 0 and 1");
    check_forged(env, three, &(ClassifierOutput){.classes = 3, .threshold = threshold}, "of two classes");
    check_forged(env, two, &(ClassifierOutput){.classes = 2, .weights = zero}, "\"rule_weights\" of lda is all 0");
    check_forged(env, two, &(ClassifierOutput){.classes = 2, .weights = negative}, "element 2 of \"rule_weights\" of lda is -1");
    check_forged(env, three, &(ClassifierOutput){.classes = 2, .weights = halves}, "is f64[2], not f64[3]");
    check_forged(env, two, &(ClassifierOutput){.classes = 2, .weights = halves, .cost = cost}, "several");
    check_forged(env, three, &(ClassifierOutput){.classes = 2, .cost = cost}, "\"rule_cost\" of lda is f64[2 x 2], not f64[3 x 3]");
    check_forged(env, two, &(ClassifierOutput){.classes = 2, .factors = halves}, "needs array \"rule_priors\"");
    check_forged(env, centroid, &(ClassifierOutput){.classes = 2, .threshold = threshold}, "no probabilities");
    check_forged(env, two, &(ClassifierOutput){.classes = 2, .threshold = threshold, .options = broken, .options_length = 1}, "malformed");
    model = classifier_output_replace(env, two, &(ClassifierOutput){.classes = 2, .threshold = threshold});
    CHECK(model_check(env, model, model->size) == NULL);
    CHECK_HOLDS(classifier_output_check(env, model, &other), "has no classes");
    CHECK_HOLDS(classifier_output_check(env, model, estimator_find("linear_regression")), "has no classes");
    builder = model_builder(env, MODEL_FITTED, "lda");
    schema_add_final(env, builder, labeled_schema(env, 1));
    builder_f64(builder, SECTION_ARRAYS, "rule_threshold", threshold, 1);
    CHECK_HOLDS(classifier_output_check(env, model_build(builder), estimator_find("lda")), "has no classes");
    model = classifier_output_replace(env, two, &(ClassifierOutput){.classes = 2, .maps = one, .map_numbers = 5, .calibration_priors = halves});
    CHECK_HOLDS(classifier_output_check(env, model, &wider), "not one calibration per score");
    o.of_probabilities = true; /* of which each class has one, whatever the other scores */
    CHECK(classifier_output_check(env, classifier_output_replace(env, two, &o), &wider) == NULL);
    check_forged(env, two, &(ClassifierOutput){.classes = 2, .threshold = zero}, "between 0 and 1");
    check_forged(env, two, &(ClassifierOutput){.classes = 2, .threshold = threshold, .options = "[]", .options_length = 2}, "malformed");
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
        CHECK_FAILS(host, ERROR_KIND, "need two classes or more, and this model has 1", classifier_output_replace(env, two, &outputs[i]));
    CHECK_WORKS(host, classifier_output_replace(env, two, &(ClassifierOutput){.classes = 1}));
    model = classifier_output_replace(env, two, &(ClassifierOutput){.classes = 2, .maps = one, .map_numbers = 5, .calibration_priors = halves});
    CHECK(model_check(env, model, model->size) == NULL);
    *(int64_t *)model_data_mutable(model, model_entry_mutable(model, "calibration_of")) = 2;
    model_seal(env, model);
    CHECK_HOLDS(model_check(env, model, model->size), "calibration_of");

    /* the priors that probabilities were computed for: of the rule, of the calibration, or of a model that has some that add up to 1 */
    CHECK(classifier_output_priors(two, &(ClassifierOutput){.classes = 2, .priors = halves}) == halves);
    CHECK(classifier_output_priors(two, &(ClassifierOutput){.classes = 2, .priors = zero}) == NULL);
    CHECK(classifier_output_priors(two, &(ClassifierOutput){.classes = 2, .maps = one, .calibration_priors = halves}) == halves);
    CHECK(classifier_output_priors(two, &(ClassifierOutput){.classes = 3}) == NULL);
    CHECK(classifier_output_priors(centroid, &(ClassifierOutput){.classes = 2}) == NULL);
    priors = model_data_mutable(two, model_entry_mutable(two, "priors"));
    CHECK(classifier_output_priors(two, &(ClassifierOutput){.classes = 2}) == priors);
    priors[0] += 0.25;
    CHECK(classifier_output_priors(two, &(ClassifierOutput){.classes = 2}) == NULL);
    priors[0] = 0;
    CHECK(classifier_output_priors(two, &(ClassifierOutput){.classes = 2}) == NULL);
    host_reset(host);
}

int main(void)
{
    Host *host = host_new();

    test_maps(host);
    test_rules(host);
    test_calibrated(host);
    test_forged(host);
    host_free(host);
    return check_report();
}
