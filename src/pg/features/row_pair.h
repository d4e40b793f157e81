/*
 * row_pair.h - two rows of one shape as arguments of a function: arrays, rows, jsonb objects, numbers.
 */
#ifndef PGFIT_ROW_PAIR_H
#define PGFIT_ROW_PAIR_H

#include "pg/features/features.h"
#include "core/distance/metric.h"

/* What a call site keeps from row to row. */
typedef struct PairSite {
    FeatureReader *readers[2];
    double *slots[2], *room;
    uint32 slot_room, room_size;
    MemoryContext shape;  /* of the schema and what is made for it */
    Model *schema;        /* of the last pair */
    uint32_t level_count; /* of the schema when the metric was made */
    Oid row_types[2];     /* of the rows that the schema's levels came from, where they are rows */
    int32 row_typmods[2];
    bool levels_clash;    /* they have different types for one column: the same level may have two orders */
    MemoryContext making; /* of the metric */
    Metric *metric;       /* for the schema; NULL: to be made */
    double order;         /* that it was made with */
    int readings[2];      /* of the arguments' types; 0: not looked up yet */
    bool bits[2];         /* bit strings */
    Kernel kernel;
    bool kernel_known;
    char *extra[2]; /* bytes of further arguments that metric or kernel came from */
    size_t extra_size[2];
} PairSite;

PairSite *pair_site(FunctionCallInfo fcinfo);
/*
 * Arguments 0 and 1 into site->slots, by a schema that both share. false: a NULL
 * among them. Fails with ERROR_DATA where the shapes differ, with both lengths.
 */
bool pair_read(FunctionCallInfo fcinfo, PairSite *site);
/* One row alone, argument `argument`, into site->slots[0]. */
bool pair_read_one(FunctionCallInfo fcinfo, PairSite *site, int argument);
/* Is argument `argument` (varlena) what it was? Where not, metric and kernel are forgotten. which:
 * 0 or 1. */
void pair_watch(FunctionCallInfo fcinfo, PairSite *site, int which, int argument);
/* The reading of an argument's type; SQL_VALUE_CSTRING of untyped literals. */
int pair_value_type(FunctionCallInfo fcinfo, PairSite *site, int argument);

/* Numbers of a float8[] argument of one or two dimensions; fails on NULLs. */
const double *array_argument(FunctionCallInfo fcinfo, int argument, const char *what, uint32 *rows,
                             uint32 *columns);
/* Options from a jsonb argument (-1: none), in the current memory context. */
Options *options_argument(FunctionCallInfo fcinfo, int argument, const char *function,
                          const OptionSpec *const *tables);
/* A square or rectangular matrix as float8[][], row major. */
Datum give_matrix(const double *numbers, uint32 rows, uint32 columns);

#endif
