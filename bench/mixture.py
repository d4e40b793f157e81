"""Gaussian mixtures."""
from measure import Bar, Query, Section, TWO

# Two iterations from k-means clusters, as many as scikit-learn needs for rows that are as well separated.
OPTIONS = """'{"max_iter": 2, "tolerance": 0}'"""

SECTIONS = [
    Section("gaussian_mixture, 10 clusters of 8 features", [
        Query("count(x)", "SELECT count(x) FROM mixture_8"),
        Query("two iterations", f"SELECT pgfit.gaussian_mixture(x, 10, {OPTIONS}) IS NOT NULL FROM mixture_8"),
        Query("mixture_step", "SELECT pgfit_textbook.mixture_step(x, (SELECT m FROM mixture_model)) IS NOT NULL FROM mixture_8"),
        Query("mixture_step, two processes", "SELECT pgfit_textbook.mixture_step(x, (SELECT m FROM mixture_model)) IS NOT NULL "
              "FROM mixture_8", TWO),
        Query("cluster", "SELECT sum(pgfit.cluster((SELECT m FROM mixture_model), x)) FROM mixture_8"),
        Query("decision", "SELECT sum(pgfit.decision((SELECT m FROM mixture_model), x)) FROM mixture_8"),
    ], [
        Bar("two iterations", "count(x)", None),
        Bar("mixture_step, two processes", "mixture_step", 1 / 1.6),
        Bar("cluster", "count(x)", None),
        Bar("decision", "count(x)", None),
    ]),
    Section("gaussian_mixture against scikit-learn in memory", [
        Query("two iterations", f"SELECT pgfit.gaussian_mixture(x, 10, {OPTIONS}) IS NOT NULL FROM mixture_8"),
        Query("scikit-learn GaussianMixture", "python mixture_8 8 GaussianMixture(10, max_iter=2, tol=0).fit(X)"),
    ], [Bar("two iterations", "scikit-learn GaussianMixture", 0.7)]),
]
