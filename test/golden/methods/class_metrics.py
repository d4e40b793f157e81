"""Losses, ROC areas and operating points of scores, and calibrations."""
import json
import math

from methods import Handler, Several, Unknown, method
from models import Models
from session import array_literal, quote


class Scores(Handler):
    """Cases with inline scores, and labels 0 and 1 (or -1 and 1)."""

    def __init__(self, case, session, loader):
        super().__init__(case, session, loader)
        labels, scores = self.input.get("y", []), self.input.get("score", self.input.get("distance", []))
        self.relation = f"unnest({array_literal(labels)}::int[], {array_literal(scores)}) WITH ORDINALITY AS r(y, s, id)"

    def over(self, expression):
        return self.session.value(f"SELECT {expression} AS v FROM {self.relation}")


@method("losses", needs=["loss"])
class Losses(Handler):
    def value(self, key):
        loss = {"value": "epsilon_insensitive", "logistic_base2": "logistic"}.get(key, key)
        given = ", ".join(f"{float(self.input[k])!r}::float8" for k in ("y", "f"))
        epsilon = f", {self.input['epsilon']!r}::float8" if "epsilon" in self.input else ""
        value = self.session.value(f"SELECT pgfit_textbook.loss({given}, {quote(loss)}{epsilon}) AS v")
        return value / math.log(2) if key == "logistic_base2" else value


@method("auc", needs=["roc_auc"])
class Area(Scores):
    def is_null(self):
        return self.value("auc") is None

    def value(self, key):
        if key != "auc":
            raise Unknown(key)
        return self.over("pgfit.roc_auc(y, s)")


@method("operating_point", needs=["operating_point"])
class OperatingPoint(Scores):
    def value(self, key):
        costs = {k: self.input[f"cost_{k}"] for k in ("false_positive", "false_negative")}
        if key == "iso_cost_slope_in_coverage_plot":
            return costs["false_positive"] / costs["false_negative"]
        point = self.over(f"to_jsonb(pgfit.operating_point(y, s, {quote(json.dumps({'cost': costs}))}))")
        if key == "minimal_cost":
            return point["cost"]
        if key == "optimal_fp_tp":  # any of the best points
            found = [point["false_positives"], point["true_positives"]]
            return [p if p != found else found for p in self.expected[key]] if found in self.expected[key] else [found]
        raise Unknown(key)


@method("ranking_tree", needs=["roc_auc", "roc_curve"])
class RankingTree(Handler):
    """Leaves of a tree, scored by their share of positive rows."""

    def __init__(self, case, session, loader):
        super().__init__(case, session, loader)
        leaves = self.input["leaves"]
        rows = ", ".join(f"({quote(leaf['name'])}, {label}, {leaf[count]}::float8, {leaf['pos'] / (leaf['pos'] + leaf['neg'])!r}::float8)"
                         for leaf in leaves for label, count in (("true", "pos"), ("false", "neg")))
        self.relation = f"(VALUES {rows}) AS r(leaf, y, w, s)"
        self.points = session.rows(f"SELECT p.* FROM unnest((SELECT pgfit.roc_curve(y, s, NULL, w) FROM {self.relation})) p")

    def value(self, key):
        steps = list(zip(self.points, self.points[1:]))
        if key == "order":
            return [r["leaf"] for r in self.session.rows(f"SELECT leaf, s FROM {self.relation} GROUP BY leaf, s ORDER BY s DESC")]
        if key == "probability":
            return [b["threshold"] for _, b in steps]
        if key in ("odds_slope", "roc_slope"):
            x, y = ("false_positives", "true_positives") if key == "odds_slope" else ("fpr", "tpr")
            return [(b[y] - a[y]) / (b[x] - a[x]) for a, b in steps]
        if key == "coverage_points_neg_pos":
            return [[p["false_positives"], p["true_positives"]] for p in self.points]
        if key == "auc":
            return self.session.value(f"SELECT pgfit.roc_auc(y, s, NULL, w) AS v FROM {self.relation}")
        raise Unknown(key)


