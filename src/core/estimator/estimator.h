/*
 * estimator.h - one constant descriptor a method; the glue, the docs and the checks read it.
 *
 * Adding a method: one file in src/core with its descriptor, one line in estimators.def, its lines
 * in src/sql, its tests, its page.
 */
#ifndef PGFIT_ESTIMATOR_H
#define PGFIT_ESTIMATOR_H

#include "core/base/env.h"
#include "core/estimator/value_check.h"
#include "core/model/model.h"
#include "core/moments/moments.h"
#include "core/estimator/array_spec.h"
#include "core/model/options.h"
#include "core/rows/rows.h"
#include "core/model/schema.h"

typedef enum Task {
    TASK_REGRESSION = 1,
    TASK_CLASSIFICATION,
    TASK_CLUSTERING,
    TASK_REDUCTION,
    TASK_NEIGHBORS,
    TASK_CALIBRATION,
    TASK_DESCRIPTION
} Task;

typedef enum InputKind {
    INPUT_MOMENTS = MODEL_MOMENTS,
    INPUT_CLASS_MOMENTS = MODEL_CLASS_MOMENTS,
    INPUT_FEATURE_MOMENTS = MODEL_FEATURE_MOMENTS,
    INPUT_ROWS = 10
} InputKind;

typedef struct FitInput {
    InputKind kind;
    const Model *moments; /* the first three kinds; pending rows possible */
    Rows *rows;           /* INPUT_ROWS */
    bool frame;           /* a window's frame: too few rows give NULL, not an error */
} FitInput;

/* One line of coefficients(): NaN is NULL in SQL. */
typedef struct Coefficient {
    const char *class_name; /* NULL where one equation */
    const char *term;       /* "(intercept)", "carat", "cut=Ideal" */
    double estimate, std_error, statistic, p_value, conf_low, conf_high;
} Coefficient;

/* What components() gives of a projection. */
typedef struct Components {
    uint32_t count, terms;
    const char *const *term_names; /* [terms] */
    const double *loadings;        /* [count x terms] */
    const double *variances;       /* [count], falling */
    double total;                  /* variance; NaN or 0: shares are not known */
} Components;

/* The normal distributions that a model is made of. */
typedef struct Distributions {
    uint32_t count, dims;
    const double *weights, *means, *covariances; /* [count], [count x dims], [count x dims x dims] */
} Distributions;

typedef struct PredictionInterval { /* Interval is a name of PostgreSQL's */
    double fit, lower, upper;
} PredictionInterval;

/* One line of explain(). */
typedef struct Explanation {
    const char *class_name; /* NULL where one equation */
    const char *term;       /* "(base)", "carat", "cut=Ideal" */
    double contribution;
} Explanation;

/*
 * What a fitted model can do; NULL where it cannot. Every function reads the flat value (and what
 * prepare made) alone, uses no BLAS and one fixed order of summation: the same bits everywhere.
 * slots: an encoded row, schema.h. Scores are not finite only where they overflow.
 */
#define CLASS_NONE UINT32_MAX
typedef struct Scoring {
    /* some rows have no score: a NaN, in the first number where there are several, is NULL in SQL */
    bool partial;
    void *(*prepare)(Env *env, const Model *model, size_t *bytes); /* NULL: nothing to prepare */
    bool (*prepares)(const Model *model); /* does this model need it? NULL: every one where prepare is there */
    /*
     * Many rows together, [count x slots], where that is faster: the scores of slots + i x slot_count are then
     * asked for. They are the same bits as without. NULL: it is not.
     */
    void (*ahead)(const Model *model, const void *prepared, const double *slots, uint32_t count);
    double (*predict)(const Model *model, const void *prepared, const double *slots);
    /* class position in dictionary order; CLASS_NONE: none, NULL in SQL */
    uint32_t (*classify)(const Model *model, const void *prepared, const double *slots);
    void (*probabilities)(const Model *model, const void *prepared, const double *slots,
                          double *out);
    void (*decisions)(const Model *model, const void *prepared, const double *slots, double *out);
    /* the signed score of two classes, where decisions writes one a class; asked of two classes alone */
    double (*decision)(const Model *model, const void *prepared, const double *slots);
    /* CLASS_NONE: the row has none, NULL in SQL */
    uint32_t (*cluster)(const Model *model, const void *prepared, const double *slots);
    /* shares of the clusters in a row: probabilities() of models without classes */
    void (*memberships)(const Model *model, const void *prepared, const double *slots, double *out);
    /* decision() of models of which it is the logarithm of a density */
    double (*log_density)(const Model *model, const void *prepared, const double *slots);
    bool (*has_distance)(const Model *model); /* NULL: every model, where distance is there */
    double (*distance)(const Model *model, const void *prepared, const double *slots);
    void (*distances)(const Model *model, const void *prepared, const double *slots, double *out);
    void (*transform)(const Model *model, const void *prepared, const double *slots, double *out);
    uint32_t (*width)(const Model *model); /* numbers that decisions, memberships, distances, transform write */
    uint32_t (*transform_width)(const Model *model); /* of transform, where not width; else NULL */
    /* back from what transform writes: inverse_width numbers, a term each */
    void (*inverse)(const Model *model, const double *numbers, double *out);
    uint32_t (*inverse_width)(const Model *model);
    /* the probability that a row of the model's distribution is as far out as this one, or farther */
    double (*tail)(const Model *model, const void *prepared, const double *slots);
    PredictionInterval (*interval)(Env *env, const Model *model, const double *slots, double level);
    /* What made the prediction, the decision or the decisions: lines that add up to it (explanation.h). */
    uint32_t (*explain)(Env *env, const Model *model, const void *prepared, const double *slots,
                        Explanation **out);
} Scoring;

