/*
 * conformal_scoring.c - limits of predictions, sets of classes by conformal scores, and the aggregate that gives a model such scores: conformalize(model, target, features).
 */
#include "pg/score/scoring.h"
#include "core/calibration/conformal_scores.h"
#include "core/estimator/classifier_output.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"

/* ---- rows ---- */

/* Reads the group of the row that a reader has read. Returns false if it is NULL. */
static bool read_group(const char *column, FeatureReader *reader, Datum row, const char **text, uint32_t *length)
{
    SpecialColumn special = {.use = SPECIAL_GROUP, .option = "group", .count = 1, .columns = {column}};

    *text = features_id(reader, row, &special, length);
    return *text != NULL;
}

/* Sets the group of a row; 0 where the model has none. Returns false if it is NULL. */
static bool find_group(const Conformal *conformal, FeatureReader *reader, Datum row, uint32 *group)
{
    const char *text;
    uint32_t length;

    *group = 0;
    if (conformal->group == NULL)
        return true;
    if (!read_group(conformal->group, reader, row, &text, &length))
        return false;
    *group = conformal_group(conformal, text, length);
    return true;
}

/* Reads a row for one of the models inside; NULL: it has no answer. readers: of the call site, one per model inside. */
static const double *inside_row(FunctionCallInfo fcinfo, int argument, SiteBuffer *room, FeatureReader **reader, const Scorer *scorer, double *offset)
{
    double *slots = site_buffer(fcinfo, room, (Size)(scorer->model->slot_count + 1) * sizeof(double));

    return scorer_read(scorer, feature_reader(fcinfo, argument, reader), PG_GETARG_DATUM(argument), slots, offset) == FEATURES_OK ? slots : NULL;
}

/* Returns the readers of a call site for the models inside. */
static FeatureReader **inside_readers(FunctionCallInfo fcinfo, InsideReaders *readers, uint32 count)
{
    if (readers->count < count) {
        FeatureReader **more = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, count * sizeof(FeatureReader *));

        if (readers->count > 0)
            memcpy(more, readers->readers, readers->count * sizeof(FeatureReader *));
        readers->readers = more;
        readers->count = count;
    }
    return readers->readers;
}

/* Predicts with one of the models inside; NaN: it has no answer. */
static double inside_prediction(FunctionCallInfo fcinfo, int argument, InsideReaders *readers, const ConformalScorer *conformal, uint32 i)
{
    const Scorer *scorer = &conformal->inside[i];
    double offset;
    const double *slots = inside_row(fcinfo, argument, &readers->slots, &inside_readers(fcinfo, readers, conformal->count)[i], scorer, &offset);

    return slots == NULL ? NAN : scoring_predict(scorer->estimator->scoring, scorer->model, scorer->prepared, slots, offset);
}

/* Returns what a score is multiplied by in this row; NaN: the model of the residual has no answer. */
static double row_scale(FunctionCallInfo fcinfo, int argument, InsideReaders *readers, const ConformalScorer *conformal)
{
    double size;

    if (conformal->arrays.score != CONFORMAL_NORMALIZED)
        return 1;
    size = inside_prediction(fcinfo, argument, readers, conformal, 0);
    return isnan(size) ? size : conformal_scale(&conformal->arrays, size);
}

/* ---- limits ---- */

/* Computes the limits by conformal scores; NaN where a model or the group of the row has no answer. Returns false if the row has no score. */
static bool conformal_interval(FunctionCallInfo fcinfo, ScoringCall *call, double level, PredictionInterval *interval)
{
    const ConformalScorer *conformal = call->scorer->conformal;
    double *centers = scoring_numbers(fcinfo, call, conformal->arrays.parts), scale;
    uint32 group;

    if (!scoring_row(fcinfo, call))
        return false;
    interval->fit = scoring_predict(call->scoring, call->scorer->model, call->scorer->prepared, call->slots, call->offset);
    interval->lower = interval->upper = NAN;
    if (isnan(interval->fit))
        return false;
    if (!find_group(&conformal->arrays, call->reader, PG_GETARG_DATUM(1), &group))
        return true;
    centers[0] = interval->fit;
    for (uint32 i = 0; conformal->arrays.folds && i < conformal->arrays.parts; i++)
        centers[i] = inside_prediction(fcinfo, 1, &call->inside, conformal, i);
    scale = row_scale(fcinfo, 1, &call->inside, conformal);
    if (!isnan(scale))
        conformal_limits(&conformal->arrays, group, centers, scale, level, &interval->lower, &interval->upper);
    return true;
}