@method("logistic_calibration_function", needs=["logistic_calibration"])
class LogisticFunction(Handler):
    """A calibration fitted to four scores that have these means and this variance."""

    def value(self, key):
        given = self.input
        deviation = math.sqrt(given.get("sigma2", 1))
        plus = given.get("mean_pos", given.get("d0", 0) + given.get("gamma", 0) / 2)
        minus = given.get("mean_neg", given.get("d0", 0) - given.get("gamma", 0) / 2)
        scores = [plus - deviation, plus + deviation, minus - deviation, minus + deviation]
        options = quote(json.dumps({"class_ratio": given.get("class_ratio", 1)}))
        model = Models(self.session).fit(f"pgfit.logistic_calibration(y, s, {options})",
                                         f"unnest('{{1,1,0,0}}'::int[], {array_literal(scores)}) AS r(y, s)", "true")
        if key in ("gamma", "d0"):
            return model.fact(key)
        points = given["d"] if isinstance(given["d"], list) else [given["d"]]
        p = [model.select(f"pgfit.probability(m, {d!r}::float8)") for d in points]
        if key == "p":
            return p if isinstance(given["d"], list) else p[0]
        if key == "lr":  # the odds if both classes are equally frequent
            return p[0] / (1 - p[0]) / given.get("class_ratio", 1)
        raise Unknown(key)


def blocks_of(model, relation, where="true"):
    """The blocks of an isotonic calibration, with the rows that fall in each."""
    numbers = model.parameter("map")[2:]
    blocks = [dict(zip(("lo", "hi", "value"), numbers[i:i + 3])) for i in range(0, len(numbers), 3)]
    for b in blocks:
        row = model.session.rows(f"SELECT count(*) AS n, count(*) FILTER (WHERE positive) AS pos FROM {relation} "
                                 f"WHERE {where} AND s BETWEEN {b['lo']!r}::float8 AND {b['hi']!r}::float8")[0]
        b.update(row)
    return blocks


@method("isotonic_calibration", needs=["isotonic_calibration", "roc_curve"])
class Isotonic(Scores):
    def fit(self):
        self.models = Models(self.session)
        self.model = self.models.fit("pgfit.isotonic_calibration(y, s)", self.relation, "true")

    def is_null(self):
        return self.model.is_null()

    def numbers(self):
        return self.model.parameter("map")

    def hull(self, points):
        return [[p["false_positives"], p["true_positives"]] for p in self.session.rows(
            f"SELECT p.* FROM unnest((SELECT pgfit.roc_curve(y, s, {quote(json.dumps({'points': points}))}) FROM {self.relation})) p")]

    def value(self, key):
        blocks = blocks_of(self.model, f"(SELECT s, y > 0 AS positive FROM {self.relation}) q")
        if key == "blocks":
            return blocks if isinstance(self.expected[key], list) else len(blocks)
        if key == "value":
            return blocks[0]["value"]
        if key == "calibrated":
            return [r["v"] for r in self.session.rows(
                f"SELECT pgfit.probability(m, s) AS v FROM {self.model.table}, {self.relation} WHERE {self.model.where} ORDER BY id")]
        if key == "auc":
            return self.over("pgfit.roc_auc(y, s)")
        if key == "roc_fp_tp":
            return self.hull("all")
        hull = self.hull("hull")
        if key == "hull_fp_tp":
            return hull
        segments = [{"neg": b[0] - a[0], "pos": b[1] - a[1]} for a, b in zip(hull, hull[1:])]
        if key == "hull_segments_best_first":
            return Several(hull=[dict(s, p=s["pos"] / (s["pos"] + s["neg"])) for s in segments],
                           blocks=[{"neg": b["n"] - b["pos"], "pos": b["pos"], "p": b["value"]} for b in reversed(blocks)])
        if key == "auc_convex_hull":
            return self.over("pgfit.roc_auc(y, pgfit.probability((SELECT m FROM golden_model), s))")
        raise Unknown(key)


