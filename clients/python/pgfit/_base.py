"""What all estimators do: parameters, fits, scores and learned attributes as scikit-learn has them, computed in the database."""

from __future__ import annotations

import copy
import inspect
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, TypeVar

import psycopg
from psycopg import sql

from ._client import Client, DataError, Identifier, Picture, Rows, Upload, default_client, to_json
from ._data import (Column, array_column, as_array, as_matrix, column_names, frame_columns, labels_of, sklearn_class, target_column,
                    unused)

Self = TypeVar("Self", bound="Estimator")

# Attributes and the array of the model that each shows: of all estimators that keep such an array, and of single ones.
_LEARNED = {"coef_": "coef", "intercept_": "intercept"}
_LEARNED_OF: dict[str, dict[str, str]] = {
    "gaussian_mixture": {"means_": "means", "weights_": "weights"},
    "kmeans": {"cluster_centers_": "centroids"},
    "kmedoids": {"cluster_centers_": "medoids"},
    "lda": {"means_": "means", "priors_": "priors", "covariance_": "covariance"},
    "mean_shift": {"cluster_centers_": "centroids"},
    "multivariate_normal": {"location_": "means", "covariance_": "covariance"},
    "naive_bayes": {"theta_": "means", "var_": "variances", "class_prior_": "priors"},
    "nearest_centroid": {"centroids_": "centroids"},
    "pca": {"components_": "components", "mean_": "means"},
    "qda": {"means_": "means", "priors_": "priors"},
}
_POSITIVE = ("gamma_regression", "negative_binomial_regression", "poisson_regression", "tweedie_regression")
# Numbers of info(model).
_LEARNED_NUMBERS = {"n_iter_": "iterations", "inertia_": "inertia"}


class NotFittedError(ValueError, AttributeError):
    """The estimator has no model yet."""


