/*
 * moments_folds.c - cross-validation from moments with folds: designs of all folds but one, and errors in that one.
 */
#include "core/linalg/column_loops.h"
#include "core/moments/moments_internal.h"

#include <string.h>

struct Splits {
    Env *env;
    MomentsView view;
    uint32_t *order;
    bool intercept;
    TermPlan *plans;
    uint32_t terms;
    MomentsPart *behind;  /* [count + 1] number k: folds k and later */
    MomentsPart before;   /* of the folds before `done` */
    MomentsPart training; /* of the last training rows */
    double *term_means;   /* the means of their terms and of the target */
    uint32_t done;
};

/*
 * Checks that at least two folds have rows, because a hash may leave folds empty if there are few rows. If not, fails with
 * ERROR_DATA, or returns false if null_if_few.
 */
static bool require_folds(Env *env, const MomentsView *view, bool null_if_few)
{
    FoldPlan plan = moments_fold_plan(view->state);

    if (view->classes >= 2)
        return true;
    if (null_if_few)
        return false;
    if (plan.folds > 0)
        env_fail(env, ERROR_DATA,
                 "Equal rows share a fold. Fit groups with at least two different rows, try another \"seed\", or "
                 "name a \"fold_column\".",
                 "all rows (%lld) are in one of %lld folds: nothing is left to fit while it is held out",
                 (long long)view->state->rows, (long long)plan.folds);
    env_fail(env, ERROR_DATA, "Name a column with at least two different numbers.",
             "all rows are in one fold: nothing is left to fit while it is held out");
}

Splits *splits_open(Env *env, const Model *moments, bool intercept, bool null_if_few)
{
    Splits *splits = env_array(env, 1, sizeof(Splits));
    uint32_t count;

    if (!(moments->flags & MODEL_FOLDED))
        env_fail(env, ERROR_PARAMETER,
                 "Compute the moments with pgfit.moments(target, features, '{\"folds\": 10}'), or fit from the rows.",
                 "cross-validation needs moments with folds, and these have none");
    splits->env = env;
    splits->intercept = intercept;
    moments_read(env, moments, &splits->view);
    if (!require_folds(env, &splits->view, null_if_few))
        return NULL;
    count = splits->view.classes;
    splits->order = moments_fold_order(env, &splits->view);
    splits->plans = env_array(env, splits->view.columns + 1, sizeof(TermPlan));
    splits->terms = moments_plan_terms(env, &splits->view, intercept ? CODING_REFERENCE : CODING_FIRST_FULL,
                                       splits->plans);
    env_require_memory(env, (size_t)(count + 4) * factor_packed(splits->view.columns) * sizeof(double),
                       "the factors of all but one fold");
    splits->term_means = env_array(env, (size_t)splits->terms + 1, sizeof(double));
    splits->before = moments_part_new(env, splits->view.columns);
    splits->training = moments_part_new(env, splits->view.columns);
    splits->behind = env_array(env, (size_t)count + 1, sizeof(MomentsPart));
    splits->behind[count] = moments_part_new(env, splits->view.columns);
    for (uint32_t k = count; k-- > 1;) {
        MomentsPart own = moments_part(&splits->view, splits->order[k]);
        splits->behind[k] = moments_part_new(env, splits->view.columns);
        moments_part_add(env, splits->view.columns, &splits->behind[k], &splits->behind[k + 1]);
        moments_part_add(env, splits->view.columns, &splits->behind[k], &own);
    }
    return splits;
}

uint32_t splits_count(const Splits *splits)
{
    return splits->view.classes;
}

double splits_fold(const Splits *splits, uint32_t k)
{
    return view_f64(&splits->view, splits->view.fold_labels)[splits->order[k]];
}

double splits_weight(const Splits *splits, uint32_t k)
{
    return moments_part(&splits->view, splits->order[k]).weight;
}

Design *splits_training(Splits *splits, uint32_t k)
{
    Env *env = splits->env;
    uint32_t columns = splits->view.columns;
    Design *design;

    if (k < splits->done) { /* start from the first fold again */
        moments_part_clear(&splits->before, columns);
        splits->done = 0;
    }
    for (; splits->done < k; splits->done++) {
        MomentsPart own = moments_part(&splits->view, splits->order[splits->done]);
        moments_part_add(env, columns, &splits->before, &own);
    }
    moments_part_clear(&splits->training, columns);
    moments_part_add(env, columns, &splits->training, &splits->before);
    moments_part_add(env, columns, &splits->training, &splits->behind[k + 1]);
    design = moments_part_design(env, &splits->view, &splits->training, splits->intercept, splits->plans, splits->terms, 1);
    memcpy(splits->term_means, design->means, (splits->terms + 1) * sizeof(double));
    return design;
}

double splits_error(Splits *splits, uint32_t k, const double *coef, double intercept)
{
    uint32_t columns = splits->view.columns, target = moments_target_column(&splits->view);
    MomentsPart part = moments_part(&splits->view, splits->order[k]);
    double *along = env_array(splits->env, 2 * (size_t)columns + 1, sizeof(double)), *left = along + columns;
    double mean = splits->term_means[splits->terms], sum = 0;

    /* differences from the means of the training rows, which the intercept accounts for: nothing cancels */
    for (uint32_t t = 0; t < splits->terms; t++)
        mean -= coef[t] * splits->term_means[t];
    mean -= intercept;

    /* the target minus the terms, as a combination of columns */
    along[target] = 1;
    for (uint32_t t = 0; t < splits->terms; t++) {
        const TermPlan *plan = &splits->plans[t];
        along[plan->column] -= coef[t];
        if (plan->indicator != NO_TERM_COLUMN)
            along[plan->indicator] -= coef[t] * plan->imputed;
    }
    for (uint32_t j = 0; j < columns; j++) {
        const double *column = part.factor + factor_packed(j);
        mean += along[j] * (part.means[j] - splits->training.means[j]);
        if (along[j] != 0)
            column_subtract(left, column, -along[j], j + 1);
    }
    for (uint32_t i = 0; i < columns; i++)
        sum += left[i] * left[i];
    splits->env->release(splits->env, along);
    return sum + part.weight * mean * mean;
}
