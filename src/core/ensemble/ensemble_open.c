/*
 * ensemble_open.c - decodes the members of an ensemble, and translates rows for them.
 */
#include "core/ensemble/ensemble_schema.h"
#include "core/estimator/classifier_output.h"

#include <math.h>
#include <string.h>

/* ---- decoding ---- */

static bool is_ensemble(const char *estimator)
{
    return strncmp(estimator, "ensemble", 8) == 0;
}

/* Tells whether a model may be a member. Of a pipeline, whose last stage may be an ensemble, no stage is one: so values cannot nest without end. */
static bool may_be_member(Env *env, const Model *model)
{
    if (is_ensemble(model->estimator))
        return false;
    return !pipeline_is(model) || !nested_models_any(env, model, &pipeline_nesting, is_ensemble);
}

const Nesting ensemble_nesting = {.owner = "ensemble",
                                  .part = "member",
                                  .forms = "members",
                                  .lengths = "member_bytes",
                                  .most = ENSEMBLE_MOST,
                                  .allows = may_be_member};

/* Returns the first slot of each field, [fields]. */
static uint32_t *first_slots(Env *env, const Model *model)
{
    uint32_t *first = env_array(env, (size_t)model->field_count + 1, sizeof(uint32_t));

    for (uint32_t f = 0; f < model->field_count; f++)
        first[f + 1] = first[f] + schema_field_width(model, f);
    return first;
}

/* Finds where the ensemble has the numbers of a field of a member. Returns false if it has no such field. */
static bool match_field(Env *env, const Model *model, EnsembleMember *member, uint32_t f, const uint32_t *ours,
                        const uint32_t *theirs, uint32_t *field_of)
{
    const Model *reads = member->reads;
    uint32_t at = f, width = schema_field_width(reads, f);
    bool named = (model->flags & MODEL_NAMED) != 0;

    if (named != ((reads->flags & MODEL_NAMED) != 0))
        return false;
    if (named) {
        SchemaView view;
        uint32_t length;
        const char *text;
        int found;

        schema_view(reads, &view);
        text = model_text(reads, view.field_names, f, &length);
        found = schema_find_field(model, text, length);
        if (found < 0)
            return false;
        at = (uint32_t)found;
    }
    env->poll(env);
    if (at >= model->field_count || schema_field_kind(model, at) != schema_field_kind(reads, f) ||
        schema_field_width(model, at) != width)
        return false;
    field_of[f] = at;
    for (uint32_t i = 0; i < width; i++) {
        member->slot[theirs[f] + i] = ours[at] + i;
        member->category[theirs[f] + i] = schema_field_kind(model, at) == FIELD_CATEGORICAL;
        member->null_level[theirs[f] + i] =
            member->category[theirs[f] + i] ? dictionary_find(reads, DICTIONARY_LEVELS, f, "", 0, true) : -1;
    }
    return true;
}

/* Finds the levels of a member in the dictionary of the ensemble. Levels that it lacks can never be asked for. */
static void match_levels(Env *env, const Model *model, EnsembleMember *member, const uint32_t *field_of)
{
    const Model *reads = member->reads;
    uint32_t ours = dictionary_size(model, DICTIONARY_LEVELS), theirs = dictionary_size(reads, DICTIONARY_LEVELS);

    member->level = env_array(env, (size_t)ours + 1, sizeof(int32_t));
    for (uint32_t l = 0; l < ours; l++)
        member->level[l] = -1;
    for (uint32_t l = 0; l < theirs; l++) {
        uint32_t length, field = field_of[dictionary_field(reads, l)];
        const char *text = dictionary_text(reads, DICTIONARY_LEVELS, l, &length);
        bool is_null = isinf(dictionary_key(reads, DICTIONARY_LEVELS, l));
        int at = dictionary_find(model, DICTIONARY_LEVELS, field, text, length, is_null);

        if (l % 64 == 0)
            env->poll(env);
        if (at >= 0)
            member->level[at] = (int32_t)l;
    }
}

/* Opens what comes between the row that a member reads and the one that it scores. */
static void open_stages(Env *env, EnsembleMember *member)
{
    const Model *first = member->whole;

    member->formula = formula_model(env, member->whole);
    if (pipeline_is(member->whole)) {
        member->pipeline = pipeline_opened(env, member->whole);
        member->model = member->pipeline->stages[member->pipeline->count - 1].model;
        first = member->pipeline->stages[0].model;
    }
    member->estimator = estimator_of(member->model);
    member->reads = member->formula != NULL ? member->formula->inputs : first;
    member->row = env_array(env, (size_t)member->model->slot_count + 1, sizeof(double));
    member->input = member->formula != NULL    ? member->formula->row
                    : member->pipeline != NULL ? member->pipeline->stages[0].row
                                               : member->row;
    member->offset = env_array(env, 1, sizeof(double));
}

