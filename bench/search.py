"""Search of a grid of 20 lambdas by 5 folds over 10 features."""
from measure import Bar, Query, Section

ROOM = ["pgfit.fit_mem = '1GB'"]
FEATURES = "y ~ " + " + ".join(f"a{i}" for i in range(1, 11))
LAMBDAS = [10 ** (i / 2 - 3) for i in range(20)]


def search(estimator, grid, source="search_10"):
    return f"SELECT count(*) FROM pgfit.search('{estimator}', '{source}', '{FEATURES}', '{grid}', '{{\"folds\": 5}}')"


def apart(estimator, lambdas):
    """The same candidates by a call of cross_validate each, in one scan, of which each keeps rows and moments of its own."""
    calls = ", ".join(f"pgfit.cross_validate(y, d, '{estimator}', '{{\"metrics\": \"rmse\", \"options\": {{\"formula\": \"{FEATURES[4:]}\", \"lambda\": {value}}}}}') IS NULL"
                      for value in lambdas)
    return f"SELECT {calls} FROM search_10 AS d"


def grid_search(model, grid):
    return (f"python search_10 10 GridSearchCV({model}, {grid}, cv=KFold(5), n_jobs=threads, refit=False, "
            "scoring='neg_root_mean_squared_error').fit(X, y)")


def options(name, values):
    return f'{{"{name}": {list(values)}}}'


SECTIONS = [
    Section("search against GridSearchCV in memory, 5 folds, 10 features", [
        Query("ridge_regression, 20 lambdas", search("ridge_regression", options("lambda", LAMBDAS)), ROOM),
        Query("ridge_regression, 4 of them by a call each", apart("ridge_regression", LAMBDAS[:4]), ROOM),
        Query("lasso_regression, 20 lambdas", search("lasso_regression", options("lambda", LAMBDAS)), ROOM),
        Query("scikit-learn Ridge, 20 alphas", grid_search("Ridge()", {"alpha": LAMBDAS})),
        Query("scikit-learn Lasso, 20 alphas", grid_search("Lasso()", {"alpha": [value / 1e6 for value in LAMBDAS]})),
    ], [
        Bar("ridge_regression, 20 lambdas", "scikit-learn Ridge, 20 alphas", 1),
        Bar("ridge_regression, 20 lambdas", "ridge_regression, 4 of them by a call each", 1),
        Bar("lasso_regression, 20 lambdas", "scikit-learn Lasso, 20 alphas", None),
    ]),
]
