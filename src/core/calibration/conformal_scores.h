/*
 * conformal_scores.h - collects the conformal scores of held-out rows and stores them with the model (estimator/conformal.h).
 */
#ifndef PGFIT_CONFORMAL_SCORES_H
#define PGFIT_CONFORMAL_SCORES_H

#include "core/base/hash_table.h"
#include "core/estimator/conformal.h"

/* Options of the aggregate conformalize; and of option "conformal" of a fit, which also says which rows are held out. For OPTION_TABLES. */
extern const OptionSpec conformal_options[], conformal_fit_options[];

/* Decodes the models inside a checked model. Sets *count, 0 where there are none. */
const Model *const *conformal_models(Env *env, const Conformal *conformal, uint32_t *count);

/* A row that was held out. */
typedef struct ConformalRow {
    double score;
    uint32_t group, class; /* UINT32_MAX: of no class of the model */
} ConformalRow;

/* Scores as they come. All memory is of the env that is passed. */
typedef struct ConformalState {
    ConformalScore score;
    bool by_class;
    const char *group; /* NULL: none */
    ConformalRow *rows;
    uint64_t count, room;
    HashTable table; /* of the groups */
    char **levels;
    uint32_t *lengths;
    uint32_t level_room;
} ConformalState;

/*
 * Reads the options for a model, which may have scores: those of a normalized one stay normalized. Fails with ERROR_KIND for a model that predicts neither
 * numbers nor probabilities, ERROR_PARAMETER for options that do not go with it.
 */
ConformalState *conformal_begin(Env *env, const Model *model, const Options *options);
/* Adds a row. level: its group; NULL without groups. Fails with ERROR_RANGE for a score that is not finite, ERROR_LIMIT past pgfit.fit_mem. */
void conformal_add(Env *env, ConformalState *state, double score, const char *level, uint32_t length, uint32_t class);
/* Returns the model with these scores. Fails with ERROR_DATA without rows. */
Model *conformal_finish(Env *env, const ConformalState *state, const Model *model);

/*
 * Returns the model with the scores of models that were fitted without one fold each and have the scores of that fold: CV+. Fails with ERROR_PARAMETER for
 * fewer than two, and for scores of different kinds.
 */
Model *conformal_join(Env *env, const Model *model, const Model *const *folds, uint32_t count);
/*
 * Returns the model with a model of its absolute residual, and no scores yet. mean: of the absolute residuals, of which a hundredth is the least size that
 * scores are divided by; 1 where the mean is 0.
 */
Model *conformal_with_size(Env *env, const Model *model, const Model *size, double mean);
/* Says in a NOTICE if limits of a conformal model at level 0.95 are infinite, for all rows or some groups. */
void conformal_warn_of_few(Env *env, const Model *model);

#endif
