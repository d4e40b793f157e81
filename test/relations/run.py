#!/usr/bin/env python3
"""
Metamorphic relations over random tables, for every estimator of the registry: two fits of which the relation says how their results
belong together. EXCEPTIONS declares which methods do not have a relation, and why; an exception that nothing needed is reported.

A finding is printed with the command that repeats it. The last line counts: "N passed, N failed".
"""
import argparse
import json
import math
import os
import random
import re
import sys
import time
from collections import Counter

from tables import NUMBERS, Methods, Table, quote
from session import Session, SqlError
from exceptions import EXCEPTIONS, NEAR as NEAR_OF

BITS, NEAR = False, True
LEAST = 1e-6  # and numbers below are as near as this one
SCORERS = ["classify", "predict", "probability", "probabilities", "decision", "decisions", "cluster", "distance", "distances", "log_density", "tail_probability", "transform"]
FIT_TABLES = ["coefficients", "members", "outlier_factors", "aic", "bic", "log_likelihood", "glance", "random_effects"]  # of rows in whatever order
BY_ID = ["members", "outlier_factors"]
PREDICTIONS = ["predict", "classify", "probability", "probabilities", "cluster"] + BY_ID
FIT = SCORERS + FIT_TABLES
OTHER_TABLES = ["importance", "hazard_ratios", "tree_nodes", "support_vectors", "dendrogram_merges", "components", "medoids", "reachability", "coordinates", "encodings", "bin_edges", "distributions"]
ALL_OF_IT = FIT + OTHER_TABLES + ["model"]
SETUP = """CREATE OR REPLACE FUNCTION public.says(m pgfit.model, scored text, passed text, scorers text[], tables text[]) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
    result jsonb := jsonb_build_object('model', md5(m::text), 'separated', pgfit.info(m) #> '{statistics,separated}');
    said jsonb;
    name text;
BEGIN
    IF m IS NULL THEN
        RETURN '{}';
    END IF;
    FOREACH name IN ARRAY scorers || tables LOOP
        BEGIN
            EXECUTE CASE WHEN name = ANY (scorers) THEN format('SELECT jsonb_agg(pgfit.%1$I($1, %2$s) ORDER BY t.id) FROM %3$s', name, passed, scored)
                         ELSE format('SELECT jsonb_agg(to_jsonb(x) ORDER BY to_jsonb(x)::text) FROM pgfit.%I($1) AS x', name) END INTO said USING m;
            result := result || jsonb_build_object(name, said);
        EXCEPTION WHEN wrong_object_type OR undefined_function OR feature_not_supported OR object_not_in_prerequisite_state OR invalid_parameter_value THEN NULL;
        END;
    END LOOP;
    RETURN result;
END $$"""


class Relation:
    """right: changes a case; left: changes the case that it is compared with. Either returns None where the relation does not apply.
    of: the outputs that are compared. expect: what the left one says, as the right one should say it. refusal: the right one may refuse so. every: of so many tables
    one, because it takes long."""

    def __init__(self, right, same=NEAR, of=SCORERS + BY_ID, left=None, expect=None, refusal=None, every=1):
        self.right, self.same, self.of, self.left, self.expect, self.refusal, self.every = right, same, of, left, expect, refusal, every


def standardized(c):
    return c.option(standardize=True) if "standardize" in c.known else c


def rows_of(c, more):
    """Returns a FROM item: the rows of r and others, each given as changes of columns of r."""
    names = ["id", "a", "b", "c", "y", "p", "y2", "k", "ev", "w", "g", "pad"]
    parts = [f"SELECT {', '.join(names)} FROM r"]
    for change in more:
        parts.append(f"SELECT {', '.join(change.get(n, n) for n in names)} FROM r WHERE id % 4 = 1")
    return c.but(rows=f"({' UNION ALL '.join(parts)})")


