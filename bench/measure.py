"""What lists of measurements consist of: queries that run in turn, and bars on their ratios."""


class Query:
    """A query, a command of peer.py, or transactions of pgbench."""

    def __init__(self, label, sql, settings=()):
        self.label = label
        self.sql = sql  # "peer ...": a command of peer.py; "pgbench PROTOCOL ...": transactions of one row
        self.settings = tuple(settings)


class Bar:
    """The time of `label` over the time of `against` (several labels are summed) should be at most `limit`, better `aim`."""

    def __init__(self, label, against, limit, aim=None):
        self.label = label
        self.against = [against] if isinstance(against, str) else against
        self.limit = limit
        self.aim = aim


class Section:
    """Queries that run in turn, repeat by repeat, so that noise affects all of them."""

    def __init__(self, title, queries, bars, repeats=7, settings=(), peers=False):
        self.title = title
        self.queries = queries
        self.bars = bars
        self.repeats = repeats
        self.settings = tuple(settings)
        self.peers = peers  # compares with scikit-learn: measured with one setting of jit only


TWO = ["max_parallel_workers_per_gather = 1", "parallel_leader_participation = on"]


def built_in(table):
    """A built-in aggregate in one and in two processes: what a second process can gain on this machine."""
    sql = f"SELECT sum(x[1]) FROM {table}"
    return [Query("sum(x[1])", sql), Query("sum(x[1]), two processes", sql, TWO)]


def built_in_bar():
    return Bar("sum(x[1]), two processes", "sum(x[1])", None)
