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
        odd |= (uint64_t)!(number[i] <= DBL_MAX) | ((uint64_t)!(number[i] >= DBL_MIN) & (uint64_t)(number[i] != 0));
        logs[i] = log_core(number[i], number[i] - 1);
    }
    return odd;
}

SIMD_TARGET static uint64_t SIMD(log_ratios)(const double *restrict target, const double *restrict mean, uint32_t count, double *restrict ratio)
{
    uint64_t odd = 0;

    for (uint32_t i = 0; i < count; i++) {
        double inverse = 1 / mean[i], quotient = target[i] * inverse, part = (target[i] - mean[i]) * inverse;

        odd |= (uint64_t)!(quotient <= DBL_MAX) | ((uint64_t)!(quotient >= DBL_MIN) & (uint64_t)(target[i] != 0));
        ratio[i] = log_core(quotient, part);
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
        double share = slope[i] / variance[i], left = target[i] - mean[i], pull = weight[i] * left;

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
