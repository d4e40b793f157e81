"""Linear classifiers from class moments, perceptrons, and several classes by binary problems."""
import json
import math
import re

from methods import Handler, ModelHandler, Several, Unknown, method
from models import Models
from session import quote


class Classifier(Handler):
    """Fits label and features in the order of the rows."""

    aggregate = None

    def __init__(self, case, session, loader):
        given = case.get("input") or {}
        if "class" in given:  # inline labels that are text
            case = dict(case, input=dict(given, labels=given["class"]))
        super().__init__(case, session, loader)
        if "X" not in self.input and "x" not in self.input and "data" not in case:
            count = len(self.input.get("y", self.input.get("labels", [])))
            self.case = dict(case, input=dict(case.get("input") or {}, X=[[i, i * i] for i in range(count)]))
        self.source = loader.source(self.case)
        self.models = Models(session)
        self.model = None

    def options(self, **given):
        positive = self.param("positive")
        if positive is not None:
            given["positive"] = positive
        return quote(json.dumps(given)) + "::jsonb"

    def call(self, name, features=None, target=None, **given):
        features = features or self.source.whole
        return (f"pgfit.{name}({target or self.source.target}, {features}, {self.options(**given)} "
                "ORDER BY id)")

    def is_null(self):
        return self.model.is_null()

    def numbers(self):
        return [c["estimate"] for c in self.model.coefficients() if c["estimate"] is not None]

    def slopes(self, model=None):
        return [c["estimate"] for c in (model or self.model).slopes()]

    def intercept(self, model=None):
        return (model or self.model).intercept()["estimate"]

    def rows(self, expression, where="train", model=None):
        """Returns [(id, value)] of an expression over the rows and the model m; {f} is the features argument."""
        model = model or self.model
        found = self.session.rows(
            f"SELECT id, {expression.format(f=self.source.whole, y=self.source.target)} AS v FROM {model.table}, "
            f"{self.source.relation} WHERE {model.where} AND {where} ORDER BY id")
        return [(r["id"], r["v"]) for r in found]

    def values(self, expression, where="train", model=None):
        return [v for _, v in self.rows(expression, where, model)]

    def by_id(self, expression, want, where="test", model=None):
        found = {str(i): v for i, v in self.rows(expression, where, model)}
        return {k: found.get(k) for k in want}

    def errors(self, where="train", model=None):
        return self.values("pgfit.classify(m, {f}) IS DISTINCT FROM ({y})::text", where, model).count(True)

    def wrong_ids(self, where="test", model=None):
        return [i for i, v in self.rows("pgfit.classify(m, {f}) IS DISTINCT FROM ({y})::text", where, model) if v]

    def accuracy(self, where="test", model=None):
        return 1 - len(self.wrong_ids(where, model)) / len(self.rows("1", where, model))


@method("least_squares_classifier", needs=["least_squares_classifier", "nearest_centroid"])
class LeastSquares(Classifier):
    def fit(self):
        self.model = self.models.fit(self.call("least_squares_classifier"), self.source.relation)

    def basic(self):
        return self.models.fit(self.call("nearest_centroid"), self.source.relation)

    def xty(self):
        """X'y = Pos mean+ - Neg mean- of homogeneous rows."""
        parts = {}
        for label in (-1, 1):
            model = self.models.fit(f"pgfit.feature_moments({self.source.array(ones=True)})", self.source.relation,
                                    f"train AND {self.source.target} = {label}")
            parts[label] = [model.fact("rows") * m for m in model.parameter("means")]
        return [p - n for p, n in zip(parts[1], parts[-1])]

    def value(self, key):
        want = self.expected[key]
        if key in ("w", "slope"):
            return self.slopes() if key == "w" else self.slopes()[0]
        if key == "intercept":
            return self.intercept()
        if key == "t":
            return -self.intercept()
        if key == "threshold":
            return -self.intercept() / self.slopes()[0]
        if key == "scores":
            return self.values("pgfit.decision(m, {f})")
        if key == "test_score":
            return self.by_id("pgfit.decision(m, {f})", want)
        if key in ("misclassified", "train_errors"):
            return self.errors()
        if key == "test_errors":
            return self.errors("test")
        if key == "basic_linear_train_errors":
            return self.errors("train", self.basic())
        if key == "xty_equals_Pos_mu_minus_Neg_mu":
            return self.xty()
        raise Unknown(key)


