/*
 * test_normal.c - naive Bayes, lda and qda: known numbers, invariances, merged moments, edges, refusals, forged
 * models; densities and where two of them cross.
 */
#include "check.h"
#include "fit.h"
#include "core/inspection/model_info.h"
#include "core/normal/normal_distribution.h"
#include "core/estimator/classifier_output.h"

#include <stdlib.h>

static const char *const methods[] = {"naive_bayes", "lda", "qda"};

/* An empty state of d numbers and q classes "a", "b", ... */
static Model *classes_new(Env *env, uint32_t d, uint32_t q, uint8_t flags)
{
    SchemaSpec spec = {.field_count = d, .class_type = "text"};
    Model *state = moments_new(env, &spec, &(MomentsPlan){.kind = MODEL_CLASS_MOMENTS, .flags = flags});
    uint32_t position;

    for (uint32_t c = 0; c < q; c++) {
        char name[8] = {(char)('a' + c), 0};
        state = dictionary_add(env, state, DICTIONARY_CLASSES, 0, name, 1, false, 0, &position);
    }
    return state;
}

/* n rows of d normal numbers, correlated, about means of q classes that differ. */
typedef struct Sample {
    uint32_t n, d, q;
    double *x, *y;
} Sample;

static Sample sample_new(Env *env, uint32_t n, uint32_t d, uint32_t q, uint64_t seed)
{
    Sample s = {n, d, q, env_array(env, (size_t)n * d, 8), env_array(env, n, 8)};

    for (uint32_t i = 0; i < n; i++) {
        double shared = random_normal(&seed);
        s.y[i] = i < q ? i : (double)(uint32_t)(random_uniform(&seed) * random_uniform(&seed) * q);
        for (uint32_t j = 0; j < d; j++)
            s.x[i * d + j] = random_normal(&seed) * (1 + j) + (j % 2 ? shared : -shared) * (1 + s.y[i]) +
                             3 * sin(7 * s.y[i] + j);
    }
    return s;
}

static Model *sample_state(Env *env, const Sample *s, const uint32_t *order, uint32_t first, uint32_t last)
{
    Model *state = classes_new(env, s->d, s->q, 0);

    for (uint32_t i = first; i < last; i++) {
        uint32_t row = order != NULL ? order[i] : i;
        state = state_add(env, state, s->x + (size_t)row * s->d, NULL, s->y[row], 1);
    }
    return state;
}

static const void *prepared(Env *env, const Model *model)
{
    size_t bytes;

    return estimator_of(model)->scoring->prepare(env, model, &bytes);
}

/* The joint logs, probabilities and distances of a row, one after the other. */
static void scores_of(Env *env, const Model *model, const double *x, double *out)
{
    const Scoring *scoring = estimator_of(model)->scoring;
    uint32_t q = scoring->width(model);
    const void *ready = prepared(env, model);

    scoring->decisions(model, ready, x, out);
    scoring->probabilities(model, ready, x, out + q);
    scoring->distances(model, ready, x, out + 2 * q);
}

static void check_same_scores(Env *env, const Model *a, const Model *b, const double *x, uint32_t n,
                              uint32_t d, double tolerance)
{
    double one[300], other[300];
    uint32_t q = dictionary_size(a, DICTIONARY_CLASSES);

    for (uint32_t i = 0; i < n; i++) {
        scores_of(env, a, x + i * d, one);
        scores_of(env, b, x + i * d, other);
        for (uint32_t c = 0; c < 3 * q; c++)
            CHECK_NEAR(one[c], other[c], tolerance);
    }
}

/* ---- known numbers ---- */

static const double seven[] = {1, 2, 2, 1, 3, 3, 2.5, 2, 6, 5, 7, 8, 8, 6.5};
static const double seven_classes[] = {0, 0, 0, 0, 1, 1, 1};

static void test_known(Host *host)
{
    static const struct {
        const char *options;
        double joint[2];
    } cases[] = {
        {"{\"var_smoothing\":0}", {-8.96343746741538, -11.5185082601299}},
        {"{\"var_smoothing\":0,\"variance\":\"feature_shared\"}", {-7.19581473198289, -13.2789904898537}},
        {"{\"var_smoothing\":0,\"variance\":\"class\"}", {-8.92925968742806, -9.80367917293163}},
        {"{\"var_smoothing\":0,\"variance\":\"shared\"}", {-7.05002497887543, -12.4034965250114}},
    };
    Sample s = {7, 2, 2, (double *)seven, (double *)seven_classes};
    double row[] = {4, 4}, out[6];

    for (int i = 0; i < 4; i++) {
        Env *env = &host->env;
        Model *fit = fit_model(env, "naive_bayes", sample_state(env, &s, NULL, 0, 7), cases[i].options);
        CHECK(model_check(env, fit, fit->size) == NULL);
        scores_of(env, fit, row, out);
        CHECK_NEAR(out[0], cases[i].joint[0], 1e-13);
        CHECK_NEAR(out[1], cases[i].joint[1], 1e-13);
        CHECK_NEAR(out[2] + out[3], 1, 1e-15);
        CHECK_NEAR(log(out[3] / out[2]), cases[i].joint[1] - cases[i].joint[0], 1e-13);
        CHECK_NEAR(estimator_of(fit)->scoring->decision(fit, prepared(env, fit), row),
                   cases[i].joint[1] - cases[i].joint[0], 1e-13);
        CHECK_INT(estimator_of(fit)->scoring->classify(fit, prepared(env, fit), row), 0);
        CHECK_NEAR(estimator_of(fit)->scoring->distance(fit, prepared(env, fit), row), fmin(out[4], out[5]), 0);
        host_reset(host);
    }
}

