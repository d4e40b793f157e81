/*
 * onnx_normal.c - naive Bayes, linear and quadratic discriminant analysis, and mixtures as ONNX operators: whitened differences are products
 * of matrices.
 */
#include "core/onnx/onnx_parts.h"
#include "core/linalg/cholesky.h"
#include "core/linalg/qr_factor.h"
#include "core/mixture/mixture_model.h"
#include "core/normal/normal_model.h"

#include <math.h>

/* Returns the rows that whiten differences from the mean of a class, [*rank x terms]. */
static const double *whitening_of(Env *env, const NormalScorer *scorer, uint32_t class, uint32_t *rank)
{
    uint32_t terms = scorer->terms;
    double *inverse, *column;

    if (scorer->kind == NORMAL_POOLED)
        class = 0;
    *rank = scorer->class_rank != NULL ? scorer->class_rank[class] : scorer->rank;
    if (scorer->class_whitening != NULL && scorer->class_whitening[class] != NULL)
        return scorer->class_whitening[class];
    if (scorer->kind == NORMAL_POOLED && scorer->whitening != NULL)
        return scorer->whitening;
    inverse = env_array(env, (size_t)terms * terms + 1, sizeof(double));
    column = env_array(env, (size_t)terms + 1, sizeof(double));
    for (uint32_t j = 0; j < terms; j++) {
        memset(column, 0, terms * sizeof(double));
        column[j] = 1;
        triangle_solve(scorer->triangle + class * factor_packed(terms), terms, column);
        for (uint32_t i = 0; i < terms; i++)
            inverse[(size_t)i * terms + j] = column[i];
        env->poll(env);
    }
    return inverse;
}

/* Returns the squared distance from the mean of a class, [N, 1]. */
static OnnxValue squared_distance(OnnxWriter *writer, const NormalScorer *scorer, uint32_t class, OnnxValue terms)
{
    OnnxValue z = ONNX(writer, "Sub", terms, onnx_vector(writer, scorer->means + (size_t)class * scorer->terms, scorer->terms));
    uint32_t rank;

    if (scorer->kind == NORMAL_DIAGONAL) {
        z = ONNX(writer, "Mul", z, onnx_vector(writer, scorer->inverse + (size_t)class * scorer->terms, scorer->terms));
    } else {
        const double *rows = whitening_of(writer->env, scorer, class, &rank);

        z = ONNX(writer, "MatMul", z, onnx_transposed(writer, rows, rank, scorer->terms));
    }
    return onnx_reduce(writer, "ReduceSumSquare", z);
}

/* Returns what the levels of a row add to the logarithms of naive Bayes, [N, classes]; NULL without levels. */
static OnnxValue level_logs(OnnxWriter *writer, const Model *model, const NormalScorer *scorer, OnnxValue row)
{
    Env *env = writer->env;
    uint64_t most = (uint64_t)scorer->categories * scorer->levels;
    uint32_t count = 0;
    OnnxTerm *terms;
    double *logs;

    if (most == 0)
        return NULL;
    env_require_memory(env, most * (sizeof(OnnxTerm) + scorer->classes * sizeof(double)), "the terms of the graph");
    terms = env_array(env, most, sizeof(OnnxTerm));
    logs = env_array(env, most * scorer->classes, sizeof(double));
    for (uint32_t i = 0; i < scorer->categories; i++)
        for (uint32_t l = 0; l < scorer->levels; l++) {
            if (dictionary_field(model, l) != schema_slot_field(model, scorer->category[i]))
                continue;
            terms[count] = (OnnxTerm){scorer->category[i], l};
            for (uint32_t c = 0; c < scorer->classes; c++)
                logs[(size_t)count * scorer->classes + c] = scorer->log_level[(size_t)c * scorer->levels + l];
            count++;
        }
    return ONNX(writer, "MatMul", onnx_terms(writer, row, model->slot_count, terms, count), onnx_matrix(writer, logs, count, scorer->classes));
}

/* Returns the logarithms of prior times density, [N, classes]. */
static OnnxValue joint_logs(OnnxWriter *writer, const Model *model, const NormalScorer *scorer, OnnxValue row)
{
    OnnxValue terms = NULL, sum = NULL, levels = level_logs(writer, model, scorer, row);
    OnnxValue *squares = env_array(writer->env, (size_t)scorer->classes + 1, sizeof(OnnxValue));

    if (scorer->terms > 0) {
        terms = onnx_model_terms(writer, model, row, scorer->terms, scorer->map.slot, scorer->map.level);
        for (uint32_t c = 0; c < scorer->classes; c++)
            squares[c] = squared_distance(writer, scorer, c, terms);
        sum = onnx_times(writer, onnx_concat(writer, squares, scorer->classes), -0.5);
    }
    if (levels != NULL)
        sum = sum != NULL ? ONNX(writer, "Add", sum, levels) : levels;
    return ONNX(writer, "Add", sum, onnx_vector(writer, scorer->constant, scorer->classes));
}

/* Returns the terms of lda less their center. */
static OnnxValue centered_terms(OnnxWriter *writer, const Model *model, const NormalScorer *scorer, OnnxValue row)
{
    OnnxValue terms = onnx_model_terms(writer, model, row, scorer->terms, scorer->map.slot, scorer->map.level);

    return ONNX(writer, "Sub", terms, onnx_vector(writer, scorer->center, scorer->terms));
}

