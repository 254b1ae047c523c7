"""Translates the expressions of the fact files (Python syntax, facts/README.md) to C.

The meaning of C and Python agrees for everything let through here: sums, products and bit operations of
32-bit integers, comparisons and conditions. Shifts, divisions and remainders are refused unless their
operands are proved not to be negative, because C and Python then differ.
"""

import ast

COLUMNS = 110

# C precedence, from loose to tight.
TERNARY, OR, AND, BIT_OR, BIT_XOR, BIT_AND, EQUAL, ORDER, SHIFT, SUM, PRODUCT, UNARY, PRIMARY = range(1, 14)
BINARY = {
    ast.Add: ("+", SUM),
    ast.Sub: ("-", SUM),
    ast.Mult: ("*", PRODUCT),
    ast.FloorDiv: ("/", PRODUCT),
    ast.Mod: ("%", PRODUCT),
    ast.RShift: (">>", SHIFT),
    ast.BitAnd: ("&", BIT_AND),
    ast.BitOr: ("|", BIT_OR),
    ast.BitXor: ("^", BIT_XOR),
}
COMPARE = {
    ast.Eq: ("==", EQUAL),
    ast.NotEq: ("!=", EQUAL),
    ast.Lt: ("<", ORDER),
    ast.LtE: ("<=", ORDER),
    ast.Gt: (">", ORDER),
    ast.GtE: (">=", ORDER),
}
OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
BREAK_BEFORE = ("&&", "||", "+", "-", "?", ":", "&")
FUNCTIONS = {"bcd": "mega_bcd", "bcd2": "mega_bcd2", "bcd3": "mega_bcd3"}


def parse(text):
    return ast.parse(text.strip(), mode="eval").body


def is_number(node, value):
    return isinstance(node, ast.Constant) and node.value == value


def is_peek(node):
    return isinstance(node, ast.Call) and node.func.id == "r"


def names_in(node):
    """Names of variables that an expression reads."""
    called = {id(n.func) for n in ast.walk(node) if isinstance(n, ast.Call)}
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and id(n) not in called}


def not_negative(node, names):
    """Whether a value is certainly >= 0, given the names of variables that are."""
    if isinstance(node, ast.Constant):
        return node.value >= 0
    if isinstance(node, ast.Name):
        return node.id in names
    if isinstance(node, ast.Call):
        return node.func.id in ("r", "cart") or all(not_negative(a, names) for a in node.args)
    if isinstance(node, (ast.Compare, ast.BoolOp)):
        return True
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.Not)
    if isinstance(node, ast.IfExp):
        return not_negative(node.body, names) and not_negative(node.orelse, names)
    if isinstance(node, ast.BinOp):
        both = [not_negative(side, names) for side in (node.left, node.right)]
        if isinstance(node.op, ast.BitAnd):
            return any(both)
        return all(both) and not isinstance(node.op, ast.Sub)
    return False


