/*
 * mixture.c - mixtures of normal distributions: parameters, what a pass needs, and the update from the sums of a pass.
 */
#include "core/mixture/mixture.h"
#include "core/linalg/cholesky.h"
#include "core/linalg/qr_factor.h"

#include <math.h>
#include <string.h>

const char *const mixture_forms[] = {"full", "tied", "diagonal", "spherical", NULL};

Mixture *mixture_new(Env *env, MixtureForm form, uint32_t k, uint32_t dims)
{
    Mixture *mixture = env_array(env, 1, sizeof(Mixture));

    mixture->form = form;
    mixture->k = k;
    mixture->dims = dims;
    mixture->weights = env_array(env, k, sizeof(double));
    mixture->means = env_array(env, (size_t)k * dims, sizeof(double));
    mixture->covariances =
        env_array(env, (size_t)mixture_matrices(form, k) * mixture_numbers(form, dims), sizeof(double));
    return mixture;
}

void mixture_copy(Mixture *to, const Mixture *from)
{
    size_t numbers = (size_t)mixture_matrices(from->form, from->k) * mixture_numbers(from->form, from->dims);

    memcpy(to->weights, from->weights, from->k * sizeof(double));
    memcpy(to->means, from->means, (size_t)from->k * from->dims * sizeof(double));
    memcpy(to->covariances, from->covariances, numbers * sizeof(double));
}

double mixture_parameters(MixtureForm form, uint32_t k, uint32_t dims)
{
    return k - 1.0 + (double)k * dims + (double)mixture_matrices(form, k) * mixture_numbers(form, dims);
}

uint32_t mixture_products(MixtureForm form, uint32_t dims)
{
    return form == MIXTURE_SPHERICAL ? dims : mixture_numbers(form, dims);
}

size_t mixture_memory(MixtureForm form, uint32_t k, uint32_t dims)
{
    double matrices = mixture_matrices(form, k), numbers = mixture_numbers(form, dims);
    double plan = matrices * numbers + 2.0 * k + ((double)k + dims + 1) * MIXTURE_TILE;
    double sums = k + (double)k * dims + matrices * mixture_products(form, dims);
    double parameters = k + (double)k * dims + matrices * numbers;
    double bytes = 8 * (plan + 2 * sums + 3 * parameters);

    return bytes < 1e18 ? (size_t)bytes : (size_t)1e18;
}

/* ---- plan ---- */

/*
 * Writes the inverse of the Cholesky factor of a packed covariance to out, row by row, and sets the logarithm of the determinant.
 * Returns false if the covariance is singular. triangle [packed], column [dims]: work space.
 */
static bool invert(Env *env, const double *covariance, uint32_t dims, double *triangle, double *column,
                   double *out, double *log_determinant)
{
    double logs = 0;

    triangle_from_packed(triangle, covariance, dims);
    if (cholesky_triangle(env, triangle, dims, CHOLESKY_TOLERANCE(dims)) < dims)
        return false;
    for (uint32_t b = 0; b < dims; b++) {
        memset(column, 0, dims * sizeof(double));
        column[b] = 1;
        triangle_solve(triangle, dims, column);
        for (uint32_t a = b; a < dims; a++)
            out[(size_t)a * (a + 1) / 2 + b] = column[a];
        logs += log(triangle[triangle_at(dims, b)]);
        env_poll_every(env, b + 1, 64);
    }
    *log_determinant = 2 * logs;
    return true;
}

/*
 * Writes 1 / standard deviation of `count` variances, and sets log_determinant of dims of them. Returns false if one is not
 * positive.
 */
static bool invert_variances(const double *variances, uint32_t count, uint32_t dims, double *out,
                             double *log_determinant)
{
    double logs = 0;

    for (uint32_t a = 0; a < count; a++) {
        if (!(variances[a] > 0) || !isfinite(variances[a]))
            return false;
        out[a] = 1 / sqrt(variances[a]);
        logs += log(variances[a]);
    }
    *log_determinant = logs * (dims / count);
    return true;
}

/* Returns a plan with room for `extra` numbers at plan->extra. */
static MixturePlan *plan_new(Env *env, const Mixture *mixture, size_t extra)
{
    MixturePlan *plan = env_array(env, 1, sizeof(MixturePlan));
    size_t rows = ((size_t)mixture->k + mixture->dims + 1) * MIXTURE_TILE;

    plan->mixture = mixture;
    plan->shares = env_aligned(env, rows + extra, &plan->memory);
    plan->centered = plan->shares + (size_t)mixture->k * MIXTURE_TILE;
    plan->likelihoods = plan->centered + (size_t)mixture->dims * MIXTURE_TILE;
    plan->extra = plan->likelihoods + MIXTURE_TILE;
    return plan;
}

/* Returns the numbers of all inverse factors. */
static size_t factor_count(const Mixture *mixture)
{
    return (size_t)mixture_matrices(mixture->form, mixture->k) * mixture_numbers(mixture->form, mixture->dims);
}

MixturePlan *mixture_plan_new(Env *env, const Mixture *mixture)
{
    size_t factors = factor_count(mixture), triangle = factor_packed(mixture->dims) + mixture->dims;
    MixturePlan *plan = plan_new(env, mixture, factors + mixture->k + triangle);

    plan->factors = plan->extra;
    plan->constants = plan->extra + factors;
    return plan;
}

