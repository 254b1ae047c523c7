# `megacade train`, `eval`, `record --policy` and `bench --load`: the files of a run; runs that repeat, and that go on
# after every kind of end as if there had been none; errors.
source "$(dirname "$0")/common.bash"
image=$PWD/roms/comet_catch.bin
cd "$work" || exit 1

small=(--envs 4 --height 44 --width 44 --stack 2 --threads 1 --network "conv 8x8/4, fc 32" --eval-episodes 2
    --max-episode-frames 200 --log-every 400 --seed 7)
train() { # ALGO DIR OPTIONS...
    "$MEGACADE" train "$1" --out "$2" "${small[@]}" "${@:3}"
}
# starts COMMAND... - in the background, without words; $child is the program itself, which signals can be sent to.
starts() {
    "$@" >/dev/null 2>&1 &
    child=$!
}
# The log without what depends on the clock.
log_of() { cut -d, -f1,4- "$1/log.csv"; }
weights_of() { sha256sum <"$1/policy.safetensors"; }

# ---- files ----

passes train ppo whole --steps 20 --frames 3200 --eval-every 1600 --json
output_is_json
output '"frames": 3200'
output '"ended": "frames"'
for file in config.json log.csv checkpoint policy.safetensors policy.onnx curve.png; do
    holds "a run writes $file" -s whole/$file
done
holds "and events for TensorBoard" -n "$(ls whole/events.out.tfevents.*)"
holds "the log has a row for every 400 frames" "$(wc -l <whole/log.csv)" -eq 9
passes train ppo again --steps 20 --frames 3200 --eval-every 1600
output 'Done after 3200 frames'
holds "the same seed gives the same log" "$(log_of whole)" = "$(log_of again)"
holds "and the same weights" "$(weights_of whole)" = "$(weights_of again)"

# ---- going on ----

replay=(--replay 500 --batch 8 --learn-start 200 --train-every 8 --target-every 80)
for run in a2c vtrace ppo dqn pause; do
    options=(--steps 5 --frames 4800 --eval-every 1600 --minibatches 2)
    algo=$run
    [ $run = pause ] && algo=vtrace options+=(--resets pause --max-episode-frames 60 --groups 2)
    [ $algo = vtrace ] && options+=(--batches 2 --steps-per-update 2)
    [ $algo = dqn ] && options+=("${replay[@]}" --concurrent yes --prioritised yes --dueling yes --atoms 11)
    passes train $algo full.$run "${options[@]}"
    # A first part, and the rest. Nothing may depend on how long the run was meant to be.
    passes train $algo part.$run "${options[@]}" --frames 2400 --schedule constant --priority-weight 1
    passes train $algo whole.$run "${options[@]}" --schedule constant --priority-weight 1
    passes "$MEGACADE" train --out part.$run --resume --frames 4800
    holds "$run: a run in two parts has the same weights" "$(weights_of part.$run)" = "$(weights_of whole.$run)"
    # Interrupted by a signal, then by a sudden end, at any moment.
    for signal in INT TERM KILL; do
        folder=$run.$signal
        starts "$MEGACADE" train $algo --out $folder "${small[@]}" "${options[@]}" --checkpoint-seconds 0.05
        sleep 0.$((RANDOM % 3 + 1))
        kill -$signal $child 2>/dev/null
        wait $child 2>/dev/null
        code=$?
        [ $signal = KILL ] || holds "$run, $signal: the run ends well or says that it was interrupted ($code)" \
            $code -eq 0 -o $code -eq 130 -o $code -eq $((128 + $(kill -l $signal)))
        if [ -e $folder/checkpoint ]; then
            passes "$MEGACADE" train --out $folder --resume
        else
            rm -rf $folder # it was too early
            passes train $algo $folder "${options[@]}"
        fi
        holds "$run, $signal: the log is that of a run without an end" "$(log_of full.$run)" = "$(log_of $folder)"
        holds "$run, $signal: and so are the weights" "$(weights_of full.$run)" = "$(weights_of $folder)"
    done
done

# Sudden ends between checkpoints, until it is done.
for _ in $(seq 40); do
    if [ -e killed/checkpoint ]; then
        starts "$MEGACADE" train --out killed --resume --checkpoint-seconds 0.1
    else
        rm -rf killed
        starts "$MEGACADE" train ppo --out killed "${small[@]}" --steps 20 --frames 16000 --checkpoint-seconds 0.1
    fi
    sleep 0.$((RANDOM % 4 + 2))
    kill -KILL $child 2>/dev/null
    wait $child 2>/dev/null
    [ $? -eq 137 ] || break
done
passes "$MEGACADE" train --out killed --resume
passes train ppo lived --steps 20 --frames 16000
holds "a run that was killed again and again has the same weights" "$(weights_of killed)" = "$(weights_of lived)"
holds "and the same log" "$(log_of killed)" = "$(log_of lived)"

# ---- policies ----