def with_nulls(c):
    skips = "skip" in (c.known.get("nulls", {}).get("range") or "") and "branch" not in c.known["nulls"]["range"]
    changes = [{"id": "id + 20000", "a": "NULL"}, {"id": "id + 30000", "a": "a + 9", "b": "NULL"}] if skips and {"a", "b"} <= set(c.columns) else []
    if c.kind in ("target", "label"):
        changes.append({"id": "id + 40000", "a": "a + 7", "y": "NULL", "p": "NULL", "y2": "NULL", "k": "NULL"})
    return rows_of(c, changes) if changes else None


def numeric(c):
    return c.but(columns={n: c.columns[n] for n in c.columns if n in NUMBERS}) if set(c.columns) & set(NUMBERS) and c.estimator not in ("cox_regression", "mixed_regression") else None


def formula(c):
    return None if "formula" in c.options or c.estimator == "cox_regression" else c.but(passed="t", columns={"id": "t.id"}).option(formula=" + ".join(c.columns))


def whole_row(c, rows):
    return None if "formula" in c.options else c.but(passed="t", rows=rows, columns={"ignored": "1"}, probe=rows).option(features=[n for n in c.columns if n != "ev"])


def renamed(c):
    names = {"a": "za", "b": "mb", "c": "ac"}
    return None if "formula" in c.options else c.but(columns={names.get(n, n): e for n, e in c.columns.items()})


def merged(c):
    if "moments" not in c.input:
        return None
    passing = {k: v for k, v in c.options.items() if k in ("weight_kind",)}
    whole = c.but(estimator=c.input, options=passing).call()
    return c.but(wrap=f"SELECT pgfit.fit('{c.estimator}', pgfit.merge(e), {quote(json.dumps({k: v for k, v in c.options.items() if k not in passing}))}::jsonb) AS m "
                      f"FROM (SELECT {whole} AS e FROM {{source}} GROUP BY t.id % 5) AS parts")


def grouped(c, settings):
    return c.but(wrap="SELECT m FROM (SELECT g, {call} AS m FROM {source} GROUP BY g OFFSET 0) AS s WHERE g = 1", settings=settings)


def relabeled(c, labels):
    """Returns a case of labels with other names."""
    if c.kind != "label" or c.first != "t.k":
        return None
    more = {o: [labels[v] for v in c.options[o]] for o in ("levels",) if o in c.options}
    return c.but(first=f"(CASE t.k {' '.join(f'WHEN {quote(k).strip()} THEN {quote(v).strip()}' for k, v in labels.items())} END)").option(**more)


def scaled(says, factor, names):
    def times(x):
        return [times(v) for v in x] if isinstance(x, list) else x * factor if isinstance(x, (int, float)) and not isinstance(x, bool) else x
    return {k: times(v) if k in names else v for k, v in says.items() if k in names}


def named_otherwise(labels):
    return lambda says: {**says, **({"classify": [labels.get(v, v) for v in says["classify"]]} if "classify" in says else {})}


def reversed_scores(says):
    kept = named_otherwise(BACKWARD)({k: v for k, v in says.items() if k in ("classify", "probabilities")})
    if "probabilities" in kept:
        kept["probabilities"] = [v[::-1] if v else v for v in kept["probabilities"]]
    return kept


