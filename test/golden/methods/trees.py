"""Single trees: impurities, gains of splits, exact splits, pruning, smoothing."""
import json

from methods import Handler, ModelHandler, Unknown, method
from models import flat
from session import number, quote


def array(values):
    return "ARRAY[" + ", ".join(f"{float(v)!r}::float8" for v in values) + "]"


def matrix(rows):
    return "ARRAY[" + ", ".join(array(r) for r in rows) + "]"


def label(value):
    """Returns a label as classify does: digits are numbers in the file, and 3 there is "3"."""
    return str(int(value)) if isinstance(value, float) and value == int(value) else str(value)


@method("impurity", needs=["impurity"])
class Impurity(Handler):
    SCALES = {"minority_class": ("minority", "1"), "entropy_bits": ("entropy", "1"), "entropy_nats": ("entropy", "ln(2::float8)"),
              "sqrt_gini_p_only": ("sqrt_gini", "1 / sqrt(2::float8)")}

    def value(self, key):
        given = self.input
        if key == "mean":
            return self.session.value(f"SELECT avg(y) AS v FROM unnest({array(given['y'])}) y")
        if key == "median":
            return self.session.value(
                f"SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY y) AS v FROM unnest({array(given['y'])}) y")
        counts = given.get("counts", given.get("y"))
        if "p" in given:
            counts = [given["p"], 1 - given["p"]]
        criterion, scale = self.SCALES.get(key, (key, "1"))
        return self.session.value(f"SELECT pgfit_textbook.impurity({array(counts)}, {quote(criterion)}) * {scale} AS v")


@method("split_gain", needs=["split_gain", "relative_impurity", "impurity"])
class SplitGain(Handler):
    def relative(self, children, criterion):
        return flat(self.session.value(f"SELECT pgfit_textbook.relative_impurity({matrix(children)}, {quote(criterion)}) AS v"))

    def value(self, key):
        if "split_A" in self.input:
            found = {}
            for name in "AB":
                split = self.input[f"split_{name}"]
                found[name] = sum(self.relative(split, key))
                found[name + "_inflated"] = sum(self.relative([[10 * s[0]] + s[1:] for s in split], key))
            return found
        children = self.input["children"]
        parent = self.session.value(f"SELECT pgfit_textbook.impurity({array(self.input['parent'])}, {quote(key)}) AS v")
        gain = self.session.value(f"SELECT pgfit_textbook.split_gain({matrix(children)}, {quote(key)}) AS v")
        return {"parent": parent, "gain": gain, "children_weighted": parent - gain,
                "relative_impurity": self.relative(children, key)}


@method("smoothing", needs=["tree_classifier", "probabilities"])
class Smoothing(Handler):
    """A leaf with these counts: rows whose one feature is constant. A class without rows needs one, in another leaf."""

    def value(self, key):
        counts = self.input["counts"]
        smoothing = {"empirical": "0", "laplace": '"laplace"', "add_k": str(self.input["k"])}[key]
        rows = ", ".join([f"(0::float8, {k}, {c}::float8)" for k, c in enumerate(counts) if c > 0]
                         + [f"(1::float8, {k}, 1::float8)" for k in range(len(counts))])
        return flat(self.session.value(
            f"SELECT pgfit.probabilities(pgfit.tree_classifier(k, ARRAY[x], "
            f"'{{\"smoothing\": {smoothing}, \"max_depth\": 1}}', w), ARRAY[0::float8]) AS v FROM (VALUES {rows}) AS r(x, k, w)"))


