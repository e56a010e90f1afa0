"""Cuts areas into arcs: lines between points where three areas meet, each kept once, so that neighbours share their border on
every level of detail."""

from collections import defaultdict

from geometry import SPAN


class Topology:
    """`arcs` are lines of vertices, `kinds[i]` is what arc i is, `rings` are (owner, references): i forward, ~i backward.

    `classify(owners, a, b)` says what a segment is, given the owners of all areas that it bounds (sorted, with repetitions)."""

    def __init__(self, owned_rings, classify):
        self.arcs = []
        self.kinds = []
        self.rings = []
        self._indices = {}
        uses = defaultdict(list)
        neighbours = defaultdict(set)
        for owner, ring in owned_rings:
            for a, b in zip(ring, ring[1:] + ring[:1]):
                uses[_segment(a, b)].append(owner)
                neighbours[a].add(b)
                neighbours[b].add(a)
        signs = {}
        for segment, owners in uses.items():
            owners.sort()
            signs[segment] = (classify(owners, *segment), tuple(owners))
        for owner, ring in owned_rings:
            self._add_ring(owner, ring, neighbours, signs)

    def _add_ring(self, owner, ring, neighbours, signs):
        count = len(ring)
        sides = [signs[_segment(ring[i - 1], ring[i])] for i in range(count)]
        nodes = [i for i in range(count) if len(neighbours[ring[i]]) != 2 or sides[i] != sides[(i + 1) % count]]
        if nodes:
            spans = list(zip(nodes, nodes[1:] + [nodes[0] + count]))
        else:
            start = min(range(count), key=lambda i: ring[i])
            spans = [(start, start + count)]
        references = []
        for first, last in spans:
            arc = tuple(ring[i % count] for i in range(first, last + 1))
            kind, _ = sides[(first + 1) % count]
            references.append(self._reference(arc, kind))
        self.rings.append((owner, references))

    def _reference(self, arc, kind) -> int:
        if arc in self._indices:
            return self._indices[arc]
        backward = arc[::-1]
        if backward in self._indices:
            return ~self._indices[backward]
        self._indices[arc] = len(self.arcs)
        self.arcs.append(list(arc))
        self.kinds.append(kind)
        return len(self.arcs) - 1


def is_seam(a, b) -> bool:
    """Whether a segment runs along the square's left, right or lower edge: a cut of the data, not a coast."""
    return (a[0] == b[0] and a[0] in (0, SPAN)) or (a[1] == b[1] == SPAN)


def _segment(a, b):
    return (a, b) if a < b else (b, a)
