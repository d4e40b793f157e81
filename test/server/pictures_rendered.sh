#!/bin/bash
# Pictures and reports as a browser shows them: every text lies inside of its picture and touches no other, every picture has colored pixels, and a report fits a
# telephone. Data are real, tiny and awkward. Screenshots, light and dark, stay in build/pictures.
. "$(dirname "$0")/lib.sh"

if ! browser=$(find_browser); then
    if [ "${CI:-}" = true ]; then echo "not ok - there is no Chromium"; else echo "ok - skipped, because there is no Chromium: pictures in a browser"; fi
    exit
fi
here=$repo/test/server
fresh_database pgfit_rendered || exit 1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
psql -X -q -v ON_ERROR_STOP=1 -f "$repo/examples/load.sql" -f "$here/pictures_rendered.sql" >/dev/null 2>&1 || exit 1
{
    sed -E "s|^([a-z0-9_]+) (.*)|\\\\o $folder/\1.svg\nSELECT \2;|" "$here/pictures_rendered.txt"
    while read -r name call; do printf '%s\n' "\\o $folder/$name.html" "SELECT $call;"; done <<'CALLS'
report_registry pgfit.report('mass & <b>height</b>')
report_regression pgfit.report(lin, 'penguins', '{"target": "body_mass_g"}') FROM m
report_classes pgfit.report(sex, 'SELECT * FROM penguins WHERE species <> ''Gentoo''', '{"target": "sex", "title": "<script>alert(1)</script>"}') FROM m
report_clusters pgfit.report(kmeans, 'penguins') FROM m
report_wide pgfit.report(multi) FROM wm
CALLS
} >"$folder/calls.sql"
PGOPTIONS='-c client_min_messages=error' psql -X -q -A -t -f "$folder/calls.sql" >"$folder/complaints" 2>&1
is "$(cat "$folder/complaints")" '' 'every picture and report is written'
mkdir -p "$repo/build/pictures"
is "$("${PYTHON:-/usr/bin/python3}" "$here/pictures_rendered.py" "$browser" "$folder" "$repo/build/pictures" 2>&1)" "$(wc -l <"$here/pictures_rendered.txt") pictures and 5 reports" \
    'a browser shows every picture inside of its frame, with no text over another, and reports that fit a telephone'
