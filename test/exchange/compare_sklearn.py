#!/usr/bin/env python3
"""
Trains forests and boosted trees of scikit-learn on random rows, writes them as ONNX documents, imports these, and compares the scores with those
of scikit-learn: they may differ by one unit in the last place of a float. Then exports what came in as Python modules, which must agree with
the server to 12 digits, and boosted trees to XGBoost. scripts/exchange-check starts the server.

scikit-learn has doubles, so documents have tensors of doubles; forests and GradientBoosting round features to floats before they compare, and
so does the document, whose input is of floats.

usage: compare_sklearn.py [--models N] [--seed N] [--rows N]
"""
import argparse
import math
import types
import warnings

import numpy as np
import psycopg2
import xgboost as xgb
from onnx import TensorProto, helper
from sklearn.ensemble import (ExtraTreesClassifier, ExtraTreesRegressor, GradientBoostingClassifier, GradientBoostingRegressor, HistGradientBoostingClassifier,
                              HistGradientBoostingRegressor, RandomForestClassifier, RandomForestRegressor)

from boosters import Database, random_rows, signal
from compare_xgboost import from_document, margins, ulps
from onnx_models import classifier, document, ml

warnings.filterwarnings("ignore")
KINDS = ["hist squared_error", "hist absolute_error", "hist poisson", "hist quantile", "hist two", "hist three", "gradient squared_error", "gradient absolute_error",
         "gradient huber", "gradient quantile", "gradient two", "gradient three", "forest squared_error", "forest absolute_error", "forest two", "forest three",
         "extra squared_error", "extra two", "extra three"]

CODES = 8  # of a category: the document has a comparison for each, which share their children


class Nodes:
    """The attributes of an ensemble of trees."""

    def __init__(self, prefix):
        self.prefix, self.trees = prefix, 0
        self.node = {name: [] for name in ("treeids", "nodeids", "featureids", "modes", "values", "truenodeids", "falsenodeids", "missing_value_tracks_true")}
        self.leaf = {name: [] for name in ("treeids", "nodeids", "ids", "weights")}

    def add(self, number, mode="LEAF", feature=0, value=0.0, yes=0, no=0, missing=False, weights=()):
        for name, x in zip(self.node, (self.trees, number, int(feature), mode, float(value), int(yes), int(no), int(missing))):
            self.node[name].append(x)
        for output, weight in weights:
            for name, x in zip(self.leaf, (self.trees, number, output, float(weight))):
                self.leaf[name].append(x)

    def attributes(self):
        out = {}
        for prefix, lists, double in (("nodes", self.node, "values"), (self.prefix, self.leaf, "weights")):
            for name, x in lists.items():
                if name == double:
                    out[f"{prefix}_{name}_as_tensor"] = helper.make_tensor(name, TensorProto.DOUBLE, [len(x)], x)
                else:
                    out[f"{prefix}_{name}"] = x
        return out


def float_below(threshold):
    """The largest float that is not above a threshold: a float goes left of both or of neither."""
    x = np.float32(threshold)
    return float(x if float(x) <= threshold else np.nextafter(x, np.float32(-np.inf)))


def add_tree(nodes, tree, weights):
    """Adds a tree of a forest or of GradientBoosting; weights(values of a leaf) gives pairs of an output and a number."""
    t = tree.tree_
    for i in range(t.node_count):
        if t.children_left[i] < 0:
            nodes.add(i, weights=weights(t.value[i]))
        else:
            nodes.add(i, "BRANCH_LEQ", t.feature[i], float_below(t.threshold[i]), t.children_left[i], t.children_right[i])
    nodes.trees += 1


