/*
 * loss.c - losses of single predictions, and their means over rows.
 */
#include "core/metrics/loss.h"
#include "core/base/bytes.h"
#include "core/base/text_buffer.h"
#include "core/estimator/class_options.h"

#include <math.h>
#include <string.h>

#define SUM_SLACK 1e-6 /* of probabilities that add up to 1 */
#define MOST_OTHERS 20

const char *const loss_names[] = {"absolute", "epsilon_insensitive", "hinge", "logistic", "squared", "zero_one", NULL};

const OptionSpec positive_options[] = {
    {.name = "positive",
     .types = OPTION_STRING | OPTION_NUMBER | OPTION_BOOLEAN,
     .unset = "the last of two labels in their order",
     .help = "The label of the positive rows; all others are negative."},
    {.name = NULL}};

const OptionSpec clip_options[] = {
    {.name = "min_probability",
     .formerly = "clip",
     .types = OPTION_NUMBER,
     .fallback = "0",
     .minimum = 0,
     .maximum = 0.5,
     .maximum_open = true,
     .help = "Probabilities are kept this far from 0 and 1; with 0, a class that was given probability 0 has an infinite loss."},
    {.name = NULL}};

/* ---- single predictions ---- */

static double hinge(double margin)
{
    return margin < 1 ? 1 - margin : 0;
}

/* Returns log(1 + exp(-margin)) without overflow. */
static double logistic_loss(double margin)
{
    return margin > 0 ? log1p(exp(-margin)) : log1p(exp(margin)) - margin;
}

double cross_entropy(double probability)
{
    return probability == 1 ? 0 : -log(probability); /* 0 rather than -0 */
}

double loss_of(Env *env, Loss loss, double actual, double predicted, double epsilon)
{
    double error = actual - predicted;

    if (!isfinite(actual) || !isfinite(predicted))
        env_fail(env, ERROR_DATA, NULL, "the %s value is %g", isfinite(actual) ? "predicted" : "actual",
                 isfinite(actual) ? predicted : actual);
    if ((loss == LOSS_HINGE || loss == LOSS_LOGISTIC || loss == LOSS_ZERO_ONE) && fabs(actual) != 1)
        env_fail(env, ERROR_DATA, "Code the positive class as 1 and the negative one as -1.",
                 "the %s loss takes classes -1 and 1, not %g", loss_names[loss], actual);
    if (!(epsilon >= 0))
        env_fail(env, ERROR_PARAMETER, NULL, "epsilon must be at least 0, not %g", epsilon);
    switch (loss) {
    case LOSS_ABSOLUTE:
        return fabs(error);
    case LOSS_EPSILON_INSENSITIVE:
        return fmax(0, fabs(error) - epsilon);
    case LOSS_HINGE:
        return hinge(actual * predicted);
    case LOSS_LOGISTIC:
        return logistic_loss(actual * predicted);
    case LOSS_SQUARED:
        return error * error;
    case LOSS_ZERO_ONE:
        return actual * predicted <= 0;
    default:
        env_fail(env, ERROR_INTERNAL, NULL, "loss %d is unknown", (int)loss);
    }
}

/* ---- means ---- */

static void sum_add(CarriedSum *s, double term)
{
    carried_add(s, term);
    if (isinf(s->sum)) /* an infinite loss stays infinite: its rounding error would be NaN */
        s->carry = 0;
}

static char *copy_text(Env *env, const char *bytes, size_t length)
{
    char *copy = env_array_raw(env, length + 1, 1);

    memcpy(copy, bytes, length);
    copy[length] = 0;
    return copy;
}

void mean_loss_begin(Env *env, MeanLossState *state, MeanLoss loss, bool several, const Options *options)
{
    const char *positive = several ? "" : NULL; /* several classes: labels are not compared */

    memset(state, 0, sizeof(*state));
    state->loss = loss;
    if (!several && options != NULL && options_type(options, "positive") != 0)
        positive = options_type(options, "positive") == OPTION_STRING ? options_string(options, "positive")
                                                                      : options_value_json(options, "positive");
    if (positive != NULL)
        state->positive = copy_text(env, positive, strlen(positive));
    if (options != NULL && loss == MEAN_LOG)
        state->clip = options_number(options, "min_probability");
}

/* Returns the loss of a row with this score or probability if it is of the positive class. */
static double positive_loss(const MeanLossState *state, double score)
{
    if (state->loss == MEAN_HINGE)
        return hinge(score);
    if (state->loss == MEAN_BRIER)
        return (1 - score) * (1 - score);
    return -log(fmin(fmax(score, state->clip), 1 - state->clip));
}

