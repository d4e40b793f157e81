"""Silhouettes: rows of 8 features in 20 clusters."""
from measure import Bar, Query, Section


def silhouette(table, metric):
    return f"SELECT pgfit.silhouette(y::int, x, '{{\"metric\": \"{metric}\"}}') FROM cluster_metrics_{table}"


SECTIONS = [
    Section("silhouettes, 20,000 rows, 20 clusters", [
        Query("euclidean", silhouette("few", "euclidean")),
        Query("scikit-learn, euclidean", "python cluster_metrics_few 8 silhouette_score(X, y)"),
        Query("squared_euclidean", silhouette("few", "squared_euclidean")),
        Query("scikit-learn, sqeuclidean", "python cluster_metrics_few 8 silhouette_score(X, y, metric='sqeuclidean')"),
        Query("count(x)", "SELECT count(x) FROM cluster_metrics_few"),
    ], [
        Bar("euclidean", "scikit-learn, euclidean", 1.0),
        Bar("squared_euclidean", "scikit-learn, sqeuclidean", 0.1),
    ]),
    Section("silhouettes, 100,000 rows, 20 clusters", [
        Query("euclidean", silhouette("many", "euclidean")),
        Query("squared_euclidean", silhouette("many", "squared_euclidean")),
    ], [Bar("squared_euclidean", "euclidean", 0.1)]),
]
