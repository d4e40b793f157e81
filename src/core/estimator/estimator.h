/*
 * estimator.h - the descriptor of a method. Options, error messages, the reference, input and output, checks, scoring
 * and inspection all read it, so a method is one constant of type Estimator and the functions that it names.
 *
 * The smallest method is a fit, the declaration of its arrays and a scoring function:
 *
 *     static Model *mean_fit(Env *env, const Estimator *self, const FitInput *input, const Options *options,
 *                            ModelBuilder *builder)
 *     {
 *         double *mean = env_array(env, 1, sizeof(double));
 *
 *         *mean = ...;                                               read input->moments or input->rows
 *         builder_f64(builder, SECTION_ARRAYS, "mean", mean, 1);
 *         return model_build(builder);
 *     }
 *     static const ArraySpec mean_arrays[] = {{.name = "mean", .type = ARRAY_F64, .rows = {SIZE_NUMBER, .plus = 1}}};
 *     static const ArrayTable mean_array_tables[] = ARRAY_TABLES(ARRAY_TABLE(mean_arrays), NO_FACTS);
 *     static const Scoring mean_scoring = {.predict = mean_predict};
 *     const Estimator estimator_mean = {.name = "mean", .task = TASK_REGRESSION, .input = INPUT_MOMENTS,
 *                                       .supervised = true, .options = OPTION_TABLES(options_common, mean_options),
 *                                       .fit = mean_fit, .arrays = mean_array_tables, .scoring = &mean_scoring, ...};
 *
 * Read next: env.h (memory, errors, polling), model.h (building and reading a model), options.h, and moments.h or
 * rows.h, depending on the input. src/core/README.md follows one row through a fit and a prediction, and lists the
 * files that a new method touches.
 *
 * Three rules hold for all methods:
 * - fit allocates from env and need not release what stays small: the caller drops the memory when the fit ends.
 *   It polls at least every 10 ms of work.
 * - check sees arrays that anyone may have made up. After a check that passes, no scoring function may read out of
 *   bounds, loop without end or divide by zero.
 * - scoring functions give the same bits on every machine: no BLAS, no contraction, one fixed order of summation.
 */
#ifndef PGFIT_ESTIMATOR_H
#define PGFIT_ESTIMATOR_H

#include "core/base/env.h"
#include "core/base/text_buffer.h"
#include "core/model/model.h"
#include "core/moments/moments.h"
#include "core/estimator/array_spec.h"
#include "core/options/options.h"
#include "core/rows/rows.h"
#include "core/model/schema.h"

#include <string.h>

/* ---- what goes in ---- */

typedef enum Task {
    TASK_REGRESSION = 1,
    TASK_CLASSIFICATION,
    TASK_CLUSTERING,
    TASK_REDUCTION,
    TASK_NEIGHBORS,
    TASK_CALIBRATION,
    TASK_DESCRIPTION,
    TASK_PREPARATION,
    TASK_OUTLIERS,
    TASK_SURVIVAL /* the target is a time until an event */
} Task;

/* What a method is fitted to. Prefer moments: they take constant memory, merge, and can be stored. */
typedef enum InputKind {
    INPUT_MOMENTS = MODEL_MOMENTS,                 /* sums over features and a numeric target */
    INPUT_CLASS_MOMENTS = MODEL_CLASS_MOMENTS,     /* sums over features, per class of the target */
    INPUT_FEATURE_MOMENTS = MODEL_FEATURE_MOMENTS, /* sums over features alone */
    INPUT_ROWS = 10                                /* the rows themselves, read block by block */
} InputKind;

/* What estimator_fit is given, and what it hands to a fit. There is at least one row. */
typedef struct FitInput {
    InputKind kind;
    /* Of the kinds of moments. A fit gets them without pending rows and without classes that have no rows. */
    const Model *moments;
    const KeptRows *kept; /* the rows that the moments keep, set by estimator_fit; NULL: none */
    Rows *rows;           /* of INPUT_ROWS */
    Rows *offsets;        /* one number for each of them: the offset of a formula, where scoring_takes_offset; NULL: none */
    bool frame;           /* a window's frame: too few rows give NULL instead of an error */
} FitInput;

/* Returns the value that has the schema, flags and counts of an input. */
static inline const Model *input_schema(const FitInput *input)
{
    return input->kind == INPUT_ROWS ? rows_schema(input->rows) : input->moments;
}

/* ---- what comes out ---- */

