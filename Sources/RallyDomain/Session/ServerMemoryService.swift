import Logging
import RallyWire

/// Stores the server that each profile used last, and the API keys of known servers.
public final class ServerMemoryService: Sendable {
  private let persistenceService: PersistenceService
  private let log = RallyLog.logger("ServerMemory")

  /// - Parameter persistenceService: Where the file is, in the profile's state folder.
  public init(persistenceService: PersistenceService) {
    self.persistenceService = persistenceService
  }

  /// The one of a profile.
  public convenience init(folders: RallyFolders) {
    self.init(persistenceService: PersistenceService(folder: folders.profileState))
  }

  /// The server that this profile used last; nil before the first sign-in.
  ///
  /// - Throws: `PersistenceError.notConfigured`, `FileError` if the file cannot be read.
  public func chosen() async throws -> ServerChoice? {
    guard let memory = try await read() else { return nil }
    guard let url = memory.current else { return .embedded }
    return memory.keys[url.description].map {
      .remote(
        url, key: $0, allowsPlain: memory.allowsPlain(url), others: memory.others ?? [])
    }
  }

  /// The key of a server that this profile used before.
  ///
  /// - Throws: `PersistenceError.notConfigured`, `FileError` if the file cannot be read.
  public func key(of url: ServerURL) async throws -> String? {
    try await read()?.keys[url.description]
  }

  /// The addresses of one server, the one under which this profile knows it first.
  ///
  /// - Throws: `PersistenceError.notConfigured`, `FileError` if the file cannot be read.
  public func knownFirst(_ urls: [ServerURL]) async throws -> [ServerURL] {
    guard let memory = try await read() else { return urls }
    let known =
      [memory.current].compactMap(\.self) + urls.filter { memory.keys[$0.description] != nil }
    guard let first = known.first(where: urls.contains) else { return urls }
    return [first] + urls.filter { $0 != first }
  }

  /// Whether `--insecure` was given for a server that this profile used before.
  ///
  /// - Throws: `PersistenceError.notConfigured`, `FileError` if the file cannot be read.
  public func allowsPlain(_ url: ServerURL) async throws -> Bool {
    try await read()?.allowsPlain(url) ?? false
  }

  /// Stores the server that this profile signed in to.
  ///
  /// - Throws: `PersistenceError.notConfigured`, `FileError` if the file cannot be written.
  public func remember(_ choice: ServerChoice) async throws {
    var memory = try await read() ?? Memory()
    switch choice {
    case .embedded: (memory.current, memory.others) = (nil, nil)
    case .remote(let url, let key, let allowsPlain, let others):
      memory.current = url
      memory.others = others.isEmpty ? nil : others
      memory.keys[url.description] = key
      if allowsPlain { memory.plain = (memory.plain ?? []).union([url.description]) }
    }
    try await persistenceService.save(memory, withKey: ServerMemoryService.name)
    log.info("remember — embedded: \(choice == .embedded)")
  }

  private static let name = "server"

  private struct Memory: Codable, Sendable {
    /// Nil for the embedded server.
    var current: ServerURL?
    /// Further addresses of the current server.
    var others: [ServerURL]?
    var keys: [String: String] = [:]
    /// Servers that may be used with http on a public network; nil for none.
    var plain: Set<String>?

    func allowsPlain(_ url: ServerURL) -> Bool { plain?.contains(url.description) ?? false }
  }

  private func read() async throws -> Memory? {
    try await persistenceService.retrieve(Memory.self, withKey: ServerMemoryService.name)
  }
}