/* Computes the limits of the method itself. Returns false if the row has no score. */
static bool own_interval(FunctionCallInfo fcinfo, ScoringCall *call, double level, PredictionInterval *interval)
{
    if (!scoring_row(fcinfo, call))
        return false;
    *interval = call->scoring->interval(host_env(), call->scorer->model, call->scorer->prepared, call->slots, level);
    interval->fit += call->offset;
    interval->lower += call->offset;
    interval->upper += call->offset;
    return true;
}

/* predict_interval(model, features [, level]) */
PG_FUNCTION_INFO_V1(pgfit_predict_interval);
PGDLLEXPORT Datum pgfit_predict_interval(PG_FUNCTION_ARGS)
{
    ScoringCall *call;
    PredictionInterval interval;
    double level;
    bool found;

    if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
        PG_RETURN_NULL();
    call = scoring_open(fcinfo);
    if (call->scoring->interval == NULL && (call->scoring->predict == NULL || call->scorer->estimator->task != TASK_REGRESSION))
        fail_unsupported(call->scorer, "predict_interval");
    if (call->scoring->interval == NULL && call->scorer->conformal == NULL)
        fail_no_conformal(call->scorer, "predict_interval");
    level = scoring_level(fcinfo, call, 2);
    scoring_result(fcinfo, call, 3);
    found = call->scorer->conformal != NULL ? conformal_interval(fcinfo, call, level, &interval) : own_interval(fcinfo, call, level, &interval);
    return give_interval(call, found ? &interval : NULL);
}

/* ---- sets ---- */

/* Writes the scores of all classes by the probabilities of the model, or of one inside: [classes]. Returns false if there are none. */
static bool part_scores(FunctionCallInfo fcinfo, ScoringCall *call, uint32 classes, const double *own, uint32 part, double *scores)
{
    const ConformalScorer *conformal = call->scorer->conformal;
    const Scorer *scorer = call->scorer;
    const double *probabilities = own, *slots = call->slots;
    double unit;
    uint32 count = classes;

    CHECK_FOR_INTERRUPTS();
    if (conformal->arrays.folds) {
        double offset, *room;

        scorer = &conformal->inside[part];
        count = dictionary_size(scorer->model, DICTIONARY_CLASSES);
        slots = inside_row(fcinfo, 1, &call->inside.slots, &inside_readers(fcinfo, &call->inside, conformal->count)[part], scorer, &offset);
        if (slots == NULL)
            return false;
        probabilities = room = site_buffer(fcinfo, &call->inside.numbers, (Size)count * sizeof(double));
        classifier_output_probabilities(scorer->estimator->scoring, scorer->model, scorer->prepared, slots, offset, room);
    }
    if (isnan(probabilities[0]))
        return false;
    unit = conformal_row_unit(slots, scorer->model->slot_count);
    for (uint32 k = 0; k < classes; k++) {
        int32 position = conformal->arrays.folds ? conformal->classes[part][k] : (int32)k;

        scores[k] = conformal_class_score(conformal->arrays.score, probabilities, count, position < 0 ? UINT32_MAX : (uint32)position, unit);
    }
    return true;
}

/* Tells which classes are in the set of the row in argument 1. Returns false if it has no probabilities, or its group is NULL. */
static bool row_set(FunctionCallInfo fcinfo, ScoringCall *call, uint32 classes, double level, bool *in)
{
    const ConformalScorer *conformal = call->scorer->conformal;
    uint32 parts = conformal->arrays.parts, top = 0, group;
    double *own = scoring_numbers(fcinfo, call, classes), *scores;

    if (!scoring_row(fcinfo, call))
        return false;
    classifier_output_probabilities(call->scoring, call->scorer->model, call->scorer->prepared, call->slots, call->offset, own);
    if (isnan(own[0]) || !find_group(&conformal->arrays, call->reader, PG_GETARG_DATUM(1), &group))
        return false;
    scores = palloc((Size)parts * classes * sizeof(double));
    for (uint32 part = 0; part < parts; part++)
        if (!part_scores(fcinfo, call, classes, own, part, scores + (Size)part * classes))
            return false;
    for (uint32 k = 1; k < classes; k++)
        if (own[k] > own[top])
            top = k;
    conformal_set(&conformal->arrays, group, scores, classes, top, level, in);
    pfree(scores);
    return true;
}

