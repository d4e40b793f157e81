#!/usr/bin/env python3
"""
Trains boosters of LightGBM on random rows, with every objective that pgfit reads and every kind of boosting, imports them from text and from
JSON, scores the rows in the database, and compares: scores before the link must have the same bits, predictions behind it may differ by what
exp rounds. Then compares Shapley values, SQL, and refusals. scripts/exchange-check-lightgbm starts the server.

usage: compare_lightgbm.py [--models N] [--seed N] [--rows N]
"""
import argparse
import json
import warnings

import lightgbm as lgb
import numpy as np
import pandas as pd
import psycopg2

from boosters import Database, random_rows, signal

warnings.filterwarnings("ignore")
OBJECTIVES = ["regression", "regression_l1", "huber", "fair", "poisson", "quantile", "mape", "gamma", "tweedie", "cross_entropy", "binary", "multiclass",
              "lambdarank", "rank_xendcg", "custom"]
NEAR = float(np.float32(1e-35))  # what LightGBM takes for 0


def lightgbm_rows(rng, count):
    """Random rows, with numbers about 0, and categories as whole numbers."""
    frame = random_rows(rng, count)
    if rng.random() < 0.3:
        near = [0.0, -0.0, NEAR, -NEAR, np.nextafter(NEAR, 1), np.nextafter(-NEAR, -1), 1e-36, -1e-36, 1.0, -1.0, 2e-35, -2e-35]
        frame["near"] = rng.choice(near, size=count)
    if not any(t.name == "category" for t in frame.dtypes) and rng.random() < 0.3:
        frame["code"] = np.where(rng.random(count) < 0.1, np.nan, rng.choice(rng.integers(0, 300, size=int(rng.integers(2, 90))), size=count))
    return frame


def random_options(rng, objective, frame):
    boosting = str(rng.choice(["gbdt", "gbdt", "dart", "rf"]))
    options = {"objective": objective, "boosting": boosting, "num_leaves": int(rng.integers(2, 64)), "max_depth": int(rng.choice([-1, 1, 3, 6])),
               "min_data_in_leaf": int(rng.choice([1, 5, 20])), "learning_rate": float(rng.uniform(0.02, 0.9)), "max_bin": int(rng.choice([4, 63, 255])),
               "use_missing": bool(rng.random() < 0.8), "boost_from_average": bool(rng.random() < 0.7), "feature_fraction": float(rng.choice([0.5, 1])),
               "lambda_l2": float(rng.choice([0, 1])), "max_cat_to_onehot": int(rng.choice([1, 4, 100])), "min_data_per_group": int(rng.choice([1, 20])),
               "cat_smooth": float(rng.choice([0, 10])), "extra_trees": bool(rng.random() < 0.2), "path_smooth": float(rng.choice([0, 0, 1])),
               "zero_as_missing": bool(rng.random() < 0.05), "min_sum_hessian_in_leaf": float(rng.choice([1e-3, 1e-6])), "verbosity": -1,
               "seed": int(rng.integers(1 << 30)), "use_quantized_grad": bool(rng.random() < 0.1), "num_threads": 1, "force_col_wise": True}
    if boosting == "rf" or rng.random() < 0.3:
        options.update(bagging_freq=1, bagging_fraction=0.7)
    if objective == "binary" and rng.random() < 0.5:
        options["sigmoid"] = float(rng.choice([0.1, 0.7, 2, 3.3]))
    if objective == "multiclass":
        options["num_class"] = int(rng.integers(2, 6))
    if objective in ("huber", "quantile"):
        options["alpha"] = float(rng.uniform(0.1, 0.9))
    if objective == "custom":
        options["boosting"] = "gbdt"
    return options


