/*
 * ensemble_explain.c - what moved the prediction or the probabilities of an ensemble, the ensemble as SQL (weighted sums of what its
 * members say, or their votes), and its summary.
 */
#include "core/estimator/classifier_output.h"
#include "core/estimator/explanation.h"
#include "core/model/report_text.h"
#include "core/ensemble/ensemble.h"

#include <math.h>
#include <string.h>

#define TOLERANCE 1e-6 /* of the sum of all contributions: rounding errors are far below it */

/* What of a member's score the next equation explains: its prediction, or the probability of a class. */
typedef struct Explained {
    const EnsembleMember *member;
    uint32_t number;
    double *probabilities; /* NULL: it predicts a number */
    const Explanation *lines;
    uint32_t count;
} Explained;

/* Fails unless contributions, one per number of the member's row, add up to this. */
static void require_sum(Env *env, const Explained *of, const Explanation *lines, double score)
{
    double sum = 0, size = 0;

    for (uint32_t i = 0; i < of->member->model->slot_count + 1; i++) {
        sum += lines[i].contribution;
        size += fabs(lines[i].contribution);
    }
    if (!(fabs(sum - score) <= TOLERANCE * size))
        env_fail(env, ERROR_KIND, "Explain the members themselves.",
                 "model %u of the ensemble, a model of %.31s, has no contributions that add up to its %s", of->number + 1,
                 of->member->estimator->name, of->probabilities != NULL ? "probabilities" : "prediction");
}

/* Explains a member and its probabilities. Returns false for a row without an answer. */
static bool explain_member(Env *env, const EnsembleView *view, uint32_t number, const double *slots, Explained *of)
{
    const EnsembleMember *member = &view->members[number];
    const Scoring *scoring = member->estimator->scoring;
    Explanation *lines;
    uint32_t equations;

    if (scoring->explain == NULL || (view->classes > 0 && view->vote))
        env_fail(env, ERROR_KIND, "Explain the members that can be explained.",
                 view->vote ? "the votes of an ensemble cannot be explained: model %u, a model of %.31s, counts as one"
                            : "model %u of the ensemble, a model of %.31s, cannot be explained",
                 number + 1, member->estimator->name);
    if (member->input != member->row)
        env_fail(env, ERROR_KIND, "Explain the members themselves.",
                 "model %u of the ensemble, a model of %.31s, is explained by %s, not by features of the ensemble", number + 1,
                 member->whole->estimator, member->pipeline != NULL ? "what its pipeline makes of a row" : "the terms that its formula learned");
    *of = (Explained){.member = member, .number = number};
    if (!ensemble_translate(env, member, slots))
        return false;
    of->count = scoring->explain(env, member->model, member->prepared, member->row, &lines);
    of->lines = lines;
    equations = of->count / (member->model->slot_count + 1);
    if (view->classes > 0) {
        of->probabilities = env_array(env, view->classes, sizeof(double));
        classifier_output_probabilities(scoring, member->model, member->prepared, member->row, *member->offset, of->probabilities);
    }
    if (of->count != equations * (member->model->slot_count + 1) || equations != (view->classes > 2 ? view->classes : 1))
        env_fail(env, ERROR_KIND, "Explain the members themselves.",
                 "model %u of the ensemble, a model of %.31s, is explained by other terms than its features", number + 1,
                 member->estimator->name);
    return true;
}

/*
 * Adds what a member says about equation e. Of two classes the ensemble explains the last one; where the positive class of the
 * member is the first one, its contributions change sign.
 */
static void add_member(Env *env, const EnsembleView *view, const Explained *of, uint32_t e, double *base, double *parts)
{
    const EnsembleMember *member = of->member;
    const Explanation *lines = of->lines + (size_t)e * (member->model->slot_count + 1);
    bool turned = view->classes == 2 && class_rule_of(member->model).positive == 0;
    double sign = turned ? -member->weight : member->weight, score;

    if (view->classes == 0)
        score = ensemble_member_predict(member);
    else
        score = of->probabilities[view->classes == 2 ? !turned : e];
    require_sum(env, of, lines, score);
    *base += (turned ? member->weight : 0) + sign * lines[0].contribution;
    for (uint32_t s = 0; s < member->model->slot_count; s++)
        parts[member->slot[s]] += sign * lines[s + 1].contribution;
}

uint32_t ensemble_explain(Env *env, const Model *model, const void *prepared, const double *slots, Explanation **out)
{
    const EnsembleView *view = prepared;
    uint32_t equations = view->classes > 2 ? view->classes : 1;
    ExplanationList list = explanation_list(env, model, slots, equations);
    double *parts = env_array(env, (size_t)model->slot_count + 1, sizeof(double));
    Explained *members = env_array(env, view->count, sizeof(Explained));

    for (uint32_t i = 0; i < view->count; i++)
        if (!explain_member(env, view, i, slots, &members[i]))
            return 0;
    for (uint32_t e = 0; e < equations; e++) {
        double base = 0;

        memset(parts, 0, model->slot_count * sizeof(double));
        for (uint32_t i = 0; i < view->count; i++)
            add_member(env, view, &members[i], e, &base, parts);
        explanation_base(&list, equations > 1 ? class_string(env, model, e) : NULL, base);
        for (uint32_t s = 0; s < model->slot_count; s++)
            explanation_slot(&list, s, parts[s]);
    }
    *out = list.lines;
    return list.count;
}

/* ---- SQL ---- */

