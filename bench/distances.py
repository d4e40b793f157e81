"""Distances of pairs of rows by functions, and of all pairs at once."""
from measure import Bar, Query, Section


def total(expression, table="distances_10"):
    return f"SELECT sum({expression}) FROM {table}"


def pairs(metric):
    scipy = "__import__('scipy.spatial.distance', fromlist=['pdist'])"
    return f"python distances_64 64 (D := {scipy}.pdist(X, '{metric}'), np.histogram(D, 10), np.median(D))"


def histogram(metric):
    options = f"""'{{"metric": "{metric}", "quantiles": [0.5]}}'::jsonb"""
    return f"SELECT pgfit.distance_histogram(x, 10, {options}) IS NOT NULL FROM distances_64"


SECTIONS = [
    Section("distances of pairs, 10 features", [
        Query("count(a), count(b)", "SELECT count(a), count(b) FROM distances_10"),
        Query("SQL expression over twenty columns", total("sqrt(" + " + ".join(
            f"(a{i} - b{i}) * (a{i} - b{i})" for i in range(1, 11)) + ")", "distances_columns")),
        Query("euclidean_distance", total("pgfit.euclidean_distance(a, b)")),
        Query("manhattan_distance", total("pgfit.manhattan_distance(a, b)")),
        Query("cosine_distance", total("pgfit.cosine_distance(a, b)")),
        Query("minkowski_distance, p = 3", total("pgfit.minkowski_distance(a, b, 3)")),
        Query("kernel rbf", total("""pgfit.kernel(a, b, 'rbf', '{"gamma": 0.1}')""")),
    ], [
        Bar("euclidean_distance", "SQL expression over twenty columns", 1.0),
        Bar("euclidean_distance", "count(a), count(b)", None),
        Bar("manhattan_distance", "euclidean_distance", 1.5),
        Bar("cosine_distance", "euclidean_distance", 2),
        Bar("minkowski_distance, p = 3", "euclidean_distance", 2),
        Bar("kernel rbf", "euclidean_distance", 2),
    ]),
    Section("edit distances and kernels of names", [
        Query("length(a), length(b)", "SELECT sum(length(a) + length(b)) FROM distances_names"),
        Query("edit_distance", "SELECT sum(pgfit.edit_distance(a, b)) FROM distances_names"),
        Query("spectrum_kernel", "SELECT sum(pgfit.spectrum_kernel(a, b)) FROM distances_names"),
        Query("subsequence_kernel", "SELECT sum(pgfit.subsequence_kernel(a, b)) FROM distances_names"),
    ], [Bar("edit_distance", "length(a), length(b)", None)]),
    Section("distances of all pairs of 4,000 rows of 64 features, their median and histogram", [
        Query("distance_histogram", histogram("euclidean")),
        Query("distance_histogram, manhattan", histogram("manhattan")),
        Query("scipy pdist, numpy", pairs("euclidean")),
        Query("scipy pdist, numpy, cityblock", pairs("cityblock")),
    ], [
        Bar("distance_histogram", "scipy pdist, numpy", 1.0),
        Bar("distance_histogram, manhattan", "scipy pdist, numpy, cityblock", 1.0),
    ], settings=["pgfit.fit_mem = '1GB'"]),
]
