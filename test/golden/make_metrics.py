#!/usr/bin/python3
"""Writes metrics.json: metrics of numbers, labels and scores, as scikit-learn and R's pROC and ks.test have them. Needs numpy, scikit-learn, and R
with its package pROC.
"""
import csv
import json
import pathlib
import subprocess
import warnings

import numpy
from sklearn import metrics

HERE = pathlib.Path(__file__).parent
TOLERANCE = {"rtol": 1e-12, "atol": 1e-14}


def of_numbers(actual, predicted):
    return {"mape": metrics.mean_absolute_percentage_error(actual, predicted),
            "smape": float(numpy.mean(2 * abs(actual - predicted) / (abs(actual) + abs(predicted)))),
            "median_absolute_error": metrics.median_absolute_error(actual, predicted),
            "pinball_0.5": metrics.mean_pinball_loss(actual, predicted, alpha=0.5),
            "pinball_0.9": metrics.mean_pinball_loss(actual, predicted, alpha=0.9)}


def numbers(random):
    for rows, name in ((1, "one_row"), (2, "two_rows"), (51, "odd"), (200, "even"), (120, "ties")):
        actual = numpy.round(random.normal(10, 40, rows), 3)
        actual[actual == 0] = 1
        predicted = numpy.round(actual + random.standard_t(2, rows) * 5, 0 if name == "ties" else 3)
        yield name, {"input": {"y": actual.tolist(), "p": predicted.tolist()}}, of_numbers(actual, predicted)


def of_labels(actual, predicted):
    expected = {"weighted_kappa_linear": metrics.cohen_kappa_score(actual, predicted, weights="linear"),
                "weighted_kappa_quadratic": metrics.cohen_kappa_score(actual, predicted, weights="quadratic")}
    classes = numpy.unique(actual)
    for beta in (0.5, 2):
        expected[f"f_beta_macro_{beta}"] = metrics.fbeta_score(actual, predicted, beta=beta, average="macro", zero_division=0)
        expected[f"f_beta_weighted_{beta}"] = metrics.fbeta_score(actual, predicted, beta=beta, average="weighted", zero_division=0)
        if len(classes) == 2:
            expected[f"f_beta_binary_{beta}"] = metrics.fbeta_score(actual, predicted, beta=beta, pos_label=classes[1])
    return expected


def labels(random):
    for rows, classes, name in ((40, 2, "two_classes"), (90, 3, "three"), (300, 6, "six"), (12, 4, "few_rows"), (60, 5, "poor")):
        actual = random.integers(0, classes, rows)
        error = random.integers(-1, 2, rows) if name != "poor" else random.integers(-4, 5, rows)
        predicted = numpy.clip(actual + error, 0, classes - 1)
        yield name, {"input": {"y": actual.tolist(), "p": predicted.tolist()}}, of_labels(actual, predicted)


def in_r(actual, scores):
    program = f"""suppressMessages(library(pROC)); y <- c({','.join(map(str, actual))}); s <- c({','.join(repr(float(v)) for v in scores)})
                  r <- roc(y, s, levels = c(0, 1), direction = "<", quiet = TRUE)
                  cat(format(c(sqrt(var(r)), suppressWarnings(ci.auc(r, method = "delong"))[c(1, 3)], suppressWarnings(ci.auc(r, conf.level = 0.8))[c(1, 3)],
                               suppressWarnings(ks.test(s[y == 1], s[y == 0]))$statistic), digits = 17))"""
    return [float(v) for v in subprocess.run(["Rscript", "-"], input=program, capture_output=True, check=True, text=True).stdout.split()]


def calibration_error(actual, scores, bins):
    place = numpy.minimum((scores * bins).astype(int), bins - 1)
    return float(sum(abs(scores[place == b].mean() - actual[place == b].mean()) * (place == b).mean() for b in numpy.unique(place)))


