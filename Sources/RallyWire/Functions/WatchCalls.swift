import FoundationEssentials

/// What client, server and page agree on about links to watch.
public enum WatchRules {
  /// The path of the page, and of what it asks for.
  public static let path = "/w"
  /// How far ahead the end of a link may lie.
  public static let longestLife = Duration.seconds(86_400)
  /// Bytes of a sealed place: nonce, text and tag. All have one length.
  public static let placeBytes = 12 + 768 + 16
  /// The same of the ground.
  public static let groundBytes = 12 + 24_576 + 16

  /// The time between two places, moved or not, before jitter.
  public static func beat(_ mode: SharingMode) -> Duration {
    mode == .precise ? .seconds(30) : .seconds(300)
  }

  /// After this no place is shown as where somebody is now.
  public static let liveTime = Duration.seconds(900)
}

/// A sealed message of a link, which only the link's key opens.
public struct WatchMessage: Hashable, Sendable, Codable {
  /// Grows with each message of a kind, and is sealed with it.
  public var counter: Int64
  /// Nonce, text and tag in base64url without padding.
  public var sealed: String

  public init(counter: Int64, sealed: String) {
    self.counter = counter
    self.sealed = sealed
  }
}

/// Makes a link that shows where the caller is to whoever has its address.
public struct MakeWatchLink: RemoteMutation {
  public typealias Output = WatchLinkRecord
  public static let name = "make_watch_link"

  /// Made by the client.
  public var linkID: WatchLinkID
  /// How precisely it shows the caller; it decides the time between two messages alone.
  public var mode: SharingMode
  public var until: WireTime
  /// With which a browser on the caller's phone feeds the link, a precise one: see `AccessSecret`. nil
  /// for a link that the caller's session feeds.
  public var secret: String?

  public init(
    linkID: WatchLinkID, mode: SharingMode, until: WireTime, secret: AccessSecret? = nil
  ) {
    self.linkID = linkID
    self.mode = mode
    self.until = until
    self.secret = secret?.value
  }

  public enum CodingKeys: String, ArgumentKey { case linkID, mode, until, secret }
}

/// Replaces the last message of a link; only the session that made it may, and whoever has the secret
/// of a phone's link, by `POST /w/ID`. Repeating it with the same
/// counter has the effect of one call.
public struct FeedWatchLink: RemoteMutation {
  public typealias Output = WatchFeedback
  public static let name = "feed_watch_link"

  public var linkID: WatchLinkID
  public var place: WatchMessage
  /// The ground around it, if it is another one than before.
  public var ground: WatchMessage?
  /// Never given: nothing is kept of a message but the last one.

  public init(linkID: WatchLinkID, place: WatchMessage, ground: WatchMessage? = nil) {
    self.linkID = linkID
    self.place = place
    self.ground = ground
  }

  public enum CodingKeys: String, ArgumentKey { case linkID, place, ground }
}

/// Ends a link of the caller's, or all of them: pages show nothing from then on.
public struct EndWatchLinks: RemoteMutation {
  public typealias Output = NoContent
  public static let name = "end_watch_links"

  /// nil for all.
  public var linkID: WatchLinkID?

  public init(linkID: WatchLinkID? = nil) { self.linkID = linkID }

  public enum CodingKeys: String, ArgumentKey { case linkID }
}

/// The caller's links that have not ended, the oldest first.
public struct FetchWatchLinks: RemoteFunction {
  public typealias Output = [WatchLinkRecord]
  public static let name = "fetch_watch_links"

  public init() {}

  public enum CodingKeys: CodingKey, CaseIterable {}
}

/// A link to watch as its maker sees it: the result of `make_watch_link` and a row of
/// `fetch_watch_links`.
public struct WatchLinkRecord: Hashable, Sendable, Codable, Identifiable {
  public var linkID: WatchLinkID
  public var mode: SharingMode
  public var until: WireTime
  public var createdAt: WireTime
  /// How many pages have it open.
  public var watchers: Int
  /// Whether a browser on a phone feeds it, and no terminal.
  public var isFromPhone: Bool

  public var id: String { linkID.value }

  public init(
    linkID: WatchLinkID, mode: SharingMode, until: WireTime, createdAt: WireTime, watchers: Int,
    isFromPhone: Bool = false
  ) {
    self.linkID = linkID
    self.mode = mode
    self.until = until
    self.createdAt = createdAt
    self.watchers = watchers
    self.isFromPhone = isFromPhone
  }

  enum CodingKeys: String, CodingKey {
    case mode, until, watchers
    case linkID = "link_id"
    case createdAt = "created_at"
    case isFromPhone = "is_from_phone"
  }

  /// Servers from before phones fed links leave `is_from_phone` out.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    linkID = try container.decode(WatchLinkID.self, forKey: .linkID)
    mode = try container.decode(SharingMode.self, forKey: .mode)
    until = try container.decode(WireTime.self, forKey: .until)
    createdAt = try container.decode(WireTime.self, forKey: .createdAt)
    watchers = try container.decode(Int.self, forKey: .watchers)
    isFromPhone = try container.decodeIfPresent(Bool.self, forKey: .isFromPhone) ?? false
  }
}

/// The result of `feed_watch_link`, and of `POST /w/ID`.
public struct WatchFeedback: Hashable, Sendable, Codable {
  /// How many pages have the link open.
  public var watchers: Int

  public init(watchers: Int) { self.watchers = watchers }
}

/// What a phone's page sends: the body of `POST /w/ID`.
public struct WatchPost: Hashable, Sendable, Codable {
  public var place: WatchMessage

  public init(place: WatchMessage) { self.place = place }
}

/// What a page gets of a link: `GET /w/ID`, and the events of its stream.
public struct WatchState: Hashable, Sendable, Codable {
  /// nil before the first one.
  public var place: WatchMessage?
  /// nil where none was sent.
  public var ground: WatchMessage?

  public init(place: WatchMessage? = nil, ground: WatchMessage? = nil) {
    self.place = place
    self.ground = ground
  }
}

/// What a link to watch is called on the server: sixteen characters of Crockford's base 32, 80 random
/// bits. It opens nothing without the key of the link, which no server has.
public struct WatchLinkID: Hashable, Sendable, Codable, CustomStringConvertible {
  public static let length = 16

  public let value: String

  /// - Returns: nil for anything but sixteen characters of the alphabet, in upper case.
  public init?(_ text: some StringProtocol) {
    guard text.utf8.count == WatchLinkID.length,
      text.allSatisfy(InvitationCode.alphabet.contains)
    else { return nil }
    value = String(text)
  }

  /// - Parameter numbers: Sixteen numbers; the lowest five bits of each are used.
  public init?(randomNumbers numbers: [UInt8]) {
    guard numbers.count == WatchLinkID.length else { return nil }
    value = String(numbers.map { InvitationCode.alphabet[Int($0 & 31)] })
  }

  public var description: String { value }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let id = WatchLinkID(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "no id of a link")
    }
    self = id
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }
}
