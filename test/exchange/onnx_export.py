#!/usr/bin/env python3
"""
Compares ONNX documents of models of all kinds, run by onnxruntime, with the models themselves: scripts/exchange-check-onnx.
usage: onnx_export.py [part of a label]
"""
import json
import os
import subprocess
import sys
import tempfile

import psycopg

HERE = os.path.dirname(os.path.abspath(__file__))

SETUP = """
CREATE TABLE rows AS
SELECT row_number() OVER (ORDER BY id)::int AS n, carat, depth, "table" AS width, x, y, price / 1000.0::float8 AS cost, cut, color,
       (price > 3000)::int AS dear, (price > 3000) AS costly, ceil(price / 2000.0)::int AS class3, CASE WHEN depth > 61.8 THEN 'high' WHEN depth > 60 THEN 'middle' ELSE 'low' END AS shape,
       round(carat * 5)::int AS counted, ARRAY[carat, depth, "table"] AS v, ARRAY[carat, x, y] AS w
FROM diamonds WHERE id % 37 = 0 ORDER BY id LIMIT 400;
UPDATE rows SET class3 = least(class3, 4);
CREATE TABLE holes AS SELECT n, CASE WHEN n % 7 > 0 THEN carat END AS carat, CASE WHEN n % 5 > 0 THEN depth END AS depth, width, x, y, cost,
    CASE WHEN n % 11 > 0 THEN cut END AS cut, color, dear, costly, class3, shape FROM rows;
"""
NUMBERS = '"carat", "depth", "width"'
MIXED = '"carat", "cut", "depth", "color"'


def named(method, target, features, options="", table="rows"):
    options = (", " if options else "") + options
    first = target + ", " if target else ""
    return f"SELECT {method}({first}d, '{{\"features\": [{features}]{options}}}'::jsonb) FROM {table} d", table, "d"


def array(method, target, column, arguments="", table="rows"):
    return f"SELECT {method}({target + ', ' if target else ''}d.{column}{', ' + arguments if arguments else ''}) FROM {table} d", table, f"d.{column}"


def pipe(first, *others, table="rows"):
    """A pipeline: each later stage is fitted to what the ones before make of the rows."""
    sql = f"WITH s0 AS MATERIALIZED (SELECT ({first}) AS m)"
    models = ["(SELECT m FROM s0)"]
    for i, (method, target, options) in enumerate(others, 1):
        row = "transform(s.m, d)"
        so_far = models[0] if i == 1 else f"pipeline({', '.join(models)})"
        sql += (f", s{i} AS MATERIALIZED (SELECT (SELECT {method}({target + ', ' if target else ''}{row}{', ' + options if options else ''}) "
                f"FROM {table} d, (SELECT {so_far} AS m) s) AS m)")
        models.append(f"(SELECT m FROM s{i})")
    return f"{sql} SELECT pipeline({', '.join(models)})", table, "d"


def singular(method, target):
    options = '{"singular": "pseudo_inverse"}'
    return (f"SELECT {method}({target}, ARRAY[carat, depth, carat + depth], '{options}'::jsonb) FROM rows d", "rows",
            "ARRAY[d.carat, d.depth, d.carat + d.depth]")


def joined(options, *members, table="rows"):
    """An ensemble of models."""
    return f"SELECT ensemble(ARRAY[{', '.join('(' + member[0] + ')' for member in members)}], '{options}'::jsonb)", table, members[0][2]


