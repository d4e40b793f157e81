/*
 * figures.h - the list of figures: which rows each draws, and how a scene is filled with them.
 */
#ifndef PGFIT_FIGURES_H
#define PGFIT_FIGURES_H

#include "core/picture/picture_axis.h"
#include "core/picture/scene.h"
#include "core/model/dictionary.h"
#include "core/options/options.h"

#define FIGURE_COLUMNS 14

typedef struct Figure {
    const char *name;
    const char *title;
    const char *table;   /* of a model, whose rows it draws; NULL: it draws rows alone */
    const char *columns[FIGURE_COLUMNS + 1]; /* of the function or type whose rows these are, in order; NULL-terminated */
    const char *in_text; /* the function that shows the same as text; NULL: plain text is drawn */
    /* Fills a scene. model: NULL where rows came without one. */
    void (*draw)(Scene *scene, const PictureData *data, const Model *model);
    /* Of figures of a model and rows: which models have it, and what these say about each row. */
    bool (*applies)(const struct Scorer *scorer);
    PictureScore (*score)(const struct Scorer *scorer);
} Figure;

extern const Figure coefficients_figure, path_figure, importance_figure, permutation_figure, scree_figure, loadings_figure, elbow_figure, lambda_figure,
    explain_figure, drift_figure;                                                                                             /* figures_models.c */
extern const Figure tree_figure, dendrogram_figure;                                                                           /* figures_trees.c */
extern const Figure roc_figure, precision_recall_figure, calibration_figure, gain_figure, survival_figure, dependence_figure, effects_figure; /* figures_curves.c */
extern const Figure confusion_figure, scores_figure, silhouette_figure, residuals_figure, decision_figure, ellipses_figure, voronoi_figure; /* figures_rows.c */
extern const Figure rows_figure;                                                                                              /* figures_xy.c */
extern const Figure fit_figure, biplot_figure;                                                                                /* figures_fits.c */
extern const Figure regions_figure;                                                                                           /* figures_regions.c */

/* Counts the columns of a figure. */
uint32_t figure_columns(const Figure *figure);
struct Table;
/* Reads the table of a model that a figure draws. */
PictureData *figure_table(Env *env, const Model *model, const Figure *figure, const struct Table *table);
/* Returns the data of a figure that is one of several on a page about a model; NULL: it is not. */
const PictureData *figure_for_page(Env *env, const Model *model, const Figure *figure);
/* Returns a zero-terminated copy of a text; "" for none. */
const char *figure_string(Env *env, PictureText text);
/* Returns the name of a group for the legend; that of rows without a value is NULL. */
const char *figure_group(Env *env, PictureText name);
/* Returns the column of a lambda_path by which its lambdas were compared: errors of folds, or a criterion; NULL: they were not. */
const PictureColumn *figure_lambda_errors(const PictureData *data);
/* Returns the places of the rows with the greatest sizes, at most option "top" of them, in order of size; notes what is left out, unless what is NULL. */
uint32_t *figure_greatest(Scene *scene, const double *sizes, uint64_t rows, const char *what, uint32_t *count);
/* Returns what an axis is called: option "x" or "y", or else. */
const char *figure_title(Scene *scene, const char *option, const char *otherwise);
/* Sets the loadings of each term on two components, [terms], from a table of components. */
void figure_loadings(const PictureData *data, const PictureGroups *terms, double *x, double *y);
/* Returns the column that an option names; NULL: none is given. Fails with ERROR_PARAMETER if there is no such column. */
const PictureColumn *figure_column(const Scene *scene, const PictureData *data, const char *option);
/* Tells whether a model may read a column: it has a feature of this name, or its formula mentions it. */
bool figure_reads(Env *env, const struct Scorer *scorer, const char *column);
/* Returns the columns that the model of the data may read, [columns]; sets how many they are. */
const PictureColumn **figure_inputs(const PictureData *data, uint32_t *count);
/* The rows of a figure color by color, each in the order of x. */
typedef struct FigureOrder {
    const uint64_t *row;   /* [rows] */
    const uint64_t *begin; /* [colors + 1] of each color in row */
} FigureOrder;
/* colors: [rows], below count; NULL: all are of one. */
FigureOrder figure_order(Env *env, const double *x, const uint32_t *colors, uint64_t rows, uint32_t count);
/* Adds a rule across the whole plot, where a scale has a value. */
void figure_rule_x(Panel *panel, double x);
void figure_rule_y(Panel *panel, double y);

#endif
