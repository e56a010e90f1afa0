import Foundation
import RallyStorage
import RallyText
import RallyWire

/// The backend's functions by name, with common decoding, idempotency and results.
package struct FunctionTable: Sendable {
  /// What kind of answer a function gives.
  package enum Shape: Sendable {
    case rows(RowRelation)
    case row(RowRelation)
    /// One value, or nothing.
    case value
    /// One value where the request asks for it, else nothing.
    case requested

    package init<F: RemoteFunction>(of type: F.Type) {
      if let rows = F.Output.self as? any ColumnedRows.Type {
        self = .rows(RowRelation(name: F.name, columns: rows.columns))
      } else if let row = F.Output.self as? any ColumnedRow.Type {
        self = .row(RowRelation(name: F.name, columns: row.columns))
      } else {
        self = F.Output.self is any RequestedOutput.Type ? .requested : .value
      }
    }
  }

  package struct Entry: Sendable {
    package let name: String
    package let parameters: [String]
    package let isReadOnly: Bool
    package let result: Shape
    /// Returns nil where the function's result is `void`.
    package let call: @Sendable (Data, Caller, Storage) async throws -> JSONValue?
  }

  /// Limits concurrent reads per user.
  package let reads: ReadGate
  private let limiter: RateLimiter
  package var budgets: BudgetKeeper { limiter.budgets }
  private let now: @Sendable () -> WireTime
  private var entries: [String: Entry] = [:]

  package subscript(name: String) -> Entry? { entries[name] }

  package var names: [String] { entries.keys.sorted() }

  // MARK: - Registration

  /// Adds a function that only reads.
  package mutating func query<F: RemoteFunction>(
    _ body: @escaping @Sendable (F, Caller, Database) throws -> F.Output
  ) {
    add(F.self, isReadOnly: true) { [reads] arguments, caller, storage in
      let call = try await reads.parse(arguments, of: caller, from: storage) {
        try caller.requireActiveSession(in: $0)
      } _: {
        try FunctionArguments.decode(F.self, from: $0)
      }
      let output = try await reads.read(for: caller, from: storage) {
        try body(call.function, caller, $0)
      }
      return output is NoContent ? .none : .some(try JSONValue(encoding: output))
    }
  }

  /// Adds a mutation; a repeated `p_client_id` returns the first result.
  ///
  /// - Parameters:
  ///   - remembersArguments: Whether a repeat with other arguments is refused. This stores a hash
  ///     of them in `calls`; for positions the hash could be inverted by trying places.
  ///   - again: Computes the result of a repeat where the first result is too large to be stored.
  mutating func mutation<F: RemoteMutation>(
    _ body: @escaping @Sendable (F, Caller, Database) throws -> F.Output,
    remembersArguments: Bool = true,
    again: (@Sendable (F, Caller, Database) throws -> F.Output)? = nil
  ) {
    add(F.self, isReadOnly: false) { [reads, limiter, now] arguments, caller, storage in
      let charge = WriteCharge(function: F.name, limiter: limiter, now: now)
      let call = try await limiter.replenishing {
        try await reads.parse(arguments, of: caller, from: storage) {
          try caller.requireActiveSession(in: $0)
          try charge.take(for: caller, in: $0)
        } _: {
          try FunctionArguments.decode(F.self, from: $0)
        }
      }
      let fingerprint =
        remembersArguments && call.clientID != nil
        ? Base64URL.encode(Sodium.sha256(try WireJSON.encode(call))) : ""
      let value = try await limiter.replenishing {
        try await storage.write { database in
          try caller.requireActiveSession(in: database)
          guard let clientID = call.clientID?.wireText else {
            try charge.take(for: caller, in: database)
            return try JSONValue(encoding: try body(call.function, caller, database))
          }
          if let earlier = try CallRecords.claim(
            clientID, for: caller.userID, function: F.name, argumentsHash: fingerprint, at: .now,
            in: database)
          {
            guard earlier.function == F.name, earlier.argumentsHash == fingerprint else {
              throw FunctionFailure.repeatMismatch
            }
            charge.isRepeat()
            if let again {
              return try JSONValue(encoding: try again(call.function, caller, database))
            }
            guard let result = earlier.result else { throw FunctionFailure.repeatMismatch }
            return try JSONReader.value(of: result.utf8)
          }
          try charge.take(for: caller, in: database)
          let result = try JSONValue(encoding: try body(call.function, caller, database))
          if again == nil {
            try CallRecords.store(
              result: JSONWriter.text(of: result), of: clientID, for: caller.userID, in: database)
          }
          return result
        }
      }
      try await charge.settle(for: caller)
      return F.Output.self == NoContent.self ? .none : .some(value)
    }
  }

  package mutating func add<F: RemoteFunction>(
    _ type: F.Type, isReadOnly: Bool,
    call: @escaping @Sendable (Data, Caller, Storage) async throws -> JSONValue?
  ) {
    entries[F.name] = Entry(
      name: F.name, parameters: F.parameters, isReadOnly: isReadOnly,
      result: Shape(of: F.self), call: call)
  }
}

