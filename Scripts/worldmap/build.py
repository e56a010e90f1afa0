#!/usr/bin/env python3
"""Builds Sources/CWorldMap/world.rwm from Natural Earth and GeoNames. See README.md.

    Scripts/worldmap/build.py [--cache FOLDER] [--output FILE]
"""

import argparse
import pathlib
import sys
from collections import defaultdict

sys.dont_write_bytecode = True

import blob
import cities
import countries
import disputed
import geometry
import lakes
import names
import rdata
import sources
import states
from topology import Topology, is_seam

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Per level of detail: tolerance of simplification in units, and the side of a square that a closed line must fill to stay.
LEVELS = [(60, 60), (20, 14), (5, 5), (0.75, 0)]
# The coarsest level that has borders of states.
FIRST_STATES_LEVEL = 1


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--cache", type=pathlib.Path, default=ROOT / ".build" / "worldmap", help="where inputs are kept")
    arguments.add_argument("--output", type=pathlib.Path, default=ROOT / "Sources" / "CWorldMap" / "world.rwm")
    options = arguments.parse_args()
    inputs = sources.fetch(options.cache)
    content = build(inputs)
    options.output.write_bytes(content)
    print(f"{options.output.name}: {len(content)} bytes", file=sys.stderr)


def build(inputs) -> bytes:
    database = rdata.Database(inputs["Rdata.rdb"], inputs["Rdata.rdx"])
    city_list = cities.choose(cities.read(inputs["cities15000.json"].read_text(), inputs["countries.json"].read_text()))
    land_names = cities.country_names(inputs["countries.json"].read_text())
    used = sorted({city.code for city in city_list})
    country_list = countries.read(database, {code: land_names[code] for code in used})
    countries.place_labels(country_list)
    assign_countries(city_list, country_list)

    land = [
        (index, ring)
        for index, country in enumerate(country_list)
        for ring in map(geometry.quantized_ring, country.rings) if len(ring) > 2
    ]
    topology = Topology(land, lambda owners, a, b: line_kind([country_list[owner].name for owner in owners], a, b))
    close_gaps(topology, [country.name for country in country_list])
    check_seams(topology)
    shores = lake_lines(inputs, [ring for _, ring in land])
    state_borders = state_lines(database)

    sections = {}
    for number, (tolerance, side) in enumerate(LEVELS):
        arcs, indices = simplified_arcs(topology, tolerance, side)
        arcs += [(blob.LAKE, geometry.simplify(line, tolerance)) for line in shores if is_large(line, side)]
        if number >= FIRST_STATES_LEVEL:
            arcs += [(blob.STATE, geometry.simplify(line, tolerance)) for line in state_borders]
        sections[blob.FIRST_LEVEL + number] = blob.level(arcs)
        report(f"level {number}", arcs, sections[blob.FIRST_LEVEL + number])
    zones = sorted({city.zone for city in city_list})
    sections[blob.COUNTRIES] = blob.countries(country_list)
    sections[blob.TIME_ZONES] = blob.time_zones(zones)
    sections[blob.CITIES] = blob.cities(city_list, zones, cities.place)
    other_names = names.other_names(city_list)
    sections[blob.NAMES] = blob.names(other_names)
    print(f"{len(other_names)} other names, {len(sections[blob.NAMES])} bytes", file=sys.stderr)
    state_rows, of_cities = states.states(city_list)
    lands = {city.code: city.country for city in city_list}
    sections[blob.STATES] = blob.states([(lands[code], *names) for code, *names in state_rows], of_cities)
    print(f"{len(state_rows)} states, {len(sections[blob.STATES])} bytes", file=sys.stderr)
    sections[blob.RINGS] = blob.rings(references(topology, indices))
    print(f"{len(country_list)} countries, {len(city_list)} cities, {len(zones)} time zones", file=sys.stderr)
    return blob.container(sections)


def line_kind(owners: list[str], a, b):
    """What a segment between two vertices is, given whose areas it bounds."""
    if len(owners) == 1:
        return blob.SEAM if is_seam(a, b) else blob.COAST
    names = frozenset(owners)
    if len(names) == 1:
        raise SystemExit(f"{owners[0]} touches itself at {a}")
    return blob.DISPUTED if disputed.is_disputed(names, a, b) else blob.BORDER


# The largest gap between two neighbours in square units: on the Maas, where their outlines differ by a few kilometres.
LARGEST_GAP = 400


