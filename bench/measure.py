"""Of what the lists of measurements are made: queries that run in turn, and which may take how much of which."""


class Query:
    def __init__(self, label, sql, settings=()):
        self.label = label
        self.sql = sql  # or "peer ...": a command of peer.py
        self.settings = tuple(settings)


class Bar:
    """Time of `label` over the time of `against` (labels are added up): at most `limit`; better: `aim`."""

    def __init__(self, label, against, limit, aim=None):
        self.label = label
        self.against = [against] if isinstance(against, str) else against
        self.limit = limit
        self.aim = aim


class Section:
    """Queries that are interleaved, repeat by repeat, so that noise meets all of them."""

    def __init__(self, title, queries, bars, repeats=7, settings=(), peers=False):
        self.title = title
        self.queries = queries
        self.bars = bars
        self.repeats = repeats
        self.settings = tuple(settings)
        self.peers = peers  # needs scikit-learn; measured once, with jit off


TWO = ["max_parallel_workers_per_gather = 1", "parallel_leader_participation = on"]


def built_in(table):
    """An aggregate of PostgreSQL's own in one and in two processes: what a second process can give on this machine."""
    sql = f"SELECT sum(x[1]) FROM {table}"
    return [Query("sum(x[1])", sql), Query("sum(x[1]), two processes", sql, TWO)]


def built_in_bar():
    return Bar("sum(x[1]), two processes", "sum(x[1])", None)
