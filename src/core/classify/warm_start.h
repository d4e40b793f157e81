/*
 * warm_start.h - continuing a fit of rows from a linear model of the same method (option "start").
 *
 * The rows may lack classes and levels that the model knows: they are added to the schema of the rows for the
 * time of the fit. The model's coefficients are found again by column.
 */
#ifndef PGFIT_WARM_START_H
#define PGFIT_WARM_START_H

#include "core/classify/linear_classifier.h"

/* The option start as a table for OPTION_TABLES. */
extern const OptionSpec option_start[];

typedef struct WarmStart {
    const Model *model; /* NULL: none was given */
    LinearView view;
    const uint8_t *reference; /* [its levels]; NULL without levels */
    uint32_t *level;          /* [its levels] final position among those of the rows */
    Model *own_schema;        /* the rows' before */
} WarmStart;

/*
 * Reads the option and adds the model's classes and levels to the schema of the rows. Fails with ERROR_KIND
 * where it is a model of another method, ERROR_PARAMETER where its features, labels or intercept differ, or the
 * rows have a class that it does not know.
 */
WarmStart warm_start(Env *env, Rows *rows, const Options *options, const Estimator *estimator);
/* Gives the rows their own schema back: after model_build. */
void warm_start_end(const WarmStart *start, Rows *rows);
/* The mode of a design whose reference levels are the start's: those of warm_start_frozen. */
static inline DesignMode warm_start_mode(const WarmStart *start, bool intercept)
{
    return start->model != NULL ? DESIGN_LEVELS : intercept ? DESIGN_INTERCEPT : DESIGN_NO_INTERCEPT;
}
/* [terms] of the design: 1 where the level is no term of the start's; NULL: none is. */
uint8_t *warm_start_frozen(const WarmStart *start, const RowDesign *design);
/* The coefficients of an equation for the terms of a design, and those of all columns; returns the intercept. */
double warm_start_terms(const WarmStart *start, uint32_t equation, const RowDesign *design, double *terms);
void warm_start_columns(const WarmStart *start, uint32_t equation, const LinearClassifier *classifier);

#endif
