"""Classic machine learning in PostgreSQL, with the interface of scikit-learn.

The classes of `_estimators.py` are written by `make_estimators` from `pgfit.estimators()` and `pgfit.options()` of a server,
and checked in: type checkers, help() and pickle need classes that a module holds before there is a connection.
"""

from . import _estimators
from ._base import Estimator, NotFittedError
from ._client import Client, DataError, FitWarning, Picture, Rows, connect
from ._estimators import *  # noqa: F403

__version__ = "0.1.0"
__all__ = ["Client", "DataError", "Estimator", "FitWarning", "NotFittedError", "Picture", "Rows", "connect", *_estimators.__all__]
