/*
 * centroid_distance_simd.h - squared distances of a row to eight centroids at a time, compiled once per instruction set
 * (cpu_dispatch.h).
 *
 * Each distance is the sum over the dimensions in order, by fused multiply-adds: the same bits in every instruction set (by
 * fma() where the processor has none, slowly), so that clusters do not depend on the machine. Blocks have eight lanes in all
 * of them.
 */

#if defined(SIMD_FUSES) || defined(__aarch64__)
#define CENTROID_TARGET SIMD_TARGET FUSED
#define ADD_SQUARE(sum, x) ((sum) += (x) * (x))
#define ADD_SCALAR_SQUARE(sum, x) ((sum) = __builtin_fma(x, x, sum)) /* a vectorized sum in order would not be fused */
#define ADD_PRODUCT(sum, x, y) ((sum) += (x) * (y))
#define ADD_PRODUCTS(sum, x, y) ((sum) += (x) * (y))
#define LESS_PRODUCT(sum, x, y) ((sum) -= (x) * (y))
#else
#define CENTROID_TARGET SIMD_TARGET
#define ADD_SQUARE(sum, x)                                                                         \
    do {                                                                                           \
        for (uint32_t lane_ = 0; lane_ < LANES; lane_++)                                           \
            (sum)[lane_] = fma((x)[lane_], (x)[lane_], (sum)[lane_]);                              \
    } while (0)
#define ADD_SCALAR_SQUARE(sum, x) ((sum) = fma(x, x, sum))
#define ADD_PRODUCT(sum, x, y) ((sum) = fma(x, y, sum))
#define ADD_PRODUCTS(sum, x, y)                                                                    \
    do {                                                                                           \
        for (uint32_t lane_ = 0; lane_ < LANES; lane_++)                                           \
            (sum)[lane_] = fma((x)[lane_], (y)[lane_], (sum)[lane_]);                              \
    } while (0)
#define LESS_PRODUCT(sum, x, y) ((sum) -= (x) * (y)) /* for bounds: rounded twice is near enough */
#endif

typedef double SIMD(Lanes) __attribute__((vector_size(8 * LANES), aligned(8)));
typedef long long SIMD(Mask) __attribute__((vector_size(8 * LANES), aligned(8)));

#define V SIMD(Lanes)
#define MASK SIMD(Mask)
#define SEE(p) (*(const V *)(p))
/*
 * Eight lanes are so many vectors. One that is wider than the registers is kept in memory and compared lane by lane: with AVX2, the nearest of 100
 * centroids of 20,000 rows of 64 features took 89, not 8.6 ms, of 10 centroids of 100,000 rows of 8 features 10.1, not 1.3 ms.
 */
#define PARTS (CENTROID_LANES / LANES)
#define EACH(i, count) _Pragma("GCC unroll 8") for (uint32_t i = 0; i < (count); i++)

/* Takes lanes of a if the mask is set, else of b. Vectors are passed by address, because the ABI for values depends on the target. */
#define CHOOSE(mask, a, b) ((V)(((MASK)(a) & (mask)) | ((MASK)(b) & ~(mask))))
#define CHOOSE_NUMBER(mask, a, b) (((a) & (mask)) | ((b) & ~(mask)))
#if LANES == 8
#define SWAPS 3
#define SWAP(step, a)                                                                              \
    ((step) == 0   ? SHUFFLE(MASK, a, a, 4, 5, 6, 7, 0, 1, 2, 3)                                   \
     : (step) == 1 ? SHUFFLE(MASK, a, a, 2, 3, 0, 1, 6, 7, 4, 5)                                   \
                   : SHUFFLE(MASK, a, a, 1, 0, 3, 2, 5, 4, 7, 6))
#define NUMBERS ((MASK){0, 1, 2, 3, 4, 5, 6, 7})
#elif LANES == 4
#define SWAPS 2
#define SWAP(step, a) ((step) == 0 ? SHUFFLE(MASK, a, a, 2, 3, 0, 1) : SHUFFLE(MASK, a, a, 1, 0, 3, 2))
#define NUMBERS ((MASK){0, 1, 2, 3})
#else
#define SWAPS 1
#define SWAP(step, a) SHUFFLE(MASK, a, a, 1, 0)
#define NUMBERS ((MASK){0, 1})
#endif

