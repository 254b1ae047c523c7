#!/usr/bin/env python3
"""Writes src/env/mega_palettes.h from facts/palettes.csv.

With --check compares instead of writing and exits with 1 on a difference.
"""
import csv
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEAD = """\
// mega_palettes.h - colours of the television formats. Generated from facts/palettes.csv by
// tools/gen_palettes.py.
//
// [0] is NTSC, [1] is PAL. Odd indices occur only with PAL's colour loss and in greyed-out frames; their gray
// value is not the gray of their colour but what the reference delivers.
#ifndef MEGA_PALETTES_H
#define MEGA_PALETTES_H
#include "mega_base.h"
"""


def table(declaration, columns):
    out = "\nMEGA_TABLE uint8_t %s = {\n" % declaration
    for values in columns:
        out += "    {\n"
        for i in range(0, len(values), 24):
            out += "        " + ", ".join("%d" % v for v in values[i:i + 24]) + ",\n"
        out += "    },\n"
    return out + "};\n"


def main():
    with open(ROOT / "facts/palettes.csv", newline="") as f:
        rows = list(csv.DictReader(f))
    assert [int(r["index"]) for r in rows] == list(range(256))
    formats = ("ntsc", "pal")
    rgb = [[int(r["%s_%s" % (f, c)]) for r in rows for c in "rgb"] for f in formats]
    gray = [[int(r["%s_gray" % f]) for r in rows] for f in formats]
    text = HEAD + table("mega_palette_rgb[2][768]", rgb) + table("mega_palette_gray[2][256]", gray) + "\n#endif\n"
    path = ROOT / "src/env/mega_palettes.h"
    if "--check" in sys.argv:
        if path.read_text() != text:
            sys.exit("gen_palettes.py: %s is not what facts/palettes.csv gives" % path.name)
    else:
        path.write_text(text)


if __name__ == "__main__":
    main()
