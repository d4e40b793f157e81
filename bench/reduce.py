"""Principal components and the multivariate normal."""
from measure import Bar, Query, Section, TWO, built_in, built_in_bar


def fit(table, call):
    return f"SELECT {call} IS NOT NULL FROM {table}"


SECTIONS = [
    Section("pca, 50 features", [
        Query("count(x)", "SELECT count(x) FROM reduce_50"),
        *built_in("reduce_50"),
        Query("pca", fit("reduce_50", "pgfit.pca(x, 10)")),
        Query("pca, two processes", fit("reduce_50", "pgfit.pca(x, 10)"), TWO),
        Query("pca by a factor", fit("reduce_50", "pgfit.pca(x, 10, '{\"algorithm\": \"factor\"}')")),
        Query("multivariate_normal", fit("reduce_50", "pgfit.multivariate_normal(x)")),
        Query("transform", "SELECT count(pgfit.transform((SELECT pca FROM reduce_models WHERE d = 50), x)) FROM reduce_50"),
        Query("tail_probability",
              "SELECT count(pgfit.tail_probability((SELECT normal FROM reduce_models WHERE d = 50), x)) FROM reduce_50"),
    ], [
        built_in_bar(),
        Bar("pca, two processes", "pca", 1 / 1.6),
        Bar("pca", "count(x)", None),
        Bar("pca by a factor", "pca", None),
        Bar("multivariate_normal", "pca", 1.1),
        Bar("transform", "count(x)", None),
        Bar("tail_probability", "count(x)", None),
    ]),
    Section("pca, 200 features", [
        Query("count(x)", "SELECT count(x) FROM reduce_200"),
        *built_in("reduce_200"),
        Query("pca", fit("reduce_200", "pgfit.pca(x, 10)")),
        Query("pca, two processes", fit("reduce_200", "pgfit.pca(x, 10)"), TWO),
    ], [
        built_in_bar(),
        Bar("pca, two processes", "pca", 1 / 1.6),
        Bar("pca", "count(x)", None),
    ]),
    Section("pca, 1,000 groups of 8 features", [
        Query("feature_moments", "SELECT count(m) FROM (SELECT pgfit.feature_moments(x) AS m FROM reduce_8 GROUP BY g) q"),
        Query("pca", "SELECT count(m) FROM (SELECT pgfit.pca(x, 3) AS m FROM reduce_8 GROUP BY g) q"),
    ], [Bar("pca", "feature_moments", 1.5)]),
    Section("pca against scikit-learn in memory, 50 features", [
        Query("pca", fit("reduce_50", "pgfit.pca(x, 10)")),
        Query("scikit-learn PCA", "python reduce_50 50 PCA(n_components=10, svd_solver='full').fit(X)"),
    ], [Bar("pca", "scikit-learn PCA", 0.3)]),
    Section("pca against scikit-learn in memory, 200 features", [
        Query("pca", fit("reduce_200", "pgfit.pca(x, 10)")),
        Query("scikit-learn PCA", "python reduce_200 200 PCA(n_components=10, svd_solver='full').fit(X)"),
    ], [Bar("pca", "scikit-learn PCA", 0.6)]),
]
