/*
 * normal_model.c - fits and checks that the classifiers by normal densities share.
 */
#include "core/normal/normal_model.h"
#include "core/linalg/qr_factor.h"
#include "core/estimator/classifier_output.h"
#include "core/normal/covariance_shrinkage.h"
#include "core/moments/model_terms.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const normal_rules[] = {"map", "ml", NULL};
static const char *const normal_few_choices[] = {"error", "null", NULL};
static const char *const normal_targets[] = {"identity", "diagonal", NULL};

const OptionSpec options_normal[] = {
    {.name = "rule",
     .types = OPTION_STRING | OPTION_OBJECT,
     .fallback = "\"map\"",
     ABOVE_ZERO,
     .choices = normal_rules,
     .help = "Predict the class with the largest prior times density (map), density (ml), or weight times density: "
             "{\"label\": weight}, 1 if not named."},
    {.name = "too_few_rows",
     .types = OPTION_STRING,
     .fallback = "\"error\"",
     .choices = normal_few_choices,
     .help = "What to do with a group whose rows have only one class, or are too few for a covariance: raise an "
             "error, or return NULL as its model."},
    {.name = NULL}};

const OptionSpec options_normal_covariance[] = {
    {.name = "ddof",
     .types = OPTION_INTEGER,
     .fallback = "0",
     .minimum = 0,
     .maximum = 1,
     .help = "The divisor of a covariance is the number of rows minus this for each class: 0 is maximum likelihood, "
             "1 is unbiased."},
    {.name = "shrinkage",
     .types = OPTION_NUMBER | OPTION_STRING,
     .fallback = "0",
     .minimum = 0,
     .maximum = 1,
     .choices = shrinkage_choices,
     .help = "How far to shrink a covariance toward the target, 0 to 1, or how to estimate that: oas (oracle "
             "approximating shrinkage), ledoit_wolf, or auto (ledoit_wolf of standardized features, toward the "
             "diagonal)."},
    {.name = "shrinkage_target",
     .types = OPTION_STRING,
     .fallback = "\"identity\"",
     .choices = normal_targets,
     .help = "What a covariance is shrunk toward: the mean variance times the identity, or its own diagonal."},
    {.name = NULL}};

#define SHORT_NAME 60 /* bytes of a label in a message */

NormalKind normal_kind(const Model *model)
{
    if (strcmp(model->estimator, "naive_bayes") == 0)
        return NORMAL_DIAGONAL;
    return strcmp(model->estimator, "lda") == 0 ? NORMAL_POOLED : NORMAL_OWN;
}

char *normal_class_name(const NormalFit *fit, uint32_t class)
{
    char *label = class_label(&fit->classes, class);

    if (strlen(label) > SHORT_NAME)
        strcpy(label + SHORT_NAME - 3, "...");
    return label;
}

char *normal_term_name(const NormalFit *fit, uint32_t term)
{
    char *name = env_array(fit->env, 2 * SCHEMA_NAME_SIZE, 1);

    terms_design_name(fit->env, fit->input->moments, fit->design->term_slot[term], fit->design->term_level[term], name, 2 * SCHEMA_NAME_SIZE);
    return name;
}

char *normal_rows_text(const NormalFit *fit, double rows)
{
    char *text = env_array(fit->env, 40, 1);

    snprintf(text, 40, "%.10g row%s", rows, rows == 1 ? "" : "s");
    return text;
}

bool normal_passed_over(const NormalFit *fit)
{
    return fit->input->frame || options_is(fit->options, "too_few_rows", "null");
}

/* Option rule, as what the probabilities are multiplied by, in which densities are times the priors. */
static double *read_rule(NormalFit *fit)
{
    uint32_t classes = fit->classes.count;
    double *weights;

    if (options_is(fit->options, "rule", "map"))
        return NULL;
    if (options_type(fit->options, "rule") == OPTION_OBJECT) {
        weights = class_labeled(&fit->classes, fit->options, "rule", 1);
    } else {
        weights = env_array(fit->env, classes, sizeof(double));
        for (uint32_t c = 0; c < classes; c++)
            weights[c] = 1;
    }
    for (uint32_t c = 0; c < classes; c++) {
        if (fit->priors[c] == 0)
            env_fail(fit->env, ERROR_PARAMETER, "Use \"rule\": \"map\", or a prior above 0.",
                     "option \"rule\" ignores the priors, but that of class \"%s\" is 0", normal_class_name(fit, c));
        weights[c] /= fit->priors[c];
    }
    return weights;
}

