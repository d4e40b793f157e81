"""
ONNX documents of scikit-learn models, with the nodes that sklearn-onnx writes, and of trees with every mode of comparison: read back by
import_model, and compared with what onnxruntime makes of the same rows.

usage: onnx_models.py write      writes the documents, rows and scores of one seed to sql/onnx_models.sql; needs onnxruntime, no server
       onnx_models.py check [n]  compares the documents of n seeds, larger ones, on the server of PGHOST: scripts/exchange-check-onnx
"""
import base64
import json
import os
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor, RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC, OneClassSVM
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

HERE = os.path.dirname(os.path.abspath(__file__))
ML = "ai.onnx.ml"
LABELS = ["low", "middle", "high"]


def ml(operator, inputs, outputs, **attributes):
    return helper.make_node(operator, inputs, outputs, domain=ML, **{k: v for k, v in attributes.items() if v is not None})


def document(nodes, inputs, outputs, constants=()):
    graph = helper.make_graph(nodes, "model", inputs, [helper.make_tensor_value_info(n, t, ["N"] if n == "label" else ["N", "K"]) for n, t in outputs], list(constants))
    model = helper.make_model(graph, producer_name="skl2onnx", opset_imports=[helper.make_opsetid("", 15), helper.make_opsetid(ML, 3)])
    model.ir_version = 8
    onnx.checker.check_model(model)
    return model.SerializeToString()


def matrix(columns, kind=TensorProto.FLOAT):
    return [helper.make_tensor_value_info("X", kind, [None, columns])]


def floats(numbers):
    return [float(x) for x in np.ravel(numbers)]


def tree_attributes(trees, leaf, prefix, double=False):
    """Returns the attributes of an ensemble of scikit-learn's trees; leaf(tree number, values) gives pairs of an id and a weight."""
    out = {f"nodes_{k}": [] for k in ("treeids", "nodeids", "featureids", "modes", "values", "truenodeids", "falsenodeids", "missing_value_tracks_true", "hitrates")}
    out.update({f"{prefix}_{k}": [] for k in ("treeids", "nodeids", "ids", "weights")})
    for number, tree in enumerate(trees):
        t = tree.tree_
        for i in range(t.node_count):
            is_leaf = t.children_left[i] < 0
            row = (number, i, 0 if is_leaf else int(t.feature[i]), "LEAF" if is_leaf else "BRANCH_LEQ", 0.0 if is_leaf else float(t.threshold[i]),
                   0 if is_leaf else int(t.children_left[i]), 0 if is_leaf else int(t.children_right[i]), 0, 1.0)
            for key, value in zip([k for k in out if k.startswith("nodes_")], row):
                out[key].append(value)
            for target, weight in leaf(number, t.value[i]) if is_leaf else ():
                for key, value in zip(("treeids", "nodeids", "ids", "weights"), (number, i, target, float(weight))):
                    out[f"{prefix}_{key}"].append(value)
    if double:
        for key in ("nodes_values", f"{prefix}_weights"):
            numbers = out.pop(key)
            out[key + "_as_tensor"] = helper.make_tensor(key, TensorProto.DOUBLE, [len(numbers)], numbers)
        out.pop("nodes_hitrates")
    return out


def classifier(nodes, kind=TensorProto.STRING):
    """Adds what sklearn-onnx puts behind a classifier: a label that is cast, and probabilities."""
    return nodes + [helper.make_node("Cast", ["label_"], ["label"], to=kind), helper.make_node("Identity", ["scores_"], ["probabilities"])]


CLASSES = [("label", TensorProto.STRING), ("probabilities", TensorProto.FLOAT)]
NUMBERS = [("label", TensorProto.INT64), ("probabilities", TensorProto.FLOAT)]
VALUE = [("variable", TensorProto.FLOAT)]


def rows_of(random, size):
    x = random.normal(size=(size, 3)).astype(np.float32).astype(float)
    y = x[:, 0] * 2 - x[:, 1] + 0.5 * x[:, 2] ** 2 + random.normal(size=size) * 0.1
    return x, y, np.array(LABELS)[np.digitize(y, [-0.7, 0.9])], (y > 0).astype(int)


