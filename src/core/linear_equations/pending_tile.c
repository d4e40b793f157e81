/*
 * pending_tile.c - the pending rows of a step aggregate: storing, checking, columns.
 */
#include "core/linear_equations/pending_tile.h"

#include <math.h>
#include <string.h>

void pending_store(double *rows, uint32_t slots, uint32_t at, const double *values, double target, double weight)
{
    for (uint32_t s = 0; s < slots; s++)
        rows[(size_t)s * DESIGN_TILE + at] = values[s];
    rows[(size_t)slots * DESIGN_TILE + at] = target;
    rows[((size_t)slots + 1) * DESIGN_TILE + at] = weight;
}

bool pending_sound(const double *rows, uint32_t slots, double pending, uint32_t classes)
{
    const double *class = pending_classes(rows, slots), *weight = pending_weights(rows, slots);

    if (!(pending >= 0 && pending < DESIGN_TILE && pending == floor(pending)))
        return false;
    for (uint32_t i = 0; i < DESIGN_TILE; i++)
        if (!(weight[i] >= 0) || (classes > 0 && !(class[i] >= 0 && class[i] < classes && class[i] == floor(class[i]))))
            return false;
    return true;
}

void pending_columns(const PendingTerms *of, const double *rows, double *memory, const double **columns)
{
    double *next = memory;
    uint32_t at = 0;

    if (of->intercept) {
        for (uint32_t i = 0; i < DESIGN_TILE; i++)
            next[i] = 1;
        columns[at++] = next;
        next += DESIGN_TILE;
    }
    for (uint32_t t = 0; t < of->count; t++, next += DESIGN_TILE) {
        const LinearTerm *term = &of->terms[t];
        const double *slot = rows + (size_t)term->slot * DESIGN_TILE;
        double center = of->view->center != NULL && term->level < 0 ? of->view->center[term->slot] : 0;

        for (uint32_t i = 0; i < DESIGN_TILE; i++)
            next[i] = term->level < 0 ? slot[i] - center : slot[i] == (double)term->level;
        columns[at++] = next;
    }
    memset(next, 0, DESIGN_TILE * sizeof(double));
    for (uint32_t p = 0; p < TILE_PADDING; p++)
        columns[at++] = next;
}
