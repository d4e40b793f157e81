/*
 * special_columns.h - columns of the feature row that are not features but say something about the row: its fold or its id.
 *
 * Cross-validation assigns rows to folds by a hash of a row's content (target and features, not the weight), so that
 * equal rows share a fold and neither order nor plan matters; or by whole numbers in a column of the rows.
 */
#ifndef PGFIT_SPECIAL_COLUMNS_H
#define PGFIT_SPECIAL_COLUMNS_H

#include "core/model/model.h"
#include "core/options/options.h"

#define FOLDS_MAX 1000

/* Tables for OPTION_TABLES: folds, fold_column and seed; id_column, for fits whose rows may have ids. */
extern const OptionSpec options_folds[], option_id_column[];

/* How rows are assigned to folds. */
typedef struct FoldPlan {
    int64_t folds; /* their number, by hash; 0: a column of the rows holds the fold */
    int64_t seed;
} FoldPlan;

/* Returns whether these options ask for folds; false if the estimator has no such options. */
bool options_folded(const Options *options);
/* Returns how these options assign rows to folds. */
FoldPlan fold_plan(const Options *options);

#define CLUSTER_COLUMNS_MAX 4
#define ABSORBED_COLUMNS_MAX 4
#define SPECIAL_COLUMNS_MAX (CLUSTER_COLUMNS_MAX + ABSORBED_COLUMNS_MAX)
#define ROW_TAGS_MAX (2 * SPECIAL_COLUMNS_MAX)

typedef enum SpecialUse { SPECIAL_NONE, SPECIAL_FOLD, SPECIAL_ID, SPECIAL_GROUP, SPECIAL_TIME, SPECIAL_CLUSTER, SPECIAL_ORDER, SPECIAL_EVENT } SpecialUse;

typedef struct SpecialColumn {
    SpecialUse use;
    /* that names it: "fold_column", "id_column", "holdout_column" (kept like an id), "cluster", "order", "event", or of cross_validate "group_column", "time_column" */
    const char *option;
    uint32_t count; /* 1; clusters may be those of several columns, and an event may have an entry, a stratum, a cluster and what decides about folds */
    uint32_t absorbed; /* SPECIAL_CLUSTER: the first of the columns, which option "absorb" names */
    uint32_t entry, stratum, cluster; /* SPECIAL_EVENT: the places of these columns; 0: there is none, the first is the event's */
    SpecialUse fold;     /* what decides about folds, of which a column is read at place fold_at; of SPECIAL_EVENT besides the event */
    uint32_t fold_at;
    const char *columns[SPECIAL_COLUMNS_MAX]; /* their names; live as long as the options */
} SpecialColumn;

/* Tells whether a column is one of them. */
bool special_is(const SpecialColumn *special, const char *name, size_t length);
/* Returns how many different columns they are: a column may be absorbed and hold the clusters too. */
uint32_t special_distinct(const SpecialColumn *special);
/* Tells whether they cannot be features, as folds and ids cannot; clusters and places in an order can. */
static inline bool special_is_no_feature(const SpecialColumn *special)
{
    return special->use != SPECIAL_CLUSTER && special->use != SPECIAL_ORDER;
}
/* Returns how many numbers the columns add to a row that is kept, for standard errors: two per column of clusters, one place in an order. */
uint32_t special_tags(const SpecialColumn *special);

/*
 * What a row with a time keeps as its id: whether the event happened at that time, when the row came under observation, its cluster and its stratum. In
 * bytes: the entry as a number, the event as one byte, with clusters the two numbers of its cluster, the text of the stratum.
 */
typedef struct EventTag {
    double entry; /* -INFINITY: from the beginning */
    bool event;
    double cluster[2];   /* only with clusters */
    const char *stratum; /* not zero-terminated */
    uint32_t length;
} EventTag;
#define EVENT_TAG_BYTES (sizeof(double) + 1) /* before the cluster */
/* Writes the bytes before the cluster. */
void event_tag_write(double entry, bool event, char bytes[EVENT_TAG_BYTES]);
/* Reads the id of a row of these columns. Fails with ERROR_INTERNAL if it is none of these. */
EventTag event_tag_read(Env *env, const SpecialColumn *special, const char *id, uint32_t length);

/* Writes the two numbers of a cluster: 106 bits of a hash of its text, so that states of rows merge without a dictionary. */
void special_text_tags(const char *text, uint32_t length, double tags[2]);

/*
 * Returns the columns that the options name as the fold, the id, the clusters, the order or the event; an estimator has at most one such option, but
 * clusters may follow columns that are absorbed, and an entry, a stratum, a cluster and the fold an event.
 */
SpecialColumn special_column(const Options *options);
/* Returns the option that names a column. */
const char *special_option(const SpecialColumn *special, uint32_t number);
/* Returns what the column holds, for messages: "folds", "ids", ... */
const char *special_content(const SpecialColumn *special);
/* What the options of a running state say about the columns of its rows. */
typedef struct RowOptions {
    bool selected;       /* option "features" names the columns to use */
    SpecialColumn special; /* the columns that are no features */
    const struct Json *reference; /* the object of option "reference"; NULL: not given */
} RowOptions;

/* Reads them from the options kept in the state. Names and object live in memory of env. */
RowOptions state_row_options(Env *env, const Model *state);

#endif
