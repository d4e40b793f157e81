"""Kernel k-means: rows of 8 features in 20 clusters."""
from measure import Bar, Query, Section

SECTIONS = [
    Section("kernel k-means, 2,000 rows, k = 20", [
        Query("rbf", "SELECT pgfit.kernel_kmeans(x, 20) IS NOT NULL FROM kernel_kmeans_8"),
        Query("linear", "SELECT pgfit.kernel_kmeans(x, 20, '{\"kernel\": \"linear\"}') IS NOT NULL FROM kernel_kmeans_8"),
    ], [Bar("linear", "rbf", None)]),
]
