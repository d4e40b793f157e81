"""What follows a fit: wald_test, linear_combinations, margins, marginal_means and anova."""
import json

from methods import ModelHandler, Unknown, method
from session import identifier, number, quote

TARGETS = {"heavy": "alcohol > 13", "survived": "survived = 1"}
TESTS = "estimate, std_error, statistic, p_value, conf_low, conf_high"


@method("after_fit", needs=["wald_test", "linear_combinations", "margins", "marginal_means"])
class AfterFit(ModelHandler):
    def __init__(self, case, session, loader):
        super().__init__(case, session, loader)
        table, header = loader.file_table(case["data"]["file"])
        target = self.param("target")
        features = [identifier(h) for h in header if h not in ("id", target)]
        self.query = f"SELECT {TARGETS.get(target, identifier(target))} AS target, {', '.join(features)} FROM {table}"

    def fit(self):
        self.model = self.fit_of(self.param("formula"))
        self.combinations = self.param("combinations")

    def fit_of(self, formula):
        given = {"formula": formula, **(self.param("options") or {})}
        for name in ("vcov", "cluster", "family", "link"):
            if self.param(name):
                given[name] = self.param(name)
        if self.param("estimator") == "logistic_regression":
            given["tolerance"] = 1e-15
        self.weight = self.param("weight")
        weight = f", d.{identifier(self.weight)}" if self.weight else ""
        return self.models.fit(f"pgfit.{self.param('estimator')}(d.target, d, {quote(json.dumps(given))}::jsonb{weight})", f"({self.query}) AS d", "true")

    def rows(self, call, columns):
        rows = self.session.rows(f"SELECT {columns} FROM {self.model.table}, pgfit.{call} AS t WHERE {self.model.where}")
        return [number(row[c.strip()]) for row in rows for c in columns.split(",") if row[c.strip()] is not None]

    def value(self, key):
        kind, *rest = key.split(":")
        options = {"weight": self.weight} if self.weight else {}
        if key == "wald":
            return self.rows(f"wald_test(m, {quote(self.combinations)})", "statistic, df, df_2, p_value")
        if key == "combinations":
            return self.rows(f"linear_combinations(m, {quote(self.combinations)})", TESTS)
        if key == "anova":
            larger = self.fit_of(self.param("larger"))
            return self.rows(f"anova(m, (SELECT m FROM {larger.table} WHERE {larger.where}))", "statistic, df, p_value")
        if kind == "margins":
            return self.rows(f"margins(m, {quote(self.query)}, {quote(rest[0])}, {quote(json.dumps(options))})", TESTS)
        if kind not in ("means", "differences", "response"):
            raise Unknown(key)
        options["weights"] = rest[0]
        if kind == "differences":
            options["differences"] = True
        if kind == "response":
            options["type"] = "response"
        short = self.param("vcov") == "CR2"
        columns = TESTS if kind == "differences" else "estimate, std_error" if short else "estimate, std_error, conf_low, conf_high"
        return self.rows(f"marginal_means(m, {quote(self.query)}, {quote(rest[1])}, {quote(json.dumps(options))})", columns)


@method("breusch_pagan", needs=["breusch_pagan_test", "linear_regression"])
class BreuschPagan(AfterFit):
    def fit(self):
        rows = f"({self.query}) AS d"
        of_target = f"pgfit.linear_regression(d.target, d, {quote(self.param('formula'))})"
        self.model = self.models.fit(f"pgfit.linear_regression((d.target - pgfit.predict(f.m, d)) ^ 2, d, {quote(self.param('squares'))})",
                                     f"(SELECT {of_target} AS m FROM {rows}) AS f, {rows}", "true")

    def value(self, key):
        if key != "test":
            raise Unknown(key)
        return self.rows("breusch_pagan_test(m)", "statistic, df, p_value")