FORWARD = {"u": "one", "v": "two", "w": "zoo"}
BACKWARD = {"u": "zoo", "v": "two", "w": "one"}
POWERS = {"a": 1024, "b": 0.0625}
SORTED_GROUPS = {"enable_hashagg": "off", "enable_sort": "on"}
RELATIONS = {
    "the same statement twice": Relation(lambda c: c, BITS, ALL_OF_IT),
    "the order of rows": Relation(lambda c: c.but(rows="(SELECT * FROM r ORDER BY md5(id::text))"), of=FIT),
    "ORDER BY inside the call": Relation(lambda c: c.but(order=" ORDER BY md5(t.id::text)"), of=FIT),
    "a weight of 2 is two rows": Relation(lambda c: c.but(rows="(SELECT r.* FROM r, generate_series(1, w::int))").option(weight_kind="frequency"), of=FIT,
                                          left=lambda c: c.but(weight="t.w").option(weight_kind="frequency")),
    "weights of 1 are none": Relation(lambda c: c.but(weight="1.0"), of=FIT),
    "rows of weight 0": Relation(lambda c: rows_of(c, [{"id": "id + 20000", "a": "a * 5 + 3", "y": "y - 8", "w": "0"}]).but(weight="(t.w <> 0)::int::float8"), BITS,
                                 left=lambda c: c.but(weight="(t.w <> 0)::int::float8")),
    "units of features": Relation(lambda c: standardized(c).mapped(lambda n, e: f"{e} * {POWERS[n]}"), of=PREDICTIONS, left=standardized),
    "one unit for all features": Relation(lambda c: standardized(c).mapped(lambda n, e: f"{e} * 4"), of=PREDICTIONS, left=standardized),
    "features shifted": Relation(lambda c: standardized(c).mapped(lambda n, e: f"{e} + 64"), of=PREDICTIONS, left=standardized),
    "units of the target": Relation(lambda c: c.but(first=f"4 * {c.first}") if c.task == "regression" and c.first in ("t.y", "t.p") else None,
                                    expect=lambda says: scaled(says, 4, ["predict"])),
    "order of columns": Relation(lambda c: None if len(c.columns) < 2 else c.but(columns=dict(reversed(c.columns.items())))),
    "names of columns": Relation(renamed, BITS),
    "names of levels": Relation(lambda c: c.but(columns={**c.columns, "c": "'l' || t.c"}) if "c" in c.columns else None, BITS),
    "a constant column": Relation(lambda c: None if "formula" in c.options else c.but(columns={**c.columns, "one": "t.a * 0 + 1"}) if c.task in ("regression", "classification", "survival") else None, of=PREDICTIONS),
    "labels renamed": Relation(lambda c: relabeled(c, FORWARD), BITS, expect=named_otherwise(FORWARD)),
    "labels in another order": Relation(lambda c: relabeled(c, BACKWARD), expect=reversed_scores),
    "moments of parts, merged": Relation(merged, of=FIT, refusal="(22023|42809)"),
    "two workers": Relation(lambda c: c.but(how="parallel"), of=FIT, every=4),
    "a fit alone, and in groups by hash": Relation(lambda c: grouped(c, {"enable_sort": "off"}), BITS, ALL_OF_IT, left=lambda c: c.but(rows="(SELECT * FROM r WHERE g = 1)"), refusal="22"),
    "a fit alone, and in sorted groups": Relation(lambda c: grouped(c, SORTED_GROUPS), of=FIT, left=lambda c: c.but(rows="(SELECT * FROM r WHERE g = 1)"), refusal="22"),
    "a FILTER": Relation(lambda c: c.but(filter=" FILTER (WHERE t.g = 1)"), BITS, ALL_OF_IT, left=lambda c: c.but(rows="(SELECT * FROM r WHERE g = 1)"), refusal="22"),
    "a window": Relation(lambda c: c.but(wrap="SELECT m FROM (SELECT {call} OVER () AS m FROM {source}) AS s LIMIT 1"), of=FIT),
    "a moving window": Relation(lambda c: c.but(wrap="SELECT m FROM (SELECT t.g, {call} OVER (ORDER BY t.g ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS m FROM {source}) AS s LIMIT 1"),
                                of=FIT),
    "a formula": Relation(formula, BITS),
    "an array": Relation(lambda c: numeric(c) and numeric(c).but(passed=f"ARRAY[{', '.join(numeric(c).columns.values())}]"), BITS, left=numeric),
    "ROW(...)": Relation(lambda c: None if "formula" in c.options or c.estimator == "cox_regression" else c.but(passed=f"ROW({', '.join(c.columns.values())})"), BITS),
    "jsonb": Relation(lambda c: c.but(passed=f"jsonb_build_object({', '.join(f'{quote(n).strip()}, {e}' for n, e in c.columns.items())})"), BITS),
    "a whole row": Relation(lambda c: whole_row(c, "r"), BITS),
    "a whole row of a view": Relation(lambda c: whole_row(c, "v"), BITS),
    "a whole row without plan_rows": Relation(lambda c: whole_row(c, "r") and whole_row(c, "r").but(settings={"pgfit.plan_rows": "off"}), BITS),
    "a CTE": Relation(lambda c: c.but(wrap="WITH s AS MATERIALIZED (SELECT * FROM r) " + c.wrap, rows="s"), BITS, ALL_OF_IT),
    "a prepared statement": Relation(lambda c: c.but(how="prepared", parameter="$1"), BITS, ALL_OF_IT),
    "compiled expressions": Relation(lambda c: c.but(settings={"jit": "on", "jit_above_cost": "0", "jit_optimize_above_cost": "-1", "jit_inline_above_cost": "-1"}), BITS, ALL_OF_IT, every=4),
    "a small pgfit.fit_mem": Relation(lambda c: c.but(settings={"pgfit.fit_mem": "'64kB'"}), BITS, ALL_OF_IT, refusal="54000"),
    "types of numbers": Relation(lambda c: c.mapped(lambda n, e: f"{e}::numeric"), BITS),
    "rows with NULL": Relation(with_nulls, BITS),
    "text": Relation(lambda c: c.but(wrap=f"SELECT m::text::pgfit.model AS m FROM ({c.wrap}) AS s"), BITS, ALL_OF_IT),
    "jsonb of the model": Relation(lambda c: c.but(wrap=f"SELECT m::jsonb::pgfit.model AS m FROM ({c.wrap}) AS s"), BITS, ALL_OF_IT),
    "COPY in binary": Relation(lambda c: c.but(how="binary"), BITS, ALL_OF_IT),
}


