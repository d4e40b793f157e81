/*
 * mixed_tests.c - covariance and tests of fixed effects.
 *
 * Sigma is profiled out. With d the profiled deviance in the parameters t of the covariance factors, s2(t) the residual variance that belongs to t, and
 * V = s2 v(t), the delta method gives var(log V) = 2 (1 / df + w' (d'')^-1 w), w the slope of log(s2 v) and df the rows less fixed effects (ML: the rows): what
 * the Schur complement of log sigma leaves of the inverse of all second derivatives. Signs and units of t do not matter.
 */
#include "core/mixed/mixed_tests.h"

#include "core/linalg/eigen.h"

#include <math.h>

#define STEP 1e-4   /* of a difference, in units of the row of T */
#define FLAT 1e-7   /* curvatures below this share of the largest are rounding: the parameters say the same */
#define LEAST 1e-4  /* length of a row of T */

void mixed_fixed_root(const MixedSystem *system, const MixedDesign *design, const MixedStart *start, double *root)
{
    size_t n = (size_t)system->random + system->fixed, p = system->fixed;

    for (size_t k = 0; k < p; k++) {
        double *column = root + k * p;

        for (size_t i = 0; i < p; i++)
            column[i] = i == k;
        for (size_t i = p; i-- > 0;) { /* column k of L'^-1 */
            for (size_t j = i + 1; j < p; j++)
                column[i] -= system->cholesky[(system->random + i) * n + system->random + j] * column[j];
            column[i] /= system->cholesky[(system->random + i) * n + system->random + i];
        }
        for (size_t i = 0; i < p; i++) {
            const MixedColumn *fixed = &design->fixed[start->kept[i]];

            if (fixed->slot == MIXED_ONE)
                continue;
            column[i] /= fixed->scale;
            if (design->intercept)
                column[0] -= fixed->center * column[i];
        }
        system->env->poll(system->env);
    }
}

/* What is known at a point near the minimum. */
typedef struct Near {
    double *slope;     /* [parameters] of the deviance */
    double *logarithm; /* [fixed] of s2 v */
} Near;

static void evaluate_near(MixedSystem *system, const MixedDesign *design, const MixedStart *start, const MixedOptimum *optimum, double *root, const Near *out)
{
    size_t p = system->fixed;
    bool known = isfinite(mixed_evaluate(system));

    if (known) {
        mixed_solve(system);
        mixed_gradient(system);
        mixed_fixed_root(system, design, start, root);
    }
    for (uint32_t i = 0; i < optimum->count; i++)
        out->slope[i] = known ? *optimum->parameters[i].slope : NAN;
    for (size_t j = 0; j < p; j++) {
        double sum = 0;

        for (size_t k = 0; k < p; k++)
            sum += root[k * p + j] * root[k * p + j];
        out->logarithm[j] = log(system->squares) + log(sum);
    }
}

/* Sets the second derivatives of the deviance [count x count], and the slopes of the logarithms [count x fixed], in units of the rows of T. */
static void differentiate(MixedSystem *system, const MixedDesign *design, const MixedStart *start, const MixedOptimum *optimum, double *second, double *slopes)
{
    Env *env = system->env;
    size_t k = optimum->count, p = system->fixed;
    double *root = env_array(env, p * p, sizeof(double));
    Near near[2];

    for (int side = 0; side < 2; side++)
        near[side] = (Near){env_array(env, k, sizeof(double)), env_array(env, p, sizeof(double))};
    for (size_t i = 0; i < k; i++) {
        const MixedParameter *parameter = &optimum->parameters[i];
        double x = *parameter->entry, unit = fmax(LEAST, parameter->unit);

        env->progress(env, "degrees of freedom", i, k, NAN);
        for (int side = 0; side < 2; side++) {
            *parameter->entry = x + (side == 0 ? -STEP : STEP) * unit;
            evaluate_near(system, design, start, optimum, root, &near[side]);
        }
        *parameter->entry = x;
        for (size_t j = 0; j < k; j++)
            second[i * k + j] = (near[1].slope[j] - near[0].slope[j]) / (2 * STEP) * fmax(LEAST, optimum->parameters[j].unit);
        for (size_t j = 0; j < p; j++)
            slopes[i * p + j] = (near[1].logarithm[j] - near[0].logarithm[j]) / (2 * STEP);
    }
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < i; j++)
            second[i * k + j] = second[j * k + i] = (second[i * k + j] + second[j * k + i]) / 2;
}

double *mixed_satterthwaite(MixedSystem *system, const MixedDesign *design, const MixedStart *start, const MixedOptimum *optimum)
{
    Env *env = system->env;
    uint32_t k = optimum->count, p = system->fixed;
    double *df = env_array(env, (size_t)p + 1, sizeof(double)), *second, *slopes, *vectors;
    const double *values;
    Eigen *eigen;

    for (uint32_t j = 0; j < p; j++)
        df[j] = 1 / (system->rows - (system->reml ? p : 0));
    if (k > 0 && p > 0) {
        env_require_memory(env, 2 * eigen_memory(k, k) + ((size_t)k * p + (size_t)p * p) * sizeof(double), "the degrees of freedom of mixed_regression");
        second = env_array(env, (size_t)k * k, sizeof(double));
        vectors = env_array(env, (size_t)k * k, sizeof(double));
        slopes = env_array(env, (size_t)k * p, sizeof(double));
        differentiate(system, design, start, optimum, second, slopes);
        mixed_evaluate(system);
        for (size_t i = 0; i < (size_t)k * k; i++)
            if (!isfinite(second[i]))
                return NULL;
        eigen = eigen_begin(env, second, k);
        values = eigen_values(eigen);
        eigen_vectors(eigen, k, vectors);
        for (uint32_t i = 0; i < k && values[i] > FLAT * values[0]; i++)
            for (uint32_t j = 0; j < p; j++) {
                double along = 0;

                for (uint32_t l = 0; l < k; l++)
                    along += vectors[(size_t)i * k + l] * slopes[(size_t)l * p + j];
                df[j] += along * along / values[i];
            }
    }
    for (uint32_t j = 0; j < p; j++) {
        df[j] = 1 / df[j];
        if (!(df[j] > 0) || !isfinite(df[j]))
            return NULL;
    }
    return df;
}
