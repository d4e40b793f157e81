/*
 * fit_moments.c - fit(estimator, moments, options).
 */
#include "pg/aggregate/aggregate.h"

/* The call site of fit over moments, in fn_extra. */
typedef struct MomentsSite {
    FitAggregate fit_aggregate; /* name NULL: none yet */
    CallOptions call;
    uint32_t checked; /* results, see result_checked */
} MomentsSite;

/* Returns the estimator of this name. Fails unless it fits moments. */
static const Estimator *estimator_of_moments(const char *name)
{
    const Estimator *estimator = fit_estimator(name);

    if (estimator->input == INPUT_ROWS)
        ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE), errmsg("%s needs rows, not moments", estimator->name),
                        errhint("Call the aggregate pgfit.%s over the rows, or pass a table or a query to fit.", estimator->name)));
    return estimator;
}

/* Returns the call site, with the estimator that argument 0 names and the options of argument 2. */
static MomentsSite *moments_site(FunctionCallInfo fcinfo)
{
    MomentsSite *site = fcinfo->flinfo->fn_extra;
    const text *name = PG_GETARG_TEXT_PP(0);
    size_t length = VARSIZE_ANY_EXHDR(name);
    const char *known;

    if (site == NULL) {
        site = fcinfo->flinfo->fn_extra = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(MomentsSite));
        call_options_init(&site->call, fcinfo, 2, 0, true);
    }
    known = site->fit_aggregate.name;
    if (known == NULL || strlen(known) != length || memcmp(known, VARDATA_ANY(name), length) != 0) {
        site->fit_aggregate = fit_aggregate_of(estimator_of_moments(text_to_cstring(name)));
        site->call.parsed = false;
    }
    call_options_read(&site->call, fcinfo, &site->fit_aggregate);
    return site;
}

/* fit(estimator, moments, options) */
PG_FUNCTION_INFO_V1(pgfit_fit_moments);
PGDLLEXPORT Datum pgfit_fit_moments(PG_FUNCTION_ARGS)
{
    FitInput input = {0};
    MomentsSite *site;

    if (PG_ARGISNULL(0))
        ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("argument estimator of fit is null")));
    if (PG_ARGISNULL(1))
        PG_RETURN_NULL();
    site = moments_site(fcinfo);
    input.moments = PG_GETARG_MODEL(1);
    input.kind = (InputKind)input.moments->kind;
    moments_require(input.moments, &site->fit_aggregate);
    return moments_fit(fcinfo, site->fit_aggregate.estimator, site->call.options, &input, NULL, &site->checked);
}
