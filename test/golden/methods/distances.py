"""Distances and kernels of two rows, and what is computed from them for many rows."""
import json
import math

from methods import Handler, Unknown, method
from models import Models
from session import number_text, quote


def vector(values):
    return "ARRAY[" + ",".join(number_text(v) for v in values) + "]::float8[]"


def matrix(rows):
    return "ARRAY[" + ",".join("[" + ",".join(number_text(v) for v in row) + "]" for row in rows) + "]::float8[]"


def literal(value):
    return quote(value) if isinstance(value, str) else vector(value)


class Pair(Handler):
    """Two rows x and y. call(function, extra arguments) returns the value of a function for them."""

    def call(self, function, *extra, x=None, y=None):
        x = self.input.get("x") if x is None else x
        y = self.input.get("y") if y is None else y
        if isinstance(x, str):
            arguments = [quote(x), quote(y)]
        else:
            arguments = [vector(x), vector(y)]
        return self.session.value(f"SELECT pgfit.{function}({', '.join(arguments + list(extra))}) AS v")

    def numbers(self):
        return [self.plain] if isinstance(getattr(self, "plain", None), float) else []


class One(Pair):
    """The value of one function."""
    function = None

    def fit(self):
        self.plain = self.call(self.function) if "x" in self.input else None

    def value(self, key):
        if key == "value":
            return self.plain
        raise Unknown(key)


@method("minkowski", needs=["minkowski_distance", "euclidean_distance", "manhattan_distance", "chebyshev_distance", "is_metric"])
class Minkowski(One):
    def fit(self):
        self.p = self.param("p", 2)
        if "x" in self.input:
            self.plain = self.order(self.input["x"], self.input["y"])
        elif "O" not in self.input:
            self.plain = self.order([0, 0], [1, 1])

    def order(self, x, y):
        return self.call("minkowski_distance", f"'{self.p}'::float8", x=x, y=y)

    def moved(self, point, how):
        if how == "rotated":
            return [math.fsum(a * b for a, b in zip(row, point)) for row in self.input["rotation"]]
        if how == "shifted":
            return [a + b for a, b in zip(point, self.input["shift"])]
        return [a * self.input["scale"] for a in point]

    def value(self, key):
        if key.startswith("d_"):
            return self.order(self.input[key[2]], self.input[key[3]])
        if key == "triangle_inequality_holds":
            return self.session.value(f"SELECT triangle AS v FROM pgfit_textbook.is_metric('minkowski', {self.p})")
        name, _, how = key.partition("_")
        function = {"euclid": "euclidean_distance", "manhattan": "manhattan_distance",
                    "chebyshev": "chebyshev_distance"}.get(name)
        if function:
            points = [self.moved(self.input[k], how) if how else self.input[k] for k in "xy"]
            return self.call(function, x=points[0], y=points[1])
        return super().value(key)


@method("chebyshev", needs=["chebyshev_distance"])
class Chebyshev(One):
    function = "chebyshev_distance"


@method("manhattan", needs=["manhattan_distance"])
class Manhattan(One):
    function = "manhattan_distance"


@method("l0", needs=["hamming_distance"])
class Differing(One):
    function = "hamming_distance"


@method("euclidean", needs=["euclidean_distance", "squared_euclidean_distance"])
class Euclidean(One):
    function = "euclidean_distance"

    def value(self, key):
        return self.call("squared_euclidean_distance") if key == "squared" else super().value(key)


@method("hamming", needs=["hamming_distance", "minkowski_distance"])
class Hamming(One):
    function = "hamming_distance"

    def value(self, key):
        bits = {k: [int(c) for c in self.input[k]] for k in "xy"}
        order = {"l1_on_bits": "1", "l2_on_bits": "2", "linf_on_bits": "'Infinity'"}.get(key)
        if order:
            return self.call("minkowski_distance", f"{order}::float8", x=bits["x"], y=bits["y"])
        if key == "relative_hamming":
            return self.plain / len(self.input["x"])
        return super().value(key)


