/*
 * kernel_model.h - kernel expansions, the models of support vector machines and of all other kernel methods: storage, view,
 * check and scores.
 *
 *     f_p(x) = intercept_p + sum over i of multiplier[p][i] k(row_i, x)         p = 1 .. P problems, i = 1 .. m rows
 *
 * The problems share the rows, so each kernel value is computed once per row to score. Rows are points (kernel_sample.h): numbers,
 * or 0 and 1 for levels, standardized if the model has center and scale. Arrays of a model:
 *   rows          F64[m x terms]  points (kernel.h): support vectors, training rows, or landmarks; frequencies where there are phases
 *   multipliers   F64[P x m]      one dimension if P is 1
 *   kernel        F64[4], kernel_parts, texts   kernel.h; not where there are phases
 *   intercept     F64[P]          missing: 0
 *   phases        F64[m]          random Fourier features: cos(2 pi (row_i . x + phase_i)) takes the place of k(row_i, x)
 *   center, scale F64[terms]      x is (x - center) scale before it is compared; missing: x as it is
 *   row_numbers   I64[m]          the place of each row among the fitted ones, in order of arrival, from 1; optional
 *   at_bound      U8[P x m]       1: the multiplier is as large as it may be (support vector machines); optional
 *   column_slot, column_level     model_terms.h; missing: the terms are the slots
 *   class_rule, multiclass, code_book   of classifiers, as linear classifiers have them (class_options.h, multiclass.h)
 *
 * A method stores its result by kernel_model_add, lists KERNEL_MODEL_TABLES (classifiers: and KERNEL_CLASSIFIER_TABLES) among its
 * arrays beside its own table of facts, calls kernel_model_check or kernel_classifier_check, and scores by the functions
 * kernel_model_prepare, kernel_model_predict and so on. A method whose models are linear for some options has both kinds of tables: those
 * here apply where a model has "rows", and it lists the others by ARRAY_TABLE_LACKING(..., "rows"); kernel_model_is tells them apart.
 */
#ifndef PGFIT_KERNEL_MODEL_H
#define PGFIT_KERNEL_MODEL_H

#include "core/kernel/kernel_points.h"
#include "core/estimator/class_options.h"
#include "core/estimator/estimator.h"
#include "core/estimator/multiclass.h"
#include "core/kernel_methods/kernel_sample.h"
#include "core/moments/model_terms.h"

/* ---- storing ---- */

typedef struct KernelExpansion {
    const Kernel *kernel; /* NULL with phases */
    uint32_t problems, count, dims;
    double *rows;               /* [count x dims]; texts are numbered anew when they are stored */
    const double *multipliers;  /* [problems x count] */
    const double *intercept;    /* [problems]; NULL: none */
    const double *phases;       /* [count]; NULL: a kernel's expansion */
    const int64_t *row_numbers; /* [count]; NULL: not kept */
    const uint8_t *at_bound;    /* [problems x count]; NULL: not kept */
} KernelExpansion;

/*
 * Returns the expansion over those rows of a sample that have a multiplier other than 0 in some problem (over the first row if none
 * has one), with their numbers. multipliers: [problems x sample->count]; at_bound: the same, or NULL.
 */
KernelExpansion kernel_expansion(const KernelSample *sample, uint32_t problems, const double *multipliers, const double *intercept,
                                 const uint8_t *at_bound);
/*
 * Adds the arrays but those of classifiers (class_rule_add and multiclass_add add them), and the fact gamma. Terms, center and
 * scale are the sample's. All memory must live until model_build.
 */
void kernel_model_add(Env *env, ModelBuilder *builder, const KernelSample *sample, const KernelExpansion *expansion);

/* The part of it for support vectors: [count] and [problems x count]; row_numbers and at_bound NULL: not kept. */
void kernel_support_add(ModelBuilder *builder, uint32_t problems, uint32_t count, const int64_t *row_numbers, const double *multipliers,
                        const uint8_t *at_bound);

