"""Reads a whole PMTiles archive with the format's own library and prints its tiles.

One line a tile: zoom, column, row, length and CRC-32 of the stored bytes. The last line is the
attribution in the archive's metadata.
"""

import sys
import zlib

from pmtiles.reader import MmapSource, Reader, all_tiles


with open(sys.argv[1], "rb") as file:
    source = MmapSource(file)
    for (zoom, column, row), tile in all_tiles(source):
        print(zoom, column, row, len(tile), zlib.crc32(tile))
    print(Reader(source).metadata().get("attribution", ""))
