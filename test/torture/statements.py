"""
Random statements over the extension's catalog. Statement N of a seed is the same whatever came before it, so that one can be
run alone; tables, types and trained models are made once, by SETUP and Catalog.
"""
import json
import random
import re

import values
from session import SqlError, quote

SETUP = ["CREATE EXTENSION IF NOT EXISTS pgfit", """
DROP SCHEMA IF EXISTS torture CASCADE;
CREATE SCHEMA torture;
CREATE TYPE torture.mood AS ENUM ('s', 'm', 'l', 'xl');
CREATE DOMAIN torture.positive AS float8;
CREATE DOMAIN torture.word AS text;
CREATE TYPE torture.pair AS (a float8, b torture.mood);
CREATE DOMAIN torture.pair_domain AS torture.pair;
CREATE TABLE torture.plain AS
    SELECT i AS id, i % 3 AS g, i % 7 + sin(i) AS a, cos(i * i) AS b, (i % 5 + 0.25)::numeric AS c, 'l' || i % 3 AS k,
        ('{s,m,l,xl}'::torture.mood[])[1 + i % 4] AS e, i % 7 + 4 * sin(i) > 3 AS flag, date '2024-01-01' + i AS d,
        ARRAY[i % 7 + sin(i), cos(i * i)] AS arr, jsonb_build_object('a', i % 7 + sin(i), 'k', 'l' || i % 3) AS j,
        2 * (i % 7) + 3 * cos(i * i) + sin(7 * i) AS y, 1 + i % 4 / 2.0::float8 AS w, ROW(i, 's')::torture.pair AS p
    FROM generate_series(1, 60) AS i;
CREATE TABLE torture.big AS SELECT p.* FROM torture.plain AS p, generate_series(1, 60) AS again;
UPDATE torture.big SET a = a + sin(1e3 * y), y = y + cos(a * 1e4), id = id + 60 * (length(ctid::text) + id % 7);
ALTER TABLE torture.big SET (parallel_workers = 2);
CREATE TABLE torture.hard (LIKE torture.plain);
CREATE TABLE torture.fitted (m pgfit.model);
CREATE TABLE torture.models (id int, name text, features text, m pgfit.model);
CREATE FUNCTION torture.applies(call text) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE found text[] := '{}'; entry record;
BEGIN -- the estimators whose models a call does not refuse for what they are
    FOR entry IN SELECT DISTINCT ON (name) * FROM torture.models ORDER BY name, id LOOP
        BEGIN
            EXECUTE replace(replace(call, '{m}', format('(SELECT m FROM torture.models WHERE id = %s)', entry.id)), '{f}', entry.features);
            found := found || entry.name;
        EXCEPTION WHEN wrong_object_type THEN NULL; WHEN others THEN found := found || entry.name;
        END;
    END LOOP;
    RETURN found;
END $$;
CREATE FUNCTION torture.model(int) RETURNS pgfit.model LANGUAGE sql STABLE AS 'SELECT m FROM torture.models WHERE id = $1';
ANALYZE"""]

COLUMNS = [("id", "int4"), ("g", "int4"), ("a", "float8"), ("b", "float8"), ("c", "numeric"), ("k", "text"), ("e", "torture.mood"), ("flag", "bool"),
           ("d", "date"), ("arr", "float8[]"), ("j", "jsonb"), ("y", "float8"), ("w", "float8"), ("p", "torture.pair")]

# models of the registry, sources and formulas of fit and train
REGISTERED = ["line", "line", "class", "class", "groups", "nobody", "{}"]
SOURCES = ["torture.plain", "SELECT * FROM torture.plain WHERE id % 2 = 0", "torture.hard", "VALUES (1, 2), (2, 3)", "SELECT", "nobody"]
SIDES = ["y ~ a + b", "k ~ a + b", "flag ~ a", "~ a + b", "y ~ .", "a ~ y", "c", "~", "nobody ~ a"]
GRIDS = ['{"lambda": [0.1, 1]}', '{"max_depth": [2, 3]}', '[{"k": [2, 3]}, {"k": 1}]', '{"lambda": {"min": 1, "max": 9}}', '{"standardize": [true]}', "{}", "[]", "1",
         '{"formula": ["a", "nobody", "a + b"]}', '{"lambda": [-1, "x", null, 1e308]}', '{"nobody": [1]}', "null"]
REGISTER = ["train('line', 'linear_regression', 'torture.plain', 'y ~ a + b')", "train('class', 'logistic_regression', 'torture.plain', 'k ~ a + b', '{\"lambda\": 1}')",
            "train('groups', 'kmeans', 'torture.plain', '~ a + b', '{\"k\": 2}')"]

