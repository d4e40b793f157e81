/*
 * svm_kernel.c - sets up the dual problems of support vector machines, and stores their solutions.
 */
#include "core/svm/svm_kernel.h"

#include "core/base/sort.h"
#include "core/svm/svm_linear.h"

#include <math.h>
#include <string.h>

#define LEAST_MARGIN 1e-6 /* of the norm of the largest row: a hard margin below it does not count as one */
#define START_SAMPLE 256  /* rows that show which others are far from them, at most; and a sixteenth of all */
#define HARD_STEPS 20     /* steps per row, at least a million, before a hard margin is given up */

#define OPTION_SHRINKING                                                                                                       \
    {.name = "shrinking",                                                                                                      \
     .types = OPTION_BOOLEAN,                                                                                                  \
     .fallback = "true",                                                                                                       \
     .help = "Whether the solver sets rows aside whose multipliers are unlikely to change: faster, with the same result, for " \
             "kernels that are not linear, and with nu."}

const OptionSpec options_kernel_svm[] = {OPTION_SHRINKING, {.name = NULL}};

const OptionSpec options_kernel_svm_classifier[] = {
    {.name = "nu",
     .types = OPTION_NUMBER,
     ABOVE_ZERO_TO_ONE,
     .unset = "C decides",
     .help = "Takes the place of C: the largest share of margin errors, and the smallest share of "
             "support vectors."},
    OPTION_SHRINKING,
    {.name = NULL}};

const OptionSpec options_kernel_svm_regression[] = {
    {.name = "nu",
     .types = OPTION_NUMBER,
     ABOVE_ZERO_TO_ONE,
     .unset = "epsilon decides",
     .help = "Takes the place of epsilon: the largest share of rows with an error above epsilon, which is found by the fit, and the smallest share of support vectors."},
    OPTION_SHRINKING,
    {.name = NULL}};

bool svm_is_approximate(Env *env, const Options *options)
{
    Kernel kernel = kernel_of_options(env, options, NULL);

    return approximation_of_options(env, options, &kernel) != APPROXIMATION_NONE;
}

/* Fails if options are given together that exclude each other, or that only linear kernels have. */
static void require_options(Env *env, const Options *options, const char *method, const char *replaced)
{
    if (options_given(options, "nu") && options_given(options, replaced))
        env_fail(env, ERROR_PARAMETER, "Give one of them.", "options \"nu\" and \"%s\" of %s are both given", replaced, method);
    if (options_is(options, "kernel", "linear")) {
        static const char *const others[] = {"alpha", "loss", "penalty", NULL};

        for (unsigned i = 0; others[i] != NULL; i++)
            if (options_given(options, others[i]))
                env_fail(env, ERROR_PARAMETER, "Give one of them.", "options \"nu\" and \"%s\" of %s are both given", others[i], method);
        if (!options_boolean(options, "intercept"))
            env_fail(env, ERROR_PARAMETER, "Leave one of them out.", "\"intercept\": false of %s does not go with \"nu\"", method);
        return;
    }
    if (!options_boolean(options, "intercept"))
        env_fail(env, ERROR_PARAMETER, "Leave it out, or set \"kernel\": \"linear\".",
                 "\"intercept\": false of %s is for linear kernels, not for \"kernel\": \"%s\"", method, options_string(options, "kernel"));
}

bool kernel_svm_linear_nu(Env *env, const Options *options, const char *method)
{
    bool nu = options_given(options, "nu");

    if (!nu && options_given(options, "shrinking"))
        env_fail(env, ERROR_PARAMETER, "Leave it out, or give \"nu\" or another \"kernel\".",
                 "option \"shrinking\" of %s is not for \"kernel\": \"linear\"", method);
    if (!options_is(options, "approximation", "none"))
        env_fail(env, ERROR_PARAMETER, "Leave it out, or give another \"kernel\", such as \"rbf\".",
                 "\"approximation\": \"%s\" of %s is not for \"kernel\": \"linear\", which is fitted exactly to any number of rows",
                 options_string(options, "approximation"), method);
    (void)svm_is_approximate(env, options);
    return nu;
}

