# The translator shows its work; results are the same with it and without.
source "$(dirname "$0")/common.bash"
cd "$work" || exit 1
if ! command -v cc >/dev/null && ! command -v gcc >/dev/null && ! command -v clang >/dev/null; then
    echo "skipped: there is no C compiler"
    exit 77
fi
export MEGACADE_CACHE="$work/cache"

passes "$MEGACADE" translate --emit game.c
holds "--emit alone prints nothing" ! -s out
holds "--emit alone compiles nothing" ! -e cache
passes "$MEGACADE" translate --frames 500 --emit again.c --json
holds "the text is always the same" -z "$(cmp game.c again.c)"
output_is_json
checks=$((checks + 1))
python3 -c '
import json, sys
result = json.load(sys.stdin)
assert result["units"] == 1 and result["blocks"] > 50 and result["instructions"] > 500, result
assert result["coverage"] > 99.9 and result["translated"] <= result["played"], result
assert result["compile_seconds"] > 0 and result["code_size"] > 10000, result
' <"$work/out" || fail "the object that translate --json prints"
holds "the code is kept" "$(find cache -name '*.code' -perm 0600 | wc -l)" -eq 1
holds "nothing else is" "$(find cache -mindepth 1 | wc -l)" -eq 1
passes "$MEGACADE" translate --frames 500 --stats
output '^program '
output '^coverage *100'

# The C with the library headers in it is what the compiler sees; it has the disassembly as comments.
checks=$((checks + 1))
grep -q '/\* F[0-9A-F]* STA ' game.c || fail "no disassembly in the text"

passes "$MEGACADE" trace --frames 300 --no-translate --out interpreted
MEGACADE_TRANSLATE=now passes "$MEGACADE" trace --frames 300 --out translated
holds "traces are the same" -z "$(cmp interpreted translated)"
passes "$MEGACADE" record --frame 40 --no-translate --out a.png
MEGACADE_TRANSLATE=now passes "$MEGACADE" record --frame 40 --out b.png
holds "pictures are the same" -z "$(cmp a.png b.png)"

refuses 1 'MEGACADE_CC names no program' env MEGACADE_CC=/nowhere "$MEGACADE" translate
refuses 1 'failed' env MEGACADE_CC=false "$MEGACADE" translate
refuses 1 'cannot' "$MEGACADE" translate --emit /nowhere/game.c
refuses 2 'unknown game' "$MEGACADE" translate pongg
finish
