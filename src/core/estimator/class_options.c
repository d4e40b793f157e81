/*
 * class_options.c - options that classifiers share, and classes in their final order.
 */
#include "core/estimator/class_options.h"
#include "core/base/json.h"

#include <math.h>
#include <string.h>

#define LABELS_SHOWN 20
#define MEASUREMENT_CLASSES 10 /* so many numbers with fractions may be classes without a warning: half grades from 1 to 5 are 9 */
#define WHOLE_CLASSES 30       /* and so many whole numbers: letters are 26 */
#define ROWS_PER_CLASS 50      /* and more of them, if on average they have as many rows */
#define PRIORS_SLACK 1e-6 /* allowed distance of their sum from 1: 0.333333 three times means thirds */

static const char *const class_weight_choices[] = {"none", "balanced", NULL};
const char *const class_priors_choices[] = {"data", "uniform", NULL};
static const char *const class_tie_choices[] = {"negative", "positive", "null", NULL}; /* as ClassTie */

/* ---- tables ---- */

const OptionSpec option_positive[] = {
    {.name = "positive",
     .types = OPTION_STRING | OPTION_NUMBER | OPTION_BOOLEAN,
     .unset = "the last of two labels in their order",
     .help = "Which of two classes is the positive one, by its label."},
    {.name = NULL}};

const OptionSpec option_class_weight[] = {
    {.name = "class_weight",
     .types = OPTION_STRING | OPTION_OBJECT,
     .fallback = "\"none\"",
     FROM_ZERO,
     .choices = class_weight_choices,
     .help = "Factors for the weights of the rows of each class: such that all classes have the same total "
             "(balanced), or {\"label\": factor}, 1 for classes not named; 0 leaves the rows of a class out."},
    {.name = NULL}};

const OptionSpec option_priors[] = {
    {.name = "priors",
     .types = OPTION_STRING | OPTION_OBJECT,
     .fallback = "\"data\"",
     FROM_ZERO_TO_ONE,
     .choices = class_priors_choices,
     .help = "Probabilities of the classes before a row is seen: their shares of the training rows (data), equal ones "
             "(uniform), or {\"label\": probability} for every class; 0 rules a class out."},
    {.name = NULL}};

const OptionSpec option_threshold[] = {
    {.name = "threshold",
     .types = OPTION_NUMBER,
     .fallback = "0.5",
     BETWEEN_ZERO_AND_ONE,
     .help = "For two classes: the positive class is predicted if its probability is above this."},
    {.name = NULL}};

const OptionSpec option_tie[] = {
    {.name = "tie",
     .types = OPTION_STRING,
     .fallback = "\"negative\"",
     .choices = class_tie_choices,
     .help = "The class of a row exactly on the boundary of two classes; null: none."},
    {.name = NULL}};

/* ---- classes ---- */

ClassSet class_set(Env *env, const Model *source)
{
    ClassSet classes = {.env = env, .source = source};

    classes.count = dictionary_size(source, DICTIONARY_CLASSES);
    classes.order = env_array(env, (size_t)classes.count + 1, sizeof(uint32_t));
    classes.place_of = env_array(env, (size_t)classes.count + 1, sizeof(uint32_t));
    dictionary_final_order(env, source, DICTIONARY_CLASSES, classes.order);
    for (uint32_t i = 0; i < classes.count; i++)
        classes.place_of[classes.order[i]] = i;
    return classes;
}

char *class_label(const ClassSet *classes, uint32_t position)
{
    return class_string(classes->env, classes->source, classes->order[position]);
}

char *label_list(Env *env, const char *const *labels, const uint32_t *lengths, uint32_t count)
{
    TextBuffer out = {.env = env};

    for (uint32_t i = 0; i < count && i < LABELS_SHOWN; i++)
        text_print(&out, "%s%.*s", i > 0 ? ", " : "", (int)lengths[i], labels[i]);
    if (count > LABELS_SHOWN)
        text_print(&out, ", and %u more", count - LABELS_SHOWN);
    return text_finish(&out, NULL);
}

char *class_list(const ClassSet *classes)
{
    const char *labels[LABELS_SHOWN];
    uint32_t lengths[LABELS_SHOWN];

    for (uint32_t i = 0; i < classes->count && i < LABELS_SHOWN; i++) {
        labels[i] = class_label(classes, i);
        lengths[i] = (uint32_t)strlen(labels[i]);
    }
    return label_list(classes->env, labels, lengths, classes->count);
}

void label_fail_missing(Env *env, const char *option, const char *label, const char *list)
{
    TextBuffer hint = {.env = env};

    text_print(&hint, "The classes are %s.", list);
    env_fail(env, ERROR_DATA, text_finish(&hint, NULL),
             "option \"%s\" names \"%s\", which is not a class of the rows", option, label);
}

