#!/usr/bin/python3
"""Writes fits_log_density.json: log densities of rows by scikit-learn's score_samples, or in closed form by scipy. Needs numpy, scipy and
scikit-learn.

Mixtures start from the same parameters and run for 20 iterations, after which both have the same mixture. Precisions of a start are
inverse covariances.
"""
import csv
import json
import os
import pathlib

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
import numpy  # noqa: E402
import scipy.special  # noqa: E402
import scipy.stats  # noqa: E402
import sklearn  # noqa: E402
from sklearn import decomposition, mixture, naive_bayes  # noqa: E402

HERE = pathlib.Path(__file__).parent
PREPROCESS = "zscore: (x - avg) / stddev_pop, both taken from the training rows"
TYPES = {"full": "full", "tied": "tied", "diag": "diagonal", "spherical": "spherical"}


def table(name, target, features):
    with open(HERE / "data" / f"{name}.csv", newline="") as file:
        rows = list(csv.reader(file))
    x = numpy.array([[float(v) for v in row[1:-1]] for row in rows[1:]])
    y = numpy.array([row[-1] for row in rows[1:]])
    data = {"file": f"data/{name}.csv", "features": "all", "target": target, "train": "true", "n_train": len(x)}
    if features:
        x = x[:, :features]
        data["features"] = rows[0][1:1 + features]
    if name != "iris":
        data["preprocess"] = PREPROCESS
        x = (x - x.mean(0)) / x.std(0)
    return {"data": data}, x, y


def case(name, source, aggregate, options, density, by, **more):
    expected = {"log_density": {str(i + 1): float(d) for i, d in enumerate(density)}, "mean": float(numpy.mean(density)), **more}
    return dict({"id": f"fit.log_density.{name}", "method": "log_density"}, **source, params={"aggregate": aggregate, "options": options},
                expected=expected, tolerance={"rtol": 1e-8, "atol": 1e-8}, verified_by=by)


def mixtures(name, source, x, y, by):
    classes = sorted(set(y))
    means = numpy.round([x[y == c].mean(0) for c in classes], 3)
    weights = [0.2, 0.3, 0.5]
    own = {"full": [numpy.eye(x.shape[1]) * (1 + c) for c in range(3)], "tied": numpy.eye(x.shape[1]) * 2,
           "diag": numpy.ones((3, x.shape[1])) * 1.5, "spherical": numpy.array([1, 2, 0.5])}
    for form, ours in TYPES.items():
        covariances = numpy.array(own[form], dtype=float)
        precisions = numpy.linalg.inv(covariances) if form in ("full", "tied") else 1 / covariances
        fit = mixture.GaussianMixture(3, covariance_type=form, weights_init=weights, means_init=means, precisions_init=precisions,
                                      tol=0, max_iter=20).fit(x)
        listed = covariances.reshape(1 if form == "tied" else 3, -1)
        yield case(f"mixture.{name}.{ours}", source, "gaussian_mixture",
                   {"covariance": ours, "init": means.tolist(), "init_weights": weights, "init_covariances": listed.tolist(),
                    "tolerance": 0, "max_iter": 20}, fit.score_samples(x), by, aic=float(fit.aic(x)), bic=float(fit.bic(x)))


def weights_alone(by):
    random = numpy.random.RandomState(3)
    x = numpy.round(numpy.concatenate([random.randn(60, 2) + [0, 0], random.randn(40, 2) * [2, 1] + [12, 0], random.randn(50, 2) + [3, 14]]), 6)
    fit = mixture.GaussianMixture(3, weights_init=[0.2, 0.2, 0.6], tol=0, max_iter=200, random_state=0).fit(x)
    yield case("mixture.weights_alone", {"input": {"X": x.tolist()}}, "gaussian_mixture",
               {"init_weights": [0.2, 0.2, 0.6], "tolerance": 0, "max_iter": 200}, fit.score_samples(x), by,
               aic=float(fit.aic(x)), bic=float(fit.bic(x)))


def main():
    by, closed = f"scikit-learn {sklearn.__version__}", f"scipy {scipy.__version__}"
    cases = []
    for name, target, features in (("iris", "species", 0), ("wine", "class", 4)):
        source, x, y = table(name, target, features)
        cases.extend(mixtures(name, source, x, y, by))
    cases.extend(weights_alone(by))
    for name, target, features in (("iris", "species", 0), ("wine", "class", 0), ("breast_cancer", "diagnosis", 8)):
        source, x, y = table(name, target, features)
        for k in (1, 2, x.shape[1]):
            fit = decomposition.PCA(k, svd_solver="full").fit(x)
            cases.append(case(f"pca.{name}.{k}", source, "pca", {"k": k, "ddof": 1}, fit.score_samples(x), by))
        normal = scipy.stats.multivariate_normal(x.mean(0), numpy.cov(x.T))
        cases.append(case(f"normal.{name}", source, "multivariate_normal", {"ddof": 1}, normal.logpdf(x), closed))
        fit = naive_bayes.GaussianNB().fit(x, y)
        cases.append(case(f"naive_bayes.{name}", source, "naive_bayes", {}, scipy.special.logsumexp(fit._joint_log_likelihood(x), axis=1), by))
        classes = sorted(set(y))
        shares = [numpy.mean(y == c) for c in classes]
        own = [numpy.cov(x[y == c].T, bias=True) for c in classes]
        pooled = sum(s * c for s, c in zip(shares, own))
        for method, matrices in (("qda", own), ("lda", [pooled] * len(classes))):
            joint = [numpy.log(s) + scipy.stats.multivariate_normal(x[y == c].mean(0), m).logpdf(x) for s, c, m in zip(shares, classes, matrices)]
            cases.append(case(f"{method}.{name}", source, method, {}, scipy.special.logsumexp(joint, axis=0), closed))
    text = ",\n".join(json.dumps(c) for c in cases)
    (HERE / "fits_log_density.json").write_text(
        f'{{"schema": 1, "title": "log densities of rows", "count": {len(cases)}, "cases": [\n{text}\n]}}\n')


main()
