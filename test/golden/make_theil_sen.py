#!/usr/bin/python3
"""Writes theil_sen.json: lines through median slopes by scipy.stats.theilslopes. Run it in this folder."""
import csv
import json

from scipy import stats

PAIRS = [("diabetes.csv", "progression", "bmi"), ("diabetes.csv", "s5", "age"), ("wine.csv", "alcohol", "proline"), ("iris.csv", "petal_width", "sepal_length"),
         ("iris.csv", "sepal_width", "petal_length"), ("breast_cancer.csv", "mean_area", "texture_error"), ("formula.csv", "y", "x"), ("formula.csv", "y", "n")]

cases = []
for file, target, feature in PAIRS:
    with open(f"data/{file}", newline="") as lines:
        rows = [(float(row[target]), float(row[feature])) for row in csv.DictReader(lines)]
    for level in (0.9, 0.99):
        line = stats.theilslopes([y for y, _ in rows], [x for _, x in rows], level)
        cases.append({"id": f"theil_sen.{len(cases)}", "method": "theil_sen", "data": {"file": f"data/{file}"}, "params": {"formula": feature, "target": target, "level": level},
                      "expected": {"estimate": [line[1], line[0]], "conf_low": [line[2]], "conf_high": [line[3]]}, "tolerance": {"rtol": 1e-12, "atol": 1e-14}})
with open("theil_sen.json", "w") as out:
    out.write(f'{{"schema": 1, "title": "median slopes by scipy", "count": {len(cases)}, "cases": [\n' + ",\n".join(json.dumps(case) for case in cases) + "\n]}\n")
