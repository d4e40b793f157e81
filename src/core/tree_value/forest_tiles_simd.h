/*
 * forest_tiles_simd.h - the walk from tile to tile. Included once per instruction set by cpu_dispatch.h; AVX2 is the least.
 */
#if LANES >= 4

SIMD_TARGET static inline __m256i SIMD(load_lanes)(const void *lanes)
{
    return _mm256_loadu_si256((const __m256i *)lanes);
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

/* Looks up the keys of slots in the lower bits of a byte. vectors: how many hold the row; known where this is compiled. */
SIMD_TARGET static inline __m256i SIMD(look_up_slots)(const __m256i row[4], __m256i slot, uint32_t vectors)
{
    __m256 a, b;

    if (vectors == 1)
        return _mm256_permutevar8x32_epi32(row[0], slot);
    if (vectors == 2)
        return SIMD(look_up)(row[0], row[1], slot);
    a = _mm256_castsi256_ps(SIMD(look_up)(row[0], row[1], slot));
    b = _mm256_castsi256_ps(SIMD(look_up)(row[2], row[3], slot));
    return _mm256_castps_si256(_mm256_blendv_ps(a, b, _mm256_castsi256_ps(_mm256_slli_epi32(slot, 27))));
}

/* Returns where a tile leads to. vectors: how many hold the row; known where this is compiled. */
SIMD_TARGET static inline uint32_t SIMD(leave_tile)(const ForestTiles *tiles, uint32_t at, const __m256i row[4], uint32_t vectors)
{
    const Tile *tile = tiles->tiles + at;
    __m256i slot = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)tile->slot)),
            key = SIMD(load_lanes)(tile->key), here = SIMD(look_up_slots)(row, slot, vectors);
    uint32_t results;

    results = (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(here, key)));
    return tile->next + (uint32_t)__builtin_popcount(tile->ends & tiles->before[results]);
}

/* Takes b in the lanes whose bits are set in mask, a in the others. */
SIMD_TARGET static inline __m256i SIMD(choose)(__m256i a, __m256i b, __m256i mask)
{
    return _mm256_or_si256(_mm256_andnot_si256(mask, a), _mm256_and_si256(mask, b));
}

/* Writes where the first tiles of ROOTS trees lead to. */
SIMD_TARGET static inline void SIMD(leave_roots)(const RootTiles *roots, const __m256i row[4], uint32_t vectors, uint32_t *out)
{
    __m256i key[TILE_SPLITS], slots = SIMD(load_lanes)(roots->upper_slots), first, second, third, left, right, bits;

    for (uint32_t i = 0; i < TILE_SPLITS; i++)
        key[i] = SIMD(load_lanes)(roots->key[i]);
    first = _mm256_cmpgt_epi32(SIMD(look_up_slots)(row, slots, vectors), key[0]);
    bits = _mm256_and_si256(first, _mm256_set1_epi32(8));
    slots = _mm256_srlv_epi32(slots, _mm256_add_epi32(bits, _mm256_set1_epi32(8)));
    second = _mm256_cmpgt_epi32(SIMD(look_up_slots)(row, slots, vectors), SIMD(choose)(key[1], key[2], first));
    bits = _mm256_add_epi32(_mm256_add_epi32(bits, bits), _mm256_and_si256(second, _mm256_set1_epi32(8)));
    slots = _mm256_srlv_epi32(SIMD(load_lanes)(roots->lower_slots), bits);
    left = SIMD(choose)(key[3], key[4], second);
    right = SIMD(choose)(key[5], key[6], second);
    third = _mm256_cmpgt_epi32(SIMD(look_up_slots)(row, slots, vectors), SIMD(choose)(left, right, first));
    bits = _mm256_add_epi32(bits, _mm256_and_si256(third, _mm256_set1_epi32(4)));
    bits = _mm256_and_si256(_mm256_srlv_epi32(SIMD(load_lanes)(roots->before), bits), _mm256_set1_epi32(TILE_SPLITS));
    _mm256_storeu_si256((__m256i *)out, _mm256_add_epi32(bits, SIMD(load_lanes)(roots->next)));
}

SIMD_TARGET static inline void SIMD(walk_vectors)(const ForestTiles *tiles, const uint32_t *row, uint32_t first, uint32_t count,
                                                  uint32_t *leaves, uint32_t vectors)
{
    __m256i keys[4];

    for (uint32_t i = 0; i < vectors; i++)
        keys[i] = _mm256_xor_si256(SIMD(load_lanes)(row + i * VECTOR), _mm256_set1_epi32(INT32_MIN));
    for (uint32_t t = 0; t < count; t += ROOTS)
        SIMD(leave_roots)(tiles->roots + (first + t) / ROOTS, keys, vectors, leaves + t);
    for (uint32_t level = 2; level < tiles->levels; level++)
        for (uint32_t t = 0; t < count; t++) {
            leaves[t] = SIMD(leave_tile)(tiles, leaves[t], keys, vectors);
            __builtin_prefetch(tiles->tiles + leaves[t]); /* by the time the other trees are done, it has come */
        }
    for (uint32_t t = 0; t < count && tiles->levels > 1; t++)
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
