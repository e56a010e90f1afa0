import RallyStorage
import RallyWire

/// Links to watch: made, fed and ended by their maker. The server cannot read what is in a message.
package struct WatchFunctions: Sendable {
  let budgets: BudgetKeeper
  /// Whether the group reaches this server by https, without which no page could open a message.
  let isSecure: Bool
  var now: @Sendable () -> WireTime = { .now }

  package init(
    budgets: BudgetKeeper, isSecure: Bool, now: @escaping @Sendable () -> WireTime = { .now }
  ) {
    self.budgets = budgets
    self.isSecure = isSecure
    self.now = now
  }

  func makeLink(
    _ call: MakeWatchLink, caller: Caller, in database: Database
  ) throws -> WatchLinkRecord {
    let time = now()
    guard isSecure else {
      throw FunctionFailure(
        .invalidArgument,
        "Links to watch need https: the operator names the server's address with --public-url.")
    }
    guard call.mode > .off else { throw FunctionFailure(.invalidArgument, "p_mode cannot be off.") }
    let secret = try call.secret.map { text in
      guard let secret = AccessSecret(text) else {
        throw FunctionFailure(.invalidArgument, "p_secret is 24 random bytes as base64url.")
      }
      return secret
    }
    // The cell, its hysteresis and its delay are the terminal's: a browser has none of them.
    guard secret == nil || call.mode == .precise else {
      throw FunctionFailure(.invalidArgument, "A link that a phone feeds is precise.")
    }
    guard call.until > time, call.until.since(time) <= WatchRules.longestLife else {
      throw FunctionFailure(.invalidArgument, "A link ends within 24 hours.")
    }
    guard try !GhostRecords.contains(caller.userID, in: database) else {
      throw FunctionFailure(.ghost, "You are a ghost; come back before you make a link.")
    }
    guard try WatchLinkRecords.find(call.linkID, in: database) == nil else {
      throw FunctionFailure(.invalidArgument, "This p_link_id is taken; make another one.")
    }
    let links = try WatchLinkRecords.all(of: caller.userID, in: database)
    try budgets.requireRoom(
      .watchLinksPerPerson, beside: links.count, of: caller.userID, at: time, in: database
    ) { "You have \($0) links to watch; end one first." }
    let link = StoredWatchLink(
      id: call.linkID, owner: caller.userID, session: caller.sessionID, mode: call.mode,
      until: call.until, createdAt: time, secretHash: secret?.digest)
    try WatchLinkRecords.save(link, in: database)
    try ChangeLog.append(.insert, in: .watchLinks, key: link.id.value, at: time, to: database)
    return record(link, watchers: 0)
  }

  /// Replaces the last messages. One that comes again, or late, changes nothing.
  package func feedLink(
    _ call: FeedWatchLink, caller: Caller, in database: Database
  ) throws -> WatchFeedback {
    let time = now()
    guard let link = try WatchLinkRecords.find(call.linkID, in: database),
      link.owner == caller.userID, time < link.until
    else { throw WatchFunctions.unknown }
    guard link.session == caller.sessionID else {
      throw FunctionFailure(.invalidArgument, "Another terminal made this link.")
    }
    return try feed(link, call.place, call.ground, at: time, in: database)
  }

  /// The same by whoever has the secret of a phone's link.
  ///
  /// - Throws: `FunctionFailure` with the reason `.notFound` for another secret, as for no link.
  package func feedLink(
    _ id: WatchLinkID, _ place: WatchMessage, with secret: AccessSecret, in database: Database
  ) throws -> WatchFeedback {
    try feed(link(id, with: secret, in: database), place, nil, at: now(), in: database)
  }

  /// Ends a phone's link from the phone.
  ///
  /// - Throws: As `feedLink`.
  package func endLink(_ id: WatchLinkID, with secret: AccessSecret, in database: Database) throws {
    try WatchLinkRecords.end(link(id, with: secret, in: database).id, at: now(), in: database)
  }

  private func link(
    _ id: WatchLinkID, with secret: AccessSecret, in database: Database
  ) throws -> StoredWatchLink {
    guard let link = try WatchLinkRecords.find(id, in: database), now() < link.until,
      link.secretHash == secret.digest
    else { throw WatchFunctions.unknown }
    return link
  }

  private func feed(
    _ link: StoredWatchLink, _ place: WatchMessage, _ ground: WatchMessage?, at time: WireTime,
    in database: Database
  ) throws -> WatchFeedback {
    var link = link
    try require(place, of: WatchRules.placeBytes)
    if let ground { try require(ground, of: WatchRules.groundBytes) }
    if place.counter > link.state.place?.counter ?? 0 {
      link.state.place = place
      if let ground, ground.counter > link.state.ground?.counter ?? 0 {
        link.state.ground = ground
      }
      try WatchLinkRecords.save(link, in: database)
      try ChangeLog.append(.update, in: .watchLinks, key: link.id.value, at: time, to: database)
    }
    return WatchFeedback(watchers: try WatchLinkRecords.pages(of: link.id, at: time, in: database))
  }

  /// Succeeds without a link too: it may have ended by itself.
  func endLinks(_ call: EndWatchLinks, caller: Caller, in database: Database) throws -> NoContent {
    for link in try WatchLinkRecords.all(of: caller.userID, in: database)
    where call.linkID == nil || call.linkID == link.id {
      try WatchLinkRecords.end(link.id, at: now(), in: database)
    }
    return NoContent()
  }

  func fetchLinks(
    _ call: FetchWatchLinks, caller: Caller, in database: Database
  ) throws -> [WatchLinkRecord] {
    let time = now()
    return try WatchLinkRecords.all(of: caller.userID, in: database).filter { time < $0.until }
      .map {
        record($0, watchers: try WatchLinkRecords.pages(of: $0.id, at: time, in: database))
      }
  }

  private func record(_ link: StoredWatchLink, watchers: Int) -> WatchLinkRecord {
    WatchLinkRecord(
      linkID: link.id, mode: link.mode, until: link.until, createdAt: link.createdAt,
      watchers: watchers, isFromPhone: link.secretHash != nil)
  }

  /// All messages of a kind have one length, which reveals nothing of what is in them.
  private func require(_ message: WatchMessage, of bytes: Int) throws {
    guard message.counter > 0, Base64URL.decode(message.sealed)?.count == bytes else {
      throw FunctionFailure(
        .invalidArgument, "A message has a counter from 1 on and \(bytes) sealed bytes.")
    }
  }

  private static var unknown: FunctionFailure {
    FunctionFailure(.notFound, "This link is not open: it has ended.")
  }
}
