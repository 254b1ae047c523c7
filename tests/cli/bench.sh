# Benchmarks of the built-in game: the checksum depends on the work, not on how it is divided.
source "$(dirname "$0")/common.bash"

checksum() {
    "$MEGACADE" bench --seconds 0.02 --json "$@" |
        python3 -c 'import json, sys; print(json.load(sys.stdin)["checksum"])' ||
        echo "failed $RANDOM$RANDOM" # equal to no other
}

passes "$MEGACADE" bench --seconds 0.05 --repeat 3 --envs 2 --json
output_is_json
checks=$((checks + 1))
python3 -c '
import json, sys
result = json.load(sys.stdin)
for key in ("game device load envs threads frame_skip obs seconds raw_fps steps resets start_seconds checksum version").split():
    assert key in result, key
frames = result["steps"] * result["frame_skip"] * result["envs"]
assert abs(frames / result["seconds"] - result["raw_fps"]) < 1e-6 * result["raw_fps"], result
assert result["best_fps"] >= result["raw_fps"] > 0 and result["seconds"] >= 0.05, result
' <"$work/out" || fail "the object that bench --json prints"
passes "$MEGACADE" bench --seconds 0.02 --envs 3 --threads 2
output '^frames/s '

first=$(checksum --envs 4)
holds "twice the same" "$first" = "$(checksum --envs 4)"
holds "with threads" "$first" = "$(checksum --envs 4 --threads 3)"
holds "without fast paths" "$first" = "$(checksum --envs 4 --plain)"
holds "interpreted" "$first" = "$(checksum --envs 4 --no-translate)"
holds "resets in the next step, where nothing ended" "$first" = "$(checksum --envs 4 --autoreset next)"
holds "not with other work" "$first" != "$(checksum --envs 5)"
aligned=$(checksum --envs 4 --aligned)
holds "aligned, with threads" "$aligned" = "$(checksum --envs 4 --aligned --threads 2)"
holds "aligned is other work" "$aligned" != "$first"
for obs in none ram; do
    holds "obs $obs" "$(checksum --envs 2 --obs $obs)" = "$(checksum --envs 2 --obs $obs --threads 2 --plain)"
done

# Two that share a file: nobody is measured before both have warmed up, then one after the other.
for i in 1 2; do
    "$MEGACADE" bench --envs 4 --seconds 0.3 --json --alone "$work/turn" >"$work/alone$i" 2>"$work/words$i" &
    pids[i]=$!
done
for i in 1 2; do
    wait "${pids[i]}"
    holds "program $i of two that take turns" $? -eq 0
    holds "its checksum" "$(python3 -c 'import json, sys; print(json.load(sys.stdin)["checksum"])' <"$work/alone$i")" = "$first"
done
# A file that somebody holds is waited for.
checks=$((checks + 1))
python3 - "$MEGACADE" "$work/turn" <<'PYTHON' || fail "waiting for a turn"
import fcntl, subprocess, sys
with open(sys.argv[2]) as file:
    fcntl.flock(file, fcntl.LOCK_SH)  # another that warms up
    bench = subprocess.Popen([sys.argv[1], "bench", "--seconds", "0.01", "--json", "--alone", sys.argv[2]], stdout=subprocess.PIPE)
    try:
        bench.wait(1.5)
        sys.exit("it was measured beside another")
    except subprocess.TimeoutExpired:
        fcntl.flock(file, fcntl.LOCK_UN)
    words, _ = bench.communicate(timeout=60)
    assert bench.returncode == 0 and b"checksum" in words
PYTHON
refuses 1 "--alone: $work/nowhere/turn: No such file or directory" "$MEGACADE" bench --seconds 0.01 --alone "$work/nowhere/turn"
refuses 2 "are for --load emulate" "$MEGACADE" bench --load infer --alone "$work/turn"

# Environments and a network together, with and without groups in turns.
passes python3 bench/sampling_speed.py --program "$MEGACADE" --game comet_catch --threads 1 --envs 1,2 --seconds 0.02 \
    --repeats 1 --out "$work/sampling.csv"
holds "a line for each point that can be" "$(wc -l <"$work/sampling.csv")" -eq 6
checks=$((checks + 1))
python3 - "$work/sampling.csv" <<'PYTHON' || fail "the columns of the file"
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert [(row["per_thread"], row["groups"]) for row in rows] == [("1", "0"), ("1", "1"), ("2", "0"), ("2", "1"), ("2", "2")]
assert all(int(row["samples_per_second"]) == int(row["per_thread_samples"]) > 0 for row in rows)
PYTHON
refuses 2 "--groups: --table sets it" "$MEGACADE" bench --table fast-dqn --groups 3

# The variants of Fast DQN: each learns once in four steps, whatever plays and waits.
cat >"$work/tiny.conf" <<'PRESET'
# a table in a second
algo = dqn
height = 42
width = 42
stack = 2
network = small
replay = 4000
batch = 8
learn_start = 200
train_every = 4
target_every = 80
PRESET
passes "$MEGACADE" bench --table fast-dqn --preset "$work/tiny.conf" --seconds 0.05 --json
checks=$((checks + 1))
python3 -c '
import json, sys
rows = [json.loads(line) for line in sys.stdin]
variants = {(row["samplers"], row["concurrent"], row["synchronized"]) for row in rows}
assert len(rows) == len(variants) == 14, variants
for row in rows:
    updates = row["updates_per_second"] / row["raw_fps"] * 16
    assert 0.9 < updates < 1.1, row
    assert abs(row["hours"] - 200e6 / row["raw_fps"] / 3600) < 1e-9 * row["hours"], row
    assert abs(row["speedup"] - row["raw_fps"] / rows[0]["raw_fps"]) < 1e-9, row
assert rows[0]["paper_hours"] == 25.08 and rows[-1]["paper_hours"] == 9.02
' <"$work/out" || fail "the objects that bench --table fast-dqn prints"
passes "$MEGACADE" bench --table fast-dqn --preset "$work/tiny.conf" --seconds 0.02
output '^8 .* (2.78)'
refuses 2 "use fast-dqn" "$MEGACADE" bench --table slow-dqn
refuses 2 "--envs: --table sets it" "$MEGACADE" bench --table fast-dqn --envs 3
refuses 2 "not for dqn" "$MEGACADE" bench --table fast-dqn --preset demo
finish
