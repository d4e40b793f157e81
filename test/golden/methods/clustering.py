"""k-means, k-medoids and kernel k-means."""
import json
import math

from methods import ModelHandler, Unknown, method
from models import Models


class Clustering(ModelHandler):
    def __init__(self, case, session, loader):
        if "X" not in (case.get("input") or {}) and "data" not in case: # any rows
            case = dict(case, input=dict(case["input"], X=[[1.0], [2.0], [4.0]]))
        super().__init__(case, session, loader)

    def points(self, ids=None):
        chosen = "train" if ids is None else "id IN (" + ", ".join(str(int(i)) for i in ids) + ")"
        rows = self.session.rows(f"SELECT id, {self.source.array()} AS v FROM {self.source.relation} "
                                 f"WHERE {chosen} ORDER BY id")
        if ids is None:
            return [r["v"] for r in rows]
        found = {r["id"]: r["v"] for r in rows}
        return [found[i] for i in ids]

    def start(self):
        """Returns the given centroids, or those of given rows, or None."""
        if self.input.get("init") is not None:
            return self.input["init"]
        if self.param("init_ids") is not None:
            return self.points(self.param("init_ids"))
        return None

    def labels(self, model=None):
        """Returns the cluster of each training row, in order of id."""
        model = model or self.model
        rows = self.session.rows(f"SELECT id, pgfit.cluster({model.table}.m, {self.source.whole}) AS v "
                                 f"FROM {model.table}, {self.source.relation} WHERE {model.where} AND train ORDER BY id")
        return [r["v"] for r in rows]


@method("kmeans", needs=["kmeans", "cluster", "parameter", "info"])
class Kmeans(Clustering):
    def options(self, **more):
        options = dict(more, history=True)
        start = self.start()
        if start is not None:
            options["init"] = start
        else:
            options["n_init"] = self.param("restarts", 20)
        return "'" + json.dumps(options) + "'::jsonb"

    def run(self, **more):
        return self.models.fit(f"pgfit.kmeans({self.source.whole}, {self.param('k')}, {self.options(**more)})",
                               self.source.relation)

    def fit(self):
        self.model = self.run()

    def numbers(self):
        return self.model.parameter("centroids") + self.model.parameter("within")

    def centroids(self, model=None):
        flat = (model or self.model).parameter("centroids")
        width = len(flat) // int(self.param("k"))
        return [flat[i:i + width] for i in range(0, len(flat), width)]

    def sizes(self):
        sizes = [round(s) for s in self.model.parameter("sizes")]
        return sizes if self.start() is not None else sorted(sizes)

    def other(self, points):
        """Returns labels and inertia of the same fit to other points."""
        case = dict(self.case, input=dict(self.input, X=points))
        fit = Kmeans(case, self.session, self.loader)
        fit.fit()
        return {"labels": fit.canonical(), "inertia": fit.model.fact("inertia")}

    def canonical(self):
        """Numbers clusters in order of appearance."""
        names = {}
        return [names.setdefault(label, len(names) + 1) for label in self.labels()]

    def stationary(self, expected):
        """Returns fits that start at the means of each split, which must be a fixed point."""
        out = []
        for split in expected:
            start = [[c] for c in split["centroids"]]
            options = "'" + json.dumps({"init": start}) + "'::jsonb"
            model = self.models.fit(f"pgfit.kmeans({self.source.whole}, 2, {options})", self.source.relation)
            out.append({"split": split["split"], "centroids": model.parameter("centroids"),
                        "within": model.fact("inertia"), "between": model.fact("between_scatter")})
        return out

    def value(self, key):
        if key in ("inertia", "total_scatter"):
            return self.model.fact(key)
        if key == "between":
            return self.model.fact("between_scatter")
        if key == "inertia_at_most":
            return max(self.expected[key], self.model.fact("inertia"))
        if key.endswith("_note"): # prose
            return self.expected[key]
        if key == "nonempty_clusters":
            return sum(s > 0 for s in self.sizes())
        if key == "iterations":
            return self.model.info()["iterations"]
        if key == "centroids":
            return self.centroids()
        if key == "sizes":
            return self.sizes()
        if key == "labels":
            return self.labels()
        if key == "inertia_per_iteration":
            return self.model.parameter("history")[:len(self.expected[key])]
        if key == "inertia_first_assignment":
            return self.model.parameter("history")[0]
        if key == "best_known_inertia":
            best = self.models.fit(f"pgfit.kmeans({self.source.whole}, {self.param('k')}, "
                                   "'{\"n_init\": 30}'::jsonb)", self.source.relation).fact("inertia")
            return self.expected[key] if best <= 1.001 * self.expected[key] else best
        if key == "stationary":
            return self.stationary(self.expected[key])
        if key == "best_split":
            sizes = sorted(round(s) for s in self.model.parameter("sizes"))
            return {(1, 4): 1, (2, 3): 2}[tuple(sizes)]
        if key == "best":
            return self.other(self.input["X"])
        if key == "best_rescaled":
            return self.other(self.input["X_rescaled"])
        raise Unknown(key)


