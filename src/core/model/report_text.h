/*
 * report_text.h - what reports share: SQL of features and literals, cells of tables.
 */
#ifndef PGFIT_REPORT_TEXT_H
#define PGFIT_REPORT_TEXT_H

#include "core/base/text_buffer.h"
#include "core/model/model.h"
#include "core/model/schema.h"

/* ---- SQL ---- */

/* A float8 literal that reads back as the same number, in as few digits as it takes. */
void sql_number(TextBuffer *report, double value);
/* A string literal that no setting changes the meaning of. */
void sql_literal(TextBuffer *report, const char *text, uint32_t length);
/* The column a slot comes from: "carat", "embedding"[7]; x[3] where features have no names. */
void sql_column(TextBuffer *report, const Model *model, uint32_t slot);
/* The column as the number that the features reader makes of it. */
void sql_value(TextBuffer *report, const Model *model, uint32_t slot);
/* A numeric slot less its center; NULL as the model takes it. */
void sql_slot(TextBuffer *report, const Model *model, uint32_t slot, double center);
/* CASE over the levels of a categorical slot, numbers[dictionary position]; what is unknown gives 0. */
void sql_levels(TextBuffer *report, const Model *model, uint32_t slot, const double *numbers);
/*
 * intercept + the sum of (slot - center) coef over the numeric slots + numbers of the levels. center,
 * coef: one number per slot; center NULL: 0.
 */
void sql_linear(TextBuffer *report, const Model *model, double intercept, const double *center,
                const double *coef, const double *levels);

/*
 * A subquery that gives the label of the class with the largest score, the first of equals; put prints the score of a
 * class as an expression. Classes without a score (NULL) never win. Polls.
 */
void sql_best_class(TextBuffer *report, const Model *model, void (*put)(TextBuffer *report, void *context, uint32_t class),
                    void *context);

/* ---- tables ---- */

int report_characters(const char *text); /* of UTF-8 */
void report_padded(TextBuffer *report, const char *text, int width);
/* A number in `width` places, right-aligned; nothing for NaN. */
void report_cell(TextBuffer *report, double value, int width, int digits);
/* A probability: "<2e-16", 1.2e-05, 0.0312; nothing for NaN. */
void report_p(TextBuffer *report, double p, int width);
const char *report_stars(double p); /* ***, **, *, . */
/* target ~ carat + depth + cut, cut off after a dozen features, "- 1" without an intercept. */
void report_formula(TextBuffer *report, const Model *model, bool intercept);
/* rows: 100, skipped: 3, sum of weights: 250 */
void report_rows(TextBuffer *report, const Model *model);

#endif