/* Computes the squared distances to the eight centroids of a block [dims x 8]. */
CENTROID_TARGET static inline void SIMD(block_squares)(const double *block, const double *row, uint32_t dims, V *out)
{
    V sums[PARTS] = {{0}};

    for (uint32_t j = 0; j < dims; j++)
        EACH(p, PARTS) {
            V difference = SEE(block + (size_t)j * CENTROID_LANES + p * LANES) - row[j];

            ADD_SQUARE(sums[p], difference);
        }
    EACH(p, PARTS) out[p] = sums[p];
}

/* Computes four blocks at once, whose sums do not wait for each other. */
CENTROID_TARGET static inline void SIMD(four_squares)(const double *block, size_t stride, const double *row, uint32_t dims, V *out)
{
    V sums[4 * PARTS] = {{0}};

    for (uint32_t j = 0; j < dims; j++) {
        V x = (V){0} + row[j];

        EACH(b, 4)
            EACH(p, PARTS) {
                V difference = SEE(block + b * stride + (size_t)j * CENTROID_LANES + p * LANES) - x;

                ADD_SQUARE(sums[b * PARTS + p], difference);
            }
    }
    EACH(b, 4)
        EACH(p, PARTS) out[b * PARTS + p] = sums[b * PARTS + p];
}

CENTROID_TARGET static void SIMD(block_distances)(const double *block, const double *row, uint32_t dims, double *out)
{
    SIMD(block_squares)(block, row, dims, (V *)out);
}

CENTROID_TARGET static void SIMD(all_distances)(const CentroidLanes *lanes, const double *row, double *out)
{
    uint32_t b = 0;

    for (; b + 4 <= lanes->blocks; b += 4)
        SIMD(four_squares)(lanes->data + b * lanes->stride, lanes->stride, row, lanes->dims, (V *)(out + (size_t)b * CENTROID_LANES));
    for (; b < lanes->blocks; b++)
        SIMD(block_distances)(lanes->data + b * lanes->stride, row, lanes->dims, out + (size_t)b * CENTROID_LANES);
}

/* The least square of each of eight lanes so far, and its number. */
typedef struct SIMD(Least) {
    V square[PARTS];
    MASK number[PARTS];
} SIMD(Least);

CENTROID_TARGET static inline void SIMD(least_begin)(SIMD(Least) *least)
{
    EACH(p, PARTS) {
        least->square[p] = (V){0} + INFINITY;
        least->number[p] = (MASK){0};
    }
}

/* Takes squares that are less than those so far. */
CENTROID_TARGET static inline void SIMD(least_take)(SIMD(Least) *least, const V *squares, uint32_t number)
{
    EACH(p, PARTS) {
        MASK less = squares[p] < least->square[p], here = (MASK){0} + number;

        least->square[p] = CHOOSE(less, squares[p], least->square[p]);
        least->number[p] = CHOOSE_NUMBER(less, here, least->number[p]);
    }
}

/* Returns the nearest of centroids of which lane l has those with numbers 8 x number + l: the first of equals. */
CENTROID_TARGET static inline uint32_t SIMD(least_of_lanes)(const SIMD(Least) *least, double *square)
{
    V best = least->square[0];
    MASK first = (MASK){0} + INT64_MAX;

    EACH(p, PARTS) best = CHOOSE(least->square[p] < best, least->square[p], best);
    EACH(s, SWAPS) {
        V other = SWAP(s, best);

        best = CHOOSE(other < best, other, best);
    }
    EACH(p, PARTS) {
        MASK numbers = least->number[p] * CENTROID_LANES + NUMBERS + p * LANES;

        numbers |= ((MASK)(least->square[p] == best) ^ -1) & INT64_MAX;
        first = CHOOSE_NUMBER(numbers < first, numbers, first);
    }
    EACH(s, SWAPS) {
        MASK other = SWAP(s, first);

        first = CHOOSE_NUMBER(other < first, other, first);
    }
    *square = best[0];
    return (uint32_t)first[0];
}

