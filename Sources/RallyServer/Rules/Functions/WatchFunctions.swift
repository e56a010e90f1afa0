import RallyWire

/// Links to watch: made, fed and ended by their maker. What is in a message is not the server's to know.
struct WatchFunctions: Sendable {
  let budgets: BudgetKeeper
  /// Whether the group reaches this server by https, without which no page could open a message.
  let isSecure: Bool
  var now: @Sendable () -> WireTime = { .now }

  func makeLink(
    _ call: MakeWatchLink, caller: Caller, in database: Database
  ) throws -> WatchLinkRecord {
    let time = now()
    guard isSecure else {
      throw FunctionFailure(
        .invalidArgument,
        "Links to watch need https: the operator names the server's address with --public-url.")
    }
    guard call.mode > .off else {
      throw FunctionFailure(.invalidArgument, "p_mode cannot be off.")
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
      until: call.until, createdAt: time)
    try WatchLinkRecords.save(link, in: database)
    try ChangeLog.append(
      .insert, in: .watchLinks, key: link.id.value, at: time, to: database)
    return record(link, watchers: 0)
  }

  /// Replaces the last messages. One that comes again, or late, changes nothing.
  func feedLink(
    _ call: FeedWatchLink, caller: Caller, in database: Database
  ) throws -> WatchFeedback {
    let time = now()
    guard var link = try WatchLinkRecords.find(call.linkID, in: database),
      link.owner == caller.userID, time < link.until
    else { throw WatchFunctions.unknown }
    guard link.session == caller.sessionID else {
      throw FunctionFailure(.invalidArgument, "Another terminal made this link.")
    }
    try require(call.place, of: WatchRules.placeBytes)
    if let ground = call.ground { try require(ground, of: WatchRules.groundBytes) }
    if call.place.counter > link.state.place?.counter ?? 0 {
      link.state.place = call.place
      if let ground = call.ground, ground.counter > link.state.ground?.counter ?? 0 {
        link.state.ground = ground
      }
      try WatchLinkRecords.save(link, in: database)
      try ChangeLog.append(
        .update, in: .watchLinks, key: link.id.value, at: time, to: database)
    }
    return WatchFeedback(
      watchers: try WatchLinkRecords.pages(of: link.id, at: time, in: database))
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
      watchers: watchers)
  }

  /// All messages of a kind have one length, which tells nothing of what is in them.
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