@method("levenshtein", needs=["edit_distance"])
class Levenshtein(One):
    function = "edit_distance"


@method("elliptical_matrix", needs=["elliptical_distance"])
class EllipticalMatrix(Pair):
    """M = R'S'SR: its quadratic form is the squared distance from the origin."""

    def fit(self):
        r, s = self.input["R"], self.input["S"]
        sr = [[math.fsum(s[i][k] * r[k][j] for k in range(2)) for j in range(2)] for i in range(2)]
        self.m = [[math.fsum(sr[k][i] * sr[k][j] for k in range(2)) for j in range(2)] for i in range(2)]

    def form(self, point):
        return self.call("elliptical_distance", matrix(self.m), x=point, y=[0, 0]) ** 2

    def value(self, key):
        x2, y2 = self.form([1, 0]), self.form([0, 1])
        xy = self.form([1, 1]) - x2 - y2
        if key == "M":
            return [[x2, xy / 2], [xy / 2, y2]]
        if key == "quadratic_form":
            return {"x2": x2, "y2": y2, "xy": xy}
        if key == "eigenvalues_desc":
            return [self.form([math.sqrt(0.5), -math.sqrt(0.5)]), self.form([math.sqrt(0.5), math.sqrt(0.5)])]
        if key == "rhs":
            return self.form([0.5 * math.sqrt(0.5), -0.5 * math.sqrt(0.5)])
        raise Unknown(key)


@method("mahalanobis", needs=["mahalanobis_distance", "elliptical_distance", "feature_moments"])
class Mahalanobis(Pair):
    @classmethod
    def needed(cls, case):
        return cls.needs + (["centroid"] if "data" in case else [])

    def fit(self):
        if "data" in self.case:
            return self.from_mean()
        sigma, m = self.input.get("sigma"), self.input.get("M")
        if "points" in self.input:
            self.values = [self.call("elliptical_distance", matrix(m), x=p, y=self.input["y"]) for p in self.input["points"]]
            return None
        self.plain = self.call("mahalanobis_distance", matrix(sigma))
        if m:
            other = self.call("elliptical_distance", matrix(m))
            if abs(other - self.plain) > 1e-9 * self.plain:
                raise Unknown("elliptical_distance")
        return None

    def from_mean(self):
        """Returns the distance of every row from the mean, by moments of the same rows."""
        source = self.loader.source(self.case)
        self.lines = self.session.rows(
            f"WITH s AS (SELECT pgfit.feature_moments({source.array()}) AS e, pgfit.centroid({source.array()}) AS c "
            f"FROM {source.relation} WHERE train) SELECT d.id, pgfit.mahalanobis_distance({source.array()}, "
            f"pgfit.parameter(c, 'center'), e) AS d FROM {source.relation}, s WHERE train ORDER BY 2 DESC")

    def value(self, key):
        if key == "value":
            return self.plain
        if key == "squared":
            return self.plain ** 2
        if key == "values":
            return self.values
        distances = [r["d"] for r in self.lines]
        if key == "sum_squared":
            return math.fsum(d * d for d in distances)
        if key == "mean":
            return math.fsum(distances) / len(distances)
        if key == "largest":
            return [{"id": r["id"], "distance": r["d"]} for r in self.lines[:len(self.expected["largest"])]]
        raise Unknown(key)


@method("standardised_euclidean", needs=["standardized_euclidean_distance"])
class Standardised(Pair):
    def value(self, key):
        n = 3  # the variances of the case are of so many rows
        variances = self.input["variances"]
        if key == "value_ddof1":
            variances = [v * n / (n - 1) for v in variances]
        elif key != "value":
            raise Unknown(key)
        return self.call("standardized_euclidean_distance", vector(variances))