/* A row of coefficients(). NaN becomes NULL in SQL. */
typedef struct Coefficient {
    const char *class_name; /* NULL if the model has one equation */
    const char *term;       /* "(intercept)", "carat", "cut=Ideal" */
    double estimate, std_error, statistic, p_value, conf_low, conf_high;
} Coefficient;

/* A row whose influence on a fit is asked for. */
typedef struct InfluenceRow {
    double target; /* of a classifier of two classes 1 for the positive one, else 0; NaN: not known */
    double weight; /* in the fit */
    double offset; /* of the row's formula */
    uint32_t class; /* of a classifier that of the target; CLASS_NONE: not known */
    bool event;     /* of a time: whether it ends with the event, from when on the row is observed, and its stratum, [stratum_length] bytes */
    double entry;
    const char *stratum;
    uint32_t stratum_length;
    bool class_weights; /* the fit gave weights to classes besides: estimator_has_class_weights */
} InfluenceRow;

/* A row of influence(). NaN becomes NULL in SQL. */
typedef struct Influence {
    double fitted, residual, standardized, studentized, deviance_residual, leverage, cooks_distance, dffits;
} Influence;

typedef struct Table Table; /* rows that a model can show: table.h */
typedef struct Sampling Sampling; /* how rows are drawn from a model: sampling.h */

typedef struct PredictionInterval { /* PostgreSQL has a type Interval */
    double fit, lower, upper;
} PredictionInterval;

/* A row of explain(). */
typedef struct Explanation {
    const char *class_name; /* NULL if the model has one equation */
    const char *term;       /* "(base)", "carat", "cut=Ideal" */
    double contribution;
} Explanation;

#define CLASS_NONE UINT32_MAX /* no class or no cluster; NULL in SQL */

/*
 * What a fitted model can compute for a row; NULL for what it cannot. Each function reads the model, what prepare made
 * of it, and slots, the row as numbers (schema.h); it allocates nothing. Results are finite unless they overflow. The texts of the
 * row, where the model compares texts, are in env->row_texts of the env that prepare was given.
 */
typedef struct Scoring {
    /* Some rows have no score. A NaN, in the first number where there are several, becomes NULL in SQL. */
    bool partial;
    /* Makes what scoring needs beyond the arrays, once per query; *bytes is its size. NULL: nothing is needed. */
    void *(*prepare)(Env *env, const Model *model, size_t *bytes);
    /* Tells whether this model needs to be prepared. NULL: every model does. */
    bool (*prepares)(const Model *model);
    /*
     * Works on many rows together, [count x slots], where that is faster. The scores of slots + i x slot_count are
     * asked for afterwards, and must have the bits that they have without this. NULL: rows are scored one by one.
     */
    void (*ahead)(const Model *model, const void *prepared, const double *slots, uint32_t count);

    double (*predict)(const Model *model, const void *prepared, const double *slots);
    /* The same with the offset of the row's formula, of methods in which it is part of a score, not of the prediction. NULL: it is added. */
    double (*predict_offset)(const Model *model, const void *prepared, const double *slots, double offset);
    /* What classify returns, by position, of methods that are fitted without labels. NULL: the model's classes. */
    const char *const *labels;
    /* Returns a class by its position in the order of the model's classes. */
    uint32_t (*classify)(const Model *model, const void *prepared, const double *slots);
    void (*probabilities)(const Model *model, const void *prepared, const double *slots, double *out); /* [classes] */
    /* Both with the offset of the row's formula, of classifiers that take one. */
    uint32_t (*classify_offset)(const Model *model, const void *prepared, const double *slots, double offset);
    void (*probabilities_offset)(const Model *model, const void *prepared, const double *slots, double offset, double *out);
    void (*decisions)(const Model *model, const void *prepared, const double *slots, double *out);     /* [width] */
    /* The signed score for two classes, of methods whose decisions writes one score per class. */
    double (*decision)(const Model *model, const void *prepared, const double *slots);

    uint32_t (*cluster)(const Model *model, const void *prepared, const double *slots);
    /* The shares of the clusters in a row: probabilities() of a model without classes. */
    void (*memberships)(const Model *model, const void *prepared, const double *slots, double *out);
    /* decision() of a model for which that is the logarithm of a density. */
    double (*log_density)(const Model *model, const void *prepared, const double *slots);
    /* log_density() of other models: the logarithm of the density of a row, of whichever class. */
    double (*log_evidence)(const Model *model, const void *prepared, const double *slots);
    bool (*has_density)(const Model *model); /* NULL: every model has one if log_density or log_evidence is set */
    /* The probability that a row drawn from the model's distribution is at least as far out as this one. */
    double (*tail)(const Model *model, const void *prepared, const double *slots);

    bool (*has_distance)(const Model *model); /* NULL: every model has one if distance is set */
    double (*distance)(const Model *model, const void *prepared, const double *slots);
    void (*distances)(const Model *model, const void *prepared, const double *slots, double *out);
    void (*transform)(const Model *model, const void *prepared, const double *slots, double *out);
    /* How many numbers decisions, memberships, distances and transform write. */
    uint32_t (*width)(const Model *model);
    uint32_t (*transform_width)(const Model *model); /* of transform, if it differs from width; else NULL */
    /* Maps what transform wrote back to inverse_width numbers, one per term. */
    void (*inverse)(const Model *model, const double *numbers, double *out);
    uint32_t (*inverse_width)(const Model *model);

    PredictionInterval (*interval)(Env *env, const Model *model, const void *prepared, const double *slots, double level);
    /*
     * Returns the probability that the event of a row, with the offset of its formula, comes after a time, and limits unless level is NaN. stratum: whose baseline counts, [length] bytes;
     * NULL: none is given. Fails with ERROR_PARAMETER if the model needs one, has no strata, or not this one, or keeps nothing for limits.
     */
    PredictionInterval (*survival)(Env *env, const Model *model, const double *slots, double offset, double time, double level, const char *stratum, uint32_t length);
    /* Sets what the row has of these numbers, which are NaN before; NULL: regressions have a fitted value and a residual. */
    void (*influence)(Env *env, const Model *model, const double *slots, const InfluenceRow *row, Influence *out);
    bool (*has_explain)(const Model *model); /* NULL: every model can be explained if explain is set */
    /* Splits the prediction or decisions into contributions that add up to it (explanation.h). Returns how many. */
    uint32_t (*explain)(Env *env, const Model *model, const void *prepared, const double *slots,
                        Explanation **out);
} Scoring;

