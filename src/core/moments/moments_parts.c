/*
 * moments_parts.c - means and factors of the rows of one fold or of several.
 */
#include "core/moments/moments_internal.h"

#include <math.h>
#include <string.h>

MomentsPart moments_part(const MomentsView *view, uint32_t fold)
{
    const double *counts = view_f64(view, view->counts) + 2 * (size_t)fold;

    return (MomentsPart){.means = view_f64(view, view->means) + (size_t)fold * view->columns,
                         .factor = view_f64(view, view->factor) + fold * factor_packed(view->columns),
                         .rows = counts[0],
                         .weight = counts[1]};
}

MomentsPart moments_part_new(Env *env, uint32_t columns)
{
    double *numbers = env_array(env, columns + factor_packed(columns) + 1, sizeof(double));

    return (MomentsPart){.means = numbers, .factor = numbers + columns};
}

void moments_part_clear(MomentsPart *part, uint32_t columns)
{
    memset(part->means, 0, columns * sizeof(double));
    memset(part->factor, 0, factor_packed(columns) * sizeof(double));
    part->rows = part->weight = 0;
}

void moments_part_add(Env *env, uint32_t columns, MomentsPart *a, const MomentsPart *b)
{
    size_t ld = factor_padded((size_t)columns + 1);
    double all = a->weight + b->weight, share = b->weight / all, scale = sqrt(a->weight * share);
    const double *from = b->factor;
    double *block;
    void *memory;

    if (b->weight == 0)
        return;
    a->rows += b->rows;
    if (a->weight == 0) {
        memcpy(a->means, b->means, columns * sizeof(double));
        memcpy(a->factor, b->factor, factor_packed(columns) * sizeof(double));
        a->weight = all;
        return;
    }
    block = env_aligned(env, ld * columns, &memory);
    for (uint32_t j = 0; j < columns; j++) {
        double difference = b->means[j] - a->means[j];
        block[j * ld] = scale * difference;
        a->means[j] += share * difference;
        memcpy(block + j * ld + 1, from, (j + 1) * sizeof(double));
        from += j + 1;
    }
    factor_update(env, a->factor, columns, block, ld, columns + 1, true);
    a->weight = all;
    env->release(env, memory);
}

uint32_t *moments_fold_order(Env *env, const MomentsView *view)
{
    const double *labels = view_f64(view, view->fold_labels);
    uint32_t *order = env_array(env, (size_t)view->classes + 1, sizeof(uint32_t));

    for (uint32_t g = 0; g < view->classes; g++) {
        uint32_t i = g;
        for (; i > 0 && labels[order[i - 1]] > labels[g]; i--)
            order[i] = order[i - 1];
        order[i] = g;
    }
    return order;
}

MomentsPart moments_part_whole(Env *env, const MomentsView *view)
{
    uint32_t *order = moments_fold_order(env, view);
    MomentsPart whole = moments_part_new(env, view->columns);

    for (uint32_t g = 0; g < view->classes; g++) {
        MomentsPart part = moments_part(view, order[g]);
        moments_part_add(env, view->columns, &whole, &part);
    }
    return whole;
}