class Estimator:
    """A method of pgfit with its options as parameters; `fit` gives it a model, which is a value (`model_`)."""

    _estimator: ClassVar[str]
    _first: ClassVar[str] = ""  # what the aggregate takes before the features: target, label, id or nothing
    _functions: ClassVar[tuple[str, ...]] = ()
    _one_feature: ClassVar[bool] = False
    connection: Client | None
    model_: str
    _info: dict[str, Any]

    # ---- parameters ----

    def _init(self, values: dict[str, Any]) -> None:
        for name in self._parameters():
            setattr(self, name, Client.of(values[name]) if name == "connection" else values[name])

    @classmethod
    def _parameters(cls) -> dict[str, Any]:
        """Returns the names of the parameters and their defaults."""
        return {name: p.default for name, p in inspect.signature(cls).parameters.items()}

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self._parameters()}

    def set_params(self: Self, **params: Any) -> Self:
        known = self._parameters()
        for name, value in params.items():
            if name not in known:
                raise ValueError(f"Invalid parameter {name!r} for estimator {self}. Valid parameters are: {sorted(known)!r}.")
            setattr(self, name, Client.of(value) if name == "connection" else value)
        return self

    def _changed(self) -> dict[str, Any]:
        """Returns the parameters that are not the defaults."""
        def same(value: Any, default: Any) -> bool:
            return value is default or (type(value) is type(default) and value == default)

        return {name: getattr(self, name) for name, default in self._parameters().items()
                if name != "connection" and getattr(self, name) is not None and not same(getattr(self, name), default)}

    def _options(self) -> dict[str, Any]:
        return {name.rstrip("_"): value for name, value in self._changed().items()}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self._changed().items())})"

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "connection": None}  # a pickle holds no way into the database

    def __copy__(self: Self) -> Self:
        new = object.__new__(type(self))
        new.__dict__.update(self.__dict__)
        return new

    def __deepcopy__(self: Self, memo: dict[int, Any]) -> Self:
        new = object.__new__(type(self))
        new.__dict__.update(copy.deepcopy(self.__dict__, memo))
        return new

    def __sklearn_is_fitted__(self) -> bool:
        return "model_" in self.__dict__

    def _more_tags(self) -> dict[str, Any]:
        return {"requires_y": self._first in ("target", "label"), "requires_positive_y": self._estimator in _POSITIVE, "allow_nan": self._allow_nan,
                "X_types": ["1darray" if self._one_feature else "2darray"], "multioutput_only": self._estimator == "multivariate_regression"}

    @property
    def _allow_nan(self) -> bool:
        """Whether the option "nulls" has a use for NaN, which is uploaded as NULL."""
        return getattr(self, "nulls", None) in ("branch", "impute")

    def _matrix(self, X: Any) -> Any:
        """Returns an array of numbers."""
        if self._one_feature and getattr(X, "ndim", 2) == 1:
            X = X.reshape(-1, 1) if hasattr(X, "reshape") else X.to_frame()
        return as_matrix(X, self._allow_nan)

    def _columns(self, X: Any) -> list[Column]:
        """Returns one column per column of a frame, or one of arrays, called x."""
        if column_names(X) is None:
            return [array_column("x", self._matrix(X))]
        return frame_columns(X, self._allow_nan)

    @property
    def _client(self) -> Client:
        return self.connection or default_client()

    # ---- fitting ----

    def fit(self: Self, X: Any, y: Any = None, sample_weight: Any = None, **options: Any) -> Self:
        """Fits the model in the database.

        X, y: a table's name or a query, and a formula such as "price ~ carat + cut"; or an array or frame, and an
        array, which are uploaded. sample_weight: the name of a column, or an array. options: more options of
        pgfit.fit, such as passes=True, id="key" or prepare=["standard_scaler"].
        """
        for name in [name for name in self.__dict__ if name not in self._parameters()]:
            del self.__dict__[name]
        client = self._client
        if isinstance(X, str):
            if sample_weight is not None:
                options["weight"] = sample_weight
            with client._work(fit=True) as cursor:
                self._fit_source(cursor, X, y, {**self._options(), **options})
        else:
            columns, names = self._training_columns(X, y, sample_weight)
            try:
                with client._work(fit=True) as cursor, client._upload(cursor, columns) as upload:
                    self._fit_upload(cursor, upload, names, options)
            except DataError as error:
                shape = f"n_samples = {len(columns[0].values)}, n_features = {self.__dict__.pop('n_features_in_')}"
                error.args = (f"{error}\n(fitted to {shape})",)
                raise
            if column_names(X) is not None:
                self.feature_names_in_ = as_array(column_names(X) or []).astype(object)
        return self

    def _fit_source(self, cursor: psycopg.Cursor[Any], source: str, formula: str | None, options: dict[str, Any]) -> None:
        cursor.execute("SELECT m::text, pgfit.info(m) FROM pgfit.fit(%s, %s, %s, %s::pgfit.call_options) AS m",
                       (self._estimator, source, formula, to_json(options)), prepare=False)
        row = cursor.fetchone()
        if row is None or row[0] is None:
            raise DataError(f"{self._estimator} could not be fitted to these rows, and on_failure is null")
        self.model_, self._info = row

    def _training_columns(self, X: Any, y: Any, sample_weight: Any) -> tuple[list[Column], dict[str, str]]:
        """Checks and collects what is uploaded for a fit, and the names of target and weight."""
        if column_names(X) is None:
            matrix = self._matrix(X)
            columns, self.n_features_in_ = [array_column("x", matrix)], matrix.shape[1]
        else:
            columns = frame_columns(X, self._allow_nan)
            self.n_features_in_ = len(columns)
        names = [column.name for column in columns]
        extra: dict[str, str] = {}

        def add(role: str, name: str, column: Column) -> None:
            name = unused(name, names)
            names.append(name)
            column.name = extra[role] = name
            columns.append(column)

        if self._first in ("target", "label"):
            if y is None:
                raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
            name = getattr(y, "name", None)
            add("target", name if isinstance(name, str) else "target",
                target_column("target", y, self._first == "label", self._estimator == "multivariate_regression"))
        if sample_weight is not None:
            add("weight", "weight", target_column("weight", sample_weight, False))
        return columns, extra

    def _fit_upload(self, cursor: psycopg.Cursor[Any], upload: Upload, names: dict[str, str], options: dict[str, Any]) -> None:
        options = {**self._options(), **options}
        formula = options.pop("formula", None)
        if "target" in names:
            formula = f"{quoted(names['target'])} ~ {formula or '.'}"
        elif formula is not None:
            formula = f"~ {formula}"
        if "weight" in names:
            options["weight"] = names["weight"]
        if self._first == "id":
            options["id"] = upload.number
        source = upload.query(with_number=self._first == "id").as_string(cursor).replace("%%", "%")
        self._fit_source(cursor, source, formula, options)
        self._after_fit(cursor, upload)

    def _after_fit(self, cursor: psycopg.Cursor[Any], upload: Upload) -> None:
        """Learns what needs the training rows."""

    # ---- scoring ----

    @property
    def _last(self) -> dict[str, Any]:
        """What info says of the model, of a pipeline about its last stage."""
        stages: list[dict[str, Any]] = self._info.get("stages", [self._info])
        return stages[-1]

    def _require_fit(self) -> None:
        if "model_" not in self.__dict__:
            raise sklearn_class("NotFittedError", NotFittedError)(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate arguments before using this estimator.")

    @contextmanager
    def _rows_of(self, X: Any, *more: Column) -> Iterator[tuple[psycopg.Cursor[Any], sql.Composable, sql.Composable]]:
        """Gives a cursor, what stands behind FROM to read the rows as r, and the features of r."""
        self._require_fit()
        client = self._client
        if isinstance(X, str):
            with client._work() as cursor:
                yield cursor, sql.SQL("{} AS r").format(client._from(cursor, X)), sql.SQL("r.*")
            return
        columns = self._columns_to_score(X)
        features = sql.SQL("r.*") if columns[0].type != "float8[]" else sql.SQL("r.{}").format(Identifier(columns[0].name))
        with client._work() as cursor, client._upload(cursor, [*columns, *more]) as upload:
            yield cursor, sql.SQL("({}) AS r").format(upload.query()), features

    def _columns_to_score(self, X: Any) -> list[Column]:
        """Checks features against those of the fit, as scikit-learn does."""
        names, fitted = column_names(X), self.__dict__.get("feature_names_in_")
        me = type(self).__name__
        if "n_features_in_" not in self.__dict__:  # fitted to rows of the database: the server finds columns by name
            if names is None:
                warnings.warn(f"X does not have feature names, so {me} takes its columns by position", UserWarning, stacklevel=5)
            return self._columns(X)
        if names is None or fitted is None:
            if (names is None) != (fitted is None):
                warnings.warn(f"X does not have valid feature names, but {me} was fitted with feature names" if names is None else
                              f"X has feature names, but {me} was fitted without feature names", UserWarning, stacklevel=5)
            matrix = self._matrix(X)
            if matrix.shape[1] != self.n_features_in_:
                raise ValueError(f"X has {matrix.shape[1]} features, but {me} is expecting {self.n_features_in_} features as input.")
            return [array_column("x", matrix)]
        if names != list(fitted):
            lines = ["The feature names should match those that were passed during fit."]
            for title, odd in (("Feature names unseen at fit time:", sorted(set(names) - set(fitted))),
                               ("Feature names seen at fit time, yet now missing:", sorted(set(fitted) - set(names)))):
                if odd:
                    lines += [title, *(f"- {name}" for name in odd)]
            if len(lines) == 1:
                lines.append("Feature names must be in the same order as they were in fit.")
            raise ValueError("\n".join(lines) + "\n")
        return self._columns(X)

    def _score_rows(self, function: str, X: Any) -> list[Any]:
        with self._rows_of(X) as (cursor, source, features):
            query = sql.SQL("SELECT pgfit.{}(%s::pgfit.model, {}) FROM {}").format(Identifier(function), features, source)
            return [value for value, in cursor.execute(query, (self.model_,), prepare=False)]

    # ---- reading the model ----

    def table(self, function: str, *arguments: Any) -> Rows:
        """Returns the rows of a function of the model, such as table("centroids") or table("cut", 3)."""
        self._require_fit()
        marks = sql.SQL("").join(sql.SQL(", %s") for _ in arguments)
        query = sql.SQL("SELECT * FROM pgfit.{}(%s::pgfit.model{})").format(Identifier(function), marks)
        return self._client._rows(query, (self.model_, *arguments))

    def coefficients(self) -> Rows:
        """Returns the coefficients, with standard errors and tests where the method has them."""
        return self.table("coefficients")

    def summary(self) -> str:
        """Returns the summary of the model as text."""
        return str(self.table("summary")[0][0])

    def plot(self, figure: str | None = None, **options: Any) -> Picture:
        """Returns a picture of the model, by default what fits it. Options are those of pgfit.plot, with as_ for "as"."""
        return Picture(self.table("plot", figure, to_json({name.rstrip("_"): value for name, value in options.items()}))[0][0])

    def info(self) -> dict[str, Any]:
        """Returns features, options, rows and statistics of the fit."""
        self._require_fit()
        return copy.deepcopy(self._info)

    @property
    def sql(self) -> str:
        """The score as an SQL expression."""
        return str(self.table("to_sql")[0][0])

    def explain(self, X: Any) -> Rows:
        """Returns what each term adds to the score of each row; rows count from 0."""
        with self._rows_of(X) as (cursor, source, features):
            query = sql.SQL("SELECT (SELECT json_agg(e) FROM pgfit.explain(%s::pgfit.model, {}) AS e) FROM {}").format(features, source)
            parts = cursor.execute(query, (self.model_,), prepare=False).fetchall()
        columns = ("row", "class", "term", "contribution")
        return Rows(columns, [(row, *(part[name] for name in columns[1:])) for row, (of_row,) in enumerate(parts) for part in of_row or ()])

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and "model_" in self.__dict__:
            arrays = self._info.get("implementation", {}).get("arrays", {})
            number = _LEARNED_NUMBERS.get(name, name)
            for place in (self._last, self._last.get("statistics", {})):
                if name in _LEARNED_NUMBERS and number in place:
                    return place[number]
            if name == "explained_variance_ratio_" and "explained_ratio" in self._last.get("statistics", {}):
                return as_array(self._last["statistics"]["explained_ratio"])
            if name == "feature_importances_" and "tree_nodes" in arrays and self._first:
                return as_array([row.importance for row in self.table("importance")])
            array = _LEARNED.get(name) or _LEARNED_OF.get(self._estimator, {}).get(name)
            if array in arrays:
                return self._shaped(name, as_array(self._parameter(array)))
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _parameter(self, array: str | None) -> list[Any]:
        values: list[Any] = self._client._rows("SELECT pgfit.parameter(%s::pgfit.model, %s)", (self.model_, array))[0][0]
        return values

    def _shaped(self, name: str, values: Any) -> Any:
        return values[0] if name == "intercept_" and len(values) == 1 else values


class Unweighted(Estimator):
    """Estimators that take no weights."""

    def fit(self: Self, X: Any, y: Any = None, **options: Any) -> Self:  # type: ignore[override]
        """Fits the model in the database, as Estimator.fit does."""
        return super().fit(X, y, None, **options)


class Target(Estimator):
    """Estimators of numbers."""

    _estimator_type = "regressor"

    def predict(self, X: Any) -> Any:
        """Returns the predictions for an array, a frame, a table or a query."""
        return as_array(self._score_rows("predict", X))

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Returns R squared; of a table or query, y is the name of the target's column unless the model has it."""
        return _judge(self, "r_squared", X, y, sample_weight)


class Targets(Estimator):
    """Estimators of several numbers for each row."""

    def predict(self, X: Any) -> Any:
        """Returns the predictions for an array, a frame, a table or a query, one column per number."""
        return as_array(self._score_rows("transform", X))


class Classifier(Estimator):
    """Estimators of labels."""

    _estimator_type = "classifier"

    @property
    def classes_(self) -> Any:
        if "model_" not in self.__dict__:
            raise AttributeError("classes_")
        return labels_of(self._last["classes"], self._last.get("class_type", "text"))

    def predict(self, X: Any) -> Any:
        """Returns the labels for an array, a frame, a table or a query."""
        return labels_of(self._score_rows("classify", X), self._last.get("class_type", "text"))

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Returns the share of right labels; of a table or query, y is the name of the label's column unless the model has it."""
        return _judge(self, "accuracy", X, y, sample_weight)

    def _shaped(self, name: str, values: Any) -> Any:
        return as_array([values]) if name == "coef_" and not hasattr(values[0], "__len__") else values


class Probabilities(Estimator):
    def predict_proba(self, X: Any) -> Any:
        """Returns one column of probabilities per class."""
        return as_array(self._score_rows("probabilities", X))

    def predict_log_proba(self, X: Any) -> Any:
        """Returns the logarithms of the probabilities."""
        import numpy as np

        return np.log(self.predict_proba(X))


class Decisions(Estimator):
    def decision_function(self, X: Any) -> Any:
        """Returns the scores: of the second of two classes, or one column per class."""
        self._require_fit()
        return as_array(self._score_rows("decision" if len(self._last["classes"]) == 2 else "decisions", X))


class Clusterer(Estimator):
    """Estimators of clusters, which count from 0 as in scikit-learn (in SQL from 1); -1 is noise."""

    _estimator_type = "clusterer"
    labels_: Any

    def _after_fit(self, cursor: psycopg.Cursor[Any], upload: Upload) -> None:
        if "members" in self._functions:
            query = sql.SQL("SELECT m.cluster FROM {} AS u LEFT JOIN pgfit.members(%s::pgfit.model) AS m ON m.id = u.{}::text ORDER BY u.{}").format(
                upload.table, Identifier(upload.number), Identifier(upload.number))
        else:
            query = sql.SQL("SELECT pgfit.cluster(%s::pgfit.model, r.*) FROM ({}) AS r").format(upload.query())
        self.labels_ = _from_zero([value for value, in cursor.execute(query, (self.model_,), prepare=False)])

    def predict(self, X: Any) -> Any:
        """Returns the clusters for an array, a frame, a table or a query."""
        return _from_zero(self._score_rows("cluster", X))

    def fit_predict(self, X: Any, y: Any = None, **options: Any) -> Any:
        """Fits, and returns the clusters of the rows."""
        self.fit(X, y, **options)
        return self.predict(X) if isinstance(X, str) else self.labels_


class Outliers(Estimator):
    """Estimators that tell outliers from the rest."""

    # the sign that makes a decision large inside; the array and place of the threshold
    _sides: ClassVar[dict[str, tuple[int, str | None, int]]] = {
        "isolation_forest": (-1, "score_threshold", 0), "local_outlier_factor": (-1, "search", 1), "one_class_svm": (1, None, 0)}

    def predict(self, X: Any) -> Any:
        """Returns -1 for outliers, 1 for others."""
        return as_array([1 if side == "in" else -1 for side in self._score_rows("classify", X)])

    @property
    def offset_(self) -> float:
        """The score at the border."""
        sign, array, place = self._sides[self._estimator]
        return sign * float(self._parameter(array)[place]) if array else 0.0

    def score_samples(self, X: Any) -> Any:
        """Returns scores, larger inside and smaller outside."""
        return as_array([self._sides[self._estimator][0] * score for score in self._score_rows("decision", X)])

    def decision_function(self, X: Any) -> Any:
        """Returns scores that are negative for outliers."""
        offset = self.offset_
        return as_array([score - offset for score in self.score_samples(X)])

    def fit_predict(self, X: Any, y: Any = None, **options: Any) -> Any:
        """Fits, and returns -1 for outliers, 1 for others."""
        return self.fit(X, y, **options).predict(X)


class Transformer(Estimator):
    def transform(self, X: Any) -> Any:
        """Returns the transformed rows."""
        return as_array(self._score_rows("transform", X))

    def fit_transform(self, X: Any, y: Any = None, **options: Any) -> Any:
        """Fits, and returns the transformed rows."""
        return self.fit(X, y, **options).transform(X)

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Returns the names of the outputs; input_features is ignored, because the model knows the names of its columns."""
        return as_array(self.table("output_names")[0][0])


class Inverse(Estimator):
    def inverse_transform(self, X: Any) -> Any:
        """Returns the rows that an array of transformed rows stands for."""
        self._require_fit()
        client = self._client
        with client._work() as cursor, client._upload(cursor, [array_column("x", as_matrix(X, False))]) as upload:
            query = sql.SQL("SELECT pgfit.inverse_transform(%s::pgfit.model, r.x) FROM ({}) AS r").format(upload.query())
            return as_array([value for value, in cursor.execute(query, (self.model_,), prepare=False)])


class Distances(Estimator):
    def distance(self, X: Any) -> Any:
        """Returns the distance of each row from the model: its center, nearest cluster, neighbor or boundary."""
        return as_array(self._score_rows("distance", X))


class Densities(Estimator):
    def log_density(self, X: Any) -> Any:
        """Returns the logarithm of the density at each row."""
        return as_array(self._score_rows("log_density", X))


def quoted(name: str) -> str:
    """Returns a name as formulas quote it."""
    return '"' + name.replace('"', '""') + '"'


def unquoted(name: str | None) -> str | None:
    """Returns a name that formulas may quote."""
    if name and len(name) > 1 and name[0] == name[-1] and name[0] in '"`':
        return name[1:-1].replace(name[0] * 2, name[0])
    return name


def _from_zero(clusters: Sequence[int | None]) -> Any:
    return as_array([-1 if cluster is None else cluster - 1 for cluster in clusters])


def _judge(model: Estimator, metric: str, X: Any, y: Any, sample_weight: Any) -> float:
    """Returns a metric of the predictions: of columns of a source, or of targets and weights that are uploaded as well."""
    model._require_fit()
    more: list[Column] = []
    if isinstance(X, str):
        names = {"y": y or unquoted(model._info.get("target")), "w": sample_weight}
    else:
        given = {"y": y, "w": sample_weight}
        taken = column_names(X) or []
        names = {key: None if value is None else unused(f"pgfit_{key}", taken) for key, value in given.items()}
        more = [target_column(name, given[key], metric == "accuracy" and key == "y") for key, name in names.items() if name is not None]
    if names["y"] is None:
        raise ValueError("score needs y: an array, or for a table or query the name of the target's column")
    predicted = "pgfit.classify(%s::pgfit.model, {f}, nullif(r.{y}, r.{y}))" if metric == "accuracy" else "pgfit.predict(%s::pgfit.model, {f})"
    target = "r.{y}" if metric == "accuracy" else "r.{y}::float8"
    weight = "" if names["w"] is None else ", r.{w}::float8"
    with model._rows_of(X, *more) as (cursor, source, features):
        query = sql.SQL(f"SELECT pgfit.{metric}({target}, {predicted}{weight}) FROM {{s}}").format(
            s=source, f=features, y=Identifier(names["y"]), w=Identifier(names["w"] or ""))
        (value,), = cursor.execute(query, (model.model_,), prepare=False)
        return float("nan") if value is None else float(value)


def from_model(client: Client, model: str, info: dict[str, Any]) -> Estimator:
    """Returns a fitted estimator of the class of a model, or of the last stage of a pipeline."""
    from . import _estimators

    last = info["stages"][-1] if "stages" in info else info
    name = "".join(part.capitalize() for part in last["estimator"].split("_"))
    if name not in _estimators.__all__:
        raise TypeError(f"there is no class for a model of {last['estimator']}; score it by its name in SQL")
    found = getattr(_estimators, name)
    known = {name.rstrip("_"): name for name in found._parameters() if name != "formula"}
    estimator: Estimator = found(client, **{known[name]: value for name, value in last["options"].items() if name in known})
    estimator.model_, estimator._info = model, info
    return estimator
