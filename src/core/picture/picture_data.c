/*
 * picture_data.c - columns of data for a picture, which grow row by row.
 */
#include "core/picture/picture_data.h"
#include "core/picture/picture_axis.h"
#include "core/base/hash_table.h"
#include "core/base/sort.h"
#include "core/base/text_buffer.h"

#include <stdlib.h>
#include <string.h>

PictureData *picture_data_new(Env *env, const char *const *names, uint32_t count)
{
    PictureData *data = env_array(env, 1, sizeof *data);

    data->env = env;
    data->column_count = count;
    data->columns = env_array(env, count + 1, sizeof(PictureColumn));
    for (uint32_t c = 0; c < count; c++)
        data->columns[c].name = names[c];
    return data;
}

/* Makes room for more rows in each column. */
static void grow(PictureData *data)
{
    uint64_t room = data->room > 0 ? 2 * data->room : 64;
    uint32_t kept = 0;
    Env *env = data->env;

    for (uint32_t c = 0; c < data->column_count; c++)
        kept += !data->columns[c].unused;
    env_require_memory(env, (size_t)room * kept * (sizeof(double) + sizeof(PictureText)) + 2 * data->bytes, "plot");
    for (uint32_t c = 0; c < data->column_count; c++) {
        PictureColumn *column = &data->columns[c];

        if (column->unused)
            continue;
        env->poll(env);
        column->numbers = env->resize(env, column->numbers, room * sizeof(double));
        if (column->texts != NULL)
            column->texts = env->resize(env, column->texts, room * sizeof(PictureText));
        if (column->lists != NULL)
            column->lists = env->resize(env, column->lists, room * sizeof(PictureList));
    }
    data->room = room;
}

uint64_t picture_data_row(PictureData *data)
{
    uint64_t row = data->rows;

    if (row == data->room)
        grow(data);
    for (uint32_t c = 0; c < data->column_count; c++) {
        PictureColumn *column = &data->columns[c];

        if (column->unused)
            continue;
        column->numbers[row] = NAN;
        if (column->texts != NULL)
            column->texts[row] = (PictureText){NULL, 0};
        if (column->lists != NULL)
            column->lists[row] = (PictureList){NULL, 0};
    }
    data->rows++;
    return row;
}

void picture_data_number(PictureData *data, uint32_t column, double number)
{
    if (data->columns[column].boolean && number != 0 && number != 1)
        env_fail(data->env, ERROR_DATA, "Pass true or false, or 1 or 0.", "column \"%.60s\" is %g in a row, and the model reads it as a boolean", data->columns[column].name, number);
    data->columns[column].numbers[data->rows - 1] = number;
}

void picture_data_text(PictureData *data, uint32_t column, PictureText text)
{
    PictureColumn *into = &data->columns[column];

    if (into->texts == NULL)
        into->texts = env_array(data->env, data->room, sizeof(PictureText));
    into->texts[data->rows - 1] = text;
}

void picture_data_list(PictureData *data, uint32_t column, PictureList list)
{
    PictureColumn *into = &data->columns[column];

    if (into->lists == NULL)
        into->lists = env_array(data->env, data->room, sizeof(PictureList));
    into->lists[data->rows - 1] = list;
}

void picture_data_copy(PictureData *data, uint32_t column, const char *bytes, uint32_t length)
{
    const PictureColumn *into = &data->columns[column];
    PictureText text = {bytes, length}, before = data->rows > 1 ? picture_text_of(into, data->rows - 2) : (PictureText){NULL, 0};

    if (before.bytes != NULL && picture_text_equal(before, text)) {
        picture_data_text(data, column, before);
        return;
    }
    text.bytes = env_text(data->env, bytes, length);
    data->bytes += length + 1;
    picture_data_text(data, column, text);
}

const PictureColumn *picture_data_find(const PictureData *data, const char *name)
{
    for (uint32_t c = 0; c < data->column_count; c++)
        if (!data->columns[c].unused && strcmp(data->columns[c].name, name) == 0)
            return &data->columns[c];
    return NULL;
}

const PictureColumn *picture_data_column(const PictureData *data, const char *name)
{
    const PictureColumn *column = picture_data_find(data, name);
    TextBuffer names = {.env = data->env};

    if (column != NULL)
        return column;
    for (uint32_t c = 0; c < (data->score != PICTURE_NO_SCORE ? data->scored : data->column_count); c++)
        text_print(&names, "%s%s", c > 0 ? ", " : "", data->columns[c].name);
    env_fail(data->env, ERROR_PARAMETER, env_message(data->env, "The columns are %.150s.", text_finish(&names, NULL)),
             "the rows of plot have no column \"%.63s\"", name);
}

bool picture_text_equal(PictureText a, PictureText b)
{
    return (a.bytes == NULL) == (b.bytes == NULL) && a.length == b.length && (a.length == 0 || memcmp(a.bytes, b.bytes, a.length) == 0);
}

