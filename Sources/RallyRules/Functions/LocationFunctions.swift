import Foundation
import RallyStorage
import RallyText
import RallyWire

/// Publishing, withdrawing, sharing and fetching positions. Nothing here is logged.
struct LocationFunctions: Sendable {
  /// How far ahead of this clock a device's clock may be.
  static let clockSkew = Duration.seconds(120)

  /// How moves between cells become known.
  let moves: CellMoves
  /// The clock that ends timed shares.
  var now: @Sendable () -> WireTime = { .now }

  // MARK: - Positions

  /// Keeps the newest of the reports, cut to the most exact audience.
  func publishLocations(
    _ call: PublishLocations, caller: Caller, in database: Database
  ) throws -> PublishOutcome {
    guard call.locations.count <= PublishLocations.limit else {
      throw FunctionFailure(
        .invalidArgument, "Send at most \(PublishLocations.limit) positions at once.")
    }
    let now = now()
    for (index, report) in call.locations.enumerated() {
      if let problem = report.problem(at: now) {
        throw FunctionFailure(.invalidArgument, "Position \(index + 1) was refused: \(problem).")
      }
    }
    // Of two with the same time the one that stands later.
    let newest = call.locations.enumerated().max {
      ($0.element.recordedAt, $0.offset) < ($1.element.recordedAt, $1.offset)
    }
    guard let newest else { return .taken }
    return try DeviceReports.publish(
      newest.element, from: caller.sessionID, of: caller.id, moves: moves, at: now, in: database)
  }

  /// Deletes the caller's position. The next report of any device counts again.
  func withdrawLocation(
    _ call: WithdrawLocation, caller: Caller, in database: Database
  ) throws -> NoContent {
    try LocationReconciler.withdraw(caller.userID, at: now(), in: database)
    return NoContent()
  }

  func fetchFriendLocations(
    _ call: FetchFriendLocations, caller: Caller, in database: Database
  ) throws -> [LocationRecord] {
    let records = try LocationVisibility.friendLocations(
      for: caller.userID, at: now(), in: database)
    guard let since = call.since else { return records }
    return records.filter { $0.recordedAt > since }
  }

  // MARK: - Sharing

  func setGhost(_ call: SetGhost, caller: Caller, in database: Database) throws -> NoContent {
    let (owner, now) = (caller.userID, now())
    guard try GhostRecords.contains(owner, in: database) != call.isGhost else { return NoContent() }
    if call.isGhost {
      try OnMyWayRules.end(OnMyWayRecords.all(of: owner, in: database), at: now, in: database)
      try WatchLinkRecords.end(of: owner, at: now, in: database)
    }
    try GhostRecords.set(call.isGhost, owner, in: database)
    try LocationReconciler.reconcile(owner, at: now, in: database)
    try SharingRecords.announce(to: owner, at: now, in: database)
    return NoContent()
  }

  func setLocationSharing(
    _ call: SetLocationSharing, caller: Caller, in database: Database
  ) throws -> NoContent {
    let now = now()
    if let until = call.until, until <= now {
      throw FunctionFailure(.invalidArgument, "p_until must lie in the future.")
    }
    if let friend = call.userID { _ = try caller.requireFriend(friend, in: database) }
    if call.mode > .off, try GhostRecords.contains(caller.userID, in: database) {
      guard let endsGhost = call.endsGhost else {
        throw FunctionFailure(
          .ghost, "You are a ghost: nobody would see it. Come back first, then share.")
      }
      if endsGhost {
        try SharingRecords.turnOff(caller.userID, at: now, in: database)
        try GhostRecords.set(false, caller.userID, in: database)
      }
    }
    try SharingRecords.set(
      Sharing(mode: call.mode, until: call.until), of: caller.userID,
      for: call.userID?.wireText ?? caller.userID, at: now, in: database)
    if call.mode > .off, let friend = call.userID?.wireText {
      let ask = LocationAskKey(asker: friend, asked: caller.userID)
      try LocationAskRecords.close(ask, at: now, in: database)
    }
    try LocationReconciler.reconcile(caller.userID, at: now, in: database)
    return NoContent()
  }

  /// The default first, then every friend by name with exactly what they would fetch now, or the
  /// reason why that is nothing. Then those who only see the way to a mission, by their ids.
  func fetchLocationSharing(
    _ call: FetchLocationSharing, caller: Caller, in database: Database
  ) throws -> [LocationSharingRecord] {
    let audience = try LocationAudience(of: caller.userID, at: now(), in: database)
    let visibilities = try ReaderVisibilityRecords.all(of: caller.userID, in: database)
    let stored = try LocationRecords.find(caller.userID, in: database)
    let general = audience.general.sharing
    let first = LocationSharingRecord(
      userID: nil, username: nil, displayName: nil, mode: general.mode, until: general.until,
      isDefault: true, location: nil, isGhost: audience.isGhost)
    let friends = try FriendRecords.friends(
      of: caller.userID, matching: nil, slice: Slice(limit: Int.max, offset: 0), in: database)
    let others = try audience.followers.keys.filter { audience.friends[$0] == nil }.sorted()
      .compactMap { try ProfileRecords.find($0, in: database) }
    return [first]
      + (friends.map(\.profile) + others).map { person in
        let id = person.id.wireText
        let permission = audience.friends[id]
        let sharing = permission?.sharing ?? .unset
        var row = LocationSharingRecord(
          userID: person.id, username: person.username,
          displayName: person.displayName, mode: sharing.mode, until: sharing.until,
          isDefault: permission?.isDefault ?? true, location: nil,
          wayUntil: audience.followers[id], isFriend: permission != nil)
        switch LocationVisibility.project(
          stored, allowed: audience.allowed(id), visibility: visibilities[id] ?? .none)
        {
        case .success(let location): row.location = location
        case .failure(let reason): row.withheld = reason
        }
        return row
      }
  }
}

