#!/bin/bash
# make torture TORTURE="--minutes 5 --seed 1": random SQL against a private server whose pgfit is built with sanitizers
# (test/torture/torture.py --help). Prints each finding with a command that repeats it; the status is then not zero.
cd "$(dirname "$0")/.."
exec scripts/asan.sh --run python3 test/torture/torture.py "$@"