/* Are the labels of an option classes of the rows? */
static bool labels_are_classes(const NormalFit *fit, const char *option)
{
    uint32_t count = 0;
    const char *const *labels;

    if (options_type(fit->options, option) != OPTION_OBJECT)
        return true;
    labels = options_keys(fit->options, option, &count);
    for (uint32_t i = 0; i < count; i++)
        if (dictionary_find(fit->input->moments, DICTIONARY_CLASSES, 0, labels[i], (uint32_t)strlen(labels[i]),
                            false) < 0)
            return false;
    return true;
}

bool normal_begin(NormalFit *fit, Env *env, const Estimator *estimator, const FitInput *input,
                  const Options *options, TermCoding coding)
{
    const Model *source = input->moments;
    ClassRule rule;

    *fit = (NormalFit){.env = env, .estimator = estimator, .input = input, .options = options};
    fit->classes = class_set(env, source);
    if (normal_passed_over(fit) &&
        (fit->classes.count < 2 || !labels_are_classes(fit, "priors") || !labels_are_classes(fit, "rule")))
        return false;
    class_require_several(&fit->classes, estimator->name);
    fit->design = moments_scatter(env, source, coding);
    fit->priors = class_priors(&fit->classes, options, fit->design->weight);
    fit->rule_weights = read_rule(fit);
    rule = class_rule_read(&fit->classes, options);
    fit->class_rule[0] = rule.positive;
    return true;
}

void normal_add(NormalFit *fit, const uint32_t *terms, uint32_t term_count, ModelBuilder *builder)
{
    Env *env = fit->env;
    const ScatterDesign *design = fit->design;
    uint32_t classes = design->classes, count = terms != NULL ? term_count : design->terms;
    double *means = env_array(env, (size_t)classes * count + 1, sizeof(double));
    uint32_t *slot = env_array(env, (size_t)count + 1, sizeof(uint32_t));
    int32_t *level = env_array(env, (size_t)count + 1, sizeof(int32_t));
    ClassRule rule = {.positive = (uint32_t)fit->class_rule[0], .threshold = 0.5};

    for (uint32_t t = 0; t < count; t++) {
        uint32_t from = terms != NULL ? terms[t] : t;
        slot[t] = design->term_slot[from];
        level[t] = design->term_level[from];
        for (uint32_t c = 0; c < classes; c++)
            means[(size_t)c * count + t] = design->means[(size_t)c * design->terms + from];
    }
    if (count > 0) {
        builder_f64_matrix(builder, SECTION_ARRAYS, "means", means, classes, count);
        terms_add(env, builder, slot, level, count);
    }
    builder_f64(builder, SECTION_ARRAYS, "priors", fit->priors, classes);
    builder_f64(builder, SECTION_ARRAYS, "counts", design->weight, classes);
    if (fit->rule_weights != NULL) {
        Outcome output = {.classes = classes, .weights = fit->rule_weights};
        classifier_output_add(builder, &output);
    }
    class_rule_add(builder, &rule, classes, fit->class_rule);
}

double normal_divisor(double rows, double weight, double lost)
{
    return weight * ((rows - lost) / rows);
}

bool normal_vanishes(double variance, double mean)
{
    double rounding = 4 * DBL_EPSILON * mean;

    return !(variance > rounding * rounding) || !(variance > DBL_MIN);
}

/* Of the covariance, or of the correlations where the target is the diagonal. */
static double oracle_share(const NormalFit *fit, const double *packed, uint32_t terms, double mean,
                           bool diagonal, double rows)
{
    double *correlations, share;

    if (!diagonal)
        return mean > 0 ? shrinkage_oas(packed, terms, mean, rows) : 0;
    correlations = env_array(fit->env, factor_packed(terms), sizeof(double));
    for (uint32_t j = 0; j < terms; j++)
        for (uint32_t i = 0; i <= j; i++) {
            size_t at = factor_packed(j) + i;
            double product = sqrt(packed[factor_packed(i) + i]) * sqrt(packed[factor_packed(j) + j]);
            correlations[at] = i == j ? 1 : product > 0 ? packed[at] / product : 0;
        }
    share = shrinkage_oas(correlations, terms, 1, rows);
    fit->env->release(fit->env, correlations);
    return share;
}

