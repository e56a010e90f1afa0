"""The grid of world units, areas, even-odd tests and simplification."""

import heapq
import math

SPAN = 65535
MAXIMUM_LATITUDE = 85.0511287798066


def project(longitude: float, latitude: float) -> tuple[float, float]:
    """Web Mercator, 0...1 from 180° W to the east and from 85.0511° N to the south."""
    latitude = max(-MAXIMUM_LATITUDE, min(MAXIMUM_LATITUDE, latitude))
    x = (max(-180.0, min(180.0, longitude)) + 180) / 360
    y = (1 - math.asinh(math.tan(math.radians(latitude))) / math.pi) / 2
    return x, min(1.0, max(0.0, y))


def quantize(longitude: float, latitude: float) -> tuple[int, int]:
    x, y = project(longitude, latitude)
    return round(x * SPAN), round(y * SPAN)


def quantized_ring(ring) -> list[tuple[int, int]]:
    """The ring on the grid without repeated vertices, not closed."""
    result = []
    for longitude, latitude in ring:
        vertex = quantize(longitude, latitude)
        if not result or result[-1] != vertex:
            result.append(vertex)
    while len(result) > 1 and result[0] == result[-1]:
        result.pop()
    return result


def sphere_area(ring) -> float:
    """Area of a ring of degrees in steradians (cylindrical equal-area projection)."""
    total = 0.0
    for (x0, y0), (x1, y1) in zip(ring, ring[1:] + ring[:1]):
        total += math.radians(x1 - x0) * (math.sin(math.radians(y0)) + math.sin(math.radians(y1))) / 2
    return abs(total)


def area(ring) -> float:
    """Area in square units."""
    return abs(sum(x0 * y1 - x1 * y0 for (x0, y0), (x1, y1) in zip(ring, ring[1:] + ring[:1]))) / 2


def bounds(points) -> tuple[int, int, int, int]:
    xs = [x for x, _ in points]
    ys = [y for _, y in points]
    return min(xs), min(ys), max(xs), max(ys)


def contains(rings, x: float, y: float) -> bool:
    """Even-odd over rings that are not closed."""
    inside = False
    for ring in rings:
        x0, y0 = ring[-1]
        for x1, y1 in ring:
            if (y0 <= y) != (y1 <= y) and x < x0 + (y - y0) / (y1 - y0) * (x1 - x0):
                inside = not inside
            x0, y0 = x1, y1
    return inside


def simplify(points, tolerance: float):
    """Douglas-Peucker with fixed ends. A closed line keeps the vertex farthest from its start as well, and at least four."""
    if len(points) < 3:
        return points
    kept = {0, len(points) - 1}
    closed = points[0] == points[-1]
    if closed:
        x0, y0 = points[0]
        far = max(range(1, len(points) - 1), key=lambda i: (points[i][0] - x0) ** 2 + (points[i][1] - y0) ** 2)
        kept.add(far)
        spans = [(0, far), (far, len(points) - 1)]
    else:
        spans = [(0, len(points) - 1)]
    while spans:
        first, last = spans.pop()
        index, distance = _farthest(points, first, last)
        if distance > tolerance * tolerance:
            kept.add(index)
            spans += [(first, index), (index, last)]
    if closed and len(kept) < 4:
        kept |= {len(points) // 3, 2 * len(points) // 3}
    return [points[index] for index in sorted(kept)]


def _farthest(points, first, last):
    """The vertex between two others that is farthest from their segment, and the square of its distance."""
    (ax, ay), (bx, by) = points[first], points[last]
    dx, dy = bx - ax, by - ay
    length = dx * dx + dy * dy
    best, index = -1.0, first
    for i in range(first + 1, last):
        px, py = points[i][0] - ax, points[i][1] - ay
        if length:
            along = max(0.0, min(1.0, (px * dx + py * dy) / length))
            px, py = px - along * dx, py - along * dy
        distance = px * px + py * py
        if distance > best:
            best, index = distance, i
    return index, best


# A name is about this many times as wide as high.
NAME_SHAPE = 3.0


def label_place(rings) -> tuple[int, int]:
    """The middle of the widest open place of an area, in units: the point farthest from all edges once widths are divided by a
    name's shape, found by halving squares (Agafonkin's polylabel). `rings[0]` is the outer one."""
    narrow = [[(x / NAME_SHAPE, y) for x, y in ring] for ring in rings]
    x0, y0, x1, y1 = bounds(narrow[0])
    size = max(min(x1 - x0, y1 - y0), 1)
    queue = []

    def consider(x, y, half):
        distance = _edge_distance(narrow, x, y)
        heapq.heappush(queue, (-(distance + half * math.sqrt(2)), x, y, half, distance))
        return distance, x, y

    best = consider((x0 + x1) / 2, (y0 + y1) / 2, 0)
    x = x0
    while x < x1:
        y = y0
        while y < y1:
            best = max(best, consider(x + size / 2, y + size / 2, size / 2))
            y += size
        x += size
    while queue:
        bound, x, y, half, _ = heapq.heappop(queue)
        if -bound - best[0] <= max(0.5, 0.01 * best[0]):
            break
        quarter = half / 2
        for cx, cy in ((x - quarter, y - quarter), (x + quarter, y - quarter), (x - quarter, y + quarter), (x + quarter, y + quarter)):
            best = max(best, consider(cx, cy, quarter))
    return round(best[1] * NAME_SHAPE), round(best[2])


def _edge_distance(rings, x, y) -> float:
    """Distance to the nearest edge, negative outside."""
    nearest = math.inf
    for ring in rings:
        x0, y0 = ring[-1]
        for x1, y1 in ring:
            dx, dy = x1 - x0, y1 - y0
            length = dx * dx + dy * dy
            along = max(0.0, min(1.0, ((x - x0) * dx + (y - y0) * dy) / length)) if length else 0.0
            nearest = min(nearest, (x - x0 - along * dx) ** 2 + (y - y0 - along * dy) ** 2)
            x0, y0 = x1, y1
    return math.sqrt(nearest) if contains(rings, x, y) else -math.sqrt(nearest)
