/*
 * warm_start.h - continues a fit of rows from a linear model of the same method (option "start").
 *
 * The rows may lack classes and levels that the model knows: they are added to the schema of the rows during the fit.
 * Coefficients are matched by column.
 */
#ifndef PGFIT_WARM_START_H
#define PGFIT_WARM_START_H

#include "core/linear_equations/linear_classifier.h"

typedef struct WarmStart {
    const Model *model; /* NULL: none was given */
    LinearView view;
    const uint8_t *reference; /* [its levels]; NULL without levels */
    uint32_t *level;          /* [its levels] final position among those of the rows */
    Model *own_schema;        /* the schema of the rows before */
} WarmStart;

/* Returns a copy of the schema of rows with all levels and classes of a model of the same features. */
Model *warm_start_schema(Env *env, const Model *schema, const Model *model);
/*
 * Reads option "start" and adds the model's classes and levels to the schema of the rows. Fails with ERROR_KIND if the
 * model is of another method, with ERROR_PARAMETER if its features, labels or intercept differ, or if the rows have a
 * class that it does not know. *builder: of the rows' schema; with a start it is replaced by one of the larger schema.
 */
WarmStart warm_start(Env *env, const Estimator *estimator, const FitInput *input, const Options *options,
                     ModelBuilder **builder);
/* Restores the schema of the rows; call after model_build. */
void warm_start_end(const WarmStart *start, Rows *rows);
/* Returns flags, [terms] of a design with all levels: 1 for the reference levels of the start; NULL: there are none. */
uint8_t *warm_start_frozen(const WarmStart *start, const RowDesign *design);
/* Writes the coefficients of an equation by term of the design, [terms], and returns its intercept. */
double warm_start_terms(const WarmStart *start, uint32_t equation, const RowDesign *design, double *terms);
/* Copies the coefficients and reference flags of the start's levels, also of those that the rows lack. */
void warm_start_columns(const WarmStart *start, uint32_t equation, const LinearEquations *classifier);
/*
 * Writes an equation of a model of the same features for the standardized columns of rows, [count]: 0 for levels that the model does not know. The
 * schema of the rows stays as it is.
 */
void warm_start_standardized(const StandardizedRows *rows, const Model *start, uint32_t equation, double *theta);

#endif