bool normal_by_fourth_moments(const NormalFit *fit)
{
    return shrinkage_rule(fit->options) >= SHRINKAGE_LEDOIT_WOLF;
}

/* Ledoit and Wolf's share; variances that are rounding are none. */
static double fourth_moments_share(const NormalFit *fit, uint32_t class, bool diagonal)
{
    const ScatterDesign *design = fit->design;
    uint32_t terms = design->terms;
    bool *vanish = env_array(fit->env, (size_t)terms + 1, sizeof(bool));
    double share;

    for (uint32_t t = 0; t < terms; t++)
        vanish[t] = normal_vanishes(design->scatter[class * factor_packed(terms) + factor_packed(t) + t] / design->weight[class],
                                    design->means[(size_t)class * terms + t]);
    share = shrinkage_ledoit_wolf(fit->env, design, class, diagonal, vanish, fit->estimator->name);
    fit->env->release(fit->env, vanish);
    return share;
}

double normal_shrink(const NormalFit *fit, double *packed, uint32_t terms, double rows, uint32_t class)
{
    ShrinkageRule rule = shrinkage_rule(fit->options);
    bool diagonal = rule == SHRINKAGE_AUTO || options_is(fit->options, "shrinkage_target", "diagonal");
    double share, mean = 0;

    if (rule == SHRINKAGE_AUTO && options_given(fit->options, "shrinkage_target") &&
        !options_is(fit->options, "shrinkage_target", "diagonal"))
        env_fail(fit->env, ERROR_PARAMETER, "Give \"shrinkage\": \"ledoit_wolf\", or leave the target out.",
                 "option \"shrinkage\": \"auto\" shrinks to the diagonal");

    for (uint32_t j = 0; j < terms; j++)
        mean += packed[factor_packed(j) + j] / terms;
    if (rule >= SHRINKAGE_LEDOIT_WOLF)
        share = fourth_moments_share(fit, class, diagonal);
    else if (rule == SHRINKAGE_OAS)
        share = oracle_share(fit, packed, terms, mean, diagonal, rows);
    else
        share = options_number(fit->options, "shrinkage");
    for (uint32_t j = 0; j < terms && share > 0; j++)
        for (uint32_t i = 0; i <= j; i++) {
            double *s = packed + factor_packed(j) + i;
            if (i < j)
                *s *= 1 - share;
            else if (!diagonal)
                *s = (1 - share) * *s + share * mean;
        }
    return share;
}

/* ---- the check that makes scoring safe ---- */

/* An F64 array of this shape with finite numbers; columns 0: of one dimension. NULL where it is not so. */
static const double *shaped(const Model *model, const char *name, uint32_t rows, uint32_t columns)
{
    return array_is_finite(model, name, rows, columns) ? model_data(model, model_find(model, name)) : NULL;
}

static bool all_positive(const double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!(numbers[i] > 0))
            return false;
    return true;
}

/* From 0 up, and not all 0. */
static bool are_shares(const double *numbers, uint32_t count)
{
    double most = 0;

    for (uint32_t i = 0; i < count; i++) {
        if (!(numbers[i] >= 0))
            return false;
        most = fmax(most, numbers[i]);
    }
    return most > 0;
}

static const char *check_diagonal(const Model *model, uint32_t classes, uint32_t terms)
{
    const ModelEntry *variances = model_find(model, "variances");
    uint32_t levels = dictionary_size(model, DICTIONARY_LEVELS);
    const double *numbers;

    if (terms > 0) {
        if (variances == NULL || (variances->rows != classes && variances->rows != 1) ||
            (variances->columns != terms && variances->columns != 1))
            return "the variances of a normal model do not fit its classes and features";
        numbers = shaped(model, "variances", variances->rows, variances->columns);
        if (numbers == NULL || !all_positive(numbers, (size_t)variances->rows * variances->columns))
            return "a variance is not positive";
    }
    if (levels == 0)
        return model_find(model, "level_probabilities") == NULL
                   ? NULL
                   : "a normal model has probabilities of levels, and no levels";
    numbers = shaped(model, "level_probabilities", classes, levels);
    if (numbers == NULL || !all_positive(numbers, (size_t)classes * levels))
        return "the probabilities of the levels of a normal model are none";
    return NULL;
}

