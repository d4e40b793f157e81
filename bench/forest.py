"""Forests of 100 trees, rows read included, beside scikit-learn in memory and R's ranger, which reads a file."""
import os

from measure import Bar, Query, Section

RANGER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "forest.R")

# With fewer than two workers the planner expects nothing of a Parallel Append.
TWO = ["max_parallel_workers_per_gather = 2", "parallel_setup_cost = 0"]


def ours(method, table, options):
    return f"SELECT pgfit.{method}(y, x, '{{{options}}}'::jsonb) IS NOT NULL FROM {table}"


def half(table, seed):
    return f"SELECT {seed} AS s, pgfit.forest_classifier(y, x, '{{\"n_trees\": 50, \"seed\": {seed}, \"oob\": false}}'::jsonb) AS m FROM {table}"


def halves(table):
    return f"SELECT pgfit.merge(m ORDER BY s) IS NOT NULL FROM ({half(table, 1)} UNION ALL {half(table, 2)}) AS parts"


def section(features):
    table = f"forest_{features}"
    fit = f"peer fit {table} {features}"
    ranger = f"peer program {table} {features} Rscript {RANGER} {{data}}"
    return Section(f"forest, 100,000 rows of {features} features", [
        Query("forest_classifier", ours("forest_classifier", table, '"oob": false')),
        Query("with out-of-bag error", ours("forest_classifier", table, "")),
        Query("scikit-learn, forest", f"{fit} RandomForestClassifier(100, random_state=0).fit(X, y)"),
        Query("ranger, forest", f"{ranger} 0 gini"),
        Query("forest_classifier, depth 10", ours("forest_classifier", table, '"oob": false, "max_depth": 10')),
        Query("scikit-learn, depth 10", f"{fit} RandomForestClassifier(100, max_depth=10, random_state=0).fit(X, y)"),
        Query("ranger, depth 10", f"{ranger} 10 gini"),
        Query("extra_trees_classifier", ours("extra_trees_classifier", table, "")),
        Query("scikit-learn, extra trees", f"{fit} ExtraTreesClassifier(100, random_state=0).fit(X, y)"),
        Query("ranger, extra trees", f"{ranger} 0 extratrees"),
        Query("halves, one process", halves(table)),
        Query("halves, two processes", halves(table), TWO),
    ], [
        Bar("forest_classifier", "scikit-learn, forest", 0.5), Bar("forest_classifier", "ranger, forest", 0.5),
        Bar("with out-of-bag error", "forest_classifier", None),
        Bar("forest_classifier, depth 10", "scikit-learn, depth 10", 0.5), Bar("forest_classifier, depth 10", "ranger, depth 10", 0.5),
        Bar("extra_trees_classifier", "scikit-learn, extra trees", 0.5), Bar("extra_trees_classifier", "ranger, extra trees", 0.5),
        Bar("halves, two processes", "halves, one process", 0.6),
    ], repeats=1, settings=["pgfit.fit_mem = '1GB'"], peers=True)


SECTIONS = [
    section(10),
    section(20),
    Section("forest scoring, 1,000,000 rows, 100 trees of depth 10", [
        Query("classify", "SELECT count(pgfit.classify((SELECT m FROM forest_model), x)) FROM forest_scored"),
        Query("probability", "SELECT count(pgfit.probability((SELECT m FROM forest_model), x)) FROM forest_scored"),
        Query("scikit-learn, fit", "peer fit forest_scored 10 (FOREST := RandomForestClassifier(100, max_depth=10, random_state=0).fit(X[:100000], y[:100000]))"),
        Query("scikit-learn, predict", "peer fit forest_scored 10 FOREST.predict(X)"),
    ], [Bar("classify", "scikit-learn, predict", 0.3)], repeats=3, peers=True),
    Section("isolation_forest, 1,000,000 rows of 10 features", [
        Query("isolation_forest", "SELECT pgfit.isolation_forest(x) IS NOT NULL FROM forest_scored"),
        Query("scikit-learn", "peer fit forest_scored 10 IsolationForest(n_estimators=100, random_state=0).fit(X)"),
    ], [Bar("isolation_forest", "scikit-learn", None)], repeats=3, settings=["pgfit.fit_mem = '1GB'"], peers=True),
]
