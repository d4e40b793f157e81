/*
 * scoring.c - functions of a model and a row. Each looks up its scoring function in the estimator; where there is none,
 * the error names the estimator and the functions that it supports.
 */
#include "pg/score/scoring.h"
#include "core/estimator/classifier_output.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/lsyscache.h"

ScoringCall *scoring_begin(FunctionCallInfo fcinfo)
{
    FmgrInfo *info = fcinfo->flinfo;
    ScoringCall *call = MemoryContextAllocZero(info->fn_mcxt, sizeof(ScoringCall));

    /* Only a Const counts: a PL/pgSQL variable is a stable parameter, yet changes from call to call. */
    if (info->fn_expr != NULL && IsA(info->fn_expr, FuncExpr))
        call->constant = IsA(linitial(((FuncExpr *)info->fn_expr)->args), Const);
    if (get_fn_expr_argtype(info, 0) == TEXTOID)
        call->served = served_site(info->fn_mcxt);
    else
        call->cache = scorer_cache_create(info->fn_mcxt);
    info->fn_extra = call;
    return call;
}

FeatureResult scorer_read(const Scorer *scorer, FeatureReader *reader, Datum datum, double *slots, double *offset)
{
    const FormulaModel *formula = scorer->formula;
    const Model *model = scorer->model;

    *offset = 0;
    if (unlikely(scorer->pipeline != NULL)) {
        Scorer first = {.model = scorer->pipeline->stages[0].model, .formula = formula};

        if (scorer_read(&first, reader, datum, scorer->pipeline->stages[0].row, offset) != FEATURES_OK)
            return FEATURES_NULL;
        return pipeline_run(host_env(), scorer->pipeline, scorer->pipeline->stages[0].row, slots) ? FEATURES_OK : FEATURES_NULL;
    }
    if (likely(formula == NULL))
        return features_score(reader, datum, model, slots);
    if (features_score(reader, datum, formula->inputs, formula->row) != FEATURES_OK)
        return FEATURES_NULL;
    scorer_expand(host_env(), scorer, slots, offset);
    return FEATURES_OK;
}

/* ---- models without the function ---- */

/* SQL functions, by the function of Scoring that they call. */
typedef struct ScoreFunction {
    const char *names;
    size_t offset; /* of the function in Scoring */
} ScoreFunction;

static const ScoreFunction score_functions[] = {
    {"predict", offsetof(Scoring, predict)},
    {"predict_interval", offsetof(Scoring, interval)},
    {"classify", offsetof(Scoring, classify)},
    {"probability, probabilities", offsetof(Scoring, probabilities)},
    {"decision, decisions", offsetof(Scoring, decisions)},
    {"cluster", offsetof(Scoring, cluster)},
    {"probabilities", offsetof(Scoring, memberships)},
    {"distance", offsetof(Scoring, distance)},
    {"distances", offsetof(Scoring, distances)},
    {"transform", offsetof(Scoring, transform)},
    {"inverse_transform", offsetof(Scoring, inverse)},
    {"tail_probability", offsetof(Scoring, tail)},
    {"survival, survival_interval", offsetof(Scoring, survival)},
    {"explain", offsetof(Scoring, explain)},
    {"nearest", offsetof(Scoring, ahead)}, /* only models of neighbors look ahead */
};

static bool is_supported(const Estimator *estimator, const Model *model, const ScoreFunction *score)
{
    const Scoring *scoring = estimator->scoring;
    void (*function)(void);

    if (scoring == NULL)
        return false;
    if (score->offset == offsetof(Scoring, distance) && scoring->has_distance != NULL && !scoring->has_distance(model))
        return false;
    if (score->offset == offsetof(Scoring, explain) && scoring->has_explain != NULL && !scoring->has_explain(model))
        return false;
    memcpy(&function, (const char *)scoring + score->offset, sizeof(function));
    return function != NULL;
}

/* Returns "Such a model supports predict, ...": the functions that apply to this model. */
static char *function_hint(const Estimator *estimator, const Model *model)
{
    StringInfoData hint;
    bool some = false;

    initStringInfo(&hint);
    for (size_t i = 0; i < lengthof(score_functions); i++) {
        if (!is_supported(estimator, model, &score_functions[i]))
            continue;
        appendStringInfoString(&hint, some ? ", " : "Such a model supports ");
        appendStringInfoString(&hint, score_functions[i].names);
        some = true;
    }
    if (!some)
        appendStringInfoString(
            &hint, "Such a model only describes its rows; read it with summary, info or parameter");
    appendStringInfoChar(&hint, '.');
    return hint.data;
}

