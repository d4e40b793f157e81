#!/usr/bin/env python3
"""
Writes formula_designs.json and data/formula_designs.csv: design matrices of formulas from R's model.matrix, compared with patsy's dmatrix where
both languages say the same.

    make_formula_designs.py        needs Rscript, and numpy, pandas and patsy

Booleans are numbers. The columns are in R's order; patsy orders terms in another way.
"""
import csv
import json
import os
import subprocess
import sys
import tempfile

import numpy as np
import pandas
from patsy import dmatrix

HERE = os.path.dirname(os.path.abspath(__file__))
ROWS = 24

# (formula, R's or None where it is the same, patsy's, None where it is the same, or "" where patsy says it in another way)
CASES = [
    ("x", None, None),
    ("x + z", None, None),
    ("x + n + b", None, None),
    ("g", None, None),
    ("g + h", None, None),
    ("x + g", None, None),
    ("g + x", None, ""),
    ("x - 1", None, None),
    ("0 + x + z", None, None),
    ("g - 1", None, None),
    ("g + h - 1", None, None),
    ("h + g + 0", None, None),
    ("x + g - 1", None, ""),
    ("x:z", None, None),
    ("x*z", None, None),
    ("x*z*n", None, None),
    ("(x + z + n)^2", None, "(x + z + n)**2"),
    ("(x + z + n)^3 - x:z:n", None, "(x + z + n)**3 - x:z:n"),
    ("g:h", None, ""),
    ("g*h", None, None),
    ("g*h - 1", None, None),
    ("g*h*k", None, None),
    ("(g + h + k)^2", None, "(g + h + k)**2"),
    ("g*x", None, ""),
    ("x*g", None, ""),
    ("g:x", None, ""),
    ("x:g - 1", None, ""),
    ("g + g:x", None, ""),
    ("x + x:g", None, ""),
    ("g*x*z", None, ""),
    ("g*h*x", None, ""),
    ("g:h + x", None, ""),
    ("x:b", None, None),
    ("b*g", None, ""),
    ("g/h", None, None),
    ("g/x", None, ""),
    ("x/z", None, None),
    ("(g + h)/x", None, ""),
    ("x %in% g", None, ""),
    ("g*h - g:h", None, None),
    ("g*h - h", None, None),
    ("g*h*k - g:h:k", None, None),
    ("log(x)", None, "np.log(x)"),
    ("log(x + 1) + sqrt(n)", None, "np.log(x + 1) + np.sqrt(n)"),
    ("exp(-x) + abs(z)", None, "np.exp(-x) + np.abs(z)"),
    ("log2(x) + log10(x) + log1p(x) + expm1(z)", None, "np.log2(x) + np.log10(x) + np.log1p(x) + np.expm1(z)"),
    ("sin(x) + cos(x) + tan(z)", None, "np.sin(x) + np.cos(x) + np.tan(z)"),
    ("I(x^2)", None, "I(x**2)"),
    ("x + I(x^2) + I(x^3)", None, "x + I(x**2) + I(x**3)"),
    ("I(x * z - n / 2)", None, None),
    ("I(-x^2 + 2 * (z - 1))", None, "I(-x**2 + 2 * (z - 1))"),
    ("I(x > 1) + z", "as.numeric(x > 1) + z", "I((x > 1) * 1.0) + z"),
    ("log(x)*g", None, ""),
    ("log(x):sqrt(n)", None, "np.log(x):np.sqrt(n)"),
    ("scale(x)", None, "center(x / np.std(x, ddof=1))"),
    ("center(x) + scale(z)", "scale(x, scale = FALSE) + scale(z)", "center(x) + center(z / np.std(z, ddof=1))"),
    ("scale(x)*g", None, ""),
    ("scale(log(x)) + h", None, ""),
    ("poly(x, 1)", None, ""),
    ("poly(x, 2)", None, ""),
    ("poly(x, 3)", None, ""),
    ("poly(z, 5) + g", None, ""),
    ("poly(n, 8)", None, ""),
    ("poly(x, 3, raw = TRUE)", None, "x + I(x**2) + I(x**3)"),
    ("poly(log(x), 2)*h", None, ""),
    ("poly(x, 2):poly(z, 2)", None, ""),
    ("g:poly(x, 2)", None, ""),
    ("bs(x, 4)", "bs(x, df = 4)", "bs(x, df=4)"),
    ("bs(x, 3)", "bs(x, df = 3)", "bs(x, df=3)"),
    ("bs(x, 8)", "bs(x, df = 8)", "bs(x, df=8)"),
    ("bs(x, 5, 2)", "bs(x, df = 5, degree = 2)", "bs(x, df=5, degree=2)"),
    ("bs(z, df = 3, degree = 1)", None, None),
    ("bs(n, df = 7, degree = 5)", None, None),
    ("bs(x, 4)*h", "bs(x, df = 4)*h", ""),
    ("ns(x, 1)", "ns(x, df = 1)", ""),
    ("ns(x, 2)", "ns(x, df = 2)", ""),
    ("ns(x, 4)", "ns(x, df = 4)", ""),
    ("ns(z, 7) + x", "ns(z, df = 7) + x", ""),
    ("g*ns(x, 3)", "g*ns(x, df = 3)", ""),
    ("cut(x, 3)", None, ""),
    ("cut(n, 4) + x", None, ""),
    ("cut(x, 3) - 1", None, ""),
    ("cut(x, 3) + g - 1", None, ""),
    ("cut(x, 3):g", None, ""),
    ("cut(x, 2)*z", None, ""),
    ("factor(n)", None, "C(n)"),
    ("factor(b)*x", None, ""),
    ("C(g, ref = 'mid')", "relevel(g, ref = 'mid')", "C(g, Treatment('mid'))"),
    ("C(g, ref = 'mid')*h", "relevel(g, ref = 'mid')*h", "C(g, Treatment('mid'))*h"),
    ("C(g, ref = 'mid') + h - 1", "relevel(g, ref = 'mid') + h - 1", ""),
    ("C(k, ref = 'd'):x + C(k, ref = 'd')", "relevel(k, ref = 'd'):x + relevel(k, ref = 'd')", ""),
    ("C(k, ref = 'd'):g", "relevel(k, ref = 'd'):g", ""),
    ("ns(x, 3)", "ns(x, df = 3)", ""),
    ("ns(Weird.Name, 5)", "ns(Weird.Name, df = 5)", ""),
    ("cut(x, 2):cut(z, 3) + h", None, ""),
    ("C(k, ref = 'd')*x", "relevel(k, ref = 'd')*x", ""),
    ("x + offset(log(n)) + g", None, ""),
    ("`Weird.Name` * x", None, ""),
    ("\"Weird.Name\":g", "`Weird.Name`:g", ""),
    (".", "x + z + n + b + g + h + k + Weird.Name", ""),
    (". - g - k", "x + z + n + b + h + Weird.Name", ""),
    ("(. - k - n)^2 - 1", "(x + z + b + g + h + Weird.Name)^2 - 1", ""),
    ("x + x + g + x:z + z:x", None, ""),
    ("h:g + g", None, ""),
    ("x + (g - x)", None, ""),
    ("h + k:x + h:k", None, ""),
    ("I(g == 'mid') + x", "as.numeric(g == 'mid') + x", ""),
    ("I(g != 'mid'):x", "as.numeric(g != 'mid'):x", ""),
    ("I(g == 'mid' & (x > 1 | h == 'no'))", "as.numeric(g == 'mid' & (x > 1 | h == 'no'))", ""),
    ("I(!(x >= 2) | n <= 3 & z < 0) * k", "as.numeric(!(x >= 2) | n <= 3 & z < 0) * k", ""),
    ("I(n == 3) + I(1 + 2 * (k == 'd') - (k == 'a'))", "as.numeric(n == 3) + I(1 + 2 * (k == 'd') - (k == 'a'))", ""),
    ("sin(2 * pi * n / 12) + cos(2 * pi * n / 12)", None, ""),
    ("log(x, 2) + log(x + 1, base = 10) + log(n, 3)", None, ""),
    ("bs(x, knots = c(0.9, 1.5))", None, ""),
    ("bs(x, knots = 1, degree = 2) * h", None, ""),
    ("ns(x, knots = c(0.8, 1.25, 2)) + g", None, ""),
    ("cut(x, breaks = c(0, 1, 2, 10))", None, ""),
    ("cut(z, c(-Inf, -1, 0.5, Inf)) * h", None, ""),
    ("cut(n, c(-Inf, 3, 6, 20)):g - 1", None, ""),
    ("1", None, ""),
    ("C(g, sum)", "C(g, contr.sum)", "C(g, Sum)"),
    ("C(k, Helmert) + x", "C(k, contr.helmert) + x", "C(k, Helmert) + x"),
    ("C(k, contr.poly)", None, "C(k, Poly)"),
    ("C(n, poly)", "C(factor(n), contr.poly)", "C(n, Poly)"),
    ("C(g, sum)*C(h, sum)", "C(g, contr.sum)*C(h, contr.sum)", "C(g, Sum)*C(h, Sum)"),
    ("C(k, 'contr.sum')*x - 1", "C(k, contr.sum)*x - 1", ""),
    ("C(g, treatment) + C(h, helmert):z", "g + C(h, contr.helmert):z", ""),
    ("0 + h + C(k, helmert):g", "0 + h + C(k, contr.helmert):g", ""),
    ("C(g, poly):C(k, sum):h + poly(x, 2):C(g, poly)", "C(g, contr.poly):C(k, contr.sum):h + poly(x, 2):C(g, contr.poly)", ""),
]

