#!/usr/bin/env python3
"""
Runs golden cases (files with "schema": 1, see README.md) against a server that has pgfit.

    run.py [--pin-check | --pin-write] [--tables] [--verbose] [FOLDER ...]

Connects as psql does (PGHOST, PGPORT, PGUSER, PGDATABASE or --database). Prints one line per case
that fails, the methods that were skipped, and `N passed, N failed, N skipped`. Standard library only.
"""
import argparse
import collections
import glob
import json
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True

from compare import Tolerance, differences, show  # noqa: E402
from methods import ESTIMATORS, Several, Unknown, load_all  # noqa: E402
from real_tables import RealTables  # noqa: E402
from session import Session, SqlError, is_finite  # noqa: E402
from source import Loader  # noqa: E402

COUNTS = os.path.join(HERE, "expected_counts")
KEYS_WITHOUT_VALUES = {"behaviour", "coef_order"}  # read by the handlers, nothing to compare


class Features:
    """Returns the functions of the installed extension."""

    def __init__(self, session):
        self.functions = {r["proname"] for r in session.rows(
            "SELECT DISTINCT proname FROM pg_proc WHERE pronamespace IN ('pgfit'::regnamespace, 'pgfit_textbook'::regnamespace)")}
        self.estimators = set()
        if "estimators" in self.functions:
            self.estimators = {next(iter(r.values())) for r in session.rows("SELECT * FROM pgfit.estimators()")}

    def missing(self, names):
        return [n for n in names if n not in self.functions]


class Runner:
    def __init__(self, session, verbose):
        self.session = session
        self.verbose = verbose
        self.registry = load_all()
        self.features = Features(session)
        self.passed = collections.Counter()
        self.real_tables = RealTables()
        self.failed = 0
        self.skipped = collections.Counter()
        self.skip_reason = {}
        self.lines = []
        self.unchecked = collections.Counter()

    def folder(self, folder):
        loader = Loader(self.session, folder)
        for path in sorted(glob.glob(os.path.join(folder, "*.json"))):
            try:
                with open(path, encoding="utf-8") as stream:
                    content = json.load(stream)
            except ValueError as error:
                print(f"skipped file: {path} (not JSON: {error})")
                continue
            if not isinstance(content, dict) or content.get("schema") != 1:
                print(f'skipped file: {path} (no "schema": 1)')
                continue
            for case in content.get("cases", []):
                self.case(case, loader)

    def skip(self, method, reason):
        self.skipped[method] += 1
        self.skip_reason[method] = reason

    def case(self, case, loader):
        method = case["method"]
        handler_class = self.registry.get(method)
        if handler_class is None:
            estimator = ESTIMATORS.get(method)
            if estimator and (estimator in self.features.estimators or estimator in self.features.functions):
                self.fail(case, [("method", f"no handler, though pgfit.{estimator} exists", method)])
            else:
                self.skip(method, f"no pgfit.{estimator}" if estimator else "not built")
            return
        missing = self.features.missing(handler_class.needed(case))
        if missing:
            self.skip(method, "no pgfit." + ", pgfit.".join(missing))
            return
        self.session.statements = []
        try:
            problems = self.compare_case(handler_class(case, self.session, loader), case)
        except SqlError as error:
            problems = [("statement", str(error), "a result")]
        except Exception as error:  # only this case fails, the others still run
            problems = [("runner", f"{type(error).__name__}: {error}", "an answer")]
        if not self.session.process:
            loader.forget()
        if problems:
            self.fail(case, problems)
        else:
            self.passed[method] += 1
            self.real_tables.add(case, self.session.statements)
            if self.verbose:
                print(f"ok {case['id']}")

    def fail(self, case, problems):
        self.failed += 1
        for key, got, want in problems[: 1000 if self.verbose else 5]:
            print(f"FAIL {case['id']} ({case['method']}) {key}: got {show(got)}, want {show(want)}")

    def compare_case(self, handler, case):
        """Lists what is wrong with one case."""
        expected = case["expected"]
        behaviour = expected.get("behaviour", "value")
        allowed_error = behaviour.startswith("error") or behaviour in ("drop_or_error", "terminates", "no_nan")
        try:
            handler.fit()
        except SqlError as error:
            if allowed_error and error.is_user_error:
                return []
            return [("behaviour", str(error), behaviour)]
        if behaviour == "error":
            return [("behaviour", "NULL" if handler.is_null() else "a result", "an error")]
        if handler.is_null():
            return [] if behaviour in ("error_or_null", "ratio_null", "drop_or_error") else \
                [("behaviour", "NULL", behaviour)]
        bad = [n for n in handler.numbers() if not is_finite(n)]
        if bad:
            return [("behaviour", bad[0], "finite numbers")]
        tolerance = Tolerance(case)
        problems = []
        for key, want in expected.items():
            if key in KEYS_WITHOUT_VALUES:
                continue
            try:
                found = handler.compare_key(key, want, tolerance)
                if found is None:
                    found = self.compare(handler.value(key), key, want, tolerance)
                problems += found
            except Unknown:
                self.unchecked[f"{case['method']}.{key}"] += 1
                problems.append((key, "unchecked key", want))
            except SqlError as error:
                problems.append((key, str(error), want))
        self.lines += handler.report()
        return problems

    @staticmethod
    def compare(got, key, want, tolerance):
        if isinstance(got, Several):
            return [d for place, value in got.places.items()
                    for d in differences(value, want, tolerance, f"{key} [{place}]")]
        return differences(got, want, tolerance, key)

    def summary(self):
        for line in self.lines:
            print(line)
        if self.unchecked:
            print("keys without a way to check them: " + ", ".join(sorted(self.unchecked)))
        if self.skipped:
            print("skipped methods:")
            for name, count in sorted(self.skipped.items()):
                print(f"  {name}: {count} ({self.skip_reason[name]})")
        print(f"{sum(self.passed.values())} passed, {self.failed} failed, {sum(self.skipped.values())} skipped")


