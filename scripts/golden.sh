#!/bin/bash
# make golden [GOLDEN=folder]: the golden cases of a folder, or those of test/golden, on a private server.
set -euo pipefail
folder=${1:+$(cd "$1" && pwd)}
cd "$(dirname "$0")/.."
. scripts/lib.sh
. scripts/private-server.sh
scripts/setup.sh test
private_server_start
run scripts/run-golden $folder
