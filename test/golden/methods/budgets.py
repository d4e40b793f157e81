"""Budgets for the penalty of ridge regression, lasso and elastic net: penalty_budget."""
import math

from methods import Several, method
from methods.linear import Linear


@method("penalty_budget", needs=["ridge_regression", "lasso_regression", "elastic_net", "moments", "coefficients", "info", "predict"])
class PenaltyBudget(Linear):
    OPTIONS = ("penalty_budget", "alpha", "penalize_intercept")

    def options(self, **given):
        return super().options(**{k: self.param(k) for k in self.OPTIONS if self.param(k) is not None}, **given)

    def aggregate(self, target, features, options):
        return f"pgfit.{self.param('estimator')}({target}, {features}, {options})"

    def numbers(self):
        rows = self.session.rows(f"SELECT id, pgfit.predict(m, {self.source.whole}) AS v FROM {self.model.table}, {self.source.relation} WHERE {self.model.where}")
        return [c["estimate"] for c in self.model.coefficients()] + [r["v"] for r in rows]

    def penalty(self, model):
        """Returns the penalty of the coefficients, by hand."""
        terms = [c["estimate"] for c in self.slopes(model)]
        if self.param("standardize"):
            rows, _, scatter = self.summary(self.source.features)
            terms = [v * math.sqrt(scatter[i][i] / rows) for i, v in enumerate(terms)]
        if self.param("penalize_intercept"):
            terms.append(model.intercept()["estimate"])
        alpha = {"ridge_regression": 0.0, "lasso_regression": 1.0}.get(self.param("estimator"), self.param("alpha", 0.5))
        return alpha * math.fsum(map(abs, terms)) + (1 - alpha) * math.fsum(v * v for v in terms)

    def from_moments(self):
        if "moments" not in self.kept:
            relation = f"(SELECT pgfit.moments({self.source.target}, {self.source.whole}) AS s FROM {self.source.relation} WHERE train) AS t"
            self.kept["moments"] = self.models.fit(f"pgfit.fit('{self.param('estimator')}', pgfit.merge(s), {self.options()})", relation, "true")
        return self.kept["moments"]

    def value(self, key):
        if key == "lambda":
            return self.model.fact("lambda")
        if key == "nonzero":
            return self.model.fact("nonzero")
        if key == "penalty":
            return Several(info=self.model.fact("penalty"), coefficients=self.penalty(self.model))
        if key == "coef":
            return Several(**{name: [c["estimate"] for c in self.slopes(model)] for name, model in (("rows", self.model), ("moments", self.from_moments()))})
        return super().value(key)
