/*
 * normal_score.c - scores of the classifiers with normal densities: logarithms of prior times density, their contributions,
 * probabilities, Mahalanobis distances, and the projection of lda.
 *
 * Only whitened differences are squared, so that nothing but the score itself can overflow. The classes of lda are compared by
 * their linear scores, which leave out the quadratic term that all classes share.
 */
#include "core/normal/normal_model.h"
#include "core/normal/normal_distribution.h"
#include "core/linalg/cholesky.h"
#include "core/linalg/qr_factor.h"
#include "core/math/logistic_function.h"
#include "core/estimator/explanation.h"

#include <math.h>
#include <string.h>

/* ---- preparing ---- */

/* Returns zeros for so many numbers, which may be none. */
static double *numbers(Env *env, size_t count)
{
    return env_array(env, count + 1, sizeof(double));
}

static void prepare_diagonal(Env *env, const Model *model, const NormalArrays *arrays, NormalScorer *scorer)
{
    uint32_t terms = scorer->terms, position = 0;

    scorer->inverse = numbers(env, (size_t)scorer->classes * terms);
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
    scorer->log_level = numbers(env, (size_t)scorer->classes * scorer->levels);
    for (size_t i = 0; i < (size_t)scorer->classes * scorer->levels; i++)
        scorer->log_level[i] = log(arrays->level_probabilities[i]);
    scorer->category = env_array(env, (size_t)model->slot_count + 1, sizeof(uint32_t));
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

/* Returns the rows that whiten differences from the mean of a class; NULL if its covariance has a Cholesky factor. */
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

/* Writes a difference whitened by the covariance of a class to z. z may be difference if the covariance has a factor. */
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

/* Writes the transpose of what whitens times z to coef, [terms]: for a whitened mean z these are the slopes of the score. */
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

static void prepare_pooled(Env *env, const NormalArrays *arrays, NormalScorer *scorer)
{
    uint32_t terms = scorer->terms;
    double determinant;

    scorer->center = numbers(env, terms);
    for (uint32_t c = 0; c < scorer->classes; c++)
        for (uint32_t t = 0; t < terms; t++)
            scorer->center[t] += exp(scorer->log_priors[c]) * scorer->means[(size_t)c * terms + t];
    if (arrays->whitening != NULL) {
        scorer->rank = arrays->rank;
        scorer->whitening = arrays->whitening;
        determinant = normal_pseudo_determinant(env, arrays->covariances, scorer->whitening, scorer->rank, terms);
    } else {
        scorer->triangle = numbers(env, factor_packed(terms));
        determinant = normal_factor(env, scorer->triangle, arrays->covariances, terms);
    }
    scorer->white_means = numbers(env, (size_t)scorer->classes * scorer->rank);
    scorer->coef = numbers(env, (size_t)scorer->classes * terms);
    scorer->offset = numbers(env, scorer->classes);
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
    scorer->scalings = arrays->scalings;
}

#define INVERSE_TERMS 64 /* with at most so many terms the inverse of a factor is kept, so that sums need no divisions */
#define STRIDE 4         /* rows of the inverse that are summed together */

typedef double Pair __attribute__((vector_size(16), aligned(8), may_alias)); /* compilers keep wider ones in memory */

/* Returns the numbers of an inverse in blocks of four rows: four numbers per column, up to the last row of the block. */
static size_t inverse_blocks_size(uint32_t terms)
{
    size_t size = 0;

    for (size_t i = 0; i < terms; i += STRIDE)
        size += STRIDE * (i + STRIDE < terms ? i + STRIDE : terms);
    return size;
}

/* Inverts the Cholesky factors of a qda with few terms, in blocks of four rows. */
static void prepare_inverses(Env *env, NormalScorer *scorer)
{
    uint32_t terms = scorer->terms;
    double *out, *dense;

    if (terms > INVERSE_TERMS)
        return;
    scorer->inverse_block_numbers = inverse_blocks_size(terms);
    dense = env_array(env, (size_t)terms * (terms + STRIDE) + 1, sizeof(double));
    out = scorer->inverse_blocks = numbers(env, scorer->classes * scorer->inverse_block_numbers);
    for (uint32_t c = 0; c < scorer->classes; c++) {
        if (class_whitening(scorer, c) != NULL) {
            out += scorer->inverse_block_numbers;
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
    env->release(env, dense);
}

/* Returns |W (x - mean)|^2 for the inverse W of a factor in blocks. z: scratch, [terms]. */
static double squared_norm(const double *inverse_blocks, const double *x, const double *mean, uint32_t terms, double *z)
{
    const Pair *pair = (const Pair *)inverse_blocks;
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

/* Finds the rows that whiten the classes whose covariances are singular. */
static void prepare_whitening(Env *env, const NormalArrays *arrays, NormalScorer *scorer)
{
    uint32_t terms = scorer->terms;
    const int64_t *rows = arrays->whitening_rows;
    const double *row;

    if (arrays->whitening == NULL)
        return;
    row = scorer->whitening = arrays->whitening;
    scorer->class_whitening = env_array(env, scorer->classes, sizeof(double *));
    scorer->class_rank = env_array(env, scorer->classes, sizeof(uint32_t));
    for (uint32_t c = 0; c < scorer->classes; c++) {
        scorer->class_rank[c] = rows[c] > 0 ? (uint32_t)rows[c] : terms;
        if (rows[c] > 0)
            scorer->class_whitening[c] = row;
        row += (size_t)rows[c] * terms;
    }
}

static void prepare_own(Env *env, const NormalArrays *arrays, NormalScorer *scorer)
{
    size_t size = factor_packed(scorer->terms);
    uint32_t terms = scorer->terms;
    const double *packed = arrays->covariances;

    prepare_whitening(env, arrays, scorer);
    scorer->triangle = numbers(env, scorer->classes * size);
    for (uint32_t c = 0; c < scorer->classes; c++) {
        const double *rows = class_whitening(scorer, c);
        scorer->log_determinant[c] =
            rows == NULL ? normal_factor(env, scorer->triangle + c * size, packed + c * size, terms)
                         : normal_pseudo_determinant(env, packed + c * size, rows, class_rank(scorer, c), terms);
    }
    prepare_inverses(env, scorer);
}

NormalScorer *normal_prepare(Env *env, const Model *model)
{
    NormalScorer *scorer = env_array(env, 1, sizeof(NormalScorer));
    NormalArrays arrays = normal_arrays(model);

    scorer->kind = normal_kind(model);
    scorer->classes = arrays.classes;
    scorer->terms = scorer->rank = arrays.terms.count;
    scorer->rule = class_rule_view(arrays.class_rule);
    scorer->map = arrays.terms;
    scorer->means = arrays.means;
    scorer->log_priors = numbers(env, scorer->classes);
    scorer->constant = numbers(env, scorer->classes);
    scorer->log_determinant = numbers(env, scorer->classes);
    scorer->joint = numbers(env, scorer->classes);
    scorer->x = numbers(env, scorer->terms);
    scorer->z = numbers(env, scorer->terms);
    scorer->difference = numbers(env, scorer->terms);
    for (uint32_t c = 0; c < scorer->classes; c++)
        scorer->log_priors[c] = class_log_prior(arrays.priors[c]);
    if (scorer->kind == NORMAL_DIAGONAL)
        prepare_diagonal(env, model, &arrays, scorer);
    else if (scorer->kind == NORMAL_POOLED)
        prepare_pooled(env, &arrays, scorer);
    else
        prepare_own(env, &arrays, scorer);
    for (uint32_t c = 0; c < scorer->classes; c++)
        scorer->constant[c] = scorer->log_priors[c] -
                              0.5 * (class_rank(scorer, c) * LOG_2PI + scorer->log_determinant[c]);
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
    return normal_is_definite(normal_prepare(env, model)) ? NULL
                                                                  : "a covariance of a normal model is not positive definite";
}

/* ---- a row ---- */

/* Returns the terms of an encoded row, [terms]: the slots themselves, or scratch. */
static const double *normal_terms(const NormalScorer *scorer, const double *slots)
{
    if (scorer->map.slot == NULL)
        return slots;
    for (uint32_t t = 0; t < scorer->terms; t++)
        scorer->x[t] = term_value(&scorer->map, t, slots);
    return scorer->x;
}

/* Writes the squared Mahalanobis distance of a row from the mean of each class, [classes]. */
static void normal_squared_distances(const NormalScorer *scorer, const double *slots, double *out)
{
    uint32_t terms = scorer->terms;
    const double *x = normal_terms(scorer, slots), *mean = scorer->means;

    if (scorer->kind == NORMAL_POOLED) {
        for (uint32_t t = 0; t < terms; t++)
            scorer->x[t] = x[t] - scorer->center[t];
        whiten(scorer, 0, scorer->x, scorer->z);
    }
    for (uint32_t c = 0; c < scorer->classes; c++, mean = terms > 0 ? mean + terms : mean) {
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
            if (scorer->inverse_blocks != NULL && class_whitening(scorer, c) == NULL) {
                out[c] = squared_norm(scorer->inverse_blocks + c * scorer->inverse_block_numbers, x, mean, terms, scorer->z);
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

/* Writes log prior + log density of a row under each class, [classes]. */
static void normal_joint_logs(const NormalScorer *scorer, const double *slots, double *out)
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

/* ---- the scoring functions ---- */

static void *prepare(Env *env, const Model *model, size_t *bytes)
{
    NormalScorer *scorer = normal_prepare(env, model);

    if (!normal_is_definite(scorer))
        env_fail(env, ERROR_CORRUPT, "Fit it again.",
                 "a covariance of this model of %.31s is not positive definite", model->estimator);
    *bytes = 0; /* as allocated */
    return scorer;
}

/*
 * Returns the scores of the classes up to a constant that all of them share, [classes], in scratch. They suffice to compare
 * classes, and for lda they are cheaper than the logarithms of prior times density.
 */
static const double *class_scores(const NormalScorer *scorer, const double *slots)
{
    uint32_t terms = scorer->terms;
    const double *x, *coef = scorer->coef;

    if (scorer->kind != NORMAL_POOLED) {
        normal_joint_logs(scorer, slots, scorer->joint);
        return scorer->joint;
    }
    x = normal_terms(scorer, slots);
    for (uint32_t t = 0; t < terms; t++)
        scorer->x[t] = x[t] - scorer->center[t];
    for (uint32_t c = 0; c < scorer->classes; c++, coef += terms) {
        double sum = scorer->offset[c];
        for (uint32_t t = 0; t < terms; t++)
            sum += coef[t] * scorer->x[t];
        scorer->joint[c] = sum;
    }
    return scorer->joint;
}

static uint32_t normal_classify(const Model *model, const void *prepared, const double *slots)
{
    const NormalScorer *scorer = prepared;
    const double *score = class_scores(scorer, slots);
    uint32_t best = 0;

    for (uint32_t c = 1; c < scorer->classes; c++)
        if (score[c] > score[best])
            best = c;
    return best;
}

static void normal_probabilities(const Model *model, const void *prepared, const double *slots,
                                 double *out)
{
    const NormalScorer *scorer = prepared;

    softmax(class_scores(scorer, slots), scorer->classes, out);
}

static void normal_decisions(const Model *model, const void *prepared, const double *slots,
                             double *out)
{
    normal_joint_logs(prepared, slots, out);
}

/* Returns the log odds of the positive class. */
static double normal_decision(const Model *model, const void *prepared, const double *slots)
{
    const NormalScorer *scorer = prepared;
    const double *score = class_scores(scorer, slots);
    uint32_t positive = scorer->rule.positive;

    return score[positive] - score[1 - positive];
}

/* Returns the logarithm of the sum of prior times density over all classes; -infinity if it underflows. */
static double normal_log_evidence(const Model *model, const void *prepared, const double *slots)
{
    const NormalScorer *scorer = prepared;
    double most = -INFINITY, sum = 0;

    normal_joint_logs(scorer, slots, scorer->joint);
    for (uint32_t c = 0; c < scorer->classes; c++)
        most = fmax(most, scorer->joint[c]);
    if (!(most > -INFINITY))
        return -INFINITY;
    for (uint32_t c = 0; c < scorer->classes; c++)
        sum += exp(scorer->joint[c] - most);
    return most + log(sum);
}

static void normal_distances(const Model *model, const void *prepared, const double *slots,
                             double *out)
{
    const NormalScorer *scorer = prepared;

    normal_squared_distances(scorer, slots, out);
    for (uint32_t c = 0; c < scorer->classes; c++)
        out[c] = sqrt(out[c]);
}

static double normal_distance(const Model *model, const void *prepared, const double *slots)
{
    const NormalScorer *scorer = prepared;
    double least = INFINITY;

    normal_squared_distances(scorer, slots, scorer->joint);
    for (uint32_t c = 0; c < scorer->classes; c++)
        least = fmin(least, scorer->joint[c]);
    return sqrt(least);
}

static void normal_transform(const Model *model, const void *prepared, const double *slots,
                             double *out)
{
    const NormalScorer *scorer = prepared;
    const double *x = normal_terms(scorer, slots), *scaling = scorer->scalings;

    memset(out, 0, scorer->directions * sizeof(double));
    for (uint32_t t = 0; t < scorer->terms; t++, scaling += scorer->directions)
        for (uint32_t d = 0; d < scorer->directions; d++)
            out[d] += (x[t] - scorer->center[t]) * scaling[d];
}

static uint32_t normal_width(const Model *model)
{
    return dictionary_size(model, DICTIONARY_CLASSES);
}

static uint32_t projection_width(const Model *model)
{
    NormalArrays arrays;

    view_arrays(model, lda_array_tables, &arrays); /* called per row, so it does not look up the estimator */
    return arrays.directions;
}

/* ---- contributions of the features to the logarithms of prior times density ---- */

/*
 * The logarithms are quadratic in the numbers. On the straight line from the mean of all rows to the row, each number
 * contributes its difference times the slope halfway (Aumann & Shapley 1974). For a quadratic form these contributions
 * add up exactly. If it has no products of two numbers, each contribution is the change that the number alone makes.
 */

/* Returns the mean of the training rows, [terms]; terms of levels are 0. */
static double *center_of(Env *env, const Model *model, const NormalScorer *scorer)
{
    uint32_t terms = scorer->terms;
    const double *counts = normal_arrays(model).counts;
    double *center = env_array(env, (size_t)terms + 1, sizeof(double)), weight = 0;

    for (uint32_t c = 0; c < scorer->classes; c++) {
        weight += counts[c];
        for (uint32_t t = 0; t < terms; t++)
            center[t] += (scorer->means[(size_t)c * terms + t] - center[t]) * (counts[c] / weight);
    }
    for (uint32_t t = 0; t < terms; t++)
        if (scorer->map.slot != NULL && scorer->map.level[t] >= 0)
            center[t] = 0;
    return center;
}

/* Writes Sigma^-1 x, [terms], by the covariance of a class. */
static void solve_class(const NormalScorer *scorer, uint32_t class, const double *x, double *out)
{
    uint32_t terms = scorer->terms;

    if (scorer->kind == NORMAL_DIAGONAL) {
        const double *inverse = scorer->inverse + (size_t)class * terms;
        for (uint32_t t = 0; t < terms; t++)
            out[t] = x[t] * inverse[t] * inverse[t];
    } else {
        normal_solve(scorer, class, x, out);
    }
}

/* Returns the reference level of a categorical slot: the first of its field in the dictionary. */
static uint32_t first_level(const Model *model, uint32_t slot)
{
    uint32_t levels = dictionary_size(model, DICTIONARY_LEVELS), field = schema_slot_field(model, slot), level = 0;

    while (level + 1 < levels && dictionary_field(model, level) != field)
        level++;
    return level;
}

static uint32_t normal_explain(Env *env, const Model *model, const void *prepared, const double *slots, Explanation **out)
{
    const NormalScorer *scorer = prepared;
    uint32_t terms = scorer->terms;
    double *center = center_of(env, model, scorer);
    double *x = env_array(env, (size_t)terms + 1, sizeof(double)), *middle = env_array(env, (size_t)terms + 1, sizeof(double));
    double *slope = env_array(env, (size_t)terms + 1, sizeof(double));
    double *own = env_array(env, (size_t)model->slot_count + 1, sizeof(double));
    ExplanationList list = explanation_list(env, model, slots, scorer->classes);

    for (uint32_t t = 0; t < terms; t++)
        x[t] = term_value(&scorer->map, t, slots);
    for (uint32_t c = 0; c < scorer->classes; c++) {
        const double *mean = scorer->means + (size_t)c * terms;
        const double *log_level = scorer->levels > 0 ? scorer->log_level + (size_t)c * scorer->levels : NULL;
        char *label = class_string(env, model, c);
        double base = scorer->constant[c];

        memset(own, 0, model->slot_count * sizeof(double));
        for (uint32_t t = 0; t < terms; t++)
            middle[t] = center[t] - mean[t];
        solve_class(scorer, c, middle, slope);
        for (uint32_t t = 0; t < terms; t++)
            base -= 0.5 * (center[t] - mean[t]) * slope[t];
        for (uint32_t t = 0; t < terms; t++)
            middle[t] = 0.5 * (x[t] - mean[t]) + 0.5 * (center[t] - mean[t]);
        solve_class(scorer, c, middle, slope);
        for (uint32_t t = 0; t < terms; t++)
            own[scorer->map.slot != NULL ? (uint32_t)scorer->map.slot[t] : t] -= (x[t] - center[t]) * slope[t];
        for (uint32_t i = 0; i < scorer->categories; i++) {
            uint32_t slot = scorer->category[i], first = first_level(model, slot);
            base += log_level[first];
            own[slot] -= log_level[first];
            if (slots[slot] >= 0 && slots[slot] < scorer->levels)
                own[slot] += log_level[(uint32_t)slots[slot]];
        }
        explanation_base(&list, label, base);
        for (uint32_t s = 0; s < model->slot_count; s++)
            explanation_slot(&list, s, own[s]);
        env->poll(env);
    }
    *out = list.lines;
    return list.count;
}

#define CLASS_SCORES                                                                                                   \
    .prepare = prepare, .classify = normal_classify, .probabilities = normal_probabilities,                            \
    .decisions = normal_decisions, .decision = normal_decision, .log_evidence = normal_log_evidence,                   \
    .distance = normal_distance, .distances = normal_distances, .explain = normal_explain, .width = normal_width

const Scoring normal_scoring = {CLASS_SCORES};
const Scoring normal_projecting_scoring = {CLASS_SCORES,
                                           .transform = normal_transform,
                                           .transform_width = projection_width};
