# What a machine may lack for --device cuda, and what may happen there: one line and exit code 1, and the CPU goes on.
source "$(dirname "$0")/common.bash"
[ -f "${FAKE_CUDA:-}" ] || exit 77
export MEGACADE_LIBCUDA=$FAKE_CUDA MEGACADE_NVRTC=$FAKE_NVRTC MEGACADE_CACHE=$work/cache

# fails PATTERN NAME=VALUE... - both commands.
fails() {
    local pattern=$1
    shift
    refuses 1 "$pattern" env "$@" "$MEGACADE" bench --device cuda --envs 2 --seconds 0.05
    refuses 1 "$pattern" env "$@" "$MEGACADE" trace --device cuda --frames 2000
}

fails 'no NVIDIA driver: .* was not found; device "cpu" works without one' MEGACADE_LIBCUDA=libnowhere.so
fails 'the NVIDIA driver cannot be loaded: .*device "cpu"' MEGACADE_LIBCUDA=/dev/null
fails 'no GPU: .*`nvidia-smi`.*device "cpu"' FAKE_CUDA_DEVICES=0
fails 'no GPU: .*CUDA_VISIBLE_DEVICES="7"; unset it' FAKE_CUDA_DEVICES=0 CUDA_VISIBLE_DEVICES=7
fails 'too old: it supports CUDA 11.8, and 12.0 is needed; update it to 525' FAKE_CUDA_VERSION=11080
fails 'made only for linking' FAKE_CUDA_INIT=34
fails 'MEGACADE_NVRTC names no library .*device "cpu"' MEGACADE_NVRTC=/dev/null/nowhere
fails 'environments would fit' FAKE_CUDA_MEMORY=60000000
for after in 0 1 20 100; do
    fails 'the GPU failed: .*; this process cannot use it any more' FAKE_CUDA_LOST_AFTER=$after
done
refuses 1 'no GPU has number 3: there are 2, "cuda:0" to "cuda:1"' env FAKE_CUDA_DEVICES=2 \
    "$MEGACADE" bench --device cuda:3
refuses 2 'no GPU.s number after the colon' "$MEGACADE" bench --device cuda:
refuses 1 '1000000 environments .* [0-9]* environments would fit' "$MEGACADE" bench --device cuda --envs 1000000
passes env FAKE_CUDA_DEVICES=2 "$MEGACADE" bench --device cuda:1 --envs 2 --seconds 0.05
passes env MEGACADE_CUDA_COUNT=1 "$MEGACADE" bench --device cuda --no-translate --envs 2 --seconds 0.05
output '^lanes  *1.0 of 32 are useful'
passes env MEGACADE_LIBCUDA=libnowhere.so "$MEGACADE" bench --device cpu --envs 2 --seconds 0.05
finish