class Distances(Handler):
    """The basic linear classifier, its signed distances and their calibration."""

    positive = None

    def __init__(self, case, session, loader):
        if "X" in (case.get("input") or {}):
            case = dict(case, input=dict(case["input"], labels=case["input"]["y"]))
        super().__init__(case, session, loader)
        self.source = loader.source(self.case)
        self.models = Models(session)
        self.positive = self.param("positive", "1")
        self.label = f"({self.source.target})::text = {quote(self.positive)}"

    def fit(self):
        self.classifier = self.models.fit(f"pgfit.nearest_centroid({self.label}, {self.source.whole})", self.source.relation)
        numbers = self.classifier.parameter("centroids")
        half = len(numbers) // 2
        self.minus, self.plus = numbers[:half], numbers[half:]
        self.w = [a - b for a, b in zip(self.plus, self.minus)]
        self.norm = math.sqrt(math.fsum(v * v for v in self.w))
        self.session.execute("DROP TABLE IF EXISTS golden_distance")
        self.session.execute(
            f"CREATE TEMP TABLE golden_distance AS SELECT id, train, test, {self.label} AS positive, "
            f"pgfit.decision(m, {self.source.whole}) / {self.norm!r}::float8 AS s, pgfit.classify(m, {self.source.whole}) AS class "
            f"FROM {self.classifier.table}, {self.source.relation} WHERE {self.classifier.where}")
        self.fits = {}

    def calibration(self, call):
        if call not in self.fits:
            self.fits[call] = self.models.fit(call, "golden_distance")
        return self.fits[call]

    def numbers(self):
        return self.w

    def logistic(self, **options):
        return self.calibration(f"pgfit.logistic_calibration(positive, s, {quote(json.dumps(options))})")

    def at_rows(self, expression, where="train", model=None):
        table = f"{model.table}, golden_distance WHERE {model.where} AND" if model else "golden_distance WHERE"
        return {str(r["id"]): r["v"] for r in self.session.rows(f"SELECT id, {expression} AS v FROM {table} {where} ORDER BY id")}

    def over(self, expression, where="train"):
        return self.session.value(f"SELECT {expression} AS v FROM golden_distance WHERE {where}")

    def value(self, key):
        model = self.logistic()
        fixed = {"w": self.w, "mu_pos": self.plus, "mu_neg": self.minus, "norm_w": self.norm, "separation": self.norm,
                 "t": math.fsum(w * (a + b) / 2 for w, a, b in zip(self.w, self.plus, self.minus))}
        if key in fixed:
            return fixed[key]
        facts = {"mean_pos": "mean_positive", "mean_neg": "mean_negative", "mean_distance_pos": "mean_positive",
                 "mean_distance_neg": "mean_negative", "d0": "d0", "sigma2_ml": "variance", "gamma_ml": "gamma"}
        if key in facts:
            return model.fact(facts[key])
        if key in ("sigma2_unbiased", "gamma_unbiased"):
            return self.logistic(ddof=2).fact("variance" if key.startswith("s") else "gamma")
        return self.of_rows(key, model)

    def of_rows(self, key, model):
        if key == "distances":
            return list(self.at_rows("s").values())
        if key == "p_ml":
            return list(self.at_rows("pgfit.probability(m, s)", model=model).values())
        if key == "class_ratio":
            return self.over("count(*) FILTER (WHERE positive)::float8 / count(*) FILTER (WHERE NOT positive)")
        if key in ("auc", "test_auc"):
            return self.over("pgfit.roc_auc(positive, s)", key[:4] if key != "auc" else "train")
        if key in ("errors", "test_errors"):
            where = "test" if key.startswith("test") else "train"
            return self.over("count(*) - round(count(*) * pgfit.accuracy(positive, class))", where)
        if key == "isotonic_blocks":
            return blocks_of(self.isotonic(), "golden_distance", "train")
        if key == "hull_fp_tp":
            return self.over("(SELECT json_agg(json_build_array(p.false_positives, p.true_positives)) FROM "
                             "unnest(pgfit.roc_curve(positive, s, '{\"points\": \"hull\"}')) p)")
        return self.by_id(key, model)

    def isotonic(self):
        return self.calibration("pgfit.isotonic_calibration(positive, s)")

    def by_id(self, key, model):
        places = {"train_prob_equal_priors": ("pgfit.probability(m, s)", "train", model),
                  "train_prob_class_ratio": ("pgfit.probability(m, s)", "train", self.logistic(class_ratio="data")),
                  "test_score": ("s", "test", None), "test_isotonic_step": ("pgfit.probability(m, s)", "test", self.isotonic())}
        if key not in places:
            raise Unknown(key)
        found = self.at_rows(*places[key])
        return {k: found.get(k) for k in self.expected[key]}


@method("calibration", needs=["nearest_centroid", "logistic_calibration", "isotonic_calibration", "roc_curve"])
class Calibration(Distances):
    """Calibration of the distances of the rows of a data file from the boundary."""


@method("logistic_calibration", needs=["nearest_centroid", "logistic_calibration"])
class LogisticCalibration(Distances):
    """Calibration of the distances of inline points, or of inline distances."""

    def fit(self):
        if "X" in self.input:
            super().fit()
            return
        relation = Scores(self.case, self.session, None).relation
        self.model = self.models.fit("pgfit.logistic_calibration(y, s)", relation, "true")

    def is_null(self):
        return "X" not in self.input and self.model.is_null()
