/*
 * test_metric.c - metrics and kernels: every form against plain sums, the forms against each other
 * bit by bit, axioms and invariances on random and adversarial points, what is learned, stored and
 * refused.
 */
#include "check.h"
#include "fit.h"

#include "core/linalg/vector_loops.h"
#include "core/distance/metric.h"

#include <float.h>
#include <stdlib.h>

static uint64_t seed = 1;

/* categories: so many fields after the numbers, with three levels each. */
static Model *schema_of(Env *env, uint32_t numbers, uint32_t categories, bool ordered)
{
    FieldKind kinds[512];
    SchemaSpec spec = {.field_count = numbers + categories, .kinds = categories > 0 ? kinds : NULL};
    Model *schema;

    for (uint32_t i = 0; i < numbers + categories; i++)
        kinds[i] = i < numbers ? FIELD_NUMERIC : FIELD_CATEGORICAL;
    schema = schema_model(env, &spec);
    for (uint32_t i = 0; i < categories; i++)
        for (uint32_t level = 0; level < 3; level++) {
            uint32_t position;
            char text[2] = {(char)('a' + level), 0};

            schema = dictionary_add(env, schema, DICTIONARY_LEVELS, numbers + i, text, 1, false,
                                    ordered ? level + 1 : 0, &position);
        }
    return schema;
}

static Options *parse(Env *env, const char *json)
{
    const OptionSpec *tables[] = {options_common, options_metric, options_number_kernel, NULL};

    return options_parse(env, "test", tables, json, strlen(json), NULL, NULL, 0);
}

static Metric *metric_over(Env *env, const char *json, const Model *schema, const double *rows,
                           uint32_t count)
{
    Metric *metric = metric_of_options(env, parse(env, json), schema, "test");

    metric_learn(env, metric, rows, NULL, count);
    metric_ready(env, metric);
    return metric;
}

static void fill(double *x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        x[i] = random_normal(&seed);
}

static const char *const all_metrics[] = {
    "{}",
    "{\"metric\":\"squared_euclidean\"}",
    "{\"metric\":\"manhattan\"}",
    "{\"metric\":\"chebyshev\"}",
    "{\"metric\":\"minkowski\",\"p\":3}",
    "{\"metric\":\"minkowski\",\"p\":1.5}",
    "{\"metric\":\"minkowski\",\"p\":0.5}",
    "{\"metric\":\"hamming\"}",
    "{\"metric\":\"mixed\"}",
    "{\"metric\":\"mixed\",\"p\":1}",
    "{\"metric\":\"standardized_euclidean\"}",
    "{\"metric\":\"mahalanobis\"}",
    "{\"metric\":\"cosine\"}",
    "{\"metric\":\"angular\"}",
    "{\"metric\":\"canberra\"}",
    "{\"metric\":\"bray_curtis\"}",
    "{\"metric\":\"jaccard\"}",
    "{\"metric\":\"dice\"}",
    "{\"metric\":\"gower\"}",
    "{\"metric\":\"haversine\"}",
    "{\"metric\":\"haversine\",\"angle_unit\":\"radians\",\"sphere_radius\":2}",
    "{\"metric\":\"correlation\"}",
    "{\"metric\":\"kernel\",\"kernel\":\"rbf\",\"gamma\":0.1}",
    "{\"metric\":\"kernel\"}",
    "{\"metric\":\"kernel\",\"kernel\":\"linear\"}",
    "{\"metric\":\"kernel\",\"kernel\":\"polynomial\",\"degree\":2,\"coef0\":1}",
    "{\"metric\":\"kernel\",\"kernel\":\"sigmoid\",\"gamma\":0.01}",
};
#define ALL (sizeof(all_metrics) / sizeof(*all_metrics))

/* Makes the numbers what the metric takes: sets with zeros, places on a sphere. Returns false if it takes no such rows. */
static bool suit(const char *json, uint32_t d, double *x, size_t count)
{
    bool sphere = strstr(json, "haversine") != NULL;

    if ((sphere && d != 2) || (strstr(json, "correlation") != NULL && d < 2))
        return false;
    for (size_t i = 0; i < count; i++)
        if (sphere)
            x[i] = fmax(-1.5, fmin(1.5, x[i])) * (strstr(json, "radians") != NULL ? 1 : 57);
        else if (strstr(json, "jaccard") != NULL || strstr(json, "dice") != NULL)
            x[i] = x[i] > 0.3 ? x[i] : 0;
    return true;
}