static const char *check_pooled(const Model *model, uint32_t terms)
{
    const ModelEntry *whitening = model_find(model, "whitening");
    const ModelEntry *scalings = model_find(model, "scalings");
    uint32_t directions;

    if (shaped(model, "covariance" MODEL_PACKED, (uint32_t)factor_packed(terms), 0) == NULL)
        return "the covariance of a normal model does not fit its features";
    if (whitening != NULL && (whitening->rows > terms || whitening->rows == 0 ||
                              shaped(model, "whitening", whitening->rows, terms) == NULL))
        return "array \"whitening\" of a normal model does not fit its features";
    if (scalings == NULL || scalings->rows != terms)
        return "array \"scalings\" of a normal model does not fit its features";
    directions = scalings->columns;
    if (directions == 0 || directions > terms ||
        shaped(model, "scalings", terms, directions) == NULL ||
        shaped(model, "eigenvalues", directions, 0) == NULL)
        return "the projection of a normal model is not what it should be";
    return NULL;
}

static const char *check_own(const Model *model, uint32_t classes, uint32_t terms)
{
    const ModelEntry *whitening = model_find(model, "whitening"), *rows = model_find(model, "whitening_rows");
    const int64_t *each;
    uint32_t length;
    uint64_t total = 0;

    if (shaped(model, "covariances" MODEL_PACKED, classes, (uint32_t)factor_packed(terms)) == NULL)
        return "the covariances of a normal model do not fit its classes and features";
    if (whitening == NULL && rows == NULL)
        return NULL;
    each = model_i64(model, "whitening_rows", &length);
    if (each == NULL || length != classes || whitening == NULL)
        return "array \"whitening_rows\" of a normal model does not fit its classes";
    for (uint32_t c = 0; c < classes; c++) {
        if (each[c] < 0 || each[c] > terms)
            return "array \"whitening_rows\" of a normal model does not fit its features";
        total += (uint64_t)each[c];
    }
    if (total == 0 || total != whitening->rows || shaped(model, "whitening", whitening->rows, terms) == NULL)
        return "array \"whitening\" of a normal model does not fit its classes and features";
    return NULL;
}

#define COMMON_ARRAYS "class_rule", "column_level", "column_slot", "counts", "means", "priors"
static const char *const bayes_arrays[] = {COMMON_ARRAYS, "level_probabilities", "variances", NULL};
static const char *const pooled_arrays[] = {COMMON_ARRAYS, "covariance" MODEL_PACKED, "eigenvalues",
                                            "scalings",    "whitening",               NULL};
static const char *const own_arrays[] = {COMMON_ARRAYS, "covariances" MODEL_PACKED, "whitening", "whitening_rows", NULL};

const char *normal_check(Env *env, const Model *model)
{
    uint32_t classes = dictionary_size(model, DICTIONARY_CLASSES), terms = 0;
    const ModelEntry *means = model_find(model, "means");
    bool bayes = normal_kind(model) == NORMAL_DIAGONAL, pooled = normal_kind(model) == NORMAL_POOLED;
    const double *numbers;
    const char *wrong;

    (void)env;
    if (!arrays_are_of(model, bayes ? bayes_arrays : pooled ? pooled_arrays : own_arrays))
        return "a normal model with an array that does not belong to it";
    if (classes < 2)
        return "a normal model has fewer than two classes";
    if (means != NULL)
        terms = means->columns;
    if ((means == NULL && (!bayes || schema_all_numeric(model))) ||
        (means != NULL && (terms == 0 || shaped(model, "means", classes, terms) == NULL)))
        return "the means of a normal model do not fit its classes";
    numbers = shaped(model, "priors", classes, 0);
    if (numbers == NULL || !are_shares(numbers, classes))
        return "the priors of a normal model are not shares";
    numbers = shaped(model, "counts", classes, 0);
    if (numbers == NULL || !all_positive(numbers, classes))
        return "a class of a normal model has no rows";
    wrong = terms > 0 ? terms_check(model, terms) : NULL;
    if (wrong == NULL)
        wrong = class_rule_check(model);
    if (wrong != NULL)
        return wrong;
    if (bayes)
        return check_diagonal(model, classes, terms);
    return pooled ? check_pooled(model, terms) : check_own(model, classes, terms);
}
