/*
 * distributions.c - functions of models made of normal distributions.
 */
#include "pg/backend/result_rows.h"
#include "pg/score/scoring.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/memutils.h"

/* Numbers as float8[], rows = 0: of one dimension. */
static Datum array_of(const double *numbers, uint32 rows, uint32 columns)
{
    Size count = (Size)columns * Max(rows, 1);
    int sizes[2] = {(int)rows, (int)columns}, starts[2] = {1, 1};
    Datum *values;

    if (!AllocSizeIsValid(count * sizeof(Datum)))
        ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                        errmsg("an array of %zu numbers is too large", (size_t)count)));
    values = palloc(count * sizeof(Datum));
    for (Size i = 0; i < count; i++)
        values[i] = Float8GetDatum(numbers[i]);
    return PointerGetDatum(construct_md_array(values, NULL, rows > 0 ? 2 : 1, rows > 0 ? sizes : sizes + 1,
                                              starts, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL,
                                              TYPALIGN_DOUBLE));
}

PG_FUNCTION_INFO_V1(pgfit_distributions);
PGDLLEXPORT Datum pgfit_distributions(PG_FUNCTION_ARGS)
{
    Scorer scorer = {.model = PG_GETARG_SOUND_MODEL(0)};
    Distributions list;
    TupleDesc description;
    Tuplestorestate *store;

    scorer.estimator = estimator_of(scorer.model);
    if (scorer.estimator == NULL || scorer.estimator->distributions == NULL)
        fail_unsupported(&scorer, "distributions");
    scorer.estimator->distributions(host_env(), scorer.model, &list);
    store = rows_begin(fcinfo, &description);
    for (uint32 i = 0; i < list.count; i++) {
        Datum values[4];
        bool nulls[4] = {false};

        CHECK_FOR_INTERRUPTS();
        values[0] = Int32GetDatum((int32)i + 1);
        values[1] = Float8GetDatum(list.weights[i]);
        values[2] = array_of(list.means + (size_t)i * list.dims, 0, list.dims);
        values[3] = array_of(list.covariances + (size_t)i * list.dims * list.dims, list.dims, list.dims);
        tuplestore_putvalues(store, description, values, nulls);
    }
    return (Datum)0;
}
