"""
More random statements than those of test/torture, for sessions that run a thousand a second: grouping sets, changing row types, views, policies, indexes,
DO blocks, roles, huge values, comparisons of models, models with altered bits, statements that are canceled, and tables and models that other sessions change.

A part is (how, sql) as in test/torture/statements.py, or (how, sql, tag). how "bind" sends tag as a binary parameter; a tag of "run" is
(function, estimator): where the server says that the object is of the wrong kind, later calls of the function use other estimators.
"""
import random
import re

import statements
import values
from session import quote
from statements import COLUMNS, Catalog, Maker, NEEDS_K, Source

# a value that its own reader refuses; class RF of SQLSTATE is free
REFUSED, OTHER = "RF001", "RF002"
LIMITS = "query_canceled OR out_of_memory OR program_limit_exceeded OR configuration_limit_exceeded OR disk_full OR admin_shutdown"

SETUP = [r"""
CREATE FUNCTION torture.keep(m pgfit.model, fitted bool DEFAULT false) RETURNS text LANGUAGE plpgsql AS $$
DECLARE told text; found text := '';
BEGIN -- a value that was taken is written and read with the same bits; one that was fitted also shows
    IF m IS NULL THEN RETURN 'null'; END IF;
    BEGIN
        IF m::text::pgfit.model OPERATOR(pgfit.<>) m THEN found := 'text'; END IF;
        IF m::jsonb::pgfit.model OPERATOR(pgfit.<>) m THEN found := found || ' jsonb'; END IF;
        IF fitted THEN told := pgfit.info(m)::text || pgfit.summary(m); END IF;
    EXCEPTION WHEN LIMITS THEN RAISE;
        WHEN OTHERS THEN RAISE EXCEPTION '% %', SQLSTATE, SQLERRM USING ERRCODE = 'RF001';
    END;
    IF found <> '' THEN RAISE EXCEPTION '% is read as another model', found USING ERRCODE = 'RF002'; END IF;
    PERFORM set_config('torture.m', m::text, false);
    RETURN length(told)::text;
END $$;
CREATE FUNCTION torture.fit(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE ms pgfit.model[]; m pgfit.model; told text := '';
BEGIN
    EXECUTE format('SELECT array_agg(m) FROM (SELECT m FROM (%s) AS q LIMIT 9) AS q', query) INTO ms;
    FOREACH m IN ARRAY coalesce(ms, '{}') LOOP told := told || torture.keep(m, true); END LOOP;
    RETURN told;
END $$;
CREATE FUNCTION torture.kept() RETURNS pgfit.model LANGUAGE sql STABLE AS $$ SELECT nullif(current_setting('torture.m', true), '')::pgfit.model $$;
CREATE FUNCTION torture.trainings(calls text[]) RETURNS int LANGUAGE plpgsql AS $$
DECLARE failed int := 0;
BEGIN
    FOR i IN 1..cardinality(calls) LOOP
        BEGIN EXECUTE calls[i];
        EXCEPTION WHEN OTHERS THEN IF SQLSTATE LIKE 'XX%' THEN RAISE; END IF; failed := failed + 1;
        END;
    END LOOP;
    RETURN failed;
END $$;
CREATE FUNCTION torture.definer(m pgfit.model, f float8[]) RETURNS text LANGUAGE sql SECURITY DEFINER SET search_path = pgfit AS $$ SELECT predict(m, f)::text $$;
CREATE PROCEDURE torture.steps(query text, n int) LANGUAGE plpgsql AS $$
BEGIN FOR i IN 1..n LOOP EXECUTE query; IF i % 2 = 0 THEN COMMIT; ELSE ROLLBACK; END IF; END LOOP; END $$;
DO $$ BEGIN CREATE ROLE torture_role; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
GRANT USAGE ON SCHEMA torture TO torture_role;
GRANT SELECT ON ALL TABLES IN SCHEMA torture TO torture_role;
CREATE TABLE torture.guarded AS SELECT * FROM torture.plain;
ALTER TABLE torture.guarded ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY guard ON torture.guarded USING (pgfit.predict((SELECT m FROM torture.models WHERE name = 'linear_regression' ORDER BY id LIMIT 1), (a, b)) > 0);
GRANT SELECT ON torture.guarded TO torture_role;
CREATE TABLE torture.moving AS SELECT * FROM torture.plain;
CREATE TABLE torture.moving_models (id int, m pgfit.model);
CREATE VIEW torture.moving_view AS SELECT id, g, a, b, k, y FROM torture.plain;
GRANT SELECT ON torture.moving, torture.moving_models, torture.moving_view TO torture_role;
ANALYZE""".replace("LIMITS", LIMITS)]

