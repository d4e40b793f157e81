/*
 * mixed_design.h - the rows of a fit, or their moments per group, as columns of fixed effects, and as levels and columns of random effects.
 */
#ifndef PGFIT_MIXED_DESIGN_H
#define PGFIT_MIXED_DESIGN_H

#include "core/base/hash_table.h"
#include "core/formula/formula_bars.h"
#include "core/mixed/mixed_moments.h"
#include "core/rows/row_design.h"

#define MIXED_ONE UINT32_MAX /* as MixedColumn.slot: a column of ones */
#define MIXED_NO_LEVEL UINT32_MAX
#define MIXED_MOST_KEYS ((int64_t)1 << 52) /* combinations of levels */
#define MIXED_MAX_COLUMNS 100 /* random effects per group */

/* A number of a row, x, which a fit has as (x - center) / scale. */
typedef struct MixedColumn {
    uint32_t slot;
    int32_t level; /* dictionary position: x is 1 where the row has it, else 0; -1: x is the slot's number */
    uint32_t term; /* of moments per group; MIXED_NO_TERM: of none */
    double center, scale;
} MixedColumn;

/* A grouping factor, with all random effects of its groups. */
typedef struct MixedFactor {
    uint32_t slot_count;
    uint32_t *slots;       /* the categorical slots whose levels together are a group */
    int64_t *first, *size; /* [slot_count] dictionary positions of their levels */
    uint32_t columns;
    MixedColumn *column;   /* [columns] */
    uint32_t *bar;         /* [columns] rising: random effects of one bar may be correlated */
    uint32_t levels;       /* groups that have rows */
    int64_t *keys;         /* [levels] rising: the levels of the slots as one number */
    HashTable table;       /* of the keys in order of appearance */
    int64_t *seen;
    uint32_t *place, room; /* [levels] from order of appearance to that of keys */
} MixedFactor;

typedef struct MixedDesign {
    Env *env;
    RowDesign *rows;       /* NULL: there are moments */
    const MixedMoments *moments; /* NULL: there are rows */
    const Model *schema;   /* of the fitted model */
    bool intercept;
    uint32_t fixed_count;
    MixedColumn *fixed;    /* [fixed_count] the intercept first */
    uint8_t *constant;     /* [fixed_count] does not vary, beside an intercept */
    uint32_t factor_count;
    MixedFactor *factors;  /* the one with the most random effects first */
    double target_center, target_scale;
    bool frequency;        /* weights are */
    double unit;           /* what weights are times: their mean becomes 1, as variances are relative to sigma; 1 if they are frequencies */
    double weight;         /* of all rows, times the unit */
    double log_weights;    /* sum of the logarithms of the weights, times the unit */
    uint64_t count;        /* of rows */
} MixedDesign;

/*
 * Makes the design in one pass over the rows, which finds groups, and centers and scales columns; moments: reads these instead, of rows of this schema.
 * Fails with ERROR_PARAMETER if the formula has no random effects, with ERROR_RANGE where numbers overflow. name: of the method.
 */
MixedDesign *mixed_design(Env *env, Rows *rows, const MixedMoments *moments, bool intercept, const char *name);
/*
 * Returns what the rows lack to tell random effects from residuals, as lme4 demands it: several groups, and fewer random effects of a bar than rows.
 * NULL: nothing. rows: that weights count.
 */
const char *mixed_lacks(const MixedDesign *design, double rows);
/* Returns "school:class", the name of the factor of these slots. */
const char *mixed_factor_name(Env *env, const Model *schema, const uint32_t *slots, uint32_t count);
/* Returns the group of a row that the design has seen. */
uint32_t mixed_level(const MixedFactor *factor, const double *slots);
/* Returns the levels of the slots of a factor as one number, or -1 where one is not known. */
int64_t mixed_key(const uint32_t *slots, const int64_t *first, const int64_t *size, uint32_t count, const double *row);

/* Returns the place of a key among rising ones, or MIXED_NO_LEVEL. */
uint32_t mixed_find_level(const int64_t *keys, uint32_t levels, int64_t key);

/* Returns the sum of the products of two columns, as the fit has them, over the rows of a group, times their weights. Of moments. */
double mixed_product(const MixedDesign *design, uint32_t group, const MixedColumn *a, const MixedColumn *b);
/* Returns the target as a column. Of moments. */
MixedColumn mixed_target(const MixedDesign *design);

/* Returns the number of a column in a row, as the fit has it. */
static inline double mixed_number(const MixedColumn *column, const double *slots)
{
    double x = column->slot == MIXED_ONE ? 1 : column->level < 0 ? slots[column->slot] : slots[column->slot] == column->level;

    return (x - column->center) / column->scale;
}

#endif
