/*
 * linear_model.h - what models of linear regressions share: facts, scoring, reports.
 *
 * Stored facts; linear_statistics derives the others from them and the header:
 *   rss, tss        sums of squares
 *   df_model        degrees of freedom of the terms, fractional under a penalty; missing: undefined
 *   log_likelihood  only if weights other than counts enter it
 *   condition_number, penalty, objective, dropped_terms
 *
 * Arrays: the equation (linear_view.h), and
 *   level_means   F64[L]   training means of the columns of levels that have terms; only with center and levels. Intervals
 *                 and predictions at other lambdas need them; scores do not.
 */
#ifndef PGFIT_LINEAR_MODEL_H
#define PGFIT_LINEAR_MODEL_H

#include "core/estimator/estimator.h"
#include "core/linear_equations/linear_equations.h"
#include "core/model/report_text.h"

extern const ArrayTable linear_array_tables[]; /* of least squares: the equation, level_means, facts */
extern const ArraySpec linear_model_arrays[1]; /* level_means */
extern const ArraySpec linear_facts[19];       /* the facts that a fit stores */
extern const Scoring linear_scoring;
/*
 * Returns fit -+ critical sqrt(sigma^2 + variance of the fit). The variance is computed about the means of the training rows, where the intercept
 * is not correlated with the terms unless the covariance is robust. The limits are NaN without a covariance and if sigma is NaN.
 */
PredictionInterval linear_interval_of(Env *env, const Model *model, const double *slots, double sigma, double critical);
/* Returns how many standard errors the limits of an estimate are away; df INFINITY: by the normal distribution. */
double linear_critical(double level, double df);
/* Adds the tests of an estimate with a standard error; df INFINITY: by the normal distribution, where an error of 0 is none. */
void linear_set_tests(Coefficient *c, double error, double df, double critical);
uint32_t linear_coefficients(Env *env, const Model *model, Coefficient **out);
/*
 * Lists the terms of each equation. names: of the equations; NULL: there is one. df: residual degrees of freedom, NaN
 * where there are no tests; INFINITY: tests by the normal distribution.
 */
uint32_t linear_list_coefficients(Env *env, const Model *model, char *const *names, double df, Coefficient **out);
/*
 * Lists the intercept and all terms of a model of one equation in the order of its covariance, without tests. Terms that coefficients() does not
 * show, which have random effects alone, have no name, an estimate of 0 and an error of 0.
 */
uint32_t linear_estimates(Env *env, const Model *model, Coefficient **out);
/* Writes the coefficients of all equations, `each` per equation, as tables. statistic: of the tests, "t" or "z". */
void linear_put_equations(TextBuffer *out, const Coefficient *list, uint32_t count, uint32_t each, const char *statistic);
/* Adds the SQL of an equation's score. */
void linear_put_score(TextBuffer *out, const Model *model, const LinearView *view, uint32_t equation);
char *linear_to_sql(Env *env, const Model *model);
char *linear_summary(Env *env, const Model *model);

/* Return the residual degrees of freedom, NaN if undefined, and the residual standard error. */
double linear_df_residual(const Model *model);
double linear_sigma(const Model *model);
/* Returns the log-likelihood as R's logLik.lm does. log_weight_sum: sum of the logarithms of the n rows' weights. */
double linear_log_likelihood(double n, double rss, double log_weight_sum);
Model *linear_statistics(Env *env, const Model *model);
/* Returns the builder of linear_statistics, for methods that add facts of their own. */
ModelBuilder *linear_statistics_begin(Env *env, const Model *model);

#endif
