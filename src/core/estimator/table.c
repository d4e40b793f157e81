/*
 * table.c - finds the tables that a model has.
 */
#include "core/estimator/table.h"

static const Table *const none[] = {NULL};

/* Returns the tables of the model's estimator, which come before the general ones, so that a method can replace these. */
static const Table *const *own_tables(const Model *model)
{
    const Estimator *estimator = estimator_of(model);

    return estimator != NULL && estimator->tables != NULL ? estimator->tables : none;
}

static bool has_table(const Table *table, const Model *model)
{
    return table->has == NULL || table->has(model);
}

static const Table *find(const Table *const *tables, const Model *model, const char *name)
{
    for (; *tables != NULL; tables++)
        if (strcmp((*tables)->name, name) == 0 && has_table(*tables, model))
            return *tables;
    return NULL;
}

const Table *table_of(const Model *model, const char *name)
{
    const Table *table = find(own_tables(model), model, name);

    return table != NULL ? table : find(general_tables, model, name);
}

static void list(TextBuffer *out, const Table *const *tables, const Model *model)
{
    for (; *tables != NULL; tables++)
        if (has_table(*tables, model)) {
            text_add(out, out->length > 0 ? ", " : "");
            text_add(out, (*tables)->name);
        }
}

char *table_names(Env *env, const Model *model)
{
    TextBuffer out = {.env = env};

    list(&out, own_tables(model), model);
    list(&out, general_tables, model);
    return text_finish(&out, NULL);
}
