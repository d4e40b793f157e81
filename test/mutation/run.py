#!/usr/bin/env python3
"""
Changes the core in one place, and sees whether a test notices (README.md). Called by `make mutation`.

    run.py [--mutants N] [--seed S] [--rooms base,model] [--stages unit,sql,golden] [--again] [--report]

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
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
WORK = os.path.join("build", "mutation")
RESULTS = os.path.join(WORK, "results.jsonl")
KNOWN = 3  # tests of a stage that killed places nearby, and so come first
EQUIVALENT = os.path.join(HERE, "equivalent.tsv")
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True

from mutate import line_of, mutants_of  # noqa: E402
from tests import ServerTests, UnitTests  # noqa: E402


def command(words, **options):
    return subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options).returncode


class Place:
    """One change of one file, and what a line of the results says of it."""

    def __init__(self, path, text, mutant):
        self.path, self.text, self.mutant = path, text, mutant
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


class History:
    """Which tests killed earlier places of a file and of its room."""

    def __init__(self, results):
        self.kills = collections.defaultdict(collections.Counter)
        for result in results:
            if result["outcome"] == "killed":
                self.add(result["key"].split(":")[0], result["killer"])

    def add(self, path, killer):
        self.kills[path][killer] += 1
        self.kills[os.path.dirname(path)][killer] += 1

    def likely(self, stage, place):
        """Returns the likely tests of a stage: first those that killed most in the file, then in the room, then those
        that the stage names, as many as it names."""
        near = stage.likely(place)
        known = [test for where in (place.path, os.path.dirname(place.path)) for test, _ in self.kills[where].most_common() if test in stage.tests]
        return list(dict.fromkeys(known[:KNOWN] + near))[:max(len(near), KNOWN)]


class Compiler:
    """Compiles a changed file with the flags of the library, and tells whether the code differs."""

    def __init__(self, folder):
        self.words = shlex.split(os.environ["MUTATION_COMPILE"])
        self.folder = folder
        self.made = {}  # changes of a file -> its object
        self.latest = None  # what was compiled last
        os.makedirs(folder, exist_ok=True)

    def assembly(self, path, text):
        name = os.path.basename(path)
        source = os.path.join(self.folder, name)
        with open(source, "w", encoding="utf-8") as stream:
            stream.write(text)
        result = source[:-2] + ".s"
        if self.latest == (path, text):
            with open(result, "rb") as stream:
                return stream.read()
        self.latest = None
        if os.path.exists(result):
            os.remove(result)
        # -w: a removed use warns, and the sources alone are free of warnings
        command(self.words + ["-w", "-g0", "-iquote", os.path.dirname(path), "-S", source, "-o", result],
                env=dict(os.environ, CCACHE_DISABLE="1"))
        if not os.path.exists(result):
            return None
        self.latest = path, text
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

    def differs(self, place):
        """Returns None where the code differs, or "invalid" where it does not compile, or "same"."""
        after = self.assembly(place.path, place.changed)
        if after is None:
            return "invalid"
        return "same" if after == self.original(place.path) else None

    def objects(self, places):
        """Returns the object files with the changes of places, by the name of the original."""
        made = {}
        for path in {place.path for place in places}:
            of_file = sorted((place for place in places if place.path == path), key=lambda place: -place.mutant.start)
            keys = tuple(place.key for place in of_file)
            if keys not in self.made:
                text = of_file[0].text
                for place in of_file:
                    text = text[:place.mutant.start] + place.mutant.new + text[place.mutant.end:]
                name = os.path.join(self.folder, f"{len(self.made)}.o")
                if self.assembly(path, text) is None or command(["gcc", "-c", os.path.join(self.folder, os.path.basename(path)[:-2] + ".s"), "-o", name]) != 0:
                    raise RuntimeError(f"these changes do not compile together: {keys}")
                self.made[keys] = name
            made[path[:-2] + ".o"] = self.made[keys]
        return made


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


def judged(results, stages):
    """Returns the last result of each place that the same stages judged; a run with --again replaces what was before."""
    return {result["key"]: result for result in results if result["stages"] == stages}


def report(results, stages):
    equivalents = read_equivalents()
    last = judged(results, stages)
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


def judge_together(stages, places, note):
    """Judges places by all tests, those whose changes overlap one after the other."""
    while places:
        batch = []
        for place in places:
            if not any(other.path == place.path and other.mutant.start < place.mutant.end and place.mutant.start < other.mutant.end for other in batch):
                batch.append(place)
        alive = list(batch)
        for stage in stages:
            for place, killer in stage.killers(alive):
                note(place, "killed", killer)
                alive.remove(place)
        for place in alive:
            note(place, "survived")
        places = [place for place in places if place not in batch]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mutants", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rooms", help="names with commas between; default: all")
    parser.add_argument("--stages", default="unit,sql,golden")
    parser.add_argument("--together", type=int, default=20, help="so many places that likely tests do not kill meet all tests at once")
    parser.add_argument("--again", action="store_true", help="judges survivors of earlier runs again")
    parser.add_argument("--report", action="store_true", help="prints the score of earlier runs")
    arguments = parser.parse_args()
    os.chdir(ROOT)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # a running test ends, too
    if arguments.report:
        return report(read_results(), arguments.stages)
    folder = os.path.join(WORK, f"work.{os.getpid()}")
    compiler = Compiler(folder)
    wanted = arguments.stages.split(",")
    stages = [UnitTests(folder, compiler.objects)] if "unit" in wanted else []
    if "sql" in wanted or "golden" in wanted:
        stages.append(ServerTests(compiler.objects, "sql" in wanted, "golden" in wanted))

    def note(place, outcome, killer=None):
        line = {"key": place.key, "seed": arguments.seed, "operator": place.mutant.operator, "source": place.source,
                "outcome": outcome, "killer": killer, "stages": arguments.stages}
        with open(RESULTS, "a", encoding="utf-8") as stream:
            stream.write(json.dumps(line) + "\n")
        if killer:
            history.add(place.path, killer)
        print(f"{outcome:9} {place.key}" + (f" ({killer})" if killer else ""), flush=True)

    history = History(read_results())
    last = judged(read_results(), arguments.stages)
    counted, waiting = 0, []
    for place in draw(arguments.rooms, arguments.seed):
        if counted == arguments.mutants:
            break
        outcome = last[place.key]["outcome"] if place.key in last else None
        if outcome is None or (arguments.again and outcome in ("survived", "waiting")):
            outcome = compiler.differs(place)
            if outcome is None:
                killer = next(filter(None, (stage.likely_killer(place, history.likely(stage, place)) for stage in stages)), None)
                outcome = "killed" if killer else "waiting"
            note(place, outcome, killer if outcome == "killed" else None)
        counted += outcome in ("killed", "survived", "waiting")
        if outcome == "waiting":
            waiting.append(place)
        if len(waiting) == arguments.together:
            judge_together(stages, waiting, note)
            waiting = []
    judge_together(stages, waiting, note)
    shutil.rmtree(folder)
    report(read_results(), arguments.stages)
    return 0


if __name__ == "__main__":
    sys.exit(main())
