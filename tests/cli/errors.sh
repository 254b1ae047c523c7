# What bad input gets: one line that names the thing, and an exit code.
source "$(dirname "$0")/common.bash"
cd "$work" || exit 1

# Games and files.
refuses 2 "'pogn'.*pong" "$MEGACADE" trace pogn
refuses 2 "unknown game" "$MEGACADE" bench --game no_such_game_at_all
refuses 2 "unknown game" "$MEGACADE" games no_such_game_at_all
refuses 1 "pong.*empty_folder" "$MEGACADE" record pong --roms empty_folder --out x.png
refuses 1 "no_folder" "$MEGACADE" trace pong --roms no_folder
refuses 1 "no_folder" "$MEGACADE" games --roms no_folder
refuses 1 "is a folder" "$MEGACADE" trace --rom empty_folder
refuses 1 "is a folder" "$MEGACADE" trace ./empty_folder
: >empty.bin
refuses 1 "empty.bin.*empty" "$MEGACADE" trace empty.bin
refuses 1 "no_file.bin" "$MEGACADE" trace --rom no_file.bin
head -c 3000 /dev/zero >cut.bin
refuses 1 "cut.bin" "$MEGACADE" trace --rom cut.bin --frames 1
refuses 2 "one of GAME" "$MEGACADE" trace pong --rom cut.bin
refuses 2 "'two'" "$MEGACADE" trace one two
refuses 2 "a?b" "$MEGACADE" trace $'a\nb'

# Values.
refuses 2 "mode" "$MEGACADE" trace --mode 9999
refuses 2 "difficulty" "$MEGACADE" trace --difficulty 99
refuses 2 "'-1'" "$MEGACADE" trace --frames -1
refuses 2 "'-1'" "$MEGACADE" trace --frames=-1
refuses 2 "'many'" "$MEGACADE" trace --frames many
refuses 2 "needs a value" "$MEGACADE" trace --frames
refuses 2 "'0'" "$MEGACADE" bench --envs 0
refuses 2 "'-4'" "$MEGACADE" bench --envs -4
refuses 2 "'18'" "$MEGACADE" trace --actions 0,18
refuses 2 "'all'" "$MEGACADE" trace --actions all
refuses 2 "''" "$MEGACADE" trace --actions 0,
refuses 2 "'nan'" "$MEGACADE" trace --sticky nan
refuses 2 "'1.5'" "$MEGACADE" trace --sticky 1.5
refuses 2 "'nan'" "$MEGACADE" trace --strength nan
refuses 2 "'0'" "$MEGACADE" trace --frame-skip 0
MEGACADE_LIBCUDA=/nonexistent refuses 1 "/nonexistent" "$MEGACADE" trace --device cuda
MEGACADE_LIBCUDA=/nonexistent refuses 1 "/nonexistent" "$MEGACADE" bench --device cuda:1
refuses 2 "'gpu'" "$MEGACADE" bench --device gpu
refuses 2 "envs" "$MEGACADE" trace --envs 0
refuses 2 "for --load emulate" "$MEGACADE" bench --load train --aligned
refuses 2 "'fly'" "$MEGACADE" bench --load fly
refuses 2 "'84'" "$MEGACADE" bench --obs 84
refuses 2 "'later'" "$MEGACADE" bench --autoreset later
refuses 2 "threads" "$MEGACADE" bench --threads 3 --envs 2

# Files to write.
refuses 2 "out" "$MEGACADE" record
refuses 2 "x.jpg" "$MEGACADE" record --out x.jpg
refuses 2 "'0'" "$MEGACADE" record --out x.gif --frames 0
refuses 2 "frame" "$MEGACADE" record --out x.gif --frame 3
refuses 1 "no_folder/x.gif" "$MEGACADE" record --out no_folder/x.gif
refuses 1 "no_folder/x.png" "$MEGACADE" record --out no_folder/x.png
refuses 1 "no_folder/x.txt" "$MEGACADE" trace --out no_folder/x.txt
mkdir folder.gif
refuses 1 "is a folder" "$MEGACADE" record --out folder.gif
refuses 1 "ffmpeg" env PATH="$work/empty_folder" "$MEGACADE" record --out x.mp4
holds "nothing is left behind" -z "$(ls "$work" | grep -E '^x|part$')"

# A full disk and a reader that goes away.
if [ -w /dev/full ]; then
    refuses_full() {
        checks=$((checks + 1))
        "$@" >/dev/full 2>"$work/err"
        local code=$?
        [ $code -eq 1 ] || fail "exit code $code with a full disk: $*"
        grep -q 'megacade: .*No space left' "$work/err" || fail "no message about the full disk: $*"
    }
    refuses_full "$MEGACADE" --help
    refuses_full "$MEGACADE" games
    refuses_full "$MEGACADE" trace --frames 3
    refuses_full "$MEGACADE" trace --frames 2000
    refuses 1 "No space left" "$MEGACADE" trace --frames 100 -o /dev/full
    ln -s /dev/full full.gif
    ln -s /dev/full full.png
    refuses 1 "full.gif.*No space left" "$MEGACADE" record --out full.gif --frames 60
    refuses 1 "full.png.*No space left" "$MEGACADE" record --out full.png --frame 3
    holds "the device is still there" -c /dev/full
else
    echo "no /dev/full here: a full disk is not tested" >&2
fi
"$MEGACADE" trace --frames 100000 2>"$work/err" | head -n 1 >"$work/out"
holds "a closed pipe ends the program with 1" "${PIPESTATUS[0]}" -eq 1
finish
