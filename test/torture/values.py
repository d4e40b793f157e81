"""Random SQL expressions: values at the edges of each type, options of an estimator, edited models."""
import copy
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden"))

from session import quote  # noqa: E402

FLOATS = ["0", "-0", "1", "-1", "2", "0.5", "3.25", "1e-3", "1e6", "1073741824.5", "4294967296", "9007199254740993", "1e15",
          "1e150", "-1e154", "1e200", "1e300", "1e308", "-1.7976931348623157e308", "1e-150", "1e-300", "2.2250738585072014e-308",
          "1e-310", "5e-324", "-5e-324"]
NOT_FINITE = ["NaN", "Infinity", "-Infinity"]
INTEGERS = {"int2": ["0", "1", "-1", "7", "32767", "-32768"],
            "int4": ["0", "1", "-1", "7", "2147483647", "-2147483648"],
            "int8": ["0", "1", "-1", "7", "9223372036854775807", "-9223372036854775808", "9007199254740993"]}
NUMERICS = ["0", "1", "-1", "0.1", "12345678901234567890.123456789", "1e-400", "1e400", "-1e1000", "NaN", "Infinity", "0.000",
            "9" * 400, "3." + "1" * 300]
TEXTS = ["", "a", "b", "A", "l1", "l2", "yes", "no", " ", "a b", "it's", 'q"q', "back\\slash", "new\nline", "tab\t", "ünï", "日本", "%", "$1",
         "x" * 300, "NaN", "1", "null", "(intercept)", "{}", "\x01"]
OTHERS = {"bool": ["true", "false"],
          "date": ["2024-02-29", "infinity", "-infinity", "4713-01-01 BC", "5874897-12-31"],
          "timestamp": ["2024-02-29 12:00:00.123456", "infinity", "-infinity", "294276-12-31 23:59:59"],
          "timestamptz": ["2024-02-29 12:00:00+13", "infinity", "4713-01-01 00:00:00+00 BC"],
          "time": ["00:00", "24:00", "12:34:56.789"],
          "interval": ["1 day", "24:00", "-1 mon 3 days", "178000000 years", "0"],
          "uuid": ["00000000-0000-0000-0000-000000000000", "123e4567-e89b-12d3-a456-426614174000"],
          "bytea": ["", "\\x00ff", "abc"],
          "money": ["1.00", "-92233720368547758.08"],
          "inet": ["10.0.0.1/8", "::1"],
          "bit(3)": ["101", "000"],
          "oid": ["0", "4294967295"],
          "regtype": ["0", "float8", "torture.pair", "record"],
          "int4range": ["empty", "[1,5)", "(,)"],
          "point": ["(1,2)"],
          "json": ['{"a": 1}', "[1, 2]", "3", "null"],
          "torture.mood": ["s", "m", "l", "xl"],
          "torture.pair": ["(1.5,s)", "(,)", "(NaN,xl)"],
          "torture.pair_domain": ["(1.5,m)", "(,)"],
          "name": ["a", "n" * 63]}
JSONB = ["{}", "[]", "null", "1", '"a"', "true", '{"a": 1, "b": 2}', '{"a": null}', '{"a": 1e400}', '{"b": 2, "a": "l1", "k": true}', "[1, 2, 3]",
         "[1, null]", '["a", 1]', "[[1, 2], [3, 4]]", "[[1], [2, 3]]", '{"a": {"b": [1]}}', '{"": 1}', '{"a": 0.1, "k": "l2", "b": -0}', "[1e-400]"]
