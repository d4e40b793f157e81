/*
 * normal_model.c - what the fits of classifiers with normal densities share, and the arrays of their models.
 */
#include "core/normal/normal_model.h"

#include "core/estimator/shared_options.h"
#include "core/linalg/qr_factor.h"
#include "core/estimator/classifier_output.h"
#include "core/normal/covariance_shrinkage.h"
#include "core/moments/model_terms.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const normal_rules[] = {"map", "ml", NULL};
static const char *const normal_targets[] = {"identity", "diagonal", NULL};

const OptionSpec options_normal[] = {
    {.name = "rule",
     .types = OPTION_STRING | OPTION_OBJECT,
     .fallback = "\"map\"",
     ABOVE_ZERO,
     .choices = normal_rules,
     .help = "Predict the class with the largest prior times density (map), density (ml), or weight times density: "
             "{\"label\": weight}, 1 if not named."},
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
     FROM_ZERO_TO_ONE,
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

#define SHORT_NAME 60 /* most bytes of a label in a message */

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

    terms_design_name(fit->env, fit->input->moments, fit->design->term_slot[term], fit->design->term_level[term], name,
                      2 * SCHEMA_NAME_SIZE);
    return name;
}

char *normal_rows_text(const NormalFit *fit, double rows)
{
    char *text = env_array(fit->env, 40, 1);

    snprintf(text, 40, "%.10g row%s", rows, rows == 1 ? "" : "s");
    return text;
}

bool normal_allows_null(const NormalFit *fit)
{
    return too_few_rows_are_null(fit->input, fit->options);
}

/*
 * Returns the factors of the probabilities, [classes], that option "rule" asks for; NULL for "map". The probabilities contain the
 * priors, so the factors divide by them. Fails if a prior is 0.
 */
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

/* Tells whether all labels in an option are classes of the rows. */
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
    if (normal_allows_null(fit) &&
        (fit->classes.count < 2 || !labels_are_classes(fit, "priors") || !labels_are_classes(fit, "rule")))
        return false;
    class_require_several(&fit->classes, estimator->name, false);
    fit->design = estimator->diagonal ? moments_squares(env, source, coding) : moments_scatter(env, source, coding);
    for (uint32_t c = 0; c < fit->design->classes; c++) {
        fit->rows += fit->design->rows[c];
        fit->weight += fit->design->weight[c];
    }
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
        ClassifierOutput output = {.classes = classes, .weights = fit->rule_weights};
        classifier_output_add(builder, &output);
    }
    class_rule_add(builder, &rule, classes, fit->class_rule);
}

