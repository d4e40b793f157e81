#!/bin/bash
# Runs the examples of the manual: each ```sql block of README.md, docs/*.md and the folders there, in the order of the page, with the
# example data of examples/. Prints "docs: N passed, N failed"; each block is one test.
#
# Each page gets its own database, a copy of one that has the extension and the data. A block whose first line begins
# with "-- not run" is not run, and says why. A block that begins with "-- fails: SQLSTATE" must end with that error. A
# ```text block right below is compared with the output, or with the error and its hint, without notices
# (DOCS_WRITE=1 writes it), and so is the file of a picture, ![...](FILE), right below it.
# Uses the server of PGHOST etc.; without PGFIT_SCRATCH it starts a private one.
#
# usage: docs.sh [--part N/PARTS] [PAGE...]      default: all pages, the tour of make demo, and whether the reference is
#                                                up to date; --part takes every PARTS-th of these
set -uo pipefail
cd "$(dirname "$0")/.."
if [ -z "${PGFIT_SCRATCH:-}" ]; then
    . scripts/lib.sh
    . scripts/private-server.sh
    scripts/setup.sh test || exit 1
    private_server_start
fi
part=1 parts=1
if [ "${1:-}" = --part ]; then
    part=${2%/*} parts=${2#*/}
    shift 2
fi
all=
if [ $# -eq 0 ]; then
    all=yes
    set -- $(printf '%s\n' README.md docs/*.md docs/*/*.md | awk -v part="$part" -v parts="$parts" 'NR % parts == part - 1')
fi
passed=0 failed=0
export PGDATABASE=pgfit_docs_$part
fresh() { # [NAME [TEMPLATE]]
    PGOPTIONS='-c client_min_messages=warning' psql -X -q -d postgres -c "DROP DATABASE IF EXISTS ${1:-$PGDATABASE}" \
        -c "CREATE DATABASE ${1:-$PGDATABASE} TEMPLATE ${2:-template1}"
}
work=$(mktemp -d)
trap 'rm -rf "$work"; [ -z "${repo:-}" ] || private_server_stop' EXIT
loaded=${PGDATABASE}_loaded
fresh "$loaded" && psql -X -q -v ON_ERROR_STOP=1 -d "$loaded" -f examples/load.sql >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
for page in "$@"; do
    awk -v out="$work/block" -v page="$page" '
        /^```sql$/ { inside = 1; n++; file = sprintf("%s-%03d.sql", out, n); print "-- " page ":" NR > file; next }
        /^```$/ && inside { inside = 0; close(file); below = NR; next }
        /^```text$/ && below && NR <= below + 2 { text = sprintf("%s-%03d.text", out, n); printf "" > text; next }
        /^!\[.*\]\(.*\)$/ && below && NR <= below + 2 { gsub(/^.*\]\(|\)$/, ""); print > sprintf("%s-%03d.picture", out, n); next }
        /^```$/ && text { close(text); text = ""; next }
        text { print > text }
        inside { print > file }' "$page"
    ls "$work"/block-*.sql >/dev/null 2>&1 || continue
    fresh "$PGDATABASE" "$loaded" || exit
    for block in "$work"/block-*.sql; do
        first=$(sed -n 2p "$block")
        case $first in "-- not run"*) rm "$block"; continue ;; esac
        status=0
        PGOPTIONS='-c client_min_messages=warning' psql -X -q -v ON_ERROR_STOP=1 -v VERBOSITY=verbose -P pager=off -f "$block" \
            >"$work/log" 2>"$work/messages" || status=$?
        actual=${block%.sql}.actual
        {
            sed 's/ *$//' "$work/log"
            sed -n -e 's/^psql:[^ ]* //' -e 's/^\(ERROR\|WARNING\|NOTICE\):  [0-9A-Z]\{5\}: /\1:  /' -e '/^\(ERROR\|WARNING\|NOTICE\|DETAIL\|HINT\): /p' "$work/messages"
        } | awk 'NF { for (; empty > 0; empty--) print ""; print; begun = 1; next } begun { empty++ }' >"$actual"
        cat "$work/messages" >>"$work/log"
        case $first in
        "-- fails: "*)
            state=${first#-- fails: }
            state=${state%% *}
            if [ $status -ne 0 ] && grep -q "ERROR:  $state:" "$work/log"; then status=0; else status=1; fi
            ;;
        esac
        text=${block%.sql}.text
        if [ -f "${block%.sql}.picture" ]; then
            text=$(dirname "$page")/$(cat "${block%.sql}.picture")
            [ -z "${DOCS_WRITE:-}" ] || cp "$actual" "$text"
        fi
        if [ $status -eq 0 ] && [ -f "$text" ] && [ -z "${DOCS_WRITE:-}" ] && ! cmp -s "$text" "$actual"; then
            status=1
            diff "$text" "$actual" >"$work/log"
        fi
        if [ $status -eq 0 ]; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            echo "docs $(sed -n '1s/^-- //p' "$block"):"
            tail -n 20 "$work/log" | sed 's/^/    /'
        fi
        rm "$block"
    done
    if [ -n "${DOCS_WRITE:-}" ]; then
        awk -v out="$work/block" '
            /^```sql$/ { inside = 1; n++ }
            /^```$/ && inside { inside = 0; below = NR; print; next }
            /^```text$/ && below && NR <= below + 2 {
                print
                while ((getline line < sprintf("%s-%03d.actual", out, n)) > 0) print line
                text = 1
                next
            }
            /^```$/ && text { text = 0 }
            !text' "$page" >"$work/page" && cat "$work/page" >"$page"
    fi
    rm -f "$work"/block-*
done
if [ -n "$all" ] && [ "$part" -eq 1 ]; then # the tour of make demo runs to its end
    if fresh && psql -X -q -c 'CREATE EXTENSION pgfit' && (cd examples && psql -X -f demo.sql) >"$work/log" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo 'docs examples/demo.sql:'
        tail -n 20 "$work/log" | sed 's/^/    /'
    fi
fi
if [ -n "$all" ] && [ "$part" -eq "$parts" ]; then # the reference is up to date
    fresh && psql -X -q -c 'CREATE EXTENSION pgfit' && scripts/make-reference "$work/manual" >"$work/log" 2>&1
    if { diff docs/reference.md "$work/manual/reference.md" && diff -r docs/reference "$work/manual/reference"; } >>"$work/log" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo 'docs reference: differs from what `make reference` writes:'
        head -n 30 "$work/log" | sed 's/^/    /'
    fi
fi
echo "docs: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
