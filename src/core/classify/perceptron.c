/*
 * perceptron.c - the perceptron: takes the rows in order and steps at every mistake, until a pass has none.
 *
 * In homogeneous coordinates a row x of class y (1 or -1) with y w.x <= 0 is a mistake, and w += rate y x. It ends
 * after finitely many steps where a hyperplane separates the classes (Rosenblatt 1958; Novikoff 1962). The
 * average of w over all rows seen (Freund & Schapire 1999) does well where none does, as do the votes of every w,
 * which perceptron_votes.c scores. Several classes by multiclass.h.
 * The dual view counts the mistakes of each row: w = sum of rate y count x; perceptron_kernel.c fits it with kernels.
 */
#include "core/classify/perceptron.h"
#include "core/classify/perceptron_kernel.h"
#include "core/kernel_methods/mapped_rows.h"
#include "core/estimator/shared_options.h"
#include "core/base/all_finite.h"
#include "core/classify/row_learner.h"
#include "core/kernel/kernel.h"

#include <math.h>
#include <string.h>

static const char *const init_choices[] = {"zero", "basic_linear", NULL};
static const char *const average_choices[] = {"voted", NULL};

static const OptionSpec perceptron_options[] = {
    {.name = "averaged",
     .formerly = "average",
     .types = OPTION_BOOLEAN | OPTION_STRING,
     .fallback = "false",
     .choices = average_choices,
     .help = "Whether to return the average of the coefficients after each row instead of the last ones; voted: all "
             "are kept and vote with the number of rows that they survived."},
    {.name = "init",
     .types = OPTION_STRING,
     .fallback = "\"zero\"",
     .choices = init_choices,
     .help = "Where to start: at 0, or at the basic linear classifier, halfway between the class means."},
    {.name = "kernel",
     KERNEL_OPTION,
     .fallback = "\"linear\"",
     .help = "The kernel that replaces the product of two rows; with another one than linear, the model keeps the rows that were mistakes, and has "
             "no constant but that of the kernel."},
    {.name = "learning_rate",
     .types = OPTION_NUMBER,
     .fallback = "1",
     ABOVE_ZERO_TO_ONE,
     .help = "Factor of the row that is added after a mistake; if the fit starts at 0, it only scales the coefficients."},
    {.name = "max_iter",
     .types = OPTION_INTEGER,
     .fallback = "1000",
     .minimum = 1,
     .maximum = 1000000000,
     .help = "Maximum number of passes over the rows, fewer if one has no mistakes."},
    {.name = "mistakes",
     .types = OPTION_BOOLEAN,
     .fallback = "false",
     .help = "Whether the model keeps how often each row was a mistake, in row order (the dual view)."},
    {.name = NULL}};

typedef struct Perceptron {
    Env *env;
    RowLearner learner;
    uint32_t classes;
    double *class_factors; /* NULL: 1 */
    int64_t max_iter;
    bool average, voted;
    /* with option init; NULL: start at 0 */
    double *means;         /* [classes x terms], and [terms] scratch */
    double *class_weights; /* [classes] */
    /* the current problem */
    double seen;       /* rows so far, in all passes */
    double sum0, *sum; /* average: sum of steps, each times the rows seen before it; NULL: no average */
    int64_t updates;   /* mistakes in the last pass */
    /* voted: the equations of out are the vectors */
    int64_t survived;           /* rows that the current vector survived */
    int64_t *votes;             /* [capacity] the same of stored vectors */
    uint32_t vectors, capacity; /* stored vectors; how many out has room for */
    /* all problems */
    int64_t *counts; /* [problems x rows] mistakes; NULL: not kept */
    int64_t iterations, all_updates;
    uint32_t unfinished, unfinished_mistakes;
    LinearEquations out;
} Perceptron;

/* ---- the start ---- */