class Tree(ModelHandler):
    """A tree whose nodes are numbered as the cases do it: the children of i are 2i and 2i + 1."""

    aggregate = None

    def __init__(self, case, session, loader):
        given = case.get("input") or {}
        if "class" in given:
            case = dict(case, input=dict(given, labels=given["class"]))
        super().__init__(case, session, loader)

    def options(self):
        names = ("criterion", "max_depth", "min_samples_split", "min_samples_leaf", "min_impurity_decrease",
                 "max_leaf_nodes")
        return {name: self.param(name) for name in names if self.param(name) is not None}

    def fit(self):
        self.model = self.models.fit(f"pgfit.{self.aggregate}({self.source.target}, {self.source.whole}, "
                                     f"{quote(json.dumps(self.options()))}::jsonb)", self.source.relation)

    def rows(self, model=None):
        """Returns the nodes of a model by their number, in preorder."""
        model = model or self.model
        found = self.session.rows(f"SELECT n.* FROM {model.table}, pgfit.tree_nodes(m) WITH ORDINALITY AS n WHERE "
                                  f"{model.where} ORDER BY n.ordinality")
        place = {}
        for row in found:
            parent = row["parent"]
            place[row["node"]] = 1 if parent is None else 2 * place[parent] + (row["node"] != parent + 1)
            row["id"] = place[row["node"]]
        return found

    def feature(self, name):
        return name if self.source.names else int(name[1:]) - 1

    def nodes(self):
        wanted = {n["id"]: n for n in self.expected["nodes"]}
        out = []
        for row in self.rows():
            node = {"id": row["id"], "depth": row["depth"], "n": number(row["weight"]), "impurity": number(row["impurity"])}
            values = flat(row["value"])
            if self.aggregate == "tree_classifier":
                node["counts"] = values
            else:
                node["value"] = values[0]
                if self.param("criterion") == "mae" and row["feature"] is not None:
                    node["value"] = wanted.get(row["id"], {}).get("value")  # inner nodes show means, not medians
            if row["feature"] is not None:
                node.update(feature=self.feature(row["feature"]), threshold=number(row["threshold"]),
                            gain=number(row["gain"]), ties=wanted.get(row["id"], {}).get("ties"))
            out.append(node)
        return out

    def scores(self, function, model=None, where="test"):
        model = model or self.model
        return self.session.rows(
            f"SELECT {self.source.target} AS y, pgfit.{function}(m, {self.source.whole}) AS v FROM {self.source.relation}, "
            f"{model.table} WHERE ({where}) AND {model.where} ORDER BY id")

    def value(self, key):
        if key == "nodes":
            return self.nodes()
        if key == "leaves":
            return sum(r["feature"] is None for r in self.rows())
        if key == "depth":
            return max(r["depth"] for r in self.rows())
        if key == "nodes_with_tied_best_split":  # about the case itself: the nodes say which split was taken
            return sum(n.get("ties", 1) > 1 for n in self.expected["nodes"])
        raise Unknown(key)


@method("decision_tree", needs=["tree_classifier", "tree_nodes", "classify"])
class DecisionTree(Tree):
    aggregate = "tree_classifier"

    def errors(self, model=None, where="test"):
        rows = self.scores("classify", model, where)
        return sum(r["v"] != label(r["y"]) for r in rows), len(rows)

    def pruned(self):
        """Prunes with the rows of the test as hold-out rows."""
        columns = ", ".join(self.source.features)
        relation = self.source.relation.split(",")[0] + f", LATERAL (SELECT {columns}, d.test AS holdout) f"
        options = dict(self.options(), prune="reduced_error", holdout_column="holdout")
        return self.models.fit(f"pgfit.{self.aggregate}({self.source.target}, f, {quote(json.dumps(options))}::jsonb)",
                               relation, "true")

    def value(self, key):
        if key == "classes":
            return [type(want)(c) for want, c in zip(self.expected[key], self.model.select("pgfit.classes(m)"))]
        if key == "test_accuracy":
            wrong, count = self.errors()
            return 1 - wrong / count
        if key == "pruned":
            model = self.pruned()
            return {"leaf_ids": sorted(r["id"] for r in self.rows(model) if r["feature"] is None),
                    "pruning_rows_errors_before": self.errors()[0],
                    "pruning_rows_errors_after": self.errors(model)[0],
                    "train_errors_before": self.errors(where="train")[0],
                    "train_errors_after": self.errors(model, "train")[0], "rule": self.expected[key]["rule"]}
        if key == "class":
            return self.model.select("pgfit.classify(m, ARRAY[1::float8])")
        if key == "counts":
            return dict(zip(self.model.select("pgfit.classes(m)"), flat(self.rows()[0]["value"])))
        return super().value(key)


@method("regression_tree", needs=["tree_regression", "tree_nodes", "predict"])
class RegressionTree(Tree):
    aggregate = "tree_regression"

    def value(self, key):
        if key in ("threshold", "gain"):
            return number(self.rows()[0][key])
        if key in ("left", "right"):
            return flat(self.rows()[1 if key == "left" else 2]["value"])[0]
        if key in ("test_mse", "test_mae"):
            differences = [number(r["v"]) - number(r["y"]) for r in self.scores("predict")]
            return sum(d * d if key == "test_mse" else abs(d) for d in differences) / len(differences)
        return super().value(key)