class Runner:
    def __init__(self, arguments):
        self.arguments = arguments
        self.session = Session()
        self.session.execute("CREATE EXTENSION IF NOT EXISTS pgfit")
        self.session.execute(SETUP)
        self.session.on_connect("SET client_min_messages = error; SET max_parallel_workers_per_gather = 0; SET synchronize_seqscans = off")
        self.session.execute("CREATE TABLE IF NOT EXISTS kept (m pgfit.model)")
        self.file = self.session.text("SHOW data_directory") + f"/kept.{os.getpid()}.bin"
        self.methods = Methods(self.session)
        self.held, self.refused = Counter(), Counter()  # by relation
        self.used, self.excused = Counter(), Counter()  # by exception: pairs that it is for, and pairs that needed it
        self.parallel = 0
        self.failed = self.pairs = 0
        self.findings = Counter()

    def says(self, case, memory, of=ALL_OF_IT):
        """Returns what the model of a case says, or the SQLSTATE of its refusal."""
        case = case.but(asked=[n for n in of if n != "model" and n in case.known.get("answers", ALL_OF_IT)])
        key = json.dumps({k: v for k, v in case.__dict__.items() if k != "known"}, default=str, sort_keys=True)
        if key not in memory:
            try:
                memory[key] = self.fit(case)
            except SqlError as error:
                if not error.is_user_error:
                    raise
                memory[key] = {"refused": error.state, "message": error.message}
        return memory[key]

    def fit(self, case):
        settings, query = case.settings, case.query()
        if case.how == "parallel":
            settings = {"max_parallel_workers_per_gather": 2, "parallel_setup_cost": 0, "parallel_tuple_cost": 0, "min_parallel_table_scan_size": 0, "cpu_operator_cost": 1, "parallel_leader_participation": "off"}
        for name, value in settings.items():
            self.session.execute(f"SET {name} = {value}")
        try:
            if case.how == "prepared":
                self.session.execute(f"SET plan_cache_mode = force_generic_plan; PREPARE q(jsonb) AS {query}")
                query = f"EXECUTE q({quote(json.dumps(case.options))})"
            if case.how == "parallel":
                self.parallel += "Partial Aggregate" in self.session.text("EXPLAIN " + query)
            if case.how in ("prepared", "parallel"):
                query = f"SELECT {quote(self.session.text(query))}::pgfit.model AS m"
            if case.how == "binary":
                self.session.execute("TRUNCATE kept")
                self.session.execute(f"COPY ({query}) TO {quote(self.file)} BINARY")
                self.session.execute(f"COPY kept FROM {quote(self.file)} BINARY")
                query = "SELECT m FROM kept"
            if settings: # what it says is asked without them
                self.session.execute("TRUNCATE kept")
                self.session.execute(f"INSERT INTO kept {query}")
                query = "SELECT m FROM kept"
                self.reset(settings)
            answer = self.session.text(f"SELECT public.says(m, {quote(case.scored())}, {quote(case.passed)}, {names(case, SCORERS)}, {names(case, FIT_TABLES + OTHER_TABLES)}) "
                                       f"FROM ({query} OFFSET 0) AS fitted")
            return json.loads(answer) if answer else {}
        finally:
            if case.how == "prepared":
                self.session.execute("DEALLOCATE ALL; RESET plan_cache_mode")
            self.reset(settings)

    def reset(self, settings):
        if settings:
            self.session.execute("; ".join("SET max_parallel_workers_per_gather = 0" if n == "max_parallel_workers_per_gather" else f"RESET {n}" for n in settings))

    def check(self, number, name, memory):
        rng = random.Random(f"{self.arguments.seed} {number} {name}")
        fits = lambda case: "model" in self.says(case, memory)
        case = self.methods.draw(name, rng, fits)
        if case is None:
            return False
        case = case.but(known={**case.known, "answers": set(self.says(case, memory))})
        for at, (title, relation) in enumerate(RELATIONS.items()):
            if (number + at + len(name)) % relation.every and self.arguments.only is None:
                continue
            if self.arguments.relation and not re.search(self.arguments.relation, title):
                continue
            left = relation.left(case) if relation.left else case
            right = relation.right(case)
            if left is None or right is None:
                continue
            self.compare(number, title, relation, left, right, memory)
        return True

    def compare(self, number, title, relation, left, right, memory):
        one, other = self.says(left, memory, relation.of), self.says(right, memory, relation.of)
        self.pairs += 1
        if "refused" in other and (other["refused"] == one.get("refused") or relation.refusal and re.match(relation.refusal, other["refused"])):
            self.refused[title] += 1
            return
        if "refused" in one or "refused" in other:
            found = {"refused": f"{one.get('refused')} {one.get('message')} | {other.get('refused')} {other.get('message')}"}
        else:
            if self.arguments.plant and title == "names of columns":
                other = {n: [v if v is None else [v] for v in x] if isinstance(x, list) else x for n, x in other.items()}
            near = next(t for e, t, _ in NEAR_OF if re.fullmatch(e, left.estimator)) if relation.same == NEAR else 0.0
            found = differences(relation.expect(one) if relation.expect else one, other, relation, near)
        options = json.dumps(left.options, sort_keys=True)
        for i, e in enumerate(EXCEPTIONS):
            if (re.fullmatch(e.relation, title) and re.fullmatch(e.estimator, left.estimator) and re.search(e.options, options) and (not e.whole or self.whole)
                    and (not e.separated or one.get("separated") or largest_score(one) > 12)):
                self.used[i] += 1
                excused = [n for n in found if re.fullmatch(e.outputs, n)]
                self.excused[i] += bool(excused)
                found = {n: d for n, d in found.items() if n not in excused}
        if not found:
            self.held[title] += 1
            return
        self.failed += 1
        self.findings[(left.estimator, title)] += 1
        if self.findings[(left.estimator, title)] <= self.arguments.show:
            print(f"FINDING {left.estimator} {options}: {title}: {next(iter(found.items()))}\n    --seed {self.arguments.seed} --only {number} "
                  f"--estimators '^{left.estimator}$$' --relation '^{re.escape(title)}$$'\n    {left.query()}\n    {right.query()}", flush=True)


