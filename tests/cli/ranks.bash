# ranks.bash - what scripts with several processes share, besides common.bash.
unset RANK WORLD_SIZE LOCAL_RANK LOCAL_WORLD_SIZE MASTER_ADDR MASTER_PORT

# A port that nobody listens at.
free_port() {
    python3 -c '
import random, socket
while True: # below 32768, where the system gives ports to nobody
    with socket.socket() as s:
        port = random.randrange(20000, 32000)
        if s.connect_ex(("127.0.0.1", port)) != 0:
            print(port)
            break'
}

# ranks COUNT OPTIONS... - `megacade train` in so many processes that find each other over TCP. Exits as the worst of them
# does; what any of them says is in $work/out and $work/err. $processes are their numbers. Nobody waits for ever.
ranks() {
    local count=$1 port rank code
    shift
    port=$(free_port)
    processes=()
    : >"$work/out" >"$work/err"
    for ((rank = 0; rank < count; rank++)); do
        RANK=$rank WORLD_SIZE=$count MASTER_ADDR=127.0.0.1 MASTER_PORT=$port "$MEGACADE" train "$@" \
            >>"$work/out" 2>>"$work/err" &
        processes+=($!)
    done
    [ -z "${in_background:-}" ] || return 0
    all_leave
}

# Waits for all ranks, ends those that are there after five minutes, and returns the largest of their exit codes.
all_leave() {
    local code=0 worst=0 process
    # A guard that is not needed any more takes its clock along: who waits for our output would wait for it, too.
    (
        sleep 300 &
        trap 'kill %1; exit' TERM
        wait %1 && kill -KILL "${processes[@]}"
    ) >/dev/null 2>&1 &
    local guard=$!
    for process in "${processes[@]}"; do
        wait "$process"
        code=$?
        [ $code -le $worst ] || worst=$code
    done
    kill $guard 2>/dev/null
    wait $guard 2>/dev/null
    return $worst
}

# All ranks leave, and one of them says why in one line.
refuses_all() { # PATTERN COUNT OPTIONS...
    local pattern=$1
    shift
    checks=$((checks + 1))
    ! ranks "$@" || fail "ends well: ranks $*"
    [ "$(wc -l <"$work/err")" -eq 1 ] || fail "not one line of error: ranks $* ($(cat "$work/err"))"
    grep -q -- "$pattern" "$work/err" || fail "no '$pattern' in '$(cat "$work/err")': ranks $*"
}

# is_there FILE - waits for it, for a minute at most.
is_there() {
    for _ in $(seq 600); do
        [ ! -e "$1" ] || return 0
        sleep 0.1
    done
    fail "$1 does not come"
}

# has_begun FOLDER - waits until a run has a checkpoint and a row in its log.
has_begun() {
    is_there "$1/checkpoint"
    for _ in $(seq 600); do
        [ "$(wc -l <"$1/log.csv")" -lt 2 ] || return 0
        sleep 0.1
    done
    fail "$1 has no row in its log"
}
