"""Clusters and outliers by density beside scikit-learn, whose rows are in memory."""
from measure import Bar, Query, Section

DBSCAN = """'{"radius": 2, "min_samples": 10}'"""
HDBSCAN = """'{"min_cluster_size": 50, "min_samples": 10}'"""


def ours(call):
    return f"SELECT pgfit.{call} IS NOT NULL FROM density_8"


SECTIONS = [
    Section("dbscan of 100,000 rows of 8 features", [
        Query("dbscan", ours(f"dbscan(id, x, {DBSCAN})")),
        Query("scikit-learn DBSCAN", "peer fit density_8 8 DBSCAN(eps=2, min_samples=10).fit(X)"),
    ], [Bar("dbscan", "scikit-learn DBSCAN", 1.0)], repeats=3, settings=["pgfit.fit_mem = '1GB'"], peers=True),
    Section("local_outlier_factor of 100,000 rows of 8 features", [
        Query("local_outlier_factor", ours("local_outlier_factor(id, x)")),
        Query("scikit-learn LocalOutlierFactor", "peer fit density_8 8 LocalOutlierFactor(20).fit(X)"),
    ], [Bar("local_outlier_factor", "scikit-learn LocalOutlierFactor", 1.0)], repeats=3, settings=["pgfit.fit_mem = '1GB'"], peers=True),
    Section("hdbscan and optics", [
        Query("hdbscan of 100,000 rows", ours(f"hdbscan(id, x, {HDBSCAN})")),
        Query("optics of 100,000 rows within a radius", ours("""optics(id, x, '{"radius": 2, "min_samples": 10}')""")),
    ], [], repeats=1, settings=["pgfit.fit_mem = '1GB'"]),
]