def gains(actual, scores, bins):
    """Returns threshold, share and gain of bins of about equal size; equal scores are in the bin of their middle."""
    points, seen = {}, 0
    for threshold in numpy.unique(scores)[::-1]:
        rows = (scores == threshold).sum()
        above = scores >= threshold
        points[min(bins - 1, int((seen + rows / 2) / len(scores) * bins))] = [float(threshold), float(above.mean()), float(actual[above].sum() / actual.sum())]
        seen += rows
    return list(points.values())


def of_scores(actual, s):
    std_error, low, high, low_80, high_80, ks = in_r(actual, s)
    expected = {"auc": metrics.roc_auc_score(actual, s), "std_error": std_error, "conf_low": low, "conf_high": high,
                "conf_low_80": low_80, "conf_high_80": high_80, "ks": ks, "calibration_error_10": calibration_error(actual, s, 10),
                "calibration_error_3": calibration_error(actual, s, 3)}
    for most in (0.05, 0.3, 1):
        expected[f"auc_to_{most}"] = metrics.roc_auc_score(actual, s, max_fpr=most)
    return expected


def scores(random):
    for rows, digits, name in ((30, 3, "small"), (400, 8, "no_ties"), (400, 1, "ties"), (60, 2, "rare"), (50, 2, "inverse")):
        actual = (random.uniform(size=rows) < (0.1 if name == "rare" else 0.4)).astype(int)
        actual[:4] = (0, 1, 0, 1)
        shift = -1 if name == "inverse" else 1
        s = numpy.round(1 / (1 + numpy.exp(-(random.normal(size=rows) + shift * actual))), digits)
        yield name, {"input": {"y": actual.tolist(), "s": s.tolist()}}, of_scores(actual, s)


# ---- real tables: what is compared are arithmetic expressions of their columns, which Python and SQL compute alike ----

def column(table, name):
    with open(HERE / "data" / f"{table}.csv", encoding="utf-8", newline="") as stream:
        values = [row[name] for row in csv.DictReader(stream)]
    try:
        return numpy.array([float(v) for v in values])
    except ValueError:
        return numpy.array(values)


def real(table, **params):
    return {"data": {"file": f"data/{table}.csv"}, "params": params}


def with_weights(name, given, metric, *columns):
    """Yields a case, and the same with weights: a row of weight 3 counts as three."""
    yield name, given, metric(*columns)
    weights = 1 + numpy.arange(1, len(columns[0]) + 1) % 3
    yield f"{name}.weights", given | {"params": given["params"] | {"w": "1 + id % 3"}}, metric(*(numpy.repeat(c, weights) for c in columns))


def numbers_of_tables(_):
    for table, target, feature, intercept, slope in (
            ("diabetes", "progression", "bmi", -117.75, 10.25), ("iris", "petal_width", "petal_length", -0.36, 0.42), ("cars", "mpg", "wt", 37.3, -5.3),
            ("stackloss", "loss", "air", -44, 1.02), ("penguins", "body_mass_g", "flipper_length_mm", -5872, 50.2), ("coleman", "score", "status", 33.3, 0.56),
            ("sleepstudy", "reaction", "days", 288.65, 0), ("glm_insurance", "Holders", "Claims", 7.8125, 7.25)):
        yield from with_weights(table, real(table, y=f'"{target}"', p=f'{intercept} + {slope} * "{feature}"'), of_numbers,
                                column(table, target), intercept + slope * column(table, feature))


def labels_of_tables(_):
    for table, target, feature, cuts in (
            ("iris", "species", "petal_length", [2.5, 4.8]), ("wine", "class", "hue", [0.8, 1.05]), ("penguins", "species", "flipper_length_mm", [193, 206]),
            ("warpbreaks", "tension", "breaks", [24, 32]), ("titanic", "survived", "fare", [26]), ("cake", "recipe", "angle", [29, 36]), ("glm_infert", "case", "spontaneous", [1])):
        names = numpy.unique(column(table, target))
        place = numpy.digitize(column(table, feature), cuts)
        given = real(table, y=f'"{target}"', labels=[v.item() for v in names], place=f'width_bucket("{feature}", array{cuts}::float8[])')
        yield from with_weights(table, given, of_labels, numpy.searchsorted(names, column(table, target)), place)


