"""Proportional hazards of censored times."""
import os

from measure import Bar, Query, Section

COXPH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "survival.R")
ROOM = ["pgfit.fit_mem = '1GB'"]
OPTIONS = '"event": "event", "formula": "a + b + c + d + e + f + g + h + i + j"'


def fits(options=OPTIONS):
    """Five fits, so that the peer's reading of its file matters less."""
    return (f"SELECT count(m) FROM generate_series(1, 5) AS n, LATERAL (SELECT pgfit.cox_regression(y, r, '{{{options}}}') AS m "
            "FROM survival_rows AS r WHERE n > 0) AS f")


SECTIONS = [
    Section("cox_regression, 100,000 rows of 10 features, five fits", [
        Query("cox_regression", fits(), ROOM),
        Query("with robust standard errors", fits(OPTIONS + ', "vcov": "HC0"'), ROOM),
        Query("with limits of survival", fits(OPTIONS + ', "survival_limits": true'), ROOM),
    ], [
        Bar("with robust standard errors", "cox_regression", None),
        Bar("with limits of survival", "cox_regression", None),
    ], repeats=3),
    Section("cox_regression against survival of R, its reading included: 100,000 rows of 10 features, five fits", [
        Query("cox_regression", fits(), ROOM),
        Query("coxph", f"peer program survival_10 11 Rscript {COXPH} {{data}}"),
    ], [Bar("cox_regression", "coxph", 0.5)], repeats=3, peers=True),
]