NUMBER_TYPES = ["float8", "float4", "numeric", "int2", "int4", "int8", "torture.positive"]
TEXT_TYPES = ["text", "varchar", "char(4)", "torture.word", '"char"']
FEATURE_TYPES = NUMBER_TYPES + TEXT_TYPES + ["bool", "torture.mood", "date"]
ARRAY_TYPES = ["float8[]", "float4[]", "numeric[]", "int4[]", "int8[]", "text[]", "bool[]", "torture.mood[]", "torture.positive[]"]
METRICS = ["euclidean", "manhattan", "chebyshev", "minkowski", "hamming", "cosine", "angular", "mixed", "mahalanobis", "elliptical",
           "squared_euclidean", "standardized_euclidean", "canberra", "bray_curtis", "jaccard", "binary", "dice", "gower", "haversine", "correlation", "kernel", "linear", "polynomial", "rbf", "sigmoid", "precomputed", "spectrum", "subsequence", "edit", "damerau", "jaro_winkler", "pgfit.edit_distance(text,text)",
           '{"sum": [{"kernel": "linear"}, {"kernel": "rbf", "gamma": 1, "weight": 2}]}', '{"product": [{"kernel": "spectrum", "length": 2}, {"kernel": "rbf", "gamma": 1}]}', ""]


def scalar_type(rng):
    pick = rng.random()
    if pick < 0.45:
        return rng.choice(NUMBER_TYPES)
    if pick < 0.65:
        return rng.choice(TEXT_TYPES)
    return rng.choice(list(OTHERS))


def any_type(rng, feature=False):
    """Returns a type. feature: usually one that features may have."""
    pick = rng.random()
    if feature and pick < 0.85:
        return rng.choice(NUMBER_TYPES * 3 + TEXT_TYPES + ["bool", "torture.mood", "float8[]"])
    pick = rng.random()
    if pick < 0.7:
        return scalar_type(rng)
    return rng.choice(ARRAY_TYPES) if pick < 0.9 else "jsonb"


class Style:
    """How wild values are: the share of ordinary ones, and whether there are NULLs and numbers that are not finite."""

    def __init__(self, calm, finite, nulls):
        self.calm, self.finite, self.nulls = calm, finite, nulls


ANY = Style(0.6, False, 0.07)


def style(rng):
    return Style(rng.choice([0, 0.6, 0.95, 1]), rng.random() < 0.8, rng.choice([0, 0, 0, 0.07, 0.5]))


def number(rng, how=ANY):
    if rng.random() < how.calm:
        return f"{rng.gauss(0, 3):.4g}"
    return rng.choice(FLOATS if how.finite or rng.random() < 0.9 else NOT_FINITE)


def text_of(rng, kind, how=ANY):
    """Returns a value of the type as text, or None for NULL."""
    if rng.random() < how.nulls:
        return None
    if kind in ("float8", "torture.positive"):
        return number(rng, how)
    if kind == "float4":
        return rng.choice(["0", "1.5", "-2.25", "3e38", "1e-45"] + ([] if how.finite else ["NaN", "Infinity"]))
    if kind == "numeric":
        return number(rng, how) if rng.random() < max(how.calm, 0.5) else rng.choice(NUMERICS)
    if kind in INTEGERS:
        return str(rng.randint(-3, 9)) if rng.random() < how.calm else rng.choice(INTEGERS[kind])
    if kind in ("text", "varchar", "torture.word"):
        return rng.choice(TEXTS[:6]) if rng.random() < how.calm else rng.choice(TEXTS)
    if kind == "char(4)":
        return rng.choice(TEXTS)[:4]
    if kind == '"char"':
        return rng.choice("abc")
    if kind == "jsonb":
        return rng.choice(JSONB)
    if kind.endswith("[]"):
        return array_text(rng, kind[:-2], how)
    return rng.choice(OTHERS[kind])


def array_text(rng, kind, how=ANY):
    """Returns the text of an array: usually flat, else empty, of two or three dimensions, or with another lower bound."""
    def element():
        value = text_of(rng, kind, how)
        if value is None:
            return "NULL"
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    shape = rng.random()
    if shape < 0.07:
        return "{}"
    count = rng.choice([1, 2, 2, 2, 2, 2, 3, 3, 9, 70])
    flat = "{" + ",".join(element() for _ in range(count)) + "}"
    if shape < 0.75:
        return flat
    if shape < 0.9:
        width = rng.randint(1, 4)
        return "{" + ",".join("{" + ",".join(element() for _ in range(width)) + "}" for _ in range(rng.randint(1, 4))) + "}"
    if shape < 0.95:
        return f"[{5 - count + 1}:5]={flat}"
    return "{{{" + element() + "}}}"


