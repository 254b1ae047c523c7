# Listing, importing and verifying images. No image of a commercial game is needed: wrong ones will do.
source "$(dirname "$0")/common.bash"
cd "$work" || exit 1

passes "$MEGACADE" roms --roms empty_folder
output '^0 images found'
passes "$MEGACADE" roms list --roms empty_folder
output 'roms import'
passes "$MEGACADE" roms
output "$work/data/megacade/roms"
passes "$MEGACADE" roms verify --roms empty_folder
output '^0 right, 0 wrong'
refuses 1 'have no image' "$MEGACADE" roms verify --all --roms empty_folder
output '^missing *pong '
refuses 1 'have no image' "$MEGACADE" roms verify --all --json --roms empty_folder
output_is_json

# A file with a game's name and other content is found out; others are left alone.
mkdir wrong
head -c 2048 /dev/zero >wrong/pong.bin
: >wrong/breakout.bin
echo text >wrong/readme.txt
head -c 4096 /dev/zero >wrong/something.bin
refuses 1 '2 files' "$MEGACADE" roms verify --roms wrong
output '^[a-z5 ]* pong .*wrong/pong.bin$'
output '^unreadable *breakout .*wrong/breakout.bin$'
output '^0 right, 2 wrong'
refuses 1 '2 files' "$MEGACADE" roms verify --json --roms wrong
output_is_json

refuses 1 'holds no image' "$MEGACADE" roms import wrong
refuses 1 'not an image of a known game' "$MEGACADE" roms import wrong/something.bin
refuses 1 'no_such_file' "$MEGACADE" roms import no_such_file
refuses 2 'files or folders' "$MEGACADE" roms import
refuses 2 "'frobnicate'" "$MEGACADE" roms frobnicate
refuses 2 'no further words' "$MEGACADE" roms list extra
holds "a failed import makes no folder" ! -e "$work/data"
finish