static const char *open_member(Env *env, const Model *model, EnsembleMember *member, const uint32_t *ours)
{
    const Model *reads;
    uint32_t *theirs, *field_of;
    size_t slots;
    const Scoring *scoring;

    open_stages(env, member);
    reads = member->reads;
    slots = (size_t)reads->slot_count + 1;
    theirs = first_slots(env, reads);
    field_of = env_array(env, (size_t)reads->field_count + 1, sizeof(uint32_t));
    scoring = member->estimator->scoring;
    if (scoring == NULL || member->estimator->task != estimator_of(model)->task ||
        (member->estimator->task == TASK_REGRESSION ? scoring->predict == NULL : scoring->classify == NULL))
        return "a member does not have the task of the ensemble";
    member->slot = env_array(env, slots, sizeof(uint32_t));
    member->category = env_array(env, slots, sizeof(bool));
    member->null_level = env_array(env, slots, sizeof(int32_t));
    for (uint32_t f = 0; f < reads->field_count; f++)
        if (!match_field(env, model, member, f, ours, theirs, field_of))
            return env_message(env, "feature %u of a member is not a feature of the ensemble", f + 1);
    member->field = field_of;
    match_levels(env, model, member, field_of);
    member->impute = reads->flags & MODEL_IMPUTE && !model_nulls_are_values(reads->flags) ? model_f64(reads, "impute", NULL) : NULL;
    return NULL;
}

bool ensemble_same_classes(Env *env, const Model *model, const Model *member)
{
    uint32_t classes = dictionary_size(model, DICTIONARY_CLASSES);

    if (dictionary_size(member, DICTIONARY_CLASSES) != classes)
        return false;
    for (uint32_t c = 0; c < classes; c++)
        if (strcmp(class_string(env, model, c), class_string(env, member, c)) != 0)
            return false;
    return true;
}

const char *ensemble_open(Env *env, const Model *model, EnsembleView *view)
{
    uint32_t count, weights = 0, *ours = first_slots(env, model);
    const double *weight = model_f64(model, "weights", &weights);
    const uint8_t *vote = model_data(model, model_find(model, "vote"));
    const Model **members;
    const char *wrong = nested_models_read(env, model, &ensemble_nesting, &members, &count);

    if (wrong != NULL)
        return wrong;
    *view = (EnsembleView){.env = env, .count = count, .vote = *vote, .classes = dictionary_size(model, DICTIONARY_CLASSES)};
    if (weights != count || (view->vote && view->classes == 0))
        return env_message(env, "an ensemble of %u members and %u weights", count, weights);
    view->members = env_array(env, count, sizeof(EnsembleMember));
    view->shares = env_array(env, (size_t)view->classes + 1, sizeof(double));
    view->room = env_array(env, (size_t)view->classes + 1, sizeof(double));
    for (uint32_t i = 0; i < count; i++) {
        EnsembleMember *member = &view->members[i];

        member->weight = weight[i];
        member->model = member->whole = members[i];
        wrong = open_member(env, model, member, ours);
        if (wrong != NULL)
            return wrong;
        if (!ensemble_same_classes(env, model, member->model))
            return env_message(env, "member %u has other classes", i + 1);
        if (view->classes > 0 && !view->vote && !classifier_output_has_probabilities(member->estimator->scoring, member->model))
            return env_message(env, "member %u has no probabilities", i + 1);
    }
    return NULL;
}

void ensemble_prepare_members(Env *env, EnsembleView *view)
{
    for (uint32_t i = 0; i < view->count; i++) {
        EnsembleMember *member = &view->members[i];
        const Scoring *scoring = member->estimator->scoring;
        size_t bytes;

        if (member->pipeline != NULL) {
            pipeline_prepare_stages(env, member->pipeline);
            member->prepared = member->pipeline->stages[member->pipeline->count - 1].prepared;
        } else if (scoring_prepares(scoring, member->model)) {
            member->prepared = scoring->prepare(env, member->model, &bytes);
        }
    }
}

/* ---- rows ---- */

/* Makes the terms that a formula learned, and its offset, from the row that was read. */
static void expand_terms(Env *env, const EnsembleMember *member, double *out)
{
    const FormulaModel *formula = member->formula;
    const Model *first = member->pipeline != NULL ? member->pipeline->stages[0].model : member->model;
    bool branch = model_nulls_are_values(first->flags);

    formula_expand(formula->terms, member->input, out);
    if (formula->offsets)
        *member->offset = formula_offset(formula->terms, member->input);
    for (uint32_t s = 0; s < first->slot_count; s++)
        if (!isfinite(out[s]) && !(branch && isnan(out[s])))
            env_fail(env, ERROR_RANGE, NULL, "a term of the formula of a member, a model of %.31s, exceeds the range of double precision in this row",
                     member->model->estimator);
}

bool ensemble_translate(Env *env, const EnsembleMember *member, const double *slots)
{
    const Model *reads = member->reads;
    bool values = model_nulls_are_values(reads->flags);

    for (uint32_t s = 0; s < reads->slot_count; s++) {
        double x = slots[member->slot[s]];

        if (x != x && !values) {
            if (member->impute == NULL && !(member->category[s] && reads->flags & MODEL_IMPUTE))
                return false;
            x = !member->category[s] ? member->impute[s] : member->null_level[s] >= 0 ? member->null_level[s] : SLOT_UNSEEN;
        } else if (member->category[s] && x == x) {
            x = x >= 0 && member->level[(uint32_t)x] >= 0 ? member->level[(uint32_t)x] : SLOT_UNSEEN;
        }
        member->input[s] = x;
    }
    if (member->formula != NULL)
        expand_terms(env, member, member->pipeline != NULL ? member->pipeline->stages[0].row : member->row);
    return member->pipeline == NULL || pipeline_run(env, member->pipeline, member->pipeline->stages[0].row, member->row);
}

double ensemble_member_predict(const EnsembleMember *member)
{
    return scoring_predict(member->estimator->scoring, member->model, member->prepared, member->row, *member->offset);
}
