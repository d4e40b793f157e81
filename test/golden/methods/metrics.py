"""Metrics of numbers, of labels in an order, and of scores, over inline rows and over expressions of the columns of a file."""
import json

from methods import Handler, method
from session import array_literal, quote


class Pairs(Handler):
    """Rows of two columns, y and a prediction."""

    def relation(self):
        if "data" in self.case:
            table, _ = self.loader.file_table(self.case["data"]["file"])
            names = [name for name in ("y", "p", "s", "place", "w") if name in self.params]
            return f"(SELECT id, {', '.join(f'{self.params[name]} AS {name}' for name in names)} FROM {table}) AS r"
        other = "s" if "s" in self.input else "p"
        types = "float8[]" if self.TYPE is float else "int[]", "float8[]" if self.TYPE is float or other == "s" else "int[]"
        return f"unnest({array_literal(self.input['y'])}::{types[0]}, {array_literal(self.input[other])}::{types[1]}) AS r(y, {other})"

    def weight(self):
        return ", w" if "w" in self.params else ""

    def call(self, name, arguments, options=None):
        """Returns a call of a metric that has options."""
        given = f", {quote(json.dumps(options or {}))}" if options or self.weight() else ""
        return f"pgfit.{name}({arguments}{given}{self.weight()})"

    def over(self, expression):
        return self.session.value(f"SELECT {expression} AS v FROM {self.relation()}")


@method("metrics_of_numbers", needs=["mape", "pinball_loss"])
class Numbers(Pairs):
    TYPE = float

    def value(self, key):
        if key.startswith("pinball_"):
            return self.over(f"pgfit.pinball_loss(y, p, {key.removeprefix('pinball_')}{self.weight()})")
        if key == "median_absolute_error":
            return self.over(self.call(key, "y, p"))
        return self.over(f"pgfit.{key}(y, p{self.weight()})")


@method("metrics_of_labels", needs=["weighted_kappa", "f_beta_score"])
class Labels(Pairs):
    TYPE = int

    def relation(self):
        if "labels" not in self.params:
            return super().relation()
        labels = ", ".join(quote(name) if isinstance(name, str) else repr(name) for name in self.params["labels"])
        return f"(SELECT y, (ARRAY[{labels}])[1 + place] AS p{self.weight()} FROM {super().relation()}) AS labelled"

    def value(self, key):
        name, last = key.rsplit("_", 1)
        if name == "weighted_kappa":
            return self.over(self.call("weighted_kappa", "y, p", {"weighting": last}))
        return self.over(self.call("f_beta_score", "y, p", {"beta": float(last), "average": name.removeprefix("f_beta_")}))


@method("metrics_of_scores", needs=["roc_auc_interval", "ks_statistic"])
class Scores(Pairs):
    TYPE = int

    def value(self, key):
        if key in ("average_precision", "brier_score"):
            return self.over(self.call(key, "y, s"))
        if key.startswith("gains_"):
            curve = self.call("gain_curve", "y, s", {"bins": int(key.removeprefix("gains_"))})
            return self.over(f"(SELECT jsonb_agg(jsonb_build_array(threshold, share, gain) ORDER BY bin) FROM unnest({curve}))")
        if key == "ks":
            return self.over(self.call("ks_statistic", "y, s"))
        if key.startswith("auc_to_"):
            return self.over(self.call("roc_auc", "y, s", {"max_fpr": float(key.removeprefix("auc_to_"))}))
        if key.startswith("calibration_error_"):
            return self.over(self.call("expected_calibration_error", "y, s", {"bins": int(key.removeprefix("calibration_error_"))}))
        options = {"level": 0.8} if key.endswith("_80") else None
        return self.over(f"({self.call('roc_auc_interval', 'y, s', options)}).{key.removesuffix('_80')}")


@method("metrics_of_classes", needs=["roc_auc"])
class Classes(Pairs):
    """Areas of several classes, by the queries of the documentation."""

    def value(self, key):
        way, average = key.split("_")
        near = ", ".join(self.params["near"])
        table, _ = self.loader.file_table(self.case["data"]["file"])
        rows = (f"(SELECT y, ARRAY(SELECT v / (near[1] + near[2] + near[3]) FROM unnest(near) AS v) AS p, {quote(json.dumps(self.params['classes']))}::jsonb AS names "
                f"FROM (SELECT {self.params['y']} AS y, ARRAY[{near}] AS near FROM {table}) AS n) AS r, "
                "LATERAL (SELECT ARRAY(SELECT jsonb_array_elements_text(names)) AS classes) AS c, unnest(p, classes) AS u(score, class)")
        if way == "ovr":
            pieces = f"SELECT pgfit.roc_auc(y = class, score) AS auc, count(*) FILTER (WHERE y = class) AS rows FROM {rows} GROUP BY class"
        else:
            pieces = (f"SELECT pgfit.roc_auc(y = class, score) AS auc, count(*) AS rows FROM {rows}, unnest(classes) AS other "
                      "WHERE class <> other AND y IN (class, other) GROUP BY class, other")
        mean = "avg(auc)" if average == "macro" else "sum(auc * rows) / sum(rows)"
        return self.session.value(f'SELECT {mean} AS "{way}" FROM ({pieces}) AS pieces')


@method("metrics_of_bootstrap", needs=["bootstrap_weight"])
class Bootstrap(Pairs):
    def fit(self):
        samples = (f"SELECT pgfit.roc_auc(y, s, '{{}}', pgfit.bootstrap_weight(id, b)) AS auc FROM {self.relation()}, generate_series(1, 2000) AS b GROUP BY b")
        self.result = self.session.value("SELECT jsonb_build_object('std_error', stddev_samp(auc), 'low', percentile_cont(0.025) WITHIN GROUP (ORDER BY auc), "
                                         f"'high', percentile_cont(0.975) WITHIN GROUP (ORDER BY auc)) AS v FROM ({samples}) AS samples")

    def value(self, key):
        return self.result[key]
