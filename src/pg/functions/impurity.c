/*
 * impurity.c - impurity, gain and relative impurity of plain numbers, and trees as text.
 */
#include "pg/score/scoring.h"
#include "core/tree_bins/tree_criterion.h"
#include "core/tree_value/tree_model.h"

#include <math.h>

#include "utils/array.h"

PG_FUNCTION_INFO_V1(pgfit_tree_rules);
PGDLLEXPORT Datum pgfit_tree_rules(PG_FUNCTION_ARGS)
{
    const Model *model = pipeline_last(host_env(), PG_GETARG_SOUND_MODEL(0));

    if (!tree_has(model)) {
        Scorer scorer = {.model = model, .estimator = estimator_of(model)};

        fail_unsupported(&scorer, "tree_rules");
    }
    return CStringGetTextDatum(tree_rules(host_env(), model));
}

static TreeCriterion read_criterion(FunctionCallInfo fcinfo, bool classes)
{
    char *name = text_to_cstring(PG_GETARG_TEXT_PP(1));
    int criterion = tree_criterion_of(name);

    if (criterion < 0 || (classes && criterion >= TREE_MSE))
        env_fail(host_env(), ERROR_PARAMETER,
                 classes ? "Criteria of classes are gini, entropy, sqrt_gini, minority."
                         : "Criteria are gini, entropy, sqrt_gini, minority, mse, mae, poisson.",
                 "\"%s\" is not a criterion%s", name, classes ? " of classes" : "");
    return (TreeCriterion)criterion;
}

/* Returns the numbers of argument 0, checked for the criterion. */
static const double *read_numbers(FunctionCallInfo fcinfo, TreeCriterion criterion, uint32 *count)
{
    ArrayType *array = PG_GETARG_ARRAYTYPE_P(0);
    const double *numbers = (const double *)ARR_DATA_PTR(array);

    if (array_contains_nulls(array))
        ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("the array has a NULL element"),
                        errhint("Use array_remove or coalesce.")));
    *count = (uint32)ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
    for (uint32 i = 0; i < *count; i++) {
        if (!isfinite(numbers[i]))
            env_fail(host_env(), ERROR_DATA, NULL, "element %u is not finite", i + 1);
        if (numbers[i] < 0 && (criterion < TREE_MSE || criterion == TREE_POISSON))
            env_fail(host_env(), ERROR_DATA, NULL, "element %u is %g, but %s needs numbers of at least 0", i + 1, numbers[i],
                     tree_criterion_name(criterion));
    }
    return numbers;
}

static double sum_of(const double *numbers, uint32 count)
{
    double sum = 0;

    for (uint32 i = 0; i < count; i++)
        sum += numbers[i];
    return sum;
}

PG_FUNCTION_INFO_V1(pgfit_impurity);
PGDLLEXPORT Datum pgfit_impurity(PG_FUNCTION_ARGS)
{
    TreeCriterion criterion = read_criterion(fcinfo, false);
    uint32 count;
    const double *numbers = read_numbers(fcinfo, criterion, &count);
    double *copy, sum;

    if (ARR_NDIM(PG_GETARG_ARRAYTYPE_P(0)) > 1)
        ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR), errmsg("impurity takes an array of one dimension")));
    if (criterion < TREE_MSE) {
        sum = sum_of(numbers, count);
        if (!(sum > 0))
            PG_RETURN_NULL();
        PG_RETURN_FLOAT8(tree_class_impurity(criterion, numbers, count, sum));
    }
    if (count == 0)
        PG_RETURN_NULL();
    copy = palloc(count * sizeof(double));
    memcpy(copy, numbers, count * sizeof(double));
    PG_RETURN_FLOAT8(tree_number_impurity(criterion, copy, count));
}

/* A split: its children's impurities times their shares of the rows. */
typedef struct Split {
    uint32 children;
    double *parts; /* [children] */
    double parent; /* impurity of all rows; NaN: there are none */
} Split;

static Split read_split(FunctionCallInfo fcinfo)
{
    TreeCriterion criterion = read_criterion(fcinfo, true);
    ArrayType *array = PG_GETARG_ARRAYTYPE_P(0);
    uint32 count, classes;
    const double *numbers = read_numbers(fcinfo, criterion, &count);
    Split split = {.parent = NAN};
    double *total, sum = 0;

    if (count > 0 && ARR_NDIM(array) != 2)
        ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
                        errmsg("the children of a split are a matrix, not an array of %d dimension%s", ARR_NDIM(array), ARR_NDIM(array) == 1 ? "" : "s"),
                        errhint("Pass one row of class counts per child.")));
    if (count == 0)
        return split;
    split.children = (uint32)ARR_DIMS(array)[0];
    classes = (uint32)ARR_DIMS(array)[1];
    split.parts = palloc0(split.children * sizeof(double));
    total = palloc0(classes * sizeof(double));
    for (uint32 i = 0; i < count; i++)
        total[i % classes] += numbers[i];
    sum = sum_of(total, classes);
    if (!(sum > 0))
        return split;
    split.parent = tree_class_impurity(criterion, total, classes, sum);
    for (uint32 c = 0; c < split.children; c++) {
        const double *child = numbers + (Size)c * classes;
        double weight = sum_of(child, classes);

        split.parts[c] = weight / sum * tree_class_impurity(criterion, child, classes, weight);
    }
    return split;
}

PG_FUNCTION_INFO_V1(pgfit_split_gain);
PGDLLEXPORT Datum pgfit_split_gain(PG_FUNCTION_ARGS)
{
    Split split = read_split(fcinfo);

    if (isnan(split.parent))
        PG_RETURN_NULL();
    PG_RETURN_FLOAT8(split.parent - sum_of(split.parts, split.children));
}

PG_FUNCTION_INFO_V1(pgfit_relative_impurity);
PGDLLEXPORT Datum pgfit_relative_impurity(PG_FUNCTION_ARGS)
{
    Split split = read_split(fcinfo);

    if (!(split.parent > 0))
        PG_RETURN_NULL();
    for (uint32 c = 0; c < split.children; c++)
        split.parts[c] /= split.parent;
    return give_array(split.parts, split.children);
}
