/*
 * normal_score.c - scores of the classifiers with normal densities: logarithms of prior times density,
 * probabilities, Mahalanobis distances, and the projection of lda.
 *
 * Squares are taken of whitened differences, so that nothing but the score itself can overflow. The classes
 * of lda are compared by their linear scores, in which what they share does not cancel.
 */
#include "core/normal/normal_model.h"
#include "core/normal/normal_distribution.h"
#include "core/linalg/cholesky.h"
#include "core/linalg/qr_factor.h"
#include "core/classify/linear_classifier.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- preparing ---- */

/* Counts the memory of a scorer. */
typedef struct Room {
    Env *env;
    size_t bytes;
} Room;

static double *numbers(Room *room, size_t count)
{
    room->bytes += (count + 1) * sizeof(double);
    return env_array(room->env, count + 1, sizeof(double));
}

static double *copy_of(Room *room, const double *from, size_t count)
{
    double *to = numbers(room, count);

    if (count > 0)
        memcpy(to, from, count * sizeof(double));
    return to;
}

static void prepare_diagonal(Room *room, const Model *model, const NormalArrays *arrays, NormalScorer *scorer)
{
    uint32_t terms = scorer->terms, position = 0;

    scorer->inverse = numbers(room, (size_t)scorer->classes * terms);
    for (uint32_t c = 0; c < scorer->classes && terms > 0; c++) {
        const double *row = arrays->variances;
        if (arrays->variance_rows > 1)
            row += (size_t)c * arrays->variance_columns;
        for (uint32_t t = 0; t < terms; t++) {
            double variance = row[arrays->variance_columns > 1 ? t : 0];
            scorer->inverse[(size_t)c * terms + t] = 1 / sqrt(variance);
            scorer->log_determinant[c] += log(variance);
        }
    }
    scorer->levels = arrays->levels;
    if (scorer->levels == 0)
        return;
    scorer->log_level = numbers(room, (size_t)scorer->classes * scorer->levels);
    for (size_t i = 0; i < (size_t)scorer->classes * scorer->levels; i++)
        scorer->log_level[i] = log(arrays->level_probabilities[i]);
    scorer->category = env_array(room->env, (size_t)model->slot_count + 1, sizeof(uint32_t));
    room->bytes += model->slot_count * sizeof(uint32_t);
    for (uint32_t f = 0; f < model->field_count; f++) {
        uint32_t width = schema_field_width(model, f);
        bool categorical = schema_field_kind(model, f) == FIELD_CATEGORICAL;
        for (uint32_t i = 0; i < width; i++, position++)
            if (categorical)
                scorer->category[scorer->categories++] = position;
    }
}

static uint32_t class_rank(const NormalScorer *scorer, uint32_t class)
{
    return scorer->class_rank != NULL ? scorer->class_rank[class] : scorer->rank;
}

/* Returns the rows that whiten differences from the mean of a class; NULL: its covariance has a Cholesky factor. */
static const double *class_whitening(const NormalScorer *scorer, uint32_t class)
{
    if (scorer->kind == NORMAL_POOLED)
        return scorer->whitening;
    return scorer->class_whitening != NULL ? scorer->class_whitening[class] : NULL;
}

static const double *class_triangle(const NormalScorer *scorer, uint32_t class)
{
    return scorer->triangle + (scorer->kind == NORMAL_POOLED ? 0 : class * factor_packed(scorer->terms));
}

/* Whitens a difference by the covariance of a class, into z; z may be the difference itself if that has a factor. */
static void whiten(const NormalScorer *scorer, uint32_t class, const double *difference, double *z)
{
    uint32_t terms = scorer->terms, rank = class_rank(scorer, class);
    const double *row = class_whitening(scorer, class);

    if (row == NULL) {
        if (z != difference)
            memcpy(z, difference, terms * sizeof(double));
        triangle_solve(class_triangle(scorer, class), terms, z);
        return;
    }
    for (uint32_t r = 0; r < rank; r++, row += terms) {
        double sum = 0;
        for (uint32_t t = 0; t < terms; t++)
            sum += row[t] * difference[t];
        z[r] = sum;
    }
}

