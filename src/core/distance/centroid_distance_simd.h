/*
 * centroid_distance_simd.h - squared distances of a row to eight centroids at a time, compiled once per instruction set
 * (cpu_dispatch.h).
 *
 * Each distance is the sum over the dimensions in order, by fused multiply-adds: the same bits in every instruction set (by
 * fma() where the processor has none, slowly), so that clusters do not depend on the machine. Blocks have eight lanes in all
 * of them.
 */

#ifdef SIMD_FUSES
#define CENTROID_TARGET SIMD_TARGET FUSED
#define ADD_SQUARE(sum, x) ((sum) += (x) * (x))
#define ADD_SCALAR_SQUARE(sum, x) ((sum) = __builtin_fma(x, x, sum)) /* a vectorized sum in order would not be fused */
#define ADD_PRODUCT(sum, x, y) ((sum) += (x) * (y))
#define LESS_PRODUCT(sum, x, y) ((sum) -= (x) * (y))
#else
#define CENTROID_TARGET SIMD_TARGET
#define ADD_SQUARE(sum, x)                                                                         \
    do {                                                                                           \
        for (uint32_t lane_ = 0; lane_ < CENTROID_LANES; lane_++)                                  \
            (sum)[lane_] = fma((x)[lane_], (x)[lane_], (sum)[lane_]);                              \
    } while (0)
#define ADD_SCALAR_SQUARE(sum, x) ((sum) = fma(x, x, sum))
#define ADD_PRODUCT(sum, x, y) ((sum) = fma(x, y, sum))
#define LESS_PRODUCT(sum, x, y) ((sum) -= (x) * (y)) /* for bounds: rounded twice is near enough */
#endif

typedef double SIMD(Lanes) __attribute__((vector_size(64), aligned(8)));
typedef long long SIMD(Mask) __attribute__((vector_size(64), aligned(8)));

#define V SIMD(Lanes)
#define MASK SIMD(Mask)
#define SEE(p) (*(const V *)(p))

/* Takes lanes of a if the mask is set, else of b. Vectors are passed by address, because the ABI for values depends on the target. */
#define CHOOSE(mask, a, b) ((V)(((MASK)(a) & (mask)) | ((MASK)(b) & ~(mask))))
#define CHOOSE_NUMBER(mask, a, b) (((a) & (mask)) | ((b) & ~(mask)))
#define SWAP_4(a) SHUFFLE(MASK, a, a, 4, 5, 6, 7, 0, 1, 2, 3)
#define SWAP_2(a) SHUFFLE(MASK, a, a, 2, 3, 0, 1, 6, 7, 4, 5)
#define SWAP_1(a) SHUFFLE(MASK, a, a, 1, 0, 3, 2, 5, 4, 7, 6)

/* Sets every lane to the least one. */
CENTROID_TARGET static inline void SIMD(least)(V *x)
{
    V a = *x, b = SWAP_4(a);

    a = CHOOSE(b < a, b, a);
    b = SWAP_2(a);
    a = CHOOSE(b < a, b, a);
    b = SWAP_1(a);
    *x = CHOOSE(b < a, b, a);
}

/* The same for integers. */
CENTROID_TARGET static inline void SIMD(least_number)(MASK *x)
{
    MASK a = *x, b = SWAP_4(a);

    a = CHOOSE_NUMBER(b < a, b, a);
    b = SWAP_2(a);
    a = CHOOSE_NUMBER(b < a, b, a);
    b = SWAP_1(a);
    *x = CHOOSE_NUMBER(b < a, b, a);
}

/* Computes the squared distances to the eight centroids of a block [dims x 8]. */
CENTROID_TARGET static inline void SIMD(block_squares)(const double *block, const double *row, uint32_t dims,
                                                       V *out)
{
    V sum = {0};

    for (uint32_t j = 0; j < dims; j++) {
        V difference = SEE(block + (size_t)j * CENTROID_LANES) - row[j];
        ADD_SQUARE(sum, difference);
    }
    *out = sum;
}