/* Returns the nearest centroid, the first of equals; lanes are in the centroids' own order. */
CENTROID_TARGET static inline uint32_t SIMD(nearest)(const CentroidLanes *lanes, const double *row, double *square)
{
    SIMD(Least) least;
    V squares[4 * PARTS];
    uint32_t b = 0;

    SIMD(least_begin)(&least);
    for (; b + 4 <= lanes->blocks; b += 4) {
        SIMD(four_squares)(lanes->data + b * lanes->stride, lanes->stride, row, lanes->dims, squares);
        EACH(i, 4) SIMD(least_take)(&least, squares + i * PARTS, b + i);
    }
    for (; b < lanes->blocks; b++) {
        SIMD(block_squares)(lanes->data + b * lanes->stride, row, lanes->dims, squares);
        SIMD(least_take)(&least, squares, b);
    }
    return SIMD(least_of_lanes)(&least, square);
}

/* Computes the squares of eight rows, one per lane, to `count` consecutive centroids of a block, at most four; known where this is compiled. */
CENTROID_TARGET static inline void SIMD(few_centroids)(const double *tile, const double *centroids, uint32_t dims, uint32_t count, V *out)
{
    V sums[4 * PARTS] = {{0}};

    for (uint32_t j = 0; j < dims; j++)
        EACH(c, count)
            EACH(p, PARTS) {
                V difference = SEE(tile + (size_t)j * CENTROID_LANES + p * LANES) - centroids[(size_t)j * CENTROID_LANES + c];

                ADD_SQUARE(sums[c * PARTS + p], difference);
            }
    EACH(i, count * PARTS) out[i] = sums[i];
}

/* Computes the squares of eight rows to the centroids from c on, four, two or one. Returns how many. */
CENTROID_TARGET static inline uint32_t SIMD(next_centroids)(const CentroidLanes *lanes, const double *tile, uint32_t c, V *out)
{
    const double *centroids = lanes->data + c / CENTROID_LANES * lanes->stride + c % CENTROID_LANES;

    if (lanes->count - c >= 4) {
        SIMD(few_centroids)(tile, centroids, lanes->dims, 4, out);
        return 4;
    }
    SIMD(few_centroids)(tile, centroids, lanes->dims, 2, out);
    return lanes->count - c >= 2 ? 2 : 1;
}

/*
 * Finds the nearest centroids of eight rows, one per lane, so that no lane is idle whatever the number of centroids, and centroids are
 * read once for all: k-means of 100,000 x 8 with k = 10 takes 0.044, not 0.059 s, of 20,000 x 64 with k = 100 0.25, not 0.34 s.
 * tile: [dims x 8].
 */
CENTROID_TARGET static void SIMD(nearest_eight)(const CentroidLanes *lanes, const double *tile, uint32_t *nearest, double *squares)
{
    SIMD(Least) least;
    V sums[4 * PARTS];

    SIMD(least_begin)(&least);
    for (uint32_t c = 0, here; c < lanes->count; c += here) {
        here = SIMD(next_centroids)(lanes, tile, c, sums);
        for (uint32_t i = 0; i < here; i++)
            SIMD(least_take)(&least, sums + i * PARTS, c + i);
    }
    EACH(p, PARTS) {
        *(V *)(squares + p * LANES) = least.square[p];
        EACH(l, LANES) nearest[p * LANES + l] = (uint32_t)least.number[p][l];
    }
}

/* Subtracts the products of eight rows, one per lane, with LANES consecutive centroids of a block from out, [LANES x PARTS]. */
CENTROID_TARGET static inline void SIMD(products)(const double *tile, const double *centroids, uint32_t dims, V *out)
{
    V sums[LANES * PARTS];

    EACH(i, LANES * PARTS) sums[i] = out[i];
    for (uint32_t j = 0; j < dims; j++)
        EACH(c, LANES)
            EACH(p, PARTS) {
                V x = SEE(tile + (size_t)j * CENTROID_LANES + p * LANES);

                LESS_PRODUCT(sums[c * PARTS + p], x, centroids[(size_t)j * CENTROID_LANES + c]);
            }
    EACH(i, LANES * PARTS) out[i] = sums[i];
}

