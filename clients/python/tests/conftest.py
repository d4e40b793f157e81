"""A database of its own with the extension and the example tables, on the server that PGHOST etc. name."""

import os
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[2]
sys.path.insert(0, str(HERE.parent))
NAME = f"pgfit_python_{os.getpid()}"


def pytest_configure(config):
    with psycopg.connect("dbname=postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {NAME}")
    os.environ["PGDATABASE"] = NAME
    subprocess.run(["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-f", "examples/load.sql"], cwd=REPOSITORY, check=True, stdout=subprocess.DEVNULL)


def pytest_unconfigure(config):
    with psycopg.connect("dbname=postgres", autocommit=True) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {NAME} WITH (FORCE)")


def pytest_terminal_summary(terminalreporter):
    """Prints the line that scripts/test.sh counts."""
    count = {kind: len(terminalreporter.stats.get(kind, [])) for kind in ("passed", "failed", "error", "xfailed", "xpassed", "skipped")}
    if count["xfailed"]:
        terminalreporter.write_line(f"{count['xfailed']} checks cannot hold, for reasons that are listed")
    terminalreporter.write_line(f"clients: {count['passed'] + count['xpassed']} passed, {count['failed'] + count['error'] + count['skipped']} failed")


@pytest.fixture(scope="session")
def db():
    import pgfit

    with pgfit.connect() as client:
        yield client


@pytest.fixture
def numbers():
    """Forty rows of three features, a target that is linear in them but for noise, and three classes."""
    import numpy as np

    random = np.random.RandomState(1)
    X = random.normal(size=(40, 3))
    return X, X @ [1.0, -2.0, 0.5] + 3 + random.normal(size=40) / 10, np.arange(40) % 3