def cases():
    for method in ("linear_regression", "bayesian_regression", "huber_regression", "quantile_regression", "total_least_squares", "mm_regression"):
        yield method, named(method, "cost", NUMBERS)
    yield "theil_sen", named("theil_sen", "cost", '"carat"')
    yield "linear_regression of categories", named("linear_regression", "cost", MIXED)
    yield "linear_regression of an array", array("linear_regression", "cost", "v")
    yield "linear_regression without intercept", named("linear_regression", "cost", MIXED, '"intercept": false')
    yield "linear_regression, means for NULL", named("linear_regression", "cost", MIXED, '"nulls": "impute"', "holes")
    yield "linear_regression, no NULL", named("linear_regression", "cost", MIXED, "", "holes")
    yield "ridge_regression", named("ridge_regression", "cost", MIXED, '"lambda": 0.3')
    yield "lasso_regression", named("lasso_regression", "cost", MIXED, '"lambda": 0.01')
    yield "elastic_net", named("elastic_net", "cost", MIXED, '"lambda": 0.01')
    yield "multiple_quantile_regression", named("multiple_quantile_regression", "cost", NUMBERS, '"quantile": [0.1, 0.5, 0.9]')
    yield "multivariate_regression", array("multivariate_regression", "d.w", "v")
    for family, target, links in (("gaussian", "cost", ("identity", "log", "inverse")), ("binomial", "dear", ("logit", "cloglog", "cauchit")),
                                  ("poisson", "counted", ("log", "identity", "sqrt")), ("gamma", "cost", ("inverse", "log", "identity")),
                                  ("inverse_gaussian", "cost", ("inverse_squared", "log"))):
        for link in links:
            features = '"carat"' if family == "binomial" or link in ("inverse", "identity", "inverse_squared", "sqrt") else MIXED
            yield f"glm {family} {link}", named("glm", target, features, f'"family": "{family}", "link": "{link}"')
    yield "glm power", named("glm", "cost", '"carat"', '"family": "gamma", "link": "power", "link_power": 0.333')
    yield "poisson_regression", named("poisson_regression", "counted", MIXED)
    yield "gamma_regression", named("gamma_regression", "cost", NUMBERS)
    yield "negative_binomial_regression", named("negative_binomial_regression", "counted", NUMBERS, '"theta": 2')
    yield "tweedie_regression", named("tweedie_regression", "cost", NUMBERS)
    for target in ("dear", "costly", "shape", "class3"):
        yield f"logistic_regression {target}", named("logistic_regression", target, MIXED, '"lambda": 0.01')
    yield "logistic_regression threshold", named("logistic_regression", "dear", MIXED, '"lambda": 0.01, "threshold": 0.3, "positive": 0')
    yield "logistic_regression ovr", named("logistic_regression", "shape", NUMBERS, '"lambda": 0.01, "multiclass": "ovr"')
    yield "logistic_regression ovo", named("logistic_regression", "shape", NUMBERS, '"lambda": 0.01, "multiclass": "ovo"')
    yield "least_squares_classifier", named("least_squares_classifier", "shape", MIXED)
    yield "least_squares_classifier two", named("least_squares_classifier", "dear", MIXED)
    yield "perceptron", named("perceptron", "shape", NUMBERS)
    yield "svm_classifier linear", named("svm_classifier", "dear", MIXED)
    yield "svm_classifier linear shape", named("svm_classifier", "shape", NUMBERS, '"standardize": true')
    yield "svm_regression linear", named("svm_regression", "cost", MIXED)
    for kernel in ('"rbf", "gamma": 0.5', '"polynomial", "degree": 3, "gamma": 0.1, "coef0": 1', '"sigmoid", "gamma": 0.01'):
        name = kernel.split(",")[0].strip('"')
        yield f"svm_classifier {name}", named("svm_classifier", "dear", MIXED, f'"kernel": {kernel}, "standardize": true')
        yield f"svm_classifier {name} shape", named("svm_classifier", "shape", NUMBERS, f'"kernel": {kernel}, "standardize": true')
        yield f"svm_classifier {name} ovo", named("svm_classifier", "class3", NUMBERS, f'"kernel": {kernel}, "standardize": true, "multiclass": "ovo"')
        yield f"svm_regression {name}", named("svm_regression", "cost", MIXED, f'"kernel": {kernel}, "standardize": true')
    yield "svm_regression rbf raw", array("svm_regression", "cost", "v", "'{\"kernel\": \"rbf\", \"gamma\": 0.02}'::jsonb")
    yield "kernel_ridge", named("kernel_ridge", "cost", MIXED, '"kernel": "rbf", "gamma": 0.5, "lambda": 0.1, "standardize": true')
    yield "kernel_ridge fourier", named("kernel_ridge", "cost", NUMBERS, '"kernel": "rbf", "gamma": 0.5, "lambda": 0.1, "standardize": true, "approximation": "fourier"')
    yield "one_class_svm", named("one_class_svm", "", NUMBERS, '"nu": 0.1, "standardize": true')
    yield "tree_regression", named("tree_regression", "cost", MIXED)
    yield "tree_regression, NULL branches", named("tree_regression", "cost", MIXED, '"nulls": "branch"', "holes")
    yield "tree_regression, no NULL", named("tree_regression", "cost", MIXED, "", "holes")
    for target in ("dear", "shape", "class3"):
        yield f"tree_classifier {target}", named("tree_classifier", target, MIXED, '"max_depth": 5')
    yield "tree_classifier smoothed", named("tree_classifier", "class3", MIXED, '"max_depth": 5, "smoothing": 1')
    for method in ("forest", "extra_trees"):
        yield f"{method}_regression", named(f"{method}_regression", "cost", MIXED, '"n_trees": 30')
        yield f"{method}_classifier", named(f"{method}_classifier", "shape", MIXED, '"n_trees": 30')
        yield f"{method}_classifier dear", named(f"{method}_classifier", "dear", MIXED, '"n_trees": 31')
    yield "forest_classifier hard", named("forest_classifier", "shape", MIXED, '"n_trees": 31, "voting": "hard"')
    yield "forest_classifier, NULL branches", named("forest_classifier", "shape", MIXED, '"n_trees": 31, "nulls": "branch"', "holes")
    yield "boosted_trees_regression", named("boosted_trees_regression", "cost", MIXED, '"n_trees": 40')
    yield "boosted_trees_regression poisson", named("boosted_trees_regression", "counted", MIXED, '"n_trees": 40, "loss": "poisson"')
    yield "boosted_trees_regression, NULL branches", named("boosted_trees_regression", "cost", MIXED, '"n_trees": 40, "nulls": "branch"', "holes")
    yield "boosted_trees_classifier", named("boosted_trees_classifier", "dear", MIXED, '"n_trees": 40')
    yield "boosted_trees_classifier shape", named("boosted_trees_classifier", "shape", MIXED, '"n_trees": 20')
    yield "isolation_forest", named("isolation_forest", "", MIXED)
    yield "naive_bayes", named("naive_bayes", "shape", MIXED)
    yield "naive_bayes dear", named("naive_bayes", "dear", NUMBERS)
    yield "lda", named("lda", "shape", MIXED)
    yield "lda dear", named("lda", "dear", NUMBERS)
    yield "qda", named("qda", "shape", NUMBERS)
    for form in ("full", "tied", "diagonal", "spherical"):
        yield f"gaussian_mixture {form}", named("gaussian_mixture", "", NUMBERS, f'"k": 3, "covariance_type": "{form}"')
        yield f"gaussian_mixture {form} standardized", named("gaussian_mixture", "", NUMBERS, f'"k": 2, "covariance_type": "{form}", "standardize": true', "holes")
    yield "lda singular", singular("lda", "shape")
    yield "qda singular", singular("qda", "shape")
    yield "lda, means for NULL", named("lda", "shape", NUMBERS, '"nulls": "impute"', "holes")
    yield "logistic_regression, no NULL", named("logistic_regression", "shape", MIXED, '"lambda": 0.1', "holes")
    yield "kmeans, no NULL", named("kmeans", "", NUMBERS, '"k": 3', "holes")
    yield "isolation_forest, NULL branches", named("isolation_forest", "", MIXED, '"nulls": "branch"', "holes")
    yield "kmeans", array("kmeans", "", "v", "4")
    yield "kmeans standardized", named("kmeans", "", NUMBERS, '"k": 5, "standardize": true')
    for method, options in (("standard_scaler", ""), ("minmax_scaler", '"clip": true'), ("minmax_scaler", '"range": [-1, 2]'), ("robust_scaler", ""),
                            ("polynomial_features", '"degree": 3'), ("quantile_bins", '"bins": 4'), ("quantile_bins", '"bins": 4, "output": "onehot"')):
        yield f"{method} {options}", named(method, "", NUMBERS, options)
    for options in ("", '"drop": "first"'):
        yield f"one_hot {options}", named("one_hot", "", MIXED, options)
    yield "one_hot, NULL", named("one_hot", "", MIXED, '"nulls": "impute"', "holes")
    yield "target_encoder", named("target_encoder", "cost", MIXED)
    yield "pca", array("pca", "", "v", "2")
    yield "pca of one feature", named("pca", "", '"depth"', '"k": 1, "standardize": true, "whiten": true')
    yield "svm_regression of one feature", named("svm_regression", "cost", '"depth"', '"kernel": "polynomial", "gamma": 0.3, "degree": 2, "standardize": true')
    yield "kmeans of one feature", named("kmeans", "", '"depth"', '"k": 3, "standardize": true')
    yield "pca of categories", named("pca", "", MIXED, '"k": 3, "standardize": true, "whiten": true')
    impute = '"nulls": "impute"'
    numbers = (named("linear_regression", "cost", NUMBERS, impute, "holes"), named("forest_regression", "cost", MIXED, '"n_trees": 5, "nulls": "branch"', "holes"),
               named("ridge_regression", "cost", '"color", "x"', impute, "holes"))
    classes = (named("tree_classifier", "shape", MIXED, '"max_depth": 4', "holes"), named("naive_bayes", "shape", '"depth", "cut"', impute, "holes"),
               named("logistic_regression", "shape", NUMBERS, '"lambda": 0.1, "nulls": "impute"', "holes"))
    yield "ensemble_regression", joined('{"model_weights": [1, 3, 2]}', *numbers, table="holes")
    yield "ensemble_regression, no NULL", joined("{}", numbers[1], named("lasso_regression", "cost", MIXED, '"lambda": 0.01'), table="holes")
    yield "ensemble_regression of arrays", joined("{}", array("linear_regression", "cost", "v"), array("forest_regression", "cost", "v", "'{\"n_trees\": 4}'::jsonb"))
    yield "ensemble_classifier soft", joined('{"model_weights": [1, 3, 2]}', *classes, table="holes")
    yield "ensemble_classifier hard", joined('{"voting": "hard"}', *classes, table="holes")
    yield "ensemble_classifier of two, hard", joined('{"voting": "hard"}', named("perceptron", "dear", NUMBERS), named("svm_classifier", "dear", MIXED, '"max_iter": 100'),
                                                     named("logistic_regression", "dear", MIXED, '"lambda": 0.1, "threshold": 0.3'), table="holes")
    scaler = named("standard_scaler", "", NUMBERS)[0]
    yield "ensemble_classifier of pipelines", joined("{}", pipe(scaler, ("logistic_regression", "shape", '\'{"lambda": 0.1}\'::jsonb')), named("lda", "shape", MIXED), table="holes")
    hot = named("one_hot", "", MIXED)[0]
    yield "scaler, logistic_regression", pipe(scaler, ("logistic_regression", "shape", '\'{"lambda": 0.1}\'::jsonb'))
    yield "scaler, pca, svm", pipe(scaler, ("pca", "", "2"), ("svm_regression", "cost", '\'{"kernel": "rbf", "gamma": 0.5}\'::jsonb'))
    yield "one_hot, boosted trees", pipe(hot, ("boosted_trees_classifier", "dear", '\'{"n_trees": 10}\'::jsonb'))
    yield "one_hot, kmeans", pipe(hot, ("kmeans", "", "3"))
    yield "lda, naive_bayes", pipe(named("lda", "shape", NUMBERS)[0], ("naive_bayes", "shape", ""))