def literal(rng, kind, how=ANY):
    if kind == "record":
        return row(rng)
    value = text_of(rng, kind, how)
    return f"NULL::{kind}" if value is None else f"{quote(value).strip()}::{kind}"


def row(rng):
    """Returns ROW(...) of a few values, of none, or nested."""
    fields = [literal(rng, any_type(rng)) for _ in range(rng.choice([0, 1, 1, 2, 2, 3, 5, 12]))]
    if rng.random() < 0.05:
        fields.append(row(rng))
    return "ROW(" + ", ".join(fields) + ")"


# ---- options ----

# Names as options have them: of columns, of numbers of an array, and what only looks like one.
NAMES = ["a", "b", "k", "g", "y", "w", "id", "flag", "a[1]", "x[1]", "x[2]", "x[0]", "x[-1]", "x[99999999999]", "x[", "f1", "f2", "features", "features[2]", "f[1]", "(intercept)",
         "nobody", "A", "a,b", " ", "", "é", "l0", "true", "0", "a" * 100]


def names(rng):
    return [rng.choice(NAMES) for _ in range(rng.choice([0, 1, 1, 2, 2, 3, 5]))]


def named_values(rng):
    """Returns an object of names, whose values are names, lists of them, numbers or objects."""
    kinds = [lambda: names(rng), lambda: rng.choice(NAMES), lambda: rng.choice([0, 1, -1, 0.5, 1e300, 3]), lambda: {rng.choice(NAMES): names(rng)},
             lambda: [rng.random() for _ in range(rng.randint(0, 3))], lambda: rng.choice([True, None])]
    kind = rng.choice(kinds[:3])
    return {rng.choice(NAMES): (kind if rng.random() < 0.9 else rng.choice(kinds))() for _ in range(rng.randint(1, 4))}


def option_value(rng, option):
    """Returns a value that usually fits the type and range of an option in pgfit.options()."""
    kind, values = option["type"], option["range"] or ""
    default = option["default_value"]
    words = [w.strip().strip('"') for w in values.replace(" or ", ",").replace(";", ",").split(",") if '"' in w]
    pick = rng.random()
    if pick < 0.08:
        return json.loads(rng.choice(JSONB).replace("1e400", "1e300"))
    if pick < 0.15 and not default.startswith("("): # words in parentheses say what holds without one
        try:
            return json.loads(default)
        except ValueError:
            return default
    choices = []
    if "boolean" in kind:
        choices += [True, False]
    if "integer" in kind:
        choices += [0, 1, 1, 2, 2, 3, 5, 10, -1, 1000000, 2147483648]
    if "number" in kind:
        choices += [0, 0.5, 1, 1e-3, 0.99, 1e-300, 1e300, -1, 10]
    if "string" in kind:
        words = words or re.findall(r'"(\w+)"', option["help"] or "")
        choices += (words or ["a", "b", "l1", "id", "g", "euclidean", ""]) * 2 + [rng.choice(NAMES)]
    if "array of numbers" in kind or "numbers" in kind:
        choices += [[], [1], [1, 2], [0.5, 1e-9, 3], [0, 0], [1e308, 1e308], [rng.random() for _ in range(rng.randint(1, 6))]]
    if "arrays" in kind:
        n = rng.randint(1, 4)
        choices += [[[1 if i == j else 0.1 for j in range(n)] for i in range(n)], [[0] * n] * n, [[1, 2]], [[rng.gauss(0, 1) for _ in range(n)] for _ in range(3)]] * 2
    if "strings" in kind:
        choices += [[], ["a"], ["a", "b"], ["a", "a"], ["k", "a"], ["f1", "f2"]] + [names(rng) for _ in range(6)]
    if "objects of options" in kind or "object of options" in kind:
        choices += [{"sum": [{"kernel": "rbf", "gamma": 1}, {"kernel": "linear", "weight": 0.5}]}, {"sum": [{"kernel": "spectrum"}, {"kernel": "rbf"}]},
                    {"product": [{"kernel": "subsequence", "length": 2}, {"sum": [{"kernel": "polynomial"}]}]}, {"kernel": "sigmoid", "weight": 2}] * 2
    if "object" in kind or not choices:
        choices += [{}, {"a": 1}, {"l0": 1, "l1": 2}, {"true": 0, "false": 1}, {"l0": 0.5, "l1": 0.25, "l2": 0.25}] + [named_values(rng) for _ in range(8)]
    return rng.choice(choices)


