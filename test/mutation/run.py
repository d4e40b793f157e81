#!/usr/bin/env python3
"""
Changes the core in one place, and sees whether a test notices (README.md). Called by `make mutation`.

    run.py [--mutants N] [--seed S] [--minutes M] [--rooms base,model] [--stages unit,sql] [--again] [--report]

Draws N places of src/core by seed S, adds a line for each to build/mutation/results.jsonl, goes on where
an earlier run of the same seed ended, and prints the score of all that it has. Standard library only.
"""
import argparse
import collections
import glob
import heapq
import itertools
import json
import math
import os
import random
import shutil
import signal
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
WORK = os.path.join("build", "mutation")
RESULTS = os.path.join(WORK, "results.jsonl")
REACHED = 0.03, 0.3, 0.6  # how likely a test is to reach a place if no, one or several words of their names are alike
STAGES = "unit", "golden", "sql", "tap", "docs", "exports", "server", "sanitized"
EQUIVALENT = os.path.join(HERE, "equivalent.tsv")
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True

from mutate import line_of, mutants_of  # noqa: E402
from switches import Compiler, Switches  # noqa: E402
from tests import GoldenTests, SanitizedTests, Server, SqlTests, UnitTests, command_stages  # noqa: E402


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


def group_of(test):
    """Returns the method of a golden case, for those of a method are much alike, or the test."""
    return test.split("/")[0]


class History:
    """Which tests killed places of a file and of its room, and which did not."""

    def __init__(self, results):
        self.killed, self.passed = collections.Counter(), collections.Counter()
        self.alike = {}
        for result in results:
            if result["outcome"] == "killed":
                self.add(result["key"].split(":")[0], result["killer"], self.killed)

    @staticmethod
    def keys(path, test):
        group = group_of(test)
        return (group, os.path.dirname(path)), (group, path)

    def add(self, path, test, counter):
        counter.update(self.keys(path, test))

    def likeness(self, path, group):
        """Returns how many words of the names of a file and its room are in that of tests, as boosting is in boosted_trees."""
        if (path, group) not in self.alike:
            near = {word for word in path[:-2].split("/")[2:] for word in word.split("_")}
            words = group.split(".")[1].split("_")
            self.alike[path, group] = sum(any(word == other or len(os.path.commonprefix((word, other))) >= 4 for other in words) for word in near)
        return self.alike[path, group]

    def share(self, path, test, reaches):
        """Returns which share of the places of a file a test may kill."""
        room, file = self.keys(path, test)
        near = self.likeness(path, room[0])
        kills, passes = (counter[room] + 3 * counter[file] for counter in (self.killed, self.passed))
        return (1 + near + 2 * kills) / (8 + 2 * kills + 2 * passes) * (REACHED[min(near, 2)] if reaches is None else 1)


