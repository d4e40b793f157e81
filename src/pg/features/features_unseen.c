/*
 * features_unseen.c - counts levels that a model did not see in training, for one WARNING per query.
 *
 * Functions of the same query that score the same rows count the same values: the WARNING has the largest count of
 * each feature, not the sum.
 */
#include "pg/features/features_internal.h"
#include "pg/host/query_notes.h"
#include "core/estimator/estimator.h"

#include "lib/stringinfo.h"

#define FEATURES_SHOWN 10

/* What one call site has seen of one feature. */
typedef struct UnseenFeature UnseenFeature;
struct UnseenFeature {
    UnseenFeature *next;
    const FeatureReader *reader;
    char *name, *first; /* first: a level as a message shows it */
    uint64 count;
};

typedef struct UnseenNote {
    QueryNote note;
    bool as_null; /* such levels are treated like NULL */
    UnseenFeature *features;
} UnseenNote;

/* Joins what several call sites counted for one feature into the first of its name. */
static uint32 join_features(UnseenNote *note, uint64 *total)
{
    uint32 count = 0;

    *total = 0;
    for (UnseenFeature *feature = note->features; feature; feature = feature->next) {
        for (UnseenFeature **link = &feature->next; *link;) {
            UnseenFeature *other = *link;

            if (strcmp(other->name, feature->name) != 0) {
                link = &other->next;
                continue;
            }
            feature->count = Max(feature->count, other->count);
            *link = other->next;
        }
        *total += feature->count;
        count++;
    }
    return count;
}

static void raise_unseen(QueryNote *query_note)
{
    UnseenNote *note = (UnseenNote *)query_note;
    uint64 total;
    uint32 features = join_features(note, &total), shown = 0;
    StringInfoData detail;

    initStringInfo(&detail);
    for (UnseenFeature *feature = note->features; feature && shown < FEATURES_SHOWN; feature = feature->next, shown++)
        appendStringInfo(&detail, "%s" UINT64_FORMAT " of \"%s\", the first %s", shown > 0 ? "; " : "", feature->count,
                         feature->name, feature->first);
    if (shown < features)
        appendStringInfo(&detail, "; and %u more features", features - shown);
    ereport(WARNING, (errcode(ERRCODE_DATA_EXCEPTION),
                      errmsg(UINT64_FORMAT " %s not seen in training", total,
                             total == 1 ? "value has a level that was" : "values have levels that were"),
                      errdetail("%s.", detail.data),
                      note->as_null ? errhint("They are scored like NULL. To refuse such rows, fit with \"unseen\": \"error\".")
                                    : errhint("They are scored as \"unseen\": \"reference\" says. To refuse such rows, fit with "
                                              "\"unseen\": \"error\".")));
    pfree(detail.data);
    note->features = NULL; /* the transaction may go on */
}

void count_unseen(const RowRead *row, const Step *step, const char *bytes, uint32 length, bool is_null)
{
    MemoryContext context = row->reader->context;
    UnseenNote *note = (UnseenNote *)query_note(context, raise_unseen, NULL, NULL, sizeof(UnseenNote));
    char name[SCHEMA_NAME_SIZE];
    UnseenFeature **link, *feature;

    note->note.count++;
    schema_field_name(row->model, step->field, name, sizeof name);
    for (link = &note->features; *link; link = &(*link)->next)
        if ((*link)->reader == row->reader && strcmp((*link)->name, name) == 0) {
            (*link)->count++;
            return;
        }
    if (note->features == NULL) {
        const Estimator *estimator = estimator_find(row->model->estimator);

        note->as_null = estimator != NULL && estimator->nulls_are_values;
    }
    feature = MemoryContextAllocZero(context, sizeof(UnseenFeature));
    feature->reader = row->reader;
    feature->name = MemoryContextStrdup(context, name);
    feature->first = is_null ? "NULL" : MemoryContextStrdup(context, psprintf("\"%s\"", message_string(bytes, length)));
    feature->count = 1;
    *link = feature;
}
