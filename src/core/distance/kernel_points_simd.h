/* kernel_points_simd.h - the loops of kernel_points.c, compiled once per instruction set (cpu_dispatch.h). */

SIMD_TARGET static void SIMD(exponential_rows)(double gamma, uint32_t count, double *x)
{
    exponentials(gamma, count, x);
}