extension LocationReport {
  /// Why this report cannot be taken, without any of its numbers; nil when it can.
  fileprivate func problem(at now: WireTime) -> String? {
    func isOutside(_ value: Double?, _ range: ClosedRange<Double>) -> Bool {
      value.map { !range.contains($0) } ?? false
    }
    if coordinate == nil { return "latitude is in -90...90, longitude in -180...180" }
    if recordedAt > now.advanced(by: LocationFunctions.clockSkew) {
      return "recorded_at lies in the future; check the clock of this device"
    }
    if isOutside(accuracyMetres, 0...10_000_000) { return "accuracy_m is in 0...10000000" }
    if isOutside(speed, 0...100_000) { return "speed is in 0...100000" }
    if isOutside(course, 0...360) || course == 360 { return "course is in 0..<360" }
    if isOutside(battery, 0...100) { return "battery is in 0...100" }
    if precision == .off { return "precision cannot be off" }
    if !(1...24).contains(source.utf8.count) || !source.utf8.allSatisfy(\.isWordByte) {
      return "source is a word of 1 to 24 of a-z 0-9 _ -"
    }
    return nil
  }
}

extension UInt8 {
  fileprivate var isWordByte: Bool { isBase64URL && !isASCIIUppercase }
}

/// Asking friends where they are. What the one who was asked does with it shows in nothing that
/// whoever asked can read: a share is the only answer.
package struct LocationAskFunctions: Sendable {
  package var now: @Sendable () -> WireTime = { .now }

  func askLocation(_ call: AskLocation, caller: Caller, in database: Database) throws -> NoContent {
    let friend = try caller.requireFriend(call.userID, in: database)
    let (key, time) = (LocationAskKey(asker: caller.userID, asked: friend), now())
    if let known = try LocationAskRecords.find(key, in: database),
      known.askedAt.isRecent(within: LocationAskRecord.pause, at: time)
    {
      return NoContent()
    }
    try LocationAskRecords.set(LocationAsk(key: key, askedAt: time), in: database)
    return NoContent()
  }

  /// Succeeds without an open question too: another client of the caller may have closed it.
  func closeLocationAsk(
    _ call: CloseLocationAsk, caller: Caller, in database: Database
  ) throws -> NoContent {
    let friend = try caller.requireFriend(call.userID, in: database)
    try LocationAskRecords.close(
      LocationAskKey(asker: friend, asked: caller.userID), at: now(), in: database)
    return NoContent()
  }

  func fetchLocationAsks(
    _ call: FetchLocationAsks, caller: Caller, in database: Database
  ) throws -> [LocationAskRecord] {
    try LocationAskRecords.rows(of: caller.userID, at: now(), in: database)
  }

  /// Whether a phone's app is sent the command to report its owner's position: a friend who may see
  /// something of it asked after the last such command.
  package static func isReportWanted(
    of phone: StoredPhone, at time: WireTime, in database: Database
  ) throws -> Bool {
    let owner = phone.owner.wireText
    let askers = try LocationAskRecords.askers(
      of: owner, after: phone.commandedAt, at: time, in: database)
    guard !askers.isEmpty else { return false }
    let audience = try LocationAudience(of: owner, at: time, in: database)
    return askers.contains { audience.mode(for: $0) > .off }
  }
}

/// The zones and hours that people keep with their account. Nothing here is logged.
struct PrivacyFunctions: Sendable {
  var now: @Sendable () -> WireTime = { .now }

  func fetchRules(
    _ call: FetchPrivacyRules, caller: Caller, in database: Database
  ) throws -> AccountPrivacyRules {
    AccountPrivacyRules(rules: try PrivacyRuleRecords.find(caller.userID, in: database))
  }

  func setRules(
    _ call: SetPrivacyRules, caller: Caller, in database: Database
  ) throws -> NoContent {
    if let problem = call.rules?.problem { throw FunctionFailure(.invalidArgument, problem) }
    guard try PrivacyRuleRecords.find(caller.userID, in: database) != call.rules else {
      return NoContent()
    }
    try PrivacyRuleRecords.set(call.rules, of: caller.userID, in: database)
    try SharingRecords.announce(to: caller.userID, at: now(), in: database)
    return NoContent()
  }
}
