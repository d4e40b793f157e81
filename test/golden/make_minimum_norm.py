#!/usr/bin/python3
"""Writes minimum_norm.json: least squares of minimum norm by numpy's lstsq, and by its pseudo-inverse, of centered data. Needs numpy."""
import json
import pathlib

import numpy

HERE = pathlib.Path(__file__).parent


def main():
    random = numpy.random.RandomState(5)
    cases = []
    for n, p, intercept in ((3, 6, True), (8, 20, True), (8, 20, False), (1, 3, True), (12, 5, True), (15, 6, False), (2, 1, True)):
        x = numpy.round(random.normal(size=(n, p)) + 1, 3)
        if n > p > 2:
            x[:, -1] = x[:, 0] - 3 * x[:, 1]
        y = numpy.round(x[:, 0] + random.normal(size=n), 3)
        terms, target = (x - x.mean(0), y - y.mean()) if intercept else (x, y)
        coef = numpy.linalg.lstsq(terms, target, rcond=1e-12)[0]
        assert numpy.abs(coef - numpy.linalg.pinv(terms, rcond=1e-12) @ target).max() < 1e-12
        b0 = y.mean() - x.mean(0) @ coef if intercept else 0.0
        cases.append({"id": f"minimum_norm.{len(cases)}", "method": "minimum_norm", "input": {"X": x.tolist(), "y": y.tolist()}, "params": {"intercept": intercept},
                      "expected": {"intercept": float(b0), "coef": coef.tolist()}, "tolerance": {"rtol": 1e-10, "atol": 1e-12}})
    with open(HERE / "minimum_norm.json", "w", encoding="utf-8") as file:
        file.write('{"schema": 1, "title": "Least squares of minimum norm, by numpy: lstsq", ' + f'"count": {len(cases)}, "cases": [\n')
        file.write(",\n".join(json.dumps(case) for case in cases) + "\n]}\n")


main()
