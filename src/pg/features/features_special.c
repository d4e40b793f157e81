/*
 * features_aside.c - the column of a row that is set aside: the fold of cross-validation, or the row's id.
 */
#include "pg/features/features_internal.h"

#include <math.h>

#include "utils/builtins.h"

static void __attribute__((noreturn)) fail_number(const char *name)
{
    env_fail(host_env(), ERROR_DATA, "Give each row the whole number of its fold, such as id % 10.",
             "column \"%s\" of folds is not a whole number", name);
}

uint32_t source_aside_column(const Source *source, const ColumnAside *aside)
{
    int found = source_find(source, aside->column);

    if (found < 0)
        env_fail(host_env(), ERROR_PARAMETER, source_list(source),
                 "option \"%s\" names \"%s\", which the row does not have", aside->option, aside->column);
    return (uint32_t)found;
}

/* Where the column is: the row's source, and its place there. */
static const Source *find_aside(FeatureReader *reader, const char *place, const ColumnAside *aside, uint32_t *column)
{
    bool json = reader->type.reading == READING_JSONB;
    const Source *source;

    if (!json && reader->type.reading != READING_ROW)
        env_fail(host_env(), ERROR_PARAMETER,
                 aside->use == ASIDE_FOLD ? "Give the features as a row with names: LATERAL (SELECT a, b, fold) AS f."
                                          : "Give the features as a row with names: LATERAL (SELECT a, b, id) AS f.",
                 "option \"%s\" names \"%s\", and the features are no row", aside->option, aside->column);
    source = json ? reader_json_source(reader, place) : reader_row_source(reader, place);
    *column = source_aside_column(source, aside);
    return source;
}

bool features_fold(FeatureReader *reader, Datum datum, const ColumnAside *aside, double *fold)
{
    const char *place = DatumGetPointer(datum), *value;
    uint32_t found;
    const Source *source = find_aside(reader, place, aside, &found);
    bool overflow = false;
    Datum buffer;

    if (reader->type.reading == READING_JSONB) {
        if (!json_value_number(reader, place, found, fold))
            return false;
    } else {
        Reading reading = source->columns[found].reading;

        if (!reading_is_plain_number(reading))
            fail_number(aside->column);
        value = tuple_value(source, place, found, &buffer);
        if (value == NULL)
            return false;
        *fold = reading_number(reading, value, &overflow);
    }
    if (!(fabs(*fold) < 1e15) || *fold != floor(*fold) || overflow)
        fail_number(aside->column);
    *fold += 0.0; /* -0 as 0 */
    return true;
}

/* ---- ids ---- */

/* A value as it lies in a tuple, at any address, as a Datum of its own. */
static Datum datum_of_place(const SourceColumn *column, const char *place)
{
    Size size;
    char *copy;

    if (column->by_value) {
        switch (column->length) {
        case 1:
            return CharGetDatum(*place);
        case 2:
            return Int16GetDatum(READ_AT(int16, place));
        case 4:
            return Int32GetDatum(READ_AT(int32, place));
        default:
            return Int64GetDatum(READ_AT(int64, place));
        }
    }
    size = column->length > 0 ? (Size)column->length : column->length == -1 ? varlena_size(place) : strlen(place) + 1;
    copy = palloc(size);
    memcpy(copy, place, size);
    return PointerGetDatum(copy);
}

static ValueReader *id_reader(FeatureReader *reader, Oid type)
{
    if (reader->id == NULL || reader->id_type != type) {
        reader->id = value_reader_of_type(type, reader->context);
        reader->id_type = type;
    }
    return reader->id;
}

const char *source_aside_type(FeatureReader *reader, const Source *source, const ColumnAside *aside)
{
    const SourceColumn *column = &source->columns[source_aside_column(source, aside)];

    return column->reading == READING_JSONB ? "text" : value_type_name(id_reader(reader, column->type));
}

const char *features_id(FeatureReader *reader, Datum datum, const ColumnAside *aside, uint32_t *length)
{
    const char *place = DatumGetPointer(datum), *value;
    uint32_t found;
    const Source *source = find_aside(reader, place, aside, &found);
    Datum buffer;

    if (reader->type.reading == READING_JSONB)
        return json_value_text(reader, place, found, length);
    value = tuple_value(source, place, found, &buffer);
    if (value == NULL)
        return NULL;
    return value_text(id_reader(reader, source->columns[found].type), datum_of_place(&source->columns[found], value), length);
}
