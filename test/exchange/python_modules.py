#!/usr/bin/env python3
"""
Compares models exported as Python modules with the models themselves, for every method that can be exported, and attacks the modules with
odd names, rows and types: test/server/python_modules.sh.
usage: python_modules.py [part of a label]
"""
import ast
import datetime
import itertools
import math
import sys
import types

import numpy as np
import psycopg

from onnx_export import MIXED, NUMBERS, SETUP, array, best_are_equal, cases, joined, named, pipe

IMPORTS = {"collections.abc", "datetime", "functools", "math", "numpy"}
failed = 0


def check(right, what):
    global failed
    failed += not right
    print(("ok - " if right else "not ok - ") + what)


def load(text):
    """Returns a module of this text, which must be ASCII and import nothing but what the documentation says."""
    tree = ast.parse(text.encode("ascii"))
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert names == IMPORTS, names
    module = types.ModuleType("exported")
    exec(compile(tree, "exported", "exec"), module.__dict__)
    return module


def difference(a, b):
    """Returns how far two lists of numbers are apart, relative to those above 1."""
    if a is None:
        return 0.0 if np.isnan(b).all() else math.inf
    a, b = np.array(a, dtype=float).reshape(-1), np.asarray(b, dtype=float).reshape(-1)
    if a.shape != b.shape or (np.isnan(a) != np.isnan(b)).any():
        return math.inf
    apart = np.abs(a - b) / np.maximum(1, np.maximum(np.abs(a), np.abs(b)))
    return float(np.nanmax(np.where(a == b, 0, apart))) if len(a) > 0 and not np.isnan(a).all() else 0.0


FUNCTIONS = {"predict": ("predict(m, {0})", "predict_multi(m, {0})", "classify(m, {0})", "cluster(m, {0})", "transform(m, {0})"), "predict_proba": ("probabilities(m, {0})", "transform(m, {0})"),
             "decision_function": ("decision(m, {0})", "decisions(m, {0})", "score(m, {0})"), "transform": ("transform(m, {0})",), "distances": ("distances(m, {0})",)}


def values(cursor, expressions, table, features):
    for expression in expressions:
        try:
            return [row[0] for row in cursor.execute(f"SELECT {expression.format(features)} FROM {table} d, model ORDER BY d.n").fetchall()]
        except psycopg.Error as error:
            last = error
    raise last


def rows_of(module, cursor, case):
    """Returns the rows of a case as its module wants them."""
    query = cursor.execute(f"SELECT d.*, {case[2] if '.' in case[2] else 'NULL'} AS given FROM {case[1]} d ORDER BY n")
    columns, rows = [c.name for c in query.description], query.fetchall()
    if "." in case[2]:
        return np.array([row[-1] for row in rows], dtype=float)
    return {name: np.array([row[columns.index(name)] for row in rows]) for name in module.FEATURES}


def compare(cursor, label, case):
    """Returns the largest difference of a case; labels that differ are infinity."""
    cursor.execute("DROP TABLE IF EXISTS model")
    cursor.execute(f"CREATE TABLE model AS WITH m AS MATERIALIZED ({case[0]}) SELECT m FROM m AS m(m)")
    module = load(cursor.execute("SELECT export_model(m, 'python') FROM model").fetchone()[0])
    rows, largest = rows_of(module, cursor, case), 0.0
    answers = {name: getattr(module, name)(rows) for name in FUNCTIONS if hasattr(module, name)}
    scores = np.asarray(answers.get("decision_function", []))
    for name, got in answers.items():
        mixture = name == "decision_function" and module.METHOD == "gaussian_mixture"  # whose decision is the density of all components
        expressions = FUNCTIONS[name][1:] if mixture else FUNCTIONS[name]
        expected = values(cursor, expressions, case[1], case[2])
        for row, (want, have) in enumerate(itertools.zip_longest(expected, got)):
            texts = isinstance(want, str) or (want is None and have is None)
            if texts:
                equal = scores.ndim == 2 and best_are_equal(scores[row])
                found = 0.0 if equal or want is None or want == str(have).replace("True", "true").replace("False", "false") else math.inf
            else:
                found = difference(want, have)
            largest = max(largest, found)
    return largest, list(answers)


def every_method(cursor, wanted):
    worst, count = 0.0, 0
    for label, case in itertools.chain(cases(), more_cases()):
        if wanted not in label:
            continue
        try:
            largest, there = compare(cursor, label, case)
        except Exception as error:
            check(False, f"{label}: {type(error).__name__} {error}".replace("\n", " "))
            continue
        count += 1
        if label == "perceptron":  # whose terms are a million times as large as the score
            largest /= 1000
        worst = max(worst, largest)
        if largest > 1e-12 or wanted:
            check(largest <= 1e-12, f"{label}: {', '.join(there)}, largest difference {largest:.1e}")
    check(worst <= 1e-12, f"{count} models score as their modules do; the largest difference is {worst:.1e}")