/* Tells whether something is to be made of a model before it scores. scoring: of its estimator, or NULL. */
static inline bool scoring_prepares(const Scoring *scoring, const Model *model)
{
    return scoring != NULL && scoring->prepare != NULL && (scoring->prepares == NULL || scoring->prepares(model));
}

/* Tells whether the offset of a formula is part of the score of such models, so that fits get it: FitInput.offsets. */
static inline bool scoring_takes_offset(const Scoring *scoring)
{
    return scoring->predict_offset != NULL || scoring->probabilities_offset != NULL;
}
/* Returns the prediction of a row whose formula has this offset, 0 without one. */
static inline double scoring_predict(const Scoring *scoring, const Model *model, const void *prepared, const double *slots, double offset)
{
    return scoring->predict_offset != NULL ? scoring->predict_offset(model, prepared, slots, offset)
                                           : scoring->predict(model, prepared, slots) + offset;
}

/* Returns how many scores of a classifier are ranked and calibrated: one for two classes if it has one, else one per class. */
static inline uint32_t scoring_scores(const Scoring *scoring, const Model *model)
{
    uint32_t width = scoring->width(model);

    return width == 2 && scoring->decision != NULL ? 1 : width;
}
/* Writes those scores. */
static inline void scoring_write_scores(const Scoring *scoring, const Model *model, const void *prepared,
                                        const double *slots, double *out)
{
    if (scoring->decision != NULL && scoring->width(model) == 2)
        out[0] = scoring->decision(model, prepared, slots);
    else
        scoring->decisions(model, prepared, slots, out);
}

/* Returns how many numbers transform writes. */
static inline uint32_t scoring_outputs(const Scoring *scoring, const Model *model)
{
    return scoring->transform_width != NULL ? scoring->transform_width(model) : scoring->width(model);
}

/* ---- the descriptor ---- */

