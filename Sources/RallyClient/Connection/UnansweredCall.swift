import FoundationEssentials

/// Keeps the client id of a call until its response arrives, so that the same call after a lost
/// response is sent with the same id and counts once.
package struct UnansweredCall<Call: Equatable> {
  private var pending: (call: Call, clientID: UUID)?

  package init() {}

  /// The client id to send a call with: a new one unless the same call has no response yet.
  package mutating func clientID(for call: Call) -> UUID {
    if let pending, pending.call == call { return pending.clientID }
    let clientID = UUID()
    pending = (call, clientID)
    return clientID
  }

  /// Records that the response arrived.
  package mutating func answered() { pending = nil }
}
