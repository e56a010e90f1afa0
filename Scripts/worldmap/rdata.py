"""Reads an R package's lazy-load database (`Rdata.rdb` with its index `Rdata.rdx`) without R.

Follows "R Internals", section 1.8 (serialization formats): XDR, versions 2 and 3; only what spatial data frames need.
"""

import bz2
import lzma
import pathlib
import struct
import zlib

# Types of R's objects, as they are serialized.
SYMBOL, LIST, ENVIRONMENT, LANGUAGE, CHARACTER = 1, 2, 4, 6, 9
LOGICAL, INTEGER, REAL, STRINGS, VECTOR, EXPRESSION, S4 = 10, 13, 14, 16, 19, 20, 25
REFERENCE, PERSISTENT, NIL = 255, 247, 254
SINGLETONS = {241, 242, 250, 251, 252, 253, NIL}
HAS_ATTRIBUTES, HAS_TAG = 0x200, 0x400


class Node:
    """An R value with attributes: `node["names"]` is an attribute, `node.value` the value itself."""

    def __init__(self, value, attributes):
        self.value = value
        self.attributes = attributes

    def __getitem__(self, name):
        return self.attributes[name]


def plain(value):
    """The value without its attributes; a factor becomes the list of its words."""
    if not isinstance(value, Node):
        return value
    levels = value.attributes.get("levels")
    if levels is None:
        return value.value
    words = plain(levels)
    return [words[code - 1] if 0 < code <= len(words) else None for code in value.value]


class Database:
    def __init__(self, rdb: pathlib.Path, rdx: pathlib.Path):
        index = _Reader(zlib.decompress(rdx.read_bytes(), 47)).object()
        variables = dict(zip(plain(index["names"]), index.value))["variables"]
        self._places = dict(zip(plain(variables["names"]), variables.value))
        self._bytes = rdb.read_bytes()

    def __getitem__(self, name: str):
        offset, length = self._places[name]
        return _Reader(_decompressed(self._bytes[offset:offset + length])).object()


def features(database: Database, name: str):
    """A spatial polygons data frame as a list of (attributes, rings); a ring is a list of (longitude, latitude)."""
    frame = database[name]
    columns = dict(zip(plain(frame["data"]["names"]), map(plain, frame["data"].value)))
    result = []
    for row, shape in enumerate(plain(frame["polygons"])):
        rings = []
        for part in plain(shape["Polygons"]):
            numbers = part["coords"].value
            half = len(numbers) // 2
            rings.append(list(zip(numbers[:half], numbers[half:])))
        result.append(({column: values[row] for column, values in columns.items()}, rings))
    return result


def _decompressed(block: bytes) -> bytes:
    kind = block[4:5]
    if kind == b"Z":
        filters = [{"id": lzma.FILTER_LZMA2, "preset": 6}]
        return lzma.decompress(block[5:], format=lzma.FORMAT_RAW, filters=filters)
    if kind == b"2":
        return bz2.decompress(block[5:])
    return zlib.decompress(block[4:])


class _Reader:
    def __init__(self, data: bytes):
        self._data = data
        self._offset = 2
        self._references = []
        if data[:2] != b"X\n":
            raise ValueError("not in R's XDR format")

    def object(self):
        version = self._integer()
        self._offset += 8
        if version == 3:
            length = self._integer()
            self._offset += length
        return self._item()

    def _integer(self) -> int:
        value, = struct.unpack_from(">i", self._data, self._offset)
        self._offset += 4
        return value

    def _array(self, code: str, size: int):
        count = self._integer()
        values = list(struct.unpack_from(f">{count}{code}", self._data, self._offset))
        self._offset += size * count
        return values

    def _remember(self, value):
        self._references.append(value)
        return value

    def _item(self):
        flags = self._integer()
        kind = flags & 0xFF
        if kind in SINGLETONS:
            return None
        if kind == REFERENCE:
            return self._references[(flags >> 8 or self._integer()) - 1]
        if kind == SYMBOL:
            return self._remember(self._item())
        if kind == PERSISTENT:
            self._integer()
            return self._remember([self._item() for _ in range(self._integer())])
        if kind == ENVIRONMENT:
            self._integer()
            self._remember(None)
            return [self._item() for _ in range(4)] and None
        if kind in (LIST, LANGUAGE):
            return self._pairs(flags)
        if kind == CHARACTER:
            return self._characters()
        value = self._vector(kind)
        return Node(value, self._item()) if flags & HAS_ATTRIBUTES else value

    def _vector(self, kind):
        if kind in (LOGICAL, INTEGER):
            return self._array("i", 4)
        if kind == REAL:
            return self._array("d", 8)
        if kind in (STRINGS, VECTOR, EXPRESSION):
            return [self._item() for _ in range(self._integer())]
        if kind == S4:
            return None
        raise ValueError(f"R type {kind} at byte {self._offset}")

    def _characters(self):
        length = self._integer()
        if length < 0:
            return None
        raw = self._data[self._offset:self._offset + length]
        self._offset += length
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError:
            return raw.decode("latin-1")

    def _pairs(self, flags):
        """A pair list, as a dictionary of its tags: what attributes are."""
        pairs = {}
        while flags & 0xFF in (LIST, LANGUAGE):
            if flags & HAS_ATTRIBUTES:
                self._item()
            tag = self._item() if flags & HAS_TAG else len(pairs)
            pairs[tag] = self._item()
            flags = self._integer()
        if flags & 0xFF != NIL:
            raise ValueError(f"a pair list that does not end at byte {self._offset}")
        return pairs