/* Pair, rows and panels have the same bits; a box is no farther than a point in it; the matrix
 * agrees. */
static void test_forms(Host *host)
{
    Env *env = &host->env;

    for (size_t m = 0; m < ALL; m++)
        for (uint32_t d = 1; d < 40; d += d < 20 ? 1 : 7) {
            uint32_t n = 37;
            Model *schema = schema_of(env, d, 0, false);
            double *x = env_array(env, (size_t)n * d, 8), *points, *out, *panels, *matrix;
            double low[64], high[64];
            Metric *metric;
            bool same = true, close = true, box = true, back = true;

            fill(x, (size_t)n * d);
            if (!suit(all_metrics[m], d, x, (size_t)n * d))
                continue;
            metric = metric_over(env, all_metrics[m], schema, x, n);
            points = env_array(env, (size_t)n * metric->width, 8);
            metric_place_rows(env, metric, x, n, points);
            out = env_array(env, metric_panel_count(n) * 8, 8);
            panels = env_array(env, metric_panel_count(n) * 8 * metric->width, 8);
            matrix = env_array(env, (size_t)n * n, 8);
            metric_fill_panels(metric, points, n, panels);
            metric_reduced_matrix(env, metric, points, n, points, n, matrix);
            for (uint32_t j = 0; j < metric->width; j++) {
                low[j] = INFINITY;
                high[j] = -INFINITY;
                for (uint32_t i = 0; i < n / 2; i++) {
                    low[j] = fmin(low[j], points[i * metric->width + j]);
                    high[j] = fmax(high[j], points[i * metric->width + j]);
                }
            }
            for (uint32_t i = 0; i < n; i++) {
                const double *q = points + i * metric->width;
                double bound = metric_reduced_box(metric, q, low, high);

                metric_reduced_rows(metric, q, points, n, out);
                for (uint32_t j = 0; j < n; j++) {
                    double one = metric_reduced(metric, q, points + j * metric->width);
                    double distance = metric_distance(metric, q, points + j * metric->width);

                    same = same && one == out[j];
                    close = close && fabs(matrix[i * n + j] - one) <=
                                         1e-11 * (one + (metric->form == FORM_KERNEL ? 1e3 : 0));
                    close = close && matrix[i * n + j] == matrix[j * n + i];
                    box = box && (j >= n / 2 || bound <= one);
                    back = back && fabs(metric_to_reduced(metric, distance) - one) <=
                                       1e-7 * fmax(one, 1e-8);
                }
                metric_reduced_panels(metric, q, panels, (uint32_t)metric_panel_count(n), out);
                for (uint32_t j = 0; j < n; j++)
                    same = same && out[j] == metric_reduced(metric, q, points + j * metric->width);
            }
            check_that(same, __FILE__, __LINE__, "%s, %u: forms differ", all_metrics[m], d);
            check_that(close, __FILE__, __LINE__, "%s, %u: the matrix differs", all_metrics[m], d);
            check_that(box, __FILE__, __LINE__, "%s, %u: a box is farther than its points",
                       all_metrics[m], d);
            check_that(back, __FILE__, __LINE__, "%s, %u: not back to the reduced", all_metrics[m],
                       d);
            host_reset(host);
        }
}

static double plain(const char *name, const double *a, const double *b, uint32_t d, double p)
{
    double sum = 0, ab = 0, aa = 0, bb = 0;

    for (uint32_t i = 0; i < d; i++) {
        double x = fabs(a[i] - b[i]);

        ab += a[i] * b[i];
        aa += a[i] * a[i];
        bb += b[i] * b[i];
        if (strcmp(name, "chebyshev") == 0)
            sum = fmax(sum, x);
        else if (strcmp(name, "hamming") == 0)
            sum += x != 0;
        else
            sum += pow(x, p);
    }
    if (strcmp(name, "cosine") == 0)
        return 1 - ab / sqrt(aa * bb);
    if (strcmp(name, "angular") == 0)
        return acos(ab / sqrt(aa * bb));
    return p == 1 || strcmp(name, "squared_euclidean") == 0 ? sum : pow(sum, 1 / p);
}

