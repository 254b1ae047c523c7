# What drifting apart costs, on the fake GPU: three points of a game, counted lanes, and what is reported.
source "$(dirname "$0")/common.bash"
[ -f "${FAKE_CUDA:-}" ] || exit 77
export MEGACADE_LIBCUDA=$FAKE_CUDA MEGACADE_NVRTC=$FAKE_NVRTC

divergence() {
    python3 bench/gpu_divergence.py --program "$MEGACADE" --games comet_catch --envs 3 --early 33 --late 40 \
        --seconds 0.02 "$@"
}

passes divergence --lanes --out "$work/points.csv"
output '^comet_catch .*%$'
output '^median '
checks=$((checks + 1))
python3 - "$work/points.csv" <<'PYTHON' || fail "the columns of the file"
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert [row["when"] for row in rows] == ["aligned", "early", "late"], rows
assert [row["warmup"] for row in rows] == ["33", "33", "40"], rows
assert all(int(row["fps"]) > 0 and float(row["lanes"]) > 0 for row in rows), rows
PYTHON
checks=$((checks + 1))
MEGACADE_LIBCUDA=/dev/null/nowhere divergence >"$work/out" 2>"$work/err"
[ $? -eq 2 ] || fail "nothing measured gives 2"
finish