extension FunctionTable {
  /// All functions of Rally.
  ///
  /// - Parameters:
  ///   - moves: How moves between cells become known.
  ///   - limiter: Enforces rate limits.
  ///   - signer: Reads what the SSH door of a host says; nil takes nothing from one.
  ///   - isSecure: Whether the group reaches the server by https.
  ///   - now: The clock of rules that depend on one.
  package init(
    presence: PresentUsers, moves: CellMoves,
    limiter: RateLimiter = RateLimiter(budgets: BudgetKeeper(.withoutRates)),
    signer: TokenSigner? = nil,
    isSecure: Bool = false,
    now: @escaping @Sendable () -> WireTime = { .now }
  ) {
    let budgets = limiter.budgets
    reads = ReadGate(budgets: budgets)
    self.limiter = limiter
    self.now = now
    let friends = FriendFunctions(presence: presence, budgets: budgets, now: now)
    let locations = LocationFunctions(moves: moves, now: now)
    let profiles = ProfileFunctions(now: now)
    let phones = PhoneFunctions(budgets: budgets, now: now)
    let sshKeys = SSHKeyFunctions(budgets: budgets, signer: signer, now: now)
    let asks = LocationAskFunctions(now: now)
    let privacy = PrivacyFunctions(now: now)
    let calendar = CalendarFunctions(now: now)
    let watch = WatchFunctions(budgets: budgets, isSecure: isSecure, now: now)
    addMissions(friends: friends, budgets: budgets)
    query(friends.fetchFriends)
    query(friends.searchPeople)
    query(friends.fetchFriendRequests)
    query(friends.fetchFriendshipStatus)
    query(friends.fetchBlockedUsers)
    query(profiles.fetchProfiles)
    query(locations.fetchFriendLocations)
    query(locations.fetchLocationSharing)
    query(phones.fetchPhones)
    query(sshKeys.fetchKeys)
    query(asks.fetchLocationAsks)
    query(privacy.fetchRules)
    query(calendar.fetchAddress)
    mutation(friends.requestFriend)
    mutation(friends.respondToFriendRequest)
    mutation(friends.cancelFriendRequest)
    mutation(friends.removeFriend)
    mutation(friends.blockUser)
    mutation(friends.unblockUser)
    mutation(profiles.updateProfile)
    mutation(locations.publishLocations, remembersArguments: false)
    mutation(locations.setLocationSharing)
    mutation(locations.setGhost)
    mutation(asks.askLocation)
    mutation(asks.closeLocationAsk)
    mutation(locations.withdrawLocation)
    mutation(phones.addPhone, remembersArguments: false)
    mutation(phones.revokePhone)
    mutation(sshKeys.addKey)
    mutation(sshKeys.removeKey)
    mutation(privacy.setRules, remembersArguments: false)
    mutation(calendar.makeAddress, remembersArguments: false)
    mutation(calendar.revokeAddress)
    query(watch.fetchLinks)
    mutation(watch.makeLink, remembersArguments: false)
    mutation(watch.feedLink)
    mutation(watch.endLinks)
    addCatchUp(marks: moves.marks)
  }

  private mutating func addMissions(friends: FriendFunctions, budgets: BudgetKeeper) {
    let now = now
    let missions = MissionFunctions(budgets: budgets, now: now)
    let members = MissionMemberFunctions(budgets: budgets, now: now)
    let checkIns = CheckInFunctions(now: now)
    let activity = MissionActivityFunctions(budgets: budgets, now: now)
    let invitations = InvitationFunctions(friends: friends, now: now)
    let ways = OnMyWayFunctions(now: now)
    query(ways.fetchComing)
    mutation(ways.begin)
    mutation(ways.end)
    query(missions.fetchMission)
    query(missions.fetchMissions)
    query(activity.fetchMissionActivity)
    query(invitations.fetchInvitation)
    query(invitations.fetchInvitations)
    mutation(missions.createMission)
    mutation(missions.updateMission) { try missions.fetchMission($0.missionID, $1, $2) }
    mutation(missions.cancelMission) { try missions.fetchMission($0.missionID, $1, $2) }
    mutation(missions.completeMission) { try missions.fetchMission($0.missionID, $1, $2) }
    mutation(missions.skipOccurrence) { try missions.fetchMission($0.missionID, $1, $2) }
    mutation(members.joinMission) { try missions.fetchMission($0.missionID, $1, $2) }
    mutation(members.leaveMission) { try missions.fetchMission($0.missionID, $1, $2) }
    mutation(members.inviteToMission)
    mutation(checkIns.checkIn, remembersArguments: false) {
      try missions.fetchMission($0.missionID, $1, $2)
    }
    mutation(activity.sayInMission)
    mutation(invitations.createInvitation)
    mutation(invitations.acceptInvitation, again: invitations.acceptedInvitation)
    mutation(invitations.revokeInvitation)
  }
}

extension Caller {
  /// The first check of every read and write under `/rest/v1`.
  func requireActiveSession(in database: Database) throws {
    switch try status(in: database) {
    case .active: return
    case .signedOut:
      throw FunctionFailure(
        code: FunctionFailure.badToken,
        message: "Session from session_id claim in JWT does not exist")
    case .banned:
      throw FunctionFailure(code: FunctionFailure.forbidden, message: "User is banned")
    }
  }
}

extension MissionFunctions {
  /// The current state of a mission, for a repeated call.
  fileprivate func fetchMission(
    _ id: UUID, _ caller: Caller, _ database: Database
  ) throws -> MissionRecord {
    try fetchMission(FetchMission(missionID: id), caller: caller, in: database)
  }
}
