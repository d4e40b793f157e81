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
    int64 scorable;    /* rows that it can score, of which only those count that all candidates score; -1: they are the same */
    double fraction;       /* of the rows that judged it */
    const char *condition; /* of these rows; NULL: all */
    double seconds;    /* the time of its scan, divided by the candidates that shared it */
    const char *error; /* NULL: it was judged */
    int sqlstate;
    const char *hint; /* of the error; NULL: none */
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
    const char *common;  /* condition of the rows that all candidates score; NULL: they score the same rows */
} Contest;

/* Chooses the metric that decides, of this name or the estimator's own; NULL: the usual one. Fails if it has none. */
void contest_metric(Contest *contest, const FitQuery *query, const char *name);
/* Makes the query of a candidate. Fails if its options are refused by the source. */
FitQuery *contest_query(const Contest *contest, const Candidate *candidate);
/*
 * Finds the rows that all these candidates can score, by which they are judged from then on. Call it before they are judged. Needs SPI.
 */
void contest_find_common(Contest *contest, Candidate *const *candidates, int count);
/* Returns the SELECT that judges and ranks these candidates in one scan; condition: of the rows, or NULL. */
char *contest_sql(const Contest *contest, Candidate *const *candidates, int count, const char *condition);
/* Judges the candidates on the rows that meet the condition. One that fails has its error instead of a value. Needs SPI. */
void contest_judge(const Contest *contest, Candidate *const *candidates, int count, const char *condition);
/* Sorts the candidates: those judged on more rows first, then by value, then by the rows that they can score, failures last; equal ones stay in their order. */
void contest_sort(const Contest *contest, Candidate **candidates, int count);
/* Fails with the error of the first candidate if all candidates have the same error. */
void contest_require_one(Candidate *const *candidates, int count);
/* Says so if the first candidate can score fewer rows than another: in its message, and by a NOTICE, or a WARNING if it is stored. */
void contest_note_fewer(Candidate *const *candidates, int count, bool stored);
/* Trains the candidate as the next version of a name. */
void contest_store(const Contest *contest, Candidate *candidate, const char *name);

/* Writes the rows of a result: candidates in this order. */
void contest_rows(const Contest *contest, Candidate *const *candidates, int count, Tuplestorestate *store, TupleDesc description);

#endif
