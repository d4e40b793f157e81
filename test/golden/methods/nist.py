"""
The NIST linear least squares sets: the minimum log relative error over seeded row orders, serial, with
two workers, and merged from 7 stored parts that went through text.
"""
import json
import math
import random

from methods import Handler, Unknown, method
from session import SqlError, number, quote
from source import matrix_rows, powers

SCHEMA = "golden_nist"
PARTS = 7
WAYS = ("serial", "two workers", "7 parts")
LIMIT = 16.0  # doubles have no more digits
REPORTED = ("coefficients", "std_errors", "residual_std_dev", "r_squared")
SCAN_SECONDS = 0.3  # of one worker alone, the first time
TRIES = 6
FLOOR = {"std_errors": 4.0, "residual_std_dev": 4.0, "r_squared": 4.0}  # sanity, far below what is reported


def lre(got, want):
    """Returns the correct digits: -log10 of the relative error, or of the absolute one if the truth is 0."""
    if got is None or not math.isfinite(got):
        return -math.inf
    error = abs(got - want) / abs(want) if want else abs(got)
    return LIMIT if error == 0 else min(LIMIT, -math.log10(error))


@method("ols_nist", needs=["linear_regression", "moments", "coefficients", "info"])
class Nist(Handler):
    heading_printed = False

    def fit(self):
        orders = int((self.case.get("tolerance") or {}).get("row_orders", 20))
        x = matrix_rows(self.input.get("x", self.input.get("X")))
        y = self.input["y"]
        degree = self.param("degree")
        self.intercept = self.param("intercept", True) is not False
        self.options = quote(json.dumps({} if self.intercept else {"intercept": False})) + "::jsonb"
        if degree:
            self.features = "ARRAY[" + ", ".join(powers("x[1]", int(degree))) + "]"
        else:
            self.features = "x"
        self.load(x, y, orders)
        self.results = {"serial": self.serial(), "two workers": self.parallel(), "7 parts": self.merged()}
        self.minima = {way: self.minimum(rows, orders) for way, rows in self.results.items()}
        self.session.execute(f"DROP SCHEMA {SCHEMA} CASCADE")

    def load(self, x, y, orders):
        """Stores the rows of all orders, interleaved and spread over many pages, so that workers share every order."""
        self.session.execute("SET client_min_messages = error")
        self.session.execute(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE")
        self.session.execute(f"CREATE SCHEMA {SCHEMA}")
        self.session.execute(f"CREATE FUNCTION {SCHEMA}.pause(float8) RETURNS boolean LANGUAGE plpgsql PARALLEL SAFE COST 100000 "
                             "AS 'BEGIN PERFORM pg_sleep($1); RETURN true; END'")
        self.session.execute(f"CREATE UNLOGGED TABLE {SCHEMA}.rows (pos int, ord int, part int, y float8, x float8[], "
                             "filler text) WITH (fillfactor = 10)")
        rows = []
        n = len(y)
        for order in range(orders):
            picks = list(range(n))
            if order:
                random.Random(f"nist {order}").shuffle(picks)
            for pos, i in enumerate(picks):
                rows.append((pos, order, pos * PARTS // n, y[i], "{" + ",".join(map(repr, x[i])) + "}", "-" * 20))
        rows.sort()
        self.session.copy(f"{SCHEMA}.rows", ["pos", "ord", "part", "y", "x", "filler"], rows)
        self.session.execute(f"ANALYZE {SCHEMA}.rows")

    def read(self, models, workers=0):
        """
        Coefficients and statistics of every order. models: a query with columns ord, m; workers: how many
        have to take part in the very run that is read.
        """
        create = f"CREATE TABLE {SCHEMA}.models AS {models}"
        try:
            if workers:
                plan = self.session.text(f"EXPLAIN (ANALYZE, VERBOSE, FORMAT JSON, TIMING OFF) {create}")
                if self.working(json.loads(plan)[0]["Plan"]) != workers:
                    return None
            else:
                self.session.execute(create)
            return self.session.rows(
                f"SELECT ord, pgfit.info(m) AS info, (SELECT json_agg(row_to_json(c)) FROM "
                f"(SELECT * FROM pgfit.coefficients(m)) c) AS lines FROM {SCHEMA}.models ORDER BY ord")
        finally:
            self.session.execute(f"DROP TABLE IF EXISTS {SCHEMA}.models")

    def serial(self):
        self.session.execute("SET max_parallel_workers_per_gather = 0")
        return self.read(f"SELECT ord, pgfit.linear_regression(y, {self.features}, {self.options} ORDER BY pos) AS m "
                         f"FROM {SCHEMA}.rows GROUP BY ord")

    def parallel(self):
        """
        Two workers without the leader. A pause at each row lets both take part in so small a table; on a busy machine the first
        may still be done before the second starts, and then it is tried again with pauses twice as long.
        """
        for setting in ("parallel_setup_cost = 0", "parallel_tuple_cost = 100", "min_parallel_table_scan_size = 0",
                        "max_parallel_workers_per_gather = 2", "parallel_leader_participation = off"):
            self.session.execute("SET " + setting)
        try:
            self.session.execute(f"ALTER TABLE {SCHEMA}.rows SET (parallel_workers = 2)")
            pause = max(0.00005, SCAN_SECONDS / self.session.value(f"SELECT count(*) FROM {SCHEMA}.rows"))
            for attempt in range(TRIES):
                rows = self.read(f"SELECT ord, pgfit.linear_regression(y, {self.features}, {self.options}) AS m FROM {SCHEMA}.rows "
                                 f"WHERE {SCHEMA}.pause({pause * 2 ** attempt}) IS NOT NULL GROUP BY ord", workers=2)
                if rows is not None:
                    return rows
            raise SqlError("golden", f"rows never went through two workers in {TRIES} tries")
        finally:
            self.session.execute("RESET ALL")
            for statement in self.session.setup:
                if statement.startswith("SET"):
                    self.session.execute(statement)

    @staticmethod
    def working(plan):
        """Returns how many workers had rows. The plan must have a Partial Aggregate."""
        nodes, stack = [], [plan]
        while stack:
            node = stack.pop()
            nodes.append(node)
            stack += node.get("Plans", [])
        if not any(n["Node Type"] == "Aggregate" and n.get("Partial Mode") == "Partial" for n in nodes):
            raise SqlError("golden", "no Partial Aggregate in the parallel plan")
        scans = [n for n in nodes if "Scan" in n["Node Type"]]
        return len([w for n in scans for w in n.get("Workers", []) if w["Actual Rows"] > 0])

    def merged(self):
        self.session.execute("SET max_parallel_workers_per_gather = 0")
        self.session.execute(f"CREATE TABLE {SCHEMA}.parts AS SELECT ord, part, pgfit.moments(y, {self.features} "
                             f"ORDER BY pos)::text AS e FROM {SCHEMA}.rows GROUP BY ord, part")
        return self.read(f"SELECT ord, pgfit.fit('linear_regression', pgfit.merge(e::pgfit.model ORDER BY part), {self.options}) AS m "
                         f"FROM {SCHEMA}.parts GROUP BY ord")

    def minimum(self, rows, orders):
        """Returns the fewest correct digits over the orders, per quantity."""
        if len(rows) != orders:
            raise SqlError("golden", f"{len(rows)} models of {orders} orders")
        out = {name: LIMIT for name in REPORTED}
        for row in rows:
            lines = row["lines"] or []
            if self.intercept:
                lines = [c for c in lines if c["term"] == "(intercept)"] + \
                        [c for c in lines if c["term"] != "(intercept)"]
            facts = row["info"].get("statistics", row["info"])
            got = {"coefficients": [number(c["estimate"]) for c in lines],
                   "std_errors": [number(c["std_error"]) for c in lines],
                   "residual_std_dev": [number(facts.get("sigma"))],
                   "r_squared": [number(facts.get("r_squared"))]}
            for name, values in got.items():
                want = self.expected.get(name)
                if want is None:
                    continue
                want = want if isinstance(want, list) else [want]
                if len(want) != len(values):
                    out[name] = -math.inf
                else:
                    out[name] = min([out[name]] + [lre(g, w) for g, w in zip(values, want)])
        return out

    def compare_key(self, key, want, tolerance):
        if key not in REPORTED:
            return None
        bar = (self.case.get("tolerance") or {}).get("min_lre_coefficients")
        if key != "coefficients":
            exact_fit = self.expected.get("residual_std_dev") == 0
            bar = None if exact_fit and key != "r_squared" else FLOOR[key]
        if bar is None:
            return []
        return [(f"{key} [{way}]", f"{self.minima[way][key]:.2f} digits", f"at least {bar}")
                for way in WAYS if not self.minima[way][key] >= bar]

    def value(self, key):
        raise Unknown(key)

    def report(self):
        lines = []
        if not Nist.heading_printed:
            Nist.heading_printed = True
            lines.append("fewest correct digits over the row orders (coefficients / std errors / residual std dev / R2)")
        cells = "   ".join(way + " " + " / ".join(f"{self.minima[way][k]:.2f}" for k in REPORTED) for way in WAYS)
        bar = (self.case.get("tolerance") or {}).get("min_lre_coefficients")
        lines.append(f"  {self.case['id']:16s} bar {bar:<5}  {cells}")
        return lines