/* ---- properties ---- */

/* The rows in any order, or merged from 13 parts that went through text: one model. */
static void test_merged(Host *host)
{
    static const uint32_t sizes[][3] = {{400, 3, 2}, {900, 10, 5}, {700, 23, 3}};

    for (int k = 0; k < 3; k++)
        for (int m = 0; m < 3; m++) {
            Env *env = &host->env;
            uint32_t n = sizes[k][0], d = sizes[k][1], q = sizes[k][2];
            Sample s = sample_new(env, n, d, q, (uint64_t)k + 1);
            Model *whole = fit_model(env, methods[m], sample_state(env, &s, NULL, 0, n), "{}");
            Model *merged = NULL, *shuffled;
            uint32_t *order = env_array(env, n, sizeof(uint32_t));
            uint64_t seed = 5;

            for (uint32_t part = 0; part < 13; part++) {
                Model *own = sample_state(env, &s, NULL, n * part / 13, n * (part + 1) / 13);
                own = model_again(env, moments_finish(env, own));
                merged = merged == NULL ? own : state_merge(env, merged, own);
            }
            merged = fit_model(env, methods[m], merged, "{}");
            random_order(&seed, order, n);
            shuffled = fit_model(env, methods[m], sample_state(env, &s, order, 0, n), "{}");
            check_same_scores(env, whole, merged, s.x, 20, d, 1e-12);
            check_same_scores(env, whole, shuffled, s.x, 20, d, 1e-12);
            CHECK_INT(whole->rows, merged->rows);
            CHECK(model_compare(whole, model_again(env, whole)) == 0);
            host_reset(host);
        }
}

/* x -> A x + b, in other units and far away: the same probabilities and distances; the joint logs decrease by log|A|. */
static void test_affine(Host *host)
{
    for (int m = 1; m < 3; m++) {
        Env *env = &host->env;
        uint32_t n = 500, d = 4, q = 3;
        Sample s = sample_new(env, n, d, q, 3), t = s;
        static const double a[4][4] = {{1000, 0, 0, 0}, {3, 2, 0, 0}, {1, -5, 0.01, 0}, {0, 4, 2, 1}};
        Model *one, *other;
        double x[12], y[12], log_a = log(1000 * 2 * 0.01);

        t.x = env_array(env, (size_t)n * d, 8);
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < d; j++) {
                t.x[i * d + j] = j == 0 ? 1e6 : -20;
                for (uint32_t k = 0; k < d; k++)
                    t.x[i * d + j] += a[j][k] * s.x[i * d + k];
            }
        one = fit_model(env, methods[m], sample_state(env, &s, NULL, 0, n), "{}");
        other = fit_model(env, methods[m], sample_state(env, &t, NULL, 0, n), "{}");
        for (uint32_t i = 0; i < 50; i++) {
            scores_of(env, one, s.x + i * d, x);
            scores_of(env, other, t.x + i * d, y);
            for (uint32_t c = 0; c < q; c++) {
                CHECK_NEAR(y[c] + log_a, x[c], 1e-7);
                CHECK_NEAR(y[q + c], x[q + c], 1e-8);
                CHECK_NEAR(y[2 * q + c], x[2 * q + c], 1e-7);
            }
        }
        host_reset(host);
    }
}

/* Priors add their logarithms to the joint logs and change nothing else; rules change only the class. */
static void test_priors(Host *host)
{
    for (int m = 0; m < 3; m++) {
        Env *env = &host->env;
        Sample s = sample_new(env, 300, 3, 3, 9);
        Model *state = sample_state(env, &s, NULL, 0, 300), *ml;
        Model *one = fit_model(env, methods[m], state, "{\"priors\":\"uniform\"}");
        Model *other = fit_model(env, methods[m], state, "{\"priors\":{\"a\":0.7,\"b\":0.1,\"c\":0.2}}");
        static const double priors[] = {0.7, 0.1, 0.2};
        double x[9], y[9], room[3];

        ml = fit_model(env, methods[m], state, "{\"priors\":{\"a\":0.7,\"b\":0.1,\"c\":0.2},\"rule\":\"ml\"}");
        CHECK(model_check(env, ml, ml->size) == NULL);
        for (uint32_t i = 0; i < 100; i++) {
            const double *row = s.x + i * 3;
            const Scoring *scoring = estimator_of(ml)->scoring;
            scores_of(env, one, row, x);
            scores_of(env, other, row, y);
            for (uint32_t c = 0; c < 3; c++)
                CHECK_NEAR(y[c] - x[c], log(3 * priors[c]), 1e-12);
            CHECK_INT(classifier_output_classify(scoring, ml, prepared(env, ml), row, 0, room),
                      scoring->classify(one, prepared(env, one), row));
            scoring->probabilities(ml, prepared(env, ml), row, x);
            for (uint32_t c = 0; c < 3; c++)
                CHECK_NEAR(x[c], y[3 + c], 1e-13);
        }
        host_reset(host);
    }
}

