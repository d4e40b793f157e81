"""Generalized linear models of rows in memory and by passes, beside scikit-learn."""
from measure import Bar, Query, Section

ROOM = ["pgfit.fit_mem = '1GB'"]


def fit(method, table):
    return f"SELECT pgfit.{method}(y, x) IS NOT NULL FROM {table}"


def peer(name, table):
    return f"python {table} 10 {name}(alpha=0, tol=1e-6, max_iter=1000).fit(X, y)"


SECTIONS = [
    Section("generalized linear models, 10 features", [
        Query("count(x)", "SELECT count(x) FROM glm_10"),
        Query("poisson_regression", fit("poisson_regression", "glm_10")),
        Query("gamma_regression", fit("gamma_regression", "glm_amounts")),
        Query("negative_binomial_regression", fit("negative_binomial_regression", "glm_10")),
        Query("negative_binomial_regression by passes", "SELECT pgfit.fit('negative_binomial_regression', 'SELECT y, x FROM glm_10', 'y ~ x', '{\"passes\": true}') IS NOT NULL"),
    ], [
        Bar("poisson_regression", "count(x)", None),
        Bar("negative_binomial_regression by passes", "negative_binomial_regression", None),
    ], settings=ROOM),
    Section("generalized linear models against scikit-learn and R, 10 features", [
        Query("poisson_regression", fit("poisson_regression", "glm_10")),
        Query("scikit-learn PoissonRegressor", peer("PoissonRegressor", "glm_10")),
        Query("R's glm.fit, poisson", "R glm_10 10 design <- cbind(1, X) ;; glm.fit(design, y, family = poisson())"),
        Query("gamma_regression", fit("gamma_regression", "glm_amounts")),
        Query("scikit-learn GammaRegressor", peer("GammaRegressor", "glm_amounts")),
    ], [
        Bar("poisson_regression", "scikit-learn PoissonRegressor", 1.0),
        Bar("poisson_regression", "R's glm.fit, poisson", 1.0),
        Bar("gamma_regression", "scikit-learn GammaRegressor", 1.0),
    ], settings=ROOM),
]
