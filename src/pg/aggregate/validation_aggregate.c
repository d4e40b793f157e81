/*
 * validation_aggregate.c - cross_validate(target, features, estimator [, options [, weight]]): keeps the rows, and fits and scores
 * them fold by fold at the end.
 */
#include "pg/aggregate/aggregate.h"
#include "pg/type/composites.h"
#include "pg/type/json_text.h"
#include "pg/host/rows_spill.h"
#include "core/base/text_buffer.h"
#include "core/base/json.h"
#include "core/validation/cross_validation.h"
#include "core/validation/key_fold.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"

#define NAME_ARGUMENT 3
#define OPTIONS_ARGUMENT 4
#define JUDGED_ARGUMENT 6

/* The call site of a step, in fn_extra. */
typedef struct ValidationSite {
    StepSite *step; /* NULL: the estimator is not known yet */
    const Estimator *estimator;
    SupportFunction function;
    MemoryContext context; /* of the options and their bytes */
    StringInfo id;  /* of the row that was read last: its tag, then the id of the fit or further targets */
    char *raw;      /* the options as passed; NULL: none */
    Size raw_size;
    bool read;
} ValidationSite;

static ValidationSite *validation_site(FunctionCallInfo fcinfo)
{
    ValidationSite *site = fcinfo->flinfo->fn_extra;
    SupportFunction function;
    MemoryContext caller;

    if (likely(site != NULL))
        return site;
    support_function(fcinfo, "_step", &function);
    if (strcmp(function.aggregate, "cross_validate") != 0 || function.argument_count < NAME_ARGUMENT + 1 ||
        function.arguments[NAME_ARGUMENT] != TEXTOID ||
        (function.argument_count > OPTIONS_ARGUMENT && function.arguments[OPTIONS_ARGUMENT] != options_type_oid()) ||
        (function.argument_count > OPTIONS_ARGUMENT + 1 && function.arguments[OPTIONS_ARGUMENT + 1] != FLOAT8OID) ||
        (function.argument_count > JUDGED_ARGUMENT && function.arguments[JUDGED_ARGUMENT] != BOOLOID))
        fail_support_function(fcinfo);
    site = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(ValidationSite));
    site->function = function;
    site->context = AllocSetContextCreate(fcinfo->flinfo->fn_mcxt, "pgfit options", ALLOCSET_SMALL_SIZES);
    caller = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
    site->id = makeStringInfo();
    MemoryContextSwitchTo(caller);
    fcinfo->flinfo->fn_extra = site;
    return site;
}

/* Finds the estimator that the call names. Fails if a row names another than the rows before. */
static void read_estimator(FunctionCallInfo fcinfo, ValidationSite *site)
{
    const text *argument;
    const char *name;
    Size length;

    if (PG_ARGISNULL(NAME_ARGUMENT))
        env_fail(host_env(), ERROR_PARAMETER, "Name one, such as 'ridge_regression'.", "the estimator of cross_validate is null");
    argument = PG_GETARG_TEXT_PP(NAME_ARGUMENT);
    name = VARDATA_ANY(argument);
    length = VARSIZE_ANY_EXHDR(argument);
    if (site->estimator != NULL && strlen(site->estimator->name) == length && memcmp(site->estimator->name, name, length) == 0)
        return;
    site->estimator = validation_estimator(host_env(), name, length);
    site->read = false;
    site->step = NULL;
}

/* Returns the options that say what to do about a failure: those of the call, or those of the estimator inside. */
static const Options *failure_options(const ValidationOptions *options)
{
    return options_given(options->judging, "on_failure") ? options->judging : options->estimator;
}