static void test_values(Host *host)
{
    static const struct {
        const char *name, *json;
        double p;
    } kinds[] = {{"euclidean", "{}", 2},
                 {"squared_euclidean", "{\"metric\":\"squared_euclidean\"}", 2},
                 {"manhattan", "{\"metric\":\"manhattan\"}", 1},
                 {"chebyshev", "{\"metric\":\"chebyshev\"}", 1},
                 {"minkowski", "{\"metric\":\"minkowski\",\"p\":3}", 3},
                 {"minkowski", "{\"metric\":\"minkowski\",\"p\":0.8}", 0.8},
                 {"minkowski", "{\"metric\":\"minkowski\",\"p\":17.5}", 17.5},
                 {"hamming", "{\"metric\":\"hamming\"}", 1},
                 {"cosine", "{\"metric\":\"cosine\"}", 1},
                 {"angular", "{\"metric\":\"angular\"}", 1}};
    Env *env = &host->env;

    for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++)
        for (uint32_t d = 1; d < 30; d++) {
            double x[60], points[60];
            Metric *metric;

            fill(x, 2 * d);
            x[d] = x[0];
            if (d == 1 && strcmp(kinds[k].name, "angular") == 0)
                continue; /* 0 or pi */
            metric = metric_over(env, kinds[k].json, schema_of(env, d, 0, false), x, 2);
            metric_place_rows(env, metric, x, 2, points);
            CHECK_NEAR(metric_distance(metric, points, points + d),
                       plain(kinds[k].name, x, x + d, d, kinds[k].p), 1e-12);
            host_reset(host);
        }
}

/* Distances of any size: 1e300, denormals, and both apart. */
static void test_sizes(Host *host)
{
    static const double sizes[] = {1e300, 1e200, 1e155, 1, 1e-155, 1e-200, 1e-300, 1e-310};
    Env *env = &host->env;

    for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++)
        for (int learn = 0; learn < 2; learn++)
            for (int k = 0; k < 3; k++) {
                static const char *const json[] = {"{}", "{\"metric\":\"minkowski\",\"p\":4}",
                                                   "{\"metric\":\"manhattan\"}"};
                static const double expected[] = {5, 4.2846, 7}; /* of 3 and 4 */
                double x[4] = {3 * sizes[s], -2 * sizes[s], 0, 2 * sizes[s]}, points[4];
                Metric *metric =
                    metric_over(env, json[k], schema_of(env, 2, 0, false), x, learn ? 2 : 0);
                double root4 = pow(81 + 256, 0.25);

                metric_place_rows(env, metric, x, 2, points);
                CHECK_NEAR(metric_distance(metric, points, points + 2) / sizes[s],
                           k == 1 ? root4 : expected[k], 1e-10);
                if (learn)
                    CHECK(metric_reduced(metric, points, points + 2) > 0 &&
                          isfinite(metric_reduced(metric, points, points + 2)));
                host_reset(host);
            }
    CHECK_NEAR(loop_norm((double[]){1e308, -1e308}, (double[]){0, 0}, 2) / 1e308, sqrt(2), 1e-14);
    CHECK(loop_norm((double[]){5e-324}, (double[]){0}, 1) > 0);
    CHECK(loop_norm((double[]){DBL_MAX}, (double[]){-DBL_MAX}, 1) == INFINITY);
    CHECK(loop_norm((double[]){1, INFINITY}, (double[]){0, 0}, 2) == INFINITY && isnan(loop_norm((double[]){NAN, 1}, (double[]){0, 0}, 2)));
}

/* Symmetry, identity, triangle on points chosen to be awkward; roots where the distance itself is
 * none. */
