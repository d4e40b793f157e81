/*
 * features.h - the one reader of the features argument, used for training, scoring, distances and metrics.
 *
 * The type of the argument is resolved once per call site (fn_extra) and once per (type oid, typmod) in a cache of the
 * backend, which catalog changes invalidate; each row is checked against both. A row then becomes slots
 * (core/model/schema.h) without any allocation. How bytes are read never depends on what a model says.
 */
#ifndef PGFIT_FEATURES_H
#define PGFIT_FEATURES_H

#include "pg/host/backend_env.h"
#include "core/rows/special_columns.h"
#include "core/options/options.h"
#include "core/model/schema.h"

typedef struct FeatureReader FeatureReader; /* of one call site; lives in flinfo->fn_mcxt */

/*
 * Returns the reader of argument `argument` of this call, and keeps it in *slot (a field of the caller's fn_extra
 * structure). Fails for type unknown.
 */
FeatureReader *feature_reader(FunctionCallInfo fcinfo, int argument, FeatureReader **slot);
/* Returns a reader of values of a type that are no argument of a call. */
FeatureReader *feature_reader_of_type(Oid type, MemoryContext context);

/* The columns that other arguments of the call are made of; "." in a formula leaves them out. */
typedef struct CallColumns {
    const char *method; /* the name of the aggregate */
    bool supervised;    /* it has a target */
    const char *number; /* what messages call the only feature, such as "the score"; NULL: by its name */
    bool known;         /* false: an argument may be made of columns that are not listed */
    uint32 count;
    const char **names;
    bool target_known;   /* of the target: it is made of no columns of the row but the first target_count of these */
    bool target_plain;   /* and is one of them as it is, or its cast */
    const char *target_column; /* what the query calls the column that is the target; NULL: not known */
    uint32 target_count;
    uint32 row_count; /* columns of the row that are columns of a table; 0: not known */
    const char **row_names;
} CallColumns;
/* Tells the reader about them; they must live as long as the reader. */
void features_leave_out(FeatureReader *reader, const CallColumns *columns);

/*
 * Returns a reader of rows of a composite type whose columns are the arguments of a call, from `first` on, in the memory of the call
 * site. features_score then ignores its datum.
 */
FeatureReader *column_reader(FunctionCallInfo fcinfo, Oid row_type, int32 typmod, int first);
/* Takes the arguments of this call as the columns of the next row. */
void features_columns(FeatureReader *reader, FunctionCallInfo fcinfo);

void features_pass_row(FeatureReader *reader); /* counts a row that is not read, for messages */
bool features_are_rows(const FeatureReader *reader); /* are the features composite values? */

/* ---- training ---- */

/*
 * Describes the first row: fields, names, kinds, widths. Option "features" selects columns or names them. The arrays
 * live in the current memory context. A spec without fields means that a cast turned the datum into NULL.
 */
SchemaSpec features_describe(FeatureReader *reader, Datum datum, const Options *options);

typedef enum FeatureResult {
    FEATURES_OK,
    FEATURES_NULL /* a feature is NULL: the row is skipped ("nulls": "skip") */
} FeatureResult;

/*
 * Encodes one training row by the schema of *state into slots[slot_count]. Where the state imputes, NULLs do not skip
 * the row but are marked in nulls[slot_count]. New levels are added to the state's dictionary; this may move the state,
 * so *state is updated. Fails, naming the feature, on NaN, infinities, another number of features, or too many levels.
 */
FeatureResult features_read(FeatureReader *reader, Datum datum, Model **state, double *slots,
                            bool *nulls, uint32_t max_levels);

/* Fails, listing the levels, if one that options or formula name as the reference is not among those of the rows. */
void features_require_references(const Model *state, const Options *options);

/*
 * Reads the fold of cross-validation of a row, a whole number, from the special column. Call it after features_read of
 * the same row. Returns false where it is NULL; fails if the features are not a row with this column.
 */
