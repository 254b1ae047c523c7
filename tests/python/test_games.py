"""Compares the generated rules of all games with an evaluation of their facts in Python.

Nothing of tools/gen_games.py is used here: the facts are run by Python itself, expressions as Python
expressions and mode selections by a small interpreter.
"""

import ast
import csv
import ctypes
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
GAMES = [json.loads(path.read_text()) for path in sorted((ROOT / "facts/games").glob("*.json"))]
NAMES = [game["name"] for game in GAMES]
STEPS = 6000  # frames per game
SELECTIONS = 60  # mode selections per game
REQUESTS = 200  # per mode selection, at most
VARS = 8
DONE, SELECT, SELECT_RND, ACT, SOFT_RESET, FAIL = range(6)
ACTIONS = (
    "NOOP FIRE UP RIGHT LEFT DOWN UPRIGHT UPLEFT DOWNRIGHT DOWNLEFT UPFIRE RIGHTFIRE LEFTFIRE DOWNFIRE "
    "UPRIGHTFIRE UPLEFTFIRE DOWNRIGHTFIRE DOWNLEFTFIRE"
).split()


class Rules(ctypes.Structure):
    _fields_ = [
        ("reward", ctypes.c_int32),
        ("lives", ctypes.c_int32),
        ("var", ctypes.c_int32 * VARS),
        ("local", ctypes.c_int32 * 2),
        ("noted", ctypes.c_int32),
        ("tries", ctypes.c_uint16),
        ("stage", ctypes.c_uint8),
        ("terminal", ctypes.c_uint8),
    ]


class GameFacts(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("title", ctypes.c_char_p),
        ("gym_id", ctypes.c_char_p),
        ("md5", ctypes.c_char_p),
        ("minimal_actions", ctypes.c_uint32),
        ("legal_actions", ctypes.c_uint32),
        ("starting_actions", ctypes.POINTER(ctypes.c_uint8)),
        ("starting_action_count", ctypes.c_uint16),
        ("mode_count", ctypes.c_uint16),
        ("modes", ctypes.POINTER(ctypes.c_int32)),
        ("difficulties", ctypes.POINTER(ctypes.c_uint8)),
        ("difficulty_count", ctypes.c_uint8),
        ("builtin", ctypes.c_uint8),
        ("initial_lives", ctypes.c_int32),
        ("paddle_max", ctypes.c_int32),
    ]


class CartFacts(ctypes.Structure):
    _fields_ = [
        *[(name, ctypes.c_char_p) for name in ("file", "md5", "scheme", "format", "format_used")],
        ("ystart", ctypes.c_uint16),
        ("height", ctypes.c_uint16),
        ("left_controller", ctypes.c_uint8),
        ("right_controller", ctypes.c_uint8),
        ("swap_ports", ctypes.c_uint8),
        ("swap_paddles", ctypes.c_uint8),
        ("left_difficulty_a", ctypes.c_uint8),
        ("right_difficulty_a", ctypes.c_uint8),
        ("hmove_blanks", ctypes.c_uint8),
        ("phosphor", ctypes.c_uint8),
    ]


@pytest.fixture(scope="session")
def lib(tmp_path_factory):
    path = tmp_path_factory.mktemp("games") / "games.so"
    sources = ["tests/python/games_shim.c", "src/games/catalogue.c", "src/games/catalogue_lookup.c"]
    flags = "-std=c11 -O1 -shared -fPIC -Wall -Wextra -Wpedantic -Wconversion -Werror".split()
    command = [os.environ.get("CC", "cc"), *flags, "-Isrc/console", "-Isrc/games", "-o", str(path), *sources]
    subprocess.run(command, cwd=ROOT, check=True)
    library = ctypes.CDLL(str(path))
    library.mega_catalogue_game.restype = ctypes.POINTER(GameFacts)
    library.mega_catalogue_find_cart.restype = ctypes.POINTER(CartFacts)
    library.shim_unsaved_vars.restype = ctypes.c_uint32
    return library