/* prediction_set(model, features [, level]) */
PG_FUNCTION_INFO_V1(pgfit_prediction_set);
PGDLLEXPORT Datum pgfit_prediction_set(PG_FUNCTION_ARGS)
{
    ScoringCall *call;
    const Model *model;
    double level;
    uint32 classes, count = 0;
    Datum *labels;
    bool *in;

    if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
        PG_RETURN_NULL();
    call = scoring_open(fcinfo);
    model = call->scorer->model;
    if (call->scoring->classify == NULL)
        fail_unsupported(call->scorer, "prediction_set");
    if (call->scorer->conformal == NULL)
        fail_no_conformal(call->scorer, "prediction_set");
    level = scoring_level(fcinfo, call, 2);
    classes = dictionary_size(model, DICTIONARY_CLASSES);
    in = palloc(Max(classes, 1) * sizeof(bool));
    if (!row_set(fcinfo, call, classes, level, in))
        PG_RETURN_NULL();
    labels = palloc(Max(classes, 1) * sizeof(Datum));
    for (uint32 k = 0; k < classes; k++)
        if (in[k]) {
            uint32_t length;
            const char *label = dictionary_text(model, DICTIONARY_CLASSES, k, &length);

            labels[count++] = PointerGetDatum(cstring_to_text_with_len(label, (int)length));
        }
    PG_RETURN_ARRAYTYPE_P(construct_array(labels, (int)count, TEXTOID, -1, false, TYPALIGN_INT));
}

/* ---- the aggregate ---- */

/* The state: what came so far. */
typedef struct ConformalAggregate {
    ConformalState *rows;
    const Scorer *scorer; /* of a copy of the first model, which scores all rows: another value can be made to have its fingerprint */
    Jsonb *options; /* NULL: none */
} ConformalAggregate;

typedef struct ConformalSite {
    ScorerCache *cache;
    FeatureReader *reader;
    ValueReader *target;
    InsideReaders inside;
    SiteBuffer slots, numbers;
} ConformalSite;

static MemoryContext aggregate_memory(FunctionCallInfo fcinfo)
{
    MemoryContext context;

    if (!AggCheckCallContext(fcinfo, &context))
        ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("a support function of an aggregate was called outside one")));
    return context;
}

/* Begins a state in the current memory context. */
static ConformalAggregate *begin_aggregate(const Model *model, const Jsonb *options)
{
    ConformalAggregate *state = palloc0(sizeof(ConformalAggregate));
    Model *copy = model_copy(model);
    char *json = NULL;

    if (options != NULL) {
        state->options = memcpy(palloc(VARSIZE(options)), options, VARSIZE(options));
        json = JsonbToCString(NULL, &state->options->root, VARSIZE(options));
    }
    state->scorer = scorer_cache_get(scorer_cache_create(CurrentMemoryContext), model_datum(copy), true);
    if (state->scorer->whole != copy) /* it has a copy of its own */
        pfree(copy);
    state->rows = conformal_begin(host_env(), model,
                                  options_parse(host_env(), "conformalize", OPTION_TABLES(conformal_options), json, json == NULL ? 0 : strlen(json), NULL, NULL, 0));
    return state;
}

/* Fails unless a row has the model and the options of those before it. */
static void require_same(const ConformalAggregate *state, const Model *model, const Jsonb *options)
{
    bool same = (options == NULL) == (state->options == NULL) &&
                (options == NULL || (VARSIZE(options) == VARSIZE(state->options) && memcmp(options, state->options, VARSIZE(options)) == 0));

    if (state->scorer->whole->fingerprint != model->fingerprint || state->scorer->whole->size != model->size || !same)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("conformalize got several %s in one group", same ? "models" : "options"),
                        errhint("Group the rows by the model, and give all the same options.")));
}

/* Returns the class of the target in a model; UINT32_MAX: it has no such class. */
static uint32 target_class(ValueReader *reader, Datum target, const Model *model)
{
    uint32_t length;
    double key;
    const char *text = value_label(reader, target, &length, &key);
    int position = dictionary_find(model, DICTIONARY_CLASSES, 0, text, length, false);

    return position < 0 ? UINT32_MAX : (uint32)position;
}

/* Returns the score of a row; NaN: it has none. slots: the encoded row. */
static double row_score(FunctionCallInfo fcinfo, ConformalSite *site, const ConformalAggregate *state, const double *slots, double offset, uint32 *class)
{
    const Scorer *scorer = state->scorer;
    const Scoring *scoring = scorer->estimator->scoring;
    ValueReader *reader = value_reader(fcinfo, 2, &site->target);
    uint32 classes;
    double *probabilities, prediction;

    *class = 0;
    if (state->rows->score < CONFORMAL_LAC) {
        prediction = scoring_predict(scoring, scorer->model, scorer->prepared, slots, offset);
        if (isnan(prediction))
            return NAN;
        if (state->rows->score == CONFORMAL_ABSOLUTE)
            return fabs(value_number(reader, PG_GETARG_DATUM(2), "target") - prediction);
        return fabs(value_number(reader, PG_GETARG_DATUM(2), "target") - prediction) / row_scale(fcinfo, 3, &site->inside, scorer->conformal);
    }
    classes = dictionary_size(scorer->model, DICTIONARY_CLASSES);
    probabilities = site_buffer(fcinfo, &site->numbers, (Size)Max(classes, 1) * sizeof(double));
    classifier_output_probabilities(scoring, scorer->model, scorer->prepared, slots, offset, probabilities);
    *class = target_class(reader, PG_GETARG_DATUM(2), scorer->model);
    return isnan(probabilities[0]) ? NAN : conformal_class_score(state->rows->score, probabilities, classes, *class, conformal_row_unit(slots, scorer->model->slot_count));
}