@method("cosine", needs=["cosine_distance", "cosine_similarity"])
class Cosine(One):
    function = "cosine_distance"

    def between(self, a, b):
        return self.call("cosine_distance", x=self.input[a], y=self.input[b])

    def value(self, key):
        if key == "similarity":
            return self.call("cosine_similarity")
        if key == "distance":
            return self.plain
        if key == "d_ac":
            return self.between("a", "c")
        if key == "d_ab_plus_d_bc":
            return self.between("a", "b") + self.between("b", "c")
        if key == "triangle_inequality_holds":
            return self.session.value("SELECT triangle AS v FROM pgfit_textbook.is_metric('cosine')")
        return super().value(key)


@method("angular", needs=["angular_distance"])
class Angular(One):
    function = "angular_distance"

    def value(self, key):
        return self.plain if key == "radians" else super().value(key)


@method("chess", needs=["chebyshev_distance", "manhattan_distance", "hamming_distance"])
class Chess(Pair):
    """Moves of chess pieces to every square: distances for king, rook and a rook of single steps; the others follow."""

    def square(self, piece, file, rank):
        start = [self.input["from"]["file"], self.input["from"]["rank"]]
        to = [file, rank]
        function = {"king": "chebyshev_distance", "bing": "chebyshev_distance", "krook": "manhattan_distance",
                    "rook": "hamming_distance"}.get(piece)
        if piece in ("bishop", "bing") and (sum(start) - sum(to)) % 2:
            return None
        if function:
            return self.call(function, x=start, y=to)
        differing = self.call("hamming_distance", x=start, y=to)
        diagonal = self.call("manhattan_distance", x=start, y=to) == 2 * self.call("chebyshev_distance", x=start, y=to)
        straight = 0 if differing == 0 else 1 if diagonal else None
        if piece == "bishop":
            return straight if straight is not None else 2
        if piece == "queen":
            return straight if straight is not None else differing
        raise Unknown(piece)

    def knight(self):
        """Returns the moves of a knight, by steps of squared length 5."""
        start = (self.input["from"]["file"], self.input["from"]["rank"])
        moves, reached = {start: 0}, [start]
        squares = [(f, r) for f in range(1, 9) for r in range(1, 9)]
        steps = {(a, b) for a in range(8) for b in range(8)
                 if self.call("squared_euclidean_distance", x=[0, 0], y=[a, b]) == 5}
        while reached:
            now, reached = reached, []
            for a in now:
                for b in squares:
                    if b not in moves and (abs(a[0] - b[0]), abs(a[1] - b[1])) in steps:
                        moves[b] = moves[a] + 1
                        reached.append(b)
        return [[moves[(file, rank)] for file in range(1, 9)] for rank in range(1, 9)]

    def value(self, key):
        if key == "knight":
            return self.knight()
        return [[self.square(key, file, rank) for file in range(1, 9)] for rank in range(1, 9)]


@method("mixed", needs=["distance"])
class Mixed(Pair):
    """Rows of numbers, an unordered symbol, and an ordered one: an enum."""

    def fit(self):
        codes = sorted(self.input["ordered_codes"], key=self.input["ordered_codes"].get)
        self.session.execute("CREATE TYPE pg_temp.golden_size AS ENUM (" + ", ".join(quote(c) for c in codes) + ")")
        self.rows = [f"({r['num']}::float8, {quote(r['colour'])}::text, {quote(r['size'])}::pg_temp.golden_size)"
                     for r in (self.input["x"], self.input["y"])]

    def distance(self, p, *rows):
        options = {"variances": [self.input["numeric_variance"], self.input["ordered_variance"]], "p": p}
        return self.session.value(f"SELECT pgfit.distance({', '.join(rows or self.rows)}, 'mixed', "
                                  f"{quote(json.dumps(options))}::jsonb) AS v")

    def value(self, key):
        if key in ("l1", "l2"):
            return self.distance(int(key[1]))
        if key == "components":
            x, y = self.input["x"], self.input["y"]
            out = []
            for name in ("num", "colour", "size"):
                other = dict(x)
                other[name] = y[name]
                out.append(self.distance(1, self.rows[0], f"({other['num']}::float8, {quote(other['colour'])}::text, "
                                                          f"{quote(other['size'])}::pg_temp.golden_size)"))
            return out
        raise Unknown(key)


