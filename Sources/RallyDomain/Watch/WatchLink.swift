import RallyWire

/// A link of mine.
public struct WatchLink: Hashable, Sendable, Identifiable {
  public var record: WatchLinkRecord
  /// Its address; nil for one that another terminal made, which alone knows the key.
  public var address: String?
  /// Where the browser of my phone feeds it; nil but in the answer to whoever made it.
  public var phoneAddress: String?

  public init(record: WatchLinkRecord, address: String? = nil, phoneAddress: String? = nil) {
    self.record = record
    self.address = address
    self.phoneAddress = phoneAddress
  }

  public var id: WatchLinkID { record.linkID }
}
