#!/bin/bash
# make relations [RELATIONS="--tables 1000 --seed 7"], make certificates [CERTIFICATES="--problems 1000"]: random tables and problems on a private
# server. Prints each finding with the arguments that repeat it; the status is then not zero.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh
. scripts/private-server.sh
scripts/setup.sh test
private_server_start
run "$(find_client_python)" "test/$1/run.py" "${@:2}"
