"""Writes the blob. The format stands in README.md; `Sources/RallyMap/World` reads it."""

import struct
import zlib

MARKS = b"RWM"
VERSION = 2

COUNTRIES, TIME_ZONES, CITIES, RINGS, NAMES, STATES, FIRST_LEVEL = 1, 2, 3, 4, 5, 6, 16
COAST, BORDER, DISPUTED, STATE, LAKE, SEAM = range(6)


def varint(value: int) -> bytes:
    if not 0 <= value < 2**35:
        raise ValueError(value)
    result = bytearray()
    while value > 0x7F:
        result.append(value & 0x7F | 0x80)
        value >>= 7
    result.append(value)
    return bytes(result)


def zigzag(value: int) -> bytes:
    return varint(value << 1 if value >= 0 else (-value << 1) - 1)


def text(value: str) -> bytes:
    encoded = value.encode()
    return varint(len(encoded)) + encoded


def level(arcs) -> bytes:
    """`arcs` is a list of (kind, vertices)."""
    parts = [varint(sum(len(points) for _, points in arcs)), varint(len(arcs))]
    for kind, points in arcs:
        parts += [bytes([kind]), varint(len(points)), struct.pack("<HH", *points[0])]
        for (x0, y0), (x1, y1) in zip(points, points[1:]):
            parts += [zigzag(x1 - x0), zigzag(y1 - y0)]
    return b"".join(parts)


def rings(owned) -> bytes:
    """`owned` is a list of (country's index, arc references)."""
    parts = [varint(len(owned))]
    for owner, references in owned:
        parts += [varint(owner), varint(len(references))]
        parts += map(zigzag, references)
    return b"".join(parts)


def countries(entries) -> bytes:
    parts = [varint(len(entries))]
    for entry in entries:
        flags = (1 if entry.is_disputed else 0) | (2 if entry.label else 0)
        parts += [text(entry.name), (entry.code or "\0\0").encode(), bytes([flags, entry.rank])]
        if entry.label:
            parts.append(struct.pack("<4H", *entry.label))
    return b"".join(parts)


def time_zones(zones) -> bytes:
    return varint(len(zones)) + b"".join(map(text, zones))


def cities(entries, zones, place) -> bytes:
    """`entries` are sorted by population, the largest first."""
    population = entries[0].population
    parts = [varint(len(entries)), varint(population)]
    for city in entries:
        x, y = place(city)
        searched = city.searched
        if city.name.isascii() and city.name.lower() == searched:
            searched = ""
        parts += [
            struct.pack("<I", x)[:3], struct.pack("<I", y)[:3], varint(population - city.population), varint(city.country),
            varint(zones.index(city.zone) << 1 | city.is_capital), text(city.name), text(searched),
        ]
        population = city.population
    return b"".join(parts)


def names(entries: list[tuple[bytes, int]]) -> bytes:
    """`entries` are names with the indices of their cities, sorted by name."""
    parts = [varint(len(entries))]
    before = b""
    for name, city in entries:
        shared = 0
        while shared < min(len(before), len(name), 255) and before[shared] == name[shared]:
            shared += 1
        parts += [bytes([shared]), varint(len(name) - shared), name[shared:], varint(city)]
        before = name
    return b"".join(parts)


def states(rows: list[tuple[int, str, str]], of_cities: list[tuple[int, bool] | None]) -> bytes:
    """`rows` are (country's index, name, abbreviation); `of_cities` are in the order of the cities."""
    parts = [varint(len(rows))]
    for country, name, abbreviation in rows:
        parts += [varint(country), text(name), text(abbreviation.lower())]
    parts.append(bytes((entry[0] + 1) << 1 | entry[1] for entry in of_cities if entry))
    return b"".join(parts)


def container(sections: dict[int, bytes]) -> bytes:
    head = bytearray([len(sections)])
    offset = 8 + 1 + 9 * len(sections)
    for identity, content in sections.items():
        head += struct.pack("<BII", identity, offset, len(content))
        offset += len(content)
    body = bytes(head) + b"".join(sections.values())
    return MARKS + bytes([VERSION]) + struct.pack("<I", zlib.crc32(body)) + body
