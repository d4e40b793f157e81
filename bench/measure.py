"""What lists of measurements consist of: queries that run in turn, and bars on their ratios."""
import os

OTHERS = ("python ", "R ")


class Query:
    """A query, an opponent, or transactions of pgbench."""

    def __init__(self, label, sql, settings=()):
        self.label = label
        # an opponent: "python TABLE FEATURES CODE" or "R TABLE FEATURES CODE", see peer.py; transactions of one row: "pgbench PROTOCOL SQL"
        self.sql = sql
        self.settings = tuple(settings)

    @property
    def other(self):
        return self.sql.startswith(OTHERS)

    @property
    def workers(self):
        return any(setting.startswith("max_parallel") for setting in self.settings)


class Bar:
    """
    The processor time of `label` over that of `against` (several labels are summed) should be at most `limit`; of a query that sets its own workers,
    the time by the clock. aim: the same by the clock of two workers over all processors of the opponent.
    """

    def __init__(self, label, against, limit, aim=None):
        self.label = label
        self.against = [against] if isinstance(against, str) else against
        self.limit = limit
        self.aim = aim


class Section:
    """Queries that run in turn, repeat by repeat, so that noise affects all of them."""

    def __init__(self, title, queries, bars, settings=()):
        self.title = title
        self.queries = queries
        self.bars = bars
        self.settings = tuple(settings)
        self.compares = any(query.other for query in queries)


TWO = ["max_parallel_workers_per_gather = 1", "parallel_leader_participation = on"]


def built_in(table):
    """A built-in aggregate in one and in two processes: what a second process can gain on this machine."""
    sql = f"SELECT sum(x[1]) FROM {table}"
    return [Query("sum(x[1])", sql), Query("sum(x[1]), two processes", sql, TWO)]


def built_in_bar():
    return Bar("sum(x[1]), two processes", "sum(x[1])", None)


def best_of(runs):
    """Returns the least time by the clock and the least processor time of runs, which need not be of the same run."""
    return min(wall for wall, _ in runs), min(processor for _, processor in runs)


def processor_time(pid):
    """Returns the seconds that a process and those of its children that have ended ran so far, to a hundredth."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as stream:
        fields = stream.read().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def ended_children_time(pid):
    """Returns the seconds that those children of a process that have ended ran, to a hundredth."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as stream:
        fields = stream.read().rpartition(")")[2].split()
    return sum(map(int, fields[13:15])) / os.sysconf("SC_CLK_TCK")
