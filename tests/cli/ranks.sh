# Runs of several processes, over TCP and, where there is one, under mpirun: what one process does, bit for bit the same
# twice, the same after any end, and one sentence for what cannot be.
source "$(dirname "$0")/common.bash"
source "$(dirname "$0")/ranks.bash"
cd "$work" || exit 1

small=(--envs 8 --height 44 --width 44 --stack 2 --threads 1 --network "conv 8x8/4, fc 32" --eval-episodes 2
    --max-episode-frames 200 --log-every 640 --seed 7 --steps 5 --frames 6400 --eval-every 3200)
log_of() { cut -d, -f1,4- "$1/log.csv"; }
weights_of() { sha256sum <"$1/policy.safetensors"; }
trains() { # COUNT OPTIONS... - that go well and say nothing on standard error
    checks=$((checks + 1))
    ranks "$@" || fail "exit code $?: ranks $* ($(cat "$work/err"))"
    [ ! -s "$work/err" ] || fail "writes to standard error: ranks $* ($(cat "$work/err"))"
}
# The largest difference of two policies' parameters, over the largest parameter.
apart() {
    python3 - "$1/policy.safetensors" "$2/policy.safetensors" <<'PYTHON'
import array, struct, sys
def numbers(path):
    data = open(path, "rb").read()
    return array.array("f", data[8 + struct.unpack("<Q", data[:8])[0]:])
a, b = map(numbers, sys.argv[1:])
assert len(a) == len(b) and any(a)
print(f"{max(abs(x - y) for x, y in zip(a, b)) / max(map(abs, a)):.1e}")
PYTHON
}
is_near() { # NAME A B LIMIT
    local distance
    distance=$(apart "$2" "$3")
    echo "$1: $distance apart"
    holds "$1: $distance" "$(python3 -c "print(float('$distance') <= $4)")" = True
}

# ---- the same as one process ----

# Actions are drawn from probabilities that differ in the last bit, so that one of many may be another: runs are short.
short=("${small[@]}" --frames 640 --log-every 320 --eval-every 0 --plain yes)
"$MEGACADE" train a2c --out one "${short[@]}" >"$work/out" || fail "one process"
for count in 2 4; do
    trains $count a2c --out a2c.$count "${short[@]}"
    is_near "a2c, $count ranks against 1" one a2c.$count 1e-6
    holds "$count ranks play as many frames" "$(tail -n 1 a2c.$count/log.csv | cut -d, -f1)" = 640
    holds "and have as many episodes" "$(tail -n 1 a2c.$count/log.csv | cut -d, -f6)" = "$(tail -n 1 one/log.csv | cut -d, -f6)"
done
# The mean is over the samples that count, of all processes.
pause=(--resets pause --max-episode-frames 60)
"$MEGACADE" train a2c --out pause.one "${short[@]}" "${pause[@]}" >"$work/out" || fail "one process"
trains 2 a2c --out pause.2 "${short[@]}" "${pause[@]}"
is_near "a2c with resets in pauses, 2 ranks against 1" pause.one pause.2 1e-6
holds "and as many frames and samples" "$(tail -n 1 pause.2/log.csv | cut -d, -f1,4-6)" = \
    "$(tail -n 1 pause.one/log.csv | cut -d, -f1,4-6)"
whole=(--minibatches 1 --normalize no --epochs 2)
"$MEGACADE" train ppo --out ppo.one "${short[@]}" "${whole[@]}" >"$work/out" || fail "one process"
trains 2 ppo --out ppo.2 "${short[@]}" "${whole[@]}"
is_near "ppo, 2 ranks against 1" ppo.one ppo.2 1e-6

# ---- the same twice, and after an end ----

