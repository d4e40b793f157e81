/*
 * normal_whitening.c - pseudo-inverses of singular covariances, as rows that whiten, and their log pseudo-determinants.
 *
 * The eigenvectors are those of the correlations. So neither the directions that count as having variance nor the distance of a
 * row outside their span depend on units. Within the span every generalized inverse gives the same distance.
 */
#include "core/linalg/cholesky.h"
#include "core/linalg/eigen.h"
#include "core/linalg/qr_factor.h"
#include "core/normal/normal_model.h"

#include <math.h>

static const char *const singular_choices[] = {"error", "pseudo_inverse", NULL};

const OptionSpec option_singular[] = {
    {.name = "singular",
     .types = OPTION_STRING,
     .fallback = "\"error\"",
     .choices = singular_choices,
     .help = "What to do with a covariance that has no inverse: raise an error, or use its pseudo-inverse, which "
             "ignores directions without variance."},
    {.name = NULL}};

double *normal_pseudo_whitening(Env *env, const double *packed, uint32_t terms, uint32_t *rank)
{
    double *a = env_array(env, (size_t)terms * terms, sizeof(double)), *vectors, *row;
    double *scale = env_array(env, terms, sizeof(double));
    const double *values;
    Eigen *eigen;

    for (uint32_t t = 0; t < terms; t++) {
        double variance = packed[factor_packed(t) + t];
        scale[t] = variance > 0 ? 1 / sqrt(variance) : 0;
    }
    for (uint32_t j = 0; j < terms; j++)
        for (uint32_t i = 0; i <= j; i++)
            a[(size_t)j * terms + i] = a[(size_t)i * terms + j] =
                packed[factor_packed(j) + i] * scale[i] * scale[j];
    eigen = eigen_begin(env, a, terms);
    values = eigen_values(eigen);
    *rank = 0;
    while (*rank < terms && values[*rank] > CHOLESKY_TOLERANCE(terms) * values[0])
        (*rank)++;
    row = vectors = env_array(env, (size_t)*rank * terms + 1, sizeof(double));
    if (*rank > 0)
        eigen_vectors(eigen, *rank, vectors);
    for (uint32_t r = 0; r < *rank; r++, row += terms)
        for (uint32_t t = 0; t < terms; t++)
            row[t] *= scale[t] / sqrt(values[r]);
    env->release(env, a);
    env->release(env, scale);
    return vectors;
}

double normal_pseudo_determinant(Env *env, const double *packed, const double *whitening, uint32_t rank, uint32_t terms)
{
    double *basis = env_array(env, (size_t)rank * terms + 1, sizeof(double)), sum = 0;

    for (uint32_t r = 0; r < rank; r++) { /* covariance times row: the rows of a square root of the covariance */
        const double *row = whitening + (size_t)r * terms;
        double *own = basis + (size_t)r * terms;
        for (uint32_t j = 0; j < terms; j++)
            for (uint32_t i = 0; i <= j; i++) {
                double s = packed[factor_packed(j) + i];
                own[i] += s * row[j];
                if (i < j)
                    own[j] += s * row[i];
            }
        env->poll(env);
    }
    for (uint32_t j = 0; j < rank; j++) { /* Gram-Schmidt: norms of the rows less their projections on earlier rows */
        double *own = basis + (size_t)j * terms, square = 0;
        for (uint32_t t = 0; t < terms; t++)
            square += own[t] * own[t];
        sum += square > 0 ? log(square) : NAN;
        for (uint32_t i = j + 1; i < rank; i++) {
            double *other = basis + (size_t)i * terms, dot = 0;
            for (uint32_t t = 0; t < terms; t++)
                dot += own[t] * other[t];
            for (uint32_t t = 0; t < terms; t++)
                other[t] -= dot / square * own[t];
        }
        env->poll(env);
    }
    env->release(env, basis);
    return sum;
}
