/*
 * features_special.c - reads the special columns of a row, which are no features: the fold of cross-validation, the id, clusters, the place in an
 * order, the event that ends a time.
 */
#include "pg/features/features_internal.h"

#include <math.h>

#include "lib/stringinfo.h"

uint32_t source_special_column(const Source *source, const SpecialColumn *special, uint32_t number)
{
    const char *name = special->columns[number];
    int found = source_find(source, name);

    if (found < 0)
        env_fail(host_env(), ERROR_PARAMETER, source_hint(source, name, (uint32)strlen(name)),
                 "option \"%s\" names \"%s\", which the row does not have", special_option(special, number), name);
    return (uint32_t)found;
}

/* Returns the source of the row, and a special column in it. */
static const Source *find_special(FeatureReader *reader, const char *place, const SpecialColumn *special, uint32_t number, uint32_t *column)
{
    bool json = reader->type.value_kind == SQL_VALUE_JSONB;
    SpecialPlace *last = &reader->special[number];
    const Source *source;

    if (!json && reader->type.value_kind != SQL_VALUE_ROW)
        env_fail(host_env(), ERROR_PARAMETER,
                 special->use == SPECIAL_FOLD ? "Pass the features as a row with names: LATERAL (SELECT a, b, fold) AS f."
                                          : "Pass the features as a row with names: LATERAL (SELECT a, b, id) AS f.",
                 "option \"%s\" names \"%s\", but the features are not a row", special_option(special, number), special->columns[number]);
    source = json ? reader_json_source(reader, place) : reader_row_source(reader, place);
    if (json || last->source != source || last->generation != reader->generation ||
        !column_is_named(&source->columns[last->column], special->columns[number], (uint32)strlen(special->columns[number])))
        *last = (SpecialPlace){source, reader->generation, source_special_column(source, special, number)};
    *column = last->column;
    return source;
}

/* Reads a number from a special column, NaN where it is none. plain: times are none. Returns false where it is NULL. */
static bool special_number(FeatureReader *reader, Datum datum, const SpecialColumn *special, uint32_t place_of, bool plain, double *number)
{
    const char *place = DatumGetPointer(datum), *value;
    uint32_t found;
    const Source *source = find_special(reader, place, special, place_of, &found);
    SqlValueKind value_kind = source->columns[found].value_kind;
    bool overflow = false;
    Datum buffer;

    if (reader->type.value_kind == SQL_VALUE_JSONB)
        return json_value_number(reader, place, found, number);
    *number = NAN;
    if (!(plain ? sql_value_is_plain_number(value_kind) : sql_value_is_number(value_kind)))
        return true;
    value = row_value(reader, source, place, found, &buffer);
    if (value == NULL)
        return false;
    *number = sql_value_number(value_kind, value, &overflow);
    if (overflow)
        *number = NAN;
    return true;
}

bool features_time(FeatureReader *reader, Datum datum, const SpecialColumn *special, double *time)
{
    if (!special_number(reader, datum, special, special->fold_at, false, time))
        return false;
    if (isnan(*time))
        env_fail(host_env(), ERROR_DATA, "Name a column of dates, timestamps or numbers.",
                 "%s column \"%s\" is not a date, a timestamp or a number", special->fold == SPECIAL_TIME ? "time" : special->option, special->columns[special->fold_at]);
    return true;
}

bool features_fold(FeatureReader *reader, Datum datum, const SpecialColumn *special, double *fold)
{
    if (!special_number(reader, datum, special, special->fold_at, true, fold))
        return false;
    if (!(fabs(*fold) < 1e15) || *fold != floor(*fold))
        env_fail(host_env(), ERROR_DATA, "Number the folds, for example with id % 10.", "fold column \"%s\" is not a whole number", special->columns[special->fold_at]);
    *fold += 0.0; /* -0 becomes 0 */
    return true;
}

/* ---- ids ---- */

static ValueReader *id_reader(FeatureReader *reader, uint32_t number, Oid type)
{
    if (reader->id[number] == NULL || reader->id_type[number] != type) {
        reader->id[number] = value_reader_of_type(type, reader->context);
        reader->id_type[number] = type;
    }
    return reader->id[number];
}