def add_predictor(nodes, predictor, output):
    """Adds a tree of HistGradientBoosting. A split on categories is a chain of comparisons with each code that goes left."""
    extra = len(predictor.nodes)
    for i, node in enumerate(predictor.nodes):
        if node["is_leaf"]:
            nodes.add(i, weights=[(output, node["value"])])
        elif not node["is_categorical"]:
            nodes.add(i, "BRANCH_LEQ", node["feature_idx"], node["num_threshold"], node["left"], node["right"], node["missing_go_to_left"])
        else:
            bits = predictor.raw_left_cat_bitsets[node["bitset_idx"]]
            codes = [c for c in range(256) if bits[c // 32] >> (c % 32) & 1] or [-1e9]  # none: only missing values go left
            at = i
            for place, code in enumerate(codes):
                last = place == len(codes) - 1
                nodes.add(at, "BRANCH_EQ", node["feature_idx"], code, node["left"], node["right"] if last else extra, node["missing_go_to_left"])
                at, extra = extra, extra + (not last)
    nodes.trees += 1


def random_model(rng, kind, x, categorical, score):
    """Returns a fitted model, and its target's name of classes or None."""
    family, task = kind.split()
    target = score if task not in ("two", "three", "poisson") else np.round(np.exp(np.minimum(score, 3))) if task == "poisson" else \
        np.where(score > 0, "yes", "no") if task == "two" else np.array(list("uvw"))[np.argsort(np.argsort(score)) * 3 // len(score)]
    classes = task in ("two", "three")
    seed = int(rng.integers(1 << 30))
    if family == "hist":
        options = {"max_iter": int(rng.integers(1, 30)), "max_depth": int(rng.integers(1, 7)), "min_samples_leaf": int(rng.integers(1, 20)), "learning_rate": float(rng.uniform(0.05, 1)),
                   "max_bins": int(rng.integers(16, 256)), "categorical_features": categorical, "random_state": seed}
        model = HistGradientBoostingClassifier(**options) if classes else HistGradientBoostingRegressor(loss=task, **options, **({"quantile": 0.3} if task == "quantile" else {}))
    elif family == "gradient":
        options = {"n_estimators": int(rng.integers(1, 30)), "max_depth": int(rng.integers(1, 5)), "learning_rate": float(rng.uniform(0.05, 1)), "subsample": float(rng.uniform(0.5, 1)),
                   "random_state": seed}
        model = GradientBoostingClassifier(**options) if classes else GradientBoostingRegressor(loss=task, **options)
    else:
        options = {"n_estimators": int(rng.integers(1, 30)), "max_depth": int(rng.integers(1, 10)), "random_state": seed}
        kinds = {"forest": (RandomForestClassifier, RandomForestRegressor), "extra": (ExtraTreesClassifier, ExtraTreesRegressor)}[family]
        model = kinds[0](**options) if classes else kinds[1](criterion=task, **options)
    return model.fit(x, target)


def onnx_of(model, columns):
    """Returns a model as a document."""
    classes = [str(c) for c in getattr(model, "classes_", [])]
    nodes, forest, hist = Nodes("class" if classes else "target"), hasattr(model, "estimators_") and not hasattr(model, "init_"), hasattr(model, "_predictors")
    base = None
    if hist:
        base = floats_of(model._baseline_prediction)
        for trees in model._predictors:
            for output, predictor in enumerate(trees):
                add_predictor(nodes, predictor, output)
    elif forest:
        count = len(model.estimators_)
        for tree in model.estimators_:
            add_tree(nodes, tree, (lambda v: [(k, v[0, k] / v[0].sum() / count) for k in range(len(classes))]) if classes else (lambda v: [(0, v[0, 0])]))
    else:
        raw = model._raw_predict_init(np.zeros((1, columns)))
        base = floats_of(raw)
        for trees in model.estimators_:
            for output, tree in enumerate(trees):
                add_tree(nodes, tree, lambda v, output=output: [(output, model.learning_rate * v[0, 0])])
    if base is not None:  # a tree of one leaf: base_values are floats in this version of the operator
        nodes.add(0, weights=list(enumerate(base)))
        nodes.trees += 1
    inputs = [helper.make_tensor_value_info("X", TensorProto.DOUBLE if hist else TensorProto.FLOAT, [None, columns])]
    if not classes:
        node = ml("TreeEnsembleRegressor", ["X"], ["variable"], n_targets=1, aggregate_function="AVERAGE" if forest else "SUM", **nodes.attributes())
        return document([node], inputs, [("variable", TensorProto.FLOAT)])
    link = "NONE" if forest else "LOGISTIC" if len(classes) == 2 else "SOFTMAX"
    node = ml("TreeEnsembleClassifier", ["X"], ["label_", "scores_"], classlabels_strings=classes, post_transform=link, **nodes.attributes())
    return document(classifier([node]), inputs, [("label", TensorProto.STRING), ("probabilities", TensorProto.FLOAT)])


def floats_of(numbers):
    return [float(x) for x in np.ravel(numbers)]


def original_scores(model, x):
    """Scores before the link, or predictions or shares of a forest, [rows, outputs]."""
    if hasattr(model, "_raw_predict"):
        raw = np.asarray(model._raw_predict(x.astype(np.float32) if hasattr(model, "init_") else x))
        return raw.reshape(len(x), -1)
    return model.predict_proba(x) if hasattr(model, "classes_") else model.predict(x).reshape(-1, 1)


def compare(database, rng, kind, count, figures):
    frame = random_rows(rng, count)
    hist = kind.startswith("hist")
    categorical = np.array([frame[name].dtype.name == "category" for name in frame])
    x = np.column_stack([np.where(frame[name].cat.codes < 0, np.nan, frame[name].cat.codes % CODES) if c else frame[name].astype(float) for name, c in zip(frame, categorical)])
    score = signal(rng, frame)
    if not hist:
        x, categorical = np.nan_to_num(x, nan=-1.0, posinf=3e38, neginf=-3e38), None
    model = random_model(rng, kind, x, categorical if hist and categorical.any() else None, score)
    wanted, content = original_scores(model, x), onnx_of(model, x.shape[1])
    database.cursor.execute("DROP TABLE IF EXISTS model; CREATE TABLE model AS SELECT import_model(%s::bytea) AS m", (psycopg2.Binary(content),))
    database.cursor.execute("DROP TABLE IF EXISTS scored; CREATE TABLE scored (i int, v float8[])")
    database.cursor.executemany("INSERT INTO scored VALUES (%s, %s)", [(i, [None if math.isnan(a) else float(a) for a in row]) for i, row in enumerate(x)])
    classes = hasattr(model, "classes_")
    function = "ARRAY[predict(m, v)]" if not classes else "probabilities(m, v)" if not hasattr(model, "_raw_predict") else "decisions(m, v)"
    scores = np.array([row[0] for row in database.rows(f"SELECT {function} FROM model, scored ORDER BY i")], dtype=float)
    if scores.shape != wanted.shape:
        raise AssertionError(f"{scores.shape} scores in place of {wanted.shape}")
    figures["scores"] += wanted.size
    figures["exact"] += int(np.sum(scores.astype(np.float32) == wanted.astype(np.float32)))
    # a sum of doubles in another order, which may cancel, is rounded where its terms are
    scale = np.abs(np.concatenate([wanted, scores])).max() * 1e-13
    figures["ulps"] = max(figures["ulps"], ulps(np.where(np.abs(scores - wanted) <= scale, wanted, scores), wanted))
    if classes:
        labels = [row[0] for row in database.rows("SELECT classify(m, v) FROM model, scored ORDER BY i")]
        figures["labels"] += int(np.sum(np.array(labels) != model.predict(x)))
    compare_python(database, x, scores, classes, hasattr(model, "_raw_predict"), figures)
    if hasattr(model, "_raw_predict"):
        compare_export(database, x, scores, figures)
    figures["imported"] += 1


def compare_python(database, x, scores, classes, raw, figures):
    module = types.ModuleType("exported")
    exec(database.rows("SELECT export_model(m, 'python') FROM model")[0][0], module.__dict__)
    function = module.predict if not classes else module.decision_function if raw else module.predict_proba
    got = function(x, columns=module.FEATURES if module._NAMED else None)  # one column is a feature called X
    apart = np.abs(got.reshape(scores.shape) - scores) / np.maximum(1, np.abs(scores))
    figures["python"] = max(figures["python"], float(apart.max()))


def compare_export(database, x, scores, figures):
    """Scores in XGBoost: rows where a threshold is no float may take another branch there, as a warning says; those are counted, and leaves that are none."""
    try:
        booster = from_document(database.rows("SELECT export_model(m, 'xgboost') FROM model")[0][0])
    except psycopg2.Error as error:
        if "because its numbers are floats" not in str(error):
            raise
        figures["large"] += 1
        return
    got = booster.predict(xgb.DMatrix(x.astype(np.float32), feature_names=booster.feature_names), output_margin=True).reshape(scores.shape)
    apart = np.abs(got - scores).max(axis=1) / max(1e-30, np.abs(scores).max())
    figures["loaded"] += 1
    figures["rows"] += len(apart)
    figures["branched"] += int(np.sum(apart > 1e-5))
    figures["xgboost"] = max(figures["xgboost"], float(np.where(apart > 1e-5, 0, apart).max()))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=int, default=500)
    parser.add_argument("--rows", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    database, failed = Database(), 0
    figures = dict.fromkeys(("imported", "scores", "exact", "ulps", "labels", "loaded", "rows", "branched", "refused", "large"), 0) | dict.fromkeys(("python", "xgboost"), 0.0)
    for number in range(arguments.models):
        kind = KINDS[number % len(KINDS)]
        rng = np.random.default_rng([arguments.seed, number, 2])
        try:
            compare(database, rng, kind, arguments.rows, figures)
        except (AssertionError, psycopg2.Error) as error:
            if "nodes have several parents" in str(error):  # chains of comparisons with codes, below each other: a tree of them would be too large
                figures["refused"] += 1
                database.connection.rollback()
                continue
            failed += 1
            print(f"model {number}, {kind}: {error}".strip(), flush=True)
    print(f"imported {figures['imported']} models of scikit-learn: {figures['exact']} of {figures['scores']} scores are the same float, the others differ by up to "
          f"{figures['ulps']} units in the last place; {figures['labels']} labels differ; {figures['refused']} have too many categories below each other")
    print(f"as Python modules they differ by {figures['python']:.1e}; {figures['loaded']} boosted ones differ in XGBoost by {figures['xgboost']:.1e} of their largest score, "
          f"but for {figures['branched']} of {figures['rows']} rows, which floats send another way; {figures['large']} have leaves beyond floats")
    raise SystemExit(failed > 0 or figures["ulps"] > 1 or figures["labels"] > 0 or figures["python"] > 1e-12)


if __name__ == "__main__":
    main()
