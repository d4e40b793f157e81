/*
 * model_rows.h - rows of a source as a model reads them, kept so that a column can be changed: what the model would say of the row with
 * another value of the column is then found without the source.
 *
 * A kept row has the slots of the schema by which the model reads rows, and behind them the variables of the expressions of its formula,
 * such as carat of log(carat), as the reader found them. A NULL is NaN, whatever the model does about NULLs. A column that is read in
 * several ways has several places in a kept row, which change together.
 */
#ifndef PGFIT_MODEL_ROWS_H
#define PGFIT_MODEL_ROWS_H

#include "core/options/options.h"
#include "core/prepare/scorer.h"

/* What functions of a model and a source read of the source, and the class of which they show probabilities. */
extern const OptionSpec model_rows_options[], model_class_options[];

#define MODEL_ROWS_AHEAD 256 /* rows that a method scores together, where it can */

typedef struct ModelColumn {
    const char *name; /* of the source's column; f3 where the model has no names */
    uint32_t count;
    uint32_t *places; /* [count] in a kept row */
    int field;        /* whose levels its values are; -1: they are numbers */
    bool values;      /* values can be set: not where only texts are compared with it */
    FieldKind kind;   /* of numbers */
} ModelColumn;

typedef struct ModelRows {
    Env *env;
    const Scorer *scorer;
    const Scoring *scoring;
    const Model *reads;
    const Formula *formula; /* with expressions; NULL: kept rows have no variables */
    uint32_t slots, variables, width; /* width: of a kept row, slots + variables */
    uint32_t column_count;
    ModelColumn *columns;
    uint32_t *expressions;  /* [expression_count] fields of the formula that are computed */
    uint32_t expression_count;
    uint32_t *first_slot;   /* [fields] */
    double *replacement;    /* [slots] of NULLs; NULL: the row has no score, or NULLs are values */
    double *row;            /* [slots] scratch */
} ModelRows;

/*
 * Prepares for rows of a model. function: the SQL function, for messages. Fails with ERROR_KIND unless the model predicts numbers or
 * classes, and for features that are compared as texts.
 */
ModelRows *model_rows_open(Env *env, const Scorer *scorer, const char *function);
/* Returns an empty schema for kept rows, for rows_new. class_type: NULL without classes; those of the model come first. */
Model *model_rows_schema(const ModelRows *model, const char *class_type);

/* Returns the column of a name, or the number embedding[7] of an array. Fails with ERROR_PARAMETER. what: "feature" for the message. */
const ModelColumn *model_rows_column(const ModelRows *model, const char *what, const char *name);
/* Returns the value of a column in a kept row: a number, or the position of a level; NaN: NULL, or a level that the model does not know. */
double model_column_value(const ModelRows *model, const ModelColumn *column, const double *kept);
/* Writes such a value to a kept row. */
void model_column_set(const ModelRows *model, const ModelColumn *column, double value, double *kept);
/* Fails with ERROR_KIND unless values of the column can be set. */
void model_column_require_values(const ModelRows *model, const ModelColumn *column, const char *function);

/* Encodes a kept row for the model. Returns false if it has no score. Fails where an expression has no value. */
bool model_rows_encode(const ModelRows *model, const double *kept, double *slots, double *offset);
/* Lets the method work on encoded rows together, [count x slots of the model]; count at most MODEL_ROWS_AHEAD. */
static inline void model_rows_ahead(const ModelRows *model, const double *slots, uint32_t count)
{
    if (model->scoring->ahead != NULL && count > 1)
        model->scoring->ahead(model->scorer->model, model->scorer->prepared, slots, count);
}

/* ---- what a model says ---- */

/* The numbers that are averaged: a prediction, or probabilities of classes, or decisions of a classifier without probabilities. */
typedef struct ModelOutcomes {
    const ModelRows *model;
    uint32_t count;
    uint32_t *classes; /* [count] NULL: the prediction of a regression */
    const char **labels; /* [count] of these classes; NULL: of a prediction */
    bool probabilities, signed_decision;
    double *room; /* [classes or width] */
    bool reversed; /* the signed decision is for the other class */
} ModelOutcomes;

/*
 * Chooses the classes: all, of two the positive one, or the one that option "class" names. Fails with ERROR_PARAMETER for a class that there
 * is not, and with ERROR_KIND for a classifier without a number per class.
 */
ModelOutcomes model_outcomes(const ModelRows *model, const Options *options, const char *function);
/* Writes the outcomes of an encoded row, [count]. Returns false if it has no score. */
bool model_outcomes_write(const ModelOutcomes *outcomes, const double *slots, double offset, double *out);

#endif
