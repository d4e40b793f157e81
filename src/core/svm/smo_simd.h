/*
 * smo_simd.h - the passes of smo_rows.c over all rows it works on, compiled once per instruction set (cpu_dispatch.h).
 *
 * rise[i]: what the multiplier of row i gains when it grows, -infinity where it cannot; fall[i]: when it shrinks, infinity where it
 * cannot. Arrays are padded to blocks of SMO_PAD rows with values that are never chosen.
 */
typedef double SIMD(Vector) __attribute__((vector_size(8 * LANES), aligned(8), may_alias));
typedef long long SIMD(Bits) __attribute__((vector_size(8 * LANES), aligned(8), may_alias));
typedef float SIMD(Floats) __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
#define V SIMD(Vector)
#define B SIMD(Bits)
#define SEE(p) (*(V *)(p))
#define WIDEN(p) __builtin_convertvector(*(const SIMD(Floats) *)(p), V)
#define CHOOSE(mask, a, b) ((V)(((B)(a) & (mask)) | ((B)(b) & ~(mask))))

/* Returns the largest lane. */
SIMD_TARGET static inline double SIMD(top)(const V *x)
{
    double largest = (*x)[0];

    for (int lane = 1; lane < LANES; lane++)
        largest = (*x)[lane] > largest ? (*x)[lane] : largest;
    return largest;
}

/* Moves all values by -step (a - b), and finds the largest rise and the least fall. */
SIMD_TARGET static void SIMD(move)(double step, const float *a, const float *b, uint32_t count, double *rise, double *fall,
                                   SmoExtremes *found)
{
    V zero = {0}, least = zero + INFINITY, negative;
    double largest = -INFINITY;
    uint32_t best = 0;

    for (uint32_t i = 0; i < count; i += SMO_PAD) {
        V top = zero - INFINITY;
        double highest;

        for (uint32_t k = i; k < i + SMO_PAD; k += LANES) {
            V change = step * (WIDEN(a + k) - WIDEN(b + k));
            V up = SEE(rise + k) - change, down = SEE(fall + k) - change;

            SEE(rise + k) = up;
            SEE(fall + k) = down;
            top = CHOOSE(up > top, up, top);
            least = CHOOSE(down < least, down, least);
        }
        highest = SIMD(top)(&top);
        if (highest > largest) {
            largest = highest;
            best = i;
        }
    }
    negative = -least;
    found->largest = largest;
    found->least = -SIMD(top)(&negative);
    found->first = best;
}

/* Takes change x values from t - f. Arrays have room for whole vectors. */
SIMD_TARGET static void SIMD(take)(double change, const float *values, uint32_t count, double *rest)
{
    for (uint32_t i = 0; i < count; i += LANES)
        SEE(rest + i) -= change * WIDEN(values + i);
}

/*
 * Finds the block with the row that promises most if its multiplier shrinks while that of row i grows:
 * (rise_i - fall_j)^2 / (k_ii + k_jj - 2 k_ij). Returns its first row, or UINT32_MAX where none promises anything.
 */
SIMD_TARGET static uint32_t SIMD(partner)(double rise, double self, const float *row, const double *diagonal,
                                          const double *fall, uint32_t count)
{
    V zero = {0}, tau = zero + SMO_TAU;
    double largest = 0;
    uint32_t best = UINT32_MAX;

    for (uint32_t i = 0; i < count; i += SMO_PAD) {
        V most = zero;
        double highest;

        for (uint32_t k = i; k < i + SMO_PAD; k += LANES) {
            V difference = rise - SEE(fall + k);
            V curvature = self + SEE(diagonal + k) - 2 * WIDEN(row + k), gain;

            curvature = CHOOSE(curvature > tau, curvature, tau);
            gain = difference * difference / curvature;
            gain = CHOOSE(difference > zero, gain, zero);
            most = CHOOSE(gain > most, gain, most);
        }
        highest = SIMD(top)(&most);
        if (highest > largest) {
            largest = highest;
            best = i;
        }
    }
    return best;
}

#undef V
#undef B
#undef SEE
#undef WIDEN
#undef CHOOSE
