import Foundation
import RallyStorage
import RallyWire

/// Reconciles the stored position, and what readers were notified of, with the current sharing settings.
///
/// Runs in the transaction of the change: a report, a setting, a friendship, or an expiry.
package enum LocationReconciler {
  /// Reduces the stored position to the precision of its most exact audience, or deletes it without
  /// one, and announces changes of access.
  static func reconcile(_ owner: String, at time: WireTime, in database: Database) throws {
    let audience = try LocationAudience(of: owner, at: time, in: database)
    let before = try LocationRecords.find(owner, in: database)
    var after = audience.limit == .off ? nil : before
    after?.cut(to: audience.limit)
    try replace(before, by: after, audience: audience, at: time, in: database)
  }

  /// Deletes the stored position and announces it to its readers.
  static func withdraw(_ owner: String, at time: WireTime, in database: Database) throws {
    let before = try LocationRecords.find(owner, in: database)
    let audience = try LocationAudience(of: owner, at: time, in: database)
    try replace(before, by: nil, audience: audience, at: time, in: database)
  }

  /// Stores a user's newest position. Precise readers are notified at once; coarse readers when the
  /// move is due.
  ///
  /// - Parameter receivedAt: When the report came whose position is stored.
  /// - Returns: `.outdated` where a newer position is stored, `.unseen` where nobody may see one.
  static func publish(
    _ report: LocationReport, by owner: UUID, receivedAt: WireTime?, moves: CellMoves,
    at time: WireTime, in database: Database
  ) throws -> PublishOutcome {
    let id = owner.wireText
    let before = try LocationRecords.find(id, in: database)
    if let before, before.isNewer(than: report, receivedAt: receivedAt) { return .outdated }
    try OnMyWayRules.arrive(id, by: report, at: time, in: database)
    let audience = try LocationAudience(of: id, at: time, in: database)
    let after = StoredLocation(
      report, of: owner, after: before,
      remembering: try CellMemoryRecords.all(of: id, at: time, in: database),
      limit: audience.limit, moves: moves, at: time)
    try replace(before, by: after, audience: audience, at: time, in: database)
    return after == nil ? .unseen : .taken
  }

  /// Announces the moves that are due.
  package static func announceMoves(at time: WireTime, in database: Database) throws {
    for owner in try LocationRecords.moving(at: time, in: database) {
      let before = try LocationRecords.find(owner, in: database)
      let audience = try LocationAudience(of: owner, at: time, in: database)
      try replace(
        before, by: before?.announcingMoves(at: time), audience: audience, at: time, in: database)
    }
  }

  /// Deletes the sharing settings of two former friends for each other and their questions, and
  /// withdraws their positions.
  static func part(_ a: String, _ b: String, at time: WireTime, in database: Database) throws {
    try SharingRecords.forget(a, b, at: time, in: database)
    try LocationAskRecords.forget(a, b, in: database)
    for owner in [a, b] { try reconcile(owner, at: time, in: database) }
  }

  /// Ends expired shares, ways and links to watch.
  package static func reconcileEnded(at time: WireTime, in database: Database) throws {
    try WatchLinkRecords.endDue(at: time, in: database)
    try OnMyWayRules.end(OnMyWayRecords.ended(at: time, in: database), at: time, in: database)
    for owner in try SharingRecords.removeEnded(at: time, in: database) {
      try reconcile(owner, at: time, in: database)
    }
  }

  /// Stores the marks of levels that are dropped, so that sharing again later continues with the
  /// same cell.
  private static func remember(
    _ before: StoredLocation?, insteadOf after: StoredLocation?, of owner: String,
    at time: WireTime, in database: Database
  ) throws {
    for level in GridLevel.allCases {
      let (old, new) = (before?.announced(at: level), after?.announced(at: level))
      guard (old == nil) != (new == nil) else { continue }
      try CellMemoryRecords.set(
        old.map(CellMemory.init(of:)), of: owner, level: level, at: time, in: database)
    }
  }

  private static func replace(
    _ before: StoredLocation?, by after: StoredLocation?, audience: LocationAudience,
    at time: WireTime, in database: Database
  ) throws {
    guard before != nil || after != nil else { return }
    let owner = audience.owner
    if after != before { try LocationRecords.replace(after, of: owner, in: database) }
    // Of those who show nobody where they are, nothing is kept of their devices either.
    if after == nil { try LocationDeviceRecords.deleteAll(of: owner, in: database) }
    try remember(before, insteadOf: after, of: owner, at: time, in: database)
    let visibilities = try ReaderVisibilityRecords.all(of: owner, in: database)
    var notified: [Change.Operation: [String]] = [:]
    var moved: Set<SharingMode> = []
    for reader in Set(visibilities.keys).union(audience.friends.keys)
      .union(audience.followers.keys).union([owner]).sorted()
    {
      let old = visibilities[reader] ?? .none
      let visible = after.map { min(audience.mode(for: reader), $0.precision) } ?? .off
      let new = old.next(visible, from: before, to: after)
      if new != old {
        try ReaderVisibilityRecords.set(new, of: owner, for: reader, in: database)
        let operation: Change.Operation =
          old.mode == .off ? .insert : new.mode == .off ? .delete : .update
        notified[operation, default: []].append(reader)
      } else if visible > .off, before?.version(for: visible) != after?.version(for: visible) {
        moved.insert(visible)
      }
    }
    for operation in [Change.Operation.delete, .insert, .update] {
      guard let readers = notified[operation] else { continue }
      try ChangeLog.append(
        operation, in: .locations, key: LocationKey(owner: owner, mode: nil).text,
        audience: readers, at: time, to: database)
    }
    for mode in moved.sorted() {
      try ChangeLog.append(
        .update, in: .locations, key: LocationKey(owner: owner, mode: mode).text, at: time,
        to: database)
    }
  }
}

/// Takes the reports of a person's devices by the rule between them (`LocationDevice`); a ghost's are
/// dropped.
package enum DeviceReports {
  /// Publishes a report, unless another device's says more of where the person is.
  ///
  /// - Parameter device: The phone's id, or that of the session.
  @discardableResult
  package static func publish(
    _ report: LocationReport, from device: String, of owner: UUID, moves: CellMoves,
    at now: WireTime, in database: Database
  ) throws -> PublishOutcome {
    let id = owner.wireText
    guard try !GhostRecords.contains(id, in: database) else { return .unseen }
    let known = try LocationDeviceRecords.all(of: id, in: database)
    let state = LocationDevice(report, from: device, at: now, after: known.devices[device]) {
      moves.marks.mark($0, of: owner)
    }
    guard let state else { return .outdated }
    if let shown = known.shown, !state.replaces(shown, at: now) {
      try LocationDeviceRecords.set(state, of: id, isShown: false, in: database)
      return .outdated
    }
    let outcome = try LocationReconciler.publish(
      report, by: owner, receivedAt: known.shown?.reportedAt, moves: moves, at: now, in: database)
    guard outcome == .taken else { return outcome }
    try LocationDeviceRecords.set(state, of: id, isShown: true, in: database)
    return .taken
  }
}