# what models are trained on, beside the target and the estimator's smallest call
FEATURES = ["(s.a, s.b)", "(s.a, s.k)", "ARRAY[s.a, s.b]", "(SELECT f FROM (SELECT s.a, s.b, s.c) AS f)", "s.j", "s.a", "(s.e, s.flag, s.a)", "(s.a, s.p)"]
TARGETS = {"regression": "s.y, ", "classification": "s.k, ", "calibration": "s.k, ", "survival": "s.id, "} # by task
MORE_OPTIONS = {"lasso_regression": ['{"lambda": "cv", "path": 5}', '{"lambda": [0.1, 1]}'], "ridge_regression": ['{"lambda": "cv"}', '{"lambda": "path", "lower": 0}'],
                "linear_regression": ['{"lower": 0, "upper": 1}', '{"solution": "minimum_norm"}'],
                "bayesian_regression": ['{"prior_precision": 1}', '{"prior_precision": 1e-9, "noise_shape": 2, "noise_rate": 1e9}'],
                "elastic_net": ['{"path": 4}'], "kmedoids": ['{"k": 3, "metric": "mixed"}', '{"k": 2, "metric": "kernel"}'],
                "neighbors": ['{"k": 3, "metric": "mixed"}', '{"metric": "manhattan"}', '{"metric": "gower"}', '{"metric": "jaccard", "radius": "Infinity"}',
                              '{"metric": "edit"}', '{"metric": "damerau"}', '{"metric": "jaro_winkler", "prefix_weight": 0.2}', '{"metric": "numeric_sub(numeric,numeric)"}'],
                "knn_classifier": ['{"metric": "mahalanobis"}', '{"kernel": "rbf"}', '{"radius": 1, "outlier_label": "most_frequent", "weights": "1 / (1 + distance)"}'],
                "knn_regression": ['{"weights": "exp(-distance)", "metric": "canberra"}', '{"weights": "1 / distance"}', '{"metric": "haversine"}'],
                "isotonic_regression": ['{"direction": "auto", "interpolation": "step"}', '{"out_of_bounds": "null", "y_min": 0}'],
                "nearest_exemplar": ['{"exemplar": "mean", "metric": "bray_curtis"}', '{"exemplar": "geometric_median", "standardize": true}', '{"metric": "gower"}'],
                "hierarchical": ['{"linkage": "ward"}', '{"linkage": "complete", "cophenetic": true}', '{"linkage": "median"}', '{"linkage": "ward.D"}'], "logistic_regression": ['{"lambda": 0.1, "alpha": 0.5}', '{"lambda": "cv", "path": 3, "folds": 2}', '{"lambda": [0.1, 1], "penalty": "l1"}'],
                "perceptron": ['{"averaged": true}', '{"kernel": "rbf", "max_iter": 20}', '{"kernel": "polynomial", "averaged": "voted", "max_iter": 5}'],
                "kernel_ridge": ['{"lambda": "cv", "gamma": [0.1, 1]}', '{"kernel": "sigmoid", "loo": true}'], "kernel_pca": ['{"k": 2, "preimages": true}'],
                "cox_regression": ['{"event": "f2"}', '{"event": "f2", "ties": "breslow"}', '{"event": "f2", "strata": "f1"}',
                                   '{"event": "f2", "vcov": "HC0", "survival_limits": true}', '{"event": "f2", "vcov": "CR0", "cluster": "f1"}'],
                "ordinal_regression": ['{"levels": ["l0", "l1", "l2"]}', '{"levels": ["l2", "l0", "l1"], "link": "probit"}'],
                "mixed_regression": ['{"formula": "f1 + (1 | f2)"}', '{"formula": "f1 + (f1 | f2)", "reml": false}'],
                "one_hot": ['{"drop": "first"}'], "quantile_bins": ['{"bins": 3, "output": "onehot"}'], "target_encoder": ['{"smoothing": 10}'],
                "polynomial_features": ['{"degree": 3, "interaction_only": true}'], "minmax_scaler": ['{"clip": true}'],
                "one_class_svm": ['{"nu": 0.1, "standardize": true}'],
                "svm_classifier": ['{"keep_support": true, "C": 10}', '{"loss": "squared_hinge", "penalty": "l1"}', '{"kernel": "rbf"}', '{"kernel": "polynomial", "multiclass": "ecoc", "standardize": true}'],
                "svm_regression": ['{"loss": "squared_epsilon_insensitive", "penalty": "elastic_net"}', '{"kernel": "rbf", "nu": 0.3}'],
                "boosted_trees_regression": ['{"loss": "absolute", "n_trees": 5}', '{"early_stopping": 2, "max_samples": 0.5}'],
                "boosted_trees_classifier": ['{"n_trees": 3, "max_features": 1}'],
                "tree_classifier": ['{"criterion": "entropy", "smoothing": 0.5}', '{"prune": "cost_complexity"}', '{"max_leaf_nodes": 4, "nulls": "skip"}'],
                "tree_regression": ['{"criterion": "mae", "max_depth": 3}', '{"prune": "reduced_error"}', '{"monotone": {"a": 1}}'],
                "forest_classifier": ['{"n_trees": 5, "importance": "permutation"}', '{"n_trees": 3, "voting": "hard", "criterion": "entropy"}', '{"n_trees": 2, "max_leaf_nodes": 5}'],
                "forest_regression": ['{"n_trees": 5, "max_samples": 0.5}', '{"n_trees": 2, "criterion": "mae"}', '{"n_trees": 3, "nulls": "skip"}'],
                "extra_trees_classifier": ['{"n_trees": 5}', '{"n_trees": 3, "bootstrap": true}'], "extra_trees_regression": ['{"n_trees": 5}'],
                "isolation_forest": ['{"n_trees": 5, "max_samples": 4}', '{"n_trees": 5, "contamination": 0.2}'],
                "gaussian_mixture": ['{"k": 2, "covariance_type": "diagonal"}', '{"k": "auto", "max_k": 3}', '{"init_weights": [0.3, 0.7]}'], "kmeans": ['{"k": "auto", "max_k": 4}', '{"k": [1, 3], "select": "gap", "gap_references": 2}'], "pca": ['{"k": 1, "whiten": true}'],
                "dbscan": ['{"radius": 2}', '{"radius": 0.5, "metric": "manhattan", "min_samples": 3}'],
                "hdbscan": ['{"min_cluster_size": 3, "cluster_selection": "leaf"}', '{"min_samples": 2, "radius": 1, "single_cluster": true}'],
                "optics": ['{"min_samples": 3, "radius": 2}'], "local_outlier_factor": ['{"k": 3, "contamination": 0.1}'],
                "mean_shift": ['{"bandwidth": 1, "cluster_all": false}', '{"bin_seeding": true, "bandwidth_rows": 5, "standardize": true}']}