@method("kmeans_plusplus", needs=["kmeans", "parameter"])
class PlusPlus(Clustering):
    """Compares the frequencies of pairs over many seeds with their probabilities, within five standard errors."""
    RUNS = 3000

    def fit(self):
        rows = self.session.rows(
            "SELECT pgfit.parameter(m, 'centroids') AS c, (pgfit.info(f) -> 'statistics' ->> 'inertia')::float8 AS i "
            f"FROM generate_series(1, {self.RUNS}) seed, LATERAL (SELECT pgfit.kmeans(v, o || '{{\"max_iter\": 0}}') AS m, "
            f"pgfit.kmeans(v, o) AS f FROM (SELECT {self.source.array()} AS v, jsonb_build_object('k', 2, 'trials', 1, "
            f"'n_init', 1, 'seed', seed) AS o FROM {self.source.relation} WHERE train) r) q")
        points = [p[0] for p in self.points()]
        self.found = {}
        for row in rows:
            flat = [x[0] if isinstance(x, list) else x for x in row["c"]]
            pair = tuple(sorted(points.index(c) + 1 for c in flat))
            self.found[pair] = self.found.get(pair, 0) + 1
        self.finals = [row["i"] for row in rows]
        self.best = min(self.finals)

    def is_null(self):
        return False

    def close(self, wanted, found, deviation):
        return wanted if abs(found - wanted) <= 5 * deviation / math.sqrt(self.RUNS) else found

    def value(self, key):
        want = self.expected[key]
        if key == "pair_probability":
            return [[a, b, self.close(p, self.found.get((a, b), 0) / self.RUNS, math.sqrt(p * (1 - p)))]
                    for a, b, p in want]
        if key == "probability_optimum_single_run":
            share = sum(abs(f - self.best) < 1e-9 * self.best for f in self.finals) / self.RUNS
            return self.close(want, share, math.sqrt(want * (1 - want)))
        if key == "expected_final_inertia":
            mean = sum(self.finals) / self.RUNS
            spread = math.sqrt(sum((f - mean) ** 2 for f in self.finals) / self.RUNS)
            return self.close(want, mean, spread)
        if key == "mean_random_pair_final_inertia":
            points = [p[0] for p in self.points()]
            finals = []
            for i, a in enumerate(points):
                for b in points[:i]:
                    options = "'" + json.dumps({"init": [[a], [b]]}) + "'::jsonb"
                    finals.append(Models(self.session).fit(f"pgfit.kmeans({self.source.whole}, 2, {options})",
                                                           self.source.relation).fact("inertia"))
            return sum(finals) / len(finals)
        raise Unknown(key)


class Medoids(Clustering):
    """k-medoids and PAM: identifies medoids by their rows."""
    METRICS = {"sqeuclidean": "squared_euclidean"}

    def run(self, **options):
        metric = self.param("metric", self.param("distance", "euclidean"))
        options = dict(options, metric=self.METRICS.get(metric, metric), history=True)
        start = self.start()
        if start is not None:
            options["init"] = start
        text = "'" + json.dumps(options) + "'::jsonb"
        return self.models.fit(f"pgfit.kmedoids({self.source.whole}, {self.param('k')}, {text})", self.source.relation)

    def start(self):
        rows = self.param("init_rows", self.param("init_ids"))
        return None if rows is None else self.points(rows)

    def numbers(self):
        return self.model.parameter("medoids") + self.model.parameter("costs")

    def medoids(self):
        """Returns the numbers of the first rows that equal the medoids."""
        flat = self.model.parameter("medoids")
        points = self.points()
        width = len(points[0])
        return [points.index(flat[i:i + width]) + 1 for i in range(0, len(flat), width)]


@method("kmedoids", needs=["kmedoids", "cluster", "parameter"])
class Kmedoids(Medoids):
    def fit(self):
        self.model = self.run(algorithm="alternate")

    def value(self, key):
        if key == "medoid_rows":
            return self.medoids()
        if key == "labels":
            return self.labels()
        if key == "cost":
            return self.model.fact("cost")
        if key == "cost_per_iteration":
            return self.model.parameter("history")
        raise Unknown(key)


@method("pam", needs=["kmedoids", "parameter"])
class Pam(Medoids):
    def fit(self):
        self.model = self.run(swap="best")

    def value(self, key):
        if key in ("medoid_rows_sorted", "pam_medoid_ids_sorted"):
            return sorted(self.medoids())
        if key in ("Q", "pam_Q"):
            return self.model.fact("cost")
        if key in ("Q_per_swap", "pam_Q_per_swap"):
            return self.model.parameter("history")
        if key == "global_best_Q":
            best = self.models.fit(f"pgfit.kmedoids({self.source.whole}, {self.param('k')}, "
                                   f"'{{\"metric\": \"{self.METRICS.get(self.param('metric'), self.param('metric'))}\", "
                                   "\"init\": \"random\", \"n_init\": 50}}'::jsonb)".replace("}}'", "}'"), self.source.relation)
            return best.fact("cost")
        if key == "swap_pairs_per_iteration":
            return self.param("k") * (len(self.points()) - self.param("k"))
        if key in ("kmedoids_cost", "kmedoids_medoid_ids_sorted"):
            other = Kmedoids(self.case, self.session, self.loader)
            other.fit()
            return other.model.fact("cost") if key == "kmedoids_cost" else sorted(other.medoids())
        raise Unknown(key)