/* Returns 'all 120 rows are of class "a"'. */
static char *one_class_text(const ClassSet *classes)
{
    TextBuffer out = {.env = classes->env};

    if (classes->source->rows == 1) {
        text_add(&out, "the one row is of class \"");
    } else {
        text_add(&out, "all ");
        json_int(&out, classes->source->rows);
        text_add(&out, " rows are of class \"");
    }
    text_add(&out, classes->count == 1 ? class_label(classes, 0) : "");
    text_add(&out, "\"");
    return text_finish(&out, NULL);
}

bool class_require_several(const ClassSet *classes, const char *estimator, bool frame)
{
    if (classes->count >= 2 || frame)
        return classes->count >= 2;
    env_fail(classes->env, ERROR_DATA, "Fit on rows of at least two classes.",
             "%s needs at least two classes, but %s", estimator, one_class_text(classes));
}

bool class_keys_are_values(const Model *model)
{
    static const char *const types[] = {"smallint", "integer",          "bigint", "real",
                                        "numeric",  "double precision", "boolean"};
    const ModelEntry *entry = model_find(model, "class_type");
    uint32_t length;
    const char *text;

    if (entry == NULL || entry->type != ARRAY_TEXT || entry->rows != 1)
        return false;
    text = model_text(model, entry, 0, &length);
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (strlen(types[i]) == length && memcmp(types[i], text, length) == 0)
            return true;
    }
    return false;
}

void class_warn_of_measurements(Env *env, const Model *source, const char *estimator)
{
    uint32_t count = class_keys_are_values(source) ? dictionary_size(source, DICTIONARY_CLASSES) : 0;
    bool many = count > WHOLE_CLASSES && source->rows < (uint64_t)count * ROWS_PER_CLASS;

    if (count <= MEASUREMENT_CLASSES)
        return;
    for (uint32_t i = 0; i < count; i++) {
        double value = dictionary_key(source, DICTIONARY_CLASSES, i);

        if (many || value != floor(value)) {
            env_warn(env, ERROR_DATA, "To predict a number, use an estimator of regression; if the numbers are classes, cast them to text.",
                     "%s takes every number as a class: %u classes in %llu rows, such as %.10g", estimator, count,
                     (unsigned long long)source->rows, value);
            return;
        }
    }
}

/* Returns the final position of the class with this label, or -1. */
static int64_t find_label(const ClassSet *classes, const char *label)
{
    int place = dictionary_find(classes->source, DICTIONARY_CLASSES, 0, label,
                                (uint32_t)strlen(label), false);

    return place < 0 ? -1 : (int64_t)classes->place_of[place];
}

/* Returns the final position of the class with this value, or -1; for labels that are numbers. */
static int64_t find_value(const ClassSet *classes, double value)
{
    if (!class_keys_are_values(classes->source))
        return -1;
    for (uint32_t i = 0; i < classes->count; i++) {
        if (dictionary_key(classes->source, DICTIONARY_CLASSES, classes->order[i]) == value)
            return i;
    }
    return -1;
}

static uint32_t require_label(const ClassSet *classes, const char *option, const char *label)
{
    int64_t position = find_label(classes, label);

    if (position < 0)
        label_fail_missing(classes->env, option, label, class_list(classes));
    return (uint32_t)position;
}

/* ---- the rule ---- */

/* Tells whether all labels in an option are classes of the rows. */
static bool labels_are_classes(const ClassSet *classes, const Options *options, const char *option)
{
    uint32_t count = 0;
    const char *const *labels;

    if (!options_has(options, option))
        return true;
    labels = options_type(options, option) == OPTION_OBJECT ? options_keys(options, option, &count) : NULL;
    for (uint32_t i = 0; i < count; i++)
        if (find_label(classes, labels[i]) < 0 && options_object_number(options, option, labels[i], 1) != 0)
            return false;
    return true;
}

bool class_several(const ClassSet *classes, const Options *options, const char *estimator, bool frame)
{
    bool passes = frame || options_is(options, "too_few_rows", "null");

    if (passes)
        return classes->count >= 2 && labels_are_classes(classes, options, "class_weight") &&
               labels_are_classes(classes, options, "priors");
    if (classes->count < 2)
        env_fail(classes->env, ERROR_DATA, "Use rows of at least two classes.", "%s needs at least two classes, but %s", estimator, one_class_text(classes));
    return true;
}

static void __attribute__((noreturn)) fail_several(const ClassSet *classes, const char *option)
{
    env_fail(classes->env, ERROR_DATA,
             "Make two classes of them, for example with label = 'a' as the label.",
             "option \"%s\" needs two classes, but the rows have %u", option, classes->count);
}

