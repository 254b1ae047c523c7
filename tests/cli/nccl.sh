# Runs whose gradients go from GPU to GPU, with fakes of the driver, cuBLASLt and NCCL: networks learn nothing here, but the
# program goes through all of its motions. tests/unit/test_cuda_reduce.c has the means themselves.
source "$(dirname "$0")/common.bash"
source "$(dirname "$0")/ranks.bash"
[ -f "${FAKE_NCCL:-}" ] || exit 77
export MEGACADE_LIBCUDA=$FAKE_CUDA MEGACADE_NVRTC=$FAKE_NVRTC MEGACADE_CUBLASLT=$FAKE_CUBLASLT MEGACADE_NCCL=$FAKE_NCCL
export MEGACADE_CACHE=$work/cache FAKE_CUDA_DEVICES=2 FAKE_NCCL_LOG=$work/nccl.log
cd "$work" || exit 1

small=(--device cuda --envs 8 --height 44 --width 44 --stack 2 --threads 1 --network "conv 8x8/4, fc 32" --eval-episodes 2
    --max-episode-frames 200 --log-every 640 --seed 7 --steps 5 --frames 1280 --eval-every 0)
replay=(--replay 800 --batch 8 --learn-start 320 --train-every 8 --target-every 80)
result() { python3 -c 'import json, sys; print(json.loads(sys.argv[1].splitlines()[-1])[sys.argv[2]])' "$(cat "$work/out")" "$1"; }
# A run of COUNT ranks, and $samplers, whose gradients go by WAY; by NCCL once in each update, and it is left in order.
goes() { # COUNT WAY ALGO OPTIONS...
    local count=$1 way=$2 algo=$3 all=$(($1 + ${samplers:-0})) updates
    shift 3
    checks=$((checks + 1))
    rm -f "$FAKE_NCCL_LOG"
    rm -rf run
    ranks "$all" "$algo" --out run --json "${small[@]}" --samplers "${samplers:-0}" "$@" || fail "exit code $?: ranks $count $algo $* ($(cat "$work/err"))"
    [ ! -s "$work/err" ] || fail "writes to standard error: ranks $count $algo $* ($(cat "$work/err"))"
    holds "$algo $*: by $way, not by $(result reduce)" "$(result reduce)" = "$way"
    if [ "$way" = nccl ]; then
        updates=$(result updates)
        holds "$algo $*: $updates updates, and as many means of each rank ($(cat "$FAKE_NCCL_LOG"))" \
            "$(grep -c "of $count: $updates means of .*, destroyed" "$FAKE_NCCL_LOG")" -eq "$count"
    else
        holds "$algo $*: NCCL is not asked" ! -e "$FAKE_NCCL_LOG"
    fi
}

# ---- how gradients go ----

for run in a2c vtrace ppo dqn rainbow concurrent; do
    case $run in
    vtrace) options=(vtrace --batches 2 --steps-per-update 2) ;;
    ppo) options=(ppo --minibatches 2) ;;
    dqn) options=(dqn "${replay[@]}") ;;
    rainbow) options=(dqn "${replay[@]}" --double-q yes --dueling yes --prioritised yes --noisy yes --atoms 11 --n-steps 3) ;;
    concurrent) options=(dqn "${replay[@]}" --concurrent yes) ;;
    *) options=($run) ;;
    esac
    goes 2 nccl "${options[@]}"
    MEGACADE_NCCL=/nowhere goes 2 host "${options[@]}"
done
goes 1 none a2c
goes 1 nccl a2c --reduce nccl
goes 2 host a2c --reduce host
goes 2 host a2c --device cuda:0      # one GPU for both
FAKE_NCCL_RANK=1 FAKE_NCCL_VERSION=21403 goes 2 host a2c
goes 2 host a2c --device cpu
goes 2 none a2c --asynchronous yes

# Samplers take no part: here they have no GPU, no driver and no NCCL. ranks_of COUNT: the first so many have.
ranks_of() {
    printf '#!/bin/bash\n[ "$RANK" -lt %s ] || export %s\nexec "%s" "$@"\n' "$1" \
        "MEGACADE_LIBCUDA=/nowhere MEGACADE_NVRTC=/nowhere MEGACADE_CUBLASLT=/nowhere MEGACADE_NCCL=/nowhere" \
        "$MEGACADE" >"learners.$1"
    chmod +x "learners.$1"
}
ranks_of 1
ranks_of 2
for run in a2c concurrent; do
    options=(a2c)
    [ $run = a2c ] || options=(dqn "${replay[@]}" --concurrent yes)
    MEGACADE=$work/learners.2 samplers=2 goes 2 nccl "${options[@]}" --groups 2 --reduce nccl
    MEGACADE=$work/learners.2 samplers=4 goes 2 nccl "${options[@]}" --groups 2
done
MEGACADE=$work/learners.1 samplers=2 goes 1 nccl a2c --reduce nccl
MEGACADE=$work/learners.1 samplers=2 goes 1 none a2c
samplers=2 goes 2 host a2c --device cuda:0

# In words, at the beginning.
passes "$MEGACADE" train a2c --out words "${small[@]}" --reduce nccl
output "^1 process; gradients go through NCCL 2.28.9$"
ranks 2 a2c --out shared "${small[@]}" --device cuda:0 || fail "ranks that share a GPU"
output "^2 processes; gradients go through the host's memory: ranks 0 and 1 are on the same GPU$"
MEGACADE=$work/learners.2 ranks 4 a2c --out apart "${small[@]}" --samplers 2 || fail "learners with samplers"
output "^2 learners, 2 samplers; gradients go through NCCL 2.28.9$"

