/*
 * plots.c - functions of a model and axes that return what a plot needs: grids of scores, ellipses, Voronoi cells.
 */
#include "pg/inspect/tables.h"
#include "pg/score/scoring.h"
#include "core/estimator/classifier_output.h"
#include "core/plot/ellipses.h"
#include "core/plot/voronoi.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"

/* Returns a range argument; NULL: none was given. */
static AxisGiven axis_argument(FunctionCallInfo fcinfo, int argument)
{
    AxisGiven axis = {.given = !PG_ARGISNULL(argument)};
    ArrayType *array;

    if (!axis.given)
        return axis;
    array = PG_GETARG_ARRAYTYPE_P(argument);
    axis.count = (uint32)ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
    if (array_contains_nulls(array))
        ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("the range of an axis has a NULL"),
                        errhint("Pass its two ends: ARRAY[0, 10].")));
    axis.numbers = (const double *)ARR_DATA_PTR(array);
    return axis;
}

static const char *text_argument(FunctionCallInfo fcinfo, int argument)
{
    return PG_ARGISNULL(argument) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(argument));
}

/* Returns no rows. */
static Datum nothing(FunctionCallInfo fcinfo)
{
    TupleDesc description;

    rows_begin(fcinfo, &description);
    return (Datum)0;
}

/* Fails unless the model is a fitted one that this library knows. */
static void require_fitted(const Model *model, const char *function)
{
    Scorer scorer = {.model = model, .estimator = estimator_of(model)};

    if (model->kind != MODEL_FITTED || scorer.estimator == NULL)
        fail_unsupported(&scorer, function);
}

/* feature_ranges(model) */
PG_FUNCTION_INFO_V1(pgfit_feature_ranges);
PGDLLEXPORT Datum pgfit_feature_ranges(PG_FUNCTION_ARGS)
{
    const Model *model = PG_GETARG_SOUND_MODEL(0);
    uint64_t rows;
    void *reader;

    require_fitted(model, "feature_ranges");
    reader = feature_ranges_open(host_env(), model, &rows);
    table_rows(fcinfo, &feature_range_table, model, reader, rows);
    return (Datum)0;
}

/* ellipses(model, level, f1, f2) */
PG_FUNCTION_INFO_V1(pgfit_ellipses);
PGDLLEXPORT Datum pgfit_ellipses(PG_FUNCTION_ARGS)
{
    const Model *model;
    uint64_t rows;
    void *reader;

    if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
        return nothing(fcinfo);
    model = pipeline_last(host_env(), PG_GETARG_SOUND_MODEL(0));
    require_fitted(model, "ellipses");
    reader = ellipses_open(host_env(), model, PG_GETARG_FLOAT8(1), text_argument(fcinfo, 2), text_argument(fcinfo, 3), &rows);
    table_rows(fcinfo, &ellipse_table, model, reader, rows);
    return (Datum)0;
}

/* voronoi(model, range1, range2) */
PG_FUNCTION_INFO_V1(pgfit_voronoi);
PGDLLEXPORT Datum pgfit_voronoi(PG_FUNCTION_ARGS)
{
    AxisGiven x, y;
    const Model *model;
    uint64_t rows;
    void *reader;

    if (PG_ARGISNULL(0))
        return nothing(fcinfo);
    model = pipeline_last(host_env(), PG_GETARG_SOUND_MODEL(0));
    require_fitted(model, "voronoi");
    x = axis_argument(fcinfo, 1);
    y = axis_argument(fcinfo, 2);
    reader = voronoi_open(host_env(), model, &x, &y, &rows);
    table_rows(fcinfo, &voronoi_table, model, reader, rows);
    return (Datum)0;
}

/* ---- decision_grid ---- */

/* What is computed at each point, by the scoring functions of SQL: they get a call site that holds the encoded row already. */
typedef struct GridScores {
    const Scorer *scorer;
    ScoringCall *call;
    FmgrInfo info;
    PGFunction label;  /* NULL: the model has none */
    bool label_is_number;
    PGFunction score;  /* NULL: the model has none */
    uint32 classes;    /* above 0: the score is the greatest of so many probabilities or decisions */
    bool probabilities;
} GridScores;

/* Chooses label and score for the kind of model. */
static void choose_scores(GridScores *scores)
{
    const Scorer *scorer = scores->scorer;
    const Scoring *scoring = scoring_of(scorer);
    uint32 hint = 0;

    if (scoring->classify != NULL) {
        scores->label = give_label;
        scores->probabilities = classifier_output_has_probabilities(scoring, scorer->model);
        if (scoring->labels != NULL)
            scores->score = scoring->decisions != NULL || scoring->log_density != NULL ? pgfit_decision : NULL;
        else if (dictionary_class_count(scorer->model, &hint) != 2)
            scores->classes = scores->probabilities ? dictionary_class_count(scorer->model, &hint)
                              : scoring->decisions != NULL ? scoring->width(scorer->model) : 0;
        else if (scores->probabilities)
            scores->score = pgfit_probability;
        else if (scoring->decisions != NULL)
            scores->score = pgfit_decision;
    } else if (scoring->cluster != NULL) {
        scores->label = pgfit_cluster;
        scores->label_is_number = true;
        if (scoring->memberships != NULL)
            scores->classes = scoring->width(scorer->model);
        else if (scoring->distance != NULL && (scoring->has_distance == NULL || scoring->has_distance(scorer->model)))
            scores->score = pgfit_distance;
    } else if (scoring->predict != NULL) {
        scores->score = pgfit_predict;
    } else if (scoring->decisions != NULL || scoring->log_density != NULL) {
        scores->score = pgfit_decision;
    } else {
        fail_unsupported(scorer, "decision_grid");
    }
}

