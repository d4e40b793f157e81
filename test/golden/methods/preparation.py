"""Scalers, encoders, and pipelines, over rows as jsonb objects."""
import json

from methods import Handler, Unknown, method
from models import Models
from session import array_literal, quote


class Preparation(Handler):
    """One model fitted to objects: input X and test are rows under names."""

    table = "golden_preparation"

    def __init__(self, case, session, loader):
        super().__init__(case, session, loader)
        self.models = Models(session)
        self.model = None
        self.relation = f"{self.table} AS p"

    def objects(self, key):
        return [dict(zip(self.input["names"], row)) for row in self.input[key]]

    def load(self):
        self.session.execute(f"CREATE TEMP TABLE IF NOT EXISTS {self.table} (f jsonb, y float8, w float8)")
        self.session.execute(f"TRUNCATE {self.table}")
        rows = self.objects("X")
        targets = self.input.get("y") or [0.0] * len(rows)
        weights = self.input.get("weights") or [1.0] * len(rows)
        values = ", ".join(f"({quote(json.dumps(f))}::jsonb, {y!r}::float8, {w!r}::float8)"
                           for f, y, w in zip(rows, targets, weights))
        self.session.execute(f"INSERT INTO {self.table} VALUES {values}")

    def call(self, name, params, features, supervised):
        target = "y, " if supervised else ""
        weight = ", w" if "weights" in self.input else ""
        return f"pgfit.{name}({target}{features}, {quote(json.dumps(params))}::jsonb{weight})"

    def fit(self):
        name = self.case["method"]
        self.load()
        self.model = self.models.fit(self.call(name, self.params, "f", name == "target_encoder"), self.relation, "true")

    def is_null(self):
        return self.model.is_null()

    def each(self, expression):
        """Returns the value of an expression of the model and each test row."""
        return [self.model.select(expression.format(f=quote(json.dumps(row)) + "::jsonb")) for row in self.objects("test")]

    def value(self, key):
        if key in ("transform", "predict"):
            scores = self.each(f"pgfit.{key}(m, {{f}})")
            if key == "transform":  # the same by name, and in order
                names = self.value("names")
                rows = self.each("pgfit.transform_row(m, {f})")
                if [[float(row[n]) for n in names] for row in rows] != [[float(v) for v in score] for score in scores]:
                    raise AssertionError("transform_row differs from transform")
            return scores
        if key == "names":
            return self.model.select("pgfit.output_names(m)")
        if key == "inverse":
            return [self.model.select(f"pgfit.inverse_transform(m, {array_literal(v)})")
                    for v in self.each("pgfit.transform(m, {f})")]
        if key == "inverse_row":
            return [self.model.select(f"pgfit.inverse_transform_row(m, {array_literal(v)})")
                    for v in self.each("pgfit.transform(m, {f})")[:len(self.expected[key])]]
        raise Unknown(key)


for name in ("standard_scaler", "minmax_scaler", "robust_scaler", "quantile_bins", "polynomial_features", "one_hot",
             "target_encoder"):
    method(name, needs=[name, "transform", "transform_row", "output_names", "inverse_transform", "inverse_transform_row"])(
        type(name, (Preparation,), {}))


@method("pipeline", needs=["pipeline", "transform_row", "standard_scaler", "predict"])
class Pipeline(Preparation):
    """Steps, each fitted to what those before make of the rows, and the pipeline of all."""

    def fit(self):
        self.load()
        fitted = []
        for name, params in self.params["steps"]:
            features = "f"
            if fitted:
                stages = ", ".join(f"(SELECT m FROM {model.table} WHERE {model.where})" for model in fitted)
                features = f"pgfit.transform_row(pgfit.pipeline({stages}), f)"
            fitted.append(self.models.fit(self.call(name, params, features, name.endswith("_regression")), self.relation, "true"))
        stages = ", ".join(f"(SELECT m FROM {model.table} WHERE {model.where})" for model in fitted)
        self.model = self.models.fit(f"pgfit.pipeline({stages})", "(SELECT 1) AS one", "true")
