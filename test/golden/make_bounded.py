#!/usr/bin/python3
"""Writes bounded.json: least squares and ridge regressions under bounds by scipy's nnls and lsq_linear, and lassos with coefficients that are not negative.

A ridge penalty is a row per coefficient; a lasso of coefficients that are not negative is non-negative least squares with a shifted product, which
lsq_linear solves in the columns of the triangular factor. Needs numpy and scipy.
"""
import csv
import json
import pathlib

import numpy
from scipy import linalg, optimize

HERE = pathlib.Path(__file__).parent


def bounded(terms, target, lower, upper):
    """Returns the solution of scipy, which is exact once the set of coefficients at a bound is right."""
    found = optimize.lsq_linear(terms, target, (lower, upper), method="bvls", tol=1e-15, max_iter=1000)
    assert found.success, found.message
    if not lower.any() and numpy.isinf(upper).all():
        assert numpy.abs(found.x - optimize.nnls(terms, target)[0]).max() <= 1e-9 * (1 + numpy.abs(found.x).max())
    return found.x


def solve(x, y, params):
    """Returns what the case expects."""
    size = x.shape[1]
    sides = {}
    for side, none in (("lower", -numpy.inf), ("upper", numpy.inf)):
        given = params.get(side, {})
        sides[side] = numpy.array([given.get(f"f{i + 1}", none) for i in range(size)]) if isinstance(given, dict) else numpy.full(size, float(given))
    penalty = params.get("lambda", 0)
    centered, target = (x - x.mean(0), y - y.mean()) if params.get("intercept", True) else (x, y)
    if params["estimator"] == "ridge_regression":
        terms, right = numpy.vstack([centered, numpy.sqrt(penalty) * numpy.eye(size)]), numpy.append(target, numpy.zeros(size))
    elif params["estimator"] == "lasso_regression":
        assert params["lower"] == 0
        q, r = numpy.linalg.qr(centered)
        terms, right = r, q.T @ target - linalg.solve_triangular(r, numpy.full(size, penalty / 2), trans="T")
    else:
        terms, right = centered, target
    coef = bounded(terms, right, sides["lower"], sides["upper"])
    intercept = y.mean() - x.mean(0) @ coef if params.get("intercept", True) else 0.0
    return {"intercept": float(intercept), "coef": coef.tolist(), "rss": float(((y - intercept - x @ coef) ** 2).sum())}


def main():
    with open(HERE / "data/diabetes.csv", encoding="utf-8") as file:
        header, *rows = list(csv.reader(file))
    table = numpy.array([[float(v) for v in row] for row in rows])
    named = {name: i for i, name in enumerate(header[1:-1])}
    cases = []

    def add(x, y, params, data=None):
        case = {"id": f"bounded.{len(cases)}.{params['estimator']}", "method": "bounded", "params": params, "expected": solve(x, y, params), "tolerance": {"rtol": 1e-9, "atol": 1e-9}}
        case.update({"data": data} if data else {"input": {"X": x.tolist(), "y": y.tolist()}})
        if data:  # bounds by the names of the columns
            for side in ("lower", "upper"):
                if isinstance(params.get(side), dict):
                    params[side] = {header[1 + int(k[1:]) - 1]: v for k, v in params[side].items()}
        cases.append(case)

    x, y = table[:, 1:-1], table[:, -1]
    data = {"file": "data/diabetes.csv", "features": "all", "target": header[-1]}
    assert len(named) == x.shape[1]
    for estimator in ("linear_regression", "ridge_regression"):
        for more in ({"lower": 0}, {"upper": 1}, {"lower": {"f2": -5, "f7": 0}, "upper": {"f3": 4, "f9": 20}}, {"lower": 0, "intercept": False}):
            add(x, y, {"estimator": estimator, **({"lambda": 100} if estimator == "ridge_regression" else {}), **more}, data)
    for penalty in (10, 1000, 20000):
        add(x, y, {"estimator": "lasso_regression", "lambda": penalty, "lower": 0}, data)
    random = numpy.random.RandomState(11)
    for number in range(12):
        n, p = random.randint(6, 25), random.randint(1, 6)
        x = numpy.round(random.normal(size=(n, p)) + 1, 3)
        if number % 4 == 3:
            x[:, -1] = numpy.round(x[:, 0] + 1e-3 * random.normal(size=n), 6)
        y = numpy.round(x @ random.normal(size=p) + random.normal(size=n), 3)
        lower = numpy.round(random.normal(size=p) - 0.3, 2)
        more = {"lower": 0} if number % 2 else {"lower": {f"f{i + 1}": lower[i] for i in range(0, p, 2)}, "upper": {f"f{i + 1}": round(lower[i] + 0.5, 2) for i in range(p)}}
        add(x, y, {"estimator": "linear_regression", "intercept": bool(number % 3), **more})
    with open(HERE / "bounded.json", "w", encoding="utf-8") as file:
        file.write('{"schema": 1, "title": "Regressions under bounds, by scipy: nnls and lsq_linear", ' + f'"count": {len(cases)}, "cases": [\n')
        file.write(",\n".join(json.dumps(case) for case in cases) + "\n]}\n")


main()
