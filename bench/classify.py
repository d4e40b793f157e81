"""Perceptrons, and linear classifiers from moments."""
from measure import Bar, Query, Section, TWO

PASSES = '\'{"max_iter": 10}\''


def fit(table, call):
    return f"SELECT {call} IS NOT NULL FROM {table}"


def score(model, call="classify"):
    return f"SELECT count(pgfit.{call}((SELECT {model} FROM classify_models), x)) FROM classify_10"


SECTIONS = [
    Section("linear classifiers from moments, 10 features", [
        Query("class_moments", fit("classify_10", "pgfit.class_moments(y, x)")),
        Query("nearest_centroid", fit("classify_10", "pgfit.nearest_centroid(y, x)")),
        Query("least_squares_classifier", fit("classify_10", "pgfit.least_squares_classifier(y, x)")),
        Query("least_squares_classifier, two processes", fit("classify_10", "pgfit.least_squares_classifier(y, x)"), TWO),
        Query("least_squares_classifier, ten classes by pairs",
              fit("classify_10", "pgfit.least_squares_classifier(k, x, '{\"multiclass\": \"ovo\"}')")),
    ], [
        Bar("nearest_centroid", "class_moments", 1.1),
        Bar("least_squares_classifier", "class_moments", 1.1),
        Bar("least_squares_classifier, two processes", "least_squares_classifier", 1 / 1.6),
        Bar("least_squares_classifier, ten classes by pairs", "least_squares_classifier", 1.5),
    ]),
    Section("perceptron, ten passes over 10 features", [
        Query("count(x)", "SELECT count(x) FROM classify_10"),
        Query("one pass", fit("classify_10", "pgfit.perceptron(y, x, '{\"max_iter\": 1}')")),
        Query("ten passes", fit("classify_10", f"pgfit.perceptron(y, x, {PASSES})")),
        Query("averaged", fit("classify_10", "pgfit.perceptron(y, x, '{\"max_iter\": 10, \"averaged\": true}')")),
        Query("ten classes, one-vs-rest", fit("classify_10", f"pgfit.perceptron(k, x, {PASSES})")),
        Query("ten passes, spilled", fit("classify_10", f"pgfit.perceptron(y, x, {PASSES})"), ["pgfit.fit_mem = '4MB'"]),
    ], [
        Bar("ten passes", "one pass", 3),
        Bar("averaged", "ten passes", 2.5),
        Bar("ten passes, spilled", "ten passes", 6),
        Bar("one pass", "count(x)", None),
    ], settings=["pgfit.fit_mem = '1GB'"]),
    Section("scores of linear classifiers, 10 features", [
        Query("count(x)", "SELECT count(x) FROM classify_10"),
        Query("least_squares_classifier", score("line")),
        Query("nearest_centroid", score("centroid")),
        Query("nearest_centroid, ten classes", score("centroids")),
        Query("ten classes by pairs", score("pairs")),
    ], [
        Bar("nearest_centroid", "least_squares_classifier", 1.3),
        Bar("ten classes by pairs", "nearest_centroid, ten classes", 3),
        Bar("least_squares_classifier", "count(x)", None),
    ]),
    Section("linear classifiers against scikit-learn in memory", [
        Query("perceptron, 10 features", fit("classify_10", f"pgfit.perceptron(y, x, {PASSES})")),
        Query("scikit-learn Perceptron, 10 features",
              "python classify_10 10 Perceptron(max_iter=10, tol=None, shuffle=False).fit(X, y)"),
        Query("nearest_centroid, 10 features", fit("classify_10", "pgfit.nearest_centroid(y, x)")),
        Query("scikit-learn NearestCentroid, 10 features", "python classify_10 10 NearestCentroid().fit(X, y)"),
        Query("least_squares_classifier, 10 features", fit("classify_10", "pgfit.least_squares_classifier(y, x)")),
        Query("scikit-learn RidgeClassifier, 10 features", "python classify_10 10 RidgeClassifier(alpha=0).fit(X, y)"),
        Query("perceptron, 100 features", fit("classify_100", f"pgfit.perceptron(y, x, {PASSES})")),
        Query("scikit-learn Perceptron, 100 features",
              "python classify_100 100 Perceptron(max_iter=10, tol=None, shuffle=False).fit(X, y)"),
    ], [
        Bar("perceptron, 10 features", "scikit-learn Perceptron, 10 features", 1),
        Bar("perceptron, 100 features", "scikit-learn Perceptron, 100 features", 1),
        Bar("nearest_centroid, 10 features", "scikit-learn NearestCentroid, 10 features", None),
        Bar("least_squares_classifier, 10 features", "scikit-learn RidgeClassifier, 10 features", 1),
    ], settings=["pgfit.fit_mem = '1GB'"]),
]
