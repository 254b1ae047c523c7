"""Writes the C of one game's rules, and the file that dispatches to all games."""

import ast
import re
import textwrap

from gen_expr import (
    COLUMNS,
    Translator,
    is_number,
    is_peek,
    keep_hexadecimal,
    names_in,
    not_negative,
    parse,
    statement,
)

ACTIONS = (
    "NOOP FIRE UP RIGHT LEFT DOWN UPRIGHT UPLEFT DOWNRIGHT DOWNLEFT UPFIRE RIGHTFIRE LEFTFIRE DOWNFIRE "
    "UPRIGHTFIRE UPLEFTFIRE DOWNRIGHTFIRE DOWNLEFTFIRE"
).split()
MAX_VARS = 8
MAX_LOCALS = 2
LONG_CHAIN = 8  # terms from which a chain of equal terms becomes a loop

# Names of the facts that are C++ words or too short to read well.
NAMES = {
    "new": "new_score",
    "now": "new_score",
    "rew": "reward",
    "lb": "life_byte",
    "lv": "new_level",
    "dif": "difference",
    "diff": "difference",
    "togo": "to_go",
    "hi": "high_digit",
    "cur": "current",
    "me": "mine",
    "them": "theirs",
    "cpu": "theirs",
}
NAMES_OF_GAME = {
    "video_cube": {"new": "new_count"},
    "haunted_house": {"now": "new_matches"},
    "riverraid": {"b": "new_life_byte"},
    "superman": {"t": "seconds"},
    "video_chess": {"m": "outcome"},
    "tennis": {"mg": "my_games", "og": "their_games", "nds": "new_points", "ndp": "new_games",
               "ds": "points", "dp": "games"},
}  # fmt: skip
RESERVED = {"rules", "memory", "mode", "address", "cell", "r", "cart", "bcd", "bcd2", "bcd3", "rand32"}
RANDOM_FRAMES = "2+rand32()%256"


def expression(text):
    text = text.strip()
    return keep_hexadecimal(parse(text), text)


class Rules:
    """The facts of one game, parsed."""

    def __init__(self, game):
        self.game = game
        self.name = game["name"]
        self.vars = list(game["vars"])
        self.steps = [(name, expression(text)) for name, text in game["step"]]
        self.reward = expression(game["reward"])
        self.terminal = expression(game["terminal"])
        self.lives = expression(game["lives"])
        names = set(self.vars) | {name for name, _ in self.steps}
        if len(self.vars) > MAX_VARS or names & RESERVED:
            raise ValueError(f"{self.name}: too many vars, or a reserved name")
        for name in game.get("not_reset_vars", []):
            if game["vars"][name] != 0:
                raise ValueError(f"{self.name}: {name} is not reset, so it must start at 0")
        mapping = {**NAMES, **NAMES_OF_GAME.get(self.name, {})}
        self.rename = {name: mapping.get(name, name) for name in names}
        if len(set(self.rename.values())) != len(names):
            self.rename = {**{name: name for name in names}, "new": "new_value"}
        self.safe = self.safe_names(names)

    def safe_names(self, names):
        """Variables that are never negative: assume it of all, then drop those that may be."""
        safe = {name for name in names if self.game["vars"].get(name, 0) >= 0}
        while True:
            bad = {name for name, node in self.steps if name in safe and not not_negative(node, safe)}
            if not bad:
                return safe
            safe -= bad


def chain_terms(node):
    """The kind of a long chain of `and`, `or` or `+`, and its terms."""
    if isinstance(node, ast.BoolOp):
        return ("&&" if isinstance(node.op, ast.And) else "||"), node.values
    terms = []
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        terms.insert(0, node.right)
        node = node.left
    return "+", [node] + terms


def shape(node):
    """An expression with its RAM addresses cut out, and the addresses."""
    addresses = [n.args[0].value for n in ast.walk(node) if is_peek(n)]

    class Cut(ast.NodeTransformer):
        def visit_Call(self, call):
            return ast.Name("_") if is_peek(call) else self.generic_visit(call)

    return ast.unparse(Cut().visit(parse(ast.unparse(node)))), addresses


