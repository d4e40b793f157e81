# Starts a private PostgreSQL server in a temporary folder. Source it from bash after lib.sh.
#
#   private_server_start ["name = value" ...]   builds pgfit, copies the installation, starts a server
#   private_server_stop                         stops it and deletes everything; also runs at exit
#   another_server_start FOLDER                 starts one more of the same installation and settings, in a folder of its own
#   another_server_stop                         stops that one and deletes its folder
#   run COMMAND...                              runs it so that signals are handled at once
#
# Set before the start: PGFIT_APART=1 builds in a copy of the sources instead of in place; PGFIT_MAKE are
# arguments for make; PGFIT_WRAP is a command that the server runs under ("valgrind ...").
#
# It writes nothing outside the folder: the server runs from a relocated copy of the installation, with data, socket and
# log in the same folder. Programs are copied, because PostgreSQL looks for its files relative to their real place; the
# rest are links. If root starts it, the server runs as user postgres or nobody.
# After the start PGHOST, PGPORT, PGUSER, PGDATABASE and PATH lead to it. Also exported:
#   PGFIT_SCRATCH    the temporary folder, for anything a test writes
#   PGFIT_BINDIR     the copy's programs      PGFIT_DATA, PGFIT_LOG   data folder, server log
#   PGFIT_SERVER_USER                         who runs the server

PGFIT_MAKE=(${PGFIT_MAKE[@]+"${PGFIT_MAKE[@]}"})
PGFIT_PROGRAMS="postgres initdb pg_ctl pg_config psql pg_dump pg_dumpall pg_restore pg_basebackup pg_isready
    pg_controldata pg_waldump createdb dropdb createuser pgbench vacuumdb pg_upgrade pg_resetwal pg_receivewal"

# The server's user and the folder of its files.
as_server() {
    if [ "$(id -u)" -eq 0 ]; then
        (cd "$PGFIT_SCRATCH" && exec runuser -u "$PGFIT_SERVER_USER" -- "$@")
    else
        (cd "$PGFIT_SCRATCH" && exec "$@")
    fi
}

# In the background, with a wait: bash handles signals during wait, but not during a foreground command.
run() {
    local status=0
    "$@" &
    PGFIT_CHILD=$!
    wait "$PGFIT_CHILD" || status=$?
    PGFIT_CHILD=
    return $status
}

private_server_stop() {
    trap - EXIT
    trap '' INT TERM HUP
    if [ -n "${PGFIT_CHILD:-}" ]; then
        kill "$PGFIT_CHILD" 2>/dev/null && wait "$PGFIT_CHILD" 2>/dev/null || true
    fi
    if [ -n "${PGFIT_SCRATCH:-}" ] && [ -d "$PGFIT_SCRATCH" ]; then
        if [ -f "$PGFIT_DATA/postmaster.pid" ]; then
            as_server "$PGFIT_BINDIR/pg_ctl" -D "$PGFIT_DATA" -m immediate -w -t 20 stop >/dev/null 2>&1 || true
        fi
        cd /
        rm -rf "$PGFIT_SCRATCH" 2>/dev/null || { sleep 1; rm -rf "$PGFIT_SCRATCH"; }
    fi
    PGFIT_SCRATCH=
}

