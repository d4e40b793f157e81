/*
 * test_svm_certificate.c - random small problems of all support vector machines: the multipliers of a model that says `converged` prove
 * by weak duality that no other has a lower objective. The objectives are computed here, from scores and plain kernel values.
 *
 * An argument sets how many problems there are.
 */
#include "check.h"
#include "fit.h"

#include "core/kernel_methods/kernel_model.h"

#include <stdio.h>
#include <stdlib.h>

#define MOST 24 /* rows */
#define PROBLEMS 600
#define GAP 0.01   /* between the objectives, of the larger one: what `converged` promises */
#define USUAL 1e-6 /* what most small problems reach */

typedef enum Machine { NU_REGRESSION, REGRESSION, NU_CLASSIFIER, CLASSIFIER, ONE_CLASS, MACHINES } Machine;

typedef struct Problem {
    Machine machine;
    const char *kernel;
    uint32_t n, d;
    bool weighted;
    double x[MOST * 3], y[MOST], w[MOST], C, nu, epsilon, gamma, unit;
    double b[MOST], f[MOST]; /* the solution: multipliers and scores */
    double square, total;    /* |w|^2; sum of the weights */
} Problem;

static double kernel(const Problem *p, uint32_t i, uint32_t j)
{
    double product = 0, distance = 0;

    for (uint32_t k = 0; k < p->d; k++) {
        double a = p->x[i * p->d + k], b = p->x[j * p->d + k];

        product += a * b;
        distance += (a - b) * (a - b);
    }
    return p->kernel[0] == 'l' ? product : p->kernel[0] == 'r' ? exp(-p->gamma * distance) : pow(product * p->gamma + 1, 2);
}

/* Draws a problem: whole numbers, so that rows and targets tie, or any; few rows, so that bounds and degenerate cases are common. */
static Problem draw(uint64_t seed)
{
    static const char *const kernels[] = {"linear", "linear", "rbf", "polynomial"};
    static const double units[] = {1, 1, 1, 1, 1e-4, 1e4};
    Problem p = {.machine = seed % MACHINES};
    bool whole = random_uniform(&seed) < 0.5;

    p.kernel = kernels[(int)(4 * random_uniform(&seed))];
    p.n = 2 + (uint32_t)(random_uniform(&seed) < 0.7 ? 8 * random_uniform(&seed) : (MOST - 2) * random_uniform(&seed));
    p.d = 1 + (uint32_t)(3 * random_uniform(&seed));
    p.weighted = random_uniform(&seed) < 0.25;
    p.unit = units[(int)(6 * random_uniform(&seed))];
    p.C = pow(10, (int)(4 * random_uniform(&seed)) - 1);
    p.nu = random_uniform(&seed) < 0.3 ? (1 + (int)(20 * random_uniform(&seed))) / 20.0 : 1 - 0.99 * random_uniform(&seed);
    p.epsilon = random_uniform(&seed) < 0.3 ? 0 : random_uniform(&seed) * p.unit;
    p.gamma = p.kernel[0] == 'r' ? 0.5 : 1;
    for (uint32_t i = 0; i < p.n; i++) {
        double sum = random_normal(&seed);

        for (uint32_t k = 0; k < p.d; k++) {
            double x = whole ? floor(5 * random_uniform(&seed)) : 2 * random_normal(&seed);

            p.x[i * p.d + k] = x * (p.kernel[0] == 'l' ? p.unit : 1);
            sum += x;
        }
        p.y[i] = p.machine <= REGRESSION ? (whole ? floor(2 * sum) : sum) * p.unit : i < 2 ? i : sum > (whole ? 2.0 * p.d : 0);
        p.w[i] = !p.weighted ? 1 : whole ? 1 + floor(3 * random_uniform(&seed)) : 0.1 + 3 * random_uniform(&seed);
        p.total += p.w[i];
    }
    return p;
}

