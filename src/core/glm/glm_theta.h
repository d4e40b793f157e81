/*
 * glm_theta.h - the parameter theta of the negative binomial distribution, whose variance is m + m^2 / theta.
 */
#ifndef PGFIT_GLM_THETA_H
#define PGFIT_GLM_THETA_H

#include "core/glm/glm_solver.h"

typedef struct GlmTheta {
    double theta, std_error; /* std_error: NaN where theta is given */
    double likelihood;
    bool converged;
} GlmTheta;

#define GLM_THETA_MOST 1e8 /* beyond, the counts have the variance of Poisson's to nine digits */

/* Sums over rows: the log-likelihood, and its first two derivatives by theta, of which information is minus the second. */
typedef struct GlmThetaSums {
    double likelihood, score, information;
} GlmThetaSums;

/* Adds up the rows of a tile. */
void glm_theta_add(Env *env, double theta, const GlmTile *tile, GlmThetaSums *sums);
/*
 * Returns the step of Newton's method for log theta, bounded. *gain: by how much it is to lower the deviance; 0 where theta has grown to
 * GLM_THETA_MOST.
 */
double glm_theta_step(double theta, const GlmThetaSums *sums, double *gain);
/* Returns theta after a step, at most GLM_THETA_MOST. */
double glm_theta_after(double theta, double step);
/* Returns the standard error of theta; NaN: there is none. */
double glm_theta_error(const GlmThetaSums *sums);
/* Warns where the counts vary too little for a finite theta. */
void glm_theta_warn(Env *env, const char *method, double theta);

/* Returns the log-likelihood of a solution at the given theta, the parameter of the problem. */
GlmTheta glm_theta_given(GlmProblem *problem, const GlmSolution *solution);
/*
 * Estimates theta and the coefficients in turns, from the solution of family poisson, as glm.nb of MASS does; each is close to its final value when
 * the other is, because the two are not correlated (Lawless 1987). Sets the parameter of the problem, and warns where the counts vary too little
 * for a finite theta. Fails with ERROR_DATA where no row has a count.
 */
GlmTheta glm_theta_estimate(GlmProblem *problem, GlmSolution *solution);

#endif
