/*
 * linear_classifier.h - what linear classifiers share: storage, scores, check, reports.
 *
 * E equations over the columns of the features: one for two classes (above 0: the positive one), one a
 * class for several, or one a binary problem of a code book. S slots, L levels in the model's dictionary,
 * W = S + L columns: a slot's number is a column, and so is each level (1 where the row has it).
 *
 *     score_e = offset_e + sum over slots (x - center) coef[e][slot] + sum over levels coef[e][S + level]
 *
 * Arrays of a fitted model:
 *   coef          F64[E x W] (one dimension where E is 1); 0 for categorical slots, for levels that are the
 *                 reference or that no row had, and for what was dropped
 *   intercept     F64[E]   the score where all features are 0; only with an intercept
 *   center        F64[S]   means of the training rows, 0 for categorical slots; missing: 0. Scores of features
 *   offset        F64[E]   far from 0 keep their digits; only with center, else the intercept takes its place
 *   level_slots   I64[C]   the categorical slots in order; only where there are any
 *   reference     BOOL[L]  levels that are no term; only where there are levels
 *   dropped       BOOL[W]  terms dropped as they depend on others; only where there are any
 *   covariance_packed  F64[k(k+1)/2] of intercept and terms in the order of coefficients() (0 for dropped
 *                 ones); E = 1 and only where it means something
 *   coef_error    F64[E x (1 + W)] standard errors of intercept and columns, NaN-free: 0 none; E > 1, only where
 *                 they mean something
 *   link          I64[1]   LinearLink; missing: LINK_NONE
 *   priors        F64[q]   shares of the classes that the probabilities stand for: classifier_output.h; where they are known
 *   class_rule    F64[3]   class_options.h: positive class, tie, threshold; two classes
 *   multiclass, code_book  multiclass.h: E binary problems; missing: E = 1, or E = q and the largest score wins
 *   survived      I64[E]   perceptron_votes.c: equations that vote, of two classes whatever E is
 * Calibration and later decision rules are classifier_output.h's, which knows of no estimator.
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

/* What a fit hands over; everything lives until model_build. */
typedef struct LinearClassifier {
    const Model *schema;    /* of the rows or moments */
    uint32_t equations;
    uint32_t slots, levels; /* columns = slots + levels */
    double *coef;           /* [equations x columns] */
    double *offset;         /* [equations] the score at the center; NULL: no intercept */
    double *center;         /* [slots]; NULL: 0 */
    uint8_t *reference;     /* [levels]; NULL without levels */
    uint8_t *dropped;       /* [columns]; NULL: none */
    double *covariance;     /* packed; NULL: none; E = 1 */
    double *errors;         /* [equations x (1 + columns)]; NULL: none; E > 1 */
    LinearLink link;
} LinearClassifier;

/* An empty one (coef and reference 0) for a schema, in running order or final. */
LinearClassifier linear_classifier(Env *env, const Model *schema, uint32_t equations);
/* The terms of a fit: of a design of rows or of moments. */
typedef struct FitTerms {
    uint32_t count;
    const uint32_t *slot; /* [count] */
    const int32_t *level; /* [count] or -1, as in the designs */
} FitTerms;
#define FIT_TERMS(design) ((FitTerms){(design)->terms, (design)->term_slot, (design)->term_level})
uint32_t linear_classifier_column(const LinearClassifier *classifier, FitTerms terms, uint32_t term);
/* The reference levels: those that are no term. */
void linear_classifier_references(LinearClassifier *classifier, FitTerms terms);
/* With an intercept: room for offset, and center from the terms' means [count]. */
void linear_classifier_center(Env *env, LinearClassifier *classifier, FitTerms terms, const double *means);
/* What the user can do about dropped terms. */
#define LINEAR_CLASSIFIER_DROPPED_HINT "Leave them out, add rows, or give a \"lambda\", which shares the weight."
/* Marks a term as dropped. */
void linear_classifier_drop(Env *env, LinearClassifier *classifier, FitTerms terms, uint32_t term);
/* Adds the arrays; facts, class_rule_add and multiclass_add are the caller's (in any order). */
void linear_classifier_add(Env *env, ModelBuilder *builder, const LinearClassifier *classifier);

/* ---- scores: in place, in one fixed order, without allocation; of checked models (linear_view.h) ---- */

/*
 * Scoring functions for an estimator's table. classify follows class_rule where there are two classes (with
 * a link by the threshold), else the largest score wins, the first of equal ones; pairs and output codes are
 * multiclass.h's to decode, from what prepare made. distance: signed for one equation (score / |coef|), else from
 * the boundary of the winner with the nearest other class; NaN where coefficients are 0 or do not belong to a class.
 */
void *linear_classifier_prepare(Env *env, const Model *model, size_t *bytes);
bool linear_classifier_prepares(const Model *model); /* only such models need it */
uint32_t linear_classifier_width(const Model *model); /* 1, or as many as classes */
void linear_classifier_decisions(const Model *model, const void *prepared, const double *slots,
                                 double *out);
uint32_t linear_classifier_classify(const Model *model, const void *prepared, const double *slots);
double linear_classifier_distance(const Model *model, const void *prepared, const double *slots);
/* All of these, for methods without a link. */
extern const Scoring linear_classifier_scoring;
/* Each equation's score; see explanation.h. */
uint32_t linear_classifier_explain(Env *env, const Model *model, const void *prepared, const double *slots,
                                   Explanation **out);
/*
 * Needs a link: estimators that may have LINK_NONE leave the function out of their table. Pairs: the mean of a class's
 * probabilities against each other class (they add up to 1). Output codes: in proportion to the product of the
 * probabilities of the class's codes.
 */
void linear_classifier_probabilities(const Model *model, const void *prepared, const double *slots,
                                     double *out);

/* ---- check and reports ---- */

/* NULL where the arrays above are sound together: scores are then safe whatever the numbers. */
const char *linear_classifier_check(Env *env, const Model *model);
/* Does the intercept follow from offset, center and coef, to the last bit? */
const char *linear_classifier_accept(Env *env, const Model *model);
/* The arrays of the equations alone, whatever they are for; *equations: how many there are. */
const char *linear_arrays_check(Env *env, const Model *model, uint32_t *equations);
/* The same for a regression kept in these arrays: one equation, no classes. */
const char *linear_equation_check(Env *env, const Model *model);
/* Terms as coefficients() lists them: slot by slot, a categorical one's levels but the reference in its place. */
typedef struct LinearTerm {
    uint32_t slot;
    int64_t level; /* dictionary position, or -1 */
    uint32_t column;
} LinearTerm;
LinearTerm *linear_classifier_terms(Env *env, const Model *model, uint32_t *count);
/* Terms of each equation, with errors where the model has them, z and p of the normal distribution. */
uint32_t linear_classifier_coefficients(Env *env, const Model *model, Coefficient **out);
/*
 * One equation: the probability of the positive class where there is a link, else the score. Several: the class
 * as text, as a subquery over (VALUES ...), since a CASE would repeat every score for every class.
 */
char *linear_classifier_to_sql(Env *env, const Model *model);
char *linear_classifier_summary(Env *env, const Model *model);
/* A class's label, or as multiclass_problem_name; NULL for one equation. */
char *linear_classifier_equation_name(Env *env, const Model *model, uint32_t equation);

#endif
