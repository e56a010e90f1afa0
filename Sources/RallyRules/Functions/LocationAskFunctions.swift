import Foundation
import RallyStorage
import RallyWire

/// Asking friends where they are. What the one who was asked does with it shows in nothing that
/// whoever asked can read: a share is the only answer.
package struct LocationAskFunctions: Sendable {
  package var now: @Sendable () -> WireTime = { .now }

  func askLocation(
    _ call: AskLocation, caller: Caller, in database: Database
  ) throws -> NoContent {
    let friend = try requireFriend(call.userID, of: caller, in: database)
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
    let friend = try requireFriend(call.userID, of: caller, in: database)
    try LocationAskRecords.close(
      LocationAskKey(asker: friend, asked: caller.userID), at: now(), in: database)
    return NoContent()
  }

  func fetchLocationAsks(
    _ call: FetchLocationAsks, caller: Caller, in database: Database
  ) throws -> [LocationAskRecord] {
    try LocationAskRecords.rows(of: caller.userID, at: now(), in: database)
  }

  /// Whether a phone's app is told to report its owner's position: a friend who may see something
  /// of it asked after the app was last told so.
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

  /// - Throws: `not_found` for a stranger, somebody who blocks the caller and an unknown id, who are
  ///   never told apart.
  private func requireFriend(
    _ id: UUID, of caller: Caller, in database: Database
  ) throws -> String {
    guard id != caller.id else { throw FunctionFailure(.yourself, "That is you.") }
    guard
      try FriendRecords.areFriends(caller.userID, id.wireText, in: database)
    else { throw FunctionFailure(.notFound, "There is no friend with this id.") }
    return id.wireText
  }
}
