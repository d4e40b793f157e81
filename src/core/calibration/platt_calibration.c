/*
 * platt_calibration.c - the logistic curve of scores that makes the labels most likely.
 *
 * Newton's method on the two parameters, with step halving (Platt 1999; Lin, Lin & Weng 2007). The scores are centered and
 * scaled first; each pass over the rows gives loss, gradient and Hessian.
 */
#include "core/calibration/calibration_model.h"
#include "core/estimator/shared_options.h"
#include "core/linear_equations/linear_classifier.h"

#include <float.h>
#include <math.h>

#define ROUNDING 1e-9 /* smaller differences of the mean loss may be rounding, so the gradient decides instead */

static const OptionSpec platt_options[] = {
    OPTION_MAX_ITER("100", 1e6, "steps"),
    {.name = "smoothing",
     .types = OPTION_BOOLEAN,
     .fallback = "true",
     .help = "Replaces the labels 1 and 0 by (n+ + 1) / (n+ + 2) and 1 / (n- + 2), which keeps the curve finite if "
             "the scores separate the classes."},
    {.name = "tolerance",
     .types = OPTION_NUMBER,
     .fallback = "1e-12",
     FROM_ZERO_TO_ONE,
     .help = "Stop when a step is expected to lower the mean loss by at most this."},
    {.name = NULL}};

typedef struct Platt {
    Env *env;
    RowsReader *reader;
    double positive;             /* the positive class, as targets of rows give it */
    double mean, scale;          /* of the scores */
    double positives, negatives; /* weights */
    double least[2], most[2];    /* scores of the negative and the positive class */
    double high, low;            /* probabilities to fit, for the positive and the negative class */
} Platt;

/* The mean loss and its derivatives at (slope, intercept) of the scaled scores. */
typedef struct Evaluation {
    double loss, gradient[2], hessian[3]; /* hessian: slope twice, mixed, intercept twice */
} Evaluation;

/* Returns log(1 + exp(x)) without overflow. */
static double softplus(double x)
{
    return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
}

