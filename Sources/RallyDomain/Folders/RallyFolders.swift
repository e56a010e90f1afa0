import Foundation

/// Where Rally keeps things, by the XDG base directory rules; `--data DIR` moves everything.
///
/// What belongs to an account lies below `profiles/NAME` of its folder, so that profiles never
/// see each other's sessions, caches or logs.
public struct RallyFolders: Hashable, Sendable {
  /// Configuration that the person edits.
  public let config: String
  /// Sessions, logs, traces: what must outlive a restart but is nobody's document.
  public let state: String
  /// What can be fetched again.
  public let cache: String
  /// The embedded server's data; the folder that `rally serve --data` takes.
  public let data: String
  /// Sockets; short, private and emptied by the system.
  public let runtime: String
  /// The account's name on this machine, `default` unless `--profile` says otherwise.
  public let profile: String

  /// - Parameters:
  ///   - data: The value of `--data`; relative paths stand on the working folder.
  ///   - profile: The value of `--profile`.
  ///   - environment: `HOME` and the `XDG_…` variables; relative ones are ignored as XDG says.
  /// - Throws: `InvalidProfileName` when the profile's name cannot be a folder's name.
  public init(
    data: String? = nil, profile: String? = nil,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(InvalidProfileName) {
    self.profile = try Self.validated(profile: profile ?? "default")
    let home = environment["HOME"] ?? NSHomeDirectory()
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

  /// The account's sessions, log and trace.
  public var profileState: String { "\(state)/profiles/\(profile)" }
  /// What the first frame is drawn from.
  public var profileCache: String { "\(cache)/profiles/\(profile)" }
  public var configFile: String { "\(config)/config.toml" }

  /// A name of 1–32 letters, digits, `-`, `_` and `.`, not starting with a dot.
  public static func validated(profile: String) throws(InvalidProfileName) -> String {
    let allowed = profile.utf8.allSatisfy {
      switch $0 {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
        UInt8(ascii: "."):
        true
      default: false
      }
    }
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

/// The value of `--profile` cannot name a folder.
public struct InvalidProfileName: Error, Hashable, Sendable {
  public var sentence: String {
    "Name the profile with 1 to 32 letters, digits, -, _ or . and no dot in front."
  }
}
