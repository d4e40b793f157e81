#!/usr/bin/env python3
"""
Prints lines, branches and MC/DC of each room from the profiles that test/coverage.sh collected.

    report.py TOOLS FOLDER [--lines] SOURCE...

Writes FOLDER/functions.json: the tests that ran code of each file. With --lines, FOLDER/lines has
each source with the counts of its lines, branches and conditions. Standard library only.
"""
import collections
import concurrent.futures
import glob
import json
import os
import re
import subprocess
import sys

KINDS = ("lines", "branches", "mcdc")


def output(*words):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout.decode(errors="replace")


def profiles_of(folder):
    """Returns the profiles, but for empty ones, which a killed process leaves."""
    found = glob.glob(f"{folder}/profiles/*.profraw") + glob.glob(f"{folder}/profiles/server/*.profraw")
    return sorted(path for path in found if os.path.getsize(path) > 0)


def files_of_functions(sources, folder):
    """Returns the source of each function that others call; static ones have it in their name."""
    result = {}
    for source in sources:
        for line in output("nm", "-P", "-g", "--defined-only", source.replace("src/core", folder, 1)[:-2] + ".o").splitlines():
            result[line.split()[0]] = source
    return result


def tests_of_files(tools, folder, sources):
    """Returns the names of the tests that called a function of each file."""
    named = files_of_functions(sources, folder)
    by_base = {os.path.basename(source): source for source in sources}
    ran = collections.defaultdict(set)
    paths = profiles_of(folder)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        listings = list(pool.map(lambda path: output(f"{tools}/llvm-profdata", "show", "--all-functions", path), paths))
    for path, listing in zip(paths, listings):
        test = ".".join(os.path.basename(path).split(".")[:2]).replace(".profraw", "")
        function = None
        for line in listing.splitlines():
            heading = re.match(r"  (\S+):$", line)
            if heading:
                function = heading.group(1)
            elif function and line.startswith("    Function count: ") and int(line.split()[-1]) > 0:
                file, _, _ = function.replace(";", ":").rpartition(":")
                source = by_base.get(os.path.basename(file)) if file else named.get(function)
                if source:
                    ran[source].add(test)
    return {source: sorted(tests) for source, tests in ran.items()}


def main():
    tools, folder = sys.argv[1:3]
    lines = "--lines" in sys.argv
    sources = [word for word in sys.argv[3:] if word != "--lines"]
    profiles = profiles_of(folder)
    with open(f"{folder}/profiles/list", "w", encoding="utf-8") as stream:
        stream.write("\n".join(profiles) + "\n")
    output(f"{tools}/llvm-profdata", "merge", "-sparse", f"--input-files={folder}/profiles/list", "-o", f"{folder}/all.profdata")
    with open(f"{folder}/functions.json", "w", encoding="utf-8") as stream:
        json.dump(tests_of_files(tools, folder, sources), stream, indent=1, sort_keys=True)
    binaries = [f"{folder}/tests"] + [word for name in [f"{folder}/pgfit.so"] if glob.glob(f"{folder}/profiles/server/*") for word in ("-object", name)]
    export = json.loads(output(f"{tools}/llvm-cov", "export", "-summary-only", f"-instr-profile={folder}/all.profdata", *binaries))
    rooms = collections.defaultdict(lambda: {kind: [0, 0] for kind in KINDS})
    for file in export["data"][0]["files"]:
        name = re.sub(r".*/src/core/", "", os.path.abspath(file["filename"]))
        if name.startswith("/"):
            continue  # of a test
        for room in (name.split("/")[0], "all"):
            for kind in KINDS:
                rooms[room][kind][0] += file["summary"][kind]["covered"]
                rooms[room][kind][1] += file["summary"][kind]["count"]
    measured = {source.split("/")[2] for source in sources} | {"all"}
    print(f"{'room':18}" + "".join(f"{title:>22}" for title in ("lines", "branches", "MC/DC")))
    for room in sorted(measured & set(rooms), key=lambda room: (room == "all", room)):
        parts = (f"{100 * hit / max(total, 1):.1f} % of {total}" for hit, total in (rooms[room][kind] for kind in KINDS))
        print(f"{room:18}" + "".join(f"{part:>22}" for part in parts))
    if lines:
        subprocess.run([f"{tools}/llvm-cov", "show", f"-instr-profile={folder}/all.profdata", "-show-branches=count", "-show-mcdc", "-format=text",
                        f"-output-dir={folder}/lines", *binaries, *sources], check=True)


if __name__ == "__main__":
    main()
