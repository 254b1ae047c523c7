#!/usr/bin/env bash
# check_install.sh CMAKE BUILD_DIR CC VERSION - installs a build into a temporary folder and compiles a small
# program against it: with pkg-config (shared and static) and with find_package(megacade).
set -euo pipefail
cmake=$1 build=$2 cc=$3 version=$4
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root

expect() { # PROGRAM: runs it and compares the first word with the version
    local said
    said=$("$1") || { echo "FAIL: $1 does not run" >&2; exit 1; }
    [ "${said%% *}" = "$version" ] || { echo "FAIL: $1 printed '$said', expected version $version" >&2; exit 1; }
}

# Staged as a packager does it, then used from the stage: nothing may point at the final prefix.
DESTDIR=$work/stage "$cmake" --install "$build" --prefix /opt/megacade >/dev/null
mv "$work/stage/opt/megacade" "$root"
libdir=$(dirname "$(find "$root" -name libmegacade.a)")
export PKG_CONFIG_PATH=$libdir/pkgconfig

[ -x "$root/bin/megacade" ] || { echo "FAIL: bin/megacade was not installed" >&2; exit 1; }
"$root/bin/megacade" --version | grep -qF "$version" || { echo "FAIL: megacade --version" >&2; exit 1; }
[ "$(find "$root/include" -type f | wc -l)" = 1 ] || { echo "FAIL: more than one header installed" >&2; exit 1; }
[ "$(pkg-config --modversion megacade)" = "$version" ] || { echo "FAIL: version in megacade.pc" >&2; exit 1; }

# shellcheck disable=SC2046 # the flags are words
"$cc" "$here/consumer.c" -o "$work/shared" $(pkg-config --cflags --libs megacade) -Wl,-rpath,"$libdir"
expect "$work/shared"
# shellcheck disable=SC2046
"$cc" "$here/consumer.c" -o "$work/static" $(pkg-config --cflags megacade) \
    "$libdir/libmegacade.a" $(pkg-config --static --libs-only-l megacade | sed 's/-lmegacade//')
expect "$work/static"

"$cmake" -S "$here" -B "$work/find_package" -DCMAKE_C_COMPILER="$cc" -DCMAKE_PREFIX_PATH="$root" >/dev/null
"$cmake" --build "$work/find_package" >/dev/null
expect "$work/find_package/consumer_shared"
expect "$work/find_package/consumer_static"
