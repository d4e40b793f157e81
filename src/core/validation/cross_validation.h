/*
 * cross_validation.h - fits any estimator to all folds of its rows but one and scores that one, for every fold, and for several candidates
 * of its options if there are any.
 *
 * The caller drops the memory of each step's fits: it calls cross_validation_run in memory of its own, once per step.
 */
#ifndef PGFIT_CROSS_VALIDATION_H
#define PGFIT_CROSS_VALIDATION_H

#include "core/base/shared_work.h"
#include "core/validation/fold_metrics.h"
#include "core/validation/fold_part.h"

/* The options of cross_validate: those that say how to judge, with the estimator's own under "options". */
extern const OptionSpec *const cross_validate_options[];

/* The options of a call, and what the rows are read by. */
typedef struct ValidationOptions {
    Options *judging;   /* of cross_validate */
    Options *estimator; /* under "options" */
    Options **candidates; /* [candidate_count] of the estimator; without option "candidates" only those under "options" */
    uint32_t candidate_count;
    /*
     * The estimator's options and the column that decides about folds, for the reader of rows; as JSON with all that the call
     * asked for under "cross_validate", for the schema of the rows.
     */
    Options *reader;
    const char *json;
    uint32_t json_length;
} ValidationOptions;

/*
 * Parses the options of a call. Fails with ERROR_PARAMETER for what the estimator or cross_validate does not take, and with
 * ERROR_KIND for an estimator that has no scores.
 */
ValidationOptions validation_options(Env *env, const Estimator *estimator, const char *json, size_t length);
/* Returns the options of a call from the schema of its rows. */
ValidationOptions validation_options_of(Env *env, const Estimator *estimator, const Model *schema);
/*
 * Tells whether candidates may differ in an option of the estimator: a number that the fit alone reads, so that they share rows, and
 * moments, that were read and summed once.
 */
bool validation_varies(const Estimator *estimator, const char *name);
/* Returns the estimator of this name. Fails with ERROR_PARAMETER if there is none to judge, naming one that is near. */
const Estimator *validation_estimator(Env *env, const char *name, size_t length);

typedef struct CrossValidation CrossValidation;
/*
 * Assigns rows to folds. rows: without ROWS_MISSING, their NULLs are NaN; ids as row_folds.h says. Fails if they cannot be
 * assigned.
 */
CrossValidation *cross_validation_open(Env *env, Rows *rows, const Estimator *estimator, const ValidationOptions *options);
/* Returns the number of steps: of candidates that are fitted from moments one per fold, else one per candidate and fold. */
uint32_t cross_validation_steps(const CrossValidation *validation);
/* Fits all folds but that of a step, 0 .. steps - 1, and scores that one. Errors and warnings name the fold. */
void cross_validation_run(Env *env, CrossValidation *validation, uint32_t step);

/* Runs all steps, in several processes if they pay. estimator, rows: those of cross_validation_open, with the options in the schema of the rows. */
void cross_validation_all(Env *env, CrossValidation *validation);
extern const SharedKind validation_steps_kind;

/* Gives back the rows that a fold held when it failed. Its memory must still be there. */
void cross_validation_abandon(CrossValidation *validation);

/* A row of the result. */
typedef struct FoldScore {
    const char *metric;
    double fold;      /* its label; NaN: all folds */
    double value;     /* of the fold, or the mean over folds; NaN: undefined */
    double std_error; /* of the mean; NaN in the row of a fold */
    uint64_t rows;    /* that were scored */
} FoldScore;
/* Returns the scores of all folds, candidate by candidate and metric by metric, after each metric the mean over the folds. */
FoldScore *cross_validation_scores(Env *env, const CrossValidation *validation, uint32_t *count);

#endif
