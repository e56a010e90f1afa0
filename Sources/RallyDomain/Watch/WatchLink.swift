import RallyWire

/// A link of mine.
public struct WatchLink: Hashable, Sendable, Identifiable {
  public var record: WatchLinkRecord
  /// Its address; nil for one that another terminal made, which alone knows the key.
  public var address: String?

  public init(record: WatchLinkRecord, address: String? = nil) {
    self.record = record
    self.address = address
  }

  public var id: WatchLinkID { record.linkID }
}
