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

/* Returns the log-likelihood of a solution at the given theta, the parameter of the problem. */
GlmTheta glm_theta_given(GlmProblem *problem, const GlmSolution *solution);
/* Returns the log-likelihood of one count y of mean m. */
double glm_theta_log_density(double theta, double y, double m);
/*
 * Estimates theta and the coefficients in turns, from the solution of family poisson, as glm.nb of MASS does; each is close to its final value when
 * the other is, because the two are not correlated (Lawless 1987). Sets the parameter of the problem, and warns where the counts vary too little
 * for a finite theta. Fails with ERROR_DATA where no row has a count.
 */
GlmTheta glm_theta_estimate(GlmProblem *problem, GlmSolution *solution);

#endif
