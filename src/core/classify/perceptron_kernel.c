/*
 * perceptron_kernel.c - fits the kernel perceptron (Aizerman, Braverman & Rozonoer 1964; Freund & Schapire 1999).
 *
 * The dual of perceptron.c: a row with y f(x) <= 0 is a mistake, and its multiplier grows by rate y. The scores of all rows are kept and
 * updated at each mistake by one row of the Gram matrix, so rows that are right cost nothing. Kernel values are doubles, and rows of
 * the matrix stay in memory as long as the budget allows, because the sign of a score decides where the next step goes: the floats of
 * kernel_cache.h would move it.
 */
#include "core/classify/perceptron_kernel.h"

#include "core/base/all_finite.h"
#include "core/kernel/kernel_points.h"
#include "core/estimator/class_options.h"
#include "core/estimator/multiclass.h"
#include "core/kernel_methods/kernel_model.h"

#include <math.h>
#include <string.h>

#define POLL_ROWS 4096

typedef struct KernelPerceptron {
    Env *env;
    KernelSample *sample;
    KernelPoints points;
    double rate;
    double *class_factors; /* NULL: 1 */
    int64_t max_iter;
    bool average, voted;
    double **kept;    /* [n] rows of the Gram matrix; NULL: not kept */
    size_t kept_left; /* how many more may be kept */
    double *row;      /* [n] one that is not kept */
    /* the current problem */
    double *scores; /* [n] */
    double *sums;   /* [n] average: sum of steps, each times the rows seen before it; NULL: no average */
    double seen;    /* rows so far, in all passes */
    int64_t updates; /* in the last pass */
    /* voted */
    int64_t *vote_rows, *vote_counts;
    size_t votes, capacity;
    /* all problems */
    double *multipliers; /* [problems x n] */
    int64_t *counts;     /* [problems x n] mistakes; NULL: not kept */
    int64_t iterations, all_updates;
    uint32_t unfinished;
} KernelPerceptron;

/* ---- options ---- */

bool perceptron_wants_kernel(Env *env, const Options *options)
{
    Kernel kernel = kernel_of_options(env, options, NULL);

    if (approximation_of_options(env, options, &kernel) != APPROXIMATION_NONE && kernel.kind == KERNEL_LINEAR)
        env_fail(env, ERROR_PARAMETER, "Leave it out, or give another \"kernel\", such as \"rbf\".",
                 "\"approximation\": \"%s\" of perceptron is not for \"kernel\": \"linear\", which takes any number of rows",
                 options_string(options, "approximation"));
    return kernel.kind != KERNEL_LINEAR;
}

/* Fails if an option of the linear perceptron is given. */
static void require_options(Env *env, const Options *options)
{
    const char *wrong = options_given(options, "start")                     ? "start"
                        : options_is(options, "init", "basic_linear")       ? "init"
                        : options_given(options, "intercept")               ? "intercept"
                                                                            : NULL;

    if (wrong != NULL)
        env_fail(env, ERROR_PARAMETER,
                 "A kernel perceptron starts at 0 and has no constant but that of its kernel, such as coef0 of polynomial.",
                 "option \"%s\" of perceptron does not go with kernel %s", wrong, options_string(options, "kernel"));
}

/* ---- rows of the Gram matrix ---- */

static size_t padded(const KernelPerceptron *p)
{
    return (p->sample->count + KERNEL_PANEL - 1) / KERNEL_PANEL * KERNEL_PANEL;
}

static const double *gram_row(KernelPerceptron *p, uint32_t i)
{
    const KernelSample *sample = p->sample;
    double *row = p->kept[i];

    if (row != NULL)
        return row;
    row = p->row;
    if (p->kept_left > 0) {
        p->kept_left--;
        row = p->kept[i] = env_array_raw(p->env, padded(p), sizeof(double));
    }
    kernel_points_values(&p->points, sample->points + (size_t)i * sample->dims, 0, sample->count, row);
    if (!all_finite(row, sample->count))
        env_fail(p->env, ERROR_RANGE, "Give \"standardize\": true, or divide large features by a power of ten.",
                 "values of kernel %s between the rows of perceptron exceed the range of double precision",
                 kernel_name(sample->kernel.kind));
    return row;
}

/* ---- passes ---- */

/* Keeps which row was the mistake that begins a new voter. */
static void add_vote(KernelPerceptron *p, uint32_t i)
{
    if (p->votes == p->capacity) {
        size_t capacity = 2 * p->capacity + 64;

        env_require_memory(p->env, 2 * capacity * sizeof(int64_t), "perceptron with option \"averaged\": \"voted\"");
        p->vote_rows = p->env->resize(p->env, p->vote_rows, capacity * sizeof(int64_t));
        p->vote_counts = p->env->resize(p->env, p->vote_counts, capacity * sizeof(int64_t));
        p->capacity = capacity;
    }
    p->vote_rows[p->votes] = i;
    p->vote_counts[p->votes++] = 0;
}

