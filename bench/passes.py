"""
Fits by passes over the source, in two workers, beside the aggregates, which keep the rows; and fits of one pass and of boosting. --scale 10 makes a
table of 100,000,000 rows, 12 GB.
"""
from measure import Bar, Query, Section

WORKERS = ["max_parallel_workers_per_gather = 2"]
CLASSES = "'logistic_regression', 'passes', 'y ~ .'"
MACHINES = "'svm_classifier', 'passes', 'y ~ .'"
SQUARED = '"loss": "squared_hinge"'
CLUSTERS = "'kmeans', 'passes', '~ . - y'"


def fit(call, options):
    return f"SELECT pgfit.fit({call}, '{{{options}}}') IS NOT NULL"


SECTIONS = [
    Section("fits by passes, 10 features", [
        Query("logistic_regression", fit(CLASSES, "")),
        Query("logistic_regression, passes", fit(CLASSES, '"passes": true'), WORKERS),
        Query("svm_classifier, squared hinge", fit(MACHINES, SQUARED)),
        Query("svm_classifier, squared hinge, passes", fit(MACHINES, SQUARED + ', "passes": true'), WORKERS),
        Query("kmeans, k = 10, 20 iterations", fit(CLUSTERS, '"k": 10, "n_init": 1, "max_iter": 20')),
        Query("kmeans, k = 10, at most 20 passes", fit(CLUSTERS, '"passes": true, "k": 10, "n_init": 1, "max_iter": 20'), WORKERS),
    ], [
        Bar("logistic_regression, passes", "logistic_regression", 3),
        Bar("svm_classifier, squared hinge, passes", "svm_classifier, squared hinge", 3),
        Bar("kmeans, k = 10, at most 20 passes", "kmeans, k = 10, 20 iterations", 3),
    ], settings=["client_min_messages = error"]),
    Section("fits of rows beyond pgfit.fit_mem, 10 features", [
        Query("linear_regression", fit("'linear_regression', 'passes', 'a ~ . - y'", "")),
        Query("linear_regression, two workers", fit("'linear_regression', 'passes', 'a ~ . - y'", ""), WORKERS),
        Query("boosted_trees_classifier, 20 trees", fit("'boosted_trees_classifier', 'passes', 'y ~ .'", '"n_trees": 20'), ["pgfit.fit_mem = '3GB'"]), # 27 bytes a row
    ], [Bar("linear_regression, two workers", "linear_regression", None)]),
]
