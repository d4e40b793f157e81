/*
 * tree_draw_simd.h - the loops over the rows of a node that look for a random threshold. Included once per instruction set by
 * cpu_dispatch.h. The results are the same bits in all: minima have no order, and sums are added up in PARTS parts.
 */

/* Copies the rows and the ranks of a list; returns the sum of the ranks. */
SIMD_TARGET static uint32_t SIMD(collect_list)(const TreeRecord *restrict list, uint32_t count, uint32_t *restrict row,
                                               double *restrict rank)
{
    uint32_t sum = 0;

    for (uint32_t i = 0; i < count; i++) {
        row[i] = list[i].row;
        rank[i] = list[i].rank;
        sum += list[i].rank;
    }
    return sum;
}

/* Copies the values of `count` rows; range: the minimum and maximum of those that are not NaN, if any. */
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

typedef double SIMD(Numbers) __attribute__((vector_size(8 * LANES), aligned(8), may_alias));
typedef long long SIMD(Bits) __attribute__((vector_size(8 * LANES), aligned(8), may_alias));

/*
 * Adds up the rows at or below the threshold: their number, values and weights (NULL: all 1).
 */
SIMD_TARGET static void SIMD(add_left)(const double *restrict x, const double *restrict value, const double *restrict weight,
                                       uint32_t count, double threshold, double *restrict out)
{
    SIMD(Numbers) values[PARTS / LANES] = {0}, weights[PARTS / LANES] = {0};
    SIMD(Bits) rows[PARTS / LANES] = {0};
    double sum[PARTS], total[PARTS];
    long long counted[PARTS];
    uint32_t i = 0;

    for (; i + PARTS <= count; i += PARTS)
        for (uint32_t v = 0; v < PARTS / LANES; v++) {
            uint32_t at = i + v * LANES;
            SIMD(Bits) left = *(const SIMD(Numbers) *)(x + at) <= threshold;

            rows[v] -= left;
            values[v] += (SIMD(Numbers))(*(const SIMD(Bits) *)(value + at) & left);
            if (weight != NULL)
                weights[v] += (SIMD(Numbers))(*(const SIMD(Bits) *)(weight + at) & left);
        }
    memcpy(counted, rows, sizeof(rows));
    memcpy(sum, values, sizeof(values));
    memcpy(total, weights, sizeof(weights));
    for (uint32_t c = 0; i < count; i++, c++) {
        counted[c] += x[i] <= threshold;
        sum[c] += number_if(x[i] <= threshold, value[i]);
        total[c] += weight != NULL ? number_if(x[i] <= threshold, weight[i]) : 0;
    }
    for (uint32_t c = 1; c < PARTS; c++) {
        counted[0] += counted[c];
        sum[0] += sum[c];
        total[0] += total[c];
    }
    out[0] = (double)counted[0];
    out[1] = sum[0];
    out[2] = weight != NULL ? total[0] : out[0];
}