/* Parses the options unless they have the bytes of the last row's. */
static void read_options(FunctionCallInfo fcinfo, ValidationSite *site)
{
    bool given = PG_NARGS() > OPTIONS_ARGUMENT && !PG_ARGISNULL(OPTIONS_ARGUMENT);
    const struct varlena *raw = given ? (const struct varlena *)PG_GETARG_POINTER(OPTIONS_ARGUMENT) : NULL;
    ValidationOptions options;
    MemoryContext caller;
    char *json = NULL;
    Size length = 0;

    if (site->read && (raw == NULL) == (site->raw == NULL) &&
        (raw == NULL || (VARSIZE_ANY(raw) == site->raw_size && memcmp(raw, site->raw, site->raw_size) == 0)))
        return;
    site->read = false;
    site->raw = NULL;
    MemoryContextReset(site->context);
    caller = MemoryContextSwitchTo(site->context);
    if (given) {
        site->raw_size = VARSIZE_ANY(raw);
        site->raw = palloc(site->raw_size);
        env_copy(host_env(), site->raw, raw, site->raw_size);
        json = json_text(DatumGetJsonbP(PointerGetDatum(raw)));
        length = strlen(json);
    }
    options = validation_options(host_env(), site->estimator, json, length);
    MemoryContextSwitchTo(caller);
    site->function.fcinfo = fcinfo;
    if (site->step == NULL)
        site->step = step_site_begin(&site->function, fit_aggregate_of(site->estimator), true);
    call_options_take(&site->step->call, options.reader, options.json, options.json_length);
    site->step->call.on_failure = options_is(failure_options(&options), "on_failure", "null");
    site->read = true;
}

/* Reads what decides about the row's fold into its tag; returns false where it is NULL. */
static bool read_tag(FunctionCallInfo fcinfo, const StepSite *step, char tag[ROW_TAG_SIZE])
{
    const SpecialColumn *special = &step->call.special;
    Datum features = PG_GETARG_DATUM(step->features_argument);
    const char *group;
    uint32_t length;
    double number;

    if (special->fold == SPECIAL_GROUP) {
        group = features_id(step->features, features, special, &length);
        if (group != NULL)
            row_tag_hash(tag, key_hash(KEY_GROUP, 0, group, length));
        return group != NULL;
    }
    if (!(special->fold == SPECIAL_TIME ? features_time(step->features, features, special, &number)
                                       : features_fold(step->features, features, special, &number)))
        return false;
    row_tag_number(tag, number);
    return true;
}

/* Fails if rows of one group name different estimators. */
static void require_estimator(const RowsState *state, const Estimator *estimator)
{
    if (state->schema != NULL && strcmp(state->schema->estimator, estimator->name) != 0)
        env_fail(host_env(), ERROR_PARAMETER, "Name one estimator for all rows of a group.",
                 "cross_validate evaluates one estimator, but rows name %.31s and %s", state->schema->estimator, estimator->name);
}

static unsigned contents_of(const StepSite *step, bool tagged)
{
    return (step->fit_aggregate.supervised ? ROWS_TARGET : 0) | (step->weight_argument >= 0 ? ROWS_WEIGHT : 0) |
           (tagged ? ROWS_ID : 0);
}

/* cross_validate_step(state, target, features, estimator [, options [, weight]]) */
PG_FUNCTION_INFO_V1(pgfit_cross_validate_step);
PGDLLEXPORT Datum pgfit_cross_validate_step(PG_FUNCTION_ARGS)
{
    ValidationSite *site;
    RowsState *state;
    StepSite *step;
    Model *schema;
    StepRow row;
    char tag[ROW_TAG_SIZE] = {0};
    const SpecialColumn *special;
    bool tagged;

    step_require_aggregate(fcinfo);
    site = validation_site(fcinfo);
    read_estimator(fcinfo, site);
    read_options(fcinfo, site);
    step = site->step;
    state = rows_state_of(fcinfo);
    require_estimator(state, site->estimator);
    if (!rows_step_read(step, fcinfo, state, &schema, &row))
        PG_RETURN_POINTER(state);
    special = &step->call.special;
    tagged = special->use != SPECIAL_NONE || PG_NARGS() > JUDGED_ARGUMENT || step->several_targets;
    if (row.used && special->fold != SPECIAL_NONE)
        row.used = read_tag(fcinfo, step, tag);
    rows_state_adopt(state, schema != NULL ? schema : state_blank(step));
    if (!row.used) {
        state->schema->skipped++;
        PG_RETURN_POINTER(state);
    }
    row_tag_set_judged(tag, PG_NARGS() <= JUDGED_ARGUMENT || (!PG_ARGISNULL(JUDGED_ARGUMENT) && PG_GETARG_BOOL(JUDGED_ARGUMENT)));
    resetStringInfo(site->id);
    appendBinaryStringInfo(site->id, tag, sizeof tag);
    if (special->use == SPECIAL_EVENT)
        appendBinaryStringInfo(site->id, row.id, (int)row.id_length);
    if (step->several_targets && row.end_count > 0)
        appendBinaryStringInfo(site->id, (const char *)row.ends, (int)(row.end_count * sizeof(double)));
    row.id = site->id->data;
    row.id_length = (uint32)site->id->len;
    rows_step_keep(step, fcinfo, state, contents_of(step, tagged), &row);
    PG_RETURN_POINTER(state);
}

