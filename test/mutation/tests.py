"""The tests that judge changes: unit tests of the core, files of sql/, golden cases. One that fails without a change is left out."""
import collections
import contextlib
import glob
import json
import os
import resource
import shlex
import signal
import subprocess
import sys
import threading
import time

LIKELY = 4  # tests of a stage that a place meets alone
TIMES = 5  # a unit test may take so many times the usual time of the processor
STATEMENT_SECONDS, TEST_SECONDS = 120, 300  # of a server, whose time depends on what else the machine does
SLOW_SECONDS = 60  # a failure that took longer is tried again without a change
REGISTRY = 20  # steps to the lists of all methods, so that what they reach is far
GOLDEN = os.path.join("test", "golden")
USUAL = os.path.join("build", "mutation", "usual.jsonl")  # times of unit tests, of this run and of others
sys.path.insert(0, GOLDEN)


def core_objects():
    """Returns the objects of the core, without those of files that moved."""
    return sorted(name[:-2] + ".o" for name in glob.glob("src/core/*.c") + glob.glob("src/core/*/*.c"))


def alike(word, other):
    """Returns how many letters two words begin with, as boosting and boosted_trees; 0 below four."""
    letters = len(os.path.commonprefix((word, other)))
    return letters if letters >= 4 or word == other else 0


class Stage:
    """Tests that run with changed objects. build(places) returns these, by the names of the originals."""

    def __init__(self, build):
        self.build = build
        self.tests = []
        self.using = None  # the places whose changes are in what runs
        self.sound = {}  # whether a test that failed passes without a change

    def likeness(self, place):
        """Returns how much the name of each test is like that of the file and its room; words that few tests share count most."""
        near = dict.fromkeys(self.tests, 0)
        for word in set(os.path.basename(place.path)[:-2].split("_") + place.path.split("/")[-2].split("_")):
            like = {test: max(alike(word, other) for other in test.split(".")[1].split("_")) for test in self.tests}
            for test in self.tests:
                near[test] += like[test] / max(sum(letters > 0 for letters in like.values()), 1)
        return near

    def use(self, places):
        if self.using != places:
            self.link(self.build(places))
            self.using = list(places)

    def fails(self, test, places):
        """Tells whether a test fails with the changes of places, and passes without."""
        self.use(places)
        start = time.monotonic()
        if self.run(test):
            return False
        slow = time.monotonic() - start > SLOW_SECONDS  # the machine may be too busy for a limit of time
        sound = self.sound.get(test)
        if sound is None or slow:
            self.use([])
            sound = self.run(test)
            if not sound:
                print(f"left out{' once' if slow else ''}, for it fails without a change: {test}", flush=True)
            if not slow:
                self.sound[test] = sound
        return sound

    def likely_killer(self, place, likely):
        """Returns the one of the likely tests that fails."""
        for test in likely:
            if self.fails(test, [place]):
                return test
        return None

    def guilty(self, test, places):
        """Returns the places whose changes make a test fail, one by one, where those of all do."""
        if len(places) == 1:
            return places
        half = len(places) // 2
        return [place for part in (places[:half], places[half:]) if self.fails(test, part) for place in self.guilty(test, part)]

    def killers(self, places):
        """Runs all tests with the changes of all places at once, so that those that no test notices cost one run in all.
        Yields each place that is killed, and by which test."""
        places = list(places)
        for test in self.tests:
            while places and self.fails(test, places):
                found = self.guilty(test, places)
                if not found:
                    print(f"fails with several changes, but with none of them: {test}", flush=True)
                    break
                for place in found:
                    places.remove(place)
                    yield place, test


