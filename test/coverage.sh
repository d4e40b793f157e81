#!/bin/bash
# make coverage [COVERAGE="--rooms base,model --unit"]: lines, branches and MC/DC of the core by the unit tests, the regression tests and
# the golden cases, for each room. Needs clang 18 or newer (COVERAGE_CC, default clang-19) and the LLVM tools beside it.
#
# usage: coverage.sh [--rooms ROOM,...] [--unit | --sql TEST,...] [--exports] [--lines]
# --unit: without a server; --sql: unit tests and these files of sql/ alone, with --exports the exports to other programs, too; --lines: what was not
# run, in build/coverage/lines. Rooms that are not named have the usual objects. Exports are compared with what Python (PYTHON, with psycopg, numpy and
# onnx) and onnxruntime (ONNXRUNTIME, scripts/exchange-check-onnx) make of them.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh
. scripts/private-server.sh
cc=${COVERAGE_CC:-clang-19}
rooms= unit= sql= exports= lines=
while [ $# -gt 0 ]; do
    case $1 in
    --rooms) rooms=${2//,/ } && shift ;;
    --unit) unit=1 ;;
    --sql) sql=${2//,/ } && shift ;;
    --exports) exports=1 ;;
    --lines) lines=1 ;;
    *) die "coverage.sh does not know $1" ;;
    esac
    shift
done
have "$cc" || die "there is no $cc: apt install clang-19 llvm-19, or set COVERAGE_CC"
tools=$(dirname "$(readlink -f "$(command -v "$cc")")")
[ -n "$rooms" ] || rooms=$(cd src/core && echo */ | tr -d /)
folder=build/coverage
rm -rf "$folder/profiles"
mkdir -p "$folder/profiles/server"

# Objects: instrumented ones of the rooms, the library's of others.
sources=()
for room in $rooms; do sources+=(src/core/"$room"/*.c); done
measured=("${sources[@]/%.c/.o}")
measured=("${measured[@]/#src\/core\//$folder/}")
make -s -j "$(processors)" build/fast/tests "${measured[@]}"
others=()
for object in src/core/*.o src/core/*/*.o; do
    [ -f "${object%.o}.c" ] || continue
    case " $rooms " in *" $(basename "$(dirname "$object")") "*) ;; *) others+=("$object") ;; esac
done
read -r -a libraries <<<"$COVERAGE_LIBRARIES"
"$cc" -w -fprofile-instr-generate build/fast/tests.c $(ls build/fast/*.o | grep -v '/tests.o$') "${measured[@]}" "${others[@]}" "${libraries[@]}" -lm -o "$folder/tests"

# A profile of each unit test; with narrower vectors than this machine has, too.
for test in test/core/test_*.c; do
    name=$(basename "$test" .c)
    ln -sf "$PWD/$folder/tests" "$folder/$name"
    for bits in 512 256 128; do
        SIMD_BITS=$bits LLVM_PROFILE_FILE=$folder/profiles/$name.$bits.profraw "$folder/$name" >"$folder/profiles/$name.log" 2>&1 </dev/null ||
            say "failed: $name with vectors of $bits bits"
    done
    rm "$folder/$name"
done

# Backends merge what they counted into one file as they end.
if [ -z "$unit" ]; then
    read -r -a libraries <<<"$COVERAGE_LIBRARIES_SL"
    "$cc" -w -shared -fprofile-instr-generate "${measured[@]}" "${others[@]}" src/pg/*.o src/pg/*/*.o "${libraries[@]}" -o "$folder/pgfit.so"
    pool=$(mktemp -d /tmp/pgfit.coverage.XXXXXX) # the user of the server writes here
    chmod 777 "$pool"
    export LLVM_PROFILE_FILE=$pool/%m.profraw
    private_server_start
    trap 'private_server_stop; rm -rf "$pool"' EXIT
    library=$(pg_config --pkglibdir)/pgfit.so
    cp "$folder/pgfit.so" "$library.new" && mv "$library.new" "$library"
    run scripts/run-regress "$(find_pg_config)" ${sql:+setup $sql} >"$folder/regress.log" || say "what failed is in $folder/regress.log"
    tail -n 1 "$folder/regress.log"
    if [ -z "$sql" ]; then
        run scripts/run-golden >"$folder/golden.log" || say "what failed is in $folder/golden.log"
        tail -n 1 "$folder/golden.log"
    fi
    if [ -z "$sql" ] || [ -n "$exports" ]; then
        for program in python_modules pmml_export onnx_export; do
            createdb "$program"
            export PGDATABASE=$program
            psql -X -q -v ON_ERROR_STOP=1 -f examples/load.sql -c "ALTER DATABASE $program SET search_path = public, pgfit"
            run "${PYTHON:-python3}" "test/exchange/$program.py" >"$folder/$program.log" 2>&1 || say "what failed is in $folder/$program.log"
            tail -n 1 "$folder/$program.log"
        done
    fi
    as_server "$PGFIT_BINDIR/pg_ctl" -D "$PGFIT_DATA" -m fast -w stop >/dev/null
    mv "$pool"/*.profraw "$folder/profiles/server/"
fi
python3 test/coverage/report.py "$tools" "$folder" ${lines:+--lines} "${sources[@]}"
