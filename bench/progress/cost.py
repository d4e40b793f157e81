#!/usr/bin/env python3
"""
What pgfit.progress costs a fit: instructions and processor time of the same fits on a server that preloads pgfit, which reports, and
on one that does not, in interleaved rounds.

    cost.py [--rows N] [--rounds N] [--only WORD]

Makes two clusters in a temporary folder with the programs of PGFIT_BINDIR (those of the private server; else of pg_config --bindir) and deletes them
afterwards. Instructions are those of a single-user backend, counted by valgrind, so that they are the same in each run; without valgrind the processor time alone
is shown.
"""
import argparse
import os
import pwd
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path[:0] = [os.path.join(HERE, "..", "..", "test", "golden")]

from session import Session  # noqa: E402

LOAD = "SELECT count(*) FROM pgfit.options('kmeans')"  # a statement that is planned before the library is there is planned without its help
BAR = 1.0  # percent
SETTINGS = ("max_parallel_workers_per_gather = 0", "jit = off", "synchronize_seqscans = off")

FITS = {
    "linear_regression of arrays": "SELECT pgfit.linear_regression(y, ARRAY[a, b, c, d, e]) AS m FROM points",
    "linear_regression of columns": "SELECT pgfit.linear_regression(y, p, 'a + b + c + d + e') AS m FROM points AS p",
    "kmeans, 300 iterations": "SELECT pgfit.kmeans(ARRAY[a, b, c, d, e], 10, '{\"n_init\": 1, \"max_iter\": 300, \"tolerance\": 0}') AS m FROM few",
    "kmeans, fits of 10 rows": "SELECT pgfit.kmeans(ARRAY[a, b], 2, '{\"n_init\": 1}') AS m FROM few GROUP BY (id - 1) / 10",
    "gaussian_mixture": "SELECT pgfit.gaussian_mixture(ARRAY[a, b], 3, '{\"n_init\": 1, \"max_iter\": 50, \"tolerance\": 0}') AS m FROM few",
    "logistic_regression": "SELECT pgfit.logistic_regression(a + b > y / 5, ARRAY[a, b, c]) AS m FROM few",
    "boosted trees": "SELECT pgfit.boosted_trees_regression(y, ARRAY[a, b, c, d, e], '{\"n_trees\": 100}') AS m FROM few",
    "boosted trees of 100 rows": "SELECT pgfit.boosted_trees_regression(y, ARRAY[a, b], '{\"n_trees\": 5000, \"max_depth\": 1}') AS m FROM few WHERE id <= 100",
    "svm_classifier": "SELECT pgfit.svm_classifier(a + b > y / 5, ARRAY[a, b, c], '{\"kernel\": \"rbf\"}') AS m FROM few WHERE id <= 2000",
    "perceptron of 100 rows": "SELECT pgfit.perceptron(id % 2 = 0, ARRAY[a, b], '{\"max_iter\": 20000}') AS m FROM few WHERE id <= 100",
}