/* Writes how much the score of a class rises per unit of each term, [terms], from its whitened mean. */
static void unwhiten(const NormalScorer *scorer, uint32_t class, const double *z, double *coef)
{
    uint32_t terms = scorer->terms, rank = class_rank(scorer, class);
    const double *row = class_whitening(scorer, class);

    if (row == NULL) {
        triangle_solve_transposed(class_triangle(scorer, class), terms, z, coef);
        return;
    }
    memset(coef, 0, terms * sizeof(double));
    for (uint32_t r = 0; r < rank; r++, row += terms)
        for (uint32_t t = 0; t < terms; t++)
            coef[t] += z[r] * row[t];
}

void normal_solve(const NormalScorer *scorer, uint32_t class, const double *x, double *out)
{
    whiten(scorer, class, x, scorer->z);
    unwhiten(scorer, class, scorer->z, out);
}

static void prepare_pooled(Room *room, const NormalArrays *arrays, NormalScorer *scorer)
{
    uint32_t terms = scorer->terms;
    double determinant;

    scorer->center = numbers(room, terms);
    for (uint32_t c = 0; c < scorer->classes; c++)
        for (uint32_t t = 0; t < terms; t++)
            scorer->center[t] += exp(scorer->log_priors[c]) * scorer->means[(size_t)c * terms + t];
    if (arrays->whitening != NULL) {
        scorer->rank = arrays->rank;
        scorer->whitening = copy_of(room, arrays->whitening, (size_t)scorer->rank * terms);
        determinant = normal_pseudo_determinant(room->env, arrays->covariances, scorer->whitening, scorer->rank, terms);
    } else {
        scorer->triangle = numbers(room, factor_packed(terms));
        determinant = normal_factor(room->env, scorer->triangle, arrays->covariances, terms);
    }
    scorer->white_means = numbers(room, (size_t)scorer->classes * scorer->rank);
    scorer->coef = numbers(room, (size_t)scorer->classes * terms);
    scorer->offset = numbers(room, scorer->classes);
    for (uint32_t c = 0; c < scorer->classes; c++) {
        double *z = scorer->white_means + (size_t)c * scorer->rank, square = 0;
        for (uint32_t t = 0; t < terms; t++)
            scorer->x[t] = scorer->means[(size_t)c * terms + t] - scorer->center[t];
        whiten(scorer, c, scorer->x, scorer->z);
        memcpy(z, scorer->z, scorer->rank * sizeof(double));
        unwhiten(scorer, c, z, scorer->coef + (size_t)c * terms);
        for (uint32_t r = 0; r < scorer->rank; r++)
            square += z[r] * z[r];
        scorer->offset[c] = scorer->log_priors[c] - 0.5 * square;
        scorer->log_determinant[c] = determinant;
    }
    scorer->directions = arrays->directions;
    scorer->scalings = copy_of(room, arrays->scalings, (size_t)terms * arrays->directions);
}

#define NARROW 64 /* terms up to which the inverse of a factor is kept: without divisions, all sums at once */
#define STRIDE 4  /* rows of it that are summed together */

typedef double Pair __attribute__((vector_size(16), aligned(8), may_alias)); /* wider ones are kept in memory */

/* Returns how many numbers hold an inverse by fours of rows: each column up to the last of the four has four numbers. */
static size_t fours_size(uint32_t terms)
{
    size_t size = 0;

    for (size_t i = 0; i < terms; i += STRIDE)
        size += STRIDE * (i + STRIDE < terms ? i + STRIDE : terms);
    return size;
}

static void prepare_inverses(Room *room, NormalScorer *scorer)
{
    uint32_t terms = scorer->terms;
    double *out, *dense;

    if (terms > NARROW)
        return;
    scorer->fours_each = fours_size(terms);
    dense = env_array(room->env, (size_t)terms * (terms + STRIDE) + 1, sizeof(double));
    out = scorer->fours = numbers(room, scorer->classes * scorer->fours_each);
    for (uint32_t c = 0; c < scorer->classes; c++) {
        if (class_whitening(scorer, c) != NULL) {
            out += scorer->fours_each;
            continue;
        }
        memset(dense, 0, (size_t)terms * (terms + STRIDE) * sizeof(double));
        for (uint32_t j = 0; j < terms; j++) {
            dense[(size_t)j * (terms + STRIDE) + j] = 1;
            triangle_solve(scorer->triangle + c * factor_packed(terms), terms,
                           dense + (size_t)j * (terms + STRIDE));
        }
        for (uint32_t i = 0; i < terms; i += STRIDE)
            for (uint32_t j = 0; j < terms && j < i + STRIDE; j++, out += STRIDE)
                memcpy(out, dense + (size_t)j * (terms + STRIDE) + i, STRIDE * sizeof(double));
    }
    room->env->release(room->env, dense);
}

