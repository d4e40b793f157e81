"""Boosted trees against XGBoost's hist and scikit-learn's HistGradientBoosting in memory, and binned trees against exact ones."""
from measure import Bar, Query, Section

SETTINGS = ["pgfit.fit_mem = '1GB'"]
DEEP = '{"max_depth": 6, "min_samples_leaf": 1}'


def boosted(method, table, options):
    return f"SELECT pgfit.boosted_trees_{method}(y, x, '{options}'::jsonb) IS NOT NULL FROM {table}"


def xgboost(kind, table):
    return f"peer fit {table} 10 XGB{kind}(n_estimators=100, max_depth=6, learning_rate=0.1, tree_method='hist', n_jobs=1).fit(X, y)"


def sklearn(kind, table):
    return f"peer fit {table} 10 HistGradientBoosting{kind}(early_stopping=False).fit(X, y)"


def section(title, method, kind, table):
    return Section(title, [
        Query("depth 6", boosted(method, table, DEEP)),
        Query("31 leaves", boosted(method, table, "{}")),
        Query("count(x)", f"SELECT count(x) FROM {table}"),
        Query("XGBoost hist, depth 6", xgboost(kind, table)),
        Query("HistGradientBoosting, 31 leaves", sklearn(kind, table)),
    ], [
        Bar("depth 6", "XGBoost hist, depth 6", 1.0),
        Bar("31 leaves", "HistGradientBoosting, 31 leaves", 0.7),
    ], repeats=3, settings=SETTINGS, peers=True)


SECTIONS = [
    section("boosted trees, numbers, 1,000,000 x 10", "regression", "Regressor", "boosting"),
    section("boosted trees, two classes, 1,000,000 x 10", "classifier", "Classifier", "boosting_labels"),
    Section("one binned tree, 1,000,000 x 10", [
        Query("tree_regression", "SELECT pgfit.tree_regression(y, x) IS NOT NULL FROM boosting"),
        Query("tree_classifier", "SELECT pgfit.tree_classifier(y, x) IS NOT NULL FROM boosting_labels"),
        Query("tree_classifier, depth 12", """SELECT pgfit.tree_classifier(y, x, '{"max_depth": 12}') IS NOT NULL FROM boosting_labels"""),
        Query("DecisionTreeRegressor", "peer fit boosting 10 DecisionTreeRegressor().fit(X, y)"),
        Query("DecisionTreeClassifier", "peer fit boosting_labels 10 DecisionTreeClassifier().fit(X, y)"),
        Query("DecisionTreeClassifier, depth 12", "peer fit boosting_labels 10 DecisionTreeClassifier(max_depth=12).fit(X, y)"),
    ], [
        Bar("tree_regression", "DecisionTreeRegressor", 0.1),
        Bar("tree_classifier", "DecisionTreeClassifier", 0.1),
        Bar("tree_classifier, depth 12", "DecisionTreeClassifier, depth 12", 0.1),
    ], repeats=1, settings=SETTINGS, peers=True),
]