private_folder() {
    local variable parent
    for variable in $(compgen -e | grep '^PG' | grep -v -e '^PG_CONFIG$' -e '^PGFIT_'); do
        unset "$variable"
    done
    if [ "$(id -u)" -eq 0 ]; then
        PGFIT_SERVER_USER=postgres
        id -u postgres >/dev/null 2>&1 || PGFIT_SERVER_USER=nobody
    else
        PGFIT_SERVER_USER=$(id -un)
    fi
    for parent in "${TMPDIR:-/tmp}" /tmp /var/tmp; do
        PGFIT_SCRATCH=$(mktemp -d "$parent/pgfit.XXXXXX" 2>/dev/null) || continue
        # the path of a socket has at most 107 bytes, and the user of the server must be able to enter the folder
        chmod 755 "$PGFIT_SCRATCH"
        if [ ${#PGFIT_SCRATCH} -le 80 ] && as_server true 2>/dev/null; then
            break
        fi
        rmdir "$PGFIT_SCRATCH"
        PGFIT_SCRATCH=
    done
    [ -n "$PGFIT_SCRATCH" ] || die "no temporary folder that user $PGFIT_SERVER_USER can use: set TMPDIR"
    PGFIT_DATA=$PGFIT_SCRATCH/data
    PGFIT_LOG=$PGFIT_SCRATCH/log/server.log
    trap private_server_stop EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    trap 'exit 129' HUP
    export PGFIT_SCRATCH PGFIT_DATA PGFIT_LOG PGFIT_SERVER_USER
}

# The relocated copy: $PGFIT_SCRATCH/<every absolute path of the installation>.
private_installation() {
    local config=$1 bindir libdir sharedir program
    bindir=$("$config" --bindir)
    libdir=$("$config" --pkglibdir)
    sharedir=$("$config" --sharedir)
    PGFIT_BINDIR=$PGFIT_SCRATCH$bindir
    mkdir -p "$PGFIT_BINDIR" "$PGFIT_SCRATCH$libdir" "$PGFIT_SCRATCH$sharedir/extension"
    for program in $PGFIT_PROGRAMS; do
        [ ! -e "$bindir/$program" ] || cp -L "$bindir/$program" "$PGFIT_BINDIR/$program"
    done
    "$PGFIT_BINDIR/postgres" -V >/dev/null 2>&1 ||
        die "programs cannot run from $PGFIT_SCRATCH: set TMPDIR to a folder on a file system mounted without noexec"
    find "$libdir" -mindepth 1 -maxdepth 1 ! -name 'pgfit*' -exec ln -s -t "$PGFIT_SCRATCH$libdir" {} +
    find "$sharedir" -mindepth 1 -maxdepth 1 ! -name extension -exec ln -s -t "$PGFIT_SCRATCH$sharedir" {} +
    find "$sharedir/extension" -mindepth 1 -maxdepth 1 ! -name 'pgfit*' \
        -exec ln -s -t "$PGFIT_SCRATCH$sharedir/extension" {} +
    export PGFIT_BINDIR
}

private_server_start() {
    local config setting log source=$repo
    config=$(find_pg_config) || die "no PostgreSQL installation to build with: run scripts/setup.sh"
    private_folder
    log=$PGFIT_SCRATCH/build.log
    if [ -n "${PGFIT_APART:-}" ]; then
        source=$PGFIT_SCRATCH/source
        mkdir "$source"
        (cd "$repo" && find Makefile pgfit.control pgfit_distributed.control src sql scripts -type f ! -name '*.o' | tar -cf - -T -) | tar -xf - -C "$source"
    fi
    run make -s -C "$source" -j "$(processors)" PG_CONFIG="$config" ${WERROR:+WERROR=1} "${PGFIT_MAKE[@]}" all \
        >"$log" 2>&1 || { cat "$log" >&2; die "pgfit did not build"; }
    private_installation "$config"
    run make -s -C "$source" PG_CONFIG="$config" ${WERROR:+WERROR=1} "${PGFIT_MAKE[@]}" install INSTALL_STRIP_FLAG= DESTDIR="$PGFIT_SCRATCH" \
        >"$log" 2>&1 || { cat "$log" >&2; die "pgfit could not be copied into $PGFIT_SCRATCH"; }
    chmod -R a+rX "$PGFIT_SCRATCH"

    server_folders "$PGFIT_SCRATCH"
    run as_server "$PGFIT_BINDIR/initdb" -D "$PGFIT_DATA" -U postgres -A trust -E UTF8 --locale=C.UTF-8 --no-sync \
        >"$log" 2>&1 ||
        run as_server "$PGFIT_BINDIR/initdb" -D "$PGFIT_DATA" -U postgres -A trust -E UTF8 --no-locale --no-sync \
            >"$log" 2>&1 || { cat "$log" >&2; die "initdb failed"; }
    {
        say "listen_addresses = ''"
        say "fsync = off"
        say "jit = off" # compiling takes longer than most tests
        say "shared_buffers = 128MB"
        say "max_wal_size = 2GB"
        say "max_prepared_transactions = 4"
        say "autovacuum = off" # else plans, and the order of rows, depend on when it analyzes a table
        say "max_worker_processes = 128" # several tests run at a time, and each gets the workers that it plans with
        say "max_parallel_workers = 128"
        say "timezone = 'UTC'"
        for setting in "$@"; do say "$setting"; done
    } >"$PGFIT_SCRATCH/settings.conf"
    chmod 644 "$PGFIT_SCRATCH/settings.conf"
    as_server sh -c "echo \"include '$PGFIT_SCRATCH/settings.conf'\" >>'$PGFIT_DATA/postgresql.conf'; cp -a '$PGFIT_DATA' '$PGFIT_SCRATCH/log/new'"
    if [ -n "${PGFIT_WRAP:-}" ]; then
        mv "$PGFIT_BINDIR/postgres" "$PGFIT_BINDIR/postgres.real"
        printf '#!/bin/sh\n[ "$1" = -V ] && exec "%s" "$@"\nexec %s "%s" "$@"\n' "$PGFIT_BINDIR/postgres.real" \
            "$PGFIT_WRAP" "$PGFIT_BINDIR/postgres.real" >"$PGFIT_BINDIR/postgres"
        chmod 755 "$PGFIT_BINDIR/postgres"
    fi
    private_server_up || { cat "$PGFIT_LOG" >&2; die "the server did not start"; }
    export PGPORT=5432 PGUSER=postgres PGDATABASE=postgres PSQLRC=/dev/null
    export PSQL_PAGER= PAGER=cat
    export PATH=$PGFIT_BINDIR:$PATH
}

# Makes the folders of a server below $1, and makes PGHOST etc. lead there.
server_folders() {
    mkdir -p "$1/socket" "$1/log" "$1/data"
    chmod 700 "$1/data" "$1/socket"
    if [ "$(id -u)" -eq 0 ]; then
        chown "$PGFIT_SERVER_USER" "$1/data" "$1/socket" "$1/log"
    fi
    export PGFIT_DATA=$1/data PGFIT_LOG=$1/log/server.log PGHOST=$1/socket
}

private_server_up() {
    run as_server "$PGFIT_BINDIR/pg_ctl" -D "$PGFIT_DATA" -l "$PGFIT_LOG" -o "-k '$PGHOST'" -w -t 180 start >/dev/null 2>&1
}

# A server that a test may crash or reconfigure, from the data folder as initdb left it.
another_server_start() {
    local new=$PGFIT_SCRATCH/log/new
    server_folders "$1"
    export PGFIT_SCRATCH=$1
    as_server cp -a "$new/." "$PGFIT_DATA"
    private_server_up || { cat "$PGFIT_LOG" >&2; die "the server did not start"; }
}

another_server_stop() {
    as_server "$PGFIT_BINDIR/pg_ctl" -D "$PGFIT_DATA" -m immediate -w -t 20 stop >/dev/null 2>&1
    rm -rf "$PGFIT_SCRATCH"
}
