"""Counts over how many real tables the passed cases compare what expected_tables lists, from the statements that they ran."""
import collections
import os

HERE = os.path.dirname(os.path.abspath(__file__))
LISTED = os.path.join(HERE, "expected_tables")
LEAST = 5
COMPUTED = {"formula", "formula_designs", "glm_simulated", "dyestuff2", "hbk", "small", "offset", "big", "edge"}  # nobody measured these
SAME = {"cars": "mtcars"}


def table_of(case):
    """Returns the name of the real table of a case, or None."""
    name = (case.get("data") or {}).get("file") or (case.get("input") or {}).get("table") or ""
    name = os.path.splitext(os.path.basename(name))[0]
    return SAME.get(name, name) if name and name not in COMPUTED else None


def pieces(line):
    """Returns the texts that one statement must have: calls of functions, and options as JSON writes them or ends of calls in a formula."""
    return [piece if '"' in piece or ")" in piece else f"pgfit.{piece}(" for piece in line.split(" + ")]


class RealTables:
    def __init__(self):
        with open(LISTED, encoding="utf-8") as stream:
            lines = [line.split("#")[0].strip() for line in stream]
        self.listed = {line: pieces(line) for line in lines if line}
        self.tables = collections.defaultdict(set)

    def add(self, case, statements):
        table = table_of(case)
        if table is None:
            return
        for line, texts in self.listed.items():
            if any(all(text in statement for text in texts) for statement in statements):
                self.tables[line].add(table)

    def show(self):
        for line in self.listed:
            print(f"{len(self.tables[line])} {line}: {' '.join(sorted(self.tables[line]))}")

    def check(self):
        """Tells whether everything listed was compared over LEAST tables."""
        few = [line for line in self.listed if len(self.tables[line]) < LEAST]
        for line in few:
            print(f"FAIL real tables: {line} compared over {len(self.tables[line])}, wanted {LEAST}")
        return not few
