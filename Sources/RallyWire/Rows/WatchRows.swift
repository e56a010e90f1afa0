/// A link to watch as its maker sees it: the result of `make_watch_link` and a row of
/// `fetch_watch_links`.
public struct WatchLinkRecord: Hashable, Sendable, Codable, Identifiable {
  public var linkID: WatchLinkID
  public var mode: SharingMode
  public var until: WireTime
  public var createdAt: WireTime
  /// How many pages have it open.
  public var watchers: Int

  public var id: String { linkID.value }

  public init(
    linkID: WatchLinkID, mode: SharingMode, until: WireTime, createdAt: WireTime, watchers: Int
  ) {
    self.linkID = linkID
    self.mode = mode
    self.until = until
    self.createdAt = createdAt
    self.watchers = watchers
  }

  enum CodingKeys: String, CodingKey {
    case mode, until, watchers
    case linkID = "link_id"
    case createdAt = "created_at"
  }
}

/// The result of `feed_watch_link`.
public struct WatchFeedback: Hashable, Sendable, Codable {
  /// How many pages have the link open.
  public var watchers: Int

  public init(watchers: Int) { self.watchers = watchers }
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
