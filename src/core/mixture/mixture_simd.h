/*
 * mixture_simd.h - the inner loops of mixture_pass.c, included once per instruction set.
 *
 * cpu_dispatch.h defines SIMD(name), SIMD_TARGET (an attribute) and LANES (doubles per vector). Columns are MIXTURE_TILE numbers
 * apart, on 64-byte boundaries; length is a multiple of 32.
 */

typedef double SIMD(Vector) __attribute__((vector_size(8 * LANES)));
#define V SIMD(Vector)
#define AT(p) (*(V *)(p))        /* the vector at p, to write */
#define SEE(p) (*(const V *)(p)) /* the vector at p, to read */
#define GROUP (4 * LANES) /* rows whose sums stay in registers */
#define FOUR(g) _Pragma("GCC unroll 4") for (uint32_t g = 0; g < 4; g++)

/* Returns the sum of the lanes. */
SIMD_TARGET static inline double SIMD(across)(V x)
{
    double sum = 0;

    for (int i = 0; i < LANES; i++)
        sum += x[i];
    return sum;
}

/* Returns the sum of the numbers. */
SIMD_TARGET static double SIMD(total)(const double *numbers, uint32_t length)
{
    V sum = {0}, other = {0};

    for (uint32_t i = 0; i < length; i += 2 * LANES) {
        sum += SEE(numbers + i);
        other += SEE(numbers + i + LANES);
    }
    return SIMD(across)(sum + other);
}

/* Sets centered to x less the mean of a component. */
SIMD_TARGET static void SIMD(center)(const double *x, const double *mean, uint32_t dims,
                                         uint32_t length, double *centered)
{
    for (uint32_t a = 0; a < dims; a++, x += MIXTURE_TILE, centered += MIXTURE_TILE)
        for (uint32_t i = 0; i < length; i += LANES)
            AT(centered + i) = SEE(x + i) - mean[a];
}

/* Sets 4 vectors at out to constant - q / 2. */
SIMD_TARGET static inline void SIMD(log_densities)(const V *q, double constant, double *out)
{
    FOUR(g) AT(out + g * LANES) = constant - 0.5 * q[g];
}

/* Sets out to constant - |W centered|^2 / 2 for a lower triangle W by rows, two rows of W at a time. */
SIMD_TARGET static void SIMD(quadratic)(const double *centered, const double *w, double constant,
                                            uint32_t dims, uint32_t length, double *out)
{
    for (uint32_t i = 0; i < length; i += GROUP) {
        V q[4] = {{0}};
        const double *row = w, *c;
        uint32_t a = 0;
        for (; a + 2 <= dims; a += 2) {
            const double *next = row + a + 1;
            V s[4] = {{0}}, t[4] = {{0}};
            c = centered + i;
            for (uint32_t b = 0; b <= a; b++, c += MIXTURE_TILE) {
                double u = row[b], v = next[b];
                FOUR(g) {
                    V x = SEE(c + g * LANES);
                    s[g] += u * x;
                    t[g] += v * x;
                }
            }
            FOUR(g) {
                t[g] += next[a + 1] * SEE(c + g * LANES);
                q[g] += s[g] * s[g] + t[g] * t[g];
            }
            row = next + a + 2;
        }
        if (a < dims) {
            V s[4] = {{0}};
            c = centered + i;
            for (uint32_t b = 0; b <= a; b++, c += MIXTURE_TILE)
                FOUR(g) s[g] += row[b] * SEE(c + g * LANES);
            FOUR(g) q[g] += s[g] * s[g];
        }
        SIMD(log_densities)(q, constant, out + i);
    }
}

/* Does the same for a diagonal W. step: 1, or 0 if w is one number for all. */
SIMD_TARGET static void SIMD(diagonal)(const double *centered, const double *w, uint32_t step,
                                           double constant, uint32_t dims, uint32_t length, double *out)
{
    for (uint32_t i = 0; i < length; i += GROUP) {
        V q[4] = {{0}};
        const double *c = centered + i;
        for (uint32_t a = 0; a < dims; a++, c += MIXTURE_TILE) {
            double u = w[a * step];
            FOUR(g) {
                V s = u * SEE(c + g * LANES);
                q[g] += s * s;
            }
        }
        SIMD(log_densities)(q, constant, out + i);
    }
}

/*
 * Turns the log densities of k components into their shares in each row times the weight of the row, and sets likelihoods to the
 * logarithm of the sum of the densities. Shares below TINY_SHARE become 0, so that components without a share in a tile are
 * skipped.
 */