class Translator:
    """Expressions of one game. `rename` maps names of the facts to C; `not_negative` names safe to shift."""

    def __init__(self, rename, safe):
        self.rename = rename
        self.safe = safe

    def text(self, node):
        return self.write(node)[0]

    def truth(self, node):
        """As an `if` condition."""
        text = self.text(node)
        return f"({text}) != 0" if isinstance(node, ast.BinOp) else text

    def negated(self, node):
        """The opposite of a condition, and its precedence."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return self.condition(node.operand)
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in COMPARE:
            operator, precedence = COMPARE[type(node.ops[0])]
            return self.compare(node.left, OPPOSITE[operator], precedence, node.comparators[0])
        return "!" + self.inside(node, UNARY), UNARY

    def condition(self, node):
        if isinstance(node, ast.BinOp):
            return self.truth(node), EQUAL
        return self.write(node)

    def inside(self, node, parent, right=False):
        """An operand, in parentheses where C needs them, or where a reader or gcc would want them."""
        if parent in (OR, AND):
            text, precedence = self.condition(node)
        else:
            text, precedence = self.write(node)
        chains = parent in (SUM, PRODUCT, OR, AND) and not right
        bare = precedence > parent or (precedence == parent and chains)
        if parent == OR and precedence == AND:
            bare = False
        if parent in (BIT_OR, BIT_XOR, BIT_AND, SHIFT) and precedence < UNARY:
            bare = False
        if parent in (EQUAL, ORDER) and precedence in (EQUAL, ORDER):
            bare = False
        if parent == PRODUCT and precedence == PRODUCT and ("/" in text or "%" in text):
            bare = False
        return text if bare else f"({text})"

    def compare(self, left, operator, precedence, right):
        return f"{self.inside(left, precedence)} {operator} {self.inside(right, precedence)}", precedence

    def write(self, node):
        """C text and precedence of an expression."""
        method = getattr(self, "write_" + type(node).__name__, None)
        if method is None:
            raise ValueError(f"not understood: {ast.unparse(node)}")
        return method(node)

    def write_Constant(self, node):
        if type(node.value) is not int:
            raise ValueError(f"not an integer: {node.value!r}")
        source = getattr(node, "source", None)  # keeps hexadecimal numbers as they were written
        return source or str(node.value), PRIMARY

    def write_Name(self, node):
        return self.rename.get(node.id, node.id), PRIMARY

    def write_Call(self, node):
        name = node.func.id
        if name in ("r", "cart"):
            function = "mega_peek" if name == "r" else "mega_peek_cart"
            address = node.args[0]
            if isinstance(address, ast.Constant):
                low, high = (0x80, 0xFF) if name == "r" else (0x1080, 0x10FF)
                if not low <= address.value <= high:
                    raise ValueError(f"address out of range: {ast.unparse(node)}")
                return f"{function}(memory, 0x{address.value:X})", PRIMARY
            raise ValueError(f"address is not a number: {ast.unparse(node)}")
        if name not in FUNCTIONS:
            raise ValueError(f"unknown function: {name}")
        return f"{FUNCTIONS[name]}({', '.join(self.text(a) for a in node.args)})", PRIMARY

    def write_UnaryOp(self, node):
        if isinstance(node.op, ast.Not):
            return self.negated(node.operand)
        if isinstance(node.op, ast.USub):
            return "-" + self.inside(node.operand, UNARY), UNARY
        raise ValueError(f"not understood: {ast.unparse(node)}")

    def write_BinOp(self, node):
        if type(node.op) not in BINARY:
            raise ValueError(f"not understood: {ast.unparse(node)}")
        if isinstance(node.op, (ast.FloorDiv, ast.Mod, ast.RShift)):
            positive = isinstance(node.right, ast.Constant) and node.right.value > 0
            if not positive or not not_negative(node.left, self.safe):
                raise ValueError(f"operands may be negative: {ast.unparse(node)}")
        operator, precedence = BINARY[type(node.op)]
        left = self.inside(node.left, precedence)
        return f"{left} {operator} {self.inside(node.right, precedence, right=True)}", precedence

    def write_BoolOp(self, node):
        operator, precedence = ("&&", AND) if isinstance(node.op, ast.And) else ("||", OR)
        return f" {operator} ".join(self.inside(value, precedence) for value in node.values), precedence

    def write_Compare(self, node):
        if len(node.ops) == 1 and isinstance(node.ops[0], ast.In):
            values = node.comparators[0].elts
            return " || ".join(self.compare(node.left, "==", EQUAL, value)[0] for value in values), OR
        left, parts = node.left, []
        for op, right in zip(node.ops, node.comparators):
            operator, precedence = COMPARE[type(op)]
            parts.append(self.compare(left, operator, precedence, right)[0])
            left = right
        return " && ".join(parts), precedence if len(parts) == 1 else AND

    def write_IfExp(self, node):
        if is_number(node.body, 1) and is_number(node.orelse, 0):
            text, precedence = self.condition(node.test)
            return (text, precedence) if precedence < PRIMARY else (f"{text} != 0", EQUAL)
        test, precedence = self.condition(node.test)
        if precedence <= AND:
            test = f"({test})"
        branches = []
        for branch in (node.body, node.orelse):
            text, precedence = self.write(branch)
            branches.append(f"({text})" if precedence <= AND else text)
        return f"{test} ? {branches[0]} : {branches[1]}", TERNARY


def keep_hexadecimal(node, text):
    """Notes at every number how the facts wrote it."""
    for n in ast.walk(node):
        if isinstance(n, ast.Constant) and text[n.col_offset : n.end_col_offset].lower().startswith("0x"):
            n.source = f"0x{n.value:02X}"
    return node


def statement(indent, text):
    """A statement as lines of at most COLUMNS, broken where the nesting is least deep."""
    lines, line = [], " " * indent + text
    while len(line) > COLUMNS:
        lead = len(line) - len(line.lstrip())
        best, depth = None, 0
        for i, char in enumerate(line):
            depth += (char in "([{") - (char in ")]}")
            after_comma = char == " " and line[i - 1] == ","
            before_operator = char == " " and line[i + 1 : i + 3].strip() in BREAK_BEFORE
            if lead + 20 < i < COLUMNS and (after_comma or before_operator):
                # A later break of the same depth is better, one deeper inside is worse.
                if best is None or depth <= best[0]:
                    best = (depth, i)
        if best is None:
            raise ValueError(f"cannot break: {line}")
        lines.append(line[: best[1]])
        line = " " * (indent + 4) + line[best[1] + 1 :]
    return lines + [line]
