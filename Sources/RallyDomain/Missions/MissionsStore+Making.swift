import Foundation
import RallyWire

extension MissionsStore {
  // MARK: - Making

  /// Makes a mission of mine.
  ///
  /// - What: The mission stands in my list once the server has it.
  /// - How: The same call after a lost answer goes out with the same client id, so that it makes
  ///   no second mission.
  /// - Why: What is wrong belongs to the form that is still open.
  /// - Service Calls: `MissionsService.createMission`
  /// - Returns: The mission, or why it was not taken.
  public func create(_ call: CreateMission) async -> Result<Mission, DraftFailure> {
    var call = call
    if call.clientID == nil {
      var earlier = unansweredCreation
      earlier?.clientID = nil
      call.clientID =
        earlier == call ? unansweredCreation?.clientID : WireID(wrappedValue: UUID())
    }
    unansweredCreation = call
    let service = missionsService
    let result = await make(source: "create") { [call] in try await service.createMission(call) }
    if case .success = result { unansweredCreation = nil }
    return result
  }

  /// Changes a mission of mine.
  ///
  /// - What: Everybody in it sees the change once the server has it.
  /// - How: What the call leaves out stays as it is.
  /// - Why: What is wrong belongs to the form that is still open.
  /// - Service Calls: `MissionsService.updateMission`
  /// - Returns: The mission, or why it was not taken.
  public func update(_ call: UpdateMission) async -> Result<Mission, DraftFailure> {
    let service = missionsService
    return await make(source: "update") { try await service.updateMission(call) }
  }

  private func make(
    source: String, _ call: @escaping @Sendable () async throws -> Mission
  ) async -> Result<Mission, DraftFailure> {
    let answer = await Task { () -> Result<Mission, any Error> in
      do { return .success(try await call()) } catch { return .failure(error) }
    }.value
    switch answer {
    case .success(let mission):
      take(mission)
      hints.schedule()
      return .success(mission)
    case .failure(let error):
      log.error("\(source) — failed: \(error.logLabel)")
      return .failure(DraftFailure(AuthError(error)))
    }
  }
}