def names(case, some):
    """Returns an array of those functions that a case is asked."""
    return "ARRAY[" + ", ".join(quote(n).strip() for n in some if n in case.asked) + "]::text[]"


def largest_score(says):
    return max([abs(x) for n in ("decision", "decisions") for x in flat(says.get(n)) if isinstance(x, (int, float))] or [0])


def differences(one, other, relation, near):
    """Returns the outputs that differ by more than `near` of their largest number, with where they do."""
    found = {}
    for name in relation.of:
        a, b = one.get(name), other.get(name)
        if relation.expect and name not in one:
            continue
        if name == "glance": # the number of rows, of which a weight may stand for several
            a, b = ([{k: v for k, v in x.items() if k != "rows"} for x in y] if y else y for y in (a, b))
        largest = max([abs(x) for x in flat(a) if isinstance(x, (int, float)) and not isinstance(x, bool)] or [0])
        worst = distance(a, b)
        if worst is None or worst > near * max(largest, LEAST):
            found[name] = f"by {worst} of {largest}: {json.dumps(a)[:250]} | {json.dumps(b)[:250]}"
    return found


def flat(value):
    if isinstance(value, list):
        return [x for v in value for x in flat(v)]
    if isinstance(value, dict):
        return [x for v in value.values() for x in flat(v)]
    return [value]


