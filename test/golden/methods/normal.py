"""Normal classes: naive Bayes, lda, qda, the projection, densities, likelihood ratios, thresholds and decision rules."""
import json
import math

from algebra import add, scale, symmetric, trace, unpack
from compare import differences
from methods import Handler, ModelHandler, Unknown, method
from models import flat
from session import number, quote


def vector(values):
    return "ARRAY[" + ", ".join(f"{v!r}::float8" for v in values) + "]"


def matrix(rows):
    return "ARRAY[" + ", ".join(vector(r) for r in rows) + "]"


class Classifier(ModelHandler):
    """Fits class moments and scores other rows."""

    aggregate = None

    def __init__(self, case, session, loader):
        given = case.get("input") or {}
        if "class" in given:
            case = dict(case, input=dict(given, labels=given["class"]))
        super().__init__(case, session, loader)

    def options(self):
        return {}

    def fitted(self, **options):
        key = json.dumps(options, sort_keys=True)
        if key not in self.kept:
            self.kept[key] = self.models.fit(
                f"pgfit.{self.aggregate}({self.source.target}, {self.source.whole}, {quote(key)}::jsonb)",
                self.source.relation)
        return self.kept[key]

    def fit(self):
        self.model = self.fitted(**self.options())

    def numbers(self):
        return self.model.parameter("means") + self.model.parameter("priors")

    def classes(self):
        return self.model.select("pgfit.classes(m)")

    def by_class(self, values):
        """Returns one row per class."""
        each = len(values) // len(self.classes())
        return [values[i:i + each] for i in range(0, len(values), each)]

    def scores(self, function, where="test", model=None):
        """Returns {id: score} over the rows of the source."""
        model = model or self.model
        rows = self.session.rows(f"SELECT id, pgfit.{function}(m, {self.source.whole}) AS v FROM {self.source.relation}, "
                                 f"{model.table} WHERE ({where}) AND {model.where} ORDER BY id")
        return {str(r["id"]): flat(r["v"]) if isinstance(r["v"], list) else r["v"] for r in rows}

    def errors(self, model=None):
        labels = {str(r["id"]): r["v"] for r in self.session.rows(
            f"SELECT id, {self.source.target} AS v FROM {self.source.relation} WHERE test")}
        found = self.scores("classify", model=model)
        return [int(i) for i in found if found[i] != class_text(labels[i])], len(found)

    def compare_key(self, key, want, tolerance):
        if key in ("test_prob", "test_log_joint"):
            found = self.scores("probabilities" if key == "test_prob" else "decisions")
            return differences({k: found.get(k) for k in want}, want, tolerance, key)
        return None

    def value(self, key):
        if key == "classes":
            return self.classes()
        if key == "mean":
            return self.by_class(self.model.parameter("means"))
        if key == "prior":
            return self.model.parameter("priors")
        if key == "test_errors":
            return self.errors()[0]
        if key == "test_accuracy":
            wrong, count = self.errors()
            return 1 - len(wrong) / count
        if key == "logdet":
            found = self.model.info()["statistics"]["log_determinant"]
            return [number(v) for v in found] if isinstance(found, list) else number(found)
        raise Unknown(key)


def class_text(value):
    """Returns a label as classify does: digits are numbers in the file, and 3 there is "3"."""
    return str(int(value)) if isinstance(value, float) and value == int(value) else str(value)


@method("gaussian_naive_bayes", needs=["naive_bayes", "classify", "probabilities", "decisions"])
class NaiveBayes(Classifier):
    aggregate = "naive_bayes"

    def options(self):
        return {"variance": self.param("variance", "feature_class"),
                "smoothing": self.param("smoothing_times_largest_variance", 0)}

    def new(self, function):
        rows = self.session.rows(
            f"SELECT pgfit.{function}(m, x) AS v FROM {self.model.table}, (VALUES " + ", ".join(
                f"({i}, {vector(x)})" for i, x in enumerate(self.input["new"])) +
            f") AS t(i, x) WHERE {self.model.where} ORDER BY i")
        return [flat(r["v"]) if isinstance(r["v"], list) else r["v"] for r in rows]

    def value(self, key):
        if key == "variance":
            classes, features = len(self.classes()), len(self.source.features)
            found = self.model.parameter("variances")
            by_class = self.param("variance") in ("feature_class", "class", None)
            by_feature = self.param("variance") in ("feature_class", "feature_shared", None)
            columns = features if by_feature else 1
            return [[found[(c * columns if by_class else 0) + (f if by_feature else 0)] for f in range(features)]
                    for c in range(classes)]
        if key == "log_joint":
            return self.new("decisions")
        if key == "posterior":
            return self.new("probabilities")
        if key == "class":
            return self.new("classify")
        if key == "ml_test_accuracy":
            wrong, count = self.errors(self.fitted(**self.options(), rule="ml"))
            return 1 - len(wrong) / count
        return super().value(key)


