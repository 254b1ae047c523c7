#!/usr/bin/env python3
"""Writes the rules and the catalogue of all games from facts/.

    tools/gen_games.py           write src/games/game_*.h, src/games/mega_games.h and src/games/catalogue.c
    tools/gen_games.py --check   compare them with what would be written; exit 1 at the first difference

facts/README.md describes the input. This module reads the facts and writes the catalogue; gen_expr.py
translates expressions, gen_rules.py writes what one game does with them.
"""

import csv
import json
import sys
from pathlib import Path

sys.dont_write_bytecode = True
import gen_rules  # noqa: E402
from gen_rules import ACTIONS  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
COLUMNS = 110

RESET_ACTION = 40

# Properties of an image that roms.csv does not list; a game's "properties" may override them.
DEFAULT_PROPERTIES = {
    "cart_used": "AUTO",
    "format_prop": "AUTO-DETECT",
    "format_used": "NTSC",
    "ystart": "34",
    "height_prop": "210",
    "left_controller": "JOYSTICK",
    "right_controller": "JOYSTICK",
    "swap_ports": "NO",
    "swap_paddles": "NO",
    "left_difficulty": "B",
    "right_difficulty": "B",
    "phosphor": "NO",
    "hmove_blanks": "YES",
}


def read_facts(root):
    """All games in order of their names, and one dictionary of properties per cartridge image."""
    games = []
    for path in sorted((root / "facts" / "games").glob("*.json")):
        game = json.loads(path.read_text(encoding="utf-8"))
        if game["name"] != path.stem:
            raise ValueError(f"{path}: the name in the file is {game['name']}")
        games.append(game)
    with open(root / "facts" / "roms.csv", newline="", encoding="utf-8") as file:
        carts = list(csv.DictReader(file))
    known = {cart["md5"] for cart in carts}
    for game in games:
        if game["md5"] not in known:
            own = {key: str(value) for key, value in game.get("properties", {}).items()}
            carts.append({"file": game["name"] + ".bin", "md5": game["md5"], **DEFAULT_PROPERTIES, **own})
    return games, carts


def action_numbers(names):
    """Numbers of a list of action names; an entry may also be a run, [name, count]."""
    numbers = []
    for entry in names:
        name, count = (entry, 1) if isinstance(entry, str) else entry
        numbers += [RESET_ACTION if name == "RESET" else ACTIONS.index(name)] * count
    return numbers


def action_mask(names):
    return f"0x{sum(1 << number for number in action_numbers(names)):05X}"


def wrapped(start, items, end):
    """`start` + items separated by commas + `end`, broken at COLUMNS."""
    one_line = start + ", ".join(items) + end
    if len(one_line) <= COLUMNS:
        return [one_line]
    lines, line = [start], "   "
    for item in items:
        if len(line) + len(item) + 2 > COLUMNS:
            lines.append(line)
            line = "   "
        line += f" {item},"
    return lines + [line, end]


def difficulties_name(game):
    """Most games share their list of difficulties, so an array is named by what it holds."""
    return "difficulties_" + "_".join(str(level) for level in game["difficulties"])


def catalogue_arrays(game):
    name = game["name"]
    lines = wrapped(f"static const int32_t modes_{name}[] = {{", [str(mode) for mode in game["modes"]], "};")
    start = action_numbers(game["starting_actions"])
    if len(start) > 20:  # long waits: name only what is not NOOP
        items = [f"[{i}] = {number}" for i, number in enumerate(start) if number] or ["0"]
    else:
        items = [str(number) for number in start]
    if start:
        lines += wrapped(f"static const uint8_t starting_{name}[{len(start)}] = {{", items, "};")
    return lines


def catalogue_game(game):
    name = game["name"]
    minimal = action_numbers(game["minimal_actions"])
    if minimal != sorted(set(minimal)):
        raise ValueError(f"{name}: minimal actions are not in ascending order")
    if game["default_mode"] != game["modes"][0] or min(game["modes"]) < 0:
        raise ValueError(f"{name}: the default mode must be the first, and no mode negative")
    start = action_numbers(game["starting_actions"])
    return [
        "    {",
        f'        .name = "{name}",',
        f"        .title = {json.dumps(game['title'])},",
        f'        .gym_id = "{game["gym_id"]}",',
        f'        .md5 = "{game["md5"]}",',
        f"        .minimal_actions = {action_mask(game['minimal_actions'])},",
        f"        .legal_actions = {action_mask(game.get('legal_actions', ACTIONS))},",
        f"        .starting_actions = {f'starting_{name}' if start else 'NULL'},",
        f"        .starting_action_count = {len(start)},",
        f"        .modes = modes_{name},",
        f"        .mode_count = {len(game['modes'])},",
        f"        .difficulties = {difficulties_name(game)},",
        f"        .difficulty_count = {len(game['difficulties'])},",
        f"        .initial_lives = {game['initial_lives']},",
        f"        .paddle_max = {game.get('paddle_max', 0)},",
        f"        .builtin = {int(game.get('builtin', False))},",
        "    },",
    ]


