"""Fitted models of scikit-learn as values of pgfit.

A value keeps doubles, and scikit-learn computes in doubles, so nothing is rounded on the way. Trees are the exception: scikit-learn
rounds features to floats before it compares them, which the thresholds here make up for. What a value cannot hold exactly is refused.
"""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Sequence
from typing import Any

_INTEGERS = {"i64": "<i8", "i32": "<i4", "u8": "u1"}


class NotExactError(TypeError):
    """A model that pgfit cannot hold with the same scores."""


def sklearn_values(model: Any, features: Sequence[str] | None) -> list[str]:
    """Returns the text of a model, or of each stage of a pipeline. features: names of the columns; None: those that the model has, if any."""
    steps = _steps(model)
    names = features if features is not None else getattr(steps[0], "feature_names_in_", None)
    if names is not None:
        names = [str(name) for name in names]
        if len(names) != steps[0].n_features_in_:
            raise ValueError(f"features has {len(names)} names, but {type(model).__name__} was fitted to {steps[0].n_features_in_} columns")
    for step in steps[:-1]:
        if type(step).__name__ not in ("StandardScaler", "MinMaxScaler", "PCA"):
            _refuse(step, "is no stage of a pipeline that pgfit has")
    values = [_WRITERS[_known(step)](step) for step in steps]
    if len(values) > 1 and "impute" in values[-1].get("flags", []):
        _refuse(model, "takes missing values behind a scaler or projection, where a NULL has no score here", "Fit the trees to the columns themselves.")
    if names is not None:
        values[0]["schema"] = {**values[0].get("schema", {}), "field_names": {"text": names}}
        values[0]["flags"] = ["named", *values[0].get("flags", [])]
    return [json.dumps(value) for value in values]


def _steps(model: Any) -> list[Any]:
    """Returns the fitted stages of a pipeline, pipelines in it included, or the model itself."""
    if type(model).__name__ != "Pipeline":
        return [model]
    steps = [step for _, step in model.steps if step is not None and not isinstance(step, str)]
    if not steps:
        _refuse(model, "has no steps")
    return [inner for step in steps for inner in _steps(step)]


def _refuse(model: Any, why: str, hint: str = "") -> None:
    raise NotExactError(f"{type(model).__name__} {why}" + (f"\n{hint}" if hint else ""))


def _known(model: Any) -> str:
    """Returns the name of a class of scikit-learn itself: one that inherits from it may predict otherwise."""
    name = type(model).__name__
    if not type(model).__module__.startswith("sklearn.") or name not in _WRITERS:
        raise NotExactError(f"{type(model).__module__}.{name} has no equal in pgfit\nThese have: {', '.join(sorted(_WRITERS))}, and Pipeline.")
    sys.modules["sklearn.utils.validation"].check_is_fitted(model)
    return name


# ---- values ----


def _array(values: Any, kind: str = "f64") -> dict[str, Any]:
    """Returns an array of one or two dimensions as the text of a value has it, with all its bits."""
    import numpy as np

    array = np.ascontiguousarray(values, dtype=_INTEGERS.get(kind, "<f8"))
    if array.size == 0:
        return {kind: []}
    return {kind: base64.b64encode(array.tobytes()).decode(), **({"shape": list(array.shape)} if array.ndim == 2 else {})}


def _value(model: Any, estimator: str, arrays: dict[str, Any], *, rows: int = 0, flags: Sequence[str] = (), facts: dict[str, Any] | None = None,
           options: dict[str, Any] | None = None) -> dict[str, Any]:
    schema = _class_schema(model) if hasattr(model, "classes_") else {}
    return {"pgfit": 1, "min_reader": 1, "kind": "model", "estimator": estimator, "fields": model.n_features_in_, "slots": model.n_features_in_,
            "rows": rows, "skipped": 0, "weight": rows, "flags": list(flags), "schema": schema, "options": options or {}, "facts": facts or {},
            "arrays": arrays}


