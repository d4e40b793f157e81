#!/usr/bin/env python3
"""
Writes sql/lightgbm_models.sql: small models that LightGBM trained, as it saves them, some rows, and what LightGBM makes of these: scores before
the link, predictions behind it, and Shapley values of one row. The test scores the rows without LightGBM. Needs numpy, pandas and lightgbm.

usage: lightgbm_models.py
"""
import json
import os
import sys

import lightgbm as lgb
import numpy as np
import pandas as pd

HERE = os.path.dirname(os.path.abspath(__file__))
ROWS = 300
KEPT = range(0, ROWS, 25)


def rows():
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"width": rng.normal(size=ROWS), "count": rng.integers(-2, 4, size=ROWS) * 1.0, "kind": pd.Categorical(rng.choice(["plain", "odd \"one\"", "größer", "x||y"], size=ROWS)),
                          "rank": pd.Categorical(rng.integers(1, 9, size=ROWS) * 10)})
    frame.loc[::6, "width"] = np.nan
    frame.loc[::9, "kind"] = None
    score = frame["width"].fillna(0.7) + 0.6 * frame["count"] + (frame["kind"].cat.codes % 3) * 0.8 - (frame["rank"].cat.codes % 4) * 0.5
    return frame, score


def cases():
    """Pairs of a name and a booster."""
    frame, score = rows()
    classes = np.clip(np.round(score + 1), 0, 2)
    numbers = frame[["width", "count"]]
    codes = numbers.assign(code=frame["rank"].cat.codes * 7)
    grouped = {"group": [100, 100, 100]}
    sign = (score > 0.3) * 1.0

    def train(name, frame, target, iterations=3, more=None, **options):
        options = {"num_leaves": 5, "min_data_in_leaf": 5, "min_data_per_group": 5, "max_cat_to_onehot": 2, "cat_smooth": 1, "learning_rate": 0.4, "verbosity": -1, "num_threads": 1, **options}
        return name, frame, lgb.train(options, lgb.Dataset(frame, target, **(more or {})), iterations)

    yield train("regression", frame, score, objective="regression")
    yield train("regression, numbers about 0", numbers.assign(width=np.where(frame["count"] > 0, 1e-36, frame["width"])), score, objective="regression_l1", use_missing=False)
    yield train("regression of a mean", frame, score, objective="regression", boosting="rf", bagging_freq=1, bagging_fraction=0.5)
    yield train("poisson", frame, np.round(np.exp(score)), objective="poisson")
    yield train("tweedie, dart", numbers, np.round(np.exp(score)), objective="tweedie", boosting="dart", drop_rate=0.5)
    yield train("cross_entropy", numbers, 1 / (1 + np.exp(-score)), objective="cross_entropy", boost_from_average=False)
    yield train("lambdarank", numbers, classes, objective="lambdarank", more=grouped)
    yield train("binary", frame, sign, objective="binary")
    yield train("binary, sigmoid 0.7, mean", frame, sign, objective="binary", sigmoid=0.7, boosting="rf", bagging_freq=1, bagging_fraction=0.5)
    yield train("multiclass", frame, classes, 2, objective="multiclass", num_class=3)
    yield train("codes without texts", codes, score, objective="quantile", alpha=0.7, more={"categorical_feature": ["code"]})
    yield train("zeros missing", numbers, np.where(frame["count"] == 0, 2.0, frame["count"] > 0), 1, objective="regression", num_leaves=2, zero_as_missing=True, feature_fraction=0.5, min_data_in_leaf=60)
    booster = lgb.train({"objective": lambda p, data: (p - data.get_label(), np.ones(ROWS)), "num_leaves": 4, "verbosity": -1, "num_threads": 1}, lgb.Dataset(numbers, score), 3)
    yield "no objective", numbers, booster


def row_of(row):
    return {name: None if pd.isna(x) else x if isinstance(x, str) else str(int(x)) if name in ("rank", "code") else float(x) for name, x in row.items()}


def expected(frame, booster):
    """Of each kept row: the row, its scores, and its predictions."""
    kept = frame.iloc[list(KEPT)]
    raw, predicted = booster.predict(kept, raw_score=True), booster.predict(kept)
    return [[row_of(row), np.atleast_1d(raw[i]).tolist(), np.atleast_1d(predicted[i]).tolist()] for i, (_, row) in enumerate(kept.iterrows())]


def shapley(frame, booster):
    """Of the second kept row: contributions by feature and of the base; None for several scores."""
    parts = booster.predict(frame.iloc[[KEPT[1]]], pred_contrib=True)[0]
    return dict(zip([*frame, "(base)"], parts.tolist())) if len(parts) == len(frame.columns) + 1 else None


def quoted(value):
    return "'" + value.replace("'", "''") + "'"


def write():
    with open(os.path.join(HERE, "..", "..", "sql", "lightgbm_models.sql"), "w", encoding="utf-8") as out:
        with open(os.path.join(HERE, "lightgbm_models_head.sql"), encoding="utf-8") as head:
            begin, end = head.read().split("-- documents\n")
        out.write(begin)
        for name, frame, booster in cases():
            text = booster.model_to_string()
            out.write(f"INSERT INTO lightgbm_documents VALUES ({quoted(name)}, {quoted(text)}, {quoted(json.dumps(booster.dump_model()))}, {quoted(json.dumps(expected(frame, booster)))}, {quoted(json.dumps(shapley(frame, booster)))});\n")
        out.write(end)


if __name__ == "__main__":
    sys.exit(write())
