import FoundationEssentials
import Logging
import RallyClient
import RallySystem
import RallyWire

extension MissionsStore {
  // MARK: - Making

  /// Creates a mission of mine.
  ///
  /// - What: The mission is in my list once the server has it.
  /// - How: The same call after a lost response is sent with the same client id, so that it
  ///   creates no second mission.
  /// - Why: Errors belong to the form that is still open.
  /// - Service Calls: `MissionsService.createMission`
  /// - Parameter clientID: Nil for that of the same call before, or a new one.
  /// - Returns: The mission, or why it was not created.
  public func create(
    _ call: CreateMission, clientID: UUID? = nil
  ) async -> Result<Mission, DraftFailure> {
    let clientID = clientID ?? creation.clientID(for: call)
    let service = missionsService
    let result = await make(source: "create") {
      try await service.createMission(call, clientID: clientID)
    }
    if case .success = result { creation.answered() }
    return result
  }

  /// Changes a mission of mine.
  ///
  /// - What: Everybody in it sees the change once the server has it.
  /// - How: What the call leaves out stays as it is.
  /// - Why: Errors belong to the form that is still open.
  /// - Service Calls: `MissionsService.updateMission`
  /// - Returns: The mission, or why it was not changed.
  public func update(
    _ call: UpdateMission, clientID: UUID = UUID()
  ) async -> Result<Mission, DraftFailure> {
    let service = missionsService
    return await make(source: "update") {
      try await service.updateMission(call, clientID: clientID)
    }
  }

  private func make(
    source: String, _ call: @escaping @Sendable () async throws -> Mission
  ) async -> Result<Mission, DraftFailure> {
    let mark = heard.count
    let response = await Task { try await call() }.result
    switch response {
    case .success(let mission):
      take(mission, since: mark)
      synchronizer.refreshUnlessHeard()
      return .success(mission)
    case .failure(let error):
      // The form shows it, on the field that it is about.
      presentFailure(
        error, title: "The mission was not kept", source: source, isPresented: false)
      return .failure(DraftFailure(AuthError(error)))
    }
  }
}