passes "$MEGACADE" eval whole --episodes 3 --json
output_is_json
output '"episodes": 3'
cp "$work/out" first
passes "$MEGACADE" eval whole --episodes 3 --json
holds "an evaluation repeats" -z "$(cmp first "$work/out")"
passes "$MEGACADE" eval whole --policy greedy
passes "$MEGACADE" record --policy whole --frames 40 --scale 1 --out policy.gif
passes "$MEGACADE" record --policy whole --frames 40 --scale 1 --out again.gif
holds "a film of a policy repeats" -z "$(cmp policy.gif again.gif)"
passes "$MEGACADE" bench --load infer --envs 4 --seconds 0.05 --json
output '"load": "infer"'
passes "$MEGACADE" bench --load train --algo vtrace --envs 4 --obs 44x44 --seconds 0.05 --resets pause --json
output '"updates_per_second"'
passes "$MEGACADE" eval full.dqn --episodes 2
passes "$MEGACADE" record --policy full.dqn --frames 40 --scale 1 --out q.gif
passes "$MEGACADE" bench --load train --preset demo-dqn --seconds 0.05 --json
output '"algo": "dqn"'
passes "$MEGACADE" train --list-presets
for preset in demo demo-gpu fast-ppo bench-vtrace bench-ppo cule-a2c cule-vtrace cule-ppo stooke-a2c stooke-ppo stooke-a3c stooke-appo \
    demo-dqn demo-rainbow fast-dqn cule-dqn cule-rainbow stooke-dqn stooke-catdqn stooke-erainbow; do
    output "^$preset "
done

# An image of the user's: the run knows which game it is, or that it must be told.
cp "$image" mine.bin
passes train a2c mine --rom mine.bin --steps 5 --frames 400
passes "$MEGACADE" eval mine --episodes 1
output '1 episodes'
head -c 2048 "$image" >unknown.bin
passes train a2c unknown --rom unknown.bin --steps 5 --frames 400 --full-actions yes
refuses 2 "unknown" "$MEGACADE" eval unknown --episodes 1
passes "$MEGACADE" eval unknown --rom unknown.bin --episodes 1

# ---- errors ----

refuses 2 "which algorithm" "$MEGACADE" train --out x
refuses 2 "no algorithm 'pop'" "$MEGACADE" train pop --out x
refuses 2 "where to" "$MEGACADE" train ppo
refuses 2 "did you mean demo" "$MEGACADE" train --preset dmeo --out x
refuses 2 "for ppo, not for a2c" "$MEGACADE" train a2c --preset demo --out x
refuses 2 "did you mean --learning-rate" "$MEGACADE" train ppo --learning-rat 1 --out x
refuses 2 "learning_rate" "$MEGACADE" train ppo --learning-rate much --out x
refuses 2 "6 can" "$MEGACADE" train vtrace --envs 7 --batches 3 --out x
refuses 2 "minibatches" "$MEGACADE" train ppo --envs 3 --steps 3 --minibatches 4 --out x
refuses 2 "learn_start of" "$MEGACADE" train dqn --learn-start 3 --out x
refuses 2 "noisy = false" "$MEGACADE" train dqn --noisy yes --concurrent yes --out x
refuses 2 "resets = now" "$MEGACADE" train dqn --resets pause --out x
refuses 2 "steps_per_update = 5" "$MEGACADE" train vtrace --steps 5 --steps-per-update 6 --resets pause --out x
refuses 2 "now, pause" "$MEGACADE" train ppo --resets later --out x
refuses 2 "now, pause" "$MEGACADE" bench --load train --resets often
refuses 2 "env_device" "$MEGACADE" train dqn --env-device moon --out x
refuses 1 "replay" "$MEGACADE" train dqn --envs 8 --steps 1 --replay 2e8 --out x
refuses 1 "conv 8x99/1" "$MEGACADE" train ppo --network "conv 8x99/1, fc 3" --out x
refuses 2 "pongg" "$MEGACADE" train ppo --game pongg --out x
refuses 1 "already has a run" train ppo whole
refuses 1 "learning_rate" "$MEGACADE" train --out whole --resume --learning-rate 0.5
refuses 2 "leave --preset out" "$MEGACADE" train --out whole --resume --preset demo
refuses 1 "config.json" "$MEGACADE" train --out nothing --resume
refuses 1 "config.json" "$MEGACADE" eval nothing
cp -r whole short && head -c 3000 whole/checkpoint >short/checkpoint
refuses 1 "cut short" "$MEGACADE" train --out short --resume --frames 4000
refuses 1 "cut short" "$MEGACADE" eval short
cp -r whole damaged && printf 'x' | dd of=damaged/checkpoint bs=1 seek=2500 conv=notrunc 2>/dev/null
refuses 1 "checkpoint" "$MEGACADE" train --out damaged --resume --frames 4000
starts "$MEGACADE" train ppo --out busy "${small[@]}" --frames 1e9
while [ ! -e busy/log.csv ] && kill -0 $child; do sleep 0.1; done
refuses 1 "another process" train ppo busy
kill -KILL $child
wait $child 2>/dev/null
refuses 1 "/dev/null" train ppo /dev/null/run --steps 5 --frames 400
refuses 2 "infer or train" "$MEGACADE" bench --load play
refuses 2 "no device\|cuda" "$MEGACADE" train ppo --device tpu --out x
finish
