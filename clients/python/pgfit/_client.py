"""Connections: queries, uploads, the registry."""

from __future__ import annotations

import codecs
import itertools
import json
import keyword
import re
import warnings
from collections import namedtuple
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, List

import psycopg
from psycopg import sql
from psycopg.pq import TransactionStatus
from psycopg.rows import tuple_row

from ._data import Column, unused
from ._progress import progress_bar

if TYPE_CHECKING:
    from ._base import Estimator

_numbers = itertools.count(1)
# What pgfit.fit takes for a table's name; anything else is a query.
_PART = r'\s*("([^"]|"")+"|[^\s".();]+)\s*'
_NAME = re.compile(rf"{_PART}(\.{_PART})*")
_default: Client | None = None


class FitWarning(UserWarning):
    """A WARNING of the server during a fit or a score."""


class DataError(psycopg.DataError, ValueError):
    """An error of the server about data or options; `sqlstate` and `diag` are the server's."""

    diag = property(lambda self: self.__cause__.diag)  # type: ignore[assignment]


class Identifier(sql.Identifier):
    """A name in a query with parameters, where a % is written twice."""

    def as_bytes(self, context: Any = None) -> bytes:
        return super().as_bytes(context).replace(b"%", b"%%")


class Picture(str):
    """A picture as text, which a notebook draws: SVG, or a specification of Vega-Lite."""

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        # as pgfit.plot begins, because a plain text may begin with any title or name
        if self.startswith('<svg xmlns="http://www.w3.org/2000/svg" class="pgfit"'):
            return {"image/svg+xml": str(self)}
        if self.startswith('{"$schema":"https://vega.github.io/schema/vega-lite/'):
            return {"application/vnd.vegalite.v5+json": json.loads(self)}
        return {"text/plain": str(self)}


class Rows(List[Any]):
    """Rows as named tuples; `frame()` makes a pandas DataFrame of them."""

    def __init__(self, columns: Sequence[str], rows: Sequence[Sequence[Any]]):
        names = [name + "_" if keyword.iskeyword(name) else name for name in columns]
        record = namedtuple("Row", names, rename=True)  # type: ignore[misc]
        super().__init__(record(*row) for row in rows)
        self.columns = list(columns)

    def frame(self) -> Any:
        import pandas

        return pandas.DataFrame([tuple(row) for row in self], columns=self.columns)


class Upload:
    """A temporary table of uploaded rows, numbered from 0."""

    def __init__(self, table: str, number: str, columns: Sequence[str]):
        self.table, self.number, self.columns = Identifier("pg_temp", table), number, columns

    def query(self, *, with_number: bool = False) -> sql.Composed:
        """Returns the query that reads the columns in the order of the upload."""
        names = [*self.columns, self.number] if with_number else self.columns
        return sql.SQL("SELECT {} FROM {} ORDER BY {}").format(
            sql.SQL(", ").join(map(Identifier, names)), self.table, Identifier(self.number))


