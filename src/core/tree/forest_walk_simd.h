/*
 * forest_walk_simd.h - walks many trees at once, a vector of nodes at a time. Included once per instruction set by cpu_dispatch.h. Only
 * whole numbers are compared, so the leaves are the same.
 */

/* Moves WALK_TOGETHER places in the trees by so many steps: a leaf stays where it is. row: keys by slot. */
SIMD_TARGET static void SIMD(walk_steps)(const uint64_t *restrict nodes, const uint32_t *restrict row, uint32_t steps,
                                         uint32_t *restrict at)
{
#ifdef WALK_GATHERS
    WALK_VECTOR places[WALK_TOGETHER / LANES];

    for (uint32_t v = 0; v < WALK_TOGETHER / LANES; v++)
        places[v] = WALK_LOAD(at + v * LANES);
    for (uint32_t step = 0; step < steps; step++)
        for (uint32_t v = 0; v < WALK_TOGETHER / LANES; v++)
            places[v] = WALK_STEP(nodes, row, places[v]);
    for (uint32_t v = 0; v < WALK_TOGETHER / LANES; v++)
        WALK_STORE(at + v * LANES, places[v]);
#else
    for (uint32_t first = 0; first < WALK_TOGETHER; first += WALK_CHAINS) {
        uint32_t place[WALK_CHAINS];

        for (uint32_t t = 0; t < WALK_CHAINS; t++)
            place[t] = at[first + t];
        for (uint32_t step = 0; step < steps; step++)
            for (uint32_t t = 0; t < WALK_CHAINS; t++)
                place[t] = next_node(nodes, place[t], row);
        for (uint32_t t = 0; t < WALK_CHAINS; t++)
            at[first + t] = place[t];
    }
#endif
}
