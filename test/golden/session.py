"""Runs SQL in one psql process and returns the rows as JSON. Needs only the standard library."""
import json
import math
import os
import subprocess
import tempfile

MARK = "golden-end-of-statement"
CRASH_STATES = ("57P01", "57P02", "57P03")


class SqlError(Exception):
    """The server refused a statement."""

    def __init__(self, state, message):
        super().__init__(f"{state}: {message}")
        self.state = state
        self.message = message

    @property
    def is_user_error(self):
        """Whether this is a clear refusal, not an internal error, a crash or an exceeded limit."""
        return not (self.state.startswith("XX") or self.state in CRASH_STATES or self.state == "57014")


class Crash(SqlError):
    """The connection was lost."""

    def __init__(self, statement):
        super().__init__("08006", f"the connection was lost in: {statement[:300]}")

    @property
    def is_user_error(self):
        return False


def quote(text):
    """Returns an SQL string literal."""
    text = str(text)
    if "\\" in text:
        return " E'" + text.replace("\\", "\\\\").replace("'", "''") + "'"
    return "'" + text.replace("'", "''") + "'"


def identifier(name):
    return '"' + str(name).replace('"', '""') + '"'


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def number_text(value):
    """Returns the text of a float8 literal that keeps every bit, or None for NULL."""
    if value is None:
        return None
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "1" if value else "0"
    return repr(value)


def array_literal(values):
    """Returns a float8[] literal of a flat list, which may have NULLs, NaN and infinities."""
    texts = ["NULL" if v is None else number_text(v) for v in values]
    return quote("{" + ",".join(texts) + "}") + "::float8[]"


def number(value):
    """Returns a number from JSON, which has NaN and infinities as strings."""
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return value
    return value


def is_finite(value):
    return value is None or not is_number(value) or math.isfinite(value)


class Session:
    """A session with the server. A lost connection is replaced at the next statement."""

    def __init__(self, psql="psql", database=None):
        self.psql = psql
        self.database = database
        self.process = None
        self.setup = []
        self.statements = None  # those sent, where a reader keeps a list here

    def on_connect(self, statement):
        """Runs a statement now and after every new connection."""
        self.setup.append(statement)
        self.execute(statement)

    def start(self):
        command = [self.psql, "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=0"]
        if self.database:
            command += ["-d", self.database]
        environment = dict(os.environ, PGOPTIONS=os.environ.get("PGOPTIONS", ""), PGCLIENTENCODING="UTF8")
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.errors, env=environment, encoding="utf-8")
        for statement in self.setup:
            self.send(statement)

    def close(self):
        if self.process:
            try:
                self.process.stdin.close()
            except OSError:
                pass
            self.process.wait()
            self.process.stdout.close()
            self.errors.close()
            self.process = None

    def send(self, statement, after=""):
        """Returns what a statement prints. after: the rows of a COPY ... FROM STDIN."""
        if self.statements is not None:
            self.statements.append(statement)
        if not self.process:
            self.start()
        try:
            self.process.stdin.write(f"{statement};\n{after}\\echo {MARK} :ERROR :SQLSTATE\n"
                                     f"\\echo :LAST_ERROR_MESSAGE\n\\echo {MARK}\n")
            self.process.stdin.flush()
        except OSError:
            self.lost(statement)
        lines = []
        while True:
            line = self.process.stdout.readline()
            if not line:
                self.lost(statement)
            if line.startswith(MARK):
                break
            lines.append(line)
        _, failed, state = line.split()
        message = []
        while True:
            line = self.process.stdout.readline()
            if not line:
                self.lost(statement)
            if line.strip() == MARK:
                break
            message.append(line.strip())
        if failed == "true":
            raise SqlError(state, " ".join(message))
        return "".join(lines)

    def lost(self, statement):
        self.errors.seek(0)
        detail = self.errors.read().decode("utf-8", "replace").strip().splitlines()
        self.close()
        raise Crash(statement + (" -- " + detail[-1] if detail else ""))

    def execute(self, statement):
        self.send(statement)

    def rows(self, query):
        """Returns the rows of a query as dictionaries."""
        text = self.send(f"SELECT coalesce(json_agg(row_to_json(golden_q)), '[]') FROM ({query}) golden_q")
        return json.loads(text)

    def value(self, query):
        """Returns the first column of the first row, or None."""
        rows = self.rows(query)
        return next(iter(rows[0].values())) if rows else None

    def text(self, query):
        """Returns the output of a query as psql prints it."""
        return self.send(query).rstrip("\n")

    def copy(self, table, columns, rows):
        """Loads rows (tuples of None, str or numbers) by COPY."""
        def field(value):
            if value is None:
                return "\\N"
            text = number_text(value) if not isinstance(value, str) else value
            return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")
        data = "".join("\t".join(field(v) for v in row) + "\n" for row in rows) + "\\.\n"
        self.send(f"COPY {table} ({', '.join(columns)}) FROM STDIN", data)
