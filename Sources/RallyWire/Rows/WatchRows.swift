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

/// What a page is told of a link: `GET /w/ID`, and the events of its stream.
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
