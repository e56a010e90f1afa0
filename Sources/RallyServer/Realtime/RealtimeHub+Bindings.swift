import RallyRules
import RallyStorage
import RallyWire

// Bindings of channels: inert without a signed-in user, active with one.
extension RealtimeHub {
  /// Charges a joining channel's bindings before they are stored.
  func charge(
    _ id: ChannelID, for declared: DeclaredBindings, to claims: AccessClaims
  ) throws(RealtimeRefusal) {
    try ledger.charge(
      id,
      Caller(claims).map { .person($0.userID, bindings: declared.weight) }
        ?? .inert(bytes: declared.size),
      within: budgets)
  }

  /// Activates the bindings of a channel once its user is known.
  ///
  /// - Throws: `RealtimeRefusal` if the user's budget is used up.
  func activate(_ channel: inout RealtimeChannel) throws(RealtimeRefusal) {
    guard let declared = channel.declared, channel.caller != nil else { return }
    // A join with a token was charged already.
    if channel.isLive { try charge(channel.id, for: declared, to: channel.claims) }
    channel.bindings = declared.entries.map { id, json in
      RealtimeBinding(id: id, pattern: patterns.take(json))
    }
    channel.declared = nil
  }

  func releaseBindings(of channel: RealtimeChannel) {
    for binding in channel.bindings { patterns.release(binding.pattern) }
    ledger.release(channel.id)
  }

  /// Sends the system message that confirms the bindings or says why they cannot match.
  func announceBindings(of channel: RealtimeChannel) {
    guard !channel.bindings.isEmpty else { return }
    let problem = channel.bindings.lazy.compactMap(\.pattern.problem).first
    pushSystem(
      problem ?? RealtimeTopic.subscribedMessage, isError: problem != nil,
      about: RealtimeEvent.postgresChanges.rawValue, on: channel)
  }
}