/* The same if it is of the negative class. */
static double negative_loss(const MeanLossState *state, double score)
{
    if (state->loss == MEAN_HINGE)
        return hinge(-score);
    if (state->loss == MEAN_BRIER)
        return score * score;
    return -log1p(-fmin(fmax(score, state->clip), 1 - state->clip)) + 0.0;
}

/* Compares by key, then bytes. */
static int compare_labels(const char *a, uint32_t a_length, double a_key, const char *b, uint32_t b_length, double b_key)
{
    if (a_key != b_key)
        return a_key < b_key ? -1 : 1;
    return bytes_compare(a, a_length, b, b_length);
}

/* Keeps a label that is not the positive one in its place among the others, unless it is there or comes after MOST_OTHERS. */
static void note_other(Env *env, MeanLossState *state, const char *label, uint32_t length, double key)
{
    uint32_t place = 0;
    OtherLabel *others;

    for (int order = 1; place < state->other_count && order > 0; place += order > 0) {
        const OtherLabel *other = &state->others[place];

        order = compare_labels(label, length, key, other->label, other->length, other->key);
        if (order == 0)
            return;
    }
    state->more_others = state->more_others || state->other_count == MOST_OTHERS;
    if (place == MOST_OTHERS)
        return;
    if (state->others == NULL)
        state->others = env_array(env, 2, sizeof(OtherLabel));
    else if (state->other_count == 2)
        state->others = env->resize(env, state->others, MOST_OTHERS * sizeof(OtherLabel));
    others = state->others;
    if (state->other_count == MOST_OTHERS)
        env->release(env, others[--state->other_count].label);
    memmove(others + place + 1, others + place, (state->other_count - place) * sizeof(OtherLabel));
    others[place] = (OtherLabel){copy_text(env, label, length), length, key};
    state->other_count++;
}

/* Returns the entry of a label, which is added if it is new. Fails for a third label. */
static LabelLoss *find_label(Env *env, MeanLossState *state, const char *label, uint32_t length, double key,
                             bool is_number)
{
    if (state->positive != NULL) {
        bool positive = bytes_compare(state->positive, strlen(state->positive), label, length) == 0;

        if (!positive && state->labels[1].rows == 0)
            note_other(env, state, label, length, key);
        return &state->labels[positive];
    }
    for (int i = 0; i < 2; i++) {
        LabelLoss *entry = &state->labels[i];

        if (entry->label != NULL && bytes_compare(entry->label, entry->length, label, length) == 0)
            return entry;
        if (entry->label == NULL) {
            entry->label = copy_text(env, label, length);
            entry->length = length;
            entry->key = key;
            entry->is_number = is_number;
            return entry;
        }
    }
    env_fail(env, ERROR_DATA,
             "Name the positive label, '{\"positive\": \"label\"}': all others are then negative. Or pass the probabilities of "
             "all classes and their labels.",
             "the loss of one probability needs two labels, but there are more: \"%s\", \"%s\", \"%.*s\"",
             state->labels[0].label, state->labels[1].label, (int)length, label);
}

static void require_weight(Env *env, double weight)
{
    if (!(weight >= 0) || isinf(weight))
        env_fail(env, ERROR_DATA, "Give a finite weight of at least 0; rows of weight 0 are skipped.",
                 "weight is %g", weight);
}

void mean_loss_add(Env *env, MeanLossState *state, const char *label, uint32_t length, double key, bool is_number,
                   double score, double weight)
{
    LabelLoss *entry;

    require_weight(env, weight);
    if (state->loss == MEAN_HINGE ? !isfinite(score) : !(score >= 0 && score <= 1))
        env_fail(env, ERROR_DATA,
                 state->loss == MEAN_HINGE ? NULL
                                           : "Give a number between 0 and 1; calibrate the classifier to turn scores into probabilities.",
                 state->loss == MEAN_HINGE ? "a score is %g, not finite" : "a probability is %g, not between 0 and 1", score);
    if (weight == 0)
        return;
    entry = find_label(env, state, label, length, key, is_number);
    entry->rows++;
    entry->weight += weight;
    sum_add(&entry->if_positive, weight * positive_loss(state, score));
    sum_add(&entry->if_negative, weight * negative_loss(state, score));
}

void mean_loss_add_value(Env *env, MeanLossState *state, double loss, double weight)
{
    LabelLoss *entry = &state->labels[1];

    require_weight(env, weight);
    if (weight == 0)
        return;
    entry->rows++;
    entry->weight += weight;
    sum_add(&entry->if_positive, weight * loss);
}

