# The shared source is accepted by every compiler that has to read it: gcc and clang as C11, nvcc and NVRTC as
# CUDA. A compiler that is not there is skipped, and said to be. Warnings are errors. mega_translated*.h are parts of
# translated cartridges: they are compiled with the built-in game, for one console and for a warp of them.
set -u -o pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
source=tests/gpu/shared_source.cu
folders="src/console src/games src/env"
includes=$(for folder in $folders; do printf -- '-I%s ' "$folder"; done)
ran=0
failures=0

# compiles NAME COMMAND... - must end with 0 and without a word.
compiles() {
    local name=$1 code
    shift
    "$@" >"$work/out" 2>&1
    code=$?
    if [ $code -eq 77 ]; then
        echo "skipped: $name is not available"
        return
    fi
    ran=$((ran + 1))
    if [ $code -ne 0 ]; then
        failures=$((failures + 1))
        echo "FAILED: $name"
        head -40 "$work/out"
    else
        echo "passed: $name"
    fi
}

# The program is named as NVRTC wants it, which sees no files but headers.
translated=
if "$MEGACADE" translate --emit "$work/translated.h" >"$work/out" 2>&1; then
    translated=$work/translated.h
else
    failures=$((failures + 1))
    echo "FAILED: the built-in game cannot be translated"
    head -40 "$work/out"
fi
printf '#include "mega_warp.h"\nvoid play(mega_machine *m, mega_warp *warp);\n%s\n' \
    'void play(mega_machine *m, mega_warp *warp) { warp_run_frame(m, m->console, warp, 1, 1), warp_settle(m, warp, 1), warp_draw_ragged(m, 1); }' \
    >"$work/warp.c"
(echo '#define MEGA_PROGRAM "translated.h"' && cat src/engine/cuda/kernels.cu) >"$work/translated.cu"
# Translated code of one console has computed jumps, which are not ISO C.
strict="-x c -O1 -c -Wall -Wextra -Wconversion -Werror $includes"

for compiler in gcc clang; do
    if command -v $compiler >/dev/null; then
        compiles "$compiler as C11" $compiler -x c -std=c11 -O1 -c -Wall -Wextra -Wpedantic -Wconversion -Werror \
            $includes $source -o "$work/$compiler.o"
        if [ -n "$translated" ]; then
            compiles "$compiler: a translated cartridge" $compiler -std=gnu11 $strict "$translated" \
                -o "$work/$compiler.o"
            compiles "$compiler: the same for a warp" $compiler -std=c11 -Wpedantic $strict -DMEGA_AHEAD=1 \
                -DMEGA_PROGRAM="\"$translated\"" "$work/warp.c" -o "$work/$compiler.o"
        fi
    else
        echo "skipped: $compiler is not available"
    fi
done

# To PTX: what comes after that is the same for nvcc, NVRTC and the driver, and takes minutes.
nvcc=$(command -v nvcc || ls -d "${CUDA_HOME:-/usr/local/cuda}"/bin/nvcc 2>/dev/null)
if [ -n "$nvcc" ]; then
    compiles "nvcc" "$nvcc" -ptx -arch=sm_90 -fmad=false -Werror all-warnings $includes $source -o "$work/nvcc.ptx"
    for program in src/engine/cuda/*.cu; do
        compiles "nvcc: $program" "$nvcc" -ptx -arch=sm_90 -fmad=false -Werror all-warnings $includes $program \
            -o "$work/nvcc.ptx"
    done
    for bf16 in 0 1; do
        compiles "nvcc: src/nn/cuda/nn.cu, MEGA_BF16=$bf16" "$nvcc" -ptx -arch=sm_90 -fmad=false -Werror all-warnings \
            -DMEGA_BF16=$bf16 -Isrc/console -Isrc/nn src/nn/cuda/nn.cu -o "$work/nvcc.ptx"
    done
    compiles "nvcc: src/nn/cuda/replay.cu" "$nvcc" -ptx -arch=sm_90 -fmad=false -Werror all-warnings \
        -Isrc/console -Isrc/nn src/nn/cuda/replay.cu -o "$work/nvcc.ptx"
    if [ -n "$translated" ]; then
        compiles "nvcc: kernels.cu with a translated cartridge" "$nvcc" -ptx -arch=sm_90 -fmad=false \
            -Werror all-warnings $includes -Isrc/engine/cuda -I"$work" "$work/translated.cu" -o "$work/nvcc.ptx"
    fi
else
    echo "skipped: nvcc is not available"
fi

if gcc -std=c11 -D_XOPEN_SOURCE=700 -O1 tests/gpu/nvrtc_check.c -o "$work/nvrtc_check" -ldl; then
    libraries="libnvrtc.so libnvrtc.so.13 libnvrtc.so.12"
    for root in "${CUDA_HOME:-/usr/local/cuda}" ${nvcc:+"$(dirname "$nvcc")/.."}; do
        libraries="$libraries $root/lib64/libnvrtc.so $root/lib/libnvrtc.so"
    done
    compiles "NVRTC" "$work/nvrtc_check" $source $folders -- $libraries
    for program in nn.cu replay.cu; do
        compiles "NVRTC: $program" "$work/nvrtc_check" src/nn/cuda/$program src/console src/nn -- $libraries
    done
    compiles "NVRTC: kernels.cu" "$work/nvrtc_check" src/engine/cuda/kernels.cu $folders src/engine/cuda -- $libraries
    if [ -n "$translated" ]; then
        compiles "NVRTC: kernels.cu with a translated cartridge" "$work/nvrtc_check" "$work/translated.cu" $folders \
            src/engine/cuda "$work" -- $libraries
    fi
else
    echo "FAILED: nvrtc_check.c does not compile"
    failures=$((failures + 1))
fi

# The interfaces of the driver and of NCCL as we declare them, against NVIDIA's headers: the first found of NAME below
# some folders; NCCL's needs those of the toolkit as well.
same_interface() { # FILE DEFINE FOLDER...
    local build="gcc -std=c11 -Wall -Wextra -Werror -Iinclude -Isrc/engine -Isrc/engine/cuda -Isrc/nn/cuda $1" folders=
    local define=$2
    shift 2
    folders=$(printf -- '-isystem %s ' "$@")
    $build -o "$work/ours" && $build "-D$define" $folders -o "$work/theirs" &&
        "$work/ours" >"$work/ours.txt" && "$work/theirs" >"$work/theirs.txt" &&
        diff "$work/ours.txt" "$work/theirs.txt"
}
toolkit=${CUDA_HOME:-/usr/local/cuda}/include
find_header() { ls "$toolkit/$1" ${nvcc:+"$(dirname "$nvcc")/../include/$1"} "/usr/include/$1" "/usr/local/include/$1" 2>/dev/null | head -1; }
header=$(find_header cuda.h)
if [ -n "$header" ]; then
    compiles "the driver's interface against cuda.h" same_interface tests/gpu/driver_abi.c WITH_CUDA_H "$(dirname "$header")"
else
    echo "skipped: cuda.h is not available"
fi
runtime=$(find_header cuda_runtime.h)
nccl=$(find_header nccl.h)
if [ -n "$nccl" ] && [ -n "$runtime" ]; then
    compiles "NCCL's interface against nccl.h" same_interface tests/gpu/nccl_abi.c WITH_NCCL_H "$(dirname "$nccl")" \
        "$(dirname "$runtime")"
else
    echo "skipped: nccl.h is not available"
fi

[ $ran -gt 0 ] || exit 77
[ $failures -eq 0 ]
