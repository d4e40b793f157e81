"""Forests of 100 trees, rows read included, beside scikit-learn and R's ranger in memory."""
from measure import Bar, Query, Section

# With fewer than two workers the planner expects nothing of a Parallel Append.
TWO = ["max_parallel_workers_per_gather = 2", "parallel_setup_cost = 0"]
MEMORY = ["pgfit.fit_mem = '1GB'"]


def ours(method, options):
    return f"SELECT pgfit.{method}(y, x, '{{{options}}}'::jsonb) IS NOT NULL FROM forest_10"


def half(seed):
    return f"SELECT {seed} AS s, pgfit.forest_classifier(y, x, '{{\"n_trees\": 50, \"seed\": {seed}, \"oob\": false}}'::jsonb) AS m FROM forest_10"


def halves():
    return f"SELECT pgfit.merge(m ORDER BY s) IS NOT NULL FROM ({half(1)} UNION ALL {half(2)}) AS parts"


def sklearn(model):
    return f"python forest_10 10 {model.replace('(', '(100, random_state=0, n_jobs=threads')}.fit(X, y)"


def ranger(rule, rest):
    return (f"R forest_10 10 labels <- factor(y) ;; ranger::ranger(x = X, y = labels, num.trees = 100, splitrule = '{rule}', min.node.size = 1, "
            f"sample.fraction = 1, num.threads = threads, oob.error = FALSE{rest})")


FITTED = "FOREST = RandomForestClassifier(100, max_depth=10, random_state=0).fit(X[:20000], y[:20000]) ;; FOREST.set_params(n_jobs=threads)"

SECTIONS = [
    Section("forest, 100,000 rows of 10 features", [
        Query("forest_classifier", ours("forest_classifier", '"oob": false')),
        Query("scikit-learn, forest", sklearn("RandomForestClassifier()")),
        Query("ranger, forest", ranger("gini", "")),
        Query("extra_trees_classifier", ours("extra_trees_classifier", "")),
        Query("scikit-learn, extra trees", sklearn("ExtraTreesClassifier()")),
        Query("ranger, extra trees", ranger("extratrees", ", replace = FALSE")),
    ], [
        Bar("forest_classifier", "scikit-learn, forest", 0.5), Bar("forest_classifier", "ranger, forest", 0.5, aim=0.1),
        Bar("extra_trees_classifier", "scikit-learn, extra trees", 0.5), Bar("extra_trees_classifier", "ranger, extra trees", 0.5),
    ], settings=MEMORY),
    Section("forest, out-of-bag errors and halves, 100,000 rows of 10 features", [
        Query("forest_classifier", ours("forest_classifier", '"oob": false')),
        Query("with out-of-bag error", ours("forest_classifier", "")),
        Query("halves, one process", halves()),
        Query("halves, two processes", halves(), TWO),
    ], [Bar("with out-of-bag error", "forest_classifier", None), Bar("halves, two processes", "halves, one process", 0.6)], settings=MEMORY),
    Section("forest scoring, 1,000,000 rows, 100 trees of depth 10", [
        Query("classify", "SELECT count(pgfit.classify((SELECT m FROM forest_model), x)) FROM forest_scored"),
        Query("scikit-learn, predict", f"python forest_scored 10 {FITTED}.predict(X)"),
    ], [Bar("classify", "scikit-learn, predict", 0.3)]),
    Section("isolation_forest, 1,000,000 rows of 10 features", [
        Query("isolation_forest", "SELECT pgfit.isolation_forest(x) IS NOT NULL FROM forest_scored"),
        Query("scikit-learn", "python forest_scored 10 IsolationForest(n_estimators=100, random_state=0, n_jobs=threads).fit(X)"),
    ], [Bar("isolation_forest", "scikit-learn", None, aim=0.9)], settings=MEMORY),
]
