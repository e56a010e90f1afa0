import FoundationEssentials
import Glibc
import RallyText

/// Rally's folders by the XDG base directory specification; `--data DIR` replaces all but
/// `runtime`.
///
/// Account data is in `profiles/NAME` of its folder, so that profiles do not share sessions, caches
/// or logs.
public struct RallyFolders: Hashable, Sendable {
  /// The configuration that the user edits.
  public let config: String
  /// Sessions, logs and traces: data that must survive a restart but is not a user document.
  public let state: String
  /// Data that can be fetched again.
  public let cache: String
  /// The embedded server's data; the folder for `rally serve --data`.
  public let data: String
  /// Sockets: a short path (Unix sockets allow 108 bytes), private, cleared by the system.
  public let runtime: String
  /// The local name of the account, `default` unless set by `--profile`.
  public let profile: String

  /// - Parameters:
  ///   - data: The value of `--data`; relative paths are resolved against the working directory.
  ///   - profile: The value of `--profile`.
  ///   - environment: `HOME` and the `XDG_…` variables; relative values are ignored, as XDG
  ///     requires.
  /// - Throws: `InvalidProfileName` if the profile's name is not a valid folder name.
  public init(
    data: String? = nil, profile: String? = nil,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(InvalidProfileName) {
    self.profile = try Self.validated(profile: profile ?? "default")
    let home = environment["HOME"] ?? HomeFolder.path
    func xdg(_ name: String, _ fallback: String) -> String {
      guard let value = environment[name], value.hasPrefix("/") else {
        return "\(home)/\(fallback)/rally"
      }
      return "\(value)/rally"
    }
    if let data {
      let root = Self.absolute(data)
      self.data = root
      config = "\(root)/config"
      state = "\(root)/state"
      cache = "\(root)/cache"
    } else {
      self.data = xdg("XDG_DATA_HOME", ".local/share")
      config = xdg("XDG_CONFIG_HOME", ".config")
      state = xdg("XDG_STATE_HOME", ".local/state")
      cache = xdg("XDG_CACHE_HOME", ".cache")
    }
    if let value = environment["XDG_RUNTIME_DIR"], value.hasPrefix("/"), value.utf8.count <= 64 {
      runtime = "\(value)/rally"
    } else {
      runtime = "/tmp/rally-\(getuid())"
    }
  }

  /// The same folders for another account.
  private init(_ other: RallyFolders, profile: String) {
    (config, state, cache) = (other.config, other.state, other.cache)
    (data, runtime, self.profile) = (other.data, other.runtime, profile)
  }

  /// - Parameter profile: A valid name: see `validated(profile:)`.
  package func with(profile: String) -> RallyFolders { RallyFolders(self, profile: profile) }

  /// The profiles of this machine by name, with one of them in front.
  package func profiles(first: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(state)/profiles")) ?? []
    let valid = names.filter { (try? Self.validated(profile: $0)) != nil && $0 != first }
    return [first] + valid.sorted()
  }

  /// A name for a new profile on a server: what is special about its host.
  public func newProfile(forHost host: String) -> String {
    let labels = host.split(separator: ".").map(String.init)
    let isName = labels.last.map { Int($0) == nil } ?? false
    let special = labels.dropLast(labels.count > 1 ? 1 : 0).first {
      !["www", "rally"].contains($0)
    }
    let wanted = String(
      (isName ? special ?? labels.first ?? "friends" : host)
        .map { $0.utf8.allSatisfy { $0.isAlphanumeric(or: "-_.") } ? $0 : "-" }.prefix(24))
    let base = (try? Self.validated(profile: wanted)) ?? "friends"
    let taken = Set(profiles(first: profile))
    return ([base] + (2...99).map { "\(base)-\($0)" }).first { !taken.contains($0) } ?? base
  }

  /// Holds the account's sessions, log and trace.
  public var profileState: String { "\(state)/profiles/\(profile)" }
  /// Holds the cache that the first frame is drawn from.
  public var profileCache: String { "\(cache)/profiles/\(profile)" }
  /// Archives of street tiles, for all profiles.
  public var streets: String { "\(data)/streets" }
  public var configFile: String { "\(config)/config.toml" }

  /// Checks a profile name: 1–32 letters, digits, `-`, `_` and `.`, not starting with a dot.
  ///
  /// - Throws: `InvalidProfileName` for any other name.
  public static func validated(profile: String) throws(InvalidProfileName) -> String {
    let allowed = profile.utf8.allSatisfy { $0.isAlphanumeric(or: "-_.") }
    guard allowed, (1...32).contains(profile.utf8.count), !profile.hasPrefix(".") else {
      throw InvalidProfileName()
    }
    return profile
  }

  private static func absolute(_ path: String) -> String {
    let full = path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
    return URL(fileURLWithPath: full).standardizedFileURL.path
  }
}

/// The value of `--profile` is not a valid folder name.
public struct InvalidProfileName: ReportableError, Hashable, Sendable {
  public var sentence: String {
    "Name the profile with 1 to 32 letters, digits, -, _ or . and no dot in front."
  }
}

/// The home folders of the people of this machine.
package enum HomeFolder {
  /// By `HOME`, as shells take it, else by the system's table of users.
  package static var path: String {
    if let home = ProcessInfo.processInfo.environment["HOME"], home.hasPrefix("/") { return home }
    return FileManager.default.homeDirectoryForCurrentUser.path
  }

  /// Where a program of the person's runs: the home folder, or the root where that is not there.
  package static var workingDirectory: String { access(path, X_OK) == 0 ? path : "/" }

  /// `~/x` and `~ana/x` as a shell reads them; any other path as it is.
  package static func expanding(_ path: String) -> String {
    guard path.hasPrefix("~") else { return path }
    let name = path.dropFirst().prefix { $0 != "/" }
    let home =
      name.isEmpty
      ? Self.path : FileManager.default.homeDirectory(forUser: String(name))?.path
    return home.map { $0 + path.dropFirst(1 + name.count) } ?? path
  }
}