/* The scores of a classifier as they are ranked and calibrated: one of two classes where there is one, else one a class. */
static inline uint32_t scoring_scores(const Scoring *scoring, const Model *model)
{
    uint32_t width = scoring->width(model);

    return width == 2 && scoring->decision != NULL ? 1 : width;
}
static inline void scoring_write_scores(const Scoring *scoring, const Model *model, const void *prepared,
                                        const double *slots, double *out)
{
    if (scoring->decision != NULL && scoring->width(model) == 2)
        out[0] = scoring->decision(model, prepared, slots);
    else
        scoring->decisions(model, prepared, slots, out);
}

typedef struct Estimator {
    const char *name;
    Task task;
    InputKind input;
    /* a second kind that it fits from, where rows are gathered as the options want it; 0: none */
    InputKind other_input;
    bool (*wants_other)(const Options *options);
    bool supervised;
    bool identified; /* rows come with an id, of any type, as the first argument; not where supervised */
    const OptionSpec *options;     /* its own; ends with a NULL name */
    const char *const *positional; /* names of options given as arguments; NULL-terminated */
    const char *help;              /* one sentence */
    const char *source;            /* where the method is from */
    /* moments + options -> model. The options JSON, schema, rows, skipped are the fit's to carry
     * over by fit_begin. NULL result: nothing to fit (no rows). */
    Model *(*fit)(Env *env, const FitInput *input, const Options *options);
    /* The arrays of its models: what checks, views and documentation know of them. Ends with NULL specs. */
    const ArrayTable *arrays;
    /* Checks what the tables cannot say, of a model that they fit. NULL, or what is wrong. NULL function: nothing. */
    const char *(*check)(Env *env, const Model *model);
    /*
     * What check leaves out because it costs too much at every use: asked of checked values that come in as text or
     * binary. NULL, or what is wrong. NULL function: nothing.
     */
    const char *(*accept)(Env *env, const Model *model);
    const Scoring *scoring;
    /* Inspection; NULL where it has none. */
    uint32_t (*coefficients)(Env *env, const Model *model, Coefficient **out);
    void (*components)(Env *env, const Model *model, Components *out);
    void (*distributions)(Env *env, const Model *model, Distributions *out);
    char *(*to_sql)(Env *env, const Model *model);  /* an SQL expression over the feature names */
    char *(*summary)(Env *env, const Model *model); /* laid out for psql */
    /*
     * A value of facts alone: the stored ones and those that follow from them, which a model does not
     * spend its bytes on. NULL: the stored ones are all.
     */
    Model *(*statistics)(Env *env, const Model *model);
} Estimator;

/* Checks a model by the estimator's tables and its own check. Returns NULL, or what is wrong. */
const char *estimator_check(Env *env, const Estimator *estimator, const Model *model);
/*
 * Fits, and checks that the model can be read again: in whole (model_require_readable), or its numbers alone
 * (model_require_finite). NULL: nothing to fit. Nothing else calls fit.
 */
Model *estimator_fit(Env *env, const Estimator *estimator, const FitInput *input, const Options *options,
                     bool whole);

/* NULL where unknown. */
const Estimator *estimator_find(const char *name);
/* The estimator of a fitted model; NULL for moments and for names unknown here. */
const Estimator *estimator_of(const Model *model);
/* All of them in alphabetical order; NULL-terminated. Data of src/core/estimators.c: the one name from above this room. */
extern const Estimator *const estimators[];
char *estimator_names(Env *env);            /* "a, b, c" */
/* Moments that rows are gathered as, and whether a fit takes this kind. */
InputKind estimator_input(const Estimator *estimator, const Options *options);
bool estimator_takes(const Estimator *estimator, InputKind kind);
const char *task_name(Task task);
const char *input_kind_name(InputKind kind);

/*
 * A builder with the estimator's name, the options as used (defaults included), the final schema of
 * the moments, and its flags, rows, skipped and weight (of Rows: those of rows_schema).
 */
ModelBuilder *fit_begin(Env *env, const Estimator *estimator, const FitInput *input,
                        const Options *options);
/* A value with all facts of a model, stored or not: the model itself where it stores all. */
const Model *estimator_statistics(Env *env, const Model *model);
/* The options that a fitted model was made with. */
Options *estimator_options(Env *env, const Estimator *estimator, const Model *model);
/* Its option "level", of confidence; LEVEL_DEFAULT where the estimator has no such option. */
#define LEVEL_DEFAULT 0.95
double estimator_level(Env *env, const Estimator *estimator, const Model *model);

#endif