def _class_schema(model: Any) -> dict[str, Any]:
    """Returns the labels of a classifier as a schema has them."""
    labels = list(model.classes_.tolist()) if hasattr(model.classes_, "tolist") else list(model.classes_)
    if any(isinstance(label, list) for label in labels) or getattr(model, "n_outputs_", 1) != 1:
        _refuse(model, "has several targets")
    if len(labels) < 2:
        _refuse(model, "has one class")
    if all(isinstance(label, bool) for label in labels):
        kind, keys, texts = "boolean", [float(label) for label in labels], [str(label).lower() for label in labels]
    elif all(isinstance(label, int) for label in labels):
        if any(abs(label) > 2**53 for label in labels):
            _refuse(model, "has labels beyond 2^53")
        kind, keys, texts = "bigint", [float(label) for label in labels], [str(label) for label in labels]
    elif all(isinstance(label, float) and label == int(label) and abs(label) < 1e15 for label in labels):
        kind, keys, texts = "double precision", labels, [str(int(label)) for label in labels]
    elif all(isinstance(label, str) for label in labels):
        kind, keys, texts = "text", [0.0] * len(labels), labels
    else:
        _refuse(model, f"has labels of type {type(labels[0]).__name__}", "Labels are texts, whole numbers or booleans.")
    positions = sorted(range(len(texts)), key=lambda i: texts[i].encode())
    return {"class_key": keys, "class_sorted": {"i64": positions}, "class_text": {"text": texts}, "class_type": {"text": [kind]}}


def _one_target(model: Any, values: Any) -> Any:
    """Returns coefficients as one row per equation; of a regression there is one."""
    import numpy as np

    values = np.asarray(values, dtype=float)
    if not hasattr(model, "classes_"):
        if values.ndim == 2 and values.shape[0] != 1:
            _refuse(model, f"has {values.shape[0]} targets", "Fit one model per target.")
        return values.reshape(1, -1)
    return np.atleast_2d(values)


# ---- linear models ----


def _equations(model: Any, estimator: str, sign: float = 1, **more: Any) -> dict[str, Any]:
    """Returns a model of linear equations."""
    import numpy as np

    coef = sign * _one_target(model, model.coef_)
    intercept = sign * np.broadcast_to(np.ravel(np.asarray(model.intercept_, dtype=float)), len(coef))
    return _value(model, estimator, {"coef": _array(coef if len(coef) > 1 else coef[0]), "intercept": _array(intercept), **more})


def _regression(estimator: str) -> Any:
    return lambda model: _equations(model, estimator)


def _logistic(model: Any) -> dict[str, Any]:
    two = len(model.classes_) == 2
    several = getattr(model, "multi_class", "auto")
    rests = several == "ovr" or model.solver == "liblinear"
    if two and several == "multinomial":
        _refuse(model, "with multi_class=\"multinomial\" counts the score of two classes twice", "Fit it with multi_class=\"ovr\".")
    return _equations(model, "logistic_regression", link=_array([1 if two or rests else 2], "i64"))


def _discriminant(model: Any) -> dict[str, Any]:
    """Scores of linear discriminant analysis are linear, and its probabilities logistic."""
    return _equations(model, "logistic_regression", link=_array([1 if len(model.classes_) == 2 else 2], "i64"))