@method("least_squares_classifier_multiclass", needs=["least_squares_classifier", "decisions"])
class Indicators(Classifier):
    def fit(self):
        self.model = self.models.fit(self.call("least_squares_classifier"), self.source.relation)

    def decisions(self):
        return [self.session.rows(
            f"SELECT pgfit.decisions(m, ARRAY[{', '.join(map(str, x))}]::float8[]) AS v FROM {self.model.table} "
            f"WHERE {self.model.where}")[0]["v"] for x in self.input["new"]]

    def value(self, key):
        if key == "coef_intercept_first":
            lines = self.model.coefficients()
            terms = list(dict.fromkeys(c["term"] for c in lines))
            return [[c["estimate"] for c in lines if c["term"] == t] for t in terms]
        if key == "scores_new":
            return self.decisions()
        if key == "score_sums":
            return [math.fsum(d) for d in self.decisions()]
        raise Unknown(key)


@method("basic_linear_classifier", needs=["nearest_centroid", "least_squares_classifier", "perceptron", "centroids"])
class BasicLinear(Classifier):
    def fit(self):
        self.model = self.models.fit(self.call("nearest_centroid"), self.source.relation)

    def means(self):
        rows = self.session.rows(f"SELECT c.* FROM {self.model.table}, pgfit.centroids(m) c WHERE {self.model.where}")
        return {label: [r["value"] for r in rows if r["class"] == label] for label in {r["class"] for r in rows}}

    def perceptron(self, want):
        model = self.models.fit(self.call("perceptron", mistakes=True), self.source.relation)
        return {"w": [self.intercept(model)] + self.slopes(model), "epochs": model.fact("iterations"),
                "updates": model.fact("updates"), "alpha": model.parameter("mistakes"),
                "errors": self.errors("train", model)}

    def value(self, key):
        want = self.expected[key]
        if key in ("mu_pos", "mu_neg"):
            return self.means()["1" if key == "mu_pos" else "-1"]
        if key == "w":
            return self.slopes()
        if key == "t":
            return -self.intercept()
        if key == "scores":
            return self.values("pgfit.decision(m, {f})")
        if key == "nearest_mean_labels":
            return self.values("pgfit.predict(m, {f})")
        if key == "blc_threshold":
            return -self.intercept() / self.slopes()[0]
        if key == "blc_errors":
            return self.errors()
        if key in ("lsc_threshold", "lsc_errors"):
            model = self.models.fit(self.call("least_squares_classifier"), self.source.relation)
            return -self.intercept(model) / self.slopes(model)[0] if key == "lsc_threshold" \
                else self.errors("train", model)
        if key == "perceptron":
            return self.perceptron(want)
        raise Unknown(key)


@method("nearest_exemplar", needs=["nearest_centroid", "centroids", "distances"])
class NearestExemplar(Classifier):
    """The nearest of the class means, or of given exemplars, which are classes of one row."""

    def __init__(self, case, session, loader):
        given = (case.get("input") or {}).get("exemplars")
        self.points = (case.get("input") or {}).get("X")
        if given:
            case = dict(case, input=dict(case["input"], X=given, y=list(range(1, len(given) + 1))))
        super().__init__(case, session, loader)
        self.by_metric = {}

    def fit(self):
        self.model = self.metric("euclidean")

    def metric(self, name):
        if name not in self.by_metric:
            self.by_metric[name] = self.models.fit(self.call("nearest_centroid", metric=name), self.source.relation)
        return self.by_metric[name]

    def numbers(self):
        return self.model.parameter("centroids")

    def of_rows(self, expression, model):
        return [self.session.rows(
            f"SELECT {expression.format(x='ARRAY[' + ', '.join(map(str, x)) + ']::float8[]')} AS v "
            f"FROM {model.table} WHERE {model.where}")[0]["v"] for x in self.points]

    def value(self, key):
        want = self.expected[key]
        if key == "classes":
            return self.session.rows(f"SELECT pgfit.classes(m) AS v FROM {self.model.table} "
                                     f"WHERE {self.model.where}")[0]["v"]
        if key == "means":
            flat, size = self.model.parameter("centroids"), len(self.source.features)
            return [flat[i:i + size] for i in range(0, len(flat), size)]
        if key.endswith("_distances"):
            return self.of_rows("pgfit.distances(m, {x})", self.metric(key.split("_")[0]))
        if isinstance(want, list):
            return self.of_rows("pgfit.predict(m, {x})", self.metric(key))
        model = self.metric(key)
        return {"test_accuracy": self.accuracy("test", model), "test_errors": self.wrong_ids("test", model)}