def distance(a, b):
    """Returns the largest difference of numbers of two values, or None if anything else differs."""
    if isinstance(a, list) and isinstance(b, list):
        found = [distance(x, y) for x, y in zip(a, b)] if len(a) == len(b) else [None]
    elif isinstance(a, dict) and isinstance(b, dict):
        found = [distance(a[k], b[k]) for k in a] if a.keys() == b.keys() else [None]
    elif all(isinstance(x, (int, float)) and not isinstance(x, bool) for x in (a, b)):
        return abs(a - b)
    else:
        return 0.0 if a == b else None
    return None if None in found else max(found, default=0.0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tables", type=int, default=10, help="the number of tables for each estimator")
    parser.add_argument("--seconds", type=float, default=math.inf, help="end after so many seconds")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--only", type=int, help="this table alone")
    parser.add_argument("--estimators", default="")
    parser.add_argument("--relation", default="")
    parser.add_argument("--plant", action="store_true", help="shift the scores of renamed columns, which must be found")
    parser.add_argument("--show", type=int, default=2, help="findings to show of an estimator and a relation")
    arguments = parser.parse_args()
    runner, began, tables, uncalled = Runner(arguments), time.monotonic(), 0, Counter()
    chosen = [n for n in runner.methods.all if re.search(arguments.estimators, n)]
    numbers = [arguments.only] if arguments.only is not None else range(arguments.first, arguments.first + arguments.tables)
    for number in numbers:
        if time.monotonic() - began > arguments.seconds:
            break
        table = Table(arguments.seed, number)
        table.load(runner.session)
        runner.whole = table.whole
        for name in chosen:
            if not runner.check(number, name, {}):
                uncalled[name] += 1
        tables += 1
    for title in RELATIONS:
        print(f"{title}: {runner.held[title]} held, {runner.refused[title]} refused alike")
    for (name, title), count in sorted(runner.findings.items()):
        print(f"failed {count} of {tables}: {name}: {title}")
    for i, e in enumerate(EXCEPTIONS):
        if runner.used[i] and not runner.excused[i]:
            print(f"exception not needed in {runner.used[i]} cases: {e.relation}: {e.estimator} {e.options}")
    print(f"no call: {', '.join(n for n in chosen if uncalled[n] == tables) or 'none'}")
    print(f"{tables} tables, {len(chosen)} estimators, {len(RELATIONS)} relations, {runner.pairs} pairs of fits, {runner.parallel} parallel plans, {time.monotonic() - began:.0f} s")
    print(f"{sum(runner.held.values())} passed, {runner.failed} failed")
    sys.exit(runner.failed > 0 or tables == 0)


if __name__ == "__main__":
    main()