def linear_documents(x, y, labels, pair):
    scaler = StandardScaler().fit(x)
    scale = ml("Scaler", ["X"], ["scaled"], offset=floats(scaler.mean_), scale=floats(1 / scaler.scale_))
    model = LinearRegression().fit(x, y)
    yield "LinearRegressor", document([ml("LinearRegressor", ["X"], ["variable"], coefficients=floats(model.coef_), intercepts=[float(model.intercept_)])], matrix(3), VALUE), x
    model = LinearRegression().fit(scaler.transform(x), y)
    yield "Scaler, LinearRegressor, Reshape", document(
        [scale, ml("LinearRegressor", ["scaled"], ["flat"], coefficients=floats(model.coef_), intercepts=[float(model.intercept_)]),
         helper.make_node("Reshape", ["flat", "shape"], ["variable"])], matrix(3), VALUE, [helper.make_tensor("shape", TensorProto.INT64, [2], [-1, 1])]), x
    model = LogisticRegression().fit(x, pair)
    two = {"coefficients": floats(np.vstack([-model.coef_, model.coef_])), "intercepts": floats([-model.intercept_, model.intercept_]), "multi_class": 1}
    yield "LinearClassifier, two classes", document(classifier([
        ml("LinearClassifier", ["X"], ["label_", "raw"], classlabels_ints=[0, 1], post_transform="LOGISTIC", **two),
        ml("Normalizer", ["raw"], ["scores_"], norm="L1")], TensorProto.INT64), matrix(3), NUMBERS), x
    model = LogisticRegression().fit(scaler.transform(x), labels)
    several = {"coefficients": floats(model.coef_), "intercepts": floats(model.intercept_), "classlabels_strings": [str(c) for c in model.classes_], "multi_class": 1}
    yield "Scaler, LinearClassifier SOFTMAX", document(classifier([scale, ml("LinearClassifier", ["scaled"], ["label_", "scores_"], post_transform="SOFTMAX", **several)]), matrix(3), CLASSES), x
    yield "LinearClassifier LOGISTIC, Normalizer", document(classifier([
        ml("LinearClassifier", ["X"], ["label_", "raw"], post_transform="LOGISTIC", **several), ml("Normalizer", ["raw"], ["scores_"], norm="L1")]), matrix(3), CLASSES), x
    model = LinearSVC(dual=False).fit(x, labels)
    yield "LinearClassifier NONE", document(classifier([ml("LinearClassifier", ["X"], ["label_", "scores_"], coefficients=floats(model.coef_), intercepts=floats(model.intercept_),
                                                           classlabels_strings=[str(c) for c in model.classes_], multi_class=1)]), matrix(3), CLASSES), x


