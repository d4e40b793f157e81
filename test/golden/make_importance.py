#!/usr/bin/python3
"""Writes importance.json: partial dependence as scikit-learn has it, and importance by its definition over pgfit's permutations and accumulated local effects by a
plain implementation of Apley & Zhu (2020), both over the predictions of scikit-learn's models, or of least squares by numpy. Needs numpy and scikit-learn.
"""
import csv
import json
import pathlib

import numpy
from sklearn.inspection import partial_dependence
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

from mixing import class_number, permutation, rows_hash

HERE = pathlib.Path(__file__).parent
TOLERANCE = {"rtol": 1e-9, "atol": 1e-11}


class Rows(dict):
    """Columns by name, of numbers or strings."""

    def where(self, mask):
        return Rows({name: column[mask] for name, column in self.items()})

    def changed(self, feature, values):
        return Rows({**self, feature: numpy.asarray(values)})

    def matrix(self, features):
        return numpy.column_stack([self[f] for f in features])


def read(name):
    with open(HERE / "data" / f"{name}.csv", newline="", encoding="utf-8") as stream:
        header, *lines = list(csv.reader(stream))
    rows = Rows()
    for j, column in enumerate(header):
        values = [line[j] for line in lines]
        try:
            rows[column] = numpy.array([float(v) if v else numpy.nan for v in values])
        except ValueError:
            rows[column] = numpy.array(values)
    return rows


def is_text(column):
    return column.dtype.kind == "U"


class Dummies:
    """Least squares over numbers, 0/1 columns of categories, and products of one category with one number."""

    def __init__(self, numbers, categories, product):
        self.numbers, self.categories, self.product = numbers, categories, product

    def design(self, rows):
        columns = [numpy.ones(len(rows[self.numbers[0]]))] + [rows[n] for n in self.numbers]
        for c in self.categories:
            for level in self.levels[c][1:]:
                is_level = (rows[c] == level).astype(float)
                columns.append(is_level)
                if c == self.product[0]:
                    columns.append(is_level * rows[self.product[1]])
        return numpy.column_stack(columns)

    def fit(self, rows, target):
        self.levels = {c: sorted(set(rows[c])) for c in self.categories}
        self.beta = numpy.linalg.lstsq(self.design(rows), target, rcond=None)[0]
        return self

    def predict(self, rows):
        return self.design(rows) @ self.beta


def ale_number(predict, rows, feature, intervals):
    x = rows[feature]
    ordered = numpy.sort(x)
    ends = [ordered[0]] + [ordered[int(numpy.ceil(len(x) * k / intervals - 1e-9)) - 1] for k in range(1, intervals + 1)]
    ends = numpy.unique(ends)
    place = numpy.maximum(numpy.searchsorted(ends, x, side="left"), 1) - 1
    differences = predict(rows.changed(feature, ends[place + 1])) - predict(rows.changed(feature, ends[place]))
    counts = numpy.bincount(place, minlength=len(ends) - 1)
    steps = numpy.array([differences[place == k].mean(axis=0) for k in range(len(ends) - 1)])
    curve = numpy.concatenate([numpy.zeros((1,) + steps.shape[1:]), numpy.cumsum(steps, axis=0)])
    centers = (curve[:-1] + curve[1:]) / 2
    return ends, curve - numpy.tensordot(counts, centers, 1) / counts.sum()


def level_order(rows, feature, others):
    levels = sorted(set(rows[feature]))
    distance = numpy.zeros((len(levels), len(levels)))
    for other in others:
        for i, a in enumerate(levels):
            for j, b in enumerate(levels):
                one, two = rows[other][rows[feature] == a], rows[other][rows[feature] == b]
                if is_text(rows[other]):
                    distance[i, j] += sum(abs((one == v).mean() - (two == v).mean()) for v in set(rows[other])) / 2
                else:
                    cuts = numpy.quantile(rows[other], numpy.linspace(0, 1, 100))
                    distance[i, j] += max(abs((one <= c).mean() - (two <= c).mean()) for c in cuts)
    center = numpy.eye(len(levels)) - 1 / len(levels)
    vector = numpy.linalg.eigh(-center @ distance ** 2 @ center / 2)[1][:, -1]
    order = [levels[i] for i in numpy.argsort(vector, kind="stable")]
    return order if order[0] < order[-1] else order[::-1]


def ale_levels(predict, rows, feature, order):
    place = numpy.array([order.index(level) for level in rows[feature]])

    def at(mask, places):
        return predict(rows.where(mask).changed(feature, [order[i] for i in places]))

    up, down = place < len(order) - 1, place > 0
    differences = numpy.concatenate([at(up, place[up] + 1) - at(up, place[up]), at(down, place[down]) - at(down, place[down] - 1)])
    steps = numpy.concatenate([place[up], place[down] - 1])
    curve = numpy.concatenate([[0], numpy.cumsum([differences[steps == k].mean() for k in range(len(order) - 1)])])
    return curve - sum(curve[i] * (place == i).mean() for i in range(len(order)))