def tensors(document, rows, columns):
    """Returns the inputs of a document from the rows of the table."""
    import onnx

    inputs = {}
    for value in document.graph.input:
        text = value.type.tensor_type.elem_type == onnx.TensorProto.STRING
        width = value.type.tensor_type.shape.dim[1].dim_value
        at = columns.index(value.name) if value.name in columns else len(columns)
        data = [row[at] for row in rows]
        if width > 1 or value.name == "X":
            data = [x for array in data for x in array]
        inputs[value.name] = {"type": "string" if text else "float64", "dims": [len(rows), width],
                              "data": [("" if x is None else x) for x in data] if text else [None if x is None else float(x) for x in data]}
    return inputs


def difference(a, b):
    """Returns how far apart two numbers are, relative to those above 1."""
    if a is None or b is None or a != a or b != b:
        return 0.0 if (a is None or a != a) and (b is None or b != b) else 1.0
    return 0.0 if a == b else abs(a - b) / max(1.0, abs(a), abs(b))


def expected(cursor, output, table, features, two):
    function = {"prediction": "predict(m, {0})", "probabilities": "probabilities(m, {0})", "transformed": "transform(m, {0})",
                "scores": "decisions(m, {0})", "label": "classify(m, {0})"}[output]
    if output == "scores" and two:
        function = "ARRAY[-decision(m, {0}), decision(m, {0})]"
    try:
        with cursor.connection.transaction():
            return cursor.execute(f"SELECT {function.format(features)} FROM {table} d, model ORDER BY d.n").fetchall()
    except psycopg.Error:
        function = {"scores": "distances(m, {0})", "label": "cluster(m, {0}) - 1", "probabilities": "transform(m, {0})"}[output]
        return cursor.execute(f"SELECT {function.format(features)} FROM {table} d, model ORDER BY d.n").fetchall()