/* Finds the centroids with the least |c|^2 / 2 - x.c of eight rows, one per lane. second: the second least. */
CENTROID_TARGET static inline void SIMD(least_by_products)(const CentroidLanes *lanes, const double *tile, SIMD(Least) *least, V *second)
{
    V sums[LANES * PARTS];

    SIMD(least_begin)(least);
    EACH(p, PARTS) second[p] = least->square[p];
    for (uint32_t c = 0; c < lanes->count; c += LANES) {
        uint32_t here = lanes->count - c < LANES ? lanes->count - c : LANES;

        EACH(i, LANES * PARTS) sums[i] = (V){0} + lanes->halves[c + i / PARTS];
        SIMD(products)(tile, lanes->data + c / CENTROID_LANES * lanes->stride + c % CENTROID_LANES, lanes->dims, sums);
        for (uint32_t i = 0; i < here; i++) {
            EACH(p, PARTS) {
                MASK less = sums[i * PARTS + p] < least->square[p];
                V other = CHOOSE(less, least->square[p], sums[i * PARTS + p]);

                second[p] = CHOOSE(second[p] < other, second[p], other);
            }
            SIMD(least_take)(least, sums + i * PARTS, c + i);
        }
    }
}

/*
 * Finds the nearest centroids of eight rows by products: |c|^2 / 2 - x.c takes half the work of a square. Rounding changes the difference
 * of two of these, or of the halves of two squares, by less than 8 (dims + 4) 2^-53 (|x|^2 + the longest |c|^2) in all. Where the least
 * leads by no more, squares decide, so the results have the same bits: k-means of 100,000 x 64 with k = 100 takes 1.3, not 1.5 s.
 */
CENTROID_TARGET static void SIMD(nearest_by_products)(const CentroidLanes *lanes, const double *centroids, const double *rows,
                                                      const double *tile, uint32_t *nearest, double *squares)
{
    SIMD(Least) least;
    V second[PARTS], length[PARTS] = {{0}}, square[PARTS] = {{0}};
    MASK clear[PARTS];
    const double *own[CENTROID_LANES];

    SIMD(least_by_products)(lanes, tile, &least, second);
    EACH(r, CENTROID_LANES) own[r] = centroids + (size_t)least.number[r / LANES][r % LANES] * lanes->dims;
    for (uint32_t j = 0; j < lanes->dims; j++)
        EACH(p, PARTS) {
            V x = SEE(tile + (size_t)j * CENTROID_LANES + p * LANES), center, difference;

            EACH(l, LANES) center[l] = own[p * LANES + l][j];
            difference = x - center;
            ADD_SQUARE(square[p], difference);
            length[p] += x * x;
        }
    EACH(p, PARTS) {
        *(V *)(squares + p * LANES) = square[p];
        clear[p] = second[p] - least.square[p] > (length[p] + lanes->longest) * (8 * (lanes->dims + 4.0) * 0x1p-53) + 0x1p-900;
    }
    for (uint32_t r = 0; r < CENTROID_LANES; r++)
        nearest[r] = clear[r / LANES][r % LANES] ? (uint32_t)least.number[r / LANES][r % LANES]
                                                 : SIMD(nearest)(lanes, rows + (size_t)r * lanes->dims, &squares[r]);
}

#if LANES == 8
/*
 * Writes eight numbers of each of eight rows side by side: as vectors, because what is written number by number and then read as vectors
 * waits. The nearest of 10 centroids of 8 features take 7.0 ns, not 9.8, in part because two centroids are left, not four.
 */