static const Model *fit(Env *env, const Problem *p)
{
    static const char *const methods[] = {"svm_regression", "svm_regression", "svm_classifier", "svm_classifier", "one_class_svm"};
    bool classes = p->machine == NU_CLASSIFIER || p->machine == CLASSIFIER;
    Rows *rows = target_rows(env, p->x, p->machine == ONE_CLASS ? NULL : p->y, p->weighted ? p->w : NULL, NULL, p->n, p->d, classes ? 2 : 0);
    char options[300];
    int at = snprintf(options, sizeof(options), "{\"kernel\": \"%s\"", p->kernel);

    if (p->kernel[0] != 'l')
        at += snprintf(options + at, sizeof(options) - at, ", \"gamma\": %g", p->gamma);
    if (p->kernel[0] == 'p')
        at += snprintf(options + at, sizeof(options) - at, ", \"degree\": 2, \"coef0\": 1");
    if (p->kernel[0] == 'l' && p->machine != ONE_CLASS)
        at += snprintf(options + at, sizeof(options) - at, ", \"keep_support\": true");
    if (p->machine == NU_REGRESSION || p->machine == NU_CLASSIFIER || p->machine == ONE_CLASS)
        at += snprintf(options + at, sizeof(options) - at, ", \"nu\": %.17g", p->nu);
    if (p->machine == REGRESSION)
        at += snprintf(options + at, sizeof(options) - at, ", \"epsilon\": %.17g", p->epsilon);
    if (p->machine != NU_CLASSIFIER && p->machine != ONE_CLASS)
        at += snprintf(options + at, sizeof(options) - at, ", \"C\": %g", p->C);
    snprintf(options + at, sizeof(options) - at, "}");
    return rows_model(env, estimator_find(methods[p->machine]), rows, options);
}

/* Reads multipliers by row, and scores all rows. */
static void read_solution(Env *env, const Model *model, Problem *p)
{
    const Scoring *scoring = estimator_of(model)->scoring;
    size_t bytes;
    bool ready = scoring->prepare != NULL && (scoring->prepares == NULL || scoring->prepares(model));
    void *prepared = ready ? scoring->prepare(env, model, &bytes) : NULL;
    const ModelEntry *found = model_find(model, "row_numbers");
    uint32_t count = found != NULL ? found->rows : 0;
    const int64_t *numbers = count > 0 ? model_i64(model, "row_numbers", &count) : NULL;

    memset(p->b, 0, sizeof(p->b));
    for (uint32_t k = 0; k < count; k++)
        p->b[numbers[k] - 1] += array_at(model, "multipliers", k);
    for (uint32_t i = 0; i < p->n; i++)
        if (scoring->predict != NULL)
            p->f[i] = scoring->predict(model, prepared, p->x + i * p->d);
        else
            scoring->decisions(model, prepared, p->x + i * p->d, p->f + i);
    p->square = 0;
    for (uint32_t i = 0; i < p->n; i++)
        for (uint32_t j = 0; j < p->n; j++)
            p->square += p->b[i] * p->b[j] * kernel(p, i, j);
}

/* Returns by which share of the larger objective they differ; infinity: the multipliers are not feasible. */
static double gap_of(const Problem *p, double epsilon)
{
    double sum = 0, mass = 0, loss = 0, gain = 0, C = p->C, want = 0, primal, dual, rounding = 0;
    bool classes = p->machine == NU_CLASSIFIER || p->machine == CLASSIFIER, feasible = true, steps; /* steps: of pairs, which keep the sum; else an interior point */

    for (uint32_t i = 0; i < p->n; i++)
        mass += fabs(p->b[i]);
    if (p->machine == NU_CLASSIFIER)
        C = mass / (p->nu * p->total); /* the machine with this C, whose multipliers are so many */
    if (p->machine == ONE_CLASS) {
        C = 1;
        want = p->nu * p->total;
    }
    for (uint32_t i = 0; i < p->n; i++) {
        double y = classes ? 2 * p->y[i] - 1 : p->y[i], bound = C * p->w[i], f = p->f[i];

        sum += p->b[i];
        feasible = feasible && fabs(p->b[i]) <= bound * (1 + 1e-5) && (!classes || p->b[i] * y >= 0) && (p->machine != ONE_CLASS || p->b[i] >= 0);
        loss += bound * fmax(0, p->machine == ONE_CLASS ? -f : classes ? 1 - y * f : fabs(y - f) - epsilon);
        gain += p->machine == ONE_CLASS ? 0 : classes ? fabs(p->b[i]) : p->b[i] * y - (p->machine == REGRESSION ? epsilon * fabs(p->b[i]) : 0);
        rounding += bound * (fabs(y) + fabs(f)) + 1e-2 * mass * fabs(p->b[i]) * kernel(p, i, i);
    }
    steps = p->kernel[0] != 'l' || (p->machine != REGRESSION && p->machine != CLASSIFIER);
    feasible = feasible && fabs(sum - want) <= (steps ? 1e-9 : 1e-5) * mass + 1e-12 * C * p->total;
    primal = p->square / 2 + loss;
    dual = gain - p->square / 2;
    if (p->machine == NU_REGRESSION) {
        primal += p->nu * C * p->total * epsilon;
        feasible = feasible && mass <= p->nu * C * p->total * (1 + 1e-9);
    }
    if (p->machine == ONE_CLASS) { /* of the score without the intercept */
        double level = 0;
        for (uint32_t j = 0; j < p->n; j++)
            level += p->b[j] * kernel(p, 0, j);
        primal -= (level - p->f[0]) * want;
    }
    if (!feasible || primal - dual < -1e-5 * (fabs(primal) + rounding))
        return INFINITY;
    return fmax(0, primal - dual - 1e-12 * rounding) / fmax(fmax(primal, fabs(dual)), 1e-300);
}

