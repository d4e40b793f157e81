#!/usr/bin/python3
"""Writes fits_search.json: what GridSearchCV of scikit-learn finds for grids of options over given folds. Needs numpy and scikit-learn."""
import csv
import json
import os
import pathlib

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
import numpy  # noqa: E402
import sklearn  # noqa: E402
from sklearn import linear_model, model_selection, neighbors, tree  # noqa: E402

HERE = pathlib.Path(__file__).parent
FOLDS = 5
DIABETES = ["age", "sex", "bmi", "bp", "s1", "s2", "s3", "s4", "s5", "s6"]
CANCER = ["mean_radius", "mean_texture", "mean_smoothness", "mean_concavity", "mean_symmetry"]
TIGHT = {"tol": 1e-14, "max_iter": 1000000}


def table(name, features, target):
    with open(HERE / "data" / f"{name}.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    y = [row[target] for row in rows]
    return numpy.array([[float(row[f]) for f in features] for row in rows]), numpy.array([float(v) for v in y] if name == "diabetes" else y)


def elastic_net(options):
    """The parameters of ElasticNet for lambda and alpha with the loss divided by the rows."""
    l1, l2 = options["lambda"] * options["alpha"], options["lambda"] * (1 - options["alpha"])
    return {"alpha": l1 / 2 + l2, "l1_ratio": l1 / 2 / (l1 / 2 + l2)}


def case(name, data, features, target, model, estimator, shared, grid, translate, metric="rmse"):
    """grid: candidates as pgfit has them; translate: from a candidate to the parameters of scikit-learn's."""
    x, y = table(data, features, target)
    split = model_selection.PredefinedSplit([i % FOLDS for i in range(len(y))])
    scoring = {"rmse": "neg_root_mean_squared_error", "log_loss": "neg_log_loss", "accuracy": "accuracy"}[metric]
    parameters = [{key: [value] for key, value in translate(candidate).items()} for candidate in grid]
    search = model_selection.GridSearchCV(model, parameters, cv=split, scoring=scoring).fit(x, y)
    sign = 1 if metric == "accuracy" else -1
    folds = [[sign * float(search.cv_results_[f"split{k}_test_score"][i]) for k in range(FOLDS)] for i in range(len(grid))]
    return {"id": f"search_{name}", "method": "search", "data": {"file": f"data/{data}.csv", "features": features, "target": target},
            "params": {"estimator": estimator, "options": shared, "grid": grid, "folds": FOLDS, "metric": metric},
            "expected": {"values": (sign * search.cv_results_["mean_test_score"]).tolist(), "folds": folds, "best": grid[search.best_index_]},
            "tolerance": {"rtol": 1e-8, "atol": 1e-8}, "verified_by": f"scikit-learn {sklearn.__version__}"}


def lambdas(*values):
    return [{"lambda": value} for value in values]


CASES = [
    case("ridge", "diabetes", DIABETES, "progression", linear_model.Ridge(), "ridge_regression", {},
         lambdas(0.01, 0.1, 1, 10, 100, 1000, 10000), lambda c: {"alpha": c["lambda"]}),
    case("ridge_no_intercept", "diabetes", DIABETES, "progression", linear_model.Ridge(fit_intercept=False), "ridge_regression", {"intercept": False},
         lambdas(0.5, 50, 5000), lambda c: {"alpha": c["lambda"]}),
    case("lasso", "diabetes", DIABETES, "progression", linear_model.Lasso(**TIGHT), "lasso_regression", {"loss": "mean", "tolerance": 1e-13},
         lambdas(0.01, 0.1, 1, 10, 100), lambda c: {"alpha": c["lambda"] / 2}),
    case("elastic_net", "diabetes", DIABETES, "progression", linear_model.ElasticNet(**TIGHT), "elastic_net", {"loss": "mean", "tolerance": 1e-13},
         [{"lambda": r, "alpha": a} for r in (0.01, 0.3, 5) for a in (0.2, 0.5, 0.9)], elastic_net),
    case("logistic", "breast_cancer", CANCER, "diagnosis", linear_model.LogisticRegression(solver="newton-cg", tol=1e-12, max_iter=10000), "logistic_regression",
         {"tolerance": 1e-13}, lambdas(0.05, 0.5, 5, 50), lambda c: {"C": 1 / (2 * c["lambda"])}, "log_loss"),
    case("knn", "diabetes", DIABETES, "progression", neighbors.KNeighborsRegressor(algorithm="kd_tree"), "knn_regression", {},
         [{"k": 1}, {"k": 4}, {"k": 15}], lambda c: {"n_neighbors": c["k"]}),
    case("tree", "diabetes", DIABETES, "progression", tree.DecisionTreeRegressor(random_state=0), "tree_regression", {},
         [{"max_depth": d, "min_samples_leaf": s} for d in (1, 2, 3) for s in (5, 20)], dict),
]
with open(HERE / "fits_search.json", "w") as out:
    json.dump({"schema": 1, "title": f"Grids of options over given folds, by GridSearchCV of scikit-learn {sklearn.__version__}", "count": len(CASES), "cases": CASES},
              out, indent=1)
    out.write("\n")
