import FoundationEssentials
import Logging
import Observation
import RallyClient
import RallyEnvironment
import RallySystem
import RallyWire

/// My alerts about where friends are; no server gets them.
///
/// Kept in a private file beside the zones, which all programs of the profile change one after the
/// other. Whoever takes an alert out of it announces it, so that it is announced once.
@MainActor
@Observable
public final class AlertsStore: FailurePresenting {
  // MARK: - Dependencies
  @ObservationIgnored private let authService: AuthService
  @ObservationIgnored private let persistenceService: PersistenceService

  // MARK: - State
  /// The oldest first.
  public private(set) var alerts: [LocationAlert] = []
  /// Whether the file was read; after a failure the alerts that were known before stay.
  public private(set) var loadState: CommunityLoadState = .loading
  /// The latest failure to show; the view clears it.
  public internal(set) var presentedError: CommunityViewError?

  @ObservationIgnored private let now: () -> WireTime
  let log = RallyLog.logger("Alerts")

  // MARK: - Lifecycle

  /// - Parameters:
  ///   - persistenceService: Where the file is, in the state folder.
  ///   - now: The wall clock.
  public init(
    authService: AuthService = .shared, persistenceService: PersistenceService,
    now: @escaping () -> WireTime = { .now }
  ) {
    self.authService = authService
    self.persistenceService = persistenceService
    self.now = now
  }

  // MARK: - The File

  /// Reads the alerts of the signed-in person.
  ///
  /// - What: Fills `alerts`; `loadState` says whether the file could be read.
  /// - How: Reads one private file; where that fails, what was known stays.
  /// - Why: A damaged file must not look like no alerts.
  /// - Service Calls: `AuthService.currentUserID`, `PersistenceService.retrieve`
  public func restore() async {
    guard let userID = await authService.currentUserID else { return take(KeptAlerts()) }
    do {
      take(
        try await persistenceService.retrieve(
          KeptAlerts.self, withKey: Self.key(userID: userID)) ?? KeptAlerts())
    } catch {
      if loadState.failure?.description != error.sentence {
        loadState = .failed(
          presentFailure(
            error, title: "Alerts cannot be read", source: "restore", isPresented: false))
      }
    }
  }

  /// Follows what other programs of the profile do to the file, until the task ends.
  ///
  /// - What: Reads the file after each change.
  /// - How: The kernel says when it changed.
  /// - Why: Two terminals side by side have the same alerts.
  /// - Service Calls: `PersistenceService.changes`, those of `restore`
  public func followFile() async {
    for await _ in persistenceService.changes() { await restore() }
  }

  private func take(_ kept: KeptAlerts) {
    if loadState != .loaded { loadState = .loaded }
    if alerts != kept.alerts { alerts = kept.alerts }
  }

  /// Changes the file; where that fails, what this program has.
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
  /// - What: The alert is in `alerts`, and in the file of this profile.
  /// - How: What is so by current positions is said, and nothing is kept of it. Where the file cannot
  ///   be written, the alert holds until the program ends.
  /// - Why: Who makes an alert has to see now whether there is anything to wait for.
  /// - Service Calls: `PersistenceService.update`
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

  /// Removes an alert.
  ///
  /// - What: It is gone from `alerts`, and from the file of this profile.
  /// - How: Where the file cannot be written, it is gone until the program ends, and the failure is
  ///   presented.
  /// - Why: Nobody reads what they no longer want to read, and an alert that will be back is never
  ///   called gone.
  /// - Service Calls: `PersistenceService.update`
  /// - Returns: Whether it was still there.
  @discardableResult
  public func remove(_ id: LocationAlert.ID) async -> IntentOutcome<Bool> {
    let (isRemoved, unkept) = await change { kept in
      let count = kept.alerts.count
      kept.alerts.removeAll { $0.id == id }
      return kept.alerts.count < count
    }
    guard let unkept else { return .done(isRemoved) }
    return .refused(
      presentFailure(unkept, title: "The alert is back at the next start", source: "remove"))
  }

  /// Looks at all alerts, as is done when a position, or my own, has changed.
  ///
  /// - What: Returns what is to be announced, and takes it out of `alerts`.
  /// - How: A look that changes nothing touches no file; else the file is changed first, so that of
  ///   several programs one announces it.
  /// - Why: Each alert is announced once.
  /// - Service Calls: `PersistenceService.update`, `PersistenceService.report`
  /// - Returns: What is to be announced. Alerts that are announced, that ended and that are about
  ///   nobody's friend are gone.
  public func look(at scene: AlertScene) async -> [AlertNews] {
    let time = now()
    var kept = KeptAlerts(alerts)
    _ = kept.look(at: scene, at: time)
    // Most looks change nothing, and touch no file.
    guard scene.isCurrent, kept.alerts != alerts else { return [] }
    let (news, unkept) = await change { $0.look(at: scene, at: time) }
    if let unkept {
      persistenceService.report(
        "What an alert told you may be told again at the next start", unkept)
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

extension AlertsStore {
  /// A store without a file.
  static func inert() -> AlertsStore {
    AlertsStore(
      authService: AuthService(client: SupabaseClient()), persistenceService: PersistenceService())
  }
}

private struct AlertsStoreKey: EnvironmentKey {
  @MainActor static let defaultValue = AlertsStore.inert()
}

extension EnvironmentValues {
  public var alertsStore: AlertsStore {
    get { self[AlertsStoreKey.self] }
    set { self[AlertsStoreKey.self] = newValue }
  }
}
