# The sweep over games and sizes, on the fake GPU: its file, what it leaves out and what it reports.
source "$(dirname "$0")/common.bash"
[ -f "${FAKE_CUDA:-}" ] || exit 77
export MEGACADE_LIBCUDA=$FAKE_CUDA MEGACADE_NVRTC=$FAKE_NVRTC

sweep() {
    python3 bench/gpu_sweep.py --program "$MEGACADE" --games comet_catch --warmup 1 --seconds 0.02 "$@"
}

passes sweep --envs 2,3 --out "$work/points.csv"
output '^comet_catch '
holds "a line for each point" "$(wc -l <"$work/points.csv")" -eq 3
passes sweep --envs 2,3,4 --out "$work/points.csv" --resume
holds "only the new point" "$(wc -l <"$work/points.csv")" -eq 4
checks=$((checks + 1))
python3 - "$work/points.csv" <<'PYTHON' || fail "the columns of the file"
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert [row["envs"] for row in rows] == ["2", "3", "4"]
assert all(row["game"] == "comet_catch" and int(row["fps"]) > 0 and len(row["checksum"]) == 16 for row in rows)
PYTHON

checks=$((checks + 1))
sweep --envs 2,900000 >"$work/out" 2>"$work/err"
[ $? -eq 1 ] || fail "a point that fails gives 1"
output 'environments would fit'
checks=$((checks + 1))
MEGACADE_LIBCUDA=/dev/null/nowhere sweep --envs 2 >"$work/out" 2>"$work/err"
[ $? -eq 2 ] || fail "nothing measured gives 2"
grep -q 'nothing could be measured' "$work/err" || fail "no reason"
holds "57 classic games" "$(sort -u bench/classic57.txt | wc -l)" -eq 57
finish
