#!/bin/sh
# usage: test/fuzz/coverage.sh [RUNS]   line coverage of the readers and checks of models by the fuzzers:
# the seeds, what earlier runs of test/fuzz/run.sh kept, and RUNS mutations of them (default 200000).
# Uses gcc and gcov, or clang and llvm-cov where FUZZ_CC is given. Fails below COVERAGE_MINIMUM percent (95).
cd "$(dirname "$0")/../.." || exit 1
runs=${1:-200000}
minimum=${COVERAGE_MINIMUM:-95}
readers='model_text_read model_text_write model_binary model_layout model_hash model_read json base64'
blas=${OPENBLAS_STATIC:-$(ls /usr/lib/*/openblas-serial/libopenblas.a /usr/lib64/libopenblas.a /usr/lib/libopenblas.a 2>/dev/null | head -n 1)}
folder=build/fuzz/coverage
rm -rf "$folder"
mkdir -p "$folder"
flags='-std=gnu11 -g -O0 -ffp-contract=off --coverage -fprofile-update=single -Isrc -Itest/core'
for source in src/core/*.c src/core/*/*.c; do
    # shellcheck disable=SC2086
    gcc $flags -c "$source" -o "$folder/$(basename "$source" .c).o" || exit 1
done
gcc -std=gnu11 -g -O1 -c test/core/host.c -o "$folder/test_host.o" || exit 1
gcc -std=gnu11 -g --coverage test/fuzz/seeds.c "$folder"/*.o "$blas" -lm -o "$folder/seeds" || exit 1
"$folder/seeds" "$folder/corpus" || exit 1
find "$folder" -name '*.gcda' -delete # making the seeds is no test
for name in text binary flat formula; do
    gcc -std=gnu11 -g -O1 --coverage "test/fuzz/fuzz_$name.c" test/fuzz/replay.c "$folder"/*.o "$blas" -lm \
        -o "$folder/fuzz_$name" || exit 1
    kept=build/fuzz/work/$name
    [ -d "$kept" ] || kept=
    # shellcheck disable=SC2086
    "$folder/fuzz_$name" -runs="$runs" "$folder/corpus/$name" $kept || exit 1
done
# the readers in full, and every function of the core that checks
for file in $readers; do
    gcov -t -o "$folder" "$(ls src/core/*/"$file.c")" 2>/dev/null | awk -v file="/$file.c" '
        /0:Source:/ { mine = index($0, file) }
        mine && /^ *[0-9]+\*?:/ { hit++; all++ } mine && /^ *#####:/ { all++ }
        END { print hit + 0, all + 0, file }'
done >"$folder/report"
for source in src/core/*.c src/core/*/*.c; do
    case " $readers metrics rows " in *" $(basename "$source" .c) "*) continue ;; esac
    gcov -n -f -o "$folder" "$source" 2>/dev/null | awk -v file="$source" '
        /^Function/ { check = $2 ~ /check/ } /^File/ { check = 0 }
        check && /^Lines executed/ { split($2, a, ":"); sub("%", "", a[2]); hit += a[2] * $4 / 100; all += $4 }
        END { if (all) printf "%.0f %d checks in %s\n", hit, all, file }'
done >>"$folder/report"
awk -v minimum="$minimum" '
    { printf "%6.2f %% of %4d lines  ", 100 * $1 / $2, $2; hit += $1; all += $2; $1 = $2 = ""; print substr($0, 3) }
    END { printf "%6.2f %% of %4d lines  together\n", 100 * hit / all, all; exit 100 * hit / all < minimum }' "$folder/report"
