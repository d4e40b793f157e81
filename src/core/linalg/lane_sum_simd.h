/*
 * lane_sum_simd.h - the sum of a vector's lanes, for files that cpu_dispatch.h compiles once per instruction set, in an order
 * that does not depend on the compiler. The includer defines V, the type of the vector.
 */

SIMD_TARGET static inline double SIMD(lane_sum)(const V *x)
{
#if LANES == 8
    return (((*x)[0] + (*x)[4]) + ((*x)[1] + (*x)[5])) + (((*x)[2] + (*x)[6]) + ((*x)[3] + (*x)[7]));
#elif LANES == 4
    return ((*x)[0] + (*x)[2]) + ((*x)[1] + (*x)[3]);
#else
    return (*x)[0] + (*x)[1];
#endif
}
