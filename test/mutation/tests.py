"""The tests that judge a changed object: unit tests of the core, then SQL on a private server. Each is first run
with the library as it is, which tells its time; one that fails then is left out."""
import collections
import glob
import json
import os
import resource
import shlex
import signal
import subprocess
import time

TIMES = 5  # a mutant may take so many times the usual time
REGISTRY = 20  # steps to the lists of all methods, so that what they reach is far
MAP = os.path.join("build", "coverage", "functions.json")  # of `make coverage`: file -> names of tests


def covering_tests():
    """Returns the tests that run code of each file, as `make coverage` recorded them; empty if it did not run."""
    if not os.path.exists(MAP):
        return {}
    with open(MAP, encoding="utf-8") as stream:
        return json.load(stream)


class UnitTests:
    """All unit tests in one program, in which the changed object takes the place of its original."""
    name = "unit"

    def __init__(self, folder, nearest):
        self.folder, self.nearest = folder, nearest
        self.objects = sorted(name for name in glob.glob("build/fast/*.o") if not name.endswith("/tests.o")) + sorted(glob.glob("src/core/*.o") + glob.glob("src/core/*/*.o"))
        self.link = shlex.split(os.environ["MUTATION_LINK_TESTS"])
        self.libraries = shlex.split(os.environ["MUTATION_LIBRARIES"])
        self.covering = covering_tests()
        self.usual = {}
        self.near = self.distances()

    def distances(self):
        """Returns for each test the files that it needs, with the number of steps: which tests to try first, and which
        never reach a file. The registry leads everywhere, so it counts as far."""
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

    def run(self, program, test, limit):
        """Returns whether the test passed, and its processor time."""
        link = os.path.join(self.folder, test)
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
            os.killpg(process.pid, signal.SIGKILL)
            output = process.communicate()[0].decode(errors="replace")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        passed = process.returncode == 0 and "\nnot ok" not in "\n" + output and \
            not any(", " in line and " failed" in line and ", 0 failed" not in line for line in output.splitlines() if "passed" in line)
        return passed, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def usual_time(self, test):
        """Returns the usual time of a test, or None if it fails without a change."""
        if test not in self.usual:
            passed, seconds = self.run("build/fast/tests", test, 600)
            self.usual[test] = seconds if passed else None
        return self.usual[test]

    def tests_of(self, path):
        """Returns the tests to run, those that run code of the file, else those that link it. The first are those with
        the fewest steps to it, and among these those that need the fewest files."""
        file = path[:-2] + ".o"
        ran = self.covering.get(path)
        tests = [test for test, steps in self.near.items() if file in steps and (ran is None or f"unit.{test}" in ran)]
        return sorted(tests, key=lambda test: (self.near[test][file], sum(far < REGISTRY for far in self.near[test].values()), test))[:self.nearest]

    def program(self, test, original, changed):
        """Links a test with the files that it reaches. Those that reach the registry are one program, as that takes a second."""
        near = self.near[test]
        whole = max(near.values()) >= REGISTRY
        program = os.path.join(self.folder, "program." + ("all" if whole else test))
        if not (whole and os.path.exists(program)):
            objects = self.objects if whole else sorted(near)
            main = ["build/fast/tests.c"] if whole else [f"-Wl,--defsym=main=main_of_{test}"]
            subprocess.run(self.link + main + [changed if name == original else name for name in objects] + self.libraries + ["-o", program],
                           check=True, stdout=subprocess.DEVNULL)
        return program

    def killer(self, path, changed):
        for old in glob.glob(os.path.join(self.folder, "program.*")):
            os.remove(old)
        for test in self.tests_of(path):
            usual = self.usual_time(test)
            if usual is not None and not self.run(self.program(test, path[:-2] + ".o", changed), test, TIMES * usual)[0]:
                return test
        return None


