/*
 * class_options.h - options that classifiers share: rows of their tables, and what they say.
 *
 * Labels of the options are the text of the classes ("Gentoo", "1", "true"); the functions speak of
 * classes by their position in final order, as fitted models, probabilities and decisions do.
 */
#ifndef PGFIT_CLASS_OPTIONS_H
#define PGFIT_CLASS_OPTIONS_H

#include "core/estimator/estimator.h"

#include <math.h>

/* Tables of one option each, for an estimator to name in its OPTION_TABLES; option_threshold: of methods with probabilities. */
extern const OptionSpec option_positive[], option_class_weight[], option_priors[], option_threshold[], option_tie[],
    option_too_few_rows[];
extern const char *const class_priors_choices[]; /* "data", "uniform" */

/*
 * The classes of a fit in final order. order[i]: position i's place in the source's dictionary (a
 * running one), place_of its inverse.
 */
typedef struct ClassSet {
    Env *env;
    const Model *source;
    uint32_t count;
    uint32_t *order;    /* [count] */
    uint32_t *place_of; /* [count] */
} ClassSet;

ClassSet class_set(Env *env, const Model *source);
/* The label at a final position, zero-terminated. */
char *class_label(const ClassSet *classes, uint32_t position);
/* "a, b, c" for hints; the first 20. */
char *class_list(const ClassSet *classes);
/* Fails with ERROR_DATA where all rows are of one class. */
void class_require_several(const ClassSet *classes, const char *estimator);
/*
 * The same for estimators with option too_few_rows: false where the rows give no model, by the option or as a window's
 * frame; then also where they lack a class that another option names.
 */
bool class_several(const ClassSet *classes, const Options *options, const char *estimator, bool frame);
/* Of moments, totals in final order: fails with ERROR_DATA where a class has no rows. */
void class_require_rows(const ClassSet *classes, const double *totals);
/* Are the sort keys of the labels their values (numbers and booleans)? */
bool class_keys_are_values(const Model *model);

/*
 * What becomes of a score. Read from options that the estimator's table has; those that the user gave and
 * that make sense for two classes alone fail where there are more.
 */
typedef enum ClassTie { TIE_NEGATIVE = 0, TIE_POSITIVE = 1, TIE_NONE = 2 } ClassTie;

typedef struct ClassRule {
    uint32_t positive; /* final position */
    ClassTie tie;
    double threshold; /* of the probability of the positive class */
} ClassRule;

ClassRule class_rule_read(const ClassSet *classes, const Options *options);
/*
 * Adds the array "class_rule" F64[3], where the rule is not the default one (the last class positive,
 * ties negative, 0.5). The array is *stored, which lives until model_build.
 */
void class_rule_add(ModelBuilder *builder, const ClassRule *rule, uint32_t classes, double stored[3]);
/* Of any sound model: the default rule where "class_rule" is missing or wrong. */
ClassRule class_rule_of(const Model *model);
/* NULL where sound or none. */
const char *class_rule_check(const Model *model);
/* The class (a position, or CLASS_NONE) of a score that is above 0 for the positive class. */
static inline uint32_t class_rule_pick(const ClassRule *rule, double score)
{
    if (score == 0 && rule->tie == TIE_NONE)
        return CLASS_NONE;
    return score > 0 || (score == 0 && rule->tie == TIE_POSITIVE) ? rule->positive
                                                                   : 1 - rule->positive;
}

/*
 * An option that is an object of labels, by final position, [count]; fallback where a class is not named.
 * Fails with ERROR_PARAMETER where a label is no class.
 */
double *class_labeled(const ClassSet *classes, const Options *options, const char *option,
                       double fallback);
/*
 * Option "class_weight": factors by final position, [count]; NULL where none. totals: weight of the rows
 * of each class, [count] in final order; balanced makes each total the mean of all. Fails with
 * ERROR_PARAMETER where a label is no class, or where a factor is 0 and zero is false: the fit needs rows of each class.
 */
double *class_weights(const ClassSet *classes, const Options *options, const double *totals, bool zero);
/*
 * Option "priors" by final position, [count], adding up to 1; 0 only where the user says so. Fails with
 * ERROR_PARAMETER where a class has none, a label is no class, or they do not add up to 1.
 */
double *class_priors(const ClassSet *classes, const Options *options, const double *totals);
/* The logarithm of a prior; that of 0 is far below all others, and finite. */
#define CLASS_LOG_OF_ZERO (-1e300)
static inline double class_log_prior(double prior)
{
    return prior > 0 ? log(prior) : CLASS_LOG_OF_ZERO;
}

#endif