/* Computes four blocks at once, whose sums do not wait for each other. */
CENTROID_TARGET static inline void SIMD(four_squares)(const double *block, size_t stride, const double *row,
                                                      uint32_t dims, V *sums)
{
    V a = {0}, b = {0}, c = {0}, d = {0};

    for (uint32_t j = 0; j < dims; j++) {
        const double *at = block + (size_t)j * CENTROID_LANES;
        V x = (V){0} + row[j], da = SEE(at) - x, db = SEE(at + stride) - x;
        V dc = SEE(at + 2 * stride) - x, dd = SEE(at + 3 * stride) - x;

        ADD_SQUARE(a, da);
        ADD_SQUARE(b, db);
        ADD_SQUARE(c, dc);
        ADD_SQUARE(d, dd);
    }
    sums[0] = a;
    sums[1] = b;
    sums[2] = c;
    sums[3] = d;
}

CENTROID_TARGET static void SIMD(block_distances)(const double *block, const double *row, uint32_t dims, double *out)
{
    SIMD(block_squares)(block, row, dims, (V *)out);
}

CENTROID_TARGET static void SIMD(all_distances)(const CentroidLanes *lanes, const double *row, double *out)
{
    uint32_t b = 0;

    for (; b + 4 <= lanes->blocks; b += 4)
        SIMD(four_squares)(lanes->data + b * lanes->stride, lanes->stride, row, lanes->dims,
                           (V *)(out + (size_t)b * CENTROID_LANES));
    for (; b < lanes->blocks; b++)
        SIMD(block_distances)(lanes->data + b * lanes->stride, row, lanes->dims, out + (size_t)b * CENTROID_LANES);
}

/* Returns the nearest centroid, the first of equals; lanes are in the centroids' own order. */
CENTROID_TARGET static inline uint32_t SIMD(nearest)(const CentroidLanes *lanes, const double *row, double *square)
{
    V best = (V){0} + INFINITY, squares[4], least;
    MASK where = {0}, numbers;
    uint32_t b = 0;

    for (; b + 4 <= lanes->blocks; b += 4) {
        SIMD(four_squares)(lanes->data + b * lanes->stride, lanes->stride, row, lanes->dims, squares);
        for (uint32_t i = 0; i < 4; i++) {
            MASK less = squares[i] < best, number = (MASK){0} + (b + i);

            best = CHOOSE(less, squares[i], best);
            where = CHOOSE_NUMBER(less, number, where);
        }
    }
    for (; b < lanes->blocks; b++) {
        V here;
        MASK less, number = (MASK){0} + b;

        SIMD(block_squares)(lanes->data + b * lanes->stride, row, lanes->dims, &here);
        less = here < best;
        best = CHOOSE(less, here, best);
        where = CHOOSE_NUMBER(less, number, where);
    }
    least = best;
    SIMD(least)(&least);
    numbers = where * CENTROID_LANES + (MASK){0, 1, 2, 3, 4, 5, 6, 7};
    numbers |= ((MASK)(best == least) ^ -1) & INT64_MAX;
    *square = least[0];
    SIMD(least_number)(&numbers);
    return (uint32_t)numbers[0];
}

/* Computes the squares of eight rows, one per lane, to four consecutive centroids of a block. */
CENTROID_TARGET static inline void SIMD(four_centroids)(const double *tile, const double *centroids, uint32_t dims,
                                                        V *sums)
{
    V a = {0}, b = {0}, c = {0}, d = {0};

    for (uint32_t j = 0; j < dims; j++) {
        const double *at = centroids + (size_t)j * CENTROID_LANES;
        V x = SEE(tile + (size_t)j * CENTROID_LANES), da = x - at[0], db = x - at[1], dc = x - at[2], dd = x - at[3];

        ADD_SQUARE(a, da);
        ADD_SQUARE(b, db);
        ADD_SQUARE(c, dc);
        ADD_SQUARE(d, dd);
    }
    sums[0] = a;
    sums[1] = b;
    sums[2] = c;
    sums[3] = d;
}