/* qda with all of the pooled covariance is lda; lda of a diagonal covariance is naive Bayes with shared variances. */
static void test_limits(Host *host)
{
    Env *env = &host->env;
    Sample s = sample_new(env, 400, 4, 3, 11), t;
    Model *state = sample_state(env, &s, NULL, 0, 400);

    check_same_scores(env, fit_model(env, "qda", state, "{\"pooling\":1}"), fit_model(env, "lda", state, "{}"), s.x,
                      30, 4, 1e-11);
    check_same_scores(env, fit_model(env, "qda", state, "{\"pooling\":1,\"ddof\":1}"),
                      fit_model(env, "lda", state, "{\"ddof\":1}"), s.x, 30, 4, 1e-11);
    check_same_scores(env, fit_model(env, "lda", state, "{\"shrinkage\":1,\"shrinkage_target\":\"diagonal\"}"),
                      fit_model(env, "naive_bayes", state, "{\"var_smoothing\":0,\"variance\":\"feature_shared\"}"), s.x,
                      30, 4, 1e-11);
    check_same_scores(env, fit_model(env, "qda", state, "{\"shrinkage\":1,\"shrinkage_target\":\"diagonal\"}"),
                      fit_model(env, "naive_bayes", state, "{\"var_smoothing\":0}"), s.x, 30, 4, 1e-11);
    check_same_scores(env, fit_model(env, "qda", state, "{\"shrinkage\":1}"),
                      fit_model(env, "naive_bayes", state, "{\"var_smoothing\":0,\"variance\":\"class\"}"), s.x, 30, 4,
                      1e-11);
    check_same_scores(env, fit_model(env, "lda", state, "{\"shrinkage\":1}"),
                      fit_model(env, "naive_bayes", state, "{\"var_smoothing\":0,\"variance\":\"shared\"}"), s.x, 30, 4,
                      1e-11);
    /* uncorrelated within each class by design */
    t = (Sample){8, 2, 2, env_array(env, 16, 8), env_array(env, 8, 8)};
    for (int i = 0; i < 8; i++) {
        t.x[2 * i] = (i & 1 ? 3 : -3) + 5 * (i >> 2);
        t.x[2 * i + 1] = (i & 2 ? 0.5 : -0.5) - (i >> 2);
        t.y[i] = i >> 2;
    }
    state = sample_state(env, &t, NULL, 0, 8);
    check_same_scores(env, fit_model(env, "lda", state, "{}"),
                      fit_model(env, "naive_bayes", state, "{\"var_smoothing\":0,\"variance\":\"feature_shared\"}"), t.x,
                      8, 2, 1e-13);
    host_reset(host);
}

/* Frequency weights are repeated rows; equal weights change nothing. */
static void test_weights(Host *host)
{
    for (int m = 0; m < 3; m++) {
        Env *env = &host->env;
        Sample s = sample_new(env, 200, 3, 2, 21);
        Model *repeated = classes_new(env, 3, 2, 0), *counted, *halves = classes_new(env, 3, 2, MODEL_WEIGHTED);
        Model *plain = sample_state(env, &s, NULL, 0, 200);

        counted = classes_new(env, 3, 2, MODEL_WEIGHTED | MODEL_FREQUENCY);
        for (uint32_t i = 0; i < 200; i++) {
            for (uint32_t k = 0; k <= i % 3; k++)
                repeated = state_add(env, repeated, s.x + i * 3, NULL, s.y[i], 1);
            counted = state_add(env, counted, s.x + i * 3, NULL, s.y[i], 1 + i % 3);
            halves = state_add(env, halves, s.x + i * 3, NULL, s.y[i], 0.5);
        }
        for (int ddof = 0; ddof < (m == 0 ? 1 : 2); ddof++) {
            const char *options = ddof == 1 ? "{\"ddof\":1}" : "{}";
            check_same_scores(env, fit_model(env, methods[m], repeated, options),
                              fit_model(env, methods[m], counted, options), s.x, 20, 3, 1e-11);
            check_same_scores(env, fit_model(env, methods[m], plain, options),
                              fit_model(env, methods[m], halves, options), s.x, 20, 3, 1e-11);
        }
        host_reset(host);
    }
}

