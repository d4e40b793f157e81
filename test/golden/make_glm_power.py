#!/usr/bin/python3
"""Writes glm_power.json: the power of Tweedie regressions by maximum likelihood of all parameters at once, with the series of Dunn & Smyth (2005) summed
by numpy and scipy, on a table that make_glm.R writes. Run it in this folder."""
import csv
import json

import numpy as np
from scipy.optimize import minimize
from scipy.special import gammaln, logsumexp

TABLE = list(csv.DictReader(open("data/glm_simulated.csv")))
TERMS = np.arange(1, 400)[None, :]


def column(name):
    return np.array([float(row[name]) for row in TABLE])


def level(name):
    return np.array([float(row["g"] == name) for row in TABLE])


def likelihood(theta, x, y, weights):
    """Returns the log-likelihood; theta: coefficients, log dispersion, power."""
    dispersion, p, mean = np.exp(theta[-2]) / weights, theta[-1], np.exp(x @ theta[:-2])
    alpha = (2 - p) / (1 - p)
    out = (y * mean ** (1 - p) / (1 - p) - mean ** (2 - p) / (2 - p)) / dispersion
    some = y > 0
    terms = TERMS * (alpha * (np.log(p - 1) - np.log(y[some])) - (1 - alpha) * np.log(dispersion[some]) - np.log(2 - p))[:, None]
    out[some] += logsumexp(terms - gammaln(TERMS + 1) - gammaln(-TERMS * alpha), axis=1) - np.log(y[some])
    return out.sum()


def slope(f, theta, step=1e-4):
    moves = np.eye(len(theta)) * step
    return np.array([(8 * (f(theta + d) - f(theta - d)) - f(theta + 2 * d) + f(theta - 2 * d)) / (12 * step) for d in moves])


def maximum(x, y, weights):
    def f(theta):
        return likelihood(theta, x, y, weights)

    start = np.concatenate([np.log(y.mean()) * np.eye(x.shape[1])[0], [0.5, 1.5]])
    theta = minimize(lambda t: -f(t), start, method="Nelder-Mead", options={"maxiter": 20000, "maxfev": 20000, "xatol": 1e-9, "fatol": 1e-11, "adaptive": True}).x
    for _ in range(8):
        curvature = np.array([slope(f, theta + d) - slope(f, theta - d) for d in np.eye(len(theta)) * 1e-4]) / 2e-4
        theta = theta - np.linalg.solve((curvature + curvature.T) / 2, slope(f, theta))
    return theta, f(theta)


def main():
    one, x, b, c, w = np.ones(len(TABLE)), column("x"), level("b"), level("c"), column("w")
    cases = []
    for formula, design, weight in (("x + g", [one, x, b, c], None), ("x + g", [one, x, b, c], "w"), ("1", [one], None), ("x + z", [one, x, column("z")], None)):
        theta, log_likelihood = maximum(np.column_stack(design), column("claim"), w if weight else one)
        parameters = len(theta)
        params = {"formula": formula, "target": "claim", "family": "tweedie", "power": "profile", **({"weight": weight} if weight else {})}
        cases.append({"id": f"glm_power.{len(cases)}", "method": "glm", "data": {"file": "data/glm_simulated.csv"}, "params": params,
                      "expected": {"estimate": list(theta[:-2]), "power": [theta[-1]], "power_dispersion": [np.exp(theta[-2])], "log_likelihood": [log_likelihood],
                                   "aic": [2 * parameters - 2 * log_likelihood]},
                      "tolerance": {"rtol": 1e-8, "atol": 1e-9}})
    lines = ",\n".join(json.dumps(case) for case in cases)
    title = "powers of Tweedie regressions by maximum likelihood"
    with open("glm_power.json", "w") as out:
        out.write(f'{{"schema": 1,\n"title": "{title}",\n"count": {len(cases)},\n"cases": [\n{lines}\n]}}\n')


main()
