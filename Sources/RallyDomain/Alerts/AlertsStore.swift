import FoundationEssentials
import Logging
import Observation
import RallyClient
import RallyEnvironment
import RallySystem
import RallyWire

/// My alerts about where friends are; no server hears of them.
///
/// Kept in a private file beside the zones, which all programs of the profile change one after the
/// other. Who takes an alert out of it tells it, so that it is told once.
@MainActor
@Observable
public final class AlertsStore {
  // MARK: - State
  /// The oldest first.
  public private(set) var alerts: [LocationAlert] = []
  /// Why the file cannot be read, in a sentence; nil if it can. Alerts that were known before stay.
  public private(set) var failure: String?
  /// When this program began.
  @ObservationIgnored public let start: WireTime

  // MARK: - Dependencies
  @ObservationIgnored private let authService: AuthService
  @ObservationIgnored private let persistenceService: PersistenceService
  @ObservationIgnored private let now: () -> WireTime
  @ObservationIgnored private let log = RallyLog.logger("Alerts")

  /// - Parameters:
  ///   - persistenceService: Where the file is, in the state folder.
  ///   - now: The wall clock.
  public init(
    authService: AuthService, persistenceService: PersistenceService,
    now: @escaping () -> WireTime = { .now }
  ) {
    self.authService = authService
    self.persistenceService = persistenceService
    self.now = now
    start = now()
  }

  // MARK: - The File

  /// Reads the alerts of the signed-in person.
  public func restore() async {
    guard let userID = await authService.currentUserID else { return take(KeptAlerts()) }
    do {
      take(
        try await persistenceService.retrieve(
          KeptAlerts.self, withKey: Self.key(userID: userID)) ?? KeptAlerts())
    } catch {
      if failure != error.sentence { failure = error.sentence }
    }
  }

  /// Follows what other programs of the profile do to the file, until the task ends.
  public func followFile() async {
    for await _ in persistenceService.changes() { await restore() }
  }

  private func take(_ kept: KeptAlerts) {
    if failure != nil { failure = nil }
    if alerts != kept.alerts { alerts = kept.alerts }
  }

  /// Changes the file; where that fails, what this program knows.
  ///
  /// - Returns: What `edit` returned, and why it is not in the file.
  private func change<Value: Sendable>(
    _ edit: @escaping @Sendable (inout KeptAlerts) -> Value
  ) async -> (value: Value, unkept: (any Error)?) {
    do {
      guard let userID = await authService.currentUserID else {
        throw PersistenceError.notConfigured
      }
      let (kept, value) = try await persistenceService.update(
        KeptAlerts(), withKey: Self.key(userID: userID), edit)
      take(kept)
      return (value, nil)
    } catch {
      log.error("change — not kept: \(error.logLabel)")
      var kept = KeptAlerts(alerts)
      let value = edit(&kept)
      if alerts != kept.alerts { alerts = kept.alerts }
      return (value, error)
    }
  }

  nonisolated static func key(userID: UUID) -> String { "alerts-\(userID.wireText)" }

  // MARK: - Intents

  /// Makes an alert, or says at once that it is so already.
  ///
  /// - Parameters:
  ///   - place: The one that the request names.
  ///   - scene: What is known; unless it is current, nothing is claimed by it.
  /// - Throws: `FieldProblem` that says what to type instead.
  public func add(
    _ request: AlertRequest, at place: Place?, in scene: AlertScene
  ) async throws(FieldProblem) -> AddedAlert {
    let alert = try LocationAlert(request, at: place, in: scene)
    let time = now()
    if scene.isCurrent, let met = alert.isMet(in: scene, at: time) {
      return AddedAlert(sentence: alert.alreadySentence(of: met, at: time))
    }
    let (isAdded, unkept) = await change { kept in
      guard kept.alerts.count < KeptAlerts.limit else { return false }
      kept.add(alert)
      return true
    }
    guard isAdded else {
      throw FieldProblem(
        field: .text, advice: "You have \(KeptAlerts.limit) alerts; remove one of them first.")
    }
    let obstacle = alert.obstacle(in: scene, at: time).map { " For now: \($0)." } ?? ""
    return AddedAlert(sentence: alert.sentence(at: time) + obstacle, unkept: unkept?.sentence)
  }

  /// - Returns: Whether it was still there.
  /// - Throws: `PersistenceError.notConfigured`, `FileError` if it is still in the file; this program
  ///   has removed it all the same.
  @discardableResult
  public func remove(_ id: LocationAlert.ID) async throws -> Bool {
    let (isRemoved, unkept) = await change { kept in
      let count = kept.alerts.count
      kept.alerts.removeAll { $0.id == id }
      return kept.alerts.count < count
    }
    if let unkept { throw unkept }
    return isRemoved
  }

  /// Looks at all alerts, as is done when a position, or my own, has changed.
  ///
  /// - Returns: What is to be told. Alerts that are told, that ended and that are about nobody's
  ///   friend are gone.
  public func look(at scene: AlertScene) async -> [AlertNews] {
    let time = now()
    var kept = KeptAlerts(alerts)
    _ = kept.look(at: scene, at: time)
    // Most looks change nothing, and touch no file.
    guard scene.isCurrent, kept.alerts != alerts else { return [] }
    let (news, unkept) = await change { $0.look(at: scene, at: time) }
    if let unkept {
      persistenceService.tell("What an alert told you may be told again at the next start", unkept)
    }
    return news
  }
}

/// What became of a request for an alert.
public struct AddedAlert: Hashable, Sendable {
  /// What was understood, or that it is so already.
  public var sentence: String
  /// Why it is not kept when the program ends, in a sentence; nil if it is.
  public var unkept: String?
}

private struct AlertsStoreKey: EnvironmentKey {
  /// A store without a file.
  @MainActor static let defaultValue = AlertsStore(
    authService: AuthService(client: SupabaseClient()), persistenceService: PersistenceService())
}

extension EnvironmentValues {
  public var alertsStore: AlertsStore {
    get { self[AlertsStoreKey.self] }
    set { self[AlertsStoreKey.self] = newValue }
  }
}