SIMD_TARGET static void SIMD(share)(double *restrict shares, uint32_t k, uint32_t length,
                                        const double *restrict weights, double *restrict likelihoods)
{
    double most[MIXTURE_TILE], sums[MIXTURE_TILE];

    for (uint32_t i = 0; i < length; i++)
        most[i] = shares[i];
    for (uint32_t j = 1; j < k; j++) {
        const double *row = shares + (size_t)j * MIXTURE_TILE;
        for (uint32_t i = 0; i < length; i++)
            most[i] = row[i] > most[i] ? row[i] : most[i];
    }
    for (uint32_t i = 0; i < length; i++)
        sums[i] = 0;
    for (uint32_t j = 0; j < k; j++) {
        double *row = shares + (size_t)j * MIXTURE_TILE;
        for (uint32_t i = 0; i < length; i++) { /* no branch, so that it vectorizes */
            double value = exponential_core(row[i] - most[i]) - TINY_SHARE;
            value = value > 0 ? value : 0;
            row[i] = value;
            sums[i] += value;
        }
    }
    for (uint32_t i = 0; i < length; i++)
        likelihoods[i] = most[i] + log(sums[i]);
    for (uint32_t i = 0; i < length; i++)
        sums[i] = weights[i] / sums[i];
    for (uint32_t j = 0; j < k; j++) {
        double *row = shares + (size_t)j * MIXTURE_TILE;
        for (uint32_t i = 0; i < length; i++)
            row[i] *= sums[i];
    }
}

/*
 * Adds the products of two scaled columns and each of `count` (1 or 4) columns c to first and second, of which as many as
 * `first_count` and `second_count` are in their columns of the triangle.
 */
SIMD_TARGET static inline __attribute__((always_inline)) void
SIMD(products)(const double *scaled, const double *c, uint32_t length, uint32_t count, double *first,
               uint32_t first_count, double *second, uint32_t second_count)
{
    V s[4] = {{0}}, t[4] = {{0}};

    for (uint32_t i = 0; i < length; i += LANES) {
        V u = SEE(scaled + i), v = SEE(scaled + MIXTURE_TILE + i);
        FOUR(g) {
            if (g < count) {
                V x = SEE(c + g * MIXTURE_TILE + i);
                s[g] += u * x;
                t[g] += v * x;
            }
        }
    }
    FOUR(g) {
        if (g < first_count)
            first[g] += SIMD(across)(s[g]);
        if (g < second_count)
            second[g] += SIMD(across)(t[g]);
    }
}

/* Adds shares' centered to moments and centered' diag(shares) centered to products (upper triangle by columns). */
SIMD_TARGET static void SIMD(accumulate)(const double *centered, const double *shares, uint32_t dims,
                                             uint32_t length, double *moments, double *products)
{
    double scaled[2 * MIXTURE_TILE] __attribute__((aligned(64)));

    for (uint32_t a = 0; a < dims; a += 2) {
        const double *x = centered + (size_t)a * MIXTURE_TILE;
        const double *y = a + 1 < dims ? x + MIXTURE_TILE : x, *c = centered;
        double *first = products + (size_t)a * (a + 1) / 2, *second = first + a + 1;
        V total = {0}, other = {0};
        uint32_t b = 0, last = a + 1 < dims ? a + 1 : a;
        for (uint32_t i = 0; i < length; i += LANES) {
            V s = SEE(shares + i), u = s * SEE(x + i), v = s * SEE(y + i);
            AT(scaled + i) = u;
            AT(scaled + MIXTURE_TILE + i) = v;
            total += u;
            other += v;
        }
        moments[a] += SIMD(across)(total);
        if (last > a)
            moments[last] += SIMD(across)(other);
        for (; b + 4 <= last + 1; b += 4, c += 4 * MIXTURE_TILE) /* column a of the triangle ends at row a */
            SIMD(products)(scaled, c, length, 4, first + b, a + 1 - b, second + b, last > a ? 4 : 0);
        for (; b <= last; b++, c += MIXTURE_TILE)
            SIMD(products)(scaled, c, length, 1, first + b, b <= a, second + b, last > a);
    }
}

/* Does the same with the squares alone. */
SIMD_TARGET static void SIMD(accumulate_squares)(const double *centered, const double *shares,
                                                     uint32_t dims, uint32_t length, double *moments,
                                                     double *products)
{
    for (uint32_t a = 0; a < dims; a++, centered += MIXTURE_TILE) {
        V total = {0}, square = {0};
        for (uint32_t i = 0; i < length; i += LANES) {
            V u = SEE(shares + i) * SEE(centered + i);
            total += u;
            square += u * SEE(centered + i);
        }
        moments[a] += SIMD(across)(total);
        products[a] += SIMD(across)(square);
    }
}

#undef V
#undef AT
#undef SEE
#undef GROUP
#undef FOUR
