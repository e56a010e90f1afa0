/// What lies under the lines and texts of a cell, in drawing order.
public enum MapFill: UInt8, Hashable, Sendable, CaseIterable {
  /// Beyond the world, or nothing is known.
  case none
  case sea
  case land
  /// Land of a street archive.
  case town
  /// Parks, woods, grass.
  case park
  /// Water of a street archive: sea, lakes, wide rivers.
  case water
  case building
  /// A tile that could not be read.
  case unreadable

  init(_ kind: GroundKind) {
    self =
      switch kind {
      case .green: .park
      case .water: .water
      case .building: .building
      default: .town
      }
  }
}
