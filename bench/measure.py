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
