#!/usr/bin/env python3
"""
Changes the core in one place, and sees whether a test notices (README.md). Called by `make mutation`.

    run.py [--mutants N] [--seed S] [--rooms base,model] [--stages unit,sql,golden] [--nearest N] [--again] [--report]

Draws N places of src/core by seed S, adds a line for each to build/mutation/results.jsonl, goes on where
an earlier run of the same seed ended, and prints the score of all that it has. Standard library only.
"""
import argparse
import collections
import glob
import json
import math
import os
import random
import shlex
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
WORK = os.path.join("build", "mutation")
RESULTS = os.path.join(WORK, "results.jsonl")
EQUIVALENT = os.path.join(HERE, "equivalent.tsv")
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True

from mutate import line_of, mutants_of  # noqa: E402
from tests import SqlTests, UnitTests  # noqa: E402


def command(words, **options):
    return subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options).returncode


class Place:
    """One change of one file, and what a line of the results says of it."""

    def __init__(self, path, text, mutant):
        self.path, self.mutant = path, mutant
        self.changed = text[:mutant.start] + mutant.new + text[mutant.end:]
        old = " ".join(text[mutant.start:mutant.end].split())
        begin = text.rfind("\n", 0, mutant.start) + 1
        end = text.find("\n", mutant.end)
        self.key = f"{path}:{line_of(text, mutant.start)}:{mutant.start - begin + 1}: {old} -> {mutant.new}"
        self.source = " ".join(text[begin:end if end >= 0 else None].split())


def draw(rooms, seed):
    """Yields places in the random order of the seed, each once."""
    places = []
    for path in sorted(glob.glob("src/core/*.c") + glob.glob("src/core/*/*.c")):
        if rooms is None or path.split("/")[2] in rooms.split(","):
            with open(path, encoding="utf-8") as stream:
                text = stream.read()
            places.extend((path, text, mutant) for mutant in mutants_of(text))
    random.Random(seed).shuffle(places)
    for place in places:
        yield Place(*place)


class Compiler:
    """Compiles a changed file with the flags of the library, and tells whether the code differs."""

    def __init__(self, folder):
        self.words = shlex.split(os.environ["MUTATION_COMPILE"])
        self.folder = folder
        os.makedirs(folder, exist_ok=True)

    def assembly(self, path, text):
        name = os.path.basename(path)
        source = os.path.join(self.folder, name)
        with open(source, "w", encoding="utf-8") as stream:
            stream.write(text)
        result = source[:-2] + ".s"
        if os.path.exists(result):
            os.remove(result)
        # -w: a removed use warns, and the sources alone are free of warnings
        command(self.words + ["-w", "-g0", "-iquote", os.path.dirname(path), "-S", source, "-o", result],
                env=dict(os.environ, CCACHE_DISABLE="1"))
        if not os.path.exists(result):
            return None
        with open(result, "rb") as stream:
            return stream.read()

    def original(self, path):
        kept = os.path.join(WORK, "original", path[:-2] + ".s")
        newest = os.path.getmtime(path[:-2] + ".o")
        if os.path.exists(kept) and os.path.getmtime(kept) > newest:
            with open(kept, "rb") as stream:
                return stream.read()
        with open(path, encoding="utf-8") as stream:
            code = self.assembly(path, stream.read())
        os.makedirs(os.path.dirname(kept), exist_ok=True)
        with open(kept, "wb") as stream:
            stream.write(code)
        return code

    def object(self, place):
        """Returns the object file, or "invalid" where it does not compile, or "same" where the code is the same."""
        before = self.original(place.path)
        after = self.assembly(place.path, place.changed)
        if after is None:
            return "invalid"
        if after == before:
            return "same"
        base = os.path.join(self.folder, os.path.basename(place.path)[:-2])
        return base + ".o" if command(["gcc", "-c", base + ".s", "-o", base + ".o"]) == 0 else "invalid"


def judge(place, compiler, stages):
    """Returns the outcome, and the stage and test that killed it."""
    made = compiler.object(place)
    if made in ("invalid", "same"):
        return made, None
    for stage in stages:
        killer = stage.killer(place.path, made)
        if killer:
            return "killed", f"{stage.name} {killer}"
    return "survived", None


