#!/usr/bin/python3
"""Writes bayesian.json: the greatest evidence by scikit-learn, and posteriors of a conjugate prior in closed form by numpy.

scikit-learn takes the mean of the target for known and counts n rows. Here the constant has a flat prior over which the evidence is
integrated, so that scikit-learn gets the n - 1 contrasts of the rows, without a constant: an orthonormal basis of what is orthogonal to
the column of ones (times the roots of the weights). Needs numpy, scipy and scikit-learn.
"""
import csv
import json
import pathlib

import numpy
from scipy import linalg, special
from sklearn.linear_model import BayesianRidge

HERE = pathlib.Path(__file__).parent


def diabetes():
    with open(HERE / "data/diabetes.csv", encoding="utf-8") as file:
        header, *rows = list(csv.reader(file))
    return header, numpy.array([[float(v) for v in row] for row in rows])


def evidence(x, y, scale):
    """Returns (coef, covariance, noise variance, prior variance, log evidence) at the fixed point of scikit-learn."""
    fit = BayesianRidge(alpha_1=0, alpha_2=0, lambda_1=0, lambda_2=0, tol=1e-15, n_iter=100000, fit_intercept=False, compute_score=True)
    unit = numpy.sqrt((y ** 2).mean())  # the start of scikit-learn assumes coefficients about 1
    fit.fit(x / scale, y / unit)
    # its sigma_ lacks the directions in which no row tells of the coefficients
    _, singular, vectors = numpy.linalg.svd(x / scale)
    precision = numpy.full(x.shape[1], fit.lambda_)
    precision[:len(singular)] += fit.alpha_ * singular ** 2
    covariance = vectors.T / precision @ vectors * unit ** 2
    return fit.coef_ * unit / scale, covariance / numpy.outer(scale, scale), unit ** 2 / fit.alpha_, unit ** 2 / fit.lambda_, fit.scores_[-1] - len(y) * numpy.log(unit)


def conjugate(x, y, scale, precision, shape, rate):
    """Returns (coef, scale of the covariance, shape, rate, log evidence) of the normal-inverse-gamma prior."""
    stacked = numpy.vstack([x / scale, numpy.sqrt(precision) * numpy.eye(x.shape[1])])
    q, r = numpy.linalg.qr(stacked)
    target = numpy.append(y, numpy.zeros(x.shape[1]))
    coef = linalg.solve_triangular(r, q.T @ target)
    left = target - stacked @ coef
    inverse = linalg.solve_triangular(r, numpy.eye(len(coef)))
    after, rate_after = shape + len(y) / 2, rate + left @ left / 2
    log_evidence = None
    if shape > 0 and rate > 0:
        log_evidence = (-len(y) / 2 * numpy.log(2 * numpy.pi) + len(coef) / 2 * numpy.log(precision) - numpy.log(numpy.abs(numpy.diag(r))).sum()
                        + shape * numpy.log(rate) - after * numpy.log(rate_after) + special.gammaln(after) - special.gammaln(shape))
    return coef / scale, rate_after / after * inverse @ inverse.T / numpy.outer(scale, scale), after, rate_after, log_evidence


