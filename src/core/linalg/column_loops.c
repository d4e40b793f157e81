/*
 * column_loops.c - see the header; one copy an instruction set, chosen at run time.
 */
#include "core/linalg/column_loops.h"

#if defined(__clang__)
#pragma clang fp contract(fast)
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=fast")
#endif

#define LANES 16

#define COLUMN_LOOPS(suffix, attribute)                                                            \
    attribute static void subtract_##suffix(double *restrict to, const double *restrict from,      \
                                            double times, size_t count)                            \
    {                                                                                              \
        for (size_t i = 0; i < count; i++)                                                         \
            to[i] -= times * from[i];                                                              \
    }                                                                                              \
    attribute static double dot_##suffix(const double *x, const double *y, size_t count)           \
    {                                                                                              \
        double lanes[LANES] = {0}, sum = 0;                                                        \
        size_t i = 0;                                                                              \
        for (; i + LANES <= count; i += LANES)                                                     \
            for (int l = 0; l < LANES; l++)                                                        \
                lanes[l] += x[i + l] * y[i + l];                                                   \
        for (; i < count; i++)                                                                     \
            sum += x[i] * y[i];                                                                    \
        for (int l = 0; l < LANES; l++)                                                            \
            sum += lanes[l];                                                                       \
        return sum;                                                                                \
    }

COLUMN_LOOPS(base, )
#if defined(__x86_64__) && defined(__GNUC__)
#if defined(__clang__) /* has no such option, and needs none */
#define WIDEST ""
#else
#define WIDEST ",prefer-vector-width=512"
#endif
COLUMN_LOOPS(avx2, __attribute__((target("avx2,fma"))))
COLUMN_LOOPS(avx512, __attribute__((target("avx512f,avx512dq,avx512vl,avx2,fma" WIDEST))))
#define CHOOSE(name, ...)                                                                          \
    (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&                    \
             __builtin_cpu_supports("avx512vl")                                                    \
         ? name##_avx512(__VA_ARGS__)                                                              \
     : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? name##_avx2(__VA_ARGS__)  \
                                                                       : name##_base(__VA_ARGS__))
#else
#define CHOOSE(name, ...) name##_base(__VA_ARGS__)
#endif

void column_subtract(double *restrict to, const double *restrict from, double times, size_t count)
{
    if (count < LANES)
        subtract_base(to, from, times, count);
    else
        CHOOSE(subtract, to, from, times, count);
}

double column_dot(const double *x, const double *y, size_t count)
{
    return count < LANES ? dot_base(x, y, count) : CHOOSE(dot, x, y, count);
}
