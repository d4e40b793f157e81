"""Random tables, and a call of every estimator of the registry over them."""
import json
import random
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "golden"))
from session import quote  # noqa: E402  the SQL session of the golden cases

NUMBERS = ["a", "b"]  # numeric features
ALL = NUMBERS + ["c"]  # c is text
# what an estimator cannot be called without
SPECIAL = {"dbscan": {"radius": 1.5}, "ordinal_regression": {"levels": ["u", "v", "w"]}, "cox_regression": {"event": "ev"},
           "mixed_regression": {"formula": "a + b + (1 | c)"}, "multiple_quantile_regression": {"quantile": [0.25, 0.5]},
           "kernel_pca": {"k": 2}, "mds": {"k": 2}, "pca": {"k": 1}}
# options that say how to compute rather than what, or that have relations of their own
FIXED = {"seed", "max_iter", "tolerance", "formula", "features", "nulls", "missing", "unseen", "on_failure", "weight_kind", "max_levels", "reference",
         "start", "too_few_rows", "history", "loo", "n_trees", "n_init", "mistakes", "positive", "levels", "event"}
PAD = "repeat('x', 900)"  # so that a table of 40 rows has pages enough for two workers


def numbers(text):
    return [float(n) for n in re.findall(r"-?[\d.]+(?:e[+-]?\d+)?", text or "")]


def choices(option):
    """Returns values to draw for an option, from its type and range in the registry."""
    kind, allowed = option["type"], option["range"] or ""
    found = re.findall(r'"([^"]+)"', allowed)
    if "boolean" in kind:
        found += [True, False]
    if re.match(r"integer|number", kind):
        low = re.search(r"(-?[\d.e+-]+) (<=?) x", allowed) or re.search(r"x >=? (-?[\d.e+-]+)", allowed)
        high = re.search(r"x (<=?) ([\d.e+]+)", allowed)
        low = float(low.group(1)) if low else -1e300
        high = float(high.group(2)) if high else 1e300
        strict = "x > " in allowed or "< x" in allowed
        found += [v for v in ([1, 2, 3, 5] if kind.startswith("integer") else [0.25, 0.5, 1, 2]) if low < v < high or v == low and not strict]
    return found


class Table:
    """A random table r: 18 to 60 rows, whole numbers in half of the tables, so that rows and targets tie."""

    def __init__(self, seed, number):
        rng = random.Random(f"{seed} table {number}")
        self.whole = rng.random() < 0.4
        n = rng.choice([18, 24, 30, 45, 60])
        classes = rng.choice(["uv", "uvw"])
        self.rows = []
        for i in range(n):
            label = rng.randrange(len(classes))
            draw = (lambda spread: float(round(rng.gauss(0, spread)))) if self.whole else (lambda spread: round(rng.gauss(0, spread) * 1024) / 1024)
            a, b, c = draw(2) + label, draw(1.5), rng.choice("xyz")
            y = 2 * a - b + {"x": 0, "y": 1, "z": -2}[c] + draw(1.5)
            self.rows.append((i * 7919 % 10007, a, b, c, y, max(1.0, float(round(abs(y)))), y / 2 + draw(1), classes[label], rng.random() < 0.7, rng.randint(1, 3), i % 3 > 0))
        present = {row[7] for row in self.rows}
        if len(present) < 2:
            self.rows[0] = self.rows[0][:7] + (classes[classes[0] in present],) + self.rows[0][8:]
        self.name = f"table {number}: {n} rows of {'whole' if self.whole else 'any'} numbers, {len(classes)} classes"

    def load(self, session):
        session.execute("DROP TABLE IF EXISTS r CASCADE")
        values = ", ".join(f"({i}, {a!r}, {b!r}, '{c}', {y!r}, {p!r}, {y2!r}, '{k}', {ev}, {w}, {int(g)})" for i, a, b, c, y, p, y2, k, ev, w, g in self.rows)
        session.execute(f"""CREATE TABLE r WITH (parallel_workers = 2, fillfactor = 30) AS SELECT id, a::float8, b::float8, c, y::float8, p::float8, y2::float8, k, ev,
            w::float8, g, {PAD} AS pad FROM (VALUES {values}) AS v(id, a, b, c, y, p, y2, k, ev, w, g)""")
        session.execute("CREATE VIEW v AS SELECT id, a, b, c, y, p, y2, k, ev, w, g FROM r")
        session.execute("ANALYZE r")


