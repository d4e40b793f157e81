/*
 * search_options.h - what a call of search, automl or evaluate asks for.
 */
#ifndef PGFIT_SEARCH_OPTIONS_H
#define PGFIT_SEARCH_OPTIONS_H

#include "pg/operations/candidates.h"

typedef enum SearchMethod { SEARCH_GRID, SEARCH_RANDOM, SEARCH_HALVING } SearchMethod;

typedef struct SearchOptions {
    SearchMethod method;
    int draws; /* 0: the whole grid */
    int64 seed;
    double eta;         /* of halving: one candidate in eta goes on, to eta times as many rows */
    int nested;         /* outer folds; 0: none */
    const char *metric; /* NULL: the usual one */
    const char *store;  /* name of the model to train; NULL: none */
    Jsonb *metrics;     /* of evaluate: a name or a list; NULL: the usual ones */
    int per_scan;
    Jsonb *folds; /* options of cross_validate */
    Jsonb *fit;   /* options of all candidates, and "weight" */
    const char *group;
    /* of automl */
    double time_budget; /* seconds; infinite: none */
    const char *task;
    const char *features;
    Jsonb *estimators; /* a list of names; NULL: all sensible ones */
} SearchOptions;

SearchOptions search_options(Jsonb *options);
SearchOptions automl_options(Jsonb *options);
/* Those that evaluate does not take are options of the fit. */
SearchOptions evaluate_options(Jsonb *options);

#endif
