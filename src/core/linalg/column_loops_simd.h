/*
 * column_loops_simd.h - the loops of column_loops.c, compiled once per instruction set (cpu_dispatch.h).
 */

typedef double SIMD(Vector) __attribute__((vector_size(8 * LANES), aligned(8), may_alias));
#define V SIMD(Vector)
#define SEE(p) (*(const V *)(p))

SIMD_TARGET static void SIMD(subtract)(double *restrict to, const double *restrict from, double times, size_t count)
{
    size_t i = 0;

    for (; i + LANES <= count; i += LANES)
        *(V *)(to + i) -= times * SEE(from + i);
    for (; i < count; i++)
        to[i] -= times * from[i];
}

SIMD_TARGET static double SIMD(dot)(const double *x, const double *y, size_t count)
{
    V sums[PARTS / LANES] = {{0}};
    double sum = 0;
    size_t i = 0;

    for (; i + PARTS <= count; i += PARTS)
        for (int part = 0; part < PARTS / LANES; part++)
            sums[part] += SEE(x + i + part * LANES) * SEE(y + i + part * LANES);
    for (; i < count; i++)
        sum += x[i] * y[i];
    for (int part = 0; part < PARTS; part++)
        sum += sums[part / LANES][part % LANES];
    return sum;
}

#undef V
#undef SEE
