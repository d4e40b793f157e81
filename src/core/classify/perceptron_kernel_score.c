/*
 * perceptron_kernel_score.c - scores, check and summary of kernel perceptrons, also of voted ones (Freund & Schapire 1999).
 *
 * The perceptron after each mistake is the one before it plus a step along one row, so one pass over the mistakes gives the scores of
 * all voters.
 */
#include "core/linear_equations/linear_classifier.h"
#include "core/classify/perceptron_kernel.h"

#include "core/kernel_methods/kernel_model.h"
#include "core/kernel_methods/support_vector_table.h"
#include "core/model/report_text.h"

#include <math.h>

#define MOST_VOTES ((int64_t)1 << 53) /* exact as a double */

/* What prepare makes. */
typedef struct Voters {
    KernelScorer *scorer;
    double *values; /* [rows rounded up to KERNEL_PANEL] kernel values; NULL: not a voted model */
    const double *steps;
    const int64_t *rows, *counts;
    uint32_t count;
} Voters;

const ArraySpec perceptron_vote_arrays[3] = {
    {.name = "steps", .type = ARRAY_F64, .presence = ARRAY_WITH, .other = "vote_rows", .rows = {SIZE_ROWS}, .data_at = VIEW_AT(Voters, steps)},
    {.name = "vote_counts",
     .type = ARRAY_I64,
     .presence = ARRAY_WITH,
     .other = "vote_rows",
     .values = VALUES_POSITIVE,
     .rows = {SIZE_FREE},
     .data_at = VIEW_AT(Voters, counts)},
    {.name = "vote_rows",
     .type = ARRAY_I64,
     .presence = ARRAY_OPTIONAL,
     .values = VALUES_INDEX,
     .below = SIZE_ROWS,
     .rows = {SIZE_FREE},
     .data_at = VIEW_AT(Voters, rows),
     .rows_at = VIEW_AT(Voters, count)}};
static const ArrayTable view_tables[] = ARRAY_TABLES(ARRAY_TABLE(perceptron_vote_arrays));

const char *perceptron_kernel_check(Env *env, const Model *model)
{
    const ModelEntry *rows = model_find(model, "vote_rows"), *counts = model_find(model, "vote_counts");
    const char *wrong = kernel_classifier_check(env, model);
    const int64_t *votes;
    int64_t all = 0;

    if (wrong != NULL || rows == NULL)
        return wrong;
    if (dictionary_size(model, DICTIONARY_CLASSES) != 2 || multiclass_coded(model))
        return "a voted perceptron has two classes";
    if (rows->rows != counts->rows || rows->rows == 0)
        return "\"vote_rows\" and \"vote_counts\" differ in length, or are empty";
    votes = model_data(model, counts);
    for (uint32_t v = 0; v < counts->rows; v++) {
        if (votes[v] > MOST_VOTES - all)
            return "\"vote_counts\" counts too many rows";
        all += votes[v];
    }
    return NULL;
}

void *perceptron_kernel_prepare(Env *env, const Model *model, size_t *bytes)
{
    Voters *voters = env_array(env, 1, sizeof(Voters));
    size_t rows;

    voters->scorer = kernel_model_prepare(env, model, bytes);
    *bytes += sizeof(Voters);
    view_arrays(model, view_tables, voters);
    if (voters->rows == NULL)
        return voters;
    rows = ((size_t)voters->scorer->view.count + KERNEL_PANEL - 1) / KERNEL_PANEL * KERNEL_PANEL;
    voters->values = env_array(env, rows, sizeof(double));
    *bytes += rows * sizeof(double);
    return voters;
}

/* Returns sum c sign(f) / sum c over the voters, in [-1, 1]; one whose score is 0 abstains. */
static double votes(const Voters *voters, const double *slots)
{
    const KernelScorer *scorer = voters->scorer;
    const KernelView *view = &scorer->view;
    uint32_t segment = kernel_segment(view);
    int64_t sum = 0, all = 0;
    double score = 0;

    kernel_view_point(view, slots, scorer->point);
    for (uint32_t first = 0; first < view->count; first += segment) {
        uint32_t count = view->count - first < segment ? view->count - first : segment;

        kernel_points_values(&scorer->points, scorer->point, first, count, voters->values + first);
        scorer->env->poll(scorer->env);
    }
    for (uint32_t v = 0; v < voters->count; v++) {
        score += voters->steps[voters->rows[v]] * voters->values[voters->rows[v]];
        sum += score > 0 ? voters->counts[v] : score < 0 ? -voters->counts[v] : 0;
        all += voters->counts[v];
        if (v % (1u << 20) == 0)
            scorer->env->poll(scorer->env);
    }
    return (double)sum / (double)all;
}

void perceptron_kernel_decisions(const Model *model, const void *prepared, const double *slots, double *out)
{
    const Voters *voters = prepared;

    if (voters->rows != NULL)
        out[0] = votes(voters, slots);
    else
        kernel_model_decisions(model, voters->scorer, slots, out);
}

uint32_t perceptron_kernel_classify(const Model *model, const void *prepared, const double *slots)
{
    const Voters *voters = prepared;

    if (voters->rows == NULL)
        return kernel_model_classify(model, voters->scorer, slots);
    return class_rule_pick(&voters->scorer->rule, votes(voters, slots));
}

const Table *const perceptron_kernel_tables[] = {&support_vector_table, NULL};

char *perceptron_kernel_summary(Env *env, const Model *model)
{
    TextBuffer report = {.env = env};
    KernelView view;

    kernel_view(model, &view);
    text_print(&report, "perceptron: ");
    report_formula(&report, model, true);
    linear_classifier_put_classes(&report, model, view.problems == 1);
    linear_classifier_put_strategy(&report, model, view.problems);
    text_print(&report, "\n");
    report_rows(&report, model);
    text_print(&report, "\n");
    kernel_model_report(&report, model);
    text_print(&report, "\nsupport vectors: %u, binary problems: %u\nmistakes: %.0f in %.0f passes, %s", view.count, view.problems,
               model_fact(model, "updates", NAN), model_fact(model, "iterations", NAN),
               model_fact(model, "converged", 0) > 0 ? "converged" : "not converged");
    return report.text;
}
