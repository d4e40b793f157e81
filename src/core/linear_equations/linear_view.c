/*
 * linear_view.c - reading linear equations out of a model: the view, explanations, terms.
 */
#include "core/linear_equations/linear_view.h"
#include "core/linalg/qr_factor.h"
#include "core/model/schema.h"

#include <string.h>

/* The first eight bytes of an array's name, which tell all names below apart. */
static inline uint64_t name_key(const char *name)
{
    uint64_t key;

    memcpy(&key, name, sizeof(key));
    return key;
}

/*
 * Scores of one row call this, so it compares names as numbers instead of searching for one after the other.
 */
void linear_view(const Model *model, LinearView *view)
{
    const ModelEntry *first = model_entries(model), *entry = first + model->entry_count;

    memset(view, 0, sizeof(*view));
    view->slots = model->slot_count;
    while (entry-- > first && entry->section == SECTION_ARRAYS) {
        const void *data = (const char *)model + entry->offset;
        uint64_t key = name_key(entry->name);

        if (key == name_key("offset\0")) {
            view->offset = data;
        } else if (key == name_key("intercep")) {
            view->intercept = data;
        } else if (key == name_key("coef\0\0\0")) {
            view->coef = data;
            view->equations = entry->dimensions == 2 ? entry->rows : 1;
            view->columns = entry->dimensions == 2 ? entry->columns : entry->rows;
        } else if (key == name_key("center\0")) {
            view->center = data;
        } else if (key == name_key("level_sl")) {
            view->level_slots = data;
            view->categorical = entry->rows;
        } else if (key == name_key("link\0\0\0")) {
            view->link = (LinearLink) * (const int64_t *)data;
        } else if (key == name_key("class_ru")) {
            view->class_rule = data;
        }
    }
    view->levels = view->columns - view->slots;
    if (view->offset == NULL)
        view->offset = view->intercept;
}

/*
 * A prediction takes less time than linear_view, so this reads only what a regression scores with, from the end of the
 * directory down to "coef". Names are in order: "center" is the one below.
 */
double linear_equation_score(const Model *model, const void *prepared, const double *slots)
{
    const ModelEntry *entry = model_entries(model) + model->entry_count - 1;
    LinearView view = {.slots = model->slot_count};
    bool centered = false;
    uint64_t key;

    (void)prepared;
    while ((key = name_key(entry->name)) != name_key("coef\0\0\0")) {
        const void *data = (const char *)model + entry->offset;

        if (key == name_key("offset\0")) {
            view.offset = data;
            centered = true;
        } else if (key == name_key("intercep")) {
            if (!centered)
                view.offset = data;
        } else if (key == name_key("level_sl")) {
            view.level_slots = data;
            view.categorical = entry->rows;
        }
        entry--;
    }
    view.coef = (const double *)((const char *)model + entry->offset);
    view.levels = entry->rows - view.slots;
    if (centered)
        view.center = (const double *)((const char *)model + entry[-1].offset);
    return linear_view_score(&view, 0, slots);
}

/* Adds the contributions of one equation, slot by slot. */
static void explain_slots(const LinearView *view, uint32_t equation, const double *slots, ExplanationList *list)
{
    const double *coef = view->coef + (size_t)equation * view->columns;
    uint32_t slot = 0;

    for (uint32_t f = 0; f < list->model->field_count; f++) {
        bool categorical = schema_field_kind(list->model, f) == FIELD_CATEGORICAL;

        for (uint32_t i = 0; i < schema_field_width(list->model, f); i++, slot++) {
            double x = slots[slot];

            if (!categorical)
                explanation_slot(list, slot, (x - (view->center != NULL ? view->center[slot] : 0)) * coef[slot]);
            else
                explanation_slot(list, slot, x >= 0 && x < view->levels ? coef[view->slots + (uint32_t)x] : 0);
        }
    }
}

uint32_t linear_view_explain(Env *env, const Model *model, const LinearView *view, const double *slots,
                             char *const *names, Explanation **out)
{
    ExplanationList list = explanation_list(env, model, slots, view->equations);

    for (uint32_t e = 0; e < view->equations; e++) {
        explanation_base(&list, names != NULL ? names[e] : NULL, view->offset != NULL ? view->offset[e] : 0);
        explain_slots(view, e, slots, &list);
        env->poll(env);
    }
    *out = list.lines;
    return list.count;
}

