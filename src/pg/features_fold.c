/*
 * features_fold.c - the column of a row that says which fold of cross-validation it is in.
 */
#include "features_internal.h"

#include <math.h>

static void __attribute__((noreturn)) fail_number(const char *name)
{
    env_fail(host_env(), ERROR_DATA, "Give each row the whole number of its fold, such as id % 10.",
             "column \"%s\" of folds is not a whole number", name);
}

uint32_t source_fold_column(const Source *source, const char *name)
{
    int found = source_find(source, name);

    if (found < 0)
        env_fail(host_env(), ERROR_PARAMETER, source_list(source),
                 "option \"fold_column\" names \"%s\", which the row does not have", name);
    return (uint32_t)found;
}

bool features_fold(FeatureReader *reader, Datum datum, const char *column, double *fold)
{
    const char *place, *value;
    const Source *source;
    bool overflow = false, json = reader->type.reading == READING_JSONB;
    Datum buffer;
    uint32_t found;

    if (!json && reader->type.reading != READING_ROW)
        env_fail(host_env(), ERROR_PARAMETER,
                 "Give the features as a row with names: LATERAL (SELECT a, b, fold) AS f.",
                 "option \"fold_column\" names \"%s\", and the features are no row", column);
    place = DatumGetPointer(datum);
    source = json ? reader_json_source(reader, place) : reader_row_source(reader, place);
    found = source_fold_column(source, column);
    if (json) {
        if (!json_value_number(reader, place, found, fold))
            return false;
    } else {
        Reading reading = source->columns[found].reading;

        if (!reading_is_plain_number(reading))
            fail_number(column);
        value = tuple_value(source, place, found, &buffer);
        if (value == NULL)
            return false;
        *fold = reading_number(reading, value, &overflow);
    }
    if (!(fabs(*fold) < 1e15) || *fold != floor(*fold) || overflow)
        fail_number(column);
    *fold += 0.0; /* -0 as 0 */
    return true;
}
