import Foundation
import RallyStorage
import RallyWire

/// The rules of friendship: who may request, accept, end and block.
///
/// Every function runs in one transaction, so concurrent calls see each other's result.
package struct FriendFunctions: Sendable {
  /// Who has a live connection at this moment.
  let presence: PresentUsers
  var budgets = BudgetKeeper()
  var now: @Sendable () -> WireTime = { .now }

  package init(
    presence: PresentUsers, budgets: BudgetKeeper = BudgetKeeper(),
    now: @escaping @Sendable () -> WireTime = { .now }
  ) {
    self.presence = presence
    self.budgets = budgets
    self.now = now
  }

  // MARK: - Reads

  func fetchFriends(
    _ call: FetchFriends, caller: Caller, in database: Database
  ) throws -> [FriendRecord] {
    let slice = try Slice(limit: call.limit, offset: call.offset)
    let text = call.query.map(searched).flatMap { NameKey.folded($0).isEmpty ? nil : $0 }
    let online = try presence.online(for: caller.userID, in: database)
    return try FriendRecords.friends(
      of: caller.userID, matching: text.map(searchKeys), slice: slice,
      in: database
    ).map { friend in
      FriendRecord(
        profile: friend.profile, since: friend.since,
        presence: online.contains(friend.profile.id.wireText) ? .online : .offline,
        lastSeen: friend.lastSeen)
    }
  }

  func searchPeople(
    _ call: SearchPeople, caller: Caller, in database: Database
  ) throws -> [PersonRecord] {
    let slice = try Slice(limit: call.limit, offset: call.offset)
    let keys = searchKeys(searched(call.query))
    guard !keys.name.isEmpty, !keys.username.isEmpty else { return [] }
    return try SearchRecords.people(
      matching: keys, terms: budgets[.searchTerms], reader: caller.userID, slice: slice,
      in: database)
  }

  func fetchFriendRequests(
    _ call: FetchFriendRequests, caller: Caller, in database: Database
  ) throws -> [DatedProfileRecord] {
    try FriendRecords.requests(
      of: caller.userID, direction: call.direction,
      slice: Slice(limit: call.limit, offset: call.offset), in: database)
  }

  func fetchFriendshipStatus(
    _ call: FetchFriendshipStatus, caller: Caller, in database: Database
  ) throws -> FriendshipStatus {
    let other = call.userID.wireText
    guard other != caller.userID else { return .none }
    if try FriendRecords.isBlocked(other, by: caller.userID, in: database) { return .blocked }
    try requireVisible(other, to: caller, in: database)
    let row = try FriendRecords.friendship(between: caller.userID, and: other, in: database)
    return Visibility.status(
      isBlocked: false, friendship: row?.status,
      isMine: row?.requesterID.wireText == caller.userID)
  }

  func fetchBlockedUsers(
    _ call: FetchBlockedUsers, caller: Caller, in database: Database
  ) throws -> [DatedProfileRecord] {
    try FriendRecords.blocked(
      by: caller.userID, slice: Slice(limit: call.limit, offset: call.offset), in: database)
  }

  // MARK: - Requests

  /// Sends a friend request, or accepts one that the other user has sent.
  func requestFriend(
    _ call: RequestFriend, caller: Caller, in database: Database
  ) throws -> RequestOutcome {
    let other = try otherPerson(call.userID, than: caller)
    if try FriendRecords.isBlocked(other, by: caller.userID, in: database) {
      throw FunctionFailure(.blockedByYou, "You blocked this person; unblock them first.")
    }
    try requireVisible(other, to: caller, in: database)
    if let row = try FriendRecords.friendship(between: caller.userID, and: other, in: database) {
      if row.status == .pending, row.addresseeID == caller.id {
        try requireRoomForFriend(of: caller.userID, in: database)
        try befriend(row, in: database)
        return RequestOutcome(status: .friends)
      }
      return RequestOutcome(status: row.status == .accepted ? .friends : .outgoing)
    }
    try budgets.requireRoom(
      .openRequestsPerPerson,
      beside: try FriendRecords.outgoingCount(of: caller.userID, in: database),
      of: caller.userID, at: now(), in: database, reason: .tooManyRequests
    ) { "You have \($0) open requests; cancel some first." }
    try requireRoomForFriend(of: caller.userID, in: database)
    try FriendRecords.insert(
      FriendshipRecord(
        id: UUID(), requesterID: caller.id, addresseeID: call.userID, status: .pending,
        createdAt: now(), acceptedAt: nil, version: 1),
      in: database)
    return RequestOutcome(status: .outgoing)
  }

  func respondToFriendRequest(
    _ call: RespondToFriendRequest, caller: Caller, in database: Database
  ) throws -> NoContent {
    let row = try friendship(with: call.userID, of: caller, in: database)
    guard let row, row.status == .pending, row.addresseeID == caller.id else {
      // Already accepted from another terminal: the call succeeds.
      if row?.status == .accepted, call.accept { return NoContent() }
      throw FriendFunctions.requestGone
    }
    if call.accept {
      try requireRoomForFriend(of: caller.userID, in: database)
      try befriend(row, in: database)
    } else {
      try end(row, in: database)
    }
    return NoContent()
  }

  func cancelFriendRequest(
    _ call: CancelFriendRequest, caller: Caller, in database: Database
  ) throws -> NoContent {
    let row = try friendship(with: call.userID, of: caller, in: database)
    guard let row, row.status == .pending, row.requesterID == caller.id else {
      throw FriendFunctions.requestGone
    }
    try end(row, in: database)
    return NoContent()
  }

  func removeFriend(
    _ call: RemoveFriend, caller: Caller, in database: Database
  ) throws -> NoContent {
    let row = try friendship(with: call.userID, of: caller, in: database)
    guard let row, row.status == .accepted else {
      throw FunctionFailure(.notFriends, "You are not friends.")
    }
    try end(row, in: database)
    return NoContent()
  }

  // MARK: - Blocks

  /// Blocks a person and ends friendship and requests in both directions, in one transaction.
  func blockUser(_ call: BlockUser, caller: Caller, in database: Database) throws -> NoContent {
    let other = try otherPerson(call.userID, than: caller)
    if try FriendRecords.isBlocked(other, by: caller.userID, in: database) { return NoContent() }
    try requireVisible(other, to: caller, in: database)
    if let row = try FriendRecords.friendship(between: caller.userID, and: other, in: database) {
      try end(row, in: database)
    }
    let now = now()
    try budgets.requireRoom(
      .blocksPerPerson, beside: try FriendRecords.blockCount(of: caller.userID, in: database),
      of: caller.userID, at: now, in: database
    ) { "You have blocked \($0) people; unblock some first." }
    try MissionReconciler.between(caller.userID, other, isParting: true, at: now, in: database) {
      try FriendRecords.block(other, by: caller.userID, at: now, in: database)
      try OnMyWayRules.hide(caller.userID, from: other, at: now, in: database)
      try OnMyWayRules.hide(other, from: caller.userID, at: now, in: database)
    }
    return NoContent()
  }

  func unblockUser(_ call: UnblockUser, caller: Caller, in database: Database) throws -> NoContent {
    let other = try otherPerson(call.userID, than: caller)
    guard try FriendRecords.isBlocked(other, by: caller.userID, in: database) else {
      try requireVisible(other, to: caller, in: database)
      return NoContent()
    }
    try MissionReconciler.between(caller.userID, other, at: now(), in: database) {
      try FriendRecords.unblock(other, by: caller.userID, in: database)
    }
    return NoContent()
  }

  // MARK: - Shared

  private func requireRoomForFriend(
    of person: String, in database: Database,
    _ sentence: (Int) -> String = { "You have \($0) friends, and nobody can have more here." }
  ) throws {
    try budgets.requireRoom(
      .friendsPerPerson, beside: try FriendRecords.friendCount(of: person, in: database),
      of: person, at: now(), in: database, sentence)
  }

  private static var requestGone: FunctionFailure {
    FunctionFailure(.requestGone, "This request is gone: it was answered or withdrawn meanwhile.")
  }

  /// The search text, cut to `search-characters`.
  private func searched(_ text: String) -> String {
    String(text.unicodeScalars.prefix(budgets[.searchCharacters]))
  }

  /// Cut again after folding, which can lengthen text.
  private func searchKeys(_ text: String) -> (name: String, username: String) {
    (searched(NameKey.folded(text)), searched(Username.folded(text)))
  }

  /// Makes two users friends, accepting an existing request or creating one.
  ///
  /// - Throws: `budget_reached` where one of them has no room for a friend.
  func befriend(_ inviter: String, and guest: String, in database: Database) throws {
    let known = try FriendRecords.friendship(between: inviter, and: guest, in: database)
    if known?.status == .accepted { return }
    try requireRoomForFriend(of: guest, in: database)
    try requireRoomForFriend(of: inviter, in: database) { _ in
      "The maker of this code has as many friends as one person can have here."
    }
    if let known { return try befriend(known, in: database) }
    guard let requesterID = UUID(wireText: inviter), let addresseeID = UUID(wireText: guest)
    else { throw StorageFailure.damaged("not a uuid") }
    let row = FriendshipRecord(
      id: UUID(), requesterID: requesterID, addresseeID: addresseeID, status: .pending,
      createdAt: now(), acceptedAt: nil, version: 1)
    try FriendRecords.insert(row, in: database)
    try befriend(row, in: database)
  }

  /// Accepts a request. Both then see each other's position by the default setting, and missions
  /// for friends.
  private func befriend(_ row: FriendshipRecord, in database: Database) throws {
    let now = now()
    let (a, b) = (row.requesterID.wireText, row.addresseeID.wireText)
    try MissionReconciler.between(a, b, at: now, in: database) {
      try FriendRecords.accept(row, at: now, in: database)
      for person in [a, b] { try LocationReconciler.reconcile(person, at: now, in: database) }
    }
  }

  /// Deletes a request or a friendship; with a friendship, sharing between the two ends.
  private func end(_ row: FriendshipRecord, in database: Database) throws {
    let now = now()
    guard row.status == .accepted else {
      return try FriendRecords.delete(row, at: now, in: database)
    }
    let (a, b) = (row.requesterID.wireText, row.addresseeID.wireText)
    try MissionReconciler.between(a, b, isParting: true, at: now, in: database) {
      try FriendRecords.delete(row, at: now, in: database)
      try LocationReconciler.part(a, b, at: now, in: database)
    }
  }

  /// - Throws: `yourself`, or `not_found` for somebody whom the caller may not see.
  private func friendship(
    with id: UUID, of caller: Caller, in database: Database
  ) throws -> FriendshipRecord? {
    let other = try otherPerson(id, than: caller)
    try requireVisible(other, to: caller, in: database)
    return try FriendRecords.friendship(between: caller.userID, and: other, in: database)
  }

  private func otherPerson(_ id: UUID, than caller: Caller) throws -> String {
    guard id != caller.id else { throw FunctionFailure(.yourself, "That is you.") }
    return id.wireText
  }

  private func requireVisible(_ person: String, to caller: Caller, in database: Database) throws {
    guard try Visibility.canSee(person, reader: caller.userID, in: database) else {
      throw FunctionFailure(.notFound, "There is nobody with this id.")
    }
  }
}

extension Slice {
  package init(limit: Int?, offset: Int?) throws {
    let limit = limit ?? Paging.defaultLimit
    let offset = offset ?? 0
    guard limit >= 0, offset >= 0 else {
      throw FunctionFailure(.invalidArgument, "p_limit and p_offset cannot be negative.")
    }
    self.init(limit: min(limit, Paging.maximumLimit), offset: offset)
  }
}
