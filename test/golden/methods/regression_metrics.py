"""Errors of predictions: mse, regression_metrics, bias_variance."""
import re

from methods import Handler, Unknown, method
from session import array_literal


@method("regression_metrics", needs=["mse", "rmse", "mae", "r_squared"])
class RegressionMetrics(Handler):
    def fit(self):
        y, p = (array_literal(self.input[k]) for k in ("y", "yhat"))
        weights = self.param("weights")
        w = array_literal(weights) if weights else None
        self.relation = f"unnest({y}, {p}{', ' + w if w else ''}) AS r(y, p{', w' if w else ''})"
        self.weight = ", w" if w else ""

    def over(self, expression):
        return self.session.value(f"SELECT {expression} AS v FROM {self.relation}")

    def value(self, key):
        if key in ("mse", "rmse", "mae"):
            return self.over(f"pgfit.{key}(y, p{self.weight})")
        if key in ("r2", "r_squared"):
            return self.over(f"pgfit.r_squared(y, p{self.weight})")
        if key in ("sse", "rss"):
            return self.over("pgfit.mse(y, p) * count(*)")
        match = re.fullmatch(r"epsilon_insensitive_(sum|mean)_([\d.]+)", key)
        if match:
            total = "sum" if match.group(1) == "sum" else "avg"
            return self.over(f"{total}(greatest(abs(y - p) - {match.group(2)}, 0))")
        raise Unknown(key)


@method("mse", needs=["mse"])
class MeanSquaredError(Handler):
    """Mean squared errors: of predictions, or of listed errors over n examples, of which the others have error 0."""

    def value(self, key):
        if "squared_errors" not in self.input:
            return self.of_predictions(key)
        errors = self.input["squared_errors"]
        match = re.fullmatch(r"mse_with_n_(\d+)", key)
        if not match and key != "mse":
            raise Unknown(key)
        n = int(match.group(1)) if match else int(self.input.get("n", len(errors)))
        if n < len(errors):
            raise Unknown(key)
        values = array_literal(errors + [0.0] * (n - len(errors)))
        return self.session.value(f"SELECT pgfit.mse(sqrt(e), 0) AS v FROM unnest({values}) e")

    def of_predictions(self, key):
        if key not in ("mse", "value"):
            raise Unknown(key)
        y, p = (array_literal(self.input[k]) for k in ("y", "yhat"))
        return self.session.value(f"SELECT pgfit.mse(y, p) AS v FROM unnest({y}, {p}) AS r(y, p)")


@method("bias_variance", needs=["mse"])
class BiasVariance(Handler):
    """Bias and variance of repeated predictions of one target."""

    def value(self, key):
        y = float(self.input["y"])
        expression = {"mse": f"pgfit.mse({y!r}::float8, p)", "bias2": f"(avg(p) - {y!r})^2",
                      "variance": f"pgfit.mse(p, m)"}.get(key)
        if not expression:
            raise Unknown(key)
        values = array_literal(self.input["predictions"])
        return self.session.value(f"SELECT {expression} AS v FROM (SELECT p, avg(p) OVER () AS m "
                                  f"FROM unnest({values}) p) r")