CENTROID_TARGET static inline void SIMD(turn_eight)(const double *rows, uint32_t dims, double *tile)
{
    V a[8], b[8];

    EACH(r, 8) a[r] = SEE(rows + (size_t)r * dims);
    EACH(r, 4) {
        b[2 * r] = SHUFFLE(MASK, a[2 * r], a[2 * r + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        b[2 * r + 1] = SHUFFLE(MASK, a[2 * r], a[2 * r + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    EACH(i, 4) {
        uint32_t r = i + i / 2 * 2; /* 0, 1, 4, 5 */

        a[r] = SHUFFLE(MASK, b[r], b[r + 2], 0, 1, 8, 9, 4, 5, 12, 13);
        a[r + 2] = SHUFFLE(MASK, b[r], b[r + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
    EACH(r, 4) {
        *(V *)(tile + r * CENTROID_LANES) = SHUFFLE(MASK, a[r], a[r + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        *(V *)(tile + (r + 4) * CENTROID_LANES) = SHUFFLE(MASK, a[r], a[r + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}
#endif

/* Writes eight rows side by side, [dims x 8], and asks for later ones. */
CENTROID_TARGET static inline void SIMD(fill_tile)(const double *rows, uint32_t dims, double *tile)
{
    for (uint32_t j = 0; j < dims; j++)
        __builtin_prefetch(rows + (TILES_AHEAD * (size_t)dims + j) * CENTROID_LANES);
#if LANES == 8
    if (dims % 8 == 0) {
        for (uint32_t j = 0; j < dims; j += 8)
            SIMD(turn_eight)(rows + j, dims, tile + (size_t)j * CENTROID_LANES);
        return;
    }
#endif
    for (uint32_t r = 0; r < CENTROID_LANES; r++)
        for (uint32_t j = 0; j < dims; j++)
            tile[(size_t)j * CENTROID_LANES + r] = rows[(size_t)r * dims + j];
}

CENTROID_TARGET static void SIMD(nearest_rows)(const CentroidLanes *lanes, const double *centroids, const double *rows,
                                               uint32_t count, uint32_t *nearest, double *squares)
{
    double tile[TILE_DIMS * CENTROID_LANES];
    uint32_t i = 0;

    for (; lanes->dims <= TILE_DIMS && i + CENTROID_LANES <= count; i += CENTROID_LANES) {
        const double *eight = rows + (size_t)i * lanes->dims;

        SIMD(fill_tile)(eight, lanes->dims, tile);
        if (lanes->count >= PRODUCTS_COUNT && lanes->dims >= PRODUCTS_DIMS)
            SIMD(nearest_by_products)(lanes, centroids, eight, tile, nearest + i, squares + i);
        else
            SIMD(nearest_eight)(lanes, tile, nearest + i, squares + i);
    }
    for (; i < count; i++)
        nearest[i] = SIMD(nearest)(lanes, rows + (size_t)i * lanes->dims, &squares[i]);
}

/* Adds what each centroid takes off the squares of eight rows, one per lane. */
CENTROID_TARGET static void SIMD(take_eight)(const CentroidLanes *lanes, const double *tile, const double *squares, const double *weights, double *taken)
{
    V sums[4 * PARTS], zero = {0};

    for (uint32_t c = 0, here; c < lanes->count; c += here) {
        here = SIMD(next_centroids)(lanes, tile, c, sums);
        for (uint32_t i = 0; i < here * PARTS; i++) {
            V *sum = (V *)(taken + (size_t)c * CENTROID_LANES + i * LANES), weight = zero + 1, less = SEE(squares + i % PARTS * LANES) - sums[i];

            if (weights != NULL)
                weight = SEE(weights + i % PARTS * LANES);
            less = CHOOSE(less > zero, less, zero);
            ADD_PRODUCTS(*sum, weight, less);
        }
    }
}

CENTROID_TARGET static void SIMD(take_rows)(const CentroidLanes *lanes, const double *rows, uint32_t count, const double *squares, const double *weights,
                                            double *taken)
{
    double tile[TILE_DIMS * CENTROID_LANES], block[CENTROID_LANES];
    uint32_t i = 0;

    for (; lanes->dims <= TILE_DIMS && i + CENTROID_LANES <= count; i += CENTROID_LANES) {
        SIMD(fill_tile)(rows + (size_t)i * lanes->dims, lanes->dims, tile);
        SIMD(take_eight)(lanes, tile, squares + i, weights != NULL ? weights + i : NULL, taken);
    }
    for (; i < count; i++)
        for (uint32_t c = 0; c < lanes->count; c++) {
            if (c % CENTROID_LANES == 0)
                SIMD(block_distances)(lanes->data + c / CENTROID_LANES * lanes->stride, rows + (size_t)i * lanes->dims, lanes->dims, block);
            if (block[c % CENTROID_LANES] < squares[i])
                ADD_PRODUCT(taken[(size_t)c * CENTROID_LANES + i % CENTROID_LANES], weights != NULL ? weights[i] : 1, squares[i] - block[c % CENTROID_LANES]);
        }
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
#undef PARTS
#undef EACH
#undef SWAPS
#undef SWAP
#undef NUMBERS
#undef ADD_SQUARE
#undef ADD_SCALAR_SQUARE
#undef ADD_PRODUCT
#undef ADD_PRODUCTS
#undef LESS_PRODUCT
#undef CENTROID_TARGET
