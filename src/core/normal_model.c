/*
 * normal_model.c - fits and checks that the classifiers by normal densities share.
 */
#include "normal_model.h"
#include "factor.h"
#include "outcome.h"

#include <float.h>
#include <math.h>
#include <string.h>

const char *const normal_rules[] = {"map", "ml", NULL};
const char *const normal_shrinkages[] = {"oas", NULL};
const char *const normal_targets[] = {"identity", "diagonal", NULL};

#define SHORT_NAME 60 /* bytes of a label in a message */

NormalKind normal_kind(const Model *model)
{
    if (model_find(model, "covariance" MODEL_PACKED) != NULL)
        return NORMAL_POOLED;
    return model_find(model, "covariances" MODEL_PACKED) != NULL ? NORMAL_OWN : NORMAL_DIAGONAL;
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
    const Model *source = fit->evidence->moments;
    char *name = env_array(fit->env, 2 * SCHEMA_NAME_SIZE, 1);
    int32_t level = fit->design->term_level[term];
    uint32_t length, levels = dictionary_size(source, DICTIONARY_LEVELS), *order;
    const char *text;
    size_t used;

    schema_slot_name(source, fit->design->term_slot[term], name, SCHEMA_NAME_SIZE);
    if (level < 0)
        return name;
    order = env_array(fit->env, (size_t)levels + 1, sizeof(uint32_t));
    dictionary_final_order(fit->env, source, DICTIONARY_LEVELS, order);
    text = dictionary_text(source, DICTIONARY_LEVELS, order[level], &length);
    used = strlen(name);
    name[used++] = '=';
    memcpy(name + used, text, length < SHORT_NAME ? length : SHORT_NAME);
    return name;
}

/* Option rule, as what the probabilities are multiplied by, in which densities are times the priors. */
static double *read_rule(NormalFit *fit)
{
    uint32_t classes = fit->classes.count;
    double *weights;

    if (options_is(fit->options, "rule", "map"))
        return NULL;
    if (options_type(fit->options, "rule") == OPTION_OBJECT) {
        weights = class_labelled(&fit->classes, fit->options, "rule", 1);
    } else {
        weights = env_array(fit->env, classes, sizeof(double));
        for (uint32_t c = 0; c < classes; c++)
            weights[c] = 1;
    }
    for (uint32_t c = 0; c < classes; c++)
        weights[c] /= fit->priors[c];
    return weights;
}

bool normal_begin(NormalFit *fit, Env *env, const Estimator *estimator, const Evidence *evidence,
                  const Options *options, TermCoding coding)
{
    const Model *source = evidence->moments;
    ClassRule rule;

    *fit = (NormalFit){.env = env, .estimator = estimator, .evidence = evidence, .options = options};
    fit->classes = class_set(env, source);
    if (evidence->frame && fit->classes.count < 2)
        return false;
    class_require_several(&fit->classes, estimator->name);
    fit->design = moments_scatter(env, source, coding);
    for (uint32_t c = 0; c < fit->classes.count; c++)
        if (!(fit->design->weight[c] > 0))
            env_fail(env, ERROR_DATA, "Leave its label out, or gather the evidence anew.",
                     "class \"%s\" has no rows", normal_class_name(fit, c));
    fit->priors = class_priors(&fit->classes, options, fit->design->weight);
    fit->rule_weights = read_rule(fit);
    rule = class_rule_read(&fit->classes, options);
    fit->class_rule[0] = rule.positive;
    return true;
}

