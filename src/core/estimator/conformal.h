/*
 * conformal.h - conformal scores of rows that a model was not fitted to, stored with it: limits around any prediction, sets of classes of any classifier.
 *
 * A model with the array "conformal_scores" has some of the arrays below (SECTION_ARRAYS). Estimators neither write nor read them: their check() sees the
 * model without them, and nothing but the functions below looks at them. All scores are kept, 8 bytes each, so that any level can be asked for.
 *
 *   conformal_score     I64[1]      ConformalScore
 *   conformal_scores    F64[n]      the scores, rising within each cell
 *   conformal_ends      I64[cells]  where each cell ends; cells are parts x groups x classes, the last of which varies fastest
 *   conformal_by_class  BOOL[1]     a cell has the rows of one class; else classes is 1
 *   conformal_group     TEXT[1]     the column whose values make groups (Vovk's Mondrian taxonomy); without it, groups is 1
 *   conformal_levels    TEXT[g]     its values, rising byte by byte
 *   conformal_models    U8          binary forms of other models, one after another,
 *   conformal_bytes     I64[m]      and their lengths: of a normalized score the model of the absolute residual, else those of folds, one per part
 *   conformal_floor     F64[1]      of a normalized score: the least size of a residual that it is divided by
 *
 * Split conformal prediction (Papadopoulos et al. 2002; Lei et al. 2018, "Distribution-free predictive inference for regression") takes as limits the
 * prediction and the ceil((n + 1) level)-th smallest of n scores; infinite where there is none. CV+ (Barber et al. 2021, "Predictive inference with the
 * jackknife+") takes that of the sums of the score of a row and the prediction of the model that was fitted without its fold. Sets have the classes whose
 * score is among as many: of 1 - probability (LAC; Sadinle et al. 2019), or of the sum of the probabilities above that of the class, and a random part of its
 * own (APS; Romano et al. 2020). Models inside a model have no such arrays: nested_models_add takes them out.
 */
#ifndef PGFIT_CONFORMAL_H
#define PGFIT_CONFORMAL_H

#include "core/estimator/nested_models.h"

#define CONFORMAL_PARTS 1000   /* folds */
#define CONFORMAL_GROUPS 10000
#define CONFORMAL_NO_GROUP UINT32_MAX /* a group without rows */

typedef enum ConformalScore { CONFORMAL_ABSOLUTE, CONFORMAL_NORMALIZED, CONFORMAL_LAC, CONFORMAL_APS } ConformalScore;
extern const char *const conformal_score_names[]; /* by ConformalScore */

/* The arrays of a checked model, and what they mean. */
typedef struct Conformal {
    ConformalScore score;
    bool by_class;
    bool folds;                       /* the models inside are those of folds */
    uint32_t parts, groups, classes;  /* cells; classes: 1 unless by_class */
    const double *scores;
    const int64_t *ends;
    const char *group;                /* NULL: none */
    const ModelEntry *levels;
    double floor;
    const Model *model;
} Conformal;

/* Tells whether a model has conformal scores. */
static inline bool conformal_any(const Model *model)
{
    return model_find(model, "conformal_scores") != NULL;
}
Conformal conformal_of(Env *env, const Model *model);
/* Tells whether there are models beside the scores; nested_models_read decodes them. */
static inline bool conformal_has_models(const Model *model)
{
    return model_find(model, "conformal_bytes") != NULL;
}
extern const Nesting conformal_nesting; /* any models without such scores */
/* Returns the model without these arrays: itself if it has none. */
const Model *conformal_strip(Env *env, const Model *model);
/*
 * Check these arrays in a model whose other arrays are checked: each by itself, then together, with the models inside. Return NULL, or what is wrong.
 */
const char *conformal_check_arrays(Env *env, const Model *model);
const char *conformal_check(Env *env, const Model *model, const Model *const *models, uint32_t count);
/* Returns the last of the models that a checked model keeps as parts: the stage of a pipeline that is scored. Else the model. */
const Model *conformal_scored(Env *env, const Model *model);

/* Tells whether a model gives scores: numbers of a regression, or probabilities of classes. */
bool conformal_gives_scores(Env *env, const Model *model, bool of_classes);

/* Returns the group of this value; CONFORMAL_NO_GROUP: no row had it. */
uint32_t conformal_group(const Conformal *conformal, const char *text, uint32_t length);
/* Sets the scores of a cell, and returns their number. */
uint32_t conformal_cell(const Conformal *conformal, uint32_t part, uint32_t group, uint32_t class, const double **scores);

/* Returns what residuals are divided by where a model says that their absolute value is `size`. */
static inline double conformal_scale(const Conformal *conformal, double size)
{
    return size > conformal->floor ? size : conformal->floor;
}
/* Returns ceil((n + 1) level), at least 1, which is above n where n scores say nothing about this level. */
uint64_t conformal_rank(uint64_t n, double level);
/* Returns a number in [0, 1) by a hash of a row as a model scores it: APS breaks off within the probability of a class at this part of it. */
double conformal_row_unit(const double *slots, uint32_t count);
/* Returns the score of a class: 1, as of probability 0, for UINT32_MAX. probabilities: [classes]; unit: of the row. */
double conformal_class_score(ConformalScore score, const double *probabilities, uint32_t classes, uint32_t class, double unit);
/*
 * Sets the limits at a level. centers: [parts] the predictions of the models of the folds, or the model's own; scale: what scores are multiplied by. NaN
 * where a center is.
 */
void conformal_limits(const Conformal *conformal, uint32_t group, const double *centers, double scale, double level, double *lower, double *upper);
/*
 * Tells which classes of the model are in the set at a level, in[classes]. scores: [parts x classes] of every class by each model; top: the most
 * probable class, which is always in a set of APS.
 */
void conformal_set(const Conformal *conformal, uint32_t group, const double *scores, uint32_t classes, uint32_t top, double level, bool *in);

#endif
