#!/bin/bash
# make mutation [MUTATION="--mutants N --seed S"]: test/mutation/run.py, on a private server if a stage needs one.
set -euo pipefail
cd "$(dirname "$0")/../.."
. scripts/lib.sh
. scripts/private-server.sh
mkdir -p build/mutation
case " $* " in
*" --stages unit "* | *" --stages sanitized "* | *" --report "*) exec python3 test/mutation/run.py "$@" ;;
esac
private_server_start
MUTATION_LIBRARY=$(pg_config --pkglibdir)/pgfit.so
export MUTATION_LIBRARY
run python3 test/mutation/run.py "$@"
