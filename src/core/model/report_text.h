/*
 * report_text.h - what reports share: a string that grows, SQL of features and literals, cells of tables.
 */
#ifndef PGFIT_REPORT_TEXT_H
#define PGFIT_REPORT_TEXT_H

#include "core/model/model.h"
#include "core/model/schema.h"

/* A zero-terminated string in env's memory; text is NULL until something is put in. */
typedef struct Report {
    Env *env;
    char *text;
    size_t length, room;
} Report;

void report_bytes(Report *report, const char *bytes, size_t length);
/* printf of at most 1,023 bytes; longer text is cut. */
void report_put(Report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- SQL ---- */

/* A float8 literal that reads back as the same number, in as few digits as it takes. */
void sql_number(Report *report, double value);
/* A string literal that no setting changes the meaning of. */
void sql_literal(Report *report, const char *text, uint32_t length);
/* The column a slot comes from: "carat", "embedding"[7]; x[3] where features have no names. */
void sql_column(Report *report, const Model *model, uint32_t slot);
/* The column as the number that the features reader makes of it. */
void sql_value(Report *report, const Model *model, uint32_t slot);
/* A numeric slot less its center; NULL as the model takes it. */
void sql_slot(Report *report, const Model *model, uint32_t slot, double center);
/* CASE over the levels of a categorical slot, numbers[dictionary position]; what is unknown gives 0. */
void sql_levels(Report *report, const Model *model, uint32_t slot, const double *numbers);
/*
 * intercept + the sum of (slot - center) coef over the numeric slots + numbers of the levels. center,
 * coef: one number per slot; center NULL: 0.
 */
void sql_linear(Report *report, const Model *model, double intercept, const double *center,
                const double *coef, const double *levels);

/* ---- tables ---- */

int report_characters(const char *text); /* of UTF-8 */
void report_padded(Report *report, const char *text, int width);
/* A number in `width` places, right-aligned; nothing for NaN. */
void report_cell(Report *report, double value, int width, int digits);
/* A probability: "<2e-16", 1.2e-05, 0.0312; nothing for NaN. */
void report_p(Report *report, double p, int width);
const char *report_stars(double p); /* ***, **, *, . */
/* target ~ carat + depth + cut, cut off after a dozen features, "- 1" without an intercept. */
void report_formula(Report *report, const Model *model, bool intercept);
/* rows: 100, skipped: 3, sum of weights: 250 */
void report_rows(Report *report, const Model *model);

#endif
