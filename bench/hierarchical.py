"""Hierarchical clustering: each linkage beside scipy's of rows in memory."""
from measure import Bar, Query, Section

VECTORS = ["single", "ward", "centroid"]  # that fastcluster finds without a matrix
LINKAGES = ["single", "complete", "average", "ward", "centroid"]


def ours(linkage, table):
    options = f"""'{{"linkage": "{linkage}"}}'::jsonb"""
    return f"SELECT pgfit.hierarchical(id, x, {options}) IS NOT NULL FROM {table}"


def theirs(linkage, table, features):
    scipy = "__import__('scipy.cluster.hierarchy', fromlist=['linkage'])"
    return f"python {table} {features} {scipy}.linkage(X, '{linkage}')"


SECTIONS = [Section(f"hierarchical, {linkage} linkage of 10,000 rows of 10 features", [
    Query("hierarchical", ours(linkage, "hierarchical_10")),
    Query("scipy linkage", theirs(linkage, "hierarchical_10", 10)),
    Query("fastcluster", f"python hierarchical_10 10 fastcluster.linkage_vector(X, '{linkage}')" if linkage in VECTORS else
          f"python hierarchical_10 10 fastcluster.linkage(X, '{linkage}')"),
], [Bar("hierarchical", "fastcluster", None), Bar("hierarchical", "scipy linkage", 0.8)], settings=["pgfit.fit_mem = '4GB'"])
    for linkage in LINKAGES] + [
    Section("hierarchical, single linkage of 100,000 rows", [
        Query("2 features", ours("single", "hierarchical_2")),
    ], [], settings=["pgfit.fit_mem = '64MB'"]),
]
