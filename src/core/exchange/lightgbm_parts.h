/*
 * lightgbm_parts.h - what the text and the JSON of LightGBM say, for lightgbm_read.c, which makes a model of it.
 */
#ifndef PGFIT_LIGHTGBM_PARTS_H
#define PGFIT_LIGHTGBM_PARTS_H

#include "core/exchange/import_trees.h"

#define LIGHTGBM_MOST_TREES (1 << 24)
#define LIGHTGBM_MOST_CLASSES 65536

/* Bits of a split's decision_type. Above them: what is missing, one of LIGHTGBM_MISSING_*. */
#define LIGHTGBM_CATEGORY 1u
#define LIGHTGBM_DEFAULT_LEFT 2u
#define LIGHTGBM_MISSING_SHIFT 2
enum { LIGHTGBM_MISSING_NONE, LIGHTGBM_MISSING_ZERO, LIGHTGBM_MISSING_NAN };

/* Parts of a document; each may come once. */
enum {
    LIGHTGBM_VERSION = 1,
    LIGHTGBM_CLASSES = 2,
    LIGHTGBM_PER_ITERATION = 4,
    LIGHTGBM_FEATURES = 8,
    LIGHTGBM_OBJECTIVE = 16,
    LIGHTGBM_AVERAGED = 32,
    LIGHTGBM_NAMES = 64,
    LIGHTGBM_INFOS = 128,
    LIGHTGBM_TREES = 256,
    LIGHTGBM_SIZES = 512,
    LIGHTGBM_LEVELS = 1024
};

/* What feature_infos says of a feature. */
typedef enum LightgbmKind { LIGHTGBM_UNUSED, LIGHTGBM_NUMBER, LIGHTGBM_CODES } LightgbmKind;

typedef struct LightgbmDocument LightgbmDocument;
struct LightgbmDocument {
    Env *env;
    Document document; /* where it begins; after the reading: where it ends */
    uint32_t seen;     /* parts */
    const char *version, *objective; /* NULL: not said */
    uint32_t classes, per_iteration, features;
    bool averaged;     /* scores are means of the trees of an iteration */
    const char **names; /* [named] */
    uint32_t named, name_room;
    uint8_t *kind;     /* [described] a LightgbmKind */
    uint32_t described, kind_room;
    const uint8_t **places; /* [trees] where each begins */
    uint32_t trees, place_room;
    Document levels;   /* the lists of pandas_categorical; .at NULL: none */
    void *reader;      /* room of the form */
    /* Reads the tree at this place into nodes. `category` of a split has its decision_type until lightgbm_finish_split. */
    void (*read_tree)(LightgbmDocument *lightgbm, Document *place, ImportTree *tree);
};

/* Read all of a document but its trees. */
void lightgbm_read_text(LightgbmDocument *lightgbm);
void lightgbm_read_json(LightgbmDocument *lightgbm);

/* Returns which part a key is; 0: none. Fails if it comes a second time. */
uint32_t lightgbm_part(LightgbmDocument *lightgbm, Document *document, const char *key, size_t length);
void lightgbm_add_name(LightgbmDocument *lightgbm, char *name);
void lightgbm_add_kind(LightgbmDocument *lightgbm, LightgbmKind kind);
void lightgbm_add_place(LightgbmDocument *lightgbm, Document *document);
/* Sets what a split does with numbers and missing values. Fails if no split here does the same. */
void lightgbm_finish_split(const Document *document, ImportNode *node);
void lightgbm_refuse_linear(Env *env) __attribute__((noreturn));

#endif
