"""What an independent decoder reads in a vector tile, for the tests of streets.

    tiles.py decode TILE    every layer and feature, one a line, fields separated by tabs
    tiles.py fill TILE      random points, and which classes of areas of OpenMapTiles contain each
"""

import random
import struct
import sys

import mapbox_vector_tile
import shapely
from shapely.geometry import Polygon

GREEN_LANDUSE = {"cemetery", "pitch", "playground", "stadium", "track", "zoo"}
GREEN = {
    "landcover": lambda properties: properties["class"] in ("wood", "grass"),
    "landuse": lambda properties: properties["class"] in GREEN_LANDUSE,
    "park": lambda properties: properties["class"] in ("national_park", "nature_reserve"),
}
AREAS = {
    "green": GREEN,
    "water": {"water": lambda properties: properties.get("brunnel") != "tunnel"},
    "building": {"building": lambda properties: True},
}


def value(found):
    if isinstance(found, bool):
        return f"b:{int(found)}"
    if isinstance(found, int):
        return f"i:{found}"
    if isinstance(found, float):
        return "f:" + struct.pack(">d", found).hex()
    return "s:" + found.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n")


def parts(geometry):
    """The geometry's points, runs or rings: lists of points."""
    depth = {"Point": 0, "MultiPoint": 1, "LineString": 1, "MultiLineString": 2, "Polygon": 2, "MultiPolygon": 3}
    coordinates = geometry["coordinates"]
    match depth[geometry["type"]]:
        case 0:
            return [[coordinates]]
        case 1:
            return [coordinates]
        case 2:
            return coordinates
    return [ring for polygon in coordinates for ring in polygon]


def decode(layers):
    for name, layer in layers.items():
        print("layer", name, layer["version"], layer["extent"], len(layer["features"]), sep="\t")
        for feature in layer["features"]:
            properties = sorted(f"{key}={value(found)}" for key, found in feature["properties"].items())
            points = ";".join(" ".join(f"{x},{y}" for x, y in part) for part in parts(feature["geometry"]))
            print(feature["id"], feature["type"], " | ".join(properties), points, sep="\t")


def polygons(geometry):
    coordinates = geometry["coordinates"]
    for rings in coordinates if geometry["type"] == "MultiPolygon" else [coordinates]:
        yield shapely.make_valid(Polygon(rings[0], rings[1:]))


def fill(layers):
    numbers = random.Random(15)
    # Off the grid of the tile's units, so that no point lies on an edge or a corner.
    spots = [(numbers.randrange(4096) + 0.37, numbers.randrange(4096) + 0.59) for _ in range(1500)]
    tree = shapely.STRtree(shapely.points(spots))
    within = {area: set() for area in AREAS}
    for area, sources in AREAS.items():
        for name, accepts in sources.items():
            for feature in layers.get(name, {"features": []})["features"]:
                if feature["type"] != 3 or not accepts(feature["properties"]):
                    continue
                for polygon in polygons(feature["geometry"]):
                    within[area].update(tree.query(polygon, predicate="contains"))
    for index, (x, y) in enumerate(spots):
        print(x, y, ",".join(area for area in AREAS if index in within[area]), sep="\t")


def main():
    command, path = sys.argv[1:]
    with open(path, "rb") as tile:
        options = {"geojson": False, "y_coord_down": True}
        layers = mapbox_vector_tile.decode(tile.read(), default_options=options)
    {"decode": decode, "fill": fill}[command](layers)


main()