/* Returns the scores as an array; of candidates with one row for each. */
static Datum scores_datum(FunctionCallInfo fcinfo, const CrossValidation *validation, const ValidationOptions *options, MemoryContext caller)
{
    static const char *const hint = "Compute fewer metrics, or use fewer folds.";
    uint32_t count;
    const FoldScore *scores = cross_validation_scores(host_env(), validation, &count);
    CompositeList list = composites(fcinfo, 5, count, "the scores");

    for (uint32_t i = 0; i < count; i++) {
        const FoldScore *score = &scores[i];
        Datum values[] = {CStringGetTextDatum(score->metric), Int64GetDatum(isnan(score->fold) ? 0 : (int64)score->fold),
                          Float8GetDatum(score->value), Float8GetDatum(score->std_error), Int64GetDatum((int64)score->rows)};
        bool nulls[] = {false, isnan(score->fold), isnan(score->value), isnan(score->std_error), false};

        composites_add(&list, values, nulls);
    }
    return options_given(options->judging, "candidates") ? composites_matrix(&list, (int)options->candidate_count, caller, hint)
                                                     : composites_array(&list, caller, hint);
}

/* One group's validation, for guarded_fit. */
typedef struct ValidationWork {
    FunctionCallInfo fcinfo;
    const RowsState *state;
    const Estimator *estimator;
    ValidationOptions options;
    MemoryContext caller, all; /* of the result, and of all folds */
    CrossValidation *validation;
    Datum result;
} ValidationWork;

static void run_validation(void *argument)
{
    ValidationWork *work = argument;
    CrossValidation *validation;

    features_require_references(work->state->schema, work->options.estimator);
    validation = work->validation = cross_validation_open(host_env(), work->state->rows, work->estimator, &work->options);
    cross_validation_all(host_env(), validation);
    work->result = scores_datum(work->fcinfo, validation, &work->options, work->caller);
}

/* cross_validate_final(state): NULL without rows */
PG_FUNCTION_INFO_V1(pgfit_cross_validate_final);
PGDLLEXPORT Datum pgfit_cross_validate_final(PG_FUNCTION_ARGS)
{
    ValidationWork work = {.fcinfo = fcinfo, .caller = CurrentMemoryContext};
    StepFailure failure;
    bool done;

    step_require_aggregate(fcinfo);
    if (PG_ARGISNULL(0))
        PG_RETURN_NULL();
    work.state = (const RowsState *)PG_GETARG_POINTER(0);
    if (work.state->rows == NULL && work.state->failure == NULL)
        PG_RETURN_NULL();
    failure = (StepFailure){work.state->failure, work.state->failure_hint};
    work.estimator = estimator_of(work.state->schema);
    work.all = fit_context(work.caller, work.state->rows); /* what all folds share */
    MemoryContextSwitchTo(work.all);
    work.options = validation_options_of(host_env(), work.estimator, work.state->schema);
    done = guarded_fit(fcinfo, work.estimator, failure_options(&work.options), work.state->failure ? 0 : rows_count(work.state->rows),
                       work.state->failure ? raise_step_failure : run_validation, work.state->failure ? (void *)&failure : &work);
    if (!done && work.validation != NULL)
        cross_validation_abandon(work.validation);
    else if (!done && work.state->rows != NULL)
        rows_end_readers(work.state->rows);
    MemoryContextSwitchTo(work.caller);
    MemoryContextDelete(work.all);
    if (!done)
        PG_RETURN_NULL();
    return work.result;
}
