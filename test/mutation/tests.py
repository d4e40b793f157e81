"""The tests that judge changes: unit tests of the core, files of sql/, golden cases, and commands. One that fails without a change is left out."""
import collections
import contextlib
import glob
import json
import os
import re
import resource
import select
import shlex
import signal
import subprocess
import sys
import threading
import time

from switches import objects_of

TIMES, SPARE_SECONDS = 5, 10  # a test may take so many times its usual time, and so many seconds, for the machine may do other things
FIRST_SECONDS = 300  # and so many before its usual time is known
UNIT_BYTES = 8 << 30
SANITIZER_OPTIONS = "detect_leaks=0:allocator_may_return_null=1:detect_stack_use_after_return=0"
FAILED_CHECK = re.compile(rb"^\S+:\d+: ", re.M)
EXPORTS = ["python_modules", "pmml_export", "onnx_export"]
SERVERS = ["certificates", "relations", "equal_fingerprints", "parallel_methods", "fit_memory", "drift", "encodings"]  # those that ask for results, and do so of all methods
GOLDEN = os.path.join("test", "golden")
sys.path.insert(0, GOLDEN)


def printed(process, seconds, wrong):
    """Returns what a process prints, until it is wrong or the process ends; or None where it takes too long."""
    end, output = time.monotonic() + seconds, b""
    try:
        while not wrong(output):
            if not select.select([process.stdout], [], [], max(end - time.monotonic(), 0))[0]:
                return None
            piece = os.read(process.stdout.fileno(), 1 << 20)
            if not piece:
                process.wait()
                break
            output += piece
        return output
    finally:
        process.kill()
        process.communicate()


class Stage:
    """Tests of one kind. run(test, seconds) returns "passed", "failed" or "late"."""

    nominal = 1  # seconds of a test, on a machine that does nothing else

    def __init__(self, switches, numbers):
        self.switches, self.numbers = switches, numbers
        self.tests = []
        self.usual = {}  # seconds of each test that passed once, and so noted all that it reaches
        self.mean = 1  # of them
        self.reached = collections.defaultdict(dict)  # the places that tests reach, and after how many seconds

    def reaches(self, test, number):
        """Returns whether a test reaches a place, or None if that is not known yet."""
        return True if number in self.reached[test] else False if test in self.usual else None

    def cost(self, test, number):
        """Returns how long a test is expected to take where it notices a change, in seconds of a machine that does nothing else."""
        usual = self.usual.get(test, self.mean)
        return self.nominal * (0.2 + (self.reached[test].get(number, usual) + usual) / self.mean / 2)

    def measured(self, test, numbers, seconds):
        """Runs a test with some changes, and notes which other places it reaches when."""
        self.switches.fill(self.numbers, numbers)
        start, done = time.monotonic(), threading.Event()

        def watch():
            finished = False
            while not finished:
                finished = done.wait(0.1)
                for number in self.switches.reached():
                    self.reached[test].setdefault(number, round(time.monotonic() - start, 1))

        watcher = threading.Thread(target=watch, daemon=True)
        watcher.start()
        outcome = self.run(test, seconds)
        done.set()
        watcher.join()
        if outcome == "passed":
            self.usual.setdefault(test, time.monotonic() - start)
            self.mean = sum(self.usual.values()) / len(self.usual)
        return outcome

    def fails(self, test, numbers):
        """Tells whether a test fails, or takes too long, with some changes, and does not do so without them."""
        seconds = TIMES * self.usual[test] + SPARE_SECONDS if test in self.usual else FIRST_SECONDS
        outcome = self.measured(test, numbers, seconds)
        if outcome != "passed" and (outcome == "late" or test not in self.usual) and self.measured(test, [], seconds) != "passed":
            print(f"left out, for it fails without a change: {test}", flush=True)
            if test in self.usual:
                self.usual[test] *= 2
            else:
                self.tests.remove(test)
            return False
        return outcome != "passed"