def back(method, target, options):
    """A model that went to XGBoost and came back: it sums floats."""
    sql, table, features = named(method, target, MIXED, options)
    return sql.replace("SELECT ", "SELECT import_model(export_model(", 1).replace("::jsonb)", "::jsonb), 'xgboost'))"), table, features


def more_cases():
    yield "boosted_trees_regression of XGBoost", back("boosted_trees_regression", "cost", '"n_trees": 40')
    yield "boosted_trees_regression of XGBoost, counts", back("boosted_trees_regression", "counted", '"n_trees": 40, "loss": "poisson"')
    yield "boosted_trees_classifier of XGBoost", back("boosted_trees_classifier", "dear", '"n_trees": 40')
    yield "boosted_trees_classifier of XGBoost, shape", back("boosted_trees_classifier", "shape", '"n_trees": 20')
    yield "glm binomial probit", named("glm", "dear", '"carat"', '"family": "binomial", "link": "probit"')
    for metric in ("euclidean", "squared_euclidean", "standardized_euclidean", "manhattan", "chebyshev", "cosine", "hamming", "gower"):
        yield f"knn_regression {metric}", named("knn_regression", "cost", NUMBERS, f'"metric": "{metric}", "k": 4')
    for p in (1, 1.5, 3):
        yield f"knn_regression minkowski {p}", named("knn_regression", "cost", NUMBERS, f'"metric": "minkowski", "p": {p}')
    for metric in ("mixed", "gower"):
        yield f"knn_classifier {metric}", named("knn_classifier", "shape", MIXED, f'"metric": "{metric}"')
    for weights in ("distance", "gaussian"):
        yield f"knn_classifier {weights}", named("knn_classifier", "shape", NUMBERS, f'"weights": "{weights}", "k": 7')
        yield f"knn_regression {weights}", named("knn_regression", "cost", NUMBERS, f'"weights": "{weights}", "k": "all"')
    yield "knn_classifier tie", named("knn_classifier", "class3", NUMBERS, '"k": 4, "tie": "nearest", "standardize": true')
    yield "knn_classifier radius", named("knn_classifier", "dear", NUMBERS, '"radius": 0.5')
    yield "knn_classifier outlier", named("knn_classifier", "shape", NUMBERS, '"radius": 0.3, "radius_inclusive": true, "outlier_label": "low"')
    yield "knn_regression radius", named("knn_regression", "cost", NUMBERS, '"radius": 0.4, "weights": "distance"')
    yield "knn_regression of an array", array("knn_regression", "cost", "v", "3")
    yield "knn_regression, means for NULL", named("knn_regression", "cost", MIXED, '"metric": "mixed", "nulls": "impute"', "holes")
    yield "knn_classifier, no NULL", named("knn_classifier", "shape", NUMBERS, "", "holes")
    for kind in ("frequency", "precision"):
        options = '{"features": ["carat", "depth"], "k": 3, "weight_kind": "%s"}' % kind
        yield f"knn_regression {kind}", (f"SELECT knn_regression(cost, d, '{options}'::jsonb, 1 + n % 3) FROM rows d", "rows", "d")
    yield "votes of a row that a member leaves out", joined('{"voting": "hard", "model_weights": [1, 2]}', named("logistic_regression", "shape", NUMBERS, '"lambda": 1', "holes"),
                                                          named("least_squares_classifier", "shape", '"width", "x"', "", "holes"), table="holes")
    # whose scores of pairs are so large that the parts of the decisions that break ties round to the same number
    yield "least_squares_classifier of pairs, huge scores", (
        'SELECT least_squares_classifier(shape, ARRAY[carat, depth, x], \'{"multiclass": "ovo"}\'::jsonb) FROM rows d', "rows",
        "ARRAY[d.carat * 1e20, d.depth * 1e18, d.x * 1e19]")
    yield "scaler, knn", pipe(named("standard_scaler", "", NUMBERS)[0], ("knn_classifier", "shape", "3"))


def raises(kind, what, function, *arguments, **named_arguments):
    try:
        function(*arguments, **named_arguments)
    except kind:
        check(True, what)
    except Exception as error:
        check(False, f"{what}: {type(error).__name__} {error}")
    else:
        check(False, what + ": no error")