def find_loop(terms):
    """Terms that differ only by an ascending address, as (terms of one pass, runs of addresses), or None."""
    if len(terms) < LONG_CHAIN:
        return None
    shapes = [shape(term) for term in terms]
    for width in (1, 2):
        passes = [shapes[i : i + width] for i in range(0, len(shapes), width)]
        cells = [[address for _, addresses in p for address in addresses] for p in passes]
        same = all([text for text, _ in p] == [text for text, _ in passes[0]] for p in passes)
        if not same or len(terms) % width or any(len(c) != len(cells[0]) for c in cells):
            continue
        moving = [i for i in range(len(cells[0])) if cells[0][i] != cells[1][i]]
        bases = [c[moving[0]] for c in cells] if moving else []
        fixed = [[v for i, v in enumerate(c) if i not in moving] for c in cells]
        if not bases or any(c[i] != b for c, b in zip(cells, bases) for i in moving):
            continue
        if any(f != fixed[0] for f in fixed):
            continue
        runs = []
        for base in bases:
            if runs and base == runs[-1][1] + 1:
                runs[-1][1] = base
            else:
                runs.append([base, base])
        if all(last > first for first, last in runs):
            return [cell_term(term, bases[0]) for term in terms[:width]], runs
    return None


def cell_term(term, base):
    """A copy of a term that says `cell` for RAM at the moving address."""

    class Name(ast.NodeTransformer):
        def visit_Call(self, call):
            if is_peek(call) and call.args[0].value == base:
                return ast.Name("cell")
            return self.generic_visit(call)

    text = ast.unparse(term)
    copy = Name().visit(parse(text))
    for new, old in zip(numbers_in(copy), [n for n in numbers_in(term, base)]):
        new.source = getattr(old, "source", None)
    return copy


def numbers_in(node, skip_peek_of=None):
    """The numbers of an expression in a fixed order, without the address in a peek of `skip_peek_of`."""
    found = []

    def visit(n):
        if is_peek(n) and n.args[0].value == skip_peek_of:
            return
        if isinstance(n, ast.Constant):
            found.append(n)
        for child in ast.iter_child_nodes(n):
            visit(child)

    visit(node)
    return found