typedef struct Estimator {
    const char *name; /* of the SQL function, and in estimators.def */
    Task task;
    InputKind input;
    /* A second kind that it can be fitted to; wants_other tells which one to collect for these options. 0: none. */
    InputKind other_input;
    bool (*wants_other)(const Options *options);
    bool numeric;    /* takes no categorical features: neither a fit nor a model has any */
    /* Option nulls has the choice "branch": a NULL is a value, NaN in its slot, of numbers and categories alike. */
    bool nulls_are_values;
    bool by_scale;   /* distances or margins: a feature of large numbers decides alone, unless they are standardized */
    bool infinite_distances; /* fits a matrix of given distances of which some are infinite */
    bool diagonal; /* from class or feature moments: reads sums of squares, and no products of two columns, */
    bool (*wants_products)(const Options *options); /* except with options for which this returns true; NULL: none */
    bool takes_offset; /* a formula's offset(...): subtracted from the target of a fit, and added to predictions, unless scoring_takes_offset */
    bool takes_bars; /* a formula's random effects, (1 | subject) */
    const char *several_targets; /* from moments: the estimator that fits an array of targets, which may be this one; NULL: none does */
    const char *list_option;     /* an option that may be a list of numbers; NULL: none is given to another estimator */
    const char *list_estimator;  /* which fits such a list, one output of transform for each number */
    bool null_model;   /* fits the intercept alone to a formula without terms, such as 1 */
    bool supervised; /* the first argument of the aggregate is a target */
    bool identified; /* not supervised: the first argument is an id of any type */
    /* OPTION_TABLES(options_common, shared tables, its own): a later option replaces an earlier one of its name. */
    const OptionSpec *const *options;
    const char *const *positional; /* names of options that are arguments in SQL; NULL-terminated */
    const char *help;              /* one sentence for the reference */
    const char *source;            /* where the method was published */
    /*
     * Adds arrays and facts to the builder, which has everything else (fit_begin), and returns model_build of it. Returns
     * NULL if there are too few rows, in a window's frame or where an option asks for that. NULL: its models are made from
     * models (ensemble.h).
     */
    Model *(*fit)(Env *env, const struct Estimator *self, const FitInput *input, const Options *options,
                  ModelBuilder *builder);
    /*
     * Returns one model from two of this estimator: merge(model, model). Fails if they do not go together. NULL: fitted models
     * do not merge.
     */
    Model *(*merge)(Env *env, const Model *a, const Model *b);
    /* ARRAY_TABLES: declares the arrays and facts of the models, for checks, views and documentation (array_spec.h). */
    const ArrayTable *arrays;
    /* Checks what the declarations cannot say. Returns NULL, or what is wrong. NULL: they say all. */
    const char *(*check)(Env *env, const Model *model);
    /*
     * The same for conditions that cost too much to check at every use; called once for a checked model that comes in
     * as text or binary. NULL: there are none.
     */
    const char *(*accept)(Env *env, const Model *model);
    const Scoring *scoring;
    const Sampling *sampling; /* of methods that describe a distribution of rows; else NULL */
    /* Inspection; NULL for what the method does not have. The first returns how many coefficients. */
    uint32_t (*coefficients)(Env *env, const Model *model, Coefficient **out);
    /*
     * Returns the degrees of freedom of tests of coefficients, INFINITY: by the normal distribution. NULL: those of the residuals of a regression, INFINITY
     * for a classifier.
     */
    double (*test_df)(Env *env, const Model *model);
    const Table *const *tables; /* beside those of most models; NULL-terminated (table.h) */
    char *(*to_sql)(Env *env, const Model *model);  /* an SQL expression over the names of the features */
    /* Returns the models that a model keeps inside, and their number: the stages of a pipeline. NULL: it keeps none. */
    const Model *const *(*parts)(Env *env, const Model *model, uint32_t *count);
    /*
     * Add the name of a number that transform writes (NULL: the estimator's name and the number's position), and an SQL expression
     * for it over the names of the features (NULL: there is none). See outputs.h.
     */
    void (*output_name)(TextBuffer *out, const Model *model, uint32_t output);
    void (*output_sql)(TextBuffer *out, const Model *model, uint32_t output);
    /* Writes the row that numbers of transform stand for as a JSON object. NULL: Scoring.inverse tells all. */
    void (*inverse_row)(TextBuffer *out, const Model *model, const double *numbers);
    char *(*probability_sql)(Env *env, const Model *model, uint32_t class); /* the same for the probability of a class */
    char *(*summary)(Env *env, const Model *model); /* lines of text for a terminal; NULL: the general ones */
    /*
     * Returns a value with all facts about the model: the stored ones, and those that follow from other arrays, which
     * are not stored to save space. NULL: all facts are stored.
     */
    Model *(*statistics)(Env *env, const Model *model);
} Estimator;

/* Tells whether it predicts an array, one number per target of an array, by transform. */
static inline bool estimator_predicts_array(const Estimator *estimator)
{
    return estimator->several_targets != NULL && strcmp(estimator->several_targets, estimator->name) == 0;
}

/* Checks a model by the declared arrays and the estimator's own check. Returns NULL, or what is wrong. */
const char *estimator_check(Env *env, const Estimator *estimator, const Model *model);

/* ---- fitting ---- */

/*
 * Begins a model: returns a builder with the estimator's name, the options as used (defaults included), the final schema
 * of the input, the means that replace NULLs, its flags, and its counts of rows. input: as a fit gets it.
 */
