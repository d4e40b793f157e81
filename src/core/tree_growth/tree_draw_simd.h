/*
 * tree_draw_simd.h - the loop that adds up the rows on one side of a random threshold. Included once per instruction set by cpu_dispatch.h.
 * The results are the same bits in all: sums are added up in PARTS parts.
 */

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
