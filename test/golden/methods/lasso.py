"""Lasso, elastic net and total least squares: lasso, elastic_net, total_least_squares."""
import math

from methods import Several, method
from methods.linear import Linear


class Penalised(Linear):
    """Penalty lambda (alpha |w| + (1 - alpha) w^2) on the sum of squares."""

    def alpha(self):
        return float(self.param("alpha", 1.0))

    def penalty(self):
        return float(self.param("lambda", 0.0))

    def value(self, key):
        if key == "objective":
            terms = [c["estimate"] for c in self.slopes(self.model)]
            absolute, squared = math.fsum(map(abs, terms)), math.fsum(v * v for v in terms)
            return self.over("sum(({y} - {p})^2)") + self.penalty() * (
                self.alpha() * absolute + (1 - self.alpha()) * squared)
        if key == "nonzero":
            return self.model.fact("nonzero")
        if key == "zero_features":
            return [c["term"] for c in self.slopes(self.model) if c["estimate"] == 0]
        if key == "zero_coefficients":
            return [i + 1 for i, c in enumerate(self.slopes(self.model)) if c["estimate"] == 0]
        if key == "lambda_max":
            path = self.models.fit(
                f"pgfit.lasso_regression({self.source.target}, {self.source.whole}, '{{\"lambda\": \"path\"}}'::jsonb)",
                self.source.relation)
            return path.fact("lambda_max")
        return super().value(key)


@method("lasso", needs=["lasso_regression", "coefficients", "info", "predict"])
class Lasso(Penalised):
    def aggregate(self, target, features, options):
        return f"pgfit.lasso_regression({target}, {features}, {self.penalty()!r}, {options})"


@method("elastic_net", needs=["elastic_net", "coefficients", "info", "predict"])
class ElasticNet(Penalised):
    def aggregate(self, target, features, options):
        return f"pgfit.elastic_net({target}, {features}, {self.penalty()!r}, {self.alpha()!r}, {options})"


@method("total_least_squares", needs=["total_least_squares", "linear_regression", "coefficients", "info", "predict"])
class TotalLeastSquares(Linear):
    def aggregate(self, target, features, options):
        return f"pgfit.total_least_squares({target}, {features}, {options})"

    def value(self, key):
        if key == "orthogonal_rss":
            slopes = [c["estimate"] for c in self.slopes(self.model)]
            by_hand = self.over("sum(({y} - {p})^2)") / (1 + math.fsum(v * v for v in slopes))
            return Several(info=self.model.fact("orthogonal_rss"), rows=by_hand)
        if key == "ols_coef":
            least_squares = self.models.fit(f"pgfit.linear_regression({self.source.target}, {self.source.whole})",
                                            self.source.relation)
            return self.vector("estimate", self.expected[key], least_squares)
        return super().value(key)
