/// A rectangle of dots with inclusive edges; empty when a maximum is below its minimum.
struct DotRect: Hashable {
  var minX: Int
  var minY: Int
  var maxX: Int
  var maxY: Int

  func intersection(_ other: DotRect) -> DotRect {
    DotRect(
      minX: max(minX, other.minX), minY: max(minY, other.minY), maxX: min(maxX, other.maxX),
      maxY: min(maxY, other.maxY))
  }
}
