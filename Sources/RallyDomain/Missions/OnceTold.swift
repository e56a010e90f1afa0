import FoundationEssentials
import RallyClient
import RallySystem
import RallyWire

/// What was told on this machine and is told once only.
struct OnceTold: Codable, Equatable, Sendable {
  /// How much is remembered; what was told the longest ago is dropped.
  static let limit = 500

  private var times: [String: WireTime] = [:]

  func contains(_ key: String) -> Bool { times[key] != nil }

  /// - Returns: The keys that were not told yet, in their order.
  mutating func take(_ keys: [String], at now: WireTime) -> [String] {
    let news = keys.filter { !contains($0) }
    for key in news { times[key] = now }
    while times.count > Self.limit, let oldest = times.min(by: { $0.value < $1.value }) {
      times[oldest.key] = nil
    }
    return news
  }
}

/// Keeps `OnceTold` in a private file, which all programs of the profile change one after the other:
/// who takes a key out of it tells it.
@MainActor
final class OnceToldFile {
  private let authService: AuthService
  private let persistenceService: PersistenceService
  /// As the file was seen last; most questions need no file.
  private var told = OnceTold()

  init(authService: AuthService, persistenceService: PersistenceService) {
    self.authService = authService
    self.persistenceService = persistenceService
  }

  nonisolated static func key(userID: UUID) -> String { "told-once-\(userID.wireText)" }

  /// - Returns: The keys that no program of the profile has taken before. Where the file cannot be
  ///   changed, those that this one has not.
  func take(_ keys: [String], at now: WireTime) async -> [String] {
    let unknown = keys.filter { !told.contains($0) }
    guard !unknown.isEmpty else { return [] }
    do {
      guard let userID = await authService.currentUserID else {
        throw PersistenceError.notConfigured
      }
      let (kept, news) = try await persistenceService.update(
        OnceTold(), withKey: Self.key(userID: userID)
      ) { $0.take(unknown, at: now) }
      told = kept
      return news
    } catch {
      persistenceService.tell("What you were told once may be told again", error)
      return told.take(unknown, at: now)
    }
  }
}
