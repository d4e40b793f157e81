/*
 * model_text.h - names of the text form, which is one JSON object that reads back to the same bits.
 *
 *     {"pgfit": 1, "min_reader": 1, "kind": "model", "estimator": "linear_regression",
 *      "fields": 2, "slots": 2, "columns": 0, "rows": 10, "skipped": 0, "weight": 10,
 *      "flags": ["named"], "pending_rows": 0, "flushes": 0, "schema": {..}, "options": {..},
 *      "facts": {..}, "arrays": {..}}
 *
 * columns, flags, pending_rows, flushes and the four sections may be left out if they are 0 or empty. An array is
 * one of these:
 *
 *     [1, 0.5, "-0x0p+0"]                doubles, also written {"f64": ..}
 *     {"i64": [1, 2]}                    other types: i64, f32, i32, u8, bool, text
 *     {"f64": [1, 2], "shape": [1, 2]}   a matrix, row by row
 *     {"f64": "AAAAAAAA8D8="}            base64 of little-endian bytes, for more than 64 numbers
 *     1, true, {"i64": 1}                an array of one element
 *
 * Doubles that jsonb does not keep as numbers (-0, beyond 1e-30 .. 1e30, not finite) are strings: the
 * hexadecimal form of C, "inf", "-inf", or "nan:" and the 16 hexadecimal digits of the bits. The same holds for
 * floats (f32), with 8 digits; their decimals are the shortest that read back as the same float. A string that is
 * the value of "f32" itself is always base64. The order of keys does not matter.
 */
#ifndef PGFIT_MODEL_TEXT_H
#define PGFIT_MODEL_TEXT_H

#include "core/model/model.h"

static const char *const section_names[] = {NULL, "schema", "options", "facts", "arrays"};
static const char *const flag_names[] = {"named",  "weighted",   "frequency",
                                         "impute", "null_error", "unseen_error",
                                         "output", "folded"};
#define FLAG_COUNT (sizeof flag_names / sizeof flag_names[0])

_Static_assert((1u << FLAG_COUNT) - 1 == MODEL_FLAGS, "every flag has a name");

#endif