IDENTIFIED = ["dbscan", "hdbscan", "hierarchical", "local_outlier_factor", "mds", "neighbors", "optics"]
# over whole rows of the tables, whose columns are COLUMNS
FORMULAS = ["a + b", "log(abs(a) + 1) + k", "scale(a) + b:k", "poly(b, 2) * flag", "a * e", "factor(g) - 1", "cut(b, 3) + offset(a)", "bs(a, 4) + ns(b, 3)", ". - j - p - arr",
            "center(c):k", "(a + b + k)^2", "C(k, ref = 'x') + a", "I(a / b) + d", "log(a)", "a +", "nothing + a", "y ~ a + k", "log(y) ~ . - j - p - arr"]
NEEDS_K = ["kmeans", "kmedoids", "kernel_kmeans", "gaussian_mixture"]

SETTINGS = {"pgfit.fit_mem": ["64kB", "1MB", "16MB", "64MB"], "work_mem": ["64kB", "4MB"], "max_parallel_workers_per_gather": ["0", "2"],
            "parallel_setup_cost": ["0", "1000"], "parallel_tuple_cost": ["0", "0.1"], "min_parallel_table_scan_size": ["0", "8MB"],
            "parallel_leader_participation": ["on", "off"], "debug_parallel_query": ["off", "on"], "force_parallel_mode": ["off", "on"], "enable_hashagg": ["on", "off"],
            "enable_sort": ["on", "off"], "extra_float_digits": ["1", "0", "-15"], "datestyle": ["ISO", "German"], "intervalstyle": ["postgres", "iso_8601"],
            "bytea_output": ["hex", "escape"], "search_path": ["public", "pg_temp, pgfit", "''"], "timezone": ["UTC", "Asia/Kathmandu"], "jit": ["off"],
            "plan_cache_mode": ["auto", "force_generic_plan", "force_custom_plan"], "client_min_messages": ["error", "notice"]}

PARALLEL = [("parallel_setup_cost", 0), ("parallel_tuple_cost", 0), ("min_parallel_table_scan_size", 0), ("max_parallel_workers_per_gather", 2),
            ("enable_hashagg", "off")]


