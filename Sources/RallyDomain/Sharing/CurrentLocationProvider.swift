import FoundationEssentials
import Logging
import Observation
import RallyClient
import RallyEnvironment
import RallySystem
import RallyWire

/// Where this device, or the person at it, is.
///
/// Holds the manual pin (`:here Lisbon`), which outlives a restart in a private file, and one
/// reading per source that measures; `LocationChoice` decides which of them counts. Sources run
/// only between `startTracking` and `stopTracking`.
@MainActor
@Observable
public final class CurrentLocationProvider {
  /// One without sources and without a file.
  static func inert() -> CurrentLocationProvider {
    CurrentLocationProvider(
      authService: AuthService(client: SupabaseClient()), persistenceService: PersistenceService())
  }

  /// The position that counts; nil while nothing is known.
  public private(set) var fix: LocationFix?
  /// Why that position counts, and what each source says.
  public private(set) var choice = LocationChoice()
  public private(set) var isTracking = false
  /// The position that counts by what this device measured and its user said alone, and when it was
  /// measured if nothing says that the device is still there. What the server has of another client
  /// is not in it.
  var own: (fix: LocationFix, lastKnownAt: WireTime?)? {
    _ = choice
    let own = LocationChoice(pin: pin, readings: readings, at: now())
    return own.fix.map { ($0, own.lastKnownAt) }
  }

  public var coordinate: Coordinate? { fix?.coordinate }
  /// Metres; nil where it is not known.
  public var accuracyMetres: Double? { fix?.accuracyMetres }
  public var recordedAt: WireTime? { fix?.recordedAt }
  /// In a word, such as `manual`.
  public var source: String? { fix?.source }

  @ObservationIgnored private let authService: AuthService
  @ObservationIgnored private let persistenceService: PersistenceService
  @ObservationIgnored private let sources: [LocationSource]
  @ObservationIgnored private var readings: [LocationReading]
  @ObservationIgnored private var pin: ManualPin?
  /// The newest position that another client of the user reported.
  @ObservationIgnored private var elsewhere: LocationFix?
  /// Its time by the clock of that client.
  @ObservationIgnored private var elsewhereSaid: WireTime?
  @ObservationIgnored private var pace = LocationPace.continuous
  @ObservationIgnored private var tracking: [Task<Void, Never>] = []
  @ObservationIgnored private let expiry = WallClockTimer()
  @ObservationIgnored private let now: () -> WireTime
  @ObservationIgnored private let log = RallyLog.logger("CurrentLocation")

  /// - Parameters:
  ///   - persistenceService: Where the manual pin is kept, in the state folder.
  ///   - sources: What measures, in the order of rank; none is needed for the manual pin.
  ///   - now: The wall clock.
  public init(
    authService: AuthService, persistenceService: PersistenceService,
    sources: [LocationSource] = [], now: @escaping () -> WireTime = { .now }
  ) {
    self.authService = authService
    self.persistenceService = persistenceService
    self.sources = sources
    self.now = now
    readings = sources.map { LocationReading(source: $0.name, lifetime: $0.lifetime) }
    choice = LocationChoice(pin: nil, readings: readings, at: now())
  }

  deinit { for task in tracking { task.cancel() } }

  // MARK: - The Manual Pin

  /// Takes up the pin that the signed-in person set in an earlier run or in another process.
  public func restore() async {
    guard let userID = await authService.currentUserID else { return }
    // A file that cannot be read is reported by the service.
    guard var kept = try? await keptPin(userID: userID) else { return }
    // A pin that is being written here is newer than the file.
    if let pin, pin.fix.recordedAt > kept.fix.recordedAt { return }
    // The process that set it may have measured nothing.
    if kept.measured == nil, kept.fix == pin?.fix { kept.measured = pin?.measured }
    guard kept != pin else { return }
    pin = kept
    choose()
  }

  /// What is measured now.
  private var measured: LocationFix? {
    let time = now()
    return readings.lazy.compactMap { $0.measurement(at: time) }.first
  }

  private func keptPin(userID: UUID) async throws -> ManualPin? {
    try await persistenceService.retrieve(KeptPin.self, withKey: Self.key(userID: userID))?.pin
  }

  /// Takes a position from the user, and keeps it for the next start.
  ///
  /// - Parameter until: When it ends; nil if it holds until the device is seen to move.
  /// - Throws: `FileError` if it cannot be written; it is used all the same.
  @discardableResult
  public func setManual(
    _ coordinate: Coordinate, accuracyMetres: Double? = nil, placeName: String? = nil,
    until: WireTime? = nil, at time: WireTime? = nil
  ) async throws -> LocationFix {
    log.info("setManual — timed: \(until != nil)")
    let time = time ?? now()
    let fix = LocationFix(
      coordinate: coordinate, accuracyMetres: accuracyMetres, recordedAt: time,
      placeName: placeName)
    pin = ManualPin(fix, until: until, measured: measured)
    choose()
    try await keepPin()
    return fix
  }

