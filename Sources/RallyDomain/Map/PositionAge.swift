import RallyWire

/// The age of a position in three steps, each with a glyph.
public enum PositionAge: String, Hashable, Sendable, Codable, CaseIterable, Comparable {
  /// Under ten minutes.
  case fresh
  /// Under six hours.
  case older
  case old

  /// `●`, `○` or `◌`.
  public var mark: String {
    switch self {
    case .fresh: "●"
    case .older: "○"
    case .old: "◌"
    }
  }

  /// A time in the future (clocks differ) counts as fresh.
  public init(of time: WireTime, at now: WireTime) {
    let age = now.since(time)
    self = age < Self.freshEnd ? .fresh : age < Self.olderEnd ? .older : .old
  }

  public static func < (one: PositionAge, other: PositionAge) -> Bool {
    one.rank < other.rank
  }

  static let freshEnd = Duration.seconds(600)
  static let olderEnd = Duration.seconds(6 * 3600)

  private var rank: Int {
    switch self {
    case .fresh: 0
    case .older: 1
    case .old: 2
    }
  }
}