FEATURES = statements.FEATURES[:4] + ["s.a", "(s.e, s.flag, s.a)"]
LENGTHS = ["64", "100", "255", "1000", "1001", "1600", "1664", "32767", "65535", "65536", "100000", "200000"]
LITERAL = re.compile(r"'(?:[^']|'')*'|(?<![\w.$\"])\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![\w\"])")
WORDS = ["{}", "[]", "null", "a", "k", "1", "NaN", '{"k": 2}', '{"lambda": 0.1}', '{"seed": 1}', '{"formula": "a + b"}', "y ~ a", "rbf", "euclidean", "{1,2}", "{NULL,1}", "{{1,2},{3,4}}",
         "{}", "(1,2)", "2024-01-01", "linear_regression", "l1", ""]
NUMBERS = values.FLOATS + ["2147483648", "100000", "17", "64", "1e-9"]


class LightCatalog(Catalog):
    """Models of every estimator over few features, trained in one round trip, with their binary forms."""

    def __init__(self, session, seed, functions=""):
        self.after = SETUP
        super().__init__(session, seed, functions)
        for f in self.functions:
            f["key"] = f["name"] + str(f["types"])

    def train(self, session):
        for statement in self.after:
            session.execute(statement)
        calls = [f"SELECT pgfit.{call}" for call in statements.REGISTER]
        number = 0
        for name in self.estimators + ["moments", "class_moments", "feature_moments"]:
            more = statements.MORE_OPTIONS.get(name, [])
            forms = [(f, '{"k": 2}' if name in NEEDS_K else "{}") for f in FEATURES] + [(f, o) for i, o in enumerate(more) for f in (FEATURES[i % 2], "(s.e, s.flag, s.a)")]
            if name.endswith("_calibration"):
                forms = [("s.a", "{}")]
            for features, options in forms + [("s", '{"formula": "a + log(abs(b) + 1) + k"' + (', "k": 2}' if name in NEEDS_K else "}"))]:
                target = "s.flag, " if name.endswith("_calibration") else self.target(name)
                calls.append(f"INSERT INTO torture.models SELECT {number}, '{name}', {quote(features)}, "
                             f"pgfit.{name}({target}{features}, {quote(options)}::jsonb ORDER BY s.id) FROM torture.plain AS s")
                number += 1
        for first in ("standard_scaler", "pca", "one_hot", "polynomial_features"):
            for last in ("linear_regression", "kmeans", "tree_classifier", "neighbors"):
                calls.append(f"INSERT INTO torture.models SELECT {number}, 'pipeline', f.features, pgfit.pipeline(f.m, l.m) FROM torture.models AS f JOIN torture.models AS l "
                             f"USING (features) WHERE f.name = '{first}' AND l.name = '{last}' LIMIT 1")
                number += 1
        literals = ", ".join(quote(call) for call in calls)
        session.execute("SET client_min_messages = error")
        session.execute(f"SELECT torture.trainings(ARRAY[{literals}]); DELETE FROM torture.models WHERE m IS NULL; ANALYZE torture.models")
        missing = session.value("SELECT array_agg(name) FROM pgfit.estimators() WHERE name NOT IN (SELECT name FROM torture.models)")
        if missing:
            raise SystemExit(f"random: no model of {missing} to begin with")
        self.binary = [bytes.fromhex(r["h"]) for r in session.rows(
            "SELECT encode(pgfit_internal.model_send(m), 'hex') AS h FROM torture.models ORDER BY id")]

    @staticmethod
    def edit(session, text, rng):
        return []


