import Foundation
import RallyWire

/// One decision about sharing, and what it replaced.
public struct SharingChange: Hashable, Sendable {
  /// Nil for the default.
  public var friendID: UUID?
  /// Nil where the default decided.
  public var before: SharingSetting?
  public var after: SharingSetting
}

/// What the first frame says of sharing.
struct SharingSnapshot: StoreSnapshot {
  static let name = "sharing"

  var sharing: SharingTable
  /// When it was fetched.
  var asOf: WireTime
}