/* Returns what a mistake of the row adds to its multiplier. */
static double step_of(const KernelPerceptron *p, uint32_t i, double sign)
{
    uint32_t class = p->sample->classes[i];
    double step = p->rate * sign * row_weight(p->sample->weights, i);

    return p->class_factors != NULL ? step * p->class_factors[class] : step;
}

/* Learns from row i, a mistake. */
static void learn(KernelPerceptron *p, uint32_t i, double step, double *multipliers)
{
    const double *row = gram_row(p, i);
    double *scores = p->scores;
    uint32_t n = p->sample->count;

    for (uint32_t j = 0; j < n; j++)
        scores[j] += step * row[j];
    multipliers[i] += step;
    if (p->sums != NULL)
        p->sums[i] += p->seen * step;
    if (step == 0 || !isfinite(multipliers[i]) || !isfinite(scores[i]))
        env_fail(p->env, ERROR_RANGE, "Divide large features by a power of ten, or give another learning_rate.",
                 "the multipliers of perceptron exceed the range of double precision");
    p->env->poll(p->env);
}

/* Makes one pass over the rows; p->updates counts its mistakes. */
static void pass(KernelPerceptron *p, const int8_t *signs, double *multipliers, int64_t *counts)
{
    const KernelSample *sample = p->sample;

    p->updates = 0;
    for (uint32_t i = 0; i < sample->count; i++) {
        uint32_t class = sample->classes[i];
        double sign = signs[class];

        if (i % POLL_ROWS == 0)
            p->env->poll(p->env);
        if (sign == 0 || (p->class_factors != NULL && p->class_factors[class] == 0))
            continue;
        if (sign * p->scores[i] <= 0) {
            learn(p, i, step_of(p, i, sign), multipliers);
            p->updates++;
            if (p->voted)
                add_vote(p, i);
            if (counts != NULL)
                counts[i]++;
        }
        p->seen++;
        if (p->voted)
            p->vote_counts[p->votes - 1]++;
    }
}

static void fit_problem(KernelPerceptron *p, uint32_t problem, const int8_t *signs)
{
    uint32_t n = p->sample->count;
    double *multipliers = p->multipliers + (size_t)problem * n;
    int64_t *counts = p->counts != NULL ? p->counts + (size_t)problem * n : NULL, iterations = 0;

    memset(p->scores, 0, n * sizeof(double));
    if (p->sums != NULL)
        memset(p->sums, 0, n * sizeof(double));
    p->seen = 0;
    p->env->progress(p->env, "perceptron", 0, (uint64_t)p->max_iter, NAN);
    do {
        pass(p, signs, multipliers, counts);
        p->all_updates += p->updates;
        p->env->progress(p->env, "perceptron", (uint64_t)++iterations, (uint64_t)p->max_iter, (double)p->updates);
    } while (p->updates > 0 && iterations < p->max_iter);
    if (!all_finite(p->scores, n))
        env_fail(p->env, ERROR_RANGE, "Divide large features by a power of ten.",
                 "the scores of perceptron exceed the range of double precision");
    p->unfinished += p->updates > 0;
    if (iterations > p->iterations)
        p->iterations = iterations;
    for (uint32_t i = 0; p->sums != NULL && i < n; i++)
        multipliers[i] -= p->sums[i] / p->seen;
}

static void warn_unfinished(const KernelPerceptron *p, uint32_t problems)
{
    static const char hint[] = "Raise \"max_iter\", give \"standardize\": true or a larger gamma or degree. For classes that overlap, "
                               "use \"averaged\": true.";

    if (p->unfinished == 0 || p->max_iter == 1)
        return;
    if (problems == 1)
        env_warn(p->env, ERROR_DATA, hint, "perceptron stopped after %lld passes over the rows with %lld mistake%s in the last one",
                 (long long)p->iterations, (long long)p->updates, p->updates == 1 ? "" : "s");
    else
        env_warn(p->env, ERROR_DATA, hint, "perceptron stopped after %lld passes over the rows in %u of %u binary problems",
                 (long long)p->max_iter, p->unfinished, problems);
}

/* ---- the whole ---- */

/* Loads the rows and allocates the rest, after comparing it with the budget; what is left of it may hold rows of the Gram matrix. */
static void open(KernelPerceptron *p, Rows *rows, const Kernel *kernel, const Options *options, uint32_t problems)
{
    Env *env = p->env;
    bool mistakes = options_boolean(options, "mistakes");
    size_t numbers = (size_t)problems * (mistakes ? 3 : 2) + 6, used;
    uint32_t n;

    p->sample = kernel_sample(env, rows, kernel, options, (numbers + rows_slots(rows)) * sizeof(double), "perceptron");
    n = p->sample->count;
    if (p->voted && n > UINT32_MAX - KERNEL_PANEL)
        env_fail(env, ERROR_LIMIT, NULL, "perceptron compares at most %u rows", UINT32_MAX - KERNEL_PANEL);
    used = kernel_sample_bytes(p->sample) + kernel_points_bytes(n, p->sample->dims) + (size_t)n * numbers * sizeof(double);
    p->kept_left = used < env->memory_limit ? (env->memory_limit - used) / ((n + KERNEL_PANEL) * sizeof(double)) : 0;
    p->points = kernel_points(env, &p->sample->kernel, p->sample->points, n, p->sample->dims);
    p->kept = env_array(env, n, sizeof(double *));
    p->row = env_array(env, padded(p), sizeof(double));
    p->scores = env_array(env, n, sizeof(double));
    p->multipliers = env_array(env, (size_t)problems * n, sizeof(double));
    if (p->average)
        p->sums = env_array(env, n, sizeof(double));
    if (mistakes)
        p->counts = env_array(env, (size_t)problems * n, sizeof(int64_t));
}