bool features_fold(FeatureReader *reader, Datum datum, const SpecialColumn *special, double *fold);
/* Reads a number, date or timestamp from the special column, in the same way. Returns false where it is NULL. */
bool features_time(FeatureReader *reader, Datum datum, const SpecialColumn *special, double *time);
/* Returns the id of a row from the special column as canonical text, valid until the next row; NULL where it is NULL. */
const char *features_id(FeatureReader *reader, Datum datum, const SpecialColumn *special, uint32_t *length);
/* Returns the event of a row with its entry and stratum as the bytes of an EventTag, valid until the next row; NULL where one of them is NULL. */
const char *features_event(FeatureReader *reader, Datum datum, const SpecialColumn *special, uint32_t *length);
/* Reads the clusters of a row, or its place in an order, as special_tags(special) numbers. Returns false where one is NULL. */
bool features_tags(FeatureReader *reader, Datum datum, const SpecialColumn *special, double *tags);

/* ---- scoring ---- */

/*
 * Encodes a row for a fitted model: by name where both have names, else by position, where the counts must agree.
 * Unknown levels become SLOT_UNSEEN, or an error where the model asks for one. NULLs become the training mean where the model
 * imputes, NaN where they are values (model_nulls_are_values), else the result is FEATURES_NULL. Texts of text fields are kept
 * in Env.row_texts until the next row is read, and their slots name them. The match of names is cached in the reader, per schema.
 */
FeatureResult features_score(FeatureReader *reader, Datum datum, const Model *model, double *slots);

/*
 * Reads a row by the schema of a model as features_score does, but with NaN for each NULL, whatever the model does about NULLs, and without
 * computing the fields that are expressions of its formula. variables: receives what these are computed from, [variables of the formula]; NULL: there
 * are no such fields.
 */
void features_keep(FeatureReader *reader, Datum datum, const Model *model, double *slots, double *variables);

/* ---- single values: targets, labels, weights ---- */

/* Reads a target, a label or a weight. NaN and infinities fail in value_number; messages call the value `what`. */
typedef struct ValueReader ValueReader;
ValueReader *value_reader(FunctionCallInfo fcinfo, int argument, ValueReader **slot);
ValueReader *value_reader_of_type(Oid type, MemoryContext context);
double value_number(ValueReader *reader, Datum datum, const char *what);
bool value_is_numbers(const ValueReader *reader); /* arrays of numbers */
/* Returns the numbers of an array of targets, valid until the next one, and their number; NULL if an element is NULL. */
const double *value_targets(ValueReader *reader, Datum datum, uint32_t *count);
/*
 * Returns a label as canonical text, which does not depend on settings, and its sort key: the value of a number, 0 or 1
 * of a boolean, the declared order of an enum, the seconds of an interval as comparisons count them, 0 of text. Fails
 * where equal labels may be different strings.
 */
const char *value_label(ValueReader *reader, Datum datum, uint32_t *length, double *key);
/* Does the same for a label that is compared with those of another reader: a boolean beside numbers is 1 or 0, as it is among features. */
const char *value_label_beside(ValueReader *reader, Datum datum, const ValueReader *other, uint32_t *length, double *key);
/*
 * Fails where equal values may be different strings, as in value_label: of the column, or NULL, of keys. collation: of the column; InvalidOid: that of
 * the argument.
 */
void value_require_equality(ValueReader *reader, Oid collation, const char *column);
/* Returns the same text for any value, NaN and infinities included. */
const char *value_text(ValueReader *reader, Datum datum, uint32_t *length);
/* Do two labels, each with its reader, have the same text, as 1 and '1' do? A boolean beside a number is 1 or 0. */
bool value_same_label(ValueReader *a, Datum x, ValueReader *b, Datum y);
bool value_is_number(const ValueReader *reader); /* dates and booleans included */
bool value_has_order(const ValueReader *reader); /* does the sort key order it? numbers and enums */
/* Sets the sort key of the enum value that a text names; false: the reader reads no enum, or there is none of this name. */
bool value_order_of(const ValueReader *reader, const char *label, uint32_t length, double *key);
const char *value_type_name(ValueReader *reader); /* "integer", "text", ... */

#endif
