"""Which borders are drawn as disputed. The map takes no side: such a line is drawn apart and carries no owner.

De facto lines of Natural Earth are kept; the list says only which of them are contested."""

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

# Parts of borders: the two countries, and a box of degrees (west, south, east, north) around the contested part.
PARTS = [
    (frozenset(("India", "Pakistan")), (73.0, 32.4, 78.5, 37.2)),  # line of control in Kashmir
    (frozenset(("China", "India")), (77.5, 30.3, 81.0, 36.6)),  # Aksai Chin and the sectors south of it
    (frozenset(("China", "India")), (91.5, 26.5, 97.5, 29.8)),  # Arunachal Pradesh
    (frozenset(("China", "Pakistan")), (74.5, 35.0, 78.0, 37.2)),  # Shaksgam
    (frozenset(("Israel", "Syria")), (35.0, 32.5, 36.2, 33.6)),  # Golan
    (frozenset(("South Sudan", "Sudan")), (27.0, 9.0, 29.8, 10.7)),  # Abyei
    (frozenset(("Egypt", "Sudan")), (33.0, 21.8, 37.5, 23.5)),  # Hala'ib and Bir Tawil
    (frozenset(("Kenya", "South Sudan")), (34.0, 4.0, 36.1, 5.8)),  # Ilemi
]

# Crimea's neck: Natural Earth draws no line there. From the Black Sea's coast over Perekop to the Syvash and the Azov Sea.
CRIMEA_WEST = (33.59, 46.12)
CRIMEA_EAST = (34.83, 46.03)
CRIMEA_NECK = [(33.72, 46.17), (34.1, 46.12), (34.45, 46.05)]


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


def without_crimea(ring) -> tuple[list, list]:
    """Splits a closed ring of degrees around Ukraine into (Ukraine, Crimea) along the neck."""

    def nearest(place):
        return min(range(len(ring) - 1), key=lambda i: (ring[i][0] - place[0]) ** 2 + (ring[i][1] - place[1]) ** 2)

    west, east = nearest(CRIMEA_WEST), nearest(CRIMEA_EAST)
    neck = list(CRIMEA_NECK)
    if west > east:
        west, east, neck = east, west, neck[::-1]
    inner = ring[west:east + 1] + neck[::-1]
    outer = ring[:west + 1] + neck + ring[east:]
    first, second = inner + inner[:1], outer
    crimea = min((first, second), key=len)
    ukraine = max((first, second), key=len)
    return ukraine, crimea
