"""Builds the core with many changes, each of which a byte of a file turns on. Standard library only."""
import collections
import concurrent.futures
import contextlib
import glob
import mmap
import os
import re
import shlex
import subprocess

from mutate import switched

# Constructor of the programs and the library: their array of switches is the file, so that one written byte changes each that runs.
READER = """
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
char pgfit_switches[%d] __attribute__((aligned(4096), visibility("hidden")));
static void __attribute__((constructor)) read_switches(void)
{
    int file = open("%s", O_RDWR);
    if (file < 0 || mmap(pgfit_switches, sizeof(pgfit_switches), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED)
        abort();
    setvbuf(stdout, NULL, _IOLBF, 0); // a failed check is seen at once
}
"""
ON, ASKED, REACHED = 1, 2, 3


class Switches:
    """The file of switches. Another user may run the server, so all may write it."""

    def __init__(self, path, count):
        self.path, self.size = os.path.abspath(path), -(-count // 4096) * 4096
        with open(path, "wb") as stream:
            stream.truncate(self.size)
        os.chmod(path, 0o666)
        with open(path, "r+b") as stream:
            self.bytes = mmap.mmap(stream.fileno(), self.size)

    def fill(self, asked, on):
        """Turns changes on, and asks whether others are reached."""
        states = bytearray(self.size)
        for number in asked:
            states[number] = ASKED
        for number in on:
            states[number] = ON
        self.bytes[:] = bytes(states)

    def reached(self):
        return {match.start() for match in re.finditer(bytes([REACHED]), self.bytes[:])}


def objects_of(folder):
    """Returns the objects of the sources of a folder, without those of files that moved."""
    return sorted(name[:-2] + ".o" for name in glob.glob(folder + "/*.c") + glob.glob(folder + "/*/*.c"))


class Compiler:
    """Compiles files with the flags of the library."""

    def __init__(self, folder, command):
        self.words = shlex.split(os.environ[command]) + ["-w", "-g0"]  # a removed use warns, and the sources alone are free of warnings
        self.folder = folder
        os.makedirs(folder, exist_ok=True)

    def compile(self, path, text, result, words=()):
        """Writes the object or assembly of a changed file; returns what the compiler says, or None where that worked."""
        source = os.path.join(self.folder, os.path.splitext(os.path.basename(result))[0] + ".c")
        with contextlib.suppress(FileNotFoundError):
            os.remove(result)
        with open(source, "w", encoding="utf-8") as stream:
            stream.write(text)
        done = subprocess.run(self.words + ["-iquote", os.path.dirname(path) or ".", *(words or ["-c"]), source, "-o", result],
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=dict(os.environ, LC_ALL="C"))
        return None if done.returncode == 0 else done.stderr.decode(errors="replace")

    @staticmethod
    def made(path, text, result):
        """Tells whether an earlier run made this object, and the original is not newer."""
        if not os.path.exists(result) or os.path.getmtime(result) < os.path.getmtime(path[:-2] + ".o"):
            return False
        with open(result[:-2] + ".c", encoding="utf-8") as stream:
            return stream.read() == text

    def assembly(self, path, text):
        result = os.path.join(self.folder, "alone.s")
        if self.compile(path, text, result, ["-S"]) is not None:
            return None
        with open(result, "rb") as stream:
            return stream.read()

    def alone(self, place):
        """Returns None where a change makes other code, or "invalid" where it does not compile, or "same"."""
        after = self.assembly(place.path, place.changed)
        return "invalid" if after is None else "same" if after == self.assembly(place.path, place.text) else None

    def file(self, path, places):
        """Compiles a file with those of its changes that compile. Returns its object, and them."""
        result = os.path.join(self.folder, os.path.basename(path)[:-2] + ".o")
        exact = True
        while places:
            text = next(iter(places.values())).text
            text = switched(path, text, {number: place.mutant for number, place in places.items()}, exact)
            errors = None if self.made(path, text, result) else self.compile(path, text, result)
            if errors is None:
                return result, places
            wrong = {int(number) for number in re.findall(r"^mutant-(\d+):\d+:\d+: error", errors, re.M)}
            if not wrong and not exact:
                print(f"these changes do not compile as switches: {path}: {errors[:2000]}", flush=True)
                break
            exact = exact and bool(wrong)
            places = {number: place for number, place in places.items() if number not in wrong}
        return None, {}

    def build(self, places, switches):
        """Compiles all files with changes of places. Returns the objects by the names of the originals, and the numbers that are in them."""
        reader = os.path.join(self.folder, "switches.o")
        errors = self.compile("", READER % (switches.size, switches.path), reader)
        if errors:
            raise RuntimeError(errors)
        files = collections.defaultdict(dict)
        for number, place in enumerate(places):
            files[place.path][number] = place
        objects, numbers = {"": reader}, set()
        pool = concurrent.futures.ThreadPoolExecutor(os.cpu_count())
        try:
            for path, (made, kept) in zip(files, pool.map(self.file, files, files.values())):
                if made:
                    objects[path[:-2] + ".o"] = made
                numbers.update(kept)
        finally:
            pool.shutdown(cancel_futures=True)
        return objects, numbers