class PerceptronCase(Classifier):
    """A perceptron with the rate, start and limit of the case."""

    def __init__(self, case, session, loader):
        super().__init__(case, session, loader)
        self.target = self.source.target
        if "data" in self.case:  # one class against the others, if there are more than two
            positive = self.params["positive"]
            self.target = f"CASE WHEN {self.source.target} = {quote(positive)} THEN 1 ELSE -1 END"
            self.params = {k: v for k, v in self.params.items() if k != "positive"}
        elif self.expected.get("behaviour") == "error":
            self.params = dict(self.params, positive=1)  # two classes, one of them positive

    def features(self):
        if self.input.get("map") == "square each feature":
            return "ARRAY[" + ", ".join(f"({f})^2" for f in self.source.features) + "]::float8[]"
        return self.source.whole

    def fitted(self, **given):
        init = self.param("init", "zero")
        given.setdefault("mistakes", True)
        given["learning_rate"] = self.param("eta", 1)
        given["init"] = "zero" if init == "zero" else "basic_linear"
        if self.param("max_epochs") is not None:
            given["max_iter"] = self.param("max_epochs")
        return self.models.fit(self.call("perceptron", self.features(), self.target, **given), self.source.relation)

    def fit(self):
        self.model = self.fitted()

    def weights(self, model=None):
        return [self.intercept(model)] + self.slopes(model)

    def trace(self, want):
        """Returns row and weights after each step: each call continues from the last model with one row."""
        model = insert(self.models, model_json("perceptron", ["-1", "1"], [[0.0] * len(self.source.features)], [0.0],
                                               label_type="double precision"))
        out = []
        for epoch in range(1, int(self.model.fact("iterations")) + 1):
            for row in range(1, len(self.input["X"]) + 1):
                start = f"jsonb_build_object('start', (SELECT m::jsonb FROM {model.table} WHERE {model.where}))"
                model = self.models.fit(
                    f"pgfit.perceptron({self.target}, x, {self.options(max_iter=1, mistakes=True)} || {start})",
                    self.source.relation, f"id = {row}")
                if model.parameter("mistakes") == [1]:
                    out.append({"epoch": epoch, "row": row, "w": self.weights(model)})
        return [{k: v for k, v in step.items() if k in want[0]} for step in out]

    def value(self, key):
        want = self.expected[key]
        if key in ("w", "w_intercept_first"):
            return self.weights()
        if key == "t":
            return -self.intercept()
        if key == "epochs":
            return self.model.fact("iterations")
        if key == "updates":
            return self.model.fact("updates")
        if key == "converged":
            return self.model.info()["converged"]
        if key == "alpha":
            return self.model.parameter("mistakes")
        if key == "alpha_nonzero":
            ids = [i for i, _ in self.rows("1")]
            found = {str(i): n for i, n in zip(ids, self.model.parameter("mistakes")) if n}
            return found if set(found) == set(want) else {}
        if key == "errors":
            found = self.session.rows(
                f"SELECT count(*) AS v FROM {self.model.table}, {self.source.relation} WHERE {self.model.where} "
                f"AND train AND pgfit.predict(m, {self.source.whole}) <> {self.target}")
            return found[0]["v"]
        if key == "trace":
            return self.trace(want)
        if key in ("blc_w", "blc_t", "w0"):
            model = self.models.fit(self.call("nearest_centroid", self.features()), self.source.relation)
            if key == "w0":
                return self.weights(model)
            return self.slopes(model) if key == "blc_w" else -self.intercept(model)
        raise Unknown(key)


@method("perceptron", needs=["perceptron", "nearest_centroid", "parameter"])
class Perceptron(PerceptronCase):
    pass


