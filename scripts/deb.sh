#!/bin/bash
# make deb: builds Debian packages, one for each server version whose postgresql-server-dev-VERSION is installed, in
# build/deb, from a copy of the sources. It says what is missing, and installs nothing.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh
have dpkg-buildpackage && have pg_buildext || die "missing: apt install build-essential debhelper postgresql-server-dev-all libopenblas-serial-dev libxml2-dev"
folder=build/deb/pgfit
rm -rf build/deb
mkdir -p "$folder"
# the files of the repository; those of an unpacked release are the same
{ git ls-files -co --exclude-standard 2>/dev/null || find . -type f ! -path './build/*'; } | tar -cf - -T - | tar -xf - -C "$folder"
cd "$folder"
export PG_SUPPORTED_VERSIONS=installed
pg_buildext updatecontrol
DEB_BUILD_OPTIONS="parallel=$(processors) ${DEB_BUILD_OPTIONS:-}" dpkg-buildpackage --no-sign --build=binary
cd ..
rm -rf pgfit
ls -l -- *.deb