ODD = ["it's", '"two"', "back\\slash", "end\\", "a\nb\r\u2028c", "'); import os; os._exit(3) #", '\"\"\"', "{0} %s %n", "\ufeff\u202e\u00e9\U0001f600", "\x7f\x01", "/1", "X", "prediction", ""]


def odd_names(cursor):
    """Names, levels and labels that try to end their literals."""
    names = [name for name in ODD if name != ""]
    columns = ", ".join(f"(i * {j + 3} % 11) AS {quoted(name)}" for j, name in enumerate(names))
    cursor.execute(f"DROP TABLE IF EXISTS odd; CREATE TABLE odd AS SELECT i AS n, i % 7 AS goal, {columns} FROM generate_series(1, 60) i")
    features = ", ".join(quoted(name) for name in names)
    cursor.execute(f"DROP TABLE IF EXISTS model; CREATE TABLE model AS SELECT linear_regression(goal, r) AS m FROM (SELECT n, goal, f AS r FROM odd, LATERAL (SELECT {features}) f) t")
    module = load(cursor.execute("SELECT export_model(m, 'python') FROM model").fetchone()[0])
    check(list(module.FEATURES) == names, "odd names of features stay names")
    rows = cursor.execute(f"SELECT {features} FROM odd ORDER BY n").fetchall()
    expected = [row[0] for row in cursor.execute(f"SELECT predict(m, f) FROM odd, model, LATERAL (SELECT {features}) f ORDER BY n")]
    check(difference(expected, module.predict({name: [row[i] for row in rows] for i, name in enumerate(names)})) < 1e-12, "and are found in a dict")
    check(difference(expected, module.predict(np.array(rows), columns=names)) < 1e-12, "and by the names of an array's columns")
    cursor.execute("DROP TABLE IF EXISTS odd; CREATE TABLE odd (n int, level text, x float8)")
    for i in range(200):
        cursor.execute("INSERT INTO odd VALUES (%s, %s, %s)", (i, ODD[i % len(ODD)], math.sin(i)))
    cursor.execute("DROP TABLE IF EXISTS model; CREATE TABLE model AS SELECT naive_bayes(level, d, '{\"features\": [\"level\", \"x\"]}') AS m FROM odd d")
    module = load(cursor.execute("SELECT export_model(m, 'python') FROM model").fetchone()[0])
    check(sorted(module.CLASSES) == sorted(ODD), "odd labels stay labels")
    rows = cursor.execute("SELECT level, x, classify(m, d) FROM odd d, model ORDER BY n").fetchall()
    got = module.predict({"level": [row[0] for row in rows], "x": [row[1] for row in rows]})
    check([row[2] for row in rows] == list(got), "and odd levels stay levels")


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def exact_numbers(cursor):
    """Numbers of all sizes come out as they are."""
    wanted = [0.1, 1 / 3, 5e-324, -2.2250738585072014e-308, 1.7976931348623157e308, -0.0, 123456789.123456789, 2.0 ** 53 + 1]
    text = cursor.execute("SELECT export_model(standard_scaler(v), 'python') FROM (VALUES (ARRAY[0.1, 1e15 / 3]), (ARRAY[0.7, 1e-7])) t(v)").fetchone()[0]
    module = load(text)
    shift = cursor.execute("SELECT transform(standard_scaler(v), ARRAY[0.3, 17]) FROM (VALUES (ARRAY[0.1, 1e15 / 3]), (ARRAY[0.7, 1e-7])) t(v)").fetchone()[0]
    check(module.transform([[0.3, 17]]).tolist() == [shift], "numbers have the same bits")
    check(all(module._numbers(repr(x), 1)[0] == x for x in wanted), "numbers of all sizes are read")


