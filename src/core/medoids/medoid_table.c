/*
 * medoid_table.c - the tables of k-medoids: "medoids", one row per medoid and slot, and "members", of given distances.
 */
#include "core/medoids/kmedoids.h"
#include "core/distance/metric.h"
#include "core/location/exemplars.h"

#include <math.h>

/* Sets the cell to the level that a slot of this field holds. It stays NULL if there is none, or if the level represents NULL. */
static void level_cell(Cell *cell, const Model *model, uint32_t field, double slot)
{
    uint32_t levels = dictionary_size(model, DICTIONARY_LEVELS), position;

    if (!(slot >= 0 && slot < levels) || slot != floor(slot))
        return;
    position = (uint32_t)slot;
    if (dictionary_field(model, position) == field)
        cell_of_dictionary(cell, model, DICTIONARY_LEVELS, position);
}

typedef struct MedoidReader {
    const ModelEntry *medoids, *ids, *texts;
    const double *numbers;
    bool given; /* the distances were: medoids have ids alone */
} MedoidReader;

static void *open_medoids(Env *env, const Model *model, uint64_t *rows)
{
    MedoidReader *reader = env_array(env, 1, sizeof *reader);

    reader->medoids = model_find(model, "medoids");
    reader->ids = model_find(model, "ids");
    reader->texts = model_find(model, "texts"); /* of metrics that compare them */
    reader->numbers = model_data(model, reader->medoids);
    reader->given = metric_is_given(model);
    *rows = reader->given ? reader->medoids->rows : (uint64_t)reader->medoids->rows * reader->medoids->columns;
    return reader;
}

static bool medoid_row(Env *env, const Model *model, void *data, uint64_t i, Cell *cells)
{
    const MedoidReader *reader = data;
    uint32_t columns = reader->given ? 1 : reader->medoids->columns;
    uint32_t medoid = (uint32_t)(i / columns), slot = (uint32_t)(i % columns);
    uint32_t field = schema_slot_field(model, slot);
    char *name = env_array(env, SCHEMA_NAME_SIZE, 1);

    cell_integer(&cells[0], (int64_t)medoid + 1);
    if (reader->ids != NULL)
        cell_text_of(&cells[1], model, reader->ids, medoid);
    if (reader->given)
        return true;
    schema_slot_name(model, slot, name, SCHEMA_NAME_SIZE);
    cell_string(&cells[2], name);
    if (reader->texts != NULL)
        cell_text_of(&cells[4], model, reader->texts, (uint32_t)reader->numbers[i]);
    else if (schema_field_kind(model, field) == FIELD_CATEGORICAL)
        level_cell(&cells[4], model, field, reader->numbers[i]);
    else
        cell_number(&cells[3], reader->numbers[i]);
    return true;
}

static const Table medoids = {.name = "medoids",
                              .columns = MEDOID_COLUMNS,
                              .open = open_medoids,
                              .row = medoid_row};

/* ---- members ---- */

typedef struct MemberReader {
    const ModelEntry *ids, *medoid_ids;
    const int32_t *clusters;
} MemberReader;

static bool has_members(const Model *model)
{
    return model_find(model, "member_ids") != NULL;
}

static void *open_members(Env *env, const Model *model, uint64_t *rows)
{
    MemberReader *reader = env_array(env, 1, sizeof *reader);

    reader->ids = model_find(model, "member_ids");
    reader->medoid_ids = model_find(model, "ids");
    reader->clusters = model_data(model, model_find(model, "member_clusters"));
    *rows = reader->ids->rows;
    return reader;
}

static bool member_row(Env *env, const Model *model, void *data, uint64_t i, Cell *cells)
{
    const MemberReader *reader = data;
    uint32_t length, medoid_length = 0, cluster = (uint32_t)reader->clusters[i];
    const char *id = model_text(model, reader->ids, (uint32_t)i, &length);
    const char *medoid = reader->medoid_ids != NULL ? model_text(model, reader->medoid_ids, cluster, &medoid_length) : NULL;

    cell_text(&cells[0], id, length);
    cell_integer(&cells[1], (int64_t)cluster + 1);
    cell_string(&cells[2], medoid != NULL && medoid_length == length && memcmp(id, medoid, length) == 0 ? "medoid" : "member");
    return true;
}

static const Table members = {.name = "members",
                              .columns = {{"id", CELL_TEXT},
                                          {"cluster", CELL_INTEGER},
                                          {"kind", CELL_TEXT},
                                          {"probability", CELL_NUMBER},
                                          {"outlier_score", CELL_NUMBER}},
                              .has = has_members,
                              .open = open_members,
                              .row = member_row};

const Table *const medoid_tables[] = {&medoids, &members, NULL};
