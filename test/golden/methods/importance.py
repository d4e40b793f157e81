"""What models make of columns: permutation_importance, partial_dependence and accumulated_effects."""
import json

from methods import Handler, ModelHandler, Unknown, method
from session import identifier, number, quote
from source import Source


@method("column_effects", needs=["permutation_importance", "partial_dependence", "accumulated_effects"])
class ColumnEffects(ModelHandler):
    def __init__(self, case, session, loader):
        super().__init__(case, session, loader)
        table, _ = loader.file_table(case["data"]["file"])
        columns = [identifier(c) for c in self.param("columns")]
        self.query = f"SELECT id, {identifier(self.param('target'))} AS target, {', '.join(columns)} FROM {table} WHERE {' AND '.join(c + ' IS NOT NULL' for c in columns)}"
        self.source = Source(f"({self.query}) AS d", columns, "d", "d.target", None, None)

    def fit(self):
        self.model = self.models.fit(f"pgfit.{self.param('estimator')}(d.target, d, {quote(json.dumps(self.param('fit')))}::jsonb)", self.source.relation, "true")

    def rows(self):
        if "rows" not in self.kept:
            query = self.query + (f" AND id <= {int(self.param('rows'))}" if self.param("rows") else "")
            column = self.param("feature") or "target"
            self.kept["rows"] = self.session.rows(
                f"SELECT e.* FROM {self.model.table}, pgfit.{self.param('function')}(m, {quote(query)}, {quote(column)}, {quote(json.dumps(self.param('options')))}) "
                f"WITH ORDINALITY AS e WHERE {self.model.where} ORDER BY ordinality")
        return self.kept["rows"]

    def numbers(self):
        return [number(row[c]) for row in self.rows() for c in ("estimate", "effect", "importance", "std_error") if c in row]

    def value(self, key):
        rows = self.rows()
        if key not in ("value", "level", "by_value", "estimate", "effect", "feature", "importance", "std_error"):
            raise Unknown(key)
        if key in ("level", "feature"):
            return [row[key] for row in rows]
        if key in ("value", "by_value"):
            rows = rows[:len(self.expected[key])]  # they repeat from class to class
        return [number(row[key]) for row in rows]


class Described(Handler):
    """Columns of a file by name, and the target as target, as text where it is a class."""

    def __init__(self, case, session, loader):
        super().__init__(case, session, loader)
        table, _ = loader.file_table(case["data"]["file"])
        target = identifier(self.param("target")) + ("::text" if self.param("kind") == "class" else "")
        self.rows_sql = f"(SELECT id, id * 389 % 1009 AS place, {target} AS target, {', '.join(identifier(f) for f in self.param('features'))} FROM {table}) AS d"


@method("feature_ranking", needs=["oneway_test", "correlation_test", "normalized_mutual_information"])
class FeatureRanking(Described):
    def value(self, key):
        values = ", ".join(f"({n}, {identifier(f)})" for n, f in enumerate(self.param("features")))
        long = (f"(SELECT n, target, value, ntile(5) OVER (PARTITION BY n ORDER BY value, id) AS fifth FROM {self.rows_sql}, LATERAL (VALUES {values}) AS v(n, value)) AS long")
        test = "oneway_test(value, target, '{\"equal_variance\": true}')" if self.param("kind") == "class" else "correlation_test(value, target)"
        found = {"f": f"(pgfit.{test}).statistic" + ("" if self.param("kind") == "class" else " ^ 2"), "p_value": f"(pgfit.{test}).p_value",
                 "shared": "pgfit.normalized_mutual_information(target, fifth)"}
        if key not in found:
            raise Unknown(key)
        return [number(row["v"]) for row in self.session.rows(f"SELECT {found[key]} AS v FROM {long} GROUP BY n ORDER BY n")]


@method("learning_curve", needs=["linear_regression", "naive_bayes", "rmse", "accuracy", "predict", "classify"])
class LearningCurve(Described):
    def value(self, key):
        formula = quote(" + ".join(identifier(f) for f in self.param("features")))
        said = "classify" if self.param("kind") == "class" else "predict"
        out = []
        for size in self.param("sizes"):
            fitted = f"(SELECT * FROM {self.rows_sql} WHERE place % 4 <> 0 ORDER BY place LIMIT {int(size)}) AS d"
            judged = {"seen": fitted, "unseen": f"(SELECT * FROM {self.rows_sql} WHERE place % 4 = 0) AS d"}[key]
            out.append(number(self.session.value(f"SELECT pgfit.{self.param('metric')}(target, pgfit.{said}(m, d)) AS v "
                                                 f"FROM (SELECT pgfit.{self.param('estimator')}(target, d, {formula}) AS m FROM {fitted}) AS f, {judged}")))
        return out
