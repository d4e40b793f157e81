#!/usr/bin/env python3
"""
Random SQL at scale: sessions that send hundreds of statements per round trip to a server that has pgfit (make random).

    run.py [--statements N] [--minutes M] [--seed S] [--sessions N] [--variants N] [--functions REGEX] [--extension] [--out FOLDER]

Session I of N runs statements I, I + N ... of the seed, and copies of them with other literals. With several, each changes tables, types and models that the others read.
--extension adds a database where one session drops and creates the extension under another. A finding is a crash, an assertion or a sanitizer's report, an error of
class XX (internal), a model that its own reader refuses or reads as another, a statement that uses a second of processor time after its timeout, a session
that grows, and temporary files or segments that are left at the end. Each is printed once, and written to FOLDER/finding-* with what its session sent before.
The end counts statements by SQLSTATE. Connects as psql does, over a socket of this machine. Standard library only.
"""
import argparse
import collections
import multiprocessing
import os
import re
import signal
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "torture"), os.path.join(HERE, "..", "golden")]
sys.dont_write_bytecode = True

from grammar import OTHER, REFUSED, Grammar, LightCatalog  # noqa: E402
from session import Session as Psql  # noqa: E402
from torture import Backend, REPORT  # noqa: E402
from wire import Connection, Lost, Refused  # noqa: E402

TIMEOUT = 400 # ms of a statement
BATCH = 120 # statements per round trip
ROUNDS = 150 # batches of a connection
OF_OTHERS = ("57P02", "57P03") # another session crashed, or the server comes back
# errors that the server itself has for what random statements do, with the part of the message that tells
KNOWN = [("XX000", "could not find memoization table entry"), ("XX000", "cache lookup failed for"), ("XX000", "tuple concurrently"),
         ("XX000", "could not open relation with OID"), ("XX000", "relation deleted while still in use")]
CHANGED = ("cache lookup failed", "tuple concurrently", "could not open relation", "relation deleted") # only while others change objects