class Server:
    """A cluster of its own, with one session and its tables."""

    def __init__(self, folder, name, port, preload, rows):
        self.folder, self.port, self.preload = folder, port, preload
        self.data = os.path.join(folder, name)
        self.run("initdb", "-D", self.data, "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C", "--no-sync")
        self.start()
        for statement in ("CREATE EXTENSION pgfit",
                          f"""CREATE TABLE points AS SELECT i AS id, sin(i) AS a, cos(i * 1.7) AS b, sin(i * 0.31) AS c, cos(i * 7.3) AS d, sin(i * 11.1) AS e,
                              5 * sin(i * 3.1) + sin(i) AS y FROM generate_series(1, {rows}) AS i""",
                          f"CREATE TABLE few AS SELECT * FROM points WHERE id <= {max(rows // 50, 100)}", "VACUUM ANALYZE"):
            self.session.execute(statement)

    def run(self, program, *arguments, text=None):
        """Runs a program of the server as a user who may; root may not. Returns what it writes to stderr."""
        command = [os.path.join(bindir(), program) if "/" not in program else program, *arguments]
        if os.getuid() == 0:
            command = ["runuser", "-u", server_user(), "--", *command]
        return subprocess.run(command, check=True, input=text, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE if text else subprocess.DEVNULL,
                              text=True, cwd=self.folder).stderr

    def start(self):
        settings = f"-k {self.folder} -c listen_addresses='' -p {self.port} -c fsync=off -c autovacuum=off -c shared_preload_libraries={self.preload}"
        self.run("pg_ctl", "-D", self.data, "-o", settings, "-w", "-l", self.data + ".log", "start")
        os.environ.update(PGHOST=self.folder, PGPORT=str(self.port), PGDATABASE="postgres", PGUSER="postgres")
        self.session = Session("psql")
        for setting in SETTINGS:
            self.session.execute(f"SET {setting}")
        self.pid = self.session.value("SELECT pg_backend_pid()")

    def stop(self):
        if self.session is not None:
            self.session.close()
            self.session = None
            self.run("pg_ctl", "-D", self.data, "-w", "-m", "fast", "stop")

    def seconds(self, sql):
        """Returns the processor time of a statement."""
        before = self.processor_time()
        self.session.execute(counted(sql))
        return self.processor_time() - before

    def processor_time(self):
        with open(f"/proc/{self.pid}/schedstat", encoding="ascii") as stream:
            return int(stream.read().split()[0]) / 1e9

    def instructions(self, sql):
        """Returns the instructions of a single-user backend for this statement, as valgrind counts them, with its start. The server must be stopped."""
        settings = [word for setting in SETTINGS for word in ("-c", setting.replace(" ", ""))]
        out = self.run(shutil.which("valgrind"), "--tool=callgrind", "--callgrind-out-file=/dev/null", os.path.join(bindir(), "postgres"), "--single", "-j",
                       "-D", self.data, "-c", f"shared_preload_libraries={self.preload}", *settings, "postgres", text=f"{LOAD};\n\n{sql};\n\n")
        if "ERROR" in out:
            raise RuntimeError(out)
        return int(re.search(r"Collected : (\d+)", out).group(1))


def counted(sql):
    return f"SELECT count(m) FROM ({sql}) AS f"


def bindir():
    return os.environ.get("PGFIT_BINDIR") or subprocess.run(["pg_config", "--bindir"], check=True, capture_output=True, text=True).stdout.strip()


def server_user():
    try:
        return pwd.getpwnam("postgres").pw_name
    except KeyError:
        return "nobody"


def measure_seconds(servers, fits, rounds):
    """Returns the medians of processor time of each fit on each server; rounds are interleaved."""
    runs = {label: ([], []) for label in fits}
    for number in range(rounds + 1):
        for label, sql in fits.items():
            for server, seconds in zip(servers, runs[label]):
                seconds.append(server.seconds(sql))
        if number == 0:  # tables come into memory
            runs = {label: ([], []) for label in fits}
    return {label: [statistics.median(seconds) for seconds in both] for label, both in runs.items()}


def measure_instructions(servers, fits):
    if not shutil.which("valgrind"):
        print("valgrind is missing: no instructions")
        return {}
    starts = [server.instructions(LOAD) for server in servers]
    return {label: [server.instructions(counted(sql)) - start for server, start in zip(servers, starts)] for label, sql in fits.items()}


def more(both):
    return 100 * (both[1] / both[0] - 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(1))  # so that what it made is deleted
    fits = {label: sql for label, sql in FITS.items() if options.only in label}
    folder = tempfile.mkdtemp(prefix="pgfit.")
    os.chmod(folder, 0o755)
    if os.getuid() == 0:
        shutil.chown(folder, server_user())
    servers = []
    try:
        for port, (name, preload) in enumerate((("off", ""), ("on", "pgfit"))):
            servers.append(Server(folder, name, 5440 + port, preload, options.rows))
        seconds = measure_seconds(servers, fits, options.rounds)
        for server in servers:
            server.stop()
        instructions = measure_instructions(servers, fits)
    finally:
        for server in servers:
            server.stop()
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{'':30}{'instructions':>18}{'more':>10}{'cpu s':>9}{'more':>9}")
    for label in fits:
        print(f"{label:30}" + (f"{instructions[label][0]:18,}{more(instructions[label]):+9.3f}%" if instructions else " " * 28) +
              f"{seconds[label][0]:9.3f}{more(seconds[label]):+8.2f}%")
    worst = max(map(more, (instructions or seconds).values()))
    print(f"at most {worst:.3f} % more; the bar is {BAR} %: {'met' if worst < BAR else 'missed'}")
    return 0 if worst < BAR else 1


if __name__ == "__main__":
    sys.exit(main())