class StepWriter:
    """The body of a game's step function."""

    def __init__(self, rules):
        self.rules = rules
        self.translate = Translator(rules.rename, rules.safe)
        self.lines = []
        self.declared = set()
        self.times_assigned = {}
        for name, _ in rules.steps:
            self.times_assigned[name] = self.times_assigned.get(name, 0) + 1

    def put(self, text, indent=4):
        self.lines += statement(indent, text)

    def loop(self, into, kind, found):
        """Adds the passes of a loop to variable `into`."""
        terms, runs = found
        texts = [self.translate.inside(term, {"&&": 3, "||": 2, "+": 10}[kind]) for term in terms]
        for first, last in runs:
            self.put(f"for (uint32_t address = 0x{first:X}; address <= 0x{last:X}; address++) {{")
            self.put("const int32_t cell = mega_peek(memory, address);", 8)
            if kind == "+":
                self.put(f"{into} += {' + '.join(texts)};", 8)
            else:
                self.put(f"{into} = {into} {kind} {f' {kind} '.join(texts)};", 8)
            self.put("}")

    def hoist(self, name, node):
        """Writes long chains inside an expression as loops before it; returns what is left."""
        whole = node
        if isinstance(node, ast.IfExp) and is_number(node.body, 1) and is_number(node.orelse, 0):
            whole = node.test  # `1 if chain else 0` is the chain itself
        kind, terms = chain_terms(whole)
        found = find_loop(terms)
        if found:
            into = self.rules.rename[name]
            if name in self.declared or whole is not node and isinstance(whole, ast.BinOp):
                raise ValueError(f"{self.rules.name}: cannot write {name} as a loop")
            self.put(f"int32_t {into} = {1 if kind == '&&' else 0};")
            self.loop(into, kind, found)
            return None
        for parent in ast.walk(node):
            for field, child in ast.iter_fields(parent):
                if isinstance(child, (ast.BoolOp, ast.BinOp)):
                    kind, terms = chain_terms(child)
                    found = find_loop(terms)
                    if found:
                        into = f"{self.rules.rename[name]}_{ {'&&': 'all', '||': 'any', '+': 'sum'}[kind]}"
                        self.put(f"int32_t {into} = {1 if kind == '&&' else 0};")
                        self.loop(into, kind, found)
                        setattr(parent, field, ast.Name(into))
                        return node
        return node

    def grouped_steps(self):
        """The steps, with runs of `x = x + term` joined to (x, [terms])."""
        groups = []
        for name, node in self.rules.steps:
            adds = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add)
            adds = adds and isinstance(node.left, ast.Name) and node.left.id == name
            if adds and name not in names_in(node.right):
                if groups and groups[-1][0] == name and isinstance(groups[-1][1], list):
                    groups[-1][1].append(node.right)
                else:
                    groups.append((name, [node.right]))
            else:
                groups.append((name, node))
        return groups

    def load_vars(self):
        """Declares the vars that the step reads before it sets them."""
        rules, seen_set, first_read = self.rules, set(), set()
        for name, node in rules.steps:
            first_read |= names_in(node) - seen_set
            seen_set.add(name)
        for node in (rules.reward, rules.terminal, rules.lives):
            first_read |= names_in(node) - seen_set
        unknown = first_read - set(rules.vars)
        if unknown:
            raise ValueError(f"{rules.name}: unknown names {unknown}")
        for i, name in enumerate(rules.vars):
            if name in first_read:
                const = "" if name in seen_set else "const "
                self.put(f"{const}int32_t {rules.rename[name]} = rules->var[{i}];")
                self.declared.add(name)

    def assign(self, name, node):
        if isinstance(node, list):
            found = find_loop(node)
            if found is None:
                for term in node:
                    self.put(f"{self.rules.rename[name]} += {self.translate.text(term)};")
            else:
                self.loop(self.rules.rename[name], "+", found)
            return
        node = self.hoist(name, node)
        if node is not None:
            declare = ""
            if name not in self.declared:
                declare = "const int32_t " if self.times_assigned[name] == 1 else "int32_t "
            self.put(f"{declare}{self.rules.rename[name]} = {self.translate.text(node)};")
        self.declared.add(name)

    def write(self):
        rules = self.rules
        self.load_vars()
        for name, node in self.grouped_steps():
            self.assign(name, node)
        for i, name in enumerate(rules.vars):
            if name in self.times_assigned:
                self.put(f"rules->var[{i}] = {rules.rename[name]};")
        self.put(f"rules->reward = {self.translate.text(rules.reward)};")
        terminal = self.translate.text(rules.terminal)
        if not isinstance(rules.terminal, (ast.Compare, ast.BoolOp)):
            terminal += " != 0"
        self.put(f"rules->terminal = (uint8_t)({terminal});")
        self.put(f"rules->lives = {self.translate.text(rules.lives)};")
        return self.lines