@method("dual_perceptron", needs=["perceptron", "parameter"])
class Dual(PerceptronCase):
    """The dual perceptron, in counts of mistakes: w = sum of count y x, as the primal one finds it."""

    def value(self, key):
        want = self.expected[key]
        if key == "w":
            counts, rows = self.model.parameter("mistakes"), self.input["X"]
            dual = [math.fsum(a * y * v for a, y, v in zip(counts, self.input["y"], column))
                    for column in zip(*[[1.0] + list(x) for x in rows])]
            return Several(primal=self.weights(), dual=dual)
        if key == "gram":
            rows = [[1.0] + list(x) for x in self.input["X"]]
            return [[self.session.value(f"SELECT {' + '.join(f'{a!r}::float8 * {b!r}' for a, b in zip(p, q))} AS v")
                     for q in rows] for p in rows]
        return super().value(key)


@method("perceptron_online", needs=["perceptron", "parameter"])
class Online(Classifier):
    """A model of given weights, continued with one row per call."""

    def fit(self):
        w = self.input["w"]
        self.model = insert(self.models, model_json("perceptron", ["-1", "1"], [w[1:]], w[:1], label_type="integer"))
        self.steps = []
        for step in self.input["stream"]:
            x = "ARRAY[" + ", ".join(map(str, step["x"])) + "]::float8[]"
            self.model = self.models.fit(
                f"pgfit.perceptron({step['y']}, {x}, jsonb_build_object('learning_rate', {self.param('eta', 1)}, "
                f"'max_iter', 1, 'start', (SELECT m::jsonb FROM {self.model.table} WHERE {self.model.where})))",
                "(SELECT true AS train) one")
            self.steps.append(self.model)

    def value(self, key):
        if key == "w_after_each":
            return [[self.intercept(m)] + self.slopes(m) for m in self.steps]
        raise Unknown(key)


@method("perceptron_regression", needs=["perceptron_regression", "parameter"])
class Regression(ModelHandler):
    def fitted(self, start=None, where="train", epochs=None):
        update = "squared" if "^2" in self.params["update"] else "lms"
        options = json.dumps({"update": update, "learning_rate": self.params["eta"],
                              "max_iter": epochs or self.params["epochs"]})
        going_on = "" if start is None else f" || jsonb_build_object('start', (SELECT m::jsonb FROM {start.table} " \
            f"WHERE {start.where}))"
        return self.models.fit(f"pgfit.perceptron_regression(y, x, {quote(options)}::jsonb{going_on} ORDER BY id)",
                               self.source.relation, where)

    def fit(self):
        self.model = self.fitted()

    @staticmethod
    def weights(model):
        return [model.intercept()["estimate"]] + [c["estimate"] for c in model.slopes()]

    def numbers(self):
        return self.weights(self.model)

    def value(self, key):
        if key == "w":
            return self.weights(self.model)
        if key == "trace":
            model, out = None, []
            for _ in range(self.params["epochs"]):
                for row in range(1, len(self.input["X"]) + 1):
                    model = self.fitted(model, f"id = {row}", 1)
                    out.append(self.weights(model))
            return out
        raise Unknown(key)


class Decoding(Handler):
    """Decodes given scores, by a model whose scores are its features."""

    def __init__(self, case, session, loader):
        super().__init__(case, session, loader)
        self.models = Models(session)
        self.model = None

    def build(self, labels, problems, estimator="perceptron", **arrays):
        identity = [[1.0 if i == j else 0.0 for j in range(problems)] for i in range(problems)]
        self.model = insert(self.models, model_json(estimator, labels, identity, [0.0] * problems, **arrays))

    def of(self, expression, scores):
        return [self.session.rows(
            f"SELECT {expression} AS v FROM {self.model.table}, (SELECT ARRAY[{', '.join(map(repr, map(float, s)))}]"
            f"::float8[]) AS s(x) WHERE {self.model.where}")[0]["v"] for s in scores]

    def refuse(self, options):
        """Fits what must be refused."""
        labels = self.input.get("class") or ["a", "b", "c"]
        rows = ", ".join(f"({quote(label)}, ARRAY[{i}, {i * i}]::float8[])" for i, label in enumerate(labels))
        self.model = self.models.fit(f"pgfit.least_squares_classifier(y, x, {quote(json.dumps(options))}::jsonb)",
                                     f"(VALUES {rows}) v(y, x)", "true")

    def is_null(self):
        return self.model.is_null()


