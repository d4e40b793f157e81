"""One psql process as a session: SQL in, JSON out. Needs nothing but the standard library."""
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
        """A clear refusal, as opposed to an internal error, a crash or a limit that was hit."""
        return not (self.state.startswith("XX") or self.state in CRASH_STATES or self.state == "57014")


class Crash(SqlError):
    """The connection was lost."""

    def __init__(self, statement):
        super().__init__("08006", f"the connection was lost in: {statement[:300]}")

    @property
    def is_user_error(self):
        return False


def quote(text):
    """An SQL string literal."""
    text = str(text)
    if "\\" in text:
        return " E'" + text.replace("\\", "\\\\").replace("'", "''") + "'"
    return "'" + text.replace("'", "''") + "'"


def identifier(name):
    return '"' + str(name).replace('"', '""') + '"'


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def number_text(value):
    """A float8 literal's text that keeps every bit; None where NULL."""
    if value is None:
        return None
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "1" if value else "0"
    return repr(value)


def array_literal(values):
    """A float8[] literal of a flat list; NULL elements, NaN and infinities included."""
    texts = ["NULL" if v is None else number_text(v) for v in values]
    return quote("{" + ",".join(texts) + "}") + "::float8[]"


def number(value):
    """JSON has NaN and infinities as strings."""
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return value
    return value


def is_finite(value):
    return value is None or not is_number(value) or math.isfinite(value)


class Session:
    """statements() one after the other; a lost connection is replaced at the next statement."""

    def __init__(self, psql="psql", database=None):
        self.psql = psql
        self.database = database
        self.process = None
        self.setup = []

    def on_connect(self, statement):
        """Runs now and after every new connection."""
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
        """The text that the statement printed. after: rows of a COPY ... FROM STDIN."""
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
        """The rows of a query as dictionaries."""
        text = self.send(f"SELECT coalesce(json_agg(row_to_json(golden_q)), '[]') FROM ({query}) golden_q")
        return json.loads(text)

    def value(self, query):
        """The first column of the first row (None where there is no row)."""
        rows = self.rows(query)
        return next(iter(rows[0].values())) if rows else None

    def text(self, query):
        """A query's output as psql prints it."""
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