/* Adds a row with a target to the state, unless it has no score. */
static void add_row(FunctionCallInfo fcinfo, MemoryContext context, ConformalSite *site, ConformalAggregate *state)
{
    const Scorer *scorer = state->scorer;
    double *slots = site_buffer(fcinfo, &site->slots, (Size)(scorer->model->slot_count + 1) * sizeof(double)), offset, score;
    FeatureReader *reader = feature_reader(fcinfo, 3, &site->reader);
    const char *level = NULL;
    uint32_t length = 0, class;
    MemoryContext caller;

    if (scorer_read(scorer, reader, PG_GETARG_DATUM(3), slots, &offset) != FEATURES_OK)
        return;
    score = row_score(fcinfo, site, state, slots, offset, &class);
    if (isnan(score) || (state->rows->group != NULL && !read_group(state->rows->group, reader, PG_GETARG_DATUM(3), &level, &length)))
        return;
    caller = MemoryContextSwitchTo(context);
    conformal_add(host_env(), state->rows, score, level, length, class);
    MemoryContextSwitchTo(caller);
}

/* conformalize_step(state internal, model, target "any", features "any" [, options]) */
PG_FUNCTION_INFO_V1(pgfit_conformalize_step);
PGDLLEXPORT Datum pgfit_conformalize_step(PG_FUNCTION_ARGS)
{
    MemoryContext context = aggregate_memory(fcinfo), caller;
    ConformalAggregate *state = PG_ARGISNULL(0) ? NULL : (ConformalAggregate *)PG_GETARG_POINTER(0);
    ConformalSite *site = fcinfo->flinfo->fn_extra;
    const Jsonb *options = PG_NARGS() > 4 && !PG_ARGISNULL(4) ? PG_GETARG_JSONB_P(4) : NULL;
    const Scorer *scorer;

    if (!PG_ARGISNULL(1)) {
        if (site == NULL) {
            site = fcinfo->flinfo->fn_extra = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(ConformalSite));
            site->cache = scorer_cache_create(fcinfo->flinfo->fn_mcxt);
        }
        scorer = scorer_cache_get(site->cache, PG_GETARG_DATUM(1), false);
        if (state == NULL) {
            caller = MemoryContextSwitchTo(context);
            state = begin_aggregate(scorer->whole, options);
            MemoryContextSwitchTo(caller);
        }
        require_same(state, scorer->whole, options);
        if (!PG_ARGISNULL(2) && !PG_ARGISNULL(3))
            add_row(fcinfo, context, site, state);
    }
    if (state == NULL)
        PG_RETURN_NULL();
    PG_RETURN_POINTER(state);
}

/* conformalize_final(state internal) */
PG_FUNCTION_INFO_V1(pgfit_conformalize_final);
PGDLLEXPORT Datum pgfit_conformalize_final(PG_FUNCTION_ARGS)
{
    const ConformalAggregate *state = PG_ARGISNULL(0) ? NULL : (const ConformalAggregate *)PG_GETARG_POINTER(0);

    (void)aggregate_memory(fcinfo);
    if (state == NULL)
        PG_RETURN_NULL();
    PG_RETURN_MODEL(conformal_finish(host_env(), state->rows, state->scorer->whole));
}

/* conformalize(model, folds model[]) */
PG_FUNCTION_INFO_V1(pgfit_conformalize_folds);
PGDLLEXPORT Datum pgfit_conformalize_folds(PG_FUNCTION_ARGS)
{
    const Model *model;
    const Model **folds;
    uint32_t count;

    if (PG_ARGISNULL(0))
        PG_RETURN_NULL();
    model = PG_GETARG_SOUND_MODEL(0);
    if (PG_ARGISNULL(1))
        PG_RETURN_MODEL(model_copy(conformal_strip(host_env(), model)));
    folds = model_array(fcinfo, 1, NULL, "model", "", "Pass one model per fold.", &count);
    PG_RETURN_MODEL(conformal_join(host_env(), model, folds, count));
}
