#!/usr/bin/env bash
# setup.sh [test|all] - installs what is missing on Debian 12 or Ubuntu 24.04, and says nothing when all is there.
#   (none)  what the build needs
#   test    also Open MPI, and the Python environment of the tests, in .venv/ (tests/requirements.txt)
#   all     test, and what developers use: clang, clang-format, dasm, ffmpeg (films other than GIF)
set -euo pipefail
cd "$(dirname "$0")/.."

what=${1:-build}
case "$what" in
build | test | all) ;;
*)
    echo "setup.sh: unknown argument '$what'; use test, all or nothing" >&2
    exit 2
    ;;
esac

fail() {
    echo "setup.sh: $*" >&2
    exit 1
}
have() { command -v "$1" >/dev/null 2>&1; }

# ---- system packages ----

missing=()
need() { # PACKAGE COMMAND...: the package is missing when the command fails
    local package=$1
    shift
    "$@" >/dev/null 2>&1 || missing+=("$package")
}
have_library() { # HEADER LIBRARY: a program that uses them compiles and links
    have cc && echo "#include <$1>
int main(void) { return 0; }" | cc -x c - -o /dev/null "-l$2"
}
have_python_headers() { # what the extension of the Python package is compiled with
    [ -f "$(python3 -c 'import sysconfig; print(sysconfig.get_paths()["include"])')/Python.h" ]
}

need build-essential have cc
need cmake have cmake
need ninja-build have ninja
need pkg-config have pkg-config
need libpng-dev have_library png.h png
need zlib1g-dev have_library zlib.h z
need libdnnl-dev have_library oneapi/dnnl/dnnl.h dnnl
if [ "$what" != build ]; then
    need python3-venv python3 -c 'import ensurepip, venv'
    need python3-dev have_python_headers
    need libopenmpi-dev have mpicc
    need openmpi-bin have mpirun
fi
if [ "$what" = all ]; then
    need clang have clang
    need clang-format have clang-format
    need dasm have dasm
    need ffmpeg have ffmpeg
fi

if [ ${#missing[@]} -gt 0 ]; then
    have apt-get || fail "missing: ${missing[*]}; install them with this system's package manager (there is no apt-get here)"
    if [ "$(id -u)" = 0 ]; then
        as_root=(env)
    elif have sudo; then
        as_root=(sudo env)
    else
        fail "missing: ${missing[*]}; run as root: apt-get install ${missing[*]}"
    fi
    as_root+=(DEBIAN_FRONTEND=noninteractive)
    echo "setup.sh: installing ${missing[*]}"
    log=$(mktemp)
    trap 'rm -f "$log"' EXIT
    install=(apt-get install -y --no-install-recommends "${missing[@]}")
    # The lists of packages are fetched only when the installation does not work without.
    "${as_root[@]}" "${install[@]}" >"$log" 2>&1 ||
        { "${as_root[@]}" apt-get update >"$log" 2>&1 && "${as_root[@]}" "${install[@]}" >"$log" 2>&1; } ||
        { tail -n 5 "$log" >&2; fail "apt-get could not install: ${missing[*]}"; }
fi

# ---- Python environment of the tests ----

if [ "$what" != build ]; then
    python=$(command -v python3)
    stamp=$("$python" --version)$'\n'$(cat tests/requirements.txt)
    if [ ! -x .venv/bin/python ] || [ "$(cat .venv/megacade-stamp 2>/dev/null)" != "$stamp" ]; then
        echo "setup.sh: making .venv with tests/requirements.txt"
        .venv/bin/python -c 'import pip' 2>/dev/null || "$python" -m venv --clear .venv ||
            fail "cannot make the Python environment .venv with $python"
        .venv/bin/python -m pip install --quiet --disable-pip-version-check -r tests/requirements.txt ||
            fail "pip could not install tests/requirements.txt; is there a network?"
        printf '%s\n' "$stamp" >.venv/megacade-stamp
    fi
fi
