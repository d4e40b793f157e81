#!/usr/bin/env python3
"""
Prints lines, branches and MC/DC of each room from FOLDER/profiles, which test/coverage.sh collected.

    report.py TOOLS FOLDER [--lines] SOURCE...

Each line of test/coverage/reasons is a file of src, text in one of its lines, and why no test takes a branch or shows a
condition there, with tabs between them; or *, a regular expression that branches of any file match with their own text, and
why. These branches and conditions do not count; their number is printed. A reason that
nothing needs is printed, too. With --lines, FOLDER/lines has each source with the counts of its lines, branches and
conditions. Standard library only.
"""
import collections
import glob
import json
import os
import re
import subprocess
import sys

KINDS = ("lines", "branches", "mcdc")


def output(*words):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout.decode(errors="replace")


class Reasons:
    """The lines of test/coverage/reasons, and which of them something needed."""

    def __init__(self):
        with open("test/coverage/reasons", encoding="utf-8") as stream:
            self.all = [tuple(line.rstrip("\n").split("\t")) for line in stream if line[:1] not in "#\n"]
        self.needed = set()
        self.sources = {}

    def __call__(self, path, line, columns=None):
        """Tells whether there is a reason for this line of a file, or for the branch that stands there."""
        name = re.sub(r".*/src/(?=core/)", "", os.path.abspath(path))
        if name not in self.sources:
            with open(path, encoding="utf-8") as stream:
                self.sources[name] = stream.read().split("\n")
        text = self.sources[name][line - 1]
        found = [reason for reason in self.all if reason[0] == name and reason[1] in text]
        if columns is not None:
            found += [reason for reason in self.all if reason[0] == "*" and re.search(reason[1], text[columns[0] - 1:columns[1] - 1])]
        self.needed.update(found)
        return bool(found)


def excused(file, reasons):
    """Returns how many branches and conditions of a file were not taken or shown for a reason."""
    places = [(file["filename"], branch) for branch in file["branches"]]
    places += [(expansion["filenames"][branch[6]], branch) for expansion in file["expansions"] for branch in expansion["branches"]]
    branches = sum((branch[4] == 0) + (branch[5] == 0) for name, branch in places
                   if 0 in branch[4:6] and reasons(name, branch[0], (branch[1], branch[3]) if branch[0] == branch[2] else None))
    records = [(record[0], record[-1].count(False)) for record in file["mcdc_records"]]
    conditions = sum(missed for line, missed in records if missed and reasons(file["filename"], line))
    summary = file["summary"]["mcdc"]  # which leaves out decisions of macros, of which there are records
    return {"lines": 0, "branches": branches, "mcdc": min(conditions, summary["count"] - summary["covered"])}


def main():
    tools, folder = sys.argv[1:3]
    lines = "--lines" in sys.argv
    sources = [word for word in sys.argv[3:] if word != "--lines"]
    output(f"{tools}/llvm-profdata", "merge", "-sparse", *sorted(glob.glob(f"{folder}/profiles/*.profdata")), "-o", f"{folder}/all.profdata")
    tests = f"{folder}/tests"
    export = json.loads(output(f"{tools}/llvm-cov", "export", "-skip-functions", f"-instr-profile={folder}/all.profdata", tests))
    rooms = collections.defaultdict(lambda: {kind: [0, 0, 0] for kind in KINDS})
    reasons = Reasons()
    for file in export["data"][0]["files"]:
        name = re.sub(r".*/src/core/", "", os.path.abspath(file["filename"]))
        if name.startswith("/"):
            continue  # of a test
        without = excused(file, reasons)
        for room in (name.split("/")[0], "all"):
            for kind in KINDS:
                rooms[room][kind][0] += file["summary"][kind]["covered"]
                rooms[room][kind][1] += file["summary"][kind]["count"] - without[kind]
                rooms[room][kind][2] += without[kind]
    measured = {source.split("/")[2] for source in sources} | {"all"}
    print(f"{'room':18}" + "".join(f"{title:>22}" for title in ("lines", "branches", "MC/DC")) + f"{'with a reason':>16}")
    for room in sorted(measured & set(rooms), key=lambda room: (room == "all", room)):
        parts = (f"{100 * hit / max(total, 1):.1f} % of {total}" for hit, total, _ in (rooms[room][kind] for kind in KINDS))
        print(f"{room:18}" + "".join(f"{part:>22}" for part in parts) + f"{rooms[room]['branches'][2] + rooms[room]['mcdc'][2]:16}")
    for reason in reasons.all:
        if (reason[0] == "*" or reason[0].split("/")[1] in measured) and reason not in reasons.needed:
            print(f"not needed: {reason[0]}: {reason[1]}")
    if lines:
        subprocess.run([f"{tools}/llvm-cov", "show", f"-instr-profile={folder}/all.profdata", "-show-branches=count", "-show-mcdc", "-format=text",
                        f"-output-dir={folder}/lines", tests, *sources], check=True)


if __name__ == "__main__":
    main()