/* The projection: unit variance within classes and no correlation, the center at 0, the shares of the directions. */
static void test_projection(Host *host)
{
    Env *env = &host->env;
    uint32_t n = 600, d = 5, q = 4;
    Sample s = sample_new(env, n, d, q, 31);
    Model *fit = fit_model(env, "lda", sample_state(env, &s, NULL, 0, n), "{}"), *two;
    const Scoring *scoring = estimator_of(fit)->scoring;
    const void *ready = prepared(env, fit);
    double mean[4][3] = {{0}}, count[4] = {0}, within[3][3] = {{0}}, center[3] = {0}, out[3], shorter[3];

    CHECK_INT(scoring->transform_width(fit), 3);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t c = (uint32_t)s.y[i];
        scoring->transform(fit, ready, s.x + i * d, out);
        count[c]++;
        for (int k = 0; k < 3; k++) {
            mean[c][k] += out[k];
            center[k] += out[k];
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t c = (uint32_t)s.y[i];
        scoring->transform(fit, ready, s.x + i * d, out);
        for (int k = 0; k < 3; k++)
            for (int l = 0; l < 3; l++)
                within[k][l] += (out[k] - mean[c][k] / count[c]) * (out[l] - mean[c][l] / count[c]) / n;
    }
    for (int k = 0; k < 3; k++) {
        CHECK_NEAR(center[k] / n, 0, 1e-12);
        for (int l = 0; l < 3; l++)
            CHECK_NEAR(within[k][l], k == l, 1e-11);
        CHECK(k == 0 || array_at(fit, "eigenvalues", (uint32_t)k) <= array_at(fit, "eigenvalues", (uint32_t)k - 1));
    }
    two = fit_model(env, "lda", sample_state(env, &s, NULL, 0, n), "{\"k\":2}");
    CHECK_INT(estimator_of(two)->scoring->transform_width(two), 2);
    estimator_of(two)->scoring->transform(two, prepared(env, two), s.x, shorter);
    scoring->transform(fit, ready, s.x, out);
    CHECK_NEAR(shorter[0], out[0], 1e-12);
    CHECK_NEAR(shorter[1], out[1], 1e-12);
    host_reset(host);
}

/* A repeated feature: with the pseudo-inverse the fit is that without the copy. */
static void test_singular(Host *host)
{
    Env *env = &host->env;
    Sample s = sample_new(env, 300, 3, 3, 41), twice = s;
    Model *single, *pseudo, *state;
    double x[9], y[9], far[2][3];

    twice.d = 5;
    twice.x = env_array(env, 300 * 5, 8);
    for (uint32_t i = 0; i < 300; i++) {
        memcpy(twice.x + i * 5, s.x + i * 3, 24);
        twice.x[i * 5 + 3] = 100 - 4 * s.x[i * 3 + 1];
        twice.x[i * 5 + 4] = 7;
    }
    state = sample_state(env, &twice, NULL, 0, 300);
    single = fit_model(env, "lda", sample_state(env, &s, NULL, 0, 300), "{}");
    pseudo = fit_model(env, "lda", state, "{\"singular\":\"pseudo_inverse\"}");
    CHECK(model_check(env, pseudo, pseudo->size) == NULL);
    CHECK_INT((int)fact_of(env, pseudo, "rank"), 3);
    for (uint32_t i = 0; i < 50; i++) {
        scores_of(env, single, s.x + i * 3, x);
        scores_of(env, pseudo, twice.x + i * 5, y);
        for (int c = 3; c < 9; c++)
            CHECK_NEAR(y[c], x[c], 1e-9);
        estimator_of(single)->scoring->transform(single, prepared(env, single), s.x + i * 3, far[0]);
        estimator_of(pseudo)->scoring->transform(pseudo, prepared(env, pseudo), twice.x + i * 5, far[1]);
        CHECK_NEAR(fabs(far[0][0]), fabs(far[1][0]), 1e-9);
    }
    CHECK_FAILS(host, ERROR_DATA, "feature f4 depends linearly", fit_model(env, "lda", state, "{}"));
    CHECK_FAILS(host, ERROR_DATA, "in class \"a\" feature f4 depends linearly", fit_model(env, "qda", state, "{}"));
    CHECK_FAILS(host, ERROR_DATA, "feature f5 has no variance in class \"a\"",
                fit_model(env, "naive_bayes", state, "{\"var_smoothing\":0}"));
    single = fit_model(env, "qda", sample_state(env, &s, NULL, 0, 300), "{}");
    pseudo = fit_model(env, "qda", state, "{\"singular\":\"pseudo_inverse\"}");
    for (uint32_t i = 0; i < 50; i++) {
        scores_of(env, single, s.x + i * 3, x);
        scores_of(env, pseudo, twice.x + i * 5, y);
        for (int c = 0; c < 3; c++)
            CHECK_NEAR(y[c], x[c] - 0.5 * log(17), 1e-9); /* (1, -4) is sqrt(17) long */
        for (int c = 3; c < 9; c++)
            CHECK_NEAR(y[c], x[c], 1e-9);
    }
    CHECK_WORKS(host, fit_model(env, "qda", state, "{\"shrinkage\":\"oas\"}"));
    CHECK_WORKS(host, fit_model(env, "qda", state, "{\"regularization\":0.1}"));
    CHECK_WORKS(host, fit_model(env, "lda", state, "{\"shrinkage\":0.1}"));
    host_reset(host);
}

/* ---- categories, NULLs ---- */