/* Fails if an option is given that only exact fits have. */
static void refuse_options(Env *env, const Options *options, const char *method)
{
    static const char *const exact_only[] = {"nu", "shrinking", NULL};

    for (unsigned i = 0; exact_only[i] != NULL; i++)
        if (options_given(options, exact_only[i]))
            env_fail(env, ERROR_PARAMETER, "Leave it out, or set \"approximation\": \"none\".",
                     "option \"%s\" of %s is not for \"approximation\": \"%s\"", exact_only[i], method,
                     options_string(options, "approximation"));
    if (options_is(options, "C", "hard"))
        env_fail(env, ERROR_PARAMETER, "Give a number, or set \"approximation\": \"none\".",
                 "\"C\": \"hard\" of %s is not for \"approximation\": \"%s\", whose features need not separate what the kernel separates",
                 method, options_string(options, "approximation"));
    if (options_has(options, "intercept") && !options_boolean(options, "intercept"))
        env_fail(env, ERROR_PARAMETER, "Leave it out, or set \"kernel\": \"linear\".",
                 "\"intercept\": false of %s is for linear kernels, not for \"kernel\": \"%s\"", method,
                 options_string(options, "kernel"));
}

bool kernel_svm_approximate(Env *env, const Options *options, const char *method, const char *replaced)
{
    bool approximate = svm_is_approximate(env, options);

    if (approximate)
        refuse_options(env, options, method);
    else
        require_options(env, options, method, replaced);
    return approximate;
}

/* ---- loading ---- */

/* Makes what this process needs for itself. */
static void begin(Env *env, void *data)
{
    KernelSvm *svm = data;

    svm->env = env;
    svm->last_multipliers = env_array_raw(env, svm->sample->count, sizeof(double));
    svm->last_at_bound = env_array_raw(env, svm->sample->count, 1);
}

KernelSvm *kernel_svm(Env *env, Rows *rows, const Options *options, bool linear, uint32_t problems, const double *factors,
                      const char *method)
{
    KernelSvm *svm = env_array(env, 1, sizeof(KernelSvm));
    Kernel kernel = kernel_of_options(env, options, NULL);
    size_t own, held;

    svm->env = env;
    svm->method = method;
    svm->factors = factors;
    svm->problems = problems;
    svm->C = 1;
    svm->nu = options_given(options, "nu") ? options_number(options, "nu") : NAN;
    svm->tolerance = options_given(options, "tolerance") ? options_number(options, "tolerance") : KERNEL_SVM_TOLERANCE;
    svm->shrinking = options_boolean(options, "shrinking");
    own = 6 * sizeof(double) + (size_t)(problems + 1) * (sizeof(double) + 1);
    svm->linear = linear;
    svm->sample = kernel_sample_of(env, rows, linear ? DESIGN_INTERCEPT : DESIGN_LEVELS, linear, &kernel, options, own, method);
    svm->max_iter = options_given(options, "max_iter") ? (uint64_t)options_integer(options, "max_iter")
                    : svm->sample->count < 100000      ? 10000000
                                                       : 100 * (uint64_t)svm->sample->count;
    /* a problem over some of the rows has a copy of them */
    held = kernel_sample_bytes(svm->sample) * (problems > 1 ? 2 : 1) + own * svm->sample->count;
    own = smo_least(svm->sample->count, svm->sample->dims);
    env_require_memory(env, own > SIZE_MAX - held ? SIZE_MAX : held + own, method);
    svm->cache_bytes = env->memory_limit - held - own;
    svm->multipliers = env_array(env, (size_t)problems * svm->sample->count, sizeof(double));
    svm->at_bound = env_array(env, (size_t)problems * svm->sample->count, 1);
    svm->intercepts = env_array(env, problems, sizeof(double));
    begin(env, svm);
    return svm;
}