def _vectors(model: Any, estimator: str) -> dict[str, Any]:
    """Returns a support vector machine: pairs of classes, of which the later one is positive here."""
    import numpy as np

    classes = len(model.classes_) if hasattr(model, "classes_") else 0
    if callable(model.kernel) or model.kernel == "precomputed":
        _refuse(model, "has a kernel of its own" if callable(model.kernel) else "has a precomputed kernel")
    if classes and model.probability:
        _refuse(model, "with probability=True has probabilities that differ from its scores", "Fit it with probability=False, and calibrate the model in the database.")
    if classes > 2 and not (model.break_ties and model.decision_function_shape == "ovr"):
        _refuse(model, "gives ties of votes to the first class", "Set break_ties=True, with which the scores decide, as in pgfit.")
    if model._sparse:
        _refuse(model, "was fitted to a sparse matrix")
    pairs = {"multiclass": _array([2], "i64")} if classes > 2 else {}
    rule = {"class_rule": _array([1, 1, 0.5])} if classes == 2 else {}  # a score of 0 is the second class, libsvm's vote
    if model.kernel == "linear":
        return _equations(model, estimator, -1 if pairs else 1, **pairs, **rule)
    gamma, degree, coef0 = float(model._gamma), model.degree, float(model.coef0)
    kernel = {"rbf": [10, gamma, 0, 1], "poly": [2, gamma, coef0, degree], "sigmoid": [11, gamma, coef0, 1]}[model.kernel]
    if model.kernel == "poly" and not (degree == int(degree) and 1 <= degree <= 100):
        _refuse(model, f"has a polynomial of degree {degree}", "Degrees are 1 to 100.")
    if gamma <= 0:
        _refuse(model, f"has a gamma of {gamma}")
    dual, intercept = np.asarray(model.dual_coef_, dtype=float), np.asarray(model.intercept_, dtype=float)
    if pairs:
        dual, intercept = -_pairs_of(dual, model.n_support_), -intercept
    arrays = {"rows": _array(model.support_vectors_), "multipliers": _array(dual if len(dual) > 1 else dual[0]), "intercept": _array(intercept),
              "kernel": _array(kernel), **pairs, **rule}
    return _value(model, estimator, arrays, facts={"gamma": gamma, "support_vectors": {"i64": len(model.support_vectors_)}})


def _pairs_of(dual: Any, support: Any) -> Any:
    """Returns one row of multipliers per pair of classes from libsvm's, which has for each vector one number per other class."""
    import numpy as np

    ends = np.cumsum(support)
    spans = [slice(int(end) - int(count), int(end)) for end, count in zip(ends, support)]
    pairs = [(i, j) for i in range(len(spans)) for j in range(i + 1, len(spans))]
    out = np.zeros((len(pairs), dual.shape[1]))
    for p, (i, j) in enumerate(pairs):
        out[p, spans[i]] = dual[j - 1, spans[i]]
        out[p, spans[j]] = dual[i, spans[j]]
    return out


# ---- trees ----


def double_thresholds(thresholds: Any) -> Any:
    """Returns for each threshold the largest double that rounds to a float at or below it."""
    import numpy as np

    exact = np.asarray(thresholds, dtype=float)
    with np.errstate(over="ignore"):
        single = exact.astype(np.float32)
        single = np.where(single.astype(float) > exact, np.nextafter(single, np.float32(-np.inf)), single)
        above = np.minimum(np.nextafter(single, np.float32(np.inf)).astype(float), 2.0**128)
    middle = single.astype(float) + (above - single.astype(float)) / 2
    even = (single.view(np.int32) & 1) == 0  # what is halfway between two floats rounds to the even one
    return np.where(even, middle, np.nextafter(middle, -np.inf))


