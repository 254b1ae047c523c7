# Processes that train together as their launchers start them: all checks of tests/tools/dist_check.c, and that
# a job ends when one of them does. tests/unit/test_dist.c has more about TCP.
source "$(dirname "$0")/common.bash"
source "$(dirname "$0")/ranks.bash"
: "${DIST_CHECK:?set DIST_CHECK to the program of the checks}"
unset MEGACADE_MPI

# checked SECONDS COMMAND... - exits with 0 within that time.
checked() {
    checks=$((checks + 1))
    timeout "$@" >"$work/out" 2>"$work/err"
    local code=$?
    [ $code -eq 0 ] || fail "exit code $code: $* ($(grep -v ' 0 failed' "$work/err" | tail -n 5))"
}

# ends SECONDS COMMAND... - fails within that time, but not because of it.
ends() {
    checks=$((checks + 1))
    timeout "$@" >"$work/out" 2>"$work/err"
    local code=$?
    [ $code -ne 0 ] && [ $code -ne 124 ] || fail "exit code $code: $*"
}

# Ranks without a launcher, by torchrun's variables.
by_hand() { # ARGUMENTS...
    local rank pids=() status=0
    export WORLD_SIZE=3 MASTER_ADDR=127.0.0.1 MASTER_PORT
    MASTER_PORT=$(free_port)
    for rank in 0 1 2; do
        RANK=$rank timeout 60 "$DIST_CHECK" "$@" >"$work/out$rank" 2>"$work/err$rank" &
        pids+=($!)
    done
    for rank in 0 1 2; do
        wait "${pids[$rank]}" || status=1
    done
    unset WORLD_SIZE MASTER_ADDR MASTER_PORT
    return $status
}

checks=$((checks + 1))
by_hand auto 1500 || fail "ranks by hand: $(cat "$work"/err?)"
holds "auto takes tcp" "$(cut -c1-4 "$work/out0")" = "tcp:"
by_hand tcp --kill 1 2>/dev/null
for rank in 0 2; do
    holds "rank $rank says who is gone" "$(cat "$work/err$rank")" = \
        "dist_check: rank $rank: rank 1 is gone: it has ended, or its connection is lost"
done
ends 30 "$DIST_CHECK" mpi
holds "without the module there is a sentence" -n "$(grep 'there is no module for MPI' "$work/err")"

skip() {
    echo "mpirun is not tested: $1" >&2
    [ "$failures" -eq 0 ] || finish
    exit 77
}
[ -n "${DIST_MODULE:-}" ] || skip "the build has found no MPI (libopenmpi-dev)"
command -v mpirun >/dev/null || skip "there is no mpirun (openmpi-bin)"
mpirun --version 2>&1 | grep -q "Open MPI" || skip "mpirun is not that of Open MPI"

# More processes than cores, as root, and in a container that forbids to read another process's memory.
run=(mpirun --oversubscribe)
[ "$(id -u)" != 0 ] || run+=(--allow-run-as-root)
export OMPI_MCA_btl_vader_single_copy_mechanism=none
# What MPI itself keeps to its end is no leak of ours.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"

# Where the program looks: in the variable, beside itself, and where an installation has it.
export MEGACADE_MPI=$DIST_MODULE
for ranks in 1 2 4; do
    checked 60 "${run[@]}" -np $ranks "$DIST_CHECK" mpi
    holds "$ranks ranks have met" -n "$(grep "^mpi: $ranks ranks, $ranks of them here" "$work/out")"
done
checked 60 "${run[@]}" -np 3 "$DIST_CHECK" mpi --part 1
checked 60 "${run[@]}" -np 4 "$DIST_CHECK" mpi --part 2
unset MEGACADE_MPI
mkdir -p "$work/bin" "$work/bin/$DIST_MODULE_FOLDER"
cp "$DIST_CHECK" "$work/bin/dist_check"
cp "$DIST_MODULE" "$work/bin/$DIST_MODULE_FOLDER"
checked 60 "${run[@]}" -np 2 "$work/bin/dist_check" auto 1000
holds "auto takes mpi" -n "$(grep "^mpi: 2 ranks" "$work/out")"
mv "$work/bin/$DIST_MODULE_FOLDER/megacade_mpi.so" "$work/bin"
MEGACADE_MPI_STORE=tcp checked 60 "${run[@]}" -np 3 "$work/bin/dist_check" mpi 3000

# A launcher that does not belong to the module's MPI.
PMI_SIZE=4 ends 30 "$work/bin/dist_check" auto
holds "a foreign launcher is noticed" -n "$(grep '4 processes were started, but MPI sees one' "$work/err")"

ends 30 "${run[@]}" -np 3 "$work/bin/dist_check" mpi --kill 2
ends 30 "${run[@]}" -np 3 "$work/bin/dist_check" mpi --abort 1
finish