static void test_axioms(Host *host)
{
    Env *env = &host->env;
    enum { N = 24, D = 5 };

    for (size_t m = 0; m < ALL; m++) {
        double x[N * D], points[N * (D + 1)];
        uint32_t d = strstr(all_metrics[m], "haversine") != NULL ? 2 : D;
        Model *schema = schema_of(env, d, 0, false);
        Metric *metric;
        bool symmetric = true, zero = true, triangle = true, ball = true;

        fill(x, N * D);
        for (uint32_t j = 0; j < d; j++) { /* equal, nearly equal, far, on a line */
            x[d + j] = x[j];
            x[2 * d + j] = x[j] * (1 + 1e-15);
            x[3 * d + j] = x[j] * 1e3;
            x[4 * d + j] = -x[j];
            x[5 * d + j] = j == 0 ? 1e-6 : 0;
        }
        suit(all_metrics[m], d, x, (size_t)N * d);
        metric = metric_over(env, all_metrics[m], schema, x, N);
        metric_place_rows(env, metric, x, N, points);
        for (uint32_t a = 0; a < N; a++)
            for (uint32_t b = 0; b < N; b++) {
                const double *pa = points + a * metric->width, *pb = points + b * metric->width;
                double ab = metric_distance(metric, pa, pb);
                double rab = metric_root(metric, metric_reduced(metric, pa, pb));

                symmetric = symmetric && ab == metric_distance(metric, pb, pa);
                zero = zero && (a != b || ab == 0) && ab >= 0;
                for (uint32_t c = 0; c < N; c++) {
                    const double *pc = points + c * metric->width;
                    double slack = 1e-7 * (metric->form == FORM_KERNEL ? 1e3 : 1) + 1e-9 * ab;

                    triangle = triangle && ab <= metric_distance(metric, pa, pc) +
                                                     metric_distance(metric, pc, pb) + slack;
                    ball = ball && rab <= metric_root(metric, metric_reduced(metric, pa, pc)) +
                                              metric_root(metric, metric_reduced(metric, pc, pb)) +
                                              slack;
                }
            }
        check_that(symmetric, __FILE__, __LINE__, "%s: not symmetric", all_metrics[m]);
        check_that(zero, __FILE__, __LINE__, "%s: not 0 of itself, or negative", all_metrics[m]);
        check_that(!metric->triangle || triangle, __FILE__, __LINE__, "%s: triangle",
                   all_metrics[m]);
        check_that(!metric->ball || ball, __FILE__, __LINE__, "%s: triangle of roots",
                   all_metrics[m]);
        host_reset(host);
    }
    CHECK(!metric_over(env, all_metrics[6], schema_of(env, 2, 0, false), NULL, 0)->triangle);
    CHECK(!metric_over(env, all_metrics[6], schema_of(env, 2, 0, false), NULL, 0)->ball);
    CHECK(!metric_over(env, all_metrics[12], schema_of(env, 2, 0, false), NULL, 0)->triangle);
    host_reset(host);
}

static void test_symbols(Host *host)
{
    Env *env = &host->env;
    /* one number, two categories */
    double x[] = {3, 0, 3, 5, 1, 5, 3, 0, 4}, points[9];
    Model *schema = schema_of(env, 1, 2, false);
    Metric *metric = metric_over(env, "{}", schema, x, 3);

    CHECK_INT(metric->symbols, 2);
    metric_place_rows(env, metric, x, 3, points);
    CHECK_NEAR(metric_distance(metric, points, points + 3), sqrt(4 + 2), 1e-15);
    CHECK_NEAR(metric_distance(metric, points, points + 6), 1, 0);
    metric = metric_over(env, "{\"metric\":\"chebyshev\"}", schema, x, 3);
    CHECK_NEAR(metric_distance(metric, points, points + 3), 2, 0);
    CHECK_NEAR(metric_distance(metric, points, points + 6), 1, 0);
    metric = metric_over(env, "{\"metric\":\"hamming\"}", schema, x, 3);
    CHECK_NEAR(metric_distance(metric, points, points + 3), 3, 0);

    /* the ordered one is a number to mixed: keys 1, 2, 3 of unit variance */
    schema = schema_of(env, 1, 1, true);
    double y[] = {3, 0, 5, 2, 4, 1};
    metric = metric_over(env, "{\"metric\":\"mixed\"}", schema, y, 3);
    CHECK_INT(metric->numbers, 2);
    metric_place_rows(env, metric, y, 3, points);
    CHECK_NEAR(metric_distance(metric, points, points + 2), sqrt(4 / (2.0 / 3) * 2), 1e-14);
    CHECK_FAILS(host, ERROR_DATA, "f2\" is categorical",
                metric_over(env, "{\"metric\":\"cosine\"}", schema, y, 3));
    host_reset(host);
}

