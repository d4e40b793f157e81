/*
 * key_folds.c - split, fold and bootstrap_weight: a key's side of a split, its fold, how often a bootstrap sample has it.
 */
#include "pg/features/features.h"
#include "core/base/random.h"
#include "core/validation/key_fold.h"

/* Returns the hash of the key, argument 0, with the seed, argument 2. */
static uint64_t hash_of_key(FunctionCallInfo fcinfo, KeyUse use)
{
    uint32_t length;
    ValueReader *reader = value_reader(fcinfo, 0, (ValueReader **)&fcinfo->flinfo->fn_extra);
    const char *text;

    value_require_equality(reader, InvalidOid, NULL);
    text = value_text(reader, PG_GETARG_DATUM(0), &length);
    return key_hash(use, (uint64_t)PG_GETARG_INT64(2), text, length);
}

/* split(key, fraction, seed) */
PG_FUNCTION_INFO_V1(pgfit_split);
PGDLLEXPORT Datum pgfit_split(PG_FUNCTION_ARGS)
{
    double fraction = PG_GETARG_FLOAT8(1);

    if (!(fraction >= 0 && fraction <= 1))
        env_fail(host_env(), ERROR_PARAMETER, "Give the share of keys that are true, such as 0.8.",
                 "the fraction of split is %g, not between 0 and 1", fraction);
    PG_RETURN_BOOL(key_unit(hash_of_key(fcinfo, KEY_SPLIT)) < fraction);
}

/* bootstrap_weight(key, sample, seed) */
PG_FUNCTION_INFO_V1(pgfit_bootstrap_weight);
PGDLLEXPORT Datum pgfit_bootstrap_weight(PG_FUNCTION_ARGS)
{
    uint64_t hash = hash_of_key(fcinfo, KEY_BOOTSTRAP);

    PG_RETURN_FLOAT8(key_bootstrap(mix64(hash + (uint64_t)PG_GETARG_INT32(1) * RANDOM_STEP)));
}

/* fold(key, k, seed) */
PG_FUNCTION_INFO_V1(pgfit_fold);
PGDLLEXPORT Datum pgfit_fold(PG_FUNCTION_ARGS)
{
    int32 folds = PG_GETARG_INT32(1);

    if (folds < 2)
        env_fail(host_env(), ERROR_PARAMETER, "Ask for at least 2 folds, such as 5.", "fold cannot make %d fold%s", folds, folds == 1 ? "" : "s");
    PG_RETURN_INT32((int32)key_fold(hash_of_key(fcinfo, KEY_FOLD), (uint32_t)folds));
}