class Worker:
    """One session: sends batches, reads replies, and reports to the parent by a queue."""

    def __init__(self, options, index, catalog, queue):
        self.options, self.index, self.queue = options, index, queue
        self.made = Grammar(catalog, options.seed, "", options.sessions > 1)
        self.made.scratch = f"'/tmp/pgfit-random-{os.getpid()}.copy'"
        self.history = collections.deque(maxlen=400)
        self.states = collections.Counter()
        self.connection = None
        self.largest = 0

    def connect(self):
        for _ in range(600):
            try:
                self.connection = Connection(options=f"-c client_min_messages=error -c statement_timeout={TIMEOUT} -c lock_timeout=200")
                self.backend = Backend(self.connection.pid)
                self.largest = self.seconds = 0
                return
            except (Lost, Refused, OSError):
                time.sleep(0.3)
        raise SystemExit("random: the server does not come back")

    def run(self):
        number, share, ended = self.index, self.options.statements // self.options.sessions, time.monotonic() + 60 * self.options.minutes
        done = batches = 0
        self.connect()
        while done < share and time.monotonic() < ended:
            batch = []
            while len(batch) < BATCH:
                parts = self.made.statement(number)
                batch += [(number, p) for p in parts]
                for other in self.made.variants(number, parts, self.options.variants):
                    batch += [(number, p) for p in other]
                number += self.options.sessions
            done += self.send(batch)
            batches += 1
            self.count(number)
            if batches % 10 == 0:
                self.measure(number)
            if batches % ROUNDS == 0:
                self.connection.close()
                self.connect()
        self.count(number)
        self.measure(number)
        self.connection.close()

    def count(self, number):
        seconds = self.backend.seconds() or self.seconds
        self.queue.put(("count", self.index, dict(self.states), number, max(seconds - self.seconds, 0)))
        self.seconds = seconds
        self.states.clear()

    def send(self, batch):
        """Sends statements, and ends what each number began; returns how many were answered."""
        sent, changed = [], False
        for at, (number, part) in enumerate(batch):
            sent.append((number, part))
            changed = changed or part[1].startswith("SET ")
            if at + 1 == len(batch) or batch[at + 1][0] != number:
                sent.append((number, ("end", "ROLLBACK")))
                if changed:
                    sent.append((number, ("end", "RESET ALL")))
                changed = False
        for _, part in sent:
            if part[0] == "bind":
                self.connection.send_binary(part[1], part[2])
            else:
                self.connection.queue(part[1])
        self.connection.flush()
        for at, (number, part) in enumerate(sent):
            self.history.append(part[1] if part[0] != "bind" else part[1].replace("$1", "'\\x" + part[2].hex() + "' /* binary */"))
            try:
                reply = self.wait(number)
            except Lost as lost:
                if lost.state not in OF_OTHERS:
                    self.finding("crash" if lost.state == "08006" else "session ended", str(lost), number)
                self.connection.close()
                self.connect()
                return at
            self.judge(reply, number, part)
        return len(sent)

    def wait(self, number):
        """Returns the next reply; a statement that goes on long after its timeout is a finding, and its session is ended."""
        began, reported = None, False
        while True:
            reply = self.connection.reply(0.5)
            if reply is not None:
                return reply
            used = self.backend.seconds()
            if used is None:
                continue
            began = used if began is None else began
            if used - began > TIMEOUT / 1000 + self.options.overrun and not reported:
                reported = True
                self.finding("goes on after its timeout", f"{used - began:.1f} s of processor time", number)
            if used - began > 20 + TIMEOUT / 1000:
                os.kill(self.connection.pid, signal.SIGTERM)
                time.sleep(5)

    def judge(self, reply, number, part):
        state = reply.state or "00000"
        self.states[state] += 1
        if reply.state is None:
            return
        if state == "42809" and len(part) > 2 and part[0] == "run" and part[2]:
            self.made.wrong_kind(part[2])
        if state in (REFUSED, OTHER):
            self.finding("a value that its reader refuses" if state == REFUSED else "a value that is read as another", reply.message, number)
        elif state.startswith("XX") and not self.known(state, reply.message):
            self.finding("internal error", f"{state}: {reply.message}", number)

    def known(self, state, message):
        known = any(state == s and text in message and (self.options.sessions > 1 or text not in CHANGED) for s, text in KNOWN)
        if known:
            self.queue.put(("known", re.sub(r"\d+", "#", message)))
        return known

    def measure(self, number):
        """Compares memory between statements: contexts that stay, and pages."""
        self.connection.send(["SELECT sum(total_bytes) FROM pg_backend_memory_contexts", "SELECT name, total_bytes, parent FROM pg_backend_memory_contexts ORDER BY 2 DESC LIMIT 5"])
        total, most = self.connection.reply(), self.connection.reply()
        if total.state:
            return
        megabytes = float(total.rows[0][0]) / 1e6
        if megabytes > self.options.megabytes and megabytes > 2 * self.largest:
            self.largest = megabytes
            self.finding("memory of a session", f"{megabytes:.0f} MB of contexts, {self.backend.megabytes():.0f} MB resident: {most.rows}", number)
        elif self.backend.megabytes() > 4 * self.options.megabytes and self.backend.megabytes() > 2 * self.largest:
            self.largest = self.backend.megabytes()
            self.finding("memory of a session", f"{self.largest:.0f} MB resident, {megabytes:.0f} MB of contexts", number)
        try:
            files = [os.readlink(f"/proc/{self.connection.pid}/fd/{f}") for f in os.listdir(f"/proc/{self.connection.pid}/fd")]
        except OSError:
            return
        left = [f for f in files if "pgsql_tmp" in f]
        if left:
            self.finding("a temporary file stays open", left[0], number)

    def finding(self, kind, detail, number):
        self.queue.put(("finding", kind, detail, self.index, number, list(self.history)))


