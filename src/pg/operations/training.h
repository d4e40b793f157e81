/*
 * training.h - what a call of train asks for, and what comes out of it.
 */
#ifndef PGFIT_TRAINING_H
#define PGFIT_TRAINING_H

#include "pg/operations/evaluation.h"

typedef enum HoldoutKind { HOLDOUT_NONE, HOLDOUT_HASH, HOLDOUT_TIME, HOLDOUT_FOLDS } HoldoutKind;
typedef enum PromotionRule { PROMOTE_ALWAYS, PROMOTE_IF_BETTER, PROMOTE_NEVER } PromotionRule;

/* Which rows judge the model. */
typedef struct Holdout {
    HoldoutKind kind;
    Jsonb *json;     /* as it was asked for; NULL: by default */
    double fraction; /* that is held out */
    int64 seed;
    int column;        /* of the source: the key, or the time; -1: the whole row is the key */
    const char *after; /* held out are rows of a later time; NULL: the last fraction */
} Holdout;

typedef struct TrainingOptions {
    Holdout holdout;
    bool refit; /* the model that is stored is fitted to all rows */
    PromotionRule rule;
    const char *metric; /* NULL: the estimator's first */
    double margin;
    bool record_failure;
    Jsonb *fit; /* options of fit */
} TrainingOptions;

/* Reads the options of train. Those that it does not know are options of fit, beside those under "options". */
TrainingOptions training_options(Jsonb *options);
/* Reads what belongs to the source: the columns of the hold-out. The estimator's task decides whether there is one by default. */
void training_options_complete(TrainingOptions *options, const FitQuery *query);

/* Conditions of the rows that are fitted and of those that are held out; both NULL without a hold-out. */
typedef struct HoldoutConditions {
    const char *fitted, *held_out;
    const char *cut; /* of a hold-out by time: the last time that is fitted */
} HoldoutConditions;
HoldoutConditions holdout_conditions(const Holdout *holdout, const FitQuery *query);

/* The active version while another is trained. */
typedef struct ActiveVersion {
    int32 version; /* 0: none */
    Model *model;
    bool refitted; /* it was fitted to rows that the hold-out of its time had, too */
} ActiveVersion;

/* A new version. */
typedef struct Training {
    const FitQuery *query;
    const char *sql; /* the query that fitted the model */
    Model *model;
    const char *metrics, *evaluation; /* JSON */
    bool promote;
    const char *message;
} Training;

/* Fits and judges, and decides about the promotion. Needs SPI, and an active snapshot, in which it reads all rows. */
Training training_run(const TrainingOptions *options, const FitQuery *query, const ActiveVersion *active);

/* Runs work in a subtransaction. Returns NULL, or the error that ended it. Errors of the server, such as a deadlock, a full disk or cancellation, go on. */
typedef void (*GuardedWork)(void *argument);
ErrorData *run_guarded(GuardedWork work, void *argument);

#endif