ModelBuilder *fit_begin(Env *env, const Estimator *estimator, const FitInput *input, const Options *options);
/*
 * Fails if there are no features, which a formula without terms leaves, and the estimator needs some. name: of the method, whose estimator may be
 * NULL.
 */
void estimator_require_features(Env *env, const Estimator *estimator, const char *name, uint32_t fields);
/*
 * Prepares the input, begins the model, fits, and checks that the result can be read back: as a whole
 * (model_require_readable), or its numbers alone (model_require_finite). Returns NULL if there are no rows, or where
 * the fit does. All fits go through here. Where the input's formula has terms that are learned, they are learned first, and the
 * fit gets rows or moments of them (formula_fit.h).
 */
Model *estimator_fit(Env *env, const Estimator *estimator, const FitInput *input, const Options *options,
                     bool whole);

/* ---- values from outside, and on their way out ---- */

/*
 * Checks that `size` bytes are a whole value: layout and options (model_layout.c), schema and dictionary
 * (schema_check), the arrays of moments (moments_check) or of the estimator (its own check); a training summary is checked by readers and by
 * whoever uses it. Returns NULL, or what is
 * wrong (a static or env-allocated message). Reads nothing outside [value, value + size).
 */
const char *model_check(Env *env, const void *value, size_t size);
/*
 * Checks the rest, for checked values from outside: what would fail at the first score, such as a covariance that is not
 * positive definite. Returns NULL, or what is wrong.
 */
const char *model_accept(Env *env, const Model *model);
/*
 * Returns a value just built, after making sure that it can be read back. All that hands values to the user ends here or
 * in model_require_finite. Fails with ERROR_RANGE if a number has overflowed.
 */
Model *model_require_readable(Env *env, Model *model);
/*
 * The same, but checks what the arrays mean only if one holds an infinity or a NaN: for values by the hundred thousand,
 * where the complete check would take a third of the time (estimator_fit).
 */
Model *model_require_finite(Env *env, Model *model);

/* Reads a model from text; the result passed model_check and is sealed. Fails with ERROR_TEXT naming the place. */
Model *model_from_text(Env *env, const char *text, size_t length);
/* Reads a model from network byte order; the same with ERROR_BINARY. */
Model *model_from_binary(Env *env, const uint8_t *bytes, size_t length);

/* ---- finding ---- */

/* All estimators in alphabetical order, NULL-terminated; defined in src/core/estimators.c from estimators.def. */
extern const Estimator *const estimators[];
/* Returns the estimator of this name; NULL if there is none. */
const Estimator *estimator_find(const char *name);
/* Returns the estimator of a fitted model; NULL for moments and for unknown names. */
const Estimator *estimator_of(const Model *model);
/* Returns "a, b, c", for hints: those that are fitted to something. */
char *estimator_names(Env *env);

/* ---- asking ---- */

/* Returns the kind of input to collect for a fit with these options. */
InputKind estimator_input(const Estimator *estimator, const Options *options);
/* Tells whether models of an estimator predict classes. */
static inline bool estimator_classifies(const Estimator *estimator)
{
    return estimator->task == TASK_CLASSIFICATION || estimator->task == TASK_CALIBRATION;
}
/* Tells whether it can be fitted to this kind of input. */
bool estimator_takes(const Estimator *estimator, InputKind kind);
/* Tells whether moments for this fit are of squares alone. estimator NULL: they are for any fit. */
bool estimator_is_diagonal(const Estimator *estimator, const Options *options);
const char *task_name(Task task);
const char *input_kind_name(InputKind kind);
/* Returns a value with all facts about a model: the model itself if it stores them all. */
const Model *estimator_statistics(Env *env, const Model *model);
/* Returns the options that a model was fitted with. */
Options *estimator_options(Env *env, const Estimator *estimator, const Model *model);
/* Returns its confidence level, option "level"; LEVEL_DEFAULT if the estimator has no such option. */
#define LEVEL_DEFAULT 0.95
double estimator_level(Env *env, const Estimator *estimator, const Model *model);
/* Tells whether a model was fitted with weights of its classes, option "class_weight". */
bool estimator_has_class_weights(Env *env, const Estimator *estimator, const Model *model);
/* Sets what a row of the fit has of the numbers of influence(), all NaN before; of regressions without a function of their own the first two. */
void estimator_influence(Env *env, const Scoring *scoring, const Model *model, const void *prepared, const double *slots, const InfluenceRow *row,
                         Influence *out);

#endif