class Churn:
    """A database of its own, where one session drops and creates the extension under the statements of another."""
    DATABASE = "pgfit_random_churn"
    QUERIES = ["SELECT length(pgfit.linear_regression(y, ROW(a))::text) FROM t", "PREPARE p AS SELECT pgfit.predict(m, ROW(1.5)) FROM f", "EXECUTE p", "EXECUTE p",
               "CREATE TABLE IF NOT EXISTS f AS SELECT pgfit.linear_regression(y, ROW(a)) AS m FROM t", "SELECT pgfit.info(m) FROM f", "BEGIN", "DECLARE c CURSOR FOR SELECT pgfit.predict(m, ROW(a)) FROM f, t",
               "FETCH 3 FROM c", "FETCH 3 FROM c", "COMMIT", "SELECT pgfit.kmeans(ROW(a), 2) OVER (ORDER BY a ROWS 5 PRECEDING) IS NULL FROM t", "CREATE OR REPLACE VIEW v AS SELECT pgfit.rmse(y, a) FROM t", "SELECT * FROM v",
               "SELECT count(*) FROM pgfit.estimators()", "SELECT g FROM (SELECT 1 AS g) q, LATERAL pgfit.coefficients((SELECT m FROM f LIMIT 1)) c", "DEALLOCATE ALL", "SELECT f FROM f", "SELECT count(DISTINCT m) FROM f",
               "DO $$ BEGIN PERFORM pgfit.predict(m, ROW(2)) FROM f; END $$", "ROLLBACK"]

    def __init__(self, options, queue):
        self.options, self.queue = options, queue

    def run(self, drops):
        ended, states, history = time.monotonic() + 60 * self.options.minutes, collections.Counter(), collections.deque(maxlen=200)
        connection, at = None, 0
        while time.monotonic() < ended:
            try:
                connection = connection or Connection(self.DATABASE)
                changes = ["SET client_min_messages = error", "BEGIN", "DROP EXTENSION IF EXISTS pgfit CASCADE", ["COMMIT", "ROLLBACK"][at % 3 == 2], "CREATE EXTENSION IF NOT EXISTS pgfit"]
                statement = changes[at % 5] if drops else self.QUERIES[at * 7 % len(self.QUERIES) if at % 100 > 50 else at % len(self.QUERIES)]
                at += 1
                history.append(statement)
                connection.send([statement])
                reply = connection.reply()
                states[reply.state or "00000"] += 1
                if (reply.state or "").startswith("XX") and not any(text in reply.message for _, text in KNOWN):
                    self.queue.put(("finding", "internal error while the extension changes", f"{reply.state}: {reply.message}", -1, at, list(history)))
            except Lost as lost:
                if connection and lost.state not in OF_OTHERS:
                    self.queue.put(("finding", "crash while the extension changes", str(lost), -1, at, list(history)))
                connection = None
                time.sleep(0.5)
            except OSError:
                time.sleep(0.5)
            if at % 50 == 0 or drops and at % 5 == 0:
                self.queue.put(("count", -1 - drops, dict(states), at))
                states.clear()
        self.queue.put(("count", -1 - drops, dict(states), at))