def close_gaps(topology: Topology, names: list[str]):
    """Makes borders of what looks like coasts where the outlines of two neighbours do not quite meet.

    Such a gap lies between two single lines with the same ends. An island that two countries share looks alike, but for the border
    that joins its ends. Or it is a loop that hangs on a border."""
    owners = {}
    for owner, ring in topology.rings:
        owners |= {arc if arc >= 0 else ~arc: owner for arc in ring}
    by_ends = defaultdict(list)
    kinds_at = defaultdict(set)
    for index, line in enumerate(topology.arcs):
        by_ends[frozenset((line[0], line[-1]))].append(index)
        if line[0] != line[-1]:
            for end in (line[0], line[-1]):
                kinds_at[end].add(topology.kinds[index])
    for ends, arcs in by_ends.items():
        if len(ends) == 1:
            around = kinds_at[min(ends)]
            if around and not around & {blob.COAST, blob.SEAM}:
                print(f"loop closed in {names[owners[arcs[0]]]}", file=sys.stderr)
                for arc in arcs:
                    topology.kinds[arc] = max(around)
            continue
        if len(arcs) != 2 or any(topology.kinds[arc] != blob.COAST for arc in arcs):
            continue
        first, second = (topology.arcs[arc] for arc in arcs)
        way_back = second if second[0] == first[-1] else second[::-1]
        if geometry.area(first + way_back) < LARGEST_GAP:
            pair = [names[owners[arc]] for arc in arcs]
            print(f"gap closed between {pair[0]} and {pair[1]}", file=sys.stderr)
            for arc in arcs:
                topology.kinds[arc] = line_kind(pair, *topology.arcs[arc][:2])


def simplified_arcs(topology: Topology, tolerance: float, side: int):
    """The arcs of a level as (kind, vertices), and for each arc of the topology its index there if it is kept."""
    arcs, indices = [], {}
    for index, (kind, line) in enumerate(zip(topology.kinds, topology.arcs)):
        if line[0] == line[-1] and not is_large(line, side):
            continue
        indices[index] = len(arcs)
        line = geometry.simplify(line, tolerance)
        if len(line) == 2 and is_seam(*line):
            # The half of an island at 180° that nothing is left of: it cancels its own seam, and is not drawn.
            kind = blob.SEAM
        arcs.append((kind, line))
    return arcs, indices


def is_large(line, side: int) -> bool:
    west, north, east, south = geometry.bounds(line)
    return (east - west) * (south - north) >= side * side


def references(topology: Topology, indices):
    """The rings with the indices that arcs have in the finest level."""
    result = []
    for owner, ring in topology.rings:
        kept = [indices[arc] if arc >= 0 else ~indices[~arc] for arc in ring if (arc if arc >= 0 else ~arc) in indices]
        result.append((owner, kept))
    return result


def check_seams(topology: Topology):
    """Both edges of the world must have the same seams, or a fill would leak across the dateline."""

    def spans(x):
        covered = set()
        for kind, line in zip(topology.kinds, topology.arcs):
            if kind == blob.SEAM:
                for a, b in zip(line, line[1:]):
                    if a[0] == b[0] == x:
                        covered ^= set(range(min(a[1], b[1]), max(a[1], b[1])))
        return covered

    difference = spans(0) ^ spans(geometry.SPAN)
    if difference:
        raise SystemExit(f"seams differ at 180° for {len(difference)} units from y {min(difference)} to {max(difference)}")


def lake_lines(inputs, land):
    """Closed lines of lakes and of islands in them. Lagoons that the coast already has outside of the land are left out."""
    lines, left_out = [], []
    boxed = [(geometry.bounds(ring), ring) for ring in land]
    for name, ring in lakes.read(inputs["lakes.L"].read_bytes(), inputs["lakes.N"].read_text()):
        line = geometry.quantized_ring(ring)
        west, north, east, south = geometry.bounds(line)
        around = [ring for box, ring in boxed if box[0] <= east and box[1] <= south and west <= box[2] and north <= box[3]]
        inside = sum(geometry.contains(around, x + 0.01, y + 0.01) for x, y in line)
        if inside * 10 < len(line) * 9:
            left_out.append(f"{name} ({inside} of {len(line)})")
            continue
        lines.append(line + line[:1])
    print(f"lakes left out: {', '.join(left_out) or 'none'}", file=sys.stderr)
    return lines


def state_lines(database):
    """Lines between two states of the same country."""
    owned, owners = [], []
    for attributes, rings in rdata.features(database, "states50"):
        owners.append(attributes["iso_a2"])
        owned += [(len(owners) - 1, ring) for ring in map(geometry.quantized_ring, rings) if len(ring) > 2]

    def kind(states, a, b):
        inner = len(set(states)) > 1 and len({owners[state] for state in states}) == 1
        return blob.STATE if inner else None

    topology = Topology(owned, kind)
    return [line for line, kind in zip(topology.arcs, topology.kinds) if kind == blob.STATE]


def assign_countries(city_list, country_list):
    """Gives each city its country: by code, but for the areas that no code, or not always the same one, stands for."""
    by_code = {country.code: index for index, country in enumerate(country_list) if country.code}
    areas = [
        (index, country.rings)
        for index, country in enumerate(country_list)
        if country.code is None or country.name in disputed.CODED_OTHERWISE
    ]
    for city in city_list:
        city.country = by_code[city.code]
        for index, rings in areas:
            # A capital on the very line, like Nicosia, is its country's.
            if not city.is_capital and geometry.contains(rings, city.longitude, city.latitude):
                city.country = index


def report(title, arcs, content):
    counts = [sum(kind == wanted for kind, _ in arcs) for wanted in range(6)]
    vertices = sum(len(line) for _, line in arcs)
    print(f"{title}: {len(arcs)} arcs {counts}, {vertices} vertices, {len(content)} bytes", file=sys.stderr)


if __name__ == "__main__":
    main()