def read_pins():
    pins = {}
    if os.path.exists(COUNTS):
        with open(COUNTS, encoding="utf-8") as stream:
            for line in stream:
                words = line.split("#")[0].split()
                if words:
                    pins[words[0]] = int(words[1])
    return pins


def check_pins(passed):
    """Compares the passed cases per method with their pins: they may only grow."""
    ok = True
    for name, pinned in sorted(read_pins().items()):
        if passed[name] < pinned:
            print(f"FAIL pinned count: {name} passed {passed[name]}, pinned {pinned}")
            ok = False
    return ok


def write_pins(passed):
    """Raises the pins to what passes now; never lowers one."""
    pins = read_pins()
    for name, count in passed.items():
        pins[name] = max(count, pins.get(name, 0))
    with open(COUNTS, "w", encoding="utf-8") as stream:
        stream.write("# Golden cases passed a method; may only grow (run.py --pin-write).\n")
        for name in sorted(pins):
            stream.write(f"{name} {pins[name]}\n")


def main():
    parser = argparse.ArgumentParser(description="Runs golden cases against pgfit.")
    parser.add_argument("folders", nargs="*", help="folders of case files")
    parser.add_argument("--database", help="database or connection string")
    parser.add_argument("--psql", default=os.environ.get("PSQL", "psql"))
    parser.add_argument("--pin-check", action="store_true", help="fail where fewer pass than pinned")
    parser.add_argument("--pin-write", action="store_true", help="raise the pinned counts to what passes")
    parser.add_argument("--tables", action="store_true", help="print the real tables of what expected_tables lists")
    parser.add_argument("--verbose", action="store_true", help="name the passed cases, show all differences")
    options = parser.parse_args()
    start = time.time()
    session = Session(options.psql, options.database)
    session.on_connect("SET client_min_messages = error")
    session.on_connect("SET extra_float_digits = 1")
    session.on_connect("SET statement_timeout = '120s'")
    try:
        session.on_connect("CREATE EXTENSION IF NOT EXISTS pgfit")
        runner = Runner(session, options.verbose)
    except SqlError as error:
        print(f"cannot start: {error}")
        return 2
    folders = options.folders or [HERE]
    for folder in folders:
        if not os.path.isdir(folder):
            print(f"no such folder: {folder}")
            return 2
        runner.folder(folder)
    runner.summary()
    ok = runner.failed == 0
    if not runner.passed and not runner.failed:
        print("no case was run")
        ok = False
    if options.tables:
        runner.real_tables.show()
    if options.pin_check:
        ok = check_pins(runner.passed) and ok
        ok = runner.real_tables.check() and ok
    if options.pin_write:
        write_pins(runner.passed)
    session.close()
    if options.verbose:
        print(f"{time.time() - start:.1f} s")
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
