#!/bin/bash
# Runs a command of this repository for arm64 on a machine with another processor: "scripts/arm64.sh make tested",
# "scripts/arm64.sh make test TEST='core golden'". A cross compiler builds, the programs of PostgreSQL and the unit tests run
# under qemu's user mode, all else is this machine's. So it needs neither root nor a container, and changes nothing
# outside its folder: build/arm64, or PGFIT_ARM64.
#
# The folder holds the arm64 packages of this Debian, unpacked, and a copy of the sources to build in. Each program for arm64
# is a script that starts qemu, and still is where scripts/private-server.sh copies it. Delete the folder to begin anew.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh
[ $# -gt 0 ] || die "usage: scripts/arm64.sh COMMAND..."
scripts/setup.sh arm64
qemu=$(command -v qemu-aarch64-static)
mkdir -p "${PGFIT_ARM64:=$repo/build/arm64}"
folder=$(cd "$PGFIT_ARM64" && pwd -P)
root=$folder/root bin=$folder/bin source=$folder/source

# Makes a script of a program for arm64.
wrap() {
    mv "$1" "$1.arm64"
    printf '#!/bin/sh\nexec %s -L %s -0 "$0" %s "$@"\n' "$qemu" "$root" "$1.arm64" >"$1"
    chmod 755 "$1"
}

# Runs apt-get on lists of arm64 packages, in the folder.
apt_arm64() {
    (cd "$folder/debs" && apt-get -qq -o Dir::State=../apt -o Dir::State::status=../apt/status -o Dir::Cache=../apt -o Dir::Etc::sourceparts=- \
        -o Dir::Etc::sourcelist=../apt/sources.list -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Sandbox::User= -o Debug::NoLocking=1 "$@")
}

# Downloads and unpacks the server with the libraries that it is linked with; its package also wants Perl, LLVM and more.
unpack_packages() {
    local version file
    mkdir -p "$folder/apt/lists/partial" "$folder/apt/archives/partial" "$folder/debs" "$root.part"
    apt_sources deb >"$folder/apt/sources.list"
    : >"$folder/apt/status"
    apt_arm64 update
    version=$(apt_arm64 -s install postgresql | sed -n 's/^Inst postgresql-\([0-9]*\) .*/\1/p')
    apt_arm64 download libc6 libgcc-s1 libstdc++6 libgfortran5 libzstd1 liblz4-1 zlib1g liblzma5 libpam0g libaudit1 libcap-ng0 libssl3 libxml2 libicu72 \
        libgssapi-krb5-2 libkrb5-3 libk5crypto3 libkrb5support0 libcom-err2 libkeyutils1 libldap-2.5-0 libsasl2-2 libsystemd0 libcap2 libgcrypt20 \
        libgpg-error0 libuuid1 libxslt1.1 libreadline8 libedit2 libbsd0 libmd0 libtinfo6 libpq5 libselinux1 libpcre2-8-0 libgnutls30 libp11-kit0 \
        libidn2-0 libunistring2 libtasn1-6 libnettle8 libhogweed6 libgmp10 libffi8 libcrypt1 tzdata libopenblas-serial-dev libpq-dev \
        "postgresql-$version" "postgresql-client-$version" "postgresql-server-dev-$version" "postgresql-$version-pgtap" "postgresql-$version-cron"
    for file in "$folder"/debs/*.deb; do dpkg-deb -x "$file" "$root.part"; done
    rm -rf "$folder/debs" "$folder/apt"
    mv "$root.part" "$root"
    for file in "$root"/usr/lib/postgresql/*/bin/* "$root"/usr/lib/postgresql/*/lib/pgxs/src/test/regress/pg_regress; do
        [ "$(head -c 4 "$file" | tail -c 3)" != ELF ] || wrap "$file"
    done
}

[ -d "$root" ] || unpack_packages
rm -rf "$bin"
mkdir -p "$bin" "$source"
for tool in ar nm ld objcopy strip readelf; do ln -s "$(command -v "aarch64-linux-gnu-$tool")" "$bin/$tool"; done
printf '#!/bin/sh\nexec %s aarch64-linux-gnu-gcc "$@"\n' "$(command -v ccache)" >"$bin/gcc"
chmod 755 "$bin/gcc"
ln -s gcc "$bin/cc"
git ls-files -z | tar --null -cf - -T - | tar -xf - -C "$source"
ln -sf "$repo/docs/install.md" "$source/docs/install.md" # make tested writes its line into this page
export PATH=$bin:$PATH PG_CONFIG OPENBLAS_STATIC=$root/usr/lib/aarch64-linux-gnu/openblas-serial/libopenblas.a
PG_CONFIG=$(printf '%s\n' "$root"/usr/lib/postgresql/*/bin/pg_config)
export PGFIT_PROCESSOR=aarch64 PGFIT_EMULATOR="$qemu -L $root"
cd "$source"
"$@"
