"""SQL functions as metrics: silhouettes, which compare all pairs of 1,000 words, and the bare calls of the same function for all pairs."""
from measure import Bar, Query, Section


def calls(function):
    return f"SELECT sum({function}(a.word, b.word)) FROM sql_metric_words AS a, sql_metric_words AS b"


def silhouette(metric):
    return f"""SELECT pgfit.silhouette(id % 10, word, '{{"metric": "{metric}"}}') FROM sql_metric_words"""


def neighbors(metric):
    return f"SELECT sum(pgfit.distance(m, 'x' || word)) FROM sql_metric_models, sql_metric_words WHERE metric = '{metric}'"


C, PLPGSQL = "pgfit.edit_distance(text,text)", "public.sql_metric_lengths(text,text)"
SECTIONS = [
    Section("all pairs of 1,000 words by a function", [
        Query("calls, C", calls("pgfit.edit_distance")),
        Query("silhouette, C", silhouette(C)),
        Query("silhouette, metric edit", silhouette("edit")),
        Query("silhouette, metric damerau", silhouette("damerau")),
        Query("silhouette, metric jaro_winkler", silhouette("jaro_winkler")),
        Query("calls, PL/pgSQL", calls("sql_metric_lengths")),
        Query("silhouette, PL/pgSQL", silhouette(PLPGSQL)),
    ], [
        Bar("silhouette, C", "calls, C", 1.0),
        Bar("silhouette, PL/pgSQL", "calls, PL/pgSQL", 1.05),
        Bar("silhouette, metric edit", "calls, C", 0.5),
        Bar("silhouette, metric damerau", "calls, C", None),
        Bar("silhouette, metric jaro_winkler", "calls, C", None),
    ]),
    Section("the nearest of 1,000 words to each of 1,000 new ones", [
        Query("calls, C", calls("pgfit.edit_distance")),
        Query("distance, C", neighbors(C)),
        Query("distance, metric edit", neighbors("edit")),
        Query("calls, PL/pgSQL", calls("sql_metric_lengths")),
        Query("distance, PL/pgSQL", neighbors(PLPGSQL)),
    ], [
        Bar("distance, C", "calls, C", 1.0),
        Bar("distance, PL/pgSQL", "calls, PL/pgSQL", 1.05),
        Bar("distance, metric edit", "calls, C", 0.5),
    ]),
]
