/*
 * ensemble.h - models made of fitted models of one task, whose scores are averaged or vote.
 *
 * A member is kept in its binary form, which is the same on every machine; scoring decodes all members once per query. The
 * features of an ensemble are those of all members, matched by name where they have names, else by position; its levels are
 * those of all members. A row is translated for each member: columns, levels, NULLs, the terms that its formula learned, the stages of
 * a pipeline.
 *
 *   members       U8      binary forms, one after another
 *   member_bytes  I64[m]  their lengths
 *   weights       F64[m]  of the members
 *   vote          BOOL[1] classifiers: members vote; else probabilities are averaged
 */
#ifndef PGFIT_ENSEMBLE_H
#define PGFIT_ENSEMBLE_H

#include "core/estimator/nested_models.h"
#include "core/formula/formula_model.h"
#include "core/prepare/pipeline.h"

#define ENSEMBLE_MOST 1000 /* members */

/* How an ensemble keeps its members: no ensembles, nor pipelines that end with one. */
extern const Nesting ensemble_nesting;
/* Options of pgfit.ensemble, for OPTION_TABLES. */
extern const OptionSpec ensemble_options[];
/*
 * Returns the ensemble of checked models. json: options. Fails with ERROR_KIND if they are not fitted predictors of one task,
 * ERROR_PARAMETER if features of one name or the classes differ.
 */
Model *ensemble_build(Env *env, const Model *const *models, uint32_t count, const char *json, size_t length);

/* A member, decoded. */
typedef struct EnsembleMember {
    const Model *model; /* that is scored: of a pipeline the last stage */
    const Estimator *estimator;
    const void *prepared; /* set by ensemble_prepare_members */
    double weight;
    const Model *whole;    /* the member itself */
    const Model *reads;    /* the schema by which it reads a row: ensemble_reads */
    FormulaModel *formula; /* makes terms of that row; NULL: none were learned */
    Pipeline *pipeline;    /* takes the terms to `model`; NULL: none */
    uint32_t *field;    /* [fields of reads] which field of the ensemble it is */
    uint32_t *slot;     /* [slots of reads] where the ensemble's row has each number */
    int32_t *level;     /* [levels of the ensemble] position in the member; -1: it does not know the level */
    int32_t *null_level; /* [slots of reads] position of the NULL level; -1: there is none */
    const double *impute; /* [slots of reads] or NULL */
    bool *category;     /* [slots of reads] */
    double *input;      /* [slots of reads] the row as it is read */
    double *row;        /* [slots of model] and as it is scored: the same if neither formula nor pipeline comes between */
    double *offset;     /* of the formula: to be added to a prediction */
} EnsembleMember;

typedef struct EnsembleView {
    Env *env;
    uint32_t count, classes;
    bool vote;
    EnsembleMember *members;
    double *shares; /* [classes] scratch */
    double *room;   /* [classes] scratch */
} EnsembleView;

/* Opens a model whose declared arrays are checked, checking the members. Returns NULL, or what is wrong. */
const char *ensemble_open(Env *env, const Model *model, EnsembleView *view);
/* Makes the members ready for rows. No part of the check: what a member prepares may be a function of the host, and reading a value calls none. */
void ensemble_prepare_members(Env *env, EnsembleView *view);
/*
 * Writes a row as a member sees it, to member->row. Returns false if it has a NULL that the member has no answer to. Fails with
 * ERROR_RANGE if a term of its formula overflows.
 */
bool ensemble_translate(Env *env, const EnsembleMember *member, const double *slots);
/* Returns what a member predicts for the row that was translated. */
double ensemble_member_predict(const EnsembleMember *member);
/*
 * Explain and write ensembles: both are weighted sums over the members. Fail with ERROR_KIND if a member cannot be explained or
 * written, or if its contributions do not add up to its prediction or probabilities, but to a function of them. Votes are written,
 * not explained.
 */
uint32_t ensemble_explain(Env *env, const Model *model, const void *prepared, const double *slots, Explanation **out);
char *ensemble_to_sql(Env *env, const Model *model);
char *ensemble_summary(Env *env, const Model *model);

#endif