@method("pairwise", needs=["euclidean_distance", "squared_euclidean_distance"])
class Pairwise(Pair):
    def value(self, key):
        function = {"euclidean": "euclidean_distance", "sqeuclidean": "squared_euclidean_distance"}.get(key)
        if not function:
            raise Unknown(key)
        return [[self.call(function, x=a, y=b) for b in self.input["X"]] for a in self.input["X"]]


# ---- kernels ----

class KernelCase(Pair):
    kernel = None
    function = "kernel"

    def options(self):
        given = {k: self.params[k] for k in ("degree", "gamma", "sigma") if k in self.params}
        if "c0" in self.params:
            given["coef0"] = self.params["c0"]
        return given

    def of(self, x=None, y=None, function=None, options=None):
        name = self.kernel or {"poly": "polynomial", "gaussian": "rbf"}.get(self.params["kernel"], self.params["kernel"])
        return self.call(function or self.function, quote(name), quote(json.dumps(options or self.options())) + "::jsonb",
                         x=x, y=y)

    def fit(self):
        self.plain = self.of()

    def value(self, key):
        if key == "value":
            return self.plain
        raise Unknown(key)


@method("linear_kernel", needs=["kernel"])
class LinearKernel(KernelCase):
    kernel = "linear"


@method("sigmoid_kernel", needs=["kernel"])
class SigmoidKernel(KernelCase):
    kernel = "sigmoid"


@method("polynomial_kernel", needs=["kernel"])
class PolynomialKernel(KernelCase):
    kernel = "polynomial"

    def value(self, key):
        x, y = self.input["x"], self.input["y"]
        if key in ("phi_x", "phi_y"):
            u = self.input[key[-1]]
            root = math.sqrt(2)
            phi = [u[0] ** 2, u[1] ** 2, root * u[0] * u[1]]
            if self.params.get("c0"):
                phi += [root * u[0], root * u[1], 1]
            return phi
        if key == "squared_features_only":
            return self.call("kernel", "'linear'", x=[v * v for v in x], y=[v * v for v in y])
        return super().value(key)


@method("gaussian_kernel", "rbf_kernel", needs=["kernel"])
class RbfKernel(KernelCase):
    kernel = "rbf"

    def value(self, key):
        if key == "self":
            return self.of(x=self.input["x"], y=self.input["x"])
        if key == "equivalent_gamma":
            gamma = 1 / (2 * self.params["sigma"] ** 2)
            if abs(self.of(options={"gamma": gamma}) - self.plain) > 1e-12 * self.plain:
                raise Unknown(key)
            return gamma
        return super().value(key)


@method("kernel_distance", needs=["kernel_distance"])
class KernelDistance(KernelCase):
    function = "kernel_distance"


@method("kernel_cosine", needs=["kernel_cosine"])
class KernelCosine(KernelCase):
    function = "kernel_cosine"


@method("gram", needs=["gram_matrix"])
class Gram(Handler):
    def gram(self, rows):
        values = ", ".join(f"({i}, {vector(r)})" for i, r in enumerate(rows))
        return self.session.value(f"SELECT pgfit_textbook.gram_matrix(x, 'linear' ORDER BY i) AS v FROM (VALUES {values}) AS t(i, x)")

    def value(self, key):
        rows = self.input["X"]
        if key == "gram":
            return self.gram(rows)
        if key == "gram_signed":
            return self.gram([[y * v for v in row] for y, row in zip(self.input["y"], rows)])
        raise Unknown(key)


