/*
 * forest_tiles_simd.h - the walk from tile to tile. Included once per instruction set by cpu_dispatch.h; AVX2 is the least.
 */
#if LANES >= 4

/* Reads up to eight keys of the row from slot `first` on. */
SIMD_TARGET static inline __m256i SIMD(load_keys)(const uint32_t *row, uint32_t slots, uint32_t first)
{
    int32_t keys[VECTOR] = {0};

    for (uint32_t j = 0; j < VECTOR && first + j < slots; j++)
        keys[j] = signed_key(row[first + j]);
    return _mm256_loadu_si256((const __m256i *)keys);
}

/* Looks up 16 keys. */
SIMD_TARGET static inline __m256i SIMD(look_up)(__m256i low, __m256i high, __m256i slot)
{
#if LANES >= 8
    return _mm256_permutex2var_epi32(low, slot, high);
#else
    __m256 a = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(low, slot)),
           b = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(high, slot));

    return _mm256_castps_si256(_mm256_blendv_ps(a, b, _mm256_castsi256_ps(_mm256_slli_epi32(slot, 28))));
#endif
}

/* Returns where a tile leads to. vectors: how many hold the row; known where this is compiled. */
SIMD_TARGET static inline uint32_t SIMD(leave_tile)(const ForestTiles *tiles, uint32_t at, const __m256i row[4], uint32_t vectors)
{
    const Tile *tile = tiles->tiles + at;
    __m256i slot = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)tile->slot)),
            key = _mm256_loadu_si256((const __m256i *)tile->key), here;
    uint32_t results;

    if (vectors == 1)
        here = _mm256_permutevar8x32_epi32(row[0], slot);
    else
        here = SIMD(look_up)(row[0], row[1], slot);
    if (vectors > 2) {
        __m256 a = _mm256_castsi256_ps(here), b = _mm256_castsi256_ps(SIMD(look_up)(row[2], row[3], slot));

        here = _mm256_castps_si256(_mm256_blendv_ps(a, b, _mm256_castsi256_ps(_mm256_slli_epi32(slot, 27))));
    }
    results = (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(here, key)));
    return tile->next + (uint32_t)__builtin_popcount(tile->ends & tiles->before[results]);
}

SIMD_TARGET static inline void SIMD(walk_vectors)(const ForestTiles *tiles, const uint32_t *row, uint32_t first, uint32_t count,
                                                  uint32_t *leaves, uint32_t vectors)
{
    uint32_t level = 1;
    __m256i keys[4];

    for (uint32_t i = 0; i < vectors; i++)
        keys[i] = SIMD(load_keys)(row, tiles->slots, i * VECTOR);
    for (uint32_t t = 0; t < count; t++)
        leaves[t] = first + t;
    if (tiles->lone_root && tiles->levels > 1) {
        level++;
        for (uint32_t t = 0; t < count; t++) {
            const Tile *tile = tiles->tiles + leaves[t];

            leaves[t] = tile->next + (signed_key(row[tile->slot[0]]) > tile->key[0]);
        }
    }
    for (; level < tiles->levels; level++)
        for (uint32_t t = 0; t < count; t++) {
            leaves[t] = SIMD(leave_tile)(tiles, leaves[t], keys, vectors);
            __builtin_prefetch(tiles->tiles + leaves[t]); /* by the time the other trees are done, it has come */
        }
    for (uint32_t t = 0; t < count; t++)
        leaves[t] = SIMD(leave_tile)(tiles, leaves[t], keys, vectors);
}

SIMD_TARGET static void SIMD(walk_tiles)(const ForestTiles *tiles, const uint32_t *row, uint32_t first, uint32_t count,
                                         uint32_t *leaves)
{
    if (tiles->slots <= VECTOR)
        SIMD(walk_vectors)(tiles, row, first, count, leaves, 1);
    else if (tiles->slots <= 2 * VECTOR)
        SIMD(walk_vectors)(tiles, row, first, count, leaves, 2);
    else
        SIMD(walk_vectors)(tiles, row, first, count, leaves, 4);
}

#endif
