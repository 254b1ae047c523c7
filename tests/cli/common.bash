# common.bash - what the scripts in this folder share. Each script starts with
#     source "$(dirname "$0")/common.bash"
# and ends with `finish`. MEGACADE is the program. Every script has a folder of its own, $work, and sees no
# images but those it makes: only the built-in game is played.
set -u -o pipefail
: "${MEGACADE:?set MEGACADE to the program under test}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_DATA_HOME="$work/data" HOME="$work/home"
unset MEGACADE_ROMS VIRTUAL_ENV
mkdir -p "$work/empty_folder"
checks=0
failures=0

fail() {
    failures=$((failures + 1))
    echo "FAILED: $*" >&2
}

# passes COMMAND... - exits with 0 and says nothing on standard error; its output is in $work/out.
passes() {
    checks=$((checks + 1))
    "$@" >"$work/out" 2>"$work/err"
    local code=$?
    [ $code -eq 0 ] || fail "exit code $code: $* ($(cat "$work/err"))"
    [ ! -s "$work/err" ] || fail "writes to standard error: $*"
}

# refuses CODE PATTERN COMMAND... - exits with CODE after one line "megacade: ..." that matches PATTERN.
refuses() {
    local expected=$1 pattern=$2
    shift 2
    checks=$((checks + 1))
    "$@" >"$work/out" 2>"$work/err"
    local code=$?
    [ $code -eq "$expected" ] || fail "exit code $code, expected $expected: $*"
    [ "$(wc -l <"$work/err")" -eq 1 ] || fail "not one line of error: $*"
    grep -q '^megacade: ' "$work/err" || fail "error without 'megacade: ': $*"
    grep -q -- "$pattern" "$work/err" || fail "no '$pattern' in '$(cat "$work/err")': $*"
}

# output PATTERN - the output of the last command has a line that matches.
output() {
    checks=$((checks + 1))
    grep -q -- "$1" "$work/out" || fail "no '$1' in the output"
}

# holds TEXT TEST... - a test as for [ ].
holds() {
    local text=$1
    shift
    checks=$((checks + 1))
    [ "$@" ] || fail "$text"
}

# Every line of the last output is a JSON object.
output_is_json() {
    checks=$((checks + 1))
    python3 -c '
import json, sys
lines = sys.stdin.read().splitlines()
assert lines and all(isinstance(json.loads(line), dict) for line in lines)
' <"$work/out" || fail "the output is not one JSON object per line"
}

finish() {
    echo "$checks checks, $failures failed" >&2
    [ "$failures" -eq 0 ] && [ "$checks" -gt 0 ]
    exit
}
