#!/bin/bash
# Finds what `make demo`, `make test`, `make bench` and `make site` need, and installs what is missing with apt.
#
# usage: setup.sh [demo|test|site|arm64]       default: test
#
# If nothing is missing, it changes nothing. It never starts, creates or changes a database cluster of the system:
# Debian's packages would create and start one called "main", so while they are installed a setting of
# postgresql-common forbids that, and is removed afterwards.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

# Prints what is missing, one word per item.
missing() {
    local purpose=$1 config sharedir
    if [ "$purpose" = site ]; then
        find_site_python >/dev/null || say sphinx
        return
    fi
    if [ "$purpose" = arm64 ]; then
        have qemu-aarch64-static || say emulator
        echo '#include <math.h>' | aarch64-linux-gnu-gcc -E - >/dev/null 2>&1 || say cross_compiler
    fi
    have make || say make
    { have gcc || have cc; } && echo '#include <math.h>' | cc -E - >/dev/null 2>&1 || say compiler
    openblas_static >/dev/null || say openblas
    [ -e /usr/include/libxml2/libxml/parser.h ] || say libxml2
    if config=$(find_pg_config); then
        if [ "$purpose" = test ]; then
            sharedir=$("$config" --sharedir)
            [ -f "$sharedir/extension/pgtap.control" ] || say pgtap
            [ -f "$sharedir/extension/pg_cron.control" ] || say pg_cron
        fi
    else
        say postgresql
        [ "$purpose" != test ] || say pgtap pg_cron
    fi
    if [ "$purpose" = test ]; then
        have python3 || say python3
        find_client_python >/dev/null || say python_client
        have_client_r || say r_client
        # 120 MB to fetch, 410 MB on disk: other machines may do without
        [ "${CI:-}" != true ] || find_browser >/dev/null || say browser
    fi
}

# Prints the Debian packages that provide them.
packages() {
    local thing version=""
    local config
    if config=$(find_pg_config); then
        version=$(pg_major "$config")
    else
        # the version of an installed server that lacks its development files, else that of the distribution
        version=$(printf '%s\n' /usr/lib/postgresql/*/bin/postgres | sed -n 's,^/usr/lib/postgresql/\([0-9]*\)/.*,\1,p' |
            sort -nr | while read -r v; do
                apt-cache show "postgresql-server-dev-$v" >/dev/null 2>&1 && say "$v" && break
            done || true)
        [ -n "$version" ] ||
            version=$(apt-cache depends postgresql 2>/dev/null | sed -n 's/.*Depends: postgresql-\([0-9]*\)$/\1/p' | head -n 1)
    fi
    for thing in "$@"; do
        case $thing in
        make) say make ;;
        compiler) say gcc libc6-dev ;;
        openblas) say libopenblas-serial-dev ;;
        libxml2) say libxml2-dev ;;
        postgresql) say "postgresql-${version:-15}" "postgresql-server-dev-${version:-15}" ;;
        pgtap) say "postgresql-${version:-15}-pgtap" ;;
        pg_cron) say "postgresql-${version:-15}-cron" ;;
        python3) say python3 ;;
        emulator) say qemu-user-static ;;
        cross_compiler) say gcc-aarch64-linux-gnu libc6-dev-arm64-cross ;;
        sphinx) say python3-sphinx python3-myst-parser furo python3-sphinx-copybutton ;;
        python_client) say python3-psycopg python3-jinja2 python3-numpy python3-pandas python3-sklearn python3-xgboost python3-pytest python3-pip python3-setuptools python3-wheel ;;
        browser) say chromium ;;
        r_client) say r-base-core r-cran-dbi r-cran-rpostgresql r-cran-jsonlite r-cran-generics r-cran-dbplyr r-cran-mass ;;
        esac
    done | tr '\n' ' '
}

# As root: installs these packages without creating a cluster.
install_packages() {
    local guard=/etc/postgresql-common/createcluster.d/pgfit-setup.conf made_folder=""
    export DEBIAN_FRONTEND=noninteractive NEEDRESTART_MODE=l
    apt() { apt-get -qq -y -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 --no-install-recommends "$@" </dev/null; }
    if ! apt-cache show "$@" >/dev/null 2>&1; then
        apt update
    fi
    case " $* " in
    *" postgresql-"*)
        if ! dpkg-query -W -f '${Status}' postgresql-common 2>/dev/null | grep -q 'ok installed'; then
            apt install postgresql-common || { apt update && apt install postgresql-common; }
        fi
        [ -d "${guard%/*}" ] || { mkdir "${guard%/*}" && made_folder=yes; }
        trap "rm -f '$guard'; ${made_folder:+rmdir --ignore-fail-on-non-empty '${guard%/*}'}" EXIT
        trap 'exit 130' INT TERM HUP
        echo 'create_main_cluster = false' >"$guard"
        ;;
    esac
    # old package lists name files that are gone: try again with new ones
    apt install "$@" || { apt update && apt install "$@"; }
}

if [ "${1:-}" = --install ]; then
    shift
    install_packages "$@"
    exit
fi

purpose=${1:-test}
lacking=$(missing "$purpose" | tr '\n' ' ')
if [ -n "$lacking" ]; then
    if ! have apt-get; then
        die "missing: $lacking
No apt-get here, so please install by hand: a C compiler and make; PostgreSQL 14 or newer with its server
and the files for building extensions (pg_config --pgxs); OpenBLAS as a static serial library
(OPENBLAS_STATIC=/path/libopenblas.a if it is not found); libxml2 with its headers; for the site python3 with sphinx, myst_parser, furo and sphinx_copybutton; for the tests python3 with psycopg, numpy, pandas, sklearn and pytest, R with DBI, RPostgreSQL, jsonlite, generics, dbplyr and MASS, pgTAP and pg_cron.
PG_CONFIG=/path/pg_config chooses among several PostgreSQL installations. Then run make again."
    fi
    # a new machine may have no package lists yet, and they name the version of PostgreSQL
    as_root=""
    if [ "$(id -u)" -ne 0 ]; then
        have sudo || die "missing: $lacking
Neither root nor sudo: please install these as root, then run make again:
    apt-get install $(packages $lacking)"
        as_root=sudo
    fi
    if ! apt-cache show libopenblas-serial-dev postgresql >/dev/null 2>&1; then
        say "Fetching the lists of packages (apt-get update)"
        $as_root apt-get -qq -o DPkg::Lock::Timeout=300 update </dev/null ||
            die "apt-get update failed: no network? missing: $lacking"
    fi
    wanted=$(packages $lacking)
    say "Installing with apt: $wanted"
    log=$(mktemp)
    if ! $as_root bash "$repo/scripts/setup.sh" --install $wanted >"$log" 2>&1; then
        tail -n 40 "$log" >&2
        rm -f "$log"
        die "apt could not install: $wanted"
    fi
    rm -f "$log"
    lacking=$(missing "$purpose" | tr '\n' ' ')
    [ -z "$lacking" ] || die "still missing after installation: $lacking"
fi
