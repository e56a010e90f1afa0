"""Reads the lakes of R's `maps`: Natural Earth's `ne_50m_lakes`, the large ones with their islands.

`lakes.L` is a table of lines: int32 type (2: radians), int32 count, then per line int32 offset, int32 number of points, int32 place
in `lakes.N`, float32 bounding box; points are pairs of float32 in radians. All lines are closed.
"""

import math
import struct


def read(lines: bytes, names: str) -> list[tuple[str, list[tuple[float, float]]]]:
    """(name, closed ring of degrees); islands are rings of their own."""
    titles = [line.split("\t")[0] for line in names.splitlines()]
    kind, count = struct.unpack_from("<ii", lines)
    if kind != 2:
        raise ValueError("lakes are expected in radians")
    rings = []
    for index in range(count):
        offset, length, title = struct.unpack_from("<iii", lines, 8 + 28 * index)
        numbers = struct.unpack_from(f"<{2 * length}f", lines, offset)
        ring = [(math.degrees(x), math.degrees(y)) for x, y in zip(numbers[::2], numbers[1::2])]
        rings.append((titles[title - 1], ring))
    return rings
