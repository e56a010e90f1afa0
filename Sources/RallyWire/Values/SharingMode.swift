/// How precisely a friend may see a position; a later case shows more.
public enum SharingMode: String, Hashable, Sendable, Codable, CaseIterable, Comparable {
  /// Nothing.
  case off
  /// A cell of about 10 km.
  case approximate10km = "approximate_10km"
  /// A cell of about 1 km.
  case approximate1km = "approximate_1km"
  /// The position itself, with speed, course and battery.
  case precise

  /// The size of the cell that the position is cut to; nil for `off` and for `precise`.
  public var gridLevel: GridLevel? {
    switch self {
    case .off, .precise: nil
    case .approximate10km: .tenKilometres
    case .approximate1km: .oneKilometre
    }
  }

  /// The mode in which a position is shown as a cell of this size.
  init(_ level: GridLevel) { self = level == .tenKilometres ? .approximate10km : .approximate1km }

  private var rank: Int {
    switch self {
    case .off: 0
    case .approximate10km: 1
    case .approximate1km: 2
    case .precise: 3
    }
  }

  public static func < (one: SharingMode, other: SharingMode) -> Bool { one.rank < other.rank }
}

/// Why a reader is not shown somebody's position.
///
/// Every gate that withholds a position says so in this type: the server's, the map's, and the
/// explanation of one's own position. On the wire it is the column `withheld`.
public enum WithheldReason: String, Error, Hashable, Sendable, Codable, CaseIterable {
  /// The reader is not a friend of the owner. An owner also gets this answer about a username that
  /// does not exist and about a person who blocked them, so that the three cannot be distinguished.
  case notFriend = "not_friend"
  /// The owner blocked the reader.
  case blocked
  /// The owner shares nothing with the reader.
  case off
  /// A share ended at its time, and no other decision shows anything.
  case expired
  /// The owner is a ghost, whatever they share. Of one who is still becoming one only their own
  /// client gives this reason.
  case ghost
  /// The position is older than maps show: see `init(age:precision:)`.
  case stale
  /// The owner shares, but the server has no position.
  case noReport = "no_report"

  /// `stale` if maps no longer show a position of this age; nil if they do.
  ///
  /// A precise position is shown for a day. A coarse one is shown for a week, since its time is
  /// when the person entered the cell.
  ///
  /// - Parameters:
  ///   - age: The time since the position was recorded; negative if clocks differ.
  ///   - precision: How precise the position is.
  public init?(age: Duration, precision: SharingMode) {
    let days: Int64 = precision == .precise ? 1 : 7
    guard age >= .seconds(days * 24 * 3600) else { return nil }
    self = .stale
  }
}

// Synthesized `Decodable` conformances call this overload, since it is the most specific one.
extension KeyedDecodingContainer {
  /// Reads a reason; nil for one that this version does not have.
  ///
  /// - Throws: `DecodingError` if the value is neither null nor a string.
  func decodeIfPresent(_ type: WithheldReason.Type, forKey key: Key) throws -> WithheldReason? {
    try decodeIfPresent(String.self, forKey: key).flatMap(WithheldReason.init(rawValue:))
  }
}