/* Computes the weighted mean of each term in each class, in one pass. */
static void learn_means(Perceptron *p)
{
    uint32_t terms = p->learner.terms;
    DesignBlock block;

    p->means = env_array(p->env, ((size_t)p->classes + 1) * terms + 1, sizeof(double));
    p->class_weights = env_array(p->env, p->classes, sizeof(double));
    while (design_next_block(p->learner.reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            uint32_t class = block.classes[i];
            double *mean = p->means + (size_t)class * terms;
            const double *x = row_learner_row(&p->learner, &block, i);
            double weight = row_weight(block.weights, i);

            p->class_weights[class] += weight;
            for (uint32_t t = 0; t < terms; t++)
                mean[t] += (x[t] - mean[t]) * (weight / p->class_weights[class]);
        }
}

/* Computes the mean of the classes on one side of a binary problem. */
static void side_mean(const Perceptron *p, const int8_t *signs, int8_t side, double *mean)
{
    uint32_t terms = p->learner.terms;
    double weight = 0;

    memset(mean, 0, terms * sizeof(double));
    for (uint32_t c = 0; c < p->classes; c++) {
        const double *own = p->means + (size_t)c * terms;

        if (signs[c] != side || p->class_weights[c] == 0)
            continue;
        weight += p->class_weights[c];
        for (uint32_t t = 0; t < terms; t++)
            mean[t] += (own[t] - mean[t]) * (p->class_weights[c] / weight);
    }
}

/* Starts at the basic linear classifier: w = mean+ - mean-, w0 = (|mean-|^2 - |mean+|^2) / 2. minus: [terms] scratch. */
static void begin_basic(Perceptron *p, const int8_t *signs, double *minus)
{
    RowLearner *learner = &p->learner;
    double squares = 0;

    side_mean(p, signs, 1, learner->w);
    side_mean(p, signs, -1, minus);
    for (uint32_t t = 0; t < learner->terms; t++) {
        double difference = learner->w[t] - minus[t];

        squares += difference * (learner->w[t] + minus[t]);
        learner->w[t] = difference;
    }
    if (learner->intercept)
        learner->w0 = -squares / 2;
}

static void begin(Perceptron *p, uint32_t problem, const int8_t *signs)
{
    row_learner_reset(&p->learner, problem);
    p->sum0 = p->seen = 0;
    if (p->sum != NULL)
        memset(p->sum, 0, p->learner.terms * sizeof(double));
    if (p->means != NULL)
        begin_basic(p, signs, p->means + (size_t)p->classes * p->learner.terms);
}

/* ---- vectors that vote ---- */

static void grow_vectors(Perceptron *p)
{
    static const char hint[] = "Lower \"max_iter\", give \"averaged\": true, which keeps one vector, or raise pgfit.fit_mem.";
    Env *env = p->env;
    size_t columns = (size_t)p->out.slots + p->out.levels, each = (columns + 2) * sizeof(double);
    size_t most = (env->memory_limit < MODEL_MAX_SIZE ? env->memory_limit : MODEL_MAX_SIZE) / each;
    size_t capacity = 2 * (size_t)p->capacity < most ? 2 * (size_t)p->capacity : most;

    if (capacity <= p->vectors)
        env_fail(env, ERROR_LIMIT, hint,
                 "perceptron has more than %zu vectors that vote, of %zu bytes each: pgfit.fit_mem allows %zu bytes, "
                 "and a model %u",
                 most, each, env->memory_limit, MODEL_MAX_SIZE);
    p->out.coef = env->resize(env, p->out.coef, capacity * columns * sizeof(double));
    if (p->learner.intercept)
        p->out.offset = env->resize(env, p->out.offset, capacity * sizeof(double));
    p->votes = env->resize(env, p->votes, capacity * sizeof(int64_t));
    p->capacity = (uint32_t)capacity;
}

/* Stores the current vector before it changes, or because it is the last. */
static void keep_vector(Perceptron *p)
{
    size_t columns = (size_t)p->out.slots + p->out.levels;

    if (p->survived == 0)
        return;
    if (p->vectors == p->capacity)
        grow_vectors(p);
    /* one vector at a time: new memory may be hundreds of megabytes, and clearing it cannot be canceled */
    memset(p->out.coef + p->vectors * columns, 0, columns * sizeof(double));
    row_learner_store(&p->learner, p->vectors, &p->out);
    p->votes[p->vectors++] = p->survived;
    p->survived = 0;
}

/* ---- passes ---- */

static void step(Perceptron *p, double length, const double *x)
{
    row_learner_step(&p->learner, length, x);
    if (p->sum == NULL)
        return;
    row_learner_add(&p->learner, p->sum, p->seen * length, x);
    p->sum0 += p->learner.intercept ? p->seen * length : 0;
}

/* Makes one pass over the rows; p->updates counts its mistakes. */
static void pass(Perceptron *p, const int8_t *signs, int64_t *counts)
{
    RowLearner *learner = &p->learner;
    DesignBlock block;

    p->updates = 0;
    design_rewind(learner->reader);
    while (design_next_block(learner->reader, &block)) {
        for (uint32_t i = 0; i < block.count; i++) {
            uint32_t class = block.classes[i];
            double sign = signs[class];
            const double *x;

            if (sign == 0 || (p->class_factors != NULL && p->class_factors[class] == 0))
                continue;
            x = row_learner_row(learner, &block, i);
            if (sign * row_learner_score(learner, x) <= 0) {
                double length = learner->rate * sign;

                if (block.weights != NULL)
                    length *= block.weights[i];
                if (p->class_factors != NULL)
                    length *= p->class_factors[class];
                if (p->voted)
                    keep_vector(p);
                step(p, length, x);
                p->updates++;
                if (counts != NULL)
                    counts[block.first + i]++;
            }
            p->seen++;
            p->survived++;
        }
    }
}

static void require_finite(const Perceptron *p)
{
    const RowLearner *learner = &p->learner;

    if (!isfinite(learner->w0) || !isfinite(p->sum0) || !all_finite(learner->w, learner->terms) ||
        (p->sum != NULL && !all_finite(p->sum, learner->terms)))
        env_fail(p->env, ERROR_RANGE, "Divide large features by a power of ten.",
                 "the coefficients of perceptron exceed the range of double precision");
}

/* Stores the last coefficients, or their average. */
static void store(Perceptron *p, uint32_t problem)
{
    RowLearner *learner = &p->learner;

    if (p->voted) {
        keep_vector(p);
        p->out.equations = p->vectors;
        return;
    }
    for (uint32_t t = 0; p->sum != NULL && t < learner->terms; t++)
        learner->w[t] -= p->sum[t] / p->seen;
    if (p->sum != NULL)
        learner->w0 -= p->sum0 / p->seen;
    row_learner_store(learner, problem, &p->out);
}

static void fit_problem(Perceptron *p, uint32_t problem, const int8_t *signs)
{
    Env *env = p->env;
    int64_t *counts = p->counts != NULL ? p->counts + (size_t)problem * rows_count(p->learner.rows) : NULL;
    int64_t iterations = 0;

    begin(p, problem, signs);
    do {
        pass(p, signs, counts);
        p->all_updates += p->updates;
        iterations++;
        require_finite(p);
        if (p->out.equations == 1)
            env->progress(env, "perceptron", (uint64_t)iterations, (uint64_t)p->max_iter,
                          (double)p->updates);
    } while (p->updates > 0 && iterations < p->max_iter);
    if (p->updates > 0) {
        p->unfinished++;
        p->unfinished_mistakes += (uint32_t)(p->updates < UINT32_MAX / 2 ? p->updates : UINT32_MAX / 2);
    }
    if (iterations > p->iterations)
        p->iterations = iterations;
    store(p, problem);
}

/* Warns if the last of several passes still had mistakes; a single pass is what was asked for. */
static void warn_unfinished(const Perceptron *p, uint32_t problems, bool mapped)
{
    const char *hint = mapped ? "Raise \"max_iter\", \"landmarks\" or \"frequencies\", or use \"averaged\": true for classes that overlap."
                              : "Give \"standardize\": true, or raise \"max_iter\". For classes that no hyperplane separates, use "
                                "\"averaged\": true, least_squares_classifier or logistic_regression.";

    if (p->unfinished == 0 || p->max_iter == 1)
        return;
    if (problems == 1)
        env_warn(p->env, ERROR_DATA, hint,
                 "perceptron stopped after %lld passes over the rows with %lld mistake%s in the last one",
                 (long long)p->iterations, (long long)p->updates, p->updates == 1 ? "" : "s");
    else
        env_warn(p->env, ERROR_DATA, hint,
                 "perceptron stopped after %lld passes over the rows in %u of %u binary problems, with %u mistake%s "
                 "in their last ones",
                 (long long)p->max_iter, p->unfinished, problems, p->unfinished_mistakes, p->unfinished_mistakes == 1 ? "" : "s");
}

/* ---- the whole ---- */

static void require_same(Env *env, const WarmStart *start, const CodeBook *book, const ClassRule *rule)
{
    if (start->model == NULL)
        return;
    if (model_find(start->model, "survived") != NULL)
        env_fail(env, ERROR_PARAMETER, "Continue from a model fitted with \"averaged\": true or false.",
                 "option \"start\" of perceptron is a voted perceptron, which has no single equation to continue from");
    if (!multiclass_has_book(start->model, book) || start->view.equations != book->problems ||
        class_rule_of(start->model).positive != rule->positive)
        env_fail(env, ERROR_PARAMETER, "Give the same options as the model was fitted with.",
                 "option \"start\" of perceptron has other classes, another positive class or another \"multiclass\"");
}

/* Fails unless a voted perceptron has two classes and no start. */
static void require_votable(const Perceptron *p)
{
    if (p->classes > 2)
        env_fail(p->env, ERROR_DATA, "Give \"averaged\": true, which takes several classes by \"multiclass\".",
                 "option \"averaged\": \"voted\" of perceptron is for two classes, not for %u", p->classes);
    if (p->learner.start.model != NULL)
        env_fail(p->env, ERROR_PARAMETER, "Give \"averaged\": true or false.",
                 "option \"averaged\": \"voted\" of perceptron cannot be combined with \"start\"");
}

static void alloc_perceptron(Perceptron *p, const CodeBook *book, bool mistakes)
{
    Env *env = p->env;
    const RowDesign *design = p->learner.design;
    size_t columns = (size_t)rows_schema(design->rows)->slot_count + design->levels, rows = rows_count(design->rows);

    env_require_memory(env, (columns * book->problems + 4 * (size_t)design->terms) * sizeof(double), "perceptron");
    p->out = row_learner_equations(&p->learner, book->problems);
    if (p->average)
        p->sum = env_array(env, (size_t)design->terms + 1, sizeof(double));
    if (p->voted) {
        p->votes = env_array(env, 1, sizeof(int64_t));
        p->capacity = 1;
    }
    if (!mistakes)
        return;
    if (rows > SIZE_MAX / sizeof(int64_t) / book->problems)
        env_require_memory(env, SIZE_MAX / 2, "perceptron with option \"mistakes\"");
    env_require_memory(env, rows * book->problems * sizeof(int64_t), "perceptron with option \"mistakes\"");
    p->counts = env_array(env, rows * book->problems, sizeof(int64_t));
}

/* Returns a learner of the features of a map; a score is their product with the coefficients, without a constant. */
static RowLearner mapped_learner(FeatureMap *map, const char *method, const Options *options)
{
    return (RowLearner){.env = map->env,
                        .rows = mapped_rows(map, mapped_room(map, 0)),
                        .method = method,
                        .rate = options_number(options, "learning_rate")};
}

/* Fits equations of the features, or of those of a map if it is not NULL. */
static Model *linear_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options, FeatureMap *map,
                         ModelBuilder *builder)
{
    Perceptron p = {.env = env,
                    .learner = map != NULL ? mapped_learner(map, self->name, options)
                                           : row_learner(env, self, input, options, &builder)};
    Rows *rows = p.learner.rows;
    ClassSet classes;
    ClassRule rule;
    CodeBook *book;
    double stored_rule[3];

    p.voted = options_is(options, "averaged", "voted");
    p.average = !p.voted && options_boolean(options, "averaged");
    p.max_iter = options_integer(options, "max_iter");
    classes = class_set(env, rows_schema(rows));
    if (!class_several(&classes, options, "perceptron", input->frame)) {
        warm_start_end(&p.learner.start, rows);
        return NULL;
    }
    p.classes = classes.count;
    if (p.voted)
        require_votable(&p);
    rule = class_rule_read(&classes, options);
    book = multiclass_book(&classes, options, rule.positive);
    require_same(env, &p.learner.start, book, &rule);
    row_learner_open(&p.learner);
    alloc_perceptron(&p, book, options_boolean(options, "mistakes"));
    p.class_factors = class_weights_of_rows(&classes, options, p.learner.design);
    if (options_is(options, "init", "basic_linear") && p.learner.start.model == NULL)
        learn_means(&p);
    for (uint32_t i = 0; i < book->problems; i++)
        fit_problem(&p, i, multiclass_problem(env, book, "perceptron", i));
    warn_unfinished(&p, book->problems, map != NULL);

    builder_fact_i64(builder, "iterations", p.iterations);
    builder_fact_bool(builder, "converged", p.unfinished == 0);
    builder_fact_i64(builder, "updates", p.all_updates);
    if (p.voted)
        builder_i64(builder, SECTION_ARRAYS, "survived", p.votes, p.vectors);
    class_rule_add(builder, &rule, classes.count, stored_rule);
    multiclass_add(env, builder, book);
    if (p.counts != NULL && book->problems > 1)
        builder_i64_matrix(builder, SECTION_ARRAYS, "mistakes", p.counts, book->problems, (uint32_t)rows_count(rows));
    else if (p.counts != NULL)
        builder_i64(builder, SECTION_ARRAYS, "mistakes", p.counts, (uint32_t)rows_count(rows));
    if (map != NULL) {
        rows_free(rows);
        feature_map_add(env, map, book->problems, p.out.coef, NULL, builder);
        return model_build(builder);
    }
    return row_learner_finish(&p.learner, &p.out, builder);
}