/*
 * Finds the nearest centroids of eight rows, one per lane, so that no lane is idle whatever the number of centroids, and centroids are
 * read once for all: k-means of 100,000 x 8 with k = 10 takes 0.044, not 0.059 s, of 20,000 x 64 with k = 100 0.25, not 0.34 s.
 * tile: [dims x 8].
 */
CENTROID_TARGET static void SIMD(nearest_eight)(const CentroidLanes *lanes, const double *tile, uint32_t *nearest,
                                                double *squares)
{
    V best = (V){0} + INFINITY, sums[4];
    MASK where = {0};

    for (uint32_t c = 0; c < lanes->count; c += 4) {
        uint32_t here = lanes->count - c < 4 ? lanes->count - c : 4;

        SIMD(four_centroids)(tile, lanes->data + c / CENTROID_LANES * lanes->stride + c % CENTROID_LANES, lanes->dims,
                             sums);
        for (uint32_t i = 0; i < here; i++) {
            MASK less = sums[i] < best, number = (MASK){0} + (c + i);

            best = CHOOSE(less, sums[i], best);
            where = CHOOSE_NUMBER(less, number, where);
        }
    }
    for (uint32_t r = 0; r < CENTROID_LANES; r++)
        nearest[r] = (uint32_t)where[r];
    *(V *)squares = best;
}

/* Subtracts the products of eight rows, one per lane, with the eight centroids of a block from sums. */
CENTROID_TARGET static inline void SIMD(eight_products)(const double *tile, const double *block, uint32_t dims, V *sums)
{
    V a = sums[0], b = sums[1], c = sums[2], d = sums[3], e = sums[4], f = sums[5], g = sums[6], h = sums[7];

    for (uint32_t j = 0; j < dims; j++) {
        const double *at = block + (size_t)j * CENTROID_LANES;
        V x = SEE(tile + (size_t)j * CENTROID_LANES);

        LESS_PRODUCT(a, x, at[0]);
        LESS_PRODUCT(b, x, at[1]);
        LESS_PRODUCT(c, x, at[2]);
        LESS_PRODUCT(d, x, at[3]);
        LESS_PRODUCT(e, x, at[4]);
        LESS_PRODUCT(f, x, at[5]);
        LESS_PRODUCT(g, x, at[6]);
        LESS_PRODUCT(h, x, at[7]);
    }
    sums[0] = a, sums[1] = b, sums[2] = c, sums[3] = d, sums[4] = e, sums[5] = f, sums[6] = g, sums[7] = h;
}

/*
 * Finds the nearest centroids of eight rows by products: |c|^2 / 2 - x.c takes half the work of a square. Rounding changes the difference
 * of two of these, or of the halves of two squares, by less than 8 (dims + 4) 2^-53 (|x|^2 + the longest |c|^2) in all. Where the least
 * leads by no more, squares decide, so the results have the same bits: k-means of 100,000 x 64 with k = 100 takes 1.3, not 1.5 s.
 */