class SelectWriter:
    """The body of a game's mode selection: a chain of stages, each of which ends by asking for something.

    Inside one call stages are only passed in ascending order. Backward jumps, to the head of a loop, always
    go with a request, so the body of a loop must consist of requests.
    """

    def __init__(self, rules):
        self.rules = rules
        self.locals = []
        self.blocks = [[]]  # lines of each stage; {L3} stands for the number of stage 3
        self.rename = {name: f"rules->var[{i}]" for i, name in enumerate(rules.vars)}
        self.translate = Translator(self.rename, rules.safe | {"mode"})

    def error(self, step, why):
        raise ValueError(f"{self.rules.name}: mode_select {step}: {why}")

    def put(self, text):
        self.blocks[-1].append(text)

    def next_block(self):
        self.blocks.append([])
        return len(self.blocks) - 1

    def enter_next(self):
        """Ends the current stage by going on to a new one."""
        self.put(f"mega_select_enter(rules, {{L{len(self.blocks)}}});")
        return self.next_block()

    def request(self, step):
        """Kind, amount and comment of a step that asks for something."""
        what = step[0]
        if what == "softreset":
            return "MEGA_REQUEST_SOFT_RESET, 0", ""
        if what == "act":
            return f"MEGA_REQUEST_ACT, {ACTIONS.index(step[1])}", f" // {step[1]}"
        if what == "press":
            if step[1] != "SELECT" or step[2].get("release_frames", 1) != 1:
                self.error(step, "only SELECT, released for one frame")
            frames = str(step[2]["frames"])
            if frames.replace(" ", "") == RANDOM_FRAMES:
                return "MEGA_REQUEST_SELECT_RND, 0", ""
            return f"MEGA_REQUEST_SELECT, {self.translate.text(expression(frames))}", ""
        return self.error(step, "a loop may only press, act and reset")

    def ask(self, step, stage, function="mega_select_ask"):
        kind, comment = self.request(step)
        self.put(f"return {function}(rules, {{L{stage}}}, {kind});{comment}")

    def loop(self, step, again, body, limit):
        """A loop that makes passes while the C condition `again` holds. The current block is its head."""
        head = len(self.blocks) - 1
        kind, comment = self.request(body[0])
        second = head if len(body) == 1 else head + 1
        self.put(f"if ({again}) {{")
        self.put(f"    return mega_select_try(rules, {limit}, {{L{second}}}, {kind});{comment}")
        self.put("}")
        if any("times" in str(s) for s in body):
            self.error(step, "a repeated act inside a loop")
        if len(body) > 1:
            self.put(f"mega_select_enter(rules, {{L{head + len(body)}}});")
            for i, s in enumerate(body[1:], 1):
                self.next_block()
                self.ask(s, head if i == len(body) - 1 else head + i + 1, "mega_select_ask_more")
            self.next_block()

    def do_while_not(self, step):
        body, limit = step[2], "MEGA_SELECT_TRIES"
        if isinstance(body, dict):
            if body.get("max_tries") is not None:
                if body.get("on_fail") != "error":
                    self.error(step, "a limit must fail with an error")
                limit = str(body["max_tries"])
            body = [["act", body["act"]] if "act" in body else ["press", body["press"], body]]
        if self.blocks != [[]]:
            self.enter_next()
        self.loop(step, self.translate.negated(expression(step[1]))[0], body, limit)

    def do_until_changed(self, step):
        value = self.translate.inside(expression(step[1]), 7)
        self.put(f"rules->noted = {value};")
        self.enter_next()
        self.loop(step, f"{value} == rules->noted", step[2], "MEGA_SELECT_TRIES")

    def do_act(self, step):
        times = step[2].get("times", 1) if len(step) > 2 else 1
        if times == 1:
            self.do_request(step)
            return
        if self.blocks != [[]]:
            self.enter_next()
        kind, comment = self.request(step)
        self.put(f"if (rules->tries < {times}) {{")
        self.put(f"    return mega_select_try(rules, {times}, {{L{len(self.blocks) - 1}}}, {kind});{comment}")
        self.put("}")

    def do_request(self, step):
        self.ask(step, len(self.blocks))
        self.next_block()

    def do_set(self, step):
        value = self.translate.text(expression(step[2]))
        if step[1] not in self.rename:
            self.locals.append(step[1])
            self.rename[step[1]] = f"rules->local[{len(self.locals) - 1}]"
            if len(self.locals) > MAX_LOCALS:
                self.error(step, "too many local names")
        self.put(f"{self.rename[step[1]]} = {value}; // {step[1]}")

    def do_if(self, step):
        condition = self.translate.truth(expression(step[1]))
        at = len(self.blocks) - 1
        then = self.next_block()
        self.program(step[2])
        then_end = len(self.blocks) - 1
        other = self.next_block()
        self.program(step[3] if len(step) > 3 else [])
        join = self.enter_next()
        self.blocks[then_end].append(f"mega_select_enter(rules, {{L{join}}});")
        self.blocks[at].append(f"mega_select_enter(rules, {condition} ? {{L{then}}} : {{L{other}}});")

    def program(self, steps):
        actions = {
            "while_not": self.do_while_not,
            "until_changed": self.do_until_changed,
            "act": self.do_act,
            "press": self.do_request,
            "softreset": self.do_request,
            "set": self.do_set,
            "if": self.do_if,
        }
        for step in steps:
            if step[0] in ("explain", "require", "select_presses_per_reset"):
                continue
            if step[0] not in actions:
                self.error(step, "not understood")
            actions[step[0]](step)

    def stages(self):
        """The blocks that do something, and for every block the number of the stage where it begins."""
        alias = {}
        for i, block in enumerate(self.blocks):
            jump = re.fullmatch(r"mega_select_enter\(rules, \{L(\d+)\}\);", "\n".join(block))
            if i > 0 and jump:
                alias[i] = int(jump[1])
        kept = [i for i in range(len(self.blocks)) if i not in alias]
        numbers = {i: n for n, i in enumerate(kept)}
        for i in range(len(self.blocks)):
            target = i
            while target in alias:
                target = alias[target]
            numbers[i] = numbers[target]
        return [(numbers[i], self.blocks[i]) for i in kept if self.blocks[i]], numbers

    def write(self):
        self.program(self.rules.game["mode_select"])
        stages, numbers = self.stages()
        if max(numbers.values()) > 255:
            self.error("", "too many stages")
        lines = [f"    // rules->local[{i}] is {name}." for i, name in enumerate(self.locals)]
        for number, block in stages:
            lines.append(f"    if (rules->stage == {number}) {{")
            for line in block:
                for label in sorted(numbers, reverse=True):
                    line = line.replace(f"{{L{label}}}", str(numbers[label]))
                lead = len(line) - len(line.lstrip())
                lines += statement(8 + lead, line.lstrip())
            lines.append("    }")
        body = "\n".join(lines)
        unused = [f"    (void){name};" for name in ("memory", "mode") if not uses(body, name)]
        return unused + lines + ["    return mega_request_make(MEGA_REQUEST_DONE, 0);"]