class UnitTests(Stage):
    """All unit tests in one program."""

    name, helpers, tests_of, core, link, limit = "unit", "build/fast", "build/fast", "src/core", "MUTATION_LINK_TESTS", UNIT_BYTES

    def __init__(self, switches, numbers, folder, changed):
        super().__init__(switches, numbers)
        self.folder = folder
        tests = sorted(glob.glob(self.tests_of + "/test_*.o"))
        helpers = sorted(name for name in glob.glob(self.helpers + "/*.o") if not os.path.basename(name).startswith("test"))
        objects = [changed.get(name) or name.replace("src/core", self.core, 1) for name in objects_of("src/core")]
        self.tests = [f"{self.name}." + os.path.basename(name)[:-2] for name in tests]
        self.program = os.path.join(folder, "program")
        subprocess.run(shlex.split(os.environ[self.link]) + ["build/fast/tests.c", changed[""]] + tests + helpers + objects +
                       shlex.split(os.environ["MUTATION_LIBRARIES"]) + ["-o", self.program], check=True, stdout=subprocess.DEVNULL)

    def run(self, test, seconds):
        link = os.path.join(self.folder, test.split(".")[1])
        if not os.path.lexists(link):
            os.symlink(os.path.abspath(self.program), link)
        process = subprocess.Popen([link], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                   env=dict(os.environ, ASAN_OPTIONS=SANITIZER_OPTIONS), preexec_fn=lambda: (
                                       resource.setrlimit(resource.RLIMIT_AS, (self.limit, self.limit)),
                                       resource.setrlimit(resource.RLIMIT_CORE, (0, 0))))
        output = printed(process, seconds, FAILED_CHECK.search)
        return "late" if output is None else "failed" if process.returncode != 0 or FAILED_CHECK.search(output) else "passed"


class SanitizedTests(UnitTests):
    """The same with sanitizers, which see what is read beyond an array."""

    nominal = 8
    name, helpers, tests_of, core, link, limit = "sanitized", "build/asan/helper", "build/asan/tests", "build/asan/core", "MUTATION_SANITIZED", resource.RLIM_INFINITY


def psql(database, script, **options):
    return subprocess.run(["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", database], input=script.encode(), stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, **options)


class Server:
    """The private server of PGHOST etc., whose library is the changed one. Tests of each kind have a database."""

    def __init__(self, changed):
        library = os.environ["MUTATION_LIBRARY"]
        objects = objects_of("src/core") + objects_of("src/pg")
        subprocess.run(shlex.split(os.environ["MUTATION_LINK_LIBRARY"]) + [changed[""]] + [changed.get(name, name) for name in objects] +
                       shlex.split(os.environ["MUTATION_LIBRARIES_SL"]) + ["-o", library + ".new"], check=True, stdout=subprocess.DEVNULL)
        os.replace(library + ".new", library)
        self.losses = 0  # of connections
        psql("postgres", "CREATE DATABASE fresh", check=True)
        psql("fresh", "CREATE EXTENSION pgfit; SET client_min_messages = error;\n\\i sql/setup.sql", check=True)
        self.reset("golden")

    def reset(self, database):
        """Makes a database without what tests left, with the settings of the first one, and drops all roles."""
        for _ in range(120):
            done = psql("postgres", f"""
                DROP DATABASE IF EXISTS {database} (FORCE);
                SELECT format('DROP ROLE %I', rolname) FROM pg_roles WHERE oid >= 16384 \\gexec
                CREATE DATABASE {database} TEMPLATE fresh;
                SELECT format('ALTER DATABASE {database} SET %I = %L', split_part(setting, '=', 1), split_part(setting, '=', 2))
                    FROM pg_db_role_setting, unnest(setconfig) setting WHERE setdatabase = (SELECT oid FROM pg_database WHERE datname = 'fresh') \\gexec
                """)
            if done.returncode == 0:
                return
            self.end_backends(database)  # the server restarts after a crash, or a backend does not end
            time.sleep(0.2)
        raise RuntimeError(f"the database {database} cannot be made again")

    def wait(self):
        """Waits until the server restarted after a crash."""
        for _ in range(120):
            if psql("postgres", "SELECT 1").returncode == 0:
                return
            time.sleep(0.2)

    def end_backends(self, database=None):
        """Ends what does not poll, in a database or all, at the price of a restart of the server."""
        self.losses += 1
        chosen = f"datname = '{database}'" if database else "backend_type = 'client backend' AND pid <> pg_backend_pid()"
        for pid in psql("postgres", f"SELECT pid FROM pg_stat_activity WHERE {chosen}").stdout.split():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGQUIT)


