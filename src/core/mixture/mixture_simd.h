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

/* Sets out to constant - |W centered|^2 / 2 for a lower triangle W by rows, two rows of W at a time. */
SIMD_TARGET static void SIMD(quadratic)(const double *centered, const double *w, double constant,
                                            uint32_t dims, uint32_t length, double *out)
{
    for (uint32_t i = 0; i < length; i += GROUP) {
        V q0 = {0}, q1 = {0}, q2 = {0}, q3 = {0};
        const double *row = w, *c;
        uint32_t a = 0;
        for (; a + 2 <= dims; a += 2) {
            const double *next = row + a + 1;
            V s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0}, t0 = {0}, t1 = {0}, t2 = {0}, t3 = {0};
            c = centered + i;
            for (uint32_t b = 0; b <= a; b++, c += MIXTURE_TILE) {
                V x0 = SEE(c), x1 = SEE(c + LANES), x2 = SEE(c + 2 * LANES), x3 = SEE(c + 3 * LANES);
                double u = row[b], v = next[b];
                s0 += u * x0;
                s1 += u * x1;
                s2 += u * x2;
                s3 += u * x3;
                t0 += v * x0;
                t1 += v * x1;
                t2 += v * x2;
                t3 += v * x3;
            }
            t0 += next[a + 1] * SEE(c);
            t1 += next[a + 1] * SEE(c + LANES);
            t2 += next[a + 1] * SEE(c + 2 * LANES);
            t3 += next[a + 1] * SEE(c + 3 * LANES);
            q0 += s0 * s0 + t0 * t0;
            q1 += s1 * s1 + t1 * t1;
            q2 += s2 * s2 + t2 * t2;
            q3 += s3 * s3 + t3 * t3;
            row = next + a + 2;
        }
        if (a < dims) {
            V s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
            c = centered + i;
            for (uint32_t b = 0; b <= a; b++, c += MIXTURE_TILE) {
                s0 += row[b] * SEE(c);
                s1 += row[b] * SEE(c + LANES);
                s2 += row[b] * SEE(c + 2 * LANES);
                s3 += row[b] * SEE(c + 3 * LANES);
            }
            q0 += s0 * s0;
            q1 += s1 * s1;
            q2 += s2 * s2;
            q3 += s3 * s3;
        }
        AT(out + i) = constant - 0.5 * q0;
        AT(out + i + LANES) = constant - 0.5 * q1;
        AT(out + i + 2 * LANES) = constant - 0.5 * q2;
        AT(out + i + 3 * LANES) = constant - 0.5 * q3;
    }
}

/* Does the same for a diagonal W. step: 1, or 0 if w is one number for all. */
SIMD_TARGET static void SIMD(diagonal)(const double *centered, const double *w, uint32_t step,
                                           double constant, uint32_t dims, uint32_t length, double *out)
{
    for (uint32_t i = 0; i < length; i += GROUP) {
        V q0 = {0}, q1 = {0}, q2 = {0}, q3 = {0};
        const double *c = centered + i;
        for (uint32_t a = 0; a < dims; a++, c += MIXTURE_TILE) {
            double u = w[a * step];
            V s0 = u * SEE(c), s1 = u * SEE(c + LANES), s2 = u * SEE(c + 2 * LANES), s3 = u * SEE(c + 3 * LANES);
            q0 += s0 * s0;
            q1 += s1 * s1;
            q2 += s2 * s2;
            q3 += s3 * s3;
        }
        AT(out + i) = constant - 0.5 * q0;
        AT(out + i + LANES) = constant - 0.5 * q1;
        AT(out + i + 2 * LANES) = constant - 0.5 * q2;
        AT(out + i + 3 * LANES) = constant - 0.5 * q3;
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
        for (; b + 4 <= last + 1; b += 4, c += 4 * MIXTURE_TILE) {
            V s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0}, t0 = {0}, t1 = {0}, t2 = {0}, t3 = {0};
            for (uint32_t i = 0; i < length; i += LANES) {
                V u = SEE(scaled + i), v = SEE(scaled + MIXTURE_TILE + i);
                V x0 = SEE(c + i), x1 = SEE(c + MIXTURE_TILE + i);
                V x2 = SEE(c + 2 * MIXTURE_TILE + i), x3 = SEE(c + 3 * MIXTURE_TILE + i);
                s0 += u * x0;
                s1 += u * x1;
                s2 += u * x2;
                s3 += u * x3;
                t0 += v * x0;
                t1 += v * x1;
                t2 += v * x2;
                t3 += v * x3;
            }
            first[b] += SIMD(across)(s0); /* column a of the triangle ends at row a, and b + 3 <= a + 1 */
            if (b + 1 <= a)
                first[b + 1] += SIMD(across)(s1);
            if (b + 2 <= a)
                first[b + 2] += SIMD(across)(s2);
            if (b + 3 <= a)
                first[b + 3] += SIMD(across)(s3);
            if (last > a) {
                second[b] += SIMD(across)(t0);
                second[b + 1] += SIMD(across)(t1);
                second[b + 2] += SIMD(across)(t2);
                second[b + 3] += SIMD(across)(t3);
            }
        }
        for (; b <= last; b++, c += MIXTURE_TILE) {
            V s = {0}, t = {0};
            for (uint32_t i = 0; i < length; i += LANES) {
                V z = SEE(c + i);
                s += SEE(scaled + i) * z;
                t += SEE(scaled + MIXTURE_TILE + i) * z;
            }
            if (b <= a)
                first[b] += SIMD(across)(s);
            if (last > a)
                second[b] += SIMD(across)(t);
        }
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