def uses(text, name):
    return any(name == word for word in text.replace("(", " ").replace(")", " ").replace(",", " ").split())


def game_file(game):
    """The text of src/games/game_NAME.h."""
    rules = Rules(game)
    name = rules.name
    guard = f"GAME_{name.upper()}_H"
    lines = [f"// game_{name}.h - {game['title']}. Shared source.", "//"]
    lines.append(f"// Generated from facts/games/{name}.json by tools/gen_games.py; edit the facts.")
    if game.get("notes"):
        lines += ["//"] + textwrap.wrap(game["notes"], COLUMNS, initial_indent="// ", subsequent_indent="// ")
    include = "mega_select.h" if game["mode_select"] else "mega_rules.h"
    lines += [f"#ifndef {guard}", f"#define {guard}", f'#include "{include}"', ""]
    lines += [f"MEGA_FN void game_{name}_reset(mega_rules *rules) {{"]
    for i, var in enumerate(rules.vars):
        if var not in game.get("not_reset_vars", []):
            lines.append(f"    rules->var[{i}] = {game['vars'][var]}; // {rules.rename[var]}")
    lines += [f"    rules->lives = {game['initial_lives']};", "}", ""]
    lines += [f"MEGA_FN void game_{name}_step(mega_rules *rules, mega_memory memory) {{"]
    lines += StepWriter(rules).write() + ["}", ""]
    if game["mode_select"]:
        head = f"MEGA_FN mega_request game_{name}_select("
        line = head + "mega_rules *rules, mega_memory memory, int32_t mode) {"
        if len(line) > COLUMNS:
            line = line.replace(", int32_t", ",\n" + " " * len(head) + "int32_t")
        lines += [line] + SelectWriter(rules).write() + ["}", ""]
    return "\n".join(lines + ["#endif"]) + "\n"


