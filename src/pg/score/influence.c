/*
 * influence.c - influence(model, target, features, weight): residuals, leverage and distances of a row of the fit.
 */
#include "pg/score/scoring.h"
#include "core/estimator/classifier_output.h"

#include <math.h>

#include "funcapi.h"
#include "nodes/primnodes.h"

#define INFLUENCE_ARGUMENTS 4
#define INFLUENCE_COLUMNS ((int)(sizeof(Influence) / sizeof(double)))

/* Tells whether the call passes a weight, other than a NULL that is written there. */
static bool passes_weight(FunctionCallInfo fcinfo)
{
    const Node *call = fcinfo->flinfo->fn_expr, *weight;

    if (call == NULL || !IsA(call, FuncExpr) || list_length(((const FuncExpr *)call)->args) != INFLUENCE_ARGUMENTS)
        return !PG_ARGISNULL(3);
    weight = lfourth(((const FuncExpr *)call)->args);
    return !(IsA(weight, Const) && ((const Const *)weight)->constisnull);
}

/* Returns the weight of the row; NaN: it is NULL. Fails if the fit had weights and the call passes none, or the reverse. */
static double row_weight_argument(FunctionCallInfo fcinfo, const Model *model)
{
    bool weighted = (model->flags & MODEL_WEIGHTED) != 0, counted = (model->flags & MODEL_FREQUENCY) != 0;
    double weight = PG_ARGISNULL(3) ? NAN : PG_GETARG_FLOAT8(3);

    if (!passes_weight(fcinfo) && weighted && !counted)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("the model was fitted with weights, and influence got none"),
                        errhint("Pass the weight of the row as the last argument, or name its column in option \"weight\" of augment.")));
    if (!passes_weight(fcinfo))
        return 1;
    if (!PG_ARGISNULL(3) && !(weight >= 0 && isfinite(weight)))
        ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION), errmsg("the weight is %g, not a number from 0", weight)));
    if (!weighted && weight != 1 && !isnan(weight))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("the model was fitted without weights, and influence got the weight %g", weight),
                        errhint("Leave the weight out.")));
    return weight;
}

/* Sets the target as a number, of a classifier of two classes 1 for the positive one and 0 for the other, and its class; NaN: it is NULL. */
static void read_target(FunctionCallInfo fcinfo, ScoringCall *call, InfluenceRow *row)
{
    const Model *model = call->scorer->model;

    row->target = NAN;
    row->class = CLASS_NONE;
    if (PG_ARGISNULL(1) || isnan(row->weight))
        return;
    if (call->scoring->predict != NULL) {
        row->target = value_number(value_reader(fcinfo, 1, &call->label), PG_GETARG_DATUM(1), "target");
        return;
    }
    row->class = scoring_class(fcinfo, call, 1);
    row->target = dictionary_size(model, DICTIONARY_CLASSES) == 2 && row->class == class_rule_of(model).positive;
}

/* Sets what the event of a row says, from the columns that the options of the fit name. Returns false if one of them is NULL. */
static bool read_event(FunctionCallInfo fcinfo, ScoringCall *call, InfluenceRow *row)
{
    uint32_t length;
    const char *bytes;
    EventTag tag;

    if (call->scorer->estimator->task != TASK_SURVIVAL)
        return true;
    bytes = features_event(feature_reader(fcinfo, 2, &call->reader), PG_GETARG_DATUM(2), &call->special, &length);
    if (bytes == NULL)
        return false;
    tag = event_tag_read(host_env(), &call->special, bytes, length);
    row->event = tag.event;
    row->entry = tag.entry;
    row->stratum = call->special.stratum > 0 ? tag.stratum : NULL;
    row->stratum_length = tag.length;
    return true;
}

/* Reads what the options of the fit say about rows, once per model: whether it gave weights to classes, and where events are. */
static void read_options(FunctionCallInfo fcinfo, ScoringCall *call)
{
    const Scorer *scorer = call->scorer;
    MemoryContext caller;

    if (call->known == scorer_identity(scorer))
        return;
    call->class_weights = estimator_has_class_weights(host_env(), scorer->estimator, scorer->model);
    if (scorer->estimator->task == TASK_SURVIVAL) {
        caller = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
        call->special = special_column(estimator_options(host_env(), scorer->estimator, scorer->model));
        call->special.cluster = 0; /* residuals do not depend on it */
        MemoryContextSwitchTo(caller);
    }
    call->known = scorer_identity(scorer);
}

PG_FUNCTION_INFO_V1(pgfit_influence);
PGDLLEXPORT Datum pgfit_influence(PG_FUNCTION_ARGS)
{
    ScoringCall *call;
    const Scorer *scorer;
    double numbers[sizeof(Influence) / sizeof(double)];
    Influence influence = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    Datum values[sizeof(Influence) / sizeof(double)];
    bool nulls[sizeof(Influence) / sizeof(double)];
    InfluenceRow row;

    if (PG_ARGISNULL(0) || PG_ARGISNULL(2))
        PG_RETURN_NULL();
    call = scoring_open(fcinfo);
    scorer = call->scorer;
    if (call->scoring->influence == NULL && (call->scoring->predict == NULL || scorer->estimator->task != TASK_REGRESSION))
        fail_unsupported(scorer, "influence");
    read_options(fcinfo, call);
    row.weight = row_weight_argument(fcinfo, scorer->model);
    read_target(fcinfo, call, &row);
    call->slots = site_buffer(fcinfo, &call->slot_buffer, (Size)scorer->model->slot_count * sizeof(double));
    if (scorer_read(scorer, feature_reader(fcinfo, 2, &call->reader), PG_GETARG_DATUM(2), call->slots, &row.offset) != FEATURES_OK)
        PG_RETURN_NULL();
    if (!read_event(fcinfo, call, &row))
        PG_RETURN_NULL();
    row.class_weights = call->class_weights;
    estimator_influence(host_env(), call->scoring, scorer->model, scorer->prepared, call->slots, &row, &influence);
    memcpy(numbers, &influence, sizeof numbers);
    for (int i = 0; i < INFLUENCE_COLUMNS; i++) {
        nulls[i] = i == 0 ? isnan(numbers[i]) : !isfinite(numbers[i]);
        values[i] = nulls[i] ? (Datum)0 : give_number(numbers[i]);
    }
    return HeapTupleGetDatum(heap_form_tuple(scoring_result(fcinfo, call, INFLUENCE_COLUMNS), values, nulls));
}
