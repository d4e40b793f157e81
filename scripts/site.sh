#!/bin/bash
# make site: writes the manual as a site of static pages to build/site, which needs no server and no network: open
# build/site/index.html. Installs Sphinx where it is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh
scripts/setup.sh site
python=$(find_site_python)
rm -rf build/site build/manual
"$python" scripts/site/pages.py build/manual
"$python" -m sphinx -q -W --keep-going -j 2 -c scripts/site -d build/doctrees build/manual build/site
rm -r build/manual build/site/.buildinfo
# Debian's package of the theme reads this file from a web server's folder
normalize=/usr/share/javascript/normalize.css/normalize.css
if [ -f "$normalize" ]; then
    cp -L "$normalize" build/site/_static/styles/
    sed -i "s,url(/javascript/normalize.css/normalize.css),url(normalize.css)," build/site/_static/styles/furo.css
fi
broken=$(find build/site \( -name '*.html' -o -name '*.css' \) -print0 | xargs -0 scripts/check-links)
[ -z "$broken" ] || die "$broken"
say "build/site/index.html: $(find build/site -name '*.html' | wc -l) pages, $(du -sm build/site | cut -f1) MB"
