#!/bin/bash
# Builds a PostgreSQL server with assertions from Debian's source of postgresql-15, and prints the path of its pg_config, which
# PG_CONFIG takes: PG_CONFIG=$(test/random/assert-server.sh) make random
#
# usage: assert-server.sh [FOLDER]      default: /tmp/pgfit-assert. A server that is there and has assertions stays.
# Needs apt with the sources of Debian (deb-src), which it names in lists of its own and leaves those of the machine alone. FOLDER/src may hold the
# source already, as postgresql-*.orig.tar.*. ccache is used where it is there.
set -euo pipefail
. "$(dirname "$0")/../../scripts/lib.sh"
folder=${1:-/tmp/pgfit-assert}
config=$folder/bin/pg_config

# Tells whether the server at $config asserts.
asserts() { [ -x "$config" ] && [[ $("$config" --configure) == *--enable-cassert* && $(nm "$folder/bin/postgres") == *" T ExceptionalCondition"* ]]; }

# Fetches the newest source that the archive still has into $folder/src; security updates may lack theirs.
fetch() {
    local lists=$folder/apt/lists version
    mkdir -p "$lists/partial" "$folder/apt/cache/archives/partial" "$folder/apt/parts"
    apt_sources deb-src >"$folder/apt/sources.list"
    local apt=(-qq -o "Dir::Etc::SourceList=$folder/apt/sources.list" -o "Dir::Etc::SourceParts=$folder/apt/parts" -o "Dir::State::Lists=$lists"
        -o "Dir::Cache=$folder/apt/cache" -o APT::Sandbox::User=root)
    apt-get "${apt[@]}" update
    for version in $(apt-cache "${apt[@]}" showsrc postgresql-15 | sed -n 's/^Version: //p' | sort -rV); do
        (cd "$folder/src" && apt-get "${apt[@]}" source --download-only "postgresql-15=$version") && return
    done
    die "the archive has no source of postgresql-15"
}

mkdir -p "$folder/src"
chmod 755 "$folder"
if ! asserts; then
    {
        ls "$folder"/src/postgresql-*.orig.tar.* >/dev/null 2>&1 || fetch
        rm -rf "$folder/build"
        mkdir "$folder/build"
        tar -xf "$(printf '%s\n' "$folder"/src/postgresql-*.orig.tar.* | sort -V | tail -n 1)" -C "$folder/build" --strip-components=1
        cd "$folder/build"
        have ccache && export CC='ccache gcc'
        # -O1: assertions cost enough; the frame pointer is for traces
        ./configure --quiet --prefix="$folder" --enable-cassert --enable-debug --without-readline CFLAGS='-O1 -g -fno-omit-frame-pointer'
        make -s -j "$(processors)" MAKELEVEL=0 all
        make -s MAKELEVEL=0 install
        make -s -C contrib -j "$(processors)" MAKELEVEL=0 all install
    } >"$folder/build.log" 2>&1 || { tail -n 20 "$folder/build.log" >&2; die "the server with assertions was not built: $folder/build.log"; }
fi
asserts || die "the server at $folder has no assertions"
say "$config"
