#!/bin/sh
# usage: test/fuzz/run.sh [RUNS [NAME...]]   runs each fuzzer from fresh seeds; "fuzz: N passed, N failed"
#
# With clang and libFuzzer (FUZZ_CC) the runs follow coverage, and what they find interesting stays in
# build/fuzz/work/NAME for the next time (FUZZ_FRESH=1: begin anew; FUZZ_SECONDS=600: so long each, whatever RUNS says; FUZZ_SEED=2).
# Without it the seeds and mutations of them run under gcc's sanitizers.
cd "$(dirname "$0")/../.." || exit 1
runs=${1:-20000}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- text binary flat formula onnx xgboost lightgbm pmml
compiler=${FUZZ_CC:-clang}
warnings='-Wall -Wextra -Wno-unused-parameter -Wno-sign-compare -Wno-missing-field-initializers'
flags="-std=gnu11 -g -O2 -fno-omit-frame-pointer -ffp-contract=off -fsanitize=address,undefined,float-cast-overflow
    -fno-sanitize-recover=all $warnings -Isrc -Itest/core"
blas=${OPENBLAS_STATIC:-$(ls /usr/lib/*/openblas-serial/libopenblas.a /usr/lib64/libopenblas.a /usr/lib/libopenblas.a 2>/dev/null | head -n 1)}
export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_leaks=0:allocator_may_return_null=1}"
export UBSAN_OPTIONS="${UBSAN_OPTIONS:-print_stacktrace=1}"
mkdir -p build/fuzz/work build/fuzz/objects

if echo 'int LLVMFuzzerTestOneInput(const unsigned char *d, unsigned long n) { return d && n ? 0 : 0; }' |
    "$compiler" -fsanitize=fuzzer,address -x c - -o build/fuzz/probe 2>/dev/null; then
    core='-fsanitize=fuzzer-no-link' target='-fsanitize=fuzzer' driver=
else
    compiler=${CC:-gcc} core= target= driver=test/fuzz/replay.c
    echo "fuzz: no clang with libFuzzer here; replaying seeds and mutations with $compiler"
fi

# objects are made again where a source or the flags changed
stamp=build/fuzz/objects/stamp
if [ "$(cat "$stamp" 2>/dev/null)" != "$compiler $flags $core" ] ||
    [ -n "$(find src/core test/core/host.c test/core/host.h -newer "$stamp" -name '*.[ch]' 2>/dev/null)" ]; then
    rm -f build/fuzz/objects/*.o
    # as many at a time as there are processors
    printf '%s\n' src/core/*.c src/core/*/*.c test/core/host.c | xargs -P "$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)" -I SOURCE \
        sh -c "\"$compiler\" $(echo $flags $core) -c SOURCE -o build/fuzz/objects/\$(basename SOURCE .c).o" || exit 1
    echo "$compiler $flags $core" >"$stamp"
fi
# shellcheck disable=SC2086
"$compiler" $flags test/fuzz/seeds.c build/fuzz/objects/*.o $blas -lm ${core:+-fsanitize=fuzzer-no-link} \
    -o build/fuzz/seeds || exit 1
test/fuzz/corpus.sh build/fuzz/seeds || exit 1
# shellcheck disable=SC2086
"$compiler" $flags test/fuzz/dictionary.c build/fuzz/objects/*.o $blas -lm ${core:+-fsanitize=fuzzer-no-link} \
    -o build/fuzz/dictionary || exit 1
build/fuzz/dictionary | sort -u >build/fuzz/names.dict || exit 1
for format in lightgbm pmml; do # the words that their readers know
    grep -oh '"[A-Za-z_/=<]*[A-Za-z]"' src/core/*/"$format"_*.c | sort -u >"build/fuzz/$format.dict"
done

passed=0 failed=0
for name in "$@"; do
    work=build/fuzz/work/$name
    [ -n "${FUZZ_FRESH:-}" ] && rm -rf "$work"
    mkdir -p "$work"
    dictionary=build/fuzz/$name.dict
    [ -s "$dictionary" ] || dictionary=build/fuzz/names.dict
    # shellcheck disable=SC2086
    "$compiler" $flags $target "test/fuzz/fuzz_$name.c" $driver build/fuzz/objects/*.o $blas -lm \
        -o "build/fuzz/fuzz_$name" || exit 1
    if "build/fuzz/fuzz_$name" -runs="$runs" ${FUZZ_SECONDS:+${target:+-runs=-1 -max_total_time=$FUZZ_SECONDS}} -seed="${FUZZ_SEED:-1}" -max_len=8192 -timeout=25 -dict="$dictionary" -print_final_stats=1 \
        -artifact_prefix="build/fuzz/$name-" "$work" "build/fuzz/corpus/$name" \
        >"build/fuzz/$name.log" 2>&1 </dev/null; then
        passed=$((passed + 1))
        echo "fuzz $name: $(grep -E '^Done' "build/fuzz/$name.log" | tail -n 1)"
    else
        failed=$((failed + 1))
        echo "fuzz $name: a finding"
        tail -n 60 "build/fuzz/$name.log" | grep -vE '^"|0x[0-9a-f]+: ' | sed 's/^/    /'
    fi
done
echo "fuzz: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
