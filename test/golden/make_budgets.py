#!/usr/bin/python3
"""Writes budgets.json: least squares under a budget for the penalty of the coefficients, as scipy's SLSQP finds it.

SLSQP minimizes the sum of squares under the constraint itself, with each coefficient split into two that are not negative. Newton's
method then solves its optimality conditions on the coefficients that are not 0, which leaves rounding errors only; the conditions
of the others are verified. Needs numpy and scipy.
"""
import csv
import json
import pathlib

import numpy
from scipy import optimize

HERE = pathlib.Path(__file__).parent


def diabetes():
    with open(HERE / "data/diabetes.csv", encoding="utf-8") as file:
        header, *rows = list(csv.reader(file))
    table = numpy.array([[float(v) for v in row] for row in rows])
    return header, table


def minimize(gram, product, budget, alpha):
    """Returns w that SLSQP finds: least w'Gw - 2 w'g with sum(alpha |w| + (1 - alpha) w^2) at most the budget."""
    size = len(product)
    fold = numpy.vstack([numpy.eye(size), -numpy.eye(size)])

    def loss(v):
        w = v @ fold
        return w @ gram @ w - 2 * w @ product

    def slack(v):
        w = v @ fold
        return budget - alpha * v.sum() - (1 - alpha) * w @ w

    found = optimize.minimize(loss, numpy.full(2 * size, 1e-3), jac=lambda v: fold @ (2 * (gram @ (v @ fold) - product)), bounds=[(0, None)] * (2 * size),
                              constraints={"type": "ineq", "fun": slack, "jac": lambda v: -alpha - 2 * (1 - alpha) * fold @ (v @ fold)},
                              method="SLSQP", options={"ftol": 1e-15, "maxiter": 2000})
    assert found.success or found.status == 8, found.message  # 8: no step improves the loss further
    return found.x @ fold


def polish(gram, product, budget, alpha, start):
    """Returns (w, lambda) that solve the optimality conditions on the coefficients of start that are not 0."""
    free = numpy.abs(start) > (1e-5 * numpy.abs(start).max() if alpha > 0 else 0)
    sign, w = numpy.sign(start[free]), start[free]
    inner, right = gram[numpy.ix_(free, free)], product[free]
    gradient = alpha * sign + 2 * (1 - alpha) * w
    lagrange = 2 * gradient @ (right - inner @ w) / (gradient @ gradient)
    for _ in range(50):
        gradient = alpha * sign + 2 * (1 - alpha) * w
        rest = numpy.append(2 * (inner @ w - right) + lagrange * gradient, alpha * sign @ w + (1 - alpha) * w @ w - budget)
        slope = numpy.block([[2 * inner + 2 * lagrange * (1 - alpha) * numpy.eye(len(w)), gradient[:, None]], [gradient[None, :], numpy.zeros((1, 1))]])
        step = numpy.linalg.solve(slope, rest)
        w, lagrange = w - step[:-1], lagrange - step[-1]
    full = numpy.zeros(len(start))
    full[free] = w
    assert numpy.abs(full - start).max() < 1e-3 * numpy.abs(start).max(), (full, start)
    assert (numpy.sign(w) == sign).all() and lagrange > 0
    assert (numpy.abs(2 * (gram @ full - product))[~free] <= lagrange * alpha).all(), "another coefficient is not 0"
    return full, lagrange


def solve(x, y, budget, alpha, standardize, penalize_intercept):
    """Returns what the case expects."""
    means, target = (numpy.zeros(x.shape[1]), 0.0) if penalize_intercept else (x.mean(0), y.mean())
    scale = x.std(0) if standardize else numpy.ones(x.shape[1])
    terms = (x - means) / scale
    if penalize_intercept:
        terms = numpy.column_stack([numpy.ones(len(y)), terms])
    size = numpy.sqrt((terms ** 2).sum(0).mean())  # numbers about 1 for SLSQP; the penalty is that of w
    gram, product = terms.T @ terms / size ** 2, terms.T @ (y - target) / size ** 2
    full = numpy.linalg.solve(gram, product)
    if alpha * numpy.abs(full).sum() + (1 - alpha) * full @ full <= budget:
        w, lagrange = full, 0.0
    else:
        unit = numpy.abs(full).max()
        # in units of the greatest coefficient of least squares, both parts of the penalty are of about the same size
        squares = (1 - alpha) * unit ** 2
        share = alpha * unit / (alpha * unit + squares)
        start = minimize(gram, product / unit, budget / (alpha * unit + squares), share) * unit
        w, lagrange = polish(gram, product, budget, alpha, start)
    lagrange *= size ** 2
    if penalize_intercept:
        intercept, coef = w[0], w[1:]
    else:
        coef = w / scale
        intercept = target - means @ coef
    spent = alpha * numpy.abs(w).sum() + (1 - alpha) * w @ w
    rss = ((y - intercept - x @ coef) ** 2).sum()
    return {"intercept": float(intercept), "coef": coef.tolist(), "lambda": float(lagrange), "penalty": float(spent), "rss": float(rss),
            "nonzero": int((coef != 0).sum())}


def main():
    header, table = diabetes()
    cases = []
    kinds = [("ridge_regression", 0.0, share, s) for share, s in ((0.05, True), (0.5, True), (0.3, False), (1.5, True))]
    kinds += [("lasso_regression", 1.0, share, s) for share, s in ((0.1, True), (0.3, True), (0.6, False), (1.5, True))]
    kinds += [("elastic_net", 0.5, 0.2, True), ("elastic_net", 0.9, 0.4, True), ("elastic_net", 0.3, 0.1, False)]
    x, y = table[:, 1:-1], table[:, -1]
    centered = x - x.mean(0)
    for number, (estimator, alpha, share, standardize) in enumerate(kinds):
        full = numpy.linalg.lstsq(centered / (x.std(0) if standardize else 1), y, rcond=None)[0]
        budget = float(f"{share * (alpha * numpy.abs(full).sum() + (1 - alpha) * full @ full):.4g}")
        params = {"estimator": estimator, "penalty_budget": budget, "standardize": standardize}
        if estimator == "elastic_net":
            params["alpha"] = alpha
        cases.append({"id": f"budget.{number}.{estimator}", "method": "penalty_budget", "data": {"file": "data/diabetes.csv", "features": "all", "target": header[-1]},
                      "params": params, "expected": solve(x, y, budget, alpha, standardize, False)})
    random = numpy.random.RandomState(7)
    x = numpy.round(random.normal(size=(25, 4)) * [1, 2, 0.5, 1] + 0.5, 3)
    y = numpy.round(x @ [1, -0.5, 2, 0] + 3 + random.normal(size=25), 3)
    cases.append({"id": f"budget.{len(cases)}.ridge_regression", "method": "penalty_budget", "input": {"X": x.tolist(), "y": y.tolist()},
                  "params": {"estimator": "ridge_regression", "penalty_budget": 4, "penalize_intercept": True}, "expected": solve(x, y, 4.0, 0.0, False, True)})
    for case in cases:
        if case["params"]["estimator"] == "ridge_regression":
            del case["expected"]["nonzero"]
        case["tolerance"] = {"rtol": 1e-8, "atol": 1e-9}
    with open(HERE / "budgets.json", "w", encoding="utf-8") as file:
        file.write('{"schema": 1, "title": "Least squares under a budget for the penalty, by scipy: SLSQP", ' + f'"count": {len(cases)}, "cases": [\n')
        file.write(",\n".join(json.dumps(case) for case in cases) + "\n]}\n")


main()
