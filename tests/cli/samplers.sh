# Samplers: processes that play the environments of those who learn. What is learned is the same bit for bit, whoever plays,
# also when a run goes on with others; and one sentence for what cannot be.
source "$(dirname "$0")/common.bash"
source "$(dirname "$0")/ranks.bash"
cd "$work" || exit 1

small=(--envs 8 --height 44 --width 44 --stack 2 --threads 1 --network "conv 8x8/4, fc 32" --eval-episodes 2
    --max-episode-frames 200 --log-every 640 --seed 7 --steps 5 --frames 6400 --eval-every 3200 --schedule constant
    --random-steps 20)
replay=(--replay 800 --batch 8 --learn-start 320 --train-every 8 --target-every 80)
log_of() { cut -d, -f1,4- "$1/log.csv"; }
weights_of() { sha256sum <"$1/policy.safetensors"; }
alone() { # OPTIONS...
    checks=$((checks + 1))
    "$MEGACADE" train "$@" >"$work/out" 2>"$work/err" || fail "one process: $* ($(cat "$work/err"))"
}
trains() { # COUNT OPTIONS... - that go well and say nothing on standard error
    checks=$((checks + 1))
    ranks "$@" || fail "exit code $?: ranks $* ($(cat "$work/err"))"
    [ ! -s "$work/err" ] || fail "writes to standard error: ranks $* ($(cat "$work/err"))"
}
same() { # TEXT A B
    holds "$1: the same log" "$(log_of "$2")" = "$(log_of "$3")"
    holds "$1: the same weights" "$(weights_of "$2")" = "$(weights_of "$3")"
}

# ---- the same as without ----

for run in a2c vtrace ppo dqn rainbow; do
    options=("${small[@]}")
    algo=$run
    case $run in
    a2c) options+=(--lives terminal) ;;
    vtrace) options+=(--batches 2 --steps-per-update 2 --lives episode --stack 4) ;;
    ppo) options+=(--minibatches 2 --sticky 0.25 --stack 1) ;;
    dqn) options+=("${replay[@]}" --concurrent yes) ;;
    rainbow)
        algo=dqn
        options+=("${replay[@]}" --double-q yes --dueling yes --prioritised yes --noisy yes --atoms 11 --n-steps 3
            --priority-weight 1)
        ;;
    esac
    alone $algo --out $run.0 "${options[@]}"
    holds "$run: has episodes" "$(tail -n 1 $run.0/log.csv | cut -d, -f6)" -gt 8
    trains 2 $algo --out $run.1 "${options[@]}" --samplers 1 --groups 3
    same "$run, 1 sampler" $run.0 $run.1
    trains 3 $algo --out $run.2 "${options[@]}" --samplers 2 --groups 2
    same "$run, 2 samplers" $run.0 $run.2
    # In two parts, by others: two samplers, then one, then none.
    trains 3 $algo --out $run.part "${options[@]}" --samplers 2 --frames 2560
    trains 2 --out $run.part --resume --samplers 1 --frames 4480
    alone --out $run.part --resume --samplers 0 --frames 6400
    holds "$run: in three parts the same weights" "$(weights_of $run.0)" = "$(weights_of $run.part)"
    alone $algo --out $run.late "${options[@]}" --frames 2560
    trains 3 --out $run.late --resume --samplers 2 --frames 6400
    holds "$run: samplers that come later" "$(weights_of $run.0)" = "$(weights_of $run.late)"
done
# Groups that are too small for all samplers, and more threads.
trains 5 a2c --out a2c.4 "${small[@]}" --lives terminal --samplers 4 --groups 4 --json
output '"ranks": 5'
output '"samplers": 4'
same "a2c, 4 samplers" a2c.0 a2c.4
trains 2 ppo --out threads "${small[@]}" --minibatches 2 --sticky 0.25 --stack 1 --plain yes --samplers 1 --threads 2
alone ppo --out threads.0 "${small[@]}" --minibatches 2 --sticky 0.25 --stack 1 --plain yes --threads 2
same "ppo with 2 threads" threads.0 threads

# Two who learn, with one sampler each.
for run in a2c dqn; do
    options=("${small[@]}")
    [ $run = dqn ] && options+=("${replay[@]}" --concurrent yes)
    trains 2 $run --out $run.pair "${options[@]}"
    trains 4 $run --out $run.pairs "${options[@]}" --samplers 2 --groups 2
    same "$run, 2 learners with a sampler each" $run.pair $run.pairs
done

# ---- sudden ends ----

# ends_soon TEXT - all leave within 30 seconds, with a failure.
ends_soon() {
    local start=$SECONDS
    all_leave 2>/dev/null
    holds "$1: all leave with a failure" $? -ge 1
    holds "$1: within 30 seconds" $((SECONDS - start)) -lt 30
}

