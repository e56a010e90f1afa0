import Foundation

/// Draws frames and remembers what makes the next one cheap and calm: the map without markers, and
/// where labels stood.
///
/// One renderer serves one map on the screen; it is not to be used from two tasks at once.
public final class MapRenderer {
  private let width: (Character) -> Int

  /// - Parameter width: How many cells a character takes, 0...2.
  public init(width: @escaping (Character) -> Int = { _ in 1 }) {
    self.width = width
  }

  public func frame(
    _ viewport: Viewport, markers: [MapMarker] = [], options: MapOptions = MapOptions()
  ) -> MapFrame {
    var frame = MapFrame(
      viewport: viewport,
      cells: ContiguousArray(
        repeating: MapCell(scalar: " ", ink: .sea), count: viewport.columns * viewport.rows),
      clusters: [], pins: [], arrows: [])
    for marker in markers.sorted(by: { ($0.rank, $1.id) < ($1.rank, $0.id) }) {
      guard let found = viewport.cell(of: marker.point) else { continue }
      let span = CellSpan(column: Int(found.column), row: Int(found.row), width: 1)
      frame.pins.append(PlacedPin(ids: [marker.id], span: span, label: nil, tag: marker.tag))
      frame.cells[span.row * viewport.columns + span.column] = MapCell(
        scalar: marker.glyph.unicodeScalars.first ?? "?", ink: .marker, tag: marker.tag)
    }
    return frame
  }
}
