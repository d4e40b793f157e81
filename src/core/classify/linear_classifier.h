/*
 * linear_classifier.h - storage, scores, checks and reports that linear classifiers share.
 *
 * E equations over the columns of the features: one for two classes (above 0: the positive one), one per
 * class for several, or one per binary problem of a code book. S slots, L levels in the model's dictionary,
 * W = S + L columns: a slot's number is a column, and so is each level (1 where the row has it).
 *
 * Scores, offset, center and intercept: linear_view.h.
 *
 * Arrays of a fitted model:
 *   coef          F64[E x W] (one dimension if E is 1); 0 for categorical slots, for reference levels and levels
 *                 that no row had, and for dropped terms
 *   intercept     F64[E]   the score where all features are 0; only with an intercept
 *   center        F64[S]   means of the training rows, 0 for categorical slots; missing: 0
 *   offset        F64[E]   the score at the center; only with center, else it is the intercept
 *   level_slots   I64[C]   the categorical slots in order; only if there are any
 *   reference     BOOL[L]  levels without a term; only if there are levels
 *   dropped       BOOL[W]  terms dropped because they depend on others; only if there are any
 *   covariance_packed  F64[k(k+1)/2] of intercept and terms in the order of coefficients() (0 for dropped
 *                 ones); only if E = 1 and the fit has tests
 *   coef_error    F64[E x (1 + W)] standard errors of intercept and columns, 0: none; only if E > 1 and the fit has
 *                 tests
 *   link          I64[1]   LinearLink; missing: LINK_NONE
 *   priors        F64[q]   shares of the classes that the probabilities assume (classifier_output.h); if known
 *   class_rule    F64[3]   class_options.h: positive class, tie, threshold; two classes
 *   multiclass, code_book  multiclass.h: E binary problems; missing: E = 1, or E = q and the largest score wins
 *   survived      I64[E]   perceptron_votes.c: the equations vote between two classes
 * Calibration and decision rules are added later: classifier_output.h.
 */
#ifndef PGFIT_LINEAR_CLASSIFIER_H
#define PGFIT_LINEAR_CLASSIFIER_H

#include "core/math/logistic_function.h"
#include "core/estimator/class_options.h"
#include "core/estimator/dropped_terms.h"
#include "core/estimator/estimator.h"
#include "core/estimator/multiclass.h"
#include "core/linear/linear_view.h"
#include "core/model/report_text.h"
#include "core/rows/row_design.h"

/* The result of a fit; all memory lives until model_build. */
typedef struct LinearClassifier {
    const Model *schema;    /* of the rows or moments */
    uint32_t equations;
    uint32_t slots, levels; /* columns = slots + levels */
    double *coef;           /* [equations x columns] */
    double *offset;         /* [equations] score at the center (linear_view.h); NULL: no intercept */
    double *center;         /* [slots]; NULL: 0 */
    uint8_t *reference;     /* [levels]; NULL without levels */
    uint8_t *dropped;       /* [columns]; NULL: none */
    double *covariance;     /* packed; NULL: none; E = 1 */
    double *errors;         /* [equations x (1 + columns)]; NULL: none; E > 1 */
    LinearLink link;
} LinearClassifier;

/* Returns an empty classifier (coef and reference 0) for a schema, in running or final order. */
LinearClassifier linear_classifier(Env *env, const Model *schema, uint32_t equations);
/* The terms of a design of rows or of moments. */
typedef struct FitTerms {
    uint32_t count;
    const uint32_t *slot; /* [count] */
    const int32_t *level; /* [count] or -1, as in the designs */
} FitTerms;
#define FIT_TERMS(design) ((FitTerms){(design)->terms, (design)->term_slot, (design)->term_level})
uint32_t linear_classifier_column(const LinearClassifier *classifier, FitTerms terms, uint32_t term);
/* Flags the reference levels: those without a term. */
void linear_classifier_references(LinearClassifier *classifier, FitTerms terms);
/* Prepares a fit with an intercept: allocates offset, and sets center from the means of the terms, [count]. */
void linear_classifier_center(Env *env, LinearClassifier *classifier, FitTerms terms, const double *means);
/* The HINT about dropped terms. */
#define LINEAR_CLASSIFIER_DROPPED_HINT "Leave them out, add rows, or give a \"lambda\", which shares the weight."
/* Marks a term as dropped. */
void linear_classifier_drop(Env *env, LinearClassifier *classifier, FitTerms terms, uint32_t term);
/* Adds the arrays. The caller adds facts, class_rule_add and multiclass_add, in any order. */
void linear_classifier_add(Env *env, ModelBuilder *builder, const LinearClassifier *classifier);

