/*
 * linear_model.h - what all linear estimators share: solving from a design, facts, scoring, reports.
 *
 * Facts that are stored; the others follow from them and the header: linear_statistics.
 *   rss, tss        sums of squares
 *   df_model        terms that count; not whole under a penalty; missing: no such thing
 *   log_likelihood  only where weights that are not counts are part of it
 *   condition_number, penalty, objective, dropped_terms
 *
 * Arrays of a fitted linear model (t terms, k = t + 1 with an intercept, else t; S slots, L levels in the
 * model's dictionary):
 *   coef          F64[t]   a term each, 0 where dropped
 *   dropped       BOOL[t]  only where terms were dropped
 *   intercept     F64[1]   only with an intercept; what follows from "score"
 *   covariance_packed F64[k(k+1)/2] of intercept and terms (0 for dropped ones), MODEL_PACKED; only where it
 *                 means something
 *   column_slot   I64[t], column_level I64[t]   what a term is; only where terms are not the slots
 *   means         F64[t]   training means that the terms are centered at (0 without intercept); only
 *                 where terms are not the slots: else the centers in "score"
 *   score         F64[3 + 2 S + L + C]   for scoring: offset, L, C, centers of the slots, coefficients
 *                 of the slots (0 for categorical ones), coefficients of the levels, the C categorical
 *                 slots. Score = offset + sum of (x - center) coefficient, slot by slot, + levels.
 */
#ifndef PGFIT_LINEAR_MODEL_H
#define PGFIT_LINEAR_MODEL_H

#include "core/estimator/estimator.h"
#include "core/linear/linear_view.h"

/* A linear fit in the making. */
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
    double df_model;     /* terms that count, without the intercept; not whole under a penalty */
    double *covariance;  /* packed, of intercept and terms, without sigma^2 until linear_finish; or NULL */
    double condition;    /* of the equilibrated factor; NaN: not known */
} LinearFit;

/* What is in the moments, or NULL where no row is. Warns where a feature equals the target. */
LinearFit *linear_begin(Env *env, const Model *moments, const Options *options);
/* A fit of a design, which is the fit's from now on. */
LinearFit *linear_wrap(Env *env, Design *design, bool intercept);
void linear_free(LinearFit *fit);
/* The intercept that goes with the coefficients, where there is one. */
void linear_set_intercept(LinearFit *fit);
/* Norm of a column of the design (terms: the target's); 0 where only rounding errors are left of it. */
double linear_norm(const LinearFit *fit, uint32_t column);
/* Least squares; linearly dependent terms are dropped in order, with a WARNING. */
void linear_least_squares(LinearFit *fit);
/* Squared penalty lambda times (scale_j b_j)^2; scales NULL: 1. On the intercept too where asked. */
void linear_ridge(LinearFit *fit, double lambda, const double *scales, bool intercept_too);
/*
 * Drops terms that depend linearly on those before them: r, a copy of the design's factor, ends as the triangle of
 * the kept terms, and behind it the target. kept: [terms] the terms that stay, in order. Returns their number.
 */
uint32_t linear_drop_dependent(LinearFit *fit, double *r, uint32_t *kept);
/* One slope a term by itself. */
void linear_decompose(LinearFit *fit);
/* Standard deviation (divisor n) of a term in the training rows. */
double linear_deviation(const LinearFit *fit, uint32_t term);
/* Residual sum of squares of coefficients as they stand. */
double linear_residual(const LinearFit *fit);
/* Facts, arrays and the model; frees the fit. */
Model *linear_finish(LinearFit *fit, const Estimator *estimator, const FitInput *input,
                     const Options *options);
/* Facts and arrays that a method adds before linear_finish builds. */
typedef struct LinearFact {
    const char *name;
    double value; /* not finite: left out */
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
    bool iterative; /* the method says how long it took and whether it got there */
    bool converged;
    int64_t iterations;
} LinearExtras;
Model *linear_finish_with(LinearFit *fit, const Estimator *estimator, const FitInput *input,
                          const Options *options, const LinearExtras *extras);

/* Singular values' ratio of the equilibrated columns of a dense triangle; infinite where singular. */
double linear_condition(Env *env, const double *factor, size_t ld, const uint32_t *columns,
                        uint32_t count);

extern const Scoring linear_scoring;
const char *linear_check(Env *env, const Model *model);
/* Does the array "score" say what coef, intercept and means say, to the last bit? */
const char *linear_accept(Env *env, const Model *model);
uint32_t linear_coefficients(Env *env, const Model *model, Coefficient **out);
char *linear_to_sql(Env *env, const Model *model);
char *linear_summary(Env *env, const Model *model);

/* Degrees of freedom of the residuals, NaN where there is no such thing; their standard deviation. */
double linear_df_residual(const Model *model);
double linear_sigma(const Model *model);
/* As R's logLik.lm: n rows, the sum of the logarithms of their weights. */
double linear_log_likelihood(double n, double rss, double log_weight_sum);
Model *linear_statistics(Env *env, const Model *model);
/* The builder of linear_statistics before it builds, for methods with facts of their own. */
ModelBuilder *linear_statistics_begin(Env *env, const Model *model);

/* The name of a term of a fitted model: "carat", "cut=Ideal". */
void linear_term_name(const Model *model, uint32_t term, char *buffer, size_t size);

#endif