class Catalog:
    """The catalog of the server: functions with their arguments, options by name, and models of every estimator."""

    def __init__(self, session, seed, functions=""):
        for statement in SETUP:
            session.execute(statement)
        rng = random.Random(f"{seed} hard")
        for _ in range(40):
            row = ", ".join(values.literal(rng, kind, values.Style(0.7, False, 0.05)) for _, kind in COLUMNS)
            try:
                session.execute(f"INSERT INTO torture.hard VALUES ({row})")
            except SqlError:
                pass
        self.functions = session.rows(
            "SELECT p.oid::int8 AS oid, n.nspname AS schema, p.proname AS name, p.prokind AS kind, p.proretset AS is_set, p.prorettype::regtype::text AS result, "
            "p.proargnames[1:p.pronargs] AS names, array(SELECT t::regtype::text FROM unnest(p.proargtypes) AS t) AS types "
            "FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname IN ('pgfit', 'pgfit_textbook', 'pgfit_internal') "
            "AND has_schema_privilege(n.oid, 'USAGE') ORDER BY p.proname, p.oid::regprocedure::text")
        self.functions = [f for f in self.functions if not {"internal", "cstring"} & set(f["types"])]
        self.chosen = [f for f in self.functions if re.search(functions, f["name"])]
        self.tasks = {r["name"]: r["task"] for r in session.rows("SELECT name, task FROM pgfit.estimators() ORDER BY name")}
        self.estimators = list(self.tasks)
        self.options = {}
        for name in sorted({f["name"] for f in self.functions}):
            try:
                self.options[name] = session.rows(f"SELECT * FROM pgfit.options({quote(name)})")
            except SqlError:
                pass
        known = {row["name"] for row in session.rows("SELECT name FROM pg_settings")}
        self.settings = sorted(s for s in SETTINGS if s in known or s in ("datestyle", "intervalstyle", "timezone"))
        self.train(session)
        self.models = session.rows("SELECT id, name, features, m::text AS text FROM torture.models WHERE m IS NOT NULL ORDER BY id")
        for entry in self.models:
            entry["edited"] = self.edit(session, entry["text"], random.Random(f"{seed} edit {entry['id']}"))

    @staticmethod
    def edit(session, text, rng):
        """Makes edited models that the reader accepts."""
        taken = []
        for _ in range(6):
            edited = values.forged(rng, text)
            try:
                session.execute(f"SELECT {quote(edited).strip()}::pgfit.model IS NULL")
                taken.append(edited)
            except SqlError as error:
                if error.state.startswith("XX"):
                    raise
        return taken

    def target(self, name):
        """Returns what the call of an estimator has before the features."""
        if name in IDENTIFIED:
            return "s.id, "
        if name in ("moments", "target_encoder"):
            return "s.y, "
        if name in ("gamma_regression", "negative_binomial_regression", "poisson_regression", "tweedie_regression"):
            return "s.id, " # above 0
        return "s.k, " if name == "class_moments" else TARGETS.get(self.tasks.get(name), "")

    def train(self, session):
        number = 0
        for call in REGISTER:
            session.execute(f"SELECT pgfit.{call}")
        for name in self.estimators + ["moments", "class_moments", "feature_moments"]:
            trained = 0
            formulas = [("s", json.dumps({"formula": f, **({"k": 2} if name in NEEDS_K else {})}).replace("'", "''")) for f in FORMULAS[number % 4::4]]
            for features, more in [(f, more) for f in FEATURES for more in [None] + MORE_OPTIONS.get(name, [])] + formulas:
                options = more or ('{"k": 2}' if name in NEEDS_K else "{}")
                target = self.target(name)
                try:
                    session.execute(f"INSERT INTO torture.models SELECT {number}, '{name}', {quote(features)}, "
                                    f"pgfit.{name}({target}{features}, '{options}'::jsonb ORDER BY s.id) FROM torture.plain AS s")
                    trained += 1
                    number += 1
                except SqlError as error:
                    if not error.is_user_error:
                        raise
            if name.endswith("_calibration"):
                session.execute(f"INSERT INTO torture.models SELECT {number}, '{name}', 's.a', pgfit.{name}(s.flag, s.a ORDER BY s.id) FROM torture.plain AS s")
                trained, number = 1, number + 1
            if trained == 0:
                raise SystemExit(f"torture: no model of {name} to begin with")
        # pipelines of all pairs that fit each other
        session.execute("""DO $$ DECLARE first record; last record; BEGIN
            FOR first IN SELECT * FROM torture.models WHERE name ~ '_scaler|one_hot|_features|_bins|_encoder|^pca' LOOP
                FOR last IN SELECT DISTINCT ON (name) * FROM torture.models WHERE features = first.features ORDER BY name, id LOOP
                    BEGIN
                        INSERT INTO torture.models SELECT 1000000 + count(*), 'pipeline', first.features, pgfit.pipeline(first.m, last.m) FROM torture.models;
                    EXCEPTION WHEN invalid_parameter_value OR wrong_object_type OR data_exception THEN NULL;
                    END;
                END LOOP;
            END LOOP; END $$""")


