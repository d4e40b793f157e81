/*
 * features_row.c - composite values, read in place, attribute by attribute.
 *
 * The values of one argument may differ in type: each carries its type and typmod, and both are compared on every row.
 * Short values on a page have a one-byte header and no alignment, so all reads here work at any address.
 */
#include "pg/features/features_internal.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"

/*
 * Returns the address of the tuple header, for its offsets: behind a one-byte length word the header is three bytes
 * short, so that it begins before the value. Toasted values are copied.
 */
static const char *tuple_header(const char *place)
{
    if (VARATT_IS_1B(place) && !VARATT_IS_1B_E(place))
        return place + VARHDRSZ_SHORT - VARHDRSZ;
    if (!VARATT_IS_4B_U(place))
        return (const char *)pg_detoast_datum((struct varlena *)place);
    return place;
}

#define HEADER_FIELD(header_, type_, member_)                                                      \
    READ_AT(type_, (header_) + offsetof(HeapTupleHeaderData, member_))

/* Reads the type and typmod that a composite value carries. */
static void tuple_identity(const char *place, Oid *type, int32 *typmod)
{
    const char *header = tuple_header(place);

    *type = HEADER_FIELD(header, Oid, t_choice.t_datum.datum_typeid);
    *typmod = HEADER_FIELD(header, int32, t_choice.t_datum.datum_typmod);
}

const Source *reader_source(FeatureReader *reader, Oid type, int32 typmod)
{
    if (reader->generation != source_generation || reader->row_type != type ||
        reader->row_typmod != typmod || !reader->source) {
        uint64 before = reader->generation;

        reader->source = NULL;
        reader->source = source_of(type, typmod);
        reader->generation = source_generation;
        reader->row_type = type;
        reader->row_typmod = typmod;
        if (before != reader->generation)
            reader->binding.valid = false; /* its source may be freed, and the address in use again */
    }
    return reader->source;
}

const Source *reader_row_source(FeatureReader *reader, const char *place)
{
    Oid type;
    int32 typmod;

    if (reader->row_columns) {
        const RowColumns *row = (const RowColumns *)place;

        reader->columns = row->values;
        reader->column_call = row->call;
        reader->first_column = row->first;
        reader->column_arguments = row->count;
        return reader_source(reader, row->row_type, row->row_typmod);
    }
    tuple_identity(place, &type, &typmod);
    return reader_source(reader, type, typmod);
}

/* A walk over the attributes of a tuple. */
typedef struct TupleWalk {
    const char *data;
    const bits8 *bitmap; /* NULL: no NULLs */
    uint32 attributes;
    uint32 offset;
    bool fixed; /* offsets of the source hold so far */
} TupleWalk;

static TupleWalk tuple_walk(const char *header)
{
    TupleWalk walk = {0};
    uint16 infomask = HEADER_FIELD(header, uint16, t_infomask);

    walk.data = header + HEADER_FIELD(header, uint8, t_hoff);
    walk.attributes = HEADER_FIELD(header, uint16, t_infomask2) & HEAP_NATTS_MASK;
    if (infomask & HEAP_HASNULL)
        walk.bitmap = (const bits8 *)header + offsetof(HeapTupleHeaderData, t_bits);
    walk.fixed = true;
    return walk;
}

/* Returns the address of attribute i, or NULL where it is NULL; attributes must be asked for in order. */
static inline const char *walk_next(TupleWalk *walk, const SourceColumn *column, uint32 i)
{
    const char *place;

    if (walk->bitmap && att_isnull((int)i, walk->bitmap)) {
        walk->fixed = false;
        return NULL;
    }
    if (walk->fixed && column->offset >= 0)
        walk->offset = (uint32)column->offset;
    else if (column->length != -1 || walk->data[walk->offset] == 0)
        walk->offset = (uint32)TYPEALIGN(column->alignment, walk->offset);
    place = walk->data + walk->offset;
    if (column->length > 0)
        walk->offset += (uint32)column->length;
    else
        walk->offset += column->length == -1 ? varlena_size(place) : (uint32)strlen(place) + 1;
    return place;
}

/*
 * Returns the address of attribute i, or NULL where it is NULL; *next: the first attribute that was not passed yet. The offset of an
 * attribute behind others of fixed length is known, so that it takes no walk over them.
 */
static inline const char *walk_to(TupleWalk *walk, const SourceColumn *columns, uint32 i, uint32 *next)
{
    if (walk->bitmap == NULL && columns[i].offset >= 0) {
        *next = i + 1;
        walk->offset = (uint32)(columns[i].offset + columns[i].length);
        return walk->data + columns[i].offset;
    }
    while (*next < i) {
        walk_next(walk, &columns[*next], *next);
        ++*next;
    }
    ++*next;
    return walk_next(walk, &columns[i], i);
}

/* Returns the value of a column added to the type after this tuple was written: its default, or NULL. */
static const char *missing_value(const Source *source, uint32 column, Datum *buffer)
{
    const SourceColumn *shape = &source->columns[column];
    bool is_null;
    Datum value = getmissingattr(source->descriptor, (int)column + 1, &is_null);

    return is_null ? NULL : datum_place(value, shape->by_value, shape->length, buffer);
}