/* ---- arrays and checks ---- */

extern const ArraySpec kernel_model_arrays[11], kernel_model_facts[1]; /* the fact gamma, as used */
#define KERNEL_MODEL_TABLES                                                                                                  \
    ARRAY_TABLE_WHERE(kernel_model_arrays, "rows"), ARRAY_TABLE_WHERE(term_arrays, "rows"), FACT_TABLE(kernel_model_facts)
/* Beside them, unless the method lists these two anyway. */
#define KERNEL_CLASSIFIER_TABLES ARRAY_TABLE(class_rule_arrays), ARRAY_TABLE(multiclass_arrays)

/* Tells whether a model is stored as an expansion. */
bool kernel_model_is(const Model *model);
/* Return NULL, or what the tables cannot say is wrong. The first one for methods whose scores are numbers. */
const char *kernel_model_check(Env *env, const Model *model);
const char *kernel_classifier_check(Env *env, const Model *model);

/* ---- reading ---- */

typedef struct KernelView {
    Kernel kernel;
    Terms terms;
    uint32_t problems, count, dims;
    const double *rows, *multipliers;
    const double *intercept, *phases, *center, *scale; /* NULL: missing */
    const int64_t *row_numbers;
    const uint8_t *at_bound;
} KernelView;

/* Opens a checked model. */
void kernel_view(const Model *model, KernelView *view);
/* Returns how many numbers a row takes as a point: dims, or all slots with kernel precomputed. */
uint32_t kernel_view_width(const KernelView *view);
/* Writes an encoded row as a point, [kernel_view_width], to compare with the rows of the model. */
void kernel_view_point(const KernelView *view, const double *slots, double *point);

/* ---- scores: the same bits on every machine, without allocation ---- */

/* What prepare makes; the scratch in it belongs to the call site. */
typedef struct KernelScorer {
    Env *env; /* to poll: a model may have many rows */
    KernelView view;
    KernelPoints points;
    double *weights;        /* [problems][rows rounded up to KERNEL_PANEL] multipliers, 0 behind the last one */
    double *point;          /* [dims] */
    double *values;         /* [KERNEL_SEGMENT] */
    double *parts;          /* [problems x KERNEL_PANEL] partial sums */
    double *scores;         /* [problems] of the last row */
    ClassRule rule;         /* of two classes */
    Multiclass *multiclass; /* NULL: scores need no decoding */
} KernelScorer;
#define KERNEL_SEGMENT 512 /* rows between two polls, at most */
#define KERNEL_NUMBERS 4000000u /* and numbers of them */
/* Returns how many rows of a model are scored between two polls: whole panels, so that sums keep their order. */
static inline uint32_t kernel_segment(const KernelView *view)
{
    uint32_t rows = KERNEL_NUMBERS / (view->dims + 1) / KERNEL_PANEL * KERNEL_PANEL;

    return rows > KERNEL_SEGMENT ? KERNEL_SEGMENT : rows < KERNEL_PANEL ? KERNEL_PANEL : rows;
}

/* Makes a KernelScorer: Scoring.prepare. */
void *kernel_model_prepare(Env *env, const Model *model, size_t *bytes);
/* Returns f_1 .. f_P of an encoded row; valid until the next call. prepared: a KernelScorer. */
const double *kernel_model_scores(const void *prepared, const double *slots);
/* Functions of Scoring, for models of one problem, or of classes. */
double kernel_model_predict(const Model *model, const void *prepared, const double *slots);
uint32_t kernel_model_classify(const Model *model, const void *prepared, const double *slots);
void kernel_model_decisions(const Model *model, const void *prepared, const double *slots, double *out);
uint32_t kernel_model_width(const Model *model); /* of classifiers: 1, or as many as classes */
/* Adds "kernel: rbf, gamma: 0.5" to a summary, and what approximates the kernel. */
void kernel_model_report(TextBuffer *report, const Model *model);
uint32_t kernel_model_problems(const Model *model); /* 0 without multipliers */

#endif
