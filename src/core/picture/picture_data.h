/*
 * picture_data.h - what a picture is drawn from: named columns of numbers, texts and lists of numbers, one value per row.
 */
#ifndef PGFIT_PICTURE_DATA_H
#define PGFIT_PICTURE_DATA_H

#include "core/base/env.h"

#include <math.h>

/* A text that need not be zero-terminated; bytes NULL: there is none. */
typedef struct PictureText {
    const char *bytes;
    uint32_t length;
} PictureText;

typedef struct PictureList {
    const double *numbers;
    uint32_t count;
} PictureList;

typedef struct PictureColumn {
    const char *name;
    bool time;           /* numbers are seconds since 2000-01-01 */
    bool date;           /* and a model reads days */
    bool boolean;        /* numbers are 0 and 1 */
    bool level;          /* values are strings, also where none is known yet */
    bool unused;         /* the picture does not need it, so it has no values */
    double *numbers;     /* [rows], NaN: NULL or no number */
    PictureText *texts;  /* [rows]; NULL: the column has none */
    PictureList *lists;  /* [rows]; NULL: the column has none */
} PictureColumn;

/* What a model says about each row beside which it is drawn. */
typedef enum PictureScore {
    PICTURE_NO_SCORE,
    PICTURE_INTERVAL,   /* prediction, lower and upper limit */
    PICTURE_DECISION,   /* signed score of two classes */
    PICTURE_COMPONENTS, /* scores on the first two components */
} PictureScore;
#define PICTURE_SCORES_MOST 3 /* numbers of a row */

typedef struct PictureData {
    Env *env;
    uint32_t column_count;
    PictureColumn *columns;
    uint64_t rows, room;
    size_t bytes; /* of copied texts */
    const struct Figure *figure; /* that draws the rows */
    const struct Scorer *scorer; /* of the model that is drawn with the rows; NULL: none is */
    PictureScore score;
    uint32_t scored;             /* the first column of the numbers that the model gives each row */
    double *room_of_scores;      /* of one row; NULL: rows are not scored so */
    /* Encodes a row with these values in the columns that are kept, NaN and bytes NULL: none, for the model. Returns false if it has no score for it. */
    bool (*encode)(void *host, const double *numbers, const PictureText *texts, double *slots, double *offset);
    void *host;
} PictureData;

/* Returns data without rows. The names must outlive them. */
PictureData *picture_data_new(Env *env, const char *const *names, uint32_t count);
/* Adds a row without values and returns its number. Fails with ERROR_LIMIT if the rows exceed the memory budget. */
uint64_t picture_data_row(PictureData *data);
/* Set a value of the last row. The bytes and numbers must outlive the data. */
void picture_data_number(PictureData *data, uint32_t column, double number);
void picture_data_text(PictureData *data, uint32_t column, PictureText text);
void picture_data_list(PictureData *data, uint32_t column, PictureList list);
/* Copies a text; one that equals that of the row before is kept once. */
void picture_data_copy(PictureData *data, uint32_t column, const char *bytes, uint32_t length);
/* Returns the column of this name that is kept; NULL: there is none. */
const PictureColumn *picture_data_find(const PictureData *data, const char *name);
/* Returns a column that the figure's table has. Fails with ERROR_PARAMETER, naming it, if it is missing. */
const PictureColumn *picture_data_column(const PictureData *data, const char *name);

static inline PictureText picture_text_of(const PictureColumn *column, uint64_t row)
{
    return column->texts != NULL ? column->texts[row] : (PictureText){NULL, 0};
}
/* Returns the text of a row, or its number or time written out; bytes NULL: it has neither. */
PictureText picture_written(Env *env, const PictureColumn *column, uint64_t row);
bool picture_text_equal(PictureText a, PictureText b);
/* Returns the text of a string; NULL: none. */
PictureText picture_string(const char *string);

/*
 * Numbers the different texts of a column in order of first appearance: groups [rows], and their names. Rows without a text have the number of
 * the group without a name.
 */
typedef struct PictureGroups {
    uint32_t count;
    PictureText *names; /* [count] */
    uint32_t *group;    /* [rows] */
} PictureGroups;
PictureGroups picture_groups(const PictureData *data, const PictureColumn *column);
/* Does the same in the order of the texts: numbers by value, others by bytes. */
PictureGroups picture_groups_sorted(const PictureData *data, const PictureColumn *column);
/* Numbers the pairs of groups that rows have, in order of first appearance. Returns the pair of each row; sets how many there are. */
uint32_t *picture_pairs(const PictureData *data, const PictureGroups *a, const PictureGroups *b, uint32_t *count);

#endif
