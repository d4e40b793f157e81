#!/usr/bin/python3
"""Writes metrics.json: metrics of numbers, labels and scores, as scikit-learn and R's pROC and ks.test have them. Needs numpy, scikit-learn, and R
with its package pROC.
"""
import json
import pathlib
import subprocess
import warnings

import numpy
from sklearn import metrics

HERE = pathlib.Path(__file__).parent
TOLERANCE = {"rtol": 1e-12, "atol": 1e-14}


def numbers(random):
    for rows, name in ((1, "one_row"), (2, "two_rows"), (51, "odd"), (200, "even"), (120, "ties")):
        actual = numpy.round(random.normal(10, 40, rows), 3)
        actual[actual == 0] = 1
        predicted = numpy.round(actual + random.standard_t(2, rows) * 5, 0 if name == "ties" else 3)
        yield name, {"y": actual.tolist(), "p": predicted.tolist()}, {
            "mape": metrics.mean_absolute_percentage_error(actual, predicted),
            "smape": float(numpy.mean(2 * abs(actual - predicted) / (abs(actual) + abs(predicted)))),
            "median_absolute_error": metrics.median_absolute_error(actual, predicted),
            "pinball_0.5": metrics.mean_pinball_loss(actual, predicted, alpha=0.5),
            "pinball_0.9": metrics.mean_pinball_loss(actual, predicted, alpha=0.9)}


def labels(random):
    for rows, classes, name in ((40, 2, "two_classes"), (90, 3, "three"), (300, 6, "six"), (12, 4, "few_rows"), (60, 5, "poor")):
        actual = random.integers(0, classes, rows)
        error = random.integers(-1, 2, rows) if name != "poor" else random.integers(-4, 5, rows)
        predicted = numpy.clip(actual + error, 0, classes - 1)
        expected = {"weighted_kappa_linear": metrics.cohen_kappa_score(actual, predicted, weights="linear"),
                    "weighted_kappa_quadratic": metrics.cohen_kappa_score(actual, predicted, weights="quadratic")}
        for beta in (0.5, 2):
            expected[f"f_beta_macro_{beta}"] = metrics.fbeta_score(actual, predicted, beta=beta, average="macro", zero_division=0)
            expected[f"f_beta_weighted_{beta}"] = metrics.fbeta_score(actual, predicted, beta=beta, average="weighted", zero_division=0)
            if classes == 2:
                expected[f"f_beta_binary_{beta}"] = metrics.fbeta_score(actual, predicted, beta=beta)
        yield name, {"y": actual.tolist(), "p": predicted.tolist()}, expected


def in_r(actual, scores):
    program = f"""suppressMessages(library(pROC)); y <- c({','.join(map(str, actual))}); s <- c({','.join(repr(float(v)) for v in scores)})
                  r <- roc(y, s, levels = c(0, 1), direction = "<", quiet = TRUE)
                  cat(format(c(sqrt(var(r)), suppressWarnings(ci.auc(r, method = "delong"))[c(1, 3)], suppressWarnings(ci.auc(r, conf.level = 0.8))[c(1, 3)],
                               suppressWarnings(ks.test(s[y == 1], s[y == 0]))$statistic), digits = 17))"""
    return [float(v) for v in subprocess.run(["Rscript", "-e", program], capture_output=True, check=True, text=True).stdout.split()]


def calibration_error(actual, scores, bins):
    place = numpy.minimum((scores * bins).astype(int), bins - 1)
    return float(sum(abs(scores[place == b].mean() - actual[place == b].mean()) * (place == b).mean() for b in numpy.unique(place)))


def scores(random):
    for rows, digits, name in ((30, 3, "small"), (400, 8, "no_ties"), (400, 1, "ties"), (60, 2, "rare"), (50, 2, "inverse")):
        actual = (random.uniform(size=rows) < (0.1 if name == "rare" else 0.4)).astype(int)
        actual[:4] = (0, 1, 0, 1)
        shift = -1 if name == "inverse" else 1
        s = numpy.round(1 / (1 + numpy.exp(-(random.normal(size=rows) + shift * actual))), digits)
        std_error, low, high, low_80, high_80, ks = in_r(actual, s)
        expected = {"auc": metrics.roc_auc_score(actual, s), "std_error": std_error, "conf_low": low, "conf_high": high,
                    "conf_low_80": low_80, "conf_high_80": high_80, "ks": ks, "calibration_error_10": calibration_error(actual, s, 10),
                    "calibration_error_3": calibration_error(actual, s, 3)}
        for most in (0.05, 0.3, 1):
            expected[f"auc_to_{most}"] = metrics.roc_auc_score(actual, s, max_fpr=most)
        yield name, {"y": actual.tolist(), "s": s.tolist()}, expected


def main():
    random = numpy.random.default_rng(20240607)
    cases = []
    for family in (numbers, labels, scores):
        for name, given, expected in family(random):
            cases.append({"id": f"metrics.{family.__name__}.{name}", "method": f"metrics_of_{family.__name__}", "input": given,
                          "expected": {k: float(v) for k, v in expected.items()}, "tolerance": TOLERANCE})
    document = {"schema": 1, "title": "Metrics of numbers, labels and scores", "count": len(cases), "cases": cases}
    (HERE / "metrics.json").write_text(json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        main()