class Judge:
    """Finds tests that notice changes of places."""

    def __init__(self, places, stages, history, note):
        self.places, self.stages, self.history, self.note = places, stages, history, note
        self.met = collections.defaultdict(set)

    def fails(self, stage, test, numbers):
        failed = stage.fails(test, numbers)
        for number in numbers:
            self.met[number].add(test)
            if failed <= (len(numbers) == 1) and stage.reaches(test, number) is not False:
                self.history.add(self.places[number].path, test, self.history.killed if failed else self.history.passed)
        return failed

    def alone(self, number, seconds):
        """Runs tests that may reach a place, first those that are likely to notice a change soon, until one does. Tells whether one did."""
        path, queue, met = self.places[number].path, [], collections.Counter()
        shares = collections.defaultdict(dict)
        for stage in self.stages:
            for test in stage.tests:
                reaches, group = stage.reaches(test, number), group_of(test)
                if reaches is not False:
                    if reaches not in shares[group]:
                        shares[group][reaches] = self.history.share(path, test, reaches)
                    queue.append((-shares[group][reaches] / stage.cost(test, number), 0, test, stage))
        heapq.heapify(queue)
        while queue and seconds > 0:
            value, before, test, stage = heapq.heappop(queue)
            after = met[group_of(test)]
            if after > before:  # tests much like others that did not notice the change
                heapq.heappush(queue, (value / 2 ** (after - before), after, test, stage))
            elif stage.reaches(test, number) is not False:
                met[group_of(test)] += 1
                seconds -= stage.nominal
                if self.fails(stage, test, [number]):
                    self.note(number, "killed", test)
                    return True
        return False

    def guilty(self, stage, test, numbers):
        """Returns the places whose changes make a test fail, one by one, where those of all do."""
        numbers = [number for number in numbers if stage.reaches(test, number) is not False]
        if len(numbers) <= 1:
            return numbers
        half = len(numbers) // 2
        return [number for part in (numbers[:half], numbers[half:]) if part and self.fails(stage, test, part) for number in self.guilty(stage, test, part)]

    def together(self, numbers):
        """Runs each test with the changes of all places at once that it may reach and that did not meet it alone, so that
        those that no test notices cost one run in all. Of each function there is one change at a time."""
        while numbers:
            batch = list({(self.places[number].path, self.places[number].mutant.body): number for number in numbers}.values())
            numbers = [number for number in numbers if number not in batch]
            for stage in self.stages:
                for test in list(stage.tests):
                    meet = [number for number in batch if stage.reaches(test, number) is not False and test not in self.met[number]]
                    if meet and self.fails(stage, test, meet):
                        found = self.guilty(stage, test, meet)
                        if not found:
                            print(f"fails with several changes, but with none of them: {test}", flush=True)
                        for number in found:
                            self.note(number, "killed", test)
                            batch.remove(number)
            for number in batch:
                self.note(number, "survived")


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
    print(f"{sum(result['outcome'] == 'waiting' for result in last.values())} places still wait for all tests and do not count")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mutants", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rooms", help="names with commas between; default: all")
    parser.add_argument("--stages", default=",".join(STAGES))
    parser.add_argument("--seconds", type=float, default=4, help="of tests that a place meets alone, as a machine takes that does nothing else")
    parser.add_argument("--together", type=int, default=200, help="so many places that tests do not kill by then meet all others at once")
    parser.add_argument("--minutes", type=float, default=math.inf, help="after which no other place meets tests alone, and those that wait meet all")
    parser.add_argument("--again", action="store_true", help="judges survivors of earlier runs again")
    parser.add_argument("--report", action="store_true", help="prints the score of earlier runs")
    arguments = parser.parse_args()
    os.chdir(ROOT)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # a running test ends, too
    if arguments.report:
        return report(read_results(), arguments.stages)
    folder = os.path.join(WORK, f"seed.{arguments.seed}")
    compiler = Compiler(folder, "MUTATION_COMPILE")
    places = list(itertools.islice(draw(arguments.rooms, arguments.seed), arguments.mutants))
    switches = Switches(os.path.join(os.environ.get("PGFIT_SCRATCH", folder), "switches"), len(places))
    last = judged(read_results(), arguments.stages)
    outcomes = [last[place.key]["outcome"] if place.key in last else None for place in places]

    def note(number, outcome, killer=None):
        place = places[number]
        if outcome == "survived":
            outcome = compiler.alone(place) or outcome
        line = {"key": place.key, "seed": arguments.seed, "operator": place.mutant.operator, "source": place.source,
                "outcome": outcome, "killer": killer, "stages": arguments.stages}
        with open(RESULTS, "a", encoding="utf-8") as stream:
            stream.write(json.dumps(line) + "\n")
        print(f"{outcome:9} {place.key}" + (f" ({killer})" if killer else ""), flush=True)

    say("builds the changes")
    objects, numbers = compiler.build(places, switches)
    wanted = arguments.stages.split(",")
    stages = [UnitTests(switches, numbers, folder, objects)] if "unit" in wanted else []
    if set(wanted) - {"unit", "sanitized"}:
        server = Server(objects)
        stages += [GoldenTests(switches, numbers, server)] if "golden" in wanted else []
        stages += [SqlTests(switches, numbers, server)] if "sql" in wanted else []
        stages += command_stages(wanted, switches, numbers, server)
    if "sanitized" in wanted:
        say("builds the changes with sanitizers")
        sanitized = os.path.join(folder, "sanitized")
        stages.append(SanitizedTests(switches, numbers, sanitized, Compiler(sanitized, "MUTATION_SANITIZED").build(places, switches)[0]))
    say("judges the changes")
    judge = Judge(places, stages, History(read_results()), note)
    waiting, end = [], time.monotonic() + 60 * arguments.minutes
    for number, outcome in enumerate(outcomes):
        if time.monotonic() > end:
            break
        if number not in numbers and not outcome:
            note(number, compiler.alone(places[number]) or "no switch")
        elif outcome == "waiting" or not outcome or (arguments.again and outcome == "survived"):
            if outcome == "waiting" or not judge.alone(number, arguments.seconds):
                if outcome != "waiting":
                    note(number, "waiting")
                waiting.append(number)
        if len(waiting) == arguments.together:
            judge.together(waiting)
            waiting = []
    judge.together(waiting)
    shutil.rmtree(folder)
    report(read_results(), arguments.stages)
    return 0


def say(words):
    print(time.strftime("%H:%M:%S ") + words, flush=True)


if __name__ == "__main__":
    sys.exit(main())
