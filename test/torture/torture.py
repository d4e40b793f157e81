#!/usr/bin/env python3
"""
Random SQL against a server that has pgfit, built with sanitizers as a rule (make torture).

    torture.py [--minutes M] [--seed S] [--from N] [--only N] [--each ROUNDS [--functions REGEX]] [--role NAME] [--out FOLDER]

Statement N of a seed is always the same; --only N runs it alone, --from N begins there. --each calls every function of the catalog
that many times instead, with edited models; --role does so as a role without privileges. A finding is a server that crashes or a
sanitizer's report, an error of class XX (internal), a model that its own reader refuses, a statement that goes on after a cancel,
or a backend that grows past --megabytes. Each is printed once with its seed, number and last statement, and written to
FOLDER/finding-*.sql as a script. Connects as psql does. Standard library only.
"""
import argparse
import os
import random
import re
import signal
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "golden")]
sys.dont_write_bytecode = True

from session import Crash, Session, SqlError, identifier  # noqa: E402
from statements import Catalog, Maker  # noqa: E402

LIMITS = ("57014", "53200", "53400", "54000", "54001")  # a cancel, memory, a limit: no fault of a value
STATEMENTS_A_SESSION = 200
REPORT = re.compile(r"AddressSanitizer|runtime error:|was terminated by signal|PANIC:|TRAP:")


class Backend:
    """What /proc says about a server process; None if it is gone or the system has no /proc."""

    def __init__(self, pid):
        self.pid = pid
        self.tick = os.sysconf("SC_CLK_TCK")

    def seconds(self):
        try:
            with open(f"/proc/{self.pid}/stat", encoding="utf-8") as file:
                fields = file.read().rpartition(")")[2].split()
            return (int(fields[11]) + int(fields[12])) / self.tick
        except OSError:
            return None

    def megabytes(self):
        """Returns the resident memory in MB, without shared buffers."""
        try:
            with open(f"/proc/{self.pid}/statm", encoding="utf-8") as file:
                _, resident, shared = file.read().split()[:3]
            return (int(resident) - int(shared)) * os.sysconf("SC_PAGE_SIZE") / 1e6
        except OSError:
            return 0


class Watch(threading.Thread):
    """Cancels statements when their time is over, and terminates backends that go on after that, from its own session."""

    def __init__(self, options):
        super().__init__(daemon=True)
        self.options = options
        self.control = Session()
        self.lock = threading.Lock()
        self.backend = None
        self.due = None
        self.number = 0
        self.problem = None

    def begin(self, backend, seconds):
        with self.lock:
            self.backend, self.due, self.number, self.problem = backend, time.monotonic() + seconds, self.number + 1, None

    def end(self):
        with self.lock:
            self.due = None
            return self.problem

    def run(self):
        seen, canceled = 0, None
        while True:
            time.sleep(0.02)
            with self.lock:
                backend, due, number = self.backend, self.due, self.number
            if due is None:
                continue
            if number != seen:
                seen, canceled = number, None
            if canceled is None and backend.megabytes() > self.options.megabytes:
                self.record(number, f"memory: {backend.megabytes():.0f} MB in one backend")
                due = 0
            if canceled is None and time.monotonic() >= due:
                self.ask(f"SELECT pg_cancel_backend({backend.pid})")
                canceled = (time.monotonic(), backend.seconds() or 0)
            elif canceled:
                used = (backend.seconds() or 0) - canceled[1]
                if used > self.options.overrun or time.monotonic() - canceled[0] > 20 * self.options.overrun:
                    self.record(number, f"goes on for {used:.1f} s of processor time after a cancel")
                    self.ask(f"SELECT pg_terminate_backend({backend.pid})")
                    time.sleep(1)
                    with self.lock:
                        stuck = self.due is not None and self.number == number
                    if stuck:
                        time.sleep(4 * self.options.overrun)
                        with self.lock:
                            stuck = self.due is not None and self.number == number
                        if stuck:
                            os.kill(backend.pid, signal.SIGKILL)

    def record(self, number, problem):
        with self.lock:
            if self.due is not None and self.number == number and self.problem is None:
                self.problem = problem

    def ask(self, statement):
        try:
            self.control.execute(statement)
        except SqlError:
            pass


