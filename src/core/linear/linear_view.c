/*
 * linear_view.c - reading linear equations out of a model: the arrays of classifiers, the array "score", explanations.
 */
#include "core/linear/linear_view.h"
#include "core/base/all_finite.h"
#include "core/model/schema.h"

void linear_view(const Model *model, LinearView *view)
{
    const ModelEntry *first = model_entries(model), *entry = first + model->entry_count;
    const double *intercept = NULL;

    memset(view, 0, sizeof(*view));
    view->equations = 1;
    view->slots = model->slot_count;
    while (entry-- > first && entry->section == SECTION_ARRAYS) {
        const void *data = (const char *)model + entry->offset;
        const char *name = entry->name;

        switch (name[0]) {
        case 'c':
            if (strcmp(name, "coef") == 0) {
                view->coef = data;
                view->equations = entry->dimensions == 2 ? entry->rows : 1;
                view->columns = entry->dimensions == 2 ? entry->columns : entry->rows;
            } else if (strcmp(name, "center") == 0) {
                view->center = data;
            } else if (strcmp(name, "class_rule") == 0) {
                view->class_rule = data;
            }
            break;
        case 'i':
            if (strcmp(name, "intercept") == 0)
                intercept = data;
            break;
        case 'l':
            if (strcmp(name, "link") == 0) {
                view->link = (LinearLink) * (const int64_t *)data;
            } else if (strcmp(name, "level_slots") == 0) {
                view->level_slots = data;
                view->categorical = entry->rows;
            }
            break;
        case 'o':
            if (strcmp(name, "offset") == 0)
                view->offset = data;
            break;
        default:
            break;
        }
    }
    view->levels = view->columns - view->slots;
    if (view->offset == NULL)
        view->offset = intercept;
}

void linear_view_explain(const LinearView *view, uint32_t equation, const double *slots, ExplanationList *list)
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

double linear_score_intercept(const double *score, uint32_t slots)
{
    return linear_intercept(score[0], score + 3, score + 3 + slots, slots);
}

void linear_require_score(Env *env, const double *score, uint32_t size)
{
    if (!all_finite(score, size))
        env_fail(env, ERROR_RANGE, "Divide large features or the target by a power of ten.",
                 "the numbers from which scores are computed exceed the range of double precision");
}

uint32_t linear_terms(const Model *model)
{
    return model_find(model, "coef")->rows;
}
