"""A bar on the terminal while a fit runs, from pgfit.progress over a second connection."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg

_QUERY = """SELECT estimator, phase, done, total, rows_read, fits, loss, operation, step, steps
FROM pgfit.progress WHERE pid = %s AND leader_pid IS NULL"""


def bar_text(row: tuple[Any, ...], width: int = 24) -> str:
    """Returns the line for one row of pgfit.progress."""
    estimator, phase, done, total, rows_read, fits, loss, operation, step, steps = row
    text = f"{estimator}: {phase}"
    if operation:
        text = f"{operation} {step}/{steps} {text}" if steps else f"{operation} {step} {text}"
    if total:
        share = min(done / total, 1)
        text += f" [{'#' * int(share * width):<{width}}] {share:4.0%}"
    elif rows_read:
        text += f", {rows_read:,} rows"
    if loss is not None:
        text += f", loss {loss:.6g}"
    return text


@contextmanager
def progress_bar(connection: psycopg.Connection[Any], wanted: bool, interval: float = 0.3) -> Iterator[None]:
    """Shows the progress of what runs on this connection, if it is wanted and the errors go to a terminal."""
    if not (wanted and sys.stderr.isatty()):
        yield
        return
    done = threading.Event()
    thread = threading.Thread(target=_watch, args=(connection, done, interval), daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _watch(connection: psycopg.Connection[Any], done: threading.Event, interval: float) -> None:
    shown = 0
    pid = connection.info.backend_pid
    try:
        with psycopg.connect(connection.info.dsn, password=connection.info.password or None, autocommit=True) as watcher:
            while not done.wait(interval):
                row = watcher.execute(_QUERY, (pid,)).fetchone()
                text = bar_text(row) if row else ""
                print("\r" + text.ljust(shown), end="", file=sys.stderr, flush=True)
                shown = len(text)
    except psycopg.Error:
        pass  # the fit goes on without a bar
    print("\r" + " " * shown + "\r", end="", file=sys.stderr, flush=True)
