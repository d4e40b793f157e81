/*
 * row_learner.h - what methods share that learn linear equations row by row: the options intercept, standardize and
 * start, the rows as columns of numbers, the current equation, and how it is stored.
 *
 * Inner products are summed in one order on every machine, because the sign of a score decides where the next step goes.
 */
#ifndef PGFIT_ROW_LEARNER_H
#define PGFIT_ROW_LEARNER_H

#include "core/linalg/vector_loops.h"
#include "core/linear_equations/warm_start.h"
#include "core/rows/row_scale.h"

/* The options intercept, standardize and start, for OPTION_TABLES. */
extern const OptionSpec options_row_learner[];

typedef struct RowLearner {
    Env *env;
    Rows *rows;
    const char *method; /* for messages */
    bool intercept, standardize;
    double rate; /* option learning_rate */
    WarmStart start;
    RowDesign *design;
    DesignReader *reader;
    uint32_t terms;
    uint8_t *frozen; /* [terms] 1: the coefficient stays 0, because its level is a reference of the start; NULL: none */
    /* With option standardize; NULL: rows are read as they are. */
    double *means;  /* [terms]; 0 without an intercept */
    double *scales; /* [terms] 1 / standard deviation; 0: the term does not vary */
    double *scaled; /* [terms] scratch for a row */
    double w0, *w;  /* the current equation: intercept (0 without) and coefficients, [terms] */
} RowLearner;

/*
 * Returns a learner with the options and, if one is given, the start, which replaces *builder by one of a larger schema
 * (warm_start.h). Fails as warm_start does.
 */
RowLearner row_learner(Env *env, const Estimator *estimator, const FitInput *input, const Options *options,
                       ModelBuilder **builder);
/*
 * Opens the design and its reader, and learns the scaling in one pass over the rows. Fails with ERROR_PARAMETER if
 * "standardize" is combined with "start", whose scales are not known, with ERROR_RANGE if a variance is too large.
 */
void row_learner_open(RowLearner *learner);
/* Sets the current equation to that of the start, or to 0. */
void row_learner_reset(RowLearner *learner, uint32_t equation);
/* Returns empty equations of the design, with offsets if there is an intercept. */
LinearEquations row_learner_equations(const RowLearner *learner, uint32_t equations);
/* Stores the current equation in units of the features. Sets the center if the rows are scaled. */
void row_learner_store(const RowLearner *learner, uint32_t equation, LinearEquations *out);
/* Adds the equations, builds the model, and restores the schema of the rows. */
Model *row_learner_finish(RowLearner *learner, const LinearEquations *equations, ModelBuilder *builder);

/* Returns the row of a block as the learner sees it, [terms]; valid until the next call. */
static inline const double *row_learner_row(const RowLearner *learner, const DesignBlock *block, uint32_t i)
{
    const double *x = block->x + (size_t)i * learner->terms;

    if (learner->scales == NULL)
        return x;
    for (uint32_t t = 0; t < learner->terms; t++)
        learner->scaled[t] = (x[t] - learner->means[t]) * learner->scales[t];
    return learner->scaled;
}

/* Returns w0 + w.x, the product summed in four parts, or, of a row worth a call, by wider vectors: a perceptron of 100 features takes 1.4 times as long without. */
static inline double row_learner_score(const RowLearner *learner, const double *x)
{
    const double *w = learner->w;
    double a = 0, b = 0, c = 0, d = 0;
    uint32_t i = 0;

    if (learner->terms >= 16)
        return learner->w0 + loop_pair(LOOP_PRODUCTS, 0, w, x, learner->terms);
    for (; i + 4 <= learner->terms; i += 4) {
        a += w[i] * x[i];
        b += w[i + 1] * x[i + 1];
        c += w[i + 2] * x[i + 2];
        d += w[i + 3] * x[i + 3];
    }
    for (; i < learner->terms; i++)
        a += w[i] * x[i];
    return learner->w0 + ((a + b) + (c + d));
}

/* Adds length times x to w, except frozen coefficients. */
static inline void row_learner_add(const RowLearner *learner, double *restrict w, double length, const double *restrict x)
{
    for (uint32_t t = 0; t < learner->terms; t++)
        w[t] += length * x[t];
    for (uint32_t t = 0; learner->frozen != NULL && t < learner->terms; t++)
        if (learner->frozen[t])
            w[t] = 0;
}

/* Makes a step of the current equation along a row. */
static inline void row_learner_step(RowLearner *learner, double length, const double *x)
{
    row_learner_add(learner, learner->w, length, x);
    if (learner->intercept)
        learner->w0 += length;
}

#endif
