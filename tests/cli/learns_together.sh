# Processes that do not wait for each other learn the built-in game, which is 3 points at random: asynchronous A2C (A3C),
# PPO (APPO) and DQN, two of each on two cores. Runs alone (tests/CMakeLists.txt), so that the time is its own.
source "$(dirname "$0")/common.bash"
source "$(dirname "$0")/ranks.bash"
cd "$work" || exit 1

learns() { # NAME SCORE SECONDS OPTIONS...
    local name=$1 score=$2 limit=$3
    checks=$((checks + 1))
    ranks 2 "${@:4}" --out "$name" --asynchronous yes --stop-score "$score" --json || fail "$name: $(cat "$work/err")"
    checks=$((checks + 1))
    python3 - "$work/out" "$score" "$limit" "$name" <<'PYTHON' || fail "$name does not learn"
import json, sys
result = json.load(open(sys.argv[1]))
score, limit, name = float(sys.argv[2]), float(sys.argv[3]), sys.argv[4]
assert result["ranks"] == 2 and result["ended"] == "score" and result["eval_mean"] >= score, f"{name} did not reach {score}"
print(f"{name}: score {result['eval_mean']:.1f} in {result['time_to_score_s']:.0f} s, {result['raw_fps']:.0f} frames/s")
assert result["time_to_score_s"] <= limit, f"{name} took {result['time_to_score_s']:.0f} s"
PYTHON
}

learns a3c 9 120 a2c --frames 4e6 --envs 32 --height 42 --width 42 --stack 2 --lives terminal --network small \
    --discount 0.9 --learning-rate 2e-3 --eval-every 200e3 --eval-episodes 20 --log-every 50e3
learns appo 12 120 ppo --preset demo --frames 2e6
learns async-dqn 10 120 dqn --preset demo-dqn --concurrent no --frames 2e6
finish