def models():
    diabetes, iris, wine, mixed = (read(name) for name in ("diabetes", "iris", "wine", "formula"))
    numbers = ["age", "bmi", "bp", "s1", "s5"]
    tastes, wine_class = ["alcohol", "malic_acid", "flavanoids", "color_intensity"], list(wine)[-1]
    leaves = ["sepal_length", "sepal_width", "petal_length", "petal_width"]
    for name, model, call, options in (("line", LinearRegression(), "linear_regression", {}), ("neighbors", KNeighborsRegressor(7), "knn_regression", {"k": 7}),
                                       ("kernel", KernelRidge(alpha=1, kernel="rbf", gamma=0.0005), "kernel_ridge", {"lambda": 1, "kernel": "rbf", "gamma": 0.0005})):
        yield name, call, options, "data/diabetes.csv", numbers, "progression", diabetes, model.fit(diabetes.matrix(numbers), diabetes["progression"])
    yield "bayes", "naive_bayes", {}, "data/iris.csv", leaves, "species", iris, GaussianNB().fit(iris.matrix(leaves), iris["species"])
    yield ("votes", "knn_classifier", {"k": 15}, "data/wine.csv", tastes, wine_class, wine, KNeighborsClassifier(15).fit(wine.matrix(tastes), wine[wine_class]))
    yield ("levels", "linear_regression", {"formula": "x * g + z + h"}, "data/formula.csv", ["x", "z", "g", "h"], "y", mixed,
           Dummies(["x", "z"], ["g", "h"], ("g", "x")).fit(mixed, mixed["y"]))
    for name, target, chosen in (("swiss", "fertility", ["agriculture", "examination", "education", "catholic"]),
                                 ("penguins", "body_mass_g", ["bill_length_mm", "flipper_length_mm"]), ("longley", "employed", ["gnp", "unemployed", "year"])):
        rows = read(name)
        yield name, "linear_regression", {}, f"data/{name}.csv", chosen, target, rows, LinearRegression().fit(rows.matrix(chosen), rows[target])


def level_models():
    """Least squares over two numbers and categories, with a product of the first of each."""
    for name, target, numbers, categories in (("penguins", "body_mass_g", ["flipper_length_mm", "bill_length_mm"], ["species", "sex"]), ("wine", "alcohol", ["ash", "hue"], ["class"]),
                                              ("veteran", "karno", ["age", "diagtime"], ["celltype"]), ("colon", "time", ["nodes", "age"], ["rx"]),
                                              ("glm_infert", "spontaneous", ["age", "parity"], ["education"])):
        rows = read(name)
        features = [numbers[0], categories[0]] + numbers[1:] + categories[1:]
        yield (f"{name}.levels", "linear_regression", {"formula": f"{numbers[0]} * " + " + ".join(features[1:])}, f"data/{name}.csv", features, target, rows,
               Dummies(numbers, categories, (categories[0], numbers[0])).fit(rows, rows[target]))


def shown(curves):
    """Curves by class, or the only one, as the function returns them: class by class."""
    return numpy.asarray(curves, float).ravel().tolist()


def dependence(model, rows, features, target):
    for feature in features:
        got = partial_dependence(model, rows.matrix(features), [features.index(feature)], kind="average", method="brute", grid_resolution=20, response_method="auto")
        yield {"feature": feature, "options": {}}, {"value": got["values"][0].tolist(), "estimate": shown(got["average"])}
    last = min(2, len(features) - 1)
    pair = features[0], features[last]
    got = partial_dependence(model, rows.matrix(features), [(0, last)], kind="average", method="brute", grid_resolution=6, percentiles=(0.1, 0.9))
    yield ({"feature": pair[0], "options": {"by": pair[1], "grid": 6, "percentiles": [0.1, 0.9]}},
           {"value": numpy.repeat(got["values"][0], len(got["values"][1])).tolist(), "by_value": numpy.tile(got["values"][1], len(got["values"][0])).tolist(),
            "estimate": shown(got["average"])})
    if not hasattr(model, "predict_proba"):
        few = rows.where(rows["id"] <= 9)
        got = partial_dependence(model, few.matrix(features), [1], kind="individual", method="brute", grid_resolution=4)
        yield ({"feature": features[1], "options": {"kind": "ice", "id": "id", "grid": 4}, "rows": 9},
               {"value": numpy.tile(got["values"][0], 9).tolist(), "estimate": shown(got["individual"])})


def level_dependence(model, rows, features, target):
    for feature in model.categories:
        levels = model.levels[feature]
        yield {"feature": feature, "options": {}}, {"level": levels, "estimate": [model.predict(rows.changed(feature, [v] * len(rows[feature]))).mean() for v in levels]}


