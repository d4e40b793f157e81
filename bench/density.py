"""Clusters and outliers by density beside scikit-learn, whose rows are in memory."""
from measure import Bar, Query, Section

DBSCAN = """'{"radius": 2, "min_samples": 10}'"""
HDBSCAN = """'{"min_cluster_size": 50, "min_samples": 10}'"""


def ours(call):
    return f"SELECT pgfit.{call} IS NOT NULL FROM density_8"


SECTIONS = [
    Section("dbscan of 100,000 rows of 8 features", [
        Query("dbscan", ours(f"dbscan(id, x, {DBSCAN})")),
        Query("scikit-learn DBSCAN", "python density_8 8 DBSCAN(eps=2, min_samples=10, n_jobs=threads).fit(X)"),
        Query("R's dbscan", "R density_8 8 dbscan::dbscan(X, eps = 2, minPts = 10)"),
    ], [Bar("dbscan", "R's dbscan", None, aim=0.8), Bar("dbscan", "scikit-learn DBSCAN", 1.0)], settings=["pgfit.fit_mem = '1GB'"]),
    Section("local_outlier_factor of 100,000 rows of 8 features", [
        Query("local_outlier_factor", ours("local_outlier_factor(id, x)")),
        Query("scikit-learn LocalOutlierFactor", "python density_8 8 LocalOutlierFactor(20, n_jobs=threads).fit(X)"),
        Query("R's lof", "R density_8 8 dbscan::lof(X, minPts = 20)"),
    ], [Bar("local_outlier_factor", "R's lof", None), Bar("local_outlier_factor", "scikit-learn LocalOutlierFactor", 1.0)],
        settings=["pgfit.fit_mem = '1GB'"]),
    Section("hdbscan and optics of 100,000 rows", [
        Query("hdbscan of 100,000 rows", ours(f"hdbscan(id, x, {HDBSCAN})")),
        Query("optics of 100,000 rows within a radius", ours("""optics(id, x, '{"radius": 2, "min_samples": 10}')""")),
    ], [], settings=["pgfit.fit_mem = '1GB'"]),
]
