# The list of games.
source "$(dirname "$0")/common.bash"

passes "$MEGACADE" games --roms "$work/empty_folder"
output '^pong '
output '^ms_pacman '
output 'built in'
output ' games, 1 can be played$'
passes "$MEGACADE" games --json
output_is_json
passes "$MEGACADE" games pong
output '^md5 '
output '^minimal actions .*NOOP FIRE RIGHT LEFT'
output '^modes '
passes "$MEGACADE" games ms_pacman --json
output_is_json
checks=$((checks + 1))
python3 -c '
import json, sys
game = json.loads(sys.stdin.read())
assert game["name"] == "ms_pacman" and game["title"] == "Ms. Pac-Man", game
assert game["gym_id"] == "ALE/MsPacman-v5" and len(game["md5"]) == 32, game
assert len(game["minimal_actions"]) == 9 and len(game["legal_actions"]) == 18, game
assert game["modes"][0] == 0 and game["difficulties"] == [0], game
' <"$work/out" || fail "what games --json says of ms_pacman"
finish