def options(rng, table):
    """Returns an options argument as jsonb text, from the options of an estimator."""
    if not table or rng.random() < 0.1:
        return rng.choice(["'{}'::jsonb", "NULL::jsonb", "'{}'::jsonb", quote(rng.choice(JSONB)) + "::jsonb"])
    picked = {}
    for option in rng.sample(table, min(len(table), rng.choice([0, 1, 1, 2, 2, 3, 4, 6]))):
        picked[option["name"]] = option_value(rng, option)
    if any(o["name"] == "k" for o in table) and rng.random() < 0.7:
        picked["k"] = rng.randint(1, 4)
    if "metric" in picked and picked["metric"] == "kernel" and rng.random() < 0.7:
        picked["kernel"] = rng.choice(["rbf", "linear", "polynomial", "sigmoid", "spectrum"])
    if rng.random() < 0.03:
        picked["no_such_option"] = 1
    return quote(json.dumps(picked)) + "::jsonb"


# ---- models that somebody edited ----

FORGED_NUMBERS = [0, -1, 1, 2, 3, 1e308, -1e308, 1e-310, 5e-324, 1e300, 9007199254740992, 4611686018427387904, 0.5, -0.0, 4294967295, 2147483648, 1e16]


def places(node, path=()):
    """Yields the path of every node of a JSON value."""
    yield path
    if isinstance(node, dict):
        for key in node:
            yield from places(node[key], path + (key,))
    elif isinstance(node, list):
        for i in range(len(node)):
            yield from places(node[i], path + (i,))


def forged(rng, model):
    """Returns the text of a model with one to three places changed: usually numbers, because the reader accepts them more often."""
    if rng.random() < 0.1:
        text = list(model)
        for _ in range(rng.randint(1, 3)):
            at = rng.randrange(len(text))
            text[at] = rng.choice(["0", "9", '"', "{", "]", "-", "e", ",", "", "1"])
        return "".join(text)
    value = json.loads(model)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        path = rng.choice([p for p in places(value) if p])
        if rng.random() < 0.7:
            numbers = [p for p in places(value) if p and type(at_path(value, p)) in (int, float)]
            path = rng.choice(numbers or [path])
        parent, key = at_path(value, path[:-1]), path[-1]
        old = parent[key]
        pick = rng.random()
        if type(old) in (int, float) and pick < 0.9:
            parent[key] = rng.choice([old + 1, old - 1, -old, old * 2, old / 2 if isinstance(old, float) else old // 2, rng.choice(FORGED_NUMBERS)])
        elif isinstance(old, str) and pick < 0.7:
            parent[key] = rng.choice(["", "a", "b", old + "x", old[:-1], "rbf", "euclidean", "mixed"])
        elif isinstance(old, list) and pick < 0.8:
            parent[key] = rng.choice([[], old[:-1], old + old[-1:], list(reversed(old)), old * 2])
        elif pick < 0.9:
            del parent[key]
        else:
            parent[key] = copy.deepcopy(rng.choice([0, None, "a", [], {}, [1, 2], {"f64": [1], "shape": [1, 1]}]))
    return json.dumps(value, ensure_ascii=False)


def at_path(value, path):
    for key in path:
        value = value[key]
    return value
