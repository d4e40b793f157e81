/*
 * glm_model.h - what models of generalized linear models keep and show.
 *
 * Arrays: the equation (linear_view.h), and glm_link I64[1], the position of its link among link_functions. The family follows from the estimator
 * and its options.
 */
#ifndef PGFIT_GLM_MODEL_H
#define PGFIT_GLM_MODEL_H

#include "core/glm/glm_choice.h"

extern const ArrayTable glm_array_tables[];
extern const Table *const glm_tables[];
extern const Scoring glm_scoring;
const char *glm_check(Env *env, const Model *model);
double glm_test_df(Env *env, const Model *model);
uint32_t glm_coefficients(Env *env, const Model *model, Coefficient **out);
char *glm_to_sql(Env *env, const Model *model);
char *glm_summary(Env *env, const Model *model);
Model *glm_statistics(Env *env, const Model *model);

#endif