R_SCRIPT = """
library(splines)
options(digits = 17)
d <- read.csv(commandArgs(TRUE)[1], stringsAsFactors = TRUE, check.names = FALSE)
for (line in readLines(commandArgs(TRUE)[2])) {
    f <- as.formula(paste("~", line))
    m <- model.matrix(f, d)
    cat(nrow(m), ncol(m), sprintf("%.17g", t(m)), "\\n")
}
"""


def make_data():
    """Returns the columns of the table, the target last."""
    random = np.random.RandomState(7)
    x = np.round(np.exp(random.normal(0.2, 0.8, ROWS)), 4)
    z = np.round(random.normal(0, 1, ROWS), 4)
    n = random.permutation(ROWS) % 12 + 1
    data = {
        "id": list(range(1, ROWS + 1)), "x": x, "z": z, "n": n, "b": (random.rand(ROWS) < 0.4).astype(int),
        "g": [["low", "mid", "high"][i] for i in random.permutation(ROWS) % 3],
        "h": [["no", "yes"][i] for i in random.permutation(ROWS) % 2],
        "k": [["a", "b", "c", "d"][min(i, 3)] for i in random.permutation(ROWS) % 6],
        "Weird.Name": np.round(random.rand(ROWS) * 10, 2),
    }
    data["y"] = np.round(1 + x + z + random.normal(0, 0.1, ROWS), 4)
    return data


