#!/usr/bin/env python3
"""
Writes models of every method as PMML where there is an element for it, validates the documents against the schema of PMML 4.4, imports them again,
and compares the scores: scripts/exchange-check-pmml. The schema is not part of these sources: dmg.org has it, and the sources of JPMML-Model.

usage: pmml_export.py [SCHEMA]   without one, documents are imported again and compared, but not validated
"""
import itertools
import os
import subprocess
import sys
import tempfile

import psycopg

from onnx_export import MIXED, NUMBERS, SETUP, cases, named, pipe
from python_modules import difference

FUNCTIONS = ("predict", "probabilities", "decisions", "classify", "cluster")


def more_cases():
    yield "glm binomial probit", named("glm", "dear", '"carat"', '"family": "binomial", "link": "probit"')
    yield "minmax_scaler, linear_regression", pipe(named("minmax_scaler", "", NUMBERS)[0], ("linear_regression", "cost", ""))
    yield "robust_scaler, forest_classifier", pipe(named("robust_scaler", "", NUMBERS)[0], ("forest_classifier", "shape", ""))
    yield "one_hot, svm_classifier", pipe(named("one_hot", "", MIXED)[0], ("svm_classifier", "shape", '\'{"kernel": "rbf"}\'::jsonb'))
    yield "naive_bayes, no NULL", named("naive_bayes", "shape", MIXED, "", "holes")


def scores(cursor, model, function, case):
    """Returns a score of all rows; None where the model has no such score."""
    try:
        return [row[0] for row in cursor.execute(f"SELECT {function}(m, {case[2]}) FROM {case[1]} d, {model} ORDER BY d.n").fetchall()]
    except psycopg.Error:
        return None


def compare(cursor, case):
    """Returns the largest difference of the scores that both models have; labels that differ are infinity."""
    largest = 0.0
    for function in FUNCTIONS:
        wanted, got = scores(cursor, "model", function, case), scores(cursor, "back", function, case)
        for want, have in zip(wanted or (), got or ()):
            if isinstance(want, str) or want is None or have is None:
                largest = max(largest, 0.0 if want == have else float("inf"))
            else:
                largest = max(largest, difference(want, have))
    return largest


def main():
    count, refused, failed, worst = 0, 0, 0, 0.0
    with psycopg.connect(autocommit=True) as connection, tempfile.TemporaryDirectory() as folder:
        cursor = connection.cursor()
        cursor.execute("SET client_min_messages = error")
        cursor.execute(SETUP)
        for label, case in itertools.chain(cases(), more_cases()):
            cursor.execute("DROP TABLE IF EXISTS model, back")
            cursor.execute(f"CREATE TABLE model AS WITH m AS MATERIALIZED ({case[0]}) SELECT m FROM m AS m(m)")
            try:
                text = cursor.execute("SELECT export_model(m, 'pmml') FROM model").fetchone()[0]
            except psycopg.errors.WrongObjectType:
                refused += 1
                continue
            count += 1
            path = os.path.join(folder, "model.xml")
            with open(path, "w", encoding="utf-8") as out:
                out.write(text)
            schema = ["--schema", sys.argv[1]] if len(sys.argv) > 1 else []
            run = subprocess.run(["xmllint", "--noout", *schema, path], capture_output=True, text=True, check=False)
            cursor.execute("CREATE TABLE back AS SELECT import_model(export_model(m, 'pmml')) AS m FROM model")
            largest = compare(cursor, case)
            worst = max(worst, largest)
            if run.returncode != 0 or largest > 1e-10:
                failed += 1
                print(f"{label}: largest difference {largest:.1e} {run.stderr if run.returncode != 0 else ''}".rstrip())
    print(f"{count} documents, {failed} failed; scores differ by up to {worst:.1e}; {refused} models have no element")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