class Source:
    """Rows that a statement reads: the FROM item s, and its columns."""
    extra = [] # FROM items of more tables with these columns

    def __init__(self, rng, plain=False):
        pick = 0 if plain else rng.random()
        self.columns = COLUMNS
        if pick < 0.33 and self.extra and rng.random() < 0.3:
            self.sql = rng.choice(self.extra)
        elif pick < 0.33:
            self.sql = "torture.plain AS s"
        elif pick < 0.46:
            self.sql = "torture.hard AS s"
        elif pick < 0.54:
            self.sql = "torture.big AS s"
        elif pick < 0.57:
            self.sql = "(SELECT * FROM torture.plain LIMIT 0) AS s"
        elif pick < 0.62:
            self.sql = f"(SELECT * FROM torture.{rng.choice(['plain', 'hard'])} ORDER BY id LIMIT {rng.choice([1, 1, 2, 3])}) AS s"
        elif pick < 0.65: # stored moments of one kind or of several, which is merged
            kinds = rng.choice(["'moments'", "'class_moments'", "'feature_moments'", "'moments', 'class_moments', 'feature_moments'"])
            some = rng.choice(["", f" AND id % 7 = {rng.randint(0, 6)}", f" AND features = {quote(rng.choice(FEATURES))}"])
            self.sql = f"(SELECT m AS ev, id, id % 3 AS g, sin(id) AS y FROM torture.models WHERE name IN ({kinds}){some}) AS s"
            self.columns = [("ev", "pgfit.model"), ("id", "int4"), ("g", "int4"), ("y", "float8")]
        elif pick < 0.7: # records of several shapes at one place
            rows = " UNION ALL ".join(f"SELECT {values.row(rng)} AS r, {i % 3} AS g, {values.literal(rng, 'float8')} AS y" for i in range(rng.randint(1, 5)))
            self.sql, self.columns = f"({rows}) AS s", [("r", "record"), ("g", "int4"), ("y", "float8")]
        else:
            kinds = [values.any_type(rng, True) for _ in range(rng.randint(1, 5))]
            how = values.style(rng)
            repeated = rng.random() < 0.15
            lines, line = [], None
            for _ in range(rng.choice([1, 2, 2, 3, 4, 6, 12, 20])):
                if line is None or not repeated:
                    line = "(" + ", ".join(values.literal(rng, kind, how) for kind in kinds) + ")"
                lines.append(line)
            names = [f"c{i}" for i in range(len(kinds))]
            self.sql = f"(VALUES {', '.join(lines)}) AS s({', '.join(names)})"
            self.columns = list(zip(names, kinds))

    def column(self, rng, kinds=None):
        """Returns a column of one of the given types, or None."""
        fitting = [c for c in self.columns if kinds is None or c[1] in kinds]
        if not fitting:
            return None
        return "s." + rng.choice(fitting)[0]

    def feature(self, rng):
        return (self.column(rng, values.FEATURE_TYPES) if rng.random() < 0.95 else None) or self.column(rng)

    def number(self, rng):
        found = self.column(rng, values.NUMBER_TYPES) if rng.random() < 0.85 else None
        return found + "::float8" if found else values.literal(rng, "float8")

    def features(self, rng):
        pick = rng.random()
        if pick < 0.4:
            fields = [self.feature(rng) for _ in range(rng.choice([0, 1, 1, 2, 2, 2, 3, 4]))]
            return "ROW(" + ", ".join(fields) + ")"
        if pick < 0.5:
            return "ARRAY[" + ", ".join(self.number(rng) for _ in range(rng.choice([1, 2, 2, 3]))) + "]"
        if pick < 0.53:
            return f"(SELECT array_agg(sin(i * {self.number(rng)})) FROM generate_series(1, {rng.choice([8, 20, 64, 130])}) AS i)"
        if pick < 0.7:
            return (self.column(rng, ["float8[]", "int4[]"]) if rng.random() < 0.3 else None) or self.feature(rng)
        if pick < 0.78:
            return "s"
        if pick < 0.82:
            return "to_jsonb(s)"
        if pick < 0.9:
            fields = [f"{self.feature(rng)} AS {rng.choice(['a', 'b', 'k', 'c', 'zz', '_1'])}" for _ in range(rng.randint(1, 3))]
            return f"(SELECT f FROM (SELECT {', '.join(fields)}) AS f)"
        return values.row(rng) if pick < 0.95 else values.literal(rng, values.any_type(rng))