def read_results():
    if not os.path.exists(RESULTS):
        return []
    with open(RESULTS, encoding="utf-8") as stream:
        return [json.loads(line) for line in stream]


def read_equivalents():
    """Returns the reasons why survivors are equivalent, by their source line and change: line numbers move."""
    with open(EQUIVALENT, encoding="utf-8") as stream:
        rows = [line.rstrip("\n").split("\t") for line in stream if line.strip() and not line.startswith("#")]
    return {(row[0], row[1], row[2]): row[3] for row in rows}


def identity(result):
    path, rest = result["key"].split(":", 1)
    return path, result["source"], rest.split(": ", 1)[1]


def wilson(hits, total):
    if total == 0:
        return 0, 1
    z, share = 1.959964, hits / total
    middle = (share + z * z / (2 * total)) / (1 + z * z / total)
    half = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total)) / (1 + z * z / total)
    return middle - half, middle + half


def report(results):
    equivalents = read_equivalents()
    last = {result["key"]: result for result in results}  # a run with --again replaces what was before
    rooms = collections.defaultdict(collections.Counter)
    for result in last.values():
        outcome = "equivalent" if result["outcome"] == "survived" and identity(result) in equivalents else result["outcome"]
        if outcome in ("killed", "survived", "equivalent"):
            rooms[result["key"].split("/")[2]][outcome] += 1
            rooms["all"][outcome] += 1
        if outcome == "survived":
            print(f"survived {result['key']}\n         {result['source']}")
    print(f"{'room':20} killed survived equivalent")
    for room in sorted(rooms, key=lambda room: (room == "all", room)):
        count = rooms[room]
        print(f"{room:20} {count['killed']:6} {count['survived']:8} {count['equivalent']:10}")
    count = rooms["all"]
    for words, total in (("with equivalents as survivors", sum(count.values())), ("without equivalents", count["killed"] + count["survived"])):
        low, high = wilson(count["killed"], total)
        print(f"score {words}: {100 * count['killed'] / max(total, 1):.1f} % of {total}, 95 % interval {100 * low:.1f} to {100 * high:.1f} %")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mutants", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rooms", help="names with commas between; default: all")
    parser.add_argument("--stages", default="unit,sql,golden")
    parser.add_argument("--nearest", type=int, help="runs so many unit tests for a mutant; default: all that reach the file")
    parser.add_argument("--again", action="store_true", help="judges survivors of earlier runs again")
    parser.add_argument("--report", action="store_true", help="prints the score of earlier runs")
    arguments = parser.parse_args()
    os.chdir(ROOT)
    if arguments.report:
        return report(read_results())
    folder = os.path.join(WORK, f"work.{os.getpid()}")
    compiler = Compiler(folder)
    wanted = arguments.stages.split(",")
    stages = [UnitTests(folder, arguments.nearest)] if "unit" in wanted else []
    if "sql" in wanted or "golden" in wanted:
        stages.append(SqlTests(folder, "sql" in wanted, "golden" in wanted))
    known = {result["key"]: result["outcome"] for result in read_results()}
    counted = 0
    for place in draw(arguments.rooms, arguments.seed):
        if counted >= arguments.mutants:
            break
        outcome = known.get(place.key)
        if outcome is None or (arguments.again and outcome == "survived"):
            outcome, killer = judge(place, compiler, stages)
            line = {"key": place.key, "seed": arguments.seed, "operator": place.mutant.operator, "source": place.source,
                    "outcome": outcome, "killer": killer, "stages": arguments.stages, "nearest": arguments.nearest}
            with open(RESULTS, "a", encoding="utf-8") as stream:
                stream.write(json.dumps(line) + "\n")
            print(f"{outcome:9} {place.key}" + (f" ({killer})" if killer else ""), flush=True)
        counted += outcome in ("killed", "survived")
    shutil.rmtree(folder)
    report(read_results())
    return 0


if __name__ == "__main__":
    sys.exit(main())