/* ---- terms ---- */

/* Returns the flags of an array, or NULL. */
static const uint8_t *flags_of(const Model *model, const char *name)
{
    const ModelEntry *entry = model_find(model, name);

    return entry != NULL ? model_data(model, entry) : NULL;
}

const uint8_t *linear_dropped(const Model *model)
{
    return flags_of(model, "dropped");
}

LinearTerm *linear_terms(Env *env, const Model *model, uint32_t *count)
{
    uint32_t levels = dictionary_size(model, DICTIONARY_LEVELS), slot = 0;
    const uint8_t *reference = flags_of(model, "reference");
    LinearTerm *terms = env_array(env, (size_t)model->slot_count + levels + 1, sizeof(LinearTerm));

    *count = 0;
    for (uint32_t f = 0; f < model->field_count; f++) {
        uint32_t width = schema_field_width(model, f);

        if (schema_field_kind(model, f) != FIELD_CATEGORICAL) {
            for (uint32_t i = 0; i < width; i++)
                terms[(*count)++] = (LinearTerm){slot + i, -1, slot + i};
        } else {
            /* a fitted model has its levels in order of the fields; others cost a search */
            for (uint32_t level = 0; level < levels; level++)
                if (dictionary_field(model, level) == f && !reference[level])
                    terms[(*count)++] = (LinearTerm){slot, level, model->slot_count + level};
        }
        slot += width;
    }
    return terms;
}

uint32_t linear_term_count(const Model *model)
{
    uint32_t levels = dictionary_size(model, DICTIONARY_LEVELS), count = model->slot_count + levels;
    const uint8_t *reference = flags_of(model, "reference");

    for (uint32_t l = 0; l < levels; l++)
        count -= reference[l];
    for (uint32_t f = 0; f < model->field_count; f++)
        if (schema_field_kind(model, f) == FIELD_CATEGORICAL)
            count -= schema_field_width(model, f);
    return count;
}

const char **linear_term_names(Env *env, const Model *model, const LinearTerm *terms, uint32_t count)
{
    const char **names = env_array(env, (size_t)count + 1, sizeof(char *));

    for (uint32_t t = 0; t < count; t++) {
        char *name = env_array(env, 2 * SCHEMA_NAME_SIZE, 1);

        schema_term_name(model, terms[t].slot, terms[t].level, name, 2 * SCHEMA_NAME_SIZE);
        names[t] = name;
    }
    return names;
}

double *linear_row_terms(Env *env, const Model *model, const LinearView *view, const double *slots, bool centered, uint32_t *count)
{
    LinearTerm *terms = linear_terms(env, model, count);
    double *x = env_array(env, (size_t)*count + 1, sizeof(double));
    uint32_t length;
    const double *level_means = centered ? model_f64(model, "level_means", &length) : NULL;
    const double *center = centered ? view->center : NULL;

    for (uint32_t t = 0; t < *count; t++) {
        uint32_t slot = terms[t].slot;

        if (terms[t].level < 0)
            x[t] = slots[slot] - (center != NULL ? center[slot] : 0);
        else
            x[t] = (slots[slot] == (double)terms[t].level) - (level_means != NULL ? level_means[terms[t].level] : 0);
    }
    env->release(env, terms);
    return x;
}

double linear_variance_of(Env *env, const Model *model, const double *covariance, const double *slots, bool centered, double plus)
{
    double variance = plus, *x;
    uint32_t terms, first;
    LinearView view;

    linear_view(model, &view);
    first = view.intercept != NULL;
    if (first && !centered)
        variance += covariance[0];
    x = linear_row_terms(env, model, &view, slots, centered, &terms);
    for (uint32_t i = 0; i < terms; i++) {
        const double *column = covariance + factor_packed(i + first) + first;
        double sum = first && !centered ? column[-1] : 0;

        for (uint32_t j = 0; j < i; j++)
            sum += column[j] * x[j];
        variance += x[i] * (2 * sum + column[i] * x[i]);
    }
    env->release(env, x);
    return variance;
}

double linear_variance(Env *env, const Model *model, const double *slots, bool centered, double plus)
{
    uint32_t length;
    const double *covariance = model_f64(model, "covariance" MODEL_PACKED, &length);

    return covariance == NULL ? NAN : linear_variance_of(env, model, covariance, slots, centered, plus);
}
