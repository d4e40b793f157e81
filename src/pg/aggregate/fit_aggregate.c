/*
 * fit_aggregate.c - which estimator an aggregate fits, from which input, with which arguments.
 */
#include "pg/aggregate/aggregate.h"
#include "core/normal/covariance_shrinkage.h"

#include "catalog/pg_type.h"

const Estimator *fit_estimator(const char *name)
{
    const Estimator *estimator = estimator_find(name);

    if (estimator == NULL || estimator->fit == NULL)
        fail_estimator(name, "estimator", true);
    return estimator;
}

void fail_estimator(const char *name, const char *kind, bool fits)
{
    const char *names[256] = {NULL}, *nearest;
    uint32_t count = 0;

    for (const Estimator *const *e = estimators; *e != NULL && count < lengthof(names); e++)
        if (!fits || (*e)->fit != NULL)
            names[count++] = (*e)->name;
    nearest = nearest_method(name, strlen(name), names, count);
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("there is no %s \"%s\"%s", kind, name, fits ? " to fit" : ""),
                    nearest != NULL ? errhint("Did you mean \"%s\"? Estimators are %s.", nearest, estimator_names(host_env()))
                                    : errhint("Estimators are %s.", estimator_names(host_env()))));
}

FitAggregate fit_aggregate_of(const Estimator *estimator)
{
    return (FitAggregate){.name = estimator->name,
                          .kind = estimator->input,
                          .supervised = estimator->supervised,
                          .identified = estimator->identified,
                          .estimator = estimator};
}

FitAggregate fit_aggregate_of_call(const SupportFunction *function, bool over_rows)
{
    static const InputKind kinds[] = {INPUT_MOMENTS, INPUT_CLASS_MOMENTS, INPUT_FEATURE_MOMENTS};
    const Estimator *estimator = estimator_find(function->aggregate);

    for (size_t i = 0; i < lengthof(kinds) && !over_rows; i++)
        if (strcmp(function->aggregate, input_kind_name(kinds[i])) == 0)
            return (FitAggregate){.name = input_kind_name(kinds[i]),
                                  .kind = kinds[i],
                                  .supervised = kinds[i] != INPUT_FEATURE_MOMENTS};
    if (estimator == NULL || estimator->fit == NULL || (estimator->input == INPUT_ROWS) != over_rows)
        fail_support_function(function->fcinfo);
    return fit_aggregate_of(estimator);
}

const OptionSpec *const *fit_aggregate_options(const FitAggregate *fit_aggregate)
{
    if (fit_aggregate->estimator)
        return fit_aggregate->estimator->options;
    return fit_aggregate->kind == INPUT_MOMENTS ? moments_options : fourth_moments_options;
}

bool fit_aggregate_number_is_bigint(const Estimator *estimator, const char *name)
{
    const OptionSpec *spec = estimator ? option_find(estimator->options, name) : NULL;

    return spec && (spec->types & OPTION_INTEGER) && !(spec->types & OPTION_NUMBER);
}

unsigned fit_aggregate_numbers(const FitAggregate *fit_aggregate, const SupportFunction *function, int first)
{
    const Estimator *estimator = fit_aggregate->estimator;
    const char *const *names = estimator ? estimator->positional : NULL;
    const Oid *arguments = function->arguments;
    const Oid options = options_type_oid();
    int count = function->argument_count, next = first;

    if (first > count || count > function->fcinfo->nargs)
        fail_support_function(function->fcinfo);
    if (names && next < count && arguments[next] != options) {
        for (unsigned i = 0; names[i]; i++, next++)
            if (i == POSITIONAL_MAX || next >= count ||
                arguments[next] != (fit_aggregate_number_is_bigint(estimator, names[i]) ? INT8OID : FLOAT8OID))
                fail_support_function(function->fcinfo);
    }
    if (count > next + 2 || (count > next && arguments[next] != options) ||
        (count > next + 1 && arguments[next + 1] != FLOAT8OID)) /* options, weight */
        fail_support_function(function->fcinfo);
    return (unsigned)(next - first);
}

bool fit_aggregate_takes_labels(const FitAggregate *fit_aggregate)
{
    return fit_aggregate->kind == INPUT_CLASS_MOMENTS ||
           (fit_aggregate->kind == INPUT_ROWS && estimator_classifies(fit_aggregate->estimator));
}

int features_argument(const FitAggregate *fit_aggregate)
{
    return fit_aggregate->supervised || fit_aggregate->identified ? 2 : 1;
}

static bool takes(const FitAggregate *fit_aggregate, const Model *value)
{
    InputKind kind = (InputKind)value->kind;

    return kind == fit_aggregate->kind ||
           (fit_aggregate->estimator && estimator_takes(fit_aggregate->estimator, kind));
}

void moments_require(const Model *value, const FitAggregate *fit_aggregate)
{
    const Estimator *estimator = fit_aggregate->estimator;
    bool rows = fit_aggregate->kind == INPUT_ROWS; /* or moments of the other kind */
    InputKind kind = rows ? estimator->other_input : fit_aggregate->kind;
    const char *arguments = kind == INPUT_MOMENTS         ? "target, features"
                            : kind == INPUT_CLASS_MOMENTS ? "label, features"
                                                          : "features";
    char hint[128], kinds[64];

    if (takes(fit_aggregate, value))
        return;
    snprintf(hint, sizeof hint, "Compute them with pgfit.%s(%s).", input_kind_name(kind), arguments);
    if (!rows && estimator && estimator->other_input != 0)
        snprintf(kinds, sizeof kinds, "%s or %s", input_kind_name(kind), input_kind_name(estimator->other_input));
    else
        snprintf(kinds, sizeof kinds, "%s", input_kind_name(kind));
    if (value->kind == MODEL_FITTED)
        env_fail(host_env(), ERROR_KIND, hint, "%s needs %s, but this is a fitted model of %.32s", fit_aggregate->name, kinds,
                 value->estimator);
    env_fail(host_env(), ERROR_KIND, hint, "%s needs %s, but this is %s", fit_aggregate->name, kinds,
             input_kind_name(value->kind));
}
