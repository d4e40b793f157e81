"""Compares expected with found values, by the tolerance of the case."""
import math


class Tolerance:
    """A number passes if |got - want| <= atol + rtol * |want|."""

    def __init__(self, case):
        given = case.get("tolerance") or {}
        self.rtol = float(given.get("rtol", 1e-9))
        self.atol = float(given.get("atol", 1e-12))

    def close(self, got, want):
        if math.isinf(want) or math.isinf(got):
            return got == want
        return abs(got - want) <= self.atol + self.rtol * abs(want)


def as_number(value):
    """Returns a float, or None if the value is not a number ("Infinity" is one)."""
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return float(value)
    if isinstance(value, str) and value.strip().lower() in ("infinity", "-infinity", "inf", "-inf", "nan"):
        return float(value)
    return None


def differences(got, want, tolerance, path=""):
    """Returns (path, got, want) for every place that differs."""
    if isinstance(want, dict):
        if not isinstance(got, dict):
            return [(path, got, want)]
        out = []
        for key, value in want.items():
            place = f"{path}.{key}" if path else str(key)
            if key not in got:
                out.append((place, "nothing", value))
            else:
                out += differences(got[key], value, tolerance, place)
        return out
    if isinstance(want, list):
        if not isinstance(got, (list, tuple)) or len(got) != len(want):
            return [(path, got, want)]
        out = []
        for i, (g, w) in enumerate(zip(got, want)):
            out += differences(g, w, tolerance, f"{path}[{i + 1}]")
        return out
    expected = as_number(want)
    if expected is not None:
        value = as_number(got)
        if value is None or math.isnan(value) or not tolerance.close(value, expected):
            return [(path, got, want)]
        return []
    return [] if got == want and type(got) is type(want) else [(path, got, want)]


def show(value):
    """Returns a value as short text for the report."""
    text = repr(value) if not isinstance(value, str) else value
    return text if len(text) <= 160 else text[:157] + "..."
