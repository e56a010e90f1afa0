import RallyWire

// What channels listen to: inert without an account, live with one.
extension RealtimeHub {
  /// Charges a channel that joins, before anything of it is kept.
  func charge(
    _ id: ChannelID, for declared: DeclaredBindings, to claims: AccessClaims
  ) throws(RealtimeRefusal) {
    try ledger.charge(
      id,
      Caller(claims).map { .person($0.userID, bindings: declared.weight) }
        ?? .inert(bytes: declared.size),
      within: budgets)
  }

  /// Makes the entries of a channel live, once it is known who listens.
  ///
  /// - Throws: Why this person may not have them.
  func activate(_ channel: inout RealtimeChannel) throws(RealtimeRefusal) {
    guard let declared = channel.declared, channel.caller != nil else { return }
    // Who came with a token was charged for it when they joined.
    if channel.isLive { try charge(channel.id, for: declared, to: channel.claims) }
    channel.bindings = declared.entries.map { id, json in
      RealtimeBinding(id: id, pattern: patterns.take(json))
    }
    channel.declared = nil
  }

  /// Gives back what a channel listened with.
  func releaseBindings(of channel: RealtimeChannel) {
    for binding in channel.bindings { patterns.release(binding.pattern) }
    ledger.release(channel.id)
  }

  /// Says that changes come from now on, or why they never will.
  func announceBindings(of channel: RealtimeChannel) {
    guard !channel.bindings.isEmpty else { return }
    let problem = channel.bindings.lazy.compactMap(\.pattern.problem).first
    pushSystem(
      problem ?? RealtimeTopic.subscribedMessage, isError: problem != nil,
      about: RealtimeEvent.postgresChanges.rawValue, on: channel)
  }
}