replay=(--replay 800 --batch 8 --learn-start 320 --train-every 8 --target-every 80)
for run in a2c vtrace ppo dqn rainbow; do
    options=("${small[@]}" --schedule constant --priority-weight 1)
    algo=$run
    case $run in
    vtrace) options+=(--batches 2 --steps-per-update 2) ;;
    ppo) options+=(--minibatches 2) ;;
    dqn) options+=("${replay[@]}" --concurrent yes) ;;
    rainbow)
        algo=dqn
        options+=("${replay[@]}" --double-q yes --dueling yes --prioritised yes --noisy yes --atoms 11 --n-steps 3)
        ;;
    esac
    trains 2 $algo --out $run.full "${options[@]}"
    trains 2 $algo --out $run.again "${options[@]}"
    holds "$run: the same log twice" "$(log_of $run.full)" = "$(log_of $run.again)"
    holds "$run: and the same weights" "$(weights_of $run.full)" = "$(weights_of $run.again)"
    trains 2 $algo --out $run.part "${options[@]}" --frames 3200
    cp -r $run.part $run.more
    trains 2 --out $run.part --resume --frames 6400
    holds "$run: in two parts the same weights" "$(weights_of $run.full)" = "$(weights_of $run.part)"
    # With another number of processes it goes on, from the same environments.
    trains 4 --out $run.more --resume --frames 6400
    holds "$run: with more processes to the end" "$(tail -n 1 $run.more/log.csv | cut -d, -f1)" = 6400
done
cp -r a2c.2 a2c.other && trains 4 --out a2c.other --resume --frames 960
"$MEGACADE" train --out one --resume --frames 960 >"$work/out" || fail "one process goes on"
is_near "a2c, 2 ranks and then 4 against 1" one a2c.other 1e-6

# ---- asynchronous ----

# One process alone waits for nobody, so it has to be the same; sums of several updates are rounded otherwise.
"$MEGACADE" train a2c --out sync "${small[@]}" >"$work/out" || fail "one process"
"$MEGACADE" train a2c --out async "${small[@]}" --asynchronous yes >"$work/out" || fail "one asynchronous process"
holds "one asynchronous process does what one does" "$(weights_of sync)" = "$(weights_of async)"
holds "and has the same log" "$(log_of sync)" = "$(log_of async)"
for optimizer in adam rmsprop rmsprop_centred; do
    options=("${small[@]}" --frames 1600 --log-every 800 --eval-every 0 --optimizer $optimizer --epochs 2 --minibatches 4)
    "$MEGACADE" train ppo --out $optimizer.1 "${options[@]}" >"$work/out" || fail "one process"
    "$MEGACADE" train ppo --out $optimizer.4 "${options[@]}" --asynchronous yes --sync-every 4 --pull-every 2 \
        >"$work/out" || fail "one asynchronous process"
    is_near "$optimizer, four updates at a time" $optimizer.1 $optimizer.4 1e-5
done
for run in a2c ppo dqn rainbow; do
    options=("${small[@]}" --asynchronous yes)
    algo=$run
    case $run in
    ppo) options+=(--minibatches 2 --sync-every 2 --pull-every 2) ;;
    dqn) options+=("${replay[@]}") ;;
    rainbow) algo=dqn options+=("${replay[@]}" --dueling yes --prioritised yes --noisy yes --atoms 11 --sync-every 3) ;;
    esac
    trains 3 $algo --out $run.async "${options[@]}" --envs 12 --target-every 120 --frames 7200
    frames=$(tail -n 1 $run.async/log.csv | cut -d, -f1)
    holds "$run: $frames frames in all" "$frames" -ge 7200 -a "$frames" -lt 9000
    trains 3 --out $run.async --resume --frames 14400
    frames=$(tail -n 1 $run.async/log.csv | cut -d, -f1)
    holds "$run: goes on to $frames frames" "$frames" -ge 14400 -a "$frames" -lt 16200
done
refuses 2 "asynchronous = false" "$MEGACADE" train dqn --out x "${small[@]}" "${replay[@]}" --concurrent yes --asynchronous yes

# ---- sudden ends ----

long=("${small[@]}" --schedule constant --eval-every 0)
in_background=1 ranks 4 a2c --out killed "${long[@]}" --frames 4e6 --checkpoint-seconds 0.2
has_begun killed
kill -KILL "${processes[2]}"
start=$SECONDS
wait "${processes[0]}"
holds "a rank is killed: rank 0 leaves" $? -eq 1
wait "${processes[1]}" "${processes[2]}" "${processes[3]}" 2>/dev/null
holds "within 30 seconds all have" $((SECONDS - start)) -lt 30
holds "and rank 0 names it" -n "$(grep '^megacade: rank 0 of 4: rank 2' "$work/err")"
frames=$(python3 -c "print(($(tail -n 1 killed/log.csv | cut -d, -f1) // 640 + 40) * 640)")
trains 4 --out killed --resume --frames "$frames" --checkpoint-seconds 300
trains 4 a2c --out lived "${long[@]}" --frames "$frames"
holds "a run that was killed has the same weights" "$(weights_of killed)" = "$(weights_of lived)"
holds "and the same log" "$(log_of killed)" = "$(log_of lived)"

