/*
 * linear_classifier.h - scores, checks and reports that linear classifiers share.
 *
 * They have one equation for two classes (above 0: the positive one), one per class for several, or one per binary problem
 * of a code book. Arrays: those of the equations (linear_view.h), and
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
#include "core/estimator/estimator.h"
#include "core/estimator/multiclass.h"
#include "core/linear_equations/linear_equations.h"
#include "core/model/report_text.h"
#include "core/rows/row_design.h"

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
/* Explains the score of each equation; see explanation.h. Fails with ERROR_KIND for expansions over a kernel and votes. */
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

extern const ArraySpec linear_class_arrays[1]; /* coef_error */
#define LINEAR_CLASSIFIER_TABLES                                                                                        \
    ARRAY_TABLE(linear_arrays), ARRAY_TABLE(linear_class_arrays), ARRAY_TABLE(class_rule_arrays),                       \
        ARRAY_TABLE(multiclass_arrays)
extern const ArrayTable linear_classifier_array_tables[]; /* these, and the fact dropped_terms */
/* Checks what the tables cannot say, so that scores are safe for any row. Returns NULL, or what is wrong. */
const char *linear_classifier_check(Env *env, const Model *model);
/*
 * Lists the terms of each equation; standard errors, z and p (normal distribution) if the model stores errors. Fails as
 * linear_classifier_explain does.
 */
uint32_t linear_classifier_coefficients(Env *env, const Model *model, Coefficient **out);
/*
 * Returns an SQL expression. One equation: the probability of the positive class if there is a link, else the score.
 * Several: the class as text, by a subquery over (VALUES ...), because a CASE would repeat every score for every class. Fails as
 * linear_classifier_explain does.
 */
char *linear_classifier_to_sql(Env *env, const Model *model);
char *linear_classifier_summary(Env *env, const Model *model);
/* Returns NULL for an expansion over a kernel, else what linear_accept returns. */
const char *linear_classifier_accept(Env *env, const Model *model);
/* Adds "classes: no, yes (positive)". */
void linear_classifier_put_classes(TextBuffer *out, const Model *model, bool positive);
/* Adds "multiclass: output codes, 15 binary models; classes differ in at least 7", for models of several binary ones. */
void linear_classifier_put_strategy(TextBuffer *out, const Model *model, uint32_t equations);
#endif