@method("center_gram", needs=["center_gram"])
class CenterGram(Handler):
    def value(self, key):
        if key != "centred":
            raise Unknown(key)
        return self.session.value(f"SELECT pgfit_textbook.center_gram({matrix(self.input['gram'])}) AS v")


# ---- many rows ----

@method("pairwise_distances", needs=["distance_histogram", "histogram"])
class PairwiseDistances(Handler):
    def fit(self):
        source = self.loader.source(self.case)
        bins = self.expected.get("histogram", {}).get("edges_from_0_to_max", 10)
        options = quote(json.dumps({"low": 0, "quantiles": [0.25, 0.5, 0.75]}))
        self.model = Models(self.session).fit(
            f"pgfit.distance_histogram({source.whole}, {bins}, {options}::jsonb)", source.relation)

    def value(self, key):
        facts = {"pairs": "pairs", "min": "min", "max": "max", "mean": "mean", "std_pop": "sd", "zero_pairs": "zero_pairs"}
        if key in facts:
            return self.model.fact(facts[key])
        if key == "quantiles_0.25_0.5_0.75":
            return self.model.parameter("quantiles")
        if key == "histogram":
            counts = self.session.rows(f"SELECT h.count FROM {self.model.table}, pgfit.histogram(m) h "
                                       f"WHERE {self.model.where} ORDER BY h.low")
            return {"edges_from_0_to_max": len(counts), "counts": [r["count"] for r in counts]}
        raise Unknown(key)


METRICS = {"sqeuclidean": "squared_euclidean"}


@method("exemplars", needs=["centroid", "medoid", "geometric_median", "distance", "norm"])
class Exemplars(Handler):
    """Mean, geometric median and medoids, and their costs."""

    def fit(self):
        self.source = self.loader.source(self.case)
        self.models = Models(self.session)
        self.centroid = self.models.fit(f"pgfit.centroid({self.source.array()})", self.source.relation)
        self.median = self.models.fit(f"pgfit.geometric_median({self.source.array()})", self.source.relation)

    def total(self, model, metric):
        place = vector(model.parameter("center"))
        return self.session.value(f"SELECT sum(pgfit.distance({self.source.array()}, {place}, '{metric}')) AS v "
                                  f"FROM {self.source.relation} WHERE train")

    def medoid(self, metric):
        """Returns the ids of the rows that equal the medoid, and its cost in the model."""
        metric = METRICS.get(metric, metric)
        model = self.models.fit(f"pgfit.medoid({self.source.array()}, '{{\"metric\":\"{metric}\"}}'::jsonb)",
                                self.source.relation)
        place = vector(model.parameter("center"))
        rows = self.session.rows(f"SELECT id FROM {self.source.relation} WHERE train AND "
                                 f"{self.source.array()} = {place} ORDER BY id")
        return [r["id"] for r in rows], model.fact("objective")

    def value(self, key):
        if key == "mean":
            return self.centroid.parameter("center")
        if key in ("sum_sq_to_mean", "scatter"):
            return self.total(self.centroid, "squared_euclidean")
        if key == "sum_dist_to_mean":
            return self.total(self.centroid, "euclidean")
        if key == "geometric_median":
            return self.median.parameter("center")
        if key in ("sum_dist_to_geometric_median", "geometric_median_cost"):
            return self.total(self.median, "euclidean")
        if key == "coordinate_median":
            return [self.session.value(f"SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY {f}) AS v "
                                       f"FROM {self.source.relation} WHERE train") for f in self.source.features]
        if key == "medoid_row":
            return {metric: self.medoid(metric)[0][0] for metric in self.expected[key]}
        if key == "medoid_cost":
            return {metric: self.medoid(metric)[1] for metric in self.expected[key]}
        if key.startswith("medoid_"):
            ids, cost = self.medoid(key[len("medoid_"):])
            return {"ids": ids, "cost": cost}
        raise Unknown(key)
