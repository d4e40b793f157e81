"""cross_validate over folds of a column and in order of time, searches over such folds, and logistic paths over given folds."""
import json

from methods import Handler, Unknown, method
from session import number, quote


@method("cross_validate", needs=["cross_validate"])
class CrossValidate(Handler):
    def fit(self):
        source = self.loader.source(self.case)
        options = {"metrics": sorted(self.expected), "options": self.param("options")}
        column = "fold"
        fold = f"1 + (id - 1) % {self.param('folds')}"
        if self.param("split") == "time":
            options["folds"] = self.param("folds")
            column, fold = "time", "id"
        options[column + "_column"] = column
        weight = f", {self.param('weights')}" if self.param("weights") else ""
        features = ", ".join(f"{expression} AS x{i}" for i, expression in enumerate(source.features))
        rows = self.session.rows(
            f"SELECT s.* FROM (SELECT pgfit.cross_validate({source.target}, given, {quote(self.param('estimator'))}, "
            f"{quote(json.dumps(options))}{weight}) AS v FROM {source.relation}, LATERAL (SELECT {features}, {fold} AS {column}) given) c, "
            "unnest(v) AS s ORDER BY metric, fold")
        self.scores = {}
        for row in rows:
            score = self.scores.setdefault(row["metric"], {"folds": []})
            if row["fold"] is None:
                score["mean"], score["std_error"] = number(row["value"]), number(row["std_error"])
            else:
                score["folds"].append(number(row["value"]))

    def value(self, key):
        if key not in self.scores:
            raise Unknown(key)
        return self.scores[key]


@method("logistic_cv", needs=["logistic_regression", "lambda_path"])
class LogisticPath(Handler):
    def fit(self):
        source = self.loader.source(self.case)
        options = dict(self.param("options"), fold_column="fold", tolerance=1e-13)
        features = ", ".join(f"{expression} AS x{i}" for i, expression in enumerate(source.features))
        self.session.execute("DROP TABLE IF EXISTS golden_path")
        self.session.execute(
            f"CREATE TEMP TABLE golden_path AS SELECT pgfit.logistic_regression({source.target}, given, {quote(json.dumps(options))}::jsonb) AS m "
            f"FROM {source.relation}, LATERAL (SELECT {features}, 1 + (id - 1) % {self.param('folds')} AS fold) given")

    def value(self, key):
        if key == "coefficients":
            return [number(r["estimate"]) for r in self.session.rows("SELECT (pgfit.coefficient_path(m)).* FROM golden_path")]
        if key == "chosen":
            return number(self.session.value("SELECT pgfit.info(m) -> 'statistics' -> 'lambda' AS v FROM golden_path"))
        columns = {"errors": "mean_error", "pooled_errors": "pooled_error", "std_errors": "std_error", "fold_errors": "fold_errors", "lambdas": "lambda"}
        if key not in columns:
            raise Unknown(key)
        rows = self.session.rows(f"SELECT {columns[key]} AS v FROM (SELECT (pgfit.lambda_path(m)).* FROM golden_path) p ORDER BY lambda DESC")
        return [[number(v) for v in r["v"]] if isinstance(r["v"], list) else number(r["v"]) for r in rows]


@method("search", needs=["search"])
class Search(Handler):
    def fit(self):
        source = self.loader.source(self.case)
        features = ", ".join(f"{expression} AS x{i}" for i, expression in enumerate(source.features))
        table = f"SELECT {source.target} AS y, {features}, 1 + (id - 1) % {self.param('folds')} AS fold FROM {source.relation}"
        options = {"fold_column": "fold", "metric": self.param("metric"), "options": self.param("options")}
        grid = [{key: [value] for key, value in candidate.items()} for candidate in self.param("grid")]
        self.rows = self.session.rows(
            f"SELECT * FROM pgfit.search({quote(self.param('estimator'))}, {quote(table)}, 'y ~ .', {quote(json.dumps(grid))}, {quote(json.dumps(options))})")

    def value(self, key):
        if key == "best":
            return self.rows[0]["options"]
        columns = {"values": "value", "folds": "fold_values"}
        if key not in columns:
            raise Unknown(key)
        found = [next(r for r in self.rows if r["options"] == candidate)[columns[key]] for candidate in self.param("grid")]
        return [[number(v) for v in value] if isinstance(value, list) else number(value) for value in found]