ModelBuilder *normal_builder(NormalFit *fit, const uint32_t *terms, uint32_t term_count)
{
    Env *env = fit->env;
    const ScatterDesign *design = fit->design;
    ModelBuilder *builder = fit_begin(env, fit->estimator, fit->evidence, fit->options);
    uint32_t classes = design->classes, count = terms != NULL ? term_count : design->terms;
    double *means = env_array(env, (size_t)classes * count + 1, sizeof(double));
    double *impute = moments_impute_means(env, fit->evidence->moments);
    int64_t *slot = env_array(env, (size_t)count + 1, sizeof(int64_t));
    int64_t *level = env_array(env, (size_t)count + 1, sizeof(int64_t));
    ClassRule rule = {.positive = (uint32_t)fit->class_rule[0], .threshold = 0.5};
    bool plain = count == fit->evidence->moments->slot_count;

    for (uint32_t t = 0; t < count; t++) {
        uint32_t from = terms != NULL ? terms[t] : t;
        slot[t] = design->term_slot[from];
        level[t] = design->term_level[from];
        plain = plain && level[t] < 0 && slot[t] == t;
        for (uint32_t c = 0; c < classes; c++)
            means[(size_t)c * count + t] = design->means[(size_t)c * design->terms + from];
    }
    if (impute != NULL)
        builder_f64(builder, SECTION_SCHEMA, "impute", impute, fit->evidence->moments->slot_count, 0);
    if (count > 0)
        builder_f64(builder, SECTION_ARRAYS, "means", means, classes, count);
    builder_f64(builder, SECTION_ARRAYS, "priors", fit->priors, classes, 0);
    builder_f64(builder, SECTION_ARRAYS, "counts", design->weight, classes, 0);
    if (!plain && count > 0) {
        builder_i64(builder, SECTION_ARRAYS, "column_slot", slot, count, 0);
        builder_i64(builder, SECTION_ARRAYS, "column_level", level, count, 0);
    }
    if (fit->rule_weights != NULL) {
        Outcome outcome = {.classes = classes, .weights = fit->rule_weights};
        outcome_add(builder, &outcome);
    }
    class_rule_add(builder, &rule, classes, fit->class_rule);
    return builder;
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

/*
 * The share of the target by Chen, Wiesel, Eldar and Hero (2010), "Shrinkage algorithms for MMSE covariance
 * estimation", eq. 23: it follows from the traces of S and of its square. scales: of the correlations.
 */
static double oracle_share(const double *packed, uint32_t terms, const double *scales, double rows)
{
    double trace = 0, square = 0, p = terms, share;

    for (uint32_t j = 0; j < terms; j++)
        for (uint32_t i = 0; i <= j; i++) {
            double s = packed[factor_packed(j) + i] * scales[i] * scales[j];
            if (i == j)
                trace += s;
            square += (i == j ? 1 : 2) * s * s;
        }
    share = ((1 - 2 / p) * square + trace * trace) /
            ((rows + 1 - 2 / p) * (square - trace * trace / p));
    return share >= 0 && share < 1 ? share : 1;
}

double normal_shrink(const NormalFit *fit, double *packed, uint32_t terms, double rows)
{
    bool diagonal = options_is(fit->options, "shrinkage_target", "diagonal");
    double share, mean = 0, largest = 0, *scales;

    if (terms == 0)
        return 0;
    for (uint32_t j = 0; j < terms; j++) {
        double own = packed[factor_packed(j) + j];
        mean += own / terms;
        largest = fmax(largest, own);
    }
    if (options_type(fit->options, "shrinkage") == OPTION_STRING) {
        scales = env_array(fit->env, terms, sizeof(double));
        for (uint32_t j = 0; j < terms; j++) { /* of one unit, or in one that does not overflow */
            double own = packed[factor_packed(j) + j];
            scales[j] = diagonal ? (own > 0 ? 1 / sqrt(own) : 0)
                                 : (largest > 0 ? 1 / sqrt(largest) : 0);
        }
        share = oracle_share(packed, terms, scales, rows);
        fit->env->release(fit->env, scales);
    } else {
        share = options_number(fit->options, "shrinkage");
    }
    if (share == 0)
        return 0;
    for (uint32_t j = 0; j < terms; j++)
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

static bool all_finite(const double *values, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += values[i] * 0.0;
    return sum == 0;
}

/* An F64 array of this shape with finite numbers; columns 0: of one dimension. NULL where it is not so. */
static const double *shaped(const Model *model, const char *name, uint64_t rows, uint64_t columns)
{
    const ModelEntry *entry = model_find(model, name);
    const double *numbers;

    if (entry == NULL || entry->section != SECTION_ARRAYS || entry->type != ARRAY_F64 ||
        entry->rows != rows || entry->dimensions != (columns > 0 ? 2 : 1) ||
        (columns > 0 && entry->columns != columns))
        return NULL;
    numbers = model_data(model, entry);
    return all_finite(numbers, (size_t)rows * (columns > 0 ? columns : 1)) ? numbers : NULL;
}

static bool all_positive(const double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!(numbers[i] > 0))
            return false;
    return true;
}

static const char *check_terms(const Model *model, uint32_t terms)
{
    const ModelEntry *slots = model_find(model, "column_slot");
    const ModelEntry *levels = model_find(model, "column_level");
    uint32_t known = dictionary_size(model, DICTIONARY_LEVELS);
    const int64_t *slot, *level;

    if ((slots == NULL) != (levels == NULL))
        return "a normal model knows half of what its terms are";
    if (slots == NULL)
        return terms == model->slot_count || terms == 0
                   ? NULL
                   : "the terms of a normal model do not fit its features";
    if (slots->type != ARRAY_I64 || levels->type != ARRAY_I64 || slots->dimensions != 1 ||
        levels->dimensions != 1 || slots->rows != terms || levels->rows != terms)
        return "the terms of a normal model are not what they should be";
    slot = model_data(model, slots);
    level = model_data(model, levels);
    for (uint32_t t = 0; t < terms; t++)
        if (slot[t] < 0 || slot[t] >= model->slot_count || level[t] < -1 ||
            (level[t] >= 0 && level[t] >= known))
            return "a term of a normal model names a feature or level that is not there";
    return NULL;
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

    if (shaped(model, "covariance" MODEL_PACKED, factor_packed(terms), 0) == NULL)
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

const char *normal_check(Env *env, const Model *model)
{
    uint32_t classes = dictionary_size(model, DICTIONARY_CLASSES), terms = 0;
    const ModelEntry *means = model_find(model, "means");
    bool bayes = strcmp(model->estimator, "naive_bayes") == 0;
    bool pooled = strcmp(model->estimator, "lda") == 0;
    const double *numbers;
    const char *wrong;

    (void)env;
    if (classes < 2)
        return "a normal model has fewer than two classes";
    if (means != NULL)
        terms = means->columns;
    if ((means == NULL && (!bayes || schema_all_numeric(model))) ||
        (means != NULL && (terms == 0 || shaped(model, "means", classes, terms) == NULL)))
        return "the means of a normal model do not fit its classes";
    numbers = shaped(model, "priors", classes, 0);
    if (numbers == NULL || !all_positive(numbers, classes))
        return "the priors of a normal model are not positive";
    numbers = shaped(model, "counts", classes, 0);
    if (numbers == NULL || !all_positive(numbers, classes))
        return "a class of a normal model has no rows";
    wrong = check_terms(model, terms);
    if (wrong == NULL)
        wrong = class_rule_check(model);
    if (wrong != NULL)
        return wrong;
    if (normal_kind(model) != (bayes ? NORMAL_DIAGONAL : pooled ? NORMAL_POOLED : NORMAL_OWN))
        return "a normal model with the covariances of another";
    if (bayes)
        return check_diagonal(model, classes, terms);
    if (pooled)
        return check_pooled(model, terms);
    if (shaped(model, "covariances" MODEL_PACKED, classes, factor_packed(terms)) == NULL)
        return "the covariances of a normal model do not fit its classes and features";
    return NULL;
}
