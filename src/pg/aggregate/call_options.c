/*
 * call_options.c - options and positional numbers of an aggregate call: parsed at the first row of a call site, and again
 * only if their bytes change.
 */
#include "pg/aggregate/aggregate.h"
#include "pg/type/json_text.h"
#include "pg/values/sql_value.h"
#include "core/estimator/class_options.h"
#include "core/estimator/formula_options.h"
#include "core/linear_equations/linear_options.h"
#include "core/normal/covariance_shrinkage.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "nodes/primnodes.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"

/* Options that are fixed when moments are computed, so they cannot be given when a model is fitted from them; but for formulas with random effects. */
static const char *const row_options[] = {"features", "nulls", "max_levels", "weight_kind",
                                          "folds",    "fold_column", "keep_rows",
                                          "absorb",   "cluster",     "order",
                                          "formula",  "missing", "reference", "unseen"};

void call_options_init(CallOptions *call, FunctionCallInfo fcinfo, int first, unsigned numbers, bool from_moments)
{
    call->first_number = first;
    call->number_count = numbers;
    call->options_argument = PG_NARGS() > first + (int)numbers ? first + (int)numbers : -1;
    call->from_moments = from_moments;
    call->context = AllocSetContextCreate(fcinfo->flinfo->fn_mcxt, "pgfit options",
                                          ALLOCSET_SMALL_SIZES);
}

/* Is the argument the one parsed last? Compares bytes, because another row's value may be at the same address. */
static bool same_json(const CallOptions *call, FunctionCallInfo fcinfo)
{
    const char *raw;

    if (call->options_argument < 0 || PG_ARGISNULL(call->options_argument))
        return call->raw_size == 0;
    raw = PG_GETARG_POINTER(call->options_argument);
    return call->raw_size > 0 && VARSIZE_ANY(raw) == call->raw_size &&
           memcmp(raw, call->raw, call->raw_size) == 0;
}

static bool same_numbers(const CallOptions *call, FunctionCallInfo fcinfo)
{
    for (unsigned i = 0; i < call->number_count; i++) {
        int argument = call->first_number + (int)i;

        if (call->given[i] == PG_ARGISNULL(argument))
            return false;
        if (call->given[i] && call->numbers[i] != (int64_t)PG_GETARG_DATUM(argument))
            return false;
    }
    return true;
}

static void read_numbers(CallOptions *call, FunctionCallInfo fcinfo, const Estimator *estimator,
                         double *values)
{
    for (unsigned i = 0; i < call->number_count; i++) {
        int argument = call->first_number + (int)i;
        const char *name = estimator->positional[i];
        Datum datum = PG_GETARG_DATUM(argument);

        values[i] = NAN;
        call->given[i] = !PG_ARGISNULL(argument);
        if (!call->given[i])
            continue;
        call->numbers[i] = (int64_t)datum;
        values[i] = fit_aggregate_number_is_bigint(estimator, name) ? (double)DatumGetInt64(datum)
                                                                    : DatumGetFloat8(datum);
        if (isnan(values[i]))
            env_fail(host_env(), ERROR_PARAMETER, NULL, "%s is NaN", name);
    }
}

/* Tells whether this is the cast from jsonb to options, which returns its argument unchanged. */
static bool is_cast_of_jsonb(const FuncExpr *call)
{
    return (call->funcformat == COERCE_IMPLICIT_CAST || call->funcformat == COERCE_EXPLICIT_CAST) && list_length(call->args) == 1 &&
           exprType(linitial(call->args)) == JSONBOID && call->funcresulttype == options_type_oid();
}

/*
 * Is the argument a constant or a parameter, the same for all rows of an execution? Large values, such as starting
 * centroids, are then not compared at every row: with 100 of five features kmeans takes 1.6 times as long without this.
 */
static bool json_is_fixed(FunctionCallInfo fcinfo, int argument)
{
    const Node *node = aggregate_argument(fcinfo, argument);

    if (node != NULL && IsA(node, RelabelType)) /* a domain */
        node = (const Node *)((const RelabelType *)node)->arg;
    if (node != NULL && IsA(node, FuncExpr) && is_cast_of_jsonb((const FuncExpr *)node))
        node = linitial(((const FuncExpr *)node)->args);
    return node != NULL && !call_is_relayed(fcinfo) && (IsA(node, Const) || IsA(node, Param));
}

/* Is the argument at the same address, in the same group's execution? The first row of a group is always compared. */
static bool unchanged_json(const CallOptions *call, FunctionCallInfo fcinfo)
{
    return call->fixed && !PG_ARGISNULL(0) && !PG_ARGISNULL(call->options_argument) &&
           PG_GETARG_POINTER(call->options_argument) == call->address;
}

/* Keeps the argument's bytes for the next comparison and returns the options as JSON; NULL: no options. */
static const char *read_json(CallOptions *call, FunctionCallInfo fcinfo, size_t *length)
{
    struct varlena *raw;
    char *text;

    *length = 0;
    if (call->options_argument < 0 || PG_ARGISNULL(call->options_argument))
        return NULL;
    raw = (struct varlena *)PG_GETARG_POINTER(call->options_argument);
    call->address = raw;
    call->fixed = json_is_fixed(fcinfo, call->options_argument);
    call->raw_size = VARSIZE_ANY(raw);
    call->raw = palloc(call->raw_size);
    env_copy(host_env(), call->raw, raw, call->raw_size);
    text = json_text(DatumGetJsonbP(PointerGetDatum(raw)));
    *length = strlen(text);
    return text;
}