CENTROID_TARGET static void SIMD(nearest_by_products)(const CentroidLanes *lanes, const double *centroids, const double *rows,
                                                      const double *tile, uint32_t *nearest, double *squares)
{
    V best = (V){0} + INFINITY, second = best, length = {0}, square = {0}, lead, sums[CENTROID_LANES];
    MASK where = {0}, clear;
    const double *own[CENTROID_LANES];

    for (uint32_t c = 0; c < lanes->count; c += CENTROID_LANES) {
        uint32_t here = lanes->count - c < CENTROID_LANES ? lanes->count - c : CENTROID_LANES;

        for (uint32_t i = 0; i < CENTROID_LANES; i++)
            sums[i] = (V){0} + lanes->halves[c + i];
        SIMD(eight_products)(tile, lanes->data + c / CENTROID_LANES * lanes->stride, lanes->dims, sums);
        for (uint32_t i = 0; i < here; i++) {
            MASK less = sums[i] < best, number = (MASK){0} + (c + i);
            V other = CHOOSE(less, best, sums[i]);

            second = CHOOSE(second < other, second, other);
            best = CHOOSE(less, sums[i], best);
            where = CHOOSE_NUMBER(less, number, where);
        }
    }
    for (uint32_t r = 0; r < CENTROID_LANES; r++)
        own[r] = centroids + (size_t)where[r] * lanes->dims;
    for (uint32_t j = 0; j < lanes->dims; j++) {
        V x = SEE(tile + (size_t)j * CENTROID_LANES),
          difference = x - (V){own[0][j], own[1][j], own[2][j], own[3][j], own[4][j], own[5][j], own[6][j], own[7][j]};

        ADD_SQUARE(square, difference);
        length += x * x;
    }
    *(V *)squares = square;
    lead = second - best;
    clear = lead > (length + lanes->longest) * (8 * (lanes->dims + 4.0) * 0x1p-53) + 0x1p-900;
    for (uint32_t r = 0; r < CENTROID_LANES; r++)
        nearest[r] = clear[r] ? (uint32_t)where[r] : SIMD(nearest)(lanes, rows + (size_t)r * lanes->dims, &squares[r]);
}

CENTROID_TARGET static void SIMD(nearest_rows)(const CentroidLanes *lanes, const double *centroids, const double *rows,
                                               uint32_t count, uint32_t *nearest, double *squares)
{
    double tile[TILE_DIMS * CENTROID_LANES];
    uint32_t i = 0;

    for (; lanes->dims <= TILE_DIMS && i + CENTROID_LANES <= count; i += CENTROID_LANES) {
        const double *eight = rows + (size_t)i * lanes->dims;

        for (uint32_t r = 0; r < CENTROID_LANES; r++)
            for (uint32_t j = 0; j < lanes->dims; j++)
                tile[j * CENTROID_LANES + r] = eight[(size_t)r * lanes->dims + j];
        if (lanes->count >= PRODUCTS_COUNT && lanes->dims >= PRODUCTS_DIMS)
            SIMD(nearest_by_products)(lanes, centroids, eight, tile, nearest + i, squares + i);
        else
            SIMD(nearest_eight)(lanes, tile, nearest + i, squares + i);
    }
    for (; i < count; i++)
        nearest[i] = SIMD(nearest)(lanes, rows + (size_t)i * lanes->dims, &squares[i]);
}

/* Returns the squared distance between two points. */
CENTROID_TARGET static double SIMD(pair_square)(const double *a, const double *b, uint32_t dims)
{
    double sum = 0;

    for (uint32_t j = 0; j < dims; j++) {
        double difference = a[j] - b[j];

        ADD_SCALAR_SQUARE(sum, difference);
    }
    return sum;
}

/* Adds weight times (row - its centroid) to its centroid's sums, row by row. */
CENTROID_TARGET static void SIMD(add_rows)(const double *rows, uint32_t count, uint32_t dims, const uint32_t *nearest,
                                           const double *weights, const double *centroids, double *restrict sums,
                                           double *restrict totals)
{
    for (uint32_t i = 0; i < count; i++) {
        const double *row = rows + (size_t)i * dims, *centroid = centroids + (size_t)nearest[i] * dims;
        double *restrict sum = sums + (size_t)nearest[i] * dims, weight = weights != NULL ? weights[i] : 1;

        for (uint32_t j = 0; j < dims; j++)
            ADD_PRODUCT(sum[j], weight, row[j] - centroid[j]);
        totals[nearest[i]] += weight;
    }
}

#undef V
#undef MASK
#undef SEE
#undef CHOOSE
#undef CHOOSE_NUMBER
#undef SWAP_4
#undef SWAP_2
#undef SWAP_1
#undef ADD_SQUARE
#undef ADD_SCALAR_SQUARE
#undef ADD_PRODUCT
#undef LESS_PRODUCT
#undef CENTROID_TARGET
