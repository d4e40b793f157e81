/*
 * multiclass.h - several classes by binary problems: one-vs-rest, one-vs-one, output codes.
 *
 * A code book has a row a class and a column a binary problem: 1 where the class is positive, -1 negative, 0
 * where its rows are not used. A method fits a binary model a column; its scores, above 0 for
 * positive, are decoded into a class and a score a class:
 *
 *   ovr   a class against all others. The scores as they are; the largest wins.
 *   ovo   pairs of classes, (0,1), (0,2) .. (1,2) ..: the later one is positive, a score of 0 is negative. Votes;
 *         among the classes with most the one with the largest sum of its signed scores wins. The score of a class is
 *         votes + s / (3 (|s| + 1)), s that sum, so that rounding it gives the votes.
 *   ecoc  columns of 1 and -1. The row of the book nearest to the scores wins (Euclidean); the score of a class is
 *         minus its distance. Dietterich & Bakiri (1995); Allwein, Schapire & Singer (2000).
 *
 * Where a method's scores are probabilities of the positive side, ecoc compares them with 1 and 0 instead.
 * Ties go to the class that is first in order. Two classes need no strategy: one problem, in which the
 * positive class is positive. In a model (more than two classes):
 *   multiclass  I64[1]      MulticlassKind; missing: ovr, or what the method does by itself
 *   code_book   I64[q x P]  of ecoc
 */
#ifndef PGFIT_MULTICLASS_H
#define PGFIT_MULTICLASS_H

#include "core/estimator/class_options.h"
#include "core/model/report_text.h"
#include "core/estimator/shared_options.h"

typedef enum MulticlassKind {
    MULTICLASS_SCORES = 1, /* a score a class: ovr, and methods that have one by themselves */
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
    int8_t *signs; /* [classes] of the problem at hand */
} CodeBook;

/*
 * The book that the options ask for. Two classes: one problem with `positive` (a final position) as 1. Fails with
 * ERROR_PARAMETER where a given book has other than a row a class, equal rows, a constant column, or two
 * columns that pose the same problem; where code_length is out of range for so many classes; where
 * options of ecoc come without it. A choice of "multiclass" that is not among multiclass_choices is read
 * as ovr: the caller's to handle before.
 */
CodeBook *multiclass_book(const ClassSet *classes, const Options *options, uint32_t positive);
void multiclass_book_free(Env *env, CodeBook *book);
/* The classes of a problem by final position: 1, -1, 0; valid until the next call. */
const int8_t *book_signs(const CodeBook *book, uint32_t problem);

/* Fits one binary problem: classes by final position are 1, -1, or not used (0). */
typedef void (*BinaryFit)(void *context, uint32_t problem, const int8_t *signs);
/* All of them in turn, with progress; phase: of the progress, the method's name. */
void multiclass_fit(Env *env, const CodeBook *book, const char *phase, BinaryFit fit, void *context);

/* The arrays of a model; nothing for ovr and two classes. */
void multiclass_add(Env *env, ModelBuilder *builder, const CodeBook *book);
/* Does a sound model have this very book? */
bool multiclass_has_book(const Model *model, const CodeBook *book);
/* NULL where sound or none; *problems: how many binary models there must be. */
const char *multiclass_check(const Model *model, uint32_t *problems);

/* ---- decoding ---- */

/* What a scorer needs, and its room for a row's numbers; made once a model, by prepare. */
typedef struct Multiclass {
    MulticlassKind kind;
    uint32_t classes, problems; /* of two classes: one problem */
    bool probabilities;         /* the scores are */
    const int64_t *codes;       /* [classes x problems] of ecoc */
    double *scores;             /* [problems] room for the binary scores */
    double *sums, *votes;       /* [classes] room */
} Multiclass;

/* Has the model its scores from a code book of pairs or codes, so that they need decoding? */
bool multiclass_coded(const Model *model);
/* From a model that passed multiclass_check. The result is one block of *bytes. */
Multiclass *multiclass_prepare(Env *env, const Model *model, size_t *bytes);
/* How many numbers decisions have: 1 for two classes. */
uint32_t multiclass_width(const Model *model);
/* From multiclass->scores, [problems]: a score a class, [classes], or the one score of two classes. */
void multiclass_decisions(const Multiclass *multiclass, double *decisions);
/* The class; of two classes by the rule. */
uint32_t multiclass_pick(const Multiclass *multiclass, const ClassRule *rule);

/* ---- reports ---- */

/* "one-vs-one", ...; NULL for two classes and where the method has a score a class by itself. */
const char *multiclass_name(const Model *model);
/* What an equation is about: "b" (against the others), "b / a" (a pair), "code 3". */
void multiclass_problem_name(const Model *model, uint32_t problem, char *buffer, size_t size);
/*
 * SQL of the class of a model with pairs or codes: a subquery. score writes the expression of one binary
 * score (a probability where probabilities).
 */
void multiclass_sql(TextBuffer *out, const Model *model, bool probabilities,
                    void (*score)(void *context, TextBuffer *out, uint32_t problem), void *context);
/* Least number of columns in which two classes of an ecoc model differ; 0 for others. */
uint32_t multiclass_code_distance(const Model *model);

#endif