/* Returns "Fit a model from them first with pgfit.fit(estimator, moments): linear_regression, ...". */
static char *moments_hint(const Model *model)
{
    StringInfoData hint;

    initStringInfo(&hint);
    for (const Estimator *const *e = estimators; *e != NULL; e++) {
        if (!estimator_takes(*e, (InputKind)model->kind))
            continue;
        appendStringInfoString(&hint, hint.len == 0 ? "Fit a model from them first with pgfit.fit(estimator, moments): " : ", ");
        appendStringInfoString(&hint, (*e)->name);
    }
    if (hint.len == 0)
        return "Fit a model first.";
    appendStringInfoChar(&hint, '.');
    return hint.data;
}

void fail_unsupported(const Scorer *scorer, const char *function)
{
    const Model *model = scorer->model;

    if (model->kind != MODEL_FITTED)
        ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
                        errmsg("%s needs a fitted model, not %s", function,
                               input_kind_name((InputKind)model->kind)),
                        errhint("%s", moments_hint(model))));
    if (scorer->estimator == NULL)
        ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
                        errmsg("this pgfit has no estimator \"%s\"", model->estimator),
                        errhint("Update pgfit to the version that made the model.")));
    ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
                    errmsg("%s does not apply to a model of %s", function, scorer->estimator->name),
                    errhint("%s", function_hint(scorer->estimator, model))));
}

void fail_no_conformal(const Scorer *scorer, const char *function)
{
    ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE), errmsg("%s needs conformal scores, and this model of %s has none", function, scorer->estimator->name),
                    errhint("Fit it with {\"conformal\": true}, or give it those of rows that it was not fitted to: pgfit.conformalize(model, target, features).")));
}

/* ---- models with the function ---- */

const Scoring *scoring_nothing(void)
{
    static const Scoring nothing;

    return &nothing;
}

Datum give_number(double value)
{
    if (unlikely(!isfinite(value)))
        ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                        errmsg("the score is out of range of double precision")));
    return Float8GetDatum(value);
}

Datum give_interval(const ScoringCall *call, const PredictionInterval *interval)
{
    Datum values[3] = {0};
    bool nulls[3] = {true, true, true};

    if (interval != NULL) {
        values[0] = give_number(interval->fit);
        values[1] = Float8GetDatum(interval->lower);
        values[2] = Float8GetDatum(interval->upper);
        nulls[0] = false;
        nulls[1] = isnan(interval->lower);
        nulls[2] = isnan(interval->upper);
    }
    return HeapTupleGetDatum(heap_form_tuple(call->result, values, nulls));
}

Datum give_array(const double *numbers, uint32 count)
{
    double *out;
    Datum array = float8_array(count, 0, &out);

    for (uint32 i = 0; i < count; i++) {
        give_number(numbers[i]);
        out[i] = numbers[i];
    }
    return array;
}

TupleDesc scoring_result(FunctionCallInfo fcinfo, ScoringCall *call, int columns)
{
    MemoryContext before;
    TupleDesc result;

    if (call->result != NULL)
        return call->result;
    if (get_call_result_type(fcinfo, NULL, &result) != TYPEFUNC_COMPOSITE || result->natts != columns)
        elog(ERROR, "a function of pgfit has a wrong declaration");
    before = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
    call->result = BlessTupleDesc(CreateTupleDescCopy(result));
    MemoryContextSwitchTo(before);
    return call->result;
}

/* ---- numbers ---- */

/* Does this number say that the model has no score for the row? */
static inline bool no_score(const Scoring *scoring, double score)
{
    return unlikely(isnan(score)) && scoring->partial;
}

Datum give_score(FunctionCallInfo fcinfo, ScoringCall *call, RowScore score)
{
    double value;

    if (!scoring_row(fcinfo, call))
        PG_RETURN_NULL();
    value = score(call->scorer->model, call->scorer->prepared, call->slots);
    if (no_score(call->scoring, value))
        PG_RETURN_NULL();
    return give_number(value);
}

/* Returns the class of the row in call->slots by the model's own decision rule; CLASS_NONE: it has none. */
static uint32 classify_slots(FunctionCallInfo fcinfo, ScoringCall *call)
{
    const Model *model = call->scorer->model;
    double *numbers = NULL;

    if (unlikely(classifier_output_any(model)))
        numbers = scoring_numbers(fcinfo, call, dictionary_size(model, DICTIONARY_CLASSES));
    return classifier_output_classify(call->scoring, model, call->scorer->prepared, call->slots, call->offset, numbers);
}

