# PPO, A2C+V-trace, DQN and Rainbow learn the built-in game on the CPU: from 3 points, which is random play, to the score
# below within the seconds below, on two cores. Runs alone (tests/CMakeLists.txt), so that the time is its own.
source "$(dirname "$0")/common.bash"
cd "$work" || exit 1

learns() { # NAME SCORE SECONDS OPTIONS...
    local name=$1 score=$2 limit=$3
    passes timeout 600 "$MEGACADE" train --out "$name" --stop-score "$score" --json "${@:4}"
    checks=$((checks + 1))
    python3 - "$work/out" "$score" "$limit" <<'PYTHON' || fail "$name does not learn"
import json, sys
result = json.loads(open(sys.argv[1]).read())
score, limit = float(sys.argv[2]), float(sys.argv[3])
print(f"score {result['eval_mean']} in {result['seconds']:.0f} s, {result['raw_fps']:.0f} frames/s", file=sys.stderr)
assert result["eval_mean"] >= score, "the score was not reached"
assert result["time_to_score_s"] <= limit, f"it took {result['time_to_score_s']:.0f} s"
PYTHON
}

learns ppo 15 90 --preset demo
learns vtrace 12 90 --preset demo-vtrace
learns dqn 10 120 --preset demo-dqn
learns rainbow 10 120 --preset demo-rainbow
finish