/* ---- problems ---- */

/* The rows of one problem. */
typedef struct Subset {
    uint32_t count;
    uint32_t *from;       /* [count] places in the sample */
    const double *points; /* [count x dims] */
    double *copy;         /* the same, if it is a copy; else NULL */
    double *targets, *lower, *upper, *multipliers; /* [count] */
} Subset;

/* Prepares the rows whose sign is not 0 (signs NULL: all rows), with their points. */
static Subset subset(const KernelSvm *svm, const int8_t *signs)
{
    Env *env = svm->env;
    const KernelSample *sample = svm->sample;
    Subset set = {.points = sample->points};
    size_t room = (size_t)sample->count + 1;

    set.from = env_array_raw(env, room, sizeof(uint32_t));
    for (uint32_t i = 0; i < sample->count; i++) {
        uint32_t class = signs != NULL ? sample->classes[i] : 0;

        if (signs == NULL || (signs[class] != 0 && (svm->factors == NULL || svm->factors[class] != 0)))
            set.from[set.count++] = i;
    }
    if (set.count < sample->count) {
        set.points = set.copy = env_array_raw(env, (size_t)set.count * sample->dims + 1, sizeof(double));
        for (uint32_t k = 0; k < set.count; k++)
            memcpy(set.copy + (size_t)k * sample->dims, sample->points + (size_t)set.from[k] * sample->dims,
                   sample->dims * sizeof(double));
    }
    set.targets = env_array(env, room, sizeof(double));
    set.lower = env_array(env, room, sizeof(double));
    set.upper = env_array(env, room, sizeof(double));
    set.multipliers = env_array(env, room, sizeof(double));
    return set;
}