class Maker:
    """Makes statement number N: a list of (how, sql). how: "run"; "read" must not be refused; if "gate" is refused, the rest is skipped; "set"."""

    def __init__(self, catalog, seed, scratch, ask):
        self.catalog = catalog
        self.seed = seed
        self.scratch = quote(scratch)
        self.last_features = "s"
        self.trained = 0.6 # the share of models that are as a fit made them
        by_kind = {"a": [], "w": [], "f": []}
        for function in catalog.functions:
            by_kind[function["kind"]].append(function)
        self.fits = [f for f in by_kind["a"] if f["result"] == "pgfit.model"]
        self.metrics = [f for f in by_kind["a"] if f["result"] != "pgfit.model"]
        self.windows = by_kind["w"]
        self.plain = by_kind["f"]
        self.of_models = [f for f in self.plain if "pgfit.model" in f["types"]]
        known = catalog.functions if len(catalog.chosen) == len(catalog.functions) else catalog.chosen
        self.applies = {f["oid"]: self.learn(f, ask) for f in self.of_models if f in known}

    def learn(self, function, ask):
        """Returns the estimators whose models a function accepts. ask: runs a query."""
        self.rng = random.Random(self.seed)
        arguments = ["{m}" if kind == "pgfit.model" else "{f}" if name == "features" else self.argument(function, name, kind, Source(self.rng, plain=True), None)
                     for name, kind in zip(function["names"] or [""] * len(function["types"]), function["types"])]
        call = f"SELECT count(o) FROM torture.plain AS s, LATERAL {self.called(function, arguments)} AS o WHERE s.id = 1"
        return ask(f"SELECT torture.applies({quote(call)})") or []

    def statement(self, number):
        rng = random.Random(f"{self.seed}:{number}")
        self.rng = rng
        make = rng.choices([self.fit, self.window, self.metric, self.call, self.use, self.forge, self.cursor, self.prepared, self.savepoint],
                           [24, 6, 12, 10, 18, 14, 4, 4, 4])[0]
        settings = [self.set() for _ in range(rng.randint(1, 3))] if rng.random() < 0.3 else []
        if rng.random() < 0.1:
            settings += [("set", f"SET {name} = {value}") for name, value in PARALLEL]
        return settings + make()

    def each(self, number):
        """Calls function number N of those chosen (after the last, the first again) with edited models."""
        self.rng = random.Random(f"{self.seed}:each {number}")
        self.trained = 0
        function = self.catalog.chosen[number % len(self.catalog.chosen)]
        parts = [("run", self.shown(self.over_rows(function, *self.model_of(function)))) for _ in range(3)]
        self.trained = 0.6
        return parts

    def model_of(self, function):
        """Returns (entry of a model in the catalog, its expression) for a function that takes models."""
        return tuple(reversed(self.model(function=function))) if "pgfit.model" in function["types"] else ()

    # ---- arguments ----

    def model(self, name=None, function=None):
        """Returns (expression of a model, its entry in the catalog): trained, edited or NULL; usually one that the function accepts."""
        rng = self.rng
        names = [name] if name else self.applies.get(function["oid"]) if function and rng.random() < 0.95 else None
        some = [m for m in self.catalog.models if m["name"] in names] if names else self.catalog.models
        entry = rng.choice(some)
        pick = rng.random()
        if pick < self.trained:
            return f"(SELECT m FROM torture.models WHERE id = {entry['id']})", entry
        if pick < 0.96:
            edited = rng.choice(entry["edited"]) if entry["edited"] and rng.random() < 0.8 else values.forged(rng, entry["text"])
            return f"{quote(edited).strip()}::pgfit.model", entry
        return rng.choice(["NULL::pgfit.model", "(SELECT m FROM torture.models ORDER BY m LIMIT 1)"]), entry

    def argument(self, function, name, kind, source, entry):
        """Returns an expression for one argument. entry: the model of the call, or None."""
        rng = self.rng
        wild = rng.random() < 0.04
        if kind == "pgfit.model" and source.column(rng, ["pgfit.model"]) and rng.random() < 0.8:
            return source.column(rng, ["pgfit.model"])
        if kind == "pgfit.model" and name == "calibration":
            return self.model(rng.choice(["platt_calibration", "isotonic_calibration", "logistic_calibration"]))[0]
        if kind == "pgfit.model":
            return self.model(rng.choice(["moments", "class_moments", "feature_moments"]) if name == "moments" and rng.random() < 0.8 else None)[0]
        if kind == "pgfit.model[]":
            return "ARRAY[" + ", ".join(self.model("platt_calibration")[0] for _ in range(rng.randint(1, 3))) + "]"
        if kind == "pgfit.call_options":
            if rng.random() < 0.4:
                return quote(rng.choice(FORMULAS)).strip() if rng.random() < 0.8 else values.literal(rng, "text")
            return values.options(rng, self.catalog.options.get(function["name"]) or self.catalog.options["medoid"])
        if kind in ("\"any\"", "anyelement"):
            if name == "features" or name in ("a", "b"):
                if entry and rng.random() < 0.7:
                    return entry["features"]
                if name != "b" or rng.random() < 0.2: # both of a pair alike, as a rule
                    self.last_features = source.features(rng)
                return self.last_features
            if wild:
                return source.features(rng)
            if name in ("label", "predicted", "cluster", "id", "sample"):
                return source.column(rng)
            return source.number(rng) if rng.random() < 0.7 else source.column(rng)
        if kind == "record":
            return rng.choice(["s", f"ROW({source.number(rng)}, {source.column(rng)})"])
        if kind == "anyarray":
            rows = [f"ROW({source.number(rng)}, {source.number(rng)})" for _ in range(rng.randint(1, 4))]
            return rng.choice([f"ARRAY[{', '.join(rows)}]", values.literal(rng, "float8[]")])
        if kind == "double precision" and name == "weight" and rng.random() < 0.7:
            return rng.choice(["1", "0.5", "2", f"abs({source.number(rng)})", "1e308", "0", "s.w" if source.columns is COLUMNS else "1"])
        if kind == "double precision" and name in ("probability", "lambda", "p", "level", "height") and rng.random() < 0.8:
            return f"(0.5 + atan({source.number(rng)}) / 4)"
        if kind == "double precision":
            return source.number(rng) if not wild else rng.choice(["'NaN'::float8", "1e308", "-1"])
        if kind == "double precision[]":
            return (source.column(rng, ["float8[]"]) if rng.random() < 0.5 else None) or values.literal(rng, "float8[]")
        if kind == "bigint":
            return rng.choice(["1", "1", "2", "2", "2", "2", "3", "3", "3", "5", "0", "-1", "1000000", "9223372036854775807", "NULL"]) + "::bigint"
        if kind == "text":
            named = {"metric": values.METRICS, "kernel": values.METRICS, "estimator": self.catalog.estimators, "source": SOURCES, "formula": SIDES, "name_a": REGISTERED,
                     "name_b": REGISTERED, "target": ["y", "k", "flag", "d", "nobody"], "role": ["public", "nobody"]}.get(name) or (REGISTERED if name == "name" and function["name"] != "parameter" else None)
            if named is None and function["name"] == "parameter" and entry:
                named = sorted(values.json.loads(entry["text"]).get("arrays", {})) or None
            return quote(rng.choice(named)).strip() if named and rng.random() < 0.9 else source.column(rng, values.TEXT_TYPES) or values.literal(rng, "text")
        if kind == "jsonb" and name == "grid":
            return quote(rng.choice(GRIDS)).strip()
        if kind == "jsonb":
            return values.options(rng, self.catalog.options.get(function["name"]) or self.catalog.options["medoid"])
        if kind == "text[]":
            return rng.choice(["ARRAY['l0', 'l1', 'l2']", "'{}'::text[]", "ARRAY['false', 'true']", values.literal(rng, "text[]")])
        return values.literal(rng, {"boolean": "bool", "bigint": "int8", "integer": "int4"}.get(kind, kind))

    def invoke(self, function, source, entry=None, first=None):
        arguments = []
        for name, kind in zip(function["names"] or [""] * len(function["types"]), function["types"]):
            if first is not None and kind == "pgfit.model":
                arguments.append(first)
                first = None
            else:
                arguments.append(self.argument(function, name, kind, source, entry))
        return arguments

    def called(self, function, arguments, inside="", after=""):
        return f"{function['schema']}.{function['name']}({', '.join(arguments)}{inside}){after}"

    def pick(self, functions):
        """Picks by name first, so that names with many forms are not picked more often; sometimes support functions."""
        names = sorted({f["name"] for f in functions})
        if self.rng.random() < 0.95:
            names = [n for n in names if not n.endswith(("_step", "_final", "_merge", "_combine"))] or names
        name = self.rng.choice(names)
        return self.rng.choice([f for f in functions if f["name"] == name])

    def order(self, source):
        column = source.column(self.rng)
        return f" ORDER BY {column}" if self.rng.random() < 0.2 and not column.endswith((".j", ".p", ".r")) else ""

    # ---- statements ----

    def shown(self, query):
        """Returns a query that turns all results into text and prints one row."""
        return f"SELECT count(*), sum(length(q::text)) FROM ({query}) AS q"

    def aggregated(self, function):
        source = Source(self.rng)
        call = self.called(function, self.invoke(function, source), self.order(source),
                           f" FILTER (WHERE {values.literal(self.rng, 'bool')})" if self.rng.random() < 0.04 else "")
        group = f" GROUP BY {source.column(self.rng)}" if self.rng.random() < 0.25 else ""
        return f"SELECT {call} AS m FROM {source.sql}{group}"

    def fit(self):
        """A fit, and its value through everything that reads values, which must accept it."""
        return [("gate", "TRUNCATE torture.fitted"),
                ("run", f"INSERT INTO torture.fitted {self.aggregated(self.pick(self.fits))}"),
                ("read", "SELECT count(*), bool_and(m::text::pgfit.model OPERATOR(pgfit.=) m), bool_and(m::jsonb::pgfit.model OPERATOR(pgfit.=) m), "
                 "sum(length(pgfit.info(m)::text)), sum(length(pgfit.summary(m))) FROM torture.fitted"),
                ("read", f"COPY torture.fitted TO {self.scratch} (FORMAT binary)"), ("read", f"COPY torture.fitted FROM {self.scratch} (FORMAT binary)"),
                ("run", self.shown(self.fitted_use()))]

    def fitted_use(self):
        function = self.pick([f for f in self.of_models if not f["is_set"]])
        call = self.called(function, self.invoke(function, Source(self.rng, plain=True), None, "t.m"))
        return f"SELECT {call} FROM torture.fitted AS t, (SELECT * FROM torture.plain LIMIT 5) AS s"

    def metric(self):
        return [("run", self.shown(self.aggregated(self.pick(self.metrics))))]

    def window(self):
        rng = self.rng
        source = Source(rng)
        functions = self.windows if rng.random() < 0.3 else self.fits if rng.random() < 0.7 else self.metrics
        function = self.pick(functions)
        frame = rng.choice(["", " ROWS 3 PRECEDING", " ROWS BETWEEN 2 PRECEDING AND 2 FOLLOWING", " ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING", " ROWS BETWEEN 5 PRECEDING AND 2 PRECEDING",
                            " ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE CURRENT ROW", " GROUPS 1 PRECEDING"])
        over = " OVER (" + (f"PARTITION BY {source.column(rng)} " if rng.random() < 0.3 else "") + f"ORDER BY {source.column(rng)}{frame})"
        return [("run", self.shown(f"SELECT {self.called(function, self.invoke(function, source), '', over)} AS m FROM {source.sql}"))]

    def over_rows(self, function, entry=None, first=None):
        source = Source(self.rng)
        if entry and self.rng.random() < 0.7:
            source = Source(self.rng, plain=True)
        call = self.called(function, self.invoke(function, source, entry, first))
        if function["kind"] == "w":
            call += " OVER ()"
        if function["is_set"]:
            return f"SELECT o FROM {source.sql}, LATERAL {call} AS o LIMIT 1000"
        return f"SELECT {call} FROM {source.sql}"

    def call(self):
        return [("run", self.shown(self.over_rows(self.pick(self.plain))))]

    def use(self):
        function = self.pick(self.of_models)
        model, entry = self.model(function=function)
        return [("run", self.shown(self.over_rows(function, entry, model)))]

    def forge(self):
        """An edited model. If it is accepted, everything must work with it, and what is written can be read again."""
        entry = self.rng.choice(self.catalog.models)
        text = quote(values.forged(self.rng, entry["text"])).strip()
        taking = [f for f in self.of_models if entry["name"] in self.applies[f["oid"]]]
        uses = [self.shown(self.over_rows(self.pick(taking), entry, "(SELECT m FROM torture.fitted)")) for _ in range(4)]
        return [("gate", "TRUNCATE torture.fitted"), ("gate", f"INSERT INTO torture.fitted VALUES ({text}::pgfit.model)"),
                ("read", "SELECT m::text::pgfit.model OPERATOR(pgfit.=) m, m::jsonb::pgfit.model OPERATOR(pgfit.=) m FROM torture.fitted"),
                ("run", "SELECT length(pgfit.info(m)::text), length(pgfit.summary(m)) FROM torture.fitted")] + [("run", use) for use in uses]

    def cursor(self):
        rng = self.rng
        function = self.pick(self.of_models)
        model, entry = self.model(function=function)
        query = self.over_rows(function, entry, model) if rng.random() < 0.5 else self.aggregated(self.pick(self.fits))
        moves = ["FETCH 1 FROM c", "FETCH 3 FROM c", "MOVE 5 IN c", "FETCH ALL FROM c"]
        return [("run", "BEGIN"), ("run", f"DECLARE c {rng.choice(['', 'SCROLL '])}CURSOR {rng.choice(['', 'WITH HOLD '])}FOR SELECT length(q::text) FROM ({query}) AS q")] + \
            [("run", rng.choice(moves)) for _ in range(3)] + [("run", rng.choice(["COMMIT", "ROLLBACK"])), ("run", "CLOSE ALL")]

    def prepared(self):
        """One call site whose parameters change: models and rows in turn."""
        rng = self.rng
        function = self.pick([f for f in self.of_models if not f["is_set"]])
        entries = [self.model(function=function)[1] for _ in range(2)]
        call = self.called(function, self.invoke(function, Source(rng, plain=True), entries[0], "$1"))
        out = [("run", f"PREPARE torture_p(pgfit.model) AS {self.shown(f'SELECT {call} FROM torture.plain AS s')}")]
        for i in range(7):
            out.append(("run", f"EXECUTE torture_p(torture.model({entries[i % 2]['id']}))"))
        return out + [("run", "DEALLOCATE ALL")]

    def savepoint(self):
        """Errors in the middle of a transaction; what began before them continues."""
        first, second = self.aggregated(self.pick(self.fits)), self.aggregated(self.pick(self.fits))
        return [("run", "BEGIN"), ("run", f"DECLARE c CURSOR FOR SELECT length(q::text) FROM ({self.aggregated(self.pick(self.fits))}) AS q"), ("run", "SAVEPOINT a"),
                ("run", self.shown(first)), ("run", "ROLLBACK TO a"), ("run", "FETCH 1 FROM c"), ("run", "SAVEPOINT b"),
                ("run", self.shown(second)), ("run", self.rng.choice(["ROLLBACK TO b", "RELEASE b"])), ("run", "FETCH 1 FROM c"), ("run", self.rng.choice(["COMMIT", "ROLLBACK"]))]

    def set(self):
        name = self.rng.choice(self.catalog.settings)
        value = self.rng.choice(SETTINGS[name])
        return "set", f"SET {name} = {value if name == 'search_path' else quote(value).strip()}"