uint32_t class_of_option(const ClassSet *classes, const Options *options, const char *option)
{
    OptionType type = options_type(options, option);
    int64_t position = -1;

    if (type == OPTION_STRING)
        return require_label(classes, option, options_string(options, option));
    if (type == OPTION_NUMBER)
        position = find_value(classes, options_number(options, option));
    if (position >= 0)
        return (uint32_t)position;
    return require_label(classes, option, options_value_json(options, option));
}

bool class_is_label(const ClassSet *classes, const char *label)
{
    return find_label(classes, label) >= 0;
}

static uint32_t read_positive(const ClassSet *classes, const Options *options)
{
    if (options_type(options, "positive") == 0)
        return classes->count - 1;
    if (classes->count != 2)
        fail_several(classes, "positive");
    return class_of_option(classes, options, "positive");
}

ClassRule class_rule_read(const ClassSet *classes, const Options *options)
{
    ClassRule rule = {.positive = classes->count - 1, .tie = TIE_NEGATIVE, .threshold = 0.5};

    if (options_has(options, "positive"))
        rule.positive = read_positive(classes, options);
    if (options_has(options, "threshold")) {
        rule.threshold = options_number(options, "threshold");
        if (rule.threshold != 0.5 && classes->count != 2)
            fail_several(classes, "threshold");
    }
    if (options_has(options, "tie")) {
        while (!options_is(options, "tie", class_tie_choices[rule.tie]))
            rule.tie++;
        if (rule.tie != TIE_NEGATIVE && classes->count != 2)
            fail_several(classes, "tie");
    }
    return rule;
}

void class_rule_add(ModelBuilder *builder, const ClassRule *rule, uint32_t classes, double stored[3])
{
    if (rule->positive + 1 == classes && rule->tie == TIE_NEGATIVE && rule->threshold == 0.5)
        return;
    stored[0] = rule->positive;
    stored[1] = rule->tie;
    stored[2] = rule->threshold;
    builder_f64(builder, SECTION_ARRAYS, "class_rule", stored, 3);
}

const ArraySpec class_rule_arrays[1] = {{.name = "class_rule",
                                         .type = ARRAY_F64,
                                         .rows = {SIZE_NUMBER, .plus = 3},
                                         .presence = ARRAY_OPTIONAL,
                                         .data_at = 1}};

ClassRule class_rule_of(const Model *model)
{
    uint32_t length = 0, classes;
    const double *stored = model_f64(model, "class_rule", &length);
    ClassRule rule = {.threshold = 0.5};

    if (stored != NULL && class_rule_check(model) == NULL)
        return class_rule_view(stored);
    classes = dictionary_size(model, DICTIONARY_CLASSES);
    rule.positive = classes > 0 ? classes - 1 : 0;
    return rule;
}

const char *class_rule_check(const Model *model)
{
    const ModelEntry *entry = model_find(model, "class_rule");
    uint32_t length = 0;
    const double *stored = model_f64(model, "class_rule", &length);

    if (entry == NULL)
        return NULL;
    if (stored == NULL || length != 3 || entry->dimensions != 1)
        return "\"class_rule\" is not three numbers";
    if (dictionary_size(model, DICTIONARY_CLASSES) != 2)
        return "\"class_rule\" belongs to a model of two classes";
    if (stored[0] != 0 && stored[0] != 1)
        return "the positive class of \"class_rule\" is not one of two";
    if (stored[1] != TIE_NEGATIVE && stored[1] != TIE_POSITIVE && stored[1] != TIE_NONE)
        return "\"class_rule\" has no such rule for ties";
    if (!(stored[2] > 0 && stored[2] < 1))
        return "the threshold of \"class_rule\" is not between 0 and 1";
    return NULL;
}

/* ---- weights and priors ---- */

static double sum_of(const double *numbers, uint32_t count)
{
    double sum = 0;

    for (uint32_t i = 0; i < count; i++)
        sum += numbers[i];
    return sum;
}

double *class_labeled(const ClassSet *classes, const Options *options, const char *option,
                       double fallback)
{
    double *numbers = env_array_raw(classes->env, classes->count, sizeof(double));
    uint32_t count;
    const char *const *labels = options_keys(options, option, &count);

    for (uint32_t i = 0; i < classes->count; i++)
        numbers[i] = fallback;
    for (uint32_t i = 0; i < count; i++)
        numbers[require_label(classes, option, labels[i])] =
            options_object_number(options, option, labels[i], fallback);
    return numbers;
}

bool class_weight_has_zero(const Options *options)
{
    const char *const *labels;
    uint32_t count;

    if (!options_has(options, "class_weight") || options_type(options, "class_weight") != OPTION_OBJECT)
        return false;
    labels = options_keys(options, "class_weight", &count);
    for (uint32_t i = 0; i < count; i++)
        if (options_object_number(options, "class_weight", labels[i], 1) == 0)
            return true;
    return false;
}