class Grammar(Maker):
    """Statement number N of a seed, with the tables of a catalog. moving: whether other sessions change tables and models."""

    def __init__(self, catalog, seed, scratch, moving):
        super().__init__(catalog, seed, scratch, None)
        self.moving = moving
        self.pools = {}
        self.by_name = {}
        for entry in catalog.models:
            self.by_name.setdefault(entry["name"], []).append(entry)
        self.names = sorted(self.by_name)
        self.applies = {f["oid"]: list(self.names) for f in self.of_models}
        self.kinds = [(self.fit, 20), (self.window, 5), (self.metric, 10), (self.call, 12), (self.use, 26), (self.forge, 8), (self.cursor, 2), (self.prepared, 2),
                      (self.savepoint, 2), (self.grouping, 6), (self.row_types, 2), (self.view, 1), (self.policy, 1), (self.huge, 1), (self.block, 2),
                      (self.canceled, 2), (self.comparison, 3), (self.bits, 6), (self.indexed, 1), (self.steps, 1), (self.anything, 5)] + \
            ([(self.move, 3)] if moving else [])
        if len(catalog.chosen) < len(catalog.functions):
            self.kinds = [(self.of_chosen, 1)]
        self.weights = [w for _, w in self.kinds]

    def learn(self, function, ask):
        return None

    def statement(self, number):
        self.rng = random.Random(f"{self.seed}:{number}")
        Source.extra = ["torture.moving AS s"] if self.moving else []
        make = self.rng.choices([m for m, _ in self.kinds], self.weights)[0]
        parts = make()
        if self.rng.random() < 0.03:
            parts = [self.set()] + parts
        return parts

    def variants(self, number, parts, count):
        """Yields copies of the parts with a few literals changed."""
        rng = random.Random(f"{self.seed}:{number} variants")
        for _ in range(count):
            yield [(p[0], p[1] if p[1].startswith("SET ") else self.varied(rng, p[1]), *p[2:]) for p in parts]

    @staticmethod
    def varied(rng, sql):
        found = list(LITERAL.finditer(sql))
        if not found:
            return sql
        for token in sorted(rng.sample(found, min(len(found), rng.choice([1, 1, 2, 3]))), key=lambda t: -t.start()):
            old = token.group()
            if old[0] != "'":
                new = rng.choice(NUMBERS)
            elif len(old) < 12 or rng.random() < 0.2:
                new = quote(rng.choice(WORDS)).strip()
            else: # within the text of a value: a digit or a letter
                at = rng.randrange(1, len(old) - 1)
                new = old[:at] + (rng.choice("0123456789") if old[at].isdigit() else rng.choice('01ae".-,[]{}') if old[at] != "'" else "'") + old[at + 1:]
            sql = sql[:token.start()] + new + sql[token.end():]
        return sql

    def wrong_kind(self, tag):
        """Learns that a function does not take models of an estimator."""
        oid, name = tag
        names = self.applies.get(oid, [])
        if name in names and len(names) > 1:
            names.remove(name)

    def of_chosen(self):
        function = self.pick(self.catalog.chosen)
        return [("run", self.shown(self.over_rows(function, *self.model_of(function))))]

    # ---- faster forms of what Maker has ----

    def pick(self, functions):
        pool = self.pools.get(id(functions))
        if pool is None:
            grouped = {}
            for f in functions:
                grouped.setdefault(f["name"], []).append(f)
            names = sorted(grouped)
            usual = [n for n in names if not n.endswith(("_step", "_final", "_merge", "_combine"))] or names
            pool = self.pools[id(functions)] = (functions, grouped, names, usual)
        _, grouped, names, usual = pool
        return self.rng.choice(grouped[self.rng.choice(usual if self.rng.random() < 0.95 else names)])

    def model(self, name=None, function=None):
        rng = self.rng
        names = self.applies.get(function["oid"]) if function and not name and rng.random() < 0.97 else None
        entry = rng.choice(self.by_name[name if name in self.by_name else rng.choice(names or self.names)])
        pick = rng.random()
        if pick < 0.75:
            return f"(SELECT m FROM torture.models WHERE id = {entry['id']})", entry
        if pick < 0.85:
            return "torture.kept()", entry
        if pick < 0.9 and self.moving:
            return "(SELECT m FROM torture.moving_models ORDER BY id LIMIT 1)", entry
        if pick < 0.97 and len(entry["text"]) < 20000:
            return f"{quote(values.forged(rng, entry['text'])).strip()}::pgfit.model", entry
        return "NULL::pgfit.model", entry

    def fit(self):
        parts = [("run", f"SELECT torture.fit({quote(self.aggregated(self.pick(self.fits))).strip()})")]
        return parts + [self.tagged("torture.kept()") for _ in range(self.rng.choice([0, 0, 1, 2]))]

    def tagged(self, model=None):
        function = self.pick(self.of_models)
        expression, entry = self.model(function=function)
        return "run", self.shown(self.over_rows(function, entry, model or expression)), None if model else (function["oid"], entry["name"])

    def use(self):
        return [self.tagged() for _ in range(self.rng.choice([1, 1, 2, 4]))]

    def small(self):
        while True:
            entry = self.rng.choice(self.catalog.models)
            if len(entry["text"]) < 30000:
                return entry

    def forge(self):
        entry = self.small()
        text = quote(values.forged(self.rng, entry["text"])).strip()
        read = self.rng.choice([f"{text}::pgfit.model", f"{text}::jsonb::pgfit.model"])
        functions = [self.pick(self.of_models) for _ in range(3)]
        return [("run", f"SELECT torture.keep({read})")] + [("run", self.shown(self.over_rows(f, entry, "torture.kept()"))) for f in functions if entry["name"] in self.applies[f["oid"]]]

    # ---- more kinds ----

    def bits(self):
        """A model in binary with bits, bytes or runs altered."""
        rng = self.rng
        data = bytearray(rng.choice(self.catalog.binary))
        for _ in range(rng.choice([1, 1, 2, 4])):
            if not data:
                break
            at = rng.randrange(len(data)) if rng.random() < 0.6 else rng.randrange(min(len(data), 96))
            pick = rng.random()
            if pick < 0.4:
                data[at] ^= 1 << rng.randrange(8)
            elif pick < 0.7:
                data[at] = rng.choice([0, 1, 2, 127, 128, 255])
            elif pick < 0.8:
                data[at:at + 8] = rng.choice([b"\0" * 8, b"\xff" * 8, b"\x7f\xf0" + b"\0" * 6, b"\0" * 6 + b"\xf0\x7f", b"\0" * 6 + b"\xf8\x7f", b"\1" + b"\0" * 7])[:len(data) - at]
            elif pick < 0.9:
                del data[at:at + rng.choice([1, 4, 8, 16, len(data)])]
            else:
                data[at:at] = data[at:at + rng.choice([1, 4, 8, 24])]
        parts = [("bind", "SELECT torture.keep($1::pgfit.model)", bytes(data))]
        for _ in range(rng.choice([0, 1, 2])):
            parts.append(("run", self.shown(self.over_rows(self.pick(self.of_models), self.small(), "torture.kept()"))))
        return parts

    def grouping(self):
        rng = self.rng
        source = Source(rng)
        columns = [source.column(rng) for _ in range(rng.randint(1, 3))]
        listed = ", ".join(columns)
        group = rng.choice([f"GROUPING SETS (({listed}), ({columns[0]}), ())", f"ROLLUP ({listed})", f"CUBE ({listed})", f"DISTINCT ROLLUP ({listed}), CUBE ({columns[0]})", listed])
        calls = []
        for _ in range(rng.randint(1, 3)):
            f = self.pick(self.fits if rng.random() < 0.6 else self.metrics)
            distinct = "DISTINCT " if rng.random() < 0.2 else ""
            arguments = self.invoke(f, source)
            order = "" if distinct else self.order(source)
            within = f" FILTER (WHERE {rng.choice([source.column(rng) + ' IS NOT NULL', 'false', source.number(rng) + ' > 0'])})" if rng.random() < 0.3 else ""
            calls.append(f"{f['schema']}.{f['name']}({distinct}{', '.join(arguments)}{order}){within}")
        having = f" HAVING {calls[0]} IS NOT NULL" if rng.random() < 0.2 else ""
        named = ", ".join(f"{c} AS m{i}" for i, c in enumerate(calls))
        return [("run", self.shown(f"SELECT {named} FROM {source.sql} GROUP BY {group}{having}"))]

    def row_types(self):
        """Rows of a table whose type changes between the fit, the plan and the score."""
        rng = self.rng
        names = [c for c, _ in COLUMNS]
        changes = ["ADD COLUMN z float8 DEFAULT 1", f"DROP COLUMN {rng.choice(names)}", f"ALTER COLUMN {rng.choice(['a', 'b', 'g', 'id'])} TYPE text USING 'l1'",
                   f"ALTER COLUMN {rng.choice(['a', 'b', 'y'])} TYPE numeric", f"RENAME COLUMN {rng.choice(names)} TO zz", "ALTER COLUMN k TYPE int USING 1",
                   "ALTER COLUMN arr TYPE float4[]", "ADD COLUMN q int GENERATED ALWAYS AS (g + 1) STORED"]
        fit = rng.choice(self.names)
        call = self.aggregated(self.pick(self.fits))
        use = f"SELECT pgfit.predict({rng.choice(['torture.kept()', self.model(fit)[0]])}, s)::text FROM t AS s"
        aggregate = f"SELECT pgfit.{rng.choice(['linear_regression(s.y, s)', 'kmeans(s, 2)', 'pca(s)', 'tree_regression(s.y, s)', 'moments(s.y, s)', 'feature_moments(s)'])} AS m FROM t AS s"
        parts = [("run", "BEGIN"), ("run", "CREATE TEMP TABLE t ON COMMIT DROP AS SELECT * FROM torture.plain"), ("run", f"SELECT torture.fit({quote(aggregate).strip()})"),
                 ("run", f"PREPARE torture_p AS {self.shown(use)}"), ("run", "EXECUTE torture_p"), ("run", "DECLARE c CURSOR FOR " + use), ("run", "FETCH 3 FROM c")]
        for change in rng.sample(changes, rng.randint(1, 3)):
            parts += [("run", "SAVEPOINT a"), ("run", f"ALTER TABLE t {change}"), ("run", "SAVEPOINT b"), ("run", "EXECUTE torture_p"), ("run", "ROLLBACK TO b"),
                      ("run", f"SELECT torture.fit({quote(aggregate).strip()})"), ("run", "ROLLBACK TO b"), ("run", "FETCH 3 FROM c"), ("run", "ROLLBACK TO a")][:rng.randint(3, 9)]
        return parts + [("run", self.shown(call)), ("run", "ROLLBACK"), ("run", "DEALLOCATE ALL")]

    def view(self):
        rng = self.rng
        f = self.pick(self.of_models)
        expression, entry = self.model(function=f)
        body = self.over_rows(f, entry, expression) if rng.random() < 0.6 else self.aggregated(self.pick(self.fits))
        kind = rng.choice(["TEMP VIEW", "TEMP VIEW", "TEMP RECURSIVE VIEW", "MATERIALIZED VIEW torture_private."])
        if kind.startswith("MAT"):
            return [("run", "BEGIN"), ("run", f"CREATE SCHEMA torture_private_{rng.randrange(10**9)}"), ("run", f"CREATE TABLE pg_temp.v AS SELECT q::text FROM ({body}) AS q"),
                    ("run", "SELECT count(*) FROM v"), ("run", "ROLLBACK")]
        head = "CREATE TEMP VIEW v AS " + body if "RECURSIVE" not in kind else f"CREATE TEMP RECURSIVE VIEW v(q) AS SELECT q::text FROM ({body}) AS q UNION SELECT q || '1' FROM v WHERE length(q) < 3"
        return [("run", "BEGIN"), ("run", head), ("run", self.shown("SELECT * FROM v")), ("run", "SELECT length(pg_get_viewdef('v'::regclass))"), ("run", "ROLLBACK")]

    def policy(self):
        rng = self.rng
        f = self.pick(self.of_models)
        expression, entry = self.model(function=f)
        uses = [self.shown(self.over_rows(f, entry, expression)), self.shown("SELECT pgfit.linear_regression(s.y, s.a) AS m FROM torture.guarded AS s"),
                self.shown("SELECT s FROM torture.guarded AS s"), "SELECT torture.definer(torture.kept(), ARRAY[1, 2])", self.shown(self.aggregated(self.pick(self.fits)))]
        return [("run", "BEGIN"), ("run", "SET LOCAL ROLE torture_role")] + [p for use in rng.sample(uses, 3) for p in
                (("run", "SAVEPOINT a"), ("run", use), ("run", "ROLLBACK TO a"))] + [("run", "ROLLBACK")]

    def huge(self):
        rng = self.rng
        n = rng.choice(LENGTHS)
        array = f"(SELECT array_agg({rng.choice(['i', 'sin(i)', '0', 'NULL::float8', '1e300'])}::float8) FROM generate_series(1, {n}) AS i)"
        features = rng.choice([array, f"repeat('a{n}', {n}::int / 9)", "ROW(" + ", ".join(["1.5"] * rng.choice([70, 300, 1600, 1664, 1665])) + ")",
                               "(SELECT jsonb_object_agg('f' || i, i) FROM generate_series(1, 3000) AS i)", f"ARRAY[repeat('x', {n}::int)]"])
        f = self.pick(self.fits)
        arguments = [features if t == '"any"' and name == "features" else self.argument(f, name, t, Source(rng, plain=True), None) for name, t in zip(f["names"] or [], f["types"])]
        model, entry = self.model()
        return [("run", f"SELECT torture.fit({quote('SELECT ' + self.called(f, arguments) + ' AS m FROM (SELECT * FROM torture.plain LIMIT 4) AS s').strip()})"),
                ("run", f"SELECT length(pgfit.predict({model}, {features})::text)"), ("run", f"SELECT length(pgfit.predict(torture.kept(), {features})::text)")]

    def block(self):
        """Statements within a DO block or a procedure that commits, whose errors are caught within the same portal."""
        rng = self.rng
        queries = [self.shown(self.aggregated(self.pick(self.fits if rng.random() < 0.7 else self.metrics))), self.tagged()[1], self.tagged()[1]]
        if rng.random() < 0.3:
            return [("run", f"CALL torture.steps({quote(rng.choice(queries)).strip()}, 4)")]
        body = "".join(f"BEGIN EXECUTE {quote(q).strip()}; EXCEPTION WHEN query_canceled THEN RAISE; WHEN OTHERS THEN IF SQLSTATE LIKE 'XX%' THEN RAISE; END IF; END; " for q in queries)
        return [("run", f"DO $do$ BEGIN FOR i IN 1..3 LOOP {body} END LOOP; END $do$")]

    def canceled(self):
        rng = self.rng
        f = self.pick(self.fits if rng.random() < 0.8 else self.metrics)
        source = Source(rng, plain=True)
        source.sql = rng.choice(["torture.big AS s", "(SELECT * FROM torture.big UNION ALL SELECT * FROM torture.big UNION ALL SELECT * FROM torture.big) AS s"])
        return [("run", f"SET statement_timeout = {rng.choice([1, 2, 3, 5, 8, 13, 21, 34])}"), ("run", f"SELECT length(m::text) FROM (SELECT {self.called(f, self.invoke(f, source))} AS m FROM {source.sql}) AS q"),
                ("run", self.tagged()[1]), ("run", "RESET ALL")]

    def comparison(self):
        rng = self.rng
        some = f"(SELECT m FROM torture.models WHERE id % {rng.randint(2, 40)} = 0 UNION ALL SELECT torture.kept()) AS s"
        return [("run", rng.choice([
            f"SELECT count(*), count(DISTINCT m) FROM {some}", f"SELECT length(m::text) FROM {some} ORDER BY m {rng.choice(['', 'DESC'])} NULLS FIRST LIMIT 3",
            f"SELECT count(*) FROM {some} JOIN torture.models AS o ON s.m OPERATOR(pgfit.=) o.m", f"SELECT count(*) FROM (SELECT m FROM {some} GROUP BY m) AS q",
            f"SELECT length(array_agg(m)::text) FROM {some}", f"SELECT length(array_agg(m)::text::pgfit.model[]::text) FROM {some}", f"SELECT length(to_jsonb(array_agg(s))::text) FROM {some}",
            f"SELECT pgfit.merge(m) FROM {some}", f"SELECT length(row(m, 1)::text) FROM {some}", f"SELECT (SELECT m FROM {some} LIMIT 1) OPERATOR(pgfit.<) torture.kept()",
            f"SELECT length(xmlforest(m)::text) FROM {some}", f"SELECT count(*) FROM (SELECT m FROM {some} INTERSECT SELECT m FROM torture.models) AS q",
            f"SELECT octet_length(format('%s', m)), m IN (SELECT m FROM torture.models) FROM {some}", f"SELECT max(md5(m::text)) FROM {some}"]))]

    def indexed(self):
        """Scores in an index, a check, a generated column and a trigger-like default of a table."""
        model, entry = self.model("linear_regression")
        text = quote(entry["text"]).strip()
        score = f"pgfit.predict({text}::pgfit.model, {self.rng.choice(['(a, b)', 'ARRAY[a, b]', '(b, k)'])})"
        ways = [f"CREATE INDEX ON t ((({score})::float8))", f"ALTER TABLE t ADD CHECK (({score})::float8 IS NOT NULL)", f"ALTER TABLE t ADD COLUMN q float8 GENERATED ALWAYS AS (({score})::float8) STORED",
                f"UPDATE t SET a = ({score})::float8", f"DELETE FROM t WHERE ({score})::float8 > 0 RETURNING pgfit.info({model}) IS NULL", f"CREATE STATISTICS st ON (({score})::float8), a FROM t"]
        return [("run", "BEGIN"), ("run", "CREATE TEMP TABLE t ON COMMIT DROP AS SELECT * FROM torture.plain")] + [p for w in self.rng.sample(ways, 3) for p in
                (("run", "SAVEPOINT a"), ("run", w), ("run", "ROLLBACK TO a") if self.rng.random() < 0.4 else ("run", "ANALYZE t"))] + \
            [("run", f"SELECT count(*) FROM t WHERE ({score})::float8 > 1"), ("run", "ROLLBACK")]

    def steps(self):
        """A model that goes on from rows to rows within a recursive query, and parallel plans."""
        f = self.pick(self.fits)
        calls = self.called(f, self.invoke(f, Source(self.rng, plain=True)))
        parallel = [("set", f"SET {n} = {v}") for n, v in statements.PARALLEL]
        return parallel + [("run", f"SELECT torture.fit({quote(f'SELECT {calls} AS m FROM torture.big AS s').strip()})"), ("run", self.shown(f"SELECT s.g, {calls} FROM torture.big AS s GROUP BY s.g")),
                           ("run", f"SELECT count(*) FROM (SELECT {calls} FROM torture.big AS s UNION ALL SELECT {calls} FROM torture.plain AS s) AS q")]

    def anything(self):
        """Any function of the extension with arguments of any type, whose types are left to the server."""
        rng = self.rng
        f = self.pick(self.catalog.functions)
        loose = lambda: rng.choice(["NULL", "'1'", "1", "'{}'", "1.5", "'NaN'", "true", "ROW()", "ROW(NULL)", "s", "s.a", "s.arr", "s.j", "s.k", "ARRAY[1,2]", "ARRAY[[1,2],[3,4]]", # noqa: E731
                                    "torture.kept()", "'[]'::jsonb", "ARRAY[]::float8[]", "'{{}}'::text[]", "s.p", "s.e", "9223372036854775807", "-1", "''"])
        arguments = [loose() if rng.random() < 0.6 else self.argument(f, n, t, Source(rng, plain=True), None) for n, t in zip(f["names"] or [""] * len(f["types"]), f["types"])]
        order = " OVER (ORDER BY s.id)" if f["kind"] == "w" or f["kind"] == "a" and rng.random() < 0.1 else ""
        call = f"{f['schema']}.{f['name']}({', '.join(arguments)}){order}"
        return [("run", f"SELECT length(({call})::text) FROM (SELECT * FROM torture.plain LIMIT 3) AS s" if not f["is_set"] else f"SELECT count(*) FROM (SELECT * FROM torture.plain LIMIT 3) AS s, LATERAL {call} AS o")]

    def move(self):
        """Changes of tables, views and models that statements of other sessions read meanwhile."""
        rng = self.rng
        entry = rng.choice(self.catalog.models)
        changes = ["DROP TABLE IF EXISTS torture.moving; CREATE TABLE torture.moving AS SELECT * FROM torture.plain; GRANT SELECT ON torture.moving TO torture_role",
                   "ALTER TABLE torture.moving ADD COLUMN IF NOT EXISTS z float8", "ALTER TABLE torture.moving DROP COLUMN IF EXISTS z", f"ALTER TABLE torture.moving DROP COLUMN {rng.choice('abcky')}",
                   "ALTER TABLE torture.moving ALTER COLUMN g TYPE text", "TRUNCATE torture.moving", "INSERT INTO torture.moving SELECT * FROM torture.plain", "ANALYZE torture.moving",
                   f"INSERT INTO torture.moving_models SELECT {rng.randint(0, 5)}, m FROM torture.models WHERE id = {entry['id']}",
                   f"UPDATE torture.moving_models SET m = (SELECT m FROM torture.models WHERE id = {entry['id']})", f"DELETE FROM torture.moving_models WHERE id = {rng.randint(0, 5)}",
                   "DROP TABLE torture.moving_models; CREATE TABLE torture.moving_models (id int, m pgfit.model)", "ALTER TABLE torture.moving_models ALTER COLUMN m TYPE text",
                   "ALTER TABLE torture.moving_models ALTER COLUMN m TYPE pgfit.model USING m::text::pgfit.model", "ALTER TYPE torture.pair ADD ATTRIBUTE z int CASCADE", "ALTER TYPE torture.pair DROP ATTRIBUTE IF EXISTS z CASCADE",
                   f"SELECT pgfit.{rng.choice(statements.REGISTER)}", f"SELECT pgfit.drop_model('{rng.choice(['line', 'class', 'groups'])}')",
                   f"CREATE OR REPLACE VIEW torture.moving_view AS SELECT id, g, a, b, k, y{rng.choice(['', ', w'])} FROM torture.plain", "VACUUM torture.moving_models",
                   "CREATE OR REPLACE FUNCTION torture.model(int) RETURNS pgfit.model LANGUAGE sql STABLE AS 'SELECT m FROM torture.models WHERE id = $1'"]
        return [("run", rng.choice(changes))]
