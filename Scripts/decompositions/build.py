#!/usr/bin/env python3
"""Writes Sources/RallyText/DecompositionTable.swift from the Unicode Character Database.

    Scripts/decompositions/build.py [FOLDER]

FOLDER holds UnicodeData.txt of the version named below; Debian and Ubuntu put it into /usr/share/unicode
with the package unicode-data. It is checked by its sum, so that the same bytes come out each time.
"""

import hashlib
import pathlib
import re
import sys

VERSION = "15.0.0"
SUM = "806e9aed65037197f1ec85e12be6e8cd870fc5608b4de0fffd990f689f376a73"
OUTPUT = pathlib.Path(__file__).parents[2] / "Sources/RallyText/DecompositionTable.swift"

HEAD = '''/// Letters without their accents. Made by Scripts/decompositions/build.py; not to be edited.
///
/// Source: UnicodeData.txt of the Unicode Character Database, %s. Each entry is a decomposition
/// without combining marks, a colon, and the scalars that have it, in hexadecimal: `61:e0-e5,101`
/// means `a` for U+00E0 to U+00E5 and U+0101. After a `+` the decomposition is that of the first
/// scalar of a range, and counts up. Hangul syllables are left out.
enum DecompositionTable {
'''


def read(folder):
    data = (folder / "UnicodeData.txt").read_bytes()
    if hashlib.sha256(data).hexdigest() != SUM:
        sys.exit(f"{folder / 'UnicodeData.txt'} is not the file of Unicode {VERSION}")
    decompositions, marks = {}, set()
    for line in data.decode("utf-8").splitlines():
        fields = line.split(";")
        code = int(fields[0], 16)
        if fields[3] != "0":
            marks.add(code)
        if fields[5]:
            words = fields[5].split()
            is_compatible = words[0].startswith("<")
            decompositions[code] = (is_compatible, [int(word, 16) for word in words[is_compatible:]])
    return decompositions, marks


def base(code, decompositions, marks, is_compatible):
    """The whole decomposition without marks."""
    known = decompositions.get(code)
    if known is None or known[0] and not is_compatible:
        return [] if code in marks else [code]
    return [one for part in known[1] for one in base(part, decompositions, marks, is_compatible)]


def entries(bases):
    """Yields each entry of a table of code to base: the ranges that count up first."""
    rest = dict(bases)
    for first in sorted(bases):
        last = first
        while len(bases[first]) == 1 and bases.get(last + 1) == [bases[last][0] + 1]:
            last += 1
        if last - first >= 3 and all(code in rest for code in range(first, last + 1)):
            yield f"{bases[first][0]:x}+:{first:x}-{last:x}"
            for code in range(first, last + 1):
                del rest[code]
    groups = {}
    for code in sorted(rest):
        groups.setdefault(tuple(rest[code]), []).append(code)
    for result in sorted(groups):
        ranges = []
        for code in groups[result]:
            if ranges and ranges[-1][1] == code - 1:
                ranges[-1][1] = code
            else:
                ranges.append([code, code])
        codes = ",".join(f"{a:x}" if a == b else f"{a:x}-{b:x}" for a, b in ranges)
        yield ".".join(f"{one:x}" for one in result) + ":" + codes


def literal(comment, name, table):
    lines, line = [], ""
    # A line ends after an entry or within its scalars.
    for piece in re.findall("[^ ,]+[ ,]?", " ".join(table)):
        if len(line) + len(piece) > 95:
            lines.append(f"    {line}\\")
            line = ""
        line += piece
    body = "\n".join(lines + ["    " + line])
    return f'  /// {comment}\n  static let {name} = """\n{body}\n    """\n'


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "/usr/share/unicode")
    decompositions, marks = read(folder)
    canonical, compatible = {}, {}
    for code in decompositions:
        plain = base(code, decompositions, marks, False)
        whole = base(code, decompositions, marks, True)
        if plain and plain != [code]:
            canonical[code] = plain
        if whole and whole != (plain or [code]):
            compatible[code] = whole
    OUTPUT.write_text(
        HEAD % VERSION
        + literal("Canonical decompositions.", "canonical", entries(canonical))
        + "\n"
        + literal(
            "Compatibility decompositions, where they differ.", "compatibility", entries(compatible))
        + "}\n",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
