import FoundationEssentials
import RallyWire

/// One decision about sharing, and what it replaced.
public struct SharingChange: Hashable, Sendable {
  /// Nil for the default.
  public var friendID: UUID?
  /// Nil where the default decided.
  public var before: SharingSetting?
  public var after: SharingSetting
}

/// The cached sharing for the first frame.
struct SharingSnapshot: StoreSnapshot {
  static let name = "sharing"

  var sharing: SharingTable
  /// When it was fetched.
  var asOf: WireTime
}
