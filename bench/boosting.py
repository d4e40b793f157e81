"""Boosted trees against XGBoost's hist and scikit-learn's HistGradientBoosting in memory."""
from measure import Bar, Query, Section

SETTINGS = ["pgfit.fit_mem = '1GB'"]
XGBOOST = "XGB{}(n_estimators=100, max_depth=6, learning_rate=0.1, tree_method='hist', n_jobs=threads)"
DEEP = '{"max_depth": 6, "min_samples_leaf": 1}'


def boosted(method, table, options):
    return f"SELECT pgfit.boosted_trees_{method}(y, x, '{options}'::jsonb) IS NOT NULL FROM {table}"


def xgboost(kind, table):
    return f"python {table} 10 {XGBOOST.format(kind)}.fit(X, y)"


def sklearn(kind, table):
    return f"python {table} 10 HistGradientBoosting{kind}(early_stopping=False).fit(X, y)"


def section(title, method, kind, table):
    return Section(title, [
        Query("depth 6", boosted(method, table, DEEP)),
        Query("31 leaves", boosted(method, table, "{}")),
        Query("XGBoost hist, depth 6", xgboost(kind, table)),
        Query("HistGradientBoosting, 31 leaves", sklearn(kind, table)),
    ], [
        Bar("depth 6", "XGBoost hist, depth 6", 1.0, aim=0.9),
        Bar("31 leaves", "HistGradientBoosting, 31 leaves", 0.7),
    ], settings=SETTINGS)


SECTIONS = [
    section("boosted trees, numbers, 1,000,000 x 10", "regression", "Regressor", "boosting"),
    section("boosted trees, two classes, 1,000,000 x 10", "classifier", "Classifier", "boosting_labels"),
    Section("scores of 1,000,000 rows by 100 boosted trees of depth 6", [
        Query("predict", "SELECT count(pgfit.predict((SELECT m FROM boosting_model), x)) FROM boosting"),
        Query("XGBoost, predict", f"python boosting 10 BOOSTED = {XGBOOST.format('Regressor')}.fit(X[:100000], y[:100000]) ;; BOOSTED.predict(X)"),
    ], [Bar("predict", "XGBoost, predict", 0.5)], settings=SETTINGS),
]