class _Forest:
    """Trees as the arrays of a value have them: one tree behind the other, each in preorder."""

    def __init__(self) -> None:
        self.sizes: list[int] = []
        self.split: list[Any] = []
        self.threshold: list[Any] = []
        self.leaves: list[Any] = []
        self.covers: list[Any] = []
        self.depth = 0

    def add(self, left: Any, right: Any, slot: Any, threshold: Any, missing_left: Any, leaf: Any, cover: Any) -> None:
        """Adds a tree by the children of its nodes, which are below 1 for a leaf. leaf: one value or one row of weights per node."""
        import numpy as np

        order, waiting = [], [(0, 0)]
        while waiting:
            node, depth = waiting.pop()
            order.append(node)
            self.depth = max(self.depth, depth)
            if left[node] > 0:
                waiting += [(int(right[node]), depth + 1), (int(left[node]), depth + 1)]
        nodes = np.array(order)
        inner = np.asarray(left)[nodes] > 0
        self.sizes.append(len(nodes))
        self.split.append(np.where(inner, 2 * np.asarray(slot, dtype=np.int64)[nodes] + np.asarray(missing_left)[nodes].astype(np.int64), -1))
        self.threshold.append(np.asarray(threshold)[nodes[inner]])
        self.leaves.append(np.asarray(leaf)[nodes[~inner]])
        self.covers.append(np.asarray(cover)[nodes[~inner]])

    def arrays(self, labels: bool) -> dict[str, Any]:
        import numpy as np

        threshold, leaves, cover = np.concatenate(self.threshold), np.concatenate(self.leaves), np.concatenate(self.covers)
        arrays = {"tree_nodes": _array(self.sizes, "i32"), "split": _array(np.concatenate(self.split), "i32")}
        if len(threshold):
            arrays["threshold"] = _array(threshold)
        if not labels:
            return {**arrays, "leaf_value": _array(leaves), "leaf_cover": _array(cover)}
        row, label = np.nonzero(leaves)
        return {**arrays, "leaf_classes": _array(np.bincount(row, minlength=len(leaves)), "i32"), "leaf_class": _array(label, "i32"),
                "leaf_weight": _array(leaves[row, label])}

    def facts(self) -> dict[str, Any]:
        return {"depth": {"i64": self.depth}, "nodes": {"i64": sum(self.sizes)}, "trees": {"i64": len(self.sizes)}}


def _add_tree(forest: _Forest, model: Any, labels: bool, scale: float = 1) -> bool:
    """Adds a tree of scikit-learn. Returns whether it has a side for missing values."""
    import numpy as np

    tree = model.tree_
    if tree.value.shape[1] != 1:
        _refuse(model, f"has {tree.value.shape[1]} targets", "Fit one model per target.")
    nodes = tree.__getstate__()["nodes"]
    sides = "missing_go_to_left" in nodes.dtype.names
    missing = nodes["missing_go_to_left"] if sides else np.zeros(tree.node_count)
    leaf, cover = tree.value[:, 0, :], tree.weighted_n_node_samples
    if labels:
        total = leaf.sum(axis=1)
        if not np.allclose(total, cover):  # shares of classes since 1.3, weights before
            leaf = leaf * (cover / total)[:, None]
        if not (leaf >= 0).all():
            _refuse(model, "has leaves of negative weight")
    else:
        leaf = scale * leaf[:, 0]
    forest.add(tree.children_left, tree.children_right, tree.feature, double_thresholds(tree.threshold), missing, leaf, cover)
    return sides and bool(missing.any())


_BRANCH = ("impute", "null_error")  # together: a missing value has a side of its own


