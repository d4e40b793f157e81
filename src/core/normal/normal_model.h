/*
 * normal_model.h - what the classifiers with normal densities share: naive_bayes, lda, qda.
 *
 * A class has a prior and a normal density; the joint logarithm of a row and a class is
 *     log prior - (|z|^2 + log |2 pi Sigma|) / 2,    where z is the whitened difference from the mean of the class.
 *
 * Arrays of a fitted model (q classes in final order, t terms, L levels in the model's dictionary):
 *   means   F64[q x t]      priors F64[q]      counts F64[q]  weight of the rows of each class
 *   column_slot, column_level I64[t]   slot and level of each term; only if terms are not the slots
 *   class_rule              see class_options.h; a rule other than prior times density is stored as in classifier_output.h
 * naive_bayes: terms are the numeric slots
 *   variances F64[q or 1 x t or 1]    shared as option "variance" says
 *   level_probabilities F64[q x L]    only with categorical features
 * lda:
 *   covariance_packed F64[t(t+1)/2]   of a class, MODEL_PACKED
 *   whitening F64[r x t]              only if the covariance is singular: z = whitening (x - mean)
 *   scalings F64[t x d], eigenvalues F64[d]   the projection: columns of unit variance within classes
 * qda:
 *   covariances_packed F64[q x t(t+1)/2]      upper triangles by columns
 *   whitening_rows I64[q], whitening F64[r x t]   only if a covariance is singular: the rows of whitening of each class,
 *                                                 one after another; 0 where the covariance has a Cholesky factor
 */
#ifndef PGFIT_NORMAL_MODEL_H
#define PGFIT_NORMAL_MODEL_H

#include "core/estimator/class_options.h"
#include "core/estimator/estimator.h"
#include "core/normal/covariance_shrinkage.h"
#include "core/moments/model_terms.h"

typedef enum NormalKind {
    NORMAL_DIAGONAL = 1, /* naive_bayes: variances */
    NORMAL_POOLED,       /* lda: one covariance for all classes */
    NORMAL_OWN           /* qda: one covariance per class */
} NormalKind;

/* Returns which covariances a model has, by the name of its estimator. */
NormalKind normal_kind(const Model *model);

/* ---- fits ---- */

/* Tables for OPTION_TABLES: rule and too_few_rows; ddof, shrinkage and shrinkage_target; singular. */
extern const OptionSpec options_normal[], options_normal_covariance[], option_singular[];

/* What the fits of all three share. */
typedef struct NormalFit {
    Env *env;
    const Estimator *estimator;
    const FitInput *input;
    const Options *options;
    ClassSet classes;
    ScatterDesign *design;
    double rows, weight;  /* of all classes */
    double *priors;       /* [classes] */
    double *rule_weights; /* [classes] factors of the probabilities when a class is picked; NULL: all 1 */
    double class_rule[3]; /* as class_rule_add stores it */
} NormalFit;

/*
 * Reads classes, terms, priors and rule. Fails with ERROR_DATA if there is only one class or a class has no rows, and as
 * class_priors does. If normal_allows_null, it returns false instead for one class, or if an option names a class without rows.
 */
bool normal_begin(NormalFit *fit, Env *env, const Estimator *estimator, const FitInput *input,
                  const Options *options, TermCoding coding);
/*
 * Adds the arrays that all three models have. terms: [term_count] the positions in the design of the model's terms, in order;
 * NULL: all.
 */
void normal_add(NormalFit *fit, const uint32_t *terms, uint32_t term_count, ModelBuilder *builder);
/* Tells whether too few rows give NULL instead of an error: in a window's frame, and by option too_few_rows. */
bool normal_allows_null(const NormalFit *fit);
/* Return a label (shortened), a number of rows and a term as text for messages, in memory of the env. */
char *normal_class_name(const NormalFit *fit, uint32_t class);
char *normal_rows_text(const NormalFit *fit, double rows); /* "1 row", "7 rows" */
char *normal_term_name(const NormalFit *fit, uint32_t term);
/* Returns the sum of the scatters of all classes, packed. */
/* Sets the variance of a term in a packed covariance, and its covariances with all other terms, to 0. */
void normal_clear_term(double *packed, uint32_t terms, uint32_t term);
/* Returns the divisor of the scatter of `rows` rows of this weight, less `lost` degrees of freedom. */
double normal_divisor(double rows, double weight, double lost);
/*
 * Shrinks a packed covariance, estimated from this many rows, as option "shrinkage" says. Returns the share of the target.
 * class: the class whose fourth moments give the share (ledoit_wolf and auto only).
 */