/* Mahalanobis: from the rows, squared distances to the mean sum to n p; an offset costs nothing. */
static void test_learnt(Host *host)
{
    Env *env = &host->env;
    enum { N = 200, D = 4 };
    double x[(N + 1) * D], shifted[(N + 1) * D], points[(N + 1) * D], again[(N + 1) * D], sum = 0;
    Model *schema = schema_of(env, D, 0, false);
    Metric *metric;

    fill(x, N * D);
    memset(x + N * D, 0, D * sizeof(double));
    for (uint32_t i = 0; i < N; i++) {
        x[i * D + 1] += 3 * x[i * D];
        for (uint32_t j = 0; j < D; j++)
            x[N * D + j] += x[i * D + j] / N;
    }
    metric = metric_over(env, "{\"metric\":\"mahalanobis\"}", schema, x, N);
    metric_place_rows(env, metric, x, N + 1, points);
    for (uint32_t i = 0; i < N; i++)
        sum += pow(metric_distance(metric, points + i * D, points + N * D), 2);
    CHECK_NEAR(sum, N * D, 1e-11);
    for (uint32_t i = 0; i < (N + 1) * D; i++)
        shifted[i] = x[i] + 1e8;
    metric = metric_over(env, "{\"metric\":\"mahalanobis\"}", schema, shifted, N);
    metric_place_rows(env, metric, shifted, N + 1, again);
    for (uint32_t i = 0; i < N; i++)
        CHECK_NEAR(metric_distance(metric, again + i * D, again),
                   metric_distance(metric, points + i * D, points), 1e-6);
    for (uint32_t i = 0; i <= N; i++)
        x[i * D + 3] = x[i * D] - x[i * D + 2];
    CHECK_FAILS(host, ERROR_DATA, "singular: feature \"f4\"",
                metric_over(env, "{\"metric\":\"mahalanobis\"}", schema, x, N));
    for (uint32_t i = 0; i <= N; i++)
        x[i * D + 2] = 7;
    CHECK_FAILS(host, ERROR_DATA, "feature \"f3\" is constant",
                metric_over(env, "{\"metric\":\"standardized_euclidean\"}", schema, x, N));
    metric = metric_over(env, "{\"metric\":\"mixed\"}", schema, x, N);
    CHECK(metric->scales[2] == 0);
    host_reset(host);
}

static void test_refused(Host *host)
{
    static const struct {
        const char *json, *words;
    } cases[] = {
        {"{\"p\":3}", "option \"p\" is for metric minkowski and mixed"},
        {"{\"metric\":\"minkowski\",\"p\":0}", "p"},
        {"{\"metric\":\"elliptical\"}", "needs a matrix"},
        {"{\"metric\":\"elliptical\",\"matrix\":[[1]]}", "is 1 x 1, and there are 2 features"},
        {"{\"metric\":\"elliptical\",\"matrix\":[[1,2],[3,4]]}", "not symmetric"},
        {"{\"metric\":\"elliptical\",\"matrix\":[[1,2],[2,1]]}",
         "not positive definite, from row 2"},
        {"{\"metric\":\"mahalanobis\",\"covariance\":[[1,2],[2,4]]}", "singular"},
        {"{\"metric\":\"standardized_euclidean\",\"variances\":[1]}", "1 variances for 2 features"},
        {"{\"metric\":\"kernel\",\"gamma\":1,\"sigma\":1}", "both given"},
        {"{\"metric\":\"kernel\",\"kernel\":\"linear\",\"gamma\":1}",
         "kernel linear has no option \"gamma\""},
        {"{\"metric\":\"kernel\",\"degree\":2}", "kernel rbf has no option \"degree\""},
    };
    Env *env = &host->env;
    Metric *metric;
    double x[] = {0, 0, 1, 1}, points[4];

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        CHECK_FAILS(host, ERROR_PARAMETER, cases[i].words,
                    metric_over(env, cases[i].json, schema_of(env, 2, 0, false), x, 2));
    metric = metric_over(env, "{\"metric\":\"cosine\"}", schema_of(env, 2, 0, false), x, 2);
    CHECK(!metric_place(metric, x, points) && isnan(points[0]) && isnan(points[1]));
    CHECK_FAILS(host, ERROR_DATA, "a row of zeros", metric_place_rows(env, metric, x, 2, points));
    host_reset(host);
}