/* Writes a member, or its probability of a class (CLASS_NONE: none), over the columns of the ensemble's row, which may be expressions. */
static char *member_sql(Env *env, const EnsembleMember *member, uint32_t class)
{
    const char *const *columns = env->sql_columns;
    const Model *written = member->pipeline != NULL ? member->whole : member->model;
    const Estimator *estimator = estimator_of(written);
    const char **own = env_array(env, (size_t)member->reads->field_count + 1, sizeof(char *));
    char *sql, *offset = NULL;

    for (uint32_t f = 0; columns != NULL && f < member->reads->field_count; f++)
        own[f] = columns[member->field[f]];
    if (member->formula != NULL)
        env->sql_columns = formula_model_sql(env, member->whole, &offset);
    else if (columns != NULL)
        env->sql_columns = own;
    if (scoring_takes_offset(estimator->scoring))
        env->sql_offset = offset;
    sql = class == CLASS_NONE ? estimator->to_sql(env, written) : estimator->probability_sql(env, written, class);
    env->sql_columns = columns;
    env->sql_offset = NULL;
    if (offset != NULL && !scoring_takes_offset(estimator->scoring)) {
        TextBuffer out = {.env = env};

        text_add(&out, sql);
        text_add(&out, " + ");
        text_add(&out, offset);
        return text_finish(&out, NULL);
    }
    return sql;
}

/* Fails: a member has no expression. */
static void fail_unwritten(Env *env, const EnsembleMember *member, uint32_t number)
{
    env_fail(env, ERROR_KIND, "Write the members that can be written.",
             "model %u of the ensemble, a model of %.31s, cannot be written as an SQL expression", number + 1,
             member->estimator->name);
}

typedef struct ClassSql {
    const EnsembleView *view;
    const EnsembleMember *member; /* of a vote: whose class is written */
} ClassSql;

/* Adds the mean of the members' probabilities of a class, or of their predictions (CLASS_NONE). */
static void put_mean(TextBuffer *report, void *context, uint32_t class)
{
    const ClassSql *sql = context;

    for (uint32_t i = 0; i < sql->view->count; i++) {
        const EnsembleMember *member = &sql->view->members[i];

        text_add(report, i > 0 ? "\n + " : "");
        sql_number(report, member->weight);
        text_add(report, " * (");
        text_add(report, member_sql(report->env, member, class));
        text_add(report, ")");
    }
}

static void put_own(TextBuffer *report, void *context, uint32_t class)
{
    const EnsembleMember *member = ((const ClassSql *)context)->member;

    text_add(report, member_sql(report->env, member, class));
}

/* Adds the class that a member votes for. */
static void put_vote(TextBuffer *report, const EnsembleView *view, const EnsembleMember *member)
{
    ClassRule rule = class_rule_of(member->model);
    ClassSql sql = {view, member};

    if (view->classes != 2) {
        sql_best_class(report, member->model, put_own, &sql);
        return;
    }
    text_add(report, "CASE sign(");
    put_own(report, &sql, rule.positive);
    text_add(report, " - ");
    sql_number(report, rule.threshold);
    text_add(report, ")");
    for (int sign = 1; sign >= -1; sign--) {
        text_print(report, " WHEN %d THEN ", sign);
        sql_label(report, member->model, DICTIONARY_CLASSES, class_rule_pick(&rule, sign));
    }
    text_add(report, " END");
}

/* Adds the class with the most votes, the first of equals. */
static void put_winner(TextBuffer *report, const Model *model, const EnsembleView *view)
{
    text_add(report, "(SELECT label FROM (VALUES");
    for (uint32_t i = 0; i < view->count; i++) {
        text_add(report, i > 0 ? ",\n (" : "\n (");
        put_vote(report, view, &view->members[i]);
        text_add(report, ", ");
        sql_number(report, view->members[i].weight);
        text_add(report, ")");
    }
    text_add(report, ") AS vote (label, weight)\n WHERE label IS NOT NULL GROUP BY label ORDER BY sum(weight) DESC, array_position(ARRAY[");
    for (uint32_t c = 0; c < view->classes; c++) {
        text_add(report, c > 0 ? ", " : "");
        sql_label(report, model, DICTIONARY_CLASSES, c);
    }
    text_add(report, "]::text[], label) LIMIT 1)");
}

char *ensemble_to_sql(Env *env, const Model *model)
{
    TextBuffer report = {.env = env};
    EnsembleView view;
    ClassSql sql = {&view, NULL};
    const char *wrong = ensemble_open(env, model, &view);

    if (wrong != NULL)
        env_fail(env, ERROR_CORRUPT, NULL, "%s", wrong);
    for (uint32_t i = 0; i < view.count; i++) {
        const EnsembleMember *member = &view.members[i];
        bool written = view.classes > 0 ? member->pipeline == NULL && member->estimator->probability_sql != NULL &&
                                              model_nulls_are_values(member->model->flags)
                                        : member->estimator->to_sql != NULL;

        if (!written || classifier_output_any(member->model))
            fail_unwritten(env, member, i);
    }
    if (view.classes == 0)
        put_mean(&report, &sql, CLASS_NONE);
    else if (view.vote)
        put_winner(&report, model, &view);
    else
        sql_best_class(&report, model, put_mean, &sql);
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
        const EnsembleMember *member = &view.members[i];

        report_padded(&report, member->pipeline != NULL ? env_message(env, "-> %s", member->estimator->name) : member->estimator->name, 28);
        report_cell(&report, member->weight, 10, 4);
        text_print(&report, "%12llu\n", (unsigned long long)member->model->rows);
    }
    if (view.count > SUMMARY_MEMBERS)
        text_print(&report, "... and %u more\n", view.count - SUMMARY_MEMBERS);
    text_print(&report, "\n%s", view.vote              ? "the models vote for classes"
                               : view.classes > 0 ? "probabilities are averaged"
                                                  : "predictions are averaged");
    return report.text;
}
