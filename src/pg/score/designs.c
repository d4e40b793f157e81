/*
 * designs.c - design(), the columns of a row as a model sees them, and terms(), their names.
 */
#include "pg/score/scoring.h"
#include "core/inspection/design_columns.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/memutils.h"

/* Returns the columns of the model, kept for the rows that follow. */
static const DesignColumns *design_of(FunctionCallInfo fcinfo, ScoringCall *call)
{
    MemoryContext caller;

    if (call->known == scorer_identity(call->scorer))
        return call->columns;
    caller = MemoryContextSwitchTo(scoring_facts(fcinfo, call));
    call->columns = design_columns(host_env(), call->scorer->model);
    MemoryContextSwitchTo(caller);
    call->known = scorer_identity(call->scorer);
    return call->columns;
}

PG_FUNCTION_INFO_V1(pgfit_design);
PGDLLEXPORT Datum pgfit_design(PG_FUNCTION_ARGS)
{
    ScoringCall *call = scoring_open(fcinfo);
    const DesignColumns *columns = design_of(fcinfo, call);
    double *out = scoring_numbers(fcinfo, call, columns->count);

    if (!scoring_row(fcinfo, call))
        PG_RETURN_NULL();
    design_columns_row(columns, call->slots, out);
    return give_array(out, columns->count);
}

PG_FUNCTION_INFO_V1(pgfit_terms);
PGDLLEXPORT Datum pgfit_terms(PG_FUNCTION_ARGS)
{
    Env *env = host_env();
    const Model *model = PG_GETARG_SOUND_MODEL(0);
    const DesignColumns *columns = design_columns(env, model);
    Datum *names = palloc((columns->count + 1) * sizeof(Datum));

    for (uint32_t i = 0; i < columns->count; i++) {
        names[i] = CStringGetTextDatum(design_column_name(env, model, columns, i));
        if (i % 256 == 0)
            env->poll(env);
    }
    PG_RETURN_ARRAYTYPE_P(construct_array(names, (int)columns->count, TEXTOID, -1, false, TYPALIGN_INT));
}