static Model *perceptron_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options,
                             ModelBuilder *builder)
{
    FeatureMap *map;

    if (!perceptron_wants_kernel(env, options))
        return linear_fit(env, self, input, options, NULL, builder);
    map = perceptron_map(env, input, options);
    return map != NULL ? linear_fit(env, self, input, options, map, builder)
                       : perceptron_kernel_fit(env, self, input, options, builder);
}

const Estimator estimator_perceptron = {
    .name = "perceptron",
    .task = TASK_CLASSIFICATION,
    .input = INPUT_ROWS,
    .supervised = true,
    .by_scale = true,
    .options = OPTION_TABLES(options_common, options_multiclass, option_positive, option_class_weight,
                             option_tie, option_too_few_rows, options_number_kernel, options_kernel, options_approximation, option_seed,
                             options_row_learner,
                             perceptron_options),
    .help = "A classifier learned mistake by mistake, in the order of the rows (ORDER BY inside the call): linear, or with a kernel.",
    .source = "Rosenblatt 1958; Novikoff 1962; Aizerman, Braverman & Rozonoer 1964 (kernel); Freund & Schapire 1999 (average, votes)",
    .fit = perceptron_fit,
    .arrays = perceptron_array_tables,
    .check = perceptron_check,
    .accept = linear_classifier_accept,
    .scoring = &perceptron_scoring,
    .coefficients = linear_classifier_coefficients,
    .tables = perceptron_kernel_tables,
    .to_sql = linear_classifier_to_sql,
    .summary = perceptron_summary,
};
