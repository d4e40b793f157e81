/*
 * features.h - the one reader of the features argument, for training, scoring, distances, metrics.
 *
 * What the argument is gets resolved once a call site (fn_extra) and once a (type oid, typmod) in
 * the backend's cache, invalidated with the catalog; every row compares both again. Then a row
 * becomes slots (core/schema.h) with no allocation. Nothing read from a model decides how bytes are
 * read.
 */
#ifndef PGFIT_FEATURES_H
#define PGFIT_FEATURES_H

#include "pg/backend/backend_env.h"
#include "core/rows/special_columns.h"
#include "core/model/options.h"
#include "core/model/schema.h"

typedef struct FeatureReader FeatureReader; /* a call site's: lives in flinfo->fn_mcxt */

/*
 * The reader of argument `argument` of this call; kept in *slot (a field of the caller's fn_extra
 * structure). Refuses `unknown` ("cast the features") and types without a reading.
 */
FeatureReader *feature_reader(FunctionCallInfo fcinfo, int argument, FeatureReader **slot);

bool features_are_rows(const FeatureReader *reader); /* composite values */

/* ---- training ---- */

/*
 * What this first datum shows: fields, names, kinds, widths. options: `features` selects or names.
 * The arrays live in the current memory context. No fields: a cast made NULL of the datum.
 */
SchemaSpec features_describe(FeatureReader *reader, Datum datum, const Options *options);

typedef enum FeatureResult {
    FEATURES_OK,
    FEATURES_NULL /* a NULL among them: the row is skipped (nulls = skip) */
} FeatureResult;

/*
 * Encodes one row against the schema of *state: slots[slot_count]; nulls[slot_count] is filled (and
 * a NULL is no reason to skip) where the state imputes. New levels are added to the state's
 * dictionary, which may move it: *state is updated. NaN, infinities, another number of features,
 * too many levels: an error that names the feature.
 */
FeatureResult features_read(FeatureReader *reader, Datum datum, Model **state, double *slots,
                            bool *nulls, uint32_t max_levels);

/*
 * The column that an option sets aside, behind features_read of the row. Fails where the features are no row with this
 * column. The whole number that says what fold of cross-validation the row is in; false: NULL.
 */
bool features_fold(FeatureReader *reader, Datum datum, const SpecialColumn *special, double *fold);
/* The row's id as canonical text, until the next row; NULL: it is NULL. */
const char *features_id(FeatureReader *reader, Datum datum, const SpecialColumn *special, uint32_t *length);

/* ---- scoring ---- */

/*
 * Encodes a row for a fitted model: by name where model and row have names, else by position with a
 * count check. Unknown levels give SLOT_UNSEEN (an error where the model says so), NULLs the
 * training mean where it imputes, else FEATURES_NULL. The binding of names is cached in the reader
 * by schema.
 */
FeatureResult features_score(FeatureReader *reader, Datum datum, const Model *model, double *slots);

/* ---- single values: targets, labels, weights ---- */

/* A number of any numeric type (also boolean as 0/1 where allowed); NaN and infinities fail, named
 * `what`. */
typedef struct ValueReader ValueReader;
ValueReader *value_reader(FunctionCallInfo fcinfo, int argument, ValueReader **slot);
ValueReader *value_reader_of_type(Oid type, MemoryContext context);
double value_number(ValueReader *reader, Datum datum, const char *what);
/*
 * A label as canonical text, which no setting changes, and sort key (numbers: value; booleans: 0/1; enums: declared order;
 * intervals: seconds as comparisons have them; text: 0). Fails where equal labels may be different strings.
 */
const char *value_label(ValueReader *reader, Datum datum, uint32_t *length, double *key);
/* The same text of any value, also of NaN and infinities. */
const char *value_text(ValueReader *reader, Datum datum, uint32_t *length);
/* Are labels of two readers the same text, as 1 and '1' are? */
bool value_same_label(ValueReader *a, Datum x, ValueReader *b, Datum y);
bool value_is_number(const ValueReader *reader); /* dates and booleans included */
bool value_has_order(const ValueReader *reader); /* by its sort key: numbers and enums */
const char *value_type_name(ValueReader *reader); /* "integer", "text", ... */

#endif