class Client:
    """pgfit over one psycopg connection.

    Work is done in a savepoint of the connection's transaction, or with autocommit in a transaction of its own: the
    client never commits a transaction that it did not begin. With `progress`, fits show a bar on a terminal.
    """

    def __init__(self, connection: psycopg.Connection[Any], *, progress: bool = False):
        self.connection = connection
        self.progress = progress

    @staticmethod
    def of(value: Client | psycopg.Connection[Any] | None) -> Client | None:
        return Client(value) if isinstance(value, psycopg.Connection) else value

    def __copy__(self) -> Client:
        return self

    def __deepcopy__(self, memo: Any) -> Client:
        return self  # a copy of an estimator works over the same connection

    def __reduce__(self) -> Any:
        raise TypeError("a connection cannot be pickled; estimators leave it out of their pickles")

    @contextmanager
    def _work(self, *, fit: bool = False) -> Iterator[psycopg.Cursor[tuple[Any, ...]]]:
        """Gives a cursor in a savepoint, and turns errors and warnings of the server into those of Python."""
        connection, notices = self.connection, []
        status = connection.info.transaction_status
        if status == TransactionStatus.INERROR or (status == TransactionStatus.IDLE and not connection.autocommit):
            connection.execute("SELECT")  # fails, or begins the user's transaction, so that ours is a savepoint in it

        def note(diagnostic: psycopg.errors.Diagnostic) -> None:
            if diagnostic.severity_nonlocalized == "WARNING":
                notices.append(". ".join(filter(None, (diagnostic.message_primary, diagnostic.message_hint))))

        connection.add_notice_handler(note)
        try:
            with connection.transaction(), psycopg.Cursor(connection, row_factory=tuple_row) as cursor:
                with progress_bar(connection, fit and self.progress):
                    yield cursor
        except psycopg.Error as error:
            if isinstance(error, psycopg.DataError) and not isinstance(error, DataError):
                wrapped = DataError(str(error))
                wrapped.sqlstate = error.sqlstate
                raise wrapped from error
            raise
        except UnicodeEncodeError as error:
            raise ValueError(f"{error.object[error.start:error.end]!r} has no place in {connection.info.parameter_status('client_encoding')}, the encoding of the connection") from error
        finally:
            connection.remove_notice_handler(note)
        for notice in notices:
            warnings.warn(notice, FitWarning, stacklevel=4)

    def _rows(self, query: str | sql.Composed, parameters: Sequence[Any] = (), *, fit: bool = False) -> Rows:
        with self._work(fit=fit) as cursor:
            cursor.execute(query, parameters, prepare=False)
            return Rows([column.name for column in cursor.description or ()], cursor.fetchall())

    @contextmanager
    def _upload(self, cursor: psycopg.Cursor[Any], columns: Sequence[Column]) -> Iterator[Upload]:
        """Copies columns to a temporary table, and drops it in the end."""
        names = [column.name for column in columns]
        for name in names:
            size = len(name.encode(_codec(self.connection), "replace"))
            if size > 63:
                raise ValueError(f"The name of a column has at most 63 bytes in PostgreSQL, and this has {size}: {name}")
        number = unused("n", names)
        lengths = list(dict.fromkeys(len(column.values) for column in columns))
        if len(lengths) > 1:
            raise ValueError(f"Found input variables with inconsistent numbers of samples: {lengths}")
        upload = Upload(f"pgfit_upload_{next(_numbers)}", number, names)
        definitions = [sql.SQL("{} {}").format(Identifier(column.name), sql.SQL(column.type)) for column in columns]
        cursor.execute(sql.SQL("CREATE TEMPORARY TABLE {} ({} bigint, {})").format(
            upload.table, Identifier(number), sql.SQL(", ").join(definitions)), ())
        with cursor.copy(sql.SQL("COPY {} FROM STDIN").format(upload.table)) as copy:
            for row in zip(itertools.count(), *(column.values for column in columns)):
                copy.write_row(row)
        yield upload
        cursor.execute(sql.SQL("DROP TABLE {}").format(upload.table))

    def query(self, query: str, *parameters: Any) -> Rows:
        """Returns the rows of a query."""
        return self._rows(query, parameters)

    def _from(self, cursor: psycopg.Cursor[Any], source: str) -> sql.Composable:
        """Returns what stands behind FROM to read a query, or a table by its name."""
        if not _NAME.fullmatch(source):
            return sql.SQL("({}\n)").format(sql.SQL(re.sub(r";\s*$", "", source).replace("%", "%%")))
        name = cursor.execute("SELECT %s::regclass::text", (source,), prepare=False).fetchone()[0]  # type: ignore[index]
        return sql.SQL(name.replace("%", "%%"))

    # ---- the registry ----

    def get(self, name: str, version: int | None = None) -> Estimator:
        """Returns the model that serves under a name, or another version, as a fitted estimator."""
        from ._base import from_model

        query = "SELECT m::text, pgfit.info(m) FROM pgfit.get_model(%s, %s::int) AS m"
        model, info = self._rows(query, (name, version))[0]
        return from_model(self, model, info)

    def import_model(self, document: str | bytes, format: str | None = None, **options: Any) -> Estimator:
        """Returns a model that another program wrote, such as XGBoost, as a fitted estimator (`pgfit.import_model`)."""
        from ._base import from_model

        query = sql.SQL("SELECT m::text, pgfit.info(m) FROM pgfit.import_model(%s::{}, %s, %s::pgfit.call_options) AS m").format(
            sql.SQL("text" if isinstance(document, str) else "bytea"))
        model, info = self._rows(query, (document, format, to_json(options)))[0]
        return from_model(self, model, info)

    def put(self, model: Any, name: str | None = None, features: Sequence[str] | None = None) -> Estimator:
        """Returns a fitted model of scikit-learn, XGBoost, LightGBM or pgfit as a fitted estimator with the same scores, and stores it under a name.

        features: names of the columns of an array that scikit-learn was fitted to. Fails for a model that has no equal here.
        """
        from ._base import Estimator, from_model
        from ._foreign import booster_document
        from ._sklearn import sklearn_values

        program = type(model).__module__.partition(".")[0]
        if isinstance(model, Estimator):
            model._require_fit()
            value, arguments = sql.SQL("%s::pgfit.model"), [model.model_]
        elif program in ("xgboost", "lightgbm"):
            document, options = booster_document(model, features)
            value, arguments = sql.SQL("pgfit.import_model(%s::bytea, %s, %s::pgfit.call_options)"), [document, program, to_json(options)]
        else:
            arguments = sklearn_values(model, features)
            value = sql.SQL("%s::pgfit.model" if len(arguments) == 1 else "pgfit.pipeline({})").format(sql.SQL(", ").join([sql.SQL("%s::pgfit.model")] * len(arguments)))
        query = sql.SQL("SELECT m::text, pgfit.info(m) FROM (SELECT {} AS m OFFSET 0) AS given").format(value)
        text, info = self._rows(query, arguments)[0]
        if name is not None:
            self._rows("SELECT pgfit.put_model(%s, %s::pgfit.model)", (name, text))
        estimator = from_model(self, text, info)
        if features is None and not hasattr(model, "feature_names_in_") and hasattr(model, "n_features_in_"):
            estimator.n_features_in_ = model.n_features_in_  # it was fitted to an array, and takes arrays
        return estimator

    def train(self, name: str, estimator: Estimator, source: str, formula: str | None = None, **options: Any) -> Any:
        """Trains the next version of a model in the registry (`pgfit.train`), and returns its row."""
        parameters = (name, estimator._estimator, source, formula, to_json({**estimator._options(), **options}))
        return self._rows("SELECT * FROM pgfit.train(%s, %s, %s, %s, %s::pgfit.call_options)", parameters, fit=True)[0]

    def promote(self, name: str, version: int) -> None:
        """Makes a version serve."""
        self._rows("SELECT pgfit.promote(%s, %s::int)", (name, version))

    def rollback(self, name: str) -> int:
        """Makes the version serve that served before, and returns its number."""
        return int(self._rows("SELECT pgfit.rollback(%s)", (name,))[0][0])

    def drop(self, name: str, version: int | None = None) -> None:
        """Drops a version, or a model with all its versions."""
        self._rows("SELECT pgfit.drop_model(%s, %s::int)", (name, version))

    def history(self, name: str | None = None) -> Rows:
        """Returns the versions of a model, or of all models."""
        return self._rows("SELECT * FROM pgfit.history(%s)", (name,))

    def close(self) -> None:
        self.connection.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _codec(connection: psycopg.Connection[Any]) -> str:
    """Returns the encoding of the database, as far as Python has it under the same name."""
    try:
        return codecs.lookup(connection.info.parameter_status("server_encoding") or "utf8").name
    except LookupError:
        return "utf8"


def connect(conninfo: str = "", *, progress: bool = False, **options: Any) -> Client:
    """Connects as `psycopg.connect` does, with autocommit and in UTF-8, whatever the encoding of the database, unless `options` say otherwise."""
    options.setdefault("autocommit", True)
    options.setdefault("client_encoding", "utf8")
    return Client(psycopg.connect(conninfo, **options), progress=progress)


def default_client() -> Client:
    """Returns the client of estimators without a connection, which the environment (PGHOST, PGDATABASE) decides."""
    global _default
    if _default is None or _default.connection.closed:
        _default = connect()
    return _default


def to_json(options: Mapping[str, Any]) -> str:
    def value(item: Any) -> Any:
        if hasattr(item, "model_"):
            return json.loads(item.model_)
        return item.tolist()  # a number or an array of numpy

    return json.dumps(options, default=value)
