/*
 * report_text.h - writes what reports share: SQL for features and literals, and cells of tables.
 */
#ifndef PGFIT_REPORT_TEXT_H
#define PGFIT_REPORT_TEXT_H

#include "core/base/text_buffer.h"
#include "core/model/model.h"
#include "core/model/schema.h"

/* ---- SQL ---- */

/* Adds a float8 literal with as few digits as read back as the same number. */
void sql_number(TextBuffer *report, double value);
/* Adds a string literal that means the same under every setting. */
void sql_literal(TextBuffer *report, const char *text, uint32_t length);
/* Adds a level or the label of a class by its dictionary position as a literal; NULL where there is none, as for CLASS_NONE. */
void sql_label(TextBuffer *report, const Model *model, DictionaryKind kind, uint32_t position);
/* Adds the column of a slot: "carat", "embedding"[7], or x[3] if features have no names; or the expression in Env.sql_columns. */
void sql_column(TextBuffer *report, const Model *model, uint32_t slot);
/* Adds the column as the number that the features reader makes of it. */
void sql_value(TextBuffer *report, const Model *model, uint32_t slot);
/* Adds a numeric slot minus its center, with NULL replaced if the model does so. */
void sql_slot(TextBuffer *report, const Model *model, uint32_t slot, double center);
/*
 * Adds a categorical slot for a comparison with a literal: as text, or, what factor(x) reads, as it is, because its text may depend on settings or have
 * zeros that a level lacks, and the literal takes its type.
 */
void sql_category(TextBuffer *report, const Model *model, uint32_t slot);
/* Adds the condition that a categorical slot has this level, by dictionary position. Returns false if that is NULL as a level. */
bool sql_level(TextBuffer *report, const Model *model, uint32_t slot, uint32_t level);
/* Adds to a CASE that a NULL in a categorical slot gives NULL, unless NULL is a level (known) or is replaced. */
void sql_null_level(TextBuffer *report, const Model *model, uint32_t slot, bool known);
/* Adds a CASE that turns the levels of a categorical slot into numbers[dictionary position]; unknown levels give 0. */
void sql_levels(TextBuffer *report, const Model *model, uint32_t slot, const double *numbers);
/*
 * Adds intercept + the sum of (slot - center) coef over the numeric slots + the numbers of the levels. center, coef: one
 * number per slot; center may be NULL: 0. kept: the slots that are written, NULL: all.
 */
void sql_linear(TextBuffer *report, const Model *model, double intercept, const double *center,
                const double *coef, const double *levels, const uint8_t *kept);

/*
 * Add what surrounds an expression that hides NULLs, as least() does: "CASE WHEN ROW(a, b) IS NOT NULL THEN ", with Env.sql_offset among them, and
 * " END"; nothing if the model replaces NULLs and there is no offset.
 */
void sql_if_complete(TextBuffer *report, const Model *model);
void sql_end_complete(TextBuffer *report, const Model *model);

/*
 * Adds a subquery that returns the label of the class with the largest score, the first among ties. put adds the score of a
 * class as an expression. Classes without a score (NULL) never win. Polls.
 */
void sql_best_class(TextBuffer *report, const Model *model, void (*put)(TextBuffer *report, void *context, uint32_t class),
                    void *context);

/* ---- tables ---- */

/* Counts characters, not bytes, so that columns line up. */
int report_characters(const char *text);
/* Adds text, padded with spaces to `width` characters. */
void report_padded(TextBuffer *report, const char *text, int width);
/* Adds a number with `digits` significant digits, right-aligned in `width` characters; spaces for NaN. */
void report_cell(TextBuffer *report, double value, int width, int digits);
/* Adds a p-value as "<2e-16", "1.23e-05" or "0.0312", right-aligned; spaces for NaN. */
void report_p(TextBuffer *report, double p, int width);
/* Returns "***" (p < 0.001), "**" (0.01), "*" (0.05), "." (0.1) or "". */
const char *report_stars(double p);
/*
 * Adds "price ~ log(carat) * cut", the model's formula; without one "price ~ carat + depth + cut" with at most a dozen features, and
 * "- 1" if there is no intercept.
 */
void report_formula(TextBuffer *report, const Model *model, bool intercept);
/* Adds "rows: 100, skipped: 3, sum of weights: 250". */
void report_rows(TextBuffer *report, const Model *model);

#endif