class Torture:
    def __init__(self, options):
        self.options = options
        self.log = os.environ.get("PGFIT_LOG")
        self.read_until = os.path.getsize(self.log) if self.log else 0
        self.session = Session()
        self.watch = Watch(options)
        self.backend = None
        self.findings = {}
        self.counts = {"statements": 0, "done": 0, "refused": 0, "canceled": 0}
        self.unsettled = False
        scratch = os.path.join(os.environ.get("PGFIT_DATA") or "/tmp", "torture.copy")
        self.maker = None
        self.connect()
        self.watch.start()
        self.maker = Maker(Catalog(self.session, options.seed, options.functions), options.seed, scratch, self.learned)
        if options.role:
            name = identifier(options.role)
            self.session.execute(f"GRANT USAGE ON SCHEMA torture TO {name}; GRANT SELECT ON ALL TABLES IN SCHEMA torture TO {name}")
            self.settle()

    def learned(self, query):
        """Returns the value of a query; None if it fails or takes too long, because statements will find that again."""
        self.watch.begin(self.backend, 4 * self.options.seconds)
        try:
            return self.session.value(query)
        except Crash:
            self.connect()
        except SqlError:
            pass
        finally:
            self.watch.end()

    def connect(self):
        for attempt in range(120):
            try:
                self.backend = Backend(int(self.session.text("SELECT pg_backend_pid()")))
                self.settle()
                return
            except SqlError:
                self.session.close()
                time.sleep(0.5)
        raise SystemExit("torture: the server does not come back")

    def settle(self):
        """Sets up a session; its role owns nothing and can read the tables of the catalog."""
        self.session.execute("SET client_min_messages = error")
        if self.options.role and self.maker:
            self.session.execute(f"SET ROLE {identifier(self.options.role)}")

    def run(self):
        end = time.monotonic() + 60 * self.options.minutes
        shown = time.monotonic()
        number = self.options.start
        last = number + 1 if self.options.only else number + self.options.each * len(self.maker.catalog.chosen) if self.options.each else sys.maxsize
        while number < last and (self.options.each or time.monotonic() < end):
            self.one(number)
            number += 1
            if number % STATEMENTS_A_SESSION == 0:
                self.session.close()
                self.connect()
            if time.monotonic() - shown > 60:
                shown = time.monotonic()
                print(f"  at {number}: {self.told()}", flush=True)
        self.session.close()
        print(f"seed {self.options.seed}, numbers {self.options.start} to {number - 1}: {self.told()}")
        return 1 if self.findings else 0

    def told(self):
        return ", ".join(f"{count} {what}" for what, count in self.counts.items()) + f", {len(self.findings)} findings"

    def one(self, number):
        """Runs all parts of one statement; each is canceled after its time."""
        rng = random.Random(f"{self.options.seed}:{number} time")
        parts = self.maker.each(number) if self.options.each else self.maker.statement(number)
        if self.options.only:
            print(";\n".join(sql for _, sql in parts) + ";")
        done = []
        if self.unsettled:
            self.session.execute("RESET ALL")
            self.settle()
        self.unsettled = any(how == "set" for how, _ in parts)
        self.counts["statements"] += 1
        for how, sql in parts:
            done.append(sql)
            seconds = self.options.seconds if rng.random() < 0.8 else self.options.seconds * rng.random() ** 4
            error, answer = None, ""
            self.watch.begin(self.backend, seconds)
            try:
                answer = self.session.text(sql)
            except SqlError as caught:
                error = caught
            problem = self.watch.end()
            if problem:
                self.finding(problem.split(":")[0].split(" for ")[0], problem, number, done)
            if isinstance(error, Crash):
                time.sleep(1)
                if not problem:
                    self.finding("crash", str(error)[:200], number, done)
                self.connect()
                self.look_at_log(number, done)
                return
            if self.look_at_log(number, done):
                self.session.close()
                self.connect()
                return
            self.counts["done" if error is None else "canceled" if error.state == "57014" else "refused"] += 1
            if error and error.state.startswith("XX"):
                self.finding("internal error", str(error), number, done)
            elif how == "read" and error and error.state not in LIMITS:
                self.finding("a value that its reader refuses", str(error), number, done)
            elif how == "read" and re.search(r"(^|\|)f(\||$)", answer):
                self.finding("a value that is read as another", answer, number, done)
            if error and how in ("gate", "read"):
                break
        self.tidy()

    def tidy(self):
        """Ends a transaction that failed parts left open."""
        try:
            self.session.execute("ROLLBACK; DEALLOCATE ALL")
        except SqlError:
            self.session.close()
            self.connect()

    def look_at_log(self, number, done):
        """Returns reports of sanitizers and signals that were added to the log of the server."""
        if not self.log:
            return False
        size = os.path.getsize(self.log)
        if size == self.read_until:
            return False
        with open(self.log, encoding="utf-8", errors="replace") as file:
            file.seek(self.read_until)
            new = file.read()
        self.read_until = size
        lines = new.splitlines()
        hits = [i for i, line in enumerate(lines) if REPORT.search(line)]
        if not hits or all("signal 9" in lines[i] for i in hits):
            return False
        frames = [m.group(1) for m in (re.search(r"#\d+ \S+ in (\S+) .*pgfit", line) for line in lines) if m][:3]
        self.finding("sanitizer or signal: " + " < ".join(frames or [lines[hits[0]][-80:]]), "\n".join(lines[hits[0]:hits[0] + 30]), number, done)
        return True

    def finding(self, kind, detail, number, done):
        """Prints and stores a finding, once."""
        plain = re.sub(r'"[^"]*"|[-+0-9.e]*\d', "#", detail.split("\n")[0] if "sanitizer" not in kind else "")
        key = kind + " | " + plain[:160]
        self.findings[key] = self.findings.get(key, 0) + 1
        if self.findings[key] > 1:
            return
        os.makedirs(self.options.out, exist_ok=True)
        path = os.path.join(self.options.out, f"finding-{self.options.seed}-{number}-{len(self.findings)}.sql")
        comment = "\n".join("-- " + line for line in f"seed {self.options.seed}, statement {number}: {kind}\n{detail}".splitlines())
        with open(path, "w", encoding="utf-8") as file:
            file.write(comment + "\n" + ";\n".join(done) + ";\n")
        print(f"FINDING seed {self.options.seed}, statement {number}: {kind}\n    {detail.splitlines()[0][:300] if detail else ''}\n"
              f"    last: {done[-1][:600]}\n    all of it: {path}", flush=True)


def main():
    parser = argparse.ArgumentParser(description="Random SQL against pgfit.")
    parser.add_argument("--minutes", type=float, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--from", dest="start", type=int, default=0, metavar="N", help="the first statement's number")
    parser.add_argument("--only", type=int, metavar="N", help="this statement alone, which is printed")
    parser.add_argument("--each", type=int, default=0, metavar="ROUNDS", help="every function that many times, with edited models")
    parser.add_argument("--functions", default="", metavar="REGEX", help="of --each: only functions with such names")
    parser.add_argument("--role", help="an existing role that runs the statements")
    parser.add_argument("--seconds", type=float, default=4, help="time of a statement before it is canceled")
    parser.add_argument("--overrun", type=float, default=3, help="seconds of processor time that it may go on after that")
    parser.add_argument("--megabytes", type=float, default=2000, help="memory of a backend")
    parser.add_argument("--out", default=os.path.join(HERE, "..", "..", "build", "torture"))
    options = parser.parse_args()
    options.out = os.path.abspath(options.out)
    if options.only is not None:
        options.start = options.only
        options.only = True
    return Torture(options).run()


if __name__ == "__main__":
    sys.exit(main())