@method("silhouette", needs=["silhouette", "silhouettes"])
class SilhouetteCase(Clustering):
    METRICS = {"sqeuclidean": "squared_euclidean"}

    def __init__(self, case, session, loader):
        super().__init__(case, session, loader)
        self.clusters = None

    def fit(self):
        labels = self.param("labels")
        if isinstance(labels, list):
            self.clusters = labels
        elif labels == "the target column":
            rows = self.session.rows(f"SELECT {self.source.target} AS v FROM {self.source.relation} WHERE train ORDER BY id")
            self.clusters = [r["v"] for r in rows]
        else:
            ids = json.loads(labels[labels.index("["):])
            model = self.models.fit(f"pgfit.kmeans({self.source.whole}, {len(ids)}, "
                                    f"'{json.dumps({'init': self.points(ids)})}'::jsonb)", self.source.relation)
            self.clusters = self.labels(model)
        ids = [r["v"] for r in self.session.rows(f"SELECT id AS v FROM {self.source.relation} WHERE train ORDER BY id")]
        values = ", ".join(f"({i}, {quoted(c)})" for i, c in zip(ids, self.clusters))
        self.from_clause = (f"FROM {self.source.relation}, (VALUES {values}) AS c(row_id, cluster) "
                            "WHERE id = row_id AND train")
        self.rows = self.read("others")

    def options(self, own):
        metric = self.param("metric", "euclidean")
        return "'" + json.dumps({"metric": self.METRICS.get(metric, metric), "own": own}) + "'::jsonb"

    def read(self, own):
        return self.session.rows(f"SELECT s.* FROM unnest((SELECT pgfit.silhouettes(cluster, {self.source.whole}, "
                                 f"{self.options(own)} ORDER BY id) {self.from_clause})) s")

    def mean(self, own):
        return self.session.value(f"SELECT pgfit.silhouette(cluster, {self.source.whole}, {self.options(own)}) AS v "
                                  f"{self.from_clause}")

    def is_null(self):
        return not self.rows

    def per_cluster(self):
        sums = {}
        for row in self.rows:
            sums.setdefault(str(row["cluster"]), []).append(row["silhouette"])
        means = {name: sum(values) / len(values) for name, values in sums.items()}
        if isinstance(self.expected["per_cluster"], list):
            return [means[name] for name in sorted(means)]
        return means

    def value(self, key):
        if key == "mean":
            return self.mean("others")
        if key == "mean_including_self":
            return self.mean("all")
        if key == "values":
            values = [row["silhouette"] for row in self.rows]
            if isinstance(self.expected[key], dict):
                return {name: values[int(name) - 1] for name in self.expected[key]}
            return values
        if key == "values_including_self":
            return [row["silhouette"] for row in self.read("all")]
        if key == "a":
            return [row["own"] or 0.0 for row in self.rows]
        if key == "b":
            return [row["other"] for row in self.rows]
        if key == "per_cluster":
            return self.per_cluster()
        if key == "negative":
            return sum(row["silhouette"] < 0 for row in self.rows)
        raise Unknown(key)


def quoted(label):
    return str(label) if isinstance(label, int) else "'" + str(label).replace("'", "''") + "'"


@method("kernel_kmeans", needs=["kernel_kmeans", "cluster", "info"])
class KernelKmeans(Clustering):
    def fit(self):
        count = len(self.points())
        labels = self.param("init_labels")
        if labels is None: # "floor((id-1)*3/178) ...": blocks of one size
            k = self.param("k")
            labels = [i * k // count + 1 for i in range(count)]
        options = {name: self.param(name) for name in ("kernel", "gamma", "sigma", "degree", "coef0", "assignment")
                   if self.param(name) is not None}
        options["init"] = labels
        self.model = self.models.fit(f"pgfit.kernel_kmeans({self.source.whole}, {self.param('k', max(labels))}, "
                                     f"'{json.dumps(options)}'::jsonb ORDER BY id)", self.source.relation)

    def numbers(self):
        by_means = self.param("assignment") != "average_distance"
        return self.model.parameter("sizes") + (self.model.parameter("offsets") if by_means else [])

    def value(self, key):
        if key == "labels":
            return self.labels()
        if key == "sizes":
            return [round(s) for s in self.model.parameter("sizes")]
        if key in ("inertia", "feature_space_inertia"):
            return self.model.fact("inertia")
        if key == "iterations":
            return self.model.info()["iterations"]
        raise Unknown(key)
