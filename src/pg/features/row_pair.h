/*
 * row_pair.h - two rows of one shape as arguments of a function: arrays, rows, jsonb objects, numbers.
 */
#ifndef PGFIT_ROW_PAIR_H
#define PGFIT_ROW_PAIR_H

#include "pg/features/features.h"
#include "core/distance/metric.h"

/* State of a call site. */
typedef struct PairSite {
    FeatureReader *readers[2];
    double *slots[2];
    SiteBuffer slot_buffers[2], room; /* room: for differences and products of the metric */
    MemoryContext schema_context;
    Model *schema;        /* of the last pair */
    uint32_t level_count; /* of the schema when the metric was made */
    Oid row_types[2];     /* of the rows that the schema's levels came from, where they are rows */
    int32 row_typmods[2];
    bool levels_clash;    /* a column has two types, so that the same level may have two orders */
    MemoryContext metric_context;
    Metric *metric;       /* for the schema; NULL: not made yet */
    double order;         /* p of a Minkowski metric */
    int value_kinds[2];   /* of the arguments (SqlValueKind); 0: not looked up yet, -1: cannot be features */
    bool bits[2];         /* the arguments are bit strings */
    Kernel kernel;
    bool kernel_known;
    char *extra[2]; /* bytes of the arguments after the rows from which metric or kernel were made */
    size_t extra_size[2];
} PairSite;

PairSite *pair_site(FunctionCallInfo fcinfo);
/*
 * Reads arguments 0 and 1 into site->slots by a schema that both share. Returns false if they contain a NULL. Fails with
 * ERROR_DATA, naming both lengths, if the shapes differ.
 */
bool pair_read(FunctionCallInfo fcinfo, PairSite *site);
/* Reads one row, argument `argument`, into site->slots[0]. */
bool pair_read_one(FunctionCallInfo fcinfo, PairSite *site, int argument);
/*
 * Forgets metric and kernel unless an argument (a varlena) has the same bytes as in the last call. which: its place in
 * site->extra, 0 or 1.
 */
void pair_watch(FunctionCallInfo fcinfo, PairSite *site, int which, int argument);
/* Returns the SqlValueKind of an argument's type, SQL_VALUE_CSTRING for untyped literals; -1 if it cannot be a feature. */
int pair_value_type(FunctionCallInfo fcinfo, PairSite *site, int argument);

/* Reads the numbers of a float8[] argument of one or two dimensions; fails on NULLs. */
const double *array_argument(FunctionCallInfo fcinfo, int argument, const char *what, uint32 *rows,
                             uint32 *columns);
/* Parses options from a jsonb argument (-1: none) into the current memory context. */
Options *options_argument(FunctionCallInfo fcinfo, int argument, const char *function,
                          const OptionSpec *const *tables);
/*
 * Reads the kernel that an argument names, with the options in the next argument, if the call has one, into site->kernel.
 * gamma 0 means that none was given to a kernel that needs one.
 */
const Kernel *kernel_argument(FunctionCallInfo fcinfo, PairSite *site, int argument, const char *function);
/* Returns a matrix, stored by rows, as float8[][]. */
Datum give_matrix(const double *numbers, uint32 rows, uint32 columns);

#endif
