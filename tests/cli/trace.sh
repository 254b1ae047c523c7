# Traces of the built-in game: the format, and that the same arguments give the same lines.
source "$(dirname "$0")/common.bash"
cd "$work" || exit 1

passes "$MEGACADE" trace --seed 1 --frames 300
cp out first
passes "$MEGACADE" trace --seed 1 --frames 300
holds "the same seed gives the same lines" -z "$(diff out first)"
passes "$MEGACADE" trace --seed 1 --frames 300 --plain
holds "fast paths change nothing" -z "$(diff out first)"
passes "$MEGACADE" trace --seed 2 --frames 300
holds "another seed gives other lines" -n "$(diff out first)"
passes "$MEGACADE" trace --seed 1 --frames 300 --out file
holds "nothing on standard output" ! -s out
holds "a file holds what standard output gets" -z "$(diff file first)"
holds "no part is left" ! -e file.part

checks=$((checks + 1))
python3 - first <<'PYTHON' || fail "the format of a trace"
import re, sys
lines = open(sys.argv[1]).read().splitlines()
head = [line for line in lines if line.startswith("#")]
body = [line for line in lines if not line.startswith("#")]
assert re.fullmatch(r"# megacade \S+ game=\S+ md5=[0-9a-f]{32} screen=\d+x160", head[0]), head[0]
assert head[1] == ("# acts=300 seed=1 ale_seed=0 mode=None difficulty=None frame_skip=1 sticky=0.0 hold=1 "
                   "strength=1.0"), head[1]
assert head[-1] == "# kind n action reward lives over trunc frame eframe ram screen", head[-1]
line = re.compile(r"(R \d+ - -|A \d+ \d+ -?\d+) \d+ [01] [01] \d+ \d+ [0-9a-f]{16} [0-9a-f]{16}")
assert all(line.fullmatch(text) for text in body)
assert body[0].startswith("R 0 - - ")
acts = [text.split() for text in body if text[0] == "A"]
assert [int(act[1]) for act in acts] == list(range(1, 301))

# The action stream, as its description has it.
mask = (1 << 64) - 1
state, actions = 1, []
legal = [int(text) for text in head[3].split("=")[1].split(",")]
for _ in range(300):
    state = (state + 0x9E3779B97F4A7C15) & mask
    z = ((state ^ state >> 30) * 0xBF58476D1CE4E5B9) & mask
    z = ((z ^ z >> 27) * 0x94D049BB133111EB) & mask
    z ^= z >> 31
    actions.append(legal[(z >> 32) * len(legal) >> 32])
assert [int(act[2]) for act in acts] == actions
PYTHON

passes "$MEGACADE" trace --frames 0
holds "no act: one line" "$(grep -c -v '^#' out)" -eq 1
passes "$MEGACADE" trace --frames 6 --hold 3 --actions 0,1,2 --audio --averaging --frame-skip 2
output ' ram screen audio$'
holds "an action is held" "$(grep '^A' out | cut -d' ' -f3 | uniq | wc -l)" -le 2
passes "$MEGACADE" trace --frames 10 --reset-every 4
holds "resets after acts 0, 4 and 8" "$(grep '^R' out | cut -d' ' -f2 | tr '\n' ' ')" = "0 4 8 "
passes "$MEGACADE" trace --frames 40 --max-episode-frames 9
holds "episodes are cut" "$(grep -c '^R' out)" -ge 4
passes "$MEGACADE" trace --frames 5 --actions minimal --extra-resets 1 --ale-seed 7 --sticky 0.25
output ' sticky=0.25 '
output ' resets_before_play=1 '
finish