  /// Ends the pin, so that what is measured counts; its place stays as the last known one.
  ///
  /// - Throws: `FileError` if it cannot be written; it has ended all the same.
  public func endManual() async throws {
    guard var ended = pin else { return }
    let time = now()
    if let until = ended.until, until <= time { return }
    log.info("endManual")
    ended.until = time
    pin = ended
    choose()
    try await keepPin()
  }

  private func keepPin() async throws {
    guard let pin, let userID = await authService.currentUserID else { return }
    try await persistenceService.save(pin, withKey: Self.key(userID: userID))
  }

  /// Forgets all positions, here and in the file, as signing out must.
  ///
  /// - Throws: `PersistenceError.notConfigured`, `FileError` if the file cannot be deleted.
  public func forget(userID: UUID) async throws {
    pin = nil
    (elsewhere, elsewhereSaid) = (nil, nil)
    for index in readings.indices {
      readings[index].fix = nil
      readings[index].arrivedAt = nil
    }
    choose()
    try await persistenceService.delete(withKey: Self.key(userID: userID))
  }

  // MARK: - Tracking

  /// Follows the sources that measure; a second call does nothing.
  public func startTracking() {
    guard !isTracking else { return }
    isTracking = true
    log.info("startTracking — sources: \(sources.map(\.name).joined(separator: ", "))")
    startSources()
  }

  /// Lets go of the sources; what is known stays, as the last known position.
  public func stopTracking() {
    guard isTracking else { return }
    isTracking = false
    log.info("stopTracking")
    stopSources()
    for index in readings.indices { readings[index].state = .notAsked }
    choose()
  }

  /// How often the sources measure, by the runtime policy; those that run start anew.
  public func setPace(_ pace: LocationPace) {
    guard pace != self.pace else { return }
    self.pace = pace
    guard isTracking else { return }
    stopSources()
    startSources()
  }

  private func startSources() {
    tracking = sources.indices.map { index in
      let events = sources[index].events(pace)
      return Task { [weak self] in
        for await event in events {
          guard let self, !Task.isCancelled else { return }
          receive(event, of: index)
        }
      }
    }
  }

  private func stopSources() {
    for task in tracking { task.cancel() }
    tracking = []
  }

  /// Takes what a source reports.
  ///
  /// - Parameter index: The rank of the source.
  func receive(_ event: LocationEvent, of index: Int) {
    switch event {
    case .state(let state):
      guard readings[index].state != state else { return }
      if readings[index].state.name != state.name {
        log.info("\(sources[index].name) — \(state.sentence)")
      }
      readings[index].state = state
    case .fix(let fix):
      readings[index].fix = fix
      readings[index].arrivedAt = now()
    }
    choose()
  }

  /// Takes a position that another client of the user reported, unless a newer one is known.
  func receive(_ fix: LocationFix) {
    guard fix.recordedAt != elsewhereSaid else { return }
    elsewhereSaid = fix.recordedAt
    var fix = fix
    // The clock of the other device may be ahead; what is said here later is newer all the same.
    fix.recordedAt = min(fix.recordedAt, now())
    if let elsewhere, elsewhere.recordedAt >= fix.recordedAt { return }
    elsewhere = fix
    choose()
  }

  // MARK: - Choosing

  private func choose() {
    let time = now()
    if let held = pin, let measured {
      let refined = held.refined(by: measured)
      if refined != held {
        pin = refined
        keepPin(inPlaceOf: held)
      }
    }
    let made = LocationChoice(pin: pin, readings: readings, elsewhere: elsewhere, at: time)
    if made != choice { choice = made }
    if made.fix != fix { fix = made.fix }
    expiry.set(made.expiry, now: time) { [weak self] in self?.choose() }
    if made.isPinLeft, let pin, !pin.isLeft { pinLeft(pin) }
  }

  /// Notes that the device moved away from the pin: it must not come back when the source falls
  /// silent, nor at the next start.
  private func pinLeft(_ held: ManualPin) {
    log.info("the pin was left")
    pin?.isLeft = true
    keepPin(inPlaceOf: held)
  }

  /// Writes what was measured of the pin, in the background, unless another process of this profile
  /// has set a new one.
  private func keepPin(inPlaceOf held: ManualPin) {
    Task {
      do {
        guard let userID = await authService.currentUserID,
          try await keptPin(userID: userID)?.fix == held.fix, pin?.fix == held.fix
        else { return }
        try await keepPin()
      } catch {
        persistenceService.report(
          "What was measured of your place is not kept for the next start", error)
      }
    }
  }

  private static func key(userID: UUID) -> String { "here-\(userID.wireText)" }
}

/// A pin as the file has it.
private struct KeptPin: Decodable, Sendable {
  let pin: ManualPin

  init(from decoder: any Decoder) throws {
    if let pin = try? ManualPin(from: decoder) {
      self.pin = pin
    } else {
      // As it was written before pins had an end.
      pin = ManualPin(try LocationFix(from: decoder))
    }
  }
}

private struct CurrentLocationProviderKey: EnvironmentKey {
  @MainActor static let defaultValue = CurrentLocationProvider.inert()
}

extension EnvironmentValues {
  public var currentLocationProvider: CurrentLocationProvider {
    get { self[CurrentLocationProviderKey.self] }
    set { self[CurrentLocationProviderKey.self] = newValue }
  }
}