/* Evaluates the loss at (slope, intercept), in one pass over the rows. */
static Evaluation evaluate(const Platt *platt, const double at[2])
{
    Evaluation sum = {0, {0, 0}, {0, 0, 0}};
    double total = platt->positives + platt->negatives;
    RowsBlock block;

    rows_rewind(platt->reader);
    while (rows_next_block(platt->reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            double x = (block.slots[i] - platt->mean) / platt->scale, z = at[0] * x + at[1], p = logistic(z);
            double weight = row_weight(block.weights, i) / total;
            double target = block.targets[i] == platt->positive ? platt->high : platt->low;
            double residual = weight * (p - target), curvature = weight * p * (1 - p);

            sum.loss += weight * (softplus(z) - target * z);
            sum.gradient[0] += residual * x;
            sum.gradient[1] += residual;
            sum.hessian[0] += curvature * x * x;
            sum.hessian[1] += curvature * x;
            sum.hessian[2] += curvature;
        }
    return sum;
}

/* Computes the mean and standard deviation of the scores, and the weights and the range of scores of the classes. */
static void describe_scores(Platt *platt, uint64_t rows)
{
    double weight = 0, spread = 0, largest = 0;
    RowsBlock block;

    platt->least[0] = platt->least[1] = INFINITY;
    platt->most[0] = platt->most[1] = -INFINITY;
    while (rows_next_block(platt->reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            double w = row_weight(block.weights, i), delta = block.slots[i] - platt->mean;
            bool positive = block.targets[i] == platt->positive;

            weight += w;
            platt->mean += delta * (w / weight);
            largest = fmax(largest, fabs(block.slots[i]));
            platt->least[positive] = fmin(platt->least[positive], block.slots[i]);
            platt->most[positive] = fmax(platt->most[positive], block.slots[i]);
            *(positive ? &platt->positives : &platt->negatives) += w;
        }
    if (!isfinite(weight))
        env_fail(platt->env, ERROR_RANGE, "Divide the weights by a power of ten.",
                 "the weights of %llu rows add up to more than double precision can hold",
                 (unsigned long long)rows);
    rows_rewind(platt->reader);
    while (rows_next_block(platt->reader, &block))
        for (uint32_t i = 0; i < block.count; i++) {
            double delta = largest > 0 ? (block.slots[i] - platt->mean) / largest : 0;

            spread += row_weight(block.weights, i) / weight * delta * delta;
        }
    platt->scale = sqrt(spread) * largest;
    if (!isfinite(platt->mean) || !isfinite(platt->scale))
        env_fail(platt->env, ERROR_RANGE, "Multiply the scores by a constant.",
                 "the standard deviation of the scores is out of range of double precision");
    if (!(sqrt(spread) > 1e-15))
        env_fail(platt->env, ERROR_DATA, "Check the classifier: such scores do not separate the classes.",
                 "platt_calibration needs scores that vary, but all are about %.10g", platt->mean);
}

/* Writes the Newton step, and returns the decrease of the loss that it promises. A small ridge makes the Hessian invertible. */
static double newton_step(const Evaluation *at, double step[2])
{
    double ridge = 1e-14 * (at->hessian[0] + at->hessian[2]) + DBL_MIN;
    double a = at->hessian[0] + ridge, b = at->hessian[1], c = at->hessian[2] + ridge, determinant = a * c - b * b;

    if (!(determinant > 0))
        determinant = a * c;
    step[0] = -(c * at->gradient[0] - b * at->gradient[1]) / determinant;
    step[1] = -(a * at->gradient[1] - b * at->gradient[0]) / determinant;
    return -(step[0] * at->gradient[0] + step[1] * at->gradient[1]) / 2;
}

/* Takes the step, halved until the loss falls. Returns false if 40 halvings do not suffice. */
static bool descend(const Platt *platt, double at[2], Evaluation *here, const double step[2])
{
    double share = 1;

    for (int halvings = 0; halvings < 40; halvings++, share /= 2) {
        double there[2] = {at[0] + share * step[0], at[1] + share * step[1]};
        Evaluation next = evaluate(platt, there);

        if (next.loss < here->loss) {
            at[0] = there[0];
            at[1] = there[1];
            *here = next;
            return true;
        }
    }
    return false;
}

/*
 * Takes the whole step and returns true, if the step after it promises less. Used near the minimum, where rounding hides the
 * differences of the loss and halved steps would follow that rounding.
 */
static bool polish(const Platt *platt, double at[2], Evaluation *here, const double step[2], double promise)
{
    double there[2] = {at[0] + step[0], at[1] + step[1]}, unused[2];
    Evaluation next = evaluate(platt, there);

    if (!(newton_step(&next, unused) < promise))
        return false;
    at[0] = there[0];
    at[1] = there[1];
    *here = next;
    return true;
}

/* Tells whether a score separates the classes, so that the likelihood without smoothing has no maximum. */
static bool is_separated(const Platt *platt)
{
    return platt->high == 1 && (platt->most[0] <= platt->least[1] || platt->most[1] <= platt->least[0]);
}

static void warn_unfinished(const Platt *platt, int64_t iterations)
{
    if (is_separated(platt))
        env_warn(platt->env, ERROR_DATA, "Leave option \"smoothing\" on.",
                 "the scores separate the classes: the likelihood has no maximum, and gamma of platt_calibration grows without bound");
    else
        env_warn(platt->env, ERROR_DATA, "Raise option \"max_iter\".",
                 "platt_calibration stopped after %lld step%s short of its tolerance", (long long)iterations, iterations == 1 ? "" : "s");
}

static Model *platt_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options,
                        ModelBuilder *builder)
{
    Platt platt = {.env = env, .reader = rows_reader(env, input->rows), .high = 1, .low = 0};
    double map[CALIBRATION_HEAD + CALIBRATION_LOGISTIC_SIZE] = {CALIBRATION_LOGISTIC, CALIBRATION_LOGISTIC_SIZE};
    double at[2] = {0, 0}, step[2], promise, tolerance = options_number(options, "tolerance");
    bool converged = false;
    int64_t iterations = 0, most = options_integer(options, "max_iter");
    Evaluation here;
    ClassSet classes;
    ClassRule rule;

    classes = calibration_classes(env, rows_schema(input->rows), "platt_calibration", input->frame);
    if (classes.count < 2)
        return NULL;
    rule = class_rule_read(&classes, options);
    platt.positive = classes.order[rule.positive];
    describe_scores(&platt, rows_count(input->rows));
    if (options_boolean(options, "smoothing")) {
        platt.high = (platt.positives + 1) / (platt.positives + 2);
        platt.low = 1 / (platt.negatives + 2);
    }
    at[1] = log((platt.positives + 1) / (platt.negatives + 1));
    here = evaluate(&platt, at);
    while (iterations < most && !converged) {
        promise = newton_step(&here, step);
        converged = promise <= tolerance;
        iterations++;
        env->progress(env, "platt_calibration", (uint64_t)iterations, (uint64_t)most, here.loss);
        if (converged) { /* takes the last step, too, although the loss is too coarse to show it */
            at[0] += step[0];
            at[1] += step[1];
        } else if (promise <= ROUNDING) {
            converged = !polish(&platt, at, &here, step, promise); /* rounding allows no lower loss */
        } else if (!descend(&platt, at, &here, step)) {
            break;
        }
    }
    converged = converged && !is_separated(&platt);
    if (!converged)
        warn_unfinished(&platt, iterations);
    /* slope * (s - mean) / scale + intercept = gamma (s - d0); stored about the mean, because the slope may be 0 */
    map[2] = at[0] / platt.scale;
    map[3] = platt.mean;
    map[4] = at[1];
    builder_fact_bool(builder, "converged", converged);
    builder_fact_finite(builder, "d0", platt.mean - at[1] / map[2]);
    builder_fact(builder, "gamma", map[2]);
    builder_fact_i64(builder, "iterations", iterations);
    builder_fact(builder, "loss", here.loss);
    return calibration_finish(env, builder, &rule, map, platt.positives / (platt.positives + platt.negatives));
}

const Estimator estimator_platt_calibration = {
    .name = "platt_calibration",
    CALIBRATION_ESTIMATOR,
    .input = INPUT_ROWS,
    .options = OPTION_TABLES(options_common, option_positive, option_threshold, platt_options),
    .help = "Maps scores to probabilities by the logistic curve under which the labels are most likely.",
    .source = "Platt 1999; Lin, Lin & Weng 2007, Machine Learning 68(3)",
    .fit = platt_fit,
};
