/*
 * glm_tile_simd.h - the inner loops of glm_tile.c, compiled once per instruction set (cpu_dispatch.h).
 */

SIMD_TARGET static void SIMD(exponentials)(const double *restrict score, uint32_t count, double *restrict mean)
{
    for (uint32_t i = 0; i < count; i++)
        mean[i] = exponential_core(score[i]);
}

SIMD_TARGET static uint64_t SIMD(logarithms)(const double *restrict number, uint32_t count, double *restrict logs)
{
    uint64_t odd = 0;

    for (uint32_t i = 0; i < count; i++) {
        odd |= is_odd(number[i], number[i]);
        logs[i] = log_core(number[i], number[i] - 1);
    }
    return odd;
}

SIMD_TARGET static uint64_t SIMD(poisson_rows)(const double *restrict target, const double *restrict mean, uint32_t count, double met, double *restrict variance,
                                               double *restrict deviance)
{
    uint64_t odd = 0;

    for (uint32_t i = 0; i < count; i++) {
        double y = target[i], m = mean[i], left = y - m, inverse = 1 / m, quotient = y * inverse;
        double twice = 2 * (y * log_core(quotient, left * inverse) - left), size = left < 0 ? -left : left;

        odd |= is_odd(y, quotient);
        variance[i] = m;
        deviance[i] = size < met * m ? 0 : twice;
    }
    return odd;
}

SIMD_TARGET static uint64_t SIMD(gamma_rows)(const double *restrict target, const double *restrict mean, uint32_t count, double *restrict variance,
                                             double *restrict deviance)
{
    uint64_t odd = 0;

    for (uint32_t i = 0; i < count; i++) {
        double y = target[i], m = mean[i], inverse = 1 / m, quotient = y * inverse, part = (y - m) * inverse;

        odd |= is_odd(y, quotient);
        variance[i] = m * m;
        deviance[i] = 2 * (part - log_core(quotient, part));
    }
    return odd;
}

SIMD_TARGET static uint64_t SIMD(zero_terms)(const double *restrict target, const double *restrict weight, const double *restrict slope, const double *restrict zero,
                                             uint32_t count, double *restrict observed, double *restrict expected, double *restrict variance, double *restrict gradient)
{
    const double shift = 0x1p52; /* added to a number below it, it rounds that to a whole one */
    uint64_t odd = 0;

    for (uint32_t i = 0; i < count; i++) {
        double y = target[i], w = weight[i], p = w * zero[i], rounded = y < shift ? (y + shift) - shift : y;

        odd |= (uint64_t)(y != rounded);
        observed[i] = y == 0 ? w : 0;
        expected[i] = p;
        variance[i] = p * (1 - zero[i]);
        gradient[i] = -slope[i] * p;
    }
    return odd;
}

SIMD_TARGET static void SIMD(terms)(const GlmTerms *terms, uint32_t count, double *restrict least, double *restrict most)
{
    const double *restrict target = terms->target, *restrict weight = terms->weight, *restrict mean = terms->mean;
    const double *restrict slope = terms->slope, *restrict variance = terms->variance;
    double *restrict deviance = terms->deviance, *restrict pearson = terms->pearson;
    double *restrict gradient = terms->gradient, *restrict curvature = terms->curvature;

    for (uint32_t i = 0; i < count; i++) {
        double share = slope[i] / variance[i], left = target[i] - mean[i], pull = weight[i] * left; /* 1 / variance may be infinite */

        gradient[i] = pull * share;
        curvature[i] = weight[i] * slope[i] * share;
        deviance[i] *= weight[i];
        pearson[i] = pull * left / variance[i];
    }
    for (uint32_t i = 0; i + EXTREMES <= count; i += EXTREMES)
        for (uint32_t k = 0; k < EXTREMES; k++) {
            least[k] = mean[i + k] < least[k] ? mean[i + k] : least[k];
            most[k] = mean[i + k] > most[k] ? mean[i + k] : most[k];
        }
    for (uint32_t i = count - count % EXTREMES; i < count; i++) {
        least[0] = mean[i] < least[0] ? mean[i] : least[0];
        most[0] = mean[i] > most[0] ? mean[i] : most[0];
    }
}
