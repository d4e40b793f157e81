/*
 * vector_loops_simd.h - the loops of vector_loops.c, compiled once per instruction set (cpu_dispatch.h).
 */

typedef double SIMD(Vector) __attribute__((vector_size(8 * LANES), aligned(8), may_alias));
typedef long long SIMD(Bits) __attribute__((vector_size(8 * LANES), aligned(8), may_alias));
#define V SIMD(Vector)
#define B SIMD(Bits)
#define SEE(p) (*(const V *)(p))
#define STEPS (8 / LANES)

SIMD_TARGET static inline void SIMD(add)(Loop loop, uint32_t power, V *sum, V a, V b)
{
    V x;

    if (loop == LOOP_PRODUCTS) {
        *sum += a * b;
        return;
    }
    x = a - b;
    if (loop == LOOP_SQUARES) {
        *sum += x * x;
        return;
    }
    if (loop == LOOP_DIFFERING) {
        V one = {0};

        one = one + 1.0;
        *sum += (V)((B)(x != 0.0) & (B)one);
        return;
    }
    x = (V)((B)x & 0x7FFFFFFFFFFFFFFFLL);
    if (loop == LOOP_ABSOLUTE) {
        *sum += x;
    } else if (loop == LOOP_LARGEST) {
        B keep = (B)(x <= *sum); /* not a NaN */

        *sum = (V)(((B)*sum & keep) | ((B)x & ~keep));
    } else {
        V y = x, result;
        uint32_t rest = power;

        for (; (rest & 1) == 0; rest >>= 1)
            y *= y;
        result = y;
        for (rest >>= 1; rest > 0; rest >>= 1) {
            y *= y;
            if (rest & 1)
                result *= y;
        }
        *sum += result;
    }
}

SIMD_TARGET static inline double SIMD(pair)(Loop loop, uint32_t power, const double *a,
                                            const double *b, uint32_t count)
{
    V sums[STEPS] = {{0}};
    double part[8], more[8];
    uint32_t j = 0;

    for (; j + 8 <= count; j += 8)
        for (int s = 0; s < STEPS; s++)
            SIMD(add)(loop, power, &sums[s], SEE(a + j + s * LANES), SEE(b + j + s * LANES));
    memcpy(part, sums, sizeof part);
    if (j == count)
        return join_parts(loop, part);
    memcpy(more, sums, sizeof more);
    for (double *sum = more; j < count; j++, sum++)
        *sum = add_number(loop, power, *sum, a[j], b[j]);
    return join_parts(loop, more);
}

SIMD_TARGET static inline void SIMD(panel)(Loop loop, uint32_t power, const double *q,
                                           const double *panel, uint32_t count, double *out)
{
    for (int c = 0; c < 8; c += LANES) {
        V sums[8] = {{0}}, result;
        const double *at = panel + c;
        uint32_t j = 0;

        for (; j + 8 <= count; j += 8, at += 64)
#pragma GCC unroll 8
            for (int t = 0; t < 8; t++)
                SIMD(add)(loop, power, &sums[t], SEE(at + 8 * t), q[j + t] - (V){0});
#pragma GCC unroll 8
        for (int t = 0; t < 7; t++)
            if (j + t < count)
                SIMD(add)(loop, power, &sums[t], SEE(at + 8 * t), q[j + t] - (V){0});
        if (loop == LOOP_LARGEST) {
            result = sums[0];
            for (int t = 1; t < 8; t++) {
                B keep = (B)(sums[t] <= result);

                result = (V)(((B)result & keep) | ((B)sums[t] & ~keep));
            }
        } else {
            result = ((sums[0] + sums[4]) + (sums[1] + sums[5])) +
                     ((sums[2] + sums[6]) + (sums[3] + sums[7]));
        }
        memcpy(out + c, &result, sizeof result);
    }
}

#define LOOP_CASES(call)                                                                           \
    switch (loop) {                                                                                \
    case LOOP_SQUARES:                                                                             \
        call(LOOP_SQUARES);                                                                        \
        break;                                                                                     \
    case LOOP_ABSOLUTE:                                                                            \
        call(LOOP_ABSOLUTE);                                                                       \
        break;                                                                                     \
    case LOOP_LARGEST:                                                                             \
        call(LOOP_LARGEST);                                                                        \
        break;                                                                                     \
    case LOOP_DIFFERING:                                                                           \
        call(LOOP_DIFFERING);                                                                      \
        break;                                                                                     \
    case LOOP_POWERS:                                                                              \
        call(LOOP_POWERS);                                                                         \
        break;                                                                                     \
    case LOOP_PRODUCTS:                                                                            \
        call(LOOP_PRODUCTS);                                                                       \
        break;                                                                                     \
    }

SIMD_TARGET static void SIMD(rows)(Loop loop, uint32_t power, const double *q,
                                   const double *rows, uint32_t rows_count, uint32_t count,
                                   size_t stride, double *out)
{
#define ALL_ROWS(which)                                                                            \
    for (uint32_t i = 0; i < rows_count; i++)                                                      \
    out[i] = SIMD(pair)(which, power, q, rows + i * stride, count)
    LOOP_CASES(ALL_ROWS)
#undef ALL_ROWS
}

SIMD_TARGET static void SIMD(panels)(Loop loop, uint32_t power, const double *q,
                                     const double *panels, uint32_t panel_count,
                                     uint32_t count, size_t stride, double *out)
{
#define ALL_PANELS(which)                                                                          \
    for (uint32_t i = 0; i < panel_count; i++)                                                     \
    SIMD(panel)(which, power, q, panels + i * stride * 8, count, out + (size_t)i * 8)
    LOOP_CASES(ALL_PANELS)
#undef ALL_PANELS
}

#undef LOOP_CASES

SIMD_TARGET static inline double SIMD(box)(bool squares, const double *q, const double *low, const double *high, uint32_t count)
{
    V sums[STEPS] = {{0}};
    double part[8];
    uint32_t j = 0;

    for (; j + 8 <= count; j += 8)
        for (uint32_t s = 0, at = j; s < STEPS; s++, at += LANES) {
            V below = SEE(low + at) - SEE(q + at), above = SEE(q + at) - SEE(high + at), gap;
            B farther = (B)(below > above);

            gap = (V)(((B)below & farther) | ((B)above & ~farther));
            gap = (V)((B)gap & (B)(gap > 0.0));
            if (squares)
                gap *= gap;
            sums[s] += gap;
        }
    memcpy(part, sums, sizeof part);
    for (double *sum = part; j < count; j++, sum++) {
        double gap = loop_gap(q[j], low[j], high[j]);

        *sum += squares ? gap * gap : gap;
    }
    return loop_join(part);
}
#undef V
#undef B
#undef SEE
#undef STEPS