static Model *stored(Env *env, const Metric *metric, const Model *schema)
{
    ModelBuilder *builder = model_builder(env, MODEL_FITTED, "test");

    schema_add_final(env, builder, schema);
    metric_write(env, metric, builder);
    return model_build(builder);
}

static void test_stored(Host *host)
{
    Env *env = &host->env;
    enum { N = 20, D = 4 };

    for (size_t m = 0; m < ALL; m++) {
        double x[N * D], points[N * (D + 1)], again[N * (D + 1)];
        uint32_t d = strstr(all_metrics[m], "haversine") != NULL ? 2 : D;
        Model *schema = schema_of(env, d, 0, false), *model;
        Metric *metric, *read = NULL;

        fill(x, N * D);
        suit(all_metrics[m], d, x, (size_t)N * d);
        metric = metric_over(env, all_metrics[m], schema, x, N);
        metric_place_rows(env, metric, x, N, points);
        model = stored(env, metric, schema);
        CHECK(metric_read(env, model, &read) == NULL);
        metric_place_rows(env, read, x, N, again);
        CHECK(memcmp(points, again, (size_t)N * metric->width * 8) == 0);
        CHECK(metric_distance(metric, points, points + metric->width) ==
              metric_distance(read, again, again + metric->width));
        for (uint32_t e = 0; e < model->entry_count; e++) { /* arrays that are not what they were */
            ModelEntry *entry = (ModelEntry *)(model + 1) + e;
            double *data = (double *)((char *)model + entry->offset), kept = data[0];

            if (entry->section != SECTION_ARRAYS)
                continue;
            for (int k = 0; k < 5; k++) {
                const char *wrong;

                data[0] = (double[]){NAN, INFINITY, -1, 0, 1e300}[k];
                wrong = metric_read(env, model, &read);
                if (wrong == NULL)
                    metric_place(read, x, again);
                CHECK(k > 1 || wrong != NULL);
            }
            data[0] = kept;
        }
        host_reset(host);
    }
}

static void test_kernels(Host *host)
{
    Env *env = &host->env;
    double x[] = {1, 2}, y[] = {-3, 0.5}, rows[70 * 13], out[70 * 70];
    Kernel kernel = kernel_of_options(env, parse(env, "{\"sigma\":0.5}"), NULL);

    CHECK_NEAR(kernel.gamma, 2, 0);
    CHECK_NEAR(kernel_value(&kernel, x, y, 2) / 1.40686171244615e-16, 1, 1e-13);
    kernel = kernel_of_options(env, parse(env, "{\"degree\":3,\"gamma\":0.5,\"coef0\":2}"),
                               "polynomial");
    CHECK_NEAR(kernel_value(&kernel, x, y, 2), 1, 1e-15);
    kernel = kernel_of_options(env, parse(env, "{\"gamma\":0.25,\"coef0\":1}"), "sigmoid");
    CHECK_NEAR(kernel_value(&kernel, x, y, 2), 0.46211715726001, 1e-14);
    kernel = kernel_of_options(env, parse(env, "{}"), "rbf");
    CHECK(kernel.gamma == 0);
    fill(rows, 70 * 13);
    kernel_scale(&kernel, rows, NULL, 70, 13);
    CHECK_NEAR(kernel.gamma, 1 / 13.0, 0.2 / 13);
    for (KernelKind kind = KERNEL_LINEAR; kind <= KERNEL_SIGMOID; kind++) {
        bool close = true;

        kernel = kernel_of_options(env, parse(env, kind == KERNEL_RBF ? "{\"gamma\":0.1}" : "{}"),
                                   kernel_name(kind));
        kernel_matrix(env, &kernel, rows, 70, rows, 70, 13, out);
        for (uint32_t i = 0; i < 70; i++)
            for (uint32_t j = 0; j < 70; j++)
                close = close && fabs(out[i * 70 + j] -
                                      kernel_value(&kernel, rows + i * 13, rows + j * 13, 13)) <=
                                     1e-10 * (1 + fabs(out[i * 70 + j]));
        CHECK(close);
        kernel_rows(&kernel, rows, rows, 70, 13, out);
        CHECK(out[5] == kernel_value(&kernel, rows, rows + 65, 13));
    }
    CHECK_FAILS(host, ERROR_PARAMETER, "unknown kernel \"gauss\"",
                kernel_of_options(env, parse(env, "{}"), "gauss"));
    host_reset(host);
}