/* Adds the scores that decide: of two classes the difference, else the logarithms of prior times density. */
static void put_decision(OnnxWriter *writer, const Model *model, const NormalScorer *scorer, OnnxValue scores, OnnxValue row)
{
    uint32_t positive = scorer->rule.positive, negative = 1 - positive;

    if (!writer->python)
        return;
    if (scorer->classes == 2)
        onnx_decision(writer, ONNX(writer, "Sub", onnx_columns(writer, scores, &positive, 1), onnx_columns(writer, scores, &negative, 1)), 1);
    else
        onnx_decision(writer, scorer->kind == NORMAL_POOLED ? joint_logs(writer, model, scorer, row) : scores, scorer->classes);
}

static void normal_classifier(OnnxWriter *writer, const Model *model, OnnxValue row)
{
    const NormalScorer *scorer = normal_prepare(writer->env, model);
    OnnxValue scores, probabilities;

    if (!normal_is_definite(scorer))
        onnx_refuse(writer, model, "a covariance is not positive definite");
    if (scorer->kind == NORMAL_POOLED) {
        scores = ONNX(writer, "MatMul", centered_terms(writer, model, scorer, row), onnx_transposed(writer, scorer->coef, scorer->classes, scorer->terms));
        scores = ONNX(writer, "Add", scores, onnx_vector(writer, scorer->offset, scorer->classes));
    } else {
        scores = joint_logs(writer, model, scorer, row);
    }
    put_decision(writer, model, scorer, scores, row);
    probabilities = onnx_softmax(writer, scores);
    onnx_label(writer, model, onnx_largest(writer, scores), "probabilities", probabilities);
}

static OnnxValue lda_projection(OnnxWriter *writer, const Model *model, OnnxValue row)
{
    const NormalScorer *scorer = normal_prepare(writer->env, model);

    if (scorer->directions == 0)
        onnx_refuse(writer, model, "it has no directions");
    return ONNX(writer, "MatMul", centered_terms(writer, model, scorer, row), onnx_matrix(writer, scorer->scalings, scorer->terms, scorer->directions));
}

/* ---- mixtures ---- */

/* Returns the squared distance of a row from a component, [N, 1]. factor: of its covariance, as a plan has it. */
static OnnxValue component_distance(OnnxWriter *writer, const Mixture *mixture, uint32_t component, const double *factor, OnnxValue row)
{
    uint32_t dims = mixture->dims;
    OnnxValue z = ONNX(writer, "Sub", row, onnx_vector(writer, mixture->means + (size_t)component * dims, dims));

    if (mixture->form == MIXTURE_SPHERICAL) {
        z = ONNX(writer, "Mul", z, onnx_number(writer, *factor));
    } else if (mixture->form == MIXTURE_DIAGONAL) {
        z = ONNX(writer, "Mul", z, onnx_vector(writer, factor, dims));
    } else {
        double *rows = env_array(writer->env, (size_t)dims * dims, sizeof(double));

        for (uint32_t a = 0; a < dims; factor += ++a)
            memcpy(rows + (size_t)a * dims, factor, (a + 1) * sizeof(double));
        z = ONNX(writer, "MatMul", z, onnx_transposed(writer, rows, dims, dims));
    }
    return onnx_reduce(writer, "ReduceSumSquare", z);
}

static void gaussian_mixture(OnnxWriter *writer, const Model *model, OnnxValue row)
{
    Mixture mixture = mixture_view(model);
    uint32_t numbers = mixture.form == MIXTURE_TIED ? 0 : mixture_numbers(mixture.form, mixture.dims), collapsed;
    MixturePlan *plan = mixture_plan(writer->env, &mixture, &collapsed);
    OnnxValue *squares = env_array(writer->env, (size_t)mixture.k + 1, sizeof(OnnxValue)), all, scores;

    if (plan == NULL)
        onnx_refuse(writer, model, "a covariance is not positive definite");
    for (uint32_t j = 0; j < mixture.k; j++)
        squares[j] = component_distance(writer, &mixture, j, plan->factors + (size_t)j * numbers, row);
    all = onnx_concat(writer, squares, mixture.k);
    scores = ONNX(writer, "Add", onnx_times(writer, all, -0.5), onnx_vector(writer, plan->constants, mixture.k));
    onnx_output(writer, "label", onnx_largest(writer, scores), ONNX_INT64, 0);
    onnx_numbers(writer, "probabilities", onnx_softmax(writer, scores), mixture.k);
    onnx_decision(writer, scores, mixture.k);
    if (writer->python)
        onnx_numbers(writer, "scores", ONNX(writer, "Sqrt", all), mixture.k);
}

const OnnxMethod onnx_normal_methods[] = {{"gaussian_mixture", gaussian_mixture, NULL, false},
                                          {"lda", normal_classifier, lda_projection, false},
                                          {"naive_bayes", normal_classifier, NULL, false},
                                          {"qda", normal_classifier, NULL, false},
                                          {NULL, NULL, NULL, false}};
