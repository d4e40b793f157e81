/*
 * ensemble_explain.c - what moved the prediction of an ensemble of regressions, the ensemble as SQL (weighted sums of what its
 * members say), and its summary.
 */
#include "core/estimator/classifier_output.h"
#include "core/estimator/explanation.h"
#include "core/model/report_text.h"
#include "core/tree/ensemble.h"

#include <math.h>

#define TOLERANCE 1e-6 /* of the sum of all contributions: rounding errors are far below it */

/* Fails unless a member's contributions, one per number of its row, add up to what it predicts. */
static void require_sum(Env *env, const EnsembleMember *member, uint32_t number, const Explanation *lines, uint32_t count)
{
    double sum = 0, size = 0, predicted = member->estimator->scoring->predict(member->model, member->prepared, member->row);

    for (uint32_t i = 0; i < count; i++) {
        sum += lines[i].contribution;
        size += fabs(lines[i].contribution);
    }
    if (count != member->model->slot_count + 1 || fabs(sum - predicted) > TOLERANCE * size)
        env_fail(env, ERROR_KIND, "Explain the members themselves.",
                 "model %u of the ensemble, a model of %.31s, has no contributions that add up to its prediction", number + 1,
                 member->estimator->name);
}

uint32_t ensemble_explain(Env *env, const Model *model, const void *prepared, const double *slots, Explanation **out)
{
    const EnsembleView *view = prepared;
    ExplanationList list = explanation_list(env, model, slots, 1);
    double *parts = env_array(env, (size_t)model->slot_count + 1, sizeof(double)), base = 0;

    for (uint32_t i = 0; i < view->count; i++) {
        const EnsembleMember *member = &view->members[i];
        Explanation *lines;
        uint32_t count;

        if (member->estimator->scoring->explain == NULL)
            env_fail(env, ERROR_KIND, "Explain the members that can be explained.",
                     "model %u of the ensemble, a model of %.31s, cannot be explained", i + 1, member->estimator->name);
        if (!ensemble_translate(member, slots))
            return 0;
        count = member->estimator->scoring->explain(env, member->model, member->prepared, member->row, &lines);
        require_sum(env, member, i, lines, count);
        base += member->weight * lines[0].contribution;
        for (uint32_t s = 0; s < member->model->slot_count; s++)
            parts[member->slot[s]] += member->weight * lines[s + 1].contribution;
    }
    explanation_base(&list, NULL, base);
    for (uint32_t s = 0; s < model->slot_count; s++)
        explanation_slot(&list, s, parts[s]);
    *out = list.lines;
    return list.count;
}

/* Writes a member over the columns of the ensemble's row, which may be expressions. */
static char *member_to_sql(Env *env, const Model *model, const EnsembleMember *member)
{
    const char *const *columns = env->sql_columns;
    const char **own;
    char *sql;

    if (columns == NULL)
        return member->estimator->to_sql(env, member->model);
    own = env_array(env, (size_t)member->model->field_count + 1, sizeof(char *));
    for (uint32_t s = 0; s < member->model->slot_count; s++)
        own[schema_slot_field(member->model, s)] = columns[schema_slot_field(model, member->slot[s])];
    env->sql_columns = own;
    sql = member->estimator->to_sql(env, member->model);
    env->sql_columns = columns;
    return sql;
}

char *ensemble_to_sql(Env *env, const Model *model)
{
    TextBuffer report = {.env = env};
    EnsembleView view;
    const char *wrong = ensemble_open(env, model, &view);

    if (wrong != NULL)
        env_fail(env, ERROR_CORRUPT, NULL, "%s", wrong);
    for (uint32_t i = 0; i < view.count; i++) {
        const EnsembleMember *member = &view.members[i];

        if (member->estimator->to_sql == NULL || classifier_output_any(member->model))
            env_fail(env, ERROR_KIND, "Write the members that can be written.",
                     "model %u of the ensemble, a model of %.31s, cannot be written as an SQL expression", i + 1,
                     member->estimator->name);
        text_add(&report, i > 0 ? "\n + " : "");
        sql_number(&report, member->weight);
        text_add(&report, " * (");
        text_add(&report, member_to_sql(env, model, member));
        text_add(&report, ")");
    }
    return text_finish(&report, NULL);
}

/* ---- summary ---- */

#define SUMMARY_MEMBERS 30

/* Adds "classes: no, yes". */
static void put_classes(TextBuffer *report, Env *env, const Model *model)
{
    uint32_t classes = dictionary_size(model, DICTIONARY_CLASSES);

    text_print(report, "classes: ");
    for (uint32_t c = 0; c < classes && c < 20; c++)
        text_print(report, "%s%s", c > 0 ? ", " : "", class_string(env, model, c));
    if (classes > 20)
        text_print(report, ", and %u more", classes - 20);
    text_print(report, "\n");
}

char *ensemble_summary(Env *env, const Model *model)
{
    TextBuffer report = {.env = env};
    EnsembleView view;
    const char *wrong = ensemble_open(env, model, &view);

    if (wrong != NULL)
        env_fail(env, ERROR_CORRUPT, NULL, "a model of %.31s is damaged: %s", model->estimator, wrong);
    text_print(&report, "%s: ", model->estimator);
    report_formula(&report, model, true);
    if (view.classes > 0)
        put_classes(&report, env, model);
    text_print(&report, "\nmodel                           weight        rows\n");
    for (uint32_t i = 0; i < view.count && i < SUMMARY_MEMBERS; i++) {
        report_padded(&report, view.members[i].estimator->name, 26);
        report_cell(&report, view.members[i].weight, 12, 4);
        text_print(&report, "%12llu\n", (unsigned long long)view.members[i].model->rows);
    }
    if (view.count > SUMMARY_MEMBERS)
        text_print(&report, "... and %u more\n", view.count - SUMMARY_MEMBERS);
    text_print(&report, "\n%s", view.vote              ? "the models vote for classes"
                               : view.classes > 0 ? "probabilities are averaged"
                                                  : "predictions are averaged");
    return report.text;
}