const char *source_special_type(FeatureReader *reader, const Source *source, const SpecialColumn *special)
{
    const SourceColumn *column = &source->columns[source_special_column(source, special, 0)];

    return column->value_kind == SQL_VALUE_JSONB ? "text" : value_type_name(id_reader(reader, 0, column->type));
}

/* Returns the text of a special column in the reader's buffer or the row's memory; NULL: it is NULL. */
static const char *special_text(FeatureReader *reader, Datum datum, const SpecialColumn *special, uint32_t number, uint32_t *length)
{
    const char *place = DatumGetPointer(datum), *value;
    uint32_t found;
    const Source *source = find_special(reader, place, special, number, &found);
    ValueReader *text;
    Datum buffer;

    if (reader->type.value_kind == SQL_VALUE_JSONB)
        return json_value_text(reader, place, found, length);
    value = row_value(reader, source, place, found, &buffer);
    if (value == NULL)
        return NULL;
    text = id_reader(reader, number, source->columns[found].type);
    if (special->use != SPECIAL_ID) /* groups, clusters and strata */
        value_require_equality(text, source->columns[found].collation, special->columns[number]);
    return value_text(text, datum_of_place(&source->columns[found], value), length);
}

const char *features_id(FeatureReader *reader, Datum datum, const SpecialColumn *special, uint32_t *length)
{
    return special_text(reader, datum, special, special->fold_at, length);
}

bool features_tags(FeatureReader *reader, Datum datum, const SpecialColumn *special, double *tags)
{
    if (special->use == SPECIAL_ORDER)
        return features_time(reader, datum, special, tags);
    for (uint32_t i = 0; i < special->count; i++) {
        uint32_t length;
        const char *text = special_text(reader, datum, special, i, &length);

        if (text == NULL)
            return false;
        special_text_tags(text, length, tags + 2 * i);
    }
    return true;
}

const char *features_event(FeatureReader *reader, Datum datum, const SpecialColumn *special, uint32_t *length)
{
    double event, entry = -INFINITY;
    char head[EVENT_TAG_BYTES];

    if (!special_number(reader, datum, special, 0, true, &event))
        return NULL;
    if (event != 0 && event != 1) /* also NaN */
        env_fail(host_env(), ERROR_DATA, "Name a boolean column, or numbers of which 1 means that the event happened; pass a condition as a column of its own.",
                 isnan(event) ? "event column \"%s\" is neither a boolean nor a number" : "event column \"%s\" holds %g, which is neither 0 nor 1", special->columns[0], event);
    if (special->entry > 0 && !special_number(reader, datum, special, special->entry, true, &entry))
        return NULL;
    if (isnan(entry) || entry == INFINITY)
        env_fail(host_env(), ERROR_DATA, "Name a column of finite numbers in the unit of the time.", "entry column \"%s\" holds no finite number",
                 special->columns[special->entry]);
    if (reader->event == NULL) {
        MemoryContext caller = MemoryContextSwitchTo(reader->context);

        reader->event = makeStringInfo();
        MemoryContextSwitchTo(caller);
    }
    event_tag_write(entry, event != 0, head);
    resetStringInfo(reader->event);
    appendBinaryStringInfo(reader->event, head, sizeof head);
    if (special->cluster > 0) {
        double cluster[2];
        uint32_t size;
        const char *text = special_text(reader, datum, special, special->cluster, &size);

        if (text == NULL)
            return NULL;
        special_text_tags(text, size, cluster);
        appendBinaryStringInfo(reader->event, (const char *)cluster, sizeof cluster);
    }
    if (special->stratum > 0) {
        uint32_t size;
        const char *text = special_text(reader, datum, special, special->stratum, &size);

        if (text == NULL)
            return NULL;
        appendBinaryStringInfo(reader->event, text, (int)size);
    }
    *length = (uint32_t)reader->event->len;
    return reader->event->data;
}