class UnitTests(Stage):
    """All unit tests in one program."""

    def __init__(self, folder, build):
        super().__init__(build)
        self.folder = folder
        self.objects = sorted(name for name in glob.glob("build/fast/*.o") if not name.endswith("/tests.o")) + core_objects()
        self.command = shlex.split(os.environ["MUTATION_LINK_TESTS"])
        self.libraries = shlex.split(os.environ["MUTATION_LIBRARIES"])
        self.program = os.path.join(folder, "program")
        self.near = self.distances()
        self.tests = [f"unit.{test}" for test in sorted(self.near)]
        self.usual = {}  # the time of each without a change; None where it fails
        if os.path.exists(USUAL) and os.path.getmtime(USUAL) > os.path.getmtime("build/fast/tests"):
            with open(USUAL, encoding="utf-8") as stream:
                self.usual.update(json.loads(line) for line in stream)
        else:
            open(USUAL, "w", encoding="utf-8").close()

    def distances(self):
        """Returns for each test the files that it needs, with the number of steps. The registry leads everywhere, so it
        counts as far."""
        defines, uses = {}, collections.defaultdict(set)
        listing = subprocess.run(["nm", "-A", "-P", "-g"] + self.objects, stdout=subprocess.PIPE, check=True).stdout.decode()
        for line in listing.splitlines():
            path, rest = line.split(": ", 1)
            symbol, kind = rest.split()[:2]
            if kind == "U":
                uses[path].add(symbol)
            else:
                defines[symbol] = path
        result = {}
        for test in (path for path in self.objects if path.startswith("build/fast/test_")):
            steps = {test: 0}
            queue = [(0, test)]
            while queue:
                queue.sort()
                far, path = queue.pop(0)
                if far > steps[path]:
                    continue
                for symbol in uses[path]:
                    other = defines.get(symbol)
                    if other:
                        cost = far + (REGISTRY if other in ("src/core/estimators.o", "src/core/shared_kinds.o") else 1)
                        if cost < steps.get(other, 1e9):
                            steps[other] = cost
                            queue.append((cost, other))
            result[os.path.basename(test)[:-2]] = steps
        return result

    def likely(self, place):
        """Returns the tests with a name like the file's, then those with the fewest steps to it, and of these those that need
        the fewest files."""
        file, like = place.path[:-2] + ".o", self.likeness(place)
        steps = {test: self.near[test[5:]].get(file, REGISTRY) for test in self.tests}
        return sorted((test for test in self.tests if like[test] > 0 or steps[test] < REGISTRY), key=lambda test: (
            -like[test], steps[test], sum(far < REGISTRY for far in self.near[test[5:]].values()), test))[:LIKELY]

    def link(self, changed):
        subprocess.run(self.command + ["build/fast/tests.c"] + [changed.get(name, name) for name in self.objects] + self.libraries + ["-o", self.program],
                       check=True, stdout=subprocess.DEVNULL)

    def run(self, program, test, limit):
        """Returns the time of the processor that a test took, or None if it failed or took more than the limit."""
        link = os.path.join(self.folder, test.split(".")[1])
        if os.path.lexists(link):
            os.remove(link)
        os.symlink(os.path.abspath(program), link)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = max(2, int(limit) + 1)
        process = subprocess.Popen([link], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True,
                                   preexec_fn=lambda: (resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1)),
                                                       resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30)),
                                                       resource.setrlimit(resource.RLIMIT_CORE, (0, 0))))
        try:
            output = process.communicate(timeout=60 * seconds)[0].decode(errors="replace")
        except subprocess.TimeoutExpired:
            output = ""
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if process.returncode != 0 or "\nnot ok" in "\n" + output or \
                any(", " in line and " failed" in line and ", 0 failed" not in line for line in output.splitlines() if "passed" in line):
            return None
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def fails(self, test, places):
        if test not in self.usual:
            self.usual[test] = self.run("build/fast/tests", test, 600)
            if self.usual[test] is None:
                print(f"left out, for it fails without a change: {test}", flush=True)
            with open(USUAL, "a", encoding="utf-8") as stream:
                stream.write(json.dumps([test, self.usual[test]]) + "\n")
        if self.usual[test] is None:
            return False
        self.use(places)
        return self.run(self.program, test, TIMES * self.usual[test]) is None


