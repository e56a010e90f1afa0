import Logging
import RallySystem
import RallyWire
import Synchronization

/// Which server a profile talks to.
public enum ServerChoice: Hashable, Sendable {
  /// The one of this machine, started when it is needed.
  case embedded
  /// - Parameters:
  ///   - allowsPlain: Whether http is used on a public network too.
  ///   - others: Further addresses of the same server, for when one does not answer. The session
  ///     and everything else belongs to the first one's name.
  case remote(ServerURL, key: String, allowsPlain: Bool = false, others: [ServerURL] = [])

  /// Whether a network is needed to get there.
  public var reach: ServerReach {
    switch self {
    case .embedded: .thisMachine
    case .remote(let url, _, _, _):
      ["localhost", "127.0.0.1", "::1", "[::1]"].contains(url.host) ? .thisMachine : .network
    }
  }

  /// The public address; nil for the embedded server.
  public var url: ServerURL? { if case .remote(let url, _, _, _) = self { url } else { nil } }

  /// What distinguishes it from other servers; for files and for people.
  public var name: String {
    switch self {
    case .embedded: "embedded"
    case .remote(let url, _, _, _): url.description
    }
  }

  /// How the server is found each time that it must be.
  package func prepare(
    starting embedded: EmbeddedServerService?
  ) -> @Sendable () async throws -> ServerAddress {
    switch self {
    case .remote(let first, let key, let allowsPlain, let others):
      let ring = AddressRing([first] + others)
      return {
        let url = ring.next()
        if !allowsPlain { try await PlainHTTP.require(privacyOf: url) }
        return ServerAddress(endpoint: .url(url), key: key)
      }
    case .embedded:
      return {
        guard let embedded else { throw NetworkError.notConfigured }
        do {
          return try await embedded.prepare()
        } catch let error as EmbeddedServerError {
          throw NetworkError.embedded(error)
        }
      }
    }
  }
}

/// Stores the server that each profile used last, and the API keys of known servers.
public final class ServerMemoryService: Sendable {
  private let persistenceService: PersistenceService
  private let log = RallyLog.logger("ServerMemory")

  /// - Parameter persistenceService: Where the file is, in the profile's state folder.
  public init(persistenceService: PersistenceService) {
    self.persistenceService = persistenceService
  }

  /// The one of a profile.
  ///
  /// - Parameter notices: Told of a file that cannot be used; a damaged one is then set aside.
  public convenience init(folders: RallyFolders, notices: StorageNotices? = nil) {
    self.init(
      persistenceService: PersistenceService(folder: folders.profileState, notices: notices))
  }

  /// The server that this profile used last; nil before the first sign-in.
  ///
  /// - Throws: `PersistenceError.notConfigured`, `FileError` if the file cannot be read.
  public func chosen() async throws -> ServerChoice? {
    log.info("chosen")
    guard let memory = try await read(), memory.isUnused != true else { return nil }
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
    log.info("key")
    return try await read()?.keys[url.description]
  }

  /// The addresses of one server, the one that this profile uses first.
  ///
  /// - Throws: `PersistenceError.notConfigured`, `FileError` if the file cannot be read.
  public func knownFirst(_ urls: [ServerURL]) async throws -> [ServerURL] {
    log.info("knownFirst — addresses: \(urls.count)")
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
    log.info("allowsPlain")
    return try await read()?.allowsPlain(url) ?? false
  }

  /// Stores the server that this profile signed in to.
  ///
  /// - Throws: `PersistenceError.notConfigured`, `FileError` if the file cannot be written.
  public func remember(_ choice: ServerChoice) async throws {
    var memory = try await read() ?? Memory()
    memory.isUnused = nil
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

  /// Stores the key of a server that this profile was given, without choosing it.
  ///
  /// - Throws: `PersistenceError.notConfigured`, `FileError` if the file cannot be written.
  public func note(_ url: ServerURL, key: String) async throws {
    var memory = try await read() ?? Memory(isUnused: true)
    guard memory.keys[url.description] != key else { return }
    memory.keys[url.description] = key
    try await persistenceService.save(memory, withKey: ServerMemoryService.name)
    log.info("note")
  }

  /// The profile of this machine that used a server last: the given one if it did, else the first by
  /// name; nil without any.
  public static func profile(using url: ServerURL, in folders: RallyFolders) async -> String? {
    for name in folders.profiles(first: folders.profile) {
      let memory = ServerMemoryService(folders: folders.with(profile: name))
      if let choice = try? await memory.chosen(), choice.url == url { return name }
    }
    return nil
  }

  private static let name = "server"

  private struct Memory: Codable, Sendable {
    /// Whether this profile was never signed in, and has keys only; nil for no.
    var isUnused: Bool?
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

/// The addresses of one server, each after the one before has failed.
final class AddressRing: Sendable {
  private let urls: [ServerURL]
  private let taken = Atomic(0)

  /// - Parameter urls: At least one.
  init(_ urls: [ServerURL]) { self.urls = urls }

  func next() -> ServerURL {
    urls[taken.wrappingAdd(1, ordering: .relaxed).oldValue % urls.count]
  }
}