static void label_merge(LabelLoss *into, const LabelLoss *other)
{
    into->rows += other->rows;
    into->weight += other->weight;
    sum_add(&into->if_negative, other->if_negative.sum);
    into->if_negative.carry += other->if_negative.carry;
    sum_add(&into->if_positive, other->if_positive.sum);
    into->if_positive.carry += other->if_positive.carry;
}

void mean_loss_merge(Env *env, MeanLossState *into, const MeanLossState *other)
{
    into->more_others = into->more_others || other->more_others;
    if (into->labels[1].rows == 0)
        for (uint32_t i = 0; i < other->other_count; i++)
            note_other(env, into, other->others[i].label, other->others[i].length, other->others[i].key);
    for (int i = 0; i < 2; i++) {
        const LabelLoss *entry = &other->labels[i];

        if (entry->rows == 0)
            continue;
        if (into->positive != NULL)
            label_merge(&into->labels[i], entry);
        else
            label_merge(find_label(env, into, entry->label, entry->length, entry->key, entry->is_number), entry);
    }
}

/* ---- bytes ---- */

void mean_loss_copy_options(Env *env, MeanLossState *state, const MeanLossState *other)
{
    memset(state, 0, sizeof(*state));
    state->loss = other->loss;
    state->clip = other->clip;
    if (other->positive != NULL)
        state->positive = copy_text(env, other->positive, strlen(other->positive));
}

/*
 * The bytes are the state itself without addresses, then its strings with their terminating zeros, then the other labels, each as an
 * OtherLabel without address and its text: for servers of the same byte order.
 */
uint8_t *mean_loss_bytes(Env *env, const MeanLossState *state, size_t *size)
{
    const char *strings[] = {state->positive, state->labels[0].label, state->labels[1].label};
    size_t lengths[] = {state->positive != NULL ? strlen(state->positive) + 1 : 0,
                        state->labels[0].label != NULL ? state->labels[0].length + 1 : 0,
                        state->labels[1].label != NULL ? state->labels[1].length + 1 : 0};
    MeanLossState plain = *state;
    uint8_t *bytes, *out;

    plain.positive = plain.labels[0].label = plain.labels[1].label = NULL;
    plain.others = NULL;
    *size = sizeof(*state) + sizeof(lengths) + lengths[0] + lengths[1] + lengths[2];
    for (uint32_t i = 0; i < state->other_count; i++)
        *size += sizeof(OtherLabel) + state->others[i].length;
    bytes = out = env_array_raw(env, *size, 1);
    memcpy(out, &plain, sizeof(plain));
    memcpy(out + sizeof(plain), lengths, sizeof(lengths));
    out += sizeof(*state) + sizeof(lengths);
    for (int i = 0; i < 3; i++) {
        if (lengths[i] > 0)
            memcpy(out, strings[i], lengths[i]);
        out += lengths[i];
    }
    for (uint32_t i = 0; i < state->other_count; i++) {
        OtherLabel other = state->others[i];

        other.label = NULL;
        memcpy(out, &other, sizeof(other));
        memcpy(out + sizeof(other), state->others[i].label, other.length);
        out += sizeof(other) + other.length;
    }
    return bytes;
}

static void __attribute__((noreturn)) fail_bytes(Env *env)
{
    env_fail(env, ERROR_BINARY, NULL, "these bytes are not the state of a mean loss");
}

static void others_of_bytes(Env *env, MeanLossState *state, uint32_t count, const uint8_t *bytes, size_t left)
{
    for (uint32_t i = 0; i < count; i++) {
        OtherLabel other;

        if (left < sizeof(other))
            fail_bytes(env);
        memcpy(&other, bytes, sizeof(other));
        bytes += sizeof(other);
        left -= sizeof(other);
        if (left < other.length)
            fail_bytes(env);
        note_other(env, state, (const char *)bytes, other.length, other.key);
        bytes += other.length;
        left -= other.length;
    }
}

/* Tells whether what is true or false in the bytes of a state is one of them. */
static bool flags_are_sound(const uint8_t *bytes)
{
    return bytes[offsetof(MeanLossState, labels[0].is_number)] <= 1 && bytes[offsetof(MeanLossState, labels[1].is_number)] <= 1 &&
           bytes[offsetof(MeanLossState, more_others)] <= 1;
}

/* Tells whether labels are where the functions above look for them: without a positive one, of each entry that has rows. */
static bool labels_are_sound(const MeanLossState *state, uint32_t others)
{
    if (state->positive != NULL)
        return true;
    for (int i = 0; i < 2; i++)
        if (state->labels[i].label == NULL && state->labels[i].rows != 0)
            return false;
    return others == 0;
}