def tree_documents(x, y, labels, pair, trees, seed):
    depth = {"max_depth": 4, "random_state": seed}
    model = DecisionTreeRegressor(**depth).fit(x, y)
    value = lambda t, v: [(0, v[0, 0])]
    yield "a tree", document([ml("TreeEnsembleRegressor", ["X"], ["variable"], n_targets=1, **tree_attributes([model], value, "target"))], matrix(3), VALUE), x
    yield "a tree of doubles", document([ml("TreeEnsembleRegressor", ["X"], ["variable"], n_targets=1, **tree_attributes([model], value, "target", True))],
                                        matrix(3, TensorProto.DOUBLE), VALUE), x + 1e-12
    model = RandomForestRegressor(n_estimators=trees, **depth).fit(x, y)
    yield "a forest", document([ml("TreeEnsembleRegressor", ["X"], ["variable"], n_targets=1, aggregate_function="AVERAGE", **tree_attributes(model.estimators_, value, "target"))], matrix(3), VALUE), x
    model = GradientBoostingRegressor(n_estimators=trees, max_depth=3, random_state=seed).fit(x, y)
    yield "boosted trees", document([ml("TreeEnsembleRegressor", ["X"], ["variable"], n_targets=1, base_values=[float(y.mean())],
                                        **tree_attributes(model.estimators_[:, 0], lambda t, v: [(0, 0.1 * v[0, 0])], "target"))], matrix(3), VALUE), x
    for name, model in (("a tree", DecisionTreeClassifier(**depth).fit(x, labels)), ("a forest", RandomForestClassifier(n_estimators=trees, **depth).fit(x, labels))):
        members = getattr(model, "estimators_", [model])
        shares = lambda t, v: [(k, v[0, k] / v[0].sum() / len(members)) for k in range(3)]
        yield f"{name} of classes", document(classifier([ml("TreeEnsembleClassifier", ["X"], ["label_", "scores_"], classlabels_strings=[str(c) for c in model.classes_], post_transform="NONE",
                                                            **tree_attributes(members, shares, "class"))]), matrix(3), CLASSES), x
    model = RandomForestClassifier(n_estimators=trees, **depth).fit(x, pair)
    yield "a forest of one class's shares", document(classifier([
        ml("TreeEnsembleClassifier", ["X"], ["label_", "scores_"], classlabels_int64s=[0, 1], post_transform="NONE",
           **tree_attributes(model.estimators_, lambda t, v: [(0, v[0, 1] / v[0].sum() / trees)], "class"))], TensorProto.INT64), matrix(3), NUMBERS), x
    model = GradientBoostingClassifier(n_estimators=trees, max_depth=3, random_state=seed).fit(x, pair)
    yield "boosted trees of two classes", document(classifier([
        ml("TreeEnsembleClassifier", ["X"], ["label_", "scores_"], classlabels_int64s=[0, 1], post_transform="LOGISTIC", base_values=[0.25],
           **tree_attributes(model.estimators_[:, 0], lambda t, v: [(0, 0.1 * v[0, 0])], "class"))], TensorProto.INT64), matrix(3), NUMBERS), x
    model = GradientBoostingClassifier(n_estimators=max(2, trees // 3), max_depth=2, random_state=seed).fit(x, labels)
    yield "boosted trees of three classes", document(classifier([
        ml("TreeEnsembleClassifier", ["X"], ["label_", "scores_"], classlabels_strings=[str(c) for c in model.classes_], post_transform="SOFTMAX", base_values=[0.1, -0.2, 0.3],
           **tree_attributes(model.estimators_.ravel(), lambda t, v: [(t % 3, 0.1 * v[0, 0])], "class"))]), matrix(3), CLASSES), x


def modes_document(random):
    """A tree in which every mode of comparison decides, some with missing values on the side of true."""
    out = {f"nodes_{k}": [] for k in ("treeids", "nodeids", "featureids", "modes", "values", "truenodeids", "falsenodeids", "missing_value_tracks_true")}
    leaves = {"target_treeids": [], "target_nodeids": [], "target_ids": [], "target_weights": []}
    number = 0
    for tree, mode in enumerate(("BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ") * 2):
        for i, (m, feature, value, yes, no) in enumerate(((mode, tree % 3, 0.5, 1, 2), (mode, (tree + 1) % 3, 1.5, 3, 4), ("BRANCH_LEQ", tree % 3, 0.7, 3, 5),
                                                             *[("LEAF", 0, 0, 0, 0)] * 3)):
            for key, x in zip(out, (tree, i, feature, m, value, yes, no, int(tree >= 6))):
                out[key].append(x)
            if m == "LEAF":
                number += 1
                for key, x in zip(leaves, (tree, i, 0, float(2 ** (number % 11)) / 1024 * (1 + tree))):
                    leaves[key].append(x)
    node = ml("TreeEnsembleRegressor", ["X"], ["variable"], n_targets=1, **out, **leaves)
    exact = np.float32(0.7)
    values = [0.5, 1.5, float(exact), 0.7, 0.25, 1.0, 1.75, float(np.nextafter(np.float32(0.5), np.float32(0))), np.nan]
    rows = random.choice(values, size=(60, 3))
    return document([node], matrix(3), VALUE), rows


def svm_documents(x, y, labels, pair, seed):
    names = {"rbf": "RBF", "poly": "POLY", "sigmoid": "SIGMOID", "linear": "LINEAR"}
    for kernel in names:
        gamma = 0.3 if kernel != "sigmoid" else 0.05
        parameters = [gamma, 1.0 if kernel in ("poly", "sigmoid") else 0.0, 2.0]
        fit = {"kernel": kernel, "gamma": gamma, "coef0": parameters[1], "degree": 2}
        model = SVR(**fit).fit(x, y)
        yield f"SVMRegressor {kernel}", document([ml("SVMRegressor", ["X"], ["variable"], kernel_type=names[kernel], kernel_params=parameters, n_supports=len(model.support_),
                                                     coefficients=floats(model.dual_coef_), support_vectors=floats(model.support_vectors_), rho=floats(model.intercept_))], matrix(3), VALUE), x
    model = OneClassSVM(gamma=0.3, nu=0.2).fit(x)
    yield "SVMRegressor, one class", document([ml("SVMRegressor", ["X"], ["variable"], kernel_type="RBF", kernel_params=[0.3, 0.0, 3.0], n_supports=len(model.support_), one_class=1,
                                                  coefficients=floats(model.dual_coef_), support_vectors=floats(model.support_vectors_), rho=floats(model.intercept_))], matrix(3), VALUE), x
    for name, target in (("two classes", np.array(LABELS)[pair]), ("three classes", labels)):
        model = SVC(gamma=0.3, decision_function_shape="ovo").fit(x, target)
        # LIBSVM's signs; scikit-learn turns those of two classes around
        sign = -1 if len(model.classes_) == 2 else 1
        yield f"SVMClassifier, {name}", document(classifier([
            ml("SVMClassifier", ["X"], ["label_", "scores_"], kernel_type="RBF", kernel_params=[0.3, 0.0, 3.0], classlabels_strings=[str(c) for c in model.classes_],
               vectors_per_class=[int(n) for n in model.n_support_], coefficients=floats(sign * model.dual_coef_), support_vectors=floats(model.support_vectors_),
               rho=floats(sign * model.intercept_))]), matrix(3), CLASSES), x


def column_documents(random, x, y, labels, seed):
    """Columns of a row: numbers and texts."""
    colors, sizes = np.array(["red", "green", "blue"])[random.integers(0, 3, len(x))], np.array(["s", "m"])[random.integers(0, 2, len(x))]
    rows = [{"a": float(r[0]), "b": float(r[1]), "color": str(c), "size": str(s)} for r, c, s in zip(x, colors, sizes)]
    rows[0]["color"] = "violet"
    inputs = [helper.make_tensor_value_info(n, t, [None, 1]) for n, t in (("a", TensorProto.FLOAT), ("b", TensorProto.FLOAT), ("color", TensorProto.STRING), ("size", TensorProto.STRING))]
    hot = np.column_stack([(x[:, :2] - 0.5) * 2] + [colors == c for c in ("blue", "green", "red")] + [sizes == s for s in ("m", "s")]).astype(float)
    encode = [helper.make_node("Concat", ["a", "b"], ["numbers"], axis=1), ml("Scaler", ["numbers"], ["scaled"], offset=[0.5], scale=[2.0]),
              ml("OneHotEncoder", ["color"], ["color_"], cats_strings=["blue", "green", "red"], zeros=1), helper.make_node("Reshape", ["color_", "three"], ["color_hot"]),
              ml("OneHotEncoder", ["size"], ["size_"], cats_strings=["m", "s"], zeros=1), helper.make_node("Reshape", ["size_", "two"], ["size_hot"]),
              helper.make_node("Concat", ["scaled", "color_hot", "size_hot"], ["all"], axis=1)]
    shapes = [helper.make_tensor("three", TensorProto.INT64, [2], [-1, 3]), helper.make_tensor("two", TensorProto.INT64, [2], [-1, 2])]
    model = LogisticRegression().fit(hot, labels)
    yield "columns, OneHotEncoder, LinearClassifier", document(classifier(encode + [
        ml("LinearClassifier", ["all"], ["label_", "scores_"], post_transform="SOFTMAX", coefficients=floats(model.coef_), intercepts=floats(model.intercept_),
           classlabels_strings=[str(c) for c in model.classes_])]), inputs, CLASSES, shapes), rows
    model = DecisionTreeRegressor(max_depth=4, random_state=seed).fit(hot, y)
    yield "columns, OneHotEncoder, a tree", document(encode + [ml("TreeEnsembleRegressor", ["all"], ["variable"], n_targets=1,
                                                                  **tree_attributes([model], lambda t, v: [(0, v[0, 0])], "target"))], inputs, VALUE, shapes), rows
    yield "columns, OneHotEncoder alone", document(encode[:-1] + [helper.make_node("Concat", ["scaled", "color_hot", "size_hot"], ["variable"], axis=1)], inputs, VALUE, shapes), rows
    codes = np.column_stack([x[:, :2], [{"blue": 0, "green": 1, "red": 2}[c] for c in colors], [{"m": 0, "s": 1}[s] for s in sizes]])
    model = DecisionTreeRegressor(max_depth=5, random_state=seed).fit(codes, y)
    labeled = [ml("LabelEncoder", [n], [n + "_code"], keys_strings=k, values_floats=[float(i) for i in range(len(k))], default_float=-1.0)
               for n, k in (("color", ["blue", "green", "red"]), ("size", ["m", "s"]))]
    yield "columns, LabelEncoder, a tree", document(labeled + [
        ml("FeatureVectorizer", ["a", "b", "color_code", "size_code"], ["all"], inputdimensions=[1, 1, 1, 1]),
        ml("TreeEnsembleRegressor", ["all"], ["variable"], n_targets=1, **tree_attributes([model], lambda t, v: [(0, v[0, 0])], "target"))], inputs, VALUE), rows
    holes = x.copy()
    holes[::3, 1] = np.nan
    yield "Imputer, LinearRegressor", document([ml("Imputer", ["X"], ["whole"], imputed_value_floats=[0.5, 0.25, -1.0], replaced_value_float=float("nan")),
                                                ml("LinearRegressor", ["whole"], ["variable"], coefficients=[1.0, 2.0, -3.0], intercepts=[0.5])], matrix(3), VALUE), holes
    yield "columns chosen", document([ml("ArrayFeatureExtractor", ["X", "chosen"], ["two"]), ml("LinearRegressor", ["two"], ["variable"], coefficients=[1.0, 2.0], intercepts=[0.5])],
                                     matrix(3), VALUE, [helper.make_tensor("chosen", TensorProto.INT64, [2], [2, 0])]), x


def opposite_document(x):
    """Two equations of opposite signs and no intercepts."""
    two = ml("LinearClassifier", ["X"], ["label_", "scores_"], classlabels_strings=LABELS[:2], post_transform="LOGISTIC", coefficients=[-1.5, 0.5, 0.25, 1.5, -0.5, -0.25])
    return document(classifier([two]), matrix(3), CLASSES), x


def documents(seed, size, trees):
    random = np.random.default_rng(seed)
    x, y, labels, pair = rows_of(random, size)
    yield from linear_documents(x, y, labels, pair)
    yield from tree_documents(x, y, labels, pair, trees, seed)
    yield ("every mode", *modes_document(random))
    yield from svm_documents(x, y, labels, pair, seed)
    yield from column_documents(random, x, y, labels, seed)
    yield ("LinearClassifier without intercepts", *opposite_document(x))


def one_tree(nodes, leaves):
    """Returns a tree of nodes (number, mode, feature, yes, no) and leaves (node, weight)."""
    number, mode, feature, yes, no = zip(*nodes)
    return ml("TreeEnsembleRegressor", ["X"], ["variable"], n_targets=1, nodes_treeids=[0] * len(nodes), nodes_nodeids=number, nodes_modes=mode, nodes_featureids=feature,
              nodes_values=[0.5] * len(nodes), nodes_truenodeids=yes, nodes_falsenodeids=no, target_treeids=[0] * len(leaves), target_nodeids=[n for n, _ in leaves],
              target_ids=[0] * len(leaves), target_weights=[float(w) for _, w in leaves])


def refused_documents():
    leaves = [(1, "LEAF", 0, 0, 0), (2, "LEAF", 0, 0, 0)]
    weights = [(1, 1), (2, 2)]
    for name, nodes in (("a child that the tree has not", [(0, "BRANCH_LEQ", 0, 1, 9)]), ("two roots", [(0, "BRANCH_LEQ", 0, 1, 1)]), ("a feature that is not there", [(0, "BRANCH_LEQ", 7, 1, 2)]),
                        ("an unknown mode", [(0, "BRANCH_IN", 0, 1, 2)]), ("a circle", [(0, "BRANCH_LEQ", 0, 1, 3), (3, "BRANCH_LEQ", 0, 2, 4), (4, "BRANCH_LEQ", 0, 3, 2)]),
                        ("nothing but a circle", [(0, "BRANCH_LEQ", 0, 3, 2), (3, "BRANCH_LEQ", 0, 1, 0)]), ("a node twice", [(0, "BRANCH_LEQ", 0, 1, 2), (0, "BRANCH_LEQ", 0, 1, 2)]),
                        ("nodes shared by many", [(n, "BRANCH_LEQ", 0, n + 1 + (n == 0) * 2, n + 1 + (n == 0) * 2) for n in [0] + list(range(3, 40))] + [(40, "LEAF", 0, 0, 0)])):
        yield name, document([one_tree(nodes + (leaves if name != "nodes shared by many" else []), weights if name != "nodes shared by many" else [(40, 1)])], matrix(3), VALUE)
    tree = one_tree([(0, "BRANCH_LEQ", 0, 1, 2)] + leaves, weights)
    for name, changed in (("several targets", {"n_targets": 2}), ("the least of the trees", {"aggregate_function": "MIN"}), ("a weight of another target", {"target_ids": [0, 1]}), ("a probit", {"post_transform": "PROBIT"})):
        node = onnx.NodeProto()
        node.CopyFrom(tree)
        for key, value in changed.items():
            kept = [a for a in node.attribute if a.name != key]
            del node.attribute[:]
            node.attribute.extend(kept + [helper.make_attribute(key, value)])
        yield name, document([node], matrix(3), VALUE)
    svm = ml("SVMClassifier", ["X"], ["label", "variable"], classlabels_ints=[0, 1], coefficients=[1.0] * 8, rho=[0.5], support_vectors=[1.0] * 24, vectors_per_class=[-5, 8])
    yield "a class of fewer than no support vectors", document([svm], matrix(3), VALUE)
    wide = helper.make_tensor("wide", TensorProto.FLOAT, [1] * 65, [1.0])
    yield "a tensor of many dimensions", document([tree], matrix(3), VALUE, [wide])
    linear = {"coefficients": [1.0, 2.0, 3.0], "intercepts": [0.5]}
    yield "a Normalizer of features", document([ml("Normalizer", ["X"], ["unit"], norm="L2"), ml("LinearRegressor", ["unit"], ["variable"], **linear)], matrix(3), VALUE)
    yield "an operator that is not read", document([helper.make_node("Softsign", ["X"], ["soft"]), ml("LinearRegressor", ["soft"], ["variable"], **linear)], matrix(3), VALUE)
    yield "too few coefficients", document([ml("LinearRegressor", ["X"], ["variable"], coefficients=[1.0, 2.0])], matrix(3), VALUE)
    yield "a scale of 0", document([ml("Scaler", ["X"], ["scaled"], offset=[0.0], scale=[0.0]), ml("LinearRegressor", ["scaled"], ["variable"], **linear)], matrix(3), VALUE)
    ids = list(range(20))
    yield "many trees of one class and none of others", document(
        [ml("TreeEnsembleClassifier", ["X"], ["label", "variable"], classlabels_int64s=list(range(400)), post_transform="SOFTMAX", nodes_treeids=ids, nodes_nodeids=[0] * 20,
            nodes_modes=["LEAF"] * 20, nodes_featureids=[0] * 20, nodes_values=[0.0] * 20, nodes_truenodeids=[0] * 20, nodes_falsenodeids=[0] * 20, class_treeids=ids,
            class_nodeids=[0] * 20, class_ids=[1] * 20, class_weights=[0.5] * 20)], matrix(3), VALUE)
    good = document([ml("LinearRegressor", ["X"], ["variable"], **linear)], matrix(3), VALUE)
    yield "an end in the middle", good[:60]
    yield "a length beyond the end", good.replace(b"\x0fLinearRegressor", b"\x7fLinearRegressor")
    yield "a text that is not UTF-8", good.replace(b"variable", b"\xff\xfe\xfdiable")
    yield "no graph", good[:13]


def tensor(rows, port):
    kind = {TensorProto.FLOAT: "float32", TensorProto.DOUBLE: "float64", TensorProto.STRING: "string"}[port.type.tensor_type.elem_type]
    data = [r[port.name] for r in rows] if isinstance(rows[0], dict) else [None if np.isnan(v) else float(v) for r in rows for v in r]
    return {"type": kind, "dims": [len(rows), len(data) // len(rows)], "data": data}


def with_intercepts(content):
    """Adds intercepts of 0 to a LinearClassifier of two classes that has none: ONNX lets them be absent, onnxruntime does not."""
    model = onnx.load_from_string(content)
    for node in model.graph.node:
        if node.op_type == "LinearClassifier" and all(a.name != "intercepts" for a in node.attribute):
            node.attribute.append(helper.make_attribute("intercepts", [0.0, 0.0]))
    return model.SerializeToString()


def run(cases):
    """Returns what onnxruntime makes of the rows of each document."""
    with tempfile.TemporaryDirectory() as folder:
        jobs = []
        for i, (_, content, rows) in enumerate(cases):
            path = os.path.join(folder, f"{i}.onnx")
            with open(path, "wb") as out:
                out.write(with_intercepts(content))
            jobs.append({"model": path, "inputs": {port.name: tensor(rows, port) for port in onnx.load_from_string(content).graph.input}})
        with open(os.path.join(folder, "jobs.json"), "w", encoding="utf-8") as out:
            json.dump(jobs, out)
        results = json.loads(subprocess.run(["node", os.path.join(HERE, "onnx_run.js"), out.name], capture_output=True, text=True, check=True).stdout)
    for (name, _, _), result in zip(cases, results):
        if "error" in result:
            sys.exit(f"{name}: {result['error']}")
    return results


def scores(result, i):
    """Returns the label of row i, or None, and its numbers."""
    numbers = result.get("probabilities") or result["variable"]
    width = numbers["dims"][1] if len(numbers["dims"]) > 1 else 1
    return result["label"]["data"][i] if "label" in result else None, numbers["data"][i * width:(i + 1) * width]


def row_of(row):
    return row if isinstance(row, dict) else [None if np.isnan(v) else float(v) for v in row]


def write():
    cases = list(documents(1, 60, 4))
    with open(os.path.join(HERE, "..", "..", "sql", "onnx_models.sql"), "w", encoding="utf-8") as out:
        with open(os.path.join(HERE, "onnx_models_head.sql"), encoding="utf-8") as head:
            out.write(head.read())
        for (name, content, rows), result in zip(cases, run(cases)):
            kept = range(0, 60, 10) if name != "every mode" else range(0, 60, 4)
            expected = [[row_of(rows[i]), *scores(result, i)] for i in kept]
            quoted = name.replace("'", "''")
            out.write(f"INSERT INTO onnx_documents VALUES ('{quoted}', decode('{base64.b64encode(content).decode()}', 'base64'), '{json.dumps(expected)}');\n")
        out.write("CREATE TABLE refused (name text, document bytea, number int GENERATED ALWAYS AS IDENTITY);\n")
        for name, content in refused_documents():
            out.write(f"INSERT INTO refused VALUES ('{name}', decode('{base64.b64encode(content).decode()}', 'base64'));\n")
        out.write("\\set ECHO all\nSELECT name, try(format('SELECT import_model(%L::bytea, ''onnx'')', document)) AS message FROM refused ORDER BY number;\nSELECT name, model, count, differ FROM onnx_documents, onnx_compared(document, rows) ORDER BY number;\n"
                  "-- a producer of 211 bytes, whose name is cut between letters\nSELECT info(import_model(document || '\\x12d301' || convert_to('a' || repeat('é', 105), 'UTF8')))::text LIKE '%onnx by aéé%' AS read FROM onnx_documents WHERE number = 1;\n")


def check(seeds):
    import psycopg
    worst, count, failed = {}, 0, 0
    with psycopg.connect(autocommit=True) as connection:
        cursor = connection.cursor()
        cursor.execute("SET client_min_messages = error")
        with open(os.path.join(HERE, "onnx_models_head.sql"), encoding="utf-8") as head:
            cursor.execute("".join(line for line in head if not line.startswith("\\")))
        for seed in range(100, 100 + seeds):
            cases = list(documents(seed, 300, 30))
            for (name, content, rows), result in zip(cases, run(cases)):
                expected = json.dumps([[row_of(row), *scores(result, i)] for i, row in enumerate(rows)])
                try:
                    differ, largest = cursor.execute("SELECT differ, largest FROM onnx_compared(%s, %s::jsonb)", (content, expected)).fetchone()
                except psycopg.Error as error:
                    differ, largest = 1, float("inf")
                    print(name, error)
                count += 1
                failed += differ != 0
                before = worst.get(name, (0, 0))
                worst[name] = (max(before[0], largest), before[1] + differ)
    for name, (largest, differ) in worst.items():
        print(f"{name:45} largest difference {largest:.1e}, {differ} rows differ")
    print(f"{count} documents read, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write()
    else:
        check(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
