/*
 * forest_model.c - what forests store beside trees, their check, the table of out-of-bag errors, and their summary.
 */
#include "core/forest/forest_model.h"
#include "core/model/report_text.h"

#include <math.h>

static const ArraySpec forest_arrays[] = {
    {.name = "hard_votes", .type = ARRAY_U8, .presence = ARRAY_OPTIONAL, .values = VALUES_POSITIVE, .rows = {SIZE_NUMBER, .plus = 1}},
    {.name = "importance_sum", .type = ARRAY_F64, .presence = ARRAY_OPTIONAL, .rows = {SIZE_SLOTS}},
    {.name = "oob_curve", .type = ARRAY_F64, .presence = ARRAY_OPTIONAL, .values = VALUES_ANY, .rows = {SIZE_FREE}},
    {.name = "permutation_importance", .type = ARRAY_F64, .presence = ARRAY_OPTIONAL, .rows = {SIZE_SLOTS}},
    {.name = "seeds", .type = ARRAY_I64, .values = VALUES_ANY, .rows = {SIZE_FREE}}};

static const ArraySpec forest_facts[] = {FACT("binned", ARRAY_BOOL),  FACT("depth", ARRAY_I64),     FACT("nodes", ARRAY_I64),
                                         FACT("oob_error", ARRAY_F64), FACT("oob_rows", ARRAY_I64),
                                         FACT("rows_hash", ARRAY_TEXT), FACT("trees", ARRAY_I64)};

const ArrayTable forest_class_tables[] =
    ARRAY_TABLES(TREE_CLASS_ARRAYS, ARRAY_TABLE(forest_arrays), ARRAY_TABLE(class_rule_arrays), FACT_TABLE(forest_facts));
const ArrayTable forest_number_tables[] = ARRAY_TABLES(TREE_NUMBER_ARRAYS, ARRAY_TABLE(forest_arrays), FACT_TABLE(forest_facts));

const char *forest_check(Env *env, const Model *model)
{
    const ModelEntry *curve = model_find(model, "oob_curve"), *trees = model_find(model, "tree_nodes");
    const char *wrong = tree_check(env, model);

    if (wrong == NULL && curve != NULL && curve->rows != trees->rows)
        wrong = "\"oob_curve\" has one error per tree";
    if (wrong == NULL)
        wrong = class_rule_check(model);
    return wrong;
}

/* ---- the table oob_curve ---- */

static bool has_curve(const Model *model)
{
    return model_find(model, "oob_curve") != NULL;
}

static void *open_curve(Env *env, const Model *model, uint64_t *rows)
{
    uint32_t count;
    const double *curve = model_f64(model, "oob_curve", &count);

    *rows = count;
    return (void *)curve;
}

static bool curve_row(Env *env, const Model *model, void *reader, uint64_t i, Cell *cells)
{
    cell_integer(&cells[0], (int64_t)i + 1);
    cell_number(&cells[1], ((const double *)reader)[i]);
    return true;
}

static const Table table_oob_curve = {.name = "oob_curve", .has = has_curve, .open = open_curve, .row = curve_row};

const Table *const forest_tables[] = {&table_tree_nodes, &table_importance, &table_oob_curve, NULL};

/* ---- summary ---- */

char *forest_summary(Env *env, const Model *model)
{
    TextBuffer report = {.env = env};
    bool labels = model_find(model, "leaf_classes") != NULL;
    double error = model_fact(model, "oob_error", NAN), trees = model_fact(model, "trees", NAN);

    text_print(&report, "%s: ", model->estimator);
    report_formula(&report, model, true);
    text_print(&report, "\n");
    report_rows(&report, model);
    text_print(&report, "\ntrees: %.0f, leaves per tree: %.1f, largest depth: %.0f\n", trees,
               (model_fact(model, "nodes", NAN) / trees + 1) / 2, model_fact(model, "depth", NAN));
    if (!isnan(error))
        text_print(&report, "out-of-bag %s: %.6g, of %.0f rows\n", labels ? "error rate" : "mean squared error", error,
                   model_fact(model, "oob_rows", NAN));
    return text_finish(&report, NULL);
}