class Case:
    """A fit: what is drawn from which rows. but(...) returns a changed copy."""

    def __init__(self, **fields):
        self.__dict__.update(fields)

    def but(self, **fields):
        return Case(**{**self.__dict__, **fields})

    def option(self, **more):
        return self.but(options={**self.options, **more})

    def mapped(self, change):
        """Returns the case with another expression for each numeric column, also in the rows that are scored."""
        return self.but(columns={n: change(n, e) if n in NUMBERS else e for n, e in self.columns.items()})

    def features(self):
        """Returns the FROM item f of the features."""
        return f"LATERAL (SELECT {', '.join(f'{e} AS {n}' for n, e in self.columns.items())}) AS f"

    def call(self):
        options = quote(json.dumps(self.options)).strip() if self.parameter is None else self.parameter
        return (f"pgfit.{self.estimator}({self.first + ', ' if self.first else ''}{self.passed}, {options}::jsonb{', ' + self.weight if self.weight else ''}{self.order})")

    def query(self):
        return self.wrap.replace("{call}", self.call() + self.filter).replace("{source}", f"{self.rows} AS t, {self.features()}")

    def scored(self):
        """Returns the rows to score, and how features are passed."""
        return f"(SELECT * FROM {self.probe} WHERE id % 3 < 2) AS t, {self.features()}"


class Methods:
    """The estimators of the registry, and how each is called."""

    def __init__(self, session):
        self.session = session
        self.all = {}
        for e in session.rows("SELECT name, task, input, (SELECT json_agg(o) FROM pgfit.options(e.name) AS o) AS options, (SELECT split_part(pg_get_function_arguments(p.oid), ' ', 1) "
                              "FROM pg_proc AS p WHERE p.proname = e.name AND p.pronamespace = 'pgfit'::regnamespace AND p.prokind = 'a' ORDER BY pronargs LIMIT 1) AS first "
                              "FROM pgfit.estimators() AS e ORDER BY name"):
            e["options"] = {o["name"]: o for o in e["options"]}
            self.all[e["name"]] = e

    def base(self, name):
        """Returns the smallest call of an estimator."""
        e, options = self.all[name], dict(SPECIAL.get(name, {}))
        if "k" in e["options"] and "k" not in options and "clustering" == e["task"]:
            options["k"] = 2
        if "n_trees" in e["options"]:
            options["n_trees"] = 5
        if "tolerance" in e["options"] and "max_iter" in e["options"]:
            options.update(tolerance=1e-10, max_iter=20000)
        return Case(estimator=name, task=e["task"], input=e["input"], known=e["options"], kind=e["first"], options=options, rows="r", probe="r", passed="f",
                    first={"target": "t.y", "label": "t.k", "id": "t.id"}.get(e["first"], ""), weight=None, filter="", order="", parameter=None, settings={},
                    columns={n: f"t.{n}" for n in ALL}, wrap="SELECT {call} AS m FROM {source}", how="plain")

    def draw(self, name, rng, fits):
        """Returns a call with random options that fits the table, or None. fits: tells whether a case does."""
        plain = self.base(name)
        extra = {}
        free = [o for n, o in sorted(plain.known.items()) if n not in FIXED and n not in plain.options]
        for option in rng.sample(free, min(len(free), rng.choice([0, 0, 1, 1, 2, 3]))):
            values = choices(option)
            if values:
                extra[option["name"]] = rng.choice(values)
        for options in ([{**plain.options, **extra}] if extra else []) + [plain.options]:
            for columns in (ALL, NUMBERS, ["a"]):
                if name == "mixed_regression" and columns != ALL:
                    continue
                for first in ([plain.first, "t.p", "ARRAY[t.y, t.y2]"] if plain.kind == "target" else [plain.first, "t.k = 'u'"] if plain.kind == "label" else [plain.first]):
                    with_event = {"ev": "t.ev"} if name == "cox_regression" else {}
                    case = plain.but(options=options, first=first, columns={**with_event, **{n: f"t.{n}" for n in columns}})
                    if fits(case):
                        return case
        return None