class Discriminant(Classifier):
    def options(self):
        divisor = self.param("covariance_divisor", "n")
        options = {"ddof": 1 if "-" in str(divisor) else 0}
        priors = self.param("priors")
        if isinstance(priors, list):
            options["priors"] = dict(zip(self.expected["classes"], priors))
        return options


@method("lda", needs=["lda", "classify", "probabilities", "decisions", "coefficients"])
class Lda(Discriminant):
    aggregate = "lda"

    def value(self, key):
        if key == "covariance":
            return symmetric(unpack(packed_of(self.model.parameter("covariance")), len(self.source.features)))
        lines = self.model.coefficients() if key in ("w", "w0") else []
        if key == "w":
            return [[c["estimate"] for c in lines if c["class"] == k and c["term"] != "(intercept)"]
                    for k in self.classes()]
        if key == "w0":
            return [c["estimate"] for c in lines if c["term"] == "(intercept)"]
        return super().value(key)


def packed_of(full):
    """Returns the upper triangle by columns of a symmetric matrix given by rows."""
    size = math.isqrt(len(full))
    return [full[i * size + j] for j in range(size) for i in range(j + 1)]


@method("qda", needs=["qda", "classify", "probabilities", "decisions"])
class Qda(Discriminant):
    aggregate = "qda"


@method("lda_projection", needs=["lda", "transform", "class_moments", "feature_moments"])
class Projection(Classifier):
    aggregate = "lda"

    def __init__(self, case, session, loader):
        given = case.get("input") or {}
        if "q" in given:  # any rows of q classes, because the case asks for the number of directions
            case = dict(case, input={"X": [[k * k, -k, math.sin(7.0 * k)] for k in range(12)],
                                     "class": [k % int(given["q"]) for k in range(12)]})
            self.components = int(given["l"])
        else:
            self.components = None
        super().__init__(case, session, loader)

    def options(self):
        return {"ddof": 1} if self.components is None else {"components": self.components}

    def scatter(self, part):
        """Returns the scatter of the rows (total) or within the classes."""
        size = len(self.source.features)
        if part == "total":
            moments = self.models.fit(f"pgfit.feature_moments({self.source.array()})", self.source.relation)
        else:
            moments = self.models.fit(f"pgfit.class_moments({self.source.target}, {self.source.array()})",
                                       self.source.relation)
        packed = moments.parameter("scatter")
        length = size * (size + 1) // 2
        out = [[0.0] * size for _ in range(size)]
        for k in range(0, len(packed), length):
            out = add(out, symmetric(unpack(packed[k:k + length], size)))
        return out

    def between(self):
        return add(self.scatter("total"), self.scatter("within"), -1)

    def directions(self):
        """Scales rows to unit length."""
        size = len(self.source.features)
        values = self.model.parameter("scalings")
        count = len(values) // size
        columns = [[values[t * count + d] for t in range(size)] for d in range(count)]
        return [[v / math.sqrt(math.fsum(u * u for u in c)) for v in c] for c in columns]

    def value(self, key):
        rows = {"total": lambda: self.scatter("total"), "within": lambda: self.scatter("within"),
                "between": self.between, "Sw": lambda: self.scatter("within"), "Sb_counts": self.between,
                "Sb_proportions": lambda: scale(self.between(), 1 / self.model.fact("rows"))}
        if key in rows:
            return rows[key]()
        if key.startswith("trace_"):
            return trace(rows[key[6:]]())
        eigenvalues = self.model.parameter("eigenvalues")
        if key == "eigenvalues_counts":
            return eigenvalues
        if key == "eigenvalue_counts":
            return eigenvalues[0]
        if key == "eigenvalue_proportions":
            return eigenvalues[0] / self.model.fact("rows")
        if key == "rank":
            return len(eigenvalues)
        if key == "ratio":
            return [number(v) for v in self.model.info()["statistics"]["explained_ratio"]]
        if key == "directions_unit":
            return self.directions()
        if key == "direction_unit":
            return self.directions()[0]
        return super().value(key)

    def compare_key(self, key, want, tolerance):
        if key == "abs_projection":
            found = self.scores("transform", "train")
            return differences({k: [abs(v) for v in found[k]] for k in want}, want, tolerance, key)
        return None


class Expressions(Handler):
    """Values of functions that need no model."""

    def select(self, *expressions):
        row = self.session.rows("SELECT " + ", ".join(f"({e}) AS v{i}" for i, e in enumerate(expressions)))[0]
        return [flat(v) if isinstance(v, list) else number(v) if isinstance(v, (int, float, str)) else v
                for v in row.values()]


