import Foundation
import Logging
import Observation
import RallyEnvironment
import RallyWire

/// Where this device, or the person at it, is.
///
/// What the person said themselves (`:here Lisbon`) is always there and outlives a restart in a
/// file that only its owner may read; sources that measure run only between `startTracking` and
/// `stopTracking`. The newest fix counts, wherever it came from.
@MainActor
@Observable
public final class CurrentLocationProvider {
  public static let shared = CurrentLocationProvider(
    authService: .shared, persistenceService: PersistenceService())

  /// The newest position; nil while nothing is known.
  public private(set) var fix: LocationFix?
  public private(set) var isTracking = false

  public var coordinate: Coordinate? { fix?.coordinate }
  /// Metres; nil where it is not known.
  public var accuracyMetres: Double? { fix?.accuracyMetres }
  public var recordedAt: WireTime? { fix?.recordedAt }
  /// In a word, such as `manual`.
  public var source: String? { fix?.source }

  @ObservationIgnored private let authService: AuthService
  @ObservationIgnored private let persistenceService: PersistenceService
  @ObservationIgnored private let sources: [LocationSource]
  @ObservationIgnored private var tracking: [Task<Void, Never>] = []
  @ObservationIgnored private let log = RallyLog.logger("CurrentLocation")

  /// - Parameters:
  ///   - persistenceService: Where the manual position is kept, in the state folder.
  ///   - sources: What measures; none is needed for the manual position.
  public init(
    authService: AuthService, persistenceService: PersistenceService,
    sources: [LocationSource] = []
  ) {
    self.authService = authService
    self.persistenceService = persistenceService
    self.sources = sources
  }

  deinit { for task in tracking { task.cancel() } }

  /// Takes up the position that the signed-in person said in an earlier run.
  public func restore() async {
    guard let userID = await authService.currentUserID else { return }
    let kept = try? await persistenceService.retrieve(
      LocationFix.self, withKey: Self.key(userID: userID))
    if let kept { receive(kept) }
  }

  /// Follows the sources that measure; a second call does nothing.
  public func startTracking() {
    guard !isTracking else { return }
    isTracking = true
    log.info("startTracking — sources: \(sources.count)")
    tracking = sources.map { source in
      Task { [weak self] in
        for await fix in source.fixes() {
          guard let self, !Task.isCancelled else { return }
          self.receive(fix)
        }
      }
    }
  }

  /// Lets go of the sources; what is known stays.
  public func stopTracking() {
    guard isTracking else { return }
    isTracking = false
    log.info("stopTracking")
    for task in tracking { task.cancel() }
    tracking = []
  }

  /// Takes a position from the user, and keeps it for the next start.
  ///
  /// - Throws: `POSIXError` or `CocoaError` if it cannot be written; it is used all the same.
  @discardableResult
  public func setManual(
    _ coordinate: Coordinate, accuracyMetres: Double? = nil, placeName: String? = nil,
    at time: WireTime = .now
  ) async throws -> LocationFix {
    log.info("setManual")
    let fix = LocationFix(
      coordinate: coordinate, accuracyMetres: accuracyMetres, recordedAt: time,
      placeName: placeName)
    self.fix = fix
    guard let userID = await authService.currentUserID else { return fix }
    try await persistenceService.save(fix, withKey: Self.key(userID: userID))
    return fix
  }

  /// Forgets the position, here and in the file, as signing out must.
  ///
  /// - Throws: `PersistenceError.notConfigured`, `POSIXError` or `CocoaError` if the file cannot be
  ///   deleted.
  public func forget(userID: UUID) async throws {
    fix = nil
    try await persistenceService.delete(withKey: Self.key(userID: userID))
  }

  /// Takes a measured position, unless a newer one is known.
  func receive(_ fix: LocationFix) {
    if let known = self.fix, known.recordedAt >= fix.recordedAt { return }
    self.fix = fix
  }

  private static func key(userID: UUID) -> String { "here-\(userID.wireText)" }
}

/// Something that measures where this device is.
public struct LocationSource: Sendable {
  /// Starts measuring; ends when the reader's task is cancelled.
  public var fixes: @Sendable () -> AsyncStream<LocationFix>

  public init(fixes: @escaping @Sendable () -> AsyncStream<LocationFix>) { self.fixes = fixes }
}

private struct CurrentLocationProviderKey: EnvironmentKey {
  @MainActor static var defaultValue: CurrentLocationProvider { .shared }
}

extension EnvironmentValues {
  public var currentLocationProvider: CurrentLocationProvider {
    get { self[CurrentLocationProviderKey.self] }
    set { self[CurrentLocationProviderKey.self] = newValue }
  }
}
