#!/bin/bash
# make coverage [COVERAGE="--rooms base,model --stages unit,regress --lines"]: lines, branches and MC/DC of the core by the tests of make test and
# make check-all, for each room. Needs clang 18 or newer (COVERAGE_CC, default clang-19) and the LLVM tools beside it.
#
# usage: coverage.sh [--rooms ROOM,...] [--stages STAGE,...] [--sql TEST,...] [--minutes N] [--lines]
# --stages: what to run of
#   unit     unit tests with vectors of each width, altered values too      fuzz      seeds of the fuzzers and mutations of them
#   regress  files of sql/, with --sql these alone      golden   golden cases      tap, docs     like the stages of make test
#   exports  what Python (PYTHON, with psycopg, numpy and onnx) and onnxruntime (ONNXRUNTIME, scripts/exchange-check-onnx) make of exports
#   random   random SQL of --minutes (default 5)      server.NAME   test/server/NAME.sh
# What the last run of each stage counted stays in build/coverage/profiles and counts again, but for functions that changed since; --stages none
# runs nothing. Rooms that are not named have the usual objects. --lines: what was not run, in build/coverage/lines.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh
. scripts/private-server.sh
cc=${COVERAGE_CC:-clang-19}
rooms= sql= lines= minutes=5
stages="unit fuzz regress golden exports tap docs random server.parallel_fits server.parallel_methods server.parallel_teams server.certificates
    server.relations server.faults server.fit_memory server.cancel_conversions server.equal_fingerprints server.large_values server.odd_options server.encodings server.progress_phases server.registry"
while [ $# -gt 0 ]; do
    case $1 in
    --rooms) rooms=${2//,/ } && shift ;;
    --stages) stages=${2//,/ } && shift ;;
    --sql) sql=${2//,/ } && shift ;;
    --minutes) minutes=$2 && shift ;;
    --lines) lines=1 ;;
    *) die "coverage.sh does not know $1" ;;
    esac
    shift
done
have "$cc" || die "there is no $cc: apt install clang-19 llvm-19, or set COVERAGE_CC"
tools=$(dirname "$(readlink -f "$(command -v "$cc")")")
[ -n "$rooms" ] || rooms=$(cd src/core && echo */ | tr -d /)
folder=build/coverage
mkdir -p "$folder/profiles" "$folder/logs"

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
# link RESULT SOURCE...: a program of the measured core; another run may use the last one
link() {
    local libraries
    read -r -a libraries <<<"$COVERAGE_LIBRARIES"
    "$cc" -w -Isrc -Itest/core -fprofile-instr-generate "${@:2}" "${measured[@]}" "${others[@]}" "${libraries[@]}" -lm -o "$1.$$"
    mv "$1.$$" "$1"
}
link "$folder/tests" build/fast/tests.c $(ls build/fast/*.o | grep -v '/tests.o$')

# Processes merge what they counted into one file as they end; the user of the server writes there, too.
pool=$(mktemp -d /tmp/pgfit.coverage.XXXXXX)
chmod 777 "$pool"
trap 'rm -rf "$pool"' EXIT
export LLVM_PROFILE_FILE=$pool/%m.profraw

unit_tests() {
    local test name bits
    for test in test/core/test_*.c; do
        name=$(basename "$test" .c)
        ln -sf "$PWD/$folder/tests" "$folder/$name"
        for bits in 512 256 128; do
            SIMD_BITS=$bits "$folder/$name" 2>&1 </dev/null || say "failed: $name with vectors of $bits bits"
        done
        rm "$folder/$name"
    done
}

# The fuzzers on their seeds and mutations of them. Making the seeds does not count.
fuzz_seeds() {
    local name
    link "$folder/seeds" test/fuzz/seeds.c build/fast/host.o
    LLVM_PROFILE_FILE=/dev/null test/fuzz/corpus.sh "$folder/seeds"
    for name in $(ls build/fuzz/corpus); do
        link "$folder/fuzz_$name" "test/fuzz/fuzz_$name.c" test/fuzz/replay.c build/fast/host.o
        "$folder/fuzz_$name" -runs=20000 "build/fuzz/corpus/$name" || say "failed: fuzz_$name"
    done
}

exports() {
    local program
    for program in python_modules pmml_export onnx_export; do test/exchange/run.sh "$program" || true; done
}

random_sql() {
    createdb random
    PGDATABASE=random psql -X -q -c "CREATE EXTENSION pgfit"
    PGDATABASE=random python3 test/random/run.py --minutes "$minutes" --out "$folder/random"
}

server_start() {
    local library libraries
    [ -z "${PGFIT_SCRATCH:-}" ] || return 0
    read -r -a libraries <<<"$COVERAGE_LIBRARIES_SL"
    "$cc" -w -shared -fprofile-instr-generate "${measured[@]}" "${others[@]}" src/pg/*.o src/pg/*/*.o "${libraries[@]}" -o "$folder/pgfit.so"
    private_server_start "max_parallel_workers_per_gather = 2"
    trap 'private_server_stop; rm -rf "$pool"' EXIT
    library=$(pg_config --pkglibdir)/pgfit.so
    cp "$folder/pgfit.so" "$library.new" && mv "$library.new" "$library"
}

stage() {
    case $1 in
    unit) unit_tests ;;
    fuzz) fuzz_seeds ;;
    regress) scripts/run-regress "$(find_pg_config)" ${sql:+setup $sql} ;;
    golden) scripts/run-golden ;;
    exports) exports ;;
    tap) scripts/run-pgtap test/*.sql ;;
    docs) scripts/docs.sh --part 1/1 ;;
    random) random_sql ;;
    server.*) PGFIT_TEST_TIMEOUT=3000 scripts/run-server-tests "test/server/${1#server.}.sh" ;;
    *) die "there is no stage $1" ;;
    esac
}

[ "$stages" != none ] || stages=
for name in $stages; do
    case $name in unit | fuzz) ;; *) server_start ;; esac
    began=$(date +%s)
    run stage "$name" >"$folder/logs/$name" 2>&1 || say "what failed is in $folder/logs/$name"
    case $name in unit | fuzz) ;; *) as_server "$PGFIT_BINDIR/pg_ctl" -D "$PGFIT_DATA" -l "$PGFIT_LOG" -m fast -w restart >/dev/null ;; esac
    say "$name: $(tail -n 1 "$folder/logs/$name") in $(($(date +%s) - began)) s"
    find "$pool" -name '*.profraw' -size 0 -delete # of a killed process
    "$tools/llvm-profdata" merge -sparse "$pool"/*.profraw -o "$folder/profiles/$name.profdata" || say "$name counted nothing"
    rm -f "$pool"/*
done
python3 test/coverage/report.py "$tools" "$folder" ${lines:+--lines} "${sources[@]}"