static Model *mixed_state(Env *env, uint8_t flags)
{
    static const char *const names[] = {"size", "color"};
    static const FieldKind kinds[] = {FIELD_NUMERIC, FIELD_CATEGORICAL};
    SchemaSpec spec = {.field_count = 2, .names = names, .kinds = kinds, .named = true, .class_type = "text"};
    Model *state = moments_new(env, &spec, &(MomentsPlan){.kind = MODEL_CLASS_MOMENTS, .flags = flags});
    static const char *const levels[] = {"red", "blue", "green"};
    uint32_t position;

    for (int i = 0; i < 3; i++)
        state = dictionary_add(env, state, DICTIONARY_LEVELS, 1, levels[i], (uint32_t)strlen(levels[i]), false, 0,
                               &position);
    state = dictionary_add(env, state, DICTIONARY_CLASSES, 0, "yes", 3, false, 0, &position);
    state = dictionary_add(env, state, DICTIONARY_CLASSES, 0, "no", 2, false, 0, &position);
    for (int i = 0; i < 12; i++) { /* yes: red 4, blue 2; no: green 5, red 1 */
        double row[] = {i % 5 + (i < 6), i < 6 ? (i < 4 ? 0 : 1) : (i < 11 ? 2 : 0)};
        bool nulls[] = {i == 3, false};
        state = state_add(env, state, row, flags & MODEL_IMPUTE ? nulls : NULL, i >= 6, 1);
    }
    return state;
}

static void test_categories(Host *host)
{
    Env *env = &host->env;
    Model *fit = fit_model(env, "naive_bayes", mixed_state(env, 0), "{\"level_smoothing\":0.5}");
    /* final order: blue, green, red; no before yes */
    static const double expected[] = {0.5 / 7.5, 5.5 / 7.5, 1.5 / 7.5, 2.5 / 7.5, 0.5 / 7.5, 4.5 / 7.5};
    double known[6], unseen[6], row[] = {2, 1}, other[] = {2, SLOT_UNSEEN};

    for (uint32_t i = 0; i < 6; i++)
        CHECK_NEAR(array_at(fit, "level_probabilities", i), expected[i], 1e-15);
    CHECK(model_check(env, fit, fit->size) == NULL);
    scores_of(env, fit, row, known);
    scores_of(env, fit, other, unseen);
    CHECK_NEAR(known[0] - unseen[0], log(expected[1]), 1e-14);
    CHECK_NEAR(known[1] - unseen[1], log(expected[4]), 1e-14);
    CHECK_HOLDS(estimator_of(fit)->to_sql(env, fit), "'green'");
    CHECK_HOLDS(estimator_of(fit)->summary(env, fit), "size");

    fit = fit_model(env, "lda", mixed_state(env, 0), "{\"shrinkage\":0.2}");
    CHECK_INT(model_find(fit, "means")->columns, 3);
    CHECK_HOLDS(estimator_of(fit)->to_sql(env, fit), "'red'");
    fit = fit_model(env, "qda", mixed_state(env, 0), "{\"shrinkage\":0.2}");
    CHECK_HOLDS(estimator_of(fit)->to_sql(env, fit), "'red'");
    /* a NULL counts as the mean of all numbers */
    fit = fit_model(env, "naive_bayes", mixed_state(env, MODEL_IMPUTE), "{\"nulls\":\"impute\"}");
    CHECK(model_find(fit, "impute") != NULL);
    CHECK(model_check(env, fit, fit->size) == NULL);
    host_reset(host);
}

/* The lines of an explanation add up to the joint logs; of independent features each is the feature's own. */
static void check_explained(Env *env, const Model *fit, const double *row)
{
    const Scoring *scoring = estimator_of(fit)->scoring;
    const void *ready = prepared(env, fit);
    double joint[8], sum[8] = {0};
    Explanation *lines;
    uint32_t count = scoring->explain(env, fit, ready, row, &lines), q = scoring->width(fit);

    CHECK_INT(count, q * (1 + fit->slot_count));
    scoring->decisions(fit, ready, row, joint);
    for (uint32_t i = 0; i < count; i++)
        sum[i / (1 + fit->slot_count)] += lines[i].contribution;
    for (uint32_t c = 0; c < q; c++)
        CHECK_NEAR(sum[c], joint[c], 1e-10);
}

static void test_explained(Host *host)
{
    static const char *const options[] = {"{}", "{\"singular\":\"pseudo_inverse\"}", "{\"singular\":\"pseudo_inverse\"}"};
    Env *env = &host->env;
    Sample s = sample_new(env, 300, 3, 3, 61);
    double row[] = {2, 1}, unseen[] = {2, SLOT_UNSEEN};

    for (int m = 0; m < 3; m++) {
        Model *fit = fit_model(env, methods[m], sample_state(env, &s, NULL, 0, 300), "{}");
        for (int i = 0; i < 30; i++)
            check_explained(env, fit, s.x + 3 * i);
        fit = fit_model(env, methods[m], mixed_state(env, 0), options[m]);
        check_explained(env, fit, row);
        check_explained(env, fit, unseen);
    }
    host_reset(host);
}