static uint8_t options_flags(const Options *options)
{
    uint8_t flags = 0;

    if (options_is(options, "nulls", "impute"))
        flags |= MODEL_IMPUTE;
    if (options_is(options, "nulls", "error"))
        flags |= MODEL_NULL_ERROR;
    if (options_is(options, "nulls", "branch"))
        flags |= MODEL_NULL_VALUES;
    if (options_is(options, "unseen", "error"))
        flags |= MODEL_UNSEEN_ERROR;
    if (options_is(options, "weight_kind", "frequency"))
        flags |= MODEL_FREQUENCY;
    if (options_folded(options))
        flags |= MODEL_FOLDED;
    return flags;
}

static void refuse_row_options(const Options *options, const FitAggregate *fit_aggregate)
{
    bool takes_bars = fit_aggregate->estimator != NULL && fit_aggregate->estimator->takes_bars;

    for (size_t i = 0; i < lengthof(row_options); i++)
        if (options_given(options, row_options[i]) && !(takes_bars && strcmp(row_options[i], "formula") == 0))
            env_fail(host_env(), ERROR_PARAMETER,
                     "Give the option when computing the moments, or fit from the rows.",
                     "option \"%s\" of %s was fixed when the moments were computed",
                     row_options[i], fit_aggregate->name);
}

/* Parses options and numbers; an intercept that the formula leaves out becomes an option. */
static Options *parse_call(const CallOptions *call, const FitAggregate *fit_aggregate, const char *json, size_t length,
                           const double *numbers)
{
    const Estimator *estimator = fit_aggregate->estimator;
    const char *const *names = estimator ? estimator->positional : NULL;
    Options *options = options_parse(host_env(), fit_aggregate->name, fit_aggregate_options(fit_aggregate), json, length, names,
                                     numbers, call->number_count);

    return formula_intercept_option(host_env(), fit_aggregate->name, fit_aggregate_options(fit_aggregate), options, formula_option(options));
}

/* Reads what the options say about rows. */
static void read_row_options(CallOptions *call)
{
    call->flags = options_flags(call->options);
    call->on_failure = options_has(call->options, "on_failure") && options_given(call->options, "on_failure") &&
                       options_is(call->options, "on_failure", "null");
    call->leaves_out = class_weight_has_zero(call->options);
    call->special = special_column(call->options);
    call->tags = special_tags(&call->special);
    call->max_levels = (uint32_t)options_integer(call->options, "max_levels");
    if (call->kind == INPUT_ROWS)
        call->flags &= (uint8_t)~MODEL_FOLDED; /* rows are assigned to folds when all are there */
}

const Options *call_options_of_moments(const CallOptions *call, const FitAggregate *fit_aggregate, const Model *moments)
{
    return formula_intercept_option(host_env(), fit_aggregate->name, fit_aggregate_options(fit_aggregate), call->options,
                                    formula_of_moments(host_env(), moments));
}

void call_options_take(CallOptions *call, Options *options, const char *json, uint32_t length)
{
    call->options = options;
    call->json = json;
    call->json_length = length;
    call->hash = options_text_hash(host_env(), json, length);
    call->kind = INPUT_ROWS;
    read_row_options(call);
    call->parsed = true;
}

/* Reads options and numbers that differ from those read last. */
static pg_noinline void read_again(CallOptions *call, FunctionCallInfo fcinfo, const FitAggregate *fit_aggregate)
{
    const Estimator *estimator = fit_aggregate->estimator;
    double numbers[POSITIONAL_MAX];
    MemoryContext caller;
    const char *json;
    size_t length;

    call->parsed = call->fixed = false;
    call->raw_size = 0;
    MemoryContextReset(call->context);
    caller = MemoryContextSwitchTo(call->context);
    json = read_json(call, fcinfo, &length);
    read_numbers(call, fcinfo, estimator, numbers);
    call->options = parse_call(call, fit_aggregate, json, length, numbers);
    if (call->from_moments)
        refuse_row_options(call->options, fit_aggregate);
    call->json = options_json(call->options, &call->json_length);
    call->hash = options_hash(call->options);
    call->keep_rows = options_keep_rows(call->options);
    call->fourth_moments = options_fourth_moments(call->options);
    call->kind = estimator ? estimator_input(estimator, call->options) : fit_aggregate->kind;
    if (!call->own_alone)
        read_row_options(call);
    MemoryContextSwitchTo(caller);
    call->parsed = true;
}

void call_options_read(CallOptions *call, FunctionCallInfo fcinfo, const FitAggregate *fit_aggregate)
{
    if (unlikely(!call->parsed || !(unchanged_json(call, fcinfo) || same_json(call, fcinfo)) || !same_numbers(call, fcinfo)))
        read_again(call, fcinfo, fit_aggregate);
}
