/*
 * margins.h - marginal effects and marginal means of a fit: averages of predictions, of their differences and of their derivatives over rows, with
 * standard errors by the delta method.
 *
 * An average is a sum over rows, and so are its derivatives by the coefficients: memory does not grow with the rows.
 */
#ifndef PGFIT_MARGINS_H
#define PGFIT_MARGINS_H

#include "core/linear_equations/linear_equations.h"
#include "core/linear_equations/linear_hypothesis.h"
#include "core/linear_equations/link_function.h"

typedef enum MarginKind { MARGIN_NUMBER, MARGIN_BOOLEAN, MARGIN_CATEGORY, MARGIN_OTHER } MarginKind;

/* A column that a model reads. */
typedef struct MarginVariable {
    const char *name;
    MarginKind kind;      /* other: an array, or text whose levels the model does not know */
    uint32_t level_count; /* of a category or boolean */
    const char *const *levels; /* [level_count] the reference first; NULL: the level of NULLs */
    bool random;               /* groups of random effects alone, on which no average depends */
} MarginVariable;

/* Returns the columns that a model reads, [*count]. Fails with ERROR_KIND, naming the SQL function, if it knows none by name. */
MarginVariable *margin_variables(Env *env, const Model *model, const char *function, uint32_t *count);

/* Averages over rows, one for each level. */
typedef struct Margins {
    LinearInference inference;
    LinearView view;
    const LinearTerm *terms; /* [term_count] those of the coefficients after the intercept */
    uint32_t term_count;
    bool probability; /* of probabilities, rather than scores */
    Link link;        /* of a generalized linear model, whose means are meant; its function NULL: scores or probabilities are */
    uint32_t count;
    double *weight;   /* [count] of the rows */
    double *response; /* [count] sums */
    double *gradient; /* [count x coefficients] sums of derivatives */
    bool *lost;       /* [count] it depends on a dropped term, of which margins_learn could not tell how it follows from others */
    struct DroppedTerms *dropped; /* how dropped terms follow from others */
    double *spare;    /* [3 x coefficients] */
} Margins;

/* A row as a model sees it: its slots and its offset. */
typedef struct MarginRow {
    const double *slots;
    double offset;
} MarginRow;

/* Begins `count` averages. response: of probabilities or means where the model has a link. Fails as linear_inference does, and for classes without one. */
Margins *margins_begin(Env *env, const Model *model, const char *function, uint32_t count, bool response);
/*
 * Learns from the rows of the fit how dropped terms follow from the others, before margins_add: an average whose terms follow in the same way does
 * not depend on them, and another one may depend on them without having one. Returns false once no more rows are needed; row NULL: there are none.
 */
bool margins_learn(Margins *margins, const MarginRow *row);
/*
 * Adds the prediction of a row to average i, or where low is not NULL, high less low divided by width. between: the row halfway, if that is to be a
 * derivative; a term with a step there has that of its other side.
 */
void margins_add(Margins *margins, uint32_t i, const MarginRow *high, const MarginRow *low, const MarginRow *between, double weight, double width);
/*
 * Sets an average and its tests, or where j is not NO_MARGIN, average i less average j; *df: its degrees of freedom. The estimate is NaN without rows
 * and where it depends on a dropped term.
 */
#define NO_MARGIN UINT32_MAX
void margins_finish(const Margins *margins, uint32_t i, uint32_t j, Coefficient *out, double *df);
/* Turns the tests of a score to those of a probability or mean: the limits are those of the score, and there is no statistic. */
void margins_to_response(const Model *model, Coefficient *out);
/* Warns if an average depends on dropped terms, naming them. */
void margins_warn(const Margins *margins);

#endif