/* ---- edges and refusals ---- */

static void test_edges(Host *host)
{
    Env *env = &host->env;
    static const double rows[] = {1, 2, 2, 1, 3, 3, 9, 9}, classes[] = {0, 0, 0, 1};
    Sample s = {4, 2, 2, (double *)rows, (double *)classes}, far = sample_new(env, 200, 3, 2, 51), near = far;
    Model *state = sample_state(env, &s, NULL, 0, 4), *one = sample_state(env, &s, NULL, 0, 3), *fit;
    const Model *used;
    double out[6];

    for (int m = 0; m < 3; m++) {
        CHECK_FAILS(host, ERROR_DATA, "all 3 rows are of class \"a\"", fit_model(env, methods[m], one, "{}"));
        CHECK_FAILS(host, ERROR_PARAMETER, "add up to",
                    fit_model(env, methods[m], state, "{\"priors\":{\"a\":0.5,\"b\":0.6}}"));
        CHECK_FAILS(host, ERROR_DATA, "none for class \"b\"",
                    fit_model(env, methods[m], state, "{\"priors\":{\"a\":1}}"));
        CHECK_FAILS(host, ERROR_DATA, "not a class",
                    fit_model(env, methods[m], state, "{\"priors\":{\"a\":0.5,\"z\":0.5}}"));
        CHECK_FAILS(host, ERROR_PARAMETER, "priors",
                    fit_model(env, methods[m], state, "{\"priors\":{\"a\":-1,\"b\":1}}"));
        CHECK_FAILS(host, ERROR_DATA, "not a class", fit_model(env, methods[m], state, "{\"rule\":{\"z\":2}}"));
    }
    /* a fit leaves classes without rows out */
    used = moments_for_fit(env, state);
    CHECK(moments_for_fit(env, used) == used);
    used = moments_for_fit(env, one);
    CHECK(model_check(env, used, used->size) == NULL);
    CHECK_INT(dictionary_size(used, DICTIONARY_CLASSES), 1);
    CHECK_INT(dictionary_find(used, DICTIONARY_CLASSES, 0, "a", 1, false), 0);
    CHECK_WORKS(host, fit_model(env, "naive_bayes", state, "{}"));
    CHECK_FAILS(host, ERROR_DATA, "feature f1 has no variance in class \"b\" (1 row)",
                fit_model(env, "naive_bayes", state, "{\"var_smoothing\":0}"));
    CHECK_WORKS(host, fit_model(env, "naive_bayes", state, "{\"var_smoothing\":0,\"variance\":\"shared\"}"));
    CHECK_FAILS(host, ERROR_DATA, "1 row of class \"b\" is too few for a covariance of 2 features",
                fit_model(env, "qda", state, "{}"));
    CHECK(fit_model(env, "qda", state, "{\"too_few_rows\":\"null\"}") == NULL);
    CHECK_FAILS(host, ERROR_DATA, "1 direction", fit_model(env, "lda", state, "{\"k\":2}"));
    CHECK_WORKS(host, fit_model(env, "lda", state, "{}"));
    s.n = 3;
    s.x = (double *)rows + 2;
    s.y = (double *)classes + 1;
    CHECK_FAILS(host, ERROR_DATA, "3 rows of 2 classes are too few for a covariance of 2 features",
                fit_model(env, "lda", sample_state(env, &s, NULL, 0, 3), "{}"));

    /* moved by 1e9: the same model */
    near.x = env_array(env, 600, 8);
    for (int i = 0; i < 600; i++) {
        near.x[i] = floor(far.x[i] * 1024) / 1024;
        far.x[i] = near.x[i] + 1e9;
    }
    for (int m = 0; m < 3; m++) {
        Model *a = fit_model(env, methods[m], sample_state(env, &near, NULL, 0, 200), "{}");
        Model *b = fit_model(env, methods[m], sample_state(env, &far, NULL, 0, 200), "{}");
        for (int i = 0; i < 20; i++) {
            double x[6];
            scores_of(env, a, near.x + 3 * i, x);
            scores_of(env, b, far.x + 3 * i, out);
            for (int c = 0; c < 6; c++)
                CHECK_NEAR(out[c], x[c], 2e-6);
        }
    }
    /* too large to be squared */
    far.x[0] = 1e300;
    CHECK_FAILS(host, ERROR_RANGE, "too large", model_require_finite(env, moments_finish(env, sample_state(env, &far, NULL, 0, 200))));
    /* one more row of a class that is elsewhere: only what is between the parts cancels */
    fit = classes_new(env, 1, 2, MODEL_WEIGHTED);
    {
        double zero = 0, there;
        fit = state_add(env, fit, &zero, NULL, 0, 1e-12);
        for (int i = 0; i < 3000; i++) {
            there = 1e9 + i % 2;
            fit = state_add(env, fit, &there, NULL, 0, 1);
        }
        fit = moments_finish(env, fit);
        CHECK_NEAR(array_at(fit, "scatter", 0) / (750 + 1e6), 1, 1e-6);
    }
    host_reset(host);
}