class SqlTests:
    """Files of sql/ and golden cases on the private server of PGHOST etc., whose library is replaced. A new backend
    loads the new one, so the server goes on."""
    name = "server"

    def __init__(self, folder, sql, golden):
        self.folder, self.sql, self.golden = folder, sql, golden
        self.library = os.environ["MUTATION_LIBRARY"]
        self.link = shlex.split(os.environ["MUTATION_LINK_LIBRARY"])
        self.libraries = shlex.split(os.environ["MUTATION_LIBRARIES_SL"])
        self.objects = sorted(glob.glob("src/core/*.o") + glob.glob("src/core/*/*.o") + glob.glob("src/pg/*.o") + glob.glob("src/pg/*/*.o"))
        self.covering = covering_tests()
        self.usual = {}
        with open(self.library, "rb") as stream:
            self.unchanged = stream.read()
        subprocess.run(["psql", "-X", "-q", "-d", "postgres", "-c", "DROP DATABASE IF EXISTS mutation", "-c", "CREATE DATABASE mutation"], check=True)
        subprocess.run(["psql", "-X", "-q", "-d", "mutation", "-c", "CREATE EXTENSION pgfit"], check=True)
        self.run_file("setup", 600)

    def install(self, content):
        with open(self.library + ".new", "wb") as stream:
            stream.write(content)
        os.chmod(self.library + ".new", 0o755)
        os.replace(self.library + ".new", self.library)

    def ready(self):
        """Waits for a server that restarts after a crash."""
        for _ in range(120):
            if subprocess.run(["psql", "-X", "-q", "-d", "postgres", "-c", "SELECT 1"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0:
                return
            time.sleep(0.5)
        raise RuntimeError("the server does not answer")

    def run_file(self, test, seconds):
        """Runs a file as pg_regress does. Returns whether its output is the expected one, and the seconds."""
        began = time.monotonic()
        environment = dict(os.environ, PGTZ="America/Los_Angeles", PGDATESTYLE="Postgres, MDY",
                           PGOPTIONS=f"-c intervalstyle=postgres_verbose -c statement_timeout={int(1000 * seconds)}")
        with open(f"sql/{test}.sql", "rb") as stream:
            try:
                output = subprocess.run(["psql", "-X", "-a", "-q", "-d", "mutation", "-v", "HIDE_TABLEAM=on", "-v", "HIDE_TOAST_COMPRESSION=on"],
                                        stdin=stream, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment, timeout=seconds).stdout
            except subprocess.TimeoutExpired:
                output = None
        taken = time.monotonic() - began
        if test != "setup":
            subprocess.run(["psql", "-X", "-q", "-d", "mutation", "-c", "SET client_min_messages = error", "-c", "DROP SCHEMA public CASCADE",
                            "-c", "CREATE SCHEMA public AUTHORIZATION pg_database_owner", "-c", "GRANT USAGE ON SCHEMA public TO PUBLIC"],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        passed = False
        for name in [f"expected/{test}.out"] + glob.glob(f"expected/{test}_[0-9].out"):
            with open(name, "rb") as stream:
                passed = passed or stream.read() == output
        return passed, taken

    def run_golden(self, seconds):
        began = time.monotonic()
        try:
            status = subprocess.run(["scripts/run-golden"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=seconds).returncode
        except subprocess.TimeoutExpired:
            status = 1
        return status == 0, time.monotonic() - began

    def run(self, test, seconds):
        return self.run_golden(seconds) if test == "golden" else self.run_file(test, seconds)

    def tests_of(self, path):
        """Returns the tests, first those that run code of the file, or whose name is like that of the file."""
        names = sorted(name[4:-4] for name in glob.glob("sql/*.sql") if name != "sql/setup.sql") if self.sql else []
        ran = self.covering.get(path)
        if ran is not None and any(name.startswith("sql.") for name in ran):
            names = [name for name in names if f"sql.{name}" in ran]
        room, base = path.split("/")[-2], os.path.basename(path)[:-2]
        words = set(base.split("_")) | set(room.split("_"))
        names.sort(key=lambda name: (-len(words & set(name.split("_"))), name))
        return names + (["golden"] if self.golden else [])

    def killer(self, path, changed):
        tests = self.tests_of(path)
        usual = self.measure(tests)
        original = path[:-2] + ".o"
        target = os.path.join(self.folder, "pgfit.so")
        subprocess.run(self.link + [changed if name == original else name for name in self.objects] + self.libraries + ["-o", target],
                       check=True, stdout=subprocess.DEVNULL)
        with open(target, "rb") as stream:
            self.install(stream.read())
        try:
            for test in tests:
                if usual[test] is not None and not self.run(test, 10 + 2 * TIMES * usual[test])[0]:
                    return test
        finally:
            self.install(self.unchanged)
            self.ready()
        return None

    def measure(self, tests):
        for test in tests:
            if test not in self.usual:
                passed, seconds = self.run(test, 3600)
                self.usual[test] = seconds if passed else None
                if not passed:
                    print(f"left out, for it fails without a change: {test}", flush=True)
        return self.usual
