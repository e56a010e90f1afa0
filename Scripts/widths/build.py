#!/usr/bin/env python3
"""Writes Sources/TerminalKit/Drawing/CellWidthTable.swift from the Unicode Character Database.

    Scripts/widths/build.py [FOLDER]

FOLDER holds EastAsianWidth.txt, UnicodeData.txt and PropList.txt of the version named below; Debian and
Ubuntu put them into /usr/share/unicode with the package unicode-data. They are checked by their sums, so
that the same bytes come out each time.
"""

import hashlib
import pathlib
import sys

VERSION = "15.0.0"
SUMS = {
    "EastAsianWidth.txt": "743e7bc435c04ab1a8459710b1c3cad56eedced5b806b4659b6e69b85d0adf2a",
    "UnicodeData.txt": "806e9aed65037197f1ec85e12be6e8cd870fc5608b4de0fffd990f689f376a73",
    "PropList.txt": "e05c0a2811d113dae4abd832884199a3ea8d187ee1b872d8240a788a96540bfd",
}
OUTPUT = pathlib.Path(__file__).parents[2] / "Sources/TerminalKit/Drawing/CellWidthTable.swift"

HEAD = '''/// Scalars that do not take one cell, as sorted ranges. Made by Scripts/widths/build.py; not to be edited.
///
/// Source: the Unicode Character Database, East Asian Width (W, F and A) and the general categories Mn, Me,
/// Cf, Zl and Zp, with the vowels and finals of Hangul, which join the syllable before them.
enum CellWidthTable {
  /// The version of Unicode that the ranges are of.
  static let unicodeVersion = "%s"
'''


def read(folder, name):
    data = (folder / name).read_bytes()
    if hashlib.sha256(data).hexdigest() != SUMS[name]:
        sys.exit(f"{folder / name} is not the file of Unicode {VERSION}")
    return data.decode("utf-8").splitlines()


def properties(lines):
    """Yields (first, last, value) of a file of properties."""
    for line in lines:
        fields = line.split("#")[0].split(";")
        if len(fields) < 2:
            continue
        first, _, last = fields[0].strip().partition("..")
        yield int(first, 16), int(last or first, 16), fields[1].strip()


def categories(lines):
    """Yields (first, last, category) of UnicodeData.txt, whose long blocks have two lines."""
    begin = None
    for line in lines:
        fields = line.split(";")
        code = int(fields[0], 16)
        if fields[1].endswith(", First>"):
            begin = code
            continue
        yield begin if begin is not None else code, code, fields[2]
        begin = None


def codes(ranges, values):
    return {code for first, last, value in ranges if value in values for code in range(first, last + 1)}


def ranges(codes):
    found = []
    for code in sorted(codes):
        if found and found[-1][1] == code - 1:
            found[-1][1] = code
        else:
            found.append([code, code])
    return found


def table(name, comment, codes):
    lines, line = [], "   "
    for first, last in ranges(codes):
        item = f" 0x{first:X}...0x{last:X},"
        if len(line) + len(item) > 100:
            lines.append(line)
            line = "   "
        line += item
    lines.append(line)
    body = "\n".join(lines)
    return f"\n  /// {comment}\n  static let {name}: [ClosedRange<UInt32>] = [\n{body}\n  ]\n"


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "/usr/share/unicode")
    widths = list(properties(read(folder, "EastAsianWidth.txt")))
    kinds = list(categories(read(folder, "UnicodeData.txt")))
    others = list(properties(read(folder, "PropList.txt")))

    zero = codes(kinds, {"Mn", "Me", "Cf", "Zl", "Zp"})
    zero |= set(range(0x1160, 0x1200)) | set(range(0xD7B0, 0xD800))
    # Signs that stand before a number are seen, and so is a soft hyphen where terminals show it.
    zero -= codes(others, {"Prepended_Concatenation_Mark"}) | {0xAD}
    wide = codes(widths, {"W", "F"}) - zero
    private = set(range(0xE000, 0xF900)) | set(range(0xF0000, 0x110000))
    ambiguous = codes(widths, {"A"}) - zero - private

    text = HEAD % VERSION
    text += table("wide", "Scalars that take two cells.", wide)
    text += table("zero", "Scalars that take no cell of their own.", zero)
    text += table(
        "ambiguous", "Scalars that take one cell or two, as the terminal was set up.", ambiguous)
    OUTPUT.write_text(text + "}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