/* Predicts with a model of classes or clusters. */
static Datum predict_position(FunctionCallInfo fcinfo, ScoringCall *call)
{
    const Scoring *scoring = call->scoring;
    const Model *model = call->scorer->model;
    uint32 position;

    if (!scoring_row(fcinfo, call))
        PG_RETURN_NULL();
    position = scoring->classify == NULL ? scoring->cluster(model, call->scorer->prepared, call->slots)
                                         : classify_slots(fcinfo, call);
    if (position == CLASS_NONE)
        PG_RETURN_NULL();
    PG_RETURN_FLOAT8(scoring->classify == NULL ? 1.0 + position : dictionary_key(model, DICTIONARY_CLASSES, position));
}

PG_FUNCTION_INFO_V1(pgfit_predict);
PGDLLEXPORT Datum pgfit_predict(PG_FUNCTION_ARGS)
{
    ScoringCall *call = scoring_open(fcinfo);
    const Scoring *scoring = call->scoring;

    if (likely(scoring->predict != NULL)) {
        double value;

        if (!scoring_row(fcinfo, call))
            PG_RETURN_NULL();
        value = scoring_predict(scoring, call->scorer->model, call->scorer->prepared, call->slots, call->offset);
        if (no_score(scoring, value))
            PG_RETURN_NULL();
        return give_number(value);
    }
    if (scoring->cluster == NULL) {
        if (scoring->classify == NULL)
            fail_unsupported(call->scorer, "predict");
        if (scoring->labels != NULL || !class_keys_are_values(call->scorer->model))
            ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
                            errmsg("predict needs classes that are numbers or booleans"),
                            errhint("Use classify.")));
    }
    return predict_position(fcinfo, call);
}

MemoryContext scoring_facts(FunctionCallInfo fcinfo, ScoringCall *call)
{
    call->known = 0;
    if (call->facts == NULL)
        call->facts = AllocSetContextCreate(fcinfo->flinfo->fn_mcxt, "pgfit facts of a model", ALLOCSET_SMALL_SIZES);
    MemoryContextReset(call->facts);
    return call->facts;
}

/* Returns the confidence level with which a model was fitted. */
static double model_level(ScoringCall *call)
{
    if (call->known != scorer_identity(call->scorer)) {
        call->level = estimator_level(host_env(), call->scorer->estimator, call->scorer->model);
        call->known = scorer_identity(call->scorer);
    }
    return call->level;
}

double scoring_level(FunctionCallInfo fcinfo, ScoringCall *call, int argument)
{
    double level = PG_ARGISNULL(argument) ? model_level(call) : PG_GETARG_FLOAT8(argument);

    if (!(level > 0.0 && level < 1.0))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("level must be between 0 and 1, not %g", level),
                        errhint("0.95 asks for a 95 %% interval.")));
    return level;
}

PG_FUNCTION_INFO_V1(pgfit_distance);
PGDLLEXPORT Datum pgfit_distance(PG_FUNCTION_ARGS)
{
    ScoringCall *call = scoring_open(fcinfo);
    const Scoring *scoring = call->scoring;

    if (scoring->distance == NULL)
        fail_unsupported(call->scorer, "distance");
    if (scoring->has_distance != NULL && scoring->transform != NULL && !scoring->has_distance(call->scorer->model))
        ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
                        errmsg("distance does not apply to this model of %s, which does not keep all rows",
                               call->scorer->estimator->name),
                        errhint("Fit it with \"approximation\": \"none\".")));
    if (scoring->has_distance != NULL && !scoring->has_distance(call->scorer->model))
        ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
                        errmsg("distance does not apply to this model of %s, which has no single boundary",
                               call->scorer->estimator->name),
                        errhint("Use decision.")));
    return give_score(fcinfo, call, scoring->distance);
}

PG_FUNCTION_INFO_V1(pgfit_cluster);
PGDLLEXPORT Datum pgfit_cluster(PG_FUNCTION_ARGS)
{
    ScoringCall *call = scoring_open(fcinfo);
    const Scoring *scoring = call->scoring;
    uint32_t cluster;

    if (scoring->cluster == NULL)
        fail_unsupported(call->scorer, "cluster");
    if (!scoring_row(fcinfo, call))
        PG_RETURN_NULL();
    cluster = scoring->cluster(call->scorer->model, call->scorer->prepared, call->slots);
    if (cluster == CLASS_NONE)
        PG_RETURN_NULL();
    PG_RETURN_INT32(1 + (int32)cluster);
}

/* ---- several numbers ---- */

typedef void (*VectorScore)(const Model *model, const void *prepared, const double *slots,
                            double *out);