def solve(x, y, weights, params, probe):
    """Returns what the case expects. probe: rows whose predictive limits are wanted."""
    n, p = x.shape
    intercept = params.get("intercept", True)
    root = numpy.sqrt(weights)
    scale = numpy.ones(p)
    if params.get("standardize"):
        scale = numpy.sqrt(numpy.average((x - numpy.average(x, axis=0, weights=weights)) ** 2, axis=0, weights=weights))
    basis = linalg.null_space(root[None, :]).T if intercept else numpy.eye(n)
    rows, target = basis @ (root[:, None] * x), basis @ (root * y)
    # standardized coefficients are those of columns that are divided by their deviations
    density = numpy.log(weights).sum() / 2 - (numpy.log(weights.sum()) / 2 if intercept else 0)
    expected = {}
    if "prior_precision" in params:
        coef, covariance, shape, rate, log_evidence = conjugate(rows, target, scale, params["prior_precision"], params.get("noise_shape", 0), params.get("noise_rate", 0))
        noise, df = rate / shape, 2 * shape
        expected.update(posterior_shape=shape, posterior_rate=rate)
    else:
        coef, covariance, noise, prior, log_evidence = evidence(rows, target, scale)
        df = numpy.inf
        expected.update(noise_variance=noise, prior_variance=prior)
    if log_evidence is not None:
        expected["log_evidence"] = log_evidence + density
    means = numpy.average(x, axis=0, weights=weights)
    b0 = numpy.average(y, weights=weights) - means @ coef if intercept else 0.0
    variances = numpy.diag(covariance)
    if intercept:
        variances = numpy.append(noise / weights.sum() + means @ covariance @ means, variances)
    sd = numpy.sqrt(variances)
    # stats.t.ppf has 8 digits
    critical = special.ndtri(0.975) if numpy.isinf(df) else numpy.sqrt(df * (1 / special.betaincinv(df / 2, 0.5, 0.05) - 1))
    estimates = numpy.append(b0, coef) if intercept else coef
    centered = probe - means if intercept else probe
    spread = numpy.sqrt(noise + (noise / weights.sum() if intercept else 0) + numpy.einsum("ij,jk,ik->i", centered, covariance, centered))
    fit = b0 + probe @ coef
    spread_t = 1 if numpy.isinf(df) else numpy.sqrt(df / (df - 2))
    expected.update(estimates=estimates.tolist(), std_errors=(sd * spread_t).tolist(), conf_low=(estimates - critical * sd).tolist(),
                    lower=(fit - critical * spread).tolist(), upper=(fit + critical * spread).tolist())
    return {k: float(v) if numpy.isscalar(v) else v for k, v in expected.items()}


def case(number, params, x, y, weights=None, data=None):
    weighted = numpy.ones(len(y)) if weights is None else weights
    out = {"id": f"bayesian.{number}", "method": "bayesian_regression"}
    if data:
        out["data"] = data
    else:
        out["input"] = {"X": x.tolist(), "y": y.tolist(), **({} if weights is None else {"weights": weights.tolist()})}
    out["params"] = params
    out["expected"] = solve(x, y, weighted, params, x[:3])
    out["tolerance"] = {"rtol": 1e-10, "atol": 1e-10} if "prior_precision" in params else {"rtol": 1e-8, "atol": 1e-9}
    return out


def main():
    header, table = diabetes()
    x, y = table[:, 1:-1], table[:, -1]
    data = {"file": "data/diabetes.csv", "features": "all", "target": header[-1]}
    priors = [{}, {"prior_precision": 0.5}, {"prior_precision": 200, "noise_shape": 3, "noise_rate": 5000}, {"prior_precision": 1e-6, "noise_shape": 0.5, "noise_rate": 0}]
    cases = []
    for prior in priors:
        for more in ({}, {"standardize": True}, {"intercept": False}):
            cases.append(case(len(cases), {**prior, **more}, x, y, data=data))
    random = numpy.random.RandomState(3)
    for n, p in ((12, 3), (40, 6), (15, 25), (8, 8)):
        x = numpy.round(random.normal(size=(n, p)) + 1, 3)
        y = numpy.round(x @ (random.normal(size=p) * (numpy.arange(p) < 4)) + 2 + random.normal(size=n), 3)
        weights = numpy.round(random.uniform(0.5, 3, size=n), 2)
        for prior in ({}, {"prior_precision": 2.5, "noise_shape": 1, "noise_rate": 0.7}, {"prior_precision": 0.01}):
            for weighted in (None, weights):
                made = case(len(cases), prior, x, y, weights=weighted)
                if made["expected"].get("noise_variance", 1) > 1e-6:  # scikit-learn nears the limit without noise forever
                    cases.append(made)
    with open(HERE / "bayesian.json", "w", encoding="utf-8") as file:
        file.write('{"schema": 1, "title": "Bayesian regression, by scikit-learn: BayesianRidge and in closed form by numpy", ' + f'"count": {len(cases)}, "cases": [\n')
        file.write(",\n".join(json.dumps(c) for c in cases) + "\n]}\n")


main()
