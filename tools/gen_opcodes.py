#!/usr/bin/env python3
"""Writes src/console/mega_opcodes.h from facts/opcodes.csv.

With --check compares instead of writing and exits with 1 on a difference.
"""
import csv
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODES = {
    "immediate": "IMM", "zeropage": "ZP", "zeropage,X": "ZPX", "zeropage,Y": "ZPY", "absolute": "ABS",
    "absolute,X": "ABX", "absolute,Y": "ABY", "(zp,X)": "IZX", "(zp),Y": "IZY",
}
HEAD = """\
// mega_opcodes.h - the 256 opcodes. Generated from facts/opcodes.csv by tools/gen_opcodes.py.
//
// MEGA_OPCODES(READ, WRITE, MODIFY, OTHER) expands to one macro call per opcode:
// READ(code, operation, mode, cycles)   reads its operand; with an index, a page crossing costs a cycle
// WRITE(code, operation, mode, cycles)  writes
// MODIFY(code, operation, mode, cycles) reads, then writes
// OTHER(code, operation, cycles)        has no operand in memory, or treats it in its own way
#ifndef MEGA_OPCODES_H
#define MEGA_OPCODES_H

#define MEGA_OPCODES(READ, WRITE, MODIFY, OTHER) \\
"""


def line(row):
    code, name, mode = "0x" + row["opcode"], row["mnemonic"].lower(), row["addressing"]
    cycles = row["base_cycles"]
    if row["access"] in ("read", "write", "rmw"):
        kind = {"read": "READ", "write": "WRITE", "rmw": "MODIFY"}[row["access"]]
        indexed = mode in ("absolute,X", "absolute,Y", "(zp),Y")
        assert (row["page_cross_extra"] == "yes") == (kind == "READ" and indexed), row
        return "    %s(%s, %s, %s, %s)" % (kind, code, name, MODES[mode], cycles)
    if mode == "accumulator":
        name += "_a"
    if mode == "(absolute)":
        name += "_indirect"
    return "    OTHER(%s, %s, %s)" % (code, name, cycles)


def main():
    with open(ROOT / "facts/opcodes.csv", newline="") as f:
        rows = list(csv.DictReader(f))
    assert [int(r["opcode"], 16) for r in rows] == list(range(256))
    lines = [line(r) for r in rows]
    width = max(map(len, lines)) + 1
    text = HEAD + "\n".join(x.ljust(width) + "\\" for x in lines[:-1]) + "\n" + lines[-1] + "\n\n#endif\n"
    path = ROOT / "src/console/mega_opcodes.h"
    if "--check" in sys.argv:
        if path.read_text() != text:
            sys.exit("gen_opcodes.py: %s is not what facts/opcodes.csv gives" % path.name)
    else:
        path.write_text(text)


if __name__ == "__main__":
    main()