/* Computes a score of several numbers and returns them; NULL: the score is NULL. */
static const double *score_vector(FunctionCallInfo fcinfo, ScoringCall *call, VectorScore score,
                                  uint32 width)
{
    double *out = scoring_numbers(fcinfo, call, width);

    if (!scoring_row(fcinfo, call))
        return NULL;
    score(call->scorer->model, call->scorer->prepared, call->slots, out);
    return width > 0 && no_score(call->scoring, out[0]) ? NULL : out;
}

/* Returns a score of several numbers. score: from the model's scoring, NULL if unsupported; numbers: how many it writes. */
static Datum give_vector(FunctionCallInfo fcinfo, ScoringCall *call,
                         VectorScore score, uint32 (*numbers)(const Model *model),
                         const char *function)
{
    const double *scores;
    uint32 width;

    if (score == NULL)
        fail_unsupported(call->scorer, function);
    width = numbers(call->scorer->model);
    scores = score_vector(fcinfo, call, score, width);
    if (scores == NULL)
        PG_RETURN_NULL();
    return give_array(scores, width);
}

PG_FUNCTION_INFO_V1(pgfit_distances);
PGDLLEXPORT Datum pgfit_distances(PG_FUNCTION_ARGS)
{
    ScoringCall *call = scoring_open(fcinfo);

    return give_vector(fcinfo, call, call->scoring->distances, call->scoring->width, "distances");
}

PG_FUNCTION_INFO_V1(pgfit_transform);
PGDLLEXPORT Datum pgfit_transform(PG_FUNCTION_ARGS)
{
    ScoringCall *call = scoring_open(fcinfo);
    const Scoring *scoring = call->scoring;

    return give_vector(fcinfo, call, scoring->transform,
                       scoring->transform_width != NULL ? scoring->transform_width : scoring->width,
                       "transform");
}

PG_FUNCTION_INFO_V1(pgfit_decisions);
PGDLLEXPORT Datum pgfit_decisions(PG_FUNCTION_ARGS)
{
    ScoringCall *call = scoring_open(fcinfo);

    return give_vector(fcinfo, call, call->scoring->decisions, call->scoring->width, "decisions");
}

PG_FUNCTION_INFO_V1(pgfit_decision);
PGDLLEXPORT Datum pgfit_decision(PG_FUNCTION_ARGS)
{
    ScoringCall *call = scoring_open(fcinfo);
    const Scoring *scoring = call->scoring;
    const double *score;
    uint32 width;

    if (scoring->log_density != NULL)
        return give_score(fcinfo, call, scoring->log_density);
    if (scoring->decisions == NULL)
        fail_unsupported(call->scorer, "decision");
    width = scoring->width(call->scorer->model);
    if (width != (scoring->decision != NULL ? 2 : 1))
        ereport(ERROR,
                (errcode(ERRCODE_WRONG_OBJECT_TYPE),
                 errmsg("decision needs a model of two classes, but this one has %u scores", width),
                 errhint("Use decisions.")));
    if (scoring->decision != NULL)
        return give_score(fcinfo, call, scoring->decision);
    score = score_vector(fcinfo, call, scoring->decisions, 1);
    if (score == NULL)
        PG_RETURN_NULL();
    return give_number(score[0]);
}

/* Returns the number of classes. Fails if the model has no probabilities; function: for the message. */
static uint32 probability_classes(ScoringCall *call, const char *function)
{
    if (!classifier_output_has_probabilities(call->scoring, call->scorer->model))
        fail_unsupported(call->scorer, function);
    return dictionary_class_count(call->scorer->model, &call->class_entry);
}

/* Computes the probabilities of all classes and returns them; NULL: the score is NULL. */
static const double *score_probabilities(FunctionCallInfo fcinfo, ScoringCall *call, uint32 classes)
{
    const Scoring *scoring = call->scoring;
    double *out = scoring_numbers(fcinfo, call, classes);

    if (!scoring_row(fcinfo, call))
        return NULL;
    classifier_output_probabilities(scoring, call->scorer->model, call->scorer->prepared, call->slots, call->offset, out);
    return no_score(scoring, out[0]) ? NULL : out;
}

PG_FUNCTION_INFO_V1(pgfit_probabilities);
PGDLLEXPORT Datum pgfit_probabilities(PG_FUNCTION_ARGS)
{
    ScoringCall *call = scoring_open(fcinfo);
    const double *probabilities;
    uint32 classes;

    if (call->scoring->memberships != NULL)
        return give_vector(fcinfo, call, call->scoring->memberships, call->scoring->width, "probabilities");
    classes = probability_classes(call, "probabilities");
    probabilities = score_probabilities(fcinfo, call, classes);
    if (probabilities == NULL)
        PG_RETURN_NULL();
    return give_array(probabilities, classes);
}