/* Adds the voters. Their rows are numbered as in the expansion. */
static void add_voters(const KernelPerceptron *p, const KernelExpansion *expansion, const int8_t *signs, ModelBuilder *builder)
{
    Env *env = p->env;
    uint32_t *places = env_array(env, p->sample->count, sizeof(uint32_t));
    double *steps = env_array(env, expansion->count, sizeof(double));

    for (uint32_t k = 0; k < expansion->count; k++) {
        uint32_t i = (uint32_t)expansion->row_numbers[k] - 1;

        places[i] = k;
        steps[k] = step_of(p, i, signs[p->sample->classes[i]]);
    }
    for (size_t v = 0; v < p->votes; v++)
        p->vote_rows[v] = places[p->vote_rows[v]];
    builder_f64(builder, SECTION_ARRAYS, "steps", steps, expansion->count);
    builder_i64(builder, SECTION_ARRAYS, "vote_rows", p->vote_rows, (uint32_t)p->votes);
    builder_i64(builder, SECTION_ARRAYS, "vote_counts", p->vote_counts, (uint32_t)p->votes);
}

FeatureMap *perceptron_map(Env *env, const FitInput *input, const Options *options)
{
    Kernel kernel = kernel_of_options(env, options, NULL);
    Approximation approximation = approximation_of_options(env, options, &kernel);
    bool voted = options_is(options, "averaged", "voted");

    require_options(env, options);
    if (approximation == APPROXIMATION_NONE)
        return NULL;
    if (voted || options_boolean(options, "mistakes"))
        env_fail(env, ERROR_PARAMETER, voted ? "Give \"averaged\": true, or set \"approximation\": \"none\"."
                                            : "Leave it out, or set \"approximation\": \"none\".",
                 "option \"%s\" of perceptron keeps the rows of mistakes, which approximation \"%s\" does not",
                 voted ? "averaged" : "mistakes", approximation_name(approximation));
    return feature_map(feature_map_sample(env, input->rows, &kernel, options, "perceptron"), approximation, options);
}

Model *perceptron_kernel_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options, ModelBuilder *builder)
{
    KernelPerceptron p = {.env = env,
                          .rate = options_number(options, "learning_rate"),
                          .max_iter = options_integer(options, "max_iter"),
                          .voted = options_is(options, "averaged", "voted")};
    Kernel kernel = kernel_of_options(env, options, NULL);
    ClassSet classes = class_set(env, rows_schema(input->rows));
    KernelExpansion expansion;
    ClassRule rule;
    CodeBook *book;
    double stored_rule[3];

    require_options(env, options);
    if (!class_several(&classes, options, "perceptron", input->frame))
        return NULL;
    if (p.voted && classes.count > 2)
        env_fail(env, ERROR_PARAMETER, "Give \"averaged\": true, which takes several classes by \"multiclass\".",
                 "option \"averaged\": \"voted\" of perceptron is for two classes, not for %u", classes.count);
    p.average = !p.voted && options_boolean(options, "averaged");
    rule = class_rule_read(&classes, options);
    book = multiclass_book(&classes, options, rule.positive);
    open(&p, input->rows, &kernel, options, book->problems);
    p.class_factors = class_weights_of_rows(&classes, options, p.sample->design);
    for (uint32_t i = 0; i < book->problems; i++)
        fit_problem(&p, i, multiclass_problem(env, book, "perceptron", i));
    warn_unfinished(&p, book->problems);

    expansion = kernel_expansion(p.sample, book->problems, p.multipliers, NULL, NULL);
    builder_fact_i64(builder, "iterations", p.iterations);
    builder_fact_bool(builder, "converged", p.unfinished == 0);
    builder_fact_i64(builder, "updates", p.all_updates);
    builder_fact_i64(builder, "support_vectors", expansion.count);
    if (p.voted)
        add_voters(&p, &expansion, book_signs(book, 0), builder);
    kernel_model_add(env, builder, p.sample, &expansion);
    class_rule_add(builder, &rule, classes.count, stored_rule);
    multiclass_add(env, builder, book);
    if (p.counts != NULL && book->problems > 1)
        builder_i64_matrix(builder, SECTION_ARRAYS, "mistakes", p.counts, book->problems, p.sample->count);
    else if (p.counts != NULL)
        builder_i64(builder, SECTION_ARRAYS, "mistakes", p.counts, p.sample->count);
    return model_build(builder);
}
