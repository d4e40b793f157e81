#!/usr/bin/python3
"""Writes rankings.json: features ranked by F and by mutual information with their fifths, and learning curves, by scikit-learn. Needs numpy and scikit-learn."""
import csv
import json
import pathlib

import numpy
from sklearn.feature_selection import f_classif, f_regression
from sklearn.linear_model import LinearRegression
from sklearn.metrics import normalized_mutual_info_score
from sklearn.model_selection import learning_curve
from sklearn.naive_bayes import GaussianNB

HERE = pathlib.Path(__file__).parent
CLASSES = (("iris", "species", ["sepal_length", "sepal_width", "petal_length", "petal_width"]), ("wine", "class", ["alcohol", "ash", "hue", "proline"]),
           ("breast_cancer", "diagnosis", ["mean_radius", "mean_texture", "mean_symmetry"]), ("penguins", "species", ["bill_length_mm", "flipper_length_mm", "body_mass_g"]),
           ("titanic", "survived", ["age", "fare", "pclass"]))
NUMBERS = (("diabetes", "progression", ["age", "bmi", "bp", "s5"]), ("swiss", "fertility", ["agriculture", "examination", "education", "catholic"]),
           ("cars", "mpg", ["wt", "hp", "disp"]), ("longley", "employed", ["gnp", "unemployed", "year"]), ("stackloss", "loss", ["air", "water", "acid"]))


def read(name, target, features):
    """Returns features and target, by id."""
    with open(HERE / "data" / f"{name}.csv", newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    return numpy.array([[float(r[f]) for f in features] for r in rows]), numpy.array([r[target] for r in rows])


def fifths(column):
    """Returns what ntile(5) says in the order of the column and the ids."""
    out = numpy.empty(len(column), int)
    for k, part in enumerate(numpy.array_split(numpy.argsort(column, kind="stable"), 5)):
        out[part] = k + 1
    return out


def curve(model, x, y, metric):
    """A learning curve over rows in an order of their ids: a quarter is never fitted."""
    place = numpy.arange(1, len(y) + 1) * 389 % 1009
    order = numpy.argsort(place)
    test, train = order[place[order] % 4 == 0], order[place[order] % 4 != 0]
    sizes = [int(len(train) * share) for share in (0.5, 0.75, 1)]
    _, seen, unseen = learning_curve(model, x, y, train_sizes=sizes, cv=[(train, test)], scoring={"rmse": "neg_root_mean_squared_error"}.get(metric, metric))
    sign = -1 if metric == "rmse" else 1
    return sizes, {"seen": (sign * seen[:, 0]).tolist(), "unseen": (sign * unseen[:, 0]).tolist()}


def main():
    cases = []
    for kind, tables, test, model, estimator, metric in (("class", CLASSES, f_classif, GaussianNB(), "naive_bayes", "accuracy"),
                                                         ("number", NUMBERS, f_regression, LinearRegression(), "linear_regression", "rmse")):
        for name, target, features in tables:
            x, y = read(name, target, features)
            y = y.astype(float) if kind == "number" else y
            given = {"data": {"file": f"data/{name}.csv"}, "tolerance": {"rtol": 1e-9, "atol": 1e-300}}
            params = {"kind": kind, "features": features, "target": target}
            f, p = test(x, y)
            expected = {"f": f.tolist(), "p_value": p.tolist()}
            if kind == "class":
                expected["shared"] = [normalized_mutual_info_score(y, fifths(column)) for column in x.T]
            cases.append({"id": f"feature_ranking.{name}", "method": "feature_ranking", **given, "params": params, "expected": expected})
            sizes, expected = curve(model, x, y, metric)
            cases.append({"id": f"learning_curve.{name}", "method": "learning_curve", **given, "params": {**params, "estimator": estimator, "metric": metric, "sizes": sizes},
                          "expected": expected})
    text = ",\n".join(json.dumps(c) for c in cases)
    (HERE / "rankings.json").write_text(f'{{"schema": 1, "title": "Rankings of features and learning curves by scikit-learn", "count": {len(cases)}, "cases": [\n{text}\n]}}\n')


main()