void mean_loss_of_bytes(Env *env, MeanLossState *state, const uint8_t *bytes, size_t size)
{
    const size_t fixed = sizeof(*state) + 3 * sizeof(size_t);
    size_t lengths[3], left = size - fixed;
    uint32_t others;
    char *strings[3];

    if (size < fixed || !flags_are_sound(bytes))
        fail_bytes(env);
    memcpy(state, bytes, sizeof(*state));
    memcpy(lengths, bytes + sizeof(*state), sizeof(lengths));
    if ((unsigned)state->loss > MEAN_HINGE || state->other_count > MOST_OTHERS)
        fail_bytes(env);
    others = state->other_count;
    state->others = NULL;
    state->other_count = 0;
    bytes += fixed;
    for (int i = 0; i < 3; i++) {
        if (lengths[i] > left || (lengths[i] > 0 && bytes[lengths[i] - 1] != 0))
            fail_bytes(env);
        strings[i] = lengths[i] > 0 ? copy_text(env, (const char *)bytes, lengths[i] - 1) : NULL;
        bytes += lengths[i];
        left -= lengths[i];
    }
    state->positive = strings[0];
    for (int i = 0; i < 2; i++) {
        state->labels[i].label = strings[1 + i];
        state->labels[i].length = strings[1 + i] != NULL ? (uint32_t)lengths[1 + i] - 1 : 0;
    }
    if (!labels_are_sound(state, others))
        fail_bytes(env);
    others_of_bytes(env, state, others, bytes, left);
}

/* ---- results ---- */

/* Fails if option positive names none of two or more labels; one label may be the negative one. */
static void require_positive(Env *env, const MeanLossState *state)
{
    const char *labels[MOST_OTHERS];
    uint32_t lengths[MOST_OTHERS];
    TextBuffer list = {.env = env};

    if (state->labels[1].rows > 0 || state->other_count < 2)
        return;
    for (uint32_t i = 0; i < state->other_count; i++) {
        labels[i] = state->others[i].label;
        lengths[i] = state->others[i].length;
    }
    text_add(&list, label_list(env, labels, lengths, state->other_count));
    if (state->more_others)
        text_add(&list, ", and more");
    label_fail_missing(env, "positive", state->positive, text_finish(&list, NULL));
}

/* Sets sums to each label's losses as rows of its class, and *weight to the total. Returns false if the classes are unknown. */
static bool take_sums(const MeanLossState *state, const CarriedSum *sums[2], double *weight)
{
    const LabelLoss *a = &state->labels[0], *b = &state->labels[1];
    bool swapped = false;

    *weight = a->weight + b->weight;
    if (state->positive == NULL && b->rows == 0) {
        if (!a->is_number)
            return false;
        sums[0] = a->key > 0 ? &a->if_positive : &a->if_negative;
        sums[1] = &b->if_negative;
        return true;
    }
    if (state->positive == NULL)
        swapped = compare_labels(a->label, a->length, a->key, b->label, b->length, b->key) > 0;
    sums[0] = swapped ? &a->if_positive : &a->if_negative;
    sums[1] = swapped ? &b->if_negative : &b->if_positive;
    return true;
}

bool mean_loss_result(Env *env, const MeanLossState *state, double *result)
{
    const CarriedSum *sums[2];
    double weight, total;

    require_positive(env, state);
    if (!take_sums(state, sums, &weight) || weight == 0)
        return false;
    total = carried_value(sums[0]) + carried_value(sums[1]);
    if (isinf(weight) || isnan(total) || (isinf(total) && state->loss != MEAN_LOG))
        env_fail(env, ERROR_RANGE, NULL, "value out of range: overflow");
    *result = total / weight;
    return true;
}

/* ---- several classes ---- */

double several_loss(Env *env, MeanLoss loss, const double *probabilities, uint32_t count, uint32_t position, double clip)
{
    double sum = 0, squares = 0;

    for (uint32_t k = 0; k < count; k++) {
        double p = probabilities[k], truth = k == position;

        if (!(p >= 0 && p <= 1))
            env_fail(env, ERROR_DATA, NULL, "a probability is %g, not between 0 and 1", p);
        sum += p;
        squares += (p - truth) * (p - truth);
    }
    if (!(fabs(sum - 1) <= SUM_SLACK))
        env_fail(env, ERROR_DATA, "Divide them by their sum.", "the probabilities of a row add up to %.10g, not to 1", sum);
    return loss == MEAN_BRIER ? squares : -log(fmin(fmax(probabilities[position], clip), 1 - clip));
}
