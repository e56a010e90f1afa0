/// What lies under the lines and texts of a cell, in drawing order.
public enum MapFill: UInt8, Hashable, Sendable, CaseIterable {
  /// Beyond the world, or nothing is known.
  case none
  case sea
  case land
  /// Parks, woods, grass.
  case green
  /// Water of a street archive: sea, lakes, wide rivers.
  case water
  case building
  /// A tile that could not be read.
  case unreadable

  init(_ kind: GroundKind) {
    self =
      switch kind {
      case .green: .green
      case .water: .water
      case .building: .building
      default: .land
      }
  }
}
