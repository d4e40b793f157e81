/*
 * kernel_simd.h - the functions that turn products and squared distances into kernel values, compiled once per instruction set
 * (cpu_dispatch.h). Every number takes the same operations in the same order, so results have the same bits everywhere.
 */

/* Replaces values by exp(factor x value), 0 below exp(-708). */
SIMD_TARGET static void SIMD(exponentials)(double factor, double *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        values[i] = exponential(factor * values[i]);
}

/* Replaces values by (gamma x value + constant)^power. */
SIMD_TARGET static void SIMD(powers)(double gamma, double constant, uint32_t power, double *values, uint32_t count)
{
    for (uint32_t first = 0; first < count; first += 8) {
        uint32_t inside = count - first < 8 ? count - first : 8;
        double base[8] = {0}, result[8] = {1, 1, 1, 1, 1, 1, 1, 1};

        for (uint32_t i = 0; i < inside; i++)
            base[i] = gamma * values[first + i] + constant;
        for (uint32_t left = power; left > 0; left >>= 1) {
            if (left & 1)
                for (uint32_t i = 0; i < 8; i++)
                    result[i] *= base[i];
            for (uint32_t i = 0; i < 8; i++)
                base[i] *= base[i];
        }
        for (uint32_t i = 0; i < inside; i++)
            values[first + i] = result[i];
    }
}

/* Replaces values by tanh(gamma x value + constant). */
SIMD_TARGET static void SIMD(tangents)(double gamma, double constant, double *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        values[i] = hyperbolic_tangent(gamma * values[i] + constant);
}
