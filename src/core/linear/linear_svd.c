/*
 * linear_svd.c - a linear fit from the singular values of its triangular factor.
 */
#include "core/linear/linear_svd.h"

#include <float.h>
#include <math.h>

static double scale_of(const LinearSvd *svd, uint32_t term)
{
    return svd->scales != NULL ? svd->scales[term] : 1;
}

LinearSvd linear_svd(LinearFit *fit, const double *scales)
{
    Env *env = fit->env;
    const Design *design = fit->design;
    uint32_t terms = design->terms, all = terms + 1;
    double rounding = 10 * DBL_EPSILON * (terms < 10 ? 10 : terms), root = sqrt(design->weight), last;
    const double *target = design->factor + (size_t)terms * all;
    LinearSvd svd = {.scales = scales, .norm = 0, .target = linear_norm(fit, terms)};
    double *a, *noise, *y;

    env_require_memory(env, singular_memory(all), "the singular values of the terms");
    a = env_array(env, (size_t)terms * terms + 1, sizeof(double));
    noise = env_array(env, 2 * (size_t)terms + 2, sizeof(double));
    y = noise + terms;
    svd.target = svd.target > 0 ? svd.target : 1;
    for (uint32_t t = 0; t < terms; t++)
        svd.norm = fmax(svd.norm, linear_norm(fit, t) / scale_of(&svd, t));
    svd.norm = svd.norm > 0 ? svd.norm : 1;
    for (uint32_t t = 0; t < terms; t++) {
        const double *column = design->factor + (size_t)t * all;
        double norm = linear_norm(fit, t);

        if (t % 256 == 255)
            env->poll(env);
        y[t] = target[t] / svd.target;
        if (norm == 0)
            continue;
        for (uint32_t i = 0; i <= t; i++)
            a[(size_t)t * terms + i] = column[i] / scale_of(&svd, t) / svd.norm;
        noise[t] = rounding * norm;
        if (fit->with_intercept)
            noise[t] += 2 * DBL_EPSILON * root * fabs(design->means[t]);
        noise[t] /= scale_of(&svd, t) * svd.norm;
    }
    if (terms > 0)
        svd.form = singular_make(env, a, terms, y, noise);
    env->release(env, a);
    last = target[terms] / svd.target;
    svd.rest = last * last;
    for (uint32_t j = svd.form.rank; j < terms; j++)
        svd.rest += svd.form.left[j] * svd.form.left[j];
    if (sqrt(svd.rest) <= 10 * rounding || svd.form.rank >= fit->rows - fit->with_intercept)
        svd.rest = 0;
    return svd;
}

void linear_svd_solve(LinearFit *fit, const LinearSvd *svd, double ratio)
{
    uint32_t terms = fit->design->terms;

    fit->df_model = 0;
    for (uint32_t j = 0; j < svd->form.rank; j++) {
        double s = svd->form.values[j], share = linear_svd_share(s, ratio), z = share * svd->form.left[j] / s;

        fit->df_model += share;
        for (uint32_t t = 0; t < terms; t++)
            fit->coef[t] += z * svd->form.vectors[(size_t)j * terms + t];
        if (j % 256 == 255)
            fit->env->poll(fit->env);
    }
    for (uint32_t t = 0; t < terms; t++)
        fit->coef[t] *= svd->target / svd->norm / scale_of(svd, t);
    fit->kept = terms;
    linear_set_intercept(fit);
    fit->rss = ratio == 0 && svd->rest == 0 ? 0 : linear_residual(fit);
}
