"""Metrics of numbers, of labels in an order, and of scores, over inline rows."""
import json

from methods import Handler, method
from session import array_literal, quote


class Pairs(Handler):
    """Rows of two columns, y and a prediction."""

    def over(self, expression):
        other = "s" if "s" in self.input else "p"
        types = "float8[]" if self.TYPE is float else "int[]", "float8[]" if self.TYPE is float or other == "s" else "int[]"
        relation = f"unnest({array_literal(self.input['y'])}::{types[0]}, {array_literal(self.input[other])}::{types[1]}) AS r(y, {other})"
        return self.session.value(f"SELECT {expression} AS v FROM {relation}")


@method("metrics_of_numbers", needs=["mape", "pinball_loss"])
class Numbers(Pairs):
    TYPE = float

    def value(self, key):
        if key.startswith("pinball_"):
            return self.over(f"pgfit.pinball_loss(y, p, {key.removeprefix('pinball_')})")
        return self.over(f"pgfit.{key}(y, p)")


@method("metrics_of_labels", needs=["weighted_kappa", "f_beta_score"])
class Labels(Pairs):
    TYPE = int

    def value(self, key):
        name, last = key.rsplit("_", 1)
        if name == "weighted_kappa":
            return self.over(f"pgfit.weighted_kappa(y, p, {quote(json.dumps({'weighting': last}))})")
        options = {"beta": float(last), "average": name.removeprefix("f_beta_")}
        return self.over(f"pgfit.f_beta_score(y, p, {quote(json.dumps(options))})")


@method("metrics_of_scores", needs=["roc_auc_interval", "ks_statistic"])
class Scores(Pairs):
    TYPE = int

    def value(self, key):
        if key == "ks":
            return self.over("pgfit.ks_statistic(y, s)")
        if key.startswith("auc_to_"):
            return self.over(f"pgfit.roc_auc(y, s, {quote(json.dumps({'max_fpr': float(key.removeprefix('auc_to_'))}))})")
        if key.startswith("calibration_error_"):
            bins = int(key.removeprefix("calibration_error_"))
            return self.over(f"pgfit.expected_calibration_error(y, s, {quote(json.dumps({'bins': bins}))})")
        if key.endswith("_80"):
            return self.over(f"(pgfit.roc_auc_interval(y, s, '{{\"level\": 0.8}}')).{key.removesuffix('_80')}")
        return self.over(f"(pgfit.roc_auc_interval(y, s)).{key}")
