"""k-means, with the same starts and as many iterations as scikit-learn's KMeans in memory."""
from measure import Bar, Query, Section


def ours(table, k, iterations):
    options = (f"(SELECT jsonb_build_object('init', init, 'max_iter', {iterations}) "
               f"FROM kmeans_starts WHERE name = '{table}' AND k = {k})")
    return f"SELECT pgfit.kmeans(x, {k}, {options}) IS NOT NULL FROM {table}"


def theirs(table, dims, k, iterations, algorithm):
    return (f"python {table} {dims} KMeans(n_clusters={k}, init=X[:{k}], n_init=1, tol=0, max_iter={iterations}, "
            f"algorithm='{algorithm}').fit(X)")


def section(title, table, dims, k, iterations):
    return Section(title, [
        Query("kmeans", ours(table, k, iterations)),
        Query("scikit-learn, lloyd", theirs(table, dims, k, iterations, "lloyd")),
        Query("scikit-learn, elkan", theirs(table, dims, k, iterations, "elkan")),
        Query("faiss, single precision", f"python {table} {dims} rows = X.astype('f4') ;; faiss.Kmeans({dims}, {k}, niter={iterations}, nredo=1, "
              "max_points_per_centroid=len(rows)).train(rows)"),
    ], [
        Bar("kmeans", "scikit-learn, lloyd", 0.8, aim=0.8),
        Bar("kmeans", "scikit-learn, elkan", 0.8),
        Bar("kmeans", "faiss, single precision", None),
    ])


def started(table, dims, k, starts):
    """Until convergence, with starts of their own, of which each keeps the best."""
    return Section(f"kmeans from {starts} start{'s' if starts > 1 else ''} of k-means++, {table.split('_')[1]} clusters, {dims} features, k = {k}", [
        Query("kmeans", f"SELECT pgfit.kmeans(x, {k}, '{{\"n_init\": {starts}}}') IS NOT NULL FROM {table}"),
        Query("scikit-learn", f"python {table} {dims} KMeans(n_clusters={k}, n_init={starts}, random_state=0).fit(X)"),
    ], [Bar("kmeans", "scikit-learn", 1)])


SECTIONS = [
    section("kmeans, separated clusters, 8 features, k = 10", "kmeans_separated", 8, 10, 20),
    section("kmeans, overlapping clusters, 8 features, k = 10", "kmeans_overlapping", 8, 10, 20),
    section("kmeans, overlapping clusters, 8 features, k = 100", "kmeans_overlapping", 8, 100, 20),
    section("kmeans, 64 features, k = 100", "kmeans_wide", 64, 100, 20),
    started("kmeans_separated", 8, 10, 1),
    started("kmeans_separated", 8, 10, 10),
    started("kmeans_overlapping", 8, 10, 1),
]
