#!/bin/bash
# make tested: builds pgfit for the server that PG_CONFIG names, runs the regression tests and writes the result into
# docs/install.md, as the line of that major version and processor in the table of tested versions. "scripts/arm64.sh make tested"
# does so for arm64 on another processor.
set -uo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh
. scripts/private-server.sh
page=$repo/docs/install.md
grep -q '^<!-- tested: ' "$page" && grep -q '^<!-- end of tested -->' "$page" || die "$page has no table of tested versions"
scripts/setup.sh demo || exit 1
PGFIT_CONFIG=$(find_pg_config) || exit 1
private_server_start
run scripts/run-regress "$PGFIT_CONFIG" >"$PGFIT_SCRATCH/regress.log"
tail -n 60 "$PGFIT_SCRATCH/regress.log"
result=$(sed -n 's/^regress: //p' "$PGFIT_SCRATCH/regress.log")
[ -n "$result" ] || die "no regression test ran"
version=$(psql -X -A -t -c "SELECT split_part(current_setting('server_version'), ' ', 1) || CASE current_setting('debug_assertions') WHEN 'on' THEN ', with assertions' ELSE '' END")
system=$(. /etc/os-release && say "$NAME ${VERSION_ID:-${VERSION_CODENAME:-}}")
compiler=$(readelf -p .comment pgfit.so | sed -n 's/.*GCC: (.*) /gcc /p; s/.*clang version \([0-9.]*\).*/clang \1/p' | sort -u | paste -sd ' ')
processor=${PGFIT_PROCESSOR:-$(uname -m)}
line="| $version | $processor | $system, $compiler${PGFIT_EMULATOR:+, emulated by qemu} | $result | $(date -u +%F) |"
same="^[|] $(pg_major "$PGFIT_CONFIG")[^0-9].*[|] $processor [|]"
lines=$({ sed -n '/^<!-- tested: /,/^<!-- end of tested/s/^| [0-9]/&/p' "$page" | grep -vE "$same"; say "$line"; } | sort -V)
awk -v lines="$lines" '
    /^<!-- tested: / { inside = 1 }
    /^<!-- end of tested/ { print lines; inside = 0 }
    !inside || !/^\| [0-9]/ { print }' "$page" >"$PGFIT_SCRATCH/page" && cat "$PGFIT_SCRATCH/page" >"$page"
say "docs/install.md: $line"
