/*
 * model_text.h - the text form: a model as one JSON object, which reads back to the same bits; and its names.
 *
 *     {"pgfit": 1, "min_reader": 1, "kind": "model", "estimator": "linear_regression",
 *      "fields": 2, "slots": 2, "columns": 0, "rows": 10, "skipped": 0, "weight": 10,
 *      "flags": ["named"], "pending_rows": 0, "flushes": 0, "schema": {..}, "options": {..},
 *      "facts": {..}, "arrays": {..}}
 *
 * columns, flags, pending_rows, flushes and the four sections may be missing: 0 or empty. An array is
 *
 *     [1, 0.5, "-0x0p+0"]                doubles; {"f64": ..} likewise, and {"i64": ..}, {"f32": ..},
 *     {"i64": [1, 2]}                    {"i32": ..}, {"u8": ..}, {"bool": ..}, {"text": ..} of the other types
 *     {"f64": [1, 2], "shape": [1, 2]}   a matrix, row by row
 *     {"f64": "AAAAAAAA8D8="}            base64 of little-endian bytes: what is longer than 64
 *     1, true, {"i64": 1}                an array of one
 *
 * Doubles that jsonb does not keep as numbers (-0, beyond 1e-30 .. 1e30, not finite) are strings: C's
 * hexadecimal form, "inf", "-inf", or "nan:" and the 16 hexadecimal digits of its bits. So are floats (f32), with
 * the 8 digits of theirs; their decimals are the shortest that read back as the same float. A string directly
 * behind "f32" is always base64. Nothing depends on the order of keys.
 */
#ifndef PGFIT_MODEL_TEXT_H
#define PGFIT_MODEL_TEXT_H

#include "core/model/model.h"

static const char *const section_names[] = {NULL, "schema", "options", "facts", "arrays"};
static const char *const type_names[] = {NULL, "f64", "i64", "bool", "text", "f32", "i32", "u8"};
static const char *const flag_names[] = {"named",  "weighted",   "frequency",
                                         "impute", "null_error", "unseen_error",
                                         "output", "folded"};
#define FLAG_COUNT (sizeof flag_names / sizeof flag_names[0])

_Static_assert((1u << FLAG_COUNT) - 1 == MODEL_FLAGS, "every flag has a name");

#endif
