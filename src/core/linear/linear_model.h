/*
 * linear_model.h - what linear estimators share: solving from a design, facts, scoring, reports.
 *
 * Stored facts; linear_statistics derives the others from them and the header:
 *   rss, tss        sums of squares
 *   df_model        degrees of freedom of the terms, not whole under a penalty; missing: undefined
 *   log_likelihood  only if weights that are not counts are part of it
 *   condition_number, penalty, objective, dropped_terms
 *
 * Arrays of a fitted linear model (t terms, k = t + 1 with an intercept, else t; S slots, L levels in the
 * model's dictionary):
 *   coef          F64[t]   one per term, 0 for dropped ones
 *   dropped       BOOL[t]  only if terms were dropped
 *   intercept     F64[1]   only with an intercept; equals linear_score_intercept of "score"
 *   covariance_packed F64[k(k+1)/2] of intercept and terms (0 for dropped ones), MODEL_PACKED; only if the
 *                 fit has tests
 *   column_slot   I64[t], column_level I64[t]   slot and level of a term; only if terms are not the slots
 *   means         F64[t]   training means that the terms are centered at (0 without intercept); only
 *                 if terms are not the slots: else they are the centers in "score"
 *   score         F64[3 + 2 S + L + C]   for scoring (linear_view.h): offset, L, C, centers of the slots,
 *                 coefficients of the slots (0 for categorical ones) and of the levels, the C categorical slots
 */
#ifndef PGFIT_LINEAR_MODEL_H
#define PGFIT_LINEAR_MODEL_H

#include "core/estimator/estimator.h"
#include "core/linear/linear_view.h"

/* A linear fit under construction. */
typedef struct LinearFit {
    Env *env;
    Design *design;
    bool with_intercept;
    double rows;         /* as degrees of freedom count them */
    double *coef;        /* [terms] */
    uint8_t *dropped;    /* [terms] */
    uint32_t kept;       /* terms that are not dropped */
    double intercept;    /* 0 without */
    double rss, tss;
    double df_model;     /* degrees of freedom of the terms, without the intercept */
    double *covariance;  /* packed, of intercept and terms, without sigma^2 until linear_finish; or NULL */
    double condition;    /* of the equilibrated factor; NaN: not known */
} LinearFit;

/* Begins a fit from moments. Warns if a feature equals the target. */
LinearFit *linear_begin(Env *env, const Model *moments, const Options *options);
/* Begins a fit of a design and takes ownership of it. */
LinearFit *linear_wrap(Env *env, Design *design, bool intercept);
void linear_free(LinearFit *fit);
/* Sets the intercept that follows from the coefficients and the means, if the fit has one. */
void linear_set_intercept(LinearFit *fit);
/* Returns the norm of a column of the design (column `terms`: the target); 0 if only rounding errors are left of it. */
double linear_norm(const LinearFit *fit, uint32_t column);
/* Solves least squares. Terms that depend linearly on earlier ones are dropped, with a WARNING. */
void linear_least_squares(LinearFit *fit);
/* Solves with the penalty lambda sum (scale_j b_j)^2 (scales NULL: 1), on the intercept too if intercept_too. */
void linear_ridge(LinearFit *fit, double lambda, const double *scales, bool intercept_too);
/*
 * Drops terms that depend linearly on earlier ones and returns the number of those kept. r: a copy of the design's
 * factor, which becomes the triangle of the kept terms followed by the target. kept: [terms] receives the kept terms in
 * order.
 */
uint32_t linear_drop_dependent(LinearFit *fit, double *r, uint32_t *kept);
/* Fits one slope per term, each by itself. */
void linear_decompose(LinearFit *fit);
/* Returns the standard deviation (divisor n) of a term in the training rows. */
double linear_deviation(const LinearFit *fit, uint32_t term);
/* Returns the residual sum of squares of the current coefficients. */
double linear_residual(const LinearFit *fit);
/* Adds facts and arrays to the model and builds it. */
Model *linear_finish(LinearFit *fit, ModelBuilder *builder);
/* Facts and arrays that a method adds to those of linear_finish. */
typedef struct LinearFact {
    const char *name;
    double value; /* left out unless finite */
} LinearFact;
typedef struct LinearArray {
    const char *name;
    const double *values;
    unsigned dimensions; /* 1 (columns 1) or 2 */
    uint32_t rows, columns;
} LinearArray;
typedef struct LinearExtras {
    const LinearFact *facts;
    uint32_t fact_count;
    const LinearArray *arrays;
    uint32_t array_count;
    bool iterative; /* the model stores iterations and converged */
    bool converged;
    int64_t iterations;
} LinearExtras;
Model *linear_finish_with(LinearFit *fit, const LinearExtras *extras, ModelBuilder *builder);

/* Returns the condition number of a dense triangle whose columns are scaled to norm 1; infinite if it is singular. */
double linear_condition(Env *env, const double *factor, size_t ld, const uint32_t *columns,
                        uint32_t count);

extern const Scoring linear_scoring;
const char *linear_check(Env *env, const Model *model);
/* Returns NULL if the array "score" agrees with coef, intercept and means to the last bit; else what is wrong. */
const char *linear_accept(Env *env, const Model *model);
uint32_t linear_coefficients(Env *env, const Model *model, Coefficient **out);
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

/* Writes the name of a term of a fitted model: "carat", "cut=Ideal". */
void linear_term_name(const Model *model, uint32_t term, char *buffer, size_t size);

#endif
