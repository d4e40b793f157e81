"""Proportional hazards of censored times, beside R's survival."""
from measure import Bar, Query, Section

ROOM = ["pgfit.fit_mem = '1GB'"]
OPTIONS = '"event": "event", "formula": "a + b + c + d + e + f + g + h + i + j"'
COXPH = "R survival_10 11 library(survival); times <- Surv(y, X[, 1]); rows <- X[, -1] ;; coxph(times ~ rows)"


def fit(options=OPTIONS):
    return f"SELECT pgfit.cox_regression(y, r, '{{{options}}}') IS NOT NULL FROM survival_rows AS r"


SECTIONS = [
    Section("cox_regression, 100,000 rows of 10 features", [
        Query("cox_regression", fit()),
        Query("with robust standard errors", fit(OPTIONS + ', "vcov": "HC0"')),
        Query("with limits of survival", fit(OPTIONS + ', "survival_limits": true')),
        Query("coxph", COXPH),
    ], [
        Bar("cox_regression", "coxph", 0.5),
        Bar("with robust standard errors", "cox_regression", None),
        Bar("with limits of survival", "cox_regression", None),
    ], settings=ROOM),
]
