"""What is measured of k-medoids, kernel k-means and silhouettes: rows of 8 features in 20 clusters."""
from measure import Bar, Query, Section


def medoids(options):
    return f"SELECT pgfit.kmedoids(x, 20, '{options}') IS NOT NULL FROM clustering_10000"


def silhouette(rows, metric):
    return f"SELECT pgfit.silhouette(y::int, x, '{{\"metric\": \"{metric}\"}}') FROM clustering_{rows}"


SECTIONS = [
    Section("k-medoids, 10,000 rows, k = 20", [
        Query("pam, eager swaps", medoids("{}")),
        Query("pam, the best swap each time", medoids('{"swap": "best"}')),
        Query("pam from a sampled start", medoids('{"init": "lab"}')),
        Query("alternate", medoids('{"algorithm": "alternate"}')),
        Query("clara", medoids('{"algorithm": "clara"}')),
    ], [
        Bar("pam, eager swaps", "pam, the best swap each time", 0.5),
        Bar("pam from a sampled start", "pam, eager swaps", 1.1),
        Bar("clara", "pam, eager swaps", 0.1),
    ], repeats=1),
    Section("silhouettes, 20,000 rows, 20 clusters", [
        Query("euclidean", silhouette(20000, "euclidean")),
        Query("scikit-learn, euclidean", "peer fit clustering_20000 8 silhouette_score(X, y)"),
        Query("squared_euclidean", silhouette(20000, "squared_euclidean")),
        Query("scikit-learn, sqeuclidean", "peer fit clustering_20000 8 silhouette_score(X, y, metric='sqeuclidean')"),
        Query("count(x)", "SELECT count(x) FROM clustering_20000"),
    ], [
        Bar("euclidean", "scikit-learn, euclidean", 1.0),
        Bar("squared_euclidean", "scikit-learn, sqeuclidean", 0.1),
    ], repeats=3, peers=True),
    Section("silhouettes, 100,000 rows, 20 clusters", [
        Query("euclidean", silhouette(100000, "euclidean")),
        Query("squared_euclidean", silhouette(100000, "squared_euclidean")),
    ], [Bar("squared_euclidean", "euclidean", 0.1)], repeats=1),
    Section("kernel k-means, 2,000 rows, k = 20", [
        Query("rbf", "SELECT pgfit.kernel_kmeans(x, 20) IS NOT NULL FROM clustering_2000"),
        Query("linear", "SELECT pgfit.kernel_kmeans(x, 20, '{\"kernel\": \"linear\"}') IS NOT NULL FROM clustering_2000"),
    ], [Bar("linear", "rbf", None)], repeats=3),
]
