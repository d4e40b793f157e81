"""
Writes conformal.json: limits and sets by conformal scores, computed from their definitions with numpy.

A row's part is its fold, or says what split conformal does with it: f fits the model, s the model of the residual, c gives scores.
PARTS is what pgfit.split says of the keys 1 .. 160 with seed 7 (share 0.4) and 8: the rows of a fit with option "conformal".
"""
import csv
import json
import math
import pathlib

import numpy
from sklearn.naive_bayes import GaussianNB

from mixing import MASK, STEP, bits, mix

HERE = pathlib.Path(__file__).parent
PARTS = ("ccfsscfsfccscccsfsffccffsfssfffccffsffsfffccfsscfcffffsfsccfcffcfcfcfffsfsfccfsfffssffccff"
         "sfffsfcfscfsscfcccfccsffsfsfsffffffffcfscffffsccffcffcfsffffcffsffsfff")
LEVELS = (0.3, 0.8, 0.9)
POINTS = [[0.1, -0.4], [1.3, 0.2], [-1.1, 2.2], [0.0, 0.7]]
# file, every how many rows, features, number, group and label
TABLES = (("diabetes", 2, "bmi", "s5", "progression", "sex", "sex"), ("iris", 1, "sepal_length", "sepal_width", "petal_width", "species", "species"),
          ("wine", 1, "alcohol", "color_intensity", "proline", "class", "class"), ("penguins", 2, "bill_length_mm", "flipper_length_mm", "body_mass_g", "island", "species"),
          ("cars", 1, "wt", "hp", "mpg", "cyl", "am"))


def rank(n, level):
    product = (n + 1) * level
    near = round(product)
    return near if abs(product - near) <= 1e-12 * product else math.ceil(product)


def ranked(scores, level):
    r = rank(len(scores), level)
    return math.inf if r > len(scores) else sorted(scores)[r - 1]


def line(x, y):
    return numpy.linalg.lstsq(numpy.column_stack([numpy.ones(len(x)), x]), y, rcond=None)[0]


def at(theta, x):
    return numpy.column_stack([numpy.ones(len(x)), x]) @ theta


def shares(x, labels, classes, points, k=5):
    """Probabilities of the k nearest neighbors."""
    out = []
    for p in points:
        nearest = numpy.argsort(numpy.sum((x - p) ** 2, axis=1), kind="stable")[:k]
        out.append([sum(labels[i] == c for i in nearest) / k for c in classes])
    return numpy.array(out)


def densities(x, labels, classes, points):
    """Probabilities of naive Bayes."""
    return GaussianNB().fit(x, labels).predict_proba(points)


def unit(row):
    state = 0
    for number in row:
        state = mix(((state + STEP) & MASK) ^ bits(number))
    return (state >> 11) * 2.0 ** -53


def class_score(kind, p, k, u):
    if kind == "lac":
        return 1 - p[k]
    return sum(p[j] for j in range(len(p)) if p[j] > p[k] or (p[j] == p[k] and j < k)) + u * p[k]


def limits(kind, x, y, group, part, points):
    """Yields (level, point, group) and the limits."""
    groups = sorted(set(group))
    for level in LEVELS:
        for i, point in enumerate(points):
            g = groups[i % len(groups)]
            rows = [c for c in range(len(y)) if kind != "group" or group[c] == g]
            if kind == "cv+":
                upper, lower = [], []
                for fold in sorted(set(part)):
                    inside = part != fold
                    theta = line(x[inside], y[inside])
                    center = at(theta, points[i:i + 1])[0]
                    for r in numpy.abs(y - at(theta, x))[~inside]:
                        upper.append(center + r)
                        lower.append(-(center - r))
                yield level, i, g, [-ranked(lower, level), ranked(upper, level)]
                continue
            theta = line(x[part == "f"], y[part == "f"])
            residual = numpy.abs(y - at(theta, x))
            scale, here = numpy.ones(len(y)), 1.0
            if kind == "normalized":
                size = line(x[part == "s"], residual[part == "s"])
                floor = 0.01 * residual[part == "s"].mean()
                scale, here = numpy.maximum(at(size, x), floor), max(at(size, points[i:i + 1])[0], floor)
            r = ranked([residual[c] / scale[c] for c in rows if part[c] == "c"], level) * here
            center = at(theta, points[i:i + 1])[0]
            yield level, i, g, [center - r, center + r]


