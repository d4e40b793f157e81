/*
 * kernel_ridge_candidates.c - reads options lambda and gamma, each a number, an array, or a word for a grid.
 */
#include "core/kernel_methods/kernel_ridge_candidates.h"

#include "core/base/sort.h"

#include <math.h>
#include <string.h>

#define LONGEST_LIST 1000u
#define CHOSEN_LAMBDAS 25 /* candidates of lambda "cv": 1e2 to 1e-6 times the mean of k(x, x), three per factor of ten */
#define CHOSEN_GAMMAS 7   /* of gamma "cv": 10 to 0.01 times the default, two per factor of ten */

/* Returns a list in falling order, without duplicates. */
static double *list_of(Env *env, const Options *options, const char *name, uint32_t *count)
{
    uint32_t length;
    const double *given = options_numbers(options, name, &length);
    double *out = env_array(env, (size_t)length + 1, sizeof(double));

    if (length > LONGEST_LIST)
        env_fail(env, ERROR_LIMIT, NULL, "option \"%s\" lists %u numbers, at most %u are possible", name, length, LONGEST_LIST);
    if (length == 0)
        env_fail(env, ERROR_PARAMETER, "Give a number, or \"cv\".", "option \"%s\" is an empty array", name);
    memcpy(out, given, length * sizeof(double));
    *count = sort_falling(out, length);
    return out;
}

/* Returns a geometric grid from greatest down. */
static double *grid_of(Env *env, double greatest, double per_ten, uint32_t count)
{
    double *out = env_array(env, count, sizeof(double));

    for (uint32_t i = 0; i < count; i++)
        out[i] = greatest * pow(10, -(double)i / per_ten);
    return out;
}

bool option_is_several(const Options *options, const char *name)
{
    OptionType type = options_type(options, name);

    return type == OPTION_NUMBER_LIST || type == OPTION_STRING;
}

bool option_is_word(const Options *options, const char *name)
{
    return options_type(options, name) == OPTION_STRING;
}

RidgeCandidates ridge_gammas(Env *env, const Options *options, Kernel *kernel)
{
    RidgeCandidates out = {.lambda_count = 1, .gamma_count = 1};

    if (option_is_word(options, "gamma")) {
        out.gamma_count = CHOSEN_GAMMAS;
        out.gammas = grid_of(env, 10 * kernel->gamma, 2, CHOSEN_GAMMAS);
    } else if (options_type(options, "gamma") == OPTION_NUMBER_LIST) {
        out.gammas = list_of(env, options, "gamma", &out.gamma_count);
        kernel->gamma = out.gammas[0];
    }
    return out;
}

void ridge_lambdas(Env *env, const Options *options, double diagonal, RidgeCandidates *out)
{
    if (option_is_word(options, "lambda")) {
        out->lambda_count = CHOSEN_LAMBDAS;
        out->lambdas = grid_of(env, 100 * (diagonal > 0 && isfinite(diagonal * 100) ? diagonal : 1), 3, CHOSEN_LAMBDAS);
    } else if (options_type(options, "lambda") == OPTION_NUMBER_LIST) {
        out->lambdas = list_of(env, options, "lambda", &out->lambda_count);
    } else {
        out->lambdas = env_array(env, 1, sizeof(double));
        out->lambdas[0] = options_number(options, "lambda");
    }
    out->errors = env_array(env, (size_t)out->lambda_count * out->gamma_count, sizeof(double));
}

Kernel ridge_kernel(Env *env, const Options *options)
{
    Kernel kernel;

    if (option_is_several(options, "gamma") && options_given(options, "sigma"))
        env_fail(env, ERROR_PARAMETER, "Give one of them; gamma is 1 / (2 sigma^2).", "gamma and sigma %g are both given",
                 options_number(options, "sigma"));
    kernel = kernel_of_options(env, options, NULL);
    if (option_is_several(options, "gamma"))
        kernel.gamma = 0;
    if (option_is_word(options, "gamma") && kernel.kind != KERNEL_RBF)
        env_fail(env, ERROR_PARAMETER, "Give an array of gammas.", "option \"gamma\" of kernel_ridge is chosen from a grid for rbf, and "
                 "the kernel is %s", kernel_name(kernel.kind));
    return kernel;
}

static void warn_of_end(Env *env, const Options *options, const char *name, const double *grid, uint32_t count, double chosen)
{
    bool largest = chosen == grid[0];

    if (option_is_word(options, name) && (largest || chosen == grid[count - 1]))
        env_warn(env, ERROR_DATA,
                 env_message(env, "Give option \"%s\" an array that goes on %s %.3g; kernel_path(model) shows the errors.", name,
                             largest ? "above" : "below", chosen),
                 "kernel_ridge chose the %s %s of its grid, %.3g, and a better one may lie beyond", largest ? "largest" : "smallest", name, chosen);
}

void ridge_warn_of_ends(Env *env, const Options *options, const RidgeCandidates *candidates, double lambda, double gamma)
{
    warn_of_end(env, options, "lambda", candidates->lambdas, candidates->lambda_count, lambda);
    if (candidates->gammas != NULL)
        warn_of_end(env, options, "gamma", candidates->gammas, candidates->gamma_count, gamma);
}

void ridge_candidates_add(Env *env, const RidgeCandidates *candidates, ModelBuilder *builder)
{
    uint32_t lines = candidates->lambda_count * candidates->gamma_count;
    double *lambdas = env_array(env, lines, sizeof(double)), *gammas = env_array(env, lines, sizeof(double));

    for (uint32_t i = 0; i < lines; i++) {
        lambdas[i] = candidates->lambdas[i % candidates->lambda_count];
        if (candidates->gammas != NULL)
            gammas[i] = candidates->gammas[i / candidates->lambda_count];
    }
    builder_f64(builder, SECTION_ARRAYS, "path_lambda", lambdas, lines);
    builder_f64(builder, SECTION_ARRAYS, "path_error", candidates->errors, lines);
    if (candidates->gammas != NULL)
        builder_f64(builder, SECTION_ARRAYS, "path_gamma", gammas, lines);
}