/* Returns the squared length of the inverse of a factor times the difference of x from a mean; z: scratch [terms]. */
static double square_narrow(const double *fours, const double *x, const double *mean, uint32_t terms, double *z)
{
    const Pair *pair = (const Pair *)fours;
    Pair low = {0}, high = {0};

    for (size_t j = 0; j < terms; j++)
        z[j] = x[j] - mean[j];
    for (size_t i = 0; i < terms; i += STRIDE) {
        size_t last = i + STRIDE < terms ? i + STRIDE : terms;
        Pair first = {0}, second = {0};
        for (size_t j = 0; j < last; j++, pair += 2) {
            first += z[j] * pair[0];
            second += z[j] * pair[1];
        }
        low += first * first;
        high += second * second;
    }
    return (low[0] + high[0]) + (low[1] + high[1]);
}

/* Copies the rows that whiten the classes whose covariances are singular. */
static void prepare_whitening(Room *room, const NormalArrays *arrays, NormalScorer *scorer)
{
    uint32_t terms = scorer->terms;
    const int64_t *rows = arrays->whitening_rows;
    double *row;

    if (arrays->whitening == NULL)
        return;
    row = scorer->whitening = copy_of(room, arrays->whitening, (size_t)arrays->rank * terms);
    scorer->class_whitening = env_array(room->env, scorer->classes, sizeof(double *));
    scorer->class_rank = env_array(room->env, scorer->classes, sizeof(uint32_t));
    room->bytes += scorer->classes * (sizeof(double *) + sizeof(uint32_t));
    for (uint32_t c = 0; c < scorer->classes; c++) {
        scorer->class_rank[c] = rows[c] > 0 ? (uint32_t)rows[c] : terms;
        if (rows[c] > 0)
            scorer->class_whitening[c] = row;
        row += (size_t)rows[c] * terms;
    }
}

static void prepare_own(Room *room, const NormalArrays *arrays, NormalScorer *scorer)
{
    size_t size = factor_packed(scorer->terms);
    uint32_t terms = scorer->terms;
    const double *packed = arrays->covariances;

    prepare_whitening(room, arrays, scorer);
    scorer->triangle = numbers(room, scorer->classes * size);
    for (uint32_t c = 0; c < scorer->classes; c++) {
        const double *rows = class_whitening(scorer, c);
        scorer->log_determinant[c] =
            rows == NULL ? normal_factor(room->env, scorer->triangle + c * size, packed + c * size, terms)
                         : normal_pseudo_determinant(room->env, packed + c * size, rows, class_rank(scorer, c), terms);
    }
    prepare_inverses(room, scorer);
}

/* Copies what the terms are, so that the model may go. */
static void prepare_terms(Room *room, const NormalArrays *arrays, NormalScorer *scorer)
{
    size_t bytes = scorer->terms * sizeof(int64_t);
    int64_t *copies;

    scorer->map = arrays->terms;
    if (scorer->map.slot == NULL)
        return;
    copies = env_array(room->env, 2 * (size_t)scorer->terms + 1, sizeof(int64_t));
    memcpy(copies, scorer->map.slot, bytes);
    memcpy(copies + scorer->terms, scorer->map.level, bytes);
    scorer->map.slot = copies;
    scorer->map.level = copies + scorer->terms;
    room->bytes += 2 * bytes;
}

