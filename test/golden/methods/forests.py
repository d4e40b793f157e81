"""Forests: accuracy within bands over several seeds, voting."""
import json

from methods import Handler, ModelHandler, Unknown, method
from models import flat
from session import number, quote


class Forest(ModelHandler):
    """Fitted with one seed after another: each statistic has to lie in the band."""

    kind = None
    SEEDS = 3

    def options(self, seed):
        share = {"sqrt(p)": "sqrt", "p/3": 1 / 3}[self.param("features_per_split")]
        return {"n_trees": self.param("trees"), "max_features": share, "seed": seed,
                "bootstrap": self.param("bootstrap"), "min_samples_leaf": self.param("min_samples_leaf")}

    def fit(self):
        self.accuracy = self.expected["statistic"] == "test_accuracy"
        name = f"{self.kind}_{'classifier' if self.accuracy else 'regression'}"
        self.fits = [self.models.fit(f"pgfit.{name}({self.source.target}, {self.source.whole}, "
                                     f"{quote(json.dumps(self.options(seed)))}::jsonb)", self.source.relation)
                     for seed in range(self.SEEDS)]
        self.model = self.fits[0]

    def statistic(self, model):
        function = "classify" if self.accuracy else "predict"
        rows = self.session.rows(f"SELECT {self.source.target} AS y, pgfit.{function}(m, {self.source.whole}) AS v "
                                 f"FROM {self.source.relation}, {model.table} WHERE (test) AND {model.where}")
        if self.accuracy:
            return sum(str(r["v"]) == str(r["y"]) for r in rows) / len(rows)
        return sum((number(r["v"]) - number(r["y"])) ** 2 for r in rows) / len(rows)

    def value(self, key):
        if key in ("statistic", "min", "median", "max", "trivial_baseline"):  # about the reference
            return self.expected[key]
        if key in ("accept_low", "accept_high"):
            limit = self.expected[key]
            if limit is None:
                return None
            found = [self.statistic(model) for model in self.fits]
            worst = min(found) if key == "accept_low" else max(found)
            return limit if (worst >= limit if key == "accept_low" else worst <= limit) else worst
        raise Unknown(key)


@method("random_forest", needs=["forest_classifier", "forest_regression"])
class RandomForest(Forest):
    kind = "forest"


@method("extra_trees", needs=["extra_trees_classifier", "extra_trees_regression"])
class ExtraTrees(Forest):
    kind = "extra_trees"


@method("voting", needs=["forest_classifier"])
class Voting(Handler):
    """Trees of one leaf each, with the given probabilities in place of the weights that they learned."""

    def model(self, voting):
        shares = self.input["tree_probabilities"]
        classes = len(shares[0])
        options = {"n_trees": len(shares), "max_depth": 0, "bootstrap": False, "importance": "none", "voting": voting}
        weights = json.dumps({"f64": [p for tree in shares for p in tree]})
        return (f"(SELECT jsonb_set(pgfit.forest_classifier(k, ARRAY[k], {quote(json.dumps(options))})::jsonb, "
                f"'{{arrays,leaf_weight}}', {quote(weights)})::pgfit.model FROM generate_series(1, {classes}) AS k)")

    def value(self, key):
        if key == "mean":
            return flat(self.session.value(f"SELECT pgfit.probabilities({self.model('soft')}, ARRAY[1]) AS v"))
        if key in ("soft", "hard"):
            return int(self.session.value(f"SELECT pgfit.classify({self.model(key)}, ARRAY[1]) AS v"))
        raise Unknown(key)
