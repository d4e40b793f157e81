"""Diagnostics of linear_regression, logistic_regression and glm: augment, glance, vif and the condition number."""
import json

from methods import ModelHandler, Unknown, method
from session import identifier, number, quote
from source import Source

TARGETS = {"large": "petal_width > 1.5", "heavy": "alcohol > 13"}
INFLUENCE = ("fitted", "residual", "standardized", "studentized", "deviance_residual", "leverage", "cooks_distance", "dffits")


@method("diagnostics", needs=["augment", "glance", "vif"])
class Diagnostics(ModelHandler):
    def __init__(self, case, session, loader):
        super().__init__(case, session, loader)
        table, header = loader.file_table(case["data"]["file"])
        target = self.param("target")
        features = [identifier(h) for h in header if h not in ("id", target)]
        self.query = f"SELECT id, {TARGETS.get(target, identifier(target))} AS target, {', '.join(features)} FROM {table}"
        self.source = Source(f"({self.query}) AS d", features, "d", "d.target", None, None)

    def fit(self):
        given = {k: self.param(k) for k in ("formula", "family", "link") if self.param(k)}
        if self.param("estimator") == "logistic_regression":
            given["tolerance"] = 1e-15
        weight = f", d.{identifier(self.param('weight'))}" if self.param("weight") else ""
        self.model = self.models.fit(f"pgfit.{self.param('estimator')}(d.target, d, {quote(json.dumps(given))}::jsonb{weight})", self.source.relation, "true")

    def rows(self):
        if "rows" not in self.kept:
            options = {"target": "target", **({"weight": self.param("weight")} if self.param("weight") else {})}
            ids = ", ".join(str(int(i)) for i in self.expected["ids"])
            self.kept["rows"] = self.session.rows(
                f"SELECT (data ->> 'id')::int AS ids, a.* FROM {self.model.table}, pgfit.augment(m, {quote(self.query)}, {quote(json.dumps(options))}) AS a "
                f"WHERE {self.model.where} AND (data ->> 'id')::int IN ({ids}) ORDER BY 1")
        return self.kept["rows"]

    def table(self, name, columns):
        if name not in self.kept:
            self.kept[name] = self.session.rows(f"SELECT {columns} FROM {self.model.table}, pgfit.{name}(m) AS t WHERE {self.model.where}")
        return self.kept[name]

    def numbers(self):
        return [number(row[c]) for row in self.rows() for c in INFLUENCE if row[c] is not None]

    def value(self, key):
        if key == "ids" or key in INFLUENCE:
            return [number(row[key]) for row in self.rows()]
        if key.startswith("vif"):
            return [number(row[key]) for row in self.table("vif", "vif, df AS vif_df, scaled AS vif_scaled")]
        if key == "condition_number":
            return self.model.fact(key)
        one = self.table("glance", "t.*")[0]
        if key not in one:
            raise Unknown(key)
        return number(one[key])