class Run:
    def __init__(self, options):
        self.options = options
        self.log = os.environ.get("PGFIT_LOG")
        self.read_until = os.path.getsize(self.log) if self.log else 0
        self.states, self.findings, self.known = collections.Counter(), collections.Counter(), collections.Counter()
        self.seconds = 0

    def run(self):
        began = time.monotonic()
        setup = Psql()
        catalog = LightCatalog(setup, self.options.seed, self.options.functions)
        setup.close()
        print(f"{len(catalog.models)} models of {len(catalog.estimators)} estimators, {len(catalog.functions)} functions in {time.monotonic() - began:.0f} s", flush=True)
        self.began = shown = time.monotonic()
        queue = multiprocessing.Queue()
        jobs = [multiprocessing.Process(target=Worker(self.options, i, catalog, queue).run, daemon=True) for i in range(self.options.sessions)]
        if self.options.extension:
            self.churn(setup)
            jobs += [multiprocessing.Process(target=Churn(self.options, queue).run, args=(drops,), daemon=True) for drops in (False, True)]
        for job in jobs:
            job.start()
        while any(job.is_alive() for job in jobs[:self.options.sessions]) or not queue.empty():
            try:
                self.told(*queue.get(timeout=0.5))
            except multiprocessing.queues.Empty:
                pass
            self.look_at_log()
            if time.monotonic() - shown > 60:
                shown = time.monotonic()
                print("  " + self.summary(), flush=True)
        for job in jobs:
            job.terminate()
            job.join()
        failed = [job.exitcode for job in jobs[:self.options.sessions] if job.exitcode not in (0, -signal.SIGTERM)]
        time.sleep(1)
        self.look_at_log()
        self.left_behind()
        print(self.summary() + "\n" + ", ".join(f"{s} {n}" for s, n in self.states.most_common()))
        for message, count in self.known.most_common():
            print(f"the server's own, {count} times: {message}")
        if failed:
            print(f"random: {len(failed)} sessions ended with errors of their own")
        return 1 if self.findings or failed else 0

    @staticmethod
    def churn(setup):
        setup.execute(f"DROP DATABASE IF EXISTS {Churn.DATABASE}")
        setup.execute(f"CREATE DATABASE {Churn.DATABASE}")
        setup.close()
        other = Connection(Churn.DATABASE)
        other.query("CREATE TABLE t AS SELECT i + sin(i) AS a, i * 2 + cos(i) AS y FROM generate_series(1, 50) AS i")
        other.query("CREATE EXTENSION pgfit")
        other.close()

    def summary(self):
        seconds = time.monotonic() - self.began
        count = sum(self.states.values())
        return f"seed {self.options.seed}: {count} statements in {seconds:.0f} s, {count / max(seconds, 1):.0f} a second, {count / max(self.seconds, 1):.0f} a second of the servers' time, {self.states['00000']} done, {len(self.findings)} findings"

    def told(self, what, *more):
        if what == "count":
            self.states.update(more[1])
            self.seconds += more[3] if len(more) > 3 else 0
        elif what == "known":
            self.known[more[0]] += 1
        else:
            self.finding(*more)

    def finding(self, kind, detail, index, number, history):
        """Prints and stores a finding, once."""
        key = kind + " | " + re.sub(r'"[^"]*"|[-+0-9.e]*\d', "#", detail.split("\n")[0])[:160]
        if kind.startswith(("goes on", "crash", "session ended")):
            key = kind + " | " + " ".join(re.findall(r"pgfit\.\w+\(", history[-1])[:2] if history else [])
        self.findings[key] += 1
        if self.findings[key] > 1 or len(self.findings) > 200:
            return
        os.makedirs(self.options.out, exist_ok=True)
        path = os.path.join(self.options.out, f"finding-{self.options.seed}-{len(self.findings)}.sql")
        with open(path, "w", encoding="utf-8") as file:
            file.write("".join(f"-- {line}\n" for line in f"seed {self.options.seed}, session {index}, statement {number}: {kind}\n{detail}".splitlines()))
            file.write("".join(s + ";\n" for s in history))
        print(f"FINDING seed {self.options.seed}, session {index}, statement {number}: {kind}\n    {detail[:400]}\n    last: {history[-1][:700] if history else ''}\n    all of it: {path}", flush=True)

    def look_at_log(self):
        """Finds reports of sanitizers, assertions and signals that were added to the log of the server."""
        size = os.path.getsize(self.log) if self.log else 0
        if size == self.read_until:
            return
        with open(self.log, encoding="utf-8", errors="replace") as file:
            file.seek(self.read_until)
            lines = file.read().splitlines()
        self.read_until = size
        hits = [i for i, line in enumerate(lines) if REPORT.search(line) and "signal 15" not in line]
        if hits:
            frames = [m.group(1) for m in (re.search(r"#\d+ \S+ in (\S+) .*pgfit", line) for line in lines) if m][:3]
            self.finding("log: " + (" < ".join(frames) or re.sub(r".*?(TRAP|PANIC|LOG)", r"\1", lines[hits[0]])[:160]), "\n".join(lines[hits[0]:hits[0] + 40]), -1, 0, [])

    def left_behind(self):
        """Looks for temporary files and segments of sessions that are gone."""
        data = os.environ.get("PGFIT_DATA")
        if not data:
            return
        for folder, name in (("base/pgsql_tmp", "temporary files"), ("pg_dynshmem", "segments of shared memory")):
            path = os.path.join(data, folder)
            for _ in range(20):
                left = os.listdir(path) if os.path.isdir(path) else []
                # those of the server stay: one that lists the others, and up to three of its statistics, which grow
                left = left[4:] if folder == "pg_dynshmem" else left
                if not left:
                    break
                time.sleep(0.5)
            else:
                self.finding(name + " are left", ", ".join(left[:5]), -1, 0, [])


def main():
    parser = argparse.ArgumentParser(description="Random SQL at scale against pgfit.")
    parser.add_argument("--statements", type=int, default=1000000)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sessions", type=int, default=2)
    parser.add_argument("--variants", type=int, default=2, help="copies of each statement with other literals")
    parser.add_argument("--functions", default="", metavar="REGEX", help="call only functions with such names")
    parser.add_argument("--extension", action="store_true", help="also drop and create the extension, in a database of its own")
    parser.add_argument("--overrun", type=float, default=1, help="seconds of processor time that a statement may go on after its timeout")
    parser.add_argument("--megabytes", type=float, default=150, help="memory of a session between statements")
    parser.add_argument("--out", default=os.path.join(HERE, "..", "..", "build", "random"))
    options = parser.parse_args()
    options.out = os.path.abspath(options.out)
    return Run(options).run()


if __name__ == "__main__":
    sys.exit(main())