/* ---- forged models ---- */

#define HEAD(name)                                                                                 \
    "{\"pgfit\":1,\"min_reader\":1,\"kind\":\"model\",\"estimator\":\"" name "\",\"slots\":2,\"fields\":2," \
    "\"rows\":3,\"skipped\":0,\"weight\":3,\"schema\":{\"class_key\":[0,0],\"class_sorted\":{\"i64\":[0,1]}," \
    "\"class_text\":{\"text\":[\"a\",\"b\"]},\"class_type\":{\"text\":[\"text\"]}},\"arrays\":{"
#define MEANS "\"means\":{\"f64\":[0,0,1,1],\"shape\":[2,2]}"
#define COMMON MEANS ",\"priors\":[0.5,0.5],\"counts\":[2,1]"

#define COVARIANCES ",\"covariances_packed\":{\"f64\":[1,0,1,1,0,1],\"shape\":[2,3]}"

static void check_refused(Host *host, const char *text, const char *words)
{
    CHECK_FAILS(host, ERROR_TEXT, words, model_from_text(&host->env, text, strlen(text)));
}

static void test_refused(Host *host)
{
    static const char indefinite[] = HEAD("qda") COMMON
        ",\"covariances_packed\":{\"f64\":[1,2,1,1,0,1],\"shape\":[2,3]}}}";

    check_refused(host, HEAD("qda") MEANS ",\"priors\":[0.5,0.5]" COVARIANCES "}}", "needs the array \"counts\"");
    check_refused(host, HEAD("qda") "\"priors\":[0.5,0.5],\"counts\":[2,1]" COVARIANCES "}}", "needs the array \"means\"");
    check_refused(host, HEAD("qda") MEANS ",\"priors\":[0.5,-1],\"counts\":[2,1]" COVARIANCES "}}", "\"priors\" of qda is -1");
    check_refused(host, HEAD("qda") MEANS ",\"priors\":[0,0],\"counts\":[2,1]" COVARIANCES "}}", "\"priors\" of qda is all 0");
    check_refused(host, HEAD("qda") COMMON "}}", "covariances");
    check_refused(host, HEAD("qda") COMMON ",\"covariances_packed\":{\"f64\":[1,0],\"shape\":[2,1]}}}", "covariances");
    check_refused(host, HEAD("qda") COMMON ",\"other\":[1]}}", "does not belong");
    check_refused(host, HEAD("naive_bayes") COMMON ",\"variances\":{\"f64\":[1,0,1,1],\"shape\":[2,2]}}}", "positive");
    check_refused(host, HEAD("naive_bayes") COMMON ",\"variances\":{\"f64\":[1,1,1],\"shape\":[3,1]}}}", "variances");
    check_refused(host, HEAD("naive_bayes") COMMON ",\"variances\":{\"f64\":[1],\"shape\":[1,1]},"
                                            "\"level_probabilities\":[1]}}", "must be left out: its shape is f64[2 x 0]");
    check_refused(host, HEAD("lda") COMMON ",\"covariance_packed\":[1,0,1],\"scalings\":{\"f64\":[1,1],\"shape\":[2,1]}"
                                    ",\"eigenvalues\":[1,1]}}", "\"eigenvalues\" of lda is f64[2], not f64[1]");
    check_refused(host, HEAD("lda") COMMON ",\"covariance_packed\":[1,0,1],\"scalings\":{\"f64\":[1],\"shape\":[1,1]}"
                                    ",\"eigenvalues\":[1]}}", "scalings");
    check_refused(host, HEAD("lda") COMMON ",\"covariance_packed\":[1,0,1],\"scalings\":{\"f64\":[1,1],\"shape\":[2,1]}"
                                    ",\"eigenvalues\":[1],\"whitening\":{\"f64\":[1,1,1],\"shape\":[1,3]}}}", "whitening");
    check_refused(host, HEAD("qda") COMMON ",\"column_slot\":{\"i64\":[0,7]},\"column_level\":{\"i64\":[-1,-1]},"
                                    "\"covariances_packed\":{\"f64\":[1,0,1,1,0,1],\"shape\":[2,3]}}}", "is 7, not the number of a slot");
    check_refused(host, indefinite, "not positive definite");
    host_reset(host);
}