@method("one_vs_rest", needs=["perceptron", "least_squares_classifier", "classify"])
class OneVsRest(Decoding):
    def fit(self):
        if "scores" not in self.input:
            self.refuse({"multiclass": "ovr"})
            return
        self.build(sorted(self.input["scores"]), len(self.input["scores"]))

    def value(self, key):
        if key == "class":
            columns = [self.input["scores"][label] for label in sorted(self.input["scores"])]
            return self.of("pgfit.classify(m, x)", zip(*columns))
        raise Unknown(key)


@method("one_vs_one", needs=["perceptron", "classify", "decisions"])
class OneVsOne(Decoding):
    def fit(self):
        self.build(self.input["classes"], len(self.input["pairs"]), multiclass=[2])
        # a positive score is for the later class of a pair
        self.scores = [[-v for v in row] for row in self.input["confidence_for_first"]]

    def decisions(self):
        return self.of("pgfit.decisions(m, x)", self.scores)

    def value(self, key):
        if key == "votes":
            return [[round(v) for v in row] for row in self.decisions()]
        if key == "summed_confidence":  # decision = votes + s / (3 (|s| + 1))
            parts = [[3 * (v - round(v)) for v in row] for row in self.decisions()]
            return [[p / (1 - abs(p)) for p in row] for row in parts]
        if key == "class":
            return self.of("pgfit.classify(m, x)", self.scores)
        raise Unknown(key)


@method("ecoc", needs=["perceptron", "least_squares_classifier", "classify", "decisions"])
class Ecoc(Decoding):
    def fit(self):
        if "data" in self.case:
            self.source = self.loader.source(self.case)
            options = {"multiclass": "ecoc", "code_book": self.params["codebook_rows"], "lambda": self.params["lambda"]}
            self.model = self.models.fit(
                f"pgfit.least_squares_classifier({self.source.target}, {self.source.whole}, "
                f"{quote(json.dumps(options))}::jsonb)", self.source.relation)
            return
        book = self.input["codebook"]
        if self.expected.get("behaviour") == "error":
            self.refuse({"multiclass": "ecoc", "code_book": book})
            return
        probabilities = all(v in (0, 1) for row in book for v in row)
        codes = [[1 if v > 0 else -1 for v in row] for row in book]
        scores = self.input["scores"]
        if probabilities:  # of a logistic model: its scores are their logits
            scores = [[math.log(p / (1 - p)) for p in row] for row in scores]
            self.build([str(i + 1) for i in range(len(book))], len(book[0]), "logistic_regression",
                       multiclass=[3], code_book=codes, link=[1])
        else:
            self.build([str(i + 1) for i in range(len(book))], len(book[0]), multiclass=[3], code_book=codes)
        self.scores = scores

    @classmethod
    def needed(cls, case):
        book = (case.get("input") or {}).get("codebook")
        of_probabilities = bool(book) and all(v in (0, 1) for row in book for v in row)
        return cls.needs + (["logistic_regression"] if of_probabilities else [])

    def by_row(self, expression, want):
        rows = self.session.rows(
            f"SELECT id, {expression} AS v FROM {self.model.table}, {self.source.relation} WHERE {self.model.where} "
            "AND test ORDER BY id")
        found = {str(r["id"]): r["v"] for r in rows}
        return {i: found.get(i) for i in want}

    def binary_scores(self, want):
        """Returns the scores of the binary models, from their coefficients."""
        lines = self.model.coefficients()
        names = list(dict.fromkeys(c["class"] for c in lines))
        equations = [[c["estimate"] or 0.0 for c in lines if c["class"] == n] for n in names]
        rows = self.session.rows(f"SELECT id, {self.source.array()} AS v FROM {self.source.relation} WHERE test "
                                 f"AND id IN ({', '.join(want)})")
        return {str(r["id"]): [math.fsum([e[0]] + [a * b for a, b in zip(e[1:], r["v"])]) for e in equations]
                for r in rows}

    def value(self, key):
        want = self.expected[key]
        if key == "distance":
            return [[-v for v in row] for row in self.of("pgfit.decisions(m, x)", self.scores)]
        if key == "class":
            return [int(v) for v in self.of("pgfit.classify(m, x)", self.scores)]
        if key == "min_row_hamming":
            book = self.input["codebook"]
            return min(sum(a != b for a, b in zip(p, q)) for i, p in enumerate(book) for q in book[:i])
        if key == "test_accuracy":
            rows = self.session.rows(
                f"SELECT avg((pgfit.classify(m, {self.source.whole}) = {self.source.target}::text)::int)::float8 AS v "
                f"FROM {self.model.table}, {self.source.relation} WHERE {self.model.where} AND test")
            return rows[0]["v"]
        if key == "scores":
            return self.binary_scores(want)
        if key == "distances":
            return {i: [-v for v in row] for i, row in self.by_row(f"pgfit.decisions(m, {self.source.whole})", want).items()}
        if key == "test_class":
            return self.by_row(f"pgfit.classify(m, {self.source.whole})", want)
        raise Unknown(key)