# A run goes on the way it went, and is looked at without GPUs.
passes "$MEGACADE" train --out words --resume --frames 1920
output "NCCL 2.28.9"
passes "$MEGACADE" eval words --device cpu --episodes 1

# ---- what cannot be ----

nccl=(a2c --out x "${small[@]}" --reduce nccl)
MEGACADE_NCCL=/nowhere refuses_all "^megacade: NCCL was not found; .*reduce = host" 2 "${nccl[@]}"
FAKE_NCCL_VERSION=2804 refuses_all "^megacade: NCCL 2.8.4 is too old: 2.10.0 is needed" 2 "${nccl[@]}"
FAKE_NCCL_RANK=1 FAKE_NCCL_VERSION=21403 refuses_all \
    "^megacade: reduce = nccl cannot be: rank 1 has NCCL 2.14.3 and rank 0 has 2.28.9; all need the same" 2 "${nccl[@]}"
refuses_all "^megacade: reduce = nccl cannot be: ranks 0 and 1 are on the same GPU" 2 "${nccl[@]}" --device cuda:0
FAKE_NCCL_INIT=2 refuses_all "^megacade: ncclCommInitRank failed: unhandled system error" 2 "${nccl[@]}"
refuses_all "^megacade: rank 2: no GPU has number 2" 3 "${nccl[@]}" --envs 9
refuses 2 "NCCL connects GPUs: set reduce = auto" "$MEGACADE" train "${nccl[@]}" --device cpu
refuses 2 "reduce = auto or asynchronous = false" "$MEGACADE" train "${nccl[@]}" --asynchronous yes
refuses 2 "reduce" "$MEGACADE" train a2c --out x --reduce pigeons

# ---- sudden ends ----

# ends_with PATTERN - all leave with a failure within 30 seconds, and rank 0 says that.
ends_with() {
    local start=$SECONDS
    all_leave
    holds "all leave with a failure" $? -ne 0
    holds "within 30 seconds" $((SECONDS - start)) -lt 30
    holds "rank 0 says '$1' ($(cat "$work/err"))" -n "$(grep "^megacade: rank 0 of [234]: .*$1" "$work/err")"
}
endless=("${small[@]}" --envs 12 --frames 4e9 --log-every 4e8 --checkpoint-seconds 0.2 --schedule constant)
export FAKE_CUDA_DEVICES=3
for run in a2c concurrent; do
    options=($run)
    [ $run = a2c ] || options=(dqn "${replay[@]}" --batch 12 --train-every 12 --target-every 240 --concurrent yes)
    rm -f "$FAKE_NCCL_LOG"
    in_background=1 ranks 3 "${options[@]}" --out killed.$run "${endless[@]}"
    is_there killed.$run/checkpoint
    kill -KILL "${processes[2]}"
    ends_with "rank 2 is gone"
    holds "$run: NCCL is left in the middle ($(cat "$FAKE_NCCL_LOG"))" "$(grep -c "aborted" "$FAKE_NCCL_LOG")" -eq 2
done
# With samplers: a learner, or a sampler of the learner that the first one waits for.
for run in 1 3; do
    rm -f "$FAKE_NCCL_LOG"
    MEGACADE=$work/learners.2 in_background=1 ranks 4 a2c --out killed.$run "${endless[@]}" --samplers 2 --groups 2
    is_there killed.$run/checkpoint
    kill -KILL "${processes[$run]}"
    if [ $run = 1 ]; then
        ends_with "rank 1 is gone"
    else
        ends_with "rank 1 has failed and ends; it has said why"
        holds "and it has ($(cat "$work/err"))" -n "$(grep "^megacade: rank 1 of 4: rank 3 is gone" "$work/err")"
    fi
done
for failure in FAKE_NCCL_ERROR FAKE_NCCL_REDUCE; do
    export $failure=6 FAKE_NCCL_AFTER=5
    in_background=1 ranks 2 a2c --out x.$failure "${small[@]}"
    ends_with "remote process exited or there was a network error"
    # One rank alone, and the others do not know why.
    export FAKE_NCCL_RANK=1
    in_background=1 ranks 2 a2c --out x1.$failure "${small[@]}"
    ends_with "rank 1 has failed and ends; it has said why"
    holds "and it has ($(cat "$work/err"))" -n "$(grep "^megacade: rank 1 of 2: .*network error" "$work/err")"
    unset $failure FAKE_NCCL_AFTER FAKE_NCCL_RANK
done

# ---- mpirun ----

mpirun=$(command -v mpirun) && [ -e "$(dirname "$MEGACADE")/megacade_mpi.so" ] || mpirun=
if [ -n "$mpirun" ]; then
    [ "$(id -u)" != 0 ] || export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 # Open MPI leaves memory behind
    export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
    rm -f "$FAKE_NCCL_LOG"
    passes timeout 120 "$mpirun" -np 2 "$MEGACADE" train a2c --out mpi "${small[@]}" --json
    holds "under mpirun by NCCL" "$(result reduce)" = nccl
    holds "which is left in order" "$(grep -c destroyed "$FAKE_NCCL_LOG")" -eq 2
    rm -f "$FAKE_NCCL_LOG"
    passes timeout 120 "$mpirun" -np 4 "$MEGACADE" train a2c --out mpi.4 "${small[@]}" --samplers 2 --reduce nccl --json
    holds "samplers under mpirun are not in it" "$(grep -c "of 2: .*destroyed" "$FAKE_NCCL_LOG")" -eq 2
else
    echo "no mpirun, or no module for it: not tested"
fi
finish
