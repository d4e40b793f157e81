"""Hierarchical clustering: each linkage beside scipy's of rows in memory."""
from measure import Bar, Query, Section

LINKAGES = ["single", "complete", "average", "ward", "centroid"]


def ours(linkage, table):
    options = f"""'{{"linkage": "{linkage}"}}'::jsonb"""
    return f"SELECT pgfit.hierarchical(id, x, {options}) IS NOT NULL FROM {table}"


def theirs(linkage, table, features):
    scipy = "__import__('scipy.cluster.hierarchy', fromlist=['linkage'])"
    return f"peer fit {table} {features} {scipy}.linkage(X, '{linkage}')"


SECTIONS = [Section(f"hierarchical, {linkage} linkage of 20,000 rows of 10 features", [
    Query("hierarchical", ours(linkage, "hierarchical_10")),
    Query("scipy linkage", theirs(linkage, "hierarchical_10", 10)),
], [Bar("hierarchical", "scipy linkage", 0.8)], repeats=3, settings=["pgfit.fit_mem = '4GB'"], peers=True)
    for linkage in LINKAGES] + [
    Section("hierarchical, single linkage of 100,000 rows", [
        Query("2 features", ours("single", "hierarchical_2")),
    ], [], repeats=1, settings=["pgfit.fit_mem = '64MB'"]),
]