def _tree(labels: bool, estimator: str) -> Any:
    def write(model: Any) -> dict[str, Any]:
        forest = _Forest()
        missing = _add_tree(forest, model, labels)
        facts = {"depth": {"i64": forest.depth}, "leaves": {"i64": (sum(forest.sizes) + 1) // 2}}
        root = model.tree_.value[0, 0, :]
        priors = {"priors": _array(root / root.sum())} if labels else {}
        return _value(model, estimator, {**forest.arrays(labels), **priors}, flags=_BRANCH if missing else (), facts=facts)

    return write


def _trees(labels: bool, estimator: str) -> Any:
    def write(model: Any) -> dict[str, Any]:
        forest = _Forest()
        missing = [_add_tree(forest, tree, labels) for tree in model.estimators_]
        return _value(model, estimator, {**forest.arrays(labels), "seeds": _array([0], "i64")}, flags=_BRANCH if any(missing) else (), facts=forest.facts())

    return write


def _boosted(model: Any, estimator: str, forest: _Forest, baseline: Any, link: int, flags: Sequence[str]) -> dict[str, Any]:
    facts = {"iterations": {"i64": len(forest.sizes) // len(baseline)}, "trees": {"i64": len(forest.sizes)}}
    return _value(model, estimator, {**forest.arrays(False), "baseline": _array(baseline), "link": _array([link], "i64")}, flags=flags, facts=facts)


def _gradient_boosting(estimator: str) -> Any:
    def write(model: Any) -> dict[str, Any]:
        import numpy as np

        if model.loss == "exponential":
            _refuse(model, "has loss \"exponential\", whose probabilities are those of the doubled score", "Fit it with loss=\"log_loss\".")
        if model.init_ != "zero" and not type(model.init_).__name__.startswith("Dummy"):
            _refuse(model, "begins with another model", "Fit it without init.")
        classes = len(model.classes_) if hasattr(model, "classes_") else 0
        baseline = np.ravel(model._raw_predict_init(np.zeros((1, model.n_features_in_), dtype=np.float32)))
        forest = _Forest()
        missing = [_add_tree(forest, tree, False, model.learning_rate) for stage in model.estimators_ for tree in stage]
        return _boosted(model, estimator, forest, baseline, 0 if classes == 0 else 2 if classes == 2 else 3, _BRANCH if any(missing) else ())

    return write


def _histogram_boosting(estimator: str) -> Any:
    def write(model: Any) -> dict[str, Any]:
        import numpy as np

        classes = len(model.classes_) if hasattr(model, "classes_") else 0
        link = 0 if classes == 0 else 2 if classes == 2 else 3
        if not classes and model.loss in ("poisson", "gamma"):
            link = 1
        forest = _Forest()
        for iteration in model._predictors:
            for predictor in iteration:
                nodes = predictor.nodes
                if nodes["is_categorical"].any():
                    _refuse(model, "splits on categorical features", "Encode them, and fit it to numbers.")
                inner = nodes["is_leaf"] == 0
                forest.add(np.where(inner, nodes["left"], -1), np.where(inner, nodes["right"], -1), nodes["feature_idx"], nodes["num_threshold"],
                           nodes["missing_go_to_left"], nodes["value"], nodes["count"].astype(float))
        return _boosted(model, estimator, forest, np.ravel(model._baseline_prediction), link, _BRANCH)

    return write


# ---- the others ----


def _naive_bayes(model: Any) -> dict[str, Any]:
    return _value(model, "naive_bayes", {"means": _array(model.theta_), "variances": _array(model.var_), "priors": _array(model.class_prior_),
                                         "counts": _array(model.class_count_)})


def _quadratic(model: Any) -> dict[str, Any]:
    import numpy as np

    packed = []
    for rotation, scaling in zip(model.rotations_, model.scalings_):
        if len(scaling) < model.n_features_in_ or not scaling.min() > 1e-10 * scaling.max():
            _refuse(model, "has a class whose covariance is singular", "Fit it with reg_param.")
        covariance = (rotation * scaling) @ rotation.T
        packed.append(np.concatenate([covariance[:j + 1, j] for j in range(len(covariance))]))
    return _value(model, "qda", {"means": _array(model.means_), "priors": _array(model.priors_), "counts": _array(np.ones(len(model.classes_))),
                                 "covariances_packed": _array(np.array(packed))})


def _neighbors(estimator: str) -> Any:
    def write(model: Any) -> dict[str, Any]:
        import numpy as np

        power = {"euclidean": 2, "l2": 2, "manhattan": 1, "cityblock": 1, "l1": 1, "minkowski": model.p}.get(model.metric)
        if power not in (1, 2) or model.metric_params:
            _refuse(model, f"has metric {model.metric!r}", "Metrics are euclidean and manhattan.")
        if model.weights not in ("uniform", "distance"):
            _refuse(model, "has weights of its own", "Weights are uniform and distance.")
        if model.weights == "distance" and model._fit_method == "brute":
            _refuse(model, "weighs by distances that brute force rounds", "Fit it with algorithm=\"kd_tree\".")
        if not isinstance(model._fit_X, np.ndarray):
            _refuse(model, "was fitted to a sparse matrix")
        rows = np.asarray(model._fit_X, dtype=float)
        target = np.asarray(model._y)
        if target.ndim == 2 and target.shape[1] != 1:
            _refuse(model, f"has {target.shape[1]} targets", "Fit one model per target.")
        target = {"labels": _array(target.ravel(), "i64")} if hasattr(model, "classes_") else {"targets": _array(target.ravel())}
        search = [model.n_neighbors, 0, 0, int(model.weights == "distance"), 1, 0, 0]
        metric = {"metric": _array([3, 2, 1, 0])} if power == 1 else {}
        return _value(model, estimator, {"exemplars": _array(rows), "search": _array(search), **target, **metric}, rows=len(rows),
                      facts={"index": {"text": "brute"}, "k": {"i64": model.n_neighbors}})

    return write


def _kmeans(model: Any) -> dict[str, Any]:
    import numpy as np

    clusters = len(model.cluster_centers_)
    sizes = np.bincount(model.labels_, minlength=clusters).astype(float)
    return _value(model, "kmeans", {"centroids": _array(model.cluster_centers_), "sizes": _array(sizes), "within": _array(np.zeros(clusters))},
                  facts={"inertia": float(model.inertia_), "iterations": {"i64": int(model.n_iter_)}, "k": {"i64": clusters}})


def _standard_scaler(model: Any) -> dict[str, Any]:
    import numpy as np

    shift = model.mean_ if model.with_mean else np.zeros(model.n_features_in_)
    scale = model.scale_ if model.with_std else np.ones(model.n_features_in_)
    return _value(model, "standard_scaler", {"shift": _array(shift), "scale": _array(scale)})


def _minmax_scaler(model: Any) -> dict[str, Any]:
    import numpy as np

    arrays = {"shift": _array(model.data_min_), "scale": _array(1 / np.asarray(model.scale_)), "range": _array(model.feature_range)}
    return _value(model, "minmax_scaler", {**arrays, "clip": {"bool": [bool(model.clip)]}})


def _pca(model: Any) -> dict[str, Any]:
    import numpy as np

    whitening = {"whitening": _array(1 / np.sqrt(model.explained_variance_))} if model.whiten else {}
    return _value(model, "pca", {"components": _array(model.components_), "means": _array(model.mean_), "variances": _array(model.explained_variance_), **whitening},
                  facts={"total_variance": float(np.sum(model.explained_variance_) + model.noise_variance_ * (model.n_features_in_ - len(model.components_)))})


_WRITERS: dict[str, Any] = {
    "DecisionTreeClassifier": _tree(True, "tree_classifier"),
    "DecisionTreeRegressor": _tree(False, "tree_regression"),
    "ElasticNet": _regression("elastic_net"),
    "ExtraTreeClassifier": _tree(True, "tree_classifier"),
    "ExtraTreeRegressor": _tree(False, "tree_regression"),
    "ExtraTreesClassifier": _trees(True, "extra_trees_classifier"),
    "ExtraTreesRegressor": _trees(False, "extra_trees_regression"),
    "GaussianNB": _naive_bayes,
    "GradientBoostingClassifier": _gradient_boosting("boosted_trees_classifier"),
    "GradientBoostingRegressor": _gradient_boosting("boosted_trees_regression"),
    "HistGradientBoostingClassifier": _histogram_boosting("boosted_trees_classifier"),
    "HistGradientBoostingRegressor": _histogram_boosting("boosted_trees_regression"),
    "KMeans": _kmeans,
    "KNeighborsClassifier": _neighbors("knn_classifier"),
    "KNeighborsRegressor": _neighbors("knn_regression"),
    "Lasso": _regression("lasso_regression"),
    "LinearDiscriminantAnalysis": _discriminant,
    "LinearRegression": _regression("linear_regression"),
    "LinearSVC": lambda model: _equations(model, "svm_classifier"),
    "LinearSVR": lambda model: _equations(model, "svm_regression"),
    "LogisticRegression": _logistic,
    "MinMaxScaler": _minmax_scaler,
    "PCA": _pca,
    "QuadraticDiscriminantAnalysis": _quadratic,
    "RandomForestClassifier": _trees(True, "forest_classifier"),
    "RandomForestRegressor": _trees(False, "forest_regression"),
    "Ridge": _regression("ridge_regression"),
    "SVC": lambda model: _vectors(model, "svm_classifier"),
    "SVR": lambda model: _vectors(model, "svm_regression"),
    "StandardScaler": _standard_scaler,
}
