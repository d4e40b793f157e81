/*
 * row_standardize.h - rows of a design with their terms centered and divided by their standard deviations, for
 * methods whose steps depend on the scale of the features; coefficients go back to the features' units.
 */
#ifndef PGFIT_ROW_STANDARDIZE_H
#define PGFIT_ROW_STANDARDIZE_H

#include "core/classify/linear_classifier.h"

/* The option standardize as a table for OPTION_TABLES. */
extern const OptionSpec option_standardize_rows[];

typedef struct RowScaling {
    const RowDesign *design;
    bool centered;
    double *means;  /* [terms]; 0 where not centered */
    double *scales; /* [terms] 1 / standard deviation; 0: the term does not vary */
    double *row;    /* [terms] scratch */
} RowScaling;

/*
 * Learns the scaling in one pass over the rows; NULL: option "standardize" is off. centered: with an intercept. Fails
 * with ERROR_PARAMETER together with "start", whose scales are not known, with ERROR_RANGE if a variance is too large.
 */
RowScaling *row_standardize(RowDesign *design, const Options *options, bool centered, const char *method);
/* Returns the scaled row; the row itself if scaling is NULL. */
static inline const double *row_scaled(const RowScaling *scaling, const double *x)
{
    if (scaling == NULL)
        return x;
    for (uint32_t t = 0; t < scaling->design->terms; t++)
        scaling->row[t] = (x[t] - scaling->means[t]) * scaling->scales[t];
    return scaling->row;
}
/*
 * Stores a learned equation, w of the terms and w0 (NULL: no intercept), in units of the features.
 * Sets the center if the rows were scaled.
 */
void row_standardize_store(const RowScaling *scaling, const RowDesign *design, LinearEquations *classifier,
                       uint32_t equation, const double *w, const double *w0);

#endif