SCORES = (("breast_cancer", "diagnosis", "benign", "mean_smoothness"), ("iris", "species", "virginica", "petal_length"), ("penguins", "sex", "male", "body_mass_g"),
          ("titanic", "survived", 1, "fare"), ("lung", "dead", 1, "age"), ("veteran", "status", 1, "karno"), ("glm_infert", "case", 1, "spontaneous"))


def scores_from(table, target, positive, feature):
    x = column(table, feature)
    low, width = float(x.min()), float(x.max() - x.min())
    return real(table, y=f"(\"{target}\"::text = '{positive}')::int", s=f'("{feature}" - {low!r}) / {width!r}'), (column(table, target) == positive).astype(int), (x - low) / width


def of_ranked(actual, s):
    expected = of_scores(actual, s) | {"average_precision": metrics.average_precision_score(actual, s), "brier_score": metrics.brier_score_loss(actual, s)}
    return expected | {f"gains_{bins}": gains(actual, s, bins) for bins in (10, 4)}


def scores_of_tables(_):
    for table, *columns in SCORES:
        given, actual, s = scores_from(table, *columns)
        yield from with_weights(table, given, of_ranked, actual, s)


def classes_of_tables(_):
    for table, target, feature, centers in (
            ("iris", "species", "petal_length", [1.5, 4.25, 5.5]), ("wine", "class", "hue", [1.06, 1.05, 0.68]), ("penguins", "species", "flipper_length_mm", [190, 196, 217]),
            ("warpbreaks", "tension", "breaks", [22, 36, 26]), ("cake", "recipe", "angle", [33, 32, 31.5]), ("titanic", "pclass", "fare", [84, 20.5, 13.75])):
        actual, x = column(table, target), column(table, feature)
        near = numpy.array([1 / (1 + (x - c) * (x - c)) for c in centers])
        share = (near / (near[0] + near[1] + near[2])).T
        closeness = [f'1 / (1 + ("{feature}" - {c}) * ("{feature}" - {c}))' for c in centers]
        given = real(table, y=f'"{target}"::text', classes=[str(int(v)) if v.dtype.kind == "f" else v.item() for v in numpy.unique(actual)], near=closeness)
        yield table, given, {f"{way}_{average}": metrics.roc_auc_score(actual, share, multi_class=way, average=average)
                             for way in ("ovr", "ovo") for average in ("macro", "weighted")}


def bootstrap_of_tables(random):
    """Limits of an area by 4,000 samples; those of pgfit are other samples, as near as 2,000 get."""
    for table, *columns in SCORES[1:]:
        given, actual, s = scores_from(table, *columns)
        areas = []
        while len(areas) < 4000:
            rows = random.integers(0, len(s), len(s))
            if 0 < actual[rows].sum() < len(s):
                areas.append(metrics.roc_auc_score(actual[rows], s[rows]))
        low, high = numpy.quantile(areas, [0.025, 0.975])
        yield table, given, {"std_error": numpy.std(areas, ddof=1), "low": low, "high": high}


FAMILIES = {numbers: "numbers", labels: "labels", scores: "scores", numbers_of_tables: "numbers", labels_of_tables: "labels", scores_of_tables: "scores",
            classes_of_tables: "classes", bootstrap_of_tables: "bootstrap"}


def main():
    random = numpy.random.default_rng(20240607)
    cases = []
    for family, kind in FAMILIES.items():
        for name, given, expected in family(random):
            tolerance = {"rtol": 0, "atol": 0.25 * float(expected["std_error"])} if kind == "bootstrap" else TOLERANCE
            cases.append({"id": f"metrics.{kind}.{name}", "method": f"metrics_of_{kind}"} | given |
                         {"expected": {k: v if isinstance(v, list) else float(v) for k, v in expected.items()}, "tolerance": tolerance})
    head = json.dumps({"schema": 1, "title": "Metrics of numbers, labels and scores", "count": len(cases)})[:-1]
    (HERE / "metrics.json").write_text(head + ', "cases": [\n' + ",\n".join(map(json.dumps, cases)) + "\n]}\n")


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        main()