long=("${small[@]}" --eval-every 0 --frames 4e7 --checkpoint-seconds 0.2)
in_background=1 ranks 3 a2c --out killed "${long[@]}" --samplers 2
has_begun killed
kill -KILL "${processes[2]}"
ends_soon "a sampler is killed"
holds "and one line says which" "$(grep -c '^megacade: ' "$work/err")" -eq 1 -a -n "$(grep '^megacade: rank 0 of 3: rank 2 is gone' "$work/err")"
frames=$(python3 -c "print(($(tail -n 1 killed/log.csv | cut -d, -f1) // 640 + 40) * 640)")
trains 2 --out killed --resume --samplers 1 --frames "$frames" --checkpoint-seconds 300
alone a2c --out lived "${small[@]}" --eval-every 0 --frames "$frames"
same "a run whose sampler was killed" killed lived

in_background=1 ranks 2 a2c --out orphaned "${long[@]}" --samplers 1
has_begun orphaned
kill -KILL "${processes[0]}"
ends_soon "the learner is killed"
holds "and its sampler says so" -n "$(grep '^megacade: rank 1 of 2: rank 0 is gone' "$work/err")"

# The learner decides when a run is interrupted; a signal to a sampler alone changes nothing.
in_background=1 ranks 2 a2c --out told "${long[@]}" --samplers 1
has_begun told
kill -TERM "${processes[1]}"
sleep 0.5
holds "a sampler that is told to stop goes on" -e "/proc/${processes[1]}"
kill -TERM "${processes[0]}"
all_leave
holds "a signal to the learner: both are interrupted" $? -eq 130
holds "and the learner says so" -n "$(grep Interrupted "$work/out")"
holds "and nobody complains" ! -s "$work/err"

# ---- what cannot be ----

refuses 2 "samplers = 2 needs processes besides the one that learns: start 3" "$MEGACADE" train a2c --out x "${small[@]}" --samplers 2
refuses_all "2 samplers of 2 processes leave none that learns; at most 1 can be" 2 a2c --out x "${small[@]}" --samplers 2
refuses_all "2 samplers cannot be shared by 3 learners; of 5 processes 4 can sample" 5 a2c --out x "${small[@]}" --samplers 2
refuses_all "envs of 8 cannot be shared by 3 processes; 9 can" 4 a2c --out x "${small[@]}" --samplers 3
refuses_all "asynchronous = false or samplers = 0" 2 a2c --out x "${small[@]}" --samplers 1 --asynchronous yes
refuses_all "resets = now or samplers = 0" 2 a2c --out x "${small[@]}" --samplers 1 --resets pause
refuses_all "already has a run" 2 a2c --out a2c.0 "${small[@]}" --samplers 1
refuses 2 "samplers" "$MEGACADE" train a2c --out x "${small[@]}" --samplers -1
# A sampler that cannot do its part tells its learner. (A sanitizer needs more memory than any limit.)
if ! grep -q __asan_init "$MEGACADE"; then
    printf '#!/bin/bash\n[ "$RANK" = 0 ] || ulimit -v 1000000\nexec "%s" "$@"\n' "$MEGACADE" >limited
    chmod +x limited
    MEGACADE=$work/limited refuses_all "^megacade: rank 1: .*memory" 2 a2c --out x "${small[@]}" --envs 20000 --samplers 1
fi

# ---- mpirun ----

mpirun=$(command -v mpirun) && [ -e "$(dirname "$MEGACADE")/megacade_mpi.so" ] || mpirun=
if [ -n "$mpirun" ]; then
    [ "$(id -u)" != 0 ] || export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 # Open MPI leaves memory behind
    export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
    passes timeout 120 "$mpirun" -np 3 "$MEGACADE" train a2c --out a2c.mpi "${small[@]}" --lives terminal --samplers 2
    same "a2c under mpirun" a2c.0 a2c.mpi
    passes timeout 120 "$mpirun" -np 4 "$MEGACADE" train dqn --out dqn.mpi "${small[@]}" "${replay[@]}" --concurrent yes --samplers 2
    same "dqn under mpirun" dqn.pair dqn.mpi
    timeout 120 "$mpirun" -np 2 bash -c 'echo $$ >"process.$OMPI_COMM_WORLD_RANK"; exec "$@"' - "$MEGACADE" \
        train a2c --out mpi.killed "${long[@]}" --samplers 1 >"$work/out" 2>"$work/err" &
    job=$!
    has_begun mpi.killed
    start=$SECONDS
    kill -KILL "$(cat process.1)"
    wait $job
    code=$?
    holds "a sampler is killed under mpirun: the job fails ($code)" $code -ne 0 -a $code -ne 124
    holds "and ends within 30 seconds" $((SECONDS - start)) -lt 30
    checks=$((checks + 1))
    timeout 120 "$mpirun" -np 2 "$MEGACADE" train a2c --out x "${small[@]}" --samplers 2 >"$work/out" 2>"$work/err" &&
        fail "samplers alone under mpirun"
    [ "$(grep -c '^megacade: ' "$work/err")" -eq 1 ] || fail "not one line under mpirun: $(cat "$work/err")"
else
    echo "no mpirun, or no module for it: not tested"
fi
finish
