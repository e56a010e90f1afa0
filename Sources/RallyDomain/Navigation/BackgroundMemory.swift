import RallySystem

/// Remembers whether a kind of terminal has a light background, so that the next start is drawn in
/// the right theme before the terminal has answered.
///
/// A private file in the state folder, shared by all profiles.
public struct BackgroundMemory: Sendable {
  private static let key = "backgrounds"
  /// Kinds of terminals that are kept; beyond them the memory begins anew.
  private static let limit = 32

  private let persistence: PersistenceService
  private let kind: String

  /// - Parameter environment: Reads `TERM`, `TERM_PROGRAM` and `SSH_CONNECTION`, whose first part is
  ///   the machine with the terminal.
  public init(folders: RallyFolders, environment: [String: String]) {
    persistence = PersistenceService(folder: folders.state)
    let client = environment["SSH_CONNECTION"]?.prefix { $0 != " " } ?? ""
    kind =
      ["TERM", "TERM_PROGRAM"].map { environment[$0, default: ""] }
      .joined(separator: " ") + " \(client)"
  }

  /// Whether the background was light when this kind of terminal last said it; nil if it never did.
  public func isLight() async -> Bool? {
    let known = try? await persistence.retrieve([String: Bool].self, withKey: Self.key)
    return known?[kind]
  }

  /// A memory that cannot be written costs one frame in another theme, and is a line of the log.
  public func save(isLight: Bool) async {
    _ = try? await persistence.update([String: Bool](), withKey: Self.key) { [kind] known in
      if known[kind] == nil, known.count >= Self.limit { known = [:] }
      known[kind] = isLight
    }
  }
}
