/*
 * text_table.h - texts ready to be compared with each other and with the text of a row that is scored, by metrics of texts.
 *
 * Characters are code points; a byte that is not UTF-8 is a character of its own. Texts have their positions in the table as
 * numbers; -1 - i is text i of the row that is scored (Env.row_texts).
 */
#ifndef PGFIT_TEXT_TABLE_H
#define PGFIT_TEXT_TABLE_H

#include "core/distance/metric.h"

typedef struct TextTable TextTable;

/*
 * Returns a table of texts for METRIC_EDIT, METRIC_DAMERAU, METRIC_JARO_WINKLER or METRIC_HAMMING_TEXT. prefix_weight: of the third one.
 * method: compares the size with the budget and names it; NULL: no comparison. Polls. METRIC_HAMMING_TEXT fails with ERROR_DATA where
 * lengths differ, here or in a comparison.
 */
TextTable *text_table(Env *env, MetricKind kind, const TextList *texts, double prefix_weight, const char *method);
/* Writes the distances of text a from others [count], NaN where there is no such text. A MetricObjects.distances. */
void text_distances(const MetricObjects *objects, double a, const double *others, uint32_t count, double *out);
/* Returns the distance of two texts. */
double text_distance(Env *env, MetricKind kind, const TextList *two, double prefix_weight);

#endif