/* Calls a scoring function of SQL for the row in call->slots. */
static Datum call_score(GridScores *scores, PGFunction function, Datum model, bool *null)
{
    LOCAL_FCINFO(inner, 2);
    Datum result;

    InitFunctionCallInfoData(*inner, &scores->info, 2, InvalidOid, NULL, NULL);
    inner->args[0].value = model;
    inner->args[0].isnull = false;
    inner->args[1].value = (Datum)0; /* the row is in the call site */
    inner->args[1].isnull = true;
    result = function(inner);
    *null = inner->isnull;
    return result;
}

/* Returns the greatest of several numbers. */
static Datum greatest(GridScores *scores, Datum model, bool *null)
{
    bool shares = scores->probabilities || scoring_of(scores->scorer)->memberships != NULL;
    Datum array = call_score(scores, shares ? pgfit_probabilities : pgfit_decisions, model, null);
    const double *numbers;
    double most;

    if (*null)
        return (Datum)0;
    numbers = (const double *)ARR_DATA_PTR(DatumGetArrayTypeP(array));
    most = numbers[0];
    for (uint32 i = 1; i < scores->classes; i++)
        most = Max(most, numbers[i]);
    return Float8GetDatum(most);
}

static void put_point(GridScores *scores, Datum model, Datum *values, bool *nulls)
{
    nulls[2] = nulls[3] = true;
    if (scores->label != NULL)
        values[2] = call_score(scores, scores->label, model, &nulls[2]);
    if (scores->label_is_number && !nulls[2])
        values[2] = CStringGetTextDatum(psprintf("%d", DatumGetInt32(values[2])));
    if (scores->classes > 0)
        values[3] = greatest(scores, model, &nulls[3]);
    else if (scores->score != NULL)
        values[3] = call_score(scores, scores->score, model, &nulls[3]);
}

/* Prepares the call site through which the scoring functions see each row. */
static GridScores grid_scores(Datum model)
{
    GridScores scores = {.info = {.fn_mcxt = CurrentMemoryContext, .fn_nargs = 2, .fn_strict = true}};

    scores.call = palloc0(sizeof(ScoringCall));
    scores.call->cache = scorer_cache_create(CurrentMemoryContext);
    scores.info.fn_extra = scores.call;
    scores.scorer = scorer_cache_get(scores.call->cache, model, true);
    if (scores.scorer->model->kind != MODEL_FITTED || scores.scorer->estimator == NULL)
        fail_unsupported(scores.scorer, "decision_grid");
    scores.call->given = scores.scorer;
    scores.call->slots = palloc((scores.scorer->model->slot_count + 1) * sizeof(double));
    choose_scores(&scores);
    return scores;
}

static PlotGrid grid_argument(FunctionCallInfo fcinfo)
{
    AxisGiven x = axis_argument(fcinfo, 4), y = axis_argument(fcinfo, 5);
    char *at = "";

    if (!PG_ARGISNULL(6)) {
        Jsonb *json = PG_GETARG_JSONB_P(6);

        at = JsonbToCString(NULL, &json->root, VARSIZE(json));
    }
    return plot_grid(host_env(), PG_GETARG_SOUND_MODEL(0), text_argument(fcinfo, 1), text_argument(fcinfo, 2), PG_GETARG_INT32(3), &x, &y,
                     at, strlen(at));
}

/* decision_grid(model, f1, f2, steps, range1, range2, at) */
PG_FUNCTION_INFO_V1(pgfit_decision_grid);
PGDLLEXPORT Datum pgfit_decision_grid(PG_FUNCTION_ARGS)
{
    Datum model = PG_GETARG_DATUM(0);
    TupleDesc description;
    Tuplestorestate *store;
    MemoryContext point, before;
    GridScores scores;
    PlotGrid grid;

    if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2) || PG_ARGISNULL(3))
        return nothing(fcinfo);
    scores = grid_scores(model);
    grid = grid_argument(fcinfo);
    store = rows_begin(fcinfo, &description);
    point = AllocSetContextCreate(CurrentMemoryContext, "pgfit grid point", ALLOCSET_DEFAULT_SIZES);
    before = MemoryContextSwitchTo(point);
    for (uint32 i = 0; i < grid.steps; i++)
        for (uint32 j = 0; j < grid.steps; j++) {
            double x = axis_step(&grid.x, grid.steps, j), y = axis_step(&grid.y, grid.steps, i);
            Datum values[] = {Float8GetDatum(x), Float8GetDatum(y), (Datum)0, (Datum)0};
            bool nulls[4] = {false, false, true, true};

            CHECK_FOR_INTERRUPTS();
            grid.row[grid.x.slot] = x;
            grid.row[grid.y.slot] = y;
            if (scorer_encode(host_env(), scores.scorer, grid.row, scores.call->slots, &scores.call->offset))
                put_point(&scores, model, values, nulls);
            tuplestore_putvalues(store, description, values, nulls);
            MemoryContextReset(point);
        }
    MemoryContextSwitchTo(before);
    MemoryContextDelete(point);
    return (Datum)0;
}