static void subset_free(Env *env, Subset *set)
{
    void *arrays[] = {set->from, set->copy, set->targets, set->lower, set->upper, set->multipliers};

    for (unsigned i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
        if (arrays[i] != NULL)
            env->release(env, arrays[i]);
}

static SmoProblem problem_of(const KernelSvm *svm, const Subset *set)
{
    return (SmoProblem){.count = set->count,
                        .dims = svm->sample->dims,
                        .points = set->points,
                        .kernel = &svm->sample->kernel,
                        .targets = set->targets,
                        .lower = set->lower,
                        .upper = set->upper,
                        .tolerance = svm->tolerance,
                        .max_iter = svm->max_iter,
                        .shrinking = svm->shrinking,
                        .cache_bytes = svm->cache_bytes,
                        .phase = svm->method};
}

/* Keeps a solution, its multipliers and intercept divided by `scale`. */
static void keep(KernelSvm *svm, const Subset *set, const SmoResult *result, double scale)
{
    uint32_t count = svm->sample->count;

    memset(svm->last_multipliers, 0, count * sizeof(double));
    memset(svm->last_at_bound, 0, count);
    for (uint32_t k = 0; k < set->count; k++) {
        double b = set->multipliers[k];

        svm->last_multipliers[set->from[k]] = b / scale;
        svm->last_at_bound[set->from[k]] = b != 0 && (b == set->lower[k] || b == set->upper[k]);
    }
    svm->last = (KernelSvmSolution){.intercept = result->intercept / scale,
                                    .objective = result->objective / (scale * scale),
                                    .gap = result->gap / scale,
                                    .square = result->square / (scale * scale),
                                    .iterations = result->iterations,
                                    .evaluations = result->evaluations,
                                    .converged = result->converged,
                                    .stalled = result->stalled};
}

/* Adds the solution of a problem to the others. */
static void receive(void *receiver, uint32_t problem)
{
    KernelSvm *svm = receiver;
    const KernelSvmSolution *last = &svm->last;
    size_t count = svm->sample->count;

    memcpy(svm->multipliers + problem * count, svm->last_multipliers, count * sizeof(double));
    memcpy(svm->at_bound + problem * count, svm->last_at_bound, count);
    svm->intercepts[problem] = last->intercept;
    svm->objective -= last->objective;
    svm->square = last->square;
    svm->gap = fmax(svm->gap, last->gap);
    svm->iterations += last->iterations;
    svm->evaluations += last->evaluations;
    svm->unfinished += !last->converged;
    svm->stalled = svm->stalled || last->stalled;
    if (svm->problems > 1)
        svm->env->progress(svm->env, svm->method, problem + 1, svm->problems, NAN);
}

/* ---- classes ---- */

/* Returns the norm of the largest point in feature space. */
static double largest_norm(const KernelSvm *svm, const Subset *set)
{
    double largest = 0;

    for (uint32_t k = 0; k < set->count; k++) {
        const double *point = set->points + (size_t)k * svm->sample->dims;

        largest = fmax(largest, kernel_value(&svm->sample->kernel, point, point, svm->sample->dims));
    }
    return sqrt(largest);
}

static void solve_hard(KernelSvm *svm, Subset *set)
{
    SmoProblem problem = problem_of(svm, set);
    uint64_t most = HARD_STEPS * (uint64_t)set->count;
    SmoResult result;

    problem.least_margin = LEAST_MARGIN * largest_norm(svm, set);
    most = most > 1000000 ? most : 1000000;
    problem.max_iter = svm->max_iter < most ? svm->max_iter : most;
    result = smo_solve(svm->env, &problem, set->multipliers);
    if (result.inseparable || !(result.gap < 1)) /* else rows of both classes have scores of different sign: the margin is not the largest yet */
        env_fail(svm->env, ERROR_DATA, "Set a finite \"C\", such as 1, or use a kernel that separates the rows.",
                 "%s found no hard margin after %llu step%s: the classes are not separable, or hardly", svm->method,
                 (unsigned long long)result.iterations, result.iterations == 1 ? "" : "s");
    keep(svm, set, &result, 1);
}

/*
 * Solves the nu machine, whose multipliers add up to nu / 2 of the weight on both sides (Scholkopf et al. 2000). It has the solution
 * of C = 1 / margin, up to a factor.
 */
static void solve_nu(KernelSvm *svm, Subset *set)
{
    SmoProblem problem = problem_of(svm, set);
    double positive = 0, negative = 0, most, side, left[2];
    SmoResult result;

    for (uint32_t k = 0; k < set->count; k++) {
        positive += set->upper[k];
        negative -= set->lower[k];
    }
    most = 2 * fmin(positive, negative) / (positive + negative);
    if (!(svm->nu <= most))
        env_fail(svm->env, ERROR_DATA, "Lower \"nu\", or balance the classes with \"class_weight\".",
                 "nu %g is infeasible: the smaller class has %g of the weight %g, which allows at most %g", svm->nu,
                 fmin(positive, negative), positive + negative, most);
    side = svm->nu * (positive + negative) / 2;
    left[0] = left[1] = side;
    for (uint32_t k = 0; k < set->count; k++) {
        bool up = set->upper[k] > 0;
        double step = fmin(up ? set->upper[k] : -set->lower[k], left[!up]);

        set->multipliers[k] = up ? step : -step;
        left[!up] -= step;
        set->targets[k] = 0;
    }
    problem.side_sum = side;
    problem.least_margin = LEAST_MARGIN * largest_norm(svm, set);
    result = smo_solve(svm->env, &problem, set->multipliers);
    /* a primal objective below 0, that of w = 0, proves that there is a margin */
    if (result.inseparable || !(result.width < 0) || !(result.excess < result.square / 2))
        env_fail(svm->env, ERROR_DATA, "Raise \"nu\", or give \"C\" instead.", "%s has no margin for nu %g", svm->method, svm->nu);
    for (uint32_t k = 0; k < set->count; k++) /* of the problem with this C */
        result.objective += result.width * fabs(set->multipliers[k]);
    keep(svm, set, &result, -result.width);
}

/* Solves a binary problem; signs: 1, -1 or 0 (not used) by class. */
static void classify(KernelSvm *svm, const int8_t *signs)
{
    const KernelSample *sample = svm->sample;
    Subset set = subset(svm, signs);
    SmoProblem dual;
    SmoResult result;

    for (uint32_t k = 0; k < set.count; k++) {
        uint32_t class = sample->classes[set.from[k]];
        double bound = svm->C * row_weight(sample->weights, set.from[k]) * (svm->factors != NULL ? svm->factors[class] : 1);

        set.targets[k] = signs[class];
        set.lower[k] = signs[class] > 0 ? 0 : -bound;
        set.upper[k] = signs[class] > 0 ? bound : 0;
    }
    if (!isnan(svm->nu)) {
        solve_nu(svm, &set);
    } else if (isinf(svm->C)) {
        solve_hard(svm, &set);
    } else {
        dual = problem_of(svm, &set);
        result = smo_solve(svm->env, &dual, set.multipliers);
        keep(svm, &set, &result, 1);
    }
    subset_free(svm->env, &set);
}

/* ---- binary problems, which processes share ---- */

static void run(void *data, uint32_t problem)
{
    KernelSvm *svm = data;

    svm->env->poll(svm->env);
    classify(svm, book_signs(svm->book, problem));
}

/* Gives nothing back: the memory of a problem that failed ends with the fit. */
static void abandon(void *data)
{
    (void)data;
}

/* Visits what the problems read of the sample. */
static void pack_sample(Pack *pack, KernelSample **place)
{
    bool opens = pack->mode == PACK_OPEN;
    KernelSample *sample = opens ? env_array(pack->env, 1, sizeof(KernelSample)) : *place;

    *place = sample;
    pack_value(pack, sample, sizeof *sample);
    pack_array(pack, &sample->points, sample->count, sample->dims * sizeof(double));
    pack_array(pack, &sample->classes, sample->count, sizeof(uint32_t));
    pack_array(pack, &sample->weights, sample->count, sizeof(double));
    if (opens) {
        sample->env = pack->env;
        sample->design = NULL;
        sample->method = NULL;
        sample->targets = sample->center = sample->scale = NULL;
        sample->texts = NULL;
    }
}

static void pack(Pack *pack, void *data)
{
    KernelSvm *svm = data;
    uint32_t length = pack->mode == PACK_OPEN ? 0 : (uint32_t)strlen(svm->method) + 1;

    pack_value(pack, svm, sizeof *svm);
    pack_value(pack, &length, sizeof length);
    pack_array(pack, &svm->method, length, 1);
    pack_sample(pack, &svm->sample);
    multiclass_pack(pack, &svm->book);
    pack_array(pack, &svm->factors, svm->book->classes, sizeof(double));
    if (pack->mode != PACK_OPEN)
        return;
    svm->multipliers = svm->intercepts = NULL;
    svm->at_bound = NULL;
}

static void pack_result(Pack *pack, void *data)
{
    KernelSvm *svm = data;

    pack_value(pack, &svm->last, sizeof svm->last);
    pack_value(pack, svm->last_multipliers, svm->sample->count * sizeof(double));
    pack_value(pack, svm->last_at_bound, svm->sample->count);
}

const SharedKind kernel_svm_kind = {.name = "binary problems of a kernel machine",
                                    .data_size = sizeof(KernelSvm),
                                    .pack = pack,
                                    .begin = begin,
                                    .run = run,
                                    .abandon = abandon,
                                    .pack_result = pack_result};

/* Returns how many rows the largest problem has. */
static uint32_t most_rows(const KernelSvm *svm, const CodeBook *book)
{
    uint32_t *counts = env_array(svm->env, book->classes, sizeof(uint32_t)), most = 0;

    for (uint32_t i = 0; i < svm->sample->count; i++)
        counts[svm->sample->classes[i]]++;
    for (uint32_t p = 0; p < book->problems; p++) {
        const int8_t *signs = book_signs(book, p);
        uint32_t rows = 0;

        for (uint32_t c = 0; c < book->classes; c++)
            rows += signs[c] != 0 ? counts[c] : 0;
        most = rows > most ? rows : most;
    }
    return most;
}

void kernel_svm_classify(KernelSvm *svm, const CodeBook *book)
{
    const KernelSample *sample = svm->sample;
    uint64_t rows = most_rows(svm, book), gram = rows * (rows + 4 * KERNEL_CACHE_SPARE) * sizeof(float);
    uint64_t cached = gram < svm->cache_bytes ? gram : svm->cache_bytes;
    SharedWork work = {.kind = &kernel_svm_kind,
                       .data = svm,
                       .end = book->problems,
                       .packs = sample->kernel.texts == NULL && sample->kernel.gram == NULL,
                       .process_room = smo_least((uint32_t)rows, sample->dims) + cached + rows * (sample->dims + 6) * sizeof(double),
                       .spare = svm->cache_bytes - cached,
                       .receive = receive,
                       .receiver = svm};

    svm->book = book;
    shared_work(svm->env, &work);
}

/* ---- numbers ---- */

/*
 * Starts a nu machine: the rows with the largest targets at their upper bounds, as many with the smallest at their lower ones. The row in
 * the middle may have to share what is left with both sides, which smo_solve does.
 */
static void start_nu(const KernelSvm *svm, Subset *set, double side)
{
    PlacedNumber *ranked = env_array(svm->env, set->count, sizeof(PlacedNumber));
    uint32_t bottom = 0, top = set->count;

    for (uint32_t k = 0; k < set->count; k++)
        ranked[k] = (PlacedNumber){set->targets[k], k};
    sort_polled(svm->env, ranked, set->count, sizeof(PlacedNumber), compare_placed);
    while (bottom + 1 < top && side > 0) {
        uint64_t first = ranked[bottom].place, last = ranked[top - 1].place;
        double step = fmin(fmin(side, set->upper[last] - set->multipliers[last]), set->multipliers[first] - set->lower[first]);

        set->multipliers[last] += step;
        set->multipliers[first] -= step;
        side -= step;
        bottom += set->multipliers[first] <= set->lower[first];
        top -= set->multipliers[last] >= set->upper[last];
        if (!(step > 0))
            break;
    }
    svm->env->release(svm->env, ranked);
}

void kernel_svm_regress(KernelSvm *svm)
{
    const KernelSample *sample = svm->sample;
    Subset set = subset(svm, NULL);
    SmoProblem dual = problem_of(svm, &set);
    SmoResult result;
    double sum = 0;

    memcpy(set.targets, sample->targets, set.count * sizeof(double));
    for (uint32_t k = 0; k < set.count; k++) {
        set.upper[k] = svm->C * row_weight(sample->weights, k);
        set.lower[k] = -set.upper[k];
        sum += set.upper[k];
    }
    dual.epsilon = svm->epsilon;
    if (!isnan(svm->nu)) {
        dual.side_sum = svm->nu * sum / 2;
        start_nu(svm, &set, dual.side_sum);
    }
    result = smo_solve(svm->env, &dual, set.multipliers);
    if (!isnan(svm->nu)) /* of the problem with this epsilon */
        result.objective += 2 * dual.side_sum * (svm->epsilon = result.width);
    keep(svm, &set, &result, 1);
    receive(svm, 0);
    subset_free(svm->env, &set);
}

/* ---- novelty ---- */

/*
 * Makes the rows that are farthest from the others support vectors, at their bounds, until multipliers add up to nu: those whose kernel values with a
 * sample of the rows have the least sum. 20,000 rows of ten normal features take 227 steps and 0.28 of the time that they take from the first rows,
 * where LIBSVM begins (1,928 steps); four tables of clusters 0.5 to 0.98.
 */
static void start_one_class(KernelSvm *svm, Subset *set)
{
    Env *env = svm->env;
    const KernelSample *sample = svm->sample;
    uint32_t some = set->count / 16 < START_SAMPLE ? set->count / 16 + 1 : START_SAMPLE, dims = sample->dims;
    double *points = env_array_raw(env, (size_t)some * dims + 1, sizeof(double)), left = svm->nu * set->count;
    PlacedNumber *means = env_array_raw(env, (size_t)set->count + 1, sizeof(PlacedNumber));
    KernelPoints panel;

    for (uint32_t s = 0; s < some; s++)
        memcpy(points + (size_t)s * dims, set->points + (size_t)s * set->count / some * dims, dims * sizeof(double));
    panel = kernel_points(env, &sample->kernel, points, some, dims);
    for (uint32_t k = 0; k < set->count; k++) {
        float values[START_SAMPLE + KERNEL_PANEL];
        double sum = 0;

        kernel_points_floats(&panel, set->points + (size_t)k * dims, 0, some, values);
        for (uint32_t s = 0; s < some; s++)
            sum += values[s];
        means[k] = (PlacedNumber){sum, k};
        env_poll_every(env, k, 64);
    }
    svm->evaluations += (uint64_t)some * set->count;
    sort_polled(env, means, set->count, sizeof(PlacedNumber), compare_placed);
    for (uint32_t k = 0; k < set->count && left > 0; k++) {
        uint64_t row = means[k].place;

        set->multipliers[row] = fmin(set->upper[row], left);
        left -= set->multipliers[row];
    }
    env->release(env, means);
    env->release(env, panel.numbers);
    env->release(env, points);
}

void kernel_svm_one_class(KernelSvm *svm)
{
    const KernelSample *sample = svm->sample;
    Subset set = subset(svm, NULL);
    SmoProblem dual = problem_of(svm, &set);
    SmoResult result;
    double mean = 0;

    for (uint32_t k = 0; k < set.count; k++)
        mean += (row_weight(sample->weights, k) - mean) / (k + 1);
    for (uint32_t k = 0; k < set.count; k++) /* the tolerance is for weights about 1 */
        set.upper[k] = row_weight(sample->weights, k) / mean;
    start_one_class(svm, &set);
    result = smo_solve(svm->env, &dual, set.multipliers);
    /* rows on the border are inside, although they have f = 0 only up to rounding and the tolerance */
    result.intercept += result.gap + 1e-12 * fabs(result.intercept);
    keep(svm, &set, &result, 1 / mean);
    receive(svm, 0);
    subset_free(svm->env, &set);
}

/* ---- the result ---- */

static void warn_unfinished(const KernelSvm *svm)
{
    const char *hint = isnan(svm->nu) ? "Raise \"max_iter\" or \"tolerance\", lower \"C\", or give \"standardize\": true."
                                      : "Raise \"max_iter\" or \"tolerance\", or give \"standardize\": true.";

    if (svm->unfinished == 0)
        return;
    if (svm->stalled)
        env_warn(svm->env, ERROR_DATA,
                 isnan(svm->nu) ? "Raise \"tolerance\", lower \"C\", or give \"standardize\": true."
                                : "Raise \"tolerance\", or give \"standardize\": true.",
                 "%s stopped after %llu steps, which no longer changed the multipliers: rounding leaves a gap of %g instead of %g", svm->method,
                 (unsigned long long)svm->iterations, svm->gap, svm->tolerance);
    else if (svm->problems == 1)
        env_warn(svm->env, ERROR_DATA, hint, "%s stopped after %llu step%s, at a gap of %g instead of %g", svm->method,
                 (unsigned long long)svm->iterations, svm->iterations == 1 ? "" : "s", svm->gap, svm->tolerance);
    else
        env_warn(svm->env, ERROR_DATA, hint, "%s stopped after %llu step%s in %u of %u binary problems, at a gap of %g instead of %g",
                 svm->method, (unsigned long long)svm->max_iter, svm->max_iter == 1 ? "" : "s", svm->unfinished, svm->problems, svm->gap, svm->tolerance);
}

/* Adds the facts. vectors: those in use. */
static void add_facts(const KernelSvm *svm, const KernelExpansion *expansion, uint32_t vectors, ModelBuilder *builder)
{
    int64_t bounded = 0;

    for (size_t i = 0; i < (size_t)svm->problems * expansion->count; i++)
        bounded += expansion->at_bound[i];
    builder_fact_i64(builder, "support_vectors", vectors);
    builder_fact_i64(builder, "bounded", bounded);
    if (svm->problems == 1 && svm->square > 0 && svm->sample->classes != NULL)
        builder_fact(builder, "margin", 1 / sqrt(svm->square));
    builder_fact(builder, "objective", svm->objective);
    builder_fact(builder, "gap", svm->gap);
    builder_fact_i64(builder, "iterations", (int64_t)svm->iterations);
    builder_fact_i64(builder, "kernel_evaluations", (int64_t)svm->evaluations);
    builder_fact_bool(builder, "converged", svm->unfinished == 0);
}

/* Adds w = sum of multiplier times row of each problem as a linear equation. */
static void add_equations(const KernelSvm *svm, const KernelExpansion *expansion, ModelBuilder *builder)
{
    Env *env = svm->env;
    const KernelSample *sample = svm->sample;
    const RowDesign *design = sample->design;
    LinearEquations *out = env_array(env, 1, sizeof(LinearEquations)); /* lives until model_build */
    double *w = env_array(env, (size_t)sample->dims + 1, sizeof(double));

    *out = linear_equations(env, rows_schema(design->rows), FIT_TERMS(design), svm->problems, sample->center);
    for (uint32_t p = 0; p < svm->problems; p++) {
        out->offset[p] = svm->intercepts[p];
        memset(w, 0, sample->dims * sizeof(double));
        for (uint32_t k = 0; k < expansion->count; k++) {
            double b = expansion->multipliers[(size_t)p * expansion->count + k];

            for (uint32_t d = 0; d < sample->dims; d++)
                w[d] += b * expansion->rows[(size_t)k * sample->dims + d];
            env_poll_every(env, k, 1024);
        }
        for (uint32_t d = 0; d < sample->dims; d++) {
            double own = w[d] * sample->scale[d];

            if (!isfinite(own))
                env_fail(env, ERROR_RANGE, "Scale the features, or give weights nearer to 1.",
                         "the coefficients of %s exceed the range of double precision", svm->method);
            linear_equations_set(out, p, d, own);
        }
    }
    linear_equations_add(builder, out);
}

void kernel_svm_finish(KernelSvm *svm, ModelBuilder *builder, bool keep_support)
{
    KernelExpansion expansion = kernel_expansion(svm->sample, svm->problems, svm->multipliers, svm->intercepts, svm->at_bound);
    uint32_t vectors = 0;

    warn_unfinished(svm);
    for (uint32_t p = 0; p < svm->problems; p++) /* an expansion without support vectors has one row all the same */
        if (expansion.multipliers[(size_t)p * expansion.count] != 0)
            vectors = expansion.count;
    add_facts(svm, &expansion, vectors, builder);
    if (!svm->linear) {
        kernel_model_add(svm->env, builder, svm->sample, &expansion);
        return;
    }
    add_equations(svm, &expansion, builder);
    if (keep_support && vectors > 0)
        kernel_support_add(builder, svm->problems, vectors, expansion.row_numbers, expansion.multipliers, expansion.at_bound);
}
