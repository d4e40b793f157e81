# Functions that the scripts share: messages, and finding programs and libraries. Source it from bash.
export LC_ALL=C
repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)

say() { printf '%s\n' "$*"; }
die() {
    printf 'pgfit: %s\n' "$*" >&2
    exit 1
}
have() { command -v "$1" >/dev/null 2>&1; }

# Tells whether this is the pg_config of a whole installation: a server, and files for building extensions.
pg_config_complete() {
    local bindir
    bindir=$("$1" --bindir 2>/dev/null) || return 1
    [ -x "$bindir/postgres" ] && [ -x "$bindir/initdb" ] && [ -f "$("$1" --pgxs 2>/dev/null)" ] &&
        [ -f "$("$1" --includedir-server)/postgres.h" ] && [ "$(pg_major "$1")" -ge 14 ]
}
pg_major() { "$1" --version | sed 's/^[^0-9]*\([0-9]*\).*/\1/'; }

# Prints a usable pg_config: $PG_CONFIG if set, else the newest complete installation; status 1 if there is none.
find_pg_config() {
    local candidate
    if [ -n "${PG_CONFIG:-}" ] && [ "$PG_CONFIG" != pg_config ]; then
        pg_config_complete "$PG_CONFIG" && say "$PG_CONFIG"
        return
    fi
    for candidate in $(printf '%s\n' /usr/lib/postgresql/*/bin/pg_config | sort -t/ -k5,5nr) \
        "$(command -v pg_config || true)" /usr/pgsql-*/bin/pg_config /usr/local/pgsql/bin/pg_config; do
        if [ -x "$candidate" ] && pg_config_complete "$candidate"; then
            say "$candidate"
            return
        fi
    done
    return 1
}

openblas_static() {
    local file
    for file in "${OPENBLAS_STATIC:-}" /usr/lib/*/openblas-serial/libopenblas.a /usr/lib64/libopenblas.a \
        /usr/lib/libopenblas.a; do
        if [ -f "$file" ]; then
            say "$file"
            return
        fi
    done
    return 1
}

# Prints a clang that links libFuzzer; status 1 if there is none.
find_fuzz_clang() {
    local candidate probe status=1
    probe=$(mktemp -d)
    echo 'int LLVMFuzzerTestOneInput(const unsigned char *d, unsigned long n) { return d && n ? 0 : 0; }' >"$probe/f.c"
    for candidate in ${FUZZ_CC:-} clang /usr/bin/clang-[0-9][0-9]; do
        if have "$candidate" && "$candidate" -fsanitize=fuzzer,address "$probe/f.c" -o "$probe/f" 2>/dev/null; then
            say "$candidate"
            status=0
            break
        fi
    done
    rm -rf "$probe"
    return $status
}

# Prints a browser that renders pictures; status 1 if there is none.
find_browser() {
    local candidate
    for candidate in chromium chromium-headless-shell chromium-browser google-chrome; do
        have "$candidate" && say "$candidate" && return
    done
    return 1
}

# Prints a python3 that has what the tests of the Python client need; status 1 if there is none.
find_client_python() {
    local candidate
    for candidate in python3 /usr/bin/python3; do
        if have "$candidate" && "$candidate" -c 'from importlib.util import find_spec as f
exit(not all(map(f, "psycopg numpy pandas sklearn xgboost pytest pip setuptools wheel".split())))' 2>/dev/null; then
            say "$candidate"
            return
        fi
    done
    return 1
}

# Prints a python3 that has what `make site` needs; status 1 if there is none.
find_site_python() {
    local candidate
    for candidate in python3 /usr/bin/python3; do
        if have "$candidate" && "$candidate" -c 'import sphinx, myst_parser, furo, sphinx_copybutton' 2>/dev/null; then
            say "$candidate"
            return
        fi
    done
    return 1
}

# Tells whether R has what the tests of its client need.
have_client_r() {
    have Rscript && Rscript --vanilla -e 'needs <- c("DBI", "RPostgreSQL", "jsonlite", "generics", "dbplyr", "MASS")
quit(status = 1 - all(nzchar(Vectorize(system.file, "package")(package = needs))))' 2>/dev/null
}

processors() { getconf _NPROCESSORS_ONLN 2>/dev/null || say 1; }

# Prints lines of a sources.list for packages (deb) or sources (deb-src) from where this machine's apt has its packages.
apt_sources() {
    apt-get indextargets --format '$(REPO_URI) $(CODENAME)' 'Created-By: Packages' | sort -u |
        sed "s|.*|$1 [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] & main|"
}