def random_booster(rng, options, frame):
    score, count, objective, more = signal(rng, frame), len(frame), options["objective"], {}
    target = score
    if objective == "binary":
        target = (score > 0) * 1.0
    elif objective == "cross_entropy":
        target = 1 / (1 + np.exp(-score))
    elif objective in ("poisson", "gamma", "tweedie"):
        target = np.round(np.exp(np.minimum(score, 5))) + 1
    elif objective == "multiclass":
        target = np.minimum((np.argsort(np.argsort(score)) * options["num_class"]) // count, options["num_class"] - 1)
    elif objective in ("lambdarank", "rank_xendcg"):
        target = np.clip(np.round(score + 1), 0, 3)
        more["group"] = [count // 4] * 4
    if objective == "custom":
        options["objective"] = lambda predicted, data: (predicted - data.get_label(), np.ones(count))
    if "code" in frame:
        more["categorical_feature"] = ["code"]
    return lgb.train(options, lgb.Dataset(frame, target, **more), int(rng.integers(1, 40)))


def compare(database, rng, objective, count, figures):
    frame = lightgbm_rows(rng, count)
    options = random_options(rng, objective, frame)
    try:
        booster = random_booster(rng, options, frame)
    except lgb.basic.LightGBMError:  # its own checks fail for some options
        figures["untrained"] += 1
        return
    text, dump = booster.model_to_string(), json.dumps(booster.dump_model())
    stored = frame.copy()
    if "code" in frame:
        stored["code"] = pd.Categorical([None if np.isnan(x) else str(int(x)) for x in frame["code"]])
    database.load(stored)
    database.cursor.execute("DROP TABLE IF EXISTS model")
    try:
        database.cursor.execute("CREATE TABLE model AS SELECT import_model(%s::text) AS m", (text,))
    except psycopg2.Error as error:
        if "takes for missing" in str(error) and options["zero_as_missing"]:
            figures["refused"] += 1
            return
        raise
    classes = objective in ("binary", "multiclass")
    wanted = booster.predict(frame, raw_score=True).reshape(count, -1)
    if options["boosting"] == "rf":
        wanted = wanted / (booster.num_trees() // booster.num_model_per_iteration())
    wanted = wanted * options.get("sigmoid", 1.0)
    compare_predictions(database, booster, objective, frame, figures)
    if rng.random() < 0.3:
        compare_explanations(database, booster, options, frame, figures)
    if rng.random() < 0.2 and not classes and objective != "cross_entropy":
        expression = database.rows("SELECT to_sql(m) FROM model")[0][0]
        differ = database.rows(f"SELECT count(*) FROM (SELECT {expression} AS a, predict(m, s) AS b FROM model, scored s) t WHERE abs(a - b) > 1e-14 * abs(b)")
        figures["sql"] += differ[0][0]
    for name, cast, document in (("text", "text", text), ("json", "text", dump), ("jsonb", "jsonb", dump)):
        database.cursor.execute(f"DROP TABLE IF EXISTS model; CREATE TABLE model AS SELECT import_model(%s::{cast}) AS m", (document,))
        scores = database.scores(classes)
        if scores.shape != wanted.shape:
            raise AssertionError(f"{name}: {scores.shape} scores in place of {wanted.shape}")
        if not np.array_equal(scores, wanted):
            raise AssertionError(f"{name}: {np.sum(scores != wanted)} of {wanted.size} scores differ, by up to {np.max(np.abs(scores - wanted))}; {options}")
        figures["scores"] += wanted.size
    figures["imported"] += 1


def compare_predictions(database, booster, objective, frame, figures):
    """Predictions behind the link, relative to their size."""
    call = {"binary": "ARRAY[probability(m, f)]", "multiclass": "probabilities(m, f)"}.get(objective, "ARRAY[predict(m, f)]")
    found = np.array([row[0] for row in database.rows(f"SELECT {call} FROM model, scored s, LATERAL (SELECT s.*) f ORDER BY s.i")])
    wanted = booster.predict(frame).reshape(found.shape)
    figures["link"] = max(figures["link"], float(np.max(np.abs(found - wanted) / np.maximum(np.abs(wanted), 1e-300))))


def compare_explanations(database, booster, options, frame, figures):
    """Shapley values of the first rows; LightGBM's are those of the sums, before they are divided or stretched."""
    wanted = booster.predict(frame.head(3), pred_contrib=True).reshape(3, -1, len(frame.columns) + 1)
    if wanted.shape[1] != 1:
        return
    scale = options.get("sigmoid", 1.0) / (booster.num_trees() if options["boosting"] == "rf" else 1)
    found = database.rows("SELECT s.i, e.term, e.contribution FROM model, scored s, LATERAL (SELECT s.*) f, explain(m, f) e WHERE s.i < 3")
    place = {name: j for j, name in enumerate(frame)}
    place["(base)"] = len(place)
    sums = np.zeros((3, len(place)))
    for i, term, contribution in found:
        sums[i, place[term if term in place else term.split("=")[0].replace(" IS NULL", "")]] += contribution
    figures["shap"] = max(figures["shap"], float(np.max(np.abs(sums - wanted[:, 0] * scale)) / max(1.0, float(np.max(np.abs(wanted))))))
    figures["explained"] += 1


def compare_refusals(database, rng):
    """What has no equal here is refused by name."""
    frame = pd.DataFrame({"x": rng.normal(size=200), "z": rng.normal(size=200)})
    for options, target, word in (({"objective": "multiclassova", "num_class": 3}, rng.integers(0, 3, 200), "multiclassova"), ({"objective": "cross_entropy_lambda"}, rng.random(200), "cross_entropy_lambda"),
                                  ({"objective": "regression", "reg_sqrt": True}, rng.random(200), "sqrt"), ({"objective": "regression", "linear_tree": True}, frame.x * frame.z, "linear models")):
        booster = lgb.train({**options, "verbosity": -1}, lgb.Dataset(frame, target), 3)
        for document in (booster.model_to_string(), json.dumps(booster.dump_model())):
            try:
                database.rows("SELECT import_model(%s::text) IS NULL", document)
            except psycopg2.Error as error:
                if word in str(error):
                    continue
                raise
            raise AssertionError(f"{options} is not refused")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=int, default=600)
    parser.add_argument("--rows", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    database = Database()
    figures = {"imported": 0, "scores": 0, "refused": 0, "untrained": 0, "explained": 0, "sql": 0, "shap": 0.0, "link": 0.0}
    failed = 0
    compare_refusals(database, np.random.default_rng(arguments.seed))
    for number in range(arguments.models):
        objective = OBJECTIVES[number % len(OBJECTIVES)]
        rng = np.random.default_rng([arguments.seed, number])
        try:
            compare(database, rng, objective, arguments.rows, figures)
        except (AssertionError, psycopg2.Error, lgb.basic.LightGBMError) as error:
            failed += 1
            print(f"model {number}, {objective}: {error}".strip(), flush=True)
            if isinstance(error, psycopg2.Error):
                database.connection.rollback()
    print(f"imported {figures['imported']} boosters from text, JSON and jsonb: {figures['scores']} scores have the same bits; predictions differ by up to "
          f"{figures['link']:.1e} of their size, SQL in {figures['sql']} rows, Shapley values of {figures['explained']} by up to {figures['shap']:.1e}; "
          f"{figures['refused']} were refused because zeros are missing, {figures['untrained']} LightGBM could not train; {failed} failed")
    raise SystemExit(failed > 0 or figures["imported"] == 0 or figures["sql"] > 0 or figures["shap"] > 1e-9 or figures["link"] > 1e-13)


if __name__ == "__main__":
    main()