@method("multiclass_counts", needs=["perceptron", "coefficients"])
class Counts(Decoding):
    """The number of binary models for so many classes."""

    def fit(self):
        self.made = {}
        for q in self.input["q"]:
            for strategy in ("ovr", "ovo"):
                model = self.models.fit(
                    f"pgfit.perceptron(i, i, '{{\"multiclass\": \"{strategy}\", \"max_iter\": 1}}')",
                    f"generate_series(1, {q}) i", "true")
                self.made[strategy, q] = len(model.parameter("intercept"))
                self.model = model

    def value(self, key):
        match = re.fullmatch("(ovr|ovo)_models", key)
        if match:
            return [self.made[match.group(1), q] for q in self.input["q"]]
        raise Unknown(key)


@method("multiclass_strategies", needs=["logistic_regression", "decisions"])
class Strategies(Classifier):
    """One-vs-rest and one-vs-one of penalized logistic models."""

    def fit(self):
        penalty = {"lambda": self.params["lambda"], "penalty": "l2"}
        self.by_strategy = {s: self.models.fit(self.call("logistic_regression", multiclass=s, **penalty),
                                               self.source.relation) for s in ("ovr", "ovo")}
        self.model = self.by_strategy["ovr"]

    def value(self, key):
        want = self.expected[key]
        if key == "classes":
            return self.model.select("pgfit.classes(m)")
        strategy, what = key.split("_", 1)
        model = self.by_strategy[strategy]
        decisions = f"pgfit.decisions(m, {self.source.whole})"
        if what == "scores":
            return self.by_id(decisions, want, model=model)
        if what == "votes":
            return {i: [round(v) for v in row] for i, row in self.by_id(decisions, want, model=model).items()}
        if what == "accuracy":
            return self.accuracy("test", model)
        if what == "errors":
            return self.wrong_ids("test", model)
        if what == "vote_tie_ids":
            votes = self.rows(decisions, "test", model)
            return [i for i, row in votes if sorted(map(round, row))[-1] == sorted(map(round, row))[-2]]
        raise Unknown(key)


# ---- models written by hand ----

def array(values):
    """Returns an array of a model as its JSON has it."""
    if isinstance(values[0], list):
        flat = [v for row in values for v in row]
        kind = "i64" if all(isinstance(v, int) for v in flat) else "f64"
        return {kind: flat, "shape": [len(values), len(values[0])]}
    return {"i64": values} if all(isinstance(v, int) for v in values) else values


def model_json(estimator, labels, coef, intercept, label_type="text", **arrays):
    """Returns a linear classifier with these equations as JSON."""
    keys = [float(v) if label_type != "text" else 0.0 for v in labels]
    return {"pgfit": 1, "kind": "model", "estimator": estimator, "min_reader": 1, "fields": len(coef[0]),
            "slots": len(coef[0]), "rows": 1, "skipped": 0, "weight": 1, "options": {},
            "schema": {"class_key": keys, "class_text": {"text": labels}, "class_type": {"text": [label_type]},
                       "class_sorted": {"i64": sorted(range(len(labels)), key=lambda i: labels[i].encode())}},
            "arrays": {"coef": array(coef if len(coef) > 1 else coef[0]), "intercept": array(intercept),
                       **{name: array(values) for name, values in arrays.items()}}}


def insert(models, value):
    """Stores a model given as JSON."""
    return models.fit(f"{quote(json.dumps(value))}::pgfit.model", "(SELECT true AS train) one")
