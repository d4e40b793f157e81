/*
 * multiclass.h - splits several classes into binary problems: one-vs-rest, one-vs-one, output codes.
 *
 * A code book has one row per class and one column per binary problem: 1 if the class is positive, -1 if negative, 0 if its rows
 * are not used. A method fits one binary model per column; the scores, above 0 for positive, are decoded into a class and one
 * score per class:
 *
 *   ovr   each class against all others; the largest score wins.
 *   ovo   pairs of classes, (0,1), (0,2) .. (1,2) ..: the later one is positive, a score of 0 is negative. Each pair votes;
 *         among the classes with most votes the one with the largest sum s of its signed scores wins. The score of a class is
 *         votes + s / (3 (|s| + 1)), which rounds to the votes.
 *   ecoc  columns of 1 and -1. The row of the book nearest to the scores wins (Euclidean); the score of a class is minus its
 *         distance. Dietterich & Bakiri (1995); Allwein, Schapire & Singer (2000).
 *
 * If the scores of a method are probabilities of the positive side, ecoc compares them with 1 and 0 instead. Ties go to the
 * class that is first in order. Two classes need no strategy: they are one problem. A model with more classes stores:
 *   multiclass  I64[1]      MulticlassKind; missing: ovr, or the strategy of the method
 *   code_book   I64[q x P]  of ecoc
 */
#ifndef PGFIT_MULTICLASS_H
#define PGFIT_MULTICLASS_H

#include "core/base/shared_work.h"
#include "core/estimator/class_options.h"
#include "core/model/report_text.h"
#include "core/estimator/shared_options.h"

typedef enum MulticlassKind {
    MULTICLASS_SCORES = 1, /* one score per class: ovr, and methods without binary problems */
    MULTICLASS_OVO = 2,
    MULTICLASS_ECOC = 3
} MulticlassKind;

/*
 * The options code_book, code_length, multiclass (multiclass_choices, "ovr" by default) and seed. A method with
 * other choices or another default has a row "multiclass" in a later table.
 */
extern const OptionSpec options_multiclass[];
extern const char *const multiclass_choices[]; /* "ovr", "ovo", "ecoc" */
#define MULTICLASS_MAX_LENGTH 1000

typedef struct CodeBook {
    MulticlassKind kind;
    uint32_t classes, problems;
    int8_t *codes; /* [problems x classes] of ecoc and of two classes: 1, -1; else NULL */
    int8_t *signs; /* [classes] of the current problem */
} CodeBook;

/*
 * Returns the book that the options ask for; for two classes one problem with `positive` (a final position) as 1. Fails with
 * ERROR_PARAMETER if a given book does not have one row per class, or has equal rows, a constant column or two columns that pose
 * the same problem; if no book of code_length columns is found; if options for ecoc come without it. A choice of "multiclass"
 * that is not in multiclass_choices counts as ovr: the caller handles it first.
 */
CodeBook *multiclass_book(const ClassSet *classes, const Options *options, uint32_t positive);
/* The same for methods whose option "multiclass" has no fixed default: MULTICLASS_SCORES (ovr) or MULTICLASS_OVO if it is not given. */
CodeBook *multiclass_book_or(const ClassSet *classes, const Options *options, uint32_t positive, MulticlassKind fallback);
/* Returns the codes of a problem by final position of the class: 1, -1, 0; valid until the next call. */
const int8_t *book_signs(const CodeBook *book, uint32_t problem);

/* Visits a book. */
void multiclass_pack(Pack *pack, const CodeBook **book);

/* Returns the codes of a problem about to be fitted, as book_signs. Polls and reports progress. phase: the name of the method. */
const int8_t *multiclass_problem(Env *env, const CodeBook *book, const char *phase, uint32_t problem);

/* Adds the arrays; none for ovr and two classes. */
void multiclass_add(Env *env, ModelBuilder *builder, const CodeBook *book);
/* Tells whether a checked model has the same book. */
bool multiclass_has_book(const Model *model, const CodeBook *book);
extern const ArraySpec multiclass_arrays[2]; /* the two arrays */
/* Checks what the table cannot say. Returns NULL, or what is wrong. */
const char *multiclass_check(Env *env, const Model *model);
/* Returns the number of binary models that these arrays ask for. */
uint64_t multiclass_problems(const Model *model);

/* ---- decoding ---- */

/* What scoring needs, with scratch for a row; made once per model, by prepare. */
typedef struct Multiclass {
    MulticlassKind kind;
    uint32_t classes, problems; /* two classes: one problem */
    bool probabilities;         /* the scores are probabilities */
    const int64_t *codes;       /* [classes x problems] of ecoc */
    double *scores;             /* [problems] the binary scores of a row */
    double *sums, *votes;       /* [classes] scratch */
} Multiclass;

/* Tells whether the scores of the model come from pairs or codes, and need decoding. */
bool multiclass_coded(const Model *model);
/* Prepares a model that passed multiclass_check. The result is one block of *bytes. */
Multiclass *multiclass_prepare(Env *env, const Model *model, size_t *bytes);
/* Returns how many numbers multiclass_decisions writes: 1 for two classes. */
uint32_t multiclass_width(const Model *model);
/* Decodes multiclass->scores [problems] into one score per class, [classes], or the one score of two classes. */
void multiclass_decisions(const Multiclass *multiclass, double *decisions);
/* Returns the class, for two classes by the rule. */
uint32_t multiclass_pick(const Multiclass *multiclass, const ClassRule *rule);

/* ---- reports ---- */

/* Returns "one-vs-one", ...; NULL for two classes, and for methods with one score per class. */
const char *multiclass_name(const Model *model);
/* Writes what a problem is about: "b" (against the others), "b / a" (a pair), "code 3". */
void multiclass_problem_name(const Model *model, uint32_t problem, char *buffer, size_t size);
/*
 * Adds SQL for the class by a model with pairs or codes: a subquery. score adds the expression for one binary score, a
 * probability if probabilities.
 */
void multiclass_sql(TextBuffer *out, const Model *model, bool probabilities,
                    void (*score)(void *context, TextBuffer *out, uint32_t problem), void *context);
/* Returns the least number of columns in which two classes of an ecoc model differ; 0 for other models. */
uint32_t multiclass_code_distance(const Model *model);

#endif
