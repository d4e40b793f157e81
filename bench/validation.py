"""Cross-validation of a method: 5 folds, 10 features."""
from measure import Bar, Query, Section

ROOM = ["pgfit.fit_mem = '1GB'"]


def judge(target, estimator, options):
    return f"SELECT pgfit.cross_validate({target}, x, '{estimator}', '{options}') IS NOT NULL FROM validation_10"


def scores(model, target, scoring):
    return f"python validation_10 10 cross_val_score({model}, X, {target}, cv=KFold(5), n_jobs=threads, scoring='{scoring}')"


SECTIONS = [
    Section("cross-validation against scikit-learn in memory, 5 folds, 10 features", [
        Query("ridge_regression", judge("y", "ridge_regression", '{"metrics": "rmse", "options": {"lambda": 1}}'), ROOM),
        Query("one ridge_regression", "SELECT pgfit.ridge_regression(y, x, 1) IS NOT NULL FROM validation_10", ROOM),
        Query("logistic_regression", judge("y > 0.5", "logistic_regression", '{"metrics": "log_loss", "options": {"lambda": 0.5}}'), ROOM),
        Query("scikit-learn Ridge", scores("Ridge(alpha=1)", "y", "neg_root_mean_squared_error")),
        Query("scikit-learn LogisticRegression", scores("LogisticRegression(C=1)", "y > 0.5", "neg_log_loss")),
    ], [
        Bar("ridge_regression", "scikit-learn Ridge", None),
        Bar("ridge_regression", "one ridge_regression", None),
        Bar("logistic_regression", "scikit-learn LogisticRegression", 1),
    ]),
]