/* Bytes of sound models changed at random: refused, or safe to score and to read. */
static void test_forged(Host *host)
{
    static const char *const options[] = {"{\"rule\":\"ml\"}", "{\"singular\":\"pseudo_inverse\"}",
                                          "{\"singular\":\"pseudo_inverse\"}"};
    unsigned passed = 0;

    for (uint64_t round = 0; round < 3000; round++) {
        Env *env = &host->env;
        uint64_t seed = round;
        bool mixed = round % 6 == 0;
        Sample s = {7, 2, 2, (double *)seven, (double *)seven_classes};
        Model *state = mixed ? mixed_state(env, 0) : sample_state(env, &s, NULL, 0, 7);
        Model *fit = fit_model(env, methods[round % 3], state, options[round % 3]);
        uint32_t size = fit->size;
        double slots[2] = {3, 1}, out[512];
        char *bytes = (char *)fit;

        for (int hit = 0; hit < 2; hit++)
            bytes[(size_t)(random_uniform(&seed) * size)] = (char)(random_uniform(&seed) * 256);
        if (TRY(host)) {
            if (model_check_layout(env, fit, size) == NULL)
                model_seal(env, fit);
            if (model_check(env, fit, size) == NULL && estimator_of(fit) != NULL && fit->slot_count == 2 &&
                dictionary_size(fit, DICTIONARY_CLASSES) == 2) {
                const Scoring *scoring = estimator_of(fit)->scoring;
                Coefficient *c;
                passed++;
                scores_of(env, fit, slots, out);
                scoring->decision(fit, prepared(env, fit), slots);
                if (scoring->transform != NULL && scoring->transform_width(fit) <= 512)
                    scoring->transform(fit, prepared(env, fit), slots, out);
                if (estimator_of(fit)->coefficients != NULL)
                    estimator_of(fit)->coefficients(env, fit, &c);
                estimator_of(fit)->to_sql(env, fit);
                describe_info(env, fit);
                describe_summary(env, fit);
            }
            TRY_END(host);
        }
        host_reset(host);
    }
    printf("forged models that passed the check: %u of 3000\n", passed);
    CHECK(passed > 50);
}

/* ---- functions ---- */

static void test_functions(Host *host)
{
    Env *env = &host->env;
    double out[2], covariance[] = {2, 0.6, 0.6, 1}, x[] = {3, 2}, mean[] = {1, -1};

    CHECK_NEAR(normal_log_density(-4, 0.5, 2), -4.14333571376462, 1e-14);
    CHECK_NEAR(normal_log_density(1e200, 0, 1e200), -0.5 - 0.5 * log(2 * M_PI) - 200 * log(10), 1e-12);
    CHECK_NEAR(normal_log_density_of(env, x, mean, covariance, 2), -6.59742030927862, 1e-13);
    covariance[1] = 0.7;
    CHECK_FAILS(host, ERROR_DATA, "not symmetric", normal_log_density_of(env, x, mean, covariance, 2));
    covariance[1] = covariance[2] = 2;
    CHECK_FAILS(host, ERROR_DATA, "column 2", normal_log_density_of(env, x, mean, covariance, 2));

    CHECK_INT(normal_crossings(2, 1.5, -1, 1.5, 0, out), 1);
    CHECK_NEAR(out[0], 0.5, 1e-15);
    CHECK_INT(normal_crossings(2, 1, 0, 2, 0, out), 2);
    CHECK_NEAR(out[0], 0.762416089859358, 1e-13);
    CHECK_NEAR(out[1], 4.57091724347397, 1e-13);
    CHECK_INT(normal_crossings(0, 2, 2, 1, 0, out), 2); /* the other way round: the same points */
    CHECK_NEAR(out[0], 0.762416089859358, 1e-13);
    CHECK_NEAR(out[1], 4.57091724347397, 1e-13);
    CHECK_INT(normal_crossings(1, 2, 1, 2, 0, out), 0);
    CHECK_INT(normal_crossings(0, 1, 0, 2, -3, out), 0); /* the wider one with the larger prior wins everywhere */
    /* nearly equal deviations: the near threshold keeps its digits as the far one goes away */
    for (int k = 1; k <= 16; k++) {
        unsigned count = normal_crossings(2, 1, 0, 1 + pow(10, -k), 0, out);
        CHECK(count >= 1);
        CHECK_NEAR(out[0], 1, 3 * pow(10, -k) + 1e-15);
    }
    /* where they cross the densities are equal, in any unit and far from 0 */
    for (uint64_t seed = 1, round = 0; round < 500; round++) {
        double unit = pow(10, floor(random_uniform(&seed) * 200) - 100);
        double m1 = random_normal(&seed) * unit, m2 = random_normal(&seed) * unit;
        double s1 = (0.1 + random_uniform(&seed)) * unit, s2 = (0.1 + random_uniform(&seed)) * unit;
        double ratio = random_normal(&seed);
        unsigned count = normal_crossings(m1, s1, m2, s2, ratio, out);
        for (unsigned i = 0; i < count; i++) {
            double difference = normal_log_density(out[i], m1, s1) - normal_log_density(out[i], m2, s2) + ratio;
            double z = (out[i] - m1) / s1;
            CHECK(fabs(difference) <= 1e-11 * (1 + z * z));
        }
        CHECK(count < 2 || out[0] < out[1]);
    }
    host_reset(host);
}

int main(void)
{
    Host *host = host_new();

    setvbuf(stdout, NULL, _IOLBF, 0);
    host->env.memory_limit = (size_t)1 << 28;
    test_known(host);
    test_merged(host);
    test_affine(host);
    test_priors(host);
    test_limits(host);
    test_weights(host);
    test_projection(host);
    test_singular(host);
    test_categories(host);
    test_explained(host);
    test_edges(host);
    test_refused(host);
    test_forged(host);
    test_functions(host);
    host_free(host);
    return check_report();
}
