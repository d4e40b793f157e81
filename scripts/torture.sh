#!/bin/bash
# make torture TORTURE="--minutes 5 --seed 1": random SQL against a private server whose pgfit is built with sanitizers
# (test/torture/torture.py --help). A finding is printed with what repeats it, and the status is not zero.
cd "$(dirname "$0")/.."
exec scripts/asan.sh --run python3 test/torture/torture.py "$@"