def switch(games, call, default):
    """A switch over all games; `call` gives the C statement of one game, or nothing for the default."""
    lines = ["    switch (game) {"]
    for game in games:
        text = call(game)
        if text:
            lines.append(f"    case MEGA_GAME_{game['name'].upper()}:")
            lines += [f"        {line}" for line in text]
    lines.append("    default:")
    lines += [f"        {line}" for line in default]
    return lines + ["    }"]


def unsaved_mask(game):
    return sum(1 << list(game["vars"]).index(name) for name in game.get("unsaved_vars", []))


def dispatch_file(games):
    """The text of src/games/mega_games.h."""

    def case(call):
        return lambda game: [call.format(game["name"]), "break;"]

    lines = ["// mega_games.h - the rules of all games, chosen by a game's number. Shared source.", "//"]
    lines += ["// Generated from facts/games by tools/gen_games.py; edit the facts."]
    lines += ["#ifndef MEGA_GAMES_H", "#define MEGA_GAMES_H"]
    lines += [f'#include "game_{game["name"]}.h"' for game in games]
    lines += ["", "// Game numbers, also the index into the catalogue. Any other number is a game without"]
    lines += ["// rules: no reward, no lives, no end, no modes.", "enum {"]
    lines += [f"    MEGA_GAME_{game['name'].upper()}," for game in games]
    lines += ["    MEGA_GAME_COUNT", "};", ""]
    lines += [
        "// Sets back what a reset of the environment sets back. What a game keeps over resets stays.",
        "MEGA_FN void mega_rules_reset(int32_t game, mega_rules *rules) {",
        "    rules->reward = 0;",
        "    rules->local[0] = 0;",
        "    rules->local[1] = 0;",
        "    rules->noted = 0;",
        "    rules->tries = 0;",
        "    rules->stage = 0;",
        "    rules->terminal = 0;",
        *switch(games, case("game_{}_reset(rules);"), ["rules->lives = 0;", "break;"]),
        "}",
        "",
        "// Makes new rules: all bytes are set, rules->lives is the most lives that the game begins with.",
        "MEGA_FN void mega_rules_construct(int32_t game, mega_rules *rules) {",
        "    for (int32_t i = 0; i < MEGA_RULES_VARS; i++) {",
        "        rules->var[i] = 0;",
        "    }",
        "    mega_rules_reset(game, rules);",
        "}",
        "",
        "// Reads the RAM after a frame and sets reward, terminal and lives.",
        "MEGA_FN void mega_rules_step(int32_t game, mega_rules *rules, mega_memory memory) {",
        *switch(
            games,
            case("game_{}_step(rules, memory);"),
            ["rules->reward = 0;", "rules->terminal = 0;", "rules->lives = 0;", "break;"],
        ),
        "}",
        "",
        "// The next thing to do to reach `mode`, one of the modes in the catalogue. Called after a reset of",
        "// the rules, then again each time that the request was carried out, until DONE or FAIL.",
        "MEGA_FN mega_request mega_rules_select(int32_t game, mega_rules *rules, mega_memory memory,",
        "                                       int32_t mode) {",
        *switch(
            games,
            lambda game: (
                [f"return game_{game['name']}_select(rules, memory, mode);"] if game["mode_select"] else []
            ),
            ["return mega_request_make(MEGA_REQUEST_DONE, 0);"],
        ),
        "}",
        "",
        "// The vars that a saved state does not contain, bit i for rules->var[i]: restoring leaves them.",
        "MEGA_FN uint32_t mega_rules_unsaved_vars(int32_t game) {",
        *switch(
            games,
            lambda game: (
                [f"return 0x{unsaved_mask(game):02X}; // {', '.join(game['unsaved_vars'])}"]
                if game.get("unsaved_vars")
                else []
            ),
            ["return 0;"],
        ),
        "}",
        "",
        "// 1 where something that the rules remember stays over resets.",
        "MEGA_FN uint32_t mega_rules_outlast_resets(int32_t game) {",
        *switch(
            games,
            lambda game: (
                [f"return 1; // {', '.join(game['not_reset_vars'])}"] if game.get("not_reset_vars") else []
            ),
            ["return 0;"],
        ),
        "}",
        "",
        "#endif",
    ]
    return "\n".join(lines) + "\n"