/* Returns the weighted mean of the `mass` lowest values of one class, in one dimension; sign -1: minus that of the highest. */
static double reduced_end(const Problem *p, int class, double mass, double sign)
{
    bool taken[MOST] = {false};
    double sum = 0, all = mass;

    while (mass > 1e-15 * all) {
        uint32_t best = MOST;
        double step;

        for (uint32_t i = 0; i < p->n; i++)
            if (p->y[i] == class && !taken[i] && (best == MOST || sign * p->x[i] < sign * p->x[best]))
                best = i;
        taken[best] = true;
        step = fmin(mass, p->w[best]);
        sum += step * sign * p->x[best];
        mass -= step;
    }
    return sum / all;
}

/* Tells whether a nu machine has a margin, in one dimension: the reduced hulls are intervals, which must not meet. */
static bool has_margin(const Problem *p)
{
    double mass = p->nu * p->total / 2, gap = 0, scale = 0;

    gap = fmax(reduced_end(p, 0, mass, 1) + reduced_end(p, 1, mass, -1), reduced_end(p, 1, mass, 1) + reduced_end(p, 0, mass, -1));
    for (uint32_t i = 0; i < p->n; i++)
        scale = fmax(scale, fabs(p->x[i]));
    return gap > 1e-5 * scale;
}

/* How many problems converged, and how many of them to the usual digits. */
typedef struct Counts {
    uint64_t converged, usual;
} Counts;

/* Returns whether there was a solution. */
static bool check_problem(Host *host, uint64_t seed, Counts *counts)
{
    Problem p = draw(seed);
    const Model *volatile model = NULL;
    bool failed = true;

    if (TRY(host)) {
        model = fit(&host->env, &p);
        failed = false;
    }
    TRY_END(host);
    if (failed) { /* no margin, or nu above what the classes allow */
        check_that(p.machine == NU_CLASSIFIER && host->code == ERROR_DATA, __FILE__, __LINE__, "problem %llu: %s", (unsigned long long)seed, host->message);
        if (p.machine == NU_CLASSIFIER && p.d == 1 && p.kernel[0] == 'l' && strstr(host->message, "no margin") != NULL)
            check_that(!has_margin(&p), __FILE__, __LINE__, "problem %llu has a margin", (unsigned long long)seed);
    } else if (fact_of(&host->env, model, "converged") == 1) {
        double epsilon = p.machine == NU_REGRESSION ? fact_of(&host->env, model, "epsilon") : p.epsilon;

        double gap;

        read_solution(&host->env, model, &p);
        gap = gap_of(&p, epsilon);
        counts->converged++;
        counts->usual += gap <= USUAL;
        check_that(gap <= GAP, __FILE__, __LINE__, "problem %llu of machine %d (%s, %u rows, unit %g, nu %g) has a gap of %g", (unsigned long long)seed,
                   (int)p.machine, p.kernel, p.n, p.unit, p.nu, gap);
    }
    host_reset(host);
    return !failed;
}

int main(int count, char **arguments)
{
    Host *host = host_new();
    uint64_t problems = count > 1 ? strtoull(arguments[1], NULL, 10) : PROBLEMS;
    uint64_t fitted = 0;
    Counts counts = {0, 0};

    host->env.memory_limit = (size_t)64 << 20;
    for (uint64_t seed = 0; seed < problems; seed++)
        fitted += check_problem(host, seed, &counts);
    CHECK(counts.converged >= 0.995 * (double)fitted && counts.usual >= 0.99 * (double)counts.converged);
    if (count > 1)
        printf("%llu problems, %llu with a solution, %llu converged, %llu of them to a gap of %g\n", (unsigned long long)problems,
               (unsigned long long)fitted, (unsigned long long)counts.converged, (unsigned long long)counts.usual, USUAL);
    host_free(host);
    return check_report();
}