def catalogue_cart(cart):
    def yes(key, value="YES"):
        return int(cart[key] == value)

    form = "AUTO" if cart["format_prop"] == "AUTO-DETECT" else cart["format_prop"]
    return [
        "    {",
        f'        .file = "{cart["file"]}",',
        f'        .md5 = "{cart["md5"]}",',
        f'        .scheme = "{cart["cart_used"]}",',
        f'        .format = "{form}",',
        f'        .format_used = "{cart["format_used"]}",',
        f"        .ystart = {cart['ystart']},",
        f"        .height = {cart['height_prop']},",
        f"        .left_controller = MEGA_CONTROLLER_{cart['left_controller']},",
        f"        .right_controller = MEGA_CONTROLLER_{cart['right_controller']},",
        f"        .swap_ports = {yes('swap_ports')},",
        f"        .swap_paddles = {yes('swap_paddles')},",
        f"        .left_difficulty_a = {yes('left_difficulty', 'A')},",
        f"        .right_difficulty_a = {yes('right_difficulty', 'A')},",
        f"        .hmove_blanks = {yes('hmove_blanks')},",
        f"        .phosphor = {yes('phosphor')},",
        "    },",
    ]


def catalogue_file(games, carts):
    lines = [
        "// catalogue.c - the facts of every game and of every known cartridge, in order of names.",
        "//",
        "// Generated from facts/ by tools/gen_games.py; edit the facts.",
        '#include "catalogue.h"',
        "",
        "#include <stddef.h>",
        "",
    ]
    for name, levels in sorted({difficulties_name(game): game["difficulties"] for game in games}.items()):
        lines.append(f"static const uint8_t {name}[] = {{{', '.join(map(str, levels))}}};")
    for game in games:
        lines += catalogue_arrays(game)
    lines += ["", "const mega_game_facts mega_catalogue_games[] = {"]
    for game in games:
        lines += catalogue_game(game)
    lines += ["};", f"const int32_t mega_catalogue_game_count = {len(games)};", ""]
    lines += ["const mega_cart_facts mega_catalogue_carts[] = {"]
    for cart in carts:
        lines += catalogue_cart(cart)
    lines += ["};", f"const int32_t mega_catalogue_cart_count = {len(carts)};"]
    return "\n".join(lines) + "\n"


def generate(root):
    """All generated files as {path relative to the root: text}."""
    games, carts = read_facts(root)
    files = {f"src/games/game_{game['name']}.h": gen_rules.game_file(game) for game in games}
    files["src/games/mega_games.h"] = gen_rules.dispatch_file(games)
    files["src/games/catalogue.c"] = catalogue_file(games, carts)
    for path, text in files.items():
        for number, line in enumerate(text.split("\n"), 1):
            if len(line) > COLUMNS:
                raise ValueError(f"{path}:{number}: {len(line)} columns")
    return files


def stale_files(root, files):
    """Games that are no longer in the facts."""
    return [path for path in (root / "src/games").glob("game_*.h") if f"src/games/{path.name}" not in files]


def check(root):
    """The first difference between the facts and the generated files, in words, or None."""
    files = generate(root)
    for path, text in sorted(files.items()):
        if not (root / path).exists():
            return f"{path} is missing"
        there = (root / path).read_text(encoding="utf-8").split("\n")
        wanted = text.split("\n")
        for number in range(max(len(there), len(wanted))):
            is_line = there[number] if number < len(there) else "(end of file)"
            be_line = wanted[number] if number < len(wanted) else "(end of file)"
            if is_line != be_line:
                return f"{path}:{number + 1} differs\n    file:  {is_line}\n    facts: {be_line}"
    for path in stale_files(root, files):
        return f"{path} has no facts"
    return None


def main():
    if sys.argv[1:] == ["--check"]:
        difference = check(ROOT)
        if difference:
            sys.exit(f"gen_games.py: {difference}\nRun tools/gen_games.py and commit the result.")
        return
    if sys.argv[1:]:
        sys.exit(__doc__)
    files = generate(ROOT)
    for path, text in files.items():
        (ROOT / path).write_text(text, encoding="utf-8")
    for path in stale_files(ROOT, files):
        path.unlink()
    print(f"wrote {len(files)} files")


if __name__ == "__main__":
    main()