class SqlTests(Stage):
    """Files of sql/, each in a new copy of a database, which is made while other tests run."""

    nominal = 4

    def __init__(self, switches, numbers, server):
        super().__init__(switches, numbers)
        self.server = server
        self.tests = ["sql." + os.path.basename(path)[:-4] for path in sorted(glob.glob("sql/*.sql")) if path != "sql/setup.sql"]
        self.maker = None
        self.make()

    def make(self):
        self.maker = threading.Thread(target=self.server.reset, args=("mutation",), daemon=True)
        self.maker.start()

    def run(self, test, seconds):
        """Runs a file as pg_regress does, until its output differs from the expected ones."""
        self.maker.join()
        name = test.split(".")[1]
        wanted = []
        for path in [f"expected/{name}.out"] + glob.glob(f"expected/{name}_[0-9].out"):
            with open(path, "rb") as stream:
                wanted.append(stream.read())
        environment = dict(os.environ, PGTZ="America/Los_Angeles", PGDATESTYLE="Postgres, MDY", PGOPTIONS="-c intervalstyle=postgres_verbose")
        with open(f"sql/{name}.sql", "rb") as stream:
            process = subprocess.Popen(["psql", "-X", "-a", "-q", "-d", "mutation", "-v", "HIDE_TABLEAM=on", "-v", "HIDE_TOAST_COMPRESSION=on"],
                                       stdin=stream, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment)
        output = printed(process, seconds, lambda output: not any(text.startswith(output) for text in wanted))
        late, passed = output is None, output in wanted
        if not passed:
            self.server.losses += 1
            if late:
                self.server.end_backends("mutation")
        self.make()
        return "late" if late else "passed" if passed else "failed"


class GoldenTests(Stage):
    """Golden cases, in a session that goes on until one fails."""

    nominal = 0.1

    def __init__(self, switches, numbers, server):
        super().__init__(switches, numbers)
        self.server = server
        self.cases = {}
        for path in sorted(glob.glob(os.path.join(GOLDEN, "*.json"))):
            with open(path, encoding="utf-8") as stream:
                content = json.load(stream)
            for case in content.get("cases", []) if content.get("schema") == 1 else []:
                self.cases[f"golden.{case['method']}/{case['id']}"] = case
        self.tests = sorted(self.cases)
        self.session, self.losses = None, 0

    def start(self):
        import run as golden  # of test/golden
        from session import Session
        from source import Loader
        if self.session:
            if self.session.process:
                self.session.process.kill()
            with contextlib.suppress(Exception):
                self.session.close()
        self.server.wait()
        self.losses = self.server.losses
        self.session = Session("psql", "golden")
        for setting in ("client_min_messages = error", "extra_float_digits = 1"):
            self.session.on_connect("SET " + setting)
        self.runner, self.loader = golden.Runner(self.session, False), Loader(self.session, GOLDEN)

    def run(self, test, seconds):
        with open(os.devnull, "w", encoding="utf-8") as nowhere, contextlib.redirect_stdout(nowhere):
            if not self.session or self.losses != self.server.losses:
                self.start()
            late = threading.Event()
            watch = threading.Timer(seconds, lambda: (late.set(), self.server.end_backends("golden")))
            watch.start()
            self.runner.failed = 0
            self.runner.skipped.clear()
            try:
                self.runner.case(self.cases[test], self.loader)
                passed = not self.runner.failed and not self.runner.skipped
            except Exception:  # a connection that is lost
                passed = False
            watch.cancel()
            watch.join()
        if not passed:
            self.server.losses += 1
        return "late" if late.is_set() else "passed" if passed else "failed"


class CommandTests(Stage):
    """Commands, each of which is a test that makes its own databases."""

    def __init__(self, switches, numbers, server, nominal, commands):
        super().__init__(switches, numbers)
        self.server, self.nominal, self.commands = server, nominal, commands
        self.tests = list(commands)

    def run(self, test, seconds):
        self.server.wait()
        process = subprocess.Popen(self.commands[test], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        late = False
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            late = True
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        status = process.wait()
        if status != 0:
            self.server.losses += 1
        if late:
            self.server.end_backends()
        return "late" if late else "failed" if status != 0 else "passed"


def command_stages(wanted, switches, numbers, server):
    """Returns the stages of commands: pgTAP, pages of the manual, documents that other programs read, and servers."""
    commands = {
        "tap": (3, {os.path.basename(path).removesuffix("_properties.sql"): ["scripts/run-pgtap", path] for path in sorted(glob.glob("test/*_properties.sql"))}),
        "docs": (4, {path.removesuffix(".md").removeprefix("docs/").replace("/", "_"): ["scripts/docs.sh", path] for path in ["README.md"] + sorted(glob.glob("docs/*.md") + glob.glob("docs/*/*.md"))
                     if "```sql" in open(path, encoding="utf-8").read()}),
        "exports": (20, {name: ["test/exchange/run.sh", name] for name in EXPORTS}),
        "server": (30, {name: ["scripts/run-server-tests", f"test/server/{name}.sh"] for name in SERVERS}),
    }
    return [CommandTests(switches, numbers, server, nominal, {f"{stage}.{name}": words for name, words in tests.items()})
            for stage, (nominal, tests) in commands.items() if stage in wanted]