/* ---- scores: in place, in one fixed order, without allocation; of checked models (linear_view.h) ---- */

/*
 * Scoring functions for an estimator's table. With two classes, classify follows class_rule (with a link, its
 * threshold); else the largest score wins, the first of equal ones. Pairs and output codes are decoded by
 * multiclass.h from what prepare made. distance: signed for one equation (score / |coef|), else from
 * the boundary of the winner with the nearest other class; NaN where coefficients are 0 or do not belong to a class.
 */
void *linear_classifier_prepare(Env *env, const Model *model, size_t *bytes);
bool linear_classifier_prepares(const Model *model); /* only such models need it */
uint32_t linear_classifier_width(const Model *model); /* 1, or as many as classes */
void linear_classifier_decisions(const Model *model, const void *prepared, const double *slots,
                                 double *out);
uint32_t linear_classifier_classify(const Model *model, const void *prepared, const double *slots);
double linear_classifier_distance(const Model *model, const void *prepared, const double *slots);
/* All of these functions, for methods without a link. */
extern const Scoring linear_classifier_scoring;
/* Explains the score of each equation; see explanation.h. */
uint32_t linear_classifier_explain(Env *env, const Model *model, const void *prepared, const double *slots,
                                   Explanation **out);
/*
 * Writes probabilities. Needs a link: estimators that may have LINK_NONE leave the function out of their table. Pairs:
 * the mean of a class's probabilities against each other class, which add up to 1. Output codes: proportional to the
 * product of the probabilities of the class's codes.
 */
void linear_classifier_probabilities(const Model *model, const void *prepared, const double *slots,
                                     double *out);

/* ---- check and reports ---- */

/* Returns NULL if the arrays above fit together, so that scores are safe for any row; else what is wrong. */
const char *linear_classifier_check(Env *env, const Model *model);
/* Returns NULL if the intercept follows from offset, center and coef to the last bit; else what is wrong. */
const char *linear_classifier_accept(Env *env, const Model *model);
/* Checks only the arrays of the equations, of classifiers or regressions, and counts the equations. */
const char *linear_arrays_check(Env *env, const Model *model, uint32_t *equations);
/* Checks a regression that is stored in these arrays: one equation, no classes. */
const char *linear_equation_check(Env *env, const Model *model);
/*
 * A term as coefficients() lists them: slot by slot; a categorical slot is replaced by its levels except the reference.
 */
typedef struct LinearTerm {
    uint32_t slot;
    int64_t level; /* dictionary position, or -1 */
    uint32_t column;
} LinearTerm;
LinearTerm *linear_classifier_terms(Env *env, const Model *model, uint32_t *count);
/* Lists the terms of each equation; standard errors, z and p (normal distribution) if the model stores errors. */
uint32_t linear_classifier_coefficients(Env *env, const Model *model, Coefficient **out);
/*
 * Returns an SQL expression. One equation: the probability of the positive class if there is a link, else the score.
 * Several: the class as text, by a subquery over (VALUES ...), because a CASE would repeat every score for every class.
 */
char *linear_classifier_to_sql(Env *env, const Model *model);
char *linear_classifier_summary(Env *env, const Model *model);
/* Returns the label of the equation's class, or multiclass_problem_name; NULL: there is one equation. */
char *linear_classifier_equation_name(Env *env, const Model *model, uint32_t equation);

#endif
