#!/bin/bash
# make versions [FROM="..."]: compiles the glue against several PostgreSQL versions, runs regression tests on those that are installed, and writes docs/versions.md.
#
# FROM: programs pg_config, which by default are those that scripts/lib.sh finds, and folders with the sources of a server, of which only the headers are used:
# they are configured in place. TEST: the regression tests, by default all. Each line says what ran, when, and with what result. Lines of other
# versions stay as an earlier run wrote them.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh
page=docs/versions.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
from=${FROM:-$(find_pg_config)}

# Prints the folders of headers of a source tree, which it configures first.
headers_of_sources() {
    (cd "$1" && { [ -f src/include/pg_config.h ] || ./configure -q --without-readline --without-zlib --without-icu >/dev/null 2>&1 || ./configure -q --without-readline --without-zlib >/dev/null 2>&1; } &&
        { make -s -C src/backend generated-headers || make -s -C src/include; } >/dev/null 2>&1) || return 1
    echo "-I$1/src/include -I$1/src/backend"
}

# Compiles the sources of src/pg without code; prints how many files did.
compile() {
    local files=0 good=0 file
    for file in $(find src/pg -name '*.c' | sort); do
        files=$((files + 1))
        # shellcheck disable=SC2086
        if ${CC:-gcc} -fsyntax-only -std=gnu11 -Werror -Wno-unused-parameter -Isrc "-DPGFIT_VERSION=\"0\"" $1 -D_GNU_SOURCE "$file" >>"$work/errors" 2>&1; then good=$((good + 1)); fi
    done
    echo "$good of $files files"
}

[ -f "$page" ] || printf '%s\n\n' '# Tested versions' \
    '`make versions` writes this table: what ran against which PostgreSQL, and when. "Compiled" means the files of `src/pg` against the headers of that server; only where tests are named did pgfit run there.' \
    '| version | headers of | compiled | regression tests | date |
|---|---|---|---|---|' >"$page"
for one in $from; do
    : >"$work/errors"
    tests=none
    if [ -d "$one" ]; then
        name="the sources of $(basename "$one")"
        flags=$(headers_of_sources "$one") || { say "$one: no headers" >&2; continue; }
        version=$(sed -n 's/^#define PG_VERSION "\([^"]*\)".*/\1/p' "$one/src/include/pg_config.h")
    else
        version=$("$one" --version | sed 's/^[^0-9]*\([0-9.a-z]*\).*/\1/')
        name="the installed server"
        flags="-I$("$one" --includedir-server)"
        tests=$(PG_CONFIG=$one scripts/regress.sh ${TEST:-} 2>&1 | sed -n 's/^regress: //p' | tail -n 1)
        [ -z "${TEST:-}" ] || tests="${tests:-none} (of \`$TEST\`)"
    fi
    compiled=$(compile "$flags")
    [ ! -s "$work/errors" ] || { grep -E 'error' "$work/errors" | sort | uniq -c | sort -rn | sed -n 1,10p >&2; }
    grep -v "^| ${version//./\\.} | $name |" "$page" >"$work/page"
    echo "| $version | $name | $compiled | ${tests:-none} | $(date +%F) |" >>"$work/page"
    { sed '/^| [0-9]/d' "$work/page"; grep '^| [0-9]' "$work/page" | sort -t'|' -k2,2V; } >"$page"
    say "$version: $compiled, $tests"
done
