import RallyWire

/// A channel of another server on the same database.
struct RemoteChannel: Hashable, Sendable {
  let node: String
  let number: Int64
}

/// What a channel on another server tracks, a row of `presence`.
struct SharedPresence: Hashable, Sendable {
  let channel: RemoteChannel
  let topic: String
  let person: String
  /// The person's key in presence messages.
  let key: String
  let reference: String
  let previous: String?
  let payload: [String: JSONValue]
}

/// What became of a channel's presence.
struct PresenceChange: Hashable, Sendable {
  let channel: RemoteChannel
  let topic: String
  let person: String
  /// What it tracks now; nil if nothing.
  let entry: SharedPresence?
}

/// What this server's sockets did that the others are to hear.
struct SharedNews: Sendable {
  /// By the channel's number, so that only the last change of each is told.
  var presence: [Int64: PresenceChange] = [:]
  var broadcasts: [FeedRequests.Broadcast] = []
  /// Whether a channel is open.
  var isOccupied = false

  var isEmpty: Bool { presence.isEmpty && broadcasts.isEmpty }
}
