import Foundation
import RallyStorage
import RallyWire

/// A mission with the caller's membership; the start of every mission function.
struct MissionContext: Sendable {
  package var mission: StoredMission
  var member: StoredMember?
  let reader: MissionReader

  var isJoined: Bool { member?.state == .joined }
}

extension MissionContext {
  /// - Throws: `not_found` for an unknown mission and for one that the caller may not see.
  init(_ id: UUID, caller: Caller, at time: WireTime, in database: Database) throws {
    // Everything is read for an unknown mission too, so that it takes as long as a hidden one.
    member = try MissionMemberRecords.find(caller.userID, in: id.wireText, from: database)
    reader = try MissionReader(caller.userID, at: time, in: database)
    guard let mission = try MissionRecords.find(id.wireText, in: database),
      try MissionAccess.canSee(mission, as: member?.state, reader: reader, in: database)
    else { throw MissionContext.unknown }
    self.mission = mission
  }

  static var unknown: FunctionFailure {
    FunctionFailure(.notFound, "There is no mission with this id.")
  }

  func record(in database: Database) throws -> MissionRecord {
    try MissionAccess.record(of: mission, as: member?.state, reader: reader, in: database)
  }

  // MARK: - Requirements

  func requireJoined() throws {
    guard isJoined else {
      throw FunctionFailure(.notMember, "Only members of “\(mission.title)” can do this; join it.")
    }
  }

  func requireCreator() throws {
    guard mission.creator == reader.userID else {
      throw FunctionFailure(.notCreator, "Only who created “\(mission.title)” can do this.")
    }
  }

  /// Upcoming or active.
  func requireOpen() throws {
    let words: String
    switch mission.phase(at: reader.time) {
    case .upcoming, .active: return
    case .completed: words = "is completed"
    case .cancelled: words = "was cancelled"
    case .ended: words = "has ended"
    }
    throw FunctionFailure(.missionOver, "“\(mission.title)” \(words).")
  }

  func requireActive() throws {
    try requireOpen()
    guard mission.phase(at: reader.time) == .active else {
      throw FunctionFailure(.notStarted, "“\(mission.title)” has not started yet.")
    }
  }
}
