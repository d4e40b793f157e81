/*
 * picture.h - draws a model, or the rows that a function returned, as text: SVG, Vega-Lite or plain text.
 */
#ifndef PGFIT_PICTURE_H
#define PGFIT_PICTURE_H

#include "core/options/options.h"
#include "core/picture/picture_data.h"
#include "core/prepare/scorer.h"

/* The options of plot. */
extern const OptionSpec *const plot_options[];

/*
 * Draws a checked model. figure: what is drawn; NULL: what fits the model best. Fails with ERROR_PARAMETER for an unknown figure, ERROR_KIND for one
 * that the model does not have, with those that it has in the hint.
 */
char *picture_of_model(Env *env, const Model *model, const char *figure, const Options *options);
/* Draws all figures of a model as SVG but trees of a forest; sets how many there are. *left_out: a sentence about a tree too large for a page, or NULL. */
const char **pictures_of_model(Env *env, const Model *model, uint32_t *count, const char **left_out);
/*
 * Begins rows with these columns, of which only those are kept that the picture needs. scorer: a model that is drawn with the rows, which must outlive
 * them; NULL: none. What it says about each row (data->score) the caller adds: PICTURE_INTERVAL by its own means, else by picture_score. Fails with
 * ERROR_PARAMETER if the options name no figure that the rows have, ERROR_KIND for a model that has none.
 */
PictureData *picture_rows(Env *env, const char *const *names, uint32_t count, const Scorer *scorer, const Options *options);
/* Scores the last row, encoded for the model. */
void picture_score(PictureData *data, const double *slots);
/*
 * Draws rows: what a function of pgfit returns, known by its columns, any rows with the columns that options "x" and "y" name, or rows beside a model. Fails with
 * ERROR_PARAMETER if a column is missing.
 */
char *picture_of_rows(Env *env, const PictureData *data, const Options *options);

#endif
