/*
 * class_options.h - options that classifiers share, the classes of a fit, and the rule that turns a score into a class.
 *
 * Users name classes by the text of their labels ("Gentoo", "1", "true"). The functions here use positions in the final order
 * of the classes, as fitted models, probabilities and decisions do.
 */
#ifndef PGFIT_CLASS_OPTIONS_H
#define PGFIT_CLASS_OPTIONS_H

#include "core/estimator/estimator.h"
#include "core/rows/row_design.h"

#include <math.h>

/* Tables of one option each, for OPTION_TABLES. option_threshold is for methods with probabilities. */
extern const OptionSpec option_positive[], option_class_weight[], option_priors[], option_threshold[], option_tie[];
extern const char *const class_priors_choices[]; /* "data", "uniform" */

/* The classes of a fit in final order. order[i]: where position i is in the source's dictionary; place_of: its inverse. */
typedef struct ClassSet {
    Env *env;
    const Model *source;
    uint32_t count;
    uint32_t *order;    /* [count] */
    uint32_t *place_of; /* [count] */
} ClassSet;

/* Returns the classes of moments or of a schema of rows. */
ClassSet class_set(Env *env, const Model *source);
/* Returns the label at a final position, zero-terminated. */
char *class_label(const ClassSet *classes, uint32_t position);
/* Returns "a, b, c" for hints, the first 20. label_list: of any labels, which need not be zero-terminated. */
char *class_list(const ClassSet *classes);
char *label_list(Env *env, const char *const *labels, const uint32_t *lengths, uint32_t count);
/* Fails with ERROR_DATA: an option names a label that no row has. list: the labels of the rows. */
void label_fail_missing(Env *env, const char *option, const char *label, const char *list) __attribute__((noreturn));
/* Fails with ERROR_DATA if all rows are of one class; returns false where these are the frame of a window, whose fit is NULL. */
bool class_require_several(const ClassSet *classes, const char *estimator, bool frame);
/*
 * The same for estimators with option too_few_rows. Returns false if such rows give NULL, by the option or because they are a
 * window's frame; then also if they lack a class that another option names.
 */
bool class_several(const ClassSet *classes, const Options *options, const char *estimator, bool frame);
/* Returns the class that an option names by its label, a string, number or boolean. Fails with ERROR_DATA if there is none. */
uint32_t class_of_option(const ClassSet *classes, const Options *options, const char *option);
/* Tells whether a class has this label. */
bool class_is_label(const ClassSet *classes, const char *label);
/* Tells whether the sort keys of the labels are their values (numbers and booleans). */
bool class_keys_are_values(const Model *model);
/* Warns if the labels are more than a few numbers, some with fractions or many for so few rows: then they are measurements, rather than classes. */
void class_warn_of_measurements(Env *env, const Model *source, const char *estimator);

/*
 * The rule that turns the score of two classes into a class, read from the options that the estimator has. Fails with
 * ERROR_PARAMETER if the user gave one of them and there are more classes.
 */
typedef enum ClassTie { TIE_NEGATIVE = 0, TIE_POSITIVE = 1, TIE_NONE = 2 } ClassTie;

typedef struct ClassRule {
    uint32_t positive; /* final position */
    ClassTie tie;
    double threshold; /* for the probability of the positive class */
} ClassRule;

ClassRule class_rule_read(const ClassSet *classes, const Options *options);
/*
 * Adds the array "class_rule" F64[3] unless the rule is the default one (last class positive, ties negative, 0.5). stored must
 * live until model_build.
 */
void class_rule_add(ModelBuilder *builder, const ClassRule *rule, uint32_t classes, double stored[3]);
/* The declaration of that array, for classifiers to list; its view is a const double *, NULL for the default rule. */
extern const ArraySpec class_rule_arrays[1];
/* Returns the rule of two classes from such a view of a checked model. */
static inline ClassRule class_rule_view(const double *stored)
{
    if (stored == NULL)
        return (ClassRule){.positive = 1, .tie = TIE_NEGATIVE, .threshold = 0.5};
    return (ClassRule){.positive = (uint32_t)stored[0], .tie = (ClassTie)stored[1], .threshold = stored[2]};
}
/* Returns the rule of a model, the default one if "class_rule" is missing or wrong. */
ClassRule class_rule_of(const Model *model);
/* Returns NULL if "class_rule" is valid or missing, else what is wrong. */
const char *class_rule_check(const Model *model);
/* Returns the class, or CLASS_NONE, for a score that is above 0 for the positive class. */
static inline uint32_t class_rule_pick(const ClassRule *rule, double score)
{
    if (score == 0 && rule->tie == TIE_NONE)
        return CLASS_NONE;
    return score > 0 || (score == 0 && rule->tie == TIE_POSITIVE) ? rule->positive
                                                                   : 1 - rule->positive;
}

/*
 * Returns the numbers of an option {"label": number} by final position, [count]; fallback for classes that it does not name.
 * Fails with ERROR_DATA if a label is not a class.
 */
double *class_labeled(const ClassSet *classes, const Options *options, const char *option,
                       double fallback);
/* Tells whether option class_weight gives a class the weight 0, which leaves its rows out of the fit. */
bool class_weight_has_zero(const Options *options);
/* Tells whether option class_weight, an object, gives this label the weight 0. */
bool class_left_out(const Options *options, const char *label, uint32_t length);
/*
 * Returns the factors of option "class_weight" by final position, [count]; NULL for "none". totals: the weight of the rows of
 * each class, in final order; "balanced" makes every total equal to their mean. Fails with ERROR_DATA if a label is not a
 * class.
 */
double *class_weights(const ClassSet *classes, const Options *options, const double *totals);
/* Does the same for rows, in one pass unless the option is "none". Fails with ERROR_DATA if a class to be balanced has no rows. */
double *class_weights_of_rows(const ClassSet *classes, const Options *options, const RowDesign *design);
/* Fails with ERROR_PARAMETER if a factor is 0: the rows of a class cannot be taken out of moments. weights NULL: none. */
void class_require_weights(const ClassSet *classes, const double *weights);
/*
 * Returns option "priors" by final position, [count], adding up to 1; 0 only if the user says so. Fails with ERROR_PARAMETER if
 * a class has none, a label is not a class, or they do not add up to 1.
 */
double *class_priors(const ClassSet *classes, const Options *options, const double *totals);
/* Returns the logarithm of a prior; that of 0 is finite, and far below all others. */
#define CLASS_LOG_OF_ZERO (-1e300)
static inline double class_log_prior(double prior)
{
    return prior > 0 ? log(prior) : CLASS_LOG_OF_ZERO;
}

#endif
