# Traces from vectors, on the CPU and on a GPU, are those of a single environment, line by line. The GPU is the fake
# one of the unit tests, which runs the kernels' source on the host.
source "$(dirname "$0")/common.bash"
cd "$work" || exit 1
[ -f "${FAKE_CUDA:-}" ] || exit 77
export MEGACADE_LIBCUDA=$FAKE_CUDA MEGACADE_NVRTC=$FAKE_NVRTC

# same TEXT OPTION... - the lines do not depend on who plays.
same() {
    local text=$1 where
    shift
    passes "$MEGACADE" trace "$@"
    cp out alone
    for where in "--envs 3" "--device cuda" "--device cuda:0 --envs 5" "--device cuda --no-translate"; do
        # shellcheck disable=SC2086  # words
        passes "$MEGACADE" trace "$@" $where
        holds "$text, $where" -z "$(diff out alone)"
    done
}

same "acts" --seed 3 --frames 400
holds "there are lines" "$(grep -c '^A' alone)" -eq 400
same "resets" --frames 120 --reset-every 50 --extra-resets 1
same "short episodes, whose last act is not played to its end" --frames 60 --frame-skip 4 --sticky 0.25 \
    --max-episode-frames 30
holds "there are resets" "$(grep -c '^R' alone)" -ge 8
same "other settings" --frames 50 --actions 0,1,2 --hold 3 --ale-seed -5 --strength 0.5 --mode 0 --difficulty 0
same "a file" --frames 5 --actions minimal

for option in --audio --averaging --life-truncation; do
    refuses 2 "$option is for one environment on the CPU" "$MEGACADE" trace --device cuda $option
done
refuses 1 'no GPU has number 7' "$MEGACADE" trace --device cuda:7
refuses 2 'not a device' "$MEGACADE" trace --device cudo
FAKE_CUDA_LOST_AFTER=900 refuses 1 'GPU' "$MEGACADE" trace --device cuda --frames 4000
MEGACADE_LIBCUDA=/nonexistent refuses 1 'driver' "$MEGACADE" trace --device cuda
finish