/* Returns the address of the value of a column of a tuple, NULL where it is NULL. */
static const char *tuple_value(const Source *source, const char *place, uint32 column, Datum *buffer)
{
    TupleWalk walk = tuple_walk(tuple_header(place));
    const char *value = NULL;

    if (column >= walk.attributes)
        return missing_value(source, column, buffer);
    for (uint32 i = 0; i <= column; i++)
        value = walk_next(&walk, &source->columns[i], i);
    return value;
}

/* Returns the address of a column that is passed by itself, NULL where it is NULL. */
static inline const char *column_place(const FeatureReader *reader, const SourceColumn *column, uint32 i, Datum *buffer)
{
    const NullableDatum *value = &reader->columns[i];

    if (value->isnull)
        return NULL;
    if (column->length == -1 && VARATT_IS_EXTERNAL(DatumGetPointer(value->value)))
        return (const char *)pg_detoast_datum((struct varlena *)DatumGetPointer(value->value));
    return datum_place(value->value, column->by_value, column->length, buffer);
}

const char *row_value(const FeatureReader *reader, const Source *source, const char *place, uint32 column, Datum *buffer)
{
    return reader->columns ? column_place(reader, &source->columns[column], column, buffer) : tuple_value(source, place, column, buffer);
}

/* Encodes a composite value for a formula with expressions. */
static pg_noinline bool read_expressions(RowRead *row, TupleWalk walk)
{
    const Binding *binding = &row->reader->binding;
    uint32 here = Min(walk.attributes, binding->step_count), next = 0;
    Datum buffer;

    for (uint32 k = 0; k < binding->needed_count && binding->needed[k] < here; k++) {
        uint32 i = binding->needed[k];

        if (!row_put_chain(row, &binding->steps[i], walk_to(&walk, binding->source->columns, i, &next)))
            return false;
    }
    for (uint32 i = here; i < binding->step_count; i++)
        if (!row_put_chain(row, &binding->steps[i], missing_value(binding->source, i, &buffer)))
            return false;
    return row_put_expressions(row);
}

/* Does the same as row_put, with numbers and texts that become slots and levels unchanged first. */
static inline bool put_column(RowRead *row, const Step *step, const char *place)
{
    bool overflow = false;
    uint32 length;

    if (place && step->plain && !row->nulls) {
        row->slots[step->slot] = sql_value_number(step->column->value_kind, place, &overflow);
        if (unlikely(overflow))
            row->overflow_slot = step->slot;
        return true;
    }
    if (place && step->text) {
        place = varlena_content(place, &length);
        row_put_text(row, step, place, length);
        return true;
    }
    return row_put(row, step, place);
}

bool row_read_tuple(RowRead *row, const char *place)
{
    const Binding *binding = &row->reader->binding;
    const Source *source = binding->source;
    const char *header = tuple_header(place);
    TupleWalk walk = tuple_walk(header);
    uint32 here = Min(walk.attributes, binding->step_count), run = binding->run, first = 0, next;

    if (unlikely(binding->expressions != NULL))
        return read_expressions(row, walk);
    if (!walk.bitmap && run <= here) {
        row->finite = copy_doubles(row->slots, walk.data, run) ? run : 0;
        if (row->nulls)
            memset(row->nulls, 0, run * sizeof(bool));
        walk.offset = run * (uint32)sizeof(double);
        next = run;
    } else {
        next = 0;
        first = run; /* the columns of the run are read one by one */
    }
    for (uint32 k = 0; k < first + binding->needed_count; k++) {
        uint32 i = k < first ? k : binding->needed[k - first];
        const Step *step = &binding->steps[i];
        const char *value;

        if (i >= here)
            break;
        value = walk_to(&walk, source->columns, i, &next);
        if (!put_column(row, step, value))
            return false;
    }
    for (uint32 i = here; i < binding->step_count; i++) {
        const Step *step = &binding->steps[i];
        Datum buffer;

        if (step->slot >= 0 && !row_put(row, step, missing_value(source, i, &buffer)))
            return false;
    }
    return true;
}

/* Copies the run of doubles up to the first NULL; returns how many. */
static inline uint32 copy_run(RowRead *row, const NullableDatum *columns, uint32 run)
{
    uint64 seen = 0;
    uint32 i = 0;

    for (; i < run && !columns[i].isnull; i++) {
        row->slots[i] = DatumGetFloat8(columns[i].value);
        seen |= exponent_is_full(READ_AT(uint64, &row->slots[i]));
    }
    row->finite = seen >> 63 == 0 ? i : 0;
    return i;
}

bool row_read_columns(RowRead *row)
{
    const FeatureReader *reader = row->reader;
    const Binding *binding = &reader->binding;
    bool expressions = binding->expressions != NULL;
    uint32 first = row->nulls ? 0 : copy_run(row, reader->columns, binding->run);
    Datum buffer;

    for (uint32 k = first; k < binding->run + binding->needed_count; k++) {
        uint32 i = k < binding->run ? k : binding->needed[k - binding->run];
        const Step *step = &binding->steps[i];
        const char *place;

        if (step->bare && !reader->columns[i].isnull) {
            variable_set(&row->reader->binding, step, DatumGetFloat8(reader->columns[i].value));
            continue;
        }
        place = column_place(reader, step->column, i, &buffer);
        if (expressions) {
            if (!row_put_chain(row, step, place))
                return false;
        } else if (!put_column(row, step, place)) {
            return false;
        }
    }
    return !expressions || row_put_expressions(row);
}