bool class_left_out(const Options *options, const char *label, uint32_t length)
{
    uint32_t count;
    const char *const *labels = options_keys(options, "class_weight", &count);

    for (uint32_t i = 0; i < count; i++)
        if (strlen(labels[i]) == length && memcmp(labels[i], label, length) == 0)
            return options_object_number(options, "class_weight", labels[i], 1) == 0;
    return false;
}

/* Returns the factors that class_weight names, 1 for other classes. A class of weight 0 need not be in the rows. */
static double *named_weights(const ClassSet *classes, const Options *options)
{
    uint32_t count;
    const char *const *labels = options_keys(options, "class_weight", &count);
    double *weights = env_array_raw(classes->env, classes->count, sizeof(double));

    for (uint32_t i = 0; i < classes->count; i++)
        weights[i] = 1;
    for (uint32_t i = 0; i < count; i++) {
        double weight = options_object_number(options, "class_weight", labels[i], 1);

        if (weight != 0 || find_label(classes, labels[i]) >= 0)
            weights[require_label(classes, "class_weight", labels[i])] = weight;
    }
    return weights;
}

double *class_weights(const ClassSet *classes, const Options *options, const double *totals)
{
    double *weights, sum;

    if (options_is(options, "class_weight", "none"))
        return NULL;
    if (options_type(options, "class_weight") == OPTION_OBJECT)
        return named_weights(classes, options);
    weights = env_array_raw(classes->env, classes->count, sizeof(double));
    sum = sum_of(totals, classes->count);
    for (uint32_t i = 0; i < classes->count; i++)
        weights[i] = sum / classes->count / totals[i];
    return weights;
}

double *class_weights_of_rows(const ClassSet *classes, const Options *options, const RowDesign *design)
{
    uint64_t *counts = env_array(classes->env, classes->count, sizeof(uint64_t));
    double *totals = env_array(classes->env, classes->count, sizeof(double));

    if (options_is(options, "class_weight", "none"))
        return NULL;
    row_design_class_counts(design, counts, totals);
    for (uint32_t c = 0; c < classes->count; c++)
        if (counts[c] == 0 && options_is(options, "class_weight", "balanced"))
            env_fail(classes->env, ERROR_DATA, "Add rows of the class, or give \"class_weight\" as {\"label\": factor}.",
                     "option \"class_weight\" cannot balance the classes: class \"%s\" of the start has no rows", class_label(classes, c));
    return class_weights(classes, options, totals);
}

void class_require_weights(const ClassSet *classes, const double *weights)
{
    for (uint32_t i = 0; weights != NULL && i < classes->count; i++)
        if (weights[i] == 0)
            env_fail(classes->env, ERROR_PARAMETER,
                     "Leave out the rows of the class, for instance with FILTER (WHERE ...).",
                     "option \"class_weight\" gives class \"%s\" the weight 0, and the fit needs rows of every class",
                     class_label(classes, i));
}

double *class_priors(const ClassSet *classes, const Options *options, const double *totals)
{
    Env *env = classes->env;
    double *priors, sum;

    if (options_type(options, "priors") == OPTION_OBJECT) {
        priors = class_labeled(classes, options, "priors", -1);
        for (uint32_t i = 0; i < classes->count; i++) {
            if (priors[i] < 0)
                env_fail(env, ERROR_DATA, "Give one for every class; they add up to 1.",
                         "option \"priors\" has none for class \"%s\"", class_label(classes, i));
        }
        sum = sum_of(priors, classes->count);
        if (!(fabs(sum - 1) <= PRIORS_SLACK))
            env_fail(env, ERROR_PARAMETER, "Divide each by their sum.",
                     "the %u numbers of option \"priors\" add up to %.10g, not to 1",
                     classes->count, sum);
    } else {
        priors = env_array_raw(env, classes->count, sizeof(double));
        for (uint32_t i = 0; i < classes->count; i++)
            priors[i] = options_is(options, "priors", "uniform") ? 1 : totals[i];
        sum = sum_of(priors, classes->count);
    }
    for (uint32_t i = 0; i < classes->count; i++) {
        if (!(priors[i] / sum > 0) && !(priors[i] == 0 && options_type(options, "priors") == OPTION_OBJECT))
            env_fail(env, ERROR_RANGE, "Give the rows weights of similar size, or set \"priors\".",
                     "the weight of class \"%s\", %g, is negligible compared with the total, %g", class_label(classes, i),
                     priors[i], sum);
        priors[i] /= sum;
    }
    return priors;
}
