/*
 * tree_split_simd.h - the loop of tree_split.c, compiled once per instruction set (cpu_dispatch.h).
 */

typedef double SIMD(Vector) __attribute__((vector_size(8 * LANES), aligned(8), may_alias));
typedef long long SIMD(Mask) __attribute__((vector_size(8 * LANES)));
#define V SIMD(Vector)
#define MASK SIMD(Mask)
#define SEE(p) (*(const V *)(p))

/* Tells whether any place of a block reaches the bar. */
SIMD_TARGET static bool SIMD(any_reaches)(const ScanBlock *block, uint32_t count, const ScanBar *bar)
{
    MASK any = {0};
    uint32_t i = 0, found = 0;

    for (; i + LANES <= count; i += LANES) {
        V l = SEE(block->weight + i), s = SEE(block->sum + i) - l * bar->share;

        any |= ~(MASK)(s * s * bar->scale < bar->least * (l * (bar->all - l)));
    }
    for (uint32_t lane = 0; lane < LANES; lane++)
        found |= any[lane] != 0;
    for (; i < count; i++)
        found |= scan_reaches(bar, block->weight[i], block->sum[i]);
    return found;
}

#undef V
#undef MASK
#undef SEE