double normal_shrink(const NormalFit *fit, double *packed, uint32_t terms, double rows, uint32_t class);
/* Tells whether option "shrinkage" estimates the share from the fourth moments of each class. */
bool normal_by_fourth_moments(const NormalFit *fit);
/* Tells whether a variance about this mean is 0 or nothing but rounding. */
bool normal_vanishes(double variance, double mean);
/*
 * Returns rows W [rank x terms] with W Sigma W' = I that span the directions in which a packed covariance Sigma has
 * variance: W'W is a generalized inverse of Sigma. rank may be 0.
 */
double *normal_pseudo_whitening(Env *env, const double *packed, uint32_t terms, uint32_t *rank);
/*
 * Returns the sum of the logarithms of the nonzero eigenvalues of a packed covariance, from the rows of normal_pseudo_whitening;
 * NaN if the rows do not belong to such a covariance.
 */
double normal_pseudo_determinant(Env *env, const double *packed, const double *whitening, uint32_t rank, uint32_t terms);

/* ---- models ---- */

/* The arrays of a checked model; NULL and 0 if it does not have them. */
typedef struct NormalArrays {
    Terms terms;
    uint32_t classes, levels, directions;
    const double *means, *priors, *counts, *class_rule;
    const double *variances, *level_probabilities;
    uint32_t variance_rows, variance_columns;
    const double *covariances; /* packed: one, or one per class */
    const double *whitening;   /* [rank x terms] */
    uint32_t rank;
    const int64_t *whitening_rows; /* [classes] */
    const double *scalings, *eigenvalues;
} NormalArrays;

extern const ArrayTable naive_bayes_array_tables[], lda_array_tables[], qda_array_tables[];
NormalArrays normal_arrays(const Model *model);

extern const Sampling naive_bayes_sampling, normal_sampling; /* the latter of lda and qda */
extern const Scoring normal_scoring, normal_projecting_scoring; /* the latter with transform */
const char *normal_check(Env *env, const Model *model);
const char *normal_accept(Env *env, const Model *model); /* checks that all covariances are positive definite */
char *normal_summary(Env *env, const Model *model);
Model *normal_statistics(Env *env, const Model *model);
uint32_t normal_coefficients(Env *env, const Model *model, Coefficient **out); /* lda */
char *normal_to_sql(Env *env, const Model *model);

/* A model prepared for scoring, which must outlive this. Its scratch changes from row to row. */
typedef struct NormalScorer {
    NormalKind kind;
    uint32_t classes, terms, rank, levels, categories, directions;
    Terms map;              /* slots and levels of the terms */
    uint32_t *category;     /* [categories] categorical slots (naive_bayes) */
    const double *means;    /* [classes x terms] */
    double *log_priors;     /* [classes] */
    double *constant;       /* [classes] log prior - log |2 pi Sigma| / 2 */
    double *log_determinant; /* [classes] of Sigma */
    double *inverse;        /* naive_bayes: 1 / standard deviation, [classes x terms] */
    double *log_level;      /* naive_bayes: [classes x levels] */
    double *triangle;       /* lda, qda: Cholesky factors by columns, of one or of all classes */
    double *inverse_blocks; /* qda of few terms: inverses of the Cholesky factors in blocks of four rows; else NULL */
    size_t inverse_block_numbers; /* numbers of inverse_blocks per class */
    const double *whitening; /* lda with a singular covariance: [rank x terms]; qda with singular ones: the rows of all classes */
    uint32_t *class_rank;   /* qda: [classes] rank of each covariance; else NULL: rank */
    const double **class_whitening; /* qda with a singular covariance: [classes] into whitening; NULL: by triangle */
    double *center;         /* lda: [terms] */
    double *white_means;    /* lda: [classes x rank] whitened differences of the means from the center */
    double *coef, *offset;  /* lda: [classes x terms], [classes]: offset + coef (x - center) */
    const double *scalings; /* lda: [terms x directions] */
    double *x, *z, *difference, *joint; /* scratch: [terms], [terms], [terms], [classes] */
    ClassRule rule;         /* the positive class, if there are two */
} NormalScorer;
/* Writes Sigma^-1 x, [terms], by the covariance of a class of an lda or qda. */
void normal_solve(const NormalScorer *scorer, uint32_t class, const double *x, double *out);
/* Tells whether all covariances are positive definite; those of a model typed in by hand may not be. */
bool normal_is_definite(const NormalScorer *scorer);
/* Prepares a checked model for scoring. */
NormalScorer *normal_prepare(Env *env, const Model *model);
#endif
