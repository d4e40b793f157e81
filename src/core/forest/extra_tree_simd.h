/*
 * forest_values_simd.h - the loops over the rows of a node that look for a random threshold. Included once per instruction set by
 * cpu_dispatch.h: the compiler makes vectors of them, whose results are the same because minima and whole numbers have no order.
 */

/* Copies the values of so many rows; range: their minimum and maximum, NaN left out, of which there may be none. */
SIMD_TARGET static void SIMD(gather_values)(const double *restrict values, const uint32_t *restrict rows, uint32_t count,
                                            double *restrict x, double *restrict range)
{
    double low[LANES], high[LANES];
    uint32_t i = 0;

    for (uint32_t c = 0; c < LANES; c++) {
        low[c] = INFINITY;
        high[c] = -INFINITY;
    }
    for (; i + LANES <= count; i += LANES) {
        double here[LANES];

        for (uint32_t c = 0; c < LANES; c++)
            here[c] = values[rows[i + c]];
        for (uint32_t c = 0; c < LANES; c++) {
            x[i + c] = here[c];
            low[c] = here[c] < low[c] ? here[c] : low[c];
            high[c] = here[c] > high[c] ? here[c] : high[c];
        }
    }
    for (; i < count; i++) {
        x[i] = values[rows[i]];
        low[0] = x[i] < low[0] ? x[i] : low[0];
        high[0] = x[i] > high[0] ? x[i] : high[0];
    }
    for (uint32_t c = 1; c < LANES; c++) {
        low[0] = low[c] < low[0] ? low[c] : low[0];
        high[0] = high[c] > high[0] ? high[c] : high[0];
    }
    range[0] = low[0];
    range[1] = high[0];
}

/* Adds up the rows at or below the threshold: their number and their tallies. */
SIMD_TARGET static void SIMD(add_left)(const double *restrict x, const uint64_t *restrict here, uint32_t count, double threshold,
                                       uint64_t *restrict out)
{
    uint64_t sum = 0, rows = 0;

    for (uint32_t i = 0; i < count; i++) {
        uint64_t goes = -(uint64_t)(x[i] <= threshold); /* a branch would often be mispredicted */

        sum += goes & here[i];
        rows -= goes;
    }
    out[0] = rows;
    out[1] = sum;
}