def sets(kind, x, labels, part, by_class, folds, points, shares):
    classes = sorted(set(labels))
    parts = sorted(set(part)) if folds else ["c"]
    held, here = [], []
    for p in parts:
        inside = part != p if folds else part == "f"
        own = x[inside], labels[inside]
        chosen = numpy.where(part == p)[0]
        for c, q in zip(chosen, shares(*own, classes, x[chosen])):
            held.append((p, labels[c], class_score(kind, q, classes.index(labels[c]), unit(x[c]))))
        here.append(shares(*own, classes, points))
    whole = shares(x, labels, classes, points) if folds else here[0]
    for level in LEVELS:
        for i in range(len(points)):
            chosen = []
            for k, name in enumerate(classes):
                own = [h for h in held if not by_class or h[1] == name]
                below = sum(h[2] < class_score(kind, here[parts.index(h[0])][i], k, unit(points[i])) for h in own)
                r = rank(len(own), level)
                if r > len(own) or below < r or (kind == "aps" and k == int(numpy.argmax(whole[i]))):
                    chosen.append(name)
            yield level, i, chosen


def table(name, step, *columns):
    """Returns the columns of every how many rows, as texts, at most as many as there are parts."""
    with open(HERE / "data" / f"{name}.csv", newline="", encoding="utf-8") as stream:
        rows = [[row[c] for c in columns] for row in csv.DictReader(stream) if (int(row["id"]) - 1) % step == 0]
    return zip(*rows[:len(PARTS)])


def cases_of(name, given, x, y, group, labels, points, shares, rtol):
    """Yields the cases of some rows; given(part) is what a case says of them."""
    n = len(x)
    split = numpy.array(["f" if p == "f" else "c" for p in PARTS[:n]])
    folds = numpy.array([str(1 + i % 4) for i in range(n)])
    asked = points.tolist()
    for kind, part in (("split", split), ("cv+", folds), ("group", split), ("normalized", numpy.array(list(PARTS[:n])))):
        found = [[level, asked[i], g, [None if math.isinf(v) else v for v in value]] for level, i, g, value in limits(kind, x, y, group, part, points)]
        yield {"id": f"conformal.{name}{kind}", "method": "conformal", **given(part), "params": {"kind": kind, "asked": [f[:3] for f in found]},
               "expected": {"limits": [f[3] for f in found]}, "tolerance": {"rtol": rtol, "atol": 1e-12}}
    for kind, part, by_class, of_folds in (("lac", split, False, False), ("aps", split, False, False), ("lac", split, True, False), ("lac", folds, False, True), ("aps", folds, True, True)):
        found = list(sets(kind, x, labels, part, by_class, of_folds, points, shares))
        score = kind + (".by_class" if by_class else "") + (".cv+" if of_folds else "")
        yield {"id": f"conformal.{name}{score}", "method": "conformal", **given(part),
               "params": {"kind": "cv+" if of_folds else "split", "options": {"score": kind, "by_class": by_class}, "asked": [[f[0], asked[f[1]], "a"] for f in found]},
               "expected": {"sets": [f[2] for f in found]}, "tolerance": {"rtol": 0, "atol": 0}}


def main():
    random = numpy.random.RandomState(11)
    n = 90
    x = numpy.round(random.randn(n, 2), 4)
    y = numpy.round(1 + 2 * x[:, 0] - x[:, 1] + random.randn(n) * (0.5 + numpy.abs(x[:, 0])), 4)
    group = numpy.array(["abc"[i % 3] for i in range(n)])
    labels = numpy.array([("no", "yes", "maybe")[int(a + random.rand() > 0.4) + int(b > 0.9)] for a, b in x])
    cases = list(cases_of("", lambda part: {"input": {"rows": [[i + 1, *map(float, x[i]), float(y[i]), group[i], labels[i], part[i]] for i in range(n)]}},
                          x, y, group, labels, numpy.array(POINTS), shares, 1e-12))
    for name, step, *columns in TABLES:
        a, b, number, group, labels = map(numpy.array, table(name, step, *columns))
        x, y = numpy.column_stack([a, b]).astype(float), number.astype(float)
        cases += cases_of(f"{name}.", lambda part: {"data": {"file": f"data/{name}.csv", "columns": columns, "step": step, "parts": "".join(part)}},
                          x, y, group, labels, numpy.round(x.mean(axis=0) + x.std(axis=0) * POINTS, 3), densities, 1e-9)
    text = ",\n".join(json.dumps(c) for c in cases)
    (HERE / "conformal.json").write_text(f'{{"schema": 1, "title": "conformal limits and sets", "count": {len(cases)}, "cases": [\n{text}\n]}}\n')


main()
