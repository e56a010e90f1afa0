import FoundationEssentials

/// Makes the caller's private address of a calendar; there is one at a time.
public struct MakeCalendarAddress: RemoteMutation {
  public typealias Output = CalendarAddressRecord
  public static let name = "make_calendar_address"

  /// See `AccessSecret`; the server keeps its digest only.
  public var secret: String

  public init(secret: AccessSecret) { self.secret = secret.value }

  public enum CodingKeys: String, ArgumentKey { case secret }
}

/// The caller's address, without its secret: one row, or none.
public struct FetchCalendarAddress: RemoteFunction {
  public typealias Output = [CalendarAddressRecord]
  public static let name = "fetch_calendar_address"

  public init() {}

  public enum CodingKeys: CodingKey, CaseIterable {}
}

/// Ends the caller's address: whoever has it gets 404 from now on, as for one that never was.
public struct RevokeCalendarAddress: RemoteMutation {
  public typealias Output = NoContent
  public static let name = "revoke_calendar_address"

  public init() {}

  public enum CodingKeys: CodingKey, CaseIterable {}
}

/// A row of `fetch_calendar_address`.
public struct CalendarAddressRecord: Hashable, Sendable, Codable {
  public var createdAt: WireTime

  public init(createdAt: WireTime) { self.createdAt = createdAt }

  /// The path of the address on the server: a secret.
  public static func path(_ secret: AccessSecret) -> String { "\(folder)/\(secret.value)\(ending)" }

  public static let folder = "/calendar"
  public static let ending = ".ics"

  enum CodingKeys: String, CodingKey { case createdAt = "created_at" }
}
