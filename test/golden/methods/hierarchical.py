"""Hierarchical clustering: heights, merges numbered as in scipy, cuts."""
import json
import math
import re

from methods import Handler, Unknown, method
from models import Models
from session import number_text, quote


def vector(values):
    return "ARRAY[" + ",".join(number_text(v) for v in values) + "]::float8[]"


def partition(labels):
    """Returns labels as a set of groups, so that their numbers do not matter."""
    groups = {}
    for row, label in labels.items():
        groups.setdefault(label, set()).add(str(row))
    return sorted(sorted(g) for g in groups.values())


@method("linkage", needs=["euclidean_distance", "centroid"])
class LinkageOfSets(Handler):
    """Linkages of two sets of rows, by definition."""

    def value(self, key):
        a, b = ("(VALUES " + ", ".join(f"({vector(r)})" for r in self.input[k]) + ")" for k in "AB")
        if key == "centroid":
            return self.session.value(
                "SELECT pgfit.euclidean_distance(pgfit.parameter(p, 'center'), pgfit.parameter(q, 'center')) AS v FROM "
                f"(SELECT pgfit.centroid(x) AS p FROM {a} AS s(x)) t, (SELECT pgfit.centroid(x) AS q FROM {b} AS s(x)) u")
        function = {"single": "min", "complete": "max", "average": "avg"}.get(key)
        if not function:
            raise Unknown(key)
        return self.session.value(f"SELECT {function}(pgfit.euclidean_distance(t.x, u.x)) AS v "
                                  f"FROM {a} AS t(x), {b} AS u(x)")


@method("hac", needs=["hierarchical", "dendrogram_merges", "cut", "euclidean_distance"])
class Hierarchical(Handler):
    def fit(self):
        self.source = self.loader.source(self.case)
        self.models = Models(self.session)
        self.trees = {}
        self.tree()

    def tree(self, linkage=None):
        linkage = linkage or self.param("linkage", "single")
        if linkage not in self.trees:
            options = {"linkage": linkage}
            if self.param("connectivity", None):
                options["connectivity"] = self.param("connectivity")
            options = quote(json.dumps(options)) + "::jsonb"
            self.trees[linkage] = self.models.fit(f"pgfit.hierarchical(id, {self.source.array()}, {options})",
                                                  self.source.relation)
        return self.trees[linkage]

    def merges(self, linkage=None):
        tree = self.tree(linkage)
        return self.session.rows(f"SELECT m.* FROM {tree.table}, pgfit.dendrogram_merges(m) AS m WHERE {tree.where} ORDER BY merge")

    def scipy(self):
        """Returns [a, b, height, size] per merge: rows count from 0 in order of id, merge s is cluster n + s, a < b."""
        merges = self.merges()
        n = len(merges) + 1
        ids = sorted(r["id"] for r in self.session.rows(f"SELECT id FROM {self.source.relation} WHERE train"))
        place = {str(i): k for k, i in enumerate(ids)}
        return [sorted(place[m[f"id_{s}"]] if m[s] is None else n + m[s] - 1 for s in "ab") + [m["height"], m["size"]]
                for m in merges]

    def cut(self, k):
        tree = self.tree()
        rows = self.session.rows(f"SELECT c.* FROM {tree.table}, pgfit.cut(m, {int(k)}) AS c WHERE {tree.where}")
        return {r["id"]: r["cluster"] for r in rows}

    def sizes(self, k):
        return sorted((len(g) for g in partition(self.cut(k))), reverse=True)

    def silhouettes(self, k):
        """Returns (b - a) / max(a, b) of every row, 0 for a row alone in its cluster."""
        tree = self.tree()
        return [r["s"] for r in self.session.rows(
            f"WITH r AS MATERIALIZED (SELECT c.cluster, {self.source.array()} AS x, d.id FROM {self.rows()}, "
            f"(SELECT c.* FROM {tree.table}, pgfit.cut(m, {int(k)}, NULL::bigint) AS c WHERE {tree.where}) c WHERE c.id = d.id), "
            "means AS (SELECT p.id, p.cluster AS own, q.cluster, sum(pgfit.euclidean_distance(p.x, q.x)) AS total, count(*) AS n "
            "FROM r p, r q GROUP BY 1, 2, 3) "
            "SELECT CASE WHEN min(n) FILTER (WHERE cluster = own) = 1 THEN 0 ELSE (b - a) / greatest(a, b) END AS s FROM "
            "(SELECT *, min(total / n) FILTER (WHERE cluster <> own) OVER w AS b, "
            "max(total / nullif(n - 1, 0)) FILTER (WHERE cluster = own) OVER w AS a FROM means WINDOW w AS (PARTITION BY id)) s "
            "GROUP BY id, a, b")]

    def rows(self):
        relation = self.source.relation
        return relation if " d, " in relation else f"{relation} d"

    def compare_key(self, key, want, tolerance):
        match = re.fullmatch(r"cut(\d+)_labels", key)
        if not match:
            return None
        got = partition(self.cut(match.group(1)))
        expected = partition({i + 1: label for i, label in enumerate(want)})
        return [] if got == expected else [(key, got, expected)]

    def value(self, key):
        match = re.fullmatch(r"cut(\d*)_(silhouette_mean|min_silhouette)", key)
        if match:
            values = self.silhouettes(match.group(1) or self.expected["cut_silhouette_k"])
            return min(values) if match.group(2) == "min_silhouette" else math.fsum(values) / len(values)
        if key == "cut_silhouette_k":
            return self.expected[key]
        if key == "cut_sizes_sorted":
            return {k: self.sizes(k) for k in self.expected[key]}
        if key == "heights":
            return [m["height"] for m in self.merges()]
        if key == "merges_scipy":
            return self.scipy()
        if key == "monotone":
            return self.tree().info()["statistics"]["monotone"]
        if key == "first_merge":
            return sorted(int(self.merges()[0][f"id_{s}"]) for s in "ab")
        if key == "other_linkages":
            return {linkage: [m["height"] for m in self.merges(linkage)] for linkage in self.expected[key]}
        raise Unknown(key)
