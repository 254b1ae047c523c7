# `megacade train` on a GPU: runs that repeat, that go on after a sudden end as if there had been none, and that meet a
# full disk or too little memory. Skipped, with the reason, where there is no GPU. $MEGACADE_TEST_DEVICE is another device.
packages=${VIRTUAL_ENV:-} # may have cuBLASLt
source "$(dirname "$0")/../cli/common.bash"
[ -z "$packages" ] || export VIRTUAL_ENV=$packages
device=${MEGACADE_TEST_DEVICE:-cuda}
cd "$work" || exit 1

if ! reason=$("$MEGACADE" bench --device "$device" --load train --algo ppo --envs 16 --seconds 0.01 2>&1); then
    echo "skipped: $reason"
    exit 77
fi

small=(--device "$device" --envs 32 --height 44 --width 44 --network "conv 16x8/4, conv 32x4/2, fc 64" --seed 7
    --frames 51200 --max-episode-frames 400 --log-every 6400 --eval-episodes 4 --eval-every 25600 --steps 10)
log_of() { cut -d, -f1,4- "$1/log.csv"; }
weights_of() { sha256sum <"$1/policy.safetensors"; }

# One process goes by NCCL only when it is told to, and that changes nothing.
nccl=
if [ "$device" != cpu ]; then
    if "$MEGACADE" train a2c --out nccl "${small[@]}" --frames 6400 --eval-every 0 --reduce nccl >"$work/out" 2>"$work/err"; then
        nccl=yes
        cat "$work/out"
    elif grep -q "NCCL was not found" "$work/err"; then
        echo "skipped: training by NCCL: $(cat "$work/err")"
    else
        fail "training by NCCL: $(cat "$work/err")"
    fi
fi

replay=(--replay 4000 --batch 32 --learn-start 640 --train-every 32 --target-every 640)
for run in a2c vtrace ppo paused dqn rainbow concurrent beside; do
    options=("${small[@]}")
    algo=$run
    case $run in
    dqn | rainbow | concurrent | beside) algo=dqn options+=("${replay[@]}") ;;&
    paused) algo=vtrace options+=(--resets pause --max-episode-frames 60 --groups 2) ;;
    rainbow) options+=(--double-q yes --dueling yes --prioritised yes --noisy yes --atoms 21 --n-steps 3 --optimizer adam) ;;
    concurrent) options+=(--concurrent yes --prioritised yes --replay-on-host yes) ;;
    beside) options+=(--concurrent yes --groups 4) ; [ "$device" = cpu ] || options+=(--env-device cpu) ;;
    esac
    [ $algo = vtrace ] && options+=(--batches 2 --steps-per-update 2)
    passes "$MEGACADE" train $algo --out $run.full "${options[@]}"
    passes "$MEGACADE" train $algo --out $run.again "${options[@]}"
    holds "$run: the same seed gives the same log" "$(log_of $run.full)" = "$(log_of $run.again)"
    holds "$run: and the same weights" "$(weights_of $run.full)" = "$(weights_of $run.again)"
    if [ -n "$nccl" ]; then
        passes "$MEGACADE" train $algo --out $run.nccl "${options[@]}" --reduce nccl
        output "gradients go through NCCL"
        holds "$run: by NCCL the same log" "$(log_of $run.full)" = "$(log_of $run.nccl)"
        holds "$run: and the same weights" "$(weights_of $run.full)" = "$(weights_of $run.nccl)"
    fi
    # Sudden ends between checkpoints, until it is done.
    for round in $(seq 12); do
        if [ -e $run.killed/checkpoint ]; then
            "$MEGACADE" train --out $run.killed --resume --checkpoint-seconds 0.2 >/dev/null 2>&1 &
        else
            rm -rf $run.killed
            "$MEGACADE" train $algo --out $run.killed "${options[@]}" --checkpoint-seconds 0.2 >/dev/null 2>&1 &
        fi
        child=$!
        sleep $((1 + round / 4)).$((RANDOM % 10))
        kill -KILL $child 2>/dev/null
        wait $child 2>/dev/null
        [ $? -eq 137 ] || break
    done
    if [ -e $run.killed/checkpoint ]; then
        passes "$MEGACADE" train --out $run.killed --resume
    else
        rm -rf $run.killed # it was always too early
        passes "$MEGACADE" train $algo --out $run.killed "${options[@]}"
    fi
    holds "$run: a run that was killed has the same log" "$(log_of $run.full)" = "$(log_of $run.killed)"
    holds "$run: and the same weights" "$(weights_of $run.full)" = "$(weights_of $run.killed)"
done

# A learner whose environments a sampler plays does what it does with those of its own host.
source "$(dirname "$0")/../cli/ranks.bash"
options=("${small[@]}" "${replay[@]}" --concurrent yes --groups 4 --threads 1 --random-steps 20)
passes "$MEGACADE" train dqn --out host "${options[@]}" --env-device cpu
checks=$((checks + 1))
ranks 2 dqn --out sampler "${options[@]}" --samplers 1 || fail "a sampler and a GPU: $(cat "$work/err")"
holds "with a sampler the same log" "$(log_of host)" = "$(log_of sampler)"
holds "and the same weights" "$(weights_of host)" = "$(weights_of sampler)"

# A limit on the size of files stands for a full disk: a sentence, and the run goes on from its checkpoint.
passes "$MEGACADE" train ppo --out disk "${small[@]}" --frames 25600
cp disk/checkpoint kept
refuses 1 "File too large" bash -c 'ulimit -f 20; trap "" XFSZ; exec "$@"' - "$MEGACADE" train --out disk --resume \
    --frames 51200 --checkpoint-seconds 0.01
holds "the checkpoint from before is there" -z "$(cmp kept disk/checkpoint)"
passes "$MEGACADE" train --out disk --resume --frames 51200

if [ "$device" != cpu ]; then
    refuses 1 "environments would fit" "$MEGACADE" train ppo --device "$device" --envs 1000000 --steps 4 --out large
fi
finish