void normal_clear_term(double *packed, uint32_t terms, uint32_t term)
{
    for (uint32_t i = 0; i < terms; i++)
        packed[i <= term ? factor_packed(term) + i : factor_packed(i) + term] = 0;
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

/* Returns the OAS share of the covariance, or of the correlations if the target is the diagonal. */
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

/* Returns the share of the target by fourth moments; features whose variance is nothing but rounding count as constant. */
static double fourth_moments_share(const NormalFit *fit, uint32_t class, bool diagonal)
{
    const ScatterDesign *design = fit->design;
    uint32_t terms = design->terms;
    bool *vanish = env_array(fit->env, (size_t)terms + 1, sizeof(bool));

    for (uint32_t t = 0; t < terms; t++)
        vanish[t] = normal_vanishes(design->scatter[class * factor_packed(terms) + factor_packed(t) + t] / design->weight[class],
                                    design->means[(size_t)class * terms + t]);
    return shrinkage_ledoit_wolf(fit->env, design, class, diagonal, vanish, fit->estimator->name);
}

double normal_shrink(const NormalFit *fit, double *packed, uint32_t terms, double rows, uint32_t class)
{
    ShrinkageRule rule = shrinkage_rule(fit->options);
    bool diagonal = rule == SHRINKAGE_AUTO || options_is(fit->options, "shrinkage_target", "diagonal");
    double share, mean = 0;

    if (rule == SHRINKAGE_AUTO && options_given(fit->options, "shrinkage_target") &&
        !options_is(fit->options, "shrinkage_target", "diagonal"))
        env_fail(fit->env, ERROR_PARAMETER, "Use \"shrinkage\": \"ledoit_wolf\", or leave out the target.",
                 "option \"shrinkage\": \"auto\" shrinks toward the diagonal");

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

/* ---- arrays ---- */

#define MEANS(...)                                                                                                     \
    {.name = "means",                                                                                                  \
     .type = ARRAY_F64,                                                                                                \
     .rows = {SIZE_CLASSES},                                                                                           \
     .columns = {SIZE_TERMS},                                                                                          \
     .data_at = VIEW_AT(NormalArrays, means),                                                                          \
     .columns_at = VIEW_AT(NormalArrays, terms.count),                                                                 \
     __VA_ARGS__}
#define WHITENING                                                                                                      \
    {.name = "whitening",                                                                                              \
     .type = ARRAY_F64,                                                                                                \
     .rows = {SIZE_COMPONENTS, .defines = true},                                                                       \
     .columns = {SIZE_TERMS},                                                                                          \
     .presence = ARRAY_OPTIONAL,                                                                                       \
     .data_at = VIEW_AT(NormalArrays, whitening),                                                                      \
     .rows_at = VIEW_AT(NormalArrays, rank)}

static const ArraySpec class_arrays[] = {
    {.name = "counts",
     .type = ARRAY_F64,
     .rows = {SIZE_CLASSES},
     .values = VALUES_POSITIVE,
     .data_at = VIEW_AT(NormalArrays, counts)},
    {.name = "priors",
     .type = ARRAY_F64,
     .rows = {SIZE_CLASSES},
     .values = VALUES_SHARES,
     .data_at = VIEW_AT(NormalArrays, priors),
     .rows_at = VIEW_AT(NormalArrays, classes)}};

static const ArraySpec diagonal_arrays[] = {
    {.name = "level_probabilities",
     .type = ARRAY_F64,
     .rows = {SIZE_CLASSES},
     .columns = {SIZE_LEVELS},
     .sized = true,
     .values = VALUES_POSITIVE,
     .data_at = VIEW_AT(NormalArrays, level_probabilities),
     .columns_at = VIEW_AT(NormalArrays, levels)},
    MEANS(.presence = ARRAY_OPTIONAL), /* absent if all features are categorical */
    {.name = "variances",              /* normal_check checks the shape */
     .type = ARRAY_F64,
     .rows = {SIZE_FREE},
     .columns = {SIZE_FREE},
     .presence = ARRAY_WITH,
     .other = "means",
     .values = VALUES_POSITIVE,
     .data_at = VIEW_AT(NormalArrays, variances),
     .rows_at = VIEW_AT(NormalArrays, variance_rows),
     .columns_at = VIEW_AT(NormalArrays, variance_columns)}};

static const ArraySpec pooled_arrays[] = {
    {.name = "covariance" MODEL_PACKED,
     .type = ARRAY_F64,
     .rows = {SIZE_TERMS, .packed = true},
     .data_at = VIEW_AT(NormalArrays, covariances)},
    {.name = "eigenvalues",
     .type = ARRAY_F64,
     .rows = {SIZE_DIRECTIONS},
     .data_at = VIEW_AT(NormalArrays, eigenvalues)},
    MEANS(.presence = ARRAY_REQUIRED),
    {.name = "scalings",
     .type = ARRAY_F64,
     .rows = {SIZE_TERMS},
     .columns = {SIZE_DIRECTIONS, .defines = true},
     .data_at = VIEW_AT(NormalArrays, scalings),
     .columns_at = VIEW_AT(NormalArrays, directions)},
    WHITENING};

static const ArraySpec own_arrays[] = {
    {.name = "covariances" MODEL_PACKED,
     .type = ARRAY_F64,
     .rows = {SIZE_CLASSES},
     .columns = {SIZE_TERMS, .packed = true},
     .data_at = VIEW_AT(NormalArrays, covariances)},
    MEANS(.presence = ARRAY_REQUIRED),
    WHITENING,
    {.name = "whitening_rows",
     .type = ARRAY_I64,
     .rows = {SIZE_CLASSES},
     .presence = ARRAY_WITH,
     .other = "whitening",
     .data_at = VIEW_AT(NormalArrays, whitening_rows)}};

static const ArraySpec normal_facts[] = {FACT("added_variance", ARRAY_F64), FACT_LIST("shrinkage", ARRAY_F64)};

#define SHARED_TABLES                                                                                                  \
    ARRAY_TABLE(class_arrays), ARRAY_TABLE_AT(class_rule_arrays, NormalArrays, class_rule),                            \
        ARRAY_TABLE_AT(term_arrays, NormalArrays, terms), FACT_TABLE(normal_facts)

const ArrayTable naive_bayes_array_tables[] = ARRAY_TABLES(ARRAY_TABLE(diagonal_arrays), SHARED_TABLES);
const ArrayTable lda_array_tables[] = ARRAY_TABLES(ARRAY_TABLE(pooled_arrays), SHARED_TABLES);
const ArrayTable qda_array_tables[] = ARRAY_TABLES(ARRAY_TABLE(own_arrays), SHARED_TABLES);

NormalArrays normal_arrays(const Model *model)
{
    NormalArrays arrays = {.classes = 0};

    view_arrays(model, estimator_of(model)->arrays, &arrays);
    return arrays;
}

/* Checks that no class has more rows of "whitening" than there are terms, and that the rows of all classes are all rows. */
static const char *check_whitening_rows(Env *env, const Model *model, const NormalArrays *arrays)
{
    uint64_t total = 0;

    for (uint32_t c = 0; c < arrays->classes; c++) {
        int64_t rows = arrays->whitening_rows[c];

        if (rows < 0 || rows > arrays->terms.count)
            return env_message(env, "element %u of \"whitening_rows\" of %.31s is %lld, not between 0 and %u", c + 1,
                               model->estimator, (long long)rows, arrays->terms.count);
        total += (uint64_t)rows;
    }
    if (total != arrays->rank)
        return env_message(env, "\"whitening_rows\" of %.31s add up to %llu, not to the number of rows of \"whitening\", %u",
                           model->estimator, (unsigned long long)total, arrays->rank);
    return NULL;
}

const char *normal_check(Env *env, const Model *model)
{
    NormalArrays arrays = normal_arrays(model);
    uint32_t terms = arrays.terms.count;

    if (arrays.classes < 2)
        return env_message(env, "a model of %.31s has %u classes, not at least two", model->estimator, arrays.classes);
    if (terms == 0 && (arrays.means != NULL || schema_all_numeric(model)))
        return env_message(env, "a model of %.31s has no terms", model->estimator);
    if (arrays.variances != NULL && ((arrays.variance_rows != arrays.classes && arrays.variance_rows != 1) ||
                                     (arrays.variance_columns != terms && arrays.variance_columns != 1)))
        return env_message(env, "array \"variances\" of %.31s is f64[%u x %u], not f64[%u or 1 x %u or 1]",
                           model->estimator, arrays.variance_rows, arrays.variance_columns, arrays.classes, terms);
    if (arrays.directions > terms)
        return env_message(env, "a model of %.31s has %u directions and only %u terms", model->estimator,
                           arrays.directions, terms);
    if (arrays.whitening_rows != NULL) {
        const char *wrong = check_whitening_rows(env, model, &arrays);

        if (wrong != NULL)
            return wrong;
    } else if (arrays.rank > terms) {
        return env_message(env, "array \"whitening\" of %.31s has %u rows and only %u columns", model->estimator,
                           arrays.rank, terms);
    }
    return class_rule_check(model);
}