PictureText picture_string(const char *string)
{
    return (PictureText){string, string != NULL ? (uint32_t)strlen(string) : 0};
}

PictureText picture_written(Env *env, const PictureColumn *column, uint64_t row)
{
    PictureText text = picture_text_of(column, row);
    char time[TICK_TEXT];

    if (column->boolean && !isnan(column->numbers[row]))
        return picture_string(column->numbers[row] != 0 ? "true" : "false");
    if (text.bytes == NULL && !isnan(column->numbers[row]))
        text = picture_string(column->time ? env_message(env, "%s", time_text(column->numbers[row], time)) : env_message(env, "%.15g", column->numbers[row]));
    return text;
}

PictureGroups picture_groups(const PictureData *data, const PictureColumn *column)
{
    Env *env = data->env;
    PictureGroups groups = {.group = env_array(env, data->rows + 1, sizeof(uint32_t))};
    HashTable table = hash_table(env, 4);
    uint32_t room = 0;

    for (uint64_t i = 0; i < data->rows; i++) {
        PictureText text = picture_written(env, column, i);
        uint32_t hash = hash_bytes(text.bytes != NULL ? text.bytes : "", text.length), place = hash_start(&table, hash), entry;

        env_poll_rows(env, i);
        while ((entry = hash_next(&table, hash, &place)) != HASH_NONE && !picture_text_equal(groups.names[entry], text))
            ;
        if (entry == HASH_NONE) {
            entry = hash_add(env, &table, hash);
            groups.names = env_grow(env, groups.names, entry, &room, sizeof(PictureText));
            groups.names[entry] = text;
            groups.count = entry + 1;
        }
        groups.group[i] = entry;
    }
    return groups;
}

uint32_t *picture_pairs(const PictureData *data, const PictureGroups *a, const PictureGroups *b, uint32_t *count)
{
    Env *env = data->env;
    uint32_t *pair = env_array(env, data->rows + 1, sizeof(uint32_t)), room = 0;
    uint64_t *pairs = NULL;
    HashTable table = hash_table(env, 4);

    *count = 0;
    for (uint64_t i = 0; i < data->rows; i++) {
        uint64_t both = (uint64_t)a->group[i] << 32 | b->group[i];
        uint32_t hash = hash_64(both), place = hash_start(&table, hash), entry;

        env_poll_rows(env, i);
        while ((entry = hash_next(&table, hash, &place)) != HASH_NONE && pairs[entry] != both)
            ;
        if (entry == HASH_NONE) {
            entry = hash_add(env, &table, hash);
            pairs = env_grow(env, pairs, entry, &room, sizeof(uint64_t));
            pairs[entry] = both;
            *count = entry + 1;
        }
        pair[i] = entry;
    }
    return pair;
}

typedef struct NamedGroup {
    PictureText name;
    double number; /* NaN: the name is none */
    uint32_t group;
} NamedGroup;

static int compare_names(const void *left, const void *right)
{
    const NamedGroup *a = left, *b = right;
    uint32_t shorter = a->name.length < b->name.length ? a->name.length : b->name.length;
    int order = shorter > 0 ? memcmp(a->name.bytes, b->name.bytes, shorter) : 0;

    if (isnan(a->number) != isnan(b->number))
        return isnan(a->number) ? 1 : -1;
    if (!isnan(a->number) && a->number != b->number)
        return a->number < b->number ? -1 : 1;
    return order != 0 ? order : (a->name.length > b->name.length) - (a->name.length < b->name.length);
}

PictureGroups picture_groups_sorted(const PictureData *data, const PictureColumn *column)
{
    PictureGroups groups = picture_groups(data, column);
    NamedGroup *named = env_array(data->env, groups.count + 1, sizeof(NamedGroup));
    uint32_t *place = env_array(data->env, groups.count + 1, sizeof(uint32_t));

    for (uint32_t i = 0; i < groups.count; i++) {
        const char *text = groups.names[i].length > 0 ? env_text(data->env, groups.names[i].bytes, groups.names[i].length) : "";
        char *end;
        double number = strtod(text, &end);

        env_poll_rows(data->env, i);
        named[i] = (NamedGroup){groups.names[i], text[0] != '\0' && *end == '\0' ? number : NAN, i};
    }
    sort_polled(data->env, named, groups.count, sizeof(NamedGroup), compare_names);
    for (uint32_t i = 0; i < groups.count; i++) {
        env_poll_rows(data->env, i);
        groups.names[i] = named[i].name;
        place[named[i].group] = i;
    }
    for (uint64_t i = 0; i < data->rows; i++) {
        env_poll_rows(data->env, i);
        groups.group[i] = place[groups.group[i]];
    }
    return groups;
}