class Machine:
    """Random RAM that likes the values on which the rules of a game depend."""

    def __init__(self, game, seed):
        self.random = random.Random(f"{game['name']} {seed}")
        self.ram = bytearray(128)
        self.cart = bytearray(128)
        self.ram_pointer = (ctypes.c_uint8 * 128).from_buffer(self.ram)
        self.cart_pointer = (ctypes.c_uint8 * 128).from_buffer(self.cart)
        steps = [(name, ast.parse(text)) for name, text in game["step"]]
        others = [game["reward"], game["terminal"], game["lives"], *strings_in(game["mode_select"])]
        trees = [tree for _, tree in steps] + [ast.parse(text) for text in others]
        self.hints = {}  # cell -> values that some expression compares it with
        self.sources = {}  # name -> cells that its value comes from
        for _ in range(2):  # twice, for names that are used before they are set
            for name, tree in steps:
                self.sources[name] = self.sources.get(name, set()) | self.cells_in(tree)
        for tree in trees:
            self.learn(tree)
        self.learn_wide_numbers(trees)
        self.cells = sorted(self.hints)
        self.hold = 0  # frames during which nothing changes

    def cells_in(self, tree):
        cells = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and node.func.id in ("r", "cart"):
                cells.add((node.func.id, node.args[0].value & 0x7F))
            elif isinstance(node, ast.Name):
                cells |= self.sources.get(node.id, set())
        return cells

    def learn(self, tree):
        for cell in self.cells_in(tree):
            self.hints.setdefault(cell, [0])
        for node in ast.walk(tree):
            if isinstance(node, ast.Compare):
                numbers = [n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and n.value < 256]
                for cell in self.cells_in(node):
                    self.hints[cell] += numbers

    def learn_wide_numbers(self, trees):
        """Numbers of more than a byte are spread over cells, in binary or in decimal digits."""
        for number in {n.value for tree in trees for n in ast.walk(tree) if isinstance(n, ast.Constant)}:
            if 256 <= number < 1000000:
                digits = int(str(number), 16)
                for values in self.hints.values():
                    values += [number & 255, number >> 8 & 255, digits & 255, digits >> 8 & 255, digits >> 16]

    def poke(self, cell, value):
        (self.ram if cell[0] == "r" else self.cart)[cell[1]] = value & 255

    def change(self, wanted=0):
        """Changes some cells, or all of them. `wanted` is a mode that may be shown somewhere."""
        rng = self.random
        kind = rng.random()
        if self.hold > 0:
            self.hold -= 1
        elif kind < 0.005:
            self.hold = 60
        elif kind < 0.05:
            self.ram[:] = rng.randbytes(128)
            self.cart[:] = rng.randbytes(128)
        elif kind < 0.08:
            self.ram[:] = bytes([rng.choice([0, 1, 0x10, 0x90, 0xFF])]) * 128
        elif kind < 0.11:
            for cell in self.cells:
                self.poke(cell, rng.choice(self.hints[cell]))
        else:
            for cell in rng.choices(self.cells, k=rng.randint(1, 4)):
                way = rng.random()
                if way < 0.6:
                    self.poke(cell, rng.choice(self.hints[cell]))
                elif way < 0.8:
                    near = [wanted, wanted + 1, wanted + 6, 2 * wanted, 1 + 3 * wanted, wanted // 100]
                    self.poke(cell, rng.choice(near))
                else:
                    self.poke(cell, rng.randrange(256))


def strings_in(value):
    """All expressions of a mode selection: the strings that are not keywords or names."""
    if isinstance(value, str) and any(c in value for c in "()=<>"):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from strings_in(item)
    elif isinstance(value, dict):
        yield from strings_in(list(value.values()))


def bcd(x):
    return (x & 15) + 10 * (x >> 4)


def bcd2(low, high):
    return bcd(low) + 100 * bcd(high)


def bcd3(low, middle, high):
    return bcd2(low, middle) + 10000 * bcd(high)


def functions(machine):
    return {
        "r": lambda a: machine.ram[a - 0x80],
        "cart": lambda a: machine.cart[a - 0x1080],
        "bcd": bcd,
        "bcd2": bcd2,
        "bcd3": bcd3,
        "rand32": lambda: 0,
    }


class Facts:
    """Runs the facts of a game in Python."""

    def __init__(self, game, machine):
        self.game = game
        self.machine = machine
        self.functions = functions(machine)
        self.vars = dict(game["vars"])
        # One Python function for the whole step: vars in, vars and results out.
        lines = [f"def step({', '.join(self.vars)}):"]
        lines += [f"    {name} = ({text})" for name, text in game["step"]]
        results = ", ".join([game["reward"], game["terminal"], game["lives"], *self.vars])
        lines += [f"    return ({results},)"]
        exec("\n".join(lines), self.functions)
        self.step_function = self.functions["step"]
        self.local = {}
        self.compiled = {}

    def step(self):
        reward, terminal, lives, *values = self.step_function(**self.vars)
        self.vars = dict(zip(self.vars, map(int, values)))
        return int(reward), int(bool(terminal)), int(lives)

    def reset(self):
        kept = self.game.get("not_reset_vars", [])
        self.vars = {**self.game["vars"], **{name: self.vars[name] for name in kept}}

    def evaluate(self, text, mode):
        text = str(text)
        if text not in self.compiled:
            self.compiled[text] = compile(text, text, "eval")
        return eval(self.compiled[text], {**self.functions, **self.vars, **self.local, "mode": mode})

    def requests(self, steps, mode):
        """The requests of a mode selection, in order; the RAM may change while one is carried out."""
        for step in steps:
            kind = step[0]
            if kind == "press":
                yield self.press(step[2]["frames"], mode)
            elif kind == "act":
                for _ in range(step[2].get("times", 1) if len(step) > 2 else 1):
                    yield ACT, ACTIONS.index(step[1])
            elif kind == "softreset":
                yield SOFT_RESET, 0
            elif kind == "set":
                (self.vars if step[1] in self.vars else self.local)[step[1]] = self.evaluate(step[2], mode)
            elif kind == "if":
                branch = step[2] if self.evaluate(step[1], mode) else (step[3] if len(step) > 3 else [])
                yield from self.requests(branch, mode)
            elif kind == "while_not":
                yield from self.while_not(step, mode)
            elif kind == "until_changed":
                noted = self.evaluate(step[1], mode)
                while True:
                    yield from self.requests(step[2], mode)
                    if self.evaluate(step[1], mode) != noted:
                        break
            else:
                raise AssertionError(step)

    def while_not(self, step, mode):
        passes = 0
        limit = step[2].get("max_tries") if isinstance(step[2], dict) else None
        while not self.evaluate(step[1], mode):
            if limit is not None and passes == limit:
                yield FAIL, 0
                return
            passes += 1
            if isinstance(step[2], list):
                yield from self.requests(step[2], mode)
            elif "act" in step[2]:
                yield ACT, ACTIONS.index(step[2]["act"])
            else:
                yield self.press(step[2]["frames"], mode)

    def press(self, frames, mode):
        if "rand32" in str(frames):
            assert frames == "2+rand32()%256"
            return SELECT_RND, 0
        return SELECT, self.evaluate(frames, mode)


def assert_same_vars(rules, facts, where):
    there = {name: rules.var[i] for i, name in enumerate(facts.vars)}
    assert there == facts.vars, where


def test_game_count(lib):
    assert lib.shim_game_count() == len(GAMES)
    assert ctypes.sizeof(Rules) == 56


@pytest.mark.parametrize("number", range(len(GAMES)), ids=NAMES)
def test_step(lib, number):
    game = GAMES[number]
    machine = Machine(game, "step")
    facts = Facts(game, machine)
    rules = Rules()
    lib.shim_construct(number, ctypes.byref(rules))
    assert rules.lives == game["initial_lives"]
    assert_same_vars(rules, facts, "construct")
    seen_terminal = set()
    for frame in range(STEPS):
        machine.change()
        rules.stage, rules.tries, rules.noted, rules.local[0] = 7, 8, 9, 10
        lib.shim_step(number, ctypes.byref(rules), machine.ram_pointer, machine.cart_pointer)
        reward, terminal, lives = facts.step()
        where = f"frame {frame}, RAM {machine.ram.hex()}"
        assert (rules.reward, rules.terminal, rules.lives) == (reward, terminal, lives), where
        assert_same_vars(rules, facts, where)
        assert (rules.stage, rules.tries, rules.noted, rules.local[0]) == (7, 8, 9, 10)
        seen_terminal.add(terminal)
        if machine.random.random() < (0.5 if terminal else 0.01):
            lib.shim_reset(number, ctypes.byref(rules))
            facts.reset()
            assert (rules.reward, rules.terminal, rules.stage, rules.tries) == (0, 0, 0, 0)
            assert_same_vars(rules, facts, f"reset after {where}")
    # The random RAM has to reach the end of the game, or the test says little.
    if game["name"] != "backgammon":  # needs exact sums of 27 cells: see tests/unit/test_games.c
        assert seen_terminal == {0, 1}


@pytest.mark.parametrize("number", range(len(GAMES)), ids=NAMES)
def test_select(lib, number):
    game = GAMES[number]
    machine = Machine(game, "select")
    facts = Facts(game, machine)
    rules = Rules()
    amount = ctypes.c_int32()
    lib.shim_construct(number, ctypes.byref(rules))
    ended = 0
    for _ in range(SELECTIONS):
        mode = machine.random.choice(game["modes"])
        facts.reset()
        lib.shim_reset(number, ctypes.byref(rules))
        wanted = facts.requests(game["mode_select"], mode)
        for i in range(REQUESTS):
            machine.change(mode)
            expected = next(wanted, (DONE, 0))
            memory = machine.ram_pointer, machine.cart_pointer
            kind = lib.shim_select(number, ctypes.byref(rules), *memory, mode, ctypes.byref(amount))
            where = f"mode {mode}, request {i}"
            assert (kind, amount.value) == expected, where
            assert_same_vars(rules, facts, where)
            if kind in (DONE, FAIL):
                ended += 1
                break
            for _ in range(machine.random.randrange(3)):  # the frames of the request
                machine.change(mode)
                lib.shim_step(number, ctypes.byref(rules), machine.ram_pointer, machine.cart_pointer)
                facts.step()
    assert ended > 0


@pytest.mark.parametrize("number", range(len(GAMES)), ids=NAMES)
def test_catalogue(lib, number):
    game = GAMES[number]
    facts = lib.mega_catalogue_game(number).contents
    for key in ("name", "title", "gym_id", "md5"):
        assert getattr(facts, key).decode() == game[key]
    legal = game.get("legal_actions", ACTIONS)
    assert [ACTIONS[i] for i in range(18) if facts.minimal_actions >> i & 1] == game["minimal_actions"]
    assert facts.legal_actions == sum(1 << ACTIONS.index(name) for name in legal)
    starting = []
    for entry in game["starting_actions"]:
        name, count = (entry, 1) if isinstance(entry, str) else entry
        starting += [40 if name == "RESET" else ACTIONS.index(name)] * count
    assert [facts.starting_actions[i] for i in range(facts.starting_action_count)] == starting
    assert [facts.modes[i] for i in range(facts.mode_count)] == game["modes"]
    assert [facts.difficulties[i] for i in range(facts.difficulty_count)] == game["difficulties"]
    assert facts.initial_lives == game["initial_lives"]
    assert facts.paddle_max == game.get("paddle_max", 0)
    assert facts.builtin == int(game.get("builtin", False))
    mask = lib.shim_unsaved_vars(number)
    assert [name for i, name in enumerate(game["vars"]) if mask >> i & 1] == game.get("unsaved_vars", [])


def test_carts(lib):
    controllers = ["NONE", "JOYSTICK", "PADDLES"]
    with open(ROOT / "facts/roms.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 108
    for row in rows:
        facts = lib.mega_catalogue_find_cart(row["md5"].encode()).contents
        assert facts.file.decode() == row["file"]
        assert facts.scheme.decode() == row["cart_used"]
        assert facts.format.decode() == row["format_prop"].replace("AUTO-DETECT", "AUTO")
        assert facts.format_used.decode() == row["format_used"]
        assert (facts.ystart, facts.height) == (int(row["ystart"]), int(row["height_prop"]))
        assert controllers[facts.left_controller] == row["left_controller"]
        assert controllers[facts.right_controller] == row["right_controller"]
        assert facts.swap_ports == (row["swap_ports"] == "YES")
        assert facts.swap_paddles == (row["swap_paddles"] == "YES")
        assert facts.left_difficulty_a == (row["left_difficulty"] == "A")
        assert facts.right_difficulty_a == (row["right_difficulty"] == "A")
        assert facts.hmove_blanks == (row["hmove_blanks"] == "YES")
        assert facts.phosphor == (row["phosphor"] == "YES")


def test_backgammon_boards(lib):
    """Random RAM does not give boards with 15 pieces on each side."""
    number = NAMES.index("backgammon")
    machine = Machine(GAMES[number], "boards")
    facts = Facts(GAMES[number], machine)
    rules = Rules()
    rng = machine.random
    seen = set()
    lib.shim_construct(number, ctypes.byref(rules))
    for _ in range(4000):
        board = [0] * 28
        free = [i for i in range(1, 28) if i != 14]
        for off, sign in ((0, -1), (14, 1)):
            left = rng.choice([0, 0, 1, 7, 15])
            board[off] = sign * (15 - left)
            points = [free.pop(rng.randrange(len(free))) for _ in range(3)]
            for _ in range(left - (rng.random() < 0.1)):
                board[rng.choice(points)] += sign
        machine.ram[:28] = bytes(value & 255 for value in board)
        lib.shim_step(number, ctypes.byref(rules), machine.ram_pointer, machine.cart_pointer)
        expected = facts.step()
        assert (rules.reward, rules.terminal, rules.lives) == expected, board
        seen.add(expected)
        lib.shim_reset(number, ctypes.byref(rules))
        facts.reset()
    assert seen == {(1, 1, 0), (-1, 1, 0), (0, 0, 1)}


def test_game_without_row_in_roms(tmp_path):
    """A game of our own gets default properties, or those that its facts give."""
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        import gen_games
    finally:
        sys.path.pop(0)
    (tmp_path / "facts").mkdir()
    (tmp_path / "facts/roms.csv").write_text((ROOT / "facts/roms.csv").read_text())
    (tmp_path / "facts/games").mkdir()
    own = {**GAMES[NAMES.index("pong")], "name": "own", "md5": "0" * 32, "gym_id": "Megacade/Own-v0"}
    own.update(builtin=True, properties={"ystart": 30})
    (tmp_path / "facts/games/own.json").write_text(json.dumps(own))
    files = gen_games.generate(tmp_path)
    assert "MEGA_GAME_OWN," in files["src/games/mega_games.h"]
    text = files["src/games/catalogue.c"]
    cart = text[text.index('.file = "own.bin"') :]
    assert ".builtin = 1," in text and ".ystart = 30," in cart and ".height = 210," in cart
    assert ".left_controller = MEGA_CONTROLLER_JOYSTICK," in cart and ".hmove_blanks = 1," in cart


def test_generated_files_are_current():
    done = subprocess.run(
        [sys.executable, "tools/gen_games.py", "--check"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("number", range(len(GAMES)), ids=NAMES)
def test_against_ale(number):
    """The lists of the facts are those of the reference, where it is installed."""
    ale_py = pytest.importorskip("ale_py", reason="ale_py is not installed: lists not compared with it")
    game = GAMES[number]
    if game.get("builtin"):
        pytest.skip("a game of our own, unknown to ale_py")
    ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)
    ale = ale_py.ALEInterface()
    ale.loadROM(ale_py.roms.get_rom_path(game["name"]))
    assert list(ale.getAvailableModes()) == game["modes"]
    assert list(ale.getAvailableDifficulties()) == game["difficulties"]
    assert [action.name for action in ale.getMinimalActionSet()] == game["minimal_actions"]
    assert [action.name for action in ale.getLegalActionSet()] == game.get("legal_actions", ACTIONS)
