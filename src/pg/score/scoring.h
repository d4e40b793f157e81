/*
 * scoring.h - what every function of a model and a row needs: the call site, the row, the answer.
 */
#ifndef PGFIT_SCORING_H
#define PGFIT_SCORING_H

#include "pg/features/features.h"
#include "pg/score/scorer_cache.h"

#include "access/tupdesc.h"

/* What a call site keeps from row to row. */
typedef struct ScoringCall {
    ScorerCache *cache;
    bool constant; /* the model is a constant of the query */
    FeatureReader *reader;
    double *slots; /* the encoded row */
    uint32 slot_room;
    double *numbers; /* of abilities that write several */
    uint32 number_room;
    ValueReader *label; /* of a label argument */
    TupleDesc result;   /* of functions that return a row; see scoring_result */
    uint64 level_model; /* fingerprint of the model that `level` is of; 0: none */
    double level;
    uint32 class_entry;  /* where the last model had its classes: only a hint */
    uint64 rule_model;   /* fingerprint of the model of two classes that `positive` is of; 0: none */
    uint32 positive;
    Oid label_type; /* of a result in the type of a sample argument: its input function */
    Oid label_parameter;
    FmgrInfo label_input;
    struct Batch *batch; /* of window functions: batch_scoring.c */
    const Scorer *given; /* the row at hand is encoded in slots, for this model; NULL: read it from the arguments */
} ScoringCall;

/* The call site's, in fn_extra. */
ScoringCall *scoring_begin(FunctionCallInfo fcinfo);
static inline ScoringCall *scoring_call(FunctionCallInfo fcinfo)
{
    ScoringCall *call = fcinfo->flinfo->fn_extra;

    return likely(call != NULL) ? call : scoring_begin(fcinfo);
}

/* Argument 0 with its scorer. */
static inline const Scorer *scoring_model(FunctionCallInfo fcinfo, ScoringCall *call)
{
    if (unlikely(call->given != NULL))
        return call->given;
    return scorer_cache_get(call->cache, PG_GETARG_DATUM(0), call->constant);
}

/* Scores that batch_scoring.c gives too. */
extern PGDLLEXPORT Datum pgfit_predict(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum pgfit_classify(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum pgfit_probabilities(PG_FUNCTION_ARGS);

/* What the estimator can do; an empty list for values that cannot do anything. */
const Scoring *scoring_nothing(void);
static inline const Scoring *scoring_of(const Scorer *scorer)
{
    if (unlikely(scorer->estimator == NULL || scorer->estimator->scoring == NULL))
        return scoring_nothing();
    return scorer->estimator->scoring;
}

/* At least `need` numbers at *numbers, in the call site's memory. */
double *scoring_room(FunctionCallInfo fcinfo, double **numbers, uint32 *have, uint32 need);

/* Encodes argument 1 into call->slots; false: a NULL among the features, the score is NULL. */
static inline bool scoring_row(FunctionCallInfo fcinfo, ScoringCall *call, const Model *model)
{
    double *slots;

    if (unlikely(call->given != NULL))
        return true;
    slots = scoring_room(fcinfo, &call->slots, &call->slot_room, model->slot_count);

    return features_score(feature_reader(fcinfo, 1, &call->reader), PG_GETARG_DATUM(1), model,
                          slots) == FEATURES_OK;
}

/* The row type of the function's result, of this many columns; kept. */
TupleDesc scoring_result(FunctionCallInfo fcinfo, ScoringCall *call, int columns);

/* The model cannot do that: wrong_object_type, with what it can. */
void __attribute__((noreturn)) fail_unsupported(const Scorer *scorer, const char *function);
/* A score as the result; fails where it is not finite. */
Datum give_number(double value);
Datum give_array(const double *numbers, uint32 count);

#endif