def best_are_equal(scores):
    """Tells whether the best two scores of a row are equal but for rounding, so that the last digit decides between their labels."""
    best = sorted(scores)[-2:]
    return len(best) > 1 and best[1] - best[0] <= 1e-14 * abs(best[1])


def compare(cursor, label, case, result):
    """Returns the largest difference, and how many labels differ."""
    table, features = case[1], case[2]
    largest, labels = 0.0, 0
    for name, output in result.items():
        rows = expected(cursor, name, table, features, output["dims"][1:] == [2])
        width = output["dims"][1] if len(output["dims"]) > 1 else 1
        for i, (value,) in enumerate(rows):
            got = output["data"][i * width:(i + 1) * width]
            if name == "label":
                scores = result.get("scores", {"data": []})["data"]
                each = len(scores) // len(rows)
                labels += value is not None and str(value) != str(got[0]) and not best_are_equal(scores[i * each:(i + 1) * each])
            else:
                want = value if isinstance(value, list) else [value] * width
                largest = max([largest] + [difference(a, b) for a, b in zip(want, got)])
    return largest, labels


def main():
    import onnx

    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    jobs, kept, failed = [], [], 0
    with psycopg.connect(autocommit=True) as connection, tempfile.TemporaryDirectory() as folder:
        cursor = connection.cursor()
        cursor.execute("SET client_min_messages = error")
        cursor.execute(SETUP)
        for label, case in cases():
            if wanted not in label:
                continue
            try:
                model, document = cursor.execute(f"WITH m AS MATERIALIZED ({case[0]}) SELECT m::text, export_onnx(m) FROM m AS m(m)").fetchone()
            except psycopg.Error as error:
                print(f"{label:45} {error}".rstrip())
                failed += 1
                continue
            path = os.path.join(folder, f"{len(jobs)}.onnx")
            with open(path, "wb") as out:
                out.write(document)
            loaded = onnx.load(path)
            onnx.checker.check_model(loaded)
            rows = cursor.execute(f"SELECT d.*, {case[2] if '.' in case[2] else 'NULL'} FROM {case[1]} d ORDER BY n").fetchall()
            columns = [c.name for c in cursor.description][:-1]
            jobs.append({"model": path, "inputs": tensors(loaded, rows, columns)})
            kept.append((label, case, model, len(document)))
        with open(os.path.join(folder, "jobs.json"), "w", encoding="utf-8") as out:
            json.dump(jobs, out)
        run = subprocess.run(["node", os.path.join(HERE, "onnx_run.js"), out.name], capture_output=True, text=True, check=True)
        for (label, case, model, size), result in zip(kept, json.loads(run.stdout)):
            if "error" in result:
                print(f"{label:45} {result['error']}")
                failed += 1
                continue
            cursor.execute("DROP TABLE IF EXISTS model")
            cursor.execute("CREATE TABLE model (m pgfit.model)")
            cursor.execute("INSERT INTO model VALUES (%s::text::pgfit.model)", (model,))
            largest, labels = compare(cursor, label, case, result)
            bad = largest > 1e-10 or labels > 0
            failed += bad
            print(f"{label:45} {', '.join(result):22} {size:8} bytes, largest difference {largest:.1e}, {labels} labels{'  FAILED' if bad else ''}")
    print(f"{len(kept)} documents, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
