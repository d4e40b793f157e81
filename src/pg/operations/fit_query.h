/*
 * fit_query.h - the SELECT that a call of fit runs: what a user would write by hand.
 */
#ifndef PGFIT_FIT_QUERY_H
#define PGFIT_FIT_QUERY_H

#include "pg/operations/source.h"
#include "core/estimator/estimator.h"

#include "nodes/pg_list.h"
#include "utils/jsonb.h"

/* Whether the model keeps a summary of its training rows. By default train stores one and fit does not. */
typedef enum SummaryWish { SUMMARY_DEFAULT, SUMMARY_NONE, SUMMARY_KEPT } SummaryWish;

typedef struct FitQuery {
    bool features_missing; /* nothing names them, and the formula has a ~ with nothing right of it */
    const Estimator *estimator;
    Source *source;
    int target, id, weight; /* columns of the source; -1: none */
    char *arguments;        /* of the aggregate: "d.price, d, 'price ~ carat + cut'" */
    char *options;          /* JSON: those of the estimator, with the formula; "{}" without any */
    bool distributed;       /* the aggregates are those of pgfit_distributed */
    bool null_on_failure;   /* option "on_failure": "null" */
    SummaryWish summary;    /* option "summary": for drift */
    struct Passes *passes;  /* option "passes"; NULL: one query fits */
    struct ConformalFit *conformal; /* option "conformal"; NULL: no conformal scores */
    List *steps;            /* option "prepare": calls of the aggregates that prepare the rows, in order, as text; NIL: none */
    const struct FitQuery *reads; /* of the first of them, which reads the rows; NULL: there are none */
} FitQuery;

/*
 * Makes the query of a fit. formula: 'target ~ features', '~ features' or NULL for all columns. options: an object of the estimator's
 * options, "weight" and "id", names of columns, the booleans "summary" and "distributed", "prepare" and "conformal"; NULL: none. Fails for an unknown estimator, a target that is missing or not wanted,
 * and columns that are not there. Needs SPI.
 */
FitQuery *fit_query(const char *estimator, Source *source, const char *formula, Jsonb *options);
/*
 * Returns the formula of a call whose argument `at` is the formula and the next one the options, and sets the options. As in calls of aggregates, text that
 * begins with a brace is options. Without a formula, option "formula" is one if it names a target, and is taken out.
 */
char *fit_formula_argument(FunctionCallInfo fcinfo, int at, Jsonb **options);
/*
 * Leaves the columns by which options of cross_validate deal rows to folds out of the "." of a formula (NULL: all columns) and of option "formula", as
 * cross_validate does: a fit to all rows is then of the features that were evaluated.
 */
void fit_leave_out_folds(const Source *source, Jsonb *folds, const char **formula, Jsonb **options);
/* Fails: a formula has a ~ and nothing right of it, and no option names the features. */
void fit_fail_no_features(void) __attribute__((noreturn));
/* Returns the query. Fails if its formula has nothing right of its ~ and no option names the features; what asks only for the target need not call it. */
FitQuery *fit_query_with_features(FitQuery *query);
/* Fails for a key that is no option of the estimator and probably means one of these. */
void fit_require_names(const Estimator *estimator, Jsonb *options, const char *const *own, uint32 count);
/* Returns its text, without conformal scores (conformal_fit.h); of a fit by passes that of one pass, from the model $1. condition: of the rows to use, over the columns of the source; NULL: all rows. */
char *fit_query_text(const FitQuery *query, const char *condition);
/*
 * Runs it, without conformal scores, with the rights of the current user, in the active snapshot. Returns the model, in the current memory context, or NULL where the fit failed
 * and the options allow that. Fails if no row can be used.
 */
Model *fit_query_run(const FitQuery *query, const char *condition);

/* ---- fit_call.c: calls of aggregates over the rows of a fit ---- */

/*
 * Returns "schema.name([target, ]row, options[, weight])" over the rows of the source; of a distributed fit the form that splits, with the whole row
 * of the source.
 */
char *fit_call(const FitQuery *query, const char *schema, const char *name, bool target, const char *row, const char *options);
/*
 * Writes the arguments with the very types of a form of pgfit_distributed. Options are written even if there are none: a form that takes whole rows has
 * them always. target: whether the call has one. Fails without the extension.
 */
char *fit_typed_arguments(const FitQuery *query, bool target, const char *options);

/* ---- passes.c: option "passes" of fit: a fit by passes over the source, none of which keeps rows ---- */

typedef struct Passes Passes;

/*
 * Takes option "passes" out of the options. Returns NULL without it, if it is false, and for estimators of moments, whose aggregate is such
 * a pass. Fails for an estimator that cannot be fitted by passes.
 */
Passes *passes_take(const Estimator *estimator, Jsonb **options);
/* Reads the options of the estimator. Fails for those that passes cannot follow. */
void passes_read(Passes *passes, const FitQuery *query);
/* Returns the query of a pass after the first model, $1. condition: as above. */
char *passes_text(const FitQuery *query, const char *condition);
/*
 * Fits, in the active snapshot. Returns the model in the current memory context; NULL if no row can be used. Warns if the passes end
 * before the model has converged.
 */
Model *passes_run(const FitQuery *query, const char *condition);

/* ---- fold_places.c: folds of the rows of a source as SQL, for fits of several queries, which cross_validate cannot make ---- */

typedef struct FoldPlaces {
    char *place;      /* SQL of the fold of a row; where it is NULL, the row is neither fitted nor held out */
    int count;        /* folds that are held out */
    double *held_out; /* [count]; NULL: 1 .. count */
    bool expanding;   /* a fold is predicted from lower ones alone */
} FoldPlaces;

/*
 * Reads options of cross_validate that say which rows are a fold. Folds by class, by time and of a column depend on the rows, which are read here: those
 * that meet the condition; NULL: all. Fails as cross_validate does.
 */
FoldPlaces fold_places(const FitQuery *query, Jsonb *options, const char *condition);

#endif