class ServerTests(Stage):
    """Files of sql/, and golden cases of one method at a time, on the private server of PGHOST etc., whose library is
    replaced. A new backend loads the new one, so the server goes on."""

    def __init__(self, build, sql, golden):
        super().__init__(build)
        self.library = os.environ["MUTATION_LIBRARY"]
        self.command = shlex.split(os.environ["MUTATION_LINK_LIBRARY"])
        self.libraries = shlex.split(os.environ["MUTATION_LIBRARIES_SL"])
        self.objects = core_objects() + sorted(glob.glob("src/pg/*.o") + glob.glob("src/pg/*/*.o"))
        self.cases = self.read_cases()
        self.tests = ["sql." + os.path.basename(path)[:-4] for path in sorted(glob.glob("sql/*.sql")) if path != "sql/setup.sql"] if sql else []
        self.tests += [f"golden.{method}" for method in sorted(self.cases)] if golden else []
        subprocess.run(["psql", "-X", "-q", "-d", "postgres", "-c", "CREATE DATABASE mutation"], check=True)
        subprocess.run(["psql", "-X", "-q", "-d", "mutation", "-c", "CREATE EXTENSION pgfit"], check=True)
        self.run("sql.setup")
        subprocess.run(["psql", "-X", "-q", "-d", "postgres", "-c", "ALTER DATABASE mutation RENAME TO fresh"], check=True)
        self.reset()

    @staticmethod
    def read_cases():
        """Returns the golden cases of each method."""
        cases = collections.defaultdict(list)
        for path in sorted(glob.glob(os.path.join(GOLDEN, "*.json"))):
            with open(path, encoding="utf-8") as stream:
                content = json.load(stream)
            for case in content.get("cases", []) if content.get("schema") == 1 else []:
                cases[case["method"]].append(case)
        return cases

    def likely(self, place):
        """Returns the tests whose names are most like that of the file and its room."""
        near = self.likeness(place)
        return [test for stage in ("sql.", "golden.") for test in
                sorted((test for test in self.tests if near[test] > 0 and test.startswith(stage)), key=lambda test: -near[test])[:LIKELY]]

    def link(self, changed):
        subprocess.run(self.command + [changed.get(name, name) for name in self.objects] + self.libraries + ["-o", self.library + ".new"],
                       check=True, stdout=subprocess.DEVNULL)
        os.replace(self.library + ".new", self.library)

    def ready(self):
        """Waits for a server that restarts after a crash."""
        for _ in range(120):
            if subprocess.run(["psql", "-X", "-q", "-d", "postgres", "-c", "SELECT 1"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0:
                return
            time.sleep(0.5)
        raise RuntimeError("the server does not answer")

    @staticmethod
    def reset():
        """Gives the next test a database and roles without what others left, which a crash may have ended anywhere."""
        subprocess.run(["psql", "-X", "-q", "-d", "postgres"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, input=b"""
            DROP DATABASE IF EXISTS mutation (FORCE);
            SELECT format('DROP ROLE %I', rolname) FROM pg_roles WHERE oid >= 16384 \\gexec
            CREATE DATABASE mutation TEMPLATE fresh;
            SELECT format('ALTER DATABASE mutation SET %I = %L', split_part(setting, '=', 1), split_part(setting, '=', 2))
                FROM pg_db_role_setting, unnest(setconfig) setting WHERE setdatabase = (SELECT oid FROM pg_database WHERE datname = 'fresh') \\gexec
            """)

    def run_file(self, test):
        """Runs a file as pg_regress does, and tells whether its output is the expected one."""
        environment = dict(os.environ, PGTZ="America/Los_Angeles", PGDATESTYLE="Postgres, MDY",
                           PGOPTIONS=f"-c intervalstyle=postgres_verbose -c statement_timeout={STATEMENT_SECONDS}000")
        with open(f"sql/{test}.sql", "rb") as stream:
            output = subprocess.run(["psql", "-X", "-a", "-q", "-d", "mutation", "-v", "HIDE_TABLEAM=on", "-v", "HIDE_TOAST_COMPRESSION=on"],
                                    stdin=stream, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment).stdout
        passed = False
        for name in [f"expected/{test}.out"] + glob.glob(f"expected/{test}_[0-9].out"):
            with open(name, "rb") as stream:
                passed = passed or stream.read() == output
        return passed

    def run_golden(self, method):
        """Runs the golden cases of a method until one fails."""
        import run as golden  # of test/golden
        from session import Session, SqlError
        from source import Loader
        session = Session("psql", "mutation")
        try:
            for setting in ("client_min_messages = error", "extra_float_digits = 1", f"statement_timeout = {STATEMENT_SECONDS}000"):
                session.on_connect("SET " + setting)
            runner = golden.Runner(session, False)
            loader = Loader(session, GOLDEN)
            with open(os.devnull, "w", encoding="utf-8") as nowhere, contextlib.redirect_stdout(nowhere):
                for case in self.cases[method]:
                    runner.case(case, loader)
                    if runner.failed or runner.skipped:
                        return False
            return True
        except SqlError:
            return False
        finally:
            session.close()

    @staticmethod
    def end_backends():
        """Ends what does not poll, at the price of a restart of the server."""
        listed = subprocess.run(["psql", "-X", "-A", "-t", "-d", "postgres", "-c", "SELECT pid FROM pg_stat_activity WHERE datname = 'mutation'"],
                                stdout=subprocess.PIPE).stdout
        for pid in listed.split():
            os.kill(int(pid), signal.SIGQUIT)

    def run(self, test):
        stage, name = test.split(".", 1)
        watch = threading.Timer(TEST_SECONDS, self.end_backends)
        watch.start()
        passed = self.run_golden(name) if stage == "golden" else self.run_file(name)
        watch.cancel()
        if not passed:
            self.ready()
        if test != "sql.setup" and (stage == "sql" or not passed):
            self.reset()
        return passed
