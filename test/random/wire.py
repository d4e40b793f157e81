"""
The frontend protocol of PostgreSQL over a socket of this machine, without a password: many statements per round trip, each a message of its own, so that the
next one runs when one fails. Standard library only.
"""
import os
import select
import socket
import struct

READY, ERROR, DATA, KEY = b"Z", b"E", b"D", b"K"


class Lost(Exception):
    """The server closed the connection; state is that of its last words."""

    def __init__(self, state, message):
        super().__init__(f"{state}: {message}")
        self.state, self.message = state, message


class Refused(Exception):
    """The server refused a statement."""

    def __init__(self, state, message):
        super().__init__(f"{state}: {message}")
        self.state, self.message = state, message


class Reply:
    """What one statement gave: the SQLSTATE and message of its error or None, and its rows as lists of text."""

    __slots__ = ("state", "message", "rows")

    def __init__(self):
        self.state, self.message, self.rows = None, "", []


class Connection:
    def __init__(self, database=None, user=None, options=""):
        self.buffer, self.at = bytearray(), 0
        self.unsent = bytearray()
        self.partial = None # a Reply whose end has not come
        self.words = ("08006", "closed without a word")
        host = os.environ.get("PGHOST") or "/var/run/postgresql"
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(f"{host}/.s.PGSQL.{os.environ.get('PGPORT') or 5432}")
        user = user or os.environ.get("PGUSER") or "postgres"
        names = {"user": user, "database": database or os.environ.get("PGDATABASE") or user, "application_name": "random", "client_encoding": "UTF8", "options": options}
        body = b"".join(k.encode() + b"\0" + v.encode() + b"\0" for k, v in names.items() if v) + b"\0"
        self.socket.sendall(struct.pack("!ii", len(body) + 8, 196608) + body)
        self.pid = self.key = None
        reply = self.reply()
        if reply.state:
            raise Lost(reply.state, reply.message)
        self.socket.setblocking(False)

    def close(self):
        self.socket.close()

    # ---- sending ----

    def queue(self, statement):
        """Queues a statement, which gets a reply of its own; flush sends."""
        text = statement.encode("utf-8", "replace").replace(b"\0", b"")
        self.unsent += b"Q" + struct.pack("!i", len(text) + 5) + text + b"\0"

    def send(self, statements):
        for statement in statements:
            self.queue(statement)
        self.flush()

    def send_binary(self, statement, value):
        """Queues a statement whose parameter $1 is a value in binary."""
        parse = b"\0" + statement.encode() + b"\0\0\0"
        bind = b"\0\0" + struct.pack("!hhhi", 1, 1, 1, len(value)) + value + b"\0\0"
        for kind, body in ((b"P", parse), (b"B", bind), (b"E", b"\0" + struct.pack("!i", 0)), (b"S", b"")):
            self.unsent += kind + struct.pack("!i", len(body) + 4) + body

    def flush(self):
        while self.unsent:
            try:
                del self.unsent[:self.socket.send(self.unsent[:262144])]
            except BlockingIOError:
                return
            except OSError:
                self.unsent = b""

    # ---- receiving ----

    def reply(self, seconds=None):
        """Returns the next Reply, or None if none came in time. Fails with Lost."""
        reply = self.partial or Reply()
        while True:
            message = self.message()
            if message is None:
                self.partial = reply
                if not self.receive(seconds):
                    return None
                continue
            kind, body = message
            if kind == READY:
                self.partial = None
                return reply
            if kind == ERROR:
                fields = {f[:1]: f[1:].decode("utf-8", "replace") for f in bytes(body).split(b"\0") if f}
                reply.state, reply.message = fields.get(b"C", "?????"), fields.get(b"M", "")
                self.words = (reply.state, reply.message)
                if fields.get(b"S") in ("FATAL", "PANIC"):
                    raise Lost(*self.words)
            elif kind == DATA and len(reply.rows) < 1000:
                reply.rows.append(self.row(body))
            elif kind == KEY:
                self.pid, self.key = struct.unpack("!ii", body)
            elif kind == b"G": # COPY FROM STDIN: nothing comes
                self.unsent += b"f" + struct.pack("!i", 9) + b"none\0"
                self.flush()
            elif kind == b"R" and body[:4] != b"\0\0\0\0":
                raise Lost("28000", "the server wants a password")

    @staticmethod
    def row(body):
        count, at, row = struct.unpack_from("!h", body)[0], 2, []
        for _ in range(count):
            length = struct.unpack_from("!i", body, at)[0]
            at += 4
            row.append(None if length < 0 else bytes(body[at:at + length]).decode("utf-8", "replace"))
            at += max(length, 0)
        return row

    def message(self):
        """Returns (kind, body) of the next message that is here whole, or None."""
        have = len(self.buffer) - self.at
        if have < 5:
            return None
        length = struct.unpack_from("!i", self.buffer, self.at + 1)[0]
        if have < length + 1:
            return None
        begin = self.at
        self.at += length + 1
        return bytes(self.buffer[begin:begin + 1]), self.buffer[begin + 5:begin + length + 1]

    def receive(self, seconds):
        """Waits for bytes, and sends what is queued meanwhile; returns whether any came."""
        del self.buffer[:self.at]
        self.at = 0
        readable, writable, _ = select.select([self.socket], [self.socket] if self.unsent else [], [], seconds)
        if writable:
            self.flush()
        if not readable:
            return bool(writable)
        try:
            more = self.socket.recv(1 << 18)
        except OSError:
            more = b""
        if not more:
            raise Lost(*self.words)
        self.buffer += more
        return True

    def query(self, statement):
        """Returns the rows of one statement. Fails with Refused or Lost."""
        self.send([statement])
        reply = self.reply()
        if reply.state:
            raise Refused(reply.state, reply.message)
        return reply.rows
