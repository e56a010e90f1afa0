import FoundationEssentials
import RallySystem
import RallyWire

/// Remembers the screen of a connection that broke, so that the next one begins there.
///
/// A private file in the profile's state folder, of which one minute later nothing is taken.
public struct ScreenMemory: Sendable {
  /// How long after the break the same screen is shown.
  private static let limit = Duration.seconds(60)
  private static let key = "screen"

  private struct Memory: Codable, Sendable {
    var screen: NavigationService.Screen
    var leftAt: WireTime
  }

  private let persistence: PersistenceService

  public init(folders: RallyFolders) {
    persistence = PersistenceService(folder: folders.profileState)
  }

  /// A memory that cannot be written costs a few keys, and is a line of the log.
  public func save(_ screen: NavigationService.Screen, at time: WireTime = .now) async {
    try? await persistence.save(Memory(screen: screen, leftAt: time), withKey: Self.key)
  }

  /// The screen that was left within the last minute, once; nil if there is none.
  public func take(at time: WireTime = .now) async -> NavigationService.Screen? {
    let found = try? await persistence.retrieve(Memory.self, withKey: Self.key)
    guard let memory = found else { return nil }
    try? await persistence.delete(withKey: Self.key)
    let age = time.since(memory.leftAt)
    return age >= .zero && age <= Self.limit ? memory.screen : nil
  }
}