@method("normal_pdf", needs=["normal_density", "normal_log_density"])
class NormalDensity(Expressions):
    def arguments(self):
        if isinstance(self.input["mu"], list):
            return f"{vector(self.input['mu'])}, {matrix(self.input['sigma'])}", vector
        return f"{self.input['mu']!r}::float8, {self.input['sigma']!r}::float8", lambda x: f"{x!r}::float8"

    def value(self, key):
        rest, show = self.arguments()
        logs = self.select(*(f"pgfit_textbook.normal_log_density({show(x)}, {rest})" for x in self.input["x"]))
        at_mean = self.select(f"pgfit_textbook.normal_log_density({show(self.input['mu'])}, {rest})")[0]
        if key == "pdf":
            return self.select(*(f"pgfit_textbook.normal_density({show(x)}, {rest})" for x in self.input["x"]))
        if key == "logpdf":
            return logs
        if key == "log_E":
            return -at_mean
        if key == "mahalanobis2":
            return [2 * (at_mean - v) for v in logs]
        raise Unknown(key)


@method("likelihood_ratio", needs=["likelihood_ratio"])
class LikelihoodRatio(Expressions):
    def value(self, key):
        given = self.input
        if "d" in given:
            sigma = math.sqrt(given["sigma2"])
            ratio = self.select(f"pgfit_textbook.likelihood_ratio({given['d']!r}::float8, {given['mean_pos']!r}::float8, {sigma!r}"
                                f"::float8, {given['mean_neg']!r}::float8, {sigma!r}::float8)")[0]
            return {"lr": ratio, "p": ratio / (1 + ratio)}[key]

        def ratio_at(x):
            return (f"pgfit_textbook.likelihood_ratio({vector(x)}, {vector(given['mu_pos'])}, {matrix(given['sigma_pos'])}, "
                    f"{vector(given['mu_neg'])}, {matrix(given['sigma_neg'])})")
        if key == "lambda":
            return self.select(*(ratio_at(x) for x in given["x"]))
        if key == "det_factor":  # the ratio at both squared distances 0
            densities = self.select(*(f"pgfit_textbook.normal_log_density({vector(given[m])}, {vector(given[m])}, {matrix(given[s])})"
                                      for m, s in (("mu_pos", "sigma_pos"), ("mu_neg", "sigma_neg"))))
            return math.exp(densities[0] - densities[1])
        raise Unknown(key)


@method("ml_threshold", "map_threshold", needs=["normal_thresholds", "likelihood_ratio"])
class Threshold(Expressions):
    def value(self, key):
        given = self.input
        positive = given.get("sigma_pos", given.get("sigma"))
        negative = given.get("sigma_neg", given.get("sigma"))
        four = ", ".join(f"{v!r}::float8" for v in (given["mu_pos"], positive, given["mu_neg"], negative))
        if key == "thresholds":
            prior = f", {given['prior_pos']!r}::float8" if "prior_pos" in given else ""
            return self.select(f"pgfit_textbook.normal_thresholds({four}{prior})")[0]
        if key == "lambda_at_0":
            return self.select(f"pgfit_textbook.likelihood_ratio(0::float8, {four})")[0]
        if key == "positive_region":
            low, high = self.select(f"pgfit_textbook.normal_thresholds({four})")[0]
            middle = self.select(f"pgfit_textbook.likelihood_ratio({(low + high) / 2!r}::float8, {four})")[0]
            return "between" if middle > 1 else "outside"
        raise Unknown(key)


@method("ml_boundary", needs=["likelihood_ratio"])
class Boundary(Expressions):
    """The boundary w.x = t of two normals with identity covariances, where the ratio is 1."""

    def value(self, key):
        plus, minus = self.input["mu_pos"], self.input["mu_neg"]
        size = len(plus)
        identity = [[float(i == j) for j in range(size)] for i in range(size)]

        def log_at(x):
            return (f"pgfit_textbook.normal_log_density({vector(x)}, {vector(plus)}, {matrix(identity)}) - "
                    f"pgfit_textbook.normal_log_density({vector(x)}, {vector(minus)}, {matrix(identity)})")
        zero = [0.0] * size
        unit = self.select(*(log_at([float(i == j) for j in range(size)]) for i in range(size)), log_at(zero))
        if key == "w":
            return [v - unit[-1] for v in unit[:-1]]
        if key == "t":
            return -unit[-1]
        if key == "log_lambda":
            return self.select(*(log_at(x) for x in self.input["x"]))
        raise Unknown(key)


@method("decision_rules", needs=["posterior", "bayes_class"])
class DecisionRules(Expressions):
    def value(self, key):
        given = self.input
        if key == "posterior":
            return self.select(*(f"pgfit_textbook.posterior({vector(row)}, {vector(given['prior'])})"
                                 for row in given["likelihood"]))
        weights = {"ml": "", "map": ", " + vector(given["prior"]), "recalibrated": ", " + vector(given["weights"])}
        if key in weights:
            return [given["classes"][int(v) - 1] for v in self.select(
                *(f"pgfit_textbook.bayes_class({vector(row)}{weights[key]})" for row in given["likelihood"]))]
        raise Unknown(key)