def odd_rows(cursor):
    """Rows in every form, and rows that are wrong."""
    cursor.execute("DROP TABLE IF EXISTS model; CREATE TABLE model AS SELECT linear_regression(cost, d, '{\"features\": [\"carat\", \"cut\"]}') AS m FROM rows d")
    module = load(cursor.execute("SELECT export_model(m, 'python') FROM model").fetchone()[0])
    rows = cursor.execute("SELECT carat, cut, predict(m, d) FROM rows d, model ORDER BY n").fetchall()
    carat, cut, expected = [list(column) for column in zip(*rows)]
    record = np.array(list(zip(carat, cut)), dtype=[("carat", float), ("cut", object)])
    import pandas as pd

    for what, X, columns in (("a dict", {"cut": cut, "carat": carat, "other": cut}, None), ("a record array", record, None), ("a data frame", pd.DataFrame({"cut": cut, "carat": carat}), None),
                             ("categories of pandas", pd.DataFrame({"cut": pd.Categorical(cut), "carat": pd.array(carat, dtype="Float64")}), None),
                             ("an array with names", np.array(list(zip(cut, carat)), dtype=object), ["cut", "carat"]), ("a list", [list(row[:2]) for row in rows], module.FEATURES)):
        check(difference(expected, module.predict(X, columns=columns)) < 1e-12, "rows come as " + what)
    check(np.isnan(module.predict({"carat": [None, 1, np.nan, pd.NA], "cut": [cut[0], None, pd.NA, cut[0]]})).all(), "missing values have no score")
    check(len(module.predict({"carat": [], "cut": []})) == 0, "no rows give no scores")
    unseen = cursor.execute("SELECT predict(m, f) FROM model, (SELECT 1.0::float8 AS carat, 'no such cut' AS cut) f").fetchone()[0]
    check(abs(module.predict({"carat": [1.0], "cut": ["no such cut"]})[0] - unseen) < 1e-12, "a level that training did not have counts as in the server")
    raises(TypeError, "names are never matched by position in silence", module.predict, np.array(list(zip(carat, cut)), dtype=object))
    raises(KeyError, "a feature that is not there is an error", module.predict, {"carat": carat})
    raises(ValueError, "so are columns that are named twice", module.predict, np.array(list(zip(carat, cut)), dtype=object), columns=["carat", "carat"])
    raises(ValueError, "so is infinity", module.predict, {"carat": [np.inf], "cut": ["Ideal"]})
    raises(TypeError, "so are texts for numbers", module.predict, {"carat": ["1"], "cut": ["Ideal"]})
    raises(TypeError, "so are numbers for texts", module.predict, {"carat": [1], "cut": [1]})
    raises(ValueError, "so are columns of different lengths", module.predict, {"carat": [1, 2], "cut": ["Ideal"]})
    strict = load(cursor.execute("SELECT export_model(linear_regression(cost, d, '{\"features\": [\"carat\", \"cut\"], \"unseen\": \"error\", \"nulls\": \"error\"}'), 'python') FROM rows d").fetchone()[0])
    raises(ValueError, "so is an unknown level where the model says so", strict.predict, {"carat": [1], "cut": ["no such cut"]})
    raises(ValueError, "so is a missing value where the model says so", strict.predict, {"carat": [None], "cut": ["Ideal"]})
    nameless = load(cursor.execute("SELECT export_model(linear_regression(cost, v), 'python') FROM rows").fetchone()[0])
    raises(TypeError, "a data frame is refused where features have no names", nameless.predict, pd.DataFrame({"a": [1], "b": [2], "c": [3]}))
    raises(ValueError, "so are rows of another width", nameless.predict, [[1, 2]])


def dates(cursor):
    cursor.execute("""DROP TABLE IF EXISTS days; CREATE TABLE days AS SELECT i AS n, date '2020-02-28' + i AS day, timestamp '1999-12-31 23:00' + i * interval '1 hour 0.25 s' AS at,
                      timestamptz '2001-01-01 00:00+02' + i * interval '1 day' AS zoned, i % 2 = 0 AS even, i + (i % 3) AS y FROM generate_series(1, 50) i;
                      DROP TABLE IF EXISTS model""")
    cursor.execute("CREATE TABLE model AS SELECT forest_regression(y, d, '{\"features\": [\"day\", \"at\", \"zoned\", \"even\"], \"n_trees\": 5}') AS m FROM days d")
    module = load(cursor.execute("SELECT export_model(m, 'python') FROM model").fetchone()[0])
    rows = cursor.execute("SELECT day, at, zoned, even, predict(m, d) FROM days d, model ORDER BY n").fetchall()
    columns = dict(zip(("day", "at", "zoned", "even"), ([row[i] for row in rows] for i in range(4))))
    expected = [row[4] for row in rows]
    check(difference(expected, module.predict(columns)) < 1e-12, "dates and times come as datetime")
    columns["day"] = np.array(columns["day"], dtype="datetime64[D]")
    columns["at"] = np.array(columns["at"], dtype="datetime64[us]")
    check(difference(expected, module.predict(columns)) < 1e-12, "and as datetime64")
    raises(TypeError, "a date is no number", load(cursor.execute("SELECT export_model(linear_regression(y, y + 1), 'python') FROM days").fetchone()[0]).predict, [[datetime.date(2020, 1, 1)]])


def main():
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    with psycopg.connect(autocommit=True) as connection:
        cursor = connection.cursor()
        cursor.execute("SET client_min_messages = error")
        cursor.execute("SET search_path = public, pgfit")
        cursor.execute(SETUP)
        every_method(cursor, wanted)
        if not wanted:
            odd_names(cursor)
            exact_numbers(cursor)
            odd_rows(cursor)
            dates(cursor)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