uint32_t mixture_plan_update(Env *env, MixturePlan *plan)
{
    const Mixture *mixture = plan->mixture;
    uint32_t dims = mixture->dims, matrices = mixture_matrices(mixture->form, mixture->k);
    uint32_t numbers = mixture_numbers(mixture->form, dims);
    double *constants = plan->extra + factor_count(mixture), *triangle = constants + mixture->k, log_determinant = 0;

    for (uint32_t j = 0; j < matrices; j++) {
        const double *covariance = mixture->covariances + (size_t)j * numbers;
        double *out = plan->extra + (size_t)j * numbers;
        bool regular = mixture->form <= MIXTURE_TIED
                           ? invert(env, covariance, dims, triangle, triangle + factor_packed(dims), out, &log_determinant)
                           : invert_variances(covariance, numbers, dims, out, &log_determinant);

        if (!regular)
            return j;
        constants[j] = log_determinant;
    }
    for (uint32_t c = mixture->k; c-- > 0;) /* backward, because a tied determinant is in the first */
        constants[c] =
            log(mixture->weights[c]) - 0.5 * (dims * log(2 * M_PI) + constants[matrices > 1 ? c : 0]);
    return mixture->k;
}

MixturePlan *mixture_plan(Env *env, const Mixture *mixture, uint32_t *collapsed)
{
    MixturePlan *plan = mixture_plan_new(env, mixture);

    *collapsed = mixture_plan_update(env, plan);
    return *collapsed == mixture->k ? plan : NULL;
}

MixturePlan *mixture_plan_of(Env *env, const Mixture *mixture, const double *factors, const double *constants)
{
    MixturePlan *plan = plan_new(env, mixture, 0);

    plan->factors = factors;
    plan->constants = constants;
    return plan;
}

void mixture_plan_free(Env *env, MixturePlan *plan)
{
    env->release(env, plan->memory);
    env->release(env, plan);
}

/* ---- sums ---- */

static size_t product_count(const Mixture *mixture)
{
    return (size_t)mixture_matrices(mixture->form, mixture->k) * mixture_products(mixture->form, mixture->dims);
}

MixtureSums *mixture_sums(Env *env, const Mixture *mixture)
{
    MixtureSums *sums = env_array(env, 1, sizeof(MixtureSums));

    sums->weights = env_array(env, mixture->k, sizeof(double));
    sums->moments = env_array(env, (size_t)mixture->k * mixture->dims, sizeof(double));
    sums->products = env_array(env, product_count(mixture), sizeof(double));
    return sums;
}

void mixture_sums_clear(MixtureSums *sums, const Mixture *mixture)
{
    memset(sums->weights, 0, mixture->k * sizeof(double));
    memset(sums->moments, 0, (size_t)mixture->k * mixture->dims * sizeof(double));
    memset(sums->products, 0, product_count(mixture) * sizeof(double));
    sums->log_likelihood = sums->weight = 0;
}

/* ---- the next parameters ---- */

/* Computes the covariance of a component from sums about its old mean. moved: the new mean less the old one. */
static void update_covariance(const Mixture *mixture, const double *products, const double *moved,
                              double weight, double regularization, double *covariance)
{
    uint32_t dims = mixture->dims;

    if (mixture->form == MIXTURE_FULL) {
        for (uint32_t a = 0; a < dims; a++)
            for (uint32_t b = 0; b <= a; b++)
                *covariance++ = *products++ / weight - moved[a] * moved[b] + (a == b ? regularization : 0);
    } else if (mixture->form == MIXTURE_DIAGONAL) {
        for (uint32_t a = 0; a < dims; a++)
            covariance[a] = fmax(0, products[a] / weight - moved[a] * moved[a]) + regularization;
    } else {
        double sum = 0;
        for (uint32_t a = 0; a < dims; a++)
            sum += fmax(0, products[a] / weight - moved[a] * moved[a]);
        *covariance = sum / dims + regularization;
    }
}

void mixture_update(Mixture *mixture, const MixtureSums *sums, double regularization)
{
    uint32_t k = mixture->k, dims = mixture->dims;
    uint32_t numbers = mixture_numbers(mixture->form, dims), products = mixture_products(mixture->form, dims);

    if (mixture->form == MIXTURE_TIED)
        memcpy(mixture->covariances, sums->products, numbers * sizeof(double));
    for (uint32_t j = 0; j < k; j++) {
        double *mean = mixture->means + (size_t)j * dims, weight = sums->weights[j];
        double *moved = sums->moments + (size_t)j * dims;
        mixture->weights[j] = fmin(weight / sums->weight, 1); /* the two sums add in different orders */
        if (!(weight > 1e-300)) {
            mixture->weights[j] = 0;
            continue;
        }
        for (uint32_t a = 0; a < dims; a++)
            moved[a] /= weight;
        if (mixture->form == MIXTURE_TIED) {
            double *covariance = mixture->covariances;
            for (uint32_t a = 0; a < dims; a++)
                for (uint32_t b = 0; b <= a; b++)
                    *covariance++ -= weight * moved[a] * moved[b];
        } else {
            update_covariance(mixture, sums->products + (size_t)j * products, moved, weight, regularization,
                              mixture->covariances + (size_t)j * numbers);
        }
        for (uint32_t a = 0; a < dims; a++)
            mean[a] += moved[a];
    }
    if (mixture->form == MIXTURE_TIED)
        for (uint32_t a = 0; a < dims; a++)
            for (uint32_t b = 0; b <= a; b++) {
                double *place = mixture->covariances + (size_t)a * (a + 1) / 2 + b;
                *place = *place / sums->weight + (a == b ? regularization : 0);
            }
}
