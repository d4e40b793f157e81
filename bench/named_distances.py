"""Neighbors by named distances, scaling, mean shift, given distances, and rows drawn from a mixture, beside scikit-learn, scipy and numpy."""
from measure import Bar, Query, Section

SCIPY = "__import__('scipy.{0}', fromlist=['{1}']).{1}"
PDIST = SCIPY.format("spatial.distance", "pdist")
CDIST = SCIPY.format("spatial.distance", "cdist")
LINKAGE = SCIPY.format("cluster.hierarchy", "linkage")
MEMORY = ["pgfit.fit_mem = '2GB'"]


def graph(table, metric):
    return (f"SELECT count(*) FROM (SELECT pgfit.neighbors(id, x, '{{\"metric\": \"{metric}\"}}'::jsonb) AS m FROM {table}) AS t, "
            "pgfit.neighbor_graph(m, 5, NULL::int)")


SECTIONS = [
    Section("5 nearest places of each of 20,000, haversine", [
        Query("neighbor_graph", graph("distances_places", "haversine")),
        Query("scikit-learn BallTree", "python distances_places 2 BallTree(np.radians(X), metric='haversine').query(np.radians(X), 6)"),
    ], [Bar("neighbor_graph", "scikit-learn BallTree", 1)], settings=MEMORY),
    Section("5 nearest rows of each of 20,000, 5 features, canberra", [
        Query("neighbor_graph", graph("distances_amounts", "canberra")),
        Query("scikit-learn BallTree", "python distances_amounts 5 BallTree(X, metric='canberra').query(X, 6)"),
    ], [Bar("neighbor_graph", "scikit-learn BallTree", 1)], settings=MEMORY),
    Section("mds of 2,000 rows by manhattan distances", [
        Query("mds", "SELECT pgfit.mds(id, x, 2, '{\"metric\": \"manhattan\"}'::jsonb) IS NOT NULL FROM distances_few"),
        Query("numpy eigh", f"python distances_few 3 ((D := {CDIST}(X, X, 'cityblock') ** 2), "
              "np.linalg.eigh((D - D.mean(0) - D.mean(1)[:, None] + D.mean()) / -2))"),
    ], [Bar("mds", "numpy eigh", 1)], settings=MEMORY),
    Section("mean_shift of 2,000 rows of 3 features", [
        Query("mean_shift", "SELECT pgfit.mean_shift(x, '{\"bandwidth\": 1.5}'::jsonb) IS NOT NULL FROM distances_few"),
        Query("scikit-learn MeanShift", "python distances_few 3 MeanShift(bandwidth=1.5).fit(X)"),
    ], [Bar("mean_shift", "scikit-learn MeanShift", 1)], settings=MEMORY),
    Section("distance_matrix of 4,498,500 pairs", [
        Query("distance_matrix", "SELECT pgfit.distance_matrix(a, b, d) IS NOT NULL FROM distances_pairs"),
        Query("count(DISTINCT a), sum(d)", "SELECT count(DISTINCT a), sum(d) FROM distances_pairs"),
    ], [Bar("distance_matrix", "count(DISTINCT a), sum(d)", None)], settings=MEMORY),
    Section("1,000,000 rows drawn from 5 components of 3 features", [
        Query("sample_numbers", "SELECT count(features) FROM distances_mixture, pgfit.sample_numbers(m, 1000000, 1)"),
        Query("sample", "SELECT count(features) FROM distances_mixture, pgfit.sample(m, 1000000, 1)"),
        Query("scikit-learn, the fit", "python distances_few 3 (G := GaussianMixture(5, random_state=0).fit(X))"),
        Query("scikit-learn sample", "python distances_few 3 G.sample(1000000)"),
    ], [Bar("sample_numbers", "scikit-learn sample", None), Bar("sample", "scikit-learn sample", None)], settings=MEMORY),
] + [
    Section(f"hierarchical of given distances, 3,000 ids, {linkage} linkage", [
        Query("hierarchical", f"SELECT pgfit.hierarchical(m, '{{\"linkage\": \"{linkage}\"}}'::jsonb) IS NOT NULL FROM distances_matrix"),
        Query("scipy pdist", f"python distances_given 3 (P := {PDIST}(X))"),
        Query("scipy linkage", f"python distances_given 3 {LINKAGE}(P, '{linkage}')"),
    ], [Bar("hierarchical", "scipy linkage", 1), Bar("hierarchical", ["scipy pdist", "scipy linkage"], None)], settings=MEMORY)
    for linkage in ("single", "average", "complete")]
