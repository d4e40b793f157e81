#!/bin/bash
# A release: what make dist packs, META.json by the specification of PGXN, a build from it, and what is installed of that.
. "$(dirname "$0")/lib.sh"

git -C "$repo" rev-parse HEAD >/dev/null 2>&1 || { echo "ok - make dist packs a commit, and there is no git repository here # SKIP"; exit 0; }
version=$(sed -n "s/^default_version *= *'\(.*\)'/\1/p" "$repo/pgfit.control")
folder=$PGFIT_SCRATCH/dist
release=$folder/pgfit-$version
mkdir "$folder"
trap 'rm -rf "$folder"' EXIT
unset MAKEFLAGS MAKELEVEL MAKEOVERRIDES # those of a make that runs this
build() { make -s -C "$release" PG_CONFIG="${PGFIT_CONFIG:-$(find_pg_config)}" "$@"; }

# unpacked without the right to execute anything, as some tools do
make -s -C "$repo" dist && python3 -m zipfile -e "$repo/pgfit-$version.zip" "$folder"
ok $? 'make dist packs a zip'
is "$(cd "$release" && find . -type f -printf '%P\n' | sort)" \
    "$(git -C "$repo" ls-tree -r --name-only HEAD | grep -vE '^(\.ci/|\.github/|\.git[a-z]*$)' | sort)" \
    'of all files of the repository, but those that only its host reads'
is "$(python3 "$repo/test/server/pgxn_meta.py" "$release" 2>&1)" '' 'META.json has what PGXN wants, and names files that are there'

matches "$(build OPENBLAS_STATIC=/nowhere/libopenblas.a 2>&1)" 'there is no /nowhere/libopenblas.a.*libopenblas-serial-dev' \
    'without OpenBLAS the build ends with the name of the package'
is "$(find "$release" -name '*.o' | wc -l)" 0 'before it compiles anything'
build CC='env cc' build/double_kernels.a >"$folder/build.log" 2>&1 && [ -s "$release/build/double_kernels.a" ]
ok $? 'the compiler may be a command with arguments, such as ccache gcc'
# with the objects of the library that all other tests use, whose sources are the same files; the rest is made here
build build/flags && (cd "$repo" && find src -name '*.[od]' | tar -cf - -T -) | tar -xmf - -C "$release"
build -j "$(processors)" all >"$folder/build.log" 2>&1 || tail -n 20 "$folder/build.log"
# the folders of an image for extension_control_path
build install DESTDIR="$folder/image" datadir=/share pkglibdir=/lib >"$folder/install.log" 2>&1 || tail -n 20 "$folder/install.log"
is "$(cd "$folder/image" && find . -type f -printf '%P\n' | sort | paste -sd ' ')" \
    "lib/pgfit.so share/extension/pgfit--$version.sql share/extension/pgfit.control share/extension/pgfit_distributed--$version.sql share/extension/pgfit_distributed.control" \
    'it builds, and installs a library, and a script and a control file of each extension, in the folders that are asked for'
size=$(stat -c %s "$folder/image/lib/pgfit.so")
[ "$size" -lt 10485760 ]
ok $? "the installed library takes less than 10 MB ($size bytes)"
chmod -R a+rX "$folder"
psql -X -q -d postgres -c "LOAD '$folder/image/lib/pgfit.so'"
ok $? 'and loads'

# since 18, the server finds an extension in such folders, and here in these alone
if [ "$(psql -X -A -t -d postgres -c 'SHOW server_version_num')" -ge 180000 ]; then
    export PGDATABASE=pgfit_folders
    psql -X -q -d postgres -c 'CREATE DATABASE pgfit_folders'
    export PGOPTIONS="-c extension_control_path=$folder/image/share -c dynamic_library_path=$folder/image/lib"
    sql 'CREATE EXTENSION pgfit_distributed CASCADE' 2>"$folder/create.log" || cat "$folder/create.log"
    is "$(sql "SELECT round(pgfit.predict(pgfit.linear_regression(2 * i + 1, ARRAY[i]), ARRAY[4])) FROM generate_series(1, 9) AS i;
               SELECT string_agg(DISTINCT split_part(line, ' ', -1), ' ') FROM regexp_split_to_table(pg_read_file('/proc/self/maps'), '\n') AS line WHERE line ~ 'pgfit\.so'")" \
        "9"$'\n'"$folder/image/lib/pgfit.so" 'extension_control_path and dynamic_library_path lead a server to both extensions and the library'
    unset PGOPTIONS
    psql -X -q -d postgres -c 'DROP DATABASE pgfit_folders'
fi