def level_effects(model, rows, features, target):
    return effects(model, rows, [f for f in features if is_text(rows[f])], target, features)


def effects(model, rows, features, target, others=None):
    method = getattr(model, "predict_proba", model.predict)

    def predict(changed):
        return method(changed if isinstance(model, Dummies) else changed.matrix(features))

    others = others or features
    rows = Rows({f: rows[f] for f in others})
    for feature in features:
        if is_text(rows[feature]):
            order = level_order(rows, feature, [f for f in others if f != feature])
            yield {"feature": feature, "options": {}}, {"level": order, "effect": shown(ale_levels(predict, rows, feature, order))}
            order = sorted(order, reverse=True)
            yield {"feature": feature, "options": {"order": order}}, {"level": order, "effect": shown(ale_levels(predict, rows, feature, order))}
            continue
        for intervals in (1, 7, 20):
            ends, curve = ale_number(predict, rows, feature, intervals)
            yield {"feature": feature, "options": {"intervals": intervals}}, {"value": ends.tolist(), "effect": shown(curve.T)}


def importance(model, rows, features, target):
    """Every row that a metric judges is ranked by its content, and a permutation deals the numbers of ranks."""
    classes = hasattr(model, "predict_proba")
    places = [(f, level) for f in features if is_text(rows[f]) for level in sorted(set(rows[f]))]  # levels of all columns are numbered in one row
    x, y = numpy.column_stack([[places.index((f, v)) if is_text(rows[f]) else v for v in rows[f]] for f in features]).astype(float), rows[target]
    content = [rows_hash(rows_hash(0, [class_number(y[i]) if classes else y[i], 1.0]), x[i]) for i in range(len(y))]
    x, y = (a[numpy.argsort(numpy.array(content, dtype=numpy.uint64), kind="stable")] for a in (x, y))
    losses = {"accuracy": lambda p: -(p == y).mean()} if classes else \
        {"rmse": lambda p: numpy.sqrt(((y - p) ** 2).mean()), "mae": lambda p: abs(y - p).mean(), "r_squared": lambda p: ((y - p) ** 2).sum() / ((y - y.mean()) ** 2).sum()}

    def predict(x):
        if not isinstance(model, Dummies):
            return model.predict(x)
        return model.predict(Rows({f: numpy.array([places[int(v)][1] for v in column]) if f in model.levels else column for f, column in zip(features, x.T)}))

    def lost(columns, loss, seed, repeats):
        found = []
        for r in range(repeats):
            changed = x.copy()
            changed[:, columns] = x[permutation(len(y), seed, r)][:, columns]
            found.append(loss(predict(changed)) - loss(predict(x)))
        return numpy.mean(found), numpy.std(found, ddof=1) / numpy.sqrt(repeats)

    for k, (metric, loss) in enumerate(losses.items()):
        options = {"metric": metric, "repeats": 5 - k, "seed": 7 * k} if k else {}
        got = [lost([j], loss, 7 * k, 5 - k) for j in range(len(features))]
        yield {"options": options}, {"feature": features, "importance": [g[0] for g in got], "std_error": [g[1] for g in got]}
    got = [lost([0, 1], next(iter(losses.values())), 0, 5)] + [lost([j], next(iter(losses.values())), 0, 5) for j in range(2, len(features))]
    yield ({"options": {"groups": {"both": features[:2]}}},
           {"feature": ["both"] + features[2:], "importance": [g[0] for g in got], "std_error": [g[1] for g in got]})


def main():
    cases = []
    for functions, fitted in (({"partial_dependence": dependence, "accumulated_effects": effects}, models), ({"permutation_importance": importance}, models),
                              ({"partial_dependence": level_dependence, "accumulated_effects": level_effects, "permutation_importance": importance}, level_models)):
        for name, call, options, file, features, target, rows, model in fitted():
            for function, found in functions.items():
                for params, expected in found(model, rows, features, target) if name != "levels" or function == "accumulated_effects" else ():
                    params = {"function": function, "estimator": call, "fit": options or None, "columns": features, "target": target, **params}
                    if options.get("formula") is None:
                        params["fit"] = {**options, "formula": " + ".join(features)}
                    cases.append({"id": f"effects.{name}.{len(cases)}", "method": "column_effects", "data": {"file": file}, "params": params, "expected": expected,
                                  "tolerance": TOLERANCE})
    lines = ",\n".join(json.dumps(c) for c in cases)
    (HERE / "importance.json").write_text(
        f'{{"schema": 1, "title": "Importance, partial dependence and accumulated effects of columns by scikit-learn and numpy", "count": {len(cases)}, "cases": [\n{lines}\n]}}\n',
        encoding="utf-8")


main()
