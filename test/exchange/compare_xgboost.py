#!/usr/bin/env python3
"""
Trains boosters of XGBoost on random rows, with every objective that pgfit reads, imports them, scores the rows in the database, and compares the
margins: they may differ by one unit in the last place of a float. Then exports what came in, and models that pgfit fits itself, loads them in
XGBoost and compares again. scripts/exchange-check starts the server.

usage: compare_xgboost.py [--models N] [--seed N] [--rows N]
       compare_xgboost.py write     small boosters of every objective, and their margins, to sql/xgboost_models.sql
"""
import argparse
import base64
import json
import os
import sys
import tempfile
import warnings

import numpy as np
import pandas as pd
import psycopg2
import xgboost as xgb

from boosters import Database, random_rows, signal

warnings.filterwarnings("ignore")
OBJECTIVES = ["reg:squarederror", "reg:squaredlogerror", "reg:absoluteerror", "reg:pseudohubererror", "reg:logistic", "binary:logistic", "binary:logitraw",
              "multi:softmax", "multi:softprob", "count:poisson", "reg:gamma", "reg:tweedie", "rank:pairwise", "rank:ndcg"]


def random_booster(rng, objective, frame, rounds=40):
    score = signal(rng, frame)
    count = len(frame)
    options = {"objective": objective, "max_depth": int(rng.integers(1, 8)), "eta": float(rng.uniform(0.05, 1)), "verbosity": 0,
               "tree_method": "hist" if any(t.name == "category" for t in frame.dtypes) else str(rng.choice(["hist", "exact"])),
               "max_cat_to_onehot": int(rng.choice([1, 4, 100])), "min_child_weight": float(rng.choice([0, 1])), "seed": int(rng.integers(1 << 30))}
    if rng.random() < 0.5:
        options["base_score"] = float(rng.uniform(0.02, 0.98))
    if rng.random() < 0.3:
        options.update(num_parallel_tree=int(rng.integers(2, 5)), subsample=0.7)
    target = score
    if objective.startswith("binary") or objective == "reg:logistic":
        target = (score > 0) * 1.0
    elif objective.startswith(("count", "reg:gamma", "reg:tweedie", "reg:squaredlog")):
        target = np.round(np.exp(score)) + 1
    elif objective.startswith("multi"):
        options["num_class"] = int(rng.integers(2, 6))
        target = np.minimum((np.argsort(np.argsort(score)) * options["num_class"]) // count, options["num_class"] - 1)
    elif objective.startswith("rank"):
        target = np.clip(np.round(score + 1), 0, 3)
    data = xgb.DMatrix(frame, target, enable_categorical=True)
    if objective.startswith("rank"):
        data.set_group([count // 4] * 4)
    return xgb.train(options, data, int(rng.integers(1, rounds)))


def document(booster, kind):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model." + kind)
        booster.save_model(path)
        with open(path, "rb") as file:
            return file.read()


def from_document(text):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return xgb.Booster(model_file=path)


def margins(booster, frame):
    data = xgb.DMatrix(frame, enable_categorical=True)
    return booster.predict(data, output_margin=True).reshape(len(frame), -1)


def ulps(a, b):
    """How many floats a and b are apart."""
    def order(x):
        bits = np.asarray(x, dtype=np.float32).view(np.int32).astype(np.int64)
        return np.where(bits < 0, -2147483648 - bits, bits)
    return int(np.max(np.abs(order(a) - order(b))))


def names_of(frame):
    return json.dumps({"levels": {name: list(frame[name].cat.categories) for name in frame if frame[name].dtype.name == "category"}})


def compare_import(database, rng, objective, count, figures):
    frame = random_rows(rng, count)
    booster = random_booster(rng, objective, frame)
    wanted = margins(booster, frame)
    names, text, binary = names_of(frame), document(booster, "json").decode(), document(booster, "ubj")
    database.load(frame)
    database.cursor.execute("DROP TABLE IF EXISTS model; CREATE TABLE model AS SELECT import_model(%s::text, options => %s) AS m", (text, names))
    if not database.rows("SELECT m = import_model(%s::bytea, options => %s) FROM model", binary, names)[0][0]:
        raise AssertionError("JSON and UBJSON give different models")
    classes = objective.startswith(("binary", "multi"))
    if rng.random() < 0.2:
        compare_explanations(database, booster, frame, figures)
    scores = database.scores(classes)
    if scores.shape != wanted.shape:
        raise AssertionError(f"{scores.shape} scores in place of {wanted.shape}")
    figures["ulps"] = max(figures["ulps"], ulps(scores, wanted))
    figures["exact"] += int(np.sum(scores.astype(np.float32) == wanted))
    figures["scores"] += wanted.size
    figures["imported"] += 1
    if rng.random() < 0.5:
        compare_export(database, frame, wanted, classes, figures)
        return
    if rng.random() < 0.2 and not classes:
        expression = database.rows("SELECT to_sql(m) FROM model")[0][0]
        sql = np.array([row[0] for row in database.rows(f"SELECT {expression} FROM scored s ORDER BY s.i")])
        figures["sql"] = max(figures["sql"], ulps(sql, scores[:, 0]))


def compare_export(database, frame, wanted, classes, figures):
    """Exports the model that was imported: its scores in XGBoost must have the same bits; and so must the model that comes back."""
    text = database.rows("SELECT export_model(m, 'xgboost') FROM model")[0][0]
    booster = from_document(text)
    figures["back"] = max(figures["back"], ulps(margins(booster, frame), wanted))
    database.cursor.execute("UPDATE model SET m = import_model(export_model(m, 'xgboost'), options => %s)", (names_of(frame),))
    figures["again"] = max(figures["again"], ulps(database.scores(classes), wanted))


def compare_own(database, rng, count, figures):
    """Fits boosted trees here, to floats, exports them, and compares scores relative to the largest."""
    frame = random_rows(rng, count)
    for name in frame:
        if frame[name].dtype.name != "category":
            frame[name] = frame[name].astype(np.float32).astype(float)
    score = signal(rng, frame)
    kind = str(rng.choice(["squared", "poisson", "two", "three"]))
    target = {"squared": score, "poisson": np.round(np.exp(np.minimum(score, 3))), "two": np.where(score > 0, "yes", "no"), "three": np.choose(np.clip(np.round(score + 1), 0, 2).astype(int), list("uvw"))}[kind]
    if len(np.unique(target)) < {"two": 2, "three": 3}.get(kind, 1):
        return
    database.load(frame)
    database.cursor.execute("DROP TABLE IF EXISTS targets; CREATE TABLE targets (i int, y " + ("float8)" if kind in ("squared", "poisson") else "text)"))
    database.cursor.executemany("INSERT INTO targets VALUES (%s, %s)", [(i, str(y)) for i, y in enumerate(target)])
    options = {"n_trees": int(rng.integers(1, 30)), "max_depth": int(rng.integers(1, 6)), "min_samples_leaf": int(rng.integers(1, 6)), "learning_rate": float(rng.uniform(0.05, 1))}
    if kind == "poisson":
        options["loss"] = "poisson"
    columns = ", ".join(f's."{name}"' for name in frame)
    method = "boosted_trees_regression" if kind in ("squared", "poisson") else "boosted_trees_classifier"
    database.cursor.execute(f"DROP TABLE IF EXISTS model; CREATE TABLE model AS SELECT {method}(y, f, %s) AS m FROM targets t JOIN scored s USING (i), LATERAL (SELECT {columns}) f", (json.dumps(options),))
    try:
        booster = from_document(database.rows("SELECT export_model(m, 'xgboost') FROM model")[0][0])
    except psycopg2.errors.WrongObjectType as error:  # a leaf may be beyond the floats, where a class is as good as certain
        if "for a leaf of" not in str(error):
            raise
        figures["refused"] += 1
        return
    recoded = frame.copy()
    for name in frame:  # the codes of a category are the order of its levels in the model
        if frame[name].dtype.name == "category":
            levels = [row[0] for row in database.rows("SELECT level FROM model, levels(m) WHERE feature = %s", name)]
            recoded[name] = pd.Categorical(frame[name].astype(object), levels)
    wanted = margins(booster, recoded)
    scores = database.scores(kind in ("two", "three")).reshape(wanted.shape)
    figures["own"] = max(figures["own"], float(np.max(np.abs(scores - wanted)) / max(1e-30, float(np.max(np.abs(scores))))))
    figures["exported"] += 1


def compare_explanations(database, booster, frame, figures):
    """Shapley values of the first rows, as far as floats have them."""
    wanted = booster.predict(xgb.DMatrix(frame.head(3), enable_categorical=True), pred_contribs=True)
    if wanted.ndim != 2:
        return
    found = database.rows("SELECT s.i, e.term, e.contribution FROM model, scored s, LATERAL (SELECT s.*) f, explain(m, f) e WHERE s.i < 3")
    place = {name: j for j, name in enumerate(frame)}
    place["(base)"] = len(place)
    sums = np.zeros_like(wanted, dtype=float)
    for i, term, contribution in found:
        sums[i, place[term if term in place else term.split("=")[0].replace(" IS NULL", "")]] += contribution
    figures["shap"] = max(figures["shap"], float(np.max(np.abs(sums - wanted)) / max(1.0, float(np.max(np.abs(wanted))))))


def write():
    """Writes documents of small boosters with rows and their margins, which are floats."""
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "..", "..", "sql", "xgboost_models.sql"), "w", encoding="utf-8") as out:
        with open(os.path.join(here, "xgboost_models_head.sql"), encoding="utf-8") as head:
            out.write(head.read())
        for number, objective in enumerate(OBJECTIVES + ["reg:squarederror", "binary:logistic"]):
            rng = np.random.default_rng([7, number])
            count = 60
            frame = {"x0": rng.normal(size=count), "x1": np.where(rng.random(count) < 0.3, np.nan, np.round(rng.normal(size=count), 1))}
            if number % 2 == 0 or number >= len(OBJECTIVES):
                frame["c0"] = pd.Categorical.from_codes(np.where(rng.random(count) < 0.2, -1, rng.integers(0, 6, size=count)), list("abcdef"))
            frame = pd.DataFrame(frame)
            booster = random_booster(rng, objective, frame, rounds=3)
            wanted = margins(booster, frame)
            rows = [[{name: None if pd.isna(frame[name][i]) else frame[name][i] for name in frame}, [float(x) for x in wanted[i]]] for i in range(0, count, 10)]
            options = names_of(frame)
            for kind in ("json", "ubj"):
                out.write(f"INSERT INTO xgboost_documents VALUES ('{objective}, {kind}', decode('{base64.b64encode(document(booster, kind)).decode()}', 'base64'), '{options}', '{json.dumps(rows)}');\n")
        out.write("\\set ECHO all\nSELECT name, model, count, differ FROM xgboost_documents, xgboost_compared(document, options, rows) ORDER BY number;\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=int, default=500)
    parser.add_argument("--rows", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    database = Database()
    figures = {"imported": 0, "scores": 0, "exact": 0, "ulps": 0, "sql": 0, "shap": 0.0, "back": 0, "again": 0, "own": 0.0, "exported": 0, "refused": 0}
    failed = 0
    for number in range(arguments.models):
        objective = OBJECTIVES[number % len(OBJECTIVES)]
        rng = np.random.default_rng([arguments.seed, number])
        try:
            compare_import(database, rng, objective, arguments.rows, figures)
            if number % 4 == 0:
                compare_own(database, rng, arguments.rows, figures)
        except (AssertionError, psycopg2.Error, xgb.core.XGBoostError) as error:
            failed += 1
            print(f"model {number}, {objective}: {error}".strip(), flush=True)
            if isinstance(error, psycopg2.Error):
                database.connection.rollback()
    print(f"imported {figures['imported']} boosters: {figures['exact']} of {figures['scores']} scores have the same bits, the others differ by up to "
          f"{figures['ulps']} units in the last place of a float; SQL differs by {figures['sql']}, Shapley values by {figures['shap']:.1e}")
    print(f"exported again, they differ in XGBoost by up to {figures['back']} units, and back here by {figures['again']}; {figures['exported']} models fitted here "
          f"differ in XGBoost by {figures['own']:.1e} of their largest score, {figures['refused']} have leaves beyond the floats")
    raise SystemExit(failed > 0 or max(figures["ulps"], figures["back"], figures["again"]) > 1 or figures["sql"] > 0 or figures["shap"] > 1e-3 or figures["own"] > 1e-5)


if __name__ == "__main__":
    if sys.argv[1:] == ["write"]:
        write()
    else:
        main()