NormalScorer *normal_prepare(Env *env, const Model *model, size_t *bytes)
{
    Room room = {env, sizeof(NormalScorer)};
    NormalScorer *scorer = env_array(env, 1, sizeof(NormalScorer));
    NormalArrays arrays = normal_arrays(model);

    scorer->kind = normal_kind(model);
    scorer->classes = arrays.classes;
    scorer->terms = scorer->rank = arrays.terms.count;
    scorer->rule = class_rule_view(arrays.class_rule);
    prepare_terms(&room, &arrays, scorer);
    scorer->means = copy_of(&room, arrays.means, (size_t)scorer->classes * scorer->terms);
    scorer->log_priors = numbers(&room, scorer->classes);
    scorer->constant = numbers(&room, scorer->classes);
    scorer->log_determinant = numbers(&room, scorer->classes);
    scorer->joint = numbers(&room, scorer->classes);
    scorer->x = numbers(&room, scorer->terms);
    scorer->z = numbers(&room, scorer->terms);
    scorer->difference = numbers(&room, scorer->terms);
    for (uint32_t c = 0; c < scorer->classes; c++)
        scorer->log_priors[c] = class_log_prior(arrays.priors[c]);
    if (scorer->kind == NORMAL_DIAGONAL)
        prepare_diagonal(&room, model, &arrays, scorer);
    else if (scorer->kind == NORMAL_POOLED)
        prepare_pooled(&room, &arrays, scorer);
    else
        prepare_own(&room, &arrays, scorer);
    for (uint32_t c = 0; c < scorer->classes; c++)
        scorer->constant[c] = scorer->log_priors[c] -
                              0.5 * (class_rank(scorer, c) * LOG_2PI + scorer->log_determinant[c]);
    *bytes = room.bytes;
    return scorer;
}

bool normal_is_definite(const NormalScorer *scorer)
{
    for (uint32_t c = 0; c < scorer->classes; c++)
        if (!isfinite(scorer->log_determinant[c]))
            return false;
    return true;
}

const char *normal_accept(Env *env, const Model *model)
{
    size_t bytes;

    return normal_is_definite(normal_prepare(env, model, &bytes)) ? NULL
                                                                  : "a covariance of a normal model is not positive definite";
}

/* ---- a row ---- */

const double *normal_terms(const NormalScorer *scorer, const double *slots)
{
    if (scorer->map.slot == NULL)
        return slots;
    for (uint32_t t = 0; t < scorer->terms; t++)
        scorer->x[t] = term_value(&scorer->map, t, slots);
    return scorer->x;
}

void normal_squared_distances(const NormalScorer *scorer, const double *slots, double *out)
{
    uint32_t terms = scorer->terms;
    const double *x = normal_terms(scorer, slots), *mean = scorer->means;

    if (scorer->kind == NORMAL_POOLED) {
        for (uint32_t t = 0; t < terms; t++)
            scorer->x[t] = x[t] - scorer->center[t];
        whiten(scorer, 0, scorer->x, scorer->z);
    }
    for (uint32_t c = 0; c < scorer->classes; c++, mean += terms) {
        double sum = 0;
        if (scorer->kind == NORMAL_DIAGONAL) {
            const double *inverse = scorer->inverse + (size_t)c * terms;
            for (uint32_t t = 0; t < terms; t++) {
                double z = (x[t] - mean[t]) * inverse[t];
                sum += z * z;
            }
        } else if (scorer->kind == NORMAL_POOLED) {
            const double *white = scorer->white_means + (size_t)c * scorer->rank;
            for (uint32_t r = 0; r < scorer->rank; r++) {
                double z = scorer->z[r] - white[r];
                sum += z * z;
            }
        } else {
            if (scorer->fours != NULL && class_whitening(scorer, c) == NULL) {
                out[c] = square_narrow(scorer->fours + c * scorer->fours_each, x, mean, terms, scorer->z);
                continue;
            }
            for (uint32_t t = 0; t < terms; t++)
                scorer->difference[t] = x[t] - mean[t];
            whiten(scorer, c, scorer->difference, scorer->z);
            for (uint32_t r = 0; r < class_rank(scorer, c); r++)
                sum += scorer->z[r] * scorer->z[r];
        }
        out[c] = sum;
    }
}

void normal_joint_logs(const NormalScorer *scorer, const double *slots, double *out)
{
    normal_squared_distances(scorer, slots, out);
    for (uint32_t c = 0; c < scorer->classes; c++) {
        out[c] = scorer->constant[c] - 0.5 * out[c];
        for (uint32_t i = 0; i < scorer->categories; i++) {
            double level = slots[scorer->category[i]];
            if (level >= 0 && level < scorer->levels)
                out[c] += scorer->log_level[(size_t)c * scorer->levels + (uint32_t)level];
        }
    }
}