/* ---- classes ---- */

uint32 scoring_class(FunctionCallInfo fcinfo, ScoringCall *call, int argument)
{
    const Model *model = call->scorer->model;
    ValueReader *reader = value_reader(fcinfo, argument, &call->label);
    uint32 length;
    double key;
    const char *text = value_label(reader, PG_GETARG_DATUM(argument), &length, &key);
    int position = dictionary_find(model, DICTIONARY_CLASSES, 0, text, length, false);

    if (position < 0) {
        ClassSet classes = class_set(host_env(), model);

        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("the model has no class \"%.*s\"", (int)length, text),
                        errhint("Its classes are %s.", class_list(&classes))));
    }
    return (uint32)position;
}

/* Returns the positive class of a model of two classes. */
static uint32 positive_class(ScoringCall *call)
{
    if (call->known != scorer_identity(call->scorer)) {
        call->positive = class_rule_of(call->scorer->model).positive;
        call->known = scorer_identity(call->scorer);
    }
    return call->positive;
}

/* probability(model, features [, label]) */
PG_FUNCTION_INFO_V1(pgfit_probability);
PGDLLEXPORT Datum pgfit_probability(PG_FUNCTION_ARGS)
{
    ScoringCall *call = scoring_open(fcinfo);
    uint32 classes = probability_classes(call, "probability"), position;
    const double *probabilities;

    if (PG_NARGS() > 2 && call->score == NULL) {
        position = scoring_class(fcinfo, call, 2);
    } else {
        if (classes != 2)
            ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
                            errmsg("a model of %u classes has no positive class", classes),
                            errhint("Name the class in a third argument, or use probabilities.")));
        position = positive_class(call);
    }
    probabilities = score_probabilities(fcinfo, call, classes);
    if (probabilities == NULL)
        PG_RETURN_NULL();
    return give_number(probabilities[position]);
}

Datum give_label(FunctionCallInfo fcinfo)
{
    ScoringCall *call = scoring_open(fcinfo);
    uint32 position, length;
    const char *label;

    if (call->scoring->classify == NULL)
        fail_unsupported(call->scorer, "classify");
    if (!scoring_row(fcinfo, call))
        PG_RETURN_NULL();
    position = classify_slots(fcinfo, call);
    if (position == CLASS_NONE)
        PG_RETURN_NULL();
    if (call->scoring->labels == NULL) {
        label = dictionary_text(call->scorer->model, DICTIONARY_CLASSES, position, &length);
    } else {
        label = call->scoring->labels[position];
        length = (uint32) strlen(label);
    }
    return result_datum(&call->result_type, label, length);
}

/* classify(model, features, result_type): not strict, because only the type of the third argument matters. */
PG_FUNCTION_INFO_V1(pgfit_classify);
PGDLLEXPORT Datum pgfit_classify(PG_FUNCTION_ARGS)
{
    if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
        PG_RETURN_NULL();
    result_type_find(&scoring_call(fcinfo)->result_type, fcinfo, 2);
    return give_label(fcinfo);
}

PG_FUNCTION_INFO_V1(pgfit_classes);
PGDLLEXPORT Datum pgfit_classes(PG_FUNCTION_ARGS)
{
    Scorer scorer = {.model = pipeline_last(host_env(), PG_GETARG_SOUND_MODEL(0))};
    uint32 count, *order;
    Datum *labels;

    scorer.estimator = estimator_of(scorer.model);
    if (model_find(scorer.model, "class_type") == NULL && scorer.model->kind != MODEL_CLASS_MOMENTS)
        fail_unsupported(&scorer, "classes");
    count = dictionary_size(scorer.model, DICTIONARY_CLASSES);
    labels = palloc(Max(count, 1) * sizeof(Datum));
    order = palloc(Max(count, 1) * sizeof(uint32));
    dictionary_final_order(host_env(), scorer.model, DICTIONARY_CLASSES, order);
    for (uint32 i = 0; i < count; i++) {
        uint32 length;
        const char *text = dictionary_text(scorer.model, DICTIONARY_CLASSES, order[i], &length);

        labels[i] = PointerGetDatum(cstring_to_text_with_len(text, (int)length));
    }
    PG_RETURN_ARRAYTYPE_P(construct_array(labels, (int)count, TEXTOID, -1, false, TYPALIGN_INT));
}
