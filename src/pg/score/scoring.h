/*
 * scoring.h - what every function of a model and a row shares: the call site, reading the row, returning the result.
 */
#ifndef PGFIT_SCORING_H
#define PGFIT_SCORING_H

#include "pg/type/result_rows.h"
#include "pg/features/features.h"
#include "pg/score/scorer_cache.h"
#include "pg/score/served_models.h"

/* Readers of a call site for the models inside another one, and room for their rows and numbers; starts as zeros. */
typedef struct InsideReaders {
    FeatureReader **readers; /* [count] */
    uint32 count;
    SiteBuffer slots, numbers;
} InsideReaders;

/* State of a call site. */
typedef struct ScoringCall {
    const Scorer *scorer; /* of this row; see scoring_open */
    const Scoring *scoring;
    ScorerCache *cache;
    ServedSite *served; /* the model is given by its name; NULL: as a value */
    bool constant; /* the model is a constant of the query */
    FeatureReader *reader;
    PGFunction score; /* of a row that is passed by its columns: column_scoring.c; NULL: it is passed as a value */
    double *slots; /* the encoded row */
    double offset; /* of this row: the sum of the offsets of the model's formula, to be added to predictions */
    SiteBuffer slot_buffer, number_buffer;
    ValueReader *label; /* reads a label argument */
    TupleDesc result;   /* of functions that return a row; see scoring_result */
    uint32 class_entry; /* directory entry of the last model's classes: only a hint */
    uint64 known;       /* identity of the model to which the facts that the function keeps belong, those that follow; 0: none */
    double level;
    uint32 positive; /* of two classes */
    bool class_weights;
    SpecialColumn special; /* of times: what the options of the fit name, without clusters */
    struct OutputKeys *output_keys;      /* of transform_row: pipelines.c */
    const struct DesignColumns *columns; /* of design() */
    MemoryContext facts;                 /* memory of keys and columns */
    ResultType result_type; /* of a result in the type of an argument */
    InsideReaders inside; /* of limits and sets by conformal scores */
    struct Batch *batch; /* of window functions: batch_scoring.c */
    const Scorer *given; /* slots already hold the current row, for this model; NULL: read it from the arguments */
} ScoringCall;

/* Makes the state of a call site, in fn_extra. */
ScoringCall *scoring_begin(FunctionCallInfo fcinfo);
static inline ScoringCall *scoring_call(FunctionCallInfo fcinfo)
{
    ScoringCall *call = fcinfo->flinfo->fn_extra;

    return likely(call != NULL) ? call : scoring_begin(fcinfo);
}

/* Scores that batch_scoring.c, column_scoring.c, pictures.c and plots.c offer too. */
extern PGDLLEXPORT Datum pgfit_predict(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum pgfit_predict_interval(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum pgfit_probability(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum pgfit_cluster(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum pgfit_distance(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum pgfit_probabilities(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum pgfit_decision(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum pgfit_decisions(PG_FUNCTION_ARGS);

/* Returns a Scoring without any function. */
const Scoring *scoring_nothing(void);
/* Returns the scoring functions of the estimator, all NULL where it has none. */
static inline const Scoring *scoring_of(const Scorer *scorer)
{
    if (unlikely(scorer->estimator == NULL || scorer->estimator->scoring == NULL))
        return scoring_nothing();
    return scorer->estimator->scoring;
}

/* Returns room for the numbers of a score. */
static inline double *scoring_numbers(FunctionCallInfo fcinfo, ScoringCall *call, uint32 count)
{
    return site_buffer(fcinfo, &call->number_buffer, (Size)count * sizeof(double));
}

/* Returns the call site, with the scorer and the scoring functions of the model in argument 0, a value or a name. */
static inline ScoringCall *scoring_open(FunctionCallInfo fcinfo)
{
    ScoringCall *call = scoring_call(fcinfo);

    call->scorer = call->given;
    if (likely(call->scorer == NULL))
        call->scorer = call->served == NULL ? scorer_cache_get(call->cache, PG_GETARG_DATUM(0), call->constant)
                                            : served_scorer(call->served, PG_GETARG_DATUM(0), call->constant);
    call->scoring = scoring_of(call->scorer);
    return call;
}

/*
 * Encodes a row for a model: by its schema, or by that of the inputs of its formula, whose terms are then computed. offset: receives what
 * offset(...) adds to a prediction, else 0.
 */
FeatureResult scorer_read(const Scorer *scorer, FeatureReader *reader, Datum datum, double *slots, double *offset);

/* Returns memory for facts that a call site keeps of its model, emptied of those of the model before. */
MemoryContext scoring_facts(FunctionCallInfo fcinfo, ScoringCall *call);

/* Encodes argument 1 into call->slots; returns false if a feature is NULL: the score is NULL. */
static inline bool scoring_row(FunctionCallInfo fcinfo, ScoringCall *call)
{
    const Model *model = call->scorer->model;

    if (unlikely(call->given != NULL))
        return true;
    call->slots = site_buffer(fcinfo, &call->slot_buffer, (Size)model->slot_count * sizeof(double));
    return scorer_read(call->scorer, feature_reader(fcinfo, 1, &call->reader), PG_GETARG_DATUM(1), call->slots, &call->offset) ==
           FEATURES_OK;
}

/* Returns the class of the model that an argument names; fails if it has none such. */
uint32 scoring_class(FunctionCallInfo fcinfo, ScoringCall *call, int argument);
/* Returns the row type of the function's result, which must have this many columns; kept in call. */
TupleDesc scoring_result(FunctionCallInfo fcinfo, ScoringCall *call, int columns);

/*
 * Returns the checked models of argument `argument`, an array, after `first` (NULL: none), and their number. Fails with ERROR_PARAMETER,
 * "<what> 2<of> is null", if one is NULL.
 */
const Model **model_array(FunctionCallInfo fcinfo, int argument, const Model *first, const char *what, const char *of, const char *hint,
                          uint32_t *number);

/* Fails with wrong_object_type: the model does not support the function; the hint says what it supports. */
void __attribute__((noreturn)) fail_unsupported(const Scorer *scorer, const char *function);
/* Fails with wrong_object_type: the model has no conformal scores; the hint says how to get them. */
void __attribute__((noreturn)) fail_no_conformal(const Scorer *scorer, const char *function);
/* Returns a level between 0 and 1, which an argument gives; NULL: that of the fit. */
double scoring_level(FunctionCallInfo fcinfo, ScoringCall *call, int argument);
/* Returns a score; fails if it is not finite. */
Datum give_number(double value);
/* Returns the row (fit, lower, upper) of the call's result, in which limits that are NaN are NULL; interval: NULL: all are. */
Datum give_interval(const ScoringCall *call, const PredictionInterval *interval);
/* Returns numbers as float8[]; fails if one is not finite. */
Datum give_array(const double *numbers, uint32 count);

typedef double (*RowScore)(const Model *model, const void *prepared, const double *slots);

/* Reads the row and returns its score, which is NULL if a feature is NULL or the model gives no score to this row. */
Datum give_score(FunctionCallInfo fcinfo, ScoringCall *call, RowScore score);
/* Returns the label of the class of the row in argument 1, as text or in the type that the call site has found. */
Datum give_label(FunctionCallInfo fcinfo);

#endif
