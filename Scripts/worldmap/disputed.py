"""Which borders are drawn as disputed. The map takes no side: such a line is drawn apart and carries no owner.

De facto lines of Natural Earth are kept, and the lists say which of them are contested; only Crimea and Western Sahara are made
areas of their own here."""

from geometry import SPAN, quantize

# Areas that have no agreed status, each with the neighbour from which it is (or is not) apart.
PAIRS = {
    frozenset(pair)
    for pair in (
        ("Crimea", "Ukraine"),
        ("Kosovo", "Serbia"),
        ("Northern Cyprus", "Cyprus"),
        ("Palestine", "Israel"),
        ("Siachen Glacier", "China"),
        ("Siachen Glacier", "India"),
        ("Siachen Glacier", "Pakistan"),
        ("Somaliland", "Somalia"),
        ("Western Sahara", "Morocco"),
    )
}

# Areas some of whose cities have a neighbour's code in GeoNames: all cities in them belong to the area.
CODED_OTHERWISE = {"Western Sahara"}

# Parts of borders: the two countries, and a box of degrees (west, south, east, north) around the contested part.
PARTS = [
    (frozenset(("India", "Pakistan")), (73.0, 32.4, 78.5, 37.2)),  # line of control in Kashmir
    (frozenset(("China", "India")), (77.5, 30.3, 81.0, 36.6)),  # Aksai Chin and the sectors south of it
    (frozenset(("China", "India")), (91.5, 26.5, 97.5, 29.8)),  # Arunachal Pradesh
    (frozenset(("China", "Pakistan")), (74.5, 35.0, 78.0, 37.2)),  # Shaksgam
    (frozenset(("Israel", "Syria")), (35.0, 32.5, 36.2, 33.6)),  # Golan
    (frozenset(("South Sudan", "Sudan")), (27.0, 9.0, 29.8, 10.7)),  # Abyei
    (frozenset(("South Sudan", "Sudan")), (23.5, 8.5, 25.4, 10.0)),  # Kafia Kingi
    (frozenset(("Egypt", "Sudan")), (33.0, 21.8, 37.5, 23.5)),  # Hala'ib and Bir Tawil
    (frozenset(("Kenya", "South Sudan")), (34.0, 4.0, 36.1, 5.8)),  # Ilemi
]

# Crimea's neck: Natural Earth draws no line there. From the Black Sea's coast over Perekop to the Syvash and the Azov Sea.
CRIMEA_WEST = (33.59, 46.10)
CRIMEA_EAST = (34.84, 46.07)
CRIMEA_NECK = [(33.72, 46.17), (34.1, 46.12), (34.45, 46.05)]

# Western Sahara's northern line: Natural Earth gives only the part east of the sand wall to it. The parallel from the coast.
SAHARA_WEST = (-13.176, 27.656)
SAHARA_EAST = (-8.818, 27.656)


def is_disputed(names: frozenset, a, b) -> bool:
    """Whether a border segment (units) between the named areas is contested."""
    if names in PAIRS:
        return True
    return any(names == pair and _in_box(a, box) and _in_box(b, box) for pair, box in PARTS)


def _in_box(vertex, box) -> bool:
    west, south, east, north = box
    left, top = quantize(west, north)
    right, bottom = quantize(east, south)
    return left <= vertex[0] <= right and top <= vertex[1] <= bottom


def parted(ring, west, east, line=()) -> tuple[list, list]:
    """Splits a closed ring of degrees between its vertices nearest to two places, along a line from the one to the other.

    Returns (what lies north, what lies south of the cut)."""

    def nearest(place):
        return min(range(len(ring) - 1), key=lambda i: (ring[i][0] - place[0]) ** 2 + (ring[i][1] - place[1]) ** 2)

    first, last = nearest(west), nearest(east)
    line = list(line)
    if first > last:
        first, last, line = last, first, line[::-1]
    inner = ring[first:last + 1] + line[::-1]
    parts = [inner + inner[:1], ring[:first + 1] + line + ring[last:]]
    parts.sort(key=lambda part: sum(latitude for _, latitude in part) / len(part))
    return parts[1], parts[0]


def joined(first, second) -> list:
    """One closed ring around two that share a line."""
    following, exact = {}, {}
    for ring in (first, second):
        vertices = [_rounded(vertex) for vertex in ring]
        exact |= dict(zip(vertices, ring))
        for a, b in zip(vertices, vertices[1:]):
            if a == b:
                continue
            if following.get(b) == a:
                del following[b]
            else:
                following[a] = b
    start = min(following)
    ring = [start]
    while len(ring) == 1 or ring[-1] != start:
        ring.append(following.pop(ring[-1]))
    if following:
        raise ValueError("the rings do not share one line")
    return [exact[vertex] for vertex in ring]


def _rounded(vertex):
    """The same for both rings, whose coordinates may differ in the last digit."""
    return round(vertex[0], 4), round(vertex[1], 4)