/* ---- objects ---- */

#define OBJECTS 20

/* Looks distances up in a table [OBJECTS x OBJECTS]. */
static void look_up(const MetricObjects *objects, double a, const double *others, uint32_t count, double *out)
{
    const double *table = objects->context;

    for (uint32_t i = 0; i < count; i++)
        out[i] = table[(size_t)a * OBJECTS + (size_t)others[i]];
}

static void test_objects(Host *host)
{
    double table[OBJECTS * OBJECTS], rows[OBJECTS], panels[OBJECTS + METRIC_PANEL], out[OBJECTS + METRIC_PANEL], placed;
    double matrix[OBJECTS * OBJECTS];
    MetricObjects objects = {.distances = look_up, .triangle = true, .context = table};
    Metric *metric = metric_of_objects(&host->env, METRIC_GIVEN, &objects, "test");

    for (uint32_t i = 0; i < OBJECTS; i++)
        for (uint32_t j = 0; j < OBJECTS; j++)
            table[i * OBJECTS + j] = i == j ? 0 : i + j == 7 ? INFINITY : fabs((double)i - j) + 1;
    for (uint32_t i = 0; i < OBJECTS; i++)
        rows[i] = OBJECTS - 1 - i;
    CHECK(metric->width == 1 && metric->plain && metric->triangle && !metric->ball && !metric->box && !metric->product);
    metric_fill_panels(metric, rows, OBJECTS, panels);
    metric_reduced_matrix(&host->env, metric, rows, OBJECTS, rows, OBJECTS, matrix);
    for (uint32_t i = 0; i < OBJECTS; i++) {
        metric_place(metric, &rows[i], &placed);
        CHECK(placed == rows[i]);
        metric_reduced_rows(metric, &rows[i], rows, OBJECTS, out);
        for (uint32_t j = 0; j < OBJECTS; j++) {
            double wanted = table[(OBJECTS - 1 - i) * OBJECTS + OBJECTS - 1 - j];

            CHECK(out[j] == wanted && matrix[i * OBJECTS + j] == wanted);
            CHECK(metric_reduced(metric, &rows[i], &rows[j]) == wanted);
            CHECK(metric_distance(metric, &rows[i], &rows[j]) == wanted);
            CHECK(metric_to_reduced(metric, wanted) == wanted && metric_of_reduced(metric, wanted) == wanted);
        }
        metric_reduced_panels(metric, &rows[i], panels, (uint32_t)metric_panel_count(OBJECTS), out);
        for (uint32_t j = 0; j < OBJECTS; j++)
            CHECK(out[j] == matrix[i * OBJECTS + j]);
    }
}

int main(void)
{
    Host *host = host_new();

    test_forms(host);
    test_values(host);
    test_sizes(host);
    test_axioms(host);
    test_symbols(host);
    test_learnt(host);
    test_refused(host);
    test_stored(host);
    test_kernels(host);
    test_objects(host);
    host_free(host);
    return check_report();
}
