/*
 * candidates.h - candidates of a search: an estimator with options each, judged by cross_validate, many in one scan of the source.
 */
#ifndef PGFIT_CANDIDATES_H
#define PGFIT_CANDIDATES_H

#include "pg/operations/evaluation.h"

#include "utils/tuplestore.h"

typedef struct Candidate {
    const char *estimator;
    Jsonb *options;  /* of the estimator, that the candidate has for itself */
    FitQuery *query; /* NULL: the options are refused */
    double value, std_error, std_dev;
    double *folds; /* values of the metric by fold */
    int fold_count;
    int64 rows;        /* that were scored */
    double fraction;       /* of the rows that judged it */
    const char *condition; /* of these rows; NULL: all */
    double seconds;    /* the time of its scan, divided by the candidates that shared it */
    const char *error; /* NULL: it was judged */
    int sqlstate;
    const char *message; /* anything else that there is to say */
} Candidate;

/* What candidates have in common. */
typedef struct Contest {
    Source *source;
    const char *formula; /* NULL: all columns */
    Jsonb *fit;          /* options of all candidates, "weight" and "id" */
    Jsonb *folds;        /* options of cross_validate, without "metrics" and "options" */
    const char *metric;
    bool lower_is_better;
    int per_scan;
} Contest;

/* Chooses the metric that decides, of this name or the estimator's own; NULL: the usual one. Fails if it has none. */
void contest_metric(Contest *contest, const FitQuery *query, const char *name);
/* Makes the query of a candidate. Fails if its options are refused by the source. */
FitQuery *contest_query(const Contest *contest, const Candidate *candidate);
/* Returns the SELECT that judges and ranks these candidates in one scan; condition: of the rows, or NULL. */
char *contest_sql(const Contest *contest, Candidate *const *candidates, int count, const char *condition);
/* Judges the candidates on the rows that meet the condition. One that fails has its error instead of a value. Needs SPI. */
void contest_judge(const Contest *contest, Candidate *const *candidates, int count, const char *condition);
/* Sorts the candidates: those judged on more rows first, then by value, failures last; equal ones stay in their order. */
void contest_sort(const Contest *contest, Candidate **candidates, int count);
/* Fails with the error of the first candidate if all candidates have the same error. */
void contest_require_one(Candidate *const *candidates, int count);
/* Trains the candidate as the next version of a name. */
void contest_store(const Contest *contest, Candidate *candidate, const char *name);

/* Writes the rows of a result: candidates in this order. */
void contest_rows(const Contest *contest, Candidate *const *candidates, int count, Tuplestorestate *store, TupleDesc description);

#endif