def by_r(table, formulas):
    """Returns R's design of each formula."""
    with tempfile.TemporaryDirectory() as folder:
        script, lines = os.path.join(folder, "design.R"), os.path.join(folder, "formulas")
        with open(script, "w", encoding="utf-8") as out:
            out.write(R_SCRIPT)
        with open(lines, "w", encoding="utf-8") as out:
            out.write("\n".join(formulas) + "\n")
        printed = subprocess.run(["Rscript", script, table, lines], capture_output=True, text=True, check=True).stdout
    designs = []
    for line in printed.splitlines():
        rows, columns, *values = line.split()
        designs.append(np.array([float(v) for v in values]).reshape(int(rows), int(columns)))
    return designs


def by_patsy(data, formula):
    """Returns patsy's design of a formula."""
    return np.asarray(dmatrix(formula, data))


def same_columns(a, b):
    """Tells whether two designs have the same columns, in any order."""
    if a.shape != b.shape:
        return False
    left = list(range(b.shape[1]))
    for i in range(a.shape[1]):
        match = [j for j in left if np.allclose(a[:, i], b[:, j], rtol=1e-10, atol=1e-10)]
        if not match:
            return False
        left.remove(match[0])
    return True


def main():
    data = make_data()
    path = os.path.join(HERE, "data", "formula_designs.csv")
    with open(path, "w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(data)
        writer.writerows(zip(*data.values()))
    frame = {name: np.asarray(column, dtype=object if isinstance(column[0], str) else float) for name, column in data.items()}
    frame = pandas.DataFrame(frame)
    designs = by_r(path, [r or formula for formula, r, _ in CASES])
    cases, both = [], 0
    for number, ((formula, _, python), design) in enumerate(zip(CASES, designs), 1):
        verified = ["R model.matrix"]
        if python != "":
            if same_columns(design, by_patsy(frame, python or formula)):
                verified.append("patsy dmatrix")
                both += 1
            else:
                print(f"patsy has another design for {formula}", file=sys.stderr)
        cases.append({
            "id": f"formula_design_{number:03d}", "method": "formula_design",
            "data": {"file": "data/formula_designs.csv", "features": "all", "target": "y", "train": "true"},
            "params": {"formula": formula}, "expected": {"columns": [[float(f"{v:.15g}") for v in column] for column in design.T.tolist()]},
            "tolerance": {"rtol": 1e-12, "atol": 1e-12} if number > 106 else {"rtol": 1e-10, "atol": 1e-10}, "verified_by": verified})
    with open(os.path.join(HERE, "formula_designs.json"), "w", encoding="utf-8") as out:
        out.write(f'{{"schema": 1, "title": "design matrices of formulas", "count": {len(cases)}, "cases": [\n')
        out.write(",\n".join(json.dumps(case) for case in cases))
        out.write("\n]}\n")
    print(f"{len(cases)} formulas, {both} of them as patsy has them too")


if __name__ == "__main__":
    main()