# An asynchronous rank that cannot save ends the others, too, however far they are.
in_background=1 ranks 2 a2c --out gone "${long[@]}" --frames 4e9 --checkpoint-seconds 0.2 --asynchronous yes
is_there gone/checkpoint
mv gone moved
start=$SECONDS
all_leave
holds "all leave with a failure" $? -eq 1
holds "within 30 seconds" $((SECONDS - start)) -lt 30
holds "rank 0 says why" -n "$(grep '^megacade: rank 0 of 2: .*gone' "$work/err")"

# So does a signal to any of them.
in_background=1 ranks 2 a2c --out told "${long[@]}" --frames 4e9 --checkpoint-seconds 0.2 --asynchronous yes
is_there told/checkpoint
kill -TERM "${processes[1]}"
all_leave
holds "a signal to one: all end, and say that they were interrupted ($?)" -n "$(grep Interrupted "$work/out")"

# ---- what cannot be ----

refuses_all "4 processes are more than 2 environments" 4 a2c --out x "${small[@]}" --envs 2
refuses_all "envs of 8 cannot be shared by 3 processes; 9 can" 3 a2c --out x "${small[@]}"
refuses_all "batch of 9 cannot be shared" 2 dqn --out x "${small[@]}" "${replay[@]}" --batch 9
refuses_all "already has a run" 2 a2c --out a2c.2 "${small[@]}"
refuses_all "pongg" 2 a2c --game pongg --out x "${small[@]}"
refuses 2 "not auto, none, mpi or tcp" "$MEGACADE" train a2c --dist pigeons --out x
refuses 1 "WORLD_SIZE" env RANK=0 WORLD_SIZE=two "$MEGACADE" train a2c --out x "${small[@]}"

# ---- mpirun ----

mpirun=$(command -v mpirun) && [ -e "$(dirname "$MEGACADE")/megacade_mpi.so" ] || mpirun=
if [ -n "$mpirun" ]; then
    [ "$(id -u)" != 0 ] || export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 # Open MPI leaves memory behind
    export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
    passes timeout 120 "$mpirun" -np 2 "$MEGACADE" train a2c --out async.mpi "${small[@]}" --asynchronous yes --json
    output '"ranks": 2'
    for run in a2c dqn; do
        options=("${small[@]}" --schedule constant --priority-weight 1)
        [ $run = dqn ] && options+=("${replay[@]}" --concurrent yes)
        passes timeout 120 "$mpirun" -np 2 "$MEGACADE" train $run --out $run.mpi "${options[@]}" --json
        output '"ranks": 2'
        holds "$run: the same weights under mpirun as over TCP" "$(weights_of $run.mpi)" = "$(weights_of $run.full)"
        holds "$run: and the same log" "$(log_of $run.mpi)" = "$(log_of $run.full)"
    done
    checks=$((checks + 1))
    timeout 120 "$mpirun" -np 4 "$MEGACADE" train a2c --out x "${small[@]}" --envs 2 >"$work/out" 2>"$work/err" &&
        fail "more ranks than environments under mpirun"
    [ "$(grep -c '^megacade: ' "$work/err")" -eq 1 ] || fail "not one line under mpirun: $(cat "$work/err")"
    # One rank has too little memory for its part; the others must not wait in a store that will never be. (A sanitizer needs
    # more than any limit.)
    if ! grep -q __asan_init "$MEGACADE"; then
        checks=$((checks + 1))
        timeout 60 "$mpirun" -np 2 bash -c '[ "$OMPI_COMM_WORLD_RANK" = 0 ] || ulimit -v 2000000; exec "$@"' - "$MEGACADE" \
            train dqn --out x "${small[@]}" "${replay[@]}" --replay 2e6 --asynchronous yes >"$work/out" 2>"$work/err"
        code=$?
        [ $code -ne 0 ] && [ $code -ne 124 ] || fail "a rank without memory: exit code $code"
        [ "$(grep -c '^megacade: rank 1: ' "$work/err")" -eq 1 ] || fail "rank 0 does not say so: $(cat "$work/err")"
    fi
else
    echo "no mpirun, or no module for it: not tested"
fi
finish
